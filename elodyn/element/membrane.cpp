// Membranes: sheets in the body's xy plane that move in it, u = Σ Nₐuₐ, v = Σ Nₐvₐ.
//   strain      e = (u,x  v,y  u,y + v,x),    C = t D  (plane stress or plane strain)                       (1)
//   second-order strain, which works against the forces per length n = t(σxx, σyy, σxy)
//     ½(u,x² + v,x²),   ½(u,y² + v,y²),   u,x u,y + v,x v,y                                               (2)
//   inertia     ρt at the middle surface; points do not turn, so there is no Σ.
// With voids (model/void_law.hpp) φ = Σ Nₐφₐ besides, with the inertia ρκt, and, β, ξ as condensed for plane stress,
//   e = (u,x  v,y  u,y + v,x  φ  φ,x  φ,y),    C = t[D, βm, 0; βmᵀ, ξ, 0; 0, 0, α1],   m = (1, 1, 0)         (3)
//   and the viscosity tτ of φ̇. The stress that works against (2) has its part βφ.
// The static state gives n at the points of the rule; between them it is not needed.
// Rules: 3 points on the triangle of 3 nodes, 6 on that of 6; 2 × 2 on the quadrilateral of 4, 3 × 3 on that of 8:
// exact for all inertia integrals of straight-sided elements.
#include <array>

#include "elodyn/element/plane_points.hpp"
#include "elodyn/element/symbolic_element.hpp"

namespace elodyn {
namespace {

PlanePlaces plane_nodes(const ElementData& data) {
  PlanePlaces x(2, static_cast<Eigen::Index>(data.nodes.size()));
  for (size_t a = 0; a < data.nodes.size(); ++a) x.col(static_cast<Eigen::Index>(a)) = data.nodes[a].head<2>();
  return x;
}

// D in body axes.
Mat3 body_law(const Sheet& sheet) { return turned_law(sheet.law, sheet.axis_1.head<2>()); }

const std::array<MatrixX, 3> kSecondOrder = make_second_order(2);

// (3) per thickness; the rows of φ after those of (1)
constexpr Eigen::Index kPhi = 3, kVoidStrains = 6;
MatrixX calc_law_with_voids(const Mat3& D, const VoidLaw& voids) {
  MatrixX C = MatrixX::Zero(kVoidStrains, kVoidStrains);
  C.topLeftCorner<3, 3>() = D;
  for (const Eigen::Index i : {0, 1}) C(i, kPhi) = C(kPhi, i) = voids.beta;
  C(kPhi, kPhi) = voids.xi;
  C(kPhi + 1, kPhi + 1) = C(kPhi + 2, kPhi + 2) = voids.alpha;
  return C;
}

class Membrane final : public Element {
 public:
  Membrane(std::string_view name, std::string_view summary)
      : kind_(*find_surface_kind(name)),
        summary_(summary),
        rule_(surface_rule(kind_.n_corners, n_points())),
        extrapolation_(calc_extrapolation(kind_, has_constant_stress(), rule_)) {}
  std::string_view name() const override { return kind_.name; }
  std::string_view summary() const override { return summary_; }
  int n_nodes() const override { return kind_.n_nodes(); }
  int n_dofs(const ElementData&) const override { return static_cast<int>(per_node()) * kind_.n_nodes(); }
  std::vector<std::string_view> strain_names(const ElementData&) const override {
    if (kind_.has_voids) return {"membrane", "membrane", "membrane", "voids", "voids", "voids"};
    return {"membrane", "membrane", "membrane"};
  }

