#include "elodyn/linalg/solve.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "elodyn/base/parallel.hpp"

namespace elodyn {
namespace {

// A membrane of k × k points held at its edge: −Δ by five points.
SparseMatrix membrane(int k) {
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) {
      const int at = i * k + j;
      entries.emplace_back(at, at, 4);
      if (i > 0) entries.emplace_back(at, at - k, -1), entries.emplace_back(at - k, at, -1);
      if (j > 0) entries.emplace_back(at, at - 1, -1), entries.emplace_back(at - 1, at, -1);
    }
  SparseMatrix A(k * k, k * k);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}
// Its eigenvalues below μ, by the closed form.
int count_below_closed(int k, double mu) {
  int count = 0;
  for (int i = 1; i <= k; ++i)
    for (int j = 1; j <= k; ++j)
      count += 4 - 2 * std::cos(i * std::numbers::pi / (k + 1)) - 2 * std::cos(j * std::numbers::pi / (k + 1)) < mu;
  return count;
}
constexpr int kOnePart = 30, kManyParts = 180;  // points along a side

SparseMatrix shifted(SparseMatrix A, double mu) {
  A.diagonal().array() -= mu;
  return A;
}

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

// Widths that fill no register, half a group, and more than one.
TEST(CholeskySolver, SolvesAnyNumberOfVectorsWithTheSameDigitsOnAllCores) {
  for (const int k : {kOnePart, kManyParts}) {
    const SparseMatrix A = membrane(k);
    CholeskySolver solvers[2];
    for (const int threads : {1, 2}) {
      set_threads(threads);
      ASSERT_TRUE(solvers[threads - 1].factor(A));
    }
    for (const int width : {1, 8, 9, 17}) {
      const RowBlock b = RowBlock::Random(A.rows(), width);
      RowBlock x[2] = {b, b};
      for (const int threads : {1, 2}) {
        set_threads(threads);
        solvers[threads - 1].solve_in_place(x[threads - 1]);
      }
      set_threads(0);
      EXPECT_TRUE((x[0].array() == x[1].array()).all()) << k << ", " << width;
      // Backward stable: ‖b − Ax‖ ≤ a few ε·‖A‖·‖x‖, ‖A‖ < 8.
      EXPECT_LE((b - A * x[0]).norm(), 8 * 8 * kEps * x[0].norm()) << k << ", " << width;
      EXPECT_LE((solvers[0].solve(b) - x[0]).norm(), 1e-11 * x[0].norm());  // cond(A) is 0.4·k²
    }
  }
}

TEST(CholeskySolver, RefusesAnIndefiniteMatrixInParts) {
  CholeskySolver solver;
  for (const int threads : {1, 2}) {
    set_threads(threads);
    EXPECT_FALSE(solver.factor(shifted(membrane(kManyParts), 0.001)));
    EXPECT_GE(solver.failed_column(), 0);
  }
  set_threads(0);
}

TEST(CholeskySolver, CountsNegativeEigenvalues) {
  for (const int k : {kOnePart, kManyParts}) {
    const SparseMatrix A = membrane(k);
    CholeskySolver solver;
    ASSERT_TRUE(solver.factor(A));
    const double lowest = 4 - 4 * std::cos(std::numbers::pi / (k + 1));
    for (const double factor : {0.9, 4.2, 41.9}) {
      const std::optional<int> counted = solver.count_negative(shifted(A, factor * lowest));
      ASSERT_TRUE(counted.has_value()) << k << ", " << factor;
      EXPECT_EQ(*counted, count_below_closed(k, factor * lowest)) << k << ", " << factor;
    }
    // Half of them are negative: it may not be able to say so, but it says nothing wrong.
    const double middle = 3.97;
    const std::optional<int> many = solver.count_negative(shifted(A, middle));
    EXPECT_EQ(many.value_or(count_below_closed(k, middle)), count_below_closed(k, middle));
  }
}

// Of a pivot that is round-off neither sign is believed.
TEST(CholeskySolver, DoesNotCountASingularMatrix) {
  MatrixX A(3, 3);
  A << 2, 1, 1, 1, 2, 1, 1, 1, 2;
  CholeskySolver solver;
  ASSERT_TRUE(solver.factor(sparse(A)));
  EXPECT_EQ(solver.count_negative(sparse(A)), 0);
  for (const double off : {-1e-13, 0.0, 1e-13}) {
    MatrixX singular = A;
    singular(2, 2) = 2.0 / 3 + off;
    EXPECT_FALSE(solver.count_negative(sparse(singular)).has_value()) << off;
  }
}

TEST(CholeskySolver, DoesNotCountWhatIsOutsideItsPattern) {
  CholeskySolver solver;
  ASSERT_TRUE(solver.factor(membrane(kOnePart)));
  SparseMatrix other = membrane(kOnePart);
  other.coeffRef(0, kOnePart * kOnePart - 1) = other.coeffRef(kOnePart * kOnePart - 1, 0) = 0.5;
  EXPECT_FALSE(solver.count_negative(other).has_value());
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
