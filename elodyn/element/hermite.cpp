#include "elodyn/element/hermite.hpp"

namespace elodyn {

BendingShape<double> tapered_bending_shape(double xi, double L, const TaperFlexibility& x, const TaperFlexibility& e) {
  BendingShape<double> shape;
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

}  // namespace elodyn
