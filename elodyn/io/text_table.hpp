// Tables for people: aligned columns, units in the header, frequencies in Hz before rad/s, speeds in rpm.
// Colours and bold come from a Style: Style{} is plain; make_style() asks the terminal and NO_COLOR.
#pragma once

#include <string>
#include <vector>

#include "elodyn/results/results.hpp"

namespace elodyn {

struct Style {
  std::string bold, red, yellow, dim, reset;  // escape sequences; all empty: plain text
};

// Escape sequences if the descriptor is a terminal that shows them and NO_COLOR is unset or empty (no-color.org).
Style make_style(int descriptor);

struct TextTableOptions {
  Style style;
  size_t max_rows = 40;   // more are shortened in the middle, and said to be
  std::string where_all;  // ends that line: where all rows are
};

// Title, header, rows. A whole-number column has no decimals; others show six digits of their smallest value.
// What is round-off beside the largest number of its column is shown as 0.
std::string format_table(const Table& table, const TextTableOptions& options = {});

// number, body (if several), frequency in Hz, omega in rad/s, growth in 1/s, kind with its share: `bending 99.8 %`.
std::string format_modes(const std::vector<Mode>& modes, const TextTableOptions& options = {});

}  // namespace elodyn
