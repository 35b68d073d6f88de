#include "elodyn/system/motion.hpp"

#include <cmath>

#include "tests/support/models.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

Expression formula(const std::string& text) {
  Expression e;
  EXPECT_FALSE(e.parse(text)) << text;
  return e;
}

Model make_model(int dimension, Motion::Kind kind) {
  Model m = test::make_rod({});
  m.bodies[0].dimension = dimension;
  m.bodies[0].motion.kind = kind;
  return m;
}

FactorValues factors_at(const Model& m, double t) {
  const Body& body = m.bodies[0];
  return calc_factors(m, body, make_motion_basis(m, body), t);
}

std::string error_at(const Model& m, double t) {
  try {
    factors_at(m, t);
  } catch (const NumericalError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MotionBasis, HasTheAxesThatASpatialMotionNeeds) {
  Model m = make_model(3, Motion::Kind::prescribed);
  Motion& motion = m.bodies[0].motion;
  EXPECT_TRUE(make_motion_basis(m, m.bodies[0]).axes.empty());
  EXPECT_TRUE(make_motion_basis(m, m.bodies[0]).accelerations.empty());
  motion.angular_velocity = {formula("0"), formula("4*sin(3*t)"), formula("7")};
  motion.acceleration = {formula("1 + t"), Expression(0.0), formula("-2*t^2")};
  const MotionBasis basis = make_motion_basis(m, m.bodies[0]);
  EXPECT_EQ(basis.origin, Vec3::Zero());
  EXPECT_EQ(basis.axes, (std::vector<Vec3>{Vec3::UnitY(), Vec3::UnitZ()}));
  EXPECT_EQ(basis.accelerations, (std::vector<Vec3>{Vec3::UnitX(), Vec3::UnitZ()}));
  EXPECT_EQ(basis.pairs().size(), 3u);
  const double t = 0.4;
  const FactorValues f = factors_at(m, t);
  EXPECT_EQ(f.w[0], 4 * std::sin(3 * t));
  EXPECT_EQ(f.w[1], 7);
  EXPECT_NEAR(f.e[0], 12 * std::cos(3 * t), 1e-9);  // differences of order 6: Expression promises 1e-6
  EXPECT_EQ(f.e[1], 0);
  EXPECT_EQ(f.a[0], 1 + t);
  EXPECT_NEAR(f.a[1], -2 * t * t, test::roundoff(1, 1));
  // An axis about which there is but an angular acceleration, as at the start of a turn.
  motion.angular_acceleration = {Expression(5.0), formula("12*cos(3*t)"), Expression(0.0)};
  EXPECT_EQ(make_motion_basis(m, m.bodies[0]).axes.size(), 3u);
  const FactorValues g = factors_at(m, t);
  EXPECT_EQ(g.w[0], 0);
  EXPECT_EQ(g.e[0], 5);
  EXPECT_EQ(g.e[1], 12 * std::cos(3 * t));
}

TEST(MotionBasis, DerivativeThatCannotBeFoundNamesItsAxis) {
  Model m = make_model(3, Motion::Kind::prescribed);
  m.bodies[0].motion.angular_velocity[0] = formula("sqrt(t - 1)");
  EXPECT_NEAR(factors_at(m, 5).e[0], 0.25, 1e-9);
  EXPECT_EQ(error_at(m, 1),
            "body `rod`: angular_velocity[x] = \"sqrt(t - 1)\" has no derivative that can be found at t = 1 s; give "
            "angular_acceleration");
}

// A body in its plane has z, x and y always, whatever the expressions say.
TEST(MotionBasis, OfAPlanarBody) {
  Model m = make_model(2, Motion::Kind::prescribed);
  m.bodies[0].motion.angular_velocity[2] = formula("2*t");
  m.bodies[0].motion.acceleration[2] = Expression(9.0);
  const MotionBasis basis = make_motion_basis(m, m.bodies[0]);
  EXPECT_EQ(basis.axes, (std::vector<Vec3>{Vec3::UnitZ()}));
  EXPECT_EQ(basis.accelerations, (std::vector<Vec3>{Vec3::UnitX(), Vec3::UnitY()}));
  const FactorValues f = factors_at(m, 3);
  EXPECT_EQ(f.w[0], 6);
  EXPECT_NEAR(f.e[0], 2, 1e-9);
  EXPECT_EQ(f.a, VectorX::Zero(2));
}

// Along the spin axis gravity loads a spatial body, and does not change in its frame; a planar one does not feel it.
TEST(MotionBasis, GravityAlongTheSpinAxis) {
  Model m = make_model(3, Motion::Kind::spin);
  Body& body = m.bodies[0];
  body.motion.speed = 30;
  body.motion.axis = {0, 3, 4};
  body.motion.through = {0.1, 0, 0};
  body.attitude = {0.3, -0.2, 0.5};
  const Vec3 n(0, 0.6, 0.8);
  m.gravity = calc_R_WB(body) * n * -9.81;  // against the axis
  const MotionBasis basis = make_motion_basis(m, body);
  EXPECT_EQ(basis.origin, body.motion.through);
  ASSERT_EQ(basis.axes.size(), 1u);
  EXPECT_LE((basis.axes[0] - n).norm(), test::roundoff(1, 1));
  ASSERT_EQ(basis.accelerations.size(), 1u);
  EXPECT_LE((basis.accelerations[0] - n).norm(), test::roundoff(1, 1));  // −g
  const FactorValues f = factors_at(m, 0);
  EXPECT_EQ(f.w[0], 30);
  EXPECT_EQ(f.e[0], 0);
  EXPECT_NEAR(f.a[0], 9.81, test::roundoff(1, 10));
  m.gravity = -m.gravity;
  EXPECT_LE((make_motion_basis(m, body).accelerations.at(0) + n).norm(), test::roundoff(1, 1));

  Model planar = make_model(2, Motion::Kind::spin);
  planar.bodies[0].motion.speed = 30;
  planar.gravity = {0, 0, -9.81};
  EXPECT_TRUE(make_motion_basis(planar, planar.bodies[0]).accelerations.empty());
  // Across the axis it turns backwards in the frame: −g = 9.81 (0, 1, 0) at first, a quarter of a turn later (1, 0, 0).
  m = make_model(3, Motion::Kind::spin);
  m.gravity = {0, -9.81, 0};
  EXPECT_EQ(make_motion_basis(m, m.bodies[0]).accelerations.at(0), Vec3::UnitY());
  EXPECT_TRUE(is_steady(m, m.bodies[0]));
  m.bodies[0].motion.axis = Vec3::UnitZ();
  m.bodies[0].motion.speed = 2;
  EXPECT_TRUE(has_turning_gravity(m, m.bodies[0]));
  EXPECT_FALSE(is_steady(m, m.bodies[0]));
  const MotionBasis turning = make_motion_basis(m, m.bodies[0]);
  ASSERT_EQ(turning.accelerations.size(), 2u);
  for (const double t : {0.0, 0.3, M_PI / 4}) {
    const FactorValues at = factors_at(m, t);
    const Vec3 a = at.a[0] * turning.accelerations[0] + at.a[1] * turning.accelerations[1];
    EXPECT_LE((a - 9.81 * Vec3(std::sin(2 * t), std::cos(2 * t), 0)).norm(), test::roundoff(10, 10)) << t;
  }
}

// The table of a known motion, n intervals of [0, 2].
std::shared_ptr<const MotionTable> sample(const Motion& motion, int n, bool with_e) {
  auto table = std::make_shared<MotionTable>();
  std::vector<double> times;
  for (int i = 0; i <= n; ++i) times.push_back(2.0 * i / n);
  table->start = times.front();
  table->end = times.back();
  const auto knots = std::make_shared<const std::vector<double>>(times);
  const auto column = [&](const Expression& f) {
    std::vector<double> values;
    for (const double t : times) values.push_back(f(t));
    return CubicSpline(knots, values);
  };
  for (size_t i = 0; i < 3; ++i) {
    table->a[i] = column(motion.acceleration[i]);
    table->w[i] = column(motion.angular_velocity[i]);
    if (with_e) table->e[i] = column((*motion.angular_acceleration)[i]);
  }
  return table;
}

// Columns of zeros are skipped as constant zeros are. The factors of the table differ from those of the expressions by
// the interpolation error: order 4, and order 3 where ε is the derivative of the spline.
TEST(MotionBasis, TableOfAKnownMotion) {
  Model known = make_model(3, Motion::Kind::prescribed);
  Motion& motion = known.bodies[0].motion;
  motion.acceleration = {Expression(0.0), formula("3*cos(2*t)"), formula("t*sin(t)")};
  motion.angular_velocity = {formula("5*sin(2*t)"), Expression(0.0), formula("exp(-t)")};
  motion.angular_acceleration = {formula("10*cos(2*t)"), Expression(0.0), formula("-exp(-t)")};
  const MotionBasis wanted = make_motion_basis(known, known.bodies[0]);

  struct Errors {
    double a = 0, w = 0, e = 0;
  };
  const auto measure = [&](int n, bool with_e) {
    Model tabled = make_model(3, Motion::Kind::table);
    tabled.bodies[0].motion.table = sample(motion, n, with_e);
    const MotionBasis basis = make_motion_basis(tabled, tabled.bodies[0]);
    EXPECT_EQ(basis.axes, wanted.axes);
    EXPECT_EQ(basis.accelerations, wanted.accelerations);
    Errors errors;
    for (int i = 0; i <= 7 * n; ++i) {
      const double t = 2.0 * i / (7 * n);
      const FactorValues f = factors_at(tabled, t), g = factors_at(known, t);
      errors.a = std::max(errors.a, (f.a - g.a).cwiseAbs().maxCoeff());
      errors.w = std::max(errors.w, (f.w - g.w).cwiseAbs().maxCoeff());
      errors.e = std::max(errors.e, (f.e - g.e).cwiseAbs().maxCoeff());
    }
    return errors;
  };
  // Of the next power of h = 0.05, times the 2 rad/s of the motion: some hundredths.
  constexpr double kOrder = 0.15;
  const Errors coarse = measure(40, false), fine = measure(80, false);
  EXPECT_NEAR(std::log2(coarse.a / fine.a), 4, kOrder);
  EXPECT_NEAR(std::log2(coarse.w / fine.w), 4, kOrder);
  EXPECT_NEAR(std::log2(coarse.e / fine.e), 3, kOrder);
  EXPECT_LT(fine.e, 1e-3 * 10);
  const Errors coarse_e = measure(40, true), fine_e = measure(80, true);
  EXPECT_NEAR(std::log2(coarse_e.e / fine_e.e), 4, kOrder);
}

TEST(MotionBasis, TimesOutsideOfTheTable) {
  Model m = make_model(2, Motion::Kind::table);
  Motion spin;
  spin.angular_velocity[2] = Expression(10.0);
  m.bodies[0].motion.table = sample(spin, 4, false);
  EXPECT_EQ(make_motion_basis(m, m.bodies[0]).accelerations.size(), 2u);  // planar: as ever
  EXPECT_EQ(factors_at(m, 2).w[0], 10);
  EXPECT_EQ(error_at(m, 2.5),
            "body `rod`: t = 2.5 s is not in the table of its motion, from 0 to 2 s; ask for a time between them or "
            "add rows");
  EXPECT_NE(error_at(m, -1e-9), "no error");
  EXPECT_NE(error_at(m, std::nan("")), "no error");
}

}  // namespace
}  // namespace elodyn
