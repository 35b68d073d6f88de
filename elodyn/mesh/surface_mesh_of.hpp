// The mesh of a body as files hold it: its areas, sides and points become groups. Nodes and elements are numbered from
// 1 in the order of the mesh. Only elements of surfaces: nodes of nothing else are left out, and so are points there.
#pragma once

#include "elodyn/mesh/mesh.hpp"
#include "elodyn/model/surface_mesh.hpp"

namespace elodyn {

SurfaceMesh make_surface_mesh(const Model& model, const Body& body, const Mesh& mesh);

}  // namespace elodyn
