// Elastic links of a mechanism, joined: what they become when they are stiff, when they are slow and at rest, against
// the rigid mechanism, each link for itself and ordinary structures; links of plates; over-constrained mechanisms.
#include <cmath>
#include <numbers>

#include "tests/support/linkages.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;
using test::column;
using test::ElasticRod;
using test::ElasticSliderCrank;
using test::largest;
using test::largest_difference;

// First frequency of a rod on pins, rad/s.
double calc_w1(const ElasticRod& rod) {
  return pi * pi / (rod.length * rod.length) * std::sqrt(rod.young * rod.I() / (rod.density * rod.area()));
}

// ---- a four-bar whose coupler and rocker bend ----

struct ElasticFourBar {
  double crank = 0.1, speed = 20, g = 9.81, ground = 0.3;
  ElasticRod coupler{.length = 0.3, .elements = 4}, rocker{.length = 0.25, .elements = 4};

  Vec3 B(double angle) const { return {crank * std::cos(angle), crank * std::sin(angle), 0}; }
  Vec3 D() const { return {ground, 0, 0}; }
  Vec3 C(double angle) const {
    const Vec3 d = D() - B(angle);
    const double along = (coupler.length * coupler.length - rocker.length * rocker.length + d.squaredNorm()) / 2;
    const double x = along / d.norm();
    return B(angle) + x * d.normalized() +
           std::sqrt(coupler.length * coupler.length - x * x) * Vec3(-d[1], d[0], 0).normalized();
  }
  Model make() const {
    Model model;
    model.gravity = Vec3(0, -g, 0);
    model.ground_points = test::make_points({{"O", Vec3::Zero()}, {"D", D()}});
    test::add_planar_body(model, "crank", 1, 0.01, {{"O", Vec3::Zero()}, {"B", Vec3(crank, 0, 0)}});
    const auto put = [](Body& body, const Vec3& from, const Vec3& to) {
      body.place = from;
      body.attitude = Vec3(0, 0, std::atan2(to[1] - from[1], to[0] - from[0]));
    };
    put(test::add_elastic_rod(model, coupler, "coupler"), B(0), C(0));
    put(test::add_elastic_rod(model, rocker, "rocker"), D(), C(0));
    test::add_joint(model, "O", Joint::Kind::revolute, "ground.O", "crank.O");
    test::add_joint(model, "B", Joint::Kind::revolute, "crank.B", "coupler.B");
    test::add_joint(model, "C", Joint::Kind::revolute, "coupler.C", "rocker.C");
    test::add_joint(model, "D", Joint::Kind::revolute, "ground.D", "rocker.B");
    test::add_driver(model, "O", std::to_string(speed) + "*t");
    model.drivers[0].speed = test::expression(std::to_string(speed));
    model.drivers[0].acceleration = test::expression("0");
    model.mechanism = MechanismRequest{};
    model.mechanism->kind = MechanismRequest::Kind::inverse;
    model.mechanism->duration = 2 * pi / speed;
    return model;
  }
};

void damp(Model& model, double ratio) {
  for (Body& body : model.bodies)
    if (!body.is_rigid()) body.damping.modal = std::vector<double>(body.members.empty() ? 8 : 10, ratio);
}

LinkageRequest make_periodic(int records) {
  LinkageRequest out;
  out.tolerance = 1e-5;
  out.records = records;
  out.count = 0;
  return out;
}

struct Both {
  std::vector<double> alone, joined;
};
// Steady deflection of the middle of a link across it.
Both find_steady_middle(const Model& model, const std::string& link, int records) {
  Model alone = model;
  alone.periodic = PeriodicRequest{};
  alone.periodic->records = records;
  const Results own = run_analysis(alone, "periodic");
  EXPECT_TRUE(own.outcome.ok()) << own.outcome.message;
  const Results joined = test::run_linkage_of(model, make_periodic(records));
  return {column(own, link + "_periodic", "M_v"), column(joined, "linkage_motion", link + ".M_v")};
}

// ---- stiff ----

