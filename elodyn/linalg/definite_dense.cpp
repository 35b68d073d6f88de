#include "elodyn/linalg/definite_dense.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

// Some R with RRᵀ = M, also where round-off has made the smallest eigenvalues of M negative.
MatrixX square_root(const MatrixX& M) {
  MatrixX R = M;
  if (cholesky_in_place(R)) return R;
  MatrixX A = M, vectors;
  VectorX values;
  symmetric_eigen(A, 0, static_cast<int>(M.rows()) - 1, values, vectors);
  return vectors * values.cwiseMax(0).cwiseSqrt().asDiagonal();
}

// The `count` most negative eigenvalues of iS, S real and skew, with vectors. (iS)² = SᵀS is real and has each pair ±h
// as h² twice: its largest vectors span those of iS, and the small problem between them gives both values and vectors.
// A third of the work; values are as good, vectors have errors of some ε(h₁/h)².
void find_lowest_of_skew(const MatrixX& S, int count, VectorX& h, Eigen::MatrixXcd& vectors) {
  constexpr int kBeyond = 2;  // pairs, so that what is cut off is no neighbour of the last
  const auto n = static_cast<int>(S.rows());
  const int width = std::min(n, 2 * (count + kBeyond));
  MatrixX squared = multiply(S.transpose(), S), Q;
  VectorX squares;
  symmetric_eigen(squared, n - width, n - 1, squares, Q);
  MatrixX T = multiply(Q.transpose(), multiply(S, Q));
  Eigen::MatrixXcd H = Eigen::MatrixXcd::Zero(width, width), Y;
  H.imag() = 0.5 * (T - T.transpose());
  hermitian_eigen(H, 0, count - 1, h, Y);
  vectors.resize(n, count);
  vectors.real() = multiply(Q, Y.real());
  vectors.imag() = multiply(Q, Y.imag());
}

}  // namespace

bool solve_definite_dense(const MatrixX& K, const MatrixX& C, const MatrixX& M, int count, VectorX& omega,
                          Eigen::MatrixXcd& vectors, VectorDigits digits) {
  // The inverse of the first-order form is skew in the inner product diag(K, M):
  //   X = [−L⁻¹CL⁻ᵀ  −L⁻¹R; RᵀL⁻ᵀ  0],  K = LLᵀ, M = RRᵀ,  eigenvalues 1/λ on the imaginary axis exactly.
  const int n = static_cast<int>(K.rows());
  count = std::min(count, n);
  MatrixX L = K;
  if (!cholesky_in_place(L) || !is_safely_definite(L)) return false;
  if (C.size() == 0) {  // K⁻¹M alone, in real numbers
    MatrixX B = congruence(L, M), real;
    B = (0.5 * (B + B.transpose())).eval();
    VectorX theta;
    symmetric_eigen(B, n - count, n - 1, theta, real);
    omega = theta.reverse().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
    real = real.rowwise().reverse().eval();
    solve_lower_transposed(L, real);
    vectors = real.cast<Complex>();
    return true;
  }
  const MatrixX R = square_root(M);
  MatrixX LC = C;
  solve_lower(L, LC);
  LC.transposeInPlace();
  solve_lower(L, LC);
  MatrixX LR = R;
  solve_lower(L, LR);
  MatrixX S = MatrixX::Zero(2 * n, 2 * n);  // −X; iS is Hermitian
  S.topLeftCorner(n, n) = 0.5 * (LC.transpose() - LC);
  S.topRightCorner(n, n) = LR;
  S.bottomLeftCorner(n, n) = -LR.transpose();
  VectorX h;  // the most negative: λ = i/|h|
  Eigen::MatrixXcd Y;
  constexpr int kFew = 4;  // of the whole: beyond, the detour costs more than it saves
  if (digits == VectorDigits::good && kFew * count <= n) {
    find_lowest_of_skew(S, count, h, Y);
  } else {
    Eigen::MatrixXcd H = Eigen::MatrixXcd::Zero(2 * n, 2 * n);
    H.imag() = S;
    hermitian_eigen(H, 0, count - 1, h, Y);
  }
  omega = -h.cwiseInverse();
  vectors = Y.topRows(n);
  solve_lower_transposed(L, vectors);
  return true;
}

}  // namespace elodyn
