#include "elodyn/linalg/pattern.hpp"

#include <algorithm>

#include "elodyn/base/error.hpp"

namespace elodyn {

SparsePattern::SparsePattern(int n, const std::vector<std::vector<int>>& cliques) : n_(n) {
  // Cliques of each index, one index after another, so that a column is gathered in one go.
  std::vector<size_t> first_clique(static_cast<size_t>(n) + 2, 0);
  for (const std::vector<int>& clique : cliques)
    for (const int i : clique) ++first_clique[static_cast<size_t>(i) + 2];
  for (size_t i = 2; i < first_clique.size(); ++i) first_clique[i] += first_clique[i - 1];
  std::vector<int> cliques_of(first_clique.back());
  for (size_t c = 0; c < cliques.size(); ++c)
    for (const int i : cliques[c]) cliques_of[first_clique[static_cast<size_t>(i) + 1]++] = static_cast<int>(c);
  starts_.assign(1, 0);
  starts_.reserve(static_cast<size_t>(n) + 1);
  repeats_.reserve(static_cast<size_t>(n));
  std::vector<int> seen(static_cast<size_t>(n), -1);
  for (int column = 0; column < n; ++column) {
    const size_t first = rows_.size();
    seen[static_cast<size_t>(column)] = column;  // the diagonal is always there
    rows_.push_back(column);
    const auto at = static_cast<size_t>(column);
    for (size_t k = first_clique[at]; k < first_clique[at + 1]; ++k)
      for (const int row : cliques[static_cast<size_t>(cliques_of[k])])
        if (seen[static_cast<size_t>(row)] != column) {
          seen[static_cast<size_t>(row)] = column;
          rows_.push_back(row);
        }
    std::sort(rows_.begin() + static_cast<std::ptrdiff_t>(first), rows_.end());
    const auto begin = rows_.begin() + static_cast<std::ptrdiff_t>(first);
    repeats_.push_back(column > 0 && std::equal(rows_.begin() + starts_[at - 1], begin, begin, rows_.end()));
    starts_.push_back(static_cast<int>(rows_.size()));
  }
}

void SparsePattern::find_block(const std::vector<int>& dofs, std::vector<int>& places) const {
  const size_t n = dofs.size();
  places.resize(n * n);
  for (size_t j = 0; j < n; ++j) {
    const auto column = static_cast<size_t>(dofs[j]);
    int* at = places.data() + j * n;
    if (j > 0 && dofs[j] == dofs[j - 1] + 1 && repeats_[column]) {
      const int shift = starts_[column] - starts_[column - 1];
      const int* left = at - n;  // the places in the column before
      for (size_t i = 0; i < n; ++i) at[i] = left[i] + shift;
      continue;
    }
    const int last = starts_[column + 1];
    for (size_t i = 0; i < n; ++i) {
      const int next = i > 0 ? at[i - 1] + 1 : last;  // neighbours in the element are often neighbours in the column
      at[i] = next < last && rows_[static_cast<size_t>(next)] == dofs[i] ? next : index(dofs[i], dofs[j]);
    }
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
