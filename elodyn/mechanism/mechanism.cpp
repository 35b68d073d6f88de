#include "elodyn/mechanism/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/rotation.hpp"
#include "elodyn/base/text.hpp"

namespace elodyn {
namespace {

using Quaternion = Eigen::Quaterniond;

constexpr int kPlanarSize = 3, kSpatialPositions = 7, kSpatialSpeeds = 6;

Quaternion quaternion_at(const VectorX& q, int at) { return {q[at], q[at + 1], q[at + 2], q[at + 3]}; }
void put_quaternion(VectorX& q, int at, const Quaternion& value) {
  q[at] = value.w();
  q.segment<3>(at + 1) = value.vec();
}
// ½ q ∘ (0, w)
Quaternion half_product(const Quaternion& q, const Vec3& w) {
  const Quaternion product = q * Quaternion(0, w[0], w[1], w[2]);
  return Quaternion(0.5 * product.coeffs());
}

// How many rows a joint has: holonomic, then of speeds only.
std::pair<int, int> count_rows(Joint::Kind kind, bool planar) {
  switch (kind) {
    case Joint::Kind::revolute:
    case Joint::Kind::prismatic:
      return {planar ? 2 : 5, 0};
    case Joint::Kind::cylindrical:
    case Joint::Kind::universal:
      return {4, 0};
    case Joint::Kind::spherical:
      return {3, 0};
    case Joint::Kind::fixed:
      return {planar ? 3 : 6, 0};
    case Joint::Kind::point_on_line:
      return {planar ? 1 : 2, 0};
    case Joint::Kind::rolling:
      return {1, planar ? 1 : 2};
    case Joint::Kind::knife_edge:
      return {0, 1};
  }
  return {0, 0};
}

Vec3 default_reference(const Vec3& axis) {
  const Vec3 u = axis.normalized();
  return std::abs(u[0]) < 0.9 ? Vec3::UnitX() : Vec3::UnitY();
}

Mat3 make_axes(const Vec3& axis, const Vec3& reference) {
  Mat3 axes;
  axes.col(2) = axis.normalized();
  axes.col(0) = (reference - reference.dot(axes.col(2)) * axes.col(2)).normalized();
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return axes;
}

double value_of(const std::optional<AnyQuantity>& quantity) { return quantity ? quantity->value : 0; }

// Straight between the points and beyond the ends.
double interpolate(const std::vector<double>& xs, const std::vector<double>& ys, double x) {
  if (xs.size() == 1) return ys[0];
  const auto above = std::upper_bound(xs.begin() + 1, xs.end() - 1, x);
  const auto k = static_cast<size_t>(above - xs.begin());
  return ys[k - 1] + (ys[k] - ys[k - 1]) * (x - xs[k - 1]) / (xs[k] - xs[k - 1]);
}

}  // namespace

DriverValue calc_driver(const Driver& driver, double t) {
  if (driver.table) return {(*driver.table)(t), driver.table->derivative(t), driver.table->second_derivative(t)};
  if (!driver.position) {
    const double speed = (*driver.speed)(t);
    return {speed * t, speed, 0};
  }
  const Expression& f = *driver.position;
  DriverValue out{f(t), 0, 0};
  if (f.is_constant()) return out;
  out.speed = driver.speed ? (*driver.speed)(t) : f.derivative(t).value;
  if (driver.acceleration)
    out.acceleration = (*driver.acceleration)(t);
  else if (driver.speed)
    out.acceleration = driver.speed->derivative(t).value;
  else
    out.acceleration = f.second_derivative(t).value;
  return out;
}

std::optional<SpeedJump> find_speed_jump(const Driver& driver, const std::vector<double>& times) {
  constexpr double kJump = 1e-3, kNarrow = 1e-9;
  std::vector<DriverValue> at;
  double largest = 0;
  for (const double t : times) {
    at.push_back(calc_driver(driver, t));
    if (std::isfinite(at.back().speed)) largest = std::max(largest, std::abs(at.back().speed));
  }
  const double narrow = kNarrow * (times.back() - times.front());
  const auto unexplained = [](const DriverValue& a, const DriverValue& b, double h) {
    const double rest = std::abs(b.speed - a.speed - 0.5 * h * (a.acceleration + b.acceleration));
    return std::isfinite(rest) ? rest : 0;
  };
  for (size_t k = 0; k + 1 < times.size(); ++k) {
    double low = times[k], high = times[k + 1];
    DriverValue a = at[k], b = at[k + 1];
    while (unexplained(a, b, high - low) > kJump * largest) {
      if (high - low < narrow) return SpeedJump{low, a.speed, b.speed};
      const double middle = 0.5 * (low + high);
      const DriverValue m = calc_driver(driver, middle);
      if (unexplained(a, m, middle - low) > unexplained(m, b, high - middle))
        high = middle, b = m;
      else
        low = middle, a = m;
    }
  }
  return std::nullopt;
}

Mechanism::Mechanism(const Model& model, const std::map<std::string, MassProperties>& elastic)
    : gravity_(model.gravity) {
  for (const Body& body : model.bodies) planar_ = planar_ && body.dimension == 2;
  for (const Body& body : model.bodies) {
    BodyBlock block;
    block.name = body.name;
    block.q0 = n_q_;
    block.v0 = n_v_;
    block.n_q = planar_ ? kPlanarSize : kSpatialPositions;
    block.n_v = planar_ ? kPlanarSize : kSpatialSpeeds;
    n_q_ += block.n_q;
    n_v_ += block.n_v;
    const auto given = elastic.find(body.name);
    ELODYN_REQUIRE(body.is_rigid() || given != elastic.end());
    block.mass = given != elastic.end() ? given->second : body.calc_mass_properties();
    bodies_.push_back(block);
    points_.push_back(body.points);
    BodyPose guess;
    guess.R = calc_R_WB(body);
    guess.theta = body.attitude[2];
    guess.C = body.place + guess.R * block.mass.center;
    guesses_.push_back(guess);
  }
  points_.push_back(model.ground_points);

  for (const Joint& joint : model.joints) build_joint(joint);
  // What a gap is compared with: the largest arm of a joint, or what lies between the joints of the ground.
  double largest = 0;
  for (const JointBlock& joint : joints_)
    for (const Side* side : {&joint.a, &joint.b})
      if (side->body < n_bodies())
        largest = std::max({largest, side->r.norm(), joint.radius});
      else if (joints_.front().a.body == n_bodies())
        largest = std::max(largest, (side->r - joints_.front().a.r).norm());
  size_ = largest > 0 ? largest : 1;

  int row = 0;
  for (JointBlock& joint : joints_) {
    joint.first_row = row;
    row += joint.n_rows;
  }
  const auto coordinate_of = [&](const std::string& joint, int number) {
    const int index = find_joint(joint);
    ELODYN_REQUIRE(index >= 0);
    const JointBlock& block = joints_[static_cast<size_t>(index)];
    ELODYN_REQUIRE(number >= 1 && number <= block.n_x);
    return block.first_x + number - 1;
  };
  for (const Gear& gear : model.gears) {
    ELODYN_REQUIRE(gear.joints.size() == 2);
    gears_.push_back({gear.name, coordinate_of(gear.joints[0].value, gear.coordinate_1),
                      coordinate_of(gear.joints[1].value, gear.coordinate_2), gear.ratio, 0, row++});
  }
  for (const Driver& driver : model.drivers)
    drivers_.push_back({driver.name, coordinate_of(driver.joint.value, driver.coordinate), row++, driver});
  n_holonomic_ = row;
  for (JointBlock& joint : joints_) {
    joint.first_speed_row = row;
    row += joint.n_speed_rows;
  }
  n_rows_ = row;

  for (const Motor& motor : model.motors) {
    Source source;
    source.kind = Source::Kind::motor;
    source.name = motor.name;
    source.x = coordinate_of(motor.joint.value, motor.coordinate);
    source.law = motor.torque;
    source.speeds = motor.speeds;
    source.torques = motor.torques;
    sources_.push_back(source);
  }
  for (const MechanismForce& force : model.forces) {
    Source source;
    source.name = force.name;
    if (force.at.value.empty()) {
      source.kind = Source::Kind::force;
      source.x = coordinate_of(force.joint.value, force.coordinate);
      source.law = force.force;
    } else {
      source.kind = Source::Kind::point_force;
      source.x = -1;
      source.b = make_side(force.at.value);
      if (force.components) source.force = *force.components;
      if (force.moment) source.moment = *force.moment;
    }
    sources_.push_back(source);
  }
  for (const MechanismSpring& spring : model.springs) {
    Source source;
    source.name = spring.name;
    source.stiffness = value_of(spring.stiffness);
    source.damping = value_of(spring.damping);
    source.free = value_of(spring.free_length);
    if (spring.joint.value.empty()) {
      source.kind = Source::Kind::spring;
      source.x = -1;
      source.a = make_side(spring.a.value);
      source.b = make_side(spring.b.value);
    } else {
      source.kind = Source::Kind::joint_spring;
      source.x = coordinate_of(spring.joint.value, spring.coordinate);
    }
    sources_.push_back(source);
  }

  units_ = VectorX::Ones(n_v_);
  for (const BodyBlock& body : bodies_)
    for (int k = planar_ ? 2 : 3; k < body.n_v; ++k) units_[body.v0 + k] = size_;
}

Mechanism::Side Mechanism::make_side(const std::string& body_point) const {
  const auto parts = parse_body_point(body_point);
  ELODYN_REQUIRE(parts);
  Side side;
  side.body = find_body(parts->body);
  ELODYN_REQUIRE(side.body >= 0);
  const auto& points = points_[static_cast<size_t>(side.body)];
  const auto it = std::find_if(points.begin(), points.end(), [&](const Point& p) { return p.name == parts->point; });
  ELODYN_REQUIRE(it != points.end());
  side.r = it->x;
  if (side.body < n_bodies()) side.r -= bodies_[static_cast<size_t>(side.body)].mass.center;
  return side;
}

Mechanism::Side Mechanism::make_joint_side(const Located<std::string>& point, const Vec3& axis,
                                           const Vec3& reference) const {
  Side side = make_side(point.value);
  side.axes = make_axes(axis, reference);
  return side;
}

void Mechanism::build_joint(const Joint& joint) {
  JointBlock block;
  block.name = joint.name;
  block.kind = joint.kind;
  block.radius = joint.radius;
  std::tie(block.n_rows, block.n_speed_rows) = count_rows(joint.kind, planar_);
  block.n_x = n_coordinates(joint.kind, planar_);
  block.first_x = n_x_;
  n_x_ += block.n_x;
  for (int k = 0; k < block.n_x; ++k) x_is_angle_.push_back(*coordinate_dimension(joint.kind, k, planar_) == kAngle);
  const bool in_plane = planar_ && (joint.kind == Joint::Kind::prismatic || joint.kind == Joint::Kind::point_on_line ||
                                    joint.kind == Joint::Kind::rolling || joint.kind == Joint::Kind::knife_edge);
  const bool needs_no_axis =
      joint.kind == Joint::Kind::spherical || joint.kind == Joint::Kind::fixed || (planar_ && !in_plane);
  const Vec3 axis = needs_no_axis || !joint.axis ? (in_plane ? Vec3::UnitX() : Vec3::UnitZ()) : *joint.axis;
  const Vec3 axis_b = needs_no_axis || !joint.axis_b ? axis : *joint.axis_b;
  Vec3 reference = default_reference(axis), reference_b = default_reference(axis_b);
  if (joint.kind == Joint::Kind::universal) reference = axis_b, reference_b = axis;
  if (joint.reference) reference = *joint.reference;
  if (joint.reference_b)
    reference_b = *joint.reference_b;
  else if (joint.reference && !joint.axis_b)
    reference_b = *joint.reference;
  block.a = make_joint_side(joint.a, axis, reference);
  block.b = make_joint_side(joint.b, axis_b, reference_b);
  if (planar_) {
    const auto angle = [&](const Mat3& axes) {
      const int column = in_plane ? 2 : 0;
      return std::atan2(axes(1, column), axes(0, column));
    };
    block.offset = angle(block.a.axes) - angle(block.b.axes);
  }
  if (joint.position) block.position[0] = joint.position->value;
  if (joint.position_2) block.position[1] = joint.position_2->value;
  if (joint.speed) block.speed[0] = joint.speed->value;
  if (joint.speed_2) block.speed[1] = joint.speed_2->value;
  if (joint.friction) {
    block.coulomb = joint.friction->coulomb;
    block.pin_radius = joint.friction->radius;
    block.viscous = value_of(joint.friction->viscous);
    if (joint.friction->smoothing) block.smoothing = joint.friction->smoothing->value;
  }
  joints_.push_back(block);
}

bool Mechanism::has_coulomb() const {
  return std::any_of(joints_.begin(), joints_.end(), [](const JointBlock& joint) { return joint.has_coulomb(); });
}

int Mechanism::find_joint(const std::string& name) const {
  const auto it = std::find_if(joints_.begin(), joints_.end(), [&](const auto& joint) { return joint.name == name; });
  return it != joints_.end() ? static_cast<int>(it - joints_.begin()) : -1;
}

int Mechanism::find_body(const std::string& name) const {
  if (name == kGround) return n_bodies();
  const auto it = std::find_if(bodies_.begin(), bodies_.end(), [&](const auto& body) { return body.name == name; });
  return it != bodies_.end() ? static_cast<int>(it - bodies_.begin()) : -1;
}

bool Mechanism::coordinate_is_angle(int x) const { return x_is_angle_[static_cast<size_t>(x)]; }

std::string Mechanism::coordinate_name(int x) const {
  for (const JointBlock& joint : joints_)
    if (x >= joint.first_x && x < joint.first_x + joint.n_x)
      return joint.name + (joint.n_x == 1           ? ""
                           : coordinate_is_angle(x) ? fmt::format(" angle {}", x - joint.first_x + 1)
                                                    : " distance");
  return {};
}

std::string Mechanism::joint_of(int x) const {
  for (const JointBlock& joint : joints_)
    if (x >= joint.first_x && x < joint.first_x + joint.n_x) return joint.name;
  return {};
}

std::string Mechanism::describe_body(int body) const {
  std::vector<std::string> names;
  for (const JointBlock& joint : joints_)
    if (joint.a.body == body || joint.b.body == body) names.push_back(joint.name);
  return "body " + bodies_[static_cast<size_t>(body)].name +
         (names.empty()       ? " (without a joint)"
          : names.size() == 1 ? " (joint " + names[0] + ")"
                              : " (joints " + join(names, ", ") + ")");
}

std::string Mechanism::row_name(int row) const {
  for (const GearBlock& gear : gears_)
    if (gear.row == row) return "gear " + gear.name + " of joints " + joint_of(gear.x1) + " and " + joint_of(gear.x2);
  for (const DriverBlock& driver : drivers_)
    if (driver.row == row) return "driver " + driver.name + " of joint " + joint_of(driver.x);
  for (const JointBlock& joint : joints_) {
    const std::string start = "joint " + joint.name + ", ";
    if (row >= joint.first_speed_row && row < joint.first_speed_row + joint.n_speed_rows)
      return start +
             (joint.kind == Joint::Kind::knife_edge ? "force across the edge" : "force that keeps it from slipping");
    const int k = row - joint.first_row;
    if (k < 0 || k >= joint.n_rows) continue;
    static constexpr const char* kWorld[] = {"force along x", "force along y", "force along z"};
    static constexpr const char* kAcross[] = {"force along its reference", "force across its axis and reference"};
    static constexpr const char* kTurn[] = {"moment about the cross of axis and reference",
                                            "moment about its reference", "moment about its axis"};
    switch (joint.kind) {
      case Joint::Kind::prismatic:
        if (planar_) return start + (k == 0 ? "force across its axis" : "moment");
        return start + (k < 2 ? kAcross[k] : kTurn[k - 2]);
      case Joint::Kind::cylindrical:
        return start + (k < 2 ? kAcross[k] : kTurn[k - 2]);
      case Joint::Kind::point_on_line:
        return start + (planar_ ? "force across its axis" : kAcross[k]);
      case Joint::Kind::rolling:
        return start + "force of contact";
      case Joint::Kind::universal:
        return start + (k < 3 ? kWorld[k] : "moment across both axes");
      case Joint::Kind::fixed:
        if (planar_) return start + (k < 2 ? kWorld[k] : "moment");
        return start + (k < 3 ? kWorld[k] : kTurn[k - 3]);
      default:
        return start + (k < 3 ? kWorld[k] : kTurn[k - 3]);
    }
  }
  return {};
}

void Mechanism::set_gear_constant(int gear, double value) { gears_[static_cast<size_t>(gear)].constant = value; }

void Mechanism::set_offsets(const MechanismState& state) {
  if (!planar_) return;
  const auto angle_of = [&](int body) {
    return body < n_bodies() ? state.q[bodies_[static_cast<size_t>(body)].q0 + 2] : 0.0;
  };
  constexpr double kTurn = 2 * std::numbers::pi;
  for (JointBlock& joint : joints_) {
    if (joint.kind != Joint::Kind::prismatic && joint.kind != Joint::Kind::fixed) continue;
    joint.offset += kTurn * std::round((angle_of(joint.b.body) - angle_of(joint.a.body) - joint.offset) / kTurn);
  }
}

MechanismState Mechanism::make_guess(double t) const {
  MechanismState out;
  out.t = t;
  out.q = VectorX::Zero(n_q_);
  out.v = VectorX::Zero(n_v_);
  out.x = VectorX::Zero(n_x_);
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const int at = bodies_[i].q0;
    if (planar_) {
      out.q.segment<2>(at) = guesses_[i].C.head<2>();
      out.q[at + 2] = guesses_[i].theta;
    } else {
      out.q.segment<3>(at) = guesses_[i].C;
      put_quaternion(out.q, at + 3, Quaternion(guesses_[i].R));
    }
  }
  // Angles of joints start at the turn of the given value.
  for (const JointBlock& joint : joints_)
    for (int k = 0; k < joint.n_x; ++k)
      if (joint.position[static_cast<size_t>(k)]) out.x[joint.first_x + k] = *joint.position[static_cast<size_t>(k)];
  for (const DriverBlock& driver : drivers_) out.x[driver.x] = calc_driver(driver.law, t).position;
  return out;
}

