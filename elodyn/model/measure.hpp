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

// Sensors on an elastic body at rest, and the hammer that strikes it.
struct Accelerometer {
  Mark mark;
  Located<std::string> at;  // BODY.POINT
  int direction = 3;        // ±1, ±2, ±3
  double mass = 0;          // kg, which loads the body
  double range = 0;         // m/s²: beyond it the record is cut; 0: no end
  double noise = 0;         // m/s², standard deviation of each value
  double gain = 1;          // sensitivity over that of the data sheet
  Marks marks;
};

// Blows of  F (1 − cos 2πt/w)/2,  0 < t < w.
struct HammerRequest {
  std::vector<Located<std::string>> at;  // BODY.POINT; several: one record each
  int direction = 3;                     // ±1, ±2, ±3
  double force = 0;                      // N, largest
  double width = 0;                      // s
  double first = 0;                      // s, of the first blow after the record's start
  std::optional<double> interval;        // s, between blows; absent: one blow
  double scatter = 0;                    // standard deviation of the force, as a share
  double double_hits = 0;                // share of the blows that bounce
  double bounce_delay = 0.02;            // s, of the bounce, a third as strong
  double range = 0;                      // N: beyond it the record is cut; 0: no end
  double noise = 0;                      // N, standard deviation of each value
  Marks marks;
};

struct RecordsRequest {
  static constexpr double kMostValues = 2e8;
  enum class Numbers { text, single_binary, double_binary };
  std::string file = "records.uff";
  Numbers numbers = Numbers::single_binary;
  double rate = 0;  // Hz, values a second
  std::vector<Accelerometer> accelerometers;
  std::optional<HammerRequest> hammer;
  Marks marks;
};

struct MeasureRequest {
  std::optional<double> start;  // s; absent: when the mechanism has settled
  double duration = 0;          // s
  int seed = 1;                 // of all that is random
  std::optional<FilmRequest> film;
  std::optional<RecordsRequest> records;
  Marks marks;
};

}  // namespace elodyn
