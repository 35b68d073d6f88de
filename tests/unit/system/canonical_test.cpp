#include "elodyn/system/canonical.hpp"

#include <algorithm>
#include <cmath>

#include "tests/support/tolerance.hpp"
#include "tests/support/transient.hpp"
#include <gtest/gtest.h>

#include "elodyn/formalism/registry.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using test::Assembled;

double largest(const MatrixX& m) { return m.cwiseAbs().maxCoeff(); }

// Round-off of a product with M⁻¹ in scaled coordinates: ε·cond(M), summed over n terms.
double bound(const CanonicalEquation& equation, const MatrixX& inverse_mass) {
  const double condition = largest(equation.mass()) * largest(inverse_mass) * static_cast<double>(equation.size());
  return test::roundoff(1, condition);
}

Model make_spatial_rotor(int degree) {
  Model m = test::make_rod({.elements = 3, .degree = degree, .axial_degree = 2, .dimension = 3, .speed = 400});
  m.bodies[0].motion.axis = {0.3, 1, -0.5};
  m.bodies[0].motion.through = {0, 0.1, 0};
  LumpedMass mass;
  mass.at.value = "to";
  mass.mass = 0.2;
  mass.inertia_tensor = {2e-4, 1e-4, 1e-4, 2e-5, 0, 1e-5};
  m.bodies[0].masses = {mass};
  return m;
}

std::vector<std::pair<std::string, Model>> make_models() {
  std::vector<std::pair<std::string, Model>> models;
  models.emplace_back("plane rod", test::make_rod({.elements = 6, .speed = 300}));
  models.emplace_back("plane quintic rod",
                      test::make_rod({.elements = 4, .degree = 5, .axial_degree = 3, .speed = 300}));
  models.emplace_back("Timoshenko rod", test::make_rod({.element = "beam_timoshenko", .elements = 4, .speed = 300}));
  models.emplace_back("rotor", make_spatial_rotor(3));
  models.emplace_back("quintic rotor", make_spatial_rotor(5));
  return models;
}

// ∇²H = J⁻¹Z is symmetric; its rows are −(the rows of ṗ), then those of ż.
TEST(Canonical, MatrixIsJSymmetricForEveryFormalism) {
  int checked = 0;
  for (const Formalism* formalism : formalisms().list()) {
    for (auto [name, model] : make_models()) {
      model.formalism.value = std::string(formalism->name());
      const Assembled a(model);
      const CanonicalEquation equation(a.system);
      const CanonicalTerms terms = equation.calc_terms(a.system.calc_factors(0), FrameRate::moving);
      ASSERT_GT(largest(terms.C), 0);
      const MatrixX Z = equation.calc_canonical_matrix(terms);
      const auto n = equation.size();
      const MatrixX zz = -Z.bottomLeftCorner(n, n), zp = -Z.bottomRightCorner(n, n), pz = Z.topLeftCorner(n, n),
                    pp = Z.topRightCorner(n, n);
      const double tolerance = bound(equation, pp);
      EXPECT_LT(tolerance, 1e-9) << "a bound that says nothing";
      const std::string of = std::string(formalism->name()) + ", " + name;
      EXPECT_LT(largest(zz - zz.transpose()), tolerance * largest(zz)) << of;
      EXPECT_LT(largest(zp - pz.transpose()), tolerance * largest(zp)) << of;
      EXPECT_LT(largest(pp - pp.transpose()), tolerance * largest(pp)) << of;
      EXPECT_EQ(largest(equation.calc_force_matrix(terms)), 0) << of;
      ++checked;
    }
  }
  EXPECT_GE(checked, 25);
}

// A matrix with damping is not J-symmetric: the law can fail.
TEST(Canonical, DampingBreaksTheSymmetry) {
  Model m = test::make_rod({.elements = 2, .speed = 300});
  m.bodies[0].damping.mass = 5;
  const Assembled a(m);
  const CanonicalEquation equation(a.system);
  EXPECT_TRUE(equation.has_damping());
  const CanonicalTerms terms = equation.calc_terms(a.system.calc_factors(0), FrameRate::moving);
  const auto n = equation.size();
  // −D ż with D = 5 M: −5 (p − C z)
  const MatrixX Q = equation.calc_force_matrix(terms);
  EXPECT_NEAR(largest(Q.bottomRightCorner(n, n) + 5 * MatrixX::Identity(n, n)), 0, test::roundoff(100, 5));
}

