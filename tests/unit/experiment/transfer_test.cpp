#include "elodyn/experiment/transfer.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/random.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;
constexpr double kStep = 1e-3;

Signal make_signal(Measurand quantity, const std::string& point, std::vector<double> values) {
  Signal s;
  s.at = {point, 3};
  s.name = point;
  s.quantity = quantity;
  s.step = kStep;
  s.values = std::move(values);
  return s;
}

// x_n = 2 a x_{n−1} − b x_{n−2} + f_n: a decaying oscillation. H = 1/(1 − 2a z⁻¹ + b z⁻²)
struct Oscillator {
  double decay = 8, omega = 300;  // 1/s, rad/s
  double a() const { return std::exp(-decay * kStep) * std::cos(omega * kStep); }
  double b() const { return std::exp(-2 * decay * kStep); }
  std::vector<double> answer(const std::vector<double>& f) const {
    std::vector<double> x(f.size());
    for (size_t n = 0; n < f.size(); ++n) x[n] = f[n] + (n > 0 ? 2 * a() * x[n - 1] : 0) - (n > 1 ? b() * x[n - 2] : 0);
    return x;
  }
  Complex H(Complex s) const {
    const Complex back = std::exp(-s * kStep);
    return 1.0 / (1.0 - 2 * a() * back + b() * back * back);
  }
};

std::vector<double> make_blows(size_t n, const std::vector<std::pair<size_t, double>>& blows) {
  std::vector<double> f(n, 0.0);
  for (const auto& [at, force] : blows)
    for (size_t k = 1; k < 8; ++k)
      f[at + k] += force * 0.5 * (1 - std::cos(2 * std::numbers::pi * static_cast<double>(k) / 8));
  return f;
}

std::vector<TransferRecord> records_of(const std::vector<Signal>& signals) {
  std::vector<std::string> problems;
  std::vector<TransferRecord> records = find_transfer_records(signals, problems);
  EXPECT_TRUE(problems.empty());
  return records;
}

TEST(HammerFrf, IsThatOfTheSystem) {
  const Oscillator system;
  const std::vector<double> f = make_blows(8000, {{100, 50.0}, {4100, -0.0}, {4000, 30.0}});
  const std::vector<Signal> signals = {make_signal(Measurand::force, "1", f),
                                       make_signal(Measurand::acceleration, "2", system.answer(f))};
  HammerOptions options;
  options.before = 0.02;
  options.length = 3.5;  // the oscillation has decayed to e^−28
  const TransferResult result = calc_hammer_frfs(records_of(signals), options);
  ASSERT_EQ(result.frfs.size(), 1U);
  ASSERT_EQ(result.blows.size(), 2U);
  EXPECT_NEAR(result.blows[1].time, 4.0, 3 * kStep);
  EXPECT_DOUBLE_EQ(result.blows[0].peak, 50);
  const FrfRecord& frf = result.frfs[0];
  EXPECT_EQ(frf.reference.name(), "1:+z");
  for (size_t k = 1; k < 800; k += 7) {  // the pulse has nothing at 875
    const Complex exact = system.H(Complex(0, frf.frequencies[k]));
    EXPECT_LT(std::abs(frf.values[k] - exact), 1e-9 * std::abs(exact)) << k;
    EXPECT_NEAR(frf.coherence[k], 1, 1e-9);
  }
}

TEST(HammerFrf, ExponentialWindowMovesThePolesByItsDecay) {
  const Oscillator system{0.5, 300};  // too long for the block
  const std::vector<double> f = make_blows(2100, {{50, 50.0}});
  const std::vector<Signal> signals = {make_signal(Measurand::force, "1", f),
                                       make_signal(Measurand::acceleration, "2", system.answer(f))};
  HammerOptions options;
  options.before = 0.02;
  options.length = 2;
  options.decay = 12;
  const TransferResult result = calc_hammer_frfs(records_of(signals), options);
  const FrfRecord& frf = result.frfs.at(0);
  EXPECT_EQ(frf.added_decay, 12);
  EXPECT_TRUE(frf.coherence.empty());
  for (size_t k = 1; k < 900; k += 7) {
    const Complex exact = system.H(Complex(12, frf.frequencies[k]));
    // What is cut off at the end is e^−(12.5·2); before the window begins the force is still small.
    EXPECT_LT(std::abs(frf.values[k] - exact), 1e-3 * std::abs(exact)) << k;
  }
}

TEST(HammerFrf, FlagsDoubleHitsAndOverloadsByRecordAndTime) {
  const Oscillator system;
  std::vector<double> f = make_blows(16000, {{1000, 50.0}, {5000, 50.0}, {5060, 15.0}, {9000, 50.0}});
  std::vector<double> x = system.answer(f);
  for (size_t i = 9000; i < 13000; ++i) x[i] = std::clamp(x[i], -20.0, 20.0);
  const std::vector<Signal> signals = {make_signal(Measurand::force, "1", f),
                                       make_signal(Measurand::acceleration, "2", x)};
  HammerOptions options;
  options.before = 0.02;
  options.length = 3;
  options.response_range = 20;
  TransferResult result;
  EXPECT_NO_THROW(result = calc_hammer_frfs(records_of(signals), options));
  ASSERT_EQ(result.blows.size(), 3U);
  EXPECT_NE(result.blows[1].flags.find("double hit at 5.06"), std::string::npos) << result.blows[1].flags;
  EXPECT_FALSE(result.blows[1].is_used);
  EXPECT_NE(result.blows[2].flags.find("overload of `2` at 9.0"), std::string::npos) << result.blows[2].flags;
  options.response_range = 0;  // not known: equal values in a row at the end of the range tell
  for (size_t i = 0; i < x.size(); ++i) x[i] = std::clamp(x[i], -20.0, 20.0);
  const std::vector<Signal> cut = {make_signal(Measurand::force, "1", f), make_signal(Measurand::acceleration, "2", x)};
  options.keep_flagged = true;
  for (const Blow& blow : calc_hammer_frfs(records_of(cut), options).blows) {
    EXPECT_NE(blow.flags.find("overload of `2`"), std::string::npos);
    EXPECT_TRUE(blow.is_used);
  }
}

