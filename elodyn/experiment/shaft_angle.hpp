// Order tracking: a record in even steps of time becomes one in even steps of the shaft's angle, so that what goes with
// the shaft stands in one line whatever its speed [Fyfe1997].
//   angle θ(t): from pulses of a tachometer, from a record of the speed, or of the angle itself
//   x(θ_j): by a sum of sinc functions about t(θ_j), cut to a finite length by a Hann window. Where the steps of angle
//   are longer than those of time it lets through only what half of them can show.
// Limits: the shaft turns one way; between pulses the speed is smooth (cubic spline), before the first and after the
// last nothing is known. The cut sinc passes frequencies up to 0.8 of half the sampling rate within 1e-3, up to 0.9
// within 4e-3.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/spline.hpp"
#include "elodyn/experiment/spectrum.hpp"

namespace elodyn {

// θ in rad over the time in s, increasing.
class ShaftAngle {
 public:
  ShaftAngle(std::vector<double> times, std::vector<double> angles);
  double start() const { return angle_of_time_.start(); }  // s
  double end() const { return angle_of_time_.end(); }
  double angle(double t) const { return angle_of_time_(t); }
  double speed(double t) const { return angle_of_time_.derivative(t); }
  double time_of(double angle) const;  // the inverse, by Newton's method from the interval of the samples

 private:
  std::vector<double> times_, angles_;
  CubicSpline angle_of_time_;
};

// Times at which the record rises through `level`, between values by a straight line; it must first fall below
// level − gap again.
std::vector<double> find_pulses(const double* values, size_t n, double start, double step, double level, double gap);
// Each pulse is one part of a turn. Throws NumericalError if there are fewer than four.
ShaftAngle angle_from_pulses(const std::vector<double>& pulses, double per_turn);
// Trapezium sums of the speed in rad/s, thinned to at most `most` knots. Throws NumericalError where the shaft stands
// or turns back.
ShaftAngle angle_from_speed(const double* speed, size_t n, double start, double step);

// Values at the angles first + k·step, k = 0, 1, …, as far as they are known. `first` is the angle of the first one.
struct AngleRecord {
  double first = 0, step = 0;  // rad
  std::vector<double> values;
};
AngleRecord resample(const double* values, size_t n, double start, double step, const ShaftAngle& angle, int per_turn);

}  // namespace elodyn
