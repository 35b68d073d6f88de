// A mechanism of rigid bodies: Model → mechanism → motion and liaison forces → Results.
// Elastic bodies move as rigid ones, with the mass properties of their mesh.
#pragma once

#include <map>
#include <string>

#include "elodyn/model/model.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

// Of the elastic bodies, by name.
std::map<std::string, MassProperties> calc_elastic_masses(const Model& model);

// What [analysis.mechanism] asks for: the summary, tables (histories among them) and the frames of an animation.
// A motion that fails or is interrupted adds what it has before it throws.
void add_mechanism(const Model& model, Results& results);

}  // namespace elodyn
