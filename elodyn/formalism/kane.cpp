// Kane's equations: generalized active and inertia forces balance for every generalized speed q̇ᵣ,
//   Fᵣ + Fᵣ* = 0,   Fᵣ* = −Σ m vᵣ·a,   Fᵣ = Σ vᵣ·f − ∫ ėᵣ·σ − Σⱼ pⱼ ∫ η̇ⱼᵣ,                                 (1)
// with the partial velocities vᵣ = ∂v/∂q̇ᵣ and partial strain rates ėᵣ = ∂ė/∂q̇ᵣ, η̇ⱼᵣ = ∂η̇ⱼ/∂q̇ᵣ. The generating
// quantity is the velocity vector of the material of a station,
//   v = v_O + ω × r + ṙ,   r = x + u or Λs to second order (matter.hpp),                                 (2)
// a polynomial in (y, ẏ; w, v_O), y = (u, θ). It is differentiated by ẏ for the partial velocities and in time for the
// acceleration (of a scalar field: the partial rate of φ, and φ̈), a = v̇ + ω × v with v̇_O = a_O − ω × v_O; no formula
// for a is used. ∂/∂q̇ = [N; Nθ]ᵀ ∂/∂ẏ. Partial velocities are kept to first order in y until they have met the
// acceleration: linearised before, they lose the section's second-order stiffness, and η̇ⱼᵣ = Lᵀ Ψⱼ L q loses the
// geometric stiffness. [Kane1987]
#include "elodyn/formalism/congruence.hpp"
#include "elodyn/formalism/describe.hpp"
#include "elodyn/formalism/element_formalism.hpp"
#include "elodyn/formalism/matter.hpp"

namespace elodyn {
namespace {

template <class S>
PolynomialVector<S> calc_acceleration(const MovingFrame<S>& frame, const Particle<S>& particle,
                                      const PolynomialVector<S>& v) {
  PolynomialSums<S> sum = make_sums<S>(1);
  for (size_t k = 0; k < 3; ++k) sum[k].add(frame.rate(v[k]));
  if (!particle.is_scalar) add_cross(frame.omega(), v, sum, S(1));
  return take(sum);
}

template <class S>
void add_inertia_forces(const Matter<S>& matter, const S& weight, const MotionBasis& basis, const MovingFrame<S>& frame,
                        BasicElementTerms<S>& t) {
  const int n = static_cast<int>(matter.active.size());
  std::vector<BasicPolynomialSum<S>> rows(static_cast<size_t>(n), BasicPolynomialSum<S>(1));
  for (const Particle<S>& particle : matter.particles) {
    const PolynomialVector<S> v = calc_velocity(frame, particle), a = calc_acceleration(frame, particle, v);
    for (int r = 0; r < n; ++r)
      for (size_t k = 0; k < 3; ++k)
        rows[static_cast<size_t>(r)].add_product(derivative(v[k], speed(r)), a[k], particle.mass);
  }
  LocalEquation<S> equation(basis, n);
  for (int r = 0; r < n; ++r) equation.read(r, rows[static_cast<size_t>(r)].take());
  equation.add_to(t, matter, weight);
}

template <class S>
void add_active_forces(const BasicStation<S>& st, const MotionBasis& basis, BasicElementTerms<S>& t) {
  // e = B q: the partial strain rates are the columns of B. Stress σ = C (e − ΘT) + c (ė + Σ ωₖ Tₖ q).
  if (st.B.rows() > 0) {
    add_congruence(st.weight, st.B, st.stiffness, st.B, t.K);
    if (st.thermal.rows() > 0)
      add_transposed(st.weight, st.B, MatrixOf<S>(st.stiffness.lazyProduct(st.thermal)), t.member_load.rightCols(3));
    if (st.viscosity.rows() > 0) add_congruence(st.weight, st.B, st.viscosity, st.B, t.D);
    for (size_t i = 0; i < t.N.size(); ++i) {
      MatrixOf<S> transport = MatrixOf<S>::Zero(st.B.rows(), st.B.cols());
      for (size_t k = 0; k < st.transport.size(); ++k)
        transport += S(basis.axes[i][static_cast<Eigen::Index>(k)]) * st.transport[k];
      if (st.viscosity.rows() > 0) add_congruence(st.weight, st.B, st.viscosity, transport, t.N[i]);
    }
  }
  // η̇ = (L q)·Ψ (L q̇), to first order in q
  for (size_t j = 0; j < st.Psi.size(); ++j)
    if (st.Psi[j].size() > 0) add_congruence(st.weight, st.L, st.Psi[j], st.L, t.Gamma[j]);
  t.member_load.leftCols(3).noalias() += st.weight * st.N.transpose();             // ∂u̇/∂q̇ᵣ · f
  t.member_load.middleCols(3, 3).noalias() += st.weight * st.R_theta.transpose();  // partial angular velocities · c
}

struct Kane {
  static constexpr std::string_view kName = "kane";
  static constexpr std::string_view kSummary = "partial velocities times inertia and active forces";

