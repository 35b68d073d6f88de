// Models that several tests build in code.
#pragma once

#include <string>

#include "elodyn/model/model.hpp"

namespace elodyn::test {

struct RodOptions {
  std::string element = "beam_rayleigh";
  int elements = 20, degree = 3, axial_degree = 1;
  double length = 0.5, young = 210e9, density = 7800, diameter = 0.01;
  double speed = 0;  // rad/s about z; 0: at rest
  Vec3 through = Vec3::Zero();
  int modes = 9;
};

// A round rod from the origin along x, clamped at `from`.
inline Model make_rod(const RodOptions& o) {
  Model m;
  m.title = "rod";
  Material material;
  material.name = "steel";
  material.young = o.young;
  material.poisson = 0.3;
  material.density = o.density;
  m.materials.push_back(material);
  Section section;
  section.name = "round";
  section.shape = Section::Shape::circle;
  section.diameter = o.diameter;
  m.sections.push_back(section);
  Body b;
  b.name = "rod";
  b.element.value = o.element;
  b.degree = o.degree;
  b.axial_degree = o.axial_degree;
  b.material.value = "steel";
  b.section.value = "round";
  Point from, to;
  from.name = "from";
  to.name = "to";
  to.x = {o.length, 0, 0};
  b.points = {from, to};
  Member line;
  line.name = "line";
  line.from.value = "from";
  line.to.value = "to";
  line.elements.value = o.elements;
  b.members = {line};
  Support clamp;
  clamp.at.value = "from";
  b.supports = {clamp};
  if (o.speed != 0) {
    b.motion.kind = Motion::Kind::spin;
    b.motion.speed = o.speed;
    b.motion.through = o.through;
  }
  m.bodies.push_back(b);
  ModesRequest modes;
  modes.count = o.modes;
  m.modes = modes;
  return m;
}

// A section given by its numbers; planar bending uses Iz.
inline Section make_general_section(const std::string& name, double area, double Iz) {
  Section s;
  s.name = name;
  s.shape = Section::Shape::general;
  s.area = area;
  s.Iz = s.Iy = Iz;
  s.J = 2 * Iz;
  return s;
}

inline Support make_support(Support::Kind kind, const std::string& at, const Vec3& normal = Vec3::UnitY()) {
  Support s;
  s.kind = kind;
  s.at.value = at;
  s.normal = normal;
  return s;
}

}  // namespace elodyn::test
