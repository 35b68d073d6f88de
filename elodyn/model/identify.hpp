// What [analysis.identify] asks for: films of markers, how their motion is differentiated, what is known of the forces.
// Filled by the reader, trusted after validate().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/base/types.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

struct MarkerTracks;  // results/record.hpp

// A file of tracks, and where and when its numbers are.
struct TrackFile {
  enum class Format { automatic, tracker, optitrack, columns };
  std::string name;
  Mark mark;
  std::string file;  // as written
  Format format = Format::automatic;
  std::optional<double> unit;  // m: length of one unit of the file's coordinates; absent: as the file says, or 1
  std::vector<Located<std::string>> axes;  // of the file, "x" or "-y", that are x, y, z of the world; empty: the same
  Vec3 origin = Vec3::Zero();              // of the file's coordinates in the world, m
  double angle = 0;                        // of these axes in the world, about z, rad
  std::optional<double> rate;              // frames a second, whatever times the file has
  std::optional<double> start;             // of the first frame, s
  std::string time_column = "t";           // columns
  std::shared_ptr<const MarkerTracks> tracks;  // read from it; copies of the model share it
  Marks marks;
};

// A marker of the films and the point of a body that it shows.
struct FilmMarker {
  std::string name;  // as the file has it
  Mark mark;
  Located<std::string> at;                    // BODY.POINT
  std::vector<Located<std::string>> columns;  // of a file of columns: its x, y, z
  Marks marks;
};

struct IdentifyRequest {
  enum class Filter { spline, kalman, savitzky_golay };
  // filmed: of bodies that markers show, and those fixed to them; completed: of all, as the joints make them move
  enum class Motion { filmed, completed };
  std::vector<TrackFile> films;
  std::vector<FilmMarker> markers;  // a marker that is named BODY.POINT needs none
  Filter filter = Filter::spline;
  std::optional<int> window;    // savitzky_golay: frames, odd; absent: found
  int degree = 4;               // savitzky_golay: of its polynomials
  std::optional<double> noise;  // m, standard deviation of a marker's coordinate; absent: found
  double trim = 0;      // s that are left out at both ends, where nothing is known of what comes before or after
  int longest_gap = 5;  // frames that are bridged; in longer gaps nothing is said
  Motion motion = Motion::filmed;
  std::vector<Located<std::string>> trust;    // motors and forces whose laws are taken as known
  std::vector<Located<std::string>> elastic;  // analyses that are done in the measured motion: "cycle", …
  Marks marks;
};

}  // namespace elodyn
