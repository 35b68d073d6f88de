// Mechanisms as a user writes them: from the text of an input file to the tables, against closed forms.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/support/tolerance.hpp"
#include "tests/unit/io/sample_mechanism.hpp"

#include "elodyn/study/mechanism.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

constexpr double kGravity = 9.81;

const std::vector<double>& column(const Results& results, const std::string& table, const std::string& name) {
  const Table* found = results.find_table(table);
  if (found)
    for (const Column& c : found->columns)
      if (c.name == name) return std::get<std::vector<double>>(c.values);
  ADD_FAILURE() << table << " has no column " << name;
  static const std::vector<double> none;
  return none;
}

Results run(const std::string& text, std::vector<std::string> settings = {}) {
  return run_analysis(read_good(text, std::move(settings)), "mechanism");
}
Results run_well(const std::string& text, std::vector<std::string> settings = {}) {
  Results results = run(text, std::move(settings));
  EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
  return results;
}

// ---- joints ----
const std::string kPlanarBody = R"toml(schema = 1
gravity = [0, -9.81, 0]
[ground]
points = { O = [0, 0, 0] }
[body.b]
dimension = 2
rigid = { mass = 2, center = [0.1, 0.2, 0], inertia = 0.03 }
points = { P = [0, 0, 0], C = [0.1, 0.2, 0] }
place = [0, 0.3, 0]
[analysis.mechanism]
duration = 0.32
records = 32
tolerance = 1e-10
[joint.J]
a = "ground.O"
b = "b.P"
)toml";
const std::string kSpatialBody = R"toml(schema = 1
gravity = [0.5, 0.3, -9.81]
[ground]
points = { O = [0, 0, 0] }
[body.b]
dimension = 3
rigid = { mass = 2, center = [0.1, 0.2, 0.05], inertia_tensor = [0.02, 0.03, 0.04, 0.001, 0, -0.002] }
points = { P = [0, 0, 0], C = [0.1, 0.2, 0.05] }
place = [0, 0, 0.3]
[analysis.mechanism]
duration = 0.32
records = 32
tolerance = 1e-10
[joint.J]
a = "ground.O"
b = "b.P"
)toml";

