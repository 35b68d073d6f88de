// Bodies that spin about their own axis, and masses on spinning shafts, against closed forms. The frame turns with the
// body, so a whirl with the speed p in the ground's frame (positive: with the spin) is seen as |p − Ω|.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/models.hpp"
#include "tests/support/results.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;
using test::make_rod;

constexpr double kE = 210e9, kRho = 7800, kG = kE / 2.6;

// Clamped at one end, Euler–Bernoulli: the material does not feel the spin about its axis; p = ±ω₀.
TEST(SpinningBodies, ThinShaftWhirlsAsAtRest) {
  const double Omega = 120;
  Model m = make_rod({.element = "beam_euler_bernoulli", .elements = 10, .degree = 5, .dimension = 3, .modes = 6});
  const Results rest = run_modes(m);
  m.bodies[0].motion.kind = Motion::Kind::spin;
  m.bodies[0].motion.axis = Vec3::UnitX();
  m.bodies[0].motion.speed = Omega;
  const Results r = run_modes(m);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  for (size_t k = 0; k < 6; k += 2) {
    const double w = rest.modes[k].omega;
    EXPECT_NEAR(rest.modes[k + 1].omega / w, 1, 1e-9);
    EXPECT_NEAR(r.modes[k].omega, w - Omega, 1e-8 * w) << k;
    EXPECT_NEAR(r.modes[k + 1].omega, w + Omega, 1e-8 * w) << k;
    EXPECT_EQ(r.modes[k].label, "bending");
  }
}

// Simply supported, κ = nπ/L. The tilting sections are discs: with I of a diameter and 2I about the axis,
//   Rayleigh:    EIκ⁴ − (ρA + ρIκ²)p² + 2ρIκ²Ωp = 0
//   Timoshenko:  (kGAκ² − ρAp²)(EIκ² + kGA − ρIp² + 2ρIΩp) − (kGAκ)² = 0
std::vector<double> whirl_speeds(bool shear, const SectionProperties& s, double kappa, double Omega) {
  const double EI = kE * s.Iz, m = kRho * s.A, j = kRho * s.Iz, k2 = kappa * kappa, S = s.shear_y * kG * s.A;
  const double bound = 3 * std::sqrt(EI / m) * k2;
  const auto f = [&](double p) {
    if (!shear) return EI * k2 * k2 - (m + j * k2) * p * p + 2 * j * k2 * Omega * p;
    return ((S * k2 - m * p * p) * (EI * k2 + S - j * p * p + 2 * j * Omega * p) - S * S * k2) / S;
  };
  return {test::bisect(f, 0, bound), test::bisect(f, 0, -bound)};
}

Model simply_supported_shaft(const std::string& element, int elements, int degree, double Omega) {
  Model m = make_rod({.element = element,
                      .elements = elements,
                      .degree = degree,
                      .dimension = 3,
                      .length = 1,
                      .diameter = 0.15,
                      .speed = Omega,
                      .axis = Vec3::UnitX(),
                      .modes = 8});
  m.bodies[0].supports = {test::make_support(Support::Kind::pin, "from"),
                          test::make_support(Support::Kind::roller, "to"),
                          test::make_support(Support::Kind::roller, "to", Vec3::UnitZ())};
  m.bodies[0].springs = {test::make_spring("from", Vec3::Zero(), {1e9, 0, 0})};  // the drive
  return m;
}

void expect_whirls(const std::string& element, int elements, int degree, double tolerance) {
  const double Omega = 900;
  const Model m = simply_supported_shaft(element, elements, degree, Omega);
  const Results r = run_modes(m);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  const std::vector<double> got = test::omegas(r, "bending");
  const SectionProperties s = calc_properties(m.sections[0], 0.3);
  for (int n = 1; n <= 2; ++n) {
    const std::vector<double> p = whirl_speeds(element == "beam_timoshenko", s, n * pi, Omega);
    EXPECT_GT(std::abs(p[0] / p[1]) - 1, 0.005 * n);  // discs that tilt: forward whirl is faster
    for (const double speed : p) {
      const double seen = std::abs(speed - Omega);
      double best = 1;
      for (const double w : got) best = std::min(best, std::abs(w / seen - 1));
      EXPECT_LT(best, tolerance) << element << ", n " << n << ", whirl " << speed;
    }
  }
}

