#include "elodyn/io/import_meshes.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "elodyn/base/text.hpp"
#include "elodyn/base/units.hpp"
#include "elodyn/io/read_inp.hpp"
#include "elodyn/io/read_msh.hpp"
#include "elodyn/io/toml.hpp"
#include "elodyn/model/message_text.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {
namespace fs = std::filesystem;
namespace {

bool has_ending(const std::string& file, std::string_view ending) {
  std::string lower = file;
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower.ends_with(ending);
}

bool is_same_material(const Material& a, const Material& b) {
  return a.young == b.young && a.poisson == b.poisson && a.density == b.density && a.expansion == b.expansion &&
         a.young_2 == b.young_2 && a.shear_12 == b.shear_12 && a.shear_13 == b.shear_13 && a.shear_23 == b.shear_23 &&
         a.young_3 == b.young_3 && a.poisson_13 == b.poisson_13 && a.poisson_23 == b.poisson_23;
}

// Gives the elements of a body's mesh to areas.
class AreaMaker {
 public:
  AreaMaker(Body& body, Diagnostics& diagnostics)
      : body_(body), mesh_(*body.mesh), owner_(mesh_.elements.size(), -1), diagnostics_(diagnostics) {}

  bool run() {
    const int before = diagnostics_.n_errors();
    std::set<std::string> loaded;
    for (const Load& load : body_.loads)
      if (load.on) loaded.insert(load.on->value);
    std::vector<const SurfaceMesh::Area*> used, others;
    for (Area& area : body_.areas) {  // those of the model file
      if (!area.corners.empty()) continue;
      if (const SurfaceMesh::Area* group = mesh_.find_area(area.name))
        used.push_back(group);
      else if (area.name != kRestOfMesh)
        refuse_unknown(area);
    }
    for (const SurfaceMesh::Area& group : mesh_.areas) {
      if (body_.find_area(group.name)) continue;
      const bool is_used = loaded.count(group.name) > 0 || !group.material.empty() || group.thickness > 0;
      (is_used ? used : others).push_back(&group);
    }
    for (const SurfaceMesh::Area* group : used) claim(*group);
    for (const SurfaceMesh::Area* group : others)
      if (std::all_of(group->elements.begin(), group->elements.end(), [&](int e) { return owner(e) < 0; }))
        claim(*group);
    claim_rest();
    for (size_t e = 0; e < owner_.size(); ++e)
      if (owner_[e] >= 0) body_.areas[static_cast<size_t>(owner_[e])].elements.push_back(static_cast<int>(e));
    return diagnostics_.n_errors() == before;
  }

 private:
  int& owner(int element) { return owner_[static_cast<size_t>(element)]; }

  void refuse_unknown(const Area& area) {
    std::vector<std::string> names;
    for (const SurfaceMesh::Area& group : mesh_.areas) names.push_back(group.name);
    const bool is_other = mesh_.find_side(area.name) != nullptr;
    diagnostics_.error(area.mark,
                       "area " + tick(area.name) + " has no `corners` and is no group of elements in " +
                           tick(body_.mesh_file) + (is_other ? ", which has a side of that name" : ""),
                       names.size() < 100 ? suggest(area.name, names) : "");
  }

  // Index of the area with that name; made if there is none.
  int find_or_add(const std::string& name, const Mark& mark) {
    for (size_t a = 0; a < body_.areas.size(); ++a)
      if (body_.areas[a].name == name) return static_cast<int>(a);
    Area& area = body_.areas.emplace_back();
    area.name = name;
    area.mark = mark;
    area.from_mesh = true;
    return static_cast<int>(body_.areas.size()) - 1;
  }

  void claim(const SurfaceMesh::Area& group) {
    const int area = find_or_add(group.name, group.mark);
    for (const int e : group.elements) {
      if (owner(e) >= 0) {
        const SurfaceMesh::Element& element = mesh_.elements[static_cast<size_t>(e)];
        const Area& other = body_.areas[static_cast<size_t>(owner(e))];
        diagnostics_.error(mesh_.mark_of(element),
                           "element " + std::to_string(element.number) + " is in groups " + tick(other.name) + " and " +
                               tick(group.name) + ", which are both used",
                           "an element has one material and section: use groups that do not overlap");
        return;
      }
      owner(e) = area;
    }
  }

  void claim_rest() {
    const auto is_free = [](int area) { return area < 0; };
    if (std::none_of(owner_.begin(), owner_.end(), is_free)) {
      const Area* rest = body_.find_area(kRestOfMesh);
      if (rest && !mesh_.find_area(kRestOfMesh))
        diagnostics_.error(
            rest->mark, "area " + tick(rest->name) + " has no elements: all are in groups of " + tick(body_.mesh_file));
      return;
    }
    if (const SurfaceMesh::Area* clash = mesh_.find_area(kRestOfMesh)) {
      diagnostics_.error(
          clash->mark, std::string("group `") + kRestOfMesh + "` has the name of the area of elements without a group",
          "rename it, or give all elements a group");
      return;
    }
    const int rest = find_or_add(kRestOfMesh, {mesh_.source, 0, 0, 0});
    for (int& area : owner_)
      if (area < 0) area = rest;
  }

  Body& body_;
  const SurfaceMesh& mesh_;
  std::vector<int> owner_;  // of each element: index of its area
  Diagnostics& diagnostics_;
};

class MeshImporter {
 public:
  MeshImporter(const std::string& model_file, const FileReader& read_file, Model& model, Diagnostics& diagnostics)
      : dir_(fs::path(model_file).parent_path()), read_file_(read_file), model_(model), diagnostics_(diagnostics) {}

