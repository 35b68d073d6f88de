#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "elodyn/base/text.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

constexpr double kOnNode = 1e-9;  // of the member's length; the mesher uses the same

std::string tick(const std::string& name) { return "`" + name + "`"; }
std::string place_text(const Vec3& x) {
  return "(" + shortest(x.x()) + ", " + shortest(x.y()) + ", " + shortest(x.z()) + ") m";
}

constexpr int kMostElements = 1000000;
constexpr int kMostErrors = 200;     // nobody reads more
constexpr size_t kMostNames = 1000;  // for did-you-mean

// Ends of a member as numbers that compare, the smaller one first.
std::array<double, 6> sorted_ends(const Vec3& a, const Vec3& b) {
  const bool in_order = std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  const Vec3 &first = in_order ? a : b, &second = in_order ? b : a;
  return {first.x(), first.y(), first.z(), second.x(), second.y(), second.z()};
}

// A member as geometry.
struct Piece {
  Vec3 from = Vec3::Zero(), axis = Vec3::Zero();
  double length = 0;
  int elements = 0;
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
    check_springs_and_masses();
    check_loads();
    if (diagnostics_.n_errors() == 0) warn_unused_points();
  }

 private:
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
    allowed(body_.dimension, "dimension", body_.dimension == 2, "2: spatial beams are not in this version");
  }

  // `line` makes two points and a member: their names may be given again.
  void check_names() {
    std::set<std::string> seen;
    for (const Point& point : body_.points)
      if (!seen.insert(point.name).second) fail(point.mark, "point " + tick(point.name) + " is already made by `line`");
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
  }

  void check_members() {
    if (body_.members.empty() && !body_.marks.is_bad("line") && !body_.marks.is_bad("member"))
      fail(body_.mark, "body " + tick(body_.name) + " has no members",
           "give `line`, or `points` and [body." + body_.name + ".member.NAME]");
    for (const Member& member : body_.members) {
      check_material_and_section(member.material, member.section);
      check_end(member.from);
      check_end(member.to);
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

  // Nodes nearer than that to each other would be taken for one.
  void check_element_lengths() {
    Eigen::AlignedBox3d box;
    for (const Point& point : body_.points)
      if (is_known_place(point)) box.extend(point.x);
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
    std::map<std::array<double, 3>, size_t> at_end;
    for (size_t i = 0; i < pieces_->size(); ++i)
      for (const Vec3& end : {(*pieces_)[i].from, Vec3((*pieces_)[i].from + (*pieces_)[i].axis)}) {
        const auto [it, is_new] = at_end.emplace(std::array{end.x(), end.y(), end.z()}, i);
        if (!is_new) root[find(i)] = find(it->second);
      }
    constexpr size_t kMostPairs = 1000;
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

  static Vec3 nearest_node(const Piece& piece, const Vec3& x) {
    const double s = std::clamp((x - piece.from).dot(piece.axis) / piece.axis.squaredNorm(), 0.0, 1.0);
    return piece.from + std::round(s * piece.elements) / piece.elements * piece.axis;
  }
  static bool is_node_of(const Piece& piece, const Vec3& x) {
    return (x - nearest_node(piece, x)).norm() <= kOnNode * piece.length;
  }
  static bool share_a_node(const Piece& a, const Piece& b) {
    for (const double s : {0.0, 1.0})
      if (is_node_of(a, b.from + s * b.axis) || is_node_of(b, a.from + s * a.axis)) return true;
    // Crossing: a.from + s a.axis = b.from + t b.axis in the plane.
    const double det = a.axis.y() * b.axis.x() - a.axis.x() * b.axis.y();
    if (det == 0) return false;
    const Vec3 d = b.from - a.from;
    const Vec3 x = a.from + (d.y() * b.axis.x() - d.x() * b.axis.y()) / det * a.axis;
    return is_node_of(a, x) && is_node_of(b, x);
  }

  // Both ends, if their places are known.
  std::optional<std::pair<Vec3, Vec3>> find_ends(const Member& member) const {
    const Point* a = find_point(member.from.value);
    const Point* b = find_point(member.to.value);
    if (!a || !b || !is_known_place(*a) || !is_known_place(*b)) return std::nullopt;
    return std::pair{a->x, b->x};
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
           tick(member.from.value) + " and " + tick(member.to.value) + " are at " + place_text(a));
  }

  // Nodes can only be judged if all members are known; else the message stands elsewhere.
  void find_pieces() {
    pieces_.emplace();
    for (const Member& member : body_.members) {
      const auto ends = find_ends(member);
      Piece piece;
      if (ends)
        piece = {ends->first, ends->second - ends->first, (ends->second - ends->first).norm(), member.elements.value};
      if (!(piece.length > 0) || !std::isfinite(piece.axis.squaredNorm()) || !(piece.axis.squaredNorm() > 0) ||
          piece.elements < 1 || piece.elements > kMostElements)
        return pieces_.reset();
      pieces_->push_back(piece);
      for (const Vec3& end : {ends->first, ends->second}) ends_.insert({end.x(), end.y(), end.z()});
    }
  }

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
      if (is_known_place(point) && point.x.z() != 0)
        fail(point.mark, "point " + tick(point.name) + " has z = " + shortest(point.x.z()) +
                             " m, must be 0 in a body of dimension 2");
  }

  // The point that something stands on: it must exist and be a node.
  const Point* find_node(const Located<std::string>& at, const char* what) {
    if (at.value.empty()) return nullptr;
    used_.insert(at.value);
    const Point* point = find_point(at.value);
    if (!point) {
      fail(at.mark, std::string(what) + " at unknown point " + tick(at.value) + " of body " + tick(body_.name),
           suggest_from(at.value, body_.points));
      return nullptr;
    }
    if (!is_known_place(*point)) return nullptr;
    if (!pieces_ || ends_.count({point->x.x(), point->x.y(), point->x.z()}) > 0) return point;
    double nearest_distance = std::numeric_limits<double>::infinity();
    Vec3 nearest = Vec3::Zero();
    for (const Piece& piece : *pieces_) {
      const Vec3 node = nearest_node(piece, point->x);
      const double distance = (point->x - node).norm();
      if (distance <= kOnNode * piece.length) return point;
      if (distance < nearest_distance) nearest_distance = distance, nearest = node;
    }
    if (std::isfinite(nearest_distance))
      fail(at.mark, std::string(what) + " at point " + tick(at.value) + ", which is not on a node of the mesh",
           "it is at " + place_text(point->x) + ", the nearest node at " + place_text(nearest));
    return point;
  }

  void check_supports() {
    std::map<std::array<double, 3>, std::vector<const Support*>> held;
    for (const Support& support : body_.supports) {
      const char* what = support.kind == Support::Kind::clamp ? "clamp"
                         : support.kind == Support::Kind::pin ? "pin"
                                                              : "roller";
      const Point* point = find_node(support.at, what);
      const bool good_normal = support.kind != Support::Kind::roller || check_normal(support);
      if (!point || !good_normal) continue;
      std::vector<const Support*>& others = held[{point->x.x(), point->x.y(), point->x.z()}];
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
    if (a.kind != Support::Kind::roller || b.kind != Support::Kind::roller) return true;
    return a.normal.normalized().cross(b.normal.normalized()).norm() < 1e-12;
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

  void check_springs_and_masses() {
    for (const Spring& spring : body_.springs) {
      find_node(spring.at, "spring");
      check_planar(spring.stiffness, false, "stiffness", spring.marks, spring.mark);
      check_planar(spring.damping, false, "damping", spring.marks, spring.mark);
      check_planar(spring.rotational_stiffness, true, "rotational_stiffness", spring.marks, spring.mark);
      check_planar(spring.rotational_damping, true, "rotational_damping", spring.marks, spring.mark);
    }
    for (const LumpedMass& mass : body_.masses) {
      find_node(mass.at, "mass");
      const auto check = [&](double value, const char* key) {
        if (!mass.marks.is_bad(key) && !(value >= 0))
          fail(mass.marks.of(key, mass.mark), std::string(key) + " = " + shortest(value) + ", must be at least 0");
      };
      check(mass.mass, "mass");
      check(mass.inertia, "inertia");
      if (mass.mass == 0 && mass.inertia == 0 && !mass.marks.is_bad("mass") && !mass.marks.is_bad("inertia"))
        fail(mass.mark, "a lumped mass without `mass` and `inertia`, must have one of them");
    }
  }

  void check_loads() {
    for (const Load& load : body_.loads) {
      if (load.at) find_node(*load.at, "load");
      if (load.on && members_.count(load.on->value) == 0)
        fail(load.on->mark, "load on unknown member " + tick(load.on->value) + " of body " + tick(body_.name),
             suggest_from(load.on->value, body_.members));
      check_planar(load.force, false, "force", load.marks, load.mark);
      check_planar(load.moment, true, "moment", load.marks, load.mark);
      check_planar(load.force_per_length, false, "force_per_length", load.marks, load.mark);
      if (!load.marks.is_bad("at") && !load.marks.is_bad("on")) check_load_keys(load);
    }
  }

  void check_load_keys(const Load& load) {
    // Zeros do not contradict: the echo of a model shows them.
    const bool force = load.force.norm() > 0, moment = load.moment.norm() > 0;
    const bool per_length = load.force_per_length.norm() > 0;
    const auto nothing = [&](const char* rule) {
      const bool said =
          load.marks.is_given("force") || load.marks.is_given("moment") || load.marks.is_given("force_per_length");
      if (!force && !moment && !per_length && !said) fail(load.mark, rule);
    };
    if (load.at && load.on) {
      fail(load.on->mark, "a load has `at` and `on`, must have one of them");
    } else if (!load.at && !load.on) {
      fail(load.mark, "a load has neither `at` (a point) nor `on` (a member), must have one of them");
    } else if (load.at) {
      if (per_length)
        fail(load.marks.of("force_per_length", load.mark), "`force_per_length` belongs to a load with `on`, not `at`");
      nothing("a load at a point has nothing to do, must have `force` or `moment`");
    } else {
      if (force) fail(load.marks.of("force", load.mark), "`force` belongs to a load with `at`, not `on`");
      if (moment) fail(load.marks.of("moment", load.mark), "`moment` belongs to a load with `at`, not `on`");
      nothing("a load on a member has nothing to do, must have `force_per_length`");
    }
  }

  void warn_unused_points() {
    for (const Member& member : body_.members) {
      used_.insert(member.from.value);
      used_.insert(member.to.value);
    }
    for (const Point& point : body_.points)
      if (used_.count(point.name) == 0) warn(point.mark, "point " + tick(point.name) + " is not used");
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
  std::set<std::array<double, 3>> ends_;
};

}  // namespace

void validate_body(const Model& model, const Body& body, const KnownNames& names, Diagnostics& diagnostics) {
  BodyValidator(model, body, names, diagnostics).run();
}

}  // namespace elodyn
