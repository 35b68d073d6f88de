#include "elodyn/linalg/speed_pencil.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Eigenvalues>

#include "elodyn/linalg/davidson.hpp"
#include "elodyn/linalg/definite_dense.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/zero.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;
using MatrixC = Eigen::MatrixXcd;
using VectorC = Eigen::VectorXcd;

// Of all columns at once: Eigen does not multiply a cast matrix with single ones in blocks.
MatrixC times(const MatrixX& A, const MatrixC& X) {
  MatrixC out(A.rows(), X.cols());
  out.real() = multiply(A, X.real());
  out.imag() = multiply(A, X.imag());
  return out;
}

// Right vectors at one speed: K > 0 first, which is quick and exact in symmetry; else all that solve_quadratic_modes
// can do.
void solve_right(const DensePencil& p, const MatrixX& C, const MatrixX& K, int count, PencilModes& out) {
  VectorX omega;
  if (p.is_conservative && solve_definite_dense(K, C, p.M, count, omega, out.x, VectorDigits::good)) {
    for (const double w : omega) out.values.emplace_back(0, w);
    return;
  }
  QuadraticProblem q;
  q.M = p.M.sparseView();
  q.C = C.sparseView();
  q.K = K.sparseView();
  q.structure = !p.is_conservative ? Structure::general : is_zero(C) ? Structure::symmetric : Structure::gyroscopic;
  q.free = p.free.at(out.speed);
  const QuadraticModes modes = solve_quadratic_modes(q, count);
  std::vector<Eigen::Index> kept;
  for (size_t k = 0; k < modes.values.size(); ++k)
    if (!p.is_conservative || modes.values[k].imag() > 0 || modes.values[k].real() >= 0)
      kept.push_back(static_cast<Eigen::Index>(k));
  out.x.resize(p.size(), static_cast<Eigen::Index>(kept.size()));
  for (size_t k = 0; k < kept.size(); ++k) {
    out.values.push_back(modes.values[static_cast<size_t>(kept[k])]);
    out.x.col(static_cast<Eigen::Index>(k)) = modes.vectors.col(kept[k]);
  }
}

// Q(λ) is Hermitian on the imaginary axis of a conservative pencil, symmetric without velocity terms.
void solve_left(const DensePencil& p, const MatrixX& C, const MatrixX& K, PencilModes& out) {
  out.y = out.x;
  if (p.is_conservative && is_zero(C)) {
    out.y = out.x.conjugate();
    return;
  }
  for (Eigen::Index k = 0; k < out.x.cols(); ++k) {
    const Complex lambda = out.values[static_cast<size_t>(k)];
    if (p.is_conservative && lambda.real() == 0) continue;
    MatrixC Q = (lambda * lambda) * p.M.cast<Complex>();
    Q += lambda * C.cast<Complex>();
    Q += K.cast<Complex>();
    MatrixC adjoint = Q.adjoint();
    out.y.col(k) = null_vector(adjoint);
  }
}

void find_groups(PencilModes& out) {
  out.group.resize(out.values.size());
  for (size_t k = 0; k < out.values.size(); ++k) {
    const bool same = k > 0 && std::abs(out.values[k] - out.values[k - 1]) <= kSameValue * std::abs(out.values[k]);
    out.group[k] = k == 0 ? 0 : out.group[k - 1] + (same ? 0 : 1);
  }
}

// Y* ∂Q/∂λ X = 1 of each group; a group that is defective (or λ = 0 twice) keeps single vectors of unit size.
void normalize(const DensePencil& p, const MatrixX& C, PencilModes& out) {
  constexpr double kSafe = 1e-9;
  out.is_simple.assign(out.values.size(), true);
  const MatrixC all_MX = times(p.M, out.x), all_MY = times(p.M, out.y), all_CX = times(C, out.x);
  for (Eigen::Index first = 0; first < out.x.cols();) {
    Eigen::Index last = first + 1;
    while (last < out.x.cols() && out.group[static_cast<size_t>(last)] == out.group[static_cast<size_t>(first)]) ++last;
    const Eigen::Index width = last - first;
    const Complex lambda = out.values[static_cast<size_t>(first)];
    const MatrixC X = out.x.middleCols(first, width), Y = out.y.middleCols(first, width);
    const MatrixC MX = all_MX.middleCols(first, width), MY = all_MY.middleCols(first, width);
    const MatrixC QX = 2.0 * lambda * MX + all_CX.middleCols(first, width);
    const MatrixC gram = Y.adjoint() * QX;
    double scale = 0;
    for (Eigen::Index k = 0; k < width; ++k)
      scale =
          std::max(scale, std::abs(lambda) * std::sqrt(std::abs(X.col(k).dot(MX.col(k)) * Y.col(k).dot(MY.col(k)))));
    const Eigen::FullPivLU<MatrixC> lu(gram);
    const bool safe = scale > 0 && std::abs(lu.matrixLU().diagonal().cwiseAbs().minCoeff()) > kSafe * scale;
    if (safe) {
      out.y.middleCols(first, width) = Y * lu.inverse().adjoint();
    } else {
      for (Eigen::Index k = first; k < last; ++k) out.is_simple[static_cast<size_t>(k)] = false;
    }
    first = last;
  }
}

