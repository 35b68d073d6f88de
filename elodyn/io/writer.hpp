// Writer: one output format of `elodyn run`. Adding one is a source file and a line of writer_registry.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "elodyn/base/registry.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

struct RunToWrite {
  const Results& results;
  std::filesystem::path dir;            // is there already
  std::string input_echo = {};          // the effective input, as TOML
  std::vector<std::string> files = {};  // of those that were written before, names
};

class Writer {
 public:
  virtual ~Writer() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  // Returns the names of the files. Throws InputError if it cannot write them.
  virtual std::vector<std::string> write(const RunToWrite& run) const = 0;
};

const Registry<Writer>& writers();

}  // namespace elodyn
