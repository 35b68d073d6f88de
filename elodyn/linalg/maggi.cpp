#include "elodyn/linalg/maggi.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

VectorX calc_row_sizes(const MatrixX& A) {
  VectorX sizes = A.rowwise().norm();
  for (double& size : sizes)
    if (size == 0) size = 1;
  return sizes;
}

// Below this a row of unit length is a combination of others: round-off of an elimination.
double dependence_limit(const MatrixX& A) { return 64 * kEps * static_cast<double>(std::max(A.rows(), A.cols())); }

MatrixX pick_rows(const MatrixX& A, const std::vector<int>& rows) {
  MatrixX out(static_cast<Eigen::Index>(rows.size()), A.cols());
  for (size_t i = 0; i < rows.size(); ++i) out.row(static_cast<Eigen::Index>(i)) = A.row(rows[i]);
  return out;
}
MatrixX pick_columns(const MatrixX& A, const std::vector<int>& columns) {
  MatrixX out(A.rows(), static_cast<Eigen::Index>(columns.size()));
  for (size_t i = 0; i < columns.size(); ++i) out.col(static_cast<Eigen::Index>(i)) = A.col(columns[i]);
  return out;
}
VectorX pick(const VectorX& v, const std::vector<int>& which) {
  VectorX out(static_cast<Eigen::Index>(which.size()));
  for (size_t i = 0; i < which.size(); ++i) out[static_cast<Eigen::Index>(i)] = v[which[i]];
  return out;
}

std::vector<int> others(int n, const std::vector<int>& ascending) {
  std::vector<int> all(static_cast<size_t>(n)), out;
  std::iota(all.begin(), all.end(), 0);
  std::set_difference(all.begin(), all.end(), ascending.begin(), ascending.end(), std::back_inserter(out));
  return out;
}

// Independent rows, and as many coordinates that they determine: Gauss with complete pivoting. Both ascending.
struct Partition {
  std::vector<int> rows, columns;
};
Partition find_partition(const MatrixX& A) {
  Partition out;
  MatrixX rest = calc_row_sizes(A).cwiseInverse().asDiagonal() * A;
  const double limit = dependence_limit(A);
  while (static_cast<Eigen::Index>(out.rows.size()) < std::min(A.rows(), A.cols())) {
    Eigen::Index row = 0, column = 0;
    if (rest.cwiseAbs().maxCoeff(&row, &column) <= limit) break;
    const Eigen::RowVectorXd pivot = rest.row(row) / rest(row, column);
    const VectorX factors = rest.col(column);
    rest -= factors * pivot;
    rest.row(row).setZero();
    rest.col(column).setZero();
    out.rows.push_back(static_cast<int>(row));
    out.columns.push_back(static_cast<int>(column));
  }
  std::sort(out.rows.begin(), out.rows.end());
  std::sort(out.columns.begin(), out.columns.end());
  return out;
}

// λ from Aᵀλ = r, which the accelerations make solvable; the shortest if rows of A depend on others.
VectorX recover_multipliers(const MatrixX& A, const VectorX& r, bool unique) {
  if (A.rows() == 0) return {};
  if (!unique) return least_squares(A.transpose(), r);
  const VectorX sizes = calc_row_sizes(A);
  return least_squares((sizes.cwiseInverse().asDiagonal() * A).transpose(), r).cwiseQuotient(sizes);
}

class MaggiSolver : public ConstrainedSolver {
 public:
  MaggiSolver(const MatrixX& M, const MatrixX& A, Complement complement) : M_(M), A_(A), motions_(A, complement) {
    const MatrixX& B = motions_.complement();
    projected_ = B.transpose() * M * B;
    // Scaled to a unit diagonal, so that coordinates of different units do not look like lost mass.
    scale_ = projected_.diagonal().cwiseMax(0).cwiseSqrt();
    if (B.cols() == 0) return;
    const bool has_mass = scale_.minCoeff() > 0;
    if (has_mass) projected_ = scale_.cwiseInverse().asDiagonal() * projected_ * scale_.cwiseInverse().asDiagonal();
    if (!has_mass || !cholesky_in_place(projected_) || !is_safely_definite(projected_))
      throw NumericalError(
          "a motion that the constraints leave has no mass, so its acceleration is not determined; constrain it or "
          "give it a mass");
  }

  VectorX calc_acceleration(const VectorX& Q, const VectorX& gamma) const override {
    const MatrixX& B = motions_.complement();
    VectorX acceleration = motions_.calc_particular(gamma);
    if (B.cols() == 0) return acceleration;
    MatrixX e = (B.transpose() * (Q - M_ * acceleration)).cwiseQuotient(scale_);
    solve_lower(projected_, e);
    solve_lower_transposed(projected_, e);
    acceleration += B * e.col(0).cwiseQuotient(scale_);
    return acceleration;
  }

