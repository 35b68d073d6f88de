#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "elodyn/base/text.hpp"
#include "elodyn/model/message_text.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

constexpr double kTiny = 1e-9;  // of numbers given in decimals

Dimension times(const Dimension& a, const Dimension& b) {
  Dimension out;
  for (size_t i = 0; i < out.power.size(); ++i) out.power[i] = a.power[i] + b.power[i];
  return out;
}

// What keys a joint takes.
enum class Need { no, may, must };
struct DirectionNeeds {
  Need axis, axis_b, reference, reference_b;
};
DirectionNeeds find_needs(Joint::Kind kind, bool planar) {
  using enum Need;
  switch (kind) {
    case Joint::Kind::revolute:
      return planar ? DirectionNeeds{no, no, may, may} : DirectionNeeds{must, may, may, may};
    case Joint::Kind::prismatic:
      return planar ? DirectionNeeds{must, may, no, no} : DirectionNeeds{must, may, may, may};
    case Joint::Kind::cylindrical:
      return {must, may, may, may};
    case Joint::Kind::universal:
      return {must, must, may, may};
    case Joint::Kind::spherical:
      return {no, no, no, no};
    case Joint::Kind::fixed:
      return {no, no, may, may};
    case Joint::Kind::point_on_line:
      return {must, no, no, no};
    case Joint::Kind::rolling:
      return planar ? DirectionNeeds{must, no, no, no} : DirectionNeeds{must, must, no, no};
    case Joint::Kind::knife_edge:
      return planar ? DirectionNeeds{no, must, no, no} : DirectionNeeds{must, must, no, no};
  }
  return {no, no, no, no};
}

template <class T>
std::vector<std::string> names_of(const std::vector<T>& items) {
  std::vector<std::string> names;
  for (const T& item : items) names.push_back(item.name);
  return names;
}

bool is_zero(const Expression& expression) { return expression.is_constant() && expression(0) == 0; }

class MechanismValidator {
 public:
  MechanismValidator(const Model& model, const KnownNames& names, Diagnostics& diagnostics)
      : model_(model), names_(names), diagnostics_(diagnostics), planar_(model.is_planar()) {
    for (const Body& body : model.bodies) is_mixed_ = is_mixed_ || body.dimension != model.bodies.front().dimension;
  }

  void run() {
    for (const Body& body : model_.bodies)
      if (body.is_rigid()) check_rigid(body);
    check_wanted();
    if (!is_mechanism()) return;
    check_bodies();
    check_ground();
    for (const Joint& joint : model_.joints) check_joint(joint);
    for (const Gear& gear : model_.gears) check_gear(gear);
    for (const Driver& driver : model_.drivers) check_driver(driver);
    check_driven_twice();
    for (const Motor& motor : model_.motors) check_motor(motor);
    for (const MechanismForce& force : model_.forces) check_force(force);
    for (const MechanismSpring& spring : model_.springs) check_spring(spring);
    check_connections();
    if (model_.mechanism) check_request(*model_.mechanism);
  }

 private:
  bool has_tables() const {
    return !model_.joints.empty() || !model_.gears.empty() || !model_.drivers.empty() || !model_.motors.empty() ||
           !model_.forces.empty() || !model_.springs.empty();
  }
  bool is_mechanism() const { return model_.mechanism || has_tables(); }
  void fail(const Mark& mark, std::string text, std::string help = {}) {
    constexpr int kMostErrors = 200;  // nobody reads more
    if (diagnostics_.n_errors() < kMostErrors) diagnostics_.error(mark, std::move(text), std::move(help));
  }
  template <class T>
  static Mark mark_of(const T& item, const char* key) {
    return item.marks.of(key, item.mark);
  }

  // ---- bodies ----
  void check_rigid(const Body& body) {
    const std::string who = "body " + tick(body.name);
    const Marks& marks = body.rigid_marks;
    if (body.name == kGround) return;  // said elsewhere
    if (body.marks.is_given("element") || !body.element.value.empty())
      fail(body.marks.of("element", body.mark), who + " has `element` and `rigid`, must have one of them",
           "leave out `element` for a rigid body, `rigid` for an elastic one");
    for (const char* key : {"material", "section", "line", "rectangle", "mesh", "member", "area", "clamp", "pin",
                            "void", "roller", "hinge", "spring", "mass", "link", "load", "damping", "motion"})
      if (body.marks.is_given(key))
        fail(body.marks.of(key, body.mark), tick(key) + " does not belong to a rigid body", help_for(key));
    const Mark place = body.marks.of("rigid", body.mark);
    const auto check = [&](double value, const char* key) {
      if (!marks.is_bad(key) && !(value >= 0 && std::isfinite(value)))
        fail(marks.of(key, place), std::string(key) + " = " + shortest(value) + ", must be at least 0 and finite");
    };
    check(*body.mass, "mass");
    check(body.inertia, "inertia");
    if (!body.center.allFinite()) fail(marks.of("center", place), "center must be finite");
    if (!body.marks.is_bad("dimension")) check_inertia(body, place);
    check_points(body.points, body.dimension == 2 && !body.marks.is_bad("dimension"));
  }
  static std::string help_for(const std::string& key) {
    if (key == "mass") return "its mass is that of `rigid`";
    if (key == "spring") return "springs of a mechanism are [spring.NAME]";
    if (key == "load") return "forces of a mechanism are [force.NAME]";
    if (key == "motion") return "joints and drivers move it";
    return "it has no mesh";
  }

