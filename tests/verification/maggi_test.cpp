// Maggi's equations and multipliers on systems whose constraints move: bodies in different frames, a slider, a knife
// edge; and whole bodies from their unassembled elements.
#include "elodyn/linalg/maggi.hpp"

#include <cmath>
#include <cstdio>

#include "tests/support/models.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn {
namespace {

Expression formula(const std::string& text) {
  Expression e;
  EXPECT_FALSE(e.parse(text).has_value()) << text;
  return e;
}

using Matrix2X = Eigen::Matrix2Xd;
using Vec2 = Eigen::Vector2d;
using Mat2 = Eigen::Matrix2d;

Mat2 rotation(double angle) { return Eigen::Rotation2Dd(angle).toRotationMatrix(); }
const Mat2 kJ = (Mat2() << 0, -1, 1, 0).finished();

// A soft rod, so that an explicit integration needs few steps.
test::RodOptions soft_rod() { return {.elements = 3, .length = 0.5, .young = 2e7, .density = 1200, .diameter = 0.02}; }

// Force of a body's reduced equation: f − C ż − K z.
VectorX calc_reduced_force(const BodySystem& s, double t, const VectorX& z, const VectorX& rate) {
  const FactorValues at = s.calc_factors(t);
  return s.reduced.calc_load(at) - s.reduced.calc_velocity(at) * rate - s.reduced.calc_stiffness(at) * z;
}

// Displacement u, v of a point from z.
Matrix2X calc_N(const BodySystem& s, const std::string& point) {
  const auto u = s.mesh.nodes[static_cast<size_t>(s.mesh.node_of_point.at(point))].translations();
  const MatrixX T = s.constraints.T();
  Matrix2X N(2, T.cols());
  N << T.row(u[0]), T.row(u[1]);
  return N;
}

// Angles of two frames and their rates.
struct Angle {
  double value, rate, second;
};
Angle first_angle(double t) {
  return {0.3 + 2 * t + 0.2 * std::sin(3 * t), 2 + 0.6 * std::cos(3 * t), -1.8 * std::sin(3 * t)};
}
Angle second_angle(double t) {
  return {-0.5 + t - 0.3 * std::cos(2 * t), 1 + 0.6 * std::sin(2 * t), 1.2 * std::cos(2 * t)};
}

constexpr double kLength = 0.5;

// Two rods with a pin. The first is clamped in a frame that turns about the ground by φ₁(t); the frame of the second
// has its origin where the tip of the first would be if it were rigid and turns by φ₂(t); its far end is clamped there.
//   R₁N₁q₁ − R₂N₂q₂ = 0,   γ = −2Ȧq̇ − Äq,   Ṙ = RW,  R̈ = R(E + W²)
class PinnedRods : public ConstrainedSystem {
 public:
  explicit PinnedRods(bool same_frame = false, bool forget_coriolis = false)
      : same_frame_(same_frame), forget_coriolis_(forget_coriolis) {
    first_model_ = test::make_rod(soft_rod());
    Motion& a = first_model_.bodies[0].motion;
    a.kind = Motion::Kind::prescribed;
    const std::string w1 = "(2+0.6*cos(3*t))", e1 = "(-1.8*sin(3*t))";
    a.angular_velocity[2] = formula(w1);
    a.angular_acceleration = {Expression(0.0), Expression(0.0), formula(e1)};
    second_model_ = test::make_rod(soft_rod());
    second_model_.bodies[0].supports = {test::make_support(Support::Kind::clamp, "to")};
    Motion& b = second_model_.bodies[0].motion;
    b.kind = Motion::Kind::prescribed;
    b.angular_velocity[2] = formula(same_frame ? w1 : "1+0.6*sin(2*t)");
    b.angular_acceleration = {Expression(0.0), Expression(0.0), formula(same_frame ? e1 : "1.2*cos(2*t)")};
    // R₂ᵀ r̈ of the tip of a rigid first rod.
    const std::string turn = same_frame ? "0" : "(0.8+t+0.2*sin(3*t)+0.3*cos(2*t))";
    b.acceleration[0] = formula(fmt::format("{0}*(-cos({1})*{2}^2 - sin({1})*{3})", kLength, turn, w1, e1));
    b.acceleration[1] = formula(fmt::format("{0}*(-sin({1})*{2}^2 + cos({1})*{3})", kLength, turn, w1, e1));
    first_ = make_body_system(first_model_, first_model_.bodies[0]);
    second_ = make_body_system(second_model_, second_model_.bodies[0]);
    N1_ = calc_N(first_, "to");
    N2_ = calc_N(second_, "from");
    M_ = MatrixX::Zero(n(), n());
    M_.topLeftCorner(n1(), n1()) = first_.reduced.calc_mass();
    M_.bottomRightCorner(n2(), n2()) = second_.reduced.calc_mass();
  }
  PinnedRods(const PinnedRods&) = delete;
  PinnedRods& operator=(const PinnedRods&) = delete;