  void calc_stations(const ElementData& data, Stations& stations) const override {
    const std::vector<PlanePoint> points = calc_points(data);
    const std::vector<MatrixX> B = calc_strains(data, points);
    const double t = data.sheet.thickness;
    const MatrixX C = t * calc_law(data.sheet);
    const Eigen::Index per = per_node();
    const auto n = static_cast<Eigen::Index>(n_dofs(data));
    stations.resize(points.size());
    for (size_t k = 0; k < points.size(); ++k) {
      const PlanePoint& point = points[k];
      Station& st = stations[k];
      st.weight = point.weight;
      st.x << point.x, data.nodes[0][2];
      st.mass = data.density * t;
      st.sigma.setZero();
      st.N.setZero(3, n);
      st.N_theta.setZero(3, n);
      st.R_theta.setZero(3, n);
      st.L.setZero(4, n);
      for (Eigen::Index a = 0; a < point.N.size(); ++a) {
        st.N(0, per * a) = st.N(1, per * a + 1) = point.N[a];
        st.R_theta(2, per * a) = -point.dN(a, 1) / 2;  // half the curl
        st.R_theta(2, per * a + 1) = point.dN(a, 0) / 2;
        st.L(0, per * a) = st.L(2, per * a + 1) = point.dN(a, 0);
        st.L(1, per * a) = st.L(3, per * a + 1) = point.dN(a, 1);
      }
      st.B = B[k];
      st.stiffness = C;
      st.viscosity.resize(0, 0);
      st.transport.clear();
      st.thermal.setZero(C.rows(), 3);
      st.thermal.col(0) = data.expansion * calc_free(data.sheet);
      set_field(data, st);
      set_second_order_strain(k, points.size(), st);
    }
    if (data.sheet.lumped) concentrate_mass(data.nodes, calc_node_areas(kind_, points), 2, stations);
  }

  void calc_prestress(const ElementData& data, const ElementState& state, VectorX& p) const override {
    const Matrix3X n = data.sheet.thickness * calc_point_stress(data, state, calc_points(data));
    const Eigen::Index shapes = n_shapes(static_cast<size_t>(n.cols()));
    p = Eigen::Map<const VectorX>(n.data(), shapes);  // the first points stand for all where there are fewer shapes
  }

  // The rectangle has closed forms. Its pull is taken as uniform: p_0, p_1, p_2 along its sides.
  std::unique_ptr<SymbolicElement> make_symbolic(const ElementData& data) const override {
    if (!kind_.only_rectangles || data.sheet.lumped) return nullptr;
    auto out = std::make_unique<SymbolicElement>();
    const Vec3 along = data.nodes[1] - data.nodes[0], up = data.nodes[3] - data.nodes[0];
    out->axes.col(0) = along.normalized();
    out->axes.col(1) = up.normalized();
    out->axes.col(2) = along.cross(up).normalized();
    const Eigen::Vector2d axis_1 = (out->axes.transpose() * data.sheet.axis_1).head<2>();
    const Mat3 D = turned_law(data.sheet.law, axis_1);
    const Vec3 free = data.expansion * turned_strain(data.sheet.free_strain, axis_1);
    constexpr double kAligned = 1e-9;
    if (std::max(std::abs(D(0, 2)), std::abs(D(1, 2))) > kAligned * D(0, 0)) return nullptr;  // its axes are oblique

    const Symbolic a = out->add("a", "a", "length of the first side", "m", along.norm());
    const Symbolic b = out->add("b", "b", "length of the second side", "m", up.norm());
    const Symbolic t = out->add("t", "t", "thickness", "m", data.sheet.thickness);
    const Symbolic rho = out->add("rho", "\\rho", "density", "kg/m^3", data.density);
    const auto modulus = [&](const char* name, const char* latex, const char* meaning, double value) {
      return out->add(name, latex, meaning, "Pa", value);
    };
    const Symbolic D11 = modulus("D_11", "D_{11}", "stress along x of a unit of strain along x", D(0, 0));
    const Symbolic D12 = modulus("D_12", "D_{12}", "stress along x of a unit of strain along y", D(0, 1));
    const Symbolic D22 = modulus("D_22", "D_{22}", "stress along y of a unit of strain along y", D(1, 1));
    const Symbolic D33 = modulus("D_33", "D_{33}", "shear modulus in the plane", D(2, 2));
    Symbolic alpha_1 = 0, alpha_2 = 0;
    if (free.head<2>().norm() > 0) {
      alpha_1 = out->add("alpha_1", "\\alpha_1", "free strain along x of a kelvin", "1/K", free[0]);
      alpha_2 = out->add("alpha_2", "\\alpha_2", "free strain along y of a kelvin", "1/K", free[1]);
    }
    const Vec3 first = out->axes.transpose() * data.nodes[0];
    Vec3Of<Symbolic> origin = Vec3Of<Symbolic>::Zero();
    origin[0] = out->add("x_1", "x_1", "x of the first node in the element's axes", "m", first[0]);
    origin[1] = out->add("y_1", "y_1", "y of the first node in the element's axes", "m", first[1]);
    for (const SymbolicPoint& eta : exact_rule(2))
      for (const SymbolicPoint& xi : exact_rule(2)) {
        const std::array<Symbolic, 2> X = {1 - xi.xi, xi.xi}, Y = {1 - eta.xi, eta.xi};
        BasicStation<Symbolic>& st = out->stations.emplace_back();
        st.weight = xi.weight * eta.weight * a * b;
        st.x = origin + Vec3Of<Symbolic>(xi.xi * a, eta.xi * b, Symbolic(0));
        st.mass = rho * t;
        st.N.setZero(3, 8);
        st.N_theta.setZero(3, 8);
        st.R_theta.setZero(3, 8);
        st.B.setZero(3, 8);
        st.L.setZero(4, 8);
        for (int k = 0; k < 4; ++k) {
          const size_t i = k == 1 || k == 2, j = k >= 2;
          const Symbolic dx = (i == 0 ? -1 : 1) * Y[j] / a, dy = (j == 0 ? -1 : 1) * X[i] / b;
          st.N(0, 2 * k) = st.N(1, 2 * k + 1) = X[i] * Y[j];
          st.R_theta(2, 2 * k) = -dy / 2;
          st.R_theta(2, 2 * k + 1) = dx / 2;
          st.B(0, 2 * k) = st.B(2, 2 * k + 1) = dx;
          st.B(1, 2 * k + 1) = st.B(2, 2 * k) = dy;
          st.L(0, 2 * k) = st.L(2, 2 * k + 1) = dx;
          st.L(1, 2 * k) = st.L(3, 2 * k + 1) = dy;
        }
        st.stiffness.setZero(3, 3);
        st.stiffness << t * D11, t * D12, 0, t * D12, t * D22, 0, 0, 0, t * D33;
        st.thermal.setZero(3, 3);
        st.thermal(0, 0) = alpha_1;
        st.thermal(1, 0) = alpha_2;
        for (const MatrixX& shape : kSecondOrder) {
          MatrixOf<Symbolic>& Psi = st.Psi.emplace_back(4, 4);
          for (Eigen::Index i = 0; i < 16; ++i) Psi.data()[i] = static_cast<int>(shape.data()[i]);
        }
      }
    for (int k = 1; k <= 4; ++k)
      for (const char* name : {"u_", "v_"}) out->dofs.push_back(name + std::to_string(k));
    return out;
  }

