#include "elodyn/analysis/step_solver.hpp"

#include <algorithm>
#include <limits>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/band.hpp"

namespace elodyn {
namespace {

constexpr int kFew = 64;       // unknowns, for which a full band is as quick as anything
constexpr int kWidest = 100;   // half width of a band that beats sparse factors
constexpr int kMostTurns = 8;  // with an old factor; a new one of a plate costs as much as ten solves or more

int column_end(const SparsePattern& pattern, int j) {
  return j + 1 < pattern.size() ? pattern.column_begin(j + 1) : pattern.n_nonzeros();
}

}  // namespace

StepSolver::StepSolver(const SparsePattern& pattern, int stages, const MatrixX& V)
    : pattern_(&pattern), stages_(stages), n_(pattern.size()) {
  const auto s = static_cast<Eigen::Index>(stages), n = static_cast<Eigen::Index>(n_), m = V.cols();
  blocks_.assign(static_cast<size_t>(stages * stages), VectorX::Zero(pattern.n_nonzeros()));
  factored_ = blocks_;
  V_ = MatrixX::Zero(s * n, s * m);
  for (Eigen::Index i = 0; i < s && m > 0; ++i) V_.block(i * n, i * m, n, m) = V;
  G_ = MatrixX::Zero(s * m, s * m);
  factored_G_ = G_;
  few_ = few_too_ = VectorX::Zero(s * m);
  inverse_V_ = MatrixX::Zero(s * n, s * m);
  small_ = capacitance_ = G_;
  small_lu_ = BandedLu(static_cast<int>(s * m), std::max(0, static_cast<int>(s * m) - 1),
                       std::max(0, static_cast<int>(s * m) - 1));
  residual_ = correction_ = permuted_ = VectorX::Zero(s * n);
  const SparseMatrix nonzeros = pattern.to_matrix(VectorX::Ones(pattern.n_nonzeros()));
  const std::vector<int> order = find_band_order(nonzeros);
  position_.resize(order.size());
  for (size_t k = 0; k < order.size(); ++k) position_[static_cast<size_t>(order[k])] = static_cast<int>(k);
  const int half = stages * (find_bandwidth(nonzeros, order) + 1) - 1;
  is_banded_ = stages * n_ <= kFew || half <= kWidest;
  std::vector<Eigen::Triplet<double>> triplets;
  if (is_banded_) band_ = BandedLu(stages * n_, std::min(half, stages * n_ - 1), std::min(half, stages * n_ - 1));
  for (int i = 0; i < stages; ++i)
    for (int k = 0; k < stages; ++k)
      for (int j = 0; j < n_; ++j)
        for (int e = pattern.column_begin(j); e < column_end(pattern, j); ++e) {
          if (is_banded_)  // stages side by side
            places_.push_back(band_.place(position_[static_cast<size_t>(pattern.row(e))] * stages + i,
                                          position_[static_cast<size_t>(j)] * stages + k));
          else
            triplets.emplace_back(i * n_ + pattern.row(e), k * n_ + j, 1.0);
        }
  if (is_banded_) return;
  sparse_.resize(s * n, s * n);
  sparse_.setFromTriplets(triplets.begin(), triplets.end());
  sparse_.makeCompressed();
  for (const auto& t : triplets) {
    const int *first = sparse_.innerIndexPtr() + sparse_.outerIndexPtr()[t.col()],
              *last = sparse_.innerIndexPtr() + sparse_.outerIndexPtr()[t.col() + 1];
    entries_.push_back(static_cast<int>(std::lower_bound(first, last, t.row()) - sparse_.innerIndexPtr()));
  }
}

bool StepSolver::update(bool is_symmetric) {
  is_symmetric_ = is_symmetric;
  if (is_factored_ && blocks_ == factored_ && G_ == factored_G_) {
    is_old_ = false;
    return true;
  }
  if (is_banded_ || !is_factored_) return factor();
  is_old_ = true;
  return true;
}

bool StepSolver::factor(bool is_symmetric) {
  is_symmetric_ = is_symmetric;
  return factor();
}

bool StepSolver::factor() {
  for (size_t k = 0; k < blocks_.size(); ++k) factored_[k] = blocks_[k];
  factored_G_ = G_;
  is_old_ = false;
  ++n_factorisations_;
  is_factored_ = (is_banded_ ? factor_band() : factor_sparse()) && prepare_coupling();
  return is_factored_;
}

bool StepSolver::factor_band() {
  band_.set_zero();
  double* const to = band_.values();
  const int* place = places_.data();
  for (const VectorX& block : blocks_) {
    const double* const from = block.data();
    for (Eigen::Index e = 0; e < block.size(); ++e) to[*place++] = from[e];
  }
  return band_.factor();
}

bool StepSolver::factor_sparse() {
  double* const to = sparse_.valuePtr();
  const int* entry = entries_.data();
  for (const VectorX& block : blocks_)
    for (const double value : block) to[*entry++] = value;
  uses_cholesky_ = false;
  if (is_symmetric_ && stages_ == 1) {
    uses_cholesky_ = cholesky_.factor(sparse_);
  }
  if (uses_cholesky_) return true;
  const bool good = has_lu_ ? lu_.refactor(sparse_) : lu_.factor(sparse_);
  has_lu_ = true;
  return good;
}

// Woodbury: (A + VGVᵀ)⁻¹ = A⁻¹ − A⁻¹V (1 + G VᵀA⁻¹V)⁻¹ G VᵀA⁻¹
bool StepSolver::prepare_coupling() {
  if (V_.cols() == 0) return true;
  const auto m = static_cast<int>(V_.cols());
  for (int c = 0; c < m; ++c) {
    residual_ = V_.col(c);
    plain_solve(residual_, correction_);
    inverse_V_.col(c) = correction_;
  }
  small_.noalias() = V_.transpose() * inverse_V_;
  capacitance_.noalias() = G_ * small_;
  small_lu_.set_zero();
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) small_lu_.values()[small_lu_.place(i, j)] = capacitance_(i, j) + (i == j ? 1 : 0);
  if (!small_lu_.factor()) return false;
  capacitance_ = G_;
  for (int c = 0; c < m; ++c) small_lu_.solve(capacitance_.col(c).data());
  return true;
}

