#include "elodyn/linalg/general_modes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

Eigen::MatrixXcd quadratic_at(const ScaledMatrices& s, const MatrixX& C, Complex lambda) {
  Eigen::MatrixXcd Q = (lambda * lambda) * s.M.cast<Complex>();
  Q += lambda * C.cast<Complex>();
  Q += s.K.cast<Complex>();
  return Q;
}

// Normwise backward error η = ‖Qx‖ / ((|λ|²‖M‖ + |λ|‖C‖ + ‖K‖)‖x‖).
double backward_error(const ScaledMatrices& s, const MatrixX& C, Complex lambda, const Eigen::VectorXcd& x) {
  const double size = std::norm(lambda) * s.M.norm() + std::abs(lambda) * C.norm() + s.K.norm();
  return (quadratic_at(s, C, lambda) * x).norm() / (size * x.norm());
}

struct Pair {
  Complex value;
  Eigen::VectorXcd vector;
};

// Of a complex pair the one with Im ≥ 0, both of a real pair; without the known ones.
std::vector<Pair> solve_shifted(const ScaledMatrices& s, const ScaledKnownModes& known,
                                const ShiftedInverse& first_order, double sigma) {
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

}  // namespace

MatrixX scale_velocity_matrix(const QuadraticProblem& p, const ScaledMatrices& s) {
  MatrixX C = MatrixX(p.C);
  if (p.damped.cols() > 0) C += p.damped * p.damping_weights.asDiagonal() * p.damped.transpose();
  return s.d.asDiagonal() * C * s.d.asDiagonal();
}

ShiftedInverse make_velocity_form(const ScaledMatrices& s, const MatrixX& C) {
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

void solve_general_fully(const ScaledMatrices& s, const MatrixX& C, const ScaledKnownModes& known,
                         const ShiftedInverse& first_order, Structure structure, int count, QuadraticModes& out) {
  // Scale of the lowest modes from the symmetric part. Some of them may be all but zero, near divergence, and those
  // that follow may lie anywhere above, so it is their geometric mean: a value is known to about ε(|λ| + σ)²/σ.
  ScaledMatrices symmetric_part = s;
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

}  // namespace elodyn
