#include "elodyn/mesh/mesh.hpp"

#include "tests/support/models.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

Point point(const std::string& name, const Vec3& x) {
  Point p;
  p.name = name;
  p.x = x;
  return p;
}
Member member(const std::string& name, const std::string& from, const std::string& to, int elements,
              const std::string& section = {}) {
  Member m;
  m.name = name;
  m.from.value = from;
  m.to.value = to;
  m.elements.value = elements;
  m.section.value = section;
  return m;
}

int count(const Mesh& mesh, DofKind kind) {
  int n = 0;
  for (const Dof& dof : mesh.dofs) n += dof.kind == kind ? 1 : 0;
  return n;
}

TEST(Mesh, NodesAtOnePlaceAreOneNode) {
  Body b = test::make_rod({}).bodies[0];
  b.points = {point("A", {0, 0, 0}), point("B", {1, 0, 0}), point("C", {0.5, -1, 0}), point("D", {0.5, 1, 0}),
              point("M", {0.5, 0, 0})};
  b.members = {member("across", "A", "B", 4), member("up", "C", "D", 2)};
  b.supports.clear();
  const Mesh mesh = make_mesh(b);
  EXPECT_EQ(mesh.nodes.size(), 5u + 3u - 1u);  // the members cross in M
  EXPECT_EQ(mesh.nodes[static_cast<size_t>(mesh.node_of_point.at("M"))].point, "M");
  EXPECT_EQ(mesh.n_dofs(), 3 * 7);
}

TEST(Mesh, InternalAndNamedDofs) {
  Body b = test::make_rod({.elements = 3, .degree = 5, .axial_degree = 3}).bodies[0];
  const Mesh mesh = make_mesh(b);
  EXPECT_EQ(count(mesh, DofKind::u), 4);
  EXPECT_EQ(count(mesh, DofKind::axial), 6);
  EXPECT_EQ(count(mesh, DofKind::kz), 4);  // shared inside, own at the ends
  EXPECT_EQ(mesh.describe(mesh.nodes[0].dofs.at(DofKind::v)), "v of node 1 (point `from`)");
}

// v'' is shared between collinear elements of equal section where no moment acts; else each element has its own.
TEST(Mesh, CurvatureIsSharedOnlyWhereItIsContinuous) {
  Body b = test::make_rod({.degree = 5}).bodies[0];
  b.points = {point("A", {0, 0, 0}), point("B", {1, 0, 0}), point("C", {2, 0, 0}), point("D", {2, 1, 0})};
  b.supports.clear();
  b.members = {member("ab", "A", "B", 1), member("bc", "B", "C", 1)};
  EXPECT_EQ(count(make_mesh(b), DofKind::kz), 3);
  b.members = {member("ab", "A", "B", 1), member("cb", "C", "B", 1)};  // the second runs backwards
  const Mesh backwards = make_mesh(b);
  EXPECT_EQ(count(backwards, DofKind::kz), 3);
  EXPECT_EQ(backwards.elements[1].curvature_sign[1][0], -1);
  b.members = {member("ab", "A", "B", 1), member("bc", "B", "C", 1, "other")};
  EXPECT_EQ(count(make_mesh(b), DofKind::kz), 4);
  b.members = {member("ab", "A", "B", 1), member("bd", "B", "D", 1)};  // bent
  EXPECT_EQ(count(make_mesh(b), DofKind::kz), 4);
  b.members = {member("ab", "A", "B", 1), member("bc", "B", "C", 1), member("bd", "B", "D", 1)};  // branching
  EXPECT_EQ(count(make_mesh(b), DofKind::kz), 6);

  b.members = {member("ab", "A", "B", 1), member("bc", "B", "C", 1)};
  Body moment = b, inertia = b, spring = b, clamp = b, pin = b;
  moment.loads.emplace_back();
  moment.loads[0].at = Located<std::string>{"B", {}};
  moment.loads[0].moment = {0, 0, 1};
  EXPECT_EQ(count(make_mesh(moment), DofKind::kz), 4);
  inertia.masses.emplace_back();
  inertia.masses[0].at.value = "B";
  inertia.masses[0].inertia = 1;
  EXPECT_EQ(count(make_mesh(inertia), DofKind::kz), 4);
  spring.springs.emplace_back();
  spring.springs[0].at.value = "B";
  spring.springs[0].rotational_stiffness = {0, 0, 1};
  EXPECT_EQ(count(make_mesh(spring), DofKind::kz), 4);
  clamp.supports = {test::make_support(Support::Kind::clamp, "B")};
  EXPECT_EQ(count(make_mesh(clamp), DofKind::kz), 4);
  pin.supports = {test::make_support(Support::Kind::pin, "B")};
  EXPECT_EQ(count(make_mesh(pin), DofKind::kz), 3);
}

