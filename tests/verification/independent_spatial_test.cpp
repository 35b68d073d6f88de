// The affine terms of beams and lumped masses in general motion in space, derived a second time from nothing but the
// shape functions: points of the section, exact rotation exp(θ̂), world positions with dual-number time, virtual work,
//   fᵢ = Σ dm ∂r/∂qᵢ · r̈,   M = ∂f/∂q̈,  C = ∂f/∂q̇,  K = ∂f/∂q,                                        (1)
// linearised only at the end. K and the geometric matrices: second derivatives of the strain energy and of the exact
// stretch.
//
// θ = (α, β, γ) of a section is a rotation vector. Without shear its two last components are the slopes, β = −w' and
// γ = v', by decision: that the axis stays normal to the section changes them to second order. What this leaves out is
// the subject of TangentCondition below.
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

using D = Dual<double>;           // derivative with respect to one coordinate or rate
using DD = Dual<D>;               // … and with respect to a second one
using Time = Dual<Dual<D>>;       // value, first and second time derivative of a D
constexpr double kAgree = 1e-12;  // round-off of sums over n dofs × points, in coordinates scaled by diag(M)^-½

template <class S>
using Vec = std::array<S, 3>;

template <class S>
Vec<S> lift(const Vec3& v) {
  return {S(v[0]), S(v[1]), S(v[2])};
}
template <class S>
Vec<S> plus(const Vec<S>& x, const Vec<S>& y) {
  return {x[0] + y[0], x[1] + y[1], x[2] + y[2]};
}
template <class S>
Vec<S> times(const S& c, const Vec<S>& x) {
  return {c * x[0], c * x[1], c * x[2]};
}
template <class S>
Vec<S> times(const Mat3& A, const Vec<S>& x) {
  Vec<S> y;
  for (int i = 0; i < 3; ++i) y[static_cast<size_t>(i)] = S(A(i, 0)) * x[0] + S(A(i, 1)) * x[1] + S(A(i, 2)) * x[2];
  return y;
}
template <class S>
Vec<S> cross(const Vec<S>& x, const Vec<S>& y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}
template <class S>
S dot(const Vec<S>& x, const Vec<S>& y) {
  return x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
}
double reciprocal_root(double x) { return 1 / std::sqrt(x); }
template <class T>
Dual<T> reciprocal_root(const Dual<T>& x) {
  const T r = reciprocal_root(x.a);
  return {r, T(-0.5) * r * r * r * x.b};
}

// exp(θ̂)s = s + (sin φ/φ) θ×s + ((1 − cos φ)/φ²) θ×(θ×s),  φ² = θ·θ. Every θ here is zero but for infinitesimals, of
// which at most three are nested: the third power of φ² vanishes, and the series of three terms are exact.
template <class S>
Vec<S> turn(const Vec<S>& theta, const Vec<S>& s) {
  const S x = dot(theta, theta);
  const S first = S(1.0) - S(1.0 / 6) * x + S(1.0 / 120) * x * x;
  const S second = S(0.5) - S(1.0 / 24) * x + S(1.0 / 720) * x * x;
  const Vec<S> ts = cross(theta, s);
  return plus(s, plus(times(first, ts), times(second, cross(theta, ts))));
}

// The frame's motion at t = 0: `origin` is a place in the body whose velocity is v and acceleration a; body axes.
struct Frame {
  Mat3 R;
  Vec3 origin, v, a, w, e;
};

