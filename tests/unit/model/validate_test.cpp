#include "elodyn/model/validate.hpp"

#include <cmath>

#include "tests/unit/io/sample_model.hpp"

namespace elodyn {
namespace {

// The head only: the first line of each message.
std::string heads(const std::string& all) {
  std::string out;
  std::istringstream lines(all);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("rod.toml:")) out += line + "\n";
  return out;
}

const std::string kFrame = R"toml(schema = 1
[material.steel]
young = "210 GPa"
density = "7800 kg/m^3"
[section.round]
shape = "circle"
diameter = "10 mm"
[body.frame]
element = "beam_rayleigh"
dimension = 2
material = "steel"
section = "round"
points = { A = [0, 0, 0], B = [0, 1, 0], C = [1, 1, 0] }
clamp = ["A"]
[body.frame.member.up]
from = "A"
to = "B"
elements = 4
[body.frame.member.top]
from = "B"
to = "C"
elements = 3
)toml";

std::string frame(const std::string& from, const std::string& to) {
  std::string text = kFrame;
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}
std::string with(const std::string& more) { return kFrame + more; }

TEST(Validate, frame_is_good) {
  EXPECT_EQ(errors(kFrame), "");
  EXPECT_EQ(warnings(kFrame), "");
}

TEST(Validate, unknown_names) {
  EXPECT_EQ(heads(errors(frame("material = \"steel\"", "material = \"alu\""))),
            "rod.toml:11:12: error: unknown material `alu`\n");
  EXPECT_EQ(errors(frame("to = \"C\"", "to = \"c\"")),
            "rod.toml:21:6: error: unknown point `c`\n"
            "  21 | to = \"c\"\n"
            "     |      ^^^\n"
            "  help: known: A, B, C\n");
  EXPECT_EQ(heads(errors(frame("elements = 4", "elements = 4\nsection = \"rund\"\nmaterial = \"stel\""))),
            "rod.toml:19:11: error: unknown section `rund`\nrod.toml:20:12: error: unknown material `stel`\n");
  EXPECT_EQ(errors(with("[[body.frame.load]]\non = \"tip\"\nforce_per_length = [0, 1, 0]\n")),
            "rod.toml:24:6: error: load on unknown member `tip` of body `frame`\n"
            "  24 | on = \"tip\"\n"
            "     |      ^^^^^\n"
            "  help: did you mean `top`?\n");
  EXPECT_EQ(heads(errors(with("[[body.frame.mass]]\nat = \"D\"\nmass = 1\n"))),
            "rod.toml:24:6: error: mass at unknown point `D` of body `frame`\n");
  EXPECT_EQ(errors(frame("schema = 1\n", "schema = 1\nformalism = \"virtual_wrk\"\n")),
            "rod.toml:2:13: error: unknown formalism `virtual_wrk`\n"
            "  2 | formalism = \"virtual_wrk\"\n"
            "    |             ^^^^^^^^^^^^^\n"
            "  help: did you mean `virtual_work`?\n");
}

TEST(Validate, parts_that_touch_nowhere) {
  const std::string far = "points = { A = [0, 0, 0], B = [0, 1, 0], C = [1, 1, 0], D = [3, 1, 0] }";
  const std::string points = "points = { A = [0, 0, 0], B = [0, 1, 0], C = [1, 1, 0] }";
  std::string text = frame(points, far);
  const std::string apart = "[body.frame.member.apart]\nfrom = \"C\"\nto = \"D\"\nelements = 1\n";
  EXPECT_EQ(errors(text + apart), "");  // joined in C
  text.replace(text.find("from = \"B\"\nto = \"C\""), 19, "from = \"B\"\nto = \"A2\"");
  text.replace(text.find(far), far.size(),
               "points = { A = [0, 0, 0], A2 = [1, 0.5, 0], B = [0, 1, 0], C = [1, 1, 0], D = [3, 1, 0] }");
  EXPECT_EQ(errors(text + apart),
            "rod.toml:23:20: error: member `apart` touches nowhere what member `up` is part of\n"
            "  23 | [body.frame.member.apart]\n"
            "     |                    ^^^^^\n"
            "  help: parts of a body meet in nodes; a separate part is a body of its own\n");
  // Members that cross in a node of both are joined there; elsewhere they pass each other.
  const std::string crossing =
      frame(points, "points = { A = [0, 0, 0], B = [0, 1, 0], C = [1, 1, 0], D = [-1, 0.5, 0], E = [1, 0.5, 0] }");
  const std::string across = "[body.frame.member.across]\nfrom = \"D\"\nto = \"E\"\nelements = ";
  EXPECT_EQ(errors(crossing + across + "2\n"), "");
  EXPECT_EQ(heads(errors(crossing + across + "3\n")),
            "rod.toml:23:20: error: member `across` touches nowhere what member `up` is part of\n");
}

