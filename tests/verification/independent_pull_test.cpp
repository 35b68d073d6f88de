// The geometric stiffness of a spatial cantilever in general motion, a second time and without any axial force. A bent,
// twisted beam whose length stays is drawn back along its axis t by u₂(s) = −½∫₀ˢ(v'² + w'² + r²α'²), r² = (Iy + Iz)/A,
// and the zero-order inertia force −ρA(a + Bx) and the load at the tip do work on that:
//   qᵀKg q = 2 [ ∫ρA t·(a + Bx) u₂ ds − F·t u₂(L) ]
// with the place x of all that lies beyond. Nothing but the shape functions is taken from the program.
#include <random>

#include "tests/support/models.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/quadrature.hpp"
#include "elodyn/base/rotation.hpp"
#include "elodyn/element/hermite.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {
namespace {

struct Cantilever {
  Vec3 from, to;
  int elements;
  Mat3 axes;
  SectionProperties section;

  // v'² + w'² + r²α'² at ξ of element e.
  double shortening(const BodySystem& s, const VectorX& q, int e, double xi) const {
    const double L = (to - from).norm() / elements;
    const BendingShape<double> H = bending_shape(3, xi, L, 0.0);
    const auto N = lagrange_with_bubbles(1, xi, L);
    double dv = 0, dw = 0, dalpha = 0;
    for (int end = 0; end < 2; ++end) {
      const Node& node = s.mesh.nodes[static_cast<size_t>(e + end)];
      const Vec3 u = axes.transpose() * components(node.translations(), q),
                 r = axes.transpose() * components(node.rotations(), q);
      const auto h = static_cast<size_t>(2 * end);
      dv += H.d1[h] * u[1] + H.d1[h + 1] * r[2];
      dw += H.d1[h] * u[2] - H.d1[h + 1] * r[1];
      dalpha += N.d1[static_cast<size_t>(end)] * r[0];
    }
    return dv * dv + dw * dw + (section.Iy + section.Iz) / section.A * dalpha * dalpha;
  }
  double integrate(const BodySystem& s, const VectorX& q, int e, double xi) const {  // from the element's start to ξ
    double sum = 0;
    for (const GaussPoint& g : gauss_rule(6))
      sum += g.weight * xi * (to - from).norm() / elements * shortening(s, q, e, xi * g.xi);
    return sum;
  }
};

TEST(IndependentPull, CantileverInGeneralMotion) {
  std::mt19937 engine(20261116);
  const auto random = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  };
  const auto vector = [&](double size) { return Vec3(random(-size, size), random(-size, size), random(-size, size)); };
  for (int sample = 0; sample < 5; ++sample) {
    Model m = test::make_rod({.element = "beam_euler_bernoulli", .elements = 3, .dimension = 3});
    m.sections[0] = test::make_spatial_section("round", 1e-3, 2e-7, 5e-7, 3e-7);
    Body& body = m.bodies[0];
    body.points[0].x = vector(1);
    body.points[1].x = vector(1);
    const Vec3 orientation = vector(1), a = vector(20), w = vector(30), e = vector(200), F = vector(1000);
    body.orientation = orientation;
    body.loads = {test::make_point_load("to", F)};
    body.motion.kind = Motion::Kind::prescribed;
    body.motion.angular_acceleration.emplace();
    for (size_t k = 0; k < 3; ++k) {
      const auto i = static_cast<int>(k);
      body.motion.acceleration[k] = Expression(a[i]);
      body.motion.angular_velocity[k] = Expression(w[i]);
      (*body.motion.angular_acceleration)[k] = Expression(e[i]);
    }
    const BodySystem s = make_body_system(m, body);
    const FactorValues at = s.calc_factors(0);
    SparseMatrix Kg(s.mesh.n_dofs(), s.mesh.n_dofs());
    for (const MatrixTerm& term : s.full.matrices)
      if (term.kind == TermKind::geometric)
        Kg += term.coefficient * at(term.factor) * s.full.pattern->to_matrix(term.values);

    const Vec3 d = body.points[1].x - body.points[0].x, t = d.normalized();
    const Cantilever beam{body.points[0].x, body.points[1].x, 3, make_beam_axes(t, orientation),
                          calc_properties(m.sections[0], 0.3)};
    const Mat3 B = skew(e) + skew(w) * skew(w);
    const double rhoA = m.materials[0].density * beam.section.A, L = d.norm() / 3;
    for (int trial = 0; trial < 3; ++trial) {
      VectorX q(s.mesh.n_dofs());
      for (double& value : q) value = random(-1, 1);
      for (const int dof : s.mesh.nodes[0].translations()) q[dof] = 0;
      for (const int dof : s.mesh.nodes[0].rotations()) q[dof] = 0;
      double work = 0, before = 0, size = 0;
      for (int element = 0; element < 3; ++element) {
        for (const GaussPoint& g : gauss_rule(8)) {
          const double u2 = -0.5 * (before + beam.integrate(s, q, element, g.xi));
          const Vec3 x = beam.from + (element + g.xi) * L * t;
          work += g.weight * L * rhoA * t.dot(a + B * x) * u2;
          size += std::abs(g.weight * L * rhoA * t.dot(a + B * x) * u2);
        }
        before += beam.integrate(s, q, element, 1);
      }
      work += 0.5 * F.dot(t) * before;
      EXPECT_NEAR(q.dot(Kg * q), 2 * work, 1e-10 * (size + std::abs(F.dot(t)) * before)) << sample;
    }
  }
}

}  // namespace
}  // namespace elodyn
