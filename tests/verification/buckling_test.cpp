// Buckling factors against closed forms: Euler's columns, a column under its own weight, beams that spin.
#include <cmath>

#include "test_paths.hpp"
#include "tests/support/csv.hpp"
#include "tests/support/models.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

using Vary = BucklingRequest::Vary;

// EI = L = 1 and a stiff axis, so that factors are dimensionless; clamped at `from`.
Model unit_column(int elements, int degree, int dimension = 2) {
  Model m = test::make_rod({.element = "beam_euler_bernoulli",
                            .elements = elements,
                            .degree = degree,
                            .axial_degree = degree == 5 ? 3 : 1,
                            .dimension = dimension,
                            .length = 1,
                            .young = 1,
                            .density = 1e-4});
  m.sections[0] = test::make_general_section("round", 1e4, 1);  // ρA = 1
  m.buckling = BucklingRequest{};
  return m;
}

void press(Model& model, const Vec3& force, const std::string& at = "to") {
  Load load;
  load.at = Located<std::string>{at, {}};
  load.force = force;
  model.bodies[0].loads.push_back(load);
}

std::vector<double> column_of(const Results& results, const std::string& name) {
  EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
  const Table* table = results.find_table("buckling");
  EXPECT_NE(table, nullptr);
  if (table == nullptr) return {NAN};
  for (const Column& column : table->columns)
    if (column.name == name) return std::get<std::vector<double>>(column.values);
  ADD_FAILURE() << "no column " << name;
  return {NAN};
}
std::vector<double> calc_factors(const Model& model) { return column_of(run_buckling(model), "factor"); }

struct Ends {
  std::string name;
  std::vector<Support> supports;
  double fixity;  // rotational spring at `to`: a guide that lets the load through
  double exact;   // P L²/EI
  int quintic;    // elements on which the order of quintic ones shows: fewer than one for half a wave would be too few
};

// x of tan x = x: the first for a column clamped at one end and pinned at the other.
constexpr double kClampedPinned = 4.493409457909064;

std::vector<Ends> euler_columns() {
  const Support clamp = test::make_support(Support::Kind::clamp, "from"),
                pin = test::make_support(Support::Kind::pin, "from"),
                roller = test::make_support(Support::Kind::roller, "to");
  return {{"pinned, pinned", {pin, roller}, 0, M_PI * M_PI, 2},
          {"clamped, free", {clamp}, 0, M_PI * M_PI / 4, 1},
          {"clamped, pinned", {clamp, roller}, 0, kClampedPinned * kClampedPinned, 3},
          {"clamped, guided", {clamp, roller}, 1e11, 4 * M_PI * M_PI, 4}};
}

double euler_factor(const Ends& ends, int elements, int degree) {
  Model model = unit_column(elements, degree);
  model.bodies[0].supports = ends.supports;
  if (ends.fixity > 0) {
    Spring spring;
    spring.at.value = "to";
    spring.rotational_stiffness = {0, 0, ends.fixity};
    model.bodies[0].springs.push_back(spring);
  }
  press(model, {-1, 0, 0});
  return calc_factors(model)[0];
}

// Degree p: the error of a factor goes with h^(2(p − 1)), 4 for cubic and 8 for quintic elements, from above.
TEST(Buckling, EulerColumns) {
  for (const Ends& ends : euler_columns()) {
    // A spring c instead of a guide lowers the factor by about 2 EI/(cL) of it.
    const double guide = ends.fixity > 0 ? 4 / ends.fixity : 0;
    for (const int degree : {3, 5}) {
      const int elements = degree == 3 ? 4 : ends.quintic;
      const double coarse = euler_factor(ends, elements, degree) - ends.exact,
                   fine = euler_factor(ends, 2 * elements, degree) - ends.exact;
      EXPECT_GT(fine, -1e-8) << ends.name;
      // The term h⁶ (h¹⁰) that follows is some percent (tens of percent) of the leading one on these meshes.
      EXPECT_NEAR(std::log2(coarse / fine), 2 * (degree - 1), degree == 3 ? 0.15 : 0.5) << ends.name << ", " << degree;
    }
    EXPECT_NEAR(euler_factor(ends, 16, 5) / ends.exact, 1, 1e-9 + guide) << ends.name;
  }
}

