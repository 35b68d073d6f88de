#include "elodyn/linalg/speed_pencil.hpp"

#include <cmath>
#include <random>

#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/reduced_pencil.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

DensePencil make_pencil(Eigen::Index n) {
  DensePencil p;
  p.M = MatrixX::Identity(n, n);
  p.C0 = p.C1 = p.K0 = p.K1 = p.K2 = MatrixX::Zero(n, n);
  return p;
}

// Four unknowns, q'' + G q' + K q = 0 at speed 1.
DensePencil four_dofs() {
  DensePencil p = make_pencil(4);
  p.C1(0, 1) = p.C1(2, 3) = 1;
  p.C1(1, 0) = p.C1(3, 2) = -1;
  p.K0.diagonal().setConstant(2);
  p.K0(3, 3) = 1;
  p.K0.diagonal(1).setConstant(-1);
  p.K0.diagonal(-1).setConstant(-1);
  p.K2 = -0.01 * MatrixX::Identity(4, 4);
  p.K2(0, 0) = 0.02;
  return p;
}

TEST(SpeedPencil, PublishedFrequencies) {
  DensePencil p = four_dofs();
  p.K2.setZero();
  const PencilModes modes = solve_pencil(p, 1, 4);
  const std::vector<double> printed = {0.286647440726, 0.869543538487, 1.826011911534, 2.197136267585};
  ASSERT_EQ(modes.size(), 4);
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(modes.values[k].imag(), printed[k], test::half_unit(printed[k], 12));
    EXPECT_EQ(modes.values[k].real(), 0);
  }
}

// A central difference of step h has the error h²λ'''/6 and the round-off ε/h.
void expect_slopes(const DensePencil& p, double speed) {
  constexpr double h = 1e-5;
  const PencilModes modes = solve_pencil(p, speed, 4), before = solve_pencil(p, speed - h, 4),
                    after = solve_pencil(p, speed + h, 4);
  for (size_t k = 0; k < modes.values.size(); ++k) {
    const Complex slope = (after.values[k] - before.values[k]) / (2 * h);
    EXPECT_LE(std::abs(modes.slopes[k] - slope), 1e-8) << k;
  }
}

TEST(SpeedPencil, SlopesAreDerivatives) {
  DensePencil p = four_dofs();
  expect_slopes(p, 1);
  p.is_conservative = false;
  p.C0 = 0.1 * MatrixX::Identity(4, 4);
  p.C0(0, 0) = 0.3;
  p.K1(0, 1) = 0.02;
  p.K1(1, 0) = -0.02;
  expect_slopes(p, 1);
}

