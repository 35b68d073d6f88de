// Lowest modes of K − ω²M + iωC with full matrices, K > 0, M > 0, C skew (or none), by LAPACK on the skew form
//   X = [−L⁻¹CL⁻ᵀ  −L⁻¹R; RᵀL⁻ᵀ  0],  K = LLᵀ, M = RRᵀ,
// whose eigenvalues 1/λ lie on the imaginary axis exactly. Limit: (2n)³ operations.
#pragma once

#include <complex>

#include "elodyn/base/types.hpp"

namespace elodyn {

// Of vectors: to round-off, or to about ε(ω/ω₁)² of it, which takes a third of the time. Frequencies are the same.
enum class VectorDigits { all, good };

// False if K is not positive definite. Vectors in columns. A C of size 0 means none.
bool solve_definite_dense(const MatrixX& K, const MatrixX& C, const MatrixX& M, int count, VectorX& omega,
                          Eigen::MatrixXcd& vectors, VectorDigits digits = VectorDigits::all);

}  // namespace elodyn
