// Steady vibration of each body in a motion that repeats itself with a period T: the one x(t₀ + T) = x(t₀), by shooting
//   x(t₀ + T) = Φ x(t₀) + p   (analysis/period.hpp)   ⇒   (1 − Φ) x(t₀) = p                                        (1)
// on the lowest modes φ of the body with its mean stiffness K̄; all others follow their loads at once:
//   z(t) = Σ φ_i η_i(t) + (K̄⁻¹ − Σ φ_i φ_iᵀ/ω_i²) f(t)                                                             (2)
// Steps are those of Radau's method, so that modes which are much faster than a step follow their loads too, as they do
// where the motion is slow. They are halved, and modes are added, until the displacements change by less than the
// tolerance. From z over the cycle displacements of points, section forces and stresses (analysis/peaks.hpp), and the
// harmonics of points
//   u(t) = u₀ + Σ U_k cos(2πkt/T + φ_k),   acceleration in the frame (2πk/T)² U_k                                   (3)
// by direct sums over equal intervals. Limits: small displacements. Without damping (1) has no bound at resonance,
// where a multiplier of Φ is 1: how near it is, is said. Kinks of the motion end the fast convergence of steps.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/peaks.hpp"
#include "elodyn/analysis/period.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/harmonics.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;
using Complex = std::complex<double>;

constexpr int kFewestModes = 4, kMostModes = 100, kMostSteps = 1 << 18;

// Displacements of the body over the cycle; a column for each record, the last one is the first one again.
struct Response {
  MatrixX q, q_rate, q_second;  // all coordinates; rates and accelerations of the modes alone
};

class PeriodicProblem {
 public:
  PeriodicProblem(const BodySystem& s, const PeriodicRequest& request)
      : s_(s), request_(request), equation_(s), period_(find_period(s, request.period, request.start, "periodic")) {
    if (s.rigid.cols() > 0)
      throw NumericalError(fmt::format(
          "body `{}` is free to move in its frame, so no vibration is steady: add supports that take its rigid motion",
          s.body->name));
  }

  void run(std::vector<std::string>& warnings) {
    constexpr double kShare = 1e-2;  // of a mechanism that has about settled
    require_periodic(s_, period_, kShare, warnings);
    const auto n = static_cast<int>(equation_.size());
    basis_ = std::min(n, request_.basis.value_or(kFewestModes));
    solve();
    while (!request_.basis && basis_ < std::min(n, kMostModes)) {
      const MatrixX before = response_.q;
      basis_ = std::min({n, kMostModes, basis_ + std::max(2, basis_ / 2)});
      solve();
      change_ = calc_change(before);
      if (change_ <= request_.tolerance) break;
    }
    if (change_ > request_.tolerance)
      warnings.push_back(fmt::format("body `{}`: displacements still change by {:.1e} with {} modes as basis",
                                     s_.body->name, change_, basis_));
  }

  const Period& period() const { return period_; }
  const Response& response() const { return response_; }
  int steps() const { return steps_; }
  int basis() const { return basis_; }
  double time(int k) const { return period_.start + period_.length * k / request_.records; }
  double nearest_resonance() const { return nearest_; }  // least |1 − μ|

 private:
  double calc_change(const MatrixX& before) const {
    const MatrixX difference = response_.q - before;
    double size = 0, change = 0;
    for (const Node& node : s_.mesh.nodes)
      for (const int dof : node.translations()) {
        if (dof < 0) continue;
        size = std::max(size, response_.q.row(dof).cwiseAbs().maxCoeff());
        change = std::max(change, difference.row(dof).cwiseAbs().maxCoeff());
      }
    return size > 0 ? change / size : 0;
  }

  // Steps halved until the displacements stay.
  void solve() {
    const PeriodBasis basis = make_period_basis(equation_, period_, basis_);
    PeriodMap map(equation_, basis.vectors, make_radau());
    set_residual(basis);
    int per_record = 1;
    shoot(basis, map, per_record);
    for (;;) {
      const MatrixX before = response_.q;
      per_record *= 2;
      shoot(basis, map, per_record);
      const double change = calc_change(before);
      if (change <= request_.tolerance) return;
      if (steps_ >= kMostSteps)
        throw NumericalError(fmt::format(
            "body `{}`: the displacements still change by {:.1e} with {} steps in a period: the motion or a load "
            "jumps, or an undamped mode is at resonance (least |1 − μ| = {:.1e}); use a larger `tolerance` or give the "
            "body damping",
            s_.body->name, change, steps_, nearest_));
    }
  }

