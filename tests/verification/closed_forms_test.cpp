// Closed forms: simply supported Rayleigh beam, bar, rotating-bar stretch, tip mass, springs, free beam, frames under
// load, damping.
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
using test::bisect;
using test::column;
using test::make_rod;
using test::make_support;

// ω² = E I k⁴ / (ρA + ρI k²), k = nπ/L
TEST(ClosedForms, SimplySupportedRayleighBeam) {
  Model m = make_rod({.elements = 20, .degree = 5, .diameter = 0.05, .modes = 6});
  m.bodies[0].supports = {make_support(Support::Kind::pin, "from"),
                          make_support(Support::Kind::roller, "to", {0, 3, 0})};
  const SectionProperties s = calc_properties(m.sections[0]);
  const Results r = run_modes(m);
  int n = 0;
  for (const Mode& mode : r.modes) {
    if (mode.label != "bending") continue;
    const double k = ++n * pi / 0.5;
    EXPECT_NEAR(mode.omega / std::sqrt(210e9 * s.Iz * std::pow(k, 4) / (7800 * (s.A + s.Iz * k * k))), 1, 1e-8) << n;
  }
  EXPECT_GE(n, 4);
}

TEST(ClosedForms, BarClampedFreeAndClampedClamped) {
  Model m =
      make_rod({.elements = 10, .axial_degree = 3, .length = 0.02, .modes = 3});  // short: axial modes are the lowest
  const double c = std::sqrt(210e9 / 7800);
  int n = 0;
  for (const Mode& mode : run_modes(m).modes)
    if (mode.label == "axial") {
      ++n;
      EXPECT_NEAR(mode.omega / ((2 * n - 1) * pi / 2 * c / 0.02), 1, 1e-7);
    }
  EXPECT_GE(n, 1);
  m.bodies[0].supports.push_back(make_support(Support::Kind::clamp, "to"));
  n = 0;
  for (const Mode& mode : run_modes(m).modes)
    if (mode.label == "axial") {
      ++n;
      EXPECT_NEAR(mode.omega / (n * pi * c / 0.02), 1, 1e-7);
    }
  EXPECT_GE(n, 1);
}

// A rotating bar stretches by ρω²/(2E)(xL² − x³/3) under the dead load; where the load follows the displacement,
// by sin(ax)/(a cos aL) − x, a = ω√(ρ/E).
TEST(ClosedForms, RotatingBarStretch) {
  const double L = 1, E = 1e9, rho = 1e3, w = 300;
  Model m = make_rod({.elements = 12, .axial_degree = 3, .length = L, .young = E, .density = rho, .speed = w});
  m.terms.centrifugal_stiffness = false;
  const Results dead = run_static(m);
  const auto &x = column(dead, "rod_displacements", "x"), &u = column(dead, "rod_displacements", "u");
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_NEAR(u[i], rho * w * w / (2 * E) * (x[i] * L * L - std::pow(x[i], 3) / 3), 1e-13);
  m.terms.centrifugal_stiffness = true;
  const Results following = run_static(m);
  const double a = w * std::sqrt(rho / E);
  const auto& u2 = column(following, "rod_displacements", "u");
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(u2[i], std::sin(a * x[i]) / (a * std::cos(a * L)) - x[i], 1e-11);
  // The pull at the root holds all of it: N(0) = EA u'(0) = EA(1/cos aL − 1).
  const double A = calc_properties(m.sections[0]).A;
  EXPECT_NEAR(column(following, "rod_forces", "N")[0] / (E * A * (1 / std::cos(a * L) - 1)), 1, 1e-9);
  EXPECT_NEAR(column(following, "rod_reactions", "Fx")[0] / (-E * A * (1 / std::cos(a * L) - 1)), 1, 1e-9);
}

