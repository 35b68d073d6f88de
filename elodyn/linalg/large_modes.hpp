// Modes of (λ²M + λC + K) φ = 0 of more unknowns than full matrices can serve and where nothing is definite: those near
// a shift (linalg/krylov.hpp), their place on the axes, better vectors for double roots, and the index that proves of a
// conservative system that no growing one is missed.
#pragma once

#include "elodyn/linalg/known_modes.hpp"

namespace elodyn {

// The lowest, the known ones among them; vectors are scaled.
void solve_large(const QuadraticProblem& problem, const KnownModes& known, int count, QuadraticModes& out);

// `count` modes nearest to the problem's target, and the known ones wherever they lie; vectors are scaled.
QuadraticModes solve_near_target(const QuadraticProblem& problem, const KnownModes& known, int count);

}  // namespace elodyn
