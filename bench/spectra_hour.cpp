// An hour of six channels at 25.6 kHz: spectra (Welch, Hann, 4096 values, half overlapping) and a waterfall over the
// speed of a run-up, channel after channel. Prints how many times faster than real time; exit code 1 below 50.
//   spectra_bench [MINUTES]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <vector>

#include "bench/timing.hpp"

#include "elodyn/base/parallel.hpp"
#include "elodyn/experiment/spectrum.hpp"

int main(int argc, char** argv) {
  using namespace elodyn;
  const double minutes = argc > 1 ? std::atof(argv[1]) : 60;
  constexpr double kRate = 25600, kFloor = 50;
  constexpr int kChannels = 6, kClasses = 60;
  const auto n = static_cast<size_t>(minutes * 60 * kRate);
  const SpectrumOptions options;
  if (n < static_cast<size_t>(options.block)) {
    std::fprintf(stderr, "spectra_bench: too short\n");
    return 2;
  }
  std::vector<double> x(n);
  double spectra = 0, waterfalls = 0, check = 0;
  for (int channel = 0; channel < kChannels; ++channel) {
    std::uint64_t state = 88172645463325252ULL + static_cast<std::uint64_t>(channel);
    double phase = 0;
    for (size_t i = 0; i < n; ++i) {  // a run-up from 10 to 100 Hz in noise
      phase += 2 * std::numbers::pi * (10 + 90 * static_cast<double>(i) / static_cast<double>(n)) / kRate;
      if (phase > std::numbers::pi) phase -= 2 * std::numbers::pi;
      state ^= state << 13;
      state ^= state >> 7;
      state ^= state << 17;
      x[i] = std::sin(phase) + static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
    }
    spectra += bench::seconds([&] { check += calc_spectrum(x.data(), n, kRate, options).power.sum(); });
    waterfalls += bench::seconds([&] {
      const Waterfall w = calc_waterfall(
          x.data(), n, kRate, options, kClasses,
          [&](size_t first) {
            return static_cast<int>(kClasses * static_cast<double>(first) / static_cast<double>(n));
          },
          [](int c) { return static_cast<double>(c); });
      for (const Spectrum& s : w.spectra) check += s.power.sum();
    });
  }
  const double ratio = minutes * 60 / (spectra + waterfalls);
  std::printf(
      "%d channels, %.4g minutes at %.0f Hz, %d threads: spectra %.2f s, waterfalls %.2f s, together %.0f times real "
      "time (%.3g)\n",
      kChannels, minutes, kRate, n_threads(), spectra, waterfalls, ratio, check);
  return ratio < kFloor ? 1 : 0;
}