  void check_inertia(const Body& body, const Mark& place) {
    const Marks& marks = body.rigid_marks;
    const Mark mark = marks.of("inertia_tensor", place);
    const std::vector<double>& six = body.inertia_tensor;
    if (body.dimension == 2) {
      if (body.center.z() != 0)
        fail(marks.of("center", place), "center[z] = " + shortest(body.center.z()) + " m, must be 0 in the plane");
      if (!six.empty()) fail(mark, "`inertia_tensor` belongs to a body of dimension 3", "give `inertia`, about z");
      return;
    }
    if (body.inertia != 0)
      fail(marks.of("inertia", place), "`inertia` belongs to a body of dimension 2",
           "give `inertia_tensor` = [Ixx, Iyy, Izz, Ixy, Iyz, Ixz]");
    if (six.empty() || marks.is_bad("inertia_tensor")) return;
    if (six.size() != 6)
      return fail(mark, "inertia_tensor has " + std::to_string(six.size()) + " entries, must have 6",
                  "Ixx, Iyy, Izz, Ixy, Iyz, Ixz");
    if (!is_real_inertia(body.calc_mass_properties().inertia))
      fail(mark, "inertia_tensor is that of no real body: a principal moment exceeds the sum of the other two");
  }

  void check_points(const std::vector<Point>& points, bool planar) {
    for (const Point& point : points) {
      if (point.marks.is_bad("x")) continue;
      if (!point.x.allFinite())
        fail(point.mark, "point " + tick(point.name) + " must be at a finite place");
      else if (planar && point.x.z() != 0)
        fail(point.mark,
             "point " + tick(point.name) + " has z = " + shortest(point.x.z()) + " m, must be 0 in the plane",
             "give the bodies dimension = 3 for a mechanism in space");
    }
  }

  void check_bodies() {
    for (const Body& body : model_.bodies) {
      if (body.name == kGround)
        fail(body.mark, "a body is named `ground`, which is what never moves", "give it another name");
      if (!is_in_plane()) continue;
      if (!body.marks.is_bad("place") && body.place.z() != 0)
        fail(body.marks.of("place", body.mark),
             "place[z] = " + shortest(body.place.z()) + " m, must be 0 for a mechanism in the plane");
      if (!body.marks.is_bad("attitude") && body.attitude.head<2>().norm() != 0)
        fail(body.marks.of("attitude", body.mark), "attitude must be along z for a mechanism in the plane");
    }
    const auto other = std::find_if(model_.bodies.begin(), model_.bodies.end(), [&](const Body& body) {
      return body.dimension != model_.bodies.front().dimension;
    });
    const bool are_known = std::none_of(model_.bodies.begin(), model_.bodies.end(),
                                        [](const Body& body) { return body.marks.is_bad("dimension"); });
    if (other != model_.bodies.end() && are_known)
      fail(other->marks.of("dimension", other->mark),
           "body " + tick(other->name) + " has dimension " + std::to_string(other->dimension) + " and body " +
               tick(model_.bodies.front().name) + " " + std::to_string(model_.bodies.front().dimension) +
               ", must be the same for all bodies of a mechanism");
    if (model_.mechanism)
      for (const Body& body : model_.bodies)
        if (!body.is_rigid()) check_elastic(body);
  }
  // In a mechanism the body moves as its joints let it.
  void check_elastic(const Body& body) {
    const Motion::Kind kind = body.motion.kind;
    if (kind != Motion::Kind::rest && kind != Motion::Kind::mechanism && !body.marks.is_bad("motion"))
      fail(body.marks.of("motion", body.mark),
           "body " + tick(body.name) + " has a motion of its own, must have none in a mechanism",
           "its joints move it: kind = \"mechanism\", or leave out [body." + body.name +
               ".motion], or [analysis.mechanism]");
    if (kind == Motion::Kind::mechanism) check_holds(body);
    if (!body.loads.empty())
      diagnostics_.warning(body.marks.of("load", body.mark),
                           "loads of body " + tick(body.name) + " do nothing in [analysis.mechanism]",
                           "forces of a mechanism are [force.NAME]");
    for (const Spring& spring : body.springs)
      if (spring.other == Spring::Other::ground && !spring.to)
        diagnostics_.warning(spring.mark,
                             "a spring of body " + tick(body.name) + " does nothing in [analysis.mechanism]",
                             "springs of a mechanism are [spring.NAME]");
  }
  // Supports of a link choose its frame; those that hold more than its rigid motion would bear what joints transmit.
  void check_holds(const Body& body) {
    if (!body.areas.empty() || !body.mesh_file.empty()) return;  // supports of sides: many nodes
    int held = 0;
    for (const Support& support : body.supports) switch (support.kind) {
        case Support::Kind::clamp:
          held += planar_ ? 3 : 6;
          break;
        case Support::Kind::pin:
          held += planar_ ? 2 : 3;
          break;
        case Support::Kind::roller:
          held += 1;
          break;
        case Support::Kind::hinge:
          held += 5;
          break;
        case Support::Kind::voids:
          break;
      }
    if (const int rigid = planar_ ? 3 : 6; held > rigid)
      diagnostics_.warning(body.supports.back().at.mark,
                           "the supports of body " + tick(body.name) + " hold " + std::to_string(held) +
                               " motions, its rigid motion has " + std::to_string(rigid) +
                               ": those beyond it bear what its joints transmit",
                           "the joints hold it; a pin at one end and a roller at the other choose its frame");
  }
  void check_ground() { check_points(model_.ground_points, is_in_plane()); }
  bool is_in_plane() const { return planar_ && !is_mixed_ && !model_.bodies.empty(); }
  bool is_in_space() const { return !planar_ && !is_mixed_; }

