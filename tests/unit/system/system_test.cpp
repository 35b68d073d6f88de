#include "elodyn/system/system.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/models.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

// A spin about z is one G, one E, one S, one Kg for each load: nothing that the motion does not need is stored.
TEST(BodySystem, StoresOnlyTheTermsOfItsMotion) {
  const Model rest = test::make_rod({}), spin = test::make_rod({.speed = 10});
  const auto names = [](const Model& m) {
    std::string all;
    const BodySystem s = make_body_system(m, m.bodies[0]);
    for (const MatrixTerm& t : s.full.matrices) all += t.name + " ";
    for (const LoadTerm& t : s.full.loads) all += t.name + " ";
    return all;
  };
  EXPECT_EQ(names(rest), "M D K ");
  EXPECT_EQ(names(spin), "M D K G_z E_z S_zz Kg_B_z Kg_H_zz B_z H_zz ");
}

TEST(BodySystem, TermsCanBeSwitchedOff) {
  Model m = test::make_rod({.speed = 500, .modes = 2});
  const double all = run_modes(m).modes[0].omega;
  m.terms.coriolis = false;
  const double no_coriolis = run_modes(m).modes[0].omega;
  m.terms.centrifugal_stiffness = false;
  const double no_S = run_modes(m).modes[0].omega;
  m.terms.geometric = false;
  const double plain = run_modes(m).modes[0].omega;
  EXPECT_LT(all, no_coriolis);
  EXPECT_NEAR(no_S * no_S, no_coriolis * no_coriolis + 500 * 500, 300) << "S = −M but for the turning section";
  EXPECT_NEAR(plain, 182.4265, 1e-4);
  m.terms.rotary = false;
  EXPECT_GT(run_modes(m).modes[0].omega, plain);
}

TEST(BodySystem, RigidMotionsAreThoseThatNothingHolds) {
  Model m = test::make_rod({});
  const auto count = [&] { return make_body_system(m, m.bodies[0]).rigid.cols(); };
  EXPECT_EQ(count(), 0);
  m.bodies[0].supports.clear();
  EXPECT_EQ(count(), 3);
  m.bodies[0].supports = {test::make_support(Support::Kind::pin, "from")};
  EXPECT_EQ(count(), 1);
  m.bodies[0].supports.push_back(
      test::make_support(Support::Kind::roller, "to", {1, 0, 0}));  // along the rod: holds nothing more
  EXPECT_EQ(count(), 1);
  m.bodies[0].supports.back().normal = {0.1, 1, 0};
  EXPECT_EQ(count(), 0);
  m.bodies[0].supports.clear();
  Spring spring;
  spring.at.value = "to";
  spring.stiffness = {1, 0, 0};
  m.bodies[0].springs = {spring};
  EXPECT_EQ(count(), 2);
}

// A free bar pulled at both ends: the axial force between them is the pull; in free fall it is none.
TEST(BodySystem, InertiaReliefOfAFreeBody) {
  Model m = test::make_rod({.elements = 4, .modes = 4});
  m.bodies[0].supports.clear();
  for (const auto& [point, force] : {std::pair{"from", -1000.0}, {"to", 1000.0}}) {
    Load load;
    load.at = Located<std::string>{point, {}};
    load.force = {force, 0, 0};
    m.bodies[0].loads.push_back(load);
  }
  const BodySystem pulled = make_body_system(m, m.bodies[0]);
  for (const VectorX& p : pulled.calc_prestress(pulled.calc_factors(0))) {
    EXPECT_NEAR(p[0], 1000, 1e-8);
    EXPECT_NEAR(p[1], 0, 1e-8);
  }
  m.bodies[0].loads.pop_back();  // pulled backwards at one end only: it accelerates, N falls to zero at the other
  const BodySystem towed = make_body_system(m, m.bodies[0]);
  const auto p = towed.calc_prestress(towed.calc_factors(0));
  EXPECT_NEAR(p.front()[0], 1000, 1e-8);
  EXPECT_NEAR(p.back()[0] + p.back()[1], 0, 1e-8);
  m.bodies[0].loads.clear();
  m.gravity = {-9.81, 0, 0};
  const BodySystem falling = make_body_system(m, m.bodies[0]);
  for (const VectorX& q : falling.calc_prestress(falling.calc_factors(0))) EXPECT_LE(q.cwiseAbs().maxCoeff(), 1e-9);
}

// Gravity on a spin that stands still is that of a body at rest; along the axis, but for rounding, it does nothing.
TEST(BodySystem, GravityOnASpin) {
  Model still = test::make_rod({.speed = 1, .modes = 1}), rest = test::make_rod({.modes = 1});
  still.bodies[0].motion.speed = 0;
  still.gravity = rest.gravity = {0, -9.81, 0};
  EXPECT_NEAR(run_modes(still).modes.at(0).omega / run_modes(rest).modes.at(0).omega, 1, 1e-9);
  Model spin = test::make_rod({.speed = 100, .modes = 1});
  const double without = run_modes(spin).modes.at(0).omega;
  spin.gravity = {0, -9.81, 0};
  spin.bodies[0].attitude = {M_PI / 2, 0, 0};
  EXPECT_EQ(run_modes(spin).modes.at(0).omega, without);
}

