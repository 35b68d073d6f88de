// Stability maps against the converged divergence speeds, closed forms of an asymmetric shaft, and all eigenvalues.
#include "elodyn/study/stability.hpp"

#include <atomic>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <numbers>

#include "test_paths.hpp"
#include "tests/support/csv.hpp"
#include "tests/support/models.hpp"
#include "tests/support/results.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/analysis/speed_line.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using Kind = SpeedPoint::Kind;

SweepParameter make_parameter(const std::string& key, double from, double to, int count) {
  SweepParameter p;
  p.key.value = key;
  p.from.value = from;
  p.to.value = to;
  p.count = count;
  return p;
}

// E I = ρ A = L = 1, hardly any stretching or rotary inertia: speeds are the γ of tables.
Model unit_beam(int dimension, int elements = 12) {
  test::RodOptions o;
  o.element = "beam_euler_bernoulli";
  o.elements = elements;
  o.degree = 5;
  o.dimension = dimension;
  o.length = 1;
  o.young = 1;
  o.density = 1e-6;
  o.speed = 0.7;
  Model model = test::make_rod(o);
  model.sections[0] = test::make_general_section("round", 1e6, 1);
  return model;
}

// The first number is a speed, the second one the place of the axis along x.
Model put(Model model, const std::vector<double>& values) {
  model.bodies[0].motion.speed = values[0];
  if (values.size() > 1) model.bodies[0].motion.through[0] = values[1];
  return model;
}

StabilityStudy make_study(const Model& model, std::vector<double> in_file = {}) {
  StabilityStudy study;
  study.make = [model](const std::vector<double>& values) { return put(model, values); };
  study.in_file = std::move(in_file);
  return study;
}

// The map's boundary in speed is exact: all digits of the table, whatever the grid.
TEST(Stability, DivergenceSpeedsOfTheTable) {
  use_one_blas_thread();
  std::map<std::string, int> compared;
  for (const auto& row : test::read_csv(std::string(ELODYN_SOURCE_DIR) + "/tests/data/divergence_speeds.csv")) {
    const std::string& kind = row.at("case");
    const bool flap = kind.find("flap") != kind.npos;
    const double delta = std::stod(row.at("delta")), want = std::stod(row.at("gamma_crit"));
    Model model = unit_beam(flap ? 3 : 2);
    if (flap) {  // out of plane only: the stiffness in the plane is made large
      model.sections[0] = test::make_spatial_section("round", 1e6, 1, 1e4, 1e4);
    }
    if (kind.starts_with("thesis_neg")) model.terms.pull = Terms::Pull::reversed;
    if (kind == "noKg") model.terms.geometric = false;
    model.bodies[0].motion.through = {-delta, 0, 0};
    model.stability.emplace();
    model.stability->x = make_parameter("body.rod.motion.speed", 0, 18, 19);
    const Results results = run_stability(model, make_study(model, {0.7}));
    ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
    const auto& speeds = test::column(results, "stability_boundary", "speed");
    if (std::isinf(want)) {
      EXPECT_TRUE(speeds.empty()) << kind << " " << delta << ": " << speeds[0];
    } else {
      ASSERT_FALSE(speeds.empty()) << kind << " " << delta;
      EXPECT_NEAR(speeds[0], want, test::half_unit(want, 6)) << kind << " " << delta;
      EXPECT_EQ(test::text_column(results, "stability_boundary", "kind")[0], "divergence");
      EXPECT_EQ(test::column(results, "stability_boundary", "uncertainty")[0], 0);
      // Margin: the file's 0.7 is that share of it.
      EXPECT_NEAR(test::column(results, "stability_margins", "share_of_nearest")[0], 0.7 / want, 1e-6);
      EXPECT_NEAR(test::column(results, "stability_divergence", "divergence_speed")[0], want, test::half_unit(want, 6));
    }
    ++compared[kind];
  }
  EXPECT_EQ(compared["chord"], 6);
  EXPECT_EQ(compared["flap"], 6);
  EXPECT_EQ(compared["thesis_neg_chord"] + compared["thesis_neg_flap"] + compared["noKg"], 5);
}

