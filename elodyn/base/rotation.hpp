// Rotations: v̂ a = v × a, and Λ = exp(θ̂).
#pragma once

#include "elodyn/base/types.hpp"

namespace elodyn {

inline Mat3 skew(const Vec3& v) {
  Mat3 m;
  m << 0, -v[2], v[1], v[2], 0, -v[0], -v[1], v[0], 0;
  return m;
}

// The a with â = m − mᵀ; of XΣ = ∫(Xs)sᵀ it is ∫s × Xs.
template <class S>
Vec3Of<S> axial_of(const Mat3Of<S>& m) {
  return {m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)};
}
inline Vec3 axial_of(const Mat3& m) { return axial_of<double>(m); }

// Axes of a beam along the unit vector t as columns x, y, z:  z is the part of `orientation` across t, y = z × x.
inline Mat3 make_beam_axes(const Vec3& t, const Vec3& orientation) {
  Mat3 axes;
  axes.col(0) = t;
  axes.col(2) = (orientation - orientation.dot(t) * t).normalized();
  axes.col(1) = axes.col(2).cross(t);
  return axes;
}

}  // namespace elodyn
