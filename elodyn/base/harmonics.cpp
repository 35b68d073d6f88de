#include "elodyn/base/harmonics.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "elodyn/base/error.hpp"

namespace elodyn {

std::vector<double> calc_harmonics(const std::vector<double>& values, int count) {
  ELODYN_REQUIRE(values.size() > 1);
  const auto n = values.size() - 1;
  std::vector<double> out;
  for (int k = 0; k <= count; ++k) {
    std::complex<double> sum = 0;
    for (size_t i = 0; i < n; ++i)
      sum += values[i] * std::polar(1.0, -2 * std::numbers::pi * static_cast<double>((static_cast<size_t>(k) * i) % n) /
                                             static_cast<double>(n));
    out.push_back((k == 0 ? 1 : 2) * std::abs(sum) / static_cast<double>(n));
  }
  return out;
}

}  // namespace elodyn
