// The nodes of an area: a grid over it, twice as fine if the elements have middles, from corner 1: i towards corner 2,
// j towards corner 4.
#pragma once

#include <array>

#include "elodyn/model/model.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {

class AreaGrid {
 public:
  // The corners must be points of the body.
  AreaGrid(const Body& body, const Area& area, const SurfaceKind& kind);

  int step() const { return step_; }  // from one element to the next
  int nx() const { return nx_; }      // i runs from 0 to nx
  int ny() const { return ny_; }
  double size() const;                // of the longer diagonal, m
  bool has_node(int i, int j) const;  // not in the middle of a quadrilateral
  Vec3 place(int i, int j) const;

 private:
  std::array<Vec3, 4> corners_;
  int step_, nx_, ny_;
  bool has_centres_;  // middles of the diagonals between triangles
};

}  // namespace elodyn