TEST(MechanismFile, EveryJointKindMovesAndTellsItsForces) {
  struct Kind {
    const char* keys;
    int freedoms;
  };
  const std::vector<Kind> planar = {{"kind = \"revolute\"", 1},
                                    {"kind = \"prismatic\"\naxis = [1, 2, 0]", 1},
                                    {"kind = \"fixed\"", 0},
                                    {"kind = \"point_on_line\"\naxis = [2, -1, 0]", 2},
                                    {"kind = \"rolling\"\naxis = [1, 0, 0]\nradius = \"0.3 m\"", 1},
                                    {"kind = \"knife_edge\"\naxis_b = [1, 1, 0]", 2}};
  const std::vector<Kind> spatial = {
      {"kind = \"revolute\"\naxis = [1, 2, 0]", 1},
      {"kind = \"prismatic\"\naxis = [0, 1, 1]", 1},
      {"kind = \"cylindrical\"\naxis = [1, 0, 1]", 2},
      {"kind = \"universal\"\naxis = [1, 0, 0]\naxis_b = [0, 1, 0]", 2},
      {"kind = \"spherical\"", 3},
      {"kind = \"fixed\"", 0},
      {"kind = \"point_on_line\"\naxis = [1, 1, 0]", 4},
      {"kind = \"rolling\"\naxis = [0, 0, 1]\naxis_b = [1, 0, 0]\nradius = \"0.3 m\"", 3},
      {"kind = \"knife_edge\"\naxis = [0, 0, 1]\naxis_b = [1, 0, 0]", 5}};
  for (const bool is_planar : {true, false})
    for (const Kind& kind : is_planar ? planar : spatial) {
      SCOPED_TRACE(std::string(is_planar ? "planar " : "spatial ") + kind.keys);
      const Results results = run_well((is_planar ? kPlanarBody : kSpatialBody) + kind.keys);
      ASSERT_TRUE(results.mechanism.has_value());
      EXPECT_EQ(results.mechanism->n_freedoms, kind.freedoms);
      EXPECT_TRUE(results.mechanism->redundant.empty());
      EXPECT_LE(results.mechanism->position_drift, 1e-12);
      EXPECT_LE(results.mechanism->velocity_drift, 1e-11);
      EXPECT_LE(results.mechanism->energy_error, 1e-8);
      // The joint and the weight change the momentum, and nothing else. Simpson's rule over records 0.01 s apart, its
      // error from steps twice as long.
      const std::vector<const char*> axes =
          is_planar ? std::vector<const char*>{"x", "y"} : std::vector<const char*>{"x", "y", "z"};
      const std::vector<double> weight =
          is_planar ? std::vector<double>{0, -2 * kGravity} : std::vector<double>{1, 0.6, -2 * kGravity};
      std::vector<double> rest, tolerance;
      for (size_t axis = 0; axis < axes.size(); ++axis) {
        const auto& f = column(results, "liaison_J", std::string("f") + axes[axis]);
        const auto& on_ground = column(results, "liaison_J", std::string("f") + axes[axis] + "_on_a");
        const auto& v = column(results, "mechanism_point_history", std::string("b_C_v") + axes[axis]);
        ASSERT_EQ(f.size(), 33u);
        const auto impulse = [&](size_t stride) {
          double sum = 0;
          for (size_t k = 0; k < f.size(); k += stride)
            sum += (k == 0 || k == 32 ? 1 : k / stride % 2 == 1 ? 4 : 2) * (f[k] + weight[axis]);
          return sum * 0.01 * static_cast<double>(stride) / 3;
        };
        for (size_t k = 0; k < f.size(); ++k) EXPECT_NEAR(f[k], -on_ground[k], 1e-10 * (20 + std::abs(f[k])));
        rest.push_back(impulse(1) - 2 * (v.back() - v.front()));
        tolerance.push_back(std::abs(impulse(1) - impulse(2)) / 5 + 1e-9);
        if (kind.freedoms == 0) {
          EXPECT_NEAR(f.back(), -weight[axis], 1e-10);
        }
      }
      for (const double value : rest) EXPECT_LE(std::abs(value), *std::max_element(tolerance.begin(), tolerance.end()));
      EXPECT_EQ(column(results, "liaison_J", "mz_body").size(), 33u);
      EXPECT_GT(results.mechanism->joints[0].rms_force, 0);
      EXPECT_GE(results.mechanism->joints[0].peak_force, results.mechanism->joints[0].rms_force);
    }
}

// ---- what acts ----
// A block on a line, 2 kg.
const std::string kBlock = R"toml(schema = 1
[ground]
points = { O = [0, 0, 0], W = [-1, 0, 0] }
[body.block]
dimension = 2
rigid = { mass = 2 }
points = { P = [0, 0, 0] }
[joint.slide]
kind = "prismatic"
a = "ground.O"
b = "block.P"
axis = [1, 0, 0]
position = "0.3 m"
[analysis.mechanism]
duration = 2
records = 40
tolerance = 1e-12
)toml";

TEST(MechanismFile, SpringsAndDampersOscillate) {
  const double k = 50, c = 3, m = 2, decay = c / (2 * m), w = std::sqrt(k / m - decay * decay);
  for (const char* spring : {"joint = \"slide\"\n", "a = \"ground.W\"\nb = \"block.P\"\nfree_length = \"1 m\"\n"}) {
    const Results results = run_well(kBlock + "[spring.s]\nstiffness = \"50 N/m\"\ndamping = \"3 N*s/m\"\n" + spring);
    const auto& t = column(results, "mechanism_coordinate_history", "t");
    const auto& x = column(results, "mechanism_coordinate_history", "slide");
    for (size_t i = 0; i < t.size(); ++i)
      EXPECT_NEAR(x[i], 0.3 * std::exp(-decay * t[i]) * (std::cos(w * t[i]) + decay / w * std::sin(w * t[i])), 1e-9);
    EXPECT_LE(results.mechanism->energy_error, 1e-8);
  }
}

