#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "elodyn/base/text.hpp"
#include "elodyn/model/area_grid.hpp"
#include "elodyn/model/message_text.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

constexpr double kMostElements = 1e6;
constexpr double kFlat = 1e-9, kRightAngle = 1e-9;  // of the sides' lengths
constexpr double kOnNode = 1e-9;                    // of the area's size; the mesher uses the same

using Corners = std::array<Vec3, 4>;

class AreaValidator {
 public:
  AreaValidator(const Model& model, const Body& body, Diagnostics& diagnostics)
      : model_(model), body_(body), kind_(find_surface_kind(body.element.value)), diagnostics_(diagnostics) {}

  void run() {
    if (kind_ == nullptr) return refuse_on_beams();
    if (body_.areas.empty() && body_.mesh_file.empty() && !body_.marks.is_bad("rectangle") &&
        !body_.marks.is_bad("area") && !body_.marks.is_bad("mesh"))
      fail(body_.mark, "body " + tick(body_.name) + " has no areas",
           "give `rectangle` or `mesh`, or `points` and [body." + body_.name + ".area.NAME]");
    const Body plain;  // what is as it would be anyway does not contradict: the echo of a model shows it
    const auto refuse = [&](const char* key, bool differs) {
      if (differs)
        fail(body_.marks.of(key, body_.mark), "`" + std::string(key) + "` belongs to beams, not to " + name());
    };
    refuse("degree", body_.degree != plain.degree);
    refuse("axial_degree", body_.axial_degree != plain.axial_degree);
    refuse("orientation", body_.orientation.has_value());
    if (body_.incompatible && body_.element.value != "membrane_q4" && body_.element.value != "plate_mitc4")
      fail(body_.marks.of("incompatible", body_.mark),
           "`incompatible` belongs to `membrane_q4` and `plate_mitc4`, not to " + name());
    if (kind_->bends && body_.plane == PlaneState::strain)
      fail(body_.marks.of("plane", body_.mark), "plane = \"strain\" with " + name() + ", must be \"stress\"",
           "a plate is free to change its thickness");
    if (kind_->bends && !model_.terms.rotary && (body_.lumped_mass || kind_->shears))
      fail(body_.lumped_mass ? body_.marks.of("lumped_mass", body_.mark) : body_.element.mark,
           "terms.rotary = false leaves the rotations of " + name() + " without inertia",
           "use plate_dkt or plate_acm with a mass that is not lumped");
    check_direction(body_.material_axis, "material_axis", body_.marks, body_.mark, diagnostics_);
    check_names();
    for (const Area& area : body_.areas) {
      if (!body_.mesh_file.empty() || body_.marks.is_bad("mesh")) {
        if (refuse_patch(area) || body_.mesh == nullptr) continue;
        check_materials(area);
        continue;
      }
      check_materials(area);
      check_cuts(area);
      if (const auto corners = find_corners(area)) check_shape(area, *corners);
    }
    if (body_.mesh && !body_.marks.is_bad("mesh")) validate_mesh(body_, *kind_, diagnostics_);
    check_places();
  }

 private:
  std::string name() const { return tick(body_.element.value); }
  void fail(const Mark& mark, std::string text, std::string help = {}) {
    diagnostics_.error(mark, std::move(text), std::move(help));
  }

  void refuse_on_beams() {
    if (body_.element.value.empty() || body_.marks.is_bad("element")) return;
    for (const Area& area : body_.areas)
      fail(area.mark, "area " + tick(area.name) + " in a body of " + name() + ", which is no element of surfaces");
    const Body plain;
    const auto refuse = [&](const char* key, bool differs) {
      if (differs)
        fail(body_.marks.of(key, body_.mark), "`" + std::string(key) + "` belongs to areas, not to " + name());
    };
    refuse("plane", body_.plane != plain.plane);
    refuse("incompatible", body_.incompatible != plain.incompatible);
    refuse("lumped_mass", body_.lumped_mass != plain.lumped_mass);
    refuse("material_axis", body_.material_axis != plain.material_axis);
    refuse("mesh", body_.mesh_file != plain.mesh_file);
    refuse("mesh_unit", body_.mesh_unit != plain.mesh_unit);
    for (const Member& member : body_.members) {
      const std::string &own = member.section.value, &material = member.material.value;
      const Section* section = model_.find_section(own.empty() ? body_.section.value : own);
      if (section && section->shape == Section::Shape::sheet)
        return fail(own.empty() ? body_.section.mark : member.section.mark,
                    "section " + tick(section->name) + " is a sheet, a beam needs another shape");
      const Material* of = model_.find_material(material.empty() ? body_.material.value : material);
      if (of && of->is_orthotropic())
        return fail(material.empty() ? body_.material.mark : member.material.mark,
                    "material " + tick(of->name) + " is orthotropic, which is for areas");
    }
  }