MechanismInstant Mechanism::make_instant() const {
  MechanismInstant at;
  at.poses.resize(bodies_.size() + 1);
  at.phi = VectorX::Zero(n_holonomic_);
  at.A = RowMatrix::Zero(n_rows_, n_v_);
  at.b = at.gamma = VectorX::Zero(n_rows_);
  at.Q = VectorX::Zero(n_v_);
  at.x = at.x_rate = at.bias = at.x_force = VectorX::Zero(n_x_);
  at.J = RowMatrix::Zero(n_x_, n_v_);
  at.source = VectorX::Zero(static_cast<Eigen::Index>(sources_.size()));
  return at;
}

void Mechanism::calc_poses(const MechanismState& state, MechanismInstant& at) const {
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const BodyBlock& body = bodies_[i];
    BodyPose& pose = at.poses[i];
    if (planar_) {
      pose.C << state.q[body.q0], state.q[body.q0 + 1], 0;
      pose.theta = state.q[body.q0 + 2];
      pose.c = std::cos(pose.theta);
      pose.s = std::sin(pose.theta);
      pose.v << state.v[body.v0], state.v[body.v0 + 1], 0;
      pose.w[2] = state.v[body.v0 + 2];
    } else {
      pose.C = state.q.segment<3>(body.q0);
      pose.R = quaternion_at(state.q, body.q0 + 3).normalized().toRotationMatrix();
      pose.v = state.v.segment<3>(body.v0);
      pose.w_B = state.v.segment<3>(body.v0 + 3);
      pose.w = pose.R * pose.w_B;
    }
  }
}

