#include "elodyn/analysis/integrator.hpp"

#include <cmath>

#include "tests/support/tolerance.hpp"
#include "tests/support/transient.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/ode.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using test::Assembled;

// One element: three modes, the fastest 150 times as fast as the slowest.
Model make_small_rod() { return test::make_rod({.elements = 1, .speed = 300}); }

VectorX run(const Integrator& integrator, const TransientProblem& problem, VectorX x, double duration, int steps) {
  const double h = duration / steps;
  const std::unique_ptr<Stepper> stepper = integrator.start(problem, 0, h);
  for (int k = 0; k < steps; ++k) stepper->step(k * h, x);
  return x;
}

// y in units of 1, p in units of the fastest frequency.
VectorX unit_p(const VectorX& x, double fastest) {
  VectorX scaled = x;
  scaled.tail(x.size() / 2) /= fastest;
  return scaled;
}

// Observed orders from halved steps, against an accurate explicit integration.
void expect_order(const Integrator& integrator, const TransientProblem& problem) {
  const double fastest = estimate_fastest(problem, 0);
  const auto n = problem.equation->size();
  VectorX x = test::make_random(2 * n, 3);
  x.tail(n) *= fastest;
  const double duration = 6.4 / fastest;
  OdeOptions options;
  options.relative = 1e-13;
  const OdeRate rate = [&](double t, const VectorX& y, VectorX& out) {
    problem.equation->calc_rate(problem.equation->calc_terms(problem.factors_at(t), FrameRate::moving), y, out);
  };
  const VectorX want = unit_p(integrate(rate, x, {0, duration}, options).y.col(1), fastest);
  double before = 0, order = 0;
  for (const int steps : {16, 32, 64}) {  // 64: steps of 0.1/ω, errors of 1e-6 and 1e-3, far from the reference's
    const double error = (unit_p(run(integrator, problem, x, duration, steps), fastest) - want).norm();
    order = std::log2(before / error);
    before = error;
  }
  EXPECT_NEAR(order, integrator.order(), 0.1) << integrator.name();
}

TEST(Integrators, HaveTheirOrderInSteadyMotion) {
  const Assembled a(make_small_rod());
  const CanonicalEquation equation(a.system);
  for (const Integrator* integrator : integrators().list()) expect_order(*integrator, test::make_problem(equation));
}

TEST(Integrators, HaveTheirOrderInUnsteadyDampedMotion) {
  Model m = make_small_rod();
  m.bodies[0].damping.mass = 3000;
  m.bodies[0].damping.modal = {0.1};
  const Assembled a(m);
  const CanonicalEquation equation(a.system);
  TransientProblem problem = test::make_problem(equation);
  problem.is_steady = false;
  const double rate = estimate_fastest(problem, 0) / 3;  // of the motion
  problem.factors = [&, rate](double t, FactorValues& at) {
    a.system.calc_factors(t, at);
    at.w[0] = rate * (0.5 + 0.2 * std::sin(rate * t));
    at.e[0] = 0.2 * rate * rate * std::cos(rate * t);
  };
  for (const Integrator* integrator : integrators().list()) expect_order(*integrator, problem);
}

// ‖ΦᵀJΦ − J‖ of the one-step map Φ, p in units of the fastest frequency; steps of ωh = 1.
double calc_symplectic_defect(const Integrator& integrator, const CanonicalEquation& equation) {
  const TransientProblem problem = test::make_problem(equation);
  const double fastest = estimate_fastest(problem, 0), h = 1 / fastest;
  const auto n = equation.size();
  const auto step = [&](VectorX x) {
    x.tail(n) *= fastest;
    return unit_p(run(integrator, problem, x, h, 1), fastest);
  };
  const VectorX origin = step(VectorX::Zero(2 * n));  // the loads
  MatrixX Phi(2 * n, 2 * n), J = MatrixX::Zero(2 * n, 2 * n);
  for (Eigen::Index j = 0; j < 2 * n; ++j) Phi.col(j) = step(VectorX::Unit(2 * n, j)) - origin;
  J.topRightCorner(n, n).setIdentity();
  J.bottomLeftCorner(n, n) = -MatrixX::Identity(n, n);
  return (Phi.transpose() * J * Phi - J).cwiseAbs().maxCoeff();
}

TEST(Integrators, SymplecticOnesKeepTheSymplecticForm) {
  for (const int elements : {1, 3, 30}) {  // the last: sparse factors
    const Assembled a(test::make_rod({.elements = elements, .speed = 300}));
    const CanonicalEquation equation(a.system);
    for (const Integrator* integrator : integrators().list()) {
      const double defect = calc_symplectic_defect(*integrator, equation);
      // Entries of Φ are of the size of cond(M)^½ ≤ 10; centrifugal loads, subtracted, of 10⁻² beside them.
      // With constant coefficients the trapezoidal rule is the map of the midpoint rule; only with those it is.
      if (integrator->is_symplectic() || integrator->name() == "newmark")
        EXPECT_LT(defect, 1e-11) << integrator->name() << ", " << elements;
      else
        EXPECT_GT(defect, 1e-3) << integrator->name() << ", " << elements;
    }
  }
}

