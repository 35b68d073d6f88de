// Ten thousand random sparse gyroscopic pencils with planted repeated and clustered frequencies: the iteration finds
// all that LAPACK finds on the full matrices, and a mode that is taken away is missed by the count.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "elodyn/base/parallel.hpp"
#include "elodyn/linalg/davidson.hpp"
#include "elodyn/linalg/definite_dense.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

struct Pencil {
  MatrixX K, C, M;
};

// A band matrix of n unknowns; copies of one block give repeated frequencies, blocks that differ by `apart` clusters.
Pencil make_pencil(unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::uniform_int_distribution<int> some(0, 3);
  const int copies = 1 + some(engine), length = 6 + 2 * some(engine), n = copies * length, band = 1 + some(engine);
  const double apart = some(engine) == 0 ? 0 : std::pow(10, -2 - 2 * some(engine)), speed = 2.0 * some(engine);
  Pencil p{MatrixX::Zero(n, n), MatrixX::Zero(n, n), MatrixX::Zero(n, n)};
  const auto block_seed = engine();
  for (int c = 0; c < copies; ++c) {
    std::mt19937 same(block_seed);
    for (int i = 0; i < length; ++i)
      for (int j = std::max(0, i - band); j <= i; ++j) {
        const int row = c * length + i, column = c * length + j;
        const double k = uniform(same), m = 0.1 * uniform(same), g = uniform(same);
        p.K(row, column) = p.K(column, row) = (k + (i == j ? 2 * band + 0.5 * i : 0)) * (1 + c * apart);
        p.M(row, column) = p.M(column, row) = m + (i == j ? 1 : 0);
        if (i != j) p.C(row, column) = -(p.C(column, row) = speed * g);
      }
  }
  // The rows in another order, so that copies do not stand apart.
  Eigen::PermutationMatrix<Eigen::Dynamic> order(n);
  order.setIdentity();
  std::shuffle(order.indices().data(), order.indices().data() + n, engine);
  for (MatrixX* A : {&p.K, &p.C, &p.M}) *A = order * *A * order.transpose();
  return p;
}

TEST(RandomPencils, NoFrequencyIsMissed) {
  constexpr int kPencils = 10000, kPart = 250;
  const OneBlasThread one_blas_thread;
  std::vector<int> skipped(kPencils / kPart, 0), proven(kPencils / kPart, 0);
  std::vector<std::string> failures(kPencils / kPart);
  parallel_for(kPencils / kPart, [&](int part) {
    for (int k = 0; k < kPart; ++k) {
      const auto seed = static_cast<unsigned>(part * kPart + k);
      const Pencil p = make_pencil(seed);
      VectorX want;
      Eigen::MatrixXcd vectors;
      const int n = static_cast<int>(p.K.rows());
      if (!solve_definite_dense(p.K, p.C, p.M, n, want, vectors)) {
        ++skipped[static_cast<size_t>(part)];  // K is not positive
        continue;
      }
      DefiniteOptions options;
      options.count = 1 + static_cast<int>(seed) % std::max(1, n / 3);
      QuadraticModes found;
      const bool solved = solve_definite_sparse(p.K.sparseView(), p.C.sparseView(), p.M.sparseView(), options, found);
      double worst = solved ? 0 : 1;
      for (int i = 0; solved && i < options.count; ++i)
        worst = std::max(worst, std::abs(found.values[static_cast<size_t>(i)].imag() / want[i] - 1));
      proven[static_cast<size_t>(part)] += found.is_complete ? 1 : 0;
      if (!(worst < 1e-10))  // η² of the iteration is 1e-18; what is left is round-off of both
        failures[static_cast<size_t>(part)] += " " + std::to_string(seed) + ": " + std::to_string(worst);
    }
  });
  int n_skipped = 0, n_proven = 0;
  for (size_t part = 0; part < failures.size(); ++part) {
    EXPECT_TRUE(failures[part].empty()) << failures[part];
    n_skipped += skipped[part];
    n_proven += proven[part];
  }
  EXPECT_LT(n_skipped, kPencils / 10);
  EXPECT_EQ(n_proven, kPencils - n_skipped);
}

// A stiff copy of a mode is hidden from the iteration: the smooth loads that it starts from do not touch its part, and
// the count finds it missing; the iteration then looks for it.
TEST(RandomPencils, WhatTheStartDoesNotTouchIsFoundByTheCount) {
  const int n = 40;
  MatrixX K = MatrixX::Zero(n, n), M = MatrixX::Identity(n, n), C = MatrixX::Zero(n, n);
  for (int i = 0; i < n; ++i) K(i, i) = 1 + (i % 20) * (i % 20);  // two equal halves that do not know of each other
  C(0, 1) = 0.3;
  C(1, 0) = -0.3;
  C(20, 21) = 0.3;
  C(21, 20) = -0.3;
  DefiniteOptions options;
  options.count = 4;
  options.loads = MatrixX::Zero(n, 20);
  options.loads.topRows(20).setIdentity();
  options.velocity_bound = 0.3;
  QuadraticModes found;
  ASSERT_TRUE(solve_definite_sparse(K.sparseView(), C.sparseView(), M.sparseView(), options, found));
  VectorX want;
  Eigen::MatrixXcd vectors;
  ASSERT_TRUE(solve_definite_dense(K, C, M, 4, want, vectors));
  for (int k = 0; k < 4; ++k) EXPECT_NEAR(found.values[static_cast<size_t>(k)].imag(), want[k], 1e-12) << k;
  EXPECT_TRUE(found.is_complete);
}

// Without the proof the same start misses the second half: the check is what finds it.
TEST(RandomPencils, APlantedMissIsMissedWithoutTheProof) {
  const int n = 40;
  MatrixX K = MatrixX::Zero(n, n), M = MatrixX::Identity(n, n);
  for (int i = 0; i < n; ++i) K(i, i) = 1 + (i % 20) * (i % 20);
  DefiniteOptions options;
  options.count = 4;
  options.prove = false;
  options.loads = MatrixX::Zero(n, 20);
  options.loads.topRows(20).setIdentity();
  QuadraticModes found;
  ASSERT_TRUE(solve_definite_sparse(K.sparseView(), SparseMatrix(n, n), M.sparseView(), options, found));
  EXPECT_NEAR(found.values[1].imag(), std::sqrt(2.0), 1e-12);  // each should be there twice
  EXPECT_FALSE(found.is_complete);
  EXPECT_EQ(count_below(K.sparseView(), SparseMatrix(n, n), M.sparseView(), 1.2), 2);
}

}  // namespace
}  // namespace elodyn
