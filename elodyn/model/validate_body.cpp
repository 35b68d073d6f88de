#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "elodyn/base/rotation.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/model/message_text.hpp"
#include "elodyn/model/surface_kind.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

constexpr double kOnNode = 1e-9;  // of the member's length; the mesher uses the same

constexpr int kMostElements = 1000000;
constexpr int kMostErrors = 200;     // nobody reads more
constexpr size_t kMostNames = 1000;  // for did-you-mean
constexpr size_t kMostPairs = 1000;  // of members that are compared with each other

// Ends of a member as numbers that compare, the smaller one first.
std::array<double, 6> sorted_ends(const Vec3& a, const Vec3& b) {
  const bool in_order = std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  const Vec3 &first = in_order ? a : b, &second = in_order ? b : a;
  return {first.x(), first.y(), first.z(), second.x(), second.y(), second.z()};
}

using Place = std::array<double, 3>;  // of a point, to compare
Place place_of(const Vec3& x) { return {x.x(), x.y(), x.z()}; }

// A member as geometry.
struct Piece {
  Vec3 from = Vec3::Zero(), axis = Vec3::Zero();
  double length = 0;
  int elements = 0;
  std::array<Vec3, 2> points = {Vec3::Zero(), Vec3::Zero()};  // that carry the ends
  std::array<bool, 2> on_offset = {false, false};             // the node of the end is the member's own
};

class BodyValidator {
 public:
  BodyValidator(const Model& model, const Body& body, const KnownNames& names, Diagnostics& diagnostics)
      : model_(model), body_(body), names_(names), diagnostics_(diagnostics) {
    for (const Point& point : body.points) points_.emplace(point.name, &point);
    for (const Member& member : body.members) members_.insert(member.name);
    for (const Material& material : model.materials) materials_.insert(material.name);
    for (const Section& section : model.sections) sections_.insert(section.name);
  }

  void run() {
    check_kind();
    check_names();
    check_materials_and_sections();
    check_members();
    check_places();
    check_supports();
    check_springs();
    check_masses();
    check_links();
    check_releases();
    check_loads();
    if (diagnostics_.n_errors() == 0) warn_unused_points();
  }

