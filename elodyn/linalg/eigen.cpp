#include "elodyn/linalg/eigen.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "elodyn/base/parallel.hpp"
#include "elodyn/linalg/davidson.hpp"
#include "elodyn/linalg/definite_dense.hpp"
#include "elodyn/linalg/general_modes.hpp"
#include "elodyn/linalg/large_modes.hpp"
#include "elodyn/linalg/mode_residuals.hpp"
#include "elodyn/linalg/scaled_known_modes.hpp"
#include "elodyn/linalg/solve.hpp"
#include "elodyn/linalg/subspace.hpp"
#include "elodyn/linalg/symmetric_modes.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

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

// Residuals where they are not known, physical coordinates, a fixed phase: the largest component is 1, so that a mode
// always looks the same.
void finish(const QuadraticProblem& p, QuadraticModes& out) {
  const VectorX d = p.M.diagonal().cwiseSqrt().cwiseInverse();
  if (out.residuals.empty())
    for (const Residual& r : calc_residuals(p, d, out.values, out.vectors)) out.residuals.push_back(r.relative());
  parallel_for(static_cast<int>(out.values.size()), [&](int k) {
    auto column = out.vectors.col(k);
    double& residual = out.residuals[static_cast<size_t>(k)];
    if (!column.allFinite()) residual = std::nan("");
    if (!(residual < kAcceptedResidual))
      throw NumericalError(
          fmt::format("mode {} has a relative residual of {:.1e}: the matrices hold values of too different "
                      "size; check lengths, stiffnesses and masses",
                      k + 1, residual));
    Eigen::Index where = 0;
    column.cwiseAbs2().maxCoeff(&where);
    column = column.cwiseProduct((d / (d[where] * column[where])).eval()).eval();
  });
}

// Below this size LAPACK on full matrices is quicker than the iteration, and complete by itself.
constexpr Eigen::Index kDenseIsQuick = 150;

bool is_to_be_proven(const QuadraticProblem& p) {
  return p.proof == QuadraticProblem::Proof::always ||
         (p.proof == QuadraticProblem::Proof::if_small && p.K.rows() <= kAlwaysProven);
}

// K > 0 and C = −Cᵀ or 0: the frequencies are real and the best algorithms apply. Both return false if K is not
// definite.
bool solve_definite_iteratively(const QuadraticProblem& p, int count, QuadraticModes& out) {
  DefiniteOptions options;
  options.count = count;
  options.velocity_bound = p.velocity_bound;
  options.prove = is_to_be_proven(p);
  options.loads = p.loads;
  if (!solve_definite_sparse(p.K, p.C, p.M, options, out)) return false;
  const VectorX roots = p.M.diagonal().cwiseSqrt();
  parallel_for(static_cast<int>(out.vectors.cols()), [&](int k) { out.vectors.col(k).array() *= roots.array(); });
  return true;
}
bool solve_definite_fully(const ScaledMatrices& s, const MatrixX& C, int count, QuadraticModes& out) {
  VectorX omega;
  if (!solve_definite_dense(s.K, C, s.M, count, omega, out.vectors)) return false;
  for (const double w : omega) out.values.emplace_back(0, w);
  return true;
}

// Where full matrices would do, but the iteration is quicker and the index proves that no growing mode is missed.
bool solve_if_sure(const QuadraticProblem& p, const KnownModes& known, int count, QuadraticModes& out) {
  constexpr Eigen::Index kIterationIsQuicker = 400;
  if (p.structure != Structure::gyroscopic || p.K.rows() <= kIterationIsQuicker || 8 * count > p.K.rows()) return false;
  try {
    solve_large(p, known, count, out);
    if (!out.may_miss_growing && find_worst_residual(p, out) < 0.1 * kAcceptedResidual) return true;
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
  if (done && n <= kLargestGeneral && find_worst_residual(p, out) > 0.5 * kAcceptedResidual) {
    out = {};
    done = false;
  }
  if (!done) {
    const bool large = n > (symmetric ? kLargestDense : kLargestGeneral);
    if (symmetric && null_motions.cols() > 0) {
      const SymmetricModes modes = solve_symmetric_modes(p.K, p.M, count, null_motions);
      for (const double mu : modes.squares) out.values.emplace_back(0, std::sqrt(std::max(0.0, mu)));
      out.vectors = (p.M.diagonal().cwiseSqrt().asDiagonal() * modes.vectors).cast<Complex>();
      out.is_complete = modes.is_complete;
    } else if (large || solve_if_sure(p, known, count, out)) {
      if (large) solve_large(p, known, count, out);
    } else if (symmetric) {
      solve_symmetric_fully(scale_by_mass(p.K, p.M), count, out);
      out.is_complete = true;
    } else {
      const ScaledMatrices s = scale_by_mass(p.K, p.M);
      const MatrixX C = scale_velocity_matrix(p, s);
      done = p.structure == Structure::gyroscopic && known.empty() && solve_definite_fully(s, C, count, out);
      if (!done) {
        solve_general_fully(s, C, ScaledKnownModes(known, s.d), make_velocity_form(s, C), p.structure, count, out);
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
  const double target = *p.target;
  const bool all = p.K.rows() <= kAllIsQuick;
  const KnownModes known = find_known_modes(p);
  const QuadraticModes found =
      all ? solve_lowest(p, static_cast<int>(p.K.rows())) : solve_near_target(p, known, count + 2);
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
  CholeskySolver definite;
  out.is_complete = all;
  if (all || !is_to_be_proven(p) || kept == 0 || kept >= order.size() || p.structure == Structure::general ||
      !known.empty() || !definite.factor(p.K))
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

QuadraticModes solve_quadratic_modes(const QuadraticProblem& p, int count, const ShiftedInverse& first_order) {
  ELODYN_REQUIRE(count >= 1);
  if (p.K.rows() > kLargestFirstOrder)
    throw NumericalError(fmt::format(
        "{} unknowns are too many for the eigenvalues of a first-order form (at most {}): use fewer elements, or the "
        "form of second order",
        p.K.rows(), kLargestFirstOrder));
  QuadraticModes out;
  ScaledMatrices s = scale_by_mass(p.K, p.M);
  const MatrixX C = scale_velocity_matrix(p, s);
  // States of another form cannot be told from the known ones; motions with a stiffness of their own can.
  KnownModes known;
  if (p.structure != Structure::gyroscopic) known = find_known_modes(p);
  if (known.n_apart < known.motions.cols()) known = {};
  lift_rigid(s, p.M, known.motions);
  solve_general_fully(s, C, ScaledKnownModes({}, s.d), first_order, p.structure, count, out);
  add_known(p, known, count, out);
  out.is_complete = true;  // full matrices give all
  finish(p, out);
  sort_modes(out);
  return out;
}

QuadraticModes solve_quadratic_modes(const QuadraticProblem& p, int count) {
  ELODYN_REQUIRE(count >= 1);
  QuadraticModes out = p.target && *p.target > 0 ? solve_around_target(p, count) : solve_lowest(p, count);
  finish(p, out);
  sort_modes(out);
  return out;
}

}  // namespace elodyn
