#include "elodyn/linalg/row_product.hpp"

#include <random>

#include <gtest/gtest.h>

#include "elodyn/base/parallel.hpp"

namespace elodyn {
namespace {

constexpr Eigen::Index kSize = 9'000;  // more than one part of the rows

struct Pencil {
  SparseMatrix K, M, C;
};
// K and M symmetric, C skew (or general, all of them), each with nonzeros of its own.
Pencil make_pencil(bool general) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> number(-1, 1);
  const auto fill = [&](int reach, double sign) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < kSize; ++i) {
      if (sign > 0) entries.emplace_back(i, i, 3 + number(engine));
      const int j = i + reach;
      if (j >= kSize) continue;
      const double value = number(engine);
      entries.emplace_back(i, j, value);
      entries.emplace_back(j, i, general ? number(engine) : sign * value);
    }
    SparseMatrix A(kSize, kSize);
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
  };
  Pencil p{fill(3, 1), fill(1, 1), fill(140, -1)};
  if (general) p.M = SparseMatrix(0.5 * (p.M + SparseMatrix(p.M.transpose())));
  return p;
}

// Sums of few products of numbers below 4.
constexpr double kClose = 64 * kEps;

TEST(RowPencil, MultipliesWithAllMatricesAtOnce) {
  for (const bool general : {false, true}) {
    const Pencil p = make_pencil(general);
    const RowPencil pencil(p.K, p.M, p.C, general ? RowPencil::Symmetry::general : RowPencil::Symmetry::conservative);
    for (const int width : {8, 24, 32}) {
      const RowBlock X = RowBlock::Random(kSize, width);
      RowBlock out(kSize, 3 * width);
      pencil.multiply(X.data(), width, 0, kSize, out.data());
      EXPECT_LE((out.leftCols(width) - p.K * X).cwiseAbs().maxCoeff(), kClose);
      EXPECT_LE((out.middleCols(width, width) - p.M * X).cwiseAbs().maxCoeff(), kClose);
      EXPECT_LE((out.rightCols(width) - p.C * X).cwiseAbs().maxCoeff(), kClose);
      pencil.multiply_sizes(X.data(), width, 0, kSize, out.data());
      EXPECT_LE((out.rightCols(width) - p.C.cwiseAbs() * X).cwiseAbs().maxCoeff(), kClose);
    }
  }
}

TEST(RowPencil, LeavesOutAZeroC) {
  const Pencil p = make_pencil(false);
  const RowPencil pencil(p.K, p.M, 0 * p.C, RowPencil::Symmetry::conservative);
  EXPECT_FALSE(pencil.has_C());
  const RowBlock X = RowBlock::Random(kSize, 8);
  RowBlock out(kSize, 16);
  pencil.multiply(X.data(), 8, 0, kSize, out.data());
  EXPECT_LE((out.rightCols(8) - p.M * X).cwiseAbs().maxCoeff(), kClose);
}

// One matrix's nonzeros for all: they are copied without being merged.
TEST(RowPencil, TakesMatricesWithTheSamePattern) {
  const Pencil p = make_pencil(false);
  const SparseMatrix A = p.K + p.M, none = 0 * (p.K + p.M);
  const SparseMatrix K = A, M = 2 * A, C = none;
  const RowPencil pencil(K, M, C, RowPencil::Symmetry::conservative);
  const RowBlock X = RowBlock::Random(kSize, 8);
  RowBlock out(kSize, 16);
  pencil.multiply(X.data(), 8, 0, kSize, out.data());
  EXPECT_LE((out.leftCols(8) - A * X).cwiseAbs().maxCoeff(), 2 * kClose);
  EXPECT_LE((out.rightCols(8) - 2 * A * X).cwiseAbs().maxCoeff(), 4 * kClose);
}

// Blocks and combinations of odd widths end with narrower registers.
TEST(RowProducts, ProjectAndCombineAnyWidth) {
  const Pencil p = make_pencil(false);
  const RowPencil pencil(p.K, p.M, p.C, RowPencil::Symmetry::conservative);
  for (const int odd : {1, 7, 13}) {
    const std::vector<RowBlock> U = {RowBlock::Random(kSize, odd), RowBlock::Random(kSize, 12)};
    RowBlock all(kSize, odd + 12);
    all << U[0], U[1];
    const RowBlock T = RowBlock::Random(kSize, 16);
    Projections projected[2];
    for (const int threads : {1, 2}) {
      set_threads(threads);
      projected[threads - 1] = project(pencil, U, T);
    }
    set_threads(0);
    EXPECT_TRUE((projected[0].with.array() == projected[1].with.array()).all());
    RowBlock Z(kSize, 48);
    Z << p.K * T, p.M * T, p.C * T;
    const double sum = kClose * 16 * std::sqrt(static_cast<double>(kSize));  // of so many products, as they scatter
    EXPECT_LE((projected[0].with - all.transpose() * Z).cwiseAbs().maxCoeff(), sum) << odd;
    EXPECT_LE((projected[0].own - T.transpose() * Z).cwiseAbs().maxCoeff(), sum) << odd;
    const RowBlock c = RowBlock::Random(odd + 12, odd);
    EXPECT_LE((combine(U, c) - all * c).cwiseAbs().maxCoeff(), kClose) << odd;
  }
}

}  // namespace
}  // namespace elodyn
