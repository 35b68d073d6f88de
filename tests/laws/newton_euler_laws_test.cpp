// Liaison forces of every joint kind against a solution of Newton's and Euler's equations of each body that knows
// nothing of constraint rows. Unknown: force F and moment M on body b at its point of each joint; what a joint lets
// free is told by twists (u, ω) of b relative to a, u at b's point, and F·u + M·ω is what acts along that freedom.
//   Σ F = m (a − g) − applied,   Σ (M + r × F) = I α + ω × I ω − applied                                          (1)
// (1) and the twists are more equations than unknowns by the freedoms of the mechanism, so that wrong accelerations
// show as a rest.
#include <cmath>
#include <random>

#include "tests/support/mechanisms.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/rotation.hpp"
#include "elodyn/mechanism/assemble.hpp"
#include "elodyn/mechanism/liaison.hpp"

namespace elodyn {
namespace {

using Kind = Joint::Kind;
using Formalism = MechanismRequest::Formalism;

constexpr double kPush = 3, kStiffness = 30, kDamping = 0.7, kViscous = 0.4, kMu = 0.05, kPin = 0.02, kSmooth = 0.5;
constexpr double kBetween = 12, kRatio = -1.7;

struct Twist {
  Vec3 u = Vec3::Zero(), w = Vec3::Zero();
};

// Numbers for one model.
class Dice {
 public:
  explicit Dice(unsigned seed, bool planar) : random_(seed), planar_(planar) {}
  double number() { return std::uniform_real_distribution<double>(-1, 1)(random_); }
  Vec3 vector() { return {number(), number(), planar_ ? 0 : number()}; }

 private:
  std::mt19937 random_;
  bool planar_;
};

void add_random_body(Model& model, const std::string& name, bool planar, Dice& dice) {
  const Vec3 p = dice.vector(), q = dice.vector();
  Body& body = planar ? test::add_planar_body(model, name, 1.5 + dice.number(), 1.2, {{"P", p}, {"Q", q}})
                      : test::add_body(model, name, 1.5 + dice.number(), Vec3::Ones(), {{"P", p}, {"Q", q}});
  if (!planar) body.inertia_tensor = {1.1, 1.3, 1.7, 0.1, -0.05, 0.2};
  body.center = dice.vector();
  body.place = dice.vector();
  body.attitude = planar ? Vec3(0, 0, dice.number()) : dice.vector();
}

Joint& add_random_joint(Model& model, Kind kind, bool planar, const std::string& name, const std::string& a,
                        const std::string& b, Dice& dice) {
  Joint& joint = test::add_joint(model, name, kind, a, b);
  joint.radius = 0.3;
  joint.axis = dice.vector();
  joint.axis_b = dice.vector();
  if (kind == Kind::universal) joint.axis_b = joint.axis->cross(*joint.axis_b);
  if (n_coordinates(kind, planar) > 0) {
    joint.friction.emplace();
    joint.friction->viscous = test::number(kViscous);
  }
  return joint;
}

// ground – first – one – second – two, with all that can act on it.
struct Case {
  Kind first, second;
  bool planar, is_driven, is_geared, is_rough;
};
Model make_model(const Case& what, Dice& dice) {
  Model model;
  model.gravity = Vec3(0.3, -9.81, what.planar ? 0 : 1.7);
  model.ground_points = test::make_points({{"P", Vec3::Zero()}, {"S", Vec3(1, 2, 0)}});
  add_random_body(model, "one", what.planar, dice);
  add_random_body(model, "two", what.planar, dice);
  add_random_joint(model, what.first, what.planar, "first", "ground.P", "one.P", dice);
  add_random_joint(model, what.second, what.planar, "second", "one.Q", "two.P", dice);
  const bool has_first = n_coordinates(what.first, what.planar) > 0;
  const bool has_second = n_coordinates(what.second, what.planar) > 0;
  if (has_first && what.is_rough && what.first != Kind::point_on_line && what.first != Kind::rolling) {
    JointFriction& friction = *model.joints[0].friction;
    friction.coulomb = kMu;
    friction.radius = kPin;
    friction.smoothing = test::number(kSmooth);
  }
  if (has_first) {
    Motor& motor = model.motors.emplace_back();
    motor.name = "M";
    motor.joint.value = "first";
    motor.torque = test::expression("3", kJointVariables);
  }
  if (has_second) {
    MechanismSpring& spring = model.springs.emplace_back();
    spring.name = "J";
    spring.joint.value = "second";
    spring.stiffness = test::number(kStiffness);
    spring.damping = test::number(kDamping);
  }
  if (has_first && what.is_driven) {
    test::add_driver(model, "first", "0.2 + 0.5*t + 0.4*t^2");
  } else if (has_first && has_second && what.is_geared) {
    Gear& gear = model.gears.emplace_back();
    gear.name = "G";
    gear.joints.resize(2);
    gear.joints[0].value = "first";
    gear.joints[1].value = "second";
    gear.ratio = kRatio;
  }
  MechanismForce& force = model.forces.emplace_back();
  force.name = "F";
  force.at.value = "two.Q";
  force.components.emplace();
  (*force.components)[0] = Expression(2);
  (*force.components)[1] = Expression(-1);
  force.moment.emplace();
  (*force.moment)[2] = Expression(0.7);
  MechanismSpring& between = model.springs.emplace_back();
  between.name = "B";
  between.a.value = "ground.S";
  between.b.value = "one.Q";
  between.stiffness = test::number(kBetween);
  between.damping = test::number(kDamping);
  between.free_length = test::number(0.5);
  return model;
}

// What moves: places, velocities and accelerations of two bodies; everything else is computed from the model here.
struct Motion {
  Mechanism mechanism;
  Assembly assembly;
  MechanismInstant at;
  VectorX a, lambda, friction;
  std::vector<JointLoad> loads;

