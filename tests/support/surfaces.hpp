// Bodies of areas for tests: a model from its text, frequencies, stresses.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elodyn/io/read_model.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/surface_recovery.hpp"

namespace elodyn::test {

// A model of one body `b` with the material and the keys in `body`.
inline Model read_surface(int dimension, const std::string& material, double thickness, const std::string& body) {
  const std::string text = fmt::format(
      "schema = 1\n[material.m]\n{}\n[section.s]\nshape = \"sheet\"\nthickness = {}\n[body.b]\ndimension = {}\n"
      "material = \"m\"\nsection = \"s\"\n{}",
      material, thickness, dimension, body);
  Diagnostics diagnostics;
  const auto model = read_model("model.toml", text, {}, diagnostics);
  EXPECT_TRUE(model.has_value()) << diagnostics.format_all(Severity::error);
  return model.value_or(Model{});
}
inline const std::string kSteel = "young = 210e9\npoisson = 0.3\ndensity = 7800\nexpansion = 12e-6";

inline std::vector<double> frequencies(const Model& model, int count, double above) {
  Model m = model;
  m.modes = ModesRequest{};
  m.modes->count = count;
  const Results results = run_modes(m);
  EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
  std::vector<double> out;
  for (const Mode& mode : results.modes)
    if (mode.omega > above) out.push_back(mode.omega);
  return out;
}

inline SurfaceStress calc_stress(Model model, VectorX* displacement = nullptr) {
  model.terms.geometric = false;
  const BodySystem s = make_body_system(model, model.bodies[0]);
  const FactorValues at = s.calc_factors(0);
  const VectorX q = s.constraints.expand(StaticSolver(s, s.reduced.calc_stiffness(at)).solve(s.reduced.calc_load(at)));
  if (displacement != nullptr) *displacement = q;
  return calc_surface_stress(s, at, q);
}

}  // namespace elodyn::test
