#include "elodyn/linalg/shared_modes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/subspace.hpp"
#include "elodyn/linalg/zero.hpp"

namespace elodyn {
namespace {

// Number of frequencies below s, or more.
int count_modes(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, const SharedModes& found, double s,
                double beta, int expected) {
  const bool is_real = is_zero(C);
  if (!is_real && beta > 0) {
    const VectorX squares = found.real_omega.cwiseAbs2();
    MatrixX phi = found.real_vectors;
    for (auto column : phi.colwise()) column /= std::sqrt(column.dot(M * column));
    const MatrixX coupling = phi.transpose() * (C * phi);
    for (Eigen::Index used = 1; used < squares.size(); ++used) {
      if (squares[used] < squares[used - 1] * (1 + 1e-4)) continue;
      const double mu = 0.5 * (squares[used - 1] + squares[used]);
      if (bound_below(squares, coupling.topLeftCorner(used, used), mu, s, beta) != expected) continue;
      const int there = count_negative(SparseMatrix(K - mu * M));
      if (there == used) return expected;
      break;
    }
  }
  return count_below(K, C, M, s);
}

}  // namespace

bool solve_definite_shared(Cluster& others, const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M,
                           const DefiniteOptions& options, QuadraticModes& out) {
  const Eigen::Index n = K.rows();
  const int more = std::max(4, options.count / 4);  // to see beyond a group of equal ones, and for the bound
  const bool is_real = is_zero(C);
  if (options.count + more >= n) return false;
  SharedModes found;
  {
    const Stage stage("modes: all processes", static_cast<double>(n));
    found = others.solve_definite(K, C, M, options.count + more, is_real ? 0 : options.count + 2 * more);
  }
  if (!found.is_definite || found.omega.size() <= options.count) return false;
  const auto size = static_cast<size_t>(found.omega.size());
  std::vector<double> omega(size);
  for (size_t k = 0; k < size; ++k) omega[k] = calc_quotient(K, C, M, found.vectors.col(static_cast<Eigen::Index>(k)));
  std::vector<size_t> order(size);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return omega[a] < omega[b]; });
  const auto at = [&](size_t k) { return omega[order[k]]; };
  auto expected = static_cast<size_t>(options.count);
  while (expected < size && at(expected) < at(expected - 1) * (1 + kGap)) ++expected;
  if (expected == size) return false;
  {
    const Stage stage("modes: counting", static_cast<double>(n));
    const double s = 0.5 * (at(expected - 1) + at(expected));
    if (count_modes(K, C, M, found, s, options.velocity_bound, static_cast<int>(expected)) !=
        static_cast<int>(expected))
      return false;
  }
  out.vectors.resize(n, options.count);
  for (int k = 0; k < options.count; ++k) {
    out.values.emplace_back(0, at(static_cast<size_t>(k)));
    out.vectors.col(k) = found.vectors.col(static_cast<Eigen::Index>(order[static_cast<size_t>(k)]));
  }
  out.is_complete = options.prove;
  return true;
}

}  // namespace elodyn
