// Floquet multipliers against constant coefficients, Mathieu's equation and Hill's equation of one mode.
#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "tests/support/results.hpp"
#include "tests/support/transient.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/ode.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;
using test::column;
using Complex = std::complex<double>;

// Small full matrices, many times: threads of BLAS would only wait for each other.
const bool kOneBlasThread = (use_one_blas_thread(), true);

Results run_well(const Model& model) {
  EXPECT_TRUE(kOneBlasThread);
  Results results = run_analysis(model, "floquet");
  if (!results.outcome.ok()) throw std::runtime_error(results.outcome.message);
  return results;
}

// Trace of the monodromy matrix of ÿ + k(t) y = 0 over T; |trace| > 2: unstable, the larger |μ| is |x| + √(x² − 1) of
// x = trace/2.
double calc_trace(const std::function<double(double)>& k, double T) {
  const OdeRate rate = [&](double t, const VectorX& y, VectorX& out) {
    out.resize(2);
    out << y[1], -k(t) * y[0];
  };
  OdeOptions options;
  options.relative = 1e-12;
  VectorX a(2), b(2);
  a << 1, 0;
  b << 0, 1;
  return integrate(rate, a, {0, T}, options).y(0, 1) + integrate(rate, b, {0, T}, options).y(1, 1);
}
double calc_largest(double trace) {
  const double x = std::abs(trace) / 2;
  return x > 1 ? x + std::sqrt(x * x - 1) : 1;
}

// Constant coefficients: μ = exp(λT), frequencies those of modes, whatever the period.
TEST(Floquet, ConstantCoefficients) {
  Model m = test::make_rod({.elements = 3, .dimension = 3, .speed = 200, .axis = {0, 1, 1}});
  m.bodies[0].damping.mass = 7;
  m.bodies[0].damping.modal = {0.02};
  m.modes->count = 5;
  const Results modes = run_modes(m);
  m.floquet = FloquetRequest{};
  m.floquet->count = 5;
  for (const double period : {0.004, 0.0314}) {
    m.floquet->period = period;
    const Results results = run_well(m);
    const auto &re = column(results, "multipliers", "real"), &im = column(results, "multipliers", "imaginary");
    const auto &omega = column(results, "multipliers", "omega"), &growth = column(results, "multipliers", "growth");
    ASSERT_EQ(re.size(), 5u);
    for (size_t k = 0; k < 5; ++k) {
      const Complex lambda(modes.modes[k].growth, modes.modes[k].omega), want = std::exp(lambda * period);
      EXPECT_LT(std::abs(Complex(re[k], im[k]) - want), 1e-6) << k;
      EXPECT_NEAR(omega[k], modes.modes[k].omega, 1e-5 * omega[k]) << k;
      EXPECT_NEAR(growth[k], modes.modes[k].growth, 1e-6 / period) << k;
    }
    EXPECT_EQ(test::text_column(results, "floquet", "verdict")[0], "stable");
  }
}

// A column on two pins under an axial load P0 + P1 cos νt. Each mode k is Mathieu's equation, with τ = νt/2
//   y'' + (a − 2q cos 2τ) y = 0,  a = X k⁴ (1 − p0/k²),  q = ½ X k² p1,  X = 4ω₁²/ν²,  p = P/Pcr  (tension counts
//   minus).
struct Column1 {
  double X, p0, p1;  // of mode 1
};
Model make_column(const Column1& c) {
  Model m = test::make_rod({.element = "beam_euler_bernoulli", .elements = 8, .degree = 5, .length = 1});
  Body& body = m.bodies[0];
  body.supports = {test::make_support(Support::Kind::pin, "from"), test::make_support(Support::Kind::roller, "to")};
  const double I = pi * 1e-8 / 64, A = pi * 1e-4 / 4, EI = 210e9 * I;
  const double critical = pi * pi * EI, omega = pi * pi * std::sqrt(EI / (7800 * A)), nu = 2 * omega / std::sqrt(c.X);
  body.loads = {test::make_point_load("to", {-c.p0 * critical, 0, 0}),
                test::make_point_load("to", {-c.p1 * critical, 0, 0})};
  body.loads[1].time = test::make_expression("cos(" + std::to_string(nu) + "*t)");
  m.floquet = FloquetRequest{};
  m.floquet->period = 2 * pi / std::stod(std::to_string(nu));
  m.floquet->count = 4;
  return m;
}
double calc_mathieu_trace(double a, double q) {
  return calc_trace([&](double tau) { return a - 2 * q * std::cos(2 * tau); }, pi);
}

