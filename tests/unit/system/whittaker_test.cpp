#include "elodyn/system/whittaker.hpp"

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <random>

#include "tests/support/models.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

using std::numbers::pi;
using Jet = Dual<Dual<double>>;

struct Random {
  std::mt19937 engine{7};
  std::uniform_real_distribution<double> uniform{-1, 1};
  VectorX vector(Eigen::Index n) {
    return VectorX::NullaryExpr(n, [&] { return uniform(engine); });
  }
  MatrixX matrix(Eigen::Index n) {
    return MatrixX::NullaryExpr(n, n, [&] { return uniform(engine); });
  }
};

ConservativeSystem make_random_system(Random& random, int n) {
  const MatrixX A = random.matrix(n), B = random.matrix(n), C = random.matrix(n);
  return {A * A.transpose() + MatrixX::Identity(n, n), C - C.transpose(), B + B.transpose(), random.vector(n)};
}

// q, q′, q″ anywhere, and an h that allows them.
struct State {
  VectorX q, slopes, curvatures;
  double h = 0;
};
State make_random_state(Random& random, const ConservativeSystem& s) {
  const Eigen::Index n = s.f.size();
  State x{random.vector(n), random.vector(n - 1), random.vector(n - 1)};
  x.h = s.calc_potential(x.q) + 0.3;
  return x;
}

VectorX with_first(double first, const VectorX& others) {
  VectorX all(others.size() + 1);
  all << first, others;
  return all;
}

// L* straight from its definition, entry by entry; z = (q, q′), g the constant part of the momenta.
Jet calc_plainly(const ConservativeSystem& s, double h, const VectorX& g, const std::vector<Jet>& z) {
  const auto n = static_cast<size_t>(s.f.size());
  std::vector<Jet> d = {Jet(1.0)};
  d.insert(d.end(), z.begin() + s.f.size(), z.end());
  Jet V = 0.0, a = 0.0, b = 0.0;
  for (size_t i = 0; i < n; ++i) {
    const auto r = static_cast<Eigen::Index>(i);
    V += Jet(-s.f[r]) * z[i];
    b += Jet(g[r]) * d[i];
    for (size_t j = 0; j < n; ++j) {
      const auto c = static_cast<Eigen::Index>(j);
      V += Jet(0.5 * s.K(r, c)) * z[i] * z[j];
      a += Jet(s.M(r, c)) * d[i] * d[j];
      b += Jet(s.C(r, c)) * d[i] * z[j];
    }
  }
  return sqrt(Jet(2.0) * (Jet(h) - V) * a) + b;
}

// d/dτ ∂L*/∂qᵢ′ − ∂L*/∂qᵢ with every partial derivative of the plain L*.
VectorX calc_plain_residual(const ConservativeSystem& s, const State& x, const VectorX& g) {
  const auto n = static_cast<size_t>(s.f.size());
  std::vector<double> at(x.q.begin(), x.q.end());
  at.insert(at.end(), x.slopes.begin(), x.slopes.end());
  std::vector<double> rate = {1};  // of all of z along the path
  rate.insert(rate.end(), x.slopes.begin(), x.slopes.end());
  rate.insert(rate.end(), x.curvatures.begin(), x.curvatures.end());
  const auto partial = [&](size_t i, size_t j) {
    std::vector<Jet> z(at.begin(), at.end());
    z[i].a.b += 1;
    z[j].b.a += 1;
    return calc_plainly(s, x.h, g, z);
  };
  VectorX out(static_cast<Eigen::Index>(n) - 1);
  for (size_t i = 1; i < n; ++i) {
    double sum = -partial(i, i).a.b;
    for (size_t j = 0; j < rate.size(); ++j) sum += partial(n + i - 1, j).b.b * rate[j];
    out[static_cast<Eigen::Index>(i) - 1] = sum;
  }
  return out;
}

TEST(Whittaker, ResidualIsThatOfThePlainFunctionWithAnyConstantMomentum) {
  Random random;
  for (const int n : {1, 2, 3, 7}) {
    const ConservativeSystem s = make_random_system(random, n);
    const State x = make_random_state(random, s);
    const VectorX found = WhittakerEquations(s, x.h).calc_residual(x.q, x.slopes, x.curvatures);
    ASSERT_EQ(found.size(), n - 1);
    for (const VectorX& g : {VectorX(VectorX::Zero(n)), random.vector(n)})
      if (n > 1) {
        const VectorX plain = calc_plain_residual(s, x, g);
        EXPECT_LE((found - plain).cwiseAbs().maxCoeff(), test::roundoff(n * n, 1 + plain.norm())) << n;
      }
  }
}

