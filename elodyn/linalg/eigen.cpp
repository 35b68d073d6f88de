#include "elodyn/linalg/eigen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/davidson.hpp"
#include "elodyn/linalg/known_modes.hpp"
#include "elodyn/linalg/krylov.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/mumps.hpp"
#include "elodyn/linalg/row_product.hpp"
#include "elodyn/linalg/subspace.hpp"

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
    throw RoundOffSuspected(fmt::format(
        "the stiffness of {} unknowns is not safely positive: the body is free or buckled, or its elements are so "
        "short that round-off hides how stiff they are; then at most {} unknowns are solved, use fewer elements",
        n, kLargestDense));
  Scaled s;
  s.d = M.diagonal().cwiseSqrt().cwiseInverse();
  ELODYN_REQUIRE(s.d.allFinite());
  s.K = s.d.asDiagonal() * MatrixX(K) * s.d.asDiagonal();
  s.M = s.d.asDiagonal() * MatrixX(M) * s.d.asDiagonal();
  return s;
}

// Smallest shift σ ≥ 0 (zero, or doubled from the first that works) for which K + σM is positive definite.
double find_definite_shift(const Scaled& s, MatrixX& L) {
  const double largest = s.K.diagonal().cwiseAbs().maxCoeff();
  for (double sigma = 0; sigma <= 1e6 * largest; sigma = sigma == 0 ? 1e-12 * largest : 4 * sigma) {
    L = s.K + sigma * s.M;
    if (cholesky_in_place(L) && is_safely_definite(L)) return sigma;
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

Eigen::MatrixXcd quadratic_at(const Scaled& s, const MatrixX& C, Complex lambda) {
  Eigen::MatrixXcd Q = (lambda * lambda) * s.M.cast<Complex>();
  Q += lambda * C.cast<Complex>();
  Q += s.K.cast<Complex>();
  return Q;
}

// Normwise backward error η = ‖Qx‖ / ((|λ|²‖M‖ + |λ|‖C‖ + ‖K‖)‖x‖).
double backward_error(const Scaled& s, const MatrixX& C, Complex lambda, const Eigen::VectorXcd& x) {
  const double size = std::norm(lambda) * s.M.norm() + std::abs(lambda) * C.norm() + s.K.norm();
  return (quadratic_at(s, C, lambda) * x).norm() / (size * x.norm());
}

struct Pair {
  Complex value;
  Eigen::VectorXcd vector;
};

// Any C and K: (A − σ)⁻¹ of the first-order form in (q, q̇), from solves with Q(σ) = σ²M + σC + K.
ShiftedInverse make_velocity_form(const Scaled& s, const MatrixX& C) {
  return [&s, &C](double sigma, const MatrixX& K) -> std::optional<MatrixX> {
    const auto n = K.rows();
    MatrixX Q = sigma * sigma * s.M + sigma * C + K;
    MatrixX rhs(n, 2 * n);
    rhs << -(C + sigma * s.M), -s.M;
    if (!solve_in_place(Q, rhs)) return std::nullopt;
    MatrixX inverse(2 * n, 2 * n);
    inverse.topRows(n) = rhs;
    inverse.bottomRows(n) = sigma * rhs;
    inverse.bottomLeftCorner(n, n) += MatrixX::Identity(n, n);
    return inverse;
  };
}

// Known modes in coordinates scaled by diag(M)^½.
struct ScaledKnown {
  MatrixX V, W;

  ScaledKnown(const KnownModes& known, const VectorX& d) {
    VectorX twice(2 * d.size());
    twice << d, d;
    if (known.empty()) return;
    V = twice.cwiseInverse().asDiagonal() * known.states;
    W = twice.asDiagonal() * known.momenta;
  }
  Eigen::Index size() const { return V.cols(); }
  // They become the eigenvalue 0 of the inverse.
  void remove_from(MatrixX& inverse) const {
    if (size() == 0) return;
    inverse -= V * (W.transpose() * inverse);
    inverse -= (inverse * V) * W.transpose();
  }
  // What of a vector of the mode λ is not theirs.
  Eigen::VectorXcd clean(Complex lambda, const Eigen::VectorXcd& x) const {
    if (size() == 0) return x;
    Eigen::VectorXcd state(2 * x.size());
    state << x, lambda * x;
    return x - V.topRows(x.size()).cast<Complex>() * (W.transpose().cast<Complex>() * state);
  }
};

// Of a complex pair the one with Im ≥ 0, both of a real pair; without the known ones.
std::vector<Pair> solve_shifted(const Scaled& s, const ScaledKnown& known, const ShiftedInverse& first_order,
                                double sigma) {
  const auto n = s.K.rows();
  for (int attempt = 0; attempt < 8; ++attempt, sigma *= 1.37) {
    std::optional<MatrixX> inverse = first_order(sigma, s.K);
    if (!inverse || !inverse->allFinite()) continue;
    known.remove_from(*inverse);
    Eigen::VectorXcd nu;
    Eigen::MatrixXcd vectors;
    general_eigen(*inverse, nu, vectors);
    std::vector<double> sizes(static_cast<size_t>(nu.size()));
    for (Eigen::Index k = 0; k < nu.size(); ++k) sizes[static_cast<size_t>(k)] = std::abs(nu[k]);
    const auto n_known = static_cast<std::ptrdiff_t>(known.size());
    std::nth_element(sizes.begin(), sizes.begin() + std::max<std::ptrdiff_t>(0, n_known - 1), sizes.end());
    const double removed = n_known > 0 ? sizes[static_cast<size_t>(n_known - 1)] : 0;
    std::vector<Pair> pairs;
    for (Eigen::Index k = 0; k < nu.size(); ++k) {
      if (std::abs(nu[k]) <= removed) continue;
      const Complex value = sigma + 1.0 / nu[k];
      if (value.imag() < 0) continue;
      pairs.push_back({{value.real(), std::abs(value.imag())}, vectors.col(k).head(n).normalized()});  // abs: no −0
    }
    return pairs;
  }
  throw NumericalError(
      "the dynamic stiffness is singular at every shift tried: mass and stiffness share a null vector");
}

void solve_general(const Scaled& s, const MatrixX& C, const ScaledKnown& known, const ShiftedInverse& first_order,
                   Structure structure, int count, QuadraticModes& out) {
  // Scale of the lowest modes from the symmetric part. Some of them may be all but zero, near divergence, and those
  // that follow may lie anywhere above, so it is their geometric mean: a value is known to about ε(|λ| + σ)²/σ.
  Scaled symmetric_part = s;
  symmetric_part.K = 0.5 * (s.K + s.K.transpose());
  constexpr Eigen::Index kSome = 6;
  const Eigen::Index n_rigid = known.size() / 2;
  VectorX sizes =
      solve_scaled_symmetric(symmetric_part, std::max(count, static_cast<int>(kSome + n_rigid))).squares.cwiseAbs();
  std::sort(sizes.begin(), sizes.end());
  const VectorX some = sizes.segment(n_rigid, std::min(sizes.size() - n_rigid, kSome));
  const double mean = some.size() == 0 ? 0 : std::exp(some.cwiseMax(1e-12 * some.maxCoeff()).array().log().mean());
  const double sigma = mean > 0 ? 0.73 * std::sqrt(mean) : 1;
  constexpr double kSplit = 1e-6;  // of σ: how far round-off, √ε and a condition, splits a double root

  std::vector<Pair> pairs = solve_shifted(s, known, first_order, sigma);
  // The smallest |λ|, and unstable ones, with what belongs to them, never left out.
  const auto weight = [&](const Pair& p) {
    const double growth = structure == Structure::general ? p.value.real() : std::abs(p.value.real());
    return growth > 1e-6 * (std::abs(p.value) + sigma) ? 0 : std::abs(p.value);
  };
  std::stable_sort(pairs.begin(), pairs.end(), [&](const Pair& a, const Pair& b) { return weight(a) < weight(b); });
  const auto n_unstable = std::count_if(pairs.begin(), pairs.end(), [&](const Pair& p) { return weight(p) == 0; });
  // Twice the double roots at 0 would take the place of others.
  const auto n_zero =
      structure == Structure::general
          ? 0
          : std::count_if(pairs.begin(), pairs.end(), [&](const Pair& p) { return std::abs(p.value) < 1e-4 * sigma; });
  pairs.resize(std::min(pairs.size(), static_cast<size_t>(count + n_unstable + n_zero / 2)));
  const double kAsGood = 4 * kEps * std::sqrt(static_cast<double>(s.K.rows()));
  for (Pair& pair : pairs) {
    const auto take = [&](Complex value, const Eigen::VectorXcd& x) {
      if (backward_error(s, C, value, x) > kAsGood) return false;
      pair = {value, x};
      return true;
    };
    const auto improve_at = [&](Complex value) {
      Eigen::MatrixXcd Q = quadratic_at(s, C, value);
      const Eigen::VectorXcd x = known.clean(value, null_vector(Q));
      return x.norm() > 0.5 && take(value, x.normalized());
    };
    if (structure != Structure::general) {
      // The spectrum is symmetric to both axes: a value on an axis to within its backward error is on it.
      for (const Complex on_axis : {Complex(0, 0), Complex(0, pair.value.imag()), Complex(pair.value.real(), 0)})
        if (on_axis != pair.value && std::abs(on_axis - pair.value) < 1e-4 * std::abs(pair.value) + kSplit * sigma &&
            (improve_at(on_axis) ||
             (known.size() > 0 && on_axis != 0.0 && take(on_axis, Eigen::VectorXcd(pair.vector)))))
          break;
    }
    // The vector of the inverted problem is kept where it is good: repeated values have vectors of their own.
    if (backward_error(s, C, pair.value, pair.vector) > kAsGood) improve_at(pair.value);
  }
  // A free rigid motion is the double root λ = 0: one entry.
  if (structure != Structure::general) {
    bool second = false;
    std::erase_if(pairs, [&](const Pair& p) { return p.value == 0.0 && std::exchange(second, !second); });
  }
  out.vectors.resize(s.K.rows(), static_cast<Eigen::Index>(pairs.size()));
  for (size_t k = 0; k < pairs.size(); ++k) {
    out.values.push_back(pairs[k].value);
    out.vectors.col(static_cast<Eigen::Index>(k)) = pairs[k].vector;
  }
}

void solve_symmetric(const Scaled& s, int count, QuadraticModes& out) {
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
  modes.values = std::move(sorted.values);
  modes.residuals = std::move(sorted.residuals);
  modes.vectors = std::move(sorted.vectors);
}

// Lifts the known null vectors ψ of K to about the top of the spectrum, where they disturb little: higher would cost
// the lowest modes digits.
void lift_rigid(Scaled& s, const SparseMatrix& M, const MatrixX& rigid) {
  if (rigid.cols() == 0) return;
  // No round number: two equal bars have a mode at just the largest entry, which would mix with the lifted ones.
  const double top = 1.3717 * s.K.diagonal().cwiseAbs().maxCoeff();
  const MatrixX M_psi = s.d.asDiagonal() * (M * rigid);
  s.K += top * M_psi * M_psi.transpose();
}

// Below this size LAPACK on full matrices is quicker than the iteration, and complete by itself.
constexpr Eigen::Index kDenseIsQuick = 150;
constexpr Eigen::Index kFreeIsQuick = 800;  // of free bodies, where the shift costs the iteration digits

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
  return out;
}

}  // namespace

