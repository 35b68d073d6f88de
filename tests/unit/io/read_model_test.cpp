#include "elodyn/io/read_model.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "tests/unit/io/sample_model.hpp"

namespace elodyn {
namespace {

// One mistake, put in place of a piece of the sample.
void expect_error(const std::string& from, const std::string& to, const std::string& message) {
  EXPECT_EQ(errors(changed(from, to)), message) << to;
}

TEST(ReadModel, sample) {
  const Model model = read_good(kSample);
  EXPECT_EQ(warnings(kSample), "");
  EXPECT_EQ(model.title, "Steel rod in a centrifugal field");
  EXPECT_EQ(model.materials[0].young, 2.1e11);
  EXPECT_EQ(model.sections[0].shape, Section::Shape::circle);
  const Body& rod = model.bodies[0];
  EXPECT_EQ(rod.name, "rod");
  EXPECT_EQ(rod.points.size(), 2u);
  EXPECT_EQ(rod.find_point("to")->x, Vec3(0.5, 0, 0));
  EXPECT_EQ(rod.members[0].name, "line");
  EXPECT_EQ(rod.members[0].elements.value, 20);
  EXPECT_EQ(rod.supports[0].kind, Support::Kind::clamp);
  EXPECT_EQ(rod.supports[0].at.value, "from");
  EXPECT_EQ(rod.motion.kind, Motion::Kind::spin);
  EXPECT_EQ(rod.motion.through, Vec3(-0.1, 0, 0));
  EXPECT_EQ(rod.motion.speed, 1000);
  EXPECT_EQ(model.modes->count, 9);
  EXPECT_FALSE(model.static_.has_value());
}

const std::string kEverything = R"toml(schema = 1
title = "All \"keys\""
gravity = [0, 0, "-9.81 m/s^2"]
formalism = "virtual_work"
[terms]
coriolis = false
euler = false
centrifugal_stiffness = false
centrifugal_load = false
geometric = false
rotary = false
origin_load = false
pull = "own_element"
[material.steel]
young = "30 Msi"
density = "490 lb/ft^3"
[section.c]
shape = "circle"
diameter = 0.01
[section.t]
shape = "tube"
diameter = "1 in"
inner_diameter = "20 mm"
[section.r]
shape = "rectangle"
width = "10 mm"
height = "20 mm"
[section.g]
shape = "general"
area = "1 cm^2"
Iy = "2 cm^4"
Iz = "3 cm^4"
J = "4 cm^4"
extreme_y = "5 mm"
extreme_z = "6 mm"
torsion_modulus = "7 cm^3"
shear_y = 0.4
shear_z = "80 %"
[body.a]
element = "beam_rayleigh"
degree = 5
axial_degree = 3
dimension = 2
material = "steel"
section = "c"
line = { from = [0, 0, 0], to = ["1 m", 0, 0], elements = 10 }
points = { M = [0.5, 0, 0], C = [0, 1, 0], D = [0, 2, 0] }
clamp = ["from"]
pin = ["M", "C"]
place = [1, 2, 3]
attitude = [0, 0, "90 deg"]
[body.a.member.up]
from = "from"
to = "C"
elements = 3
section = "t"
material = "steel"
[body.a.member.side]
from = "C"
to = "D"
elements = 3
section = "g"
[body.a.member.back]
from = "C"
to = "to"
elements = 3
section = "r"
[[body.a.roller]]
at = "D"
normal = [1, 1, 0]
[[body.a.spring]]
at = "to"
stiffness = ["1e5 N/m", 2, 0]
rotational_stiffness = [0, 0, "10 N*m/rad"]
damping = [1, "20 N*s/m", 0]
rotational_damping = [0, 0, "5 N*m*s/rad"]
[[body.a.mass]]
at = "to"
mass = "0.2 kg"
inertia = "3 kg*mm^2"
[[body.a.load]]
at = "to"
force = [1, 2, 0]
moment = [0, 0, 3]
[[body.a.load]]
on = "line"
force_per_length = [0, "-50 N/m", 0]
[body.a.damping]
mass = "0.5 1/s"
stiffness = "1e-5 s"
modal = [0.01, "2 %"]
[body.a.motion]
kind = "spin"
axis = [0, 0, -2]
through = [0.1, 0, 0]
speed = "140 rpm"
[analysis.modes]
count = 4
time = "0.1 s"
form = "canonical"
[analysis.static]
time = 2
stations = 9
[analysis.buckling]
count = 2
time = "10 ms"
vary = "inertia"
[analysis.simulate]
start = "1 s"
duration = "2 s"
step = "1 ms"
integrator = "gauss4"
initial = "static"
initial_mode = 2
initial_amplitude = "3 mm"
points = ["to"]
every = 10
)toml";

const std::string kPrescribed = R"toml(schema = 1
[material.steel]
young = 1
density = 1
[section.c]
shape = "circle"
diameter = 1
[body.a]
element = "beam_rayleigh"
dimension = 2
material = "steel"
section = "c"
line = { from = [0, 0, 0], to = [1, 0, 0], elements = 1 }
[body.a.motion]
kind = "prescribed"
acceleration = ["-20*cos(10*t)", "2*pi", 1.5]
angular_velocity = [0, 0, "3*t^2"]
angular_acceleration = [0, 0, "6*t"]
)toml";

