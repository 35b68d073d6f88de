// Branches of small pencils whose curves are known.
#include "elodyn/analysis/branches.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

using Complex = std::complex<double>;

DensePencil make_pencil(const MatrixX& K0, const MatrixX& K2) {
  DensePencil p;
  const auto n = K0.rows();
  p.M = MatrixX::Identity(n, n);
  p.C0 = p.C1 = p.K1 = MatrixX::Zero(n, n);
  p.K0 = K0;
  p.K2 = K2;
  return p;
}

Track track(const DensePencil& p, double to, int n, int count = 2, bool looks_everywhere = false) {
  const SolveAt solve = [&](double speed) { return solve_pencil(p, speed, static_cast<int>(p.size())); };
  std::vector<PencilModes> solved;
  for (int k = 0; k < n; ++k) solved.push_back(solve(to * k / (n - 1)));
  TrackOptions options;
  options.count = count;
  options.looks_everywhere = looks_everywhere;
  return track_branches(std::move(solved), solve, options);
}

// ω1² = 1 + Ω² and ω2² = 4 cross at √3.
TEST(Branches, CrossWhereNothingCouplesThem) {
  const DensePencil p = make_pencil(Eigen::Vector2d(1, 4).asDiagonal(), Eigen::Vector2d(1, 0).asDiagonal());
  for (const int n : {3, 5, 50}) {
    const Track t = track(p, 4, n);
    for (size_t k = 0; k < t.points.size(); ++k) {
      const double w = t.modes(k).speed;
      EXPECT_NEAR(t.value(k, 0).imag(), std::sqrt(1 + w * w), 1e-12) << w;
      EXPECT_NEAR(t.value(k, 1).imag(), 2, 1e-12) << w;
    }
    ASSERT_EQ(t.events.size(), 1u) << n;
    EXPECT_EQ(t.events[0].kind, BranchEvent::Kind::crossing);
    EXPECT_NEAR(t.events[0].speed, std::sqrt(3), 1e-6);
    EXPECT_EQ(t.n_doubtful, 0);
  }
}

// The same coupled by ε: values never meet, (ω1² − ω2²)² = (Ω² − 3)² + 4ε².
TEST(Branches, VeerWhereTheyAreCoupled) {
  for (const double coupling : {0.1, 1e-2, 1e-3}) {
    MatrixX K0 = MatrixX(Eigen::Vector2d(1, 4).asDiagonal());
    K0(0, 1) = K0(1, 0) = coupling;
    const DensePencil p = make_pencil(K0, Eigen::Vector2d(1, 0).asDiagonal());
    for (const int n : {4, 21}) {
      const Track t = track(p, 4, n);
      for (size_t k = 0; k < t.points.size(); ++k) {
        const double w = t.modes(k).speed, mean = 0.5 * (5 + w * w),
                     half = 0.5 * std::sqrt(std::pow(w * w - 3, 2) + 4 * coupling * coupling);
        EXPECT_NEAR(t.value(k, 0).imag(), std::sqrt(mean - half), 1e-11) << coupling << " " << w;
        EXPECT_NEAR(t.value(k, 1).imag(), std::sqrt(mean + half), 1e-11) << coupling << " " << w;
      }
      ASSERT_EQ(t.events.size(), 1u) << coupling << " " << n;
      EXPECT_EQ(t.events[0].kind, BranchEvent::Kind::veering);
      EXPECT_NEAR(t.events[0].speed, std::sqrt(3), 0.5 * coupling);
      EXPECT_NEAR(t.events[0].gap, coupling / 2, 0.1 * coupling);  // 2ε = 2ω·gap at ω = 2
    }
  }
}

