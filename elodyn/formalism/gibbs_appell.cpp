// The Gibbs–Appell equations in the form of Gauss: the accelerations make
//   Z = S + ∫σ·ë + Σⱼ pⱼ ∫η̈ⱼ − f·ü − c·ϑ̈                                                               (1)
// stationary, ∂Z/∂q̈ = 0, with the energy of accelerations
//   S = ½ Σ m |a|²,   a = a_O + ε × r + ω × (ω × r) + 2 ω × ṙ + r̈,   r = x + u or Λs (matter.hpp).         (2)
// q and q̇ are held fixed. r is kept to second order, so the coefficient of ÿ in a depends on y: what it multiplies in
// |a|² is of order zero, and linearising a before S is differentiated would lose the section's second-order stiffness.
// One differentiation by ÿ, y = (u, θ), exact on polynomials, gives all rows; ∂/∂q̈ = [N; Nθ]ᵀ ∂/∂ÿ. Parts of S without
// ÿ do not matter and are not formed.
// A scalar field brings ½ m φ̈² to S.
// The power terms of (1) are differentiated by dual numbers: ∂/∂ë of σ·ë with σ = C (e − ΘT) + c ζ, and ∂/∂g̈ of
//   η̈ⱼ = g̈·Ψⱼ g + ġ·Ψⱼ ġ,   g = L q.                                                                    (3)
#include "elodyn/formalism/congruence.hpp"
#include "elodyn/formalism/describe.hpp"
#include "elodyn/formalism/element_formalism.hpp"
#include "elodyn/formalism/energy.hpp"
#include "elodyn/formalism/matter.hpp"

namespace elodyn {
namespace {

template <class S>
PolynomialVector<S> cross(const PolynomialVector<S>& a, const PolynomialVector<S>& b) {
  auto sum = make_sums<S>(2);
  add_cross(a, b, sum, S(1));
  return take(sum);
}

// The acceleration in two parts: what ÿ brings, and the rest.
template <class S>
struct Acceleration {
  PolynomialVector<S> by_second, rest;
};
template <class S>
Acceleration<S> calc_acceleration(const MovingFrame<S>& frame, const Particle<S>& particle) {
  const PolynomialVector<S> r_dot = frame.rate(particle.r), r_ddot = frame.rate(r_dot);
  auto with = make_sums<S>(2), without = make_sums<S>(2);
  for (size_t k = 0; k < 3; ++k) {
    for (const auto& term : r_ddot[k].terms()) {
      constexpr std::uint64_t any_second = (second(5).one() << second(5).bits) - second(0).one();
      auto& part = (term.powers & any_second) != 0 ? with[k] : without[k];
      part.add_term(term.powers, term.order, term.factor);
    }
    if (particle.feels_origin) without[k].add(frame.acceleration()[k]);
  }
  if (particle.is_scalar) return {take(with), take(without)};
  add_cross(frame.epsilon(), particle.r, without, S(1));
  add_cross(frame.omega(), cross(frame.omega(), particle.r), without, S(1));
  add_cross(frame.omega(), r_dot, without, S(2));
  return {take(with), take(without)};
}

// S without the square of the part that does not depend on ÿ.
template <class S>
BasicPolynomial<S> calc_acceleration_energy(const MovingFrame<S>& frame, const Matter<S>& matter) {
  BasicPolynomialSum<S> energy(2);
  for (const Particle<S>& particle : matter.particles) {
    const Acceleration<S> a = calc_acceleration(frame, particle);
    for (size_t k = 0; k < 3; ++k) {
      energy.add_product(a.by_second[k], a.by_second[k], S(0.5) * particle.mass);
      energy.add_product(a.by_second[k], a.rest[k], particle.mass);
    }
  }
  return energy.take();
}

template <class S>
void add_inertia(const Matter<S>& matter, const S& weight, const MotionBasis& basis, const MovingFrame<S>& frame,
                 BasicElementTerms<S>& t) {
  const BasicPolynomial<S> energy = calc_acceleration_energy(frame, matter);
  const int n = static_cast<int>(matter.active.size());
  LocalEquation<S> equation(basis, n);
  for (int r = 0; r < n; ++r) equation.read(r, derivative(energy, second(r)));
  equation.add_to(t, matter, weight);
}

// ẍ·(law x), differentiated by ẍ and by x.
template <class S>
MatrixOf<S> derive_power(const MatrixOf<S>& law) {
  const Eigen::Index n = law.rows(), m = law.cols();
  std::vector<Dual<Dual<S>>> z(static_cast<size_t>(n + m));
  const auto power = [&](const std::vector<Dual<Dual<S>>>& at) { return bilinear(at, 0, law, static_cast<size_t>(n)); };
  return second_partials(power, z, 0, n, static_cast<size_t>(n), m);
}

// Differentiates the power of the forces by accelerations, then by what the forces depend on.
template <class S>
void add_forces(const BasicStation<S>& st, const MotionBasis& basis, BasicElementTerms<S>& t) {
  if (st.B.rows() > 0) {
    add_congruence(st.weight, st.B, derive_power(st.stiffness), st.B, t.K);
    if (st.thermal.rows() > 0)  // −Z: a force
      add_transposed(st.weight, st.B, derive_power(MatrixOf<S>(st.stiffness.lazyProduct(st.thermal))),
                     t.member_load.rightCols(3));
  }
  if (st.viscosity.rows() > 0) {
    const MatrixOf<S> by_rates = st.weight * st.B.transpose() * derive_power(st.viscosity);
    t.D.noalias() += by_rates * st.B;
    for (size_t i = 0; i < t.N.size(); ++i)
      for (size_t k = 0; k < st.transport.size(); ++k)
        t.N[i].noalias() += S(basis.axes[i][static_cast<Eigen::Index>(k)]) * by_rates * st.transport[k];
  }
  for (size_t j = 0; j < st.Psi.size(); ++j)  // (3); ġ·Ψ ġ holds no acceleration
    if (st.Psi[j].size() > 0) add_congruence(st.weight, st.L, derive_power(st.Psi[j]), st.L, t.Gamma[j]);
  t.member_load.leftCols(3).noalias() += st.weight * st.N.transpose();
  t.member_load.middleCols(3, 3).noalias() += st.weight * st.R_theta.transpose();
}

struct GibbsAppell {
  static constexpr std::string_view kName = "gibbs_appell";
  static constexpr std::string_view kSummary = "energy of accelerations, differentiated once";

