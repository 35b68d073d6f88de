// Rotating cantilevers without rotary inertia against the tables of tests/data: frequencies and divergence speeds.
#include <algorithm>
#include <cmath>
#include <map>

#include "test_paths.hpp"
#include "tests/support/csv.hpp"
#include "tests/support/models.hpp"
#include "tests/support/results.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/linalg/eigen.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {
namespace {

// Unit beam: ρA = EI = L = 1, so that frequencies and speeds are dimensionless; EA = α².
Model unit_beam(double alpha, double delta, double gamma, int elements, int dimension = 2) {
  Model m = test::make_rod({.element = "beam_euler_bernoulli",
                            .elements = elements,
                            .degree = 5,
                            .axial_degree = 3,
                            .dimension = dimension,
                            .length = 1,
                            .young = 1,
                            .density = 1 / (alpha * alpha),
                            .speed = gamma,
                            .through = {-delta, 0, 0},
                            .modes = 6});
  m.sections[0] = test::make_general_section("round", alpha * alpha, 1);
  return m;
}

using test::CsvRow;

TEST(RotatingCantilever, ChordFrequencies) {
  int compared = 0;
  for (const auto& row : test::read_csv(std::string(ELODYN_SOURCE_DIR) + "/tests/data/rotating_cantilever.csv")) {
    const bool coupled = row.at("case") == "chord_axial_coriolis", uncoupled = row.at("case") == "chord_uncoupled_EB";
    if (!coupled && !uncoupled) continue;
    const double delta = std::stod(row.at("hub_ratio_delta")), gamma = std::stod(row.at("gamma"));
    // Without Coriolis forces the axial field does not couple; a large α puts its frequencies out of the way.
    Model model = unit_beam(coupled ? std::stod(row.at("alpha_slenderness")) : 1000, delta, gamma, 12);
    model.terms.coriolis = coupled;
    const Results results = run_modes(model);
    ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
    for (int k = 1; k <= 5; ++k) {
      const double want = std::stod(row.at("w" + std::to_string(k)));
      EXPECT_NEAR(results.modes[static_cast<size_t>(k - 1)].omega, want, test::half_unit(want, 6))
          << row.at("case") << ", delta " << delta << ", gamma " << gamma << ", mode " << k;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 4 * 13 * 5);
}

std::vector<double> frequencies_of(const CsvRow& row) {
  std::vector<double> out;
  for (int k = 1; k <= 5; ++k) out.push_back(std::stod(row.at("w" + std::to_string(k))));
  return out;
}

// Frequencies of the modes that are none of these, in order.
std::vector<double> omegas_without(const Results& results, const std::vector<std::string>& labels) {
  EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
  std::vector<double> out;
  for (const Mode& mode : results.modes)
    if (std::find(labels.begin(), labels.end(), mode.label) == labels.end()) out.push_back(mode.omega);
  return out;
}

void expect_digits(const std::vector<double>& got, const std::vector<double>& want, const std::string& what) {
  ASSERT_GE(got.size(), want.size()) << what;
  for (size_t k = 0; k < want.size(); ++k)
    EXPECT_NEAR(got[k], want[k], test::half_unit(want[k], 6)) << what << ", mode " << k + 1;
}

// The whole table with spatial elements: lag and flap of one beam, told apart by their labels. Torsion, which the table
// does not know, is at √(GJ/ρIp) π/2 = 0.97 α, axial modes are at 1.57 α. Without spin both planes are the same, every
// frequency is double and a mode may bend in any plane.
TEST(RotatingCantilever, SpatialElements) {
  std::map<std::string, std::map<std::pair<double, double>, std::vector<double>>> table;
  for (const auto& row : test::read_csv(std::string(ELODYN_SOURCE_DIR) + "/tests/data/rotating_cantilever.csv"))
    table[row.at("case")][{std::stod(row.at("hub_ratio_delta")), std::stod(row.at("gamma"))}] = frequencies_of(row);
  int compared = 0;
  for (const bool coupled : {false, true})
    for (const auto& [place, flap] : table.at("flap_EB")) {
      const auto [delta, gamma] = place;
      Model model = unit_beam(coupled ? 70 : 1000, delta, gamma, 12, 3);
      model.terms.coriolis = coupled;
      model.modes->count = 14;
      const Results results = run_modes(model);
      const std::string what = std::string(coupled ? "coupled" : "uncoupled") + ", delta " + std::to_string(delta) +
                               ", gamma " + std::to_string(gamma);
      const std::vector<double>& lag = table.at(coupled ? "chord_axial_coriolis" : "chord_uncoupled_EB").at(place);
      if (gamma > 0) {
        expect_digits(omegas_without(results, {"lag", "axial", "coupled", "torsion"}), flap, what + ", flap");
        expect_digits(omegas_without(results, {"flap", "torsion"}), lag, what + ", lag");
        EXPECT_EQ(results.modes[1].label, "flap") << what;
        if (!coupled) {  // Coriolis forces stretch the beam, by more than a tenth of the energy at the highest speeds
          EXPECT_EQ(results.modes[0].label, "lag") << what;
          EXPECT_GE(test::omegas(results, "lag").size(), 5u) << what;
        }
      } else {
        std::vector<double> both = lag;  // the axial mode stands once between those of bending
        for (const double w : flap)
          if (w <= lag.back() * (1 + 1e-6)) both.push_back(w);
        std::sort(both.begin(), both.end());
        expect_digits(omegas_without(results, {"torsion"}), both, what);
      }
      compared += 10;
    }
  EXPECT_EQ(compared, 2 * 26 * 10);
}

// Lowest eigenvalue of K at speed: negative beyond divergence.
double lowest_square(double delta, double gamma, const Terms& terms) {
  Model model = unit_beam(1000, delta, gamma, 12);
  model.terms = terms;
  const BodySystem s = make_body_system(model, model.bodies[0]);
  return solve_symmetric_modes(s.reduced.calc_stiffness(s.calc_factors(0)), s.reduced.calc_mass(), 1,
                               MatrixX(s.reduced.size(), 0))
      .squares[0];
}

double find_divergence(double delta, const Terms& terms, double highest) {
  double low = 0.1, high = highest;
  if (lowest_square(delta, high, terms) > 0) return INFINITY;
  while (high - low > 1e-8) {
    const double middle = 0.5 * (low + high);
    (lowest_square(delta, middle, terms) > 0 ? low : high) = middle;
  }
  return low;
}

TEST(RotatingCantilever, DivergenceSpeeds) {
  const std::map<std::string, Terms> variants = {
      {"chord", {}}, {"thesis_neg_chord", {.pull = Terms::Pull::reversed}}, {"noKg", {.geometric = false}}};
  int compared = 0;
  for (const auto& row : test::read_csv(std::string(ELODYN_SOURCE_DIR) + "/tests/data/divergence_speeds.csv")) {
    const auto variant = variants.find(row.at("case"));
    if (variant == variants.end()) continue;
    const double delta = std::stod(row.at("delta")), want = std::stod(row.at("gamma_crit"));
    // Outward beams: no bending divergence far beyond any real speed.
    const double got = find_divergence(delta, variant->second, 60);
    if (std::isinf(want))
      EXPECT_TRUE(std::isinf(got)) << row.at("case") << ", delta " << delta << ": " << got;
    else
      EXPECT_NEAR(got, want, test::half_unit(want, 6)) << row.at("case") << ", delta " << delta;
    ++compared;
  }
  EXPECT_EQ(compared, 9);
}

// In plane, without axial coupling: ω_chord² = ω_flap² − Ω².
TEST(RotatingCantilever, FlapIsChordPlusSpeed) {
  int compared = 0;
  for (const auto& row : test::read_csv(std::string(ELODYN_SOURCE_DIR) + "/tests/data/rotating_cantilever.csv")) {
    if (row.at("case") != "flap_EB") continue;
    ++compared;
    const double delta = std::stod(row.at("hub_ratio_delta")), gamma = std::stod(row.at("gamma"));
    Model model = unit_beam(1000, delta, gamma, 12);
    model.terms.coriolis = model.terms.centrifugal_stiffness = false;  // what remains is the out-of-plane equation
    const double want = std::stod(row.at("w1"));
    EXPECT_NEAR(run_modes(model).modes[0].omega, want, test::half_unit(want, 6));
  }
  EXPECT_EQ(compared, 26);
}

// Far beyond divergence: every growing mode is listed with the one that dies at the same rate, whatever count says.
TEST(RotatingCantilever, UnstableModesAreNeverLeftOut) {
  Model model = unit_beam(70, -2, 30, 8);
  model.modes->count = 1;
  const Results results = run_modes(model);
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  double sum = 0;
  int growing = 0;
  for (const Mode& mode : results.modes) {
    sum += mode.growth;
    growing += mode.growth > 0 ? 1 : 0;
  }
  EXPECT_GE(growing, 2);
  EXPECT_NEAR(sum, 0, 1e-6) << "real pairs and complex quadruples are symmetric";
}

TEST(RotatingCantilever, BeyondDivergenceIsAResultWithAWarning) {
  const Results results = run_modes(unit_beam(70, -1, 4, 8));  // critical: 2.99
  ASSERT_TRUE(results.outcome.ok());
  EXPECT_EQ(results.modes[0].omega, 0);
  EXPECT_GT(results.modes[0].growth, 0);
  EXPECT_EQ(results.modes[1].omega, 0);
  EXPECT_NEAR(results.modes[1].growth, -results.modes[0].growth, 1e-9 * results.modes[0].growth);
  ASSERT_EQ(results.warnings.size(), 1u);
  EXPECT_NE(results.warnings[0].find("beyond divergence"), std::string::npos) << results.warnings[0];
}

}  // namespace
}  // namespace elodyn
