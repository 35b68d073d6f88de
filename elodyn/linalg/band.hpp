// Band matrices, real or complex, with b diagonals on each side of the main one: a chain of elements has few of them,
// and a factorisation takes some n b² operations without any search for a pattern.
//   BandLdlt  A = LDLᴴ of a Hermitian A without pivoting; D counts the negative eigenvalues (Sylvester). Safe for
//             definite A; for others the caller looks at residuals.
//   BandLu    PA = LU with partial pivoting of rows [Golub2013]
// Fast for matrices of a few hundred rows and tens of diagonals; no blocks.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

template <class S>
using BandVector = Eigen::Matrix<S, Eigen::Dynamic, 1>;

// Order of rows that brings the nonzeros near to the diagonal (reverse Cuthill–McKee): order[k] is the row at place k.
std::vector<int> find_band_order(const SparseMatrix& A);
// Largest |i − j| of a nonzero with rows and columns in that order.
int find_bandwidth(const SparseMatrix& A, const std::vector<int>& order);

// All diagonals, column by column: A(i, j) at (b + i − j) + j(2b + 1). Sums of matrices are sums of `values`.
struct BandPlan {
  int n = 0, b = 0;
  Eigen::Index size() const { return static_cast<Eigen::Index>(n) * (2 * b + 1); }
  Eigen::Index at(int i, int j) const { return b + i - j + static_cast<Eigen::Index>(j) * (2 * b + 1); }
};
VectorX to_band(const SparseMatrix& A, const std::vector<int>& order, const BandPlan& plan);

// y = A x
template <class S>
void multiply(const BandPlan& plan, const VectorX& values, const BandVector<S>& x, BandVector<S>& y) {
  y.setZero(plan.n);
  for (int j = 0; j < plan.n; ++j) {
    const int first = std::max(0, j - plan.b), last = std::min(plan.n - 1, j + plan.b);
    y.segment(first, last - first + 1) += values.segment(plan.at(first, j), last - first + 1) * x[j];
  }
}
// y = Aᵀ x
template <class S>
void multiply_transposed(const BandPlan& plan, const VectorX& values, const BandVector<S>& x, BandVector<S>& y) {
  y.resize(plan.n);
  for (int j = 0; j < plan.n; ++j) {
    const int first = std::max(0, j - plan.b), count = std::min(plan.n - 1, j + plan.b) - first + 1;
    y[j] =
        (values.segment(plan.at(first, j), count).template cast<S>().array() * x.segment(first, count).array()).sum();
  }
}

template <class S>
class BandLdlt {
 public:
  // `values(k)`: entry k of the band, of which only the lower half is read. False if a pivot is zero or not finite.
  template <class Values>
  bool factor(const BandPlan& plan, const Values& values) {
    plan_ = plan;
    const int n = plan.n, b = plan.b, ld = b + 1;
    a_.setZero(static_cast<Eigen::Index>(n) * ld + b);
    for (int j = 0; j < n; ++j) {
      const int count = std::min(n - 1, j + b) - j + 1;
      for (int i = 0; i < count; ++i) a_[static_cast<Eigen::Index>(j) * ld + i] = values(plan.at(j + i, j));
    }
    d_.resize(n);
    n_negative_ = 0;
    BandVector<S> scaled(b);
    for (int j = 0; j < n; ++j) {
      S* const column = a_.data() + static_cast<Eigen::Index>(j) * ld;
      const double d = std::real(column[0]);
      if (d == 0 || !std::isfinite(d)) return false;
      d_[j] = d;
      n_negative_ += d < 0 ? 1 : 0;
      const int count = std::min(n - 1, j + b) - j;
      Eigen::Map<BandVector<S>> l(column + 1, count);
      scaled.head(count) = l;  // l d
      l *= 1 / d;
      for (int k = 0; k < count; ++k) {
        Eigen::Map<BandVector<S>> target(column + static_cast<Eigen::Index>(k + 1) * ld, count - k);
        target.noalias() -= l.tail(count - k) * Eigen::numext::conj(scaled[k]);
      }
    }
    return true;
  }
  int n_negative() const { return n_negative_; }

  // Entries of A⁻¹ within the band, by the equations of Takahashi, as a band of `plan`: n b² operations.
  VectorX calc_inverse_band() const requires std::is_same_v<S, double> {
    const int n = plan_.n, b = plan_.b, ld = b + 1;
    VectorX Z = VectorX::Zero(plan_.size());
    for (int j = n - 1; j >= 0; --j) {
      const int count = std::min(n - 1, j + b) - j;
      const auto l = lower(j, ld, count);
      for (int i = j + count; i >= j; --i) {
        double sum = i == j ? 1 / d_[j] : 0;
        for (int k = 0; k < count; ++k) sum -= l[k] * Z[plan_.at(i, j + 1 + k)];
        Z[plan_.at(i, j)] = Z[plan_.at(j, i)] = sum;
      }
    }
    return Z;
  }