TEST(Buckling, HigherFactorsAndShapesOfAPinnedColumn) {
  Model model = unit_column(12, 5);
  model.bodies[0].supports = euler_columns()[0].supports;
  model.buckling->count = 5;
  press(model, {-2, 0, 0});
  const Results results = run_buckling(model);
  const std::vector<double> factors = column_of(results, "factor");
  ASSERT_EQ(factors.size(), 5u);
  for (int k = 1; k <= 5; ++k)  // quintic: the error goes with (kh)⁸
    EXPECT_NEAR(factors[static_cast<size_t>(k - 1)] / (k * k * M_PI * M_PI / 2), 1, 1e-9 + 1.2e-12 * std::pow(k, 8))
        << k;
  ASSERT_EQ(results.grids.size(), 1u);
  const Grid& grid = results.grids[0];
  EXPECT_EQ(grid.name, "rod_buckling");
  ASSERT_EQ(grid.fields.size(), 5u + 3);  // the member's axes come last
  for (int k = 1; k <= 5; ++k) {
    const PointField& field = grid.fields[static_cast<size_t>(k - 1)];
    EXPECT_EQ(field.name, "buckling_" + std::to_string(k) + "_re");
    const double sign = field.values.row(1).dot((k * M_PI * grid.points.row(0)).array().sin().matrix()) > 0 ? 1 : -1;
    double worst = 0;
    for (const int i : grid.cells[0])  // the axis
      worst = std::max(worst, std::abs(sign * field.values(1, i) - std::sin(k * M_PI * grid.points(0, i))));
    // Shapes have unit size at the drawn points, which may miss the crest of the sine by half their distance.
    EXPECT_LT(worst, 0.02) << k;
  }
}

// J of order −1/3, up to a constant: Σ (−x²/4)^k / (k! Γ(k + 2/3)).
double bessel_minus_third(double x) {
  double sum = 0;
  for (int k = 0; k < 30; ++k) sum += std::pow(-x * x / 4, k) / (std::tgamma(k + 1.0) * std::tgamma(k + 2.0 / 3));
  return sum;
}

// A standing column under its own weight: q L³/EI = 9/4 j², j the first zero of J of order −1/3 (7.8373).
TEST(Buckling, OwnWeight) {
  double low = 1, high = 2.5;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (bessel_minus_third(middle) > 0 ? low : high) = middle;
  }
  const double exact = 2.25 * low * low;
  EXPECT_NEAR(exact, 7.8373, 5e-5);  // the printed value
  for (const int degree : {3, 5}) {
    Model model = unit_column(degree == 3 ? 32 : 12, degree);
    model.bodies[0].points[1].x = {0, 1, 0};
    model.gravity = {0, -1, 0};
    for (const Vary vary : {Vary::all, Vary::inertia}) {
      model.buckling->vary = vary;
      EXPECT_NEAR(calc_factors(model)[0] / exact, 1, degree == 3 ? 1e-6 : 1e-9);
    }
    model.buckling->vary = Vary::applied;  // nothing is applied
    const Results none = run_buckling(model);
    EXPECT_TRUE(std::isnan(column_of(none, "factor")[0]));
    model.gravity = {0, 1, 0};  // hanging
    model.buckling->vary = Vary::all;
    EXPECT_TRUE(std::isnan(calc_factors(model)[0]));
  }
}

// With the loads at their factors the body is at its limit: the factor of all loads is then 1.
TEST(Buckling, PartsThatVaryAddUp) {
  Model model = unit_column(10, 5);
  model.bodies[0].points[1].x = {0, 1, 0};
  model.gravity = {0, -3, 0};
  press(model, {0, -0.8, 0});
  model.buckling->vary = Vary::inertia;
  const double of_weight = calc_factors(model)[0];
  model.buckling->vary = Vary::applied;
  const double of_load = calc_factors(model)[0];
  EXPECT_GT(of_weight, 1);
  EXPECT_GT(of_load, 1);
  model.buckling->vary = Vary::all;
  Model heavy = model, pressed = model;
  heavy.gravity *= of_weight;
  pressed.bodies[0].loads[0].force *= of_load;
  EXPECT_NEAR(calc_factors(heavy)[0], 1, 1e-9);
  EXPECT_NEAR(calc_factors(pressed)[0], 1, 1e-9);
  EXPECT_LT(calc_factors(model)[0], std::min(of_weight, of_load));
}

