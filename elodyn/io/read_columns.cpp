#include "elodyn/io/read_columns.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/base/text.hpp"
#include "elodyn/io/table_lines.hpp"
#include "elodyn/io/toml.hpp"

namespace elodyn {
namespace {

constexpr size_t kLongestLine = 20000;  // bytes; ten numbers need a few hundred
using Cell = TableLines::Cell;

class TableReader {
 public:
  TableReader(const std::string& file_name, std::string_view text, const ColumnRules& rules, Diagnostics& diagnostics)
      : lines_(file_name, text, kLongestLine, diagnostics), rules_(rules), diagnostics_(diagnostics) {}

  std::optional<ColumnTable> read() {
    if (!lines_.check_encoding()) return std::nullopt;
    bool has_header = false;
    while (lines_.next()) {
      const std::string_view content = TableLines::trim(lines_.line());
      if (content.empty() || content[0] == '#') continue;
      if (lines_.is_too_long()) {
        if (!has_header) return std::nullopt;
        continue;
      }
      if (has_header)
        read_row();
      else if (!read_header())
        return std::nullopt;
      has_header = true;
      if (lines_.has_too_many_errors()) return std::nullopt;
    }
    if (!has_header) {
      diagnostics_.error(lines_.mark_of_file(), "the table has no header row", rules_.example);
      return std::nullopt;
    }
    if (n_rows_ < rules_.fewest_rows)
      diagnostics_.error(header_mark_,
                         "the table has " + std::to_string(n_rows_) + (n_rows_ == 1 ? " row" : " rows") +
                             " below its header, must have at least " + std::to_string(rules_.fewest_rows),
                         rules_.why_rows);
    const bool good = lines_.n_errors() == 0 && n_rows_ >= rules_.fewest_rows;
    if (!good) return std::nullopt;
    return ColumnTable{std::move(columns_), std::move(data_), std::move(marks_)};
  }

 private:
  void fail(const Cell& cell, std::string text, std::string help = {}) {
    lines_.fail(cell, std::move(text), std::move(help));
  }

  // False if the rows below cannot be understood.
  bool read_header() {
    separator_ = TableLines::find_separator(TableLines::trim(lines_.line()));
    lines_.split(separator_, cells_);
    lines_.keep_line();
    const std::string_view content = TableLines::trim(lines_.line());
    header_mark_ = lines_.mark_of_line();
    if (parse_number(cells_[0].text)) {
      fail(cells_[0], "the first row has numbers, must be a header row", rules_.example);
      return false;
    }
    for (const Cell& cell : cells_) add_column(cell);
    for (const NeededColumn& needed : rules_.needed)
      if (!find(needed.name))
        lines_.fail(cells_[0].offset, content.size(), "missing column `" + needed.name + "`", needed.meaning);
    for (const DependentColumn& column : rules_.dependent)
      if (const auto at = find(column.name); at && !find(column.needs))
        fail(cells_[*at], "column `" + column.name + "` without column `" + column.needs + "`", column.help);
    data_.resize(columns_.size());
    return true;
  }

  void add_column(const Cell& cell) {
    const std::string name(cell.text);
    columns_.emplace_back();  // unknown: its cells are not looked at
    if (name.empty()) return fail(cell, "a column without a name");
    if (std::find(rules_.known.begin(), rules_.known.end(), name) == rules_.known.end())
      return fail(cell, "unknown column " + short_name(name), suggest(name, rules_.known));
    if (find(name)) return fail(cell, "column `" + name + "` is given twice");
    columns_.back() = name;
    marks_.set(name, lines_.mark_at(cell.offset, cell.text.size()), true);
  }

  static std::string short_name(const std::string& name) {
    const bool is_plain = name.size() <= 20 && name.find_first_of("`\"\\") == name.npos &&
                          std::all_of(name.begin(), name.end(), [](char c) { return c >= ' ' && c < 0x7f; });
    return is_plain ? "`" + name + "`" : short_text(Value::of(name));
  }

  std::optional<size_t> find(const std::string& name) const {
    const auto it = std::find(columns_.begin(), columns_.end(), name);
    return it == columns_.end() ? std::nullopt : std::optional(static_cast<size_t>(it - columns_.begin()));
  }

  void read_row() {
    ++n_rows_;
    lines_.split(separator_, cells_);
    if (cells_.size() != columns_.size())
      return lines_.fail_line(std::to_string(cells_.size()) + (cells_.size() == 1 ? " cell" : " cells") + ", must be " +
                              std::to_string(columns_.size()) + " as in the header");
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].empty()) continue;
      const std::optional<double> value = read_number(columns_[i], cells_[i]);
      if (!value) continue;
      if (columns_[i] == rules_.ascending) check_ascending(cells_[i], *value);
      data_[i].push_back(*value + 0.0);  // -0 becomes 0
    }
  }

  std::optional<double> read_number(const std::string& name, const Cell& cell) {
    const std::optional<double> value = parse_number(cell.text);
    if (value && std::isfinite(*value)) return value;
    if (cell.text.empty())
      fail(cell, name + " is empty, must be a number");
    else if (value)
      fail(cell, name + " = " + TableLines::short_text_of(cell) + ", must be finite");
    else
      fail(cell, name + " = " + TableLines::short_text_of(cell) + ", must be a number",
           cell.text.find(',') != cell.text.npos ? "write a decimal point, not a comma" : "");
    return std::nullopt;
  }

  void check_ascending(const Cell& cell, double value) {
    const std::string unit = rules_.ascending_unit.empty() ? "" : " " + rules_.ascending_unit;
    if (last_ && !(value > *last_))
      fail(cell, rules_.ascending + " = " + shortest(value) + unit + ", must be above " + shortest(*last_) + unit +
                     " of line " + std::to_string(last_line_));
    last_ = value;
    last_line_ = lines_.number();
  }

  TableLines lines_;
  const ColumnRules& rules_;
  Diagnostics& diagnostics_;

  char separator_ = ',';
  Mark header_mark_;
  std::vector<std::string> columns_;  // empty: unknown
  Marks marks_;
  std::vector<Cell> cells_;
  std::vector<std::vector<double>> data_;
  size_t n_rows_ = 0;
  std::optional<double> last_;  // of the column that increases
  int last_line_ = 0;
};

}  // namespace

std::vector<double>* ColumnTable::find(const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  return it == names.end() ? nullptr : &data[static_cast<size_t>(it - names.begin())];
}

std::optional<ColumnTable> read_columns(const std::string& file_name, std::string_view text, const ColumnRules& rules,
                                        Diagnostics& diagnostics) {
  return TableReader(file_name, text, rules, diagnostics).read();
}

}  // namespace elodyn
