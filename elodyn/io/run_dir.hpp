// The directory of one run: input.echo.toml, what every writer makes and, last, run.json.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "elodyn/results/results.hpp"

namespace elodyn {

// Returns the names of the files. What an earlier run left there and this one does not make is removed (its run.json
// lists it), so that no old table is taken for a new one; files of other origin stay.
std::vector<std::string> write_run(const Results& results, const std::string& input_echo,
                                   const std::filesystem::path& dir);

// What is there of such a directory, for a report. Throws InputError, which says what is missing or damaged.
struct RunDir {
  Results results;
  std::string input_echo;
  std::vector<std::string> files;  // of writers before the report
};
RunDir read_run(const std::filesystem::path& dir);

}  // namespace elodyn