// E · 10⁶: deformation falls by as much, and the joints transmit what those of the rigid mechanism do. Vibration is a
// thousand times as quick; what the start leaves of it is the speed of the deflection that is not there, Ω/ω₁ of it.
TEST(Linkage, StiffLinksMoveAsRigidOnes) {
  ElasticFourBar p;
  const auto run = [&](double factor) {
    ElasticFourBar stiff = p;
    stiff.coupler.young *= factor;
    stiff.rocker.young *= factor;
    return test::run_linkage_of(stiff.make(), test::make_transient(2 * pi / p.speed, 2 * pi / p.speed / 400, 40));
  };
  const Results soft = run(1), stiff = run(1e6);
  const double left = 20 * p.speed / (1e3 * calc_w1(p.coupler));
  const auto &rigid = column(stiff, "linkage_joints", "rigid"), &added = column(stiff, "linkage_joints", "difference");
  for (size_t j = 0; j < rigid.size(); ++j) EXPECT_LE(added[j], left * largest(rigid)) << j;
  EXPECT_GT(largest(column(soft, "linkage_joints", "difference")), left * largest(rigid));
  for (const std::string link : {"coupler", "rocker"}) {
    const double bent = largest(column(soft, "linkage_motion", link + ".M_v"));
    EXPECT_GT(bent, 1e-6);
    EXPECT_LE(largest(column(stiff, "linkage_motion", link + ".M_v")), 2e-6 * bent) << link;
  }
}

// ---- slow ----

// A statically determinate mechanism that moves slowly: each link for itself and all of them joined are deflected as
// loads at rest would deflect them. At speed they differ, since joints move with what they join.
TEST(Linkage, SlowLinksAreDeflectedAsForThemselves) {
  ElasticFourBar p;
  p.speed = 0.5;
  Model slow = p.make();
  constexpr double kDamping = 0.05;
  damp(slow, kDamping);
  // Damping and inertia of the harmonics that count, the frequency of the joined links not above that of each.
  const double ratio = p.speed / (0.5 * calc_w1(p.coupler)), bound = 4 * (2 * kDamping * ratio + ratio * ratio) + 1e-5;
  for (const std::string link : {"coupler", "rocker"}) {
    const Both it = find_steady_middle(slow, link, 24);
    EXPECT_LE(largest_difference(it.alone, it.joined), bound * largest(it.alone)) << link;
  }

  p.speed = 200;
  Model fast = p.make();
  damp(fast, kDamping);
  const Both it = find_steady_middle(fast, "coupler", 24);
  EXPECT_GT(largest_difference(it.alone, it.joined), 0.005 * largest(it.alone));
}

TEST(Linkage, SlowStressesAreThoseOfEachLink) {
  ElasticFourBar p;
  p.speed = 0.5;
  Model model = p.make();
  damp(model, 0.05);
  model.periodic = PeriodicRequest{};
  model.periodic->records = 24;
  const Results own = run_analysis(model, "periodic");
  ASSERT_TRUE(own.outcome.ok()) << own.outcome.message;
  const Results joined = test::run_linkage_of(model, make_periodic(24));
  const auto &want = column(own, "periodic_peaks", "value"), &found = column(joined, "linkage_peaks", "value");
  const auto& what = test::text_column(own, "periodic_peaks", "what");
  ASSERT_EQ(what, test::text_column(joined, "linkage_peaks", "what"));
  ASSERT_EQ(what.size(), 10u);  // displacement, N, T, M and stress of each
  for (size_t k = 0; k < what.size(); ++k) EXPECT_NEAR(found[k], want[k], 2e-3 * want[k]) << what[k];
}

// ---- at rest ----

// The driver held, as a frame on pins with a hinge at C.
TEST(Linkage, FrequenciesAtRestAreThoseOfAFrame) {
  ElasticFourBar p;
  p.speed = 0.1;  // Ω²/ω₁² is 1e-8
  p.g = 0;
  const JoinedLinks joined(p.make());
  for (const double angle : {0.0, 1.0, 2.5, 4.4}) {
    Model frame;
    frame.materials = p.make().materials;
    frame.sections = p.make().sections;
    Body& body = frame.bodies.emplace_back();
    body.name = "frame";
    body.element.value = p.coupler.element;
    body.dimension = 2;
    body.material.value = "steel";
    body.section.value = "flat";
    body.points = test::make_points({{"B", p.B(angle)}, {"C", p.C(angle)}, {"D", p.D()}});
    body.members = {test::make_member("coupler", "B", "C", 4), test::make_member("rocker", "D", "C", 4)};
    body.members[0].release_to.axis[2] = true;
    body.supports = {test::make_support(Support::Kind::pin, "B"), test::make_support(Support::Kind::pin, "D")};
    frame.modes = ModesRequest{};
    frame.modes->count = 6;
    const Results still = run_modes(frame);
    ASSERT_TRUE(still.outcome.ok()) << still.outcome.message;
    const std::vector<double> found = calc_frozen_frequencies(joined.linkage(), angle / p.speed, 6);
    ASSERT_EQ(found.size(), 6u);
    for (size_t k = 0; k < 6; ++k) EXPECT_NEAR(found[k], still.modes[k].omega, 1e-7 * still.modes[k].omega) << angle;
  }
}

