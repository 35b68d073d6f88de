// A table of numbers as text → columns by name. A header row names the columns, in any order. Cells are separated by
// commas, semicolons or tabs, whichever the header has; spaces around them, blank lines, lines that begin with # and
// Windows line ends are accepted. Strict: every mistake is reported with its line and column, up to a number that
// nobody reads beyond.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

inline constexpr size_t kLargestTable = size_t{200} << 20;

// A column that must be there.
struct NeededColumn {
  std::string name, meaning;
};
// A column that is useless without another one.
struct DependentColumn {
  std::string name, needs, help;
};

struct ColumnRules {
  std::vector<std::string> known;
  std::vector<NeededColumn> needed;
  std::vector<DependentColumn> dependent = {};
  std::string ascending, ascending_unit;  // the column that must strictly increase
  size_t fewest_rows = 1;
  std::string why_rows;
  std::string example;  // of a header, for messages
};

struct ColumnTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> data;
  Marks marks;  // of the columns

  std::vector<double>* find(const std::string& name);  // null: not given
};

// Nothing if there are mistakes. The lines that are spoken of become known to the diagnostics.
std::optional<ColumnTable> read_columns(const std::string& file_name, std::string_view text, const ColumnRules& rules,
                                        Diagnostics& diagnostics);

}  // namespace elodyn
