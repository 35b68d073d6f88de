#include "elodyn/system/whittaker.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/ode.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/system/motion.hpp"

namespace elodyn {
namespace {

using Jet = Dual<Dual<double>>;

// x + ε₁ u + ε₂ w + ε₁ε₂ uw
Jet make_jet(double x, double u, double w, double uw) { return {{x, u}, {w, uw}}; }

VectorX with_first(double first, const VectorX& others) {
  VectorX all(others.size() + 1);
  all << first, others;
  return all;
}

}  // namespace

double ConservativeSystem::calc_energy(const VectorX& q, const VectorX& rate) const {
  return 0.5 * rate.dot(M * rate) + calc_potential(q);
}

VectorX ConservativeSystem::calc_acceleration(const VectorX& q, const VectorX& rate) const {
  MatrixX mass = M, force = f - K * q - 2 * (C * rate);
  ELODYN_REQUIRE(solve_in_place(mass, force));
  return force;
}

bool WhittakerEquations::calc_derivatives(const VectorX& q, const VectorX& slopes, Derivatives& out) const {
  const Eigen::Index n = slopes.size();
  ELODYN_ASSERT(q.size() == n + 1);
  const VectorX d = with_first(1, slopes);
  const VectorX M_d = system_.M * d, C_q = system_.C * q, C_d = system_.C * d, V_q = system_.K * q - system_.f;
  const double V = system_.calc_potential(q), a = d.dot(M_d), b = d.dot(C_q);
  if (!(h_ > V)) return false;
  out.tau_rate = std::sqrt(2 * (h_ - V) / a);
  out.by_q.resize(n);
  out.along.resize(n);
  out.by_slopes.resize(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const Eigen::Index k = i + 1;  // in q
    // ε: qₖ
    using D = Dual<double>;
    out.by_q[i] = calc_reduced_lagrangian(h_, D(V, V_q[k]), D(a), D(b, -C_d[k])).b;  // Cᵀ = −C
    // ε₁: qᵢ′, ε₂: q along d
    out.along[i] = calc_reduced_lagrangian(h_, make_jet(V, 0, V_q.dot(d), 0), make_jet(a, 2 * M_d[k], 0, 0),
                                           make_jet(b, C_q[k], d.dot(C_d), C_d[k]))
                       .b.b;
    // ε₁: qᵢ′, ε₂: qⱼ′
    for (Eigen::Index j = 0; j <= i; ++j)
      out.by_slopes(i, j) = out.by_slopes(j, i) =
          calc_reduced_lagrangian(h_, Jet(V), make_jet(a, 2 * M_d[k], 2 * M_d[j + 1], 2 * system_.M(k, j + 1)),
                                  make_jet(b, C_q[k], C_q[j + 1], 0))
              .b.b;
  }
  return true;
}

VectorX WhittakerEquations::calc_residual(const VectorX& q, const VectorX& slopes, const VectorX& curvatures) const {
  Derivatives at;
  ELODYN_REQUIRE(calc_derivatives(q, slopes, at));
  return at.by_slopes * curvatures + at.along - at.by_q;
}

bool WhittakerEquations::calc_curvatures(const VectorX& q, const VectorX& slopes, VectorX& curvatures,
                                         double& tau_rate) const {
  Derivatives at;
  if (!calc_derivatives(q, slopes, at)) return false;
  tau_rate = at.tau_rate;
  MatrixX x = at.by_q - at.along;
  if (slopes.size() > 0) {
    if (!cholesky_in_place(at.by_slopes)) return false;
    solve_lower(at.by_slopes, x);
    solve_lower_transposed(at.by_slopes, x);
  }
  curvatures = x;
  return true;
}

namespace {

// Speeds are measured by √(2(h − min V_e)), the largest that the energy allows in the asked time. Below this share of
// it V_e, known to about 1e-13, no longer gives the speed to 1e-9 of the largest: the error of √(h − V_e) is that of
// V_e by the share.
constexpr double kBrake = 1e-3;
constexpr double kSteepest = 1;      // |q′| at which the axis is chosen again
constexpr double kLongestLeg = 1e3;  // in units of the normal form
constexpr double kForbidden = 1e30;  // a rate that makes the step control come back from where h < V_e

// q = centre + from·x and t = unit·(time of x), with M = 1, K diagonal, largest frequency and largest speed about 1.
struct NormalForm {
  ConservativeSystem system;
  VectorX centre;
  MatrixX from, to;
  double time_unit = 1;
};

double positive_or(double value, double otherwise) { return value > 0 ? value : otherwise; }

NormalForm make_normal_form(const ConservativeSystem& s, const VectorX& q, const VectorX& rate, double duration) {
  const auto n = static_cast<int>(q.size());
  MatrixX L = s.M, A, modes;
  ELODYN_REQUIRE(cholesky_in_place(L));
  VectorX squares;
  A = congruence(L, s.K);
  symmetric_eigen(A, 0, n - 1, squares, modes);
  solve_lower_transposed(L, modes);

  NormalForm out;
  ConservativeSystem& x = out.system;
  x.M = MatrixX::Identity(n, n);
  x.C = modes.transpose() * s.C * modes;
  x.C = (0.5 * (x.C - x.C.transpose())).eval();
  x.K = squares.asDiagonal();
  x.f = modes.transpose() * s.f;
  // V_e loses no digits if it is counted from the equilibrium, or, for modes too slow to swing in the asked time, from
  // the start.
  const MatrixX to = modes.transpose() * s.M;
  const VectorX start = to * q;
  VectorX centre = start;
  const double largest = squares.cwiseAbs().maxCoeff();
  double speed2 = (to * rate).squaredNorm();
  for (int i = 0; i < n; ++i) {
    const double square = squares[i], force = x.f[i] - square * start[i];
    if (std::sqrt(std::abs(square)) * duration > 1) {
      centre[i] += force / square;
      x.f[i] = 0;
      speed2 += force * force / std::abs(square);
    } else {
      x.f[i] = force;
      speed2 += force * force * duration * duration;
    }
  }
  out.centre = modes * centre;

  const double T = 1 / std::max({std::sqrt(largest), x.C.norm(), 1 / positive_or(duration, 1)});
  const double length = positive_or(std::sqrt(speed2), 1) * T;
  out.time_unit = T;
  out.from = length * modes;
  out.to = to / length;
  x.C *= T;
  x.K *= T * T;
  x.f *= T * T / length;
  return out;
}

// Orthogonal, with the unit vector d as its first column (a Householder reflection).
MatrixX make_axes(const VectorX& d) {
  const double sign = d[0] < 0 ? -1 : 1;
  VectorX w = d;
  w[0] += sign;
  return sign * (w * w.transpose() * (2 / w.squaredNorm()) - MatrixX::Identity(d.size(), d.size()));
}

// One leg, in normal form. State: qᵢ, qᵢ′ and the time since the start of the leg; it runs over s = τ − τ(start).
class Leg {
 public:
  Leg(const ConservativeSystem& normal, double h, const VectorX& x, const VectorX& velocity)
      : axes_(make_axes(velocity.normalized())),
        equations_(turn(normal, axes_), h),
        start_(axes_.transpose() * x),
        m_(x.size() - 1),
        q_(x.size()) {}

