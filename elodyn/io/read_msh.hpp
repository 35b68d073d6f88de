// A mesh file of Gmsh, format 4.1 in ASCII → SurfaceMesh. Layout: Gmsh reference manual, "MSH file format", and
// [GeuzaineRemacle2009].
// Read are $MeshFormat, $PhysicalNames, $Entities, $Nodes, $Elements; other sections are passed over.
//   element types   15 single nodes; 1, 8 lines; 2, 9 triangles; 3, 16 quadrilaterals
//   groups          physical points, curves and surfaces; without a name: point_TAG, curve_TAG, surface_TAG
// Refused, each with what to do: other versions, binary files, other types of elements, partitioned meshes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "elodyn/base/error.hpp"
#include "elodyn/model/surface_mesh.hpp"

namespace elodyn {

inline constexpr size_t kLargestMesh = size_t{2} << 30;

// `unit`: of the file's lengths, m. Nothing if there are mistakes; the lines that are spoken of become known to the
// diagnostics.
std::unique_ptr<SurfaceMesh> read_msh(const std::string& file_name, std::string_view text, double unit,
                                      Diagnostics& diagnostics);

}  // namespace elodyn
