#include "elodyn/linalg/maggi.hpp"

#include <cmath>
#include <random>

#include "tests/support/models.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/block_system.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn {
namespace {

constexpr ConstraintMethod kMethods[] = {ConstraintMethod::maggi_qr, ConstraintMethod::maggi_partition,
                                         ConstraintMethod::multipliers};

MatrixX random_matrix(Eigen::Index rows, Eigen::Index columns, std::mt19937& random) {
  std::uniform_real_distribution<double> number(-1, 1);
  return MatrixX::NullaryExpr(rows, columns, [&] { return number(random); });
}

// M of rank r, so that some coordinates may have no mass of their own.
ConstrainedState random_state(Eigen::Index n, Eigen::Index m, Eigen::Index r, std::mt19937& random) {
  const MatrixX root = random_matrix(n, r, random);
  return {root * root.transpose(), random_matrix(n, 1, random), random_matrix(m, n, random),
          random_matrix(m, 1, random)};
}

double distance(const VectorX& a, const VectorX& b) { return (a - b).norm() / std::max(1e-300, b.norm()); }

// Conditions up to about 1e3 of random matrices times round-off stay below 1e-11.
TEST(Maggi, BothComplementsAndMultipliersAgree) {
  std::mt19937 random(7);
  for (const auto& [n, m, rank] : {std::array{6, 2, 6}, {9, 4, 12}, {30, 11, 40}, {12, 5, 8}, {5, 5, 5}, {4, 0, 5}}) {
    const ConstrainedState state = random_state(n, m, rank, random);
    const ConstrainedSolution want = solve_multipliers(state);
    EXPECT_LE((state.A * want.acceleration - state.gamma).norm(), 1e-11 * (1 + want.acceleration.norm()));
    EXPECT_LE((state.M * want.acceleration - state.Q - state.A.transpose() * want.lambda).norm(),
              1e-11 * (1 + want.lambda.norm()));
    for (const Complement complement : {Complement::qr, Complement::partition}) {
      const ConstrainedSolution got = solve_maggi(state, complement);
      EXPECT_LE(distance(got.acceleration, want.acceleration), 1e-11) << n << " " << m;
      EXPECT_LE((got.lambda - want.lambda).norm(), 1e-11 * (1 + want.lambda.norm())) << n << " " << m;
      EXPECT_TRUE(got.dependent.empty());
      const AdmissibleMotions motions(state.A, complement);
      EXPECT_EQ(motions.complement().cols(), n - m);
      if (n > m) {
        EXPECT_LE((state.A * motions.complement()).norm(), 1e-12 * motions.complement().norm());
      }
    }
  }
}

// Units of coordinates and of rows do not matter: lengths with angles, rows in any measure.
TEST(Maggi, DoesNotDependOnUnits) {
  std::mt19937 random(3);
  const ConstrainedState state = random_state(8, 3, 8, random);
  const VectorX units = (VectorX(8) << 1, 1e3, 1e-4, 1, 1e5, 1e-2, 1, 10).finished(), rows = Vec3(1e6, 1, 1e-5);
  const ConstrainedState other{units.asDiagonal() * state.M * units.asDiagonal(), units.cwiseProduct(state.Q),
                               rows.asDiagonal() * state.A * units.asDiagonal(), rows.cwiseProduct(state.gamma)};
  for (const ConstraintMethod method : kMethods) {
    const ConstrainedSolution a = make_constrained_solver(method, state.M, state.A)->solve(state.Q, state.gamma);
    const ConstrainedSolution b = make_constrained_solver(method, other.M, other.A)->solve(other.Q, other.gamma);
    EXPECT_LE(distance(b.acceleration.cwiseProduct(units), a.acceleration), 1e-11);
    EXPECT_LE(distance(b.lambda.cwiseProduct(rows), a.lambda), 1e-11);
  }
}

TEST(Maggi, DependentRowsAreNumberedAndLeftOut) {
  std::mt19937 random(11);
  ConstrainedState state = random_state(7, 4, 7, random);
  state.A.row(3) = 2 * state.A.row(0) - state.A.row(1);
  state.gamma[3] = 2 * state.gamma[0] - state.gamma[1];
  ConstrainedState without = state;
  without.A = state.A.topRows(3);
  without.gamma = state.gamma.head(3);
  const ConstrainedSolution want = solve_multipliers(without);
  const VectorX shortest = least_squares(state.A.transpose(), without.A.transpose() * want.lambda);
  for (const ConstraintMethod method : kMethods) {
    const ConstrainedSolution got = make_constrained_solver(method, state.M, state.A)->solve(state.Q, state.gamma);
    EXPECT_FALSE(got.lambda_is_unique());
    ASSERT_EQ(got.dependent.size(), 1U);
    EXPECT_NE(got.dependent[0], 2) << "the third row is the one on which nothing depends";
    EXPECT_LE(distance(got.acceleration, want.acceleration), 1e-11);
    EXPECT_LE(distance(got.lambda, shortest), 1e-11);
  }
  state.gamma[3] += 0.1;
  for (const ConstraintMethod method : kMethods) {
    try {
      make_constrained_solver(method, state.M, state.A)->solve(state.Q, state.gamma);
      FAIL();
    } catch (const NumericalError& error) {
      EXPECT_NE(std::string(error.what()).find(" of 4 depends on the others and contradicts them"), std::string::npos)
          << error.what();
    }
  }
  state.A.row(3).setZero();  // 0 = 0.1
  EXPECT_THROW(solve_maggi(state, Complement::qr), NumericalError);
}

TEST(Maggi, AMotionWithoutMassIsSaid) {
  std::mt19937 random(5);
  const ConstrainedState state = random_state(6, 2, 3, random);  // 4 motions are left, 3 have mass
  for (const Complement complement : {Complement::qr, Complement::partition})
    EXPECT_THROW(solve_maggi(state, complement), NumericalError);
}

// ---- blocks of bodies ----

Model plane_frame() {
  Model m = test::make_rod({.elements = 3, .speed = 40});
  Body& b = m.bodies[0];
  b.points.push_back(test::make_point("top", {0.5, 0.4, 0}));
  b.members.push_back(test::make_member("post", "to", "top", 2));
  b.members.push_back(test::make_member("brace", "from", "top", 2));
  b.members.back().release_to.axis = {false, false, true};
  b.springs = {test::make_spring("top", {100, 200, 0}, {0, 0, 3})};
  b.loads = {test::make_point_load("top", {3, -20, 0}, {0, 0, 1}), test::make_member_load("post", {5, 1, 0})};
  return m;
}

Model space_frame() {
  Model m = test::make_rod({.element = "beam_timoshenko",
                            .elements = 2,
                            .dimension = 3,
                            .speed = 30,
                            .through = {0.1, 0.2, 0},
                            .axis = Vec3(1, 2, 2) / 3});
  Body& b = m.bodies[0];
  b.points.push_back(test::make_point("end", {0.5, 0.3, 0}));
  b.points.push_back(test::make_point("hook", {0, 0, 0.3}));
  b.points.push_back(test::make_point("far", {0.55, 0.3, 0.1}));
  b.members.push_back(test::make_member("leg", "to", "end", 2));
  b.members.push_back(test::make_member("brace", "hook", "to", 1));
  b.members.back().release_from.axis = {false, true, true};
  b.members.back().release_to.axis = {true, true, true};
  b.supports.push_back(test::make_support(Support::Kind::clamp, "hook"));
  RigidLink link;
  link.from.value = "end";
  link.to.push_back({"far", {}});
  b.links = {link};
  LumpedMass mass;
  mass.at.value = "far";
  mass.mass = 0.4;
  b.masses = {mass};
  b.loads = {test::make_point_load("far", {1, 2, -30}), test::make_member_load("leg", {0, 3, 1})};
  return m;
}

std::vector<Model> models() {
  std::vector<Model> all = {plane_frame(), space_frame(),
                            test::make_rod({.elements = 4, .degree = 5, .axial_degree = 3, .speed = 100})};
  all.push_back(test::make_rod(
      {.elements = 3, .degree = 5, .axial_degree = 2, .dimension = 3, .speed = 50, .axis = Vec3(0, 3, 4) / 5}));
  all.back().bodies[0].damping.mass = 0.3;
  all.back().bodies[0].damping.stiffness = 1e-4;
  all.push_back(plane_frame());
  all.back().terms.coriolis = all.back().terms.centrifugal_load = false;
  return all;
}

Model by_maggi(Model m, const std::string& of_elements = "") {
  m.formalism.value = "maggi";
  m.element_formalism.value = of_elements;
  return m;
}

void expect_same(const AffineEquation& got, const AffineEquation& want, double tolerance) {
  ASSERT_EQ(got.matrices.size(), want.matrices.size());
  ASSERT_EQ(got.loads.size(), want.loads.size());
  ASSERT_EQ(got.size(), want.size());
  ASSERT_EQ(got.pattern->n_nonzeros(), want.pattern->n_nonzeros());
  for (size_t k = 0; k < want.matrices.size(); ++k) {
    const MatrixTerm &a = got.matrices[k], &b = want.matrices[k];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.coefficient, b.coefficient);
    EXPECT_LE((a.values - b.values).cwiseAbs().maxCoeff(), tolerance * b.values.cwiseAbs().maxCoeff()) << a.name;
  }
  for (size_t k = 0; k < want.loads.size(); ++k) {
    EXPECT_EQ(got.loads[k].coefficient, want.loads[k].coefficient);
    EXPECT_LE((got.loads[k].values - want.loads[k].values).cwiseAbs().maxCoeff(),
              tolerance * want.loads[k].values.cwiseAbs().maxCoeff())
        << got.loads[k].name;
  }
}

