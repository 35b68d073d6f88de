// Motions by the formalisms for systems against integrators on the assembled matrices, what they refuse, and the forces
// that they find in joints.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/results.hpp"
#include "tests/support/transient.hpp"
#include <gtest/gtest.h>

#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;
using test::column;
using test::text_column;

// Undeformed and swinging through in its first mode, so that the pull of the spin stretches it on the way.
Model make_swinging(int elements, double speed) {
  Model m = test::make_rod({.elements = elements, .speed = speed});
  m.modes->count = 3 * elements;
  SimulateRequest request;
  request.duration = 2e-3;
  request.steps = 100;
  request.initial_mode = 1;
  request.initial_amplitude = 1e-3;
  request.initial_phase = pi / 2;
  m.simulate = request;
  return m;
}

Results run_well(const Model& model) {
  Results results = run_analysis(model, "simulate");
  if (!results.outcome.ok()) throw std::runtime_error(results.outcome.message);
  return results;
}

bool has_column(const Results& results, const std::string& table, const std::string& name) {
  const auto& columns = results.find_table(table)->columns;
  return std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
}

double largest(const std::vector<double>& values) {
  double most = 0;
  for (const double value : values) most = std::max(most, std::abs(value));
  return most;
}

TEST(SimulateFormalisms, AgreeWithSmallStepsOfAnIntegrator) {
  for (const int elements : {1, 2}) {
    Model m = make_swinging(elements, 300);
    const double fastest = run_modes(m).modes.back().omega;
    constexpr double kStep = 0.02;  // of ω h for the fastest mode
    Model fine = m;
    fine.simulate->integrator.value = "gauss4";
    fine.simulate->every = static_cast<int>(std::ceil(fastest * m.simulate->duration / kStep / 100));
    fine.simulate->steps = 100 * fine.simulate->every;
    const Results want = run_well(fine);
    EXPECT_FALSE(has_column(want, "simulate", "by"));
    // gauss4: a mode is out of phase by (ωh)⁴/720 of its phase, at most that of the fastest one; each of the modes may
    // be as large as the motion. The formalisms promise 1e-9.
    const double phase = std::pow(kStep, 4) / 720 * fastest * m.simulate->duration;
    const double bound = 3 * elements * phase + 1e-9;
    EXPECT_LT(bound, 1e-6);
    for (const char* formalism : {"whittaker", "multipliers", "maggi"}) {
      m.formalism.value = formalism;
      const Results got = run_well(m);
      EXPECT_TRUE(got.warnings.empty()) << formalism << ": " << got.warnings.front();
      EXPECT_EQ(text_column(got, "simulate", "by")[0], formalism);
      EXPECT_GT(column(got, "simulate", "steps")[0], 100) << formalism;
      EXPECT_FALSE(has_column(got, "simulate", "step")) << formalism;  // it has none of its own
      EXPECT_EQ(has_column(got, "simulate", "legs"), formalism == std::string("whittaker"));
      for (const char* name : {"time", "to_u", "to_v", "to_rz", "energy"}) {
        const auto &a = column(want, "rod_history", name), &b = column(got, "rod_history", name);
        ASSERT_EQ(a.size(), 101u);
        ASSERT_EQ(b.size(), 101u) << formalism;
        double worst = 0;
        for (size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
        EXPECT_LE(worst, bound * largest(a)) << formalism << ", " << name << ", " << elements << " elements";
      }
      EXPECT_LT(column(got, "simulate", "energy_change")[0], 1e-9) << formalism;
    }
    m.formalism.value = "whittaker";
    EXPECT_GT(column(run_well(m), "simulate", "legs")[0], 3);  // the axis was chosen again
  }
}

// A mode that has swung for a quarter has no displacement, and goes on as sin ωt.
TEST(SimulateFormalisms, PhaseOfAMode) {
  Model m = make_swinging(2, 0);
  const double omega = run_modes(m).modes[0].omega;
  m.simulate->duration = 2 * pi / omega;
  m.simulate->steps = 400;
  m.simulate->integrator.value = "gauss4";
  const auto v = column(run_well(m), "rod_history", "to_v");
  EXPECT_NEAR(largest(v), 1e-3, 1e-9);
  EXPECT_NEAR(v[0], 0, 1e-12);
  // (ωh)⁴/720·ωT = 5e-10 with 400 steps; and the mode is known to about 1e-9.
  const double sign = v[100] > 0 ? 1 : -1;
  for (size_t i = 0; i < v.size(); ++i)
    EXPECT_NEAR(v[i], sign * 1e-3 * std::sin(2 * pi * static_cast<double>(i) / 400), 1e-8 * 1e-3) << i;
}

// Without Coriolis forces a single mode turns everywhere at once: Whittaker ends there, and what it has found is kept.
TEST(SimulateFormalisms, WhittakerEndsAtABrakePoint) {
  Model m = make_swinging(2, 0);
  m.formalism.value = "whittaker";
  const double quarter = pi / 2 / run_modes(make_swinging(2, 0)).modes[0].omega;
  m.simulate->duration = 2 * quarter;
  const Results results = run_well(m);
  ASSERT_EQ(results.warnings.size(), 1u);
  EXPECT_NE(results.warnings[0].find("body `rod`: whittaker ends early, 50 of 101 times were reached: at t = "),
            std::string::npos)
      << results.warnings[0];
  const auto &t = column(results, "rod_history", "time"), &v = column(results, "rod_history", "to_v");
  ASSERT_EQ(t.size(), 50u);  // the next one is the brake point itself
  const double sign = v.back() > 0 ? 1 : -1;
  // The mode is known to about 1e-9; what is not in it swings too.
  for (size_t i = 0; i < t.size(); ++i)
    EXPECT_NEAR(v[i], sign * 1e-3 * std::sin(pi / 2 * t[i] / quarter), 1e-8 * 1e-3) << i;

  m.simulate->initial_phase = 0;  // turned back and at rest
  const Results rest = run_analysis(m, "simulate");
  EXPECT_EQ(rest.outcome.status, "numerical failure");
  EXPECT_NE(rest.outcome.message.find("body `rod`: by whittaker the motion does not start: at t = 0 s all coordinates "
                                      "turn at once"),
            std::string::npos)
      << rest.outcome.message;
  EXPECT_NE(rest.outcome.message.find("initial_phase = \"90 deg\""), std::string::npos);
}

TEST(SimulateFormalisms, RefuseWithAllReasons) {
  Model m = make_swinging(2, 0);
  Body& rod = m.bodies[0];
  rod.motion.kind = Motion::Kind::prescribed;
  for (auto* vector : {&rod.motion.acceleration, &rod.motion.angular_velocity})
    for (Expression& e : *vector) e = test::make_expression("0");
  rod.motion.angular_velocity[2] = test::make_expression("10 + sin(t)");
  rod.motion.angular_acceleration.emplace();
  for (Expression& e : *rod.motion.angular_acceleration) e = test::make_expression("0");
  (*rod.motion.angular_acceleration)[2] = test::make_expression("cos(t)");
  rod.damping.stiffness = 1e-6;
  m.formalism.value = "whittaker";
  const Results results = run_analysis(m, "simulate");
  EXPECT_EQ(results.outcome.status, "numerical failure");
  for (const char* part : {"`whittaker` does not apply: body `rod`: ", "angular_velocity[z] = \"10 + sin(t)\" changes",
                           "Rayleigh damping take energy out of it", "choose another formalism"})
    EXPECT_NE(results.outcome.message.find(part), std::string::npos) << part << "\n" << results.outcome.message;
  EXPECT_TRUE(results.tables.empty());
  m.formalism.value = "multipliers";  // needs no integral
  EXPECT_EQ(run_analysis(m, "simulate").outcome.message, "");

  m = make_swinging(80, 0);
  m.formalism.value = "multipliers";
  EXPECT_NE(run_analysis(m, "simulate").outcome.message.find("body `rod`: its elements have 486 coordinates"),
            std::string::npos)
      << run_analysis(m, "simulate").outcome.message;
}

// Maggi makes matrices too: a body that is too large for its blocks, or a named integrator, takes these.
TEST(SimulateFormalisms, MaggiFallsBackOnItsMatrices) {
  Model m = make_swinging(80, 0);
  m.simulate->steps = 10;
  Model plain = m;
  m.formalism.value = "maggi";
  const Results large = run_well(m), want = run_well(plain);
  EXPECT_EQ(text_column(large, "simulate", "by")[0], "implicit_midpoint");
  ASSERT_EQ(large.warnings.size(), 2u);
  EXPECT_NE(large.warnings[0].find("body `rod`: the motion is that of implicit_midpoint on the matrices of maggi: its "
                                   "elements have 486 coordinates"),
            std::string::npos)
      << large.warnings[0];
  EXPECT_NE(large.warnings[1].find("no table of liaison forces"), std::string::npos) << large.warnings[1];
  EXPECT_EQ(column(large, "rod_history", "to_v"), column(want, "rod_history", "to_v"));  // the same bits

  Model named = make_swinging(2, 0);
  named.formalism.value = "maggi";
  named.simulate->integrator.value = "gauss4";
  const Results by_name = run_well(named);
  EXPECT_TRUE(by_name.warnings.empty());
  EXPECT_EQ(text_column(by_name, "simulate", "by")[0], "gauss4");
}

// In a steady state the clamp's reaction goes into the first element, joints pull both sides alike, and the end is
// free but for the load that hangs there.
TEST(SimulateFormalisms, LiaisonForcesOfAStaticState) {
  for (const int dimension : {2, 3}) {
    Model m = test::make_rod({.elements = 3, .dimension = dimension, .speed = 200});
    m.bodies[0].loads = {test::make_point_load("to", {0, 5, 0})};
    EXPECT_EQ(run_static(m).find_table("rod_liaison_forces"), nullptr);
    m.formalism.value = "maggi";
    const Results results = run_static(m);
    ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
    const Table* table = results.find_table("rod_liaison_forces");
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(table->columns.size(), dimension == 2 ? 6u : 9u);
    EXPECT_EQ(column(results, "rod_liaison_forces", "element"), (std::vector<double>{1, 1, 2, 2, 3, 3}));
    EXPECT_EQ(column(results, "rod_liaison_forces", "node")[5], column(results, "rod_displacements", "node").size());
    for (const char* name : {"Fx", "Fy", "Mz"}) {
      const auto& f = column(results, "rod_liaison_forces", name);
      // Round-off of the static solve, ε·cond(K) ≈ 1e-10 with a few elements.
      const double reaction = column(results, "rod_reactions", name)[0], size = 1e-8 * largest(f);
      EXPECT_NEAR(f[0], reaction, size) << name;
      EXPECT_NEAR(f[1], -f[2], size) << name;
      EXPECT_NEAR(f[3], -f[4], size) << name;
      EXPECT_NEAR(f[5], name == std::string("Fy") ? 5 : 0, std::max(size, 1e-9)) << name;
      EXPECT_GT(largest(f), 1) << name;
    }
  }
}

// Both formalisms find the same forces at the end of the same motion, and each element's end gets what the other
// side gives.
TEST(SimulateFormalisms, LiaisonForcesAtTheEndOfAMotion) {
  Model m = make_swinging(2, 300);
  m.formalism.value = "maggi";
  const Results maggi = run_well(m);
  m.formalism.value = "multipliers";
  const Results multipliers = run_well(m);
  EXPECT_NE(maggi.find_table("rod_liaison_forces")->title.find("t = 0.002 s"), std::string::npos);
  for (const char* name : {"Fx", "Fy", "Mz"}) {
    const auto &a = column(maggi, "rod_liaison_forces", name), &b = column(multipliers, "rod_liaison_forces", name);
    ASSERT_EQ(a.size(), 4u);
    // Motions agree to 1e-9; accelerations of the fastest mode weigh (ω_max/ω)² ≈ 100 more in forces.
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-6 * largest(a)) << name << i;
    EXPECT_NEAR(a[1], -a[2], 1e-9 * largest(a)) << name;
    EXPECT_NEAR(a[3], 0, 1e-9 * largest(a)) << name;
  }
  m.formalism.value = "whittaker";
  EXPECT_EQ(run_well(m).find_table("rod_liaison_forces"), nullptr);
}

}  // namespace
}  // namespace elodyn