TEST(Validate, elements_too_short_for_the_body) {
  std::string text = frame("C = [1, 1, 0]", "C = [1e-3, 1, 0]");
  text.replace(text.find("elements = 3"), 12, "elements = 1000000");
  EXPECT_EQ(heads(errors(text)),
            "rod.toml:22:12: error: elements = 1000000 makes elements of 1e-09 m, too short in a body of "
            "1.000000499999875 m\n");
}

TEST(Validate, names_of_other_layers_are_checked_only_if_given) {
  Diagnostics diagnostics;
  std::string text = frame("beam_rayleigh", "anything");
  EXPECT_TRUE(read_model("rod.toml", text, {}, diagnostics).has_value());
}

TEST(Validate, geometry) {
  EXPECT_EQ(errors(frame("C = [1, 1, 0]", "C = [0, 1, 0]")),
            "rod.toml:19:20: error: member `top` of body `frame` has length 0 m, must be above 0\n"
            "  19 | [body.frame.member.top]\n"
            "     |                    ^^^\n"
            "  help: `B` and `C` are at (0, 1, 0) m\n");
  EXPECT_EQ(errors(frame("C = [1, 1, 0]", "C = [1, 1, 0.5]")),
            "rod.toml:13:42: error: point `C` has z = 0.5 m, must be 0 in a body of dimension 2\n"
            "  13 | points = { A = [0, 0, 0], B = [0, 1, 0], C = [1, 1, 0.5] }\n"
            "     |                                          ^\n");
  EXPECT_EQ(heads(errors(with("[body.frame.member.again]\nfrom = \"B\"\nto = \"A\"\nelements = 1\n"))),
            "rod.toml:23:20: error: member `again` lies on member `up`: both have the same ends\n");
  EXPECT_EQ(heads(errors(frame("C = [1, 1, 0]", "C = [1e200, 1, 0]"))),
            "rod.toml:19:20: error: member `top` is too long for a number\n");
  EXPECT_EQ(errors(frame(kFrame.substr(kFrame.find("[body.frame.member.up]")), "")),
            "rod.toml:8:7: error: body `frame` has no members\n"
            "  8 | [body.frame]\n"
            "    |       ^^^^^\n"
            "  help: give `line`, or `points` and [body.frame.member.NAME]\n");
  EXPECT_EQ(heads(errors(changed("clamp     = [\"from\"]", "clamp     = [\"from\"]\npoints = { to = [0, 0, 0] }"))),
            "rod.toml:22:12: error: point `to` is already made by `line`\n");
}

TEST(Validate, material_and_section_for_every_member) {
  EXPECT_EQ(errors(frame("material = \"steel\"\n", "")),
            "rod.toml:14:20: error: no material for member `up` of body `frame`\n"
            "  14 | [body.frame.member.up]\n"
            "     |                    ^^\n"
            "  help: give `material` in [body.frame] or in the member\n");
}

TEST(Validate, dimension) {
  EXPECT_EQ(errors(frame("dimension = 2", "dimension = 3")),
            "rod.toml:2:11: error: material `steel` has no `poisson`, needed by a body of dimension 3\n"
            "  2 | [material.steel]\n"
            "    |           ^^^^^\n");
}

TEST(Validate, tube) {
  EXPECT_EQ(errors(frame("shape = \"circle\"\ndiameter = \"10 mm\"",
                         "shape = \"tube\"\ndiameter = \"10 mm\"\ninner_diameter = \"10 mm\"")),
            "rod.toml:8:18: error: inner_diameter = 0.01 m, must be below diameter = 0.01 m\n"
            "  8 | inner_diameter = \"10 mm\"\n"
            "    |                  ^^^^^^^\n");
}

