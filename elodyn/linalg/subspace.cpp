#include "elodyn/linalg/subspace.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/solve.hpp"

namespace elodyn {
namespace {

MatrixX orthonormalize(const SparseMatrix& K, const MatrixX& W) {
  MatrixX gram = W.transpose() * (K * W), vectors;
  gram = (0.5 * (gram + gram.transpose())).eval();
  VectorX values;
  symmetric_eigen(gram, 0, static_cast<int>(W.cols()) - 1, values, vectors);
  const auto kept =
      std::count_if(values.begin(), values.end(), [&](double v) { return v > 1e-10 * values.maxCoeff(); });
  const MatrixX combination = vectors.rightCols(kept) * values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
  return W * combination;
}

// `solve`: Y ← A⁻¹Y, false if A is singular.
template <class Matrix, class Solve>
void polish_with(const Matrix& K, const Matrix& M, VectorX& values, MatrixX& vectors, Solve solve) {
  constexpr double kGood = 1e-13, kNear = 1e-5;
  const auto residual = [&](Eigen::Index k) {
    const VectorX x = vectors.col(k), size = x.cwiseAbs();
    const VectorX terms = std::abs(values[k]) * (M.cwiseAbs() * size) + K.cwiseAbs() * size;
    return (K * x - values[k] * (M * x)).cwiseAbs().maxCoeff() / terms.maxCoeff();
  };
  for (Eigen::Index first = 0; first < values.size();) {
    Eigen::Index last = first + 1;
    while (last < values.size() && values[last] - values[last - 1] <= kNear * std::abs(values[last])) ++last;
    const Eigen::Index width = last - first;
    bool good = true;
    for (Eigen::Index k = first; k < last; ++k) good = good && residual(k) <= kGood;
    for (int step = 0; step < 2 && !good; ++step) {
      const double shift = values.segment(first, width).mean() * (1 + 1e-11);
      MatrixX Y = M * vectors.middleCols(first, width);
      if (!solve(Matrix(K - shift * M), Y)) break;
      Y = (Y * Y.colwise().norm().cwiseInverse().asDiagonal()).eval();
      MatrixX L = Y.transpose() * (M * Y), small = Y.transpose() * (K * Y), U;
      if (!cholesky_in_place(L)) break;
      VectorX ritz;
      small = congruence(L, small);
      symmetric_eigen(small, 0, static_cast<int>(width) - 1, ritz, U);
      solve_lower_transposed(L, U);
      values.segment(first, width) = ritz;
      vectors.middleCols(first, width) = Y * U;
    }
    first = last;
  }
}

}  // namespace

MatrixX make_orthonormal_block(const SparseMatrix& K, const MatrixX& U, MatrixX W) {
  for (int pass = 0; pass < 2 && W.cols() > 0; ++pass) {
    if (U.cols() > 0) {
      const MatrixX KW = K * W;
      W -= U * (U.transpose() * KW).eval();
    }
    W = orthonormalize(K, W);
  }
  return W;
}

MatrixX make_random_block(std::mt19937& engine, Eigen::Index n, Eigen::Index width) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  MatrixX X(n, width);
  for (double& v : X.reshaped()) v = uniform(engine);
  return X;
}

void polish(const MatrixX& K, const MatrixX& M, VectorX& values, MatrixX& vectors) {
  polish_with(K, M, values, vectors, [](MatrixX A, MatrixX& Y) { return solve_in_place(A, Y); });
}
void polish(const SparseMatrix& K, const SparseMatrix& M, VectorX& values, MatrixX& vectors) {
  polish_with(K, M, values, vectors, [](const SparseMatrix& A, MatrixX& Y) {
    LuSolver solver;
    if (!solver.factor(A)) return false;
    Y = solver.solve(Y);
    return Y.allFinite();
  });
}

int count_before_last_group(const VectorX& ascending, int count) {
  int before = count - 1;
  while (before > 0 && ascending[before - 1] > ascending[before] * (1 - kGap)) --before;
  return before;
}

}  // namespace elodyn
