// What [analysis.correlate] asks for: measured modes beside those of a body, on the dofs that were measured.
#pragma once

#include "elodyn/model/model.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

// Needs model.correlate, with its modes or with model.modal.
void add_correlate(const Model& model, Results& results);

}  // namespace elodyn
