#include "elodyn/results/measurand.hpp"

#include <array>
#include <cstdlib>

namespace elodyn {

std::string unit_of(Measurand quantity, int direction) {
  const bool turns = std::abs(direction) > 3;
  switch (quantity) {
    case Measurand::displacement:
      return turns ? "rad" : "m";
    case Measurand::velocity:
      return turns ? "rad/s" : "m/s";
    case Measurand::acceleration:
      return turns ? "rad/s^2" : "m/s^2";
    case Measurand::force:
      return turns ? "N m" : "N";
    case Measurand::angle:
      return "rad";
    case Measurand::rotation_speed:
      return "rad/s";
    case Measurand::strain:
      return "1";
    case Measurand::voltage:
      return "V";
    case Measurand::unknown:
      break;
  }
  return "";
}

const char* to_string(Measurand quantity) {
  static constexpr std::array kNames = {"unknown", "displacement",   "velocity", "acceleration", "force",
                                        "angle",   "rotation speed", "strain",   "voltage"};
  return kNames[static_cast<size_t>(quantity)];
}

std::optional<UnitMeaning> find_meaning(const std::string& unit) {
  constexpr double kGravity = 9.80665;
  if (unit == "g" || unit == "gn" || unit == "G") return UnitMeaning{Measurand::acceleration, false, kGravity};
  if (unit == "V") return UnitMeaning{Measurand::voltage, false, 1};
  if (unit == "mV") return UnitMeaning{Measurand::voltage, false, 1e-3};
  if (unit == "1") return UnitMeaning{Measurand::strain, false, 1};
  const auto parsed = parse_quantity("1 " + unit);
  const auto* const quantity = std::get_if<Quantity>(&parsed);
  if (!quantity) return std::nullopt;
  struct Known {
    Dimension dimension;
    Measurand quantity;
    bool is_rotational;
  };
  static const std::array kKnown = {Known{kLength, Measurand::displacement, false},
                                    Known{kVelocity, Measurand::velocity, false},
                                    Known{kAcceleration, Measurand::acceleration, false},
                                    Known{kForce, Measurand::force, false},
                                    Known{kMoment, Measurand::force, true},
                                    Known{kAngle, Measurand::angle, true},
                                    Known{kAngularSpeed, Measurand::rotation_speed, true},
                                    Known{kAngularAcceleration, Measurand::acceleration, true}};
  for (const Known& known : kKnown)
    if (known.dimension == quantity->dimension)
      return UnitMeaning{known.quantity, known.is_rotational, quantity->value};
  return std::nullopt;
}

MeasuredDof parse_dof(const std::string& text) {
  static const std::array<std::string, 6> kAxes = {"x", "y", "z", "rx", "ry", "rz"};
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon + 2 >= text.size()) return {text, 0};
  const char sign = text[colon + 1];
  const std::string axis = text.substr(colon + 2);
  for (size_t k = 0; k < kAxes.size(); ++k)
    if (axis == kAxes[k] && (sign == '+' || sign == '-'))
      return {text.substr(0, colon), (sign == '-' ? -1 : 1) * static_cast<int>(k + 1)};
  return {text, 0};
}

}  // namespace elodyn