// Equal values: X U with the eigenvectors U of −Y*(∂Q/∂Ω)X, whose eigenvalues are the slopes.
void find_slopes(const DensePencil& p, PencilModes& out) {
  const MatrixX dK = p.K1 + 2 * out.speed * p.K2;
  out.slopes.assign(out.values.size(), 0);
  const Eigen::Map<const VectorC> values(out.values.data(), out.size());
  out.dQx = times(dK, out.x);
  out.dQx += times(p.C1, out.x) * values.asDiagonal();
  for (Eigen::Index first = 0; first < out.x.cols();) {
    Eigen::Index last = first + 1;
    while (last < out.x.cols() && out.group[static_cast<size_t>(last)] == out.group[static_cast<size_t>(first)]) ++last;
    const Eigen::Index width = last - first;
    const MatrixC X = out.x.middleCols(first, width), dQX = out.dQx.middleCols(first, width);
    const MatrixC T = -(out.y.middleCols(first, width).adjoint() * dQX);
    if (width == 1 || !out.is_simple[static_cast<size_t>(first)]) {
      for (Eigen::Index k = 0; k < width; ++k)
        if (out.is_simple[static_cast<size_t>(first + k)]) out.slopes[static_cast<size_t>(first + k)] = T(k, k);
    } else {
      const Eigen::ComplexEigenSolver<MatrixC> solver(T);
      std::vector<Eigen::Index> order(static_cast<size_t>(width));  // by the slope: the same in every run
      std::iota(order.begin(), order.end(), Eigen::Index{0});
      std::sort(order.begin(), order.end(), [&](Eigen::Index i, Eigen::Index j) {
        return solver.eigenvalues()[i].imag() < solver.eigenvalues()[j].imag();
      });
      MatrixC U(width, width);
      for (Eigen::Index k = 0; k < width; ++k) U.col(k) = solver.eigenvectors().col(order[static_cast<size_t>(k)]);
      const Eigen::FullPivLU<MatrixC> lu(U);
      if (lu.isInvertible()) {
        out.x.middleCols(first, width) = X * U;
        out.dQx.middleCols(first, width) = dQX * U;
        out.y.middleCols(first, width) = (out.y.middleCols(first, width) * lu.inverse().adjoint()).eval();
        for (Eigen::Index k = 0; k < width; ++k)
          out.slopes[static_cast<size_t>(first + k)] = solver.eigenvalues()[order[static_cast<size_t>(k)]];
      }
    }
    first = last;
  }
}

// Not both on the imaginary axis, or not simple: then the states say little, but the shapes do.
bool is_swinging(const PencilModes& modes, Eigen::Index k) {
  const Complex lambda = modes.values[static_cast<size_t>(k)];
  return modes.is_simple[static_cast<size_t>(k)] && lambda.imag() > 0;
}

}  // namespace

MatrixX SpeedPencil::times_C0(const MatrixX& x) const {
  MatrixX out = C0 * x;
  if (damped.cols() > 0) out += damped * (damping_weights.asDiagonal() * (damped.transpose() * x));
  return out;
}

