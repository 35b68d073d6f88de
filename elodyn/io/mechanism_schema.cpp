#include "elodyn/io/mechanism_schema.hpp"

namespace elodyn {
namespace {

constexpr const char* kPoint = "point BODY.POINT";

TableOf<Model> ground_schema() {
  TableOf<Model> t;
  t.named_vectors(
       "points", kLength,
       [](Model& model, const std::string& name, const Mark& mark, const Vec3& x, bool good) {
         Point point;
         point.name = name;
         point.mark = mark;
         point.x = x;
         point.marks.set("x", mark, good);
         model.ground_points.push_back(point);
       },
       [](const Model& model) {
         std::vector<std::pair<std::string, Vec3>> points;
         for (const Point& point : model.ground_points) points.emplace_back(point.name, point.x);
         return points;
       })
      .sample("{ O = [0, 0, 0] }")
      .text("named places that never move, world axes; joints name them \"ground.O\"");
  return t;
}

TableOf<JointFriction> friction_schema() {
  TableOf<JointFriction> t;
  t.quantity("coulomb", &JointFriction::coulomb, kPlainNumber)
      .at_least(0)
      .sample("0.1")
      .text("coefficient of dry friction, of the length of the force that the joint transmits");
  t.quantity("radius", &JointFriction::radius, kLength)
      .at_least(0)
      .sample("\"5 mm\"")
      .text("of the pin, at which dry friction acts; of joints that turn");
  t.any_quantity("viscous", &JointFriction::viscous)
      .sample("\"0.1 N*m*s/rad\"")
      .text("force or torque by speed, which opposes it");
  t.any_quantity("smoothing", &JointFriction::smoothing)
      .sample("\"0.01 rad/s\"")
      .text("speed at which dry friction has 3/4 of its value; below it falls to 0; needed by coulomb");
  return t;
}

TableOf<Joint> joint_schema() {
  using Kind = Joint::Kind;
  TableOf<Joint> t;
  t.choice("kind", &Joint::kind,
           {{"revolute", Kind::revolute},
            {"prismatic", Kind::prismatic},
            {"cylindrical", Kind::cylindrical},
            {"universal", Kind::universal},
            {"spherical", Kind::spherical},
            {"fixed", Kind::fixed},
            {"point_on_line", Kind::point_on_line},
            {"rolling", Kind::rolling},
            {"knife_edge", Kind::knife_edge}})
      .required()
      .sample("\"revolute\"")
      .text("what the joint lets free; see docs/theory/mechanisms.md");
  t.name("a", &Joint::a, kPoint).required().sample("\"ground.O\"").text("the joint's point of the first body");
  t.name("b", &Joint::b, kPoint)
      .required()
      .sample("\"crank.O\"")
      .text("its point of the second body, whose motion relative to the first one the coordinates tell");
  t.vector("axis", &Joint::axis, kPlainNumber)
      .sample("[1, 0, 0]")
      .text("direction of the joint in axes of the first body; any length; not of a revolute joint in the plane");
  t.vector("axis_b", &Joint::axis_b, kPlainNumber)
      .text(
          "the same direction in axes of the second body; left out: the components of axis; universal: its second "
          "axis; rolling in space: the axis of the disk; knife_edge: the edge");
  t.vector("reference", &Joint::reference, kPlainNumber)
      .text(
          "across the axis, in axes of the first body: from here angles are counted; left out: x, or y for an axis "
          "along x");
  t.vector("reference_b", &Joint::reference_b, kPlainNumber)
      .text("in axes of the second body: to here angles are counted; left out: the components of reference");
  t.quantity("radius", &Joint::radius, kLength)
      .only_with("kind", {"rolling"})
      .above(0)
      .required()
      .sample("\"0.2 m\"")
      .text("of the disk that rolls");
  t.any_quantity("position", &Joint::position)
      .sample("\"30 deg\"")
      .text("of the joint's coordinate at the start, which the assembly keeps; left out: what the bodies' places give");
  t.any_quantity("speed", &Joint::speed)
      .sample("\"100 rpm\"")
      .text("of the coordinate at the start; left out: as slow as the others allow");
  t.any_quantity("position_2", &Joint::position_2)
      .only_with("kind", {"cylindrical", "universal"})
      .sample("\"0 deg\"")
      .text("of the second coordinate");
  t.any_quantity("speed_2", &Joint::speed_2)
      .only_with("kind", {"cylindrical", "universal"})
      .sample("\"0 rad/s\"")
      .text("of the second coordinate");
  t.table("friction", &Joint::friction, friction_schema())
      .sample("{ coulomb = 0.1, radius = \"5 mm\", viscous = \"0.1 N*m*s/rad\", smoothing = \"0.01 rad/s\" }")
      .text("friction that opposes the speed of the first coordinate")
      .is_inline = true;
  return t;
}

template <class T>
void add_coordinate(TableOf<T>& t, const char* name, int T::*member, const char* text) {
  t.integer(name, member).at_least(1).at_most(2).text(text);
}
template <class T>
void add_joint_coordinate(TableOf<T>& t, bool is_required, const char* text) {
  t.name("joint", &T::joint, "joint").sample("\"O\"").text(text).is_required = is_required;
  add_coordinate(t, "coordinate", &T::coordinate, "which coordinate of the joint, counted from 1");
}

TableOf<Gear> gear_schema() {
  TableOf<Gear> t;
  t.names(
       "joints", "joint", [](Gear& gear, const Located<std::string>& joint) { gear.joints.push_back(joint); },
       [](const Gear& gear) {
         std::vector<std::string> joints;
         for (const auto& joint : gear.joints) joints.push_back(joint.value);
         return joints;
       })
      .required()
      .sample("[\"O\", \"A\"]")
      .text("two joints whose coordinates turn together");
  t.quantity("ratio", &Gear::ratio, kPlainNumber)
      .required()
      .sample("-2")
      .text("speed of the first by speed of the second; below 0 for wheels that mesh outside; a rack: in SI");
  add_coordinate(t, "coordinate_1", &Gear::coordinate_1, "which coordinate of the first joint, counted from 1");
  add_coordinate(t, "coordinate_2", &Gear::coordinate_2, "the same of the second joint");
  return t;
}

TableOf<Driver> driver_schema() {
  TableOf<Driver> t;
  add_joint_coordinate(t, true, "whose coordinate is a known function of the time");
  t.expression("position", &Driver::position)
      .sample("\"14.66*t\"")
      .text("of the coordinate, m or rad; needed unless `speed` or `file` is given");
  t.expression("speed", &Driver::speed)
      .sample("14.66")
      .text("its derivative, m/s or rad/s, left out: derived; alone, a number: the coordinate is speed times t");
  t.expression("acceleration", &Driver::acceleration).sample("0").text("its second one; left out: derived");
  t.name("file", &Driver::file, "file")
      .sample("\"crank.csv\"")
      .text("table with columns t and position in SI, beside the model file, through which a cubic spline is laid");
  return t;
}

// A curve that came from a file is not shown.
void hide_with_file(Key& key) {
  const auto write = key.write;
  key.write = [write](const void* object) -> std::optional<Value> {
    return static_cast<const Motor*>(object)->file.empty() ? write(object) : std::nullopt;
  };
}

TableOf<Motor> motor_schema() {
  TableOf<Motor> t;
  add_joint_coordinate(t, true, "whose coordinate the motor increases");
  t.expression("torque", &Motor::torque)
      .of(kJointVariables)
      .sample("\"12*(1 - w/17.5)\"")
      .text("or force, N m or N, of the time t, the coordinate x and its speed v or w");
  hide_with_file(t.any_list("speeds", &Motor::speeds, &Motor::speed_dimension)
                     .sample("[\"0 rpm\", \"1500 rpm\"]")
                     .text("or a curve over the speed: speeds, ascending"));
  hide_with_file(t.any_list("torques", &Motor::torques, &Motor::torque_dimension)
                     .sample("[\"12 N*m\", \"0 N*m\"]")
                     .text("torques or forces at these speeds; straight between them and beyond the ends"));
  t.name("file", &Motor::file, "file")
      .sample("\"motor.csv\"")
      .text("or that curve as a table with columns speed and torque in SI, beside the model file");
  return t;
}

TableOf<MechanismForce> force_schema() {
  TableOf<MechanismForce> t;
  add_joint_coordinate(t, false, "along whose coordinate it acts; takes force");
  t.expression("force", &MechanismForce::force)
      .of(kJointVariables)
      .sample("\"-15*tanh(v/0.02)\"")
      .text("N or N m, of the time t, the coordinate x and its speed v or w");
  t.name("at", &MechanismForce::at, kPoint)
      .sample("\"rod.B\"")
      .text("or a point at which it acts; takes components and moment");
  t.expressions("components", &MechanismForce::components, kForce)
      .sample("[0, \"-10*sin(t)\", 0]")
      .text("of the force in world axes");
  t.expressions("moment", &MechanismForce::moment, kMoment).sample("[0, 0, 1]").text("in world axes");
  return t;
}

TableOf<MechanismSpring> spring_schema() {
  TableOf<MechanismSpring> t;
  t.name("a", &MechanismSpring::a, kPoint).sample("\"ground.A\"").text("one end, of a spring between points");
  t.name("b", &MechanismSpring::b, kPoint).sample("\"rod.B\"").text("the other end");
  add_joint_coordinate(t, false, "or the joint on whose coordinate it acts");
  t.any_quantity("stiffness", &MechanismSpring::stiffness).sample("\"1 kN/m\"").text("of the spring; left out: 0");
  t.any_quantity("damping", &MechanismSpring::damping).sample("\"5 N*s/m\"").text("of the dashpot; left out: 0");
  t.any_quantity("free_length", &MechanismSpring::free_length)
      .sample("\"0.2 m\"")
      .text("length, or position of the coordinate, at which the spring has no force; left out: 0");
  return t;
}

TableOf<MechanismEvent> event_schema() {
  using Event = MechanismEvent;
  TableOf<Event> t;
  add_joint_coordinate(t, true, "whose coordinate is watched");
  t.choice("of", &Event::of, {{"position", Event::Of::position}, {"speed", Event::Of::speed}})
      .text("what is watched of it");
  t.any_quantity("value", &Event::value).required().sample("\"90 deg\"").text("that it passes");
  t.choice(
       "direction", &Event::direction,
       {{"both", Event::Direction::both}, {"rising", Event::Direction::rising}, {"falling", Event::Direction::falling}})
      .text("in which it passes");
  t.boolean("stop", &Event::stop).text("the motion ends there");
  return t;
}

}  // namespace

TableOf<RigidPart> rigid_schema() {
  TableOf<RigidPart> t;
  t.quantity("mass", &RigidPart::mass, kMass).at_least(0).required().sample("\"2 kg\"").text("of the body");
  t.vector("center", &RigidPart::center, kLength).text("of mass, body axes");
  t.quantity("inertia", &RigidPart::inertia, kInertia)
      .at_least(0)
      .sample("\"0.01 kg*m^2\"")
      .text("moment of inertia about z through the centre of mass; dimension 2");
  t.list("inertia_tensor", &RigidPart::inertia_tensor, kInertia)
      .sample("[2e-4, 1e-4, 1e-4, 0, 0, 0]")
      .text("Ixx, Iyy, Izz, Ixy, Iyz, Ixz of the inertia tensor through the centre of mass, body axes; dimension 3");
  return t;
}

void put_rigid(Body& body, const RigidPart& part, const Entry&) {
  body.mass = part.mass;
  body.center = part.center;
  body.inertia = part.inertia;
  body.inertia_tensor = part.inertia_tensor;
  body.rigid_marks = part.marks;
}

std::optional<RigidPart> get_rigid(const Body& body) {
  if (!body.is_rigid()) return std::nullopt;
  return RigidPart{*body.mass, body.center, body.inertia, body.inertia_tensor, {}};
}

void add_mechanism_tables(TableOf<Model>& t) {
  Key& ground = t.group("ground", ground_schema()).text("what never moves");
  ground.children = [all = ground.children](const void* object) {
    const bool is_empty = static_cast<const Model*>(object)->ground_points.empty();
    return is_empty ? std::vector<ChildTable>{} : all(object);
  };
  t.named_tables("joint", &Model::joints, "joint", joint_schema()).text("a joint between two bodies, or to the ground");
  t.named_tables("gear", &Model::gears, "gear", gear_schema()).text("coordinates of two joints that go together");
  t.named_tables("driver", &Model::drivers, "driver", driver_schema())
      .text("makes a joint's coordinate a known function of the time");
  t.named_tables("motor", &Model::motors, "motor", motor_schema()).text("a torque or force on a joint's coordinate");
  t.named_tables("force", &Model::forces, "force", force_schema())
      .text("a force on a joint's coordinate or at a point of a mechanism");
  t.named_tables("spring", &Model::springs, "spring", spring_schema())
      .text("a spring and a dashpot between bodies of a mechanism, or on a joint's coordinate");
}

TableOf<MechanismRequest> mechanism_schema() {
  using Request = MechanismRequest;
  TableOf<Request> t;
  t.choice("kind", &Request::kind,
           {{"kinematic", Request::Kind::kinematic},
            {"inverse", Request::Kind::inverse},
            {"dynamic", Request::Kind::dynamic}})
      .text(
          "dynamic: the motion that the forces give; kinematic: all freedoms are driven; inverse: the same, with the "
          "forces that the drivers need");
  t.quantity("start", &Request::start, kTime).text("time t at the start");
  t.quantity("duration", &Request::duration, kTime).above(0).required().sample("\"2 s\"").text("of the motion");
  t.quantity("settle", &Request::settle, kTime)
      .at_least(0)
      .text(
          "after which the mechanism runs steadily: what is recorded, and the motion of elastic bodies, begins so long "
          "after the start; of a motion that repeats itself only the last cycle is recorded");
  t.integer("records", &Request::records)
      .at_least(1)
      .at_most(Request::kMostRecords)
      .text("number of equal intervals between which the motion is recorded");
  t.quantity("tolerance", &Request::tolerance, kPlainNumber)
      .at_least(1e-13)
      .at_most(1e-2)
      .text("of a step, relative to the size of the mechanism and of its speeds");
  t.choice("formalism", &Request::formalism,
           {{"kane", Request::Formalism::kane},
            {"maggi", Request::Formalism::maggi},
            {"multipliers", Request::Formalism::multipliers},
            {"gibbs_appell", Request::Formalism::gibbs_appell}})
      .text("that gives the accelerations; all agree, kane is the fastest");
  t.named_tables("event", &Request::events, "event", event_schema()).text("a coordinate or its speed passes a value");
  return t;
}

}  // namespace elodyn