  ConstrainedSolution solve(const VectorX& Q, const VectorX& gamma) const override {
    motions_.require_consistent(gamma);
    ConstrainedSolution out{calc_acceleration(Q, gamma), {}, motions_.dependent()};
    out.lambda = recover_multipliers(A_, M_ * out.acceleration - Q, out.lambda_is_unique());
    return out;
  }

 private:
  MatrixX M_, A_;
  AdmissibleMotions motions_;
  MatrixX projected_;  // Cholesky factor of the scaled 𝓑ᵀM𝓑
  VectorX scale_;
};

class SaddlePointSolver : public ConstrainedSolver {
 public:
  SaddlePointSolver(const MatrixX& M, const MatrixX& A) : A_(A), rows_(find_partition(A).rows) {
    const Eigen::Index n = M.rows(), m = static_cast<Eigen::Index>(rows_.size());
    dependent_ = others(static_cast<int>(A.rows()), rows_);
    const MatrixX kept = pick_rows(A, rows_);
    sizes_ = calc_row_sizes(kept);
    MatrixX all = MatrixX::Zero(n + m, n + m);
    all.topLeftCorner(n, n) = M;
    all.bottomLeftCorner(m, n) = sizes_.cwiseInverse().asDiagonal() * kept;
    all.topRightCorner(n, m) = -all.bottomLeftCorner(m, n).transpose();
    if (!lu_.factor(std::move(all)))
      throw NumericalError(
          "the equation with multipliers is singular: a motion that the constraints leave has no mass; constrain it or "
          "give it a mass");
  }

  VectorX calc_acceleration(const VectorX& Q, const VectorX& gamma) const override {
    return calc_both(Q, gamma).head(Q.size());
  }

  ConstrainedSolution solve(const VectorX& Q, const VectorX& gamma) const override {
    if (!dependent_.empty()) AdmissibleMotions(A_, Complement::partition).require_consistent(gamma);
    const VectorX both = calc_both(Q, gamma);
    ConstrainedSolution out{both.head(Q.size()), VectorX::Zero(A_.rows()), dependent_};
    for (size_t i = 0; i < rows_.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      out.lambda[rows_[i]] = both[Q.size() + k] / sizes_[k];
    }
    if (!out.lambda_is_unique()) out.lambda = recover_multipliers(A_, A_.transpose() * out.lambda, false);
    return out;
  }

 private:
  VectorX calc_both(const VectorX& Q, const VectorX& gamma) const {
    VectorX rhs(Q.size() + sizes_.size());
    rhs << Q, pick(gamma, rows_).cwiseQuotient(sizes_);
    return lu_.solve(rhs);
  }

  MatrixX A_;
  std::vector<int> rows_, dependent_;
  VectorX sizes_;
  DenseLuSolver lu_;
};

// The same in coordinates x = S q with S = diag(M)^½, so that lengths and angles compare:
// S⁻¹MS⁻¹ ẍ = S⁻¹Q + (A S⁻¹)ᵀλ, A S⁻¹ẍ = γ.
class ScaledSolver : public ConstrainedSolver {
 public:
  ScaledSolver(ConstraintMethod method, const MatrixX& M, const MatrixX& A)
      : scale_(M.diagonal().cwiseMax(0).cwiseSqrt()) {
    const double largest = scale_.size() > 0 ? scale_.maxCoeff() : 0;
    for (double& s : scale_)
      if (s == 0) s = largest > 0 ? largest : 1;
    const VectorX inverse = scale_.cwiseInverse();
    const MatrixX scaled = inverse.asDiagonal() * M * inverse.asDiagonal(), rows = A * inverse.asDiagonal();
    if (method == ConstraintMethod::multipliers)
      solver_ = std::make_unique<SaddlePointSolver>(scaled, rows);
    else
      solver_ = std::make_unique<MaggiSolver>(
          scaled, rows, method == ConstraintMethod::maggi_qr ? Complement::qr : Complement::partition);
  }
  VectorX calc_acceleration(const VectorX& Q, const VectorX& gamma) const override {
    return solver_->calc_acceleration(Q.cwiseQuotient(scale_), gamma).cwiseQuotient(scale_);
  }
  ConstrainedSolution solve(const VectorX& Q, const VectorX& gamma) const override {
    ConstrainedSolution out = solver_->solve(Q.cwiseQuotient(scale_), gamma);
    out.acceleration = out.acceleration.cwiseQuotient(scale_);
    return out;
  }

 private:
  VectorX scale_;
  std::unique_ptr<const ConstrainedSolver> solver_;
};

}  // namespace

