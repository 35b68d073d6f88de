// The closed surface that cross-sections sweep along a member, for drawing.
// A corner (y, z) of a station's outline lies at x + y n + z b, with the triad (t, n, b) of the member there.
#pragma once

#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/model/section.hpp"

namespace elodyn {

struct SweepStation {
  Vec3 x = Vec3::Zero();          // of the section's centroid
  Mat3 triad = Mat3::Identity();  // columns t (along the member), n and b (section y and z); right-handed
  Outline outline, inner;         // inner: the hole, with as many corners as the outline, or empty
};

// Corner k of station i is point i·c + k, c corners a station, those of the hole after those of the outline.
struct Surface {
  Matrix3X points;
  std::vector<std::vector<int>> faces;  // counter-clockwise from outside: quadrilaterals and, of solid sections, caps
};

// Two stations or more, in the sense of t, with equal numbers of corners. Faces count their points from `first_point`,
// the number of points that the grid already has.
Surface sweep(const std::vector<SweepStation>& stations, int first_point = 0);

}  // namespace elodyn