void Mechanism::evaluate(const MechanismState& state, MechanismInstant& at) const {
  at.t = state.t;
  calc_poses(state, at);
  for (const JointBlock& joint : joints_) {
    if (planar_)
      evaluate_planar(joint, at);
    else
      evaluate_spatial(joint, at);
  }
  if (!planar_) {  // planar angles never jump
    constexpr double kTurn = 2 * std::numbers::pi;
    for (int k = 0; k < n_x_; ++k)
      if (coordinate_is_angle(k)) at.x[k] += kTurn * std::round((state.x[k] - at.x[k]) / kTurn);
  }
  for (const GearBlock& gear : gears_) {
    at.phi[gear.row] = at.x[gear.x1] - gear.ratio * at.x[gear.x2] - gear.constant;
    at.A.row(gear.row) = at.J.row(gear.x1) - gear.ratio * at.J.row(gear.x2);
    at.gamma[gear.row] = -(at.bias[gear.x1] - gear.ratio * at.bias[gear.x2]);
  }
  for (const DriverBlock& driver : drivers_) {
    const DriverValue want = calc_driver(driver.law, at.t);
    at.phi[driver.row] = at.x[driver.x] - want.position;
    at.A.row(driver.row) = at.J.row(driver.x);
    at.b[driver.row] = want.speed;
    at.gamma[driver.row] = want.acceleration - at.bias[driver.x];
  }
  evaluate_sources(at);
}