// A wire that points outward is pulled straight at speeds far below the one at which it stretches without end,
// (π/2)√(E/ρ)/L: that is a divergence too, though its factor is beyond 1e8 times those of the pull.
TEST(Stability, StretchOfAWireFarBeyondItsBending) {
  use_one_blas_thread();
  Model model = unit_beam(2);
  constexpr double kArea = 1e10;
  model.sections[0] = test::make_general_section("round", kArea, 1);
  model.materials[0].density = 1 / kArea;
  model.bodies[0].motion.through = {-0.5, 0, 0};
  model.stability.emplace();
  const double stretch = 0.5 * std::numbers::pi * std::sqrt(kArea);  // E = L = 1; elements raise it by less than 1e-3
  model.stability->x = make_parameter("body.rod.motion.speed", 0, 1.05 * stretch, 22);
  const Results map = run_stability(model, make_study(model));
  ASSERT_TRUE(map.outcome.ok()) << map.outcome.message;
  const auto& kinds = test::text_column(map, "stability", "kind");
  for (size_t k = 0; k + 2 < kinds.size(); ++k) EXPECT_EQ(kinds[k], "stable") << k;
  EXPECT_EQ(kinds.back(), "divergence");
}

// However soft, a rod that spins is torn apart: the verdict is that of the pull and of the spin alone, and so is the
// growth.
TEST(Stability, SoftBodiesDivergeAtAnySpeed) {
  use_one_blas_thread();
  std::vector<std::vector<double>> growths;
  for (const double young : {1e-220, 1e-120, 1e-30}) {
    Model model = unit_beam(2, 6);
    model.materials[0].young = young;
    model.stability.emplace();
    model.stability->x = make_parameter("body.rod.motion.speed", 0, 10, 6);
    const Results map = run_stability(model, make_study(model));
    ASSERT_TRUE(map.outcome.ok()) << young << ": " << map.outcome.message;
    const auto& kinds = test::text_column(map, "stability", "kind");
    EXPECT_EQ(kinds[0], "stable") << young;
    for (size_t k = 1; k < kinds.size(); ++k) EXPECT_NE(kinds[k], "stable") << young << " " << k;
    growths.push_back(test::column(map, "stability", "growth"));
  }
  for (size_t k = 1; k < growths[0].size(); ++k) {
    EXPECT_GT(growths[0][k], 0);
    EXPECT_NEAR(growths[0][k], growths[2][k], 1e-8 * growths[2][k]) << k;  // to which growth is known
    EXPECT_NEAR(growths[1][k], growths[2][k], 1e-8 * growths[2][k]) << k;
  }
}

// Every point has the growth that all eigenvalues of full matrices give.
TEST(Stability, GrowthIsThatOfAllEigenvalues) {
  use_one_blas_thread();
  Model model = unit_beam(2, 8);
  model.materials[0].density = 1;  // stretching and Coriolis forces matter
  model.sections[0] = test::make_general_section("round", 400, 1);
  model.materials[0].density = 1.0 / 400;
  model.bodies[0].motion.through = {1.3, 0, 0};
  model.stability.emplace();
  model.stability->x = make_parameter("body.rod.motion.speed", 0.25, 14.25, 57);
  const Results map = run_stability(model, make_study(model));
  ASSERT_TRUE(map.outcome.ok()) << map.outcome.message;
  const auto& speed = test::column(map, "stability", "speed");
  const auto& growth = test::column(map, "stability", "growth");
  const auto& lowest = test::column(map, "stability", "lowest_frequency");
  int unstable = 0;
  for (size_t k = 0; k < speed.size(); k += 2) {
    Model at = put(model, {speed[k]});
    at.modes = ModesRequest{};
    at.modes->count = 3;
    const Results modes = run_modes(at);
    ASSERT_TRUE(modes.outcome.ok()) << modes.outcome.message;
    double want = 0, omega = INFINITY, scale = 0;
    for (const Mode& mode : modes.modes) {
      want = std::max(want, mode.growth);
      omega = std::min(omega, mode.omega);
      scale = std::max(scale, std::hypot(mode.omega, mode.growth));
    }
    unstable += want > 1e-6 ? 1 : 0;
    EXPECT_NEAR(growth[k], want, 1e-8 * scale) << speed[k];
    EXPECT_NEAR(lowest[k], omega, 1e-8 * scale) << speed[k];
  }
  EXPECT_GT(unstable, 5);
  EXPECT_LT(unstable, 28);
  // Few points needed all eigenvalues.
  EXPECT_LT(test::column(map, "stability_points", "all_eigenvalues")[0], 6);
  EXPECT_GT(test::column(map, "stability_points", "indefinite")[0], 10);
}