// Characteristic values of Mathieu's equation for q = 1 (tabulated in every handbook):
//   a0 = −0.4551386, b1 = −0.1102488, a1 = 1.8591081.
// Stable between a0 and b1 (a column beyond its buckling load!) and above a1, unstable below a0 and between b1 and a1.
TEST(Floquet, ColumnUnderAPulsatingLoad) {
  constexpr double a0 = -0.4551386, b1 = -0.1102488, a1 = 1.8591081;
  EXPECT_NEAR(calc_mathieu_trace(a0, 1), 2, 2e-6);
  EXPECT_NEAR(calc_mathieu_trace(b1, 1), -2, 2e-6);
  EXPECT_NEAR(calc_mathieu_trace(a1, 1), -2, 2e-6);
  for (const auto& [a, stable] : {std::pair{a0 - 2e-3, false},
                                  {a0 + 2e-3, true},
                                  {b1 - 2e-3, true},
                                  {b1 + 2e-3, false},
                                  {0.9, false},
                                  {a1 - 2e-3, false},
                                  {a1 + 2e-3, true}}) {
    const double X = 2.2, p0 = 1 - a / X, p1 = 2 / X;
    const Results results = run_well(make_column({X, p0, p1}));
    double want = 1;
    for (int k = 1; k <= 4; ++k)
      want = std::max(want, calc_largest(calc_mathieu_trace(X * std::pow(k, 4) * (1 - p0 / (k * k)), k * k)));
    EXPECT_EQ(want == 1, stable) << "modes 2 to 4 shall be stable, a = " << a;
    const double found = column(results, "floquet", "largest_multiplier")[0];
    // The mesh has ω₁² and Pcr to 1e-8 (quintic, 8 elements); near a boundary μ goes with the root of that.
    EXPECT_NEAR(found, want, 1e-4 * want) << a;
    EXPECT_EQ(test::text_column(results, "floquet", "verdict")[0], stable ? "stable" : "unstable") << a;
    EXPECT_LT(column(results, "floquet", "pairing_error")[0], 1e-6);
  }
}

// A rod whose speed pulsates, Ω = Ω0 + Ω1 cos νt: its centrifugal stiffening does too. Near ν = 2ω₁ mode 1 is Hill's
// equation ÿ + φᵀK(t)φ y = 0, φ its shape at the mean; other modes and the Coriolis force change its exponent by the
// square of the pulsation.
class PulsatingRod {
 public:
  explicit PulsatingRod(double nu) : nu_(nu) {
    model_ = test::make_rod({.elements = 8});
    Motion& motion = model_.bodies[0].motion;
    motion.kind = Motion::Kind::prescribed;
    const std::string n = std::to_string(nu);
    nu_ = std::stod(n);
    motion.angular_velocity[2] = test::make_expression("200 + 40*cos(" + n + "*t)");
    motion.angular_acceleration.emplace();
    (*motion.angular_acceleration)[2] = test::make_expression("-40*" + n + "*sin(" + n + "*t)");
    model_.floquet = FloquetRequest{};
    model_.floquet->period = 2 * pi / nu_;
    model_.floquet->count = 3;
  }
  double find_largest() const { return column(run_well(model_), "floquet", "largest_multiplier")[0]; }
  double find_hill() const {
    const test::Assembled a(model_);
    const BodySystem& s = a.system;
    const double T = 2 * pi / nu_;
    SparseMatrix mean = s.reduced.calc_stiffness(s.calc_factors(0));
    for (int i = 1; i < 32; ++i) mean += s.reduced.calc_stiffness(s.calc_factors(T * i / 32));
    mean = SparseMatrix(mean / 32 + SparseMatrix(mean.transpose()) / 32) / 2;
    const VectorX phi = solve_symmetric_modes(mean, s.reduced.calc_mass(), 1, MatrixX(mean.rows(), 0)).vectors.col(0);
    return calc_largest(
        calc_trace([&](double t) { return phi.dot(s.reduced.calc_stiffness(s.calc_factors(t)) * phi); }, T));
  }
  static double find_mean_frequency() {
    const PulsatingRod rod(100);
    Model m = rod.model_;
    m.bodies[0].motion = Motion{};
    m.bodies[0].motion.kind = Motion::Kind::spin;
    m.bodies[0].motion.speed = std::sqrt(200.0 * 200 + 40 * 40 / 2.0);
    return run_modes(m).modes[0].omega;
  }

