// Modes of (λ²M + λC + K) φ = 0 nearest to a shift σ, where nothing is definite: damping, Euler terms, bodies that are
// free or beyond divergence; and interior modes. Block Krylov–Schur iteration on the inverse of the first-order form,
//   (A − σ)⁻¹(a, b) = (q, σq + a),   q = −Q(σ)⁻¹[(C + σM)a + Mb],   Q(σ) = σ²M + σC + K,
// with one sparse factorisation of Q(σ): real for a real σ, symmetric where C and K are. Blocks find repeated values.
// Source: [Stewart2001]; thick restart with Ritz vectors.
// Limits: values are those nearest to σ; there is no proof that none is missed.
#pragma once

#include <optional>

#include "elodyn/linalg/known_modes.hpp"

namespace elodyn {

// The `count` modes with Im λ ≥ 0 nearest to 0 (or to i·target, rad/s) besides the known ones, vectors in coordinates
// scaled by diag(M)^½.
// `scale`: a frequency of the size of those looked for. Throws NumericalError if they do not converge.
void solve_near_shift(const QuadraticProblem& problem, const KnownModes& known, int count, std::optional<double> target,
                      double scale, QuadraticModes& out);

}  // namespace elodyn