// τ̇·Whittakerᵢ = Lagrangeᵢ for any q″, if τ̇ and τ̈ come from the energy integral; along the path Lagrange's sum is
// zero, which is why one of the equations can go.
TEST(Whittaker, EquationsTimesTauRateAreThoseOfLagrange) {
  Random random;
  for (const int n : {2, 3, 8})
    for (int repeat = 0; repeat < 10; ++repeat) {
      const ConservativeSystem s = make_random_system(random, n);
      const State x = make_random_state(random, s);
      const VectorX d = with_first(1, x.slopes), d_slope = with_first(0, x.curvatures), V_q = s.K * x.q - s.f;
      const double a = d.dot(s.M * d), tau_rate = std::sqrt(2 * (x.h - s.calc_potential(x.q)) / a);
      const double tau_rate2 = tau_rate * tau_rate;
      // d/dt of ½ a τ̇² + V_e = h
      const double tau_acceleration = -(d.dot(s.M * d_slope) * tau_rate2 + V_q.dot(d)) / a;
      const VectorX acceleration = d_slope * tau_rate2 + d * tau_acceleration;
      const VectorX lagrange = s.M * acceleration + 2 * tau_rate * (s.C * d) + V_q;
      const VectorX whittaker = WhittakerEquations(s, x.h).calc_residual(x.q, x.slopes, x.curvatures);
      const double scale = (s.M * acceleration).norm() + V_q.norm() + 2 * tau_rate * (s.C * d).norm();
      EXPECT_LE((tau_rate * whittaker - lagrange.tail(n - 1)).norm(), test::roundoff(n * n, scale));
      EXPECT_LE(std::abs(d.dot(lagrange)), test::roundoff(n * n, scale * d.norm()));
    }
}

TEST(Whittaker, SolvesForTheCurvatures) {
  Random random;
  const ConservativeSystem s = make_random_system(random, 5);
  const State x = make_random_state(random, s);
  const WhittakerEquations equations(s, x.h);
  VectorX curvatures;
  double tau_rate = 0;
  ASSERT_TRUE(equations.calc_curvatures(x.q, x.slopes, curvatures, tau_rate));
  const VectorX left = equations.calc_residual(x.q, x.slopes, curvatures);
  EXPECT_LE(left.norm(), test::roundoff(25 * curvatures.norm(), 1 + s.K.norm()));
  // Where V_e exceeds h the motion cannot be.
  const WhittakerEquations forbidden(s, s.calc_potential(x.q) - 1e-3);
  EXPECT_FALSE(forbidden.calc_curvatures(x.q, x.slopes, curvatures, tau_rate));
}

std::vector<double> make_times(double end, int n) {
  std::vector<double> times;
  for (int k = 0; k <= n; ++k) times.push_back(end * k / n);
  return times;
}

double largest_error(const Trajectory& path, const std::function<VectorX(double)>& exact) {
  double largest = 0;
  for (size_t k = 0; k < path.times.size(); ++k)
    largest =
        std::max(largest, (path.z.col(static_cast<Eigen::Index>(k)) - exact(path.times[k])).cwiseAbs().maxCoeff());
  return largest;
}

constexpr double kPromised = 1e-9;  // of the size of the motion, by system_formalism.hpp

const MatrixX kTurn = (MatrixX(2, 2) << 0, -1, 1, 0).finished();

// An ellipse: the velocity turns once in a period, and a leg ends when it has turned by 45°.
TEST(Whittaker, IsotropicOscillatorRunsOnItsEllipse) {
  const ConservativeSystem s{MatrixX::Identity(2, 2), MatrixX::Zero(2, 2), MatrixX::Identity(2, 2), VectorX::Zero(2)};
  constexpr double kAcross = 0.7;
  const Trajectory found =
      integrate_whittaker(s, Eigen::Vector2d(1, 0), Eigen::Vector2d(0, kAcross), make_times(20 * pi, 77));
  ASSERT_EQ(found.stopped, "");
  ASSERT_EQ(found.times.size(), 78u);
  const double error =
      largest_error(found, [&](double t) -> VectorX { return Eigen::Vector2d(std::cos(t), kAcross * std::sin(t)); });
  EXPECT_LE(error, kPromised);
  EXPECT_LE(found.legs, 80);  // 10 periods, 8 legs in each; a leg ends at the first step beyond 45°
  EXPECT_GE(found.legs, 70);
}

// A free particle seen from a frame that turns with 1 rad/s: R(−t)(X + V t); K = −1, and h is negative in between.
TEST(Whittaker, FreeParticleInATurningFrame) {
  const MatrixX one = MatrixX::Identity(2, 2);
  const ConservativeSystem s{one, kTurn, -one, VectorX::Zero(2)};
  const Eigen::Vector2d X(1, 0.2), V(-0.3, 0.4);
  const auto exact = [&](double t) -> VectorX { return Eigen::Rotation2Dd(-t) * (X + V * t); };
  const VectorX rate = V - kTurn * X;
  const Trajectory found = integrate_whittaker(s, X, rate, make_times(12, 24));
  ASSERT_EQ(found.stopped, "");
  EXPECT_LE(largest_error(found, exact), kPromised * exact(12).norm());
  EXPECT_GE(found.legs, 12);  // the velocity turns by more than 12 rad
}

