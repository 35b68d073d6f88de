// Plates: flat shells that carry forces in their plane and bend out of it, in any plane of the body.
//   e = (ε₁₁ ε₂₂ γ₁₂ | κ₁₁ κ₂₂ κ₁₂ | γ₁₃ γ₂₃),   C = (t D | t³/12 D | 5/6 t G)                           (1)
//     ε of u₁, u₂ as in element/plane_points.hpp, κ and γ as in element/plate_bending.hpp
//   second-order strains of u₁, u₂ and w, which work against the forces per length n in the plane: the pull that
//   stiffens a spinning blade. Bending moments and shear forces have no part in it.
//   inertia: ρt at the middle surface; the normal's turn gives Σ = ρt³/12 n nᵀ
// Axes 1, 2, 3 = n of the plane: see SheetStress. At the nodes displacement and rotation in body axes; the rotation
// about the normal belongs to no strain. A quadrilateral whose nodes are not in one plane is taken in the mean one; its
// nodes hang on rigid arms there. n is constant in triangles, bilinear in quadrilaterals (from the 2 × 2 points).
// Rules: exact for the polynomials of acm (4 × 4), dkt and merged (12 points); 2 × 2 for mitc4.
#include <array>
#include <cmath>

#include "elodyn/base/error.hpp"
#include "elodyn/base/rotation.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/element/plate_bending.hpp"

namespace elodyn {
namespace {

using Eigen::Index;
using Eigen::Vector2d;

constexpr double kShearFactor = 5.0 / 6;
constexpr Index kLocal = 5;  // u₁ u₂ w θ₁ θ₂ of each node
const std::array<MatrixX, 3> kSecondOrder = make_second_order(3);

// Where an element lies: its plane, its nodes there, and the local dofs from those of the nodes.
struct PlateFrame {
  Mat3 axes;  // columns 1, 2, 3
  Vec3 origin = Vec3::Zero();
  PlanePlaces nodes;
  MatrixX T;  // local = T q

  explicit PlateFrame(const std::vector<Vec3>& x) : nodes(2, static_cast<Index>(x.size())) {
    const size_t n = x.size();
    for (const Vec3& node : x) origin += node / static_cast<double>(n);
    const Vec3 across = n == 3 ? (x[1] - x[0]).cross(x[2] - x[0]) : (x[2] - x[0]).cross(x[3] - x[1]);
    const Vec3 normal = across.normalized();
    if (n == 4 && calc_warp(x[0], x[1], x[2], x[3]) > kMostWarp)
      throw NumericalError("a plate near (" + shortest(x[0][0]) + ", " + shortest(x[0][1]) + ", " + shortest(x[0][2]) +
                           ") m is warped: its nodes lie out of one plane; use triangles there, or smaller elements");
    constexpr double kNearlyAcross = 0.9;
    const Vec3 first = std::abs(normal[0]) > kNearlyAcross ? Vec3(Vec3::UnitY()) : Vec3(Vec3::UnitX());
    axes.col(2) = normal;
    axes.col(0) = (first - normal * normal.dot(first)).normalized();
    axes.col(1) = normal.cross(axes.col(0));
    T.setZero(kLocal * static_cast<Index>(n), 6 * static_cast<Index>(n));
    for (size_t a = 0; a < n; ++a) {
      const auto k = static_cast<Index>(a);
      const Vec3 local = axes.transpose() * (x[a] - origin);
      nodes.col(k) = local.head<2>();
      const Vec3 arm = -local[2] * normal;  // to the node's place in the plane
      T.block<3, 3>(kLocal * k, 6 * k) = axes.transpose();
      T.block<3, 3>(kLocal * k, 6 * k + 3) = -axes.transpose() * skew(arm);
      T.block<2, 3>(kLocal * k + 3, 6 * k + 3) = axes.transpose().topRows<2>();
    }
  }
  Vec3 place(const Vector2d& at) const { return origin + axes.leftCols<2>() * at; }
  // Direction 1 of a sheet in the plane; where the axis given is across it, axis 1 of the plane.
  Vector2d material_axis(const Vec3& axis) const {
    const Vector2d along = axes.leftCols<2>().transpose() * axis.normalized();
    constexpr double kAcross = 1e-6;
    return along.norm() > kAcross ? along : Vector2d(Vector2d::UnitX());
  }
};

// Rows on all local dofs from rows on (u₁, u₂) or on (w, θ₁, θ₂).
MatrixX spread(const MatrixX& rows, Index per_node, Index first) {
  const Index n_nodes = rows.cols() / per_node;
  MatrixX out = MatrixX::Zero(rows.rows(), kLocal * n_nodes);
  for (Index a = 0; a < n_nodes; ++a)
    out.middleCols(kLocal * a + first, per_node) = rows.middleCols(per_node * a, per_node);
  return out;
}
MatrixX of_plane(const MatrixX& rows) { return spread(rows, 2, 0); }
MatrixX of_bending(const MatrixX& rows) { return spread(rows, 3, 2); }

class Plate final : public Element {
 public:
  Plate(std::string_view name, std::string_view summary, Bending bend, int n_points)
      : kind_(*find_surface_kind(name)),
        summary_(summary),
        bend_(bend),
        rule_(surface_rule(kind_.n_corners, n_points)),
        stress_rule_(surface_rule(kind_.n_corners, kind_.n_corners == 3 ? 3 : 4)),
        extrapolation_(calc_extrapolation(kind_, false, stress_rule_)) {}
  std::string_view name() const override { return kind_.name; }
  std::string_view summary() const override { return summary_; }
  int n_nodes() const override { return kind_.n_nodes(); }
  int n_dofs(const ElementData&) const override { return 6 * kind_.n_nodes(); }
  std::vector<std::string_view> strain_names(const ElementData&) const override {
    std::vector<std::string_view> names = {"membrane", "membrane", "membrane", "bending", "bending", "bending"};
    if (shears()) names.insert(names.end(), {"shear", "shear"});
    return names;
  }

