// What a run gives: outcome, provenance, modes, tables with units, fields on grids. Data only; io/ writes it.
#pragma once

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "elodyn/base/counted.hpp"
#include "elodyn/base/types.hpp"

namespace elodyn {

// Starts as "not run", so that forgetting to run cannot look like success.
struct Outcome {
  std::string status = "not run";  // "ok", or what went wrong in one word
  std::string message;             // where, why, what to try; empty if ok; a line for each failure
  bool ok() const { return status == "ok"; }
  void fail(const std::string& what);       // numbers failed; earlier failures are kept
  void interrupt(bool something_finished);  // the user wanted it to end; earlier failures are kept
};

struct Provenance {
  std::string program, version, commit, compiler, build_type;
  std::string command;  // as typed
  std::string input;    // file name
  std::string input_sha256;
  std::vector<std::string> settings;  // --set key=value
  std::string started;                // UTC, ISO 8601
};

// One entry for each complex pair with Im ≥ 0; two with omega 0 for a real pair.
struct Mode {
  int number = 0;
  std::string body;
  double omega = 0;                                    // rad/s, Im λ ≥ 0
  double growth = 0;                                   // 1/s, Re λ
  std::string label;                                   // axial, bending, coupled, support, rigid
  std::vector<std::pair<std::string, double>> shares;  // of the strain energy, largest first, sum 1
  double residual = 0;  // backward error of (λ, shape), coordinates scaled by diag(M)^-½
};

struct Column {
  std::string name;  // snake_case; the unit is apart
  std::string unit;  // "" for none
  std::variant<std::vector<double>, std::vector<std::string>> values;
};

struct Table {
  std::string name;   // file stem, snake_case
  std::string title;  // for people
  std::vector<Column> columns;
  bool is_history = false;  // many rows for plots: written to files, not shown to people

  size_t n_rows() const;
};

// Values at the points of a grid: one column a point, 1 row (scalar) or 3 rows (vector, world axes).
struct PointField {
  std::string name, unit;
  MatrixX values;
};

// A displacement that fields of a grid show: Re((re + i im) e^{iφ}) with `field`_re and, if it is complex, `field`_im,
// or `field` itself.
struct GridShape {
  std::string kind;   // mode, campbell, static, buckling
  std::string title;  // "mode 1, 44.81 Hz, bending"
  std::string field;
  int mode = 0;                                        // number of one of the modes; 0: none
  double omega = std::nan(""), growth = std::nan("");  // rad/s, 1/s
  int branch = -1, speed = -1;                         // of the Campbell diagram: indices; -1: none
};

// Polylines and faces in world axes with fields on their points.
struct Grid {
  std::string name;                     // file stem
  Matrix3X points;                      // m
  std::vector<std::vector<int>> cells;  // point numbers; two or more: a polyline
  std::vector<PointField> fields;
  // Point numbers around a polygon, three or more; the first is not repeated.
  std::vector<std::vector<int>> faces = {};
  std::string animation = {};  // of which it is a frame: files of its own collection; empty: none
  double time = 0;             // s, of the frame
  std::string body = {};       // whose it is; empty: of several
  std::vector<GridShape> shapes = {};
  int n_element_faces = 0;                    // the first so many faces are elements, of which pictures show every edge
  std::vector<std::string> point_names = {};  // of all points, "" for those without a name; or empty
};

// What a comparison found of one formalism; differences are relative to the default one.
struct FormalismReport {
  std::string name, level;  // level: element, system
  bool applies = true;
  std::string reason;         // why it does not
  double max_difference = 0;  // of its terms; of the trajectory if it makes no matrices
  // NaN: not computed
  double frequency_difference = std::nan(""), trajectory_difference = std::nan("");
  OperationCount operations;                          // of the derivation
  double seconds = 0, motion_seconds = std::nan("");  // of the derivation, of the trajectory
};

// A mode over the speed; NaN where it is not known.
struct CampbellBranch {
  std::string label;                  // "flap 1", "bending 2 backward"
  std::string kind;                   // as of a mode
  std::string whirl;                  // forward, backward, mixed, none: seen from the ground; empty: not a spatial beam
  std::vector<double> omega, growth;  // rad/s in the frame of the diagram, 1/s; one for each speed
};
struct CriticalSpeed {
  double speed = 0, order = 0;  // rad/s; ω = order·speed
  int branch = 0;               // index into the branches
};
struct Campbell {
  std::string body, frame;     // frame: rotating, fixed
  std::vector<double> speeds;  // rad/s
  std::vector<CampbellBranch> branches;
  std::vector<CriticalSpeed> critical_speeds;
  double error_bound = 0;  // relative, of all frequencies, by the reduced basis; 0: none was used
};

// What a mechanism did, in few numbers; histories are tables.
struct MechanismSummary {
  std::string kind, formalism;
  int n_freedoms = 0;                  // that the joints and drivers leave
  std::vector<std::string> redundant;  // constraints that follow from others
  struct Joint {
    std::string name, kind;
    double peak_force = 0, rms_force = 0, peak_moment = 0, rms_moment = 0;  // N, N m
    double time_of_peak = 0;                                                // s, of the force
    std::vector<std::string> undetermined;  // components that equilibrium leaves open: "force x", world axes
  };
  std::vector<Joint> joints;
  struct Event {
    std::string name;
    double t = 0;
    bool rising = true;
  };
  std::vector<Event> events;
  struct Singular {
    double t = 0;
    std::string where;
  };
  std::vector<Singular> singular;
  double position_drift = 0, velocity_drift = 0;  // largest |Φ| and |A v − b| of what is recorded
  double energy_error = 0;                        // J, largest |E − E₀ − work|
  double largest_kinetic = 0;                     // J
  long steps = 0, rejected = 0;
  bool stopped = false;  // by an event
};

struct Results {
  std::string title;
  Outcome outcome;
  std::vector<std::string> warnings;  // said to people, e.g. beyond divergence
  std::vector<Mode> modes;
  std::optional<bool> modes_are_complete;  // that none is missed was counted, or all were computed; absent: no modes
  std::vector<FormalismReport> formalisms;
  std::optional<Campbell> campbell;
  std::optional<MechanismSummary> mechanism;
  std::vector<Table> tables;
  std::vector<Grid> grids;
  std::map<std::string, double> timings;  // s
  Provenance provenance;

  const Table* find_table(const std::string& name) const;
  bool is_empty() const {
    return modes.empty() && formalisms.empty() && !campbell && !mechanism && tables.empty() && grids.empty();
  }
};

}  // namespace elodyn
