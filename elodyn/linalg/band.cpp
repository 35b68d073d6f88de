#include "elodyn/linalg/band.hpp"

#include <numeric>

namespace elodyn {
namespace {

using Neighbours = std::vector<std::vector<int>>;

Neighbours list_neighbours(const SparseMatrix& A) {
  Neighbours of(static_cast<size_t>(A.rows()));
  for (int j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(A, j); it; ++it)
      if (it.row() != j) {
        of[static_cast<size_t>(j)].push_back(static_cast<int>(it.row()));
        of[static_cast<size_t>(it.row())].push_back(j);
      }
  for (std::vector<int>& list : of) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return of;
}

// Breadth first from `start`, those with few neighbours first; appends to `order`.
void walk(const Neighbours& of, int start, std::vector<bool>& seen, std::vector<int>& order) {
  size_t next = order.size();
  order.push_back(start);
  seen[static_cast<size_t>(start)] = true;
  for (; next < order.size(); ++next) {
    std::vector<int> fresh;
    for (const int k : of[static_cast<size_t>(order[next])])
      if (!seen[static_cast<size_t>(k)]) {
        seen[static_cast<size_t>(k)] = true;
        fresh.push_back(k);
      }
    std::stable_sort(fresh.begin(), fresh.end(), [&](int a, int b) {
      return of[static_cast<size_t>(a)].size() < of[static_cast<size_t>(b)].size();
    });
    order.insert(order.end(), fresh.begin(), fresh.end());
  }
}

}  // namespace

std::vector<int> find_band_order(const SparseMatrix& A) {
  const int n = static_cast<int>(A.rows());
  const Neighbours of = list_neighbours(A);
  std::vector<bool> seen(static_cast<size_t>(n), false);
  std::vector<int> order;
  for (int start = 0; start < n; ++start) {
    if (seen[static_cast<size_t>(start)]) continue;
    // The last one reached is far away: an end of the chain.
    std::vector<bool> tried = seen;
    std::vector<int> reached;
    walk(of, start, tried, reached);
    walk(of, reached.back(), seen, order);
  }
  std::reverse(order.begin(), order.end());
  std::vector<int> as_given(static_cast<size_t>(n));
  std::iota(as_given.begin(), as_given.end(), 0);
  return find_bandwidth(A, as_given) <= find_bandwidth(A, order) ? as_given : order;
}

int find_bandwidth(const SparseMatrix& A, const std::vector<int>& order) {
  std::vector<int> place(order.size());
  for (size_t k = 0; k < order.size(); ++k) place[static_cast<size_t>(order[k])] = static_cast<int>(k);
  int width = 0;
  for (int j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(A, j); it; ++it)
      width = std::max(width, std::abs(place[static_cast<size_t>(j)] - place[static_cast<size_t>(it.row())]));
  return width;
}

VectorX to_band(const SparseMatrix& A, const std::vector<int>& order, const BandPlan& plan) {
  std::vector<int> place(order.size());
  for (size_t k = 0; k < order.size(); ++k) place[static_cast<size_t>(order[k])] = static_cast<int>(k);
  VectorX values = VectorX::Zero(plan.size());
  for (int j = 0; j < A.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(A, j); it; ++it)
      values[plan.at(place[static_cast<size_t>(it.row())], place[static_cast<size_t>(j)])] += it.value();
  return values;
}

}  // namespace elodyn
