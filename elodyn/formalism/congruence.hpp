// Small dense products that every formalism needs to go from a station to the element. Zeros cost nothing, no memory is
// taken, and the loops suit any scalar.
#pragma once

#include "elodyn/base/types.hpp"

namespace elodyn {

// to += factor aᵀb for rows a, b on the element's dofs.
template <class S, class RowA, class RowB, class Square>
void add_outer(const S& factor, const RowA& a, const RowB& b, Square&& to) {
  for (Eigen::Index j = 0; j < b.size(); ++j) {
    if (b[j] == S(0)) continue;
    const S scaled = factor * b[j];
    for (Eigen::Index i = 0; i < a.size(); ++i) to(i, j) += scaled * a[i];
  }
}

// to += factor rowsᵀ C other
template <class S, class Rows, class Matrix, class Other, class Square>
void add_congruence(const S& factor, const Rows& rows, const Matrix& C, const Other& other, Square&& to) {
  for (Eigen::Index j = 0; j < C.cols(); ++j)
    for (Eigen::Index i = 0; i < C.rows(); ++i)
      if (!(C(i, j) == S(0))) add_outer(S(factor * C(i, j)), rows.row(i), other.row(j), to);
}

// to += factor rowsᵀ C
template <class S, class Rows, class Matrix, class To>
void add_transposed(const S& factor, const Rows& rows, const Matrix& C, To&& to) {
  for (Eigen::Index j = 0; j < C.cols(); ++j)
    for (Eigen::Index i = 0; i < C.rows(); ++i) {
      if (C(i, j) == S(0)) continue;
      const S scaled = factor * C(i, j);
      for (Eigen::Index k = 0; k < rows.cols(); ++k) to(k, j) += scaled * rows(i, k);
    }
}

}  // namespace elodyn
