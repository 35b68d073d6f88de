// SurfaceMesh → text of a mesh file; read back it is the same mesh, lengths in m.
//   .msh   Gmsh 4.1, ASCII. Areas are physical surfaces, sides physical curves (without edges: physical points, as
//   single
//          nodes are); an element of several areas is written with the first, of a side with edges its other nodes are
//          lost.
//   .inp   Abaqus, CalculiX. Plane elements (CPS, CPE) where the mesh says so, else shells (S); areas are ELSETs with
//          their sections and materials, sides *SURFACEs or, if they have nodes besides their edges, NSETs.
#pragma once

#include <string>

#include "elodyn/model/surface_mesh.hpp"

namespace elodyn {

std::string to_msh(const SurfaceMesh& mesh);
std::string to_inp(const SurfaceMesh& mesh);

}  // namespace elodyn
