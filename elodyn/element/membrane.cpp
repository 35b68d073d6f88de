// Membranes: sheets in the body's xy plane that move in it, u = Σ Nₐuₐ, v = Σ Nₐvₐ.
//   strain      e = (u,x  v,y  u,y + v,x),    C = t D  (plane stress or plane strain)                       (1)
//   second-order strain, which works against the forces per length n = t(σxx, σyy, σxy)
//     ½(u,x² + v,x²),   ½(u,y² + v,y²),   u,x u,y + v,x v,y                                               (2)
//   inertia     ρt at the middle surface; points do not turn, so there is no Σ.
// The static state gives n at the points of the rule; between them it is not needed.
// Rules: 3 points on the triangle of 3 nodes, 6 on that of 6; 2 × 2 on the quadrilateral of 4, 3 × 3 on that of 8:
// exact for all inertia integrals of straight-sided elements.
// Incompatible modes (quadrilateral of 4 nodes): (1 − ξ²), (1 − η²) of both displacements, with derivatives taken at
// the centre so that the patch test is passed [Taylor1976], and eliminated statically; they carry no mass.
#include <array>
#include <cmath>

#include "elodyn/base/error.hpp"
#include "elodyn/base/surface_shapes.hpp"
#include "elodyn/element/element.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {
namespace {

using Gradients = Eigen::Matrix<double, Eigen::Dynamic, 2>;  // ∂/∂x, ∂/∂y of the nodes' shape functions

struct PlanePoint {
  double weight = 0;  // area
  Vec3 x = Vec3::Zero();
  VectorX N;
  Gradients dN;
};

Eigen::Matrix<double, 2, Eigen::Dynamic> plane_nodes(const ElementData& data) {
  Eigen::Matrix<double, 2, Eigen::Dynamic> x(2, static_cast<Eigen::Index>(data.nodes.size()));
  for (size_t a = 0; a < data.nodes.size(); ++a) x.col(static_cast<Eigen::Index>(a)) = data.nodes[a].head<2>();
  return x;
}

// D in body axes: strains along the material's axes are T times those along x and y.
Mat3 turned_law(const Sheet& sheet) {
  const Eigen::Vector2d along = sheet.axis_1.head<2>().normalized();
  const double c = along[0], s = along[1];
  Mat3 T;
  T << c * c, s * s, c * s, s * s, c * c, -c * s, -2 * c * s, 2 * c * s, c * c - s * s;
  return T.transpose() * sheet.law * T;
}

// Ψ of (2) on the gradients (u,x  u,y  v,x  v,y), for nxx, nyy, nxy.
const std::array<MatrixX, 3> kSecondOrder = [] {
  std::array<MatrixX, 3> out;
  for (MatrixX& m : out) m = MatrixX::Zero(4, 4);
  for (const int i : {0, 2}) {
    out[0](i, i) = out[1](i + 1, i + 1) = 1;
    out[2](i, i + 1) = out[2](i + 1, i) = 1;
  }
  return out;
}();

MatrixX strain_rows(const Gradients& dN) {
  MatrixX B = MatrixX::Zero(3, 2 * dN.rows());
  for (Eigen::Index a = 0; a < dN.rows(); ++a) {
    B(0, 2 * a) = B(2, 2 * a + 1) = dN(a, 0);
    B(1, 2 * a + 1) = B(2, 2 * a) = dN(a, 1);
  }
  return B;
}

class Membrane final : public Element {
 public:
  Membrane(std::string_view name, std::string_view summary)
      : kind_(*find_surface_kind(name)), summary_(summary), extrapolation_(calc_extrapolation()) {}
  std::string_view name() const override { return kind_.name; }
  std::string_view summary() const override { return summary_; }
  int n_nodes() const override { return kind_.n_nodes(); }
  int n_dofs(const ElementData&) const override { return 2 * kind_.n_nodes(); }
  std::vector<std::string_view> strain_names(const ElementData&) const override {
    return {"membrane", "membrane", "membrane"};
  }

  void calc_stations(const ElementData& data, Stations& stations) const override {
    const std::vector<PlanePoint> points = calc_points(data);
    const std::vector<MatrixX> B = calc_strains(data, points);
    const double t = data.sheet.thickness;
    const Mat3 C = t * turned_law(data.sheet);
    const auto n = static_cast<Eigen::Index>(n_dofs(data));
    stations.resize(points.size());
    for (size_t k = 0; k < points.size(); ++k) {
      const PlanePoint& point = points[k];
      Station& st = stations[k];
      st.weight = point.weight;
      st.x = point.x;
      st.mass = data.density * t;
      st.sigma.setZero();
      st.N.setZero(3, n);
      st.N_theta.setZero(3, n);
      st.R_theta.setZero(3, n);
      st.L.setZero(4, n);
      for (Eigen::Index a = 0; a < point.N.size(); ++a) {
        st.N(0, 2 * a) = st.N(1, 2 * a + 1) = point.N[a];
        st.R_theta(2, 2 * a) = -point.dN(a, 1) / 2;  // half the curl
        st.R_theta(2, 2 * a + 1) = point.dN(a, 0) / 2;
        st.L(0, 2 * a) = st.L(2, 2 * a + 1) = point.dN(a, 0);
        st.L(1, 2 * a) = st.L(3, 2 * a + 1) = point.dN(a, 1);
      }
      st.B = B[k];
      st.stiffness = C;
      st.viscosity.resize(0, 0);
      st.transport.clear();
      st.thermal.setZero(3, 3);
      st.thermal.col(0) << data.expansion, data.expansion, 0;
      set_second_order_strain(k, points.size(), st);
    }
  }

