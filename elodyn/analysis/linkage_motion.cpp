#include "elodyn/analysis/linkage_motion.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {

void LinkageStepper::step(double t, double h, MatrixX& X, bool loaded) {
  const auto n = linkage_.n();
  const auto stages = method_.b.size();
  linkage_.calc_joints(t + 0.5 * h, terms_);
  chart_.choose(t + 0.5 * h, terms_.A);
  const MatrixX s0 = chart_.restrict(X.topRows(n)), w0 = chart_.restrict(X.bottomRows(n));
  const auto m = s0.rows();
  const MatrixX B = method_.B / h, B2 = B * B;
  stages_.resize(static_cast<size_t>(stages));
  A_.resize(stages * m, stages * m);
  Z_.resize(stages * m, X.cols());
  for (Eigen::Index i = 0; i < stages; ++i) {
    const double at = t + method_.c[i] * h;
    if (stages > 1 || i > 0) linkage_.calc_joints(at, terms_);
    linkage_.calc_matrices(at, terms_);
    chart_.set(terms_);
    LinkageChart::Reduced& stage = stages_[static_cast<size_t>(i)];
    chart_.reduce(terms_, stage);
    auto right = Z_.middleRows(i * m, m);
    right.noalias() = B.row(i).sum() * (stage.M * w0) - stage.K * s0;
    if (loaded) right.rightCols(1) += stage.f;
    for (Eigen::Index k = 0; k < stages; ++k) A_.block(i * m, k * m, m, m) = B2(i, k) * stage.M + B(i, k) * stage.C;
    A_.block(i * m, i * m, m, m) += stage.K;
  }
  if (!solve_in_place(A_, Z_))
    throw NumericalError(fmt::format("the matrix of a time step of the joined links is singular at t = {:.6g} s", t));
  const VectorX weights = method_.B.transpose() * method_.b;
  MatrixX s1 = s0, w1 = (1 - weights.sum()) * w0;
  for (Eigen::Index i = 0; i < stages; ++i) {
    s1 += weights[i] * Z_.middleRows(i * m, m);
    for (Eigen::Index j = 0; j < stages; ++j) w1 += weights[i] * B(i, j) * Z_.middleRows(j * m, m);
  }
  linkage_.calc_joints(t + h, terms_);
  chart_.set(terms_);
  X.topRows(n) = chart_.expand(s1);
  X.bottomRows(n) = chart_.expand_rate(s1, w1);
}

namespace {

// Chart and reduced equation at one instant.
struct Instant {
  LinkageTerms terms;
  LinkageChart chart;
  LinkageChart::Reduced reduced;
  Instant(const Linkage& linkage, double t) : chart(linkage) {
    linkage.calc_terms(t, terms);
    chart.choose(t, terms.A);
    chart.set(terms);
    chart.reduce(terms, reduced);
  }
};

LinkageState make_state(const Instant& at, double t, const VectorX& y, const VectorX& y_rate) {
  const VectorX s = at.chart.restrict(y), s_rate = at.chart.restrict(y_rate);
  MatrixX M = at.reduced.M, second = at.reduced.f - at.reduced.C * s_rate - at.reduced.K * s;
  if (!solve_in_place(M, second))
    throw NumericalError(fmt::format("the mass of the joined links is singular at t = {:.6g} s", t));
  LinkageState out{t, y, y_rate, at.chart.expand_second(s, s_rate, second), {}};
  out.delta_lambda = at.chart.calc_delta_lambda(at.terms, y, y_rate, out.y_second);
  return out;
}

}  // namespace

LinkageState calc_linkage_state(const Linkage& linkage, double t, const VectorX& y, const VectorX& y_rate) {
  return make_state(Instant(linkage, t), t, y, y_rate);
}