  // The part of the static deflection under each load that the modes do not have, scaled coordinates.
  void set_residual(const PeriodBasis& basis) {
    const std::vector<LoadTerm>& loads = s_.reduced.loads;
    MatrixX f(equation_.size(), static_cast<Eigen::Index>(loads.size()));
    for (size_t j = 0; j < loads.size(); ++j)
      f.col(static_cast<Eigen::Index>(j)) = loads[j].coefficient * equation_.scale().cwiseProduct(loads[j].values);
    CholeskySolver solver;
    if (!solver.factor(basis.K))
      throw NumericalError(fmt::format("body `{}`: its stiffness is singular; hold it", s_.body->name));
    const MatrixX parts = basis.squares.cwiseInverse().asDiagonal() * (basis.vectors.transpose() * f);
    residual_ = MatrixX(solver.solve(f)) - basis.vectors * parts;
  }

  void shoot(const PeriodBasis& basis, PeriodMap& map, int per_record) {
    const auto m = map.size();
    steps_ = per_record * request_.records;
    MatrixX X = MatrixX::Zero(2 * m, 2 * m + 1);
    X.leftCols(2 * m).setIdentity();
    map.advance(period_, steps_, X, true);
    const MatrixX Phi = X.leftCols(2 * m);
    MatrixX system = MatrixX::Identity(2 * m, 2 * m) - Phi, x = X.rightCols(1);
    set_nearest(Phi);
    if (!solve_in_place(system, x) || !x.allFinite())
      throw NumericalError(fmt::format(
          "body `{}`: one of its modes is at resonance with its motion, and nothing damps it: give it damping",
          s_.body->name));
    record(basis, map, per_record, x);
  }

  void set_nearest(const MatrixX& Phi) {
    MatrixX copy = Phi;
    Eigen::VectorXcd values;
    Eigen::MatrixXcd vectors;
    general_eigen(copy, values, vectors);
    nearest_ = (values.array() - Complex(1)).abs().minCoeff();
  }

  void record(const PeriodBasis& basis, PeriodMap& map, int per_record, MatrixX x) {
    const auto n = s_.constraints.n_full();
    const auto m = map.size();
    const int records = request_.records;
    for (MatrixX* part : {&response_.q, &response_.q_rate, &response_.q_second}) part->resize(n, records + 1);
    const double h = period_.length / steps_;
    ProjectedTerms terms;
    for (int k = 0; k <= records; ++k) {
      const FactorValues at = s_.calc_factors(time(k));
      map.projected().calc_terms(at, terms);
      const VectorX eta = x.col(0).head(m), rate = x.col(0).tail(m) - terms.C * eta;
      put(basis, map, at, eta, rate, k);
      for (int i = 0; i < per_record && k < records; ++i)
        map.step(period_.start + period_.length * (static_cast<double>(k) * per_record + i) / steps_, h, x, true);
    }
  }

  void put(const PeriodBasis& basis, const PeriodMap& map, const FactorValues& at, const VectorX& eta,
           const VectorX& rate, int k) {
    const VectorX& d = equation_.scale();
    const VectorX z = d.cwiseProduct(basis.vectors * eta), z_rate = d.cwiseProduct(basis.vectors * rate);
    VectorX force = -(s_.reduced.calc_stiffness(at) * z) - s_.reduced.calc_velocity(at) * z_rate;
    if (!s_.modal.empty()) force -= s_.modal.M_phi * s_.modal.weights.cwiseProduct(s_.modal.M_phi.transpose() * z_rate);
    const VectorX second = basis.vectors.transpose() * d.cwiseProduct(force) + map.calc_load(at);
    VectorX factors(residual_.cols());
    for (Eigen::Index j = 0; j < factors.size(); ++j) factors[j] = at(s_.reduced.loads[static_cast<size_t>(j)].factor);
    response_.q.col(k) = s_.constraints.expand(z + d.cwiseProduct(residual_ * factors));
    response_.q_rate.col(k) = s_.constraints.T() * z_rate;
    response_.q_second.col(k) = s_.constraints.T() * d.cwiseProduct(basis.vectors * second);
  }

