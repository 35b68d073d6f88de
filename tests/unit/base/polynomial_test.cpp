#include "elodyn/base/polynomial.hpp"

#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

constexpr Variable var(int k) { return {3 * k, 3, 0}; }
constexpr Variable small(int k) { return {30 + 2 * k, 2, 1}; }

double evaluate(const Polynomial& p, const std::vector<double>& big, const std::vector<double>& tiny) {
  double sum = 0;
  for (const Polynomial::Term& term : p.terms()) {
    double product = term.factor;
    for (int k = 0; k < static_cast<int>(big.size()); ++k)
      product *= std::pow(big[static_cast<size_t>(k)], var(k).power_in(term.powers));
    for (int k = 0; k < static_cast<int>(tiny.size()); ++k)
      product *= std::pow(tiny[static_cast<size_t>(k)], small(k).power_in(term.powers));
    sum += product;
  }
  return sum;
}

Polynomial product(const Polynomial& a, const Polynomial& b, int max_order = 9) {
  PolynomialSum sum(max_order);
  sum.add_product(a, b);
  return sum.take();
}

TEST(Polynomial, ProductsOfManyTerms) {
  std::mt19937 engine(1);
  std::uniform_real_distribution<double> in(-1, 1);
  PolynomialSum first(9), next(9);
  std::vector<double> at(8);
  for (double& v : at) v = in(engine);
  for (int k = 0; k < 8; ++k) {
    first.add(var(k), in(engine));
    next.add(var(7 - k), in(engine));
  }
  first.add(0.5);
  const Polynomial a = first.take(), b = next.take(), square = product(a, b), fourth = product(square, square);
  const double value = evaluate(a, at, {}) * evaluate(b, at, {});
  EXPECT_NEAR(evaluate(square, at, {}), value, 1e-13);
  EXPECT_NEAR(evaluate(fourth, at, {}), value * value, 1e-13);
  EXPECT_EQ(a.terms().size(), 9u);
  EXPECT_EQ(square.terms().size(), 36u + 8u);  // every monomial once
  std::set<std::uint64_t> monomials;
  for (const Polynomial::Term& term : fourth.terms()) EXPECT_TRUE(monomials.insert(term.powers).second);
}

TEST(Polynomial, ExactDerivatives) {
  // p = 3x²y + 2y − 1
  PolynomialSum sum(9);
  sum.add_product(product(var(0), var(0)), var(1), 3);
  sum.add(var(1), 2);
  sum.add(-1.0);
  const Polynomial p = sum.take();
  EXPECT_EQ(evaluate(derivative(p, var(0)), {5, 7}, {}), 6 * 5 * 7);
  EXPECT_EQ(evaluate(derivative(p, var(1)), {5, 7}, {}), 3 * 25 + 2);
  EXPECT_EQ(evaluate(derivative(derivative(p, var(0)), var(0)), {5, 7}, {}), 6 * 7);
  const Polynomial none = derivative(p, var(2));
  EXPECT_TRUE(none.terms().empty());
}

TEST(Polynomial, CutsOffHighOrders) {
  // (x + s + st)² to second order in s, t: x² + 2xs + 2xst + s²
  PolynomialSum sum(2);
  sum.add(var(0));
  sum.add(small(0));
  sum.add_product(small(0), small(1));
  const Polynomial p = sum.take();
  EXPECT_EQ(evaluate(product(p, p, 2), {3}, {5, 7}), 9 + 2 * 3 * 5 + 2 * 3 * 5 * 7 + 25);
  EXPECT_EQ(evaluate(product(p, p, 1), {3}, {5, 7}), 9 + 2 * 3 * 5);
  const Polynomial slope = derivative(product(p, p, 2), small(1));
  EXPECT_FALSE(slope.terms().empty());
  for (const Polynomial::Term& term : slope.terms()) EXPECT_EQ(term.order, 1);
}

}  // namespace
}  // namespace elodyn