  Motion(const Model& model, Dice& dice) : mechanism(model) {
    assembly = assemble(mechanism, 0);
    for (double& v : assembly.state.v) v = dice.number();
    at = mechanism.make_instant();
    mechanism.evaluate(assembly.state, at);
    MotionSolver solver(mechanism, assembly.rows, Formalism::kane);
    solver.project_velocities(assembly.state, at);
    solver.solve(at, a);
    solver.calc_lambda(at, a, lambda);
    friction = solver.friction();
    calc_joint_loads(mechanism, at, lambda, friction, loads);
  }
  bool is_ground(const Mechanism::Side& side) const { return side.body == mechanism.n_bodies(); }
  Mat3 R(const Mechanism::Side& side) const { return mechanism.calc_R(at, side.body); }
  Vec3 w(const Mechanism::Side& side) const { return at.poses[static_cast<size_t>(side.body)].w; }
};

// The freedoms of b relative to a; those with a coordinate come first, in its order.
std::vector<Twist> list_twists(const Joint& joint, const Motion& it, const Mechanism::JointBlock& block, bool planar) {
  const auto turned = [](const Mat3& R, const std::optional<Vec3>& axis) { return Vec3(R * axis->normalized()); };
  const Mat3 Ra = it.R(block.a), Rb = it.R(block.b);
  const Vec3 z = Vec3::UnitZ(), O = Vec3::Zero();
  const Vec3 axis = planar && joint.kind == Kind::revolute ? z : turned(Ra, joint.axis);
  const Vec3 axis_b = turned(Rb, joint.axis_b);
  std::vector<Twist> out;
  const auto add_turns = [&] {
    if (planar) return void(out.push_back({O, z}));
    for (int k = 0; k < 3; ++k) out.push_back({O, Vec3::Unit(k)});
  };
  switch (joint.kind) {
    case Kind::revolute:
      return {{O, axis}};
    case Kind::prismatic:
      return {{axis, O}};
    case Kind::cylindrical:
      return {{axis, O}, {O, axis}};
    case Kind::universal:
      return {{O, axis}, {O, axis_b}};
    case Kind::fixed:
      return {};
    case Kind::spherical:
      add_turns();
      return out;
    case Kind::point_on_line:
      out.push_back({axis, O});
      add_turns();
      return out;
    case Kind::rolling: {
      if (planar) return {{axis, -z / joint.radius}};
      // It turns about its lowest point.
      const Vec3 down = -(axis - axis.dot(axis_b) * axis_b).normalized();
      for (int k = 0; k < 3; ++k) out.push_back({Vec3::Unit(k).cross(-joint.radius * down), Vec3::Unit(k)});
      return out;
    }
    case Kind::knife_edge: {
      if (planar) {
        out.push_back({axis_b, O});
      } else {
        const Vec3 across = axis.cross(axis_b).normalized();
        const Vec3 one = across.unitOrthogonal();
        out = {{one, O}, {across.cross(one), O}};
      }
      add_turns();
      return out;
    }
  }
  return out;
}

// Returns false if the forces are not unique, so that there is nothing to compare.
bool check(const Case& what, const Model& model, const Motion& it) {
  const Mechanism& m = it.mechanism;
  const int n_bodies = 2, n_joints = 2, extra = 6 * n_joints;  // a driver's or a gear's force is the last unknown
  std::vector<VectorX> rows;
  std::vector<double> right;
  const auto add_row = [&]() -> VectorX& {
    right.push_back(0);
    return rows.emplace_back(VectorX::Zero(extra + 1));
  };
  const auto force_on = [&](const Mechanism::Side& side, const Vec3& point, const Vec3& force, const Vec3& moment,
                            std::vector<Vec6>& into) {
    if (it.is_ground(side)) return;
    const Vec3 C = it.at.poses[static_cast<size_t>(side.body)].C;
    into[static_cast<size_t>(side.body)].head<3>() += force;
    into[static_cast<size_t>(side.body)].tail<3>() += moment + (point - C).cross(force);
  };

  // (1): inertia less what is applied.
  std::vector<Vec6> known(n_bodies, Vec6::Zero());
  for (int i = 0; i < n_bodies; ++i) {
    const auto& body = m.bodies()[static_cast<size_t>(i)];
    const BodyPose& pose = it.at.poses[static_cast<size_t>(i)];
    auto& load = known[static_cast<size_t>(i)];
    if (what.planar) {
      load << it.a[body.v0], it.a[body.v0 + 1], 0, 0, 0, body.mass.inertia(2, 2) * it.a[body.v0 + 2];
    } else {
      const Mat3 I = pose.R * body.mass.inertia * pose.R.transpose();
      load << it.a.segment<3>(body.v0), I * (pose.R * it.a.segment<3>(body.v0 + 3)) + pose.w.cross(I * pose.w);
    }
    load.head<3>() = (body.mass.mass * (load.head<3>() - model.gravity)).eval();
  }
  {
    std::vector<Vec6> applied(n_bodies, Vec6::Zero());
    const Mechanism::Side S = m.make_side("ground.S"), Q1 = m.make_side("one.Q"), Q2 = m.make_side("two.Q");
    force_on(Q2, m.calc_point(it.at, Q2), Vec3(2, -1, 0), Vec3(0, 0, 0.7), applied);
    const Vec3 end = m.calc_point(it.at, Q1), line = end - m.calc_point(it.at, S);
    const double pull =
        kBetween * (line.norm() - 0.5) + kDamping * line.normalized().dot(m.calc_point_velocity(it.at, Q1));
    force_on(Q1, end, -pull * line.normalized(), Vec3::Zero(), applied);
    for (int i = 0; i < n_bodies; ++i) known[static_cast<size_t>(i)] -= applied[static_cast<size_t>(i)];
  }
  for (int i = 0; i < n_bodies; ++i)
    for (int c = 0; c < 6; ++c) {
      if (what.planar && (c == 2 || c == 3 || c == 4)) continue;
      VectorX& row = add_row();
      right.back() = known[static_cast<size_t>(i)][c];
      for (int j = 0; j < n_joints; ++j) {
        const auto& block = m.joints()[static_cast<size_t>(j)];
        const Vec3 P = m.calc_point(it.at, block.b);
        for (int k = 0; k < 6; ++k) {
          std::vector<Vec6> into(n_bodies, Vec6::Zero());
          const Vec3 unit = Vec3::Unit(k % 3), none = Vec3::Zero();
          force_on(block.b, P, k < 3 ? unit : none, k < 3 ? none : unit, into);
          force_on(block.a, P, k < 3 ? Vec3(-unit) : none, k < 3 ? none : Vec3(-unit), into);
          row[6 * j + k] = into[static_cast<size_t>(i)][c];
        }
      }
    }
  // What acts along the freedoms.
  for (int j = 0; j < n_joints; ++j) {
    const Joint& joint = model.joints[static_cast<size_t>(j)];
    const auto& block = m.joints()[static_cast<size_t>(j)];
    const std::vector<Twist> twists = list_twists(joint, it, block, what.planar);
    for (size_t k = 0; k < twists.size(); ++k) {
      VectorX& row = add_row();
      row.segment<3>(6 * j) = twists[k].u;
      row.segment<3>(6 * j + 3) = twists[k].w;
      if (k != 0 || block.n_x == 0) continue;
      const double x = it.at.x[block.first_x];
      // Speed along the first freedom, from velocities: twists of a joint are across each other here.
      const Vec3 turn = it.w(block.b) - it.w(block.a);
      const Vec3 slide =
          m.calc_point_velocity(it.at, block.b) - it.at.poses[static_cast<size_t>(block.a.body)].v -
          it.w(block.a).cross(m.calc_point(it.at, block.b) - it.at.poses[static_cast<size_t>(block.a.body)].C);
      const double speed = twists[k].u.norm() > 0 ? slide.dot(twists[k].u) : turn.dot(twists[k].w);
      EXPECT_NEAR(speed, it.at.x_rate[block.first_x], 1e-12);
      double along = -kViscous * speed + it.friction[block.first_x];
      if (j == 0) along += kPush;
      if (j == 1) along -= kStiffness * x + kDamping * speed;
      right.back() = along;
      if (j == 0 && !m.drivers().empty()) row[extra] = -1;
      if (!m.gears().empty()) row[extra] = j == 0 ? -1 : kRatio;
    }
  }
  if (m.drivers().empty() && m.gears().empty()) add_row()[extra] = 1;
  if (what.planar)
    for (int j = 0; j < n_joints; ++j)
      for (const int c : {2, 3, 4}) add_row()[6 * j + c] = 1;

  MatrixX N(static_cast<Eigen::Index>(rows.size()), extra + 1);
  VectorX f(N.rows());
  for (size_t i = 0; i < rows.size(); ++i) {
    N.row(static_cast<Eigen::Index>(i)) = rows[i];
    f[static_cast<Eigen::Index>(i)] = right[i];
  }
  const Eigen::ColPivHouseholderQR<MatrixX> qr(N);
  if (qr.rank() < N.cols()) return false;
  const VectorX X = qr.solve(f);
  const double tolerance = 1e-10 * std::max(1.0, X.cwiseAbs().maxCoeff());
  EXPECT_LE((N * X - f).cwiseAbs().maxCoeff(), tolerance);
  for (int j = 0; j < n_joints; ++j) {
    const JointLoad& load = it.loads[static_cast<size_t>(j)];
    const Vec3 F = X.segment<3>(6 * j), M = X.segment<3>(6 * j + 3);
    EXPECT_LE((load.total_b().force - F).norm(), tolerance) << j;
    EXPECT_LE((load.total_b().moment - M).norm(), tolerance) << j;
    EXPECT_LE((load.total_a().force + F).norm(), tolerance) << j;
    EXPECT_LE((load.total_a().moment + M + (load.point_b - load.point_a).cross(F)).norm(), tolerance) << j;
    const auto& block = m.joints()[static_cast<size_t>(j)];
    if (!block.has_coulomb()) continue;
    // Friction: of the force across the freedom.
    const Twist twist = list_twists(model.joints[static_cast<size_t>(j)], it, block, what.planar)[0];
    const double normal = twist.u.norm() > 0 ? (F - F.dot(twist.u) * twist.u).norm() : F.norm();
    const double arm = twist.u.norm() > 0 ? 1 : kPin;
    EXPECT_NEAR(it.friction[block.first_x], -kMu * arm * normal * std::tanh(it.at.x_rate[block.first_x] / kSmooth),
                tolerance);
  }
  if (!m.drivers().empty()) {
    EXPECT_NEAR(X[extra], it.lambda[m.drivers()[0].row], tolerance);
  } else if (!m.gears().empty()) {
    EXPECT_NEAR(X[extra], it.lambda[m.gears()[0].row], tolerance);
  }
  return true;
}

TEST(LiaisonLaws, NewtonAndEulerForEveryPairOfJoints) {
  const std::vector<Kind> planar = {Kind::revolute,      Kind::prismatic, Kind::fixed,
                                    Kind::point_on_line, Kind::rolling,   Kind::knife_edge};
  const std::vector<Kind> spatial = {Kind::revolute,      Kind::prismatic, Kind::cylindrical,
                                     Kind::universal,     Kind::spherical, Kind::fixed,
                                     Kind::point_on_line, Kind::rolling,   Kind::knife_edge};
  int n = 0, n_driven = 0, n_geared = 0, n_rough = 0;
  for (const bool is_planar : {true, false})
    for (const Kind first : is_planar ? planar : spatial)
      for (const Kind second : is_planar ? planar : spatial)
        for (unsigned seed = 1; seed <= 4; ++seed) {
          const Case what{first, second, is_planar, seed == 2, seed == 3, seed == 4};
          Dice dice(seed, is_planar);
          const Model model = make_model(what, dice);
          const Motion it(model, dice);
          SCOPED_TRACE(std::string(model.joints[0].kind_name()) + " " + model.joints[1].kind_name() +
                       (is_planar ? " planar " : " spatial ") + std::to_string(seed));
          ASSERT_TRUE(it.assembly.redundant.empty());
          ASSERT_TRUE(check(what, model, it));
          if (testing::Test::HasFailure()) return;
          ++n;
          n_driven += !it.mechanism.drivers().empty();
          n_geared += !it.mechanism.gears().empty();
          n_rough += it.mechanism.has_coulomb();
        }
  EXPECT_EQ(n, 4 * (36 + 81));
  EXPECT_GE(n_driven, 60);
  EXPECT_GE(n_geared, 40);
  EXPECT_GE(n_rough, 30);
}

}  // namespace
}  // namespace elodyn
