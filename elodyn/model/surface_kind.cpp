#include "elodyn/model/surface_kind.hpp"

#include <algorithm>

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

const SurfaceKind* find_surface_kind(std::string_view name) {
  const auto kinds = surface_kinds();
  const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const SurfaceKind& kind) { return kind.name == name; });
  return it == kinds.end() ? nullptr : &*it;
}

}  // namespace elodyn
