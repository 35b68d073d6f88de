// Craig and Bampton's reduction: what must be exact, what is an upper bound, and how fast the rest converges.
#include <cmath>
#include <numbers>

#include "tests/support/models.hpp"
#include "tests/support/results.hpp"
#include "tests/support/surfaces.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/analysis/reduction.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;

std::vector<double> solve_omegas(const QuadraticProblem& p, int count) {
  std::vector<double> out;
  for (const auto& value : solve_quadratic_modes(p, count).values) out.push_back(value.imag());
  out.resize(static_cast<size_t>(count));
  return out;
}

Model make_blade(double speed, int elements = 10) {
  Model m = test::make_rod({.elements = elements, .degree = 5, .dimension = 3, .speed = speed, .axis = {0.3, 0.2, 1}});
  m.sections[0] = test::make_rectangle("round", 0.03, 0.01);
  return m;
}

// Tip flexibility under forces and moments on the interface: K_bb of the reduced body is the condensed stiffness.
TEST(CraigBampton, StaticsOfTheInterfaceAreExact) {
  const Model m = make_blade(0);
  const BodySystem s = make_body_system(m, m.bodies[0]);
  const CraigBampton reduction = reduce_body(s, {"to"}, {1, std::nullopt});
  ASSERT_EQ(reduction.n_interface(), 6);
  const MatrixX K(reduction.equation.calc_elastic());
  const StaticSolver full(s, s.reduced.calc_elastic());
  const SparseMatrix& T = s.constraints.T();
  for (int b = 0; b < 6; ++b) {
    VectorX f = VectorX::Zero(s.constraints.n_reduced());
    f[reduction.interface[static_cast<size_t>(b)]] = 1;
    VectorX y = VectorX::Zero(reduction.size());
    y[b] = 1;
    const VectorX z = full.solve(f), reduced = reduction.V * MatrixX(K.inverse()) * y;
    EXPECT_LT((T * (z - reduced)).cwiseAbs().maxCoeff(), 1e-8 * (T * z).cwiseAbs().maxCoeff()) << b;  // n⁴ε
  }
}

TEST(CraigBampton, FrequenciesAreUpperBoundsAndConverge) {
  const Model m = make_blade(0);
  const BodySystem s = make_body_system(m, m.bodies[0]);
  const std::vector<double> full = solve_omegas(make_mode_problem(s, 0), 6);
  std::vector<double> last;
  double cut = 0;
  for (const int n : {2, 4, 8, 16}) {
    const CraigBampton reduction = reduce_body(s, {"to"}, {n, std::nullopt});
    const std::vector<double> reduced = solve_omegas(make_reduced_problem(s, reduction, 0), 6);
    for (size_t k = 0; k < 6; ++k) {
      EXPECT_GE(reduced[k], full[k] * (1 - 1e-9)) << n << " modes";
      if (!last.empty()) {
        EXPECT_LE(reduced[k], last[k] * (1 + 1e-9)) << n << " modes";
      }
    }
    last = reduced;
    cut = std::sqrt(reduction.squares[n - 1]);
  }
  // The error of a Ritz value goes with (ω/ω_cut)⁴, and with less than (ω/ω_cut)² of it in any case.
  for (size_t k = 0; k < 6; ++k) EXPECT_LT(last[k] / full[k] - 1, std::pow(full[k] / cut, 2)) << k;
}

// With all modes V is square and nothing is lost: every term must be projected right, at any speed, damped or not.
TEST(CraigBampton, AllModesGiveTheWholeBody) {
  for (const double speed : {0.0, 200.0, 500.0})
    for (const bool damped : {false, true}) {
      Model m = make_blade(speed, 3);
      if (damped) m.bodies[0].damping = {4, 1e-5, {0.01, 0.03}};
      const BodySystem s = make_body_system(m, m.bodies[0]);
      const int n = s.constraints.n_reduced();
      const CraigBampton reduction = reduce_body(s, {"to"}, {n, std::nullopt});
      ASSERT_EQ(reduction.size(), n);
      const QuadraticModes full = solve_quadratic_modes(make_mode_problem(s, 0), 5),
                           reduced = solve_quadratic_modes(make_reduced_problem(s, reduction, 0), 5);
      for (size_t k = 0; k < 5; ++k)
        EXPECT_LT(std::abs(full.values[k] - reduced.values[k]), 1e-8 * std::abs(full.values[k]))
            << k << " at " << speed;
      const FactorValues at = s.calc_factors(0);
      const VectorX f = s.reduced.calc_load(at);
      EXPECT_LT((reduction.V.transpose() * f - reduction.equation.calc_load(at)).norm(), 1e-12 * (f.norm() + 1));
    }
}

