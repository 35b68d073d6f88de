#include "elodyn/io/shown_unit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

namespace elodyn {
namespace {

// From `from` on, in the unit of SI; the first one that fits is taken.
struct Prefixed {
  std::string_view si;
  double from;
  const char* unit;
  double scale;
};
constexpr Prefixed kPrefixed[] = {
    {"Pa", 1e9, "GPa", 1e-9}, {"Pa", 1e5, "MPa", 1e-6},   {"Pa", 1e3, "kPa", 1e-3}, {"m", 0.1, "m", 1},
    {"m", 1e-4, "mm", 1e3},   {"m", 1e-9, "µm", 1e6},     {"N", 1e4, "kN", 1e-3},   {"N m", 1e4, "kN m", 1e-3},
    {"W", 1e4, "kW", 1e-3},   {"s", 0.1, "s", 1},         {"s", 1e-4, "ms", 1e3},   {"s", 1e-9, "µs", 1e6},
    {"Hz", 1e4, "kHz", 1e-3}, {"N/m", 1e6, "MN/m", 1e-6},
};

}  // namespace

ShownUnit choose_unit(std::string_view given, double size, std::string_view name) {
  std::string unit(given);
  std::replace(unit.begin(), unit.end(), '*', ' ');
  if (unit == "rad/s" && (name == "speed" || name.ends_with("_speed"))) return {"rpm", 30 / std::numbers::pi};
  for (const Prefixed& p : kPrefixed)
    if (p.si == unit && std::abs(size) >= p.from) return {p.unit, p.scale};
  return {unit, 1};
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

ShownUnit choose_unit(const Column& column) {
  const auto* values = std::get_if<std::vector<double>>(&column.values);
  return choose_unit(column.unit, values ? largest_of(*values) : 0, column.name);
}

std::string show(double value, std::string_view unit, std::string_view name) {
  const ShownUnit as = choose_unit(unit, value, name);
  return fmt::format("{:.4g}{}{}", value * as.scale, as.unit.empty() ? "" : " ", as.unit);
}

}  // namespace elodyn