void Mechanism::add_moment(MechanismInstant& at, int body, const Vec3& moment) const {
  if (body == n_bodies()) return;
  const BodyBlock& block = bodies_[static_cast<size_t>(body)];
  if (planar_)
    at.Q[block.v0 + 2] += moment[2];
  else
    at.Q.segment<3>(block.v0 + 3) += at.poses[static_cast<size_t>(body)].R.transpose() * moment;
}

void Mechanism::add_point_force(MechanismInstant& at, const Side& side, const Vec3& force) const {
  if (side.body == n_bodies()) return;
  const BodyBlock& block = bodies_[static_cast<size_t>(side.body)];
  const Vec3 arm = calc_point(at, side) - at.poses[static_cast<size_t>(side.body)].C;
  at.Q.segment(block.v0, planar_ ? 2 : 3) += force.head(planar_ ? 2 : 3);
  add_moment(at, side.body, arm.cross(force));
}

void Mechanism::evaluate_sources(MechanismInstant& at) const {
  at.kinetic = at.potential = at.power = 0;
  at.x_force.setZero();
  for (size_t i = 0; i < bodies_.size(); ++i) {
    const BodyBlock& body = bodies_[i];
    const BodyPose& pose = at.poses[i];
    const double m = body.mass.mass;
    at.kinetic += 0.5 * m * pose.v.squaredNorm();
    at.potential -= m * gravity_.dot(pose.C);
    if (planar_) {
      at.Q[body.v0] = m * gravity_[0];
      at.Q[body.v0 + 1] = m * gravity_[1];
      at.Q[body.v0 + 2] = 0;
      at.kinetic += 0.5 * body.mass.inertia(2, 2) * pose.w[2] * pose.w[2];
    } else {
      const Vec3 spin = body.mass.inertia * pose.w_B;
      at.Q.segment<3>(body.v0) = m * gravity_;
      at.Q.segment<3>(body.v0 + 3) = spin.cross(pose.w_B);
      at.kinetic += 0.5 * pose.w_B.dot(spin);
    }
  }
  for (const JointBlock& joint : joints_)
    if (joint.viscous != 0) {
      const double speed = at.x_rate[joint.first_x];
      at.x_force[joint.first_x] -= joint.viscous * speed;
      at.power -= joint.viscous * speed * speed;
    }
  for (size_t i = 0; i < sources_.size(); ++i) {
    const Source& source = sources_[i];
    double value = 0;
    switch (source.kind) {
      case Source::Kind::motor:
      case Source::Kind::force: {
        const double x = at.x[source.x], v = at.x_rate[source.x];
        const std::array<double, 4> variables = {at.t, x, v, v};
        value = source.law ? (*source.law)(variables) : interpolate(source.speeds, source.torques, v);
        at.x_force[source.x] += value;
        at.power += value * v;
        break;
      }
      case Source::Kind::joint_spring: {
        const double stretch = at.x[source.x] - source.free, v = at.x_rate[source.x];
        value = -source.stiffness * stretch - source.damping * v;
        at.x_force[source.x] += value;
        at.potential += 0.5 * source.stiffness * stretch * stretch;
        at.power -= source.damping * v * v;
        break;
      }
      case Source::Kind::spring: {
        const Vec3 between = calc_point(at, source.b) - calc_point(at, source.a);
        const double length = between.norm();
        const Vec3 along = length > 0 ? Vec3(between / length) : Vec3::Zero();
        const double rate = along.dot(calc_point_velocity(at, source.b) - calc_point_velocity(at, source.a));
        const double stretch = length - source.free;
        value = source.stiffness * stretch + source.damping * rate;  // pull
        add_point_force(at, source.a, value * along);
        add_point_force(at, source.b, -value * along);
        at.potential += 0.5 * source.stiffness * stretch * stretch;
        at.power -= source.damping * rate * rate;
        break;
      }
      case Source::Kind::point_force: {
        const Vec3 force(source.force[0](at.t), source.force[1](at.t), source.force[2](at.t));
        const Vec3 moment(source.moment[0](at.t), source.moment[1](at.t), source.moment[2](at.t));
        add_point_force(at, source.b, force);
        add_moment(at, source.b.body, moment);
        at.power +=
            force.dot(calc_point_velocity(at, source.b)) + moment.dot(at.poses[static_cast<size_t>(source.b.body)].w);
        value = force.norm();
        break;
      }
    }
    at.source[static_cast<Eigen::Index>(i)] = value;
  }
  for (int k = 0; k < n_x_; ++k)
    if (at.x_force[k] != 0) at.Q += at.x_force[k] * at.J.row(k).transpose();
}

