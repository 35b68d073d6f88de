// Motion of each body in time, in its moving frame, from an initial state: Hamilton's equations (system/canonical.hpp)
//   ż = ∂H/∂p,   ṗ = −∂H/∂z − D ż − N z,
// advanced by a method of the registry of integrators (analysis/integrator.hpp) with a fixed step, or with steps whose
// error is controlled (analysis/step_control.hpp); or the motion that a formalism for systems finds its own way
// (system/system_formalism.hpp) at the times that would be recorded. Recorded: displacement and rotation of named
// points, and H, the Jacobi integral: constant for a steady motion without damping.
// Work that is interrupted keeps its records; if a store is set (base/checkpoint.hpp), its state is saved there, and
// besides every so often, and a rerun goes on from it digit by digit. Limits: small displacements.
#include <algorithm>
#include <cmath>
#include <complex>
#include <exception>
#include <limits>
#include <tuple>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/each_body.hpp"
#include "elodyn/analysis/integrator.hpp"
#include "elodyn/analysis/liaison_table.hpp"
#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/analysis/step_control.hpp"
#include "elodyn/base/checkpoint.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/stopwatch.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/system/system_formalism.hpp"

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
  const VectorX q = s.constraints.T() * VectorX(shape.real());
  const double size = find_largest_displacement(s, q);
  constexpr double kNone = 1e-9;  // beside its rotations
  if (size <= kNone * s.mesh.size * q.lpNorm<Eigen::Infinity>())
    throw NumericalError(name() + " turns the sections but moves no node: it cannot be given a displacement");
  if (request.initial_phase != 0 && modes.values[k].imag() == 0)
    throw NumericalError(name() + " does not swing, so it has no initial_phase");
  const std::complex<double> factor = std::polar(request.initial_amplitude / size, request.initial_phase);
  start.z += (factor * shape).real();
  start.z_rate += (factor * modes.values[k] * shape).real();
}

// ż that has the given velocities at the points, and between them the shape into which forces there would bend the
// body: ż = K⁻¹Pᵀ(PK⁻¹Pᵀ)⁻¹ v. The shape does not depend on the mesh, as one nodal velocity alone would.
void add_velocities(const BodySystem& s, const SimulateRequest& request, Start& start) {
  std::vector<std::pair<int, double>> given;  // dof of the body, velocity
  for (const SimulateRequest::PointVelocity& item : request.initial_velocity) {
    const auto node = s.mesh.node_of_point.find(item.point.value);
    if (node == s.mesh.node_of_point.end()) continue;  // of another body
    const auto dofs = s.mesh.nodes[static_cast<size_t>(node->second)].translations();
    for (int k = 0; k < 3; ++k) {
      const int dof = dofs[static_cast<size_t>(k)];
      if (dof >= 0 && !s.constraints.is_held(dof))
        given.emplace_back(dof, item.velocity[k]);
      else if (item.velocity[k] != 0)
        throw NumericalError(fmt::format("body `{}`: initial_velocity of point `{}`, which cannot move that way",
                                         s.body->name, item.point.value));
    }
  }
  if (given.empty()) return;
  const auto n_given = static_cast<Eigen::Index>(given.size());
  MatrixX P(n_given, s.constraints.n_reduced());
  VectorX v(n_given);
  for (Eigen::Index i = 0; i < n_given; ++i) {
    const auto& [dof, velocity] = given[static_cast<size_t>(i)];
    VectorX unit = VectorX::Zero(s.constraints.n_full());
    unit[dof] = 1;
    P.row(i) = (s.constraints.T().transpose() * unit).transpose();
    v[i] = velocity;
  }
  CholeskySolver solver;
  if (s.rigid.cols() > 0 || !solver.factor(s.reduced.calc_elastic()))
    throw NumericalError(
        fmt::format("body `{}` is free to move: initial_velocity of points does not say how; use initial_mode with "
                    "initial_phase = \"90 deg\"",
                    s.body->name));
  const MatrixX shapes = solver.solve(P.transpose());
  MatrixX yielding = P * shapes, strengths = v;
  if (!solve_in_place(yielding, strengths))
    throw NumericalError(fmt::format("body `{}`: points of initial_velocity are tied to each other", s.body->name));
  start.z_rate += shapes * strengths.col(0);
}

