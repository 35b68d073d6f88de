// Shape functions of a straight beam on ξ = x/L ∈ [0, 1].
//   deflection: Hermite of degree 3 (v, v' at each end) or 5 (v, v', v'');
//   shear-flexible: Φ = 12 EI/(kGA L²), the deflection and section angle that solve the unloaded Timoshenko beam
//   [FriedmanKosmatka1993]; Φ = 0 is the cubic Hermite with section angle v';
//   axial and torsion: linear, plus the bubbles 4ξ(1−ξ) and 6√3·ξ(1−ξ)(1−2ξ)  (largest value 1) for degree 2 and 3.
// Derivatives are with respect to x.
#pragma once

#include <array>

namespace elodyn {

// Values and x-derivatives of the functions of one field.
template <int Max>
struct ShapeValues {
  int n = 0;
  std::array<double, Max> f{}, d1{}, d2{};
};

// Order: v₁, v₁', [v₁''], v₂, v₂', [v₂''].
ShapeValues<6> hermite(int degree, double xi, double L);

// Deflection f with slope d1, section angle r with curvature dr; order as hermite().
struct BendingShape {
  int n = 0;
  std::array<double, 6> f{}, d1{}, r{}, dr{};
};
BendingShape bending_shape(int degree, double xi, double L, double Phi);

// Order: end 1, end 2, bubbles.
ShapeValues<4> lagrange_with_bubbles(int degree, double xi, double L);

}  // namespace elodyn
