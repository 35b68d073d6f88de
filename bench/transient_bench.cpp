// Microseconds for a step in time of a spinning rod whose speed changes all the time (a matrix is formed and factored
// in each step), and of the same at constant speed. Aim: 30 µs for 200 unknowns.
#include <benchmark/benchmark.h>

#include "tests/support/transient.hpp"

namespace {

using namespace elodyn;

void run_steps(benchmark::State& state, const char* name, bool is_steady) {
  Model m = test::make_rod({.elements = 67});  // 201 unknowns
  Motion& motion = m.bodies[0].motion;
  motion.kind = Motion::Kind::prescribed;
  motion.angular_velocity[2] = test::make_expression("100 + 30*sin(50*t)");
  motion.angular_acceleration.emplace();
  (*motion.angular_acceleration)[2] = test::make_expression("1500*cos(50*t)");
  const test::Assembled a(m);
  const CanonicalEquation equation(a.system);
  TransientProblem problem = test::make_problem(equation);
  problem.is_steady = is_steady;
  const double h = 1e-4;
  VectorX x = VectorX::Zero(2 * equation.size());
  const std::unique_ptr<Stepper> stepper = integrators().find(name)->start(problem, 0, h);
  int k = 0;
  for (auto _ : state) {
    stepper->step(k++ * h, x);
    benchmark::DoNotOptimize(x.data());
  }
  state.SetLabel(std::to_string(equation.size()) + " unknowns");
}

BENCHMARK_CAPTURE(run_steps, midpoint_spin_up, "implicit_midpoint", false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_steps, generalized_alpha_spin_up, "generalized_alpha", false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_steps, newmark_spin_up, "newmark", false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_steps, gauss4_spin_up, "gauss4", false)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_steps, midpoint_steady, "implicit_midpoint", true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_steps, generalized_alpha_steady, "generalized_alpha", true)->Unit(benchmark::kMicrosecond);

}  // namespace
