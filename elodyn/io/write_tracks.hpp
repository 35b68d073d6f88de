// Tracks of markers as text, in the forms that io/read_tracks.hpp reads. A position that is not known is an empty cell.
//   tracker    the export of several points by Tracker: `#multi:`, names over their groups, the columns t, x, y, x, y,
//   … optitrack  the export of Motive, version 1.23: properties, names, axes; z up is not turned csv        t, A_x,
//   A_y, …
#pragma once

#include <string>

#include "elodyn/model/measure.hpp"
#include "elodyn/results/record.hpp"

namespace elodyn {

// Coordinates in that unit: m, cm, mm.
std::string to_text(const MarkerTracks& tracks, FilmRequest::Format format, const std::string& unit);
// Length of one; 0: unknown.
double length_of_unit(const std::string& unit);

}  // namespace elodyn