// Euler–Bernoulli cantilever with a mass μ·ρAL and an inertia ι·ρAL³ at its tip, β = kL:
//   (1 + cos ch) − μβ(sin ch − cos sh) − ιβ³(sin ch + cos sh) + μιβ⁴(1 − cos ch) = 0   (cos·cosh written cos ch)
TEST(ClosedForms, TipMassAndInertia) {
  const double mu = 0.7, iota = 0.02;
  Model m = make_rod({.element = "beam_euler_bernoulli",
                      .elements = 20,
                      .degree = 5,
                      .length = 1,
                      .young = 1,
                      .density = 1e-6,
                      .modes = 4});
  m.sections[0] = test::make_general_section("round", 1e6, 1);  // ρA = EI = L = 1, axially stiff
  LumpedMass mass;
  mass.at.value = "to";
  mass.mass = mu;
  mass.inertia = iota;
  m.bodies[0].masses = {mass};
  const auto characteristic = [&](double b) {
    const double c = std::cos(b), s = std::sin(b), ch = std::cosh(b), sh = std::sinh(b);
    return (1 + c * ch) - mu * b * (s * ch - c * sh) - iota * b * b * b * (s * ch + c * sh) +
           mu * iota * std::pow(b, 4) * (1 - c * ch);
  };
  std::vector<double> roots;
  for (double b = 0.1; roots.size() < 3; b += 0.05)
    if (characteristic(b) * characteristic(b + 0.05) < 0) roots.push_back(bisect(characteristic, b, b + 0.05));
  const Results r = run_modes(m);
  for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(r.modes[k].omega / (roots[k] * roots[k]), 1, 1e-8) << k;
}

TEST(ClosedForms, MassOnSpringsAndRigidRod) {
  // A stiff light rod on two springs: bounce ω² = 2k/m, pitch ω² = 2k(L/2)²/J with end masses: J = m L²/4.
  Model m = make_rod({.elements = 2, .length = 1, .young = 1e16, .density = 1e-3, .modes = 3});
  Body& b = m.bodies[0];
  b.supports = {make_support(Support::Kind::roller, "from", {1, 0, 0})};
  for (const char* end : {"from", "to"}) {
    Spring spring;
    spring.at.value = end;
    spring.stiffness = {0, 100, 0};
    b.springs.push_back(spring);
    LumpedMass mass;
    mass.at.value = end;
    mass.mass = 2;
    b.masses.push_back(mass);
  }
  const Results r = run_modes(m);
  EXPECT_NEAR(r.modes[0].omega, std::sqrt(100 / 2.0), 1e-6);
  EXPECT_NEAR(r.modes[1].omega, std::sqrt(100 / 2.0), 1e-6);
  EXPECT_EQ(r.modes[0].label, "support");
}

TEST(ClosedForms, FreeBeamHasThreeRigidModes) {
  Model m = make_rod({.element = "beam_euler_bernoulli", .elements = 20, .degree = 5, .modes = 5});
  m.bodies[0].supports.clear();
  const Results r = run_modes(m);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(r.modes[k].omega, 0);
    EXPECT_EQ(r.modes[k].growth, 0);
    EXPECT_EQ(r.modes[k].label, "rigid");
  }
  const SectionProperties s = calc_properties(m.sections[0]);
  EXPECT_NEAR(r.modes[3].omega / (std::pow(4.730040744862704 / 0.5, 2) * std::sqrt(210e9 * s.Iz / (7800 * s.A))), 1,
              1e-8);
}

// Free to turn about its pinned root while it spins about it: the rotation costs nothing at any speed.
TEST(ClosedForms, PinnedRootSpinningKeepsItsRigidRotation) {
  for (const int elements : {1, 5, 10, 20, 40})
    for (const int degree : {3, 5}) {
      Model m = make_rod({.elements = elements, .degree = degree, .speed = 300, .modes = 2});
      m.bodies[0].supports = {make_support(Support::Kind::pin, "from")};
      const Results r = run_modes(m);
      ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
      ASSERT_EQ(r.modes.size(), 2u) << elements << " " << degree;
      EXPECT_EQ(r.modes[0].label, "rigid");
      EXPECT_EQ(r.modes[0].omega, 0) << elements << " " << degree;
      EXPECT_EQ(r.modes[0].growth, 0) << elements << " " << degree;
      EXPECT_EQ(r.modes[1].label, "bending");
      EXPECT_EQ(r.modes[1].growth, 0);
    }
}