// One basis, found at rest, for all speeds: the terms in w and w² go with their own factors.
TEST(CraigBampton, OneReductionServesAllSpeeds) {
  const double speeds[] = {100, 300, 600};
  Model m = make_blade(speeds[0]);
  const BodySystem slow = make_body_system(m, m.bodies[0]);
  const CraigBampton reduction = reduce_body(slow, {"to"}, {14, std::nullopt});
  for (const double speed : speeds) {
    m = make_blade(speed);
    const BodySystem s = make_body_system(m, m.bodies[0]);
    const std::vector<double> full = solve_omegas(make_mode_problem(s, 0), 4),
                              reduced = solve_omegas(make_reduced_problem(s, reduction, 0), 4);
    // As above; the modes at rest must also bend into those in the pull, which is Ω²M in size.
    const double cut = reduction.squares[reduction.n_modes() - 1];
    for (size_t k = 0; k < 4; ++k)
      EXPECT_NEAR(reduced[k] / full[k], 1, (full[k] * full[k] + speed * speed) / cut) << speed << " rad/s, mode " << k;
  }
}

TEST(CraigBampton, RigidMotionsAndMassAreExact) {
  for (const double speed : {0.0, 200.0}) {
    Model m = make_blade(speed);
    m.bodies[0].supports.clear();
    m.reduction.emplace();
    m.reduction->points = {{"from", {}}, {"to", {}}};
    m.reduction->modes = 4;
    m.reduction->compare = 0;
    const Results r = run_analysis(m, "reduction");
    ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
    ASSERT_EQ(test::column(r, "reduction_rigid", "motion").size(), 6U);
    for (const double error : test::column(r, "reduction_rigid", "mass_error")) EXPECT_LT(error, 1e-8);  // n⁴ε in Ψ
    for (const double strain : test::column(r, "reduction_rigid", "stiffness")) EXPECT_LT(strain, 1e-10);
    const double mass = 7800 * 0.03 * 0.01 * 0.5, Iyy = 7800 * 0.5 * 0.03 * std::pow(0.01, 3) / 12;
    const auto& total = test::column(r, "reduction_mass", "total");
    for (size_t k = 0; k < 3; ++k) EXPECT_NEAR(total[k], mass, 1e-12 * mass);
    EXPECT_NEAR(total[4], mass * 0.25 / 3 + Iyy, 1e-10 * total[4]);  // about y: m L²/3 and the sections' own
  }
}

// Effective masses of a cantilever, shares of ρAL: 0.6131, 0.1883, 0.0647, 0.0331 by (2 σ/λ)², σ of the mode shapes.
TEST(CraigBampton, InventoryHasTheEffectiveMassesOfACantilever) {
  Model m = test::make_rod({.element = "beam_euler_bernoulli", .elements = 12, .degree = 5});
  m.reduction.emplace();
  m.reduction->modes = 4;
  const Results r = run_analysis(m, "reduction");
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  const double roots[] = {1.875104068711961, 4.694091132974175, 7.854757438237613, 10.995540734875467};
  const double total = 7800 * pi * 25e-6 * 0.5;
  double sum = 0;
  for (size_t k = 0; k < 4; ++k) {
    const double x = roots[k], sigma = (std::sinh(x) - std::sin(x)) / (std::cosh(x) + std::cos(x));
    const double share = std::pow(2 * sigma / x, 2);
    sum += share;
    EXPECT_NEAR(test::column(r, "reduction_modes", "mass_y")[k], share * total, 1e-6 * total) << k;
    EXPECT_NEAR(test::column(r, "reduction_modes", "share_y")[k], sum, 2e-6) << k;
    EXPECT_NEAR(std::pow(test::column(r, "reduction_participation", "y")[k], 2),
                test::column(r, "reduction_modes", "mass_y")[k], 1e-12);
    EXPECT_NEAR(test::column(r, "reduction_frequencies", "error")[k], 0, 1e-9);  // no interface: its own modes
  }
}

