// The modes of a spinning body over its speed, joined to branches.
// From one speed to the next the modes are assigned to each other by the correlation of their states
// (linalg/speed_pencil.hpp), all at once (linalg/assignment.hpp). Between them a speed is added where this is doubtful:
// a correlation is low, a value is far from where the slopes put it, or two branches change places. So they are
// followed through a narrow veering, where shapes change over while the values never meet, and through a crossing,
// where values meet and shapes do not care; down to a smallest step. Branches are curves λ(Ω) that may cross, but do
// not jump. A mode that passes through λ = 0 goes on as its conjugate.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "elodyn/linalg/speed_pencil.hpp"

namespace elodyn {

struct TrackOptions {
  int count = 10;          // branches, the lowest at the first speed; those that grow somewhere come besides
  double smallest = 1e-6;  // step, of the whole range
  int most_added = 2000;   // speeds in all
  // Look for a veering at every least gap. Else only where the coupling of the two modes there allows one, which finds
  // the same with few solves.
  bool looks_everywhere = false;
};

// One speed of the sweep: which mode belongs to each branch; −1: none of those computed.
struct TrackPoint {
  PencilModes modes;
  std::vector<int> mode_of;
  bool is_asked = true;  // else added between
};

struct BranchEvent {
  enum class Kind { crossing, veering };
  double speed = 0;
  int first = 0, second = 0;  // branches
  Kind kind = Kind::crossing;
  double gap = 0;  // rad/s, the least distance of the two values
};

struct Track {
  std::vector<TrackPoint> points;  // ascending speeds
  int n_branches = 0;
  int n_doubtful = 0;  // joints that stayed doubtful at the smallest step
  std::vector<BranchEvent> events;

  const PencilModes& modes(size_t point) const { return points[point].modes; }
  // NaN where the branch is lost.
  std::complex<double> value(size_t point, int branch) const;
  // The last point at or below a speed.
  size_t find_point(double speed) const;
};

// Called from several threads at once.
using SolveAt = std::function<PencilModes(double speed)>;

// `solved`: at the asked speeds, ascending. `solve` gives more between them.
Track track_branches(std::vector<PencilModes> solved, const SolveAt& solve, const TrackOptions& options);

// The mode that each branch of a point has at another speed near it; −1: none.
std::vector<int> follow(const TrackPoint& from, const PencilModes& to);

}  // namespace elodyn