// Beams that point to the axis, in the plane of rotation; the speed of the table is Ω √λ.
TEST(Buckling, DivergenceSpeedsOfInwardBeams) {
  int compared = 0;
  for (const auto& row : test::read_csv(std::string(ELODYN_SOURCE_DIR) + "/tests/data/divergence_speeds.csv")) {
    const double delta = std::stod(row.at("delta")), want = std::stod(row.at("gamma_crit"));
    if (row.at("case") != "chord" || std::isinf(want)) continue;
    for (const int elements : {12, 60}) {  // full matrices, and sparse ones
      Model model = unit_column(elements, 5);
      model.sections[0] = test::make_general_section("round", 1e6, 1);
      model.materials[0].density = 1e-6;
      model.bodies[0].motion.kind = Motion::Kind::spin;
      model.bodies[0].motion.speed = 0.7;
      model.bodies[0].motion.through = {-delta, 0, 0};
      model.buckling->count = 1;
      for (const Vary vary : {Vary::all, Vary::inertia}) {
        model.buckling->vary = vary;
        const Results results = run_buckling(model);
        EXPECT_NEAR(column_of(results, "speed")[0], want, test::half_unit(want, 6)) << delta << ", " << elements;
        EXPECT_NEAR(0.7 * std::sqrt(column_of(results, "factor")[0]), column_of(results, "speed")[0], 1e-12 * want);
      }
      ++compared;
    }
  }
  EXPECT_EQ(compared, 8);
}

// Greatest displacement along y and z of a buckling shape.
Eigen::Vector2d sway(const Results& results, size_t shape) {
  const MatrixX& u = results.grids.at(0).fields.at(shape).values;
  return {u.row(1).cwiseAbs().maxCoeff(), u.row(2).cwiseAbs().maxCoeff()};
}

// In space a column buckles in both planes, each with its own I.
TEST(Buckling, ColumnsInSpace) {
  const double Iy = 0.3, Iz = 1.1;  // bending along z and y
  Model model = unit_column(8, 5, 3);
  model.sections[0] = test::make_spatial_section("round", 1e4, Iy, Iz, 0.5);
  press(model, {-1, 0, 0});
  model.buckling->count = 4;
  const Results clamped = run_buckling(model);
  const double quarter = M_PI * M_PI / 4;
  const std::vector<std::pair<double, bool>> want = {
      {Iy * quarter, false}, {Iz * quarter, true}, {9 * Iy * quarter, false}, {25 * Iy * quarter, false}};
  const auto got = column_of(clamped, "factor");
  ASSERT_EQ(got.size(), 4u);
  for (size_t k = 0; k < 4; ++k) {
    EXPECT_NEAR(got[k] / want[k].first, 1, k < 3 ? 1e-8 : 1e-6) << k;  // the error goes with (κh)⁸
    const Eigen::Vector2d s = sway(clamped, k);
    EXPECT_LT(want[k].second ? s[1] / s[0] : s[0] / s[1], 1e-6) << "plane of factor " << k;
  }
  // Pinned at both ends about all axes, but for the rotation about its own.
  model.bodies[0].supports = {test::make_support(Support::Kind::pin, "from"),
                              test::make_support(Support::Kind::roller, "to"),
                              test::make_support(Support::Kind::roller, "to", Vec3::UnitZ())};
  model.bodies[0].springs = {test::make_spring("from", Vec3::Zero(), {1, 0, 0})};
  const auto pinned = calc_factors(model);
  const double whole = M_PI * M_PI;
  EXPECT_NEAR(pinned[0] / (Iy * whole), 1, 1e-8);
  EXPECT_NEAR(pinned[1] / (Iz * whole), 1, 1e-8);
  EXPECT_NEAR(pinned[2] / (4 * Iy * whole), 1, 1e-7);
}

