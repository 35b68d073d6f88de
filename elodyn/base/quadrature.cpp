#include "elodyn/base/quadrature.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

constexpr int kLargestRule = 16;

// Newton on the Legendre polynomial P_n, in long double so that the table is exact to the last bit or so.
std::vector<GaussPoint> make_rule(int n) {
  std::vector<GaussPoint> rule(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    long double x = std::cos(std::numbers::pi_v<long double> * (i + 0.75L) / (n + 0.5L));
    long double dp = 1;
    for (int iteration = 0; iteration < 100; ++iteration) {
      long double p0 = 1, p1 = x;
      for (int k = 2; k <= n; ++k) {
        const long double p2 = ((2 * k - 1) * x * p1 - (k - 1) * p0) / k;
        p0 = p1;
        p1 = p2;
      }
      dp = n * (x * p1 - p0) / (x * x - 1);
      const long double step = p1 / dp;
      x -= step;
      if (std::abs(step) < 1e-19L) break;
    }
    const long double w = 2 / ((1 - x * x) * dp * dp);
    rule[static_cast<size_t>(n - 1 - i)] = {static_cast<double>((1 + x) / 2), static_cast<double>(w / 2)};
  }
  return rule;
}

}  // namespace

const std::vector<GaussPoint>& gauss_rule(int n) {
  static const auto rules = [] {
    std::array<std::vector<GaussPoint>, kLargestRule + 1> all;
    for (int k = 1; k <= kLargestRule; ++k) all[static_cast<size_t>(k)] = make_rule(k);
    return all;
  }();
  ELODYN_REQUIRE(n >= 1 && n <= kLargestRule);
  return rules[static_cast<size_t>(n)];
}

}  // namespace elodyn
