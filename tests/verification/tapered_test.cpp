// Tapered beams against closed forms: conical bars in stretching and torsion, tip deflections, mass.
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

constexpr double kE = 210e9, kRho = 7800, kG = kE / 2.6, kL = 0.4;

Model tapered(const Section& from, const Section& to, int elements, int degree, int axial_degree, int modes = 10) {
  Model m = make_rod({.elements = elements,
                      .degree = degree,
                      .axial_degree = axial_degree,
                      .dimension = 3,
                      .length = kL,
                      .modes = modes});
  m.sections = {from, to};
  m.sections[0].name = "round";
  m.sections[1].name = "tip";
  m.bodies[0].members[0].section_to.value = "tip";
  return m;
}

Section make_circle(double diameter) {
  Section s;
  s.diameter = diameter;
  return s;
}

// A cone clamped at its thick end, x from its apex, b ≥ x ≥ a.
struct Cone {
  double thick = 0.16, thin = 0.06;
  double b() const { return kL * thick / (thick - thin); }
  double a() const { return b() - kL; }
  Model model(int elements, int axial_degree) const {
    return tapered(make_circle(thick), make_circle(thin), elements, 3, axial_degree, 20);
  }
  // A ~ x²: u = sin κ(b − x)/x, u'(a) = 0:  tan κL = −κa.  ω = κ√(E/ρ)
  std::vector<double> axial(size_t count) const {
    const auto f = [&](double k) { return std::sin(k * kL) + k * a() * std::cos(k * kL); };
    auto roots = test::find_roots(f, 0.1, 0.5, count);
    for (double& k : roots) k *= std::sqrt(kE / kRho);
    return roots;
  }
  // Ip, J ~ x⁴: θ = (α j₁(κx) + β y₁(κx))/x with spherical Bessel functions, θ' = −κ(α j₂ + β y₂)/x.  ω = κ√(G/ρ)
  std::vector<double> torsion(size_t count) const {
    const auto f = [&](double k) {
      return std::sph_bessel(1, k * b()) * std::sph_neumann(2, k * a()) -
             std::sph_neumann(1, k * b()) * std::sph_bessel(2, k * a());
    };
    auto roots = test::find_roots(f, 0.1, 0.5, count);
    for (double& k : roots) k *= std::sqrt(kG / kRho);
    return roots;
  }
};

TEST(Tapered, ConicalBarInStretchingAndTorsion) {
  const Cone cone;
  for (const auto& [label, exact] : {std::pair{"axial", cone.axial(2)}, {"torsion", cone.torsion(2)}}) {
    const auto got = test::omegas(run_modes(cone.model(16, 3)), label);
    ASSERT_GE(got.size(), 2u) << label;
    for (size_t k = 0; k < 2; ++k) EXPECT_NEAR(got[k] / exact[k], 1, 1e-8) << label << k;
    for (const int degree : {1, 2, 3}) {
      const int first = degree == 1 ? 8 : degree == 2 ? 6 : 4;
      std::vector<double> errors;
      for (int level = 0; level < 3; ++level)
        errors.push_back(test::omegas(run_modes(cone.model(first << level, degree)), label).at(0) / exact[0] - 1);
      // Observed orders grow to 2, 4, 6.
      EXPECT_GT(std::log2(errors[0] / errors[1]), 2 * degree - 0.5) << label;
      EXPECT_GT(std::log2(errors[1] / errors[2]), 2 * degree - 0.2) << label;
      EXPECT_LT(std::log2(errors[1] / errors[2]), 2 * degree + 0.1) << label;
      EXPECT_GT(errors.back(), 0) << label << degree;
    }
  }
}

