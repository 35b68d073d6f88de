#include "elodyn/analysis/integrator.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/ode.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

bool operator==(const FactorValues& a, const FactorValues& b) {
  return a.w == b.w && a.e == b.e && a.a == b.a && a.load == b.load;
}

// Solves with Q + V G Vᵀ (V may have no column), factored once. One step of refinement: a factorisation is exact for
// matrices slightly off, always the same way; over a million steps that would add up.
class StepSolver {
 public:
  // False if the matrix is singular.
  bool factor(SparseMatrix Q, bool is_symmetric, const MatrixX& V, const MatrixX& G) {
    Q_ = std::move(Q);
    V_ = V;
    G_ = G;
    is_full_ = Q_.rows() <= kFew;
    is_symmetric_ = is_symmetric && !is_full_;
    if (is_full_) {
      MatrixX full = Q_;
      inverse_.setIdentity(Q_.rows(), Q_.cols());
      if (!solve_in_place(full, inverse_)) return false;
    } else if (!is_symmetric_ || !cholesky_.factor(Q_)) {
      is_symmetric_ = false;
      if (!lu_.factor(Q_)) return false;
    }
    if (V_.cols() == 0) return true;
    inverse_V_ = plain_solve(V_);
    small_ = MatrixX::Identity(V_.cols(), V_.cols()) + G_ * (V_.transpose() * inverse_V_);
    capacitance_ = G_;
    return solve_in_place(small_, capacitance_);
  }

  void solve(const VectorX& b, VectorX& x) {
    once(b, x);
    residual_ = b;
    residual_.noalias() -= Q_ * x;
    if (V_.cols() > 0) residual_.noalias() -= V_ * (G_ * (V_.transpose() * x));
    once(residual_, correction_);
    x += correction_;
  }

 private:
  static constexpr Eigen::Index kFew = 64;  // unknowns, below which a full inverse is quicker

  MatrixX plain_solve(const MatrixX& b) const {
    return is_full_ ? MatrixX(inverse_ * b) : is_symmetric_ ? cholesky_.solve(b) : lu_.solve(b);
  }
  // Woodbury: (Q + VGVᵀ)⁻¹ = Q⁻¹ − Q⁻¹V (1 + G VᵀQ⁻¹V)⁻¹ G VᵀQ⁻¹
  void once(const VectorX& b, VectorX& x) const {
    if (is_full_)
      x.noalias() = inverse_ * b;
    else
      x = plain_solve(b);
    if (V_.cols() > 0) x -= inverse_V_ * (capacitance_ * (V_.transpose() * x)).eval();
  }

  SparseMatrix Q_;
  MatrixX V_, G_, inverse_, inverse_V_, small_, capacitance_;
  bool is_full_ = false, is_symmetric_ = false;
  CholeskySolver cholesky_;
  LuSolver lu_;
  VectorX residual_, correction_;
};

struct GaussCoefficients {
  VectorX c, b;
  MatrixX B;  // a⁻¹
};

GaussCoefficients make_gauss(int stages) {
  GaussCoefficients g;
  MatrixX a;
  if (stages == 1) {
    a = MatrixX::Constant(1, 1, 0.5);
    g.c = VectorX::Constant(1, 0.5);
    g.b = VectorX::Ones(1);
  } else {
    ELODYN_REQUIRE(stages == 2);
    const double r = std::numbers::sqrt3 / 6;
    a = MatrixX{{0.25, 0.25 - r}, {0.25 + r, 0.25}};
    g.c = VectorX{{0.5 - r, 0.5 + r}};
    g.b = VectorX{{0.5, 0.5}};
  }
  g.B = MatrixX::Identity(stages, stages);
  ELODYN_REQUIRE(solve_in_place(a, g.B));
  return g;
}

class GaussStepper final : public Stepper {
 public:
  GaussStepper(const TransientProblem& problem, int stages, double t, double h)
      : problem_(problem), equation_(*problem.equation), g_(make_gauss(stages)), h_(h), B_over_h_(g_.B * (1 / h)) {
    h_lost_ = h * std::fma(-h, 1 / h, 1.0);
    weights_ = g_.B.transpose() * g_.b;
    const auto s = g_.b.size(), n = equation_.size();
    at_.resize(static_cast<size_t>(s));
    terms_.resize(static_cast<size_t>(s));
    rhs_.resize(s * n);
    lost_ = VectorX::Zero(2 * n);
    prepare(t);
  }

