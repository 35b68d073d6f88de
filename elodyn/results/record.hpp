// What was measured, as the laboratory's files give it: read and written by io/, worked on by experiment/.
// SI units and radians. NaN: a gap.
#pragma once

#include <complex>
#include <string>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

// Positions of markers in the frames of a film.
struct MarkerTracks {
  std::string source;  // file
  int dimension = 2;   // 2: z is 0
  std::vector<double> times;
  struct Marker {
    std::string name;
    Matrix3X points;  // m, one column for each time; NaN: not seen
  };
  std::vector<Marker> markers;
};

// What a number was measured of; decides its unit.
enum class Measurand { unknown, displacement, velocity, acceleration, force, angle, rotation_speed, strain, voltage };

// Where and along what: a node and a direction.
struct MeasuredDof {
  std::string point;         // name, or number of the node
  int direction = 0;         // ±1, ±2, ±3: x, y, z; ±4, ±5, ±6: about them; 0: a scalar
  std::string name() const;  // "5:+y"
};

// A history in even steps, t = start + k·step, or at times of its own.
struct Signal {
  std::string name;
  MeasuredDof at;
  Measurand quantity = Measurand::unknown;
  std::string unit;  // SI; "" where the quantity is unknown
  double start = 0, step = 0;
  std::vector<double> times;  // empty: even
  std::vector<double> values;
  bool is_even() const { return times.empty(); }
  double time(size_t k) const { return is_even() ? start + step * static_cast<double>(k) : times[k]; }
};

// Response over excitation at each frequency.
struct FrfRecord {
  std::string name;
  MeasuredDof response, reference;
  Measurand response_quantity = Measurand::acceleration, reference_quantity = Measurand::force;
  std::vector<double> frequencies;  // rad/s
  std::vector<std::complex<double>> values;
  std::vector<double> coherence;  // empty: not known
  double added_decay = 0;         // 1/s: how much faster an exponential window has made all decay
};

// A mode that was identified from measurements, or read from a file.
struct MeasuredMode {
  double omega = 0;    // rad/s, undamped
  double damping = 0;  // share of critical
  std::vector<MeasuredDof> dofs;
  Eigen::VectorXcd shape;
};

// Where the points of a measurement are.
struct MeasuredGeometry {
  struct Node {
    std::string name;
    Vec3 x = Vec3::Zero();
  };
  std::vector<Node> nodes;
  std::vector<std::vector<int>> lines;  // indices of nodes
};

// All that one file holds.
struct MeasuredData {
  std::vector<std::string> sources;
  MeasuredGeometry geometry;
  std::vector<Signal> signals;
  std::vector<FrfRecord> frfs;
  std::vector<MeasuredMode> modes;
};

}  // namespace elodyn
