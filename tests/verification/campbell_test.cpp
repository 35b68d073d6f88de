// Campbell diagrams: branches against closed forms, a published table and modes of the whole body at single speeds;
// critical speeds, crossings and veerings, divergence, damping, interruption.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "test_paths.hpp"
#include "tests/support/csv.hpp"
#include "tests/support/models.hpp"
#include "tests/support/results.hpp"
#include "tests/support/surfaces.hpp"
#include "tests/support/tolerance.hpp"
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elodyn/base/parallel.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;

class CampbellTest : public ::testing::Test {
 protected:
  CampbellTest() { use_one_blas_thread(); }  // many small problems on all cores
};

CampbellRequest make_request(double from, double to, int n, int count) {
  CampbellRequest request;
  request.speeds.from = from;
  request.speeds.to = to;
  request.speeds.count = n;
  request.count = count;
  return request;
}

Campbell run(const Model& model) {
  const Results results = run_analysis(model, "campbell");
  EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
  for (const std::string& warning : results.warnings) SCOPED_TRACE(warning);
  EXPECT_TRUE(results.campbell.has_value());
  return results.campbell.value_or(Campbell{});
}

const CampbellBranch& find_branch(const Campbell& c, const std::string& label) {
  const auto it =
      std::find_if(c.branches.begin(), c.branches.end(), [&](const CampbellBranch& b) { return b.label == label; });
  if (it == c.branches.end()) throw std::runtime_error("no branch " + label);
  return *it;
}

std::vector<double> critical(const Campbell& c, const std::string& label, double order) {
  std::vector<double> out;
  for (const CriticalSpeed& s : c.critical_speeds)
    if (s.order == order && c.branches[static_cast<size_t>(s.branch)].label == label) out.push_back(s.speed);
  return out;
}

// ---- the shaft of spinning_shaft_test.cpp ----
constexpr double kA = 1, kI = 4e-3, kE = 1e4;  // ρ = L = 1

Model make_shaft(double to, int n, CampbellRequest::Frame frame) {
  Model m = test::make_rod({.elements = 8, .degree = 5, .axial_degree = 3, .length = 1, .young = kE, .density = 1});
  m.sections[0] = test::make_general_section("round", kA, kI);
  Body& b = m.bodies[0];
  b.dimension = 3;
  b.supports = {test::make_support(Support::Kind::pin, "from"),
                test::make_support(Support::Kind::roller, "to", Vec3::UnitY()),
                test::make_support(Support::Kind::roller, "to", Vec3::UnitZ())};
  b.springs = {test::make_spring("from", Vec3::Zero(), {1e3, 0, 0})};
  b.motion.kind = Motion::Kind::spin;
  b.motion.axis = Vec3::UnitX();
  m.modes.reset();
  m.campbell = make_request(0, to, n, 6);
  m.campbell->frame = frame;
  return m;
}

// Signed frequency in the world of the n-th wave: forward, backward.
double whirl(int n, double speed, bool forward) {
  const double k2 = n * n * pi * pi, a = kA + kI * k2, b = -2 * kI * speed * k2, c = -kE * kI * k2 * k2;
  const double root = std::sqrt(b * b - 4 * a * c);
  return (-b + (forward ? root : -root)) / (2 * a);
}

// Beyond the first critical speed too, where the stiffness in the rotating frame is no longer positive.
TEST_F(CampbellTest, ShaftFollowsTheClosedForm) {
  for (const auto frame : {CampbellRequest::Frame::rotating, CampbellRequest::Frame::fixed}) {
    const bool fixed = frame == CampbellRequest::Frame::fixed;
    const Campbell c = run(make_shaft(90, 16, frame));
    EXPECT_EQ(c.frame, fixed ? "fixed" : "rotating");
    ASSERT_EQ(c.speeds.size(), 16u);
    for (const int n : {1, 2})
      for (const bool forward : {true, false}) {
        const CampbellBranch& branch =
            find_branch(c, "bending " + std::to_string(n) + (forward ? " forward" : " backward"));
        EXPECT_EQ(branch.kind, "bending");
        EXPECT_EQ(branch.whirl, forward ? "forward" : "backward");
        for (size_t k = 0; k < c.speeds.size(); ++k) {
          const double seen = whirl(n, c.speeds[k], forward);
          // 8 quintic elements: 1e-8·(10/8)⁸ of the third wave, less of these; the sum with Ω leaves it absolute.
          EXPECT_NEAR(branch.omega[k], std::abs(fixed ? seen : seen - c.speeds[k]), 1e-7 * std::abs(seen))
              << branch.label << " " << c.speeds[k];
          EXPECT_EQ(branch.growth[k], 0) << branch.label << " " << c.speeds[k];
        }
      }
  }
}

