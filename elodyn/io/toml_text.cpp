// Values → TOML text; apart from toml.cpp so that it needs no toml++.
#include <cmath>

#include "elodyn/base/text.hpp"
#include "elodyn/io/toml.hpp"

namespace elodyn {

std::string toml_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";  // not "-0", which reads back as the integer 0
  std::string text = shortest(value);
  // A long number without a point would read back as an integer, perhaps beyond 64 bits.
  if (std::abs(value) >= 1e15 && text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

std::string toml_text(const std::string& value) {
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string toml_key(const std::string& key) {
  const bool is_bare = !key.empty() && key.find_first_not_of(
                                           "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                           "0123456789_-") == key.npos;
  return is_bare ? key : toml_text(key);
}

std::string toml_text(const Value& value) {
  std::string out;
  switch (value.type) {
    case Value::Type::boolean:
      return value.boolean ? "true" : "false";
    case Value::Type::integer:
      return std::to_string(value.integer);
    case Value::Type::real:
      return toml_text(value.real);
    case Value::Type::text:
      return toml_text(value.text);
    case Value::Type::array:
      for (const Value& item : value.items) out += (out.empty() ? "" : ", ") + toml_text(item);
      return "[" + out + "]";
    case Value::Type::table:
      for (const Entry& entry : value.entries)
        out += (out.empty() ? "" : ", ") + toml_key(entry.key) + " = " + toml_text(entry.value);
      return out.empty() ? "{}" : "{ " + out + " }";
    case Value::Type::date:
      return "a date or time";
  }
  return out;
}

std::string short_text(const Value& value) {
  constexpr size_t kLongest = 60;
  if (value.is(Value::Type::table)) return "{…}";
  if (value.is(Value::Type::array) && value.items.size() > 6) return "[…]";
  std::string text = toml_text(value);
  if (text.size() <= kLongest) return text;
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "…";
}

}  // namespace elodyn
