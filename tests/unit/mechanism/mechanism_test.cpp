#include <cmath>
#include <numbers>

#include "tests/support/mechanisms.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/elimination.hpp"

namespace elodyn {
namespace {

using Kind = Joint::Kind;
using Formalism = MechanismRequest::Formalism;
using test::Moved;
constexpr double kPi = std::numbers::pi;

MotionOptions dynamic(std::vector<double> times, double tolerance) {
  MotionOptions out;
  out.times = std::move(times);
  out.tolerance = tolerance;
  return out;
}

// What `function` throws as NumericalError.
template <class F>
std::string message_of(F&& function) {
  try {
    function();
  } catch (const NumericalError& error) {
    return error.what();
  }
  return "nothing thrown";
}

// A four-bar of the given lengths: ground, crank, coupler, rocker.
Model make_four_bar(double ground, double crank, double coupler, double rocker) {
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}, {"Q", Vec3(ground, 0, 0)}});
  const auto add = [&](const char* name, double length, const Vec3& place, double angle) {
    Body& body = test::add_planar_body(model, name, length, length * length * length / 12,
                                       {{"A", Vec3::Zero()}, {"B", Vec3(length, 0, 0)}});
    body.center = Vec3(length / 2, 0, 0);
    body.place = place;
    body.attitude = Vec3(0, 0, angle);
  };
  add("crank", crank, Vec3::Zero(), 1);
  add("coupler", coupler, Vec3(0, crank, 0), 0);
  add("rocker", rocker, Vec3(ground, 0, 0), 1.2);
  test::add_joint(model, "O", Kind::revolute, "ground.O", "crank.A");
  test::add_joint(model, "A", Kind::revolute, "crank.B", "coupler.A");
  test::add_joint(model, "B", Kind::revolute, "coupler.B", "rocker.B");
  test::add_joint(model, "Q", Kind::revolute, "ground.Q", "rocker.A");
  return model;
}

TEST(MechanismAssembly, ClosesALoopAndKeepsWhatIsGiven) {
  Model model = make_four_bar(1, 0.3, 0.9, 0.6);
  model.joints[0].position = test::number(0.7);
  model.joints[0].speed = test::number(4);
  Mechanism mechanism(model);
  const Assembly assembly = assemble(mechanism, 0);
  EXPECT_EQ(assembly.rows.n_free, 1);
  MechanismInstant at = mechanism.make_instant();
  mechanism.evaluate(assembly.state, at);
  EXPECT_LE(at.phi.lpNorm<Eigen::Infinity>(), test::roundoff(10, 1));
  EXPECT_LE((at.A * assembly.state.v).lpNorm<Eigen::Infinity>(), test::roundoff(100, 4));
  EXPECT_NEAR(at.x[0], 0.7, test::roundoff(10, 1));
  EXPECT_NEAR(at.x_rate[0], 4, test::roundoff(100, 4));
}

TEST(MechanismAssembly, SaysWhichJointCannotClose) {
  const Model model = make_four_bar(1, 0.2, 0.3, 0.2);
  const std::string message = message_of([&] {
    Mechanism mechanism(model);
    assemble(mechanism, 0);
  });
  EXPECT_NE(message.find("cannot be assembled at t = 0 s"), message.npos) << message;
  EXPECT_NE(message.find("in joint "), message.npos) << message;
}

TEST(MechanismAssembly, SaysThatDriversContradictEachOther) {
  Model model = make_four_bar(1, 0.3, 0.9, 0.6);
  test::add_driver(model, "O", "0.7 + t");
  test::add_driver(model, "Q", "2 + t");
  const std::string message = message_of([&] {
    Mechanism mechanism(model);
    assemble(mechanism, 0);
  });
  EXPECT_NE(message.find("cannot be assembled"), message.npos) << message;
}

TEST(MechanismAssembly, FreeBodyWithoutMassIsNamed) {
  Model model = make_four_bar(1, 0.3, 0.9, 0.6);
  test::add_planar_body(model, "ghost", 0, 0, {{"A", Vec3::Zero()}});
  const std::string message = message_of([&] { Moved(model, dynamic({0, 1}, 1e-8)); });
  EXPECT_NE(message.find("body ghost"), message.npos) << message;
}

TEST(MechanismKinematics, SaysThatAFreedomIsNotDriven) {
  MotionOptions options;
  options.kind = MechanismRequest::Kind::kinematic;
  options.times = {0, 1};
  const std::string message = message_of([&] { Moved(make_four_bar(1, 0.3, 0.9, 0.6), options); });
  EXPECT_NE(message.find("1 freedom of the mechanism is not driven"), message.npos) << message;
}

