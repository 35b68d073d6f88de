// What a Campbell diagram costs beside a solve at one speed: a spinning membrane, 101 speeds, 10 branches; and the time
// of a planar beam of about 200 unknowns. Prints times, ratios and the largest difference to solves at some speeds.
//   campbell_bench [elements along a side, default 157]
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>

#include "elodyn/base/stopwatch.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/study/run.hpp"

namespace {

using namespace elodyn;

Model make_base() {
  Model m;
  Material steel;
  steel.name = "steel";
  steel.young = 210e9;
  steel.poisson = 0.3;
  steel.density = 7800;
  m.materials = {steel};
  Section section;
  section.name = "section";
  m.sections = {section};
  Body body;
  body.name = "body";
  body.material.value = "steel";
  body.section.value = "section";
  body.motion.kind = Motion::Kind::spin;
  m.bodies = {body};
  m.campbell = CampbellRequest{};
  m.campbell->speeds.to = 5000;
  m.campbell->speeds.count = 101;
  m.campbell->count = 10;
  return m;
}

Point make_point(const char* name, const Vec3& x) {
  Point p;
  p.name = name;
  p.x = x;
  return p;
}

Model make_membrane(int n) {
  Model m = make_base();
  m.sections[0].shape = Section::Shape::sheet;
  m.sections[0].thickness = 0.002;
  Body& b = m.bodies[0];
  b.element.value = "membrane_q4";
  b.points = {make_point("a", {0.1, 0, 0}), make_point("b", {0.3, 0, 0}), make_point("c", {0.3, 0.2, 0}),
              make_point("d", {0.1, 0.2, 0})};
  Area area;
  area.name = "area";
  for (const char* corner : {"a", "b", "c", "d"}) area.corners.push_back({corner, {}});
  area.nx.value = area.ny.value = n;
  b.areas = {area};
  Support clamp;
  clamp.at.value = "area.4";
  b.supports = {clamp};
  return m;
}

Model make_beam() {
  Model m = make_base();
  m.sections[0].shape = Section::Shape::circle;
  m.sections[0].diameter = 0.01;
  Body& b = m.bodies[0];
  b.element.value = "beam_rayleigh";
  b.points = {make_point("from", Vec3::Zero()), make_point("to", {0.5, 0, 0})};
  Member member;
  member.name = "line";
  member.from.value = "from";
  member.to.value = "to";
  member.elements.value = 67;
  b.members = {member};
  Support clamp;
  clamp.at.value = "from";
  b.supports = {clamp};
  m.campbell->speeds.to = 1000;
  return m;
}

// Modes at one speed.
Results solve_at(Model m, double speed) {
  m.bodies[0].motion.speed = speed;
  m.modes = ModesRequest{};
  m.modes->count = 10;
  return run_modes(m);
}

void report(const char* name, const Model& m) {
  const Results sweep = run_analysis(m, "campbell");
  if (!sweep.outcome.ok()) {
    std::printf("%s: %s\n", name, sweep.outcome.message.c_str());
    return;
  }
  double single = 0, worst = 0;
  int n_singles = 0;
  const Campbell& c = *sweep.campbell;
  for (size_t at : {size_t{17}, size_t{50}, size_t{83}}) {
    const Results modes = solve_at(m, c.speeds[at]);
    single += modes.timings.at("modes");
    ++n_singles;
    for (const CampbellBranch& branch : c.branches) {
      double nearest = INFINITY;
      for (const Mode& mode : modes.modes)
        nearest = std::min(nearest, std::abs(mode.omega - branch.omega[at]) / mode.omega);
      if (nearest < 1e-3) worst = std::max(worst, nearest);  // a branch may lie above the ten lowest
    }
  }
  single /= n_singles;
  const double total = sweep.timings.at("campbell");
  std::printf("%s: 101 speeds, 10 branches %.3f s; one speed %.3f s; ratio %.2f; difference %.1e, bound %.1e\n", name,
              total, single, total / single, worst, c.error_bound);
  for (const std::string& warning : sweep.warnings) std::printf("  warning: %s\n", warning.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  use_one_blas_thread();
  const int n = argc > 1 ? std::atoi(argv[1]) : 157;
  report("beam, 201 unknowns", make_beam());
  report(("membrane, " + std::to_string(2 * n * (n + 1)) + " unknowns").c_str(), make_membrane(n));
  return 0;
}
