// Every formalism by name; a new one is one source file and one line in registry.cpp.
#pragma once

#include "elodyn/base/registry.hpp"
#include "elodyn/formalism/formalism.hpp"

namespace elodyn {

const Registry<Formalism>& formalisms();
inline constexpr std::string_view kDefaultFormalism = "newton_euler";

}  // namespace elodyn
