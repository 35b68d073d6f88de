// Σ elements → the affine equation of a body in q; and the same seen from one element.
#pragma once

#include <memory>
#include <vector>

#include "elodyn/system/system.hpp"

namespace elodyn {

// Where the coordinates of elements, links and point loads stand in an equation: shared by those that meet (index
// assembly), or each element with its own (blocks.hpp).
struct Numbering {
  int size = 0;
  std::vector<std::vector<int>> elements;  // the coordinates of each element of the mesh
  std::vector<int> nodal;  // for each dof of the body: where point loads and links act on it; −1: none does
};
Numbering number_by_index(const Mesh& mesh);
std::shared_ptr<const SparsePattern> make_pattern(const Mesh& mesh, const Numbering& numbering);

// Σ elements by the model's formalism and the applied loads, in these numbers: all terms but Kg.
AffineEquation add_up(const BodySystem& system, const Numbering& numbering);
AffineEquation add_up(const BodySystem& system, const Numbering& numbering,
                      std::shared_ptr<const SparsePattern> pattern);

// Fills the terms of system.full (all but Kg): by index, or by projection of unassembled blocks (blocks.hpp) if the
// model asks for a formalism for systems.
void assemble(BodySystem& system);

// Adds Kg: one static solve for each load term, then the prestress of each element times its moment matrices.
void add_geometric_stiffness(BodySystem& system);

// Kg of one load term in these numbers, for prestress that is known; `terms` are those of the element.
void add_prestress(const SparsePattern& pattern, const std::vector<int>& dofs, const ElementTerms& terms,
                   const VectorX& prestress, VectorX& Kg);
void add_links(const SparsePattern& pattern, const Numbering& numbering, const std::vector<LinkStiffness>& links,
               VectorX& Kg);

// The formalism that derives the equations of elements.
const Formalism& formalism_of(const Model& model);
// Whether they are joined by projection of unassembled blocks instead of by index.
bool projects_blocks(const Model& model);

// Adds a rigid acceleration of the element, given by its dofs, to the inertia field of its state.
void add_rigid_acceleration(const Mesh& mesh, const ElementSpec& spec, const VectorX& acceleration,
                            ElementState& state);

VectorX gather(const std::vector<int>& dofs, const VectorX& values);

// The zero-order inertia field and the member load that a unit of one load term means inside an element.
ElementState unit_state(const BodySystem& system, const LoadTerm& term, const MemberLoad& applied);

// The sum of what acts on each member and area, case by case (find_load_cases).
class ElementLoads {
 public:
  explicit ElementLoads(const Body& body);
  int n_cases() const { return static_cast<int>(cases_.size()); }
  // Zero for what stands at points.
  const MemberLoad& on(const ElementSpec& spec, int load_case) const;
  // Of the case that this factor multiplies; zero if it is one of the motion.
  const MemberLoad& on(const ElementSpec& spec, const Factor& factor) const;

 private:
  struct Case {
    std::vector<MemberLoad> members, areas;  // empty: none
  };
  std::vector<Case> cases_;
};

// An element's own share of a unit of a load term, as the formalism derived it.
VectorX own_share(const BodySystem& system, const LoadTerm& load, const ElementTerms& terms, const MemberLoad& applied);

}  // namespace elodyn