// World position of the body place x:  v t + ½ a t² + exp((ωt + ½εt²)^)(x − origin), all turned by R.
template <class S>
Vec<S> to_world(const Frame& f, const Vec<S>& x, const S& t) {
  const S half = S(0.5) * t * t;
  const Vec<S> angle = plus(times(t, lift<S>(f.w)), times(half, lift<S>(f.e)));
  const Vec<S> shift = plus(times(t, lift<S>(f.v)), times(half, lift<S>(f.a)));
  return times(f.R, plus(shift, turn(angle, plus(x, lift<S>(-f.origin)))));
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double in(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  double sign() { return in(-1, 1) < 0 ? -1 : 1; }
  Vec3 vector(double size) { return {in(-size, size), in(-size, size), in(-size, size)}; }
  Mat3 rotation() {
    Mat3 Q = Eigen::Quaterniond(in(-1, 1), in(-1, 1), in(-1, 1), in(-1, 1)).normalized().toRotationMatrix();
    return Q;
  }
  Frame frame() { return {rotation(), vector(1), vector(5), vector(5), vector(4), vector(9)}; }

 private:
  std::mt19937 engine_;
};

// A body is a list of particles, each of which knows its place for any q.
struct Particle {
  double mass = 0, xi = 0;
  Vec3 s = Vec3::Zero();  // in the section (local axes) or about the point (body axes)
};

struct Derived {
  MatrixX M, C, K;
  VectorX f;
};

template <class Matter>
Derived derive(const Matter& matter, const Frame& frame, int n) {
  Derived out{MatrixX::Zero(n, n), MatrixX::Zero(n, n), MatrixX::Zero(n, n), VectorX::Zero(n)};
  const auto size = static_cast<size_t>(n);
  const auto acceleration = [&](const Particle& p, const std::vector<D>& q, const std::vector<D>& qd,
                                const std::vector<D>& qdd) {
    std::vector<Time> along(size);
    for (size_t k = 0; k < size; ++k) along[k] = Time(DD(q[k], qd[k]), DD(qd[k], qdd[k]));
    const Time t(DD(D(0.0), D(1.0)), DD(D(1.0), D(0.0)));
    const Vec<Time> r = to_world(frame, matter.place(p, along), t);
    return Vec<D>{r[0].b.b, r[1].b.b, r[2].b.b};
  };
  const std::vector<D> zero(size, D(0.0));
  for (const Particle& p : matter.particles())
    for (int j = 0; j < n; ++j) {
      std::vector<D> seeded = zero;
      seeded[static_cast<size_t>(j)] = D(0.0, 1.0);
      const Vec<D> by_q = acceleration(p, seeded, zero, zero), by_qd = acceleration(p, zero, seeded, zero),
                   by_qdd = acceleration(p, zero, zero, seeded);
      for (int i = 0; i < n; ++i) {
        std::vector<DD> direction(size);
        for (size_t k = 0; k < size; ++k) direction[k] = DD(seeded[k], D(static_cast<int>(k) == i ? 1.0 : 0.0));
        const Vec<DD> r = to_world(frame, matter.place(p, direction), DD(0.0));
        const Vec<D> virtual_displacement = {r[0].b, r[1].b, r[2].b};
        const Vec<D> fixed = {D(r[0].b.a), D(r[1].b.a), D(r[2].b.a)};  // the same at q = 0
        const D force = dot(virtual_displacement, by_q);
        out.K(i, j) += p.mass * force.b;
        if (j == 0) out.f[i] += p.mass * force.a;
        out.C(i, j) += p.mass * dot(fixed, by_qd).b;
        out.M(i, j) += p.mass * dot(fixed, by_qdd).b;
      }
    }
  return out;
}

// A beam as the input describes it, and what of its mass turns.
struct Beam {
  enum class Turns { about_its_axis, as_section, normal_to_the_axis };
  Turns turns = Turns::as_section;
  bool shears = false;
  ElementData data;

  double length() const { return (data.nodes[1] - data.nodes[0]).norm(); }
  Mat3 axes() const {
    Mat3 m;
    m.col(0) = (data.nodes[1] - data.nodes[0]).normalized();
    m.col(1) = data.orientation.cross(m.col(0)).normalized();
    m.col(2) = m.col(0).cross(m.col(1));
    return m;
  }
  struct Area {
    double A, Iy, Iz;
  };
  Area area(double xi) const {
    if (!data.taper) return {data.section.A, data.section.Iy, data.section.Iz};
    const double b = (1 - xi) * data.taper->from.width + xi * data.taper->to.width,
                 h = (1 - xi) * data.taper->from.height + xi * data.taper->to.height;
    return {b * h, b * h * h * h / 12, h * b * b * b / 12};
  }

  // Integrals of 1/EI and 1/kGA along the rectangle, whose k depends on Poisson's ratio only.
  TaperFlexibility flexibility(double xi, bool along_y) const {
    TaperFlexibility f;
    const auto b = [&](double at) { return 1 / (data.young * (along_y ? area(at).Iz : area(at).Iy)); };
    const auto c = [&](double at) { return 1 / (data.section.shear_y * data.shear * area(at).A); };
    for (const GaussPoint& g : gauss_rule(8)) {
      const double at = xi * g.xi;
      f.add(at * length(), (xi - at) * length(), g.weight * xi * length(), b(at), c(at));
    }
    f.bending = b(xi);
    f.shear = c(xi);
    return f;
  }

  // Local fields; d: along x.
  template <class S>
  struct Fields {
    S u, v, w, du, dv, dw, alpha, beta, gamma, dalpha, dbeta, dgamma;
  };
  template <class S>
  Fields<S> fields(double xi, const std::vector<S>& q) const {
    const double L = length(), G = data.shear, E = data.young;
    const SectionProperties& s = data.section;
    const bool bends_by_taper = shears && data.taper;
    const auto V = bends_by_taper ? tapered_bending_shape(xi, L, flexibility(xi, true), flexibility(1, true))
                                  : bending_shape(data.degree, xi, L,
                                                  shears ? 12 * E * s.Iz / (s.shear_y * G * s.A * L * L) : 0.0);
    const auto W = bends_by_taper ? tapered_bending_shape(xi, L, flexibility(xi, false), flexibility(1, false))
                                  : bending_shape(data.degree, xi, L,
                                                  shears ? 12 * E * s.Iy / (s.shear_z * G * s.A * L * L) : 0.0);
    const auto N = lagrange_with_bubbles(data.axial_degree, xi, L);
    const Mat3 to_local = axes().transpose();
    const size_t per_end = static_cast<size_t>(V.n / 2), per_node = 2 + 2 * per_end,
                 bubbles = static_cast<size_t>(N.n - 2);
    Fields<S> f{};
    const auto add_axial = [&](size_t i, const S& u, const S& alpha) {
      f.u += S(N.f[i]) * u;
      f.du += S(N.d1[i]) * u;
      f.alpha += S(N.f[i]) * alpha;
      f.dalpha += S(N.d1[i]) * alpha;
    };
    const auto add_bending = [&](size_t i, const S& v, const S& w) {
      f.v += S(V.f[i]) * v;
      f.dv += S(V.d1[i]) * v;
      f.gamma += S(V.r[i]) * v;
      f.dgamma += S(V.dr[i]) * v;
      f.w += S(W.f[i]) * w;
      f.dw += S(W.d1[i]) * w;
      f.beta += S(-W.r[i]) * w;
      f.dbeta += S(-W.dr[i]) * w;
    };
    for (size_t end = 0; end < 2; ++end) {
      const size_t k = end * per_node;
      const Vec<S> u = times(to_local, Vec<S>{q[k], q[k + 1], q[k + 2]}),
                   r = times(to_local, Vec<S>{q[k + 3], q[k + 4], q[k + 5]});
      add_axial(end, u[0], r[0]);
      add_bending(end * per_end, u[1], u[2]);
      add_bending(end * per_end + 1, r[2], -r[1]);
      if (per_end == 3)
        add_bending(end * per_end + 2, S(data.curvature_sign[end][0]) * q[k + 6],
                    S(data.curvature_sign[end][1]) * q[k + 7]);
    }
    for (size_t b = 0; b < bubbles; ++b) add_axial(2 + b, q[2 * per_node + b], q[2 * per_node + bubbles + b]);
    return f;
  }

  // Exact for polynomials; a tapered beam with shear has others, so there the rule is the element's.
  int n_points() const { return shears && data.taper ? 8 : data.degree + 4; }

  // Four points at (±y, ±z) with the area and the second moments of the section.
  std::vector<Particle> particles() const {
    std::vector<Particle> out;
    for (const GaussPoint& g : gauss_rule(n_points())) {
      const Area a = area(g.xi);
      for (const double y : {-1.0, 1.0})
        for (const double z : {-1.0, 1.0})
          out.push_back({0.25 * g.weight * length() * data.density * a.A, g.xi,
                         Vec3(0, y * std::sqrt(a.Iz / a.A), z * std::sqrt(a.Iy / a.A))});
    }
    return out;
  }

  template <class S>
  Vec<S> place(const Particle& p, const std::vector<S>& q) const {
    const Fields<S> f = fields(p.xi, q);
    Vec<S> theta = {f.alpha, f.beta, f.gamma};
    if (turns == Turns::about_its_axis) theta = {f.alpha, S(0.0), S(0.0)};
    if (turns == Turns::normal_to_the_axis) theta = make_normal(f);
    const Vec<S> local = plus(Vec<S>{S(p.xi * length()) + f.u, f.v, f.w}, turn(theta, lift<S>(p.s)));
    return plus(lift<S>(data.nodes[0]), times(axes(), local));
  }

  // The rotation vector with the given first component that turns e₁ into the direction of the bent axis. Each step
  // gains an order in the infinitesimals, of which three are nested.
  template <class S>
  static Vec<S> make_normal(const Fields<S>& f) {
    Vec<S> tangent = {S(1.0) + f.du, f.dv, f.dw};
    tangent = times(reciprocal_root(dot(tangent, tangent)), tangent);
    Vec<S> theta = {f.alpha, f.beta, f.gamma};
    for (int step = 0; step < 4; ++step) {
      const Vec<S> normal = turn(theta, lift<S>(Vec3::UnitX()));
      theta[2] += tangent[1] - normal[1];
      theta[1] += normal[2] - tangent[2];
    }
    return theta;
  }

  // Strain energy per length; axial stress at the points of the section, u' − yγ' + zβ'.
  template <class S>
  S energy(double xi, const std::vector<S>& q) const {
    const Fields<S> f = fields(xi, q);
    const SectionProperties& s = data.section;
    S sum = S(0.5 * data.shear * s.J) * f.dalpha * f.dalpha;
    for (const double y : {-std::sqrt(s.Iz / s.A), std::sqrt(s.Iz / s.A)})
      for (const double z : {-std::sqrt(s.Iy / s.A), std::sqrt(s.Iy / s.A)}) {
        const S strain = f.du - S(y) * f.dgamma + S(z) * f.dbeta;
        sum += S(0.125 * data.young * s.A) * strain * strain;
      }
    const S shear_y = f.dv - f.gamma, shear_z = f.dw + f.beta;
    return sum + S(0.5 * s.shear_y * data.shear * s.A) * shear_y * shear_y +
           S(0.5 * s.shear_z * data.shear * s.A) * shear_z * shear_z;
  }
};

// Second derivatives at q = 0 of the integral over the beam of a function of (ξ, q).
template <class Function>
MatrixX calc_hessian(const Beam& beam, int n, const Function& function) {
  MatrixX H = MatrixX::Zero(n, n);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      std::vector<DD> q(static_cast<size_t>(n), DD(0.0));
      q[static_cast<size_t>(j)].a.b = 1;
      q[static_cast<size_t>(i)].b.a = 1;
      for (const GaussPoint& g : gauss_rule(beam.n_points()))
        H(i, j) += g.weight * beam.length() * function(g.xi, q).b.b;
    }
  return H;
}