TEST(MechanismFile, ViscousFrictionAndTorqueSpeedCurve) {
  const std::string rotor = R"toml(schema = 1
[ground]
points = { O = [0, 0, 0] }
[body.rotor]
dimension = 2
rigid = { mass = 1, inertia = 0.5 }
points = { O = [0, 0, 0] }
[joint.O]
kind = "revolute"
a = "ground.O"
b = "rotor.O"
friction = { viscous = "0.1 N*m*s/rad" }
[motor.M]
joint = "O"
speeds = ["0 rpm", "600 rpm"]
torques = ["2 N*m", "0 N*m"]
[analysis.mechanism]
duration = 3
records = 30
tolerance = 1e-11
)toml";
  const Results results = run_well(rotor);
  // J ω̇ = 2 (1 − ω/ω₀) − 0.1 ω
  const double w0 = 20 * std::numbers::pi, slope = 2 / w0 + 0.1;
  const auto& t = column(results, "mechanism_coordinate_history", "t");
  const auto& w = column(results, "mechanism_coordinate_history", "O_speed");
  const auto& torque = column(results, "mechanism_force_history", "motor_M");
  for (size_t i = 0; i < t.size(); ++i) {
    EXPECT_NEAR(w[i], 2 / slope * (1 - std::exp(-slope / 0.5 * t[i])), 1e-8);
    EXPECT_NEAR(torque[i], 2 * (1 - w[i] / w0), 1e-12);
  }
  EXPECT_LE(results.mechanism->energy_error, 1e-8);
}

// The load on a piston depends on where it is and which way it goes.
TEST(MechanismFile, PistonLoadOfPositionAndDirection) {
  const std::string load = "[force.gas]\njoint = \"slide\"\nforce = \"v > 0 ? -20*(1 + x) : -60*x\"\n";
  const std::string driven = with(kBlock, "position = \"0.3 m\"\n", "") + load +
                             "[driver.d]\njoint = \"slide\"\nposition = \"0.1*sin(10*t) + 0.05*cos(3*t)\"\n";
  const Results results = run_well(driven, {"analysis.mechanism.kind=\"inverse\""});
  const auto& t = column(results, "mechanism_coordinate_history", "t");
  const auto& f = column(results, "mechanism_force_history", "driver_d");
  for (size_t i = 0; i < t.size(); ++i) {
    const double x = 0.1 * std::sin(10 * t[i]) + 0.05 * std::cos(3 * t[i]);
    const double v = std::cos(10 * t[i]) - 0.15 * std::sin(3 * t[i]);
    const double a = -10 * std::sin(10 * t[i]) - 0.45 * std::cos(3 * t[i]);
    // Positions are met to 1e-10 of the size by Newton's method; all else is exact.
    EXPECT_NEAR(f[i], 2 * a - (v > 0 ? -20 * (1 + x) : -60 * x), 60e-10) << t[i];
  }
  // Thrown against a force that turns with it: forwards for 4/3 s, then back.
  const Results thrown = run_well(kBlock + "[force.f]\njoint = \"slide\"\nforce = \"v > 0 ? -3 : -1\"\n",
                                  {"joint.slide.speed=\"2 m/s\"", "analysis.mechanism.tolerance=1e-9"});
  const auto& v = column(thrown, "mechanism_coordinate_history", "slide_speed");
  for (size_t i = 0; i < t.size(); ++i)
    EXPECT_NEAR(v[i], t[i] < 4.0 / 3 ? 2 - 1.5 * t[i] : -0.5 * (t[i] - 4.0 / 3), 1e-7) << t[i];
}

TEST(MechanismFile, DriverFromATable) {
  const std::string text =
      with(kBlock, "position = \"0.3 m\"\n", "") + "[driver.d]\njoint = \"slide\"\nfile = \"x.csv\"\n";
  std::string table = "t,position\n";
  for (int k = -2; k <= 22; ++k) table += std::to_string(0.1 * k) + "," + std::to_string(0.01 * k * k * k) + "\n";
  Diagnostics diagnostics;
  ReadOptions options = sample_options({"analysis.mechanism.kind=\"inverse\""});
  options.read_file = [&](const std::string&, size_t) { return FileText{table, ""}; };
  const auto model = read_model("rod.toml", text, options, diagnostics);
  ASSERT_TRUE(model.has_value()) << diagnostics.format_all(Severity::error);
  const Results results = run_analysis(*model, "mechanism");
  ASSERT_TRUE(results.outcome.ok()) << results.outcome.message;
  const auto& t = column(results, "mechanism_coordinate_history", "t");
  const auto& x = column(results, "mechanism_coordinate_history", "slide");
  const auto& f = column(results, "mechanism_force_history", "driver_d");
  const CubicSpline& spline = *model->drivers[0].table;
  for (size_t i = 0; i < t.size(); ++i) {
    EXPECT_NEAR(x[i], spline(t[i]), 1e-10);
    EXPECT_NEAR(f[i], 2 * spline.second_derivative(t[i]), 1e-9 * 120);
  }
  EXPECT_NEAR(x[20], 10, 1e-9);  // at 1 s, a row of the table
}

