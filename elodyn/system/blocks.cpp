#include "elodyn/system/blocks.hpp"

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

// Dofs of the body on which something acts that belongs to no element, and dofs that no element has.
std::vector<bool> find_nodal(const Mesh& mesh) {
  std::vector<bool> nodal(static_cast<size_t>(mesh.n_dofs()), true);
  for (const ElementSpec& spec : mesh.elements)
    for (const int dof : spec.dofs) nodal[static_cast<size_t>(dof)] = false;
  const auto mark = [&](const std::array<int, 3>& dofs) {
    for (const int dof : dofs)
      if (dof >= 0) nodal[static_cast<size_t>(dof)] = true;
  };
  for (const auto& [point, number] : mesh.node_of_point) {  // where a point load may act
    mark(mesh.nodes[static_cast<size_t>(number)].translations());
    mark(mesh.nodes[static_cast<size_t>(number)].rotations());
  }
  for (const auto& [name, side] : mesh.sides)
    for (const int number : side.nodes) mark(mesh.nodes[static_cast<size_t>(number)].translations());
  for (const NodeLink& link : mesh.links) mark(mesh.nodes[static_cast<size_t>(link.root)].rotations());
  return nodal;
}

}  // namespace

Blocks make_blocks(const Mesh& mesh) {
  Blocks out;
  out.copy_of.assign(static_cast<size_t>(mesh.n_dofs()), -1);
  const auto add_copy = [&](int dof) {
    const auto coordinate = static_cast<int>(out.dof_of.size());
    out.dof_of.push_back(dof);
    int& first = out.copy_of[static_cast<size_t>(dof)];
    if (first < 0)
      first = coordinate;
    else
      out.identities.push_back({{{first, 1.0}, {coordinate, -1.0}}, 0, "identity"});
    return coordinate;
  };
  for (const ElementSpec& spec : mesh.elements) {
    std::vector<int>& own = out.numbering.elements.emplace_back();
    for (const int dof : spec.dofs) own.push_back(add_copy(dof));
  }
  const std::vector<bool> nodal = find_nodal(mesh);
  out.numbering.nodal.assign(nodal.size(), -1);
  for (size_t dof = 0; dof < nodal.size(); ++dof)
    if (nodal[dof]) out.numbering.nodal[dof] = add_copy(static_cast<int>(dof));
  out.numbering.size = static_cast<int>(out.dof_of.size());
  return out;
}

SparseMatrix calc_identity_complement(const Blocks& blocks) {
  const Constraints partition(blocks.numbering.size, blocks.identities);
  const auto n_dofs = static_cast<int>(blocks.copy_of.size());
  ELODYN_REQUIRE(partition.n_reduced() == n_dofs);
  // The independent coordinates are one copy of each dof, in the order of the blocks: put them in that of the body.
  SparseMatrix order(n_dofs, n_dofs);
  for (int k = 0; k < n_dofs; ++k)
    order.insert(k, blocks.dof_of[static_cast<size_t>(partition.full_of_reduced(k))]) = 1;
  return partition.T() * order;
}

AffineEquation make_block_equation(const BodySystem& system, const Blocks& blocks) {
  AffineEquation out = add_up(system, blocks.numbering);
  const size_t n_cases = system.prestress.size();
  for (size_t c = 0; c < n_cases; ++c) {
    const LoadTerm& load = out.loads[c];
    out.matrices.push_back(
        {"Kg_" + load.name, TermKind::geometric, load.factor, 1, VectorX::Zero(out.pattern->n_nonzeros())});
  }
  const Formalism& formalism = formalism_of(*system.model);
  Stations stations;
  ElementTerms t;
  for (size_t e = 0; n_cases > 0 && e < system.mesh.elements.size(); ++e) {
    const ElementSpec& spec = system.mesh.elements[e];
    const Element& element = system.element_of(spec);
    const ElementData data = system.make_element_data(spec);
    element.calc_stations(data, stations);
    formalism.derive(stations, element.n_dofs(data), system.basis, t);
    for (size_t c = 0; c < n_cases; ++c)
      add_prestress(*out.pattern, blocks.numbering.elements[e], t, system.prestress[c][e],
                    out.matrices[out.matrices.size() - n_cases + c].values);
  }
  for (size_t c = 0; c < n_cases; ++c)
    add_links(*out.pattern, blocks.numbering, system.link_stiffness[c],
              out.matrices[out.matrices.size() - n_cases + c].values);

  const Damping& damping = system.body->damping;
  out.matrices[1].values += damping.mass * out.matrices[0].values + damping.stiffness * out.matrices[2].values;
  std::erase_if(out.matrices, [&](const MatrixTerm& term) { return system.full.find(term.name) == nullptr; });
  for (size_t l = 0; l < out.loads.size(); ++l) out.loads[l].coefficient = system.full.loads[l].coefficient;
  return out;
}

std::vector<ConstraintRow> make_block_rows(const BodySystem& system, const Blocks& blocks) {
  std::vector<ConstraintRow> rows = blocks.identities;
  for (ConstraintRow row : system.rows) {
    for (auto& [dof, coefficient] : row.coefficients) dof = blocks.copy_of[static_cast<size_t>(dof)];
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace elodyn
