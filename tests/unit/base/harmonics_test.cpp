#include "elodyn/base/harmonics.hpp"

#include <cmath>
#include <numbers>

#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

using std::numbers::pi;

// A sum of few harmonics is taken apart again, whatever their phases; none is left for the others.
TEST(Harmonics, AreThoseOfASum) {
  constexpr int n = 48;
  std::vector<double> values;
  for (int i = 0; i <= n; ++i) {
    const double a = 2 * pi * i / n;
    values.push_back(-3 + 2 * std::cos(a + 0.7) + 0.5 * std::sin(3 * a) + 0.25 * std::cos(23 * a - 1));
  }
  const std::vector<double> found = calc_harmonics(values, 23);
  ASSERT_EQ(found.size(), 24u);
  for (size_t k = 0; k < found.size(); ++k) {
    const double want = k == 0 ? 3 : k == 1 ? 2 : k == 3 ? 0.5 : k == 23 ? 0.25 : 0;
    EXPECT_NEAR(found[k], want, test::roundoff(n, 6)) << k;
  }
}

}  // namespace
}  // namespace elodyn