  void solve_in_place(BandVector<S>& x) const {
    const int n = plan_.n, b = plan_.b, ld = b + 1;
    for (int j = 0; j < n; ++j) {
      const int count = std::min(n - 1, j + b) - j;
      x.segment(j + 1, count).noalias() -= lower(j, ld, count) * x[j];
    }
    x.array() /= d_.array().template cast<S>();
    for (int j = n - 1; j >= 0; --j) {
      const int count = std::min(n - 1, j + b) - j;
      x[j] -= lower(j, ld, count).dot(x.segment(j + 1, count));  // dot conjugates L
    }
  }

 private:
  Eigen::Map<const BandVector<S>> lower(int j, int ld, int count) const {
    return {a_.data() + static_cast<Eigen::Index>(j) * ld + 1, count};
  }

  BandPlan plan_;
  BandVector<S> a_;
  VectorX d_;
  int n_negative_ = 0;
};

template <class S>
class BandLu {
 public:
  // `values(k)`: entry k of the band. A pivot that is zero is made tiny: of a matrix that is singular on purpose, as in
  // inverse iteration, the solution points where it should.
  template <class Values>
  void factor(const BandPlan& plan, const Values& values) {
    plan_ = plan;
    const int n = plan.n, b = plan.b, ld = 3 * b + 1;
    a_.setZero(static_cast<Eigen::Index>(n) * ld);
    for (int j = 0; j < n; ++j)
      for (int i = std::max(0, j - b); i <= std::min(n - 1, j + b); ++i) at(i, j) = values(plan.at(i, j));
    pivots_.resize(static_cast<size_t>(n));
    const double tiny = kEps * a_.cwiseAbs().maxCoeff();
    for (int j = 0; j < n; ++j) {
      const int count = std::min(n - 1, j + b) - j, last = std::min(n - 1, j + 2 * b);
      int p = j;
      double largest = std::abs(at(j, j));
      for (int i = j + 1; i <= j + count; ++i)
        if (const double size = std::abs(at(i, j)); size > largest) {
          largest = size;
          p = i;
        }
      pivots_[static_cast<size_t>(j)] = p;
      if (p != j)
        for (int k = j; k <= last; ++k) std::swap(at(j, k), at(p, k));
      if (largest < tiny) at(j, j) = tiny > 0 ? tiny : 1;
      Eigen::Map<BandVector<S>> l(&at(j, j) + 1, count);
      l *= S(1) / at(j, j);
      for (int k = j + 1; k <= last; ++k)
        if (const S u = at(j, k); u != S(0)) Eigen::Map<BandVector<S>>(&at(j, k) + 1, count).noalias() -= l * u;
    }
  }

  void solve_in_place(BandVector<S>& x) const {
    const int n = plan_.n, b = plan_.b;
    for (int j = 0; j < n; ++j) {
      std::swap(x[j], x[pivots_[static_cast<size_t>(j)]]);
      const int count = std::min(n - 1, j + b) - j;
      x.segment(j + 1, count).noalias() -= Eigen::Map<const BandVector<S>>(&at(j, j) + 1, count) * x[j];
    }
    for (int j = n - 1; j >= 0; --j) {
      x[j] /= at(j, j);
      const int first = std::max(0, j - 2 * b);
      x.segment(first, j - first).noalias() -= Eigen::Map<const BandVector<S>>(&at(first, j), j - first) * x[j];
    }
  }
  // Aᵀ, not conjugated.
  void solve_transposed_in_place(BandVector<S>& x) const {
    const int n = plan_.n, b = plan_.b;
    const auto sum = [](const auto& a, const auto& c) { return (a.array() * c.array()).sum(); };
    for (int j = 0; j < n; ++j) {
      const int first = std::max(0, j - 2 * b);
      if (j > first)
        x[j] -= sum(Eigen::Map<const BandVector<S>>(&at(first, j), j - first), x.segment(first, j - first));
      x[j] /= at(j, j);
    }
    for (int j = n - 1; j >= 0; --j) {
      const int count = std::min(n - 1, j + b) - j;
      if (count > 0) x[j] -= sum(Eigen::Map<const BandVector<S>>(&at(j, j) + 1, count), x.segment(j + 1, count));
      std::swap(x[j], x[pivots_[static_cast<size_t>(j)]]);
    }
  }

 private:
  // Room for b more diagonals above, which pivoting fills.
  Eigen::Index place(int i, int j) const {
    return 2 * plan_.b + i - j + static_cast<Eigen::Index>(j) * (3 * plan_.b + 1);
  }
  S& at(int i, int j) { return a_[place(i, j)]; }
  const S& at(int i, int j) const { return a_[place(i, j)]; }

  BandPlan plan_;
  BandVector<S> a_;
  std::vector<int> pivots_;
};

}  // namespace elodyn
