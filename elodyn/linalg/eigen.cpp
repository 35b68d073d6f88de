#include "elodyn/linalg/eigen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

// Coordinates scaled by diag(M)^-½, so that metres, radians and curvatures weigh the same.
struct Scaled {
  VectorX d;
  MatrixX K, M;
};

Scaled scale(const SparseMatrix& K, const SparseMatrix& M) {
  const auto n = K.rows();
  if (n > kLargestDense)
    throw NumericalError(std::to_string(n) + " unknowns are more than the dense eigensolver takes (" +
                         std::to_string(kLargestDense) + "); use fewer elements");
  Scaled s;
  s.d = M.diagonal().cwiseSqrt().cwiseInverse();
  ELODYN_REQUIRE(s.d.allFinite());
  s.K = s.d.asDiagonal() * MatrixX(K) * s.d.asDiagonal();
  s.M = s.d.asDiagonal() * MatrixX(M) * s.d.asDiagonal();
  return s;
}

// L⁻¹ A L⁻ᵀ
MatrixX congruence(const MatrixX& L, const MatrixX& A) {
  MatrixX B = L.triangularView<Eigen::Lower>().solve(A);
  return L.triangularView<Eigen::Lower>().solve(B.transpose()).transpose();
}

// Smallest shift σ ≥ 0 (zero, or doubled from the first that works) for which K + σM is positive definite.
double find_definite_shift(const Scaled& s, MatrixX& L) {
  const double largest = s.K.diagonal().cwiseAbs().maxCoeff();
  for (double sigma = 0; sigma <= 1e6 * largest; sigma = sigma == 0 ? 1e-12 * largest : 4 * sigma) {
    L = s.K + sigma * s.M;
    if (!cholesky_in_place(L)) continue;
    // A pivot near round-off is not a safe inverse: go on.
    const double smallest = L.diagonal().cwiseAbs().minCoeff();
    if (smallest * smallest > 1e3 * kEps * L.diagonal().squaredNorm() / static_cast<double>(L.rows()) * 1e-3) return sigma;
  }
  throw NumericalError("no shift makes the stiffness definite; the mass matrix may be singular");
}

SymmetricModes solve_scaled_symmetric(const Scaled& s, int count) {
  const int n = static_cast<int>(s.K.rows());
  count = std::min(count, n);
  MatrixX L;
  const double sigma = find_definite_shift(s, L);
  MatrixX B = congruence(L, s.M);
  B = 0.5 * (B + B.transpose()).eval();
  VectorX theta;
  MatrixX Y;
  symmetric_eigen(B, n - count, n - 1, theta, Y);  // largest θ = 1/(μ + σ)
  SymmetricModes modes;
  modes.squares.resize(count);
  modes.vectors.resize(n, count);
  for (int k = 0; k < count; ++k) {
    const int from = count - 1 - k;
    modes.squares[k] = 1 / theta[from] - sigma;
    VectorX phi = L.transpose().triangularView<Eigen::Upper>().solve(Y.col(from));
    phi /= std::sqrt(phi.dot(s.M * phi));
    // The Rayleigh quotient has twice the digits of the shifted inverse where σ is large against μ.
    if (sigma != 0) modes.squares[k] = phi.dot(s.K * phi);
    modes.vectors.col(k) = s.d.cwiseProduct(phi);
  }
  return modes;
}

Eigen::MatrixXcd quadratic_at(const Scaled& s, const MatrixX& C, Complex lambda) {
  Eigen::MatrixXcd Q = (lambda * lambda) * s.M.cast<Complex>();
  Q += lambda * C.cast<Complex>();
  Q += s.K.cast<Complex>();
  return Q;
}

// Componentwise backward error: max |Qx|ᵢ / ((|λ|²|M| + |λ||C| + |K|)|x|)ᵢ. Small means that (λ, x) is exact for
// matrices whose every entry is changed by no more than that share.                              [OettliPrager1964]
double residual_of(const Scaled& s, const MatrixX& C, Complex lambda, const Eigen::VectorXcd& x) {
  const Eigen::VectorXcd r = lambda * lambda * (s.M.cast<Complex>() * x) + lambda * (C.cast<Complex>() * x) + s.K.cast<Complex>() * x;
  const VectorX size = x.cwiseAbs();
  const VectorX terms = std::norm(lambda) * (s.M.cwiseAbs() * size) + std::abs(lambda) * (C.cwiseAbs() * size) + s.K.cwiseAbs() * size;
  // Rows where the mode does not move have nothing to compare with but the largest row.
  const double floor = 1e-3 * terms.maxCoeff();
  return (r.cwiseAbs().array() / terms.array().max(floor)).maxCoeff();
}