TEST(ReadModel, every_key) {
  const Model model = read_good(kEverything);
  const Body& body = model.bodies[0];
  EXPECT_EQ(model.terms.pull, Terms::Pull::own_element);
  EXPECT_FALSE(model.terms.geometric);
  EXPECT_NEAR(model.sections[1].diameter, 0.0254, 1e-17);
  EXPECT_EQ(*model.sections[3].extreme_z, 6e-3);
  EXPECT_EQ(*model.sections[3].torsion_modulus, 7e-6);
  EXPECT_EQ(*model.sections[3].shear_y, 0.4);
  EXPECT_EQ(*model.sections[3].shear_z, 0.8);
  EXPECT_FALSE(model.sections[0].shear_y.has_value());
  ASSERT_EQ(body.members.size(), 4u);
  EXPECT_EQ(body.members[1].name, "up");  // in the order of the file
  EXPECT_EQ(body.members[3].section.value, "r");
  ASSERT_EQ(body.supports.size(), 4u);
  EXPECT_EQ(body.supports[3].normal, Vec3(1, 1, 0));
  EXPECT_EQ(body.springs[0].rotational_damping, Vec3(0, 0, 5));
  EXPECT_NEAR(body.masses[0].inertia, 3e-6, 1e-21);
  EXPECT_EQ(body.loads[1].on->value, "line");
  EXPECT_EQ(body.damping.modal, (std::vector<double>{0.01, 0.02}));
  EXPECT_NEAR(body.attitude.z(), std::numbers::pi / 2, 1e-15);
  EXPECT_EQ(model.static_->stations, 9);
  EXPECT_EQ(model.modes->form, ModesRequest::Form::canonical);
  ASSERT_TRUE(model.simulate);
  EXPECT_EQ(model.simulate->duration, 2);
  EXPECT_EQ(model.simulate->step, 0.001);
  EXPECT_EQ(model.simulate->integrator.value, "gauss4");
  EXPECT_EQ(model.simulate->initial, SimulateRequest::Initial::equilibrium);
  EXPECT_EQ(model.simulate->initial_mode, 2);
  EXPECT_EQ(model.simulate->initial_amplitude, 0.003);
  ASSERT_EQ(model.simulate->points.size(), 1u);
  EXPECT_EQ(model.simulate->every, 10);
  EXPECT_EQ(model.buckling->count, 2);
  EXPECT_EQ(model.buckling->time, 0.01);
  EXPECT_EQ(model.buckling->vary, BucklingRequest::Vary::inertia);
  const Model moving = read_good(kPrescribed);
  EXPECT_EQ(moving.bodies[0].motion.acceleration[1](0), 2 * std::numbers::pi);
  EXPECT_EQ((*moving.bodies[0].motion.angular_acceleration)[2](2), 12);
}

TEST(ReadModel, echo_reads_back_to_the_same_model) {
  for (const std::string& text : {kSample, kEverything, kPrescribed}) {
    const std::string echo = echo_toml(read_good(text));
    const Model again = read_good(echo);
    EXPECT_EQ(echo_toml(again), echo);
    // The echo could forget the same thing twice: its members are compared too.
    const Model model = read_good(text);
    ASSERT_EQ(again.bodies[0].members.size(), model.bodies[0].members.size());
    for (size_t i = 0; i < model.bodies[0].points.size(); ++i) {
      EXPECT_EQ(again.bodies[0].points[i].name, model.bodies[0].points[i].name);
      EXPECT_EQ(again.bodies[0].points[i].x, model.bodies[0].points[i].x);
    }
    EXPECT_EQ(again.bodies[0].supports.size(), model.bodies[0].supports.size());
    EXPECT_EQ(again.bodies[0].motion.speed, model.bodies[0].motion.speed);
    EXPECT_EQ(again.bodies[0].attitude, model.bodies[0].attitude);
    EXPECT_EQ(again.materials[0].density, model.materials[0].density);
  }
}

