// The affine terms of a planar beam in general plane motion, derived a second time from nothing but the shape
// functions: points of the section, exact rotation by v', world positions with dual-number time, virtual work,
// linearised only at the end.
#include <array>
#include <random>

#include <gtest/gtest.h>

#include "elodyn/base/dual.hpp"
#include "elodyn/base/quadrature.hpp"
#include "elodyn/element/hermite.hpp"
#include "elodyn/element/registry.hpp"
#include "elodyn/formalism/registry.hpp"

namespace elodyn {
namespace {

using D = Dual<double>;  // derivative with respect to one coordinate or rate
using DD = Dual<D>;      // … and with respect to a second one
using Time = Dual<DD>;   // nested: value, first and second time derivative
using Time2 = Dual<Time>;

struct Case {
  double L, rho, A, Iz, angle;
  Vec3 start;
  int degree, axial;
  bool rotary;
};

struct Motion2D {
  double phi, w, e;
  std::array<double, 2> v, a;  // of the origin; a in body axes
};

// World position of the section point y at ξ for q(t) and the frame's motion; S is any scalar.
template <class S>
std::array<S, 2> world_point(const Case& c, const Motion2D& m, double xi, double y, const std::vector<S>& q,
                             const S& t) {
  using std::cos, std::sin;
  const auto H = hermite(c.degree, xi, c.L);
  const auto N = lagrange_with_bubbles(c.axial, xi, c.L);
  const double ct = std::cos(c.angle), st = std::sin(c.angle);
  const size_t per_node = c.degree == 5 ? 4 : 3, per_end = static_cast<size_t>(H.n / 2);
  S u(0.0), v(0.0), dv(0.0);
  for (size_t end = 0; end < 2; ++end) {
    const S un = S(ct) * q[end * per_node] + S(st) * q[end * per_node + 1];
    const S vn = S(ct) * q[end * per_node + 1] - S(st) * q[end * per_node];
    u += S(N.f[end]) * un;
    v += S(H.f[end * per_end]) * vn;
    dv += S(H.d1[end * per_end]) * vn;
    for (size_t k = 1; k < per_end; ++k) {
      v += S(H.f[end * per_end + k]) * q[end * per_node + 1 + k];
      dv += S(H.d1[end * per_end + k]) * q[end * per_node + 1 + k];
    }
  }
  for (size_t b = 2; b < static_cast<size_t>(N.n); ++b) u += S(N.f[b]) * q[2 * per_node + b - 2];
  // Local, then body axes.
  const S lx = S(xi * c.L) + u - S(y) * sin(dv), ly = v + S(y) * cos(dv);
  const S bx = S(c.start[0]) + S(ct) * lx - S(st) * ly, by = S(c.start[1]) + S(st) * lx + S(ct) * ly;
  // World: the origin's acceleration is given in body axes at t = 0.
  const double ax = std::cos(m.phi) * m.a[0] - std::sin(m.phi) * m.a[1],
               ay = std::sin(m.phi) * m.a[0] + std::cos(m.phi) * m.a[1];
  const S phi = S(m.phi) + S(m.w) * t + S(0.5 * m.e) * t * t;
  return {S(m.v[0]) * t + S(0.5 * ax) * t * t + cos(phi) * bx - sin(phi) * by,
          S(m.v[1]) * t + S(0.5 * ay) * t * t + sin(phi) * bx + cos(phi) * by};
}

// Generalized inertia force i as a number that carries its derivative with respect to one perturbation (q, q̇ or q̈).
D inertia_force(const Case& c, const Motion2D& m, int i, const std::vector<D>& q, const std::vector<D>& qd,
                const std::vector<D>& qdd) {
  const size_t n = q.size();
  const auto lift = [](const D& value, double slope) { return DD(value, D(slope)); };  // slope: direction of ∂/∂qᵢ
  // Section points: two, with the area and second moment of the section; one without rotary inertia.
  const double radius = c.rotary ? std::sqrt(c.Iz / c.A) : 0;
  D sum(0.0);
  for (const GaussPoint& g : gauss_rule(c.degree + 3))
    for (const double y : {-radius, radius}) {
      std::vector<Time2> along(n);
      for (size_t k = 0; k < n; ++k)
        along[k] = Time2(Time(lift(q[k], 0), lift(qd[k], 0)), Time(lift(qd[k], 0), lift(qdd[k], 0)));
      const Time2 t(Time(DD(0.0), DD(1.0)), Time(DD(1.0), DD(0.0)));
      const auto p = world_point(c, m, g.xi, y, along, t);
      std::vector<DD> direction(n);
      for (size_t k = 0; k < n; ++k) direction[k] = lift(q[k], static_cast<int>(k) == i ? 1 : 0);
      const auto partial = world_point(c, m, g.xi, y, direction, DD(0.0));
      const double dm = 0.5 * g.weight * c.L * c.rho * c.A;
      for (size_t a = 0; a < 2; ++a) sum += D(dm) * partial[a].b * p[a].b.b.a;
    }
  return sum;
}

TEST(IndependentDerivation, PlanarBeamInGeneralPlaneMotion) {
  std::mt19937 engine(20261115);
  const auto random = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(engine);
  };
  for (const int degree : {3, 5})
    for (const int axial : {1, 2, 3})
      for (const bool rotary : {false, true}) {
        const Case c{random(0.2, 2), random(1, 8),
                     random(0.5, 2), random(0.01, 0.1),
                     random(0, 6),   {random(-1, 1), random(-1, 1), 0},
                     degree,         axial,
                     rotary};
        const Motion2D m{
            random(0, 6), random(-4, 4), random(-9, 9), {random(-5, 5), random(-5, 5)}, {random(-5, 5), random(-5, 5)}};
        ElementData data;
        data.nodes = {c.start, c.start + c.L * Vec3(std::cos(c.angle), std::sin(c.angle), 0)};
        data.degree = degree;
        data.axial_degree = axial;
        data.density = c.rho;
        data.young = 1;
        data.section.A = c.A;
        data.section.Iz = c.Iz;
        const Element& element = *elements().find(rotary ? "beam_rayleigh" : "beam_euler_bernoulli");
        Stations stations;
        element.calc_stations(data, stations);
        const int n = element.n_dofs(data);
        for (const Formalism* formalism : formalisms().list()) {
          ElementTerms t;
          formalism->derive(stations, n, {Vec3::Zero(), {Vec3::UnitZ()}, {Vec3::UnitX(), Vec3::UnitY()}}, t);
          const MatrixX C = 2 * m.w * t.G[0], K = m.e * t.E[0] + m.w * m.w * t.S[0];
          const VectorX f = m.a[0] * t.A[0] + m.a[1] * t.A[1] + m.e * t.B[0] + m.w * m.w * t.H[0];

          MatrixX M1(n, n), C1(n, n), K1(n, n);
          VectorX f1(n);
          const std::vector<D> zero(static_cast<size_t>(n), D(0.0));
          for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
              std::vector<D> seeded = zero;
              seeded[static_cast<size_t>(j)] = D(0.0, 1.0);
              const D by_q = inertia_force(c, m, i, seeded, zero, zero);
              f1[i] = by_q.a;
              K1(i, j) = by_q.b;
              C1(i, j) = inertia_force(c, m, i, zero, seeded, zero).b;
              M1(i, j) = inertia_force(c, m, i, zero, zero, seeded).b;
            }
          const VectorX d = t.M.diagonal().cwiseSqrt().cwiseInverse();
          const auto differ = [&](const MatrixX& x, const MatrixX& y) {
            return (d.asDiagonal() * (x - y) * d.asDiagonal()).cwiseAbs().maxCoeff() /
                   (d.asDiagonal() * y * d.asDiagonal()).cwiseAbs().maxCoeff();
          };
          const std::string what = std::string(formalism->name()) + ", degree " + std::to_string(degree) + ", axial " +
                                   std::to_string(axial) + (rotary ? ", rotary" : "");
          EXPECT_LE(differ(t.M, M1), 1e-12) << what;
          EXPECT_LE(differ(C, C1), 1e-12) << what;
          EXPECT_LE(differ(K, K1), 1e-12) << what;
          EXPECT_LE(d.cwiseProduct(f - f1).cwiseAbs().maxCoeff() / d.cwiseProduct(f1).cwiseAbs().maxCoeff(), 1e-12)
              << what;
        }
      }
}

