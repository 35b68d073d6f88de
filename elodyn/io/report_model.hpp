// The effective input as a tree for the page: materials, bodies, joints, analyses, with units.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace elodyn {

// Item[] of viewer/src/data.ts, from the text of input.echo.toml. What is no such text gives none.
nlohmann::ordered_json list_model(const std::string& input_echo);

}  // namespace elodyn
