// Model → mechanism → Results: tables, summary, warnings, frames.
#include "elodyn/study/mechanism.hpp"

#include <cmath>

#include "tests/support/mechanisms.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/model/validate.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

constexpr double kCrank = 0.05, kRod = 0.2, kSpeed = 100;

// A crank at constant speed, a massless rod's worth of inertia left out of the piston's equation: x = r cos φ + √(l² −
// r² sin² φ).
Model make_slider_crank() {
  Model model;
  model.title = "slider-crank";
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  test::add_planar_body(model, "crank", 1, 0.01, {{"O", Vec3::Zero()}, {"A", {kCrank, 0, 0}}});
  test::add_planar_body(model, "rod", 0.4, 0.0015, {{"A", Vec3::Zero()}, {"B", {kRod, 0, 0}}}).place = {kCrank, 0, 0};
  test::add_planar_body(model, "piston", 0.5, 0, {{"B", Vec3::Zero()}}).place = {kCrank + kRod, 0, 0};
  test::add_joint(model, "O", Joint::Kind::revolute, "ground.O", "crank.O");
  test::add_joint(model, "A", Joint::Kind::revolute, "crank.A", "rod.A");
  test::add_joint(model, "B", Joint::Kind::revolute, "rod.B", "piston.B");
  test::add_joint(model, "guide", Joint::Kind::prismatic, "ground.O", "piston.B").axis = Vec3(1, 0, 0);
  test::add_driver(model, "O", "100*t");
  MechanismRequest& request = model.mechanism.emplace();
  request.kind = MechanismRequest::Kind::inverse;
  request.duration = 2 * M_PI / kSpeed;
  request.records = 36;
  return model;
}

const std::vector<double>& column(const Results& results, const std::string& table, const std::string& name) {
  const Table* found = results.find_table(table);
  EXPECT_NE(found, nullptr) << table;
  for (const Column& c : found->columns)
    if (c.name == name) return std::get<std::vector<double>>(c.values);
  ADD_FAILURE() << table << " has no column " << name;
  static const std::vector<double> none;
  return none;
}

TEST(MechanismStudy, SliderCrankAgainstClosedForm) {
  const Model model = make_slider_crank();
  Diagnostics diagnostics;
  validate(model, {}, diagnostics);
  ASSERT_EQ(diagnostics.format_all(Severity::error), "");
  const Results results = run_analysis(model, "mechanism");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  EXPECT_TRUE(results.warnings.empty());
  const auto& t = column(results, "mechanism_coordinate_history", "t");
  const auto& x = column(results, "mechanism_coordinate_history", "guide");
  const auto& v = column(results, "mechanism_coordinate_history", "guide_speed");
  const auto& a = column(results, "mechanism_coordinate_history", "guide_acceleration");
  const auto& force = column(results, "liaison_B", "fx");
  ASSERT_EQ(t.size(), 37u);
  for (size_t k = 0; k < t.size(); ++k) {
    const double phi = kSpeed * t[k], s = std::sin(phi), c = std::cos(phi);
    const double root = std::sqrt(kRod * kRod - kCrank * kCrank * s * s);
    const double root_1 = -kCrank * kCrank * s * c * kSpeed / root;
    const double root_2 = (-kCrank * kCrank * kSpeed * kSpeed * (c * c - s * s) - root_1 * root_1) / root;
    // Newton's method stops at 1e-10 of the size; differences of the driver give its speed to about 1e-10.
    EXPECT_NEAR(x[k], kCrank * c + root, 1e-9 * kRod);
    EXPECT_NEAR(v[k], -kCrank * s * kSpeed + root_1, 1e-8 * kCrank * kSpeed);
    EXPECT_NEAR(a[k], -kCrank * c * kSpeed * kSpeed + root_2, 1e-6 * kCrank * kSpeed * kSpeed);
    EXPECT_NEAR(force[k], 0.5 * a[k], test::roundoff(1000, 500));
  }
  // At φ = 0 it is largest: r ω² (1 + r/l).
  EXPECT_NEAR(column(results, "mechanism_points", "acceleration").back(), 625, 1e-3);
  ASSERT_TRUE(results.mechanism.has_value());
  EXPECT_EQ(results.mechanism->n_freedoms, 0);
  EXPECT_EQ(results.mechanism->joints.size(), 4u);
  EXPECT_TRUE(std::isnan(results.mechanism->energy_error));
}

