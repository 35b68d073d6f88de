// Craig and Bampton's reduction of a body (system/craig_bampton.hpp): what it keeps and how well.
//   inventory   of each mode with the interface held: frequency, participation L = φᵀMr and effective mass L² for the
//   six
//               rigid directions r (through the body's origin), and how much of the total rᵀMr the modes hold so far
//   rigid       mass and strain of the body's rigid motions in the reduced equation
//   frequencies of the reduced and the full body in its motion, at t = 0, damping left out
// Effective masses of all modes add up to what the interface and the supports do not carry along.
#include "elodyn/analysis/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/harmonic_response.hpp"
#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {

const BodySystem& choose_reduced_body(const std::vector<BodySystem>& bodies, const ReductionRequest& request) {
  for (const BodySystem& s : bodies)
    if (request.body.value.empty() || request.body.value == s.body->name) return s;
  ELODYN_REQUIRE(false);
  return bodies.front();
}

CraigBampton reduce_as_asked(const BodySystem& s, const ReductionRequest& request) {
  std::vector<std::string> points;
  for (const Located<std::string>& point : request.points) points.push_back(point.value);
  ModesKept kept{request.modes, std::nullopt};
  if (request.up_to) kept.up_to = 2 * std::numbers::pi * *request.up_to;
  if (!kept.count && !kept.up_to) kept.count = ReductionRequest::kDefaultModes;
  return reduce_body(s, points, kept);
}

QuadraticProblem make_reduced_problem(const BodySystem& s, const CraigBampton& reduction, double time) {
  QuadraticProblem p = make_mode_problem(s, time);
  const FactorValues at = s.calc_factors(time);
  if (p.free.R.cols() > 0) {  // the y of these motions
    MatrixX L = reduction.V.transpose() * (p.M * reduction.V);
    p.free.R = reduction.V.transpose() * (p.M * p.free.R);
    ELODYN_REQUIRE(cholesky_in_place(L));
    solve_lower(L, p.free.R);
    solve_lower_transposed(L, p.free.R);
    p.free.CR = (reduction.V.transpose() * p.free.CR).eval();
    p.free.KR = (reduction.V.transpose() * p.free.KR).eval();
  }
  p.M = reduction.equation.calc_mass();
  p.C = reduction.equation.calc_velocity(at);
  p.K = reduction.equation.calc_stiffness(at);
  p.damped = reduction.modal.M_phi;
  p.damping_weights = reduction.modal.weights;
  return p;
}