// Mass of a frustum from its weight, exactly; static twist T∫dx/GJ = 32 T (L/3)(d⁻³ − D⁻³)/(πG(D − d)).
TEST(Tapered, WeightAndTwistOfACone) {
  const Cone cone;
  const double D = cone.thick, d = cone.thin, T = 1000, g = 9.81;
  for (const int elements : {1, 3}) {
    Model m = cone.model(elements, 1);
    m.gravity = {0, 0, -g};
    m.terms.geometric = false;
    const Results r = run_static(m);
    const double weight = kRho * g * pi * kL / 12 * (D * D + D * d + d * d);
    EXPECT_NEAR(test::column(r, "rod_reactions", "Fz")[0] / weight, 1, test::roundoff(elements, 1));
    // Centroid of a frustum at L/4 (D² + 2Dd + 3d²)/(D² + Dd + d²) from the thick end; the weight turns by +y.
    const double arm = kL / 4 * (D * D + 2 * D * d + 3 * d * d) / (D * D + D * d + d * d);
    EXPECT_NEAR(test::column(r, "rod_reactions", "My")[0] / (-weight * arm), 1, test::roundoff(elements, 1));
    // Section forces on one element: weight of what is beyond.
    const auto &s = test::column(r, "rod_forces", "s"), &Tz = test::column(r, "rod_forces", "Tz");
    for (size_t i = 0; i < s.size(); ++i) {
      const double at = D + (d - D) * s[i] / kL;
      EXPECT_NEAR(Tz[i], -kRho * g * pi * (kL - s[i]) / 12 * (at * at + at * d + d * d), 1e-10 * weight) << i;
    }
  }
  const double twist = 32 * T * kL / 3 * (1 / (d * d * d) - 1 / (D * D * D)) / (pi * kG * (D - d));
  std::vector<double> errors;
  for (const int elements : {8, 16, 32}) {
    Model m = cone.model(elements, 1);
    m.bodies[0].loads = {test::make_point_load("to", Vec3::Zero(), {T, 0, 0})};
    errors.push_back(1 - test::column(run_static(m), "rod_displacements", "rx").back() / twist);
  }
  for (size_t k = 1; k < 3; ++k) EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), 2, 0.1);
  EXPECT_GT(errors.back(), 0) << "an assumed field is too stiff";
}

// Tip force on the thin end: PL³/(3EI)·D/d for a cone, I of the thick end; for a width that shrinks alone, with
// I = (h³/12)(c + (w − c)x/L), x from the tip: P∫x²dx/EI = (P·12/E h³)·L³/(w−c)³·((w² − c²)/2 − 2c(w−c) + c² ln(w/c)).
TEST(Tapered, TipDeflection) {
  const double P = 100, D = 0.03, d = 0.012, w = 0.04, c = 0.01, h = 0.008;
  const double cone = P * kL * kL * kL / (3 * kE * pi / 64 * std::pow(D, 4)) * D / d;
  const double strip = P * 12 / (kE * h * h * h) * std::pow(kL / (w - c), 3) *
                       ((w * w - c * c) / 2 - 2 * c * (w - c) + c * c * std::log(w / c));
  for (const bool round : {true, false})
    for (const int degree : {3, 5}) {
      std::vector<double> errors;
      for (const int level : {1, 2, 4}) {
        const int elements = (degree == 3 ? 4 : 2) * level;
        Model m = round ? tapered(make_circle(D), make_circle(d), elements, degree, 1)
                        : tapered(test::make_rectangle("", w, h), test::make_rectangle("", c, h), elements, degree, 1);
        m.bodies[0].loads = {test::make_point_load("to", {0, 0, P})};
        m.terms.geometric = false;
        const Results r = run_static(m);
        ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
        errors.push_back(1 - test::column(r, "rod_displacements", "w").back() / (round ? cone : strip));
        const auto &s = test::column(r, "rod_forces", "s"), &My = test::column(r, "rod_forces", "My");
        for (size_t i = 0; i < s.size(); ++i) EXPECT_NEAR(My[i], -P * (kL - s[i]), 1e-8 * P * kL) << i;
      }
      // The tip's displacement has the order of the energy: 2(degree − 1).
      // Observed: 3.86 and 3.91 for cubic elements; 7.39 and 7.21 for quintic ones, beyond which round-off is near.
      const double order = std::log2(errors[1] / errors[2]);
      EXPECT_GT(order, 2 * (degree - 1) - (degree == 3 ? 0.2 : 1)) << round << degree;
      EXPECT_LT(order, 2 * (degree - 1) + 0.1) << round << degree;
      EXPECT_GT(errors.back(), 0) << "an assumed field is too stiff";
      EXPECT_LT(errors.back(), degree == 3 ? 2e-5 : 2e-8) << round << degree;
    }
}

