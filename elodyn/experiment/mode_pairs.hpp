// Measured against computed modes. Of shapes a and b on the same dofs [Allemang2003]:
//   MAC(a, b) = |a*b|² / (a*a b*b)            1: the same up to a factor, whatever its phase; 0: orthogonal
//   auto-MAC: MAC of the measured shapes with each other; off its diagonal it shows what the dofs cannot tell apart
//   COMAC of a dof, over pairs:  (Σ |a b|)² / (Σ|a|² Σ|b|²), shapes scaled to each other
// Pairs: the assignment with the least sum of 1 − MAC + w |ln(ω_m/ω_c)|, by the Hungarian method; w tells apart modes
// whose shapes the dofs cannot.
#pragma once

#include <complex>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

// Entry (i, j): columns i of a and j of b. A column of zeros has MAC 0 with all.
MatrixX calc_mac(const Eigen::MatrixXcd& a, const Eigen::MatrixXcd& b);

struct ModePair {
  int first = 0, second = 0;  // columns
  double mac = 0;
};
// Those with a MAC of at least `smallest`, by `first`. `weight`: w above.
std::vector<ModePair> pair_modes(const MatrixX& mac, const std::vector<double>& omega_first,
                                 const std::vector<double>& omega_second, double smallest, double weight = 0.1);

// One value for each row; NaN where both are zero in all pairs.
VectorX calc_comac(const Eigen::MatrixXcd& a, const Eigen::MatrixXcd& b, const std::vector<ModePair>& pairs);

// The factor c with the least ‖a − c b‖.
std::complex<double> calc_scale(const Eigen::VectorXcd& a, const Eigen::VectorXcd& b);

}  // namespace elodyn