const Element& element_of(const std::string& name) { return *elements().find(name); }

// A beam of the theory `name` in a random place; `turns` and `shears` follow from the name.
Beam make_beam(const std::string& name, int degree, int axial, Random& random) {
  Beam b;
  b.turns = name == "beam_euler_bernoulli" ? Beam::Turns::about_its_axis : Beam::Turns::as_section;
  b.shears = name == "beam_timoshenko";
  ElementData& d = b.data;
  d.dimension = 3;
  d.degree = degree;
  d.axial_degree = axial;
  d.density = random.in(1, 8);
  d.young = random.in(10, 20);
  d.shear = random.in(4, 8);
  d.section.A = random.in(0.5, 2);
  d.section.Iz = random.in(0.01, 0.1);
  d.section.Iy = random.in(0.01, 0.1);
  d.section.J = random.in(0.01, 0.1);
  d.section.shear_y = random.in(0.5, 1);
  d.section.shear_z = random.in(0.5, 1);
  const Vec3 start = random.vector(1);
  d.nodes = {start, start + random.in(0.2, 2) * random.vector(1).normalized()};
  d.orientation = random.vector(1);
  for (auto& end : d.curvature_sign) end = {random.sign(), random.sign()};
  return b;
}

void make_tapered(Beam& b, Random& random) {
  Section from, to;
  from.shape = to.shape = Section::Shape::rectangle;
  from.width = random.in(0.3, 1), from.height = random.in(0.3, 1);
  to.width = random.in(0.3, 1), to.height = random.in(0.3, 1);
  b.data.taper = {from, to, 0.3};
  b.data.section = b.data.section_at(0.5);
}

