// Reads the mesh files that bodies name and puts what they hold into the model:
//   groups of elements → areas     used are those that the model file names (an area, a load) or that the file gives a
//                                  section; an element in two of these is a mistake. Of the others those become areas
//                                  that share no element with an area before them; what is left is the area `mesh`.
//   single nodes       → points
//   materials, sections that areas need and the model file does not give
// Sides stay in the mesh (Body::has_side, the mesher).
#pragma once

#include <string>

#include "elodyn/base/error.hpp"
#include "elodyn/io/text_file.hpp"
#include "elodyn/model/model.hpp"

namespace elodyn {

inline constexpr const char* kRestOfMesh = "mesh";  // the area of elements without a group

// Files are looked for beside `model_file`. A body whose mesh cannot be used has its key `mesh` marked as bad.
void import_meshes(const std::string& model_file, const FileReader& read_file, Model& model, Diagnostics& diagnostics);

}  // namespace elodyn