// A mass on two springs of the frame: m(ẍ − 2Ωẏ − Ω²x) + c ẋ + k₁x = 0, m(ÿ + 2Ωẋ − Ω²y) + c ẏ + k₂y = 0, m = 1.
// Made of two halves at the ends of a rod without mass, each on half of the springs: what is not the motion of both
// together is far stiffer, and by symmetry apart.
struct Shaft {
  double k1 = 4, k2 = 9, damping = 0;
  Model make(double speed) const {
    test::RodOptions o;
    o.element = "beam_euler_bernoulli";
    o.elements = 1;
    o.dimension = 2;
    o.length = 0.01;
    o.young = 1.3e5;  // stretching and bending: 1e5 N/m
    o.density = 1e-9;
    o.diameter = 0.1;
    o.speed = speed;
    Model model = test::make_rod(o);
    Body& body = model.bodies[0];
    body.supports.clear();
    for (const char* at : {"from", "to"}) {
      LumpedMass mass;
      mass.at.value = at;
      mass.mass = 0.5;
      mass.inertia = 0.1;
      body.masses.push_back(mass);
      Spring spring;
      spring.at.value = at;
      spring.stiffness = {k1 / 2, k2 / 2, 0};
      spring.rotational_stiffness = {0, 0, 1e3};
      spring.damping = {damping / 2, damping / 2, 0};
      spring.rotational_damping = {0, 0, damping > 0 ? 1.0 : 0.0};
      body.springs.push_back(spring);
    }
    return model;
  }
  Results map(double from, double to, int count) const {
    Model model = make(1);
    model.terms.geometric = false;
    model.stability.emplace();
    model.stability->x = make_parameter("body.rod.motion.speed", from, to, count);
    StabilityStudy study;
    study.make = [model](const std::vector<double>& values) {
      Model m = model;
      m.bodies[0].motion.speed = values[0];
      return m;
    };
    return run_stability(model, study);
  }
};

// Undamped: unstable between √k₁ and √k₂ only; above, K is negative definite and gyroscopic forces hold the mass.
//   λ⁴ + (k₁ + k₂ + 2Ω²)λ² + (k₁ − Ω²)(k₂ − Ω²) = 0, m = 1
TEST(Stability, GyroscopicForcesHoldAnAsymmetricShaft) {
  use_one_blas_thread();
  const Shaft shaft;
  const Results results = shaft.map(0.5, 6.5, 25);
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  const auto& edge = test::column(results, "stability_boundary", "speed");
  ASSERT_EQ(edge.size(), 2u);
  EXPECT_NEAR(edge[0], 2, 1e-7);  // the rod's own mass is 1e-13 of the whole
  EXPECT_NEAR(edge[1], 3, 1e-7);
  const auto& speed = test::column(results, "stability", "speed");
  const auto& growth = test::column(results, "stability", "growth");
  const auto& lowest = test::column(results, "stability", "lowest_frequency");
  const auto& kind = test::text_column(results, "stability", "kind");
  for (size_t k = 0; k < speed.size(); ++k) {
    const double w = speed[k] * speed[k], b = shaft.k1 + shaft.k2 + 2 * w, c = (shaft.k1 - w) * (shaft.k2 - w);
    const double square = 0.5 * (-b + std::sqrt(b * b - 4 * c));  // the larger λ²
    if (std::abs(c) < 1e-9) continue;                             // on the boundary
    EXPECT_NEAR(growth[k], square > 0 ? std::sqrt(square) : 0, 1e-7) << speed[k];
    EXPECT_NEAR(lowest[k], square > 0 ? 0 : std::sqrt(-square), 1e-6) << speed[k];
    EXPECT_EQ(kind[k], square > 0 ? "divergence" : "stable") << speed[k];
  }
}