TEST(ReadModel, echo_shows_defaults) {
  const std::string echo = echo_toml(read_good(kSample));
  EXPECT_NE(echo.find("[body.rod]\nelement = \"beam_rayleigh\"\ndegree = 3  # default\naxial_degree = 1  # default\n"
                      "dimension = 2\n"),
            std::string::npos)
      << echo;
  EXPECT_NE(echo.find("line = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 20 }\n"), std::string::npos);
  EXPECT_NE(echo.find("\n[terms]\ncoriolis = true  # default\n"), std::string::npos);
  EXPECT_NE(echo.find("\n[analysis.modes]\ncount = 9\ntime = 0  # default\n"), std::string::npos);
  EXPECT_EQ(echo.find("static"), std::string::npos);
  EXPECT_EQ(echo.find("inner_diameter"), std::string::npos);
}

TEST(ReadModel, zero_length) {
  expect_error("to = [0.5, 0, 0]", "to = [0, 0, 0]",
               "rod.toml:20:1: error: member `line` of body `rod` has length 0 m, must be above 0\n"
               "  20 | line      = { from = [0, 0, 0], to = [0, 0, 0], elements = 20 }\n"
               "     | ^^^^\n"
               "  help: `from` and `to` are at (0, 0, 0) m\n");
}

TEST(ReadModel, zero_density) {
  expect_error("\"7800 kg/m^3\"", "0",
               "rod.toml:7:11: error: density = 0, must be above 0\n"
               "  7 | density = 0\n"
               "    |           ^\n");
  expect_error("\"7800 kg/m^3\"", "\"-1 g/cm^3\"",
               "rod.toml:7:11: error: density = \"-1 g/cm^3\", must be above 0\n"
               "  7 | density = \"-1 g/cm^3\"\n"
               "    |           ^^^^^^^^^^^\n");
}

TEST(ReadModel, unknown_section) {
  expect_error("section   = \"round\"", "section   = \"rond\"",
               "rod.toml:19:13: error: unknown section `rond`\n"
               "  19 | section   = \"rond\"\n"
               "     |             ^^^^^^\n"
               "  help: did you mean `round`?\n");
}

TEST(ReadModel, support_on_a_place_that_is_not_there) {
  expect_error("clamp     = [\"from\"]", "clamp     = [\"root\"]",
               "rod.toml:21:14: error: clamp at unknown point `root` of body `rod`\n"
               "  21 | clamp     = [\"root\"]\n"
               "     |              ^^^^^^\n"
               "  help: known: from, to\n");
  expect_error("clamp     = [\"from\"]", "clamp     = [\"M\"]\npoints = { M = [0.26, 0, 0] }",
               "rod.toml:21:14: error: clamp at point `M`, which is not on a node of the mesh\n"
               "  21 | clamp     = [\"M\"]\n"
               "     |              ^^^\n"
               "  help: it is at (0.26, 0, 0) m, the nearest node at (0.25, 0, 0) m\n");
}

TEST(ReadModel, number_of_elements) {
  expect_error("elements = 20", "elements = 0",
               "rod.toml:20:62: error: elements = 0, must be from 1 to 1000000\n"
               "  20 | line      = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 0 }\n"
               "     |                                                              ^\n");
  expect_error("elements = 20", "elements = 1000000000",
               "rod.toml:20:62: error: elements = 1000000000, must be from 1 to 1000000\n"
               "  20 | line      = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 1000000000 }\n"
               "     |                                                              ^^^^^^^^^^\n");
  expect_error("elements = 20", "elements = 20.0",
               "rod.toml:20:62: error: elements = 20, must be an integer\n"
               "  20 | line      = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 20.0 }\n"
               "     |                                                              ^^^^\n");
}

