// An input file of Abaqus or CalculiX → SurfaceMesh. Read are
//   *NODE, *ELEMENT     CPS and CPE of 3, 4, 6, 8 nodes; shells S3, S4, S6, S8, STRI3, STRI65; membranes M3D3 … M3D8;
//                       those with reduced integration or other additions are taken as the plain ones;
//                       beams and trusses of 2 and 3 nodes are lines, which make groups of edges
//   *NSET, *ELSET       also with GENERATE
//   *SURFACE            of elements: edges S1 … S4 of plane elements, E1 … E4 (or S3 … S6) of shells; of nodes
//   *MATERIAL           *ELASTIC (ISOTROPIC, LAMINA, ENGINEERING CONSTANTS), *DENSITY, *EXPANSION
//   *SHELL SECTION, *SOLID SECTION, *MEMBRANE SECTION   thickness and material of an ELSET
// Other keywords are passed over and named in one warning: supports and loads stand in the model file. Refused are what
// would change the mesh unseen: *INCLUDE, generated nodes and elements, more than one part or instance.
// Units: lengths as `unit` says, forces in N, times in s: with mm, E is in MPa and the density in t/mm³.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "elodyn/base/error.hpp"
#include "elodyn/model/surface_mesh.hpp"

namespace elodyn {

// `unit`: of the file's lengths, m. Nothing if there are mistakes; the lines that are spoken of become known to the
// diagnostics.
std::unique_ptr<SurfaceMesh> read_inp(const std::string& file_name, std::string_view text, double unit,
                                      Diagnostics& diagnostics);

}  // namespace elodyn
