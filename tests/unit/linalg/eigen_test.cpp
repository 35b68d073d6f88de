#include "elodyn/linalg/eigen.hpp"

#include <random>

#include "tests/support/chains.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/davidson.hpp"
#include "elodyn/linalg/definite_dense.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

SparseMatrix sparse(const MatrixX& m) { return m.sparseView(); }

// Chains of unit masses and springs, `copies` of them side by side: every frequency is repeated. Clamped at one end.
QuadraticProblem chains(int copies, int length) {
  const int n = copies * length;
  QuadraticProblem p;
  p.K = test::make_chains(copies, length);
  p.M.resize(n, n);
  p.M.setIdentity();
  p.C.resize(n, n);
  return p;
}

TEST(Eigen, FindsRepeatedFrequenciesSmallAndLarge) {
  for (const int length : {10, 200}) {
    const int copies = 6, count = 12;
    const QuadraticModes modes = solve_quadratic_modes(chains(copies, length), count);
    for (int k = 0; k < count; ++k) {
      const double exact = 2 * std::sin((2 * (k / copies) + 1) * M_PI / (2 * (2 * length + 1)));
      EXPECT_NEAR(modes.values[static_cast<size_t>(k)].imag() / exact, 1, 1e-11)
          << "length " << length << ", mode " << k;
    }
  }
}

// `count` may end anywhere in a group of equal frequencies.
TEST(Eigen, RepeatedFrequenciesMayBeCutAnywhere) {
  for (const int count : {1, 2, 5, 7, 12, 13, 20}) {
    const QuadraticModes modes = solve_quadratic_modes(chains(12, 30), count);
    ASSERT_EQ(modes.values.size(), static_cast<size_t>(count));
    for (int k = 0; k < count; ++k)
      EXPECT_NEAR(modes.values[static_cast<size_t>(k)].imag() / (2 * std::sin((2 * (k / 12) + 1) * M_PI / 122)), 1,
                  1e-11)
          << count << " " << k;
  }
}

TEST(Eigen, CountsFrequenciesBelow) {
  const QuadraticProblem p = chains(3, 40);
  const QuadraticModes modes = solve_quadratic_modes(p, 30);
  for (size_t k = 0; k < 27; k += 3) {
    EXPECT_EQ(count_below(p.K, p.C, p.M, modes.values[k].imag() * (1 - 1e-6)), static_cast<int>(k));
    EXPECT_EQ(count_below(p.K, p.C, p.M, modes.values[k].imag() * (1 + 1e-6)), static_cast<int>(k) + 3);
  }
}

// q'' + G q' + K q = 0 with four unknowns: a published set.
TEST(Eigen, GyroscopicFourDegreesOfFreedom) {
  MatrixX K = 2 * MatrixX::Identity(4, 4), G = MatrixX::Zero(4, 4);
  for (int i = 0; i < 3; ++i) K(i, i + 1) = K(i + 1, i) = -1;
  K(3, 3) = 1;
  G(0, 1) = G(2, 3) = 1;
  G(1, 0) = G(3, 2) = -1;
  QuadraticProblem p;
  p.M = sparse(MatrixX::Identity(4, 4));
  p.C = sparse(G);
  p.K = sparse(K);
  p.structure = Structure::gyroscopic;
  const double want[] = {0.286647440726, 0.869543538487, 1.826011911534, 2.197136267585};
  const QuadraticModes modes = solve_quadratic_modes(p, 4);
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(modes.values[k].imag(), want[k], 1e-12);
    EXPECT_EQ(modes.values[k].real(), 0);
    EXPECT_LT(modes.residuals[k], 1e-14);
    EXPECT_EQ(count_below(p.K, p.C, p.M, want[k] - 1e-6), static_cast<int>(k));
  }
}

// The iteration and LAPACK agree on random gyroscopic systems with a repeated pair of blocks.
TEST(Eigen, SparseAndDenseAgreeOnRandomGyroscopicSystems) {
  std::mt19937 engine(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 5; ++trial) {
    const int half = 90, n = 2 * half, band = 3;
    MatrixX A = MatrixX::Zero(n, n), G = A, M = A;
    for (int block = 0; block < 2; ++block) {
      std::mt19937 same(static_cast<unsigned>(100 + trial));  // both blocks alike: every frequency twice
      for (int i = 0; i < half; ++i)
        for (int j = std::max(0, i - band); j <= i; ++j) {
          const int r = block * half + i, c = block * half + j;
          A(r, c) = A(c, r) = uniform(same) + (i == j ? 4.0 + 0.05 * i * i : 0);
          M(r, c) = M(c, r) = 0.1 * uniform(same) + (i == j ? 1.0 : 0);
          if (i != j) {
            G(r, c) = 2 * uniform(same);
            G(c, r) = -G(r, c);
          }
        }
    }
    QuadraticModes iterated;
    ASSERT_TRUE(solve_definite_sparse(sparse(A), sparse(G), sparse(M), {}, iterated));
    VectorX omega;
    Eigen::MatrixXcd vectors;
    ASSERT_TRUE(solve_definite_dense(A, G, M, 12, omega, vectors));
    for (int k = 0; k < 10; ++k)
      EXPECT_NEAR(iterated.values[static_cast<size_t>(k)].imag() / omega[k], 1, 1e-11) << trial << " " << k;
  }
}

