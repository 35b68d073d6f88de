// Frequency response of one body in its steady motion: complex amplitudes of points under harmonic loads or a harmonic
// motion of the frame (analysis/harmonic_response.hpp, system/harmonic_load.hpp). Amplitudes are 0-to-peak, x(t) =
// |x| cos(Ωt + phase); with the loads at phase 0 a response that lags has a negative phase.
// Frequencies: a grid, and more of them at equal steps of phase over each resonance (half-width = its decay rate).
// Modal and reduced responses, reactions too, are compared with direct ones at a few frequencies of the grid.
// Peaks: local maxima; of a resonance that nothing damps the natural frequency itself, with an infinite amplitude, for
// the outputs that it has a share in. Without clusters resonances are not looked for, and peaks are those of the grid.
// Limits: small displacements; the response of a body with a mode that grows is no steady state (warned of).
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/harmonic_response.hpp"
#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/system/harmonic_load.hpp"
#include "elodyn/system/recovery.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;
using VectorXc = Eigen::VectorXcd;
constexpr Complex kI{0, 1};
constexpr double kTwoPi = 2 * std::numbers::pi;

// ---- frequencies ----

double grid_step(const FrequencyRange& range, double frequency) {
  if (range.count < 2) return 0;
  if (range.spacing == FrequencyRange::Spacing::linear) return (range.to - range.from) / (range.count - 1);
  return frequency * (std::pow(range.to / range.from, 1.0 / (range.count - 1)) - 1);
}

std::vector<double> make_grid_frequencies(const FrequencyRange& range) {
  std::vector<double> out;
  for (int k = 0; k < range.count; ++k) {
    const double share = range.count > 1 ? static_cast<double>(k) / (range.count - 1) : 1;
    out.push_back(k == range.count - 1 ? range.to
                  : range.spacing == FrequencyRange::Spacing::linear
                      ? range.from + share * (range.to - range.from)
                      : range.from * std::pow(range.to / range.from, share));
  }
  return out;
}

// Then its peak has no end that a solve would find: decays are known to round-off of ω.
bool is_undamped(const Resonance& resonance) {
  constexpr double kUndamped = 1e-9;
  return resonance.decay <= kUndamped * resonance.omega;
}

// Equal steps of phase over the peak of a damped resonance, and ever closer to one that is not.
void add_cluster(const FrequencyRange& range, const Resonance& resonance, std::vector<double>& out) {
  constexpr double kWide = 4;
  const double f = resonance.omega / kTwoPi, half_width = resonance.decay / kTwoPi, step = grid_step(range, f);
  if (half_width > kWide * step) return;  // the grid shows it
  std::vector<double> offsets;
  if (!is_undamped(resonance)) {
    offsets.push_back(0);
    for (const double degrees : {15.0, 30.0, 45.0, 60.0, 75.0})
      offsets.push_back(half_width * std::tan(degrees * std::numbers::pi / 180));
  } else {
    for (const double share : {0.5, 0.25, 0.125, 0.0625}) offsets.push_back(share * step);
  }
  for (const double offset : offsets)
    for (const double sign : {-1.0, 1.0})
      if (const double x = f + sign * offset; x > range.from && x < range.to) out.push_back(x);
}

void sort_and_thin(std::vector<double>& frequencies) {
  constexpr double kSame = 1e-10;
  std::sort(frequencies.begin(), frequencies.end());
  frequencies.erase(
      std::unique(frequencies.begin(), frequencies.end(), [](double a, double b) { return b - a <= kSame * b; }),
      frequencies.end());
}

// ---- what is read from a response ----

// Displacements and rotations of the points as a linear map of z.
class PointMap {
 public:
  PointMap(const BodySystem& s, const FrfRequest& request) {
    const std::array u = {"u", "v", "w"}, r = {"rx", "ry", "rz"};
    std::vector<Eigen::Triplet<double>> picked;
    for (const Point& point : s.body->points) {
      const auto is_wanted = [&](const Located<std::string>& name) { return name.value == point.name; };
      const auto node = s.mesh.node_of_point.find(point.name);
      if (node == s.mesh.node_of_point.end()) continue;
      if (!request.points.empty() && std::none_of(request.points.begin(), request.points.end(), is_wanted)) continue;
      const Node& n = s.mesh.nodes[static_cast<size_t>(node->second)];
      const auto add = [&](int dof, const char* component, bool turns, int axis) {
        if (dof < 0) return;
        picked.emplace_back(static_cast<int>(outputs_.size()), dof, 1.0);
        outputs_.push_back({point.name, component, turns, axis, n.x - s.basis.origin});
      };
      for (int k = 0; k < 3; ++k) add(n.translations()[static_cast<size_t>(k)], u[static_cast<size_t>(k)], false, k);
      for (int k = 0; k < 3; ++k) add(n.rotations()[static_cast<size_t>(k)], r[static_cast<size_t>(k)], true, k);
    }
    SparseMatrix pick(static_cast<Eigen::Index>(outputs_.size()), s.constraints.n_full());
    pick.setFromTriplets(picked.begin(), picked.end());
    map_ = pick * s.constraints.T();
  }

