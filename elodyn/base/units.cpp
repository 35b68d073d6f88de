#include "elodyn/base/units.hpp"

#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

#include "elodyn/base/text.hpp"

namespace elodyn {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kPound = 0.45359237, kGravity = 9.80665, kInch = 0.0254;  // exact by definition
constexpr double kPoundForce = kPound * kGravity;
constexpr size_t kLongestText = 200;
constexpr int kLargestPower = 12;

enum class Prefixes { none, metric };

struct Unit {
  std::string_view name;
  double factor;
  Dimension dimension;
  Prefixes prefixes = Prefixes::none;
  double divisor = 1;
};

// Multiples of SI as up/down, both mostly powers of ten and so exact: "10 mm" is the same number as 0.01.
struct Scale {
  double up = 1, down = 1;
  Dimension dimension;
};

constexpr Dimension kPower{{1, 2, -3, 0, 0}};

constexpr Unit kUnits[] = {
    {"m", 1, kLength, Prefixes::metric},
    {"cm", 1, kLength, Prefixes::none, 1e2},
    {"dm", 1, kLength, Prefixes::none, 1e1},
    {"in", 254, kLength, Prefixes::none, 1e4},
    {"inch", 254, kLength, Prefixes::none, 1e4},
    {"ft", 3048, kLength, Prefixes::none, 1e4},
    {"yd", 9144, kLength, Prefixes::none, 1e4},
    {"mil", 254, kLength, Prefixes::none, 1e7},
    {"kg", 1, kMass},
    {"g", 1, kMass, Prefixes::metric, 1e3},
    {"t", 1e3, kMass},
    {"lb", kPound, kMass},
    {"lbm", kPound, kMass},
    {"oz", kPound / 16, kMass},
    {"slug", kPoundForce / (12 * kInch), kMass},
    {"s", 1, kTime, Prefixes::metric},
    {"min", 60, kTime},
    {"h", 3600, kTime},
    {"rad", 1, kAngle, Prefixes::metric},
    {"deg", kPi / 180, kAngle},
    {"°", kPi / 180, kAngle},
    {"rev", 2 * kPi, kAngle},
    {"turn", 2 * kPi, kAngle},
    {"rpm", kPi / 30, kAngularSpeed},
    {"krpm", 1e3 * kPi / 30, kAngularSpeed},
    {"Hz", 1, kRate, Prefixes::metric},
    {"N", 1, kForce, Prefixes::metric},
    {"kgf", kGravity, kForce},
    {"lbf", kPoundForce, kForce},
    {"kip", 1e3 * kPoundForce, kForce},
    {"dyn", 1, kForce, Prefixes::none, 1e5},
    {"Pa", 1, kPressure, Prefixes::metric},
    {"bar", 1e5, kPressure},
    {"mbar", 1e2, kPressure},
    {"atm", 101325, kPressure},
    {"psi", kPoundForce / (kInch * kInch), kPressure},
    {"ksi", 1e3 * kPoundForce / (kInch * kInch), kPressure},
    {"Msi", 1e6 * kPoundForce / (kInch * kInch), kPressure},
    {"psf", kPoundForce / (144 * kInch * kInch), kPressure},
    {"J", 1, kMoment, Prefixes::metric},
    {"W", 1, kPower, Prefixes::metric},
    {"hp", 550 * 12 * kInch* kPoundForce, kPower},
    {"K", 1, kTemperature, Prefixes::metric},
    {"%", 1, kPlainNumber, Prefixes::none, 1e2},
};

struct Prefix {
  std::string_view name;
  double up, down;
};
constexpr Prefix kPrefixes[] = {
    {"p", 1, 1e12}, {"n", 1, 1e9}, {"u", 1, 1e6}, {"µ", 1, 1e6}, {"μ", 1, 1e6},  // micro sign and Greek mu
    {"m", 1, 1e3},  {"k", 1e3, 1}, {"M", 1e6, 1}, {"G", 1e9, 1}, {"T", 1e12, 1},
};

struct DimensionName {
  Dimension dimension;
  std::string_view name;  // with its article
  std::string_view unit;
  std::string_view example;
};
constexpr DimensionName kDimensionNames[] = {
    {kPlainNumber, "a plain number", "", "0.3"},
    {kMass, "a mass", "kg", "\"2 kg\""},
    {kLength, "a length", "m", "\"10 mm\""},
    {kTime, "a time", "s", "\"1e-3 s\""},
    {kAngle, "an angle", "rad", "\"30 deg\""},
    {kTemperature, "a temperature", "K", "\"293 K\""},
    {kRate, "a frequency or rate", "1/s", "\"0.5 1/s\""},
    {kArea, "an area", "m^2", "\"3 cm^2\""},
    {kSectionModulus, "a section modulus or volume", "m^3", "\"3 cm^3\""},
    {kSecondMoment, "a second moment of area", "m^4", "\"3 cm^4\""},
    {kDensity, "a density", "kg/m^3", "\"7800 kg/m^3\""},
    {{{1, -1, 0, 0, 0}}, "a mass per length", "kg/m", "\"2 kg/m\""},
    {kInertia, "a moment of inertia", "kg*m^2", "\"2e-3 kg*m^2\""},
    {kVelocity, "a speed", "m/s", "\"3 m/s\""},
    {kAcceleration, "an acceleration", "m/s^2", "\"9.81 m/s^2\""},
    {kForce, "a force", "N", "\"10 N\""},
    {kMoment, "a moment or energy", "N*m", "\"10 N*m\""},
    {kPower, "a power", "W", "\"2 kW\""},
    {kPressure, "a pressure", "Pa", "\"210 GPa\""},
    {kViscosity, "a viscosity", "Pa*s", "\"100 Pa*s\""},
    {kStiffness, "a stiffness or force per length", "N/m", "\"1e5 N/m\""},
    {kDamping, "a damping constant", "N*s/m", "\"20 N*s/m\""},
    {kRotationalStiffness, "a rotational stiffness", "N*m/rad", "\"10 N*m/rad\""},
    {kRotationalDamping, "a rotational damping constant", "N*m*s/rad", "\"5 N*m*s/rad\""},
    {kAngularSpeed, "an angular speed", "rad/s", "\"3000 rpm\""},
    {kAngularAcceleration, "an angular acceleration", "rad/s^2", "\"100 rad/s^2\""},
};

const DimensionName* find_name(const Dimension& dimension) {
  for (const DimensionName& entry : kDimensionNames)
    if (entry.dimension == dimension) return &entry;
  return nullptr;
}

std::optional<Scale> find_unit(std::string_view name) {
  for (const Unit& unit : kUnits)
    if (unit.name == name) return Scale{unit.factor, unit.divisor, unit.dimension};
  for (const Prefix& prefix : kPrefixes) {
    if (!name.starts_with(prefix.name)) continue;
    for (const Unit& unit : kUnits)
      if (unit.prefixes == Prefixes::metric && unit.name == name.substr(prefix.name.size()))
        return Scale{prefix.up * unit.factor, prefix.down * unit.divisor, unit.dimension};
  }
  return std::nullopt;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Bytes above 127 belong to µ and °.
bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '%' ||
         (static_cast<unsigned char>(c) & 0x80) != 0;
}

// Recursive descent over the unit; depth is bounded by the length of the text.
class UnitParser {
 public:
  UnitParser(std::string_view text, size_t start) : text_(text), at_(start) {}