  // In a body with a mesh file areas are groups of it.
  bool refuse_patch(const Area& area) {
    if (area.corners.empty() && area.nx.value == 0 && area.ny.value == 0) return false;
    const std::string what =
        area.name == "rectangle" ? "`rectangle`" : "area " + tick(area.name) + " with `corners`, `nx` or `ny`";
    fail(area.mark, what + " besides `mesh`, a body has one of them",
         area.name == "rectangle" ? ""
                                  : "an area with the name of a group of the mesh has only `material` and `section`");
    return true;
  }

  // Supports and loads tell points, sides and areas apart by name.
  void check_names() {
    std::set<std::string> seen;
    for (const Area& area : body_.areas)
      if (!seen.insert(area.name).second)
        fail(area.mark, "area " + tick(area.name) + " is already made by `rectangle`");
    for (const Area& area : body_.areas)
      for (size_t k = 0; k < 4 && area.is_patch() && body_.mesh_file.empty(); ++k) {
        const std::string side = area.side_name(k);
        if (!seen.insert(side).second) fail(area.mark, "side " + tick(side) + " has the name of another area or side");
        if (const Point* point = body_.find_point(side))
          fail(point->mark, "point " + tick(side) + " has the name of a side of area " + tick(area.name));
      }
  }

  void check_materials(const Area& area) {
    const auto look_up = [&](const Located<std::string>& own, const Located<std::string>& common, const char* what,
                             const auto& find, const auto& items) {
      const Located<std::string>& used = own.value.empty() ? common : own;
      const auto* found = find(used.value);
      if (found || area.marks.is_bad(what) || body_.marks.is_bad(what)) return found;
      if (used.value.empty()) {
        fail(area.mark, "no " + std::string(what) + " for area " + tick(area.name) + " of body " + tick(body_.name),
             "give `" + std::string(what) + "` in [body." + body_.name + "] or in the area");
      } else if (!own.value.empty()) {  // the body's is judged elsewhere
        std::vector<std::string> names;
        for (const auto& item : items) names.push_back(item.name);
        fail(own.mark, "unknown " + std::string(what) + " " + tick(used.value), suggest(used.value, names));
      }
      return found;
    };
    const Section* section = look_up(
        area.section, body_.section, "section", [&](const std::string& n) { return model_.find_section(n); },
        model_.sections);
    if (section && section->shape != Section::Shape::sheet)
      fail(area.section.value.empty() ? body_.section.mark : area.section.mark,
           "section " + tick(section->name) + " is no sheet, an area needs shape = \"sheet\"");
    const Material* material = look_up(
        area.material, body_.material, "material", [&](const std::string& n) { return model_.find_material(n); },
        model_.materials);
    if (material) check_law(*material);
  }

  void check_law(const Material& material) {
    if (!judged_.insert(&material).second || material.marks.has_bad()) return;
    const auto need = [&](bool is_there, const char* key, const std::string& why) {
      if (!is_there) fail(material.mark, "material " + tick(material.name) + " has no `" + key + "`, needed by " + why);
    };
    // Only a file can leave a key out.
    need(!material.marks.is_given("young") || material.marks.is_given("poisson"), "poisson", name());
    if (body_.plane != PlaneState::strain || kind_->bends) return;
    if (!material.is_orthotropic()) {
      if (material.poisson >= 0.5)
        fail(material.marks.of("poisson", material.mark),
             "poisson = " + shortest(material.poisson) + ", must be below 0.5 in plane strain",
             "nothing can be compressed there");
      return;
    }
    need(material.young_3.has_value(), "young_3", "plane strain");
    need(material.poisson_13.has_value(), "poisson_13", "plane strain");
    need(material.poisson_23.has_value(), "poisson_23", "plane strain");
    if (!material.young_3 || !material.poisson_13 || !material.poisson_23) return;
    try {
      calc_plane_law(material, PlaneState::strain);
    } catch (const std::invalid_argument&) {
      fail(material.mark, "material " + tick(material.name) +
                              " has an energy that is not positive: its moduli and Poisson's ratios contradict");
    }
  }

  void check_cuts(const Area& area) {
    const auto in_range = [&](const Located<int>& n, const char* key) {
      if (area.marks.is_bad(key)) return false;
      if (n.value == 0 && !area.marks.is_given(key)) return fail_missing(area, key);
      if (n.value >= 1 && n.value <= kMostElements) return true;
      fail(n.mark, std::string(key) + " = " + std::to_string(n.value) + ", must be from 1 to 1000000");
      return false;
    };
    const bool good = in_range(area.nx, "nx") && in_range(area.ny, "ny");
    const double pieces = static_cast<double>(area.nx.value) * area.ny.value;
    if (good && pieces > kMostElements)
      fail(area.ny.mark, "nx*ny = " + shortest(pieces) + " elements of area " + tick(area.name) + ", at most 1000000");
  }

