// (K0 + λ K1) φ = 0 on chains of springs, whose factors are known.
#include <cmath>

#include "tests/support/chains.hpp"
#include <gtest/gtest.h>

#include "elodyn/linalg/eigen.hpp"

namespace elodyn {
namespace {

// Eigenvalue number k (from 0) of one chain.
double chain_value(int k, int length) { return std::pow(2 * std::sin((2 * k + 1) * M_PI / (2 * (2 * length + 1))), 2); }

SparseMatrix diagonal(const VectorX& d) { return SparseMatrix(MatrixX(d.asDiagonal()).sparseView()); }

// Vectors: K0-orthonormal and solutions; residuals: what they say.
void expect_consistent(const SparseMatrix& K0, const SparseMatrix& K1, const BucklingModes& modes) {
  const auto count = modes.factors.size();
  EXPECT_NEAR((modes.vectors.transpose() * (K0 * modes.vectors) - MatrixX::Identity(count, count)).norm(), 0, 1e-8);
  for (Eigen::Index k = 0; k < count; ++k) {
    const VectorX x = modes.vectors.col(k);
    EXPECT_LT((K0 * x + modes.factors[k] * (K1 * x)).norm(), 1e-8 * (K0 * x).norm()) << k;
    EXPECT_LT(modes.residuals[static_cast<size_t>(k)], 1e-11);
    EXPECT_LE(modes.factors[std::max<Eigen::Index>(0, k - 1)], modes.factors[k]);
  }
}

// Every factor is there three times; small ones are solved with full matrices, large ones by iteration.
TEST(Buckling, FindsRepeatedFactorsSmallAndLarge) {
  for (const int length : {10, 400}) {
    const int copies = 3;
    const SparseMatrix K0 = test::make_chains(copies, length), K1 = diagonal(-0.25 * VectorX::Ones(K0.rows()));
    for (const int count : {1, 2, 3, 7}) {
      const auto modes = solve_buckling(K0, K1, count);
      ASSERT_TRUE(modes.has_value());
      ASSERT_EQ(modes->factors.size(), count);
      for (int k = 0; k < count; ++k)
        EXPECT_NEAR(modes->factors[k] / (4 * chain_value(k / copies, length)), 1, 1e-10) << length << " " << k;
      expect_consistent(K0, K1, *modes);
    }
  }
}

// Pressed at two places only: two factors, 1/flexibility, however many are asked for.
TEST(Buckling, LowRankHasAsManyFactorsAsItsRank) {
  for (const int length : {20, 300}) {
    const SparseMatrix K0 = test::make_chains(2, length);
    VectorX d = VectorX::Zero(2 * length);
    d[4] = -1;               // flexibility 5
    d[2 * length - 1] = -1;  // flexibility `length`
    const auto modes = solve_buckling(K0, diagonal(d), 6);
    ASSERT_TRUE(modes.has_value());
    ASSERT_EQ(modes->factors.size(), 2);
    EXPECT_NEAR(modes->factors[0] * length, 1, 1e-11);
    EXPECT_NEAR(modes->factors[1] * 5, 1, 1e-11);
    expect_consistent(K0, diagonal(d), *modes);
  }
}

// One chain is pulled 1e2 or 1e5 times as hard as the other is pressed: what pulls must not hide what presses.
TEST(Buckling, FindsSmallPressureBesideLargePull) {
  for (const int length : {20, 400})
    for (const double pull : {1e2, 1e5}) {
      const SparseMatrix K0 = test::make_chains(2, length);
      VectorX d = VectorX::Constant(2 * length, -1);
      d.head(length).setConstant(pull);
      const auto modes = solve_buckling(K0, diagonal(d), 4);
      ASSERT_TRUE(modes.has_value());
      ASSERT_EQ(modes->factors.size(), 4);
      for (int k = 0; k < 4; ++k)
        EXPECT_NEAR(modes->factors[k] / chain_value(k, length), 1, 1e-9) << length << " " << pull << " " << k;
    }
}

TEST(Buckling, PullAloneHasNoFactor) {
  for (const int length : {30, 400}) {
    const SparseMatrix K0 = test::make_chains(1, length);
    for (const double pull : {0.0, 1.0}) {
      const auto modes = solve_buckling(K0, diagonal(VectorX::Constant(length, pull)), 3);
      ASSERT_TRUE(modes.has_value());
      EXPECT_EQ(modes->factors.size(), 0);
      EXPECT_TRUE(modes->residuals.empty());
    }
  }
}

TEST(Buckling, RefusesAStiffnessThatIsNotPositive) {
  for (const int length : {30, 400}) {
    SparseMatrix K0 = test::make_chains(1, length);
    const SparseMatrix K1 = diagonal(-VectorX::Ones(length));
    K0.coeffRef(length - 1, length - 1) = 0;  // indefinite
    EXPECT_FALSE(solve_buckling(K0, K1, 2).has_value());
    K0.coeffRef(length - 1, length - 1) = 0.5;
    EXPECT_FALSE(solve_buckling(K0, K1, 2).has_value());
  }
}

// The same problem by full matrices (many factors asked for) and by iteration, and twice: the same digits.
TEST(Buckling, IterationAgreesWithFullMatrices) {
  const int length = 300;
  const SparseMatrix K0 = test::make_chains(2, length);
  VectorX d(2 * length);
  for (int i = 0; i < d.size(); ++i) d[i] = std::cos(0.37 * i) - 0.2;  // presses and pulls
  const SparseMatrix K1 = diagonal(d);
  const auto full = solve_buckling(K0, K1, length / 2), iterated = solve_buckling(K0, K1, 12),
             again = solve_buckling(K0, K1, 12);
  ASSERT_TRUE(full && iterated && again);
  ASSERT_EQ(iterated->factors.size(), 12);
  for (int k = 0; k < 12; ++k) EXPECT_NEAR(iterated->factors[k] / full->factors[k], 1, 1e-10) << k;
  EXPECT_EQ(iterated->factors, again->factors);
  EXPECT_EQ(iterated->vectors, again->vectors);
}

}  // namespace
}  // namespace elodyn