LinkageState calc_quasi_static(const Linkage& linkage, double t) {
  const Instant at(linkage, t);
  LinkageChart::Reduced frozen;
  at.chart.reduce_frozen(at.terms, frozen);
  MatrixX s = frozen.f;
  if (!solve_in_place(frozen.K, s))
    throw NumericalError(fmt::format("the stiffness of the joined links is singular at t = {:.6g} s", t));
  const MatrixX zero = MatrixX::Zero(s.rows(), 1);
  return make_state(at, t, at.chart.expand(s), at.chart.expand_rate(s, zero));
}

std::vector<LinkageState> run_linkage(const Linkage& linkage, const LinkageState& start, double step, int steps,
                                      int every) {
  constexpr int kStages = 2;
  const auto n = linkage.n();
  MatrixX X(2 * n, 1);
  X << start.y, start.y_rate;
  LinkageStepper stepper(linkage, make_gauss(kStages));
  std::vector<LinkageState> out = {start};
  Progress progress("linkage", steps);
  for (int k = 1; k <= steps; ++k) {
    throw_if_interrupted();
    stepper.step(start.t + step * (k - 1), step, X, true);
    if (!X.allFinite())
      throw NumericalError(
          fmt::format("the joined links vibrate beyond all numbers by t = {:.6g} s: the motion is "
                      "unstable, or the step too long",
                      start.t + step * k));
    if (k % every == 0 || k == steps)
      out.push_back(calc_linkage_state(linkage, start.t + step * k, X.topRows(n).col(0), X.bottomRows(n).col(0)));
    progress.advance();
  }
  return out;
}

namespace {

// Largest change of a coordinate that is a length, relative to the largest one.
double calc_change(const Linkage& linkage, const std::vector<LinkageState>& states,
                   const std::vector<LinkageState>& before) {
  double size = 0, change = 0;
  for (size_t k = 0; k < states.size(); ++k)
    for (Eigen::Index i = 0; i < linkage.n(); ++i) {
      if (linkage.units()[i] != 1) continue;
      size = std::max(size, std::abs(states[k].y[i]));
      change = std::max(change, std::abs(states[k].y[i] - before[k].y[i]));
    }
  return size > 0 ? change / size : 0;
}

// A period in equal steps, from the independent coordinates and speeds at its start.
class Shooting {
 public:
  Shooting(const Linkage& linkage, const Period& period)
      : linkage_(linkage), period_(period), start_(linkage, period.start), m_(start_.chart.size()) {}

  // Φ, and p as the last column.
  MatrixX calc_map(const GaussCoefficients& method, int steps) const {
    MatrixX x = MatrixX::Zero(2 * m_, 2 * m_ + 1);
    x.leftCols(2 * m_).setIdentity();
    MatrixX X = unpack(x);
    LinkageStepper stepper(linkage_, method);
    Progress progress("linkage", steps);
    advance(stepper, steps, X, [&](int) { progress.advance(); });
    x.topRows(m_) = start_.chart.restrict(X.topRows(linkage_.n()));
    x.bottomRows(m_) = start_.chart.restrict(X.bottomRows(linkage_.n()));
    if (!x.allFinite())
      throw NumericalError("the joined links vibrate beyond all numbers within a period: the motion is unstable");
    return x;
  }

  LinkagePeriod find_steady(int records, int per_record) const {
    LinkagePeriod out;
    out.steps = per_record * records;
    const MatrixX map = calc_map(make_radau(), out.steps);
    const MatrixX Phi = map.leftCols(2 * m_);
    MatrixX system = MatrixX::Identity(2 * m_, 2 * m_) - Phi, steady = map.rightCols(1);
    out.nearest_resonance = (calc_multipliers(Phi).array() - std::complex<double>(1)).abs().minCoeff();
    if (!solve_in_place(system, steady) || !steady.allFinite())
      throw NumericalError(
          "a mode of the joined links is at resonance with the motion, and nothing damps it: give the "
          "links damping");
    MatrixX X = unpack(steady);
    LinkageStepper stepper(linkage_, make_radau());
    const auto n = linkage_.n();
    advance(stepper, out.steps, X, [&](int k) {
      if (k % per_record == 0)
        out.states.push_back(
            calc_linkage_state(linkage_, time(k, out.steps), X.topRows(n).col(0), X.bottomRows(n).col(0)));
    });
    return out;
  }

