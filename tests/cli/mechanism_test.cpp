// `elodyn mechanism`: tables, JSON, files, mistakes; other commands beside rigid bodies.
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace elodyn::test {
namespace {

using Json = nlohmann::json;

const std::string kPendulum = R"(schema = 1
title = "Pendulum"
gravity = [0, -9.81, 0]
[ground]
points = { O = [0, 0, 0] }
[body.bob]
dimension = 2
rigid = { mass = 1, center = [0, -1, 0] }
points = { O = [0, 0, 0], P = [0, -1, 0] }
[joint.O]
kind = "revolute"
a = "ground.O"
b = "bob.O"
position = "90 deg"
speed = 0
)";
const std::string kRequest = R"([analysis.mechanism]
duration = "1 s"
records = 50
[analysis.mechanism.event.down]
joint = "O"
value = 0
)";

TEST(MechanismCommand, PrintsAndWrites) {
  const Shell shell;
  shell.write("p.toml", kPendulum + kRequest);
  const Outcome outcome = shell("elodyn mechanism p.toml");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("Liaison forces of the joints"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("over time"), std::string::npos) << outcome.out;  // histories are for files
  const Json json = Json::parse(shell("elodyn mechanism p.toml --json").out);
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["mechanism"]["freedoms"], 1);
  EXPECT_EQ(json["mechanism"]["joints"][0]["name"], "O");
  // From the horizontal it is down after √(l/g) K(1/√2), the quarter of its period; it pulls with 3 m g there, which
  // falls between records.
  EXPECT_NEAR(json["mechanism"]["events"][0]["time"].get<double>(), 1.8540746773013719 / std::sqrt(9.81), 1e-7);
  EXPECT_NEAR(json["mechanism"]["joints"][0]["peak_force"].get<double>(), 3 * 9.81, 0.02 * 9.81);
  EXPECT_LT(json["mechanism"]["energy_error"].get<double>(), 1e-6);

  const Outcome run = shell("elodyn run p.toml -o out");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("mechanism_*.vtu (51)"), std::string::npos) << run.out;
  for (const char* file : {"mechanism.csv", "mechanism_coordinate_history.csv", "mechanism_point_history.csv",
                           "liaison_O.csv", "mechanism_energy_history.csv", "mechanism.pvd", "mechanism_0050.vtu"})
    EXPECT_TRUE(std::filesystem::exists(shell.dir() / "out" / file)) << file;
  EXPECT_EQ(shell("elodyn check out/input.echo.toml").exit_code, 0);
  EXPECT_NE(shell("elodyn check p.toml").out.find("1 body, 1 joint; analyses: mechanism"), std::string::npos);
  EXPECT_NE(shell("elodyn list analyses").out.find("mechanism "), std::string::npos);
}

TEST(MechanismCommand, SaysWhatIsWrong) {
  const Shell shell;
  shell.write("p.toml", kPendulum);
  const Outcome none = shell("elodyn mechanism p.toml");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("has no [analysis.mechanism]"), std::string::npos) << none.err;
  shell.write("p.toml", kPendulum + kRequest);
  const Outcome modes = shell("elodyn modes p.toml");
  EXPECT_EQ(modes.exit_code, 2);
  EXPECT_NE(modes.err.find("modes needs an elastic body, and all bodies of the model are rigid"), std::string::npos)
      << modes.err;
  const Outcome typo = shell("elodyn mechanism p.toml --set 'joint.O.b=\"bob.Q\"'");
  EXPECT_EQ(typo.exit_code, 2);
  EXPECT_NE(typo.err.find("body `bob` has no point `Q`"), std::string::npos) << typo.err;
  const Outcome free = shell("elodyn mechanism p.toml --set 'analysis.mechanism.kind=\"kinematic\"'");
  EXPECT_EQ(free.exit_code, 2);
}

