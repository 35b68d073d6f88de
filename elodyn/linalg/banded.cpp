#include "elodyn/linalg/banded.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/base/error.hpp"

namespace elodyn {

BandedLu::BandedLu(int n, int below, int above)
    : n_(n),
      below_(below),
      above_(above),
      width_(2 * below + above + 1),  // pivoting moves rows up, by `below` at most
      values_(static_cast<size_t>(n) * static_cast<size_t>(2 * below + above + 1)),
      inverse_pivots_(static_cast<size_t>(n)),
      pivots_(static_cast<size_t>(n)),
      ends_(static_cast<size_t>(n)) {}

void BandedLu::set_zero() { std::fill(values_.begin(), values_.end(), 0.0); }

bool BandedLu::factor() {
  double* const a = values_.data();
  int end = 0;  // one past the last column that rows up to k have
  for (int k = 0; k < n_; ++k) {
    const int last = std::min(n_ - 1, k + below_);
    int pivot = k;
    double largest = std::abs(a[place(k, k)]);
    for (int i = k + 1; i <= last; ++i)
      if (const double value = std::abs(a[place(i, k)]); value > largest) {
        largest = value;
        pivot = i;
      }
    if (!(largest > 0) || !std::isfinite(largest)) return false;
    end = std::max(end, std::min(n_, pivot + above_ + 1));
    pivots_[static_cast<size_t>(k)] = pivot;
    ends_[static_cast<size_t>(k)] = end;
    double* const top = a + place(k, k);
    const int count = end - k;
    if (pivot != k) std::swap_ranges(top, top + count, a + place(pivot, k));
    const double inverse = 1 / *top;
    inverse_pivots_[static_cast<size_t>(k)] = inverse;
    for (int i = k + 1; i <= last; ++i) {
      double* const row = a + place(i, k);
      if (*row == 0) continue;
      const double l = *row * inverse;
      *row = l;
      for (int j = 1; j < count; ++j) row[j] -= l * top[j];
    }
  }
  return true;
}

void BandedLu::solve(double* b) const {
  const double* const a = values_.data();
  for (int k = 0; k < n_; ++k) {
    if (const int pivot = pivots_[static_cast<size_t>(k)]; pivot != k) std::swap(b[k], b[pivot]);
    const double value = b[k];
    if (value == 0) continue;
    const int last = std::min(n_ - 1, k + below_);
    for (int i = k + 1; i <= last; ++i) b[i] -= a[place(i, k)] * value;
  }
  for (int k = n_ - 1; k >= 0; --k) {
    const double* const row = a + place(k, k);
    const int count = ends_[static_cast<size_t>(k)] - k;
    double sum = b[k];
    for (int j = 1; j < count; ++j) sum -= row[j] * b[k + j];
    b[k] = sum * inverse_pivots_[static_cast<size_t>(k)];
  }
}

}  // namespace elodyn