// The slider's mass hangs on the end of the rod.
TEST(Linkage, FrequenciesAtRestKnowTheSlider) {
  ElasticSliderCrank p;
  p.speed = 0.1;  // Ω²/ω₁² is 1e-8
  const JoinedLinks joined(p.make());
  for (const double angle : {0.3, 1.4, 2.6}) {
    const double beta = std::asin(-p.r / p.rod.length * std::sin(angle));
    const Vec3 B(p.r * std::cos(angle), p.r * std::sin(angle), 0);
    Model rod;
    rod.materials = p.make().materials;
    rod.sections = p.make().sections;
    Body& body = rod.bodies.emplace_back(p.make().bodies[1]);
    body.motion = Motion{};
    body.place.setZero();
    const Vec3 along(std::cos(beta), std::sin(beta), 0);
    body.points = test::make_points({{"B", B}, {"C", B + p.rod.length * along}, {"M", B + 0.5 * p.rod.length * along}});
    body.supports[1].normal = Vec3::UnitY();
    LumpedMass slider;
    slider.at.value = "C";
    slider.mass = p.m_slider;
    body.masses = {slider};
    rod.modes = ModesRequest{};
    rod.modes->count = 5;
    const Results still = run_modes(rod);
    ASSERT_TRUE(still.outcome.ok()) << still.outcome.message;
    const std::vector<double> found = calc_frozen_frequencies(joined.linkage(), angle / p.speed, 5);
    for (size_t k = 0; k < 5; ++k) EXPECT_NEAR(found[k], still.modes[k].omega, 1e-7 * still.modes[k].omega) << angle;
  }
}

// ---- in time ----

// From a bent start a damped linkage comes to its steady vibration.
TEST(Linkage, SteadyVibrationIsWhatRemains) {
  ElasticFourBar p;
  p.coupler.elements = p.rocker.elements = 4;
  Model model = p.make();
  constexpr double kDamping = 0.2;
  damp(model, kDamping);
  LinkageRequest request = make_periodic(20);
  request.tolerance = 1e-8;
  const Results steady = test::run_linkage_of(model, request);
  const double T = 2 * pi / p.speed;
  const int periods = 2 + static_cast<int>(std::ceil(16 / (kDamping * 0.5 * calc_w1(p.coupler) * T)));
  const Results run = test::run_linkage_of(model, test::make_transient(periods * T, T / 400, 20 * periods));
  for (const std::string name : {"coupler.M_v", "rocker.M_v"}) {
    const auto &all = column(run, "linkage_motion", name), &want = column(steady, "linkage_motion", name);
    EXPECT_LE(largest_difference(std::vector<double>(all.end() - 21, all.end()), want), 1e-5 * largest(want)) << name;
  }
}

// Modes of the slowest damping: |μ| = exp(−ζω₁T). All of them are damped.
TEST(Linkage, FloquetOfADampedLinkage) {
  ElasticSliderCrank p;
  p.speed = 60;
  p.rod.elements = 4;
  Model model = p.make();
  constexpr double kDamping = 0.01;
  constexpr size_t kModes = 12;
  model.bodies[1].damping.modal = std::vector<double>(kModes, kDamping);
  model.floquet = FloquetRequest{};
  const Results own = run_analysis(model, "floquet");
  ASSERT_TRUE(own.outcome.ok()) << own.outcome.message;
  const double want = std::exp(-kDamping * calc_w1(p.rod) * p.period());
  EXPECT_NEAR(column(own, "floquet", "largest_multiplier")[0], want, 2e-3 * want);
  const Results joined = test::run_linkage_of(model, make_periodic(20));
  EXPECT_NEAR(column(joined, "linkage", "largest_multiplier")[0], want, 2e-3 * want);
}

// A fast mode that nothing damps does not die out, though steps are much longer than its period.
TEST(Linkage, FastModesAreNotDampedBySteps) {
  ElasticSliderCrank p;
  p.speed = 60;
  p.rod.elements = 4;
  Model model = p.make();
  model.bodies[1].damping.modal = {0.05, 0.05, 0.05};
  const Results joined = test::run_linkage_of(model, make_periodic(20));
  EXPECT_NEAR(column(joined, "linkage", "largest_multiplier")[0], 1, 1e-6);
  EXPECT_TRUE(joined.warnings.empty()) << joined.warnings.front();
}

