// Microseconds for a step in time of the elastic stage of a slider-crank whose rod has ten plane elements: the rod for
// itself under the forces of its joints (a matrix is formed and factored in each step), and joined with crank and
// slider (joints eliminated in each step besides). Aim: 25 µs.
#include <benchmark/benchmark.h>

#include "tests/support/linkages.hpp"
#include "tests/support/transient.hpp"

namespace {

using namespace elodyn;

test::ElasticSliderCrank make_crank() {
  test::ElasticSliderCrank p;
  p.g = 9.81;
  p.speed = 40;
  return p;
}

void run_alone(benchmark::State& state, const char* name) {
  const test::Linked rod(make_crank().make());
  const CanonicalEquation equation(rod.system);
  TransientProblem problem = test::make_problem(equation);
  problem.is_steady = false;
  const double h = make_crank().period() / 1000;
  VectorX x = VectorX::Zero(2 * equation.size());
  const std::unique_ptr<Stepper> stepper = integrators().find(name)->start(problem, 0, h);
  int k = 0;
  for (auto _ : state) {
    stepper->step(k++ * h, x);
    benchmark::DoNotOptimize(x.data());
  }
  state.SetLabel(std::to_string(equation.size()) + " coordinates");
}

void run_joined(benchmark::State& state, int stages) {
  const JoinedLinks joined(make_crank().make());
  const Linkage& linkage = joined.linkage();
  const auto n = linkage.n();
  const LinkageState start = calc_quasi_static(linkage, 0);
  LinkageStepper stepper(linkage, make_gauss(stages));
  MatrixX X(2 * n, 1);
  X << start.y, start.y_rate;
  const double h = make_crank().period() / 1000;
  int k = 0;
  for (auto _ : state) {
    stepper.step(k++ * h, h, X, true);
    benchmark::DoNotOptimize(X.data());
  }
  state.SetLabel(std::to_string(n) + " coordinates, " + std::to_string(linkage.n_rows()) + " rows");
}

// What a stage evaluates: A, Ȧ, Ä; C, K, f.
void evaluate_joined(benchmark::State& state, bool joints) {
  const JoinedLinks joined(make_crank().make());
  LinkageTerms terms;
  const double T = make_crank().period();
  int k = 0;
  for (auto _ : state) {
    const double t = T * (k++ % 997) / 997;
    joints ? joined.linkage().calc_joints(t, terms) : joined.linkage().calc_matrices(t, terms);
    benchmark::DoNotOptimize(terms.A.data());
    benchmark::DoNotOptimize(terms.K.data());
  }
}

BENCHMARK_CAPTURE(run_alone, link_midpoint, "implicit_midpoint")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_alone, link_generalized_alpha, "generalized_alpha")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_alone, link_gauss4, "gauss4")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_joined, joined_gauss2, 1)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(run_joined, joined_gauss4, 2)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_joined, joined_joints, true)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_joined, joined_matrices, false)->Unit(benchmark::kMicrosecond);

}  // namespace
