// The library in somebody else's program: a cantilever in code, its first frequency.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "elodyn/study/run.hpp"

int main() {
  elodyn::Model model;
  model.formalism.value = "newton_euler";
  elodyn::Material steel;
  steel.name = "steel";
  steel.young = 210e9;
  steel.poisson = 0.3;
  steel.density = 7800;
  model.materials = {steel};
  elodyn::Section round;
  round.name = "round";
  round.diameter = 0.01;
  model.sections = {round};
  elodyn::Body rod;
  rod.name = "rod";
  rod.element.value = "beam_euler_bernoulli";
  rod.material.value = "steel";
  rod.section.value = "round";
  elodyn::Point from, to;
  from.name = "from";
  to.name = "to";
  to.x = {0.5, 0, 0};
  rod.points = {from, to};
  elodyn::Member line;
  line.name = "line";
  line.from.value = "from";
  line.to.value = "to";
  line.elements.value = 10;
  rod.members = {line};
  elodyn::Support clamp;
  clamp.at.value = "from";
  rod.supports = {clamp};
  model.bodies = {rod};

  const elodyn::Results results = elodyn::run_modes(model);
  if (!results.outcome.ok() || results.modes.empty()) {
    std::printf("no modes: %s\n", results.outcome.message.c_str());
    return 1;
  }
  // ω₁ = 1.875104² √(E I / (ρ A L⁴)), and I/A = d²/16
  const double exact = 1.8751040687 * 1.8751040687 * std::sqrt(210e9 / 7800) * (0.01 / 4) / (0.5 * 0.5);
  const double omega = results.modes.front().omega;
  std::printf("first frequency %.6f Hz, exact %.6f Hz\n", omega / (2 * std::numbers::pi),
              exact / (2 * std::numbers::pi));
  return std::abs(omega / exact - 1) < 1e-5 ? 0 : 1;
}
