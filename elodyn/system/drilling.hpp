// The rotation of a node of an area about the normal n of the elements that meet there. If these lie in one plane it
// belongs to no strain and has no mass:
//   n·θ = 0,  or, where something acts on it,  n·θ = mean of ½(u₂,₁ − u₁,₂) over the elements (1)
// What acts on it: a spring, a mass, a moment, a clamp or hinge at this point alone, a rigid link to it alone. Where a
// side is held, or several nodes move as one, their displacements say how they turn, and there is no row. Nor is there
// one at a fold, where the rotation about one normal bends the other plate.
#pragma once

#include <vector>

#include "elodyn/system/system.hpp"

namespace elodyn {

// Needs the rows of supports and links in system.rows.
std::vector<ConstraintRow> make_drilling_rows(const BodySystem& system);

}  // namespace elodyn