void Mechanism::calc_q_rate(const VectorX& q, const VectorX& v, VectorX& q_rate) const {
  if (planar_) {
    q_rate = v;
    return;
  }
  q_rate.resize(n_q_);
  for (const BodyBlock& body : bodies_) {
    q_rate.segment<3>(body.q0) = v.segment<3>(body.v0);
    put_quaternion(q_rate, body.q0 + 3, half_product(quaternion_at(q, body.q0 + 3), v.segment<3>(body.v0 + 3)));
  }
}

void Mechanism::calc_q_second(const VectorX& q, const VectorX& v, const VectorX& a, VectorX& q_second) const {
  if (planar_) {
    q_second = a;
    return;
  }
  q_second.resize(n_q_);
  for (const BodyBlock& body : bodies_) {
    const Quaternion attitude = quaternion_at(q, body.q0 + 3);
    const Vec3 w = v.segment<3>(body.v0 + 3), e = a.segment<3>(body.v0 + 3);
    q_second.segment<3>(body.q0) = a.segment<3>(body.v0);
    const Quaternion rate = half_product(attitude, w), one = half_product(rate, w), other = half_product(attitude, e);
    put_quaternion(q_second, body.q0 + 3, Quaternion(one.coeffs() + other.coeffs()));
  }
}

