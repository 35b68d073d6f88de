// What must not change: a machine described in other body axes has the same frequencies and shapes; and a machine that
// spins steadily keeps the Jacobi integral
//   h = ½ q̇ᵀM q̇ + ½ qᵀ(K + S + Kg) q − fᵀq,                                                          (1)
// since Coriolis forces do no work. The implicit midpoint rule keeps quadratic invariants of linear systems exactly.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tests/support/models.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/linalg/eigen.hpp"
#include "elodyn/system/recovery.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {
namespace {

using test::make_point;
using test::make_rectangle;

Member make_member(const std::string& from, const std::string& to, int elements, const Vec3& orientation) {
  Member m;
  m.name = from + "_" + to;
  m.from.value = from;
  m.to.value = to;
  m.elements.value = elements;
  m.orientation = orientation;
  return m;
}

// A T of three arms out of plane that spins about a skew axis through a point off the machine: a tapered arm, one with
// a released end, an offset, a rigid link to a mass with an inertia tensor, a skew roller, springs that are the same in
// all directions, dead loads.
Model make_machine(int elements, int degree, int axial_degree) {
  Model m = test::make_rod({.degree = degree, .axial_degree = axial_degree, .young = 70e9, .density = 2700});
  m.sections = {make_rectangle("round", 0.02, 0.03), make_rectangle("slim", 0.012, 0.018)};
  Body& b = m.bodies[0];
  b.dimension = 3;
  b.points = {make_point("root", {0.1, -0.05, 0.02}), make_point("corner", {0.5, 0.1, 0.1}),
              make_point("tip", {0.7, 0.5, 0.3}),     make_point("side", {0.6, -0.3, 0.35}),
              make_point("mass", {0.75, 0.55, 0.28}), make_point("brace", {0.15, -0.35, 0.1})};
  b.members = {make_member("root", "corner", elements, {0.1, 0.2, 1}),
               make_member("corner", "tip", elements, {1, 0, 0.3}), make_member("corner", "side", elements, {0, 1, 1}),
               make_member("side", "brace", elements, {0.2, -0.1, 1})};
  b.members[0].offset_to = {-0.01, 0.02, -0.015};
  b.members[1].section_to.value = "slim";
  b.members[3].section.value = "slim";
  b.members[3].release_from.axis = {false, true, true};
  b.supports = {test::make_support(Support::Kind::clamp, "root"), test::make_support(Support::Kind::pin, "brace"),
                test::make_support(Support::Kind::roller, "side", {0.3, 0.5, -0.8})};
  RigidLink link;
  link.from.value = "tip";
  link.to = {{}};
  link.to[0].value = "mass";
  b.links = {link};
  LumpedMass mass;
  mass.at.value = "mass";
  mass.mass = 0.8;
  mass.inertia_tensor = {2e-3, 3e-3, 2.5e-3, 4e-4, -3e-4, 5e-4};
  b.masses = {mass};
  Spring spring, between;
  spring.at.value = "tip";
  spring.stiffness = Vec3::Constant(2e4);
  spring.rotational_stiffness = Vec3::Constant(50);
  between.at.value = "tip";
  between.to = Located<std::string>{};
  between.to->value = "side";
  between.axial_stiffness = 1e5;
  between.stiffness = Vec3::Constant(3e3);
  b.springs = {spring, between};
  Load at, on;
  at.at = Located<std::string>{};
  at.at->value = "tip";
  at.force = {30, -20, 50};
  at.moment = {1, 2, -1};
  on.on = Located<std::string>{};
  on.on->value = "corner_side";
  on.force_per_length = {10, 40, -20};
  on.moment_per_length = {1, -2, 3};
  b.loads = {at, on};
  b.motion.kind = Motion::Kind::spin;
  b.motion.axis = Vec3(0.3, -0.5, 0.9).normalized();
  b.motion.through = {-0.1, 0.2, 0};
  b.motion.speed = 60;
  return m;
}

// The same machine in body axes that are turned by Qᵀ: every vector v becomes Qv, every tensor QIQᵀ.
Model turned(Model m, const Mat3& Q) {
  Body& b = m.bodies[0];
  for (Point& p : b.points) p.x = Q * p.x;
  for (Member& member : b.members) {
    member.orientation = Q * *member.orientation;
    member.offset_from = Q * member.offset_from;
    member.offset_to = Q * member.offset_to;
  }
  for (Support& s : b.supports) s.normal = Q * s.normal;
  for (LumpedMass& mass : b.masses) {
    const Mat3 I = Q * mass.calc_inertia() * Q.transpose();
    mass.inertia_tensor = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(1, 2), I(0, 2)};
  }
  for (Load& load : b.loads)
    for (Vec3* v : {&load.force, &load.moment, &load.force_per_length, &load.moment_per_length}) *v = Q * *v;
  b.motion.axis = Q * b.motion.axis;
  b.motion.through = Q * b.motion.through;
  return m;
}

