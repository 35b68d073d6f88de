// Mechanisms for tests, built without a file.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "elodyn/mechanism/liaison.hpp"
#include "elodyn/model/model.hpp"

namespace elodyn::test {

using NamedPoints = std::initializer_list<std::pair<const char*, Vec3>>;

inline std::vector<Point> make_points(NamedPoints points) {
  std::vector<Point> out;
  for (const auto& [name, x] : points) {
    Point point;
    point.name = name;
    point.x = x;
    out.push_back(point);
  }
  return out;
}

inline Body& add_planar_body(Model& model, const std::string& name, double mass, double inertia, NamedPoints points) {
  Body& body = model.bodies.emplace_back();
  body.name = name;
  body.dimension = 2;
  body.mass = mass;
  body.inertia = inertia;
  body.points = make_points(points);
  return body;
}

inline Body& add_body(Model& model, const std::string& name, double mass, const Vec3& inertia, NamedPoints points) {
  Body& body = model.bodies.emplace_back();
  body.name = name;
  body.dimension = 3;
  body.mass = mass;
  body.inertia_tensor = {inertia[0], inertia[1], inertia[2], 0, 0, 0};
  body.points = make_points(points);
  return body;
}

inline Joint& add_joint(Model& model, const std::string& name, Joint::Kind kind, const std::string& a,
                        const std::string& b) {
  Joint& joint = model.joints.emplace_back();
  joint.name = name;
  joint.kind = kind;
  joint.a.value = a;
  joint.b.value = b;
  return joint;
}

inline AnyQuantity number(double value) { return {value, {}, false, false}; }

inline Expression expression(const std::string& text, const std::vector<std::string>& variables = {"t"}) {
  Expression out;
  const auto error = out.parse(text, variables);
  EXPECT_FALSE(error) << text;
  return out;
}

inline void add_driver(Model& model, const std::string& joint, const std::string& position) {
  Driver& driver = model.drivers.emplace_back();
  driver.name = "drive_" + joint;
  driver.joint.value = joint;
  driver.position = expression(position);
}

inline std::vector<double> times_to(double end, int intervals) {
  std::vector<double> out;
  for (int k = 0; k <= intervals; ++k) out.push_back(end * k / intervals);
  return out;
}

// Mechanism, assembled, and its motion.
struct Moved {
  Mechanism mechanism;
  Assembly assembly;
  MechanismMotion motion;
  explicit Moved(const Model& model, const MotionOptions& options)
      : mechanism(model), assembly(assemble(mechanism, options.times.front())) {
    motion = run_mechanism(mechanism, assembly, options);
  }
  MechanismInstant at(Eigen::Index k) const {
    MechanismInstant out = mechanism.make_instant();
    mechanism.evaluate({motion.times[static_cast<size_t>(k)], motion.q.col(k), motion.v.col(k), motion.x.col(k)}, out);
    return out;
  }
  Vec3 point(Eigen::Index k, const std::string& name) const {
    return mechanism.calc_point(at(k), mechanism.make_side(name));
  }
  std::vector<JointLoad> loads(Eigen::Index k) const {
    std::vector<JointLoad> out;
    calc_joint_loads(mechanism, at(k), motion.lambda.col(k), motion.friction.col(k), out);
    return out;
  }
};

}  // namespace elodyn::test