// Γⱼ = ∫ξʲ v'v' from the shape functions: what the exact stretch √((1+u')² + v'²) has as second derivative at zero.
TEST(IndependentDerivation, GeometricMatrices) {
  for (const int degree : {3, 5}) {
    ElementData data;
    data.nodes = {Vec3(0.3, 0.1, 0), Vec3(1.1, 0.1, 0)};
    data.degree = degree;
    data.young = data.density = data.section.A = data.section.Iz = 1;
    const Element& element = *elements().find("beam_euler_bernoulli");
    Stations stations;
    element.calc_stations(data, stations);
    const int n = element.n_dofs(data);
    ElementTerms t;
    formalisms().find(kDefaultFormalism)->derive(stations, n, {}, t);
    ASSERT_EQ(t.Gamma.size(), 3u);
    const size_t per_node = degree == 5 ? 4 : 3, per_end = per_node - 1;
    for (int power = 0; power < 3; ++power) {
      MatrixX want = MatrixX::Zero(n, n);
      for (const GaussPoint& g : gauss_rule(8)) {
        const auto H = hermite(degree, g.xi, 0.8);
        VectorX slope = VectorX::Zero(n);
        for (size_t end = 0; end < 2; ++end)
          for (size_t k = 0; k < per_end; ++k)
            slope[static_cast<int>(end * per_node + 1 + k)] = H.d1[end * per_end + k];
        // ∂²/∂v'² of the stretch at zero is 1; the mixed and axial second derivatives vanish there.
        want += g.weight * 0.8 * std::pow(g.xi, power) * slope * slope.transpose();
      }
      EXPECT_LE((t.Gamma[static_cast<size_t>(power)] - want).cwiseAbs().maxCoeff(), 1e-13 * want.cwiseAbs().maxCoeff());
    }
  }
}

}  // namespace
}  // namespace elodyn
