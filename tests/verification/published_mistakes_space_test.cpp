// Mistakes in published equations of beams in spatial motion and of their geometric stiffness; the plane ones are in
// published_mistakes_plane_test.cpp. Each test shows the printed form failing and the right one keeping the same law.
// docs/theory/published-mistakes.md lists them; its numbers stand here in front (#).
// Not here: the pull of the own element only (#41, #73), own_element_pull_test.cpp; the whirl of a shaft without the
// second-order rotation of its sections (#32), spinning_shaft_test.cpp.
#include <cmath>
#include <numbers>

#include "tests/support/element_terms.hpp"
#include "tests/support/models.hpp"
#include "tests/support/results.hpp"
#include "tests/support/tolerance.hpp"
#include <Eigen/Eigenvalues>
#include <gtest/gtest.h>

#include "elodyn/base/rotation.hpp"
#include "elodyn/element/registry.hpp"
#include "elodyn/laws.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {
namespace {

using test::MovingState;
using test::Random;

const Element& beam() { return *elements().find("beam_rayleigh"); }
const Formalism& first_formalism() { return *formalisms().find(kDefaultFormalism); }

// A frame in the world at an instant: Ṙ = Ω̂R, R̈ = (Ω̂' + Ω̂²)R with the angular velocity Ω in world axes.
struct WorldMotion {
  Mat3 R;
  Vec3 spin, spin_rate, velocity, acceleration;
};

// Matter that rests in the world, seen from the frame: x + u = Rᵀ(X − r_O) = Cx + c, and its rates from those of R
// alone. What the equation leaves of a force, relative to M q̈, if the frame is said to turn with w and e.
double force_on_matter_at_rest(const WorldMotion& m, const Vec3& w, const Vec3& e, const Stations& stations, int n) {
  const Mat3 C = (Mat3() << 1.2, -0.3, 0.4, 0.5, 0.8, -0.2, 0.1, 0.3, 1.1).finished();
  const Mat3 Rd = skew(m.spin) * m.R, Rdd = (skew(m.spin_rate) + skew(m.spin) * skew(m.spin)) * m.R;
  const auto place = [&](const Vec3& x) { return Vec3(C * x + Vec3(0.3, -0.1, 0.2)); };  // in the axes of the frame
  MovingState s;
  s.q = test::fit_displacements(stations, n, [&](const Vec3& x) { return Vec3(place(x) - x); });
  s.rate = test::fit_displacements(stations, n, [&](const Vec3& x) {
    return Vec3(Rd.transpose() * (m.R * place(x)) - m.R.transpose() * m.velocity);
  });
  s.second = test::fit_displacements(stations, n, [&](const Vec3& x) {
    return Vec3(Rdd.transpose() * (m.R * place(x)) - 2 * Rd.transpose() * m.velocity -
                m.R.transpose() * m.acceleration);
  });
  s.w = w;
  s.e = e;
  s.a = m.R.transpose() * m.acceleration;
  const MotionBasis basis = test::make_cartesian_basis();
  ElementTerms t;
  first_formalism().derive(stations, n, basis, t);
  VectorX d = t.M.diagonal();
  for (double& v : d) v = v > 0 ? 1 / std::sqrt(v) : 0;  // twist has no mass here
  return d.cwiseProduct(calc_inertia(t, basis, s)).norm() / d.cwiseProduct(t.M * s.second).norm();
}

// #37, #82: [Vlase2019] (28) and [Chircan2020] (26), (3.10) go from world to body axes with R, ω_L = R ω_G. With
// a_G = R a_L it is ω_L = Rᵀ ω_G. Harmless in the plane, where both are ω_G.
TEST(PublishedMistakes, RotationInPlaceOfItsTranspose) {
  Random random(3);
  int tried = 0;
  for (const ElementSample& sample : make_samples(beam(), 5)) {
    if (sample.data.dimension != 3) continue;
    Stations stations;
    beam().calc_stations(sample.data, stations);
    for (Station& st : stations) st.sigma.setZero();
    const int n = beam().n_dofs(sample.data);
    const WorldMotion m = {random.rotation(), random.vector(3), random.vector(9), random.vector(4), random.vector(9)};
    EXPECT_LE(force_on_matter_at_rest(m, m.R.transpose() * m.spin, m.R.transpose() * m.spin_rate, stations, n), 1e-11)
        << sample.name;
    EXPECT_GE(force_on_matter_at_rest(m, m.R * m.spin, m.R * m.spin_rate, stations, n), 0.01) << sample.name;
    const WorldMotion flat = {Eigen::AngleAxisd(0.8, Vec3::UnitZ()).toRotationMatrix(), Vec3(0, 0, 3), Vec3(0, 0, -7),
                              random.vector(4), random.vector(9)};
    EXPECT_LE(force_on_matter_at_rest(flat, flat.R * flat.spin, flat.R * flat.spin_rate, stations, n), 1e-11);
    ++tried;
  }
  EXPECT_GT(tried, 0);
}

// #31, #33: [Vlase2019] (14) to (16) takes ω' = ω + θ̇ with a constant inertia I. I is constant only in the axes of the
// section, where ω' = ω + θ̇ − θ×ω to first order. The energy ½ω'·Iω' of a section that stands tilted in a spinning
// frame shows it: its slope is −(Iω)·(θ×ω) = −θ·(ω×Iω), the load that (51) lacks; the printed energy has none.
TEST(PublishedMistakes, SectionsThatDoNotSeeTheirTilt) {
  const Mat3 I = Vec3(3, 2, 1).asDiagonal();
  const Vec3 w(2, -1, 3), axis = Vec3(0.3, 0.7, -0.5).normalized();
  const double h = 1e-4;
  const auto exact = [&](double angle) {
    const Vec3 in_section = Eigen::AngleAxisd(-angle, axis) * w;
    return 0.5 * in_section.dot(I * in_section);
  };
  const double slope = (exact(h) - exact(-h)) / (2 * h), size = w.dot(I * w);
  const auto first_order = [&](double angle, bool printed) {
    const Vec3 in_section = printed ? w : Vec3(w - angle * axis.cross(w));
    return 0.5 * in_section.dot(I * in_section);
  };
  const auto slope_of = [&](bool printed) { return (first_order(h, printed) - first_order(-h, printed)) / (2 * h); };
  EXPECT_NEAR(slope_of(false), slope, 10 * h * h * size);  // central differences: third derivative · h²/6
  EXPECT_NEAR(-axis.dot(w.cross(I * w)), slope, 10 * h * h * size);
  EXPECT_EQ(slope_of(true), 0);
  EXPECT_GE(std::abs(slope), 0.1 * size);
}

// #32, #33: (51) and (53) of [Vlase2019]: rotary inertia in the mass and in the Euler load, in nothing else.
// `euler_factor`: #47, (53) has ∫ρA Nθᵀ Iε where ∫ρ Nθᵀ Iε belongs.
class PrintedBeamEquation final : public Formalism {
 public:
  explicit PrintedBeamEquation(bool section_terms, double euler_factor = 1)
      : section_terms_(section_terms), euler_factor_(euler_factor) {}
  std::string_view name() const override { return "printed"; }
  std::string_view summary() const override { return ""; }
  using Formalism::derive;
  void derive(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& t) const override {
    first_formalism().derive(stations, n, basis, t);
    Stations points = stations;
    for (Station& st : points) st.sigma.setZero();
    ElementTerms p;
    first_formalism().derive(points, n, basis, p);
    if (!section_terms_) {
      t.G = p.G;
      t.E = p.E;
      t.S = p.S;
      t.H = p.H;
    }
    for (size_t i = 0; i < t.B.size(); ++i) t.B[i] = p.B[i] + euler_factor_ * (t.B[i] - p.B[i]);
  }