TEST(BodySystem, NumbersBeyondReasonAreSaid) {
  const std::string beyond =
      "body `rod`: a matrix holds values that are not finite: lengths, stiffnesses, masses or speeds are too large or "
      "too small";
  EXPECT_EQ(run_modes(test::make_rod({.speed = 1e200})).outcome.message, beyond);
  EXPECT_EQ(run_modes(test::make_rod({.density = 1e-300})).outcome.message,
            "body `rod`: the mass has values that are not finite: a length, section, density, stiffness or load is too "
            "large or too small");
}

TEST(BodySystem, StaticSaysWhereRoundOffBegins) {
  Model m = test::make_rod({.elements = 2000, .degree = 5});
  Load load;
  load.at = Located<std::string>{"to", {}};
  load.force = {0, -10, 0};
  m.bodies[0].loads = {load};
  m.terms.geometric = false;
  const Results fine = run_static(m);
  ASSERT_EQ(fine.warnings.size(), 1u);
  EXPECT_NE(fine.warnings[0].find("round-off may change displacements"), std::string::npos) << fine.warnings[0];
  m.bodies[0].members[0].elements.value = 20;
  EXPECT_TRUE(run_static(m).warnings.empty());
}

TEST(BodySystem, EverythingHeldIsSaid) {
  Model m = test::make_rod({.elements = 1});
  m.bodies[0].supports.push_back(test::make_support(Support::Kind::clamp, "to"));
  const Results r = run_modes(m);
  EXPECT_EQ(r.outcome.status, "numerical failure");
  EXPECT_EQ(r.outcome.message, "body `rod`: the supports hold every coordinate, nothing can move; use more elements");
}

TEST(BodySystem, SeveralBodiesKeepTheirNames) {
  Model m = test::make_rod({.modes = 4});
  Body second = m.bodies[0];
  second.name = "longer";
  second.points[1].x = {1, 0, 0};
  m.bodies.push_back(second);
  const Results r = run_modes(m);
  ASSERT_EQ(r.modes.size(), 2 * 4u);  // the count is that of each body
  EXPECT_EQ(r.modes[0].body, "longer");
  EXPECT_EQ(r.modes[1].body, "rod");
  EXPECT_LE(r.modes[1].omega, r.modes[2].omega);
}

// A body is drawn where its place and attitude put it, with its vectors.
TEST(BodySystem, IsDrawnInTheWorld) {
  Model m = test::make_rod({.elements = 2});
  Body& body = m.bodies[0];
  body.loads = {test::make_point_load("to", {0, 7, 0})};
  m.static_ = StaticRequest{};
  const Results here = run_static(m);
  body.place = {1, 2, 3};
  body.attitude = {0, -M_PI / 2, 0};  // body x shows along world z
  const Results there = run_static(m);
  const Grid &a = here.grids[0], &b = there.grids[0];
  const auto field = [](const Grid& grid, const std::string& name) {
    return *std::find_if(grid.fields.begin(), grid.fields.end(), [&](const PointField& f) { return f.name == name; });
  };
  ASSERT_EQ(a.points.cols(), b.points.cols());
  for (Eigen::Index p = 0; p < a.points.cols(); ++p) {
    const Vec3 x = a.points.col(p), want(-x[2] + 1, x[1] + 2, x[0] + 3);
    EXPECT_LT((b.points.col(p) - want).norm(), 1e-15);
  }
  const MatrixX axis = field(b, "axis_x").values;
  EXPECT_LT((axis.col(0) - Vec3::UnitZ()).norm(), 1e-15);
  const MatrixX u = field(a, "displacement").values, v = field(b, "displacement").values;
  EXPECT_GT(u.row(1).maxCoeff(), 0);
  EXPECT_LT((v.row(1) - u.row(1)).norm(), 1e-15);
  EXPECT_LT((v.row(2) - u.row(0)).norm(), 1e-15);
}

TEST(BodySystem, SaysWhatReadersShouldKnow) {
  const auto warnings = [](const Model& m) {
    std::string all;
    for (const std::string& warning : run_static(m).warnings) all += warning + "\n";
    return all;
  };
  Model m = test::make_rod({.elements = 2});
  m.bodies[0].loads = {test::make_point_load("to", {0, 10, 0})};
  EXPECT_EQ(warnings(m), "");
  m.bodies[0].loads = {test::make_point_load("to", {0, 500, 0})};
  EXPECT_EQ(warnings(m),
            "body `rod` moves by 0.202 m and turns by 0.606 rad, in a size of 0.5 m: the equations hold for small "
            "displacements\n");
  m.bodies[0].loads = {test::make_point_load("to", {0, 10, 0})};
  m.sections[0] = test::make_general_section("round", 1e-4, 1e-9);
  EXPECT_EQ(
      warnings(m),
      "body `rod`: a general section does not say enough for all stresses (extreme_y, extreme_z, torsion_modulus): "
      "they are left out there\n");
  m.bodies[0].loads = {test::make_point_load("to", {0, 1e300, 0})};
  EXPECT_EQ(run_static(m).outcome.status, "numerical failure");
  Model free = test::make_rod({.speed = 10});
  free.bodies[0].supports.clear();
  EXPECT_EQ(
      run_static(free).outcome.message,
      "body `rod`: nothing holds it, or a part of it, in the turning frame: there is no steady state; add supports");
}

}  // namespace
}  // namespace elodyn
