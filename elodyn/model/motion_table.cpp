#include "elodyn/model/motion_table.hpp"

#include <algorithm>
#include <cmath>

namespace elodyn {
namespace {

bool has_values(const std::optional<CubicSpline>& column) {
  return column && std::any_of(column->values().begin(), column->values().end(), [](double y) { return y != 0; });
}

double value_at(const std::optional<CubicSpline>& column, double t) { return column ? (*column)(t) : 0; }

}  // namespace

double MotionTable::fold(double t) const {
  if (t <= end || !cycle || !cycle->is_periodic) return t;
  return std::min(end, t - cycle->period * std::ceil((t - end) / cycle->period));
}

bool MotionTable::accelerates_along(size_t axis) const { return has_values(a[axis]); }
bool MotionTable::has_angular_velocity(size_t axis) const { return has_values(w[axis]); }
bool MotionTable::has_angular_acceleration(size_t axis) const { return has_values(e[axis]); }

double MotionTable::calc_acceleration(size_t axis, double t) const { return value_at(a[axis], t); }
double MotionTable::calc_angular_velocity(size_t axis, double t) const { return value_at(w[axis], t); }
double MotionTable::calc_angular_acceleration(size_t axis, double t) const {
  if (e[axis]) return (*e[axis])(t);
  return w[axis] ? w[axis]->derivative(t) : 0;
}

}  // namespace elodyn
