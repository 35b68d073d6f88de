#include "elodyn/analysis/period.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

constexpr int kMeanSamples = 16;  // of a period

// Samples of one kind of factors in a period: how large they are and how fast they change.
struct FactorSize {
  double size = 0, steepest = 0;  // steepest: change in a period at the largest rate
};

}  // namespace

Period find_period(const BodySystem& s, std::optional<double> length, std::optional<double> start,
                   const std::string& analysis) {
  const Motion& motion = s.body->motion;
  const Cycle* cycle = motion.kind == Motion::Kind::mechanism && motion.table->cycle ? &*motion.table->cycle : nullptr;
  if (length) return {start.value_or(cycle ? cycle->start : 0), *length, cycle};
  if (motion.kind == Motion::Kind::spin && motion.speed != 0)
    return {start.value_or(0), 2 * std::numbers::pi / std::abs(motion.speed), nullptr};
  if (motion.kind == Motion::Kind::mechanism && !cycle)
    throw NumericalError(
        fmt::format("body `{}`: no joint of its mechanism makes a whole turn, so [analysis.{}] needs `period`, or the "
                    "mechanism a longer `duration`",
                    s.body->name, analysis));
  if (!cycle)
    throw NumericalError(
        fmt::format("body `{}` does not spin, so [analysis.{}] needs `period`", s.body->name, analysis));
  return {start.value_or(cycle->start), cycle->period, cycle};
}

// A period that is given in decimals drifts by k times its error; one that is so short that nothing changes in it shows
// after many.
void require_periodic(const BodySystem& s, const Period& period, double share, std::vector<std::string>& warnings) {
  if (period.cycle && period.length == period.cycle->period) {
    const Cycle& cycle = *period.cycle;
    if (cycle.is_periodic) return;
    const std::string what = fmt::format(
        "body `{}`: from one cycle of joint `{}` to the next, {:.6g} s, motion and forces of the mechanism change by "
        "{:.1e} of their size",
        s.body->name, cycle.joint, cycle.period, cycle.return_error);
    if (cycle.return_error > share)
      throw NumericalError(what +
                           ": it does not repeat itself, or has not settled yet; lengthen `duration` of "
                           "[analysis.mechanism]");
    warnings.push_back(what + ": the result is no better than that");
    return;
  }
  constexpr int kSamples = 32, kDoublings = 40;
  constexpr double kRounded = 1e-6;  // of a period in decimals
  constexpr double kNothing = 1e-9;  // of the factors: does not count as change
  using Kind = std::pair<VectorX FactorValues::*, const char*>;
  const Kind kinds[] = {{&FactorValues::w, "the angular velocity"},
                        {&FactorValues::e, "the angular acceleration"},
                        {&FactorValues::a, "the acceleration"},
                        {&FactorValues::load, "the factor of a load"}};
  const auto largest = [](const VectorX& v) { return v.size() == 0 ? 0 : v.lpNorm<Eigen::Infinity>(); };
  const auto time = [&](int i) { return period.start + period.length * i / kSamples; };
  std::vector<FactorValues> samples(kSamples + 1);
  for (int i = 0; i <= kSamples; ++i) s.calc_factors(time(i), samples[static_cast<size_t>(i)]);
  FactorSize sizes[std::size(kinds)];
  for (size_t k = 0; k < std::size(kinds); ++k)
    for (size_t i = 0; i < kSamples; ++i) {
      const VectorX &x = samples[i].*kinds[k].first, &y = samples[i + 1].*kinds[k].first;
      sizes[k].size = std::max(sizes[k].size, largest(x));
      sizes[k].steepest = std::max(sizes[k].steepest, kSamples * largest(y - x));
    }
  FactorValues later;
  double periods = 1;
  for (int doubling = 0; doubling <= kDoublings; ++doubling, periods *= 2)
    for (int i = 0; i < kSamples; ++i) {
      const double t = time(i) + periods * period.length;
      const Motion& motion = s.body->motion;
      if (doubling > 0 && motion.has_table() && !motion.table->contains(motion.table->fold(t))) return;
      s.calc_factors(t, later);
      for (size_t k = 0; k < std::size(kinds); ++k) {
        const auto& [factors, what] = kinds[k];
        const double change = largest(VectorX(later.*factors - samples[static_cast<size_t>(i)].*factors));
        if (change > kNothing * sizes[k].size + periods * kRounded * sizes[k].steepest)
          throw NumericalError(fmt::format(
              "body `{}`: {} at t = {:.6g} s is not what it is {:.6g} s later{}: `period` is not one of its motion and "
              "loads",
              s.body->name, what, time(i), periods * period.length,
              periods > 1 ? fmt::format(", after {:.0f} periods", periods) : ""));
      }
    }
}

