// Planar Euler–Bernoulli and Rayleigh beam. Local axes: t along the element, n = ẑ × t.
//   u = Nu q,  v = Nv q,  rotation v';   e = (u', v''),  C = diag(EA, E Iz)                         (1)
//   η = ½ v'²  against the axial force  P(ξ) = p₀ + p₁ξ + p₂ξ²                                      (2)
// Rayleigh adds the section's inertia Σ = ρ diag(0, Iz, Iy) (local). Dofs: (u, v, rz[, kz]) at each end in body
// axes, then the axial bubbles. Theory: docs/theory/beams.md.
// Limits: straight, uniform, shear-rigid; strains small.
#include <cmath>
#include <memory>

#include "elodyn/base/quadrature.hpp"
#include "elodyn/element/element.hpp"
#include "elodyn/element/hermite.hpp"

namespace elodyn {
namespace {

constexpr int kPrestressShapes = 3;

struct LocalFrame {
  double L;
  Vec3 t, n;
};

LocalFrame local_frame(const ElementData& data) {
  const Vec3 d = data.nodes[1] - data.nodes[0];
  const double L = d.norm();
  const Vec3 t = d / L;
  return {L, t, Vec3::UnitZ().cross(t)};
}

// Rows of the local fields on the element's dofs.
struct Rows {
  Eigen::RowVectorXd u, du, v, dv, ddv;
};

void calc_rows(const ElementData& data, const LocalFrame& frame, double xi, Rows& rows) {
  const auto H = hermite(data.degree, xi, frame.L);
  const auto A = lagrange_with_bubbles(data.axial_degree, xi, frame.L);
  const int per_node = data.degree == 5 ? 4 : 3, per_end = H.n / 2;
  const int n = 2 * per_node + data.axial_degree - 1;
  for (auto* row : {&rows.u, &rows.du, &rows.v, &rows.dv, &rows.ddv}) row->setZero(n);
  for (int end = 0; end < 2; ++end) {
    const int c = end * per_node;
    const auto a = static_cast<size_t>(end);
    for (int k = 0; k < 2; ++k) {  // body components of the node's displacement
      rows.u[c + k] = A.f[a] * frame.t[k];
      rows.du[c + k] = A.d1[a] * frame.t[k];
      const auto h = static_cast<size_t>(end * per_end);
      rows.v[c + k] = H.f[h] * frame.n[k];
      rows.dv[c + k] = H.d1[h] * frame.n[k];
      rows.ddv[c + k] = H.d2[h] * frame.n[k];
    }
    for (int k = 1; k < per_end; ++k) {  // v', v''
      const auto h = static_cast<size_t>(end * per_end + k);
      const double sign = k == 2 ? data.kz_sign[a] : 1;
      rows.v[c + 1 + k] = sign * H.f[h];
      rows.dv[c + 1 + k] = sign * H.d1[h];
      rows.ddv[c + 1 + k] = sign * H.d2[h];
    }
  }
  for (int b = 2; b < A.n; ++b) {
    rows.u[2 * per_node + b - 2] = A.f[static_cast<size_t>(b)];
    rows.du[2 * per_node + b - 2] = A.d1[static_cast<size_t>(b)];
  }
}

class BeamPlanar final : public Element {
 public:
  BeamPlanar(std::string_view name, std::string_view summary, bool rotary)
      : name_(name), summary_(summary), rotary_(rotary) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  int n_nodes() const override { return 2; }
  int n_dofs(const ElementData& data) const override { return 2 * (data.degree == 5 ? 4 : 3) + data.axial_degree - 1; }
  std::vector<std::string_view> strain_names() const override { return {"axial", "bending"}; }

  void calc_stations(const ElementData& data, Stations& stations) const override {
    const LocalFrame frame = local_frame(data);
    const SectionProperties& sec = data.section;
    // Exact for products of two deflections, also with P(ξ) of degree 2: degree + 1 points.
    const auto& rule = gauss_rule(data.degree + 1);
    stations.resize(rule.size());
    Rows rows;
    for (size_t g = 0; g < rule.size(); ++g) {
      Station& st = stations[g];
      calc_rows(data, frame, rule[g].xi, rows);
      st.weight = rule[g].weight * frame.L;
      st.x = data.nodes[0] + rule[g].xi * frame.L * frame.t;
      st.mass = data.density * sec.A;
      st.sigma.setZero();
      if (rotary_ && data.rotary) {
        st.sigma = data.density * sec.Iz * frame.n * frame.n.transpose();
        st.sigma(2, 2) += data.density * sec.Iy;
      }
      st.N.noalias() = frame.t * rows.u + frame.n * rows.v;
      st.N_theta.setZero(3, rows.u.size());
      st.N_theta.row(2) = rows.dv;
      st.B.resize(2, rows.u.size());
      st.B.row(0) = rows.du;
      st.B.row(1) = rows.ddv;
      st.stiffness.setZero(2, 2);
      st.stiffness(0, 0) = data.young * sec.A;
      st.stiffness(1, 1) = data.young * sec.Iz;
      st.viscosity.resize(0, 0);
      st.L = rows.dv;
      st.Psi.resize(kPrestressShapes);
      for (int j = 0; j < kPrestressShapes; ++j)
        st.Psi[static_cast<size_t>(j)] = MatrixX::Constant(1, 1, std::pow(rule[g].xi, j));
    }
  }

