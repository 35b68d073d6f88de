// Section forces, stresses and reactions of beams in space against statics by hand.
#include <cmath>

#include "tests/support/models.hpp"
#include "tests/support/results.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/quadrature.hpp"
#include "elodyn/base/rotation.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/recovery.hpp"

namespace elodyn {
namespace {

using test::make_member;
using test::make_point;
using test::make_rod;

constexpr double kL = 0.8;

// Everything at once on an inclined cantilever. Beyond the place s act the tip's force and moment, force q and couple m
// per length: F = F₁ + q(L − s), M = M₁ + m(L − s) + t × (F₁ + q(L − s)/2)(L − s).
TEST(SpatialForces, CantileverWithEverything) {
  const Vec3 t = Vec3(2, -1, 2) / 3, up(0.1, 0.9, 0.4);
  const Vec3 F1(30, -50, 20), M1(4, 7, -6), q(100, 40, -90), m(12, -8, 15);
  // By hand: z is the part of `up` across t, y = z × x.
  const Vec3 z = (up - up.dot(t) * t).normalized(), y = z.cross(t);
  for (const char* element : {"beam_euler_bernoulli", "beam_rayleigh", "beam_timoshenko"})
    for (const int degree : {3, 5})
      for (const int elements : {1, 4}) {
        if (degree == 5 && std::string(element) == "beam_timoshenko") continue;
        Model model = make_rod(
            {.element = element, .elements = elements, .degree = degree, .dimension = 3, .length = kL, .modes = 1});
        model.sections[0] = test::make_rectangle("round", 0.03, 0.05);
        Body& b = model.bodies[0];
        b.points[1].x = kL * t;
        b.orientation = up;
        b.loads = {test::make_point_load("to", F1, M1), test::make_member_load("line", q, m)};
        model.terms.geometric = false;
        const Results r = run_static(model);
        ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
        const auto& s = test::column(r, "rod_forces", "s");
        const double tolerance = 1e-10 * 200;  // n⁴ε of what is carried; smaller values are printed as zero
        for (size_t i = 0; i < s.size(); ++i) {
          const double rest = kL - s[i];
          const Vec3 F = F1 + q * rest, M = M1 + m * rest + t.cross(F1 + q * rest / 2) * rest;
          EXPECT_LT((test::row(r, "rod_forces", test::kSectionForce, i) - Vec3(F.dot(t), F.dot(y), F.dot(z))).norm(),
                    tolerance)
              << element << degree << ", s " << s[i];
          EXPECT_LT((test::row(r, "rod_forces", test::kMoment, i) - Vec3(M.dot(t), M.dot(y), M.dot(z))).norm(),
                    tolerance)
              << element << degree << ", s " << s[i];
        }
        EXPECT_LT((test::row(r, "rod_reactions", test::kForce, 0) + F1 + q * kL).norm(), tolerance);
        EXPECT_LT(
            (test::row(r, "rod_reactions", test::kMoment, 0) + M1 + m * kL + t.cross(F1 + q * kL / 2) * kL).norm(),
            tolerance);
      }
}

// A shaft bent and twisted by couples and pulled: σ = N/A ± M R/I on the rim, τ = Mx R/J, σ_v = √(σ² + 3τ²).
TEST(SpatialForces, VonMisesOfAShaft) {
  const double N = 9000, Mx = 250, My = -120, Mz = 160, d = 0.03;
  Model model = make_rod({.elements = 2, .dimension = 3, .length = kL, .diameter = d});
  model.bodies[0].loads = {test::make_point_load("to", {N, 0, 0}, {Mx, My, Mz})};
  model.terms.geometric = false;
  const Results r = run_static(model);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  const SectionProperties s = calc_properties(model.sections[0]);
  const double bending = std::hypot(My, Mz) * d / 2 / s.Iz, axial = N / s.A, tau = Mx * d / 2 / (2 * s.Iz);
  for (size_t i = 0; i < test::column(r, "rod_forces", "s").size(); ++i) {
    EXPECT_NEAR(test::column(r, "rod_forces", "stress_max")[i] / (axial + bending), 1, 1e-11);
    EXPECT_NEAR(test::column(r, "rod_forces", "stress_min")[i] / (axial - bending), 1, 1e-11);
    EXPECT_NEAR(test::column(r, "rod_forces", "shear")[i] / tau, 1, 1e-11);
    EXPECT_NEAR(test::column(r, "rod_forces", "von_mises")[i] / std::sqrt(std::pow(axial + bending, 2) + 3 * tau * tau),
                1, 1e-11);
  }
  EXPECT_NEAR(test::column(r, "static", "torque")[0] / Mx, 1, 1e-11);
}

// Second order in space: a pressed cantilever bends more in its weak plane; M at the clamp has the lever arm of P.
TEST(SpatialForces, BeamColumnInBothPlanes) {
  const double L = 2, E = 200e9, Iy = 1e-8, Iz = 3e-8, P = 500, Fy = 3, Fz = -2;
  Model m = make_rod({.element = "beam_euler_bernoulli",
                      .elements = 12,
                      .degree = 5,
                      .dimension = 3,
                      .length = L,
                      .young = E,
                      .density = 1});
  m.sections[0] = test::make_spatial_section("round", 1e-3, Iy, Iz, 2e-8);
  m.bodies[0].loads = {test::make_point_load("to", {-P, Fy, Fz})};
  const Results r = run_static(m);
  ASSERT_TRUE(r.outcome.ok()) << r.outcome.message;
  const auto tip = [&](double F, double I) {
    const double k = std::sqrt(P / (E * I));
    return F / (P * k) * (std::tan(k * L) - k * L);
  };
  const Vec3 u = test::at_point(r, "rod", test::kDisplacement, "to");
  EXPECT_NEAR(u[1] / tip(Fy, Iz), 1, 1e-8);
  EXPECT_NEAR(u[2] / tip(Fz, Iy), 1, 1e-8);
  // Balance about the clamp with the tip where it has moved to. Only the pull has a lever arm in this theory: the
  // torque v Fz − w Fy of the side forces, which would bend a twisted beam, is not in it.
  const Vec3 moment = Vec3(L, 0, 0).cross(Vec3(0, Fy, Fz)) + Vec3(0, u[1], u[2]).cross(Vec3(-P, 0, 0));
  EXPECT_GT(std::abs(u[1] * Fz - u[2] * Fy), 1e-5 * P * L);
  EXPECT_LT((test::row(r, "rod_reactions", test::kMoment, 0) + moment).norm(), 1e-9 * P * L);
  EXPECT_LT((test::row(r, "rod_forces", test::kMoment, 0) - moment).norm(), 1e-8 * P * L);
}

// A frame on a clamp, a pin and a spring that spins about a skew axis under gravity and loads.
Model spinning_frame(double load_factor, bool geometric) {
  Model m = make_rod({.element = "beam_rayleigh", .elements = 1, .degree = 5, .axial_degree = 3, .dimension = 3});
  m.sections[0] = test::make_rectangle("round", 0.03, 0.02);
  m.terms.geometric = geometric;
  m.terms.euler = false;
  Body& b = m.bodies[0];
  b.points = {make_point("A", {0.1, 0.2, 0}), make_point("B", {0.7, 0.1, 0.3}), make_point("C", {0.9, 0.8, 0.1}),
              make_point("D", {0.2, 0.6, -0.5})};
  b.members = {make_member("AB", "A", "B", 2), make_member("BC", "B", "C", 3), make_member("BD", "B", "D", 2)};
  b.supports = {test::make_support(Support::Kind::clamp, "A"), test::make_support(Support::Kind::pin, "C")};
  b.springs = {test::make_spring("D", {1e5, 2e5, 3e5}, {100, 200, 300})};
  LumpedMass mass;
  mass.at.value = "D";
  mass.mass = 0.8;
  mass.inertia_tensor = {0.002, 0.003, 0.004, 0.0003, -0.0004, 0.0002};
  b.masses = {mass};
  b.loads = {test::make_point_load("D", load_factor * Vec3(20, -30, 10), load_factor * Vec3(3, 2, -1)),
             test::make_member_load("BC", load_factor * Vec3(5, 15, -25), load_factor * Vec3(1, -2, 3))};
  b.motion.kind = Motion::Kind::spin;
  b.motion.axis = Vec3(1, 2, 2) / 3;
  b.motion.through = {0.3, -0.1, 0.2};
  b.motion.speed = 60 * std::sqrt(load_factor);
  return m;
}

struct Wrench {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  double size = 0;  // of the parts, as forces
  void add(const Vec3& at, const Vec3& f, const Vec3& couple = Vec3::Zero()) {
    force += f;
    moment += at.cross(f) + couple;
    size += f.norm();
  }
};

// Inertia forces −ω × (ω × r) of the points s of a section that has moved by u and turned by θ, f₀ at its own place and
// f₁ due to the motion, on the undeformed lever arm; and, since δr of a section that has turned is
// δθ × s + ½(δθ × (θ × s) + θ × (δθ × s)), ½((θ × s) × f₀ + s × (f₀ × θ)).
void add_inertia(const Motion& motion, double mass, const Mat3& sigma, const Vec3& x, const Vec3& u, const Vec3& theta,
                 Wrench& sum) {
  const Vec3 w = motion.speed * motion.axis.normalized();
  // Six points in pairs along the principal axes of Σ have its second moments.
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(sigma);
  for (int k = 0; k < 3; ++k)
    for (const double side : {-1.0, 1.0}) {
      const Vec3 s =
          side * std::sqrt(std::max(0.0, 3 * principal.eigenvalues()[k] / mass)) * principal.eigenvectors().col(k);
      const auto force = [&](const Vec3& r) { return Vec3(-mass / 6 * w.cross(w.cross(r))); };
      const Vec3 f0 = force(x + s - motion.through), f1 = force(u + theta.cross(s));
      sum.add(x + s, f0 + f1, 0.5 * (theta.cross(s).cross(f0) + s.cross(f0.cross(theta))));
    }
}

Wrench add_up(const Model& model) {
  const Body& body = model.bodies[0];
  const BodySystem system = make_body_system(model, body);
  const FactorValues at = system.calc_factors(0);
  const SparseMatrix K = system.reduced.calc_stiffness(at);
  LuSolver lu;
  EXPECT_TRUE(lu.factor(K));
  const VectorX q = system.constraints.expand(lu.solve(system.reduced.calc_load(at)));
  Wrench sum;
  for (const Reaction& r : calc_reactions(system, at, q, VectorX::Zero(system.mesh.n_dofs())))
    sum.add(body.find_point(r.point)->x, r.force, r.moment);
  for (const Load& load : body.loads) {
    if (load.at) sum.add(body.find_point(load.at->value)->x, load.force, load.moment);
    if (!load.on) continue;
    const Member& member = *body.find_member(load.on->value);
    const Vec3 a = body.find_point(member.from.value)->x, b = body.find_point(member.to.value)->x;
    sum.add((a + b) / 2, (b - a).norm() * load.force_per_length, (b - a).norm() * load.moment_per_length);
  }
  Matrix3X N, R_theta;
  for (const ElementSpec& spec : system.mesh.elements) {
    const Element& element = system.element_of(spec);
    const ElementData data = system.make_element_data(spec);
    VectorX own(static_cast<Eigen::Index>(spec.dofs.size()));
    for (size_t i = 0; i < spec.dofs.size(); ++i) own[static_cast<int>(i)] = q[spec.dofs[i]];
    if (spec.kind == "point_mass") {
      const Mat3 I = data.mass->calc_inertia();
      element.calc_placement(data, 0, N, R_theta);
      add_inertia(body.motion, data.mass->mass, 0.5 * I.trace() * Mat3::Identity() - I, data.nodes[0], N * own,
                  R_theta * own, sum);
    }
    if (spec.member < 0) continue;
    const Vec3 d = data.nodes[1] - data.nodes[0];
    const Mat3 axes = make_beam_axes(d.normalized(), data.orientation);
    Mat3 sigma = data.section.Iz * axes.col(1) * axes.col(1).transpose();
    sigma += data.section.Iy * axes.col(2) * axes.col(2).transpose();
    for (const GaussPoint& p : gauss_rule(8)) {
      element.calc_placement(data, p.xi, N, R_theta);
      const double dx = p.weight * d.norm() * data.density;
      add_inertia(body.motion, dx * data.section.A, dx * sigma, data.nodes[0] + p.xi * d, N * own, R_theta * own, sum);
    }
  }
  return sum;
}

// First-order theory balances on the undeformed lever arms, inertia forces being those of the displaced places.
TEST(SpatialForces, SpinningFrameIsInBalance) {
  const Wrench sum = add_up(spinning_frame(1, false));
  EXPECT_GT(sum.size, 1000);
  // Reactions come from K q, which is known to about n⁴ε of the largest parts: the axial stiffness.
  EXPECT_LT(sum.force.norm(), 1e-9 * sum.size);
  EXPECT_LT(sum.moment.norm(), 1e-9 * sum.size);
}

// With geometric stiffness forces still balance: no translation strains, to any order. Moments on the undeformed lever
// arms are off by force × displacement, which goes with the square of the loads.
TEST(SpatialForces, WhereTheBalanceEndsWithGeometricStiffness) {
  const Wrench small = add_up(spinning_frame(1e-3, true)), twice = add_up(spinning_frame(2e-3, true));
  EXPECT_LT(small.force.norm(), 1e-9 * small.size);
  EXPECT_LT(twice.force.norm(), 1e-9 * twice.size);
  EXPECT_GT(small.moment.norm(), 1e-9 * small.size);
  EXPECT_NEAR(twice.moment.norm() / small.moment.norm(), 4, 0.05);
}

}  // namespace
}  // namespace elodyn
