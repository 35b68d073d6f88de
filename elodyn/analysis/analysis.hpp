// An analysis reads assembled bodies and adds to Results. Numerical trouble is thrown as NumericalError; the caller
// turns it into the outcome and keeps what was computed.
#pragma once

#include <string_view>
#include <vector>

#include "elodyn/base/registry.hpp"
#include "elodyn/results/results.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

class Analysis {
 public:
  virtual ~Analysis() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual void run(const std::vector<BodySystem>& bodies, Results& results) const = 0;
};

const Registry<Analysis>& analyses();

}  // namespace elodyn
