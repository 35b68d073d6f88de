#include "elodyn/linalg/symmetric_modes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "elodyn/linalg/davidson.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/subspace.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

// Smallest shift σ ≥ 0 (zero, or doubled from the first that works) for which K + σM is positive definite.
double find_definite_shift(const ScaledMatrices& s, MatrixX& L) {
  const double largest = s.K.diagonal().cwiseAbs().maxCoeff();
  for (double sigma = 0; sigma <= 1e6 * largest; sigma = sigma == 0 ? 1e-12 * largest : 4 * sigma) {
    L = s.K + sigma * s.M;
    if (cholesky_in_place(L) && is_safely_definite(L)) return sigma;
  }
  throw NumericalError("no shift makes the stiffness definite; the mass matrix may be singular");
}

// A free body with many unknowns: K + σM is definite, its modes are those of K. σ is so small that the lowest elastic
// ones keep their digits and so large that the factorisation is safe. Nothing if that fails.
std::optional<SymmetricModes> solve_free_iteratively(const SparseMatrix& K, const SparseMatrix& M, int count,
                                                     const MatrixX& rigid) {
  const VectorX d = M.diagonal().cwiseSqrt().cwiseInverse();
  const SparseMatrix scaled_K = d.asDiagonal() * K * d.asDiagonal(), scaled_M = d.asDiagonal() * M * d.asDiagonal();
  const double sigma = 1e-8 * scaled_K.diagonal().maxCoeff();
  QuadraticModes shifted;
  DefiniteOptions options;
  options.count = count;
  if (!solve_definite_sparse(scaled_K + sigma * scaled_M, SparseMatrix(K.rows(), K.rows()), scaled_M, options, shifted))
    return std::nullopt;
  MatrixX parts(K.rows(), 2 * shifted.vectors.cols());
  parts << shifted.vectors.real(), shifted.vectors.imag();
  const MatrixX basis = make_orthonormal_block(M, rigid, d.asDiagonal() * parts);
  MatrixX projected = basis.transpose() * (K * basis), coefficients;
  projected = (0.5 * (projected + projected.transpose())).eval();
  SymmetricModes out;
  VectorX squares;
  const auto n_elastic = count - rigid.cols();
  if (basis.cols() < n_elastic) return std::nullopt;
  symmetric_eigen(projected, 0, static_cast<int>(n_elastic) - 1, squares, coefficients);
  out.squares = VectorX::Zero(count);
  out.squares.tail(n_elastic) = squares;
  out.vectors.resize(K.rows(), count);
  out.vectors << rigid, basis * coefficients;
  out.is_complete = shifted.is_complete;
  return out;
}

}  // namespace

ScaledMatrices scale_by_mass(const SparseMatrix& K, const SparseMatrix& M) {
  const auto n = K.rows();
  if (n > kLargestDense)
    throw RoundOffSuspected(fmt::format(
        "the stiffness of {} unknowns is not safely positive: the body is free or buckled, or its elements are so "
        "short that round-off hides how stiff they are; then at most {} unknowns are solved, use fewer elements",
        n, kLargestDense));
  ScaledMatrices s;
  s.d = M.diagonal().cwiseSqrt().cwiseInverse();
  ELODYN_REQUIRE(s.d.allFinite());
  s.K = s.d.asDiagonal() * MatrixX(K) * s.d.asDiagonal();
  s.M = s.d.asDiagonal() * MatrixX(M) * s.d.asDiagonal();
  return s;
}