  // What needs a mesh needs an elastic body.
  void check_wanted() {
    std::vector<std::string> wanted = names_.wanted.empty() ? model_.requested() : names_.wanted;
    for (const char* of_rigid_bodies : {"mechanism", "measure", "identify", "spectra", "modal"})
      std::erase(wanted, of_rigid_bodies);
    if (wanted.empty() || model_.bodies.empty()) return;
    if (!model_.has_elastic_body()) {
      const bool asks = !model_.asked().empty() || !names_.wanted.empty();
      fail(model_.bodies.front().mark,
           asks ? join(wanted, ", ") + (wanted.size() == 1 ? " needs" : " need") +
                      " an elastic body, and all bodies of the model are rigid"
                : "all bodies are rigid, and nothing is asked for that they take part in",
           "ask for their motion: [analysis.mechanism], and `elodyn mechanism`");
    }
    const auto check = [&](const char* analysis, const auto& request) {
      if (!request) return;
      const Body* body = model_.find_body(request->body.value);
      if (body && body->is_rigid())
        fail(request->body.mark,
             "body " + tick(body->name) + " is rigid, [analysis." + std::string(analysis) + "] needs an elastic one");
    };
    check("campbell", model_.campbell);
    check("frf", model_.frf);
    check("reduction", model_.reduction);
  }

  // ---- names ----
  // The points of a body, or of the ground; null: no such body.
  const std::vector<Point>* find_points(const std::string& name) const {
    if (name == kGround) return &model_.ground_points;
    const Body* body = model_.find_body(name);
    return body ? &body->points : nullptr;
  }
  // The name of the body; empty: it was said what is wrong.
  std::string check_point(const Located<std::string>& name, const char* key) {
    if (name.value.empty()) return {};  // missing: said already, or judged by who calls
    const std::optional<BodyPoint> parts = parse_body_point(name.value);
    if (!parts) {
      fail(name.mark, std::string(key) + " = \"" + name.value + "\", must be a body and a point of it, BODY.POINT",
           "for example \"crank.A\", or \"ground.O\"");
      return {};
    }
    const std::vector<Point>* points = find_points(parts->body);
    if (!points) {
      std::vector<std::string> known = names_of(model_.bodies);
      known.emplace_back(kGround);
      fail(name.mark, "unknown body " + tick(parts->body) + " in \"" + name.value + "\"", suggest(parts->body, known));
      return {};
    }
    const Body* body = model_.find_body(parts->body);
    if (body && (body->marks.is_bad("points") || body->marks.is_bad("line") || body->marks.is_bad("mesh"))) return {};
    const std::vector<std::string> known = names_of(*points);
    if (std::find(known.begin(), known.end(), parts->point) == known.end()) {
      const std::string owner = body ? "body " + tick(parts->body) : "the ground";
      const std::string help = suggest(parts->point, known);
      fail(name.mark, owner + " has no point " + tick(parts->point),
           !help.empty() ? help
           : body        ? "give it `points`"
                         : "write [ground] and points = { " + parts->point + " = [0, 0, 0] }");
      return {};
    }
    return parts->body;
  }
  // Null: it was said what is wrong.
  const Joint* check_joint_name(const Located<std::string>& name) {
    if (name.value.empty()) return nullptr;
    const Joint* joint = model_.find_joint(name.value);
    if (!joint) fail(name.mark, "unknown joint " + tick(name.value), suggest(name.value, names_of(model_.joints)));
    return joint && !joint->marks.is_bad("kind") ? joint : nullptr;
  }
  // The dimension of the coordinate; nothing: there is none, as was said.
  std::optional<Dimension> check_coordinate(const Located<std::string>& name, int number, const Mark& mark) {
    const Joint* joint = check_joint_name(name);
    if (!joint || is_mixed_ || (is_in_plane() && is_spatial_only(*joint))) return std::nullopt;  // said already
    const std::optional<Dimension> dimension = coordinate_dimension(joint->kind, number - 1, planar_);
    if (dimension) return dimension;
    const int n = n_coordinates(joint->kind, planar_);
    fail(n == 0 ? name.mark : mark, "joint " + tick(joint->name) + " (" + joint->kind_name() + ") has " +
                                        (n == 0   ? "no coordinate"
                                         : n == 1 ? "1 coordinate, not " + std::to_string(number)
                                                  : std::to_string(n) + " coordinates, not " + std::to_string(number)));
    return std::nullopt;
  }
  template <class T>
  std::optional<Dimension> check_coordinate(const T& item) {
    if (item.marks.is_bad("coordinate") || item.marks.is_bad("joint")) return std::nullopt;
    return check_coordinate(item.joint, item.coordinate, item.marks.of("coordinate", item.joint.mark));
  }

