// One sparsity pattern shared by all matrices of an affine equation: a matrix is then only its values, and a sum of
// matrices a sum of vectors. Square, column-major, rows sorted.
#pragma once

#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

class SparsePattern {
 public:
  SparsePattern() = default;
  // From cliques: every pair of indices of one list is a nonzero. Indices may repeat.
  SparsePattern(int n, const std::vector<std::vector<int>>& cliques);

  int size() const { return n_; }
  int n_nonzeros() const { return static_cast<int>(rows_.size()); }
  // Place of (row, column) among the values; it must be in the pattern.
  int index(int row, int column) const;
  // Places of a dense block in column-major order: those of (dofs[i], dofs[j]). All must be in the pattern.
  void find_block(const std::vector<int>& dofs, std::vector<int>& places) const;
  int column_begin(int column) const { return starts_[static_cast<size_t>(column)]; }
  int row(int k) const { return rows_[static_cast<size_t>(k)]; }

  // A matrix of this pattern. Entries that are zero stay in the pattern.
  SparseMatrix to_matrix(const VectorX& values) const;

 private:
  int n_ = 0;
  std::vector<int> starts_, rows_;
  std::vector<bool> repeats_;  // whether a column has the rows of the one before
};

}  // namespace elodyn