// Neither a hinge, a link, an offset, a spring to another point nor a step of the temperature's gradient lets v'' pass.
TEST(Mesh, CurvatureIsNotSharedAcrossStructure) {
  Body b = test::make_rod({.degree = 5}).bodies[0];
  b.points = {point("A", {0, 0, 0}), point("B", {1, 0, 0}), point("C", {2, 0, 0}), point("D", {2, 1, 0})};
  b.supports.clear();
  b.members = {member("ab", "A", "B", 1), member("bc", "B", "C", 1)};
  Body hinge = b, link = b, offset = b, spring = b, hot = b;
  hinge.members[0].release_to.axis[2] = true;
  const Mesh hinged = make_mesh(hinge);
  EXPECT_EQ(count(hinged, DofKind::kz), 4);
  EXPECT_EQ(count(hinged, DofKind::rz), 4);  // A, B, C and the end of ab
  ASSERT_EQ(hinged.releases.size(), 1u);
  EXPECT_EQ(hinged.releases[0].node, hinged.node_of_point.at("B"));
  EXPECT_TRUE(hinged.releases[0].tied.empty());
  EXPECT_NE(hinged.releases[0].own[2], hinged.nodes[static_cast<size_t>(hinged.releases[0].node)].dofs.at(DofKind::rz));
  link.links.emplace_back();
  link.links[0].from.value = "B";
  link.links[0].to = {{"D", {}}};
  EXPECT_EQ(count(make_mesh(link), DofKind::kz), 4);
  offset.members[1].offset_from = {0, 0.1, 0};
  EXPECT_EQ(count(make_mesh(offset), DofKind::kz), 4);
  spring.springs.emplace_back();
  spring.springs[0].at.value = "B";
  spring.springs[0].to = Located<std::string>{"C", {}};
  EXPECT_EQ(count(make_mesh(spring), DofKind::kz), 4);
  hot.loads.emplace_back();
  hot.loads[0].on = Located<std::string>{"ab", {}};
  hot.loads[0].gradient_y = 5;
  EXPECT_EQ(count(make_mesh(hot), DofKind::kz), 4);
  hot.loads.push_back(hot.loads[0]);
  hot.loads[1].on = Located<std::string>{"bc", {}};
  EXPECT_EQ(count(make_mesh(hot), DofKind::kz), 3);
  hot.members[1] = member("bc", "C", "B", 1);  // y points the other way: the gradient turns its sign in B
  EXPECT_EQ(count(make_mesh(hot), DofKind::kz), 4);
}

TEST(Mesh, ReleasesInSpace) {
  Body b = test::make_rod({.elements = 2}).bodies[0];
  b.dimension = 3;
  b.members[0].release_from.axis = {false, true, false};
  b.members[0].release_to.axis = {true, true, true};
  const Mesh mesh = make_mesh(b);
  ASSERT_EQ(mesh.releases.size(), 2u);
  ASSERT_EQ(mesh.releases[0].tied.size(), 2u);
  EXPECT_EQ(mesh.releases[0].tied[0], Vec3::UnitX());
  EXPECT_EQ(mesh.releases[0].tied[1], Vec3::UnitZ());
  EXPECT_TRUE(mesh.releases[1].tied.empty());
  EXPECT_EQ(mesh.nodes[static_cast<size_t>(mesh.node_of_point.at("from"))].rotations()[1] >= 0, true);
  EXPECT_EQ(mesh.nodes[static_cast<size_t>(mesh.node_of_point.at("to"))].rotations()[1], -1);
  EXPECT_EQ(count(mesh, DofKind::ry), 4);  // the node and the end at `from`, the middle, the end at `to`
}

