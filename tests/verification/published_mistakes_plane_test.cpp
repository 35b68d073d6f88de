// Mistakes in published equations of plane elements in moving frames. Each test writes the equation as printed, shows
// what law of mechanics it breaks, and that the right equation, (1) of plane_forms.hpp, keeps it in the same check.
// docs/theory/published-mistakes.md lists them for readers of the papers; its numbers stand here in front (#).
#include "tests/support/plane_forms.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/element/registry.hpp"
#include "elodyn/laws.hpp"

namespace elodyn {
namespace {

using test::Mat2;
using test::PlaneElement;
using test::PlaneForm;
using test::PlaneFrame;
using test::PlaneMotion;
using test::quarter_turn;
using test::Vec2;

const Element& beam() { return *elements().find("beam_rayleigh"); }

// Plane beams of both degrees, along x and turned, without rotary inertia. Soft, so that they can be followed in time.
std::vector<ElementData> make_plane_beams() {
  std::vector<ElementData> out;
  for (const ElementSample& sample : make_samples(beam(), 11)) {
    if (sample.data.dimension != 2 || sample.data.rotary || sample.data.taper) continue;
    ElementData data = sample.data;
    data.young = 1e4;
    out.push_back(data);
  }
  return out;
}

// A cubic beam from the origin along x; dofs u, v, v' of both ends.
ElementData make_rod_data(double length, double young, double density, double area) {
  ElementData data;
  data.nodes = {Vec3::Zero(), Vec3(length, 0, 0)};
  data.young = young;
  data.density = density;
  data.section.A = area;
  data.section.Iz = data.section.Iy = area * area / 12;
  data.section.J = 2 * data.section.Iz;
  data.rotary = false;
  return data;
}

constexpr double kHolds = 1e-11;    // round-off of least squares and sums, as in elodyn/laws.cpp
constexpr double kStraight = 1e-8;  // m, or relative: 1e-11 of the integrator for each of up to 1000 steps
constexpr double kBroken = 1e-2;    // what a wrong term of the size of the others must leave behind at least

// The printed equation pushes matter that rests in the world, and bends the path of a free mass; the right one does
// not.
void expect_wrong(const PlaneForm& printed) {
  const PlaneFrame frame;
  int tried = 0;
  for (const ElementData& data : make_plane_beams()) {
    const PlaneElement p = test::make_plane_element(beam(), data);
    EXPECT_LE(test::force_on_matter_at_rest({}, p, frame.at(0.7)), kHolds);
    EXPECT_GE(test::force_on_matter_at_rest(printed, p, frame.at(0.7)), kBroken);
    if (data.degree == 3 && data.axial_degree == 1) {
      EXPECT_LE(test::leave_straight_line({}, p, frame), kStraight);
      EXPECT_GE(test::leave_straight_line(printed, p, frame), kBroken);
    }
    ++tried;
  }
  EXPECT_GE(tried, 6);
}

VectorX some_vector(Eigen::Index n, double phase) {
  VectorX v(n);
  for (Eigen::Index i = 0; i < n; ++i) v[i] = std::sin(phase + 1.7 * static_cast<double>(i));
  return v;
}

TEST(PublishedMistakes, TheRightPlaneEquationIsThatOfEveryFormalism) {
  MotionBasis basis;
  basis.axes = {Vec3::UnitZ()};
  basis.accelerations = {Vec3::UnitX(), Vec3::UnitY()};
  const PlaneMotion at = PlaneFrame{}.at(0.7);
  int compared = 0;
  for (const ElementData& data : make_plane_beams()) {
    const PlaneElement p = test::make_plane_element(beam(), data);
    const VectorX q = some_vector(p.n, 0), qd = some_vector(p.n, 1), qdd = some_vector(p.n, 2);
    for (const Formalism* formalism : formalisms().list()) {
      ElementTerms t;
      formalism->derive(p.stations, p.n, basis, t);
      const VectorX want = t.M * qdd + 2 * at.w * t.G[0] * qd + (at.e * t.E[0] + at.w * at.w * t.S[0]) * q +
                           at.a[0] * t.A[0] + at.a[1] * t.A[1] + at.e * t.B[0] + at.w * at.w * t.H[0];
      EXPECT_LE((PlaneForm{}.calc_inertia(p, at, q, qd, qdd) - want).norm(), 1e-12 * want.norm()) << formalism->name();
      // and the printed Coriolis sign is that of none
      EXPECT_GE((PlaneForm{.coriolis = -2}.calc_inertia(p, at, q, qd, qdd) - want).norm(), kBroken * want.norm());
      ++compared;
    }
  }
  EXPECT_GE(compared, 30);
}

// #21, #65: [Mare2024] (47), (49) and [Scutaru2024] (29) print 2ω(m₁₂ − m₂₁)q̇; right is 2ω(m₂₁ − m₁₂)q̇.
TEST(PublishedMistakes, CoriolisSign) { expect_wrong({.coriolis = -2}); }

// The same by energy: free matter without stiffness keeps its kinetic energy however the frame moves.
TEST(PublishedMistakes, CoriolisSignChangesTheEnergyOfFreeMatter) {
  const PlaneFrame frame;
  ElementData data = make_rod_data(0.8, 1e4, 1e3, 1e-3);
  data.axial_degree = 3;  // then u and v are both cubic, and the frame's turn of a field is a field of the element
  const PlaneElement p = test::make_plane_element(beam(), data);
  const VectorX start = 0.1 * some_vector(2 * p.n, 1);
  for (const double coriolis : {2.0, -2.0}) {
    const OdeResult motion = test::move_freely({.coriolis = coriolis}, p, frame, 0, start);
    const double T0 = test::calc_kinetic_energy(p, frame.at(0), start.head(p.n), start.tail(p.n)),
                 T1 = test::calc_kinetic_energy(p, frame.at(motion.t_end), motion.y_end.head(p.n),
                                                motion.y_end.tail(p.n));
    if (coriolis > 0)
      EXPECT_NEAR(T1 / T0, 1, kStraight);
    else
      EXPECT_GE(std::abs(T1 / T0 - 1), kBroken);
  }
}

// At constant speed the Jacobi integral ½q̇ᵀMq̇ + ½qᵀ(K − ω²m)q + hᵀq does not see the sign, since Coriolis forces do no
// work in the frame: a check of energy in the frame alone lets the mistake pass.
TEST(PublishedMistakes, CoriolisSignIsNotSeenByTheJacobiIntegral) {
  const PlaneElement p = test::make_plane_element(beam(), make_rod_data(0.8, 1e4, 1e3, 1e-3));
  const double w = 3;
  const PlaneMotion at = {w, 0, Vec2::Zero(), Vec2::Zero()};
  const VectorX zero = VectorX::Zero(p.n), h = PlaneForm{}.calc_inertia(p, at, zero, zero, zero);
  const MatrixX M = p.m(), stiffness = p.K - w * w * M;
  const auto jacobi = [&](const VectorX& y) {
    const VectorX q = y.head(p.n), qd = y.tail(p.n);
    return 0.5 * qd.dot(M * qd) + 0.5 * q.dot(stiffness * q) + h.dot(q);
  };
  const Eigen::LDLT<MatrixX> inverse(M);
  const VectorX start = 0.1 * some_vector(2 * p.n, 1);
  std::vector<VectorX> ends;
  for (const double coriolis : {2.0, -2.0}) {
    const PlaneForm form = {.coriolis = coriolis};
    const auto f = [&](double, const VectorX& y, VectorX& rate) {
      rate.resize(2 * p.n);
      rate.head(p.n) = y.tail(p.n);
      rate.tail(p.n) = inverse.solve(-form.calc_inertia(p, at, y.head(p.n), y.tail(p.n), zero) - p.K * y.head(p.n));
    };
    ends.push_back(integrate(f, start, {0, 1}, {.relative = 1e-11, .absolute = 1e-13}).y_end);
    EXPECT_NEAR(jacobi(ends.back()) / jacobi(start), 1, kStraight) << coriolis;
  }
  EXPECT_GE((ends[0] - ends[1]).norm(), kBroken * ends[0].norm());
}

// #22, #64: [Mare2024] (47), (49) and [Scutaru2024] (29) keep ω(ẋ_O1 m_O2 + ẋ_O2 m_O1) on the left. The velocity of the
// origin may not appear: a frame that travels faster by a constant velocity must find the same forces.
TEST(PublishedMistakes, VelocityOfTheOriginInTheEquation) {
  expect_wrong({.origin_velocity = 1});
  for (const ElementData& data : make_plane_beams()) {
    const PlaneElement p = test::make_plane_element(beam(), data);
    const VectorX q = some_vector(p.n, 0), qd = some_vector(p.n, 1), qdd = some_vector(p.n, 2);
    const PlaneMotion slow = PlaneFrame{}.at(0.7), fast = PlaneFrame{.boost = {20, -30}}.at(0.7);
    const auto change = [&](const PlaneForm& form) {
      return (form.calc_inertia(p, fast, q, qd, qdd) - form.calc_inertia(p, slow, q, qd, qdd)).norm() /
             PlaneForm{}.calc_inertia(p, slow, q, qd, qdd).norm();
    };
    EXPECT_LE(change({}), test::roundoff(10, 1));
    EXPECT_GE(change({.origin_velocity = 1}), kBroken);
  }
}

// The other reading of the same lines: ẍ_O are the rates of the components of the velocity, v̇ = a − ω × v. Then the
// term belongs there as ω(ẋ_O1 m_O2 − ẋ_O2 m_O1); the printed inner sign is wrong even so. #63: [Scutaru2024] (27) puts
// ẋ_O for a rate of momentum; that the rate of components is not the acceleration is the root of all of these (also
// #5).
TEST(PublishedMistakes, VelocityOfTheOriginWithRatesOfComponents) {
  for (const ElementData& data : make_plane_beams()) {
    const PlaneElement p = test::make_plane_element(beam(), data);
    const VectorX q = some_vector(p.n, 0), qd = some_vector(p.n, 1), qdd = some_vector(p.n, 2);
    const auto force = [&](const Vec2& boost, double inner_sign) {
      const PlaneMotion at = PlaneFrame{.boost = boost}.at(0.7);
      const Vec2 component_rates = at.a - at.w * quarter_turn() * at.v;
      VectorX f = PlaneForm{}.calc_inertia(p, {at.w, at.e, at.v, component_rates}, q, qd, qdd);
      return VectorX(f + at.w * (at.v[0] * p.mO2 + inner_sign * at.v[1] * p.mO1));
    };
    const double size = force(Vec2::Zero(), -1).norm();
    EXPECT_LE((force({20, -30}, -1) - force(Vec2::Zero(), -1)).norm(), test::roundoff(100, size));
    EXPECT_GE((force({20, -30}, 1) - force(Vec2::Zero(), 1)).norm(), kBroken * size);
  }
}

// #10, #12, #57: the kinetic energy, [Mare2024] (20), (22) and [Scutaru2024] (11), (23), against ½∫ρv² of the points.
TEST(PublishedMistakes, SignsInTheKineticEnergy) {
  for (const ElementData& data : make_plane_beams()) {
    const PlaneElement p = test::make_plane_element(beam(), data);
    const PlaneMotion at = PlaneFrame{.boost = {2, -3}}.at(0.7);
    const VectorX q = some_vector(p.n, 0), qd = some_vector(p.n, 1);
    const VectorX zero = VectorX::Zero(p.n);
    const double w = at.w, undeformed = test::calc_kinetic_energy(p, at, zero, zero);
    const auto energy = [&](double velocity_sign, double product_sign) {
      return undeformed + 0.5 * w * w * q.dot(p.m() * q) + 0.5 * qd.dot(p.m() * qd) -
             w * (at.v[0] * p.mO2.dot(q) + velocity_sign * at.v[1] * p.mO1.dot(q)) + at.v[0] * p.mO1.dot(qd) +
             at.v[1] * p.mO2.dot(qd) + w * w * (p.m1_1 + p.m2_2).dot(q) - w * (p.m2_1 - p.m1_2).dot(qd) -
             product_sign * w * q.dot(p.turned() * qd);
    };
    const double exact = test::calc_kinetic_energy(p, at, q, qd);
    EXPECT_NEAR(energy(-1, 1) / exact, 1, 1e-12);
    EXPECT_GE(std::abs(energy(1, 1) / exact - 1), 1e-3) << "sign of ẋ_O2 m_O1";
    EXPECT_GE(std::abs(energy(-1, -1) / exact - 1), 1e-3) << "sign of the product of q and q̇";
    // #62: [Scutaru2024] (26) has −ω δ_r(m_12,rt − m_21,rt) in the momentum, which summed over r is the wrong sign.
    VectorX momentum = VectorX::Zero(p.n);  // ∫ρ Nᵀv
    for (const Station& st : p.stations) {
      const Vec2 y = st.x.head<2>() + st.N.topRows(2) * q, v = at.v + w * quarter_turn() * y + st.N.topRows(2) * qd;
      momentum += st.weight * st.mass * st.N.topRows(2).transpose() * v;
    }
    const VectorX rest = p.m() * qd + at.v[0] * p.mO1 + at.v[1] * p.mO2 - w * (p.m2_1 - p.m1_2);
    EXPECT_LE((rest + w * p.turned() * q - momentum).norm(), 1e-12 * momentum.norm());
    EXPECT_GE((rest - w * (p.m12 - p.m21).transpose() * q - momentum).norm(), 1e-3 * momentum.norm());
  }
}

// #15: [Mare2024] (31), (34) take the acceleration of a system with fixed constraints, Σ∂²r/∂q∂q q̇q̇ + Σ∂r/∂q q̈. Here r
// is linear in q, so only N q̈ is left: no Coriolis, Euler or centrifugal term can come out of it.
TEST(PublishedMistakes, ScleronomicAcceleration) {
  expect_wrong({.coriolis = 0, .euler = 0, .centrifugal = 0, .origin = 0, .euler_load = 0, .centrifugal_load = 0});
}

// #19: [Mare2024] (42) has ṘᵀṘ + RᵀR̈ where RᵀR̈ = ε̂ + ω̂² belongs. The sum is ε̂ alone, without centrifugal terms.
TEST(PublishedMistakes, OperatorWithoutCentrifugalTerms) {
  const double w = 1.7, e = 0.9;
  const Mat2 R = PlaneFrame{}.R(0.4), J = quarter_turn(), Rd = w * R * J, Rdd = e * R * J - w * w * R;
  const Mat2 printed = Rd.transpose() * Rd + R.transpose() * Rdd;
  EXPECT_LE((printed - e * J).norm(), test::roundoff(4, 1));
  EXPECT_LE((R.transpose() * Rdd - (e * J - w * w * Mat2::Identity())).norm(), test::roundoff(4, 1));
  expect_wrong({.centrifugal = 0, .centrifugal_load = 0});
}

// #16: [Mare2024] (37) has ½ before the part of S that is linear in q̈; as the mixed part of a square it has factor 1.
TEST(PublishedMistakes, HalfOfTheMixedPartOfTheAccelerationEnergy) {
  expect_wrong(
      {.coriolis = 1, .euler = 0.5, .centrifugal = 0.5, .origin = 0.5, .euler_load = 0.5, .centrifugal_load = 0.5});
}

// #51, #52: [Vlase2019] (appendix) keeps ½ in derivatives of quadratic forms: ½ω²m q for ω²m q, and ½m q̇ for m q̇.
TEST(PublishedMistakes, HalfKeptInDerivativesOfQuadraticForms) {
  expect_wrong({.centrifugal = 0.5});
  expect_wrong({.mass = 0.5});
}

// #100: [Mitu2020] (9) ends with minus signs before the three loads that it has just defined with plus, and with c(ω)q̇
// where twice that belongs.
TEST(PublishedMistakes, SignsOfLoadsAndFactorOfCoriolisInKanesForces) {
  expect_wrong({.coriolis = 1});
  expect_wrong({.origin = -1});
  expect_wrong({.euler_load = -1});
  expect_wrong({.centrifugal_load = -1});
  expect_wrong({.coriolis = 1, .origin = -1, .euler_load = -1, .centrifugal_load = -1});
}

// #104: [Mitu2020] (15) counts k(ε)q and k(ω)q among the forces of a potential after they stood in the inertia forces
// (9); and k(ε) is skew, so that it has no potential.
TEST(PublishedMistakes, InertiaStiffnessCountedTwice) {
  expect_wrong({.euler = 2, .centrifugal = 2});
  const PlaneElement p = test::make_plane_element(beam(), make_rod_data(0.8, 1e4, 1e3, 1e-3));
  EXPECT_LE((p.turned() + p.turned().transpose()).norm(), test::roundoff(10, p.turned().norm()));
  EXPECT_GT(p.turned().norm(), 0);
}

// #83: [Chircan2020] (3.7) sets the operator of ε to the transpose of the rate of that of ω: its sign turns around.
TEST(PublishedMistakes, TransposedAngularAcceleration) { expect_wrong({.euler = -1, .euler_load = -1}); }

// #97: [Mitu2020] (6) has 2RNq̇ in the acceleration where 2ṘNq̇ belongs. In body axes that is 2Nq̇, a drag, also of a beam
// that vibrates in a frame at rest: energy goes.
TEST(PublishedMistakes, CoriolisAccelerationWithoutTheRateOfTheRotation) {
  const PlaneElement p = test::make_plane_element(beam(), make_rod_data(0.8, 1e4, 1e3, 1e-3));
  const MatrixX M = p.m();
  const Eigen::LDLT<MatrixX> inverse(M);
  VectorX start = VectorX::Zero(2 * p.n);
  start.head(p.n) = 0.1 * some_vector(p.n, 1);
  const auto energy = [&](const VectorX& y) {
    return 0.5 * y.tail(p.n).dot(M * y.tail(p.n)) + 0.5 * y.head(p.n).dot(p.K * y.head(p.n));
  };
  for (const bool printed : {false, true}) {
    const auto f = [&](double, const VectorX& y, VectorX& rate) {
      rate.resize(2 * p.n);
      rate.head(p.n) = y.tail(p.n);
      rate.tail(p.n) = -inverse.solve(p.K * y.head(p.n)) - (printed ? 2.0 : 0.0) * y.tail(p.n);
    };
    const VectorX end = integrate(f, start, {0, 1}, {.relative = 1e-11, .absolute = 1e-13}).y_end;
    if (printed)
      EXPECT_LE(energy(end), 0.5 * energy(start));
    else
      EXPECT_NEAR(energy(end) / energy(start), 1, kStraight);
  }
}

// Clamped at the origin; steel-like numbers.
struct ClampedRod {
  double L = 2, E = 2e9, rho = 3e3, A = 4e-4, w = 50;
  PlaneElement p = test::make_plane_element(beam(), make_rod_data(L, E, rho, A));
  MatrixX K() const { return p.K.bottomRightCorner(3, 3); }
  MatrixX M() const { return p.m().bottomRightCorner(3, 3); }
  double stretch(const VectorX& load) const { return K().ldlt().solve(load.tail(3))[0]; }
};

// #87, #103: [Chircan2020] (80), (4.13) and [Mitu2020] (14) have −ω²m_1x on the right; right is +ω²m_1x. A spinning rod
// becomes longer, by ρω²L³/3E at its end. (#102: (13) defines the load by [ω][ω] and forgets that this is −ω².)
TEST(PublishedMistakes, CentrifugalLoadInward) {
  const ClampedRod rod;
  const double exact = rod.rho * rod.w * rod.w * std::pow(rod.L, 3) / (3 * rod.E);
  const VectorX m1x = rod.p.m1_1;
  EXPECT_NEAR(rod.stretch(rod.w * rod.w * m1x) / exact, 1, 1e-12);  // linear elements are exact at their nodes
  EXPECT_NEAR(rod.stretch(-rod.w * rod.w * m1x) / exact, -1, 1e-12);
  // The library's H stands on the right with a minus; of every formalism.
  MotionBasis basis;
  basis.axes = {Vec3::UnitZ()};
  for (const Formalism* formalism : formalisms().list()) {
    ElementTerms t;
    formalism->derive(rod.p.stations, rod.p.n, basis, t);
    EXPECT_NEAR(rod.stretch(-rod.w * rod.w * t.H[0]) / exact, 1, 1e-12) << formalism->name();
  }
  VectorX by_operators = VectorX::Zero(rod.p.n);  // ∫ρ Nᵀ[ω][ω]x
  const Mat2 W = rod.w * quarter_turn();
  for (const Station& st : rod.p.stations)
    by_operators += st.weight * st.mass * st.N.topRows(2).transpose() * (W * W * st.x.head<2>());
  EXPECT_LE((by_operators + rod.w * rod.w * m1x).norm(), test::roundoff(10, by_operators.norm()));
  expect_wrong({.centrifugal_load = -1});
}

// #25: [Mare2024] (49) ends with −q − q*. A force at the end along +x must move the end along +x, by FL/EA.
TEST(PublishedMistakes, AppliedLoadsWithMinus) {
  const ClampedRod rod;
  VectorX load = VectorX::Zero(rod.p.n);
  load[3] = 700;
  EXPECT_NEAR(rod.stretch(load) / (700 * rod.L / (rod.E * rod.A)), 1, 1e-12);
  EXPECT_NEAR(rod.stretch(-load) / (700 * rod.L / (rod.E * rod.A)), -1, 1e-12);
}

// #61: [Scutaru2024] (23) has −k δδ in L; right is half of it, as in (17). Twice as stiff, the rod stretches by half.
TEST(PublishedMistakes, StrainEnergyWithoutHalf) {
  const ClampedRod rod;
  const double exact = 700 * rod.L / (rod.E * rod.A);
  VectorX load = VectorX::Zero(3);
  load[0] = 700;
  const auto stretch = [&](double factor) {  // ∂(factor qᵀKq)/∂q = load
    const MatrixX stiffness = factor * (rod.K() + rod.K().transpose());
    return stiffness.ldlt().solve(load)[0];
  };
  EXPECT_NEAR(stretch(0.5) / exact, 1, 1e-12);
  EXPECT_NEAR(stretch(1) / exact, 0.5, 1e-12);
}

// #18: [Mare2024] (40), (45) have Q = +kδ + q among the forces: the material would push where it should pull back. A
// rod that is let go runs away, and ½q̇ᵀMq̇ + ½qᵀKq with it.
TEST(PublishedMistakes, ElasticForceWithPlus) {
  const ClampedRod rod;
  const MatrixX K = rod.K(), M = rod.M();
  const Eigen::LDLT<MatrixX> inverse(M);
  VectorX start = VectorX::Zero(6);
  start.head(3) << 0.001, 0.01, 0.02;
  const auto energy = [&](const VectorX& y) {
    return 0.5 * y.tail(3).dot(M * y.tail(3)) + 0.5 * y.head(3).dot(K * y.head(3));
  };
  for (const double sign : {-1.0, 1.0}) {
    const auto f = [&](double, const VectorX& y, VectorX& rate) {
      rate.resize(6);
      rate.head(3) = y.tail(3);
      rate.tail(3) = sign * inverse.solve(K * y.head(3));
    };
    const VectorX end = integrate(f, start, {0, 0.01}, {.relative = 1e-11, .absolute = 1e-14}).y_end;
    if (sign < 0)
      EXPECT_NEAR(energy(end) / energy(start), 1, kStraight);
    else
      EXPECT_GE(energy(end), 100 * energy(start));
  }
}

// #77, #78: [Chircan2020] (1.21) and 1.1.4 have mv̈ + (I_p v̈')' − (EIv'')'' = q; right is mv̈ − (I_p v̈')' + (EIv'')'' =
// q. As matrices: (M_A − M_I)q̈ − Kq for (M_A + M_I)q̈ + Kq. Squares of frequencies become negative.
TEST(PublishedMistakes, SignsInTheRayleighBeam) {
  ElementData data = make_rod_data(2, 2e9, 3e3, 4e-4);
  data.rotary = true;
  Stations stations;
  beam().calc_stations(data, stations);
  const ClampedRod rod;
  ElementTerms t;
  formalisms().find(kDefaultFormalism)->derive(stations, 6, {}, t);
  const MatrixX M = t.M.bottomRightCorner(2, 2), MA = rod.M().bottomRightCorner(2, 2), MI = M - MA,
                K = rod.K().bottomRightCorner(2, 2);
  EXPECT_GT(MI.trace(), 0);
  const auto squares = [](const MatrixX& stiffness, const MatrixX& mass) {
    return VectorX(Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX>(stiffness, mass).eigenvalues());
  };
  const VectorX without = squares(K, MA), right = squares(K, MA + MI), printed = squares(-K, MA - MI);
  for (Eigen::Index k = 0; k < 2; ++k) {
    EXPECT_GT(right[k], 0);
    EXPECT_LT(right[k], without[k]);  // more inertia, lower frequency
    EXPECT_LT(printed[k], 0);
  }
}

}  // namespace
}  // namespace elodyn