 private:
  bool is_timoshenko() const { return body_.element.value == "beam_timoshenko"; }
  bool is_planar() const { return body_.dimension == 2 && !body_.marks.is_bad("dimension"); }
  void fail(const Mark& mark, std::string text, std::string help = {}) {
    if (diagnostics_.n_errors() < kMostErrors) diagnostics_.error(mark, std::move(text), std::move(help));
  }
  void warn(const Mark& mark, std::string text, std::string help = {}) {
    if (++n_warnings_ <= kMostErrors) diagnostics_.warning(mark, std::move(text), std::move(help));
  }
  // Bounded work, whatever the file.
  template <class T>
  std::string suggest_from(const std::string& word, const std::vector<T>& items) const {
    if (diagnostics_.n_errors() >= kMostErrors) return {};
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min(items.size(), kMostNames); ++i) names.push_back(items[i].name);
    return suggest(word, names);
  }
  std::string suggest_side(const std::string& word) const {
    std::vector<std::string> names;
    for (const Area& area : body_.areas) {
      names.push_back(area.name);
      for (size_t k = 0; k < 4 && area.is_patch(); ++k) names.push_back(area.side_name(k));
    }
    if (body_.mesh)
      for (size_t k = 0; k < std::min(body_.mesh->sides.size(), kMostNames); ++k)
        names.push_back(body_.mesh->sides[k].name);
    return suggest(word, names);
  }
  // Of areas also the sides, if they will do.
  std::string suggest_place(const std::string& word, bool may_be_side) const {
    std::vector<std::string> names;
    for (size_t k = 0; k < std::min(body_.points.size(), kMostNames); ++k) names.push_back(body_.points[k].name);
    if (may_be_side && body_.mesh)
      for (size_t k = 0; k < std::min(body_.mesh->sides.size(), kMostNames); ++k)
        names.push_back(body_.mesh->sides[k].name);
    else if (may_be_side)
      for (size_t a = 0; a < std::min(body_.areas.size(), kMostNames); ++a)
        for (size_t k = 0; k < 4; ++k) names.push_back(body_.areas[a].side_name(k));
    return suggest(word, names);
  }
  static bool is_known_place(const Point& point) { return !point.marks.is_bad("x") && point.x.allFinite(); }

  void check_kind() {
    const std::string& element = body_.element.value;
    if (!names_.elements.empty() && !body_.marks.is_bad("element") &&
        std::find(names_.elements.begin(), names_.elements.end(), element) == names_.elements.end())
      fail(body_.element.mark, "unknown element " + tick(element), suggest(element, names_.elements));
    const auto allowed = [&](int value, const char* key, bool good, const char* rule) {
      if (!good && !body_.marks.is_bad(key))
        fail(body_.marks.of(key, body_.mark), std::string(key) + " = " + std::to_string(value) + ", must be " + rule);
    };
    allowed(body_.degree, "degree", body_.degree == 3 || body_.degree == 5, "3 or 5");
    allowed(body_.axial_degree, "axial_degree", body_.axial_degree >= 1 && body_.axial_degree <= 3, "from 1 to 3");
    allowed(body_.dimension, "dimension", body_.dimension == 2 || body_.dimension == 3, "2 or 3");
    if (const SurfaceKind* kind = find_surface_kind(element); kind && !body_.marks.is_bad("dimension"))
      allowed(body_.dimension, "dimension", body_.dimension == kind->dimension(),
              (std::to_string(kind->dimension()) + " with " + element).c_str());
    if (is_timoshenko() && body_.degree == 5 && !body_.marks.is_bad("degree"))
      fail(body_.marks.of("degree", body_.mark), "degree = 5 with beam_timoshenko, must be 3",
           "its shape functions are those of the unloaded beam with shear, which are cubic");
  }

  // `line` makes two points and a member: their names may be given again.
  void check_names() {
    std::set<std::string> seen;
    for (const Point& point : body_.points)
      if (!seen.insert(point.name).second)
        fail(point.mark, "point " + tick(point.name) + " is already made by `" +
                             (body_.areas.empty() ? "line" : "rectangle") + "`");
    seen.clear();
    for (const Member& member : body_.members)
      if (!seen.insert(member.name).second)
        fail(member.mark, "member " + tick(member.name) + " is already made by `line`");
  }

  void check_material_and_section(const Located<std::string>& material, const Located<std::string>& section) {
    if (!material.value.empty() && materials_.count(material.value) == 0)
      fail(material.mark, "unknown material " + tick(material.value), suggest_from(material.value, model_.materials));
    if (!section.value.empty() && sections_.count(section.value) == 0)
      fail(section.mark, "unknown section " + tick(section.value), suggest_from(section.value, model_.sections));
  }
  void check_end(const Located<std::string>& point) {
    if (!point.value.empty() && !find_point(point.value))
      fail(point.mark, "unknown point " + tick(point.value), suggest_from(point.value, body_.points));
  }
  const Point* find_point(const std::string& name) const {
    const auto it = points_.find(name);
    return it == points_.end() ? nullptr : it->second;
  }

  void check_materials_and_sections() {
    check_material_and_section(body_.material, body_.section);
    const auto need = [&](const char* kind, const Located<std::string>& common,
                          const Located<std::string> Member::*own) {
      if (!common.value.empty() || body_.marks.is_bad(kind)) return;
      for (const Member& member : body_.members)
        if ((member.*own).value.empty() && !member.marks.is_bad(kind)) {
          const Mark place = member.name == "line" ? body_.mark : member.mark;
          return fail(place,
                      "no " + std::string(kind) + " for member " + tick(member.name) + " of body " + tick(body_.name),
                      "give `" + std::string(kind) + "` in [body." + body_.name + "] or in the member");
        }
    };
    need("material", body_.material, &Member::material);
    need("section", body_.section, &Member::section);
    check_what_elements_need();
  }

  // Torsion and shear need more of a material and a section than planar bending does.
  void check_what_elements_need() {
    const bool spatial = body_.dimension == 3;
    if (!spatial && !is_timoshenko()) return;
    const std::string why = spatial ? "a body of dimension 3" : "beam_timoshenko";
    std::set<const void*> seen;
    for (const Member& member : body_.members) {
      const auto& material_name = member.material.value.empty() ? body_.material : member.material;
      const Material* material = model_.find_material(material_name.value);
      // Only a file can leave a key out.
      if (material && seen.insert(material).second && material->marks.is_given("young") &&
          !material->marks.is_given("poisson"))
        fail(material->mark, "material " + tick(material->name) + " has no `poisson`, needed by " + why);
      const auto& section_name = member.section.value.empty() ? body_.section : member.section;
      for (const Located<std::string>& name : {section_name, member.section_to}) {
        const Section* section = model_.find_section(name.value);
        if (section && seen.insert(section).second) check_section_for(*section, spatial, why);
      }
    }
  }
  void check_section_for(const Section& section, bool spatial, const std::string& why) {
    if (section.marks.has_bad()) return;
    const SectionProperties p = calc_properties(section);
    const auto need = [&](bool good, const char* key) {
      if (!good) fail(section.mark, "section " + tick(section.name) + " has no `" + key + "`, needed by " + why);
    };
    if (spatial) {
      need(p.Iy > 0, "Iy");
      need(p.J > 0, "J");
    }
    if (is_timoshenko()) {
      need(p.shear_y > 0, "shear_y");
      if (spatial) need(p.shear_z > 0, "shear_z");
    }
  }

  void check_members() {
    const bool is_surface = find_surface_kind(body_.element.value) != nullptr;
    if (body_.members.empty() && !is_surface && !body_.marks.is_bad("line") && !body_.marks.is_bad("member"))
      fail(body_.mark, "body " + tick(body_.name) + " has no members",
           "give `line`, or `points` and [body." + body_.name + ".member.NAME]");
    for (const Member& member : body_.members) {
      if (is_surface)
        fail(member.mark,
             "member " + tick(member.name) + " in a body of " + tick(body_.element.value) + ", which are surfaces",
             "give it a body of its own");
      check_material_and_section(member.material, member.section);
      check_end(member.from);
      check_end(member.to);
      check_taper(member);
      check_axes(member);
      const int elements = member.elements.value;
      if (!member.marks.is_bad("elements") && (elements < 1 || elements > kMostElements))
        fail(member.elements.mark, "elements = " + std::to_string(elements) + ", must be from 1 to 1000000");
      check_length(member);
    }
    check_overlaps();
    find_pieces();
    if (pieces_) {
      check_element_lengths();
      check_connected();
    }
  }

  void check_taper(const Member& member) {
    const std::string& name = member.section_to.value;
    if (name.empty()) return;
    check_material_and_section({}, member.section_to);
    const Section* from =
        model_.find_section(member.section.value.empty() ? body_.section.value : member.section.value);
    const Section* to = model_.find_section(name);
    if (from && to && from->shape != to->shape)
      fail(member.section_to.mark, "section_to = " + tick(name) + " has another shape than `section` = " +
                                       tick(from->name) + ", a taper must keep the shape");
  }

  // Orientation and offsets.
  void check_axes(const Member& member) {
    const auto keep_planar = [&](const Vec3& v, const char* key) {
      if (is_planar() && !member.marks.is_bad(key) && v.z() != 0)
        fail(member.marks.of(key, member.mark),
             std::string(key) + "[z] = " + shortest(v.z()) + ", must be 0 in a body of dimension 2");
    };
    keep_planar(member.offset_from, "offset_from");
    keep_planar(member.offset_to, "offset_to");
    const bool own = member.orientation.has_value();
    const Marks& marks = own ? member.marks : body_.marks;
    const Mark mark = own ? member.mark : body_.mark;
    const std::optional<Vec3>& orientation = own ? member.orientation : body_.orientation;
    if (!orientation) return;
    if (is_planar()) {
      if (own || &member == &body_.members.front())
        fail(marks.of("orientation", mark),
             "`orientation` belongs to a body of dimension 3: in the plane z is across it");
      return;
    }
    if (!check_direction(*orientation, "orientation", marks, mark, diagnostics_)) return;
    const auto ends = find_ends(member);
    if (!ends || !((ends->second - ends->first).norm() > 0)) return;
    constexpr double kParallel = 1e-6;
    const Vec3 t = (ends->second - ends->first).normalized();
    if (t.cross(orientation->normalized()).norm() < kParallel)
      fail(marks.of("orientation", mark), "orientation is along member " + tick(member.name) + ", must be across it",
           own ? "" : "give the member an `orientation` of its own");
  }

  // Nodes nearer than that to each other would be taken for one.
  void check_element_lengths() {
    Eigen::AlignedBox3d box;
    for (const Point& point : body_.points)
      if (is_known_place(point)) box.extend(point.x);
    for (const Piece& piece : *pieces_) box.extend(piece.from).extend(Vec3(piece.from + piece.axis));
    const double size = box.diagonal().norm();
    for (size_t i = 0; i < pieces_->size(); ++i) {
      const Piece& piece = (*pieces_)[i];
      const double length = piece.length / piece.elements;
      if (length <= 10 * kOnNode * size)
        fail(body_.members[i].elements.mark, "elements = " + std::to_string(piece.elements) + " makes elements of " +
                                                 shortest(length) + " m, too short in a body of " + shortest(size) +
                                                 " m");
    }
  }

  // Members that touch nowhere are not one body. Bounded work: among very many members only ends are compared.
  void check_connected() {
    std::vector<size_t> root(pieces_->size());
    for (size_t i = 0; i < root.size(); ++i) root[i] = i;
    const auto find = [&](size_t i) {
      while (root[i] != i) i = root[i] = root[root[i]];
      return i;
    };
    std::map<Place, size_t> at_end;
    for (size_t i = 0; i < pieces_->size(); ++i)
      for (const auto& end : {body_.members[i].from, body_.members[i].to}) {
        const Vec3& x = find_point(end.value)->x;
        const auto [it, is_new] = at_end.emplace(place_of(x), i);
        if (!is_new) root[find(i)] = find(it->second);
      }
    // Links and springs join what stands at their points.
    const auto join = [&](const std::string& a, const std::string& b) {
      const Point *p = find_point(a), *q = find_point(b);
      if (!p || !q) return;
      std::optional<size_t> first;
      for (const Point* point : {p, q}) {
        const auto [it, is_new] = at_end.emplace(place_of(point->x), root.size());
        if (is_new) root.push_back(root.size());
        if (first) root[find(it->second)] = find(*first);
        first = it->second;
        for (size_t i = 0; i < std::min(pieces_->size(), kMostPairs); ++i)
          if (is_node_of((*pieces_)[i], point->x)) root[find(it->second)] = find(i);
      }
    };
    for (const RigidLink& link : body_.links)
      for (const auto& to : link.to) join(link.from.value, to.value);
    for (const Spring& spring : body_.springs)
      if (spring.to) join(spring.at.value, spring.to->value);
    if (pieces_->size() > kMostPairs) return;
    for (size_t i = 0; i < pieces_->size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (find(i) != find(j) && share_a_node((*pieces_)[i], (*pieces_)[j])) root[find(i)] = find(j);
    for (size_t i = 1; i < pieces_->size(); ++i)
      if (find(i) != find(0))
        return fail(body_.members[i].mark,
                    "member " + tick(body_.members[i].name) + " touches nowhere what member " +
                        tick(body_.members[0].name) + " is part of",
                    "parts of a body meet in nodes; a separate part is a body of its own");
  }

  // The nearest of a piece's nodes `first`, …, `last`, if it has any.
  static std::optional<Vec3> nearest_node(const Piece& piece, const Vec3& x, int first, int last) {
    if (first > last) return std::nullopt;
    const double s = (x - piece.from).dot(piece.axis) / piece.axis.squaredNorm();
    return piece.from + std::clamp<double>(std::round(s * piece.elements), first, last) / piece.elements * piece.axis;
  }
  // Of the nodes that others can meet: an end on an offset is the member's own.
  static std::optional<Vec3> nearest_node(const Piece& piece, const Vec3& x) {
    return nearest_node(piece, x, piece.on_offset[0] ? 1 : 0, piece.elements - (piece.on_offset[1] ? 1 : 0));
  }
  static bool is_at(const Piece& piece, const std::optional<Vec3>& node, const Vec3& x) {
    return node && (x - *node).norm() <= kOnNode * piece.length;
  }
  static bool is_node_of(const Piece& piece, const Vec3& x) { return is_at(piece, nearest_node(piece, x), x); }
  static bool passes(const Piece& piece, const Vec3& x) {
    return is_at(piece, nearest_node(piece, x, 1, piece.elements - 1), x);
  }
  static bool share_a_node(const Piece& a, const Piece& b) {
    for (const size_t end : {0u, 1u})
      if (is_node_of(a, b.points[end]) || is_node_of(b, a.points[end])) return true;
    // Crossing: the place of a nearest to b's line must be a node of both.
    const Vec3 across = a.axis.cross(b.axis);
    const double size = across.squaredNorm();
    if (!(size > 0)) return false;
    const Vec3 x = a.from + (b.from - a.from).cross(b.axis).dot(across) / size * a.axis;
    return is_node_of(a, x) && is_node_of(b, x);
  }

  // Both ends, if their places are known.
  std::optional<std::pair<Vec3, Vec3>> find_ends(const Member& member) const {
    const Point* a = find_point(member.from.value);
    const Point* b = find_point(member.to.value);
    if (!a || !b || !is_known_place(*a) || !is_known_place(*b)) return std::nullopt;
    return std::pair{Vec3(a->x + member.offset_from), Vec3(b->x + member.offset_to)};
  }

  void check_length(const Member& member) {
    const auto ends = find_ends(member);
    if (!ends) return;
    const auto& [a, b] = *ends;
    const double length = (b - a).norm(), size = a.norm() + b.norm();
    if (!std::isfinite(length) || !std::isfinite(size))
      fail(member.mark, "member " + tick(member.name) + " is too long for a number");
    else if (length <= kOnNode * size)
      fail(member.mark,
           "member " + tick(member.name) + " of body " + tick(body_.name) + " has length " + shortest(length) +
               " m, must be above 0",
           tick(member.from.value) + " and " + tick(member.to.value) +
               (member.offset_from.isZero(0) && member.offset_to.isZero(0) ? " are at "
                                                                           : ", with their offsets, are at ") +
               place_text(a));
  }

  // Nodes can only be judged if all members are known; else the message stands elsewhere.
  void find_pieces() {
    pieces_.emplace();
    for (const Member& member : body_.members) {
      const auto ends = find_ends(member);
      Piece piece;
      if (ends)
        piece = {ends->first,
                 ends->second - ends->first,
                 (ends->second - ends->first).norm(),
                 member.elements.value,
                 {find_point(member.from.value)->x, find_point(member.to.value)->x},
                 {!member.offset_from.isZero(0), !member.offset_to.isZero(0)}};
      if (!(piece.length > 0) || !std::isfinite(piece.axis.squaredNorm()) || !(piece.axis.squaredNorm() > 0) ||
          piece.elements < 1 || piece.elements > kMostElements)
        return pieces_.reset();
      pieces_->push_back(piece);
      for (const auto& end : {member.from, member.to}) add_end(find_point(end.value)->x);
    }
    for (const RigidLink& link : body_.links) {
      if (const Point* point = find_point(link.from.value)) add_end(point->x);
      for (const auto& to : link.to)
        if (const Point* point = find_point(to.value)) add_end(point->x);
    }
  }

  void add_end(const Vec3& x) { ends_.insert(place_of(x)); }

  void check_overlaps() {
    std::map<std::array<double, 6>, const Member*> seen;
    for (const Member& member : body_.members) {
      const auto ends = find_ends(member);
      if (!ends || ends->first == ends->second) continue;
      const auto [it, is_new] = seen.emplace(sorted_ends(ends->first, ends->second), &member);
      if (!is_new)
        fail(member.mark,
             "member " + tick(member.name) + " lies on member " + tick(it->second->name) + ": both have the same ends");
    }
  }

  void check_places() {
    if (!is_planar()) return;
    for (const Point& point : body_.points)
      if (point.mesh_node < 0 && is_known_place(point) && point.x.z() != 0)
        fail(point.mark, "point " + tick(point.name) + " has z = " + shortest(point.x.z()) +
                             " m, must be 0 in a body of dimension 2");
  }

  // The point that something stands on: it must exist and be a node.
  const Point* find_node(const Located<std::string>& at, const char* what, bool may_be_side = false) {
    if (at.value.empty() || (body_.has_side(at.value) && may_be_side)) return nullptr;
    used_.insert(at.value);
    const Point* point = find_point(at.value);
    if (!point) {
      if (body_.marks.is_bad("mesh")) return nullptr;  // it may be named there
      fail(at.mark,
           std::string(what) + " at unknown point " + (!body_.areas.empty() && may_be_side ? "or side " : "") +
               tick(at.value) + " of body " + tick(body_.name),
           suggest_place(at.value, may_be_side));
      return nullptr;
    }
    if (!is_known_place(*point)) return nullptr;
    if (!pieces_ || pieces_->empty() || ends_.count(place_of(point->x)) > 0) return point;
    double nearest_distance = std::numeric_limits<double>::infinity();
    Vec3 nearest = Vec3::Zero();
    for (const Piece& piece : *pieces_) {
      const std::optional<Vec3> node = nearest_node(piece, point->x);
      if (is_at(piece, node, point->x)) return point;
      if (const double distance = node ? (point->x - *node).norm() : nearest_distance; distance < nearest_distance)
        nearest_distance = distance, nearest = *node;
    }
    fail(at.mark, std::string(what) + " at point " + tick(at.value) + ", which is not on a node of the mesh",
         std::isfinite(nearest_distance)
             ? "it is at " + place_text(point->x) + ", the nearest node at " + place_text(nearest)
             : "make it the end of a member or of a rigid link");
    return point;
  }

  void check_supports() {
    std::map<Place, std::vector<const Support*>> held;
    for (const Support& support : body_.supports) {
      const Point* point = find_node(support.at, support.kind_name(), true);
      const bool good_normal = support.kind != Support::Kind::roller || check_normal(support);
      const bool good_axis = support.kind != Support::Kind::hinge || check_axis(support);
      if (!point || !good_normal || !good_axis) continue;
      std::vector<const Support*>& others = held[place_of(point->x)];
      const auto other = std::find_if(others.begin(), others.end(),
                                      [&](const Support* earlier) { return is_redundant(*earlier, support); });
      if (other != others.end())
        warn(support.at.mark, "point " + tick(support.at.value) + " is already held",
             "by the support at " + tick((*other)->at.value) + " before it");
      else
        others.push_back(&support);
    }
  }

  // Whether one of the two adds nothing to the other.
  static bool is_redundant(const Support& a, const Support& b) {
    const bool holds_phi = a.kind == Support::Kind::voids;
    if (holds_phi != (b.kind == Support::Kind::voids)) return false;
    if (a.kind == Support::Kind::hinge && b.kind == Support::Kind::hinge)
      return a.axis && b.axis && a.axis->normalized().cross(b.axis->normalized()).norm() < 1e-12;
    if (holds_phi || a.kind != Support::Kind::roller || b.kind != Support::Kind::roller) return true;
    return a.normal.normalized().cross(b.normal.normalized()).norm() < 1e-12;
  }

  bool check_axis(const Support& support) {
    if (is_planar()) {
      fail(support.at.mark, "a hinge in a body of dimension 2, must be a pin", "it turns about z there");
      return false;
    }
    if (support.axis) return check_direction(*support.axis, "axis", support.marks, support.at.mark, diagnostics_);
    if (body_.has_side(support.at.value)) return true;
    fail(support.at.mark, "a hinge at point " + tick(support.at.value) + " has no `axis`");
    return false;
  }

  bool check_normal(const Support& support) {
    if (!check_direction(support.normal, "normal", support.marks, support.at.mark, diagnostics_)) return false;
    if (is_planar() && support.normal.z() != 0) {
      fail(support.marks.of("normal", support.at.mark),
           "normal[z] = " + shortest(support.normal.z()) + ", must be 0 in a body of dimension 2");
      return false;
    }
    return true;
  }

  // In the plane: displacements along x and y, a turn about z.
  void check_planar(const Vec3& v, bool is_rotational, const char* key, const Marks& marks, const Mark& mark) {
    if (!is_planar() || marks.is_bad(key)) return;
    constexpr const char* kAxes[] = {"[x]", "[y]", "[z]"};
    for (int i = 0; i < 3; ++i)
      if ((i == 2) != is_rotational && v[i] != 0)
        fail(marks.of(key, mark),
             std::string(key) + kAxes[i] + " = " + shortest(v[i]) + ", must be 0 in a body of dimension 2");
  }

  void check_springs() {
    for (const Spring& spring : body_.springs) {
      const Point* at = find_node(spring.at, "spring");
      check_planar(spring.stiffness, false, "stiffness", spring.marks, spring.mark);
      check_planar(spring.damping, false, "damping", spring.marks, spring.mark);
      check_planar(spring.rotational_stiffness, true, "rotational_stiffness", spring.marks, spring.mark);
      check_planar(spring.rotational_damping, true, "rotational_damping", spring.marks, spring.mark);
      const bool axial = spring.axial_stiffness != 0 || spring.axial_damping != 0;
      const bool says = spring.marks.is_given("stiffness") || spring.marks.is_given("damping") ||
                        spring.marks.is_given("rotational_stiffness") || spring.marks.is_given("rotational_damping") ||
                        spring.marks.is_given("axial_stiffness") || spring.marks.is_given("axial_damping");
      if (spring.marks.is_given("at") && !says)
        fail(spring.mark, "a spring without stiffness and damping, must have one of them");
      if (spring.to) {
        check_far_end(spring, at);
      } else if (axial) {
        fail(spring.marks.of(spring.axial_stiffness != 0 ? "axial_stiffness" : "axial_damping", spring.mark),
             "an axial spring without `to`, must have both ends");
      } else if (spring.other == Spring::Other::ground && at) {
        check_ground(spring, *at);
      }
    }
  }

  void check_far_end(const Spring& spring, const Point* at) {
    const Point* to = find_node(*spring.to, "spring");
    if (spring.other == Spring::Other::ground)
      fail(spring.marks.of("other", spring.mark), "a spring has `to` and `other`, must have one of them");
    if (!at || !to) return;
    if (at->name == to->name)
      fail(spring.to->mark, "a spring from point " + tick(at->name) + " to itself");
    else if (is_one_place(at->x, to->x))
      fail(spring.to->mark, "a spring between points " + tick(at->name) + " and " + tick(to->name) + " at one place",
           "points at one place are one node: put them a small distance apart");
  }
  static bool is_one_place(const Vec3& a, const Vec3& b) { return (a - b).norm() <= kOnNode * (a.norm() + b.norm()); }

  // The ground does not turn with the frame: only what looks the same from every side stays constant.
  void check_ground(const Spring& spring, const Point& at) {
    const Motion& motion = body_.motion;
    const Mark mark = spring.marks.of("other", spring.mark);
    if (motion.kind == Motion::Kind::prescribed || motion.has_table())
      return fail(mark, "a spring to the ground on a body in prescribed motion, must be to the frame",
                  "where the ground is as seen from the frame is not known");
    const double axis_length = motion.axis.norm();
    if (!model_.turns(body_) || !(axis_length > 0)) return;
    const Vec3 n = motion.axis / axis_length;
    constexpr double kTiny = 1e-9;
    double size = motion.through.norm();
    for (const Point& point : body_.points)
      if (is_known_place(point)) size = std::max(size, point.x.norm());
    if ((at.x - motion.through).cross(n).norm() > kTiny * size)
      return fail(
          mark, "a spring to the ground at point " + tick(at.name) + ", which is not on the axis of spin",
          "seen from the turning body its force would turn, which the equation has no term for: put it on the axis");
    const auto symmetric = [&](const Vec3& k, const char* key) {
      const Mat3 K = k.asDiagonal();
      if ((K * skew(n) - skew(n) * K).norm() > kTiny * k.norm())
        fail(
            spring.marks.of(key, spring.mark),
            std::string(key) + " of a spring to the ground is not the same in all directions across the axis of spin",
            "it would turn in the body's frame and make the coefficients periodic, which the equation has no term for: "
            "give it the same stiffness in both directions");
    };
    symmetric(spring.stiffness, "stiffness");
    symmetric(spring.rotational_stiffness, "rotational_stiffness");
    symmetric(spring.damping, "damping");
    symmetric(spring.rotational_damping, "rotational_damping");
    if (spring.rotational_damping.cwiseProduct(n).norm() > 0)
      fail(spring.marks.of("rotational_damping", spring.mark),
           "rotational_damping to the ground about the axis of spin brakes the drive, must be 0",
           "give its torque as a load");
    if (spring.rotational_stiffness.cwiseProduct(n).norm() > 0)
      fail(spring.marks.of("rotational_stiffness", spring.mark),
           "rotational_stiffness to the ground about the axis of spin is wound up by the spin, must be 0",
           "a spring to the frame holds the body in its drive");
  }

  void check_masses() {
    for (const LumpedMass& mass : body_.masses) {
      find_node(mass.at, "mass");
      const auto check = [&](double value, const char* key) {
        if (!mass.marks.is_bad(key) && !(value >= 0))
          fail(mass.marks.of(key, mass.mark), std::string(key) + " = " + shortest(value) + ", must be at least 0");
      };
      check(mass.mass, "mass");
      check(mass.inertia, "inertia");
      check_tensor(mass);
      if (mass.mass == 0 && mass.inertia == 0 && mass.inertia_tensor.empty() && !mass.marks.has_bad())
        fail(mass.mark, "a lumped mass without mass and inertia, must have one of them");
    }
  }

  void check_tensor(const LumpedMass& mass) {
    const Mark mark = mass.marks.of("inertia_tensor", mass.mark);
    if (mass.marks.is_bad("inertia_tensor") || body_.marks.is_bad("dimension")) return;
    if (!is_planar() && mass.inertia != 0)
      fail(mass.marks.of("inertia", mass.mark), "`inertia` belongs to a body of dimension 2",
           "give `inertia_tensor` = [Ixx, Iyy, Izz, Ixy, Iyz, Ixz]");
    const std::vector<double>& v = mass.inertia_tensor;
    if (v.empty()) return;
    if (is_planar()) return fail(mark, "`inertia_tensor` belongs to a body of dimension 3", "give `inertia`, about z");
    if (v.size() != 6)
      return fail(mark, "inertia_tensor has " + std::to_string(v.size()) + " entries, must have 6",
                  "Ixx, Iyy, Izz, Ixy, Iyz, Ixz");
    if (!is_real_inertia(mass.calc_inertia()))
      fail(mark, "inertia_tensor is that of no real body: a principal moment exceeds the sum of the other two");
  }

  // Points at one place are one node, whatever their names.
  void check_links() {
    std::map<Place, const Located<std::string>*> carrier;  // of each place that a link carries
    for (const RigidLink& link : body_.links) {
      const Point* from = find_node(link.from, "link");
      if (link.to.empty() && !link.marks.is_bad("to")) fail(link.mark, "a link without points in `to`");
      for (const Located<std::string>& name : link.to) {
        const Point* to = find_node(name, "link");
        if (!from || !to) continue;
        if (is_one_place(to->x, from->x))
          fail(name.mark, "a link from point " + tick(from->name) + " to a point at the same place",
               "points at one place are one node");
        else if (!carrier.emplace(place_of(to->x), &link.from).second)
          fail(name.mark, "point " + tick(name.value) + " is carried by two links, must be by one");
      }
    }
    check_circles(carrier);
    for (const Support& support : body_.supports) {
      const Point* point = find_point(support.at.value);
      if (!point) continue;
      if (const auto it = carrier.find(place_of(point->x)); it != carrier.end())
        fail(support.at.mark, "a support at point " + tick(support.at.value) + ", which a rigid link carries",
             "hold the point that carries it, " + tick(it->second->value));
    }
  }

  void check_circles(const std::map<Place, const Located<std::string>*>& carrier) {
    for (const auto& [place, first] : carrier) {
      const Located<std::string>* from = first;
      for (size_t steps = 0; steps < carrier.size(); ++steps) {
        const Place at = place_of(find_point(from->value)->x);
        if (at == place) return fail(from->mark, "links go round in a circle through point " + tick(from->value));
        const auto it = carrier.find(at);
        if (it == carrier.end()) break;
        from = it->second;
      }
    }
  }

  void check_releases() {
    for (const Member& member : body_.members)
      for (const Release* release : {&member.release_from, &member.release_to})
        for (const Located<std::string>& word : release->given) {
          static const std::vector<std::string> words = {"rx", "ry", "rz"};
          if (std::find(words.begin(), words.end(), word.value) == words.end())
            fail(word.mark, "unknown rotation " + tick(word.value) + ", must be rx, ry or rz",
                 suggest(word.value, words));
          else if (is_planar() && word.value != "rz")
            fail(word.mark, tick(word.value) + " is held in a body of dimension 2, only rz can be released");
        }
    find_hinges();
  }

  // Places where all members that end there are hinged, and nothing else hands on a rotation.
  void find_hinges() {
    std::set<Place> through;
    for (const Member& member : body_.members) {
      if (!find_ends(member)) continue;
      for (const auto& [name, release] :
           {std::pair{&member.from, &member.release_from}, {&member.to, &member.release_to}}) {
        const Place place = place_of(find_point(name->value)->x);
        if (release->any())
          hinges_[place].emplace_back(&member, release);
        else
          through.insert(place);
      }
    }
    const auto turns_with = [&](const Located<std::string>& name) {
      if (const Point* point = find_point(name.value)) through.insert(place_of(point->x));
    };
    for (const RigidLink& link : body_.links) {
      turns_with(link.from);
      for (const Located<std::string>& to : link.to) turns_with(to);
    }
    const size_t n_pieces = pieces_ ? std::min(pieces_->size(), kMostPairs) : 0;
    std::erase_if(hinges_, [&](const auto& hinge) {
      if (through.count(hinge.first) > 0) return true;
      for (size_t i = 0; i < n_pieces; ++i)
        if (passes((*pieces_)[i], Vec3(hinge.first.data()))) return true;
      return false;
    });
  }

  // A moment at a node that turns no member.
  void check_moment(const Load& load, const Point& at) {
    const auto it = hinges_.find(place_of(at.x));
    if (it == hinges_.end() || load.moment.isZero(0)) return;
    const auto is_here = [&](const std::string& name) {
      const Point* point = find_point(name);
      return point && point->x == at.x;
    };
    for (const auto& end : it->second)
      for (int k = is_planar() ? 2 : 0; k < 3; ++k)
        if (!(*end.second)[k]) return;
    for (const Spring& spring : body_.springs)
      if (!spring.rotational_stiffness.isZero(0) &&
          (is_here(spring.at.value) || (spring.to && is_here(spring.to->value))))
        return;
    fail(load.marks.of("moment", load.mark),
         "a moment at point " + tick(at.name) + ", where all members are hinged: it turns none of them",
         "leave one of them without the release");
  }

  void check_loads() {
    for (const Load& load : body_.loads) {
      if (const Point* at = load.at ? find_node(*load.at, "load") : nullptr) check_moment(load, *at);
      if (load.on && !body_.marks.is_bad("mesh") && members_.count(load.on->value) == 0 &&
          !body_.find_area(load.on->value) && !body_.has_side(load.on->value))
        fail(load.on->mark,
             "load on unknown " + std::string(body_.areas.empty() ? "member " : "area or side ") +
                 tick(load.on->value) + " of body " + tick(body_.name),
             body_.areas.empty() ? suggest_from(load.on->value, body_.members) : suggest_side(load.on->value));
      check_planar(load.force, false, "force", load.marks, load.mark);
      check_planar(load.moment, true, "moment", load.marks, load.mark);
      check_planar(load.force_per_length, false, "force_per_length", load.marks, load.mark);
      check_planar(load.force_per_area, false, "force_per_area", load.marks, load.mark);
      check_planar(load.moment_per_length, true, "moment_per_length", load.marks, load.mark);
      check_temperature(load);
      if (!load.marks.is_bad("at") && !load.marks.is_bad("on")) check_load_keys(load);
    }
  }

  void check_load_keys(const Load& load) {
    // Zeros do not contradict: the echo of a model shows them.
    const bool force = load.force.norm() > 0, moment = load.moment.norm() > 0;
    const std::pair<const char*, bool> on_member[] = {{"force_per_length", load.force_per_length.norm() > 0},
                                                      {"force_per_area", load.force_per_area.norm() > 0},
                                                      {"moment_per_length", load.moment_per_length.norm() > 0},
                                                      {"temperature", load.temperature != 0},
                                                      {"gradient_y", load.gradient_y != 0},
                                                      {"gradient_z", load.gradient_z != 0}};
    const auto nothing = [&](const char* rule) {
      bool any = force || moment || load.marks.is_given("force") || load.marks.is_given("moment");
      for (const auto& [key, is_there] : on_member) any = any || is_there || load.marks.is_given(key);
      if (!any) fail(load.mark, rule);
    };
    if (load.at && load.on) {
      fail(load.on->mark, "a load has `at` and `on`, must have one of them");
    } else if (!load.at && !load.on) {
      fail(load.mark, "a load has neither `at` (a point) nor `on` (a member), must have one of them");
    } else if (load.at) {
      for (const auto& [key, is_there] : on_member)
        if (is_there)
          fail(load.marks.of(key, load.mark), "`" + std::string(key) + "` belongs to a load with `on`, not `at`");
      nothing("a load at a point has nothing to do, must have `force` or `moment`");
    } else {
      check_keys_on(load);
      if (force) fail(load.marks.of("force", load.mark), "`force` belongs to a load with `at`, not `on`");
      if (moment) fail(load.marks.of("moment", load.mark), "`moment` belongs to a load with `at`, not `on`");
      nothing(
          "a load on a member has nothing to do, must have `force_per_length`, `moment_per_length`, `temperature` "
          "or a gradient");
    }
  }

  // A side takes a force per length, that of a plate a moment too; an area a force per area and a temperature, a plate
  // a gradient across it too; a member what is left.
  void check_keys_on(const Load& load) {
    const bool on_area = body_.find_area(load.on->value) != nullptr, on_side = body_.has_side(load.on->value);
    const auto refuse = [&](const char* key, bool is_there, bool allowed, const char* what) {
      if (is_there && !allowed)
        fail(load.marks.of(key, load.mark), "`" + std::string(key) + "` belongs to a load on " + what);
    };
    const SurfaceMesh::Side* side = body_.mesh ? body_.mesh->find_side(load.on->value) : nullptr;
    if (side && side->pieces.empty() && load.force_per_length.norm() > 0)
      fail(load.on->mark,
           "a force per length on " + tick(side->name) + ", whose nodes are not the ends of a common edge",
           "the group must have edges of elements");
    refuse("force_per_area", load.force_per_area.norm() > 0, on_area, "an area");
    refuse("force_per_length", load.force_per_length.norm() > 0, !on_area, "a member or the side of an area");
    const SurfaceKind* kind = find_surface_kind(body_.element.value);
    const bool bends = kind != nullptr && kind->bends;
    refuse("moment_per_length", load.moment_per_length.norm() > 0, !on_area && (!on_side || bends),
           "a member or the side of a plate");
    refuse("temperature", load.temperature != 0, !on_side, "a member or an area");
    refuse("gradient_y", load.gradient_y != 0, !on_area && !on_side, "a member");
    refuse("gradient_z", load.gradient_z != 0, (!on_area || bends) && !on_side, "a member or a plate");
  }

  void check_temperature(const Load& load) {
    if (is_planar() && load.gradient_z != 0)
      fail(load.marks.of("gradient_z", load.mark),
           "gradient_z does nothing in a body of dimension 2, must be left out");
    if (!load.on || (load.temperature == 0 && load.gradient_y == 0 && load.gradient_z == 0)) return;
    const Member* member = body_.find_member(load.on->value);
    const Area* area = body_.find_area(load.on->value);
    if (!member && !area) return;
    const Located<std::string>& own = member ? member->material : area->material;
    const Material* material = model_.find_material((own.value.empty() ? body_.material : own).value);
    if (material && material->expansion == 0 && !material->marks.is_given("expansion"))
      fail(load.on->mark, "a temperature on " + std::string(member ? "member " : "area ") + tick(load.on->value) +
                              ", but material " + tick(material->name) + " has no `expansion`");
  }

  void warn_unused_points() {
    if (model_.mechanism) return;  // it follows all of them
    for (const Member& member : body_.members) {
      used_.insert(member.from.value);
      used_.insert(member.to.value);
    }
    for (const Area& area : body_.areas)
      for (const Located<std::string>& corner : area.corners) used_.insert(corner.value);
    for (const Point& point : body_.points)
      if (used_.count(point.name) == 0 && point.mesh_node < 0)
        warn(point.mark, "point " + tick(point.name) + " is not used");
  }

  const Model& model_;
  const Body& body_;
  const KnownNames& names_;
  Diagnostics& diagnostics_;
  // By name, since files may have many.
  std::unordered_map<std::string, const Point*> points_;
  std::unordered_set<std::string> members_, materials_, sections_;
  std::unordered_set<std::string> used_;
  int n_warnings_ = 0;
  std::optional<std::vector<Piece>> pieces_;  // of all members; not there if one is unknown
  std::set<Place> ends_;
  std::map<Place, std::vector<std::pair<const Member*, const Release*>>> hinges_;
};

}  // namespace

bool is_real_inertia(const Mat3& I) {
  const Mat3 sigma = 0.5 * I.trace() * Mat3::Identity() - I;
  constexpr double kTiny = 1e-9;  // of numbers given in decimals
  if (!I.allFinite()) return false;
  // By the closed form for symmetric 3 × 3 matrices.
  const auto solver = Eigen::SelfAdjointEigenSolver<Mat3>().computeDirect(sigma, Eigen::EigenvaluesOnly);
  return solver.eigenvalues()[0] >= -kTiny * I.norm();
}

void validate_body(const Model& model, const Body& body, const KnownNames& names, Diagnostics& diagnostics) {
  BodyValidator(model, body, names, diagnostics).run();
}

}  // namespace elodyn
