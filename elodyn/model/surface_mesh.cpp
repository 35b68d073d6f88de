#include "elodyn/model/surface_mesh.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/base/surface_shapes.hpp"
#include "elodyn/model/find_by_name.hpp"

namespace elodyn {
namespace {

template <class T, class Same>
bool are_same(const std::vector<T>& a, const std::vector<T>& b, const Same& same) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

bool is_same_edge(const SurfaceMesh::Piece& p, const SurfaceMesh::Piece& q) {
  return std::minmax(p[0], p[1]) == std::minmax(q[0], q[1]) && p[2] == q[2];
}

using Gradients = Eigen::Matrix<double, Eigen::Dynamic, 2>;
struct JudgedPoint {
  Gradients dN;
  double weight = 0;
};

// The points of (1) for an element of that shape; weight 0: a corner.
const std::vector<JudgedPoint>& judged_points(int n_corners, bool has_middles) {
  static const auto make = [](int corners, bool middles) {
    std::vector<JudgedPoint> points;
    const int n_rule = corners == 3 ? (middles ? 6 : 1) : (middles ? 9 : 4);
    for (const SurfacePoint& point : surface_rule(corners, n_rule))
      points.push_back({calc_surface_shape(corners, middles, point.xi).dN, point.weight});
    if (corners == 4 && !middles)
      for (const Eigen::Vector2d& xi : surface_nodes(4, false)) points.push_back({calc_surface_shape(4, false, xi).dN});
    return points;
  };
  static const std::array<std::vector<JudgedPoint>, 4> all = {make(3, false), make(3, true), make(4, false),
                                                              make(4, true)};
  return all[(n_corners == 4 ? 2u : 0u) + (has_middles ? 1u : 0u)];
}

Vec3 calc_corner_normal(const SurfaceMesh& mesh, const SurfaceMesh::Element& element) {
  Vec3 sum = Vec3::Zero();
  const auto x = [&](int k) -> const Vec3& {
    return mesh.nodes[static_cast<size_t>(element.nodes[static_cast<size_t>(k)])].x;
  };
  for (int k = 1; k + 1 < element.n_corners; ++k) sum += (x(k) - x(0)).cross(x(k + 1) - x(0));
  return sum;
}

}  // namespace

const SurfaceMesh::Area* SurfaceMesh::find_area(const std::string& wanted) const { return find_by_name(areas, wanted); }
const SurfaceMesh::Side* SurfaceMesh::find_side(const std::string& wanted) const { return find_by_name(sides, wanted); }
const Material* SurfaceMesh::find_material(const std::string& wanted) const { return find_by_name(materials, wanted); }

Vec3 SurfaceMesh::centre_of(const Element& element) const {
  Vec3 sum = Vec3::Zero();
  for (size_t k = 0; k < element.n_nodes(); ++k) sum += nodes[static_cast<size_t>(element.nodes[k])].x;
  return sum / static_cast<double>(element.n_nodes());
}

size_t SurfaceMesh::count_nodes(const Area& area) const {
  std::vector<bool> is_there(nodes.size(), false);
  for (const int e : area.elements) {
    const Element& element = elements[static_cast<size_t>(e)];
    for (size_t k = 0; k < element.n_nodes(); ++k) is_there[static_cast<size_t>(element.nodes[k])] = true;
  }
  return static_cast<size_t>(std::count(is_there.begin(), is_there.end(), true));
}

bool is_same_mesh(const SurfaceMesh& a, const SurfaceMesh& b) {
  using M = SurfaceMesh;
  return are_same(a.nodes, b.nodes, [](const M::Node& p, const M::Node& q) { return p.x == q.x; }) &&
         are_same(a.elements, b.elements,
                  [](const M::Element& p, const M::Element& q) {
                    return p.n_corners == q.n_corners && p.has_middles == q.has_middles && p.nodes == q.nodes;
                  }) &&
         are_same(a.areas, b.areas,
                  [](const M::Area& p, const M::Area& q) { return p.name == q.name && p.elements == q.elements; }) &&
         are_same(a.sides, b.sides,
                  [](const M::Side& p, const M::Side& q) {
                    return p.name == q.name && p.nodes == q.nodes && are_same(p.pieces, q.pieces, is_same_edge);
                  }) &&
         are_same(a.points, b.points,
                  [](const M::Point& p, const M::Point& q) { return p.name == q.name && p.node == q.node; });
}

double calc_shape_quality(const SurfaceMesh& mesh, const SurfaceMesh::Element& element) {
  const std::vector<JudgedPoint>& points = judged_points(element.n_corners, element.has_middles);
  std::array<Vec3, 13> jacobians;
  Vec3 mean = Vec3::Zero();
  double area = 0;  // of the shape in (ξ, η)
  double size = 0;  // of the element, so that products neither overflow nor vanish
  const auto place = [&](size_t k) -> const Vec3& { return mesh.nodes[static_cast<size_t>(element.nodes[k])].x; };
  for (size_t k = 1; k < element.n_nodes(); ++k) size = std::max(size, (place(k) - place(0)).cwiseAbs().maxCoeff());
  if (!(size > 0) || !std::isfinite(size)) return 0;
  for (size_t p = 0; p < points.size(); ++p) {
    Vec3 along = Vec3::Zero(), across = Vec3::Zero();
    for (size_t k = 1; k < element.n_nodes(); ++k) {
      const Vec3 x = (place(k) - place(0)) / size;
      along += points[p].dN(static_cast<Eigen::Index>(k), 0) * x;
      across += points[p].dN(static_cast<Eigen::Index>(k), 1) * x;
    }
    jacobians[p] = along.cross(across);
    mean += points[p].weight * jacobians[p];
    area += points[p].weight;
  }
  mean /= area;
  constexpr double kFlat = 1e-9;  // of a square with the element's size: below, places are known no better
  const double square = mean.squaredNorm();
  if (!(std::sqrt(square) > kFlat)) return 0;
  double smallest = 1;
  for (size_t p = 0; p < points.size(); ++p) smallest = std::min(smallest, jacobians[p].dot(mean) / square);
  return smallest > kFlat ? smallest : std::min(smallest, 0.0);
}

std::pair<int, int> turn_counterclockwise(SurfaceMesh& mesh) {
  int first = -1, count = 0;
  if (mesh.nodes.empty()) return {first, count};
  const double z = mesh.nodes[0].x.z();
  for (const SurfaceMesh::Node& node : mesh.nodes)
    if (node.x.z() != z) return {first, count};
  for (size_t e = 0; e < mesh.elements.size(); ++e) {
    SurfaceMesh::Element& element = mesh.elements[e];
    if (!(calc_corner_normal(mesh, element).z() < 0)) continue;
    // The first corner stays: 1 4 3 2, and the middles with their sides.
    std::reverse(element.nodes.begin() + 1, element.nodes.begin() + element.n_corners);
    if (element.has_middles)
      std::reverse(element.nodes.begin() + element.n_corners, element.nodes.begin() + 2 * element.n_corners);
    if (first < 0) first = static_cast<int>(e);
    ++count;
  }
  return {first, count};
}

int count_parts(const SurfaceMesh& mesh) {
  std::vector<int> root(mesh.nodes.size());
  for (size_t i = 0; i < root.size(); ++i) root[i] = static_cast<int>(i);
  const auto find = [&](int i) {
    while (root[static_cast<size_t>(i)] != i)
      i = root[static_cast<size_t>(i)] = root[static_cast<size_t>(root[static_cast<size_t>(i)])];
    return i;
  };
  int parts = static_cast<int>(mesh.nodes.size());
  for (const SurfaceMesh::Element& element : mesh.elements)
    for (size_t k = 1; k < element.n_nodes(); ++k) {
      const int a = find(element.nodes[0]), b = find(element.nodes[k]);
      if (a == b) continue;
      root[static_cast<size_t>(a)] = b;
      --parts;
    }
  return parts;
}

}  // namespace elodyn
