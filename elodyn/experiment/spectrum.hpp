// Spectra of records by Welch's method [Welch1967]: blocks of N values, each times a window w, transformed; the mean of
// |X|² over the blocks. One-sided, so that lines between 0 and half the sampling rate f_s count twice:
//   power     P_k = c |X_k|²/S₁²,   c = 2 (1 at the ends),   S₁ = Σ w     a sine in the line k: half its amplitude
//   squared amplitude     √(2P), 0-to-peak; of the lines at the ends √P density   P_k / b,   b = f_s S₂/S₁²,   S₂ = Σ
//   w²                     noise: its mean square per hertz
// Parseval: Σ density·f_s/N is the mean square of the record times the window, per mean square of the window; exactly
// the mean square of the record without a window. Between two lines a sine loses up to 36 % (none), 15 % (Hann) or
// 0.1 % (flat top) of its amplitude.
#pragma once

#include <functional>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/base/window.hpp"

namespace elodyn {

struct SpectrumOptions {
  int block = 4096;      // values
  double overlap = 0.5;  // share of a block
  Window window = Window::hann;
  bool keep_mean = false;  // else the mean of each block is taken off
};

struct Spectrum {
  double spacing = 0;    // Hz (or orders), from line to line
  double bandwidth = 0;  // b: of noise, in the same unit
  int block = 0;         // N
  int n_averages = 0;
  VectorX power;

  int n_lines() const { return static_cast<int>(power.size()); }
  bool is_end(int k) const { return k == 0 || 2 * k == block; }
  double amplitude(int k) const;
  double density(int k) const { return power[k] / bandwidth; }
};

// `values` in even steps, 1/rate apart. Needs at least a block of them. Blocks are shared among threads; the result
// does not depend on their number. Blocks with a value that is not a number are left out.
Spectrum calc_spectrum(const double* values, size_t n, double rate, const SpectrumOptions& options);

// Spectra over the time, or over a speed: the blocks of each class averaged.
struct Waterfall {
  std::vector<double> classes;  // middle of each, rad/s or s; those with blocks only
  std::vector<Spectrum> spectra;
};
// `class_of(first)`: the class of the block whose first value is `first`; negative: left out. `middle(c)`: of a class.
Waterfall calc_waterfall(const double* values, size_t n, double rate, const SpectrumOptions& options, int n_classes,
                         const std::function<int(size_t first)>& class_of, const std::function<double(int)>& middle);

}  // namespace elodyn
