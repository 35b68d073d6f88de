// Body → Mesh: members and areas cut into equal elements, nodes at one place merged, dofs numbered along the members
// so that the matrices are banded.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "elodyn/base/error.hpp"
#include "elodyn/base/rotation.hpp"
#include "elodyn/mesh/mesh.hpp"
#include "elodyn/model/area_grid.hpp"
#include "elodyn/model/void_law.hpp"

namespace elodyn {
namespace {

// Finds the node at a place, or adds one. A grid of cells wider than the tolerance keeps look-ups short.
class NodeFinder {
 public:
  NodeFinder(Mesh& mesh, double tolerance) : mesh_(mesh), tolerance_(tolerance) {}

  int find(const Vec3& x) const {
    const auto c = cell(x);
    for (long i = -1; i <= 1; ++i)
      for (long j = -1; j <= 1; ++j)
        for (long k = -1; k <= 1; ++k) {
          const auto [first, last] = cells_.equal_range(key({c[0] + i, c[1] + j, c[2] + k}));
          for (auto it = first; it != last; ++it)
            if ((mesh_.nodes[static_cast<size_t>(it->second)].x - x).norm() <= tolerance_) return it->second;
        }
    return -1;
  }
  int find_or_add(const Vec3& x) {
    const int found = find(x);
    return found >= 0 ? found : add(x);
  }
  // Also where there is one already.
  int add(const Vec3& x) {
    mesh_.nodes.push_back({x, {}, {}});
    const int added = static_cast<int>(mesh_.nodes.size()) - 1;
    cells_.emplace(key(cell(x)), added);
    return added;
  }

 private:
  std::array<long, 3> cell(const Vec3& x) const {
    const double width = 4 * tolerance_;
    return {std::lround(x[0] / width), std::lround(x[1] / width), std::lround(x[2] / width)};
  }
  static size_t key(const std::array<long, 3>& c) {
    return static_cast<size_t>(c[0]) * 73856093u ^ static_cast<size_t>(c[1]) * 19349663u ^
           static_cast<size_t>(c[2]) * 83492791u;
  }
  Mesh& mesh_;
  double tolerance_;
  std::unordered_multimap<size_t, int> cells_;
};

int add_dof(Mesh& mesh, DofKind kind, int node, int element) {
  mesh.dofs.push_back({kind, node, element});
  return mesh.n_dofs() - 1;
}

int shared_dof(Mesh& mesh, int node, DofKind kind) {
  auto& dofs = mesh.nodes[static_cast<size_t>(node)].dofs;
  const auto it = dofs.find(kind);
  if (it != dofs.end()) return it->second;
  return dofs[kind] = add_dof(mesh, kind, node, -1);
}

// One element that ends at a node, seen from there.
struct Touch {
  int element;
  Vec3 outward;  // unit, away from the node
  Mat3 axes;     // of the element
  int member;
};

// v'' and w'' may be shared by two collinear elements of equal bending stiffness and equal gradients of temperature,
// unless something at the node makes the bending moment jump.
class CurvatureSharing {
 public:
  CurvatureSharing(const Body& body, const Mesh& mesh)
      : body_(body), touches_(mesh.nodes.size()), moment_jumps_(mesh.nodes.size(), false) {
    for (size_t e = 0; e < mesh.elements.size(); ++e) {
      const ElementSpec& spec = mesh.elements[e];
      if (spec.member < 0) continue;
      const auto a = static_cast<size_t>(spec.nodes[0]), b = static_cast<size_t>(spec.nodes[1]);
      const Vec3 t = (mesh.nodes[b].x - mesh.nodes[a].x).normalized();
      const Member& member = body.members[static_cast<size_t>(spec.member)];
      const Mat3 axes = make_beam_axes(t, body.calc_orientation(member, t));
      touches_[a].push_back({static_cast<int>(e), t, axes, spec.member});
      touches_[b].push_back({static_cast<int>(e), -t, axes, spec.member});
    }
    const auto jump_at = [&](const std::string& point) {
      for (const int node : mesh.nodes_at(point)) moment_jumps_[static_cast<size_t>(node)] = true;
    };
    for (const Support& s : body.supports)
      if (s.kind == Support::Kind::clamp || s.kind == Support::Kind::hinge) jump_at(s.at.value);
    for (const LumpedMass& m : body.masses)
      if (!m.calc_inertia().isZero(0)) jump_at(m.at.value);
    for (const Spring& s : body.springs)
      if (s.to || !s.rotational_stiffness.isZero(0) || !s.rotational_damping.isZero(0)) {
        jump_at(s.at.value);
        if (s.to) jump_at(s.to->value);
      }
    for (const Load& load : body.loads)
      if (load.at && !load.moment.isZero(0)) jump_at(load.at->value);
    for (const NodeLink& link : mesh.links)
      moment_jumps_[static_cast<size_t>(link.root)] = moment_jumps_[static_cast<size_t>(link.node)] = true;
  }