TEST(ReadModel, wrong_dimension) {
  expect_error(
      "\"1000 rad/s\"", "\"50 Hz\"",
      "rod.toml:27:11: error: speed = \"50 Hz\", must be an angular speed (rad/s), not a frequency or rate (1/s)\n"
      "  27 | speed   = \"50 Hz\"\n"
      "     |           ^^^^^^^\n"
      "  help: the radian counts as a unit, for example \"3000 rpm\"\n");
  expect_error("\"210 GPa\"", "\"210 kN\"",
               "rod.toml:5:11: error: young = \"210 kN\", must be a pressure (Pa), not a force (N)\n"
               "  5 | young   = \"210 kN\"\n"
               "    |           ^^^^^^^^\n"
               "  help: for example \"210 GPa\"\n");
  expect_error("\"210 GPa\"", "\"210\"",
               "rod.toml:5:11: error: young = \"210\", must have a unit: a pressure (Pa)\n"
               "  5 | young   = \"210\"\n"
               "    |           ^^^^^\n"
               "  help: for example \"210 GPa\"; a number without quotes is in Pa\n");
  expect_error("[0.5, 0, 0]", "[\"0.5 s\", 0, 0]",
               "rod.toml:20:39: error: to[x] = \"0.5 s\", must be a length (m), not a time (s)\n"
               "  20 | line      = { from = [0, 0, 0], to = [\"0.5 s\", 0, 0], elements = 20 }\n"
               "     |                                       ^^^^^^^\n"
               "  help: for example \"10 mm\"\n");
}

TEST(ReadModel, wrong_type) {
  expect_error("\"210 GPa\"", "true",
               "rod.toml:5:11: error: young = true, must be a pressure (Pa)\n"
               "  5 | young   = true\n"
               "    |           ^^^^\n"
               "  help: a number in SI or a text with its unit, for example \"210 GPa\"\n");
  expect_error("\"210 GPa\"", "inf",
               "rod.toml:5:11: error: young = inf, must be finite\n"
               "  5 | young   = inf\n"
               "    |           ^^^\n");
  expect_error("0.3", "nan",
               "rod.toml:6:11: error: poisson = nan, must be finite\n"
               "  6 | poisson = nan\n"
               "    |           ^^^\n");
  expect_error("[0, 0, 1]", "[0, 1]",
               "rod.toml:25:11: error: axis = [0, 1], must have 3 entries, not 2\n"
               "  25 | axis    = [0, 1]\n"
               "     |           ^^^^^^\n");
  expect_error("[0, 0, 1]", "\"z\"",
               "rod.toml:25:11: error: axis = \"z\", must be a list [x, y, z] of plain numbers\n"
               "  25 | axis    = \"z\"\n"
               "     |           ^^^\n");
  expect_error("[\"from\"]", "\"from\"",
               "rod.toml:21:13: error: clamp = \"from\", must be a list of names\n"
               "  21 | clamp     = \"from\"\n"
               "     |             ^^^^^^\n"
               "  help: for example clamp = [\"A\"]\n");
  expect_error("title = \"Steel rod in a centrifugal field\"", "title = 1979-05-27",
               "rod.toml:2:9: error: title = a date or time, must be a text in quotes\n"
               "  2 | title = 1979-05-27\n"
               "    |         ^^^^^^^^^^\n");
  expect_error("[body.rod.motion]\nkind    = \"spin\"", "[body.rod.motion]\nkind    = \"spinn\"",
               "rod.toml:24:11: error: kind = \"spinn\", must be rest, spin, prescribed, table or mechanism\n"
               "  24 | kind    = \"spinn\"\n"
               "     |           ^^^^^^^\n"
               "  help: did you mean `spin`?\n");
  expect_error("degree    = 3", "degree    = 4",
               "rod.toml:15:13: error: degree = 4, must be 3 or 5\n"
               "  15 | degree    = 4\n"
               "     |             ^\n");
  EXPECT_EQ(errors("schema = 1\nmaterial = 3\nsection = 4\nbody = []\nanalysis = 1\n"),
            "rod.toml:2:12: error: material = 3, must be a table of tables [material.NAME]\n"
            "  2 | material = 3\n"
            "    |            ^\n"
            "rod.toml:3:11: error: section = 4, must be a table of tables [section.NAME]\n"
            "  3 | section = 4\n"
            "    |           ^\n"
            "rod.toml:4:8: error: body = [], must be a table of tables [body.NAME]\n"
            "  4 | body = []\n"
            "    |        ^^\n"
            "rod.toml:5:12: error: analysis = 1, must be a table\n"
            "  5 | analysis = 1\n"
            "    |            ^\n");
}

