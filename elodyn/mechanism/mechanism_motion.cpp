#include "elodyn/mechanism/mechanism_motion.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/ode.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/text.hpp"

namespace elodyn {
namespace {

// Below this pivot a position is called singular: rows of unit length nearly depend on each other.
constexpr double kSingular = 1e-6;

// A motor, force or spring that is no number; empty: none.
std::string describe_bad_force(const Mechanism& mechanism, const MechanismInstant& at) {
  for (size_t i = 0; i < mechanism.sources().size(); ++i) {
    const auto& source = mechanism.sources()[i];
    const double value = at.source[static_cast<Eigen::Index>(i)];
    if (std::isfinite(value)) continue;
    const char* kind = source.kind == Mechanism::Source::Kind::motor ? "motor"
                       : source.x >= 0                               ? "force"
                                                                     : "force or spring";
    std::string out = fmt::format("{} {} is {} at t = {:.6g} s", kind, source.name, value, at.t);
    if (source.x >= 0)
      out += fmt::format(", where joint {} has x = {:.6g} and v = w = {:.6g}", mechanism.coordinate_name(source.x),
                         at.x[source.x], at.x_rate[source.x]);
    return out + "; change its expression so that it is a number there";
  }
  return {};
}

class Recorder {
 public:
  Recorder(const Mechanism& mechanism, MotionSolver& solver, MechanismMotion& out, size_t n)
      : mechanism_(mechanism), solver_(solver), out_(out) {
    const auto count = static_cast<Eigen::Index>(n);
    out.q.resize(mechanism.n_q(), count);
    out.v.resize(mechanism.n_v(), count);
    out.a.resize(mechanism.n_v(), count);
    for (MatrixX* part : {&out.x, &out.x_rate, &out.x_acceleration, &out.friction})
      part->setZero(mechanism.n_x(), count);
    out.lambda.resize(mechanism.n_rows(), count);
    out.source.resize(static_cast<Eigen::Index>(mechanism.sources().size()), count);
    out.driver.resize(static_cast<Eigen::Index>(mechanism.drivers().size()), count);
    for (VectorX* part : {&out.kinetic, &out.potential, &out.power, &out.work}) part->setZero(count);
  }

  // `at` holds the state.
  void record(const MechanismState& state, const MechanismInstant& at, double work) {
    const auto k = static_cast<Eigen::Index>(out_.times.size());
    if (const std::string bad = describe_bad_force(mechanism_, at); !bad.empty()) throw NumericalError(bad);
    solver_.solve(at, a_);
    if (!a_.allFinite() || !std::isfinite(at.kinetic + at.potential))
      throw NumericalError(fmt::format(
          "accelerations or energies of the mechanism are no finite numbers at t = {:.6g} s: masses, lengths or speeds "
          "are too large, or a driver's expression is no number there",
          state.t));
    ++out_.evaluations;
    if (solver_.rows().redundant.empty())
      solver_.calc_lambda(at, a_, lambda_);
    else
      solver_.calc_shortest_lambda(at, a_, lambda_);
    out_.times.push_back(state.t);
    out_.q.col(k) = state.q;
    out_.v.col(k) = state.v;
    out_.a.col(k) = a_;
    out_.x.col(k) = at.x;
    out_.x_rate.col(k) = at.x_rate;
    out_.x_acceleration.col(k) = at.J * a_ + at.bias;
    out_.lambda.col(k) = lambda_;
    out_.friction.col(k) = solver_.friction();
    out_.source.col(k) = at.source;
    double power = at.power + solver_.friction().dot(at.x_rate);
    for (size_t i = 0; i < mechanism_.drivers().size(); ++i) {
      const auto& driver = mechanism_.drivers()[i];
      out_.driver(static_cast<Eigen::Index>(i), k) = lambda_[driver.row];
      power += lambda_[driver.row] * at.x_rate[driver.x];
    }
    out_.kinetic[k] = at.kinetic;
    out_.potential[k] = at.potential;
    out_.power[k] = power;
    out_.work[k] = work;
    if (at.phi.size() > 0) out_.drift.position = std::max(out_.drift.position, at.phi.cwiseAbs().maxCoeff());
    if (at.b.size() > 0)
      out_.drift.velocity = std::max(out_.drift.velocity, (at.A * state.v - at.b).cwiseAbs().maxCoeff());
    require_redundant(state, at);
  }