TEST(Validate, optional_keys_of_sections) {
  const std::string diameter = "diameter = \"10 mm\"";
  EXPECT_EQ(errors(frame(diameter, diameter + "\nshear_y = 0.9\nshear_z = 1.5")), "");
  EXPECT_EQ(heads(errors(frame(diameter, diameter + "\nshear_y = 0\nshear_z = 1.6"))),
            "rod.toml:8:11: error: shear_y = 0, must be above 0 and at most 1.5\n"
            "rod.toml:9:11: error: shear_z = 1.6, must be above 0 and at most 1.5\n");
  EXPECT_EQ(heads(errors(frame(diameter, diameter + "\ntorsion_modulus = 1e-6"))),
            "rod.toml:8:1: error: `torsion_modulus` does not belong to shape = \"circle\", only to general\n");
  // A model made in code has not met the schema.
  Model model;
  Section section;
  section.name = "any";
  section.shape = Section::Shape::general;
  section.area = section.Iz = 1;
  section.extreme_z = -1;
  section.torsion_modulus = 0;
  section.shear_y = 2;
  section.shear_z = std::nan("");
  model.sections = {section};
  Diagnostics diagnostics;
  validate(model, {}, diagnostics);
  std::vector<std::string> texts;
  for (const Diagnostic& diagnostic : diagnostics.all()) texts.push_back(diagnostic.text);
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "extreme_z = -1, must be above 0 and finite", "torsion_modulus = 0, must be above 0 and finite",
                       "shear_y = 2, must be above 0 and at most 1.5", "shear_z = nan, must be above 0 and at most 1.5",
                       "the model has no body"}));
}

TEST(Validate, section_that_vanishes) {
  EXPECT_EQ(
      heads(errors(frame("\"10 mm\"", "1e-100"))),
      "rod.toml:5:10: error: section `round` has area 7.853981633974483e-201 m^2 and Iz 0 m^4, must be above 0 and "
      "finite\n");
}

TEST(Validate, places_between_nodes) {
  EXPECT_EQ(errors(frame("C = [1, 1, 0] }", "C = [1, 1, 0], M = [0, 0.6, 0] }\npin = [\"M\"]")),
            "rod.toml:14:8: error: pin at point `M`, which is not on a node of the mesh\n"
            "  14 | pin = [\"M\"]\n"
            "     |        ^^^\n"
            "  help: it is at (0, 0.6, 0) m, the nearest node at (0, 0.5, 0) m\n");
  // a third of a length is not a decimal number
  EXPECT_EQ(errors(frame("C = [1, 1, 0] }", "C = [1, 1, 0], M = [0.3333333333333, 1, 0] }\npin = [\"M\"]")), "");
}

TEST(Validate, supports) {
  EXPECT_EQ(warnings(frame("clamp = [\"A\"]", "clamp = [\"A\", \"A\"]")),
            "rod.toml:14:15: warning: point `A` is already held\n"
            "  14 | clamp = [\"A\", \"A\"]\n"
            "     |               ^^^\n"
            "  help: by the support at `A` before it\n");
  EXPECT_EQ(heads(warnings(frame("clamp = [\"A\"]", "clamp = [\"A\"]\npin = [\"A\"]"))),
            "rod.toml:15:8: warning: point `A` is already held\n");
  // two rollers across each other are a pin
  const std::string rollers =
      "[[body.frame.roller]]\nat = \"C\"\nnormal = [1, 0, 0]\n[[body.frame.roller]]\nat = \"C\"\nnormal = [0, 1, 0]\n";
  EXPECT_EQ(warnings(with(rollers)), "");
  EXPECT_EQ(errors(with("[[body.frame.roller]]\nat = \"C\"\nnormal = [0, 0, 0]\n")),
            "rod.toml:25:10: error: normal has length 0, must be above 0\n"
            "  25 | normal = [0, 0, 0]\n"
            "     |          ^^^^^^^^^\n");
  EXPECT_EQ(heads(errors(with("[[body.frame.roller]]\nat = \"C\"\nnormal = [0, 1, 1]\n"))),
            "rod.toml:25:10: error: normal[z] = 1, must be 0 in a body of dimension 2\n");
}

