// Matrices whose entries lie near the diagonal: those of beams, once their unknowns are numbered along them.
//   A = P L U with partial pivoting, in place, rows stored one after the other; about 2 n kl (kl + ku) operations.
// Nothing is allocated after the constructor; order of the unknowns: find_band_order in linalg/band.hpp. For widths up
// to a hundred or so; wider ones are for sparse solvers.
#pragma once

#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

class BandedLu {
 public:
  BandedLu() = default;
  // n unknowns, `below` and `above` the diagonal.
  BandedLu(int n, int below, int above);

  int size() const { return n_; }
  void set_zero();
  // Where the entry (row, column) is kept until factor() is called.
  int place(int row, int column) const { return row * width_ + column - row + below_; }
  double* values() { return values_.data(); }

  bool factor();                // false: singular
  void solve(double* b) const;  // x in place of b

 private:
  int n_ = 0, below_ = 0, above_ = 0, width_ = 0;
  std::vector<double> values_;
  std::vector<double> inverse_pivots_;
  std::vector<int> pivots_, ends_;  // the row that came to k, and one past the last column of row k of U
};

}  // namespace elodyn
