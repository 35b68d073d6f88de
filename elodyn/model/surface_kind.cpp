#include "elodyn/model/surface_kind.hpp"

#include <algorithm>
#include <string>

namespace elodyn {

std::span<const SurfaceKind> surface_kinds() {
  static constexpr std::array kinds = {
      SurfaceKind{"membrane_t3", 3, false}, SurfaceKind{"membrane_rectangle", 4, false, true},
      SurfaceKind{"membrane_q4", 4, false}, SurfaceKind{"membrane_t6", 3, true},
      SurfaceKind{"membrane_q8", 4, true},
  };
  return kinds;
}

const SurfaceKind* find_surface_kind(std::string_view name) {
  const auto kinds = surface_kinds();
  const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const SurfaceKind& kind) { return kind.name == name; });
  return it == kinds.end() ? nullptr : &*it;
}

const SurfaceKind* find_surface_kind(const SurfaceKind& kind, int n_corners) {
  if (kind.n_corners == n_corners) return &kind;
  constexpr std::array<std::array<std::string_view, 2>, 2> kPairs = {{{"_t3", "_q4"}, {"_t6", "_q8"}}};
  for (const auto& [triangle, quadrilateral] : kPairs) {
    const std::string_view own = kind.n_corners == 3 ? triangle : quadrilateral;
    const std::string_view other = kind.n_corners == 3 ? quadrilateral : triangle;
    if (!kind.name.ends_with(own)) continue;
    return find_surface_kind(std::string(kind.name.substr(0, kind.name.size() - own.size())).append(other));
  }
  return nullptr;
}

}  // namespace elodyn