  void step(double t, VectorX& x) override {
    if (!problem_.is_steady) prepare(t);
    const auto s = g_.b.size(), n = equation_.size();
    y0_ = x.head(n);
    p0_ = x.tail(n);
    for (Eigen::Index i = 0; i < s; ++i) {
      const CanonicalTerms& terms = terms_[static_cast<size_t>(i)];
      auto r = rhs_.segment(i * n, n);
      r = terms.f;
      r.noalias() -= terms.K * y0_;
      r.noalias() -= terms.N * y0_;
      for (Eigen::Index j = 0; j < s; ++j) {
        r += B_over_h_(i, j) * p0_;
        r.noalias() -= B_over_h_(i, j) * (terms_[static_cast<size_t>(j)].C * y0_);
      }
    }
    solver_.solve(rhs_, delta_);
    change_.setZero(2 * n);
    for (Eigen::Index i = 0; i < s; ++i) add_stage(i);
    // Compensated sum: what an addition loses is added at the next step.
    lost_ += change_;
    next_ = x + lost_;
    lost_ -= next_ - x;
    x.swap(next_);
  }

 private:
  // b_i h ẋ at stage i.
  void add_stage(Eigen::Index i) {
    const auto s = g_.b.size(), n = equation_.size();
    const CanonicalTerms& terms = terms_[static_cast<size_t>(i)];
    v_.setZero(n);
    for (Eigen::Index j = 0; j < s; ++j) v_ += B_over_h_(i, j) * delta_.segment(j * n, n);
    y_ = y0_ + delta_.segment(i * n, n);
    force_ = terms.f;
    force_.noalias() -= terms.C * v_;
    force_.noalias() -= terms.D * v_;
    force_.noalias() -= terms.K * y_;
    force_.noalias() -= terms.N * y_;
    const ModalDamping& modal = equation_.modal();
    if (modal.weights.size() > 0)
      force_.noalias() -= modal.M_phi * modal.weights.cwiseProduct(modal.M_phi.transpose() * v_);
    change_.head(n) += weights_[i] * delta_.segment(i * n, n);
    change_.tail(n) += g_.b[i] * h_ * force_ + g_.b[i] * h_lost_ * force_;
  }

  // Terms at the stages and their matrix, if the motion has changed.
  void prepare(double t) {
    const auto s = static_cast<size_t>(g_.b.size());
    bool changed = !is_factored_;
    for (size_t i = 0; i < s; ++i) {
      FactorValues at = problem_.factors(t + g_.c[static_cast<Eigen::Index>(i)] * h_);
      if (is_factored_ && at == at_[i]) continue;
      changed = true;
      at_[i] = std::move(at);
      terms_[i] = equation_.calc_terms(at_[i], FrameRate::moving);
    }
    if (!changed) return;
    factor(t);
    is_factored_ = true;
  }

