// Which tables are drawn, and how: one list, a line for each kind of table. A history that is not in the list is drawn
// as lines over its first column.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "elodyn/results/results.hpp"

namespace elodyn {

// Plot[] of viewer/src/data.ts.
nlohmann::ordered_json list_plots(const std::vector<Table>& tables);

}  // namespace elodyn