  struct Output {
    std::string point, component;
    bool turns = false;
    int axis = 0;
    Vec3 arm = Vec3::Zero();  // from the frame's origin
    std::string name() const { return point + "_" + component; }
  };
  const std::vector<Output>& outputs() const { return outputs_; }
  VectorXc read(const VectorXc& z) const { return map_.cast<Complex>() * z; }

  // The motion of the frame itself: X + θ × r, θ.
  VectorXc read_base(const HarmonicForce::Base& base) const {
    VectorXc out(static_cast<Eigen::Index>(outputs_.size()));
    for (size_t k = 0; k < outputs_.size(); ++k) {
      const Output& o = outputs_[k];
      const Vec3 re = base.rotation.real(), im = base.rotation.imag();
      const Complex moved = base.displacement[o.axis] + Complex(re.cross(o.arm)[o.axis], im.cross(o.arm)[o.axis]);
      out[static_cast<Eigen::Index>(k)] = o.turns ? base.rotation[o.axis] : moved;
    }
    return out;
  }

 private:
  std::vector<Output> outputs_;
  SparseMatrix map_;
};

// What the supports do, from the equation before constraints.
class ReactionMap {
 public:
  ReactionMap(const BodySystem& s, const FrfRequest& request)
      : s_(s), full_(make_harmonic_equation(s.full, {}, s.calc_factors(0), request.loss_factor)) {
    if (s.modal.empty()) return;
    // Modal damping acts on z as M φ w φᵀM. In q it is to be an internal force, without resultant: Kφ/μ, which is the
    // same on all coordinates that are free.
    CholeskySolver mass;
    ELODYN_REQUIRE(mass.factor(s.reduced.calc_mass()));
    const MatrixX phi = mass.solve(s.modal.M_phi), K_phi = s.reduced.calc_elastic() * phi;
    damped_ = full_.K_elastic * (s.constraints.T() * phi);
    for (Eigen::Index k = 0; k < phi.cols(); ++k)
      damped_.col(k) *= s.modal.weights[k] > 0 ? 1 / phi.col(k).dot(K_phi.col(k)) : 0;
  }

  // Force and moment of each support, x, y, z.
  VectorXc read(double omega, const VectorXc& z, const VectorXc& load) const {
    const VectorXc q = s_.constraints.T().cast<Complex>() * z;
    VectorXc residual = full_.apply(omega, q) - load;
    if (!s_.modal.empty())
      residual += kI * omega * (damped_ * (s_.modal.weights.asDiagonal() * (s_.modal.M_phi.transpose() * z)));
    const std::vector<Reaction> re = calc_support_reactions(s_, residual.real()),
                                im = calc_support_reactions(s_, residual.imag());
    VectorXc out(6 * static_cast<Eigen::Index>(re.size()));
    for (size_t k = 0; k < re.size(); ++k)
      for (int c = 0; c < 3; ++c) {
        out[6 * static_cast<Eigen::Index>(k) + c] = {re[k].force[c], im[k].force[c]};
        out[6 * static_cast<Eigen::Index>(k) + 3 + c] = {re[k].moment[c], im[k].moment[c]};
      }
    return out;
  }
  // What reactions are that cancel: digits that are lost in Kq.
  double calc_noise(const VectorXc& z) const {
    constexpr double kLost = 1e-12;
    const VectorX q = (s_.constraints.T().cast<Complex>() * z).cwiseAbs();
    return kLost * (full_.K.cwiseAbs() * q).maxCoeff();
  }
  std::vector<std::string> points() const {
    std::vector<std::string> names;
    for (const Reaction& r : calc_support_reactions(s_, VectorX::Zero(s_.mesh.n_dofs()))) names.push_back(r.point);
    return names;
  }

