// Mechanical systems with linear velocity constraints, dense and independent of what moves:
//   M q̈ = Q + Aᵀλ,   A q̇ = b,   differentiated  A q̈ = γ,  γ = ḃ − Ȧ q̇                               (1)
// Aᵀλ is what the constraints do to the coordinates: the liaison forces. Rows of A may be holonomic constraints
// Φ(q,t) = 0 differentiated (A = ∂Φ/∂q, b = −∂Φ/∂t) or non-holonomic ones, which have no Φ.
//   Maggi:        𝓑 with A𝓑 = 0 spans the motions that are left:  q̈ = p + 𝓑ė,  A p = γ,
//                 𝓑ᵀM𝓑 ė = 𝓑ᵀ(Q − M p); no multiplier appears, and λ follows afterwards from Aᵀλ = M q̈ − Q  (2)
//   multipliers:  [M −Aᵀ; A 0] [q̈; λ] = [Q; γ], the saddle point                                           (3)
// 𝓑 comes from a QR decomposition of Aᵀ (orthonormal columns), or from a partition of the coordinates into dependent
// and independent ones (Gauss with complete pivoting). M may be singular as long as 𝓑ᵀM𝓑 is not.
// Coordinates are scaled by diag(M)^½ and rows to unit length inside, so units do not matter.
// Rows that depend on others are found and left out; λ is then not unique, and the shortest one is given.
// Sources: [Maggi1901], [Wehage1982]. Limit: full matrices, so hundreds of coordinates.
#pragma once

#include <memory>
#include <vector>

#include "elodyn/base/ode.hpp"
#include "elodyn/base/types.hpp"

namespace elodyn {

// (1) at one instant.
struct ConstrainedState {
  MatrixX M;
  VectorX Q;
  MatrixX A;
  VectorX gamma;
};

struct ConstrainedSolution {
  VectorX acceleration;
  VectorX lambda;              // one for each row of A
  std::vector<int> dependent;  // rows of A, from 0, that follow from the others
  bool lambda_is_unique() const { return dependent.empty(); }
};

enum class Complement { qr, partition };

// All q̈ with A q̈ = γ:  q̈ = p(γ) + 𝓑ė.
class AdmissibleMotions {
 public:
  AdmissibleMotions(const MatrixX& A, Complement complement);
  const MatrixX& complement() const { return complement_; }  // 𝓑, one column for each motion that is left
  VectorX calc_particular(const VectorX& gamma) const;       // p, from the independent rows
  const std::vector<int>& independent() const { return independent_; }
  const std::vector<int>& dependent() const { return dependent_; }
  // Throws NumericalError that numbers the row if a dependent row asks for something else than those it depends on.
  void require_consistent(const VectorX& gamma) const;

 private:
  MatrixX complement_, particular_, combination_;  // of the independent rows, for p and for each dependent row
  std::vector<int> independent_, dependent_;       // ascending
};

enum class ConstraintMethod { maggi_qr, maggi_partition, multipliers };

// M and A factored; many Q and γ may follow.
class ConstrainedSolver {
 public:
  virtual ~ConstrainedSolver() = default;
  virtual VectorX calc_acceleration(const VectorX& Q, const VectorX& gamma) const = 0;
  // With multipliers; throws NumericalError if rows of A contradict each other.
  virtual ConstrainedSolution solve(const VectorX& Q, const VectorX& gamma) const = 0;
};
// Throws NumericalError if some motion that the constraints leave has no mass.
std::unique_ptr<const ConstrainedSolver> make_constrained_solver(ConstraintMethod method, const MatrixX& M,
                                                                 const MatrixX& A);

ConstrainedSolution solve_maggi(const ConstrainedState& state, Complement complement);
ConstrainedSolution solve_multipliers(const ConstrainedState& state);

// A system in time, as functions of t, q and v = q̇.
class ConstrainedSystem {
 public:
  virtual ~ConstrainedSystem() = default;
  virtual int n() const = 0;
  virtual MatrixX calc_mass(double t, const VectorX& q) const = 0;
  virtual VectorX calc_force(double t, const VectorX& q, const VectorX& v) const = 0;  // Q
  virtual MatrixX calc_A(double t, const VectorX& q) const = 0;
  virtual VectorX calc_b(double t, const VectorX& q) const = 0;
  virtual VectorX calc_gamma(double t, const VectorX& q, const VectorX& v) const = 0;
  // Φ of the holonomic constraints, whose rows come first in A; the others have none.
  virtual VectorX calc_positions(double /*t*/, const VectorX& /*q*/) const { return {}; }
  // M and A never change, and are factored once.
  virtual bool is_constant() const { return false; }
};

ConstrainedState calc_state(const ConstrainedSystem& system, double t, const VectorX& q, const VectorX& v);

struct ConstrainedOptions {
  ConstraintMethod method = ConstraintMethod::maggi_qr;
  // After each step q is moved back onto Φ = 0 and then v onto A v = b, each by the smallest change in the norm of M.
  // Without it (1) keeps the constraints only as well as the integration keeps A q̈ = γ.
  bool project = true;
  double velocity_unit = 1;  // ode.absolute is the error of q, and this times the error of v
  OdeOptions ode;
};

// Largest |Φ| and |A v − b| over the steps.
struct ConstraintDrift {
  double position = 0, velocity = 0;
};

struct ConstrainedMotion {
  std::vector<double> times;
  MatrixX q, v;           // one column for each time
  ConstraintDrift drift;  // of the states from which the next step starts: after the projection, if there is one
  ConstraintDrift step;   // of a step as it comes out of the integration
  long steps = 0;
};

// From (q, v) at times.front(), which are projected first if there is projection.
ConstrainedMotion integrate_constrained(const ConstrainedSystem& system, VectorX q, VectorX v,
                                        const std::vector<double>& times, const ConstrainedOptions& options);

}  // namespace elodyn
