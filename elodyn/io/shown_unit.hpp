// Units as people read them: rpm for speeds, GPa and mm where a number in SI is far from 1.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "elodyn/results/results.hpp"

namespace elodyn {

// shown = value in SI · scale
struct ShownUnit {
  std::string unit;
  double scale = 1;
};

// For values of about this size, with the unit of SI; `name` is that of the column or key, which tells a speed of
// rotation from other rates: "speed", "…_speed".
ShownUnit choose_unit(std::string_view unit, double size, std::string_view name = {});
// By the largest value of a column.
ShownUnit choose_unit(const Column& column);
double largest_of(const std::vector<double>& values);  // |x|; 0 if none is finite

// "44.81 Hz", "210 GPa", "2"
std::string show(double value, std::string_view unit, std::string_view name = {});

}  // namespace elodyn