 private:
  const BodySystem& s_;
  HarmonicEquation full_;
  MatrixX damped_;
};

// ---- words ----

const char* unit_of(FrfRequest::Output output, bool turns) {
  switch (output) {
    case FrfRequest::Output::displacement:
      return turns ? "rad" : "m";
    case FrfRequest::Output::velocity:
      return turns ? "rad/s" : "m/s";
    case FrfRequest::Output::acceleration:
      return turns ? "rad/s^2" : "m/s^2";
  }
  return "";
}

// What engineers call it if a single unit force drives the body.
std::string describe_output(const FrfRequest& request) {
  const bool unit_force = request.excitations.size() == 1 && request.excitations[0].at &&
                          request.excitations[0].moment.isZero(0) &&
                          std::abs(request.excitations[0].force.norm() - 1) < 1e-12;
  switch (request.output) {
    case FrfRequest::Output::displacement:
      return unit_force ? "displacement for a unit force (receptance)" : "displacement";
    case FrfRequest::Output::velocity:
      return unit_force ? "velocity for a unit force (mobility)" : "velocity";
    case FrfRequest::Output::acceleration:
      return unit_force ? "acceleration for a unit force (accelerance)" : "acceleration";
  }
  return "";
}

const char* method_name(FrfRequest::Method method) {
  switch (method) {
    case FrfRequest::Method::direct:
      return "direct";
    case FrfRequest::Method::modal:
      return "modal";
    case FrfRequest::Method::craig_bampton:
      return "craig_bampton";
  }
  return "";
}

double phase_degrees(Complex x) { return x == 0.0 ? 0 : std::arg(x) * 180 / std::numbers::pi; }

// ---- one response ----

class FrequencyResponse {
 public:
  FrequencyResponse(const BodySystem& s, const FrfRequest& request)
      : s_(s),
        request_(request),
        equation_(make_harmonic_equation(s.reduced, s.modal, s.calc_factors(0), request.loss_factor)),
        force_(s, request.excitations),
        map_(s, request),
        F_(s.constraints.T().transpose() * force_.columns()) {
    if (request.reactions) reactions_.emplace(s, request);
  }

  void run(Results& results) {
    if (F_.isZero(0))
      results.warnings.push_back(fmt::format(
          "body `{}`: what drives it acts where supports hold it, or is 0: nothing responds", s_.body->name));
    set_frequencies(results.warnings);
    make_method(results.warnings);
    if (request_.method != FrfRequest::Method::modal) find_growing(results.warnings);
    solve();
    if (request_.method != FrfRequest::Method::direct && !is_interrupted()) compare_with_direct(results.warnings);
    add_tables(results);
    throw_if_interrupted();
    require_no_resonance();
  }

 private:
  struct Row {
    bool is_done = false, is_resonant = false;
    VectorXc outputs, reactions;
    double round_off = 0, reaction_noise = 0;
  };

  double omega_of(size_t k) const { return kTwoPi * frequencies_[k]; }
  double highest() const { return kTwoPi * request_.frequencies.to; }
  ModesKept kept() const {
    if (request_.modes) return {request_.modes, std::nullopt};
    const double beyond = request_.method == FrfRequest::Method::modal ? 2 : 4;  // times the highest frequency
    return {std::nullopt, request_.up_to ? kTwoPi * *request_.up_to : beyond * highest()};
  }

  void set_frequencies(std::vector<std::string>& warnings) {
    frequencies_ = make_grid_frequencies(request_.frequencies);
    n_grid_ = frequencies_.size();
    grid_ = frequencies_;
    if (!request_.frequencies.cluster) return;
    try {
      resonances_ = find_resonances(s_, equation_, highest());
      for (const Resonance& resonance : resonances_.list) add_cluster(request_.frequencies, resonance, frequencies_);
    } catch (const NumericalError& error) {
      warnings.push_back(
          fmt::format("body `{}`: no frequencies are added near resonances, for these were not found: {}",
                      s_.body->name, error.what()));
    }
    sort_and_thin(frequencies_);
  }

