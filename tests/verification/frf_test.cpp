// Frequency responses against closed forms, laws (reciprocity, power, what a free body does in a shaken frame) and each
// other. Closed forms of a beam with a loss factor η: E (1 + iη) in place of E, β⁴ = ρAΩ²/(EI(1 + iη)) complex.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/models.hpp"
#include "tests/support/results.hpp"
#include "tests/support/tolerance.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elodyn/analysis/harmonic_response.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/harmonic_load.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;
using Method = FrfRequest::Method;
constexpr Complex kI{0, 1};
constexpr Method kMethods[] = {Method::direct, Method::modal, Method::craig_bampton};

HarmonicLoad make_force(const std::string& at, const Vec3& force, double phase = 0) {
  HarmonicLoad load;
  load.at = Located<std::string>{at, {}};
  load.force = force;
  load.phase = phase;
  return load;
}

FrfRequest make_request(double from, double to, int count, std::vector<HarmonicLoad> loads) {
  FrfRequest request;
  request.frequencies = {from, to, count, FrequencyRange::Spacing::linear, false, {}};
  request.excitations = std::move(loads);
  return request;
}

Results run(Model model, const FrfRequest& request) {
  model.frf = request;
  return run_analysis(model, "frf");
}

Complex response(const Results& results, const std::string& body, const std::string& output, size_t row) {
  const double amplitude = test::column(results, body + "_frf", output).at(row);
  return std::polar(amplitude, test::column(results, body + "_frf", output + "_phase").at(row) * pi / 180);
}
const std::vector<double>& frequencies(const Results& results) { return test::column(results, "rod_frf", "frequency"); }

// Phases are printed in degrees, so complex values are known to a few ε.
void expect_near(Complex found, Complex wanted, double tolerance, const std::string& what) {
  EXPECT_NEAR(found.real(), wanted.real(), tolerance * std::abs(wanted)) << what;
  EXPECT_NEAR(found.imag(), wanted.imag(), tolerance * std::abs(wanted)) << what;
}

// One linear bar element with a mass, a spring and a dashpot at its end has one axial coordinate:
//   (ρAL/3 + m) ü + (c + a·mass + b·EA/L) u̇ + (EA/L + k) u = F.
struct Oscillator {
  double m = 0, c = 0, k = 0;
  Complex receptance(double omega) const { return 1.0 / Complex(k - omega * omega * m, omega * c); }
};
Model make_oscillator(Oscillator& o, bool damped) {
  const double L = 0.5, A = pi * 25e-6, mass = 3, spring = 2e6, dashpot = damped ? 150 : 0;
  Model m = test::make_rod({.elements = 1});
  Body& body = m.bodies[0];
  LumpedMass lump;
  lump.at.value = "to";
  lump.mass = mass;
  body.masses = {lump};
  Spring s = test::make_spring("to", {spring, 0, 0}, Vec3::Zero());
  s.damping = {dashpot, 0, 0};
  body.springs = {s};
  if (damped) body.damping = {3, 1e-6, {}};
  const double bar = 210e9 * A / L, own = 7800 * A * L / 3;
  o = {own + mass, dashpot + (damped ? 3 * (own + mass) + 1e-6 * (bar + spring) : 0), bar + spring};
  return m;
}

TEST(Frf, OscillatorHasItsClosedForm) {
  Oscillator o;
  const Model m = make_oscillator(o, true);
  const double f0 = std::sqrt(o.k / o.m) / (2 * pi);
  for (const Method method : kMethods) {
    FrfRequest request = make_request(0, 3 * f0, 31, {make_force("to", {2, 0, 0}, pi / 3)});
    request.method = method;
    request.modes = 3;  // all
    const Results r = run(m, request);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    for (size_t k = 0; k < 31; ++k) {
      const double omega = 2 * pi * frequencies(r)[k];
      // 3 coordinates; the modal sum loses the distance of the bending modes, which x does not drive
      expect_near(response(r, "rod", "to_u", k), std::polar(2.0, pi / 3) * o.receptance(omega),
                  method == Method::direct ? test::roundoff(100, 1) : 1e-9, fmt::format("{}", omega));
    }
  }
}