// How far x is from y in coordinates scaled by d, relative to the largest entry of y.
double differ(const VectorX& d, const MatrixX& x, const MatrixX& y) {
  return (d.asDiagonal() * (x - y) * d.asDiagonal()).cwiseAbs().maxCoeff() /
         (d.asDiagonal() * y * d.asDiagonal()).cwiseAbs().maxCoeff();
}

// The same sums from a formalism's terms, on axes and directions that span space but are not at right angles.
Derived sum_terms(const Formalism& formalism, const Stations& stations, int n, const Frame& frame) {
  MotionBasis basis;
  basis.origin = frame.origin;
  basis.axes = {Vec3(0.8, 0.6, 0), Vec3(0, 0.6, -0.8), Vec3(-0.48, 0.64, 0.6)};
  basis.accelerations = {Vec3(0, 0.8, 0.6), Vec3(0.28, 0, 0.96), Vec3(1, 0, 0)};
  ElementTerms t;
  formalism.derive(stations, n, basis, t);
  const auto solve = [](const std::vector<Vec3>& directions, const Vec3& v) {
    Mat3 m;
    m << directions[0], directions[1], directions[2];
    return Vec3(m.inverse() * v);
  };
  const Vec3 w = solve(basis.axes, frame.w), e = solve(basis.axes, frame.e), a = solve(basis.accelerations, frame.a);
  Derived out{t.M, MatrixX::Zero(n, n), MatrixX::Zero(n, n), VectorX::Zero(n)};
  for (int i = 0; i < 3; ++i) {
    const auto k = static_cast<size_t>(i);
    out.C += 2 * w[i] * t.G[k];
    out.K += e[i] * t.E[k];
    out.f += e[i] * t.B[k] + a[i] * t.A[k];
  }
  const auto pairs = basis.pairs();
  EXPECT_EQ(pairs.size(), 6u);
  for (size_t k = 0; k < pairs.size(); ++k) {
    out.K += w[pairs[k].first] * w[pairs[k].second] * t.S[k];
    out.f += w[pairs[k].first] * w[pairs[k].second] * t.H[k];
  }
  return out;
}

