// Eigenproblems of the affine equation, every pair residual-checked and the list checked for completeness.
//   symmetric:   K φ = μ M φ, μ = ω² (negative beyond divergence)
//   quadratic:   (λ²M + λC + K) φ = 0
//   buckling:    (K0 + λ K1) φ = 0, λ > 0
// Small problems are solved by LAPACK on the inverted problem, so that the lowest modes keep their digits: the error of
// a frequency is about ε·cond of the lowest part, not ε·ω²_max. Larger ones with K > 0 and C = −Cᵀ by a block Davidson
// iteration with one sparse Cholesky factorisation; others by LAPACK up to the sizes below, and beyond by a Krylov
// iteration with one sparse factorisation (linalg/krylov.hpp), which finds those nearest to 0 or to a target.
#pragma once

#include <complex>
#include <functional>
#include <optional>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/base/types.hpp"

namespace elodyn {

inline constexpr int kLargestDense = 4000;  // symmetric, K not definite
// Damping, Euler terms, gyroscopic with K not definite: up to here all modes are computed, beyond those nearest to 0.
inline constexpr int kLargestGeneral = 1500;
inline constexpr int kLargestFirstOrder = 1500;  // a given first-order form, with full matrices

inline constexpr int kAlwaysProven = 50'000;  // unknowns up to which completeness is proven without being asked

// Of a failure that round-off in K may have caused; one who knows the mesh can tell.
class RoundOffSuspected : public NumericalError {
 public:
  using NumericalError::NumericalError;
};

struct SymmetricModes {
  VectorX squares;           // μ, ascending
  MatrixX vectors;           // M-orthonormal columns
  bool is_complete = false;  // none below the last is missed: counted, or all were computed
};

// The `count` lowest. `rigid`: M-orthonormal null vectors of K that are known (may have no column); they come first,
// with μ = 0 exactly.
SymmetricModes solve_symmetric_modes(const SparseMatrix& K, const SparseMatrix& M, int count, const MatrixX& rigid);

// What is known of C and K; decides the algorithm and which symmetry the spectrum is given.
enum class Structure {
  symmetric,   // C = 0, K = Kᵀ
  gyroscopic,  // C = −Cᵀ, K = Kᵀ: λ, −λ, λ̄ together
  general
};

// Motions that strain nothing, M-orthonormal, and what C and K make of them: without the round-off of elastic forces
// that cancel, which may be larger than all the rest. No column: none.
struct FreeMotions {
  MatrixX R, CR, KR;
};

struct QuadraticProblem {
  SparseMatrix M, C, K;
  MatrixX damped;  // C gets Σ weight·column·columnᵀ besides; no column: nothing
  VectorX damping_weights;
  Structure structure = Structure::symmetric;
  FreeMotions free;  // with them the modes of a free body are exact where theory knows them (linalg/known_modes.hpp)
  double velocity_bound = 0;  // |x*Cx| ≤ that·x*Mx for all x, of a skew C; 0: not known
  MatrixX loads;              // smooth ones, whose deflections are a start for iterations; no column: none
  // That no mode is missed, of a conservative system: by itself up to kAlwaysProven unknowns.
  enum class Proof { if_small, always, never };
  Proof proof = Proof::if_small;
  std::optional<double> target;  // rad/s: the modes nearest to it, not the lowest
};

struct QuadraticModes {
  std::vector<std::complex<double>> values;  // λ with Im ≥ 0; both of a real pair; ascending Im, then Re descending
  Eigen::MatrixXcd vectors;                  // columns
  std::vector<double> residuals;             // backward errors in the largest norm, coordinates scaled by diag(M)^-½
  bool is_complete = false;                  // no mode among them is missed: proven, or all were computed
  bool may_miss_growing = false;             // one that grows with a high frequency would not be among them
};

// The `count` lowest modes by |λ|; unstable ones are never left out, so there may be more (but see may_miss_growing).
// Those nearest to a target are only these.
QuadraticModes solve_quadratic_modes(const QuadraticProblem& problem, int count);

// (A − σ)⁻¹ of a first-order form ẋ = A x of the problem whose state begins with the coordinates, all scaled by
// diag(M)^-½; K: the scaled stiffness, its known null vectors lifted to the top. Nothing if it is singular.
using ShiftedInverse = std::function<std::optional<MatrixX>(double sigma, const MatrixX& K)>;

// The same by all eigenvalues of a given first-order form, with full matrices.
QuadraticModes solve_quadratic_modes(const QuadraticProblem& problem, int count, const ShiftedInverse& first_order);

struct BucklingModes {
  VectorX factors;                // λ > 0, ascending; fewer than asked for, or none, if there are no more
  MatrixX vectors;                // columns with φᵀK0φ = 1, the largest component (scaled by diag(K0)^½) positive
  std::vector<double> residuals;  // backward errors in the largest norm, coordinates scaled by diag(K0)^-½
};

// The `count` smallest positive λ; K0 and K1 symmetric, K1 indefinite and of any rank. Nothing if K0 is not positive
// definite. Factors more than 1e8 times the smallest |λ| are not looked for: round-off of a K1 that only stiffens, or
// of its null space, would be found there. Large problems by a block iteration, see buckling.cpp.
std::optional<BucklingModes> solve_buckling(const SparseMatrix& K0, const SparseMatrix& K1, int count);

}  // namespace elodyn
