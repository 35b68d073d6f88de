#include "elodyn/io/table_lines.hpp"

#include <algorithm>

#include "elodyn/io/toml.hpp"

namespace elodyn {

TableLines::TableLines(const std::string& file_name, std::string_view text, size_t longest_line,
                       Diagnostics& diagnostics)
    : text_(text),
      longest_line_(longest_line),
      diagnostics_(diagnostics),
      source_(diagnostics.add_source(file_name, "")) {}

std::string_view TableLines::trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  return first == text.npos ? text.substr(0, 0) : text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

char TableLines::find_separator(std::string_view line) {
  for (const char c : {';', ',', '\t'})  // tabs may also stand beside the others
    if (line.find(c) != line.npos) return c;
  return ',';
}

void TableLines::split(char separator, std::vector<Cell>& cells) const {
  cells.clear();
  for (size_t start = 0;;) {
    const size_t end = std::min(line_.find(separator, start), line_.size());
    const std::string_view text = trim(line_.substr(start, end - start));
    cells.push_back({text, text.empty() ? start : static_cast<size_t>(text.data() - line_.data())});
    if (end == line_.size()) return;
    start = end + 1;
  }
}

bool TableLines::next() {
  if (at_ >= text_.size()) return false;
  const size_t end = std::min(text_.find('\n', at_), text_.size());
  line_ = text_.substr(at_, end - at_);
  at_ = end + 1;
  ++line_number_;
  return true;
}

bool TableLines::is_too_long() {
  if (line_.size() <= longest_line_) return false;
  fail(0, 1,
       "the line has " + std::to_string(line_.size()) + " bytes, must have at most " + std::to_string(longest_line_));
  return true;
}

Mark TableLines::mark_at(size_t offset, size_t length) const {
  const std::string_view before = line_.substr(0, offset);
  const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  const auto n_before = static_cast<int>(std::count_if(before.begin(), before.end(), is_start));
  return {source_, line_number_, n_before + 1, std::max(1, static_cast<int>(length))};
}

Mark TableLines::mark_of_line() const {
  const std::string_view content = trim(line_);
  return mark_at(content.empty() ? 0 : static_cast<size_t>(content.data() - line_.data()), content.size());
}

void TableLines::keep_line() {
  diagnostics_.add_line(source_, line_number_, std::string(line_.substr(0, longest_line_)));
}

void TableLines::fail(size_t offset, size_t length, std::string text, std::string help) {
  if (++n_errors_ > kMostErrors + 1) return;
  keep_line();
  if (n_errors_ > kMostErrors)
    diagnostics_.error(mark_at(offset, length), "too many errors: those after this one are not shown");
  else
    diagnostics_.error(mark_at(offset, length), std::move(text), std::move(help));
}

void TableLines::fail_line(std::string text, std::string help) {
  const std::string_view content = trim(line_);
  fail(content.empty() ? 0 : static_cast<size_t>(content.data() - line_.data()), content.size(), std::move(text),
       std::move(help));
}

bool TableLines::check_encoding() {
  const size_t bad = find_invalid_utf8(text_);
  if (bad == text_.npos) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);  // byte order mark
    return true;
  }
  while (next() && at_ <= bad) {
  }
  // The line is not kept: what it shows is not known.
  ++n_errors_;
  diagnostics_.error(mark_at(bad - static_cast<size_t>(line_.data() - text_.data()), 1), "not UTF-8 text",
                     "save the file with the encoding UTF-8");
  return false;
}

std::string TableLines::short_text_of(const Cell& cell) { return short_text(Value::of(std::string(cell.text))); }

}  // namespace elodyn
