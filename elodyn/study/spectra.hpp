// What [analysis.spectra] asks for: records → spectra, waterfalls, orders, FRFs as tables, and the FRFs themselves.
#pragma once

#include "elodyn/model/model.hpp"
#include "elodyn/results/record.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

// Needs model.spectra with its records. Returns the FRFs, with the places of the points that the file has.
MeasuredData add_spectra(const Model& model, Results& results);

// The FRFs alone, without tables; warnings go to the results. Needs model.spectra->frf.
MeasuredData calc_measured_frfs(const Model& model, Results& results);

}  // namespace elodyn