const std::string kCrank = R"(schema = 1
title = "Slider-crank"
[ground]
points = { O = [0, 0, 0] }
[body.crank]
dimension = 2
rigid = { mass = 1, inertia = 0.01 }
points = { O = [0, 0, 0], A = [0.05, 0, 0] }
[body.rod]
dimension = 2
rigid = { mass = 0.4, center = [0.1, 0, 0], inertia = 0.0015 }
points = { A = [0, 0, 0], B = [0.2, 0, 0] }
place = [0.05, 0, 0]
[body.piston]
dimension = 2
rigid = { mass = 0.5 }
points = { B = [0, 0, 0] }
place = [0.25, 0, 0]
[joint.O]
kind = "revolute"
a = "ground.O"
b = "crank.O"
[joint.A]
kind = "revolute"
a = "crank.A"
b = "rod.A"
[joint.B]
kind = "revolute"
a = "rod.B"
b = "piston.B"
[joint.guide]
kind = "prismatic"
a = "ground.O"
b = "piston.B"
axis = [1, 0, 0]
[driver.crank]
joint = "O"
position = "1 + 100*t"
[analysis.mechanism]
kind = "inverse"
duration = 0.05
)";

// A mechanism that cannot move as it is told: exit code 3, and the joints, bodies and drivers to blame by name.
class BadMechanism : public ::testing::Test {
 protected:
  void expect_failure(const std::string& text, const std::string& message, const std::string& settings = "") const {
    shell_.write("m.toml", text);
    const Outcome outcome = shell_("elodyn mechanism m.toml " + settings);
    EXPECT_EQ(outcome.exit_code, 3) << outcome.out;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << message << "\n" << outcome.err;
  }
  static std::string without(std::string text, const std::string& piece) {
    const size_t at = text.find(piece);
    EXPECT_NE(at, text.npos) << piece;
    return at == text.npos ? text : text.erase(at, piece.size());
  }
  static std::string dynamic() {
    return without(without(kCrank, "[driver.crank]\njoint = \"O\"\nposition = \"1 + 100*t\"\n"),
                   "kind = \"inverse\"\n") +
           "[motor.m]\njoint = \"O\"\n";
  }
  Shell shell_;
};

TEST_F(BadMechanism, MissingJoint) {
  expect_failure(without(kCrank, "[joint.B]\nkind = \"revolute\"\na = \"rod.B\"\nb = \"piston.B\"\n"),
                 "2 freedoms of the mechanism are not driven, so its motion is not determined by kinematics: body rod, "
                 "body piston can still move; give [driver] for each or the joint that is missing");
}

TEST_F(BadMechanism, DriversInConflict) {
  // At once, and only later.
  expect_failure(kCrank + "[driver.piston]\njoint = \"guide\"\nposition = \"0.25\"\n",
                 "the positions that are given (driver crank of joint O, driver piston of joint guide)");
  expect_failure(kCrank + "[driver.piston]\njoint = \"guide\"\nposition = \"0.25 - 0.05*t^2\"\n",
                 "driver crank of joint O and driver piston of joint guide contradict each other or the joints",
                 "--set driver.crank.position='\"100*t\"'");
}

TEST_F(BadMechanism, LoopThatCannotClose) {
  expect_failure(kCrank, "the largest in joint ", "--set body.rod.points.B='[0.01, 0, 0]'");
  expect_failure(kCrank, "the positions that are given (driver crank of joint O)",
                 "--set body.rod.points.B='[0.01, 0, 0]'");
}

TEST_F(BadMechanism, StartThatContradictsItself) {
  expect_failure(dynamic() + "torque = 1\n",
                 "joint O, its given speed and joint guide, its given speed contradict each other",
                 "--set joint.O.position=1 --set joint.O.speed=3 --set joint.guide.speed=5");
}

TEST_F(BadMechanism, DriverThatJumps) {
  expect_failure(kCrank, "driver crank of joint O jumps from 1 to 2 at t = 0.02 s, and no body can follow it",
                 "--set driver.crank.position='\"t < 0.02 ? 1 : 2\"'");
}

