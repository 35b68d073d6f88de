// Every formalism on the same model: how far they are apart, what they cost, and why some do not apply.
//   terms:        max |d (X − X₀) d| / max |d X₀ d| over each family (M, K, all Gᵢ, …), d = diag(M)^-½, X₀ by the
//                 default formalism; loads the same with one d. Bound 1e-12.
//   frequencies:  max |λ − λ₀| / |λ₀|
//   trajectory:   max |d⁻¹(z − z₀)| / max |d⁻¹z₀| over a short motion that starts from the undeformed body with the
//                 velocities of its lowest modes, about as fast as its loads make it. Bound 1e-8, or 1e-3 where the
//                 time integration itself is not that accurate, which it is asked for with larger steps
// The prestress of Kg comes from a static solve that amplifies round-off: Kg is shown, the matrices Γ are judged.
// The canonical equations of the body are compared besides, in ṗ at one state: the form that is Hamilton's own.
// Maggi costs what its blocks cost, and the projection; those that give only a motion derive nothing of their own.
// Operations are counted by running the same derivation on numbers that count; the time is that of plain numbers.
#pragma once

#include <string>

#include "elodyn/model/model.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

inline constexpr double kAgreement = 1e-12;  // of the terms
// Round-off of fine meshes (n⁴ε) and of nearly equal eigenvalues (√ε) stays below; a wrong term does not.
inline constexpr double kSameFrequencies = 1e-5;
inline constexpr double kSameTrajectory = 1e-8;  // integrated to about 1e-10
// Where the integration is less accurate, as far as its own error allows.
inline constexpr double kWorstTrajectory = 1e-3;

struct TrajectoryBound {
  double value = kSameTrajectory;  // infinite: nothing can be said
  std::string note;                // why it is not that; empty if it is
};
// uncertainty: of the reference trajectory, by integrating it with other steps, with a margin for the others;
// growth: by how much the fastest growing part of the motion grows.
TrajectoryBound find_trajectory_bound(double uncertainty, double growth);

// Fills results.formalisms and the tables "formalisms", "terms" and "operations". Outcome "disagree" beyond the bounds
// above.
Results run_compare(const Model& model);

}  // namespace elodyn
