// One of the analyses of measured vibration, with the records that it makes: FRFs of "spectra", modes of "modal".
#pragma once

#include <string>

#include "elodyn/model/model.hpp"
#include "elodyn/results/record.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

// Numerical trouble is the outcome.
Results run_vibration(const Model& model, const std::string& name, MeasuredData& data);

}  // namespace elodyn
