// What [analysis.correlate] asks for: measured modes beside those of a body. Filled by the reader, trusted after
// validate().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

struct MeasuredData;  // results/record.hpp

// Where a measured point is on the body.
struct PointMap {
  Mark mark;
  std::string measured;
  Located<std::string> at;  // a point of the body
  Marks marks;
};

struct CorrelateRequest {
  std::string file;                          // of modes; empty: those of [analysis.modal]
  std::shared_ptr<const MeasuredData> data;  // read from the file; copies of the model share it
  Located<std::string> body;                 // empty: the only one
  int count = 10;                            // of computed modes
  double smallest_mac = 0.5;                 // of a pair
  std::vector<PointMap> points;
  std::optional<double> tolerance;  // m: a measured place is that of the nearest node within; absent: 1e-3 of the size
  Marks marks;
};

}  // namespace elodyn
