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

// Integrals from 0 to x = ξL along a beam whose bending flexibility b = 1/EI and shear flexibility c = 1/kGA change:
//   I₀ = ∫b, I₁ = ∫s b, J₀ = ∫(x−s)b, J₁ = ∫(x−s)s b, S = ∫c;  b and c at x itself.
struct TaperFlexibility {
  double I0 = 0, I1 = 0, J0 = 0, J1 = 0, S = 0;
  double bending = 0, shear = 0;
  void add(double s, double rest, double ds, double b, double c) {
    I0 += ds * b;
    I1 += ds * s * b;
    J0 += ds * rest * b;
    J1 += ds * rest * s * b;
    S += ds * c;
  }
};
// The functions of bending_shape() for such a beam without load: moment M₁ + Q s, shear force −Q,
//   θ = θ₁ + M₁I₀ + Q I₁,  v = v₁ + θ₁x + M₁J₀ + Q(J₁ − S).  With constant b and c they are those with Φ.
BendingShape tapered_bending_shape(double xi, double L, const TaperFlexibility& at_x, const TaperFlexibility& at_end);

// Order: end 1, end 2, bubbles.
ShapeValues<4> lagrange_with_bubbles(int degree, double xi, double L);

}  // namespace elodyn