struct Solved {
  QuadraticModes modes;
  std::vector<double> uncertain;  // of each λ
  Matrix3X points;
  std::vector<Eigen::VectorXcd> shapes;  // displacement of the points
};

Solved solve(const Model& m, int count) {
  const BodySystem s = make_body_system(m, m.bodies[0]);
  const FactorValues at = s.calc_factors(0);
  QuadraticProblem p;
  p.M = s.reduced.calc_mass();
  p.C = s.reduced.calc_velocity(at);
  p.K = s.reduced.calc_stiffness(at);
  p.structure = Structure::gyroscopic;
  Solved out;
  out.modes = solve_quadratic_modes(p, count);
  const DrawingGrid grid = make_drawing_grid(s);
  out.points = grid.points;
  for (size_t k = 0; k < out.modes.values.size(); ++k) {
    // Entries known to 64 ε move λ by at most |δλ| = 64 ε |φ|ᵀ(|λ²M| + |λC| + |K|)|φ| / |φᴴ(2λM + C)φ|.
    const std::complex<double> lambda = out.modes.values[k];
    const Eigen::VectorXcd z = out.modes.vectors.col(static_cast<Eigen::Index>(k));
    const VectorX size = z.cwiseAbs();
    const double w = std::abs(lambda), top = w * w * size.dot(p.M.cwiseAbs() * size) +
                                             w * size.dot(p.C.cwiseAbs() * size) + size.dot(p.K.cwiseAbs() * size);
    const Eigen::VectorXcd Mz = p.M.cast<std::complex<double>>() * z, Cz = p.C.cast<std::complex<double>>() * z;
    out.uncertain.push_back(test::roundoff(1, top) / std::abs(2.0 * lambda * z.dot(Mz) + z.dot(Cz)));
    out.shapes.emplace_back(grid.displacement.cast<std::complex<double>>() *
                            (s.constraints.T().cast<std::complex<double>>() * z));
  }
  return out;
}

TEST(SpatialInvariance, OtherBodyAxesGiveTheSameModes) {
  const Mat3 Q = Eigen::Quaterniond(0.3, -0.7, 0.45, 0.6).normalized().toRotationMatrix();
  for (const int degree : {3, 5}) {
    const Model m = make_machine(3, degree, degree == 5 ? 3 : 2);
    constexpr int kModes = 10;
    const Solved one = solve(m, kModes), two = solve(turned(m, Q), kModes);
    ASSERT_EQ(one.modes.values.size(), two.modes.values.size());
    EXPECT_LE((Q * one.points - two.points).cwiseAbs().maxCoeff(), 1e-15 * 8);
    for (size_t k = 0; k < one.modes.values.size(); ++k) {
      const std::complex<double> a = one.modes.values[k], b = two.modes.values[k];
      const double uncertain = one.uncertain[k] + two.uncertain[k];
      EXPECT_LE(std::abs(a - b), uncertain) << "degree " << degree << ", mode " << k + 1;
      EXPECT_LE(uncertain, 1e-8 * std::abs(a));        // or the test would say little
      if (k + 1 == one.modes.values.size()) continue;  // the gap above it is not known
      double gap = std::abs(a);
      for (size_t j = 0; j < one.modes.values.size(); ++j)
        if (j != k) gap = std::min(gap, std::abs(one.modes.values[j] - a));
      Eigen::VectorXcd want(one.shapes[k].size());
      for (Eigen::Index i = 0; i < want.size(); i += 3)
        want.segment<3>(i) = Q.cast<std::complex<double>>() * one.shapes[k].segment<3>(i);
      const std::complex<double> phase = want.dot(two.shapes[k]) / want.squaredNorm();
      // A shape turns towards its neighbours by |δλ|/gap each.
      EXPECT_LE((two.shapes[k] - phase * want).norm(), kModes * uncertain / gap * two.shapes[k].norm())
          << "degree " << degree << ", mode " << k + 1;
    }
  }
  // The test can fail: a vector that is left behind is seen.
  const Model m = make_machine(3, 3, 2);
  for (const auto& leave : std::vector<std::function<void(Body&)>>{
           [&](Body& b) { b.motion.through = m.bodies[0].motion.through; },
           [&](Body& b) { b.masses[0].inertia_tensor = m.bodies[0].masses[0].inertia_tensor; },
           [&](Body& b) { b.members[1].orientation = m.bodies[0].members[1].orientation; },
           [&](Body& b) { b.loads[1].force_per_length = m.bodies[0].loads[1].force_per_length; }}) {
    Model wrong = turned(m, Q);
    leave(wrong.bodies[0]);
    const Solved one = solve(m, 10), two = solve(wrong, 10);
    double apart = 0;
    for (size_t k = 0; k < 10; ++k)
      apart = std::max(apart, std::abs(one.modes.values[k] - two.modes.values[k]) / one.uncertain[k]);
    EXPECT_GE(apart, 1e3);
  }
}

