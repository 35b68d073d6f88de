// Cubic spline through points (xᵢ, yᵢ): on each interval a cubic, with two continuous derivatives at the inner knots.
// Its slopes sᵢ, with h the lengths of the intervals and d the slopes of their chords, solve
//   hᵢ sᵢ₋₁ + 2(hᵢ₋₁ + hᵢ) sᵢ + hᵢ₋₁ sᵢ₊₁ = 3(hᵢ dᵢ₋₁ + hᵢ₋₁ dᵢ)                          [DeBoor2001, ch. IV]
// and the ends are not-a-knot: the third derivative too passes the second knot and the last but one. So cubics are
// met exactly, and a smooth function to order 4, its derivatives to 3 and 2, up to the ends.
// Limits: at least 4 points; no extrapolation; overshoots at jumps, as every cubic spline does.
#pragma once

#include <memory>
#include <vector>

namespace elodyn {

class CubicSpline {
 public:
  // Several splines may share their knots.
  using Knots = std::shared_ptr<const std::vector<double>>;

  // The knots strictly increase; as many values as knots.
  CubicSpline(Knots knots, std::vector<double> values);

  double operator()(double x) const;
  double derivative(double x) const;
  double second_derivative(double x) const;

  double start() const { return knots_->front(); }
  double end() const { return knots_->back(); }
  bool contains(double x) const { return x >= start() && x <= end(); }  // where the functions above may be asked
  const std::vector<double>& values() const { return values_; }

 private:
  // y + u(c₁ + u(c₂ + u c₃)), u counted from the start of the interval that holds x.
  struct Piece {
    double u = 0, c0 = 0, c1 = 0, c2 = 0, c3 = 0;
  };
  Piece find_piece(double x) const;

  Knots knots_;
  std::vector<double> values_;
  std::vector<double> slopes_;
};

}  // namespace elodyn