  // Rows that followed from the others at the start, and were left out, must go on doing so: drivers may agree at
  // first.
  void require_redundant(const MechanismState& state, const MechanismInstant& at) const {
    constexpr double kMet = 1e-6;
    for (const int row : solver_.rows().redundant) {
      // As a gap of a point: rows of angles are made as long as those of lengths.
      const double length = at.A.row(row).cwiseQuotient(mechanism_.units().transpose()).norm();
      if (!(length > 0)) continue;
      const double gap = row < mechanism_.n_holonomic() ? std::abs(at.phi[row]) / length : 0;
      if (gap <= kMet * mechanism_.size()) continue;
      std::string drivers;
      for (const auto& driver : mechanism_.drivers())
        drivers += (drivers.empty() ? "" : " and ") +
                   fmt::format("driver {} of joint {}", driver.name, mechanism_.coordinate_name(driver.x));
      throw NumericalError(fmt::format(
          "{} followed from the others at the start, but does not at t = {:.6g} s, where a gap of {:.4g} m is "
          "left{}",
          mechanism_.row_name(row), state.t, gap,
          drivers.empty() ? "; leave out a joint that holds what others hold, or make their dimensions agree"
                          : ": " + drivers + " contradict each other or the joints; leave one of them out"));
    }
  }

  void finish() {
    const auto n = static_cast<Eigen::Index>(out_.times.size());
    for (MatrixX* part : {&out_.q, &out_.v, &out_.a, &out_.x, &out_.x_rate, &out_.x_acceleration, &out_.lambda,
                          &out_.friction, &out_.source, &out_.driver})
      part->conservativeResize(Eigen::NoChange, n);
    for (VectorX* part : {&out_.kinetic, &out_.potential, &out_.power, &out_.work}) part->conservativeResize(n);
  }

 private:
  const Mechanism& mechanism_;
  MotionSolver& solver_;
  MechanismMotion& out_;
  VectorX a_, lambda_;
};

// What was recorded before a failure is kept, if that is wanted.
template <class Work>
void keep_failure(const MotionOptions& options, MechanismMotion& out, const Work& work) {
  if (!options.keeps_partial) return work();
  try {
    work();
  } catch (const NumericalError& error) {
    out.failure = error.what();
  }
}

// The position at one end of a step, with two derivatives.
struct StepEnd {
  double t = 0, work = 0, power = 0;
  VectorX q, q_rate, q_second, x;
};

// Weights of (y₀, hẏ₀, h²ÿ₀, y₁, hẏ₁, h²ÿ₁) in the quintic through them, at s in [0, 1].
struct Quintic {
  std::array<double, 6> value, slope;
  explicit Quintic(double s) {
    const double s2 = s * s, s3 = s2 * s, s4 = s3 * s, s5 = s4 * s;
    value = {1 - 10 * s3 + 15 * s4 - 6 * s5, s - 6 * s3 + 8 * s4 - 3 * s5, 0.5 * s2 - 1.5 * s3 + 1.5 * s4 - 0.5 * s5,
             10 * s3 - 15 * s4 + 6 * s5,     -4 * s3 + 7 * s4 - 3 * s5,    0.5 * s3 - s4 + 0.5 * s5};
    slope = {-30 * s2 + 60 * s3 - 30 * s4, 1 - 18 * s2 + 32 * s3 - 15 * s4, s - 4.5 * s2 + 6 * s3 - 2.5 * s4,
             30 * s2 - 60 * s3 + 30 * s4,  -12 * s2 + 28 * s3 - 15 * s4,    1.5 * s2 - 4 * s3 + 2.5 * s4};
  }
};

// The smallest pivot has a cusp where the position is singular: it goes down to it and up again like |t − t*|. Lines
// through the pivots before and after the lowest one meet there.
class PivotWatch {
 public:
  void look(const Mechanism& mechanism, const MotionSolver& solver, double t,
            std::vector<MechanismMotion::Singular>& singular) {
    pivots_[0] = pivots_[1];
    pivots_[1] = pivots_[2];
    pivots_[2] = {t, solver.smallest_pivot(), solver.weakest_row()};
    if (!(pivots_[1].value < pivots_[0].value && pivots_[1].value <= pivots_[2].value)) return;
    // Signed: p₀ down to −p₂ along a line passes zero between.
    const double slope = (pivots_[0].value + pivots_[2].value) / (pivots_[2].t - pivots_[0].t);
    const double t_zero = pivots_[0].t + pivots_[0].value / slope;
    const double at_middle = pivots_[0].value - slope * (pivots_[1].t - pivots_[0].t);
    const bool is_line =
        std::abs(std::abs(at_middle) - pivots_[1].value) <= 0.2 * (pivots_[0].value + pivots_[2].value);
    if (pivots_[1].value <= kSingular || (is_line && solver.is_near_singular(pivots_[1].value)))
      singular.push_back({t_zero, mechanism.row_name(pivots_[1].row), pivots_[1].value});
  }

