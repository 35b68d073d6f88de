// Grids as the page draws them: bodies with their shapes, and animations.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "elodyn/results/results.hpp"

namespace elodyn {

// Scene[] of viewer/src/data.ts: one for the modes of all bodies, one for their steady states and so on, and one for
// each animation. What would make the page too large to open is left out and said in `notes`.
nlohmann::ordered_json list_scenes(const std::vector<Grid>& grids, std::vector<std::string>& notes);

}  // namespace elodyn
