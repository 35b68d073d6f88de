#include "elodyn/study/compare.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "elodyn/base/counted.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/ode.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Model with_formalism(Model model, std::string_view name) {
  model.formalism.value = std::string(name);
  return model;
}

// ---- cost ----

template <class Block>
auto to_counted(const Block& block) {
  return block.template cast<Counted>().eval();
}
std::vector<MatrixOf<Counted>> to_counted(const std::vector<MatrixX>& matrices) {
  std::vector<MatrixOf<Counted>> out;
  for (const MatrixX& m : matrices) out.push_back(m.cast<Counted>());
  return out;
}
BasicStations<Counted> to_counted(const Stations& stations) {
  BasicStations<Counted> out;
  for (const Station& st : stations)
    out.push_back({st.weight, to_counted(st.x), st.mass, to_counted(st.sigma), to_counted(st.N), to_counted(st.N_theta),
                   to_counted(st.R_theta), to_counted(st.B), to_counted(st.stiffness), to_counted(st.viscosity),
                   to_counted(st.thermal), to_counted(st.transport), to_counted(st.L), to_counted(st.Psi)});
  return out;
}

// The stations of all elements of a body; derived by one formalism after another.
struct BodyStations {
  const MotionBasis* basis;
  std::vector<Stations> elements;
  std::vector<int> n_dofs;
  explicit BodyStations(const BodySystem& s) : basis(&s.basis) {
    for (const ElementSpec& spec : s.mesh.elements) {
      const ElementData data = s.make_element_data(spec);
      s.element_of(spec).calc_stations(data, elements.emplace_back());
      n_dofs.push_back(static_cast<int>(spec.dofs.size()));
    }
  }
  OperationCount count(const Formalism& formalism) const {
    OperationCount sum;
    for (size_t e = 0; e < elements.size(); ++e) sum += count_operations(formalism, elements[e], n_dofs[e], *basis);
    return sum;
  }
  // The shortest of several rounds, which others on the machine disturb least.
  double measure(const Formalism& formalism) const {
    double shortest = std::numeric_limits<double>::infinity(), whole = 0;
    ElementTerms t;
    for (int round = 0; round < 20 && (round < 3 || whole < 0.05); ++round) {
      const auto start = Clock::now();
      for (size_t e = 0; e < elements.size(); ++e) formalism.derive(elements[e], n_dofs[e], *basis, t);
      const double seconds = seconds_since(start);
      shortest = std::min(shortest, seconds);
      whole += seconds;
    }
    return shortest;
  }
};

// ---- terms ----

// "G_z" → "G", "Kg_H_zz" → "Kg": within a family an entry may be zero for one axis and not for another.
std::string family_of(const std::string& term) { return term.substr(0, term.find('_')); }

struct Difference {
  double difference = 0, size = 0;
  double relative() const { return size > 0 ? difference / size : difference; }
};
using Differences = std::map<std::string, Difference>;  // by family

VectorX calc_scale(const BodySystem& s) {
  VectorX d = s.full.calc_mass().diagonal();
  for (double& v : d) v = v > 0 ? 1 / std::sqrt(v) : 1;
  return d;
}