// Engesser's column: the pull works on the slope of the axis, shear included: P = P_E/(1 + P_E/kGA). Order 2, as all of
// short Timoshenko elements.
TEST(Buckling, ShearLowersEulersLoad) {
  for (const int dimension : {2, 3}) {
    std::vector<double> errors;
    for (const int elements : {10, 20, 40}) {
      Model model = unit_column(elements, 3, dimension);
      model.bodies[0].element.value = "beam_timoshenko";
      Section& section = model.sections[0];
      section = test::make_spatial_section("round", 1e4, 1, 3, 1);
      section.shear_y = section.shear_z = 2.6 * 3e-3;  // kGA = 30
      press(model, {-1, 0, 0});
      const double euler = (dimension == 2 ? 3 : 1) * M_PI * M_PI / 4;
      errors.push_back(calc_factors(model)[0] / (euler / (1 + euler / 30)) - 1);
    }
    EXPECT_LT(errors[2], 1e-3) << dimension;
    EXPECT_GT(errors[2], 0) << dimension;
    EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2, 0.2) << dimension;
  }
}

// A round column has every factor twice, with shapes in two planes; in any direction in space.
TEST(Buckling, RoundColumnInSpace) {
  for (const Vec3& t : {Vec3(1, 0, 0), Vec3(Vec3(2, 3, 6) / 7)})
    for (const int elements : {6, 40}) {
      Model model = unit_column(elements, 5, 3);
      model.bodies[0].points[1].x = t;
      press(model, -t);
      model.buckling->count = 4;
      const Results results = run_buckling(model);
      const auto factors = column_of(results, "factor");
      ASSERT_EQ(factors.size(), 4u);
      for (size_t k = 0; k < 4; ++k) EXPECT_NEAR(factors[k] / ((k < 2 ? 1 : 9) * M_PI * M_PI / 4), 1, 1e-7) << k;
      const Grid& grid = results.grids[0];
      const auto n_axis = static_cast<Eigen::Index>(grid.cells[0].size());
      const MatrixX a = grid.fields[0].values.leftCols(n_axis), b = grid.fields[1].values.leftCols(n_axis);
      EXPECT_LT(std::abs(a.cwiseProduct(b).sum()), 0.999 * a.norm() * b.norm());
      EXPECT_LT((t.transpose() * a).norm(), 1e-6 * a.norm());
    }
}

// Spinning beams in space diverge out of plane by their pressure alone, later than in plane where Ω² softens them too.
// thesis_neg: with the sign of the pull reversed outward beams do.
TEST(Buckling, DivergenceSpeedsInSpace) {
  int compared = 0;
  for (const auto& row : test::read_csv(std::string(ELODYN_SOURCE_DIR) + "/tests/data/divergence_speeds.csv")) {
    const std::string& kind = row.at("case");
    const bool flap = kind == "flap" || kind == "thesis_neg_flap";
    if (kind == "noKg") continue;
    const double delta = std::stod(row.at("delta")), want = std::stod(row.at("gamma_crit"));
    Model model = unit_column(12, 5, 3);
    model.sections[0] = test::make_general_section("round", 1e6, 1);
    model.materials[0].density = 1e-6;
    model.bodies[0].motion.kind = Motion::Kind::spin;
    model.bodies[0].motion.speed = 0.7;
    model.bodies[0].motion.through = {-delta, 0, 0};
    if (kind.starts_with("thesis_neg")) model.terms.pull = Terms::Pull::reversed;
    model.buckling->count = 4;
    const Results results = run_buckling(model);
    double found = INFINITY;
    for (size_t k = column_of(results, "speed").size(); k-- > 0;) {
      const double speed = column_of(results, "speed")[k];
      if (!(speed < 60)) continue;  // as far as the table looks
      const Eigen::Vector2d s = sway(results, k);
      if ((s[1] > s[0]) == flap) found = speed;
    }
    if (std::isinf(want))
      EXPECT_TRUE(std::isinf(found)) << kind << ", delta " << delta << ": " << found;
    else
      EXPECT_NEAR(found, want, test::half_unit(want, 6)) << kind << ", delta " << delta;
    ++compared;
  }
  EXPECT_EQ(compared, 16);
}

// Pointing outward, bending is only stiffened. What remains is the axis itself: it tears at Ω = π/2 √(EA/ρA)/L.
TEST(Buckling, OutwardBeamTearsBeforeItBuckles) {
  for (const int elements : {12, 60}) {
    Model model = unit_column(elements, 5);
    model.bodies[0].motion.kind = Motion::Kind::spin;
    model.bodies[0].motion.speed = 1;
    model.buckling->count = 1;
    EXPECT_NEAR(calc_factors(model)[0] / (1e4 * M_PI * M_PI / 4), 1, 1e-8) << elements;
  }
}