 private:
  struct Pivot {
    double t = 0, value = 0;
    int row = 0;
  };
  std::array<Pivot, 3> pivots_;
};

class DynamicRun {
 public:
  DynamicRun(const Mechanism& mechanism, const Assembly& assembly, const MotionOptions& options)
      : mechanism_(mechanism),
        options_(options),
        solver_(mechanism, assembly.rows, options.formalism),
        at_(mechanism.make_instant()),
        state_(assembly.state),
        recorder_(mechanism, solver_, out_, options.times.size() + 1),
        n_q_(mechanism.n_q()),
        n_v_(mechanism.n_v()) {}

  MechanismMotion run() {
    state_.t = options_.times.front();
    solver_.project_positions(state_, at_);
    solver_.project_velocities(state_, at_);
    state_.x = at_.x;
    recorder_.record(state_, at_, 0);
    const double duration = options_.times.back() - options_.times.front();
    Progress progress("mechanism", std::max(duration, kEps));
    keep_failure(options_, out_, [&] {
      if (duration > 0) march(duration, progress);
    });
    recorder_.finish();
    return std::move(out_);
  }

 private:
  void march(double duration, Progress& progress) {
    const OdeRate rate = [this](double t, const VectorX& y, VectorX& out) { calc_rate(t, y, out); };
    VectorX y(n_q_ + n_v_ + 1), next(y.size());
    y << state_.q, state_.v, 0;
    double h = 1e-3 * duration;
    method_.start(rate, state_.t, y);
    keep_end(start_, state_.t, y, method_.first_rate());
    size_t next_record = 1;
    double t = state_.t;
    // A force that jumps where it holds the motion at the jump, as dry friction that is not smoothed: steps neither
    // fail nor come on. At such a pace more would be needed than there may be.
    constexpr long kWindow = 100'000;
    constexpr int kPatience = 3;
    const double pace = duration * static_cast<double>(kWindow) / static_cast<double>(options_.max_steps);
    double at_window = t;
    int slow = 0;
    for (long tries = 1;; ++tries) {
      if (next_record == options_.times.size() || out_.stopped) return;
      if (tries % kWindow == 0) {
        slow = t - at_window < pace ? slow + 1 : 0;
        if (slow == kPatience) throw_stuck(t, y);
        at_window = t;
      }
      if (is_interrupted()) {
        out_.interrupted = true;
        return;
      }
      progress.set_done(t - options_.times.front());
      const double left = options_.times.back() - t;
      const bool reaches = h >= left * (1 - 1e-12);
      const double step = reaches ? left : h;
      lowest_pivot_ = 1;
      method_.step(rate, t, step, y, next);
      const double error = calc_error(step, y, next);
      const double change = calc_step_change(error);
      if (!(error <= 1)) {
        ++out_.rejected;
        h = step * (std::isfinite(error) ? change : 0.1);
        if (h < 1e-13 * std::max(duration, std::abs(t))) throw_stuck(t, y);
        continue;
      }
      const double before = t;
      t = reaches ? options_.times.back() : t + step;
      ++out_.steps;
      if (out_.steps > options_.max_steps)
        throw NumericalError(
            fmt::format("the mechanism has taken {} steps and is at t = {:.6g} s of {:.6g} s; allow "
                        "a larger tolerance, or smooth what is fast in its forces",
                        options_.max_steps, t, options_.times.back()));
      y.swap(next);
      project(t, y);
      fill_rate(method_.first_rate());
      keep_end(end_, t, y, method_.first_rate());
      const double change_of_energy = at_.kinetic + at_.potential - out_.kinetic[0] - out_.potential[0];
      out_.energy_error = std::max(out_.energy_error, std::abs(change_of_energy - end_.work));
      pivots_.look(mechanism_, solver_, t, out_.singular);
      near_singular_ = solver_.is_near_singular();
      double stop_at = INFINITY;
      find_events(before, t, stop_at);
      for (; next_record < options_.times.size() && options_.times[next_record] <= std::min(t, stop_at); ++next_record)
        record_at(options_.times[next_record]);
      if (std::isfinite(stop_at)) {
        if (out_.times.back() < stop_at) record_at(stop_at);
        out_.stopped = true;
      }
      std::swap(start_, end_);
      state_.x = start_.x;
      h = reaches && change > 1 ? h : step * change;
    }
  }