TEST(Frf, VelocityAndAccelerationAreDerivatives) {
  Oscillator o;
  const Model m = make_oscillator(o, true);
  FrfRequest request = make_request(40, 40, 1, {make_force("to", {1, 0, 0})});
  const Complex s = kI * 2.0 * pi * 40.0, x = o.receptance(2 * pi * 40);
  request.output = FrfRequest::Output::velocity;
  expect_near(response(run(m, request), "rod", "to_u", 0), s * x, test::roundoff(100, 1), "velocity");
  request.output = FrfRequest::Output::acceleration;
  const Results r = run(m, request);
  expect_near(response(r, "rod", "to_u", 0), s * s * x, test::roundoff(100, 1), "acceleration");
  EXPECT_EQ(test::find_column(r, "rod_frf", "to_u").unit, "m/s^2");
  EXPECT_NE(r.find_table("rod_frf")->title.find("accelerance"), std::string::npos);
}

// ---- a cantilever ----

struct Cantilever {
  double L = 0.5, E = 210e9, rho = 7800, A = pi * 25e-6, I = pi * 6.25e-10 / 4, eta = 0.02;
  Complex EI() const { return E * I * (1.0 + kI * eta); }
  Complex beta(double omega) const { return std::pow(Complex(rho * A * omega * omega) / EI(), 0.25); }
  // sine and cosine, circular and hyperbolic, of βL, and 1 + cosh cos
  Complex tip_receptance(double omega) const {
    const Complex b = beta(omega), x = b * L;
    return (std::sin(x) * std::cosh(x) - std::cos(x) * std::sinh(x)) / (EI() * b * b * b * nodal(x));
  }
  Complex tip_over_root(double omega) const {
    const Complex x = beta(omega) * L;
    return (std::cosh(x) + std::cos(x)) / nodal(x);
  }
  Complex tip_over_turn(double omega) const {
    const Complex b = beta(omega), x = b * L;
    return (std::sinh(x) + std::sin(x)) / (b * nodal(x));
  }
  static Complex nodal(Complex x) { return 1.0 + std::cosh(x) * std::cos(x); }
};
Model make_cantilever(int elements = 12) {
  return test::make_rod({.element = "beam_euler_bernoulli", .elements = elements, .degree = 5});
}
// Of quintic elements: frequencies up to the third are right to (κh)⁸/…, below 1e-9 with 12; beside a resonance of
// width η a response is wrong by 2/η times that, and round-off of K is n⁴ε ≈ 1e-11.
constexpr double kBeam = 1e-7;

TEST(Frf, CantileverHasTheReceptanceOfItsClosedForm) {
  const Cantilever c;
  FrfRequest request = make_request(1, 600, 60, {make_force("to", {0, 1, 0})});
  request.loss_factor = c.eta;
  request.frequencies.cluster = true;
  request.points = {{"to", {}}};
  const Results r = run(make_cantilever(), request);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  EXPECT_GT(frequencies(r).size(), 75U);  // around 29.0, 182 and 509 Hz
  for (size_t k = 0; k < frequencies(r).size(); ++k)
    expect_near(response(r, "rod", "to_v", k), c.tip_receptance(2 * pi * frequencies(r)[k]), kBeam,
                fmt::format("{} Hz", frequencies(r)[k]));
  // The first resonance, with its width: 29.034 Hz (1.8751² …), |H| ≈ φ²/(ηω²).
  const std::vector<double>& peaks = test::column(r, "frf_peaks", "frequency");
  ASSERT_GE(peaks.size(), 3U);
  EXPECT_NEAR(peaks[0], 29.036, 0.02);
}

