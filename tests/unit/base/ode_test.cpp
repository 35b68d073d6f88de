#include "elodyn/base/ode.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

const OdeRate kOscillator = [](double, const VectorX& y, VectorX& rate) {
  rate.resize(2);
  rate << y[1], -4 * y[0];
};

TEST(Ode, KeepsItsToleranceAtTheAskedTimes) {
  OdeOptions options;
  options.relative = 1e-11;
  options.absolute = 1e-12;
  const OdeResult found = integrate(kOscillator, Eigen::Vector2d(1, 0), {0, 0.1, 3, 20}, options);
  ASSERT_EQ(found.times.size(), 4U);
  // Errors of about 1e-11 a step add up over some 2000 steps at most.
  for (size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(found.y(0, static_cast<Eigen::Index>(i)), std::cos(2 * found.times[i]), 2e-8);
  EXPECT_EQ(found.t_end, 20);
}

TEST(Ode, BothMethodsHaveTheirOrder) {
  const auto error_rk4 = [](int n) {
    RungeKutta4 method;
    VectorX y = Eigen::Vector2d(1, 0);
    for (int i = 0; i < n; ++i) method.step(kOscillator, 0, 1.0 / n, y);
    return std::abs(y[0] - std::cos(2.0));
  };
  EXPECT_NEAR(std::log2(error_rk4(20) / error_rk4(40)), 4, 0.1);
  // With an error per step of order 6, steps n ~ tolerance^(-1/5) and the sum of errors ~ tolerance.
  const auto steps = [](double tolerance) {
    OdeOptions options;
    options.relative = options.absolute = tolerance;
    return static_cast<double>(integrate(kOscillator, Eigen::Vector2d(1, 0), {0, 20}, options).steps);
  };
  EXPECT_NEAR(std::log10(steps(1e-10) / steps(1e-5)), 1, 0.1);
}

TEST(Ode, TheHookProjectsAndStops) {
  const OdeResult found = integrate(kOscillator, Eigen::Vector2d(1, 0), {0, 10}, {}, [](double t, VectorX& y) {
    y *= 1 / std::sqrt(y[0] * y[0] + y[1] * y[1] / 4);  // back to the ellipse of the initial energy
    return t < 1;
  });
  EXPECT_TRUE(found.stopped);
  EXPECT_EQ(found.times.size(), 1U);
  EXPECT_GE(found.t_end, 1);
  EXPECT_NEAR(found.y_end[0], std::cos(2 * found.t_end), 1e-7);
}

TEST(Ode, SaysWhereItFails) {
  const OdeRate blows_up = [](double, const VectorX& y, VectorX& rate) { rate = y.cwiseProduct(y); };
  try {
    integrate(blows_up, VectorX::Ones(1), {0, 2}, {});  // y = 1/(1 − t)
    FAIL();
  } catch (const NumericalError& error) {
    EXPECT_NE(std::string(error.what()).find("t = 1 s"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace elodyn
