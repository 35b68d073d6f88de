// Lowest modes of K − ω²M + iωC with K > 0, M > 0, C skew (or zero), by block Davidson: real basis U, quadratic
// Rayleigh–Ritz on UᵀKU, UᵀCU, UᵀMU (upper bounds), expansion by K⁻¹r, several vectors at once. One Cholesky
// factorisation, real arithmetic. Galerkin makes K⁻¹r K-orthogonal to the basis, so nothing is orthogonalised.
// The error of a frequency is about η²/gap, η the residual in the K⁻¹ norm.
// Completeness: the number of frequencies below s is the number of negative eigenvalues of K − s²M + isC. It is proven
// by one real LDLᵀ, see count_below and the proof in davidson.cpp.
#pragma once

#include "elodyn/linalg/eigen.hpp"

namespace elodyn {

struct DefiniteOptions {
  int count = 10;
  // A number β with |x*Cx| ≤ β x*Mx for all x; 0: not known, the proof then takes a matrix of twice the size.
  double velocity_bound = 0;
  // Loads whose static deflections are a good start; no column: random ones.
  MatrixX loads;
  bool prove = true;  // that no mode is missed
};

// False if K is not positive definite. Throws NumericalError if a mode was missed or did not converge.
bool solve_definite_sparse(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M,
                           const DefiniteOptions& options, QuadraticModes& out);

// An upper bound of the number of frequencies below s, from the real modes of (K, M) below μ: their squares and C
// between them (ΦᵀCΦ, ΦᵀMΦ = 1). −1: it cannot be said. See the proof in davidson.cpp.
int bound_below(const VectorX& real_squares, const MatrixX& C_p, double mu, double s, double beta);

// The root of x*(K − ω²M + iωC)x = 0, which has twice the digits of x.
double calc_quotient(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, const Eigen::VectorXcd& x);

// Number of frequencies of the pencil below s.
int count_below(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, double s);

}  // namespace elodyn
