// Bodies from mesh files against the same bodies without them, and the patch test on a mixed mesh.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "elodyn/io/read_model.hpp"
#include "elodyn/io/write_mesh.hpp"
#include "elodyn/mesh/surface_mesh_of.hpp"
#include "elodyn/study/run.hpp"
#include "elodyn/system/surface_recovery.hpp"

namespace elodyn {
namespace {

const std::string kHead =
    "schema = 1\n[material.m]\nyoung = 210e9\npoisson = 0.3\ndensity = 7800\n[section.s]\nshape = \"sheet\"\n"
    "thickness = 2e-3\n[body.b]\nmaterial = \"m\"\nsection = \"s\"\n";

Model read(const std::string& body, const std::string& mesh = {}, int dimension = 2) {
  ReadOptions options;
  options.read_file = [&](const std::string&, size_t) { return FileText{mesh, ""}; };
  Diagnostics diagnostics;
  const std::string head = kHead + "dimension = " + std::to_string(dimension) + "\n";
  const auto model = read_model("m.toml", head + body, options, diagnostics);
  EXPECT_TRUE(model.has_value()) << diagnostics.format_all(Severity::error);
  return model.value_or(Model{});
}

// The same mesh with nodes, elements and the corner that each begins with in another order.
SurfaceMesh shuffle(const SurfaceMesh& mesh, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> place(mesh.nodes.size());
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), random);
  SurfaceMesh out = mesh;
  for (size_t i = 0; i < place.size(); ++i) out.nodes[static_cast<size_t>(place[i])] = mesh.nodes[i];
  const auto move = [&](int node) { return node < 0 ? node : place[static_cast<size_t>(node)]; };
  for (SurfaceMesh::Element& element : out.elements) {
    for (int& node : element.nodes) node = move(node);
    const auto n = static_cast<std::ptrdiff_t>(element.n_corners), by = static_cast<std::ptrdiff_t>(random() % 3);
    const auto begin = element.nodes.begin();
    std::rotate(begin, begin + by, begin + n);
    if (element.has_middles) std::rotate(begin + n, begin + n + by, begin + 2 * n);
  }
  std::shuffle(out.elements.begin(), out.elements.end(), random);  // there is one area, with all of them
  for (SurfaceMesh::Side& side : out.sides) {
    for (int& node : side.nodes) node = move(node);
    std::sort(side.nodes.begin(), side.nodes.end());
    for (SurfaceMesh::Piece& piece : side.pieces)
      for (int& node : piece) node = move(node);
  }
  for (SurfaceMesh::Point& point : out.points) point.node = move(point.node);
  return out;
}

std::vector<double> frequencies(Model model) {
  model.modes = ModesRequest{};
  model.modes->count = 8;
  const Results results = run_modes(model);
  EXPECT_TRUE(results.outcome.ok()) << results.outcome.message;
  std::vector<double> out;
  for (const Mode& mode : results.modes) out.push_back(mode.omega);
  return out;
}

