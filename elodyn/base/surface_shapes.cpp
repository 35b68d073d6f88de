#include "elodyn/base/surface_shapes.hpp"

#include <cmath>

#include "elodyn/base/error.hpp"
#include "elodyn/base/quadrature.hpp"

namespace elodyn {
namespace {

// Corners of the quadrilateral.
constexpr double kXi[] = {-1, 1, 1, -1}, kEta[] = {-1, -1, 1, 1};

void calc_triangle(bool has_middles, const Eigen::Vector2d& xi, SurfaceShape& out) {
  const Vec3 L(1 - xi[0] - xi[1], xi[0], xi[1]);
  Eigen::Matrix<double, 3, 2> dL;
  dL << -1, -1, 1, 0, 0, 1;
  if (!has_middles) {
    out.N = L;
    out.dN = dL;
    return;
  }
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3;
    out.N[i] = L[i] * (2 * L[i] - 1);
    out.dN.row(i) = (4 * L[i] - 1) * dL.row(i);
    out.N[3 + i] = 4 * L[i] * L[j];
    out.dN.row(3 + i) = 4 * (L[j] * dL.row(i) + L[i] * dL.row(j));
  }
}

void calc_quadrilateral(bool has_middles, const Eigen::Vector2d& xi, SurfaceShape& out) {
  const double x = xi[0], y = xi[1];
  for (int i = 0; i < 4; ++i) {
    const double a = 1 + kXi[i] * x, b = 1 + kEta[i] * y;
    out.N[i] = a * b / 4;
    out.dN.row(i) << kXi[i] * b / 4, kEta[i] * a / 4;
    if (!has_middles) continue;
    const double c = kXi[i] * x + kEta[i] * y - 1;  // the serendipity corner: ¼ a b c
    out.dN.row(i) << kXi[i] * b * (c + a) / 4, kEta[i] * a * (c + b) / 4;
    out.N[i] *= c;
    const int j = (i + 1) % 4;
    if (kEta[i] == kEta[j]) {  // a side along ξ
      out.N[4 + i] = (1 - x * x) * b / 2;
      out.dN.row(4 + i) << -x * b, (1 - x * x) * kEta[i] / 2;
    } else {
      out.N[4 + i] = (1 - y * y) * a / 2;
      out.dN.row(4 + i) << (1 - y * y) * kXi[i] / 2, -y * a;
    }
  }
}

// Points of equal weight at (a, a), (1 − 2a, a), (a, 1 − 2a).
void add_orbit(double a, double weight, std::vector<SurfacePoint>& rule) {
  rule.push_back({{a, a}, weight});
  rule.push_back({{1 - 2 * a, a}, weight});
  rule.push_back({{a, 1 - 2 * a}, weight});
}

}  // namespace

SurfaceShape calc_surface_shape(int n_corners, bool has_middles, const Eigen::Vector2d& xi) {
  const int n = has_middles ? 2 * n_corners : n_corners;
  SurfaceShape out{NodeValues::Zero(n), NodeGradients::Zero(n, 2)};
  if (n_corners == 3)
    calc_triangle(has_middles, xi, out);
  else
    calc_quadrilateral(has_middles, xi, out);
  return out;
}

std::vector<Eigen::Vector2d> surface_nodes(int n_corners, bool has_middles) {
  std::vector<Eigen::Vector2d> nodes;
  if (n_corners == 3)
    nodes = {{0, 0}, {1, 0}, {0, 1}};
  else
    for (int i = 0; i < 4; ++i) nodes.emplace_back(kXi[i], kEta[i]);
  if (has_middles)
    for (size_t i = 0; i < static_cast<size_t>(n_corners); ++i)
      nodes.emplace_back((nodes[i] + nodes[(i + 1) % static_cast<size_t>(n_corners)]) / 2);
  return nodes;
}

std::vector<SurfacePoint> surface_rule(int n_corners, int n_points) {
  std::vector<SurfacePoint> rule;
  if (n_corners == 3) {
    ELODYN_REQUIRE(n_points == 1 || n_points == 3 || n_points == 6 || n_points == 12);
    if (n_points == 1) rule.push_back({{1.0 / 3, 1.0 / 3}, 0.5});
    if (n_points == 3) add_orbit(1.0 / 6, 1.0 / 6, rule);
    if (n_points == 6) {
      // Degree 4; both orbits in closed form.
      const double r10 = std::sqrt(10.0), s = std::sqrt(38 - 44 * std::sqrt(0.4));
      const double t = std::sqrt(213125 - 53320 * r10);
      add_orbit((8 - r10 + s) / 18, (620 + t) / 7440, rule);
      add_orbit((8 - r10 - s) / 18, (620 - t) / 7440, rule);
    }
    if (n_points == 12) {
      // Degree 6. Weights and places as printed, of the area 1.
      add_orbit(0.249286745170910, 0.116786275726379 / 2, rule);
      add_orbit(0.063089014491502, 0.050844906370207 / 2, rule);
      constexpr double a = 0.053145049844817, b = 0.310352451033784, weight = 0.082851075618374 / 2;
      for (const auto& [x, y] : {std::pair(a, b), std::pair(b, 1 - a - b), std::pair(1 - a - b, a)}) {
        rule.push_back({{x, y}, weight});
        rule.push_back({{y, x}, weight});
      }
    }
    return rule;
  }
  const int n = static_cast<int>(std::lround(std::sqrt(n_points)));
  ELODYN_REQUIRE(n * n == n_points);
  for (const GaussPoint& b : gauss_rule(n))
    for (const GaussPoint& a : gauss_rule(n)) rule.push_back({{2 * a.xi - 1, 2 * b.xi - 1}, 4 * a.weight * b.weight});
  return rule;
}

}  // namespace elodyn
