// Whittaker's reduction: the energy integral takes the place of time, and one coordinate that of the clock.
//   L = ½ q̇·Mq̇ + q̇·(Cq + g) − V_e,   V_e = ½ q·Kq − f·q,   M q̈ + 2C q̇ + K q = f                           (1)
//   h = ½ q̇·Mq̇ + V_e = const                                                                               (2)
// With τ = q₁, d = (1, q₂′ … qₙ′), ′ = d/dτ, a = d·Md and b = d·(Cq + g), (2) gives τ̇ = √(2(h − V_e)/a), and
//   L*(τ, q, q′) = ∂(L(q, d τ̇))/∂τ̇ = √(2(h − V_e) a) + b,                                                  (3)
//   d/dτ ∂L*/∂qᵢ′ − ∂L*/∂qᵢ = 0, i = 2 … n,          t = ∫ dτ/τ̇.                                            (4)
// n − 1 equations of second order and a quadrature: one equation less, not one degree of freedom less. A constant g is
// a total derivative in L* too and drops out. h is Jacobi's integral, not the energy, when the frame moves.
// Source: [Whittaker1937], chapter III. Theory and measurements: docs/theory/whittaker.md.
// Limits: all of (1) constant. τ must run one way; see integrate_whittaker for what is done when it would turn.
#pragma once

#include <utility>
#include <vector>

#include "elodyn/base/dual.hpp"
#include "elodyn/base/types.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn {

// The constants of (1), without g.
struct ConservativeSystem {
  MatrixX M;  // symmetric, positive
  MatrixX C;  // skew: half of what multiplies q̇
  MatrixX K;  // symmetric: elastic, centrifugal and geometric; of any sign
  VectorX f;

  double calc_potential(const VectorX& q) const { return 0.5 * q.dot(K * q) - f.dot(q); }
  double calc_energy(const VectorX& q, const VectorX& rate) const;  // (2)
  VectorX calc_acceleration(const VectorX& q, const VectorX& rate) const;
};

// (3) as a function of V_e, a and b; S: double, or a dual number that carries the derivatives.
template <class S>
S calc_reduced_lagrangian(double h, const S& V, const S& a, const S& b) {
  using std::sqrt;
  return sqrt(S(2.0) * (S(h) - V) * a) + b;
}

// (4) of one system with one h. L* is differentiated by nested dual numbers; V_e, a and b, quadratic forms, enter
// them with their exact first and second slopes.
class WhittakerEquations {
 public:
  WhittakerEquations(ConservativeSystem system, double h) : system_(std::move(system)), h_(h) {}

  // At (q, q′): q has n entries, τ is the first; slopes, curvatures and results have n − 1.
  struct Derivatives {
    double tau_rate = 0;  // τ̇ of (2)
    VectorX by_q;         // ∂L*/∂qᵢ
    VectorX along;        // (∂/∂τ + Σ qⱼ′ ∂/∂qⱼ) ∂L*/∂qᵢ′
    MatrixX by_slopes;    // ∂²L*/∂qᵢ′∂qⱼ′, positive
  };
  // False where h ≤ V_e: the motion cannot be there.
  bool calc_derivatives(const VectorX& q, const VectorX& slopes, Derivatives& out) const;
  // The left-hand side of (4) for any q″.
  VectorX calc_residual(const VectorX& q, const VectorX& slopes, const VectorX& curvatures) const;
  // q″ from (4), and τ̇; false as above.
  bool calc_curvatures(const VectorX& q, const VectorX& slopes, VectorX& curvatures, double& tau_rate) const;

  const ConservativeSystem& system() const { return system_; }
  double h() const { return h_; }

 private:
  ConservativeSystem system_;
  double h_;
};

// The motion at the times, from (q, q̇) at the first. Coordinates are the modes of K, without dimension and turned so
// that at the start of each leg the velocity points along the first axis: then q′ = 0 there. When |q′| exceeds 1 (τ̇
// has fallen to 1/√2 of the speed) the axis is chosen again. So τ never turns, unless all coordinates turn at once,
// h = V_e (a brake point): there the motion stops, and says so. `steps` are those of τ, on all legs.
Trajectory integrate_whittaker(const ConservativeSystem& system, const VectorX& q, const VectorX& rate,
                               const std::vector<double>& times);

// (1) of a body that Whittaker does not refuse, in its reduced coordinates.
ConservativeSystem make_conservative_system(const BodySystem& system, double t);

}  // namespace elodyn