TEST(Buckling, TensionHasNone) {
  for (const int elements : {8, 120}) {
    Model model = unit_column(elements, 3);
    press(model, {1, 0, 0});
    const Results results = run_buckling(model);
    ASSERT_EQ(results.find_table("buckling")->n_rows(), 1u);
    EXPECT_TRUE(std::isnan(column_of(results, "factor")[0]));
    ASSERT_EQ(results.warnings.size(), 1u);
    EXPECT_EQ(results.warnings[0], "body `rod`: nothing buckles: the loads only stiffen");
    EXPECT_TRUE(results.grids.empty());
  }
}

// Two equal columns side by side: every factor twice, with independent shapes.
TEST(Buckling, DoubleFactors) {
  for (const int elements : {10, 60}) {
    Model model = unit_column(elements, 3);
    Body& body = model.bodies[0];
    Point foot = body.points[0], head = body.points[1];
    foot.name = "foot", head.name = "head";
    foot.x[1] = head.x[1] = 0.3;
    body.points.insert(body.points.end(), {foot, head});
    Member second = body.members[0];
    second.name = "second";
    second.from.value = "foot";
    second.to.value = "head";
    body.members.push_back(second);
    body.supports.push_back(test::make_support(Support::Kind::clamp, "foot"));
    press(model, {-1, 0, 0});
    press(model, {-1, 0, 0}, "head");
    model.buckling->count = 4;
    const Results results = run_buckling(model);
    const std::vector<double> factors = column_of(results, "factor");
    ASSERT_EQ(factors.size(), 4u);
    // Cubic elements, error about (kL/n)⁴/720 with kL = π/2 and 3π/2.
    EXPECT_NEAR(factors[0] / (M_PI * M_PI / 4), 1, 1e-6);
    EXPECT_NEAR(factors[1] / factors[0], 1, 1e-9);
    EXPECT_NEAR(factors[2] / (9 * M_PI * M_PI / 4), 1, 1e-4);
    EXPECT_NEAR(factors[3] / factors[2], 1, 1e-9);
    const MatrixX a = results.grids[0].fields[0].values, b = results.grids[0].fields[1].values;
    EXPECT_LT(std::abs(a.cwiseProduct(b).sum()), 0.9 * a.norm() * b.norm());
  }
}

void expect_failure(const Model& model, const std::string& text) {
  const Results results = run_buckling(model);
  EXPECT_FALSE(results.outcome.ok());
  EXPECT_NE(results.outcome.message.find(text), std::string::npos) << results.outcome.message;
}

TEST(Buckling, WhatItRefusesAndWhy) {
  Model beyond = unit_column(8, 3);
  beyond.gravity = {-1, 0, 0};
  press(beyond, {-3, 0, 0});  // critical: π²/4
  beyond.buckling->vary = Vary::inertia;
  expect_failure(beyond, "already beyond buckling");

  Model free = unit_column(8, 3);
  free.bodies[0].supports.clear();
  press(free, {-1, 0, 0});
  press(free, {1, 0, 0}, "from");
  expect_failure(free, "buckling needs a held body");

  Model accelerated = unit_column(8, 3);
  Motion& motion = accelerated.bodies[0].motion;
  motion.kind = Motion::Kind::prescribed;
  ASSERT_FALSE(motion.angular_velocity[2].parse("3*t").has_value());
  expect_failure(accelerated, "angular acceleration");
}

// Fine meshes are solved with sparse matrices. Cubic: error (π/n)⁴/720 beside a round-off of about n⁴ε.
TEST(Buckling, FineMeshAgreesWithTheExactFactor) {
  Model model = unit_column(200, 3);
  model.bodies[0].supports = euler_columns()[0].supports;
  press(model, {-1, 0, 0});
  const std::vector<double> factors = calc_factors(model);
  ASSERT_EQ(factors.size(), 3u);
  for (int k = 1; k <= 3; ++k) EXPECT_NEAR(factors[static_cast<size_t>(k - 1)] / (k * k * M_PI * M_PI), 1, 1e-6) << k;
}

}  // namespace
}  // namespace elodyn
