// The lines of a table as text, cut into cells, with messages that say where. What readers of tables share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elodyn/base/error.hpp"

namespace elodyn {

class TableLines {
 public:
  static constexpr int kMostErrors = 20;

  struct Cell {
    std::string_view text;  // without the spaces around it
    size_t offset = 0;      // in the line
  };

  // The text must live longer. `longest_line`: bytes; a longer one is a mistake.
  TableLines(const std::string& file_name, std::string_view text, size_t longest_line, Diagnostics& diagnostics);

  // False, and said, if it is not UTF-8. Takes off a byte order mark.
  bool check_encoding();
  bool next();
  bool is_too_long();  // and said
  std::string_view line() const { return line_; }
  int number() const { return line_number_; }
  static std::string_view trim(std::string_view text);
  // Semicolon, comma or tab, whichever the line has first of these in that order; a comma if none.
  static char find_separator(std::string_view line);
  void split(char separator, std::vector<Cell>& cells) const;

  // Columns count characters.
  Mark mark_at(size_t offset, size_t length) const;
  Mark mark_of_line() const;
  Mark mark_of_file() const { return {source_, 1, 1, 1}; }
  void keep_line();  // becomes known to the diagnostics
  void fail(size_t offset, size_t length, std::string text, std::string help = {});
  void fail(const Cell& cell, std::string text, std::string help = {}) {
    fail(cell.offset, cell.text.size(), std::move(text), std::move(help));
  }
  void fail_line(std::string text, std::string help = {});
  int n_errors() const { return n_errors_; }
  bool has_too_many_errors() const { return n_errors_ > kMostErrors; }
  static std::string short_text_of(const Cell& cell);

 private:
  std::string_view text_, line_;
  size_t at_ = 0, longest_line_;
  int line_number_ = 0;
  Diagnostics& diagnostics_;
  int source_ = -1;
  int n_errors_ = 0;
};

}  // namespace elodyn
