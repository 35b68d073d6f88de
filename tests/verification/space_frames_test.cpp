// Frames in space against statics by hand, and against their symmetry.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/models.hpp"
#include "tests/support/results.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/rotation.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;
using test::make_member;
using test::make_point;
using test::make_rod;

constexpr double kE = 210e9, kG = kE / 2.6;

Model make_frame(int degree, const Section& section) {
  Model m = make_rod({.degree = degree, .axial_degree = degree == 5 ? 3 : 1, .dimension = 3});
  m.sections[0] = section;
  m.sections[0].name = "round";
  Body& b = m.bodies[0];
  b.points.clear();
  b.members.clear();
  b.supports.clear();
  return m;
}

// An arm of length a from the clamp and one of length b at right angles, pulled out of their plane:
// w = P(a³ + b³)/3EI + P a b²/GJ at the end. Turned in space as a whole, too.
TEST(SpaceFrames, BentCantileverOutOfItsPlane) {
  const double a = 1.2, b = 0.7, P = 500;
  Section round;
  round.diameter = 0.04;
  const SectionProperties s = calc_properties(round);
  const double want = P * (a * a * a + b * b * b) / (3 * kE * s.Iz) + P * a * b * b / (kG * s.J);
  for (const int degree : {3, 5})
    for (const Vec3& turn : {Vec3(0, 0, 0), Vec3(0.3, -1.1, 0.8)}) {
      const Mat3 R =
          turn.isZero() ? Mat3::Identity() : Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
      Model m = make_frame(degree, round);
      Body& body = m.bodies[0];
      body.points = {make_point("foot", Vec3::Zero()), make_point("knee", R * Vec3(a, 0, 0)),
                     make_point("end", R * Vec3(a, b, 0))};
      body.members = {make_member("thigh", "foot", "knee", 2), make_member("shin", "knee", "end", 3)};
      body.supports = {test::make_support(Support::Kind::clamp, "foot")};
      body.loads = {test::make_point_load("end", R * Vec3(0, 0, P))};
      m.terms.geometric = false;
      const Results r = run_static(m);
      ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
      const Vec3 end = test::at_point(r, "rod", test::kDisplacement, "end");
      // Round-off of some n⁴ε with n = 5 elements; the coefficients of quintic ones are about ten times as large.
      EXPECT_LT((end - R * Vec3(0, 0, want)).norm() / want, test::roundoff((degree == 5 ? 10 : 1) * std::pow(5, 4), 1));
      EXPECT_LT((test::row(r, "rod_reactions", test::kForce, 0) - R * Vec3(0, 0, -P)).norm(), 1e-9 * P);
      EXPECT_LT((test::row(r, "rod_reactions", test::kMoment, 0) - R * Vec3(-P * b, P * a, 0)).norm(), 1e-9 * P);
      // Along the thigh the torque is P b; in the shin there is none.
      const auto& member = test::text_column(r, "rod_forces", "member");
      const auto& Mx = test::column(r, "rod_forces", "Mx");
      for (size_t i = 0; i < member.size(); ++i) EXPECT_NEAR(Mx[i], member[i] == "thigh" ? P * b : 0, 1e-9 * P) << i;
    }
}

