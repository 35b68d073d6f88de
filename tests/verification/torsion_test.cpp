// Torsion of bars against closed forms: frequencies, static twist, orders of convergence, the stiffening of a spin.
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

constexpr double kE = 210e9, kRho = 7800, kG = kE / 2.6, kL = 0.3;

// Short enough for torsion to be among the lowest modes.
Model bar(const Section* section, int elements, int axial_degree, int modes) {
  Model m = make_rod({.elements = elements,
                      .degree = 3,
                      .axial_degree = axial_degree,
                      .dimension = 3,
                      .length = kL,
                      .diameter = 0.1,
                      .modes = modes});
  if (section != nullptr) m.sections[0] = *section;
  return m;
}

double wave_speed(const Section& section) {
  const SectionProperties p = calc_properties(section, 0.3);
  return std::sqrt(kG * p.J / (kRho * (p.Iy + p.Iz)));
}

// ω = (2n − 1)π/2 c/L clamped–free, nπ c/L free–free, c² = GJ/ρIp; for the circle c² = G/ρ.
TEST(Torsion, ClampedFreeAndFreeFree) {
  const Section rectangle = test::make_rectangle("round", 0.05, 0.1);
  for (const Section* section : {static_cast<const Section*>(nullptr), &rectangle}) {
    Model m = bar(section, 12, 3, 16);
    const double c = wave_speed(m.sections[0]);
    if (!section) {
      EXPECT_NEAR(c / std::sqrt(kG / kRho), 1, test::roundoff(1, 1));
    }
    const auto clamped = test::omegas(run_modes(m), "torsion");
    ASSERT_GE(clamped.size(), 2u);
    // axial_degree 3: the error is (κh)⁶/201600.
    for (size_t n = 0; n < 2; ++n) {
      const double kappa = (2.0 * static_cast<double>(n) + 1) * pi / 2 / kL;
      EXPECT_NEAR(clamped[n] / (kappa * c), 1, 1.2 * std::pow(kappa * kL / 12, 6) / 201600 + 1e-10) << n;
    }
    m.bodies[0].supports.clear();
    const Results free = run_modes(m);
    EXPECT_EQ(test::omegas(free, "rigid"), std::vector<double>(6, 0.0));
    const auto modes = test::omegas(free, "torsion");
    ASSERT_GE(modes.size(), 1u);
    EXPECT_NEAR(modes[0] / (pi * c / kL), 1, 1e-8);
  }
}

TEST(Torsion, OrdersOfConvergence) {
  const double want = pi / 2 * wave_speed(bar(nullptr, 1, 1, 1).sections[0]) / kL;
  const int first[] = {6, 2, 1};
  for (const int axial_degree : {1, 2, 3}) {
    std::vector<double> errors;
    for (int level = 0; level < 3; ++level)
      errors.push_back(
          test::omegas(run_modes(bar(nullptr, first[axial_degree - 1] << level, axial_degree, 8)), "torsion").at(0) /
              want -
          1);
    for (size_t k = 1; k < 3; ++k) {
      EXPECT_GT(std::log2(errors[k - 1] / errors[k]), 2 * axial_degree - 0.1) << axial_degree;
      EXPECT_LT(std::log2(errors[k - 1] / errors[k]), 2 * axial_degree + 0.3) << axial_degree;
    }
    EXPECT_GT(errors.back(), 0);
    EXPECT_LT(errors.back(), 1e-3);
  }
}

// Static: T x/GJ at every node of a bar in any direction; a couple m per length: m(Lx − x²/2)/GJ.
TEST(Torsion, StaticTwist) {
  const Vec3 t = Vec3(1, -2, 2) / 3;
  const double T = 70, couple = 300;
  for (const int axial_degree : {1, 2, 3}) {
    Model m = bar(nullptr, 3, axial_degree, 1);
    m.sections[0] = test::make_rectangle("round", 0.02, 0.03);
    m.bodies[0].points[1].x = kL * t;
    m.bodies[0].loads = {test::make_point_load("to", Vec3::Zero(), T * t),
                         test::make_member_load("line", Vec3::Zero(), couple * t)};
    const Results r = run_static(m);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    const double GJ = kG * calc_properties(m.sections[0], 0.3).J;
    for (size_t i = 0; i < 4; ++i) {
      const double x = kL * static_cast<double>(i) / 3;
      const Vec3 theta = test::row(r, "rod_displacements", test::kRotation, i);
      const double want = (T * x + couple * (kL * x - x * x / 2)) / GJ;
      EXPECT_LE((theta - want * t).norm(), test::roundoff(9, want)) << i;
      EXPECT_LE(test::row(r, "rod_displacements", test::kDisplacement, i).norm(), test::roundoff(9, want * kL));
    }
    const auto &s = test::column(r, "rod_forces", "s"), &Mx = test::column(r, "rod_forces", "Mx");
    for (size_t i = 0; i < s.size(); ++i) EXPECT_NEAR(Mx[i], T + couple * (kL - s[i]), test::roundoff(9, 160)) << i;
    EXPECT_LT((test::row(r, "rod_reactions", test::kMoment, 0) + (T + couple * kL) * t).norm(), 1e-9);
  }
}