Start make_start(const BodySystem& s, const SimulateRequest& request) {
  const auto n = s.constraints.n_reduced();
  Start start{VectorX::Zero(n), VectorX::Zero(n)};
  if (request.initial == SimulateRequest::Initial::equilibrium)
    start.z = solve_equilibrium(s, s.calc_factors(request.start), request.start);
  if (request.initial_mode) add_mode(s, request, start);
  add_velocities(s, request, start);
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
      add(n.phi(), point.name + "_phi", "", nullptr);
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
  double find_largest(int& point) const {
    double largest = 0;
    for (size_t p = 0; p < points_.size(); ++p) {
      double square = 0;
      for (const int row : points_[p].rows)
        if (row >= 0) square += values_[row] * values_[row];
      if (square <= largest * largest) continue;
      largest = std::sqrt(square);
      point = static_cast<int>(p);
    }
    return largest;
  }
  std::string point_name(int point) const { return point < 0 ? "" : points_[static_cast<size_t>(point)].name; }

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
  int point = -1;
};

// ---- by which formalism ----

// The formalism for systems that finds the motion its own way; none: an integrator does, on the matrices of the body.
// One that makes matrices leaves the choice to whoever names an integrator.
const SystemFormalism* find_own_way(const BodySystem& s, const SimulateRequest& request) {
  const SystemFormalism* chosen = system_formalisms().find(s.model->formalism.value);
  if (chosen == nullptr || !chosen->makes_matrices()) return chosen;
  return request.integrator.value.empty() && chosen->reason_against(s).empty() ? chosen : nullptr;
}

std::string integrator_name(const SimulateRequest& request) {
  return request.integrator.value.empty() ? kDefaultIntegrator : request.integrator.value;
}

// Throws all reasons why a formalism without matrices cannot treat these bodies.
void require_treatable(const std::vector<BodySystem>& bodies) {
  const SystemFormalism* chosen = system_formalisms().find(bodies.front().model->formalism.value);
  if (chosen == nullptr || chosen->makes_matrices()) return;
  std::vector<std::string> reasons;
  for (const BodySystem& s : bodies)
    if (const std::string reason = chosen->reason_against(s); !reason.empty())
      reasons.push_back("body `" + s.body->name + "`: " + reason);
  if (!reasons.empty())
    throw NumericalError(
        fmt::format("`{}` does not apply: {}; choose another formalism", chosen->name(), join(reasons, "; ")));
}

// ---- one body ----

class Simulation {
 public:
  Simulation(const BodySystem& s, const SimulateRequest& request)
      : s_(s),
        request_(request),
        equation_(s),
        recorder_(equation_, request.points),
        own_way_(find_own_way(s, request)) {
    problem_.equation = &equation_;
    problem_.factors = [&s](double t, FactorValues& out) { s.calc_factors(t, out); };
    problem_.is_steady = s.is_steady();
    problem_.options.spectral_radius = request.spectral_radius.value_or(problem_.options.spectral_radius);
    problem_.options.newmark_beta = request.newmark_beta.value_or(problem_.options.newmark_beta);
    problem_.options.newmark_gamma = request.newmark_gamma.value_or(problem_.options.newmark_gamma);
    conserves_ = problem_.is_steady && !equation_.has_damping();
    constexpr double kMostValues = 1e8;
    const double n_rows = 1 + std::ceil(static_cast<double>(request.n_steps()) / request.every);
    const auto n_values = static_cast<double>(recorder_.n_values() + (own_way_ ? 2 * equation_.size() : 0));
    every_ = request.tolerance ? 1 : request.every;
    if (n_rows * (n_values + 2) > kMostValues)
      throw NumericalError(
          fmt::format("body `{}`: {:.0f} values would be recorded at {:.0f} times; name fewer `points` or set `every`",
                      s.body->name, n_values, n_rows));
  }

