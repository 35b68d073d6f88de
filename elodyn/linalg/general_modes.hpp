// (λ²M + λC + K) φ = 0 for any C and K by all eigenvalues of an inverted first-order form, with full matrices; each
// value that is not as good as round-off lets it be is improved, and put on the axes that its spectrum is symmetric to.
#pragma once

#include "elodyn/linalg/scaled_known_modes.hpp"
#include "elodyn/linalg/symmetric_modes.hpp"

namespace elodyn {

// C with what modes are damped by, in the coordinates of s.
MatrixX scale_velocity_matrix(const QuadraticProblem& p, const ScaledMatrices& s);

// (A − σ)⁻¹ of the form in (q, q̇), from solves with Q(σ) = σ²M + σC + K. Both must live longer.
ShiftedInverse make_velocity_form(const ScaledMatrices& s, const MatrixX& C);

// The lowest ones besides the known, and all that grow; vectors are scaled.
void solve_general_fully(const ScaledMatrices& s, const MatrixX& C, const ScaledKnownModes& known,
                         const ShiftedInverse& first_order, Structure structure, int count, QuadraticModes& out);

}  // namespace elodyn
