#include "elodyn/io/write_csv.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "elodyn/base/error.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/io/output_dir.hpp"

namespace elodyn {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

std::string cell(double value) { return std::isnan(value) ? std::string{} : shortest(value); }
std::string cell(const std::string& value) { return quoted(value); }

std::string header(const Column& column) {
  return quoted(column.unit.empty() ? column.name : column.name + " [" + column.unit + "]");
}

class CsvWriter final : public Writer {
 public:
  std::string_view name() const override { return "csv"; }
  std::string_view summary() const override { return "a .csv file for each table, units in the header"; }

  std::vector<std::string> write(const RunToWrite& run) const override {
    const Results& results = run.results;
    std::vector<std::string> files;
    const auto write_table = [&](const Table& table) {
      files.push_back(file_stem(table.name) + ".csv");
      write_file(run.dir / files.back(), to_csv(table));
    };
    if (!results.modes.empty() && results.find_table("modes") == nullptr) write_table(make_modes_table(results.modes));
    for (const Table& table : results.tables) write_table(table);
    return files;
  }
};

}  // namespace

std::string to_csv(const Table& table) {
  std::string out;
  const auto separator = [&](size_t i) { return i + 1 < table.columns.size() ? ',' : '\n'; };
  for (size_t i = 0; i < table.columns.size(); ++i) out += header(table.columns[i]) + separator(i);
  for (size_t row = 0; row < table.n_rows(); ++row) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      std::visit(
          [&](const auto& values) {
            ELODYN_REQUIRE(values.size() == table.n_rows());
            out += cell(values[row]);
          },
          table.columns[i].values);
      out += separator(i);
    }
  }
  return out;
}

Table make_modes_table(const std::vector<Mode>& modes) {
  std::vector<double> number, omega, frequency, growth, residual;
  std::vector<std::string> body, label, kinds;
  for (const Mode& mode : modes) {
    number.push_back(mode.number);
    body.push_back(mode.body);
    omega.push_back(mode.omega);
    frequency.push_back(mode.omega / (2 * std::numbers::pi));
    growth.push_back(mode.growth);
    label.push_back(mode.label);
    residual.push_back(mode.residual);
    for (const auto& [kind, share] : mode.shares)
      if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) kinds.push_back(kind);
  }
  std::sort(kinds.begin(), kinds.end());
  Table table{"modes", "Modes", {}};
  table.columns = {{"number", "", number},         {"body", "", body},        {"omega", "rad/s", omega},
                   {"frequency", "Hz", frequency}, {"growth", "1/s", growth}, {"label", "", label}};
  for (const std::string& kind : kinds) {
    std::vector<double> share;
    for (const Mode& mode : modes) {
      const auto found = std::find_if(mode.shares.begin(), mode.shares.end(),
                                      [&](const auto& candidate) { return candidate.first == kind; });
      const double none = mode.shares.empty() ? std::numeric_limits<double>::quiet_NaN() : 0;
      share.push_back(found == mode.shares.end() ? none : found->second);
    }
    table.columns.push_back({"share_" + kind, "", share});
  }
  table.columns.push_back({"residual", "", residual});
  return table;
}

std::unique_ptr<const Writer> make_csv_writer() { return std::make_unique<CsvWriter>(); }

}  // namespace elodyn