// Damping in the turning frame takes that away (Thomson, Tait, Chetayev): above √k₂ it flutters.
TEST(Stability, DampingDestroysGyroscopicStability) {
  use_one_blas_thread();
  Shaft shaft;
  shaft.damping = 0.2;
  const Results results = shaft.map(0.5, 6.5, 25);
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  const auto& speed = test::column(results, "stability", "speed");
  const auto& growth = test::column(results, "stability", "growth");
  const auto& kind = test::text_column(results, "stability", "kind");
  for (size_t k = 0; k < speed.size(); ++k) {
    if (std::abs(speed[k] - 2) < 0.01 || std::abs(speed[k] - 3) < 0.01) continue;
    EXPECT_EQ(kind[k], speed[k] < 2 ? "stable" : speed[k] < 3 ? "divergence" : "flutter") << speed[k];
    if (speed[k] < 2) {
      EXPECT_LT(growth[k], 0) << speed[k];
    }
    // The roots of the characteristic polynomial of (λ² + cλ + k − Ω²)₁(…)₂ + 4Ω²λ² = 0.
    const double w = speed[k] * speed[k], d = shaft.damping, a = shaft.k1 - w, b = shaft.k2 - w;
    MatrixX companion = MatrixX::Zero(4, 4);
    companion.row(0) << -2 * d, -(a + b + d * d + 4 * w), -d * (a + b), -a * b;
    companion.bottomLeftCorner(3, 3).setIdentity();
    const double want = companion.eigenvalues().real().maxCoeff();
    EXPECT_NEAR(growth[k], want, 1e-6) << speed[k];
  }
  // Damping does not move the speed at which K is singular: it is exact still. The change to flutter is bracketed.
  const auto& edge = test::column(results, "stability_boundary", "speed");
  ASSERT_EQ(edge.size(), 2u);
  EXPECT_NEAR(edge[0], 2, 1e-7);
  EXPECT_EQ(test::column(results, "stability_boundary", "uncertainty")[0], 0);
  EXPECT_GT(test::column(results, "stability_boundary", "uncertainty")[1], 0);
  // Nothing is followed from point to point of a damped body: each is kept as soon as it is done.
  const Model damped = shaft.make(1);
  const BodySystem s = make_body_system(damped, damped.bodies[0]);
  EXPECT_EQ(SpeedLine(s, 6.5).n_followed(), 1);
}

// A shaft in two bearings that may turn about its axis: that motion is no divergence, and does not hide one.
TEST(Stability, DivergenceOfAShaftThatMayTurn) {
  use_one_blas_thread();
  Model model = test::make_rod({.elements = 8, .dimension = 3, .speed = 100, .axis = Vec3::UnitX()});
  model.bodies[0].supports[0].kind = Support::Kind::pin;
  model.bodies[0].supports.push_back(model.bodies[0].supports[0]);
  model.bodies[0].supports[1].at.value = "to";
  const auto find_speeds = [&] {
    const BodySystem s = make_body_system(model, model.bodies[0]);
    const SpeedLine line(s, 5000);
    EXPECT_TRUE(line.knows_divergence());
    return line.divergence_speeds();
  };
  const std::vector<double> free = find_speeds();
  model.bodies[0].springs = {test::make_spring("from", Vec3::Zero(), {1e3, 0, 0})};
  const std::vector<double> held = find_speeds();
  ASSERT_GE(held.size(), 4u);  // two planes
  ASSERT_EQ(free.size(), held.size());
  for (size_t k = 0; k < held.size(); ++k) EXPECT_NEAR(free[k], held[k], 1e-9 * held[k]);  // n⁴ε
  // (π/L)²√(EI/ρA) of the first one, less what rotary inertia changes: (πr/L)² with r = d/4
  const double r = 0.0025, beam = std::pow(M_PI / 0.5, 2) * std::sqrt(210e9 / 7800) * r;
  EXPECT_NEAR(held[0], beam, 2 * std::pow(M_PI * r / 0.5, 2) * beam);
}

