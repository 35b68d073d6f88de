#include "elodyn/linalg/pattern.hpp"

#include <algorithm>

#include "elodyn/base/error.hpp"

namespace elodyn {

SparsePattern::SparsePattern(int n, const std::vector<std::vector<int>>& cliques) : n_(n) {
  // Cliques of each index, so that a column is gathered in one go.
  std::vector<std::vector<int>> cliques_of(static_cast<size_t>(n));
  for (size_t c = 0; c < cliques.size(); ++c)
    for (const int i : cliques[c]) cliques_of[static_cast<size_t>(i)].push_back(static_cast<int>(c));
  starts_.assign(1, 0);
  std::vector<int> seen(static_cast<size_t>(n), -1);
  for (int column = 0; column < n; ++column) {
    const size_t first = rows_.size();
    seen[static_cast<size_t>(column)] = column;  // the diagonal is always there
    rows_.push_back(column);
    for (const int c : cliques_of[static_cast<size_t>(column)])
      for (const int row : cliques[static_cast<size_t>(c)])
        if (seen[static_cast<size_t>(row)] != column) {
          seen[static_cast<size_t>(row)] = column;
          rows_.push_back(row);
        }
    std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(first), rows_.end());
    starts_.push_back(static_cast<int>(rows_.size()));
  }
}

int SparsePattern::index(int row, int column) const {
  const auto first = rows_.begin() + starts_[static_cast<size_t>(column)];
  const auto last = rows_.begin() + starts_[static_cast<size_t>(column) + 1];
  const auto it = std::lower_bound(first, last, row);
  ELODYN_REQUIRE(it != last && *it == row);
  return static_cast<int>(it - rows_.begin());
}

SparseMatrix SparsePattern::to_matrix(const VectorX& values) const {
  ELODYN_REQUIRE(values.size() == n_nonzeros());
  return Eigen::Map<const SparseMatrix>(n_, n_, n_nonzeros(), starts_.data(), rows_.data(), values.data());
}

}  // namespace elodyn
