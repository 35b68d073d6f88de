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
  // All on one line twice a turn: θ̇² = 1 + 7 g (1 − cos θ)/3 goes round in 1.66 s.
  EXPECT_GE(it.motion.singular.size(), 10u);
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
    EXPECT_NEAR(it.motion.x_acceleration(guide, k), s_second,
                1e-8);  // the driver's second derivative is by differences

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
    const double scale = 1e-8 * 50;
    EXPECT_NEAR(loads[2].reaction_a.force[0], Cx, scale);
    EXPECT_NEAR(loads[2].reaction_a.force[1], Cy, scale);
    EXPECT_LE((loads[1].reaction_b.force - FB).norm(), scale);
    EXPECT_LE((loads[0].reaction_b.force - FO).norm(), scale);
    EXPECT_NEAR(it.motion.driver(0, k), torque, scale);
    EXPECT_LE((loads[0].total_b().moment - Vec3(0, 0, torque)).norm(), scale);
    EXPECT_NEAR(loads[3].reaction_b.force[1], p.m_slider * p.g + Cy, scale);
  }
}

}  // namespace
}  // namespace elodyn
