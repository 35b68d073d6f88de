#include "elodyn/analysis/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "elodyn/analysis/step_solver.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/ode.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

bool operator==(const FactorValues& a, const FactorValues& b) {
  return a.w == b.w && a.e == b.e && a.a == b.a && a.load == b.load;
}

// The terms at the last time that was asked for; the stages of a step share their times.
class TermsInTime {
 public:
  TermsInTime(const TransientProblem& problem, FrameRate rate) : problem_(problem), rate_(rate) {}
  const CanonicalTerms& at(double t) {
    if (is_known_ && (problem_.is_steady || t == t_)) return terms_;
    problem_.factors(t, next_);
    if (!is_known_ || !(next_ == at_)) problem_.equation->calc_terms(next_, rate_, terms_);
    std::swap(at_, next_);
    t_ = t;
    is_known_ = true;
    return terms_;
  }

 private:
  const TransientProblem& problem_;
  FrameRate rate_;
  bool is_known_ = false;
  double t_ = 0;
  FactorValues at_, next_;
  CanonicalTerms terms_;
};

[[noreturn]] void fail_singular(const CanonicalEquation& equation, double t) {
  throw NumericalError(fmt::format(
      "body `{}`: the matrix of a time step is singular at t = {:.6g} s: the body is so unstable that it grows "
      "several times in one step; use a smaller step",
      equation.system().body->name, t));
}

// force −= D v + Σ weight column columnᵀ v
class DampingForce {
 public:
  explicit DampingForce(const CanonicalEquation& equation) : modal_(equation.modal()) {}
  void subtract(const CanonicalTerms& terms, const VectorX& v, VectorX& force) {
    if (terms.has_D) force.noalias() -= terms.D * v;
    if (modal_.weights.size() == 0) return;
    rates_.noalias() = modal_.M_phi.transpose() * v;
    rates_.array() *= modal_.weights.array();
    force.noalias() -= modal_.M_phi * rates_;
  }

 private:
  const ModalDamping& modal_;
  VectorX rates_;
};

class GaussStepper final : public Stepper {
 public:
  GaussStepper(const TransientProblem& problem, int stages, double t, double h)
      : problem_(problem),
        equation_(*problem.equation),
        g_(make_gauss(stages)),
        h_(h),
        B_over_h_(g_.B * (1 / h)),
        B2_(B_over_h_ * B_over_h_),
        damping_(*problem.equation),
        solver_(*problem.equation->system().reduced.pattern, stages, problem.equation->modal().M_phi) {
    h_lost_ = h * std::fma(-h, 1 / h, 1.0);
    weights_ = g_.B.transpose() * g_.b;
    const auto s = g_.b.size(), n = equation_.size(), m = equation_.modal().weights.size();
    for (Eigen::Index k = 0; k < s; ++k) {
      stages_.emplace_back(problem, FrameRate::moving);
      terms_.push_back(nullptr);
      Cy_.push_back(VectorX::Zero(n));
    }
    rhs_.resize(s * n);
    for (Eigen::Index i = 0; i < s && m > 0; ++i)
      for (Eigen::Index k = 0; k < s; ++k)
        solver_.coupling().block(i * m, k * m, m, m).diagonal() = B_over_h_(i, k) * equation_.modal().weights;
    ELODYN_REQUIRE(equation_.mass().nonZeros() == solver_.block(0, 0).size());
    prepare(t);
  }

  void step(double t, VectorX& x) override {
    prepare(t);
    const auto s = g_.b.size(), n = equation_.size();
    if (history_.size() != 2 * n) history_.setZero(2 * n);
    y0_ = x.head(n);
    for (Eigen::Index j = 0; j < s; ++j) {
      VectorX& Cy = Cy_[static_cast<size_t>(j)];  // p₀ − C_j z₀
      Cy = x.tail(n);
      Cy.noalias() -= terms(j).C * y0_;
    }
    for (Eigen::Index i = 0; i < s; ++i) {
      force_ = terms(i).f;
      force_.noalias() -= terms(i).K * y0_;
      if (terms(i).has_N) force_.noalias() -= terms(i).N * y0_;
      for (Eigen::Index j = 0; j < s; ++j) force_ += B_over_h_(i, j) * Cy_[static_cast<size_t>(j)];
      rhs_.segment(i * n, n) = force_;
    }
    if (!solver_.solve(rhs_, delta_)) fail_singular(equation_, t);
    if (!solver_.is_old()) factored_at_ = t;
    change_.setZero(2 * n);
    for (Eigen::Index i = 0; i < s; ++i) add_stage(i);
    // Compensated sum: what an addition loses is added at the next step.
    history_ += change_;
    next_ = x + history_;
    history_ -= next_ - x;
    x.swap(next_);
  }

