#include "elodyn/linalg/davidson.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseCholesky>
#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/solve.hpp"
#include "elodyn/linalg/subspace.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

// K-orthonormal real basis with its projections, grown block by block.
class Basis {
 public:
  Basis(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M) : K_(K), C_(C), M_(M), U_(K.rows(), 0) {}

  Eigen::Index size() const { return U_.cols(); }
  const MatrixX& U() const { return U_; }
  const MatrixX& Kp() const { return Kp_; }
  const MatrixX& Cp() const { return Cp_; }
  const MatrixX& Mp() const { return Mp_; }

  void reset(const MatrixX& block) {
    U_.resize(K_.rows(), 0);
    add(block);
  }

  // Columns should have K-norms of like size; the two parts of a complex vector are scaled together.
  void add(const MatrixX& block) {
    const MatrixX W = make_orthonormal_block(K_, U_, block);
    if (W.cols() == 0) return;
    const Eigen::Index old = U_.cols(), width = W.cols();
    U_.conservativeResize(K_.rows(), old + width);
    U_.rightCols(width) = W;
    project(K_, W, Kp_, 1);
    project(C_, W, Cp_, -1);
    project(M_, W, Mp_, 1);
  }

 private:
  // P ← [P, UᵀAW; ±(UᵀAW)ᵀ, WᵀAW]
  void project(const SparseMatrix& A, const MatrixX& W, MatrixX& P, double sign) const {
    const Eigen::Index old = U_.cols() - W.cols();
    const MatrixX AW = A * W, column = U_.transpose() * AW;
    P.conservativeResize(U_.cols(), U_.cols());
    P.rightCols(W.cols()) = column;
    P.bottomLeftCorner(W.cols(), old) = sign * column.topRows(old).transpose();
  }

  const SparseMatrix &K_, &C_, &M_;
  MatrixX U_, Kp_, Cp_, Mp_;
};

// Some R with RRᵀ = M, also where round-off has made the smallest eigenvalues of M negative.
MatrixX square_root(const MatrixX& M) {
  MatrixX R = M;
  if (cholesky_in_place(R)) return R;
  MatrixX A = M, vectors;
  VectorX values;
  symmetric_eigen(A, 0, static_cast<int>(M.rows()) - 1, values, vectors);
  return vectors * values.cwiseMax(0).cwiseSqrt().asDiagonal();
}

}  // namespace

bool solve_definite_dense(const MatrixX& K, const MatrixX& C, const MatrixX& M, int count, VectorX& omega,
                          Eigen::MatrixXcd& vectors) {
  // The inverse of the first-order form is skew in the inner product diag(K, M):
  //   X = [−L⁻¹CL⁻ᵀ  −L⁻¹R; RᵀL⁻ᵀ  0],  K = LLᵀ, M = RRᵀ,  eigenvalues 1/λ on the imaginary axis exactly.
  const int n = static_cast<int>(K.rows());
  count = std::min(count, n);
  MatrixX L = K;
  if (!cholesky_in_place(L) || !is_safely_definite(L)) return false;
  const MatrixX R = square_root(M);
  MatrixX LC = C;
  solve_lower(L, LC);
  LC.transposeInPlace();
  solve_lower(L, LC);
  MatrixX LR = R;
  solve_lower(L, LR);
  Eigen::MatrixXcd H = Eigen::MatrixXcd::Zero(2 * n, 2 * n);  // −iX, Hermitian
  H.topLeftCorner(n, n).imag() = 0.5 * (LC.transpose() - LC);
  H.topRightCorner(n, n).imag() = LR;
  H.bottomLeftCorner(n, n).imag() = -LR.transpose();
  VectorX h;
  Eigen::MatrixXcd Y;
  hermitian_eigen(H, 0, count - 1, h, Y);  // the most negative h: λ = i/|h|
  omega = -h.cwiseInverse();
  vectors = Y.topRows(n);
  solve_lower_transposed(L, vectors);
  return true;
}

