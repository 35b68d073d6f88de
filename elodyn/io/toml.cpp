#include "elodyn/io/toml.hpp"

#include <algorithm>
#include <sstream>
#include <tuple>

#include <toml++/toml.h>

namespace elodyn {
namespace {

constexpr int kDeepestBrackets = 32;
constexpr int kDeepestKey = 16;
constexpr int kMostValues = 1000000;
constexpr int kLongestLine = 20000;

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == text.npos ? std::string_view{} : text.substr(end + 1);
  }
  return lines;
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Byte offset of a column, which counts characters from 1.
size_t offset_of_column(std::string_view line, int column) {
  size_t offset = 0;
  for (int i = 1; i < column && offset < line.size(); ++i) {
    ++offset;
    while (offset < line.size() && is_continuation(line[offset])) ++offset;
  }
  return offset;
}

int count_characters(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

// Where a text gets too deep or too much, before toml++ sees it. Knows strings and comments, nothing else.
class SizeScanner {
 public:
  explicit SizeScanner(std::string_view text) : text_(text) {}

  struct Excess {
    size_t offset;
    std::string what;
  };
  std::optional<Excess> find() {
    for (at_ = 0; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      if (c == '[' || c == '{') ++brackets_;
      if (c == ']' || c == '}') brackets_ = std::max(0, brackets_ - 1);
      if (c == '.') ++dots_;
      if (c == '[' || c == '{' || c == ']' || c == '}' || c == '=' || c == ',' || c == '\n') dots_ = 0;
      if (c == '=' || c == ',') ++values_;
      if (brackets_ > kDeepestBrackets || dots_ >= kDeepestKey)
        return Excess{at_, "nested too deep: up to " + std::to_string(kDeepestBrackets) + " brackets and " +
                               std::to_string(kDeepestKey) + " parts of a dotted key"};
      if (values_ > kMostValues) return Excess{at_, "too many values: up to " + std::to_string(kMostValues)};
      ++at_;
    }
    return std::nullopt;
  }

 private:
  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multi_line = text_.substr(at_).starts_with(triple);
    at_ += multi_line ? 3 : 1;
    while (at_ < text_.size()) {
      if (quote == '"' && text_[at_] == '\\') {
        at_ += 2;
      } else if (multi_line && text_.substr(at_).starts_with(triple)) {
        at_ += 3;
        while (at_ < text_.size() && text_[at_] == quote) ++at_;  // """" ends with a quote inside
        return;
      } else if (!multi_line && (text_[at_] == quote || text_[at_] == '\n')) {
        ++at_;
        return;
      } else {
        ++at_;
      }
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  int brackets_ = 0;
  int dots_ = 0;
  int values_ = 0;
};

Mark mark_of(const toml::source_region& region, int source) {
  Mark mark{source, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column), 1};
  constexpr int kToEndOfLine = 1 << 20;
  mark.length = region.end.line == region.begin.line
                    ? std::max(1, static_cast<int>(region.end.column) - static_cast<int>(region.begin.column))
                    : kToEndOfLine;
  if (mark.column > kLongestLine) mark.column = 0;  // its line is not shown so far
  return mark;
}

class Converter {
 public:
  Converter(std::string_view text, int source) : lines_(split_lines(text)), source_(source) {}

  Value convert(const toml::node& node) const {
    Value value;
    value.mark = mark_of(node.source(), source_);
    switch (node.type()) {
      case toml::node_type::boolean:
        value.type = Value::Type::boolean;
        value.boolean = node.as_boolean()->get();
        break;
      case toml::node_type::integer:
        value.type = Value::Type::integer;
        value.integer = node.as_integer()->get();
        break;
      case toml::node_type::floating_point:
        value.type = Value::Type::real;
        value.real = node.as_floating_point()->get();
        break;
      case toml::node_type::string:
        value.type = Value::Type::text;
        value.text = node.as_string()->get();
        value.verbatim = is_verbatim(value);
        break;
      case toml::node_type::array:
        value.type = Value::Type::array;
        value.is_array_of_tables = node.is_array_of_tables();
        for (const toml::node& item : *node.as_array()) value.items.push_back(convert(item));
        break;
      case toml::node_type::table:
        value.type = Value::Type::table;
        for (auto&& [key, item] : *node.as_table())
          value.entries.push_back({std::string(key.str()), mark_of(key.source(), source_), convert(item)});
        // toml++ sorts by name; people think in the order of the text.
        std::stable_sort(value.entries.begin(), value.entries.end(), [](const Entry& a, const Entry& b) {
          return std::tie(a.mark.line, a.mark.column) < std::tie(b.mark.line, b.mark.column);
        });
        break;
      default:
        value.type = Value::Type::date;
    }
    return value;
  }

 private:
  bool is_verbatim(const Value& value) const {
    if (value.mark.line < 1 || static_cast<size_t>(value.mark.line) > lines_.size()) return false;
    const std::string_view line = lines_[static_cast<size_t>(value.mark.line) - 1];
    const size_t offset = offset_of_column(line, value.mark.column);
    return offset < line.size() && line.substr(offset + 1).starts_with(value.text);
  }

  std::vector<std::string_view> lines_;
  int source_;
};

// In the words of an input file; toml++ speaks of the grammar.
void report(const toml::parse_error& error, std::string_view text, int source, Diagnostics& diagnostics) {
  Mark mark = mark_of(error.source(), source);
  std::string said(error.description());
  const std::vector<std::string_view> lines = split_lines(text);
  std::string_view line;
  if (mark.line >= 1 && static_cast<size_t>(mark.line) <= lines.size())
    line = lines[static_cast<size_t>(mark.line) - 1];

  if (said.find("cannot redefine existing") != said.npos) {
    const size_t open = said.find('\''), close = said.rfind('\'');
    const std::string name = open < close ? said.substr(open + 1, close - open - 1) : std::string{};
    const size_t last_part = name.rfind('.') == name.npos ? 0 : name.rfind('.') + 1;
    const size_t offset = line.rfind(name.substr(last_part), offset_of_column(line, mark.column));
    const bool is_header = said.find("table header") != said.npos || said.find("array-of-tables") != said.npos;
    if (!is_header && !name.empty() && offset != line.npos) {
      mark.column = count_characters(line.substr(0, offset)) + 1;
      mark.length = count_characters(name.substr(last_part));
    } else {
      mark.length = 1 << 20;
    }
    diagnostics.error(mark, "`" + name + "` is given twice");
    return;
  }

  if (const size_t prefix = said.find(": "); said.starts_with("Error while parsing") && prefix != said.npos)
    said = said.substr(prefix + 2);
  std::string help;
  const std::string_view before = line.substr(0, offset_of_column(line, mark.column));
  const size_t last = before.find_last_not_of(" \t");
  const bool after_number = last != before.npos && (before[last] >= '0' && before[last] <= '9');
  if (said.find("expected a comment or whitespace") != said.npos || after_number)
    help = "a value with a unit is written as a string: \"0.5 m\"";
  else if (said.find("could not determine value type") != said.npos)
    help = "a text is written in quotes: \"steel\"";
  diagnostics.error(mark, "not TOML: " + said, help);
}

}  // namespace

const Entry* Value::find(std::string_view key) const {
  const auto it = std::find_if(entries.begin(), entries.end(), [&](const Entry& entry) { return entry.key == key; });
  return it == entries.end() ? nullptr : &*it;
}
Entry* Value::find(std::string_view key) { return const_cast<Entry*>(std::as_const(*this).find(key)); }

Mark Value::mark_in_text(size_t offset, size_t length) const {
  if (!verbatim) return mark;
  offset = std::min(offset, text.size());
  Mark inside = mark;
  inside.column += 1 + count_characters(std::string_view(text).substr(0, offset));
  inside.length = std::max(1, count_characters(std::string_view(text).substr(offset, length)));
  return inside;
}

Value Value::of(bool value) {
  Value out;
  out.type = Type::boolean;
  out.boolean = value;
  return out;
}
Value Value::of(std::int64_t value) {
  Value out;
  out.type = Type::integer;
  out.integer = value;
  return out;
}
Value Value::of(double value) {
  Value out;
  out.type = Type::real;
  out.real = value;
  return out;
}
Value Value::of(std::string value) {
  Value out;
  out.type = Type::text;
  out.text = std::move(value);
  return out;
}

std::optional<Value> parse_toml(std::string_view text, int source, Diagnostics& diagnostics) {
  const auto place = [&](size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const size_t line_start = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    const int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    const int column = count_characters(before.substr(line_start)) + 1;
    return Mark{source, line, column > kLongestLine ? 0 : column, 1};
  };
  if (const size_t bad = find_invalid_utf8(text); bad != text.npos) {
    diagnostics.error(place(bad), "not UTF-8 text", "save the file with the encoding UTF-8");
    return std::nullopt;
  }
  if (const auto excess = SizeScanner(text).find()) {
    diagnostics.error(place(excess->offset), excess->what);
    return std::nullopt;
  }
  try {
    const toml::table table = toml::parse(text);
    return Converter(text, source).convert(table);
  } catch (const toml::parse_error& error) {
    report(error, text, source, diagnostics);
    return std::nullopt;
  }
}

std::optional<Value> parse_toml_value(std::string_view text, int source, int column) {
  // Blanks in front give the columns that the value has in its own source.
  const std::string key = "v=";
  const int shift = column - 1 - static_cast<int>(key.size());
  std::string document = key + std::string(text);
  Diagnostics ignored;
  std::optional<Value> table = parse_toml(document, source, ignored);
  if (!table || table->entries.size() != 1 || table->entries[0].value.mark.line != 1) return std::nullopt;
  struct Shift {
    int columns;
    void apply(Value& value) const {
      if (value.mark.line == 1) value.mark.column += columns;
      for (Value& item : value.items) apply(item);
      for (Entry& entry : value.entries) {
        if (entry.mark.line == 1) entry.mark.column += columns;
        apply(entry.value);
      }
    }
  };
  Value value = std::move(table->entries[0].value);
  Shift{shift}.apply(value);
  return value;
}

std::string cut_long_lines(std::string_view text) {
  std::string out;
  for (const std::string_view line : split_lines(text)) {
    size_t end = offset_of_column(line.substr(0, 4 * size_t{kLongestLine}), kLongestLine + 1);
    out += line.substr(0, end);
    out += end < line.size() ? "…\n" : "\n";
  }
  return out;
}

size_t find_invalid_utf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto byte = [&](size_t k) { return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u; };
    const unsigned first = byte(0);
    size_t length = 0;
    unsigned code = 0;
    if (first < 0x80) {
      ++i;
      continue;
    } else if (first >= 0xC2 && first < 0xE0) {
      length = 2, code = first & 0x1F;
    } else if (first >= 0xE0 && first < 0xF0) {
      length = 3, code = first & 0x0F;
    } else if (first >= 0xF0 && first < 0xF5) {
      length = 4, code = first & 0x07;
    } else {
      return i;
    }
    for (size_t k = 1; k < length; ++k) {
      if ((byte(k) & 0xC0) != 0x80) return i;
      code = code << 6 | (byte(k) & 0x3F);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (overlong || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return i;
    i += length;
  }
  return std::string_view::npos;
}

}  // namespace elodyn
