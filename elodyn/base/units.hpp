// Quantities as people write them: "10 mm", "210 GPa", "7800 kg/m^3", "140 rpm", "5 N*m*s/rad".
// The radian is a dimension of its own, so that "50 Hz" given for a rotor speed is a mistake and not 50 rad/s.
//   quantity = number unit        unit = factor { ("*" | "·" | " " | "/") factor }
//   factor = ( name | "1" | "(" unit ")" ) [ "^" integer ]
// A blank multiplies, but not after "/", where people disagree on what "kg/m s" means.
// Limits: no units with an offset (degC), powers up to 12, texts up to 200 characters.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace elodyn {

// Powers of kg, m, s, rad, K.
struct Dimension {
  std::array<int, 5> power{};
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

inline constexpr Dimension kPlainNumber{{0, 0, 0, 0, 0}};
inline constexpr Dimension kMass{{1, 0, 0, 0, 0}};
inline constexpr Dimension kLength{{0, 1, 0, 0, 0}};
inline constexpr Dimension kTime{{0, 0, 1, 0, 0}};
inline constexpr Dimension kAngle{{0, 0, 0, 1, 0}};
inline constexpr Dimension kRate{{0, 0, -1, 0, 0}};
inline constexpr Dimension kArea{{0, 2, 0, 0, 0}};
inline constexpr Dimension kSectionModulus{{0, 3, 0, 0, 0}};
inline constexpr Dimension kSecondMoment{{0, 4, 0, 0, 0}};
inline constexpr Dimension kDensity{{1, -3, 0, 0, 0}};
inline constexpr Dimension kInertia{{1, 2, 0, 0, 0}};
inline constexpr Dimension kVelocity{{0, 1, -1, 0, 0}};
inline constexpr Dimension kAcceleration{{0, 1, -2, 0, 0}};
inline constexpr Dimension kForce{{1, 1, -2, 0, 0}};
inline constexpr Dimension kMoment{{1, 2, -2, 0, 0}};
inline constexpr Dimension kPressure{{1, -1, -2, 0, 0}};
inline constexpr Dimension kViscosity{{1, -1, -1, 0, 0}};
inline constexpr Dimension kStiffness{{1, 0, -2, 0, 0}};  // also force per length
inline constexpr Dimension kDamping{{1, 0, -1, 0, 0}};
inline constexpr Dimension kRotationalStiffness{{1, 2, -2, -1, 0}};
inline constexpr Dimension kRotationalDamping{{1, 2, -1, -1, 0}};
inline constexpr Dimension kTemperature{{0, 0, 0, 0, 1}};  // a difference of temperatures
inline constexpr Dimension kTemperatureGradient{{0, -1, 0, 0, 1}};
inline constexpr Dimension kExpansion{{0, 0, 0, 0, -1}};
inline constexpr Dimension kAngularSpeed{{0, 0, -1, 1, 0}};
inline constexpr Dimension kAngularAcceleration{{0, 0, -2, 1, 0}};

struct Quantity {
  double value = 0;  // SI and radians; finite
  Dimension dimension;
};

struct UnitError {
  std::string text;
  std::string help;
  size_t offset = 0;  // of the culprit in the text, bytes
  size_t length = 1;
};

std::variant<Quantity, UnitError> parse_quantity(std::string_view text);

// "a pressure (Pa)", "a plain number"; without a name of its own: "a quantity in kg/s^3".
std::string describe(const Dimension& dimension);
// "Pa", "kg/m^3"; empty for a plain number.
std::string si_unit(const Dimension& dimension);
// As one would write it in an input file, with its quotes: "\"210 GPa\"".
std::string example(const Dimension& dimension);

// Every unit that may stand without a prefix.
std::vector<std::string> unit_names();

}  // namespace elodyn
