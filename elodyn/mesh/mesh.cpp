#include "elodyn/mesh/mesh.hpp"

#include "elodyn/base/error.hpp"

namespace elodyn {

const char* to_string(DofKind kind) {
  static constexpr const char* names[] = {"u", "v", "w", "rx", "ry", "rz", "kz", "ky", "axial", "twist"};
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
    default:
      return "m";
  }
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
