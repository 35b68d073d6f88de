#include "elodyn/mesh/mesh.hpp"

#include "elodyn/base/error.hpp"

namespace elodyn {

const char* to_string(DofKind kind) {
  static constexpr const char* names[] = {"u", "v", "w", "rx", "ry", "rz", "kz", "ky", "axial", "twist", "phi"};
  return names[static_cast<int>(kind)];
}

const char* unit_of(DofKind kind) {
  switch (kind) {
    case DofKind::rx:
    case DofKind::ry:
    case DofKind::rz:
    case DofKind::twist:
      return "rad";
    case DofKind::kz:
    case DofKind::ky:
      return "1/m";
    case DofKind::phi:
      return "1";
    default:
      return "m";
  }
}

Vec3 components(const std::array<int, 3>& dofs, const VectorX& values, double otherwise) {
  Vec3 v = Vec3::Constant(otherwise);
  for (int k = 0; k < 3; ++k)
    if (const int dof = dofs[static_cast<size_t>(k)]; dof >= 0) v[k] = values[dof];
  return v;
}

std::vector<int> Mesh::nodes_at(const std::string& place) const {
  if (const auto side = sides.find(place); side != sides.end()) return side->second.nodes;
  return {node_of_point.at(place)};
}

std::string Mesh::describe(int dof) const {
  ELODYN_REQUIRE(dof >= 0 && dof < n_dofs());
  const Dof& d = dofs[static_cast<size_t>(dof)];
  if (d.node < 0) return std::string(to_string(d.kind)) + " inside element " + std::to_string(d.element + 1);
  const std::string& point = nodes[static_cast<size_t>(d.node)].point;
  const std::string own = d.element < 0 ? "" : "the end of element " + std::to_string(d.element + 1) + " at ";
  return std::string(to_string(d.kind)) + " of " + own + "node " + std::to_string(d.node + 1) +
         (point.empty() ? "" : " (point `" + point + "`)");
}

}  // namespace elodyn
