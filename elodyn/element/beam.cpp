// Straight beam: Euler–Bernoulli, Rayleigh, Timoshenko, in the plane or in space. Local axes t along the element,
// n and b along the section's y and z; u, v, w and the section's rotation α, β, γ are local components.
//   e = (u', α', γ', −β', v' − γ, w' + β),  C = diag(EA, GJ, E Iz, E Iy, k_y GA, k_z GA)              (1)
//   η = ½(v'² + w'² + (Iy + Iz)/A α'²)  against the axial force  P(ξ) = Σ pⱼ ξʲ                       (2)
// (the last part: fibres beside the axis become helices when the beam twists [Wagner1936])
//   Σ = ρ(Iz n nᵀ + Iy b bᵀ)                                                                         (3)
// Without shear γ = v', β = −w'. Euler–Bernoulli: the mass of a section turns with α only; in the plane not at all.
// In the plane (t, n in xy, b = ẑ) only u, v, γ remain.
// Dofs: at each end displacement (u, v[, w]) and rotation ([rx, ry,] rz) in body axes, quintic: v''[, w''] in local
// axes; then the bubbles of u, then those of α.
// Theory: docs/theory/beams.md. Limits: straight; strains small; sections change little along the element if tapered
// (order 2 for the shear of a Timoshenko beam, whose shear force is constant in an element).
#include <algorithm>
#include <cmath>
#include <memory>

#include "elodyn/base/quadrature.hpp"
#include "elodyn/base/rotation.hpp"
#include "elodyn/element/batch_stations.hpp"
#include "elodyn/element/element.hpp"
#include "elodyn/element/hermite.hpp"
#include "elodyn/element/symbolic_element.hpp"

