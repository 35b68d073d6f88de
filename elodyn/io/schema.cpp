#include "elodyn/io/schema.hpp"

#include <algorithm>

#include "elodyn/base/text.hpp"

namespace elodyn {
namespace detail {

Value to_value(bool value) { return Value::of(value); }
Value to_value(int value) { return Value::of(std::int64_t{value}); }
Value to_value(double value) { return Value::of(value); }
Value to_value(const std::string& value) { return Value::of(value); }

namespace {
template <class Range, class Convert>
Value to_array(const Range& range, const Convert& convert) {
  Value array;
  array.type = Value::Type::array;
  for (const auto& item : range) array.items.push_back(convert(item));
  return array;
}
}  // namespace

Value to_value(const AnyQuantity& value) {
  if (value.has_unit) return Value::of(toml_text(value.value) + " " + si_unit(value.dimension));
  return value.is_integer ? Value::of(static_cast<std::int64_t>(value.value)) : Value::of(value.value);
}
Value to_value(const Vec3& value) {
  return to_array(std::array{value.x(), value.y(), value.z()}, [](double x) { return Value::of(x); });
}
Value to_value(const std::vector<double>& value) {
  return to_array(value, [](double x) { return Value::of(x); });
}
Value to_value(const std::vector<double>& value, const std::optional<Dimension>& dimension) {
  return to_array(value, [&](double x) {
    return dimension ? to_value(AnyQuantity{x, *dimension, true, false}) : Value::of(x);
  });
}
Value to_value(const std::vector<std::string>& value) {
  return to_array(value, [](const std::string& x) { return Value::of(x); });
}
Value to_value(const Expression& value) {
  const bool is_number = value.is_constant() && value.text() == shortest(value(0));
  return is_number ? Value::of(value(0)) : Value::of(value.text());
}
Value to_value(const std::array<Expression, 3>& value) {
  return to_array(value, [](const Expression& x) { return to_value(x); });
}

}  // namespace detail

std::string with_article(const std::string& noun) {
  return (std::string("aeio").find(noun.front()) == std::string::npos ? "a " : "an ") + noun;
}

bool Key::is_in_range(double value) const {
  if (!integers.empty())
    return std::any_of(integers.begin(), integers.end(), [&](int allowed) { return value == allowed; });
  if (minimum && (excludes_minimum ? !(value > *minimum) : !(value >= *minimum))) return false;
  if (maximum && (excludes_maximum ? !(value < *maximum) : !(value <= *maximum))) return false;
  return true;
}

std::string Key::range_text() const {
  // Bounds are small or round; 1000000 reads better than 1e+06.
  const auto number = [](double bound) {
    return bound == static_cast<double>(static_cast<long long>(bound)) ? std::to_string(static_cast<long long>(bound))
                                                                       : shortest(bound);
  };
  if (!integers.empty()) {
    std::string out;
    for (size_t i = 0; i < integers.size(); ++i)
      out += (i == 0 ? "" : i + 1 == integers.size() ? " or " : ", ") + std::to_string(integers[i]);
    return out;
  }
  if (minimum && maximum && !excludes_minimum && !excludes_maximum)
    return "from " + number(*minimum) + " to " + number(*maximum);
  std::string out;
  if (minimum) out += (excludes_minimum ? "above " : "at least ") + number(*minimum);
  if (minimum && maximum) out += " and ";
  if (maximum) out += (excludes_maximum ? "below " : "at most ") + number(*maximum);
  return out;
}

const Key* TableSchema::find(const std::string& name) const {
  const auto it = std::find_if(keys.begin(), keys.end(), [&](const Key& key) { return key.name == name; });
  return it == keys.end() ? nullptr : &*it;
}

std::optional<Value> TableSchema::default_of(const Key& key) const {
  if (key.is_required || !key.write) return std::nullopt;
  std::optional<Value> value = key.write(defaults.get());
  if (value && value->is_number() && !key.is_in_range(value->number())) return std::nullopt;
  return value;
}

bool TableSchema::applies(const Key& key, const void* object) const {
  if (key.condition_key.empty()) return true;
  const Key* choice = find(key.condition_key);
  ELODYN_REQUIRE(choice != nullptr);
  const std::optional<Value> chosen = choice->write(object);
  return chosen && std::find(key.condition_values.begin(), key.condition_values.end(), chosen->text) !=
                       key.condition_values.end();
}

}  // namespace elodyn
