// What is wrong with a mechanism is said, all of it in one run.
#include "tests/unit/io/sample_mechanism.hpp"

namespace elodyn {
namespace {

// One mistake, put in place of a piece of the slider-crank; the message with its place.
void expect_error(const std::string& from, const std::string& to, const std::string& message,
                  std::vector<std::string> settings = {}) {
  const std::string text = errors(crank_with(from, to), std::move(settings));
  EXPECT_NE(text.find("error: " + message), text.npos) << to << "\n" << text;
}
void expect_only(const std::string& from, const std::string& to, const std::string& message) {
  const std::string text = errors(crank_with(from, to));
  EXPECT_NE(text.find("error: " + message), text.npos) << to << "\n" << text;
  EXPECT_EQ(text.find("error: "), text.rfind("error: ")) << to << "\n" << text;
}

TEST(ValidateMechanism, names) {
  EXPECT_EQ(errors(crank_with("b = \"crank.O\"", "b = \"crnak.O\"")),
            "rod.toml:23:5: error: unknown body `crnak` in \"crnak.O\"\n"
            "  23 | b = \"crnak.O\"\n"
            "     |     ^^^^^^^^^\n"
            "  help: did you mean `crank`?\n");
  expect_only("b = \"rod.A\"", "b = \"rod.a\"", "body `rod` has no point `a`");
  expect_only("a = \"ground.O\"", "a = \"ground.P\"", "the ground has no point `P`");
  expect_only("a = \"crank.A\"", "a = \"crank\"", "a = \"crank\", must be a body and a point of it, BODY.POINT");
  expect_only("b = \"rod.A\"", "b = \"crank.O\"", "joint `A` joins body `crank` to itself");
  expect_only("[motor.drive]\njoint = \"O\"", "[motor.drive]\njoint = \"OO\"", "unknown joint `OO`");
  expect_error("[body.rod]", "[body.ground]", "a body is named `ground`, which is what never moves");
}

TEST(ValidateMechanism, all_mistakes_at_once) {
  std::string text = crank_with("b = \"rod.A\"", "b = \"rod.a\"");
  text = with(text, "axis = [1, 0, 0]\n", "axis = [0, 0, 0]\n");
  text = with(text, "stiffness = \"10 N/m\"", "stiffness = \"10 N*m/rad\"");
  text = with(text, "joint = \"guide\"", "joint = \"gide\"");
  const std::string said = errors(text);
  for (const char* message :
       {"body `rod` has no point `a`", "axis has length 0, must be above 0",
        "stiffness is a rotational stiffness (N*m/rad), must be a stiffness or force per length (N/m)",
        "unknown joint `gide`", "did you mean `guide`?"})
    EXPECT_NE(said.find(message), said.npos) << message << "\n" << said;
}

TEST(ValidateMechanism, joints_in_the_plane) {
  expect_only("kind = \"revolute\"", "kind = \"spherical\"", "kind = \"spherical\" has no meaning in the plane");
  expect_only("axis = [1, 0, 0]\n", "", "joint `guide` has no `axis`, needed by a prismatic joint");
  expect_only("axis = [1, 0, 0]\n", "axis = [1, 0, 1]\n", "axis[z] = 1, must be 0 in the plane");
  expect_only("kind = \"revolute\"", "kind = \"revolute\"\naxis = [0, 0, 1]",
              "`axis` does not belong to a revolute joint in the plane");
  expect_only("points = { O = [0, 0, 0], A = [\"60 mm\", 0, 0] }",
              "points = { O = [0, 0, 0.1], A = [\"60 mm\", 0, 0] }", "point `O` has z = 0.1 m, must be 0 in the plane");
  expect_only("place = [0.06, 0, 0]", "place = [0.06, 0, 1]", "place[z] = 1 m, must be 0 for a mechanism in the plane");
  expect_only("place = [0.06, 0, 0]", "attitude = [1, 0, 0]", "attitude must be along z for a mechanism in the plane");
  expect_only("dimension = 2\nrigid = { mass = 0.5 }", "dimension = 3\nrigid = { mass = 0.5 }",
              "body `piston` has dimension 3 and body `crank` 2, must be the same for all bodies of a mechanism");
}

TEST(ValidateMechanism, starts_and_friction) {
  const std::string O = "b = \"crank.O\"";
  expect_only(O, O + "\nposition = \"10 mm\"", "position is a length (m), must be an angle (rad)");
  expect_only(O, O + "\nspeed = \"50 Hz\"", "speed is a frequency or rate (1/s), must be an angular speed (rad/s)");
  expect_only(O, O + "\nposition = 1\n[driver.d]\njoint = \"O\"\nposition = \"t\"",
              "`position` of joint `O`, which driver `d` moves");
  expect_only("radius = \"5 mm\", ", "", "coulomb of a joint that turns needs `radius`, that of the pin");
  expect_only(", smoothing = \"0.01 rad/s\"", "", "coulomb needs `smoothing`");
  expect_only("\"5 N*s/m\"", "\"5 N*m*s/rad\"",
              "viscous is a rotational damping constant (N*m*s/rad), must be a damping constant (N*s/m)");
  expect_only("{ viscous = \"5 N*s/m\" }", "{ viscous = -1 }", "viscous = -1, must be at least 0");
  expect_only("{ viscous = \"5 N*s/m\" }", "{ }", "friction without coulomb and viscous, must have one of them");
}

TEST(ValidateMechanism, rigid_bodies) {
  expect_error("rigid = { mass = 0.5 }", "rigid = { mass = -0.5 }", "mass = -0.5, must be at least 0");
  expect_only("rigid = { mass = 0.5 }", "rigid = { mass = 0.5 }\nelement = \"beam_rayleigh\"",
              "body `piston` has `element` and `rigid`, must have one of them");
  expect_only("rigid = { mass = 0.5 }", "rigid = { mass = 0.5 }\nclamp = [\"B\"]",
              "`clamp` does not belong to a rigid body");
  expect_only("rigid = { mass = 0.5 }", "rigid = { mass = 0.5, inertia_tensor = [1, 1, 1, 0, 0, 0] }",
              "`inertia_tensor` belongs to a body of dimension 3");
  const std::string free_body =
      "schema = 1\n[body.b]\ndimension = 3\nrigid = { mass = 1, inertia_tensor = [1, 1, 3, 0, 0, 0] }\n"
      "[analysis.mechanism]\nduration = 1\n";
  EXPECT_NE(errors(free_body).find("a principal moment exceeds the sum of the other two"), std::string::npos);
  EXPECT_EQ(errors(with(free_body, "[1, 1, 3,", "[1, 1, 2,")), "");
  EXPECT_NE(errors(with(free_body, "inertia_tensor = [1, 1, 3, 0, 0, 0]", "inertia = 1"))
                .find("`inertia` belongs to a body of dimension 2"),
            std::string::npos);
  expect_only("[joint.B]\nkind = \"revolute\"\na = \"rod.B\"\nb = \"piston.B\"\n",
              "[body.lost]\ndimension = 2\nrigid = { mass = 1 }\n",
              "no joint connects body `lost` with another one or the ground");
}

TEST(ValidateMechanism, what_drives) {
  const std::string motor = "torque = \"4*(1 - w/40)\"";
  expect_only(motor, "",
              "motor `drive` has none of `torque`, `speeds` with `torques`, and `file`, must have one of them");
  expect_only(motor, motor + "\nspeeds = [0]\ntorques = [1]", "motor `drive` has several of");
  expect_only(motor, "speeds = [0, 1]\ntorques = [1]",
              "motor `drive` has 2 speeds and 1 torques, must have as many of both");
  expect_only(motor, "speeds = [1, 0]\ntorques = [1, 2]", "speeds entry 2 = 0, must be above the one before, 1");
  expect_only(motor, "speeds = [\"0 m/s\", \"1 m/s\"]\ntorques = [1, 2]",
              "speeds entry 1 is a speed (m/s), must be an angular speed (rad/s)");
  expect_only("joint = \"O\"", "joint = \"O\"\ncoordinate = 2", "joint `O` (revolute) has 1 coordinate, not 2");
  expect_only(motor, "torque = \"4*(1 - omega/40)\"", "torque = \"4*(1 - omega/40)\", unexpected token \"omega\"");
  EXPECT_NE(errors(crank_with(motor, "torque = \"omega\"")).find("(time, the joint's coordinate x, its speed v or w)"),
            std::string::npos);
  const std::string driver = "[driver.d]\njoint = \"O\"\n";
  EXPECT_NE(warnings(crank_with("[force.gas]", driver + "position = \"t\"\n[force.gas]"))
                .find("motor `drive` acts on joint `O`, which driver `d` moves"),
            std::string::npos);
  expect_only("[force.gas]", driver + "[force.gas]",
              "driver `d` has none of `position`, `speed` and `file`, must have one of them");
  expect_only("[force.gas]", driver + "position = \"t^2\"\nspeed = \"3*t\"\n[force.gas]",
              "speed = 0.03702 at t = 0.01234 s");
  expect_only("[force.gas]", driver + "speed = \"t\"\n[force.gas]",
              "speed of driver `d`, which has no `position`, must be a number");
  expect_only("[force.gas]", driver + "position = \"1/t\"\n[force.gas]", "position = inf at t = 0 s, must be finite");
  expect_only("[force.gas]", driver + "position = \"t\"\n[driver.e]\njoint = \"O\"\nposition = \"2*t\"\n[force.gas]",
              "joint `O` is driven by `d` and `e`, must be by one of them");
  expect_only("[force.gas]", "[gear.g]\njoints = [\"O\", \"O\"]\nratio = 1\n[force.gas]",
              "gear `g` connects joint `O` with itself");
  expect_only("[force.gas]", "[gear.g]\njoints = [\"O\"]\nratio = 1\n[force.gas]", "joints has 1 entries, must have 2");
}

TEST(ValidateMechanism, what_loads) {
  const std::string force = "joint = \"guide\"\nforce = \"v > 0 ? -20 : -60\"";
  expect_only(force, "force = 1", "force `gas` has neither `joint` nor `at`, must have one of them");
  expect_only(force, "joint = \"guide\"", "force `gas` has no `force`");
  expect_only(force, "at = \"rod.A\"", "force `gas` has neither `components` nor `moment`, must have one of them");
  expect_only(force, "at = \"rod.A\"\ncomponents = [0, 0, 1]", "components[z] must be 0 in the plane");
  expect_only(force, "at = \"rod.A\"\nmoment = [0, \"t\", 1]", "moment[x] and moment[y] must be 0 in the plane");
  expect_only(force, "at = \"ground.O\"\ncomponents = [0, 1, 0]", "force `gas` acts on the ground, which never moves");
  expect_only("b = \"piston.B\"\nstiffness", "stiffness", "spring `return` has `a` but no `b`, must have both ends");
  expect_only("b = \"piston.B\"\nstiffness", "b = \"ground.O\"\nstiffness",
              "spring `return` has both ends in the ground");
  expect_only("stiffness = \"10 N/m\"\n", "", "spring `return` without stiffness and damping, must have one of them");
  expect_only("stiffness = \"10 N/m\"", "stiffness = -1", "stiffness = -1, must be at least 0");
}

TEST(ValidateMechanism, request) {
  expect_only("records = 20", "kind = \"kinematic\"",
              "kind = \"kinematic\" needs a driver for every freedom, and there is none");
  expect_only("records = 20", "[analysis.mechanism.event.e]\njoint = \"guide\"\nvalue = \"90 deg\"",
              "value is an angle (rad), must be a length (m)");
  expect_error("records = 20", "[analysis.modes]",
               "modes needs an elastic body, and all bodies of the model are rigid");
  expect_error("[analysis.mechanism]\nduration = \"0.1 s\"\nrecords = 20", "",
               "all bodies are rigid, and nothing is asked for that they take part in");
}

const std::string kElastic = R"toml([material.steel]
young = 2e11
density = 7800
[section.round]
shape = "circle"
diameter = 0.01
[body.rod]
element = "beam_rayleigh"
dimension = 2
material = "steel"
section = "round"
line = { from = [0, 0, 0], to = [0.25, 0, 0], elements = 4 }
)toml";

// An elastic link beside rigid ones: what needs a mesh takes it alone.
TEST(ValidateMechanism, elastic_bodies) {
  std::string text = crank_with(
      "[body.rod]\ndimension = 2\nrigid = { mass = 0.6, center = [0.125, 0, 0], inertia = 0.003 }\n"
      "points = { A = [0, 0, 0], B = [0.25, 0, 0] }\n",
      kElastic);
  text = with(text, "b = \"rod.A\"", "b = \"rod.from\"");
  text = with(text, "a = \"rod.B\"", "a = \"rod.to\"");
  EXPECT_EQ(errors(text + "[analysis.modes]\n[analysis.frf]\nfrequencies = { to = 10 }\n"
                          "[[analysis.frf.excitation]]\nat = \"to\"\nforce = [0, 1, 0]\n"),
            "");
  EXPECT_NE(errors(text + "[analysis.frf]\nbody = \"crank\"\nfrequencies = { to = 10 }\n"
                          "[[analysis.frf.excitation]]\nat = \"A\"\nforce = [0, 1, 0]\n")
                .find("body `crank` is rigid, [analysis.frf] needs an elastic one"),
            std::string::npos);
  EXPECT_NE(errors(with(text, "elements = 4 }\n", "elements = 4 }\nmotion = { kind = \"spin\", speed = 1 }\n"))
                .find("body `rod` has a motion of its own, must have none in a mechanism"),
            std::string::npos);
  // Supports choose the frame of a link: a pin and a roller do, a clamp and a roller hold too much.
  const std::string link =
      "elements = 4 }\nmotion = { kind = \"mechanism\" }\nroller = [{ at = \"to\", normal = [0, 1, 0] }]\n";
  EXPECT_EQ(warnings(with(text, "elements = 4 }\n", link + "pin = [\"from\"]\n")), "");
  EXPECT_NE(warnings(with(text, "elements = 4 }\n", link + "clamp = [\"from\"]\n"))
                .find("the supports of body `rod` hold 4 motions, its rigid motion has 3"),
            std::string::npos);
  EXPECT_NE(errors(text + "[analysis.cycle]\n")
                .find("[analysis.cycle] needs period: body `rod` neither spins nor moves with the mechanism"),
            std::string::npos);
  EXPECT_NE(warnings(with(text, "elements = 4 }\n", "elements = 4 }\nload = [{ at = \"to\", force = [0, 1, 0] }]\n"))
                .find("loads of body `rod` do nothing in [analysis.mechanism]"),
            std::string::npos);
}

}  // namespace
}  // namespace elodyn
