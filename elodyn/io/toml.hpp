// TOML text → a tree of values, each with the place where it was written. toml++ stays behind toml.cpp.
// Limits: brackets nest up to 32 deep and a dotted key has up to 16 parts (toml++ destroys its tree recursively and
// would overflow the stack on a hostile file); a file has up to a million values. Columns beyond 20000 are not kept.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elodyn/base/error.hpp"

namespace elodyn {

struct Entry;

struct Value {
  enum class Type { boolean, integer, real, text, array, table, date };
  Type type = Type::table;
  Mark mark;
  bool boolean = false;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  bool verbatim = false;       // text stands in the source as it is, one column after the mark
  std::vector<Value> items;    // array
  std::vector<Entry> entries;  // table, in the order of the text
  bool is_array_of_tables = false;

  bool is(Type wanted) const { return type == wanted; }
  bool is_number() const { return is(Type::integer) || is(Type::real); }
  double number() const { return is(Type::integer) ? static_cast<double>(integer) : real; }
  const Entry* find(std::string_view key) const;
  Entry* find(std::string_view key);

  // The place of some bytes of a text.
  Mark mark_in_text(size_t offset, size_t length) const;

  static Value of(bool value);
  static Value of(std::int64_t value);
  static Value of(double value);
  static Value of(std::string value);
};

struct Entry {
  std::string key;
  Mark mark;  // of the key
  Value value;
};

// Reports the first mistake of the text (toml++ stops there) and returns nothing.
std::optional<Value> parse_toml(std::string_view text, int source, Diagnostics& diagnostics);

// What follows `key =`, placed at `column` of line 1 of the source. Mistakes are not reported: nothing is returned.
std::optional<Value> parse_toml_value(std::string_view text, int source, int column);

// A value as TOML; a table inline. Numbers read back to the same bits.
std::string toml_text(const Value& value);
std::string toml_text(double value);
std::string toml_text(const std::string& value);
// A key, in quotes where TOML needs them.
std::string toml_key(const std::string& key);
// For messages: toml_text, cut when long.
std::string short_text(const Value& value);

// The text as diagnostics need it: without the far ends of very long lines.
std::string cut_long_lines(std::string_view text);

// Offset of the first byte that is not UTF-8, or npos.
size_t find_invalid_utf8(std::string_view text);

}  // namespace elodyn
