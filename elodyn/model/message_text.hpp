// Words that messages about a model share.
#pragma once

#include <string>
#include <string_view>

#include "elodyn/base/text.hpp"
#include "elodyn/base/types.hpp"

namespace elodyn {

inline std::string tick(std::string_view name) { return "`" + std::string(name) + "`"; }

inline std::string place_text(const Vec3& x) {
  return "(" + shortest(x.x()) + ", " + shortest(x.y()) + ", " + shortest(x.z()) + ") m";
}

}  // namespace elodyn