AdmissibleMotions::AdmissibleMotions(const MatrixX& A, Complement complement) {
  const auto m = static_cast<int>(A.rows()), n = static_cast<int>(A.cols());
  if (complement == Complement::partition) {
    const Partition found = find_partition(A);
    independent_ = found.rows;
    dependent_ = others(m, independent_);
    const std::vector<int> free = others(n, found.columns);
    const MatrixX kept = pick_rows(A, independent_), own = pick_columns(kept, found.columns);
    particular_ = MatrixX::Zero(n, own.rows());
    complement_ = MatrixX::Zero(n, static_cast<Eigen::Index>(free.size()));
    DenseLuSolver lu;
    const bool regular = own.rows() == 0 || lu.factor(own);
    ELODYN_REQUIRE(regular);
    const MatrixX inverse = own.rows() > 0 ? lu.solve(MatrixX::Identity(own.rows(), own.rows())) : own;
    const MatrixX dependence = own.rows() > 0 ? lu.solve(pick_columns(kept, free)) : pick_columns(kept, free);
    for (size_t i = 0; i < found.columns.size(); ++i) {
      particular_.row(found.columns[i]) = inverse.row(static_cast<Eigen::Index>(i));
      complement_.row(found.columns[i]) = -dependence.row(static_cast<Eigen::Index>(i));
    }
    for (size_t i = 0; i < free.size(); ++i) complement_(free[i], static_cast<Eigen::Index>(i)) = 1;
    combination_ = pick_columns(pick_rows(A, dependent_), found.columns) * inverse;
    return;
  }
  // Aᵀ with columns of unit length = [Q₁ Q₂] [R₁₁ R₁₂; 0 0] in the order of the pivots.
  const VectorX sizes = calc_row_sizes(A);
  const PivotedQr qr = pivoted_qr((sizes.cwiseInverse().asDiagonal() * A).transpose(), dependence_limit(A));
  const int r = qr.rank;
  complement_ = qr.Q.rightCols(n - r);
  const std::vector<int> first(qr.order.begin(), qr.order.begin() + r), last(qr.order.begin() + r, qr.order.end());
  // p = Q₁ R₁₁⁻ᵀ γ of the independent rows; a dependent row is R₁₂ᵀ R₁₁⁻ᵀ times them.
  MatrixX inverse = MatrixX::Identity(r, r);
  if (r > 0) solve_lower(qr.R.topLeftCorner(r, r).transpose(), inverse);
  const MatrixX p = qr.Q.leftCols(r) * inverse, c = qr.R.topRightCorner(r, m - r).transpose() * inverse;
  independent_ = first;
  dependent_ = last;
  std::sort(independent_.begin(), independent_.end());
  std::sort(dependent_.begin(), dependent_.end());
  particular_.resize(n, r);
  combination_.resize(m - r, r);
  const auto place_of = [](const std::vector<int>& sorted, int row) {
    return static_cast<Eigen::Index>(std::lower_bound(sorted.begin(), sorted.end(), row) - sorted.begin());
  };
  for (int k = 0; k < r; ++k) {
    const int row = first[static_cast<size_t>(k)];
    const Eigen::Index at = place_of(independent_, row);
    particular_.col(at) = p.col(k) / sizes[row];
    for (int d = 0; d < m - r; ++d) {
      const int other = last[static_cast<size_t>(d)];
      combination_(place_of(dependent_, other), at) = c(d, k) * sizes[other] / sizes[row];
    }
  }
}

VectorX AdmissibleMotions::calc_particular(const VectorX& gamma) const {
  return particular_ * pick(gamma, independent_);
}

void AdmissibleMotions::require_consistent(const VectorX& gamma) const {
  constexpr double kAgrees = 1e-8;
  const VectorX kept = pick(gamma, independent_);
  for (size_t d = 0; d < dependent_.size(); ++d) {
    const auto row = static_cast<Eigen::Index>(d);
    const double want = gamma[dependent_[d]], size = combination_.row(row).cwiseAbs().dot(kept.cwiseAbs());
    if (std::abs(want - combination_.row(row).dot(kept)) > kAgrees * std::max(std::abs(want), size))
      throw NumericalError("constraint " + std::to_string(dependent_[d] + 1) + " of " + std::to_string(gamma.size()) +
                           " depends on the others and contradicts them; leave it out or correct its value");
  }
}

std::unique_ptr<const ConstrainedSolver> make_constrained_solver(ConstraintMethod method, const MatrixX& M,
                                                                 const MatrixX& A) {
  ELODYN_REQUIRE(M.rows() == M.cols() && A.cols() == M.cols());
  return std::make_unique<ScaledSolver>(method, M, A);
}

ConstrainedSolution solve_maggi(const ConstrainedState& state, Complement complement) {
  const auto method = complement == Complement::qr ? ConstraintMethod::maggi_qr : ConstraintMethod::maggi_partition;
  return make_constrained_solver(method, state.M, state.A)->solve(state.Q, state.gamma);
}
ConstrainedSolution solve_multipliers(const ConstrainedState& state) {
  return make_constrained_solver(ConstraintMethod::multipliers, state.M, state.A)->solve(state.Q, state.gamma);
}