  void check_dimension(const std::optional<AnyQuantity>& value, const Dimension& wanted, const std::string& key,
                       const Mark& mark) {
    if (value && value->has_unit && !(value->dimension == wanted))
      fail(mark, key + " is " + describe(value->dimension) + ", must be " + describe(wanted),
           "for example " + example(wanted));
  }
  void check_not_negative(const std::optional<AnyQuantity>& value, const std::string& key, const Mark& mark) {
    if (value && !(value->value >= 0)) fail(mark, key + " = " + shortest(value->value) + ", must be at least 0");
  }

  // ---- joints ----
  static bool is_spatial_only(const Joint& joint) {
    return joint.kind == Joint::Kind::cylindrical || joint.kind == Joint::Kind::universal ||
           joint.kind == Joint::Kind::spherical;
  }

  void check_joint(const Joint& joint) {
    const std::string a = check_point(joint.a, "a"), b = check_point(joint.b, "b");
    if (!a.empty() && a == b)
      fail(joint.b.mark, a == kGround ? "joint " + tick(joint.name) + " joins the ground to itself"
                                      : "joint " + tick(joint.name) + " joins body " + tick(a) + " to itself");
    if (joint.marks.is_bad("kind") || is_mixed_) return;
    if (is_in_plane() && is_spatial_only(joint))
      return fail(mark_of(joint, "kind"),
                  std::string("kind = \"") + joint.kind_name() + "\" has no meaning in the plane",
                  "all bodies have dimension 2: use revolute, prismatic, fixed, point_on_line, rolling or knife_edge");
    check_directions(joint);
    check_start(joint);
    if (joint.kind == Joint::Kind::rolling && !joint.marks.is_bad("radius") &&
        !(joint.radius > 0 && std::isfinite(joint.radius)))
      fail(mark_of(joint, "radius"), "radius = " + shortest(joint.radius) + ", must be above 0 and finite");
    if (joint.friction) check_friction(joint, *joint.friction);
  }

  void check_directions(const Joint& joint) {
    const DirectionNeeds needs = find_needs(joint.kind, planar_);
    const std::string kind = std::string("a ") + joint.kind_name() + " joint";
    const auto check = [&](const std::optional<Vec3>& v, const char* key, Need need) {
      if (joint.marks.is_bad(key)) return;
      if (!v && need == Need::must)
        fail(joint.mark, "joint " + tick(joint.name) + " has no `" + key + "`, needed by " + kind,
             "for example " + std::string(key) + " = [1, 0, 0]");
      if (!v) return;
      if (need == Need::no)
        return fail(mark_of(joint, key), tick(key) + " does not belong to " + kind + (planar_ ? " in the plane" : ""),
                    planar_ && joint.kind == Joint::Kind::revolute ? "it turns about z" : "");
      if (check_direction(*v, key, joint.marks, joint.mark, diagnostics_) && planar_ && v->z() != 0)
        fail(mark_of(joint, key), std::string(key) + "[z] = " + shortest(v->z()) + ", must be 0 in the plane");
    };
    check(joint.axis, "axis", needs.axis);
    check(joint.axis_b, "axis_b", needs.axis_b);
    check(joint.reference, "reference", needs.reference);
    check(joint.reference_b, "reference_b", needs.reference_b);
    if (planar_) return;
    const bool is_fixed = joint.kind == Joint::Kind::fixed;  // about z
    const auto check_across = [&](const std::optional<Vec3>& reference, const char* key,
                                  const std::optional<Vec3>& axis) {
      const Vec3 along = is_fixed ? Vec3::UnitZ() : axis.value_or(Vec3::Zero());
      if (!reference || along.norm() == 0 || reference->norm() == 0) return;
      if (reference->normalized().cross(along.normalized()).norm() < kTiny)
        fail(mark_of(joint, key),
             std::string(key) + " is along " + (is_fixed ? "z" : "the axis") + ", must have a part across it");
    };
    check_across(joint.reference, "reference", joint.axis);
    check_across(joint.reference_b, "reference_b", joint.axis_b ? joint.axis_b : joint.axis);
  }

