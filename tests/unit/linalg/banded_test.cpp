#include "elodyn/linalg/banded.hpp"

#include <numeric>
#include <random>

#include <gtest/gtest.h>

#include "elodyn/linalg/band.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/pattern.hpp"

namespace elodyn {
namespace {

// Random bands whose diagonal is small, so that pivots are sought in other rows.
TEST(Banded, SolvesAsFullMatricesDo) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> number(-1, 1);
  for (const auto& [n, below, above] : {std::tuple{1, 0, 0}, {7, 1, 3}, {40, 5, 5}, {40, 9, 2}, {12, 11, 11}}) {
    BandedLu band(n, below, above);
    MatrixX A = MatrixX::Zero(n, n), B(n, 1);
    for (int round = 0; round < 2; ++round) {  // the second time over what the first has left
      band.set_zero();
      A.setZero();
      for (int i = 0; i < n; ++i) {
        B(i, 0) = number(engine);
        for (int j = std::max(0, i - below); j <= std::min(n - 1, i + above); ++j) {
          A(i, j) = i == j && n > 1 ? 1e-8 * number(engine) : number(engine);
          band.values()[band.place(i, j)] = A(i, j);
        }
      }
      VectorX x = B.col(0);
      ASSERT_TRUE(band.factor());
      band.solve(x.data());
      // Backward stable, growth of a random band a few tens.
      EXPECT_LE((A * x - B.col(0)).norm(), 1e3 * n * kEps * (A.norm() * x.norm())) << n;
    }
  }
}

TEST(Banded, SaysThatAMatrixIsSingular) {
  BandedLu band(3, 1, 1);
  for (int i = 0; i < 3; ++i) band.values()[band.place(i, i)] = i == 1 ? 0 : 1;
  EXPECT_FALSE(band.factor());
}

// A chain whose unknowns are numbered anyhow.
TEST(Banded, FindsANarrowOrder) {
  constexpr int n = 101;
  std::vector<int> number(n);
  std::iota(number.begin(), number.end(), 0);
  std::shuffle(number.begin(), number.end(), std::mt19937(3));
  std::vector<std::vector<int>> cliques;
  for (int i = 0; i + 1 < n; ++i)
    cliques.push_back({number[static_cast<size_t>(i)], number[static_cast<size_t>(i) + 1]});
  const SparsePattern pattern(n, cliques);
  const SparseMatrix A = pattern.to_matrix(VectorX::Ones(pattern.n_nonzeros()));
  std::vector<int> given(n);
  std::iota(given.begin(), given.end(), 0);
  EXPECT_GT(find_bandwidth(A, given), 10);
  const std::vector<int> order = find_band_order(A);
  EXPECT_EQ(find_bandwidth(A, order), 1);
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, given);
}

}  // namespace
}  // namespace elodyn
