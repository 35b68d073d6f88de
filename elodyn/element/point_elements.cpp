// Elements of single points: a lumped mass with inertia, a spring with dashpot to the body's frame or to the ground,
// and one between two points. Dofs of a point: u, v, rz in the plane, u, v, w, rx, ry, rz in space; body axes.
// Each is one station of weight 1 (two, with all of the spring in the first, between points).
//   to the frame:  e = (u, θ)
//   to the ground: the same, and dashpots feel ė + ω × e                                             (1)
//   between:       e = (u₂ − u₁ − θ₁ × d, θ₂ − θ₁, t·(u₂ − u₁)),  d = x₂ − x₁,  t = d/|d|             (2)
//                  η = |(1 − ttᵀ)(u₂ − u₁)|²/2|d| against the force of the axial spring               (3)
// Limits: the components (not the axial spring) of a spring between distant points feel no prestress.
#include <memory>

#include "elodyn/base/rotation.hpp"
#include "elodyn/element/symbolic_element.hpp"

namespace elodyn {
namespace {

// Rows of (u, θ) in space on the dofs of a point, one after another.
MatrixX point_rows(const ElementData& data) {
  if (data.dimension == 3) return MatrixX::Identity(6, 6);
  MatrixX rows = MatrixX::Zero(6, 3);
  rows(0, 0) = rows(1, 1) = rows(5, 2) = 1;
  return rows;
}

int n_point_dofs(const ElementData& data) { return data.dimension == 3 ? 6 : 3; }

// A station that does nothing yet.
template <class S>
void reset(BasicStation<S>& st, const Vec3Of<S>& x, int n) {
  st.weight = 1;
  st.x = x;
  st.mass = 0;
  st.sigma.setZero();
  st.N.setZero(3, n);
  st.N_theta.setZero(3, n);
  st.R_theta.setZero(3, n);
  st.B.resize(0, n);
  st.stiffness.resize(0, 0);
  st.viscosity.resize(0, 0);
  st.thermal.resize(0, 0);
  st.transport.clear();
  st.N_phi.resize(0, 0);
  st.L.resize(0, n);
  st.Psi.clear();
}

std::vector<std::string> point_dof_names(const ElementData& data) {
  if (data.dimension == 3) return {"u", "v", "w", "theta_x", "theta_y", "theta_z"};
  return {"u", "v", "theta_z"};
}

// The place of a point as symbols.
Vec3Of<Symbolic> add_place(const ElementData& data, SymbolicElement& out) {
  Vec3Of<Symbolic> x = Vec3Of<Symbolic>::Zero();
  for (int k = 0; k < data.dimension; ++k) {
    const std::string axis(1, "xyz"[k]);
    x[k] = out.add(axis, axis, axis + " of the point", "m", data.nodes[0][k]);
  }
  return x;
}

Vec6 join(const Vec3& a, const Vec3& b) { return (Vec6() << a, b).finished(); }

// What all of them have in common.
class PointElement : public Element {
 public:
  int n_nodes() const override { return 1; }
  bool makes_members() const override { return false; }
  int n_dofs(const ElementData& data) const override { return n_nodes() * n_point_dofs(data); }
  void calc_prestress(const ElementData&, const ElementState&, VectorX& p) const override { p.resize(0); }
  void calc_placement(const ElementData& data, double, Matrix3X& N, Matrix3X& R_theta) const override {
    N.setZero(3, n_dofs(data));
    R_theta.setZero(3, n_dofs(data));
    const MatrixX rows = point_rows(data);
    N.leftCols(rows.cols()) = rows.topRows(3);
    R_theta.leftCols(rows.cols()) = rows.bottomRows(3);
  }
  std::vector<SectionForces> calc_section_forces(const ElementData&, const ElementState&,
                                                 const std::vector<double>&) const override {
    return {};
  }
};

class PointMass final : public PointElement {
 public:
  std::string_view name() const override { return "point_mass"; }
  std::string_view summary() const override { return "lumped mass and inertia at a point"; }
  std::vector<std::string_view> strain_names(const ElementData&) const override { return {}; }
  void calc_stations(const ElementData& data, Stations& stations) const override {
    stations.resize(1);
    Station& st = stations[0];
    reset(st, data.nodes[0], n_dofs(data));
    const MatrixX rows = point_rows(data);
    st.N = rows.topRows(3);
    st.N_theta = st.R_theta = rows.bottomRows(3);
    st.mass = data.mass->mass;
    const Mat3 I = data.mass->calc_inertia();
    // Σ = ½tr(I)1 − I. In the plane any Σ with Σxx + Σyy = Izz moves the same.
    if (data.dimension == 3)
      st.sigma = 0.5 * I.trace() * Mat3::Identity() - I;
    else
      st.sigma.diagonal() << I(2, 2) / 2, I(2, 2) / 2, 0;
  }