  const BodySystem& s_;
  const PeriodicRequest& request_;
  CanonicalEquation equation_;
  Period period_;
  int basis_ = 0, steps_ = 0;
  double nearest_ = 0, change_ = 0;
  MatrixX residual_;
  Response response_;
};

// ---- what is read from it ----

class Cycles {
 public:
  Cycles(const BodySystem& s, const PeriodicRequest& request, const PeriodicProblem& problem)
      : s_(s), request_(request), problem_(problem), peaks_(s, request.stations) {
    for (const Point& point : s.body->points) {
      const auto is_wanted = [&](const Located<std::string>& name) { return name.value == point.name; };
      const auto node = s.mesh.node_of_point.find(point.name);
      if (node == s.mesh.node_of_point.end()) continue;
      if (!request.points.empty() && std::none_of(request.points.begin(), request.points.end(), is_wanted)) continue;
      points_.push_back({point.name, s.mesh.nodes[static_cast<size_t>(node->second)]});
    }
    find_peaks();
  }
  const Peaks& peaks() const { return peaks_.peaks(); }

  Table make_history() const {
    Table table{
        s_.body->name + "_periodic", fmt::format("Steady vibration of body `{}` over a period", s_.body->name), {}};
    std::vector<double> times, angles;
    const Cycle* cycle = problem_.period().cycle;
    for (int k = 0; k <= request_.records; ++k) {
      times.push_back(problem_.time(k));
      if (cycle) angles.push_back(cycle->angle(s_.body->motion.table->fold(times.back())) * 180 / pi);
    }
    table.columns.push_back({"time", "s", times});
    if (cycle) table.columns.push_back({cycle->joint + "_angle", "deg", angles});
    for_components([&](const Place&, const std::string& name, int dof, Eigen::Index) {
      table.columns.push_back({name, "m", row(problem_.response().q, dof)});
    });
    if (!stress_.empty()) table.columns.push_back({"stress", "Pa", stress_});
    return table;
  }

  // (3), 0-to-peak; k = 0 is the mean.
  Table make_spectrum() const {
    Table table{s_.body->name + "_harmonics",
                fmt::format("Harmonics of the steady vibration of body `{}`, 0-to-peak", s_.body->name),
                {}};
    const int count = std::min(request_.harmonics, request_.records / 2 - 1);
    std::vector<double> number, hz;
    for (int k = 0; k <= count; ++k) {
      number.push_back(k);
      hz.push_back(k / problem_.period().length);
    }
    table.columns.push_back({"harmonic", "", number});
    table.columns.push_back({"frequency", "Hz", hz});
    for_components([&](const Place& point, const std::string& name, int dof, Eigen::Index axis) {
      const std::vector<double> u = calc_harmonics(row(problem_.response().q, dof), count);
      table.columns.push_back({name, "m", u});
      std::vector<double> a;
      for (int k = 0; k <= count; ++k)
        a.push_back(std::pow(2 * pi * hz[static_cast<size_t>(k)], 2) * u[static_cast<size_t>(k)]);
      table.columns.push_back({name + "_acceleration", "m/s^2", a});
      table.columns.push_back({name + "_accelerometer", "m/s^2", calc_harmonics(calc_felt(point, axis), count)});
    });
    return table;
  }

 private:
  struct Place {
    std::string name;
    Node node;
  };

  // function(point, name of the column, dof, axis)
  void for_components(const auto& function) const {
    constexpr const char* kNames[] = {"u", "v", "w"};
    for (const Place& point : points_)
      for (size_t i = 0; i < 3; ++i)
        if (const int dof = point.node.translations()[i]; dof >= 0)
          function(point, point.name + "_" + kNames[i], dof, static_cast<Eigen::Index>(i));
  }
  static std::vector<double> row(const MatrixX& values, int dof) {
    std::vector<double> out(static_cast<size_t>(values.cols()));
    for (Eigen::Index k = 0; k < values.cols(); ++k) out[static_cast<size_t>(k)] = values(dof, k);
    return out;
  }

