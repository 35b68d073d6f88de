#include "elodyn/linalg/banded.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

int calc_half_width(const SparsePattern& pattern, const std::vector<int>& position) {
  int width = 0;
  for (int j = 0; j < pattern.size(); ++j) {
    const int end = j + 1 < pattern.size() ? pattern.column_begin(j + 1) : pattern.n_nonzeros();
    for (int k = pattern.column_begin(j); k < end; ++k)
      width =
          std::max(width, std::abs(position[static_cast<size_t>(pattern.row(k))] - position[static_cast<size_t>(j)]));
  }
  return width;
}

namespace {

class CuthillMcKee {
 public:
  explicit CuthillMcKee(const SparsePattern& pattern)
      : pattern_(pattern), distance_(static_cast<size_t>(pattern.size()), -1) {}

  std::vector<int> run() {
    std::vector<int> order;
    std::vector<bool> done(distance_.size(), false);
    for (int i = 0; i < pattern_.size(); ++i) {
      if (done[static_cast<size_t>(i)]) continue;
      // From the far end of the part that holds i, twice: a start that is nearly as far out as there is one.
      const int start = walk(walk(i).back()).back();
      for (const int j : walk(start)) {
        done[static_cast<size_t>(j)] = true;
        order.push_back(j);
      }
    }
    std::vector<int> position(order.size());
    for (size_t k = 0; k < order.size(); ++k)
      position[static_cast<size_t>(order[order.size() - 1 - k])] = static_cast<int>(k);
    return position;
  }

 private:
  int begin(int j) const { return pattern_.column_begin(j); }
  int end(int j) const { return j + 1 < pattern_.size() ? pattern_.column_begin(j + 1) : pattern_.n_nonzeros(); }

  // Breadth first, neighbours of few others first.
  std::vector<int> walk(int start) {
    std::vector<int> order = {start};
    distance_[static_cast<size_t>(start)] = 0;
    for (size_t next = 0; next < order.size(); ++next) {
      const int j = order[next];
      const size_t first = order.size();
      for (int k = begin(j); k < end(j); ++k) {
        int& distance = distance_[static_cast<size_t>(pattern_.row(k))];
        if (distance >= 0) continue;
        distance = distance_[static_cast<size_t>(j)] + 1;
        order.push_back(pattern_.row(k));
      }
      std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
                       [&](int a, int b) { return end(a) - begin(a) < end(b) - begin(b); });
    }
    for (const int j : order) distance_[static_cast<size_t>(j)] = -1;
    return order;
  }

  const SparsePattern& pattern_;
  std::vector<int> distance_;
};

}  // namespace

std::vector<int> find_narrow_order(const SparsePattern& pattern) {
  std::vector<int> given(static_cast<size_t>(pattern.size()));
  std::iota(given.begin(), given.end(), 0);
  std::vector<int> reversed = CuthillMcKee(pattern).run();
  return calc_half_width(pattern, reversed) < calc_half_width(pattern, given) ? reversed : given;
}

}  // namespace elodyn
