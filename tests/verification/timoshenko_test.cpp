// Timoshenko beams, in the plane and in space, against closed forms: both spectra of a simply supported beam, tip
// deflection, the limit of slender beams, orders of convergence.
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

constexpr double kL = 1, kE = 210e9, kRho = 7800, kPoisson = 0.3, kG = kE / (2 * (1 + kPoisson));

// Bending in one plane of a beam of length 1.
struct Plane {
  double A, I, k;
  double shear() const { return k * kG * A; }
  // Squares of the two frequencies with v = V sin(nπx/L), γ = Γ cos(nπx/L):
  //   (kGA κ² − ρA ω²)(EI κ² + kGA − ρI ω²) = (kGA κ)²,  κ = nπ/L; for n = 0 the second is kGA/ρI, sections that
  //   turn in step.
  std::pair<double, double> squares(int n) const {
    const double kappa2 = std::pow(n * pi / kL, 2), m = kRho * A, j = kRho * I;
    const double a = m * j, b = m * (kE * I * kappa2 + shear()) + j * shear() * kappa2,
                 c = shear() * kE * I * kappa2 * kappa2;
    const double root = std::sqrt(b * b - 4 * a * c);
    return {2 * c / (b + root), (b + root) / (2 * a)};
  }
};

Plane plane_of(const Section& section, bool along_y) {
  const SectionProperties p = calc_properties(section, kPoisson);
  return {p.A, along_y ? p.Iz : p.Iy, along_y ? p.shear_y : p.shear_z};
}

// Pins at both ends, one of which lets the axis lengthen. In space nothing holds the rotation about the axis.
Model simply_supported(const Section& section, int dimension, int elements, int modes) {
  Model m = make_rod({.element = "beam_timoshenko",
                      .elements = elements,
                      .axial_degree = 3,
                      .dimension = dimension,
                      .length = kL,
                      .young = kE,
                      .density = kRho,
                      .modes = modes});
  m.sections[0] = section;
  m.sections[0].name = "round";
  m.bodies[0].supports = {test::make_support(Support::Kind::pin, "from"),
                          test::make_support(Support::Kind::roller, "to")};
  if (dimension == 3) m.bodies[0].supports.push_back(test::make_support(Support::Kind::roller, "to", Vec3::UnitZ()));
  return m;
}

Section make_circle(double diameter) {
  Section s;
  s.diameter = diameter;
  return s;
}

// A mode of the second spectrum, or one of the first, among computed frequencies.
double nearest(const std::vector<double>& omegas, double want) {
  double best = NAN;
  for (const double w : omegas)
    if (std::isnan(best) || std::abs(w - want) < std::abs(best - want)) best = w;
  return best;
}

// On short elements the shear of each is constant beside linear rotations. The first spectrum is too high by less than
// (κh)²/8; the second by that and by 1/2Φ, Φ = 12EI/(kGA h²): sections that turn in step still make each element bend.
void expect_spectra(const std::vector<double>& omegas, const Plane& plane, int n_first, int n_second, int elements,
                    const std::string& what) {
  const double h = kL / elements, Phi = kE * plane.I * 12 / (plane.shear() * h * h);
  for (int n = 1; n <= n_first; ++n) {
    const double want = std::sqrt(plane.squares(n).first);
    EXPECT_NEAR(nearest(omegas, want) / want, 1, std::pow(n * pi * h, 2) / 8) << what << ", first spectrum, " << n;
  }
  for (int n = 0; n <= n_second; ++n) {
    const double want = std::sqrt(plane.squares(n).second);
    const double error = nearest(omegas, want) / want - 1;
    EXPECT_NEAR(error, 0.5 / Phi, std::pow(n * pi * h, 2) / 8 + 0.01 / Phi) << what << ", second spectrum, " << n;
  }
}

TEST(Timoshenko, SimplySupportedInThePlane) {
  const Section thick = make_circle(0.2);
  const Results r = run_modes(simply_supported(thick, 2, 200, 40));
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  expect_spectra(test::omegas(r, "bending"), plane_of(thick, true), 4, 2, 200, "circle");
}