// The complement has one 1 in each row, and the summands come in the same order: no bit differs.
TEST(Blocks, ProjectionIsIndexAssemblyBitForBit) {
  for (const Model& m : models()) {
    const Model projected = by_maggi(m);
    const BodySystem want = make_body_system(m, m.bodies[0]), got = make_body_system(projected, projected.bodies[0]);
    const Blocks blocks = make_blocks(want.mesh);
    const SparseMatrix T = calc_identity_complement(blocks);
    ASSERT_EQ(T.nonZeros(), T.rows());
    for (Eigen::Index k = 0; k < T.nonZeros(); ++k) ASSERT_EQ(T.valuePtr()[k], 1);
    expect_same(got.full, want.full, 0);
    expect_same(got.reduced, want.reduced, 0);
  }
}

// The blocks of the finished body, damping and Kg included; Rayleigh's D is summed in another order.
TEST(Blocks, OfAFinishedBodyProjectToItsEquation) {
  for (const Model& m : models()) {
    const BodySystem s = make_body_system(m, m.bodies[0]);
    const Blocks blocks = make_blocks(s.mesh);
    expect_same(project(make_block_equation(s, blocks), calc_identity_complement(blocks)), s.full, 4 * kEps);
  }
}

TEST(Blocks, TakeTheFormalismOfTheirElements) {
  Model kane = plane_frame();
  kane.formalism.value = "kane";
  const Model projected = by_maggi(plane_frame(), "kane"), plain = plane_frame();
  const BodySystem want = make_body_system(kane, kane.bodies[0]),
                   got = make_body_system(projected, projected.bodies[0]),
                   other = make_body_system(plain, plain.bodies[0]);
  expect_same(got.full, want.full, 0);
  EXPECT_GT((got.full.matrices[2].values - other.full.matrices[2].values).cwiseAbs().maxCoeff(), 0)
      << "Newton–Euler's K differs in the last bit";
}

