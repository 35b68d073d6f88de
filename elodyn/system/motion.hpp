// How a body's frame moves, turned into the basis that the formalism derives on and the factors at an instant.
//   rest:        no axis; gravity is a constant acceleration −Rᵀg of the frame
//   spin:        one axis n; the origin of the basis is put on it, so w = Ω, e = 0, and a is gravity along n or
//                nothing; gravity across n turns backwards in the frame: a = g⊥ (cos Ωt e₁ − sin Ωt e₂), e₂ = n × e₁
//   prescribed,  the body axes about which ω or ε is not constantly zero, and those along which a is not;
//   table,       a body of dimension 2: z, and x and y
//   mechanism:
// ε that is not given is the rate of the components of ω: in body axes that is all of ω̇, since ω × ω = 0.
#pragma once

#include "elodyn/formalism/formalism.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/system/affine.hpp"

namespace elodyn {

MotionBasis make_motion_basis(const Model& model, const Body& body);

// Factors at time t (s), in the order of the basis; those of the load cases (find_load_cases), the first of which is 1.
// Throws NumericalError where the motion or a load is not finite, has no derivative or is not in its table.
FactorValues calc_factors(const Model& model, const Body& body, const MotionBasis& basis, double t);
// The same in place; allocates nothing if `out` has been used before.
void calc_factors(const Model& model, const Body& body, const MotionBasis& basis, const LoadCases& cases, double t,
                  FactorValues& out);

// Gravity that has a part across the axis of a body that spins.
bool has_turning_gravity(const Model& model, const Body& body);
// All factors are the same at every time.
bool is_steady(const Model& model, const Body& body);

}  // namespace elodyn