  SheetStress calc_sheet_stress(const ElementData& data, const ElementState& state) const override {
    SheetStress out;
    const std::vector<PlanePoint> points = calc_points(data);
    out.at_points = calc_point_stress(data, state, points);
    const auto m = static_cast<Eigen::Index>(points.size());
    out.weights.resize(m);
    out.shapes.resize(m, n_nodes());
    for (Eigen::Index k = 0; k < m; ++k) {
      out.weights[k] = points[static_cast<size_t>(k)].weight * data.sheet.thickness;
      out.shapes.row(k) = points[static_cast<size_t>(k)].N.transpose();
    }
    out.at_nodes = out.at_points * extrapolation_.transpose();
    out.compliance = body_law(data.sheet).inverse();
    return out;
  }

 private:
  Eigen::Index per_node() const { return kind_.has_voids ? 3 : 2; }  // u, v, φ
  // Of the strains, in body axes, per thickness.
  MatrixX calc_law(const Sheet& sheet) const {
    const Mat3 D = body_law(sheet);
    return kind_.has_voids ? calc_law_with_voids(D, sheet.voids) : MatrixX(D);
  }
  // Strains of a unit of thermal strain that nothing resists in the plane.
  VectorX calc_free(const Sheet& sheet) const {
    VectorX free = VectorX::Zero(kind_.has_voids ? kVoidStrains : 3);
    free.head<3>() = turned_strain(sheet.free_strain, sheet.axis_1.head<2>());
    if (kind_.has_voids) free[kPhi] = sheet.voids.free_phi;
    return free;
  }
  void set_field(const ElementData& data, Station& st) const {
    st.N_phi.resize(0, 0);
    st.phi_mass = 0;
    if (!kind_.has_voids) return;
    const double t = data.sheet.thickness;
    st.phi_mass = data.density * data.sheet.voids.kappa * t;
    st.N_phi = st.B.row(kPhi);
    if (data.sheet.voids.tau == 0) return;
    st.viscosity.setZero(kVoidStrains, kVoidStrains);
    st.viscosity(kPhi, kPhi) = t * data.sheet.voids.tau;
  }

