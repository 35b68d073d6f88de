// Mechanisms in the input file: what is read, echoed, and taken from tables.
#include <map>

#include "tests/unit/io/sample_mechanism.hpp"

#include "elodyn/io/new_model.hpp"

namespace elodyn {
namespace {

TEST(ReadMechanism, sample) {
  EXPECT_EQ(warnings(kSliderCrank), "");
  const Model model = read_good(kSliderCrank);
  ASSERT_EQ(model.bodies.size(), 3u);
  const Body& crank = model.bodies[0];
  EXPECT_TRUE(crank.is_rigid());
  EXPECT_EQ(crank.calc_mass_properties().mass, 2);
  EXPECT_EQ(crank.calc_mass_properties().center, Vec3(0.01, 0, 0));
  EXPECT_EQ(crank.calc_mass_properties().inertia(2, 2), 0.02);
  EXPECT_EQ(model.ground_points[0].name, "O");
  ASSERT_EQ(model.joints.size(), 4u);
  EXPECT_EQ(model.joints[1].kind, Joint::Kind::revolute);
  EXPECT_EQ(model.joints[1].a.value, "crank.A");
  EXPECT_EQ(model.joints[1].friction->radius, 0.005);
  EXPECT_EQ(model.joints[1].friction->smoothing->value, 0.01);
  EXPECT_EQ(*model.joints[3].axis, Vec3(1, 0, 0));
  EXPECT_EQ(model.joints[3].friction->viscous->value, 5);
  const std::vector<double> values = {0, 0, 0, 20};
  EXPECT_EQ((*model.motors[0].torque)(values), 2);
  EXPECT_EQ((*model.forces[0].force)(values), -60);
  EXPECT_EQ(model.springs[0].stiffness->value, 10);
  EXPECT_EQ(model.mechanism->kind, MechanismRequest::Kind::dynamic);
  EXPECT_EQ(model.mechanism->duration, 0.1);
  EXPECT_EQ(model.asked(), std::vector<std::string>{"mechanism"});
  EXPECT_FALSE(model.has_elastic_body());
}

const std::string kEverything = R"toml(schema = 1
[ground]
points = { O = [0, 0, 0], P = [0, 1, 0] }
[body.a]
dimension = 3
rigid = { mass = 1, center = [0, 0, 0.1], inertia_tensor = [2, 2, 3, 0.1, 0, 0] }
points = { P = [0, 0, 0], Q = [1, 0, 0] }
[body.b]
dimension = 3
rigid = { mass = 1, inertia_tensor = [1, 1, 1, 0, 0, 0] }
points = { P = [0, 0, 0], Q = [1, 0, 0] }
[joint.first]
kind = "cylindrical"
a = "ground.O"
b = "a.P"
axis = [0, 0, 2]
axis_b = [0, 1, 0]
reference = [1, 0, 0]
reference_b = [0, 0, 1]
position = "20 mm"
speed = "1 m/s"
position_2 = "30 deg"
speed_2 = "60 rpm"
friction = { coulomb = 0.2, smoothing = "1 mm/s", viscous = 3 }
[joint.second]
kind = "revolute"
a = "a.Q"
b = "b.P"
axis = [0, 0, 1]
[joint.third]
kind = "rolling"
a = "ground.P"
b = "b.Q"
axis = [0, 0, 1]
axis_b = [1, 0, 0]
radius = "0.3 m"
[gear.pair]
joints = ["first", "second"]
coordinate_1 = 2
ratio = -2.5
[driver.turn]
joint = "second"
position = "sin(3*t)"
speed = "3*cos(3*t)"
acceleration = "-9*sin(3*t)"
[motor.curve]
joint = "first"
coordinate = 2
speeds = ["0 rpm", "60 rpm"]
torques = ["1 N*m", "0 N*m"]
[force.push]
at = "b.Q"
components = [0, "t", 1]
moment = [0, 0, 0.5]
[spring.between]
a = "a.Q"
b = "ground.P"
stiffness = "3 N/mm"
damping = 2
[spring.turn]
joint = "second"
stiffness = "3 N*m/rad"
free_length = "10 deg"
[analysis.mechanism]
kind = "dynamic"
start = 1
duration = 2
records = 30
tolerance = 1e-6
formalism = "gibbs_appell"
[analysis.mechanism.event.half]
joint = "first"
coordinate = 2
of = "speed"
value = "30 rpm"
direction = "falling"
stop = true
)toml";

TEST(ReadMechanism, every_key) {
  const Model model = read_good(kEverything);
  const Joint& first = model.joints[0];
  EXPECT_EQ(first.kind, Joint::Kind::cylindrical);
  EXPECT_EQ(first.position->value, 0.02);
  EXPECT_NEAR(first.speed_2->value, 2 * M_PI, 1e-14);
  EXPECT_EQ(*first.axis_b, Vec3(0, 1, 0));
  EXPECT_EQ(*first.reference_b, Vec3(0, 0, 1));
  EXPECT_EQ(model.joints[2].radius, 0.3);
  EXPECT_EQ(model.gears[0].joints[1].value, "second");
  EXPECT_EQ(model.gears[0].coordinate_1, 2);
  EXPECT_EQ(model.gears[0].ratio, -2.5);
  EXPECT_EQ((*model.drivers[0].acceleration)(0.0), 0);
  EXPECT_NEAR(model.motors[0].speeds[1], 2 * M_PI, 1e-14);
  EXPECT_EQ(model.motors[0].torques[0], 1);
  EXPECT_EQ((*model.forces[0].components)[1](2.0), 2);
  EXPECT_EQ(model.springs[0].stiffness->value, 3000);
  EXPECT_EQ(model.mechanism->formalism, MechanismRequest::Formalism::gibbs_appell);
  const MechanismEvent& event = model.mechanism->events[0];
  EXPECT_EQ(event.name, "half");
  EXPECT_EQ(event.of, MechanismEvent::Of::speed);
  EXPECT_EQ(event.direction, MechanismEvent::Direction::falling);
  EXPECT_TRUE(event.stop);
  EXPECT_NEAR(event.value.value, M_PI, 1e-14);
}

// The echo is read back to the same model: its own echo is the same text.
TEST(ReadMechanism, echo_reads_back) {
  for (const std::string& text : {std::string(kSliderCrank), kEverything, new_model("mechanism")}) {
    const std::string echo = echo_toml(read_good(text));
    EXPECT_EQ(echo_toml(read_good(echo)), echo);
  }
  const std::string echo = echo_toml(read_good(kSliderCrank));
  EXPECT_NE(echo.find("rigid = { mass = 2, center = [0.01, 0, 0], inertia = 0.02, inertia_tensor = [] }"), echo.npos)
      << echo;
  EXPECT_NE(echo.find("free_length = \"0.2 m\""), echo.npos) << echo;
  EXPECT_EQ(echo_toml(read_good(kSample)).find("ground"), std::string::npos);
}

TEST(ReadMechanism, settings) {
  const Model model = read_good(kSliderCrank, {"body.crank.rigid.mass=\"3 kg\"", "joint.O.speed=\"60 rpm\"",
                                               "analysis.mechanism.formalism=\"maggi\""});
  EXPECT_EQ(*model.bodies[0].mass, 3);
  EXPECT_NEAR(model.joints[0].speed->value, 2 * M_PI, 1e-14);
  EXPECT_EQ(model.mechanism->formalism, MechanismRequest::Formalism::maggi);
}

TEST(ReadMechanism, mistakes_of_keys) {
  EXPECT_EQ(errors(crank_with("\"4*(1 - w/40)\"", "\"4*(1 - u/40)\"")),
            "rod.toml:41:18: error: torque = \"4*(1 - u/40)\", unexpected token \"u\"\n"
            "  41 | torque = \"4*(1 - u/40)\"\n"
            "     |                  ^\n"
            "  help: an expression of t, x, v, w in SI (time, the joint's coordinate x, its speed v or w), for example "
            "\"12*(1 - w/17.5)\"\n");
  EXPECT_NE(errors(crank_with("torque = \"4*(1 - w/40)\"", "speeds = [\"0 rpm\", 3]\ntorques = [1, 0]"))
                .find("speeds entry 2 = 3, must have the unit of entry 1"),
            std::string::npos);
  EXPECT_NE(errors(crank_with("kind = \"prismatic\"", "kind = \"prismatik\"")).find("did you mean `prismatic`?"),
            std::string::npos);
  EXPECT_NE(errors(crank_with("dimension = 2\nrigid", "rigid")).find("missing key `dimension` in [body.crank]"),
            std::string::npos);
  EXPECT_NE(errors(crank_with("rigid = { mass = 0.5 }", "")).find("missing key `element` in [body.piston]"),
            std::string::npos);
  EXPECT_NE(errors(crank_with("axis = [1, 0, 0]", "axis = [1, 0, 0]\nradius = 1"))
                .find("`radius` does not belong to kind = \"prismatic\", only to rolling"),
            std::string::npos);
}

// ---- tables ----
std::string messages_with_files(const std::string& text, const std::map<std::string, std::string>& files,
                                Model* out = nullptr) {
  Diagnostics diagnostics;
  ReadOptions options = sample_options();
  options.read_file = [&](const std::string& path, size_t) -> FileText {
    const auto it = files.find(path);
    return it == files.end() ? FileText{"", "No such file or directory"} : FileText{it->second, ""};
  };
  const auto model = read_model("rod.toml", text, options, diagnostics);
  if (model && out) *out = *model;
  return diagnostics.format_all(Severity::error);
}

const std::string kWithTables = crank_with("torque = \"4*(1 - w/40)\"", "file = \"motor.csv\"") +
                                "[driver.d]\njoint = \"A\"\nfile = \"angle.csv\"\n";

TEST(ReadMechanism, tables) {
  Model model;
  EXPECT_EQ(messages_with_files(
                kWithTables,
                {{"motor.csv", "torque,speed\n4,0\n0,40\n"}, {"angle.csv", "t,position\n0,0\n0.05,1\n0.1,2\n0.2,4\n"}},
                &model),
            "");
  EXPECT_EQ(model.motors[0].speeds, (std::vector<double>{0, 40}));
  EXPECT_EQ(model.motors[0].torques, (std::vector<double>{4, 0}));
  EXPECT_NEAR((*model.drivers[0].table)(0.15), 3, 1e-14);
  const std::string echo = echo_toml(model);
  EXPECT_NE(echo.find("file = \"motor.csv\""), echo.npos);
  EXPECT_EQ(echo.find("speeds"), echo.npos);
  const Model moved = move_files(model, "models", "models/out");
  EXPECT_EQ(moved.motors[0].file, "../motor.csv");
  EXPECT_EQ(moved.drivers[0].file, "../angle.csv");
}

TEST(ReadMechanism, mistakes_of_tables) {
  const std::string text = messages_with_files(kWithTables, {{"motor.csv", "torqe,speed\n4,2\n0,1\n"}});
  EXPECT_NE(text.find("motor.csv:1:1: error: unknown column `torqe`"), text.npos) << text;
  EXPECT_NE(text.find("did you mean `torque`?"), text.npos) << text;
  EXPECT_NE(text.find("missing column `torque`"), text.npos) << text;
  EXPECT_NE(text.find("motor.csv:3:3: error: speed = 1, must be above 2 of line 2"), text.npos) << text;
  EXPECT_NE(text.find("file = \"angle.csv\", cannot be read: No such file or directory"), text.npos) << text;
  const std::string few =
      messages_with_files(kWithTables, {{"motor.csv", "torque,speed\n4,0\n"}, {"angle.csv", "t,position\n0,0\n1,1\n"}});
  EXPECT_NE(few.find("angle.csv:1:1: error: the table has 2 rows below its header, must have at least 4"), few.npos)
      << few;
  const std::string ends = messages_with_files(
      kWithTables, {{"motor.csv", "torque,speed\n4,0\n"}, {"angle.csv", "t,position\n0,0\n0.01,1\n0.02,2\n0.03,3\n"}});
  EXPECT_NE(ends.find("goes from 0 to 0.03 s, must contain all of [analysis.mechanism], from 0 to 0.1 s"), ends.npos)
      << ends;
}

}  // namespace
}  // namespace elodyn
