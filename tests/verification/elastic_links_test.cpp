// An elastic rod in the motion of its mechanism: its frequencies over a cycle, and its vibration against equations
// that are written down here by hand, without finite elements.
#include <array>
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/linkages.hpp"
#include "tests/support/results.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;
using test::column;
using test::ElasticRod;
using test::ElasticSliderCrank;
using test::largest;
using test::largest_difference;
using test::Linked;

// ---- a slider-crank by hand ----

// The rod's angle β, sin β = −(r/l) sin φ, and what follows for its frame at B, x along BC.
struct RodMotion {
  double w = 0, e = 0, ax = 0, ay = 0;  // ay, ax: of B in the axes of the rod
  double Nc = 0;                        // force on the rod at C along it
};
RodMotion calc_motion(const ElasticSliderCrank& p, double t) {
  const double f = p.speed * t, l = p.rod.length, S = std::sin(f), C = std::cos(f);
  const double beta = std::asin(-p.r / l * S), s = std::sin(beta), c = std::cos(beta);
  RodMotion out;
  out.w = -p.r * p.speed * C / (l * c);
  out.e = (p.r * p.speed * p.speed * S / l + s * out.w * out.w) / c;
  const double aBx = -p.r * p.speed * p.speed * C, aBy = -p.r * p.speed * p.speed * S;
  out.ax = c * aBx + s * aBy;
  out.ay = -s * aBx + c * aBy;
  // Slider: X on it is −Cx. Moments about B of the uniform rod give the other component of the force at C.
  const double slider = aBx - l * (c * out.w * out.w + s * out.e);
  const double Cx = -p.m_slider * slider, m = p.rod.mass();
  const double moment = m * l * l / 3 * out.e + m * l / 2 * out.ay;  // = l (−s Cx + c Cy)
  const double Cy = (moment / l + s * Cx) / c;
  out.Nc = c * Cx + s * Cy;
  return out;
}

// v = Σ η_n sin(nπx/l):  ρA(v̈ + a_y + ε x − ω² v) + EI v'''' − (N v')' = 0 by Galerkin's method,
//   N(x) = N_C − ρA ∫_x^l (a_x − ω² ξ) dξ,  from N' = ρA(a_x − ω² x).
struct HandModes {
  static constexpr int kModes = 7;
  using Eta = Eigen::Matrix<double, kModes, 1>;
  const ElasticSliderCrank& p;
  bool geometric = true, centrifugal = true;

  // ∫ x^k (sin nπx/l)' (sin jπx/l)' dx of k = 0, 1, 2, by Simpson's rule.
  std::array<Eigen::Matrix<double, kModes, kModes>, 3> moments = calc_moments();

  std::array<Eigen::Matrix<double, kModes, kModes>, 3> calc_moments() const {
    std::array<Eigen::Matrix<double, kModes, kModes>, 3> out;
    const double l = p.rod.length;
    constexpr int kIntervals = 2000;
    for (int k = 0; k < 3; ++k)
      for (int n = 1; n <= kModes; ++n)
        for (int j = 1; j <= kModes; ++j) {
          double sum = 0;
          for (int i = 0; i <= kIntervals; ++i) {
            const double x = l * i / kIntervals, weight = i == 0 || i == kIntervals ? 1 : i % 2 == 1 ? 4 : 2;
            sum += weight * std::pow(x, k) * std::cos(n * pi * x / l) * std::cos(j * pi * x / l);
          }
          out[static_cast<size_t>(k)](n - 1, j - 1) = sum * l / kIntervals / 3 * (n * pi / l) * (j * pi / l);
        }
    return out;
  }

