// A derivation for people: as text, and as a LaTeX document that needs nothing but amsmath, geometry and graphicx.
#pragma once

#include <string>

#include "elodyn/io/text_table.hpp"
#include "elodyn/results/derivation.hpp"

namespace elodyn {

// Small matrices as grids, large ones as a list of their entries that are not zero, equal ones together.
std::string format_derivation(const Derivation& derivation, const Style& style = {});
std::string derivation_latex(const Derivation& derivation);

}  // namespace elodyn
