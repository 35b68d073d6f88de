// Tracks of markers as laboratories' programs write them → MarkerTracks.
//   tracker    exports of Tracker: `#multi:` or not, a row of names over groups of columns, then `t x y …`, times
//   first;
//              other columns of a group (frame, pixelx, …) are not looked at
//   optitrack  exports of Motive (OptiTrack): properties in the first line, rows Type, Name, …, then `Frame,Time
//              (Seconds),X,Y,Z,…`; columns of type Marker and component Position are taken
//   columns    any table with a header row: a column of times, and for each marker those that are named for it, or A_x,
//              A_y, A_z for a marker A
// Cells are separated by semicolons, commas or tabs; where these are not commas, numbers may have a decimal comma. An
// empty cell is a gap. Every mistake is reported with its line and column, up to a number that nobody reads beyond.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/io/text_file.hpp"
#include "elodyn/model/identify.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/results/record.hpp"

namespace elodyn {

// In the units, axes and time of `file`. Null if there are mistakes.
std::shared_ptr<const MarkerTracks> read_tracks(const std::string& file_name, std::string_view text,
                                                const TrackFile& file, const std::vector<FilmMarker>& markers,
                                                Diagnostics& diagnostics);

// Those of model.identify, which lie beside the model file; what its markers are called must be there.
void read_films(const std::string& model_file, const FileReader& read_file, Model& model, Diagnostics& diagnostics);

}  // namespace elodyn