// Driven near ω₁/1.85 the changing axial force makes the rod swing by itself, alone as joined.
TEST(Linkage, FloquetFindsGrowth) {
  ElasticSliderCrank p;
  p.rod.elements = 4;
  p.speed = calc_w1(p.rod) / 1.85;
  Model model = p.make();
  model.floquet = FloquetRequest{};
  const Results own = run_analysis(model, "floquet");
  ASSERT_TRUE(own.outcome.ok()) << own.outcome.message;
  const double want = column(own, "floquet", "largest_multiplier")[0];
  EXPECT_GT(want, 1.5);
  const Results joined = test::run_linkage_of(model, make_periodic(20));
  EXPECT_NEAR(column(joined, "linkage", "largest_multiplier")[0], want, 1e-2 * want);
  ASSERT_FALSE(joined.warnings.empty());
  EXPECT_NE(joined.warnings.front().find("grow by a factor of"), std::string::npos) << joined.warnings.front();
}

// ---- over-constrained ----

// A rigid bar on three upright links, the first of them rigid: statically indeterminate, and decided by stiffness. The
// bar turns about the first, the others give way by k d: forces k x θ with Σ k x² θ = W x_G.
TEST(Linkage, StiffnessDecidesForcesOfAnOverConstrainedMechanism) {
  constexpr double W = 100, g = 10, a = 0.2, h = 0.25;
  Model model;
  model.gravity = Vec3(0, -g, 0);
  model.ground_points = test::make_points({{"O1", Vec3::Zero()}, {"O2", Vec3(a, 0, 0)}, {"O3", Vec3(2 * a, 0, 0)}});
  test::add_planar_body(model, "crank", 1e-3, 1e-5, {{"O", Vec3::Zero()}, {"P", Vec3(h, 0, 0)}}).attitude =
      Vec3(0, 0, pi / 2);
  ElasticRod rod{.length = h, .density = 1e-3, .elements = 2};
  for (const int k : {2, 3}) {
    Body& link = test::add_elastic_rod(model, rod, "rod" + std::to_string(k));
    link.place = Vec3((k - 1) * a, 0, 0);
    link.attitude = Vec3(0, 0, pi / 2);
  }
  Body& bar = test::add_planar_body(model, "bar", W / g, 0.1,
                                    {{"P1", Vec3::Zero()}, {"P2", Vec3(a, 0, 0)}, {"P3", Vec3(2 * a, 0, 0)}});
  bar.center = Vec3(a, 0, 0);
  bar.place = Vec3(0, h, 0);
  test::add_joint(model, "O1", Joint::Kind::revolute, "ground.O1", "crank.O");
  test::add_joint(model, "O2", Joint::Kind::revolute, "ground.O2", "rod2.B");
  test::add_joint(model, "O3", Joint::Kind::revolute, "ground.O3", "rod3.B");
  test::add_joint(model, "P1", Joint::Kind::revolute, "crank.P", "bar.P1");
  test::add_joint(model, "P2", Joint::Kind::revolute, "rod2.C", "bar.P2");
  test::add_joint(model, "P3", Joint::Kind::revolute, "rod3.C", "bar.P3");
  test::add_driver(model, "O1", "1.5707963267948966 + 1e-6*t");
  model.drivers[0].speed = test::expression("1e-6");
  model.drivers[0].acceleration = test::expression("0");
  model.mechanism = MechanismRequest{};
  model.mechanism->kind = MechanismRequest::Kind::inverse;
  model.mechanism->duration = 1;
  const JoinedLinks joined(model);
  const Linkage& linkage = joined.linkage();
  EXPECT_FALSE(joined.warnings().empty());  // that the rigid stage leaves them open
  const LinkageState state = calc_quasi_static(linkage, 0);
  const Mechanism& mechanism = joined.rigid().mechanism;
  const auto histories = calc_joint_histories(mechanism, joined.rigid().motion, joined.rigid().assembly.rows);
  const double want[] = {0.4 * W, 0.2 * W, 0.4 * W};
  for (int k = 0; k < 3; ++k) {
    const int j = mechanism.find_joint("P" + std::to_string(k + 1));
    const double rigid = histories[static_cast<size_t>(j)].world(1, 0);
    const double elastic = rigid + linkage.calc_joint_force(0, j, state.delta_lambda).force[1];
    EXPECT_NEAR(elastic, want[k], 1e-4 * W) << k;  // F h/(E A) of the geometry
    EXPECT_GT(std::abs(rigid - want[k]), 0.05 * W) << k;
  }
}

