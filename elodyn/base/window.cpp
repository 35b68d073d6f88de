#include "elodyn/base/window.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace elodyn {

std::vector<double> make_window(Window window, int n) {
  static constexpr std::array<std::array<double, 5>, 5> kTerms = {{{1, 0, 0, 0, 0},
                                                                   {0.5, 0.5, 0, 0, 0},
                                                                   {0.54, 0.46, 0, 0, 0},
                                                                   {0.35875, 0.48829, 0.14128, 0.01168, 0},
                                                                   {1, 1.933, 1.286, 0.388, 0.0322}}};
  const std::array<double, 5>& a = kTerms[static_cast<size_t>(window)];
  std::vector<double> w(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) {
    const double x = 2 * std::numbers::pi * i / n;
    w[static_cast<size_t>(i)] =
        a[0] - a[1] * std::cos(x) + a[2] * std::cos(2 * x) - a[3] * std::cos(3 * x) + a[4] * std::cos(4 * x);
  }
  return w;
}

}  // namespace elodyn
