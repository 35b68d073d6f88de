// Liaison forces: what a joint does to the two bodies that it joins. Rows i of the joint give on a body the force
// Σ λᵢ A_i over the body's columns; moved from the centre of mass to the joint's point,
//   M_P = M_C − (P − C) × F                                                                                      (1)
// With redundant rows only parts of λ are unique: λ + N z does the same to all bodies for every z, where the columns of
// N span AᵀN = 0. A component of a joint's force is determined if N does not reach it.
#pragma once

#include <array>
#include <vector>

#include "elodyn/mechanism/mechanism_motion.hpp"

namespace elodyn {

// Force and moment about a point, world axes. Planar: force x, y and moment z.
struct Wrench {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
};

// On each body at its own point of the joint.
struct JointLoad {
  Wrench reaction_a, reaction_b;  // of what the joint holds
  Wrench applied_a, applied_b;    // along its coordinates: motors, forces, springs, friction, drivers, gears
  Vec3 point_a, point_b;          // world
  Wrench total_a() const { return {reaction_a.force + applied_a.force, reaction_a.moment + applied_a.moment}; }
  Wrench total_b() const { return {reaction_b.force + applied_b.force, reaction_b.moment + applied_b.moment}; }
};

// For each joint. The instant is that of λ; friction as MotionSolver gives it.
void calc_joint_loads(const Mechanism& mechanism, const MechanismInstant& at, const VectorX& lambda,
                      const VectorX& friction, std::vector<JointLoad>& loads);

// What a row of A or J does, as a unit force along it, to the body of one side of a joint that sees it.
Wrench calc_row_wrench(const Mechanism& mechanism, const MechanismInstant& at, const Mechanism::Side& side,
                       const RowMatrix& rows, int row);

// Forces and springs between points, which act on bodies without a joint; in the order of the sources, of a spring on a
// and then on b. The ground is left out.
struct PointLoad {
  int source = 0;
  Mechanism::Side side;
  bool is_on_a = false;
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();  // world axes
};
void calc_point_loads(const Mechanism& mechanism, const MechanismInstant& at, std::vector<PointLoad>& loads);

// For each joint: which of force x, y, z, moment x, y, z of its reaction on b (world axes) are determined.
using Determined = std::array<bool, 6>;
std::vector<Determined> find_determined(const Mechanism& mechanism, const MechanismInstant& at);

// A joint over a motion, on body b at its point: rows force x, y, z, moment x, y, z; a column for each time.
struct JointHistory {
  Matrix6X world, body;                                          // total on b
  Matrix6X world_a, body_a;                                      // total on a
  Determined determined = {true, true, true, true, true, true};  // at all times
  double peak_force = 0, rms_force = 0, peak_moment = 0, rms_moment = 0, time_of_peak = 0;
};
// rms over the time of the motion, by trapezoids.
std::vector<JointHistory> calc_joint_histories(const Mechanism& mechanism, const MechanismMotion& motion,
                                               const RowChoice& rows);

}  // namespace elodyn
