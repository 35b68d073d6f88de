// Models that several tests build in code.
#pragma once

#include <string>

#include "elodyn/model/model.hpp"

namespace elodyn::test {

struct RodOptions {
  std::string element = "beam_rayleigh";
  int elements = 20, degree = 3, axial_degree = 1, dimension = 2;
  double length = 0.5, young = 210e9, density = 7800, diameter = 0.01;
  double speed = 0;  // rad/s; 0: at rest
  Vec3 through = Vec3::Zero(), axis = Vec3::UnitZ();
  int modes = 9;
};

inline Point make_point(const std::string& name, const Vec3& x) {
  Point p;
  p.name = name;
  p.x = x;
  return p;
}

inline Member make_member(const std::string& name, const std::string& from, const std::string& to, int elements) {
  Member m;
  m.name = name;
  m.from.value = from;
  m.to.value = to;
  m.elements.value = elements;
  return m;
}

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
  b.dimension = o.dimension;
  b.material.value = "steel";
  b.section.value = "round";
  b.points = {make_point("from", Vec3::Zero()), make_point("to", {o.length, 0, 0})};
  b.members = {make_member("line", "from", "to", o.elements)};
  Support clamp;
  clamp.at.value = "from";
  b.supports = {clamp};
  if (o.speed != 0) {
    b.motion.kind = Motion::Kind::spin;
    b.motion.speed = o.speed;
    b.motion.through = o.through;
    b.motion.axis = o.axis;
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

// In space the bending planes may differ.
inline Section make_spatial_section(const std::string& name, double area, double Iy, double Iz, double J) {
  Section s = make_general_section(name, area, Iz);
  s.Iy = Iy;
  s.J = J;
  return s;
}

inline Section make_rectangle(const std::string& name, double width, double height) {
  Section s;
  s.name = name;
  s.shape = Section::Shape::rectangle;
  s.width = width;
  s.height = height;
  return s;
}

inline Load make_point_load(const std::string& at, const Vec3& force, const Vec3& moment = Vec3::Zero()) {
  Load load;
  load.at = Located<std::string>{at, {}};
  load.force = force;
  load.moment = moment;
  return load;
}

inline Load make_member_load(const std::string& on, const Vec3& force, const Vec3& moment = Vec3::Zero()) {
  Load load;
  load.on = Located<std::string>{on, {}};
  load.force_per_length = force;
  load.moment_per_length = moment;
  return load;
}

inline Spring make_spring(const std::string& at, const Vec3& stiffness, const Vec3& rotational) {
  Spring s;
  s.at.value = at;
  s.stiffness = stiffness;
  s.rotational_stiffness = rotational;
  return s;
}

}  // namespace elodyn::test