  void calc_rate(double t, const VectorX& y, VectorX& out) {
    state_.t = t;
    state_.q = y.head(n_q_);
    state_.v = y.segment(n_q_, n_v_);
    if (near_singular_) {
      solver_.project_positions(state_, at_);
      solver_.project_velocities(state_, at_);
    } else {
      mechanism_.evaluate(state_, at_);
    }
    solver_.solve(at_, a_);
    lowest_pivot_ = std::min(lowest_pivot_, solver_.smallest_pivot());
    fill_rate(out);
  }

  // Of the state and its accelerations.
  void fill_rate(VectorX& out) {
    ++out_.evaluations;
    out.resize(n_q_ + n_v_ + 1);
    mechanism_.calc_q_rate(state_.q, state_.v, q_rate_);
    out.head(n_q_) = q_rate_;
    out.segment(n_q_, n_v_) = a_;
    double power = at_.power;
    if (mechanism_.has_coulomb()) power += solver_.friction().dot(at_.x_rate);
    if (!mechanism_.drivers().empty()) {
      solver_.calc_lambda(at_, a_, lambda_);
      for (const auto& driver : mechanism_.drivers()) power += lambda_[driver.row] * at_.x_rate[driver.x];
    }
    out[n_q_ + n_v_] = power;
  }

