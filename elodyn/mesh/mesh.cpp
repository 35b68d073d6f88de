#include "elodyn/mesh/mesh.hpp"

#include "elodyn/base/error.hpp"

namespace elodyn {

const char* to_string(DofKind kind) {
  switch (kind) {
    case DofKind::u:
      return "u";
    case DofKind::v:
      return "v";
    case DofKind::rz:
      return "rz";
    case DofKind::kz:
      return "kz";
    case DofKind::axial:
      return "axial";
  }
  return "";
}

const char* unit_of(DofKind kind) {
  switch (kind) {
    case DofKind::rz:
      return "rad";
    case DofKind::kz:
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
  return std::string(to_string(d.kind)) + " of node " + std::to_string(d.node + 1) +
         (point.empty() ? "" : " (point `" + point + "`)");
}

}  // namespace elodyn