// Normwise backward error η = ‖Qx‖ / ((|λ|²‖M‖ + |λ|‖C‖ + ‖K‖)‖x‖).
double backward_error(const Scaled& s, const MatrixX& C, Complex lambda, const Eigen::VectorXcd& x) {
  const double size = std::norm(lambda) * s.M.norm() + std::abs(lambda) * C.norm() + s.K.norm();
  return (quadratic_at(s, C, lambda) * x).norm() / (size * x.norm());
}

// K > 0, C skew: the inverse of the first-order form is skew in the inner product diag(K, M),
//   X = [−L⁻¹CL⁻ᵀ  −L⁻¹R; RᵀL⁻ᵀ  0],  K = LLᵀ, M = RRᵀ,  eigenvalues 1/λ on the imaginary axis exactly.
bool solve_definite_gyroscopic(const Scaled& s, const MatrixX& C, int count, QuadraticModes& out) {
  const int n = static_cast<int>(s.K.rows());
  count = std::min(count, n);
  MatrixX L = s.K, R = s.M;
  if (!cholesky_in_place(L)) return false;
  const double smallest = L.diagonal().cwiseAbs().minCoeff();
  if (smallest * smallest < 1e-13 * L.diagonal().squaredNorm() / n * 1e-2) return false;  // nearly singular: not here
  ELODYN_REQUIRE(cholesky_in_place(R));
  const MatrixX LC = congruence(L, C);
  const MatrixX LR = L.triangularView<Eigen::Lower>().solve(R);
  Eigen::MatrixXcd H = Eigen::MatrixXcd::Zero(2 * n, 2 * n);  // −iX, Hermitian
  H.topLeftCorner(n, n).imag() = 0.5 * (LC - LC.transpose());
  H.topRightCorner(n, n).imag() = LR;
  H.bottomLeftCorner(n, n).imag() = -LR.transpose();
  VectorX h;
  Eigen::MatrixXcd Y;
  hermitian_eigen(H, 0, count - 1, h, Y);  // the most negative h: λ = i/|h|
  for (int k = 0; k < count; ++k) {
    out.values.emplace_back(0, 1 / -h[k]);
    out.vectors.col(k) = L.transpose().triangularView<Eigen::Upper>().solve(Y.col(k).head(n));
  }
  return true;
}

// Any C and K: (A − σ)⁻¹ of the first-order form with a real shift, from solves with Q(σ) = σ²M + σC + K.
std::vector<Complex> all_eigenvalues(const Scaled& s, const MatrixX& C, double sigma) {
  const auto n = s.K.rows();
  for (int attempt = 0; attempt < 8; ++attempt, sigma *= 1.37) {
    MatrixX Q = sigma * sigma * s.M + sigma * C + s.K;
    MatrixX rhs(n, 2 * n);
    rhs << -(C + sigma * s.M), -s.M;
    if (!solve_in_place(Q, rhs)) continue;
    MatrixX inverse(2 * n, 2 * n);
    inverse.topRows(n) = rhs;
    inverse.bottomRows(n) = sigma * rhs;
    inverse.bottomLeftCorner(n, n) += MatrixX::Identity(n, n);
    if (!inverse.allFinite()) continue;
    const Eigen::VectorXcd nu = general_eigenvalues(inverse);
    std::vector<Complex> values;
    for (const Complex& v : nu)
      if (v != 0.0) values.push_back(sigma + 1.0 / v);
    return values;
  }
  throw NumericalError("the dynamic stiffness is singular at every shift tried: mass and stiffness share a null vector");
}

// Of a real matrix pencil's spectrum: Im ≥ 0 of each complex pair, both of a real pair.
std::vector<Complex> upper_half(const std::vector<Complex>& all) {
  std::vector<Complex> upper;
  for (const Complex& v : all)
    if (v.imag() >= 0) upper.emplace_back(v.real(), std::abs(v.imag()));  // abs: no negative zero
  return upper;
}