  // Lengths by the size of the mechanism, angles by one, speeds by the largest that was seen. Near a singular position
  // the round-off of accelerations grows as its pivot goes down, and no shorter step makes it less.
  double calc_error(double h, const VectorX& from, const VectorX& to) {
    double fastest = 0;
    for (int i = 0; i < n_v_; ++i)
      fastest = std::max(
          {fastest, std::abs(from[n_q_ + i]) * mechanism_.units()[i], std::abs(to[n_q_ + i]) * mechanism_.units()[i]});
    speed_ = std::max(speed_, fastest);
    const double size = mechanism_.size();
    const double speed = std::max(speed_, size / (options_.times.back() - options_.times.front()));
    const double tolerance =
        near_singular_ ? std::max(options_.tolerance, 64 * kEps / std::max(lowest_pivot_, 1e-6)) : options_.tolerance;
    double largest = 0;
    const auto take = [&](double error, double scale) {
      const double share = std::abs(error) / (tolerance * scale);
      if (!(share <= largest)) largest = share;
    };
    for (const auto& body : mechanism_.bodies()) {
      const int lengths = mechanism_.is_planar() ? 2 : 3;
      for (int k = 0; k < body.n_q; ++k) take(method_.error(h, body.q0 + k), k < lengths ? size : 1);
    }
    for (int i = 0; i < n_v_; ++i) take(method_.error(h, n_q_ + i) * mechanism_.units()[i], speed);
    return largest;
  }

  // The last stage was taken at y, so state, instant and factors are those of y; unless it was projected itself.
  void project(double t, VectorX& y) {
    state_.t = t;
    if (near_singular_) {
      state_.q = y.head(n_q_);
      state_.v = y.segment(n_q_, n_v_);
      mechanism_.evaluate(state_, at_);
      solver_.solve(at_, a_);
    }
    const MotionSolver::Gaps gaps = solver_.project_solved(state_, at_);
    out_.step_drift.position = std::max(out_.step_drift.position, gaps.position);
    out_.step_drift.velocity = std::max(out_.step_drift.velocity, gaps.velocity);
    solver_.solve_again(at_, a_);
    y.head(n_q_) = state_.q;
    y.segment(n_q_, n_v_) = state_.v;
  }

  // After calc_rate at that state.
  void keep_end(StepEnd& end, double t, const VectorX& y, const VectorX& rate) {
    end.t = t;
    end.work = y[n_q_ + n_v_];
    end.power = rate[n_q_ + n_v_];
    end.q = y.head(n_q_);
    end.q_rate = rate.head(n_q_);
    mechanism_.calc_q_second(state_.q, state_.v, a_, end.q_second);
    end.x = at_.x;
  }

  // Neither the state nor at_ of the march is needed after this: the next rate fills them.
  void go_to(double t) {
    const double h = end_.t - start_.t, s = h > 0 ? (t - start_.t) / h : 1;
    const Quintic w(s);
    state_.t = t;
    state_.x = start_.x;
    state_.q = w.value[0] * start_.q + h * (w.value[1] * start_.q_rate + h * w.value[2] * start_.q_second) +
               w.value[3] * end_.q + h * (w.value[4] * end_.q_rate + h * w.value[5] * end_.q_second);
    q_rate_ = w.slope[0] / h * start_.q + (w.slope[1] * start_.q_rate + h * w.slope[2] * start_.q_second) +
              w.slope[3] / h * end_.q + (w.slope[4] * end_.q_rate + h * w.slope[5] * end_.q_second);
    mechanism_.calc_v(state_.q, q_rate_, state_.v);
    mechanism_.normalise(state_.q);
  }
  double work_at(double t) const {
    const double h = end_.t - start_.t, s = (t - start_.t) / h;
    const double a = (1 + 2 * s) * (1 - s) * (1 - s), b = s * (1 - s) * (1 - s), c = s * s * (3 - 2 * s),
                 d = s * s * (s - 1);
    return a * start_.work + b * h * start_.power + c * end_.work + d * h * end_.power;
  }
  void record_at(double t) {
    go_to(t);
    solver_.project_positions(state_, at_);
    solver_.project_velocities(state_, at_);
    recorder_.record(state_, at_, work_at(t));
  }

  double event_value(const EventWatch& event, double t) {
    go_to(t);
    mechanism_.evaluate(state_, at_);
    return (event.of == MechanismEvent::Of::position ? at_.x[event.x] : at_.x_rate[event.x]) - event.value;
  }

