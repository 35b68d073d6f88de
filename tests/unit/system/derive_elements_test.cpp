// The sums of many elements: the same digits on any number of threads, and the places of blocks in a pattern.
#include "elodyn/system/derive_elements.hpp"

#include "tests/support/models.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/parallel.hpp"

namespace elodyn {
namespace {

struct Threads {
  explicit Threads(int n) { set_threads(n); }
  ~Threads() { set_threads(0); }
};

// A star of three long arms: elements far apart in the mesh meet at its middle.
Model make_star(int elements) {
  test::RodOptions options;
  options.elements = elements;
  options.speed = 30;
  Model model = test::make_rod(options);
  Body& body = model.bodies[0];
  body.points.push_back(test::make_point("left", {-0.3, 0.4, 0}));
  body.points.push_back(test::make_point("down", {0.1, -0.7, 0}));
  body.members.push_back(test::make_member("a", "from", "left", elements));
  body.members.push_back(test::make_member("b", "from", "down", elements));
  LumpedMass mass;
  mass.at.value = "from";
  mass.mass = 0.3;
  mass.inertia = 0.01;
  body.masses.push_back(mass);
  Load load;
  load.on = Located<std::string>{};
  load.on->value = "a";
  load.force_per_length = {3, -2, 0};
  body.loads.push_back(load);
  return model;
}

TEST(DeriveElements, SameDigitsOnAnyNumberOfThreads) {
  const Model model = make_star(2000);
  std::vector<AffineEquation> equations;
  for (const int threads : {1, 2, 5}) {
    const Threads set(threads);
    equations.push_back(make_body_system(model, model.bodies[0]).full);
  }
  for (size_t other = 1; other < equations.size(); ++other) {
    ASSERT_EQ(equations[other].matrices.size(), equations[0].matrices.size());
    for (size_t k = 0; k < equations[0].matrices.size(); ++k)
      EXPECT_TRUE(equations[other].matrices[k].values == equations[0].matrices[k].values)
          << equations[0].matrices[k].name;
    for (size_t k = 0; k < equations[0].loads.size(); ++k)
      EXPECT_TRUE(equations[other].loads[k].values == equations[0].loads[k].values) << equations[0].loads[k].name;
  }
}

TEST(DeriveElements, GroupsHoldEveryElementOnce) {
  const Model model = make_star(21);
  BodySystem system;
  system.model = &model;
  system.body = &model.bodies[0];
  system.mesh = make_mesh(model.bodies[0]);
  const ElementSource source(system);
  size_t next = 0;
  for (const ElementGroup& group : source.groups()) {
    EXPECT_EQ(group.first, next);
    EXPECT_LE(group.count, Batch::kLanes);
    next += static_cast<size_t>(group.count);
  }
  EXPECT_EQ(next, system.mesh.elements.size());
  for (const ElementSpec& spec : system.mesh.elements)
    if (spec.member <= 1) {
      EXPECT_EQ(source.loads().on(spec, 0).force, spec.member == 1 ? Vec3(3, -2, 0) : Vec3(Vec3::Zero()))
          << spec.member;
    }
}

TEST(SparsePattern, FindsBlocks) {
  // Columns with the rows of the one before and without; dofs that are not neighbours, not sorted, repeated.
  const SparsePattern pattern(9, {{0, 1, 2, 3}, {2, 3, 4, 8}, {5, 6}, {8, 5, 0}});
  std::vector<int> places;
  for (const std::vector<int>& dofs : {std::vector{0, 1, 2, 3}, std::vector{8, 4, 2, 3}, std::vector{5, 6},
                                       std::vector{8, 5, 0}, std::vector{2, 2, 3}}) {
    pattern.find_block(dofs, places);
    ASSERT_EQ(places.size(), dofs.size() * dofs.size());
    for (size_t j = 0; j < dofs.size(); ++j)
      for (size_t i = 0; i < dofs.size(); ++i) EXPECT_EQ(places[j * dofs.size() + i], pattern.index(dofs[i], dofs[j]));
  }
}

}  // namespace
}  // namespace elodyn