  long n_factorisations() const override { return solver_.n_factorisations(); }
  double factored_at() const override { return factored_at_; }
  void factor_at(double t) override {
    if (!solver_.factor(fill(t))) fail_singular(equation_, t);
    factored_at_ = t;
  }

 private:
  const CanonicalTerms& terms(Eigen::Index i) const { return *terms_[static_cast<size_t>(i)]; }

  // b_i h ẋ at stage i.
  void add_stage(Eigen::Index i) {
    const auto s = g_.b.size(), n = equation_.size();
    v_.setZero(n);
    for (Eigen::Index j = 0; j < s; ++j) v_ += B_over_h_(i, j) * delta_.segment(j * n, n);
    y_ = y0_ + delta_.segment(i * n, n);
    force_ = terms(i).f;
    force_.noalias() -= terms(i).C * v_;
    force_.noalias() -= terms(i).K * y_;
    if (terms(i).has_N) force_.noalias() -= terms(i).N * y_;
    damping_.subtract(terms(i), v_, force_);
    change_.head(n) += weights_[i] * delta_.segment(i * n, n);
    change_.tail(n) += g_.b[i] * h_ * force_ + g_.b[i] * h_lost_ * force_;
  }

  // Terms at the stages and their matrix, if the motion has changed.
  void prepare(double t) {
    if (is_prepared_ && problem_.is_steady) return;
    const bool is_symmetric = fill(t);
    if (!solver_.update(is_symmetric)) fail_singular(equation_, t);
    if (!solver_.is_old()) factored_at_ = t;
    is_prepared_ = true;
  }

  // The matrix of the step from t. True if it is symmetric.
  bool fill(double t) {
    const auto s = g_.b.size();
    for (Eigen::Index i = 0; i < s; ++i)
      terms_[static_cast<size_t>(i)] = &stages_[static_cast<size_t>(i)].at(t + g_.c[i] * h_);
    for (Eigen::Index i = 0; i < s; ++i)
      for (Eigen::Index k = 0; k < s; ++k) {
        auto block = solver_.block(static_cast<int>(i), static_cast<int>(k)).array();
        block = B2_(i, k) * equation_.mass().coeffs();
        block += B_over_h_(i, k) * (terms(i).C.coeffs() + terms(k).C.coeffs());
        if (terms(i).has_D) block += B_over_h_(i, k) * terms(i).D.coeffs();
        if (i != k) continue;
        block += terms(i).K.coeffs();
        if (terms(i).has_N) block += terms(i).N.coeffs();
      }
    return s == 1 && !terms(0).has_N && (terms(0).C.coeffs() == 0).all();
  }

  const TransientProblem& problem_;
  const CanonicalEquation& equation_;
  GaussCoefficients g_;
  double h_;
  // 1/h is rounded, to 1/(h + h_lost_): the same step must be meant everywhere, or the energy has a trend of twice
  // the size.
  double h_lost_ = 0;
  MatrixX B_over_h_, B2_;
  VectorX weights_;  // bᵀB: z₁ = z₀ + Σ weight (z_i − z₀)
  std::vector<TermsInTime> stages_;
  std::vector<const CanonicalTerms*> terms_;
  DampingForce damping_;
  bool is_prepared_ = false;
  StepSolver solver_;
  double factored_at_ = 0;
  std::vector<VectorX> Cy_;
  VectorX y0_, rhs_, delta_, v_, y_, force_, change_, next_;
};

