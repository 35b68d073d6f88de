// The reduction that [analysis.reduction] asks for, and its eigenproblem at one instant.
#pragma once

#include <vector>

#include "elodyn/linalg/eigen.hpp"
#include "elodyn/system/craig_bampton.hpp"

namespace elodyn {

const BodySystem& choose_reduced_body(const std::vector<BodySystem>& bodies, const ReductionRequest& request);
CraigBampton reduce_as_asked(const BodySystem& system, const ReductionRequest& request);
QuadraticProblem make_reduced_problem(const BodySystem& system, const CraigBampton& reduction, double time);

}  // namespace elodyn
