// A derivation for people: as text, and as a LaTeX document that needs nothing but amsmath, geometry, graphicx and
// longtable, and takes the fonts lmodern where they are.
#pragma once

#include <string>
#include <vector>

#include "elodyn/io/text_table.hpp"
#include "elodyn/results/derivation.hpp"

namespace elodyn {

// Small matrices as grids, large ones as a list of their entries that are not zero, equal ones together.
std::string format_derivation(const Derivation& derivation, const Style& style = {});
struct LatexDocument {
  std::string text;
  std::vector<std::string>
      replaced;  // signs of titles and names that pdflatex cannot set, in the text a "?"; each once
};
LatexDocument derivation_latex(const Derivation& derivation);

}  // namespace elodyn
