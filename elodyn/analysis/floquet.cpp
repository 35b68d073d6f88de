// Growth of small motions where the coefficients of the equation repeat themselves with a period T (Floquet):
//   ẋ = A(t) x,  A(t + T) = A(t),   x(t₀ + T) = Φ x(t₀),   Φ v = μ v                                   (1)
// of the canonical state x (system/canonical.hpp), loads left out. All |μ| ≤ 1: nothing grows. Without damping Φ is
// symplectic: with μ also 1/μ is a multiplier. Exponents λ = log(μ)/T + 2πik/T; k is chosen so that the frequency is
// the nearest to that of the vector v itself,
//   Im(ηᴴv)/(ηᴴη) if its velocities v follow its displacements η, else the Rayleigh quotient of the mean stiffness. (2)
// Φ by Gauss's method of three stages, order 6, symplectic, stable for every step, on the lowest modes of the body with
// its mean stiffness; steps are halved and modes are added until the multipliers that are shown change by less than the
// tolerance. Source: [YakubovichStarzhinskii1975], II–III. Limits: small motions; combination resonances with modes
// beyond the basis are not seen; frequencies are known up to multiples of 2π/T, (2) is a guess.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/each_body.hpp"
#include "elodyn/analysis/period.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;
using Complex = std::complex<double>;

constexpr int kFewestSteps = 16, kMostSteps = 1 << 16;
constexpr int kMostModes = 200;  // of a basis that is found; 600 unknowns in a step

struct Multiplier {
  Complex value;
  double omega = 0, growth = 0;
};

class Monodromy {
 public:
  Monodromy(const CanonicalEquation& equation, const MatrixX& basis, const Period& period)
      : system_(equation.system()), map_(equation, basis, make_gauss(3)), period_(period) {}

  // Φ in `steps` steps.
  MatrixX calc(int steps, Progress& progress) {
    MatrixX Phi = MatrixX::Identity(2 * map_.size(), 2 * map_.size());
    map_.advance(period_, steps, Phi, false, &progress);
    return Phi;
  }

  // One of each pair μ, μ̄; slowest first.
  std::vector<Multiplier> find(const MatrixX& Phi) {
    const auto m = map_.size();
    MatrixX copy = Phi;
    Eigen::VectorXcd values;
    Eigen::MatrixXcd vectors;
    general_eigen(copy, values, vectors);
    ProjectedTerms terms, mean = calc_mean();
    map_.projected().calc_terms(system_.calc_factors(period_.start), terms);
    std::vector<Multiplier> out;
    for (Eigen::Index i = 0; i < values.size(); ++i) {
      const Complex mu = values[i];
      const Eigen::VectorXcd eta = vectors.col(i).head(m);
      const double size = eta.squaredNorm();
      const bool is_real = std::abs(mu.imag()) <= 1e-12 * std::abs(mu);
      double guess = 0;
      if (size > 0) {
        const Eigen::VectorXcd velocity = vectors.col(i).tail(m) - terms.C * eta;
        const Complex rate = eta.dot(velocity) / size;
        constexpr double kSwings = 0.3;  // of the velocity that is not that of e^λt; 0 for constant coefficients
        const bool swings = !is_real && (velocity - rate * eta).norm() <= kSwings * velocity.norm();
        const double of_stiffness = std::sqrt(std::max(0.0, eta.dot(mean.K * eta).real() / size));
        guess = swings ? rate.imag() : std::copysign(of_stiffness, is_real ? 1 : rate.imag());
      }
      if (!is_real && (guess < 0 || (guess == 0 && mu.imag() < 0))) continue;  // its partner is taken
      out.push_back({mu, resolve(std::arg(mu), guess, is_real), std::log(std::abs(mu)) / period_.length});
    }
    std::sort(out.begin(), out.end(), [](const Multiplier& a, const Multiplier& b) {
      return a.omega != b.omega ? a.omega < b.omega : a.growth > b.growth;
    });
    return out;
  }

  // Largest |μ_i μ_j − 1| with the j that suits best.
  static double calc_pairing_error(const MatrixX& Phi) {
    MatrixX copy = Phi;
    Eigen::VectorXcd values;
    Eigen::MatrixXcd vectors;
    general_eigen(copy, values, vectors);
    double worst = 0;
    for (const Complex& mu : values) {
      double best = std::numeric_limits<double>::infinity();
      for (const Complex& other : values) best = std::min(best, std::abs(mu * other - 1.0));
      worst = std::max(worst, best);
    }
    return worst;
  }

