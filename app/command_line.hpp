// What the user typed, as a struct. CLI11 stays behind this header (it costs 12 s of compile time), and its messages
// are replaced by our own: it reports `modez` as "A subcommand is required".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/error.hpp"

namespace elodyn::app {

struct CommandLine {
  std::string command;                   // empty: `help` says all, and nothing is to be done
  std::string help;                      // text to print instead of working
  std::string file;                      // FILE
  std::string kind;                      // of `new` and `list`
  std::vector<std::string> dirs;         // of `report`
  std::string output;                    // -o
  std::string body;                      // --body of `mesh`
  std::vector<std::string> settings;     // --set
  std::optional<std::string> formalism;  // --formalism
  int levels = 4;                        // of `converge`
  bool json = false;
  bool markdown = false, file_template = false;  // of `schema`
  bool latex = false, numbers = false;           // of `derive`
  bool quiet = false;
  std::string typed;  // the whole line, quoted for a shell where needed
};

// What is wrong goes to the diagnostics; the members read so far (json among them) are kept.
CommandLine parse_command_line(const std::vector<std::string>& arguments, Diagnostics& diagnostics);

}  // namespace elodyn::app