  void check_start(const Joint& joint) {
    const auto check = [&](const std::optional<AnyQuantity>& value, const char* key, int k, const Dimension& per) {
      if (!value || joint.marks.is_bad(key)) return;
      const std::optional<Dimension> dimension = coordinate_dimension(joint.kind, k, planar_);
      if (!dimension)
        return fail(mark_of(joint, key),
                    tick(key) + " does not belong to a " + joint.kind_name() + " joint, which has no coordinate");
      check_dimension(value, times(*dimension, per), key, mark_of(joint, key));
      if (!std::isfinite(value->value)) fail(mark_of(joint, key), std::string(key) + " must be finite");
      for (const Driver& driver : model_.drivers)
        if (driver.joint.value == joint.name && driver.coordinate == k + 1)
          fail(mark_of(joint, key),
               tick(key) + " of joint " + tick(joint.name) + ", which driver " + tick(driver.name) + " moves",
               "leave it out: the driver says where it starts");
    };
    check(joint.position, "position", 0, kPlainNumber);
    check(joint.speed, "speed", 0, kRate);
    check(joint.position_2, "position_2", 1, kPlainNumber);
    check(joint.speed_2, "speed_2", 1, kRate);
  }

  void check_friction(const Joint& joint, const JointFriction& friction) {
    const Mark place = mark_of(joint, "friction");
    const auto mark = [&](const char* key) { return friction.marks.of(key, place); };
    const std::optional<Dimension> dimension = coordinate_dimension(joint.kind, 0, planar_);
    if (!dimension)
      return fail(place, std::string("a ") + joint.kind_name() + " joint has no friction: it has no coordinate");
    if (friction.marks.has_bad()) return;
    const bool is_angle = *dimension == kAngle;
    check_dimension(friction.viscous, is_angle ? kRotationalDamping : kDamping, "viscous", mark("viscous"));
    check_not_negative(friction.viscous, "viscous", mark("viscous"));
    check_dimension(friction.smoothing, times(*dimension, kRate), "smoothing", mark("smoothing"));
    if (friction.smoothing && !(friction.smoothing->value > 0))
      fail(mark("smoothing"), "smoothing = " + shortest(friction.smoothing->value) + ", must be above 0");
    if (!(friction.coulomb >= 0))
      fail(mark("coulomb"), "coulomb = " + shortest(friction.coulomb) + ", must be at least 0");
    if (friction.coulomb > 0 && !friction.smoothing)
      fail(mark("coulomb"), "coulomb needs `smoothing`, the speed below which dry friction falls to 0",
           "for example smoothing = " + example(times(*dimension, kRate)));
    if (friction.coulomb > 0 && is_angle && !(friction.radius > 0))
      fail(mark("coulomb"), "coulomb of a joint that turns needs `radius`, that of the pin");
    if (!is_angle && friction.radius != 0) fail(mark("radius"), "`radius` of friction belongs to joints that turn");
    if (friction.coulomb == 0 && !friction.viscous)
      fail(place, "friction without coulomb and viscous, must have one of them");
  }

  // ---- gears, drivers, motors ----
  void check_gear(const Gear& gear) {
    if (!gear.marks.is_bad("ratio") && !(gear.ratio != 0 && std::isfinite(gear.ratio)))
      fail(mark_of(gear, "ratio"), "ratio = " + shortest(gear.ratio) + ", must not be 0");
    if (gear.marks.is_bad("joints")) return;
    if (gear.joints.size() != 2)
      return fail(mark_of(gear, "joints"),
                  "joints has " + std::to_string(gear.joints.size()) + " entries, must have 2");
    check_coordinate(gear.joints[0], gear.coordinate_1, gear.marks.of("coordinate_1", gear.joints[0].mark));
    check_coordinate(gear.joints[1], gear.coordinate_2, gear.marks.of("coordinate_2", gear.joints[1].mark));
    if (gear.joints[0].value == gear.joints[1].value && gear.coordinate_1 == gear.coordinate_2)
      fail(gear.joints[1].mark, "gear " + tick(gear.name) + " connects joint " + tick(gear.joints[0].value) +
                                    " with itself, must connect two coordinates");
  }