// Where no node moves across the axis, of one element between the bearings or of a wave as long as two elements, the
// sections still turn: they whirl as the closed form says, as far off it as at rest.
TEST_F(CampbellTest, WhirlsBetweenNodesThatStandStill) {
  constexpr double kCoarse = 1e-3;  // half a wave in each element
  for (const int n : {1, 2, 3}) {
    Model m = make_shaft(90, 7, CampbellRequest::Frame::fixed);
    m.bodies[0].members[0].elements.value = n;
    m.campbell->count = 12;
    const Campbell c = run(m);
    for (const bool forward : {true, false}) {
      const CampbellBranch& branch =
          find_branch(c, "bending " + std::to_string(n) + (forward ? " forward" : " backward"));
      EXPECT_EQ(branch.whirl, forward ? "forward" : "backward");
      const double at_rest = std::abs(branch.omega[0] / std::abs(whirl(n, 0, forward)) - 1);
      EXPECT_LT(at_rest, kCoarse) << n;
      for (size_t k = 0; k < c.speeds.size(); ++k)
        EXPECT_NEAR(branch.omega[k] / std::abs(whirl(n, c.speeds[k], forward)), 1, 2 * at_rest)
            << branch.label << " " << c.speeds[k];
    }
  }
}

// Forward, ω = Ω: (A − Ik²)Ω² = EIk⁴; backward: (A + 3Ik²)Ω² = EIk⁴. In the frame of the shaft the first stands still,
// the second is seen with 2Ω.
TEST_F(CampbellTest, ShaftHasTheCriticalSpeedsOfTheClosedForm) {
  const double k2 = pi * pi, forward = std::sqrt(kE * kI * k2 * k2 / (kA - kI * k2)),
               backward = std::sqrt(kE * kI * k2 * k2 / (kA + 3 * kI * k2));
  const Campbell fixed = run(make_shaft(90, 16, CampbellRequest::Frame::fixed));
  const std::vector<double> f = critical(fixed, "bending 1 forward", 1), b = critical(fixed, "bending 1 backward", 1);
  ASSERT_EQ(f.size(), 1u);
  ASSERT_EQ(b.size(), 1u);
  EXPECT_NEAR(f[0] / forward, 1, 1e-8);
  EXPECT_NEAR(b[0] / backward, 1, 1e-8);
  const Campbell rotating = run(make_shaft(90, 16, CampbellRequest::Frame::rotating));
  const std::vector<double> seen = critical(rotating, "bending 1 backward", 2);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_NEAR(seen[0] / backward, 1, 1e-8);
  // Every critical speed of the list is one of its branch.
  for (const CriticalSpeed& s : rotating.critical_speeds) {
    Model m = make_shaft(90, 2, CampbellRequest::Frame::rotating);
    m.bodies[0].motion.speed = s.speed;
    m.modes = ModesRequest{};
    m.modes->count = 12;
    double nearest = 1e300;
    for (const Mode& mode : run_modes(m).modes) nearest = std::min(nearest, std::abs(mode.omega - s.order * s.speed));
    EXPECT_LE(nearest, 1e-7 * s.speed) << s.order;
  }
}

