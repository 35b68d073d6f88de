// Motions that repeat themselves: their period, and the map of small motions over it (Floquet),
//   x(t₀ + T) = Φ x(t₀) + p,   Φ v = μ v                                                                           (1)
// of the canonical state x (system/canonical.hpp) on M-orthonormal columns, p from the loads alone. By a method of
// three stages (analysis/integrator.hpp with M = 1): Gauss's, order 6, symplectic, or Radau's, order 5, which damps
// what is much faster than a step. Source: [YakubovichStarzhinskii1975], II. What floquet, periodic and cycle share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elodyn/analysis/integrator.hpp"
#include "elodyn/base/progress.hpp"

namespace elodyn {

struct Period {
  double start = 0, length = 0;  // s
  // Of a body of a mechanism the joint whose turns were counted, and how far the motion is from repeating itself.
  const Cycle* cycle = nullptr;
};
// What is asked for; else the last cycle of the mechanism, or the turn of a body that spins. `analysis`: for messages.
// Throws NumericalError if none is known.
Period find_period(const BodySystem& system, std::optional<double> length, std::optional<double> start,
                   const std::string& analysis);
// Throws unless motion and loads are the same one period later, two, four … periods. Of a mechanism they may change by
// the given share of their size, which is what the result is good for; beyond kReturns a warning says it.
void require_periodic(const BodySystem& system, const Period& period, double share, std::vector<std::string>& warnings);

// The lowest modes with the stiffness of the mean over the period (scaled coordinates); at rest if that is not positive
// definite.
struct PeriodBasis {
  MatrixX vectors;
  VectorX squares;  // ω² of the modes
  SparseMatrix K;   // that they belong to
};
PeriodBasis make_period_basis(const CanonicalEquation& equation, const Period& period, int count);

class PeriodMap {
 public:
  // The equation must live longer.
  PeriodMap(const CanonicalEquation& equation, const MatrixX& basis, GaussCoefficients method);
  Eigen::Index size() const { return projected_.size(); }  // of η; a state has twice as many

  // All columns of X from t to t + h; the last one under the loads, if `loaded`. Throws NumericalError if the matrix of
  // the step is singular.
  void step(double t, double h, MatrixX& X, bool loaded);
  // The same in equal steps over a period; throws if it grows beyond all numbers.
  void advance(const Period& period, int steps, MatrixX& X, bool loaded, Progress* progress = nullptr);

  const ProjectedEquation& projected() const { return projected_; }
  VectorX calc_load(const FactorValues& at) const;  // on the basis

 private:
  const BodySystem& system_;
  ProjectedEquation projected_;
  MatrixX loads_;  // on the basis, a column for each load term
  GaussCoefficients g_;
  ProjectedTerms terms_[3];
  FactorValues factors_;
  VectorX load_[3];
  MatrixX A_, Z_;
};

}  // namespace elodyn
