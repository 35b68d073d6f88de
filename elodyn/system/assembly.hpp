// Σ elements → the affine equation of a body in q; and the same seen from one element.
#pragma once

#include <vector>

#include "elodyn/system/system.hpp"

namespace elodyn {

// Fills the terms of system.full (all but Kg) from the elements by the model's formalism, and the applied loads.
void assemble(BodySystem& system);

// Adds Kg: one static solve for each load term, then the prestress of each element times its moment matrices.
void add_geometric_stiffness(BodySystem& system);

const Formalism& formalism_of(const Model& model);

// Adds a rigid acceleration of the element, given by its dofs, to the inertia field of its state.
void add_rigid_acceleration(const ElementData& data, const VectorX& acceleration, ElementState& state);

VectorX gather(const std::vector<int>& dofs, const VectorX& values);

// The zero-order inertia field and the member load that a unit of one load term means inside an element.
ElementState unit_state(const BodySystem& system, const LoadTerm& term, int member);

// An element's own share of a unit of a load term, as the formalism derived it.
VectorX own_share(const BodySystem& system, const LoadTerm& load, const ElementTerms& terms, const MemberLoad& applied);

}  // namespace elodyn
