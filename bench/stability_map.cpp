// Points a second of a stability map of a beam: 20 quintic elements in the plane, hub offset by speed.
//   stability_bench [LINES [SPEEDS [THREADS]]]
// Every point has its own growth. Reported: all points, those where K is indefinite, those that took all eigenvalues;
// and the same map split in its part below and its part beyond divergence. The processor time says what the machine
// does when nothing else runs on it.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "bench/timing.hpp"
#include "tests/support/models.hpp"
#include "tests/support/results.hpp"

#include "elodyn/base/parallel.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/study/stability.hpp"

namespace elodyn {
namespace {

Model make_beam() {
  test::RodOptions o;
  o.element = "beam_euler_bernoulli";
  o.elements = 20;
  o.degree = 5;
  o.length = 0.55;
  o.diameter = 0.005;
  o.speed = 100;
  return test::make_rod(o);
}

SweepParameter make_parameter(const char* key, double from, double to, int count) {
  SweepParameter p;
  p.key.value = key;
  p.from.value = from;
  p.to.value = to;
  p.count = count;
  return p;
}

// `inward`: from / to of the axis' place along the rod, m.
void measure(const char* name, double from, double to, double slowest, double fastest, int lines, int speeds) {
  Model model = make_beam();
  model.stability.emplace();
  model.stability->x = make_parameter("body.rod.motion.speed", slowest, fastest, speeds);
  model.stability->y = make_parameter("body.rod.motion.through[0]", from, to, lines);
  model.stability->tolerance = 0.1;  // the boundary is not what is timed
  StabilityStudy study;
  study.make = [model](const std::vector<double>& values) {
    Model m = model;
    m.bodies[0].motion.speed = values[0];
    m.bodies[0].motion.through[0] = values[1];
    return m;
  };
  Results results;
  const std::clock_t start = std::clock();
  const double time = bench::seconds([&] { results = run_stability(model, study); });
  const double processor = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const auto count = [&](const char* column) { return test::column(results, "stability_points", column)[0]; };
  std::printf(
      "%-28s %8.0f points %8.3f s %9.0f points/s (%.0f a core by processor time)  indefinite %5.1f %%  all eigenvalues "
      "%5.2f %%  %s\n",
      name, count("points"), time, count("points") / time, count("points") / processor,
      100 * count("indefinite") / count("points"), 100 * count("all_eigenvalues") / count("points"),
      results.outcome.status.c_str());
}

}  // namespace
}  // namespace elodyn

int main(int argc, char** argv) {
  using namespace elodyn;
  use_one_blas_thread();
  const int lines = argc > 1 ? std::atoi(argv[1]) : 50, speeds = argc > 2 ? std::atoi(argv[2]) : 400;
  if (argc > 3) set_threads(std::atoi(argv[3]));
  std::printf("%d threads, 80 unknowns\n", n_threads());
  measure("outward, all stable", -1.0, -0.1, 0, 300, lines, speeds);
  measure("inward, both", 0.3, 1.2, 0, 200, lines, speeds);
  measure("inward, beyond divergence", 1.0, 1.2, 90, 200, lines, speeds);
  return 0;
}