// The spectrum of a canonical matrix: with λ also −λ and λ̄. LAPACK's values are good to ε‖Z‖ in p-scaled units.
TEST(Canonical, SpectrumIsSymmetric) {
  const Assembled a(test::make_rod({.elements = 2, .speed = 900}));
  const CanonicalEquation equation(a.system);
  MatrixX Z = equation.calc_canonical_matrix(equation.calc_terms(a.system.calc_factors(0), FrameRate::frozen));
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
  general_eigen(Z, values, vectors);
  const double top = values.cwiseAbs().maxCoeff();
  for (const auto& value : values)
    for (const auto& mirrored : {-value, std::conj(value)}) {
      double nearest = top;
      for (const auto& other : values) nearest = std::min(nearest, std::abs(other - mirrored));
      EXPECT_LT(nearest, 1e-9 * top);
    }
}

struct Case {
  std::string name;
  Model model;
};

Model make_tumbling_rotor() {
  Model m = make_spatial_rotor(3);
  Motion& motion = m.bodies[0].motion;
  motion = {};
  motion.kind = Motion::Kind::prescribed;
  for (size_t i = 0; i < 3; ++i) {
    motion.angular_velocity[i] = test::make_expression("1 + t");  // the factors are set at random below
    motion.acceleration[i] = test::make_expression("t");
  }
  return m;
}

std::vector<Case> make_cases() {
  std::vector<Case> cases = {{"rotor", make_tumbling_rotor()}};
  cases.push_back({"no Coriolis terms", make_tumbling_rotor()});
  cases.back().model.terms.coriolis = false;
  cases.push_back({"no Euler terms", make_tumbling_rotor()});
  cases.back().model.terms.euler = false;
  cases.push_back({"damped", make_tumbling_rotor()});
  Body& body = cases.back().model.bodies[0];
  body.damping.stiffness = 1e-5;
  body.damping.modal = {0.02, 0.01};
  Spring dashpot = test::make_spring("to", {1e3, 2e3, 0}, Vec3::Zero());
  dashpot.other = Spring::Other::ground;
  dashpot.damping = {3, 7, 2};
  body.springs = {dashpot};
  return cases;
}

// ṗ of Hamilton's equations is d/dt (M ż + C z): with the z̈ of the second-order equation,
//   ṗ = M z̈ + C ż + Ċ z,   M z̈ = f − (D + 2C) ż − K_tot z.
TEST(Canonical, GivesTheAccelerationOfTheSecondOrderEquation) {
  for (const Case& c : make_cases()) {
    const Assembled a(c.model);
    const BodySystem& s = a.system;
    const CanonicalEquation equation(s);
    for (unsigned seed = 1; seed <= 5; ++seed) {
      FactorValues at = s.calc_factors(0), rates = at;
      ASSERT_EQ(at.w.size(), 3);
      ASSERT_EQ(at.a.size(), 3);
      at.w = 300 * test::make_random(3, seed);
      at.e = 9e4 * test::make_random(3, seed + 10);
      at.a = 1e3 * test::make_random(3, seed + 20);
      rates.w = at.e;
      const auto n = equation.size();
      const VectorX& d = equation.scale();
      const VectorX z = d.cwiseProduct(test::make_random(n, seed + 30)),
                    v = 1e3 * d.cwiseProduct(test::make_random(n, seed + 40));
      const CanonicalTerms terms = equation.calc_terms(at, FrameRate::moving);
      VectorX rate;
      equation.calc_rate(terms, equation.make_state(terms, z, v), rate);

      // The velocity comes back through M⁻¹.
      const VectorX v_back = d.cwiseProduct(rate.head(n));
      EXPECT_LT((v_back - v).cwiseQuotient(d).lpNorm<Eigen::Infinity>(), 1e-9) << c.name;

      VectorX damping = s.reduced.calc_velocity(at) * v;
      if (!s.modal.empty()) damping += s.modal.M_phi * s.modal.weights.cwiseProduct(s.modal.M_phi.transpose() * v);
      const VectorX Kz = s.reduced.calc_stiffness(at) * z;
      const VectorX M_acceleration = d.cwiseProduct(s.reduced.calc_load(at) - damping - Kz);
      const SparseMatrix C_rate = equation.calc_terms(rates, FrameRate::frozen).C;
      const VectorX want = M_acceleration + terms.C * v.cwiseQuotient(d) + C_rate * z.cwiseQuotient(d);
      const double scale =
          std::max(d.cwiseProduct(Kz).lpNorm<Eigen::Infinity>(), d.cwiseProduct(damping).lpNorm<Eigen::Infinity>());
      EXPECT_LT((rate.tail(n) - want).lpNorm<Eigen::Infinity>(), 1e-12 * scale) << c.name << ", seed " << seed;
    }
  }
}