namespace elodyn {
namespace {

// Rows of the local fields on the element's dofs, x-derivatives marked d.
enum Field { kU, kDU, kV, kDV, kW, kDW, kAlpha, kDAlpha, kBeta, kDBeta, kGamma, kDGamma, kFields };
constexpr int kMostDofs = 20;  // quintic in space with two bubbles of u and of α
template <class S>
using RowsOf = Eigen::Matrix<S, kFields, Eigen::Dynamic, 0, kFields, kMostDofs>;
using Rows = RowsOf<double>;

constexpr int kTaperPoints = 8;  // of integrals along a tapered beam with shear: 1/EI is no polynomial

template <class S>
struct GeometryOf {
  S L{0};
  Mat3Of<S> axes;        // t, n, b
  S Phi_y{0}, Phi_z{0};  // 12 EI/(kGA L²) of the deflection along y, z
  // As in ElementData.
  std::array<std::array<S, 2>, 2> curvature_sign = {{{S(1), S(1)}, {S(1), S(1)}}};
  bool spatial = false;
  int translations = 2, rotations = 1, curvatures = 0;  // dofs of a node
  int per_node() const { return translations + rotations + curvatures; }
  Vec3Of<S> t() const { return axes.col(0); }
  Vec3Of<S> n() const { return axes.col(1); }
  Vec3Of<S> b() const { return axes.col(2); }
  void set_dofs(const ElementData& data) {
    spatial = data.dimension == 3;
    translations = spatial ? 3 : 2;
    rotations = spatial ? 3 : 1;
    curvatures = data.degree == 5 ? (spatial ? 2 : 1) : 0;
  }
};
using Geometry = GeometryOf<double>;

// What a section is made of.
template <class S>
struct PropertiesOf {
  S young, shear, density, expansion, A, Iy, Iz, J, shear_y, shear_z;
};
using Properties = PropertiesOf<double>;

Properties properties_at(const ElementData& data, double xi) {
  const SectionProperties s = data.section_at(xi);
  return {data.young, data.shear, data.density, data.expansion, s.A, s.Iy, s.Iz, s.J, s.shear_y, s.shear_z};
}

Geometry make_geometry(const ElementData& data, bool shear) {
  Geometry g;
  const Vec3 d = data.nodes[1] - data.nodes[0];
  g.L = d.norm();
  g.axes = make_beam_axes(d / g.L, data.orientation);
  g.set_dofs(data);
  g.curvature_sign = data.curvature_sign;
  if (shear) {
    const SectionProperties& s = data.section;
    g.Phi_y = 12 * data.young * s.Iz / (s.shear_y * data.shear * s.A * g.L * g.L);
    if (g.spatial) g.Phi_z = 12 * data.young * s.Iy / (s.shear_z * data.shear * s.A * g.L * g.L);
  }
  return g;
}

// Several elements of the same dofs, not tapered, side by side.
void join_lanes(const std::vector<ElementData>& lanes, bool shear, GeometryOf<Batch>& g, PropertiesOf<Batch>& p) {
  g.set_dofs(lanes.front());
  for (int lane = 0; lane < Batch::kLanes; ++lane) {
    const ElementData& data = lanes[static_cast<size_t>(lane)];
    const Geometry own = make_geometry(data, shear);
    const SectionProperties& s = data.section;
    g.L.set_lane(lane, own.L);
    put_lane(own.axes, lane, g.axes);
    g.Phi_y.set_lane(lane, own.Phi_y);
    g.Phi_z.set_lane(lane, own.Phi_z);
    for (size_t end = 0; end < 2; ++end)
      for (size_t k = 0; k < 2; ++k) g.curvature_sign[end][k].set_lane(lane, own.curvature_sign[end][k]);
    p.young.set_lane(lane, data.young);
    p.shear.set_lane(lane, data.shear);
    p.density.set_lane(lane, data.density);
    p.expansion.set_lane(lane, data.expansion);
    p.A.set_lane(lane, s.A);
    p.Iy.set_lane(lane, s.Iy);
    p.Iz.set_lane(lane, s.Iz);
    p.J.set_lane(lane, s.J);
    p.shear_y.set_lane(lane, s.shear_y);
    p.shear_z.set_lane(lane, s.shear_z);
  }
}

template <class S>
int count_dofs(const ElementData& data, const GeometryOf<S>& g) {
  return 2 * g.per_node() + (g.spatial ? 2 : 1) * (data.axial_degree - 1);
}

// Flexibilities of one bending plane at ξ, for the shape functions of a tapered beam with shear.
TaperFlexibility calc_flexibility(const ElementData& data, double xi, double L, bool along_y) {
  TaperFlexibility f;
  for (const GaussPoint& p : gauss_rule(kTaperPoints)) {
    const double s = xi * p.xi * L, rest = xi * L - s, dx = p.weight * xi * L;
    const SectionProperties section = data.section_at(xi * p.xi);
    const double bending = 1 / (data.young * (along_y ? section.Iz : section.Iy));
    const double shear = 1 / ((along_y ? section.shear_y : section.shear_z) * data.shear * section.A);
    f.add(s, rest, dx, bending, shear);
  }
  const SectionProperties here = data.section_at(xi);
  f.bending = 1 / (data.young * (along_y ? here.Iz : here.Iy));
  f.shear = 1 / ((along_y ? here.shear_y : here.shear_z) * data.shear * here.A);
  return f;
}

BendingShape<double> make_bending_shape(const ElementData& data, const Geometry& g, double xi, bool along_y) {
  const double Phi = along_y ? g.Phi_y : g.Phi_z;
  if (!data.taper || Phi == 0) return bending_shape(data.degree, xi, g.L, Phi);
  return tapered_bending_shape(xi, g.L, calc_flexibility(data, xi, g.L, along_y),
                               calc_flexibility(data, 1, g.L, along_y));
}

// Rows that are empty get their size and zeros; the zeros stay from station to station of an element.
template <class S>
void put_rows(const ElementData& data, const GeometryOf<S>& g, const BendingShape<S>& V, const BendingShape<S>& W,
              const ShapeValues<4, S>& A, RowsOf<S>& rows) {
  if (rows.cols() == 0) rows.setZero(kFields, count_dofs(data, g));
  const int first_rotation = g.spatial ? 0 : 2;  // in the plane only the one about z
  for (int end = 0; end < 2; ++end) {
    const auto a = static_cast<size_t>(end), h = static_cast<size_t>(end * V.n / 2);
    const int u = end * g.per_node(), r = u + g.translations, k = r + g.rotations;
    const auto put_v = [&](int column, size_t i, const S& factor) {
      rows(kV, column) = factor * V.f[i];
      rows(kDV, column) = factor * V.d1[i];
      rows(kGamma, column) = factor * V.r[i];
      rows(kDGamma, column) = factor * V.dr[i];
    };
    const auto put_w = [&](int column, size_t i, const S& factor) {  // β is minus the slope
      rows(kW, column) = factor * W.f[i];
      rows(kDW, column) = factor * W.d1[i];
      rows(kBeta, column) = -factor * W.r[i];
      rows(kDBeta, column) = -factor * W.dr[i];
    };
    for (int c = 0; c < g.translations; ++c) {
      rows(kU, u + c) = A.f[a] * g.axes(c, 0);
      rows(kDU, u + c) = A.d1[a] * g.axes(c, 0);
      put_v(u + c, h, g.axes(c, 1));
      if (g.spatial) put_w(u + c, h, g.axes(c, 2));
    }
    for (int c = 0; c < g.rotations; ++c) {
      const int axis = first_rotation + c;
      put_v(r + c, h + 1, g.axes(axis, 2));
      if (!g.spatial) continue;
      put_w(r + c, h + 1, S(-g.axes(axis, 1)));
      rows(kAlpha, r + c) = A.f[a] * g.axes(axis, 0);
      rows(kDAlpha, r + c) = A.d1[a] * g.axes(axis, 0);
    }
    if (g.curvatures > 0) put_v(k, h + 2, g.curvature_sign[a][0]);
    if (g.curvatures > 1) put_w(k + 1, h + 2, g.curvature_sign[a][1]);
  }
  int column = 2 * g.per_node();
  for (int b = 2; b < A.n; ++b, ++column) {
    rows(kU, column) = A.f[static_cast<size_t>(b)];
    rows(kDU, column) = A.d1[static_cast<size_t>(b)];
  }
  for (int b = 2; g.spatial && b < A.n; ++b, ++column) {
    rows(kAlpha, column) = A.f[static_cast<size_t>(b)];
    rows(kDAlpha, column) = A.d1[static_cast<size_t>(b)];
  }
}

void calc_rows(const ElementData& data, const Geometry& g, double xi, Rows& rows) {
  const BendingShape<double> V = make_bending_shape(data, g, xi, true);
  const BendingShape<double> W = g.spatial ? make_bending_shape(data, g, xi, false) : BendingShape<double>{};
  put_rows(data, g, V, W, lagrange_with_bubbles(data.axial_degree, xi, g.L), rows);
}

// Coefficients of the polynomial of degree 1 or 3 with the values f(0), …, f(1) at equal steps.
VectorX fit_polynomial(const VectorX& f) {
  VectorX c(f.size());
  if (f.size() == 2) {
    c << f[0], f[1] - f[0];
  } else {
    c << f[0], -5.5 * f[0] + 9 * f[1] - 4.5 * f[2] + f[3], 9 * f[0] - 22.5 * f[1] + 18 * f[2] - 4.5 * f[3],
        -4.5 * f[0] + 13.5 * f[1] - 13.5 * f[2] + 4.5 * f[3];
  }
  return c;
}

class Beam final : public Element {
 public:
  enum class Theory { euler_bernoulli, rayleigh, timoshenko };
  Beam(std::string_view name, std::string_view summary, Theory theory)
      : name_(name), summary_(summary), theory_(theory) {}

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  int n_nodes() const override { return 2; }
  int n_dofs(const ElementData& data) const override {
    Geometry g;
    g.set_dofs(data);
    return count_dofs(data, g);
  }
  std::vector<std::string_view> strain_names(const ElementData& data) const override {
    if (data.dimension == 2 && shears()) return {"axial", "bending", "bending"};
    if (data.dimension == 2) return {"axial", "bending"};
    if (shears()) return {"axial", "torsion", "lag", "flap", "lag", "flap"};
    return {"axial", "torsion", "lag", "flap"};
  }

