// Lowest modes by SLEPc of matrices that are spread over all processes, with factors F of K: the two methods that
// slepc_cluster.hpp names. Vectors come whole to the first process, and have no rows in the others.
#pragma once

#include <petscmat.h>

#include "elodyn/linalg/cluster.hpp"

namespace elodyn {

// How many are wanted of n unknowns, and whether this is the first process.
struct WantedModes {
  int n, count;
  bool is_first;
};

// K φ = ω²M φ.
void solve_real_modes(const WantedModes& wanted, Mat K, Mat M, Mat F, VectorX& omega, MatrixX& vectors);
// (λ²M + λC + K) φ = 0; changes C and M by factors.
void solve_gyroscopic_modes(const WantedModes& wanted, Mat K, Mat C, Mat M, Mat F, SharedModes& out);

}  // namespace elodyn