  void calc_prestress(const ElementData& data, const ElementState& state, VectorX& p) const override {
    const Matrix3X n = data.sheet.thickness * calc_point_stress(data, state, calc_points(data));
    const Eigen::Index shapes = n_shapes(static_cast<size_t>(n.cols()));
    p = Eigen::Map<const VectorX>(n.data(), shapes);  // the first points stand for all where there are fewer shapes
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
    out.compliance = turned_law(data.sheet).inverse();
    return out;
  }

 private:
  int n_points() const { return kind_.n_corners == 3 ? (kind_.has_middles ? 6 : 3) : (kind_.has_middles ? 9 : 4); }
  // Of the triangle of 3 nodes the stress is constant; else one set of three for each point.
  Eigen::Index n_shapes(size_t points) const {
    return kind_.n_nodes() == 3 ? 3 : 3 * static_cast<Eigen::Index>(points);
  }

  std::vector<PlanePoint> calc_points(const ElementData& data) const {
    const auto x = plane_nodes(data);
    std::vector<PlanePoint> points;
    for (const SurfacePoint& at : surface_rule(kind_.n_corners, n_points())) {
      SurfaceShape shape = calc_surface_shape(kind_.n_corners, kind_.has_middles, at.xi);
      const Eigen::Matrix2d J = x * shape.dN;  // ∂(x, y)/∂(ξ, η)
      PlanePoint point;
      point.weight = at.weight * J.determinant();
      if (!(point.weight > 0))
        throw NumericalError("an element of the surface is turned inside out or has no area near (" +
                             std::to_string(data.nodes[0][0]) + ", " + std::to_string(data.nodes[0][1]) + ") m");
      point.x << x * shape.N, data.nodes[0][2];
      point.dN = shape.dN * J.inverse();
      point.N = std::move(shape.N);
      points.push_back(std::move(point));
    }
    return points;
  }

  // B of every point; with incompatible modes α = −Kαα⁻¹Kαu u put in.
  std::vector<MatrixX> calc_strains(const ElementData& data, const std::vector<PlanePoint>& points) const {
    std::vector<MatrixX> B;
    for (const PlanePoint& point : points) B.push_back(strain_rows(point.dN));
    if (!data.sheet.incompatible || kind_.n_nodes() != 4) return B;
    const auto x = plane_nodes(data);
    const Eigen::Matrix2d J0 = x * calc_surface_shape(4, false, {0, 0}).dN;
    const Mat3 D = turned_law(data.sheet);
    const std::vector<SurfacePoint> rule = surface_rule(4, n_points());
    std::vector<MatrixX> inner;
    Eigen::Matrix4d K_aa = Eigen::Matrix4d::Zero();
    MatrixX K_au = MatrixX::Zero(4, 8);
    for (size_t k = 0; k < points.size(); ++k) {
      Gradients d(2, 2);
      d << -2 * rule[k].xi[0], 0, 0, -2 * rule[k].xi[1];
      // Derivatives by the map of the centre, scaled so that their mean over the element is zero.
      const double scale = J0.determinant() / (points[k].weight / rule[k].weight);
      inner.push_back(strain_rows(scale * d * J0.inverse()));
      K_aa += points[k].weight * inner[k].transpose() * D * inner[k];
      K_au += points[k].weight * inner[k].transpose() * D * B[k];
    }
    const MatrixX alpha = -K_aa.ldlt().solve(K_au);
    for (size_t k = 0; k < points.size(); ++k) B[k] += inner[k] * alpha;
    return B;
  }

  Matrix3X calc_point_stress(const ElementData& data, const ElementState& state,
                             const std::vector<PlanePoint>& points) const {
    const Mat3 D = turned_law(data.sheet);
    const Vec3 free = data.expansion * state.load.thermal[0] * Vec3(1, 1, 0);
    const std::vector<MatrixX> B = calc_strains(data, points);
    Matrix3X stress(3, static_cast<Eigen::Index>(points.size()));
    for (size_t k = 0; k < points.size(); ++k) stress.col(static_cast<Eigen::Index>(k)) = D * (B[k] * state.q - free);
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
        st.Psi[j].setZero(4, 4);
  }

  // Values at the nodes from those at the points, by least squares: constant, linear and bilinear stress are what these
  // elements have in common with the exact one.
  MatrixX calc_extrapolation() const {
    const auto terms = [&](const Eigen::Vector2d& at) -> VectorX {
      if (kind_.n_nodes() == 3) return VectorX::Ones(1);
      if (kind_.n_corners == 3) return Vec3(1, at[0], at[1]);
      return Eigen::Vector4d(1, at[0], at[1], at[0] * at[1]);
    };
    const auto rows = [&](const std::vector<Eigen::Vector2d>& places) {
      MatrixX m(static_cast<Eigen::Index>(places.size()), terms(places[0]).size());
      for (size_t k = 0; k < places.size(); ++k) m.row(static_cast<Eigen::Index>(k)) = terms(places[k]).transpose();
      return m;
    };
    std::vector<Eigen::Vector2d> points;
    for (const SurfacePoint& point : surface_rule(kind_.n_corners, n_points())) points.push_back(point.xi);
    const MatrixX P = rows(points);
    return rows(surface_nodes(kind_.n_corners, kind_.has_middles)) * (P.transpose() * P).inverse() * P.transpose();
  }

  const SurfaceKind& kind_;
  std::string_view summary_;
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

}  // namespace elodyn
