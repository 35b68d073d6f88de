#include "elodyn/linalg/supernodal.hpp"

#include <algorithm>

#include "elodyn/base/batch.hpp"

namespace elodyn {
namespace {

using Row = double __attribute__((vector_size(8 * kSolvedTogether), aligned(8), may_alias));

inline Row& row_at(double* X, int i) {
  return *reinterpret_cast<Row*>(X + static_cast<Eigen::Index>(i) * kSolvedTogether);
}

// One supernode: n_columns × n_columns lower triangle above n_rows − n_columns more rows.
struct Supernode {
  int first, n_columns, n_rows;
  const int* rows;
  const double* values;
  const double* column(int j) const { return values + static_cast<Eigen::Index>(j) * n_rows; }
};

inline Supernode supernode(const SupernodalFactor& L, int s) {
  return {L.starts[s], L.starts[s + 1] - L.starts[s], L.row_starts[s + 1] - L.row_starts[s], L.rows + L.row_starts[s],
          L.values + L.value_starts[s]};
}

constexpr int kRows = 8, kPanel = 16;

// Σ_j L(i…, j) x_j for Count rows from i and columns j0 … j1 − 1, taken off the rows of X that `target` names.
template <int Count, class Target>
inline void subtract_rows(const Supernode& S, const double* own, double* X, int i, int j0, int j1, Target target) {
  Row sum[Count] = {};
  for (int j = j0; j < j1; ++j) {
    const double* l = S.column(j) + i;
    const Row x = *reinterpret_cast<const Row*>(own + static_cast<Eigen::Index>(j) * kSolvedTogether);
    for (int r = 0; r < Count; ++r) sum[r] += l[r] * x;
  }
  for (int r = 0; r < Count; ++r) row_at(X, target(i + r)) -= sum[r];
}

template <class Target>
inline void subtract_all_rows(const Supernode& S, const double* own, double* X, int first, int last, int j0, int j1,
                              Target target) {
  int i = first;
  for (; i + kRows <= last; i += kRows) subtract_rows<kRows>(S, own, X, i, j0, j1, target);
  for (; i + 2 <= last; i += 2) subtract_rows<2>(S, own, X, i, j0, j1, target);
  if (i < last) subtract_rows<1>(S, own, X, i, j0, j1, target);
}

inline void solve_forward(const Supernode& S, double* X) {
  double* own = X + static_cast<Eigen::Index>(S.first) * kSolvedTogether;
  for (int j0 = 0; j0 < S.n_columns; j0 += kPanel) {
    const int j1 = std::min(S.n_columns, j0 + kPanel);
    for (int j = j0; j < j1; ++j) {
      const double* l = S.column(j);
      const Row x = row_at(own, j) / l[j];
      row_at(own, j) = x;
      for (int i = j + 1; i < j1; ++i) row_at(own, i) -= l[i] * x;
    }
    subtract_all_rows(S, own, own, j1, S.n_columns, j0, j1, [](int i) { return i; });
  }
  subtract_all_rows(S, own, X, S.n_columns, S.n_rows, 0, S.n_columns, [&](int i) { return S.rows[i]; });
}

// x_j −= Σ_i L(i, j) X(source(i)) for Count columns from j and rows first … last − 1.
template <int Count, class Source>
inline void subtract_columns(const Supernode& S, double* own, double* X, int j, int first, int last, Source source) {
  Row sum[Count] = {};
  const double* l[Count];
  for (int c = 0; c < Count; ++c) l[c] = S.column(j + c);
  for (int i = first; i < last; ++i) {
    const Row x = row_at(X, source(i));
    for (int c = 0; c < Count; ++c) sum[c] += l[c][i] * x;
  }
  for (int c = 0; c < Count; ++c) row_at(own, j + c) -= sum[c];
}

template <class Source>
inline void subtract_all_columns(const Supernode& S, double* own, double* X, int j0, int j1, int first, int last,
                                 Source source) {
  if (first >= last) return;
  int j = j0;
  for (; j + kRows <= j1; j += kRows) subtract_columns<kRows>(S, own, X, j, first, last, source);
  for (; j + 2 <= j1; j += 2) subtract_columns<2>(S, own, X, j, first, last, source);
  if (j < j1) subtract_columns<1>(S, own, X, j, first, last, source);
}

inline void solve_backward(const Supernode& S, double* X) {
  double* own = X + static_cast<Eigen::Index>(S.first) * kSolvedTogether;
  subtract_all_columns(S, own, X, 0, S.n_columns, S.n_columns, S.n_rows, [&](int i) { return S.rows[i]; });
  for (int j0 = (S.n_columns - 1) / kPanel * kPanel; j0 >= 0; j0 -= kPanel) {
    const int j1 = std::min(S.n_columns, j0 + kPanel);
    subtract_all_columns(S, own, own, j0, j1, j1, S.n_columns, [](int i) { return i; });
    for (int j = j1 - 1; j >= j0; --j) {
      const double* l = S.column(j);
      Row x = row_at(own, j);
      for (int i = j + 1; i < j1; ++i) x -= l[i] * row_at(own, i);
      row_at(own, j) = x / l[j];
    }
  }
}

}  // namespace

ELODYN_WIDE void solve_supernodal(const SupernodalFactor& L, double* X) {
  for (int s = 0; s < L.n_supernodes; ++s) solve_forward(supernode(L, s), X);
  for (int s = L.n_supernodes - 1; s >= 0; --s) solve_backward(supernode(L, s), X);
}

}  // namespace elodyn
