// Modes that a free body has besides the elastic ones, and that eigensolvers find badly: double roots with one vector,
// which round-off splits by √ε. They are known beforehand; the rest is solved without them. Of a symmetric K:
//   apart   R with CR = MR c, CᵀR = MR cᵀ and KR = MR k: translations. Their λ are those of the small λ² + λc + k;
//           free in space and seen from a spin Ω: k = c²/4, λ = ±iΩ or 0, each twice.
//   cyclic  r with Kr = 0 and rᵀCr = 0: the turn about the axis of the spin, whose momentum is conserved. λ = 0 twice,
//           with the states (r, 0), (x, r), Kx = −Cr and the momenta (Cᵀr, Mr), (Mr + Cᵀy, My), Ky = −Cᵀr.
// The momenta W are orthogonal to the states of all other modes, so z − V(WᵀV)⁻¹Wᵀz takes the known ones V off.
// Source: Jordan chains of quadratic matrix polynomials [Lancaster1966]; a cyclic coordinate is Routh's.
// Limits: none are known where K is not symmetric (Euler terms, dashpots to the ground): their roots lie apart there.
#pragma once

#include "elodyn/linalg/eigen.hpp"

namespace elodyn {

struct KnownModes {
  MatrixX motions;  // M-orthonormal: those apart, then the cyclic ones
  Eigen::Index n_apart = 0;
  MatrixX states, momenta;  // columns (q, q̇); momentaᵀ·states = 1
  // One entry for a double root 0, two for another one.
  std::vector<std::complex<double>> values;
  Eigen::MatrixXcd vectors;
  bool has_zero = false;  // λ = 0 is among them: K is singular
  int n_negative = 0;     // of k

  bool empty() const { return motions.cols() == 0; }
  auto cyclic() const { return motions.rightCols(motions.cols() - n_apart); }
};

KnownModes find_known_modes(const QuadraticProblem& problem);

// The motions with KR = 0, M-orthonormal.
MatrixX find_null_motions(const QuadraticProblem& problem);

// Negative directions of K in the space of the other modes, where a cyclic r leaves K + Cr(Cr)ᵀ; C = −Cᵀ. Nothing if K
// is singular there.
std::optional<int> count_negative_besides(const QuadraticProblem& problem, const KnownModes& known);

}  // namespace elodyn