  // What an accelerometer on the body shows along a body axis: a + ε×(x+u) + ω×(ω×(x+u)) + 2ω×u̇ + ü, a less gravity.
  std::vector<double> calc_felt(const Place& point, Eigen::Index axis) const {
    const Node& node = point.node;
    std::vector<double> out;
    for (int k = 0; k <= request_.records; ++k) {
      const FactorValues at = s_.calc_factors(problem_.time(k));
      const Vec3 w = sum_axes(s_.basis.axes, at.w), e = sum_axes(s_.basis.axes, at.e);
      const Vec3 x = node.x - s_.basis.origin + components(node.translations(), problem_.response().q.col(k));
      const Vec3 a = sum_axes(s_.basis.accelerations, at.a) + e.cross(x) + w.cross(w.cross(x)) +
                     2 * w.cross(components(node.translations(), problem_.response().q_rate.col(k))) +
                     components(node.translations(), problem_.response().q_second.col(k));
      out.push_back(a[axis]);
    }
    return out;
  }

  void find_peaks() {
    const Response& response = problem_.response();
    Progress progress("stresses " + s_.body->name, request_.records + 1);
    for (int k = 0; k <= request_.records; ++k) {
      throw_if_interrupted();
      const double t = problem_.time(k);
      const std::optional<double> largest =
          peaks_.add(t, s_.calc_factors(t), response.q.col(k), response.q_rate.col(k), response.q_second.col(k));
      if (largest) stress_.push_back(*largest);
      progress.advance();
    }
  }

  const BodySystem& s_;
  const PeriodicRequest& request_;
  const PeriodicProblem& problem_;
  std::vector<Place> points_;
  PeakFinder peaks_;
  std::vector<double> stress_;  // largest at each record
};

class PeriodicAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "periodic"; }
  std::string_view summary() const override { return "steady vibration in a motion that repeats itself, and stresses"; }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    ELODYN_REQUIRE(bodies.front().model->periodic.has_value());
    const PeriodicRequest& request = *bodies.front().model->periodic;
    std::vector<std::string> names;
    std::vector<double> period, basis, steps, nearest;
    std::vector<Peaks> peaks;
    std::vector<Table> tables;
    for (const BodySystem& s : bodies) {
      PeriodicProblem problem(s, request);
      problem.run(results.warnings);
      const Cycles cycles(s, request, problem);
      names.push_back(s.body->name);
      period.push_back(problem.period().length);
      basis.push_back(problem.basis());
      steps.push_back(problem.steps());
      nearest.push_back(problem.nearest_resonance());
      peaks.push_back(cycles.peaks());
      tables.push_back(cycles.make_history());
      tables.push_back(cycles.make_spectrum());
      warn(s, problem, cycles.peaks(), results.warnings);
    }
    Table table{"periodic", "Steady vibration over a period", {{"body", "", names}}};
    table.columns.push_back({"period", "s", period});
    table.columns.push_back({"basis", "", basis});
    table.columns.push_back({"steps", "", steps});
    table.columns.push_back({"nearest_resonance", "", nearest});
    results.tables.push_back(std::move(table));
    results.tables.push_back(make_peak_table("periodic_peaks", "Largest values over the period", names, peaks));
    std::move(tables.begin(), tables.end(), std::back_inserter(results.tables));
  }

 private:
  static void warn(const BodySystem& s, const PeriodicProblem& problem, const Peaks& peaks,
                   std::vector<std::string>& warnings) {
    constexpr double kNear = 0.02, kSmall = 0.1;
    if (problem.nearest_resonance() < kNear)
      warnings.push_back(fmt::format(
          "body `{}`: a mode is near a resonance with its motion (least |1 − μ| = {:.1e}): the vibration is "
          "as large as its damping lets it be",
          s.body->name, problem.nearest_resonance()));
    if (peaks.displacement.value > kSmall * s.mesh.size)
      warnings.push_back(
          fmt::format("body `{}` moves by {:.3g} m, in a size of {:.3g} m: the equations hold for small displacements",
                      s.body->name, peaks.displacement.value, s.mesh.size));
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_periodic_analysis() { return std::make_unique<PeriodicAnalysis>(); }

}  // namespace elodyn