void Mechanism::calc_v(const VectorX& q, const VectorX& q_rate, VectorX& v) const {
  if (planar_) {
    v = q_rate;
    return;
  }
  v.resize(n_v_);
  for (const BodyBlock& body : bodies_) {
    v.segment<3>(body.v0) = q_rate.segment<3>(body.q0);
    const Quaternion attitude = quaternion_at(q, body.q0 + 3);
    v.segment<3>(body.v0 + 3) =
        2 * (attitude.conjugate() * quaternion_at(q_rate, body.q0 + 3)).vec() / attitude.squaredNorm();
  }
}

void Mechanism::add_step(VectorX& q, const VectorX& dv) const {
  if (planar_) {
    q += dv;
    return;
  }
  for (const BodyBlock& body : bodies_) {
    q.segment<3>(body.q0) += dv.segment<3>(body.v0);
    const Vec3 turn = dv.segment<3>(body.v0 + 3);
    const double angle = turn.norm(), half = 0.5 * angle;
    const double factor = angle > 1e-8 ? std::sin(half) / angle : 0.5;
    const Quaternion step(std::cos(half), factor * turn[0], factor * turn[1], factor * turn[2]);
    put_quaternion(q, body.q0 + 3, (quaternion_at(q, body.q0 + 3) * step).normalized());
  }
}

