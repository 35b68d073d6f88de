// Mass, centre of mass and inertia of a body as its mesh has them:
//   Rᵀ M R = [ m 1    −m [c]ₓ ]
//            [ m [c]ₓ    I_O  ]                                                                                   (1)
// R: the rigid motions of all coordinates, displacements along and rotations about the axes of the body's origin O;
// M: the mass matrix before supports, lumped masses among it; I = I_O − m (c·c 1 − c cᵀ).
// Elements hold rigid motions exactly, so these are exact too, up to what the element takes of its own section's
// inertia. Limits: dimension 2: of I only zz, c in the plane.
#pragma once

#include "elodyn/model/mechanism.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

MassProperties calc_mass_properties(const BodySystem& system);

}  // namespace elodyn