// Frozen: C stays, so the Euler stiffness is a force of its own.
TEST(Canonical, FrozenFormKeepsTheEulerForce) {
  const Assembled a(make_tumbling_rotor());
  const CanonicalEquation equation(a.system);
  FactorValues at = a.system.calc_factors(0);
  at.e = Vec3(100, 200, 300);
  EXPECT_EQ(largest(equation.calc_terms(at, FrameRate::moving).N), 0);
  EXPECT_GT(largest(equation.calc_terms(at, FrameRate::frozen).N), 0);
}

void expect_same_modes(Model model, double tolerance) {
  model.modes->form = ModesRequest::Form::second_order;
  const Results want = run_modes(model);
  model.modes->form = ModesRequest::Form::canonical;
  const Results got = run_modes(model);
  ASSERT_TRUE(want.outcome.ok()) << want.outcome.message;
  ASSERT_TRUE(got.outcome.ok()) << got.outcome.message;
  ASSERT_EQ(got.modes.size(), want.modes.size());
  for (size_t k = 0; k < want.modes.size(); ++k) {
    const double size = std::hypot(want.modes[k].omega, want.modes[k].growth);
    EXPECT_NEAR(got.modes[k].omega, want.modes[k].omega, tolerance * size) << k;
    EXPECT_NEAR(got.modes[k].growth, want.modes[k].growth, tolerance * size) << k;
    EXPECT_EQ(got.modes[k].label, want.modes[k].label) << k;
    EXPECT_LT(got.modes[k].residual, 1e-9) << k;
  }
  EXPECT_EQ(got.warnings, want.warnings);
}

TEST(CanonicalModes, SpinningRod) {
  expect_same_modes(test::make_rod({.elements = 8, .degree = 5, .speed = 314}), 1e-9);
}
TEST(CanonicalModes, RodAtRest) { expect_same_modes(test::make_rod({.elements = 8}), 1e-9); }
TEST(CanonicalModes, HamiltonsWayFromEndToEnd) {
  Model m = test::make_rod({.elements = 4, .speed = 314});
  m.formalism.value = "hamilton";
  expect_same_modes(m, 1e-9);
}
TEST(CanonicalModes, BeyondDivergence) {
  Model m = test::make_rod({.elements = 8, .speed = 400});
  m.terms.geometric = false;
  m.modes->form = ModesRequest::Form::canonical;
  EXPECT_GT(run_modes(m).modes[0].growth, 0);
  expect_same_modes(m, 1e-9);
}
TEST(CanonicalModes, SpinningShaft) {
  Model m = test::make_rod({.elements = 6, .dimension = 3, .speed = 100, .axis = Vec3::UnitX(), .modes = 6});
  expect_same_modes(m, 1e-9);
}
TEST(CanonicalModes, Damped) {
  Model m = test::make_rod({.elements = 5, .speed = 200});
  m.bodies[0].damping.stiffness = 1e-5;
  m.bodies[0].damping.modal = {0.02, 0.01};
  expect_same_modes(m, 1e-9);
}
TEST(CanonicalModes, FreeAtRest) {
  Model m = test::make_rod({.elements = 5});
  m.bodies[0].supports.clear();
  expect_same_modes(m, 1e-9);
}
TEST(CanonicalModes, RefusesMoreUnknownsThanFullMatricesAllow) {
  Model m = test::make_rod({.elements = 600});
  m.modes->form = ModesRequest::Form::canonical;
  const Results results = run_modes(m);
  EXPECT_EQ(results.outcome.message,
            "body `rod`: 1800 unknowns are too many for the eigenvalues of a first-order form (at most 1500): use "
            "fewer elements, or the form of second order");
}

}  // namespace
}  // namespace elodyn