  void check_driver(const Driver& driver) {
    check_coordinate(driver);
    const bool has_file = !driver.file.empty() || driver.table || driver.marks.is_given("file");
    if (driver.position && has_file)
      fail(mark_of(driver, "file"),
           "driver " + tick(driver.name) + " has `position` and `file`, must have one of them");
    if (!driver.position && !has_file) check_steady(driver);
    if (!driver.position && has_file)
      for (const char* key : {"speed", "acceleration"})
        if (driver.marks.is_given(key))
          fail(mark_of(driver, key), tick(key) + " belongs to `position`, not to `file`, whose spline has derivatives");
    check_finite(driver);
    if (driver.position && driver.speed) compare(driver, *driver.position, *driver.speed, "speed");
    if (driver.speed && driver.acceleration) compare(driver, *driver.speed, *driver.acceleration, "acceleration");
    if (!driver.table || !model_.mechanism || model_.mechanism->marks.has_bad()) return;
    const MechanismRequest& request = *model_.mechanism;
    if (const double end = request.start + request.duration;
        !driver.table->contains(request.start) || !driver.table->contains(end))
      fail(mark_of(driver, "file"), "the table of driver " + tick(driver.name) + " goes from " +
                                        shortest(driver.table->start()) + " to " + shortest(driver.table->end()) +
                                        " s, must contain all of [analysis.mechanism], from " +
                                        shortest(request.start) + " to " + shortest(end) + " s");
  }
  // Driven by its speed alone, x = speed · t.
  void check_steady(const Driver& driver) {
    if (driver.marks.is_bad("position") || driver.marks.is_bad("speed")) return;
    if (!driver.speed)
      return fail(driver.mark,
                  "driver " + tick(driver.name) + " has none of `position`, `speed` and `file`, must have one of them",
                  "for example position = \"10*t\"");
    if (!driver.speed->is_constant())
      fail(mark_of(driver, "speed"),
           "speed of driver " + tick(driver.name) + ", which has no `position`, must be a number",
           "a speed that changes is the derivative of a position: give that one");
    if (driver.marks.is_given("acceleration"))
      fail(mark_of(driver, "acceleration"), "`acceleration` belongs to `position`: a speed alone is constant");
  }
  std::vector<double> list_instants() const {
    if (!model_.mechanism || model_.mechanism->marks.has_bad()) return {0};
    const MechanismRequest& request = *model_.mechanism;
    return {request.start, request.start + request.duration};
  }
  void check_finite(const Driver& driver) {
    for (const auto& [key, f] : {std::pair{"position", &driver.position}, std::pair{"speed", &driver.speed},
                                 std::pair{"acceleration", &driver.acceleration}})
      if (*f) check_finite(**f, key, mark_of(driver, key));
  }
  void check_finite(const Expression& f, const std::string& key, const Mark& mark) {
    for (const double t : list_instants())
      if (const double value = f(t); !std::isfinite(value))
        return fail(mark, key + " = " + shortest(value) + " at t = " + shortest(t) + " s, must be finite");
  }
  // Where a derivative is given it must be that.
  void compare(const Driver& driver, const Expression& f, const Expression& given, const char* key) {
    constexpr double kAgreement = 1e-6;  // a difference quotient against what may be rounded constants
    const std::vector<double> ends = list_instants();
    for (const double share : {0.1234, 0.5, 0.777}) {
      const double t = ends.front() + share * (ends.size() > 1 ? ends[1] - ends[0] : 1);
      const Expression::Derivative found = f.derivative(t);
      const double scale = std::max({std::abs(found.value), std::abs(given(t)), std::abs(f(t))});
      if (!std::isfinite(found.value) || !std::isfinite(given(t)) || !found.is_resolved(scale)) continue;
      if (std::abs(found.value - given(t)) <= kAgreement * scale) continue;
      return fail(mark_of(driver, key),
                  std::string(key) + " = " + shortest(given(t)) + " at t = " + shortest(t) + " s, but " +
                      (std::string(key) == "speed" ? "position" : "speed") + " changes by " + shortest(found.value) +
                      " a second",
                  "leave it out to have it derived");
    }
  }
  void check_driven_twice() {
    std::map<std::pair<std::string, int>, const Driver*> first;
    for (const Driver& driver : model_.drivers) {
      if (driver.joint.value.empty()) continue;
      const auto [it, is_new] = first.emplace(std::pair{driver.joint.value, driver.coordinate}, &driver);
      if (!is_new)
        fail(driver.joint.mark, "joint " + tick(driver.joint.value) + " is driven by " + tick(it->second->name) +
                                    " and " + tick(driver.name) + ", must be by one of them");
    }
  }

