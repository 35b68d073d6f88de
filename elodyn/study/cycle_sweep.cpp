#include "elodyn/study/cycle_sweep.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/stopwatch.hpp"
#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

constexpr const char *kCycle = "_cycle", *kAngle = "_angle";

const std::vector<double>& numbers(const Column& column) { return std::get<std::vector<double>>(column.values); }

// Rows of tables of the same kind one below the other, each with the value that it belongs to in front.
class Stack {
 public:
  Stack(std::string name, std::string title, bool is_history) : table_{std::move(name), std::move(title), {}} {
    table_.is_history = is_history;
  }

  // `front` is put before each row of `part`, whose columns may be fewer or more than those before.
  void add(const std::vector<Column>& front, const Table& part) {
    const size_t rows = part.n_rows();
    for (const Column& column : front)
      put(column.name, column.unit, std::vector<double>(rows, numbers(column).front()));
    for (const Column& column : part.columns) {
      if (const auto* values = std::get_if<std::vector<double>>(&column.values))
        put(column.name, column.unit, *values);
      else
        put(column.name, column.unit, std::get<std::vector<std::string>>(column.values));
    }
    n_rows_ += rows;
    for (Column& column : table_.columns) std::visit([&](auto& values) { fill(values); }, column.values);
  }
  bool is_empty() const { return n_rows_ == 0; }
  Table take() { return std::move(table_); }

 private:
  void fill(std::vector<double>& values) const { values.resize(n_rows_, std::nan("")); }
  void fill(std::vector<std::string>& values) const { values.resize(n_rows_); }
  template <class Values>
  void put(const std::string& name, const std::string& unit, const Values& more) {
    auto found = std::find_if(table_.columns.begin(), table_.columns.end(),
                              [&](const Column& column) { return column.name == name; });
    if (found == table_.columns.end()) {
      Values before;
      before.resize(n_rows_);
      if constexpr (std::is_same_v<Values, std::vector<double>>) std::fill(before.begin(), before.end(), std::nan(""));
      found = table_.columns.insert(table_.columns.end(), Column{name, unit, std::move(before)});
    }
    auto& values = std::get<Values>(found->values);
    values.insert(values.end(), more.begin(), more.end());
  }

  Table table_;
  size_t n_rows_ = 0;
};

// Of the joint whose turns are the cycle, over the history's first column, the time. NaN: there is none.
double calc_mean_rpm(const Table& history) {
  const std::vector<double>& t = numbers(history.columns.front());
  for (const Column& column : history.columns)
    if (column.name.ends_with(kAngle))
      return (numbers(column).back() - numbers(column).front()) / 360 / (t.back() - t.front()) * 60;
  return std::nan("");
}

}  // namespace

void add_cycle_sweep(const SweepParameter& over, const std::function<Model(double value)>& make, Results& results) {
  const Stopwatch watch;
  Stack summary("cycle_over", fmt::format("Frequencies over a cycle for each value of {}", over.name()), false);
  std::vector<std::pair<std::string, Stack>> histories;
  const auto history_of = [&](const std::string& name) -> Stack& {
    for (auto& [known, stack] : histories)
      if (known == name) return stack;
    const std::string body = name.substr(0, name.size() - std::string(kCycle).size());
    return histories
        .emplace_back(
            name,
            Stack(name + "_over",
                  fmt::format("Frequencies of body `{}` over a cycle for each value of {}", body, over.name()), true))
        .second;
  };
  std::map<std::string, int> warnings;
  Progress progress("cycles", over.count);
  for (int k = 0; k < over.count; ++k) {
    const double value = over.value(k);
    const Results one = run_analysis(make(value), "cycle");
    if (one.outcome.status == "interrupted") {
      results.outcome.interrupt(!summary.is_empty());
      break;
    }
    if (!one.outcome.ok())
      results.outcome.fail(fmt::format("cycle, {} = {:.6g}: {}", over.name(), value, one.outcome.message));
    for (const std::string& warning : one.warnings) ++warnings[warning];
    std::vector<Column> front = {{over.name(), over.unit(), std::vector<double>{value}}};
    const auto is_history = [](const Table& table) { return table.name.ends_with(kCycle); };
    for (const Table& table : one.tables)
      if (const double rpm = is_history(table) ? calc_mean_rpm(table) : std::nan(""); !std::isnan(rpm)) {
        front.push_back({"mean_speed", "rpm", std::vector<double>{rpm}});
        break;
      }
    for (const Table& table : one.tables)
      if (is_history(table))
        history_of(table.name).add(front, table);
      else if (table.name == "cycle")
        summary.add(front, table);
    progress.advance();
  }
  // What every cycle has to be told is told by that of the file's own values.
  for (const auto& [text, count] : warnings)
    if (count < over.count &&
        std::find(results.warnings.begin(), results.warnings.end(), text) == results.warnings.end())
      results.warnings.push_back(text);
  if (!summary.is_empty()) results.tables.push_back(summary.take());
  for (auto& [name, stack] : histories) results.tables.push_back(stack.take());
  results.timings["cycle_over"] = watch.seconds();
}

}  // namespace elodyn
