// The motion of a mechanism over time.
//   kinematic   all freedoms are driven: at each time Φ(q,t) = 0 by Newton from the time before, A v = b, A v̇ = γ
//   inverse     the same; λ of the drivers is the force that they need
//   dynamic     from the assembled state by Dormand and Prince's pair of order 5(4) with a controlled step; after each
//               step q is moved back onto Φ = 0, then v onto A v = b, by the smallest changes in the norm of M. Records
//               and events between steps are found on the quintic with the q, q̇, q̈ of both ends, which is of the same
//               order, and are projected too.
// Work is integrated along: kinetic + potential energy − work of all else stays what it was.
// Errors (NumericalError) say at which time, in which joint.
#pragma once

#include <string>
#include <vector>

#include "elodyn/mechanism/assemble.hpp"

namespace elodyn {

struct MechanismMotion {
  std::vector<double> times;
  MatrixX q, v, a;                    // a column for each time
  MatrixX x, x_rate, x_acceleration;  // coordinates of the joints
  MatrixX lambda;                     // of each row of A; the shortest, if it is not unique
  MatrixX friction;                   // Coulomb, along each coordinate
  MatrixX source;                     // of each source of the mechanism: force or torque
  MatrixX driver;                     // of each driver: force or torque that it exerts
  VectorX kinetic, potential, power;  // power: of all that is not in the potential
  VectorX work;                       // since the start: dynamic only

  struct Drift {
    double position = 0, velocity = 0;  // largest |Φ| and |A v − b|
  };
  Drift step_drift;         // of a step as it comes out of the integration
  Drift drift;              // of what is recorded
  double energy_error = 0;  // largest |E − E₀ − work| after a step; dynamic only
  long steps = 0, rejected = 0, evaluations = 0;

  struct Event {
    std::string name;
    double t = 0;
    bool rising = true;
  };
  std::vector<Event> events;
  bool stopped = false;  // by an event
  bool interrupted = false;
  std::string failure;  // why it ends before its time, with MotionOptions::keeps_partial

  struct Singular {
    double t = 0;
    std::string where;  // the row that is about to depend on others
    double pivot = 0;
  };
  std::vector<Singular> singular;  // positions that were passed

  void drop_first();  // of the records
};

// An event with its joint looked up.
struct EventWatch {
  std::string name;
  int x = 0;
  MechanismEvent::Of of = MechanismEvent::Of::position;
  double value = 0;
  MechanismEvent::Direction direction = MechanismEvent::Direction::both;
  bool stop = false;
};

struct MotionOptions {
  MechanismRequest::Kind kind = MechanismRequest::Kind::dynamic;
  MechanismRequest::Formalism formalism = MechanismRequest::Formalism::kane;
  std::vector<double> times;  // ascending; the first is that of the assembly
  double tolerance = 1e-8;
  std::vector<EventWatch> events;
  long max_steps = 100'000'000;
  bool keeps_partial = false;  // what fails on the way ends the motion, and is no error
};
MotionOptions make_options(const Mechanism& mechanism, const MechanismRequest& request);

MechanismMotion run_mechanism(const Mechanism& mechanism, const Assembly& assembly, const MotionOptions& options);

}  // namespace elodyn