// A throw: no stiffness at all, one leg until the slope is 1.
TEST(Whittaker, ParabolaAndFall) {
  const MatrixX zero = MatrixX::Zero(2, 2);
  const ConservativeSystem s{MatrixX::Identity(2, 2), zero, zero, Eigen::Vector2d(0, -9.81)};
  const auto exact = [](double t) -> VectorX { return Eigen::Vector2d(3 * t, 4 * t - 9.81 / 2 * t * t); };
  const Trajectory found = integrate_whittaker(s, Eigen::Vector2d::Zero(), Eigen::Vector2d(3, 4), make_times(2, 10));
  ASSERT_EQ(found.stopped, "");
  EXPECT_LE(largest_error(found, exact), kPromised * exact(2).norm());
  // One coordinate: no equation is left, time is a quadrature.
  const ConservativeSystem fall{MatrixX::Identity(1, 1), MatrixX::Zero(1, 1), MatrixX::Zero(1, 1), VectorX::Ones(1)};
  const Trajectory falling = integrate_whittaker(fall, VectorX::Zero(1), VectorX::Constant(1, 0.5), make_times(3, 6));
  EXPECT_LE(largest_error(falling, [](double t) -> VectorX { return VectorX::Constant(1, 0.5 * t + 0.5 * t * t); }),
            kPromised * 6);
  EXPECT_EQ(falling.legs, 1);
}

// A mode so soft that its equilibrium, 1e8 away, is never reached: V_e must not be counted from there.
TEST(Whittaker, SlowModeUnderALoad) {
  constexpr double kSoft = 1e-4;  // its frequency
  ConservativeSystem s{MatrixX::Identity(2, 2), MatrixX::Zero(2, 2), MatrixX::Identity(2, 2), Eigen::Vector2d(0, 1)};
  s.K(1, 1) = kSoft * kSoft;
  const auto exact = [](double t) -> VectorX {
    const double half = std::sin(kSoft * t / 2) / kSoft;
    return Eigen::Vector2d(std::sin(t), 2 * half * half + 0.5 * std::sin(kSoft * t) / kSoft);
  };
  const Trajectory found = integrate_whittaker(s, VectorX::Zero(2), Eigen::Vector2d(1, 0.5), make_times(8, 16));
  ASSERT_EQ(found.stopped, "");
  EXPECT_LE(largest_error(found, exact), kPromised * exact(8).norm());
}

// One mode alone comes to rest at its ends; it is followed to a thousandth of its speed.
TEST(Whittaker, StopsAtABrakePointAndSaysSo) {
  ConservativeSystem s{MatrixX::Identity(2, 2), MatrixX::Zero(2, 2), MatrixX::Identity(2, 2), VectorX::Zero(2)};
  s.K(1, 1) = 4;
  const VectorX along = Eigen::Vector2d(1, 0);
  const Trajectory found = integrate_whittaker(s, VectorX::Zero(2), along, make_times(3, 30));
  EXPECT_NE(found.stopped.find("at t = 1.5"), std::string::npos) << found.stopped;
  EXPECT_NE(found.stopped.find("all coordinates turn at once: their speed is 0.00"), std::string::npos);
  EXPECT_EQ(found.times.size(), 16u);  // up to 1.5, before π/2
  EXPECT_EQ(found.z.cols(), 16);
  EXPECT_LE(largest_error(found, [&](double t) -> VectorX { return along * std::sin(t); }), kPromised);
  // From rest it does not start.
  const Trajectory rest = integrate_whittaker(s, along, VectorX::Zero(2), make_times(3, 30));
  EXPECT_EQ(rest.times, std::vector<double>{0});
  EXPECT_EQ(rest.z.col(0), along);
  EXPECT_EQ(rest.stopped.find("at t = 0 s all coordinates turn at once: their speed is 0 of"), 0u) << rest.stopped;
}

// A little speed across keeps it going: it turns sharply where the mode would stop.
TEST(Whittaker, PassesANarrowTurn) {
  ConservativeSystem s{MatrixX::Identity(2, 2), MatrixX::Zero(2, 2), MatrixX::Identity(2, 2), VectorX::Zero(2)};
  constexpr double kAcross = 0.01;
  const Trajectory found =
      integrate_whittaker(s, Eigen::Vector2d(1, 0), Eigen::Vector2d(0, kAcross), make_times(20, 40));
  EXPECT_EQ(found.stopped, "");
  EXPECT_LE(
      largest_error(found, [&](double t) -> VectorX { return Eigen::Vector2d(std::cos(t), kAcross * std::sin(t)); }),
      kPromised);
}

