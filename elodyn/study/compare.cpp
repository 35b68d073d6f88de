#include "elodyn/study/compare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "elodyn/analysis/integrator.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/ode.hpp"
#include "elodyn/base/stopwatch.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/study/count_operations.hpp"
#include "elodyn/study/elastic_links.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/blocks.hpp"
#include "elodyn/system/canonical.hpp"
#include "elodyn/system/motion.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn {
namespace {

Model with_formalism(Model model, std::string_view name) {
  model.formalism.value = std::string(name);
  return model;
}

// ---- terms ----

// "G_z" → "G", "Kg_H_zz" → "Kg": within a family an entry may be zero for one axis and not for another.
std::string family_of(const std::string& term) { return term.substr(0, term.find('_')); }

// std::max would lose a NaN.
void note_largest(double& largest, double value) {
  if (!(value <= largest) && !std::isnan(largest)) largest = value;
}
template <class Block>
double largest_entry(const Block& block) {
  double largest = 0;
  for (const double x : block.reshaped()) note_largest(largest, std::abs(x));
  return largest;
}

struct Difference {
  double difference = 0, size = 0;
  double relative() const { return difference == 0 ? 0 : difference / size; }
  void note(double d, double s) {
    note_largest(difference, d);
    note_largest(size, s);
  }
};
using Differences = std::map<std::string, Difference>;  // by family

// Kg is Γ times a pull that a static solve gives; round-off grows in it with the condition of K, and where the pull is
// zero nothing but round-off is left. Γ is judged instead.
bool is_judged(const std::string& family) { return family != "Kg"; }

// d of the definition; 1 where there is no mass.
VectorX calc_scale(VectorX diagonal) {
  for (double& v : diagonal) v = v > 0 ? 1 / std::sqrt(v) : 1;
  return diagonal;
}

// Γ of every element, in coordinates scaled by its mass.
void compare_moment_matrices(const BodyStations& body, const Formalism& got, const Formalism& want, Differences& out) {
  ElementTerms a, b;
  for (size_t e = 0; e < body.elements.size(); ++e) {
    if (body.elements[e].empty() || body.elements[e].front().Psi.empty()) continue;
    want.derive(body.elements[e], body.n_dofs[e], body.basis, a);
    got.derive(body.elements[e], body.n_dofs[e], body.basis, b);
    const VectorX d = calc_scale(a.M.diagonal());
    for (size_t j = 0; j < a.Gamma.size(); ++j)
      out["Gamma"].note(largest_entry(MatrixX(d.asDiagonal() * (b.Gamma.at(j) - a.Gamma[j]) * d.asDiagonal())),
                        largest_entry(MatrixX(d.asDiagonal() * a.Gamma[j] * d.asDiagonal())));
  }
}

// t = 0, or the first instant that a table of the motion knows.
double find_start(const BodySystem& s) {
  const Motion& motion = s.body->motion;
  return motion.has_table() ? std::max(0.0, motion.table->start) : 0.0;
}

// The canonical equations of the body against those of the reference: ṗ at a state that moves everything.
void compare_momentum_rates(const BodySystem& got, const BodySystem& want, Differences& out) {
  const CanonicalEquation a(want), b(got);
  const FactorValues at = want.calc_factors(find_start(want));
  const Eigen::Index n = a.size();
  VectorX z(n), rate(n);
  for (Eigen::Index i = 0; i < n; ++i) {  // the same in every run, no coordinate zero
    z[i] = std::sin(1.0 + static_cast<double>(i)) * a.scale()[i];
    rate[i] = 100 * std::cos(2.0 + 3 * static_cast<double>(i)) * a.scale()[i];
  }
  const auto p_rate = [&](const CanonicalEquation& equation, double& size) {
    const CanonicalTerms terms = equation.calc_terms(at, FrameRate::moving);
    const VectorX x = equation.make_state(terms, z, rate);
    VectorX x_rate;
    equation.calc_rate(terms, x, x_rate);
    const VectorX y = x.head(n);
    size = (terms.K.cwiseAbs() * y.cwiseAbs()).maxCoeff();
    return VectorX(x_rate.tail(n));
  };
  double size = 0, other = 0;
  const VectorX first = p_rate(a, size), next = p_rate(b, other);
  out["p_rate"].note(largest_entry(VectorX(next - first)), std::max(size, largest_entry(first)));
}

void compare_terms(const BodySystem& got, const BodySystem& want, Differences& out) {
  const VectorX d = calc_scale(want.full.calc_mass().diagonal());
  const auto note = [&](const std::string& family, double difference, double size) {
    out[family].note(difference, size);
  };
  constexpr double kMissing = std::numeric_limits<double>::infinity();
  if (got.full.matrices.size() != want.full.matrices.size()) note("M", kMissing, 1);
  if (got.full.loads.size() != want.full.loads.size()) note("A", kMissing, 1);
  for (const MatrixTerm& term : want.full.matrices) {
    const MatrixTerm* other = got.full.find(term.name);
    if (!other) {
      note(family_of(term.name), kMissing, 1);
      continue;
    }
    const SparseMatrix a = want.full.pattern->to_matrix(term.values), b = got.full.pattern->to_matrix(other->values);
    const SparseMatrix difference = d.asDiagonal() * SparseMatrix(b - a) * d.asDiagonal(),
                       scaled = d.asDiagonal() * a * d.asDiagonal();
    note(family_of(term.name), largest_entry(difference.coeffs()), largest_entry(scaled.coeffs()));
  }
  for (size_t i = 0; i < want.full.loads.size(); ++i) {
    const LoadTerm& term = want.full.loads[i];
    const auto other = std::find_if(got.full.loads.begin(), got.full.loads.end(),
                                    [&](const LoadTerm& candidate) { return candidate.name == term.name; });
    if (other == got.full.loads.end())
      note(family_of(term.name), kMissing, 1);
    else
      note(family_of(term.name), largest_entry(VectorX(d.cwiseProduct(other->values - term.values))),
           largest_entry(VectorX(d.cwiseProduct(term.values))));
  }
}

// ---- frequencies ----

double compare_modes(const std::vector<Mode>& got, const std::vector<Mode>& want) {
  if (got.size() != want.size()) return std::numeric_limits<double>::infinity();
  const auto value = [](const Mode& m) { return std::complex<double>(m.growth, m.omega); };
  double worst = 0, lowest = std::numeric_limits<double>::infinity();
  for (const Mode& mode : want)
    if (mode.label != "rigid") lowest = std::min(lowest, std::abs(value(mode)));
  for (size_t k = 0; k < want.size(); ++k)
    note_largest(worst, std::abs(value(got[k]) - value(want[k])) /
                            std::max(std::abs(value(want[k])), std::isfinite(lowest) ? lowest : 1.0));
  return worst;
}

// ---- trajectory ----

// A short motion of one body in reduced coordinates, by the equation that a formalism derived.
class MotionProblem {
 public:
  // growth: of the fastest growing mode, 1/s; 0 if none grows.
  MotionProblem(const BodySystem& s, double growth)
      : scale_(SparseMatrix(s.reduced.calc_mass()).diagonal().cwiseSqrt()) {
    const SparseMatrix M = s.reduced.calc_mass();
    const int n = static_cast<int>(M.rows());
    const CanonicalEquation equation(s);
    const double begin = find_start(s);
    const double fastest = estimate_fastest(
        {&equation, [&](double t, FactorValues& out) { s.calc_factors(t, out); }, s.is_steady()}, begin);
    const SymmetricModes modes =
        solve_symmetric_modes(s.reduced.calc_elastic(), M, std::min(n, 2 + static_cast<int>(s.rigid.cols())), s.rigid);
    double slowest = 0;
    start_ = VectorX::Zero(n);
    for (Eigen::Index k = 0; k < modes.squares.size(); ++k) {
      start_ += modes.vectors.col(k) / static_cast<double>(k + 1);
      if (slowest == 0 && modes.squares[k] > 0) slowest = std::sqrt(modes.squares[k]);
    }
    // A quarter of the slowest period, or as many of the fastest as a short time of work allows.
    constexpr double kLargestWork = 2e6;
    // A motion that changes with time costs new matrices in every step.
    const double turns = s.is_steady() ? std::clamp(kLargestWork / n, 20.0, 100.0) : 20;
    const double quarter = slowest > 0 ? M_PI / (2 * slowest) : std::numeric_limits<double>::infinity();
    // What grows e^kLargestGrowth-fold still has digits left of those that it started with.
    constexpr double kLargestGrowth = 10;
    const double grown = growth > 0 ? kLargestGrowth / growth : std::numeric_limits<double>::infinity();
    const double end = fastest > 0 ? std::min({quarter, turns / fastest, grown}) : 1;
    growth_ = std::exp(growth * end);
    constexpr int kTimes = 11;
    for (int i = 0; i < kTimes; ++i) times_.push_back(begin + end * i / (kTimes - 1));
    // A scaled displacement of about a thousandth, or as fast as the loads alone would make the body: then neither
    // hides the other, and the energy that Whittaker starts with is not all potential.
    const VectorX f = s.reduced.calc_load(s.calc_factors(begin));
    CholeskySolver mass;
    ELODYN_REQUIRE(mass.factor(M));
    const double by_loads = end * std::sqrt(std::max(0.0, f.dot(VectorX(mass.solve(f)))));  // in the norm of M
    start_ *= std::max(1e-3 / end, by_loads) / std::sqrt(start_.dot(M * start_));
  }