  void run(std::vector<std::string>& warnings) {
    h_ = request_.duration / request_.n_steps();
    const Start start = make_start(s_, request_);
    terms_ = calc_terms(request_.start);
    table_ = {s_.body->name + "_history",
              fmt::format("Motion of body `{}` in time{}", s_.body->name,
                          own_way_ ? fmt::format(", by {}", own_way_->name()) : ""),
              recorder_.columns()};
    const double n_rows = 2 + std::ceil(static_cast<double>(request_.n_steps()) / every_);
    rows_.reserve(static_cast<size_t>(n_rows) * static_cast<size_t>(n_columns()));
    try {
      if (own_way_)
        follow(start, warnings);
      else
        advance(start);
    } catch (const NumericalError&) {
      if (rows_.empty()) throw;
      failure_ = std::current_exception();  // what was recorded before it is kept
    }
    finish_table();
  }
  // Why it ended early.
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
    if (!is_finished_) throw Interrupted();
  }

  const Table& table() const { return table_; }
  // The forces in the joints at the last time, of formalisms that know them.
  void add_end(std::vector<Table>& tables, std::vector<std::string>& warnings) const {
    const VectorX q = s_.constraints.expand(equation_.calc_coordinates(last_));
    const VectorX rate = s_.constraints.T() * equation_.calc_velocities(terms_, last_);
    add_liaison_table(s_, last_time_, q, rate, tables, warnings);
  }
  const Peak& peak() const { return peak_; }
  std::string peak_point() const { return recorder_.point_name(peak_.point); }
  std::string by() const { return own_way_ ? std::string(own_way_->name()) : integrator_name(request_); }
  // Of the integrator, or of the formalism's own integration, which has no fixed step.
  double n_steps() const {
    if (own_way_) return static_cast<double>(own_steps_);
    return controlled_ ? static_cast<double>(controlled_->n_steps()) : next_step_ - 1;
  }
  double step() const { return own_way_ || request_.tolerance ? std::nan("") : h_; }
  const ControlledRun* controlled() const { return controlled_.get(); }
  double legs() const { return legs_ > 0 ? legs_ : std::nan(""); }
  // Of H, relative; not a number if H need not stay.
  double largest_energy_change() const { return largest_change_; }

 private:
  double time_at(int k) const { return request_.start + k * h_; }
  bool is_recorded(int k) const { return k % every_ == 0 || k == request_.n_steps(); }
  Eigen::Index n_columns() const { return recorder_.n_values() + 2; }

  CanonicalTerms calc_terms(double t) const { return equation_.calc_terms(s_.calc_factors(t), FrameRate::moving); }
  void set_terms(double t) {
    if (problem_.is_steady) return;
    problem_.factors(t, at_);
    equation_.calc_terms(at_, FrameRate::moving, terms_);
  }

  void advance(const Start& start) {
    const Integrator* integrator = integrators().find(integrator_name(request_));
    ELODYN_REQUIRE(integrator != nullptr);
    x_ = equation_.make_state(terms_, start.z, start.z_rate);
    store_ = checkpoint_store();
    if (const auto interval = request_.parse_checkpoint()) interval_ = *interval;
    const std::string saved = store_ ? store_->load(s_.body->name) : "";
    if (request_.tolerance)
      controlled_ = std::make_unique<ControlledRun>(
          *integrator, problem_, request_.start, h_, *request_.tolerance,
          estimate_scale(problem_, request_.start, request_.start + request_.duration, x_));
    else
      stepper_ = integrator->start(problem_, request_.start, h_);
    if (saved.empty())
      record(request_.start, x_);
    else
      load(StateReader(saved));
    Progress progress("simulate " + s_.body->name, request_.n_steps());
    progress.advance(next_step_ - 1);
    is_finished_ = true;
    for (; next_step_ <= request_.n_steps(); ++next_step_) {
      if (!(controlled_ ? advance_controlled() : advance_fixed())) {
        is_finished_ = false;
        break;
      }
      if (is_recorded(next_step_)) record(time_at(next_step_), x_);
      progress.advance();
    }
    // Whoever comes back finds what is finished, too, while other bodies are not.
    if (store_ && (!is_finished_ || !request_.checkpoint.empty())) save();
  }

  bool advance_fixed() {
    if (!goes_on()) return false;
    stepper_->step(time_at(next_step_ - 1), x_);
    look_at(time_at(next_step_), x_);
    return true;
  }

  bool advance_controlled() {
    const auto after = [this](double t, const VectorX& x) {
      look_at(t, x);
      return goes_on();
    };
    return controlled_->advance(next_step_ - 1, x_, after);
  }

  void look_at(double t, const VectorX& x) {
    if (!x.allFinite()) fail(t);
    watch(t, x);
  }

  // Between two steps: saves the state if it is time to; false if the user wants the work to end.
  bool goes_on() {
    if (is_interrupted()) return false;
    if (!store_ || request_.checkpoint.empty()) return true;
    ++steps_since_;
    if (interval_.steps > 0 ? steps_since_ < interval_.steps : since_.seconds() < interval_.seconds) return true;
    save();
    steps_since_ = 0;
    since_ = Stopwatch();
    return true;
  }

  // What is saved, in this order.
  static auto parts_of(auto& self) {
    return std::tie(self.next_step_, self.x_, self.last_, self.last_time_, self.rows_, self.energy_size_,
                    self.peak_.displacement, self.peak_.time, self.peak_.point);
  }

  void save() const {
    StateWriter out;
    std::apply([&](const auto&... part) { (out.put(part), ...); }, parts_of(*this));
    if (controlled_) {
      controlled_->save(out);
    } else {
      out.put(stepper_->history());
      out.put(stepper_->factored_at());
    }
    store_->save(s_.body->name, out.bytes());
  }

  void load(StateReader in) {
    std::apply([&](auto&... part) { (in.get(part), ...); }, parts_of(*this));
    if (controlled_) {
      controlled_->load(in);
    } else {
      VectorX history;
      double factored_at = 0;
      in.get(history);
      in.get(factored_at);
      stepper_->set_history(history);
      if (!std::isnan(factored_at)) stepper_->factor_at(factored_at);
    }
    set_terms(last_time_);
  }

  // By the formalism, at the times that are recorded.
  void follow(const Start& start, std::vector<std::string>& warnings) {
    std::vector<double> times = {request_.start};
    for (int k = 1; k <= request_.n_steps(); ++k)
      if (is_recorded(k)) times.push_back(time_at(k));
    const Trajectory path = find_trajectory(start, times);
    if (path.times.size() < 2)
      throw NumericalError(
          fmt::format("body `{}`: by {} the motion does not start: {}; a mode gives it a velocity: "
                      "initial_mode with initial_phase = \"90 deg\"",
                      s_.body->name, own_way_->name(), path.stopped));
    if (!path.stopped.empty())
      warnings.push_back(fmt::format("body `{}`: {} ends early, {} of {} times were reached: {}", s_.body->name,
                                     own_way_->name(), path.times.size(), times.size(), path.stopped));
    own_steps_ = path.steps;
    legs_ = path.legs;
    for (size_t k = 0; k < path.times.size(); ++k) {
      const auto column = static_cast<Eigen::Index>(k);
      set_terms(path.times[k]);
      const VectorX x = equation_.make_state(terms_, path.z.col(column), path.z_rate.col(column));
      if (!x.allFinite()) fail(path.times[k]);
      record(path.times[k], x);
    }
  }

  Trajectory find_trajectory(const Start& start, const std::vector<double>& times) const {
    try {
      return own_way_->simulate(s_, start.z, start.z_rate, times);
    } catch (const NumericalError& error) {
      throw NumericalError(
          fmt::format("body `{}` by {}: {}; {}", s_.body->name, own_way_->name(), error.what(), suggest_other_way()));
    }
  }

  std::string suggest_other_way() const {
    const Motion& motion = s_.body->motion;
    if (motion.kind == Motion::Kind::prescribed && !motion.angular_acceleration)
      return "give `angular_acceleration`: found by differences it is too rough for this integration";
    return own_way_->makes_matrices() ? "an `integrator` on its matrices may take longer steps"
                                      : "an integrator with another formalism may take longer steps";
  }

  [[noreturn]] void fail(double t) const {
    throw NumericalError(fmt::format(
        "body `{}`: the motion is not finite at t = {:.6g} s: it grows without bound, see `elodyn modes`, or "
        "the step is too long for the integrator; shorten `duration` or `step`",
        s_.body->name, t));
  }

  void watch(double t, const VectorX& x) {
    recorder_.read(x);
    int point = -1;
    const double displacement = recorder_.find_largest(point);
    if (displacement > peak_.displacement) peak_ = {displacement, t, point};
  }

  void record(double t, const VectorX& x) {
    watch(t, x);
    const VectorX& values = recorder_.read(x);
    set_terms(t);
    last_ = x;
    last_time_ = t;
    rows_.push_back(t);
    rows_.insert(rows_.end(), values.begin(), values.end());
    rows_.push_back(equation_.calc_hamiltonian(terms_, x));
    energy_size_ = std::max(energy_size_, equation_.calc_energy_size(terms_, x));
  }

  void finish_table() {
    const auto width = static_cast<size_t>(n_columns()), n_rows = rows_.size() / width;
    const auto take = [&](size_t column) {
      std::vector<double> out(n_rows);
      for (size_t i = 0; i < n_rows; ++i) out[i] = rows_[i * width + column];
      return out;
    };
    for (size_t i = 0; i < table_.columns.size(); ++i) table_.columns[i].values = take(i + 1);
    std::vector<double> energy = take(width - 1), change;
    for (const double value : energy) change.push_back(energy_size_ > 0 ? (value - energy[0]) / energy_size_ : 0);
    if (conserves_) {
      largest_change_ = 0;
      for (const double c : change) largest_change_ = std::max(largest_change_, std::abs(c));
    }
    table_.columns.insert(table_.columns.begin(), {"time", "s", take(0)});
    table_.columns.push_back({"energy", "J", std::move(energy)});
    if (conserves_) table_.columns.push_back({"energy_change", "relative", std::move(change)});
  }

  const BodySystem& s_;
  const SimulateRequest& request_;
  CanonicalEquation equation_;
  Recorder recorder_;
  const SystemFormalism* own_way_;
  TransientProblem problem_;
  CanonicalTerms terms_;  // at the time of the last record
  VectorX last_;          // the state there
  double last_time_ = 0;
  bool conserves_ = false;
  long own_steps_ = 0;
  int legs_ = 0;
  double h_ = 0, energy_size_ = 0, largest_change_ = std::numeric_limits<double>::quiet_NaN();
  Table table_;
  std::vector<double> rows_;  // time, what the recorder reads, energy; one after the other
  Peak peak_;
  // in steps
  int every_ = 1, next_step_ = 1;  // recorded; that will be done next (with tolerance: intervals)
  VectorX x_;
  FactorValues at_;
  std::unique_ptr<Stepper> stepper_;
  std::unique_ptr<ControlledRun> controlled_;
  bool is_finished_ = true;
  std::exception_ptr failure_;
  CheckpointStore* store_ = nullptr;
  SimulateRequest::Interval interval_;
  long steps_since_ = 0;
  Stopwatch since_;
};

