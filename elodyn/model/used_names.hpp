// What the bodies of a model are made of, by name.
#pragma once

#include <set>
#include <string>

#include "elodyn/model/model.hpp"

namespace elodyn {

struct UsedNames {
  std::set<std::string> materials, sections;
};
UsedNames find_used_names(const Model& model);

}  // namespace elodyn
