// Commented starting files for `elodyn new KIND`.
#pragma once

#include <string>
#include <vector>

namespace elodyn {

std::vector<std::string> new_kinds();  // the first is the default
// Empty for an unknown kind.
std::string new_model(const std::string& kind);

}  // namespace elodyn