  void warn_if_growing(const std::vector<Complex>& values, std::vector<std::string>& warnings) const {
    constexpr double kNoise = 1e-7, kOfDoubleRoots = 1e-5;  // of a free body: known to √ε of the others
    double highest = 0;
    for (const Complex& value : values) highest = std::max(highest, std::abs(value));
    for (const Complex& value : values)
      if (value.real() > std::max(kNoise * std::abs(value), s_.rigid.cols() > 0 ? kOfDoubleRoots * highest : 0)) {
        warnings.push_back(
            fmt::format("body `{}`: a mode grows with {:.6g} 1/s, so no steady response is reached; see `elodyn modes`",
                        s_.body->name, value.real()));
        return;
      }
  }

  // The modal method knows the modes; of the others they are asked for where one can grow.
  void find_growing(std::vector<std::string>& warnings) const {
    if (!may_grow(s_)) return;
    constexpr int kFew = 6;  // those that grow come besides
    try {
      const QuadraticProblem problem = make_mode_problem(s_, 0);
      const bool is_known = problem.structure != Structure::general && !resonances_.values.empty();
      warn_if_growing(is_known ? resonances_.values : solve_quadratic_modes(problem, kFew).values, warnings);
    } catch (const NumericalError& error) {
      warnings.push_back(
          fmt::format("body `{}`: whether a mode grows, so that no steady response is reached, was not "
                      "found out: {}",
                      s_.body->name, error.what()));
    }
  }

  void make_method(std::vector<std::string>& warnings) {
    try {
      switch (request_.method) {
        case FrfRequest::Method::direct:
          method_ = make_direct_method(equation_, F_);
          break;
        case FrfRequest::Method::modal: {
          ModalMethod modal =
              make_modal_method(make_mode_problem(s_, 0), F_, {kept(), request_.corrections, highest()});
          warn_if_growing(modal.values, warnings);
          n_modes_ = std::count_if(modal.values.begin(), modal.values.end(),
                                   [](const Complex& value) { return value.imag() >= 0; });
          method_ = std::move(modal.method);
          break;
        }
        case FrfRequest::Method::craig_bampton: {
          CraigBampton reduction = reduce_body(s_, list_interface(), kept(), {F_, request_.corrections});
          n_modes_ = reduction.n_modes();
          method_ = make_reduced_method(s_, std::move(reduction), F_, request_.loss_factor);
          break;
        }
      }
    } catch (const NumericalError& error) {
      const std::string what = error.what(), body = "body `" + s_.body->name + "`: ";
      throw NumericalError(what.starts_with(body) ? what : body + what);
    }
  }

  // The points of [analysis.reduction], else those that are driven or whose response is given.
  std::vector<std::string> list_interface() const {
    std::vector<std::string> points;
    const auto add = [&](const std::string& point) {
      if (s_.mesh.node_of_point.count(point) > 0 && std::find(points.begin(), points.end(), point) == points.end())
        points.push_back(point);
    };
    if (const auto& reduction = s_.model->reduction; reduction && !reduction->points.empty())
      for (const auto& point : reduction->points) add(point.value);
    if (!points.empty()) return points;
    for (const HarmonicLoad& load : request_.excitations)
      if (load.at) add(load.at->value);
    for (const PointMap::Output& output : map_.outputs()) add(output.point);
    return points;
  }

  VectorXc read_outputs(double omega, const VectorXc& z) const {
    VectorXc y = map_.read(z);
    if (request_.relative_to == FrfRequest::RelativeTo::ground) y += map_.read_base(force_.calc_base(omega));
    if (request_.output == FrfRequest::Output::velocity) y *= kI * omega;
    if (request_.output == FrfRequest::Output::acceleration) y *= -omega * omega;
    return y;
  }

  double size_of(const VectorXc& y, Eigen::Index k) const {
    return std::abs(y[k]) * (map_.outputs()[static_cast<size_t>(k)].turns ? s_.mesh.size : 1);
  }
  double largest_of(const VectorXc& y) const {
    double largest = 0;
    for (Eigen::Index k = 0; k < y.size(); ++k) largest = std::max(largest, size_of(y, k));
    return largest;
  }
  // What is nothing beside the largest, rotations times the body's size, is nothing.
  void clear_round_off(VectorXc& y) const {
    constexpr double kNothing = 1e-14;
    const double largest = largest_of(y);
    for (Eigen::Index k = 0; k < y.size(); ++k)
      if (size_of(y, k) <= kNothing * largest) y[k] = 0;
  }