// More equal modes than are treated at once, as of a wheel with equal blades: all found, proven, in few steps.
TEST(Eigen, ManyEqualModes) {
  constexpr int kBlades = 24, kPoints = 24;
  std::vector<Eigen::Triplet<double>> k, m, c;
  MatrixX A = MatrixX::Zero(kPoints, kPoints), G = A;
  for (int i = 0; i < kPoints; ++i) {
    A(i, i) = 2.01;
    if (i > 0) A(i, i - 1) = A(i - 1, i) = -1;
    if (i > 0) G(i, i - 1) = 0.1, G(i - 1, i) = -0.1;
  }
  for (int blade = 0; blade < kBlades; ++blade)
    for (int i = 0; i < kPoints; ++i)
      for (int j = 0; j < kPoints; ++j) {
        const int r = blade * kPoints + i, s = blade * kPoints + j;
        if (A(i, j) != 0) k.emplace_back(r, s, A(i, j));
        if (G(i, j) != 0) c.emplace_back(r, s, G(i, j));
        if (i == j) m.emplace_back(r, s, 1);
      }
  constexpr int kSize = kBlades * kPoints;
  QuadraticProblem p;
  for (auto [matrix, entries] : {std::pair(&p.K, &k), std::pair(&p.M, &m), std::pair(&p.C, &c)}) {
    matrix->resize(kSize, kSize);
    matrix->setFromTriplets(entries->begin(), entries->end());
  }
  p.structure = Structure::gyroscopic;
  p.velocity_bound = 0.2;  // |x*Cx| ≤ 2·0.1·x*x
  VectorX omega;
  Eigen::MatrixXcd vectors;
  ASSERT_TRUE(solve_definite_dense(A, G, MatrixX::Identity(kPoints, kPoints), 3, omega, vectors));
  for (const int count : {10, 30}) {
    const QuadraticModes modes = solve_quadratic_modes(p, count);
    EXPECT_TRUE(modes.is_complete) << count;
    ASSERT_EQ(modes.values.size(), static_cast<size_t>(count));
    for (int mode = 0; mode < count; ++mode)
      EXPECT_NEAR(modes.values[static_cast<size_t>(mode)].imag() / omega[mode / kBlades], 1, 1e-11) << mode;
  }
}

// Damped oscillator, overdamped oscillator, unstable one: λ by hand.
// A free chain at rest: frequencies 2 sin(kπ/2n) beside the rigid motion. The iteration counts them all.
TEST(Eigen, ModesOfALargeFreeBodyAreComplete) {
  constexpr int kLength = 900, kCount = 6;
  QuadraticProblem p = chains(1, kLength);
  p.K.coeffRef(0, 0) = p.K.coeffRef(kLength - 1, kLength - 1) = 1;
  p.free.R = VectorX::Constant(kLength, 1 / std::sqrt(static_cast<double>(kLength)));
  p.free.CR = p.free.KR = VectorX::Zero(kLength);
  const QuadraticModes modes = solve_quadratic_modes(p, kCount);
  EXPECT_TRUE(modes.is_complete);
  for (int k = 0; k < kCount; ++k)
    EXPECT_NEAR(modes.values[static_cast<size_t>(k)].imag(), 2 * std::sin(k * M_PI / (2 * kLength)), 1e-10);
}

TEST(Eigen, GeneralProblems) {
  QuadraticProblem p;
  p.M = sparse(MatrixX::Identity(3, 3));
  p.K = sparse(Vec3(4, 1, -9).asDiagonal().toDenseMatrix());
  p.C = sparse(Vec3(0.4, 5, 0).asDiagonal().toDenseMatrix());
  p.structure = Structure::general;
  const QuadraticModes modes = solve_quadratic_modes(p, 6);
  ASSERT_EQ(modes.values.size(), 5u);
  const double overdamped = std::sqrt(25.0 / 4 - 1);
  const std::complex<double> want[] = {
      {3, 0}, {-2.5 + overdamped, 0}, {-3, 0}, {-2.5 - overdamped, 0}, {-0.2, std::sqrt(4 - 0.04)}};
  for (size_t k = 0; k < 5; ++k) EXPECT_LT(std::abs(modes.values[k] - want[k]), 1e-12) << k << ": " << modes.values[k];
}