struct EnergyHistory {
  double first = 0, last = 0;  // largest |H/H₀ − 1| in the first and the last tenth
  double end = 0;              // H/H₀
};
EnergyHistory follow_energy(const Integrator& integrator, const TransientProblem& problem, VectorX x, double h,
                            int steps) {
  const CanonicalEquation& equation = *problem.equation;
  const CanonicalTerms terms = equation.calc_terms(problem.factors_at(0), FrameRate::moving);
  const std::unique_ptr<Stepper> stepper = integrator.start(problem, 0, h);
  const double H0 = equation.calc_hamiltonian(terms, x);
  EnergyHistory history;
  for (int k = 1; k <= steps; ++k) {
    stepper->step(k * h, x);
    if (k % 100 != 0) continue;
    history.end = equation.calc_hamiltonian(terms, x) / H0;
    const double error = std::abs(history.end - 1);
    if (k <= steps / 10) history.first = std::max(history.first, error);
    if (k > steps - steps / 10) history.last = std::max(history.last, error);
  }
  return history;
}

// The highest mode of a spinning body without loads: λ = iω, so each step of rk4 multiplies the energy by |R(iωh)|²,
//   |R(iy)|² = 1 − y⁶/72 + y⁸/576.
TEST(Integrators, EnergyOverAMillionSteps) {
  Model m = make_small_rod();
  m.terms.centrifugal_load = false;
  const Assembled a(m);
  const CanonicalEquation equation(a.system);
  const TransientProblem problem = test::make_problem(equation);
  const CanonicalTerms terms = equation.calc_terms(problem.factors_at(0), FrameRate::moving);
  MatrixX Z = equation.calc_canonical_matrix(terms);
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
  general_eigen(Z, values, vectors);
  Eigen::Index top = 0;
  values.imag().maxCoeff(&top);
  const double omega = values[top].imag();
  const VectorX x = vectors.col(top).real();
  constexpr int kSteps = 1'000'000;
  const double y = 0.1, h = y / omega;

  // What bounds the error of the Gauss methods, which keep H exactly: each step rounds x and the stage equations, a
  // random walk of √N ε times a few; matrices that are rounded once leave a trend, at most a few 1e-18 in each step. If
  // every step were off by ε in one direction, N ε = 2e-10 would be found.
  for (const char* name : {"implicit_midpoint", "gauss4"}) {
    const EnergyHistory kept = follow_energy(*integrators().find(name), problem, x, h, kSteps);
    EXPECT_LT(kept.first, 20 * std::sqrt(0.1 * kSteps) * kEps) << name;
    EXPECT_LT(kept.last, 20 * std::sqrt(1.0 * kSteps) * kEps) << name;
  }
  const EnergyHistory lost = follow_energy(*integrators().find("rk4"), problem, x, h, kSteps);
  const double want = std::exp(kSteps * std::log1p(-std::pow(y, 6) / 72 + std::pow(y, 8) / 576));
  EXPECT_NEAR(1 - lost.end, 1 - want, 1e-4 * (1 - want));  // ω is known to about 1e-12, six times that is far below
  EXPECT_GT(lost.last, 8 * lost.first);
}

TEST(Integrators, FastestMotionIsThatOfTheHighestMode) {
  for (const int elements : {1, 4, 12}) {
    const Assembled a(test::make_rod({.elements = elements, .speed = 300}));
    const CanonicalEquation equation(a.system);
    const TransientProblem problem = test::make_problem(equation);
    MatrixX Z = equation.calc_canonical_matrix(equation.calc_terms(problem.factors_at(0), FrameRate::moving));
    Eigen::VectorXcd values;
    Eigen::MatrixXcd vectors;
    general_eigen(Z, values, vectors);
    const double want = values.cwiseAbs().maxCoeff();
    EXPECT_NEAR(estimate_fastest(problem, 0), want, 0.03 * want) << elements;
  }
}