  void factor(double t) {
    const auto s = g_.b.size(), n = equation_.size();
    const MatrixX B2 = B_over_h_ * B_over_h_;
    std::vector<Eigen::Triplet<double>> entries;
    bool is_symmetric = s == 1;
    const auto add = [&](const SparseMatrix& A, double factor, Eigen::Index row, Eigen::Index column) {
      for (Eigen::Index j = 0; j < A.outerSize(); ++j)
        for (SparseMatrix::InnerIterator it(A, j); it; ++it)
          if (it.value() != 0)
            entries.emplace_back(static_cast<int>(row * n + it.row()), static_cast<int>(column * n + it.col()),
                                 factor * it.value());
    };
    for (Eigen::Index i = 0; i < s; ++i) {
      const CanonicalTerms& terms = terms_[static_cast<size_t>(i)];
      for (Eigen::Index k = 0; k < s; ++k) {
        add(equation_.mass(), B2(i, k), i, k);
        add(terms.C, B_over_h_(i, k), i, k);
        add(terms_[static_cast<size_t>(k)].C, B_over_h_(i, k), i, k);
        add(terms.D, B_over_h_(i, k), i, k);
      }
      add(terms.K, 1, i, i);
      add(terms.N, 1, i, i);
      const auto is_zero = [](const SparseMatrix& A) { return (A.coeffs() == 0).all(); };
      is_symmetric = is_symmetric && is_zero(terms.C) && is_zero(terms.N);
    }
    SparseMatrix Q(s * n, s * n);
    Q.setFromTriplets(entries.begin(), entries.end());
    const ModalDamping& modal = equation_.modal();
    const auto m = modal.weights.size();
    MatrixX V = MatrixX::Zero(s * n, s * m), G = MatrixX::Zero(s * m, s * m);
    for (Eigen::Index i = 0; i < s && m > 0; ++i) {
      V.block(i * n, i * m, n, m) = modal.M_phi;
      for (Eigen::Index k = 0; k < s; ++k) G.block(i * m, k * m, m, m).diagonal() = B_over_h_(i, k) * modal.weights;
    }
    if (!solver_.factor(std::move(Q), is_symmetric, V, G))
      throw NumericalError(fmt::format(
          "body `{}`: the matrix of a time step is singular at t = {:.6g} s: the body is so unstable that it grows "
          "several times in one step; use a smaller step",
          equation_.system().body->name, t));
  }

  const TransientProblem& problem_;
  const CanonicalEquation& equation_;
  GaussCoefficients g_;
  double h_;
  // 1/h is rounded, to 1/(h + h_lost_): the same step must be meant everywhere, or the energy has a trend of twice
  // the size.
  double h_lost_ = 0;
  MatrixX B_over_h_;
  VectorX weights_;  // bᵀB: z₁ = z₀ + Σ weight (z_i − z₀)
  std::vector<FactorValues> at_;
  std::vector<CanonicalTerms> terms_;
  bool is_factored_ = false;
  StepSolver solver_;
  VectorX y0_, p0_, rhs_, delta_, v_, y_, force_, change_, lost_, next_;
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

// The terms at the last time that was asked for; the stages of a step share their times.
class TermsInTime {
 public:
  explicit TermsInTime(const TransientProblem& problem) : problem_(problem) {}
  const CanonicalTerms& at(double t) {
    if (is_known_ && (problem_.is_steady || t == t_)) return terms_;
    FactorValues at = problem_.factors(t);
    if (!is_known_ || !(at == at_)) terms_ = problem_.equation->calc_terms(at, FrameRate::moving);
    at_ = std::move(at);
    t_ = t;
    is_known_ = true;
    return terms_;
  }

 private:
  const TransientProblem& problem_;
  bool is_known_ = false;
  double t_ = 0;
  FactorValues at_;
  CanonicalTerms terms_;
};

class RungeKuttaStepper final : public Stepper {
 public:
  RungeKuttaStepper(const TransientProblem& problem, double h)
      : problem_(problem), h_(h), terms_(problem), rate_([this](double t, const VectorX& x, VectorX& rate) {
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
  std::unique_ptr<Stepper> start(const TransientProblem& problem, double t, double h) const override {
    constexpr double kStable = 2.78;  // of |λ|h: 2√2 on the imaginary axis, 2.785 on the real one [Hairer1993], IV.2
    const double fastest = estimate_fastest(problem, t);
    if (!(h * fastest <= kStable))
      throw NumericalError(
          fmt::format("body `{}`: rk4 is unstable with steps of {:.4g} s: the fastest motion has {:.4g} rad/s; use "
                      "steps of at most "
                      "{:.3g} s, or an implicit integrator",
                      problem.equation->system().body->name, h, fastest, kStable / fastest));
    return std::make_unique<RungeKuttaStepper>(problem, h);
  }
};

}  // namespace

double estimate_fastest(const TransientProblem& problem, double t) {
  const CanonicalEquation& equation = *problem.equation;
  CanonicalTerms terms = equation.calc_terms(problem.factors(t), FrameRate::moving);
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
    all.push_back(std::make_unique<RungeKuttaIntegrator>());
    return Registry<Integrator>(std::move(all));
  }();
  return registry;
}

}  // namespace elodyn
