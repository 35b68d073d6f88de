// What [analysis.modal] asks for: modes from measured FRFs. Filled by the reader, trusted after validate().
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "elodyn/base/error.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

struct MeasuredData;  // results/record.hpp

struct ModalRequest {
  enum class Method { lscf, circle, peak };
  std::string file;                          // of FRFs; empty: those of [analysis.spectra.frf]
  std::shared_ptr<const MeasuredData> data;  // read from the file; copies of the model share it
  Method method = Method::lscf;
  double from = 0;           // Hz
  std::optional<double> to;  // Hz; absent: to the last one
  int order = 40;            // highest, of lscf
  std::optional<int> count;  // of modes
  double most_damping = 0.2;
  double floor = 0.02;  // of the largest
  Marks marks;
};

}  // namespace elodyn