  VectorX make_state() const {
    VectorX y = VectorX::Zero(2 * m_ + 1);
    y.head(m_) = start_.tail(m_);
    return y;
  }
  void calc_rate(double s, const VectorX& y, VectorX& rate) {
    place(s, y);
    double tau_rate = 0;
    if (equations_.calc_curvatures(q_, y.segment(m_, m_), curvatures_, tau_rate))
      rate << y.segment(m_, m_), curvatures_, 1 / tau_rate;
    else
      rate.setConstant(kForbidden);
  }
  OdeRate rate() {
    return [this](double s, const VectorX& y, VectorX& rate) { calc_rate(s, y, rate); };
  }

  double time(const VectorX& y) const { return y[2 * m_]; }
  double steepness(const VectorX& y) const { return y.segment(m_, m_).norm(); }
  VectorX position(double s, const VectorX& y) {
    place(s, y);
    return axes_ * q_;
  }
  double speed(double s, const VectorX& y) {
    place(s, y);
    return std::sqrt(std::max(0.0, 2 * (equations_.h() - equations_.system().calc_potential(q_))));
  }
  double tau_rate(double s, const VectorX& y) { return speed(s, y) / std::hypot(1, steepness(y)); }
  VectorX velocity(double s, const VectorX& y) { return axes_ * with_first(1, y.segment(m_, m_)) * tau_rate(s, y); }