void solve_general(const Scaled& s, const MatrixX& C, Structure structure, int count, QuadraticModes& out) {
  // Scale of the lowest modes from the symmetric part.
  Scaled symmetric_part = s;
  symmetric_part.K = 0.5 * (s.K + s.K.transpose());
  const SymmetricModes scale_modes = solve_scaled_symmetric(symmetric_part, std::min<int>(count, 6));
  const double sigma = std::sqrt(scale_modes.squares.cwiseAbs().mean()) * 0.73;
  ELODYN_REQUIRE(sigma > 0);

  std::vector<Complex> values = upper_half(all_eigenvalues(s, C, sigma));
  struct Pair {
    Complex value;
    Eigen::VectorXcd vector;
  };
  // Unstable modes are never left out; of the others the smallest |λ|.
  const auto weight = [&](const Complex& v) { return v.real() > 1e-6 * std::abs(v) && v.real() > 1e-6 * sigma ? 0 : std::abs(v); };
  std::stable_sort(values.begin(), values.end(), [&](const Complex& a, const Complex& b) { return weight(a) < weight(b); });
  const auto unstable = std::count_if(values.begin(), values.end(), [&](const Complex& v) { return weight(v) == 0; });
  const auto wanted = std::min<size_t>(values.size(), std::max<size_t>(static_cast<size_t>(count), static_cast<size_t>(2 * unstable)));
  std::vector<Pair> pairs;
  for (size_t k = 0; k < wanted; ++k) {
    Complex value = values[k];
    Eigen::MatrixXcd Q = quadratic_at(s, C, value);
    Eigen::VectorXcd x = null_vector(Q);
    if (structure != Structure::general) {
      // The spectrum is symmetric to both axes: a value on an axis to within its backward error is on it.
      constexpr double kAsGood = 4 * kEps;
      for (const Complex on_axis : {Complex(0, 0), Complex(0, value.imag()), Complex(value.real(), 0)}) {
        if (on_axis == value || std::abs(on_axis - value) > 1e-4 * (std::abs(value) + sigma)) continue;
        Eigen::MatrixXcd Q_axis = quadratic_at(s, C, on_axis);
        Eigen::VectorXcd y = null_vector(Q_axis);
        if (backward_error(s, C, on_axis, y) > kAsGood) continue;
        value = on_axis;
        x = std::move(y);
        break;
      }
    }
    pairs.push_back({value, std::move(x)});
  }
  out.vectors.resize(s.K.rows(), static_cast<Eigen::Index>(pairs.size()));
  for (size_t k = 0; k < pairs.size(); ++k) {
    out.values.push_back(pairs[k].value);
    out.vectors.col(static_cast<Eigen::Index>(k)) = pairs[k].vector;
  }
}

void solve_symmetric(const Scaled& s, int count, QuadraticModes& out) {
  const SymmetricModes modes = solve_scaled_symmetric(s, count);
  std::vector<std::pair<Complex, Eigen::Index>> found;
  for (Eigen::Index k = 0; k < modes.squares.size(); ++k) {
    const double mu = modes.squares[k];
    if (mu >= 0) {
      found.emplace_back(Complex(0, std::sqrt(mu)), k);
    } else {
      found.emplace_back(Complex(std::sqrt(-mu), 0), k);
      found.emplace_back(Complex(-std::sqrt(-mu), 0), k);
    }
  }
  out.vectors.resize(s.K.rows(), static_cast<Eigen::Index>(found.size()));
  for (size_t k = 0; k < found.size(); ++k) {
    out.values.push_back(found[k].first);
    out.vectors.col(static_cast<Eigen::Index>(k)) =
        s.d.cwiseInverse().cwiseProduct(modes.vectors.col(found[k].second)).cast<Complex>();
  }
}

