// Harmonics of a function that repeats itself, from its values at n + 1 equal intervals, the last of which is the first
// one again:  f(t) = F₀ + Σ F_k cos(2πkt/T + φ_k),  F_k = |2/n Σ f_i e^(−2πik i/n)|, by direct sums, exact for what has
// fewer than n/2 harmonics.
#pragma once

#include <vector>

namespace elodyn {

// |F₀| … |F_count|, 0-to-peak.
std::vector<double> calc_harmonics(const std::vector<double>& values, int count);

}  // namespace elodyn