 private:
  static ConservativeSystem turn(const ConservativeSystem& x, const MatrixX& axes) {
    return {x.M, axes.transpose() * x.C * axes, axes.transpose() * x.K * axes, axes.transpose() * x.f};
  }
  void place(double s, const VectorX& y) {
    q_[0] = start_[0] + s;
    q_.tail(m_) = y.head(m_);
  }

  MatrixX axes_;
  WhittakerEquations equations_;
  VectorX start_;
  Eigen::Index m_;
  VectorX q_, curvatures_;
};

constexpr long kMostSteps = 200'000;

OdeOptions make_options(double first_step) {
  OdeOptions options;
  options.max_steps = kMostSteps;
  options.relative = 1e-13;
  options.absolute = 1e-13;
  options.first_step = first_step;
  return options;
}

struct LegPoint {
  double s = 0;
  VectorX y;
};

// The point at which the leg's clock shows `time`, between `from` and s = `to`: Newton's method on t(s), whose slope is
// 1/τ̇ > 0, each trial integrated from `from`.
LegPoint find_time(Leg& leg, const LegPoint& from, double to, double time) {
  LegPoint at = from;
  for (int trial = 0; trial < 20; ++trial) {
    const double missing = time - leg.time(at.y);
    if (std::abs(missing) <= 1e-14 * std::max(1.0, time)) break;
    const double s = std::clamp(at.s + missing * leg.tau_rate(at.s, at.y), from.s, to);
    if (s == at.s) break;
    at.s = s;
    at.y = integrate(leg.rate(), from.y, {from.s, s}, make_options(s - from.s)).y_end;
  }
  return at;
}

OdeResult run_leg(Leg& leg, double first_step, const OdeStepHook& hook, double t) {
  try {
    return integrate(leg.rate(), leg.make_state(), {0, kLongestLeg}, make_options(first_step), hook);
  } catch (const NumericalError&) {
    throw NumericalError(
        fmt::format("Whittaker's equations need ever smaller steps after t = {:.6g} s: all coordinates nearly turn at "
                    "once there; formalisms that keep time have no such point",
                    t));
  }
}

std::string describe_brake(double t, double speed) {
  return fmt::format(
      "at t = {:.6g} s all coordinates turn at once: their speed is {:.2g} of the largest that the energy allows, "
      "{} is the limit; h − V_e is nearly zero and no coordinate can stand in for time; formalisms that keep time "
      "have no such point",
      t, speed, kBrake);
}

}  // namespace

Trajectory integrate_whittaker(const ConservativeSystem& system, const VectorX& q, const VectorX& rate,
                               const std::vector<double>& times) {
  ELODYN_REQUIRE(!times.empty() && std::is_sorted(times.begin(), times.end()));
  const NormalForm normal = make_normal_form(system, q, rate, times.back() - times.front());
  VectorX x = normal.to * (q - normal.centre), velocity = normal.to * rate * normal.time_unit;
  const double h = normal.system.calc_energy(x, velocity);

  Trajectory out;
  std::vector<VectorX> columns = {q}, rates = {rate};
  double t = 0, path_step = 1e-3;  // since times.front(), both in units of the normal form
  const auto next_time = [&] { return (times[columns.size()] - times.front()) / normal.time_unit; };
  const auto is_done = [&] { return columns.size() == times.size(); };
  while (!is_done()) {
    if (out.steps > kMostSteps) {
      out.stopped = fmt::format("at t = {:.6g} s it has taken {} steps, more than are tried",
                                times.front() + t * normal.time_unit, out.steps);
      break;
    }
    const double speed = velocity.norm();
    if (speed <= kBrake) {
      out.stopped = describe_brake(times.front() + t * normal.time_unit, speed);
      break;
    }
    Leg leg(normal.system, h, x, velocity);
    ++out.legs;
    LegPoint last{0, leg.make_state()};
    const auto hook = [&](double s, const VectorX& y) {
      const double step = s - last.s;
      while (!is_done() && next_time() <= t + leg.time(y)) {
        last = find_time(leg, last, s, next_time() - t);
        columns.push_back(normal.centre + normal.from * leg.position(last.s, last.y));
        rates.push_back(normal.from * leg.velocity(last.s, last.y) / normal.time_unit);
      }
      last = {s, y};
      path_step = step * std::hypot(1, leg.steepness(y));
      return !is_done() && leg.steepness(y) <= kSteepest && leg.speed(s, y) > kBrake;
    };
    const OdeResult end = run_leg(leg, path_step, hook, times.front() + t * normal.time_unit);
    out.steps += end.steps;
    x = leg.position(end.t_end, end.y_end);
    velocity = leg.velocity(end.t_end, end.y_end);
    t += leg.time(end.y_end);
  }
  out.times.assign(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(columns.size()));
  out.z.resize(q.size(), static_cast<Eigen::Index>(columns.size()));
  out.z_rate.resizeLike(out.z);
  for (size_t k = 0; k < columns.size(); ++k) {
    out.z.col(static_cast<Eigen::Index>(k)) = columns[k];
    out.z_rate.col(static_cast<Eigen::Index>(k)) = rates[k];
  }
  return out;
}

ConservativeSystem make_conservative_system(const BodySystem& system, double t) {
  const FactorValues at = system.calc_factors(t);
  const AffineEquation& equation = system.reduced;
  ConservativeSystem out;
  out.M = equation.calc_mass();
  out.C = 0.5 * equation.calc_velocity(at);
  out.K = equation.calc_stiffness(at);
  out.f = equation.calc_load(at);
  return out;
}

// ---- what it refuses ----
namespace {

// By measurement (docs/theory/whittaker.md).
constexpr int kMostUnknowns = 60;
constexpr double kSymmetric = 1e-9;  // of the largest entry
constexpr std::array kAxisNames = {"x", "y", "z"};

using Reasons = std::vector<std::string>;

void add_expressions(const char* name, const std::array<Expression, 3>& components, Reasons& reasons) {
  for (size_t k = 0; k < 3; ++k)
    if (!components[k].is_constant())
      reasons.push_back(std::string(name) + "[" + kAxisNames[k] + "] = \"" + components[k].text() +
                        "\" changes with time");
}

void add_columns(const char* name, const char* unit, const MotionTable::Columns& columns, Reasons& reasons) {
  for (size_t k = 0; k < 3; ++k) {
    if (!columns[k]) continue;
    const auto [low, high] = std::minmax_element(columns[k]->values().begin(), columns[k]->values().end());
    if (*low != *high)
      reasons.push_back(std::string("column ") + name + kAxisNames[k] + " of its table of motion goes from " +
                        shortest(*low) + " to " + shortest(*high) + " " + unit);
  }
}

// What makes L depend on time; the same for all times if there is none.
void add_unsteady_motion(const BodySystem& system, Reasons& reasons) {
  const Motion& motion = system.body->motion;
  const size_t before = reasons.size();
  if (motion.kind == Motion::Kind::prescribed) {
    add_expressions("acceleration", motion.acceleration, reasons);
    add_expressions("angular_velocity", motion.angular_velocity, reasons);
    if (motion.angular_acceleration) add_expressions("angular_acceleration", *motion.angular_acceleration, reasons);
  } else if (motion.has_table()) {
    add_columns("a", "m/s²", motion.table->a, reasons);
    add_columns("w", "rad/s", motion.table->w, reasons);
    add_columns("e", "rad/s²", motion.table->e, reasons);
  }
  for (const Load& load : system.body->loads)
    if (!load.is_constant())
      reasons.push_back(load.history ? "the forces of its joints change with time"
                                     : "a load changes with time (time = \"" + load.time->text() + "\")");
  if (has_turning_gravity(*system.model, *system.body)) reasons.emplace_back("gravity turns in its frame");
  if (reasons.size() > before) return;
  const FactorValues at = system.calc_factors(motion.has_table() ? motion.table->start : 0);
  if (!at.e.isZero(0))
    reasons.push_back("its frame has an angular acceleration of " + shortest(at.e.norm()) +
                      " rad/s², so its angular velocity changes with time, and Euler forces have no potential");
}

void add_damping(const BodySystem& system, Reasons& reasons) {
  for (const MatrixTerm& term : system.reduced.matrices) {
    if (term.values.isZero(0)) continue;
    if (term.kind == TermKind::damping) reasons.emplace_back("dashpots or Rayleigh damping take energy out of it");
    if (term.kind == TermKind::circulatory)
      reasons.push_back("dashpots to the ground, which see its frame turn, push it around (" + term.name + ")");
  }
  if (!system.modal.empty() && !system.modal.weights.isZero(0))
    reasons.push_back("modal damping of " + std::to_string(system.modal.weights.size()) +
                      " modes takes energy out of it");
}

// Only if nothing else speaks against it: these need the constants of (1).
void add_bad_matrices(const BodySystem& system, Reasons& reasons) {
  const Motion& motion = system.body->motion;
  const ConservativeSystem s = make_conservative_system(system, motion.has_table() ? motion.table->start : 0);
  const VectorX units = s.M.diagonal().cwiseSqrt().cwiseInverse();  // so that mixed units do not look singular
  MatrixX M = units.asDiagonal() * s.M * units.asDiagonal();
  if (!cholesky_in_place(M) || !is_safely_definite(M))
    reasons.emplace_back("its mass matrix is singular: some coordinates move without mass");
  if ((s.K - s.K.transpose()).cwiseAbs().maxCoeff() > kSymmetric * s.K.cwiseAbs().maxCoeff())
    reasons.emplace_back("its stiffness is not symmetric, so not all forces have a potential");
}

class Whittaker final : public SystemFormalism {
 public:
  std::string_view name() const override { return "whittaker"; }
  std::string_view summary() const override {
    return "a coordinate in place of time by the energy integral; conservative, steady motion";
  }
  Formula describe() const override {
    return {"",
            "L* = sqrt(2 (h - V_e) a) + b with tau = q_1 in place of t;  d/dtau dL*/dq_i' - dL*/dq_i = 0, i = 2 ... n",
            "",
            "L^* = \\sqrt{2(h - V_e)a} + b, \\quad \\tau = q_1, \\quad "
            "\\frac{d}{d\\tau}\\frac{\\partial L^*}{\\partial q_i'} - \\frac{\\partial L^*}{\\partial q_i} = 0, \\; "
            "i = 2 \\dots n"};
  }
  std::string reason_against(const BodySystem& system) const override {
    Reasons reasons;
    add_unsteady_motion(system, reasons);
    add_damping(system, reasons);
    if (system.reduced.size() > kMostUnknowns)
      reasons.push_back("it has " + std::to_string(system.reduced.size()) + " unknowns, and at most " +
                        std::to_string(kMostUnknowns) + " can be treated; use fewer elements");
    else if (reasons.empty())
      add_bad_matrices(system, reasons);
    return join(reasons, "; ");
  }
  Trajectory simulate(const BodySystem& system, const VectorX& z, const VectorX& z_rate,
                      const std::vector<double>& times) const override {
    ELODYN_REQUIRE(!times.empty() && reason_against(system).empty());
    system.calc_factors(times.back());  // says so if a table of the motion ends before
    return integrate_whittaker(make_conservative_system(system, times.front()), z, z_rate, times);
  }
};

}  // namespace

std::unique_ptr<const SystemFormalism> make_whittaker() { return std::make_unique<Whittaker>(); }

}  // namespace elodyn
