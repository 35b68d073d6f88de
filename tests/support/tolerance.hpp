// Tolerance classes: a test names its class, never a bare number.
#pragma once

#include <cmath>

#include "elodyn/base/types.hpp"

namespace elodyn::test {

// Round-off of n sums of terms of the size of scale.
inline double roundoff(double n, double scale) { return 64 * kEps * n * scale; }

// Half a unit of the last printed digit of a value given to `digits` significant digits.
inline double half_unit(double printed, int digits) {
  return 0.5 * std::pow(10.0, std::floor(std::log10(std::abs(printed))) - digits + 1);
}

}  // namespace elodyn::test