  const std::vector<double>& times() const { return times_; }
  VectorX place() const { return VectorX::Zero(start_.size()); }
  const VectorX& velocity() const { return start_; }
  double growth() const { return growth_; }  // of what grows fastest, over the whole time

  // By the affine equation, in coordinates y = D^½ z that make the tolerance meaningful.
  MatrixX integrate_equation(const BodySystem& s, double relative = kStepError) const {
    const int n = static_cast<int>(start_.size());
    CholeskySolver mass;
    ELODYN_REQUIRE(mass.factor(s.reduced.calc_mass()));
    FactorValues at = s.calc_factors(times_.front());
    SparseMatrix C = s.reduced.calc_velocity(at), K = s.reduced.calc_stiffness(at);
    VectorX f = s.reduced.calc_load(at);
    double now = times_.front();
    VectorX z(n), rate(n);
    const auto equation = [&](double t, const VectorX& y, VectorX& y_rate) {
      if (t != now && !s.is_steady()) {
        at = s.calc_factors(t);
        C = s.reduced.calc_velocity(at);
        K = s.reduced.calc_stiffness(at);
        f = s.reduced.calc_load(at);
        now = t;
      }
      z = y.head(n).cwiseQuotient(scale_);
      rate = y.tail(n).cwiseQuotient(scale_);
      VectorX force = f - C * rate - K * z;
      if (!s.modal.empty())
        force -= s.modal.M_phi * (s.modal.weights.asDiagonal() * (s.modal.M_phi.transpose() * rate));
      y_rate.resize(2 * n);
      y_rate << y.tail(n), scale_.cwiseProduct(mass.solve(force));
    };
    VectorX y(2 * n);
    y << VectorX::Zero(n), scale_.cwiseProduct(start_);
    const OdeResult found = integrate(equation, y, times_, tolerance(relative));
    return scale_.cwiseInverse().asDiagonal() * found.y.topRows(n);
  }

