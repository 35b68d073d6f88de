// Whittaker's reduction on real bodies. The reference is the equation M q̈ + 2C q̇ + K q = f itself, integrated over
// time; the energy is computed from q(t) by differences, not from the integral that the method uses. At the end
// Hamilton and Jacobi's equation of the same bodies: S = ½ q·Pq + σ·q + c solves S_t + H(q, S_q) = 0 if
//   Ṗ + (P − C)ᵀM⁻¹(P − C) + K = 0,   σ̇ + (P − C)ᵀM⁻¹σ − f = 0,   ċ + ½ σ·M⁻¹σ = 0,                        (1)
// and then p = Pq + σ along the motion, with p = M q̇ + C q.
#include "elodyn/system/whittaker.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "tests/support/models.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/ode.hpp"
#include "elodyn/linalg/eigen.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;

// A short rod of one element: u, v, v′ of its end.
Model make_one_element(double speed) {
  return test::make_rod({.elements = 1, .length = 0.5, .diameter = 0.08, .speed = speed, .through = {-0.1, 0, 0}});
}

// Three unknowns, spinning: Coriolis forces couple u with v and v′, the centrifugal load stretches it.
Model make_spinning() { return make_one_element(900); }
// Two, since a roller holds v of the end.
Model make_held() {
  Model m = make_one_element(900);
  m.bodies[0].supports.push_back(test::make_support(Support::Kind::roller, "to", Vec3::UnitY()));
  return m;
}
// Three at rest, under gravity and a force.
Model make_resting() {
  Model m = make_one_element(0);
  m.gravity = {0, -9.81, 0};
  m.bodies[0].loads = {test::make_point_load("to", {1e4, -500, 0})};
  return m;
}

// A body and the start of its motion: about its steady state, the same energy in every mode of K and M, and phases that
// differ, so that the coordinates do not turn at once.
struct Case {
  std::string name;
  Model model;
  BodySystem system;
  ConservativeSystem s;
  VectorX steady, z, rate;
  Case(std::string label, const Model& m) : name(std::move(label)), model(m) {
    system = make_body_system(model, model.bodies[0]);
    s = make_conservative_system(system, 0);
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> modes(s.K, s.M);
    steady = z = s.K.llt().solve(s.f);
    rate = VectorX::Zero(z.size());
    for (Eigen::Index i = 0; i < z.size(); ++i) {
      const double phase = 0.4 + 1.3 * static_cast<double>(i), size = 0.1;  // √J
      z += size * std::cos(phase) / std::sqrt(modes.eigenvalues()[i]) * modes.eigenvectors().col(i);
      rate += size * std::sin(phase) * modes.eigenvectors().col(i);
    }
  }
};

double slowest(const ConservativeSystem& s) {
  QuadraticProblem p;
  p.M = s.M.sparseView();
  p.C = (2 * s.C).sparseView();
  p.K = s.K.sparseView();
  p.structure = Structure::gyroscopic;
  double omega = 1e300;
  for (const auto& value : solve_quadratic_modes(p, static_cast<int>(s.f.size())).values)
    omega = std::min(omega, std::abs(value.imag()));
  return omega;
}
double fastest(const ConservativeSystem& s) {
  return std::sqrt((s.M.inverse() * s.K).eigenvalues().cwiseAbs().maxCoeff()) + (s.M.inverse() * s.C).norm();
}

// (z; ż) over time, from the body's own equation. Sizes of z here are 1e-6 and more, of ż 1e-2.
OdeResult integrate_over_time(const BodySystem& system, const VectorX& z, const VectorX& rate,
                              const std::vector<double>& times) {
  const FactorValues at_start = system.calc_factors(0);  // they never change
  const MatrixX C = system.reduced.calc_velocity(at_start), K = system.reduced.calc_stiffness(at_start);
  const VectorX f = system.reduced.calc_load(at_start);
  const Eigen::LLT<MatrixX> M(MatrixX(system.reduced.calc_mass()));
  const Eigen::Index n = z.size();
  VectorX y(2 * n);
  y << z, rate;
  OdeOptions options;
  options.relative = 1e-12;
  options.absolute = 1e-18;
  return integrate(
      [&](double, const VectorX& at, VectorX& out) { out << at.tail(n), M.solve(f - C * at.tail(n) - K * at.head(n)); },
      y, times, options);
}