// All modes of a free rod of few elements: as many as it has unknowns, and the same lowest ones however many are asked
// for.
TEST(ClosedForms, FreeBeamGivesAllItsModes) {
  for (const int elements : {1, 2, 3}) {
    Model m = test::make_rod({.elements = elements, .modes = 3 * (elements + 1)});
    m.bodies[0].supports.clear();
    const Results all = run_modes(m);
    ASSERT_TRUE(all.outcome.ok()) << all.outcome.message;
    ASSERT_EQ(all.modes.size(), static_cast<size_t>(3 * (elements + 1)));
    m.modes->count = 5;
    const Results few = run_modes(m);
    ASSERT_TRUE(few.outcome.ok()) << few.outcome.message;
    for (size_t k = 0; k < 5; ++k) EXPECT_NEAR(few.modes[k].omega, all.modes[k].omega, 1e-9 * all.modes[4].omega);
    for (size_t k = 0; k < 3; ++k) EXPECT_EQ(all.modes[k].label, "rigid");
  }
}

// The same with damping, and in canonical form. Stiffness damping c K gives each elastic mode λ² + cω²λ + ω² = 0.
TEST(ClosedForms, FreeDampedBeamGivesAllItsModes) {
  for (const int elements : {1, 2, 3}) {
    const auto n = static_cast<size_t>(3 * (elements + 1));
    Model m = test::make_rod({.elements = elements, .modes = static_cast<int>(n)});
    m.bodies[0].supports.clear();
    const Results undamped = run_modes(m);
    ASSERT_TRUE(undamped.outcome.ok()) << undamped.outcome.message;
    const double c = 0.1 / undamped.modes.back().omega;  // ζ = cω/2: every mode swings
    for (const ModesRequest::Form form : {ModesRequest::Form::second_order, ModesRequest::Form::canonical})
      for (const double damping : {0.0, c}) {
        m.modes->form = form;
        m.bodies[0].damping.stiffness = damping;
        const Results all = run_modes(m);
        ASSERT_TRUE(all.outcome.ok()) << all.outcome.message;
        ASSERT_EQ(all.modes.size(), n) << elements << " " << damping;
        for (size_t k = 0; k < n; ++k) {
          const double omega = undamped.modes[k].omega, growth = -damping * omega * omega / 2;
          EXPECT_NEAR(all.modes[k].growth, growth, 1e-9 * undamped.modes.back().omega);
          EXPECT_NEAR(all.modes[k].omega, std::sqrt(omega * omega - growth * growth),
                      1e-9 * undamped.modes.back().omega);
        }
      }
  }
}

// Seen from the turning frame, the translations of a free body are at ±Ω; about its centre the rotation is at 0.
TEST(ClosedForms, FreeSpinningBeam) {
  Model m = make_rod({.elements = 10, .degree = 5, .length = 0.5, .speed = 200, .through = {0.25, 0, 0}, .modes = 6});
  m.bodies[0].supports.clear();
  const Results r = run_modes(m);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  int at_speed = 0, at_zero = 0;
  for (const Mode& mode : r.modes)
    if (mode.label == "rigid") {
      // The double root is defective: round-off moves it by about √ε.
      if (std::abs(mode.omega - 200) < 1e-2) ++at_speed;
      if (mode.omega < 1e-2) ++at_zero;
      EXPECT_LT(std::abs(mode.growth), 1e-2);
    }
  EXPECT_EQ(at_speed, 2);
  EXPECT_GE(at_zero, 1);
}