// Three bars with hinges: forces by statics, displacement from Σ EA/L t tᵀ. Bars do not bend and are not twisted. At
// the head they are joined by their torsion (apex turns with them) or by a ball joint (the head turns with none).
TEST(SpaceFrames, Tripod) {
  const Vec3 head(0.2, 0.1, 1.5), force(300, -200, -4000);
  const Vec3 feet[] = {{1, 0, 0}, {-0.6, 0.9, 0.1}, {-0.4, -1.1, -0.2}};
  Section round;
  round.diameter = 0.03;
  const double A = calc_properties(round).A;
  Mat3 T, K = Mat3::Zero();
  for (int k = 0; k < 3; ++k) {
    const Vec3 d = head - feet[k];
    T.col(k) = d.normalized();
    K += kE * A / d.norm() * T.col(k) * T.col(k).transpose();
  }
  const Vec3 N = T.inverse() * force;  // what each bar bears: Σ N t = force
  for (const int degree : {3, 5})
    for (const bool ball : {false, true}) {
      Model m = make_frame(degree, round);
      Body& b = m.bodies[0];
      b.points = {make_point("head", head)};
      for (int k = 0; k < 3; ++k) {
        const std::string name = std::string("foot") + std::to_string(k);
        b.points.push_back(make_point(name, feet[k]));
        Member bar = make_member("bar" + std::to_string(k), name, "head", 1);
        bar.release_from.axis = {false, true, true};
        bar.release_to.axis = {ball, true, true};
        b.members.push_back(bar);
        b.supports.push_back(test::make_support(Support::Kind::clamp, name));
      }
      b.loads = {test::make_point_load("head", force)};
      m.terms.geometric = false;
      const Results r = run_static(m);
      ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
      const Vec3 u = test::at_point(r, "rod", test::kDisplacement, "head"), want = K.ldlt().solve(force);
      EXPECT_LT((u - want).norm(), test::roundoff(100, want.norm())) << degree << ball;
      const auto& n = test::column(r, "rod_forces", "N");
      for (size_t i = 0; i < n.size(); ++i)
        EXPECT_NEAR(n[i], N[static_cast<int>(i / 5)], test::roundoff(100, force.norm())) << i;
      for (int k = 0; k < 3; ++k) {
        const auto i = static_cast<size_t>(k);
        EXPECT_LT((test::row(r, "rod_reactions", test::kForce, i) + N[k] * T.col(k)).norm(),
                  test::roundoff(100, force.norm()));
        EXPECT_LT(test::row(r, "rod_reactions", test::kMoment, i).norm(), 1e-9 * force.norm());
      }
    }
}

// Four columns under a rigid roof, pushed sideways and turned. The roof moves by u and tilts by θ, each column by
//   EI/h³ (12, −6h; −6h, 4h²) on (u, θ) and EA/h on xθ;   turning about z: Σ(12EI r²/h³ + GJ/h).
TEST(SpaceFrames, PortalOnFourColumns) {
  const double h = 3, a = 2, b = 1.5, F = 5000, T = 800;  // heads at (±a, ±b)
  Section round;
  round.diameter = 0.1;
  const SectionProperties s = calc_properties(round);
  const double EI = kE * s.Iz, EA = kE * s.A;
  for (const int degree : {3, 5}) {
    Model m = make_frame(degree, round);
    Body& body = m.bodies[0];
    body.points = {make_point("roof", {0, 0, h})};
    RigidLink link;
    link.from.value = "roof";
    int k = 0;
    for (const double x : {-a, a})
      for (const double y : {-b, b}) {
        const std::string n = std::to_string(k++);
        body.points.push_back(make_point("foot" + n, {x, y, 0}));
        body.points.push_back(make_point("top" + n, {x, y, h}));
        body.members.push_back(make_member("column" + n, "foot" + n, "top" + n, 2));
        body.supports.push_back(test::make_support(Support::Kind::clamp, "foot" + n));
        link.to.push_back({"top" + n, {}});
      }
    body.links = {link};
    body.loads = {test::make_point_load("roof", {F, 0, 0}, {0, 0, T})};
    m.terms.geometric = false;
    const Results r = run_static(m);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    Eigen::Matrix2d K;  // along x: the head of a column along z moves by u and turns by ry = θ, u' = θ
    K << 12, -6 * h, -6 * h, 4 * h * h;
    K *= 4 * EI / (h * h * h);
    K(1, 1) += 4 * EA / h * a * a;
    const Eigen::Vector2d x = K.inverse() * Eigen::Vector2d(F, 0);
    const double turn = T / (4 * (12 * EI * (a * a + b * b) / (h * h * h) + kG * s.J / h));
    const Vec3 u = test::at_point(r, "rod", test::kDisplacement, "roof"),
               theta = test::at_point(r, "rod", test::kRotation, "roof");
    const double tolerance = test::roundoff(std::pow(2, 4) * EA * h * h / EI, 1);  // digits lost between EA and EI
    EXPECT_LT((u - Vec3(x[0], 0, 0)).norm() / x[0], tolerance) << degree;
    EXPECT_LT((theta - Vec3(0, x[1], turn)).norm() / turn, tolerance) << degree;
    Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
    for (size_t i = 0; i < 4; ++i) {
      const Vec3 f = test::row(r, "rod_reactions", test::kForce, i);
      force += f;
      moment += body.points[1 + 2 * i].x.cross(f) + test::row(r, "rod_reactions", test::kMoment, i);
    }
    EXPECT_LT((force + Vec3(F, 0, 0)).norm(), F * tolerance);
    EXPECT_LT((moment + Vec3(0, F * h, T)).norm(), F * h * tolerance);
  }
}

