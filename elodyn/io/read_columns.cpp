#include "elodyn/io/read_columns.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/base/text.hpp"
#include "elodyn/io/toml.hpp"

namespace elodyn {
namespace {

constexpr int kMostErrors = 20;
constexpr size_t kLongestLine = 20000;  // bytes; ten numbers need a few hundred

struct Cell {
  std::string_view text;  // without the spaces around it
  size_t offset = 0;      // in the line
};

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  return first == text.npos ? text.substr(0, 0) : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

void split(std::string_view line, char separator, std::vector<Cell>& cells) {
  cells.clear();
  for (size_t start = 0;;) {
    const size_t end = std::min(line.find(separator, start), line.size());
    const std::string_view text = trim(line.substr(start, end - start));
    cells.push_back({text, text.empty() ? start : static_cast<size_t>(text.data() - line.data())});
    if (end == line.size()) return;
    start = end + 1;
  }
}

class TableReader {
 public:
  TableReader(const std::string& file_name, std::string_view text, const ColumnRules& rules, Diagnostics& diagnostics)
      : text_(text), rules_(rules), diagnostics_(diagnostics), source_(diagnostics.add_source(file_name, "")) {}

  std::optional<ColumnTable> read() {
    if (!check_encoding()) return std::nullopt;
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);  // byte order mark
    bool has_header = false;
    while (next_line()) {
      const std::string_view content = trim(line_);
      if (content.empty() || content[0] == '#') continue;
      if (line_.size() > kLongestLine) {
        fail(0, 1,
             "the line has " + std::to_string(line_.size()) + " bytes, must have at most " +
                 std::to_string(kLongestLine));
        if (!has_header) return std::nullopt;
        continue;
      }
      if (has_header)
        read_row();
      else if (!read_header())
        return std::nullopt;
      has_header = true;
      if (n_errors_ > kMostErrors) return std::nullopt;
    }
    if (!has_header) {
      diagnostics_.error({source_, 1, 1, 1}, "the table has no header row", rules_.example);
      return std::nullopt;
    }
    if (n_rows_ < rules_.fewest_rows)
      diagnostics_.error(header_mark_,
                         "the table has " + std::to_string(n_rows_) + (n_rows_ == 1 ? " row" : " rows") +
                             " below its header, must have at least " + std::to_string(rules_.fewest_rows),
                         rules_.why_rows);
    const bool good = n_errors_ == 0 && n_rows_ >= rules_.fewest_rows;
    if (!good) return std::nullopt;
    return ColumnTable{std::move(columns_), std::move(data_), std::move(marks_)};
  }

 private:
  bool next_line() {
    if (at_ >= text_.size()) return false;
    const size_t end = std::min(text_.find('\n', at_), text_.size());
    line_ = text_.substr(at_, end - at_);
    at_ = end + 1;
    ++line_number_;
    return true;
  }

  // Columns count characters.
  Mark mark_at(size_t offset, size_t length) const {
    const std::string_view before = line_.substr(0, offset);
    const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const auto n_before = static_cast<int>(std::count_if(before.begin(), before.end(), is_start));
    return {source_, line_number_, n_before + 1, std::max(1, static_cast<int>(length))};
  }

  void keep_line() { diagnostics_.add_line(source_, line_number_, std::string(line_.substr(0, kLongestLine))); }

  void fail(size_t offset, size_t length, std::string text, std::string help = {}) {
    if (++n_errors_ > kMostErrors + 1) return;
    keep_line();
    if (n_errors_ > kMostErrors)
      diagnostics_.error(mark_at(offset, length), "too many errors: those after this one are not shown");
    else
      diagnostics_.error(mark_at(offset, length), std::move(text), std::move(help));
  }
  void fail(const Cell& cell, std::string text, std::string help = {}) {
    fail(cell.offset, cell.text.size(), std::move(text), std::move(help));
  }

  bool check_encoding() {
    const size_t bad = find_invalid_utf8(text_);
    if (bad == text_.npos) return true;
    while (next_line() && at_ <= bad) {
    }
    // The line is not kept: what it shows is not known.
    diagnostics_.error(mark_at(bad - static_cast<size_t>(line_.data() - text_.data()), 1), "not UTF-8 text",
                       "save the file with the encoding UTF-8");
    return false;
  }

  // False if the rows below cannot be understood.
  bool read_header() {
    for (const char c : {';', ',', '\t'})  // tabs may also stand beside the others
      if (trim(line_).find(c) != line_.npos) {
        separator_ = c;
        break;
      }
    split(line_, separator_, cells_);
    keep_line();
    const std::string_view content = trim(line_);
    header_mark_ = mark_at(static_cast<size_t>(content.data() - line_.data()), content.size());
    if (parse_number(cells_[0].text)) {
      fail(cells_[0], "the first row has numbers, must be a header row", rules_.example);
      return false;
    }
    for (const Cell& cell : cells_) add_column(cell);
    for (const NeededColumn& needed : rules_.needed)
      if (!find(needed.name))
        fail(cells_[0].offset, content.size(), "missing column `" + needed.name + "`", needed.meaning);
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
    marks_.set(name, mark_at(cell.offset, cell.text.size()), true);
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
    split(line_, separator_, cells_);
    if (cells_.size() != columns_.size()) {
      const std::string_view content = trim(line_);
      fail(static_cast<size_t>(content.data() - line_.data()), content.size(),
           std::to_string(cells_.size()) + (cells_.size() == 1 ? " cell" : " cells") + ", must be " +
               std::to_string(columns_.size()) + " as in the header");
      return;
    }
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
      fail(cell, name + " = " + short_text_of(cell) + ", must be finite");
    else
      fail(cell, name + " = " + short_text_of(cell) + ", must be a number",
           cell.text.find(',') != cell.text.npos ? "write a decimal point, not a comma" : "");
    return std::nullopt;
  }
  static std::string short_text_of(const Cell& cell) { return short_text(Value::of(std::string(cell.text))); }

  void check_ascending(const Cell& cell, double value) {
    const std::string unit = rules_.ascending_unit.empty() ? "" : " " + rules_.ascending_unit;
    if (last_ && !(value > *last_))
      fail(cell, rules_.ascending + " = " + shortest(value) + unit + ", must be above " + shortest(*last_) + unit +
                     " of line " + std::to_string(last_line_));
    last_ = value;
    last_line_ = line_number_;
  }

  std::string_view text_, line_;
  size_t at_ = 0;
  int line_number_ = 0;
  const ColumnRules& rules_;
  Diagnostics& diagnostics_;
  int source_ = -1;
  int n_errors_ = 0;

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
