#include "elodyn/experiment/spectrum.hpp"

#include <cmath>
#include <numbers>

#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/parallel.hpp"
#include "elodyn/base/random.hpp"

namespace elodyn {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr Window kWindows[] = {Window::none, Window::hann, Window::hamming, Window::blackman_harris, Window::flat_top};

std::vector<double> make_sine(size_t n, double per_value, double amplitude, double mean = 0) {
  std::vector<double> x(n);
  for (size_t i = 0; i < n; ++i) x[i] = mean + amplitude * std::cos(kTurn * per_value * static_cast<double>(i) + 0.3);
  return x;
}

TEST(Spectrum, SineInALineHasItsAmplitudeWhateverTheWindow) {
  const int n = 1024;
  const std::vector<double> x = make_sine(4 * n, 100.0 / n, 3.0);
  for (const Window window : kWindows) {
    const Spectrum s = calc_spectrum(x.data(), x.size(), 1000, {n, 0.5, window, true});
    EXPECT_NEAR(s.amplitude(100), 3.0, test::roundoff(n, 3.0));
    EXPECT_DOUBLE_EQ(s.spacing, 1000.0 / n);
    EXPECT_EQ(s.n_averages, 7);
  }
}

TEST(Spectrum, SineBetweenTwoLinesLosesWhatTheWindowSays) {
  // |W(½)|/W(0): sinc ½ = 2/π; Hann 8/3π. The negative frequency, 400.5 lines away, leaks at most 1/(N sin(400.5π/N)).
  const int n = 1024;
  const std::vector<double> x = make_sine(n, 200.5 / n, 1.0);
  const double leak = 1 / (n * std::sin(std::numbers::pi * 400.5 / n));
  const auto at = [&](Window window) {
    return calc_spectrum(x.data(), x.size(), 1, {n, 0, window, true}).amplitude(200);
  };
  EXPECT_NEAR(at(Window::none), 2 / std::numbers::pi, leak);
  EXPECT_NEAR(at(Window::hann), 8 / (3 * std::numbers::pi), leak * leak);
  EXPECT_NEAR(at(Window::flat_top), 1, 2e-3);
  EXPECT_LT(at(Window::flat_top), 1 + 1e-3);
}

TEST(Spectrum, ParsevalHoldsOfOneBlockWithoutWindow) {
  Random random(1);
  for (const int n : {512, 513}) {
    std::vector<double> x(static_cast<size_t>(n));
    double square = 0;
    for (double& value : x) {
      value = 0.5 + random.normal();
      square += value * value / n;
    }
    const Spectrum s = calc_spectrum(x.data(), x.size(), 100, {n, 0, Window::none, true});
    double sum = 0;
    for (int k = 0; k < s.n_lines(); ++k) sum += s.density(k) * s.spacing;
    EXPECT_NEAR(sum, square, test::roundoff(n, square));
  }
}

TEST(Spectrum, WhiteNoiseHasTheDensityOfItsVariance) {
  // σ² over half the sampling rate. Each of K = 127 half overlapping Hann blocks counts about 0.75 of a free one
  // [Welch1967]; over 510 lines the mean is known to 1/√(K·0.75·510·0.66) (neighbours share a third).
  const int n = 1024;
  const double rate = 2000, sigma = 0.7;
  Random random(2);
  std::vector<double> x(64 * n);
  for (double& value : x) value = sigma * random.normal();
  for (const Window window : kWindows) {
    const Spectrum s = calc_spectrum(x.data(), x.size(), rate, {n, 0.5, window, true});
    double mean = 0;
    for (int k = 2; k < n / 2; ++k) mean += s.density(k) / (n / 2 - 2);
    EXPECT_NEAR(mean / (sigma * sigma / (rate / 2)), 1, 4 / std::sqrt(64 * 510 * 0.4));
  }
}

TEST(Spectrum, MeanAndTheLastLineCountOnce) {
  const int n = 64;
  std::vector<double> x(n, 2.0);
  for (size_t i = 0; i < x.size(); ++i) x[i] += i % 2 == 0 ? 0.5 : -0.5;
  const Spectrum s = calc_spectrum(x.data(), x.size(), 1, {n, 0, Window::none, true});
  EXPECT_NEAR(s.amplitude(0), 2.0, test::roundoff(n, 2));
  EXPECT_NEAR(s.amplitude(n / 2), 0.5, test::roundoff(n, 2));
  EXPECT_NEAR(calc_spectrum(x.data(), x.size(), 1, {n, 0, Window::none, false}).amplitude(0), 0, test::roundoff(n, 2));
}

TEST(Spectrum, DoesNotDependOnThreadsAndLeavesOutGaps) {
  Random random(3);
  std::vector<double> x(100'000);
  for (double& value : x) value = random.normal();
  x[5000] = std::nan("");
  const SpectrumOptions options{256, 0.5, Window::hann, false};
  set_threads(1);
  const Spectrum one = calc_spectrum(x.data(), x.size(), 1, options);
  set_threads(3);
  const Spectrum three = calc_spectrum(x.data(), x.size(), 1, options);
  set_threads(0);
  EXPECT_TRUE((one.power.array() == three.power.array()).all());
  EXPECT_EQ(one.n_averages, (100'000 - 256) / 128 + 1 - 2);
}

TEST(Waterfall, BlocksGoToTheirClasses) {
  // The first half swings in line 8 of each block, the second half in line 20.
  const int n = 128;
  std::vector<double> x = make_sine(10 * n, 8.0 / n, 1.0);
  const std::vector<double> other = make_sine(10 * n, 20.0 / n, 2.0);
  x.insert(x.end(), other.begin(), other.end());
  const Waterfall w = calc_waterfall(
      x.data(), x.size(), 1, {n, 0, Window::hann, false}, 4,
      [](size_t first) { return first < size_t{10} * 128    ? 1
                                : first == size_t{10} * 128 ? -1
                                                            : 3; },
      [](int c) { return 10.0 * c; });
  ASSERT_EQ(w.spectra.size(), 2U);
  EXPECT_EQ(w.classes, (std::vector<double>{10, 30}));
  EXPECT_EQ(w.spectra[1].n_averages, 9);
  EXPECT_NEAR(w.spectra[0].amplitude(8), 1, test::roundoff(n, 2));
  EXPECT_NEAR(w.spectra[1].amplitude(20), 2, test::roundoff(n, 2));
  EXPECT_NEAR(w.spectra[1].amplitude(8), 0, test::roundoff(n, 2));
}

}  // namespace
}  // namespace elodyn
