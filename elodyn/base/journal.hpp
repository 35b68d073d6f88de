// Finished parts of long work, so that a run that was killed goes on where it stood. The work asks for a part before it
// does it and adds it when it is done; who keeps the parts, and where, is the caller's (io/journal.hpp: a file).
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace elodyn {

class Journal {
 public:
  virtual ~Journal() = default;
  // What an earlier run left of that part, bit by bit.
  virtual std::optional<std::vector<double>> find(const std::string& part) const = 0;
  // Safe to call from several threads. Keeps no more if the disk refuses: the work itself goes on.
  virtual void add(const std::string& part, const std::vector<double>& values) = 0;
};

}  // namespace elodyn