bool solve_definite_sparse(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, int count,
                           QuadraticModes& out) {
  CholeskySolver solver;
  if (!solver.factor(K)) return false;
  const Eigen::Index n = K.rows(), guard = std::max(8, count / 2), width = count + guard;
  constexpr int kLargestBasis = 40;                         // blocks of `count` before a restart
  constexpr double kConverged = 1e-12, kAcceptable = 1e-5;  // of η; a frequency has η²
  Basis basis(K, C, M);
  std::mt19937 engine(1);         // fixed: the same input gives the same digits
  while (basis.size() < width) {  // smooth vectors are nearly dependent: some blocks may be needed
    MatrixX start = solver.solve(M * make_random_block(engine, n, width));
    const VectorX norms = start.cwiseProduct(K * start).colwise().sum().cwiseSqrt().transpose();
    start = (start * norms.cwiseInverse().asDiagonal()).eval();
    if (!start.allFinite()) return false;  // K has lost its sign to round-off
    const Eigen::Index before = basis.size();
    basis.add(start);
    if (basis.size() == before) return false;  // K is singular to working precision
  }

  VectorX omega;
  Eigen::MatrixXcd Y, X;
  double last_worst = 1;
  int stalled = 0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    if (!solve_definite_dense(basis.Kp(), basis.Cp(), basis.Mp(), static_cast<int>(width), omega, Y)) return false;
    // Of repeated modes all are brought to convergence, or the wanted ones would turn among the others for ever.
    Eigen::Index active = count;
    while (active < width && omega[active] < omega[active - 1] * (1 + 1e-6)) ++active;
    X.resize(n, active);
    X.real() = basis.U() * Y.leftCols(active).real();
    X.imag() = basis.U() * Y.leftCols(active).imag();
    // r = (K − ω²M + iωC) x; relative to x*Kx its K⁻¹ norm is η².
    const MatrixX re = X.real(), im = X.imag();
    const VectorX w = omega.head(active);
    MatrixX R(n, 2 * active);
    R.leftCols(active) = K * re - (M * re) * w.cwiseAbs2().asDiagonal() - (C * im) * w.asDiagonal();
    R.rightCols(active) = K * im - (M * im) * w.cwiseAbs2().asDiagonal() + (C * re) * w.asDiagonal();
    const MatrixX T = solver.solve(R);
    std::vector<Eigen::Index> open;
    VectorX norms(active);  // of T in the energy, both parts together
    double worst = 0;
    for (Eigen::Index k = 0; k < active; ++k) {
      const double residual = R.col(k).dot(T.col(k)) + R.col(active + k).dot(T.col(active + k));
      const double energy = re.col(k).dot(K * re.col(k)) + im.col(k).dot(K * im.col(k));
      const double eta = std::sqrt(std::max(0.0, residual) / energy);
      worst = std::max(worst, eta);
      norms[k] = std::sqrt(std::max(residual, 1e-300));
      if (eta > kConverged) open.push_back(k);
    }
    // Round-off ends the descent of η at about ε·√cond(K); frequencies are then exact to η².
    stalled = worst > 0.5 * last_worst ? stalled + 1 : 0;
    if (open.empty() || (worst < kAcceptable && stalled >= 2)) break;
    if (iteration == 99)
      throw RoundOffSuspected(
          fmt::format("mode {} did not converge (residual {:.1e}); ask for more modes, or use fewer elements",
                      open.front() + 1, worst));
    last_worst = worst;
    if (basis.size() > kLargestBasis * count) {
      MatrixX best(n, 2 * Y.cols());
      best << basis.U() * Y.real(), basis.U() * Y.imag();
      basis.reset(best);
    }
    MatrixX W(n, 2 * static_cast<Eigen::Index>(open.size()));
    for (size_t j = 0; j < open.size(); ++j) {
      W.col(2 * static_cast<Eigen::Index>(j)) = T.col(open[j]) / norms[open[j]];
      W.col(2 * static_cast<Eigen::Index>(j) + 1) = T.col(active + open[j]) / norms[open[j]];
    }
    basis.add(W);
  }
  for (Eigen::Index k = 0; k < count; ++k) out.values.emplace_back(0, omega[k]);
  out.vectors = X.leftCols(count);

  // Counted in the gap below the last mode: of repeated ones `count` may have cut some off, which is no miss.
  const int expected = count_before_last_group(omega, count);
  const double below = omega[expected] * (1 - 0.5 * kGap);
  const int there = count_below(K, C, M, below);
  if (there > expected)
    throw RoundOffSuspected(
        fmt::format("{} modes lie below {:.6g} rad/s but {} were found; ask for more modes", there, below, expected));
  return true;
}

int count_below(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, double s) {
  const auto negatives = [](const auto& D) {
    int count = 0;
    for (const auto& d : D) count += std::real(d) < 0 ? 1 : 0;
    return count;
  };
  if (C.nonZeros() == 0 || C.norm() == 0) {
    const Eigen::SimplicialLDLT<SparseMatrix> ldlt(K - s * s * M);
    return negatives(ldlt.vectorD());
  }
  using SparseComplex = Eigen::SparseMatrix<Complex>;
  const SparseComplex A = SparseComplex((K - s * s * M).eval().cast<Complex>()) + Complex(0, s) * C.cast<Complex>();
  const Eigen::SimplicialLDLT<SparseComplex> ldlt(A);
  return negatives(ldlt.vectorD());
}

}  // namespace elodyn
