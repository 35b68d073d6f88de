// What a simulated experiment has recorded: made by study/, written by io/ as a laboratory's files.
#pragma once

#include <optional>

#include "elodyn/results/record.hpp"

namespace elodyn {

struct Measurement {
  std::optional<MarkerTracks> film;
  MeasuredData data;  // histories of sensors
};

}  // namespace elodyn
