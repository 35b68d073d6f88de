// Assembly of a sheet of quadrilaterals, all different, that spins:
//   assemble_bench [UNKNOWNS [ELEMENT [ROUNDS]]]     1000000 unknowns of membrane_q4, best of 3 rounds
// Seconds of each step, on one and on two threads where threads take part, and bytes per unknown: of the result, and
// the most that the process ever held. Exit code 1 if two threads give other digits.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <string>
#include <sys/resource.h>

#include "bench/timing.hpp"

#include "elodyn/base/parallel.hpp"
#include "elodyn/model/surface_kind.hpp"
#include "elodyn/system/assembly.hpp"
#include "elodyn/system/motion.hpp"

namespace elodyn::bench {
namespace {

double most_memory() {  // bytes
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

// Four corners that are no parallelogram: every piece of the grid has its own shape.
Model make_sheet(const std::string& element, int n) {
  const SurfaceKind* kind = find_surface_kind(element);
  if (kind == nullptr || kind->has_voids || kind->only_rectangles) {
    std::fprintf(stderr, "error: `%s` is no element of general surfaces\n", element.c_str());
    std::exit(2);
  }
  Model model;
  Material steel;
  steel.name = "steel";
  steel.young = 210e9;
  steel.poisson = 0.3;
  steel.density = 7850;
  model.materials = {steel};
  Section sheet;
  sheet.name = "sheet";
  sheet.shape = Section::Shape::sheet;
  sheet.thickness = 1e-3;
  model.sections = {sheet};
  Body body;
  body.name = "sheet";
  body.element.value = element;
  body.dimension = kind->dimension();
  body.material.value = "steel";
  body.section.value = "sheet";
  Area area;
  area.name = "all";
  const Vec3 corners[] = {{0, 0, 0}, {2, 0.1, 0}, {1.7, 1.3, 0}, {-0.1, 0.9, 0}};
  for (size_t k = 0; k < 4; ++k) {
    Point point;
    point.name = std::string(1, static_cast<char>('A' + k));
    point.x = corners[k];
    body.points.push_back(point);
    area.corners.push_back({point.name, {}});
  }
  area.nx.value = area.ny.value = n;
  body.areas = {area};
  body.motion.kind = Motion::Kind::spin;
  body.motion.speed = 100;
  model.bodies = {body};
  return model;
}

int run(int unknowns, const std::string& element, int rounds) {
  const SurfaceKind* kind = find_surface_kind(element);
  const double nodes_per_piece = kind == nullptr || !kind->has_middles ? 1 : kind->n_corners == 3 ? 4 : 3;
  const double per_node = kind != nullptr && kind->bends ? 6 : 2;
  const int n = std::max(1, static_cast<int>(std::lround(std::sqrt(unknowns / (nodes_per_piece * per_node)))));
  const Model model = make_sheet(element, n);
  BodySystem system;
  system.model = &model;
  system.body = &model.bodies[0];
  const double mesh_time = seconds([&] { system.mesh = make_mesh(model.bodies[0]); });
  system.basis = make_motion_basis(model, model.bodies[0]);
  const Numbering numbering = number_by_index(system.mesh);
  std::shared_ptr<const SparsePattern> pattern;
  const double pattern_time = seconds([&] { pattern = make_pattern(system.mesh, numbering); });
  const double size = system.mesh.n_dofs();
  std::printf("%s, %d x %d pieces, %zu elements, %.0f unknowns, %.1f entries of a matrix per unknown\n",
              element.c_str(), n, n, system.mesh.elements.size(), size,
              static_cast<double>(pattern->n_nonzeros()) / size);

  double best[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  std::vector<double> first;
  size_t n_terms = 0;
  for (int round = 0; round < rounds; ++round)
    for (const int threads : {1, 2}) {
      set_threads(threads);
      AffineEquation equation;
      const double time = seconds([&] { equation = add_up(system, numbering, pattern); });
      best[threads - 1] = std::min(best[threads - 1], time);
      n_terms = equation.matrices.size();
      std::vector<double> sample;  // some entries of every matrix
      for (const MatrixTerm& term : equation.matrices)
        for (Eigen::Index k = 0; k < term.values.size(); k += 997) sample.push_back(term.values[k]);
      if (first.empty()) first = sample;
      if (sample != first) {
        std::printf("%d threads give other digits\n", threads);
        return 1;
      }
    }
  set_threads(0);
  const double result = static_cast<double>(n_terms) * 8 * static_cast<double>(pattern->n_nonzeros());
  std::printf("mesh                     %7.2f s  %6.0f ns per unknown\n", mesh_time, 1e9 * mesh_time / size);
  std::printf("pattern                  %7.2f s  %6.0f ns per unknown\n", pattern_time, 1e9 * pattern_time / size);
  for (const int threads : {1, 2})
    std::printf("%zu matrices, %d thread%s   %7.2f s  %6.0f ns per unknown, %.0f ns per element\n", n_terms, threads,
                threads == 1 ? " " : "s", best[threads - 1], 1e9 * best[threads - 1] / size,
                1e9 * best[threads - 1] / static_cast<double>(system.mesh.elements.size()));
  std::printf("speed-up of two threads  %7.2f\n", best[0] / best[1]);
  std::printf("values of the matrices   %7.0f bytes per unknown\n", result / size);
  std::printf("most memory ever held    %7.0f bytes per unknown, %.2f GB\n", most_memory() / size, most_memory() / 1e9);
  return 0;
}

}  // namespace
}  // namespace elodyn::bench

int main(int argc, char** argv) {
  const int unknowns = argc > 1 ? std::atoi(argv[1]) : 1000000;
  const std::string element = argc > 2 ? argv[2] : "membrane_q4";
  const int rounds = argc > 3 ? std::atoi(argv[3]) : 3;
  if (unknowns < 1 || rounds < 1) {
    std::fprintf(stderr, "usage: assemble_bench [UNKNOWNS [ELEMENT [ROUNDS]]]\n");
    return 2;
  }
  return elodyn::bench::run(unknowns, element, rounds);
}
