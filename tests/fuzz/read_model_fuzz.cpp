// Any bytes: no crash, no hang, no leak; and a model that reads well has an echo that reads back to the same echo.
// Lines `#set KEY=VALUE` of the text are also given as settings; lines `#csv …` are the table of a motion or
// a mesh.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "tests/fuzz/csv_lines.hpp"

#include "elodyn/io/read_model.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  elodyn::ReadOptions options;
  options.names = {{"beam_euler_bernoulli", "beam_rayleigh", "membrane_t3", "membrane_q4"}, {"virtual_work"}};
  options.read_file = csv_lines_of(text);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && options.settings.size() < 4;)
    if (line.starts_with("#set ")) options.settings.push_back(line.substr(5));

  elodyn::Diagnostics diagnostics;
  const auto model = elodyn::read_model("model.toml", text, options, diagnostics);
  const std::string messages = diagnostics.format_all(elodyn::Severity::error);
  if (model.has_value() != messages.empty()) std::abort();
  if (!model) return 0;

  const std::string echo = elodyn::echo_toml(*model);
  elodyn::ReadOptions plain;
  plain.names = options.names;
  plain.read_file = options.read_file;
  elodyn::Diagnostics again;
  const auto same = elodyn::read_model("echo.toml", echo, plain, again);
  if (!same || elodyn::echo_toml(*same) != echo) {
    std::cerr << again.format_all(elodyn::Severity::error) << echo;
    if (same) std::cerr << "---- but read back:\n" << elodyn::echo_toml(*same);
    std::abort();
  }
  return 0;
}
