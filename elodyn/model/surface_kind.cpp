#include "elodyn/model/surface_kind.hpp"

#include <algorithm>

namespace elodyn {

std::span<const SurfaceKind> surface_kinds() {
  static constexpr std::array kinds = {
      SurfaceKind{"membrane_t3", 3, false},
      SurfaceKind{"membrane_rectangle", 4, false, true},
      SurfaceKind{"membrane_q4", 4, false},
      SurfaceKind{"membrane_t6", 3, true},
      SurfaceKind{"membrane_q8", 4, true},
      SurfaceKind{"voids_t3", 3, false, false, true},
      SurfaceKind{"voids_q4", 4, false, false, true},
      SurfaceKind{"voids_t6", 3, true, false, true},
      SurfaceKind{"voids_q8", 4, true, false, true},
  };
  return kinds;
}

const SurfaceKind* find_surface_kind(std::string_view name) {
  const auto kinds = surface_kinds();
  const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const SurfaceKind& kind) { return kind.name == name; });
  return it == kinds.end() ? nullptr : &*it;
}

}  // namespace elodyn