// An L of a column (clamped at the ground) and an arm under gravity: statically determinate, by hand.
TEST(ClosedForms, BentCantileverUnderGravity) {
  const double h = 2, l = 1.5, A = 1e-3, I = 2e-7, E = 200e9, rho = 8000, g = 9.81;
  Model m = make_rod({.element = "beam_rayleigh", .young = E, .density = rho});
  m.gravity = {0, -g, 0};
  m.sections[0] = test::make_general_section("round", A, I);
  m.sections[0].extreme_y = 0.02;
  for (const int degree : {3, 5}) {
    Body& b = m.bodies[0];
    b.degree = degree;
    b.points.clear();
    for (const auto& [name, x] : {std::pair{"foot", Vec3(0, 0, 0)}, {"knee", Vec3(0, h, 0)}, {"end", Vec3(l, h, 0)}}) {
      Point p;
      p.name = name;
      p.x = x;
      b.points.push_back(p);
    }
    Member column_member, arm;
    column_member.name = "column";
    column_member.from.value = "foot";
    column_member.to.value = "knee";
    column_member.elements.value = 4;
    arm.name = "arm";
    arm.from.value = "knee";
    arm.to.value = "end";
    arm.elements.value = 3;
    b.members = {column_member, arm};
    b.supports = {make_support(Support::Kind::clamp, "foot")};
    m.terms.geometric = false;  // first-order theory by hand
    const Results r = run_static(m);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    const double q = rho * A * g;
    EXPECT_NEAR(column(r, "rod_reactions", "Fy")[0], q * (h + l), 1e-9 * q);
    EXPECT_NEAR(column(r, "rod_reactions", "Fx")[0], 0, 1e-9 * q);
    EXPECT_NEAR(column(r, "rod_reactions", "Mz")[0], q * l * l / 2, 1e-8 * q);
    // End of the arm: −(q l⁴/8EI + (q l²/2)(h/EI) l + shortening of the column q(h²/2 + l h)/EA).
    const double v =
        -(q * std::pow(l, 4) / (8 * E * I) + q * l * l / 2 * h / (E * I) * l + q * (h * h / 2 + l * h) / (E * A));
    EXPECT_NEAR(column(r, "rod_displacements", "v").back() / v, 1, 1e-10) << degree;
    // The part of the arm beyond s pulls down with T = −q(l−s) and bends by M = −q(l−s)²/2; the column carries all of
    // it.
    const auto &s = column(r, "rod_forces", "s"), &N = column(r, "rod_forces", "N"), &T = column(r, "rod_forces", "T"),
               &M = column(r, "rod_forces", "M");
    const auto& member = std::get<std::vector<std::string>>(r.find_table("rod_forces")->columns[0].values);
    for (size_t i = 0; i < s.size(); ++i) {
      const bool on_arm = member[i] == "arm";
      EXPECT_NEAR(N[i], on_arm ? 0 : -q * (h - s[i] + l), 1e-8 * q) << i;
      EXPECT_NEAR(T[i], on_arm ? -q * (l - s[i]) : 0, 1e-8 * q) << i;
      EXPECT_NEAR(M[i], on_arm ? -q * std::pow(l - s[i], 2) / 2 : -q * l * l / 2, 1e-8 * q) << i;
    }
    const auto& top = column(r, "rod_forces", "stress_top");
    EXPECT_NEAR(top[0], -q * (h + l) / A + q * l * l / 2 * 0.02 / I, 1e-6 * std::abs(top[0]));
  }
}