void StepSolver::plain_solve(const VectorX& b, VectorX& x) {
  if (!is_banded_) {
    x = uses_cholesky_ ? cholesky_.solve(b) : lu_.solve(b);
    return;
  }
  for (int i = 0; i < stages_; ++i)
    for (int j = 0; j < n_; ++j) permuted_[position_[static_cast<size_t>(j)] * stages_ + i] = b[i * n_ + j];
  band_.solve(permuted_.data());
  x.resize(b.size());
  for (int i = 0; i < stages_; ++i)
    for (int j = 0; j < n_; ++j) x[i * n_ + j] = permuted_[position_[static_cast<size_t>(j)] * stages_ + i];
}

void StepSolver::once(const VectorX& b, VectorX& x) {
  plain_solve(b, x);
  if (V_.cols() == 0) return;
  few_.noalias() = V_.transpose() * x;
  few_too_.noalias() = capacitance_ * few_;
  x.noalias() -= inverse_V_ * few_too_;
}

void StepSolver::calc_residual(const VectorX& b, const VectorX& x) {
  residual_ = b;
  for (int i = 0; i < stages_; ++i)
    for (int k = 0; k < stages_; ++k) {
      const double* const values = block(i, k).data();
      double* const r = residual_.data() + i * n_;
      for (int j = 0; j < n_; ++j) {
        const double at = x[k * n_ + j];
        const int end = column_end(*pattern_, j);
        for (int e = pattern_->column_begin(j); e < end; ++e) r[pattern_->row(e)] -= values[e] * at;
      }
    }
  if (V_.cols() == 0) return;
  few_.noalias() = V_.transpose() * x;
  few_too_.noalias() = G_ * few_;
  residual_.noalias() -= V_ * few_too_;
}

bool StepSolver::solve(const VectorX& b, VectorX& x) {
  ELODYN_REQUIRE(is_factored_);
  once(b, x);
  double before = std::numeric_limits<double>::infinity();
  for (int turn = 0; is_old_ && turn < kMostTurns; ++turn) {
    calc_residual(b, x);
    once(residual_, correction_);
    x += correction_;
    const double change = correction_.lpNorm<Eigen::Infinity>();
    if (change <= kEps * x.lpNorm<Eigen::Infinity>()) return true;
    if (!(change < 0.3 * before)) break;  // fewer than half a digit a turn: eight turns would not do
    before = change;
  }
  if (is_old_) {
    if (!factor()) return false;
    once(b, x);
  }
  calc_residual(b, x);
  once(residual_, correction_);
  x += correction_;
  return true;
}

}  // namespace elodyn