  // How well the time integration itself knows this motion: what errors of a step that are a hundred times larger
  // change. The error that is left is about a hundredth of it; the others may err as much as that hundred times.
  double calc_uncertainty(const BodySystem& s, const MatrixX& trajectory) const {
    return compare(integrate_equation(s, 100 * kStepError), trajectory);
  }

  double compare(const MatrixX& got, const MatrixX& want) const {
    const Eigen::Index n = std::min(got.cols(), want.cols());
    const auto largest = [&](const MatrixX& m) { return MatrixX(scale_.asDiagonal() * m).cwiseAbs().maxCoeff(); };
    return largest(got.leftCols(n) - want.leftCols(n)) / largest(want.leftCols(n));
  }

 private:
  static constexpr double kStepError = 1e-12;

  OdeOptions tolerance(double relative) const {
    const double size = scale_.cwiseProduct(start_).norm();
    OdeOptions options;
    options.relative = relative;
    options.absolute = relative * size * std::min(1.0, times_.back() - times_.front());
    return options;
  }

  VectorX scale_;  // diag(M)^½
  VectorX start_;  // ż
  std::vector<double> times_;
  double growth_ = 1;
};

// Of the mode that grows fastest, 1/s.
double find_growth(const std::vector<Mode>& modes, const std::string& body) {
  double growth = 0;
  for (const Mode& mode : modes)
    if (mode.body == body) growth = std::max(growth, mode.growth);
  return growth;
}

// ---- the whole ----

struct Reference {
  std::vector<BodySystem> bodies;
  std::vector<BodyStations> stations;
  std::vector<MotionProblem> motions;
  std::vector<MatrixX> trajectories;
  TrajectoryBound bound;
  std::vector<Mode> modes;
  double seconds = 0;  // of assembly and modes together
};

double largest_of(const Differences& terms) {
  double worst = 0;
  for (const auto& [family, difference] : terms)
    if (is_judged(family)) note_largest(worst, difference.relative());
  return worst;
}

void compare_frequencies(const Model& changed, const Reference& reference, FormalismReport& report,
                         std::vector<std::string>& warnings) {
  const Results modes = run_modes(changed);
  if (!modes.outcome.ok()) warnings.push_back(report.name + ": " + modes.outcome.message);
  report.frequency_difference = compare_modes(modes.modes, reference.modes);
}

FormalismReport compare_element_formalism(const Model& model, const Formalism& formalism, const Reference& reference,
                                          Differences& terms, std::vector<std::string>& warnings) {
  FormalismReport report;
  report.name = std::string(formalism.name());
  report.level = "element";
  for (const BodyStations& body : reference.stations) {
    report.operations += body.count(formalism);
    report.seconds += body.measure(formalism);
  }
  const Model changed = with_formalism(model, report.name);
  report.trajectory_difference = report.motion_seconds = 0;
  for (size_t b = 0; b < changed.bodies.size(); ++b) {
    const BodySystem s = make_body_system(changed, changed.bodies[b]);
    compare_terms(s, reference.bodies[b], terms);
    compare_moment_matrices(reference.stations[b], formalism, *formalisms().find(kDefaultFormalism), terms);
    compare_momentum_rates(s, reference.bodies[b], terms);
    const Stopwatch watch;
    const MatrixX z = reference.motions[b].integrate_equation(s);
    report.motion_seconds += watch.seconds();
    note_largest(report.trajectory_difference, reference.motions[b].compare(z, reference.trajectories[b]));
  }
  report.max_difference = largest_of(terms);
  compare_frequencies(changed, reference, report, warnings);
  return report;
}

// What a projection costs beyond its blocks: the sums of copies, one addition for each entry of a block, and its time.
void add_projection_cost(const Model& model, const Reference& reference, FormalismReport& report) {
  const Formalism& blocks = formalism_of(with_formalism(model, report.name));
  for (size_t b = 0; b < reference.bodies.size(); ++b) {
    report.operations += reference.stations[b].count(blocks);
    report.seconds += reference.stations[b].measure(blocks);
    const BodySystem& s = reference.bodies[b];
    for (const ElementSpec& spec : s.mesh.elements) {
      const auto n = static_cast<long>(spec.dofs.size());
      report.operations.additions +=
          static_cast<long>(s.full.matrices.size()) * n * n + static_cast<long>(s.full.loads.size()) * n;
    }
    const Blocks parts = make_blocks(s.mesh);
    const AffineEquation unassembled = make_block_equation(s, parts);
    const SparseMatrix T = calc_identity_complement(parts);
    const Stopwatch watch;
    const AffineEquation projected = project(unassembled, T);
    report.seconds += watch.seconds();
  }
}

FormalismReport compare_system_formalism(const Model& model, const SystemFormalism& formalism,
                                         const Reference& reference, std::map<std::string, Differences>& terms,
                                         std::vector<std::string>& warnings) {
  FormalismReport report;
  report.name = std::string(formalism.name());
  report.level = "system";
  std::vector<std::string> reasons;
  for (const BodySystem& s : reference.bodies)
    if (const std::string reason = formalism.reason_against(s); !reason.empty())
      reasons.push_back(reference.bodies.size() > 1 ? "body `" + s.body->name + "`: " + reason : reason);
  report.reason = join(reasons, "; ");
  report.applies = reasons.empty() || formalism.makes_matrices();
  if (!report.applies) return report;

  if (formalism.makes_matrices()) {
    Model changed = with_formalism(model, report.name);
    for (size_t b = 0; b < changed.bodies.size(); ++b)
      compare_terms(make_body_system(changed, changed.bodies[b]), reference.bodies[b], terms[report.name]);
    report.max_difference = largest_of(terms[report.name]);
    compare_frequencies(changed, reference, report, warnings);
    add_projection_cost(model, reference, report);
  }
  if (!reasons.empty()) {
    report.reason = "no trajectory: " + report.reason;
    return report;
  }
  report.trajectory_difference = report.motion_seconds = 0;
  const auto fail = [&](const std::string& reason) {
    report.reason = (formalism.makes_matrices() ? "no trajectory: " : "") + reason;
    report.applies = formalism.makes_matrices();
    report.trajectory_difference = report.motion_seconds = std::nan("");
    return report;
  };
  for (size_t b = 0; b < reference.bodies.size(); ++b) {
    const MotionProblem& motion = reference.motions[b];
    const Stopwatch watch;
    Trajectory found;
    try {
      found = formalism.simulate(reference.bodies[b], motion.place(), motion.velocity(), motion.times());
    } catch (const NumericalError& error) {
      return fail(error.what());
    }
    report.motion_seconds += watch.seconds();
    if (found.times.size() < 2) return fail(found.stopped);
    if (!found.stopped.empty())
      warnings.push_back(fmt::format("{}: {} of {} times reached: {}", report.name, found.times.size(),
                                     motion.times().size(), found.stopped));
    note_largest(report.trajectory_difference, motion.compare(found.z, reference.trajectories[b]));
  }
  if (!formalism.makes_matrices()) report.max_difference = report.trajectory_difference;
  return report;
}

Table make_table(const std::vector<FormalismReport>& reports, const std::map<std::string, Differences>& terms,
                 double whole) {
  std::vector<std::string> names, levels, reasons;
  std::vector<double> differences, frequencies, motions, d, m, a, ms, share, motion_ms;
  const double none = std::nan("");
  for (const FormalismReport& r : reports) {
    names.push_back(r.name);
    levels.push_back(r.level);
    reasons.push_back(r.reason);
    differences.push_back(terms.contains(r.name) ? r.max_difference : none);
    frequencies.push_back(r.frequency_difference);
    motions.push_back(r.trajectory_difference);
    const bool derives = r.operations.multiplications > 0;
    d.push_back(derives ? static_cast<double>(r.operations.differentiations) : none);
    m.push_back(derives ? static_cast<double>(r.operations.multiplications) : none);
    a.push_back(derives ? static_cast<double>(r.operations.additions) : none);
    ms.push_back(derives ? 1e3 * r.seconds : none);
    share.push_back(derives ? 100 * r.seconds / whole : none);
    motion_ms.push_back(1e3 * r.motion_seconds);
  }
  return {"formalisms",
          "Formalisms: largest relative differences; operations, time and share of a run of the derivation",
          {{"formalism", "", names},
           {"level", "", levels},
           {"terms", "", differences},
           {"frequencies", "", frequencies},
           {"trajectory", "", motions},
           {"differentiations", "", d},
           {"multiplications", "", m},
           {"additions", "", a},
           {"time", "ms", ms},
           {"share_of_modes", "%", share},
           {"trajectory_time", "ms", motion_ms},
           {"why_not", "", reasons}}};
}

Table make_term_table(const std::vector<FormalismReport>& reports, const std::map<std::string, Differences>& terms) {
  Table table{"terms", "Largest relative difference of each term, coordinates scaled by diag(M)^(1/2)", {}};
  std::vector<std::string> families;
  for (const auto& [formalism, differences] : terms)
    for (const auto& [family, difference] : differences)
      if (std::find(families.begin(), families.end(), family) == families.end()) families.push_back(family);
  std::sort(families.begin(), families.end());
  table.columns.push_back({"term", "", families});
  for (const FormalismReport& report : reports) {
    const auto found = terms.find(report.name);
    if (found == terms.end()) continue;
    std::vector<double> column;
    for (const std::string& family : families) {
      const auto entry = found->second.find(family);
      column.push_back(entry == found->second.end() ? std::nan("") : entry->second.relative());
    }
    table.columns.push_back({report.name, "", column});
  }
  return table;
}

}  // namespace

