#include "elodyn/linalg/large_modes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "elodyn/linalg/krylov.hpp"
#include "elodyn/linalg/mode_residuals.hpp"
#include "elodyn/linalg/mumps.hpp"
#include "elodyn/linalg/scaled_known_modes.hpp"
#include "elodyn/linalg/solve.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

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
  const ScaledKnownModes others(known, d);
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

// Those nearest to 0 or to the target.
void find_nearest(const QuadraticProblem& p, const KnownModes& known, int count, std::optional<double> target,
                  double scale, QuadraticModes& out) {
  solve_near_shift(p, known, count, target, scale, out);
  if (p.structure != Structure::general) put_on_axes(out, scale);
}

}  // namespace

void solve_large(const QuadraticProblem& p, const KnownModes& known, int count, QuadraticModes& out) {
  const double scale = estimate_scale(p);
  const bool conservative = p.structure != Structure::general;
  for (int wanted = count;; wanted *= 2) {
    out = {};
    find_nearest(p, known, wanted, std::nullopt, scale, out);
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

QuadraticModes solve_near_target(const QuadraticProblem& p, const KnownModes& known, int count) {
  QuadraticModes out;
  find_nearest(p, known, count, p.target, std::max(*p.target, estimate_scale(p)), out);
  add_known(p, known, static_cast<int>(p.K.rows()), out);
  return out;
}

}  // namespace elodyn
