// Whether a matrix does nothing. Entries of a pattern may be zeros.
#pragma once

#include "elodyn/base/types.hpp"

namespace elodyn {

inline bool is_zero(const MatrixX& A) { return (A.array() == 0).all(); }
inline bool is_zero(const SparseMatrix& A) { return A.nonZeros() == 0 || (A.coeffs() == 0).all(); }

}  // namespace elodyn
