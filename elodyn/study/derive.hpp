// Model → the equation of its elements as a formalism derives it: one element of each kind, term by term.
// With symbols the components are along the element's own axes; the frame turns about those of them that its motion
// needs. Elements that have no symbols, or if numbers are asked for: numbers in body axes, as `elodyn matrices` has
// them.
#pragma once

#include "elodyn/model/model.hpp"
#include "elodyn/results/derivation.hpp"

namespace elodyn {

struct DeriveOptions {
  bool numbers = false;  // no symbols
};
Derivation derive_elements(const Model& model, const DeriveOptions& options);

}  // namespace elodyn