  void calc_stations(const ElementData& data, Stations& stations) const override {
    const Geometry g = make_geometry(data, shears());
    // Exact for products of two deflections with P(ξ), and with the polynomial A and I of a taper, of degree 2 and 4;
    // I meets two twists too, of degree 2·axial_degree + 4 together.
    const int n_taper = shears() ? kTaperPoints : std::max(data.degree + 2, data.axial_degree + 3);
    const auto& rule = gauss_rule(data.taper ? n_taper : data.degree + 1);
    stations.resize(rule.size());
    Rows rows;
    for (size_t k = 0; k < rule.size(); ++k) {
      const double xi = rule[k].xi;
      calc_rows(data, g, xi, rows);
      stations[k].weight = rule[k].weight * g.L;
      stations[k].x = data.nodes[0] + xi * g.L * g.t();
      fill(data, g, properties_at(data, xi), rows, xi, stations[k]);
    }
  }

  bool calc_batch_stations(const std::vector<ElementData>& lanes, BasicStations<Batch>& stations) const override {
    const ElementData& first = lanes.front();
    for (const ElementData& data : lanes) {
      if (data.taper) return Element::calc_batch_stations(lanes, stations);
      if (data.dimension != first.dimension || data.degree != first.degree || data.axial_degree != first.axial_degree ||
          data.rotary != first.rotary)
        return false;
    }
    calc_uniform_stations(lanes, stations);
    return true;
  }