VectorX scale_of(const Derived& x) { return x.M.diagonal().cwiseSqrt().cwiseInverse(); }

template <class Matter>
void expect_same(const Matter& matter, const Element& element, const ElementData& data, const Frame& frame,
                 const std::string& what) {
  Stations stations;
  element.calc_stations(data, stations);
  const int n = element.n_dofs(data);
  const Derived want = derive(matter, frame, n);
  const VectorX d = scale_of(want);
  int tried = 0;
  for (const Formalism* formalism : formalisms().list()) {
    ++tried;
    const std::string of = std::string(formalism->name()) + ", " + what;
    const Derived got = sum_terms(*formalism, stations, n, frame);
    EXPECT_LE(differ(d, got.M, want.M), kAgree) << of;
    EXPECT_LE(differ(d, got.C, want.C), kAgree) << of;
    EXPECT_LE(differ(d, got.K, want.K), kAgree) << of;
    EXPECT_LE(d.cwiseProduct(got.f - want.f).cwiseAbs().maxCoeff() / d.cwiseProduct(want.f).cwiseAbs().maxCoeff(),
              kAgree)
        << of;
  }
  EXPECT_GT(tried, 0);
}

struct Kind {
  std::string name;
  int degree, axial;
  std::string describe() const {
    return name + ", degree " + std::to_string(degree) + ", axial " + std::to_string(axial);
  }
};
std::vector<Kind> all_kinds() {
  std::vector<Kind> kinds;
  for (const char* name : {"beam_euler_bernoulli", "beam_rayleigh", "beam_timoshenko"})
    for (const int degree : {3, 5})
      for (const int axial : {1, 2, 3})
        if (degree == 3 || std::string(name) != "beam_timoshenko") kinds.push_back({name, degree, axial});
  return kinds;
}