  bool shared(int node) const {
    const auto& t = touches_[static_cast<size_t>(node)];
    constexpr double kCollinear = 1e-9;
    if (t.size() != 2 || moment_jumps_[static_cast<size_t>(node)] ||
        (t[0].outward + t[1].outward).norm() >= kCollinear || !same_stiffness(t[0].member, t[1].member) ||
        !same_gradients(t[0], t[1]))
      return false;
    return std::abs(std::abs(t[0].axes.col(1).dot(t[1].axes.col(1))) - 1) < kCollinear;
  }
  // Sign of the element's own v'' and w'' against the shared ones, which count along the first element's y and z.
  std::array<double, 2> sign(int node, int element) const {
    const auto& t = touches_[static_cast<size_t>(node)];
    const Touch& own = t[0].element == element ? t[0] : t[1];
    const auto same = [&](int axis) { return t[0].axes.col(axis).dot(own.axes.col(axis)) > 0 ? 1.0 : -1.0; };
    return {same(1), same(2)};
  }

 private:
  bool same_stiffness(int m1, int m2) const {
    const Member &a = body_.members[static_cast<size_t>(m1)], &b = body_.members[static_cast<size_t>(m2)];
    if (m1 == m2) return true;  // v'' of a taper is continuous too
    const auto own = [](const Located<std::string>& of_member, const Located<std::string>& of_body) {
      return of_member.value.empty() ? of_body.value : of_member.value;
    };
    return a.section_to.value.empty() && b.section_to.value.empty() && !a.release_to.any() && !a.release_from.any() &&
           !b.release_from.any() && !b.release_to.any() &&
           own(a.section, body_.section) == own(b.section, body_.section) &&
           own(a.material, body_.material) == own(b.material, body_.material);
  }
  // M = EI(v'' + αg) is continuous: where g jumps, v'' does.
  bool same_gradients(const Touch& a, const Touch& b) const {
    const auto gradient = [&](const Touch& t) {
      Vec3 g = Vec3::Zero();
      for (const Load& load : body_.loads)
        if (load.on && load.on->value == body_.members[static_cast<size_t>(t.member)].name)
          g += load.gradient_y * t.axes.col(1) + load.gradient_z * t.axes.col(2);
      return g;
    };
    return a.member == b.member || gradient(a).isApprox(gradient(b), 1e-9);
  }
  const Body& body_;
  std::vector<std::vector<Touch>> touches_;
  std::vector<bool> moment_jumps_;
};

class Mesher {
 public:
  explicit Mesher(const Body& body)
      : body_(body), finder_(mesh_, kSamePlace * std::max(set_size(body, mesh_), 1e-300)) {}

  Mesh run() {
    if (body_.mesh) take_mesh(*body_.mesh);  // first: its nodes keep their order
    for (size_t m = 0; m < body_.members.size(); ++m) cut(static_cast<int>(m));
    for (size_t a = 0; a < body_.areas.size(); ++a)
      if (body_.areas[a].is_patch()) cut_area(static_cast<int>(a));
    add_link_nodes();
    name_points();
    flatten_links();
    add_dofs();
    add_point_elements();
    add_turned_nodes();
    return std::move(mesh_);
  }

 private:
  static constexpr double kSamePlace = 1e-9;

  static double set_size(const Body& body, Mesh& mesh) {
    Eigen::AlignedBox3d box;
    for (const Point& p : body.points) box.extend(p.x);
    for (const Member& m : body.members) {
      if (const Point* from = body.find_point(m.from.value)) box.extend(Vec3(from->x + m.offset_from));
      if (const Point* to = body.find_point(m.to.value)) box.extend(Vec3(to->x + m.offset_to));
    }
    if (body.mesh)
      for (const SurfaceMesh::Node& node : body.mesh->nodes) box.extend(node.x);
    return mesh.size = box.isEmpty() ? 0 : box.diagonal().norm();
  }
  Node& node(int number) { return mesh_.nodes[static_cast<size_t>(number)]; }

