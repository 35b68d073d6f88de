// Mechanisms with an elastic rod, built without a file.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "tests/support/mechanisms.hpp"
#include "tests/support/models.hpp"

#include "elodyn/study/elastic_links.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn::test {

struct ElasticRod {
  double length = 0.3, young = 210e9, density = 7800;
  double width = 0.005, height = 0.03;  // section y, in the plane of motion; section z
  int elements = 10;
  std::string element = "beam_euler_bernoulli";
  int dimension = 2;
  double area() const { return width * height; }
  double I() const { return height * width * width * width / 12; }
  double mass() const { return density * area() * length; }
};

// From its origin, point B, along x to point C; M in the middle. A pin at B and a roller at C take its rigid motion.
inline Body& add_elastic_rod(Model& model, const ElasticRod& rod, const std::string& name = "rod") {
  Material material;
  material.name = "steel";
  material.young = rod.young;
  material.poisson = 0.3;
  material.density = rod.density;
  model.materials = {material};
  Section section;
  section.name = "flat";
  section.shape = Section::Shape::rectangle;
  section.width = rod.width;
  section.height = rod.height;
  model.sections = {section};
  Body& body = model.bodies.emplace_back();
  body.name = name;
  body.element.value = rod.element;
  body.dimension = rod.dimension;
  body.material.value = "steel";
  body.section.value = "flat";
  body.points = make_points({{"B", Vec3::Zero()}, {"C", Vec3(rod.length, 0, 0)}, {"M", Vec3(rod.length / 2, 0, 0)}});
  body.members = {make_member("left", "B", "M", rod.elements / 2), make_member("right", "M", "C", rod.elements / 2)};
  Support pin, roller;
  pin.kind = Support::Kind::pin;
  pin.at.value = "B";
  roller.kind = Support::Kind::roller;
  roller.at.value = "C";
  roller.normal = Vec3::UnitY();
  body.supports = {pin, roller};
  body.motion.kind = Motion::Kind::mechanism;
  return body;
}

// Crank of length r from the ground at O, rod, slider along x; the crank is driven at a constant speed.
struct ElasticSliderCrank {
  double r = 0.065, speed = 15, m_slider = 0.8, g = 0;
  ElasticRod rod;
  double turns = 1;
  int records = 128;

  double period() const { return 2 * M_PI / speed; }
  Model make() const {
    Model model;
    model.gravity = Vec3(0, -g, 0);
    model.ground_points = make_points({{"O", Vec3::Zero()}});
    add_planar_body(model, "crank", 1, 0.01, {{"O", Vec3::Zero()}, {"B", Vec3(r, 0, 0)}});
    Body& link = add_elastic_rod(model, rod);
    link.place = Vec3(r, 0, 0);
    Body& slider = add_planar_body(model, "slider", m_slider, 1e-3, {{"C", Vec3::Zero()}});
    slider.place = Vec3(r + rod.length, 0, 0);
    add_joint(model, "O", Joint::Kind::revolute, "ground.O", "crank.O");
    add_joint(model, "B", Joint::Kind::revolute, "crank.B", "rod.B");
    add_joint(model, "C", Joint::Kind::revolute, "rod.C", "slider.C");
    add_joint(model, "guide", Joint::Kind::prismatic, "ground.O", "slider.C").axis = Vec3(1, 0, 0);
    Driver& driver = model.drivers.emplace_back();
    driver.name = "drive";
    driver.joint.value = "O";
    driver.position = expression(std::to_string(speed) + "*t");
    driver.speed = expression(std::to_string(speed));
    driver.acceleration = expression("0");
    MechanismRequest request;
    request.kind = MechanismRequest::Kind::inverse;
    request.duration = turns * period();
    request.records = records;
    model.mechanism = request;
    return model;
  }
};

// The rod with all that the rigid stage gives it. The model stays where it is, so that the system may point to it.
struct Linked {
  std::unique_ptr<ElasticLinks> links;
  BodySystem system;
  explicit Linked(ElasticLinks made, const std::string& name = "rod")
      : links(std::make_unique<ElasticLinks>(std::move(made))), system(make_body_system(links->model, body(name))) {}
  explicit Linked(const Model& model) : Linked(make_elastic_links(model)) {}

  const Body& body(const std::string& name = "rod") const {
    for (const Body& b : links->model.bodies)
      if (b.name == name) return b;
    throw std::runtime_error("no body " + name);
  }
  const MotionTable& table() const { return *body().motion.table; }
};

// Loads of a body at one time as a force and a moment about its origin: what is left of motion, gravity and joints.
struct Resultant {
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
  double size = 0;  // of the largest single load
};
inline Resultant calc_resultant(const BodySystem& s, double t) {
  const FactorValues at = s.calc_factors(t);
  Resultant out;
  const auto sum = [&](const VectorX& f) {
    Resultant own;
    for (const Node& node : s.mesh.nodes) {
      const Vec3 force = components(node.translations(), f);
      own.force += force;
      own.moment += node.x.cross(force) + components(node.rotations(), f);
    }
    return own;
  };
  for (const LoadTerm& load : s.full.loads) {
    const Resultant own = sum(at(load.factor) * load.coefficient * load.values);
    out.force += own.force;
    out.moment += own.moment;
    out.size = std::max(out.size, own.force.norm());
  }
  return out;
}

}  // namespace elodyn::test