// Rᵀ(t)R'(t) = ω̂ + ε̂t + O(t²): the frame moves as it should, for a point that rests in it.
TEST(IndependentSpatial, FrameMotion) {
  Random random(1);
  const Frame f = random.frame();
  const Vec3 x = random.vector(2);
  using T = Dual<Dual<double>>;
  const Vec<T> r = to_world(f, lift<T>(x), T(D(0.0, 1.0), D(1.0, 0.0)));
  const Vec3 velocity(r[0].b.a, r[1].b.a, r[2].b.a), acceleration(r[0].b.b, r[1].b.b, r[2].b.b), d = x - f.origin;
  EXPECT_LE((f.R.transpose() * velocity - f.v - f.w.cross(d)).norm(), 1e-13);
  EXPECT_LE((f.R.transpose() * acceleration - f.a - f.e.cross(d) - f.w.cross(f.w.cross(d))).norm(), 1e-12);
}

TEST(IndependentSpatial, BeamInGeneralMotion) {
  for (const unsigned seed : {20261115u, 7u}) {
    Random random(seed);
    for (const Kind& kind : all_kinds()) {
      const Beam beam = make_beam(kind.name, kind.degree, kind.axial, random);
      expect_same(beam, element_of(kind.name), beam.data, random.frame(), kind.describe());
    }
  }
}

TEST(IndependentSpatial, WithoutRotaryInertiaSectionsTurnWithTheTwistOnly) {
  Random random(3);
  for (Kind kind : all_kinds()) {
    Beam beam = make_beam(kind.name, kind.degree, kind.axial, random);
    beam.data.rotary = false;
    beam.turns = Beam::Turns::about_its_axis;
    expect_same(beam, element_of(kind.name), beam.data, random.frame(), kind.describe());
  }
}

// Polynomials in ξ still: A of degree 2, I of degree 4.
TEST(IndependentSpatial, TaperedBeamInGeneralMotion) {
  Random random(4);
  for (const Kind& kind : all_kinds()) {
    Beam beam = make_beam(kind.name, kind.degree, kind.axial, random);
    make_tapered(beam, random);
    expect_same(beam, element_of(kind.name), beam.data, random.frame(), kind.describe() + ", tapered");
  }
}

