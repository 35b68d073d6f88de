#include "elodyn/base/ode.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

constexpr size_t kStages = 7;
constexpr double kC[kStages] = {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1};
constexpr double kA[kStages][6] = {
    {},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}};  // the last: y at the end of the step
constexpr double kError[kStages] = {71.0 / 57600,      0,          -71.0 / 16695, 71.0 / 1920,
                                    -17253.0 / 339200, 22.0 / 525, -1.0 / 40};
constexpr double kSafety = 0.9, kLargestChange = 5;

double calc_error(const DormandPrince& method, double h, const VectorX& from, const VectorX& to,
                  const OdeOptions& options) {
  double largest = 0;
  for (Eigen::Index i = 0; i < from.size(); ++i) {
    const double size = options.absolute + options.relative * std::max(std::abs(from[i]), std::abs(to[i]));
    const double share = std::abs(method.error(h, i)) / size;
    if (!(share <= largest)) largest = share;  // takes a NaN too
  }
  return largest;
}

}  // namespace

void DormandPrince::start(const OdeRate& f, double t, const VectorX& y) {
  for (VectorX& stage : k_) stage.resize(y.size());
  f(t, y, k_[0]);
}

void DormandPrince::step(const OdeRate& f, double t, double h, const VectorX& y, VectorX& next) {
  for (size_t s = 1; s < kStages; ++s) {
    next = y;
    for (size_t j = 0; j < s; ++j)
      if (kA[s][j] != 0) next += h * kA[s][j] * k_[j];
    f(t + kC[s] * h, next, k_[s]);
  }
}

double DormandPrince::error(double h, Eigen::Index i) const {
  double error = 0;
  for (size_t s = 0; s < kStages; ++s) error += kError[s] * k_[s][i];
  return h * error;
}

double calc_step_change(double error) {
  return std::clamp(kSafety * std::pow(std::max(error, 1e-10), -0.2), 1 / kLargestChange, kLargestChange);
}

OdeResult integrate(const OdeRate& f, const VectorX& y0, const std::vector<double>& times, const OdeOptions& options,
                    const OdeStepHook& hook) {
  ELODYN_REQUIRE(!times.empty() && std::is_sorted(times.begin(), times.end()));
  OdeResult out;
  DormandPrince method;
  VectorX y = y0, next(y0.size()), before;
  double t = times.front(), h = options.first_step > 0 ? options.first_step : 1e-3 * (times.back() - t);
  std::vector<VectorX> columns;
  const auto keep = [&] {
    columns.push_back(y);
    out.times.push_back(times[columns.size() - 1]);
  };
  keep();
  method.start(f, t, y);
  while (columns.size() < times.size() && !out.stopped) {
    const double target = times[columns.size()], left = target - t;
    const bool reaches = h >= left * (1 - 1e-12);
    const double step = reaches ? left : h;
    method.step(f, t, step, y, next);
    const double error = step > 0 ? calc_error(method, step, y, next, options) : 0;
    if (error <= 1) {
      t = reaches ? target : t + step;
      y.swap(next);
      ++out.steps;
      bool changed = false;
      if (hook) {
        before = y;
        out.stopped = !hook(t, y);
        changed = before != y;
      }
      if (changed)
        method.start(f, t, y);
      else
        method.accept();
      if (reaches) keep();
    } else {
      ++out.rejected;
      if (std::isnan(error) || step < 1e-14 * std::max(std::abs(t), step + left))
        throw NumericalError(fmt::format(
            "the time integration needs ever smaller steps at t = {:.6g} s: the equation is singular there, "
            "or its round-off is above the tolerance",
            t));
    }
    // A step that was cut to meet a time says nothing about how long it could have been, unless it failed.
    const double change = calc_step_change(error);
    if (error > 1 || !reaches || change < 1) h = step * change;
    if (out.steps + out.rejected > options.max_steps)
      throw NumericalError(
          fmt::format("the time integration has taken {} steps and is at t = {:.6g} s of {:.6g} s: round-off or a fast "
                      "part of the motion keeps its steps short",
                      options.max_steps, t, times.back()));
  }
  out.y.resize(y0.size(), static_cast<Eigen::Index>(columns.size()));
  for (size_t i = 0; i < columns.size(); ++i) out.y.col(static_cast<Eigen::Index>(i)) = columns[i];
  out.t_end = t;
  out.y_end = y;
  return out;
}

void RungeKutta4::step(const OdeRate& f, double t, double h, VectorX& y) {
  for (VectorX* k : {&k1, &k2, &k3, &k4}) k->resize(y.size());
  f(t, y, k1);
  at = y + 0.5 * h * k1;
  f(t + 0.5 * h, at, k2);
  at = y + 0.5 * h * k2;
  f(t + 0.5 * h, at, k3);
  at = y + h * k3;
  f(t + h, at, k4);
  y += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

}  // namespace elodyn
