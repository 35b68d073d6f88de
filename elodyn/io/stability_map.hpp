// A stability map as a picture of characters: x to the right, y upward, one sign for each point.
//   . stable   D divergence   F flutter   (blank) no model
#pragma once

#include <string>

#include "elodyn/io/text_table.hpp"

namespace elodyn {

// Of the table "stability": one or two columns of parameters before `growth`. Wide or high maps are thinned out, and
// said to be.
std::string format_stability_map(const Table& table, const Style& style = {});

}  // namespace elodyn