TEST(Timoshenko, SimplySupportedInSpace) {
  const Section circle = make_circle(0.2);
  Section rectangle = test::make_rectangle("round", 0.2, 0.3);
  rectangle.shear_y = 0.85;
  rectangle.shear_z = 0.7;
  {
    const Results r = run_modes(simply_supported(circle, 3, 60, 48));
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    EXPECT_EQ(r.modes[0].label, "rigid");  // turns about its axis
    EXPECT_EQ(r.modes[0].omega, 0);
    std::vector<double> bending;  // any plane
    for (const Mode& mode : r.modes)
      if (mode.label != "torsion" && mode.label != "axial" && mode.label != "rigid") bending.push_back(mode.omega);
    for (size_t k = 0; k + 1 < 8; k += 2) EXPECT_NEAR(bending[k + 1] / bending[k], 1, 1e-9) << "pair " << k / 2;
    expect_spectra(bending, plane_of(circle, true), 3, 0, 60, "circle");
  }
  const Results r = run_modes(simply_supported(rectangle, 3, 60, 40));
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  expect_spectra(test::omegas(r, "lag"), plane_of(rectangle, true), 4, 1, 60, "along y");
  expect_spectra(test::omegas(r, "flap"), plane_of(rectangle, false), 4, 1, 60, "along z");
  // The planes are really different.
  EXPECT_GT(plane_of(rectangle, false).squares(1).first, 1.5 * plane_of(rectangle, true).squares(1).first);
}

double error_of_mode(int mode, int elements, double diameter) {
  const Section section = make_circle(diameter);
  const Results r = run_modes(simply_supported(section, 2, elements, 12));
  const double want = std::sqrt(plane_of(section, true).squares(mode).first);
  return test::omegas(r, "bending").at(static_cast<size_t>(mode - 1)) / want - 1;
}

// As long as shear is a small part of an element's flexibility, Φ = 12EI/(kGA h²) ≪ 1, the element is a cubic one and
// of order 4; then, Φ ≫ 1, its shear is constant beside linear rotations: order 2, with the error (κh)²/24 of the
// rotation times the share of shear and rotary inertia.
TEST(Timoshenko, OrderFourThenTwo) {
  // Slender: h from 1/4 to 1/16, Φ at most 12 (d²/16)(2.6/0.9)/h² = 0.006.
  std::vector<double> slender, thick;
  for (const int n : {4, 8, 16}) slender.push_back(error_of_mode(2, n, 0.003));
  for (size_t k = 1; k < 3; ++k) {
    const double order = std::log2(slender[k - 1] / slender[k]);
    EXPECT_GT(order, 3.8) << k;
    EXPECT_LT(order, 4.2) << k;
  }
  // Thick: Φ from 22 to 350.
  for (const int n : {16, 32, 64}) thick.push_back(error_of_mode(2, n, 0.2));
  for (size_t k = 1; k < 3; ++k) {
    const double order = std::log2(thick[k - 1] / thick[k]);
    EXPECT_GT(order, 1.9) << k;
    EXPECT_LT(order, 2.1) << k;
  }
  for (const auto& errors : {slender, thick})
    for (const double e : errors) EXPECT_GT(e, 0) << "frequencies of a conforming element come from above";
}