TEST(IndependentSpatial, ElasticStiffness) {
  Random random(5);
  for (const Kind& kind : all_kinds()) {
    const Beam beam = make_beam(kind.name, kind.degree, kind.axial, random);
    const Element& element = element_of(kind.name);
    Stations stations;
    element.calc_stations(beam.data, stations);
    const int n = element.n_dofs(beam.data);
    ElementTerms t;
    formalisms().find(kDefaultFormalism)->derive(stations, n, {}, t);
    const MatrixX want = calc_hessian(beam, n, [&](double xi, const auto& q) { return beam.energy(xi, q); });
    const VectorX d = want.diagonal().cwiseSqrt().cwiseInverse();
    EXPECT_LE(differ(d, t.K, want), kAgree) << kind.describe();
  }
}

// Γⱼ: second derivative of ∫ξʲ √((1+u')² + v'² + w'²) dx.
TEST(IndependentSpatial, GeometricMatrices) {
  Random random(6);
  for (const Kind& kind : all_kinds())
    for (const bool tapered : {false, true}) {
      Beam beam = make_beam(kind.name, kind.degree, kind.axial, random);
      if (tapered) make_tapered(beam, random);
      const Element& element = element_of(kind.name);
      Stations stations;
      element.calc_stations(beam.data, stations);
      const int n = element.n_dofs(beam.data);
      ElementTerms t;
      formalisms().find(kDefaultFormalism)->derive(stations, n, {}, t);
      ASSERT_EQ(t.Gamma.size(), tapered ? 5u : 3u);
      for (size_t power = 0; power < t.Gamma.size(); ++power) {
        const MatrixX want = calc_hessian(beam, n, [&](double xi, const auto& q) {
          // Mean stretch of fibres at four points of the section, which shift by (α' t) × s where the beam twists.
          const auto f = beam.fields(xi, q);
          const auto a = beam.area(xi);
          DD sum(0.0);
          for (const double y : {-std::sqrt(a.Iz / a.A), std::sqrt(a.Iz / a.A)})
            for (const double z : {-std::sqrt(a.Iy / a.A), std::sqrt(a.Iy / a.A)}) {
              const DD along = DD(1.0) + f.du - DD(y) * f.dgamma + DD(z) * f.dbeta, side = f.dv - DD(z) * f.dalpha,
                       up = f.dw + DD(y) * f.dalpha, square = along * along + side * side + up * up;
              sum += DD(0.25) * square * reciprocal_root(square);
            }
          return DD(std::pow(xi, static_cast<double>(power))) * sum;
        });
        EXPECT_LE((t.Gamma[power] - want).cwiseAbs().maxCoeff(), kAgree * want.cwiseAbs().maxCoeff())
            << kind.describe() << ", " << power;
      }
    }
}

// A lumped mass with any inertia tensor: three pairs of particles at ±pₖ from the point.
struct Cluster {
  Vec3 at;
  std::array<Vec3, 3> p;
  double mass;

  std::vector<Particle> particles() const {
    std::vector<Particle> out;
    for (const Vec3& s : p) {
      out.push_back({mass / 6, 0, s});
      out.push_back({mass / 6, 0, -s});
    }
    return out;
  }
  template <class S>
  Vec<S> place(const Particle& particle, const std::vector<S>& q) const {
    return plus(plus(lift<S>(at), Vec<S>{q[0], q[1], q[2]}), turn(Vec<S>{q[3], q[4], q[5]}, lift<S>(particle.s)));
  }
};

