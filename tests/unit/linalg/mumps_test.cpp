#include "elodyn/linalg/mumps.hpp"

#include <random>

#include <gtest/gtest.h>

#include "elodyn/linalg/solve.hpp"

namespace elodyn {
namespace {

template <class Scalar>
Eigen::SparseMatrix<Scalar> random_sparse(int n, unsigned seed, bool symmetric) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::uniform_int_distribution<int> index(0, n - 1);
  Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic> A(n, n);
  A.setZero();
  for (int k = 0; k < 6 * n; ++k) A(index(engine), index(engine)) = Scalar(uniform(engine));
  A.diagonal().array() += Scalar(0.3);
  if (symmetric) A = (A + A.transpose()).eval();
  return A.sparseView();
}

template <class Scalar>
void expect_solved(Symmetry symmetry) {
  using Dense = typename PivotingSolver<Scalar>::Dense;
  const int n = 60;
  Eigen::SparseMatrix<Scalar> A = random_sparse<Scalar>(n, 3, symmetry == Symmetry::symmetric);
  if constexpr (!std::is_same_v<Scalar, double>) A = (A * Scalar(0.6, 0.8)).eval();
  const Dense x = Dense::Random(n, 5), b = A * x;
  PivotingSolver<Scalar> solver;
  ASSERT_TRUE(solver.factor(A, symmetry));
  // ε times the condition number, which is below 1e4 for these matrices
  EXPECT_LT((solver.solve(b) - x).norm(), 1e-11 * x.norm());
  EXPECT_LT((solver.solve(b.leftCols(1)) - x.leftCols(1)).norm(), 1e-11 * x.norm());
}

TEST(PivotingSolver, SolvesSymmetricAndGeneral) {
  expect_solved<double>(Symmetry::symmetric);
  expect_solved<double>(Symmetry::general);
  expect_solved<std::complex<double>>(Symmetry::symmetric);
  expect_solved<std::complex<double>>(Symmetry::general);
}

TEST(PivotingSolver, SaysThatAMatrixIsSingular) {
  SparseMatrix A(3, 3);
  A.insert(0, 0) = 1;
  A.insert(1, 1) = 2;
  PivotingSolver<double> solver;
  EXPECT_FALSE(solver.factor(A, Symmetry::symmetric));
}

TEST(CountNegative, AgreesWithAllEigenvalues) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const int n = 25;
    const SparseMatrix A = random_sparse<double>(n, seed, true);
    SparseMatrix B = random_sparse<double>(n, seed + 100, false);
    B = (B - SparseMatrix(B.transpose())).eval();
    const VectorX real = Eigen::SelfAdjointEigenSolver<MatrixX>(MatrixX(A)).eigenvalues();
    EXPECT_EQ(count_negative(A), (real.array() < 0).count()) << seed;
    std::vector<int> reversed(n);
    for (int k = 0; k < n; ++k) reversed[static_cast<size_t>(k)] = n - 1 - k;
    EXPECT_EQ(count_negative(A, reversed), (real.array() < 0).count()) << seed;
    Eigen::MatrixXcd H = MatrixX(A).cast<std::complex<double>>();
    H += std::complex<double>(0, 1) * MatrixX(B);
    const VectorX complex = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd>(H).eigenvalues();
    EXPECT_EQ(count_negative(A, B), (complex.array() < 0).count()) << seed;
    EXPECT_EQ(count_negative(A, B, reversed), (complex.array() < 0).count()) << seed;
  }
}

}  // namespace
}  // namespace elodyn
