// Files of measurements by their names: .uff, .unv (io/uff.hpp), or a table of histories (.csv, .tsv, .txt):
//   a header `t [s], 5:+z [m/s^2], 1:+x [N], …`, the time first; NAME [unit] of a history, whose quantity the unit says
//   and whose dof is NAME if it is POINT:±AXIS (x, y, z, rx, ry, rz). The unit of the time may be ms, too.
// Cells are separated by commas, semicolons or tabs, whichever the header has; with semicolons or tabs a decimal comma
// is understood. An empty cell is a gap. Lines that begin with # are remarks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "elodyn/base/error.hpp"
#include "elodyn/io/uff.hpp"
#include "elodyn/results/record.hpp"

namespace elodyn {

inline constexpr size_t kLargestMeasurement = size_t{4} << 30;

// Nothing if there are mistakes, each at its line and column.
std::shared_ptr<const MeasuredData> read_measured(const std::string& file_name, std::string_view text,
                                                  Diagnostics& diagnostics);
std::optional<MeasuredData> read_histories(const std::string& file_name, std::string_view text,
                                           Diagnostics& diagnostics);

// What a name like this has: empty: can be written.
std::string describe_wrong_name(const std::string& file_name);
// By the ending of the name. Throws InputError for what the format has no place for.
std::string to_measured_text(const std::string& file_name, const MeasuredData& data, const UffFormat& format = {});

}  // namespace elodyn
