// Steady vibration of each body in a motion that repeats itself with a period T: the one x(t₀ + T) = x(t₀), by shooting
//   x(t₀ + T) = Φ x(t₀) + p   (analysis/period.hpp)   ⇒   (1 − Φ) x(t₀) = p                                        (1)
// on the lowest modes φ of the body with its mean stiffness K̄; all others follow their loads at once:
//   z(t) = Σ φ_i η_i(t) + (K̄⁻¹ − Σ φ_i φ_iᵀ/ω_i²) f(t)                                                             (2)
// Steps are halved and modes are added until the displacements change by less than the tolerance. From z over the cycle
// displacements of points, section forces and stresses (system/recovery.hpp, with the inertia of the vibration and its
// Coriolis force as loads), and the harmonics of points
//   u(t) = u₀ + Σ U_k cos(2πkt/T + φ_k),   acceleration in the frame (2πk/T)² U_k                                   (3)
// by direct sums over equal intervals. Limits: small displacements. Without damping (1) has no bound at resonance,
// where a multiplier of Φ is 1: how near it is, is said. Kinks of the motion end the fast convergence of steps.
#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/period.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/system/recovery.hpp"

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
    PeriodMap map(equation_, basis.vectors);
    set_residual(basis);
    // A radian of the fastest mode in a step is where the order begins to count.
    const double radians = std::sqrt(std::max(0.0, basis.squares.maxCoeff())) * period_.length;
    int per_record = 1;
    while (per_record * request_.records < radians && per_record * request_.records < kMostSteps) per_record *= 2;
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

Vec3 find_axis_sum(const std::vector<Vec3>& axes, const VectorX& values) {
  Vec3 out = Vec3::Zero();
  for (size_t k = 0; k < axes.size(); ++k) out += values[static_cast<Eigen::Index>(k)] * axes[k];
  return out;
}

// q̈ and the Coriolis acceleration 2ω × q̇ at the nodes.
VectorX calc_inertial_acceleration(const BodySystem& s, const FactorValues& at, const Response& response, int k) {
  VectorX out = response.q_second.col(k);
  const Vec3 w = find_axis_sum(s.basis.axes, at.w);
  if (!s.model->terms.coriolis || w.isZero(0)) return out;
  for (const Node& node : s.mesh.nodes) {
    const Vec3 a = 2 * w.cross(components(node.translations(), response.q_rate.col(k)));
    for (size_t i = 0; i < 3; ++i)
      if (const int dof = node.translations()[i]; dof >= 0) out[dof] += a[static_cast<Eigen::Index>(i)];
  }
  return out;
}

struct Peak {
  double value = 0, time = 0;
  std::string where;
  void raise(double size, double t, const std::string& place) {
    if (!(size > value)) return;
    value = size;
    time = t;
    where = place;
  }
};
struct Peaks {
  Peak displacement, N, T, M, stress;
};

std::string describe_place(const BodySystem& s, int element, double at) {
  const ElementSpec& spec = s.mesh.elements[static_cast<size_t>(element)];
  double start = 0;
  for (int e = element - 1; e >= 0; --e) {
    const ElementSpec& other = s.mesh.elements[static_cast<size_t>(e)];
    if (other.member != spec.member) break;
    start += (s.mesh.nodes[static_cast<size_t>(other.nodes[1])].x - s.mesh.nodes[static_cast<size_t>(other.nodes[0])].x)
                 .norm();
  }
  return fmt::format("{} {:.4g} m", s.part_name(spec), start + at);
}