  std::unique_ptr<SymbolicElement> make_symbolic(const ElementData& data) const override {
    const Mat3 I = data.mass->calc_inertia();
    if (data.dimension == 3 && !I.isDiagonal(0)) return nullptr;
    auto out = std::make_unique<SymbolicElement>();
    BasicStation<Symbolic>& st = out->stations.emplace_back();
    const Symbolic mass = out->add("m", "m", "mass", "kg", data.mass->mass);
    reset(st, add_place(data, *out), n_dofs(data));
    const MatrixOf<Symbolic> rows = point_rows(data).cast<Symbolic>();
    st.N = rows.topRows(3);
    st.N_theta = st.R_theta = rows.bottomRows(3);
    st.mass = mass;
    out->dofs = point_dof_names(data);
    if (I.isZero(0)) return out;
    Vec3Of<Symbolic> moments = Vec3Of<Symbolic>::Zero();
    for (int k = data.dimension == 3 ? 0 : 2; k < 3; ++k) {
      const std::string name = std::string("I_") + "xyz"[k];
      moments[k] = out->add(name, name, std::string("moment of inertia about ") + "xyz"[k], "kg m^2", I(k, k));
    }
    const Symbolic half = moments.sum() / Symbolic(2);
    for (int k = 0; k < 3; ++k) st.sigma(k, k) = data.dimension == 3 ? half - moments[k] : k < 2 ? half : Symbolic(0);
    return out;
  }
};

class SpringElement final : public PointElement {
 public:
  std::string_view name() const override { return "spring"; }
  std::string_view summary() const override { return "spring and dashpot from a point to the frame or the ground"; }
  std::vector<std::string_view> strain_names(const ElementData&) const override {
    return std::vector<std::string_view>(6, "support");
  }
  void calc_stations(const ElementData& data, Stations& stations) const override {
    stations.resize(1);
    Station& st = stations[0];
    reset(st, data.nodes[0], n_dofs(data));
    const Spring& s = *data.spring;
    const MatrixX rows = point_rows(data);
    st.N = rows.topRows(3);
    st.R_theta = rows.bottomRows(3);
    st.B = rows;
    st.stiffness = join(s.stiffness, s.rotational_stiffness).asDiagonal();
    st.viscosity = join(s.damping, s.rotational_damping).asDiagonal();
    if (s.other == Spring::Other::ground) st.transport = calc_transport(rows);
  }

  std::unique_ptr<SymbolicElement> make_symbolic(const ElementData& data) const override {
    const Spring& s = *data.spring;
    auto out = std::make_unique<SymbolicElement>();
    BasicStation<Symbolic>& st = out->stations.emplace_back();
    reset(st, Vec3Of<Symbolic>(data.nodes[0].cast<Symbolic>()), n_dofs(data));
    const MatrixX rows = point_rows(data);
    st.N = rows.topRows(3).cast<Symbolic>();
    st.R_theta = rows.bottomRows(3).cast<Symbolic>();
    st.B = rows.cast<Symbolic>();
    st.stiffness.setZero(6, 6);
    st.viscosity.setZero(6, 6);
    const Vec6 k = join(s.stiffness, s.rotational_stiffness), c = join(s.damping, s.rotational_damping);
    for (int i = 0; i < 6; ++i) {
      const std::string axis = (i < 3 ? "" : "r") + std::string(1, "xyz"[i % 3]);
      const std::string latex = i < 3 ? axis : std::string("\\theta ") + "xyz"[i % 3];
      const std::string per = i < 3 ? "/m" : " m";
      if (k[i] != 0)
        st.stiffness(i, i) =
            out->add("k_" + axis, "k_{" + latex + "}", "stiffness along or about " + axis, "N" + per, k[i]);
      if (c[i] != 0)
        st.viscosity(i, i) =
            out->add("c_" + axis, "c_{" + latex + "}", "damping along or about " + axis, "N s" + per, c[i]);
    }
    if (s.other == Spring::Other::ground)
      for (const MatrixX& T : calc_transport(rows)) st.transport.push_back(T.cast<Symbolic>());
    out->dofs = point_dof_names(data);
    return out;
  }