class WhittakerOf : public testing::TestWithParam<int> {
 protected:
  Case c = GetParam() == 0   ? Case("spinning, 3 unknowns", make_spinning())
           : GetParam() == 1 ? Case("spinning, 2 unknowns", make_held())
                             : Case("at rest, 3 unknowns", make_resting());
  const BodySystem& system = c.system;
  const ConservativeSystem& s = c.s;
  double period = 2 * pi / slowest(s);
};

TEST_P(WhittakerOf, AgreesWithIntegrationOverTime) {
  ASSERT_EQ(system.reduced.size(), c.z.size()) << c.name;
  std::vector<double> times;
  for (int k = 0; k <= 100; ++k) times.push_back(5 * period * k / 100);
  const SystemFormalism& whittaker = *system_formalisms().find("whittaker");
  ASSERT_EQ(whittaker.reason_against(system), "") << c.name;
  const Trajectory found = whittaker.simulate(system, c.z, c.rate, times);
  ASSERT_EQ(found.stopped, "") << c.name;
  const OdeResult exact = integrate_over_time(system, c.z, c.rate, times);
  ASSERT_EQ(found.z.cols(), 101);
  for (Eigen::Index i = 0; i < c.z.size(); ++i) {
    const double size = (exact.y.row(i).array() - c.steady[i]).abs().maxCoeff();
    EXPECT_LE((found.z.row(i) - exact.y.row(i)).cwiseAbs().maxCoeff(), 1e-8 * size) << c.name << ", coordinate " << i;
  }
  // Every coordinate turns back several times on the way, so no single τ could have done it.
  const Trajectory motion = integrate_whittaker(s, c.z, c.rate, times);
  for (Eigen::Index i = 0; i < c.z.size(); ++i) {
    int turns = 0;
    for (Eigen::Index k = 1; k < exact.y.cols(); ++k)
      if (exact.y(c.z.size() + i, k) * exact.y(c.z.size() + i, k - 1) < 0) ++turns;
    EXPECT_GE(turns, 8) << c.name << ", coordinate " << i;
  }
  EXPECT_GE(motion.legs, 40) << c.name;
}

// Velocities by central differences of order 8 in samples δ apart. For ωδ = 0.06 at the fastest ω their error is
// (ωδ)⁸/630 = 3e-13 of the velocity, and that of the samples, about 1e-11 of the motion, enters by 1/(ωδ): 1e-9 bounds
// both.
TEST_P(WhittakerOf, KeepsTheEnergyOfDifferences) {
  constexpr double kWeights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  const double delta = 0.06 / fastest(s);
  std::vector<double> times = {0};
  constexpr int kPlaces = 40;
  for (int k = 1; k <= kPlaces; ++k)
    for (int j = -4; j <= 4; ++j) times.push_back(3 * period * k / kPlaces + j * delta);
  const Trajectory motion = integrate_whittaker(s, c.z, c.rate, times);
  ASSERT_EQ(motion.stopped, "") << c.name;
  std::vector<double> energies = {s.calc_energy(c.z, c.rate)};
  double largest = 0;  // kinetic energy
  for (int k = 0; k < kPlaces; ++k) {
    const int centre = 1 + 9 * k + 4;
    VectorX rate = VectorX::Zero(c.z.size());
    for (int j = 1; j <= 4; ++j)
      rate += kWeights[j - 1] / delta * (motion.z.col(centre + j) - motion.z.col(centre - j));
    energies.push_back(s.calc_energy(motion.z.col(centre), rate));
    largest = std::max(largest, 0.5 * rate.dot(s.M * rate));
  }
  const auto [low, high] = std::minmax_element(energies.begin(), energies.end());
  EXPECT_LE(*high - *low, 1e-9 * largest) << c.name;
}

INSTANTIATE_TEST_SUITE_P(Bodies, WhittakerOf, testing::Values(0, 1, 2));

