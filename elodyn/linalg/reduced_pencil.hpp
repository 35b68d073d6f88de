// A large pencil over a range of speeds by a small one: Galerkin on the modes (real and imaginary parts) at a few
// speeds, every matrix projected once, then a small full problem at each speed ([Hesthaven2016], the reduced basis).
// Error: with the residuals r = Q(λ,Ω) x, s = Q(λ,Ω)* y of a pair from the basis, measured by ‖r‖² = r* K_r⁻¹ r,
//   |δλ/λ| ≤ ‖r‖ ‖s‖ / (α |λ y* ∂Q/∂λ x| γ),   γ: relative distance of 1/λ to the rest of the spectrum.
// For a skew C and K > 0 the inverse first-order form is skew in the energy diag(K, M), the reduced problem is its
// Rayleigh–Ritz problem, r = s, and this is the bound of Kato and Temple ([Parlett1998], 10.5 and 11.7); α bounds K(Ω)
// from below by α K_r. It holds if the neighbours that γ is taken from are known, and α is taken from the basis; for
// other pencils it is an estimate of second order. ‖r‖ costs no solve at a speed: r is linear in a few constant blocks
// whose products with K_r⁻¹ are kept.
// The basis grows where the bound is worst. Where K(Ω) > 0 by all modes there, from solve_quadratic_modes; elsewhere,
// and with damping, by inverse iteration with Q(λ,Ω) from the pairs that the basis has.
#pragma once

#include <vector>

#include "elodyn/linalg/solve.hpp"
#include "elodyn/linalg/speed_pencil.hpp"

namespace elodyn {

struct ReducedOptions {
  int count = 10;              // modes that must be accurate
  double tolerance = 1e-8;     // of them, relative
  int largest_unreduced = 60;  // a pencil of so few unknowns is taken as it is
};

class ReducedPencil {
 public:
  // The pencil must live longer. Throws NumericalError if no speed can be solved, Interrupted if the user wants to end.
  ReducedPencil(const SpeedPencil& full, const std::vector<double>& speeds, ReducedOptions options);

  const DensePencil& dense() const { return small_; }
  // Full vectors are V·(small vectors).
  const MatrixX& V() const { return V_; }
  bool is_reduced() const { return is_reduced_; }
  int n_full_solves() const { return n_full_solves_; }
  int n_inverse_iterations() const { return n_inverse_iterations_; }

  // Relative error of each value; zeros if nothing is reduced.
  VectorX estimate_errors(const PencilModes& modes) const;
  // Makes the first `n` of these modes exact, and what lies near them better. False if the basis has them already, to
  // the tolerance: it stays as it is, and the bound is as good as round-off lets it be.
  bool enrich(const PencilModes& modes, int n);

 private:
  enum class Snapshot { impossible, known, added };
  Snapshot add_snapshot(double speed, int n);
  void add_rest_modes();
  void factor_reference(double speed);
  bool add(const Eigen::MatrixXcd& vectors);
  bool add_real(MatrixX vectors);
  void project(Eigen::Index old);
  void project_free_motions();
  void find_lower_bound();

  const SpeedPencil& full_;
  std::vector<double> speeds_;
  ReducedOptions options_;
  bool is_reduced_ = true;
  DensePencil small_;
  MatrixX V_;
  CholeskySolver reference_;
  SparseMatrix K_reference_;
  double reference_speed_ = 0, shift_ = 0, alpha_ = 1;
  int n_full_solves_ = 0, n_inverse_iterations_ = 0;
  // Blocks that act in the residual, beside K_r V itself: M V, C1 V, K2 V, C0 V, K1 V, those that are not zero.
  struct Block {
    enum class Of { M, C1, K2, C0, K1 } of = Of::M;
    MatrixX W, Z;  // A V, K_r⁻¹ A V
  };
  std::vector<Block> blocks_;
  MatrixX gram_;  // of [K_r V, W…] with K_r⁻¹
};

}  // namespace elodyn