  // The node of a member's end: that of its point, or one of its own beside it.
  int find_end(const Member& member, const Vec3& point, const Vec3& offset) {
    const int at_point = finder_.find_or_add(point);
    if (offset.isZero(0)) return at_point;
    mesh_.nodes.push_back({point + offset, {}, {}});
    const int own = static_cast<int>(mesh_.nodes.size()) - 1;
    mesh_.links.push_back({at_point, own, "offset of member `" + member.name + "`"});
    return own;
  }

  void cut(int m) {
    const Member& member = body_.members[static_cast<size_t>(m)];
    const Point *from = body_.find_point(member.from.value), *to = body_.find_point(member.to.value);
    ELODYN_REQUIRE(from && to && member.elements.value >= 1);
    const int n = member.elements.value;
    int previous = find_end(member, from->x, member.offset_from);
    const Vec3 begin = from->x + member.offset_from, end = to->x + member.offset_to;
    for (int i = 1; i <= n; ++i) {
      const double s = static_cast<double>(i) / n;
      const int next =
          i == n ? find_end(member, to->x, member.offset_to) : finder_.find_or_add(Vec3((1 - s) * begin + s * end));
      ElementSpec spec;
      spec.kind = body_.element.value;
      spec.nodes = {previous, next};
      spec.member = m;
      spec.begin = static_cast<double>(i - 1) / n;
      spec.end = s;
      mesh_.elements.push_back(std::move(spec));
      previous = next;
    }
  }

  // Nodes and elements of a mesh file in their order; nodes at one place stay apart.
  void take_mesh(const SurfaceMesh& from) {
    const SurfaceKind* kind = find_surface_kind(body_.element.value);
    ELODYN_REQUIRE(kind != nullptr);
    for (const SurfaceMesh::Node& node : from.nodes) finder_.add(node.x);
    std::vector<int> area_of(from.elements.size(), -1);
    for (size_t a = 0; a < body_.areas.size(); ++a)
      for (const int e : body_.areas[a].elements) area_of[static_cast<size_t>(e)] = static_cast<int>(a);
    mesh_.elements.reserve(from.elements.size());
    for (size_t e = 0; e < from.elements.size(); ++e) {
      const SurfaceMesh::Element& element = from.elements[e];
      const SurfaceKind* own = find_surface_kind(*kind, element.n_corners);
      ELODYN_REQUIRE(own != nullptr && own->n_nodes() == static_cast<int>(element.n_nodes()) && area_of[e] >= 0);
      ElementSpec& spec = mesh_.elements.emplace_back();
      spec.kind = own->name;
      spec.area = area_of[e];
      spec.nodes.assign(element.nodes.begin(), element.nodes.begin() + own->n_nodes());
    }
    for (const SurfaceMesh::Side& side : from.sides) {
      Side& own = mesh_.sides[side.name];
      own.nodes = side.nodes;
      for (const SurfaceMesh::Piece& piece : side.pieces)
        own.pieces.emplace_back(piece.begin(), piece.begin() + (piece[2] < 0 ? 2 : 3));
    }
  }

  // The node of a point, which is there or is made.
  int find_or_add(const Point& point) { return point.mesh_node >= 0 ? point.mesh_node : finder_.find_or_add(point.x); }

  void cut_area(int a) {
    const Area& area = body_.areas[static_cast<size_t>(a)];
    const SurfaceKind* kind = find_surface_kind(body_.element.value);
    ELODYN_REQUIRE(kind != nullptr);
    const AreaGrid cuts(body_, area, *kind);
    const int step = cuts.step(), nx = cuts.nx(), ny = cuts.ny();
    std::vector<int> grid(static_cast<size_t>((nx + 1) * (ny + 1)), -1);
    const auto at = [&](int i, int j) -> int& { return grid[static_cast<size_t>(j * (nx + 1) + i)]; };
    for (int j = 0; j <= ny; ++j)
      for (int i = 0; i <= nx; ++i)
        if (cuts.has_node(i, j)) at(i, j) = finder_.find_or_add(cuts.place(i, j));
    const auto add = [&](std::initializer_list<std::array<int, 2>> places) {
      ElementSpec spec;
      spec.kind = body_.element.value;
      spec.area = a;
      for (const auto& [i, j] : places) spec.nodes.push_back(at(i, j));
      mesh_.elements.push_back(std::move(spec));
    };
    for (int j = 0; j < ny; j += step)
      for (int i = 0; i < nx; i += step) {
        const int i2 = i + step, j2 = j + step, im = i + 1, jm = j + 1;
        if (kind->n_corners == 4 && step == 1) add({{i, j}, {i2, j}, {i2, j2}, {i, j2}});
        if (kind->n_corners == 4 && step == 2)
          add({{i, j}, {i2, j}, {i2, j2}, {i, j2}, {im, j}, {i2, jm}, {im, j2}, {i, jm}});
        if (kind->n_corners == 3 && step == 1) {
          add({{i, j}, {i2, j}, {i2, j2}});
          add({{i, j}, {i2, j2}, {i, j2}});
        }
        if (kind->n_corners == 3 && step == 2) {
          add({{i, j}, {i2, j}, {i2, j2}, {im, j}, {i2, jm}, {im, jm}});
          add({{i, j}, {i2, j2}, {i, j2}, {im, jm}, {im, j2}, {i, jm}});
        }
      }
    const auto add_side = [&](size_t number, int n, const auto& place) {
      Side& side = mesh_.sides[area.side_name(number)];
      for (int k = 0; k <= n; ++k) side.nodes.push_back(place(k));
      for (int k = 0; k < n; k += step) {
        side.pieces.push_back({place(k), place(k + step)});
        if (step == 2) side.pieces.back().push_back(place(k + 1));
      }
    };
    add_side(0, nx, [&](int k) { return at(k, 0); });
    add_side(1, ny, [&](int k) { return at(nx, k); });
    add_side(2, nx, [&](int k) { return at(nx - k, ny); });
    add_side(3, ny, [&](int k) { return at(0, ny - k); });
  }