  Eigen::Index n1() const { return N1_.cols(); }
  Eigen::Index n2() const { return N2_.cols(); }
  int n() const override { return static_cast<int>(n1() + n2()); }
  const BodySystem& first() const { return first_; }
  const BodySystem& second() const { return second_; }
  MatrixX calc_mass(double, const VectorX&) const override { return M_; }
  VectorX calc_force(double t, const VectorX& q, const VectorX& v) const override {
    VectorX out(n());
    out << calc_reduced_force(first_, t, q.head(n1()), v.head(n1())),
        calc_reduced_force(second_, t, q.tail(n2()), v.tail(n2()));
    return out;
  }
  MatrixX calc_A(double t, const VectorX&) const override { return calc_A_rate(t, 0); }
  VectorX calc_b(double t, const VectorX& q) const override { return -calc_A_rate(t, 1) * q; }
  VectorX calc_gamma(double t, const VectorX& q, const VectorX& v) const override {
    return -(forget_coriolis_ ? 0 : 2) * calc_A_rate(t, 1) * v - calc_A_rate(t, 2) * q;
  }
  VectorX calc_positions(double t, const VectorX& q) const override { return calc_A_rate(t, 0) * q; }

 private:
  // A, Ȧ or Ä.
  MatrixX calc_A_rate(double t, int order) const {
    const auto rate = [&](const Angle& a) -> Mat2 {
      const Mat2 R = rotation(a.value);
      return order == 0   ? R
             : order == 1 ? Mat2(R * kJ * a.rate)
                          : Mat2(R * (a.second * kJ - a.rate * a.rate * Mat2::Identity()));
    };
    MatrixX A(2, n());
    A << rate(first_angle(t)) * N1_, -rate(same_frame_ ? first_angle(t) : second_angle(t)) * N2_;
    return A;
  }

  bool same_frame_, forget_coriolis_;
  Model first_model_, second_model_;
  BodySystem first_, second_;
  Matrix2X N1_, N2_;
  MatrixX M_;
};

// A point of a spinning rod is guided along a straight line that turns and shifts in the frame of the rod:
//   n(t)·(x + N q) = d(t),  A = nᵀN,  b = ḋ − ṅᵀ(x + N q),  γ = d̈ − 2ṅᵀN q̇ − n̈ᵀ(x + N q)
class SliderOnARod : public ConstrainedSystem {
 public:
  SliderOnARod() {
    model_ = test::make_rod(soft_rod());
    model_.bodies[0].motion.kind = Motion::Kind::spin;
    model_.bodies[0].motion.speed = 8;
    system_ = make_body_system(model_, model_.bodies[0]);
    N_ = calc_N(system_, "to");
  }
  SliderOnARod(const SliderOnARod&) = delete;
  SliderOnARod& operator=(const SliderOnARod&) = delete;

