// How a mode of a shaft goes round its axis of spin. Across the axis the displacement of a point, seen as a complex
// number p = u₁ + i u₂ of the plane, is the sum of two circles:
//   Re[(u₁, u₂) e^{iωt}]:   p = f e^{iωt} + b e^{−iωt},   f = (u₁ + i u₂)/2,   b̄ = (u₁ − i u₂)/2
// (the frame turns with +Ω). Seen from the ground f has the frequency ω + Ω and b the frequency |ω − Ω|: one frequency
// if one of the two is absent, as in a body that is symmetric about its axis; two otherwise. Rotations of sections
// about axes across that of the spin are vectors of the same plane and go round with the displacements. Limits: nodes
// are looked at; of one element clamped at both ends nothing is seen.
#pragma once

#include <complex>

#include "elodyn/system/system.hpp"

namespace elodyn {

struct Whirl {
  double forward = 0;     // share of Σ m|f|² in Σ m(|f|² + |b|²), in the frame that turns
  double transverse = 0;  // Σ m|u|² + Σ J|θ|² across the axis, as a share of x*Mx

  bool moves_across() const { return transverse > 1e-3; }
  bool is_circular() const { return forward < 1e-3 || forward > 1 - 1e-3; }
  // Frequency seen from the ground, positive if it goes with the spin; NaN if there are two. Of a motion along the axis
  // or about it the same as in the frame.
  double seen_from_ground(double omega, double speed) const;
  // forward, backward, mixed or none: seen from the ground
  const char* name(double omega, double speed) const;
};

// Displacements and rotations of nodes with the masses and inertias that move with them.
class WhirlMeter {
 public:
  // `basis`: reduced coordinates of the body = basis·(coordinates of the vectors)
  WhirlMeter(const BodySystem& system, const MatrixX& basis);
  Whirl measure(const Eigen::VectorXcd& x) const;

 private:
  MatrixX first_, second_;  // of the nodes, along two axes across that of the spin, times √mass
  MatrixX M_;
};

}  // namespace elodyn
