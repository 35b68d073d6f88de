// Steps whose error is controlled, with any integrator: each step of length h is done once more as two of h/2, and
//   error = ‖x − x̂‖ / (2^p − 1),   ‖·‖: the larger of ‖Δy‖/Y and ‖Δp‖/P                           (1)
// is the error of the two short ones, which are kept. Y, P: the largest coordinates and momenta so far, and those that
// the loads will about cause. A PI controller ([HairerWanner1996], IV.2) suggests the next h,
//   0.9 h (tol/error)^(1/(p+1)) min(1, error before/error)^(0.4/(p+1)),  rounded down to interval/2^k, so that the
//   matrices of a few lengths are factored once in a steady motion, and steps end on the times
// that are recorded. Not extrapolated: two steps of a stable, symplectic method are one, their extrapolation is not.
#pragma once

#include <map>
#include <memory>

#include "elodyn/analysis/integrator.hpp"
#include "elodyn/base/checkpoint.hpp"

namespace elodyn {

// Y and P of (1) that are to be expected, and P/Y.
struct MotionScale {
  double place = 0, momentum = 0, frequency = 0;
};

class ControlledRun {
 public:
  ControlledRun(const Integrator& integrator, const TransientProblem& problem, double start, double interval,
                double tolerance, const MotionScale& scale);

  // Steps to the end of interval k (from 0); `after(t, x)` is called after each and says whether to go on. False: it
  // did not, and the same call continues. Throws NumericalError if steps become too short.
  bool advance(int k, VectorX& x, const std::function<bool(double, const VectorX&)>& after);

  long n_steps() const { return n_steps_; }
  long n_rejected() const { return n_rejected_; }
  long n_factorisations() const;
  double shortest() const { return shortest_; }
  double longest() const { return longest_; }
  double error_sum() const { return error_sum_; }  // of (1)

  // All that the next steps depend on, besides x.
  void save(StateWriter& out) const;
  void load(StateReader& in);

 private:
  double length_at(int level) const;
  Stepper& stepper_at(int level, double t);
  double calc_error(const VectorX& coarse, const VectorX& fine) const;
  void note_size(const VectorX& x);
  int choose_level(double error, bool accepted);

  const Integrator& integrator_;
  const TransientProblem& problem_;
  double start_, interval_, tolerance_;
  MotionScale scale_;
  int lowest_ = 0, level_ = 0;
  long place_ = 0;  // in the interval, in steps of this level
  bool was_rejected_ = false;
  double last_error_ = 1;
  VectorX history_;
  std::map<int, std::unique_ptr<Stepper>> steppers_;
  long n_steps_ = 0, n_rejected_ = 0, n_factored_before_ = 0;
  double shortest_ = std::numeric_limits<double>::infinity(), longest_ = 0, error_sum_ = 0;
  VectorX coarse_, fine_, fine_history_;
};

// From the static deflections under the loads at some times between start and end, and from x.
MotionScale estimate_scale(const TransientProblem& problem, double start, double end, const VectorX& x);

}  // namespace elodyn