// Another complement is another set of coordinates: what does not depend on them is the same.
TEST(Blocks, OrthonormalComplementHasTheSameFrequencies) {
  for (const Model& m : models()) {
    const BodySystem s = make_body_system(m, m.bodies[0]);
    const BlockSystem blocks(s);
    const MatrixX B = AdmissibleMotions(blocks.calc_A(0, {}), Complement::qr).complement();
    ASSERT_EQ(B.cols(), s.constraints.n_reduced());
    const VectorX scale = blocks.scale().cwiseInverse();
    const MatrixX K =
        scale.asDiagonal() * MatrixX(make_block_equation(s, blocks.blocks()).calc_elastic()) * scale.asDiagonal();
    const auto squares = [](const MatrixX& stiffness, MatrixX mass) {
      EXPECT_TRUE(cholesky_in_place(mass));
      MatrixX A = congruence(mass, stiffness), vectors;
      VectorX values;
      symmetric_eigen(A, 0, static_cast<int>(A.rows()) - 1, values, vectors);
      return values;
    };
    const VectorX got = squares(B.transpose() * K * B, B.transpose() * blocks.calc_mass(0, {}) * B);
    const VectorX want = squares(s.reduced.calc_elastic(), s.reduced.calc_mass());
    EXPECT_LE((got - want).cwiseAbs().maxCoeff(), 1e-11 * want.maxCoeff());
  }
}