  // L, sections and moduli as symbols; Φ too, as an abbreviation. In the element's axes, from its first node.
  std::unique_ptr<SymbolicElement> make_symbolic(const ElementData& data) const override {
    if (data.taper) return nullptr;
    auto out = std::make_unique<SymbolicElement>();
    const Geometry numbers = make_geometry(data, shears());
    const Vec3 first = numbers.axes.transpose() * data.nodes[0];
    out->axes = numbers.axes;
    const SectionProperties& s = data.section;
    GeometryOf<Symbolic> g;  // v'' is counted as the element does itself
    g.axes.setIdentity();
    g.set_dofs(data);
    PropertiesOf<Symbolic> p;
    g.L = out->add("L", "L", "length", "m", numbers.L);
    p.density = out->add("rho", "\\rho", "density", "kg/m^3", data.density);
    p.A = out->add("A", "A", "area of the section", "m^2", s.A);
    p.young = out->add("E", "E", "Young's modulus", "Pa", data.young);
    p.Iz = out->add("I_z", "I_z", "second moment of area about z", "m^4", s.Iz);
    if (g.spatial) {
      p.Iy = out->add("I_y", "I_y", "second moment of area about y", "m^4", s.Iy);
      p.shear = out->add("G", "G", "shear modulus", "Pa", data.shear);
      p.J = out->add("J", "J", "torsion constant", "m^4", s.J);
    }
    if (shears()) {
      if (!g.spatial) p.shear = out->add("G", "G", "shear modulus", "Pa", data.shear);
      p.shear_y = out->add("k_y", "k_y", "shear factor along y", "", s.shear_y);
      g.Phi_y = out->add("Phi_y", "\\Phi_y", "12 E I_z/(k_y G A L^2)", "", numbers.Phi_y);
      if (g.spatial) {
        p.shear_z = out->add("k_z", "k_z", "shear factor along z", "", s.shear_z);
        g.Phi_z = out->add("Phi_z", "\\Phi_z", "12 E I_y/(k_z G A L^2)", "", numbers.Phi_z);
      }
    }
    if (data.expansion != 0) p.expansion = out->add("alpha", "\\alpha", "thermal expansion", "1/K", data.expansion);
    Vec3Of<Symbolic> origin = Vec3Of<Symbolic>::Zero();
    for (int k = 0; k < (g.spatial ? 3 : 2); ++k) {
      const std::string axis(1, "xyz"[k]);
      origin[k] = out->add(axis + "_1", axis + "_1", axis + " of the first node in the element's axes", "m", first[k]);
    }
    RowsOf<Symbolic> rows;
    for (const SymbolicPoint& point : exact_rule(2 * data.degree)) {
      const BendingShape<Symbolic> V = bending_shape(data.degree, point.xi, g.L, g.Phi_y);
      const BendingShape<Symbolic> W =
          g.spatial ? bending_shape(data.degree, point.xi, g.L, g.Phi_z) : BendingShape<Symbolic>{};
      put_rows(data, g, V, W, lagrange_with_bubbles(data.axial_degree, point.xi, g.L), rows);
      BasicStation<Symbolic>& st = out->stations.emplace_back();
      st.weight = point.weight * g.L;
      st.x = origin + point.xi * g.L * g.t();
      fill(data, g, p, rows, point.xi, st);
    }
    out->dofs = dof_names(data, g);
    return out;
  }

  // P(0) is minus the end force along t at node 1; inside, P' = −b with b the axial force per length.
  void calc_prestress(const ElementData& data, const ElementState& state, VectorX& p) const override {
    const Geometry g = make_geometry(data, false);
    VectorX b(n_shapes(data) - 1);
    for (Eigen::Index i = 0; i < b.size(); ++i) {
      const double xi = static_cast<double>(i) / static_cast<double>(b.size() - 1);
      b[i] = g.t().dot(calc_force(data, state, xi, (1 - xi) * data.nodes[0] + xi * data.nodes[1], Vec3::Zero()));
    }
    const VectorX c = fit_polynomial(b);
    p.resize(n_shapes(data));
    for (Eigen::Index j = 0; j < c.size(); ++j) p[j + 1] = -g.L * c[j] / static_cast<double>(j + 1);
    p[0] = 0;
    if (state.own_load_only)
      p[0] = -p.sum();
    else
      for (int k = 0; k < g.translations; ++k) p[0] -= g.axes(k, 0) * state.end_forces[k];
  }