class GaussIntegrator final : public Integrator {
 public:
  GaussIntegrator(int stages, std::string_view name, std::string_view summary)
      : stages_(stages), name_(name), summary_(summary) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  int order() const override { return 2 * stages_; }
  bool is_symplectic() const override { return true; }
  std::unique_ptr<Stepper> start(const TransientProblem& problem, double t, double h) const override {
    return std::make_unique<GaussStepper>(problem, stages_, t, h);
  }

 private:
  int stages_;
  std::string_view name_, summary_;
};

struct AlphaCoefficients {
  double m = 0, f = 0, beta = 0.25, gamma = 0.5;
};

AlphaCoefficients make_alpha(double radius) {
  AlphaCoefficients c;
  c.m = (2 * radius - 1) / (radius + 1);
  c.f = radius / (radius + 1);
  c.gamma = 0.5 - c.m + c.f;
  c.beta = 0.25 * (1 - c.m + c.f) * (1 - c.m + c.f);
  return c;
}

// History: v and a.
class AlphaStepper final : public Stepper {
 public:
  AlphaStepper(const TransientProblem& problem, const AlphaCoefficients& coefficients, double t, double h)
      : problem_(problem),
        equation_(*problem.equation),
        c_(coefficients),
        h_(h),
        stage_(problem, FrameRate::frozen),
        start_(problem, FrameRate::frozen),
        damping_(*problem.equation),
        solver_(*problem.equation->system().reduced.pattern, 1, problem.equation->modal().M_phi) {
    solver_.coupling().diagonal() = (1 - c_.f) * c_.gamma * h_ * equation_.modal().weights;
    ELODYN_REQUIRE(equation_.mass().nonZeros() == solver_.block(0, 0).size());
    prepare(t);
  }

  void step(double t, VectorX& x) override {
    const auto n = equation_.size();
    if (history_.size() != 2 * n) begin(t, x);
    prepare(t);
    y_ = x.head(n);
    v_ = history_.head(n);
    a_ = history_.tail(n);
    // What z, v at 1 − αf would be with a₁ = 0.
    y_f_ = y_ + (1 - c_.f) * (h_ * v_ + h_ * h_ * (0.5 - c_.beta) * a_);
    v_f_ = v_ + (1 - c_.f) * h_ * (1 - c_.gamma) * a_;
    add_forces(*terms_, y_f_, v_f_, force_);
    if (c_.m != 0) {
      y_f_ = c_.m * a_;
      force_.noalias() -= equation_.mass() * y_f_;
    }
    if (!solver_.solve(force_, next_)) fail_singular(equation_, t);
    if (!solver_.is_old()) factored_at_ = t;
    x.head(n) += h_ * v_ + h_ * h_ * ((0.5 - c_.beta) * a_ + c_.beta * next_);
    v_ += h_ * ((1 - c_.gamma) * a_ + c_.gamma * next_);
    history_.head(n) = v_;
    history_.tail(n) = next_;
    y_ = x.head(n);
    force_.noalias() = equation_.mass() * v_;
    if (!problem_.is_steady || at_.w.size() == 0) problem_.factors(t + h_, at_);
    equation_.add_coriolis(at_, y_, force_);
    x.tail(n) = force_;
  }

  long n_factorisations() const override { return solver_.n_factorisations(); }
  double factored_at() const override { return factored_at_; }
  void factor_at(double t) override {
    if (!solver_.factor(fill(t))) fail_singular(equation_, t);
    factored_at_ = t;
  }

 private:
  // f − (D + 2C) v − (K + N) y
  void add_forces(const CanonicalTerms& terms, const VectorX& y, const VectorX& v, VectorX& force) {
    force.noalias() = terms.C * v;
    force *= -2;
    force += terms.f;
    force.noalias() -= terms.K * y;
    if (terms.has_N) force.noalias() -= terms.N * y;
    damping_.subtract(terms, v, force);
  }

  // v and a of the initial state.
  void begin(double t, const VectorX& x) {
    const auto n = equation_.size();
    const CanonicalTerms& terms = start_.at(t);
    y_ = x.head(n);
    force_ = x.tail(n);
    force_.noalias() -= terms.C * y_;
    equation_.solve_mass(force_, v_);
    add_forces(terms, y_, v_, force_);
    equation_.solve_mass(force_, a_);
    history_.resize(2 * n);
    history_ << v_, a_;
  }

