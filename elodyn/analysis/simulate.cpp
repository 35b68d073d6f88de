// Motion of each body in time, in its moving frame, from an initial state: Hamilton's equations (system/canonical.hpp)
//   ż = ∂H/∂p,   ṗ = −∂H/∂z − D ż − N z,
// advanced with a fixed step by a method of the registry of integrators (analysis/integrator.hpp). Recorded:
// displacement and rotation of named points, and H, the Jacobi integral: constant for a steady motion without damping.
// Limits: small displacements; loads are constant in body axes and act from the start.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/integrator.hpp"
#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/linalg/eigen.hpp"

namespace elodyn {
namespace {

// ---- initial state ----

struct Start {
  VectorX z, z_rate;
};

VectorX solve_equilibrium(const BodySystem& s, const FactorValues& at, double t) {
  const SparseMatrix K = s.reduced.calc_stiffness(at);
  const VectorX f = s.reduced.calc_load(at);
  if (f.isZero(0)) return VectorX::Zero(f.size());
  const bool symmetric = (SparseMatrix(K.transpose()) - K).norm() <= 1e-13 * K.norm();
  if (symmetric) {
    CholeskySolver solver;
    if (solver.factor(K)) return solver.solve(f);
  } else {
    LuSolver solver;
    if (solver.factor(K)) return solver.solve(f);
  }
  throw NumericalError(fmt::format(
      "body `{}` has no stable equilibrium at t = {:.6g} s to start from: it is free, or buckled by its loads or its "
      "motion; use initial = \"rest\"",
      s.body->name, t));
}

double find_largest_displacement(const BodySystem& s, const VectorX& q) {
  double largest = 0;
  for (const Node& node : s.mesh.nodes) largest = std::max(largest, components(node.translations(), q).norm());
  return largest;
}

void add_mode(const BodySystem& s, const SimulateRequest& request, Start& start) {
  const int number = *request.initial_mode;
  const auto name = [&] { return fmt::format("body `{}`: initial_mode = {}", s.body->name, number); };
  const QuadraticModes modes = solve_quadratic_modes(make_mode_problem(s, request.start), number);
  if (modes.values.size() < static_cast<size_t>(number))
    throw NumericalError(
        fmt::format("{}, but there are only {} modes; use more elements", name(), modes.values.size()));
  const auto k = static_cast<size_t>(number) - 1;
  const Eigen::VectorXcd shape = modes.vectors.col(number - 1);
  const VectorX z = shape.real(), z_rate = (modes.values[k] * shape).real();
  const VectorX q = s.constraints.T() * z;
  const double size = find_largest_displacement(s, q);
  constexpr double kNone = 1e-9;  // beside its rotations
  if (size <= kNone * s.mesh.size * q.lpNorm<Eigen::Infinity>())
    throw NumericalError(name() + " turns the sections but moves no node: it cannot be given a displacement");
  const double factor = request.initial_amplitude / size;
  start.z += factor * z;
  start.z_rate += factor * z_rate;
}

Start make_start(const BodySystem& s, const SimulateRequest& request) {
  const auto n = s.constraints.n_reduced();
  Start start{VectorX::Zero(n), VectorX::Zero(n)};
  if (request.initial == SimulateRequest::Initial::equilibrium)
    start.z = solve_equilibrium(s, s.calc_factors(request.start), request.start);
  if (request.initial_mode) add_mode(s, request, start);
  return start;
}

// ---- what is recorded ----

// Displacements and rotations of the points as one linear map of the state's coordinates.
class Recorder {
 public:
  Recorder(const CanonicalEquation& equation, const std::vector<Located<std::string>>& wanted) {
    const BodySystem& s = equation.system();
    const std::vector<const char*> u = {"u", "v", "w"}, r = {"rx", "ry", "rz"};
    for (const Point& point : s.body->points) {
      const auto is_wanted = [&](const Located<std::string>& name) { return name.value == point.name; };
      const auto node = s.mesh.node_of_point.find(point.name);
      if (node == s.mesh.node_of_point.end()) continue;
      if (!wanted.empty() && std::none_of(wanted.begin(), wanted.end(), is_wanted)) continue;
      const Node& n = s.mesh.nodes[static_cast<size_t>(node->second)];
      points_.push_back({point.name, {-1, -1, -1}});
      for (size_t k = 0; k < 3; ++k) add(n.translations()[k], point.name + "_" + u[k], "m", &points_.back().rows[k]);
      for (size_t k = 0; k < 3; ++k) add(n.rotations()[k], point.name + "_" + r[k], "rad", nullptr);
    }
    const auto rows = static_cast<Eigen::Index>(dofs_.size());
    std::vector<Eigen::Triplet<double>> picked;
    offset_.resize(rows);
    for (Eigen::Index i = 0; i < rows; ++i) {
      picked.emplace_back(static_cast<int>(i), dofs_[static_cast<size_t>(i)], 1.0);
      offset_[i] = s.constraints.g()[dofs_[static_cast<size_t>(i)]];
    }
    SparseMatrix pick(rows, s.constraints.n_full());
    pick.setFromTriplets(picked.begin(), picked.end());
    map_ = pick * s.constraints.T() * equation.scale().asDiagonal();
  }

