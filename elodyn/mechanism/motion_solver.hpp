// Accelerations of a mechanism,  M v̇ = Q + Aᵀλ,  A v̇ = γ  (mechanism.hpp), in four ways that agree:
//   kane          independent speeds u chosen by elimination; partial velocities of each body are its rows of 𝓑:
//                 Σ v_r·(F − m a) + ω_r·(T − Iα − ω×Iω) = 0                                                     (1)
//   gibbs_appell  ∂S/∂u̇_r = Q_r,  S = Σ ½ m a·a + ½ α·Iα + α·(ω×Iω), differentiated by dual numbers            (2)
//   maggi         𝓑 orthonormal by QR,  𝓑ᵀM𝓑 ė = 𝓑ᵀ(Q − M p)                                     (linalg/maggi.hpp)
//   multipliers   the saddle point in (v̇, λ)                                                       (linalg/maggi.hpp)
// The first is the fastest and allocates nothing.
// Coulomb friction depends on the reactions, which depend on it: N → friction → v̇ → λ → N is repeated until N stands
// still. It contracts as long as the friction of a joint changes its own reaction by less than itself; where it does
// not, the mechanism jams, and that is an error.
// Near a singular position, where a row comes to depend on others, its force has a lever that goes to zero. Closer than
// kPassed of the pivot at the start the row is left out: inertia alone carries the mechanism over, and what it drifts
// in that short time goes with the square of it.
#pragma once

#include <memory>
#include <vector>

#include "elodyn/linalg/maggi.hpp"
#include "elodyn/mechanism/mechanism.hpp"

namespace elodyn {

// Rows of A that do not follow from others; those that do are left out everywhere.
struct RowChoice {
  std::vector<int> rows, holonomic;  // ascending
  std::vector<int> redundant;
  int n_free = 0;    // freedoms that are left
  double pivot = 1;  // smallest one of these rows, scaled to unit length, where they were chosen
};

class MotionSolver {
 public:
  using Formalism = MechanismRequest::Formalism;
  MotionSolver(const Mechanism& mechanism, RowChoice rows, Formalism formalism);

  // v̇ at an evaluated instant. With friction λ too.
  void solve(const MechanismInstant& at, VectorX& acceleration);
  // The same where A is that of the solution or projection before, and is not factored again.
  void solve_again(const MechanismInstant& at, VectorX& acceleration);
  // λ of that solution, for each row of A: zero for rows that were left out; or the shortest that does the same.
  void calc_lambda(const MechanismInstant& at, const VectorX& acceleration, VectorX& lambda);
  void calc_shortest_lambda(const MechanismInstant& at, const VectorX& acceleration, VectorX& lambda) const;
  const VectorX& friction() const { return friction_; }  // Coulomb, along each coordinate; after solve
  double smallest_pivot() const { return is_complete() ? elimination_.last_pivot() : elimination_.next_pivot(); }
  // The last position that was solved is close to a singular one: rows of A must then be taken on Φ = 0.
  bool is_near_singular() const { return is_near_singular(smallest_pivot()); }
  bool is_near_singular(double pivot) const { return pivot < kNear * rows_.pivot; }
  bool is_complete() const { return elimination_.rank() == static_cast<int>(rows_.rows.size()); }
  int weakest_row() const { return elimination_.row(elimination_.rank() - 1); }

  // The smallest changes in the norm of M that bring q onto Φ = 0 and v onto A v = b. `at` is used for work, and holds
  // the state that comes out. Returns the largest |Φ| before.
  double project_positions(MechanismState& state, MechanismInstant& at);
  double project_velocities(MechanismState& state, MechanismInstant& at);
  // Both, from a state at which v̇ was solved just before: its factors serve for the first correction.
  struct Gaps {
    double position = 0, velocity = 0;
  };
  Gaps project_solved(MechanismState& state, MechanismInstant& at);

  const RowChoice& rows() const { return rows_; }

 private:
  void factor(const MechanismInstant& at);   // what depends on A alone
  void prepare(const MechanismInstant& at);  // and on γ
  void solve_with_friction(const MechanismInstant& at, VectorX& acceleration);
  void correct_factored(const VectorX& violation, VectorX& change);
  void solve_prepared(const MechanismInstant& at, const VectorX& Q, VectorX& acceleration);
  void reduce_mass();
  void reduce_mass_by_appell(const MechanismInstant& at);
  void factor_reduced(double t);
  void solve_reduced(VectorX& rhs) const;
  void correct(const std::vector<int>& rows, const MechanismInstant& at, const VectorX& violation, VectorX& change);

  static constexpr double kPassed = 1e-5, kNear = 0.1;

  const Mechanism& mechanism_;
  RowChoice rows_;
  Formalism formalism_;
  Elimination elimination_;
  std::unique_ptr<const ConstrainedSolver> solver_;  // maggi, multipliers
  MatrixX M_, kept_A_;
  VectorX kept_gamma_;
  RowMatrix reduced_;  // 𝓑ᵀM𝓑, then its Cholesky factor
  VectorX particular_, inertia_, rest_, reduced_rhs_, lambda_, friction_, Q_, load_, violation_, change_;
};

// Length of the force that a joint transmits, from λ.
double calc_joint_force(const Mechanism& mechanism, const MechanismInstant& at, int joint, const VectorX& lambda);

}  // namespace elodyn
