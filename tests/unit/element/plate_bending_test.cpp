// Bending of single plates: what their fields can represent, and mass at the nodes.
#include "elodyn/element/plate_bending.hpp"

#include <gtest/gtest.h>

#include "elodyn/element/registry.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {
namespace {

struct Case {
  const char* name;
  Bending bend;
  PlanePlaces nodes;
};
std::vector<Case> make_cases() {
  PlanePlaces triangle(2, 3), right(2, 3), quadrilateral(2, 4), rectangle(2, 4);
  triangle << 0.1, 0.9, 0.3, -0.2, 0.1, 0.8;
  right << 0, 0.7, 0, 0, 0, 0.4;
  quadrilateral << 0, 1, 0.8, -0.1, 0, 0.2, 0.9, 0.7;
  rectangle << 0, 0.6, 0.6, 0, 0, 0, 0.3, 0.3;
  const Eigen::Matrix2d turn = Eigen::Rotation2Dd(0.6).toRotationMatrix();
  right = (turn * right).eval();
  rectangle = (turn * rectangle).eval();
  return {{"plate_dkt", bend_dkt, triangle},
          {"plate_mitc4", bend_mitc4, quadrilateral},
          {"plate_acm", bend_acm, rectangle},
          {"plate_merged", bend_merged, right}};
}

std::vector<BendingPoint> bend(const Case& c, std::vector<PlanePoint>& points) {
  const SurfaceKind& kind = *find_surface_kind(c.name);
  points = calc_plane_points(kind, surface_rule(kind.n_corners, kind.n_corners == 3 ? 6 : 9), c.nodes, Vec3::Zero());
  return c.bend(c.nodes, points);
}

// w = ½ x·H x + s·x + c with the normal's turn to it: constant curvature −H, no shear. MITC4 has no quadratic w inside,
// but the right curvature and no shear; the others have w itself.
TEST(PlateBending, ConstantCurvature) {
  const Eigen::Matrix2d H = (Eigen::Matrix2d() << 0.7, -0.4, -0.4, 1.3).finished();
  const Eigen::Vector2d s(0.2, -0.5);
  const auto slope = [&](const Eigen::Vector2d& x) -> Eigen::Vector2d { return H * x + s; };
  const auto w = [&](const Eigen::Vector2d& x) { return 0.5 * x.dot(H * x) + s.dot(x) + 0.3; };
  for (const Case& c : make_cases()) {
    VectorX d(3 * c.nodes.cols());
    for (Eigen::Index a = 0; a < c.nodes.cols(); ++a) {
      const Eigen::Vector2d x = c.nodes.col(a), g = slope(x);
      d.segment<3>(3 * a) << w(x), g[1], -g[0];
    }
    std::vector<PlanePoint> points;
    const std::vector<BendingPoint> bent = bend(c, points);
    for (size_t k = 0; k < points.size(); ++k) {
      const Eigen::Vector2d g = slope(points[k].x);
      EXPECT_LE((bent[k].curvature * d + Vec3(H(0, 0), H(1, 1), 2 * H(0, 1))).norm(), 1e-12) << c.name;
      EXPECT_LE((bent[k].turn * d - Eigen::Vector2d(g[1], -g[0])).norm(), 1e-12) << c.name;
      if (bent[k].shear.size() > 0) {
        EXPECT_LE((bent[k].shear * d).norm(), 1e-12) << c.name;
        continue;
      }
      EXPECT_NEAR(bent[k].w.dot(d), w(points[k].x), 1e-12) << c.name;
      EXPECT_LE((bent[k].slope * d - g).norm(), 1e-12) << c.name;
    }
  }
}

// Slopes and curvatures are derivatives: by central differences of the fields, here along axis 1. Fields are at most
// cubic, so that the differences are right to h².
TEST(PlateBending, SlopesAreDerivatives) {
  for (const Case& c : make_cases()) {
    const SurfaceKind& kind = *find_surface_kind(c.name);
    constexpr double h = 1e-4;
    const VectorX d = VectorX::LinSpaced(3 * c.nodes.cols(), -1, 2).array().sin();
    std::vector<PlanePoint> points;
    const std::vector<BendingPoint> bent = bend(c, points);
    const auto shifted = [&](const PlanePoint& point, double step) {
      // ξ that moves x by (step, 0), to first order; exact for the maps that are linear, near enough for the other.
      const Eigen::Matrix2d J = c.nodes * calc_surface_shape(kind.n_corners, false, point.xi).dN;
      const Eigen::Vector2d xi = point.xi + J.inverse() * Eigen::Vector2d(step, 0);
      return c.bend(c.nodes, calc_plane_points(kind, {{xi, 1}}, c.nodes, Vec3::Zero()))[0];
    };
    for (size_t k = 0; k < points.size(); ++k) {
      const BendingPoint before = shifted(points[k], -h), after = shifted(points[k], h);
      EXPECT_NEAR((after.w - before.w).dot(d) / (2 * h), bent[k].slope.row(0).dot(d), 1e-6) << c.name;
      const Eigen::Vector2d turned = (after.turn - before.turn) * d / (2 * h);
      EXPECT_NEAR(turned[1], bent[k].curvature.row(0).dot(d), 1e-5) << c.name;
    }
  }
}

TEST(PlateBending, MergedRefusesEqualLegsAndOtherTriangles) {
  PlanePlaces equal(2, 3), oblique(2, 3);
  equal << 0, 1, 0, 0, 0, 1.0002;
  oblique << 0, 1, 0.3, 0, 0, 0.5;
  EXPECT_THROW(bend_merged(equal, {}), NumericalError);
  EXPECT_THROW(bend_merged(oblique, {}), NumericalError);
}

// Lumped mass: the whole of it, and for three nodes its centre.
TEST(LumpedMass, KeepsTheMass) {
  for (const char* name : {"membrane_t3", "membrane_q4", "membrane_t6", "membrane_q8", "plate_dkt", "plate_mitc4"}) {
    const Element& element = *elements().find(name);
    const SurfaceKind& kind = *find_surface_kind(name);
    ElementData data;
    data.dimension = kind.dimension();
    data.density = 2000;
    data.sheet.thickness = 0.01;
    data.sheet.law = Mat3::Identity() * 1e9;
    data.sheet.shear_law = Eigen::Matrix2d::Identity() * 1e9;
    data.nodes = {Vec3(0, 0, 0), Vec3(1, 0.1, 0), Vec3(0.9, 1.2, 0), Vec3(-0.1, 0.8, 0)};
    data.nodes.resize(static_cast<size_t>(kind.n_corners));
    for (size_t k = 0, n = data.nodes.size(); kind.has_middles && k < n; ++k)
      data.nodes.push_back((data.nodes[k] + data.nodes[(k + 1) % n]) / 2);
    Stations spread, lumped;
    element.calc_stations(data, spread);
    data.sheet.lumped = true;
    element.calc_stations(data, lumped);
    const int n = element.n_dofs(data);
    const auto mass = [&](const Stations& stations) {
      MatrixX M = MatrixX::Zero(n, n);
      for (const Station& st : stations) M += st.weight * st.mass * st.N.transpose() * st.N;
      return M;
    };
    VectorX along = VectorX::Zero(n);
    const int per_node = n / element.n_nodes();
    for (int a = 0; a < element.n_nodes(); ++a) along[a * per_node] = 1;
    const MatrixX M = mass(lumped);
    EXPECT_NEAR(along.dot(M * along), along.dot(mass(spread) * along), 1e-12) << name;
    EXPECT_TRUE(M.isDiagonal(0)) << name;
    EXPECT_GE(M.diagonal().minCoeff(), 0) << name;
    Vec3 centre = Vec3::Zero(), want = Vec3::Zero();
    for (const Station& st : lumped) centre += st.weight * st.mass * st.x;
    for (const Station& st : spread) want += st.weight * st.mass * st.x;
    const double moved = (centre - want).norm();
    EXPECT_LE(element.n_nodes() == 3 ? moved : 0, 1e-12) << name;
  }
}

}  // namespace
}  // namespace elodyn
