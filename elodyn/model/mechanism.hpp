// What the engineer says of a mechanism: joints between bodies, what drives and loads them, what is asked for. Plain
// structs, SI units, filled by the reader, trusted after validate().
//
// A joint stands between a point of body a and a point of body b; "ground" is the body that never moves. On each of
// the two it has an axis and a reference across it, fixed in that body. Its coordinates are those of b relative to a:
//   kind            holds (planar / spatial)   coordinates                                   axis
//   revolute        2 / 5    angle from reference a to reference b, about the axis           planar: z, not given
//   prismatic       2 / 5    distance of point b from point a along the axis of a            along which it slides
//   cylindrical     – / 4    distance, angle                                                 of both
//   universal       – / 4    angle of the cross on a about axis a, of b on the cross         of a; axis_b across it
//   spherical       – / 3    none                                                            none
//   fixed           3 / 6    none                                                            none
//   point_on_line   1 / 2    distance of point b along the line                              the line, of a
//   rolling         2 / 3    distance of the centre along the axis (planar only)             see below
//   knife_edge      1 / 1    none                                                            see below
// An angle is counted on over whole turns. The last two have rows that bind velocities only:
//   rolling     b is a thin disk of `radius` about point b that rolls on a. Planar: on the line through point a along
//               the axis, on its left (z × axis) side. Spatial: on the plane through point a whose normal is the axis
//               of a; axis_b is the disk's own axis.
//   knife_edge  point b moves relative to a along the edge axis_b of b only, not across it. Spatial: across it means
//               along axis × axis_b; the axis of a is the normal of the plane on which it runs.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/base/expression.hpp"
#include "elodyn/base/spline.hpp"
#include "elodyn/base/types.hpp"
#include "elodyn/model/any_quantity.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

inline constexpr const char* kGround = "ground";

// Of a rigid body, or of an elastic one as its mesh gives them. Body axes.
struct MassProperties {
  double mass = 0;              // kg
  Vec3 center = Vec3::Zero();   // of mass, m
  Mat3 inertia = Mat3::Zero();  // about the centre, kg m²; dimension 2: only zz counts
};

// "BODY.POINT" in its two parts; nothing if it has no dot or an empty part.
struct BodyPoint {
  std::string body, point;
};
std::optional<BodyPoint> parse_body_point(const std::string& text);

// What an expression of a joint may use: the time, the joint's coordinate, its speed twice.
inline const std::vector<std::string> kJointVariables = {"t", "x", "v", "w"};

// Opposes the speed ẋ of the joint's first coordinate:
//   −(coulomb·N·r·tanh(ẋ/smoothing) + viscous·ẋ)
// N: length of the force that the joint transmits, of a prismatic or cylindrical joint across its axis; r: radius of
// the pin for an angle, 1 for a distance.
struct JointFriction {
  double coulomb = 0;                    // μ
  double radius = 0;                     // m, of the pin; needed by coulomb about an axis
  std::optional<AnyQuantity> viscous;    // N s/m or N m s/rad
  std::optional<AnyQuantity> smoothing;  // m/s or rad/s; needed by coulomb
  Marks marks;
};

struct Joint {
  enum class Kind { revolute, prismatic, cylindrical, universal, spherical, fixed, point_on_line, rolling, knife_edge };
  std::string name;
  Mark mark;
  Kind kind = Kind::revolute;
  Located<std::string> a, b;        // BODY.POINT
  std::optional<Vec3> axis;         // axes of a; of any length
  std::optional<Vec3> axis_b;       // axes of b; absent: the components of axis
  std::optional<Vec3> reference;    // across the axis, axes of a; absent: x, y for an axis along x
  std::optional<Vec3> reference_b;  // axes of b; absent: the components of reference, if axis_b is absent too
  double radius = 0;                // rolling, m
  std::optional<AnyQuantity> position, speed;      // of the first coordinate at the start: kept by the assembly
  std::optional<AnyQuantity> position_2, speed_2;  // of the second one: cylindrical, universal
  std::optional<JointFriction> friction;
  Marks marks;

