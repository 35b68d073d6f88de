// Every element by name; a new one is one source file and one line in registry.cpp.
#pragma once

#include "elodyn/base/registry.hpp"
#include "elodyn/element/element.hpp"

namespace elodyn {

const Registry<Element>& elements();

}  // namespace elodyn