  template <class S>
  static void derive(const BasicStations<S>& stations, int n, const MotionBasis& basis, BasicElementTerms<S>& t) {
    const MovingFrame<S> frame(basis);
    Matter<S> matter;
    t.reset(stations, n, basis);
    for (const BasicStation<S>& st : stations) {
      calc_matter(st, basis.origin, matter);
      add_inertia_forces(matter, st.weight, basis, frame, t);
      if (calc_scalar_matter(st, matter)) add_inertia_forces(matter, st.weight, basis, frame, t);
      add_active_forces(st, basis, t);
    }
  }

  static Description describe(const BasicStation<Symbolic>& station, const MotionBasis& basis) {
    StationWriter writer(station, basis);
    int n_directors = 0;
    for (const Particle<Symbolic>& particle : writer.matter().particles) {
      const std::string of = particle.feels_origin ? "" : std::to_string(++n_directors);  // the point, the directors
      const std::string mark = of.empty() ? "" : "^{(" + of + ")}";
      const PolynomialVector<Symbolic> v = calc_velocity(writer.frame(), particle);
      writer.add("m" + of, "m" + mark, particle.mass);
      writer.add_vector("v" + of, "v" + mark, v);
      for (int r = 0; r < static_cast<int>(writer.matter().active.size()); ++r) {
        PolynomialVector<Symbolic> partial;
        for (size_t k = 0; k < 3; ++k) partial[k] = derivative(v[k], speed(r));
        if (partial[0].terms().empty() && partial[1].terms().empty() && partial[2].terms().empty()) continue;
        writer.add_vector("dv" + of + "/d" + writer.name(r, 1),
                          "\\partial v" + mark + "/\\partial " + writer.latex(r, 1), partial);
      }
    }
    writer.add_stresses();
    return {{"", "F_r + F_r* = 0,  F_r* = -sum m v_r.a,  v_r = dv/dq_r',  a = dv/dt + omega x v", "",
             "F_r + F_r^* = 0, \\quad F_r^* = -\\sum m\\,v_r\\cdot a, \\quad v_r = \\frac{\\partial v}{\\partial\\dot "
             "q_r}, "
             "\\quad a = \\dot v + \\omega\\times v"},
            {"v", "v_O + omega x r + r' of the point, v1, v2, v3 = omega x d + d' of the section's directors d", "v",
             "v_O + \\omega\\times r + \\dot r \\text{ of the point}, \\quad v^{(k)} = \\omega\\times d_k + \\dot d_k "
             "\\text{ of the section's directors}"},
            writer.take()};
  }
};

}  // namespace

std::unique_ptr<const Formalism> make_kane() { return std::make_unique<ElementFormalism<Kane>>(); }

}  // namespace elodyn
