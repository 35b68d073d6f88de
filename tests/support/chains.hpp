// Matrices whose eigenvalues are known and repeated.
#pragma once

#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn::test {

// Chains of unit springs, `copies` side by side, each held at one end; the stiffness of n = copies·length masses.
inline SparseMatrix make_chains(int copies, int length) {
  const int n = copies * length;
  std::vector<Eigen::Triplet<double>> k;
  for (int c = 0; c < copies; ++c)
    for (int i = 0; i < length; ++i) {
      const int at = c * length + i;
      k.emplace_back(at, at, i + 1 < length ? 2 : 1);
      if (i + 1 < length) {
        k.emplace_back(at, at + 1, -1);
        k.emplace_back(at + 1, at, -1);
      }
    }
  SparseMatrix K(n, n);
  K.setFromTriplets(k.begin(), k.end());
  return K;
}

}  // namespace elodyn::test
