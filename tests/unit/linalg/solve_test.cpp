#include "elodyn/linalg/solve.hpp"

#include <gtest/gtest.h>

namespace elodyn {
namespace {

SparseMatrix sparse(const MatrixX& m) { return m.sparseView(); }

TEST(CholeskySolver, SolvesSeveralRightHandSides) {
  MatrixX A(3, 3);
  A << 4e9, 1, 0, 1, 3, 1e-5, 0, 1e-5, 2e-8;  // badly scaled, well conditioned
  MatrixX x(3, 2);
  x << 1, 2, 3, 4, 5, 6;
  CholeskySolver solver;
  ASSERT_TRUE(solver.factor(sparse(A)));
  // The product's last row is rounded at 1e-5·x₂ and divided by 2e-8: 500·ε times the size of x.
  EXPECT_LE((solver.solve(A * x) - x).cwiseAbs().maxCoeff(), 64 * 500 * kEps);
}

TEST(CholeskySolver, SaysWhereTheMatrixIsNotPositive) {
  MatrixX A = MatrixX::Identity(4, 4);
  A(2, 2) = -1;
  CholeskySolver solver;
  EXPECT_FALSE(solver.factor(sparse(A)));
  EXPECT_EQ(solver.failed_column(), 2);
  A(2, 2) = 1;
  A(1, 3) = A(3, 1) = 1;  // coordinates 1 and 3 move together for nothing
  EXPECT_FALSE(solver.factor(sparse(A)));
  EXPECT_TRUE(solver.failed_column() == 1 || solver.failed_column() == 3);
}

TEST(LuSolver, SolvesAndRefuses) {
  MatrixX A(2, 2);
  A << 0, 2, -3, 1;
  LuSolver solver;
  ASSERT_TRUE(solver.factor(sparse(A)));
  EXPECT_LE((solver.solve(A * Eigen::Vector2d(1, 2)) - Eigen::Vector2d(1, 2)).norm(), 1e-14);
  A << 1, 2, 2, 4;
  EXPECT_FALSE(solver.factor(sparse(A)));
}

}  // namespace
}  // namespace elodyn
