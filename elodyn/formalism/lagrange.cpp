// Lagrange's equations of the second kind,
//   d/dt ∂T/∂q̇ − ∂T/∂q + ∂V/∂q + ∂F/∂q̇ = ∂W/∂q.                                                          (1)
// The generating quantity is the kinetic energy of the material of a station,
//   T = ½ Σ m |v|²,   v = v_O + ω × r + ṙ,   r = x + u or Λs to second order (matter.hpp),               (2)
// a polynomial in (y, ẏ; w, v_O), y = (u, θ), cut after second order in (y, ẏ). Both derivatives of (1) and the time
// derivative are taken exactly, and ∂/∂q = [N; Nθ]ᵀ ∂/∂y. Nothing is known of accelerations: Coriolis, Euler and
// centrifugal terms arise from d/dt ∂T/∂ẏ and −∂T/∂y together. The velocity of the origin stands in T and must cancel,
// with v̇_O = a − ω × v_O; that it does is checked for every station. A scalar field brings ½ m φ̇².
// V, F and W are differentiated twice by nested dual numbers (energy.hpp). Source: [Vlase2019] for the principle.
#include <stdexcept>

#include "elodyn/formalism/describe.hpp"
#include "elodyn/formalism/element_formalism.hpp"
#include "elodyn/formalism/energy.hpp"
#include "elodyn/formalism/matter.hpp"

namespace elodyn {
namespace {

template <class S>
BasicPolynomial<S> calc_kinetic_energy(const MovingFrame<S>& frame, const Matter<S>& matter) {
  BasicPolynomialSum<S> T(2);
  for (const Particle<S>& particle : matter.particles)
    for (const BasicPolynomial<S>& v : calc_velocity(frame, particle)) T.add_product(v, v, S(0.5) * particle.mass);
  return T.take();
}

bool is_round_off(double x, double scale) { return std::abs(x) <= 1e-12 * scale; }
bool is_round_off(const Counted& x, const Counted& scale) { return is_round_off(x.value(), scale.value()); }
bool is_round_off(const Symbolic& x, const Symbolic&) { return x.simplified().is_zero(); }
bool is_round_off(const Batch& x, const Batch& scale) {
  for (int k = 0; k < Batch::kLanes; ++k)
    if (!is_round_off(x.lane(k), scale.lane(k))) return false;
  return true;
}

// Axes are unit vectors, so a coefficient of v_O is a mass.
template <class S>
void require_no_origin_velocity(const BasicPolynomial<S>& left_side, const S& mass) {
  for (const auto& term : left_side.terms())
    for (int k = 0; k < 3; ++k)
      if (origin_v(k).power_in(term.powers) > 0 && !is_round_off(term.factor, mass))
        throw std::logic_error("the velocity of the origin does not cancel in Lagrange's equations");
}

template <class S>
void add_kinetic(const BasicStation<S>& st, const MotionBasis& basis, const MovingFrame<S>& frame,
                 const Matter<S>& matter, BasicElementTerms<S>& t) {
  const BasicPolynomial<S> T = calc_kinetic_energy(frame, matter);
  const int n = static_cast<int>(matter.active.size());
  LocalEquation<S> equation(basis, n);
  for (int r = 0; r < n; ++r) {
    BasicPolynomialSum<S> left_side(1);
    left_side.add(frame.rate(derivative(T, speed(r))));
    left_side.add(derivative(T, place(r)), S(-1));
    const BasicPolynomial<S> row = left_side.take();
    require_no_origin_velocity(row, st.mass);
    equation.read(r, row);
  }
  equation.add_to(t, matter, st.weight);
}

struct Lagrange {
  static constexpr std::string_view kName = "lagrange";
  static constexpr std::string_view kSummary = "d/dt of momenta minus derivatives of the kinetic energy";

  template <class S>
  static void derive(const BasicStations<S>& stations, int n, const MotionBasis& basis, BasicElementTerms<S>& t) {
    const MovingFrame<S> frame(basis);
    Matter<S> matter;
    t.reset(stations, n, basis);
    for (const BasicStation<S>& st : stations) {
      calc_matter(st, basis.origin, matter);
      add_kinetic(st, basis, frame, matter, t);
      if (calc_scalar_matter(st, matter)) add_kinetic(st, basis, frame, matter, t);
      add_forces_of_energies(st, basis, t);
    }
  }

  static Description describe(const BasicStation<Symbolic>& station, const MotionBasis& basis) {
    StationWriter writer(station, basis);
    writer.add("T", "T", calc_kinetic_energy(writer.frame(), writer.matter()));
    writer.add_potential();
    return {
        {"", "d/dt dT/dq' - dT/dq + dV/dq + dF/dq' = dW/dq", "",
         "\\frac{d}{dt}\\frac{\\partial T}{\\partial\\dot q} - \\frac{\\partial T}{\\partial q} + "
         "\\frac{\\partial V}{\\partial q} + \\frac{\\partial F}{\\partial\\dot q} = \\frac{\\partial W}{\\partial q}"},
        {"T", "1/2 int rho |v|^2,  v = v_O + omega x r + r'", "T",
         "\\tfrac12\\int\\rho\\,|v|^2, \\qquad v = v_O + \\omega\\times r + \\dot r"},
        writer.take()};
  }
};

}  // namespace

std::unique_ptr<const Formalism> make_lagrange() { return std::make_unique<ElementFormalism<Lagrange>>(); }

}  // namespace elodyn