TEST(Eigen, RepeatedDampedModesHaveVectorsOfTheirOwn) {
  QuadraticProblem p = chains(2, 5);
  p.C = 0.1 * p.K;
  p.structure = Structure::general;
  const QuadraticModes modes = solve_quadratic_modes(p, 4);
  for (Eigen::Index k = 0; k < 4; k += 2) {
    EXPECT_LT(std::abs(modes.values[static_cast<size_t>(k)] - modes.values[static_cast<size_t>(k) + 1]), 1e-12);
    const Eigen::VectorXcd a = modes.vectors.col(k).normalized(), b = modes.vectors.col(k + 1).normalized();
    EXPECT_LT(std::abs(a.dot(b)), 0.999) << "mode " << k;
  }
}

TEST(Eigen, DivergenceOfASymmetricSystemIsARealPair) {
  QuadraticProblem p;
  p.M = sparse(MatrixX::Identity(2, 2));
  p.C.resize(2, 2);
  p.K = sparse(Eigen::Vector2d(-4, 9).asDiagonal().toDenseMatrix());
  const QuadraticModes modes = solve_quadratic_modes(p, 2);
  ASSERT_EQ(modes.values.size(), 3u);
  EXPECT_NEAR(modes.values[0].real(), 2, 1e-12);
  EXPECT_NEAR(modes.values[1].real(), -2, 1e-12);
  EXPECT_NEAR(modes.values[2].imag(), 3, 1e-12);
}

// Gyroscopic stabilisation: K negative, spin large enough: frequencies, no growth; too slow: a complex quadruple.
TEST(Eigen, GyroscopicWithNegativeStiffness) {
  QuadraticProblem p;
  p.M = sparse(MatrixX::Identity(2, 2));
  p.K = sparse(-MatrixX::Identity(2, 2));
  p.structure = Structure::gyroscopic;
  MatrixX G(2, 2);
  G << 0, 3, -3, 0;
  p.C = sparse(G);
  const QuadraticModes stable = solve_quadratic_modes(p, 2);
  ASSERT_EQ(stable.values.size(), 2u);
  for (const auto& value : stable.values) EXPECT_EQ(value.real(), 0) << value;
  EXPECT_NEAR(stable.values[0].imag(), (3 - std::sqrt(5.0)) / 2, 1e-12);
  EXPECT_NEAR(stable.values[1].imag(), (3 + std::sqrt(5.0)) / 2, 1e-12);
  p.C = sparse(MatrixX(G / 3));  // λ² + 1·iλ… : λ = ±½i ± √3/2
  const QuadraticModes flutter = solve_quadratic_modes(p, 2);
  ASSERT_EQ(flutter.values.size(), 2u);
  EXPECT_NEAR(flutter.values[0].imag(), 0.5, 1e-12);
  EXPECT_NEAR(std::abs(flutter.values[0].real()), std::sqrt(3.0) / 2, 1e-12);
}

// λ² + λ + μ = 0 with the μ of a chain, whose frequencies are known.
TEST(Eigen, DampedModesOfManyUnknownsAreThoseNearestToZero) {
  const int n = kLargestGeneral + 200;
  QuadraticProblem p = chains(2, n / 2);
  p.structure = Structure::symmetric;
  const QuadraticModes still = solve_quadratic_modes(p, 8);
  p.C = 1e-3 * p.M;
  p.structure = Structure::general;
  const QuadraticModes damped = solve_quadratic_modes(p, 8);
  ASSERT_EQ(damped.values.size(), 8u);
  for (size_t k = 0; k < 8; ++k) {
    const double mu = std::norm(still.values[k]);
    const std::complex<double> want = {-5e-4, std::sqrt(mu - 0.25e-6)};
    EXPECT_LT(std::abs(damped.values[k] - want), 1e-9 * std::abs(want)) << k << ": " << damped.values[k];
    EXPECT_LT(damped.residuals[k], 1e-12);
  }
  EXPECT_FALSE(damped.may_miss_growing);  // damping cannot make it grow
}

// A mode that grows comes besides the lowest ones, not in place of them.
TEST(Eigen, GrowingModesDoNotDisplaceLowerOnes) {
  QuadraticProblem p;
  const auto diagonal = [](const VectorX& d) { return SparseMatrix(MatrixX(d.asDiagonal()).sparseView()); };
  p.M = diagonal(VectorX::Ones(4));
  p.K = diagonal(Eigen::Vector4d(1, 4, 9, 400));
  p.C = diagonal(Eigen::Vector4d(0.01, 0.01, 0.01, -0.5));
  p.structure = Structure::general;
  const QuadraticModes modes = solve_quadratic_modes(p, 2);
  ASSERT_EQ(modes.values.size(), 3u);
  EXPECT_NEAR(modes.values[0].imag(), std::sqrt(1 - 0.005 * 0.005), 1e-12);
  EXPECT_NEAR(modes.values[1].imag(), std::sqrt(4 - 0.005 * 0.005), 1e-12);
  EXPECT_NEAR(modes.values[2].real(), 0.25, 1e-12);
}

}  // namespace
}  // namespace elodyn
