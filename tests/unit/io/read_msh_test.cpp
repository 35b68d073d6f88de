#include "elodyn/io/read_msh.hpp"

#include "test_paths.hpp"
#include "tests/support/temp_dir.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

const std::string kHead = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n";
// A unit square of four nodes with numbers 1 to 4, counter-clockwise.
const std::string kSquare = "$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n";

std::unique_ptr<SurfaceMesh> read_good(const std::string& text, double unit = 1, std::string* warnings = nullptr) {
  Diagnostics diagnostics;
  auto mesh = read_msh("m.msh", text, unit, diagnostics);
  EXPECT_NE(mesh, nullptr) << diagnostics.format_all(Severity::error);
  if (warnings != nullptr)
    *warnings = diagnostics.format_all(Severity::warning);
  else
    EXPECT_EQ(diagnostics.format_all(Severity::warning), "");
  return mesh;
}

std::string errors(const std::string& text) {
  Diagnostics diagnostics;
  const auto mesh = read_msh("m.msh", text, 1, diagnostics);
  EXPECT_EQ(mesh == nullptr, diagnostics.n_errors() > 0);
  return diagnostics.format_all(Severity::error);
}
void expect_error(const std::string& text, const std::string& message) {
  const std::string found = errors(text);
  EXPECT_NE(found.find(message), found.npos) << found;
}
std::string elements(const std::string& block, int n = 1) {
  return "$Elements\n1 " + std::to_string(n) + " 1 9\n" + block + "\n$EndElements\n";
}

TEST(ReadMsh, groups_sparse_numbers_and_parametric_nodes) {
  const auto mesh = read_good(test::read_text(ELODYN_SOURCE_DIR "/tests/fuzz/corpus_msh/square.msh"), 1e-3);
  ASSERT_EQ(mesh->nodes.size(), 5u);  // node 60 belongs to nothing
  EXPECT_EQ(mesh->nodes[1].number, 40);
  EXPECT_EQ(mesh->nodes[4].x, Vec3(2e-3, 0, 0));
  ASSERT_EQ(mesh->elements.size(), 2u);
  EXPECT_EQ(mesh->elements[0].n_corners, 4);
  EXPECT_EQ(mesh->elements[1].n_corners, 3);
  EXPECT_EQ(mesh->elements[1].number, 4);
  ASSERT_EQ(mesh->areas.size(), 1u);
  EXPECT_EQ(mesh->areas[0].name, "plate");
  EXPECT_EQ(mesh->areas[0].elements, (std::vector<int>{0, 1}));
  ASSERT_EQ(mesh->sides.size(), 1u);
  EXPECT_EQ(mesh->sides[0].name, "left");
  EXPECT_EQ(mesh->sides[0].nodes, (std::vector<int>{0, 1}));
  EXPECT_EQ(mesh->sides[0].pieces, (std::vector<SurfaceMesh::Piece>{{1, 0, -1}}));  // as the element goes round
  ASSERT_EQ(mesh->points.size(), 1u);
  EXPECT_EQ(mesh->points[0].name, "tip");
  EXPECT_EQ(mesh->nodes[static_cast<size_t>(mesh->points[0].node)].number, 30);
}

TEST(ReadMsh, quadratic_elements_and_groups_without_a_name) {
  const auto mesh = read_good(test::read_text(ELODYN_SOURCE_DIR "/tests/fuzz/corpus_msh/quadratic.msh"));
  ASSERT_EQ(mesh->elements.size(), 2u);
  EXPECT_TRUE(mesh->elements[0].has_middles && mesh->elements[1].has_middles);
  EXPECT_EQ(mesh->elements[1].nodes, (std::array<int, 8>{1, 8, 2, 9, 10, 5, -1, -1}));
  EXPECT_TRUE(mesh->areas.empty());
  ASSERT_NE(mesh->find_side("curve_3"), nullptr);
  EXPECT_EQ(mesh->sides[0].pieces, (std::vector<SurfaceMesh::Piece>{{0, 1, 4}}));
}

TEST(ReadMsh, windows_line_ends_and_other_sections) {
  std::string text = kHead + "$Comments\nanything\n$EndComments\n" + kSquare + elements("2 1 3 1\n1 1 2 3 4");
  std::string windows;
  for (const char c : text) windows += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_TRUE(is_same_mesh(*read_good(text), *read_good(windows)));
}

