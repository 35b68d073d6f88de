// Mechanisms with known answers: closed forms, the IFToMM library of benchmarks, Newton–Euler per body.
#include <cmath>
#include <numbers>

#include "tests/support/mechanisms.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using Kind = Joint::Kind;
using Formalism = MechanismRequest::Formalism;
using test::Moved;
constexpr double kPi = std::numbers::pi;

MotionOptions dynamic(std::vector<double> times, double tolerance) {
  MotionOptions out;
  out.times = std::move(times);
  out.tolerance = tolerance;
  return out;
}

// A point of mass 1 on a massless rod of length 1, from rest at (−1, 0): IFToMM A01. To the ten digits of the
// reference.
TEST(Mechanism, IftommPendulum) {
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}});
  Body& rod = test::add_planar_body(model, "rod", 1, 0, {{"O", Vec3::Zero()}, {"P", Vec3(1, 0, 0)}});
  rod.center = Vec3(1, 0, 0);
  test::add_joint(model, "O", Kind::revolute, "ground.O", "rod.O").position = test::number(-kPi);
  const Moved it(model, dynamic({0, 1, 5, 9.99, 10}, 1e-13));
  const double want[][2] = {{0.9862917511, -0.1650108531},
                            {-0.942305435, -0.3347543384},
                            {-0.3164364699, -0.9486137046},
                            {-0.2750874626, -0.9614192051}};
  for (Eigen::Index k = 0; k < 4; ++k) {
    const Vec3 P = it.point(k + 1, "rod.P");
    EXPECT_NEAR(P[0], want[k][0], 1e-9) << it.motion.times[static_cast<size_t>(k + 1)];
    EXPECT_NEAR(P[1], want[k][1], 1e-9) << it.motion.times[static_cast<size_t>(k + 1)];
  }
  EXPECT_LE(it.motion.drift.position, test::roundoff(1, 1));
  EXPECT_LE(it.motion.energy_error, 1e-10);
}

// N windows of parallel rods, each of length 1 and mass 1: IFToMM A02. It passes positions in which all rods lie on one
// line and rows of A depend on each other.
Model make_windows(int n) {
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  const auto add_rod = [&](const std::string& name, const Vec3& place, double angle) {
    Body& rod = test::add_planar_body(model, name, 1, 1.0 / 12, {{"A", Vec3::Zero()}, {"B", Vec3(1, 0, 0)}});
    rod.center = Vec3(0.5, 0, 0);
    rod.place = place;
    rod.attitude = Vec3(0, 0, angle);
  };
  for (int k = 0; k <= n; ++k) {
    const std::string number = std::to_string(k), before = std::to_string(k - 1);
    Point point;
    point.name = "A" + number;
    point.x = Vec3(k, 0, 0);
    model.ground_points.push_back(point);
    add_rod("rod" + number, Vec3(k, 0, 0), kPi / 2);
    Joint& foot = test::add_joint(model, "A" + number, Kind::revolute, "ground.A" + number, "rod" + number + ".A");
    if (k == 0) {
      foot.position = test::number(kPi / 2);
      foot.speed = test::number(-1);
      continue;
    }
    add_rod("beam" + number, Vec3(k - 1, 1, 0), 0);
    test::add_joint(model, "B" + number, Kind::revolute, "rod" + before + ".B", "beam" + number + ".A");
    test::add_joint(model, "C" + number, Kind::revolute, "rod" + number + ".B", "beam" + number + ".B");
  }
  return model;
}