bool has_number(const std::vector<double>& values) {
  return std::any_of(values.begin(), values.end(), [](double value) { return !std::isnan(value); });
}

class SimulateAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "simulate"; }
  std::string_view summary() const override { return "motion in time from an initial state, and its energy"; }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    ELODYN_REQUIRE(bodies.front().model->simulate.has_value());
    const SimulateRequest& request = *bodies.front().model->simulate;
    require_treatable(bodies);
    std::vector<std::string> names, by, points;
    std::vector<double> steps, step, legs, displacement, time, change;
    std::vector<double> rejected, factorisations, shortest, longest, error;
    std::vector<Table> tables;
    const auto add_body = [&](const BodySystem& s) {
      warn_if_not_own_way(s, request, results.warnings);
      Simulation simulation(s, request);
      simulation.run(results.warnings);
      names.push_back(s.body->name);
      by.push_back(simulation.by());
      steps.push_back(simulation.n_steps());
      step.push_back(simulation.step());
      legs.push_back(simulation.legs());
      displacement.push_back(simulation.peak().displacement);
      points.push_back(simulation.peak_point());
      time.push_back(simulation.peak().time);
      change.push_back(simulation.largest_energy_change());
      const ControlledRun* controlled = simulation.controlled();
      rejected.push_back(controlled ? static_cast<double>(controlled->n_rejected()) : std::nan(""));
      factorisations.push_back(controlled ? static_cast<double>(controlled->n_factorisations()) : std::nan(""));
      shortest.push_back(controlled ? controlled->shortest() : std::nan(""));
      longest.push_back(controlled ? controlled->longest() : std::nan(""));
      error.push_back(controlled ? controlled->error_sum() : std::nan(""));
      warn_if_large(s, simulation.peak(), results.warnings);
      tables.push_back(simulation.table());
      simulation.add_end(tables, results.warnings);
      simulation.rethrow();
    };
    EachBody each;
    for (const BodySystem& s : bodies) each.run([&] { add_body(s); });
    if (names.empty()) each.rethrow();
    Table summary{"simulate", "Largest displacements", {{"body", "", names}}};
    if (system_formalisms().find(bodies.front().model->formalism.value)) summary.columns.push_back({"by", "", by});
    summary.columns.push_back({"steps", "", steps});
    if (has_number(step)) summary.columns.push_back({"step", "s", step});
    if (has_number(rejected)) {
      summary.columns.push_back({"rejected", "", rejected});
      summary.columns.push_back({"factorisations", "", factorisations});
      summary.columns.push_back({"shortest_step", "s", shortest});
      summary.columns.push_back({"longest_step", "s", longest});
      summary.columns.push_back({"sum_of_errors", "relative", error});
    }
    if (has_number(legs)) summary.columns.push_back({"legs", "", legs});
    summary.columns.push_back({"displacement", "m", displacement});
    summary.columns.push_back({"point", "", points});
    summary.columns.push_back({"time", "s", time});
    if (has_number(change)) summary.columns.push_back({"energy_change", "relative", change});
    results.tables.push_back(std::move(summary));
    std::move(tables.begin(), tables.end(), std::back_inserter(results.tables));
    each.rethrow();
  }

 private:
  static void warn_if_large(const BodySystem& s, const Peak& peak, std::vector<std::string>& warnings) {
    constexpr double kSmall = 0.1;
    if (peak.displacement > kSmall * s.mesh.size)
      warnings.push_back(
          fmt::format("body `{}` moves by {:.3g} m, in a size of {:.3g} m: the equations hold for small displacements",
                      s.body->name, peak.displacement, s.mesh.size));
  }

  // A formalism that makes matrices may be too small for its own way; who names an integrator knows.
  static void warn_if_not_own_way(const BodySystem& s, const SimulateRequest& request,
                                  std::vector<std::string>& warnings) {
    const SystemFormalism* chosen = system_formalisms().find(s.model->formalism.value);
    if (chosen == nullptr || !request.integrator.value.empty()) return;
    if (const std::string reason = chosen->reason_against(s); !reason.empty())
      warnings.push_back(fmt::format("body `{}`: the motion is that of {} on the matrices of {}: {}", s.body->name,
                                     integrator_name(request), chosen->name(), reason));
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_simulate_analysis() { return std::make_unique<SimulateAnalysis>(); }

}  // namespace elodyn