TEST(ReadModel, wrong_lists) {
  EXPECT_EQ(errors(kSample + "[body.rod.load]\nat = \"to\"\n[body.rod.damping]\nmodal = [0.1, 1.5, \"1 m\"]\n"),
            "rod.toml:31:1: error: load = {…}, must be a list of tables\n"
            "  31 | [body.rod.load]\n"
            "     | ^^^^^^^^^^^^^^^\n"
            "  help: write [[body.rod.load]]\n"
            "rod.toml:34:15: error: modal entry 2 = 1.5, must be at least 0 and below 1\n"
            "  34 | modal = [0.1, 1.5, \"1 m\"]\n"
            "     |               ^^^\n"
            "rod.toml:34:20: error: modal entry 3 = \"1 m\", must be a plain number, not a length (m)\n"
            "  34 | modal = [0.1, 1.5, \"1 m\"]\n"
            "     |                    ^^^^^\n"
            "  help: for example 0.3\n");
  expect_error("[\"from\"]", "[\"from\", 3]",
               "rod.toml:21:22: error: clamp = 3, must be the name of a point, in quotes\n"
               "  21 | clamp     = [\"from\", 3]\n"
               "     |                      ^\n");
}

TEST(ReadModel, missing_keys_point_at_the_header) {
  expect_error("density = \"7800 kg/m^3\"\n", "",
               "rod.toml:4:1: error: missing key `density` in [material.steel]\n"
               "  4 | [material.steel]\n"
               "    | ^^^^^^^^^^^^^^^^\n"
               "  help: mass density, for example density = \"7800 kg/m^3\"\n");
  expect_error(", elements = 20", "",
               "rod.toml:20:13: error: missing key `elements` in [body.rod.line]\n"
               "  20 | line      = { from = [0, 0, 0], to = [0.5, 0, 0] }\n"
               "     |             ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
               "  help: number of equal elements, for example elements = 20\n");
  expect_error("speed   = \"1000 rad/s\"\n", "",
               "rod.toml:23:1: error: missing key `speed` in [body.rod.motion]\n"
               "  23 | [body.rod.motion]\n"
               "     | ^^^^^^^^^^^^^^^^^\n"
               "  help: constant angular speed, for example speed = \"1000 rad/s\"\n");
  EXPECT_EQ(errors(""),
            "rod.toml:1:1: error: missing key `schema` in the file\n"
            "  help: version of the file; the first key, for example schema = 1\n"
            "rod.toml:1:1: error: missing key `material` in the file\n"
            "  help: a material\n"
            "rod.toml:1:1: error: missing key `section` in the file\n"
            "  help: a cross-section\n"
            "rod.toml:1:1: error: missing key `body` in the file\n"
            "  help: a body in its moving frame\n");
}

TEST(ReadModel, unknown_keys) {
  expect_error("diameter = ", "diametre = ",
               "rod.toml:9:1: error: missing key `diameter` in [section.round]\n"
               "  9 | [section.round]\n"
               "    | ^^^^^^^^^^^^^^^\n"
               "  help: diameter; of a tube the outer one, for example diameter = \"10 mm\"\n"
               "rod.toml:11:1: error: unknown key `diametre` in [section.round]\n"
               "  11 | diametre = \"10 mm\"\n"
               "     | ^^^^^^^^\n"
               "  help: did you mean `diameter`?\n");
  expect_error(
      "[analysis.modes]", "[analysis.vibrate]",
      "rod.toml:29:11: error: unknown analysis `vibrate` in [analysis]\n"
      "  29 | [analysis.vibrate]\n"
      "     |           ^^^^^^^\n"
      "  help: known: modes, static, buckling, simulate, campbell, frf, reduction, stability, mechanism, floquet, "
      "cycle, linkage, periodic, measure, identify, spectra, modal, correlate\n");
  expect_error("[analysis.modes]\ncount", "[terms]\ncoriollis = true\n[analysis.modes]\ncount",
               "rod.toml:30:1: error: unknown key `coriollis` in [terms]\n"
               "  30 | coriollis = true\n"
               "     | ^^^^^^^^^\n"
               "  help: did you mean `coriolis`?\n");
}