namespace {

using Complex = std::complex<double>;
constexpr double kTwoPi = 2 * std::numbers::pi;

struct Direction {
  int column;
  const char *name, *unit;
};
std::vector<Direction> list_directions(const BodySystem& s) {
  if (s.body->dimension == 2) return {{0, "x", "kg"}, {1, "y", "kg"}, {5, "rz", "kg m^2"}};
  return {{0, "x", "kg"},      {1, "y", "kg"},      {2, "z", "kg"},
          {3, "rx", "kg m^2"}, {4, "ry", "kg m^2"}, {5, "rz", "kg m^2"}};
}

std::vector<double> to_list(const VectorX& v) { return {v.data(), v.data() + v.size()}; }

std::vector<double> count_up(int n) {
  std::vector<double> numbers;
  for (int k = 1; k <= n; ++k) numbers.push_back(k);
  return numbers;
}

// ω/2π of the modes with the interface held.
std::vector<double> list_frequencies(const CraigBampton& reduction) {
  return to_list(reduction.squares.cwiseMax(0).cwiseSqrt() / kTwoPi);
}

void add_inventory(const BodySystem& s, const CraigBampton& reduction, std::vector<Table>& tables) {
  const SparseMatrix M = s.full.calc_mass();
  const MatrixX rigid = make_rigid_columns(s.mesh), M_rigid = M * rigid;
  const MatrixX modes = s.constraints.T() * reduction.V.rightCols(reduction.n_modes());
  const MatrixX participation = modes.transpose() * M_rigid;
  Table inventory{"reduction_modes", "Modes with the interface held: effective masses and their running share", {}};
  Table factors{"reduction_participation", "Participation of the modes with the interface held", {}};
  for (Table* table : {&inventory, &factors}) {
    table->columns.push_back({"mode", "", count_up(reduction.n_modes())});
    table->columns.push_back({"frequency", "Hz", list_frequencies(reduction)});
  }
  std::vector<std::string> names;
  std::vector<double> total, held, share;
  for (const Direction& d : list_directions(s)) {
    const double all = rigid.col(d.column).dot(M_rigid.col(d.column));
    constexpr double kNothing = 1e-9;  // beside √total: round-off
    VectorX L = participation.col(d.column);
    for (double& x : L)
      if (std::abs(x) <= kNothing * std::sqrt(all)) x = 0;
    const VectorX mass = L.cwiseAbs2();
    VectorX sum = mass;
    for (Eigen::Index k = 1; k < sum.size(); ++k) sum[k] += sum[k - 1];
    const std::string quantity = d.column < 3 ? "mass_" : "inertia_";
    inventory.columns.push_back({quantity + d.name, d.unit, to_list(mass)});
    inventory.columns.push_back({std::string("share_") + d.name, "", to_list(sum / (all > 0 ? all : 1))});
    factors.columns.push_back({d.name, d.column < 3 ? "kg^0.5" : "kg^0.5 m", to_list(L)});
    names.emplace_back(d.name);
    total.push_back(all);
    held.push_back(sum.size() > 0 ? sum[sum.size() - 1] : 0);
    share.push_back(all > 0 ? held.back() / all : 0);
  }
  tables.push_back(std::move(inventory));
  tables.push_back(std::move(factors));
  tables.push_back({"reduction_mass",
                    "Mass and moments of inertia about the body's origin, SI, and what the modes hold of them",
                    {{"direction", "", names}, {"total", "", total}, {"in_modes", "", held}, {"share", "", share}}});
}

// The rigid motions R are M-orthonormal: yᵀM y must be 1 and K y nothing beside |K||y|.
void add_rigid_check(const BodySystem& s, const CraigBampton& reduction, std::vector<Table>& tables) {
  if (s.rigid.cols() == 0 || reduction.n_interface() == 0) return;
  MatrixX y = MatrixX::Zero(reduction.size(), s.rigid.cols());
  for (int b = 0; b < reduction.n_interface(); ++b) y.row(b) = s.rigid.row(reduction.interface[static_cast<size_t>(b)]);
  const MatrixX M(reduction.equation.calc_mass()), K(reduction.equation.calc_elastic());
  std::vector<double> mass, strain;
  for (Eigen::Index k = 0; k < y.cols(); ++k) {
    const VectorX f = K * y.col(k), size = K.cwiseAbs() * y.col(k).cwiseAbs();
    mass.push_back(std::abs(y.col(k).dot(M * y.col(k)) - 1));
    strain.push_back(f.cwiseAbs().maxCoeff() / size.maxCoeff());
  }
  tables.push_back({"reduction_rigid",
                    "Rigid motions of the reduced body: errors of their mass and of their stiffness, which is none",
                    {{"motion", "", count_up(static_cast<int>(y.cols()))},
                     {"mass_error", "relative", mass},
                     {"stiffness", "relative", strain}}});
}

void add_comparison(const BodySystem& s, const CraigBampton& reduction, int count, Results& results) {
  count = std::min(count, reduction.size());
  if (count == 0) return;
  try {
    const FactorValues at = s.calc_factors(0);
    const QuadraticModes full = solve_quadratic_modes(without_damping(make_mode_problem(s, 0), s.reduced, at), count),
                         reduced = solve_quadratic_modes(
                             without_damping(make_reduced_problem(s, reduction, 0), reduction.equation, at), count);
    std::vector<double> a, b, error;
    for (size_t k = 0; k < std::min({full.values.size(), reduced.values.size(), static_cast<size_t>(count)}); ++k) {
      a.push_back(full.values[k].imag() / kTwoPi);
      b.push_back(reduced.values[k].imag() / kTwoPi);
      error.push_back(a.back() > 0 ? b.back() / a.back() - 1 : std::nan(""));
    }
    results.tables.push_back({"reduction_frequencies",
                              "Frequencies of the full and the reduced body in its motion, without damping",
                              {{"mode", "", count_up(static_cast<int>(a.size()))},
                               {"full", "Hz", a},
                               {"reduced", "Hz", b},
                               {"error", "relative", error}}});
  } catch (const NumericalError& error) {
    results.warnings.push_back("body `" + s.body->name +
                               "`: frequencies of the full and the reduced body are not compared: " + error.what());
  }
}

class ReductionAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "reduction"; }
  std::string_view summary() const override {
    return "Craig and Bampton's reduction: interface, modes, how good it is";
  }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    ELODYN_REQUIRE(bodies.front().model->reduction.has_value());
    const ReductionRequest& request = *bodies.front().model->reduction;
    const BodySystem& s = choose_reduced_body(bodies, request);
    const CraigBampton reduction = reduce_as_asked(s, request);
    if (!request.points.empty() && reduction.n_interface() == 0)
      results.warnings.push_back(
          "body `" + s.body->name +
          "`: its supports hold all points of the interface, which has no coordinates then; name "
          "points that move");
    const auto one = [](double value) { return std::vector<double>{value}; };
    const std::vector<double> hz = list_frequencies(reduction);
    results.tables.push_back({"reduction",
                              "Reduction by Craig and Bampton",
                              {{"body", "", std::vector<std::string>{s.body->name}},
                               {"unknowns", "", one(s.constraints.n_reduced())},
                               {"interface", "", one(reduction.n_interface())},
                               {"modes", "", one(reduction.n_modes())},
                               {"highest", "Hz", one(hz.empty() ? std::nan("") : hz.back())}}});
    add_inventory(s, reduction, results.tables);
    add_rigid_check(s, reduction, results.tables);
    add_comparison(s, reduction, request.compare, results);
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_reduction_analysis() { return std::make_unique<ReductionAnalysis>(); }

}  // namespace elodyn