  Eigen::Index n_values() const { return offset_.size(); }
  const std::vector<Column>& columns() const { return columns_; }  // without values

  const VectorX& read(const VectorX& x) {
    values_ = offset_;
    values_.noalias() += map_ * x.head(map_.cols());
    return values_;
  }
  // Of the values that were read last: how far the point moved, and which.
  double find_largest(std::string& point) const {
    double largest = 0;
    for (const Place& place : points_) {
      double square = 0;
      for (const int row : place.rows)
        if (row >= 0) square += values_[row] * values_[row];
      if (square <= largest * largest) continue;
      largest = std::sqrt(square);
      point = place.name;
    }
    return largest;
  }

 private:
  struct Place {
    std::string name;
    std::array<int, 3> rows;
  };
  void add(int dof, std::string name, const char* unit, int* row) {
    if (dof < 0) return;
    if (row) *row = static_cast<int>(dofs_.size());
    dofs_.push_back(dof);
    columns_.push_back({std::move(name), unit, std::vector<double>{}});
  }

  std::vector<Place> points_;
  std::vector<Column> columns_;
  std::vector<int> dofs_;
  SparseMatrix map_;
  VectorX offset_, values_;
};

struct Peak {
  double displacement = 0, time = 0;
  std::string point;
};

// ---- one body ----

class Simulation {
 public:
  Simulation(const BodySystem& s, const SimulateRequest& request)
      : s_(s), request_(request), equation_(s), recorder_(equation_, request.points) {
    problem_.equation = &equation_;
    problem_.factors = [&s](double t) { return s.calc_factors(t); };
    problem_.is_steady = s.body->motion.is_steady();
    conserves_ = problem_.is_steady && !equation_.has_damping();
    constexpr double kMostValues = 1e8;
    const double n_rows = 1 + std::ceil(static_cast<double>(request.n_steps()) / request.every);
    if (n_rows * static_cast<double>(recorder_.n_values() + 2) > kMostValues)
      throw NumericalError(
          fmt::format("body `{}`: {:.0f} values would be recorded at {:.0f} times; name fewer `points` or set `every`",
                      s.body->name, static_cast<double>(recorder_.n_values()), n_rows));
  }

  void run() {
    const int steps = request_.n_steps();
    h_ = request_.duration / steps;
    const Start start = make_start(s_, request_);
    terms_ = calc_terms(request_.start);
    VectorX x = equation_.make_state(terms_, start.z, start.z_rate);
    const std::string& name = request_.integrator.value;
    const Integrator* integrator = integrators().find(name.empty() ? kDefaultIntegrator : name);
    ELODYN_REQUIRE(integrator != nullptr);
    const std::unique_ptr<Stepper> stepper = integrator->start(problem_, request_.start, h_);
    table_ = {s_.body->name + "_history", "Motion of body `" + s_.body->name + "` in time", recorder_.columns()};
    record(request_.start, x);
    for (int k = 1; k <= steps; ++k) {
      stepper->step(time_at(k - 1), x);
      if (!x.allFinite()) fail(time_at(k));
      watch(time_at(k), x);
      if (k % request_.every == 0 || k == steps) record(time_at(k), x);
    }
    finish_table();
  }

  const Table& table() const { return table_; }
  const Peak& peak() const { return peak_; }
  double step() const { return h_; }
  // Of H, relative; not a number if H need not stay.
  double largest_energy_change() const { return largest_change_; }

