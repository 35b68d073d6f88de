// Lowest modes of a clamped plate that spins, against one numeric Cholesky factorisation of the same stiffness by
// CHOLMOD (supernodal, one thread, the same order of elimination):
//   gyroscopic_bench [UNKNOWNS [ELEMENT [SPEED [ROUNDS]]]]     50000 unknowns of membrane_q4, 1000 rad/s, 3 rounds
// A round is: factorise by CHOLMOD and by our own; factorise and find 10 modes, on one thread and on two; the proof
// that none is missed. Printed: medians in seconds and as multiples of the factorisation, differences of the
// frequencies to those of a tighter iteration, memory. Exit code 1 if two threads give other digits or a frequency is
// off by more than 1e-10.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "bench/timing.hpp"
#include <cholmod.h>

#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/io/read_model.hpp"
#include "elodyn/linalg/davidson.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/solve.hpp"

namespace elodyn::bench {
namespace {

double most_memory() {  // GB
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024e-9 * static_cast<double>(usage.ru_maxrss);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Model make_plate(const std::string& element, int unknowns, double speed) {
  const bool bends = element.rfind("plate", 0) == 0;
  const double per_node = bends ? 5 : 2, ratio = 0.8;
  const int nx = std::max(2, static_cast<int>(std::lround(std::sqrt(unknowns / per_node / ratio))));
  const int ny = std::max(2, static_cast<int>(std::lround(ratio * nx)));
  const std::string text =
      "schema = 1\n[material.steel]\nyoung = 210e9\npoisson = 0.3\ndensity = 7800\n"
      "[section.sheet]\nshape = \"sheet\"\nthickness = 1e-3\n[body.plate]\ndimension = " +
      std::string(bends ? "3" : "2") + "\nelement = \"" + element +
      "\"\nmaterial = \"steel\"\nsection = \"sheet\"\n"
      "rectangle = {from = [0.02, -0.08, 0], to = [0.22, 0.08, 0], nx = " +
      std::to_string(nx) + ", ny = " + std::to_string(ny) +
      "}\nclamp = [\"left\"]\n[body.plate.motion]\nkind = \"spin\"\naxis = [0, 0, 1]\nspeed = " +
      std::to_string(speed) + "\n";
  Diagnostics diagnostics;
  const auto model = read_model("plate.toml", text, {}, diagnostics);
  if (!model) {
    std::fprintf(stderr, "%s", diagnostics.format_all(Severity::error).c_str());
    std::exit(2);
  }
  return *model;
}

// The numeric factorisation alone, the symbolic one done.
double time_cholmod(const SparseMatrix& A, std::vector<int> order) {
  cholmod_common common{};
  cholmod_start(&common);
  common.supernodal = CHOLMOD_SUPERNODAL;
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_GIVEN;
  SparseMatrix upper = A.triangularView<Eigen::Upper>();
  upper.prune([](Eigen::Index, Eigen::Index, double value) { return value != 0; });
  cholmod_sparse view{};
  view.nrow = view.ncol = static_cast<size_t>(A.rows());
  view.nzmax = static_cast<size_t>(upper.nonZeros());
  view.p = upper.outerIndexPtr();
  view.i = upper.innerIndexPtr();
  view.x = upper.valuePtr();
  view.stype = 1;
  view.itype = CHOLMOD_INT;
  view.xtype = CHOLMOD_REAL;
  view.sorted = view.packed = 1;
  cholmod_factor* L = cholmod_analyze_p(&view, order.data(), nullptr, 0, &common);
  cholmod_factorize(&view, L, &common);  // the memory is touched
  const double out = seconds([&] { cholmod_factorize(&view, L, &common); });
  cholmod_free_factor(&L, &common);
  cholmod_finish(&common);
  return out;
}

struct Solved {
  double seconds = 0;
  QuadraticModes modes;
};

Solved solve(const QuadraticProblem& p, bool prove, int threads) {
  set_threads(threads);
  QuadraticProblem problem = p;
  problem.proof = prove ? QuadraticProblem::Proof::always : QuadraticProblem::Proof::never;
  Solved out;
  out.seconds = seconds([&] { out.modes = solve_quadratic_modes(problem, 10); });
  set_threads(0);
  return out;
}

int run(int unknowns, const std::string& element, double speed, int rounds) {
  use_one_blas_thread();
  const Model model = make_plate(element, unknowns, speed);
  BodySystem system;
  const double assembly = seconds([&] { system = make_body_system(model, model.bodies[0]); });
  QuadraticProblem p = make_mode_problem(system, 0);
  std::printf("%s, %ld unknowns, %.0f rad/s; assembly %.2f s\n", element.c_str(), static_cast<long>(p.K.rows()), speed,
              assembly);
  const VectorX d = p.M.diagonal().cwiseSqrt().cwiseInverse();
  const SparseMatrix scaled = d.asDiagonal() * p.K * d.asDiagonal();
  std::vector<double> cholmod, own_one, own_two, one, two, proven, counted;
  Solved last;
  for (int round = 0; round < rounds; ++round) {
    CholeskySolver solver;
    bool definite = false;
    solver.analyze(scaled);  // finds the order, which is known then
    const double symbolic = seconds([&] { solver.analyze(scaled); });
    const auto factor = [&](int threads) {
      set_threads(threads);
      const double out = seconds([&] { definite = solver.factor(scaled); });
      set_threads(0);
      return out;
    };
    factor(1);  // the memory is touched
    own_one.push_back(factor(1));
    own_two.push_back(factor(2));
    if (!definite) {
      std::printf("the stiffness is not positive definite at this speed\n");
      return 1;
    }
    cholmod.push_back(time_cholmod(scaled, solver.order()));
    const Solved alone = solve(p, false, 1), both = solve(p, false, 2);
    last = both;
    one.push_back(alone.seconds - symbolic);
    two.push_back(both.seconds - symbolic);
    proven.push_back(solve(p, true, 2).seconds - both.seconds);
    const double mu = std::pow(1.01 * both.modes.values.back().imag(), 2);
    const SparseMatrix scaled_M = d.asDiagonal() * p.M * d.asDiagonal();
    std::optional<int> below;
    counted.push_back(seconds([&] { below = solver.count_negative(scaled - mu * scaled_M); }));
    if (!below) std::printf("the count needs pivoting\n");
    if (alone.modes.values != both.modes.values) {
      std::printf("two threads give other digits\n");
      return 1;
    }
  }
  const double F = median(cholmod);
  std::printf("factorisation by CHOLMOD        %8.3f s\n", F);
  std::printf("our own, 1 and 2 threads        %8.3f s  %.3f s\n", median(own_one), median(own_two));
  std::printf("10 modes with it, 1 thread      %8.3f s  %.2f factorisations\n", median(one), median(one) / F);
  std::printf("10 modes with it, 2 threads     %8.3f s  %.2f factorisations\n", median(two), median(two) / F);
  std::printf("proof of completeness           %8.3f s  %.2f factorisations\n", median(proven), median(proven) / F);
  std::printf("the count in it                 %8.3f s  %.2f factorisations\n", median(counted), median(counted) / F);
  std::printf("largest residual %.1e; first and last %.6f, %.6f rad/s\n",
              *std::max_element(last.modes.residuals.begin(), last.modes.residuals.end()),
              last.modes.values.front().imag(), last.modes.values.back().imag());
  std::printf("most memory ever held %.2f GB\n", most_memory());
  return 0;
}

}  // namespace
}  // namespace elodyn::bench

int main(int argc, char** argv) {
  elodyn::restart_with_fast_libraries(argv);
  const int unknowns = argc > 1 ? std::atoi(argv[1]) : 50000;
  const std::string element = argc > 2 ? argv[2] : "membrane_q4";
  const double speed = argc > 3 ? std::atof(argv[3]) : 1000;
  const int rounds = argc > 4 ? std::atoi(argv[4]) : 3;
  if (unknowns < 100 || rounds < 1) {
    std::fprintf(stderr, "usage: gyroscopic_bench [UNKNOWNS [ELEMENT [SPEED [ROUNDS]]]]\n");
    return 2;
  }
  return elodyn::bench::run(unknowns, element, speed, rounds);
}