  bool fail_missing(const Area& area, const char* key) {
    fail(area.mark, "missing key `" + std::string(key) + "` in [body." + body_.name + ".area." + area.name + "]",
         "an area has corners = [\"A\", \"B\", \"C\", \"D\"], nx and ny");
    return false;
  }

  std::optional<Corners> find_corners(const Area& area) {
    if (area.marks.is_bad("corners")) return std::nullopt;
    if (area.corners.empty() && !area.marks.is_given("corners")) return fail_missing(area, "corners"), std::nullopt;
    if (area.corners.size() != 4) {
      fail(area.marks.of("corners", area.mark),
           std::to_string(area.corners.size()) + " corners of area " + tick(area.name) + ", must be 4");
      return std::nullopt;
    }
    Corners corners;
    bool good = true;
    for (size_t k = 0; k < 4; ++k) {
      const Point* point = body_.find_point(area.corners[k].value);
      if (!point) {
        std::vector<std::string> names;
        for (const Point& p : body_.points) names.push_back(p.name);
        fail(area.corners[k].mark, "unknown point " + tick(area.corners[k].value),
             suggest(area.corners[k].value, names));
      }
      good = good && point && !point->marks.is_bad("x") && point->x.allFinite();
      if (good) corners[k] = point->x;
    }
    return good ? std::optional(corners) : std::nullopt;
  }

  // `rectangle`: from the corner with the smaller x and y to the opposite one.
  bool check_rectangle(const Area& area, const Corners& x) {
    const Mark mark = body_.marks.of("rectangle", area.mark);
    const Vec3 from = x[0], to = x[2];
    const char* names[] = {"x", "y"};
    for (int k = 0; k < 2; ++k)
      if (!(to[k] > from[k])) {
        fail(mark, "to[" + std::string(names[k]) + "] = " + shortest(to[k]) +
                       " m of the rectangle, must be above from[" + names[k] + "] = " + shortest(from[k]) + " m");
        return false;
      }
    if (to[2] == from[2]) return true;
    fail(mark, "to[z] = " + shortest(to[2]) + " m of the rectangle, must be from[z] = " + shortest(from[2]) + " m",
         "give `points` and [body." + body_.name + ".area.NAME] for other planes");
    return false;
  }

  // Convex, in one plane, round it in the sense of z; a rectangle where the element is one.
  void check_shape(const Area& area, const Corners& x) {
    const Mark mark = area.marks.of("corners", area.mark);
    if (area.sides[0] == "bottom" && !check_rectangle(area, x)) return;
    double size = 0;
    for (size_t k = 0; k < 4; ++k) size = std::max(size, (x[(k + 1) % 4] - x[k]).norm());
    const auto name_corner = [&](size_t k) { return tick(area.corners[k].value) + " at " + place_text(x[k]); };
    const Vec3 normal = (x[2] - x[0]).cross(x[3] - x[1]);  // twice the area
    if (!(normal.norm() > kFlat * size * size))
      return fail(mark, "area " + tick(area.name) + " has no area: check the places and the order of its corners");
    const Vec3 n = normal.normalized();
    for (size_t k = 0; k < 4; ++k) {
      const Vec3 before = x[k] - x[(k + 3) % 4], after = x[(k + 1) % 4] - x[k];
      if (std::abs(n.dot(x[k] - x[0])) > kFlat * size)
        return fail(mark, "area " + tick(area.name) + " is not flat: corner " + name_corner(k) +
                              " lies out of the plane of the others");
      if (!(before.cross(after).dot(n) > kFlat * size * size))
        return fail(mark, "area " + tick(area.name) + " is not convex at corner " + name_corner(k));
      if (kind_->only_rectangles && std::abs(before.dot(after)) > kRightAngle * before.norm() * after.norm())
        return fail(mark, name() + " needs rectangles, area " + tick(area.name) + " has no right angle at corner " +
                              name_corner(k));
    }
    if (body_.element.value == "plate_merged") check_legs(area, x, mark);
    if (kind_->bends) check_material_axis(area, n);
    if (kind_->dimension() == 2 && n.z() < 0)
      fail(mark, "the corners of area " + tick(area.name) + " go round it clockwise",
           "name them the other way round: z must look out of the plane");
  }