// The power of the driver is what changes the kinetic energy: over a turn none is left.
TEST(MechanismStudy, PowerBalanceOverATurn) {
  Model model = make_slider_crank();
  model.mechanism->records = 720;
  const Results results = run_analysis(model, "mechanism");
  const auto& t = column(results, "mechanism_energy_history", "t");
  const auto& power = column(results, "mechanism_energy_history", "power");
  const auto& kinetic = column(results, "mechanism_energy_history", "kinetic");
  double work = 0, largest = 0;  // trapezoids on a periodic function are exact but for its harmonics above 720
  for (size_t k = 0; k + 1 < t.size(); ++k) work += 0.5 * (t[k + 1] - t[k]) * (power[k] + power[k + 1]);
  for (const double value : kinetic) largest = std::max(largest, value);
  EXPECT_NEAR(work, 0, 1e-8 * largest);
  EXPECT_NEAR(kinetic.front(), kinetic.back(), 1e-8 * largest);
}

TEST(MechanismStudy, FramesFollowThePoints) {
  const Results results = run_analysis(make_slider_crank(), "mechanism");
  ASSERT_EQ(results.grids.size(), 37u);
  const Grid& last = results.grids.back();
  EXPECT_EQ(last.animation, "mechanism");
  EXPECT_NEAR(last.time, 2 * M_PI / kSpeed, 1e-15);
  // crank O A, rod A B, piston B and its centre
  // and each joint as a point with its force
  EXPECT_EQ(last.cells, (std::vector<std::vector<int>>{{0, 1}, {2, 3}, {4, 5}, {6}, {7}, {8}, {9}}));
  EXPECT_EQ(last.point_names[1], "crank.A");
  EXPECT_EQ(last.point_names[8], "joint B");
  EXPECT_EQ(last.points.col(8), last.points.col(4));
  EXPECT_EQ(last.fields[3].name, "liaison_force");
  EXPECT_EQ(last.fields[3].values(0, 8), column(results, "liaison_B", "fx").back());
  EXPECT_NEAR(last.points(0, 1), kCrank, 1e-9);
  EXPECT_NEAR(last.points(0, 4), kCrank + kRod, 1e-9);
  // The piston's pin and its centre are one point, and move as one.
  for (const PointField& field : last.fields) EXPECT_EQ(field.values.col(4), field.values.col(5)) << field.name;
  EXPECT_GT(last.fields[1].values.col(5).norm(), 600);
}

// A rod that a second guide holds once more: the sideways force cannot be shared out, and it is said.
TEST(MechanismStudy, OverConstrainedIsSaid) {
  Model model = make_slider_crank();
  model.bodies[2].points.push_back(test::make_points({{"C", {0.1, 0, 0}}})[0]);
  test::add_joint(model, "second", Joint::Kind::prismatic, "ground.O", "piston.C").axis = Vec3(1, 0, 0);
  const Results results = run_analysis(model, "mechanism");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  EXPECT_EQ(results.mechanism->redundant.size(), 2u);
  const auto& second = results.mechanism->joints.back();
  EXPECT_EQ(second.undetermined, (std::vector<std::string>{"force y", "moment z"}));
  EXPECT_TRUE(results.mechanism->joints[1].undetermined.empty());
  std::string all;
  for (const std::string& warning : results.warnings) all += warning + "\n";
  EXPECT_NE(all.find("2 constraints of the mechanism follow from the others"), all.npos) << all;
  EXPECT_NE(all.find("joint `second`: force y, moment z are not determined"), all.npos) << all;
}

// A loop that cannot close: the message names the joint, and nothing is computed.
TEST(MechanismStudy, CannotBeAssembled) {
  Model model = make_slider_crank();
  model.bodies[1].points[1].x = {0.01, 0, 0};  // a rod of 1 cm
  model.joints[3].position = test::number(0.25);
  const Results results = run_analysis(model, "mechanism");
  EXPECT_EQ(results.outcome.status, "numerical failure");
  EXPECT_NE(results.outcome.message.find("joint"), std::string::npos) << results.outcome.message;
}