TEST(IndependentSpatial, LumpedMassInGeneralMotion) {
  Random random(8);
  for (int sample = 0; sample < 5; ++sample) {
    const Cluster cluster{
        random.vector(1), {random.vector(0.5), random.vector(0.5), random.vector(0.5)}, random.in(1, 5)};
    Mat3 I = Mat3::Zero();
    for (const Particle& p : cluster.particles())
      I += p.mass * (p.s.squaredNorm() * Mat3::Identity() - p.s * p.s.transpose());
    LumpedMass lump;
    lump.mass = cluster.mass;
    lump.inertia_tensor = {I(0, 0), I(1, 1), I(2, 2), I(0, 1), I(1, 2), I(0, 2)};
    ElementData data;
    data.dimension = 3;
    data.nodes = {cluster.at};
    data.mass = &lump;
    expect_same(cluster, element_of("point_mass"), data, random.frame(), "lumped mass " + std::to_string(sample));
  }
}

// If sections of a shear-rigid beam stay exactly normal to the bent axis, their rotation vector has, to second order,
//   β = −w' + ½αv' + u'w',   γ = v' + ½αw' − u'v',                                                    (2)
// and the couple per length τ = ∫ρ s × Bs = Iε + ω × Iω (I: the section's inertia per length) works on the quadratic
// part. The program leaves out what this adds to the stiffness, symmetric, per length:
//   twist:    k(α, v') = ½τ₂,   k(α, w') = ½τ₃,
//   stretch:  k(u', w') = τ₂,   k(u', v') = −τ₃                                                       (3)
// (α the first component of the rotation vector). Of the size ρIω² where elastic terms are EI/L², GJ/L². Nothing else
// differs.
TEST(IndependentSpatial, TangentCondition) {
  Random random(9);
  for (const int degree : {3, 5})
    for (const int axial : {1, 2, 3}) {
      Beam beam = make_beam("beam_rayleigh", degree, axial, random);
      if (axial == 2) make_tapered(beam, random);
      beam.turns = Beam::Turns::normal_to_the_axis;
      const Frame frame = random.frame();
      const Element& element = element_of("beam_rayleigh");
      Stations stations;
      element.calc_stations(beam.data, stations);
      const int n = element.n_dofs(beam.data);
      const Derived exact = derive(beam, frame, n);
      const VectorX d = scale_of(exact);

      MatrixX left_out = MatrixX::Zero(n, n);
      for (const Particle& p : beam.particles()) {
        const Vec3 s = beam.axes() * p.s, Bs = frame.e.cross(s) + frame.w.cross(frame.w.cross(s));
        const Vec3 tau = beam.axes().transpose() * p.mass * s.cross(Bs);
        VectorX du(n), dv(n), dw(n), alpha(n);
        for (int k = 0; k < n; ++k) {
          std::vector<D> q(static_cast<size_t>(n), D(0.0));
          q[static_cast<size_t>(k)] = D(1.0);
          const auto f = beam.fields(p.xi, q);
          du[k] = f.du.a, dv[k] = f.dv.a, dw[k] = f.dw.a, alpha[k] = f.alpha.a;
        }
        const auto add = [&](double k, const VectorX& x, const VectorX& y) {
          left_out += k * (x * y.transpose() + y * x.transpose());
        };
        add(0.5 * tau[1], alpha, dv);
        add(0.5 * tau[2], alpha, dw);
        add(tau[1], du, dw);
        add(-tau[2], du, dv);
      }
      for (const Formalism* formalism : formalisms().list()) {
        const Derived got = sum_terms(*formalism, stations, n, frame);
        EXPECT_LE(differ(d, got.M, exact.M), kAgree);
        EXPECT_LE(differ(d, got.C, exact.C), kAgree);
        EXPECT_LE(differ(d, got.K + left_out, exact.K), kAgree);
        EXPECT_LE(d.cwiseProduct(got.f - exact.f).cwiseAbs().maxCoeff() / d.cwiseProduct(exact.f).cwiseAbs().maxCoeff(),
                  kAgree);
        EXPECT_GE(differ(d, got.K, exact.K), 1e-4);  // it is not nothing
      }
    }
}

}  // namespace
}  // namespace elodyn