// Driven by the rocker, a crank-rocker locks where crank and coupler are stretched: the rocker's angle from the ground
// then is that of the triangle (crank + coupler, ground, rocker).
TEST(MechanismKinematics, DeadPointIsReportedWithItsTime) {
  Model model = make_four_bar(1, 0.3, 0.9, 0.6);
  test::add_driver(model, "Q", "1.9 - t");
  MotionOptions options;
  options.kind = MechanismRequest::Kind::kinematic;
  options.times = test::times_to(2, 200);
  const double reach = 1.2, limit = kPi - std::acos((1 + 0.36 - reach * reach) / (2 * 0.6));
  const std::string message = message_of([&] { Moved(model, options); });
  const double t = 1.9 - limit;
  ASSERT_NE(message.find("cannot follow its drivers beyond t = "), message.npos) << message;
  const size_t at = message.find("t = ") + 4;
  EXPECT_NEAR(std::stod(message.substr(at)), t, 1e-5) << message;
}

// A parallelogram with a third rod: its length is redundant, and the forces of the three rods are not determined.
TEST(MechanismRedundancy, IsFoundNamedAndHandled) {
  Model model = make_four_bar(1, 0.5, 1, 0.5);
  model.bodies[2].attitude = Vec3(0, 0, 1);
  model.ground_points.push_back(test::make_points({{"M", Vec3(0.4, 0, 0)}})[0]);
  model.bodies[1].points.push_back(test::make_points({{"M", Vec3(0.4, 0, 0)}})[0]);
  model.joints[0].position = test::number(1);
  const Moved plain(model, dynamic(test::times_to(0.6, 6), 1e-10));
  Body& third = test::add_planar_body(model, "third", 1e-9, 1e-10, {{"A", Vec3::Zero()}, {"B", Vec3(0.5, 0, 0)}});
  third.place = Vec3(0.4, 0, 0);
  third.attitude = Vec3(0, 0, 1);
  test::add_joint(model, "M", Kind::revolute, "ground.M", "third.A");
  test::add_joint(model, "N", Kind::revolute, "third.B", "coupler.M");
  const Moved it(model, dynamic(test::times_to(0.6, 6), 1e-10));
  EXPECT_EQ(it.assembly.rows.n_free, 1);
  ASSERT_EQ(it.assembly.redundant.size(), 1u);
  EXPECT_EQ(it.assembly.redundant[0].substr(0, 6), "joint ");
  EXPECT_FALSE(it.assembly.is_singular);
  // It moves as without the third rod, which weighs next to nothing.
  EXPECT_LE((it.motion.x.row(0) - plain.motion.x.row(0)).norm(), 1e-7);
  EXPECT_LE(it.motion.drift.position, 1e-12);  // the row that was left out too
  const auto histories = calc_joint_histories(it.mechanism, it.motion, it.assembly.rows);
  for (const JointHistory& joint : histories) {
    EXPECT_FALSE(joint.determined[0] && joint.determined[1]);
    EXPECT_TRUE(joint.determined[5]);
  }
  for (const JointHistory& joint : calc_joint_histories(plain.mechanism, plain.motion, plain.assembly.rows))
    for (const bool yes : joint.determined) EXPECT_TRUE(yes);
}

// A block on a line with Coulomb friction: −μ m g tanh(v/v₀), whose reaction is known.
TEST(MechanismFriction, OfASliderWithKnownReaction) {
  const double mu = 0.3, m = 2, v0 = 1e-2;
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  test::add_planar_body(model, "block", m, 0.1, {{"P", Vec3::Zero()}});
  Joint& joint = test::add_joint(model, "slide", Kind::prismatic, "ground.O", "block.P");
  joint.axis = Vec3(1, 0, 0);
  joint.speed = test::number(3);
  joint.friction.emplace();
  joint.friction->coulomb = mu;
  joint.friction->smoothing = test::number(v0);
  const Moved it(model, dynamic(test::times_to(2, 20), 1e-10));
  for (Eigen::Index k = 0; k < it.motion.q.cols(); ++k) {
    // v̇ = −μ g tanh(v/v₀):  sinh(v/v₀) = sinh(3/v₀) exp(−μ g t/v₀)
    const double t = it.motion.times[static_cast<size_t>(k)];
    const double log_sinh = 3 / v0 - std::log(2) - mu * 9.81 * t / v0;
    const double want = v0 * (log_sinh > 30 ? log_sinh + std::log(2) : std::asinh(std::exp(log_sinh)));
    EXPECT_NEAR(it.motion.x_rate(0, k), want, 1e-7) << t;
    EXPECT_NEAR(it.motion.friction(0, k), -mu * m * 9.81 * std::tanh(want / v0), 1e-4) << t;
  }
  EXPECT_LE(it.motion.energy_error, 1e-6);
}

