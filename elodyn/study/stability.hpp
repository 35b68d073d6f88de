// Stability over one or two numbers of the file: a map of growth rates, and its boundaries.
//   points      each has its own largest growth Re λ (analysis/speed_line.hpp); nothing is interpolated
//   lines       points that differ in the speed of a spin alone share one assembled body
//   boundaries  on each edge of the grid whose ends differ: the speeds of divergence are eigenvalues of a symmetric
//   pencil
//               and exact; others are bracketed to the tolerance
//   margins     how far the file's own values are from the nearest boundary, each parameter alone
// The digits do not depend on the number of threads and processes, nor on a run having been killed and taken up again:
// work is cut into parts whose results depend on nothing else, and a part that a journal has is not done again. Limits:
// a boundary that enters and leaves between two neighbouring points is not seen.
#pragma once

#include <vector>

#include "elodyn/base/journal.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/results/results.hpp"
#include "elodyn/study/stability_parts.hpp"

namespace elodyn {

struct StabilityStudy {
  MakeVariant make;
  // What the file has; NaN: not known, and no margin.
  std::vector<double> in_file;
  Journal* journal = nullptr;  // may be null
  // Another process with StabilityParts of its own; asked by one thread at a time.
  class Helper {
   public:
    virtual ~Helper() = default;
    virtual PartAnswer ask(const std::vector<double>& question) = 0;
  };
  std::vector<Helper*> helpers;
};

// model.stability must be there. Tables "stability", "stability_boundary", "stability_margins".
Results run_stability(const Model& model, const StabilityStudy& study);
// The same beside other results.
void add_stability(const Model& model, const StabilityStudy& study, Results& results);

}  // namespace elodyn