  // Reads to the end of the text, or to a closing bracket inside brackets.
  std::optional<Scale> read_unit(bool in_brackets) {
    std::optional<Scale> product = read_factor();
    bool divided = false;
    while (product) {
      const size_t before = at_;
      skip_blanks();
      if (at_ == text_.size() || (in_brackets && text_[at_] == ')')) break;
      int sign = 1;
      if (take("/")) {
        sign = -1;
        divided = true;
      } else if (!take("*") && !take("·")) {
        if (text_[at_] == ')') return fail("unexpected `)`", at_, 1);
        if (at_ == before) return fail("unexpected `" + character() + "`", at_, character().size());
        if (divided)
          return fail("a blank after `/` has two meanings", before, at_ - before,
                      "write `kg/(m*s)` or `kg/m*s`, whichever is meant");
      }
      skip_blanks();
      const size_t start = at_;
      const std::optional<Scale> factor = read_factor();
      if (!factor) return std::nullopt;
      product = multiply(*product, *factor, sign, start);
    }
    return product;
  }

  UnitError error() const { return error_; }

 private:
  std::optional<Scale> read_factor() {
    skip_blanks();
    const size_t start = at_;
    std::optional<Scale> factor;
    if (take("(")) {
      factor = read_unit(true);
      if (!factor) return std::nullopt;
      if (!take(")")) return fail("`(` is not closed", start, 1);
    } else if (at_ < text_.size() && text_[at_] == '1' && (at_ + 1 == text_.size() || !is_digit(text_[at_ + 1]))) {
      ++at_;
      factor = Scale{};
    } else {
      while (at_ < text_.size() && is_name_char(text_[at_]) && !text_.substr(at_).starts_with("·")) ++at_;
      const std::string_view name = text_.substr(start, at_ - start);
      if (name.empty()) {
        if (start == text_.size()) return fail("a unit is missing", start, 1);
        return fail("unexpected `" + character() + "`", start, character().size());
      }
      factor = find_unit(name);
      if (!factor) return fail_unknown(name, start);
    }
    return take("^") ? read_power(*factor, start) : factor;
  }

