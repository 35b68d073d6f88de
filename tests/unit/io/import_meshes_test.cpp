// Mesh files in models: groups become areas, sides and points; materials and sections; the echo; what is wrong.
#include "elodyn/io/import_meshes.hpp"

#include <gtest/gtest.h>

#include "elodyn/io/read_model.hpp"
#include "elodyn/io/write_mesh.hpp"
#include "elodyn/mesh/surface_mesh_of.hpp"

namespace elodyn {
namespace {

// Two squares side by side, `a` and `b`, with materials.
const std::string kTwo =
    "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,2,0\n6,2,1\n*ELEMENT,TYPE=CPS4,ELSET=a\n1,1,2,3,4\n"
    "*ELEMENT,TYPE=CPS4,ELSET=b\n2,2,5,6,3\n*ELSET,ELSET=all\na,b\n*NSET,NSET=left\n1,4\n*NSET,NSET=tip\n6\n"
    "*NSET,NSET=apart\n1,6\n";
const std::string kSections =
    "*MATERIAL,NAME=steel\n*ELASTIC\n210e9,.3\n*DENSITY\n7800\n*MATERIAL,NAME=unused\n"
    "*SOLID SECTION,ELSET=a,MATERIAL=steel\n.001\n*SOLID SECTION,ELSET=b,MATERIAL=steel\n.002\n";
const std::string kMaterial =
    "[material.m]\nyoung = 1e9\npoisson = 0.3\ndensity = 1000\n[section.s]\nshape = \"sheet\"\nthickness = 0.001\n";
const std::string kBody = "[body.p]\nelement = \"membrane_q4\"\ndimension = 2\nmesh = \"p.inp\"\n";
const std::string kPlain = "schema = 1\n" + kMaterial + kBody + "material = \"m\"\nsection = \"s\"\n";

ReadOptions options_with(const std::string& mesh) {
  ReadOptions options;
  options.read_file = [mesh](const std::string& path, size_t) -> FileText {
    if (path == "dir/p.inp" || path == "dir/p.msh") return {mesh, ""};
    return {"", "No such file or directory"};
  };
  return options;
}

Model read_good(const std::string& text, const std::string& mesh, std::string* warnings = nullptr) {
  Diagnostics diagnostics;
  const auto model = read_model("dir/m.toml", text, options_with(mesh), diagnostics);
  EXPECT_TRUE(model.has_value()) << diagnostics.format_all(Severity::error);
  if (warnings != nullptr) *warnings = diagnostics.format_all(Severity::warning);
  return model.value_or(Model{});
}
void expect_error(const std::string& text, const std::string& mesh, const std::string& message, int count = 1) {
  Diagnostics diagnostics;
  const auto model = read_model("dir/m.toml", text, options_with(mesh), diagnostics);
  EXPECT_FALSE(model.has_value());
  const std::string found = diagnostics.format_all(Severity::error);
  EXPECT_NE(found.find(message), found.npos) << found;
  EXPECT_EQ(diagnostics.n_errors(), count) << found;
}
void expect_warning(const std::string& text, const std::string& mesh, const std::string& message) {
  std::string warnings;
  read_good(text, mesh, &warnings);
  EXPECT_NE(warnings.find(message), warnings.npos) << warnings;
}
std::vector<std::string> area_names(const Model& model) {
  std::vector<std::string> names;
  for (const Area& area : model.bodies.at(0).areas) names.push_back(area.name);
  return names;
}

TEST(ImportMeshes, groups_become_areas_sides_and_points) {
  const Model model = read_good(kPlain + "clamp = [\"left\"]\npin = [\"tip\"]\n", kTwo);
  const Body& body = model.bodies[0];
  EXPECT_EQ(area_names(model), (std::vector<std::string>{"a", "b"}));  // `all` overlaps and is not used
  EXPECT_EQ(body.areas[1].elements, (std::vector<int>{1}));
  ASSERT_NE(body.find_point("tip"), nullptr);
  EXPECT_EQ(body.find_point("tip")->x, Vec3(2, 1, 0));
  EXPECT_TRUE(body.has_side("left") && body.has_side("apart") && !body.has_side("a.1"));
  const Mesh mesh = make_mesh(body);
  EXPECT_EQ(mesh.nodes.size(), 6u);
  EXPECT_EQ(mesh.nodes_at("left"), (std::vector<int>{0, 3}));
  EXPECT_EQ(mesh.nodes_at("tip"), (std::vector<int>{5}));
  EXPECT_EQ(mesh.elements[1].area, 1);
  EXPECT_EQ(mesh.elements[1].kind, "membrane_q4");
  EXPECT_EQ(mesh.size, std::sqrt(5.0));
}

TEST(ImportMeshes, what_is_used_decides_which_groups_are_areas) {
  const std::string load = "[[body.p.load]]\non = \"all\"\nforce_per_area = [1, 0, 0]\n";
  EXPECT_EQ(area_names(read_good(kPlain + load, kTwo)), (std::vector<std::string>{"all"}));
  EXPECT_EQ(area_names(read_good(kPlain + "[body.p.area.b]\n", kTwo)), (std::vector<std::string>{"b", "a"}));
  // What is left over has a name too.
  const std::string some = "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT,TYPE=CPS4\n1,1,2,3,4\n";
  EXPECT_EQ(area_names(read_good(kPlain, some)), (std::vector<std::string>{"mesh"}));
  EXPECT_EQ(read_good(kPlain + "[body.p.area.mesh]\nmaterial = \"m\"\n", some).bodies[0].areas.size(), 1u);
  expect_error(kPlain + "[body.p.area.b]\n" + load, kTwo,
               "dir/p.inp:11:1: error: element 2 is in groups `b` and `all`");
  expect_error(kPlain + "[body.p.area.mesh]\n", kTwo, "area `mesh` has no elements: all are in groups of `p.inp`");
}

TEST(ImportMeshes, materials_and_sections_of_the_file) {
  const Model model = read_good("schema = 1\n" + kBody, kTwo + kSections);
  ASSERT_EQ(model.materials.size(), 1u);  // what nothing names stays out
  EXPECT_EQ(model.materials[0].young, 210e9);
  ASSERT_EQ(model.sections.size(), 2u);
  EXPECT_EQ(model.find_section(model.bodies[0].areas[1].section.value)->thickness, 0.002);
  // The model file goes before.
  const Model own =
      read_good("schema = 1\n" + kMaterial + kBody + "section = \"s\"\nmaterial = \"m\"\n", kTwo + kSections);
  EXPECT_EQ(own.materials.size(), 1u);
  EXPECT_TRUE(own.bodies[0].areas[0].section.value.empty());
  const Model mixed = read_good(
      "schema = 1\n" + kMaterial + kBody + "[body.p.area.a]\nmaterial = \"m\"\nsection = \"s\"\n", kTwo + kSections);
  EXPECT_EQ(mixed.bodies[0].areas[0].material.value, "m");
  EXPECT_EQ(mixed.bodies[0].areas[1].material.value, "steel");
  // By name from the model file, and the same material twice is one.
  EXPECT_EQ(read_good("schema = 1\n" + kBody + "material = \"steel\"\n", kTwo + kSections).materials.size(), 1u);
  const auto steel = [](const char* young) {
    return std::string("schema = 1\n[material.steel]\nyoung = ") + young + "\npoisson = 0.3\ndensity = 7800\n";
  };
  read_good(steel("210e9") + kBody, kTwo + kSections);
  expect_error(steel("200e9") + kBody, kTwo + kSections,
               "material `steel` is also in the mesh file, with other values");
  expect_error("schema = 1\n" + kBody, kTwo, "no material for area `a`", 4);
}

TEST(ImportMeshes, the_echo_reads_back) {
  const std::string text = "schema = 1\n" + kBody +
                           "clamp = [\"left\"]\n[body.p.area.b]\n[[body.p.load]]\nat = \"tip\"\n"
                           "force = [1, 0, 0]\n";
  const std::string echo = echo_toml(read_good(text, kTwo + kSections));
  EXPECT_EQ(echo.find("steel]"), echo.npos) << echo;
  EXPECT_EQ(echo.find("area.a]"), echo.npos) << echo;
  EXPECT_NE(echo.find("mesh = \"p.inp\"\n"), echo.npos) << echo;
  const Model again = read_good(echo, kTwo + kSections);
  EXPECT_EQ(echo_toml(again), echo);
  EXPECT_EQ(area_names(again), (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(move_files(again, "dir", "dir/out").bodies[0].mesh_file, "../p.inp");
}

TEST(ImportMeshes, what_is_wrong_with_the_keys) {
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = kPlain;
    return text.replace(text.find(from), from.size(), to);
  };
  expect_error(with("\"p.inp\"", "\"q.inp\""), kTwo, "mesh = \"q.inp\", cannot be read: No such file");
  expect_error(with("\"p.inp\"", "\"p.stl\""), kTwo, "mesh = \"p.stl\", must end in .msh (Gmsh) or .inp");
  expect_error(with("\"p.inp\"", "\"p.inp\"\nmesh_unit = \"kg\""), kTwo,
               "mesh_unit = \"kg\", must be a unit of length");
  EXPECT_EQ(read_good(with("\"p.inp\"", "\"p.inp\"\nmesh_unit = \"mm\""), kTwo).bodies[0].mesh->nodes[1].x.x(), 1e-3);
  expect_error(kPlain + "[body.p.area.c]\n", kTwo, "area `c` has no `corners` and is no group of elements in `p.inp`");
  expect_error(kPlain + "[body.p.area.a]\nnx = 2\n", kTwo, "area `a` with `corners`, `nx` or `ny` besides `mesh`");
  expect_error(kPlain + "rectangle = { from = [0,0,0], to = [1,1,0], nx = 1, ny = 1 }\n", kTwo,
               "`rectangle` besides `mesh`, a body has one of them");
  expect_error(kPlain + "points = { tip = [0, 0, 0] }\n", kTwo, "point `tip` has the name of a point of `p.inp`");
  expect_error(kPlain + "points = { left = [0, 0, 0] }\n", kTwo, "point `left` has the name of a side of `p.inp`");
  expect_error(kPlain + "clamp = [\"lift\"]\n", kTwo, "clamp at unknown point or side `lift` of body `p`");
  expect_error(with("membrane_q4", "beam_rayleigh") + "line = { from = [0,0,0], to = [1,0,0], elements = 1 }\n", kTwo,
               "`mesh` belongs to areas, not to `beam_rayleigh`", 2);
  expect_error(kPlain + "[[body.p.load]]\non = \"apart\"\nforce_per_length = [1, 0, 0]\n", kTwo,
               "a force per length on `apart`, whose nodes are not the ends of a common edge");
  expect_error(
      "schema = 1\n" + kMaterial +
          "[body.p]\nelement = \"membrane_q4\"\ndimension = 2\nmaterial = \"m\"\nsection = \"s\"\n[body.p.area.x]\n",
      kTwo, "missing key `corners` in [body.p.area.x]", 2);
}

TEST(ImportMeshes, points_of_the_model_file_need_one_node) {
  read_good(kPlain + "points = { P = [1, 0, 0] }\npin = [\"P\"]\n", kTwo);
  expect_error(kPlain + "points = { P = [1, 0.1, 0] }\npin = [\"P\"]\n", kTwo,
               "a support at point `P`, which is not on a node of the mesh");
  // A cut through the mesh: two nodes at (1, 0).
  const std::string cut =
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,2,0\n6,2,1\n7,1,0\n*ELEMENT,TYPE=CPS4\n1,1,2,3,4\n2,7,5,6,3\n";
  EXPECT_EQ(make_mesh(read_good(kPlain, cut).bodies[0]).nodes.size(), 7u);
  expect_error(kPlain + "points = { P = [1, 0, 0] }\npin = [\"P\"]\n", cut,
               "a support at point `P`, where nodes 2 and 7 of the mesh lie");
}

TEST(ImportMeshes, elements_must_be_of_the_bodys_kind) {
  const auto body = [](const std::string& element) {
    std::string text = kPlain;
    return text.replace(text.find("membrane_q4"), 11, element);
  };
  const std::string triangle =
      "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n5,2,0\n*ELEMENT,TYPE=CPS4\n1,1,2,3,4\n*ELEMENT,TYPE=CPS3\n2,2,5,3\n";
  for (const char* element : {"membrane_q4", "membrane_t3"}) {
    const Mesh mesh = make_mesh(read_good(body(element), triangle).bodies[0]);
    EXPECT_EQ(mesh.elements[0].kind, "membrane_q4");
    EXPECT_EQ(mesh.elements[1].kind, "membrane_t3");
  }
  expect_error(
      body("membrane_q8"), kTwo,
      "dir/p.inp:9:1: error: element 1 at (0.5, 0.5, 0) m has 4 nodes, `membrane_q8` needs middles of the sides");
  expect_error(body("membrane_rectangle"), triangle, "is a triangle, `membrane_rectangle` knows none");
  read_good(body("membrane_rectangle"), kTwo);
  expect_error(body("membrane_rectangle"), "*NODE\n1,0,0\n2,1,0\n3,1.1,1\n4,0,1\n*ELEMENT,TYPE=CPS4\n1,1,2,3,4\n",
               "element 1 at (0.525, 0.5, 0) m is no rectangle");
  expect_error(kPlain, "*NODE\n1,0,0\n2,1,0\n3,1,1,1\n4,0,1\n*ELEMENT,TYPE=S4\n1,1,2,3,4\n",
               "node 3 of `p.inp` has z = 1 m, must be 0 in a body of dimension 2");
  expect_warning(kPlain, "*NODE\n1,0,0\n2,1,0\n3,1,1\n4,0,1\n*ELEMENT,TYPE=CPE4\n1,1,2,3,4\n", "plane strain (CPE)");
  expect_warning(kPlain, "*NODE\n1,0,0\n2,1,0\n3,1,1\n5,1,0\n6,2,0\n7,2,1\n*ELEMENT,TYPE=CPS3\n1,1,2,3\n2,5,6,7\n",
                 "mesh `p.inp` has 2 parts that share no nodes");
}

// ---- export ----

TEST(ExportMesh, reads_back_the_same) {
  for (const std::string element : {"membrane_t3", "membrane_q4", "membrane_t6", "membrane_q8"}) {
    const std::string head = "schema = 1\n" + kMaterial +
                             "[body.p]\ndimension = 2\nmaterial = \"m\"\nsection = \"s\"\nelement = \"" + element +
                             "\"\n";
    const Model model = read_good(head +
                                      "points = { A = [0, 0, 0], B = [1.1, 0, 0], C = [1, 1, 0], D = [0, 1.2, 0], E = "
                                      "[2, 0, 0], F = [2, 1, 0] }\n[body.p.area.one]\ncorners = [\"A\", \"B\", \"C\", "
                                      "\"D\"]\nnx = 3\nny = 2\n[body.p.area.two]\ncorners = [\"B\", \"E\", \"F\", "
                                      "\"C\"]\nnx = 1\nny = 2\n",
                                  "");
    const SurfaceMesh out = make_surface_mesh(model, model.bodies[0], make_mesh(model.bodies[0]));
    EXPECT_EQ(out.areas.size(), 2u);
    EXPECT_EQ(out.sides.size(), 8u);
    EXPECT_EQ(out.points.size(), 6u);
    for (const char* file : {"p.msh", "p.inp"}) {
      const std::string text = std::string(file) == "p.msh" ? to_msh(out) : to_inp(out);
      std::string warnings;
      const Model again = read_good(head + "mesh = \"" + file + "\"\n", text, &warnings);
      EXPECT_EQ(warnings, "") << file;
      EXPECT_TRUE(is_same_mesh(*again.bodies[0].mesh, out)) << element << file;
      EXPECT_TRUE(is_same_mesh(make_surface_mesh(again, again.bodies[0], make_mesh(again.bodies[0])), out)) << file;
    }
  }
}

TEST(ExportMesh, materials_and_sections_are_in_the_inp) {
  const Model model = read_good("schema = 1\n" + kBody, kTwo + kSections);
  const std::string text = to_inp(make_surface_mesh(model, model.bodies[0], make_mesh(model.bodies[0])));
  const Model again = read_good("schema = 1\n" + kBody, text);
  EXPECT_EQ(again.materials.at(0).density, 7800);
  EXPECT_EQ(again.find_section(again.bodies[0].areas[1].section.value)->thickness, 0.002);
  EXPECT_EQ(area_names(again), area_names(model));
}

}  // namespace
}  // namespace elodyn