TEST(ReadMsh, elements_that_go_round_clockwise_are_turned) {
  std::string warnings;
  const auto mesh = read_good(kHead + kSquare + elements("2 1 3 1\n7 1 4 3 2"), 1, &warnings);
  EXPECT_EQ(mesh->elements[0].nodes, (std::array<int, 8>{0, 1, 2, 3, -1, -1, -1, -1}));
  EXPECT_EQ(warnings,
            "m.msh:19:1: warning: 1 element went round clockwise and is turned, the first is element 7\n"
            "  19 | 7 1 4 3 2\n     | ^\n");
  std::string quadratic = test::read_text(ELODYN_SOURCE_DIR "/tests/fuzz/corpus_msh/quadratic.msh");
  const std::string forward = "2 1 2 3 4 5 6 7 8", backward = "2 1 4 3 2 8 7 6 5";
  quadratic.replace(quadratic.find(forward), forward.size(), backward);
  EXPECT_EQ(read_good(quadratic, 1, &warnings)->elements[0].nodes, (std::array<int, 8>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(ReadMsh, names_become_plain) {
  std::string warnings;
  const auto mesh = read_good(kHead +
                                  "$PhysicalNames\n1\n2 1 \"my plate\"\n$EndPhysicalNames\n$Entities\n0 0 1 0\n"
                                  "1 0 0 0 1 1 0 1 1 0\n$EndEntities\n" +
                                  kSquare + elements("2 1 3 1\n1 1 2 3 4"),
                              1, &warnings);
  EXPECT_NE(mesh->find_area("my_plate"), nullptr);
  EXPECT_NE(warnings.find("m.msh:6:1: warning: group `my plate` is called `my_plate` here"), warnings.npos) << warnings;
}

TEST(ReadMsh, lines_beside_the_surface_are_left_out) {
  std::string warnings;
  const auto mesh = read_good(kHead + "$Entities\n0 1 0 0\n1 0 0 0 1 1 0 1 1 0\n$EndEntities\n" + kSquare +
                                  "$Elements\n2 3 1 3\n1 1 1 2\n1 1 2\n2 1 3\n2 1 3 1\n3 1 2 3 4\n$EndElements\n",
                              1, &warnings);
  ASSERT_EQ(mesh->sides.size(), 1u);
  EXPECT_EQ(mesh->sides[0].pieces.size(), 1u);  // 1 to 3 is the diagonal
  EXPECT_NE(warnings.find("1 element of group `curve_1` lies on no side of an element of a surface"), warnings.npos)
      << warnings;
}

TEST(ReadMsh, other_formats_say_how_to_save) {
  expect_error(
      "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
      "m.msh:2:1: error: version `2.2` of the format, must be 4.1\n  2 | 2.2 0 8\n    | ^^^\n  help: save it with "
      "Mesh.MshFileVersion = 4.1 and Mesh.Binary = 0");
  expect_error("$MeshFormat\n4.1 1 8\n", "m.msh:2:5: error: the file is binary, must be ASCII");
  expect_error("", "m.msh: error: the file is empty");
  expect_error("solid x\n", "m.msh:1:1: error: not a mesh file of Gmsh");
  expect_error(kHead + "$PartitionedEntities\n", "m.msh:4:1: error: the mesh is partitioned");
}

TEST(ReadMsh, elements_that_there_are_not) {
  const auto with = [](const std::string& block, int n = 1) { return kHead + kSquare + elements(block, n); };
  expect_error(with("2 1 10 1\n1 1 2 3 4 1 2 3 4 1"), "quadrilaterals of 9 nodes, there are none here");
  expect_error(with("2 1 10 1\n1 1 2 3 4 1 2 3 4 1"), "Mesh.SecondOrderIncomplete = 1");
  expect_error(with("3 1 4 1\n1 1 2 3 4"), "m.msh:18:1: error: elements of type 4 fill a volume");
  expect_error(with("2 1 20 1\n1 1 2 3 4"), "elements of type 20 cannot be read");
  expect_error(with("1 1 3 1\n1 1 2 3 4"), "elements of type 3 on an entity of dimension 1, must be 2");
  expect_error(with("1 1 1 1\n1 1 2"), "m.msh: error: the file has no elements of surfaces");
}

TEST(ReadMsh, inverted_and_degenerate_elements_are_named) {
  const auto with = [](const std::string& nodes, const std::string& element) {
    return kHead + "$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n" + nodes + "\n$EndNodes\n" +
           elements("2 1 3 1\n17 " + element);
  };
  const std::string bad = " is crossed, not convex or has no area";
  expect_error(with("0 0 0\n1 0 0\n1 1 0\n0 1 0", "1 3 2 4"),
               "m.msh:19:1: error: element 17 at (0.5, 0.5, 0) m" + bad + "\n  19 | 17 1 3 2 4\n");
  expect_error(with("0 0 0\n1 0 0\n0.25 0.25 0\n0 1 0", "1 2 3 4"), bad);  // concave
  expect_error(with("0 0 0\n1 0 0\n2 0 0\n3 0 0", "1 2 3 4"), bad);        // flat
  expect_error(with("0 0 0\n1 0 0\n0.5 0.5 0\n0 1 0", "1 2 3 4"), bad);    // a corner of 180°
  expect_error(with("0 0 0\n1 0 0\n1 1 0\n0 1 0", "1 2 3 3"),
               "m.msh:19:1: error: element 17 has node 3 twice: it is degenerate");
  // A middle that is pulled through the element: the Jacobian changes its sign inside.
  std::string quadratic = test::read_text(ELODYN_SOURCE_DIR "/tests/fuzz/corpus_msh/quadratic.msh");
  quadratic.replace(quadratic.find("0.5 0 0\n"), 8, "0.5 1.2 0\n");
  expect_error(quadratic, "element 2 at ");
  // At a quarter of a side it vanishes only at the corner, the tip of a crack.
  quadratic.replace(quadratic.find("0.5 1.2 0\n"), 10, "0.25 0 0\n");
  read_good(quadratic);
}

TEST(ReadMsh, sizes_do_not_matter) {
  for (const double unit : {1e-200, 1e-9, 1e150})
    EXPECT_EQ(read_good(kHead + kSquare + elements("2 1 3 1\n1 1 2 3 4"), unit)->elements.size(), 1u) << unit;
}

TEST(ReadMsh, wrong_numbers) {
  const auto nodes = [](const std::string& text) { return kHead + "$Nodes\n" + text; };
  expect_error(nodes("1 x 1 4\n"), "m.msh:5:3: error: number of nodes = `x`, must be an integer");
  expect_error(nodes("1 -1 1 4\n"), "number of nodes = -1, must be at least 0");
  expect_error(nodes("1\n"), "m.msh:5:2: error: number of nodes is missing");
  expect_error(nodes("1 1 1 1\n2 1 0 1\n1\n0 nan 0\n"),
               "m.msh:8:3: error: coordinate = `nan`, must be a finite number");
  expect_error(nodes("1 1 1 1\n2 1 0 1\n1\n0 0 0 0\n"), "m.msh:8:7: error: `0` is too much in this line");
  expect_error(nodes("1 9 1 1\n2 1 0 1\n1\n0 0 0\n$EndNodes\n"),
               "m.msh:4:1: error: the head of $Nodes says 9 nodes, its blocks have 1");
  expect_error(nodes("1 9 1 1\n2 1 0 9\n1\n$EndNodes\n"), "$Nodes ends here, but its counts say that there is more");
  expect_error(nodes("1 9 1 1\n2 1 0 9000000000000000000\n1\n"), "m.msh:7:1: error: the file ends inside of $Nodes");
  expect_error(nodes("0 0 0 0\n7\n$EndNodes\n"), "more lines in $Nodes than its counts say");
  expect_error(nodes("0 0 0 0\n$EndNodes\n$Nodes\n"), "section $Nodes is given twice");
  expect_error(kHead + "$Other\n", "section `$Other` does not end");
  expect_error(kHead + "7\n", "m.msh:4:1: error: `7` stands outside of a section");
  expect_error(kHead + kSquare, "m.msh: error: the file has no section $Elements");
  expect_error(kHead + kSquare + elements("2 1 3 1\n1 1 2 3 9"),
               "m.msh:19:1: error: element 1 has node 9, which the file does not have");
  expect_error(kHead + kSquare + elements("2 1 3 2\n1 1 2 3 4\n1 1 2 3 4", 2), "element 1 is given twice");
  expect_error(nodes("1 2 1 1\n2 1 0 2\n1\n1\n0 0 0\n1 0 0\n$EndNodes\n") + elements("2 1 2 0", 0),
               "m.msh:10:1: error: node 1 is given twice");
}

TEST(ReadMsh, clashing_names) {
  expect_error(kHead +
                   "$PhysicalNames\n2\n1 1 \"a\"\n2 1 \"a\"\n$EndPhysicalNames\n$Entities\n0 1 1 0\n"
                   "1 0 0 0 1 1 0 1 1 0\n1 0 0 0 1 1 0 1 1 0\n$EndEntities\n" +
                   kSquare + "$Elements\n2 2 1 2\n1 1 1 1\n1 1 2\n2 1 3 1\n2 1 2 3 4\n$EndElements\n",
               "m.msh:6:1: error: group `a` has the name of the group of line 7");
  expect_error(kHead + "$PhysicalNames\n1\n2 1 a\n",
               "m.msh:6:5: error: the name of a physical group must stand in quotes");
}

TEST(ReadMsh, no_more_than_twenty_errors) {
  std::string block = "2 1 3 50";
  for (int i = 1; i <= 50; ++i) block += "\n" + std::to_string(i) + " 1 3 2 4";
  const std::string found = errors(kHead + kSquare + elements(block, 50));
  size_t count = 0;
  for (size_t at = found.find("error:"); at != found.npos; at = found.find("error:", at + 1)) ++count;
  EXPECT_EQ(count, 21u);
  EXPECT_NE(found.find("too many errors: those after this one are not shown"), found.npos);
}

}  // namespace
}  // namespace elodyn
