// Every formalism on the same model: how far they are apart, what they cost, and why some do not apply.
//   terms:        max |d (X − X₀) d| / max |d X₀ d| over each family (M, K, all Gᵢ, …), d = diag(M)^-½, X₀ by the
//                 default formalism; loads the same with one d. Bound 1e-12.
//   frequencies:  max |λ − λ₀| / |λ₀|
//   trajectory:   max |d⁻¹(z − z₀)| / max |d⁻¹z₀| over a short motion that starts from the undeformed body with the
//                 velocities of its lowest modes
// Hamilton's rows are those of ṗ, never divided by M, so the comparison of its terms is one in ṗ.
// Operations are counted by running the same derivation on numbers that count; the time is that of plain numbers.
#pragma once

#include "elodyn/formalism/formalism.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/results/results.hpp"

namespace elodyn {

inline constexpr double kAgreement = 1e-12;  // of the terms

// Fills results.formalisms and the tables "formalisms" and "terms". Outcome "disagree" if a term differs by more.
Results run_compare(const Model& model);

// Operations that an element formalism takes to derive one element with n dofs, and all elements of a model.
OperationCount count_operations(const Formalism& formalism, const Stations& stations, int n, const MotionBasis& basis);
OperationCount count_operations(const Model& model, const std::string& formalism);

}  // namespace elodyn