ConstrainedState calc_state(const ConstrainedSystem& system, double t, const VectorX& q, const VectorX& v) {
  return {system.calc_mass(t, q), system.calc_force(t, q, v), system.calc_A(t, q), system.calc_gamma(t, q, v)};
}

namespace {

double largest_of(const VectorX& v) { return v.size() == 0 ? 0 : v.cwiseAbs().maxCoeff(); }

// The equations of motion and the projection of one system by one method.
class ConstrainedRun {
 public:
  ConstrainedRun(const ConstrainedSystem& system, ConstraintMethod method) : system_(system), method_(method) {}

  VectorX calc_acceleration(double t, const VectorX& q, const VectorX& v) {
    return solver_at(t, q).calc_acceleration(system_.calc_force(t, q, v), system_.calc_gamma(t, q, v));
  }

  ConstraintDrift calc_drift(double t, const VectorX& q, const VectorX& v) const {
    return {largest_of(system_.calc_positions(t, q)), largest_of(system_.calc_A(t, q) * v - system_.calc_b(t, q))};
  }

  // The smallest change δ in the norm of M that meets constraints A δ = γ is (1) without forces.
  void project(double t, VectorX& q, VectorX& v) {
    constexpr int kMostCorrections = 5;
    double before = 0;
    for (int k = 0; k < kMostCorrections; ++k) {
      const VectorX positions = system_.calc_positions(t, q);
      const double now = largest_of(positions);
      if (now == 0 || (k > 0 && now > 0.1 * before)) break;  // met, or at round-off
      q += position_solver_at(t, q, positions.size()).calc_acceleration(VectorX::Zero(q.size()), -positions);
      before = now;
    }
    v += solver_at(t, q).calc_acceleration(VectorX::Zero(q.size()), system_.calc_b(t, q) - system_.calc_A(t, q) * v);
  }

 private:
  const ConstrainedSolver& solver_at(double t, const VectorX& q) {
    if (!solver_ || !system_.is_constant())
      solver_ = make_constrained_solver(method_, system_.calc_mass(t, q), system_.calc_A(t, q));
    return *solver_;
  }
  const ConstrainedSolver& position_solver_at(double t, const VectorX& q, Eigen::Index n_positions) {
    if (position_solver_ && system_.is_constant()) return *position_solver_;
    const MatrixX A = system_.calc_A(t, q);
    if (A.rows() == n_positions) return solver_at(t, q);
    position_solver_ = make_constrained_solver(method_, system_.calc_mass(t, q), A.topRows(n_positions));
    return *position_solver_;
  }

  const ConstrainedSystem& system_;
  ConstraintMethod method_;
  std::unique_ptr<const ConstrainedSolver> solver_, position_solver_;
};

void take_larger(ConstraintDrift& into, const ConstraintDrift& other) {
  into.position = std::max(into.position, other.position);
  into.velocity = std::max(into.velocity, other.velocity);
}

}  // namespace

ConstrainedMotion integrate_constrained(const ConstrainedSystem& system, VectorX q, VectorX v,
                                        const std::vector<double>& times, const ConstrainedOptions& options) {
  const Eigen::Index n = system.n();
  ELODYN_REQUIRE(q.size() == n && v.size() == n && !times.empty());
  ConstrainedRun run(system, options.method);
  AdmissibleMotions(system.calc_A(times.front(), q), Complement::qr)
      .require_consistent(system.calc_gamma(times.front(), q, v));
  if (options.project) run.project(times.front(), q, v);
  const double unit = options.velocity_unit;
  VectorX y(2 * n);
  y << q, v / unit;
  const OdeRate rate = [&](double t, const VectorX& at, VectorX& out) {
    out.resize(2 * n);
    const VectorX speed = unit * at.tail(n);
    out << speed, run.calc_acceleration(t, at.head(n), speed) / unit;
  };
  ConstrainedMotion out;
  out.drift = run.calc_drift(times.front(), q, v);
  const OdeStepHook hook = [&](double t, VectorX& at) {
    q = at.head(n);
    v = unit * at.tail(n);
    const ConstraintDrift raw = run.calc_drift(t, q, v);
    take_larger(out.step, raw);
    if (options.project) {
      run.project(t, q, v);
      at << q, v / unit;
      take_larger(out.drift, run.calc_drift(t, q, v));
    } else {
      take_larger(out.drift, raw);
    }
    return true;
  };
  const OdeResult found = integrate(rate, y, times, options.ode, hook);
  out.times = found.times;
  out.q = found.y.topRows(n);
  out.v = unit * found.y.bottomRows(n);
  out.steps = found.steps;
  return out;
}

}  // namespace elodyn