  std::optional<Scale> read_power(const Scale& base, size_t start) {
    const bool bracket = take("(");
    const size_t digits = at_;
    if (at_ < text_.size() && (text_[at_] == '+' || text_[at_] == '-')) ++at_;
    int exponent = 0;
    size_t n_digits = 0;
    for (; at_ < text_.size() && is_digit(text_[at_]); ++at_, ++n_digits)
      if (exponent <= kLargestPower) exponent = 10 * exponent + (text_[at_] - '0');
    if (n_digits == 0) return fail("a power is missing after `^`", digits, 1);
    if (bracket && !take(")")) return fail("`(` is not closed", digits - 1, 1);
    if (at_ < text_.size() && text_[at_] == '.') return fail("a power must be an integer", digits, at_ + 1 - digits);
    if (exponent > kLargestPower) return fail_power(digits, at_ - digits);
    if (text_[digits] == '-') exponent = -exponent;
    const int n = std::abs(exponent);
    Scale result{std::pow(base.up, n), std::pow(base.down, n), base.dimension};
    if (exponent < 0) std::swap(result.up, result.down);
    for (int& power : result.dimension.power) power *= exponent;
    return check(result, start);
  }

  std::optional<Scale> multiply(Scale a, const Scale& b, int sign, size_t start) {
    a.up *= sign > 0 ? b.up : b.down;
    a.down *= sign > 0 ? b.down : b.up;
    for (size_t i = 0; i < a.dimension.power.size(); ++i) a.dimension.power[i] += sign * b.dimension.power[i];
    return check(a, start);
  }

  std::optional<Scale> check(const Scale& scale, size_t start) {
    for (const int power : scale.dimension.power)
      if (std::abs(power) > kLargestPower) return fail_power(start, at_ - start);
    if (!(std::isnormal(scale.up) && std::isnormal(scale.down)))
      return fail("the unit is too large or too small for a number", start, at_ - start);
    return scale;
  }

  std::optional<Scale> fail_unknown(std::string_view name, size_t start) {
    std::vector<std::string> names = unit_names();
    for (const char* common :
         {"mm", "um", "km", "kg", "mg", "ms", "us", "kN", "MN", "kPa", "MPa", "GPa", "kHz", "mrad"})
      names.emplace_back(common);
    // Two edits turn any short word into some unit: of these, only one that differs in case or by one letter.
    std::string near;
    for (const std::string& candidate : names)
      if (near.empty() && equal_but_case(candidate, name)) near = candidate;
    if (near.empty() && name.size() > 2) near = nearest_name(name, names);
    return fail("unknown unit `" + std::string(name) + "`", start, name.size(),
                near.empty() ? "known: " + join(unit_names(), ", ") : "did you mean `" + near + "`?");
  }