// Two members in a row are one beam, whichever way each is drawn and its section's z is turned.
TEST(SpaceFrames, DirectionOfMembersDoesNotMatter) {
  Model whole = make_rod({.elements = 6, .degree = 5, .axial_degree = 2, .dimension = 3, .speed = 300, .modes = 8});
  whole.sections[0] = test::make_rectangle("round", 0.02, 0.013);
  whole.bodies[0].motion.axis = {1, 2, 3};
  const Results want = run_modes(whole);
  for (const bool reversed : {false, true})
    for (const double up : {-1.0, 1.0}) {
      Model m = whole;
      Body& b = m.bodies[0];
      b.points.push_back(make_point("middle", {0.25, 0, 0}));
      b.members = {make_member("first", "from", "middle", 3),
                   reversed ? make_member("second", "to", "middle", 3) : make_member("second", "middle", "to", 3)};
      b.members[1].orientation = Vec3(0, 0, up);
      const Results got = run_modes(m);
      ASSERT_EQ(got.modes.size(), want.modes.size());
      for (size_t k = 0; k < want.modes.size(); ++k) {
        EXPECT_NEAR(got.modes[k].omega / want.modes[k].omega, 1, 1e-9) << reversed << up;
        EXPECT_EQ(got.modes[k].label, want.modes[k].label);
      }
    }
}

// One half of a cantilever is warmer on one side: it bends by v'' = −αg there and stays straight beyond, exactly, in
// both section planes. v'' jumps though the bending moment, nothing, does not; quintic elements that share v'' are
// still exact at the nodes, since the deflections under forces and couples there have none.
TEST(SpaceFrames, HalfOfABeamIsHeatedOnOneSide) {
  const double expansion = 1.2e-5, gy = 300, gz = -200, half = 0.25;
  for (const int degree : {3, 5}) {
    Model m = make_rod({.degree = degree, .dimension = 3});
    m.materials[0].expansion = expansion;
    Body& b = m.bodies[0];
    b.points.push_back(make_point("middle", {half, 0, 0}));
    b.members = {make_member("warm", "from", "middle", 2), make_member("cold", "middle", "to", 2)};
    Load heat;
    heat.on = Located<std::string>{"warm", {}};
    heat.gradient_y = gy;
    heat.gradient_z = gz;
    b.loads = {heat};
    const Results r = run_static(m);
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    const Vec3 want = -expansion * Vec3(0, gy, gz) * (half * half / 2 + half * half);
    const Vec3 tip = test::at_point(r, "rod", test::kDisplacement, "to");
    EXPECT_LT((tip - want).norm(), 1e-11 * want.norm()) << degree;
    // Nothing holds it back: no moments. E I v'' = 31 N m is what would bend it as much.
    for (size_t i = 0; i < test::column(r, "rod_forces", "s").size(); ++i)
      EXPECT_LT(test::row(r, "rod_forces", test::kMoment, i).norm(), 1e-9) << degree << ", " << i;
  }
}

