// Spatial mechanisms, and bodies on wheels and edges, against closed forms.
#include <cmath>
#include <numbers>

#include "tests/support/mechanisms.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

using Kind = Joint::Kind;
using test::Moved;
constexpr double kPi = std::numbers::pi, kGravity = 9.81;

MotionOptions dynamic(std::vector<double> times, double tolerance) {
  MotionOptions out;
  out.times = std::move(times);
  out.tolerance = tolerance;
  return out;
}

// The conical pendulum: a point on a massless rod goes round at a steady angle α when Ω² = g / (L cos α); the rod pulls
// with m g / cos α.
TEST(SpatialMechanism, ConicalPendulum) {
  const double L = 0.8, alpha = 0.6, m = 1.7, W = std::sqrt(kGravity / (L * std::cos(alpha)));
  Model model;
  model.gravity = Vec3(0, 0, -kGravity);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  Body& bob = test::add_body(model, "bob", m, Vec3::Zero(), {{"O", Vec3::Zero()}, {"P", Vec3(0, 0, -L)}});
  bob.center = Vec3(0, 0, -L);
  // A Cardan joint: about world z, then about its own y.
  Joint& joint = test::add_joint(model, "O", Kind::universal, "ground.O", "bob.O");
  joint.axis = Vec3(0, 0, 1);
  joint.axis_b = Vec3(0, 1, 0);
  joint.position = test::number(0.3);
  joint.position_2 = test::number(-alpha);
  joint.speed = test::number(W);
  joint.speed_2 = test::number(0);
  const Moved it(model, dynamic(test::times_to(5, 50), 1e-12));
  ASSERT_EQ(it.assembly.rows.n_free, 2);
  for (Eigen::Index k = 0; k < it.motion.q.cols(); ++k) {
    const double t = it.motion.times[static_cast<size_t>(k)];
    EXPECT_NEAR(it.motion.x(0, k), 0.3 + W * t, 1e-8) << t;  // over whole turns
    EXPECT_NEAR(it.motion.x(1, k), -alpha, 1e-9) << t;
    const Vec3 P = it.point(k, "bob.P");
    EXPECT_NEAR(P[2], -L * std::cos(alpha), 1e-9);
    const auto load = it.loads(k)[0].reaction_b;
    EXPECT_NEAR(load.force.norm(), m * kGravity / std::cos(alpha), 1e-7);
    EXPECT_LE((load.force.normalized() + P / L).norm(), 1e-8);  // along the rod, towards O
  }
  EXPECT_LE(it.motion.energy_error, 1e-9);
}

// Heavy symmetric top: at a steady angle α its axis precesses with Ω where
//   Ω² (A − C) cos α − Ω C n + m g l = 0    (A across the axis through O, C about it; n the spin relative to the rest:
// ω₃ = n + Ω cos α), so C ω₃ Ω − A Ω² cos α = m g l.
TEST(SpatialMechanism, HeavyTopPrecesses) {
  const double m = 1.3, l = 0.2, A0 = 0.004, C = 0.01, alpha = 0.5, W = 4;
  const double A = A0 + m * l * l, w3 = (m * kGravity * l + A * W * W * std::cos(alpha)) / (C * W);
  Model model;
  model.gravity = Vec3(0, 0, -kGravity);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  Body& top = test::add_body(model, "top", m, Vec3(A0, A0, C), {{"O", Vec3::Zero()}, {"P", Vec3(0, 0, l)}});
  top.center = Vec3(0, 0, l);
  top.attitude = Vec3(0, alpha, 0);
  test::add_joint(model, "O", Kind::spherical, "ground.O", "top.O");
  Mechanism mechanism(model);
  Assembly assembly = assemble(mechanism, 0);
  // Spin along the axis and precession along the vertical, in body axes.
  const Vec3 w(-W * std::sin(alpha), 0, w3);
  assembly.state.v.tail<3>() = w;
  assembly.state.v.head<3>() = Eigen::AngleAxisd(alpha, Vec3::UnitY()) * w.cross(Vec3(0, 0, l));
  const MechanismMotion motion = run_mechanism(mechanism, assembly, dynamic(test::times_to(3, 30), 1e-12));
  for (Eigen::Index k = 0; k < motion.q.cols(); ++k) {
    const double t = motion.times[static_cast<size_t>(k)];
    const Vec3 G = motion.q.col(k).head<3>();
    const Vec3 want = l * Vec3(std::sin(alpha) * std::cos(W * t), std::sin(alpha) * std::sin(W * t), std::cos(alpha));
    EXPECT_LE((G - want).norm(), 1e-8) << t;
  }
  EXPECT_LE(motion.energy_error, 1e-8);
}

