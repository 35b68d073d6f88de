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
  std::vector<std::string> elements;
  std::vector<std::string> formalisms;              // of elements
  std::vector<std::string> system_formalisms = {};  // that make matrices from those
  std::vector<std::string> motion_formalisms = {};  // that give a motion and no matrices
  std::vector<std::string> integrators = {};
  // What will be computed, where a command asks for it and not the file: "modes", "matrices", …
  std::vector<std::string> wanted = {};
};

void validate(const Model& model, const KnownNames& names, Diagnostics& diagnostics);

}  // namespace elodyn
