// Messages about areas, sheets, plates and what stands on them.
#include <sstream>

#include <gtest/gtest.h>

#include "elodyn/io/read_model.hpp"

namespace elodyn {
namespace {

// Lines 1 to 17; what a test adds starts at line 18.
std::string sheet(const std::string& element, int dimension, const std::string& more,
                  const std::string& corners = "A = [0, 0, 0], B = [2, 0, 0], C = [2, 1, 0], D = [0, 1, 0]") {
  return "schema = 1\n[material.steel]\nyoung = \"210 GPa\"\npoisson = 0.3\ndensity = \"7800 kg/m^3\"\n"
         "[section.thin]\nshape = \"sheet\"\nthickness = 0.001\n"
         "[body.b]\nelement = \"" +
         element + "\"\ndimension = " + std::to_string(dimension) +
         "\nmaterial = \"steel\"\nsection = \"thin\"\npoints = { " + corners +
         " }\n[body.b.area.p]\ncorners = [\"A\", \"B\", \"C\", \"D\"]\nnx = 2\nny = 2\n" + more;
}
std::string errors_of(const std::string& text) {
  Diagnostics diagnostics;
  read_model("b.toml", text, {}, diagnostics);
  return diagnostics.format_all(Severity::error);
}
// "line:column text" of each error, without the file's name.
std::string said(const std::string& text) {
  std::string out;
  std::istringstream lines(errors_of(text));
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("b.toml:")) out += line.substr(7) + "\n";
  return out;
}

TEST(ValidateAreas, GoodOnes) {
  for (const char* element : {"membrane_t3", "membrane_rectangle", "membrane_q4", "membrane_t6", "membrane_q8"})
    EXPECT_EQ(said(sheet(element, 2, "")), "") << element;
  for (const char* element : {"plate_dkt", "plate_mitc4", "plate_acm", "plate_merged"})
    EXPECT_EQ(said(sheet(element, 3,
                         "[[body.b.hinge]]\nat = \"p.1\"\n[[body.b.hinge]]\nat = \"D\"\naxis = [1, 1, 0]\n"
                         "[[body.b.load]]\non = \"p.2\"\nmoment_per_length = [0, 1, 0]\n"
                         "[[body.b.load]]\non = \"p\"\nforce_per_area = [0, 0, 1]\n")),
              "")
        << element;
}

// Names of families mean their quadrilaterals.
TEST(ValidateAreas, ShortNames) {
  for (const auto& [name, meant] : {std::pair{"membrane", "membrane_q4"}, {"plate", "plate_mitc4"}}) {
    Diagnostics diagnostics;
    const auto model = read_model("b.toml", sheet(name, std::string(name) == "plate" ? 3 : 2, ""), {}, diagnostics);
    ASSERT_TRUE(model) << diagnostics.format_all(Severity::error);
    EXPECT_EQ(model->bodies[0].element.value, meant);
  }
}

TEST(ValidateAreas, Dimension) {
  EXPECT_EQ(said(sheet("plate_dkt", 2, "")), "11:13: error: dimension = 2, must be 3 with plate_dkt\n");
  EXPECT_EQ(said(sheet("membrane_q4", 3, "")), "11:13: error: dimension = 3, must be 2 with membrane_q4\n");
}

TEST(ValidateAreas, Shapes) {
  const auto shape = [&](const std::string& element, int dimension, const std::string& corners) {
    return said(sheet(element, dimension, "", corners));
  };
  EXPECT_EQ(shape("plate_acm", 3, "A = [0, 0, 0], B = [2, 0, 0], C = [2.1, 1, 0], D = [0, 1, 0]"),
            "16:11: error: `plate_acm` needs rectangles, area `p` has no right angle at corner `B` at (2, 0, 0) m\n");
  EXPECT_EQ(shape("plate_dkt", 3, "A = [0, 0, 0], B = [2, 0, 0], C = [2, 1, 0.5], D = [0, 1, 0]").substr(0, 41),
            "16:11: error: area `p` is not flat: corne");
  EXPECT_EQ(shape("membrane_q4", 2, "A = [0, 0, 0], B = [0, 1, 0], C = [2, 1, 0], D = [2, 0, 0]"),
            "16:11: error: the corners of area `p` go round it clockwise\n");
  EXPECT_EQ(shape("plate_mitc4", 3, "A = [0, 0, 0], B = [0, 1, 0], C = [2, 1, 0], D = [2, 0, 0]"), "");
  EXPECT_EQ(shape("plate_mitc4", 3, "A = [0, 0, 0], B = [2, 0, 0], C = [0.5, 0.2, 0], D = [0, 1, 0]"),
            "16:11: error: area `p` is not convex at corner `C` at (0.5, 0.2, 0) m\n");
}

// The reason stands in the help; equal legs depend on the cuts, not on the corners alone.
TEST(ValidateAreas, MergedTermNeedsUnequalLegs) {
  const std::string square = "A = [0, 0, 0], B = [1, 0, 0], C = [1, 1, 0], D = [0, 1, 0]";
  EXPECT_EQ(said(sheet("plate_merged", 3, "", square)),
            "16:11: error: the triangles of area `p` have equal legs, a = 0.5 m and b = 0.5 m, which `plate_merged` "
            "cannot have\n");
  EXPECT_NE(errors_of(sheet("plate_merged", 3, "", square)).find("a⁵b⁵(a − b)"), std::string::npos);
  EXPECT_EQ(said(sheet("plate_dkt", 3, "", square)), "");
}

TEST(ValidateAreas, Hinges) {
  EXPECT_EQ(said(sheet("plate_dkt", 3, "[[body.b.hinge]]\nat = \"A\"\n")),
            "20:6: error: a hinge at point `A` has no `axis`\n");
  EXPECT_EQ(said(sheet("plate_dkt", 3, "[[body.b.hinge]]\nat = \"A\"\naxis = [0, 0, 0]\n")),
            "21:8: error: axis has length 0, must be above 0\n");
  EXPECT_EQ(said(sheet("membrane_q4", 2, "[[body.b.hinge]]\nat = \"A\"\naxis = [0, 0, 1]\n")),
            "20:6: error: a hinge in a body of dimension 2, must be a pin\n");
}

TEST(ValidateAreas, KeysOfPlates) {
  const auto with = [&](const std::string& element, const std::string& keys, const std::string& top = "") {
    std::string text = sheet(element, element.starts_with("plate") ? 3 : 2, "");
    text.insert(text.find("[body.b.area.p]"), keys);
    return said(text + top);
  };
  EXPECT_EQ(with("plate_dkt", "plane = \"strain\"\n"),
            "15:9: error: plane = \"strain\" with `plate_dkt`, must be \"stress\"\n");
  EXPECT_EQ(with("plate_dkt", "incompatible = true\n"),
            "15:16: error: `incompatible` belongs to `membrane_q4` and `plate_mitc4`, not to `plate_dkt`\n");
  EXPECT_EQ(with("plate_dkt", "lumped_mass = true\n", "[terms]\nrotary = false\n"),
            "15:15: error: terms.rotary = false leaves the rotations of `plate_dkt` without inertia\n");
  EXPECT_EQ(with("plate_mitc4", "", "[terms]\nrotary = false\n"),
            "10:11: error: terms.rotary = false leaves the rotations of `plate_mitc4` without inertia\n");
  EXPECT_EQ(with("plate_dkt", "", "[terms]\nrotary = false\n"), "");
  EXPECT_EQ(with("plate_dkt", "degree = 5\n"), "15:10: error: `degree` belongs to beams, not to `plate_dkt`\n");
}

TEST(ValidateAreas, Loads) {
  EXPECT_EQ(said(sheet("membrane_q4", 2, "[[body.b.load]]\non = \"p.1\"\nmoment_per_length = [0, 0, 1]\n")),
            "21:21: error: `moment_per_length` belongs to a load on a member or the side of a plate\n");
  EXPECT_EQ(said(sheet("plate_dkt", 3, "[[body.b.load]]\non = \"p\"\ngradient_y = 1\n")),
            "20:6: error: a temperature on area `p`, but material `steel` has no `expansion`\n"
            "21:14: error: `gradient_y` belongs to a load on a member\n");
}

TEST(ValidateAreas, RectangleFromTheLowerCorner) {
  const auto rectangle = [&](const std::string& to) {
    std::string text = sheet("plate_dkt", 3, "");
    const size_t begin = text.find("points = {"), end = text.size();
    return said(
        text.replace(begin, end - begin, "rectangle = { from = [0, 0, 0], to = " + to + ", nx = 2, ny = 2 }\n"));
  };
  EXPECT_EQ(rectangle("[1, 0.5, 0]"), "");
  EXPECT_EQ(rectangle("[-1, 0.5, 0]"), "14:13: error: to[x] = -1 m of the rectangle, must be above from[x] = 0 m\n");
  EXPECT_EQ(rectangle("[1, 0.5, 0.1]"), "14:13: error: to[z] = 0.1 m of the rectangle, must be from[z] = 0 m\n");
}

TEST(ValidateAreas, MaterialAxisInThePlane) {
  std::string text = sheet("plate_dkt", 3, "");
  text.replace(text.find("poisson = 0.3\n"), 14, "poisson = 0.3\nyoung_2 = 1e9\nshear_12 = 1e9\n");
  text.insert(text.find("[body.b.area.p]"), "material_axis = [0, 0, 1]\n");
  EXPECT_EQ(said(text), "17:17: error: material_axis is across area `p`, must have a part in its plane\n");
}

}  // namespace
}  // namespace elodyn
