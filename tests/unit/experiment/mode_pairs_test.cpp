#include "elodyn/experiment/mode_pairs.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

// Orthogonal columns: discrete sines.
Eigen::MatrixXcd make_sines(Eigen::Index n, Eigen::Index count) {
  Eigen::MatrixXcd out(n, count);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index r = 0; r < count; ++r)
      out(i, r) = std::sin(std::numbers::pi * static_cast<double>((i + 1) * (r + 1)) / static_cast<double>(n + 1));
  return out;
}

TEST(Mac, OfOrthogonalShapesWithThemselvesIsTheIdentity) {
  const Eigen::MatrixXcd a = make_sines(9, 4);
  EXPECT_LT((calc_mac(a, a) - MatrixX::Identity(4, 4)).cwiseAbs().maxCoeff(), test::roundoff(9, 1));
}

TEST(Mac, DoesNotChangeWithScaleAndPhase) {
  Eigen::MatrixXcd a = make_sines(9, 4), b = a;
  a.array() += 0.1;
  for (Eigen::Index r = 0; r < 4; ++r)
    b.col(r) *= std::polar(0.1 + static_cast<double>(r), 0.7 * static_cast<double>(r + 1));
  const MatrixX before = calc_mac(a, make_sines(9, 4)), after = calc_mac(a, b);
  EXPECT_LT((before - after).cwiseAbs().maxCoeff(), test::roundoff(9, 1));
  EXPECT_LE(after.maxCoeff(), 1 + test::roundoff(9, 1));
  EXPECT_GE(after.minCoeff(), 0);
}

TEST(Mac, OfNothingIsZero) {
  Eigen::MatrixXcd a = make_sines(3, 2);
  a.col(1).setZero();
  EXPECT_EQ(calc_mac(a, a)(1, 1), 0);
}

TEST(ModePairs, FindModesInAnotherOrderAndLeaveOutStrangers) {
  const Eigen::MatrixXcd computed = make_sines(9, 5);
  Eigen::MatrixXcd measured(9, 3);
  measured << computed.col(2), computed.col(0), Eigen::VectorXcd::Unit(9, 4);
  const std::vector<double> omega_measured = {10, 11, 12}, omega_computed = {11, 20, 10, 40, 50};
  const MatrixX mac = calc_mac(measured, computed);
  for (const bool swapped : {false, true}) {
    const std::vector<ModePair> pairs = swapped ? pair_modes(mac.transpose(), omega_computed, omega_measured, 0.5)
                                                : pair_modes(mac, omega_measured, omega_computed, 0.5);
    ASSERT_EQ(pairs.size(), 2U);
    for (const ModePair& pair : pairs) {
      const int m = swapped ? pair.second : pair.first, c = swapped ? pair.first : pair.second;
      EXPECT_EQ(c, m == 0 ? 2 : 0);
      EXPECT_NEAR(pair.mac, 1, test::roundoff(9, 1));
    }
  }
}

TEST(ModePairs, FrequenciesTellApartWhatTheDofsCannot) {
  // Two computed modes look the same on these dofs.
  Eigen::MatrixXcd computed(2, 2), measured(2, 1);
  computed << 1, 1, 2, 2;
  measured << 1, 2;
  const MatrixX mac = calc_mac(measured, computed);
  EXPECT_EQ(pair_modes(mac, {100}, {30, 101}, 0.5).at(0).second, 1);
  EXPECT_EQ(pair_modes(mac, {100}, {98, 300}, 0.5).at(0).second, 0);
}

TEST(Comac, ShowsTheDofThatIsWrong) {
  const Eigen::MatrixXcd a = make_sines(9, 4);
  Eigen::MatrixXcd b = a;
  std::vector<ModePair> pairs;
  for (int r = 0; r < 4; ++r) pairs.push_back({r, r, 1});
  EXPECT_LT((calc_comac(a, b, pairs).array() - 1).abs().maxCoeff(), test::roundoff(9, 1));
  b(5, 1) *= 0.1;
  b(5, 3) *= 3;
  const VectorX comac = calc_comac(a, b, pairs);
  Eigen::Index worst = 0;
  comac.minCoeff(&worst);
  EXPECT_EQ(worst, 5);
  EXPECT_LT(comac[5], 0.95);
  EXPECT_LE(comac.maxCoeff(), 1 + test::roundoff(9, 1));
}

TEST(Scale, IsThatOfLeastSquares) {
  const Eigen::MatrixXcd a = make_sines(9, 1);
  const std::complex<double> c(2, -3);
  EXPECT_LT(std::abs(calc_scale(c * a.col(0), a.col(0)) - c), test::roundoff(9, 4));
}

}  // namespace
}  // namespace elodyn