  void find_events(double from, double to, double& stop_at) {
    if (options_.events.empty()) return;
    const size_t first = out_.events.size();
    for (const EventWatch& event : options_.events) {
      double a = from, b = to, fa = event_value(event, a);
      const double fb = event_value(event, b);
      if (fa == 0 || fa * fb > 0) continue;
      const bool rising = fb > fa;
      if (event.direction == MechanismEvent::Direction::rising && !rising) continue;
      if (event.direction == MechanismEvent::Direction::falling && rising) continue;
      while (b - a > 4 * kEps * std::max(std::abs(a), std::abs(b)) && b - a > 1e-15 * (to - from)) {
        const double middle = 0.5 * (a + b), fm = event_value(event, middle);
        if (middle <= a || middle >= b) break;
        if ((fm > 0) == (fa > 0) && fm != 0)
          a = middle, fa = fm;
        else
          b = middle;
      }
      out_.events.push_back({event.name, b, rising});
      if (event.stop) stop_at = std::min(stop_at, b);
    }
    std::sort(out_.events.begin() + static_cast<std::ptrdiff_t>(first), out_.events.end(),
              [](const auto& p, const auto& q) { return p.t < q.t; });
    while (!out_.events.empty() && out_.events.back().t > stop_at) out_.events.pop_back();
  }

  // In the state y at t, or right after it.
  std::string describe_bad_force(double t, const VectorX& y) {
    constexpr double kAfter = 1e-9;
    state_.q = y.head(n_q_);
    state_.v = y.segment(n_q_, n_v_);
    for (const double after : {0.0, kAfter * (options_.times.back() - options_.times.front())}) {
      state_.t = t + after;
      mechanism_.evaluate(state_, at_);
      if (std::string bad = elodyn::describe_bad_force(mechanism_, at_); !bad.empty()) return bad;
    }
    return {};
  }

  [[noreturn]] void throw_stuck(double t, const VectorX& y) {
    if (const std::string bad = describe_bad_force(t, y); !bad.empty()) throw NumericalError(bad);
    constexpr double kFlat = 0.05;
    if (const std::string flat = find_flat_disk(mechanism_, at_, kFlat); !flat.empty())
      throw NumericalError(
          fmt::format("the disk of rolling joint {} falls flat on its plane near t = {:.6g} s, where it has no point "
                      "of contact any "
                      "more; choose a shorter duration",
                      flat, t));
    const double pivot = solver_.smallest_pivot();
    const std::string where = solver_.rows().rows.empty() ? "" : mechanism_.row_name(solver_.weakest_row());
    if (pivot < kSingular)
      throw NumericalError(fmt::format(
          "the mechanism is in a singular position at t = {:.6g} s, where {} depends on the other joints; change its "
          "dimensions or stop before",
          t, where));
    throw NumericalError(fmt::format(
        "the mechanism needs ever smaller steps at t = {:.6g} s: a force or a driver jumps or grows without bound "
        "there; smooth it, or allow a larger tolerance",
        t));
  }

  const Mechanism& mechanism_;
  const MotionOptions& options_;
  MotionSolver solver_;
  MechanismInstant at_;
  MechanismState state_;
  MechanismMotion out_;
  Recorder recorder_;
  int n_q_, n_v_;
  DormandPrince method_;
  StepEnd start_, end_;
  VectorX a_, q_rate_, lambda_;
  double speed_ = 0, lowest_pivot_ = 1;
  bool near_singular_ = false;
  PivotWatch pivots_;
};

class KinematicRun {
 public:
  KinematicRun(const Mechanism& mechanism, const Assembly& assembly, const MotionOptions& options)
      : mechanism_(mechanism),
        options_(options),
        solver_(mechanism, assembly.rows, options.formalism),
        at_(mechanism.make_instant()),
        state_(assembly.state),
        recorder_(mechanism, solver_, out_, options.times.size()) {
    if (assembly.rows.n_free > 0) {
      const bool is_one = assembly.rows.n_free == 1;
      throw NumericalError(fmt::format(
          "{} freedom{} of the mechanism {} not driven, so its motion is not determined by kinematics: {} can still "
          "move; give [driver] for {} or the joint that is missing, or choose kind = \"dynamic\"",
          assembly.rows.n_free, is_one ? "" : "s", is_one ? "is" : "are", list_free_bodies(assembly.rows.rows),
          is_one ? "it" : "each"));
    }
  }

