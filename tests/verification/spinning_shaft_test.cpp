// Simply supported round shaft that spins about its own axis, with the rotary inertia of its sections. In the world a
// bending wave sin(kx), k = nπ/L, whirls with the frequency λ of
//   (A + I k²) λ² − 2 I Ω k² λ − (E/ρ) I k⁴ = 0                                                         (1)
// (+: forward; the middle term is the gyroscopic couple of the polar inertia 2I); in the shaft's own frame,
// where Elodyn computes, it is seen with |λ − Ω|. With λ = σ + Ω (1) becomes
//   (A + I k²) σ² + 2 A Ω σ + A Ω² − I k² Ω² − (E/ρ) I k⁴ = 0,                                          (2)
// and −I k² Ω² is what the second-order rotation of a section adds, ∫ρ Nθᵀ[½(BΣ + ΣBᵀ) − tr(BΣ)1]Nθ.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/models.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/rotation.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;

constexpr double kA = 1, kI = 4e-3, kE = 1e4, kSpin = 30;  // ρ = L = 1

// |σ| of both roots of a σ² + b σ + c = 0.
std::vector<double> root_sizes(double a, double b, double c) {
  const double root = std::sqrt(b * b - 4 * a * c);
  return {std::abs((-b + root) / (2 * a)), std::abs((-b - root) / (2 * a))};
}

double wave(int n) { return n * pi; }

// From (1), first the forward wave.
std::vector<double> exact(int n) {
  const double k2 = wave(n) * wave(n), a = kA + kI * k2, b = -2 * kI * kSpin * k2, c = -kE * kI * k2 * k2;
  const double root = std::sqrt(b * b - 4 * a * c);
  return {std::abs((-b + root) / (2 * a) - kSpin), std::abs((-b - root) / (2 * a) - kSpin)};
}
// From (2) without its term of second order.
std::vector<double> without_second_order(int n) {
  const double k2 = wave(n) * wave(n);
  return root_sizes(kA + kI * k2, 2 * kA * kSpin, kA * kSpin * kSpin - kE * kI * k2 * k2);
}

// Bending in both planes is free at the ends; a spring about x holds the shaft against turning in its frame, which
// bending does not feel.
Model make_shaft() {
  Model m = test::make_rod(
      {.elements = 12, .degree = 5, .axial_degree = 3, .length = 1, .young = kE, .density = 1, .modes = 16});
  m.sections[0] = test::make_general_section("round", kA, kI);
  Body& b = m.bodies[0];
  b.dimension = 3;
  b.supports = {test::make_support(Support::Kind::pin, "from"),
                test::make_support(Support::Kind::roller, "to", Vec3::UnitY()),
                test::make_support(Support::Kind::roller, "to", Vec3::UnitZ())};
  Spring hold;
  hold.at.value = "from";
  hold.rotational_stiffness = {1e3, 0, 0};
  b.springs = {hold};
  b.motion.kind = Motion::Kind::spin;
  b.motion.axis = Vec3::UnitX();
  b.motion.speed = kSpin;
  return m;
}

double nearest(const std::vector<double>& found, double wanted) {
  return *std::min_element(found.begin(), found.end(),
                           [&](double x, double y) { return std::abs(x - wanted) < std::abs(y - wanted); });
}

TEST(SpinningShaft, WhirlsWithTheFrequenciesOfTheClosedForm) {
  const Results r = run_modes(make_shaft());
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  std::vector<double> bending, others;
  for (const Mode& mode : r.modes) {
    EXPECT_EQ(mode.growth, 0) << mode.number;
    (mode.label == "bending" ? bending : others).push_back(mode.omega);
    if (mode.label == "bending") {
      EXPECT_GE(mode.shares.front().second, 1 - 1e-12) << "mixes with " << mode.shares[1].first;
    }
  }
  // Quintic elements have order 8: the third wave on n elements is high by 1.4e-8·(10/n)⁸, the others by less.
  std::vector<double> wanted;
  for (int n = 1; n <= 3; ++n)
    for (const double omega : exact(n)) wanted.push_back(omega);
  std::sort(wanted.begin(), wanted.end());
  ASSERT_GE(bending.size(), wanted.size());
  for (size_t k = 0; k < wanted.size(); ++k) EXPECT_NEAR(bending[k] / wanted[k], 1, 1e-8) << k;
  EXPECT_GE(others.size(), 4u);

  // The same numbers as printed.
  const std::vector<double> printed = {32.374015, 90.095272, 206.161408, 257.978743};
  for (size_t k = 0; k < printed.size(); ++k)
    EXPECT_NEAR(bending[k], printed[k], test::half_unit(printed[k], k < 2 ? 8 : 9)) << k;
}

