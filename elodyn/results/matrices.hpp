// The affine equation of each body as named matrices, for export to other programs.
#pragma once

#include <string>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

struct NamedMatrix {
  std::string name;     // file stem: "rod_M", "rod_G_z", "rod_H_zz"
  std::string meaning;  // one line: what it is and which factor multiplies it
  SparseMatrix matrix;  // a vector is a matrix of one column
  enum class Symmetry { general, symmetric, skew } symmetry = Symmetry::general;
};

struct MatrixExport {
  std::vector<NamedMatrix> matrices;
  std::vector<Table> dofs;  // a table for each body: number, node, kind, x, y, z, unit, held
};

}  // namespace elodyn