TEST(SpinningBodies, WhirlOfARayleighShaft) { expect_whirls("beam_rayleigh", 10, 5, 1e-8); }
// Order 2, see the orders of Timoshenko beams: (nπh)²/24 of the share of shear and rotation.
TEST(SpinningBodies, WhirlOfATimoshenkoShaft) { expect_whirls("beam_timoshenko", 60, 3, 1e-3); }

Model shaft_with_mass(double Omega, double mass, const std::vector<double>& inertia, double density = 1e-9) {
  Model m = make_rod({.elements = 3,
                      .axial_degree = 3,
                      .dimension = 3,
                      .length = 0.4,
                      .density = density,
                      .diameter = 0.02,
                      .speed = Omega,
                      .modes = 6});
  LumpedMass lumped;
  lumped.at.value = "to";
  lumped.mass = mass;
  lumped.inertia_tensor = inertia;
  m.bodies[0].masses = {lumped};
  return m;
}

// What a mass at the end of a spinning, almost massless shaft pulls: N = mΩ²r and the couple −ω × Iω.
TEST(SpinningBodies, PullAndCoupleOfAMass) {
  const double Omega = 80, mass = 3, hub = 0.25;
  const std::vector<double> I = {0.01, 0.02, 0.015, 0.002, -0.003, 0.004};  // xx, yy, zz, xy, yz, xz
  Model m = shaft_with_mass(Omega, mass, I);
  m.bodies[0].motion.through = {-hub, 0, 0};
  m.terms.geometric = m.terms.centrifugal_stiffness = false;
  const Results r = run_static(m);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  const double N = mass * Omega * Omega * (0.4 + hub), Mx = Omega * Omega * I[4], My = -Omega * Omega * I[5];
  const size_t rows = test::column(r, "rod_forces", "s").size();
  for (size_t i = 0; i < rows; ++i) {
    // The shaft itself weighs 1e-13 kg.
    EXPECT_NEAR(test::column(r, "rod_forces", "N")[i] / N, 1, 1e-12);
    EXPECT_LT((test::row(r, "rod_forces", test::kMoment, i) - Vec3(Mx, My, 0)).norm(), 1e-9 * std::abs(My)) << i;
    EXPECT_LT(test::row(r, "rod_forces", test::kSectionForce, i).tail<2>().norm(), 1e-9 * N) << i;
  }
  EXPECT_LT((test::row(r, "rod_reactions", test::kForce, 0) - Vec3(-N, 0, 0)).norm(), 1e-12 * N);
  // Where the load follows the displacement, the shaft is a spring: N = mΩ²r/(1 − mΩ²/c), c = EA/L.
  m.terms.centrifugal_stiffness = true;
  m.bodies[0].masses[0].inertia_tensor = {0.01, 0.02, 0.015, 0, 0, 0};
  const double c = kE * calc_properties(m.sections[0]).A / 0.4;
  EXPECT_NEAR(test::column(run_static(m), "rod_forces", "N")[0] / (N / (1 - mass * Omega * Omega / c)), 1, 1e-12);
}

// A flat plate in the plane of rotation, Izz = Ixx + Iyy, that twists out of it: Ω²(Izz − Iyy) = Ω²Ixx turns it back
// and no gyroscopic couple acts with the others: ω² = (GJ + P Ip/A)/(L Ixx) + Ω² with the pull P = mΩ²L of the plate.
// The rod's inertia is 1e-10 of it.
TEST(SpinningBodies, PropellerMomentOfAPlate) {
  const double Ixx = 0.02, Iyy = 0.03;
  double rest = 0;
  for (const double Omega : {0.0, 300.0}) {
    Model m = shaft_with_mass(Omega, 1, {Ixx, Iyy, Ixx + Iyy, 0, 0, 0}, 1e-3);
    m.modes->count = 6;
    const auto torsion = test::omegas(run_modes(m), "torsion");
    ASSERT_GE(torsion.size(), 1u);
    if (Omega == 0) rest = kG * calc_properties(m.sections[0]).J / (0.4 * Ixx);
    const SectionProperties p = calc_properties(m.sections[0]);
    const double pull = Omega * Omega * 0.4 * (p.Iy + p.Iz) / p.A / (0.4 * Ixx);
    EXPECT_NEAR(torsion[0] / std::sqrt(rest + Omega * Omega + pull), 1, 1e-9) << Omega;
  }
}

}  // namespace
}  // namespace elodyn
