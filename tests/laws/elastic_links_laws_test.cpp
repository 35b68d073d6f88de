// What the rigid stage gives an elastic body balances: the joint forces and the inertia of the moving frame add up to
// nothing, at every instant, in the plane and in space. The strongest check of their signs, axes and points.
#include <cmath>

#include "tests/support/elastic_mechanisms.hpp"
#include "tests/support/results.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using test::ElasticSliderCrank;
using test::Linked;

// Instants between the records, of no round number.
std::vector<double> instants_of(const MotionTable& table) {
  std::vector<double> out;
  constexpr int kInstants = 37;
  for (int k = 0; k < kInstants; ++k) out.push_back(table.start + (table.end - table.start) * (k + 0.618) / kInstants);
  return out;
}

// Each load of the frame and of the joints has the error of its spline, ω² twice that of ω; the estimate is that of the
// leading order.
double calc_bound(const Linked& it, double size) {
  const auto n = static_cast<double>(it.system.full.loads.size());
  return 2 * (n + 1) * it.links->interpolation_error * size + test::roundoff(100, size);
}

void expect_balance(const Linked& it, double length) {
  EXPECT_LE(it.links->interpolation_error, 1e-8);
  double size = 0;
  for (const double t : instants_of(it.table())) size = std::max(size, test::calc_resultant(it.system, t).size);
  EXPECT_GT(size, 0);
  for (const double t : instants_of(it.table())) {
    const test::Resultant left = test::calc_resultant(it.system, t);
    EXPECT_LE(left.force.norm(), calc_bound(it, size)) << t;
    EXPECT_LE(left.moment.norm(), calc_bound(it, size) * length) << t;
  }
}

MechanismSpring make_spring(const std::string& a, const std::string& b) {
  MechanismSpring spring;
  spring.name = "spring";
  spring.a.value = a;
  spring.b.value = b;
  spring.stiffness = test::number(300);
  spring.damping = test::number(4);
  spring.free_length = test::number(0.1);
  return spring;
}

MechanismForce make_force(const std::string& at, const std::array<std::string, 3>& force,
                          const std::array<std::string, 3>& moment) {
  MechanismForce out;
  out.name = "force";
  out.at.value = at;
  out.components.emplace();
  out.moment.emplace();
  for (size_t k = 0; k < 3; ++k) {
    (*out.components)[k] = test::expression(force[k]);
    (*out.moment)[k] = test::expression(moment[k]);
  }
  return out;
}

TEST(ElasticLinkLaws, SliderCrankBalances) {
  ElasticSliderCrank p;
  p.g = 9.81;
  p.turns = 2;
  expect_balance(Linked(p.make()), p.rod.length);
  p.rod.element = "beam_rayleigh";
  p.rod.elements = 4;
  expect_balance(Linked(p.make()), p.rod.length);
}

TEST(ElasticLinkLaws, SpringsForcesAndFrictionBalanceToo) {
  ElasticSliderCrank p;
  p.g = 9.81;
  Model model = p.make();
  model.ground_points.push_back(test::make_points({{"W", Vec3(0.1, 0.5, 0)}})[0]);
  model.springs = {make_spring("ground.W", "rod.M")};
  model.forces = {make_force("rod.C", {"20*sin(30*t)", "5+t", "0"}, {"0", "0", "2*cos(20*t)"})};
  model.joints[2].friction = JointFriction{};
  model.joints[2].friction->viscous = test::number(0.3);
  const Linked it(model);
  expect_balance(it, p.rod.length);
  EXPECT_EQ(it.body().loads.size(),
            10u);  // B: 2; C: 2 and the moment of its friction; spring: 2; force: 2 and a moment
}

