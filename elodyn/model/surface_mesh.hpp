// A mesh of surfaces as files hold it: nodes and elements with the file's numbers, and named groups.
//   elements   triangles and quadrilaterals, with or without middles of their sides; nodes as in model/surface_kind.hpp
//   areas      groups of elements; an element may be in several
//   sides      groups of edges of elements, or of nodes
//   points     single nodes
// Nodes at one place are different nodes: a crack is a crack.
//
// An element is sound if its map x(ξ, η) = Σ Nₐxₐ has a Jacobian that points to one side:
//   j = x,ξ × x,η,   j · ∫j dξdη > 0                                                                      (1)
// at the points of the finest rule that elements of its shape use; without middles also at the corners, so that it is
// convex. (With middles the Jacobian may vanish at a corner: a quarter-point element at the tip of a crack.)
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/model/marks.hpp"
#include "elodyn/model/material.hpp"

namespace elodyn {

struct SurfaceMesh {
  using Number = std::int64_t;  // as in the file

  struct Node {
    Vec3 x = Vec3::Zero();  // m
    Number number = 0;
  };
  struct Element {
    Number number = 0;
    std::array<int, 8> nodes = {-1, -1, -1, -1, -1, -1, -1, -1};  // indices into `nodes`
    int n_corners = 3;
    bool has_middles = false;
    int line = 0;  // of the file, for messages

    size_t n_nodes() const { return static_cast<size_t>(has_middles ? 2 * n_corners : n_corners); }
  };
  // An edge of an element: its ends, and the middle between them or −1.
  using Piece = std::array<int, 3>;

  struct Area {
    std::string name;
    Mark mark;
    std::vector<int> elements = {};  // in the order of the file
    // What the file says of them; nothing: empty, 0.
    std::string material = {};
    double thickness = 0;  // m
  };
  struct Side {
    std::string name;
    Mark mark;
    std::vector<int> nodes = {};  // all, in rising order
    std::vector<Piece> pieces = {};
  };
  struct Point {
    std::string name;
    Mark mark;
    int node = -1;
  };

  std::string file;  // where it was read from
  int source = -1;   // of the diagnostics
  std::vector<Node> nodes;
  std::vector<Element> elements;
  std::vector<Area> areas;
  std::vector<Side> sides;
  std::vector<Point> points;
  std::vector<Material> materials;
  bool has_plane_strain = false, has_plane_stress = false;  // elements that say so

  const Area* find_area(const std::string& wanted) const;
  const Side* find_side(const std::string& wanted) const;
  const Material* find_material(const std::string& wanted) const;
  Mark mark_of(const Element& element) const { return {source, element.line, 1, 1}; }
  Vec3 centre_of(const Element& element) const;  // mean of its nodes
  size_t count_nodes(const Area& area) const;
};

// Whether both have the same nodes, elements and groups. Not compared: numbers of the file, the sense of edges,
// materials.
bool is_same_mesh(const SurfaceMesh& a, const SurfaceMesh& b);

// Largest ratio of smallest to mean Jacobian in the sense of (1): 1 for a parallelogram with straight sides, not above
// 0 for an element that is turned inside out, crossed or flat. Nothing may be assumed of the places; never NaN.
double calc_shape_quality(const SurfaceMesh& mesh, const SurfaceMesh::Element& element);

// If the mesh lies in a plane z = constant: turns elements so that their corners go round counter-clockwise, z looking
// at the reader. Returns the first that was turned, or −1, and how many.
std::pair<int, int> turn_counterclockwise(SurfaceMesh& mesh);

// Number of parts that share no nodes.
int count_parts(const SurfaceMesh& mesh);

}  // namespace elodyn