TEST(Integrators, ExplicitOneRefusesStepsThatAreTooLong) {
  const Assembled a(make_small_rod());
  const CanonicalEquation equation(a.system);
  const TransientProblem problem = test::make_problem(equation);
  const double fastest = estimate_fastest(problem, 0);
  const Integrator& rk4 = *integrators().find("rk4");
  EXPECT_NO_THROW(rk4.start(problem, 0, 2.7 / fastest));
  try {
    rk4.start(problem, 0, 3 / fastest);
    FAIL();
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("use steps of at most"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(integrators().find("gauss4")->start(problem, 0, 100 / fastest));
}

// The map of one step of generalized_alpha and newmark on (y, v, a), of a body at rest: p = M v.
MatrixX calc_alpha_map(const Integrator& integrator, const TransientProblem& problem, double h) {
  const auto n = problem.equation->size();
  MatrixX map(3 * n, 3 * n);
  for (Eigen::Index j = 0; j < 3 * n; ++j) {
    const VectorX unit = VectorX::Unit(3 * n, j);
    VectorX x(2 * n);
    x << unit.head(n), problem.equation->mass() * unit.segment(n, n);
    const std::unique_ptr<Stepper> stepper = integrator.start(problem, 0, h);
    stepper->set_history(unit.tail(2 * n));
    stepper->step(0, x);
    map.col(j) << x.head(n), stepper->history();
  }
  return map;
}

double calc_spectral_radius(MatrixX map) {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
  general_eigen(map, values, vectors);
  return values.cwiseAbs().maxCoeff();
}

// Chung and Hulbert: the roots meet at the radius ρ for ωh → ∞, and are within the unit circle everywhere.
TEST(Integrators, GeneralizedAlphaLeavesTheStatedPartOfFastMotion) {
  const Assembled a(test::make_rod({.elements = 1}));
  const CanonicalEquation equation(a.system);
  TransientProblem problem = test::make_problem(equation);
  const Integrator& method = *integrators().find("generalized_alpha");
  const double fastest = estimate_fastest(problem, 0), slowest = fastest / 1000;  // below its lowest frequency
  for (const double radius : {0.0, 0.3, 0.5, 0.8, 1.0}) {
    problem.options.spectral_radius = radius;
    // A triple root is found to the third root of ε; its limit is reached to 1/(ωh)².
    EXPECT_NEAR(calc_spectral_radius(calc_alpha_map(method, problem, 1e4 / slowest)), radius, 2e-3) << radius;
    for (double h = 1e-2 / fastest; h < 1e5 / fastest; h *= 3)
      EXPECT_LE(calc_spectral_radius(calc_alpha_map(method, problem, h)), 1 + 2e-5) << radius << ", " << h;
  }
  // Average acceleration damps nothing.
  for (const double h : {0.1, 1.0, 100.0})
    EXPECT_NEAR(calc_spectral_radius(calc_alpha_map(*integrators().find("newmark"), problem, h / fastest)), 1, 2e-5);
}

// Average acceleration is the trapezoidal rule, whose invariant is that of the midpoint rule in other coordinates: the
// energy of a body that does not turn stays, ½vᵀMv + ½yᵀKy, exactly.
TEST(Integrators, NewmarkKeepsTheEnergyAtRest) {
  const Assembled a(test::make_rod({.elements = 3}));
  const CanonicalEquation equation(a.system);
  const TransientProblem problem = test::make_problem(equation);
  const CanonicalTerms terms = equation.calc_terms(problem.factors_at(0), FrameRate::moving);
  const double h = 1 / estimate_fastest(problem, 0);
  VectorX x = test::make_random(2 * equation.size(), 7);
  const double H0 = equation.calc_hamiltonian(terms, x);
  const std::unique_ptr<Stepper> stepper = integrators().find("newmark")->start(problem, 0, h);
  for (int k = 0; k < 2000; ++k) stepper->step(k * h, x);
  EXPECT_NEAR(equation.calc_hamiltonian(terms, x) / H0, 1, 1e-11);  // 2000 steps of a few ε
}

// A new stepper with x, history and the old factor goes on with the same digits.
TEST(Integrators, ContinueWithTheSameDigits) {
  Model m = test::make_rod({.elements = 20, .speed = 300});
  m.bodies[0].damping.modal = {0.01, 0.02};
  const Assembled a(m);
  const CanonicalEquation equation(a.system);
  TransientProblem problem = test::make_problem(equation);
  problem.is_steady = false;
  problem.factors = [&](double t, FactorValues& at) {
    a.system.calc_factors(t, at);
    at.w[0] = 300 * std::sin(40 * t);
    at.e[0] = 300 * 40 * std::cos(40 * t);
  };
  for (const Integrator* integrator : integrators().list()) {
    const double h = std::min(1e-4, 0.9 * integrator->find_longest_step(problem, 0));
    VectorX whole = 1e-3 * test::make_random(2 * equation.size(), 9), part = whole;
    const std::unique_ptr<Stepper> one = integrator->start(problem, 0, h), first = integrator->start(problem, 0, h);
    for (int k = 0; k < 60; ++k) one->step(k * h, whole);
    for (int k = 0; k < 30; ++k) first->step(k * h, part);
    const std::unique_ptr<Stepper> second = integrator->start(problem, 0, h);
    second->set_history(first->history());
    if (!std::isnan(first->factored_at())) second->factor_at(first->factored_at());
    for (int k = 30; k < 60; ++k) second->step(k * h, part);
    EXPECT_TRUE(whole == part) << integrator->name();
  }
}

}  // namespace
}  // namespace elodyn
