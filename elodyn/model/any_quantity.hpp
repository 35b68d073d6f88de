// A number with the dimension that it was written with; what it belongs to is known only by the key that it is put in.
#pragma once

#include "elodyn/base/units.hpp"

namespace elodyn {

struct AnyQuantity {
  double value = 0;         // SI and radians
  Dimension dimension;      // of has_unit
  bool has_unit = false;    // else a plain number, or one in SI
  bool is_integer = false;  // written without a point: counts stay counts
};

}  // namespace elodyn