  // Direction 1 of an orthotropic material is the part of the axis in the plane.
  void check_material_axis(const Area& area, const Vec3& normal) {
    const std::string& own = area.material.value;
    const Material* material = model_.find_material(own.empty() ? body_.material.value : own);
    constexpr double kAcross = 0.99;  // within 8 degrees
    if (material && material->is_orthotropic() && body_.material_axis.norm() > 0 &&
        std::abs(normal.dot(body_.material_axis.normalized())) > kAcross)
      fail(body_.marks.of("material_axis", body_.mark),
           "material_axis is across area " + tick(area.name) + ", must have a part in its plane",
           "direction 1 of material " + tick(material->name) + " is that part");
  }

  // Its polynomial has no coefficients for equal legs, and bad ones near that.
  void check_legs(const Area& area, const Corners& x, const Mark& mark) {
    if (area.nx.value < 1 || area.ny.value < 1) return;
    constexpr double kEqual = 1e-3;
    const double a = (x[1] - x[0]).norm() / area.nx.value, b = (x[2] - x[1]).norm() / area.ny.value;
    if (std::abs(a - b) < kEqual * std::max(a, b))
      fail(
          mark,
          "the triangles of area " + tick(area.name) + " have equal legs, a = " + shortest(a) +
              " m and b = " + shortest(b) + " m, which `plate_merged` cannot have",
          "its terms x²y + xy² are one, so the determinant of its coefficients goes with a⁵b⁵(a − b); change nx or ny, "
          "or use `plate_dkt`");
  }

  // What stands at a point must find a node there.
  void check_places() {
    if (diagnostics_.n_errors() > 0) return;
    const auto check = [&](const Located<std::string>& at, const char* what) {
      const Point* point = body_.find_point(at.value);
      if (!point || point->mesh_node >= 0) return;
      if (body_.mesh) return check_on_mesh(at, *point, what);
      if (is_on_node(point->x)) return;
      fail(at.mark, std::string(what) + " at point " + tick(at.value) + ", which is not on a node of the mesh",
           "it is at " + place_text(point->x) + "; change nx and ny, or make it a corner");
    };
    for (const Support& support : body_.supports) check(support.at, "a support");
    for (const LumpedMass& mass : body_.masses) check(mass.at, "a mass");
    for (const Spring& spring : body_.springs) {
      check(spring.at, "a spring");
      if (spring.to) check(*spring.to, "a spring");
    }
    for (const Load& load : body_.loads)
      if (load.at) check(*load.at, "a load");
  }
  // One node of the mesh file must be there.
  void check_on_mesh(const Located<std::string>& at, const Point& point, const char* what) {
    if (is_linked(point.x)) return;
    Eigen::AlignedBox3d box;
    for (const SurfaceMesh::Node& node : body_.mesh->nodes) box.extend(node.x);
    const double close = kOnNode * box.diagonal().norm();
    std::vector<const SurfaceMesh::Node*> found;
    const SurfaceMesh::Node* nearest = &body_.mesh->nodes[0];
    for (const SurfaceMesh::Node& node : body_.mesh->nodes) {
      if ((node.x - point.x).norm() <= close) found.push_back(&node);
      if ((node.x - point.x).squaredNorm() < (nearest->x - point.x).squaredNorm()) nearest = &node;
    }
    if (found.size() == 1) return;
    if (found.empty())
      return fail(at.mark, std::string(what) + " at point " + tick(at.value) + ", which is not on a node of the mesh",
                  "it is at " + place_text(point.x) + ", the nearest node at " + place_text(nearest->x));
    fail(at.mark,
         std::string(what) + " at point " + tick(at.value) + ", where nodes " + std::to_string(found[0]->number) +
             " and " + std::to_string(found[1]->number) + " of the mesh lie",
         "give one of them a group of its own in the mesh file");
  }
  bool is_linked(const Vec3& x) const {
    for (const RigidLink& link : body_.links) {
      const auto is_at = [&](const Located<std::string>& name) {
        const Point* point = body_.find_point(name.value);
        return point && point->x == x;
      };
      if (is_at(link.from) || std::any_of(link.to.begin(), link.to.end(), is_at)) return true;
    }
    return false;
  }
  bool is_on_node(const Vec3& x) const {
    if (is_linked(x)) return true;
    for (const Area& area : body_.areas) {
      const AreaGrid grid(body_, area, *kind_);
      for (int j = 0; j <= grid.ny(); ++j)
        for (int i = 0; i <= grid.nx(); ++i)
          if (grid.has_node(i, j) && (grid.place(i, j) - x).norm() <= kOnNode * grid.size()) return true;
    }
    return false;
  }

  const Model& model_;
  const Body& body_;
  const SurfaceKind* kind_;
  Diagnostics& diagnostics_;
  std::set<const Material*> judged_;
};

}  // namespace

void validate_areas(const Model& model, const Body& body, Diagnostics& diagnostics) {
  AreaValidator(model, body, diagnostics).run();
}

}  // namespace elodyn
