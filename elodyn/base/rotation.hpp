// Rotations: v̂ a = v × a, and Λ = exp(θ̂).
#pragma once

#include "elodyn/base/types.hpp"

namespace elodyn {

inline Mat3 skew(const Vec3& v) {
  Mat3 m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

}  // namespace elodyn
