// Rows of q = T z + g that a body's supports, rigid links and releases mean.
//   clamp: u = 0, θ = 0;  pin: u = 0;  roller: n·u = 0;  hinge: u = 0, a×θ = 0                        (1)
//   link:  u₂ = u₁ + θ₁ × d,  θ₂ = θ₁,  d = x₂ − x₁                                                   (2)
//   released end: n·(θ_end − θ_node) = 0 for the axes n that are not released                         (3)
// To second order a link moves by ½ θ₁ × (θ₁ × d) more, against the force F that acts on its far node:
//   Kg = (F·d)1 − ½(F dᵀ + d Fᵀ)  on θ₁: a pendulum's stiffness                                        (4)
#pragma once

#include <string>
#include <vector>

#include "elodyn/mesh/mesh.hpp"
#include "elodyn/system/constraints.hpp"

namespace elodyn {

std::string describe(const Support& support);  // "clamp at `root`", the origin of its rows

std::vector<ConstraintRow> make_constraint_rows(const Body& body, const Mesh& mesh);

// Forces on the dofs, with what links and released ends pass on moved to the nodes that carry them.
VectorX carry_to_roots(const Mesh& mesh, VectorX forces);

// Entries of (4) for each link, from the forces r that the links must bear at their far nodes (so F = −r).
struct LinkStiffness {
  std::array<int, 3> rotations;  // of the root; −1: not there
  Mat3 K;
};
std::vector<LinkStiffness> calc_link_stiffness(const Mesh& mesh, const VectorX& r);

}  // namespace elodyn