  int n() const override { return static_cast<int>(N_.cols()); }
  MatrixX calc_mass(double, const VectorX&) const override { return system_.reduced.calc_mass(); }
  VectorX calc_force(double t, const VectorX& q, const VectorX& v) const override {
    return calc_reduced_force(system_, t, q, v);
  }
  MatrixX calc_A(double t, const VectorX&) const override { return normal(t, 0).transpose() * N_; }
  VectorX calc_b(double t, const VectorX& q) const override {
    return VectorX::Constant(1, shift(t, 1) - normal(t, 1).dot(place(q)));
  }
  VectorX calc_gamma(double t, const VectorX& q, const VectorX& v) const override {
    return VectorX::Constant(1, shift(t, 2) - 2 * normal(t, 1).dot(Vec2(N_ * v)) - normal(t, 2).dot(place(q)));
  }
  VectorX calc_positions(double t, const VectorX& q) const override {
    return VectorX::Constant(1, normal(t, 0).dot(place(q)) - shift(t, 0));
  }

 private:
  // The line goes through the undeformed point at t = 0 and swings by 0.02 rad.
  static constexpr double kSwing = 0.02, kRate = 7, kShift = 1e-3;
  Vec2 place(const VectorX& q) const { return Vec2(kLength, 0) + N_ * q; }
  static Vec2 normal(double t, int order) {
    const double a = kSwing * std::sin(kRate * t), a1 = kSwing * kRate * std::cos(kRate * t),
                 a2 = -kSwing * kRate * kRate * std::sin(kRate * t);
    const Vec2 n(-std::sin(a), std::cos(a)), along(std::cos(a), std::sin(a));
    return order == 0 ? n : order == 1 ? Vec2(-a1 * along) : Vec2(-a2 * along - a1 * a1 * n);
  }
  static double shift(double t, int order) {
    return kShift * (order == 0 ? 1 - std::cos(5 * t) : order == 1 ? 5 * std::sin(5 * t) : 25 * std::cos(5 * t));
  }