 private:
  double time_at(int k) const { return request_.start + k * h_; }

  CanonicalTerms calc_terms(double t) const { return equation_.calc_terms(s_.calc_factors(t), FrameRate::moving); }

  [[noreturn]] void fail(double t) const {
    throw NumericalError(fmt::format(
        "body `{}`: the motion is not finite at t = {:.6g} s: it grows without bound, see `elodyn modes`, or "
        "the step is too long for the integrator; shorten `duration` or `step`",
        s_.body->name, t));
  }

  void watch(double t, const VectorX& x) {
    recorder_.read(x);
    std::string point;
    const double displacement = recorder_.find_largest(point);
    if (displacement > peak_.displacement) peak_ = {displacement, t, point};
  }

  void record(double t, const VectorX& x) {
    watch(t, x);
    const VectorX& values = recorder_.read(x);
    for (Eigen::Index i = 0; i < values.size(); ++i)
      std::get<std::vector<double>>(table_.columns[static_cast<size_t>(i)].values).push_back(values[i]);
    if (!problem_.is_steady) terms_ = calc_terms(t);
    times_.push_back(t);
    energy_.push_back(equation_.calc_hamiltonian(terms_, x));
    energy_size_ = std::max(energy_size_, equation_.calc_energy_size(terms_, x));
  }

  void finish_table() {
    std::vector<double> change;
    for (const double energy : energy_) change.push_back(energy_size_ > 0 ? (energy - energy_[0]) / energy_size_ : 0);
    if (conserves_) {
      largest_change_ = 0;
      for (const double c : change) largest_change_ = std::max(largest_change_, std::abs(c));
    }
    table_.columns.insert(table_.columns.begin(), {"time", "s", std::move(times_)});
    table_.columns.push_back({"energy", "J", std::move(energy_)});
    if (conserves_) table_.columns.push_back({"energy_change", "relative", std::move(change)});
  }

  const BodySystem& s_;
  const SimulateRequest& request_;
  CanonicalEquation equation_;
  Recorder recorder_;
  TransientProblem problem_;
  CanonicalTerms terms_;  // at the time of the last record
  bool conserves_ = false;
  double h_ = 0, energy_size_ = 0, largest_change_ = std::numeric_limits<double>::quiet_NaN();
  Table table_;
  std::vector<double> times_, energy_;
  Peak peak_;
};

class SimulateAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "simulate"; }
  std::string_view summary() const override { return "motion in time from an initial state, and its energy"; }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    ELODYN_REQUIRE(bodies.front().model->simulate.has_value());
    const SimulateRequest& request = *bodies.front().model->simulate;
    std::vector<std::string> names, points;
    std::vector<double> steps, step, displacement, time, change;
    std::vector<Table> tables;
    for (const BodySystem& s : bodies) {
      Simulation simulation(s, request);
      simulation.run();
      names.push_back(s.body->name);
      steps.push_back(request.n_steps());
      step.push_back(simulation.step());
      displacement.push_back(simulation.peak().displacement);
      points.push_back(simulation.peak().point);
      time.push_back(simulation.peak().time);
      change.push_back(simulation.largest_energy_change());
      warn_if_large(s, simulation.peak(), results.warnings);
      tables.push_back(simulation.table());
    }
    Table summary{"simulate",
                  "Largest displacements",
                  {{"body", "", names},
                   {"steps", "", steps},
                   {"step", "s", step},
                   {"displacement", "m", displacement},
                   {"point", "", points},
                   {"time", "s", time}}};
    if (std::any_of(change.begin(), change.end(), [](double c) { return !std::isnan(c); }))
      summary.columns.push_back({"energy_change", "relative", change});
    results.tables.push_back(std::move(summary));
    std::move(tables.begin(), tables.end(), std::back_inserter(results.tables));
  }

 private:
  static void warn_if_large(const BodySystem& s, const Peak& peak, std::vector<std::string>& warnings) {
    constexpr double kSmall = 0.1;
    if (peak.displacement > kSmall * s.mesh.size)
      warnings.push_back(
          fmt::format("body `{}` moves by {:.3g} m, in a size of {:.3g} m: the equations hold for small displacements",
                      s.body->name, peak.displacement, s.mesh.size));
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_simulate_analysis() { return std::make_unique<SimulateAnalysis>(); }

}  // namespace elodyn
