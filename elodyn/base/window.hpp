// Windows of Fourier transforms [Harris1978], of period N:  w_n = Σ (−1)^j a_j cos(2πjn/N), n = 0 … N−1.
// Flat top as in ISO 18431-2.
#pragma once

#include <vector>

namespace elodyn {

enum class Window { none, hann, hamming, blackman_harris, flat_top };

std::vector<double> make_window(Window window, int n);

}  // namespace elodyn
