// B-splines of degree 5 over given knots, the ends extended evenly enough: value and derivatives of the six that are
// not zero at a place [DeBoor2001, ch. X] [Piegl1997].
#pragma once

#include <array>
#include <cstddef>
#include <vector>

namespace elodyn {

class QuinticBasis {
 public:
  static constexpr int kDegree = 5, kLocal = kDegree + 1;
  // Strictly increasing, two or more.
  explicit QuinticBasis(const std::vector<double>& knots);

  int size() const { return static_cast<int>(knots_.size()) - kLocal; }
  int n_intervals() const { return static_cast<int>(knots_.size()) - 2 * kDegree - 1; }
  double knot(int i) const { return knots_[static_cast<size_t>(i + kDegree)]; }

  // Rows: derivative 0 to 3; columns: the functions first, first + 1, …
  struct Local {
    int first = 0;
    std::array<std::array<double, kLocal>, 4> d{};
  };
  Local evaluate(double x) const;

 private:
  std::vector<double> knots_;
};

}  // namespace elodyn