  void check_motor(const Motor& motor) {
    const std::optional<Dimension> dimension = check_coordinate(motor);
    const bool has_lists = motor.marks.is_given("speeds") || motor.marks.is_given("torques") ||
                           (motor.file.empty() && !(motor.speeds.empty() && motor.torques.empty()));
    const bool has_file = motor.marks.is_given("file") || !motor.file.empty();
    const int n = int{motor.torque.has_value()} + int{has_lists} + int{has_file};
    const bool is_bad = motor.marks.is_bad("torque") || motor.marks.is_bad("speeds") || motor.marks.is_bad("torques") ||
                        motor.marks.is_bad("file");
    if (n > 1 || (n == 0 && !is_bad))
      fail(motor.mark,
           "motor " + tick(motor.name) + (n == 0 ? " has none of" : " has several of") +
               " `torque`, `speeds` with `torques`, and `file`, must have one of them",
           "for example torque = \"12*(1 - w/17.5)\"");
    for (const Driver& driver : model_.drivers)
      if (!motor.joint.value.empty() && driver.joint.value == motor.joint.value &&
          driver.coordinate == motor.coordinate)
        diagnostics_.warning(motor.joint.mark,
                             "motor " + tick(motor.name) + " acts on joint " + tick(motor.joint.value) +
                                 ", which driver " + tick(driver.name) +
                                 " moves: it changes nothing but the driver's force",
                             "leave out one of them");
    if (motor.torque && !motor.marks.is_bad("torque"))
      check_constant(*motor.torque, "torque", mark_of(motor, "torque"));
    if (is_bad || n != 1 || motor.torque) return;
    if (motor.speeds.size() != motor.torques.size() || motor.speeds.empty())
      return fail(mark_of(motor, motor.torques.empty() ? "speeds" : "torques"),
                  "motor " + tick(motor.name) + " has " + std::to_string(motor.speeds.size()) + " speeds and " +
                      std::to_string(motor.torques.size()) + " torques, must have as many of both, at least 1");
    for (size_t k = 1; k < motor.speeds.size(); ++k)
      if (!(motor.speeds[k] > motor.speeds[k - 1]))
        return fail(mark_of(motor, "speeds"), "speeds entry " + std::to_string(k + 1) + " = " +
                                                  shortest(motor.speeds[k]) + ", must be above the one before, " +
                                                  shortest(motor.speeds[k - 1]));
    if (!dimension) return;
    const auto check = [&](const std::optional<Dimension>& given, const Dimension& wanted, const char* key) {
      if (given)
        check_dimension(AnyQuantity{0, *given, true, false}, wanted, std::string(key) + " entry 1",
                        mark_of(motor, key));
    };
    check(motor.speed_dimension, times(*dimension, kRate), "speeds");
    check(motor.torque_dimension, *dimension == kAngle ? kMoment : kForce, "torques");
  }
  void check_constant(const Expression& f, const char* key, const Mark& mark) {
    if (f.is_constant() && !std::isfinite(f(0))) fail(mark, std::string(key) + " must be finite");
  }

  // ---- forces and springs ----
  void check_force(const MechanismForce& force) {
    const Marks& marks = force.marks;
    const bool on_joint = !force.joint.value.empty() || marks.is_given("joint");
    const bool at_point = !force.at.value.empty() || marks.is_given("at");
    if (on_joint == at_point)
      return fail(force.mark, "force " + tick(force.name) +
                                  (on_joint ? " has `joint` and `at`" : " has neither `joint` nor `at`") +
                                  ", must have one of them");
    const auto refuse = [&](const char* key, bool is_there, const char* owner) {
      if (is_there) fail(mark_of(force, key), tick(key) + " belongs to a force with `" + owner + "`");
    };
    if (on_joint) {
      check_coordinate(force);
      refuse("components", force.components.has_value(), "at");
      refuse("moment", force.moment.has_value(), "at");
      if (!force.force && !marks.is_bad("force"))
        fail(force.mark, "force " + tick(force.name) + " has no `force`", "for example force = \"-15*tanh(v/0.02)\"");
      return;
    }
    refuse("force", force.force.has_value(), "joint");
    refuse("coordinate", force.coordinate != 1, "joint");
    if (check_point(force.at, "at") == kGround)
      fail(force.at.mark, "force " + tick(force.name) + " acts on the ground, which never moves");
    if (!force.components && !force.moment && !marks.is_bad("components") && !marks.is_bad("moment"))
      fail(force.mark, "force " + tick(force.name) + " has neither `components` nor `moment`, must have one of them");
    if (force.components)
      for (const Expression& f : *force.components) check_finite(f, "components", mark_of(force, "components"));
    if (force.moment)
      for (const Expression& f : *force.moment) check_finite(f, "moment", mark_of(force, "moment"));
    if (!is_in_plane()) return;
    if (force.components && !is_zero((*force.components)[2]))
      fail(mark_of(force, "components"), "components[z] must be 0 in the plane");
    if (force.moment && !(is_zero((*force.moment)[0]) && is_zero((*force.moment)[1])))
      fail(mark_of(force, "moment"), "moment[x] and moment[y] must be 0 in the plane");
  }