// The same accelerations as the reduced equation in any state, by all three.
TEST(Blocks, AccelerateAsTheReducedEquation) {
  std::mt19937 random(2);
  std::vector<Model> all = models();
  all.push_back(test::make_rod({.elements = 3, .speed = 20}));
  all.back().bodies[0].damping.modal = {0.01, 0.02};
  for (const Model& m : all) {
    const BodySystem s = make_body_system(m, m.bodies[0]);
    const BlockSystem blocks(s);
    const FactorValues at = s.calc_factors(0);
    const MatrixX M = s.reduced.calc_mass();
    const VectorX units = M.diagonal().cwiseSqrt().cwiseInverse();
    const VectorX z = units.cwiseProduct(random_matrix(M.rows(), 1, random).col(0)),
                  rate = 100 * units.cwiseProduct(random_matrix(M.rows(), 1, random).col(0));
    VectorX f = s.reduced.calc_load(at) - s.reduced.calc_velocity(at) * rate - s.reduced.calc_stiffness(at) * z;
    if (!s.modal.empty()) f -= s.modal.M_phi * s.modal.weights.cwiseProduct(s.modal.M_phi.transpose() * rate);
    MatrixX scaled = units.asDiagonal() * M * units.asDiagonal(), x = f.cwiseProduct(units);
    ASSERT_TRUE(solve_in_place(scaled, x));
    const VectorX want = blocks.scatter(s.constraints.T() * x.col(0).cwiseProduct(units));
    const VectorX q = blocks.scatter(s.constraints.expand(z)), v = blocks.scatter(s.constraints.T() * rate);
    for (const ConstraintMethod method : kMethods) {
      const VectorX got = make_constrained_solver(method, blocks.calc_mass(0, q), blocks.calc_A(0, q))
                              ->calc_acceleration(blocks.calc_force(0, q, v), blocks.calc_gamma(0, q, v));
      // K q of blocks cancels at joints: round-off of K q, times the condition of the scaled mass (a few thousand
      // for quintic elements).
      EXPECT_LE(distance(got, want), 1e-10) << static_cast<int>(method);
    }
  }
}

