#include "elodyn/base/spline.hpp"

#include <cmath>
#include <functional>

#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

CubicSpline through(std::vector<double> x, const std::function<double(double)>& f) {
  std::vector<double> y;
  for (const double xi : x) y.push_back(f(xi));
  return {std::make_shared<const std::vector<double>>(std::move(x)), std::move(y)};
}

// Not-a-knot: one cubic, whatever the knots, from the fewest that are allowed.
TEST(CubicSpline, ExactForCubics) {
  const auto f = [](double x) { return 2 - 3 * x + 0.5 * x * x + 4 * x * x * x; };
  const std::vector<std::vector<double>> meshes = {
      {-1, 0, 0.5, 2}, {-1, -0.9, 0.3, 0.35, 2}, {-1, -0.99, -0.5, 0.1, 0.2, 1.7, 1.8, 2}};
  for (const auto& mesh : meshes) {
    const CubicSpline s = through(mesh, f);
    for (double x = -1; x <= 2; x += 0.125) {
      // |f| ≤ 30; a derivative loses the ratio of the interval to the shortest one, here up to 170, each time.
      EXPECT_NEAR(s(x), f(x), test::roundoff(10, 30)) << x;
      EXPECT_NEAR(s.derivative(x), -3 + x + 12 * x * x, test::roundoff(1e3, 30)) << x;
      EXPECT_NEAR(s.second_derivative(x), 1 + 24 * x, test::roundoff(1e5, 30)) << x;
    }
  }
}

// Largest errors over the whole range, ends included, on n equal intervals of [1, 4].
struct Errors {
  double value = 0, derivative = 0, second = 0;
};
Errors measure_errors(int n) {
  std::vector<double> x;
  for (int i = 0; i <= n; ++i) x.push_back(1 + 3.0 * i / n);
  const CubicSpline s = through(x, [](double t) { return std::sin(t); });
  Errors e;
  const int samples = 7 * n;
  for (int i = 0; i <= samples; ++i) {
    const double t = i == samples ? 4 : 1 + 3.0 * i / samples;
    e.value = std::max(e.value, std::abs(s(t) - std::sin(t)));
    e.derivative = std::max(e.derivative, std::abs(s.derivative(t) - std::cos(t)));
    e.second = std::max(e.second, std::abs(s.second_derivative(t) + std::sin(t)));
  }
  return e;
}

TEST(CubicSpline, OrdersOnASine) {
  const Errors coarse = measure_errors(200), fine = measure_errors(400);
  // Errors are largest at the ends, where the fourth derivative is 0.8. The next term is one power of h further and has
  // a factor of a few: with h = 0.015 it moves the orders by some hundredths.
  EXPECT_NEAR(std::log2(coarse.value / fine.value), 4, 0.05);
  EXPECT_NEAR(std::log2(coarse.derivative / fine.derivative), 3, 0.05);
  EXPECT_NEAR(std::log2(coarse.second / fine.second), 2, 0.05);
  EXPECT_LT(fine.value, 1e-8);
}

TEST(CubicSpline, MeetsItsPointsAndIsSmooth) {
  const std::vector<double> x = {0, 1, 1.5, 3, 3.25, 5}, y = {1, -2, 0, 7, 7, -1};
  const CubicSpline s(std::make_shared<const std::vector<double>>(x), y);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(s(x[i]), y[i], test::roundoff(10, 7)) << i;
  // Both sides of an inner knot, a step of 2⁻³⁰ away: what is continuous differs by the step times the next derivative,
  // below 200 here.
  const double step = std::ldexp(1, -30);
  for (size_t i = 1; i + 1 < x.size(); ++i) {
    EXPECT_NEAR(s.derivative(x[i] - step), s.derivative(x[i] + step), 400 * step) << i;
    EXPECT_NEAR(s.second_derivative(x[i] - step), s.second_derivative(x[i] + step), 400 * step) << i;
  }
}

TEST(CubicSpline, NothingOutside) {
  const CubicSpline s = through({0, 1, 2, 3}, [](double x) { return x; });
  EXPECT_TRUE(s.contains(0) && s.contains(3) && s.contains(1.7));
  EXPECT_FALSE(s.contains(-1e-300) || s.contains(3.0000001) || s.contains(std::nan("")));
  EXPECT_THROW(s(-0.1), std::logic_error);
  EXPECT_THROW(s.derivative(3.1), std::logic_error);
  EXPECT_THROW(through({0, 1, 2}, [](double x) { return x; }), std::logic_error);
  EXPECT_THROW(through({0, 1, 1, 2}, [](double x) { return x; }), std::logic_error);
}

}  // namespace
}  // namespace elodyn