TEST(Mechanism, IftommTwoWindows) {
  const Moved it(make_windows(2), dynamic({0, 1, 2, 4, 5, 10}, 1e-11));
  EXPECT_EQ(it.assembly.rows.n_free, 1);
  EXPECT_TRUE(it.assembly.redundant.empty());
  const double want[][2] = {{-0.1950203019, -0.9807992057},
                            {0.0578157958, 0.9983272679},
                            {0.1176161024, 0.9930591385},
                            {-0.811310461, -0.5846155453},
                            {0.3284581115, 0.9445185382}};
  for (Eigen::Index k = 0; k < 5; ++k) {
    const Vec3 B = it.point(k + 1, "rod0.B");
    EXPECT_NEAR(B[0], want[k][0], 5e-9) << it.motion.times[static_cast<size_t>(k + 1)];
    EXPECT_NEAR(B[1], want[k][1], 5e-9) << it.motion.times[static_cast<size_t>(k + 1)];
  }
  // All on one line twice a turn, at θ = π/2 and 3π/2: θ̇² = 1 + 7 g (1 − cos θ)/3 goes round in 1.66 s. The times by
  // Simpson's rule on dt = dθ/θ̇.
  const auto time_between = [](double from, double to) {
    constexpr int n = 2000;
    double sum = 0;
    for (int k = 0; k <= n; ++k) {
      const double theta = from + (to - from) * k / n;
      sum += (k == 0 || k == n ? 1 : k % 2 == 1 ? 4 : 2) / std::sqrt(1 + 7 * 9.81 * (1 - std::cos(theta)) / 3);
    }
    return sum * (to - from) / (3 * n);
  };
  const double first = time_between(0, kPi / 2), below = time_between(kPi / 2, 3 * kPi / 2), turn = 2 * first + below;
  std::vector<double> want_times;
  for (double t = 0; t < 10; t += turn)
    for (const double at : {t + first, t + first + below})
      if (at < 10) want_times.push_back(at);
  ASSERT_EQ(it.motion.singular.size(), want_times.size());
  for (size_t k = 0; k < want_times.size(); ++k) {
    EXPECT_NEAR(it.motion.singular[k].t, want_times[k], 1e-3);  // between steps, by a straight line
    EXPECT_EQ(it.motion.singular[k].where.substr(0, 6), "joint ");
  }
  EXPECT_LE(it.motion.energy_error, 1e-8);
  EXPECT_LE(it.motion.drift.position, 1e-12);
}

// Crank r, rod l, slider, driven at constant speed: s = r cos φ + √(l² − r² sin² φ).
struct SliderCrank {
  double r = 0.065, l = 0.25, w = 15;
  double m_rod = 0.6, J_rod = 0.004, m_slider = 0.8, J_crank = 0.01, m_crank = 1.5;
  double c_crank = 0.01, c_rod = 0.11;  // centres of mass from O and from B
  double g = 9.81;

  Model make() const {
    Model model;
    model.gravity = Vec3(0, -g, 0);
    model.ground_points = test::make_points({{"O", Vec3::Zero()}});
    Body& crank = test::add_planar_body(model, "crank", m_crank, J_crank, {{"O", Vec3::Zero()}, {"B", Vec3(r, 0, 0)}});
    crank.center = Vec3(c_crank, 0, 0);
    Body& rod = test::add_planar_body(model, "rod", m_rod, J_rod, {{"B", Vec3::Zero()}, {"C", Vec3(l, 0, 0)}});
    rod.center = Vec3(c_rod, 0, 0);
    rod.place = Vec3(r, 0, 0);
    Body& slider = test::add_planar_body(model, "slider", m_slider, 1e-3, {{"C", Vec3::Zero()}});
    slider.place = Vec3(r + l, 0, 0);
    test::add_joint(model, "O", Kind::revolute, "ground.O", "crank.O");
    test::add_joint(model, "B", Kind::revolute, "crank.B", "rod.B");
    test::add_joint(model, "C", Kind::revolute, "rod.C", "slider.C");
    test::add_joint(model, "guide", Kind::prismatic, "ground.O", "slider.C").axis = Vec3(1, 0, 0);
    return model;
  }
};