TEST(ReadModel, keys_of_another_shape) {
  expect_error("diameter = \"10 mm\"", "diameter = \"10 mm\"\nwidth = 3",
               "rod.toml:12:1: error: `width` does not belong to shape = \"circle\", only to rectangle\n"
               "  12 | width = 3\n"
               "     | ^^^^^\n");
  expect_error("kind    = \"spin\"\n", "",
               "rod.toml:24:1: error: `axis` does not belong to kind = \"rest\", only to spin\n"
               "  24 | axis    = [0, 0, 1]\n"
               "     | ^^^^\n"
               "rod.toml:25:1: error: `through` does not belong to kind = \"rest\", only to spin\n"
               "  25 | through = [-0.1, 0, 0]\n"
               "     | ^^^^^^^\n"
               "rod.toml:26:1: error: `speed` does not belong to kind = \"rest\", only to spin\n"
               "  26 | speed   = \"1000 rad/s\"\n"
               "     | ^^^^^\n");
}

TEST(ReadModel, version) {
  EXPECT_EQ(errors("schema = 2\nnew_key = 1\n"),
            "rod.toml:1:10: error: schema = 2, must be 1: the file was written for a later version of this program\n"
            "  1 | schema = 2\n"
            "    |          ^\n"
            "  help: use a later version, or see docs/reference/input.md for the keys of this one\n");
  EXPECT_EQ(errors("schema = 0\n"),
            "rod.toml:1:10: error: schema = 0, must be 1: no version of this program has read such files\n"
            "  1 | schema = 0\n"
            "    |          ^\n"
            "  help: write `schema = 1` as the first key\n");
  expect_error("schema = 1\ntitle = \"Steel rod in a centrifugal field\"", "title = \"x\"\nschema = 1",
               "rod.toml:2:1: error: `schema` must be the first key\n"
               "  2 | schema = 1\n"
               "    | ^^^^^^\n"
               "  help: move it to the top of the file\n");
  expect_error("schema = 1", "schema = \"1\"",
               "rod.toml:1:10: error: schema = \"1\", must be an integer\n"
               "  1 | schema = \"1\"\n"
               "    |          ^^^\n");
}

std::string prescribed_error(const std::string& expression) {
  std::string text = kPrescribed;
  const size_t at = text.find("\"3*t^2\"");
  return errors(text.replace(at, 7, expression));
}

TEST(ReadModel, expressions_point_inside_the_text) {
  const std::string help = "  help: an expression of t in SI, for example \"10*sin(2*pi*t)\"\n";
  EXPECT_EQ(prescribed_error("\"3*sinn(t)\""),
            "rod.toml:17:30: error: angular_velocity[z] = \"3*sinn(t)\", unexpected token \"sinn\"\n"
            "  17 | angular_velocity = [0, 0, \"3*sinn(t)\"]\n"
            "     |                              ^\n" +
                help);
  EXPECT_EQ(prescribed_error("\"t=3\""),
            "rod.toml:17:29: error: angular_velocity[z] = \"t=3\", `=` assigns, `==` compares\n"
            "  17 | angular_velocity = [0, 0, \"t=3\"]\n"
            "     |                             ^\n" +
                help);
  EXPECT_EQ(prescribed_error("\"1, t\""),
            "rod.toml:17:29: error: angular_velocity[z] = \"1, t\", a comma outside of a function\n"
            "  17 | angular_velocity = [0, 0, \"1, t\"]\n"
            "     |                             ^\n" +
                help);
  EXPECT_EQ(prescribed_error("\"5 µm\""),
            "rod.toml:17:30: error: angular_velocity[z] = \"5 µm\", unexpected character\n"
            "  17 | angular_velocity = [0, 0, \"5 µm\"]\n"
            "     |                              ^\n" +
                help);
  EXPECT_EQ(prescribed_error("\"1/0\""),
            "rod.toml:17:27: error: angular_velocity[z] = \"1/0\", must be finite\n"
            "  17 | angular_velocity = [0, 0, \"1/0\"]\n"
            "     |                           ^^^^^\n");
  EXPECT_NE(prescribed_error("\"" + std::string(2000, '(') + "\""), "");
  EXPECT_NE(prescribed_error("\"\""), "");
  EXPECT_NE(prescribed_error("true"), "");
}

