// Lowest modes of K − ω²M + iωC with K > 0, M > 0, C skew (or zero), by block Davidson: real basis U, quadratic
// Rayleigh–Ritz on UᵀKU, UᵀCU, UᵀMU (upper bounds), expansion by K⁻¹r. One Cholesky factorisation, real arithmetic.
// The error of a frequency is about η²/gap, η the residual in the K⁻¹ norm.
// Completeness: the number of frequencies below s is the number of negative eigenvalues of K − s²M + isC.
#pragma once

#include "elodyn/linalg/eigen.hpp"

namespace elodyn {

// False if K is not positive definite. Throws NumericalError if a mode was missed or did not converge.
bool solve_definite_sparse(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, int count,
                           QuadraticModes& out);

// Dense: the same problem by LAPACK on the skew form; false if K is not positive definite. Vectors in columns.
bool solve_definite_dense(const MatrixX& K, const MatrixX& C, const MatrixX& M, int count, VectorX& omega,
                          Eigen::MatrixXcd& vectors);

// Number of frequencies of the pencil below s.
int count_below(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, double s);

}  // namespace elodyn
