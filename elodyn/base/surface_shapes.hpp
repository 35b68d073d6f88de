// Shape functions of triangles and quadrilaterals and the rules that integrate them.
//   triangle: (ξ, η) with 0 ≤ ξ, η, ξ + η ≤ 1; corners (0,0), (1,0), (0,1)
//   quadrilateral: −1 ≤ ξ, η ≤ 1; corners (−1,−1), (1,−1), (1,1), (−1,1)
// With middles of the sides: complete quadratic triangle, serendipity quadrilateral of 8 nodes. Nodes as in
// model/surface_kind.hpp.
// Rules: triangle 1 point (degree 1), 3 points (degree 2), 6 points (degree 4), 12 points (degree 6)
// [Dunavant1985]; quadrilateral n × n Gauss.
#pragma once

#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

// Of at most 8 nodes, without heap.
using NodeValues = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 8, 1>;
using NodeGradients = Eigen::Matrix<double, Eigen::Dynamic, 2, 0, 8, 2>;
struct SurfaceShape {
  NodeValues N;
  NodeGradients dN;  // ∂/∂ξ, ∂/∂η
};
SurfaceShape calc_surface_shape(int n_corners, bool has_middles, const Eigen::Vector2d& xi);

// ξ, η of the nodes.
std::vector<Eigen::Vector2d> surface_nodes(int n_corners, bool has_middles);

struct SurfacePoint {
  Eigen::Vector2d xi;
  double weight = 0;  // they sum up to ½ or 4
};
std::vector<SurfacePoint> surface_rule(int n_corners, int n_points);

}  // namespace elodyn
