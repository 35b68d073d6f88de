// Lagrange's equations of the second kind,
//   d/dt ∂T/∂q̇ − ∂T/∂q + ∂V/∂q + ∂F/∂q̇ = ∂W/∂q.                                                          (1)
// The generating quantity is the kinetic energy of the material of a station,
//   T = ½ Σ m |v|²,   v = v_O + ω × r + ṙ,   r = x + u or Λs to second order (matter.hpp),               (2)
// a polynomial in (y, ẏ; w, v_O), y = (u, θ), cut after second order in (y, ẏ). Both derivatives of (1) and the time
// derivative are taken exactly, and ∂/∂q = [N; Nθ]ᵀ ∂/∂y. Nothing is known of accelerations: Coriolis, Euler and
// centrifugal terms arise from d/dt ∂T/∂ẏ and −∂T/∂y together. The velocity of the origin stands in T and must cancel,
// with v̇_O = a − ω × v_O; that it does is checked for every station.
// V, F and W are differentiated twice by nested dual numbers (energy.hpp). Source: [Vlase2019] for the principle.
#include <memory>
#include <stdexcept>

#include "elodyn/formalism/energy.hpp"
#include "elodyn/formalism/matter.hpp"

namespace elodyn {
namespace {

Polynomial calc_kinetic_energy(const MovingFrame& frame, const Matter& matter) {
  PolynomialSum T(2);
  for (const Particle& particle : matter.particles)
    for (const Polynomial& v : calc_velocity(frame, particle)) T.add_product(v, v, 0.5 * particle.mass);
  return T.take();
}

// Axes are unit vectors, so a coefficient of v_O is a mass.
void require_no_origin_velocity(const Polynomial& left_side, double mass) {
  for (const Polynomial::Term& term : left_side.terms())
    for (int k = 0; k < 3; ++k)
      if (origin_v(k).power_in(term.powers) > 0 && std::abs(term.factor) > 1e-12 * mass)
        throw std::logic_error("the velocity of the origin does not cancel in Lagrange's equations");
}

void add_kinetic(const Station& st, const MotionBasis& basis, const MovingFrame& frame, Matter& matter,
                 ElementTerms& t) {
  calc_matter(st, basis.origin, matter);
  const Polynomial T = calc_kinetic_energy(frame, matter);
  const int n = static_cast<int>(matter.active.size());
  LocalEquation equation(basis, n);
  for (int r = 0; r < n; ++r) {
    PolynomialSum left_side(1);
    left_side.add(frame.rate(derivative(T, speed(r))));
    left_side.add(derivative(T, place(r)), -1);
    const Polynomial row = left_side.take();
    require_no_origin_velocity(row, st.mass);
    equation.read(r, row);
  }
  equation.add_to(t, matter, st.weight);
}

class Lagrange final : public Formalism {
 public:
  std::string_view name() const override { return "lagrange"; }
  std::string_view summary() const override { return "d/dt of momenta minus derivatives of the kinetic energy"; }
  Level level() const override { return Level::element; }

  void derive(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& t) const override {
    const MovingFrame frame(basis);
    Matter matter;
    reset_terms(stations, n, basis, t);
    for (const Station& st : stations) {
      add_kinetic(st, basis, frame, matter, t);
      add_forces_of_energies(st, basis, t);
    }
  }
};

}  // namespace

std::unique_ptr<const Formalism> make_lagrange() { return std::make_unique<Lagrange>(); }

}  // namespace elodyn
