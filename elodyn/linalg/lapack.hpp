// The few BLAS and LAPACK routines that we use, on Eigen matrices. They keep Eigen's decompositions, which are slow to
// compile, out of the sources. A routine that does not converge throws NumericalError with its name.
#pragma once

#include <complex>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

// For the start of main(). OpenBLAS takes its oldest kernels on processors that it does not know, and the loops of
// CHOLMOD start threads that cost more than they save: a factorisation is then two to three times slower. The memory of
// large blocks, which are taken and given back all the time, is returned to the system and zeroed anew. All of these
// read the environment when they are loaded, so it is set and the program begins anew, once. Who has set
// OPENBLAS_CORETYPE, OMP_THREAD_LIMIT or GLIBC_TUNABLES is not overruled.
void restart_with_fast_libraries(char** argv);

// Results must not depend on the number of cores: sums in BLAS are then done in one order. For the whole process.
void use_one_blas_thread();
// The same until it goes out of scope: where threads of our own call BLAS.
class OneBlasThread {
 public:
  OneBlasThread();
  ~OneBlasThread();
  OneBlasThread(const OneBlasThread&) = delete;
  OneBlasThread& operator=(const OneBlasThread&) = delete;

 private:
  int before_;
};

// A B. Eigen is compiled for every processor and takes three times as long.
MatrixX multiply(const MatrixX& A, const MatrixX& B);

// Lower Cholesky factor in place (upper triangle zeroed); false if not positive definite.
bool cholesky_in_place(MatrixX& A);
// The same of n columns that are `stride` apart, what is above the diagonal not touched. Returns how many could be
// eliminated: n, or less.
int factor_lower(double* A, int n, int stride);
// True if no pivot of the factor L is lost in round-off: LLᵀ is positive definite to working precision.
bool is_safely_definite(const MatrixX& L);
// B ← L⁻¹B, B ← L⁻ᵀB for a lower triangular L.
void solve_lower(const MatrixX& L, MatrixX& B);
void solve_lower_transposed(const MatrixX& L, MatrixX& B);
void solve_lower_transposed(const MatrixX& L, Eigen::MatrixXcd& B);
// L⁻¹AL⁻ᵀ
MatrixX congruence(const MatrixX& L, const MatrixX& A);

// Eigenvalues number first..last (0-based, ascending) with orthonormal vectors. A is destroyed.
void symmetric_eigen(MatrixX& A, int first, int last, VectorX& values, MatrixX& vectors);
void hermitian_eigen(Eigen::MatrixXcd& A, int first, int last, VectorX& values, Eigen::MatrixXcd& vectors);

// All eigenvalues of a general matrix, with vectors in columns. A is destroyed.
void general_eigen(MatrixX& A, Eigen::VectorXcd& values, Eigen::MatrixXcd& vectors);
void general_eigen(Eigen::MatrixXcd& A, Eigen::VectorXcd& values, Eigen::MatrixXcd& vectors);

// A⁻¹ B in place of B by LU with partial pivoting; false if A is exactly singular. A is destroyed.
bool solve_in_place(MatrixX& A, MatrixX& B);
// Vector x of unit length with A x ≈ 0: a few steps of inverse iteration from a fixed start. A is destroyed.
Eigen::VectorXcd null_vector(Eigen::MatrixXcd& A);
// The shortest x that minimises ‖A x − b‖.
VectorX least_squares(MatrixX A, const VectorX& b);

// A P = Q R with pivoting of columns: Q square and orthogonal, R upper trapezoidal, order[k] the column of A that
// stands at k. The rank counts the diagonal entries of R above `tolerance` times the largest.
struct PivotedQr {
  MatrixX Q, R;
  std::vector<int> order;
  int rank = 0;
};
PivotedQr pivoted_qr(MatrixX A, double tolerance);

// A = P L U with partial pivoting, kept for many right-hand sides.
class DenseLuSolver {
 public:
  bool factor(MatrixX A);  // false if A is exactly singular
  MatrixX solve(MatrixX B) const;

 private:
  MatrixX factors_;
  std::vector<int> pivots_;
};

// Null vectors of a small symmetric semidefinite matrix, columns; eigenvalues below that part of the largest are zero.
MatrixX null_space(const MatrixX& A, double tolerance);

}  // namespace elodyn
