// What a derivation costs: operations, counted by running it on numbers that count, and the time of plain numbers.
#pragma once

#include <vector>

#include "elodyn/formalism/formalism.hpp"
#include "elodyn/results/results.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

// Operations that a formalism takes to derive one element with n dofs.
OperationCount count_operations(const Formalism& formalism, const Stations& stations, int n, const MotionBasis& basis);

// The stations of all elements of a body; derived by one formalism after another.
struct BodyStations {
  MotionBasis basis;
  std::vector<Stations> elements;
  std::vector<int> n_dofs;

  explicit BodyStations(const BodySystem& system);
  OperationCount count(const Formalism& formalism) const;
  double measure(const Formalism& formalism) const;  // seconds; the shortest of several rounds
};

// Operations on the same model with every member cut into 1 … 40 elements; members alone, without what stands at
// points. No columns if there are no members or too many.
Table count_by_mesh(const Model& model);

}  // namespace elodyn
