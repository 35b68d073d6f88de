#include "elodyn/io/write_report.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "elodyn/base/error.hpp"
#include "elodyn/io/output_dir.hpp"
#include "elodyn/io/report_model.hpp"
#include "elodyn/io/report_numbers.hpp"
#include "elodyn/io/report_plots.hpp"
#include "elodyn/io/report_scenes.hpp"
#include "elodyn/io/report_verdicts.hpp"
#include "elodyn/io/write_csv.hpp"
#include "elodyn/io/write_json.hpp"

extern "C" const char elodyn_page[], elodyn_page_end[];

namespace elodyn {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostCells = 2'000'000;  // of all histories: 20 MB of text
constexpr size_t kFewestRows = 2000;      // that a thinned history keeps

size_t n_cells(const Table& table) { return table.n_rows() * table.columns.size(); }

// Every `step`-th row, and those where a column is largest or least.
std::vector<size_t> thin(const Table& table, size_t step) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < table.n_rows(); row += step) rows.push_back(row);
  rows.push_back(table.n_rows() - 1);
  for (const Column& column : table.columns)
    if (const auto* values = std::get_if<std::vector<double>>(&column.values)) {
      size_t low = 0, high = 0;
      for (size_t row = 0; row < values->size(); ++row) {  // gaps are neither
        if (std::isnan((*values)[low]) || (*values)[row] < (*values)[low]) low = row;
        if (std::isnan((*values)[high]) || (*values)[row] > (*values)[high]) high = row;
      }
      rows.push_back(low);
      rows.push_back(high);
    }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

template <class T>
std::vector<T> pick(const std::vector<T>& values, const std::vector<size_t>& rows) {
  std::vector<T> out;
  out.reserve(rows.size());
  for (const size_t row : rows) out.push_back(values[row]);
  return out;
}

Json json_of(const Table& table, size_t step) {
  std::vector<size_t> rows;
  const bool is_thinned = step > 1 && table.is_history && table.n_rows() > kFewestRows;
  if (is_thinned) rows = thin(table, std::min(step, table.n_rows() / kFewestRows));
  Json columns = Json::array();
  for (const Column& column : table.columns) {
    Json values;
    if (const auto* numbers = std::get_if<std::vector<double>>(&column.values)) {
      values = exact_numbers(is_thinned ? pick(*numbers, rows) : *numbers);
    } else {
      const auto& texts = std::get<std::vector<std::string>>(column.values);
      values = is_thinned ? pick(texts, rows) : texts;
    }
    columns.push_back({{"name", column.name}, {"unit", column.unit}, {"values", std::move(values)}});
  }
  const std::string title = table.title + (is_thinned ? fmt::format(" ({} of {} rows; all in {}.csv)", rows.size(),
                                                                    table.n_rows(), file_stem(table.name))
                                                      : "");
  return {{"name", table.name}, {"title", title}, {"history", table.is_history}, {"columns", std::move(columns)}};
}

// All that results.json says but for its tables, as it says it.
Json head_of(const Results& results) {
  Results head;
  head.title = results.title;
  head.outcome = results.outcome;
  head.warnings = results.warnings;
  head.modes = results.modes;
  head.campbell = results.campbell;
  head.timings = results.timings;
  head.provenance = results.provenance;
  return Json::parse(to_json(head));
}

Json json_of(const ReportedRun& reported) {
  const Results& results = reported.results;
  const Json head = head_of(results);
  std::vector<Table> extra;
  if (!results.modes.empty() && results.find_table("modes") == nullptr)
    extra.push_back(make_modes_table(results.modes));
  size_t cells = 0;
  for (const Table& table : results.tables) cells += table.is_history ? n_cells(table) : 0;
  const size_t step = (cells + kMostCells - 1) / kMostCells;
  Json run;
  run["name"] = reported.name;
  for (const char* member : {"title", "status"}) run[member] = head[member];
  run["message"] = results.outcome.message;
  std::vector<std::string> notes;
  Json scenes = list_scenes(results.grids, notes);
  run["warnings"] = head["warnings"];
  run["verdicts"] = list_verdicts(results);
  for (const std::string& note : notes)
    run["verdicts"].push_back({{"level", "note"}, {"title", "Left out"}, {"value", ""}, {"text", note}});
  run["model"] = list_model(reported.input_echo);
  run["modes"] = Json::array();
  for (const Json& mode : head["modes"]) {
    Json& out = run["modes"].emplace_back();
    for (const char* member : {"number", "body", "omega", "hz", "growth", "label"}) out[member] = mode[member];
  }
  if (head.contains("campbell")) run["campbell"] = head["campbell"];
  for (Table& derived : derive_tables(results.tables)) extra.push_back(std::move(derived));
  run["tables"] = Json::array();
  run["plots"] = Json::array();
  for (const std::vector<Table>* tables : {&std::as_const(extra), &results.tables}) {
    for (const Table& table : *tables) run["tables"].push_back(json_of(table, step));
    for (Json& plot : list_plots(*tables)) run["plots"].push_back(std::move(plot));
  }
  run["scenes"] = std::move(scenes);
  run["timings"] = head["timings"];
  run["provenance"] = head["provenance"];
  run["files"] = reported.files;
  return run;
}

class ReportWriter final : public Writer {
 public:
  std::string_view name() const override { return "html"; }
  std::string_view summary() const override {
    return "report.html: a page for any browser, with plots and moving pictures";
  }

  std::vector<std::string> write(const RunToWrite& run) const override {
    write_file(run.dir / kReportFile,
               to_report_page({{directory_name(run.dir), run.results, run.input_echo, run.files}}));
    return {kReportFile};
  }
};

}  // namespace

std::string to_report_json(const std::vector<ReportedRun>& runs) {
  Json report = {{"version", 1}, {"runs", Json::array()}};
  for (const ReportedRun& run : runs) report["runs"].push_back(json_of(run));
  return report.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string escape_for_script(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  for (size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '<') {
      out += "\\u003c";
    } else if (const std::string_view rest = json.substr(i, 3); rest == "\u2028" || rest == "\u2029") {
      out += rest == "\u2028" ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += json[i];
    }
  }
  return out;
}

std::string to_report_page(const std::vector<ReportedRun>& runs) {
  constexpr std::string_view kPlace = "/*DATA*/";
  const std::string_view page(elodyn_page, static_cast<size_t>(elodyn_page_end - elodyn_page));
  const size_t at = page.find(kPlace);
  ELODYN_REQUIRE(at != std::string_view::npos && page.find(kPlace, at + 1) == std::string_view::npos);
  std::string out(page.substr(0, at));
  out += escape_for_script(to_report_json(runs));
  out += page.substr(at + kPlace.size());
  return out;
}

std::unique_ptr<const Writer> make_report_writer() { return std::make_unique<ReportWriter>(); }

}  // namespace elodyn