// Friction in a pin changes the force on it: the equation of a pendulum with F = force on the pin, solved by hand.
TEST(MechanismFriction, OfAPinDependsOnItsOwnReaction) {
  const double m = 1.5, l = 0.4, mu = 0.4, pin = 0.03, phi = -0.4, w = 6, g = 9.81;
  Model model;
  model.gravity = Vec3(0, -g, 0);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  Body& body = test::add_planar_body(model, "arm", m, 0.01, {{"O", Vec3::Zero()}});
  body.center = Vec3(l, 0, 0);
  Joint& joint = test::add_joint(model, "O", Kind::revolute, "ground.O", "arm.O");
  joint.position = test::number(phi);
  joint.speed = test::number(w);
  joint.friction.emplace();
  joint.friction->coulomb = mu;
  joint.friction->radius = pin;
  joint.friction->smoothing = test::number(0.1);
  for (const Formalism formalism :
       {Formalism::kane, Formalism::maggi, Formalism::multipliers, Formalism::gibbs_appell}) {
    MotionOptions options = dynamic({0}, 1e-10);
    options.formalism = formalism;
    const Moved it(model, options);
    const double e = it.motion.a(2, 0), c = std::cos(phi), s = std::sin(phi);
    const Vec3 force(m * l * (-e * s - w * w * c), m * l * (e * c - w * w * s) + m * g, 0);
    const double friction = -mu * pin * force.norm() * std::tanh(w / 0.1);
    EXPECT_NEAR((0.01 + m * l * l) * e, -m * g * l * c + friction, 1e-11);
    EXPECT_NEAR(it.motion.friction(0, 0), friction, 1e-11);
  }
}

TEST(MechanismGear, KeepsTheRatioAndSharesTheTorque) {
  Model model;
  model.ground_points = test::make_points({{"O", Vec3::Zero()}, {"P", Vec3(1, 0, 0)}});
  test::add_planar_body(model, "small", 1, 0.2, {{"C", Vec3::Zero()}});
  test::add_planar_body(model, "large", 1, 1.8, {{"C", Vec3::Zero()}}).place = Vec3(1, 0, 0);
  test::add_joint(model, "J1", Kind::revolute, "ground.O", "small.C").position = test::number(0.2);
  test::add_joint(model, "J2", Kind::revolute, "ground.P", "large.C").position = test::number(0.5);
  Gear& gear = model.gears.emplace_back();
  gear.name = "G";
  gear.joints.resize(2);
  gear.joints[0].value = "J1";
  gear.joints[1].value = "J2";
  gear.ratio = -3;
  Motor& motor = model.motors.emplace_back();
  motor.name = "M";
  motor.joint.value = "J1";
  motor.speeds = {0, 10};
  motor.torques = {2, 2};
  const Moved it(model, dynamic({0, 1, 2}, 1e-10));
  // Inertia seen by the small wheel: 0.2 + 1.8/9 = 0.4, so 5 rad/s².
  EXPECT_NEAR(it.motion.x(0, 2), 0.2 + 0.5 * 5 * 4, 1e-9);
  EXPECT_NEAR(it.motion.x(1, 2), 0.5 - 0.5 * 5 / 3 * 4, 1e-9);
  EXPECT_NEAR(it.loads(1)[1].applied_b.moment[2], -1.8 * 5 / 3, 1e-9);
}