namespace {

void find_states(const DensePencil& p, const MatrixX& C, PencilModes& out) {
  const Eigen::Index n = p.size(), m = out.size();
  const Eigen::Map<const VectorC> values(out.values.data(), m);
  out.Mx = times(p.M, out.x);
  out.states.resize(2 * n, m);
  out.states.topRows(n) = out.x;
  out.states.bottomRows(n) = out.x * values.asDiagonal();
  const MatrixC left_M = times(p.M.transpose(), out.y).adjoint();
  out.left_states.resize(m, 2 * n);
  out.left_states.leftCols(n) = values.asDiagonal() * left_M;
  out.left_states.leftCols(n) += times(C.transpose(), out.y).adjoint();
  out.left_states.rightCols(n) = left_M;
}

// Of the left states of `a` and the states of `b`, and of their conjugates.
void multiply_states(const PencilModes& a, const PencilModes& b, MatrixC& direct, MatrixC& conjugate) {
  const MatrixX left = a.left_states.real(), left_i = a.left_states.imag(), right = b.states.real(),
                right_i = b.states.imag();
  const MatrixX rr = multiply(left, right), ri = multiply(left, right_i), ir = multiply(left_i, right),
                ii = multiply(left_i, right_i);
  direct.resize(rr.rows(), rr.cols());
  conjugate.resize(rr.rows(), rr.cols());
  direct.real() = rr - ii;
  direct.imag() = ri + ir;
  conjugate.real() = rr + ii;
  conjugate.imag() = ir - ri;
}

}  // namespace

PencilModes solve_pencil(const DensePencil& p, double speed, int count) {
  PencilModes out;
  out.speed = speed;
  const MatrixX C = p.calc_C(speed), K = p.calc_K(speed);
  solve_right(p, C, K, std::min(count, static_cast<int>(p.size())), out);
  solve_left(p, C, K, out);
  find_groups(out);
  normalize(p, C, out);
  find_slopes(p, out);
  find_states(p, C, out);
  return out;
}

MatrixX correlate(const PencilModes& a, const PencilModes& b) {
  // s of `b` as it is, and of its conjugate; then the other way round.
  MatrixC s_ab, c_ab, s_ba, c_ba;
  multiply_states(a, b, s_ab, c_ab);
  multiply_states(b, a, s_ba, c_ba);
  MatrixX out(a.size(), b.size());
  for (Eigen::Index i = 0; i < out.rows(); ++i)
    for (Eigen::Index j = 0; j < out.cols(); ++j) {
      if (is_swinging(a, i) && is_swinging(b, j)) {
        const double direct = std::abs(s_ab(i, j) * s_ba(j, i)), conjugate = std::abs(c_ab(i, j) * c_ba(j, i));
        out(i, j) = std::min(1.0, std::max(direct, conjugate));
      } else {
        const auto Mx = b.Mx.col(j);
        const double size = std::abs(a.x.col(i).dot(a.Mx.col(i))) * std::abs(b.x.col(j).dot(Mx));
        const double direct = std::norm(a.x.col(i).dot(Mx)), conjugate = std::norm(a.x.col(i).conjugate().dot(Mx));
        out(i, j) = size > 0 ? std::max(direct, conjugate) / size : 0;
      }
    }
  return out;
}

MatrixX calc_couplings(const PencilModes& m) {
  MatrixC t(m.size(), m.size());
  const MatrixX y = m.y.real().transpose(), y_i = m.y.imag().transpose(), x = m.dQx.real(), x_i = m.dQx.imag();
  t.real() = multiply(y, x) + multiply(y_i, x_i);
  t.imag() = multiply(y, x_i) - multiply(y_i, x);
  return t.cwiseProduct(t.transpose()).cwiseAbs();
}

std::optional<std::vector<double>> solve_critical_speeds(const DensePencil& p, double order) {
  MatrixX L = p.K0;
  if (!p.is_conservative || !cholesky_in_place(L) || !is_safely_definite(L)) return std::nullopt;
  const auto n = p.size();
  MatrixC H(n, n);
  H.real() = congruence(L, order * order * p.M - p.K2);
  H.imag() = congruence(L, -order * p.C1);
  H = (0.5 * (H + H.adjoint())).eval();
  VectorX values;
  MatrixC vectors;
  hermitian_eigen(H, 0, static_cast<int>(n) - 1, values, vectors);
  std::vector<double> speeds;
  for (Eigen::Index k = n - 1; k >= 0 && values[k] > 0; --k) speeds.push_back(1 / std::sqrt(values[k]));
  return speeds;
}

}  // namespace elodyn
