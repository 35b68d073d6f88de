// Every linear constraint in one form:  q = T z + g.  Rows Σ cᵢ qᵢ = c₀ are eliminated one after another, each for
// the coordinate with the largest coefficient; z are the coordinates that remain.
//   reduce: A ↦ TᵀAT, f ↦ Tᵀ(f − K g);   expand: z ↦ T z + g.   expand∘restrict = identity on the admissible set.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/system/affine.hpp"

namespace elodyn {

struct ConstraintRow {
  std::vector<std::pair<int, double>> coefficients;
  double value = 0;    // c₀
  std::string origin;  // "clamp at `root`", for messages
};

// TᵀAT and Tᵀf of all terms, on one pattern.
AffineEquation project(const AffineEquation& full, const SparseMatrix& T);

class Constraints {
 public:
  Constraints() = default;
  // Redundant rows are dropped and kept by name; a contradiction throws NumericalError naming the row.
  Constraints(int n_full, const std::vector<ConstraintRow>& rows);

  int n_full() const { return static_cast<int>(T_.rows()); }
  int n_reduced() const { return static_cast<int>(T_.cols()); }
  const SparseMatrix& T() const { return T_; }
  const VectorX& g() const { return g_; }
  int full_of_reduced(int k) const { return free_[static_cast<size_t>(k)]; }
  bool is_held(int full) const { return held_[static_cast<size_t>(full)]; }  // touched by a constraint
  const std::vector<std::string>& redundant() const { return redundant_; }

  VectorX expand(const VectorX& z) const { return T_ * z + g_; }
  VectorX restrict(const VectorX& q) const;  // z of an admissible q
  VectorX reduce_load(const VectorX& f) const { return T_.transpose() * f; }
  AffineEquation reduce(const AffineEquation& full) const;  // all terms, on one pattern

 private:
  SparseMatrix T_;
  VectorX g_;
  std::vector<int> free_;
  std::vector<bool> held_;
  std::vector<std::string> redundant_;
};

}  // namespace elodyn