  void prepare(double t) {
    if (is_prepared_ && problem_.is_steady) return;
    const bool is_symmetric = fill(t);
    if (!solver_.update(is_symmetric)) fail_singular(equation_, t);
    if (!solver_.is_old()) factored_at_ = t;
    is_prepared_ = true;
  }

  bool fill(double t) {
    terms_ = &stage_.at(t + (1 - c_.f) * h_);
    const double of_velocity = (1 - c_.f) * c_.gamma * h_, of_place = (1 - c_.f) * c_.beta * h_ * h_;
    auto block = solver_.block(0, 0).array();
    block = (1 - c_.m) * equation_.mass().coeffs();
    block += 2 * of_velocity * terms_->C.coeffs();
    if (terms_->has_D) block += of_velocity * terms_->D.coeffs();
    block += of_place * terms_->K.coeffs();
    if (terms_->has_N) block += of_place * terms_->N.coeffs();
    return !terms_->has_N && (terms_->C.coeffs() == 0).all();
  }

  const TransientProblem& problem_;
  const CanonicalEquation& equation_;
  AlphaCoefficients c_;
  double h_;
  TermsInTime stage_, start_;
  const CanonicalTerms* terms_ = nullptr;
  DampingForce damping_;
  bool is_prepared_ = false;
  StepSolver solver_;
  double factored_at_ = 0;
  FactorValues at_;  // at the end of the step
  VectorX y_, v_, a_, y_f_, v_f_, force_, next_;
};

class GeneralizedAlphaIntegrator final : public Integrator {
 public:
  std::string_view name() const override { return "generalized_alpha"; }
  std::string_view summary() const override {
    return "Chung and Hulbert, order 2; damps what is faster than a step, slow motion hardly";
  }
  int order() const override { return 2; }
  bool is_symplectic() const override { return false; }
  std::unique_ptr<Stepper> start(const TransientProblem& problem, double t, double h) const override {
    return std::make_unique<AlphaStepper>(problem, make_alpha(problem.options.spectral_radius), t, h);
  }
};

class NewmarkIntegrator final : public Integrator {
 public:
  std::string_view name() const override { return "newmark"; }
  std::string_view summary() const override { return "Newmark, average acceleration, order 2; stable for every step"; }
  int order() const override { return 2; }
  bool is_symplectic() const override { return false; }
  std::unique_ptr<Stepper> start(const TransientProblem& problem, double t, double h) const override {
    AlphaCoefficients c;
    c.beta = problem.options.newmark_beta;
    c.gamma = problem.options.newmark_gamma;
    return std::make_unique<AlphaStepper>(problem, c, t, h);
  }
};

class RungeKuttaStepper final : public Stepper {
 public:
  RungeKuttaStepper(const TransientProblem& problem, double h)
      : problem_(problem),
        h_(h),
        terms_(problem, FrameRate::moving),
        rate_([this](double t, const VectorX& x, VectorX& rate) {
          problem_.equation->calc_rate(terms_.at(t), x, rate);
        }) {}
  void step(double t, VectorX& x) override { method_.step(rate_, t, h_, x); }

 private:
  const TransientProblem& problem_;
  double h_;
  TermsInTime terms_;
  OdeRate rate_;
  RungeKutta4 method_;
};

class RungeKuttaIntegrator final : public Integrator {
 public:
  std::string_view name() const override { return "rk4"; }
  std::string_view summary() const override {
    return "classical Runge-Kutta, order 4; explicit, short steps only, loses energy";
  }
  int order() const override { return 4; }
  bool is_symplectic() const override { return false; }
  double find_longest_step(const TransientProblem& problem, double t) const override {
    return kStable / estimate_fastest(problem, t);
  }
  std::unique_ptr<Stepper> start(const TransientProblem& problem, double t, double h) const override {
    const double fastest = estimate_fastest(problem, t);
    if (!(h * fastest <= kStable))
      throw NumericalError(
          fmt::format("body `{}`: rk4 is unstable with steps of {:.4g} s: the fastest motion has {:.4g} rad/s; use "
                      "steps of at most "
                      "{:.3g} s, or an implicit integrator",
                      problem.equation->system().body->name, h, fastest, kStable / fastest));
    return std::make_unique<RungeKuttaStepper>(problem, h);
  }