void Mechanism::normalise(VectorX& q) const {
  if (planar_) return;
  for (const BodyBlock& body : bodies_) q.segment<4>(body.q0 + 3).normalize();
}

void Mechanism::add_mass_times(const VectorX& a, VectorX& into) const {
  for (const BodyBlock& body : bodies_) {
    const int at = body.v0;
    if (planar_) {
      into[at] += body.mass.mass * a[at];
      into[at + 1] += body.mass.mass * a[at + 1];
      into[at + 2] += body.mass.inertia(2, 2) * a[at + 2];
    } else {
      into.segment<3>(at) += body.mass.mass * a.segment<3>(at);
      into.segment<3>(at + 3) += body.mass.inertia * a.segment<3>(at + 3);
    }
  }
}

MatrixX Mechanism::calc_mass() const {
  MatrixX M = MatrixX::Zero(n_v_, n_v_);
  for (int k = 0; k < n_v_; ++k) {
    VectorX column = VectorX::Zero(n_v_);
    add_mass_times(VectorX::Unit(n_v_, k), column);
    M.col(k) = column;
  }
  return M;
}

Mat3 Mechanism::calc_R(const MechanismInstant& at, int body) const {
  const BodyPose& pose = at.poses[static_cast<size_t>(body)];
  if (!planar_) return pose.R;
  Mat3 R;
  R << pose.c, -pose.s, 0, pose.s, pose.c, 0, 0, 0, 1;
  return R;
}

