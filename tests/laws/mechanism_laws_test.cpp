// Every joint kind, planar and spatial: its rows against differences, what it leaves free, the power of its forces.
// Every formalism: the same accelerations for mechanisms at random.
#include <cmath>
#include <random>

#include "tests/support/mechanisms.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/mechanism/assemble.hpp"
#include "elodyn/mechanism/liaison.hpp"

namespace elodyn {
namespace {

using Kind = Joint::Kind;
using Formalism = MechanismRequest::Formalism;

struct JointCase {
  Kind kind;
  bool planar;
  int holds;
};
constexpr JointCase kCases[] = {
    {Kind::revolute, true, 2},       {Kind::prismatic, true, 2},  {Kind::fixed, true, 3},
    {Kind::point_on_line, true, 1},  {Kind::rolling, true, 2},    {Kind::knife_edge, true, 1},
    {Kind::revolute, false, 5},      {Kind::prismatic, false, 5}, {Kind::cylindrical, false, 4},
    {Kind::universal, false, 4},     {Kind::spherical, false, 3}, {Kind::fixed, false, 6},
    {Kind::point_on_line, false, 2}, {Kind::rolling, false, 3},   {Kind::knife_edge, false, 1}};

Vec3 random_vector(std::mt19937& random, bool planar) {
  std::uniform_real_distribution<double> number(-1, 1);
  return {number(random), number(random), planar ? 0 : number(random)};
}

void add_random_body(Model& model, const std::string& name, bool planar, std::mt19937& random) {
  std::uniform_real_distribution<double> positive(0.5, 2);
  const Vec3 p = random_vector(random, planar), q = random_vector(random, planar);
  Body& body = planar ? test::add_planar_body(model, name, positive(random), positive(random), {{"P", p}, {"Q", q}})
                      : test::add_body(model, name, positive(random), Vec3::Constant(1), {{"P", p}, {"Q", q}});
  if (!planar) body.inertia_tensor = {1.1, 1.3, 1.7, 0.1, -0.05, 0.2};
  body.center = random_vector(random, planar);
  body.place = random_vector(random, planar);
  body.attitude = planar ? Vec3(0, 0, random_vector(random, planar)[0]) : random_vector(random, planar);
}

Joint& add_random_joint(Model& model, const JointCase& what, const std::string& name, const std::string& a,
                        const std::string& b, std::mt19937& random) {
  Joint& joint = test::add_joint(model, name, what.kind, a, b);
  joint.radius = 0.3;
  joint.axis = random_vector(random, what.planar);
  if (what.kind == Kind::universal) {
    joint.axis_b = joint.axis->cross(random_vector(random, false));
  } else if (what.kind == Kind::knife_edge || what.kind == Kind::rolling || what.kind == Kind::prismatic) {
    joint.axis_b = random_vector(random, what.planar);
  }
  return joint;
}

// Two free bodies and the joint between them, assembled, with random velocities that the joint allows.
struct JointAtRandom {
  Mechanism mechanism;
  Assembly assembly;
  MechanismInstant at;