// Damping that turns with the shaft makes its forward whirl grow beyond the critical speed, and only there.
TEST_F(CampbellTest, InternalDampingMakesTheShaftGrow) {
  Model m = make_shaft(90, 19, CampbellRequest::Frame::fixed);
  m.bodies[0].damping.stiffness = 1e-5;
  const double critical_speed = std::sqrt(kE * kI * std::pow(pi, 4) / (kA - kI * pi * pi));
  const Results results = run_analysis(m, "campbell");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  const CampbellBranch& branch = find_branch(*results.campbell, "bending 1 forward");
  for (size_t k = 0; k < branch.growth.size(); ++k) {
    const double speed = results.campbell->speeds[k];
    if (speed < critical_speed)
      EXPECT_LT(branch.growth[k], 0) << speed;
    else
      EXPECT_GT(branch.growth[k], 0) << speed;
    EXPECT_LT(find_branch(*results.campbell, "bending 1 backward").growth[k], 0) << speed;
  }
  // The onset lies between two speeds, and is not said to be one of them.
  size_t k = 0;
  while (branch.growth[k] <= 0) ++k;
  constexpr double kRpm = 30 / pi;
  const std::string onset = fmt::format("bending 1 forward grows from between {:.6g} and {:.6g} rpm on",
                                        results.campbell->speeds[k - 1] * kRpm, results.campbell->speeds[k] * kRpm);
  EXPECT_TRUE(std::any_of(results.warnings.begin(), results.warnings.end(), [&](const std::string& w) {
    return w.find(onset) != std::string::npos;
  })) << onset;
  const std::vector<double> found = critical(*results.campbell, "bending 1 forward", 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0] / critical_speed, 1, 1e-4);  // damping of 1e-5·60 changes it in second order
}

// ---- the table of rotating cantilevers, followed along its branches ----
Model unit_beam(double alpha, int elements) {
  Model m = test::make_rod({.element = "beam_euler_bernoulli",
                            .elements = elements,
                            .degree = 5,
                            .axial_degree = 3,
                            .dimension = 3,
                            .length = 1,
                            .young = 1,
                            .density = 1 / (alpha * alpha)});
  m.sections[0] = test::make_general_section("round", alpha * alpha, 1);
  m.bodies[0].motion.kind = Motion::Kind::spin;
  m.bodies[0].motion.axis = Vec3::UnitZ();
  m.modes.reset();
  return m;
}