 private:
  // arg/T + 2πk/T ≥ 0 that is nearest to the guess.
  double resolve(double angle, double guess, bool is_real) const {
    const double turn = 2 * pi / period_.length, first = angle / period_.length;
    double omega = first + turn * std::round((guess - first) / turn);
    if (omega < 0) omega = is_real ? -omega : omega + turn;
    return omega;
  }

  ProjectedTerms calc_mean() const {
    constexpr int kSamples = 16;
    ProjectedTerms sum, at;
    FactorValues factors;
    for (int i = 0; i < kSamples; ++i) {
      system_.calc_factors(period_.start + period_.length * i / kSamples, factors);
      map_.projected().calc_terms(factors, at);
      if (i == 0)
        sum = at;
      else
        sum.K += at.K;
    }
    sum.K /= kSamples;
    return sum;
  }

  const BodySystem& system_;
  PeriodMap map_;
  Period period_;
};

class FloquetProblem {
 public:
  FloquetProblem(const BodySystem& s, const FloquetRequest& request)
      : s_(s), request_(request), equation_(s), period_(find_asked_period(s, request)) {}

  void run(std::vector<std::string>& warnings) {
    constexpr double kShare = 1e-3;  // of a mechanism that has about settled
    require_periodic(s_, period_, kShare, warnings);
    const auto n = static_cast<int>(equation_.size());
    basis_ = std::min(n, request_.basis.value_or(std::max(12, 2 * request_.count + 4)));
    solve();
    while (!request_.basis && basis_ < std::min(n, kMostModes)) {
      const std::vector<Multiplier> before = shown_;
      basis_ = std::min({n, kMostModes, basis_ + basis_ / 2});
      solve();
      if (calc_change(before) <= request_.tolerance) break;
      if (basis_ == kMostModes && basis_ < n)
        warnings.push_back(fmt::format("body `{}`: multipliers still change by {:.2g} with {} modes as basis",
                                       s_.body->name, calc_change(before), basis_));
    }
    is_conservative_ = !equation_.has_damping() && !has_circulatory();
    pairing_error_ = is_conservative_ ? Monodromy::calc_pairing_error(Phi_) : std::nan("");
    // Without damping growth beyond the tolerance comes in pairs; round-off parts multipliers that meet by its root.
    constexpr double kLargestPairing = 1e-6;
    if (pairing_error_ > kLargestPairing)
      warnings.push_back(fmt::format("body `{}`: multipliers come in pairs μ, 1/μ only to {:.2g}: digits are lost",
                                     s_.body->name, pairing_error_));
    if (!is_stable())
      warnings.push_back(fmt::format("body `{}` is unstable: it grows {:.4g} times in each period of {:.4g} s",
                                     s_.body->name, largest(), period_.length));
  }

  const std::vector<Multiplier>& shown() const { return shown_; }
  double period() const { return period_.length; }
  int steps() const { return steps_; }
  int basis() const { return basis_; }
  double pairing_error() const { return pairing_error_; }
  double largest() const {
    double out = 0;
    for (const Multiplier& mu : shown_) out = std::max(out, std::abs(mu.value));
    return out;
  }
  bool is_stable() const { return largest() <= 1 + margin(); }

 private:
  // Multipliers of free bodies meet at 1, which round-off ε parts by √ε.
  double margin() const { return std::max(10 * request_.tolerance, s_.rigid.cols() > 0 ? 1e-6 : 1e-9); }

  bool has_circulatory() const { return equation_.calc_terms(s_.calc_factors(period_.start), FrameRate::moving).has_N; }

  // The start that is asked for counts with a period; without one a mechanism has its last cycle.
  static Period find_asked_period(const BodySystem& s, const FloquetRequest& request) {
    const bool is_given = request.period || s.body->motion.kind != Motion::Kind::mechanism || request.start != 0;
    return find_period(s, request.period, is_given ? std::optional(request.start) : std::nullopt, "floquet");
  }

  // Steps halved until the multipliers stay; those of the last basis are enough to begin with.
  void solve() {
    Monodromy monodromy(equation_, make_period_basis(equation_, period_, basis_).vectors, period_);
    steps_ = std::max(kFewestSteps, steps_ / 2);
    Progress progress("floquet " + s_.body->name, 3 * steps_);  // halved once at least
    Phi_ = monodromy.calc(steps_, progress);
    choose(monodromy.find(Phi_));
    for (bool is_first = true;; is_first = false) {
      const std::vector<Multiplier> before = shown_;
      steps_ *= 2;
      if (!is_first) progress.add_total(steps_);
      Phi_ = monodromy.calc(steps_, progress);
      choose(monodromy.find(Phi_));
      const double change = calc_change(before);
      if (change <= request_.tolerance) return;
      if (steps_ >= kMostSteps)
        throw NumericalError(fmt::format(
            "body `{}`: the multipliers still change by {:.2g} with {} steps in a period: the coefficients jump, or "
            "the period is very long; use a larger `tolerance` or a smaller `count`",
            s_.body->name, change, steps_));
    }
  }

