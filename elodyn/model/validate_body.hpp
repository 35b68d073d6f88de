// The part of validate() that looks at one body.
#pragma once

#include "elodyn/model/validate.hpp"

namespace elodyn {

void validate_body(const Model& model, const Body& body, const KnownNames& names, Diagnostics& diagnostics);

}  // namespace elodyn