TEST(Frf, RootThatIsShakenHasItsClosedForm) {
  const Cantilever c;
  const double amplitude = 1e-3;
  HarmonicLoad by_displacement, by_acceleration;
  by_displacement.base_displacement = {0, amplitude, 0};
  for (const auto relative_to : {FrfRequest::RelativeTo::ground, FrfRequest::RelativeTo::frame}) {
    FrfRequest request = make_request(5, 600, 24, {by_displacement});
    request.loss_factor = c.eta;
    request.relative_to = relative_to;
    const bool ground = relative_to == FrfRequest::RelativeTo::ground;
    const Results r = run(make_cantilever(), request);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    for (size_t k = 0; k < 24; ++k) {
      const double omega = 2 * pi * frequencies(r)[k];
      const Complex wanted = amplitude * (c.tip_over_root(omega) - (ground ? 0.0 : 1.0));
      // relative to the frame two near numbers are subtracted at low frequencies; the sum is right to kBeam
      EXPECT_NEAR(std::abs(response(r, "rod", "to_v", k) - wanted), 0,
                  kBeam * std::abs(amplitude * c.tip_over_root(omega)));
    }
    by_acceleration.base_acceleration = {0, 1, 0};
    request.excitations = {by_acceleration};
    const Results a = run(make_cantilever(), request);
    for (size_t k = 0; k < 24; ++k) {
      const double omega = 2 * pi * frequencies(r)[k];
      expect_near(response(a, "rod", "to_v", k), response(r, "rod", "to_v", k) / (-omega * omega * amplitude),
                  test::roundoff(1e6, 1), "acceleration in place of displacement");
    }
  }
}

TEST(Frf, RootThatIsTurnedHasItsClosedForm) {
  const Cantilever c;
  HarmonicLoad turn;
  turn.base_rotation = {0, 0, 1e-3};
  FrfRequest request = make_request(5, 600, 24, {turn});
  request.loss_factor = c.eta;
  request.relative_to = FrfRequest::RelativeTo::ground;
  const Results r = run(make_cantilever(), request);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  for (size_t k = 0; k < 24; ++k)
    expect_near(response(r, "rod", "to_v", k), 1e-3 * c.tip_over_turn(2 * pi * frequencies(r)[k]), kBeam, "turn");
}

// What the clamp bears under a tip force is, by reciprocity, how the tip moves with the clamp: R/F = −w(L)/w(0).
TEST(Frf, ReactionsAreReciprocalToBaseMotion) {
  const Cantilever c;
  FrfRequest request = make_request(0, 600, 25, {make_force("to", {0, 1, 0})});
  request.loss_factor = c.eta;
  request.reactions = true;
  const Results r = run(make_cantilever(), request);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  for (size_t k = 1; k < 25; ++k) {
    const double omega = 2 * pi * frequencies(r)[k];
    const auto at = [&](const char* name) {
      return std::polar(test::column(r, "rod_frf_reactions", name)[k],
                        test::column(r, "rod_frf_reactions", std::string(name) + "_phase")[k] * pi / 180);
    };
    expect_near(at("from_Fy"), -c.tip_over_root(omega), kBeam, "force");
    expect_near(at("from_Mz"), -c.tip_over_turn(omega), kBeam, "moment");
  }
}

TEST(Frf, ReactionsHoldModalDampingToo) {
  // Modal damping is an internal force, so all that it takes goes in at the clamp that shakes the rod:
  // ½ Re(R̄ iΩ w₀) = ½ Ω² z^H D z > 0.
  Model m = make_cantilever();
  m.bodies[0].damping.modal = {0.03, 0.03};
  HarmonicLoad shake;
  shake.base_displacement = {0, 1e-3, 0};
  m.frf = make_request(29, 29, 1, {shake});
  m.frf->reactions = true;
  const Results r = run_analysis(m, "frf");
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  const BodySystem s = make_body_system(m, m.bodies[0]);
  const HarmonicEquation e = make_harmonic_equation(s.reduced, s.modal, s.calc_factors(0), 0);
  const HarmonicForce force(s, m.frf->excitations);
  const double omega = 2 * pi * 29;
  const auto method = make_direct_method(e, s.constraints.T().transpose() * force.columns());
  const Eigen::VectorXcd z = method->start()(omega, force.calc_factors(omega)).z;
  const double dissipated =
      0.5 * omega * omega * (s.modal.weights.cwiseSqrt().asDiagonal() * (s.modal.M_phi.transpose() * z)).squaredNorm();
  const Complex reaction = std::polar(test::column(r, "rod_frf_reactions", "from_Fy")[0],
                                      test::column(r, "rod_frf_reactions", "from_Fy_phase")[0] * pi / 180);
  const double work = 0.5 * (std::conj(reaction) * kI * omega * 1e-3).real();
  EXPECT_GT(dissipated, 0);
  EXPECT_NEAR(work / dissipated, 1, 1e-8);  // n⁴ε of K, over the sine of the phase, 0.5
}

