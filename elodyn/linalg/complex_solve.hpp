// Complex linear systems that are solved again and again with new values on one pattern: dynamic stiffnesses
//   Z(Ω) = −Ω²M + iΩC + K.
// Sparse ones by Eigen's SparseLU, whose order of elimination is found once (minimum degree on A + Aᵀ, diagonal pivots
// preferred); small and full ones by LAPACK. Give matrices with a diagonal of size 1: the pivots are compared.
#pragma once

#include <complex>
#include <memory>

#include "elodyn/base/types.hpp"

namespace elodyn {

using ComplexSparse = Eigen::SparseMatrix<std::complex<double>>;

class ComplexSolver {
 public:
  ComplexSolver();
  ~ComplexSolver();
  ComplexSolver(ComplexSolver&&) noexcept;
  ComplexSolver& operator=(ComplexSolver&&) noexcept;

  // False: singular. All matrices given to one solver have the pattern of the first.
  bool factor(const ComplexSparse& A);
  Eigen::VectorXcd solve(const Eigen::VectorXcd& b) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace elodyn
