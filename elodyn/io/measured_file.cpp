#include "elodyn/io/measured_file.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "elodyn/base/text.hpp"
#include "elodyn/io/mesh_text.hpp"
#include "elodyn/io/write_csv.hpp"
#include "elodyn/results/measurand.hpp"

namespace elodyn {
namespace {

bool has_ending(const std::string& name, std::initializer_list<const char*> endings) {
  const std::string upper = to_upper(name);
  return std::any_of(endings.begin(), endings.end(), [&](const char* ending) { return upper.ends_with(ending); });
}
bool is_universal(const std::string& name) { return has_ending(name, {".UFF", ".UNV", ".UF"}); }
bool is_table(const std::string& name) { return has_ending(name, {".CSV", ".TSV", ".TXT"}); }

class HistoryReader {
 public:
  HistoryReader(const std::string& file_name, std::string_view text, Diagnostics& diagnostics)
      : text_(file_name, text, diagnostics), file_name_(file_name) {}

  std::optional<MeasuredData> read() {
    while (text_.next_line()) {
      if (text_.line().empty() || text_.line()[0] == '#') continue;
      if (separator_ == 0) {
        if (!read_header()) return std::nullopt;
      } else {
        read_row();
      }
      if (text_.is_hopeless()) return std::nullopt;
    }
    if (separator_ == 0)
      text_.fail_at(0, "the table has no header row", "name the columns, for example t [s], 1:+z [m/s^2]");
    if (text_.n_errors() > 0) return std::nullopt;
    if (times_.size() < 2) {
      text_.fail_at(header_line_, "the table has " + count_of(static_cast<std::int64_t>(times_.size()), "row") +
                                      " below its header, must have at least 2");
      return std::nullopt;
    }
    return finish();
  }

 private:
  std::vector<std::string_view> split(std::string_view line) const {
    std::vector<std::string_view> cells;
    for (size_t start = 0;;) {
      const size_t end = std::min(line.find(separator_, start), line.size());
      cells.push_back(trim(line.substr(start, end - start)));
      if (end == line.size()) return cells;
      start = end + 1;
    }
  }

  bool read_header() {
    separator_ = ',';
    for (const char c : {';', '\t', ','})
      if (text_.line().find(c) != std::string_view::npos) {
        separator_ = c;
        break;
      }
    header_line_ = text_.line_number();
    const std::vector<std::string_view> cells = split(text_.raw_line());
    if (parse_number(cells[0])) {
      text_.fail_part(cells[0], "the first row has numbers, must be a header row", "for example t [s], 1:+z [m/s^2]");
      return false;
    }
    if (cells.size() < 2) {
      text_.fail("the header has one column, must have the time and at least one history");
      return false;
    }
    std::set<std::string> names;
    for (size_t i = 0; i < cells.size(); ++i) {
      std::string_view name = unquoted(cells[i]), unit;
      if (const size_t open = name.rfind('['); open != name.npos && name.ends_with("]")) {
        unit = trim(name.substr(open + 1, name.size() - open - 2));
        name = trim(name.substr(0, open));
      }
      if (name.empty()) text_.fail_part(cells[i], "a column without a name");
      if (!names.insert(std::string(cells[i])).second)
        text_.fail_part(cells[i], "column " + quote(cells[i]) + " is given twice");
      if (i == 0)
        read_time_column(cells[i], std::string(unit));
      else
        read_column(cells[i], std::string(name), std::string(unit));
    }
    return text_.n_errors() == 0;
  }

  void read_time_column(std::string_view cell, const std::string& unit) {
    if (unit.empty()) return;  // s
    const auto parsed = parse_quantity("1 " + unit);
    const auto* const quantity = std::get_if<Quantity>(&parsed);
    if (!quantity || !(quantity->dimension == kTime))
      text_.fail_part(cell, "the first column has the unit " + quote(unit) + ", must be a time", "for example t [s]");
    else
      time_factor_ = quantity->value;
  }

  void read_column(std::string_view cell, const std::string& name, const std::string& unit) {
    Signal& signal = signals_.emplace_back();
    factors_.push_back(1);
    signal.name = name;
    const MeasuredDof dof = parse_dof(name);
    if (dof.direction != 0) signal.at = dof;
    if (unit.empty()) return;
    const std::optional<UnitMeaning> meaning = find_meaning(unit);
    if (!meaning)
      return text_.fail_part(cell, "the unit " + quote(unit) + " is not one of a history",
                             "for example m/s^2, g, mm/s, N, rpm, deg, V; or none");
    signal.quantity = meaning->quantity;
    signal.unit = meaning->is_rotational && signal.at.direction == 0 && meaning->quantity == Measurand::force ? "N m"
                  : meaning->is_rotational && meaning->quantity == Measurand::acceleration
                      ? "rad/s^2"
                      : unit_of(meaning->quantity, signal.at.direction);
    factors_.back() = meaning->factor;
  }

