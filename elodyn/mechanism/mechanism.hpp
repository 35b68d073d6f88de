// A mechanism of rigid bodies in absolute coordinates:
//   M v̇ = Q + Aᵀλ,   A v = b,   A v̇ = γ,   Φ(q, t) = 0 for the holonomic rows, which come first                    (1)
// Planar, if all bodies have dimension 2: q = v̇-integrated (x, y, θ) of each body, x and y of its centre of mass in
// world axes. Spatial: q = (centre of mass, unit quaternion w, x, y, z), v = (velocity of the centre in world axes,
// angular velocity in body axes). So M is constant and its blocks are those of single bodies.
// Each body has a block of q and one of v, with their own sizes: coordinates of deformation can be added to it.
// Joints (model/mechanism.hpp) give Φ, A, γ in closed form, and coordinates x with ẋ = J v, ẍ = J v̇ + bias. A gear, a
// driver and a force on a coordinate are written with J alone.
// Source: [Haug1989]; docs/theory/mechanisms.md.
// Limits: full matrices, so some hundred coordinates. Evaluation is not thread-safe on one object, as it holds
// expressions: copy it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/linalg/elimination.hpp"
#include "elodyn/model/model.hpp"

namespace elodyn {

// Position and velocity; x are the joint coordinates, whose angles are counted on from the values that stand here.
struct MechanismState {
  double t = 0;
  VectorX q, v, x;
};

// Where a body is and how it moves. World axes but for w_B.
struct BodyPose {
  Vec3 C = Vec3::Zero(), v = Vec3::Zero();  // centre of mass
  double theta = 0;                         // planar
  double c = 1, s = 0;                      // of theta
  Mat3 R = Mat3::Identity();                // spatial: world from body
  Vec3 w = Vec3::Zero(), w_B = Vec3::Zero();
};

// All of (1) at one state, but the solution. Filled by Mechanism::evaluate; used again and again.
struct MechanismInstant {
  double t = 0;
  std::vector<BodyPose> poses;  // the ground is the last one
  VectorX phi;                  // of the holonomic rows
  RowMatrix A;
  VectorX b, gamma;
  VectorX Q;                // applied and gyroscopic, without friction that depends on reactions
  VectorX x, x_rate, bias;  // coordinates of the joints
  RowMatrix J;
  VectorX x_force;   // applied along each coordinate: motors, forces, springs, viscous friction
  VectorX source;    // force or torque of each of the mechanism's sources
  double power = 0;  // of all that is not in the potential energy, without drivers and Coulomb friction
  double kinetic = 0, potential = 0;
};

class Mechanism {
 public:
  // The model is valid. Elastic bodies move as rigid ones, with the mass properties that are given for them.
  explicit Mechanism(const Model& model, const std::map<std::string, MassProperties>& elastic = {});

  struct BodyBlock {
    std::string name;
    int q0 = 0, v0 = 0;  // where its coordinates and speeds begin
    int n_q = 0, n_v = 0;
    MassProperties mass;
  };
  // One side of a joint: a point and axes, fixed in a body.
  struct Side {
    int body = 0;                  // the ground: n_bodies()
    Vec3 r = Vec3::Zero();         // from the centre of mass, body axes
    Mat3 axes = Mat3::Identity();  // columns: reference, axis × reference, axis
  };
  struct JointBlock {
    std::string name;
    Joint::Kind kind = Joint::Kind::revolute;
    Side a, b;
    double radius = 0;
    double offset = 0;              // planar: of θ_b − θ_a where the relative angle is held
    int first_row = 0, n_rows = 0;  // holonomic
    int first_speed_row = 0, n_speed_rows = 0;
    int first_x = 0, n_x = 0;
    std::array<std::optional<double>, 2> position, speed;
    double coulomb = 0, pin_radius = 0, viscous = 0, smoothing = 1;
    bool has_coulomb() const { return coulomb > 0; }
  };
  struct GearBlock {
    std::string name;
    int x1 = 0, x2 = 0;
    double ratio = 1, constant = 0;
    int row = 0;
  };
  struct DriverBlock {
    std::string name;
    int x = 0, row = 0;
    Driver law;
  };
  // What acts along a coordinate or at a point: its force is reported by name.
  struct Source {
    enum class Kind { motor, force, point_force, spring, joint_spring };
    Kind kind = Kind::motor;
    std::string name;
    int x = 0;  // coordinate; −1: none
    std::optional<Expression> law;
    std::vector<double> speeds, torques;
    std::array<Expression, 3> force, moment;
    Side a, b;
    double stiffness = 0, damping = 0, free = 0;
  };