class Cycles {
 public:
  Cycles(const BodySystem& s, const PeriodicRequest& request, const PeriodicProblem& problem)
      : s_(s), request_(request), problem_(problem) {
    for (const Point& point : s.body->points) {
      const auto is_wanted = [&](const Located<std::string>& name) { return name.value == point.name; };
      const auto node = s.mesh.node_of_point.find(point.name);
      if (node == s.mesh.node_of_point.end()) continue;
      if (!request.points.empty() && std::none_of(request.points.begin(), request.points.end(), is_wanted)) continue;
      points_.push_back({point.name, s.mesh.nodes[static_cast<size_t>(node->second)]});
    }
    find_peaks();
  }
  const Peaks& peaks() const { return peaks_; }

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
      const std::vector<double> u = amplitudes(row(problem_.response().q, dof), count);
      table.columns.push_back({name, "m", u});
      std::vector<double> a;
      for (int k = 0; k <= count; ++k)
        a.push_back(std::pow(2 * pi * hz[static_cast<size_t>(k)], 2) * u[static_cast<size_t>(k)]);
      table.columns.push_back({name + "_acceleration", "m/s^2", a});
      table.columns.push_back({name + "_accelerometer", "m/s^2", amplitudes(calc_felt(point, axis), count)});
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
      const Vec3 w = find_axis_sum(s_.basis.axes, at.w), e = find_axis_sum(s_.basis.axes, at.e);
      const Vec3 x = node.x - s_.basis.origin + components(node.translations(), problem_.response().q.col(k));
      const Vec3 a = find_axis_sum(s_.basis.accelerations, at.a) + e.cross(x) + w.cross(w.cross(x)) +
                     2 * w.cross(components(node.translations(), problem_.response().q_rate.col(k))) +
                     components(node.translations(), problem_.response().q_second.col(k));
      out.push_back(a[axis]);
    }
    return out;
  }

  // Of the values at equal intervals, the last of which is the first one again.
  static std::vector<double> amplitudes(const std::vector<double>& values, int count) {
    const auto n = values.size() - 1;
    std::vector<double> out;
    for (int k = 0; k <= count; ++k) {
      Complex sum = 0;
      for (size_t i = 0; i < n; ++i)
        sum += values[i] * std::polar(1.0, -2 * pi * static_cast<double>((static_cast<size_t>(k) * i) % n) /
                                               static_cast<double>(n));
      out.push_back((k == 0 ? 1 : 2) * std::abs(sum) / static_cast<double>(n));
    }
    return out;
  }

  void find_peaks() {
    const Response& response = problem_.response();
    Progress progress("stresses " + s_.body->name, request_.records + 1);
    for (int k = 0; k <= request_.records; ++k) {
      throw_if_interrupted();
      const double t = problem_.time(k);
      for (size_t i = 0; i < s_.mesh.nodes.size(); ++i) {
        const Node& node = s_.mesh.nodes[i];
        peaks_.displacement.raise(components(node.translations(), response.q.col(k)).norm(), t,
                                  node.point.empty() ? fmt::format("node {}", i + 1) : node.point);
      }
      find_stresses(k, t);
      progress.advance();
    }
  }

  void find_stresses(int k, double t) {
    const FactorValues at = s_.calc_factors(t);
    double largest = 0;
    bool is_known = false;
    for (const ElementForces& ef :
         calc_section_forces(s_, at, problem_.response().q.col(k),
                             calc_inertial_acceleration(s_, at, problem_.response(), k), request_.stations))
      for (size_t i = 0; i < ef.forces.size(); ++i) {
        const SectionForces& f = ef.forces[i];
        const auto raise = [&](Peak& peak, double value) {
          if (value > peak.value) peak.raise(value, t, describe_place(s_, ef.element, f.s));
        };
        raise(peaks_.N, std::abs(f.force[0]));
        raise(peaks_.T, f.force.tail<2>().norm());
        raise(peaks_.M, f.moment.tail<2>().norm());
        const SectionStress stress = calc_stress(ef.sections[i], f);
        for (const std::optional<double>& value : {stress.largest_normal, stress.smallest_normal}) {
          if (!value) continue;
          is_known = true;
          largest = std::max(largest, std::abs(*value));
          raise(peaks_.stress, std::abs(*value));
        }
      }
    if (is_known) stress_.push_back(largest);
  }

  const BodySystem& s_;
  const PeriodicRequest& request_;
  const PeriodicProblem& problem_;
  std::vector<Place> points_;
  Peaks peaks_;
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
    results.tables.push_back(make_peak_table(names, peaks));
    std::move(tables.begin(), tables.end(), std::back_inserter(results.tables));
  }

 private:
  static Table make_peak_table(const std::vector<std::string>& names, const std::vector<Peaks>& peaks) {
    std::vector<std::string> body, what, unit, where;
    std::vector<double> value, time;
    for (size_t b = 0; b < names.size(); ++b) {
      const auto add = [&](const char* name, const char* of, const Peak& peak) {
        if (!(peak.value > 0)) return;
        body.push_back(names[b]);
        what.emplace_back(name);
        unit.emplace_back(of);
        value.push_back(peak.value);
        time.push_back(peak.time);
        where.push_back(peak.where);
      };
      add("displacement", "m", peaks[b].displacement);
      add("N", "N", peaks[b].N);
      add("T", "N", peaks[b].T);
      add("M", "N m", peaks[b].M);
      add("stress", "Pa", peaks[b].stress);
    }
    return {"periodic_peaks",
            "Largest values over the period",
            {{"body", "", body},
             {"what", "", what},
             {"value", "", value},
             {"unit", "", unit},
             {"time", "s", time},
             {"where", "", where}}};
  }

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