// What (1) splits: forward and backward waves at rest have one frequency, at speed they part by the gyroscopic couple.
TEST(SpinningShaft, ForwardAndBackwardWavesPart) {
  Model m = make_shaft();
  m.bodies[0].motion.kind = Motion::Kind::rest;
  std::vector<double> rest, spinning;
  for (const Mode& mode : run_modes(m).modes)
    if (mode.label != "axial" && mode.label != "torsion") rest.push_back(mode.omega);
  for (const Mode& mode : run_modes(make_shaft()).modes)
    if (mode.label == "bending") spinning.push_back(mode.omega);
  ASSERT_GE(rest.size(), 6u);
  for (int n = 1; n <= 3; ++n) {
    const double k2 = wave(n) * wave(n), at_rest = std::sqrt(kE * kI * k2 * k2 / (kA + kI * k2));
    const auto k = static_cast<size_t>(2 * n - 2);
    EXPECT_NEAR(rest[k] / at_rest, 1, 1e-8);
    EXPECT_NEAR(rest[k + 1] / at_rest, 1, 1e-8);
    // λ₊ + λ₋ = 2IΩk²/(A + Ik²), λ₊ seen at λ₊ − Ω, λ₋ < 0 at −λ₋ + Ω.
    const double forward = nearest(spinning, exact(n)[0]) + kSpin, backward = nearest(spinning, exact(n)[1]) - kSpin;
    EXPECT_NEAR(forward - backward, 2 * kI * kSpin * k2 / (kA + kI * k2), 1e-8 * forward) << n;
  }
}

// The section's rotation taken to first order only: the term is subtracted from S here, as an element's integral.
TEST(SpinningShaft, NeedsTheSecondOrderRotationOfItsSections) {
  const Model m = make_shaft();
  BodySystem s = make_body_system(m, m.bodies[0]);
  ASSERT_EQ(s.basis.axes.size(), 1u);
  const Mat3 X = skew(s.basis.axes[0]) * skew(s.basis.axes[0]);
  const auto S = std::find_if(s.full.matrices.begin(), s.full.matrices.end(),
                              [](const MatrixTerm& t) { return t.kind == TermKind::centrifugal_stiffness; });
  ASSERT_NE(S, s.full.matrices.end());
  Stations stations;
  for (const ElementSpec& spec : s.mesh.elements) {
    s.element_of(spec).calc_stations(s.make_element_data(spec), stations);
    for (const Station& st : stations) {
      const Mat3 XS = X * st.sigma, second = 0.5 * (XS + XS.transpose()) - XS.trace() * Mat3::Identity();
      const MatrixX term = st.weight * st.N_theta.transpose() * second * st.N_theta;
      for (size_t i = 0; i < spec.dofs.size(); ++i)
        for (size_t j = 0; j < spec.dofs.size(); ++j)
          S->values[s.full.pattern->index(spec.dofs[i], spec.dofs[j])] -=
              term(static_cast<int>(i), static_cast<int>(j));
    }
  }
  const AffineEquation reduced = s.constraints.reduce(s.full);
  const FactorValues at = s.calc_factors(0);
  QuadraticProblem p;
  p.M = reduced.calc_mass();
  p.C = reduced.calc_velocity(at);
  p.K = reduced.calc_stiffness(at);
  p.structure = Structure::gyroscopic;
  std::vector<double> found;
  for (const auto& value : solve_quadratic_modes(p, 20).values) found.push_back(value.imag());
  double worst = 0;
  for (int n = 1; n <= 3; ++n) {
    const std::vector<double> wrong = without_second_order(n), right = exact(n);
    for (size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(nearest(found, wrong[k]) / wrong[k], 1, 1e-8) << n;  // the mistake has a closed form too
      worst = std::max(worst, std::abs(nearest(found, right[k]) / right[k] - 1));
    }
  }
  EXPECT_GE(worst, 5e-3);
  EXPECT_LE(worst, 5e-2);
}

}  // namespace
}  // namespace elodyn
