// The elements of a body before they are joined: each has coordinates of its own, the equation is block-diagonal,
//   M q̈ + … = f + Aᵀλ,   A q = 0                                                                       (1)
// and the rows of A say that copies of one dof of the body are equal (identities) and what supports, links and releases
// hold. Eliminating the identities by a partition of the coordinates (constraints.hpp) gives a Boolean complement T
// with one 1 in each row, and TᵀMT, … is the sum by index, in the same order of summands: bit for bit the same. Point
// loads and the geometric stiffness of links belong to no element; they act on coordinates of the nodes, blocks of
// their own without mass.
#pragma once

#include <vector>

#include "elodyn/system/assembly.hpp"

namespace elodyn {

struct Blocks {
  Numbering numbering;
  std::vector<int> dof_of;                // the dof of the body that each coordinate is a copy of
  std::vector<int> copy_of;               // for each dof of the body one of its copies
  std::vector<ConstraintRow> identities;  // first copy − other copy = 0
};
Blocks make_blocks(const Mesh& mesh);

// T: coordinates of the blocks from dofs of the body.
SparseMatrix calc_identity_complement(const Blocks& blocks);

// (1) of a finished body: Kg and damping included, switched-off terms left out. T projects it to system.full.
AffineEquation make_block_equation(const BodySystem& system, const Blocks& blocks);

// All rows of A: the identities, then system.rows on one copy of each dof.
std::vector<ConstraintRow> make_block_rows(const BodySystem& system, const Blocks& blocks);

}  // namespace elodyn
