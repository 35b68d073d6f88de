// The virtual stand's sensors: an elastic body at rest is struck by a hammer, accelerometers record.
//   z̈ + C ż + Λ z = Φᵀ f(t),   x = Φ z        modes of the body, those of the sensors' masses with it            (1)
// solved exactly for a force that is straight between the steps (matrix exponential); the steps are a part of those of
// the record. Records: ẍ·gain + σ n and f + σ n, cut at the range. Modes above 0.9 of half the rate are left out, as
// the filter in front of a converter does; what they would give below is left out with them.
// Limits: linear about the undeformed body; no gravity; the hammer adds no mass.
#pragma once

#include "elodyn/model/model.hpp"
#include "elodyn/results/measurement.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

// Needs model.measure->records. Adds the histories and a table of them.
void record_sensors(const Model& model, MeasuredData& data, Results& results);

}  // namespace elodyn
