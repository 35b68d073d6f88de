// Explicit Runge–Kutta methods for ẏ = f(t, y): Dormand and Prince's pair of order 5(4) with a controlled step for
// accurate references, and the classical method of order 4 with a fixed step.
//   step control:  ‖error / (absolute + relative·|y|)‖_∞ ≤ 1,   h ← 0.9 h error^(-1/5), at most 5 times larger or
//   smaller
// Source: [Hairer1993], II.4–II.5. Limit: not for stiff systems (steps below about 3/ω_max).
#pragma once

#include <array>
#include <functional>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

using OdeRate = std::function<void(double t, const VectorX& y, VectorX& rate)>;

// One step of the pair, for those who control it themselves; used again, it allocates nothing.
class DormandPrince {
 public:
  // ẏ at the start of the first step, and again whenever y was changed after a step; or put it into first_rate().
  void start(const OdeRate& f, double t, const VectorX& y);
  VectorX& first_rate() { return k_[0]; }
  // y at t + h; ẏ there is the last rate.
  void step(const OdeRate& f, double t, double h, const VectorX& y, VectorX& next);
  double error(double h, Eigen::Index i) const;  // of component i of the last step
  const VectorX& first_rate() const { return k_[0]; }
  const VectorX& last_rate() const { return k_[kStages - 1]; }
  void accept() { k_[0].swap(k_[kStages - 1]); }  // the next step starts where this one ended

 private:
  static constexpr size_t kStages = 7;
  std::array<VectorX, kStages> k_;
};
// By how much to change the length of a step whose error is that part of what it may be.
double calc_step_change(double error);

struct OdeOptions {
  double relative = 1e-10;
  double absolute = 1e-14;  // of every component: scale y if they differ much
  double first_step = 0;    // 0: a thousandth of the interval
  long max_steps = 10'000'000;
};

// After each accepted step; may change y (a projection). False ends the integration.
using OdeStepHook = std::function<bool(double t, VectorX& y)>;

struct OdeResult {
  std::vector<double> times;  // those of the request that were reached
  MatrixX y;                  // one column for each time
  double t_end = 0;           // where it ended, and there
  VectorX y_end;
  bool stopped = false;  // by the hook
  long steps = 0, rejected = 0;
};

// y at the times, which ascend and start with that of y0. Throws NumericalError if the step becomes too small, too many
// steps are needed or y is not finite.
OdeResult integrate(const OdeRate& f, const VectorX& y0, const std::vector<double>& times, const OdeOptions& options,
                    const OdeStepHook& hook = {});

// One step of the classical method of order 4; `work` is reused from step to step.
struct RungeKutta4 {
  VectorX k1, k2, k3, k4, at;
  void step(const OdeRate& f, double t, double h, VectorX& y);
};

}  // namespace elodyn