// ---- plates ----

// The rod as a membrane, joined at the middle of its ends.
Model make_membrane_crank(const ElasticSliderCrank& p) {
  Model model = p.make();
  Body& body = model.bodies[1];
  Section sheet;
  sheet.name = "sheet";
  sheet.shape = Section::Shape::sheet;
  sheet.thickness = p.rod.height;
  model.sections.push_back(sheet);
  body.element.value = "membrane_q4";
  body.incompatible = true;
  body.section.value = "sheet";
  body.members.clear();
  const double l = p.rod.length, c = p.rod.width / 2;
  body.points = test::make_points({{"B", Vec3::Zero()},
                                   {"C", Vec3(l, 0, 0)},
                                   {"M", Vec3(l / 2, 0, 0)},
                                   {"P1", Vec3(0, -c, 0)},
                                   {"P2", Vec3(l, -c, 0)},
                                   {"P3", Vec3(l, c, 0)},
                                   {"P4", Vec3(0, c, 0)}});
  const auto add = [&](const std::string& name, const std::array<const char*, 4>& corners) {
    Area& area = body.areas.emplace_back();
    area.name = name;
    for (const char* corner : corners) area.corners.push_back({corner, {}});
    area.nx.value = 10;
    area.ny.value = 1;
  };
  add("lower", {"P1", "P2", "C", "B"});
  add("upper", {"B", "C", "P3", "P4"});
  return model;
}

TEST(Linkage, LinkOfAMembraneIsThatOfABeam) {
  ElasticSliderCrank p;
  p.speed = 60;
  p.g = 9.81;
  p.rod.width = 0.01;
  p.rod.elements = 12;
  Model beam = p.make(), plate = make_membrane_crank(p);
  for (Model* model : {&beam, &plate}) model->bodies[1].damping.modal = std::vector<double>(10, 0.05);
  const Both of_beam = find_steady_middle(beam, "rod", 12), of_plate = find_steady_middle(plate, "rod", 12);
  const double size = largest(of_beam.alone);
  EXPECT_GT(size, 1e-6);
  // Shear makes it softer: 3 (1 + ν) (c/l)² · … below 1 %; pins at points of the mesh are soft too.
  EXPECT_LE(largest_difference(of_plate.alone, of_beam.alone), 0.02 * size);
  EXPECT_LE(largest_difference(of_plate.joined, of_beam.joined), 0.02 * size);
}

// A plate on a driven hinge in space, held at one node: joined as for itself.
TEST(Linkage, PlateOnADrivenHingeIsThePlateForItself) {
  Model model = test::make_hinged_rod(3, {.elements = 4});
  Body& body = model.bodies[0];
  Section sheet;
  sheet.name = "sheet";
  sheet.shape = Section::Shape::sheet;
  sheet.thickness = 0.004;
  model.sections.push_back(sheet);
  body.element.value = "plate_mitc4";
  body.section.value = "sheet";
  body.members.clear();
  body.points = test::make_points(
      {{"B", Vec3::Zero()}, {"P2", Vec3(0.2, 0, 0)}, {"C", Vec3(0.2, 0.1, 0)}, {"P4", Vec3(0, 0.1, 0)}});
  Area& area = body.areas.emplace_back();
  area.name = "sheet";
  for (const char* corner : {"B", "P2", "C", "P4"}) area.corners.push_back({corner, {}});
  area.nx.value = 4;
  area.ny.value = 2;
  Model alone = model;
  const int steps = 200, records = 20;
  alone.simulate = SimulateRequest{};
  alone.simulate->duration = 0.3;
  alone.simulate->steps = steps;
  alone.simulate->every = steps / records;
  alone.simulate->integrator.value = "gauss4";
  const Results own = run_analysis(alone, "simulate");
  ASSERT_TRUE(own.outcome.ok()) << own.outcome.message;
  LinkageRequest request = test::make_transient(0.3, 0.3 / steps, records);
  request.initial = LinkageRequest::Initial::undeformed;
  const Results joined = test::run_linkage_of(model, request);
  const double size = largest(column(own, "rod_history", "C_w"));
  EXPECT_GT(size, 1e-5);
  for (const std::string c : {"C_u", "C_v", "C_w"})
    EXPECT_LE(largest_difference(column(own, "rod_history", c), column(joined, "linkage_motion", "rod." + c)),
              1e-5 * size)
        << c;
}

}  // namespace
}  // namespace elodyn