// Of a disk that lies flat no point is the contact.
TEST(MechanismCommand, DiskThatFallsFlat) {
  const Shell shell;
  shell.write("d.toml", R"(schema = 1
gravity = [0, 0, -9.81]
[ground]
points = { O = [0, 0, 0] }
[body.disk]
dimension = 3
rigid = { mass = 1, inertia_tensor = [0.01, 0.005, 0.005, 0, 0, 0] }
points = { C = [0, 0, 0] }
place = [0, 0, 0.1]
attitude = [0, 0.3, 0]
[joint.roll]
kind = "rolling"
a = "ground.O"
b = "disk.C"
axis = [0, 0, 1]
axis_b = [1, 0, 0]
radius = 0.1
[analysis.mechanism]
duration = 2
)");
  const Outcome falls = shell("elodyn mechanism d.toml");
  EXPECT_EQ(falls.exit_code, 3);
  EXPECT_NE(falls.err.find("the disk of rolling joint roll falls flat on its plane near t = 0.3"), std::string::npos)
      << falls.err;
  const Outcome lies =
      shell("elodyn mechanism d.toml --set body.disk.attitude='[0,0,0]' --set joint.roll.axis_b='[0,0,1]'");
  EXPECT_EQ(lies.exit_code, 3);
  EXPECT_NE(lies.err.find("the disk of rolling joint roll lies flat on its plane"), std::string::npos) << lies.err;
}

// Dry friction written as a jump holds the block at the jump: that ends, and is said.
TEST(MechanismCommand, ForceThatJumpsWhereItHolds) {
  const Shell shell;
  shell.write("s.toml", R"(schema = 1
[ground]
points = { O = [0, 0, 0] }
[body.block]
dimension = 2
rigid = { mass = 1, inertia = 1 }
points = { C = [0, 0, 0] }
[joint.slide]
kind = "prismatic"
a = "ground.O"
b = "block.C"
axis = [1, 0, 0]
speed = 0.1
[force.push]
joint = "slide"
force = "v > 0 ? -200 : 100"
[analysis.mechanism]
duration = 1
)");
  const Outcome held = shell("elodyn mechanism s.toml");
  EXPECT_EQ(held.exit_code, 3);
  EXPECT_NE(held.err.find("needs ever smaller steps at t = 0.000"), std::string::npos) << held.err;
  EXPECT_EQ(shell("elodyn mechanism s.toml --set force.push.force='\"-2.5 - 7.5*tanh(v/1e-3)\"'").exit_code, 0);
}

// A kink of the position is a shock without a finite force: the motion is found, the shock is said.
TEST(MechanismCommand, DriverWithAKink) {
  const Shell shell;
  shell.write("m.toml", kCrank);
  const auto run = [&](const std::string& position) {
    return shell("elodyn mechanism m.toml --set driver.crank.position='\"" + position + "\"'");
  };
  const Outcome kink = run("1 + 50*(t < 0.0213 ? t : 0.0213)");
  EXPECT_EQ(kink.exit_code, 0) << kink.err;
  EXPECT_NE(kink.err.find("driver `crank`: its speed jumps from 50 to 0 at t = 0.0213 s"), std::string::npos)
      << kink.err;
  EXPECT_EQ(run("1 + 0.02*tanh((t - 0.0213)/1e-4)").err.find("jumps"), std::string::npos);
}

TEST_F(BadMechanism, DeadPoint) {
  expect_failure(kCrank, "a singular position (dead point)",
                 "--set driver.crank.joint='\"guide\"' --set driver.crank.position='\"0.2 + 2*t\"'");
}

TEST_F(BadMechanism, ForceThatIsNoNumber) {
  expect_failure(dynamic() + "torque = \"10/w\"\n", "motor m is inf at t = 0 s, where joint O has x = ");
}

TEST_F(BadMechanism, FreeBodyWithoutMass) {
  expect_failure(
      without(dynamic(), "[joint.B]\nkind = \"revolute\"\na = \"rod.B\"\nb = \"piston.B\"\n") + "torque = 1\n",
      "body piston (joint guide) moves freely at t = 0 s without mass in that motion",
      "--set body.piston.rigid.mass=0");
}

// Said, and no mistake: it runs.
TEST(MechanismCommand, WarnsOfWhatDoesNothing) {
  const Shell shell;
  shell.write("m.toml", kCrank + "[motor.m]\njoint = \"O\"\ntorque = 3\n");
  const Outcome outcome = shell("elodyn mechanism m.toml");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("motor `m` acts on joint `O`, which driver `crank` moves"), std::string::npos)
      << outcome.err;
}