  void calc_placement(const ElementData& data, double xi, Matrix3X& N, Matrix3X& R_theta) const override {
    const Geometry g = make_geometry(data, shears());
    Rows rows;
    calc_rows(data, g, xi, rows);
    N.noalias() = g.t() * rows.row(kU) + g.n() * rows.row(kV) + g.b() * rows.row(kW);
    R_theta.noalias() = g.t() * rows.row(kAlpha) + g.n() * rows.row(kBeta) + g.b() * rows.row(kGamma);
  }

  // Equilibrium of the piece [0, s] from its left end; b: force, m: couple per length,
  //   F' = −b,   M' = −m − (t + v'n + w'b) × F   with only N in the second part                       (4)
  // Mx is the whole torque, with the part P (Iy + Iz)/A α' that the fibres' pull takes of it.
  std::vector<SectionForces> calc_section_forces(const ElementData& data, const ElementState& state,
                                                 const std::vector<double>& xis) const override {
    const Geometry g = make_geometry(data, shears());
    Vec3 end_force = Vec3::Zero(), end_moment = Vec3::Zero();
    for (int k = 0; k < g.translations; ++k) end_force[k] = state.end_forces[k];
    for (int k = 0; k < g.rotations; ++k) end_moment[3 - g.rotations + k] = state.end_forces[g.translations + k];
    const Vec3 F0 = -g.axes.transpose() * end_force, M0 = -g.axes.transpose() * end_moment;
    const auto& rule = gauss_rule(data.degree + (data.taper ? 3 : 1));
    Rows rows;
    const auto displacement = [&](double xi) {
      calc_rows(data, g, xi, rows);
      return Vec3(g.axes * Vec3(rows.row(kU).dot(state.q), rows.row(kV).dot(state.q), rows.row(kW).dot(state.q)));
    };
    const auto force_at = [&](double xi) {  // F(ξ), local
      Vec3 sum = Vec3::Zero();
      for (const GaussPoint& p : rule) {
        const double at = xi * p.xi;
        const Vec3 u = displacement(at);
        sum += p.weight * xi * g.L * calc_force(data, state, at, (1 - at) * data.nodes[0] + at * data.nodes[1], u);
      }
      return Vec3(F0 - g.axes.transpose() * sum);
    };
    std::vector<SectionForces> out;
    for (const double xi : xis) {
      SectionForces f;
      f.s = xi * g.L;
      f.force = force_at(xi);
      f.moment = M0;
      for (const GaussPoint& p : rule) {
        const double at = xi * p.xi, dx = p.weight * xi * g.L;
        const Vec3 F = force_at(at);
        double P = 0;
        for (int j = static_cast<int>(state.prestress.size()) - 1; j >= 0; --j) P = P * at + state.prestress[j];
        calc_rows(data, g, at, rows);
        const double dv = rows.row(kDV).dot(state.q), dw = rows.row(kDW).dot(state.q);
        const Vec3 theta(rows.row(kAlpha).dot(state.q), rows.row(kBeta).dot(state.q), rows.row(kGamma).dot(state.q));
        const Vec3 m = g.axes.transpose() * calc_couple(data, state, g, at, g.axes * theta);
        f.moment += dx * (Vec3(0, F[2] - P * dw, -F[1] + P * dv) - m);
      }
      out.push_back(f);
    }
    return out;
  }

 private:
  bool shears() const { return theory_ == Theory::timoshenko; }
  // Whether the section's mass turns with bending.
  bool turns(const ElementData& data) const { return theory_ != Theory::euler_bernoulli && data.rotary; }
  static int n_shapes(const ElementData& data) { return data.taper ? 5 : 3; }  // ρA of a taper is quadratic

  static Mat3 calc_sigma(const ElementData& data, const Geometry& g, const SectionProperties& s) {
    return data.density * (s.Iz * g.n() * g.n().transpose() + s.Iy * g.b() * g.b().transpose());
  }

