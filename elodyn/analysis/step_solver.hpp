// The linear system of one time step, whose values change from step to step and whose pattern does not:
//   (A + V G Vᵀ) x = b,   A = s × s blocks on the pattern of the equation, V of few columns (modal damping)
// Narrow ones (beams) are factored as bands whenever a value has changed, without allocation: about as quick as two
// solves. Wide ones (plates, frames) are factored by sparse solvers, and an old factor F is kept as long as
//   x ← x + F⁻¹(b − A x)
// still converges in a few turns; it goes on until a correction is below the round-off of x. With a new factor one turn
// is made: a factorisation is exact for matrices slightly off, always the same way; over a million steps that would add
// up. What is chosen depends on values alone, never on the clock: the same input gives the same digits.
#pragma once

#include <vector>

#include "elodyn/linalg/banded.hpp"
#include "elodyn/linalg/pattern.hpp"
#include "elodyn/linalg/solve.hpp"

namespace elodyn {

class StepSolver {
 public:
  // V: n × m for one stage; each stage has its own copy.
  StepSolver(const SparsePattern& pattern, int stages, const MatrixX& V);

  // Values of block (i, k) on the pattern, to be filled before update(); G: (s·m) × (s·m).
  VectorX& block(int i, int k) { return blocks_[static_cast<size_t>(i * stages_ + k)]; }
  MatrixX& coupling() { return G_; }

  // After the values have changed. False: singular.
  bool update(bool is_symmetric);
  // Factors these values, whatever there is of old factors.
  bool factor(bool is_symmetric);
  // x of length s·n, stage after stage. False: the matrix is singular, seen when an old factor no longer helped.
  bool solve(const VectorX& b, VectorX& x);

  // The factor is of values that have changed since.
  bool is_old() const { return is_old_; }
  bool is_banded() const { return is_banded_; }
  long n_factorisations() const { return n_factorisations_; }

 private:
  bool factor();
  bool factor_band();
  bool factor_sparse();
  bool prepare_coupling();
  void once(const VectorX& b, VectorX& x);
  void plain_solve(const VectorX& b, VectorX& x);
  void calc_residual(const VectorX& b, const VectorX& x);

  const SparsePattern* pattern_;
  int stages_, n_;
  std::vector<VectorX> blocks_, factored_;  // now, and those of the factor
  MatrixX V_, G_, factored_G_;
  bool is_banded_ = false, is_symmetric_ = false, is_factored_ = false, is_old_ = false;
  long n_factorisations_ = 0;
  // bands
  std::vector<int> position_, places_;  // of unknowns; of the entries of all blocks
  BandedLu band_;
  // sparse
  SparseMatrix sparse_;
  std::vector<int> entries_;  // of the blocks in sparse_
  CholeskySolver cholesky_;
  LuSolver lu_;
  bool has_lu_ = false, uses_cholesky_ = false;
  // Woodbury
  MatrixX inverse_V_, small_, capacitance_;
  BandedLu small_lu_;  // of 1 + G VᵀA⁻¹V, a full band
  VectorX residual_, correction_, permuted_, few_, few_too_;
};

}  // namespace elodyn
