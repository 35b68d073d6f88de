// K φ = μ M φ with full matrices in coordinates scaled by diag(M)^-½, so that metres, radians and curvatures weigh the
// same. Where K is not definite, K + σM with a small σ takes its place.
// Limits: kLargestDense unknowns.
#pragma once

#include "elodyn/linalg/eigen.hpp"

namespace elodyn {

// Up to this size full matrices serve free bodies best: a shift costs the iteration digits.
inline constexpr Eigen::Index kFreeIsQuick = 800;

struct ScaledMatrices {
  VectorX d;  // diag(M)^-½
  MatrixX K, M;
};
ScaledMatrices scale_by_mass(const SparseMatrix& K, const SparseMatrix& M);

// Lifts the known null vectors ψ of K to about the top of the spectrum, where they disturb little: higher would cost
// the lowest modes digits.
void lift_rigid(ScaledMatrices& s, const SparseMatrix& M, const MatrixX& rigid);

// The lowest ones; vectors are those of coordinates that are not scaled.
SymmetricModes solve_scaled_symmetric(const ScaledMatrices& s, int count);

// The same as modes λ = ±√−μ, vectors scaled; of negative μ none is left out, so there may be more.
void solve_symmetric_fully(const ScaledMatrices& s, int count, QuadraticModes& out);

}  // namespace elodyn
