// Eigenproblems of the affine equation, every pair residual-checked.
//   symmetric:   K φ = μ M φ, μ = ω² (negative beyond divergence)
//   quadratic:   (λ²M + λC + K) φ = 0
// Dense LAPACK on the inverted problem, so that the lowest modes keep their digits: the error of a frequency is about
// ε·cond of the lowest part, not ε·ω²_max. Limits: kLargestDense unknowns.
#pragma once

#include <complex>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

inline constexpr int kLargestDense = 6000;

struct SymmetricModes {
  VectorX squares;  // μ, ascending
  MatrixX vectors;  // M-orthonormal columns
};

// The `count` lowest. `rigid`: M-orthonormal null vectors of K that are known (may have no column); they come first,
// with μ = 0 exactly.
SymmetricModes solve_symmetric_modes(const SparseMatrix& K, const SparseMatrix& M, int count, const MatrixX& rigid);

struct QuadraticModes {
  std::vector<std::complex<double>> values;  // λ with Im ≥ 0; both of a real pair; ascending |Im|, then Re
  Eigen::MatrixXcd vectors;                  // columns
  std::vector<double> residuals;             // componentwise backward errors, coordinates scaled by diag(M)^-½
};

// What is known of C and K; decides the algorithm and which symmetry the spectrum is given.
enum class Structure {
  symmetric,     // C = 0, K = Kᵀ
  gyroscopic,    // C = −Cᵀ, K = Kᵀ: λ, −λ, λ̄ together
  general
};

QuadraticModes solve_quadratic_modes(const SparseMatrix& K, const MatrixX& C, const SparseMatrix& M, Structure structure,
                                     int count, const MatrixX& rigid);

}  // namespace elodyn
