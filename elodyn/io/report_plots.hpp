// Which tables are drawn, and how: one list, a line for each kind of table. A history that is not in the list is drawn
// as lines over its first column.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "elodyn/results/results.hpp"

namespace elodyn {

// What plots need besides, for the page alone: matrices (MAC, waterfalls) as lists of their cells, complex responses as
// magnitude and phase. Names of their own: NAME_cells, NAME_polar.
std::vector<Table> derive_tables(const std::vector<Table>& tables);

// Plot[] of viewer/src/data.ts, of these and those derived from them.
nlohmann::ordered_json list_plots(const std::vector<Table>& tables);

}  // namespace elodyn