  bool is_planar() const { return planar_; }
  int n_bodies() const { return static_cast<int>(bodies_.size()); }
  int n_q() const { return n_q_; }
  int n_v() const { return n_v_; }
  int n_rows() const { return n_rows_; }
  int n_holonomic() const { return n_holonomic_; }
  int n_x() const { return n_x_; }
  double size() const { return size_; }            // a length, by which gaps are judged
  const VectorX& units() const { return units_; }  // of v: 1 for lengths, size() for angles
  const std::vector<BodyBlock>& bodies() const { return bodies_; }
  const std::vector<JointBlock>& joints() const { return joints_; }
  const std::vector<GearBlock>& gears() const { return gears_; }
  const std::vector<DriverBlock>& drivers() const { return drivers_; }
  const std::vector<Source>& sources() const { return sources_; }
  bool has_coulomb() const;
  int find_joint(const std::string& name) const;  // −1: none
  int find_body(const std::string& name) const;   // n_bodies(): the ground; −1: none

  // "joint B, force along y": what a row of A holds.
  std::string row_name(int row) const;
  std::string coordinate_name(int x) const;
  std::string describe_body(int body) const;  // with its joints
  bool coordinate_is_angle(int x) const;

  MechanismState make_guess(double t) const;       // from place and attitude of the bodies
  void set_gear_constant(int gear, double value);  // x₁ − ratio x₂
  void set_offsets(const MechanismState& state);   // held angles: the turn that is nearest to the state

  MechanismInstant make_instant() const;
  void evaluate(const MechanismState& state, MechanismInstant& at) const;

  // q̇ = N(q) v, and its derivative for given v̇.
  void calc_q_rate(const VectorX& q, const VectorX& v, VectorX& q_rate) const;
  void calc_q_second(const VectorX& q, const VectorX& v, const VectorX& a, VectorX& q_second) const;
  void calc_v(const VectorX& q, const VectorX& q_rate, VectorX& v) const;
  void add_step(VectorX& q, const VectorX& dv) const;  // q moved by a small dv = v dt
  void normalise(VectorX& q) const;                    // quaternions to unit length

  // into += M a.
  void add_mass_times(const VectorX& a, VectorX& into) const;
  MatrixX calc_mass() const;

  // Of a point of a body, given by r from the centre in body axes.
  Vec3 calc_point(const MechanismInstant& at, const Side& side) const;
  Vec3 calc_point_velocity(const MechanismInstant& at, const Side& side) const;
  Vec3 calc_point_acceleration(const MechanismInstant& at, const VectorX& a, const Side& side) const;
  Side make_side(const std::string& body_point) const;
  Mat3 calc_R(const MechanismInstant& at, int body) const;
  // The body's own origin, not its centre.
  Vec3 calc_origin(const MechanismInstant& at, int body) const;

 private:
  struct Rows;
  std::string joint_of(int x) const;
  void build_joint(const Joint& joint);
  Side make_joint_side(const Located<std::string>& point, const Vec3& axis, const Vec3& reference) const;
  void calc_poses(const MechanismState& state, MechanismInstant& at) const;
  void evaluate_planar(const JointBlock& joint, MechanismInstant& at) const;
  void evaluate_spatial(const JointBlock& joint, MechanismInstant& at) const;
  void evaluate_sources(MechanismInstant& at) const;
  void add_point_force(MechanismInstant& at, const Side& side, const Vec3& force) const;
  void add_moment(MechanismInstant& at, int body, const Vec3& moment) const;

  bool planar_ = true;
  int n_q_ = 0, n_v_ = 0, n_rows_ = 0, n_holonomic_ = 0, n_x_ = 0;
  double size_ = 1;
  Vec3 gravity_ = Vec3::Zero();
  VectorX units_;
  std::vector<bool> x_is_angle_;
  std::vector<BodyBlock> bodies_;
  std::vector<BodyPose> guesses_;
  std::vector<std::vector<Point>> points_;  // of each body, then of the ground
  std::vector<JointBlock> joints_;
  std::vector<GearBlock> gears_;
  std::vector<DriverBlock> drivers_;
  std::vector<Source> sources_;
};

// Value and two derivatives of what a driver asks for.
struct DriverValue {
  double position = 0, speed = 0, acceleration = 0;
};
DriverValue calc_driver(const Driver& driver, double t);
// Where its speed jumps between one of the times and the next, as at the kink of a position: there is no finite force
// that does this. Found by halving the interval that its acceleration does not explain.
struct SpeedJump {
  double t = 0, before = 0, after = 0;
};
std::optional<SpeedJump> find_speed_jump(const Driver& driver, const std::vector<double>& times);

}  // namespace elodyn