// Every kind of `elodyn new` runs; this one has an elastic rod between rigid bodies.
TEST(MechanismCommand, NewMechanism) {
  const Shell shell;
  EXPECT_EQ(shell("elodyn new mechanism > m.toml && elodyn mechanism m.toml").exit_code, 0);
  // Modes are frozen where the motion of the rod begins, since no time is given.
  for (const char* command : {"cycle", "periodic", "modes"})
    EXPECT_EQ(shell(std::string("elodyn ") + command + " m.toml").exit_code, 0) << command;
  const Outcome modes = shell("elodyn modes m.toml --set analysis.modes.time=0");
  EXPECT_EQ(modes.exit_code, 3);
  EXPECT_NE(modes.err.find("t = 0 s is not in the motion of its mechanism, from 3 to 4 s"), std::string::npos)
      << modes.err;
}

// A crank, an elastic rod and a slider: each link for itself and all together, from a file.
const std::string kElasticCrank = R"(schema = 1
[material.steel]
young = "210 GPa"
poisson = 0.3
density = "7800 kg/m^3"
[section.flat]
shape = "rectangle"
width = "3 mm"
height = "20 mm"
[ground]
points = { O = [0, 0, 0] }
[body.crank]
dimension = 2
rigid = { mass = 1, inertia = 0.01 }
points = { O = [0, 0, 0], A = [0.065, 0, 0] }
[body.rod]
element = "beam_euler_bernoulli"
dimension = 2
material = "steel"
section = "flat"
line = { from = [0, 0, 0], to = [0.4, 0, 0], elements = 4 }
pin = ["from"]
roller = [{ at = "to", normal = [0, 1, 0] }]
place = [0.065, 0, 0]
damping = { modal = [0.05, 0.05, 0.05, 0.05] }
motion = { kind = "mechanism" }
[body.slider]
dimension = 2
rigid = { mass = 0.5 }
points = { B = [0, 0, 0] }
place = [0.465, 0, 0]
[joint.O]
kind = "revolute"
a = "ground.O"
b = "crank.O"
[joint.A]
kind = "revolute"
a = "crank.A"
b = "rod.from"
[joint.B]
kind = "revolute"
a = "rod.to"
b = "slider.B"
[joint.guide]
kind = "prismatic"
a = "ground.O"
b = "slider.B"
axis = [1, 0, 0]
[driver.crank]
joint = "O"
position = "40*t"
[analysis.mechanism]
kind = "inverse"
duration = "157.07963267948966 ms"
[analysis.linkage]
count = 2
records = 24
tolerance = 1e-4
)";

TEST(MechanismCommand, LinksJoinedAndForThemselves) {
  const Shell shell;
  shell.write("c.toml", kElasticCrank);
  const Outcome joined = shell("elodyn linkage c.toml");
  EXPECT_EQ(joined.exit_code, 0) << joined.err;
  for (const char* text : {"Links joined", "largest_multiplier", "Largest force of each joint", "von_mises", "mode"})
    EXPECT_EQ(joined.out.find(text) == std::string::npos, text == std::string("von_mises")) << text << joined.out;
  const Outcome run = shell("elodyn run c.toml -o out --quiet");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* file : {"linkage_forces.csv", "linkage_motion.csv", "linkage_stress.csv", "linkage_cycle.csv"})
    EXPECT_TRUE(std::filesystem::exists(shell.dir() / "out" / file)) << file;
  const std::string settings = " --set analysis.cycle.count=2 --set analysis.periodic.records=24";
  EXPECT_EQ(shell("elodyn cycle c.toml" + settings).exit_code, 0);
  EXPECT_NE(shell("elodyn periodic c.toml" + settings).out.find("stress"), std::string::npos);
  const Outcome open = shell("elodyn linkage c.toml --set 'analysis.linkage.kind=\"transient\"'");
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_NE(open.err.find("of kind \"transient\" needs duration"), std::string::npos) << open.err;
  EXPECT_NE(open.err.find("of kind \"transient\" needs step"), std::string::npos) << open.err;
}