TEST(Mechanism, SliderCrankHasItsClosedFormAndLiaisonForces) {
  const SliderCrank p;
  Model model = p.make();
  test::add_driver(model, "O", "15*t");
  MotionOptions options;
  options.kind = MechanismRequest::Kind::inverse;
  options.times = test::times_to(2 * kPi / p.w, 60);
  const Moved it(model, options);
  const int guide = it.mechanism.joints()[3].first_x;
  for (Eigen::Index k = 0; k < static_cast<Eigen::Index>(options.times.size()); ++k) {
    const double f = p.w * options.times[static_cast<size_t>(k)];
    const double S = std::sin(f), C = std::cos(f), root = std::sqrt(p.l * p.l - p.r * p.r * S * S);
    // sin β = −(r/l) sin φ of the rod's angle
    const double beta = std::asin(-p.r / p.l * S), beta_rate = -p.r * p.w * C / (p.l * std::cos(beta));
    const double beta_second = (p.r * p.w * p.w * S / p.l + std::sin(beta) * beta_rate * beta_rate) / std::cos(beta);
    const double s = p.r * C + root;
    const double s_rate = -p.r * p.w * S - p.l * std::sin(beta) * beta_rate;
    const double s_second =
        -p.r * p.w * p.w * C - p.l * (std::cos(beta) * beta_rate * beta_rate + std::sin(beta) * beta_second);
    EXPECT_NEAR(it.motion.x(guide, k), s, test::roundoff(20, s));
    EXPECT_NEAR(it.motion.x_rate(guide, k), s_rate, 1e-10);
    EXPECT_NEAR(it.motion.x_acceleration(guide, k), s_second, 1e-9);  // Newton's method stops at 1e-10 of the size

    // Newton–Euler of slider, rod, crank, from the closed-form accelerations.
    const double c = std::cos(beta), sn = std::sin(beta);
    const Vec3 aB(-p.r * p.w * p.w * C, -p.r * p.w * p.w * S, 0);
    const auto on_rod = [&](double d) {
      return Vec3(aB[0] - d * (sn * beta_second + c * beta_rate * beta_rate),
                  aB[1] + d * (c * beta_second - sn * beta_rate * beta_rate), 0);
    };
    const Vec3 up(0, p.g, 0), aG = on_rod(p.c_rod);
    // Force on the rod at C: x from the slider, y from moments about B.
    const double Cx = -p.m_slider * s_second;
    const Vec3 inertia = p.m_rod * (aG + up), arm = p.c_rod * Vec3(c, sn, 0);
    const double moment = p.J_rod * beta_second + arm.cross(inertia)[2];
    const double Cy = (moment + p.l * sn * Cx) / (p.l * c);
    const Vec3 FB = inertia - Vec3(Cx, Cy, 0);
    const Vec3 aK = -p.c_crank * p.w * p.w * Vec3(C, S, 0);
    const Vec3 FO = p.m_crank * (aK + up) + FB;
    const double torque =
        p.c_crank * Vec3(C, S, 0).cross(p.m_crank * (aK + up))[2] + (p.r * Vec3(C, S, 0)).cross(FB)[2];
    const auto loads = it.loads(k);
    const double scale = 1e-10 * 50;
    EXPECT_NEAR(loads[2].reaction_a.force[0], Cx, scale);
    EXPECT_NEAR(loads[2].reaction_a.force[1], Cy, scale);
    EXPECT_LE((loads[1].reaction_b.force - FB).norm(), scale);
    EXPECT_LE((loads[0].reaction_b.force - FO).norm(), scale);
    EXPECT_NEAR(it.motion.driver(0, k), torque, scale);
    EXPECT_LE((loads[0].total_b().moment - Vec3(0, 0, torque)).norm(), scale);
    EXPECT_NEAR(loads[3].reaction_b.force[1], p.m_slider * p.g + Cy, scale);
  }
}