  template <class S>
  static void derive(const BasicStations<S>& stations, int n, const MotionBasis& basis, BasicElementTerms<S>& t) {
    const MovingFrame<S> frame(basis);
    Matter<S> matter;
    t.reset(stations, n, basis);
    for (const BasicStation<S>& st : stations) {
      calc_matter(st, basis.origin, matter);
      add_inertia(matter, st.weight, basis, frame, t);
      if (calc_scalar_matter(st, matter)) add_inertia(matter, st.weight, basis, frame, t);
      add_forces(st, basis, t);
    }
  }

  static Description describe(const BasicStation<Symbolic>& station, const MotionBasis& basis) {
    StationWriter writer(station, basis);
    writer.add("S", "S", calc_acceleration_energy(writer.frame(), writer.matter()));
    writer.add_stresses();
    return {
        {"", "dZ/dq'' = 0,  Z = S + int sigma.e'' + sum_j p_j int eta_j'' - f.u'' - c.theta''", "",
         "\\frac{\\partial Z}{\\partial\\ddot q} = 0, \\quad Z = S + \\int\\sigma\\cdot\\ddot e + "
         "\\sum_j p_j\\int\\ddot\\eta_j - f\\cdot\\ddot u - c\\cdot\\ddot\\theta"},
        {"S", "1/2 int rho |a|^2 (parts with q''),  a = a_O + epsilon x r + omega x (omega x r) + 2 omega x r' + r''",
         "S",
         "\\tfrac12\\int\\rho\\,|a|^2 \\text{ (parts with } \\ddot q), \\quad a = a_O + \\varepsilon\\times r + "
         "\\omega\\times(\\omega\\times r) + 2\\omega\\times\\dot r + \\ddot r"},
        writer.take()};
  }
};

}  // namespace

std::unique_ptr<const Formalism> make_gibbs_appell() { return std::make_unique<ElementFormalism<GibbsAppell>>(); }

}  // namespace elodyn