  Eta accelerate(double t, const Eta& eta) const {
    const RodMotion m = calc_motion(p, t);
    const double l = p.rod.length, rho = p.rod.density * p.rod.area(), EI = p.rod.young * p.rod.I();
    const double c0 = m.Nc - rho * (m.ax * l - m.w * m.w * l * l / 2), c1 = rho * m.ax, c2 = -rho * m.w * m.w / 2;
    Eta out;
    for (int n = 1; n <= kModes; ++n) {
      const double k = n * pi / l, sign = n % 2 == 0 ? 1 : -1;
      out[n - 1] = -EI / rho * std::pow(k, 4) * eta[n - 1] - 2 / l * (m.ay * (1 - sign) / k - m.e * l * sign / k);
    }
    if (centrifugal) out += m.w * m.w * eta;
    if (geometric) out -= 2 / (l * rho) * (c0 * (moments[0] * eta) + c1 * (moments[1] * eta) + c2 * (moments[2] * eta));
    return out;
  }

  // Deflection of the middle at the times k·h·every from rest, by the classical Runge–Kutta method.
  std::vector<double> run(double end, int records, int per_record) const {
    Eta eta = Eta::Zero(), rate = Eta::Zero();
    std::vector<double> out = {0};
    const double h = end / records / per_record;
    for (int k = 0; k < records; ++k) {
      for (int i = 0; i < per_record; ++i) {
        const double t = end * k / records + h * i;
        const Eta a1 = accelerate(t, eta), r2 = rate + h / 2 * a1;
        const Eta a2 = accelerate(t + h / 2, eta + h / 2 * rate), r3 = rate + h / 2 * a2;
        const Eta a3 = accelerate(t + h / 2, eta + h / 2 * r2), r4 = rate + h * a3;
        const Eta a4 = accelerate(t + h, eta + h * r3);
        eta += h / 6 * (rate + 2 * r2 + 2 * r3 + r4);
        rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
      }
      double v = 0;
      for (int n = 1; n <= kModes; ++n) v += eta[n - 1] * std::sin(n * pi / 2);
      out.push_back(v);
    }
    return out;
  }
};

// A thin rod that bends well but hardly stretches; slow enough to be stable, quick enough for N to count.
ElasticSliderCrank make_thin() {
  ElasticSliderCrank p;
  p.speed = 40;
  p.rod.length = 0.4;
  p.rod.width = 0.003;
  p.rod.height = 0.02;
  p.rod.elements = 20;
  p.m_slider = 0.5;
  return p;
}

std::vector<double> simulate_middle(const Model& model, double end, int records) {
  Model asked = model;
  SimulateRequest request;
  request.duration = end;
  constexpr int kPerRecord = 20;
  request.steps = kPerRecord * records;
  request.every = kPerRecord;
  request.integrator.value = "gauss4";
  asked.simulate = request;
  const Results results = run_analysis(asked, "simulate");
  EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
  return column(results, "rod_history", "M_v");
}

// The element's frequencies are too high by (πh/l)⁴/1440, the phase after ω₁t radians by that much: 1e-4 of it after a
// turn. What stretching and the modes beyond the seventh do is below.
constexpr double kOfModes = 1e-3;

TEST(ElasticLinks, VibrationIsThatOfAModalEquationByHand) {
  const ElasticSliderCrank p = make_thin();
  const int records = 100;
  const double end = p.period();
  const double P_E = pi * pi * p.rod.young * p.rod.I() / (p.rod.length * p.rod.length);
  double N = 0;
  for (int k = 0; k < 100; ++k) N = std::max(N, std::abs(calc_motion(p, end * k / 100).Nc));
  EXPECT_GT(N, 0.02 * P_E);  // so that Kg is seen
  Model model = p.make();
  std::array<std::vector<double>, 3> middle, want;
  for (size_t which = 0; which < 3; ++which) {
    model.terms.geometric = which != 1;
    model.terms.centrifugal_stiffness = which != 2;
    const HandModes hand{p, model.terms.geometric, model.terms.centrifugal_stiffness};
    want[which] = hand.run(end, records, 50);
    middle[which] = simulate_middle(model, end, records);
    EXPECT_LE(largest_difference(middle[which], want[which]), kOfModes * largest(want[which])) << which;
  }
  // Each term by what it changes.
  for (size_t which = 1; which < 3; ++which) {
    std::vector<double> effect, by_hand;
    for (size_t k = 0; k < want[0].size(); ++k) {
      effect.push_back(middle[which][k] - middle[0][k]);
      by_hand.push_back(want[which][k] - want[0][k]);
    }
    EXPECT_GT(largest(by_hand), 0.5 * kOfModes * largest(want[0])) << which;
    EXPECT_LE(largest_difference(effect, by_hand), 0.03 * largest(by_hand)) << which;
  }
}

