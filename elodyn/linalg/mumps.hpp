// Sparse factorisations with pivoting by MUMPS: what is neither definite nor small.
//   symmetric  A = P L D Lᵀ Pᵀ, real or complex (Aᵀ, not Aᴴ); real ones give the inertia
//   general    A = P L U Q
// MUMPS keeps state between calls that threads would share, so calls of all solvers wait for each other.
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

using SparseComplex = Eigen::SparseMatrix<std::complex<double>>;

enum class Symmetry { symmetric, general };

// In a program with MPI: the communicator of this process alone, as Fortran numbers it.
void set_mumps_communicator(int communicator);

class SharedFactor;

template <class Scalar>
class PivotingSolver {
 public:
  using Sparse = Eigen::SparseMatrix<Scalar>;
  using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

  PivotingSolver();
  ~PivotingSolver();
  PivotingSolver(PivotingSolver&&) noexcept;
  PivotingSolver& operator=(PivotingSolver&&) noexcept;

  // False if A is singular to working precision. Of a symmetric A the lower triangle is read. `order`: at k the row
  // that is eliminated k-th; empty: one is found. Throws std::bad_alloc if memory does not suffice.
  bool factor(const Sparse& A, Symmetry symmetry, const std::vector<int>& order = {});
  // Of a real symmetric A.
  int n_negative() const { return n_negative_; }
  Dense solve(const Dense& b) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
  std::unique_ptr<SharedFactor> shared_;  // of all processes, where it is worth it
  int n_negative_ = 0;
};

extern template class PivotingSolver<double>;
extern template class PivotingSolver<std::complex<double>>;

// Number of negative eigenvalues of A = Aᵀ.
int count_negative(const SparseMatrix& A, const std::vector<int>& order = {});
// Of the Hermitian matrix A + iB, A = Aᵀ and B = −Bᵀ, by the real one of twice the size, [A −B; B A].
int count_negative(const SparseMatrix& A, const SparseMatrix& B, const std::vector<int>& order = {});

}  // namespace elodyn