 private:
  Model model_;
  double nu_;
};

TEST(Floquet, PulsatingSpeed) {
  const double omega = PulsatingRod::find_mean_frequency();
  for (const double ratio : {1.9, 1.99, 2.0, 2.01, 2.1}) {
    const PulsatingRod rod(ratio * omega);
    const double found = rod.find_largest(), hill = rod.find_hill();
    EXPECT_NEAR(std::log(found), std::log(hill), 0.03 * std::log(hill) + 1e-6) << ratio;
    EXPECT_EQ(found > 1 + 1e-4, std::abs(ratio - 2) < 0.05) << ratio;
  }
}

// Gravity pulls and presses a heavy rod that turns slowly in a vertical plane: its stiffness has the period of a turn.
TEST(Floquet, GravityAcrossTheAxis) {
  Model m = test::make_rod({.elements = 4, .length = 2, .speed = 8});
  m.gravity = {0, -9.81, 0};
  m.floquet = FloquetRequest{};
  m.floquet->count = 2;
  const Results results = run_well(m);
  EXPECT_NEAR(column(results, "floquet", "period")[0], 2 * pi / 8, 1e-12);
  EXPECT_EQ(test::text_column(results, "floquet", "verdict")[0], "stable");
  // Weak: the frequencies are nearly those without it.
  m.gravity.setZero();
  m.modes->count = 1;
  EXPECT_NEAR(column(results, "multipliers", "omega")[0], run_modes(m).modes[0].omega, 0.1);
}

TEST(Floquet, SaysIfThePeriodIsNone) {
  Model m = make_column({2, 0.2, 0.3});
  m.floquet->period = *m.floquet->period * 1.1;
  EXPECT_NE(run_analysis(m, "floquet").outcome.message.find("`period` is not one of its motion and loads"),
            std::string::npos)
      << run_analysis(m, "floquet").outcome.message;
}

// In a time so short that nothing changes everything repeats itself, but not for many of them.
TEST(Floquet, SaysIfThePeriodIsTooShortToBeOne) {
  Model m = make_column({2, 0.2, 0.3});
  const double period = *m.floquet->period;
  for (const double share : {1e-3, 1e-6, 1e-9}) {
    m.floquet->period = share * period;
    const std::string message = run_analysis(m, "floquet").outcome.message;
    EXPECT_NE(message.find("`period` is not one of its motion and loads"), std::string::npos) << share << message;
  }
  m.floquet->period = period * (1 + 5e-7);  // decimals
  EXPECT_TRUE(run_analysis(m, "floquet").outcome.ok()) << run_analysis(m, "floquet").outcome.message;
}

// A pendulum that turns once in 73 days falls over e^(4e6) times as fast as numbers go.
TEST(Floquet, NamesTheBodyThatGrowsBeyondAllNumbers) {
  Model m = test::make_rod({.element = "beam_euler_bernoulli", .elements = 2, .length = 1, .speed = 1e-6});
  m.bodies[0].supports = {test::make_support(Support::Kind::pin, "from")};
  m.gravity = {0, -9.81, 0};
  m.floquet = FloquetRequest{};
  m.floquet->count = 2;
  const std::string message = run_analysis(m, "floquet").outcome.message;
  EXPECT_NE(message.find("body `rod`: small motions grow beyond all numbers"), std::string::npos) << message;
}

}  // namespace
}  // namespace elodyn
