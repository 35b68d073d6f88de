// Motion of a body's frame as samples over time, with a cubic spline through each column (base/spline.hpp).
//   a   acceleration of the origin, gravity subtracted, m/s²
//   w   angular velocity, rad/s
//   e   angular acceleration, rad/s²; not given: ẇ, the rate of the components, which in body axes is all of ω̇
// All in body axes. A smooth motion is met to order 4 in the time between samples, e = ẇ to order 3.
// Limits: nothing is known outside of the first and the last sample, unless the motion repeats itself.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "elodyn/base/spline.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

// The last cycle of a mechanism, counted by the angle of a joint that turns over and over.
struct Cycle {
  std::string joint;
  CubicSpline angle;         // rad, over the times of the table
  double start = 0;          // s
  double period = 0;         // s
  int turns = 1;             // of the joint in a period
  double return_error = 0;   // largest change of motion and loads from one period to the next, relative to their size
  bool is_periodic = false;  // the error is that of interpolation and integration
};

struct MotionTable {
  using Columns = std::array<std::optional<CubicSpline>, 3>;  // along x, y, z; absent: not given

  double start = 0, end = 0;  // s, of all columns
  Columns a, w, e;
  Marks marks;                 // of the columns: "ax" … "ez"
  std::optional<Cycle> cycle;  // of a body of a mechanism

  bool contains(double t) const { return t >= start && t <= end; }
  // After the end of a motion that repeats itself: the same instant of its last cycle; else t.
  double fold(double t) const;

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
