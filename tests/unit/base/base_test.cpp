#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "elodyn/base/dual.hpp"
#include "elodyn/base/expression.hpp"
#include "elodyn/base/quadrature.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/model/section.hpp"

namespace elodyn {
namespace {

TEST(Quadrature, ExactForPolynomials) {
  for (int n = 1; n <= 16; ++n)
    for (int power = 0; power < 2 * n; ++power) {
      double sum = 0;
      for (const GaussPoint& g : gauss_rule(n)) sum += g.weight * std::pow(g.xi, power);
      EXPECT_NEAR(sum, 1.0 / (power + 1), 1e-15) << n << " points, power " << power;
    }
}

TEST(Expression, ValuesDerivativesAndMistakes) {
  Expression e;
  EXPECT_EQ(e(3), 0);
  ASSERT_FALSE(e.parse("10*sin(2*pi*t)"));
  EXPECT_NEAR(e(0.25), 10, 1e-14);
  EXPECT_NEAR(e.derivative(0.5).value, -20 * M_PI, 1e-13);
  const Expression copy = e;
  EXPECT_EQ(copy(0.1), e(0.1));
  ASSERT_TRUE(e.parse("10*sni(t)"));
  EXPECT_EQ(e.text(), "10*sin(2*pi*t)") << "a mistake changes nothing";
  ASSERT_FALSE(e.parse("2*3"));
  EXPECT_TRUE(e.is_constant());
  EXPECT_EQ(e.derivative(1).value, 0);
}

// Fast and slow functions, early and late: the step finds its own size. Where there is no derivative, it says so.
TEST(Expression, NamedVariables) {
  Expression e;
  ASSERT_FALSE(e.parse("12*(1 - w/4) + x", {"t", "x", "v", "w"}));
  EXPECT_EQ(e(std::array{0.0, 3.0, 2.0, 2.0}), 9);
  EXPECT_TRUE(e.uses("w"));
  EXPECT_FALSE(e.uses("t"));
  const Expression copy = e;
  EXPECT_EQ(e(std::array{0.0, 0.0, 4.0, 4.0}), 0);
  EXPECT_EQ(copy(std::array{0.0, 3.0, 2.0, 2.0}), 9);
  EXPECT_TRUE(e.parse("w"));  // of t alone
}

TEST(Expression, SecondDerivatives) {
  Expression e;
  ASSERT_FALSE(e.parse("3*sin(7*t) + t^2"));
  for (const double t : {0.0, 0.3, 5.0})
    EXPECT_NEAR(e.second_derivative(t).value, -147 * std::sin(7 * t) + 2, 1e-13) << t;
  ASSERT_FALSE(e.parse("14.66*t"));
  for (const double t : {0.0, 0.3, 500.0}) EXPECT_NEAR(e.second_derivative(t).value, 0, 1e-9) << t;
}

// Every operator and function: exact derivatives against sixth-order differences with a step of 1e-2.
TEST(Expression, DerivativesOfEveryFunction) {
  for (const char* text :
       {"-t^2*3 - 2^-t + t^0.5^2", "sin(t)*cos(2*t)/tan(t)", "asin(t/3) + acos(t/4) - atan(t)",
        "sinh(t)*cosh(t)*tanh(t)", "asinh(t) + acosh(t + 2) + atanh(t/5)", "log(t) + ln(t)*log2(t) - log10(t)",
        "exp(-t)*sqrt(t) + t^t", "atan2(t, 2)*atan2(1, t)", "sum(t, 2*t, 1)*avg(t, 3)", "min(t, 4)*max(t, 0.1, t^2)",
        "abs(-t) + sign(t)*t + rint(t)", "t < 5 && t > -5 || t == 7 ? t^3 : 0",
        "t >= 5 ? 1 : t <= 5 ? (t != 3)*t^3 : 2", "_pi*t + _e^t + pi", "1.5e-1*t^3 + .5*t"}) {
    Expression e;
    ASSERT_FALSE(e.parse(text)) << text;
    for (const double t : {0.37, 0.83}) {
      constexpr double h = 1e-2;
      double f[7];
      for (int k = 0; k < 7; ++k) f[k] = e(t + (k - 3) * h);
      const double first = (45 * (f[4] - f[2]) - 9 * (f[5] - f[1]) + (f[6] - f[0])) / (60 * h);
      const double second = (270 * (f[4] + f[2]) - 27 * (f[5] + f[1]) + 2 * (f[6] + f[0]) - 490 * f[3]) / (180 * h * h);
      // h⁶/140 of seventh derivatives, which sqrt and log have up to 1e7 here.
      EXPECT_NEAR(e.derivative(t).value, first, 1e-6 * std::max(1.0, std::abs(first))) << text;
      EXPECT_NEAR(e.second_derivative(t).value, second, 1e-5 * std::max(1.0, std::abs(second))) << text;
    }
  }
}

TEST(Expression, DerivativesOfEveryScale) {
  Expression e;
  for (const double w : {1e-3, 1.0, 1e3, 1e5})
    for (const double t : {0.0, 1.0, 1000.0}) {
      ASSERT_FALSE(e.parse("sin(" + shortest(w) + "*t)"));
      const Expression::Derivative d = e.derivative(t);
      EXPECT_NEAR(d.value / w, std::cos(w * t), 1e-6) << w << " " << t;
      EXPECT_TRUE(d.is_resolved(w)) << w << " " << t << ": " << d.error;
    }
  for (const char* text : {"t < 0.5 ? 1 : 20", "sqrt(t - 0.5)"}) {
    ASSERT_FALSE(e.parse(text));
    const Expression::Derivative d = e.derivative(0.5);
    EXPECT_FALSE(d.is_resolved(std::abs(d.value) + 20)) << text << ": " << d.value << " " << d.error;
  }
}

TEST(Dual, NestedDerivatives) {
  using D2 = Dual<Dual<double>>;
  const D2 t(Dual<double>(0.3, 1.0), Dual<double>(1.0, 0.0));
  const D2 f = sin(t * t) + cos(t) * 2.0 - t;
  EXPECT_NEAR(f.a.b, 2 * 0.3 * std::cos(0.09) - 2 * std::sin(0.3) - 1, 1e-15);
  EXPECT_NEAR(f.b.b, 2 * std::cos(0.09) - 0.36 * std::sin(0.09) - 2 * std::cos(0.3), 1e-15);
}

TEST(Text, NearestName) {
  EXPECT_EQ(nearest_name("lenght", {"length", "width"}), "length");
  EXPECT_EQ(nearest_name("xyz", {"length", "width"}), "");
  EXPECT_EQ(suggest("beem", {"beam", "plate"}), "did you mean `beam`?");
  EXPECT_EQ(suggest("q", {"beam", "plate"}), "known: beam, plate");
  EXPECT_EQ(shortest(0.1), "0.1");
}

TEST(Section, Properties) {
  Section s;
  s.shape = Section::Shape::tube;
  s.diameter = 0.02;
  s.inner_diameter = 0.016;
  const SectionProperties tube = calc_properties(s);
  EXPECT_NEAR(tube.A, M_PI / 4 * (4e-4 - 2.56e-4), 1e-18);
  EXPECT_NEAR(tube.Iz, M_PI / 64 * (1.6e-7 - 6.5536e-8), 1e-20);
  EXPECT_EQ(tube.J, tube.Iy + tube.Iz);
  s.shape = Section::Shape::rectangle;
  s.width = 0.02;   // along y: planar bending
  s.height = 0.01;  // along z
  const SectionProperties r = calc_properties(s);
  EXPECT_NEAR(r.Iz, 0.01 * 8e-6 / 12, 1e-20);
  EXPECT_NEAR(r.Iy, 0.02 * 1e-6 / 12, 1e-20);
  EXPECT_NEAR(r.J, 0.228682 * 0.02 * 1e-6, 1e-14);  // tabulated factor for 2 : 1
  EXPECT_EQ(*r.extreme_y, 0.01);
}

}  // namespace
}  // namespace elodyn
