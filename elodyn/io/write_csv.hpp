// Tables as comma-separated text: header `name [unit]`, shortest numbers that read back to the same value,
// quotes as in RFC 4180, lines end with a line feed. A value that is not a number is an empty cell.
#pragma once

#include <memory>
#include <string>

#include "elodyn/io/writer.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

std::string to_csv(const Table& table);

// The modes with a column `share_…` for each kind of strain energy that occurs; empty for a mode without strain.
Table make_modes_table(const std::vector<Mode>& modes);

std::unique_ptr<const Writer> make_csv_writer();

}  // namespace elodyn