TrajectoryBound find_trajectory_bound(double uncertainty, double growth) {
  if (uncertainty <= kSameTrajectory) return {};
  const std::string cause =
      growth > 10 ? fmt::format("the motion grows {:.0e}-fold", growth) : "the motion is too stiff for explicit steps";
  const std::string known = fmt::format("{}, the time integration knows it to {:.0e}: trajectories are ", cause,
                                        std::isnan(uncertainty) ? 1.0 : uncertainty);
  if (!(uncertainty <= kWorstTrajectory)) return {std::numeric_limits<double>::infinity(), known + "shown, not judged"};
  return {kWorstTrajectory, known + fmt::format("compared to {:.0e} only", kWorstTrajectory)};
}

Results run_compare(const Model& given) {
  Results results;
  results.title = given.title;
  try {
    const Model model = make_elastic_bodies(given);
    const Model base = with_formalism(model, "");
    Reference reference;
    const Stopwatch watch;
    for (const Body& body : base.bodies) reference.bodies.push_back(make_body_system(base, body));
    const Results modes = run_modes(base);
    reference.seconds = watch.seconds();
    if (!modes.outcome.ok()) throw NumericalError(modes.outcome.message);
    reference.modes = modes.modes;
    results.warnings = modes.warnings;
    for (const BodySystem& s : reference.bodies) {
      reference.stations.emplace_back(s);
      reference.motions.emplace_back(s, find_growth(reference.modes, s.body->name));
      const MotionProblem& motion = reference.motions.back();
      reference.trajectories.push_back(motion.integrate_equation(s));
      const TrajectoryBound bound =
          find_trajectory_bound(motion.calc_uncertainty(s, reference.trajectories.back()), motion.growth());
      if (bound.value > reference.bound.value) reference.bound = bound;
    }
    if (!reference.bound.note.empty()) results.warnings.push_back(reference.bound.note);

    std::map<std::string, Differences> terms;  // by formalism
    for (const Formalism* formalism : formalisms().list())
      results.formalisms.push_back(compare_element_formalism(model, *formalism, reference,
                                                             terms[std::string(formalism->name())], results.warnings));
    for (const SystemFormalism* formalism : system_formalisms().list())
      results.formalisms.push_back(compare_system_formalism(model, *formalism, reference, terms, results.warnings));
    results.tables.push_back(make_table(results.formalisms, terms, reference.seconds));
    results.tables.push_back(make_term_table(results.formalisms, terms));
    if (Table counts = count_by_mesh(base); !counts.columns.empty()) results.tables.push_back(std::move(counts));

    std::vector<std::string> offenders;
    const auto judge = [&](const FormalismReport& report, const char* what, double difference, double bound) {
      if (!(difference <= bound))
        offenders.push_back(fmt::format("{} of `{}` ({:.1e}, bound {:.0e})", what, report.name, difference, bound));
    };
    for (const FormalismReport& report : results.formalisms) {
      if (!report.applies) continue;
      if (terms.contains(report.name)) {
        judge(report, "terms", report.max_difference, kAgreement);
        judge(report, "frequencies", report.frequency_difference, kSameFrequencies);
      }
      if (report.reason.empty()) judge(report, "trajectory", report.trajectory_difference, reference.bound.value);
    }
    results.outcome.status = "ok";
    if (!offenders.empty())
      results.outcome = {"disagree", "these differ from the default formalism: " + join(offenders, ", ")};
  } catch (const NumericalError& error) {
    results.outcome = {"numerical failure", error.what()};
  }
  return results;
}

}  // namespace elodyn
