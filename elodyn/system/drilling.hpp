// The rotation of a node about the normal n of the plates that meet there. If they lie in one plane it belongs to no
// strain and has no mass:
//   n·θ = 0,  or, where a spring, a mass or a moment acts on the node,  n·θ = mean of ½(u₂,₁ − u₁,₂) over the plates
//   (1)
// At a fold the rotation about one normal bends the other plate, and there is no row. Nor is there one where supports
// or links hold a rotation of the node.
#pragma once

#include <vector>

#include "elodyn/system/system.hpp"

namespace elodyn {

// Needs the rows of supports and links in system.rows.
std::vector<ConstraintRow> make_drilling_rows(const BodySystem& system);

}  // namespace elodyn
