#include "elodyn/element/hermite.hpp"

#include <cmath>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

// Polynomial with coefficients c₀ + c₁ξ + … c₅ξ⁵, scaled by a power of L; derivatives with respect to x = Lξ.
template <int Max>
void put(ShapeValues<Max>& s, const std::array<double, 6>& c, double scale, double xi, double L) {
  double f = 0, d1 = 0, d2 = 0;
  for (int k = 5; k >= 0; --k) {
    d2 = d2 * xi + 2 * d1;
    d1 = d1 * xi + f;
    f = f * xi + c[static_cast<size_t>(k)];
  }
  const auto i = static_cast<size_t>(s.n++);
  s.f[i] = scale * f;
  s.d1[i] = scale * d1 / L;
  s.d2[i] = scale * d2 / (L * L);
}

}  // namespace

ShapeValues<6> hermite(int degree, double xi, double L) {
  ShapeValues<6> s;
  if (degree == 3) {
    put(s, {1, 0, -3, 2, 0, 0}, 1, xi, L);
    put(s, {0, 1, -2, 1, 0, 0}, L, xi, L);
    put(s, {0, 0, 3, -2, 0, 0}, 1, xi, L);
    put(s, {0, 0, -1, 1, 0, 0}, L, xi, L);
    return s;
  }
  ELODYN_REQUIRE(degree == 5);
  put(s, {1, 0, 0, -10, 15, -6}, 1, xi, L);
  put(s, {0, 1, 0, -6, 8, -3}, L, xi, L);
  put(s, {0, 0, 1, -3, 3, -1}, L * L / 2, xi, L);
  put(s, {0, 0, 0, 10, -15, 6}, 1, xi, L);
  put(s, {0, 0, 0, -4, 7, -3}, L, xi, L);
  put(s, {0, 0, 0, 1, -2, 1}, L * L / 2, xi, L);
  return s;
}

BendingShape bending_shape(int degree, double xi, double L, double Phi) {
  BendingShape s;
  const ShapeValues<6> H = hermite(degree, xi, L);
  s.n = H.n;
  if (Phi == 0) {
    s.f = H.f;
    s.d1 = s.r = H.d1;
    s.dr = H.d2;
    return s;
  }
  ELODYN_REQUIRE(degree == 3);
  const double weight = 1 / (1 + Phi), half = Phi / 2;
  // Hermite plus Φ times the shear deflection at constant shear, over 1 + Φ.
  const std::array<double, 4> shear_f = {Phi * (1 - xi), half * L * xi * (1 - xi), Phi * xi, -half * L * xi * (1 - xi)},
                              shear_d1 = {-Phi / L, half * (1 - 2 * xi), Phi / L, -half * (1 - 2 * xi)},
                              shear_r = {0, Phi * (1 - xi), 0, Phi * xi}, shear_dr = {0, -Phi / L, 0, Phi / L};
  for (size_t i = 0; i < 4; ++i) {
    s.f[i] = weight * (H.f[i] + shear_f[i]);
    s.d1[i] = weight * (H.d1[i] + shear_d1[i]);
    s.r[i] = weight * (H.d1[i] + shear_r[i]);
    s.dr[i] = weight * (H.d2[i] + shear_dr[i]);
  }
  return s;
}

BendingShape tapered_bending_shape(double xi, double L, const TaperFlexibility& x, const TaperFlexibility& e) {
  BendingShape shape;
  shape.n = 4;
  const double at = xi * L;
  // M₁ and Q from θ₂ − θ₁ = M₁I₀ + Q I₁ and v₂ − v₁ − θ₁L = M₁J₀ + Q(J₁ − S), at the end.
  const double K1 = e.J1 - e.S, det = e.I0 * K1 - e.I1 * e.J0;
  const std::array<double, 4> turn = {0, -1, 0, 1}, move = {-1, -L, 1, 0};  // by v₁, θ₁, v₂, θ₂
  for (size_t i = 0; i < 4; ++i) {
    const double M1 = (K1 * turn[i] - e.I1 * move[i]) / det, Q = (e.I0 * move[i] - e.J0 * turn[i]) / det;
    const double v1 = i == 0 ? 1 : 0, theta1 = i == 1 ? 1 : 0;
    shape.f[i] = v1 + theta1 * at + M1 * x.J0 + Q * (x.J1 - x.S);
    shape.r[i] = theta1 + M1 * x.I0 + Q * x.I1;
    shape.dr[i] = (M1 + Q * at) * x.bending;
    shape.d1[i] = shape.r[i] - Q * x.shear;
  }
  return shape;
}

ShapeValues<4> lagrange_with_bubbles(int degree, double xi, double L) {
  ELODYN_REQUIRE(degree >= 1 && degree <= 3);
  ShapeValues<4> s;
  put(s, {1, -1, 0, 0, 0, 0}, 1, xi, L);
  put(s, {0, 1, 0, 0, 0, 0}, 1, xi, L);
  if (degree >= 2) put(s, {0, 4, -4, 0, 0, 0}, 1, xi, L);
  if (degree >= 3) put(s, {0, 1, -3, 2, 0, 0}, 6 * std::sqrt(3.0), xi, L);
  return s;
}

}  // namespace elodyn