  static bool equal_but_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (lower(a[i]) != lower(b[i])) return false;
    return true;
  }

  std::optional<Scale> fail_power(size_t offset, size_t length) {
    return fail("a power must be from -" + std::to_string(kLargestPower) + " to " + std::to_string(kLargestPower),
                offset, length);
  }
  std::optional<Scale> fail(std::string text, size_t offset, size_t length, std::string help = {}) {
    error_ = {std::move(text), std::move(help), offset, length};
    return std::nullopt;
  }

  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  // The whole UTF-8 character at this place.
  std::string character() const {
    size_t end = at_ + 1;
    while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
    return std::string(text_.substr(at_, end - at_));
  }

  std::string_view text_;
  size_t at_;
  UnitError error_;
};

}  // namespace

std::variant<Quantity, UnitError> parse_quantity(std::string_view text) {
  if (text.size() > kLongestText) return UnitError{"the text is too long for a number with a unit", {}, 0, text.size()};
  size_t start = text.find_first_not_of(" \t");
  const auto missing = [&] {
    return UnitError{"must start with a number", "for example \"10 mm\"", start == text.npos ? 0 : start, 1};
  };
  if (start == text.npos) return missing();
  const size_t digits = start + (text[start] == '+' ? 1 : 0);
  const size_t first = digits + (digits == start && text[digits] == '-' ? 1 : 0);
  // from_chars would also take "inf" and "nan".
  if (first >= text.size() || !(is_digit(text[first]) || text[first] == '.')) return missing();
  double number = 0;
  const auto [end, failure] = std::from_chars(text.data() + digits, text.data() + text.size(), number);
  const size_t at = static_cast<size_t>(end - text.data());
  if (failure == std::errc::result_out_of_range)
    return UnitError{"the number is too large or too small", {}, start, at - start};
  if (failure != std::errc{}) return missing();

  const size_t unit_start = text.find_first_not_of(" \t", at);
  if (unit_start == text.npos) return Quantity{number, kPlainNumber};
  UnitParser parser(text, unit_start);
  const std::optional<Scale> unit = parser.read_unit(false);
  if (!unit) return parser.error();
  const double value = unit->up >= unit->down ? number * (unit->up / unit->down) : number / (unit->down / unit->up);
  if (!std::isfinite(value)) return UnitError{"the number is too large or too small", {}, start, text.size() - start};
  return Quantity{value, unit->dimension};
}

std::string describe(const Dimension& dimension) {
  const DimensionName* known = find_name(dimension);
  if (!known) return "a quantity in " + si_unit(dimension);
  return std::string(known->name) + (known->unit.empty() ? "" : " (" + std::string(known->unit) + ")");
}

std::string si_unit(const Dimension& dimension) {
  if (const DimensionName* known = find_name(dimension)) return std::string(known->unit);
  constexpr std::string_view kNames[] = {"kg", "m", "s", "rad", "K"};
  std::string above, below;
  for (size_t i = 0; i < dimension.power.size(); ++i) {
    const int power = dimension.power[i];
    std::string& side = power > 0 ? above : below;
    if (power == 0) continue;
    if (!side.empty()) side += "*";
    side += kNames[i];
    if (std::abs(power) > 1) side += "^" + std::to_string(std::abs(power));
  }
  if (above.empty()) above = "1";
  if (below.empty()) return above;
  return above + "/" + (below.find('*') == below.npos ? below : "(" + below + ")");
}

std::string example(const Dimension& dimension) {
  const DimensionName* known = find_name(dimension);
  return known ? std::string(known->example) : "\"1 " + si_unit(dimension) + "\"";
}

std::vector<std::string> unit_names() {
  std::vector<std::string> names;
  for (const Unit& unit : kUnits) names.emplace_back(unit.name);
  return names;
}

}  // namespace elodyn
