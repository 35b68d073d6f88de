// The clamped rod of Chircan 2020, table 3.1: every printed entry, the exact values, the orders of convergence.
#include <map>

#include "test_paths.hpp"
#include "tests/support/csv.hpp"
#include "tests/support/models.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using test::make_rod;
using test::RodOptions;

std::string data(const std::string& name) { return std::string(ELODYN_SOURCE_DIR) + "/tests/data/" + name; }

TEST(PublishedRod, AllNinetyEntries) {
  std::map<std::pair<int, int>, Results> runs;
  int entries = 0;
  for (const auto& row : test::read_csv(data("rod_frequencies_published.csv"))) {
    const int n = std::stoi(row.at("n_elem")), degree = std::stoi(row.at("degree")), mode = std::stoi(row.at("mode"));
    auto [it, is_new] = runs.try_emplace({n, degree});
    if (is_new) it->second = run_modes(make_rod({.elements = n, .degree = degree}));
    ASSERT_TRUE(it->second.outcome.ok()) << it->second.outcome.message;
    const double printed = std::stod(row.at("thesis_rad_s"));
    EXPECT_NEAR(it->second.modes[static_cast<size_t>(mode - 1)].omega, printed, test::half_unit(printed, 7))
        << n << " elements of degree " << degree << ", mode " << mode;
    ++entries;
  }
  EXPECT_EQ(entries, 90);
}

std::vector<double> exact_frequencies(const std::string& kind) {
  std::vector<double> out;
  for (const auto& row : test::read_csv(data("rod_frequencies_exact.csv")))
    if (row.at("kind") == kind) out.push_back(std::stod(row.at("exact_rad_s")));
  return out;
}

std::vector<double> computed(const RodOptions& options, const std::string& label) {
  std::vector<double> out;
  for (const Mode& mode : run_modes(make_rod(options)).modes)
    if (mode.label == label) out.push_back(mode.omega);
  return out;
}

TEST(PublishedRod, ExactValues) {
  const RodOptions fine{.elements = 40, .degree = 5, .axial_degree = 3};
  const auto bending = computed(fine, "bending"), exact = exact_frequencies("bending");
  ASSERT_GE(bending.size(), exact.size());
  // The element's own error is below 1e-10 here; round-off in K leaves about n⁴ε of the lowest square.
  for (size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(bending[k] / exact[k], 1, 2e-9) << "bending mode " << k + 1;
  EXPECT_NEAR(computed(fine, "axial")[0] / exact_frequencies("axial")[0], 1, 2e-9);
}

// Observed orders on three meshes, each twice as fine; the error must stay clear of round-off.
void expect_order(double order, const std::string& label, size_t mode, RodOptions options, double exact,
                  double finest_error) {
  std::vector<double> errors;
  for (int level = 0; level < 3; ++level, options.elements *= 2)
    errors.push_back(computed(options, label).at(mode) / exact - 1);
  for (size_t k = 1; k < 3; ++k)
    EXPECT_GT(std::log2(errors[k - 1] / errors[k]), order - 0.1) << label << ", refinement " << k;
  EXPECT_LT(std::abs(errors.back()), finest_error);
  for (const double e : errors) EXPECT_GT(e, 0) << "frequencies of a conforming element come from above";
}

TEST(PublishedRod, OrdersOfConvergence) {
  const auto bending = exact_frequencies("bending"), axial = exact_frequencies("axial");
  expect_order(4, "bending", 2, {.elements = 8, .degree = 3}, bending[2], 1e-5);
  expect_order(8, "bending", 5, {.elements = 5, .degree = 5, .axial_degree = 3}, bending[5], 1e-7);
  expect_order(2, "axial", 0, {.elements = 10}, axial[0], 1e-3);
  expect_order(4, "axial", 0, {.elements = 5, .axial_degree = 2}, axial[0], 1e-6);
  expect_order(6, "axial", 0, {.elements = 3, .axial_degree = 3}, axial[0], 1e-8);
}

}  // namespace
}  // namespace elodyn