 private:
  static constexpr double kStable = 2.78;  // of |λ|h: 2√2 on the imaginary axis, 2.785 on the real one [Hairer1993],
                                           // IV.2
};

}  // namespace

GaussCoefficients make_gauss(int stages) {
  GaussCoefficients g;
  MatrixX a;
  if (stages == 1) {
    a = MatrixX::Constant(1, 1, 0.5);
    g.c = VectorX::Constant(1, 0.5);
    g.b = VectorX::Ones(1);
  } else if (stages == 2) {
    const double r = std::numbers::sqrt3 / 6;
    a = MatrixX{{0.25, 0.25 - r}, {0.25 + r, 0.25}};
    g.c = VectorX{{0.5 - r, 0.5 + r}};
    g.b = VectorX{{0.5, 0.5}};
  } else {
    ELODYN_REQUIRE(stages == 3);
    const double r = std::sqrt(15.0), p = 5.0 / 36, q = 2.0 / 9;
    a = MatrixX{{p, q - r / 15, p - r / 30}, {p + r / 24, q, p - r / 24}, {p + r / 30, q + r / 15, p}};
    g.c = VectorX{{0.5 - r / 10, 0.5, 0.5 + r / 10}};
    g.b = VectorX{{5.0 / 18, 4.0 / 9, 5.0 / 18}};
  }
  g.B = MatrixX::Identity(stages, stages);
  ELODYN_REQUIRE(solve_in_place(a, g.B));
  return g;
}

GaussCoefficients make_radau() {
  const double r = std::sqrt(6.0);
  GaussCoefficients g;
  MatrixX a{{(88 - 7 * r) / 360, (296 - 169 * r) / 1800, (-2 + 3 * r) / 225},
            {(296 + 169 * r) / 1800, (88 + 7 * r) / 360, (-2 - 3 * r) / 225},
            {(16 - r) / 36, (16 + r) / 36, 1.0 / 9}};
  g.c = VectorX{{(4 - r) / 10, (4 + r) / 10, 1}};
  g.b = a.row(2).transpose();
  g.B = MatrixX::Identity(3, 3);
  ELODYN_REQUIRE(solve_in_place(a, g.B));
  return g;
}

double estimate_fastest(const TransientProblem& problem, double t) {
  const CanonicalEquation& equation = *problem.equation;
  CanonicalTerms terms = equation.calc_terms(problem.factors_at(t), FrameRate::moving);
  terms.f.setZero();
  const auto n = equation.size();
  VectorX x(2 * n), rate(2 * n), twice(2 * n);
  for (Eigen::Index i = 0; i < 2 * n; ++i) x[i] = std::sin(1.0 + 1.7 * static_cast<double>(i));  // nothing regular
  // Two applications at a time: of a pair ±iω the square is the same number. y and p differ in size by ω, so only the
  // coordinates are compared.
  double square = 0, before = 0;
  for (int k = 0; k < 300; ++k) {
    x /= x.head(n).norm() > 0 ? x.head(n).norm() : 1;
    equation.calc_rate(terms, x, rate);
    equation.calc_rate(terms, rate, twice);
    before = square;
    square = twice.head(n).norm();
    x.swap(twice);
    if (k > 20 && std::abs(square - before) <= 1e-4 * square) break;
  }
  return std::sqrt(square);
}

const Registry<Integrator>& integrators() {
  static const Registry<Integrator> registry = [] {
    std::vector<std::unique_ptr<const Integrator>> all;
    all.push_back(std::make_unique<GaussIntegrator>(
        1, kDefaultIntegrator, "Gauss with one stage, order 2; symplectic, stable for every step, keeps the energy"));
    all.push_back(std::make_unique<GaussIntegrator>(
        2, "gauss4", "Gauss with two stages, order 4; the same virtues, twice the unknowns"));
    all.push_back(std::make_unique<GeneralizedAlphaIntegrator>());
    all.push_back(std::make_unique<NewmarkIntegrator>());
    all.push_back(std::make_unique<RungeKuttaIntegrator>());
    return Registry<Integrator>(std::move(all));
  }();
  return registry;
}

}  // namespace elodyn