  const char* kind_name() const;
};

// Dimension of the k-th coordinate of a joint (from 0): kLength or kAngle. Nothing: it has no such coordinate.
std::optional<Dimension> coordinate_dimension(Joint::Kind kind, int k, bool planar);
int n_coordinates(Joint::Kind kind, bool planar);

// ẋ₁ = ratio ẋ₂ of the coordinates of two joints; x₁ − ratio x₂ stays what it is at the start. Gear wheels that mesh
// outside have a negative ratio. An angle and a distance: a rack, ratio in rad/m or m/rad.
struct Gear {
  std::string name;
  Mark mark;
  std::vector<Located<std::string>> joints;  // two
  int coordinate_1 = 1, coordinate_2 = 1;    // of each joint, counted from 1
  double ratio = 0;
  Marks marks;
};

// A coordinate is a known function of the time. One of position, table is given, or speed alone, a constant.
struct Driver {
  std::string name;
  Mark mark;
  Located<std::string> joint;
  int coordinate = 1;
  std::optional<Expression> position;             // of t; m or rad
  std::optional<Expression> speed, acceleration;  // its derivatives; absent: derived
  std::string file;                               // a table of t and position, as written
  std::shared_ptr<const CubicSpline> table;       // read from it
  Marks marks;
};

// Force or torque that increases a coordinate. One of torque, curve is given.
struct Motor {
  std::string name;
  Mark mark;
  Located<std::string> joint;
  int coordinate = 1;
  std::optional<Expression> torque;     // of kJointVariables; N m or N
  std::vector<double> speeds, torques;  // a curve over the speed: straight between points and beyond the ends
  std::optional<Dimension> speed_dimension, torque_dimension;  // as they were written; absent: plain numbers, SI
  std::string file;                                            // a table of the curve, as written
  Marks marks;
};

// A force along a joint's coordinate, or one at a point of a body. One of joint, at is given.
struct MechanismForce {
  std::string name;
  Mark mark;
  Located<std::string> joint;
  int coordinate = 1;
  std::optional<Expression> force;                      // with joint: of kJointVariables; N or N m
  Located<std::string> at;                              // BODY.POINT
  std::optional<std::array<Expression, 3>> components;  // with at: of t, world axes, N
  std::optional<std::array<Expression, 3>> moment;      // with at: N m
  Marks marks;
};

// Spring and dashpot in parallel, between two points along the line that joins them, or on a joint's coordinate.
struct MechanismSpring {
  std::string name;
  Mark mark;
  Located<std::string> a, b;  // BODY.POINT; or
  Located<std::string> joint;
  int coordinate = 1;
  std::optional<AnyQuantity> stiffness;    // N/m or N m/rad
  std::optional<AnyQuantity> damping;      // N s/m or N m s/rad
  std::optional<AnyQuantity> free_length;  // m, or the position without force, rad
  Marks marks;
};

// A coordinate or its speed passes a value.
struct MechanismEvent {
  enum class Of { position, speed };
  enum class Direction { both, rising, falling };
  std::string name;
  Mark mark;
  Located<std::string> joint;
  int coordinate = 1;
  Of of = Of::position;
  AnyQuantity value;
  Direction direction = Direction::both;
  bool stop = false;
  Marks marks;
};

struct MechanismRequest {
  enum class Kind { kinematic, inverse, dynamic };  // inverse: kinematic, with the forces that the drivers need
  enum class Formalism { kane, maggi, multipliers, gibbs_appell };  // all the same; kane is the fastest
  static constexpr int kMostRecords = 2'000'000;
  Kind kind = Kind::dynamic;
  double start = 0;         // s
  double duration = 0;      // s
  double tolerance = 1e-8;  // of a step, relative to the size of the mechanism and of its speeds
  int records = 200;        // equal intervals
  double settle = 0;        // s: the motion of elastic bodies begins so long after the start
  Formalism formalism = Formalism::kane;
  std::vector<MechanismEvent> events;
  Marks marks;
};

}  // namespace elodyn
