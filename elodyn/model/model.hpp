// What the engineer describes: plain structs, SI units, filled by the reader, trusted after validate().
// Marks say where a thing stands in the input, for messages about things judged later.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/base/expression.hpp"
#include "elodyn/base/types.hpp"
#include "elodyn/model/marks.hpp"
#include "elodyn/model/section.hpp"

namespace elodyn {

struct Material {
  std::string name;
  Mark mark;
  double young = 0;    // Pa
  double poisson = 0;  // –
  double density = 0;  // kg/m³
  Marks marks;
};

// A named place of a body, body axes.
struct Point {
  std::string name;
  Mark mark;
  Vec3 x = Vec3::Zero();  // m
  Marks marks;
};

// A straight piece between two points, cut into equal elements.
struct Member {
  std::string name;
  Mark mark;
  Located<std::string> from, to;
  Located<int> elements;
  Located<std::string> material, section;  // empty: those of the body
  Marks marks;
};

// What the supports hold. All act between the body and its moving frame.
struct Support {
  enum class Kind { clamp, pin, roller };
  Kind kind = Kind::clamp;  // clamp: u, v, v' (never v''); pin: u, v; roller: the displacement along `normal`
  Located<std::string> at;
  Vec3 normal = Vec3::UnitY();  // roller only
  Marks marks;
};

// A spring, and a dashpot in parallel, from a point to the body's frame.
struct Spring {
  Mark mark;
  Located<std::string> at;
  Vec3 stiffness = Vec3::Zero();             // N/m
  Vec3 rotational_stiffness = Vec3::Zero();  // N m/rad
  Vec3 damping = Vec3::Zero();               // N s/m
  Vec3 rotational_damping = Vec3::Zero();    // N m s/rad
  Marks marks;
};

struct LumpedMass {
  Mark mark;
  Located<std::string> at;
  double mass = 0;     // kg
  double inertia = 0;  // kg m², about z through the point
  Marks marks;
};

// A dead load: its components are constant in body axes.
struct Load {
  Mark mark;
  std::optional<Located<std::string>> at;  // a point: force and moment
  std::optional<Located<std::string>> on;  // a member: force_per_length
  Vec3 force = Vec3::Zero();               // N
  Vec3 moment = Vec3::Zero();              // N m
  Vec3 force_per_length = Vec3::Zero();    // N/m
  Marks marks;
};

// D = mass·M + stiffness·K (Rayleigh), and a ratio ζ of critical for the modes of the body at rest.
struct Damping {
  double mass = 0;            // 1/s
  double stiffness = 0;       // s
  std::vector<double> modal;  // ζ of modes 1, 2, …; modes after the last have none
};

// Motion of the body's frame B in the world W; vectors in body axes.
struct Motion {
  enum class Kind { rest, spin, prescribed };
  Mark mark;
  Kind kind = Kind::rest;
  Vec3 axis = Vec3::UnitZ();                   // spin
  Vec3 through = Vec3::Zero();                 // spin: a point of the axis, m
  double speed = 0;                            // spin, rad/s
  std::array<Expression, 3> acceleration;      // prescribed: of the origin, gravity subtracted, m/s²
  std::array<Expression, 3> angular_velocity;  // prescribed, rad/s
  std::optional<std::array<Expression, 3>> angular_acceleration;  // prescribed; left out: the derivative, rad/s²
  Marks marks;
};

struct Body {
  std::string name;
  Mark mark;
  Located<std::string> element;
  int degree = 3;        // of the Hermite deflection: 3 or 5
  int axial_degree = 1;  // 1 to 3
  int dimension = 2;
  Located<std::string> material, section;
  std::vector<Point> points;
  std::vector<Member> members;
  std::vector<Support> supports;
  std::vector<Spring> springs;
  std::vector<LumpedMass> masses;
  std::vector<Load> loads;
  Damping damping;
  Motion motion;
  Vec3 place = Vec3::Zero();     // of the body's origin in the world, m
  Vec3 attitude = Vec3::Zero();  // rotation vector from world to body axes, rad
  Marks marks;

  const Point* find_point(const std::string& wanted) const;
  const Member* find_member(const std::string& wanted) const;
};

// Switches, so that the effect of each term can be shown.
struct Terms {
  bool coriolis = true;
  bool euler = true;                  // stiffness E and load B
  bool centrifugal_stiffness = true;  // S
  bool centrifugal_load = true;       // H on the right-hand side; its pull stays in Kg
  bool geometric = true;              // Kg
  bool rotary = true;                 // inertia of the turning section
  bool origin_load = true;            // A: acceleration of the origin and gravity
  // Where the pull in Kg comes from. Anything but `accumulated` is a published mistake, kept to show its effect.
  enum class Pull { accumulated, own_element, reversed };
  Pull pull = Pull::accumulated;
};

struct ModesRequest {
  int count = 10;
  double time = 0;  // s: the instant at which a prescribed motion is frozen
};

struct StaticRequest {
  double time = 0;   // s
  int stations = 5;  // per element, ends included, where N, T, M are printed to files
};

struct Model {
  std::string title;
  Vec3 gravity = Vec3::Zero();  // m/s², world axes
  Located<std::string> formalism;
  Terms terms;
  std::vector<Material> materials;
  std::vector<Section> sections;
  std::vector<Body> bodies;
  std::optional<ModesRequest> modes;
  std::optional<StaticRequest> static_;
  Marks marks;

  const Material* find_material(const std::string& name) const;
  const Section* find_section(const std::string& name) const;
};

// World from body: columns are the body's axes in world components (attitude as a rotation vector).
Mat3 calc_R_WB(const Body& body);

}  // namespace elodyn