// A body that is elastic moves as a rigid one with the mass, centre and inertia of its mesh.
TEST(MechanismFile, MassOfAnElasticMesh) {
  const std::string text = R"toml(schema = 1
gravity = [0, -9.81, 0]
[material.steel]
young = "210 GPa"
density = "7800 kg/m^3"
[section.round]
shape = "circle"
diameter = "10 mm"
[ground]
points = { O = [0, 0, 0] }
[body.rod]
element = "beam_euler_bernoulli"
dimension = 2
material = "steel"
section = "round"
line = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 3 }
[joint.O]
kind = "revolute"
a = "ground.O"
b = "rod.from"
[analysis.mechanism]
duration = 0.1
records = 4
)toml";
  const Results results = run_well(text);
  const double m = 7800 * std::numbers::pi * 2.5e-5 * 0.5;
  EXPECT_NEAR(column(results, "mechanism_coordinate_history", "O_acceleration").front(), -1.5 * kGravity / 0.5, 1e-9);
  EXPECT_NEAR(column(results, "liaison_O", "fy").front(), m * kGravity / 4, 1e-10);  // of a rod that is let go level
}

TEST(MechanismFile, FormalismIsChosenByItsKey) {
  const Results kane = run_well(kSliderCrank);
  EXPECT_EQ(kane.mechanism->formalism, "kane");
  for (const char* name : {"maggi", "multipliers", "gibbs_appell"}) {
    const Results other = run_well(kSliderCrank, {std::string("analysis.mechanism.formalism=\"") + name + "\""});
    EXPECT_EQ(other.mechanism->formalism, name);
    for (const char* joint : {"O", "A", "B", "guide"}) {
      const std::string key = std::string(joint) + "_acceleration";
      const auto& a = column(kane, "mechanism_coordinate_history", key);
      const auto& b = column(other, "mechanism_coordinate_history", key);
      ASSERT_EQ(a.size(), b.size());
      EXPECT_NEAR(a[0], b[0], 1e-10 * std::max(1.0, std::abs(a[0]))) << name << " " << joint;
    }
  }
}

// ---- mechanisms that are none ----
void expect_said(const Results& results, std::initializer_list<const char*> words) {
  EXPECT_EQ(results.outcome.status, "numerical failure");
  for (const char* word : words)
    EXPECT_NE(results.outcome.message.find(word), std::string::npos) << word << "\n" << results.outcome.message;
}
const std::string kDriven = with(kSliderCrank, "[motor.drive]\njoint = \"O\"\ntorque = \"4*(1 - w/40)\"\n", "");