// What was computed before a failure is kept: a rod shorter than the crank stops the turn.
TEST(MechanismStudy, KeepsWhatWasBeforeALock) {
  Model model = make_slider_crank();
  model.bodies[1].points[1].x = {0.03, 0, 0};
  model.bodies[2].place = {kCrank + 0.03, 0, 0};
  const Results results = run_analysis(model, "mechanism");
  EXPECT_EQ(results.outcome.status, "numerical failure");
  EXPECT_NE(results.outcome.message.find("t = "), std::string::npos) << results.outcome.message;
  const auto& t = column(results, "mechanism_coordinate_history", "t");
  EXPECT_GT(t.size(), 2u);
  EXPECT_LE(kSpeed * t.back(), std::asin(0.03 / kCrank) + 1e-6);
}

// After `settle` the last cycle alone is recorded, and told by its harmonics.
TEST(MechanismStudy, RecordsTheLastCycleOfWhatHasSettled) {
  Model model = make_slider_crank();
  const double turn = 2 * M_PI / kSpeed;
  model.mechanism->settle = 0.3 * turn;
  model.mechanism->duration = 2.8 * turn;
  model.mechanism->records = 360;
  const Results results = run_analysis(model, "mechanism");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  EXPECT_EQ(column(results, "mechanism_cycle", "turns")[0], 1);
  EXPECT_NEAR(column(results, "mechanism_cycle", "mean_speed")[0], kSpeed * 30 / M_PI, 1e-6 * kSpeed);
  const auto& t = column(results, "mechanism_coordinate_history", "t");
  ASSERT_EQ(t.size(), 361u);
  EXPECT_NEAR(t.front(), 1.8 * turn, 1e-8 * turn);
  EXPECT_NEAR(t.back(), 2.8 * turn, 1e-12 * turn);
  // The pin goes round: one harmonic, r ω²; that of the piston has a second one of r²/l ω² and a little more.
  const auto& pin = column(results, "mechanism_harmonics", "crank_A_ax");
  const auto& piston = column(results, "mechanism_harmonics", "piston_B_ax");
  const double size = kCrank * kSpeed * kSpeed;
  for (size_t k = 0; k < pin.size(); ++k) EXPECT_NEAR(pin[k], k == 1 ? size : 0, 1e-5 * size) << k;
  const double ratio = kCrank / kRod;
  EXPECT_NEAR(piston[1], size, 1e-5 * size);
  EXPECT_NEAR(piston[2], size * (ratio + std::pow(ratio, 3) / 4 + 15 * std::pow(ratio, 5) / 128),
              size * std::pow(ratio, 7));
}

// A pendulum never turns over: all that comes after `settle` is recorded.
TEST(MechanismStudy, RecordsAllOfWhatHasNoCycle) {
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  Body& bob = test::add_planar_body(model, "bob", 1, 0.1, {{"O", Vec3::Zero()}});
  bob.center = Vec3(0, -1, 0);
  test::add_joint(model, "O", Joint::Kind::revolute, "ground.O", "bob.O").position = test::number(0.5);
  MechanismRequest& request = model.mechanism.emplace();
  request.settle = 1;
  request.duration = 3;
  request.records = 40;
  const Results results = run_analysis(model, "mechanism");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  EXPECT_EQ(results.find_table("mechanism_cycle"), nullptr);
  EXPECT_EQ(results.find_table("mechanism_harmonics"), nullptr);
  const auto& t = column(results, "mechanism_coordinate_history", "t");
  ASSERT_EQ(t.size(), 41u);
  EXPECT_EQ(t.front(), 1);
  EXPECT_EQ(t.back(), 3);
  EXPECT_EQ(column(results, "mechanism_energy_history", "energy_error").front(), 0);
}

// A motor that is still speeding up has no cycle, and that is said.
TEST(MechanismStudy, SaysThatItHasNotSettled) {
  Model model = make_slider_crank();
  model.drivers.clear();
  model.joints[0].speed = test::number(10);
  Motor& motor = model.motors.emplace_back();
  motor.name = "motor";
  motor.joint.value = "O";
  motor.torque = test::expression("0.5", kJointVariables);
  model.mechanism->kind = MechanismRequest::Kind::dynamic;
  model.mechanism->settle = 0.1;
  model.mechanism->duration = 1;
  const Results results = run_analysis(model, "mechanism");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  EXPECT_EQ(results.find_table("mechanism_cycle"), nullptr);
  ASSERT_FALSE(results.warnings.empty());
  EXPECT_NE(results.warnings[0].find("the mechanism has not settled"), std::string::npos) << results.warnings[0];
}

}  // namespace
}  // namespace elodyn