// A rod that a hinge about a slanting axis swings in space.
TEST(ElasticLinkLaws, SpaceBalances) {
  Model model;
  model.gravity = Vec3(0.3, -9.81, 2);
  model.ground_points = test::make_points({{"O", Vec3(0.1, 0.2, 0)}, {"W", Vec3(-0.2, 0.3, 0.4)}});
  test::ElasticRod rod;
  rod.dimension = 3;
  rod.element = "beam_rayleigh";  // beam_euler_bernoulli has torsional inertia, but not the couple ω × Iω of it
  Body& link = test::add_elastic_rod(model, rod);
  link.place = Vec3(0.1, 0.2, 0);
  link.supports.resize(1);
  link.supports[0].kind = Support::Kind::clamp;
  test::add_joint(model, "O", Joint::Kind::revolute, "ground.O", "rod.B").axis = Vec3(1, 2, 3);
  test::add_driver(model, "O", "3*t + 0.4*sin(5*t)");
  model.drivers[0].speed = test::expression("3 + 2*cos(5*t)");
  model.drivers[0].acceleration = test::expression("-10*sin(5*t)");
  model.springs = {make_spring("rod.C", "ground.W")};
  model.forces = {make_force("rod.M", {"3*sin(7*t)", "1", "2*t"}, {"0.1", "0.2*t", "0.3*sin(t)"})};
  model.mechanism = MechanismRequest{};
  model.mechanism->kind = MechanismRequest::Kind::inverse;
  model.mechanism->duration = 2.5;
  expect_balance(Linked(model), rod.length);
}

// A free double pendulum: forward dynamics.
TEST(ElasticLinkLaws, ForwardDynamicsBalance) {
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  test::add_planar_body(model, "upper", 0.4, 0.003, {{"O", Vec3::Zero()}, {"P", Vec3(0.25, 0, 0)}}).center =
      Vec3(0.12, 0, 0);
  test::ElasticRod rod;
  test::add_elastic_rod(model, rod).place = Vec3(0.25, 0, 0);
  test::add_joint(model, "O", Joint::Kind::revolute, "ground.O", "upper.O").position = test::number(0.3);
  test::add_joint(model, "P", Joint::Kind::revolute, "upper.P", "rod.B").position = test::number(0.5);
  model.mechanism = MechanismRequest{};
  model.mechanism->duration = 1;
  model.mechanism->tolerance = 1e-12;
  const Linked it(model);
  expect_balance(it, rod.length);
  EXPECT_FALSE(it.table().cycle.has_value());
}

// The supports bear what the deformation adds, which a body a million times as stiff does not have.
TEST(ElasticLinkLaws, SupportsBearNothing) {
  ElasticSliderCrank p;
  p.g = 9.81;
  p.rod.young *= 1e6;
  Model model = p.make();
  const ElasticLinks links = make_elastic_links(model);
  for (const double t : {0.0101, 0.1234, 0.3333}) {
    model.static_ = StaticRequest{};
    model.static_->time = t;
    const Results results = run_static(model);
    ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
    const double size = test::column(results, "static", "N")[0];
    ASSERT_GT(size, 1);
    // Deflections of 1e-6 of a mm turn forces by 1e-8.
    for (const char* name : {"Fx", "Fy"})
      for (const double force : test::column(results, "rod_reactions", name))
        EXPECT_LE(std::abs(force), (100 * links.interpolation_error + 1e-7) * size) << name << " at " << t;
  }
}

TEST(ElasticLinkLaws, ErrorFallsWithRecordsAsTheSplinesSay) {
  ElasticSliderCrank p;
  std::vector<double> errors, estimates;
  for (const int records : {96, 192, 384}) {
    const Model model = p.make();
    const RigidStage rigid = run_rigid_stage(model, records);
    const Linked it(make_elastic_links(model, rigid));
    double worst = 0, size = 0;
    for (const double t : instants_of(it.table())) {
      const test::Resultant left = test::calc_resultant(it.system, t);
      worst = std::max(worst, left.force.norm());
      size = std::max(size, left.size);
    }
    errors.push_back(worst / size);
    estimates.push_back(rigid.interpolation_error);
  }
  for (size_t k = 0; k + 1 < errors.size(); ++k) {
    EXPECT_GE(std::log2(estimates[k] / estimates[k + 1]), 3.9) << k;
    EXPECT_LE(errors[k], 20 * estimates[k]) << k;
  }
  EXPECT_LE(errors.back(), 1e-7);
}

}  // namespace
}  // namespace elodyn
