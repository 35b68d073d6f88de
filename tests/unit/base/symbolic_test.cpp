// How expressions are written: the same in every run, and as people write them.
#include "elodyn/base/symbolic.hpp"

#include <gtest/gtest.h>

namespace elodyn {
namespace {

class Written : public testing::Test {
 protected:
  Symbolic L = Symbolic::symbol("L", "L"), A = Symbolic::symbol("A", "A"), rho = Symbolic::symbol("rho", "\\rho"),
           w = Symbolic::symbol("omega_z", "\\omega_z");
};

TEST_F(Written, NumbersAndProducts) {
  EXPECT_EQ(Symbolic(0).text(), "0");
  EXPECT_EQ(Symbolic(0).latex(), "0");
  EXPECT_EQ(Symbolic(-3).text(), "-3");
  EXPECT_EQ((Symbolic(1) / Symbolic(3)).text(), "1/3");
  EXPECT_EQ((Symbolic(-1) / Symbolic(3)).latex(), "-\\frac{1}{3}");
  EXPECT_EQ(Symbolic(0.375).text(), "3/8");  // doubles come in exactly
  EXPECT_EQ((rho * L * A).text(), "A*L*rho");
  EXPECT_EQ((-rho).text(), "-rho");
  EXPECT_EQ((Symbolic(13) * rho * A * L / Symbolic(35)).text(), "13*A*L*rho/35");
  EXPECT_EQ((Symbolic(13) * rho * A * L / Symbolic(35)).latex(), "\\frac{13 A L \\rho}{35}");
  EXPECT_EQ((w * w * A).text(), "A*omega_z^2");
  EXPECT_EQ((w * w * A).latex(), "A \\omega_z^{2}");
}

TEST_F(Written, Denominators) {
  EXPECT_EQ((Symbolic(12) * A / (L * L * L)).text(), "12*A/L^3");
  EXPECT_EQ((A / (Symbolic(5) * L)).text(), "A/(5*L)");
  EXPECT_EQ((A / (Symbolic(5) * L)).latex(), "\\frac{A}{5 L}");
  EXPECT_EQ((A / (Symbolic(1) + L)).text(), "A/(1 + L)");
  EXPECT_EQ((A / (Symbolic(2) * (Symbolic(1) + L) * (Symbolic(1) + L))).simplified().latex(),
            "\\frac{A}{2 \\left(1 + L\\right)^{2}}");
  // The sign of a sum below goes before the fraction.
  EXPECT_EQ((A / (Symbolic(-1) - L)).text(), "-A/(1 + L)");
  EXPECT_EQ((A / (rho - L)).simplified().text(), "-A/(L - rho)");
  // A sum above a sum is one fraction.
  EXPECT_EQ(((A + rho) / (Symbolic(1) + L)).text(), "(A + rho)/(1 + L)");
  EXPECT_EQ(((A + rho) / (Symbolic(1) + L)).latex(), "\\frac{A + \\rho}{1 + L}");
  EXPECT_EQ(((A + rho) / (Symbolic(2) + Symbolic(2) * L)).simplified().latex(),
            "\\frac{A + \\rho}{2 \\left(1 + L\\right)}");
}

TEST_F(Written, TermsAreSortedWithTheirSigns) {
  EXPECT_EQ((rho - A + L).text(), "-A + L + rho");
  EXPECT_EQ((L + rho - A).text(), "-A + L + rho");
  EXPECT_EQ((A * L - rho / Symbolic(2) - Symbolic(7)).latex(), (Symbolic(-7) + A * L - rho / Symbolic(2)).latex());
  // Symbols made in another order stand in the same one.
  const Symbolic z = Symbolic::symbol("z", "z"), y = Symbolic::symbol("y", "y"), x = Symbolic::symbol("x", "x");
  EXPECT_EQ((z * y - x * z + Symbolic(2) * y * x).text(), "2*x*y - x*z + y*z");
}

TEST_F(Written, WhatIsZeroLooksZero) {
  EXPECT_EQ(((A + L) * (A - L) - A * A + L * L).text(), "0");
  EXPECT_EQ((A / (A + L) + L / (A + L) - Symbolic(1)).simplified().text(), "0");
}

TEST_F(Written, RegularOrNot) {
  MatrixOf<Symbolic> m(2, 2);
  m << A, L, L, L * L / A;
  EXPECT_FALSE(is_regular(m));
  m(1, 1) += rho;
  EXPECT_TRUE(is_regular(m));
}

}  // namespace
}  // namespace elodyn