// Two shafts at an angle β, joined by a cross: ω₂/ω₁ = cos β / (1 − sin² β sin² θ) for θ of the driving shaft from the
// position in which its arm of the cross is in the plane across that of the shafts.
TEST(SpatialMechanism, HookesJoint) {
  const double beta = 0.5, w = 3;
  Model model;
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  test::add_body(model, "in", 1, Vec3(1, 1, 1), {{"O", Vec3::Zero()}});
  Body& out = test::add_body(model, "out", 1, Vec3(1, 1, 1), {{"O", Vec3::Zero()}});
  out.attitude = Vec3(0, 0, beta);
  const Vec3 along(std::cos(beta), std::sin(beta), 0);
  // Shafts along x and along (cos β, sin β, 0); z is across both.
  Joint& first = test::add_joint(model, "in", Kind::revolute, "ground.O", "in.O");
  first.axis = Vec3(1, 0, 0);
  Joint& second = test::add_joint(model, "out", Kind::cylindrical, "ground.O", "out.O");
  second.axis = along;
  second.axis_b = Vec3(1, 0, 0);
  second.reference = second.reference_b = Vec3(0, 0, 1);
  Joint& cross = test::add_joint(model, "cross", Kind::universal, "in.O", "out.O");
  cross.axis = Vec3(0, 0, 1);    // arm on the driving shaft
  cross.axis_b = Vec3(0, 1, 0);  // arm on the driven one
  test::add_driver(model, "in", "3*t");
  MotionOptions options;
  options.kind = MechanismRequest::Kind::kinematic;
  options.times = test::times_to(2 * kPi / w * 1.5, 90);
  const Moved it(model, options);
  // The cross holds the driven shaft's point O, and its bearing does so across the axis: twice too much.
  EXPECT_EQ(it.assembly.redundant.size(), 2u);
  for (Eigen::Index k = 0; k < it.motion.q.cols(); ++k) {
    const double theta = w * it.motion.times[static_cast<size_t>(k)], S = std::sin(theta);
    const double ratio = std::cos(beta) / (1 - std::sin(beta) * std::sin(beta) * S * S);
    EXPECT_NEAR(it.motion.x_rate(2, k), w * ratio, 1e-8) << theta;
    const double turns = std::round(theta / kPi);  // tan θ₂ = tan θ / cos β or times it, by the arm
    EXPECT_NEAR(it.motion.x(2, k) - it.motion.x(2, 0),
                std::atan(std::tan(theta - kPi * turns) * std::cos(beta)) + kPi * turns, 1e-8)
        << theta;
    EXPECT_NEAR(it.motion.x(1, k), 0, 1e-12);
  }
}

