#include "elodyn/element/plane_points.hpp"

#include "elodyn/base/error.hpp"

namespace elodyn {

std::vector<PlanePoint> calc_plane_points(const SurfaceKind& kind, const std::vector<SurfacePoint>& rule,
                                          const PlanePlaces& nodes, const Vec3& near) {
  std::vector<PlanePoint> points;
  points.reserve(rule.size());
  for (const SurfacePoint& at : rule) {
    SurfaceShape shape = calc_surface_shape(kind.n_corners, kind.has_middles, at.xi);
    const Eigen::Matrix2d J = nodes * shape.dN;  // ∂(x₁, x₂)/∂(ξ, η)
    PlanePoint point;
    point.xi = at.xi;
    point.weight = at.weight * J.determinant();
    if (!(point.weight > 0))
      throw NumericalError("an element of the surface is turned inside out or has no area near (" +
                           std::to_string(near[0]) + ", " + std::to_string(near[1]) + ", " + std::to_string(near[2]) +
                           ") m");
    point.x = nodes * shape.N;
    point.dN = shape.dN * J.inverse();
    point.N = std::move(shape.N);
    points.push_back(std::move(point));
  }
  return points;
}

MatrixX plane_strain_rows(const Gradients& dN, Eigen::Index per_node) {
  MatrixX B = MatrixX::Zero(3, per_node * dN.rows());
  for (Eigen::Index a = 0; a < dN.rows(); ++a) {
    B(0, per_node * a) = B(2, per_node * a + 1) = dN(a, 0);
    B(1, per_node * a + 1) = B(2, per_node * a) = dN(a, 1);
  }
  return B;
}

std::vector<MatrixX> incompatible_strain_rows(const std::vector<SurfacePoint>& rule,
                                              const std::vector<PlanePoint>& points, const PlanePlaces& nodes,
                                              const Mat3& law) {
  const Eigen::Matrix2d J0 = nodes * calc_surface_shape(4, false, {0, 0}).dN;
  std::vector<MatrixX> B, inner;
  Eigen::Matrix4d K_aa = Eigen::Matrix4d::Zero();
  MatrixX K_au = MatrixX::Zero(4, 8);
  for (size_t k = 0; k < points.size(); ++k) {
    Gradients d(2, 2);
    d << -2 * rule[k].xi[0], 0, 0, -2 * rule[k].xi[1];
    // Derivatives by the map of the centre, scaled so that their mean over the element is zero.
    const double scale = J0.determinant() / (points[k].weight / rule[k].weight);
    B.push_back(plane_strain_rows(points[k].dN));
    inner.push_back(plane_strain_rows(scale * d * J0.inverse()));
    K_aa += points[k].weight * inner[k].transpose() * law * inner[k];
    K_au += points[k].weight * inner[k].transpose() * law * B[k];
  }
  const MatrixX alpha = -K_aa.ldlt().solve(K_au);
  for (size_t k = 0; k < points.size(); ++k) B[k] += inner[k] * alpha;
  return B;
}

std::array<MatrixX, 3> make_second_order(int n_displacements) {
  std::array<MatrixX, 3> out;
  for (MatrixX& m : out) m = MatrixX::Zero(2 * n_displacements, 2 * n_displacements);
  for (int i = 0; i < 2 * n_displacements; i += 2) {
    out[0](i, i) = out[1](i + 1, i + 1) = 1;
    out[2](i, i + 1) = out[2](i + 1, i) = 1;
  }
  return out;
}

// Strains along axes of which the first lies along the vector, from those along the axes of the plane.
static Mat3 strain_turn(const Eigen::Vector2d& along) {
  const double c = along.normalized()[0], s = along.normalized()[1];
  Mat3 T;
  T << c * c, s * s, c * s, s * s, c * c, -c * s, -2 * c * s, 2 * c * s, c * c - s * s;
  return T;
}

Mat3 turned_law(const Mat3& law, const Eigen::Vector2d& along) {
  const Mat3 T = strain_turn(along);
  return T.transpose() * law * T;
}

Vec3 turned_strain(const Vec3& strain, const Eigen::Vector2d& along) {
  return strain_turn({along[0], -along[1]}) * strain;  // turned back
}

Eigen::Matrix2d turned_shear_law(const Eigen::Matrix2d& law, const Eigen::Vector2d& along) {
  const double c = along.normalized()[0], s = along.normalized()[1];
  Eigen::Matrix2d T;
  T << c, s, -s, c;
  return T.transpose() * law * T;
}

VectorX calc_node_areas(const SurfaceKind& kind, const std::vector<PlanePoint>& points) {
  VectorX areas = VectorX::Zero(kind.n_nodes());
  double whole = 0;
  for (const PlanePoint& point : points) {
    whole += point.weight;
    areas += point.weight * (kind.has_middles ? NodeValues(point.N.cwiseAbs2()) : point.N);
  }
  return whole / areas.sum() * areas;
}

void concentrate_mass(const std::vector<Vec3>& nodes, const VectorX& areas, int n_moving, Stations& stations) {
  const auto n_nodes = static_cast<Eigen::Index>(nodes.size());
  const Eigen::Index per_node = stations[0].N.cols() / n_nodes;
  Station at_node = stations[0];
  at_node.N.setZero();
  at_node.N_theta.setZero();
  at_node.R_theta.setZero();
  at_node.B.setZero();
  at_node.stiffness.setZero();
  at_node.thermal.setZero();
  at_node.L.setZero();
  at_node.N_phi.setZero();
  at_node.viscosity.setZero();
  for (MatrixX& shape : at_node.Psi) shape.resize(0, 0);
  for (Station& st : stations) {
    st.mass = 0;
    st.sigma.setZero();
    st.N.setZero();
    st.N_theta.setZero();
    st.phi_mass = 0;
  }
  for (Eigen::Index a = 0; a < n_nodes; ++a) {
    Station st = at_node;
    st.weight = areas[a];
    st.x = nodes[static_cast<size_t>(a)];
    for (int k = 0; k < n_moving; ++k) st.N(k, a * per_node + k) = 1;
    if (st.N_phi.size() > 0) st.N_phi(0, a * per_node + n_moving) = 1;
    if (per_node == 6)
      for (int k = 0; k < 3; ++k) st.N_theta(k, a * per_node + 3 + k) = st.R_theta(k, a * per_node + 3 + k) = 1;
    stations.push_back(std::move(st));
  }
}

MatrixX calc_extrapolation(const SurfaceKind& kind, bool is_constant, const std::vector<SurfacePoint>& rule) {
  const auto terms = [&](const Eigen::Vector2d& at) -> VectorX {
    if (is_constant) return VectorX::Ones(1);
    if (kind.n_corners == 3) return Vec3(1, at[0], at[1]);
    return Eigen::Vector4d(1, at[0], at[1], at[0] * at[1]);
  };
  const auto rows = [&](const std::vector<Eigen::Vector2d>& places) {
    MatrixX m(static_cast<Eigen::Index>(places.size()), terms(places[0]).size());
    for (size_t k = 0; k < places.size(); ++k) m.row(static_cast<Eigen::Index>(k)) = terms(places[k]).transpose();
    return m;
  };
  std::vector<Eigen::Vector2d> points;
  for (const SurfacePoint& point : rule) points.push_back(point.xi);
  const MatrixX P = rows(points);
  return rows(surface_nodes(kind.n_corners, kind.has_middles)) * (P.transpose() * P).inverse() * P.transpose();
}

}  // namespace elodyn