TEST(ReadModel, names_are_plain_words) {
  expect_error("[material.steel]", "[material.\"../steel\"]",
               "rod.toml:4:11: error: \"../steel\" as the name of a material, must be letters a to z, digits, _ and -, "
               "at most 64\n"
               "  4 | [material.\"../steel\"]\n"
               "    |           ^^^^^^^^^^\n"
               "rod.toml:18:13: error: unknown material `steel`\n"
               "  18 | material  = \"steel\"\n"
               "     |             ^^^^^^^\n"
               "  help: known: ../steel\n");
}

TEST(ReadModel, all_mistakes_in_one_run_in_the_order_of_the_file) {
  std::string text = kSample;
  const auto change = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  change("\"7800 kg/m^3\"", "-1");
  change("element   = \"beam_rayleigh\"", "element   = \"beam_raleigh\"");
  change("material  = \"steel\"", "material  = \"stell\"");
  change("elements = 20", "elements = -5");
  change("\"1000 rad/s\"", "\"50 Hz\"");
  change("count = 9", "count = 0\ncuont = 3");
  const std::string all = errors(text);
  std::vector<std::string> heads;
  for (size_t at = all.find("rod.toml:"); at != all.npos; at = all.find("rod.toml:", at + 1))
    heads.push_back(all.substr(at, all.find('\n', at) - at));
  EXPECT_EQ(heads, (std::vector<std::string>{
                       "rod.toml:7:11: error: density = -1, must be above 0",
                       "rod.toml:14:13: error: unknown element `beam_raleigh`",
                       "rod.toml:18:13: error: unknown material `stell`",
                       "rod.toml:20:62: error: elements = -5, must be from 1 to 1000000",
                       "rod.toml:27:11: error: speed = \"50 Hz\", must be an angular speed (rad/s), not a frequency or "
                       "rate (1/s)",
                       "rod.toml:30:9: error: count = 0, must be from 1 to 1000000",
                       "rod.toml:31:1: error: unknown key `cuont` in [analysis.modes]"}));
}

TEST(ReadModel, thousands_of_mistakes_end) {
  std::string text = "schema = 1\n";
  for (int i = 0; i < 20000; ++i) text += "key" + std::to_string(i) + " = 1\n";
  Diagnostics diagnostics;
  EXPECT_FALSE(read_model("f.toml", text, sample_options(), diagnostics).has_value());
  EXPECT_LE(diagnostics.n_errors(), 201);
  EXPECT_NE(diagnostics.format_all(Severity::error).find("too many errors"), std::string::npos);
}

std::string load_error(const std::string& path) {
  Diagnostics diagnostics;
  try {
    load_model(path, sample_options(), diagnostics);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LoadModel, reasons_of_the_system) {
  EXPECT_EQ(load_error("/no/such/model.toml"),
            "/no/such/model.toml: error: cannot read the file: No such file or directory\n");
  const auto dir = std::filesystem::temp_directory_path();
  EXPECT_EQ(load_error(dir.string()), dir.string() + ": error: cannot read the file: Is a directory\n");
}

class LoadModelFile : public ::testing::Test {
 protected:
  std::string write(const std::string& text) {
    std::ofstream(path_, std::ios::binary) << text;
    return path_;
  }
  void TearDown() override { std::remove(path_.c_str()); }
  std::string path_ = ::testing::TempDir() + "elodyn_load_model_" +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml";
};

TEST_F(LoadModelFile, good) {
  Diagnostics diagnostics;
  EXPECT_EQ(load_model(write(kSample), sample_options(), diagnostics).bodies.size(), 1u);
}

TEST_F(LoadModelFile, windows_line_ends_and_byte_order_mark) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : kSample) text += c == '\n' ? "\r\n" : std::string(1, c);
  Diagnostics diagnostics;
  EXPECT_EQ(load_model(write(text), sample_options(), diagnostics).bodies.size(), 1u);
}

TEST_F(LoadModelFile, not_utf8) {
  const std::string path = write(
      "schema = 1\ntitle = \"St\xe4"
      "b\"\n");
  EXPECT_EQ(load_error(path), path +
                                  ":2:12: error: not UTF-8 text\n  2 | title = \"St\xe4"
                                  "b\"\n    |            ^\n"
                                  "  help: save the file with the encoding UTF-8\n");
}

TEST_F(LoadModelFile, too_large) {
  const std::string path = write(std::string((size_t{64} << 20) + 1, '#'));
  EXPECT_EQ(load_error(path), path + ": error: cannot read the file: it is larger than 64 MB\n");
}

}  // namespace
}  // namespace elodyn
