// How a body's frame moves, turned into the basis that the formalism derives on and the factors at an instant.
//   rest:        no axis; gravity is a constant acceleration −Rᵀg of the frame
//   spin:        one axis n; the origin of the basis is put on it, so a = 0, w = Ω, e = 0
//   prescribed:  planar: axis z, accelerations along x and y
#pragma once

#include "elodyn/formalism/formalism.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/system/affine.hpp"

namespace elodyn {

MotionBasis make_motion_basis(const Model& model, const Body& body);

// Factors at time t (s); one load case, the applied loads, with factor 1.
FactorValues calc_factors(const Model& model, const Body& body, const MotionBasis& basis, double t);

}  // namespace elodyn