// ---- the pump ----

// Crank, elastic rod BC, floating lever D–C–E with a weight at E, pistons at D on a horizontal guide: two freedoms.
Model make_pump(double settle, double duration) {
  constexpr double r = 0.065, l = 0.55, h = 0.25, a = 0.25, b = 0.75;
  Model model;
  model.gravity = Vec3(0, -9.81, 0);
  model.ground_points = test::make_points({{"O", Vec3::Zero()}, {"H", Vec3(0, h, 0)}});
  test::add_planar_body(model, "crank", 1, 0.08, {{"O", Vec3::Zero()}, {"B", Vec3(r, 0, 0)}});
  ElasticRod rod;
  rod.length = l;
  rod.element = "beam_rayleigh";
  test::add_elastic_rod(model, rod).place = Vec3(r, 0, 0);
  // Bar of 1.2 kg over b and 5 kg at E; its x axis goes from D to E, down at ψ = 0.
  constexpr double m_bar = 1.2, m_weight = 5, m = m_bar + m_weight, c = (m_bar * b / 2 + m_weight * b) / m;
  constexpr double J = m_bar * b * b / 3 + m_weight * b * b - m * c * c;
  Body& lever =
      test::add_planar_body(model, "lever", m, J, {{"D", Vec3::Zero()}, {"C", Vec3(a, 0, 0)}, {"E", Vec3(b, 0, 0)}});
  lever.center = Vec3(c, 0, 0);
  lever.place = Vec3(r + l, h, 0);
  lever.attitude = Vec3(0, 0, -pi / 2);
  test::add_planar_body(model, "piston", 0.6, 1e-3, {{"D", Vec3::Zero()}}).place = Vec3(r + l, h, 0);
  Joint& crank = test::add_joint(model, "O", Joint::Kind::revolute, "ground.O", "crank.O");
  crank.position = test::number(0);
  crank.speed = test::number(14.6);
  test::add_joint(model, "B", Joint::Kind::revolute, "crank.B", "rod.B");
  test::add_joint(model, "C", Joint::Kind::revolute, "rod.C", "lever.C");
  test::add_joint(model, "D", Joint::Kind::revolute, "lever.D", "piston.D");
  test::add_joint(model, "guide", Joint::Kind::prismatic, "ground.H", "piston.D").axis = Vec3(1, 0, 0);
  Motor motor;
  motor.name = "motor";
  motor.joint.value = "O";
  motor.torque = test::expression("12*(1 - w/17.5)", kJointVariables);
  model.motors = {motor};
  MechanismForce pumps;
  pumps.name = "pumps";
  pumps.joint.value = "guide";
  pumps.force = test::expression("-15*tanh(v/0.02) - 15*v", kJointVariables);
  model.forces = {pumps};
  model.mechanism = MechanismRequest{};
  model.mechanism->settle = settle;
  model.mechanism->duration = duration;
  model.mechanism->tolerance = 1e-9;
  model.mechanism->records = 1000;
  return model;
}