// Andrews' squeezing mechanism: seven bodies, seven angles, a motor and a spring. Data and reference solution at 0.03 s
// of the IVP test set (Mazzia and Magherini); no gravity.
TEST(Mechanism, AndrewsSqueezer) {
  const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874,
               sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449,
               zf = 0.02, zt = 0.04, fa = 0.01421;
  const double beta = -0.0617138900142764496, gamma = 0.455279819163070380, phi = 0.222668390165885885,
               delta = 0.487364979543842550, omega = -0.222668390165885885, epsilon = 1.23054744454982119;
  Model model;
  const Vec3 A(-0.06934, -0.00227, 0), B(-0.03635, 0.03273, 0);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}, {"A", A}, {"B", B}, {"C", Vec3(0.014, 0.072, 0)}});
  const auto add = [&](const char* name, double m, double J, const Vec3& center, double angle,
                       test::NamedPoints points) {
    Body& body = test::add_planar_body(model, name, m, J, points);
    body.center = center;
    body.attitude = Vec3(0, 0, angle);
  };
  add("k1", 0.04325, 2.194e-6, Vec3(ra, 0, 0), beta, {{"O", Vec3::Zero()}, {"P", Vec3(rr, 0, 0)}});
  add("k2", 0.00365, 4.410e-7, Vec3(-da, 0, 0), beta, {{"P", Vec3::Zero()}, {"E", Vec3(-d, 0, 0)}});
  add("k3", 0.02373, 5.255e-6, Vec3(sa, sb, 0), gamma,
      {{"B", Vec3::Zero()}, {"E", Vec3(0, -ss, 0)}, {"D", Vec3(sd, -sc, 0)}});
  add("k4", 0.00706, 5.667e-7, Vec3(0, ea - e, 0), phi + delta, {{"Q", Vec3::Zero()}, {"E", Vec3(0, -e, 0)}});
  add("k5", 0.07050, 1.169e-5, Vec3(ta, tb, 0), delta, {{"A", Vec3::Zero()}, {"Q", Vec3(zt, 0, 0)}});
  add("k6", 0.00706, 5.667e-7, Vec3(zf - fa, 0, 0), omega + epsilon, {{"R", Vec3::Zero()}, {"E", Vec3(zf, 0, 0)}});
  add("k7", 0.05498, 1.912e-5, Vec3(ua, ub, 0), epsilon, {{"A", Vec3::Zero()}, {"R", Vec3(0, -u, 0)}});
  const auto join = [&](const char* name, const char* a, const char* b) -> Joint& {
    return test::add_joint(model, name, Kind::revolute, a, b);
  };
  join("beta", "ground.O", "k1.O").position = test::number(beta);
  join("theta", "k1.P", "k2.P").position = test::number(0);
  join("gamma", "ground.B", "k3.B");
  join("phi", "k5.Q", "k4.Q");
  join("delta", "ground.A", "k5.A");
  join("omega", "k7.R", "k6.R");
  join("epsilon", "ground.A", "k7.A");
  join("E3", "k2.E", "k3.E");
  join("E4", "k2.E", "k4.E");
  join("E6", "k2.E", "k6.E");
  model.joints[1].position.reset();  // β alone determines the others
  Motor& motor = model.motors.emplace_back();
  motor.name = "motor";
  motor.joint.value = "beta";
  motor.torque = test::expression("0.033", kJointVariables);
  MechanismSpring& spring = model.springs.emplace_back();
  spring.name = "spring";
  spring.a.value = "ground.C";
  spring.b.value = "k3.D";
  spring.stiffness = test::number(4530);
  spring.free_length = test::number(0.07785);
  const Moved it(model, dynamic({0, 0.03}, 1e-12));
  const double start[] = {beta, 0, gamma, phi, delta, omega, epsilon};
  const double want[] = {15.81077119629904,  -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
                         0.5244099658805303, 0.5347301163226948, 1.048080741042263};
  const double rates[] = {1139.920302151208,  -1424.379294994111, 11.03291221937134, 19.29337464421385,
                          0.5735699284790808, -19.29337464421385, 0.3231791658026955};
  for (int k = 0; k < 7; ++k) {
    EXPECT_NEAR(it.motion.x(k, 0), start[k], 1e-12) << k;
    EXPECT_NEAR(it.motion.x(k, 1), want[k], 1e-7) << k;
    EXPECT_NEAR(it.motion.x_rate(k, 1), rates[k], 1e-7 * 1424) << k;
  }
}

// The transmission of a wind water pump: crank O–B, rod B–C, lever D–C–E with a weight at E, its upper end D carried by
// the pistons of the pumps, which slide along x. Two degrees of freedom; with D fixed, one.
struct Pump {
  double r = 0.065, l = 0.55, h = 0.25, a = 0.25, b = 0.75, g = 9.81;
  double m_rod = 0.03 * 0.005 * 0.55 * 7800, m_bar = 1.2, m_weight = 5, m_piston = 0.6, J_crank = 0.08;
  double J_rod() const { return m_rod * l * l / 12; }

