// Frequencies over a cycle, frozen at its instants, for each value of a number of the file: of a mechanism against the
// angle of its crank and its speed. Each value is a model of its own: its rigid stage, then [analysis.cycle].
// Tables: "cycle_over", a row for each value, body and mode, with the mean speed of the joint that counts the cycle
// where there is one; history "BODY_cycle_over", a row for each value and instant.
// Limits: as analysis/cycle.cpp; a mechanism must come to its own steady motion at each value within `settle`, and
// its duration must hold a cycle at the slowest.
#pragma once

#include <functional>

#include "elodyn/model/model.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

// Adds to results. A value at which the numbers fail is said and left out; the others are kept.
void add_cycle_sweep(const SweepParameter& over, const std::function<Model(double value)>& make, Results& results);

}  // namespace elodyn