// Ascending Im λ, then Re λ descending (the growing one of a real pair first).
void sort_modes(QuadraticModes& modes) {
  std::vector<size_t> order(modes.values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const Complex &x = modes.values[a], &y = modes.values[b];
    return x.imag() != y.imag() ? x.imag() < y.imag() : x.real() > y.real();
  });
  QuadraticModes sorted;
  sorted.vectors.resize(modes.vectors.rows(), modes.vectors.cols());
  for (size_t k = 0; k < order.size(); ++k) {
    sorted.values.push_back(modes.values[order[k]]);
    sorted.residuals.push_back(modes.residuals[order[k]]);
    sorted.vectors.col(static_cast<Eigen::Index>(k)) = modes.vectors.col(static_cast<Eigen::Index>(order[k]));
  }
  modes = std::move(sorted);
}

// Lifts the known null vectors ψ of K to the top of the spectrum, where they disturb nothing.
void lift_rigid(Scaled& s, const SparseMatrix& M, const MatrixX& rigid) {
  if (rigid.cols() == 0) return;
  const double top = s.K.diagonal().cwiseAbs().maxCoeff();
  const MatrixX M_psi = s.d.asDiagonal() * (M * rigid);
  s.K += top * M_psi * M_psi.transpose();
}

}  // namespace

SymmetricModes solve_symmetric_modes(const SparseMatrix& K, const SparseMatrix& M, int count, const MatrixX& rigid) {
  Scaled s = scale(K, M);
  lift_rigid(s, M, rigid);
  const auto n_rigid = std::min<Eigen::Index>(rigid.cols(), count);
  const int n_elastic = static_cast<int>(std::min<Eigen::Index>(count, K.rows()) - n_rigid);
  SymmetricModes modes;
  modes.squares = VectorX::Zero(n_rigid + std::max(0, n_elastic));
  modes.vectors.resize(K.rows(), modes.squares.size());
  modes.vectors.leftCols(n_rigid) = rigid.leftCols(n_rigid);
  if (n_elastic > 0) {
    const SymmetricModes elastic = solve_scaled_symmetric(s, n_elastic);
    modes.squares.tail(n_elastic) = elastic.squares;
    modes.vectors.rightCols(n_elastic) = elastic.vectors;
  }
  return modes;
}

QuadraticModes solve_quadratic_modes(const SparseMatrix& K, const MatrixX& C, const SparseMatrix& M, Structure structure,
                                     int count, const MatrixX& rigid) {
  ELODYN_REQUIRE(count >= 1 && (rigid.cols() == 0 || structure == Structure::symmetric));
  QuadraticModes out;
  Scaled s = scale(K, M);
  MatrixX scaled_C = MatrixX::Zero(K.rows(), K.cols());
  if (structure == Structure::symmetric) {
    if (rigid.cols() > 0) {
      const SymmetricModes modes = solve_symmetric_modes(K, M, count, rigid);
      for (Eigen::Index k = 0; k < modes.squares.size(); ++k) out.values.emplace_back(0, std::sqrt(std::max(0.0, modes.squares[k])));
      out.vectors = (s.d.cwiseInverse().asDiagonal() * modes.vectors).cast<Complex>();
    } else {
      solve_symmetric(s, count, out);
    }
  } else {
    scaled_C = s.d.asDiagonal() * C * s.d.asDiagonal();
    out.vectors.resize(K.rows(), std::min<Eigen::Index>(count, K.rows()));
    const bool done = structure == Structure::gyroscopic && solve_definite_gyroscopic(s, scaled_C, count, out);
    if (!done) solve_general(s, scaled_C, structure, count, out);
  }
  for (size_t k = 0; k < out.values.size(); ++k) {
    auto column = out.vectors.col(static_cast<Eigen::Index>(k));
    out.residuals.push_back(residual_of(s, scaled_C, out.values[k], column));
    constexpr double kAccepted = 1e-9;
    if (!(out.residuals.back() < kAccepted))
      throw NumericalError("mode " + std::to_string(k + 1) + " has a relative residual of " + std::to_string(out.residuals.back()) +
                           "; the matrices hold values of too different size: check lengths, stiffnesses and masses");
    column = (s.d.cast<Complex>().cwiseProduct(column)).eval();
    // The largest component is real and 1, so that the same mode always looks the same.
    Eigen::Index where = 0;
    s.d.cwiseInverse().cwiseProduct(column.cwiseAbs()).maxCoeff(&where);
    column /= column[where];
  }
  sort_modes(out);
  return out;
}

}  // namespace elodyn