  std::optional<double> read_cell(std::string_view cell) const {
    if (separator_ != ',' && cell.find(',') != cell.npos && cell.size() < 64) {
      std::string other(cell);
      std::replace(other.begin(), other.end(), ',', '.');
      return parse_number(other);
    }
    return parse_number(cell);
  }

  void read_row() {
    const std::vector<std::string_view> cells = split(text_.raw_line());
    if (cells.size() != signals_.size() + 1)
      return text_.fail(count_of(static_cast<std::int64_t>(cells.size()), "cell") + ", must be " +
                        std::to_string(signals_.size() + 1) + " as in the header");
    const std::optional<double> time = read_cell(cells[0]);
    if (!time || !std::isfinite(*time))
      return text_.fail_part(cells[0], "the time is " + quote(cells[0]) + ", must be a number");
    const double t = *time * time_factor_;
    if (!times_.empty() && !(t > times_.back()))
      return text_.fail_part(cells[0], "the time " + quote(cells[0]) + " is not after that of the row before");
    times_.push_back(t);
    for (size_t k = 0; k < signals_.size(); ++k) {
      const std::string_view cell = cells[k + 1];
      std::optional<double> value = std::numeric_limits<double>::quiet_NaN();
      if (!cell.empty()) value = read_cell(cell);
      if (!value || std::isinf(*value)) {
        text_.fail_part(cell, quote(cell) + " must be a number, or empty");
        value = 0;
      }
      signals_[k].values.push_back(factors_[k] * *value);
    }
  }

  MeasuredData finish() {
    MeasuredData data;
    data.sources.push_back(file_name_);
    // Even, but for the rounding of the printed times.
    constexpr double kJitter = 0.02;  // of a step
    const double start = times_.front(), step = (times_.back() - start) / static_cast<double>(times_.size() - 1);
    bool is_even = true;
    for (size_t i = 0; i < times_.size(); ++i)
      is_even = is_even && std::abs(times_[i] - start - step * static_cast<double>(i)) <= kJitter * step;
    for (Signal& signal : signals_) {
      signal.start = is_even ? start : 0;
      signal.step = is_even ? step : 0;
      if (!is_even) signal.times = times_;
    }
    data.signals = std::move(signals_);
    return data;
  }

  MeshText text_;
  std::string file_name_;
  char separator_ = 0;
  int header_line_ = 0;
  double time_factor_ = 1;
  std::vector<Signal> signals_;
  std::vector<double> factors_, times_;
};

std::string to_table_text(const MeasuredData& data) {
  if (data.signals.empty())
    throw InputError("there are no histories, and a table of text has no place for anything else");
  const Signal& first = data.signals.front();
  Table table{"histories", "Histories", {}};
  std::vector<double> times;
  for (size_t k = 0; k < first.values.size(); ++k) times.push_back(first.time(k));
  table.columns.push_back({"t", "s", times});
  for (const Signal& signal : data.signals) {
    if (signal.values.size() != first.values.size() || signal.start != first.start || signal.step != first.step ||
        signal.times != first.times)
      throw InputError("the histories `" + first.name + "` and `" + signal.name +
                       "` have different times; write a universal file (.uff)");
    const std::string dof = signal.at.name();
    table.columns.push_back({dof.empty() || signal.at.direction == 0 ? signal.name : dof, signal.unit, signal.values});
  }
  return to_csv(table);
}

}  // namespace

std::optional<MeasuredData> read_histories(const std::string& file_name, std::string_view text,
                                           Diagnostics& diagnostics) {
  return HistoryReader(file_name, text, diagnostics).read();
}

std::shared_ptr<const MeasuredData> read_measured(const std::string& file_name, std::string_view text,
                                                  Diagnostics& diagnostics) {
  if (!describe_wrong_name(file_name).empty()) {
    diagnostics.error({diagnostics.add_source(file_name, ""), 0, 0, 1}, describe_wrong_name(file_name));
    return nullptr;
  }
  std::optional<MeasuredData> data =
      is_universal(file_name) ? read_uff(file_name, text, diagnostics) : read_histories(file_name, text, diagnostics);
  return data ? std::make_shared<const MeasuredData>(std::move(*data)) : nullptr;
}

std::string describe_wrong_name(const std::string& file_name) {
  if (is_universal(file_name) || is_table(file_name)) return {};
  return "the name `" + file_name +
         "` must end in .uff or .unv (a universal file) or in .csv, .tsv or .txt (histories)";
}

std::string to_measured_text(const std::string& file_name, const MeasuredData& data, const UffFormat& format) {
  ELODYN_REQUIRE(describe_wrong_name(file_name).empty());
  return is_universal(file_name) ? to_uff(data, format) : to_table_text(data);
}

}  // namespace elodyn
