// Small bodies in time, for the tests of the canonical form and of the integrators.
#pragma once

#include <memory>
#include <random>
#include <string>

#include "tests/support/models.hpp"

#include "elodyn/analysis/integrator.hpp"

namespace elodyn::test {

inline Expression make_expression(const std::string& text) {
  Expression e;
  if (e.parse(text)) throw std::runtime_error("bad expression " + text);
  return e;
}

// The model stays where it is, so that the system may point to it.
struct Assembled {
  std::unique_ptr<Model> model;
  BodySystem system;
  explicit Assembled(const Model& m)
      : model(std::make_unique<Model>(m)), system(make_body_system(*model, model->bodies[0])) {}
};

inline VectorX make_random(Eigen::Index n, unsigned seed) {
  std::mt19937 engine(seed);
  VectorX v(n);
  for (double& value : v) value = std::uniform_real_distribution<double>(-1, 1)(engine);
  return v;
}

// The motion of a body in steady spin or at rest.
inline TransientProblem make_problem(const CanonicalEquation& equation) {
  TransientProblem problem;
  problem.equation = &equation;
  problem.factors = [&equation](double t, FactorValues& out) { equation.system().calc_factors(t, out); };
  problem.is_steady = true;
  return problem;
}

}  // namespace elodyn::test