PeriodBasis make_period_basis(const CanonicalEquation& equation, const Period& period, int count) {
  const BodySystem& s = equation.system();
  const auto calc_K = [&](int i) {
    const double t = period.start + period.length * i / kMeanSamples;
    return equation.calc_terms(s.calc_factors(t), FrameRate::moving).K;
  };
  SparseMatrix K = calc_K(0);
  for (int i = 1; i < kMeanSamples; ++i) K += calc_K(i);
  K = K / kMeanSamples;
  CholeskySolver solver;
  MatrixX rigid(K.rows(), 0);
  if (s.rigid.cols() > 0 || !solver.factor(K)) {
    const VectorX& d = equation.scale();
    K = d.asDiagonal() * s.reduced.calc_elastic() * d.asDiagonal();
    rigid = d.cwiseInverse().asDiagonal() * s.rigid;
  }
  SymmetricModes modes = solve_symmetric_modes(K, equation.mass(), count, rigid);
  return {std::move(modes.vectors), std::move(modes.squares), std::move(K)};
}

PeriodMap::PeriodMap(const CanonicalEquation& equation, const MatrixX& basis, GaussCoefficients method)
    : system_(equation.system()), projected_(equation, basis), g_(std::move(method)) {
  ELODYN_REQUIRE(g_.b.size() == 3);
  const std::vector<LoadTerm>& loads = system_.reduced.loads;
  loads_.resize(basis.cols(), static_cast<Eigen::Index>(loads.size()));
  for (size_t j = 0; j < loads.size(); ++j)
    loads_.col(static_cast<Eigen::Index>(j)) =
        loads[j].coefficient * (basis.transpose() * equation.scale().cwiseProduct(loads[j].values));
}

VectorX PeriodMap::calc_load(const FactorValues& at) const {
  VectorX out = VectorX::Zero(loads_.rows());
  for (size_t j = 0; j < system_.reduced.loads.size(); ++j)
    out += at(system_.reduced.loads[j].factor) * loads_.col(static_cast<Eigen::Index>(j));
  return out;
}

void PeriodMap::step(double t, double h, MatrixX& X, bool loaded) {
  const auto s = g_.b.size(), m = size();
  for (Eigen::Index i = 0; i < s; ++i) {
    system_.calc_factors(t + g_.c[i] * h, factors_);
    projected_.calc_terms(factors_, terms_[i]);
    terms_[i].K += terms_[i].N;
    if (loaded) load_[i] = calc_load(factors_);
  }
  const MatrixX B = g_.B / h, B2 = B * B;
  A_.resize(s * m, s * m);
  Z_.resize(s * m, X.cols());
  for (Eigen::Index i = 0; i < s; ++i) {
    auto right = Z_.middleRows(i * m, m);
    right.noalias() = -terms_[i].K * X.topRows(m);
    if (loaded) right.rightCols(1) += load_[i];
    for (Eigen::Index k = 0; k < s; ++k) {
      A_.block(i * m, k * m, m, m) = B(i, k) * (terms_[i].C + terms_[k].C + terms_[i].D);
      A_.block(i * m, k * m, m, m).diagonal().array() += B2(i, k);
      right += B(i, k) * X.bottomRows(m);
      right.noalias() -= B(i, k) * (terms_[k].C * X.topRows(m));
    }
    A_.block(i * m, i * m, m, m) += terms_[i].K;
  }
  if (!solve_in_place(A_, Z_))
    throw NumericalError(
        fmt::format("body `{}`: the matrix of a time step is singular at t = {:.6g} s", system_.body->name, t));
  const VectorX weights = g_.B.transpose() * g_.b;
  MatrixX change = MatrixX::Zero(2 * m, X.cols());
  for (Eigen::Index i = 0; i < s; ++i) {
    MatrixX v = B(i, 0) * Z_.topRows(m);
    for (Eigen::Index j = 1; j < s; ++j) v += B(i, j) * Z_.middleRows(j * m, m);
    change.topRows(m) += weights[i] * Z_.middleRows(i * m, m);
    change.bottomRows(m) -=
        g_.b[i] * h * ((terms_[i].C + terms_[i].D) * v + terms_[i].K * (X.topRows(m) + Z_.middleRows(i * m, m)));
    if (loaded) change.bottomRows(m).rightCols(1) += g_.b[i] * h * load_[i];
  }
  X += change;
}

void PeriodMap::advance(const Period& period, int steps, MatrixX& X, bool loaded, Progress* progress) {
  const double h = period.length / steps;
  for (int k = 0; k < steps; ++k) {
    throw_if_interrupted();
    step(period.start + period.length * k / steps, h, X, loaded);
    if (!X.allFinite())
      throw NumericalError(
          fmt::format("body `{}`: small motions grow beyond all numbers by t = {:.6g} s, within one period of {:.6g} "
                      "s: the motion is unstable, or its period too long to tell by multipliers; use a shorter "
                      "`period` or a faster motion, or `elodyn modes` of the body as it stands at one time",
                      system_.body->name, period.start + period.length * (k + 1) / steps, period.length));
    if (progress) progress->advance();
  }
}

}  // namespace elodyn