  // P(0) is minus the end force along t at node 1; inside, P' = −b with b the axial force per length, linear in ξ.
  void calc_prestress(const ElementData& data, const ElementState& state, VectorX& p) const override {
    const LocalFrame frame = local_frame(data);
    const auto axial_load = [&](const Vec3& x) {
      return frame.t.dot(state.line_load - data.density * data.section.A * (state.a + state.Bx * x));
    };
    const double b0 = axial_load(data.nodes[0]), b1 = axial_load(data.nodes[1]) - b0;
    p.resize(kPrestressShapes);
    p[1] = -frame.L * b0;
    p[2] = -frame.L * b1 / 2;
    p[0] = state.own_load_only ? -p[1] - p[2] : -frame.t.head<2>().dot(state.end_forces.head<2>());
  }

  void calc_placement(const ElementData& data, double xi, Matrix3X& N) const override {
    const LocalFrame frame = local_frame(data);
    Rows rows;
    calc_rows(data, frame, xi, rows);
    N.noalias() = frame.t * rows.u + frame.n * rows.v;
  }

  // Equilibrium of the piece [0, s] from its left end; b: force per length, m: couple per length,
  //   N = N₀ − ∫b·t,  T = T₀ − ∫b·n,  M' = −T + P v' − m                                            (3)
  std::vector<SectionForces> calc_section_forces(const ElementData& data, const ElementState& state,
                                                 const std::vector<double>& xis) const override {
    const LocalFrame frame = local_frame(data);
    const double rhoA = data.density * data.section.A;
    const double couple = rotary_ && data.rotary ? -data.density * data.section.Iz * state.e[2] : 0;
    const Eigen::Vector2d end = state.end_forces.head<2>();
    const double N0 = -frame.t.head<2>().dot(end), T0 = -frame.n.head<2>().dot(end);
    const double M0 = -state.end_forces[2];
    Rows rows;
    const auto& rule = gauss_rule(data.degree + 1);
    // ∫₀^ξ b dx and its first moment, by a rule that is exact for the polynomial b.
    const auto force_integral = [&](double xi) {
      Vec3 sum = Vec3::Zero();
      for (const GaussPoint& g : rule) {
        const double at = xi * g.xi;
        calc_rows(data, frame, at, rows);
        const Vec3 u = frame.t * rows.u.dot(state.q) + frame.n * rows.v.dot(state.q);
        const Vec3 x = data.nodes[0] + at * frame.L * frame.t;
        sum += g.weight * xi * frame.L * (state.line_load - rhoA * (state.a + state.Bx * x + state.Bu * u));
      }
      return sum;
    };
    std::vector<SectionForces> out;
    for (const double xi : xis) {
      SectionForces f;
      f.s = xi * frame.L;
      const Vec3 b = force_integral(xi);
      f.N = N0 - frame.t.dot(b);
      f.T = T0 - frame.n.dot(b);
      f.M = M0;
      for (const GaussPoint& g : rule) {
        const double at = xi * g.xi, dx = g.weight * xi * frame.L;
        const double T = T0 - frame.n.dot(force_integral(at));
        double P = 0;
        for (int j = static_cast<int>(state.prestress.size()) - 1; j >= 0; --j) P = P * at + state.prestress[j];
        calc_rows(data, frame, at, rows);
        f.M += dx * (-T + P * rows.dv.dot(state.q) - couple);
      }
      out.push_back(f);
    }
    return out;
  }

 private:
  std::string_view name_, summary_;
  bool rotary_;
};

}  // namespace

std::unique_ptr<const Element> make_beam_euler_bernoulli() {
  return std::make_unique<BeamPlanar>("beam_euler_bernoulli", "straight beam, sections without rotary inertia", false);
}
std::unique_ptr<const Element> make_beam_rayleigh() {
  return std::make_unique<BeamPlanar>("beam_rayleigh", "straight beam with the rotary inertia of its sections", true);
}

}  // namespace elodyn
