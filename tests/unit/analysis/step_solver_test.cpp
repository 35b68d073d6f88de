#include "elodyn/analysis/step_solver.hpp"

#include <cmath>

#include "tests/support/transient.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

// One unknown tied to all others: no order makes its band narrow.
SparsePattern make_star(int n) {
  std::vector<std::vector<int>> cliques;
  for (int i = 1; i < n; ++i) cliques.push_back({0, i});
  return SparsePattern(n, cliques);
}

SparsePattern make_chain(int n) {
  std::vector<std::vector<int>> cliques;
  for (int i = 0; i + 2 < n; ++i) cliques.push_back({i, i + 1, i + 2});
  return SparsePattern(n, cliques);
}

// Diagonally dominant, changes with s; the second block couples the stages.
void fill(StepSolver& solver, const SparsePattern& pattern, int stages, double s) {
  for (int i = 0; i < stages; ++i)
    for (int k = 0; k < stages; ++k) {
      VectorX& block = solver.block(i, k);
      for (int j = 0; j < pattern.size(); ++j) {
        const int end = j + 1 < pattern.size() ? pattern.column_begin(j + 1) : pattern.n_nonzeros();
        for (int e = pattern.column_begin(j); e < end; ++e)
          block[e] = pattern.row(e) == j ? (i == k ? 3.0 * pattern.size() : 1 + s) : std::sin(s + e + 3 * i + k);
      }
    }
}

VectorX multiply(StepSolver& solver, const SparsePattern& pattern, int stages, const VectorX& x) {
  const int n = pattern.size();
  VectorX y = VectorX::Zero(x.size());
  for (int i = 0; i < stages; ++i)
    for (int k = 0; k < stages; ++k) y.segment(i * n, n) += pattern.to_matrix(solver.block(i, k)) * x.segment(k * n, n);
  return y;
}

TEST(StepSolver, SolvesBandsAndSparseMatricesOfSeveralStages) {
  for (const int stages : {1, 2})
    for (const bool is_star : {false, true}) {
      const SparsePattern pattern = is_star ? make_star(300) : make_chain(90);
      StepSolver solver(pattern, stages, MatrixX(pattern.size(), 0));
      EXPECT_EQ(solver.is_banded(), !is_star);
      fill(solver, pattern, stages, 0.3);
      ASSERT_TRUE(solver.update(false));
      const VectorX x = test::make_random(stages * pattern.size(), 4);
      VectorX found;
      ASSERT_TRUE(solver.solve(multiply(solver, pattern, stages, x), found));
      EXPECT_LE((found - x).norm(), 1e-13 * x.norm());  // condition about 3, refined
    }
}

// V G Vᵀ besides, against the full matrix.
TEST(StepSolver, AddsDampingOfFewModes) {
  const SparsePattern pattern = make_chain(70);
  const MatrixX V = Eigen::Map<const MatrixX>(test::make_random(140, 8).data(), 70, 2);
  StepSolver solver(pattern, 1, V);
  fill(solver, pattern, 1, 0);
  solver.coupling() = MatrixX{{20, 0}, {0, 35}};
  ASSERT_TRUE(solver.update(false));
  const VectorX x = test::make_random(70, 2);
  VectorX found;
  ASSERT_TRUE(solver.solve(multiply(solver, pattern, 1, x) + V * (solver.coupling() * (V.transpose() * x)), found));
  EXPECT_LE((found - x).norm(), 1e-12 * x.norm());
}

// Values that drift slowly are solved with an old factor, to the same digits; a jump makes a new one.
TEST(StepSolver, KeepsAnOldFactorAsLongAsItHelps) {
  const SparsePattern pattern = make_star(300);
  StepSolver solver(pattern, 1, MatrixX(300, 0));
  const VectorX x = test::make_random(300, 6);
  VectorX found;
  for (int k = 0; k <= 40; ++k) {
    fill(solver, pattern, 1, 1e-4 * k);
    ASSERT_TRUE(solver.update(false));
    ASSERT_TRUE(solver.solve(multiply(solver, pattern, 1, x), found));
    EXPECT_LE((found - x).norm(), 1e-13 * x.norm()) << k;
  }
  EXPECT_EQ(solver.n_factorisations(), 1);
  EXPECT_TRUE(solver.is_old());
  fill(solver, pattern, 1, 0);
  for (double& value : solver.block(0, 0)) value *= -20;
  ASSERT_TRUE(solver.update(false));
  ASSERT_TRUE(solver.solve(multiply(solver, pattern, 1, x), found));
  EXPECT_LE((found - x).norm(), 1e-13 * x.norm());
  EXPECT_EQ(solver.n_factorisations(), 2);
  EXPECT_FALSE(solver.is_old());
}

}  // namespace
}  // namespace elodyn
