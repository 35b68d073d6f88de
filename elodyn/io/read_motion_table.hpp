// A table of motion → MotionTable. A header row names the columns, in any order:
//   t                 time, s, strictly increasing; required
//   ax, ay, az        acceleration of the body's origin, gravity subtracted, m/s²
//   wx, wy, wz        angular velocity, rad/s
//   ex, ey, ez        angular acceleration, rad/s²; left out: the derivative of the spline of w
// all in body axes; any other that is left out is zero. Cells are separated by commas, semicolons or tabs, whichever
// the header has; spaces around them, blank lines, lines that begin with # and Windows line ends are accepted.
// Strict: every mistake is reported with its line and column, up to a number that nobody reads beyond.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "elodyn/base/error.hpp"
#include "elodyn/model/motion_table.hpp"

namespace elodyn {

inline constexpr size_t kLargestTable = size_t{200} << 20;

// Nothing if there are mistakes. The lines that are spoken of become known to the diagnostics.
std::shared_ptr<const MotionTable> read_motion_table(const std::string& file_name, std::string_view text,
                                                     Diagnostics& diagnostics);

}  // namespace elodyn
