// The lowest modes of K − ω²M + iωC, K > 0, by all processes of a cluster. What they find is always counted, by one
// real LDLᵀ factorisation (davidson.cpp has the proof): single vectors may miss one of several equal modes.
#pragma once

#include "elodyn/linalg/cluster.hpp"
#include "elodyn/linalg/davidson.hpp"

namespace elodyn {

// False: K is not definite, not all converged or one is missing; the block iteration then has to do it.
bool solve_definite_shared(Cluster& others, const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M,
                           const DefiniteOptions& options, QuadraticModes& out);

}  // namespace elodyn