  MechanismMotion run() {
    place(options_.times.front());
    recorder_.record(state_, at_, 0);
    solver_.solve(at_, a_);
    Progress progress("mechanism", static_cast<double>(options_.times.size()));
    keep_failure(options_, out_, [&] {
      for (size_t k = 1; k < options_.times.size() && !out_.interrupted; ++k) {
        advance(state_.t, options_.times[k], 0);
        recorder_.record(state_, at_, 0);
        ++out_.steps;
        progress.advance();
        out_.interrupted = is_interrupted();
      }
    });
    recorder_.finish();
    return std::move(out_);
  }

 private:
  static constexpr int kMostHalvings = 40;

  // "body rod, body piston": those that the rows let move.
  std::string list_free_bodies(const std::vector<int>& rows) {
    constexpr double kStill = 1e-6;
    mechanism_.evaluate(state_, at_);
    Elimination elimination;
    elimination.factor(at_.A, rows, mechanism_.units(), 1e-9);
    const MatrixX free = mechanism_.units().asDiagonal() * elimination.complement().leftCols(elimination.n_free());
    std::string out;
    for (const auto& body : mechanism_.bodies())
      if (free.middleRows(body.v0, body.n_v).cwiseAbs().maxCoeff() > kStill * free.cwiseAbs().maxCoeff())
        out += (out.empty() ? "body " : ", body ") + body.name;
    return out;
  }

  // Of the driven coordinates: from x₀, ẋ₀ to x₁, ẋ₁ in a step they must go about as far as their speeds say.
  bool go_as_far_as_speeds(const VectorX& x, const VectorX& rate, double h) const {
    return std::all_of(mechanism_.drivers().begin(), mechanism_.drivers().end(), [&](const auto& driver) {
      constexpr double kShare = 0.05, kNothing = 1e-9;
      const double way = 0.5 * h * (rate[driver.x] + at_.x_rate[driver.x]);
      const double size = 0.5 * h * (std::abs(rate[driver.x]) + std::abs(at_.x_rate[driver.x]));
      const double scale = mechanism_.coordinate_is_angle(driver.x) ? 1 : mechanism_.size();
      return std::abs(at_.x[driver.x] - x[driver.x] - way) <= kShare * size + kNothing * scale;
    });
  }

  [[noreturn]] void throw_cannot_follow(double from, double to, double pivot) {
    constexpr double kJump = 1e-3, kBeside = 1e-6;
    const double beside = kBeside * (options_.times.back() - options_.times.front());
    for (const auto& driver : mechanism_.drivers()) {
      const auto want = [&](double t) {
        state_.t = t;
        mechanism_.evaluate(state_, at_);
        return at_.x[driver.x] - at_.phi[driver.row];
      };
      const double before = want(from - beside), after = want(to + beside);
      const double scale = mechanism_.coordinate_is_angle(driver.x) ? 1 : mechanism_.size();
      if (!(std::abs(after - before) <= kJump * scale))
        throw NumericalError(fmt::format(
            "driver {} of joint {} jumps from {:.6g} to {:.6g} at t = {:.6g} s, and no body can follow it; make its "
            "position continuous",
            driver.name, mechanism_.coordinate_name(driver.x), before, after, from));
    }
    throw NumericalError(fmt::format(
        "the mechanism cannot follow its drivers beyond t = {:.6g} s: a singular position (dead point), where {} "
        "depends on the other joints (pivot {:.1e}); change the driver's range or drive another joint",
        from, mechanism_.row_name(solver_.weakest_row()), pivot));
  }