TEST(CraigBampton, ReducesAPlate) {
  Model m = test::read_surface(3, test::kSteel, 0.002,
                               "element = \"plate\"\nclamp = [\"left\"]\n"
                               "rectangle = { from = [0, 0, 0], to = [0.2, 0.1, 0], nx = 12, ny = 6 }\n"
                               "motion = { kind = \"spin\", axis = [0, 1, 0], through = [-0.1, 0, 0], speed = 200 }\n"
                               "[analysis.reduction]\npoints = [\"bottom_right\", \"top_right\"]\nup_to = \"8 kHz\"\n"
                               "compare = 5");
  const Results r = run_analysis(m, "reduction");
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  EXPECT_GE(test::column(r, "reduction", "interface")[0], 10);
  EXPECT_LE(test::column(r, "reduction", "highest")[0], 8000);
  const auto& full = test::column(r, "reduction_frequencies", "full");
  const auto& error = test::column(r, "reduction_frequencies", "error");
  ASSERT_EQ(full.size(), 5U);
  // (ω/ω_cut)⁴ for a Ritz value, times the share of what the pull adds
  for (size_t k = 0; k < 5; ++k) EXPECT_LT(std::abs(error[k]), 2 * std::pow(full[k] / 8000, 2) + 1e-6) << full[k];
}

TEST(CraigBampton, SaysWhatTheInterfaceDoesNotHold) {
  Model m = test::read_surface(2, test::kSteel, 0.002,
                               "element = \"membrane\"\n"
                               "rectangle = { from = [0, 0, 0], to = [0.2, 0.1, 0], nx = 4, ny = 2 }\n"
                               "[analysis.reduction]\npoints = [\"top_right\"]");
  const Results r = run_analysis(m, "reduction");
  EXPECT_EQ(r.outcome.status, "numerical failure");
  EXPECT_NE(r.outcome.message.find("add points to the interface"), std::string::npos) << r.outcome.message;
}

TEST(CraigBampton, SaysThatSupportsHoldTheInterface) {
  Model m = make_blade(0);
  m.reduction = ReductionRequest{};
  m.reduction->points = {{"from", {}}};
  m.reduction->modes = 6;
  const Results held = run_analysis(m, "reduction");
  ASSERT_TRUE(held.outcome.ok()) << held.outcome.message;
  ASSERT_EQ(held.warnings.size(), 1u);
  EXPECT_NE(held.warnings[0].find("its supports hold all points of the interface"), std::string::npos);
  m.reduction->points = {{"to", {}}};
  EXPECT_TRUE(run_analysis(m, "reduction").warnings.empty());
}

TEST(CraigBampton, MatricesAreExported) {
  Model m = make_blade(200, 4);
  m.reduction.emplace();
  m.reduction->points = {{"to", {}}};
  m.reduction->modes = 3;
  const MatrixExport out = calc_reduced_matrices(m);
  std::vector<std::string> names;
  for (const NamedMatrix& named : out.matrices) {
    names.push_back(named.name);
    if (named.name != "rod_reduced_V" && named.matrix.cols() > 1) {
      EXPECT_EQ(named.matrix.rows(), 9) << named.name;
      EXPECT_EQ(named.matrix.cols(), 9) << named.name;
    }
    if (named.symmetry == NamedMatrix::Symmetry::symmetric) {
      EXPECT_EQ((named.matrix - SparseMatrix(named.matrix.transpose())).norm(), 0) << named.name;
    }
  }
  for (const char* name : {"rod_reduced_M", "rod_reduced_D", "rod_reduced_K", "rod_reduced_G_1", "rod_reduced_E_1",
                           "rod_reduced_S_11", "rod_reduced_Kg_H_11", "rod_reduced_H_11", "rod_reduced_V"})
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  ASSERT_EQ(out.dofs.size(), 2U);
  EXPECT_EQ(out.dofs[0].n_rows(), 9U);
}

}  // namespace
}  // namespace elodyn