  void calc_stations(const ElementData& data, Stations& stations) const override {
    const PlateFrame frame(data.nodes);
    const std::vector<PlanePoint> points = calc_plane_points(kind_, rule_, frame.nodes, data.nodes[0]);
    const std::vector<BendingPoint> bent = bend_(frame.nodes, points);
    const std::vector<MatrixX> strains = calc_strains(data, frame, rule_, points, bent);
    const MatrixX C = calc_stiffness(data, frame);
    const double t = data.sheet.thickness;
    const Vec3 normal = frame.axes.col(2);
    const Mat3 sigma = data.rotary ? Mat3(data.density * t * t * t / 12 * normal * normal.transpose()) : Mat3::Zero();
    stations.resize(points.size());
    for (size_t k = 0; k < points.size(); ++k) {
      const PlanePoint& point = points[k];
      Station& st = stations[k];
      st.weight = point.weight;
      st.x = frame.place(point.x);
      st.mass = data.density * t;
      st.sigma = sigma;
      set_placement(frame, point, bent[k], st);
      st.B = strains[k];
      st.stiffness = C;
      st.viscosity.resize(0, 0);
      st.transport.clear();
      st.N_phi.resize(0, 0);
      st.phi_mass = 0;
      st.thermal.setZero(C.rows(), 3);
      st.thermal.col(0).head<2>().setConstant(data.expansion);
      st.thermal.col(2).segment<2>(3).setConstant(data.expansion);
      set_second_order_strain(point.xi, st);
    }
    if (data.sheet.lumped) concentrate_mass(data.nodes, calc_node_areas(kind_, points), 3, stations);
  }

  void calc_prestress(const ElementData& data, const ElementState& state, VectorX& p) const override {
    const Matrix3X n = data.sheet.thickness * calc_point_stress(data, state).leftCols(n_pulls());
    p = Eigen::Map<const VectorX>(n.data(), n.size());
  }

  SheetStress calc_sheet_stress(const ElementData& data, const ElementState& state) const override {
    SheetStress out;
    const PlateFrame frame(data.nodes);
    const std::vector<PlanePoint> points = calc_plane_points(kind_, stress_rule_, frame.nodes, data.nodes[0]);
    const auto m = static_cast<Index>(points.size());
    const Matrix3X all = calc_point_stress(data, state);
    out.at_points = all.leftCols(m);
    out.bending_at_points = all.rightCols(m);
    out.weights.resize(m);
    out.shapes.resize(m, n_nodes());
    for (Index k = 0; k < m; ++k) {
      out.weights[k] = points[static_cast<size_t>(k)].weight * data.sheet.thickness;
      out.shapes.row(k) = points[static_cast<size_t>(k)].N.transpose();
    }
    out.at_nodes = out.at_points * extrapolation_.transpose();
    out.bending_at_nodes = out.bending_at_points * extrapolation_.transpose();
    out.compliance = turned_law(data.sheet.law, frame.material_axis(data.sheet.axis_1)).inverse();
    return out;
  }

 private:
  bool shears() const { return kind_.shears; }
  // Points with a pull of their own: the first ones of the stress rule.
  Index n_pulls() const { return kind_.n_corners == 3 ? 1 : 4; }

  MatrixX calc_stiffness(const ElementData& data, const PlateFrame& frame) const {
    const Sheet& sheet = data.sheet;
    const double t = sheet.thickness;
    const Vector2d along = frame.material_axis(sheet.axis_1);
    const Mat3 D = turned_law(sheet.law, along);
    MatrixX C = MatrixX::Zero(shears() ? 8 : 6, shears() ? 8 : 6);
    C.topLeftCorner<3, 3>() = t * D;
    C.block<3, 3>(3, 3) = t * t * t / 12 * D;
    if (shears()) C.bottomRightCorner<2, 2>() = kShearFactor * t * turned_shear_law(sheet.shear_law, along);
    return C;
  }