// Portal with pinned feet under a uniform load on its beam: thrust H = w l²/(4h(2k + 3)), k = h/l for equal sections.
TEST(ClosedForms, PortalFrameThrust) {
  const double h = 3, l = 4, w = 1000;
  Model m = make_rod({.element = "beam_euler_bernoulli", .young = 1e9, .density = 1});
  m.sections[0] = test::make_general_section("round", 1e3, 1e-3);  // so stiff axially that the frame does not lengthen
  Body& b = m.bodies[0];
  b.points.clear();
  for (const auto& [name, x] :
       {std::pair{"A", Vec3(0, 0, 0)}, {"B", Vec3(0, h, 0)}, {"C", Vec3(l, h, 0)}, {"D", Vec3(l, 0, 0)}}) {
    Point p;
    p.name = name;
    p.x = x;
    b.points.push_back(p);
  }
  b.members.clear();
  for (const auto& [name, from, to] : {std::tuple{"left", "A", "B"}, {"beam", "B", "C"}, {"right", "D", "C"}}) {
    Member member;
    member.name = name;
    member.from.value = from;
    member.to.value = to;
    member.elements.value = 4;
    b.members.push_back(member);
  }
  b.supports = {make_support(Support::Kind::pin, "A"), make_support(Support::Kind::pin, "D")};
  Load load;
  load.on = Located<std::string>{"beam", {}};
  load.force_per_length = {0, -w, 0};
  b.loads = {load};
  m.terms.geometric = false;
  const Results r = run_static(m);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  const double thrust = w * l * l / (4 * h * (2 * h / l + 3));
  // Axial flexibility changes H by about I/(A h²) = 1e-7.
  EXPECT_NEAR(column(r, "rod_reactions", "Fx")[0] / thrust, 1, 1e-6);
  EXPECT_NEAR(column(r, "rod_reactions", "Fx")[1] / -thrust, 1, 1e-6);
  EXPECT_NEAR(column(r, "rod_reactions", "Fy")[0], w * l / 2, 1e-6 * w);
}

// Beam column: the compressed cantilever deflects more, by tan(kL)/(kL)-like factors; M at the clamp by second-order
// theory.
TEST(ClosedForms, BeamColumnSecondOrder) {
  const double L = 2, E = 200e9, I = 1e-8, P = 500, F = 3;
  Model m =
      make_rod({.element = "beam_euler_bernoulli", .elements = 20, .degree = 5, .length = L, .young = E, .density = 1});
  m.sections[0] = test::make_general_section("round", 1e-3, I);
  Load load;
  load.at = Located<std::string>{"to", {}};
  load.force = {-P, F, 0};
  m.bodies[0].loads = {load};
  const Results r = run_static(m);
  const double k = std::sqrt(P / (E * I));
  EXPECT_NEAR(column(r, "rod_displacements", "v").back() / (F / (P * k) * (std::tan(k * L) - k * L)), 1, 1e-8);
  EXPECT_NEAR(column(r, "rod_forces", "M")[0] / (F * std::tan(k * L) / k), 1, 1e-7);
  EXPECT_NEAR(column(r, "rod_reactions", "Mz")[0] / (-F * std::tan(k * L) / k), 1, 1e-7);
}

// Rayleigh damping: 2ζω = α + βω² for every mode; modal damping: the ζ asked for.
TEST(ClosedForms, Damping) {
  Model m = make_rod({.elements = 10, .modes = 4});
  const Results undamped = run_modes(m);
  m.bodies[0].damping = {2.0, 1e-5, {}};
  const Results rayleigh = run_modes(m);
  for (size_t k = 0; k < 4; ++k) {
    const double w = undamped.modes[k].omega, decay = (2.0 + 1e-5 * w * w) / 2;
    EXPECT_NEAR(rayleigh.modes[k].growth / -decay, 1, 1e-7) << k;
    EXPECT_NEAR(rayleigh.modes[k].omega / std::sqrt(w * w - decay * decay), 1, 1e-9) << k;
  }
  m.bodies[0].damping = {0, 0, {0.01, 0.03}};
  const Results modal = run_modes(m);
  const double want[] = {0.01, 0.03, 0, 0};
  for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(-modal.modes[k].growth / undamped.modes[k].omega, want[k], 1e-9) << k;
}

// Damping does not move the rigid motions of a free body away from zero; mass damping stops them with its own rate.
TEST(ClosedForms, FreeDampedBeam) {
  Model m = make_rod({.elements = 10, .modes = 8});
  m.bodies[0].supports.clear();
  m.bodies[0].damping = {0, 1e-6, {}};
  const Results stiffness = run_modes(m);
  ASSERT_TRUE(stiffness.outcome.ok()) << stiffness.outcome.message;
  for (size_t k = 0; k < 3; ++k) EXPECT_EQ(stiffness.modes[k].growth, 0);
  EXPECT_EQ(stiffness.modes[3].label, "bending");
  EXPECT_NEAR(stiffness.modes[3].growth / (-0.5e-6 * std::pow(stiffness.modes[3].omega, 2)), 1, 1e-3);
  m.bodies[0].damping = {3, 0, {}};
  const Results mass = run_modes(m);
  for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(mass.modes[k].growth, k < 3 ? 0 : -3, 1e-12) << k;
  EXPECT_NEAR(mass.modes[6].growth, -1.5, 1e-9);
}

