#include "elodyn/analysis/step_control.hpp"

#include <cmath>

#include "tests/support/transient.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/ode.hpp"

namespace elodyn {
namespace {

using test::Assembled;

struct Outcome {
  VectorX x;
  long steps = 0, rejected = 0, factorisations = 0;
  double sum = 0;
};

Outcome run(const std::string& integrator, const TransientProblem& problem, VectorX x, double duration, int intervals,
            double tolerance) {
  ControlledRun controlled(*integrators().find(integrator), problem, 0, duration / intervals, tolerance,
                           estimate_scale(problem, 0, duration, x));
  for (int k = 0; k < intervals; ++k)
    EXPECT_TRUE(controlled.advance(k, x, [](double, const VectorX&) { return true; }));
  return {x, controlled.n_steps(), controlled.n_rejected(), controlled.n_factorisations(), controlled.error_sum()};
}

// Two modes of a spinning rod, far slower than the mesh could follow.
VectorX make_slow_state(const CanonicalEquation& equation, const TransientProblem& problem) {
  CholeskySolver solver;
  const CanonicalTerms terms = equation.calc_terms(problem.factors_at(0), FrameRate::moving);
  EXPECT_TRUE(solver.factor(terms.K));
  VectorX y = test::make_random(equation.size(), 2);
  for (int i = 0; i < 4; ++i) y = solver.solve(equation.mass() * y).col(0).normalized();
  VectorX x(2 * equation.size());
  x << y, terms.C * y;
  return x;
}

// The error at the end stays below the sum of the errors of the steps, times what a step's error may grow to (nothing
// here), and follows the tolerance.
TEST(StepControl, KeepsTheTolerance) {
  Model m = test::make_rod({.elements = 4, .speed = 300});
  m.terms.centrifugal_load = false;
  const Assembled a(m);
  const CanonicalEquation equation(a.system);
  const TransientProblem problem = test::make_problem(equation);
  const VectorX x = make_slow_state(equation, problem);
  const double duration = 0.2;
  const VectorX want = run("gauss4", problem, x, duration, 10, 1e-11).x;
  for (const char* name : {"implicit_midpoint", "gauss4", "generalized_alpha", "newmark"}) {
    long before = 0;
    for (const double tolerance : {1e-4, 1e-6}) {
      const Outcome found = run(name, problem, x, duration, 10, tolerance);
      const auto n = equation.size();
      const double error = (found.x - want).head(n).norm() / x.head(n).norm();
      EXPECT_LT(error, 3 * found.sum) << name << ", " << tolerance;
      EXPECT_LE(found.sum, tolerance * static_cast<double>(found.steps));
      // Lengths differ by 2: an error may lie 0.45^(p+1) below the tolerance, and counts for two steps.
      EXPECT_GT(found.sum, 0.2 * std::pow(0.45, integrators().find(name)->order() + 1) * tolerance *
                               static_cast<double>(found.steps))
          << "steps are far too short";
      EXPECT_GT(found.steps, before);
      EXPECT_LT(static_cast<double>(found.rejected), 0.3 * static_cast<double>(found.steps) + 12);
      EXPECT_LE(found.factorisations, 12) << "one for each length in a steady motion";
      before = found.steps;
    }
  }
}

// Long steps where nothing moves, short ones where a load comes and goes; both land on the same times.
TEST(StepControl, FollowsWhatHappens) {
  Model m = test::make_rod({.elements = 3});
  m.bodies[0].loads = {test::make_point_load("to", {0, 1, 0})};
  m.bodies[0].loads[0].time = test::make_expression("exp(-((t - 0.5)/0.02)^2)");
  const Assembled a(m);
  const CanonicalEquation equation(a.system);
  TransientProblem problem = test::make_problem(equation);
  problem.is_steady = a.system.is_steady();
  EXPECT_FALSE(problem.is_steady);
  VectorX x = VectorX::Zero(2 * equation.size());
  ControlledRun controlled(*integrators().find("gauss4"), problem, 0, 0.1, 1e-6, estimate_scale(problem, 0, 1, x));
  std::vector<long> steps;
  for (int k = 0; k < 10; ++k) {
    const long before = controlled.n_steps();
    double last = 0;
    EXPECT_TRUE(controlled.advance(k, x, [&](double t, const VectorX&) { return last = t, true; }));
    EXPECT_DOUBLE_EQ(last, 0.1 * (k + 1));
    steps.push_back(controlled.n_steps() - before);
  }
  EXPECT_LT(10 * steps[1], steps[5]);
}

// Stopped anywhere, saved and loaded into another run: the same digits and counts.
TEST(StepControl, ContinuesWithTheSameDigits) {
  Model m = test::make_rod({.elements = 4});
  m.bodies[0].loads = {test::make_point_load("to", {0, 1, 0})};
  m.bodies[0].loads[0].time = test::make_expression("sin(200*t)");
  const Assembled a(m);
  const CanonicalEquation equation(a.system);
  TransientProblem problem = test::make_problem(equation);
  problem.is_steady = false;
  const auto make = [&](const VectorX& x) {
    return ControlledRun(*integrators().find("generalized_alpha"), problem, 0, 0.01, 1e-5,
                         estimate_scale(problem, 0, 0.05, x));
  };
  VectorX whole = VectorX::Zero(2 * equation.size()), part = whole;
  ControlledRun one = make(whole), first = make(part);
  const auto go = [](double, const VectorX&) { return true; };
  for (int k = 0; k < 5; ++k) one.advance(k, whole, go);
  int count = 0;
  first.advance(0, part, go);
  EXPECT_FALSE(first.advance(1, part, [&](double, const VectorX&) { return ++count < 3; }));
  StateWriter out;
  out.put(part);
  first.save(out);
  ControlledRun second = make(VectorX::Zero(2 * equation.size()));
  StateReader in(out.bytes());
  VectorX loaded;
  in.get(loaded);
  second.load(in);
  EXPECT_TRUE(in.is_empty());
  for (int k = 1; k < 5; ++k) second.advance(k, loaded, go);
  EXPECT_TRUE(loaded == whole);
  EXPECT_EQ(second.n_steps(), one.n_steps());
  EXPECT_EQ(second.n_factorisations(), one.n_factorisations());
  EXPECT_EQ(second.error_sum(), one.error_sum());
}

}  // namespace
}  // namespace elodyn