  // kappa_z = v'', kappa_y = w''
  static std::vector<std::string> dof_names(const ElementData& data, const GeometryOf<Symbolic>& g) {
    std::vector<std::string> names;
    for (const std::string end : {"1", "2"}) {
      for (int c = 0; c < g.translations; ++c) names.push_back(std::string(1, "uvw"[c]) + "_" + end);
      for (int c = 0; c < g.rotations; ++c) names.push_back(std::string("theta_") + "xyz"[g.spatial ? c : 2] + end);
      if (g.curvatures > 0) names.push_back("kappa_z" + end);
      if (g.curvatures > 1) names.push_back("kappa_y" + end);
    }
    for (int b = 1; b < data.axial_degree; ++b) names.push_back("u_b" + std::to_string(b));
    for (int b = 1; g.spatial && b < data.axial_degree; ++b) names.push_back("theta_xb" + std::to_string(b));
    return names;
  }

  // Of elements that differ in numbers only.
  ELODYN_WIDE void calc_uniform_stations(const std::vector<ElementData>& lanes, BasicStations<Batch>& stations) const {
    const ElementData& first = lanes.front();
    GeometryOf<Batch> g;
    PropertiesOf<Batch> p;
    join_lanes(lanes, shears(), g, p);
    Vec3Of<Batch> start;
    for (int lane = 0; lane < Batch::kLanes; ++lane) put_lane(lanes[static_cast<size_t>(lane)].nodes[0], lane, start);
    const auto& rule = gauss_rule(first.degree + 1);
    stations.resize(rule.size());
    BendingShape<Batch> W;
    RowsOf<Batch> rows;
    for (size_t k = 0; k < rule.size(); ++k) {
      const double xi = rule[k].xi;
      const BendingShape<Batch> V = bending_shape(first.degree, xi, g.L, g.Phi_y);
      if (g.spatial) W = bending_shape(first.degree, xi, g.L, g.Phi_z);
      put_rows(first, g, V, W, lagrange_with_bubbles(first.axial_degree, xi, g.L), rows);
      stations[k].weight = Batch(rule[k].weight) * g.L;
      stations[k].x = start + Batch(xi) * g.L * g.t();
      fill(first, g, p, rows, Batch(xi), stations[k]);
    }
  }

  // Everything but the place and weight of the station.
  template <class S>
  void fill(const ElementData& data, const GeometryOf<S>& g, const PropertiesOf<S>& s, const RowsOf<S>& rows,
            const S& xi, BasicStation<S>& st) const {
    st.mass = s.density * s.A;
    set_placement(g, rows, st);
    set_sigma(g, s, g.spatial || turns(data), st.sigma);
    if (turns(data))
      st.N_theta = st.R_theta;
    else
      st.N_theta.noalias() = g.t() * rows.row(kAlpha);
    set_strains(g, s, rows, st);
    st.viscosity.resize(0, 0);
    st.transport.clear();
    st.N_phi.resize(0, 0);
    set_second_order_strain(data, g, s, rows, xi, st);
  }

  template <class S>
  static void set_sigma(const GeometryOf<S>& g, const PropertiesOf<S>& s, bool has_inertia, Mat3Of<S>& sigma) {
    sigma.setZero();
    if (!has_inertia) return;
    const S about_z = s.density * s.Iz, about_y = s.density * s.Iy;
    const int n = g.spatial ? 3 : 2;
    for (int j = 0; j < n; ++j)
      for (int i = 0; i <= j; ++i) {
        S sum = about_z * (g.axes(i, 1) * g.axes(j, 1));
        if (g.spatial) sum += about_y * (g.axes(i, 2) * g.axes(j, 2));
        sigma(i, j) = sigma(j, i) = sum;
      }
  }

  // u = N q and ϑ = Rθ q from their local components.
  template <class S>
  static void set_placement(const GeometryOf<S>& g, const RowsOf<S>& rows, BasicStation<S>& st) {
    if (g.spatial) {
      st.N.noalias() = g.t() * rows.row(kU) + g.n() * rows.row(kV) + g.b() * rows.row(kW);
      st.R_theta.noalias() = g.t() * rows.row(kAlpha) + g.n() * rows.row(kBeta) + g.b() * rows.row(kGamma);
      return;
    }
    st.N.setZero(3, rows.cols());
    st.R_theta.setZero(3, rows.cols());
    for (Eigen::Index k = 0; k < rows.cols(); ++k) {
      for (int i = 0; i < 2; ++i) st.N(i, k) = g.axes(i, 0) * rows(kU, k) + g.axes(i, 1) * rows(kV, k);
      st.R_theta(2, k) = rows(kGamma, k);
    }
  }

