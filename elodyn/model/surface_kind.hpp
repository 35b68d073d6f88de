// Elements of surfaces by name, as the checks and the mesher must know them: their shape and what moves at their nodes.
//   membrane: u, v in the body's xy plane, a body of dimension 2
//   voids:    the same, and the change of volume fraction φ
//   plate:    displacement and rotation in any plane, a body of dimension 3
// Nodes: the corners round the element, then the middles of its sides from corner 1 on.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "elodyn/base/types.hpp"

namespace elodyn {

struct SurfaceKind {
  std::string_view name;
  int n_corners = 3;
  bool has_middles = false;
  bool only_rectangles = false;  // as areas, which triangles halve
  bool bends = false;            // a plate
  bool shears = false;           // across it: its normal turns for itself
  bool has_voids = false;

  int n_nodes() const { return has_middles ? 2 * n_corners : n_corners; }
  int dimension() const { return bends ? 3 : 2; }
};

std::span<const SurfaceKind> surface_kinds();

// How far the corners of a quadrilateral lie from its mean plane, as a part of its size (the root of twice its area); a
// plate may have at most so much.
inline constexpr double kMostWarp = 0.05;
double calc_warp(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);
// `membrane`, `plate` and `voids` mean the element that is best for most: their quadrilateral of 4 nodes, beside which
// a mesh file may have triangles of 3. Other names mean themselves.
std::string full_element_name(std::string_view name);
const SurfaceKind* find_surface_kind(std::string_view name);  // null: a beam, or nothing known
// The same kind with that number of corners, for meshes that mix triangles and quadrilaterals: …_t3 and …_q4 belong
// together, …_t6 and …_q8, plate_dkt and plate_mitc4. Null: there is none.
const SurfaceKind* find_surface_kind(const SurfaceKind& kind, int n_corners);

}  // namespace elodyn
