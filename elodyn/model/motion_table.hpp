// Motion of a body's frame as samples over time, with a cubic spline through each column (base/spline.hpp).
//   a   acceleration of the origin, gravity subtracted, m/s²
//   w   angular velocity, rad/s
//   e   angular acceleration, rad/s²; not given: ẇ, the rate of the components, which in body axes is all of ω̇
// All in body axes. A smooth motion is met to order 4 in the time between samples, e = ẇ to order 3.
// Limits: nothing is known outside of the first and the last sample.
#pragma once

#include <array>
#include <optional>

#include "elodyn/base/spline.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

struct MotionTable {
  using Columns = std::array<std::optional<CubicSpline>, 3>;  // along x, y, z; absent: not given

  double start = 0, end = 0;  // s, of all columns
  Columns a, w, e;
  Marks marks;  // of the columns: "ax" … "ez"

  bool contains(double t) const { return t >= start && t <= end; }

  // Whether there is anything but zeros.
  bool accelerates_along(size_t axis) const;
  bool has_angular_velocity(size_t axis) const;
  bool has_angular_acceleration(size_t axis) const;  // given as such
  bool turns_about(size_t axis) const { return has_angular_velocity(axis) || has_angular_acceleration(axis); }

  // At a time that the table contains.
  double calc_acceleration(size_t axis, double t) const;
  double calc_angular_velocity(size_t axis, double t) const;
  double calc_angular_acceleration(size_t axis, double t) const;
};

}  // namespace elodyn