TEST(MechanismFile, BadMechanismsNameTheirJoints) {
  // Without its guide the piston is free.
  const std::string guide = "[joint.guide]\nkind = \"prismatic\"";
  const std::string driver = "[driver.d]\njoint = \"O\"\nposition = \"30*t\"\n";
  std::string loose = with(kDriven, guide, "[joint.guide]\nkind = \"point_on_line\"") + driver;
  expect_said(run(loose, {"analysis.mechanism.kind=\"kinematic\""}), {"1 freedom", "not driven", "body piston"});
  // Two drivers that ask for different positions, speeds, or for what differs later.
  const std::string turned = with(driver, "30*t", "1 + 30*t");
  const std::string second = "[driver.e]\njoint = \"guide\"\nposition = ";
  expect_said(run(kDriven + turned + second + "\"0.2\"\n"),
              {"cannot be assembled", "driver d of joint O", "driver e of joint guide"});
  expect_said(run(kDriven + turned + second + "\"0.06*cos(1) + sqrt(0.0625 - 0.0036*sin(1)^2) + t\"\n"),
              {"no velocities", "driver d of joint O", "driver e of joint guide"});
  expect_said(run(kDriven + driver + second + "\"0.31\"\n"),
              {"driver d of joint O and driver e of joint guide contradict", "t = "});
  // A loop that cannot close.
  expect_said(run(with(kSliderCrank, "B = [0.25, 0, 0]", "B = [0.02, 0, 0]"), {"joint.O.position=\"90 deg\""}),
              {"cannot be assembled", "joint "});
  // A body without inertia that nothing holds.
  const std::string ghost = R"toml([body.ghost]
dimension = 2
rigid = { mass = 0 }
points = { P = [0, 0, 0] }
place = [0.31, 0, 0]
[joint.pin]
kind = "revolute"
a = "piston.B"
b = "ghost.P"
)toml";
  expect_said(run(kSliderCrank + ghost), {"body ghost (joint pin)", "without mass"});
}

// A parallelogram, in line after a quarter and three quarters of a turn: there its joint forces are not determined by
// kinematics.
TEST(MechanismFile, KinematicsReportsSingularPositionsThatItPasses) {
  const std::string parallelogram = R"toml(schema = 1
[ground]
points = { O = [0, 0, 0], C = [0.3, 0, 0] }
[body.crank]
dimension = 2
rigid = { mass = 1, inertia = 0.01 }
points = { O = [0, 0, 0], A = [0.1, 0, 0] }
attitude = [0, 0, "90 deg"]
[body.coupler]
dimension = 2
rigid = { mass = 1, center = [0.15, 0, 0], inertia = 0.01 }
points = { A = [0, 0, 0], B = [0.3, 0, 0] }
place = [0, 0.1, 0]
[body.rocker]
dimension = 2
rigid = { mass = 1, inertia = 0.01 }
points = { C = [0, 0, 0], B = [0.1, 0, 0] }
place = [0.3, 0, 0]
attitude = [0, 0, "90 deg"]
[joint.O]
kind = "revolute"
a = "ground.O"
b = "crank.O"
[joint.A]
kind = "revolute"
a = "crank.A"
b = "coupler.A"
[joint.B]
kind = "revolute"
a = "coupler.B"
b = "rocker.B"
[joint.C]
kind = "revolute"
a = "ground.C"
b = "rocker.C"
[driver.d]
joint = "O"
position = "pi/2 + 10*t"
[analysis.mechanism]
kind = "inverse"
duration = 0.6
records = 401
)toml";
  for (const char* offset : {"0", "1e-4"}) {
    const Results results = run_well(with(parallelogram, "pi/2 + 10*t", std::string("pi/2 + 10*t + ") + offset), {});
    const auto& singular = results.mechanism->singular;
    ASSERT_EQ(singular.size(), 2u) << offset;
    const double record = 0.6 / 401;
    EXPECT_NEAR(singular[0].t, M_PI / 20, record);
    EXPECT_NEAR(singular[1].t, 3 * M_PI / 20, record);
    EXPECT_TRUE(std::any_of(results.warnings.begin(), results.warnings.end(), [](const std::string& warning) {
      return warning.find("forces near it may be wrong") != std::string::npos;
    }));
  }
  EXPECT_TRUE(run_well(parallelogram, {"analysis.mechanism.duration=0.1"}).mechanism->singular.empty());
}

TEST(MechanismFile, ForcesThatAreNoNumbersAreErrors) {
  const std::string driver = "[driver.d]\njoint = \"O\"\nposition = \"30*t\"\n";
  const std::string force = "[force.f]\njoint = \"guide\"\nforce = ";
  for (const char* kind : {"analysis.mechanism.kind=\"inverse\"", "analysis.mechanism.kind=\"dynamic\""}) {
    expect_said(run(kDriven + driver + force + "\"sqrt(0 - x)\"\n", {kind}), {"force f is", "nan", "joint guide"});
    expect_said(run(kDriven + driver + force + "\"1/0*x\"\n", {kind}), {"force f is inf", "joint guide"});
  }
}

}  // namespace
}  // namespace elodyn
