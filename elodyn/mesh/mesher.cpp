// Body → Mesh: members cut into equal elements, nodes at one place merged, dofs numbered along the members
// so that the matrices are banded.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "elodyn/base/error.hpp"
#include "elodyn/mesh/mesh.hpp"

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
    if (found >= 0) return found;
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
  int end;       // 0 or 1
  Vec3 outward;  // unit, away from the node
  int member;
};

// v'' may be shared by two collinear elements of equal bending stiffness, unless something at the node
// makes the bending moment jump.
class CurvatureSharing {
 public:
  CurvatureSharing(const Body& body, const Mesh& mesh)
      : body_(body), touches_(mesh.nodes.size()), moment_jumps_(mesh.nodes.size(), false) {
    for (size_t e = 0; e < mesh.elements.size(); ++e) {
      const ElementSpec& spec = mesh.elements[e];
      const auto a = static_cast<size_t>(spec.nodes[0]), b = static_cast<size_t>(spec.nodes[1]);
      const Vec3 t = (mesh.nodes[b].x - mesh.nodes[a].x).normalized();
      touches_[a].push_back({static_cast<int>(e), 0, t, spec.member});
      touches_[b].push_back({static_cast<int>(e), 1, -t, spec.member});
    }
    const auto jump_at = [&](const std::string& point) {
      moment_jumps_[static_cast<size_t>(mesh.node_of_point.at(point))] = true;
    };
    for (const Support& s : body.supports)
      if (s.kind == Support::Kind::clamp) jump_at(s.at.value);
    for (const LumpedMass& m : body.masses)
      if (m.inertia != 0) jump_at(m.at.value);
    for (const Spring& s : body.springs)
      if (!s.rotational_stiffness.isZero(0) || !s.rotational_damping.isZero(0)) jump_at(s.at.value);
    for (const Load& load : body.loads)
      if (load.at && !load.moment.isZero(0)) jump_at(load.at->value);
  }

  bool shared(int node) const {
    const auto& t = touches_[static_cast<size_t>(node)];
    constexpr double kCollinear = 1e-9;
    return t.size() == 2 && !moment_jumps_[static_cast<size_t>(node)] &&
           (t[0].outward + t[1].outward).norm() < kCollinear && same_stiffness(t[0].member, t[1].member);
  }
  // Sign of the element's own v'' against the shared one, which counts along the first element.
  double sign(int node, int element, int end) const {
    const Touch& first = touches_[static_cast<size_t>(node)][0];
    if (first.element == element) return 1;
    return (first.end == 1) == (end == 0) ? 1 : -1;  // head to tail: same direction
  }

 private:
  bool same_stiffness(int m1, int m2) const {
    if (m1 == m2) return true;
    const Member &a = body_.members[static_cast<size_t>(m1)], &b = body_.members[static_cast<size_t>(m2)];
    const auto own = [](const Located<std::string>& of_member, const Located<std::string>& of_body) {
      return of_member.value.empty() ? of_body.value : of_member.value;
    };
    return own(a.section, body_.section) == own(b.section, body_.section) &&
           own(a.material, body_.material) == own(b.material, body_.material);
  }
  const Body& body_;
  std::vector<std::vector<Touch>> touches_;
  std::vector<bool> moment_jumps_;
};

}  // namespace

Mesh make_mesh(const Body& body) {
  Mesh mesh;
  Eigen::AlignedBox3d box;
  for (const Point& p : body.points) box.extend(p.x);
  mesh.size = box.isEmpty() ? 0 : box.diagonal().norm();
  constexpr double kSamePlace = 1e-9;
  NodeFinder finder(mesh, kSamePlace * std::max(mesh.size, 1e-300));

  for (size_t m = 0; m < body.members.size(); ++m) {
    const Member& member = body.members[m];
    const Point *from = body.find_point(member.from.value), *to = body.find_point(member.to.value);
    ELODYN_REQUIRE(from && to && member.elements.value >= 1);
    const int n = member.elements.value;
    int previous = finder.find_or_add(from->x);
    for (int i = 1; i <= n; ++i) {
      const double s = static_cast<double>(i) / n;
      const int next = finder.find_or_add(i == n ? to->x : Vec3((1 - s) * from->x + s * to->x));
      ElementSpec spec;
      spec.kind = body.element.value;
      spec.nodes = {previous, next};
      spec.member = static_cast<int>(m);
      mesh.elements.push_back(std::move(spec));
      previous = next;
    }
  }
  for (const Point& p : body.points) {
    const int node = finder.find(p.x);
    if (node < 0) continue;  // a point that nothing uses; validate() refuses the others
    mesh.node_of_point[p.name] = node;
    if (mesh.nodes[static_cast<size_t>(node)].point.empty()) mesh.nodes[static_cast<size_t>(node)].point = p.name;
  }

  const bool quintic = body.degree == 5;
  const CurvatureSharing curvature(body, mesh);
  for (size_t e = 0; e < mesh.elements.size(); ++e) {
    ElementSpec& spec = mesh.elements[e];
    for (int end = 0; end < 2; ++end) {
      const int node = spec.nodes[static_cast<size_t>(end)];
      for (const DofKind kind : {DofKind::u, DofKind::v, DofKind::rz})
        spec.dofs.push_back(shared_dof(mesh, node, kind));
      if (!quintic) continue;
      if (curvature.shared(node)) {
        spec.dofs.push_back(shared_dof(mesh, node, DofKind::kz));
        spec.kz_sign[static_cast<size_t>(end)] = curvature.sign(node, static_cast<int>(e), end);
      } else {
        spec.dofs.push_back(add_dof(mesh, DofKind::kz, node, static_cast<int>(e)));
      }
    }
    for (int i = 1; i < body.axial_degree; ++i)
      spec.dofs.push_back(add_dof(mesh, DofKind::axial, -1, static_cast<int>(e)));
  }

  const auto add_point_element = [&](const char* kind, const std::string& point, size_t item) {
    const int node = mesh.node_of_point.at(point);
    const auto& dofs = mesh.nodes[static_cast<size_t>(node)].dofs;
    ElementSpec spec;
    spec.kind = kind;
    spec.nodes = {node};
    spec.dofs = {dofs.at(DofKind::u), dofs.at(DofKind::v), dofs.at(DofKind::rz)};
    spec.item = static_cast<int>(item);
    mesh.elements.push_back(std::move(spec));
  };
  for (size_t i = 0; i < body.masses.size(); ++i) add_point_element("point_mass", body.masses[i].at.value, i);
  for (size_t i = 0; i < body.springs.size(); ++i) add_point_element("spring", body.springs[i].at.value, i);
  return mesh;
}

}  // namespace elodyn