  void add_link_nodes() {
    for (const RigidLink& link : body_.links) {
      const Point* from = body_.find_point(link.from.value);
      ELODYN_REQUIRE(from != nullptr);
      for (const Located<std::string>& name : link.to) {
        const Point* to = body_.find_point(name.value);
        ELODYN_REQUIRE(to != nullptr);
        const int root = find_or_add(*from);
        mesh_.links.push_back({root, find_or_add(*to), "link from `" + link.from.value + "`"});
      }
    }
  }

  void name_points() {
    for (const Point& p : body_.points) {
      const int number = p.mesh_node >= 0 ? p.mesh_node : finder_.find(p.x);
      if (number < 0) continue;  // a point that nothing uses; validate() refuses the others
      mesh_.node_of_point[p.name] = number;
      if (node(number).point.empty()) node(number).point = p.name;
    }
  }

  // A chain of links is one rigid body: every node is tied to the first of them that nothing carries.
  void flatten_links() {
    std::map<int, int> carrier;
    for (const NodeLink& link : mesh_.links) carrier.emplace(link.node, link.root);
    for (NodeLink& link : mesh_.links) {
      size_t steps = 0;
      for (auto it = carrier.find(link.root); it != carrier.end(); it = carrier.find(link.root)) {
        if (++steps > carrier.size())
          throw NumericalError("body `" + body_.name + "`: rigid links go round in a circle at node " +
                               std::to_string(link.node + 1) + "; leave one of them out");
        link.root = it->second;
      }
    }
  }

  std::vector<DofKind> kinds() const {
    if (body_.dimension == 2) return {DofKind::u, DofKind::v, DofKind::rz};
    return {DofKind::u, DofKind::v, DofKind::w, DofKind::rx, DofKind::ry, DofKind::rz};
  }
  static bool is_rotation(DofKind kind) { return kind >= DofKind::rx && kind <= DofKind::rz; }

  void add_dofs() {
    const CurvatureSharing curvature(body_, mesh_);
    for (size_t e = 0; e < mesh_.elements.size(); ++e) {
      if (mesh_.elements[e].area >= 0) {
        add_surface_dofs(mesh_.elements[e]);
        continue;
      }
      if (mesh_.elements[e].kind == kVoidsBar) {
        add_bar_dofs(static_cast<int>(e));
        continue;
      }
      for (int end = 0; end < 2; ++end) add_end_dofs(static_cast<int>(e), end, curvature);
      std::vector<DofKind> bubbles = {DofKind::axial};
      if (body_.dimension == 3) bubbles.push_back(DofKind::twist);
      for (const DofKind kind : bubbles)
        for (int i = 1; i < body_.axial_degree; ++i)
          mesh_.elements[e].dofs.push_back(add_dof(mesh_, kind, -1, static_cast<int>(e)));
    }
    for (const NodeLink& link : mesh_.links)
      for (const int number : {link.root, link.node})
        for (const DofKind kind : kinds()) shared_dof(mesh_, number, kind);
  }

