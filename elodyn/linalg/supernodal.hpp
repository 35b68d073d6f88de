// Cholesky factorisation LLᵀ by supernodes, and solves with it, on all cores:
//   PDADPᵀ = LLᵀ,   D a diagonal scale, P an order of elimination.
// The order and the supernodes are CHOLMOD's; the values lie as CHOLMOD has them. The tree of supernodes is cut into
// subtrees that need nothing of each other and a top; subtrees are done side by side, then the top by panels of
// columns. How it is cut does not depend on the number of threads, nor do the digits. In solves sums of
// some rows and vectors stay in registers and the factor is read twice in all, whatever the number of vectors and
// threads: BLAS packs it for each small block, and CHOLMOD works on one core.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

inline constexpr int kSolvedTogether = 24;

// Columns of supernode s are starts[s] … starts[s+1]−1; its rows are rows[row_starts[s] …], those of its own columns
// first; its entries, by columns, begin at value_starts[s]. order[k]: the row of A that is eliminated k-th. The arrays
// stay with their owner.
struct SupernodalPattern {
  int n = 0, n_supernodes = 0;
  const int *starts = nullptr, *row_starts = nullptr, *value_starts = nullptr, *rows = nullptr, *order = nullptr;
};

class SupernodalCholesky {
 public:
  SupernodalCholesky() = default;
  explicit SupernodalCholesky(const SupernodalPattern& pattern);

  // The values of L for A, both triangles given, entries that are zero taking no part. Returns how many columns were
  // eliminated: n, or less if a pivot was not positive.
  int factor(const SparseMatrix& A, const VectorX& scale, double* values) const;

  // The number of negative eigenvalues of A, by LSLᵀ with signs S instead of LLᵀ, without pivoting: for an A that is
  // definite but for a few directions, as K − μM with few modes below μ. The work is that of factor(). Nothing if it
  // cannot be said: a pivot is so small, or entries of L become so large, that round-off might decide.
  std::optional<int> count_negative(const SparseMatrix& A, const VectorX& scale) const;

  // X ← L⁻ᵀL⁻¹X for `width` vectors in groups of kSolvedTogether; a group has n rows of that many values, in the order
  // of elimination. What is beyond the width is not defined then.
  void solve(const double* values, double* X, int width) const;

 private:
  struct Factorisation;
  // Subtrees that one thread does one after the other. Rows beyond them, which belong to the top, are in `outside`.
  struct Part {
    std::vector<std::pair<int, int>> subtrees;  // first supernode, one beyond the last
    std::vector<int> outside;
    double cost = 0;
  };
  int run(Factorisation& factorisation) const;
  Eigen::Index n_values() const;
  void cut_tree();
  void find_outside_rows();

  SupernodalPattern pattern_;
  int most_rows_ = 0;              // of a supernode
  std::vector<int> supernode_of_;  // a column
  std::vector<int> inverse_order_;
  std::vector<Part> parts_;
  std::vector<int> part_of_;  // a supernode; −1: of the top
  std::vector<int> top_;      // supernodes
  // Where a row of a supernode is held while its part is solved: the row itself, or n + its place among `outside`.
  std::vector<int> places_;
};

}  // namespace elodyn
