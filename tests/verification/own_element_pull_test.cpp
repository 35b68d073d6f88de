// The rod at 1000 rad/s about its root. Chircan 2020, table 3.5 converges slowly to squares of 2.07e8 and 8.167e9 1/s²:
// that is what comes out if each element is pulled only by its own mass. The whole pull gives 2.08208e8 and 8.17361e9.
#include "test_paths.hpp"
#include "tests/support/csv.hpp"
#include "tests/support/models.hpp"
#include "tests/support/results.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

Model rod_at_speed(int elements, double young, Terms::Pull pull, int dimension = 2) {
  Model model = test::make_rod({.elements = elements,
                                .degree = 5,
                                .dimension = dimension,
                                .length = 1,
                                .young = young,
                                .speed = 1000,
                                .modes = 2 * (dimension - 1)});
  model.terms.pull = pull;
  return model;
}

double square(const Results& results, size_t mode) { return std::pow(results.modes.at(mode).omega, 2); }

TEST(OwnElementPull, WholePullGivesTheRightSquares) {
  for (const int n : {10, 20, 40}) {
    const Results r = run_modes(rod_at_speed(n, 2.1e16, Terms::Pull::accumulated));
    EXPECT_NEAR(square(r, 0), 2.08208e8, test::half_unit(2.08208e8, 6)) << n << " elements";
    EXPECT_NEAR(square(r, 1), 8.17361e9, test::half_unit(8.17361e9, 6)) << n << " elements";
  }
}

// Out of plane nothing softens the rod: the squares are larger by Ω² = 1e6 (rotary inertia changes less than digits).
TEST(OwnElementPull, OutOfPlane) {
  for (const int n : {10, 20}) {
    const Results r = run_modes(rod_at_speed(n, 2.1e16, Terms::Pull::accumulated, 3));
    const auto flap = test::omegas(r, "flap"), lag = test::omegas(r, "lag");
    ASSERT_EQ(flap.size(), 2u);
    ASSERT_EQ(lag.size(), 2u);
    EXPECT_NEAR(flap[0] * flap[0], 2.09208e8, test::half_unit(2.09208e8, 6)) << n << " elements";
    EXPECT_NEAR(flap[1] * flap[1], 8.17461e9, test::half_unit(8.17461e9, 6)) << n << " elements";
    EXPECT_NEAR(lag[0] * lag[0], 2.08208e8, test::half_unit(2.08208e8, 6)) << n << " elements";
    EXPECT_NEAR(lag[1] * lag[1], 8.17361e9, test::half_unit(8.17361e9, 6)) << n << " elements";
  }
}

TEST(OwnElementPull, ReproducesThePublishedIncrements) {
  const auto rows = test::read_csv(std::string(ELODYN_SOURCE_DIR) + "/tests/data/rod_at_speed_published.csv");
  int compared = 0;
  for (size_t k = 0; k + 1 < rows.size(); ++k) {
    const int n = std::stoi(rows[k].at("n")), next = std::stoi(rows[k + 1].at("n"));
    if (n < 5 || n > 40) continue;  // beyond that the published digits are round-off
    const Results a = run_modes(rod_at_speed(n, 2.1e16, Terms::Pull::own_element));
    const Results b = run_modes(rod_at_speed(next, 2.1e16, Terms::Pull::own_element));
    const double p1 = std::stod(rows[k].at("increment1")), p2 = std::stod(rows[k].at("increment2"));
    // Printed to three digits.
    EXPECT_NEAR(square(a, 0) / square(b, 0) - 1, p1, 2 * test::half_unit(p1, 3)) << n;
    EXPECT_NEAR(square(a, 1) / square(b, 1) - 1, p2, 2 * test::half_unit(p2, 3)) << n;
    ++compared;
  }
  EXPECT_GE(compared, 8);
  const Results fine = run_modes(rod_at_speed(90, 2.1e16, Terms::Pull::own_element));
  EXPECT_NEAR(square(fine, 0), 2.07e8, test::half_unit(2.07e8, 3));
  EXPECT_NEAR(square(fine, 1), 8.167e9, test::half_unit(8.167e9, 4));
}

TEST(OwnElementPull, InventsAnInstabilityInSteel) {
  const Results wrong = run_modes(rod_at_speed(40, 210e9, Terms::Pull::own_element));
  ASSERT_TRUE(wrong.outcome.ok());
  EXPECT_EQ(wrong.modes[0].omega, 0);
  EXPECT_GT(wrong.modes[0].growth, 100);
  EXPECT_FALSE(wrong.warnings.empty());
  const Results right = run_modes(rod_at_speed(40, 210e9, Terms::Pull::accumulated));
  for (const Mode& mode : right.modes) {
    EXPECT_EQ(mode.growth, 0);
    EXPECT_GT(mode.omega, 100);
  }
}

}  // namespace
}  // namespace elodyn