  // The slowest, and what grows of those that the steps resolve.
  void choose(std::vector<Multiplier> all) {
    const double resolved = steps_ / period_.length;  // rad/s: one radian in a step
    shown_.clear();
    for (const Multiplier& mu : all) {
      const bool is_slow = static_cast<int>(shown_.size()) < request_.count;
      const bool grows = mu.omega < resolved && std::abs(mu.value) > 1 + margin();
      if (is_slow || grows) shown_.push_back(mu);
    }
  }

  // To the nearest one of those before, relative.
  double calc_change(const std::vector<Multiplier>& before) const {
    double worst = before.size() == shown_.size() ? 0 : std::numeric_limits<double>::infinity();
    for (const Multiplier& mu : shown_) {
      double best = std::numeric_limits<double>::infinity();
      for (const Multiplier& old : before)
        best = std::min({best, std::abs(mu.value - old.value), std::abs(std::conj(mu.value) - old.value)});
      worst = std::max(worst, best / std::max(1.0, std::abs(mu.value)));
    }
    return worst;
  }

  const BodySystem& s_;
  const FloquetRequest& request_;
  CanonicalEquation equation_;
  Period period_;
  int basis_ = 0, steps_ = 0;
  bool is_conservative_ = false;
  double pairing_error_ = 0;
  MatrixX Phi_;
  std::vector<Multiplier> shown_;
};

class FloquetAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "floquet"; }
  std::string_view summary() const override { return "multipliers of a motion that repeats itself: does it grow?"; }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    ELODYN_REQUIRE(bodies.front().model->floquet.has_value());
    const FloquetRequest& request = *bodies.front().model->floquet;
    std::vector<std::string> names, verdicts, owners;
    std::vector<double> periods, steps, basis, largest, pairing, number, real, imaginary, size, growth, omega, hz;
    const auto add_body = [&](const BodySystem& s) {
      FloquetProblem problem(s, request);
      problem.run(results.warnings);
      names.push_back(s.body->name);
      verdicts.emplace_back(problem.is_stable() ? "stable" : "unstable");
      periods.push_back(problem.period());
      steps.push_back(problem.steps());
      basis.push_back(problem.basis());
      largest.push_back(problem.largest());
      pairing.push_back(problem.pairing_error());
      double k = 0;
      for (const Multiplier& mu : problem.shown()) {
        owners.push_back(s.body->name);
        number.push_back(++k);
        real.push_back(mu.value.real());
        imaginary.push_back(mu.value.imag());
        size.push_back(std::abs(mu.value));
        growth.push_back(mu.growth);
        omega.push_back(mu.omega);
        hz.push_back(mu.omega / (2 * pi));
      }
    };
    EachBody each;
    for (const BodySystem& s : bodies) each.run([&] { add_body(s); });
    if (names.empty()) each.rethrow();
    Table summary{"floquet", "Stability over a period", {{"body", "", names}, {"verdict", "", verdicts}}};
    summary.columns.push_back({"largest_multiplier", "", largest});
    summary.columns.push_back({"period", "s", periods});
    summary.columns.push_back({"steps", "", steps});
    summary.columns.push_back({"basis", "", basis});
    if (std::any_of(pairing.begin(), pairing.end(), [](double value) { return !std::isnan(value); }))
      summary.columns.push_back({"pairing_error", "", pairing});
    results.tables.push_back(std::move(summary));
    Table table{"multipliers", "Floquet multipliers; frequencies up to multiples of 1/period", {}};
    if (bodies.size() > 1) table.columns.push_back({"body", "", owners});
    table.columns.push_back({"number", "", number});
    table.columns.push_back({"frequency", "Hz", hz});
    table.columns.push_back({"omega", "rad/s", omega});
    table.columns.push_back({"growth", "1/s", growth});
    table.columns.push_back({"size", "", size});
    table.columns.push_back({"real", "", real});
    table.columns.push_back({"imaginary", "", imaginary});
    results.tables.push_back(std::move(table));
    each.rethrow();
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_floquet_analysis() { return std::make_unique<FloquetAnalysis>(); }

}  // namespace elodyn