  // B of every point on the nodes' dofs.
  std::vector<MatrixX> calc_strains(const ElementData& data, const PlateFrame& frame,
                                    const std::vector<SurfacePoint>& rule, const std::vector<PlanePoint>& points,
                                    const std::vector<BendingPoint>& bent) const {
    std::vector<MatrixX> in_plane;
    if (data.sheet.incompatible && kind_.n_corners == 4) {
      const Mat3 D = turned_law(data.sheet.law, frame.material_axis(data.sheet.axis_1));
      in_plane = incompatible_strain_rows(rule, points, frame.nodes, D);
    } else {
      for (const PlanePoint& point : points) in_plane.push_back(plane_strain_rows(point.dN));
    }
    std::vector<MatrixX> B;
    for (size_t k = 0; k < points.size(); ++k) {
      MatrixX rows(shears() ? 8 : 6, frame.T.rows());
      rows.topRows<3>() = of_plane(in_plane[k]);
      rows.middleRows<3>(3) = of_bending(bent[k].curvature);
      if (shears()) rows.bottomRows<2>() = of_bending(bent[k].shear);
      B.emplace_back(rows * frame.T);
    }
    return B;
  }

  static void set_placement(const PlateFrame& frame, const PlanePoint& point, const BendingPoint& bent, Station& st) {
    const Index n = frame.T.rows();
    MatrixX place = MatrixX::Zero(3, n), turn = MatrixX::Zero(3, n), gradients = MatrixX::Zero(6, n);
    for (Index a = 0; a < point.N.size(); ++a) {
      place(0, kLocal * a) = place(1, kLocal * a + 1) = point.N[a];
      turn(2, kLocal * a) = -point.dN(a, 1) / 2;  // half the curl
      turn(2, kLocal * a + 1) = point.dN(a, 0) / 2;
      gradients(0, kLocal * a) = gradients(2, kLocal * a + 1) = point.dN(a, 0);
      gradients(1, kLocal * a) = gradients(3, kLocal * a + 1) = point.dN(a, 1);
    }
    place.row(2) = of_bending(bent.w);
    turn.topRows<2>() = of_bending(bent.turn);
    gradients.bottomRows<2>() = of_bending(bent.slope);
    st.N = frame.axes * place * frame.T;
    st.R_theta = st.N_theta = frame.axes * turn * frame.T;
    st.L = gradients * frame.T;
  }

  // Ψ at a point: that of n there, interpolated between the points of the pull.
  void set_second_order_strain(const Vector2d& xi, Station& st) const {
    const auto n = static_cast<size_t>(n_pulls());
    st.Psi.resize(3 * n);
    for (size_t k = 0; k < n; ++k) {
      double share = 1;
      if (n == 4) {  // bilinear between the Gauss points
        const Vector2d at = stress_rule_[k].xi;
        share = (1 + xi[0] / at[0]) * (1 + xi[1] / at[1]) / 4;
      }
      constexpr double kNothing = 1e-14;  // at another of the points
      for (size_t c = 0; c < 3; ++c)
        if (std::abs(share) > kNothing)
          st.Psi[3 * k + c] = share * kSecondOrder[c];
        else
          st.Psi[3 * k + c].resize(0, 0);
    }
  }

  // Stress of the middle surface at the points of the stress rule, then what bending adds on the face at +3.
  Matrix3X calc_point_stress(const ElementData& data, const ElementState& state) const {
    const PlateFrame frame(data.nodes);
    const std::vector<PlanePoint> points = calc_plane_points(kind_, stress_rule_, frame.nodes, data.nodes[0]);
    const std::vector<MatrixX> B = calc_strains(data, frame, stress_rule_, points, bend_(frame.nodes, points));
    const Mat3 D = turned_law(data.sheet.law, frame.material_axis(data.sheet.axis_1));
    const Vec3 free = data.expansion * Vec3(1, 1, 0);
    const auto m = static_cast<Index>(points.size());
    Matrix3X stress(3, 2 * m);
    for (Index k = 0; k < m; ++k) {
      const VectorX e = B[static_cast<size_t>(k)] * state.q;
      stress.col(k) = D * (e.head<3>() - state.load.thermal[0] * free);
      stress.col(m + k) = data.sheet.thickness / 2 * D * (e.segment<3>(3) - state.load.thermal[2] * free);
    }
    return stress;
  }

  const SurfaceKind& kind_;
  std::string_view summary_;
  Bending bend_;
  std::vector<SurfacePoint> rule_, stress_rule_;
  MatrixX extrapolation_;  // nodes × points of the stress rule
};

}  // namespace

std::unique_ptr<const Element> make_plate_dkt() {
  return std::make_unique<Plate>("plate_dkt", "thin flat shell, triangle: discrete Kirchhoff", bend_dkt, 12);
}
std::unique_ptr<const Element> make_plate_mitc4() {
  return std::make_unique<Plate>("plate_mitc4", "thick or thin flat shell, quadrilateral of 4 nodes, with shear",
                                 bend_mitc4, 4);
}
std::unique_ptr<const Element> make_plate_acm() {
  return std::make_unique<Plate>("plate_acm", "thin flat shell, rectangle, w of 12 terms", bend_acm, 16);
}
std::unique_ptr<const Element> make_plate_merged() {
  return std::make_unique<Plate>(
      "plate_merged", "thin flat shell, right triangle, w of 9 terms: published, for comparison only", bend_merged, 12);
}

}  // namespace elodyn