// One element, static: PL³/3EI + PL/kGA along both section axes. The solve loses the digits between the stiffness of
// the tip and that of the element, 4 to 12: no more than some ε.
TEST(Timoshenko, OneElementDoesNotLock) {
  for (const double slenderness : {1.0, 10.0, 1e3, 1e5})
    for (const int dimension : {2, 3}) {
      Model m = make_rod({.element = "beam_timoshenko",
                          .elements = 1,
                          .dimension = dimension,
                          .length = kL,
                          .young = kE,
                          .density = kRho});
      m.sections[0] = test::make_rectangle("round", 2 * kL / slenderness, kL / slenderness);
      const Vec3 P(0, 3, dimension == 3 ? -2 : 0);
      m.bodies[0].loads = {test::make_point_load("to", P)};
      m.terms.geometric = false;
      const Results r = run_static(m);
      ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
      for (const bool along_y : {true, false}) {
        if (!along_y && dimension == 2) continue;
        const Plane plane = plane_of(m.sections[0], along_y);
        const double want = P[along_y ? 1 : 2] * (kL * kL * kL / (3 * kE * plane.I) + kL / plane.shear());
        const double got = test::column(r, "rod_displacements", along_y ? "v" : "w").back();
        EXPECT_NEAR(got / want, 1, test::roundoff(10, 1)) << slenderness << ", dimension " << dimension;
      }
    }
}

// A slender beam is Euler–Bernoulli's, with a difference that goes with (d/L)². For the simply supported beam, from the
// quadratic equation to first order: ω/ω_EB = 1 − ½(κr)²(1 + E/kG), r² = I/A; with rotary = false without the 1.
TEST(Timoshenko, SlenderBeamIsEulerBernoulli) {
  for (const bool rotary : {true, false}) {
    std::vector<double> lack;
    for (const double d : {0.02, 0.01}) {
      const Section section = make_circle(d);
      Model m = simply_supported(section, 2, 160, 2);
      m.terms.rotary = rotary;
      const Plane plane = plane_of(section, true);
      const double euler = pi * pi * std::sqrt(kE * plane.I / (kRho * plane.A));
      lack.push_back(1 - run_modes(m).modes[0].omega / euler);
      const double first_order = 0.5 * pi * pi * plane.I / plane.A * ((rotary ? 1 : 0) + kE / (plane.k * kG));
      // The next order is about (κr)² = 2e-4 of it; the mesh's error, (πh)²/24 of the shear's part, is 2e-5.
      EXPECT_NEAR(lack.back() / first_order, 1, 1e-3) << d << ", rotary " << rotary;
    }
    EXPECT_NEAR(lack[0] / lack[1], 4, 0.01);
  }
}

// Section forces by equilibrium are those of statics on any mesh, and Mz = EI γ'.
TEST(Timoshenko, CantileverUnderUniformLoad) {
  const double q = 1000;
  Model m = make_rod(
      {.element = "beam_timoshenko", .elements = 8, .dimension = 3, .length = kL, .young = kE, .density = kRho});
  m.sections[0] = test::make_rectangle("round", 0.1, 0.2);
  m.bodies[0].loads = {test::make_member_load("line", {0, q, -2 * q})};
  m.terms.geometric = false;
  const Results r = run_static(m);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  // Nodal values: tip = qL⁴/8EI + qL²/2kGA, exact since the element solves its own homogeneous equation.
  const Plane y = plane_of(m.sections[0], true), z = plane_of(m.sections[0], false);
  EXPECT_NEAR(test::column(r, "rod_displacements", "v").back() / (q / (8 * kE * y.I) + q / (2 * y.shear())), 1,
              test::roundoff(std::pow(8, 4), 1));
  EXPECT_NEAR(test::column(r, "rod_displacements", "w").back() / (-2 * q * (1 / (8 * kE * z.I) + 1 / (2 * z.shear()))),
              1, test::roundoff(std::pow(8, 4), 1));
  const auto& s = test::column(r, "rod_forces", "s");
  for (size_t i = 0; i < s.size(); ++i) {
    const double rest = kL - s[i];
    EXPECT_NEAR(test::column(r, "rod_forces", "Ty")[i], q * rest, 1e-9 * q);
    EXPECT_NEAR(test::column(r, "rod_forces", "Tz")[i], -2 * q * rest, 1e-9 * q);
    EXPECT_NEAR(test::column(r, "rod_forces", "Mz")[i], q * rest * rest / 2, 1e-9 * q);
    EXPECT_NEAR(test::column(r, "rod_forces", "My")[i], q * rest * rest, 1e-9 * q);
  }
}

}  // namespace
}  // namespace elodyn
