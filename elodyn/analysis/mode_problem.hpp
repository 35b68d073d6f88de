// The eigenproblem of a body at one instant, and what a mode is called; what modes, simulate and campbell share.
#pragma once

#include "elodyn/linalg/eigen.hpp"
#include "elodyn/results/results.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

QuadraticProblem make_mode_problem(const BodySystem& system, double time);

// Which kind of mode, label and shares: rigid if it moves the body almost without bending it, else by its strain
// energy. z: reduced coordinates.
void label_mode(const BodySystem& system, const SparseMatrix& M, const Eigen::VectorXcd& z, Mode& mode);

}  // namespace elodyn
