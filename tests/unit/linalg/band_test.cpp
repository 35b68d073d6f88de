#include "elodyn/linalg/band.hpp"

#include <random>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

using Complex = std::complex<double>;

// A chain of blocks with numbers between −1 and 1, its rows shuffled; symmetric or not.
SparseMatrix make_chain(int n, int width, bool symmetric, std::vector<int>& shuffle) {
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> number(-1, 1);
  shuffle.resize(static_cast<size_t>(n));
  for (int i = 0; i < n; ++i) shuffle[static_cast<size_t>(i)] = i;
  std::shuffle(shuffle.begin(), shuffle.end(), engine);
  std::vector<Eigen::Triplet<double>> entries;
  for (int i = 0; i < n; ++i)
    for (int j = std::max(0, i - width); j <= i; ++j) {
      const int a = shuffle[static_cast<size_t>(i)], b = shuffle[static_cast<size_t>(j)];
      const double value = number(engine);
      entries.emplace_back(a, b, value);
      if (a != b) entries.emplace_back(b, a, symmetric ? value : number(engine));
    }
  SparseMatrix A(n, n);
  A.setFromTriplets(entries.begin(), entries.end());
  return A;
}

MatrixX in_order(const SparseMatrix& A, const std::vector<int>& order) {
  MatrixX out(A.rows(), A.cols());
  for (int i = 0; i < A.rows(); ++i)
    for (int j = 0; j < A.cols(); ++j)
      out(i, j) = A.coeff(order[static_cast<size_t>(i)], order[static_cast<size_t>(j)]);
  return out;
}

TEST(Band, FindsTheChainAgain) {
  std::vector<int> shuffle;
  const SparseMatrix A = make_chain(60, 4, false, shuffle);
  EXPECT_GT(find_bandwidth(A, shuffle), 3);
  const std::vector<int> order = find_band_order(A);
  EXPECT_LE(find_bandwidth(A, order), 8);  // levels of a breadth-first walk hold at most 4 rows
  const BandPlan plan{60, find_bandwidth(A, order)};
  const VectorX values = to_band(A, order, plan);
  const MatrixX full = in_order(A, order);
  Eigen::VectorXcd x = Eigen::VectorXcd::Random(60), y;
  multiply<Complex>(plan, values, x, y);
  EXPECT_LT((y - full * x).norm(), 1e-14 * y.norm());
  multiply_transposed<Complex>(plan, values, x, y);
  EXPECT_LT((y - full.transpose() * x).norm(), 1e-14 * y.norm());
}

// Partial pivoting keeps residuals at round-off of a matrix without any order in its numbers.
TEST(Band, LuSolvesBothWays) {
  std::vector<int> shuffle;
  const SparseMatrix A = make_chain(70, 5, false, shuffle);
  const std::vector<int> order = find_band_order(A);
  const BandPlan plan{70, find_bandwidth(A, order)};
  const VectorX values = to_band(A, order, plan);
  const Eigen::MatrixXcd full = in_order(A, order).cast<Complex>() + Complex(0, 0.3) * MatrixX::Identity(70, 70);
  BandLu<Complex> solver;
  solver.factor(plan, [&](Eigen::Index k) {
    const auto j = k / (2 * plan.b + 1), i = k % (2 * plan.b + 1) - plan.b + j;
    return Complex(values[k], i == j ? 0.3 : 0);
  });
  const Eigen::VectorXcd b = Eigen::VectorXcd::Random(70);
  Eigen::VectorXcd x = b, z = b;
  solver.solve_in_place(x);
  solver.solve_transposed_in_place(z);
  EXPECT_LT((full * x - b).norm(), 1e-12 * full.norm() * x.norm());
  EXPECT_LT((full.transpose() * z - b).norm(), 1e-12 * full.norm() * z.norm());
}

// D has the signs of the eigenvalues (Sylvester), of real symmetric and of Hermitian matrices.
TEST(Band, LdltCountsNegativeEigenvalues) {
  std::vector<int> shuffle;
  const SparseMatrix A = make_chain(40, 3, true, shuffle), B = make_chain(40, 3, false, shuffle);
  const std::vector<int> order = find_band_order(A);
  const BandPlan plan{40, find_bandwidth(A, order)};
  const VectorX values = to_band(A, order, plan);
  const SparseMatrix skew = B - SparseMatrix(B.transpose());
  const VectorX turn = to_band(skew, order, plan);
  const Eigen::MatrixXcd full = in_order(A, order).cast<Complex>() + Complex(0, 0.5) * in_order(skew, order);
  const VectorX eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXcd>(full).eigenvalues();
  for (const double shift : {-6.0, -1.7, 0.0, 1.1, 8.0}) {
    BandLdlt<Complex> solver;
    ASSERT_TRUE(solver.factor(plan, [&](Eigen::Index k) {
      const auto j = k / (2 * plan.b + 1), i = k % (2 * plan.b + 1) - plan.b + j;
      return Complex(values[k] - (i == j ? shift : 0), 0.5 * turn[k]);
    }));
    EXPECT_EQ(solver.n_negative(), (eigenvalues.array() < shift).count()) << shift;
    const Eigen::VectorXcd b = Eigen::VectorXcd::Random(40);
    Eigen::VectorXcd x = b;
    solver.solve_in_place(x);
    EXPECT_LT((full * x - shift * x - b).norm(), 1e-9 * x.norm() * full.norm()) << shift;
  }
}

}  // namespace
}  // namespace elodyn