  Model make(bool floats) const {
    Model model;
    model.gravity = Vec3(0, -g, 0);
    const double s0 = r + std::sqrt(l * l - (h - a) * (h - a));
    model.ground_points = test::make_points({{"O", Vec3::Zero()}, {"D", Vec3(floats ? 0 : l, h, 0)}});
    test::add_planar_body(model, "crank", 3, J_crank, {{"O", Vec3::Zero()}, {"B", Vec3(r, 0, 0)}});
    Body& rod = test::add_planar_body(model, "rod", m_rod, J_rod(), {{"B", Vec3::Zero()}, {"C", Vec3(l, 0, 0)}});
    rod.center = Vec3(l / 2, 0, 0);
    rod.place = Vec3(r, 0, 0);
    const double m = m_bar + m_weight, down = (m_bar * b / 2 + m_weight * b) / m;
    const double J = m_bar * b * b / 3 + m_weight * b * b - m * down * down;
    Body& lever = test::add_planar_body(model, "lever", m, J,
                                        {{"D", Vec3::Zero()}, {"C", Vec3(0, -a, 0)}, {"E", Vec3(0, -b, 0)}});
    lever.center = Vec3(0, -down, 0);
    lever.place = Vec3(s0, h, 0);
    Joint& O = test::add_joint(model, "O", Kind::revolute, "ground.O", "crank.O");
    O.position = test::number(0);
    O.speed = test::number(14.5);
    test::add_joint(model, "B", Kind::revolute, "crank.B", "rod.B");
    test::add_joint(model, "C", Kind::revolute, "rod.C", "lever.C");
    Motor& motor = model.motors.emplace_back();
    motor.name = "motor";
    motor.joint.value = "O";
    motor.torque = test::expression("12*(1 - w/17.5)", kJointVariables);
    MechanismForce& pump = model.forces.emplace_back();
    pump.name = "pump";
    if (floats) {
      Body& piston = test::add_planar_body(model, "piston", m_piston, 1e-4, {{"D", Vec3::Zero()}});
      piston.place = Vec3(s0, h, 0);
      test::add_joint(model, "D", Kind::revolute, "piston.D", "lever.D").position = test::number(0);
      test::add_joint(model, "guide", Kind::prismatic, "ground.D", "piston.D").axis = Vec3(1, 0, 0);
      pump.joint.value = "guide";
      pump.force = test::expression("-15*tanh(v/0.02) - 15*v", kJointVariables);
    } else {
      test::add_joint(model, "D", Kind::revolute, "ground.D", "lever.D");
      pump.joint.value = "D";
      pump.force = test::expression("-15*tanh(v/0.1) - 3*v", kJointVariables);
    }
    return model;
  }
};

struct Extremes {
  double low = INFINITY, high = -INFINITY;
  void take(double value) { low = std::min(low, value), high = std::max(high, value); }
};