TEST(Mesh, LinksAreFlattened) {
  Body b = test::make_rod({.elements = 1}).bodies[0];
  b.points.push_back(point("C", {1, 1, 0}));
  b.points.push_back(point("D", {2, 1, 0}));
  for (const auto& [from, to] : {std::pair{"C", "D"}, {"to", "C"}}) {
    RigidLink& link = b.links.emplace_back();
    link.from.value = from;
    link.to = {{to, {}}};
  }
  const Mesh mesh = make_mesh(b);
  ASSERT_EQ(mesh.links.size(), 2u);
  for (const NodeLink& link : mesh.links) EXPECT_EQ(link.root, mesh.node_of_point.at("to"));
  EXPECT_EQ(mesh.nodes.size(), 4u);
  EXPECT_EQ(mesh.n_dofs(), 12);
  b.links[1].from.value = "D";  // a circle, which validate() refuses
  EXPECT_THROW(make_mesh(b), NumericalError);
}

// An offset end is a node of its own, even where another node lies; its size counts too.
TEST(Mesh, OffsetEndsAreNotMerged) {
  Body b = test::make_rod({.elements = 1}).bodies[0];
  b.points = {point("from", {0, 0, 0}), point("to", {1, 0, 0}), point("C", {1, 1, 0})};
  b.members = {member("line", "from", "to", 1), member("up", "to", "C", 1)};
  b.members[0].offset_to = {0, 1, 0};
  const Mesh mesh = make_mesh(b);
  EXPECT_EQ(mesh.nodes.size(), 4u);
  ASSERT_EQ(mesh.links.size(), 1u);
  EXPECT_EQ(mesh.links[0].root, mesh.node_of_point.at("to"));
  EXPECT_NE(mesh.links[0].node, mesh.node_of_point.at("C"));
  EXPECT_EQ(mesh.nodes[static_cast<size_t>(mesh.links[0].node)].x, Vec3(1, 1, 0));
  b.points = {point("from", {0, 0, 0})};
  b.members = {member("line", "from", "from", 2)};
  b.members[0].offset_to = {3, 4, 0};
  EXPECT_EQ(make_mesh(b).size, 5);
  EXPECT_EQ(make_mesh(b).nodes.size(), 3u);
}

// The direction in which members are drawn, and the axes that they are drawn in, change no frequency.
TEST(Mesh, FrequenciesDoNotDependOnDirections) {
  for (const int degree : {3, 5}) {
    Model forward =
        test::make_rod({.degree = degree, .axial_degree = 2, .speed = 200, .through = {-0.1, 0, 0}, .modes = 5});
    forward.bodies[0].points = {point("from", {0, 0, 0}), point("B", {0.25, 0, 0}), point("to", {0.5, 0, 0})};
    forward.bodies[0].members = {member("ab", "from", "B", 5), member("bc", "B", "to", 5)};
    Model mixed = forward, turned = forward;
    mixed.bodies[0].members = {member("ab", "from", "B", 5), member("cb", "to", "B", 5)};
    const double c = std::cos(0.7), s = std::sin(0.7);
    for (Point& p : turned.bodies[0].points) p.x = {c * p.x[0], s * p.x[0], 0};
    turned.bodies[0].motion.through = {-0.1 * c, -0.1 * s, 0};
    const Results a = run_modes(forward), b = run_modes(mixed), t = run_modes(turned);
    for (size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(b.modes[k].omega / a.modes[k].omega, 1, 1e-9);
      EXPECT_NEAR(t.modes[k].omega / a.modes[k].omega, 1, 1e-9);
    }
  }
}

}  // namespace
}  // namespace elodyn
