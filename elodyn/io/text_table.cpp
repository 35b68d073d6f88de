#include "elodyn/io/text_table.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <string_view>
#include <unistd.h>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

// Code points, not bytes: names may be in any language.
size_t width(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string padded(const std::string& text, size_t to, bool right) {
  const std::string space(to - std::min(to, width(text)), ' ');
  return right ? space + text : text + space;
}

bool is_speed(const Column& column) {
  const std::string_view name = column.name;
  return column.unit == "rad/s" && (name == "speed" || name.ends_with("_speed"));
}

Column as_shown(const Column& column) {
  if (!is_speed(column)) return column;
  Column shown = column;
  shown.unit = "rpm";
  for (double& value : std::get<std::vector<double>>(shown.values)) value *= 30 / std::numbers::pi;
  return shown;
}

// Exponent of the leading digit.
int magnitude(double value) { return static_cast<int>(std::floor(std::log10(value))); }

// Zeros that end every number of a column say nothing.
void drop_common_zeros(std::vector<std::string>& numbers) {
  const auto ends_in_zero = [](const std::string& text) {
    return text.find('.') == std::string::npos || text.back() == '0';
  };
  const auto has_decimals = [](const std::string& text) { return text.find('.') != std::string::npos; };
  while (std::any_of(numbers.begin(), numbers.end(), has_decimals) &&
         std::all_of(numbers.begin(), numbers.end(), ends_in_zero)) {
    for (std::string& text : numbers)
      if (has_decimals(text)) text.pop_back();
  }
  for (std::string& text : numbers)
    if (text.ends_with('.')) text.pop_back();
}

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

// `of_one_kind`: all in one unit, so that what is round-off beside the others is a zero.
std::vector<std::string> format_numbers(const std::vector<double>& values, bool of_one_kind) {
  constexpr double kWholeBelow = 1e15;
  constexpr int kDigits = 6, kMostDigits = 10, kFewestDigits = 3, kFixedBelow = 8;
  const double roundoff = of_one_kind ? 64 * kEps * largest_of(values) : 0;
  double largest = 0;
  double smallest = INFINITY;  // apart from 0
  bool whole = true;
  for (const double value : values) {
    if (!std::isfinite(value) || std::abs(value) < roundoff) continue;
    whole = whole && value == std::round(value) && std::abs(value) < kWholeBelow;
    largest = std::max(largest, std::abs(value));
    if (value != 0) smallest = std::min(smallest, std::abs(value));
  }
  // Fixed decimals line up. The smallest number gets six digits unless the largest would then have more than ten;
  // where it cannot even keep three, each number has its own exponent.
  bool fixed = largest > 0;
  int decimals = 0;
  if (fixed && !whole) {
    decimals = std::max(0, std::min(kDigits - 1 - magnitude(smallest), kMostDigits - 1 - magnitude(largest)));
    fixed = magnitude(largest) < kFixedBelow && magnitude(largest) > -kFewestDigits &&
            decimals + magnitude(smallest) >= kFewestDigits - 1;
  }
  std::vector<std::string> out;
  out.reserve(values.size());
  for (const double value : values) {
    if (std::isnan(value))
      out.emplace_back("-");
    else if (value == 0 || std::abs(value) < roundoff)
      out.emplace_back("0");
    else if (whole)
      out.push_back(fmt::format("{:.0f}", value));
    else if (fixed)
      out.push_back(fmt::format("{:.{}f}", value, decimals));
    else
      out.push_back(fmt::format("{:.{}g}", value, kDigits));
  }
  if (fixed && !whole) drop_common_zeros(out);
  return out;
}

struct TextColumn {
  std::string header;
  std::vector<std::string> cells;
  bool right = false;
  size_t width = 0;
};

TextColumn text_column(const Column& given, size_t n_rows, bool has_units) {
  const Column column = as_shown(given);
  TextColumn text;
  text.header = column.unit.empty() ? column.name : column.name + " [" + column.unit + "]";
  if (const auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
    text.cells = format_numbers(*numbers, !(has_units && column.name == "value"));
    text.right = true;
  } else {
    text.cells = std::get<std::vector<std::string>>(column.values);
  }
  ELODYN_REQUIRE(text.cells.size() == n_rows);
  text.width = width(text.header);
  for (const std::string& cell : text.cells) text.width = std::max(text.width, width(cell));
  return text;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string line_of(const std::vector<TextColumn>& columns, const auto& cell_of) {
  std::string line;
  for (const TextColumn& column : columns) line += "  " + padded(cell_of(column), column.width, column.right);
  return trimmed(line);
}

std::string kind_of(const Mode& mode) {
  if (mode.shares.empty()) return mode.label;
  return fmt::format(
      "{} {:.1f} %",
      mode.label == mode.shares.front().first ? mode.label : mode.label + ", " + mode.shares.front().first,
      100 * mode.shares.front().second);
}

}  // namespace

Style make_style(int descriptor) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool wanted = no_color == nullptr || *no_color == '\0';
  const bool able = isatty(descriptor) == 1 && terminal != nullptr && std::string_view(terminal) != "dumb";
  return wanted && able ? Style{"\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[2m", "\x1b[0m"} : Style{};
}

std::string format_table(const Table& table, const TextTableOptions& options) {
  const size_t n_rows = table.n_rows();
  std::vector<TextColumn> columns;
  columns.reserve(table.columns.size());
  const bool has_units = std::any_of(table.columns.begin(), table.columns.end(),
                                     [](const Column& column) { return column.name == "unit"; });
  for (const Column& column : table.columns) columns.push_back(text_column(column, n_rows, has_units));

  std::string out;
  if (!table.title.empty()) out += options.style.bold + table.title + options.style.reset + "\n";
  out +=
      options.style.dim + line_of(columns, [](const TextColumn& c) { return c.header; }) + options.style.reset + "\n";
  const bool shortened = n_rows > options.max_rows;
  const size_t head = shortened ? options.max_rows / 2 : n_rows;
  const size_t tail = shortened ? options.max_rows - head : 0;
  const auto add_row = [&](size_t row) {
    out += line_of(columns, [&](const TextColumn& c) { return c.cells[row]; }) + "\n";
  };
  for (size_t row = 0; row < head; ++row) add_row(row);
  if (shortened) out += fmt::format("  … {} rows more{}\n", n_rows - head - tail, options.where_all);
  for (size_t row = n_rows - tail; row < n_rows; ++row) add_row(row);
  return out;
}

std::string format_modes(const std::vector<Mode>& modes, const TextTableOptions& options) {
  std::vector<double> number, frequency, omega, growth;
  std::vector<std::string> body, kind;
  bool several = false;
  for (const Mode& mode : modes) {
    number.push_back(mode.number);
    body.push_back(mode.body);
    frequency.push_back(mode.omega / (2 * std::numbers::pi));
    omega.push_back(mode.omega);
    growth.push_back(mode.growth);
    kind.push_back(kind_of(mode));
    several = several || mode.body != modes.front().body;
  }
  Table table{"modes", "Modes", {{"mode", "", number}}};
  if (several) table.columns.push_back({"body", "", body});
  table.columns.push_back({"frequency", "Hz", frequency});
  table.columns.push_back({"omega", "rad/s", omega});
  table.columns.push_back({"growth", "1/s", growth});
  table.columns.push_back({"kind", "", kind});
  return format_table(table, options);
}

}  // namespace elodyn
