// Factor once, solve many.
//   CholeskySolver: symmetric positive definite, CHOLMOD supernodal, on the matrix scaled to unit diagonal.
//   LuSolver: any nonsingular matrix (Eigen's SparseLU).
#pragma once

#include <memory>

#include "elodyn/base/types.hpp"

namespace elodyn {

class CholeskySolver {
 public:
  CholeskySolver();
  ~CholeskySolver();
  CholeskySolver(CholeskySolver&&) noexcept;
  CholeskySolver& operator=(CholeskySolver&&) noexcept;

  // False if the matrix is not positive definite (to working precision); failed_column() says where.
  bool factor(const SparseMatrix& A);
  // The same for a matrix with the pattern of the last one: its analysis is kept.
  bool refactor(const SparseMatrix& A);
  int failed_column() const { return failed_column_; }
  MatrixX solve(const MatrixX& b) const;

 private:
  struct Impl;
  bool factor(const SparseMatrix& A, bool keep_analysis);
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