  Row solve_row(const ResponseMethod::Solver& solver, double omega) const {
    Row row;
    const VectorXc p = force_.calc_factors(omega);
    const SteadyResponse response = solver(omega, p);
    row.is_done = true;
    row.is_resonant = response.is_resonant || !response.z.allFinite();
    row.round_off = response.round_off;
    if (row.is_resonant) return row;
    row.outputs = read_outputs(omega, response.z);
    clear_round_off(row.outputs);
    if (reactions_) {
      row.reactions = reactions_->read(omega, response.z, force_.columns() * p);
      row.reaction_noise = reactions_->calc_noise(response.z);
    }
    return row;
  }

  void solve() {
    constexpr size_t kBlock = 8;  // that share one order of elimination; the same with any number of threads
    const size_t n = frequencies_.size(), n_blocks = (n + kBlock - 1) / kBlock;
    rows_.resize(n);
    Progress progress("frf", static_cast<double>(n));
    parallel_for(static_cast<int>(n_blocks), [&](int block) {
      if (is_interrupted()) return;
      const ResponseMethod::Solver solver = method_->start();
      const size_t first = static_cast<size_t>(block) * kBlock;
      for (size_t k = first; k < std::min(n, first + kBlock) && !is_interrupted(); ++k) {
        rows_[k] = solve_row(solver, omega_of(k));
        progress.advance();
      }
    });
  }

  // Rotations times the body's size.
  double norm_of_outputs(const VectorXc& y) const {
    double square = 0;
    for (Eigen::Index k = 0; k < y.size(); ++k) square += std::pow(size_of(y, k), 2);
    return std::sqrt(square);
  }
  // Moments over the body's size.
  double norm_of_reactions(const VectorXc& r) const {
    double square = 0;
    for (Eigen::Index k = 0; k < r.size(); ++k) square += std::norm(r[k]) / (k % 6 < 3 ? 1 : std::pow(s_.mesh.size, 2));
    return std::sqrt(square);
  }

  // At the middles of five equal parts of the grid; differences of all outputs, and of all reactions.
  void compare_with_direct(std::vector<std::string>& warnings) {
    constexpr size_t kChecks = 5;
    const std::unique_ptr<ResponseMethod> direct = make_direct_method(equation_, F_);
    const ResponseMethod::Solver exact = direct->start(), own = method_->start();
    double worst_at = 0;
    bool is_of_reactions = false;
    error_ = 0;
    for (size_t i = 0; i < kChecks; ++i) {
      const double hz = grid_[std::min(n_grid_ - 1, (2 * i + 1) * n_grid_ / (2 * kChecks))];
      const Row a = solve_row(exact, kTwoPi * hz), b = solve_row(own, kTwoPi * hz);
      if (a.is_resonant || b.is_resonant) continue;
      const auto add = [&](double difference, double size, double noise, bool of_reactions) {
        if (!(size > noise) || !(difference > error_ * size)) return;
        error_ = difference / size;
        worst_at = hz;
        is_of_reactions = of_reactions;
      };
      add(norm_of_outputs(b.outputs - a.outputs), norm_of_outputs(a.outputs), 0, false);
      if (reactions_)
        add(norm_of_reactions(b.reactions - a.reactions), norm_of_reactions(a.reactions), a.reaction_noise, true);
    }
    constexpr double kPoor = 0.01;
    if (error_ > kPoor)
      warnings.push_back(fmt::format(
          "body `{}`: at {:.6g} Hz method = \"{}\" gives {} that are wrong by {:.3g} of their size: the modes that are "
          "kept are too few; use larger `modes` or `up_to`, `corrections` = 2 to 4, or method = \"direct\"",
          s_.body->name, worst_at, method_name(request_.method), is_of_reactions ? "reactions" : "outputs", error_));
  }

  std::vector<size_t> list_good_rows() const {
    std::vector<size_t> good;
    for (size_t k = 0; k < rows_.size(); ++k)
      if (rows_[k].is_done && !rows_[k].is_resonant) good.push_back(k);
    return good;
  }

  // Amplitude and phase of one entry of the rows; none if it is always 0.
  void add_columns(const std::string& name, const char* unit, const std::vector<size_t>& good, VectorXc Row::*values,
                   Eigen::Index index, std::vector<Column>& columns) const {
    std::vector<double> amplitude, phase;
    for (const size_t k : good) {
      const Complex x = (rows_[k].*values)[index];
      amplitude.push_back(std::abs(x));
      phase.push_back(phase_degrees(x));
    }
    if (std::all_of(amplitude.begin(), amplitude.end(), [](double x) { return x == 0; })) return;
    columns.push_back({name, unit, std::move(amplitude)});
    columns.push_back({name + "_phase", "deg", std::move(phase)});
  }