// ---- what it refuses ----

const SystemFormalism& whittaker() { return *system_formalisms().find("whittaker"); }

std::string reason(const Model& m) { return whittaker().reason_against(make_body_system(m, m.bodies[0])); }

Expression formula(const std::string& text) {
  Expression e;
  EXPECT_FALSE(e.parse(text)) << text;
  return e;
}

Model make_small_rod() { return test::make_rod({.elements = 1, .speed = 50}); }

TEST(Whittaker, TakesSteadyMotions) {
  EXPECT_EQ(reason(make_small_rod()), "");
  Model m = make_small_rod();
  m.bodies[0].motion = {};
  m.gravity = {0, -9.81, 0};
  m.bodies[0].loads = {test::make_point_load("to", {1, 2, 0})};
  EXPECT_EQ(reason(m), "");
  m = make_small_rod();
  Motion& motion = m.bodies[0].motion;
  motion.kind = Motion::Kind::prescribed;
  motion.angular_velocity[2] = formula("2*pi");
  motion.acceleration[0] = Expression(3.0);
  EXPECT_EQ(reason(m), "");
  // Degree 5: the entries of M differ by orders of magnitude, which is no lack of mass.
  m.bodies[0].degree = 5;
  EXPECT_EQ(reason(m), "");
}

TEST(Whittaker, RefusesMotionsThatChange) {
  Model m = make_small_rod();
  Motion& motion = m.bodies[0].motion;
  motion.kind = Motion::Kind::prescribed;
  motion.angular_velocity[2] = formula("3*t");
  motion.acceleration[0] = formula("sin(t)");
  EXPECT_EQ(reason(m),
            "acceleration[x] = \"sin(t)\" changes with time; angular_velocity[z] = \"3*t\" changes with time");
  motion.angular_velocity[2] = Expression(1.0);
  motion.acceleration[0] = Expression(0.0);
  motion.angular_acceleration = {Expression(0.0), Expression(0.0), Expression(2.5)};
  EXPECT_EQ(reason(m),
            "its frame has an angular acceleration of 2.5 rad/s², so its angular velocity changes with time, and Euler "
            "forces have no potential");
}

TEST(Whittaker, RefusesTablesThatChangeAndTakesThoseThatDoNot) {
  Model m = make_small_rod();
  Motion& motion = m.bodies[0].motion;
  motion.kind = Motion::Kind::table;
  const auto knots = std::make_shared<const std::vector<double>>(std::vector<double>{0, 1, 2, 3});
  MotionTable table;
  table.end = 3;
  table.w[2] = CubicSpline(knots, {5, 5, 5, 5});
  motion.table = std::make_shared<const MotionTable>(table);
  EXPECT_EQ(reason(m), "");
  const BodySystem system = make_body_system(m, m.bodies[0]);
  EXPECT_THROW(whittaker().simulate(system, VectorX::Zero(3), VectorX::Ones(3), {0, 4}), NumericalError);
  table.w[2] = CubicSpline(knots, {5, 5, 6, 5});
  motion.table = std::make_shared<const MotionTable>(table);
  EXPECT_EQ(reason(m), "column wz of its table of motion goes from 5 to 6 rad/s");
}

TEST(Whittaker, RefusesDamping) {
  Model m = make_small_rod();
  m.bodies[0].damping.stiffness = 1e-5;
  EXPECT_EQ(reason(m), "dashpots or Rayleigh damping take energy out of it");
  m = make_small_rod();
  m.bodies[0].damping.modal = {0.01, 0.02};
  EXPECT_EQ(reason(m), "modal damping of 2 modes takes energy out of it");
  m = make_small_rod();
  Spring dashpot;
  dashpot.at.value = "to";
  dashpot.other = Spring::Other::ground;
  dashpot.damping = {3, 3, 0};
  m.bodies[0].springs = {dashpot};
  EXPECT_EQ(
      reason(m),
      "dashpots or Rayleigh damping take energy out of it; dashpots to the ground, which see its frame turn, push "
      "it around (N_z)");
}

TEST(Whittaker, RefusesLargeBodiesAndGivesAllReasons) {
  Model m = test::make_rod({.elements = 40, .speed = 50});
  EXPECT_EQ(reason(m), "it has 120 unknowns, and at most 60 can be treated; use fewer elements");
  m.bodies[0].damping.mass = 0.1;
  EXPECT_EQ(
      reason(m),
      "dashpots or Rayleigh damping take energy out of it; it has 120 unknowns, and at most 60 can be treated; use "
      "fewer elements");
}

}  // namespace
}  // namespace elodyn