// 1 − Ω² turns negative at 1: ω falls to 0, then it grows with √(Ω² − 1).
TEST(Branches, GoOnBeyondDivergence) {
  const DensePencil p = make_pencil(Eigen::Vector2d(1, 9).asDiagonal(), Eigen::Vector2d(-1, 0).asDiagonal());
  const Track t = track(p, 2, 12);
  for (size_t k = 0; k < t.points.size(); ++k) {
    const double w = t.modes(k).speed;
    const Complex wanted = w < 1 ? Complex(0, std::sqrt(1 - w * w)) : Complex(std::sqrt(w * w - 1), 0);
    EXPECT_LE(std::abs(t.value(k, 0) - wanted), 1e-9) << w;
    EXPECT_NEAR(t.value(k, 1).imag(), 3, 1e-12);
  }
}

// A particle on springs in a turning frame: ω0 + Ω and |ω0 − Ω|; the second passes through 0 at Ω = ω0.
TEST(Branches, PassThroughZero) {
  DensePencil p = make_pencil(MatrixX::Identity(2, 2), -MatrixX::Identity(2, 2));
  p.C1(0, 1) = -2;
  p.C1(1, 0) = 2;
  const Track t = track(p, 2.5, 8);
  ASSERT_EQ(t.n_branches, 2);
  const size_t last = t.points.size() - 1;
  const int falling = t.value(1, 0).imag() < 1 ? 0 : 1;
  EXPECT_NEAR(t.value(last, falling).imag(), 1.5, 1e-9);
  EXPECT_NEAR(t.value(last, 1 - falling).imag(), 3.5, 1e-9);
}

void expect_same_events(const Track& a, const Track& b) {
  ASSERT_EQ(a.events.size(), b.events.size());
  for (size_t k = 0; k < a.events.size(); ++k) {
    EXPECT_EQ(a.events[k].speed, b.events[k].speed) << k;
    EXPECT_EQ(a.events[k].first, b.events[k].first) << k;
    EXPECT_EQ(a.events[k].second, b.events[k].second) << k;
    EXPECT_EQ(a.events[k].kind, b.events[k].kind) << k;
    EXPECT_EQ(a.events[k].gap, b.events[k].gap) << k;
  }
}

// Straight lines ω²(Ω²) that meet in many places, every second one with couplings from tight to wide: what is found is
// what a look at every least gap finds.
TEST(Branches, ManyEventsAreThoseOfASearchEverywhere) {
  std::mt19937 engine(7);
  std::uniform_real_distribution<double> level(20, 60), steepness(-1, 4), exponent(-3, 0.3);
  constexpr int kSize = 12;
  int n_crossings = 0, n_veerings = 0;
  for (int round = 0; round < 6; ++round) {
    MatrixX K0 = MatrixX::Zero(kSize, kSize), K2 = K0;
    for (int i = 0; i < kSize; ++i) {
      K0(i, i) = level(engine);
      K2(i, i) = steepness(engine);
      for (int j = 0; j < i; ++j)
        if ((i - j) % 2 == 0) K0(i, j) = K0(j, i) = std::pow(10, exponent(engine));
    }
    DensePencil p = make_pencil(K0, K2);
    if (round % 2 == 1)  // Coriolis forces too
      for (int i = 0; i + 2 < kSize; i += 3) p.C1(i, i + 2) = 0.05, p.C1(i + 2, i) = -0.05;
    for (const int n : {9, 41}) {
      SCOPED_TRACE(testing::Message() << "round " << round << ", " << n << " speeds");
      const Track found = track(p, 4, n, kSize);
      expect_same_events(found, track(p, 4, n, kSize, true));
      for (const BranchEvent& event : found.events)
        ++(event.kind == BranchEvent::Kind::crossing ? n_crossings : n_veerings);
    }
  }
  EXPECT_GT(n_crossings, 10);
  EXPECT_GT(n_veerings, 50);
}