// A thin disk rolls round a circle at a steady lean θ from the vertical, which its moments of momentum determine. R:
// its radius, ρ: that of the circle of its centre, Ω: the rate of going round.
TEST(SpatialMechanism, DiskRollsInACircle) {
  const double m = 2, R = 0.3, lean = 0.35, rho = 1.1;
  const double I = m * R * R / 4, J = m * R * R / 2;
  // Axis u of the disk points to the circle's axis and down by the lean: u = (−cos θ, 0, −sin θ) at azimuth 0. Going
  // round with Ω about z, the disk's spin s about u: no slip at the contact K = centre + R e, e = (sin θ, 0, −cos θ).
  // ω = Ω z + s u; v_G = Ω ρ y; v_G + ω × R e = 0 → Ω ρ + R (Ω sin θ − s (cos² θ + sin² θ)) = 0.
  const double s_over = (rho + R * std::sin(lean)) / R;  // s = s_over Ω
  // Moments about G: H = I (ω across u) + J (ω·u) u, dH/dt = Ω z × H = R e × F, F = m(−Ω²ρ, 0, g).
  const Vec3 z(0, 0, 1), u(-std::cos(lean), 0, -std::sin(lean)), e(std::sin(lean), 0, -std::cos(lean));
  const Vec3 w1 = z + s_over * u, H1 = I * (w1 - w1.dot(u) * u) + J * w1.dot(u) * u;
  const double left = z.cross(H1)[1];                                // times Ω²
  const double from_inertia = R * e.cross(Vec3(-m * rho, 0, 0))[1];  // times Ω²
  const double from_weight = R * e.cross(Vec3(0, 0, m * kGravity))[1];
  const double W2 = from_weight / (left - from_inertia);
  ASSERT_GT(W2, 0);
  const double W = std::sqrt(W2), spin = s_over * W;
  Model model;
  model.gravity = Vec3(0, 0, -kGravity);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  Body& disk = test::add_body(model, "disk", m, Vec3(I, I, J), {{"G", Vec3::Zero()}});
  disk.place = Vec3(rho, 0, R * std::cos(lean));
  // Body z along u: a turn about y by −(π/2 + θ).
  disk.attitude = Vec3(0, -(kPi / 2 + lean), 0);
  Joint& joint = test::add_joint(model, "roll", Kind::rolling, "ground.O", "disk.G");
  joint.axis = Vec3(0, 0, 1);
  joint.axis_b = Vec3(0, 0, 1);
  joint.radius = R;
  Mechanism mechanism(model);
  Assembly assembly = assemble(mechanism, 0);
  ASSERT_EQ(assembly.rows.n_free, 3);
  const Mat3 R_WB = Eigen::AngleAxisd(-(kPi / 2 + lean), Vec3::UnitY()).toRotationMatrix();
  ASSERT_LE((R_WB.col(2) - u).norm(), 1e-12);
  assembly.state.v.head<3>() = Vec3(0, W * rho, 0);
  assembly.state.v.tail<3>() = R_WB.transpose() * (W * z + spin * u);
  const MechanismMotion motion = run_mechanism(mechanism, assembly, dynamic(test::times_to(2, 40), 1e-11));
  for (Eigen::Index k = 0; k < motion.q.cols(); ++k) {
    const double t = motion.times[static_cast<size_t>(k)];
    const Vec3 want(rho * std::cos(W * t), rho * std::sin(W * t), R * std::cos(lean));
    EXPECT_LE((motion.q.col(k).head<3>() - want).norm(), 1e-7) << t;
  }
  EXPECT_LE(motion.energy_error, 1e-8);
}

// Skate on a slope: it turns at a constant rate w, starts at rest and, by Chaplygin's closed form, does not run down:
//   v = (g sin α / w) sin w t along the edge,  x = (g sin α / 2w²) sin² wt,  y = (g sin α / 2w²)(wt − ½ sin 2wt).
TEST(SpatialMechanism, SkateOnASlope) {
  const double g = kGravity * std::sin(0.2), w = 2.5;
  Model model;
  model.gravity = Vec3(g, 0, 0);  // the plane of the slope
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  test::add_planar_body(model, "skate", 2, 0.3, {{"P", Vec3::Zero()}});
  Joint& edge = test::add_joint(model, "edge", Kind::knife_edge, "ground.O", "skate.P");
  edge.axis = Vec3(1, 0, 0);
  Mechanism mechanism(model);
  Assembly assembly = assemble(mechanism, 0);
  assembly.state.v[2] = w;
  const MechanismMotion motion = run_mechanism(mechanism, assembly, dynamic(test::times_to(6, 60), 1e-12));
  for (Eigen::Index k = 0; k < motion.q.cols(); ++k) {
    const double t = motion.times[static_cast<size_t>(k)], half = g / (2 * w * w);
    EXPECT_NEAR(motion.q(0, k), half * std::sin(w * t) * std::sin(w * t), 1e-9) << t;
    EXPECT_NEAR(motion.q(1, k), half * (w * t - 0.5 * std::sin(2 * w * t)), 1e-9) << t;
  }
}

}  // namespace
}  // namespace elodyn
