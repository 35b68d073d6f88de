#include "elodyn/io/model_schema.hpp"

#include <algorithm>
#include <set>

#include "elodyn/io/measure_schema.hpp"
#include "elodyn/io/mechanism_schema.hpp"
#include "elodyn/io/vibration_schema.hpp"

namespace elodyn {
namespace {

constexpr int kMostElements = 1000000;
constexpr std::array kReleaseWords = {"rx", "ry", "rz"};

TableOf<Terms> terms_schema() {
  TableOf<Terms> t;
  t.boolean("coriolis", &Terms::coriolis).text("Coriolis matrix G");
  t.boolean("euler", &Terms::euler).text("stiffness E and load B of the angular acceleration");
  t.boolean("centrifugal_stiffness", &Terms::centrifugal_stiffness).text("centrifugal stiffness S");
  t.boolean("centrifugal_load", &Terms::centrifugal_load)
      .text("centrifugal load H; its pull stays in the geometric stiffness");
  t.boolean("geometric", &Terms::geometric).text("geometric stiffness Kg");
  t.boolean("rotary", &Terms::rotary).text("inertia of the turning section");
  t.boolean("origin_load", &Terms::origin_load).text("load A of the acceleration of the origin and of gravity");
  t.choice("pull", &Terms::pull,
           {{"accumulated", Terms::Pull::accumulated},
            {"own_element", Terms::Pull::own_element},
            {"reversed", Terms::Pull::reversed}})
      .text(
          "pull in Kg: of all that lies further out; the other two are published mistakes, kept to show their effect");
  return t;
}

TableOf<Material> material_schema() {
  TableOf<Material> t;
  t.quantity("young", &Material::young, kPressure).above(0).required().sample("\"210 GPa\"").text("Young's modulus");
  t.quantity("poisson", &Material::poisson, kPlainNumber)
      .above(-1)
      .at_most(0.5)
      .sample("0.3")
      .text("Poisson's ratio; needed for torsion and shear");
  t.quantity("density", &Material::density, kDensity)
      .above(0)
      .required()
      .sample("\"7800 kg/m^3\"")
      .text("mass density");
  t.quantity("expansion", &Material::expansion, kExpansion)
      .sample("\"12e-6 1/K\"")
      .text("thermal expansion; needed where a load has a temperature");
  const auto modulus = [&](const char* name, std::optional<double> Material::*member, const char* text) {
    t.quantity(name, member, kPressure).above(0).text(text);
  };
  modulus("young_2", &Material::young_2,
          "orthotropic sheet: Young's modulus across material_axis; `young` is along it");
  modulus("shear_12", &Material::shear_12, "orthotropic: shear modulus in the plane of the sheet; needed");
  modulus("shear_13", &Material::shear_13, "orthotropic: along the axis, across the sheet; left out: shear_12");
  modulus("shear_23", &Material::shear_23, "orthotropic: across the axis, across the sheet; left out: shear_12");
  modulus("young_3", &Material::young_3, "orthotropic: across the sheet; needed by plane strain");
  t.quantity("poisson_13", &Material::poisson_13, kPlainNumber)
      .text("orthotropic: contraction across the sheet of a pull along the axis; needed by plane strain");
  t.quantity("poisson_23", &Material::poisson_23, kPlainNumber)
      .text("orthotropic: the same of a pull across the axis; needed by plane strain");
  t.quantity("porosity", &Material::porosity, kPlainNumber)
      .at_least(0)
      .below(1)
      .text("share of empty pores in the volume; young, poisson and density are then those of the matrix");
  t.choice("porosity_model", &Material::porosity_model,
           {{"mori_tanaka_spheres", PorosityModel::mori_tanaka_spheres},
            {"mori_tanaka_holes", PorosityModel::mori_tanaka_holes},
            {"dilute_spheres", PorosityModel::dilute_spheres},
            {"dilute_holes", PorosityModel::dilute_holes}})
      .text("how pores change the moduli: spheres, or round holes across a sheet");
  t.quantity("void_alpha", &Material::void_alpha, kForce)
      .at_least(0)
      .sample("\"8 kN\"")
      .text("material with voids: stiffness of the gradient of the change phi of volume fraction");
  t.quantity("void_beta", &Material::void_beta, kPressure)
      .sample("\"2 GPa\"")
      .text("material with voids: coupling of phi and strain, the stress of phi = 1");
  t.quantity("void_xi", &Material::void_xi, kPressure)
      .above(0)
      .sample("\"4 GPa\"")
      .text("material with voids: stiffness of phi");
  t.quantity("void_kappa", &Material::void_kappa, kArea)
      .above(0)
      .sample("\"1 mm^2\"")
      .text("material with voids: inertia of phi, by density");
  t.quantity("void_tau", &Material::void_tau, kViscosity)
      .at_least(0)
      .sample("\"100 Pa*s\"")
      .text("material with voids: viscosity of phi");
  return t;
}

TableOf<Section> section_schema() {
  TableOf<Section> t;
  t.choice("shape", &Section::shape,
           {{"circle", Section::Shape::circle},
            {"tube", Section::Shape::tube},
            {"rectangle", Section::Shape::rectangle},
            {"general", Section::Shape::general},
            {"sheet", Section::Shape::sheet}})
      .required()
      .sample("\"circle\"")
      .text("shape of the cross-section; x is the beam's axis, planar bending uses Iz; sheet: of an area");
  const auto quantity = [&](const char* name, auto member, Dimension dimension,
                            std::vector<std::string> shapes) -> Key& {
    return t.quantity(name, member, dimension).above(0).only_with("shape", std::move(shapes));
  };
  quantity("diameter", &Section::diameter, kLength, {"circle", "tube"})
      .required()
      .sample("\"10 mm\"")
      .text("diameter; of a tube the outer one");
  quantity("inner_diameter", &Section::inner_diameter, kLength, {"tube"})
      .required()
      .sample("\"8 mm\"")
      .text("inner diameter");
  quantity("width", &Section::width, kLength, {"rectangle"})
      .required()
      .sample("\"10 mm\"")
      .text("side along section y, in the plane of planar bending");
  quantity("height", &Section::height, kLength, {"rectangle"})
      .required()
      .sample("\"20 mm\"")
      .text("side along section z");
  quantity("thickness", &Section::thickness, kLength, {"sheet"}).required().sample("\"2 mm\"").text("of the sheet");
  quantity("area", &Section::area, kArea, {"general"}).required().sample("\"78.5 mm^2\"").text("area");
  quantity("Iy", &Section::Iy, kSecondMoment, {"general"})
      .text("second moment of area, integral of z^2; for spatial beams");
  quantity("Iz", &Section::Iz, kSecondMoment, {"general"})
      .required()
      .sample("\"491 mm^4\"")
      .text("second moment of area, integral of y^2");
  quantity("J", &Section::J, kSecondMoment, {"general"}).text("torsion constant; for spatial beams");
  quantity("extreme_y", &Section::extreme_y, kLength, {"general"})
      .text("largest |y| of the section; left out: bending stress is not computed");
  quantity("extreme_z", &Section::extreme_z, kLength, {"general"})
      .text("largest |z| of the section; for spatial beams");
  quantity("torsion_modulus", &Section::torsion_modulus, kSectionModulus, {"general"})
      .text("torque over its largest shear stress; left out: the shear stress of torsion is not computed");
  t.quantity("shear_y", &Section::shear_y, kPlainNumber)
      .only_with("shape", {"circle", "tube", "rectangle", "general"})
      .above(0)
      .at_most(kLargestShearFactor)
      .text("shear factor k of k*G*A for forces along section y; left out: Cowper's, for shape general none");
  t.quantity("shear_z", &Section::shear_z, kPlainNumber)
      .only_with("shape", {"circle", "tube", "rectangle", "general"})
      .above(0)
      .at_most(kLargestShearFactor)
      .text("the same for forces along section z");
  return t;
}

// `line = { … }` is short for two points and a member between them.
struct Line {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  Located<int> elements;
  Marks marks;
};

TableOf<Line> line_schema() {
  TableOf<Line> t;
  t.vector("from", &Line::from, kLength)
      .required()
      .sample("[0, 0, 0]")
      .text("first end, body axes; makes the point \"from\"");
  t.vector("to", &Line::to, kLength).required().sample("[0.5, 0, 0]").text("second end; makes the point \"to\"");
  t.integer("elements", &Line::elements)
      .at_least(1)
      .at_most(kMostElements)
      .required()
      .sample("20")
      .text("number of equal elements");
  return t;
}

void put_line(Body& body, const Line& line, const Entry& entry) {
  const bool is_table = entry.value.is(Value::Type::table);
  const auto end = [&](const char* name, const Vec3& x) {
    Point point;
    point.name = name;
    point.mark = line.marks.of(name, entry.mark);
    point.x = x;
    point.marks.set("x", point.mark, is_table && !line.marks.is_bad(name));
    body.points.push_back(point);
    return Located<std::string>{name, point.mark};
  };
  Member member;
  member.name = "line";
  member.mark = entry.mark;
  member.from = end("from", line.from);
  member.to = end("to", line.to);
  member.elements = line.elements;
  member.marks.set("elements", line.elements.mark, is_table && !line.marks.is_bad("elements"));
  body.members.push_back(member);
}

// Whether `line` can say all of the first member.
bool is_line(const Body& body) {
  if (body.members.empty() || body.points.size() < 2) return false;
  const Member& member = body.members[0];
  const bool is_plain = member.section_to.value.empty() && !member.orientation && member.offset_from.isZero(0) &&
                        member.offset_to.isZero(0) && !member.release_from.any() && !member.release_to.any();
  return is_plain && member.name == "line" && member.from.value == "from" && member.to.value == "to" &&
         member.material.value.empty() && member.section.value.empty() && body.points[0].name == "from" &&
         body.points[1].name == "to";
}

std::optional<Line> get_line(const Body& body) {
  if (!is_line(body)) return std::nullopt;
  Line line;
  line.from = body.points[0].x;
  line.to = body.points[1].x;
  line.elements = body.members[0].elements;
  return line;
}

// `rectangle = { … }` is short for four points and an area between them.
struct Rectangle {
  Vec3 from = Vec3::Zero(), to = Vec3::Zero();
  Located<int> nx, ny;
  Marks marks;
};
constexpr std::array kRectangleCorners = {"bottom_left", "bottom_right", "top_right", "top_left"};
constexpr std::array kRectangleSides = {"bottom", "right", "top", "left"};

TableOf<Rectangle> rectangle_schema() {
  TableOf<Rectangle> t;
  t.vector("from", &Rectangle::from, kLength).required().sample("[0, 0, 0]").text("corner with the smaller x and y");
  t.vector("to", &Rectangle::to, kLength).required().sample("[0.2, 0.16, 0]").text("the opposite corner, same z");
  const auto add = [&](const char* name, Located<int> Rectangle::*member, const char* sample, const char* text) {
    t.integer(name, member).at_least(1).at_most(kMostElements).required().sample(sample).text(text);
  };
  add("nx", &Rectangle::nx, "30", "number of equal elements along x; triangles are two to a piece");
  add("ny", &Rectangle::ny, "24", "the same along y");
  return t;
}

void put_rectangle(Body& body, const Rectangle& rectangle, const Entry& entry) {
  const bool is_table = entry.value.is(Value::Type::table);
  Area area;
  area.name = "rectangle";
  area.mark = entry.mark;
  const bool good = is_table && !rectangle.marks.is_bad("from") && !rectangle.marks.is_bad("to");
  for (size_t k = 0; k < 4; ++k) {
    Point corner;
    corner.name = kRectangleCorners[k];
    corner.mark = rectangle.marks.of(k < 2 ? "from" : "to", entry.mark);
    corner.x = {k == 0 || k == 3 ? rectangle.from[0] : rectangle.to[0], k < 2 ? rectangle.from[1] : rectangle.to[1],
                k < 2 ? rectangle.from[2] : rectangle.to[2]};
    corner.marks.set("x", corner.mark, good);
    area.corners.push_back({corner.name, corner.mark});
    area.sides[k] = kRectangleSides[k];
    body.points.push_back(corner);
  }
  area.nx = rectangle.nx;
  area.ny = rectangle.ny;
  for (const char* key : {"nx", "ny"})
    area.marks.set(key, rectangle.marks.of(key, entry.mark), is_table && !rectangle.marks.is_bad(key));
  body.areas.push_back(area);
}

// Whether `rectangle` can say all of the first area.
bool is_rectangle(const Body& body) {
  return !body.areas.empty() && body.areas[0].name == "rectangle" && body.areas[0].sides[0] == kRectangleSides[0] &&
         body.points.size() >= 4;
}

std::optional<Rectangle> get_rectangle(const Body& body) {
  if (!is_rectangle(body)) return std::nullopt;
  const Area& area = body.areas[0];
  const Point *from = body.find_point(kRectangleCorners[0]), *to = body.find_point(kRectangleCorners[2]);
  Rectangle rectangle;
  rectangle.from = from->x;
  rectangle.to = to->x;
  rectangle.nx = area.nx;
  rectangle.ny = area.ny;
  return rectangle;
}

void put_point(Body& body, const std::string& name, const Mark& mark, const Vec3& x, bool good) {
  Point point;
  point.name = name;
  point.mark = mark;
  point.x = x;
  point.marks.set("x", mark, good);
  body.points.push_back(point);
}

std::vector<std::pair<std::string, Vec3>> get_points(const Body& body) {
  std::vector<std::pair<std::string, Vec3>> points;
  for (size_t i = is_line(body) ? 2 : is_rectangle(body) ? 4 : 0; i < body.points.size(); ++i)
    if (body.points[i].mesh_node < 0) points.emplace_back(body.points[i].name, body.points[i].x);
  return points;
}

// "rx", "ry", "rz"; validate() judges the words.
void add_release(TableOf<Member>& t, const char* name, Release Member::*member, const char* end) {
  t.names(
       name, "rotation",
       [member](Member& object, const Located<std::string>& word) {
         Release& release = object.*member;
         release.given.push_back(word);
         for (size_t k = 0; k < 3; ++k)
           if (word.value == kReleaseWords[k]) release.axis[k] = true;
       },
       [member](const Member& object) {
         std::vector<std::string> words;
         for (size_t k = 0; k < 3; ++k)
           if ((object.*member).axis[k]) words.emplace_back(kReleaseWords[k]);
         return words;
       })
      .sample("[\"rz\"]")
      .text(std::string("hinges at the ") + end + " end: rotations about the member's own x, y, z that are free");
}

TableOf<Member> member_schema() {
  TableOf<Member> t;
  t.name("from", &Member::from, "point").required().sample("\"A\"").text("first end");
  t.name("to", &Member::to, "point").required().sample("\"B\"").text("second end");
  t.integer("elements", &Member::elements)
      .at_least(1)
      .at_most(kMostElements)
      .required()
      .sample("20")
      .text("number of equal elements");
  t.name("material", &Member::material, "material").text("left out: the body's");
  t.name("section", &Member::section, "section").text("left out: the body's");
  t.name("section_to", &Member::section_to, "section")
      .text("tapered: dimensions change linearly from `section` to this one of the same shape");
  t.vector("orientation", &Member::orientation, kPlainNumber)
      .sample("[0, 0, 1]")
      .text("a vector in the member's xz plane, dimension 3; left out: the body's");
  t.vector("offset_from", &Member::offset_from, kLength).text("rigid arm from the point to the beam's axis, body axes");
  t.vector("offset_to", &Member::offset_to, kLength).text("the same at the second end");
  add_release(t, "release_from", &Member::release_from, "first");
  add_release(t, "release_to", &Member::release_to, "second");
  return t;
}

void add_cuts(TableOf<Area>& t) {
  const auto add = [&](const char* name, Located<int> Area::*member, const char* sample, const char* text) {
    t.integer(name, member).at_least(1).at_most(kMostElements).sample(sample).text(text);  // needed: validate() says so
  };
  add("nx", &Area::nx, "30", "number of equal elements along the first side; triangles are two to a piece");
  add("ny", &Area::ny, "24", "the same along the second side");
}

TableOf<Area> area_schema() {
  TableOf<Area> t;
  t.names(
       "corners", "point", [](Area& area, const Located<std::string>& point) { area.corners.push_back(point); },
       [](const Area& area) {
         std::vector<std::string> points;
         for (const auto& corner : area.corners) points.push_back(corner.value);
         return points;
       })
      .sample("[\"A\", \"B\", \"C\", \"D\"]")
      .text(
          "four points, counter-clockwise; sides are NAME.1 from the first to the second, …, NAME.4; needed, with nx "
          "and ny, unless NAME is a group of `mesh`");
  add_cuts(t);
  t.name("material", &Area::material, "material").text("left out: the body's");
  t.name("section", &Area::section, "section").text("a sheet; left out: the body's");
  return t;
}

TableOf<Support> roller_schema() {
  TableOf<Support> t;
  t.name("at", &Support::at, "point").required().sample("\"to\"").text("where");
  t.vector("normal", &Support::normal, kPlainNumber).text("direction in which the displacement is held; any length");
  return t;
}

TableOf<Support> hinge_schema() {
  TableOf<Support> t;
  t.name("at", &Support::at, "point").required().sample("\"left\"").text("where: a point, or a side of an area");
  t.vector("axis", &Support::axis, kPlainNumber).text("about which it may turn; any length; left out: along the side");
  return t;
}

TableOf<Spring> spring_schema() {
  TableOf<Spring> t;
  t.name("at", &Spring::at, "point")
      .required()
      .sample("\"to\"")
      .text("where; left without `to` the other end is fixed to the body's frame or the ground");
  t.name("to", &Spring::to, "point").text("the other end, if it is a point too; components act there");
  t.choice("other", &Spring::other, {{"frame", Spring::Other::frame}, {"ground", Spring::Other::ground}})
      .text("what holds the other end; the ground does not turn with a spinning frame");
  t.vector("stiffness", &Spring::stiffness, kStiffness).at_least(0).sample("[0, \"1e5 N/m\", 0]").text("along x, y, z");
  t.vector("rotational_stiffness", &Spring::rotational_stiffness, kRotationalStiffness)
      .at_least(0)
      .sample("[0, 0, \"10 N*m/rad\"]")
      .text("about x, y, z");
  t.vector("damping", &Spring::damping, kDamping).at_least(0).text("dashpot along x, y, z");
  t.vector("rotational_damping", &Spring::rotational_damping, kRotationalDamping)
      .at_least(0)
      .text("dashpot about x, y, z");
  t.quantity("axial_stiffness", &Spring::axial_stiffness, kStiffness).at_least(0).text("along the line to `to`");
  t.quantity("axial_damping", &Spring::axial_damping, kDamping).at_least(0).text("dashpot along the line to `to`");
  return t;
}

TableOf<LumpedMass> mass_schema() {
  TableOf<LumpedMass> t;
  t.name("at", &LumpedMass::at, "point").required().sample("\"to\"").text("where");
  t.quantity("mass", &LumpedMass::mass, kMass).at_least(0).sample("\"0.2 kg\"").text("point mass");
  t.quantity("inertia", &LumpedMass::inertia, kInertia)
      .at_least(0)
      .text("moment of inertia about z through the point; dimension 2");
  t.list("inertia_tensor", &LumpedMass::inertia_tensor, kInertia)
      .sample("[2e-4, 1e-4, 1e-4, 0, 0, 0]")
      .text("Ixx, Iyy, Izz, Ixy, Iyz, Ixz of the inertia tensor through the point, body axes; dimension 3");
  return t;
}

TableOf<RigidLink> link_schema() {
  TableOf<RigidLink> t;
  t.name("from", &RigidLink::from, "point").required().sample("\"hub\"").text("the point that carries the others");
  t.names(
       "to", "point", [](RigidLink& link, const Located<std::string>& point) { link.to.push_back(point); },
       [](const RigidLink& link) {
         std::vector<std::string> points;
         for (const auto& point : link.to) points.push_back(point.value);
         return points;
       })
      .required()
      .sample("[\"root1\", \"root2\"]")
      .text("points that move with it as one rigid body");
  return t;
}

TableOf<Load> load_schema() {
  TableOf<Load> t;
  t.name("at", &Load::at, "point").sample("\"to\"").text("a point: takes force and moment");
  t.name("on", &Load::on, "member, area or side")
      .text(
          "a member: takes force_per_length, moment_per_length, temperature and gradients; the side of an area: takes "
          "force_per_length; an area: takes force_per_area and temperature");
  t.vector("force", &Load::force, kForce).sample("[0, \"-10 N\", 0]").text("constant in body axes");
  t.vector("moment", &Load::moment, kMoment).text("constant in body axes");
  t.vector("force_per_length", &Load::force_per_length, kStiffness)
      .text("constant in body axes, per length of the member or side");
  t.vector("force_per_area", &Load::force_per_area, kPressure).text("constant in body axes, per area");
  t.vector("moment_per_length", &Load::moment_per_length, kForce)
      .text("couple, constant in body axes, per length of the member");
  t.quantity("temperature", &Load::temperature, kTemperature)
      .sample("\"60 K\"")
      .text("of a member on its axis or of an area, above the state without stress");
  t.quantity("gradient_y", &Load::gradient_y, kTemperatureGradient).text("change of temperature along section y");
  t.quantity("gradient_z", &Load::gradient_z, kTemperatureGradient).text("change of temperature along section z");
  t.expression("time", &Load::time)
      .sample("\"sin(10*t)\"")
      .text("factor of all this over time; its pull changes with it too; left out: 1");
  return t;
}

TableOf<Damping> damping_schema() {
  TableOf<Damping> t;
  t.quantity("mass", &Damping::mass, kRate).at_least(0).text("factor of the mass matrix (Rayleigh damping)");
  t.quantity("stiffness", &Damping::stiffness, kTime)
      .at_least(0)
      .text("factor of the stiffness matrix (Rayleigh damping)");
  t.list("modal", &Damping::modal, kPlainNumber)
      .at_least(0)
      .below(1)
      .sample("[0.01, 0.01]")
      .text("ratio of critical damping of modes 1, 2, … at rest; later modes have none");
  return t;
}

TableOf<Motion> motion_schema() {
  TableOf<Motion> t;
  t.choice("kind", &Motion::kind,
           {{"rest", Motion::Kind::rest},
            {"spin", Motion::Kind::spin},
            {"prescribed", Motion::Kind::prescribed},
            {"table", Motion::Kind::table},
            {"mechanism", Motion::Kind::mechanism}})
      .text(
          "how the body's frame moves; vectors in body axes. mechanism: as [analysis.mechanism] moves it, with the "
          "forces of the joints as loads");
  t.vector("axis", &Motion::axis, kPlainNumber).only_with("kind", {"spin"}).text("direction of the axis; any length");
  t.vector("through", &Motion::through, kLength).only_with("kind", {"spin"}).text("a point of the axis");
  t.quantity("speed", &Motion::speed, kAngularSpeed)
      .only_with("kind", {"spin"})
      .required()
      .sample("\"1000 rad/s\"")
      .text("constant angular speed");
  const char* const expression = ", three expressions of t in SI";
  t.expressions("acceleration", &Motion::acceleration, kAcceleration)
      .only_with("kind", {"prescribed"})
      .sample("[\"10*sin(2*pi*t)\", 0, 0]")
      .text(std::string("of the origin, gravity subtracted") + expression);
  t.expressions("angular_velocity", &Motion::angular_velocity, kAngularSpeed)
      .only_with("kind", {"prescribed"})
      .sample("[0, 0, \"100*t\"]")
      .text(std::string("of the frame") + expression);
  t.expressions("angular_acceleration", &Motion::angular_acceleration, kAngularAcceleration)
      .only_with("kind", {"prescribed"})
      .sample("[0, 0, 100]")
      .text(std::string("left out: the derivative of angular_velocity") + expression);
  t.text("file", &Motion::file)
      .only_with("kind", {"table"})
      .required()
      .sample("\"motion.csv\"")
      .text("table of the motion over time, beside the model file; columns t, ax … az, wx … wz, ex … ez in SI");
  return t;
}

// clamp and pin are lists of points; each entry becomes a support.
void add_held_points(TableOf<Body>& t, const char* name, Support::Kind kind, const char* sample, const char* text) {
  t.names(
       name, "point",
       [kind](Body& body, const Located<std::string>& at) {
         Support support;
         support.kind = kind;
         support.at = at;
         body.supports.push_back(support);
       },
       [kind](const Body& body) {
         std::vector<std::string> points;
         for (const Support& support : body.supports)
           if (support.kind == kind) points.push_back(support.at.value);
         return points;
       })
      .sample(sample)
      .text(text);
}

TableOf<Body> body_schema() {
  TableOf<Body> t;
  t.name("element", &Body::element, "element")
      .required()
      .unless([](const Value& body) { return body.find("rigid") != nullptr; })
      .sample("\"beam_rayleigh\"")
      .text(
          "kind of finite element, see `elodyn list elements`; `membrane`, `plate` and `voids` are short for "
          "membrane_q4, plate_mitc4 and voids_q4, beside which a mesh file may have triangles (_t3, plate_dkt)");
  t.integer("degree", &Body::degree).one_of({3, 5}).text("of the deflection: 3 cubic, 5 quintic (not beam_timoshenko)");
  t.integer("axial_degree", &Body::axial_degree)
      .at_least(1)
      .at_most(3)
      .text("degree of axial displacement and torsion");
  t.integer("dimension", &Body::dimension)
      .one_of({2, 3})
      .required()
      .sample("2")
      .text("2: u, v, v' in the xy plane; 3: the full spatial element");
  t.inline_table<RigidPart>("rigid", rigid_schema(), put_rigid, get_rigid)
      .sample("{ mass = \"2 kg\", center = [0, 0, 0], inertia = \"0.01 kg*m^2\", inertia_tensor = [] }")
      .text("a rigid body of a mechanism: its mass in place of `element`");
  t.name("material", &Body::material, "material").sample("\"steel\"").text("of all members that name no other");
  t.name("section", &Body::section, "section").sample("\"round\"").text("of all members that name no other");
  t.choice("plane", &Body::plane, {{"stress", PlaneState::stress}, {"strain", PlaneState::strain}})
      .text("of areas: free to change their thickness, or held in it");
  t.choice("uniaxial", &Body::uniaxial, {{"stress", PlaneState::stress}, {"strain", PlaneState::strain}})
      .text("of voids_bar: its sides are free, or held");
  t.boolean("incompatible", &Body::incompatible)
      .text("modes inside membrane_q4 and plate_mitc4 that let them bend in their plane without locking in shear");
  t.boolean("lumped_mass", &Body::lumped_mass)
      .text("of areas: mass and loads per area at the nodes, instead of what the shape functions give them");
  t.vector("material_axis", &Body::material_axis, kPlainNumber).text("direction 1 of an orthotropic material of areas");
  t.vector("orientation", &Body::orientation, kPlainNumber)
      .text("a vector in the members' xz planes, dimension 3; left out: [0, 0, 1], or [0, 1, 0] for members along z");
  t.inline_table<Line>("line", line_schema(), put_line, get_line)
      .sample("{ from = [0, 0, 0], to = [0.5, 0, 0], elements = 20 }")
      .text("a straight beam: makes the points \"from\" and \"to\" and the member \"line\"");
  t.inline_table<Rectangle>("rectangle", rectangle_schema(), put_rectangle, get_rectangle)
      .sample("{ from = [0, 0, 0], to = [0.2, 0.16, 0], nx = 30, ny = 24 }")
      .text(
          "a rectangle with sides along x and y: makes the points \"bottom_left\", \"bottom_right\", \"top_right\", "
          "\"top_left\", the sides \"bottom\", \"right\", \"top\", \"left\" and the area \"rectangle\"");
  t.name("mesh", &Body::mesh_file, "file")
      .sample("\"plate.msh\"")
      .text(
          "mesh of a surface, beside the model file: Gmsh 4.1 (.msh) or Abaqus and CalculiX (.inp); its groups become "
          "areas, sides and points");
  t.text("mesh_unit", &Body::mesh_unit).sample("\"mm\"").text("of the lengths in that file");
  t.named_vectors("points", kLength, put_point, get_points)
      .sample("{ A = [0, 0, 0], B = [0.5, 0, 0] }")
      .text("named places, body axes: ends of members, places of supports and loads");
  t.named_tables("member", &Body::members, "member", member_schema(), [](const Body& body) -> size_t {
     return is_line(body) ? 1 : 0;
   }).text("a straight piece between two points");
  t.named_tables("area", &Body::areas, "area", area_schema(), [](const Body& body) -> size_t {
     return is_rectangle(body) ? 1 : 0;
   }).text("a piece of a surface between four points, or a group of `mesh`");
  add_held_points(t, "clamp", Support::Kind::clamp, "[\"from\"]",
                  "points and sides where displacement and rotation are held");
  add_held_points(t, "pin", Support::Kind::pin, "[\"to\"]", "points and sides where the displacement is held");
  add_held_points(t, "void", Support::Kind::voids, "[\"from\"]",
                  "points and sides where the change phi of volume fraction is held, in a material with voids");
  t.tables<Support>(
       "roller", roller_schema(),
       [](Body& body) {
         Support& support = body.supports.emplace_back();
         support.kind = Support::Kind::roller;
         return &support;
       },
       [](const Body& body) {
         std::vector<const Support*> rollers;
         for (const Support& support : body.supports)
           if (support.kind == Support::Kind::roller) rollers.push_back(&support);
         return rollers;
       })
      .text("a point held in one direction");
  t.tables<Support>(
       "hinge", hinge_schema(),
       [](Body& body) {
         Support& support = body.supports.emplace_back();
         support.kind = Support::Kind::hinge;
         return &support;
       },
       [](const Body& body) {
         std::vector<const Support*> hinges;
         for (const Support& support : body.supports)
           if (support.kind == Support::Kind::hinge) hinges.push_back(&support);
         return hinges;
       })
      .text("a point or a side of a body of dimension 3 that is held, but for the rotation about one axis");
  t.tables("spring", &Body::springs, spring_schema())
      .text("a spring, with a dashpot beside it, to the frame or between points");
  t.tables("mass", &Body::masses, mass_schema()).text("a lumped mass");
  t.tables("link", &Body::links, link_schema()).text("a rigid connection of points");
  t.tables("load", &Body::loads, load_schema()).text("a load in body axes, constant or with a factor of the time");
  t.table("damping", &Body::damping, damping_schema()).text("damping of the material");
  t.vector("place", &Body::place, kLength)
      .text("of the body's origin in the world, at rest; in a mechanism a guess, which is corrected");
  t.vector("attitude", &Body::attitude, kAngle).text("rotation vector that turns world axes into body axes");
  t.table("motion", &Body::motion, motion_schema()).text("motion of the body's frame");
  static const std::set<std::string> of_rigid = {"dimension", "rigid", "points", "place", "attitude"};
  for (Key& key : t.keys)
    if (of_rigid.count(key.name) == 0)
      key.is_hidden = [](const void* body) { return static_cast<const Body*>(body)->is_rigid(); };
  return t;
}

TableOf<ModesRequest> modes_schema() {
  TableOf<ModesRequest> t;
  t.integer("count", &ModesRequest::count)
      .at_least(1)
      .at_most(1000000)
      .text("number of modes of each body, lowest first; modes that grow come besides");
  t.quantity("time", &ModesRequest::time, kTime).text("instant at which a motion over time is frozen");
  t.choice("form", &ModesRequest::form,
           {{"second_order", ModesRequest::Form::second_order}, {"canonical", ModesRequest::Form::canonical}})
      .text("eigenvalues of the equation in q, or of Hamilton's equations in (q, p); the same modes");
  t.quantity("target", &ModesRequest::target, kRate)
      .at_least(0)
      .sample("\"500 Hz\"")
      .text("the modes whose frequencies are nearest to this one; left out: the lowest");
  t.boolean("prove", &ModesRequest::prove)
      .text("proves that no mode is missed also where that takes long, of bodies with more than 50000 unknowns");
  return t;
}

TableOf<StaticRequest> static_schema() {
  TableOf<StaticRequest> t;
  t.quantity("time", &StaticRequest::time, kTime).text("instant at which a motion over time is frozen");
  t.integer("stations", &StaticRequest::stations)
      .at_least(2)
      .at_most(101)
      .text("places of an element, ends included, where N, T and M are written");
  return t;
}

TableOf<BucklingRequest> buckling_schema() {
  TableOf<BucklingRequest> t;
  t.integer("count", &BucklingRequest::count)
      .at_least(1)
      .at_most(1000)
      .text("number of factors of a body, lowest first");
  t.quantity("time", &BucklingRequest::time, kTime).text("instant at which a prescribed motion is frozen");
  t.choice("vary", &BucklingRequest::vary,
           {{"all", BucklingRequest::Vary::all},
            {"applied", BucklingRequest::Vary::applied},
            {"inertia", BucklingRequest::Vary::inertia}})
      .text(
          "what the factor multiplies: all loads; the applied ones; or those of motion and gravity (the factor of a "
          "spin's speed squared); the others stay as they are");
  return t;
}

TableOf<SimulateRequest> simulate_schema() {
  TableOf<SimulateRequest> t;
  t.quantity("start", &SimulateRequest::start, kTime).text("time t of the initial state");
  t.quantity("duration", &SimulateRequest::duration, kTime).above(0).required().sample("\"1 s\"").text("how long");
  t.quantity("step", &SimulateRequest::step, kTime)
      .above(0)
      .sample("\"1 ms\"")
      .text("longest time step; made shorter so that a whole number fits");
  t.integer("steps", &SimulateRequest::steps)
      .at_least(1)
      .at_most(SimulateRequest::kMostSteps)
      .text("number of time steps, in place of `step`");
  t.quantity("tolerance", &SimulateRequest::tolerance, kPlainNumber)
      .above(0)
      .at_most(0.1)
      .sample("1e-5")
      .text("in place of `step`: error of a step, relative to the largest displacement; steps as long as it allows");
  t.integer("records", &SimulateRequest::records)
      .at_least(1)
      .at_most(SimulateRequest::kMostRows)
      .text("with `tolerance`: number of equal intervals after which the motion is recorded");
  t.name("integrator", &SimulateRequest::integrator, "integrator")
      .sample("\"implicit_midpoint\"")
      .text(
          "`elodyn list integrators`; left out: the program's first, or the formalism's own way if it is one for "
          "systems");
  t.quantity("spectral_radius", &SimulateRequest::spectral_radius, kPlainNumber)
      .at_least(0)
      .at_most(1)
      .sample("0.8")
      .text("of generalized_alpha: what a step leaves of the fastest motion, 1: all, 0: nothing; left out: 0.8");
  t.quantity("newmark_beta", &SimulateRequest::newmark_beta, kPlainNumber)
      .above(0)
      .at_most(1)
      .text("of newmark; left out: 1/4, the average acceleration");
  t.quantity("newmark_gamma", &SimulateRequest::newmark_gamma, kPlainNumber)
      .at_least(0.5)
      .at_most(1)
      .text("of newmark; left out: 1/2; above it damps, and the order falls to 1");
  t.choice("initial", &SimulateRequest::initial,
           {{"rest", SimulateRequest::Initial::rest}, {"static", SimulateRequest::Initial::equilibrium}})
      .text("at rest in the frame and undeformed, or deformed by the loads and the motion at the start");
  t.integer("initial_mode", &SimulateRequest::initial_mode)
      .at_least(1)
      .at_most(1000)
      .text("this mode of each body is added to the initial state, displacement and velocity");
  t.quantity("initial_amplitude", &SimulateRequest::initial_amplitude, kLength)
      .text("largest displacement of a node in that mode, at phase 0");
  t.quantity("initial_phase", &SimulateRequest::initial_phase, kAngle)
      .text("how far that mode has swung at the start; at 90 deg it has no displacement, but its largest velocity");
  t.named_vectors(
       "initial_velocity", kVelocity,
       [](SimulateRequest& request, const std::string& name, const Mark& mark, const Vec3& velocity, bool) {
         request.initial_velocity.push_back({{name, mark}, velocity});
       },
       [](const SimulateRequest& request) {
         std::vector<std::pair<std::string, Vec3>> out;
         for (const auto& given : request.initial_velocity) out.emplace_back(given.point.value, given.velocity);
         return out;
       })
      .sample("{ to = [0, \"1 m/s\", 0] }")
      .text(
          "velocities of points in the frame at the start; between them the body moves as forces there would bend it");
  t.names(
       "points", "point",
       [](SimulateRequest& request, const Located<std::string>& point) { request.points.push_back(point); },
       [](const SimulateRequest& request) {
         std::vector<std::string> points;
         for (const auto& point : request.points) points.push_back(point.value);
         return points;
       })
      .sample("[\"to\"]")
      .text("points whose displacement and rotation are recorded; left out: all");
  t.integer("every", &SimulateRequest::every)
      .at_least(1)
      .at_most(SimulateRequest::kMostSteps)
      .text("only every k-th step is recorded");
  t.text("checkpoint", &SimulateRequest::checkpoint)
      .sample("\"60 s\"")
      .text("`elodyn run` saves the state every so many \"1000 steps\" or seconds of work; a rerun goes on from there");
  return t;
}

constexpr const char* kPeriodText =
    "after which motion and loads repeat themselves; left out: a turn of the body that spins, or the last cycle of the "
    "mechanism";

TableOf<FloquetRequest> floquet_schema() {
  TableOf<FloquetRequest> t;
  t.quantity("period", &FloquetRequest::period, kTime).above(0).sample("\"20 ms\"").text(kPeriodText);
  t.quantity("start", &FloquetRequest::start, kTime).text("time t at which the period begins");
  t.integer("count", &FloquetRequest::count)
      .at_least(1)
      .at_most(1000)
      .text("slowest modes that are shown; those that grow come besides");
  t.quantity("tolerance", &FloquetRequest::tolerance, kPlainNumber)
      .at_least(1e-12)
      .at_most(1e-2)
      .text("of multipliers: steps and basis are refined until they change by less");
  t.integer("basis", &FloquetRequest::basis)
      .at_least(1)
      .at_most(2000)
      .text("number of modes of the body at rest that carry the motion; left out: as many as the tolerance needs");
  return t;
}

TableOf<SweepParameter> sweep_schema(const char* what);

TableOf<CycleRequest> cycle_schema() {
  TableOf<CycleRequest> t;
  t.quantity("period", &CycleRequest::period, kTime).above(0).sample("\"20 ms\"").text(kPeriodText);
  t.quantity("start", &CycleRequest::start, kTime)
      .sample("\"0 s\"")
      .text("time t at which the cycle begins; left out: that of the mechanism's last cycle, else 0");
  t.integer("count", &CycleRequest::count).at_least(1).at_most(1000).text("number of lowest modes");
  t.integer("points", &CycleRequest::points)
      .at_least(2)
      .at_most(CycleRequest::kMostPoints)
      .text("equal intervals of the cycle");
  t.table("over", &CycleRequest::over,
          sweep_schema("number of the file that is varied, named as with --set, such as driver.crank.speed or "
                       "motor.drive.speeds[1]"))
      .text("a cycle for each value of a number of the file, such as a speed");
  return t;
}

TableOf<PeriodicRequest> periodic_schema() {
  TableOf<PeriodicRequest> t;
  t.quantity("period", &PeriodicRequest::period, kTime).above(0).sample("\"20 ms\"").text(kPeriodText);
  t.quantity("start", &PeriodicRequest::start, kTime)
      .sample("\"0 s\"")
      .text("time t at which the period begins; left out: that of the mechanism's last cycle, else 0");
  t.quantity("tolerance", &PeriodicRequest::tolerance, kPlainNumber)
      .at_least(1e-11)
      .at_most(1e-1)
      .text("of displacements: steps and basis are refined until they change by less");
  t.integer("basis", &PeriodicRequest::basis)
      .at_least(1)
      .at_most(2000)
      .text("number of modes that swing, the others follow their loads; left out: as many as the tolerance needs");
  t.integer("records", &PeriodicRequest::records)
      .at_least(4)
      .at_most(PeriodicRequest::kMostRecords)
      .text("equal intervals of the period at which displacements and stresses are given");
  t.integer("harmonics", &PeriodicRequest::harmonics)
      .at_least(1)
      .at_most(PeriodicRequest::kMostRecords)
      .text("of the spectra; fewer than half the records");
  t.integer("stations", &PeriodicRequest::stations)
      .at_least(2)
      .at_most(1001)
      .text("places per element, ends included, where stresses are looked for");
  t.names(
       "points", "point",
       [](PeriodicRequest& request, const Located<std::string>& point) { request.points.push_back(point); },
       [](const PeriodicRequest& request) {
         std::vector<std::string> points;
         for (const auto& point : request.points) points.push_back(point.value);
         return points;
       })
      .sample("[\"to\"]")
      .text("points whose displacements and spectra are given; left out: all");
  return t;
}

TableOf<LinkageRequest> linkage_schema() {
  TableOf<LinkageRequest> t;
  t.choice("kind", &LinkageRequest::kind,
           {{"periodic", LinkageRequest::Kind::periodic}, {"transient", LinkageRequest::Kind::transient}})
      .text("the vibration that returns with the motion, or the motion in time");
  t.quantity("period", &LinkageRequest::period, kTime).above(0).sample("\"20 ms\"").text(kPeriodText);
  t.quantity("start", &LinkageRequest::start, kTime)
      .sample("\"0 s\"")
      .text("time t at which it begins; left out: with the mechanism's last cycle, or with its motion");
  t.quantity("duration", &LinkageRequest::duration, kTime).above(0).sample("\"0.1 s\"").text("of a transient");
  t.quantity("step", &LinkageRequest::step, kTime)
      .above(0)
      .sample("\"50 us\"")
      .text("of a transient; the method is of order 4");
  t.choice(
       "initial", &LinkageRequest::initial,
       {{"quasi_static", LinkageRequest::Initial::quasi_static}, {"undeformed", LinkageRequest::Initial::undeformed}})
      .text("of a transient: as the loads of that instant bend the links, at rest; or not bent");
  t.quantity("tolerance", &LinkageRequest::tolerance, kPlainNumber)
      .at_least(1e-11)
      .at_most(1e-1)
      .text("of displacements: steps of a period are refined until they change by less");
  t.integer("records", &LinkageRequest::records)
      .at_least(4)
      .at_most(LinkageRequest::kMostRecords)
      .text("equal intervals at which deformation and forces are given");
  t.integer("count", &LinkageRequest::count)
      .at_least(0)
      .at_most(1000)
      .text("number of lowest frequencies, frozen at instants; 0: none");
  t.names(
       "points", "point",
       [](LinkageRequest& request, const Located<std::string>& point) { request.points.push_back(point); },
       [](const LinkageRequest& request) {
         std::vector<std::string> points;
         for (const auto& point : request.points) points.push_back(point.value);
         return points;
       })
      .sample("[\"rod.to\"]")
      .text("BODY.POINT whose deformation is given; left out: all of the links");
  return t;
}

TableOf<CampbellRequest::Speeds> campbell_speeds_schema() {
  using Speeds = CampbellRequest::Speeds;
  TableOf<Speeds> t;
  t.quantity("from", &Speeds::from, kAngularSpeed).at_least(0).sample("\"0 rpm\"").text("lowest speed");
  t.quantity("to", &Speeds::to, kAngularSpeed).above(0).required().sample("\"9000 rpm\"").text("highest speed");
  t.integer("count", &Speeds::count)
      .at_least(2)
      .at_most(CampbellRequest::kMostSpeeds)
      .text("number of speeds, equally spaced, both ends included");
  return t;
}

TableOf<CampbellRequest> campbell_schema() {
  TableOf<CampbellRequest> t;
  t.name("body", &CampbellRequest::body, "body")
      .text("whose speed is swept, in place of the speed of its motion; needed if several bodies spin");
  t.table("speeds", &CampbellRequest::speeds, campbell_speeds_schema())
      .required()
      .sample("{ from = \"0 rpm\", to = \"9000 rpm\", count = 61 }")
      .text("the speeds of the diagram")
      .is_inline = true;
  t.integer("count", &CampbellRequest::count)
      .at_least(1)
      .at_most(10000)
      .text("number of branches, the lowest at the first speed");
  t.list("orders", &CampbellRequest::orders, kPlainNumber)
      .sample("[1, 2, 3]")
      .text("k of the critical speeds, where a frequency is k times the speed");
  t.choice("frame", &CampbellRequest::frame,
           {{"rotating", CampbellRequest::Frame::rotating}, {"fixed", CampbellRequest::Frame::fixed}})
      .text("in which frequencies are seen: that of the body, or the ground, where a whirl has the speed besides");
  t.quantity("smallest_step", &CampbellRequest::smallest_step, kPlainNumber)
      .above(0)
      .at_most(1)
      .text("of the range of speeds: speeds that are added to follow a branch are no nearer to each other");
  return t;
}

// A list of points that is kept as it was written.
template <class Request>
Key& add_points(TableOf<Request>& t, const char* name, std::vector<Located<std::string>> Request::*member) {
  return t.names(
      name, "point",
      [member](Request& request, const Located<std::string>& point) { (request.*member).push_back(point); },
      [member](const Request& request) {
        std::vector<std::string> points;
        for (const auto& point : request.*member) points.push_back(point.value);
        return points;
      });
}

TableOf<FrequencyRange> frequency_schema() {
  TableOf<FrequencyRange> t;
  t.quantity("from", &FrequencyRange::from, kRate).at_least(0).sample("\"1 Hz\"").text("lowest frequency");
  t.quantity("to", &FrequencyRange::to, kRate).above(0).required().sample("\"500 Hz\"").text("highest frequency");
  t.integer("count", &FrequencyRange::count)
      .at_least(1)
      .at_most(FrequencyRange::kMost)
      .text("number of frequencies, both ends included");
  t.choice("spacing", &FrequencyRange::spacing,
           {{"linear", FrequencyRange::Spacing::linear}, {"log", FrequencyRange::Spacing::logarithmic}})
      .text("equal steps, or equal ratios");
  t.boolean("cluster", &FrequencyRange::cluster)
      .text("adds frequencies near the natural ones, so that no peak is missed");
  return t;
}

TableOf<HarmonicLoad> harmonic_load_schema() {
  TableOf<HarmonicLoad> t;
  const auto of = []<class V>(V Load::*member) { return static_cast<V HarmonicLoad::*>(member); };
  t.name("at", of(&Load::at), "point").sample("\"to\"").text("a point: takes force and moment");
  t.name("on", of(&Load::on), "member, area or side")
      .text(
          "a member: takes force_per_length and moment_per_length; a side: force_per_length; an area: force_per_area");
  t.vector("force", of(&Load::force), kForce).sample("[0, \"1 N\", 0]").text("amplitude, body axes");
  t.vector("moment", of(&Load::moment), kMoment).text("amplitude, body axes");
  t.vector("force_per_length", of(&Load::force_per_length), kStiffness).text("amplitude, body axes");
  t.vector("force_per_area", of(&Load::force_per_area), kPressure).text("amplitude, body axes");
  t.vector("moment_per_length", of(&Load::moment_per_length), kForce).text("amplitude, body axes");
  t.vector("base_displacement", &HarmonicLoad::base_displacement, kLength)
      .text("of the body's frame, besides its steady motion; components in body axes");
  t.vector("base_acceleration", &HarmonicLoad::base_acceleration, kAcceleration)
      .text("of the frame's origin, instead of its displacement");
  t.vector("base_rotation", &HarmonicLoad::base_rotation, kAngle)
      .text("of the frame about its origin, in a spin about `through`; components in body axes");
  t.vector("base_angular_acceleration", &HarmonicLoad::base_angular_acceleration, kAngularAcceleration)
      .text("of the frame, instead of its rotation");
  t.quantity("phase", &HarmonicLoad::phase, kAngle).sample("\"90 deg\"").text("how far it is ahead of the others");
  return t;
}

TableOf<FrfRequest> frf_schema() {
  TableOf<FrfRequest> t;
  t.name("body", &FrfRequest::body, "body").text("whose response; needed if there are several");
  t.choice("method", &FrfRequest::method,
           {{"direct", FrfRequest::Method::direct},
            {"modal", FrfRequest::Method::modal},
            {"craig_bampton", FrfRequest::Method::craig_bampton}})
      .text("solves for each frequency, or sums over modes, or reduces the body first (see [analysis.reduction])");
  t.table("frequencies", &FrfRequest::frequencies, frequency_schema())
      .text("of the response, { from, to, count, spacing }");
  t.tables("excitation", &FrfRequest::excitations, harmonic_load_schema())
      .text("a harmonic load, or motion of the frame; all act together");
  add_points(t, "points", &FrfRequest::points).sample("[\"to\"]").text("points whose response is given; left out: all");
  t.choice("output", &FrfRequest::output,
           {{"displacement", FrfRequest::Output::displacement},
            {"velocity", FrfRequest::Output::velocity},
            {"acceleration", FrfRequest::Output::acceleration}})
      .text("what is given of the points, 0-to-peak amplitude and phase");
  t.choice("relative_to", &FrfRequest::relative_to,
           {{"frame", FrfRequest::RelativeTo::frame}, {"ground", FrfRequest::RelativeTo::ground}})
      .text("the moving frame, or the ground: then a base motion is added; of bodies at rest only");
  t.quantity("loss_factor", &FrfRequest::loss_factor, kPlainNumber)
      .at_least(0)
      .text("structural damping: the elastic stiffness times 1 + i*loss_factor; not for modal");
  t.integer("modes", &FrfRequest::modes)
      .at_least(1)
      .at_most(100000)
      .text("modal, craig_bampton: number of modes that are kept");
  t.quantity("up_to", &FrfRequest::up_to, kRate)
      .above(0)
      .sample("\"2 kHz\"")
      .text(
          "or all modes up to this frequency; left out: twice the highest of the response, for craig_bampton four "
          "times");
  t.integer("corrections", &FrfRequest::corrections)
      .at_least(0)
      .at_most(4)
      .text("modal, craig_bampton: terms for the modes that are left out; 0 none, 1 static, 2 with inertia");
  t.boolean("reactions", &FrfRequest::reactions).text("also the forces and moments of the supports");
  return t;
}

TableOf<ReductionRequest> reduction_schema() {
  TableOf<ReductionRequest> t;
  t.name("body", &ReductionRequest::body, "body").text("which is reduced; needed if there are several");
  add_points(t, "points", &ReductionRequest::points)
      .sample("[\"to\"]")
      .text("of the interface: their displacements and rotations stay as they are");
  t.integer("modes", &ReductionRequest::modes)
      .at_least(1)
      .at_most(100000)
      .text("of the body with its interface held; left out: 20, or as many as `up_to` says");
  t.quantity("up_to", &ReductionRequest::up_to, kRate)
      .above(0)
      .sample("\"2 kHz\"")
      .text("all modes with the interface held up to this frequency, in place of `modes`");
  t.integer("compare", &ReductionRequest::compare)
      .at_least(0)
      .at_most(1000)
      .text("number of frequencies that are compared with those of the full body; 0: none");
  return t;
}

TableOf<SweepParameter> sweep_schema(const char* what) {
  TableOf<SweepParameter> t;
  t.name("key", &SweepParameter::key, "key").required().sample("\"body.rod.motion.speed\"").text(what);
  t.names(
       "also", "key", [](SweepParameter& parameter, const Located<std::string>& key) { parameter.also.push_back(key); },
       [](const SweepParameter& parameter) {
         std::vector<std::string> keys;
         for (const auto& key : parameter.also) keys.push_back(key.value);
         return keys;
       })
      .sample("[\"body.other.motion.speed\"]")
      .text("other keys that get the same value");
  t.text("label", &SweepParameter::label).sample("\"D\"").text("its name in tables; left out: what the key ends with");
  t.any_quantity("from", &SweepParameter::from).required().sample("\"0 rpm\"").text("first value");
  t.any_quantity("to", &SweepParameter::to).required().sample("\"3000 rpm\"").text("last value; above `from`");
  t.integer("count", &SweepParameter::count)
      .at_least(2)
      .at_most(SweepParameter::kMostSteps)
      .text("number of values, the first and the last included");
  return t;
}

TableOf<StabilityRequest> stability_schema() {
  TableOf<StabilityRequest> t;
  const char* const what =
      "number of the file that is varied and that the equation of a body depends on, named as with --set; entries of "
      "lists as in body.rod.line.to[0]";
  t.table("x", &StabilityRequest::x, sweep_schema(what)).required().text("the first parameter of a stability map");
  t.table("y", &StabilityRequest::y, sweep_schema(what))
      .text("the second parameter of a stability map; left out: a line");
  t.quantity("tolerance", &StabilityRequest::tolerance, kPlainNumber)
      .at_least(1e-12)
      .at_most(0.1)
      .text("part of from … to within which a boundary is found; those of divergence in speed are exact");
  return t;
}

// [analysis]: the requests lie side by side in the model.
TableOf<Model> analysis_schema() {
  TableOf<Model> t;
  t.noun = "analysis";
  t.table("modes", &Model::modes, modes_schema()).text("natural frequencies and modes, at rest or in motion");
  t.table("static", &Model::static_, static_schema()).text("displacements, reactions, internal forces, stresses");
  t.table("buckling", &Model::buckling, buckling_schema()).text("factors of the loads at which a body buckles");
  t.table("simulate", &Model::simulate, simulate_schema()).text("motion in time from an initial state");
  t.table("campbell", &Model::campbell, campbell_schema())
      .text("frequencies of a spinning body over its speed, and its critical speeds");
  t.table("frf", &Model::frf, frf_schema()).text("steady response to harmonic loads and to shaking of the frame");
  t.table("reduction", &Model::reduction, reduction_schema())
      .text("Craig and Bampton's reduction to an interface and modes");
  t.table("stability", &Model::stability, stability_schema())
      .text("map of what is stable over one or two numbers of the file");
  t.table("mechanism", &Model::mechanism, mechanism_schema())
      .text("motion of bodies that joints connect, and the forces in the joints");
  t.table("floquet", &Model::floquet, floquet_schema()).text("growth over one period of periodic motion or loads");
  t.table("cycle", &Model::cycle, cycle_schema()).text("frequencies over one cycle of the motion, frozen at instants");
  t.table("linkage", &Model::linkage, linkage_schema())
      .text("all elastic links of a mechanism together, joints as constraints (Maggi)");
  t.table("periodic", &Model::periodic, periodic_schema())
      .text("steady vibration in a motion that repeats itself, stresses and spectra");
  t.table("measure", &Model::measure, measure_schema())
      .text("an experiment that is simulated: its records are written as the files of a laboratory");
  t.table("identify", &Model::identify, identify_schema())
      .text("motion, joint forces and state of a mechanism from films of markers");
  t.table("spectra", &Model::spectra, spectra_schema()).text("spectra and FRFs of measured records");
  t.table("modal", &Model::modal, modal_schema()).text("modes from measured FRFs");
  t.table("correlate", &Model::correlate, correlate_schema()).text("measured modes beside those of a body");
  return t;
}

// Measured records need no model.
bool needs_no_body(const Value& root) {
  const Entry* analysis = root.find("analysis");
  return analysis && (analysis->value.find("spectra") || analysis->value.find("modal"));
}

// A mesh file may have materials and sections in it; rigid bodies need none.
bool needs_none(const Value& root) {
  const Entry* bodies = root.find("body");
  if (!bodies) return needs_no_body(root);
  return std::any_of(bodies->value.entries.begin(), bodies->value.entries.end(),
                     [](const Entry& body) { return body.value.find("mesh") || body.value.find("rigid"); });
}

TableOf<Model> root_schema() {
  TableOf<Model> t;
  t.fixed("schema", kSchemaVersion).required().sample("1").text("version of the file; the first key");
  t.text("title", &Model::title).sample("\"Steel rod\"").text("one line for people");
  t.vector("gravity", &Model::gravity, kAcceleration).sample("[0, -9.81, 0]").text("world axes");
  t.name("formalism", &Model::formalism, "formalism").text("that derives the equations; left out: the program's first");
  t.name("element_formalism", &Model::element_formalism, "element formalism")
      .text("that derives those of the elements if `formalism` is one for systems; left out: the program's first");
  t.table("terms", &Model::terms, terms_schema()).text("switches, to show the effect of each term of the equation");
  t.named_tables("material", &Model::materials, "material", material_schema())
      .required()
      .unless(needs_none)
      .text("a material");
  t.named_tables("section", &Model::sections, "section", section_schema())
      .required()
      .unless(needs_none)
      .text("a cross-section");
  t.named_tables("body", &Model::bodies, "body", body_schema())
      .required()
      .unless(needs_no_body)
      .text("a body in its moving frame");
  add_mechanism_tables(t);
  t.group("analysis", analysis_schema()).text("what to compute");
  return t;
}

}  // namespace

const TableOf<Model>& model_schema() {
  static const TableOf<Model> schema = root_schema();
  return schema;
}

}  // namespace elodyn
