// The records of a simulated experiment as the files of a laboratory (io/write_tracks.hpp).
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "elodyn/model/measure.hpp"
#include "elodyn/results/measurement.hpp"

namespace elodyn {

// Into a directory that is there; returns the names of the files.
std::vector<std::string> write_measurement(const MeasureRequest& request, const Measurement& measurement,
                                           const std::filesystem::path& dir);

}  // namespace elodyn