TEST(SpeedPencil, ModesAtOneSpeedAreApart) {
  DensePencil p = four_dofs();
  for (const bool damped : {false, true}) {
    p.is_conservative = !damped;
    if (damped) p.C0.diagonal() << 0.1, 0.3, 0.02, 0.2;
    const PencilModes modes = solve_pencil(p, 0.8, 4);
    const MatrixX c = correlate(modes, modes);
    EXPECT_LE((c - MatrixX::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-10);
  }
}

// Two equal springs: at rest both values are one, Coriolis forces part them with the slopes ±i/2 · 2.
TEST(SpeedPencil, EqualValuesHaveTheSlopesOfTheCurvesThatMeet) {
  DensePencil p = make_pencil(2);
  p.K0 = MatrixX::Identity(2, 2);
  p.C1(0, 1) = 2;
  p.C1(1, 0) = -2;
  const PencilModes rest = solve_pencil(p, 0, 2), on = solve_pencil(p, 0.01, 2);
  EXPECT_EQ(rest.group[0], rest.group[1]);
  std::vector<double> slopes = {rest.slopes[0].imag(), rest.slopes[1].imag()};
  std::sort(slopes.begin(), slopes.end());
  EXPECT_NEAR(slopes[0], -1, 1e-12);
  EXPECT_NEAR(slopes[1], 1, 1e-12);
  const MatrixX c = correlate(rest, on);  // whirls, not mixtures of them
  for (int i = 0; i < 2; ++i) EXPECT_GE(c.row(i).maxCoeff(), 0.999);
}

// (k² − 1) Ω² x = ω0² x of an unknown with centrifugal softening and no pull.
TEST(SpeedPencil, CriticalSpeedsOfOneMass) {
  DensePencil p = make_pencil(1);
  p.K0(0, 0) = 9;
  p.K2(0, 0) = -1;
  const auto second = solve_critical_speeds(p, 2), zeroth = solve_critical_speeds(p, 0);
  ASSERT_TRUE(second && second->size() == 1 && zeroth && zeroth->size() == 1);
  EXPECT_NEAR(second->front(), 3 / std::sqrt(5), 1e-14);  // 9 − Ω² = 4Ω²
  EXPECT_NEAR(zeroth->front(), 3, 1e-14);
}

TEST(SpeedPencil, CriticalSpeedsAreValues) {
  const DensePencil p = four_dofs();
  for (const double order : {0.5, 1.0, 3.0}) {
    const auto speeds = solve_critical_speeds(p, order);
    ASSERT_TRUE(speeds.has_value());
    EXPECT_FALSE(speeds->empty());
    for (const double speed : *speeds) {
      double nearest = 1e300;
      for (const Complex& value : solve_pencil(p, speed, 4).values)
        nearest = std::min(nearest, std::abs(value - Complex(0, order * speed)));
      EXPECT_LE(nearest, 1e-10 * (1 + speed)) << order;
    }
  }
  DensePencil damped = p;
  damped.is_conservative = false;
  EXPECT_FALSE(solve_critical_speeds(damped, 1).has_value());
}

// A chain of masses on a turning table: unknowns along and across, coupled by Coriolis forces.
SpeedPencil make_chain(int n_masses, bool damped) {
  const int n = 2 * n_masses;
  std::vector<Eigen::Triplet<double>> M, C1, K0, K2, C0;
  std::mt19937 engine(3);
  std::uniform_real_distribution<double> any(0.5, 1.5);
  for (int i = 0; i < n_masses; ++i)
    for (int d = 0; d < 2; ++d) {
      const double k = (d == 0 ? 1 : 2.3) * n_masses * n_masses * any(engine);
      const int at = 2 * i + d;
      M.emplace_back(at, at, 1.0);
      K0.emplace_back(at, at, k);
      if (i > 0) {
        K0.emplace_back(at - 2, at - 2, k);
        K0.emplace_back(at, at - 2, -k);
        K0.emplace_back(at - 2, at, -k);
      }
      C1.emplace_back(at, 2 * i + 1 - d, d == 0 ? -2.0 : 2.0);
      K2.emplace_back(at, at, d == 0 ? -1.0 : 0.3 + 0.1 * std::sin(i));
      if (damped) C0.emplace_back(at, at, 0.05 * any(engine));
    }
  const auto matrix = [n](const std::vector<Eigen::Triplet<double>>& entries) {
    SparseMatrix A(n, n);
    A.setFromTriplets(entries.begin(), entries.end());
    return A;
  };
  SpeedPencil p;
  p.M = matrix(M);
  p.C0 = matrix(C0);
  p.C1 = matrix(C1);
  p.K0 = matrix(K0);
  p.K1 = matrix({});
  p.K2 = matrix(K2);
  p.is_conservative = !damped;
  return p;
}

// At seeded random speeds between those of the basis, against the whole problem; the bound is a bound.
TEST(ReducedPencil, IsTheWholeProblemToItsTolerance) {
  use_one_blas_thread();  // many small problems on all cores
  for (const bool damped : {false, true}) {
    const SpeedPencil p = make_chain(50, damped);
    std::vector<double> speeds;
    for (int k = 0; k <= 20; ++k) speeds.push_back(0.05 * k);
    const ReducedPencil reduced(p, speeds, {.count = 6});
    ASSERT_TRUE(reduced.is_reduced());
    EXPECT_LE(reduced.dense().size(), 60);
    std::mt19937 engine(11);
    std::uniform_real_distribution<double> any(speeds.front(), speeds.back());
    for (int k = 0; k < 4; ++k) {
      const double speed = any(engine);
      QuadraticProblem q;
      q.M = p.M;
      q.C = p.calc_C(speed);
      q.K = p.calc_K(speed);
      q.structure = damped ? Structure::general : Structure::gyroscopic;
      const QuadraticModes whole = solve_quadratic_modes(q, 6);
      const PencilModes modes = solve_pencil(reduced.dense(), speed, 8);
      const VectorX bound = reduced.estimate_errors(modes);
      for (size_t i = 0; i < 6; ++i) {
        const double error = std::abs(modes.values[i] - whole.values[i]) / std::abs(whole.values[i]);
        EXPECT_LE(error, 1e-8) << "damped " << damped << ", speed " << speed << ", mode " << i;
        // Round-off of both solvers is not in the bound.
        if (!damped) {
          EXPECT_LE(error, 10 * bound[static_cast<Eigen::Index>(i)] + 1e-12) << i;
        }
      }
    }
  }
}

TEST(ReducedPencil, TakesAFewUnknownsAsTheyAre) {
  const SpeedPencil p = make_chain(5, false);
  const ReducedPencil reduced(p, {0, 1}, {.count = 3});
  EXPECT_FALSE(reduced.is_reduced());
  EXPECT_EQ(reduced.dense().size(), 10);
}

}  // namespace
}  // namespace elodyn