  Model model_;
  BodySystem system_;
  Matrix2X N_;
};

// A blade on a plane inclined along x: it slides along itself and turns, but does not slip sideways.
//   ẋ sin θ − ẏ cos θ = 0; released at rest, turning with ω:
//   x = g sin α/(2ω²) sin²ωt,  y = g sin α/(2ω²)(ωt − ½ sin 2ωt),  θ = ωt,  λ = −2 m g sin α sin ωt
// It does not run downhill for good but goes sideways along a cycloid.
class KnifeEdge : public ConstrainedSystem {
 public:
  static constexpr double kMass = 2, kInertia = 0.05, kPull = 3, kSpin = 2;  // kPull = g sin α
  int n() const override { return 3; }
  MatrixX calc_mass(double, const VectorX&) const override { return Vec3(kMass, kMass, kInertia).asDiagonal(); }
  VectorX calc_force(double, const VectorX&, const VectorX&) const override { return Vec3(kMass * kPull, 0, 0); }
  MatrixX calc_A(double, const VectorX& q) const override {
    return Eigen::RowVector3d(std::sin(q[2]), -std::cos(q[2]), 0);
  }
  VectorX calc_b(double, const VectorX&) const override { return VectorX::Zero(1); }
  VectorX calc_gamma(double, const VectorX& q, const VectorX& v) const override {
    return VectorX::Constant(1, -v[2] * (std::cos(q[2]) * v[0] + std::sin(q[2]) * v[1]));
  }
  static Vec3 calc_exact(double t) {
    const double size = kPull / (2 * kSpin * kSpin), a = kSpin * t;
    return {size * std::sin(a) * std::sin(a), size * (a - 0.5 * std::sin(2 * a)), a};
  }
};

constexpr ConstraintMethod kMethods[] = {ConstraintMethod::maggi_qr, ConstraintMethod::maggi_partition,
                                         ConstraintMethod::multipliers};

std::vector<double> equal_times(double end, int n) {
  std::vector<double> times;
  for (int k = 0; k <= n; ++k) times.push_back(end * k / n);
  return times;
}

// Largest difference of accelerations and multipliers of Maggi from those of the saddle point, along a motion; relative
// to the largest of them.
double compare_along(const ConstrainedSystem& system, const ConstrainedMotion& motion) {
  double largest = 0, acceleration = 0, lambda = 0;
  for (int pass = 0; pass < 2; ++pass)  // sizes first
    for (size_t k = 0; k < motion.times.size(); ++k) {
      const auto column = static_cast<Eigen::Index>(k);
      const ConstrainedState state = calc_state(system, motion.times[k], motion.q.col(column), motion.v.col(column));
      const ConstrainedSolution want = solve_multipliers(state);
      acceleration = std::max(acceleration, want.acceleration.cwiseAbs().maxCoeff());
      lambda = std::max(lambda, want.lambda.cwiseAbs().maxCoeff());
      if (pass == 0) continue;
      for (const Complement complement : {Complement::qr, Complement::partition}) {
        const ConstrainedSolution got = solve_maggi(state, complement);
        largest = std::max({largest, (got.acceleration - want.acceleration).cwiseAbs().maxCoeff() / acceleration,
                            (got.lambda - want.lambda).cwiseAbs().maxCoeff() / lambda});
      }
    }
  return largest;
}

ConstrainedOptions rough_options() {
  ConstrainedOptions options;
  options.ode.relative = 1e-8;
  options.ode.absolute = 1e-10;
  return options;
}

TEST(Maggi, PinBetweenBodiesInDifferentFrames) {
  const PinnedRods rods;
  const ConstrainedOptions options = rough_options();
  const VectorX rest = VectorX::Zero(rods.n());
  const ConstrainedMotion motion = integrate_constrained(rods, rest, rest, equal_times(1, 20), options);
  ASSERT_EQ(motion.times.size(), 21U);
  EXPECT_GT(motion.q.cwiseAbs().maxCoeff(), 1e-4) << "it moves";
  const double difference = compare_along(rods, motion);
  std::printf("pin: Maggi against multipliers %.1e; drift %.1e m, %.1e m/s over %ld steps\n", difference,
              motion.drift.position, motion.drift.velocity, motion.steps);
  EXPECT_LE(difference, 1e-11);
  EXPECT_LE(motion.drift.position, 1e-15);
  EXPECT_LE(motion.drift.velocity, 1e-13);
}

// With both frames turning alike, the two rods are one body with a hinge in the middle: its own equation, assembled by
// index, has the same accelerations in the same state.
TEST(Maggi, PinIsTheHingeOfOneBody) {
  const PinnedRods rods(true);
  Model one = test::make_rod(soft_rod());
  Body& body = one.bodies[0];
  body.points.push_back(test::make_point("end", {2 * kLength, 0, 0}));
  body.members.push_back(test::make_member("next", "to", "end", 3));
  body.members.back().release_from.axis = {false, false, true};
  body.supports.push_back(test::make_support(Support::Kind::clamp, "end"));
  body.motion.kind = Motion::Kind::prescribed;
  body.motion.angular_velocity[2] = formula("2+0.6*cos(3*t)");
  body.motion.angular_acceleration = {Expression(0.0), Expression(0.0), formula("-1.8*sin(3*t)")};
  // The pull of the whole chain stiffens one body, that of each rod the two: left out on both sides.
  one.terms.geometric = false;
  const BodySystem joined = make_body_system(one, body);

  // Dofs of the joined body at the same places: translations by node, the rotation of an element's end by its element.
  const auto dofs_of = [&](int element, int end) {
    const std::vector<int>& dofs = joined.mesh.elements[static_cast<size_t>(element)].dofs;
    return std::array{dofs[static_cast<size_t>(3 * end)], dofs[static_cast<size_t>(3 * end + 1)],
                      dofs[static_cast<size_t>(3 * end + 2)]};
  };
  const double t = 0.4;
  const FactorValues at = joined.calc_factors(t);
  VectorX z = VectorX::Zero(joined.constraints.n_reduced()), rate = z;
  for (Eigen::Index k = 0; k < z.size(); ++k) {
    z[k] = 1e-3 * std::sin(1.0 + 2.0 * static_cast<double>(k));
    rate[k] = 1e-2 * std::cos(2.0 + 3.0 * static_cast<double>(k));
  }
  const VectorX f =
      joined.reduced.calc_load(at) - joined.reduced.calc_velocity(at) * rate - joined.reduced.calc_stiffness(at) * z;
  MatrixX M = joined.reduced.calc_mass(), x = f;
  ASSERT_TRUE(solve_in_place(M, x));
  const VectorX q = joined.constraints.expand(z), q_rate = joined.constraints.T() * rate,
                want = joined.constraints.T() * x.col(0);
  const auto split = [&](const VectorX& values) {
    VectorX first = VectorX::Zero(rods.first().mesh.n_dofs()), second = first;
    for (int e = 0; e < 3; ++e)
      for (int end = 0; end < 2; ++end)
        for (size_t k = 0; k < 3; ++k) {
          const size_t local = 3 * static_cast<size_t>(end) + k;
          first[rods.first().mesh.elements[static_cast<size_t>(e)].dofs[local]] = values[dofs_of(e, end)[k]];
          second[rods.second().mesh.elements[static_cast<size_t>(e)].dofs[local]] = values[dofs_of(e + 3, end)[k]];
        }
    VectorX out(rods.n());
    out << rods.first().constraints.restrict(first), rods.second().constraints.restrict(second);
    return out;
  };
  EXPECT_LE(rods.calc_positions(t, split(q)).norm(), 1e-17);
  ConstrainedState state = calc_state(rods, t, split(q), split(q_rate));
  // Without the geometric stiffness of each rod.
  const auto remove_Kg = [&](const BodySystem& s, Eigen::Index from, Eigen::Index n) {
    const FactorValues factors = s.calc_factors(t);
    for (const MatrixTerm& term : s.reduced.matrices)
      if (term.kind == TermKind::geometric)
        state.Q.segment(from, n) +=
            factors(term.factor) * (s.reduced.pattern->to_matrix(term.values) * split(q).segment(from, n));
  };
  remove_Kg(rods.first(), 0, rods.n1());
  remove_Kg(rods.second(), rods.n1(), rods.n2());
  const VectorX expected = split(want);
  for (const Complement complement : {Complement::qr, Complement::partition})
    EXPECT_LE((solve_maggi(state, complement).acceleration - expected).norm(), 1e-10 * expected.norm());
}

// −2Ȧq̇ left out of γ: the methods still agree with each other, but the pin opens.
TEST(Maggi, AWrongGammaOpensThePin) {
  const PinnedRods right, wrong(false, true);
  ConstrainedOptions options = rough_options();
  options.project = false;
  const VectorX rest = VectorX::Zero(right.n());
  const ConstrainedMotion good = integrate_constrained(right, rest, rest, {0, 1}, options),
                          bad = integrate_constrained(wrong, rest, rest, {0, 1}, options);
  std::printf("pin without projection over %ld steps: drift %.1e m; with a wrong γ %.1e m\n", good.steps,
              good.drift.position, bad.drift.position);
  EXPECT_LE(good.drift.position, 1e-8);
  EXPECT_GE(bad.drift.position, 1e-5);
}

TEST(Maggi, SliderOnAMovingLine) {
  const SliderOnARod slider;
  ConstrainedOptions options = rough_options();
  const VectorX rest = VectorX::Zero(slider.n());
  const ConstrainedMotion motion = integrate_constrained(slider, rest, rest, equal_times(2, 20), options);
  EXPECT_GT(motion.q.cwiseAbs().maxCoeff(), 1e-3);
  const double difference = compare_along(slider, motion);
  std::printf("slider: Maggi against multipliers %.1e; drift %.1e m, %.1e m/s over %ld steps\n", difference,
              motion.drift.position, motion.drift.velocity, motion.steps);
  EXPECT_LE(difference, 1e-11);
  EXPECT_LE(motion.drift.position, 1e-15);
  EXPECT_LE(motion.drift.velocity, 1e-13);
  options.project = false;  // γ alone keeps it on the line, to within the errors of the integration
  VectorX v = rest;         // consistent: A v = b at t = 0
  v = make_constrained_solver(ConstraintMethod::maggi_qr, slider.calc_mass(0, rest), slider.calc_A(0, rest))
          ->calc_acceleration(rest, slider.calc_b(0, rest));
  EXPECT_LE(integrate_constrained(slider, rest, v, {0, 2}, options).drift.position, 1e-8);
}

TEST(Maggi, KnifeEdgeRunsAlongACycloid) {
  const KnifeEdge edge;
  for (const ConstraintMethod method : kMethods) {
    ConstrainedOptions options;
    options.method = method;
    options.ode.relative = options.ode.absolute = 1e-12;
    const ConstrainedMotion motion =
        integrate_constrained(edge, VectorX::Zero(3), Vec3(0, 0, KnifeEdge::kSpin), equal_times(10, 25), options);
    double error = 0, of_lambda = 0;
    for (size_t k = 0; k < motion.times.size(); ++k) {
      const auto column = static_cast<Eigen::Index>(k);
      const double t = motion.times[k];
      error = std::max(error, (motion.q.col(column) - KnifeEdge::calc_exact(t)).cwiseAbs().maxCoeff());
      const double lambda =
          make_constrained_solver(method, edge.calc_mass(t, motion.q.col(column)), edge.calc_A(t, motion.q.col(column)))
              ->solve(edge.calc_force(t, {}, {}), edge.calc_gamma(t, motion.q.col(column), motion.v.col(column)))
              .lambda[0];
      of_lambda = std::max(of_lambda,
                           std::abs(lambda + 2 * KnifeEdge::kMass * KnifeEdge::kPull * std::sin(KnifeEdge::kSpin * t)));
    }
    // Some thousand steps with errors of 1e-12 each.
    EXPECT_LE(error, 1e-9);
    EXPECT_LE(of_lambda, 1e-8);
    EXPECT_LE(compare_along(edge, motion), 1e-11);
  }
}

// A point on a rod of length 1 m, in Cartesian coordinates: x² + y² = 1, the simplest constraint that bends.
class Pendulum : public ConstrainedSystem {
 public:
  int n() const override { return 2; }
  MatrixX calc_mass(double, const VectorX&) const override { return Mat2::Identity(); }
  VectorX calc_force(double, const VectorX&, const VectorX&) const override { return Vec2(0, -9.81); }
  MatrixX calc_A(double, const VectorX& q) const override { return q.transpose(); }
  VectorX calc_b(double, const VectorX&) const override { return VectorX::Zero(1); }
  VectorX calc_gamma(double, const VectorX&, const VectorX& v) const override {
    return VectorX::Constant(1, -v.squaredNorm());
  }
  VectorX calc_positions(double, const VectorX& q) const override {
    return VectorX::Constant(1, 0.5 * (q.squaredNorm() - 1));
  }
};

// Long runs: with projection constraints are kept to round-off from beginning to end; without it they are violated by
// the errors of the steps, and that of the position grows.
TEST(Maggi, DriftOverALongRun) {
  const auto run = [](const ConstrainedSystem& system, const VectorX& q, const VectorX& v, double end, bool project) {
    ConstrainedOptions options;
    options.project = project;
    options.ode.relative = options.ode.absolute = 1e-9;
    return integrate_constrained(system, q, v, {0, end}, options);
  };
  const KnifeEdge edge;
  const VectorX origin = VectorX::Zero(3), turning = Vec3(0, 0, KnifeEdge::kSpin);
  const ConstrainedMotion kept = run(edge, origin, turning, 2000, true), left = run(edge, origin, turning, 2000, false);
  std::printf("knife edge, 2000 s, %ld steps: |A v − b| ≤ %.1e m/s with projection, %.1e without\n", kept.steps,
              kept.drift.velocity, left.drift.velocity);
  EXPECT_GE(kept.steps, 50'000);
  EXPECT_LE(kept.drift.velocity, 1e-14);  // some ulp of speeds up to 1.5 m/s
  EXPECT_GE(left.drift.velocity, 1e3 * kept.drift.velocity);

  const Pendulum pendulum;
  const Vec2 start(1, 0), rest(0, 0);
  const ConstrainedMotion held = run(pendulum, start, rest, 1000, true), early = run(pendulum, start, rest, 10, false),
                          late = run(pendulum, start, rest, 1000, false);
  std::printf(
      "pendulum, 1000 s, %ld steps: |Φ| ≤ %.1e m² with projection; without it %.1e after 10 s, %.1e at the end\n",
      held.steps, held.drift.position, early.drift.position, late.drift.position);
  EXPECT_GE(held.steps, 50'000);
  EXPECT_LE(held.drift.position, 1e-15);
  EXPECT_LE(held.drift.velocity, 1e-14);
  EXPECT_GE(late.drift.position, 100 * early.drift.position);
  EXPECT_GE(early.drift.position, 1e3 * held.drift.position);
}

// ---- whole bodies ----

// The reduced equation, assembled by index, integrated directly.
MatrixX integrate_reduced(const BodySystem& s, const VectorX& z, const VectorX& rate,
                          const std::vector<double>& times) {
  const Eigen::Index n = z.size();
  MatrixX inverse = MatrixX::Identity(n, n), M = s.reduced.calc_mass();
  EXPECT_TRUE(solve_in_place(M, inverse));
  VectorX y(2 * n);
  y << z, rate;
  OdeOptions options;
  options.relative = 1e-12;
  options.absolute = 1e-16;
  const OdeRate f = [&](double t, const VectorX& at, VectorX& out) {
    out.resize(2 * n);
    VectorX force = calc_reduced_force(s, t, at.head(n), at.tail(n));
    if (!s.modal.empty()) force -= s.modal.M_phi * s.modal.weights.cwiseProduct(s.modal.M_phi.transpose() * at.tail(n));
    out << at.tail(n), inverse * force;
  };
  return integrate(f, y, times, options).y.topRows(n);
}

TEST(Maggi, WholeBodiesMoveAsTheirReducedEquation) {
  Model spinning = test::make_rod(soft_rod());
  spinning.bodies[0].motion.kind = Motion::Kind::spin;
  spinning.bodies[0].motion.speed = 10;
  spinning.bodies[0].loads = {test::make_point_load("to", {0, 0.02, 0})};
  Model prescribed = test::make_rod(soft_rod());
  Motion& motion = prescribed.bodies[0].motion;
  motion.kind = Motion::Kind::prescribed;
  motion.angular_velocity[2] = formula("6*sin(5*t)");
  motion.angular_acceleration = {Expression(0.0), Expression(0.0), formula("30*cos(5*t)")};
  motion.acceleration[1] = formula("2*cos(9*t)");
  Model damped = spinning;
  damped.bodies[0].damping.modal = {0.05, 0.02};
  damped.bodies[0].damping.stiffness = 1e-5;
  for (const Model& m : {spinning, prescribed, damped}) {
    const BodySystem s = make_body_system(m, m.bodies[0]);
    const Eigen::Index n = s.constraints.n_reduced();
    VectorX z = VectorX::Zero(n), rate = VectorX::Zero(n);
    rate[n - 2] = 0.02;
    const std::vector<double> times = equal_times(0.5, 10);
    const MatrixX want = integrate_reduced(s, z, rate, times);
    for (const std::string_view name : {"maggi", "multipliers"}) {
      const SystemFormalism& formalism = *system_formalisms().find(name);
      ASSERT_EQ(formalism.reason_against(s), "");
      const Trajectory got = formalism.simulate(s, z, rate, times);
      ASSERT_EQ(got.times, times);
      EXPECT_EQ(got.stopped, "");
      const double error = (got.z - want).cwiseAbs().maxCoeff() / want.cwiseAbs().maxCoeff();
      std::printf("%.*s: motion of a body against its reduced equation %.1e\n", static_cast<int>(name.size()),
                  name.data(), error);
      EXPECT_LE(error, 1e-8) << name;
    }
  }
}

}  // namespace
}  // namespace elodyn
