// Text of a mesh file, line by line, and messages about it. Files may be large: nothing is copied, and of the lines
// only those that are spoken of become known to the diagnostics. Bytes beyond ASCII are shown as ?.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "elodyn/base/error.hpp"

namespace elodyn {

class MeshText {
 public:
  MeshText(const std::string& file_name, std::string_view text, Diagnostics& diagnostics);

  // Goes on to the next line; false at the end.
  bool next_line();
  void step_back();                                // once: the same line comes again
  std::string_view line() const { return line_; }  // without spaces around it
  std::string_view raw_line() const;               // with them, without a carriage return: for fixed columns
  // The bytes after the line, which need not be text; no line counts among them. Fewer if the text ends.
  std::string_view peek_bytes(size_t n) const { return text_.substr(std::min(at_, text_.size()), n); }
  void skip_bytes(size_t n) { at_ = std::min(text_.size(), at_ + n); }
  int line_number() const { return line_number_; }
  int source() const { return source_; }

  // About a part of the current line, or all of it.
  void fail_part(std::string_view part, std::string text, std::string help = {});
  void fail(std::string text, std::string help = {}) { fail_part(line_, std::move(text), std::move(help)); }
  // About a line that was read before; 0: about the file.
  void fail_at(int line, std::string text, std::string help = {});
  void warn_at(int line, std::string text, std::string help = {});

  int n_errors() const { return n_errors_; }
  bool is_hopeless() const { return n_errors_ > kMostErrors; }  // nobody reads more

 private:
  static constexpr int kMostErrors = 20;

  void report(const Mark& mark, std::string_view line, std::string text, std::string help);
  std::string_view find_line(int number) const;

  std::string_view text_, line_, raw_line_, line_before_;
  size_t at_ = 0, line_start_ = 0;
  int line_number_ = 0;
  Diagnostics& diagnostics_;
  int source_ = -1;
  int n_errors_ = 0, n_warnings_ = 0;
};

std::string_view trim(std::string_view text);
// What stands between quotes, trimmed; a cell without them as it is.
std::string_view unquoted(std::string_view cell);
// The next word up to white space; taken off the text. Empty at its end.
std::string_view take_word(std::string_view& text);
// The next cell up to a comma, trimmed; taken off the text with its comma. Nothing at the end of the text.
std::optional<std::string_view> take_cell(std::string_view& text);

std::optional<std::int64_t> to_integer(std::string_view text);
// A finite number, also with the D of Fortran in its exponent.
std::optional<double> to_finite(std::string_view text);

// What a file says, in a message: short, plain characters, in quotes.
std::string quote(std::string_view text);
// "1 node", "2 nodes"
std::string count_of(std::int64_t n, const std::string& noun);
// ASCII letters only.
std::string to_upper(std::string_view text);

}  // namespace elodyn
