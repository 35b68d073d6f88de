// The three filters against what is known of them: functions that they meet exactly, each other, and the variance and
// bias that their linear map has.
#include "elodyn/experiment/differentiate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/random.hpp"

namespace elodyn {
namespace {

using Index = Eigen::Index;
using Kind = FilterOptions::Kind;
constexpr Kind kAll[] = {Kind::spline, Kind::kalman, Kind::savitzky_golay};

std::vector<double> even_times(int n, double rate) {
  std::vector<double> t;
  for (int k = 0; k < n; ++k) t.push_back(3 + k / rate);
  return t;
}

VectorX sample(const std::vector<double>& times, const std::function<double(double)>& f) {
  VectorX y(static_cast<Index>(times.size()));
  for (size_t k = 0; k < times.size(); ++k) y[static_cast<Index>(k)] = f(times[k]);
  return y;
}

// x of a point of the coupler of a four-bar linkage and that of a circle, both at 140 rpm, with second derivatives.
struct Track {
  const char* name;
  std::function<double(double)> x, a;
};
constexpr double kSpeed = 140 * 2 * std::numbers::pi / 60;
double coupler(double t) {
  // crank 0.1 at (0,0), rocker 0.3 at (0.4, 0), coupler 0.35; the point 0.2 along and 0.1 beside the coupler
  const double phi = kSpeed * t, bx = 0.1 * std::cos(phi), by = 0.1 * std::sin(phi);
  const double dx = 0.4 - bx, dy = -by, d = std::hypot(dx, dy);
  const double angle = std::atan2(dy, dx) + std::acos((d * d + 0.35 * 0.35 - 0.3 * 0.3) / (2 * d * 0.35));
  return bx + 0.2 * std::cos(angle) - 0.1 * std::sin(angle);
}
const Track kTracks[] = {
    {"circle", [](double t) { return 0.065 * std::cos(kSpeed * t); },
     [](double t) { return -0.065 * kSpeed * kSpeed * std::cos(kSpeed * t); }},
    {"coupler", coupler, [](double t) {
       constexpr double h = 2e-4;  // error h⁴ f⁽⁶⁾/90 + ε/h²: below 1e-7
       return (-coupler(t + 2 * h) + 16 * coupler(t + h) - 30 * coupler(t) + 16 * coupler(t - h) - coupler(t - 2 * h)) /
              (12 * h * h);
     }}};

FilterOptions fixed(Kind kind, double rate) {
  FilterOptions options;
  options.kind = kind;
  options.smoothing = 1 / std::pow(2 * std::numbers::pi * 12, 6) * rate;  // half of what has 12 Hz passes
  options.window = 15;
  options.outlier = 0;
  return options;
}

TEST(Differentiate, what_is_smoothest_is_met_whatever_the_parameter) {
  std::vector<double> times = even_times(60, 100);
  times.erase(times.begin() + 20, times.begin() + 23);
  const VectorX y = sample(times, [](double t) { return 1 - 2 * t + 3 * t * t; });
  for (const Kind kind : kAll) {
    const Differentiated d = differentiate(times, y, {}, fixed(kind, 100));
    for (Index k = 0; k < d.x.size(); ++k) {
      const double t = times[static_cast<size_t>(k)];
      // |y| is 30; two derivatives over 15 samples of 10 ms lose (0.07 s)² of 1e-16, the spline's system 1e3 more.
      EXPECT_NEAR(d.x[k], 1 - 2 * t + 3 * t * t, 1e-8);
      EXPECT_NEAR(d.v[k], -2 + 6 * t, 1e-6);
      EXPECT_NEAR(d.a[k], 6, 1e-4);
    }
  }
}

TEST(Differentiate, polynomials_of_its_degree_are_met_by_savitzky_golay) {
  const std::vector<double> times = even_times(40, 100);
  const VectorX y = sample(times, [](double t) { return std::pow(t - 3, 4) * 1e3; });
  const Differentiated d = differentiate(times, y, {}, fixed(Kind::savitzky_golay, 100));
  for (Index k = 0; k < d.x.size(); ++k)
    EXPECT_NEAR(d.a[k], 12e3 * std::pow(times[static_cast<size_t>(k)] - 3, 2), 1e-8);
}

TEST(Differentiate, smoother_of_a_white_third_derivative_is_the_quintic_spline) {
  const std::vector<double> times = even_times(150, 120);
  Random random(3);
  VectorX y = sample(times, kTracks[1].x), weights = VectorX::Ones(y.size());
  for (Index k = 0; k < y.size(); ++k) y[k] += 1e-3 * random.normal();
  for (Index k = 30; k < 34; ++k) y[k] = std::nan("");
  weights[70] = 0.2;
  const Differentiated spline = differentiate(times, y, weights, fixed(Kind::spline, 120));
  const Differentiated kalman = differentiate(times, y, weights, fixed(Kind::kalman, 120));
  for (Index k = 0; k < y.size(); ++k) {
    // The filter begins with variances of 1e8, not infinite ones.
    EXPECT_NEAR(spline.x[k], kalman.x[k], 1e-9);
    EXPECT_NEAR(spline.a[k], kalman.a[k], 1e-5);
    EXPECT_NEAR(spline.leverage[k], kalman.leverage[k], 1e-5);
  }
}

// Of 400 films of one instant: mean error the bias, its scatter the variance of the map.
TEST(Differentiate, errors_of_analytic_tracks_are_those_of_the_theory) {
  const double rate = 120, sigma = 5e-4;
  const std::vector<double> times = even_times(91, rate);
  for (const Track& track : kTracks)
    for (const Kind kind : kAll) {
      const FilterOptions options = fixed(kind, rate);
      const FilterMap map = calc_filter_map(times, {}, options);
      const VectorX truth = sample(times, track.x);
      const Differentiated clean = differentiate(times, truth, {}, options);
      Random random(11);
      constexpr int kRuns = 400;
      for (const Index k : {3, 45}) {
        const double a = track.a(times[static_cast<size_t>(k)]), bias = clean.a[k] - a;
        const double deviation = sigma * map.a.row(k).norm();
        double sum = 0, squares = 0;
        for (int run = 0; run < kRuns; ++run) {
          VectorX y = truth;
          for (Index i = 0; i < y.size(); ++i) y[i] += sigma * random.normal();
          const double error = differentiate(times, y, {}, options).a[k] - a;
          sum += error;
          squares += (error - bias) * (error - bias);
        }
        // Four standard deviations of a mean and of a variance of 400.
        EXPECT_NEAR(sum / kRuns, bias, 4 * deviation / std::sqrt(kRuns)) << track.name << " " << int(kind) << " " << k;
        EXPECT_NEAR(squares / kRuns / (deviation * deviation), 1, 4 * std::sqrt(2.0 / kRuns))
            << track.name << " " << int(kind) << " " << k;
      }
    }
}

TEST(Differentiate, covariance_is_that_of_the_map_and_the_mean_bias) {
  const std::vector<double> times = even_times(80, 120);
  VectorX weights = VectorX::Ones(80);
  weights.segment(20, 10).setConstant(0.3);
  Random random(4);
  VectorX y = sample(times, kTracks[1].x);
  for (Index k = 0; k < y.size(); ++k) y[k] += 1e-3 / std::sqrt(weights[k]) * random.normal();
  for (const Kind kind : kAll) {
    FilterOptions options = fixed(kind, 120);
    options.noise = 1e-3;
    const Differentiated d = differentiate(times, y, weights, options);
    const FilterMap map = calc_filter_map(times, weights, options);
    double first = 0;
    for (Index k = 0; k < y.size(); ++k) {
      const VectorX R = 1e-6 * weights.cwiseInverse();
      const double noise = map.a.row(k).cwiseAbs2().dot(R.transpose());
      const double rest = d.covariance[static_cast<size_t>(k)](2, 2) - noise;
      if (k == 0) first = rest;
      if (kind == Kind::savitzky_golay) {
        EXPECT_NEAR(rest, first, 1e-9 * noise);  // the same at all times
      }
      // Derivatives by λ are known to 1e-5 of the terms that cancel.
      EXPECT_GE(rest, -2e-4 * noise);
      EXPECT_NEAR(d.covariance[static_cast<size_t>(k)](1, 2),
                  map.v.row(k).cwiseProduct(map.a.row(k)).dot(R.transpose()),
                  2e-4 * std::sqrt(noise * d.covariance[static_cast<size_t>(k)](1, 1)));
    }
  }
}

TEST(Differentiate, bands_hold_what_they_promise_when_all_is_found_from_the_samples) {
  constexpr int kRuns = 60;
  for (const Kind kind : {Kind::spline, Kind::kalman})
    for (const Track& track : kTracks) {
      const std::vector<double> times = even_times(181, 120);
      const VectorX truth = sample(times, track.x);
      int n = 0, inside = 0;
      double widths = 0, errors = 0, noise = 0;
      for (int run = 0; run < kRuns; ++run) {
        Random random(static_cast<std::uint64_t>(run));
        VectorX y = truth;
        for (Index k = 0; k < y.size(); ++k) y[k] += 3e-4 * random.normal();
        FilterOptions options;
        options.kind = kind;
        const Differentiated d = differentiate(times, y, {}, options);
        noise += d.noise / kRuns;
        for (Index k = 18; k < 163; ++k) {
          const double error = d.a[k] - track.a(times[static_cast<size_t>(k)]);
          const double deviation = std::sqrt(d.covariance[static_cast<size_t>(k)](2, 2));
          inside += std::abs(error) < 1.96 * deviation ? 1 : 0;
          widths += deviation;
          errors += error * error;
          ++n;
        }
      }
      EXPECT_GE(inside, 0.92 * n) << track.name << int(kind);
      EXPECT_LE(inside, 0.98 * n) << track.name << int(kind);
      EXPECT_LE(widths / n, 1.3 * std::sqrt(errors / n)) << track.name << int(kind);
      EXPECT_NEAR(noise, 3e-4, 0.1 * 3e-4) << track.name << int(kind);
    }
}

TEST(Differentiate, gaps_are_bridged_and_wrong_samples_left_out) {
  const std::vector<double> times = even_times(200, 120);
  Random random(8);
  VectorX y = sample(times, kTracks[0].x);
  for (Index k = 0; k < y.size(); ++k) y[k] += 3e-4 * random.normal();
  for (Index k = 0; k < 4; ++k) y[k] = std::nan("");
  for (Index k = 90; k < 94; ++k) y[k] = std::nan("");
  y[40] += 0.01;
  y[41] -= 0.004;
  y[150] += 0.02;
  for (const Kind kind : kAll) {
    FilterOptions options;
    options.kind = kind;
    options.window = 31;
    const Differentiated d = differentiate(times, y, {}, options);
    for (const int wrong : {40, 41, 150})
      EXPECT_TRUE(std::count(d.outliers.begin(), d.outliers.end(), wrong)) << int(kind) << " " << wrong;
    EXPECT_LE(d.outliers.size(), 5U) << int(kind);
    EXPECT_TRUE(std::isnan(d.a[3]) && std::isfinite(d.a[4]));
    for (const Index k : {40, 92, 150})
      EXPECT_NEAR(d.a[k], kTracks[0].a(times[static_cast<size_t>(k)]),
                  5 * std::sqrt(d.covariance[static_cast<size_t>(k)](2, 2)))
          << int(kind) << " " << k;
    if (kind != Kind::savitzky_golay) {
      EXPECT_GT(d.covariance[92](0, 0), 1.5 * d.covariance[120](0, 0));
    }
  }
}

// Without noise residuals are the filter's own bias, large where the curve is sharp: that is nobody's mistake.
TEST(Differentiate, bias_is_not_taken_for_wrong_samples) {
  const std::vector<double> times = even_times(400, 120);
  const VectorX y = sample(times, [](double t) { return 0.1 * std::pow(std::abs(std::sin(kSpeed * t)), 1.5); });
  for (const Kind kind : kAll) {
    FilterOptions options;
    options.kind = kind;
    EXPECT_LE(differentiate(times, y, {}, options).outliers.size(), 40U) << int(kind);
  }
}

TEST(Differentiate, too_few_samples_are_said) {
  for (const Kind kind : kAll) {
    FilterOptions options;
    options.kind = kind;
    EXPECT_THROW(differentiate({0, 1, 2}, VectorX::Zero(3), {}, options), NumericalError);
  }
}

}  // namespace
}  // namespace elodyn
