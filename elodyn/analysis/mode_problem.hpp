// The eigenproblem of a body at one instant; what modes and simulate share.
#pragma once

#include "elodyn/linalg/eigen.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

QuadraticProblem make_mode_problem(const BodySystem& system, double time);

}  // namespace elodyn