// Ranges of the published model's prototype, ten cubic elements, two decimals of its last digits.
TEST(ElasticLinks, PumpRodHasItsFrequenciesOverACycle) {
  Model model = make_pump(30, 32);
  Model at_rest = model;
  at_rest.bodies = {model.bodies[1]};
  at_rest.bodies[0].motion = Motion{};
  at_rest.gravity.setZero();
  const Results still = run_modes(at_rest);
  EXPECT_NEAR(still.modes[0].omega / (2 * pi), 38.89, test::half_unit(38.89, 4));

  model.cycle = CycleRequest{};
  model.cycle->count = 4;
  const Results results = run_analysis(model, "cycle");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  const auto &least = column(results, "cycle", "least"), &most = column(results, "cycle", "most");
  const double want[][2] = {{38.28, 39.51}, {154.95, 156.18}, {349.49, 350.72}, {622.3, 623.6}};
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(least[k], want[k][0], k < 3 ? 0.01 : 0.1) << k;
    EXPECT_NEAR(most[k], want[k][1], k < 3 ? 0.01 : 0.1) << k;
  }
  EXPECT_NEAR(column(results, "rod_cycle", "O_angle").back() - column(results, "rod_cycle", "O_angle").front(), 360,
              1e-6);
}

// ---- limits ----

// Slow against its own vibration the rod follows its static deflection; the harmonics are those of the deflection.
TEST(ElasticLinks, SlowSteadyVibrationIsStatic) {
  ElasticSliderCrank p;
  p.speed = 0.5;
  p.g = 9.81;
  Model model = p.make();
  model.bodies[1].damping.modal = std::vector<double>(10, 0.05);
  model.periodic = PeriodicRequest{};
  model.periodic->records = 36;
  const Results results = run_analysis(model, "periodic");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  const auto& v = column(results, "rod_periodic", "M_v");
  const auto& times = column(results, "rod_periodic", "time");
  // (Ω/ω₁)² and the damping 2ζΩ/ω₁ of the harmonics that count.
  const double w1 =
      pi * pi / (p.rod.length * p.rod.length) * std::sqrt(p.rod.young * p.rod.I() / (p.rod.density * p.rod.area()));
  const double bound = 4 * (2 * 0.05 * p.speed / w1 + std::pow(p.speed / w1, 2));
  for (size_t k = 0; k < v.size(); k += 7) {
    Model frozen = model;
    frozen.static_ = StaticRequest{};
    frozen.static_->time = times[k];
    const Results still = run_static(frozen);
    ASSERT_TRUE(still.outcome.ok()) << still.outcome.message;
    EXPECT_NEAR(v[k], test::at_point(still, "rod", {"u", "v", "rz"}, "M")[1], (bound + 1e-5) * largest(v)) << k;
  }
}

// What is left of a long simulation with damping is the steady vibration.
TEST(ElasticLinks, SteadyVibrationIsWhatRemains) {
  ElasticSliderCrank p = make_thin();
  p.rod.elements = 6;
  Model model = p.make();
  model.bodies[1].damping.modal = std::vector<double>(18, 0.1);
  model.periodic = PeriodicRequest{};
  model.periodic->records = 40;
  model.periodic->tolerance = 1e-7;
  const Results steady = run_analysis(model, "periodic");
  ASSERT_TRUE(steady.outcome.ok()) << steady.outcome.message;
  const auto& want = column(steady, "rod_periodic", "M_v");
  // exp(−ζω₁t) of the slowest mode: 1e-7 after this many periods. The motion of the mechanism goes on by itself.
  const double w1 =
      pi * pi / (p.rod.length * p.rod.length) * std::sqrt(p.rod.young * p.rod.I() / (p.rod.density * p.rod.area()));
  const int periods = static_cast<int>(std::ceil(16 / (0.1 * w1 * p.period())));
  const std::vector<double> middle = simulate_middle(model, periods * p.period(), 40 * periods);
  const std::vector<double> last(middle.end() - 41, middle.end());
  EXPECT_LE(largest_difference(last, want), 2e-6 * largest(want));

  // Parseval: the harmonics hold all of it.
  double square = 0, sum = 0;
  for (size_t k = 0; k + 1 < want.size(); ++k) square += want[k] * want[k] / 40;
  model.periodic->harmonics = 19;
  const Results spectrum = run_analysis(model, "periodic");
  const auto& U = column(spectrum, "rod_harmonics", "M_v");
  for (size_t k = 0; k < U.size(); ++k) sum += k == 0 ? U[k] * U[k] : U[k] * U[k] / 2;
  EXPECT_NEAR(sum, square, 1e-5 * square);  // but for the last harmonic
}

