#include "elodyn/experiment/shaft_angle.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>

#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"

namespace elodyn {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kHalfTaps = 32;  // zeros of the sinc on each side

CubicSpline make_spline(const std::vector<double>& times, const std::vector<double>& angles) {
  return {std::make_shared<const std::vector<double>>(times), angles};
}

}  // namespace

ShaftAngle::ShaftAngle(std::vector<double> times, std::vector<double> angles)
    : times_(std::move(times)), angles_(std::move(angles)), angle_of_time_(make_spline(times_, angles_)) {
  ELODYN_REQUIRE(times_.size() == angles_.size() && times_.size() >= 4);
}

double ShaftAngle::time_of(double angle) const {
  const auto above = std::upper_bound(angles_.begin() + 1, angles_.end() - 1, angle);
  const auto k = static_cast<size_t>(above - angles_.begin());
  double low = times_[k - 1], high = times_[k];
  double t = low + (high - low) * (angle - angles_[k - 1]) / (angles_[k] - angles_[k - 1]);
  for (int i = 0; i < 50; ++i) {
    t = std::clamp(t, low, high);
    const double excess = angle_of_time_(t) - angle;
    (excess > 0 ? high : low) = t;
    const double slope = angle_of_time_.derivative(t), move = slope > 0 ? excess / slope : 0;
    if (std::abs(excess) <= 1e-12 * kTurn || high - low <= 4 * kEps * std::abs(high)) break;
    t = slope > 0 && t - move > low && t - move < high ? t - move : 0.5 * (low + high);
  }
  return t;
}

std::vector<double> find_pulses(const double* values, size_t n, double start, double step, double level, double gap) {
  std::vector<double> pulses;
  bool is_armed = false;
  for (size_t i = 0; i < n; ++i) {
    if (values[i] < level - gap) is_armed = true;
    if (!is_armed || i == 0 || !(values[i] >= level)) continue;
    is_armed = false;
    const double part = (level - values[i - 1]) / (values[i] - values[i - 1]);
    const double whole = static_cast<double>(i - 1) + (part >= 0 && part <= 1 ? part : 1);
    pulses.push_back(start + step * whole);
  }
  return pulses;
}

ShaftAngle angle_from_pulses(const std::vector<double>& pulses, double per_turn) {
  if (pulses.size() < 4)
    throw NumericalError("the tachometer has " + std::to_string(pulses.size()) +
                         " pulses, an angle needs 4; see its trigger level");
  std::vector<double> angles(pulses.size());
  for (size_t k = 0; k < angles.size(); ++k) angles[k] = kTurn / per_turn * static_cast<double>(k);
  return {pulses, angles};
}

ShaftAngle angle_from_speed(const double* speed, size_t n, double start, double step) {
  constexpr size_t kMostKnots = 200'000;
  const size_t every = std::max<size_t>(1, n / kMostKnots);
  std::vector<double> times, angles;
  double angle = 0;
  for (size_t i = 0; i < n; ++i) {
    const double t = start + step * static_cast<double>(i);
    if (!(speed[i] > 0)) throw NumericalError("the speed is not above 0 at t = " + std::to_string(t) + " s");
    if (i > 0) angle += 0.5 * step * (speed[i - 1] + speed[i]);
    if (i % every != 0) continue;
    times.push_back(t);
    angles.push_back(angle);
  }
  if (times.size() < 4) throw NumericalError("the speed has fewer than 4 values");
  return {times, angles};
}

AngleRecord resample(const double* values, size_t n, double start, double step, const ShaftAngle& angle, int per_turn) {
  ELODYN_REQUIRE(n >= 2 && per_turn >= 2);
  AngleRecord out;
  out.step = kTurn / per_turn;
  // The record must reach as far as the sums do; at its ends they are cut.
  const double from = std::max(angle.start(), start),
               to = std::min(angle.end(), start + step * static_cast<double>(n - 1));
  if (!(to > from)) return out;
  out.first = std::ceil(angle.angle(from) / out.step) * out.step;
  const double last = angle.angle(to);
  const auto count = static_cast<size_t>(std::max(0.0, std::floor((last - out.first) / out.step) + 1));
  out.values.assign(count, 0.0);
  constexpr size_t kPart = 4096;
  parallel_for(static_cast<int>((count + kPart - 1) / kPart), [&](int p) {
    const size_t begin = static_cast<size_t>(p) * kPart, end = std::min(begin + kPart, count);
    for (size_t j = begin; j < end; ++j) {
      const double t = angle.time_of(out.first + out.step * static_cast<double>(j));
      // cutoff as a share of half the rate in time: below half the rate in angle
      const double share = std::min(1.0, angle.speed(t) * step / out.step);
      const double centre = (t - start) / step, reach = kHalfTaps / share;
      const auto low = static_cast<long>(std::ceil(centre - reach)),
                 high = static_cast<long>(std::floor(centre + reach));
      double sum = 0, weight = 0;
      for (long i = std::max(0L, low); i <= std::min(static_cast<long>(n) - 1, high); ++i) {
        const double u = (centre - static_cast<double>(i)) * share, x = std::numbers::pi * u;
        const double sinc = std::abs(x) < 1e-12 ? 1 : std::sin(x) / x;
        const double w = sinc * 0.5 * (1 + std::cos(x / kHalfTaps));
        sum += w * values[i];
        weight += w;
      }
      out.values[j] = weight != 0 ? sum / weight : 0;  // a constant stays as it is
    }
  });
  return out;
}

}  // namespace elodyn
