#include "elodyn/io/read_inp.hpp"

#include "test_paths.hpp"
#include "tests/support/temp_dir.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

const std::string kSquare = "*NODE\n1, 0, 0\n2, 1, 0\n3, 1, 1\n4, 0, 1\n";
const std::string kPlate = kSquare + "*ELEMENT, TYPE=CPS4, ELSET=plate\n1, 1, 2, 3, 4\n";

std::unique_ptr<SurfaceMesh> read_good(const std::string& text, double unit = 1, std::string* warnings = nullptr) {
  Diagnostics diagnostics;
  auto mesh = read_inp("m.inp", text, unit, diagnostics);
  EXPECT_NE(mesh, nullptr) << diagnostics.format_all(Severity::error);
  if (warnings != nullptr)
    *warnings = diagnostics.format_all(Severity::warning);
  else
    EXPECT_EQ(diagnostics.format_all(Severity::warning), "");
  return mesh;
}

void expect_error(const std::string& text, const std::string& message) {
  Diagnostics diagnostics;
  const auto mesh = read_inp("m.inp", text, 1, diagnostics);
  EXPECT_EQ(mesh == nullptr, diagnostics.n_errors() > 0);
  const std::string found = diagnostics.format_all(Severity::error);
  EXPECT_NE(found.find(message), found.npos) << found;
}
void expect_warning(const std::string& text, const std::string& message) {
  std::string warnings;
  read_good(text, 1, &warnings);
  EXPECT_NE(warnings.find(message), warnings.npos) << warnings;
}

