// Random numbers that are the same everywhere: the standard fixes the engine, but not what its distributions make of
// it. Normal ones by Box and Muller's method.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>

namespace elodyn {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // From 0 to 1, both left out.
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }
  // Mean 0, standard deviation 1.
  double normal() {
    if (has_next_) {
      has_next_ = false;
      return next_;
    }
    const double r = std::sqrt(-2 * std::log(uniform())), phi = 2 * std::numbers::pi * uniform();
    next_ = r * std::sin(phi);
    has_next_ = true;
    return r * std::cos(phi);
  }

 private:
  std::mt19937_64 engine_;
  double next_ = 0;
  bool has_next_ = false;
};

}  // namespace elodyn