  void run() {
    for (Body& body : model_.bodies) {
      const bool is_judged = !body.marks.is_bad("mesh") && !body.marks.is_bad("mesh_unit");
      if (body.mesh_file.empty() || !is_judged || !find_surface_kind(body.element.value)) continue;
      if (diagnostics_.n_errors() > kMostErrors) return;
      body.mesh = find(body);
      if (!body.mesh || !put_points(body) || !AreaMaker(body, diagnostics_).run()) {
        body.marks.set("mesh", mark_of(body), false);
        continue;
      }
      for (Area& area : body.areas) fill_in(body, area);
      if (const Material* material = body.mesh->find_material(body.material.value)) add(*material);
    }
  }

 private:
  static constexpr int kMostErrors = 200;  // nobody reads more
  using Mesh = std::shared_ptr<const SurfaceMesh>;

  static Mark mark_of(const Body& body) { return body.marks.of("mesh", body.mark); }

  std::optional<double> find_unit(const Body& body) {
    const std::string stated = "mesh_unit = " + short_text(Value::of(body.mesh_unit));
    const auto parsed = parse_quantity("1 " + body.mesh_unit);
    const Quantity* quantity = std::get_if<Quantity>(&parsed);
    if (quantity && quantity->dimension == kLength && quantity->value > 0) return quantity->value;
    diagnostics_.error(body.marks.of("mesh_unit", body.mark), stated + ", must be a unit of length",
                       "for example \"mm\"");
    return std::nullopt;
  }

  Mesh find(const Body& body) {
    const std::string stated = "mesh = " + short_text(Value::of(body.mesh_file));
    const bool is_msh = has_ending(body.mesh_file, ".msh"), is_inp = has_ending(body.mesh_file, ".inp");
    if ((!is_msh && !is_inp) || body.mesh_file.find('\0') != body.mesh_file.npos) {
      diagnostics_.error(mark_of(body), stated + ", must end in .msh (Gmsh) or .inp (Abaqus, CalculiX)");
      return nullptr;
    }
    const std::optional<double> unit = find_unit(body);
    if (!unit) return nullptr;
    const std::string path = (dir_ / body.mesh_file).string();
    const auto [known, is_new] = meshes_.emplace(std::pair{path, *unit}, nullptr);
    if (!is_new) return known->second;
    const FileText file = read_file_(path, kLargestMesh);
    if (!file.failure.empty()) {
      diagnostics_.error(mark_of(body), stated + ", cannot be read: " + file.failure,
                         path == body.mesh_file ? "" : "it is looked for beside the model file: " + path);
      return nullptr;
    }
    return known->second = (is_msh ? read_msh : read_inp)(path, file.text, *unit, diagnostics_);
  }

  bool put_points(Body& body) {
    bool good = true;
    const auto clashes = [&](const std::string& name, const char* what) {
      const Point* point = body.find_point(name);
      if (!point) return false;
      diagnostics_.error(point->mark,
                         "point " + tick(name) + " has the name of a " + what + " of " + tick(body.mesh_file));
      good = false;
      return true;
    };
    for (const SurfaceMesh::Side& side : body.mesh->sides) clashes(side.name, "side");
    for (const SurfaceMesh::Point& node : body.mesh->points) {
      if (clashes(node.name, "point")) continue;
      Point& point = body.points.emplace_back();
      point.name = node.name;
      point.mark = node.mark;
      point.x = body.mesh->nodes[static_cast<size_t>(node.node)].x;
      point.mesh_node = node.node;
    }
    return good;
  }

  // What the mesh file says of an area, where the model file says nothing; and materials that it names.
  void fill_in(const Body& body, Area& area) {
    const SurfaceMesh::Area* group = body.mesh->find_area(area.name);
    if (group && area.material.value.empty() && body.material.value.empty() && !group->material.empty())
      area.material = {group->material, group->mark};
    if (const Material* material = body.mesh->find_material(area.material.value)) add(*material);
    if (!group || !(group->thickness > 0)) return;
    const bool says_nothing = area.section.value.empty() && body.section.value.empty();
    const bool means_this = area.section.value == group->name && !model_.find_section(group->name);  // as an echo does
    if (!says_nothing && !means_this) return;
    Section section;
    section.name = group->name;
    section.mark = group->mark;
    section.shape = Section::Shape::sheet;
    section.thickness = group->thickness;
    section.from_mesh = true;
    const Section* same = model_.find_section(section.name);
    if (!same)
      model_.sections.push_back(section);
    else if (!same->from_mesh || same->thickness != section.thickness)
      diagnostics_.error(same->mark,
                         "section " + tick(section.name) + " has the name of that of group " + tick(group->name) +
                             " in " + tick(body.mesh_file),
                         "rename it, or give the area's `section` in the model file");
    area.section = {section.name, group->mark};
  }

  void add(const Material& material) {
    const Material* same = model_.find_material(material.name);
    if (!same)
      model_.materials.push_back(material);
    else if (!is_same_material(*same, material) && clashes_.insert(material.name).second)
      diagnostics_.error(same->mark, "material " + tick(material.name) + " is also in the mesh file, with other values",
                         "rename one of them");
  }

  fs::path dir_;
  const FileReader& read_file_;
  Model& model_;
  Diagnostics& diagnostics_;
  std::map<std::pair<std::string, double>, Mesh> meshes_;
  std::set<std::string> clashes_;
};

}  // namespace

void import_meshes(const std::string& model_file, const FileReader& read_file, Model& model, Diagnostics& diagnostics) {
  MeshImporter(model_file, read_file, model, diagnostics).run();
}

}  // namespace elodyn