struct Drift {
  double h = 0, bound = 0, scale = 0;  // largest |h − h₀|, what round-off allows, size of the energies
};

// M q̈ + C q̇ + K q = f by the implicit midpoint rule. With v, q in the middle of a step and r the residual of the
// solve, h changes by v·r; |r| is at most n ε (|M| + ½Δt|C| + ¼Δt²|K|)|v|, and rounding q by ε|q| adds ε|q|ᵀ|K||q|.
Drift integrate(const MatrixX& M, const MatrixX& C, const MatrixX& K, const VectorX& f, VectorX q, VectorX v, double dt,
                int steps) {
  const MatrixX A = M + 0.5 * dt * C + 0.25 * dt * dt * K;
  const Eigen::PartialPivLU<MatrixX> solver(A);
  const MatrixX abs_A = M.cwiseAbs() + 0.5 * dt * C.cwiseAbs() + 0.25 * dt * dt * K.cwiseAbs(), abs_K = K.cwiseAbs();
  const auto n = static_cast<double>(M.rows());
  const auto h = [&] { return 0.5 * v.dot(M * v) + 0.5 * q.dot(K * q) - f.dot(q); };
  const double h0 = h();
  Drift drift;
  for (int k = 0; k < steps; ++k) {
    const VectorX middle = solver.solve(M * v + 0.5 * dt * (f - K * q));
    drift.bound += kEps * (2 * n * middle.cwiseAbs().dot(abs_A * middle.cwiseAbs()) +
                           4 * q.cwiseAbs().dot(abs_K * q.cwiseAbs()) + 4 * f.cwiseAbs().dot(q.cwiseAbs()));
    q += dt * middle;
    v = 2 * middle - v;
    drift.h = std::max(drift.h, std::abs(h() - h0));
    drift.scale = std::max(drift.scale, 0.5 * v.dot(M * v));
  }
  return drift;
}

TEST(SpatialInvariance, SteadySpinKeepsTheJacobiIntegral) {
  const Model m = make_machine(2, 3, 1);
  const BodySystem s = make_body_system(m, m.bodies[0]);
  const FactorValues at = s.calc_factors(0);
  const MatrixX M = s.reduced.calc_mass(), C = s.reduced.calc_velocity(at), K = s.reduced.calc_stiffness(at);
  const VectorX f = s.reduced.calc_load(at);
  // The machine is let go from rest under loads that bend it the other way: a mixture of all modes.
  const VectorX q = -0.5 * MatrixX(s.reduced.calc_elastic()).ldlt().solve(f), v = VectorX::Zero(q.size());
  const double omega = solve(m, 1).modes.values[0].imag(), dt = 0.1 / omega;
  constexpr int kSteps = 3000;  // fifty periods of the first mode

  const Drift good = integrate(M, C, K, f, q, v, dt, kSteps);
  EXPECT_GT(good.scale, 0);
  EXPECT_LE(good.h, good.bound);
  EXPECT_LE(good.bound, 1e-5 * good.scale);  // or the test would say little

  const MatrixX symmetric = C.triangularView<Eigen::StrictlyUpper>();
  const Drift fault = integrate(M, symmetric + symmetric.transpose(), K, f, q, v, dt, kSteps);
  EXPECT_GE(fault.h, 1e3 * good.bound);
  // A circulatory part of K: 1e-6 of its entries.
  MatrixX unsymmetric = K;
  unsymmetric.triangularView<Eigen::StrictlyUpper>() *= 1 + 1e-6;
  EXPECT_GE(integrate(M, C, unsymmetric, f, q, v, dt, kSteps).h, 10 * good.bound);
}

}  // namespace
}  // namespace elodyn
