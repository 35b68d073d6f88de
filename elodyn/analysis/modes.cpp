// Modes of the linear equation about the undeformed body, with the motion frozen at one instant:
//   (λ²M + λ[D + 2 Σ w G] + K + Σ e E + Σ ww S + Kg) φ = 0,   growth = Re λ, omega = Im λ ≥ 0.
// The same as eigenvalues of Hamilton's equations in (q, p), if asked for (system/canonical.hpp).
// Limits: small displacements; for a motion that changes with time frozen eigenvalues do not decide stability.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/each_body.hpp"
#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/analysis/shapes.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/stopwatch.hpp"
#include "elodyn/linalg/solve.hpp"
#include "elodyn/system/canonical.hpp"
#include "elodyn/system/recovery.hpp"

namespace elodyn {

namespace {

// T_0 … T_k at x.
std::vector<double> chebyshev(double x, int degree) {
  std::vector<double> T = {1, x};
  for (int k = 2; k <= degree; ++k) T.push_back(2 * x * T[static_cast<size_t>(k) - 1] - T[static_cast<size_t>(k) - 2]);
  return T;
}

// Smooth inertia loads: products of Chebyshev polynomials of the coordinates in each direction, lowest degrees first.
// A start from their deflections saves a fifth of the solves of an iteration that starts from random ones. Across a
// body that is thin in some directions it bends, and the lowest modes are there: the others get a uniform load only.
MatrixX make_smooth_loads(const BodySystem& s, const SparseMatrix& M) {
  constexpr int kLoads = 40, kDegree = 7;
  constexpr double kThin = 0.1;
  Vec3 low = s.mesh.nodes.front().x, high = low;
  std::array<bool, 3> moves = {false, false, false};
  for (const Node& node : s.mesh.nodes) {
    low = low.cwiseMin(node.x);
    high = high.cwiseMax(node.x);
    for (size_t k = 0; k < 3; ++k) moves[k] = moves[k] || node.translations()[k] >= 0;
  }
  const Vec3 half = 0.5 * (high - low), middle = 0.5 * (high + low);
  std::vector<std::array<int, 3>> powers;
  for (int total = 0; total <= kDegree; ++total)
    for (int i = total; i >= 0; --i)
      for (int j = total - i; j >= 0; --j) {
        const std::array<int, 3> power = {i, j, total - i - j};
        bool varies = true;
        for (int k = 0; k < 3; ++k)
          varies = varies && (power[static_cast<size_t>(k)] == 0 || half[k] > 1e-6 * half.maxCoeff());
        if (varies) powers.push_back(power);
      }
  int n_directions = 0, n_thin = 0;
  const auto is_thin = [&](int k) { return half[k] <= kThin * half.maxCoeff(); };
  for (int k = 0; k < 3; ++k) {
    n_directions += moves[static_cast<size_t>(k)] ? 1 : 0;
    n_thin += moves[static_cast<size_t>(k)] && is_thin(k) ? 1 : 0;
  }
  const auto count_loads = [&](int k) {
    const int wanted = n_thin == 0  ? kLoads / std::max(1, n_directions)
                       : is_thin(k) ? (kLoads - (n_directions - n_thin)) / n_thin
                                    : 1;
    return moves[static_cast<size_t>(k)] ? std::min<size_t>(powers.size(), static_cast<size_t>(wanted)) : 0;
  };
  const size_t n_loads = count_loads(0) + count_loads(1) + count_loads(2);
  MatrixX fields = MatrixX::Zero(s.constraints.n_full(), static_cast<Eigen::Index>(n_loads));
  for (const Node& node : s.mesh.nodes) {
    std::array<std::vector<double>, 3> T;
    for (int k = 0; k < 3; ++k)
      T[static_cast<size_t>(k)] = chebyshev(half[k] > 0 ? (node.x[k] - middle[k]) / half[k] : 0, kDegree);
    Eigen::Index column = 0;
    for (int direction = 0; direction < 3; ++direction) {
      const int dof = node.translations()[static_cast<size_t>(direction)];
      const size_t count = count_loads(direction);
      for (size_t load = 0; load < count; ++load, ++column)
        if (dof >= 0)
          fields(dof, column) = T[0][static_cast<size_t>(powers[load][0])] *
                                T[1][static_cast<size_t>(powers[load][1])] * T[2][static_cast<size_t>(powers[load][2])];
    }
  }
  return M.diagonal().asDiagonal() * (s.constraints.T().transpose() * fields);
}

// ω as a vector: the axes of the basis may be at any angles.
Vec3 calc_angular_velocity(const BodySystem& s, const FactorValues& at) {
  Vec3 w = Vec3::Zero();
  for (size_t k = 0; k < s.basis.axes.size(); ++k) w += at.w[static_cast<Eigen::Index>(k)] * s.basis.axes[k];
  return w;
}

}  // namespace

MatrixX apply_to_rigid(const BodySystem& s, const MatrixTerm& term) {
  const MatrixX& R = s.rigid;
  if (term.kind == TermKind::elastic || R.cols() == 0) return MatrixX::Zero(R.rows(), R.cols());
  const SparseMatrix A = s.reduced.pattern->to_matrix(term.coefficient * term.values);
  MatrixX AR = A * R;
  if (term.kind != TermKind::damping) return AR;
  // Of a part that is proportional to the stiffness round-off is left. Damping may act on the body as on one mass, or
  // not at all.
  constexpr double kRoundOff = 1e-10;
  const double size = (A.cwiseAbs() * R.cwiseAbs()).maxCoeff();
  MatrixX rates = R.transpose() * AR;
  rates = (rates.array().abs() <= kRoundOff * (R.cwiseAbs().transpose() * (A.cwiseAbs() * R.cwiseAbs())).array())
              .select(0, rates);
  const MatrixX as_one_mass = s.reduced.calc_mass() * R * rates;
  return (AR - as_one_mass).cwiseAbs().maxCoeff() <= kRoundOff * size ? as_one_mass : AR;
}

MatrixX apply_modal_damping_to_rigid(const BodySystem& s) {
  if (s.modal.empty()) return MatrixX::Zero(s.rigid.rows(), s.rigid.cols());
  constexpr double kRoundOff = 1e-9;  // of M-normalised modes and motions
  MatrixX parts = s.modal.M_phi.transpose() * s.rigid;
  parts = (parts.array().abs() <= kRoundOff).select(0, parts);
  return s.modal.M_phi * (s.modal.weights.asDiagonal() * parts);
}

QuadraticProblem make_mode_problem(const BodySystem& s, double time) {
  const FactorValues at = s.calc_factors(time);
  QuadraticProblem p;
  p.M = s.reduced.calc_mass();
  p.K = s.reduced.calc_stiffness(at);
  p.C = s.reduced.calc_velocity(at);
  p.damped = s.modal.M_phi;
  p.damping_weights = s.modal.weights;
  bool coriolis = false, damped = !s.modal.empty(), euler = false;
  for (const MatrixTerm& term : s.reduced.matrices) {
    const bool acts = at(term.factor) != 0 && !term.values.isZero(0);
    coriolis |= acts && term.kind == TermKind::coriolis;
    damped |= acts && term.kind == TermKind::damping;
    euler |= acts && (term.kind == TermKind::euler || term.kind == TermKind::circulatory);
  }
  p.structure = damped || euler ? Structure::general : coriolis ? Structure::gyroscopic : Structure::symmetric;
  // The work of Coriolis forces on u and the kinetic energy are integrals of ρ ū·(ω × u) and ρ ū·u over the same
  // points.
  if (p.structure == Structure::gyroscopic) p.velocity_bound = 2 * calc_angular_velocity(s, at).norm();
  constexpr Eigen::Index kIterationsCount = 2000;
  if (p.structure != Structure::general && p.K.rows() > kIterationsCount) p.loads = make_smooth_loads(s, p.M);
  p.free = {s.rigid, MatrixX::Zero(p.K.rows(), s.rigid.cols()), MatrixX::Zero(p.K.rows(), s.rigid.cols())};
  if (s.rigid.cols() == 0) return p;
  for (const MatrixTerm& term : s.reduced.matrices) {
    const double factor = at(term.factor);
    if (factor == 0 || term.kind == TermKind::mass) continue;
    (acts_on_velocity(term.kind) ? p.free.CR : p.free.KR) += factor * apply_to_rigid(s, term);
  }
  p.free.CR += apply_modal_damping_to_rigid(s);
  return p;
}

SpeedPencil make_speed_pencil(const BodySystem& s) {
  const AffineEquation& equation = s.reduced;
  const FactorValues at = s.body->motion.kind == Motion::Kind::spin ? s.calc_factors_at_speed(0) : s.calc_factors(0);
  const VectorX zero = VectorX::Zero(equation.pattern->n_nonzeros());
  VectorX M = zero, C0 = zero, C1 = zero, K0 = zero, K1 = zero, K2 = zero;
  const MatrixX none = MatrixX::Zero(s.rigid.rows(), s.rigid.cols());
  FreePencil free{s.rigid, apply_modal_damping_to_rigid(s), none, none, none, none};
  for (const MatrixTerm& term : equation.matrices) {
    const bool linear = term.factor.kind == Factor::Kind::w, square = term.factor.kind == Factor::Kind::ww;
    const double factor = term.coefficient * (linear || square ? 1 : at(term.factor));
    VectorX& sum = term.kind == TermKind::mass   ? M
                   : acts_on_velocity(term.kind) ? (linear ? C1 : C0)
                                                 : (linear   ? K1
                                                    : square ? K2
                                                             : K0);
    ELODYN_REQUIRE(!square || acts_on_displacement(term.kind));
    sum += factor * term.values;
    if (s.rigid.cols() == 0 || term.kind == TermKind::mass) continue;
    MatrixX& image = &sum == &C0   ? free.C0
                     : &sum == &C1 ? free.C1
                     : &sum == &K0 ? free.K0
                     : &sum == &K1 ? free.K1
                                   : free.K2;
    image += (linear || square ? 1 : at(term.factor)) * apply_to_rigid(s, term);
  }
  SpeedPencil p;
  p.free = std::move(free);
  const auto matrix = [&](const VectorX& values) { return equation.pattern->to_matrix(values); };
  p.M = matrix(M);
  p.C0 = matrix(C0);
  p.C1 = matrix(C1);
  p.K0 = matrix(K0);
  p.K1 = matrix(K1);
  p.K2 = matrix(K2);
  p.damped = s.modal.M_phi;
  p.damping_weights = s.modal.weights;
  p.is_conservative = C0.isZero(0) && K1.isZero(0) && s.modal.empty();
  return p;
}

namespace {

QuadraticModes solve_canonical(const BodySystem& s, const QuadraticProblem& p, const ModesRequest& request) {
  const CanonicalEquation equation(s);
  const CanonicalTerms terms = equation.calc_terms(s.calc_factors(request.time), FrameRate::frozen);
  return solve_quadratic_modes(
      p, request.count, [&](double sigma, const MatrixX& K) { return equation.calc_shifted_inverse(terms, K, sigma); });
}

}  // namespace

Eigen::MatrixXcd expand(const BodySystem& s, const Eigen::MatrixXcd& Z) {
  Eigen::MatrixXcd Q(s.constraints.n_full(), Z.cols());
  Q.real() = s.constraints.T() * MatrixX(Z.real());
  Q.imag() = s.constraints.T() * MatrixX(Z.imag());
  return Q;
}

namespace {

bool is_rigid(const BodySystem& s, const SparseMatrix& M, const Eigen::VectorXcd& z) {
  if (s.rigid.cols() == 0) return false;
  const Eigen::VectorXcd Mz = M.cast<std::complex<double>>() * z;
  return (s.rigid.transpose().cast<std::complex<double>>() * Mz).squaredNorm() > 0.99 * std::abs(z.dot(Mz));
}

// By the energies, which become shares.
void label_by_energy(StrainEnergy energies, bool may_be_strained, Mode& mode) {
  constexpr double kPure = 0.9;  // a mode with nine tenths of its energy in one kind bears its name
  mode.shares = std::move(energies);
  const double total = std::accumulate(mode.shares.begin(), mode.shares.end(), 0.0,
                                       [](double sum, const auto& share) { return sum + share.second; });
  for (auto& share : mode.shares) share.second = total > 0 ? share.second / total : 0;
  std::stable_sort(mode.shares.begin(), mode.shares.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  const bool strains = total > 0 && may_be_strained;
  if (!strains) mode.shares.clear();
  double bending = 0;  // in any plane: of a round beam every mixture of two equal modes is one
  for (const auto& [name, share] : mode.shares)
    if (name == "flap" || name == "lag" || name == "bending") bending += share;
  mode.label = !strains                              ? "rigid"
               : mode.shares.front().second >= kPure ? mode.shares.front().first
               : bending >= kPure                    ? "bending"
                                                     : "coupled";
}

}  // namespace

void label_modes(const BodySystem& s, const SparseMatrix& M, const Eigen::MatrixXcd& Z, const Eigen::MatrixXcd& Q,
                 std::span<Mode* const> modes) {
  const std::vector<StrainEnergy> energies = calc_strain_energies(s, Q);
  const std::vector<bool> strained = find_strained(s, Q);
  for (size_t k = 0; k < modes.size(); ++k)
    if (is_rigid(s, M, Z.col(static_cast<Eigen::Index>(k))))
      modes[k]->label = "rigid";
    else
      label_by_energy(energies[k], strained[k], *modes[k]);
}

namespace {

struct Found {
  Mode mode;
  size_t body;
  Eigen::VectorXcd q;
};

// K is known to ε in each entry, so an elastic energy qᵀKq is known to ε·|q|ᵀ|K||q|: about n⁴ε of a smooth bending mode
// on n elements. Said when it reaches the digits that people read.
void warn_of_round_off(const BodySystem& s, const std::vector<Found>& found, std::vector<std::string>& warnings) {
  constexpr double kWorthSaying = 1e-6;
  // Of a body that is held round-off alone can make a mode look rigid.
  const auto lowest = std::find_if(found.begin(), found.end(),
                                   [&](const Found& f) { return f.mode.label != "rigid" || s.rigid.cols() == 0; });
  if (lowest == found.end()) return;
  const double estimate = 0.5 * estimate_round_off(s, lowest->q);
  constexpr double kTooMuch = 0.02;
  if (estimate > kTooMuch)
    throw RoundOffSuspected(fmt::format("round-off may change the lowest frequency by {:.0e} of its value", estimate));
  if (estimate > kWorthSaying)
    warnings.push_back(fmt::format(
        "body `{}`: the elements are so short that round-off may change the lowest frequency by {:.0e} of its "
        "value; use fewer elements or a higher degree",
        s.body->name, estimate));
}

// How many of its shortest elements would reach across the body.
double count_across(const BodySystem& s) {
  Vec3 low = s.mesh.nodes.front().x, high = low;
  for (const Node& node : s.mesh.nodes) {
    low = low.cwiseMin(node.x);
    high = high.cwiseMax(node.x);
  }
  double shortest = (high - low).norm();
  for (const ElementSpec& spec : s.mesh.elements)
    if (spec.member >= 0)
      shortest = std::min(shortest, (s.mesh.nodes[static_cast<size_t>(spec.nodes.back())].x -
                                     s.mesh.nodes[static_cast<size_t>(spec.nodes.front())].x)
                                        .norm());
  return shortest > 0 ? (high - low).norm() / shortest : 1;
}

// What failed, after the likely cause: in a body that is held elements so short that about 3 n⁴ε of its lowest
// stiffness is round-off (the factor by estimate_round_off of a cantilever).
std::string describe_failure(const BodySystem& s, const std::string& what) {
  constexpr double kFactor = 3, kEps = std::numeric_limits<double>::epsilon(), kToBlame = 1e-5, kHarmless = 1e-6;
  const double n = count_across(s), lost = kFactor * std::pow(n, 4) * kEps;
  if (s.rigid.cols() > 0 || lost < kToBlame) return what;
  return fmt::format(
      "its elements are so short that round-off is about {:.0e} of its lowest stiffness ({:.0f} of the shortest reach "
      "across the body, about {:.0f} would do); use fewer elements, or a higher degree. What failed: {}",
      std::min(1.0, lost), n, std::floor(std::pow(kHarmless / (kFactor * kEps), 0.25) / 10) * 10, what);
}

// Why it could not be proven that no mode is missed.
struct MissingProof {
  bool is_theory;  // no proof is known of such a body, as docs/theory/modes.md says
  const char* reason;
};
MissingProof find_missing_proof(const BodySystem& s, const QuadraticProblem& p, bool is_rounded) {
  if (p.structure == Structure::general) return {true, "that needs a body without damping and Euler terms"};
  if (s.rigid.cols() > 0) return {true, "that needs a body that is held"};
  if (!CholeskySolver().factor(p.K))
    return {true, "that needs a positive definite stiffness, which loads or a spin have taken away"};
  if (is_rounded) return {false, "round-off hides how stiff the body is; use fewer elements or a higher degree"};
  return {false,
          "modes are counted up to between the last one and the next, and none that differs from the last one was "
          "found beyond it; ask for one mode more or fewer"};
}

// Small bodies have a proof without asking. Of those that theory has none for nothing is said then.
void warn_of_missing_proof(const BodySystem& s, const QuadraticProblem& p, bool is_rounded,
                           std::vector<std::string>& warnings) {
  const bool is_wanted = p.proof == QuadraticProblem::Proof::always;
  if (!is_wanted && p.K.rows() > kAlwaysProven) return;
  const MissingProof missing = find_missing_proof(s, p, is_rounded);
  if (is_wanted || !missing.is_theory)
    warnings.push_back(
        fmt::format("body `{}`: it could not be proven that no mode is missed; {}", s.body->name, missing.reason));
}

std::vector<Found> solve_body(const BodySystem& s, size_t index, const ModesRequest& request, bool& is_complete,
                              Results& results) {
  std::vector<std::string>& warnings = results.warnings;
  QuadraticProblem p = make_mode_problem(s, request.time);
  if (request.target) p.target = 2 * std::numbers::pi * *request.target;
  if (request.prove) p.proof = QuadraticProblem::Proof::always;
  QuadraticModes modes;
  const Stopwatch watch;
  try {
    modes = request.form == ModesRequest::Form::canonical ? solve_canonical(s, p, request)
                                                          : solve_quadratic_modes(p, request.count);
  } catch (const RoundOffSuspected& error) {
    throw NumericalError("body `" + s.body->name + "`: " + describe_failure(s, error.what()));
  } catch (const NumericalError& error) {
    throw NumericalError("body `" + s.body->name + "`: " + error.what());
  }
  results.timings["eigenproblem"] += watch.seconds();
  std::vector<Found> found;
  const Eigen::MatrixXcd Q = expand(s, modes.vectors);
  for (size_t k = 0; k < modes.values.size(); ++k) {
    Found f;
    f.body = index;
    f.mode.body = s.body->name;
    f.mode.omega = modes.values[k].imag();
    f.mode.growth = modes.values[k].real();
    constexpr double kNoise = 1e-12;  // of |λ|: what the eigensolver leaves of a zero
    if (std::abs(f.mode.growth) < kNoise * std::abs(modes.values[k])) f.mode.growth = 0;
    f.mode.residual = modes.residuals[k];
    f.q = Q.col(static_cast<Eigen::Index>(k));
    found.push_back(std::move(f));
  }
  std::vector<Mode*> named;
  for (Found& f : found) named.push_back(&f.mode);
  label_modes(s, p.M, modes.vectors, Q, named);
  if (static_cast<int>(p.K.rows()) < request.count)
    warnings.push_back(fmt::format("body `{}` has {} unknowns and so at most that many modes; {} were asked for",
                                   s.body->name, p.K.rows(), request.count));

  if (modes.may_miss_growing)
    warnings.push_back(fmt::format(
        "body `{}` has {} unknowns: the modes nearest to 0 were found; one that grows at a higher frequency "
        "would not be among them",
        s.body->name, p.K.rows()));
  is_complete = modes.is_complete;
  const size_t n_warnings = warnings.size();
  try {
    warn_of_round_off(s, found, warnings);
  } catch (const RoundOffSuspected& error) {
    throw NumericalError("body `" + s.body->name + "`: " + describe_failure(s, error.what()));
  }
  if (!modes.is_complete) warn_of_missing_proof(s, p, warnings.size() > n_warnings, warnings);
  return found;
}

// The `count` lowest of a body, and whatever grows beyond them.
std::vector<Found> keep_lowest(std::vector<Found> found, int count) {
  std::vector<Found> kept;
  for (Found& f : found)
    if (kept.size() < static_cast<size_t>(count) || f.mode.growth > 0 || f.mode.omega == 0)
      kept.push_back(std::move(f));
  return kept;
}

class ModesAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "modes"; }
  std::string_view summary() const override { return "frequencies, growth rates and shapes at rest or at speed"; }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    const ModesRequest request = bodies.front().model->modes.value_or(ModesRequest{});
    std::vector<Found> found;
    std::vector<size_t> solved;
    bool all_complete = true;
    EachBody each;
    for (size_t b = 0; b < bodies.size(); ++b)
      each.run([&] {
        bool is_complete = false;
        std::vector<Found> of_body =
            keep_lowest(solve_body(bodies[b], b, request, is_complete, results), request.count);
        all_complete = all_complete && is_complete;
        std::move(of_body.begin(), of_body.end(), std::back_inserter(found));
        solved.push_back(b);
      });
    if (!solved.empty()) results.modes_are_complete = all_complete && each.all_done();
    std::stable_sort(found.begin(), found.end(),
                     [](const Found& a, const Found& b) { return a.mode.omega < b.mode.omega; });
    for (size_t k = 0; k < found.size(); ++k) {
      found[k].mode.number = static_cast<int>(k) + 1;
      results.modes.push_back(found[k].mode);
    }
    for (const size_t b : solved) {
      warn_if_unstable(*bodies[b].body, results);
      results.grids.push_back(draw(bodies[b], b, found));
    }
    each.rethrow();
  }