  // By Gauss's method, which damps nothing. With half as many steps it must be about the same.
  void find_growth(LinkagePeriod& out) const {
    constexpr int kMostSteps = 4096;
    double before = calc_growth(std::max(1, out.steps / 2));
    for (int steps = out.steps;; steps *= 2) {
      out.largest_multiplier = calc_growth(steps);
      out.multiplier_change = std::abs(out.largest_multiplier - before);
      if (out.multiplier_change <= LinkagePeriod::kKnown || 2 * steps > kMostSteps) return;
      before = out.largest_multiplier;
    }
  }

 private:
  static Eigen::VectorXcd calc_multipliers(MatrixX Phi) {
    Eigen::VectorXcd values;
    Eigen::MatrixXcd vectors;
    general_eigen(Phi, values, vectors);
    return values;
  }
  double calc_growth(int steps) const {
    constexpr int kStages = 2;
    return calc_multipliers(calc_map(make_gauss(kStages), steps).leftCols(2 * m_)).cwiseAbs().maxCoeff();
  }
  double time(int k, int steps) const { return period_.start + period_.length * k / steps; }
  MatrixX unpack(const MatrixX& x) const {
    MatrixX X(2 * linkage_.n(), x.cols());
    X.topRows(linkage_.n()) = start_.chart.expand(x.topRows(m_));
    X.bottomRows(linkage_.n()) = start_.chart.expand_rate(x.topRows(m_), x.bottomRows(m_));
    return X;
  }
  // look(k) before each step and after the last one.
  void advance(LinkageStepper& stepper, int steps, MatrixX& X, const auto& look) const {
    for (int k = 0; k <= steps; ++k) {
      throw_if_interrupted();
      look(k);
      if (k < steps) stepper.step(time(k, steps), period_.length / steps, X, true);
    }
  }

  const Linkage& linkage_;
  const Period& period_;
  Instant start_;
  Eigen::Index m_;
};

}  // namespace

LinkagePeriod find_steady(const Linkage& linkage, const Period& period, int records, double tolerance) {
  constexpr int kMostSteps = 1 << 17;
  const Shooting shooting(linkage, period);
  int per_record = 1;
  LinkagePeriod out = shooting.find_steady(records, per_record);
  for (;;) {
    const std::vector<LinkageState> before = std::move(out.states);
    per_record *= 2;
    out = shooting.find_steady(records, per_record);
    out.change = calc_change(linkage, out.states, before);
    if (out.change <= tolerance) break;
    if (out.steps >= kMostSteps)
      throw NumericalError(fmt::format(
          "the displacements of the joined links still change by {:.1e} with {} steps in a period: the motion or a "
          "load jumps, or an undamped mode is at resonance (least |1 − μ| = {:.1e}); use a larger `tolerance` or give "
          "the links damping",
          out.change, out.steps, out.nearest_resonance));
  }
  shooting.find_growth(out);
  return out;
}

std::vector<double> calc_frozen_frequencies(const Linkage& linkage, double t, int count) {
  const Instant at(linkage, t);
  LinkageChart::Reduced frozen;
  at.chart.reduce_frozen(at.terms, frozen);
  const auto m = at.chart.size();
  MatrixX right(m, 2 * m);
  right << -frozen.K, -frozen.C;
  if (!solve_in_place(frozen.M, right))
    throw NumericalError(fmt::format("the mass of the joined links is singular at t = {:.6g} s", t));
  MatrixX A = MatrixX::Zero(2 * m, 2 * m);
  A.topRightCorner(m, m).setIdentity();
  A.bottomRows(m) = right;
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
  general_eigen(A, values, vectors);
  std::vector<double> out;
  for (const std::complex<double>& value : values)
    if (value.imag() > 0) out.push_back(value.imag());
  std::sort(out.begin(), out.end());
  out.resize(std::min(out.size(), static_cast<size_t>(count)));
  return out;
}

}  // namespace elodyn
