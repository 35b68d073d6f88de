// The forces that joints, supports and loads at points pass to the ends of each element, as a table: the blocks of Aᵀλ
// of the formalisms that begin with elements which are not joined (system/block_system.hpp, docs/theory/maggi.md).
// What acts on the curvatures of quintic elements and on coordinates inside an element is neither a force nor a moment
// and is left out.
#pragma once

#include <string>
#include <vector>

#include "elodyn/results/results.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

// Adds the table BODY_liaison_forces of a state at time t, body axes; nothing if the model's formalism knows no such
// forces. A body that is too large for it gets a warning instead.
void add_liaison_table(const BodySystem& s, double t, const VectorX& q, const VectorX& q_rate,
                       std::vector<Table>& tables, std::vector<std::string>& warnings);

}  // namespace elodyn
