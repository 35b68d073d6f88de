// What [analysis.modal] asks for: measured FRFs → modes, as tables and as records.
#pragma once

#include "elodyn/model/model.hpp"
#include "elodyn/results/record.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

// Needs model.modal, with its FRFs or with model.spectra->frf. Returns the modes, with the places of the points.
MeasuredData add_modal(const Model& model, Results& results);

// The modes alone, without tables; warnings go to the results.
MeasuredData calc_measured_modes(const Model& model, Results& results);

}  // namespace elodyn
