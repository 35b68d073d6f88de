// Solves with the supernodal Cholesky factor of CHOLMOD for eight vectors side by side. The rows of the vectors are
// short enough to stay in registers, so the factor is read twice in all and not packed for each small block, as BLAS
// would. Two to three times quicker than cholmod_solve for few vectors.
#pragma once

#include "elodyn/base/types.hpp"

namespace elodyn {

inline constexpr int kSolvedTogether = 8;

// Columns of supernode s are starts[s] … starts[s+1]−1; its rows are rows[row_starts[s] …], those of its own columns
// first; its entries, by columns, begin at values[value_starts[s]].
struct SupernodalFactor {
  int n_supernodes = 0;
  const int *starts = nullptr, *row_starts = nullptr, *value_starts = nullptr, *rows = nullptr;
  const double* values = nullptr;
};

// X ← L⁻ᵀL⁻¹X; X has rows of kSolvedTogether values, in the order of elimination.
void solve_supernodal(const SupernodalFactor& L, double* X);

}  // namespace elodyn
