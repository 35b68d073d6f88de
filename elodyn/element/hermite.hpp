// Shape functions of a straight beam on ξ = x/L ∈ [0, 1].
//   deflection: Hermite of degree 3 (v, v' at each end) or 5 (v, v', v'');
//   shear-flexible: Φ = 12 EI/(kGA L²), the deflection and section angle that solve the unloaded Timoshenko beam
//   [FriedmanKosmatka1993]; Φ = 0 is the cubic Hermite with section angle v';
//   axial and torsion: linear, plus the bubbles 4ξ(1−ξ) and 6√3·ξ(1−ξ)(1−2ξ)  (largest value 1) for degree 2 and 3.
// Derivatives are with respect to x.
#pragma once

#include <array>
#include <cmath>

#include "elodyn/base/error.hpp"

namespace elodyn {

// Values and x-derivatives of the functions of one field.
template <int Max, class S = double>
struct ShapeValues {
  int n = 0;
  std::array<S, Max> f{}, d1{}, d2{};

  // Adds the polynomial c₀ + c₁ξ + … c₅ξ⁵ times `scale`, a power of L; derivatives with respect to x = Lξ.
  // X: the scalar of ξ, which elements of different length may have in common.
  template <class X>
  void put(const std::array<int, 6>& c, const S& scale, const X& xi, const S& inverse_L) {
    X value = 0, first = 0, second = 0;
    int degree = 5;
    while (degree > 0 && c[static_cast<size_t>(degree)] == 0) --degree;
    for (int k = degree; k >= 0; --k) {
      second = second * xi + X(2) * first;
      first = first * xi + value;
      value = value * xi + X(c[static_cast<size_t>(k)]);
    }
    const auto i = static_cast<size_t>(n++);
    f[i] = scale * S(value);
    d1[i] = scale * inverse_L * S(first);
    d2[i] = scale * inverse_L * inverse_L * S(second);
  }
};

// Order: v₁, v₁', [v₁''], v₂, v₂', [v₂''].
template <class S, class X>
ShapeValues<6, S> hermite(int degree, const X& xi, const S& L) {
  ShapeValues<6, S> s;
  const S one = 1, per_L = one / L;
  if (degree == 3) {
    s.put({1, 0, -3, 2, 0, 0}, one, xi, per_L);
    s.put({0, 1, -2, 1, 0, 0}, L, xi, per_L);
    s.put({0, 0, 3, -2, 0, 0}, one, xi, per_L);
    s.put({0, 0, -1, 1, 0, 0}, L, xi, per_L);
    return s;
  }
  ELODYN_REQUIRE(degree == 5);
  const S square = L * L / S(2);
  s.put({1, 0, 0, -10, 15, -6}, one, xi, per_L);
  s.put({0, 1, 0, -6, 8, -3}, L, xi, per_L);
  s.put({0, 0, 1, -3, 3, -1}, square, xi, per_L);
  s.put({0, 0, 0, 10, -15, 6}, one, xi, per_L);
  s.put({0, 0, 0, -4, 7, -3}, L, xi, per_L);
  s.put({0, 0, 0, 1, -2, 1}, square, xi, per_L);
  return s;
}

// Deflection f with slope d1, section angle r with curvature dr; order as hermite().
template <class S = double>
struct BendingShape {
  int n = 0;
  std::array<S, 6> f{}, d1{}, r{}, dr{};
};
template <class S, class X>
BendingShape<S> bending_shape(int degree, const X& at, const S& L, const S& Phi) {
  BendingShape<S> s;
  const ShapeValues<6, S> H = hermite(degree, at, L);
  s.n = H.n;
  if (Phi == S(0)) {
    s.f = H.f;
    s.d1 = s.r = H.d1;
    s.dr = H.d2;
    return s;
  }
  ELODYN_REQUIRE(degree == 3);
  const S xi(at), weight = S(1) / (S(1) + Phi), half = Phi / S(2), rest = S(1) - xi, bow = half * L * xi * rest,
                  slope = half * (rest - xi);
  // Hermite plus Φ times the shear deflection at constant shear, over 1 + Φ.
  const std::array<S, 4> shear_f = {Phi * rest, bow, Phi * xi, -bow}, shear_d1 = {-Phi / L, slope, Phi / L, -slope},
                         shear_r = {S(0), Phi * rest, S(0), Phi * xi}, shear_dr = {S(0), -Phi / L, S(0), Phi / L};
  for (size_t i = 0; i < 4; ++i) {
    s.f[i] = weight * (H.f[i] + shear_f[i]);
    s.d1[i] = weight * (H.d1[i] + shear_d1[i]);
    s.r[i] = weight * (H.d1[i] + shear_r[i]);
    s.dr[i] = weight * (H.d2[i] + shear_dr[i]);
  }
  return s;
}

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
BendingShape<double> tapered_bending_shape(double xi, double L, const TaperFlexibility& at_x,
                                           const TaperFlexibility& at_end);

// Order: end 1, end 2, bubbles.
template <class S, class X>
ShapeValues<4, S> lagrange_with_bubbles(int degree, const X& xi, const S& L) {
  using std::sqrt;
  const S per_L = S(1) / L;
  ELODYN_REQUIRE(degree >= 1 && degree <= 3);
  ShapeValues<4, S> s;
  s.put({1, -1, 0, 0, 0, 0}, S(1), xi, per_L);
  s.put({0, 1, 0, 0, 0, 0}, S(1), xi, per_L);
  if (degree >= 2) s.put({0, 4, -4, 0, 0, 0}, S(1), xi, per_L);
  if (degree >= 3) s.put({0, 1, -3, 2, 0, 0}, S(6) * sqrt(S(3)), xi, per_L);
  return s;
}

}  // namespace elodyn