  void add_surface_dofs(ElementSpec& spec) {
    const SurfaceKind& of = *find_surface_kind(spec.kind);
    std::vector<DofKind> at_node = of.bends ? kinds() : std::vector{DofKind::u, DofKind::v};
    if (of.has_voids) at_node.push_back(DofKind::phi);
    for (const int number : spec.nodes)
      for (const DofKind kind : at_node) spec.dofs.push_back(shared_dof(mesh_, number, kind));
  }
  void add_bar_dofs(int e) {
    ElementSpec& spec = mesh_.elements[static_cast<size_t>(e)];
    for (const int number : spec.nodes)
      for (const DofKind kind : {DofKind::u, DofKind::phi}) spec.dofs.push_back(shared_dof(mesh_, number, kind));
    for (const DofKind kind : {DofKind::axial, DofKind::phi})
      for (int i = 1; i < body_.axial_degree; ++i) spec.dofs.push_back(add_dof(mesh_, kind, -1, e));
  }

  void add_end_dofs(int e, int end, const CurvatureSharing& curvature) {
    ElementSpec& spec = mesh_.elements[static_cast<size_t>(e)];
    const int number = spec.nodes[static_cast<size_t>(end)];
    const Member& member = body_.members[static_cast<size_t>(spec.member)];
    const Release& release = end == 0 ? member.release_from : member.release_to;
    const bool released = release.any() && (end == 0 ? spec.begin == 0 : spec.end == 1);
    EndRelease tie{number, {-1, -1, -1}, {}, "release of member `" + member.name + "`"};
    for (const DofKind kind : kinds()) {
      const bool own = released && is_rotation(kind);
      const int dof = own ? add_dof(mesh_, kind, number, e) : shared_dof(mesh_, number, kind);
      if (own) tie.own[static_cast<size_t>(kind) - static_cast<size_t>(DofKind::rx)] = dof;
      spec.dofs.push_back(dof);
    }
    if (released) tie_release(spec, member, release, std::move(tie));
    if (body_.degree != 5) return;
    const bool is_shared = !released && curvature.shared(number);
    const std::vector<DofKind> curvatures =
        body_.dimension == 3 ? std::vector{DofKind::kz, DofKind::ky} : std::vector{DofKind::kz};
    for (const DofKind kind : curvatures)
      spec.dofs.push_back(is_shared ? shared_dof(mesh_, number, kind) : add_dof(mesh_, kind, number, e));
    if (is_shared) spec.curvature_sign[static_cast<size_t>(end)] = curvature.sign(number, e);
  }

  void tie_release(const ElementSpec& spec, const Member& member, const Release& release, EndRelease tie) {
    const Vec3 t = (node(spec.nodes[1]).x - node(spec.nodes[0]).x).normalized();
    const Mat3 axes = make_beam_axes(t, body_.calc_orientation(member, t));
    for (int axis = body_.dimension == 2 ? 2 : 0; axis < 3; ++axis)
      if (!release[axis]) tie.tied.emplace_back(axes.col(axis));
    if (!tie.tied.empty())
      for (const DofKind kind : kinds())
        if (is_rotation(kind)) shared_dof(mesh_, tie.node, kind);
    mesh_.releases.push_back(std::move(tie));
  }

  // Nodes of membranes have a rotation only where something turns them.
  void add_turned_nodes() {
    for (const Load& load : body_.loads)
      if (load.at && !load.moment.isZero(0) && !body_.areas.empty())
        for (const DofKind kind : kinds()) shared_dof(mesh_, mesh_.node_of_point.at(load.at->value), kind);
  }

  void add_point_elements() {
    const auto add = [&](const char* kind, std::initializer_list<std::string> points, size_t item) {
      ElementSpec spec;
      spec.kind = kind;
      for (const std::string& point : points) {
        spec.nodes.push_back(mesh_.node_of_point.at(point));
        for (const DofKind dof : kinds()) spec.dofs.push_back(shared_dof(mesh_, spec.nodes.back(), dof));
      }
      spec.item = static_cast<int>(item);
      mesh_.elements.push_back(std::move(spec));
    };
    for (size_t i = 0; i < body_.masses.size(); ++i) add("point_mass", {body_.masses[i].at.value}, i);
    for (size_t i = 0; i < body_.springs.size(); ++i) {
      const Spring& s = body_.springs[i];
      if (s.to)
        add("spring_between", {s.at.value, s.to->value}, i);
      else
        add("spring", {s.at.value}, i);
    }
  }

  const Body& body_;
  Mesh mesh_;
  NodeFinder finder_;
};

}  // namespace

Mesh make_mesh(const Body& body) { return Mesher(body).run(); }

}  // namespace elodyn
