#include "elodyn/analysis/step_control.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

constexpr int kMostLevels = 40;  // 2⁻⁴⁰ of an interval: rounding of t would begin to show

}  // namespace

ControlledRun::ControlledRun(const Integrator& integrator, const TransientProblem& problem, double start,
                             double interval, double tolerance, const MotionScale& scale)
    : integrator_(integrator),
      problem_(problem),
      start_(start),
      interval_(interval),
      tolerance_(tolerance),
      scale_(scale) {
  const double longest = integrator.find_longest_step(problem, start);
  while (length_at(lowest_) > longest && lowest_ < kMostLevels) ++lowest_;
  // A step that turns the motion of the loads by about tolerance^(1/(p+1)) rad.
  level_ = lowest_;
  const double guess = std::pow(tolerance, 1.0 / (integrator.order() + 1));
  while (length_at(level_) * scale.frequency > guess && level_ < kMostLevels / 2) ++level_;
}

double ControlledRun::length_at(int level) const { return std::ldexp(interval_, -level); }

Stepper& ControlledRun::stepper_at(int level, double t) {
  std::unique_ptr<Stepper>& stepper = steppers_[level];
  if (!stepper) stepper = integrator_.start(problem_, t, length_at(level));
  return *stepper;
}

void ControlledRun::note_size(const VectorX& x) {
  const auto n = x.size() / 2;
  scale_.place = std::max(scale_.place, x.head(n).norm());
  scale_.momentum = std::max(scale_.momentum, x.tail(n).norm());
}

double ControlledRun::calc_error(const VectorX& coarse, const VectorX& fine) const {
  const auto n = fine.size() / 2;
  const auto part = [](double difference, double size) { return difference > 0 ? difference / size : 0; };
  const double place = part((fine - coarse).head(n).norm(), std::max(scale_.place, fine.head(n).norm())),
               momentum = part((fine - coarse).tail(n).norm(), std::max(scale_.momentum, fine.tail(n).norm()));
  return std::max(place, momentum) / (std::exp2(integrator_.order()) - 1);
}

int ControlledRun::choose_level(double error, bool accepted) {
  constexpr double kSafety = 0.9, kLeast = 1e-6;
  const double k = integrator_.order() + 1, part = std::max(error / tolerance_, kLeast);
  double factor = kSafety * std::pow(part, -1 / k);
  if (accepted) factor *= std::pow(std::min(1.0, last_error_ / part), 0.4 / k);  // an error that rises
  const bool may_grow = accepted && !was_rejected_;
  if (accepted) last_error_ = part;
  was_rejected_ = !accepted;
  if (factor < 1) return level_ + std::max(accepted ? 0 : 1, static_cast<int>(std::ceil(-std::log2(factor) - 1e-9)));
  if (!accepted) return level_ + 1;
  return std::max(lowest_, factor >= 2 && may_grow ? level_ - 1 : level_);
}

bool ControlledRun::advance(int k, VectorX& x, const std::function<bool(double, const VectorX&)>& after) {
  const double begin = start_ + k * interval_;
  note_size(x);
  while (place_ < (1L << level_)) {
    const double h = length_at(level_), t = begin + static_cast<double>(place_) * h;
    Stepper &whole = stepper_at(level_, t), &half = stepper_at(level_ + 1, t);
    coarse_ = x;
    whole.set_history(history_);
    whole.step(t, coarse_);
    fine_ = x;
    half.set_history(history_);
    half.step(t, fine_);
    half.step(t + 0.5 * h, fine_);
    const double error = calc_error(coarse_, fine_);
    const bool accepted = error <= tolerance_;
    if (accepted) {
      x.swap(fine_);
      history_ = half.history();
      n_steps_ += 2;
      error_sum_ += error;
      shortest_ = std::min(shortest_, 0.5 * h);
      longest_ = std::max(longest_, 0.5 * h);
      note_size(x);
      ++place_;
    } else {
      ++n_rejected_;
      if (level_ + 1 >= kMostLevels)
        throw NumericalError(fmt::format(
            "body `{}`: the steps become shorter than {:.3g} s at t = {:.6g} s: the motion jumps or grows without "
            "bound there; use a larger `tolerance`, or `step`",
            problem_.equation->system().body->name, h, t));
    }
    const int next = std::min(choose_level(error, accepted), kMostLevels - 1);
    // A longer step must start where one of its length could have ended.
    const double end = begin + static_cast<double>(place_) * h;
    if (next > level_) {
      place_ <<= next - level_;
      level_ = next;
    } else if (next < level_ && place_ % 2 == 0) {
      place_ >>= level_ - next;
      level_ = next;
    }
    if (accepted && !after(end, x)) {
      if (place_ < (1L << level_)) return false;
      break;
    }
  }
  place_ = 0;
  return true;
}

long ControlledRun::n_factorisations() const {
  long sum = n_factored_before_;
  for (const auto& [level, stepper] : steppers_) sum += stepper->n_factorisations();
  return sum;
}

void ControlledRun::save(StateWriter& out) const {
  out.put(scale_.place);
  out.put(scale_.momentum);
  out.put(level_);
  out.put(place_);
  out.put(was_rejected_);
  out.put(last_error_);
  out.put(history_);
  out.put(n_steps_);
  out.put(n_rejected_);
  out.put(n_factorisations());
  out.put(shortest_);
  out.put(longest_);
  out.put(error_sum_);
  out.put(static_cast<int>(steppers_.size()));
  for (const auto& [level, stepper] : steppers_) {
    out.put(level);
    out.put(stepper->factored_at());
  }
}

void ControlledRun::load(StateReader& in) {
  in.get(scale_.place);
  in.get(scale_.momentum);
  in.get(level_);
  in.get(place_);
  in.get(was_rejected_);
  in.get(last_error_);
  in.get(history_);
  in.get(n_steps_);
  in.get(n_rejected_);
  in.get(n_factored_before_);
  in.get(shortest_);
  in.get(longest_);
  in.get(error_sum_);
  int n = 0;
  in.get(n);
  for (int i = 0; i < n; ++i) {
    int level = 0;
    double t = 0;
    in.get(level);
    in.get(t);
    Stepper& stepper = stepper_at(level, t);
    if (!std::isnan(t)) stepper.factor_at(t);
    n_factored_before_ -= stepper.n_factorisations();  // they are those of before, made again
  }
}

MotionScale estimate_scale(const TransientProblem& problem, double start, double end, const VectorX& x) {
  const CanonicalEquation& equation = *problem.equation;
  const auto n = equation.size();
  MotionScale scale{x.head(n).norm(), x.tail(n).norm(), 0};
  const BodySystem& s = equation.system();
  const VectorX& d = equation.scale();
  const SparseMatrix K = d.asDiagonal() * s.reduced.calc_elastic() * d.asDiagonal();
  CholeskySolver solver;
  if (s.rigid.cols() > 0 || !solver.factor(K)) return scale;
  constexpr int kSamples = 16;
  for (int i = 0; i <= (problem.is_steady ? 0 : kSamples); ++i) {
    const double t = start + (end - start) * i / kSamples;
    const VectorX f = d.cwiseProduct(s.reduced.calc_load(problem.factors_at(t)));
    if (f.isZero(0)) continue;
    const VectorX y = solver.solve(f);
    const double place = y.norm();
    if (place <= scale.place) continue;
    scale.place = place;
    scale.frequency = std::sqrt(y.dot(K * y)) / place;
  }
  scale.momentum = std::max(scale.momentum, scale.frequency * scale.place);
  return scale;
}

}  // namespace elodyn
