// What single keys cannot show: names of nothing, geometry without length or mesh, motions that the equation does not
// cover, things that contradict each other. After this nothing of a model is doubted any more.
#pragma once

#include <string>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/model/model.hpp"

namespace elodyn {

// What other layers offer by name; an empty list: not checked.
struct KnownNames {
  std::vector<std::string> elements, formalisms;
  std::vector<std::string> integrators = {};
};

void validate(const Model& model, const KnownNames& names, Diagnostics& diagnostics);

}  // namespace elodyn