// A flat blade turned out of the plane of rotation is turned back: ω² = ω₀² + Ω²(Iz − Iy)/(Iz + Iy), full Ω² for a very
// thin one. Sections of Euler–Bernoulli beams turn with inertia about their axis only, so nothing couples. The pull
// P = ½ρAΩ²(L² − x²) turns it back too, by (P Ip/A α')': without GJ that is Legendre's equation with the mode α = x and
// ω² = Ω² more.
TEST(Torsion, SpinningBladeIsTurnedBack) {
  for (const auto& [Iy, Iz] : {std::pair{1e-9, 4e-8}, {4e-8, 1e-9}}) {
    Model m = make_rod({.element = "beam_euler_bernoulli",
                        .elements = 6,
                        .axial_degree = 3,
                        .dimension = 3,
                        .length = kL,
                        .modes = 12});
    m.sections[0] = test::make_spatial_section("round", 1e-4, Iy, Iz, 4e-9);
    const double rest = test::omegas(run_modes(m), "torsion").at(0);
    EXPECT_NEAR(rest / (pi / 2 / kL * std::sqrt(kG * 4e-9 / (kRho * (Iy + Iz)))), 1, 1e-7);
    m.bodies[0].motion.kind = Motion::Kind::spin;
    m.bodies[0].motion.speed = 1000;
    m.terms.coriolis = false;  // sections are not symmetric to the spin in torsion only; see the whirl of shafts
    m.terms.geometric = false;
    const double spinning = test::omegas(run_modes(m), "torsion").at(0);
    EXPECT_NEAR((spinning * spinning - rest * rest) / 1e6, (Iz - Iy) / (Iz + Iy), 1e-6);
    m.terms.coriolis = true;
    EXPECT_NEAR(test::omegas(run_modes(m), "torsion").at(0) / spinning, 1, 1e-9);

    m.terms.geometric = true;
    const double pulled = test::omegas(run_modes(m), "torsion").at(0);
    // With GJ the mode of the pull alone, α = x, bounds ω² from above, and the sum of both lowest from below.
    const double inertia = kRho * (Iy + Iz), racket = (Iz - Iy) / (Iz + Iy);
    EXPECT_GT(pulled * pulled, rest * rest + 1e6 * (racket + 1));
    EXPECT_LT(pulled * pulled, kG * 4e-9 * kL / (inertia * kL * kL * kL / 3) + 1e6 * (racket + 1));
    m.sections[0].J = 1e-20;
    // Twisting then stores no energy and the mode has no label of its own: it is the one at this place among the
    // bending.
    const Results soft = run_modes(m);
    const double wanted = 1e3 * std::sqrt(racket + 1);
    EXPECT_EQ(std::count_if(soft.modes.begin(), soft.modes.end(),
                            [&](const Mode& mode) { return std::abs(mode.omega / wanted - 1) < 1e-6; }),
              1);
  }
}

// A straight bar that is pressed so hard that its fibres, turned to helices, unwind it: P = GJ A/(Iy + Iz), for any
// length.
TEST(Torsion, PressedBarOfLittleStiffnessBuckles) {
  Model m = make_rod({.element = "beam_rayleigh", .elements = 6, .dimension = 3, .length = kL});
  m.sections[0] = test::make_spatial_section("round", 1e-3, 1e-6, 2e-6, 1e-10);
  m.bodies[0].loads = {test::make_point_load("to", {-1000, 0, 0})};
  m.buckling = BucklingRequest{};
  const Results r = run_buckling(m);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  EXPECT_NEAR(test::column(r, "buckling", "factor")[0] / (kG * 1e-10 * 1e-3 / 3e-6 / 1000), 1, 1e-9);
}

}  // namespace
}  // namespace elodyn
