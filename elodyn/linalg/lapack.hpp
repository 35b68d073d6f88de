// The few LAPACK drivers that we use, on Eigen matrices; a failed call throws NumericalError with its name and info.
#pragma once

#include <Eigen/Dense>
#include <complex>

#include "elodyn/base/types.hpp"

namespace elodyn {

// Lower Cholesky factor in place (upper triangle zeroed); false if not positive definite.
bool cholesky_in_place(MatrixX& A);

// Eigenvalues number first..last (0-based, ascending) with orthonormal vectors. A is destroyed.
void symmetric_eigen(MatrixX& A, int first, int last, VectorX& values, MatrixX& vectors);
void hermitian_eigen(Eigen::MatrixXcd& A, int first, int last, VectorX& values, Eigen::MatrixXcd& vectors);

// All eigenvalues of a general matrix. A is destroyed.
Eigen::VectorXcd general_eigenvalues(MatrixX& A);

// A⁻¹ B in place of B by LU with partial pivoting; false if A is exactly singular. A is destroyed.
bool solve_in_place(MatrixX& A, MatrixX& B);
// Vector x of unit length with A x ≈ 0: two steps of inverse iteration from a fixed start. A is destroyed.
Eigen::VectorXcd null_vector(Eigen::MatrixXcd& A);

}  // namespace elodyn