 private:
  static void warn_if_unstable(const Body& body, Results& results) {
    constexpr double kNoise = 1e-9;
    const Mode* fastest = nullptr;
    int growing = 0;
    for (const Mode& mode : results.modes) {
      if (mode.body != body.name || mode.growth <= kNoise * mode.omega) continue;
      ++growing;
      if (!fastest || mode.growth > fastest->growth) fastest = &mode;
    }
    if (!fastest) return;
    const bool spins =
        body.motion.kind != Motion::Kind::rest && (body.motion.kind != Motion::Kind::spin || body.motion.speed != 0);
    const std::string which = growing == 1
                                  ? fmt::format("mode {} grows", fastest->number)
                                  : fmt::format("{} modes grow, the fastest is mode {},", growing, fastest->number);
    results.warnings.push_back(fmt::format(
        "body `{}`: {} with {:.6g} 1/s: {}", body.name, which, fastest->growth,
        fastest->label == "rigid" && !spins ? "nothing elastic holds this motion, and gravity or loads drive it away"
        : fastest->label == "rigid"         ? "nothing holds the body, and its spin about this axis is not steady"
        : fastest->omega == 0               ? "the body is beyond divergence, it buckles under its own inertia or loads"
                                            : "the body is beyond flutter"));
  }

  static Grid draw(const BodySystem& s, size_t index, const std::vector<Found>& found) {
    const DrawingGrid drawing = make_drawing_grid(s);
    std::vector<PointField> fields;
    std::vector<GridShape> shapes;
    for (const Found& f : found) {
      if (f.body != index) continue;
      const Mode& mode = f.mode;
      const std::string field = fmt::format("mode_{}", mode.number);
      add_shape(drawing, field, f.q, fields);
      shapes.push_back(
          {"mode", fmt::format("mode {}, {:.6g} Hz, {}", mode.number, mode.omega / (2 * std::numbers::pi), mode.label),
           field, mode.number, mode.omega, mode.growth});
    }
    return make_grid(s, drawing, s.body->name + "_modes", std::move(fields), std::move(shapes));
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_modes_analysis() { return std::make_unique<ModesAnalysis>(); }

}  // namespace elodyn