// A clamped plate that spins: as a rectangle, and from files with other numbers. The matrices are the same but for the
// order of their sums and the corner from which shapes count: frequencies agree to the round-off of the eigensolver,
// some 1e-13 of the ratio of largest to lowest eigenvalue's root here.
TEST(ImportedMesh, FrequenciesOfARectangle) {
  for (const std::string element : {"membrane_t3", "membrane_q4", "membrane_t6", "membrane_q8"}) {
    const std::string keys = "element = \"" + element + "\"\nclamp = [\"left\"]\n";
    const std::string motion = "[body.b.motion]\nkind = \"spin\"\nspeed = 500\nthrough = [-0.1, 0.08, 0]\n";
    const Model plain = read(keys + "rectangle = { from = [0, 0, 0], to = [0.2, 0.16, 0], nx = 6, ny = 5 }\n" + motion);
    const SurfaceMesh mesh = shuffle(make_surface_mesh(plain, plain.bodies[0], make_mesh(plain.bodies[0])), 7);
    const std::vector<double> want = frequencies(plain);
    ASSERT_EQ(want.size(), 8u);
    for (const char* file : {"p.msh", "p.inp"}) {
      const std::string text = std::string(file) == "p.msh" ? to_msh(mesh) : to_inp(mesh);
      const std::vector<double> got = frequencies(read(keys + "mesh = \"" + file + "\"\n" + motion, text));
      ASSERT_EQ(got.size(), want.size());
      for (size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(got[k], want[k], 1e-12 * want[k]) << element << file << k;
    }
  }
}

// Plates, the same way: shells in the files. Stiffness in the plane is (b/t)² = 6400 times that of bending.
TEST(ImportedMesh, FrequenciesOfAPlate) {
  for (const std::string element : {"plate_dkt", "plate_mitc4", "plate_acm"}) {
    const std::string keys = "element = \"" + element + "\"\nclamp = [\"left\"]\n";
    const std::string more = "[[body.b.hinge]]\nat = \"right\"\n[body.b.motion]\nkind = \"spin\"\nspeed = 100\n";
    const Model plain =
        read(keys + "rectangle = { from = [0, 0, 0], to = [0.2, 0.16, 0], nx = 6, ny = 5 }\n" + more, {}, 3);
    const SurfaceMesh mesh = shuffle(make_surface_mesh(plain, plain.bodies[0], make_mesh(plain.bodies[0])), 7);
    const std::vector<double> want = frequencies(plain);
    for (const char* file : {"p.msh", "p.inp"}) {
      const std::string text = std::string(file) == "p.msh" ? to_msh(mesh) : to_inp(mesh);
      const std::vector<double> got = frequencies(read(keys + "mesh = \"" + file + "\"\n" + more, text, 3));
      ASSERT_EQ(got.size(), want.size());
      for (size_t k = 0; k < want.size(); ++k) EXPECT_NEAR(got[k], want[k], 1e-9 * want[k]) << element << file << k;
    }
  }
}

// Constant stress in distorted triangles and quadrilaterals side by side, by loads on the sides: exactly.
TEST(ImportedMesh, PatchTestOnAMixedMesh) {
  const Vec3 want(3e6, -1e6, 2e6);
  Eigen::Matrix2d sigma;
  sigma << want[0], want[2], want[2], want[1];
  // A patch of 3 × 2 cells with inner nodes moved; every other cell is cut into two triangles.
  constexpr int kX = 3, kY = 2;
  const auto place = [](double i, double j) {
    const bool inside = i > 0 && i < kX && j > 0 && j < kY;
    return Eigen::Vector2d(0.1 * i + (inside ? 0.017 * std::sin(5 * i + 3 * j) : 0),
                           0.08 * j + (inside ? 0.015 * std::cos(4 * i - 2 * j) : 0));
  };
  for (const bool quadratic : {false, true}) {
    const int step = quadratic ? 2 : 1;
    std::string nodes = "*NODE\n", triangles, quadrilaterals, sets;
    const auto number = [&](int i, int j) { return j * (step * kX + 1) + i + 1; };
    const auto at = [&](int i, int j) {  // middles of straight sides
      if (!quadratic) return place(i, j);
      const auto corner = [&](int a, int b) { return place(a / 2.0, b / 2.0); };
      const int i0 = i - i % 2, i1 = i + i % 2, j0 = j - j % 2, j1 = j + j % 2;
      return Eigen::Vector2d((corner(i0, j0) + corner(i1, j1)) / 2);
    };
    for (int j = 0; j <= step * kY; ++j)
      for (int i = 0; i <= step * kX; ++i) nodes += fmt::format("{},{},{}\n", number(i, j), at(i, j)[0], at(i, j)[1]);
    int element = 0;
    for (int b = 0; b < kY; ++b)
      for (int a = 0; a < kX; ++a) {
        const int i = step * a, j = step * b, i2 = i + step, j2 = j + step, im = i + 1, jm = j + 1;
        const auto row = [&](std::initializer_list<std::array<int, 2>> corners,
                             std::initializer_list<std::array<int, 2>> middles) {
          std::string text = std::to_string(++element);
          for (const auto& [p, q] : corners) text += "," + std::to_string(number(p, q));
          if (quadratic)
            for (const auto& [p, q] : middles) text += "," + std::to_string(number(p, q));
          return text + "\n";
        };
        if ((a + b) % 2 == 0) {
          quadrilaterals += row({{i, j}, {i2, j}, {i2, j2}, {i, j2}}, {{im, j}, {i2, jm}, {im, j2}, {i, jm}});
        } else {
          triangles += row({{i, j}, {i2, j}, {i2, j2}}, {{im, j}, {i2, jm}, {im, jm}});
          triangles += row({{i, j}, {i2, j2}, {i, j2}}, {{im, jm}, {im, j2}, {i, jm}});
        }
      }
    const auto set = [&](const char* name, int i0, int i1, int j0, int j1) {
      sets += fmt::format("*NSET,NSET={}\n", name);
      for (int j = j0; j <= j1; ++j)
        for (int i = i0; i <= i1; ++i) sets += fmt::format("{}\n", number(i, j));
    };
    const int nx = step * kX, ny = step * kY;
    set("bottom", 0, nx, 0, 0);
    set("right", nx, nx, 0, ny);
    set("top", 0, nx, ny, ny);
    set("left", 0, 0, 0, ny);
    set("A", 0, 0, 0, 0);
    set("B", nx, nx, 0, 0);
    const std::string mesh = nodes + "*ELEMENT,TYPE=CPS" + (quadratic ? "6" : "3") + "\n" + triangles +
                             "*ELEMENT,TYPE=CPS" + (quadratic ? "8" : "4") + "\n" + quadrilaterals + sets;
    std::string keys =
        fmt::format("element = \"membrane_{}\"\nmesh = \"p.inp\"\npin = [\"A\"]\n", quadratic ? "q8" : "t3");
    keys += "[[body.b.roller]]\nat = \"B\"\nnormal = [0, 1, 0]\n";
    const std::pair<const char*, Eigen::Vector2d> sides[] = {
        {"bottom", {0, -1}}, {"right", {1, 0}}, {"top", {0, 1}}, {"left", {-1, 0}}};
    for (const auto& [name, normal] : sides) {
      const Eigen::Vector2d n = 2e-3 * sigma * normal;
      keys += fmt::format("[[body.b.load]]\non = \"{}\"\nforce_per_length = [{}, {}, 0]\n", name, n[0], n[1]);
    }
    Model model = read(keys, mesh);
    model.terms.geometric = false;
    const BodySystem s = make_body_system(model, model.bodies[0]);
    const FactorValues at_rest = s.calc_factors(0);
    const VectorX q =
        s.constraints.expand(StaticSolver(s, s.reduced.calc_stiffness(at_rest)).solve(s.reduced.calc_load(at_rest)));
    const SurfaceStress found = calc_surface_stress(s, at_rest, q);
    ASSERT_GE(found.nodes.size(), 12u);
    for (const NodeStress& node : found.nodes)
      EXPECT_LE((node.stress - want).cwiseAbs().maxCoeff(), 1e-9 * want.norm()) << quadratic;
  }
}

}  // namespace
}  // namespace elodyn
