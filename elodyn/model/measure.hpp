// What [analysis.measure] asks for: an experiment that is simulated, and whose records are written as a laboratory's
// files. Filled by the reader, trusted after validate().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

// A film: positions of markers in frames at equal times, with the noise of whoever looks for them in the pictures.
struct FilmRequest {
  enum class Format { tracker, csv, optitrack };
  static constexpr int kMostFrames = 2'000'000;
  std::string file;  // name of the file; empty: film.txt or film.csv
  Format format = Format::tracker;
  std::string unit = "mm";                    // of the coordinates in the file: m, cm, mm
  std::vector<Located<std::string>> markers;  // BODY.POINT
  double rate = 0;                            // frames a second
  double noise = 0;                           // standard deviation of each coordinate, m
  double pixel = 0;                           // m: coordinates are rounded to whole ones; 0: they are not
  double gaps = 0;                            // share of the positions that are not seen
  double outliers = 0;                        // share that is wrong by up to outlier_size
  double outlier_size = 0;                    // m
  Marks marks;

  const char* file_name() const;
};

struct MeasureRequest {
  std::optional<double> start;  // s; absent: when the mechanism has settled
  double duration = 0;          // s
  int seed = 1;                 // of all that is random
  std::optional<FilmRequest> film;
  Marks marks;
};

}  // namespace elodyn