void compare_terms(const BodySystem& got, const BodySystem& want, Differences& out) {
  const VectorX d = calc_scale(want);
  const auto note = [&](const std::string& family, double difference, double size) {
    Difference& entry = out[family];
    entry.difference = std::max(entry.difference, difference);
    entry.size = std::max(entry.size, size);
  };
  constexpr double kMissing = std::numeric_limits<double>::infinity();
  if (got.full.matrices.size() != want.full.matrices.size()) note("M", kMissing, 0);
  for (const MatrixTerm& term : want.full.matrices) {
    const MatrixTerm* other = got.full.find(term.name);
    if (!other) {
      note(family_of(term.name), kMissing, 0);
      continue;
    }
    const SparseMatrix a = want.full.pattern->to_matrix(term.values), b = got.full.pattern->to_matrix(other->values);
    const SparseMatrix difference = d.asDiagonal() * SparseMatrix(b - a) * d.asDiagonal(),
                       scaled = d.asDiagonal() * a * d.asDiagonal();
    const auto largest = [](const SparseMatrix& m) { return m.nonZeros() > 0 ? m.coeffs().cwiseAbs().maxCoeff() : 0; };
    note(family_of(term.name), largest(difference), largest(scaled));
  }
  for (size_t i = 0; i < want.full.loads.size(); ++i) {
    const LoadTerm& term = want.full.loads[i];
    const auto other = std::find_if(got.full.loads.begin(), got.full.loads.end(),
                                    [&](const LoadTerm& candidate) { return candidate.name == term.name; });
    if (other == got.full.loads.end())
      note(family_of(term.name), kMissing, 0);
    else
      note(family_of(term.name), d.cwiseProduct(other->values - term.values).cwiseAbs().maxCoeff(),
           d.cwiseProduct(term.values).cwiseAbs().maxCoeff());
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
    worst = std::max(worst, std::abs(value(got[k]) - value(want[k])) /
                                std::max(std::abs(value(want[k])), std::isfinite(lowest) ? lowest : 1.0));
  return worst;
}

// ---- trajectory ----

// A short motion of one body in reduced coordinates, by the equation that a formalism derived.
class MotionProblem {
 public:
  explicit MotionProblem(const BodySystem& s) : scale_(SparseMatrix(s.reduced.calc_mass()).diagonal().cwiseSqrt()) {
    const FactorValues at = s.calc_factors(0);
    const SparseMatrix M = s.reduced.calc_mass(), K = s.reduced.calc_stiffness(at);
    const int n = static_cast<int>(M.rows());
    // Gershgorin's bound of M's scaled inverse is not at hand; rows of |D⁻½KD⁻½| bound ω² up to the spread of the
    // scaled mass matrix, which is small.
    const VectorX inverse = scale_.cwiseInverse();
    const SparseMatrix scaled = (inverse.asDiagonal() * K * inverse.asDiagonal());
    const double fastest = std::sqrt((scaled.cwiseAbs() * VectorX::Ones(n)).maxCoeff());
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
    const double turns = std::clamp(kLargestWork / n, 20.0, 300.0);
    const double quarter = slowest > 0 ? M_PI / (2 * slowest) : std::numeric_limits<double>::infinity();
    const double end = fastest > 0 ? std::min(quarter, turns / fastest) : 1;
    constexpr int kTimes = 11;
    for (int i = 0; i < kTimes; ++i) times_.push_back(end * i / (kTimes - 1));
    start_ *= 1e-3 / (scale_.cwiseProduct(start_).norm() * end);  // a scaled displacement of about a thousandth
  }

  const std::vector<double>& times() const { return times_; }
  VectorX place() const { return VectorX::Zero(start_.size()); }
  const VectorX& velocity() const { return start_; }

  // By the affine equation, in coordinates y = D^½ z that make the tolerance meaningful.
  MatrixX integrate_equation(const BodySystem& s) const {
    const int n = static_cast<int>(start_.size());
    CholeskySolver mass;
    ELODYN_REQUIRE(mass.factor(s.reduced.calc_mass()));
    FactorValues at = s.calc_factors(times_.front());
    SparseMatrix C = s.reduced.calc_velocity(at), K = s.reduced.calc_stiffness(at);
    VectorX f = s.reduced.calc_load(at);
    double now = times_.front();
    VectorX z(n), rate(n);
    const auto equation = [&](double t, const VectorX& y, VectorX& y_rate) {
      if (t != now && !is_steady(s)) {
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
    const OdeResult found = integrate(equation, y, times_, tolerance());
    return scale_.cwiseInverse().asDiagonal() * found.y.topRows(n);
  }

  double compare(const MatrixX& got, const MatrixX& want) const {
    const Eigen::Index n = std::min(got.cols(), want.cols());
    const auto largest = [&](const MatrixX& m) { return MatrixX(scale_.asDiagonal() * m).cwiseAbs().maxCoeff(); };
    return largest(got.leftCols(n) - want.leftCols(n)) / largest(want.leftCols(n));
  }

 private:
  static bool is_steady(const BodySystem& s) {
    return s.body->motion.kind == Motion::Kind::rest || s.body->motion.kind == Motion::Kind::spin;
  }
  OdeOptions tolerance() const {
    const double size = scale_.cwiseProduct(start_).norm();
    OdeOptions options;
    options.relative = 1e-12;
    options.absolute = 1e-12 * size * std::min(1.0, times_.back());
    return options;
  }

  VectorX scale_;  // diag(M)^½
  VectorX start_;  // ż
  std::vector<double> times_;
};

// ---- the whole ----

struct Reference {
  std::vector<BodySystem> bodies;
  std::vector<BodyStations> stations;
  std::vector<MotionProblem> motions;
  std::vector<MatrixX> trajectories;
  std::vector<Mode> modes;
  double seconds = 0;  // of assembly and modes together
};

void compare_matrices(const Model& model, const Reference& reference, FormalismReport& report, Differences& terms,
                      std::vector<std::string>& warnings) {
  const Model changed = with_formalism(model, report.name);
  std::vector<BodySystem> bodies;
  for (size_t b = 0; b < changed.bodies.size(); ++b) {
    bodies.push_back(make_body_system(changed, changed.bodies[b]));
    compare_terms(bodies.back(), reference.bodies[b], terms);
    const MatrixX z = reference.motions[b].integrate_equation(bodies.back());
    report.trajectory_difference =
        std::max(report.trajectory_difference, reference.motions[b].compare(z, reference.trajectories[b]));
  }
  for (const auto& [family, difference] : terms)
    report.max_difference = std::max(report.max_difference, difference.relative());
  const Results modes = run_modes(changed);
  if (!modes.outcome.ok()) warnings.push_back(report.name + ": " + modes.outcome.message);
  report.frequency_difference = compare_modes(modes.modes, reference.modes);
}

void compare_motion(const SystemFormalism& formalism, const Reference& reference, FormalismReport& report,
                    std::vector<std::string>& warnings) {
  std::vector<std::string> reasons;
  for (const BodySystem& s : reference.bodies)
    if (const std::string reason = formalism.reason_against(s); !reason.empty())
      reasons.push_back(reference.bodies.size() > 1 ? "body `" + s.body->name + "`: " + reason : reason);
  if (!reasons.empty()) {
    report.applies = false;
    report.reason = join(reasons, "; ");
    return;
  }
  const auto start = Clock::now();
  for (size_t b = 0; b < reference.bodies.size(); ++b) {
    const MotionProblem& motion = reference.motions[b];
    const Trajectory found = formalism.simulate(reference.bodies[b], motion.place(), motion.velocity(), motion.times());
    if (!found.stopped.empty())
      warnings.push_back(fmt::format("{}: stopped after {} of {} times: {}", report.name, found.times.size(),
                                     motion.times().size(), found.stopped));
    report.trajectory_difference =
        std::max(report.trajectory_difference, motion.compare(found.z, reference.trajectories[b]));
  }
  report.seconds = seconds_since(start);
}

Table make_table(const std::vector<FormalismReport>& reports, double whole) {
  std::vector<std::string> names, levels, reasons;
  std::vector<double> terms, frequencies, motions, d, m, a, ms, share;
  const double none = std::nan("");
  for (const FormalismReport& r : reports) {
    names.push_back(r.name);
    levels.push_back(r.level);
    reasons.push_back(r.reason);
    terms.push_back(r.applies ? r.max_difference : none);
    frequencies.push_back(r.applies ? r.frequency_difference : none);
    motions.push_back(r.applies ? r.trajectory_difference : none);
    const bool counted = r.operations.multiplications > 0;
    d.push_back(counted ? static_cast<double>(r.operations.differentiations) : none);
    m.push_back(counted ? static_cast<double>(r.operations.multiplications) : none);
    a.push_back(counted ? static_cast<double>(r.operations.additions) : none);
    ms.push_back(r.applies ? 1e3 * r.seconds : none);
    share.push_back(counted ? 100 * r.seconds / whole : none);
  }
  return {"formalisms",
          "Formalisms: largest relative differences, operations and time of the derivation",
          {{"formalism", "", names},
           {"level", "", levels},
           {"terms", "", terms},
           {"frequencies", "", frequencies},
           {"trajectory", "", motions},
           {"differentiations", "", d},
           {"multiplications", "", m},
           {"additions", "", a},
           {"time", "ms", ms},
           {"share_of_run", "%", share},
           {"why_not", "", reasons}}};
}

}  // namespace

OperationCount count_operations(const Formalism& formalism, const Stations& stations, int n, const MotionBasis& basis) {
  const OperationCount before = Counted::count();
  BasicElementTerms<Counted> t;
  formalism.derive(to_counted(stations), n, basis, t);
  return Counted::count() - before;
}

OperationCount count_operations(const Model& model, const std::string& name) {
  const Formalism* formalism = formalisms().find(name);
  ELODYN_REQUIRE(formalism != nullptr);
  OperationCount sum;
  for (const Body& body : model.bodies) sum += BodyStations(make_body_system(model, body)).count(*formalism);
  return sum;
}

Results run_compare(const Model& model) {
  Results results;
  results.title = model.title;
  const Model base = with_formalism(model, "");
  try {
    Reference reference;
    const auto start = Clock::now();
    for (const Body& body : base.bodies) reference.bodies.push_back(make_body_system(base, body));
    const Results modes = run_modes(base);
    reference.seconds = seconds_since(start);
    if (!modes.outcome.ok()) throw NumericalError(modes.outcome.message);
    reference.modes = modes.modes;
    results.warnings = modes.warnings;
    for (const BodySystem& s : reference.bodies) {
      reference.stations.emplace_back(s);
      reference.motions.emplace_back(s);
      reference.trajectories.push_back(reference.motions.back().integrate_equation(s));
    }

    std::map<std::string, Differences> terms;  // by formalism
    for (const Formalism* formalism : formalisms().list()) {
      FormalismReport report;
      report.name = std::string(formalism->name());
      report.level = "element";
      for (const BodyStations& body : reference.stations) {
        report.operations += body.count(*formalism);
        report.seconds += body.measure(*formalism);
      }
      compare_matrices(model, reference, report, terms[report.name], results.warnings);
      results.formalisms.push_back(report);
    }
    for (const SystemFormalism* formalism : system_formalisms().list()) {
      FormalismReport report;
      report.name = std::string(formalism->name());
      report.level = "system";
      compare_motion(*formalism, reference, report, results.warnings);
      if (report.applies && formalism->makes_matrices())
        compare_matrices(model, reference, report, terms[report.name], results.warnings);
      results.formalisms.push_back(report);
    }
    results.tables.push_back(make_table(results.formalisms, reference.seconds));

    Table by_term{"terms", "Largest relative difference of each term, coordinates scaled by diag(M)^(1/2)", {}};
    std::vector<std::string> families;
    for (const auto& [family, difference] : terms.begin()->second) families.push_back(family);
    by_term.columns.push_back({"term", "", families});
    for (const FormalismReport& report : results.formalisms) {
      const auto found = terms.find(report.name);
      if (found == terms.end()) continue;
      std::vector<double> column;
      for (const std::string& family : families) column.push_back(found->second.at(family).relative());
      by_term.columns.push_back({report.name, "", column});
    }
    results.tables.push_back(std::move(by_term));

    results.outcome.status = "ok";
    for (const FormalismReport& report : results.formalisms)
      if (!(report.max_difference <= kAgreement))
        results.outcome = {"disagree",
                           fmt::format("the terms of `{}` differ by {:.1e}, more than {:.0e}: please report this",
                                       report.name, report.max_difference, kAgreement)};
  } catch (const NumericalError& error) {
    results.outcome = {"numerical failure", error.what()};
  }
  return results;
}

}  // namespace elodyn
