#include "elodyn/base/spline.hpp"

#include <algorithm>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

// Elimination without pivoting: rows 1 … n−2 as in the header; the first and the last row say that the third
// derivative passes knots 1 and n−2, with s₂ and s_{n−3} eliminated, so that the matrix stays tridiagonal.
std::vector<double> calc_slopes(const std::vector<double>& x, const std::vector<double>& y) {
  const size_t n = x.size();
  const auto h = [&](size_t i) { return x[i + 1] - x[i]; };
  const auto d = [&](size_t i) { return (y[i + 1] - y[i]) / h(i); };
  std::vector<double> diagonal(n), above(n), s(n);

  // The row of an end: near, next are the intervals counted from it.
  const auto end_row = [&](size_t near, size_t next) {
    const double both = h(near) + h(next);
    return ((h(near) + 2 * both) * h(next) * d(near) + h(near) * h(near) * d(next)) / both;
  };
  diagonal[0] = h(1);
  above[0] = h(0) + h(1);
  s[0] = end_row(0, 1);
  const auto eliminate = [&](size_t i, double below) {
    const double factor = below / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    s[i] -= factor * s[i - 1];
  };
  for (size_t i = 1; i + 1 < n; ++i) {
    diagonal[i] = 2 * (h(i - 1) + h(i));
    above[i] = h(i - 1);
    s[i] = 3 * (h(i) * d(i - 1) + h(i - 1) * d(i));
    eliminate(i, h(i));
  }
  diagonal[n - 1] = h(n - 3);
  s[n - 1] = end_row(n - 2, n - 3);
  eliminate(n - 1, h(n - 3) + h(n - 2));

  s[n - 1] /= diagonal[n - 1];
  for (size_t i = n - 1; i-- > 0;) s[i] = (s[i] - above[i] * s[i + 1]) / diagonal[i];
  return s;
}

}  // namespace

CubicSpline::CubicSpline(Knots knots, std::vector<double> values)
    : knots_(std::move(knots)), values_(std::move(values)) {
  ELODYN_REQUIRE(knots_ != nullptr && knots_->size() >= 4 && knots_->size() == values_.size());
  const bool increases =
      std::adjacent_find(knots_->begin(), knots_->end(), [](double a, double b) { return !(a < b); }) == knots_->end();
  ELODYN_REQUIRE(increases);
  slopes_ = calc_slopes(*knots_, values_);
}

CubicSpline::Piece CubicSpline::find_piece(double x) const {
  ELODYN_REQUIRE(contains(x));
  const auto last = knots_->end() - 1;  // the end belongs to the last interval
  const auto i = static_cast<size_t>(std::upper_bound(knots_->begin() + 1, last, x) - knots_->begin()) - 1;
  const double h = (*knots_)[i + 1] - (*knots_)[i], chord = (values_[i + 1] - values_[i]) / h;
  const double left = slopes_[i], right = slopes_[i + 1];
  return {x - (*knots_)[i], values_[i], left, (3 * chord - 2 * left - right) / h, (left + right - 2 * chord) / (h * h)};
}

double CubicSpline::operator()(double x) const {
  const Piece p = find_piece(x);
  return p.c0 + p.u * (p.c1 + p.u * (p.c2 + p.u * p.c3));
}

double CubicSpline::derivative(double x) const {
  const Piece p = find_piece(x);
  return p.c1 + p.u * (2 * p.c2 + 3 * p.u * p.c3);
}

double CubicSpline::second_derivative(double x) const {
  const Piece p = find_piece(x);
  return 2 * p.c2 + 6 * p.u * p.c3;
}

}  // namespace elodyn