  static Model make_model(const JointCase& what, std::mt19937& random) {
    Model model;
    add_random_body(model, "a", what.planar, random);
    add_random_body(model, "b", what.planar, random);
    add_random_joint(model, what, "J", "a.P", "b.P", random);
    return model;
  }
  JointAtRandom(const JointCase& what, std::mt19937& random) : mechanism(make_model(what, random)) {
    assembly = assemble(mechanism, 0);
    std::uniform_real_distribution<double> number(-1, 1);
    for (double& v : assembly.state.v) v = number(random);
    at = mechanism.make_instant();
    MotionSolver solver(mechanism, assembly.rows, Formalism::kane);
    mechanism.evaluate(assembly.state, at);
    solver.project_velocities(assembly.state, at);
  }
};

constexpr int kSeeds = 20;
const double kStep = std::cbrt(kEps);
const double kDifferences = 100 * kStep * kStep * 10;  // accelerations up to ten

std::string describe(const JointCase& what) {
  Joint joint;
  joint.kind = what.kind;
  return std::string(joint.kind_name()) + (what.planar ? " planar" : " spatial");
}

TEST(JointLaws, RowsAreTheDerivativesOfPositions) {
  for (const JointCase& what : kCases)
    for (int seed = 1; seed <= kSeeds; ++seed) {
      std::mt19937 random(static_cast<unsigned>(seed));
      JointAtRandom it(what, random);
      const VectorX v = it.assembly.state.v;
      MechanismInstant side[2] = {it.mechanism.make_instant(), it.mechanism.make_instant()};
      VectorX Av[2];
      for (int k = 0; k < 2; ++k) {
        MechanismState state = it.assembly.state;
        it.mechanism.add_step(state.q, (k == 0 ? -kStep : kStep) * v);
        it.mechanism.evaluate(state, side[k]);
        Av[k] = side[k].A * v;
      }
      const auto slope = [&](const VectorX& a, const VectorX& b) { return VectorX((b - a) / (2 * kStep)); };
      const Eigen::Index n = it.at.phi.size();
      EXPECT_LE((slope(side[0].phi, side[1].phi) - (it.at.A * v).head(n)).lpNorm<Eigen::Infinity>(), kDifferences)
          << describe(what) << " " << seed;
      // v is kept, so d(A v)/dt = −γ
      EXPECT_LE((slope(Av[0], Av[1]) + it.at.gamma).lpNorm<Eigen::Infinity>(), kDifferences)
          << describe(what) << " " << seed;
      EXPECT_LE((slope(side[0].x, side[1].x) - it.at.x_rate).lpNorm<Eigen::Infinity>(), kDifferences)
          << describe(what) << " " << seed;
      EXPECT_LE((it.at.J * v - it.at.x_rate).lpNorm<Eigen::Infinity>(), test::roundoff(12, 10)) << describe(what);
      EXPECT_LE((slope(side[0].J * v, side[1].J * v) - it.at.bias).lpNorm<Eigen::Infinity>(), kDifferences)
          << describe(what) << " " << seed;
    }
}

TEST(JointLaws, HoldWhatTheyShall) {
  for (const JointCase& what : kCases) {
    std::mt19937 random(5);
    JointAtRandom it(what, random);
    EXPECT_EQ(it.assembly.rows.n_free, it.mechanism.n_v() - what.holds) << describe(what);
    EXPECT_TRUE(it.assembly.redundant.empty()) << describe(what);
    if (it.at.phi.size() > 0) {
      EXPECT_LE(it.at.phi.lpNorm<Eigen::Infinity>(), test::roundoff(64, 1)) << describe(what);
    }
    EXPECT_LE((it.at.A * it.assembly.state.v).lpNorm<Eigen::Infinity>(), test::roundoff(64, 1)) << describe(what);
  }
}

// What a joint does to its two bodies, at their points, has no power in a motion that it allows.
TEST(JointLaws, ForcesHaveNoPower) {
  for (const JointCase& what : kCases)
    for (int seed = 1; seed <= kSeeds; ++seed) {
      std::mt19937 random(static_cast<unsigned>(seed));
      JointAtRandom it(what, random);
      std::uniform_real_distribution<double> number(-1, 1);
      VectorX lambda = VectorX::NullaryExpr(it.mechanism.n_rows(), [&] { return number(random); });
      std::vector<JointLoad> loads;
      calc_joint_loads(it.mechanism, it.at, lambda, VectorX::Zero(it.mechanism.n_x()), loads);
      const auto& joint = it.mechanism.joints()[0];
      const auto power = [&](const Wrench& wrench, const Mechanism::Side& side) {
        return wrench.force.dot(it.mechanism.calc_point_velocity(it.at, side)) +
               wrench.moment.dot(it.at.poses[static_cast<size_t>(side.body)].w);
      };
      EXPECT_NEAR(power(loads[0].reaction_a, joint.a) + power(loads[0].reaction_b, joint.b), 0, test::roundoff(60, 10))
          << describe(what) << " " << seed;
      // and they are opposite
      EXPECT_LE((loads[0].reaction_a.force + loads[0].reaction_b.force).norm(), test::roundoff(20, 10));
      const Vec3 arm = loads[0].point_b - loads[0].point_a;
      EXPECT_LE((loads[0].reaction_a.moment + loads[0].reaction_b.moment + arm.cross(loads[0].reaction_b.force)).norm(),
                test::roundoff(60, 10))
          << describe(what);
    }
}

// A chain from the ground with joints at random, closed at its end where it happens to be.
Model make_random_mechanism(bool planar, int n, std::mt19937& random) {
  Model model;
  model.gravity = Vec3(0.3, -9.81, planar ? 0 : 1.7);
  model.ground_points = test::make_points({{"P", Vec3::Zero()}});
  std::vector<JointCase> kinds;
  for (const JointCase& what : kCases)
    if (what.planar == planar && what.kind != Kind::rolling && what.kind != Kind::fixed) kinds.push_back(what);
  std::string before = "ground.P";
  for (int k = 0; k < n; ++k) {
    const std::string name = "b" + std::to_string(k);
    add_random_body(model, name, planar, random);
    const JointCase what = kinds[random() % kinds.size()];
    const Joint& joint = add_random_joint(model, what, "J" + std::to_string(k), before, name + ".P", random);
    if (n_coordinates(what.kind, planar) > 0 && k % 2 == 0) {
      MechanismSpring& spring = model.springs.emplace_back();
      spring.name = "S" + std::to_string(k);
      spring.joint.value = joint.name;
      spring.stiffness = test::number(30);
      spring.damping = test::number(0.7);
    }
    before = name + ".Q";
  }
  Mechanism open(model);
  const Assembly assembly = assemble(open, 0);
  MechanismInstant at = open.make_instant();
  open.evaluate(assembly.state, at);
  Point end = model.ground_points[0];
  end.name = "end";
  end.x = open.calc_point(at, open.make_side(before));
  model.ground_points.push_back(end);
  Joint& last = test::add_joint(model, "last", Kind::point_on_line, "ground.end", before);
  last.axis = random_vector(random, planar);
  // Guesses that are near, so that the loop closes in the same way.
  for (size_t k = 0; k < model.bodies.size(); ++k) {
    model.bodies[k].place = open.calc_origin(at, static_cast<int>(k));
    const Mat3 R = open.calc_R(at, static_cast<int>(k));
    const Eigen::AngleAxisd turn(R);
    model.bodies[k].attitude = planar ? Vec3(0, 0, at.poses[k].theta) : Vec3(turn.angle() * turn.axis());
  }
  return model;
}

TEST(MechanismLaws, FormalismsAgree) {
  int freest = 0;
  for (const bool planar : {true, false})
    for (int seed = 1; seed <= 60; ++seed) {
      std::mt19937 random(static_cast<unsigned>(seed));
      Mechanism mechanism(make_random_mechanism(planar, 2 + seed % 4, random));
      Assembly assembly = assemble(mechanism, 0);
      std::uniform_real_distribution<double> number(-2, 2);
      for (double& v : assembly.state.v) v = number(random);
      MechanismInstant at = mechanism.make_instant();
      mechanism.evaluate(assembly.state, at);
      MotionSolver(mechanism, assembly.rows, Formalism::kane).project_velocities(assembly.state, at);
      freest = std::max(freest, assembly.rows.n_free);
      MotionSolver reference(mechanism, assembly.rows, Formalism::multipliers);
      VectorX want, got, lambda;
      reference.solve(at, want);
      reference.calc_lambda(at, want, lambda);
      constexpr double limit = 1e-10;  // condition of some hundred times round-off; 5e-14 is found
      for (const Formalism formalism : {Formalism::kane, Formalism::maggi, Formalism::gibbs_appell}) {
        MotionSolver solver(mechanism, assembly.rows, formalism);
        solver.solve(at, got);
        EXPECT_LE((got - want).norm(), limit * want.norm())
            << "planar " << planar << " seed " << seed << " formalism " << static_cast<int>(formalism);
      }
      VectorX rest = -at.Q - at.A.transpose() * lambda;
      mechanism.add_mass_times(want, rest);
      EXPECT_LE(rest.norm(), limit * (at.Q.norm() + lambda.norm())) << "planar " << planar << " seed " << seed;
      EXPECT_LE((at.A * want - at.gamma).norm(), limit * (1 + at.gamma.norm()));
    }
  EXPECT_GE(freest, 5);
}

}  // namespace
}  // namespace elodyn