  // To the position at t from the one before, by a step with v and v̇ and then Newton; halved where that does not go.
  void advance(double from, double to, int depth) {
    const MechanismState before = state_;
    const VectorX a = a_, x = at_.x, rate = at_.x_rate;
    const double pivot = solver_.smallest_pivot(), h = to - from;
    step_ = h * state_.v + 0.5 * h * h * a;
    mechanism_.add_step(state_.q, step_);
    const bool is_near = step_.cwiseProduct(mechanism_.units()).cwiseAbs().maxCoeff() < 0.5 * mechanism_.size();
    if (is_near && place(to)) {
      solver_.solve(at_, a_);
      // The predicted and the found velocity must belong together: else Newton went to another branch.
      const double change = (state_.v - before.v - 0.5 * h * (a + a_)).cwiseProduct(mechanism_.units()).norm();
      const double size =
          state_.v.cwiseProduct(mechanism_.units()).norm() + before.v.cwiseProduct(mechanism_.units()).norm();
      const bool is_one_way = change <= 0.05 * size + 1e-12 * mechanism_.size() / std::max(h, 1e-300);
      if (is_one_way && go_as_far_as_speeds(x, rate, h)) return pivots_.look(mechanism_, solver_, to, out_.singular);
    }
    state_ = before;
    if (depth == kMostHalvings) throw_cannot_follow(from, to, pivot);
    mechanism_.evaluate(state_, at_);
    a_ = a;
    advance(from, 0.5 * (from + to), depth + 1);
    advance(0.5 * (from + to), to, depth + 1);
  }

  bool place(double t) {
    state_.t = t;
    double gap = 0, before = INFINITY;
    for (int k = 0; k < 20; ++k) {
      gap = solver_.project_positions(state_, at_);
      if (gap <= 1e-10 * mechanism_.size() || gap >= before) break;
      before = gap;
    }
    if (!(gap <= 1e-10 * mechanism_.size())) return false;
    solver_.project_velocities(state_, at_);
    state_.x = at_.x;
    return true;
  }

  const Mechanism& mechanism_;
  const MotionOptions& options_;
  MotionSolver solver_;
  MechanismInstant at_;
  MechanismState state_;
  MechanismMotion out_;
  Recorder recorder_;
  VectorX a_, step_;
  PivotWatch pivots_;
};

}  // namespace

void MechanismMotion::drop_first() {
  times.erase(times.begin());
  for (MatrixX* part : {&q, &v, &a, &x, &x_rate, &x_acceleration, &lambda, &friction, &source, &driver})
    *part = part->rightCols(std::max<Eigen::Index>(0, part->cols() - 1)).eval();
  for (VectorX* part : {&kinetic, &potential, &power, &work})
    *part = part->tail(std::max<Eigen::Index>(0, part->size() - 1)).eval();
}

MotionOptions make_options(const Mechanism& mechanism, const MechanismRequest& request) {
  MotionOptions out;
  out.kind = request.kind;
  out.formalism = request.formalism;
  out.tolerance = request.tolerance;
  for (int k = 0; k <= request.records; ++k)
    out.times.push_back(request.start + request.duration * k / std::max(1, request.records));
  for (const MechanismEvent& event : request.events) {
    const int joint = mechanism.find_joint(event.joint.value);
    ELODYN_REQUIRE(joint >= 0);
    out.events.push_back({event.name, mechanism.joints()[static_cast<size_t>(joint)].first_x + event.coordinate - 1,
                          event.of, event.value.value, event.direction, event.stop});
  }
  return out;
}

MechanismMotion run_mechanism(const Mechanism& mechanism, const Assembly& assembly, const MotionOptions& options) {
  ELODYN_REQUIRE(!options.times.empty());
  if (options.kind == MechanismRequest::Kind::dynamic) return DynamicRun(mechanism, assembly, options).run();
  return KinematicRun(mechanism, assembly, options).run();
}

}  // namespace elodyn
