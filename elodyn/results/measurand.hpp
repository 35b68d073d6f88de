// Units of what was measured, as files and tables name them.
#pragma once

#include <optional>
#include <string>

#include "elodyn/base/units.hpp"
#include "elodyn/results/record.hpp"

namespace elodyn {

// SI; "" where the quantity is unknown. About an axis (direction ±4 … ±6) displacements are angles and forces moments.
std::string unit_of(Measurand quantity, int direction);
const char* to_string(Measurand quantity);

// What a unit is of: "m/s^2" → acceleration. Nothing if no measurand has its dimension. `factor`: of it in SI.
struct UnitMeaning {
  Measurand quantity = Measurand::unknown;
  bool is_rotational = false;
  double factor = 1;
};
// Besides the units of an input file: g and gn for the acceleration of gravity, V and mV.
std::optional<UnitMeaning> find_meaning(const std::string& unit);

// "5:+y", "5:-rx"; anything else is the name of a point, direction 0.
MeasuredDof parse_dof(const std::string& text);

}  // namespace elodyn