// The first mode alone, at rest: it comes to a stop at a quarter of its period.
TEST(WhittakerVerification, AModeAloneStopsAtAQuarterOfItsPeriod) {
  const Model m = make_one_element(0);
  const BodySystem system = make_body_system(m, m.bodies[0]);
  const SymmetricModes modes = solve_symmetric_modes(system.reduced.calc_elastic(), system.reduced.calc_mass(), 1, {});
  const double quarter = 0.5 * pi / std::sqrt(modes.squares[0]);
  const SystemFormalism& whittaker = *system_formalisms().find("whittaker");
  const Trajectory found = whittaker.simulate(system, VectorX::Zero(3), 1e-3 * modes.vectors.col(0),
                                              {0, 0.5 * quarter, 0.999 * quarter, 1.001 * quarter});
  // cos(ωt) = 1e-3, the share of its speed at which it is left, is reached at 0.99936 of the quarter.
  EXPECT_EQ(found.times.size(), 3u) << found.stopped;
  EXPECT_NE(found.stopped.find("all coordinates turn at once"), std::string::npos);
}

// (1) beside the motion, over five periods. P has poles at conjugate points; before it grows it starts again from zero,
// with σ = p.
TEST(HamiltonJacobi, RiccatiGivesTheMomenta) {
  const Case c("spinning", make_spinning());
  const ConservativeSystem& physical = c.s;
  constexpr Eigen::Index n = 3;
  // Without dimension: M = LLᵀ → 1, times by the fastest ω, lengths by the largest of the start.
  const MatrixX L = physical.M.llt().matrixL(), inverse = L.inverse();
  const double omega = fastest(physical), length = (L.transpose() * c.rate).norm() / omega;
  const ConservativeSystem s{MatrixX::Identity(n, n), inverse * physical.C * inverse.transpose() / omega,
                             inverse * physical.K * inverse.transpose() / (omega * omega),
                             inverse * physical.f / (omega * omega * length)};
  const VectorX q0 = L.transpose() * c.z / length, rate0 = L.transpose() * c.rate / (omega * length);

  // y = (q, q̇, P, σ)
  const auto P_of = [](const VectorX& y) { return Eigen::Map<const Eigen::Matrix3d>(y.data() + 2 * n); };
  const auto p_of = [&](const VectorX& y) -> VectorX { return y.segment(n, n) + s.C * y.head(n); };
  const OdeRate rate = [&](double, const VectorX& y, VectorX& out) {
    const MatrixX P = P_of(y), X = (P - s.C).transpose(), P_rate = -X * X.transpose() - s.K;
    out.head(n) = y.segment(n, n);
    out.segment(n, n) = s.f - s.K * y.head(n) - 2 * (s.C * y.segment(n, n));
    out.segment(2 * n, n * n) = P_rate.reshaped();
    out.tail(n) = s.f - X * y.tail(n);
  };
  VectorX y = VectorX::Zero(2 * n + n * n + n);
  y << q0, rate0, VectorX::Zero(n * n), rate0 + s.C * q0;
  OdeOptions options;
  options.relative = options.absolute = 1e-13;
  const double end = 10 * pi / (slowest(physical) / omega);
  double t = 0, largest = 0, error = 0;
  int restarts = 0;
  while (t < end) {
    const OdeResult piece = integrate(rate, y, {t, end}, options, [&](double, VectorX& at) {
      const VectorX p = p_of(at);
      largest = std::max(largest, p.norm());
      error = std::max(error, (P_of(at) * at.head(n) + at.tail(n) - p).norm());
      return P_of(at).norm() < 10;  // its size is that of the fastest ω, 1, but for the poles
    });
    t = piece.t_end;
    y = piece.y_end;
    EXPECT_LE((P_of(y) - P_of(y).transpose()).norm(), 1e-11);
    // S_t + H(q, S_q) = 0 for every q, not only on the motion.
    VectorX at(y.size());
    rate(t, y, at);
    const VectorX q = Eigen::Vector3d(0.3, -0.8, 0.5), sigma = y.tail(n), v = P_of(y) * q + sigma - s.C * q;
    const double T = 0.5 * v.squaredNorm(), V = s.calc_potential(q);
    const double S_t = 0.5 * q.dot(P_of(at) * q) + at.tail(n).dot(q) - 0.5 * sigma.squaredNorm();
    EXPECT_LE(std::abs(S_t + T + V), 1e-11 * (std::abs(S_t) + T + std::abs(V) + s.f.norm()));
    y.segment(2 * n, n * n).setZero();
    y.tail(n) = p_of(y);
    ++restarts;
  }
  EXPECT_LE(error, 1e-10 * largest);
  EXPECT_GE(restarts, 5);
}

}  // namespace
}  // namespace elodyn