Vec3 Mechanism::calc_point(const MechanismInstant& at, const Side& side) const {
  return at.poses[static_cast<size_t>(side.body)].C + calc_R(at, side.body) * side.r;
}

Vec3 Mechanism::calc_point_velocity(const MechanismInstant& at, const Side& side) const {
  const BodyPose& pose = at.poses[static_cast<size_t>(side.body)];
  return pose.v + pose.w.cross(calc_R(at, side.body) * side.r);
}

Vec3 Mechanism::calc_point_acceleration(const MechanismInstant& at, const VectorX& a, const Side& side) const {
  if (side.body == n_bodies()) return Vec3::Zero();
  const BodyBlock& body = bodies_[static_cast<size_t>(side.body)];
  const BodyPose& pose = at.poses[static_cast<size_t>(side.body)];
  const Vec3 arm = calc_R(at, side.body) * side.r;
  const Vec3 center = planar_ ? Vec3(a[body.v0], a[body.v0 + 1], 0) : Vec3(a.segment<3>(body.v0));
  const Vec3 e = planar_ ? Vec3(0, 0, a[body.v0 + 2]) : Vec3(pose.R * a.segment<3>(body.v0 + 3));
  return center + e.cross(arm) + pose.w.cross(pose.w.cross(arm));
}

Vec3 Mechanism::calc_origin(const MechanismInstant& at, int body) const {
  Side origin;
  origin.body = body;
  if (body < n_bodies()) origin.r = -bodies_[static_cast<size_t>(body)].mass.center;
  return calc_point(at, origin);
}

}  // namespace elodyn
