// Messages about hinges, offsets, rigid links, springs between points and to the ground, tensors, tapers, temperature.
#include "tests/unit/io/sample_model.hpp"

namespace elodyn {
namespace {

// Lines 1 to 29; what a test adds starts at line 30.
std::string structure(int dimension, const std::string& more, const std::string& up = "", const std::string& top = "") {
  return "schema = 1\n[material.steel]\nyoung = \"210 GPa\"\npoisson = 0.3\ndensity = \"7800 kg/m^3\"\n"
         "[section.round]\nshape = \"circle\"\ndiameter = \"10 mm\"\n"
         "[section.bar]\nshape = \"rectangle\"\nwidth = 0.01\nheight = 0.02\n"
         "[body.frame]\nelement = \"beam_rayleigh\"\ndimension = " +
         std::to_string(dimension) +
         "\nmaterial = \"steel\"\nsection = \"round\"\n"
         "points = { A = [0, 0, 0], B = [0, 1, 0], C = [1, 1, 0], B2 = [0, 1, 0], D = [1, 2, 0] }\nclamp = [\"A\"]\n"
         "[body.frame.member.up]\nfrom = \"A\"\nto = \"B\"\nelements = 4\n" +
         up + "\n[body.frame.member.top]\nfrom = \"B\"\nto = \"C\"\nelements = 2\n" + top + "\n" + more;
}
std::string add(const std::string& table, const std::string& keys) {
  return "[[body.frame." + table + "]]\n" + keys + "\n";
}
const std::string kSpin = "[body.frame.motion]\nkind = \"spin\"\nspeed = 10\n";

// "line:column text" of each error, without the file's name.
std::string said(const std::string& text) {
  std::string out;
  std::istringstream lines(errors(text));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("rod.toml:")) out += line.substr(9) + "\n";
  return out;
}

TEST(ValidateStructures, GoodOnes) {
  for (const int dimension : {2, 3}) {
    EXPECT_EQ(said(structure(dimension, "")), "");
    EXPECT_EQ(said(structure(dimension, "", "release_to = [\"rz\"]", "offset_to = [0, 0.1, 0]")), "");
    EXPECT_EQ(
        said(structure(dimension, add("link", "from = \"C\"\nto = [\"D\"]") + add("mass", "at = \"D\"\nmass = 1"))),
        "");
    EXPECT_EQ(said(structure(dimension, add("spring", "at = \"A\"\nto = \"C\"\naxial_stiffness = 10"))), "");
    EXPECT_EQ(said(structure(dimension, add("load", "on = \"top\"\nmoment_per_length = [0, 0, 1]"))), "");
  }
}

TEST(ValidateStructures, Releases) {
  EXPECT_EQ(said(structure(3, "", "release_to = [\"rq\", \"u\"]")),
            "24:15: error: unknown rotation `rq`, must be rx, ry or rz\n"
            "24:21: error: unknown rotation `u`, must be rx, ry or rz\n");
  EXPECT_EQ(said(structure(2, "", "release_to = [\"rz\", \"ry\"]")),
            "24:21: error: `ry` is held in a body of dimension 2, only rz can be released\n");
}

// A node that some members turn with and none holds about one axis.
// Where all members are hinged about one axis the node's own rotation means nothing: the system holds it.
TEST(ValidateStructures, HingesOfAllMembers) {
  const std::string all = "[\"rx\", \"ry\", \"rz\"]";
  EXPECT_EQ(said(structure(3, "", "", "release_to = [\"rz\"]")), "");
  EXPECT_EQ(said(structure(3, "", "release_to = [\"rz\"]", "release_from = [\"rz\"]")), "");
  EXPECT_EQ(said(structure(3, "", "release_to = [\"rx\"]", "release_from = [\"rz\"]")), "");
  EXPECT_EQ(said(structure(3, "", "release_to = " + all, "release_from = " + all)), "");
}

TEST(ValidateStructures, MomentAtAHinge) {
  const std::string moment = add("load", "at = \"B2\"\nmoment = [0, 0, 1]"), hinge = "release_to = [\"rz\"]";
  EXPECT_EQ(said(structure(2, moment, hinge)), "");
  EXPECT_EQ(said(structure(2, moment, hinge, "release_from = [\"rz\"]")),
            "32:10: error: a moment at point `B2`, where all members are hinged: it turns none of them\n");
  EXPECT_EQ(said(structure(2, moment + add("spring", "at = \"B\"\nrotational_stiffness = [0, 0, 5]"), hinge,
                           "release_from = [\"rz\"]")),
            "");
}

TEST(ValidateStructures, Offsets) {
  EXPECT_EQ(said(structure(2, "", "offset_from = [0, 0, 0.1]\noffset_to = [0, 0, 0.2]")),
            "24:15: error: offset_from[z] = 0.1, must be 0 in a body of dimension 2\n"
            "25:13: error: offset_to[z] = 0.2, must be 0 in a body of dimension 2\n");
  EXPECT_EQ(said(structure(3, "", "offset_from = [0, 1, 0]")),
            "20:20: error: member `up` of body `frame` has length 0 m, must be above 0\n");
  // An end on an offset is the member's own node, whatever lies there.
  EXPECT_EQ(said(structure(2, add("mass", "at = \"D\"\nmass = 1"), "", "offset_to = [0, 1, 0]")),
            "31:6: error: mass at point `D`, which is not on a node of the mesh\n");
  const std::string apart = "[body.frame.member.apart]\nfrom = \"D\"\nto = \"E\"\nelements = 2\n";
  std::string text = structure(2, apart, "", "offset_to = [0, 1, 0]");
  text.replace(text.find("D = [1, 2, 0]"), 13, "D = [1, 2, 0], E = [2, 2, 0]");
  EXPECT_EQ(said(text), "30:20: error: member `apart` touches nowhere what member `up` is part of\n");
}

TEST(ValidateStructures, Orientation) {
  EXPECT_EQ(said(structure(2, "", "orientation = [0, 0, 1]")),
            "24:15: error: `orientation` belongs to a body of dimension 3: in the plane z is across it\n");
  EXPECT_EQ(said(structure(3, "", "orientation = [0, 0, 0]")),
            "24:15: error: orientation has length 0, must be above 0\n");
  EXPECT_EQ(said(structure(3, "", "orientation = [0, -2, 0]")),
            "24:15: error: orientation is along member `up`, must be across it\n");
}

TEST(ValidateStructures, Tapers) {
  EXPECT_EQ(said(structure(2, "", "section_to = \"rund\"")), "24:14: error: unknown section `rund`\n");
  EXPECT_EQ(
      said(structure(2, "", "section_to = \"bar\"")),
      "24:14: error: section_to = `bar` has another shape than `section` = `round`, a taper must keep the shape\n");
}

TEST(ValidateStructures, Links) {
  const auto link = [](const std::string& from, const std::string& to) {
    return add("link", "from = \"" + from + "\"\nto = [" + to + "]");
  };
  EXPECT_EQ(said(structure(2, link("C", ""))), "30:1: error: a link without points in `to`\n");
  EXPECT_EQ(said(structure(2, link("C", "\"X\""))), "32:7: error: link at unknown point `X` of body `frame`\n");
  EXPECT_EQ(said(structure(2, link("B", "\"B2\""))),
            "32:7: error: a link from point `B` to a point at the same place\n");
  EXPECT_EQ(said(structure(2, link("C", "\"D\"") + link("B", "\"D\""))),
            "35:7: error: point `D` is carried by two links, must be by one\n");
  EXPECT_EQ(said(structure(2, link("C", "\"B\"") + link("A", "\"B2\""))),
            "35:7: error: point `B2` is carried by two links, must be by one\n");
  EXPECT_EQ(said(structure(2, link("C", "\"A\""))),
            "19:10: error: a support at point `A`, which a rigid link carries\n");
  // The circle closes over two names of one place.
  EXPECT_EQ(said(structure(2, link("C", "\"B\"") + link("B2", "\"D\"") + link("D", "\"C\""))),
            "34:8: error: links go round in a circle through point `B2`\n");
}

TEST(ValidateStructures, SpringsBetweenPoints) {
  EXPECT_EQ(said(structure(
                2, add("spring", "at = \"C\"\naxial_stiffness = 1") + add("spring", "at = \"C\"\naxial_damping = 1"))),
            "32:19: error: an axial spring without `to`, must have both ends\n"
            "35:17: error: an axial spring without `to`, must have both ends\n");
  EXPECT_EQ(said(structure(2, add("spring", "at = \"C\"\nto = \"A\"\nother = \"ground\"\nstiffness = [1, 0, 0]"))),
            "33:9: error: a spring has `to` and `other`, must have one of them\n");
  EXPECT_EQ(said(structure(2, add("spring", "at = \"C\"\nto = \"C\"\nstiffness = [1, 0, 0]"))),
            "32:6: error: a spring from point `C` to itself\n");
  EXPECT_EQ(said(structure(2, add("spring", "at = \"B\"\nto = \"B2\"\nstiffness = [1, 0, 0]"))),
            "32:6: error: a spring between points `B` and `B2` at one place\n");
  EXPECT_EQ(said(structure(2, add("spring", "at = \"C\"\nto = \"X\"\nstiffness = [1, 0, 0]"))),
            "32:6: error: spring at unknown point `X` of body `frame`\n");
}

TEST(ValidateStructures, SpringsToTheGround) {
  const auto ground = [](const std::string& keys, const std::string& at = "A") {
    return add("spring", "at = \"" + at + "\"\nother = \"ground\"\n" + keys);
  };
  EXPECT_EQ(said(structure(2, ground("stiffness = [1, 1, 0]\ndamping = [2, 2, 0]") + kSpin)), "");
  EXPECT_EQ(said(structure(2, ground("stiffness = [1, 2, 0]", "C"))), "");  // at rest the ground is the frame
  const std::string near = "through = [1e-13, 0, 0]\n";
  EXPECT_EQ(said(structure(2, ground("stiffness = [1, 1, 0]") + kSpin + near)), "");
  EXPECT_EQ(said(structure(2, ground("stiffness = [1, 1, 0]", "C") + kSpin)),
            "32:9: error: a spring to the ground at point `C`, which is not on the axis of spin\n");
  EXPECT_EQ(
      said(structure(2, ground("stiffness = [1, 2, 0]\ndamping = [1, 0, 0]") + kSpin)),
      "33:13: error: stiffness of a spring to the ground is not the same in all directions across the axis of spin\n"
      "34:11: error: damping of a spring to the ground is not the same in all directions across the axis of spin\n");
  EXPECT_EQ(said(structure(3, ground("rotational_stiffness = [1, 2, 0]\nrotational_damping = [1, 2, 0]") + kSpin)),
            "33:24: error: rotational_stiffness of a spring to the ground is not the same in all directions across the "
            "axis of spin\n"
            "34:22: error: rotational_damping of a spring to the ground is not the same in all directions across the "
            "axis of spin\n");
  EXPECT_EQ(
      said(structure(2, ground("rotational_stiffness = [0, 0, 1]\nrotational_damping = [0, 0, 1]") + kSpin)),
      "33:24: error: rotational_stiffness to the ground about the axis of spin is wound up by the spin, must be 0\n"
      "34:22: error: rotational_damping to the ground about the axis of spin brakes the drive, must be 0\n");
  EXPECT_EQ(said(structure(2, ground("stiffness = [1, 1, 0]") +
                                  "[body.frame.motion]\nkind = \"prescribed\"\nangular_velocity = [0, 0, 1]\n")),
            "32:9: error: a spring to the ground on a body in prescribed motion, must be to the frame\n");
}

TEST(ValidateStructures, InertiaTensors) {
  const auto mass = [](const std::string& keys) { return add("mass", "at = \"C\"\n" + keys); };
  EXPECT_EQ(said(structure(3, mass("inertia_tensor = [1.5, 1, 1, 0.1, 0, 0]"))), "");
  EXPECT_EQ(said(structure(3, mass("mass = 1\ninertia = 2"))),
            "33:11: error: `inertia` belongs to a body of dimension 2\n");
  EXPECT_EQ(said(structure(2, mass("inertia_tensor = [2, 1, 1, 0, 0, 0]"))),
            "32:18: error: `inertia_tensor` belongs to a body of dimension 3\n");
  EXPECT_EQ(said(structure(3, mass("inertia_tensor = [2, 1, 1]"))),
            "32:18: error: inertia_tensor has 3 entries, must have 6\n");
  const std::string no_body =
      "32:18: error: inertia_tensor is that of no real body: a principal moment exceeds the sum of the other two\n";
  EXPECT_EQ(said(structure(3, mass("inertia_tensor = [3, 1, 1, 0, 0, 0]"))), no_body);
  EXPECT_EQ(said(structure(3, mass("inertia_tensor = [1, 1, 1, 2, 0, 0]"))), no_body);
  EXPECT_EQ(said(structure(3, mass("inertia_tensor = [-1, 1, 1, 0, 0, 0]"))), no_body);
}

TEST(ValidateStructures, Loads) {
  EXPECT_EQ(said(structure(2, add("load", "on = \"top\"\ntemperature = 10"))),
            "31:6: error: a temperature on member `top`, but material `steel` has no `expansion`\n");
  std::string hot = structure(2, add("load", "on = \"top\"\ngradient_z = 10"));
  hot.replace(hot.find("poisson = 0.3"), 13, "poisson = 0.3\nexpansion = 1e-5");
  EXPECT_EQ(said(hot), "33:14: error: gradient_z does nothing in a body of dimension 2, must be left out\n");
  EXPECT_EQ(said(structure(2, add("load", "on = \"top\"\nmoment_per_length = [1, 0, 1]"))),
            "32:21: error: moment_per_length[x] = 1, must be 0 in a body of dimension 2\n");
  EXPECT_EQ(
      said(structure(2, add("load", "at = \"C\"\nmoment_per_length = [0, 0, 1]\ntemperature = 3\ngradient_y = 1"))),
      "32:21: error: `moment_per_length` belongs to a load with `on`, not `at`\n"
      "33:15: error: `temperature` belongs to a load with `on`, not `at`\n"
      "34:14: error: `gradient_y` belongs to a load with `on`, not `at`\n");
  EXPECT_EQ(said(structure(2, add("load", "on = \"top\""))),
            "30:1: error: a load on a member has nothing to do, must have `force_per_length`, `moment_per_length`, "
            "`temperature` or a gradient\n");
}

TEST(ValidateStructures, AllMistakesInOneRun) {
  const std::string many = structure(
      3,
      add("link", "from = \"C\"\nto = [\"X\"]") + add("spring", "at = \"B\"\nto = \"B2\"\nstiffness = [1, 1, 1]") +
          add("mass", "at = \"C\"\ninertia_tensor = [9, 1, 1, 0, 0, 0]") + add("load", "on = \"top\"\ntemperature = 4"),
      "release_to = [\"rw\"]", "section_to = \"bar\"\norientation = [1, 0, 0]");
  EXPECT_EQ(
      said(many),
      "24:15: error: unknown rotation `rw`, must be rx, ry or rz\n"
      "29:14: error: section_to = `bar` has another shape than `section` = `round`, a taper must keep the shape\n"
      "30:15: error: orientation is along member `top`, must be across it\n"
      "33:7: error: link at unknown point `X` of body `frame`\n"
      "36:6: error: a spring between points `B` and `B2` at one place\n"
      "40:18: error: inertia_tensor is that of no real body: a principal moment exceeds the sum of the other two\n"
      "42:6: error: a temperature on member `top`, but material `steel` has no `expansion`\n");
}

// Everything that this file is about, read, echoed and read again.
TEST(ValidateStructures, EchoOfTheNewKeys) {
  std::string text = structure(
      3,
      add("link", "from = \"C\"\nto = [\"D\"]") +
          add("spring",
              "at = \"A\"\nto = \"D\"\nstiffness = [1, 2, 3]\nrotational_stiffness = [4, 5, 6]\n"
              "damping = [7, 8, 9]\nrotational_damping = [10, 11, 12]\naxial_stiffness = 13\naxial_damping = 14") +
          add("spring", "at = \"A\"\nother = \"ground\"\nstiffness = [1, 1, 2]") +
          add("mass", "at = \"D\"\nmass = 3\ninertia_tensor = [2, 1.5, 1, 0.1, 0.2, 0.3]") +
          add("load", "on = \"up\"\nmoment_per_length = [1, 2, 3]\ntemperature = 20\ngradient_y = 5\ngradient_z = -6"),
      "release_from = [\"rz\", \"rx\"]\noffset_from = [0.1, 0, 0]\noffset_to = [0, \"50 mm\", 0.2]\norientation = [1, "
      "0, 1]",
      "section_to = \"thin\"\nrelease_from = [\"ry\"]");
  text.replace(text.find("poisson = 0.3"), 13, "poisson = 0.3\nexpansion = \"1.2e-5 1/K\"");
  text += "[section.thin]\nshape = \"circle\"\ndiameter = 0.004\n";
  const Model model = read_good(text);
  const std::string echo = echo_toml(model);
  const Model again = read_good(echo);
  EXPECT_EQ(echo_toml(again), echo);
  for (const Model& m : {model, again}) {
    EXPECT_EQ(m.materials[0].expansion, 1.2e-5);
    const Body& b = m.bodies[0];
    const Member &up = b.members[0], &top = b.members[1];
    EXPECT_EQ(up.release_from.axis, (std::array{true, false, true}));
    EXPECT_FALSE(up.release_to.any());
    EXPECT_EQ(up.offset_from, Vec3(0.1, 0, 0));
    EXPECT_EQ(up.offset_to, Vec3(0, 0.05, 0.2));
    ASSERT_TRUE(up.orientation.has_value());
    EXPECT_EQ(*up.orientation, Vec3(1, 0, 1));
    EXPECT_EQ(top.section_to.value, "thin");
    EXPECT_EQ(top.release_from.axis, (std::array{false, true, false}));
    ASSERT_EQ(b.links.size(), 1u);
    EXPECT_EQ(b.links[0].from.value, "C");
    EXPECT_EQ(b.links[0].to[0].value, "D");
    ASSERT_EQ(b.springs.size(), 2u);
    const Spring& s = b.springs[0];
    ASSERT_TRUE(s.to.has_value());
    EXPECT_EQ(s.to->value, "D");
    EXPECT_EQ(s.stiffness, Vec3(1, 2, 3));
    EXPECT_EQ(s.rotational_stiffness, Vec3(4, 5, 6));
    EXPECT_EQ(s.damping, Vec3(7, 8, 9));
    EXPECT_EQ(s.rotational_damping, Vec3(10, 11, 12));
    EXPECT_EQ(s.axial_stiffness, 13);
    EXPECT_EQ(s.axial_damping, 14);
    EXPECT_EQ(b.springs[1].other, Spring::Other::ground);
    EXPECT_FALSE(b.springs[1].to.has_value());
    EXPECT_EQ(b.masses[0].inertia_tensor, (std::vector<double>{2, 1.5, 1, 0.1, 0.2, 0.3}));
    EXPECT_EQ(b.masses[0].calc_inertia()(0, 2), 0.3);
    EXPECT_EQ(b.masses[0].calc_inertia()(2, 1), 0.2);
    EXPECT_EQ(b.loads[0].moment_per_length, Vec3(1, 2, 3));
    EXPECT_EQ(b.loads[0].temperature, 20);
    EXPECT_EQ(b.loads[0].gradient_y, 5);
    EXPECT_EQ(b.loads[0].gradient_z, -6);
  }
}

// A member that looks like the one of `line` but says more is not echoed as a line.
TEST(ValidateStructures, EchoOfAMemberNamedLine) {
  const std::string line = "line      = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 20 }\n";
  for (const std::string more :
       {"offset_to = [0, 0.1, 0]", "release_from = [\"rz\"]", "section_to = \"round\"", "elements = 20"}) {
    std::string text = changed(line, "points = { from = [0, 0, 0], to = [0.5, 0, 0] }\n");
    text += "[body.rod.member.line]\nfrom = \"from\"\nto = \"to\"\n" + more + "\n";
    if (more != "elements = 20") text += "elements = 20\n";
    const Member again = read_good(echo_toml(read_good(text))).bodies[0].members.at(0);
    EXPECT_EQ(again.offset_to[1], more.starts_with("offset") ? 0.1 : 0);
    EXPECT_EQ(again.release_from.any(), more.starts_with("release"));
    EXPECT_EQ(again.section_to.value, more.starts_with("section") ? "round" : "");
  }
}

}  // namespace
}  // namespace elodyn
