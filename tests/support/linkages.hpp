// Mechanisms whose elastic links are joined, for tests.
#pragma once

#include <vector>

#include "tests/support/elastic_mechanisms.hpp"
#include "tests/support/results.hpp"

#include "elodyn/analysis/linkage_motion.hpp"
#include "elodyn/study/linkage.hpp"

namespace elodyn::test {

// A rod that a driven hinge swings from rest, about z or about a slanting axis in space. Its end is held by the hinge
// and the driver, so it is a cantilever in a moving frame, as it is with a clamp there and no joints.
inline Model make_hinged_rod(int dimension, const ElasticRod& shape) {
  Model model;
  model.gravity = Vec3(0.3, -9.81, dimension == 3 ? 2 : 0);
  model.ground_points = make_points({{"O", Vec3(0.1, 0.2, 0)}});
  ElasticRod rod = shape;
  rod.dimension = dimension;
  Body& link = add_elastic_rod(model, rod);
  link.place = Vec3(0.1, 0.2, 0);
  link.supports.resize(1);
  link.supports[0].kind = Support::Kind::clamp;
  Joint& hinge = add_joint(model, "O", Joint::Kind::revolute, "ground.O", "rod.B");
  if (dimension == 3) hinge.axis = Vec3(1, 2, 3);
  add_driver(model, "O", "10*(t - sin(20*t)/20)");
  model.drivers[0].speed = expression("10*(1 - cos(20*t))");
  model.drivers[0].acceleration = expression("200*sin(20*t)");
  model.mechanism = MechanismRequest{};
  model.mechanism->kind = MechanismRequest::Kind::inverse;
  model.mechanism->duration = 0.3;
  return model;
}

// Deflections in time of a point of the rod, along x, y, z: of the link for itself, and of the joined links.
inline LinkageRequest make_transient(double duration, double step, int records) {
  LinkageRequest out;
  out.kind = LinkageRequest::Kind::transient;
  out.duration = duration;
  out.step = step;
  out.records = records;
  out.count = 0;
  return out;
}

inline Results run_linkage_of(Model model, const LinkageRequest& request) {
  model.linkage = request;
  Results out;
  add_linkage(model, out);
  return out;
}

inline double largest(const std::vector<double>& values) {
  double out = 0;
  for (const double v : values) out = std::max(out, std::abs(v));
  return out;
}
inline double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double out = 0;
  for (size_t k = 0; k < std::min(a.size(), b.size()); ++k) out = std::max(out, std::abs(a[k] - b[k]));
  return out;
}

}  // namespace elodyn::test