  Column frequency_column(const std::vector<size_t>& good) const {
    std::vector<double> hz;
    for (const size_t k : good) hz.push_back(frequencies_[k]);
    return {"frequency", "Hz", std::move(hz)};
  }

  void add_tables(Results& results) const {
    const std::vector<size_t> good = list_good_rows();
    double round_off = 0;
    for (const size_t k : good) round_off = std::max(round_off, rows_[k].round_off);
    const std::string name = s_.body->name;
    results.tables.push_back(
        {"frf",
         "Frequency response",
         {{"body", "", std::vector<std::string>{name}},
          {"method", "", std::vector<std::string>{method_name(request_.method)}},
          {"frequencies", "", std::vector<double>{static_cast<double>(good.size())}},
          {"modes", "", std::vector<double>{n_modes_ < 0 ? std::nan("") : static_cast<double>(n_modes_)}},
          {"error_estimate", "relative", std::vector<double>{error_}},
          {"round_off", "relative", std::vector<double>{round_off}}}});
    results.tables.push_back(make_peak_table(good));
    Table table{name + "_frf",
                fmt::format("Body `{}`: {}, 0-to-peak amplitude and phase", name, describe_output(request_)),
                {frequency_column(good)}};
    for (size_t i = 0; i < map_.outputs().size(); ++i)
      add_columns(map_.outputs()[i].name(), unit_of(request_.output, map_.outputs()[i].turns), good, &Row::outputs,
                  static_cast<Eigen::Index>(i), table.columns);
    results.tables.push_back(std::move(table));
    if (reactions_) results.tables.push_back(make_reaction_table(good));
  }

  Table make_reaction_table(const std::vector<size_t>& good) const {
    Table table{s_.body->name + "_frf_reactions",
                fmt::format("Body `{}`: what the supports do to it, 0-to-peak amplitude and phase", s_.body->name),
                {frequency_column(good)}};
    const std::array names = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"};
    const std::vector<std::string> points = reactions_->points();
    for (size_t i = 0; i < points.size(); ++i)
      for (size_t c = 0; c < 6; ++c) {
        const bool in_plane = c == 0 || c == 1 || c == 5;
        if (s_.body->dimension == 2 && !in_plane) continue;
        add_columns(points[i] + "_" + names[c], c < 3 ? "N" : "N m", good, &Row::reactions,
                    static_cast<Eigen::Index>(6 * i + c), table.columns);
      }
    return table;
  }

  struct Peak {
    size_t output;
    double frequency, amplitude, phase;
  };

  // What round-off makes of a response that is 0 by symmetry: a solution is known to its share of round-off, the larger
  // ones of direct solves are about n⁴ε = 1e-9 of ten elements and more.
  bool is_noise(const Row& row, size_t i) const {
    constexpr double kNothing = 1e-9;
    return size_of(row.outputs, static_cast<Eigen::Index>(i)) <=
           std::max(kNothing, row.round_off) * largest_of(row.outputs);
  }

  // Local maxima, but not those beside a resonance that has its own line.
  void find_local_maxima(const std::vector<size_t>& good, std::vector<Peak>& peaks) const {
    const auto size = [&](size_t j, size_t i) {
      return std::abs(rows_[good[j]].outputs[static_cast<Eigen::Index>(i)]);
    };
    for (size_t j = 1; j + 1 < good.size(); ++j) {
      const double low = frequencies_[good[j - 1]], high = frequencies_[good[j + 1]];
      if (std::any_of(resonances_.list.begin(), resonances_.list.end(), [&](const Resonance& r) {
            return is_undamped(r) && r.omega >= kTwoPi * low && r.omega <= kTwoPi * high;
          }))
        continue;
      for (size_t i = 0; i < map_.outputs().size(); ++i) {
        if (size(j, i) <= size(j - 1, i) || size(j, i) < size(j + 1, i) || is_noise(rows_[good[j]], i)) continue;
        const Complex x = rows_[good[j]].outputs[static_cast<Eigen::Index>(i)];
        peaks.push_back({i, frequencies_[good[j]], std::abs(x), phase_degrees(x)});
      }
    }
  }