TEST(Mechanism, PumpWithFloatingLever) {
  const Pump p;
  // Long enough for the start to be forgotten; the last ten seconds, about 23 turns, are looked at.
  std::vector<double> times = {0};
  const double from = 60, to = 70;
  for (int k = 0; k <= 20000; ++k) times.push_back(from + (to - from) * k / 20000);
  const Moved it(p.make(true), dynamic(times, 1e-10));
  ASSERT_EQ(it.assembly.rows.n_free, 2);
  EXPECT_TRUE(it.assembly.redundant.empty());
  const Mechanism& m = it.mechanism;
  const auto x_of = [&](const char* joint) { return m.joints()[static_cast<size_t>(m.find_joint(joint))].first_x; };
  const int phi = x_of("O"), psi = x_of("D"), s = x_of("guide");
  Extremes rpm, angle, stroke, aB, forceB, forceC;
  double largest = 0, worst_power = 0;
  for (Eigen::Index k = 1; k < it.motion.q.cols(); ++k) {
    const auto loads = it.loads(k);
    const MechanismInstant at = it.at(k);
    const VectorX a = it.motion.a.col(k);
    rpm.take(it.motion.x_rate(phi, k) * 30 / kPi);
    angle.take(it.motion.x(psi, k) * 180 / kPi);
    stroke.take(it.motion.x(s, k));
    aB.take(m.calc_point_acceleration(at, a, m.make_side("rod.B")).norm());
    forceB.take(loads[1].reaction_b.force.norm());
    forceC.take(loads[2].reaction_a.force.norm());

    // The 11 equations of Newton and Euler with the motion give the forces back, motor and pump among them:
    // O, B, C (on the rod), D (on the lever), guide, motor, pump.
    const auto point = [&](const char* name) { return m.calc_point(at, m.make_side(name)); };
    const auto acceleration = [&](const char* name) { return m.calc_point_acceleration(at, a, m.make_side(name)); };
    const Vec3 B = point("rod.B"), C = point("rod.C"), D = point("lever.D"), E = point("lever.E"), up(0, p.g, 0);
    const Vec3 G = (B + C) / 2, aG = (acceleration("rod.B") + acceleration("rod.C")) / 2;
    const Vec3 L = (D + E) / 2, aL = (acceleration("lever.D") + acceleration("lever.E")) / 2,
               aE = acceleration("lever.E");
    MatrixX N = MatrixX::Zero(11, 11);
    VectorX f(11);
    const auto put_moment = [&](int row, int column, const Vec3& arm, double sign) {
      N(row, column) -= sign * arm[1];
      N(row, column + 1) += sign * arm[0];
    };
    N(0, 0) = N(1, 1) = 1, N(0, 2) = N(1, 3) = -1;
    f[0] = 0, f[1] = 3 * p.g;  // the crank is balanced; its weight is carried by O
    put_moment(2, 2, B, -1), N(2, 9) = 1;
    f[2] = p.J_crank * a[2];
    N(3, 2) = N(3, 4) = N(4, 3) = N(4, 5) = 1;
    f.segment(3, 2) = (p.m_rod * (aG + up)).head(2);
    put_moment(5, 2, B - G, 1), put_moment(5, 4, C - G, 1);
    f[5] = p.J_rod() * a[5];
    N(6, 6) = N(7, 7) = 1, N(6, 4) = N(7, 5) = -1;
    const Vec3 bar = p.m_bar * (aL + up), weight = p.m_weight * (aE + up);
    f.segment(6, 2) = (bar + weight).head(2);
    put_moment(8, 4, C - D, -1);
    f[8] = p.m_bar * p.b * p.b / 12 * a[8] + (L - D).cross(bar)[2] + (E - D).cross(weight)[2];
    N(9, 6) = -1, N(9, 10) = 1;
    f[9] = p.m_piston * a[9];
    N(10, 7) = -1, N(10, 8) = 1;
    f[10] = p.m_piston * p.g;
    MatrixX X = f;
    ASSERT_TRUE(solve_in_place(N, X));
    const double all[] = {loads[0].reaction_b.force[0], loads[0].reaction_b.force[1], loads[1].reaction_b.force[0],
                          loads[1].reaction_b.force[1], loads[2].reaction_a.force[0], loads[2].reaction_a.force[1],
                          loads[3].reaction_b.force[0], loads[3].reaction_b.force[1], loads[4].reaction_b.force[1],
                          it.motion.source(0, k),       it.motion.source(1, k)};
    for (int i = 0; i < 11; ++i) largest = std::max(largest, std::abs(X(i, 0) - all[i]));
    const double v = it.motion.x_rate(phi, k), s_rate = it.motion.x_rate(s, k);
    const double power = 12 * (1 - v / 17.5) * v + (-15 * std::tanh(s_rate / 0.02) - 15 * s_rate) * s_rate;
    worst_power = std::max(worst_power, std::abs(power - it.motion.power[k]));
  }
  EXPECT_LE(largest, 1e-10);
  EXPECT_LE(worst_power, 1e-10);
  const double mean = (it.motion.x(phi, 20001) - it.motion.x(phi, 1)) / (to - from) * 30 / kPi;
  // As published with the theory, to the printed digits.
  EXPECT_NEAR(mean, 139, 0.5);
  EXPECT_NEAR(rpm.low, 131, 0.5);
  EXPECT_NEAR(rpm.high, 149, 0.5);
  EXPECT_NEAR(angle.low, -8.1, 0.05);
  EXPECT_NEAR(angle.high, 7.7, 0.05);
  EXPECT_NEAR(stroke.high - stroke.low, 0.196, 0.0005);
  EXPECT_NEAR(aB.high, 15.8, 0.05);
  EXPECT_NEAR(forceB.high, 74, 0.5);
  EXPECT_NEAR(forceC.high, 65, 0.5);
  // What motor and pump have done is what the energy has become.
  EXPECT_LE(it.motion.energy_error, 1e-6);
}

TEST(Mechanism, PumpWithFixedPivot) {
  const Pump p;
  const Moved it(p.make(false), dynamic(test::times_to(4, 400), 1e-11));
  ASSERT_EQ(it.assembly.rows.n_free, 1);
  // One freedom: the angle of the lever follows from that of the crank.
  for (Eigen::Index k = 0; k < it.motion.q.cols(); ++k) {
    const double phi = it.motion.x(0, k), psi = it.motion.x(3, k);
    const double Bx = p.r * std::cos(phi), By = p.r * std::sin(phi);
    const double Cx = p.l + p.a * std::sin(psi), Cy = p.h - p.a * std::cos(psi);
    EXPECT_NEAR(std::hypot(Cx - Bx, Cy - By), p.l, test::roundoff(8, 1));
  }
  EXPECT_LE(it.motion.energy_error, 1e-8);
}

}  // namespace
}  // namespace elodyn