// The elastic crank, driven by a speed that is varied.
std::string make_swept_crank() {
  std::string text = kElasticCrank;
  const std::string driven = "position = \"40*t\"", turn = "157.07963267948966 ms";
  text.replace(text.find(driven), driven.size(), "speed = 40");
  text.replace(text.find(turn), turn.size(), "314.15926535897931 ms");
  return text +
         "[analysis.cycle]\ncount = 2\npoints = 8\n"
         "over = { key = \"driver.crank.speed\", from = 20, to = 60, count = 3 }\n";
}
std::vector<double> json_column(const Json& result, const std::string& table, const std::string& column) {
  for (const Json& t : result["tables"])
    for (const Json& c : t["columns"])
      if (t["name"] == table && c["name"] == column) return c["values"].get<std::vector<double>>();
  ADD_FAILURE() << table << " " << column;
  return {};
}

// Of a mechanism without gravity all forces go with the square of the speed, and squares of frequencies with the
// forces.
TEST(MechanismCommand, FrequenciesAgainstAngleAndSpeed) {
  const Shell shell;
  shell.write("c.toml", make_swept_crank());
  const Outcome swept = shell("elodyn cycle c.toml --json");
  ASSERT_EQ(swept.exit_code, 0) << swept.err;
  const Json all = Json::parse(swept.out);
  const std::vector<double> speed = json_column(all, "rod_cycle_over", "speed"),
                            rpm = json_column(all, "rod_cycle_over", "mean_speed"),
                            angle = json_column(all, "rod_cycle_over", "O_angle"),
                            hz = json_column(all, "rod_cycle_over", "f1");
  ASSERT_EQ(hz.size(), 27u);
  EXPECT_EQ(json_column(all, "cycle_over", "least").size(), 6u);
  for (size_t k = 0; k < 9; ++k) {
    EXPECT_EQ(speed[k], 20);
    EXPECT_NEAR(rpm[18 + k], 60 * 60 / (2 * M_PI), 1e-6);
    EXPECT_NEAR(std::remainder(angle[18 + k] - angle[k], 360), 0, 1e-6);
    const auto square = [&](size_t i) { return hz[i + k] * hz[i + k]; };
    // Coriolis forces move them by (ω/ω₁)² of the square itself, with an order more in the speed: 60 against 277 rad/s.
    const double slope = (square(18) - square(0)) / 3200;
    EXPECT_NEAR((square(9) - square(0)) / 1200, slope, 0.02 * 0.1);
  }
  const Json one = Json::parse(shell("elodyn cycle c.toml --json --set driver.crank.speed=60").out);
  const std::vector<double> alone = json_column(one, "rod_cycle", "f1");
  for (size_t k = 0; k < 9; ++k) EXPECT_EQ(alone[k], hz[18 + k]);
  const Outcome run = shell("elodyn run c.toml -o out --quiet");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(shell.dir() / "out" / "rod_cycle_over.csv"));
  // What is written reads back, the sweep with it.
  EXPECT_EQ(shell("elodyn check out/input.echo.toml").exit_code, 0);
}

TEST(MechanismCommand, SaysWhatIsWrongWithASweepOfCycles) {
  const Shell shell;
  const auto expect = [&](const std::string& over, const std::string& message) {
    std::string text = make_swept_crank();
    shell.write("c.toml", text.replace(text.find("over = {"), std::string::npos, "over = { " + over + " }\n"));
    const Outcome outcome = shell("elodyn check c.toml");
    EXPECT_EQ(outcome.exit_code, 2) << over;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << message << "\n" << outcome.err;
  };
  const std::string ends = ", from = 20, to = 60";
  expect("key = \"driver.crank.sped\"" + ends, "unknown key `sped`");
  expect("key = \"driver.crank.joint\"" + ends, "`driver.crank.joint` is \"O\", must be a number of the file");
  expect("key = \"analysis.cycle.count\"" + ends, "[analysis] says what is computed of it");
  expect("key = \"driver.crank.speed\", from = 60, to = 20", "to = 20, must be above from = 60");
  expect("key = \"driver.crank.speed\", label = \"mode\"" + ends, "`mode` is the name of another column");
  // A rod that is shorter than the crank stops it: that value is left out, and said.
  std::string text = make_swept_crank();
  shell.write("c.toml", text.replace(text.find("over = {"), std::string::npos,
                                     "over = { key = \"body.rod.line.to[0]\", from = 0.04, to = 0.4, count = 2 }\n"));
  const Outcome outcome = shell("elodyn cycle c.toml");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("cycle, to_0 = 0.04: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.out.find("Frequencies over a cycle for each value of to_0"), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace elodyn::test