  template <class S>
  void set_strains(const GeometryOf<S>& g, const PropertiesOf<S>& s, const RowsOf<S>& rows, BasicStation<S>& st) const {
    const int n = static_cast<int>(rows.cols()), bending = g.spatial ? 2 : 1;
    const int n_strains = (g.spatial ? 4 : 2) + (shears() ? bending : 0);
    st.B.resize(n_strains, n);
    st.stiffness.setZero(n_strains, n_strains);
    st.thermal.setZero(n_strains, 3);
    int row = 0;
    const auto put = [&](const auto& strain, const S& stiffness) {
      st.B.row(row) = strain;
      st.stiffness(row, row) = stiffness;
      return row++;
    };
    // A temperature ϑ + gy·y + gz·z makes the free strain of u' − y γ' + z β'.
    st.thermal(put(rows.row(kDU), s.young * s.A), 0) = s.expansion;
    if (g.spatial) put(rows.row(kDAlpha), s.shear * s.J);
    st.thermal(put(rows.row(kDGamma), s.young * s.Iz), 1) = -s.expansion;
    if (g.spatial) st.thermal(put(-rows.row(kDBeta), s.young * s.Iy), 2) = -s.expansion;
    if (!shears()) return;
    put(rows.row(kDV) - rows.row(kGamma), s.shear_y * s.shear * s.A);
    if (g.spatial) put(rows.row(kDW) + rows.row(kBeta), s.shear_z * s.shear * s.A);
  }

  template <class S>
  static void set_second_order_strain(const ElementData& data, const GeometryOf<S>& g, const PropertiesOf<S>& s,
                                      const RowsOf<S>& rows, const S& xi, BasicStation<S>& st) {
    const int slopes = g.spatial ? 3 : 1;
    st.L.resize(slopes, rows.cols());
    st.L.row(0) = rows.row(kDV);
    if (g.spatial) {
      st.L.row(1) = rows.row(kDW);
      st.L.row(2) = rows.row(kDAlpha);
    }
    st.Psi.resize(static_cast<size_t>(n_shapes(data)));
    S power = 1;
    for (MatrixOf<S>& Psi : st.Psi) {
      Psi.setZero(slopes, slopes);
      Psi(0, 0) = power;
      if (g.spatial) {
        Psi(1, 1) = power;
        Psi(2, 2) = power * (s.Iy + s.Iz) / s.A;
      }
      power *= xi;
    }
  }

  // Applied and inertia force per length at the place x, displaced by u; body axes.
  static Vec3 calc_force(const ElementData& data, const ElementState& state, double xi, const Vec3& x, const Vec3& u) {
    return state.load.force - data.density * data.section_at(xi).A * (state.a + state.Bx * x + state.Bu * u);
  }

  // Applied couple per length and that of the section's inertia, −∫ρ Λs × BΛs, to first order in the rotation θ.
  Vec3 calc_couple(const ElementData& data, const ElementState& state, const Geometry& g, double xi,
                   const Vec3& theta) const {
    if (!g.spatial && !turns(data)) return state.load.couple;
    const Mat3 sigma = calc_sigma(data, g, data.section_at(xi));
    const Mat3 turned = skew(theta) * sigma;
    const Mat3 moved = turned + turned.transpose();
    Vec3 inertia = -axial_of(state.Bx * sigma + state.Bu * moved);
    if (!turns(data)) inertia = g.t() * g.t().dot(inertia);
    return state.load.couple + inertia;
  }

  std::string_view name_, summary_;
  Theory theory_;
};

}  // namespace

std::unique_ptr<const Element> make_beam_euler_bernoulli() {
  return std::make_unique<Beam>("beam_euler_bernoulli", "straight beam, sections turn without inertia but for torsion",
                                Beam::Theory::euler_bernoulli);
}
std::unique_ptr<const Element> make_beam_rayleigh() {
  return std::make_unique<Beam>("beam_rayleigh", "straight beam with the rotary inertia of its sections",
                                Beam::Theory::rayleigh);
}
std::unique_ptr<const Element> make_beam_timoshenko() {
  return std::make_unique<Beam>("beam_timoshenko", "straight beam with rotary inertia and shear",
                                Beam::Theory::timoshenko);
}

}  // namespace elodyn