// With shear a tapered beam has shape functions of its own unloaded state: it does not lock, and one element is exact
// for a force at its end, as far as 1/EI can be integrated: to the printed errors for dimensions that halve.
TEST(Tapered, BeamWithShearDoesNotLock) {
  const double w0 = 0.02, w1 = 0.01, h = 0.015, P = 3;
  for (const double length : {0.05, kL, 20.0}) {  // stout to slender
    double bending = 0, shear = 0;
    constexpr int kSteps = 20000;
    for (int i = 0; i < kSteps; ++i) {
      const double x = (i + 0.5) / kSteps, w = w0 + (w1 - w0) * x, arm = (1 - x) * length;
      const Section here = test::make_rectangle("", w, h);
      const SectionProperties s = calc_properties(here, 0.3);
      bending += P * arm * arm / (kE * s.Iz) * length / kSteps;
      shear += P / (s.shear_y * kG * s.A) * length / kSteps;
    }
    for (const int elements : {1, 2, 5}) {
      Model m = tapered(test::make_rectangle("", w0, h), test::make_rectangle("", w1, h), elements, 3, 1);
      m.bodies[0].element.value = "beam_timoshenko";
      m.bodies[0].points[1].x = {length, 0, 0};
      m.bodies[0].loads = {test::make_point_load("to", {0, P, 0})};
      m.terms.geometric = false;
      const Results r = run_static(m);
      ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
      // The midpoint sum above is right to 1e-9.
      EXPECT_NEAR(test::column(r, "rod_displacements", "v").back() / (bending + shear), 1, elements == 1 ? 1e-6 : 1e-8)
          << length << ", " << elements;
    }
  }
  // Frequencies converge with the order of the constant shear force, 2, or faster while bending rules.
  std::vector<double> f;
  for (const int elements : {8, 16, 32, 64}) {
    Model m = tapered(test::make_rectangle("", 10 * w0, h), test::make_rectangle("", 10 * w1, h), elements, 3, 1, 6);
    m.bodies[0].element.value = "beam_timoshenko";
    f.push_back(test::omegas(run_modes(m), "lag").at(0));
  }
  const double order = std::log2((f[1] - f[2]) / (f[2] - f[3]));
  EXPECT_GT(order, 1.9);
  EXPECT_LT(order, 4.1);
  EXPECT_LT(f[2] / f[3] - 1, 1e-3);
}

// Pull of a tapered spinning beam: ∫ρAΩ²x beyond, exactly.
TEST(Tapered, PullOfASpinningCone) {
  const Cone cone;
  const double Omega = 200, D = cone.thick, d = cone.thin;
  Model m = cone.model(2, 2);
  m.bodies[0].motion.kind = Motion::Kind::spin;
  m.bodies[0].motion.speed = Omega;
  m.terms.centrifugal_stiffness = false;
  const Results r = run_static(m);
  // ∫₀ᴸ x (D + (d − D)x/L)² dx = L²(D²/12 + Dd/6 + d²/4)
  const double root = kRho * Omega * Omega * pi / 4 * kL * kL * (D * D / 12 + D * d / 6 + d * d / 4);
  EXPECT_NEAR(test::column(r, "rod_forces", "N")[0] / root, 1, test::roundoff(4, 1));
  EXPECT_NEAR(test::column(r, "rod_reactions", "Fx")[0] / -root, 1, test::roundoff(4, 1));
}

}  // namespace
}  // namespace elodyn
