#include "elodyn/mesh/surface_mesh_of.hpp"

#include <algorithm>

#include "elodyn/base/error.hpp"
#include "elodyn/model/effective_modulus.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {

SurfaceMesh make_surface_mesh(const Model& model, const Body& body, const Mesh& mesh) {
  SurfaceMesh out;
  std::vector<int> node_of(mesh.nodes.size(), -1);
  for (const ElementSpec& spec : mesh.elements)
    if (spec.area >= 0)
      for (const int node : spec.nodes) node_of[static_cast<size_t>(node)] = 0;
  for (size_t i = 0; i < mesh.nodes.size(); ++i) {
    if (node_of[i] < 0) continue;
    node_of[i] = static_cast<int>(out.nodes.size());
    out.nodes.push_back({mesh.nodes[i].x, static_cast<SurfaceMesh::Number>(out.nodes.size()) + 1});
  }
  for (const Area& area : body.areas) {
    SurfaceMesh::Area& group = out.areas.emplace_back();
    group.name = area.name;
    const std::string& section = area.section.value.empty() ? body.section.value : area.section.value;
    group.material = area.material.value.empty() ? body.material.value : area.material.value;
    if (const Section* found = model.find_section(section)) group.thickness = found->thickness;
    const Material* material = model.find_material(group.material);
    if (material && !out.find_material(material->name)) out.materials.push_back(calc_effective(*material));
  }
  for (const ElementSpec& spec : mesh.elements) {
    if (spec.area < 0) continue;
    const SurfaceKind* kind = find_surface_kind(spec.kind);
    ELODYN_REQUIRE(kind != nullptr && spec.nodes.size() == static_cast<size_t>(kind->n_nodes()));
    SurfaceMesh::Element& element = out.elements.emplace_back();
    element.number = static_cast<SurfaceMesh::Number>(out.elements.size());
    element.n_corners = kind->n_corners;
    element.has_middles = kind->has_middles;
    for (size_t k = 0; k < spec.nodes.size(); ++k) element.nodes[k] = node_of[static_cast<size_t>(spec.nodes[k])];
    out.areas[static_cast<size_t>(spec.area)].elements.push_back(static_cast<int>(out.elements.size()) - 1);
  }
  for (const auto& [name, side] : mesh.sides) {
    SurfaceMesh::Side& group = out.sides.emplace_back();
    group.name = name;
    for (const int node : side.nodes)
      if (const int own = node_of[static_cast<size_t>(node)]; own >= 0) group.nodes.push_back(own);
    std::sort(group.nodes.begin(), group.nodes.end());
    for (const std::vector<int>& piece : side.pieces) {
      SurfaceMesh::Piece& edge = group.pieces.emplace_back(SurfaceMesh::Piece{-1, -1, -1});
      for (size_t k = 0; k < piece.size(); ++k) edge[k] = node_of[static_cast<size_t>(piece[k])];
    }
  }
  for (const auto& [name, node] : mesh.node_of_point)
    if (const int own = node_of[static_cast<size_t>(node)]; own >= 0) out.points.push_back({name, {}, own});
  (body.plane == PlaneState::strain ? out.has_plane_strain : out.has_plane_stress) = body.dimension == 2;
  return out;
}

}  // namespace elodyn