// Legs that wind up around z to a ring above, with n-fold symmetry; rectangles stand upright.
Model winding_frame(int n, const std::string& element, double speed) {
  Model m = make_frame(3, test::make_rectangle("round", 0.02, 0.03));
  Body& b = m.bodies[0];
  b.element.value = element;
  const auto name = [&](const char* what, int k) { return what + std::to_string((k + n) % n); };
  for (int k = 0; k < n; ++k) {
    const double foot = 2 * pi * k / n, top = foot + 0.7;
    b.points.push_back(make_point(name("foot", k), {std::cos(foot), std::sin(foot), 0}));
    b.points.push_back(make_point(name("top", k), {0.6 * std::cos(top), 0.6 * std::sin(top), 0.8}));
    b.members.push_back(make_member(name("leg", k), name("foot", k), name("top", k), 2));
    b.members.push_back(make_member(name("ring", k), name("top", k), name("top", k + 1), 2));
    b.supports.push_back(test::make_support(Support::Kind::clamp, name("foot", k)));
  }
  if (speed != 0) {
    b.motion.kind = Motion::Kind::spin;
    b.motion.speed = speed;
  }
  m.modes->count = 18;
  return m;
}

// Every node stands in a ring of n equal ones. With d unknowns for each of the n parts, the modes are d that are alike
// in all parts and, n = 3, d pairs; n = 4: d more that alternate.
int count_pairs(const std::vector<double>& squares, double tolerance) {
  int pairs = 0;
  for (size_t k = 0; k + 1 < squares.size(); ++k)
    if (squares[k + 1] - squares[k] < tolerance) {
      ++pairs;
      ++k;
    }
  return pairs;
}

TEST(SpaceFrames, SymmetryMakesPairs) {
  for (const char* element : {"beam_rayleigh", "beam_timoshenko"})
    for (const int n : {3, 4}) {
      const Model model = winding_frame(n, element, 0);
      const BodySystem s = make_body_system(model, model.bodies[0]);
      const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> solver(
          MatrixX(s.reduced.calc_stiffness(s.calc_factors(0))), MatrixX(s.reduced.calc_mass()), Eigen::EigenvaluesOnly);
      const VectorX& all = solver.eigenvalues();
      ASSERT_EQ(s.reduced.size() % n, 0);
      // An eigenvalue of the pencil is known to about nε of the largest (here some 1e6 of the smallest), M being well
      // conditioned for cubic elements.
      const double noise = test::roundoff(s.reduced.size(), all.maxCoeff());
      EXPECT_EQ(count_pairs({all.begin(), all.end()}, noise), s.reduced.size() / n) << element << n;
      // The program finds them, too.
      const Results r = run_modes(model);
      ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
      for (size_t k = 0; k < r.modes.size(); ++k)
        EXPECT_NEAR(std::pow(r.modes[k].omega, 2), all[static_cast<int>(k)], noise) << element << n << ", mode " << k;
    }
}

// Spinning about the axis of symmetry, the two of a pair travel with and against the spin: they part in proportion to
// the speed, and the others move with its square only.
TEST(SpaceFrames, SpinSplitsPairs) {
  const auto modes_at = [](double speed) {
    std::vector<double> w;
    for (const Mode& mode : run_modes(winding_frame(3, "beam_rayleigh", speed)).modes) w.push_back(mode.omega);
    return w;
  };
  const std::vector<double> rest = modes_at(0), slow = modes_at(0.25), fast = modes_at(0.5);
  ASSERT_EQ(slow.size(), rest.size());
  ASSERT_EQ(fast.size(), rest.size());
  int pairs = 0, singles = 0;
  for (size_t k = 0; k + 1 < 12; ++k) {
    if (rest[k + 1] - rest[k] < 1e-6 * rest[k]) {
      const double split = slow[k + 1] - slow[k];
      EXPECT_GT(split, 0.01 * 0.25) << "pair at " << rest[k];
      EXPECT_LT(split, 2 * 0.25) << "a pair of travelling waves cannot part by more than 2Ω";
      EXPECT_NEAR((fast[k + 1] - fast[k]) / split, 2, 1e-2) << "pair at " << rest[k];
      ++pairs;
      ++k;
    } else {
      // Two singles half a rad/s apart feel each other by Coriolis forces: some percent at these speeds.
      EXPECT_NEAR((fast[k] - rest[k]) / (slow[k] - rest[k]), 4, 0.05) << "single at " << rest[k];
      ++singles;
    }
  }
  EXPECT_GE(pairs, 3);
  EXPECT_GE(singles, 3);
}

}  // namespace
}  // namespace elodyn