  void check_spring(const MechanismSpring& spring) {
    const Marks& marks = spring.marks;
    const auto has = [&](const char* key, const Located<std::string>& name) {
      return marks.is_given(key) || !name.value.empty();
    };
    const bool on_joint = has("joint", spring.joint);
    const bool has_a = has("a", spring.a), has_b = has("b", spring.b);
    const std::string who = "spring " + tick(spring.name);
    if (on_joint == (has_a || has_b))
      return fail(spring.mark,
                  who + (on_joint ? " has `joint` and points `a`, `b`" : " has neither `joint` nor points `a`, `b`") +
                      ", must have one of them");
    if (!on_joint && has_a != has_b)
      fail(spring.mark,
           who + " has `" + (has_a ? "a" : "b") + "` but no `" + (has_a ? "b" : "a") + "`, must have both ends");
    if (!on_joint) {
      const std::string a = check_point(spring.a, "a"), b = check_point(spring.b, "b");
      if (!a.empty() && a == b)
        fail(spring.b.mark, who + " has both ends in " + (a == kGround ? "the ground" : "body " + tick(a)));
      if (spring.coordinate != 1) fail(mark_of(spring, "coordinate"), "`coordinate` belongs to a spring with `joint`");
    }
    check_not_negative(spring.stiffness, "stiffness", mark_of(spring, "stiffness"));
    check_not_negative(spring.damping, "damping", mark_of(spring, "damping"));
    if (!on_joint) check_not_negative(spring.free_length, "free_length", mark_of(spring, "free_length"));
    if (!spring.stiffness && !spring.damping && !marks.is_bad("stiffness") && !marks.is_bad("damping"))
      fail(spring.mark, who + " without stiffness and damping, must have one of them");
    const std::optional<Dimension> dimension = on_joint ? check_coordinate(spring) : std::optional(kLength);
    if (!dimension) return;
    const bool is_angle = *dimension == kAngle;
    check_dimension(spring.stiffness, is_angle ? kRotationalStiffness : kStiffness, "stiffness",
                    mark_of(spring, "stiffness"));
    check_dimension(spring.damping, is_angle ? kRotationalDamping : kDamping, "damping", mark_of(spring, "damping"));
    check_dimension(spring.free_length, *dimension, "free_length", mark_of(spring, "free_length"));
  }

  // A body that nothing holds or pushes is most likely a joint forgotten.
  void check_connections() {
    if (model_.joints.empty()) return;
    std::set<std::string> known;
    const auto add = [&](const Located<std::string>& name) {
      if (const auto parts = parse_body_point(name.value)) known.insert(parts->body);
    };
    for (const Joint& joint : model_.joints) add(joint.a), add(joint.b);
    for (const MechanismForce& force : model_.forces) add(force.at);
    for (const MechanismSpring& spring : model_.springs) add(spring.a), add(spring.b);
    // A name that is wrong may mean any of them.
    for (const std::string& name : known)
      if (!find_points(name)) return;
    for (const Body& body : model_.bodies)
      if (known.count(body.name) == 0)
        fail(body.mark, "no joint connects body " + tick(body.name) + " with another one or the ground",
             "write [joint.NAME] with a or b = \"" + body.name + ".POINT\", or leave the body out");
  }

  void check_request(const MechanismRequest& request) {
    const auto mark = [&](const char* key) { return request.marks.of(key, request.marks.of_table({})); };
    if (!request.marks.is_bad("duration") && !(request.duration > 0 && std::isfinite(request.duration)))
      fail(mark("duration"), "duration = " + shortest(request.duration) + " s, must be above 0 and finite");
    else if (!request.marks.is_bad("settle") && !(request.settle >= 0 && request.settle < request.duration))
      fail(mark("settle"), "settle = " + shortest(request.settle) + " s, must be 0 or more and below the duration of " +
                               shortest(request.duration) + " s");
    if (!request.marks.is_bad("records") && (request.records < 1 || request.records > MechanismRequest::kMostRecords))
      fail(mark("records"), "records = " + std::to_string(request.records) + ", must be from 1 to " +
                                std::to_string(MechanismRequest::kMostRecords));
    if (!request.marks.is_bad("tolerance") && !(request.tolerance > 0 && request.tolerance < 1))
      fail(mark("tolerance"), "tolerance = " + shortest(request.tolerance) + ", must be above 0 and below 1");
    if (request.kind != MechanismRequest::Kind::dynamic && model_.drivers.empty() && !model_.marks.is_bad("driver"))
      fail(mark("kind"),
           std::string("kind = \"") + (request.kind == MechanismRequest::Kind::inverse ? "inverse" : "kinematic") +
               "\" needs a driver for every freedom, and there is none",
           "write [driver.NAME], or kind = \"dynamic\"");
    for (const MechanismEvent& event : request.events) {
      const std::optional<Dimension> dimension = check_coordinate(event);
      if (!dimension || event.marks.is_bad("value") || event.marks.is_bad("of")) continue;
      check_dimension(event.value, event.of == MechanismEvent::Of::speed ? times(*dimension, kRate) : *dimension,
                      "value", mark_of(event, "value"));
    }
    if (request.kind != MechanismRequest::Kind::dynamic)
      for (const MechanismEvent& event : request.events)
        fail(event.mark,
             "event " + tick(event.name) + " belongs to kind = \"dynamic\", not to a motion that is driven");
  }

  const Model& model_;
  const KnownNames& names_;
  Diagnostics& diagnostics_;
  bool planar_ = false, is_mixed_ = false;
};

}  // namespace

void validate_mechanism(const Model& model, const KnownNames& names, Diagnostics& diagnostics) {
  MechanismValidator(model, names, diagnostics).run();
}

}  // namespace elodyn
