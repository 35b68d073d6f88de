#include "elodyn/io/stability_map.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

constexpr size_t kWidest = 72, kHighest = 40;

std::vector<double> distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// Equal steps through a list so that at most `most` remain, its ends among them if they fit.
std::vector<double> thinned(const std::vector<double>& all, size_t most) {
  if (all.size() <= most) return all;
  const size_t step = (all.size() - 1 + most - 2) / (most - 1);
  std::vector<double> kept;
  for (size_t i = 0; i < all.size(); i += step) kept.push_back(all[i]);
  return kept;
}

char sign_of(const std::string& kind) {
  return kind == "stable" ? '.' : kind == "divergence" ? 'D' : kind == "flutter" ? 'F' : ' ';
}

// People read speeds in rpm, as in tables.
bool is_speed(const Column& column) { return column.unit == "rad/s"; }

std::string value_text(const Column& column, double value) {
  return fmt::format("{:.6g}", is_speed(column) ? value * 30 / std::numbers::pi : value);
}

std::string label_of(const Column& column) {
  const std::string unit = is_speed(column) ? "rpm" : column.unit;
  return column.name + (unit.empty() ? "" : " [" + unit + "]");
}

}  // namespace

std::string format_stability_map(const Table& table, const Style& style) {
  size_t n_parameters = 0;
  while (n_parameters < table.columns.size() && table.columns[n_parameters].name != "growth") ++n_parameters;
  ELODYN_REQUIRE(n_parameters >= 1 && n_parameters <= 2 && n_parameters + 1 < table.columns.size());
  const auto numbers = [&](size_t c) { return std::get<std::vector<double>>(table.columns[c].values); };
  const auto& kinds = std::get<std::vector<std::string>>(table.columns[n_parameters + 1].values);
  std::string out = style.bold + table.title + style.reset + "\n";
  if (kinds.empty()) return out + "  no point is finished\n";
  const std::vector<double> x = numbers(0), y = n_parameters == 2 ? numbers(1) : std::vector<double>(x.size(), 0);
  std::map<std::pair<double, double>, char> signs;
  for (size_t i = 0; i < x.size(); ++i) signs[{x[i], y[i]}] = sign_of(kinds[i]);

  const std::vector<double> all_x = distinct(x), all_y = distinct(y);
  const std::vector<double> columns = thinned(all_x, kWidest);
  std::vector<double> rows = thinned(all_y, kHighest);
  std::reverse(rows.begin(), rows.end());
  std::vector<std::string> labels;
  size_t width = 0;
  for (const double value : rows) {
    labels.push_back(n_parameters == 2 ? value_text(table.columns[1], value) : "");
    width = std::max(width, labels.back().size());
  }
  if (n_parameters == 2) out += "  " + label_of(table.columns[1]) + "\n";
  for (size_t r = 0; r < rows.size(); ++r) {
    out += fmt::format("  {:>{}} ", labels[r], width);
    std::string line;
    for (const double value : columns) {
      const auto it = signs.find({value, rows[r]});
      line += it == signs.end() ? ' ' : it->second;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  const std::string first = value_text(table.columns[0], columns.front()),
                    last = value_text(table.columns[0], columns.back());
  const size_t gap = columns.size() > first.size() + last.size() ? columns.size() - first.size() - last.size() : 1;
  out += std::string(width + 3, ' ') + first + std::string(gap, ' ') + last + "  " + label_of(table.columns[0]) + "\n";
  out += "  . stable  D divergence  F flutter";
  if (columns.size() < all_x.size() || rows.size() < all_y.size())
    out += fmt::format("; {} x {} of {} x {} points", columns.size(), rows.size(), all_x.size(), all_y.size());
  return out + "\n";
}

}  // namespace elodyn