// A rod that hangs from a pin is held by its weight alone: pendulum frequency and deflection; upside down it falls.
TEST(ClosedForms, PendulumOfWeight) {
  const double L = 0.5, g = 9.81;
  Model m = make_rod({.elements = 4, .degree = 5, .length = L, .modes = 2});
  m.bodies[0].supports = {make_support(Support::Kind::pin, "from")};
  m.gravity = {g, 0, 0};
  const Results hanging = run_modes(m);
  // ω² = 3g/2L of a thin rigid rod; rotary inertia and bending change it by (d/L)² and (ω/ω₁)², below 1e-3.
  EXPECT_NEAR(hanging.modes[0].omega / std::sqrt(1.5 * g / L), 1, 1e-3);
  Load load;
  load.at = Located<std::string>{"to", {}};
  load.force = {0, 0.1, 0};
  m.bodies[0].loads = {load};
  const double mass = 7800 * calc_properties(m.sections[0]).A * L;
  EXPECT_NEAR(column(run_static(m), "rod_displacements", "v").back() / (0.1 * L / (mass * g / 2)), 1, 1e-2);
  m.bodies[0].loads.clear();
  m.gravity = {-g, 0, 0};
  const Results falling = run_modes(m);
  EXPECT_NEAR(falling.modes[0].growth / std::sqrt(1.5 * g / L), 1, 1e-3);
  ASSERT_EQ(falling.warnings.size(), 1u);
}

// A prescribed motion frozen at an instant equals the spin of the same speed.
TEST(ClosedForms, PrescribedMotionEqualsSpin) {
  Model spin = make_rod({.elements = 10, .degree = 5, .speed = 250, .through = {-0.2, 0, 0}, .modes = 5});
  Model prescribed = spin;
  Motion& motion = prescribed.bodies[0].motion;
  motion.kind = Motion::Kind::prescribed;
  ASSERT_FALSE(motion.angular_velocity[2].parse("250 + 3*sin(t - 2)"));
  // At t = 2: w = 250, e = 3; the origin is 0.2 m from the axis.
  ASSERT_FALSE(motion.acceleration[0].parse("-0.2*250^2"));
  ASSERT_FALSE(motion.acceleration[1].parse("0.2*3*cos(t - 2)"));
  prescribed.modes->time = 2;
  prescribed.terms.euler = false;
  const Results a = run_modes(spin), b = run_modes(prescribed);
  ASSERT_TRUE(b.outcome.ok()) << b.outcome.message;
  for (size_t k = 0; k < 5; ++k)
    EXPECT_NEAR(b.modes[k].omega / a.modes[k].omega, 1, 1e-6) << k;  // a_y adds a bending pull only
  // The derivative of the angular velocity, found by differences, drives the Euler load. Alone and to first order the
  // clamp must turn the rod:  Mz = ε(∫ρA(0.2 + x)x dx + ρIz L).
  prescribed.terms = {.centrifugal_stiffness = false, .centrifugal_load = false, .geometric = false};
  motion.acceleration[0] = Expression(0.0);  // else the rod stretches, and ε acts on that too
  prescribed.static_ = StaticRequest{};
  prescribed.static_->time = 2;
  const SectionProperties s = calc_properties(spin.sections[0]);
  const double root = 7800 * 3 * (s.A * (0.2 * 0.125 + 0.125 / 3) + s.Iz * 0.5);
  EXPECT_NEAR(column(run_static(prescribed), "rod_reactions", "Mz")[0] / root, 1, 1e-9);
}

}  // namespace
}  // namespace elodyn