// What passes through the joints of a loaded cantilever at rest, and of a spinning rod in its steady state, is what the
// recovery of section forces says, and the reactions are those of `static`.
TEST(Blocks, LiaisonForcesAreSectionForcesAndReactions) {
  Model loaded = test::make_rod({.elements = 4});
  loaded.bodies[0].loads = {test::make_point_load("to", {50, -10, 0}), test::make_member_load("line", {3, 20, 0})};
  const Model spinning = test::make_rod({.elements = 5, .speed = 200, .through = {-0.1, 0.05, 0}});
  for (const Model& m : {loaded, spinning}) {
    const BodySystem s = make_body_system(m, m.bodies[0]);
    const FactorValues at = s.calc_factors(0);
    const StaticSolver solver(s, s.reduced.calc_stiffness(at));
    const VectorX q = s.constraints.expand(solver.solve(s.reduced.calc_load(at))), rest = VectorX::Zero(q.size());
    const std::vector<Reaction> reactions = calc_reactions(s, at, q, rest);
    const std::vector<ElementForces> sections = calc_section_forces(s, at, q, rest, 2);
    for (const ConstraintMethod method : kMethods) {
      const LiaisonForces got = calc_liaison_forces(s, 0, q, rest, method);
      EXPECT_TRUE(got.dependent.empty());
      ASSERT_EQ(got.reactions.size(), 1U);
      const double force = reactions[0].force.norm(), moment = reactions[0].moment.norm();
      // Displacements carry the round-off of the static solve, ε·cond(K) ≈ 1e-10 with five elements.
      EXPECT_LE((got.reactions[0].force - reactions[0].force).norm(), 1e-8 * force);
      EXPECT_LE((got.reactions[0].moment - reactions[0].moment).norm(), 1e-8 * moment);
      // The rod lies along x: on the first node the rest pulls with −(N, T, M), on the second with (N, T, M).
      for (size_t e = 0; e < sections.size(); ++e) {
        const VectorX& on = got.on_elements[e];
        const SectionForces &first = sections[e].forces[0], &second = sections[e].forces[1];
        const Vec3 left(first.force[0], first.force[1], first.moment[2]),
            right(second.force[0], second.force[1], second.moment[2]), size(force, force, moment);
        EXPECT_LE((on.head<3>() + left).cwiseQuotient(size).norm(), 1e-7) << e;
        EXPECT_LE((on.segment<3>(3) - right).cwiseQuotient(size).norm(), 1e-7) << e;
      }
    }
  }
}

TEST(Blocks, RedundantSupportsAreNamed) {
  Model m = test::make_rod({.elements = 2});
  m.bodies[0].supports.push_back(test::make_support(Support::Kind::pin, "from"));
  m.bodies[0].loads = {test::make_point_load("to", {0, 10, 0})};
  const BodySystem s = make_body_system(m, m.bodies[0]);
  const StaticSolver solver(s, s.reduced.calc_stiffness(s.calc_factors(0)));
  const VectorX q = s.constraints.expand(solver.solve(s.reduced.calc_load(s.calc_factors(0))));
  const LiaisonForces got = calc_liaison_forces(s, 0, q, VectorX::Zero(q.size()));
  EXPECT_EQ(got.dependent.size(), 2U);
  // The smallest multipliers share the force between clamp and pin.
  ASSERT_EQ(got.reactions.size(), 2U);
  const double geometric = got.reactions[0].force[1];
  EXPECT_NEAR(geometric, -5, 1e-6);
  EXPECT_NEAR(got.reactions[1].force[1], -5, 1e-6);
}

TEST(SystemFormalisms, SayWhatTheyCannotTreat) {
  const Model small = test::make_rod({.elements = 3}), large = test::make_rod({.elements = 100});
  for (const std::string_view name : {"maggi", "multipliers"}) {
    const SystemFormalism* formalism = system_formalisms().find(name);
    ASSERT_NE(formalism, nullptr);
    EXPECT_EQ(formalism->makes_matrices(), name == "maggi");
    EXPECT_EQ(formalism->reason_against(make_body_system(small, small.bodies[0])), "");
    EXPECT_EQ(formalism->reason_against(make_body_system(large, large.bodies[0])),
              "its elements have 606 coordinates before they are joined, at most 400 are treated with full matrices");
  }
}

// All analyses read the projected matrices.
TEST(Blocks, ModesAndStaticsHaveTheSameDigits) {
  Model m = space_frame();
  m.static_ = StaticRequest{};
  m.modes->count = 4;
  const Results want = run_modes(m), got = run_modes(by_maggi(m));
  ASSERT_EQ(got.modes.size(), want.modes.size());
  for (size_t k = 0; k < want.modes.size(); ++k) EXPECT_EQ(got.modes[k].omega, want.modes[k].omega);
  EXPECT_EQ(run_static(by_maggi(m)).outcome.status, run_static(m).outcome.status);
}

}  // namespace
}  // namespace elodyn