  // Resonances that nothing damps, of the outputs that they drive. Of equal frequencies the shapes are any mixture:
  // their shares are added. A shape, and what a load does on it, are known to about 1e-9: of what the load could do on
  // the shape that suits it best, |φᴴf|² ≤ (φᴴDφ)(fᴴD⁻¹f), D the diagonal of M.
  void find_undamped_peaks(std::vector<Peak>& peaks) const {
    constexpr double kSame = 1e-8, kNothing = 1e-9;
    const std::vector<Resonance>& all = resonances_.list;
    const VectorX roots = s_.reduced.calc_mass().diagonal().cwiseSqrt();
    for (size_t first = 0, last = 0; first < all.size(); first = last) {
      VectorXc share = VectorXc::Zero(static_cast<Eigen::Index>(map_.outputs().size()));
      const VectorXc f = F_ * force_.calc_factors(all[first].omega);
      bool is_driven = false;
      for (; last < all.size() && all[last].omega - all[first].omega <= kSame * all[first].omega; ++last) {
        const Complex work = all[last].shape.dot(f);
        is_driven |= std::abs(work) > kNothing * all[last].shape.cwiseAbs().cwiseProduct(roots).norm() *
                                          f.cwiseAbs().cwiseQuotient(roots).norm();
        share += map_.read(all[last].shape) * (work / all[last].slope);
      }
      const double hz = all[first].omega / kTwoPi;
      if (!is_driven || !is_undamped(all[first]) || hz < request_.frequencies.from) continue;
      for (size_t i = 0; i < map_.outputs().size(); ++i)
        if (size_of(share, static_cast<Eigen::Index>(i)) > kNothing * largest_of(share))
          peaks.push_back({i, hz, std::numeric_limits<double>::infinity(), std::nan("")});
    }
  }

  Table make_peak_table(const std::vector<size_t>& good) const {
    std::vector<Peak> peaks;
    find_local_maxima(good, peaks);
    find_undamped_peaks(peaks);
    std::sort(peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) {
      return std::tie(a.output, a.frequency) < std::tie(b.output, b.frequency);
    });
    std::vector<std::string> point, component, unit;
    std::vector<double> hz, amplitude, phase;
    for (const Peak& peak : peaks) {
      const PointMap::Output& output = map_.outputs()[peak.output];
      point.push_back(output.point);
      component.push_back(output.component);
      unit.emplace_back(unit_of(request_.output, output.turns));
      hz.push_back(peak.frequency);
      amplitude.push_back(peak.amplitude);
      phase.push_back(peak.phase);
    }
    return {"frf_peaks",
            request_.frequencies.cluster ? "Peaks of the response" : "Peaks of the response on the grid",
            {{"point", "", point},
             {"component", "", component},
             {"frequency", "Hz", hz},
             {"amplitude", "", amplitude},
             {"unit", "", unit},
             {"phase", "deg", phase}}};
  }

  void require_no_resonance() const {
    for (size_t k = 0; k < rows_.size(); ++k)
      if (rows_[k].is_resonant)
        throw NumericalError(fmt::format(
            "body `{}`: at {:.9g} Hz the response has no bound: it is a natural frequency that nothing damps{}; give "
            "the body damping (body.{}.damping) or a loss_factor, or move the frequencies; the others are solved",
            s_.body->name, frequencies_[k],
            frequencies_[k] == 0 ? ", a motion of the whole body that nothing holds" : "", s_.body->name));
  }

  const BodySystem& s_;
  const FrfRequest& request_;
  HarmonicEquation equation_;
  HarmonicForce force_;
  PointMap map_;
  MatrixX F_;
  std::optional<ReactionMap> reactions_;
  std::vector<double> frequencies_, grid_;  // Hz
  Resonances resonances_;
  size_t n_grid_ = 0;
  std::unique_ptr<ResponseMethod> method_;
  std::vector<Row> rows_;
  std::ptrdiff_t n_modes_ = -1;
  double error_ = std::nan("");
};

class FrfAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "frf"; }
  std::string_view summary() const override { return "steady response to harmonic loads and to shaking of the frame"; }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    const std::optional<FrfRequest>& request = bodies.front().model->frf;
    ELODYN_REQUIRE(request.has_value());
    for (const BodySystem& s : bodies)
      if (request->body.value.empty() || request->body.value == s.body->name)
        return FrequencyResponse(s, *request).run(results);
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_frf_analysis() { return std::make_unique<FrfAnalysis>(); }

}  // namespace elodyn