TEST(MechanismEvents, AreFoundBetweenStepsAndMayStop) {
  // Free fall along a line: x = 5 − g t²/2.
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  test::add_planar_body(model, "stone", 1, 1, {{"P", Vec3::Zero()}});
  Joint& joint = test::add_joint(model, "fall", Kind::prismatic, "ground.O", "stone.P");
  joint.axis = Vec3(0, 1, 0);
  joint.position = test::number(5);
  MotionOptions options = dynamic(test::times_to(2, 10), 1e-10);
  options.events = {{"fast", 0, MechanismEvent::Of::speed, -4, MechanismEvent::Direction::falling, false},
                    {"up", 0, MechanismEvent::Of::position, 3, MechanismEvent::Direction::rising, false},
                    {"ground", 0, MechanismEvent::Of::position, 0, MechanismEvent::Direction::both, true}};
  const Moved it(model, options);
  ASSERT_EQ(it.motion.events.size(), 2u);
  EXPECT_EQ(it.motion.events[0].name, "fast");
  EXPECT_NEAR(it.motion.events[0].t, 4 / 9.81, 1e-12);
  EXPECT_EQ(it.motion.events[1].name, "ground");
  EXPECT_NEAR(it.motion.events[1].t, std::sqrt(10 / 9.81), 1e-12);
  EXPECT_TRUE(it.motion.stopped);
  EXPECT_EQ(it.motion.times.back(), it.motion.events[1].t);
  EXPECT_NEAR(it.motion.x(0, it.motion.x.cols() - 1), 0, 1e-11);
}

TEST(MechanismSpring, OscillatesOnAJointAndBetweenPoints) {
  for (const bool on_joint : {true, false}) {
    Model model;
    model.ground_points = test::make_points({{"O", Vec3::Zero()}});
    test::add_planar_body(model, "mass", 2, 1, {{"P", Vec3::Zero()}});
    Joint& joint = test::add_joint(model, "slide", Kind::prismatic, "ground.O", "mass.P");
    joint.axis = Vec3(1, 0, 0);
    joint.position = test::number(1.3);
    MechanismSpring& spring = model.springs.emplace_back();
    spring.name = "S";
    spring.stiffness = test::number(50);
    spring.free_length = test::number(1);
    if (on_joint) {
      spring.joint.value = "slide";
    } else {
      spring.a.value = "ground.O";
      spring.b.value = "mass.P";
    }
    const Moved it(model, dynamic(test::times_to(3, 30), 1e-12));
    for (Eigen::Index k = 0; k < it.motion.q.cols(); ++k)
      EXPECT_NEAR(it.motion.x(0, k), 1 + 0.3 * std::cos(5 * it.motion.times[static_cast<size_t>(k)]), 1e-10);
    EXPECT_LE(it.motion.energy_error, 1e-10);
  }
}

// A motion that is driven by a motor, then driven by that motion: inverse dynamics returns the torque.
TEST(MechanismDriver, AndAllFormalismsGiveTheSameMotion) {
  Model model = make_four_bar(1, 0.3, 0.9, 0.6);
  model.joints[0].position = test::number(0.7);
  model.joints[0].speed = test::number(4);
  Motor& motor = model.motors.emplace_back();
  motor.name = "M";
  motor.joint.value = "O";
  motor.torque = test::expression("3*(1 - w/12) + 0.2*sin(x)", kJointVariables);
  const Moved first(model, dynamic(test::times_to(1, 10), 1e-11));
  for (const Formalism formalism : {Formalism::maggi, Formalism::multipliers, Formalism::gibbs_appell}) {
    MotionOptions options = dynamic(test::times_to(1, 10), 1e-11);
    options.formalism = formalism;
    const Moved other(model, options);
    EXPECT_LE((other.motion.x - first.motion.x).norm(), 1e-9);
    EXPECT_LE((other.motion.lambda - first.motion.lambda).norm(), 1e-7 * first.motion.lambda.norm());
  }
}

TEST(Elimination, GivesComplementParticularAndMultipliers) {
  RowMatrix A(3, 4);
  A << 1, 2, 0, 1, 0, 1, 1e3, 0, 1, 3, 1e3, 1;  // the third is the sum
  const VectorX units = (VectorX(4) << 1, 2, 1e3, 0.5).finished();
  Elimination elimination;
  elimination.factor(A, {0, 1, 2}, units, 1e-12);
  EXPECT_EQ(elimination.rank(), 2);
  EXPECT_EQ(elimination.n_free(), 2);
  const MatrixX B = elimination.complement().leftCols(2);
  EXPECT_LE((A * B).norm(), test::roundoff(8, 1e3));
  VectorX p;
  elimination.calc_particular(Vec3(1, 2, 3), p);
  EXPECT_LE((A * p - Vec3(1, 2, 3)).norm(), test::roundoff(8, 3));
  VectorX lambda;
  const VectorX r = A.transpose() * Vec3(0.3, -0.7, 0);
  elimination.solve_transposed(r, lambda);
  EXPECT_LE((A.transpose() * lambda - r).norm(), test::roundoff(8, 1e3));
}

}  // namespace
}  // namespace elodyn