TEST(HammerFrf, NoiseIsNoDoubleHitAndTheForceWindowTakesItAway) {
  const Oscillator system;
  Random random(5);
  std::vector<double> f = make_blows(4000, {{1000, 50.0}});
  const std::vector<double> x = system.answer(f);
  for (double& value : f) value += 0.5 * random.normal();  // the threshold is 2.5 N, of 3000 values some exceed 3σ
  const std::vector<Signal> signals = {make_signal(Measurand::force, "1", f),
                                       make_signal(Measurand::acceleration, "2", x)};
  HammerOptions options;
  options.before = 0.02;
  options.length = 2.9;
  const auto error = [&](double window) {
    options.force_window = window;
    const TransferResult result = calc_hammer_frfs(records_of(signals), options);
    EXPECT_TRUE(result.blows.at(0).flags.empty()) << result.blows.at(0).flags;
    double sum = 0;
    const FrfRecord& frf = result.frfs.at(0);
    for (size_t k = 10; k < 110; ++k) sum += std::norm(frf.values[k] / system.H(Complex(0, frf.frequencies[k])) - 1.0);
    return std::sqrt(sum / 100);
  };
  // Noise of n values adds σ√n to a force of 50·4 = 200: √2900 and √12 of it. The root mean square of 100 lines is
  // known to 1/√200 of it.
  const double without = error(0), with = error(0.010);
  const double expected = 0.5 * std::sqrt(2900) / 200;
  EXPECT_NEAR(without, expected, 4 * expected / std::sqrt(200));
  EXPECT_LT(with, 0.25 * without);
}

TEST(Frf, NoiseOfTheForceBiasesH1DownAndOfTheResponseH2Up) {
  // E H1 = H/(1 + r) with noise r·G_ff on the force; E H2 = H (1 + r) with noise r·G_xx on the response. Over 500
  // blocks and 400 lines the mean is known to √(r/…) < 1/√(500·400).
  const double r = 0.25;
  Random random(6);
  const size_t n = 500 * 1024;
  std::vector<double> f(n), x(n), noisy_f(n), noisy_x(n);
  for (size_t i = 0; i < n; ++i) {
    f[i] = random.normal();
    x[i] = 2 * f[i] - (i > 0 ? f[i - 1] : 0);  // |H|² = 5 − 4 cos ω
    noisy_f[i] = f[i] + std::sqrt(r) * random.normal();
    noisy_x[i] = x[i] + std::sqrt(5 * r) * random.normal();
  }
  const auto mean_ratio = [&](const std::vector<double>& force, const std::vector<double>& response,
                              FrfEstimate estimate, double& coherence) {
    const std::vector<Signal> signals = {make_signal(Measurand::force, "1", force),
                                         make_signal(Measurand::acceleration, "2", response)};
    const TransferResult result = calc_continuous_frfs(records_of(signals), {1024, 0, Window::hann, true}, estimate);
    const FrfRecord& frf = result.frfs.at(0);
    EXPECT_EQ(result.n_averages.at(0), 500);
    double sum = 0;
    coherence = 0;
    for (size_t k = 50; k < 450; ++k) {
      const double w = frf.frequencies[k] * kStep;
      sum += std::abs(frf.values[k]) / std::sqrt(5 - 4 * std::cos(w)) / 400;
      coherence += frf.coherence[k] / 400;
    }
    return sum;
  };
  double coherence = 0;
  const double known = 5 / std::sqrt(500.0 * 400 / 1.5);
  EXPECT_NEAR(mean_ratio(noisy_f, x, FrfEstimate::h1, coherence), 1 / (1 + r), known);
  EXPECT_NEAR(coherence, 1 / (1 + r), known);
  EXPECT_NEAR(mean_ratio(noisy_f, x, FrfEstimate::h2, coherence), 1, known);
  EXPECT_NEAR(mean_ratio(f, noisy_x, FrfEstimate::h1, coherence), 1, known);
  EXPECT_GT(mean_ratio(f, noisy_x, FrfEstimate::h2, coherence), 1 + r / 2);
}

TEST(TransferRecords, AreOpenedByTheirForces) {
  std::vector<Signal> signals = {make_signal(Measurand::acceleration, "9", {1, 2, 3}),
                                 make_signal(Measurand::force, "1", {1, 2, 3}),
                                 make_signal(Measurand::acceleration, "2", {1, 2, 3}),
                                 make_signal(Measurand::voltage, "3", {1, 2, 3}),
                                 make_signal(Measurand::force, "4", {1, 2, 3}),
                                 make_signal(Measurand::acceleration, "5", {1, 2}),
                                 make_signal(Measurand::acceleration, "6", {1, std::nan(""), 2})};
  std::vector<std::string> problems;
  const std::vector<TransferRecord> records = find_transfer_records(signals, problems);
  ASSERT_EQ(records.size(), 1U);
  ASSERT_EQ(records[0].responses.size(), 1U);
  EXPECT_EQ(records[0].responses[0]->name, "2");
  EXPECT_EQ(problems.size(), 3U);
  EXPECT_THROW(calc_hammer_frfs({}, {}), NumericalError);
}

}  // namespace
}  // namespace elodyn
