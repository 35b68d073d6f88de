// A table of motion → MotionTable. A header row names the columns, in any order (io/read_columns.hpp):
//   t                 time, s, strictly increasing; required
//   ax, ay, az        acceleration of the body's origin, gravity subtracted, m/s²
//   wx, wy, wz        angular velocity, rad/s
//   ex, ey, ez        angular acceleration, rad/s²; left out: the derivative of the spline of w
// all in body axes; any other that is left out is zero.
// And the two tables of a mechanism: of a driver, t and position; of a motor, speed and torque.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/base/spline.hpp"
#include "elodyn/io/read_columns.hpp"
#include "elodyn/model/motion_table.hpp"

namespace elodyn {

// Nothing if there are mistakes. The lines that are spoken of become known to the diagnostics.
std::shared_ptr<const MotionTable> read_motion_table(const std::string& file_name, std::string_view text,
                                                     Diagnostics& diagnostics);

// The same of these.
std::shared_ptr<const CubicSpline> read_driver_table(const std::string& file_name, std::string_view text,
                                                     Diagnostics& diagnostics);
struct TorqueCurve {
  std::vector<double> speeds, torques;  // rad/s or m/s; N m or N
};
std::optional<TorqueCurve> read_torque_curve(const std::string& file_name, std::string_view text,
                                             Diagnostics& diagnostics);

}  // namespace elodyn