TEST(ElasticLinks, FloquetFindsThePeriodOfTheMechanism) {
  Model model = make_thin().make();
  model.floquet = FloquetRequest{};
  model.floquet->basis = 4;
  const Results results = run_analysis(model, "floquet");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  EXPECT_NEAR(column(results, "floquet", "period")[0], make_thin().period(), 1e-9);
  EXPECT_NEAR(column(results, "floquet", "largest_multiplier")[0], 1, 1e-6);
}

// ---- the elastic slider-crank of the test set for initial value problems ----

// [MazziaMagherini2008], slider crank: rod of bending shapes sin(πx/l), sin(2πx/l) with amplitudes q1, q2 in a frame
// through its ends, stretches q3 in the middle and q4 at the end; the crank turns at 150 rad/s; no gravity; the rod
// starts straight and at rest in its frame. No geometric stiffness there (linear stiffness), and viscous damping 5 q̇1,
// 25 q̇2: without it the vibration from the start would stay, q̇1 about 2 m/s, where the reference has 0.03. Its axial
// mass matrix is fifteen times that of a rod (8, 1, 1, 2 times ρAl, not ρAl/15), and the deformation moves the slider
// and turns the frame (two-way coupling). So angles and bending are compared, stretches and forces listed
// (docs/theory).
TEST(ElasticLinks, SliderCrankOfTheTestSet) {
  constexpr double kAngle = -0.3311734987910881, kX = 0.169737332671841, kQ1 = 0.0001893192460247178,
                   kQ2 = 2.375751865617931e-05, kQ3 = -5.323907988763734e-06, kQ4 = -8.36328314161684e-06,
                   kGuide = 62.32893262533717, kForce = 163.7910131687472, kTorque = 25.29853213732781;
  constexpr double kQ1Bound = 1.1e-5;  // 0.6 % of the largest q1 on the way, 1.79e-3
  ElasticSliderCrank p;
  p.r = 0.15;
  p.speed = 150;
  p.m_slider = 0.075552;
  p.rod = {.length = 0.3,
           .young = 200e9,
           .density = 7870,
           .width = 0.008,
           .height = 0.008,
           .elements = 10,
           .element = "beam_rayleigh",
           .dimension = 2};
  Model model = p.make();
  model.mechanism->duration = 0.1;
  model.mechanism->records = 1000;
  const double w1 = pi * pi / 0.09 * std::sqrt(p.rod.young * p.rod.I() / (p.rod.density * p.rod.area()));
  model.bodies[1].damping.modal = std::vector<double>(10, 0.03);
  model.bodies[1].damping.modal[0] = 5 / (w1 * p.rod.mass());
  model.bodies[1].damping.modal[1] = 25 / (4 * w1 * p.rod.mass());
  Body& rod = model.bodies[1];
  rod.points.clear();
  rod.members.clear();
  for (int k = 0; k <= 10; ++k)
    rod.points.push_back(test::make_point(k == 0 ? "B" : k == 10 ? "C" : "P" + std::to_string(k), {0.03 * k, 0, 0}));
  for (size_t k = 0; k < 10; ++k)
    rod.members.push_back(test::make_member("m" + std::to_string(k), rod.points[k].name, rod.points[k + 1].name, 1));
  const RigidStage rigid = run_rigid_stage(model);
  const auto last = rigid.motion.q.cols() - 1;
  EXPECT_NEAR(rigid.motion.x(0, last), 15, 1e-12);
  EXPECT_NEAR(rigid.motion.q(rigid.mechanism.bodies()[1].q0 + 2, last), kAngle, 1e-4);
  EXPECT_NEAR(rigid.motion.x(rigid.mechanism.joints()[3].first_x, last), kX, 1e-4);

  const auto bend = [&](bool geometric) {
    Model asked = model;
    asked.terms.geometric = geometric;
    asked.simulate = SimulateRequest{};
    asked.simulate->duration = 0.1;
    asked.simulate->steps = 4000;
    asked.simulate->every = 4000;
    asked.simulate->integrator.value = "gauss4";
    const Results results = run_analysis(asked, "simulate");
    EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
    std::array<double, 2> q = {0, 0};
    for (int k = 1; k < 10; ++k)  // ends are 0
      for (int n = 1; n <= 2; ++n)
        q[static_cast<size_t>(n) - 1] += 2.0 / 10 * std::sin(n * pi * k / 10) *
                                         column(results, "rod_history", "P" + std::to_string(k) + "_v").back();
    return q;
  };
  const auto plain = bend(false), stiffened = bend(true);
  EXPECT_NEAR(plain[0], kQ1, kQ1Bound);
  EXPECT_NEAR(plain[1], kQ2, 0.01 * kQ2);
  EXPECT_GT(stiffened[0] - plain[0], 0.05 * kQ1);  // what the geometric stiffness would add

  // Joined: the rod carries the slider, whose guide holds its end.
  model.terms.geometric = false;
  const JoinedLinks joined(model);
  const Linkage& linkage = joined.linkage();
  const VectorX zero = VectorX::Zero(linkage.n());
  const std::vector<LinkageState> states =
      run_linkage(linkage, calc_linkage_state(linkage, 0, zero, zero), 0.1 / 4000, 4000, 4000);
  const LinkageState& end = states.back();
  const VectorX bent = joined.calc_deformation(0, end.y), moved = joined.calc_motion(0, end.y);
  const BodySystem& system = joined.system(0);
  const auto at = [&](const std::string& point, const VectorX& q) {
    return components(system.mesh.nodes[static_cast<size_t>(system.mesh.node_of_point.at(point))].translations(), q);
  };
  double q1 = 0, q2 = 0;
  for (int k = 1; k < 10; ++k) {
    const double v = at("P" + std::to_string(k), bent)[1];
    q1 += 0.2 * std::sin(pi * k / 10) * v;
    q2 += 0.2 * std::sin(2 * pi * k / 10) * v;
  }
  const Mechanism& mechanism = joined.rigid().mechanism;
  const auto guide = calc_joint_histories(mechanism, joined.rigid().motion, joined.rigid().assembly.rows)[3];
  const Vec3 on_slider = linkage.calc_joint_force(0.1, 3, end.delta_lambda).force;
  const VectorX slider = linkage.pick("slider", end.y), slider2 = linkage.pick("slider", end.y_second);
  // Angle and slider with what the deformation adds; the slider's mass stretches the rod, and the joints feel both.
  EXPECT_NEAR(joined.rigid().motion.q(mechanism.bodies()[1].q0 + 2, last) + at("C", moved)[1] / 0.3, kAngle, 1e-5);
  EXPECT_NEAR(joined.rigid().motion.x(mechanism.joints()[3].first_x, last) + slider[0], kX, 1e-5);
  EXPECT_NEAR(q1, kQ1, kQ1Bound);
  EXPECT_NEAR(q2, kQ2, 0.01 * kQ2);
  EXPECT_NEAR(at("P5", bent)[0], kQ3, -0.01 * kQ3);
  EXPECT_NEAR(at("C", bent)[0], kQ4, -0.01 * kQ4);
  EXPECT_NEAR(std::abs(guide.world(1, last) + on_slider[1]), kGuide, 0.01 * kGuide);
  EXPECT_NEAR(p.m_slider * (joined.rigid().motion.a(mechanism.bodies()[2].v0, last) + slider2[0]), kForce,
              0.01 * kForce);
  EXPECT_NEAR(std::abs(joined.rigid().motion.driver(0, last) + end.delta_lambda[linkage.n_rows() - 1]), kTorque,
              0.01 * kTorque);
}

}  // namespace
}  // namespace elodyn