SymmetricModes solve_symmetric_modes(const SparseMatrix& K, const SparseMatrix& M, int count, const MatrixX& rigid) {
  if (rigid.cols() >= count) return {VectorX::Zero(count), rigid.leftCols(count)};
  if (rigid.cols() > 0 && rigid.cols() < count && K.rows() > kFreeIsQuick && 4 * count < K.rows())
    if (auto modes = solve_free_iteratively(K, M, count, rigid)) return *modes;
  Scaled s = scale(K, M);
  lift_rigid(s, M, rigid);
  const auto n_rigid = std::min<Eigen::Index>(rigid.cols(), count);
  const int n_elastic = static_cast<int>(std::min<Eigen::Index>(count, K.rows()) - n_rigid);
  SymmetricModes modes;
  modes.squares = VectorX::Zero(n_rigid + std::max(0, n_elastic));
  modes.vectors.resize(K.rows(), modes.squares.size());
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

namespace {

// K > 0 and C = −Cᵀ or 0: the frequencies are real and the best algorithms apply. Both return false if K is not
// definite.
bool solve_definite_iteratively(const QuadraticProblem& p, int count, QuadraticModes& out) {
  DefiniteOptions options;
  options.count = count;
  options.velocity_bound = p.velocity_bound;
  options.prove = p.proof == QuadraticProblem::Proof::always ||
                  (p.proof == QuadraticProblem::Proof::if_small && p.K.rows() <= kAlwaysProven);
  options.loads = p.loads;
  if (!solve_definite_sparse(p.K, p.C, p.M, options, out)) return false;
  const VectorX roots = p.M.diagonal().cwiseSqrt();
  for (auto column : out.vectors.colwise()) column = roots.cast<Complex>().cwiseProduct(column);
  return true;
}
bool solve_definite_fully(const Scaled& s, const MatrixX& C, int count, QuadraticModes& out) {
  VectorX omega;
  if (!solve_definite_dense(s.K, C, s.M, count, omega, out.vectors)) return false;
  for (const double w : omega) out.values.emplace_back(0, w);
  return true;
}

// The known modes come first, then as many of the others as were asked for and those that grow.
void add_known(const QuadraticProblem& p, const KnownModes& known, int count, QuadraticModes& out) {
  if (known.empty()) return;
  std::vector<Complex> values = known.values;
  std::vector<Eigen::VectorXcd> vectors;
  const auto roots = p.M.diagonal().cwiseSqrt().cast<Complex>().asDiagonal();
  for (const auto& vector : known.vectors.colwise()) vectors.emplace_back((roots * vector).normalized());
  // Where nearly all modes are asked for, lifted motions are among what was solved.
  const MatrixX apart = known.motions.leftCols(known.n_apart);
  const VectorX d = p.M.diagonal().cwiseSqrt().cwiseInverse();
  const auto is_lifted = [&](const Eigen::VectorXcd& scaled) {
    const Eigen::VectorXcd x = d.cast<Complex>().cwiseProduct(scaled), M_x = p.M.cast<Complex>() * x;
    return (apart.transpose().cast<Complex>() * M_x).squaredNorm() > 0.5 * x.dot(M_x).real();
  };
  for (size_t k = 0; k < out.values.size(); ++k) {
    const Eigen::VectorXcd vector = out.vectors.col(static_cast<Eigen::Index>(k));
    if ((values.size() < static_cast<size_t>(count) || out.values[k].real() > 0) && !is_lifted(vector)) {
      values.push_back(out.values[k]);
      vectors.push_back(vector);
    }
  }
  out.values = values;
  out.vectors.resize(p.K.rows(), static_cast<Eigen::Index>(values.size()));
  for (size_t k = 0; k < vectors.size(); ++k) out.vectors.col(static_cast<Eigen::Index>(k)) = vectors[k];
}

// Largest entries of Q(λ)x and of the sizes |λ|²|M||x| + |λ||C||x| + |K||x| that it is made of, coordinates scaled by
// d.
struct Residual {
  double error = 0, size = 0;
};
std::vector<Residual> calc_residuals(const QuadraticProblem& p, const VectorX& d, const std::vector<Complex>& values,
                                     const Eigen::MatrixXcd& scaled) {
  constexpr Eigen::Index kModes = 8;  // at once
  const auto n = p.K.rows();
  const bool general = p.structure == Structure::general;
  const RowMatrix K = general ? RowMatrix(p.K) : RowMatrix(p.K, 1), M(p.M, 1),
                  C = general ? RowMatrix(p.C) : RowMatrix(p.C, -1);
  std::vector<Residual> all(values.size());
  for (Eigen::Index begin = 0; begin < scaled.cols(); begin += kModes) {
    const Eigen::Index here = std::min(kModes, scaled.cols() - begin);
    const int width = padded(2 * here), sizes_width = padded(here);
    RowBlock X = RowBlock::Zero(n, width), sizes = RowBlock::Zero(n, sizes_width);
    for_row_parts(n, [&](int, Eigen::Index first, Eigen::Index last) {
      for (Eigen::Index row = first; row < last; ++row)
        for (Eigen::Index k = 0; k < here; ++k) {
          const Complex x = d[row] * scaled(row, begin + k);
          X(row, 2 * k) = x.real();
          X(row, 2 * k + 1) = x.imag();
          sizes(row, k) = std::abs(x);
        }
    });
    Eigen::MatrixXcd damping;  // of the modes, besides C
    if (p.damped.cols() > 0) {
      const Eigen::MatrixXcd x = d.cast<Complex>().asDiagonal() * scaled.middleCols(begin, here);
      damping = p.damped.cast<Complex>() *
                (p.damping_weights.cast<Complex>().asDiagonal() * (p.damped.transpose().cast<Complex>() * x));
    }
    std::vector<std::vector<Residual>> parts(static_cast<size_t>(n_row_parts(n)));
    for_row_parts(n, [&](int part, Eigen::Index first, Eigen::Index last) {
      std::vector<Residual>& largest = parts[static_cast<size_t>(part)];
      largest.resize(static_cast<size_t>(here));
      RowBlock KX(kSlab, width), CX(kSlab, width), MX(kSlab, width);
      RowBlock KS(kSlab, sizes_width), CS(kSlab, sizes_width), MS(kSlab, sizes_width);
      for (Eigen::Index slab = first; slab < last; slab += kSlab) {
        const Eigen::Index end = std::min(last, slab + kSlab);
        K.multiply(X.data(), width, slab, end, KX.data(), width);
        C.multiply(X.data(), width, slab, end, CX.data(), width);
        M.multiply(X.data(), width, slab, end, MX.data(), width);
        K.multiply_sizes(sizes.data(), sizes_width, slab, end, KS.data(), sizes_width);
        C.multiply_sizes(sizes.data(), sizes_width, slab, end, CS.data(), sizes_width);
        M.multiply_sizes(sizes.data(), sizes_width, slab, end, MS.data(), sizes_width);
        for (Eigen::Index k = 0; k < here; ++k) {
          const Complex l = values[static_cast<size_t>(begin + k)];
          const auto at = [&](const RowBlock& Y, Eigen::Index row) {
            return Complex(Y(row, 2 * k), Y(row, 2 * k + 1));
          };
          Residual& r = largest[static_cast<size_t>(k)];
          for (Eigen::Index row = 0; row < end - slab; ++row) {
            Complex sum = l * l * at(MX, row) + l * at(CX, row) + at(KX, row);
            if (damping.size() > 0) sum += l * damping(slab + row, k);
            r.error = std::max(r.error, d[slab + row] * std::abs(sum));
            r.size =
                std::max(r.size, d[slab + row] * (std::norm(l) * MS(row, k) + std::abs(l) * CS(row, k) + KS(row, k)));
          }
        }
      }
    });
    for (const std::vector<Residual>& part : parts)
      for (size_t k = 0; k < part.size(); ++k) {
        Residual& r = all[static_cast<size_t>(begin) + k];
        r.error = std::max(r.error, part[k].error);
        r.size = std::max(r.size, part[k].size);
      }
  }
  // Nothing is smaller than the round-off of K, of which a motion that hardly strains the body may consist: with the
  // accepted residual this is a change of K by 1e-13 of its largest entry. For λ = 0 the size is that of K itself.
  constexpr double kSmallest = 1e-4;
  double largest = 0;
  for (int j = 0; j < p.K.outerSize(); ++j)
    for (SparseMatrix::InnerIterator it(p.K, j); it; ++it)
      largest = std::max(largest, d[it.row()] * std::abs(it.value()) * d[j]);
  for (size_t k = 0; k < values.size(); ++k)
    all[k].size = std::max(all[k].size, (values[k] == 0.0 ? 1 : kSmallest) * largest *
                                            scaled.col(static_cast<Eigen::Index>(k)).cwiseAbs().maxCoeff());
  return all;
}

constexpr double kAccepted = 1e-9;  // relative residual

double find_worst_residual(const QuadraticProblem& p, const QuadraticModes& modes) {
  double worst = 0;
  const VectorX d = p.M.diagonal().cwiseSqrt().cwiseInverse();
  for (const Residual& r : calc_residuals(p, d, modes.values, modes.vectors))
    if (r.error > 0) worst = std::max(worst, r.error / r.size);
  return worst;
}

// Residuals, physical coordinates, a fixed phase: the largest component is 1, so that a mode always looks the same.
void finish(const QuadraticProblem& p, QuadraticModes& out) {
  const VectorX d = p.M.diagonal().cwiseSqrt().cwiseInverse();
  const std::vector<Residual> residuals = calc_residuals(p, d, out.values, out.vectors);
  for (size_t k = 0; k < out.values.size(); ++k) {
    auto column = out.vectors.col(static_cast<Eigen::Index>(k));
    // Backward error ‖r‖ / ‖(|λ|²|M| + |λ||C| + |K|)|x|‖: the share by which the matrices would have to be changed.
    const Residual& r = residuals[k];
    out.residuals.push_back(!column.allFinite() ? std::nan("")
                            : r.error == 0      ? 0
                                                : r.error / r.size);  // 0: turns freely
    if (!(out.residuals.back() < kAccepted))
      throw NumericalError(
          fmt::format("mode {} has a relative residual of {:.1e}: the matrices hold values of too different "
                      "size; check lengths, stiffnesses and masses",
                      k + 1, out.residuals.back()));
    Eigen::Index where = 0;
    column.cwiseAbs().maxCoeff(&where);
    column = d.cast<Complex>().cwiseProduct(column).eval();
    column /= Complex(column[where]);
  }
}

MatrixX scaled_velocity_matrix(const QuadraticProblem& p, const Scaled& s) {
  MatrixX C = MatrixX(p.C);
  if (p.damped.cols() > 0) C += p.damped * p.damping_weights.asDiagonal() * p.damped.transpose();
  return s.d.asDiagonal() * C * s.d.asDiagonal();
}

}  // namespace

QuadraticModes solve_quadratic_modes(const QuadraticProblem& p, int count, const ShiftedInverse& first_order) {
  ELODYN_REQUIRE(count >= 1);
  if (p.K.rows() > kLargestFirstOrder)
    throw NumericalError(fmt::format(
        "{} unknowns are too many for the eigenvalues of a first-order form (at most {}): use fewer elements, or the "
        "form of second order",
        p.K.rows(), kLargestFirstOrder));
  QuadraticModes out;
  Scaled s = scale(p.K, p.M);
  const MatrixX C = scaled_velocity_matrix(p, s);
  // States of another form cannot be told from the known ones; motions with a stiffness of their own can.
  KnownModes known;
  if (p.structure != Structure::gyroscopic) known = find_known_modes(p);
  if (known.n_apart < known.motions.cols()) known = {};
  lift_rigid(s, p.M, known.motions);
  solve_general(s, C, ScaledKnown({}, s.d), first_order, p.structure, count, out);
  add_known(p, known, count, out);
  finish(p, out);
  sort_modes(out);
  return out;
}

namespace {

// A frequency of the size of the lowest ones that are not zero: that of the smoothest loads' deflections, or of the
// spin.
double estimate_scale(const QuadraticProblem& p) {
  if (p.velocity_bound > 0) return 0.5 * p.velocity_bound;
  constexpr double kLowest = 1e-6;
  return kLowest * std::sqrt((p.K.diagonal().cwiseAbs().cwiseQuotient(p.M.diagonal())).maxCoeff());
}

// Spectra that are symmetric to both axes: a value on an axis to within its error is on it; the double root of a free
// motion is one entry.
void put_on_axes(QuadraticModes& out, double scale) {
  constexpr double kNear = 1e-9, kRoot = 1e-5;  // a double root is known to √ε
  std::vector<size_t> kept;
  bool second = false;
  for (size_t k = 0; k < out.values.size(); ++k) {
    Complex& value = out.values[k];
    if (std::abs(value) < kRoot * scale) value = 0;
    const double size = kNear * (std::abs(value) + scale);
    if (std::abs(value.real()) < size) value.real(0);
    if (std::abs(value.imag()) < size) value.imag(0);
    if (value == 0.0 && std::exchange(second, !second)) continue;
    kept.push_back(k);
  }
  QuadraticModes chosen;
  chosen.vectors.resize(out.vectors.rows(), static_cast<Eigen::Index>(kept.size()));
  for (size_t k = 0; k < kept.size(); ++k) {
    chosen.values.push_back(out.values[kept[k]]);
    chosen.vectors.col(static_cast<Eigen::Index>(k)) = out.vectors.col(static_cast<Eigen::Index>(kept[k]));
  }
  out.values = chosen.values;
  out.vectors = chosen.vectors;
}

// Of a conservative system with K of n⁻ negative directions: growing modes, each complex one twice, and twice the
// swinging ones of negative energy are n⁻ in all ([Kollar2014]). If what was found makes up that number, no growing
// mode is missed. Vectors are scaled.
bool has_all_growing(const QuadraticProblem& p, const KnownModes& known, const QuadraticModes& out) {
  const std::optional<int> n_negative = count_negative_besides(p, known);
  if (!n_negative) return false;
  const VectorX d = p.M.diagonal().cwiseSqrt().cwiseInverse();
  int index = 0;
  for (size_t k = 0; k < out.values.size(); ++k) {
    const Complex value = out.values[k];
    if (value.real() > 0) {
      index += value.imag() > 0 ? 2 : 1;
    } else if (value.real() == 0 && value.imag() > 0) {
      const Eigen::VectorXcd x = d.cast<Complex>().cwiseProduct(out.vectors.col(static_cast<Eigen::Index>(k)));
      const double energy =
          x.dot(p.K.cast<Complex>() * x).real() + std::norm(value) * x.dot(p.M.cast<Complex>() * x).real();
      index += energy < 0 ? 2 : 0;
    }
  }
  return index >= *n_negative;
}

// Vectors that are not good, as those of double roots, by inverse iteration beside their value.
void improve_vectors(const QuadraticProblem& p, const KnownModes& known, double scale, QuadraticModes& out) {
  constexpr double kGood = 1e-11, kBeside = 1e-7;
  const VectorX d = p.M.diagonal().cwiseSqrt().cwiseInverse();
  const std::vector<Residual> before = calc_residuals(p, d, out.values, out.vectors);
  const SparseComplex M = p.M.cast<Complex>(), C = p.C.cast<Complex>(), K = p.K.cast<Complex>();
  const ScaledKnown others(known, d);
  for (size_t k = 0; k < before.size(); ++k) {
    if (before[k].error <= kGood * before[k].size || p.damped.cols() > 0) continue;
    const Complex near = out.values[k] + Complex(0.6, 0.8) * kBeside * (std::abs(out.values[k]) + scale);
    PivotingSolver<Complex> solver;
    if (!solver.factor(near * near * M + near * C + K, Symmetry::general)) continue;
    Eigen::MatrixXcd x = d.cast<Complex>().asDiagonal() * out.vectors.col(static_cast<Eigen::Index>(k));
    for (int step = 0; step < 3; ++step) {
      x = solver.solve(M * x);
      x /= x.norm();
    }
    const Eigen::VectorXcd scaled =
        others.clean(out.values[k], (d.cwiseInverse().cast<Complex>().asDiagonal() * x).eval().normalized());
    const std::vector<Residual> after = calc_residuals(p, d, {out.values[k]}, scaled);
    if (after[0].error / after[0].size < before[k].error / before[k].size)
      out.vectors.col(static_cast<Eigen::Index>(k)) = scaled.normalized();
  }
}

// Beyond the sizes of LAPACK, where nothing is definite.
void solve_large(const QuadraticProblem& p, const KnownModes& known, int count, QuadraticModes& out) {
  const double scale = estimate_scale(p);
  const bool conservative = p.structure != Structure::general;
  for (int wanted = count;; wanted *= 2) {
    out = {};
    solve_near_shift(p, known, wanted, std::nullopt, scale, out);
    if (conservative) put_on_axes(out, scale);
    improve_vectors(p, known, scale, out);
    if (!conservative) {
      const bool symmetric = (p.K - SparseMatrix(p.K.transpose())).norm() <= 1e-14 * p.K.norm();
      CholeskySolver definite;
      out.may_miss_growing = !symmetric || !(known.n_negative == 0 && (!known.empty() || definite.factor(p.K)));
      break;
    }
    if (has_all_growing(p, known, out)) break;
    constexpr int kMost = 8;  // times as many as were asked for
    if (wanted >= kMost * count || 4 * wanted > p.K.rows()) {
      out.may_miss_growing = true;
      break;
    }
  }
  add_known(p, known, count, out);
}

// Where full matrices would do, but the iteration is quicker and the index proves that no growing mode is missed.
bool solve_if_sure(const QuadraticProblem& p, const KnownModes& known, int count, QuadraticModes& out) {
  constexpr Eigen::Index kIterationIsQuicker = 400;
  if (p.structure != Structure::gyroscopic || p.K.rows() <= kIterationIsQuicker || 8 * count > p.K.rows()) return false;
  try {
    solve_large(p, known, count, out);
    if (!out.may_miss_growing && find_worst_residual(p, out) < 0.1 * kAccepted) return true;
  } catch (const NumericalError&) {
  }
  out = {};
  return false;
}

constexpr Eigen::Index kAllIsQuick = 300;  // unknowns up to which all modes are computed to choose from

// The lowest ones, or all; vectors are scaled and not yet judged.
QuadraticModes solve_lowest(const QuadraticProblem& p, int count) {
  const auto n = p.K.rows();
  QuadraticModes out;
  const bool symmetric = p.structure == Structure::symmetric;
  const MatrixX null_motions = symmetric ? find_null_motions(p) : MatrixX(n, 0);
  KnownModes known;
  if (!symmetric) known = find_known_modes(p);
  const bool may_be_definite = p.structure != Structure::general && null_motions.cols() == 0 && known.empty();
  bool done = may_be_definite && n > kDenseIsQuick && 4 * count < n && solve_definite_iteratively(p, count, out);
  // Of very many modes the highest may keep too much of the lowest: full matrices, if they are not too large.
  if (done && n <= kLargestGeneral && find_worst_residual(p, out) > 0.5 * kAccepted) {
    out = {};
    done = false;
  }
  if (!done) {
    const bool large = n > (symmetric ? kLargestDense : kLargestGeneral);
    if (symmetric && null_motions.cols() > 0) {
      const SymmetricModes modes = solve_symmetric_modes(p.K, p.M, count, null_motions);
      for (const double mu : modes.squares) out.values.emplace_back(0, std::sqrt(std::max(0.0, mu)));
      out.vectors = (p.M.diagonal().cwiseSqrt().asDiagonal() * modes.vectors).cast<Complex>();
      out.is_complete = n <= kFreeIsQuick;  // full matrices give all
    } else if (large || solve_if_sure(p, known, count, out)) {
      if (large) solve_large(p, known, count, out);
    } else if (symmetric) {
      solve_symmetric(scale(p.K, p.M), count, out);
      out.is_complete = true;
    } else {
      const Scaled s = scale(p.K, p.M);
      const MatrixX C = scaled_velocity_matrix(p, s);
      done = p.structure == Structure::gyroscopic && known.empty() && solve_definite_fully(s, C, count, out);
      if (!done) {
        solve_general(s, C, ScaledKnown(known, s.d), make_velocity_form(s, C), p.structure, count, out);
        add_known(p, known, count, out);
      }
      out.is_complete = true;
    }
  }
  return out;
}

// The modes nearest to the target, whatever the structure. Of a conservative system with K > 0 their number is proven:
// that of the frequencies up to the far end of their interval less that up to the near end.
QuadraticModes solve_around_target(const QuadraticProblem& p, int count) {
  QuadraticModes out;
  const double target = *p.target, scale = std::max(target, estimate_scale(p));
  const bool all = p.K.rows() <= kAllIsQuick;
  const KnownModes known = find_known_modes(p);
  QuadraticModes found;
  if (all) {
    found = solve_lowest(p, static_cast<int>(p.K.rows()));
  } else {
    solve_near_shift(p, known, count + 2, target, scale, found);
    if (p.structure != Structure::general) put_on_axes(found, scale);
    add_known(p, known, static_cast<int>(p.K.rows()), found);
  }
  std::vector<size_t> order(found.values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto distance = [&](size_t k) { return std::abs(found.values[k] - Complex(0, target)); };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return distance(a) < distance(b); });
  size_t kept = std::min(order.size(), static_cast<size_t>(count));
  out.vectors.resize(p.K.rows(), static_cast<Eigen::Index>(kept));
  for (size_t k = 0; k < kept; ++k) {
    out.values.push_back(found.values[order[k]]);
    out.vectors.col(static_cast<Eigen::Index>(k)) = found.vectors.col(static_cast<Eigen::Index>(order[k]));
  }
  // Of equal ones some may be cut off, which is no miss: the interval ends before them.
  while (kept > 0 && kept < order.size() && distance(order[kept]) < distance(order[kept - 1]) * (1 + kGap)) --kept;
  const bool prove = p.proof == QuadraticProblem::Proof::always ||
                     (p.proof == QuadraticProblem::Proof::if_small && p.K.rows() <= kAlwaysProven);
  CholeskySolver definite;
  out.is_complete = all;
  if (all || !prove || kept == 0 || kept >= order.size() || p.structure == Structure::general || !known.empty() ||
      !definite.factor(p.K))
    return out;
  const double radius = 0.5 * (distance(order[kept - 1]) + distance(order[kept]));
  const int above = count_below(p.K, p.C, p.M, target + radius);
  const int below = radius < target ? count_below(p.K, p.C, p.M, target - radius) : 0;
  if (above - below != static_cast<int>(kept))
    throw RoundOffSuspected(
        fmt::format("{} modes lie within {:.6g} rad/s of the target but {} were found; ask for more modes",
                    above - below, radius, kept));
  out.is_complete = true;
  return out;
}

}  // namespace

QuadraticModes solve_quadratic_modes(const QuadraticProblem& p, int count) {
  ELODYN_REQUIRE(count >= 1);
  QuadraticModes out = p.target && *p.target > 0 ? solve_around_target(p, count) : solve_lowest(p, count);
  finish(p, out);
  sort_modes(out);
  return out;
}

}  // namespace elodyn