SymmetricModes solve_scaled_symmetric(const ScaledMatrices& s, int count) {
  const int n = static_cast<int>(s.K.rows());
  count = std::min(count, n);
  MatrixX L;
  const double sigma = find_definite_shift(s, L);
  MatrixX B = congruence(L, s.M);
  B = 0.5 * (B + B.transpose()).eval();
  VectorX theta;
  MatrixX Y;
  symmetric_eigen(B, n - count, n - 1, theta, Y);  // largest θ = 1/(μ + σ)
  solve_lower_transposed(L, Y);
  SymmetricModes modes;
  modes.squares.resize(count);
  modes.vectors.resize(n, count);
  for (int k = 0; k < count; ++k) {
    const int from = count - 1 - k;
    modes.squares[k] = 1 / theta[from] - sigma;
    VectorX phi = Y.col(from);
    phi /= std::sqrt(phi.dot(s.M * phi));
    // The Rayleigh quotient has twice the digits of the shifted inverse where σ is large against μ.
    if (sigma != 0) modes.squares[k] = phi.dot(s.K * phi);
    modes.vectors.col(k) = phi;
  }
  polish(s.K, s.M, modes.squares, modes.vectors);
  modes.vectors = s.d.asDiagonal() * modes.vectors;
  return modes;
}

void lift_rigid(ScaledMatrices& s, const SparseMatrix& M, const MatrixX& rigid) {
  if (rigid.cols() == 0) return;
  // No round number: two equal bars have a mode at just the largest entry, which would mix with the lifted ones.
  const double top = 1.3717 * s.K.diagonal().cwiseAbs().maxCoeff();
  const MatrixX M_psi = s.d.asDiagonal() * (M * rigid);
  s.K += top * M_psi * M_psi.transpose();
}

SymmetricModes solve_symmetric_modes(const SparseMatrix& K, const SparseMatrix& M, int count, const MatrixX& rigid) {
  if (rigid.cols() >= count) return {VectorX::Zero(count), rigid.leftCols(count), K.rows() <= kFreeIsQuick};
  if (rigid.cols() > 0 && rigid.cols() < count && K.rows() > kFreeIsQuick && 4 * count < K.rows())
    if (auto modes = solve_free_iteratively(K, M, count, rigid)) return *modes;
  ScaledMatrices s = scale_by_mass(K, M);
  lift_rigid(s, M, rigid);
  const auto n_rigid = std::min<Eigen::Index>(rigid.cols(), count);
  const int n_elastic = static_cast<int>(std::min<Eigen::Index>(count, K.rows()) - n_rigid);
  SymmetricModes modes;
  modes.squares = VectorX::Zero(n_rigid + std::max(0, n_elastic));
  modes.vectors.resize(K.rows(), modes.squares.size());
  modes.is_complete = true;  // full matrices give all
  modes.vectors.leftCols(n_rigid) = rigid.leftCols(n_rigid);
  if (n_elastic > 0) {
    // Of few elements nearly all modes may be asked for; lifted ones among them are left out.
    const MatrixX M_rigid = M * rigid;
    const auto is_lifted = [&](const MatrixX& vectors, Eigen::Index k) {
      return (M_rigid.transpose() * vectors.col(k)).squaredNorm() > 0.5;
    };
    SymmetricModes elastic = solve_scaled_symmetric(s, n_elastic);
    bool lifted = false;
    for (Eigen::Index k = 0; k < n_elastic; ++k) lifted |= is_lifted(elastic.vectors, k);
    if (lifted) elastic = solve_scaled_symmetric(s, n_elastic + static_cast<int>(rigid.cols()));
    Eigen::Index found = n_rigid;
    for (Eigen::Index k = 0; k < elastic.squares.size() && found < modes.squares.size(); ++k) {
      if (lifted && is_lifted(elastic.vectors, k)) continue;
      modes.squares[found] = elastic.squares[k];
      modes.vectors.col(found++) = elastic.vectors.col(k);
    }
    ELODYN_REQUIRE(found == modes.squares.size());
  }
  return modes;
}

void solve_symmetric_fully(const ScaledMatrices& s, int count, QuadraticModes& out) {
  SymmetricModes modes = solve_scaled_symmetric(s, count);
  // Unstable modes are never left out.
  while (modes.squares.size() < s.K.rows() && modes.squares[modes.squares.size() - 1] < 0)
    modes = solve_scaled_symmetric(s, 2 * static_cast<int>(modes.squares.size()));
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

}  // namespace elodyn
