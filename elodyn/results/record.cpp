#include "elodyn/results/record.hpp"

namespace elodyn {

std::string MeasuredDof::name() const {
  if (direction == 0) return point;
  static const char* const kAxes[] = {"x", "y", "z", "rx", "ry", "rz"};
  const int axis = direction < 0 ? -direction : direction;
  return point + (direction < 0 ? ":-" : ":+") + kAxes[axis - 1];
}

}  // namespace elodyn