 private:
  bool section_terms_;
  double euler_factor_;
};

std::vector<std::string> broken_laws(const Formalism& formalism, const ElementData& data) {
  std::vector<std::string> out;
  for (const LawCheck& check : check_formalism_laws(formalism, beam(), data, 5))
    if (!check.holds()) out.push_back(check.law);
  return out;
}

TEST(PublishedMistakes, MissingSectionTermsBreakEulersEquations) {
  const std::vector<std::string> euler = {"rigid rotations feel the gyroscopic couple of Euler's equations",
                                          "rigid rotations feel the centrifugal and Euler couple of Euler's equations",
                                          "the load on rigid rotations is that of Euler's equations"};
  int tried = 0;
  for (const ElementSample& sample : make_samples(beam(), 5)) {
    if (sample.data.dimension != 3 || !sample.data.rotary) continue;
    EXPECT_EQ(broken_laws(PrintedBeamEquation(true), sample.data), std::vector<std::string>()) << sample.name;
    EXPECT_EQ(broken_laws(PrintedBeamEquation(false), sample.data), euler) << sample.name;
    EXPECT_EQ(broken_laws(PrintedBeamEquation(true, sample.data.section.A), sample.data),
              std::vector<std::string>{euler[2]})
        << sample.name;
    ++tried;
  }
  EXPECT_GT(tried, 0);
}

// A free short round bar spins about its axis and is disturbed. In the frame that keeps spinning, its axis either
// stands still in the world (Ω) or wobbles with Euler's (I₁ − I₂)Ω/I₂; nothing grows.
TEST(PublishedMistakes, MissingSectionTermsChangeTheWobbleOfAFreeBody) {
  const double L = 0.2, radius = 0.15, rho = 5e3, spin = 40, A = std::numbers::pi * radius * radius;
  ElementData data;
  data.dimension = 3;
  data.nodes = {Vec3(-L / 2, 0, 0), Vec3(L / 2, 0, 0)};
  data.young = 2e11;
  data.shear = 8e10;
  data.density = rho;
  data.section.A = A;
  data.section.Iy = data.section.Iz = A * radius * radius / 4;
  data.section.J = 2 * data.section.Iz;
  Stations stations;
  beam().calc_stations(data, stations);
  const int n = beam().n_dofs(data);
  MatrixX Phi(n, 2);
  for (const int k : {0, 1}) {
    const Vec3 axis = k == 0 ? Vec3::UnitY() : Vec3::UnitZ();
    Phi.col(k) = test::fit_displacements(stations, n, [&](const Vec3& x) { return Vec3(axis.cross(x)); });
  }
  MotionBasis basis;
  basis.axes = {Vec3::UnitX()};
  const auto roots = [&](const Formalism& formalism) {
    ElementTerms t;
    formalism.derive(stations, n, basis, t);
    const Eigen::Matrix2d M = Phi.transpose() * t.M * Phi, C = 2 * spin * Phi.transpose() * t.G[0] * Phi,
                          K = spin * spin * Phi.transpose() * t.S[0] * Phi;
    Eigen::Matrix4d companion = Eigen::Matrix4d::Zero();
    companion.topRightCorner(2, 2).setIdentity();
    companion.bottomLeftCorner(2, 2) = -M.inverse() * K;
    companion.bottomRightCorner(2, 2) = -M.inverse() * C;
    return Eigen::Vector4cd(companion.eigenvalues());
  };
  const double m = rho * A * L, I1 = m * radius * radius / 2, I2 = m * (3 * radius * radius + L * L) / 12;
  const auto miss = [&](const Eigen::Vector4cd& found, double wanted) {  // relative to the spin
    double nearest = 1e300;
    for (const auto& value : found) nearest = std::min(nearest, std::abs(value - std::complex<double>(0, wanted)));
    return nearest / spin;
  };
  const double wobble = (I1 - I2) / I2 * spin;
  const Eigen::Vector4cd right = roots(PrintedBeamEquation(true)), printed = roots(PrintedBeamEquation(false));
  for (const double wanted : {spin, -spin, wobble, -wobble}) {
    EXPECT_LE(miss(right, wanted), 1e-10);  // single roots: round-off of M⁻¹
    EXPECT_GE(miss(printed, wanted), 0.05);
  }
}

// A plane beam whose axial force is P = p₀ + p₁ξ:  ∫P v'² dx by the library's matrices, ∫P v''² dx as printed.
struct AxialForceEnergy {
  Stations stations;
  ElementTerms terms;
  explicit AxialForceEnergy(const ElementData& data) {
    beam().calc_stations(data, stations);
    first_formalism().derive(stations, beam().n_dofs(data), {}, terms);
  }
  double right(double p0, double p1, const VectorX& q) const {
    return q.dot(p0 * terms.Gamma[0] * q + p1 * terms.Gamma[1] * q);
  }
  double printed(double p0, double p1, const VectorX& q, double x0, double L) const {
    double sum = 0;
    for (const Station& st : stations)
      sum += st.weight * (p0 + p1 * (st.x[0] - x0) / L) * std::pow(st.B.row(1).dot(q), 2);
    return sum;
  }
};

// #38: [Vlase2019] (38) has the work of the axial force as ½∫P(v''² + w''²); right are first derivatives.
TEST(PublishedMistakes, AxialForceOnSecondDerivatives) {
  ElementData data;
  const double L = 2, rho = 7800, A = 1e-4, g = 9.81;
  data.nodes = {Vec3::Zero(), Vec3(L, 0, 0)};
  data.rotary = false;
  data.young = 2e11;
  data.density = rho;
  data.section.A = A;
  data.section.Iz = 1e-9;
  ASSERT_EQ(beam().strain_names(data)[1], "bending");
  const AxialForceEnergy rod(data);

  // A rod that hangs from a hinge at x = 0 swings as a pendulum, ω² = 3g/2L; its weight pulls with P = ρAg(L − x).
  VectorX swing(6);
  swing << 0, 0, 1, 0, L, 1;
  const double pull = rho * A * g * L, inertia = swing.dot(rod.terms.M * swing);
  EXPECT_NEAR(rod.right(pull, -pull, swing) / inertia / (1.5 * g / L), 1, 1e-12);
  EXPECT_NEAR(rod.printed(pull, -pull, swing, 0, L) / inertia / (1.5 * g / L), 0, 1e-12);

  // The same bent beam in metres and in millimetres has the same energy in joules.
  ElementData in_mm = data;
  in_mm.nodes[1] *= 1e3;
  const AxialForceEnergy small(in_mm);
  VectorX bent(6), bent_mm(6);
  bent << 0, 0.1, -0.2, 0, 0.3, 0.4;
  bent_mm << 0, 100, -0.2, 0, 300, 0.4;
  EXPECT_NEAR(1e-3 * small.right(5, 0, bent_mm) / rod.right(5, 0, bent), 1, 1e-12);
  EXPECT_NEAR(1e-3 * small.printed(5, 0, bent_mm, 0, 1e3 * L) / rod.printed(5, 0, bent, 0, L), 1e-6, 1e-12);
}

// #39: [Vlase2019] (39) to (41) take the axial force from the acceleration along the X axis of the world. Right is the
// axis of the bar. A rotor's pull, and with it its frequency, would depend on where the rotor just points.
TEST(PublishedMistakes, AxialForceFromTheAxisOfTheWorld) {
  const double L = 0.5, spin = 314;
  const Model model = test::make_rod({.elements = 6, .degree = 5, .length = L, .speed = spin});
  const double rho_A = 7800 * calc_properties(model.sections[0]).A, whole = 0.5 * rho_A * spin * spin * L * L;
  // At the root, −∫ρA a ds along a direction of the world, for a rod that points at `angle`.
  const auto pull_along = [&](double angle, bool along_bar) {
    const Mat3 R = Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
    const Vec3 w(0, 0, spin), middle(L / 2, 0, 0);  // a is linear in s
    const Vec3 local = w.cross(w.cross(middle)), direction = along_bar ? Vec3(R.col(0)) : Vec3(Vec3::UnitX());
    return -rho_A * L * direction.dot(R * local);
  };
  EXPECT_NEAR(test::column(run_static([&] {
                             Model dead = model;
                             dead.terms.centrifugal_stiffness = false;
                             return dead;
                           }()),
                           "rod_forces", "N")[0] /
                  whole,
              1, 1e-9);
  // Squares of the lowest frequency with the pull multiplied by a factor, without Coriolis forces.
  const auto lowest_square = [&](double factor) {
    BodySystem s = make_body_system(model, model.bodies[0]);
    for (MatrixTerm& term : s.full.matrices)
      if (term.kind == TermKind::geometric) term.coefficient *= factor;
    const AffineEquation reduced = s.constraints.reduce(s.full);
    const MatrixX M = reduced.calc_mass(), K = reduced.calc_stiffness(s.calc_factors(0));
    const VectorX d = M.diagonal().cwiseSqrt().cwiseInverse();
    return Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX>(d.asDiagonal() * K * d.asDiagonal(),
                                                             d.asDiagonal() * M * d.asDiagonal())
        .eigenvalues()[0];
  };
  const double right = lowest_square(1);
  EXPECT_GT(right, 0);
  for (const double angle : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const double at = angle * std::numbers::pi;
    EXPECT_NEAR(pull_along(at, true) / whole, 1, 1e-12);
    EXPECT_NEAR(pull_along(at, false) / whole, std::cos(at), 1e-12);
    const double printed = lowest_square(pull_along(at, false) / whole);
    if (angle == 0)
      EXPECT_NEAR(printed / right, 1, 1e-9);
    else
      EXPECT_LT(printed, 0.9 * right) << angle;
  }
  EXPECT_LT(lowest_square(pull_along(std::numbers::pi, false) / whole), 0);  // pressed: it would break loose
}

// #85: [Chircan2020] (3.14) has −ρAω²[d(L − x) + (L² − x²)/2]; right is plus, the outer part pulls. With the printed
// sign a spinning rod becomes softer with speed and then unstable (rotating_cantilever_test.cpp has the limits).
TEST(PublishedMistakes, PullWithTheSignOfPressure) {
  const auto first = [](double speed, Terms::Pull pull) {
    Model m = test::make_rod({.elements = 8, .degree = 5, .speed = speed, .modes = 1});
    m.terms.pull = pull;
    return run_modes(m).modes.at(0);
  };
  const double at_rest = first(0, Terms::Pull::accumulated).omega;
  double right = at_rest, printed = at_rest;
  for (const double speed : {30.0, 60.0, 90.0, 120.0}) {
    const double r = first(speed, Terms::Pull::accumulated).omega, p = first(speed, Terms::Pull::reversed).omega;
    EXPECT_GT(r, right) << speed;
    EXPECT_LT(p, printed) << speed;
    right = r;
    printed = p;
  }
  EXPECT_EQ(first(2 * at_rest, Terms::Pull::accumulated).growth, 0);
  EXPECT_GT(first(2 * at_rest, Terms::Pull::reversed).growth, 0.1 * at_rest);
}

}  // namespace
}  // namespace elodyn