TEST(ReadInp, a_plate_with_sets_materials_and_sections) {
  std::string warnings;
  const auto mesh = read_good(test::read_text(ELODYN_SOURCE_DIR "/tests/fuzz/corpus_inp/plate.inp"), 1, &warnings);
  EXPECT_EQ(warnings,
            "m.inp:12:1: warning: taken as plain elements with full integration: CPS4R\n"
            "  12 | *Element, type=CPS4R, elset=Plate\n     | ^\n"
            "m.inp:51:1: warning: not read from this file: `*BOUNDARY`, `*STEP`, `*STATIC`, `*END STEP`\n"
            "  51 | *Boundary\n     | ^\n  help: supports, loads and analyses stand in the model file\n");
  EXPECT_EQ(mesh->nodes.size(), 7u);
  EXPECT_EQ(mesh->nodes[6].x, Vec3(3, 0.5, 0));
  ASSERT_EQ(mesh->elements.size(), 3u);
  EXPECT_EQ(mesh->elements[0].nodes[3], 3);  // from the line that goes on
  EXPECT_EQ(mesh->elements[2].number, 12);
  EXPECT_TRUE(mesh->has_plane_stress && !mesh->has_plane_strain);

  ASSERT_EQ(mesh->areas.size(), 3u);
  EXPECT_EQ(mesh->areas[0].name, "Plate");
  EXPECT_EQ(mesh->areas[0].elements, (std::vector<int>{0, 1}));
  EXPECT_EQ(mesh->areas[0].material, "Steel");  // as it is spelt where it is made
  EXPECT_EQ(mesh->areas[0].thickness, 0.002);
  EXPECT_EQ(mesh->areas[1].thickness, 1);  // a solid section without a number
  EXPECT_EQ(mesh->areas[2].elements, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(mesh->areas[2].material, "");

  ASSERT_NE(mesh->find_side("Left"), nullptr);
  EXPECT_EQ(mesh->find_side("Left")->pieces, (std::vector<SurfaceMesh::Piece>{{3, 0, -1}}));
  EXPECT_EQ(mesh->find_side("Bottom")->nodes, (std::vector<int>{0, 1}));
  EXPECT_EQ(mesh->find_side("Top")->pieces, (std::vector<SurfaceMesh::Piece>{{2, 3, -1}, {5, 2, -1}}));
  EXPECT_EQ(mesh->find_side("Ends")->nodes, (std::vector<int>{0, 3, 6}));
  EXPECT_EQ(mesh->find_side("Both")->pieces.size(), 2u);
  EXPECT_EQ(mesh->find_side("Nall")->pieces.size(), 7u);  // the outline, not the edges inside
  ASSERT_EQ(mesh->points.size(), 1u);
  EXPECT_EQ(mesh->points[0].name, "Tip");
  EXPECT_EQ(mesh->points[0].node, 6);

  const Material* steel = mesh->find_material("Steel");
  ASSERT_NE(steel, nullptr);
  EXPECT_EQ(steel->young, 210e9);
  EXPECT_EQ(steel->poisson, 0.3);
  EXPECT_EQ(steel->density, 7800);
  EXPECT_EQ(steel->expansion, 12e-6);
  const Material* ply = mesh->find_material("Ply");
  ASSERT_NE(ply, nullptr);
  EXPECT_EQ(ply->young_2, 10e9);
  EXPECT_EQ(ply->poisson_23, 0.4);
  EXPECT_EQ(ply->shear_23, 3e9);
}

// With mm: MPa = 1e6 Pa, t/mm³ = 1e12 kg/m³.
TEST(ReadInp, units_of_millimetres) {
  const auto mesh = read_good(kPlate +
                                  "*MATERIAL, NAME=m\n*ELASTIC\n210000, 0.3\n*DENSITY\n7.8e-9\n"
                                  "*SOLID SECTION, ELSET=plate, MATERIAL=m\n2\n",
                              1e-3);
  EXPECT_EQ(mesh->nodes[2].x, Vec3(1e-3, 1e-3, 0));
  EXPECT_NEAR(mesh->materials[0].young, 210e9, 210e9 * 1e-14);  // a few roundings
  EXPECT_NEAR(mesh->materials[0].density, 7800, 7800 * 1e-14);
  EXPECT_EQ(mesh->areas[0].thickness, 2e-3);
}

TEST(ReadInp, shells_lines_and_their_edges) {
  std::string warnings;
  const auto mesh = read_good(test::read_text(ELODYN_SOURCE_DIR "/tests/fuzz/corpus_inp/shell.inp"), 1, &warnings);
  EXPECT_NE(warnings.find("full integration: S8R"), warnings.npos);
  EXPECT_NE(warnings.find("m.inp:17:1: warning: a surface of whole faces is left out"), warnings.npos) << warnings;
  EXPECT_EQ(mesh->find_side("EDGE")->pieces, (std::vector<SurfaceMesh::Piece>{{0, 1, 4}}));  // the middle stood between
  EXPECT_EQ(mesh->find_side("S")->pieces, (std::vector<SurfaceMesh::Piece>{{2, 3, 6}}));
  EXPECT_EQ(mesh->find_side("T"), nullptr);
  EXPECT_EQ(mesh->materials[0].shear_23, 6);
}

TEST(ReadInp, types_of_elements) {
  for (const char* type : {"CPS4", "CPE4", "CPS4I", "cpe4rh", "S4", "S4R", "S4RS", "M3D4", "M3D4R"}) {
    std::string warnings;
    const auto mesh = read_good(kSquare + "*ELEMENT, TYPE=" + type + "\n1, 1, 2, 3, 4\n", 1, &warnings);
    ASSERT_NE(mesh, nullptr) << type;
    EXPECT_EQ(mesh->elements[0].n_corners, 4) << type;
    const std::string_view letters(type);
    EXPECT_EQ(warnings.empty(), letters.ends_with("4")) << type << warnings;
  }
  for (const char* type : {"CPS3", "S3", "S3R", "STRI3", "M3D3"}) {
    std::string warnings;
    EXPECT_EQ(read_good(kSquare + "*ELEMENT, TYPE=" + type + "\n1, 1, 2, 3\n", 1, &warnings)->elements[0].n_corners, 3);
  }
  for (const char* type : {"C3D8", "CAX4", "S9R5", "M3D9", "CPS5", "SPRINGA", "CPE4P", "S", ""})
    expect_error(kSquare + "*ELEMENT, TYPE=" + type + "\n1, 1, 2, 3\n", "m.inp:6:1: error: ");
  EXPECT_TRUE(read_good(kSquare + "*ELEMENT, TYPE=CPE4\n1, 1, 2, 3, 4\n")->has_plane_strain);
}

TEST(ReadInp, one_part_and_one_instance) {
  std::string warnings;
  const auto mesh = read_good(test::read_text(ELODYN_SOURCE_DIR "/tests/fuzz/corpus_inp/part.inp"), 1, &warnings);
  EXPECT_EQ(mesh->nodes.size(), 3u);
  EXPECT_NE(mesh->find_side("Side"), nullptr);
  EXPECT_NE(warnings.find("nodes and sets of the assembly itself are left out"), warnings.npos) << warnings;
  EXPECT_NE(warnings.find("1 element went round clockwise"), warnings.npos) << warnings;
  expect_error("*PART, NAME=a\n*END PART\n*PART, NAME=b\n", "m.inp:3:1: error: a second *PART: only one can be read");
  expect_error(kPlate + "*ASSEMBLY\n*INSTANCE\n0, 1, 0\n", "m.inp:10:1: error: the instance is moved");
  expect_error(kPlate + "*ASSEMBLY\n*INSTANCE\n*END INSTANCE\n*INSTANCE\n", "m.inp:11:1: error: a second *INSTANCE");
}

TEST(ReadInp, edges_inside_only_if_there_is_none_outside) {
  const std::string two = "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,2,0\n6,2,1\n*ELEMENT,TYPE=CPS4\n1,1,2,3,4\n2,2,5,6,3\n";
  EXPECT_EQ(read_good(two + "*NSET,NSET=cut\n2,3\n")->sides[0].pieces, (std::vector<SurfaceMesh::Piece>{{1, 2, -1}}));
  EXPECT_EQ(read_good(two + "*NSET,NSET=more\n2,3,5\n")->sides[0].pieces,
            (std::vector<SurfaceMesh::Piece>{{1, 4, -1}}));
  EXPECT_TRUE(read_good(two + "*NSET,NSET=apart\n1,6\n")->sides[0].pieces.empty());
}

TEST(ReadInp, an_edge_counts_once) {
  const std::string two = "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,2,0\n6,2,1\n*ELEMENT,TYPE=CPS4\n1,1,2,3,4\n2,2,5,6,3\n";
  EXPECT_EQ(read_good(two + "*SURFACE,NAME=s\n2,S4\n1,S1\n1,S2\n1,S1\n")->sides[0].pieces,
            (std::vector<SurfaceMesh::Piece>{{1, 2, -1}, {0, 1, -1}}));
}

TEST(ReadInp, round_off_in_z_is_none) {
  EXPECT_EQ(read_good("*NODE\n1,0,0\n2,1,0,1e-13\n3,1,1\n4,0,1,-1e-14\n*ELEMENT,TYPE=S4\n1,1,2,3,4\n")->nodes[1].x.z(),
            0);
  EXPECT_EQ(read_good("*NODE\n1,0,0\n2,1,0,1e-9\n3,1,1\n4,0,1\n*ELEMENT,TYPE=S4\n1,1,2,3,4\n")->nodes[1].x.z(), 1e-9);
}

TEST(ReadInp, names_that_clash_leave_the_later_out) {
  expect_warning(kPlate + "*NSET, NSET=plate\n1, 2\n",
                 "m.inp:8:1: warning: group `plate` has the name of the group of line 6 and is left out");
}

// As Gmsh writes groups: lines of 3 nodes in either order, and an NSET beside each ELSET.
TEST(ReadInp, an_nset_of_the_same_nodes_adds_nothing) {
  const std::string quadratic =
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,.5,0\n6,1,.5\n7,.5,1\n8,0,.5\n*ELEMENT,TYPE=CPS8,ELSET=all\n"
      "1,1,2,3,4,5,6,7,8\n";
  for (const char* line : {"2,1,5,2", "2,1,2,5", "2,5,2,1"}) {
    const auto mesh = read_good(quadratic + "*ELEMENT,TYPE=T3D3,ELSET=low\n" + line +
                                "\n*NSET,NSET=low\n1,5,2\n*NSET,NSET=all\n1,2,3,4,5,6,7,8\n");
    ASSERT_EQ(mesh->sides.size(), 1u);
    EXPECT_EQ(mesh->sides[0].pieces, (std::vector<SurfaceMesh::Piece>{{0, 1, 4}}));
  }
}

TEST(ReadInp, sets_may_name_more_than_there_is) {
  expect_warning(kPlate + "*NSET, NSET=a, GENERATE\n1, 9000000000000000000\n",
                 "set `a` names nodes that the file does not have");
  std::string warnings;
  EXPECT_EQ(read_good(kPlate + "*NSET, NSET=a, GENERATE\n1, 9000000000000000000, 2\n", 1, &warnings)->sides[0].nodes,
            (std::vector<int>{0, 2}));
}

TEST(ReadInp, what_is_refused) {
  expect_error("*INCLUDE, INPUT=other.inp\n", "m.inp:1:1: error: *INCLUDE is not followed");
  expect_error("*NODE, INPUT=nodes.txt\n", "*NODE, INPUT = `nodes.txt` is not followed");
  expect_error(kSquare + "*NGEN\n1, 2\n", "m.inp:6:1: error: *NGEN is not understood");
  expect_error("*NODE, SYSTEM=C\n", "SYSTEM = `C`: only rectangular coordinates can be read");
  expect_error("1, 2, 3\n", "m.inp:1:1: error: not an input file of Abaqus or CalculiX");
  expect_error("*HEADING\nx\n", "m.inp: error: the file has no nodes");
  expect_error(kSquare, "m.inp: error: the file has no elements of surfaces");
  expect_error(kPlate + "*NSET, NSET=a, ELSET=plate\n", "*NSET of the nodes of an ELSET cannot be read");
  expect_error(kPlate + "*SHELL SECTION, COMPOSITE, ELSET=plate\n", "layers (COMPOSITE) cannot be read");
  expect_error(kPlate + "*MATERIAL, NAME=m\n*ELASTIC, TYPE=ANISOTROPIC\n", "*ELASTIC of type `ANISOTROPIC` cannot");
}

TEST(ReadInp, wrong_lines) {
  expect_error("*NODE\nx, 0\n", "m.inp:2:1: error: number of a node = `x`, must be an integer above 0");
  expect_error("*NODE\n0, 0\n", "m.inp:2:1: error: number of a node = `0`, must be an integer above 0");
  expect_error("*NODE\n1, 0, inf\n", "m.inp:2:7: error: coordinate = `inf`, must be a finite number");
  expect_error("*NODE\n1, 0\n1, 1\n*ELEMENT, TYPE=CPS3\n", "m.inp:3:1: error: node 1 is given twice");
  expect_error(kSquare + "*ELEMENT\n", "m.inp:6:1: error: *ELEMENT without TYPE");
  expect_error(kSquare + "*ELEMENT, TYPE=CPS4\n7, 1, 2, 3\n*NSET, NSET=a\n1\n",
               "m.inp:7:1: error: element 7 has 3 nodes, must have 4");
  expect_error(kSquare + "*ELEMENT, TYPE=CPS3\n7, 1, 2, 3, 4\n", "m.inp:7:13: error: element 7 has more than 3 nodes");
  expect_error(kSquare + "*ELEMENT, TYPE=CPS3\n7, 1, 2, y\n", "m.inp:7:10: error: node of an element = `y`");
  expect_error(kSquare + "*ELEMENT, TYPE=CPS3\n7, 1, 2, 8\n", "element 7 has node 8, which the file does not have");
  expect_error(kSquare + "*ELEMENT, TYPE=CPS4\n7, 1, 3, 2, 4\n",
               "m.inp:7:1: error: element 7 at (0.5, 0.5, 0) m is crossed, not convex or has no area");
  expect_error(kPlate + "*NSET\n1\n", "*NSET needs NSET = NAME");
  expect_error(kPlate + "*NSET, NSET=a\n1, b\n",
               "m.inp:9:4: error: `b` is neither a number nor a set that stands before");
  expect_error(kPlate + "*NSET, NSET=a\na\n", "m.inp:9:1: error: `a` is neither a number nor a set that stands before");
  expect_error(kPlate + "*NSET, NSET=a, GENERATE\n5, 1\n", "last number = 1, must be at least the first, 5");
  expect_error(kPlate + "*SURFACE, NAME=s\nplate, S7\n", "face `S7` of an element, must be S1 to S6 or E1 to E4");
  expect_error(kPlate + "*SURFACE, NAME=s\nplate, S5\n", "m.inp:9:1: error: element 1 has no edge S5");
  expect_error(kPlate + "*SURFACE, NAME=s\n9, S1\n", "m.inp:9:1: error: element 9 is not in the file");
  expect_error(kPlate + "*ELASTIC\n1\n", "*ELASTIC without a *MATERIAL before it");
  expect_error(kPlate + "*MATERIAL, NAME=m\n*ELASTIC\nsoft\n", "m.inp:10:1: error: *ELASTIC has `soft`");
  expect_error(kPlate + "*MATERIAL, NAME=m\n*ELASTIC, TYPE=LAMINA\n1, 2\n", "*ELASTIC has 2 numbers, must have 4");
  expect_error(kPlate + "*MATERIAL, NAME=m\n*MATERIAL, NAME=M\n", "m.inp:9:1: error: material `M` is given twice");
  expect_error(kPlate + "*SOLID SECTION, ELSET=plte, MATERIAL=m\n", "help: did you mean `plate`?");
  expect_error(kPlate + "*SOLID SECTION, ELSET=plate, MATERIAL=m\n1\n",
               "m.inp:8:1: error: material `m` is not in the file");
  expect_error(kPlate + "*SHELL SECTION, ELSET=plate\n-1\n", "m.inp:9:1: error: thickness = `-1`, must be above 0");
  expect_error(kPlate + "*SHELL SECTION, ELSET=plate\n1\n*SHELL SECTION, ELSET=plate\n2\n",
               "m.inp:10:1: error: ELSET `plate` has a section already");
}

TEST(ReadInp, says_what_it_leaves_out) {
  expect_warning(kPlate + "*MATERIAL, NAME=hot\n*ELASTIC\n70E9, 0.3, 20\n80E9, 0.3, 100\n",
                 "not read from this file: `*ELASTIC of other temperatures`");
  expect_warning(kPlate +
                     "*MATERIAL, NAME=m1\n*ELASTIC\n70E9, 0.3\n*DENSITY\n1\n"
                     "*SHELL SECTION, ELSET=plate, MATERIAL=m1, OFFSET=0.5\n0.1\n",
                 "`*OFFSET`");
}

}  // namespace
}  // namespace elodyn