 private:
  // ω × e for a unit of ω along each body axis.
  static std::vector<MatrixX> calc_transport(const MatrixX& rows) {
    std::vector<MatrixX> out;
    for (int k = 0; k < 3; ++k) {
      MatrixX& T = out.emplace_back(MatrixX::Zero(6, rows.cols()));
      T.topRows(3) = skew(Vec3::Unit(k)) * rows.topRows(3);
      T.bottomRows(3) = skew(Vec3::Unit(k)) * rows.bottomRows(3);
    }
    return out;
  }
};

class SpringBetween final : public PointElement {
 public:
  std::string_view name() const override { return "spring_between"; }
  std::string_view summary() const override { return "spring and dashpot between two points"; }
  int n_nodes() const override { return 2; }
  std::vector<std::string_view> strain_names(const ElementData&) const override {
    return std::vector<std::string_view>(7, "spring");
  }

  void calc_stations(const ElementData& data, Stations& stations) const override {
    stations.resize(2);  // the second one only says where the far end is
    Station &st = stations[0], &far = stations[1];
    const int n = n_dofs(data), half = n / 2;
    reset(st, data.nodes[0], n);
    reset(far, data.nodes[0], n);
    const Spring& s = *data.spring;
    const MatrixX rows = point_rows(data);
    const Vec3 d = data.nodes[1] - data.nodes[0];
    st.N.leftCols(half) = far.N.rightCols(half) = rows.topRows(3);
    st.R_theta.leftCols(half) = far.R_theta.rightCols(half) = rows.bottomRows(3);
    far.x = data.nodes[1];
    st.B.setZero(7, n);
    st.B.block(0, 0, 6, half) = -rows;
    st.B.block(0, 0, 3, half) += skew(d) * rows.bottomRows(3);  // −θ₁ × d
    st.B.block(0, half, 6, half) = rows;
    st.stiffness.setZero(7, 7);
    st.viscosity.setZero(7, 7);
    st.stiffness.diagonal() << s.stiffness, s.rotational_stiffness, s.axial_stiffness;
    st.viscosity.diagonal() << s.damping, s.rotational_damping, s.axial_damping;
    if (d.norm() == 0) return;
    const Vec3 t = d.normalized();
    MatrixX relative(3, n);
    relative << -rows.topRows(3), rows.topRows(3);
    st.B.row(6) = t.transpose() * relative;
    st.L = (Mat3::Identity() - t * t.transpose()) * relative / d.norm();
    st.Psi = {d.norm() * MatrixX::Identity(3, 3)};
  }

  void calc_prestress(const ElementData& data, const ElementState& state, VectorX& p) const override {
    Stations stations;
    calc_stations(data, stations);
    p.resize(static_cast<Eigen::Index>(stations[0].Psi.size()));
    if (p.size() > 0) p[0] = state.own_load_only ? 0 : data.spring->axial_stiffness * stations[0].B.row(6).dot(state.q);
  }
};

}  // namespace

std::unique_ptr<const Element> make_point_mass() { return std::make_unique<PointMass>(); }
std::unique_ptr<const Element> make_spring() { return std::make_unique<SpringElement>(); }
std::unique_ptr<const Element> make_spring_between() { return std::make_unique<SpringBetween>(); }

}  // namespace elodyn
