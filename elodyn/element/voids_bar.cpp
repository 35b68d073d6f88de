// Straight bar along the body's x axis of a material with voids (model/void_law.hpp); it moves along x alone.
//   u = Σ Nₐuₐ,  φ = Σ Nₐφₐ          linear, with bubbles up to cubic
//   e = (u'  φ  φ'),    C = A[E β 0; β ξ 0; 0 0 α],    viscosity Aτ of φ̇                                  (1)
//   inertia ρA of u, ρκA of φ
// E, β, ξ: of uniaxial stress (free sides), or λ + 2μ, β, ξ of uniaxial strain (held sides). Nothing bends, so there is
// no geometric stiffness. Dofs: u, φ at each end, then the bubbles of u, then those of φ.
#include <algorithm>

#include "elodyn/base/quadrature.hpp"
#include "elodyn/element/element.hpp"
#include "elodyn/element/hermite.hpp"

namespace elodyn {
namespace {

class VoidsBar final : public Element {
 public:
  std::string_view name() const override { return kVoidsBar; }
  std::string_view summary() const override { return "straight bar along x of a material with voids"; }
  int n_nodes() const override { return 2; }
  int n_dofs(const ElementData& data) const override { return 2 * (data.axial_degree + 1); }
  std::vector<std::string_view> strain_names(const ElementData&) const override { return {"axial", "voids", "voids"}; }

  void calc_stations(const ElementData& data, Stations& stations) const override {
    const double L = length(data);
    const Eigen::Index n = n_dofs(data);
    // Two fields of the bar's degree, and the area of a taper, which is quadratic.
    const auto& rule = gauss_rule(data.axial_degree + (data.taper ? 2 : 1));
    stations.resize(rule.size());
    for (size_t k = 0; k < rule.size(); ++k) {
      const Rows rows = calc_rows(data, rule[k].xi);
      const double A = data.section_at(rule[k].xi).A;
      Station& st = stations[k];
      st.weight = rule[k].weight * L;
      st.x = place(data, rule[k].xi);
      st.mass = data.density * A;
      st.sigma.setZero();
      st.N.setZero(3, n);
      st.N.row(0) = rows.u;
      st.N_theta.setZero(3, n);
      st.R_theta.setZero(3, n);
      st.B.resize(3, n);
      st.B << rows.du, rows.phi, rows.dphi;
      st.stiffness = A * calc_law(data);
      st.viscosity.resize(0, 0);
      if (data.voids.tau != 0) {
        st.viscosity.setZero(3, 3);
        st.viscosity(1, 1) = A * data.voids.tau;
      }
      st.thermal.setZero(3, 3);
      st.thermal.col(0) = data.expansion * calc_free(data);
      st.transport.clear();
      st.L.setZero(0, n);
      st.Psi.clear();
      st.N_phi = rows.phi;
      st.phi_mass = data.density * data.voids.kappa * A;
    }
  }

  void calc_prestress(const ElementData&, const ElementState&, VectorX& p) const override { p.resize(0); }

  void calc_placement(const ElementData& data, double xi, Matrix3X& N, Matrix3X& R_theta) const override {
    N.setZero(3, n_dofs(data));
    N.row(0) = calc_rows(data, xi).u;
    R_theta.setZero(3, n_dofs(data));
  }
  VectorX calc_phi(const ElementData& data, double xi) const override { return calc_rows(data, xi).phi.transpose(); }

  // By equilibrium: N(0) is minus the end force at node 1, and N' minus the force per length.
  std::vector<SectionForces> calc_section_forces(const ElementData& data, const ElementState& state,
                                                 const std::vector<double>& xis) const override {
    const double L = length(data), sign = data.nodes[1][0] > data.nodes[0][0] ? 1 : -1;
    std::vector<SectionForces> out;
    for (const double xi : xis) {
      double N = -sign * state.end_forces[0];
      for (const GaussPoint& point : gauss_rule(4)) {  // A, x and u are of degree 3 at most
        const double at = xi * point.xi, u = calc_rows(data, at).u * state.q;
        const Vec3 inertia = state.a + state.Bx * place(data, at) + state.Bu * Vec3(u, 0, 0);
        N -= sign * point.weight * xi * L * (state.load.force - data.density * data.section_at(at).A * inertia)[0];
      }
      out.push_back({xi * L, {N, 0, 0}, Vec3::Zero(), data.sides_held ? calc_across(data, state, xi) : 0});
    }
    return out;
  }

 private:
  struct Rows {
    Eigen::RowVectorXd u, du, phi, dphi;
  };

  static double length(const ElementData& data) { return (data.nodes[1] - data.nodes[0]).norm(); }
  static Vec3 place(const ElementData& data, double xi) { return (1 - xi) * data.nodes[0] + xi * data.nodes[1]; }
  static Mat3 calc_law(const ElementData& data) {
    const VoidLaw& v = data.voids;
    Mat3 C;
    C << data.young, v.beta, 0, v.beta, v.xi, 0, 0, 0, v.alpha;
    return C;
  }

  static Vec3 calc_free(const ElementData& data) { return {data.voids.free_strain, data.voids.free_phi, 0}; }

  // σ₂₂ = σ₃₃ = σ₁₁ − 2μu'
  double calc_across(const ElementData& data, const ElementState& state, double xi) const {
    const Rows rows = calc_rows(data, xi);
    const Vec3 e(rows.du * state.q, rows.phi * state.q, rows.dphi * state.q);
    const Vec3 free = data.expansion * state.load.thermal[0] * calc_free(data);
    return calc_law(data).row(0).dot(e - free) - 2 * data.shear * e[0];
  }

  // Derivatives by x, whichever way the element runs.
  Rows calc_rows(const ElementData& data, double xi) const {
    const double sign = data.nodes[1][0] > data.nodes[0][0] ? 1 : -1;
    const ShapeValues<4> shape = lagrange_with_bubbles(data.axial_degree, xi, length(data));
    const Eigen::Index n = n_dofs(data), bubbles = data.axial_degree - 1;
    Rows rows{Eigen::RowVectorXd::Zero(n), Eigen::RowVectorXd::Zero(n), Eigen::RowVectorXd::Zero(n),
              Eigen::RowVectorXd::Zero(n)};
    for (Eigen::Index a = 0; a < shape.n; ++a) {
      const auto i = static_cast<size_t>(a);
      const Eigen::Index of_u = a < 2 ? 2 * a : 2 + a, of_phi = a < 2 ? 2 * a + 1 : 2 + bubbles + a;
      rows.u[of_u] = rows.phi[of_phi] = shape.f[i];
      rows.du[of_u] = rows.dphi[of_phi] = sign * shape.d1[i];
    }
    return rows;
  }
};

}  // namespace

std::unique_ptr<const Element> make_voids_bar() { return std::make_unique<VoidsBar>(); }

}  // namespace elodyn
