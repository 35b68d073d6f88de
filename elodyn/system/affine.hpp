// The affine equation of one body: the narrow waist of the program. Formalisms fill it, analyses read it.
//   Σ_mass c·M q̈ + Σ_velocity c·φ·C q̇ + Σ_stiffness c·φ·K q = Σ c·φ·f
// Every matrix and vector is constant; the motion enters only as the scalar factors φ.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/linalg/pattern.hpp"

namespace elodyn {

// The scalar that multiplies a term.
struct Factor {
  enum class Kind { one, w, e, ww, a, load };
  Kind kind = Kind::one;
  int i = 0, j = 0;
};

// The motion and the loads at one instant, on the body's basis.
struct FactorValues {
  VectorX w, e;  // one entry for each axis
  VectorX a;     // one for each acceleration direction
  VectorX load;  // one for each load case
  double operator()(const Factor& factor) const;
};

// What a term is, so that it can be switched off by name.
enum class TermKind {
  mass,
  damping,
  elastic,
  coriolis,
  euler,
  centrifugal_stiffness,
  circulatory,  // dashpots to the ground
  geometric,
  centrifugal_load,
  euler_load,
  origin_load,
  applied_load
};

struct MatrixTerm {
  std::string name;  // "M", "G_z", "S_zz", "Kg_H_zz"
  TermKind kind = TermKind::mass;
  Factor factor;
  double coefficient = 1;  // 2 for G
  VectorX values;          // on the pattern
};

struct LoadTerm {
  std::string name;  // "A_x", "B_z", "H_zz", "f"
  TermKind kind = TermKind::applied_load;
  Factor factor;
  double coefficient = 1;  // −1 for inertia loads
  VectorX values;
};

struct AffineEquation {
  std::shared_ptr<const SparsePattern> pattern;
  std::vector<MatrixTerm> matrices;
  std::vector<LoadTerm> loads;

  int size() const { return pattern->size(); }
  SparseMatrix calc_mass() const;
  SparseMatrix calc_elastic() const;                          // K alone
  SparseMatrix calc_velocity(const FactorValues& at) const;   // D + 2 Σ w G
  SparseMatrix calc_stiffness(const FactorValues& at) const;  // K + Σ e E + Σ ww S + Σ w N + Kg
  VectorX calc_load(const FactorValues& at) const;
  const MatrixTerm* find(const std::string& name) const;

 private:
  template <class Predicate>
  SparseMatrix sum(const FactorValues& at, Predicate wanted) const;
};

bool acts_on_velocity(TermKind kind);
bool acts_on_displacement(TermKind kind);

}  // namespace elodyn
