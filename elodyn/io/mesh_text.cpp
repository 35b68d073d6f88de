#include "elodyn/io/mesh_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "elodyn/base/text.hpp"

namespace elodyn {
namespace {

constexpr size_t kShownLine = 400;  // bytes
constexpr std::string_view kSpaces = " \t\r\f\v";

std::string to_ascii(std::string_view text) {
  std::string out(text);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return out;
}

}  // namespace

MeshText::MeshText(const std::string& file_name, std::string_view text, Diagnostics& diagnostics)
    : text_(text), diagnostics_(diagnostics), source_(diagnostics.add_source(file_name, "")) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);  // byte order mark
}

bool MeshText::next_line() {
  if (at_ >= text_.size()) return false;
  line_start_ = at_;
  line_before_ = raw_line_;
  const size_t end = std::min(text_.find('\n', at_), text_.size());
  raw_line_ = text_.substr(at_, end - at_);
  line_ = trim(raw_line_);
  at_ = end + 1;
  ++line_number_;
  return true;
}

std::string_view MeshText::raw_line() const {
  return raw_line_.ends_with('\r') ? raw_line_.substr(0, raw_line_.size() - 1) : raw_line_;
}

void MeshText::step_back() {
  at_ = line_start_;
  raw_line_ = line_before_;
  line_ = trim(raw_line_);
  --line_number_;
}

void MeshText::fail_part(std::string_view part, std::string text, std::string help) {
  const bool is_inside = part.data() >= raw_line_.data() && part.data() <= raw_line_.data() + raw_line_.size();
  const auto column = is_inside ? static_cast<int>(part.data() - raw_line_.data()) + 1 : 1;
  const Mark mark{source_, line_number_, column, std::max(1, static_cast<int>(part.size()))};
  report(mark, raw_line_, std::move(text), std::move(help));
}

void MeshText::fail_at(int line, std::string text, std::string help) {
  if (is_hopeless()) return;
  const std::string_view found = find_line(line);
  const std::string_view content = trim(found);
  const auto column = content.empty() ? 1 : static_cast<int>(content.data() - found.data()) + 1;
  report({source_, line, line > 0 ? column : 0, std::max(1, static_cast<int>(content.size()))}, found, std::move(text),
         std::move(help));
}

void MeshText::warn_at(int line, std::string text, std::string help) {
  if (++n_warnings_ > kMostErrors) return;
  if (line > 0) diagnostics_.add_line(source_, line, to_ascii(find_line(line).substr(0, kShownLine)));
  diagnostics_.warning({source_, line, line > 0 ? 1 : 0, 1}, std::move(text), std::move(help));
}

void MeshText::report(const Mark& mark, std::string_view line, std::string text, std::string help) {
  if (++n_errors_ > kMostErrors + 1) return;
  // Of a long line a window about the place.
  Mark shown = mark;
  if (line.size() > kShownLine) {
    const size_t start = std::min(static_cast<size_t>(std::max(0, mark.column - 1)), line.size() - 1);
    shown.column = 1;
    line = line.substr(start, kShownLine);
  }
  shown.length = std::min(shown.length, static_cast<int>(kShownLine));
  if (mark.line > 0) diagnostics_.add_line(source_, mark.line, to_ascii(line));
  if (n_errors_ > kMostErrors)
    diagnostics_.error(shown, "too many errors: those after this one are not shown");
  else
    diagnostics_.error(shown, std::move(text), std::move(help));
}

std::string_view MeshText::find_line(int number) const {
  if (number < 1) return {};
  size_t start = 0;
  for (int k = 1; k < number; ++k) {
    const size_t end = text_.find('\n', start);
    if (end == text_.npos) return {};
    start = end + 1;
  }
  return text_.substr(start, std::min(text_.find('\n', start), text_.size()) - start);
}

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(kSpaces);
  return first == text.npos ? text.substr(0, 0) : text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

std::string_view unquoted(std::string_view cell) {
  return cell.size() >= 2 && cell.front() == '"' && cell.back() == '"' ? trim(cell.substr(1, cell.size() - 2)) : cell;
}

std::string_view take_word(std::string_view& text) {
  const size_t first = std::min(text.find_first_not_of(kSpaces), text.size());
  const size_t end = std::min(text.find_first_of(kSpaces, first), text.size());
  const std::string_view word = text.substr(first, end - first);
  text.remove_prefix(end);
  return word;
}

std::optional<std::string_view> take_cell(std::string_view& text) {
  if (text.empty()) return std::nullopt;
  const size_t comma = std::min(text.find(','), text.size());
  const std::string_view cell = trim(text.substr(0, comma));
  text.remove_prefix(std::min(comma + 1, text.size()));
  return cell;
}

std::optional<std::int64_t> to_integer(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> to_finite(std::string_view text) {
  std::optional<double> value = parse_number(text);
  if (!value && text.size() < 64) {
    std::string other(text);
    std::replace_if(
        other.begin(), other.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
    value = parse_number(other);
  }
  return value && std::isfinite(*value) ? std::optional(*value + 0.0) : std::nullopt;  // -0 becomes 0
}

std::string quote(std::string_view text) {
  constexpr size_t kLongest = 40;
  std::string out = to_ascii(text.substr(0, kLongest));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c < ' ' || c == 0x7f || c == '`'; }, '?');
  return "`" + out + (text.size() > kLongest ? "..." : "") + "`";
}

std::string count_of(std::int64_t n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

std::string to_upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

}  // namespace elodyn
