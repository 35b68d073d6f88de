#include "elodyn/model/surface_kind.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace elodyn {

std::span<const SurfaceKind> surface_kinds() {
  static constexpr std::array kinds = {
      SurfaceKind{.name = "membrane_t3", .n_corners = 3},
      SurfaceKind{.name = "membrane_rectangle", .n_corners = 4, .only_rectangles = true},
      SurfaceKind{.name = "membrane_q4", .n_corners = 4},
      SurfaceKind{.name = "membrane_t6", .n_corners = 3, .has_middles = true},
      SurfaceKind{.name = "membrane_q8", .n_corners = 4, .has_middles = true},
      SurfaceKind{.name = "plate_dkt", .n_corners = 3, .bends = true},
      SurfaceKind{.name = "plate_mitc4", .n_corners = 4, .bends = true, .shears = true},
      SurfaceKind{.name = "plate_acm", .n_corners = 4, .only_rectangles = true, .bends = true},
      SurfaceKind{.name = "plate_merged", .n_corners = 3, .only_rectangles = true, .bends = true},
      SurfaceKind{.name = "voids_t3", .n_corners = 3, .has_voids = true},
      SurfaceKind{.name = "voids_q4", .n_corners = 4, .has_voids = true},
      SurfaceKind{.name = "voids_t6", .n_corners = 3, .has_middles = true, .has_voids = true},
      SurfaceKind{.name = "voids_q8", .n_corners = 4, .has_middles = true, .has_voids = true},
  };
  return kinds;
}

std::string full_element_name(std::string_view name) {
  constexpr std::array<std::array<std::string_view, 2>, 3> kShort = {
      {{"membrane", "membrane_q4"}, {"plate", "plate_mitc4"}, {"voids", "voids_q4"}}};
  for (const auto& [known, meant] : kShort)
    if (name == known) return std::string(meant);
  return std::string(name);
}

double calc_warp(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 across = (c - a).cross(d - b);
  // From the mean of the corners to each of them along the normal it is the same.
  return std::abs(across.normalized().dot((a + c) - (b + d)) / 4) / std::sqrt(across.norm());
}

const SurfaceKind* find_surface_kind(std::string_view name) {
  const auto kinds = surface_kinds();
  const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const SurfaceKind& kind) { return kind.name == name; });
  return it == kinds.end() ? nullptr : &*it;
}

const SurfaceKind* find_surface_kind(const SurfaceKind& kind, int n_corners) {
  if (kind.n_corners == n_corners) return &kind;
  constexpr std::array<std::array<std::string_view, 2>, 3> kPairs = {
      {{"_t3", "_q4"}, {"_t6", "_q8"}, {"_dkt", "_mitc4"}}};
  for (const auto& [triangle, quadrilateral] : kPairs) {
    const std::string_view own = kind.n_corners == 3 ? triangle : quadrilateral;
    const std::string_view other = kind.n_corners == 3 ? quadrilateral : triangle;
    if (!kind.name.ends_with(own)) continue;
    return find_surface_kind(std::string(kind.name.substr(0, kind.name.size() - own.size())).append(other));
  }
  return nullptr;
}

}  // namespace elodyn