TEST_F(CampbellTest, BranchesAreTheTableOfRotatingCantilevers) {
  Model m = unit_beam(1000, 12);
  m.terms.coriolis = false;
  m.campbell = make_request(0, 12, 13, 8);
  const Campbell c = run(m);
  ASSERT_EQ(c.speeds.size(), 13u);
  int compared = 0;
  for (const auto& row : test::read_csv(std::string(ELODYN_SOURCE_DIR) + "/tests/data/rotating_cantilever.csv")) {
    const bool flap = row.at("case") == "flap_EB", lag = row.at("case") == "chord_uncoupled_EB";
    if ((!flap && !lag) || std::stod(row.at("hub_ratio_delta")) != 0) continue;
    const auto at = static_cast<size_t>(std::lround(std::stod(row.at("gamma"))));
    for (int k = 1; k <= 4; ++k) {
      const double want = std::stod(row.at("w" + std::to_string(k)));
      EXPECT_NEAR(find_branch(c, (flap ? "flap " : "lag ") + std::to_string(k)).omega[at], want,
                  test::half_unit(want, 6))
          << row.at("case") << ", gamma " << at << ", mode " << k;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 2 * 13 * 4);
}

// A blade a little stiffer in lag: flap rises faster and meets it. With its section along the plane of rotation
// nothing couples the two; turned by an angle the pull does.
Model make_blade(double stagger) {
  Model m = unit_beam(300, 10);
  m.sections[0] = test::make_spatial_section("round", 9e4, 1, 1.3, 1);  // Iz: lag
  m.bodies[0].orientation = Vec3(0, -std::sin(stagger), std::cos(stagger));
  m.campbell = make_request(0, 6, 25, 4);
  return m;
}

TEST_F(CampbellTest, CrossingAndVeeringAreToldApart) {
  const Results plain = run_analysis(make_blade(0), "campbell"), turned = run_analysis(make_blade(0.1), "campbell");
  ASSERT_TRUE(plain.outcome.ok() && turned.outcome.ok());
  // lag² − flap² = 0.3·3.516² − Ω² (both have the same pull but for −Ω²M in the plane): they meet at about 1.93.
  const std::vector<double>& speeds = test::column(plain, "campbell_crossings", "speed");
  ASSERT_FALSE(speeds.empty());
  EXPECT_EQ(test::text_column(plain, "campbell_crossings", "kind")[0], "crossing");
  EXPECT_NEAR(speeds[0], std::sqrt(0.3) * 3.516, 0.01);
  EXPECT_EQ(find_branch(*plain.campbell, "flap 1").kind, "flap");
  const CampbellBranch &flap = find_branch(*plain.campbell, "flap 1"), &lag = find_branch(*plain.campbell, "lag 1");
  EXPECT_LT(flap.omega.front(), lag.omega.front());
  EXPECT_GT(flap.omega.back(), lag.omega.back());

  const std::vector<double>& veering = test::column(turned, "campbell_crossings", "speed");
  ASSERT_FALSE(veering.empty());
  EXPECT_EQ(test::text_column(turned, "campbell_crossings", "kind")[0], "veering");
  EXPECT_NEAR(veering[0], speeds[0], 0.1);
  EXPECT_GT(test::column(turned, "campbell_crossings", "gap")[0], 0);
  // The two branches keep their order.
  const std::vector<double>&low = turned.campbell->branches[0].omega, &high = turned.campbell->branches[1].omega;
  for (size_t k = 0; k < low.size(); ++k) EXPECT_LT(low[k], high[k]) << k;
}

// Neither what is found between the asked speeds nor the names of branches depend on how many are asked for.
TEST_F(CampbellTest, FewSpeedsFindTheSame) {
  Model m = make_blade(0.1);
  m.bodies[0].members[0].elements.value = 20;  // 120 unknowns: small ones are not reduced
  m.campbell->orders = {1, 2};
  const Results many = run_analysis(m, "campbell");
  ASSERT_TRUE(many.outcome.ok()) << many.outcome.message;
  ASSERT_FALSE(many.campbell->critical_speeds.empty());
  for (const int n : {2, 3, 5}) {
    SCOPED_TRACE(n);
    m.campbell->speeds.count = n;
    const Results few = run_analysis(m, "campbell");
    ASSERT_TRUE(few.outcome.ok()) << few.outcome.message;
    ASSERT_EQ(few.campbell->branches.size(), many.campbell->branches.size());
    for (size_t b = 0; b < few.campbell->branches.size(); ++b)
      EXPECT_EQ(few.campbell->branches[b].label, many.campbell->branches[b].label) << b;
    ASSERT_EQ(few.campbell->critical_speeds.size(), many.campbell->critical_speeds.size());
    for (size_t k = 0; k < few.campbell->critical_speeds.size(); ++k) {
      const CriticalSpeed &one = few.campbell->critical_speeds[k], &other = many.campbell->critical_speeds[k];
      EXPECT_EQ(one.branch, other.branch);
      // Values are within 1e-8; a branch that meets its line at a flat angle has a root less sure than that.
      EXPECT_NEAR(one.speed / other.speed, 1, 1e-7);
    }
    // The place of a veering is where its gap is within 1e-4 of the least.
    EXPECT_NEAR(test::column(few, "campbell_crossings", "gap")[0] / test::column(many, "campbell_crossings", "gap")[0],
                1, 1e-3);
  }
}

TEST_F(CampbellTest, NoMoreBranchesThanUnknowns) {
  Model m = unit_beam(1000, 2);
  m.bodies[0].dimension = 2;
  m.campbell = make_request(0, 6, 3, 2'000'000'000);
  const Results results = run_analysis(m, "campbell");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  EXPECT_LT(results.campbell->branches.size(), 60u);
  EXPECT_TRUE(std::any_of(results.warnings.begin(), results.warnings.end(), [](const std::string& w) {
    return w.find("unknowns and so at most that many branches; 2000000000 were asked for") != std::string::npos;
  }));
}

// Without pull and Coriolis forces a rod that spins has ω² = ω0² − Ω² in its plane: divergence at ω0, then growth.
TEST_F(CampbellTest, DivergenceIsShown) {
  Model m = unit_beam(1000, 8);
  m.bodies[0].dimension = 2;
  m.terms.coriolis = m.terms.geometric = false;
  m.campbell = make_request(0, 6, 13, 2);
  const Results results = run_analysis(m, "campbell");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  const CampbellBranch& branch = results.campbell->branches[0];
  constexpr double kFirst = 3.5160152685;
  for (size_t k = 0; k < branch.omega.size(); ++k) {
    const double square = kFirst * kFirst - std::pow(results.campbell->speeds[k], 2);
    EXPECT_NEAR(branch.omega[k], square > 0 ? std::sqrt(square) : 0, 1e-7);
    EXPECT_NEAR(branch.growth[k], square < 0 ? std::sqrt(-square) : 0, 1e-7);
  }
  ASSERT_EQ(results.warnings.size(), 1u);
  EXPECT_NE(results.warnings[0].find("divergence"), std::string::npos) << results.warnings[0];
}

// ---- the reduced basis ----
Model make_plate(int nx) {
  Model m =
      test::read_surface(2, test::kSteel, 0.002,
                         fmt::format("element = \"membrane\"\nrectangle = {{ from = [0.1, 0, 0], to = [0.3, 0.16, 0], "
                                     "nx = {}, ny = {} }}\nclamp = [\"left\"]\n"
                                     "motion = {{ kind = \"spin\", speed = 0 }}\n",
                                     nx, nx * 4 / 5));
  m.campbell = make_request(0, 5000, 21, 6);
  return m;
}

// At seeded random speeds of the sweep, damped or not, against modes of the whole body there.
void expect_modes_of_the_whole_body(Model m, int seed) {
  const Campbell c = run(m);
  EXPECT_GT(c.error_bound, 0);
  EXPECT_LE(c.error_bound, 1e-8);
  std::mt19937 engine(static_cast<unsigned>(seed));
  for (int round = 0; round < 3; ++round) {
    const size_t at = engine() % c.speeds.size();
    m.bodies[0].motion.speed = c.speeds[at];
    m.modes = ModesRequest{};
    m.modes->count = 10;
    const Results whole = run_modes(m);
    ASSERT_TRUE(whole.outcome.ok()) << whole.outcome.message;
    for (const CampbellBranch& branch : c.branches) {
      double nearest = 1e300;
      for (const Mode& mode : whole.modes)
        nearest = std::min(nearest, std::hypot(mode.omega - branch.omega[at], mode.growth - branch.growth[at]));
      EXPECT_LE(nearest, 1e-8 * branch.omega[at]) << branch.label << " at " << c.speeds[at];
    }
  }
}

TEST_F(CampbellTest, ReducedPlateIsTheWholePlate) { expect_modes_of_the_whole_body(make_plate(15), 1); }

TEST_F(CampbellTest, ReducedDampedBladeIsTheWholeBlade) {
  Model m = make_blade(0.1);
  m.bodies[0].members[0].elements.value = 20;  // 120 unknowns: small ones are not reduced
  m.bodies[0].damping.mass = 0.05;
  m.bodies[0].damping.stiffness = 1e-4;
  expect_modes_of_the_whole_body(m, 2);
}

TEST_F(CampbellTest, ThreadsDoNotChangeADigit) {
  set_threads(1);
  const Campbell one = run(make_plate(10));
  set_threads(2);
  const Campbell two = run(make_plate(10));
  set_threads(0);
  ASSERT_EQ(one.branches.size(), two.branches.size());
  for (size_t b = 0; b < one.branches.size(); ++b) EXPECT_EQ(one.branches[b].omega, two.branches[b].omega);
}

// So many speeds that the bar is told of some before the end; the second time is when the user ends it.
TEST_F(CampbellTest, InterruptedSweepKeepsTheSpeedsThatAreDone) {
  constexpr int kSpeeds = 50'000;
  Model m = make_shaft(60, kSpeeds, CampbellRequest::Frame::rotating);
  m.bodies[0].members[0].elements.value = 2;  // few unknowns: a speed takes no time
  m.campbell->count = 4;
  int told = 0;  // first after the first speed
  set_progress_sink([&](const std::string& what, double, double) {
    if (what == "campbell" && ++told > 1) set_interrupted(true);
  });
  const Results results = run_analysis(m, "campbell");
  set_interrupted(false);
  set_progress_sink({});
  EXPECT_EQ(results.outcome.status, "interrupted");
  ASSERT_TRUE(results.campbell.has_value());
  EXPECT_GE(results.campbell->speeds.size(), 2u);
  EXPECT_LT(results.campbell->speeds.size(), static_cast<size_t>(kSpeeds));
  EXPECT_EQ(results.campbell->branches.size(), 4u);
  for (const CampbellBranch& branch : results.campbell->branches)
    EXPECT_EQ(branch.omega.size(), results.campbell->speeds.size());
}

}  // namespace
}  // namespace elodyn