TEST(Validate, out_of_plane_components) {
  EXPECT_EQ(heads(errors(
                with("[[body.frame.spring]]\nat = \"C\"\nstiffness = [1, 1, 3]\nrotational_stiffness = [1, 2, 1]\n"))),
            "rod.toml:25:13: error: stiffness[z] = 3, must be 0 in a body of dimension 2\n"
            "rod.toml:26:24: error: rotational_stiffness[x] = 1, must be 0 in a body of dimension 2\n"
            "rod.toml:26:24: error: rotational_stiffness[y] = 2, must be 0 in a body of dimension 2\n");
  EXPECT_EQ(errors(with("[[body.frame.load]]\nat = \"C\"\nforce = [0, 0, \"2 kN\"]\n")),
            "rod.toml:25:9: error: force[z] = 2000, must be 0 in a body of dimension 2\n"
            "  25 | force = [0, 0, \"2 kN\"]\n"
            "     |         ^^^^^^^^^^^^^^\n");
}

TEST(Validate, loads_and_masses) {
  const std::string header = "[[body.frame.load]]\n";
  EXPECT_EQ(errors(with(header + "force = [0, 1, 0]\n")),
            "rod.toml:23:1: error: a load has neither `at` (a point) nor `on` (a member), must have one of them\n"
            "  23 | [[body.frame.load]]\n"
            "     | ^^^^^^^^^^^^^^^^^^^\n");
  EXPECT_EQ(heads(errors(with(header + "at = \"C\"\non = \"up\"\nforce = [0, 1, 0]\n"))),
            "rod.toml:25:6: error: a load has `at` and `on`, must have one of them\n");
  EXPECT_EQ(heads(errors(with(header + "at = \"C\"\nforce_per_length = [0, 1, 0]\n"))),
            "rod.toml:25:20: error: `force_per_length` belongs to a load with `on`, not `at`\n");
  EXPECT_EQ(heads(errors(with(header + "on = \"up\"\nforce = [0, 1, 0]\nmoment = [0, 0, 1]\n"))),
            "rod.toml:25:9: error: `force` belongs to a load with `at`, not `on`\n"
            "rod.toml:26:10: error: `moment` belongs to a load with `at`, not `on`\n");
  EXPECT_EQ(heads(errors(with(header + "at = \"C\"\n"))),
            "rod.toml:23:1: error: a load at a point has nothing to do, must have `force` or `moment`\n");
  EXPECT_EQ(heads(errors(with("[[body.frame.mass]]\nat = \"C\"\n"))),
            "rod.toml:23:1: error: a lumped mass without mass and inertia, must have one of them\n");
}

TEST(Validate, spin) {
  EXPECT_EQ(heads(errors(changed("[0, 0, 1]", "[0, 0, 0]"))),
            "rod.toml:25:11: error: axis has length 0, must be above 0\n");
  EXPECT_EQ(errors(changed("[0, 0, 1]", "[1, 0, 0]")),
            "rod.toml:25:11: error: axis = [1, 0, 0], must be along z for a body of dimension 2\n"
            "  25 | axis    = [1, 0, 0]\n"
            "     |           ^^^^^^^^^\n");
  EXPECT_EQ(errors(changed("[0, 0, 1]", "[0, 0, -3]")), "");
}

TEST(Validate, gravity) {
  const auto gravity = [](const std::string& value) {
    return changed("schema = 1\n", "schema = 1\ngravity = " + value + "\n");
  };
  EXPECT_EQ(errors(gravity("[0, -9.81, 0]")),
            "rod.toml:2:11: error: gravity across the spin axis of body `rod`, must be along it for modes\n"
            "  2 | gravity = [0, -9.81, 0]\n"
            "    |           ^^^^^^^^^^^^^\n"
            "  help: it turns in the body's frame and makes the coefficients periodic: use [analysis.floquet] for "
            "stability, [analysis.simulate] for the motion, and no other analysis\n");
  EXPECT_EQ(errors(gravity("[0, 0, -9.81]")), "");
  EXPECT_EQ(warnings(gravity("[0, 0, -9.81]")),
            "rod.toml:2:11: warning: the part of gravity across the plane of body `rod` does nothing\n"
            "  2 | gravity = [0, 0, -9.81]\n"
            "    |           ^^^^^^^^^^^^^\n");
  // A body whose z axis lies along the world's y.
  EXPECT_EQ(errors(gravity("[0, -9.81, 0]"), {"body.rod.attitude=[\"-90 deg\", 0, 0]"}), "");
  EXPECT_EQ(errors(frame("schema = 1\n", "schema = 1\ngravity = [0, -9.81, 0]\n")), "");
  const std::string prescribed = "[body.frame.motion]\nkind = \"prescribed\"\nacceleration = [1, 0, 0]\n";
  EXPECT_EQ(
      errors(frame("schema = 1\n", "schema = 1\ngravity = [0, -9.81, 0]\n") + prescribed),
      "rod.toml:2:11: error: gravity with the prescribed motion of body `frame`, must be left out\n"
      "  2 | gravity = [0, -9.81, 0]\n"
      "    |           ^^^^^^^^^^^^^\n"
      "  help: the attitude of the frame over time is not known: subtract gravity in `acceleration`, in body axes\n");
}

