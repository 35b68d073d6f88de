// Factor once, solve many.
//   CholeskySolver: symmetric positive definite, by CHOLMOD's supernodes on all cores (linalg/supernodal.hpp), on the
//     matrix scaled to unit diagonal.
//   LuSolver: any nonsingular matrix (Eigen's SparseLU).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

class Cluster;

// Many vectors side by side: a row has the values of all of them at one coordinate.
using RowBlock = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class CholeskySolver {
 public:
  CholeskySolver();
  ~CholeskySolver();
  CholeskySolver(CholeskySolver&&) noexcept;
  CholeskySolver& operator=(CholeskySolver&&) noexcept;

  // Finds the order of elimination for matrices with the nonzeros of A; factor() then keeps it.
  void analyze(const SparseMatrix& A);
  // False if the matrix is not positive definite (to working precision); failed_column() says where. Entries that are
  // zero take no part.
  bool factor(const SparseMatrix& A);
  int failed_column() const { return failed_column_; }
  MatrixX solve(const MatrixX& b) const;
  // X ← A⁻¹X, columns in groups on all cores; the same digits on any number of them.
  void solve_in_place(RowBlock& X) const;
  // Number of negative eigenvalues of another matrix with the nonzeros of the one that was factored, or fewer, which
  // has few of them; see SupernodalCholesky. Nothing: it cannot be said.
  std::optional<int> count_negative(const SparseMatrix& A) const;
  // At k the row that is eliminated k-th; empty if other processes take part, who have an order of their own.
  std::vector<int> order() const;

 private:
  struct Impl;
  bool factor_shared(Cluster& others, const SparseMatrix& scaled);

  std::unique_ptr<Impl> impl_;
  VectorX scale_;
  int failed_column_ = -1;
};

class LuSolver {
 public:
  LuSolver();
  ~LuSolver();
  bool factor(const SparseMatrix& A);    // false: singular
  bool refactor(const SparseMatrix& A);  // with the pattern of the last one
  MatrixX solve(const MatrixX& b) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace elodyn