  int n_points() const { return kind_.n_corners == 3 ? (kind_.has_middles ? 6 : 3) : (kind_.has_middles ? 9 : 4); }
  // Of the triangle of 3 nodes the stress is constant, but for its part of φ; else one set of three for each point.
  bool has_constant_stress() const { return kind_.n_nodes() == 3 && !kind_.has_voids; }
  Eigen::Index n_shapes(size_t points) const {
    return has_constant_stress() ? 3 : 3 * static_cast<Eigen::Index>(points);
  }

  std::vector<PlanePoint> calc_points(const ElementData& data) const {
    return calc_plane_points(kind_, rule_, plane_nodes(data), data.nodes[0]);
  }

  static void add_field_rows(const PlanePoint& point, MatrixX& B) {
    B.conservativeResizeLike(MatrixX::Zero(kVoidStrains, B.cols()));
    for (Eigen::Index a = 0; a < point.N.size(); ++a) {
      B(kPhi, 3 * a + 2) = point.N[a];
      B.block<2, 1>(kPhi + 1, 3 * a + 2) = point.dN.row(a).transpose();
    }
  }

  // B of every point.
  std::vector<MatrixX> calc_strains(const ElementData& data, const std::vector<PlanePoint>& points) const {
    if (data.sheet.incompatible && kind_.n_nodes() == 4 && !kind_.has_voids)
      return incompatible_strain_rows(rule_, points, plane_nodes(data), body_law(data.sheet));
    std::vector<MatrixX> B;
    for (const PlanePoint& point : points) {
      MatrixX& rows = B.emplace_back(plane_strain_rows(point.dN, per_node()));
      if (kind_.has_voids) add_field_rows(point, rows);
    }
    return B;
  }

  Matrix3X calc_point_stress(const ElementData& data, const ElementState& state,
                             const std::vector<PlanePoint>& points) const {
    const MatrixX C = calc_law(data.sheet);
    const VectorX free = data.expansion * state.load.thermal[0] * calc_free(data.sheet);
    const std::vector<MatrixX> B = calc_strains(data, points);
    Matrix3X stress(3, static_cast<Eigen::Index>(points.size()));
    for (size_t k = 0; k < points.size(); ++k)
      stress.col(static_cast<Eigen::Index>(k)) = C.topRows(3) * (B[k] * state.q - free);
    return stress;
  }

  // Ψ of (2): the prestress of point k acts there alone.
  void set_second_order_strain(size_t point, size_t n_points, Station& st) const {
    const auto n = static_cast<size_t>(n_shapes(n_points));
    st.Psi.resize(n);
    for (size_t j = 0; j < n; ++j)
      if (n == 3 || j / 3 == point)
        st.Psi[j] = kSecondOrder[j % 3];
      else
        st.Psi[j].resize(0, 0);
  }

  const SurfaceKind& kind_;
  std::string_view summary_;
  std::vector<SurfacePoint> rule_;
  MatrixX extrapolation_;  // nodes × points
};

}  // namespace

std::unique_ptr<const Element> make_membrane_t3() {
  return std::make_unique<Membrane>("membrane_t3", "triangle of 3 nodes in its plane, constant strain");
}
std::unique_ptr<const Element> make_membrane_rectangle() {
  return std::make_unique<Membrane>("membrane_rectangle", "rectangle of 4 nodes in its plane");
}
std::unique_ptr<const Element> make_membrane_q4() {
  return std::make_unique<Membrane>("membrane_q4",
                                    "quadrilateral of 4 nodes in its plane, with incompatible modes on request");
}
std::unique_ptr<const Element> make_membrane_t6() {
  return std::make_unique<Membrane>("membrane_t6", "triangle of 6 nodes in its plane, linear strain");
}
std::unique_ptr<const Element> make_membrane_q8() {
  return std::make_unique<Membrane>("membrane_q8", "serendipity quadrilateral of 8 nodes in its plane");
}

std::unique_ptr<const Element> make_voids_t3() {
  return std::make_unique<Membrane>("voids_t3", "triangle of 3 nodes in its plane, of a material with voids");
}
std::unique_ptr<const Element> make_voids_q4() {
  return std::make_unique<Membrane>("voids_q4", "quadrilateral of 4 nodes in its plane, of a material with voids");
}
std::unique_ptr<const Element> make_voids_t6() {
  return std::make_unique<Membrane>("voids_t6", "triangle of 6 nodes in its plane, of a material with voids");
}
std::unique_ptr<const Element> make_voids_q8() {
  return std::make_unique<Membrane>("voids_q8",
                                    "serendipity quadrilateral of 8 nodes in its plane, of a material with voids");
}

}  // namespace elodyn
