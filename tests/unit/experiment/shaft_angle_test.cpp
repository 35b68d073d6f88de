#include "elodyn/experiment/shaft_angle.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;

// A shaft that runs up from 10 to 40 turns a second in 10 s:  θ = 2π(10 t + 1.5 t²).
double run_up(double t) { return kTurn * (10 * t + 1.5 * t * t); }

struct RunUp {
  double step = 1.0 / 5000;
  std::vector<double> x, pulses, speed;
  explicit RunUp(double order) {
    for (int i = 0; i <= 50'000; ++i) {
      const double t = step * i, turns = run_up(t) / kTurn;
      x.push_back(2.5 * std::cos(order * run_up(t)));
      pulses.push_back(turns - std::floor(turns) < 0.5 ? 5 : 0);
      speed.push_back(kTurn * (10 + 3 * t));
    }
  }
};

TEST(ShaftAngle, OrderOfARunUpStandsInOneLine) {
  const RunUp run(3);
  for (const bool by_speed : {false, true}) {
    const ShaftAngle angle =
        by_speed ? angle_from_speed(run.speed.data(), run.speed.size(), 0, run.step)
                 : angle_from_pulses(find_pulses(run.pulses.data(), run.pulses.size(), 0, run.step, 2.5, 0.5), 1);
    const AngleRecord record = resample(run.x.data(), run.x.size(), 0, run.step, angle, 32);
    const int turns = 8, block = 32 * turns;
    // Each block away from the ends, where the sums are cut. A pulse is known to half a step of time, 0.02 turns at
    // most, which makes a phase jitter of order·2π·0.02/√12 and takes half its square off the amplitude: 1 %.
    for (size_t first = 64; first + block + 64 <= record.values.size(); first += 512) {
      const Spectrum s = calc_spectrum(record.values.data() + first, block, 32, {block, 0, Window::hann, false});
      EXPECT_NEAR(s.amplitude(3 * turns), 2.5, by_speed ? 1e-3 * 2.5 : 1e-2 * 2.5) << first;
      EXPECT_LT(s.amplitude(5 * turns), by_speed ? 1e-3 : 0.1);
    }
  }
  // The plain spectrum smears it over all frequencies from 30 to 120 Hz.
  const Spectrum plain = calc_spectrum(run.x.data(), run.x.size(), 5000, {32768, 0, Window::hann, false});
  EXPECT_LT(std::sqrt(2 * plain.power.maxCoeff()), 0.5);
}

TEST(ShaftAngle, FindsTimesOfAngles) {
  const RunUp run(1);
  const ShaftAngle angle = angle_from_speed(run.speed.data(), run.speed.size(), 0, run.step);
  for (const double t : {0.5, 3.3, 9.9}) {
    EXPECT_NEAR(angle.time_of(run_up(t)), t, 1e-9);
    EXPECT_NEAR(angle.speed(t), kTurn * (10 + 3 * t), 1e-6 * kTurn * 40);
  }
}

TEST(ShaftAngle, ResamplingPassesUpToNineTenthsAndStopsWhatCannotBeShown) {
  const size_t n = 4000;
  const double step = 1e-3;
  std::vector<double> times, angles, x(n);
  for (int i = 0; i < 10; ++i) {
    times.push_back(0.5 * i);
    angles.push_back(kTurn * 10 * times.back());  // ten turns a second
  }
  const ShaftAngle angle(times, angles);
  const auto gain = [&](double hertz, int per_turn) {
    for (size_t i = 0; i < n; ++i) x[i] = std::cos(kTurn * hertz * step * static_cast<double>(i));
    const AngleRecord record = resample(x.data(), n, 0, step, angle, per_turn);
    double worst = 0, largest = 0;
    for (size_t j = record.values.size() / 4; j < record.values.size() / 2; ++j) {
      const double t = (record.first + record.step * static_cast<double>(j)) / (kTurn * 10);
      worst = std::max(worst, std::abs(record.values[j] - std::cos(kTurn * hertz * t)));
      largest = std::max(largest, std::abs(record.values[j]));
    }
    return std::pair(worst, largest);
  };
  for (const double hertz : {10.0, 250.0, 400.0}) EXPECT_LT(gain(hertz, 200).first, 1e-3) << hertz;
  EXPECT_LT(gain(450, 200).first, 4e-3);
  // 20 values a turn show 100 Hz at most
  EXPECT_LT(gain(80, 20).first, 1e-3);
  EXPECT_LT(gain(120, 20).second, 1e-3);
}

TEST(ShaftAngle, SaysWhatIsMissing) {
  EXPECT_THROW(angle_from_pulses({0, 1, 2}, 1), NumericalError);
  const double speed[] = {1, 1, 0, 1, 1};
  EXPECT_THROW(angle_from_speed(speed, 5, 0, 1), NumericalError);
}

}  // namespace
}  // namespace elodyn