std::vector<double> all_numbers(const Results& results) {
  std::vector<double> numbers;
  for (const Table& table : results.tables)
    for (const Column& column : table.columns)
      if (const auto* values = std::get_if<std::vector<double>>(&column.values))
        numbers.insert(numbers.end(), values->begin(), values->end());
  return numbers;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

class MemoryJournal final : public Journal {
 public:
  std::optional<std::vector<double>> find(const std::string& part) const override {
    const auto it = parts.find(part);
    return it == parts.end() ? std::nullopt : std::optional(it->second);
  }
  void add(const std::string& part, const std::vector<double>& values) override {
    const std::lock_guard lock(mutex);
    parts[part] = values;
  }
  std::map<std::string, std::vector<double>> parts;
  std::mutex mutex;
};

// Two parameters: the same digits with one thread and with two, and when half of the work was done before.
TEST(Stability, DigitsDependOnNeitherThreadsNorJournal) {
  use_one_blas_thread();
  Model model = unit_beam(2, 6);
  model.stability.emplace();
  model.stability->x = make_parameter("body.rod.motion.speed", 0, 12, 100);
  model.stability->y = make_parameter("body.rod.motion.through[0]", -1, 2, 7);
  model.stability->tolerance = 1e-3;
  StabilityStudy study = make_study(model, {0.7, 0.2});
  set_threads(1);
  const Results one = run_stability(model, study);
  set_threads(2);
  MemoryJournal journal;
  study.journal = &journal;
  const Results two = run_stability(model, study);
  ASSERT_TRUE(one.outcome.ok() && two.outcome.ok()) << one.outcome.message << two.outcome.message;
  EXPECT_EQ(test::column(one, "stability", "growth").size(), 700u);
  EXPECT_TRUE(same_bits(all_numbers(one), all_numbers(two)));
  // Every second part is forgotten.
  bool forget = false;
  std::erase_if(journal.parts, [&](const auto&) { return forget = !forget; });
  const Results again = run_stability(model, study);
  set_threads(0);
  EXPECT_TRUE(same_bits(all_numbers(one), all_numbers(again)));
  ASSERT_EQ(again.warnings.size(), 1u);
  EXPECT_NE(again.warnings[0].find("taken over"), std::string::npos);
}

// What is finished is kept when the user ends it.
TEST(Stability, KeepsWhatIsFinished) {
  use_one_blas_thread();
  Model model = unit_beam(2, 6);
  model.stability.emplace();
  model.stability->x = make_parameter("body.rod.motion.through[0]", 0, 2, 20);
  model.stability->y = make_parameter("body.rod.motion.speed", 0, 4, 5);
  StabilityStudy study;
  std::atomic<int> made = 0;
  study.make = [&](const std::vector<double>& values) {
    if (++made == 4) set_interrupted(true);
    return put(model, {values[1], values[0]});
  };
  set_threads(1);
  const Results results = run_stability(model, study);
  set_interrupted(false);
  set_threads(0);
  EXPECT_EQ(results.outcome.status, "interrupted");
  EXPECT_EQ(test::column(results, "stability", "growth").size(), 15u);  // three lines of five speeds
  EXPECT_TRUE(test::column(results, "stability_boundary", "speed").empty());
}

// Without a speed every point has a body of its own: Euler's column under a growing force.
TEST(Stability, ColumnUnderAForce) {
  use_one_blas_thread();
  Model model = unit_beam(2, 6);
  model.bodies[0].motion = {};
  model.stability.emplace();
  model.stability->x = make_parameter("body.rod.load.0.force[0]", -4, 0, 9);
  StabilityStudy study;
  study.make = [model](const std::vector<double>& values) {
    Model m = model;
    m.bodies[0].loads = {test::make_point_load("to", {values[0], 0, 0})};
    return m;
  };
  study.in_file = {-1};
  const Results results = run_stability(model, study);
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  const auto& edge = test::column(results, "stability_boundary", "force_0");
  ASSERT_EQ(edge.size(), 1u);
  EXPECT_NEAR(edge[0], -M_PI * M_PI / 4, 4e-6);  // the tolerance, 1e-6 of the range
  EXPECT_NEAR(test::column(results, "stability_margins", "boundary_below")[0], -M_PI * M_PI / 4, 4e-6);
  EXPECT_TRUE(std::isnan(test::column(results, "stability_margins", "boundary_above")[0]));
}

// The hub offset at which an inward beam loses its divergence: the boundary between lines is found, too.
TEST(Stability, BoundaryBetweenLines) {
  use_one_blas_thread();
  Model model = unit_beam(2, 8);
  model.stability.emplace();
  model.stability->x = make_parameter("body.rod.motion.through[0]", 0, 2, 5);
  model.stability->y = make_parameter("body.rod.motion.speed", 1, 4, 4);
  StabilityStudy study;
  study.make = [model](const std::vector<double>& values) { return put(model, {values[1], values[0]}); };
  const Results results = run_stability(model, study);
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  const auto& through = test::column(results, "stability_boundary", "through_0");
  const auto& speed = test::column(results, "stability_boundary", "speed");
  const auto& along = test::text_column(results, "stability_boundary", "along");
  ASSERT_GE(through.size(), 3u);
  for (size_t k = 0; k < through.size(); ++k) {
    // Whichever way it was found, the divergence speed there is that speed.
    Model at = put(model, {1, through[k]});
    at.buckling = BucklingRequest{};
    at.buckling->count = 1;
    const double want = test::column(run_buckling(at), "buckling", "speed")[0];
    EXPECT_NEAR(speed[k] / want, 1, along[k] == "speed" ? 1e-9 : 1e-5) << through[k];
  }
}

}  // namespace
}  // namespace elodyn