// ω² = 2 + Ω² and 6 − Ω² meet 4 at √2; only the middle one couples them. The outer two exchange their shapes by way of
// it, though nothing couples these two directly there.
TEST(Branches, OuterOnesOfThreeExchange) {
  for (const double coupling : {0.02, 0.1}) {
    MatrixX K0 = MatrixX(Eigen::Vector3d(2, 4, 6).asDiagonal());
    K0(0, 1) = K0(1, 0) = K0(1, 2) = K0(2, 1) = coupling;
    const DensePencil p = make_pencil(K0, Eigen::Vector3d(1, 0, -1).asDiagonal());
    const Track found = track(p, 2, 31, 3);
    expect_same_events(found, track(p, 2, 31, 3, true));
    const auto outer = std::find_if(found.events.begin(), found.events.end(),
                                    [](const BranchEvent& e) { return e.first == 0 && e.second == 2; });
    ASSERT_NE(outer, found.events.end()) << coupling;
    EXPECT_EQ(outer->kind, BranchEvent::Kind::veering);
    EXPECT_NEAR(outer->speed, std::sqrt(2), 0.5 * coupling);
  }
}

// A spin J in a field that turns over: ω² = c + δJz + εJx, δ = Ω² − 2, has values c + m√(δ² + ε²) and shapes that turn
// about y. Jz couples neighbours in m only, so that the outermost two, m = ±J, change over by way of all
// others: 2J − 1 of them. Within three half-widths to both sides of δ = 0 they have exchanged 0.9^{2J} of their shapes.
TEST(Branches, OuterOnesOfAChainExchange) {
  for (const int size : {4, 5, 6})
    for (const double coupling : {0.02, 0.1}) {
      const double J = 0.5 * (size - 1);
      MatrixX K0 = MatrixX::Zero(size, size), K2 = K0;
      for (int k = 0; k < size; ++k) {
        const double m = J - k;
        K0(k, k) = 20 - 2 * m;
        K2(k, k) = m;
        if (k + 1 < size) K0(k, k + 1) = K0(k + 1, k) = 0.5 * coupling * std::sqrt(J * (J + 1) - m * (m - 1));
      }
      const DensePencil p = make_pencil(K0, K2);
      for (const int n : {7, 31}) {
        SCOPED_TRACE(testing::Message() << size << " modes, coupling " << coupling << ", " << n << " speeds");
        const Track found = track(p, 2, n, size);
        expect_same_events(found, track(p, 2, n, size, true));
        const auto outer = std::find_if(found.events.begin(), found.events.end(),
                                        [&](const BranchEvent& e) { return e.first == 0 && e.second == size - 1; });
        ASSERT_NE(outer, found.events.end());
        EXPECT_EQ(outer->kind, BranchEvent::Kind::veering);
        EXPECT_NEAR(outer->speed, std::sqrt(2), 0.5 * coupling);
        EXPECT_NEAR(outer->gap, J * coupling / std::sqrt(20.0), 0.01 * J * coupling);
      }
    }
}

// Chains of random length and couplings, some neighbours far stronger than others and meeting at several speeds: what
// is found is what a look at every least gap finds.
TEST(Branches, RandomChainsLoseNothing) {
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> shift(-0.15, 0.15), exponent(-2.5, -0.5);
  int n_far = 0;  // veerings of branches that have at least two others between them
  for (int round = 0; round < 40; ++round) {
    const int size = 4 + round % 4;
    MatrixX K0 = MatrixX::Zero(size, size), K2 = K0;
    for (int k = 0; k < size; ++k) {
      const double m = 0.5 * (size - 1) - k;
      K0(k, k) = 20 - 2 * m + shift(engine);
      K2(k, k) = m;
      if (k + 1 < size) K0(k, k + 1) = K0(k + 1, k) = std::pow(10, exponent(engine));
    }
    const DensePencil p = make_pencil(K0, K2);
    SCOPED_TRACE(testing::Message() << "round " << round);
    const Track found = track(p, 2, 15, size);
    expect_same_events(found, track(p, 2, 15, size, true));
    for (const BranchEvent& event : found.events)
      n_far += event.kind == BranchEvent::Kind::veering && std::abs(event.first - event.second) > 2 ? 1 : 0;
  }
  EXPECT_GT(n_far, 3);
}

}  // namespace
}  // namespace elodyn