TEST(Validate, prescribed_motion) {
  const auto motion = [](const std::string& keys) {
    return with("[body.frame.motion]\nkind = \"prescribed\"\n" + keys);
  };
  EXPECT_EQ(warnings(motion("angular_velocity = [0, 0, \"sin(t)\"]\nangular_acceleration = [0, 0, \"cos(t)\"]\n")), "");
  EXPECT_EQ(
      errors(motion("angular_velocity = [0, \"t\", 0]\n")),
      "rod.toml:25:20: error: angular_velocity has components along x or y, must be along z for a body of dimension 2\n"
      "  25 | angular_velocity = [0, \"t\", 0]\n"
      "     |                    ^^^^^^^^^^^\n");
  EXPECT_EQ(heads(warnings(motion("acceleration = [0, 0, 1]\n"))),
            "rod.toml:25:16: warning: acceleration[z] does nothing in a body of dimension 2\n");
  EXPECT_EQ(heads(errors(motion("acceleration = [\"1/t\", 0, 0]\n"))),
            "rod.toml:25:16: error: acceleration = inf at t = 0 s, must be finite\n");
  const std::string disagrees =
      warnings(motion("angular_velocity = [0, 0, \"3*t\"]\nangular_acceleration = [0, 0, 4]\n"));
  EXPECT_TRUE(
      disagrees.starts_with("rod.toml:26:24: warning: angular_acceleration[z] = 4 at t = 0 s, but angular_velocity "
                            "changes by "))
      << disagrees;
  EXPECT_TRUE(disagrees.ends_with("  help: leave angular_acceleration out to have it derived\n")) << disagrees;
}

TEST(Validate, unused_things) {
  EXPECT_EQ(warnings(with("[material.alu]\nyoung = 1\ndensity = 1\n[section.s]\nshape = \"circle\"\ndiameter = 1\n")),
            "rod.toml:23:11: warning: material `alu` is not used\n"
            "  23 | [material.alu]\n"
            "     |           ^^^\n"
            "rod.toml:26:10: warning: section `s` is not used\n"
            "  26 | [section.s]\n"
            "     |          ^\n");
  EXPECT_EQ(heads(warnings(frame("C = [1, 1, 0] }", "C = [1, 1, 0], P = [0, 0.1, 0] }"))),
            "rod.toml:13:57: warning: point `P` is not used\n");
}

// A model made by code has no marks; its mistakes are found all the same.
TEST(Validate, models_made_by_code) {
  Model model;
  model.materials.push_back({});
  model.materials[0].name = "m";
  model.sections.push_back({});
  model.sections[0].name = "s";
  model.bodies.push_back({});
  Body& body = model.bodies[0];
  body.name = "b";
  body.element.value = "beam";
  body.material.value = "m";
  body.section.value = "s";
  body.points.resize(2);
  body.points[0].name = "p";
  body.points[1].name = "q";
  body.members.resize(1);
  body.members[0].name = "x";
  body.members[0].from.value = "p";
  body.members[0].to.value = "q";
  Diagnostics diagnostics;
  validate(model, {{"beam_rayleigh"}, {}}, diagnostics);
  EXPECT_EQ(diagnostics.format_all(Severity::error),
            "error: young = 0, must be above 0 and finite\n"
            "error: density = 0, must be above 0 and finite\n"
            "error: diameter = 0, must be above 0 and finite\n"
            "error: unknown element `beam`\n"
            "  help: known: beam_rayleigh\n"
            "error: elements = 0, must be from 1 to 1000000\n"
            "error: member `x` of body `b` has length 0 m, must be above 0\n"
            "  help: `p` and `q` are at (0, 0, 0) m\n");
}

}  // namespace
}  // namespace elodyn
