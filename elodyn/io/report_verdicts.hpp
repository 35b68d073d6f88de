// What an engineer asks of a run first: what failed and what to try, the lowest frequency, critical speeds, what grows,
// margins of stability, peak stress, buckling factors, the largest force of a joint.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "elodyn/results/results.hpp"

namespace elodyn {

// Verdict[] of viewer/src/data.ts.
nlohmann::ordered_json list_verdicts(const Results& results);

}  // namespace elodyn
