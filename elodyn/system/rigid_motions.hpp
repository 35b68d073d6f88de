// Motions of a body that strain nothing and meet no support: those of the whole, and of parts that hinges let swing.
// Parts are elements and nodes joined without a hinge; each moves with a twist (v, ω), u = v + ω × x. The twists must
//   keep released ends on their nodes, keep every constraint row, and strain no spring;                (1)
// what remains is the null space of these conditions, found with lengths measured by the body's size.
// Limits: with more than 300 parts only motions of the whole body are looked for.
#pragma once

#include <vector>

#include "elodyn/system/system.hpp"

namespace elodyn {

struct RigidMotions {
  MatrixX motions;  // columns, in q
  Matrix6X twists;  // the same as twists of the whole body about its origin; no columns if parts move differently
};
RigidMotions find_rigid_motions(const BodySystem& system, const std::vector<ConstraintRow>& rows);

}  // namespace elodyn