TEST(Frf, AtZeroFrequencyIsTheStaticDeflection) {
  Model m = test::make_rod({.dimension = 3, .speed = 100});
  const Vec3 F(3, 4, 5);
  FrfRequest request = make_request(0, 10, 2, {make_force("to", F)});
  const Results frf = run(m, request);
  ASSERT_TRUE(frf.outcome.ok()) << frf.outcome.message;
  // What the force adds to the steady state; its own prestress is no part of a linear response.
  m.terms.geometric = false;
  request.excitations = {make_force("to", F)};
  const Results without = run(m, request), before = run_static(m);
  m.bodies[0].loads = {test::make_point_load("to", F)};
  const Results after = run_static(m);
  const Vec3 added = test::at_point(after, "rod", test::kDisplacement, "to") -
                     test::at_point(before, "rod", test::kDisplacement, "to");
  const std::array names = {"to_u", "to_v", "to_w"};
  for (size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(response(without, "rod", names[k], 0).real(), added[static_cast<int>(k)], 1e-8 * added.norm());
  EXPECT_LT(std::abs(response(frf, "rod", "to_v", 0)), std::abs(response(without, "rod", "to_v", 0)));  // stiffened
}

// ---- spinning bodies ----

Model make_spinning_rod(double speed, bool damped) {
  Model m = test::make_rod({.elements = 8, .degree = 5, .dimension = 3, .speed = speed, .axis = {1, 0.5, 2}});
  m.bodies[0].points.push_back(test::make_point("middle", {0.25, 0, 0}));
  if (damped) m.bodies[0].damping = {5, 2e-6, {0.01, 0.02}};
  return m;
}

// A free body does not feel its frame: shaken and turned, the frame sees it move the other way. In a spin too, where
// all of G, S, Kg, A, B, H take part.
TEST(Frf, FreeBodyStaysWhereItIs) {
  for (const double speed : {0.0, 150.0}) {
    for (const int dimension : {2, 3}) {
      Model m =
          test::make_rod({.elements = 6, .degree = 5, .dimension = dimension, .speed = speed, .through = {0.25, 0, 0}});
      m.bodies[0].supports.clear();
      HarmonicLoad base, later;
      base.base_displacement = dimension == 2 ? Vec3(1e-3, 2e-3, 0) : Vec3(1e-3, 2e-3, -1e-3);
      base.base_rotation = dimension == 2 ? Vec3(0, 0, 0.01) : Vec3(0.02, -0.03, 0.01);
      later.base_displacement = {2e-3, 0, 0};
      later.phase = pi / 2;
      FrfRequest request = make_request(17, 90, 4, {base, later});
      const Results r = run(m, request);
      ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
      // Of a rigid response the elastic forces cancel: ε K/(Ω²M), with K/M of the stiffest motion of an element.
      const double tolerance = 1e-6;
      for (size_t k = 0; k < 4; ++k)
        for (const std::string point : {"from", "to"}) {
          const Vec3 arm = m.bodies[0].find_point(point)->x - (speed != 0 ? m.bodies[0].motion.through : Vec3(0, 0, 0));
          const Vec3 X = base.base_displacement + base.base_rotation.cross(arm);
          const std::array names = {"_u", "_v", "_w"};
          for (int c = 0; c < dimension; ++c) {
            const Complex wanted = -X[c] - (c == 0 ? 2e-3 * kI : 0.0);
            EXPECT_NEAR(std::abs(response(r, "rod", point + names[static_cast<size_t>(c)], k) - wanted), 0,
                        tolerance * X.norm())
                << speed << " rad/s, dimension " << dimension << ", " << point << " " << c << ", " << frequencies(r)[k]
                << " Hz";
          }
        }
    }
  }
}

// How far a frequency is from all natural ones, relative.
double calc_gap(const std::vector<Mode>& modes, double hz) {
  double gap = 1;
  for (const Mode& mode : modes) gap = std::min(gap, std::abs(1 - std::pow(hz * 2 * pi / mode.omega, 2)));
  return gap;
}

TEST(Frf, MethodsAgreeInASpin) {
  for (const double speed : {0.0, 300.0})
    for (const bool damped : {false, true}) {
      const Model m = make_spinning_rod(speed, damped);
      FrfRequest request = make_request(3, 400, 21, {make_force("middle", {1, 2, 3})});
      const std::vector<Mode> modes = run_modes(m).modes;
      Model reduced = m;
      reduced.reduction.emplace();
      reduced.reduction->points = {{"middle", {}}, {"to", {}}};
      reduced.reduction->up_to = 4000;
      double worst = 0;
      for (const double error : test::column(run_analysis(reduced, "reduction"), "reduction_frequencies", "error"))
        worst = std::max(worst, std::abs(error));
      const Results direct = run(m, request);
      ASSERT_TRUE(direct.outcome.ok()) << direct.outcome.message;
      for (const Method method : {Method::modal, Method::craig_bampton}) {
        request.method = method;
        request.up_to = 4000;  // ten times the highest
        const Results r = run(m, request);
        ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
        EXPECT_LT(test::column(r, "frf", "error_estimate")[0], 1e-2);
        for (const char* name : {"to_u", "to_v", "to_w", "middle_rz"})
          for (size_t k = 0; k < 21; ++k) {
            const Complex a = response(direct, "rod", name, k), b = response(r, "rod", name, k);
            double size = std::abs(a);
            for (const char* other : {"to_u", "to_v", "to_w"})
              size = std::max(size, std::abs(response(direct, "rod", other, k)));
            // Modal: two terms leave (400/4000)⁴ of what the higher modes give. Craig–Bampton: the static part is
            // exact, (400/4000)² of a tenth of the response is left; a frequency that is wrong by d moves a response
            // beside it by 2d/gap.
            const double tolerance =
                method == Method::modal ? 1e-5 : 1e-3 + 2 * worst / calc_gap(modes, frequencies(r)[k]);
            EXPECT_NEAR(std::abs(a - b), 0, tolerance * size)
                << name << " " << frequencies(r)[k] << " Hz, " << speed << " rad/s, damped " << damped;
          }
      }
    }
}

TEST(Frf, EachCorrectionMakesFewModesBetter) {
  for (const double speed : {0.0, 300.0}) {
    const Model m = make_spinning_rod(speed, false);
    FrfRequest request = make_request(3, 100, 11, {make_force("middle", {0, 1, 1})});
    request.method = Method::modal;
    request.up_to = 700;
    std::vector<double> errors;
    for (request.corrections = 0; request.corrections <= 3; ++request.corrections) {
      const Results r = run(m, request);
      ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
      errors.push_back(test::column(r, "frf", "error_estimate")[0]);
    }
    // Each takes (Ω/ω)² with ω above 700 Hz, Ω up to 90 Hz; half of that is asked for, until round-off.
    for (size_t k = 1; k < errors.size(); ++k)
      EXPECT_LT(errors[k], std::max(2 * std::pow(90.0 / 700, 2) * errors[k - 1], 1e-9)) << k << " at " << speed;
    EXPECT_GT(errors[0], 1e-4);
  }
}

// The loads of a base that is shaken lie between the interface points, and reactions see them most of all.
TEST(Frf, MethodsAgreeOnReactionsOfAShakenBase) {
  const Model m = make_cantilever();
  HarmonicLoad shake;
  shake.base_displacement = {0, 1e-3, 0};
  FrfRequest request = make_request(5, 450, 21, {shake});
  request.reactions = true;
  const auto reaction = [](const Results& r, const std::string& name, size_t k) {
    return std::polar(test::column(r, "rod_frf_reactions", name)[k],
                      test::column(r, "rod_frf_reactions", name + "_phase")[k] * pi / 180);
  };
  const Results direct = run(m, request);
  ASSERT_TRUE(direct.outcome.ok()) << direct.outcome.message;
  for (const Method method : {Method::modal, Method::craig_bampton}) {
    request.method = method;
    request.up_to = 6 * 450;
    const Results r = run(m, request);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    EXPECT_TRUE(r.warnings.empty()) << r.warnings[0];
    EXPECT_LT(test::column(r, "frf", "error_estimate")[0], 1e-3);
    for (size_t k = 0; k < 21; ++k) {
      // Modes up to six times the highest frequency and two corrections leave (1/6)⁴ = 8e-4 of the higher ones' share.
      const double size = std::abs(reaction(direct, "from_Fy", k)) + std::abs(reaction(direct, "from_Mz", k)) / 0.5;
      EXPECT_LT(std::abs(reaction(r, "from_Fy", k) - reaction(direct, "from_Fy", k)), 1e-3 * size) << k;
      EXPECT_LT(std::abs(reaction(r, "from_Mz", k) - reaction(direct, "from_Mz", k)), 1e-3 * size) << k;
    }
  }
  // Modes alone do not hold them, and it is said.
  request.corrections = 0;
  const Results poor = run(m, request);
  EXPECT_GT(test::column(poor, "frf", "error_estimate")[0], 0.01);
  ASSERT_EQ(poor.warnings.size(), 1u);
  EXPECT_NE(poor.warnings[0].find("method = \"craig_bampton\" gives reactions that are wrong by"), std::string::npos)
      << poor.warnings[0];
}

TEST(Frf, WarnsOfTooFewModes) {
  FrfRequest request = make_request(5, 450, 21, {make_force("to", {0, 1, 0})});
  request.method = Method::modal;
  request.modes = 1;
  const Results r = run(make_cantilever(), request);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  EXPECT_GT(test::column(r, "frf", "error_estimate")[0], 0.01);
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_NE(r.warnings[0].find("gives outputs that are wrong by"), std::string::npos) << r.warnings[0];
  request.modes = 8;
  EXPECT_TRUE(run(make_cantilever(), request).warnings.empty());
}

Complex cross_receptance(double speed, const std::string& in, const Vec3& along, const std::string& out) {
  Model m = make_spinning_rod(speed, true);
  const Results r = run(m, make_request(70, 70, 1, {make_force(in, along)}));
  EXPECT_TRUE(r.outcome.ok()) << r.outcome.message;
  return response(r, "rod", out, 0);
}

TEST(Frf, ReciprocityNeedsTheOppositeSpin) {
  const auto forward = [](double speed) { return cross_receptance(speed, "middle", Vec3::UnitZ(), "to_v"); };
  const auto backward = [](double speed) { return cross_receptance(speed, "to", Vec3::UnitY(), "middle_w"); };
  const Complex rest = cross_receptance(0, "middle", Vec3::UnitY(), "to_v");
  expect_near(cross_receptance(0, "to", Vec3::UnitY(), "middle_v"), rest, 1e-9, "at rest");
  const Complex spinning = forward(300);
  expect_near(backward(-300), spinning, 1e-9, "G changes its sign with the spin");
  EXPECT_GT(std::abs(backward(300) - spinning), 0.1 * std::abs(spinning));
}

TEST(Frf, PowerThatGoesInIsDissipated) {
  Model m = make_spinning_rod(300, true);
  const BodySystem s = make_body_system(m, m.bodies[0]);
  HarmonicForce force(s, {make_force("middle", {1, 2, 3}), make_force("to", {0, 1, 0}, 1.0)});
  const MatrixX F = s.constraints.T().transpose() * force.columns();
  const HarmonicEquation e = make_harmonic_equation(s.reduced, s.modal, s.calc_factors(0), 0.01);
  const SparseMatrix D = s.reduced.pattern->to_matrix(s.reduced.find("D")->values);
  const auto method = make_direct_method(e, F);
  const ResponseMethod::Solver solver = method->start();
  for (const double hz : {10.0, 44.0, 67.0, 300.0}) {
    const double omega = 2 * pi * hz;
    const Eigen::VectorXcd p = force.calc_factors(omega), z = solver(omega, p).z, f = F * p, v = kI * omega * z;
    const double in = 0.5 * v.dot(f).real();
    const Eigen::VectorXcd modal = s.modal.M_phi.transpose() * v;
    const double viscous = 0.5 * (v.dot(D * v).real() + modal.dot(s.modal.weights.asDiagonal() * modal).real());
    const double structural = 0.5 * omega * 0.01 * z.dot(e.K_elastic * z).real();
    EXPECT_NEAR(in / (viscous + structural), 1, 1e-8) << hz;  // n⁴ε of the elastic energy over what is dissipated
    const Eigen::VectorXcd residual = e.apply(omega, z) - f;
    EXPECT_LT(residual.norm(), 1e-6 * f.norm());
  }
}

// ---- resonance, frequencies, threads ----

TEST(Frf, UndampedResonanceIsNamed) {
  Oscillator o;
  const Model m = make_oscillator(o, false);
  const double f0 = std::sqrt(o.k / o.m) / (2 * pi);
  for (const Method method : kMethods) {
    FrfRequest request = make_request(f0 / 2, 3 * f0 / 2, 3, {make_force("to", {1, 0, 0})});
    request.method = method;
    request.modes = 3;
    const Results r = run(m, request);
    EXPECT_EQ(r.outcome.status, "numerical failure");
    EXPECT_NE(r.outcome.message.find("Hz the response has no bound"), std::string::npos) << r.outcome.message;
    EXPECT_NE(r.outcome.message.find("damping"), std::string::npos);
    EXPECT_EQ(frequencies(r).size(), 2U);  // the others are kept
    for (const double x : test::column(r, "rod_frf", "to_u")) EXPECT_TRUE(std::isfinite(x));
  }
}

TEST(Frf, PeaksAreNotMissedByACoarseGrid) {
  Model m = make_cantilever();
  m.bodies[0].damping.modal = {1e-4, 1e-4, 1e-4};
  FrfRequest request = make_request(1, 601, 7, {make_force("to", {0, 1, 0})});
  request.points = {{"to", {}}};
  request.frequencies.cluster = true;
  const Results r = run(m, request);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  // |H| at resonance of mode k is φ²/(2ζω²), with φ² = 4/(ρAL) at the tip of a cantilever for all modes.
  const Cantilever c;
  const auto& hz = test::column(r, "frf_peaks", "frequency");
  const auto& amplitude = test::column(r, "frf_peaks", "amplitude");
  const auto& component = test::text_column(r, "frf_peaks", "component");
  size_t found = 0;
  const double roots[] = {1.875104068711961, 4.694091132974175, 7.854757438237613};
  for (size_t k = 0; k < hz.size(); ++k) {
    if (component[k] != "v") continue;
    ASSERT_LT(found, 3U);
    const double omega = std::pow(roots[found] / c.L, 2) * std::sqrt(c.E * c.I / (c.rho * c.A));
    EXPECT_NEAR(hz[k], omega / (2 * pi), 1e-6 * hz[k]);
    // the other modes add a share of 2ζ at most
    EXPECT_NEAR(amplitude[k] / (4 / (c.rho * c.A * c.L) / (2e-4 * omega * omega)), 1, 1e-3);
    ++found;
  }
  EXPECT_EQ(found, 3U);
}

// Clamped at both ends and driven in the middle: modes 1, 3, … swing there, which never turns; those in between are not
// driven. Nothing damps, so that the peaks are the natural frequencies themselves.
TEST(Frf, UndampedPeaksAreNaturalFrequencies) {
  Model m = test::make_rod({.modes = 12});
  Body& body = m.bodies[0];
  body.points.push_back(test::make_point("middle", 0.5 * body.points[1].x));
  body.members = {test::make_member("left", "from", "middle", 4), test::make_member("right", "middle", "to", 4)};
  body.supports.push_back(body.supports[0]);
  body.supports.back().at.value = "to";
  std::vector<double> bending;
  for (const Mode& mode : run_modes(m).modes)
    if (mode.label == "bending") bending.push_back(mode.omega / (2 * pi));
  ASSERT_GE(bending.size(), 4U);

  FrfRequest request =
      make_request(0.3 * bending[0], 0.5 * (bending[2] + bending[3]), 40, {make_force("middle", {0, 1, 0})});
  request.frequencies.cluster = true;
  for (const Method method : kMethods) {
    request.method = method;
    const Results r = run(m, request);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    const std::vector<double>& hz = test::column(r, "frf_peaks", "frequency");
    ASSERT_EQ(hz.size(), 2U);
    EXPECT_NEAR(hz[0], bending[0], 1e-9 * hz[0]);  // n⁴ε, as both are solved apart
    EXPECT_NEAR(hz[1], bending[2], 1e-9 * hz[1]);
    EXPECT_EQ(test::text_column(r, "frf_peaks", "component"), std::vector<std::string>(2, "v"));
    for (const double x : test::column(r, "frf_peaks", "amplitude")) EXPECT_TRUE(std::isinf(x));
  }
}

// A rod that points to the axis, beyond its divergence.
TEST(Frf, EveryMethodWarnsOfAModeThatGrows) {
  Model m = test::make_rod({.elements = 4, .speed = 1, .through = {1.5, 0, 0}});
  for (const double speed : {10.0, 3000.0})
    for (const bool damped : {false, true})
      for (const Method method : kMethods) {
        m.bodies[0].motion.speed = speed;
        m.bodies[0].damping.mass = damped ? 1 : 0;
        FrfRequest request = make_request(1, 50, 5, {make_force("to", {0, 1, 0})});
        request.method = method;
        const Results r = run(m, request);
        const bool warns = std::any_of(r.warnings.begin(), r.warnings.end(), [](const std::string& warning) {
          return warning.find("a mode grows with") != warning.npos;
        });
        EXPECT_EQ(warns, speed > 100) << speed << " " << damped << " " << static_cast<int>(method);
      }
}

TEST(Frf, SameDigitsWithOneAndTwoThreads) {
  const Model m = make_spinning_rod(300, true);
  const FrfRequest request = make_request(3, 400, 50, {make_force("middle", {1, 2, 3})});
  set_threads(1);
  const Results one = run(m, request);
  set_threads(2);
  const Results two = run(m, request);
  set_threads(0);
  EXPECT_EQ(test::column(one, "rod_frf", "to_v"), test::column(two, "rod_frf", "to_v"));
  EXPECT_EQ(test::column(one, "rod_frf", "to_w_phase"), test::column(two, "rod_frf", "to_w_phase"));
}

TEST(Frf, FreeBodyIsDrivenAsAMass) {
  Model m = test::make_rod({.elements = 4});
  m.bodies[0].supports.clear();
  const double mass = 7800 * pi * 25e-6 * 0.5;
  for (const Method method : kMethods) {
    FrfRequest request = make_request(2, 2, 1, {make_force("from", {1, 0, 0})});
    request.method = method;
    const Results r = run(m, request);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    const double omega = 2 * pi * 2;
    // As one mass, but for the stretch of the bar, (ΩL/c)²/3 = 5e-7 with c = 5189 m/s.
    EXPECT_NEAR(response(r, "rod", "to_u", 0).real() * -mass * omega * omega, 1, 1e-6);
  }
  m.bodies[0].damping = {1, 0, {}};
  FrfRequest request = make_request(2, 20, 2, {make_force("from", {1, 0, 0})});
  request.method = Method::modal;
  const Results r = run(m, request);
  EXPECT_EQ(r.outcome.status, "numerical failure");
  EXPECT_NE(r.outcome.message.find("use method = \"direct\""), std::string::npos) << r.outcome.message;
}

}  // namespace
}  // namespace elodyn
