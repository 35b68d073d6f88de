// Writer: one output format of `elodyn run`. Adding one is a source file and a line of writer_registry.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "elodyn/base/registry.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

class Writer {
 public:
  virtual ~Writer() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  // Writes into a directory that is there already; returns the names of the files. Throws InputError if it cannot.
  virtual std::vector<std::string> write(const Results& results, const std::filesystem::path& dir) const = 0;
};

const Registry<Writer>& writers();

}  // namespace elodyn
