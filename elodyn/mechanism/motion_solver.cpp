#include "elodyn/mechanism/motion_solver.hpp"

#include <cmath>

#include <fmt/format.h>

#include "elodyn/base/dual.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

double largest_of(const VectorX& v, const std::vector<int>& which) {
  double largest = 0;
  for (const int i : which) largest = std::max(largest, std::abs(v[i]));
  return largest;
}

}  // namespace

MotionSolver::MotionSolver(const Mechanism& mechanism, RowChoice rows, Formalism formalism)
    : mechanism_(mechanism), rows_(std::move(rows)), formalism_(formalism) {
  const int n = mechanism.n_v();
  reduced_.setZero(n, n);
  inertia_ = rest_ = Q_ = load_ = VectorX::Zero(n);
  reduced_rhs_.resize(n);
  violation_ = VectorX::Zero(mechanism.n_rows());
  friction_ = VectorX::Zero(mechanism.n_x());
  if (formalism == Formalism::maggi || formalism == Formalism::multipliers) {
    M_ = mechanism.calc_mass();
  }
}

void MotionSolver::factor_reduced(double t) {
  const int f = elimination_.n_free();
  for (int j = 0; j < f; ++j) {
    const double before = reduced_(j, j);
    double pivot = before;
    for (int k = 0; k < j; ++k) pivot -= reduced_(j, k) * reduced_(j, k);
    const bool is_number = std::isfinite(pivot);  // else the state is none, which the step control sees
    if (is_number && (!(pivot > 64 * kEps * f * before) || !(before > 0))) {
      std::string where;
      for (int i = 0; i < mechanism_.n_bodies(); ++i) {
        const auto& body = mechanism_.bodies()[static_cast<size_t>(i)];
        const int free = elimination_.free_coordinate(j);
        if (free >= body.v0 && free < body.v0 + body.n_v) where = mechanism_.describe_body(i);
      }
      throw NumericalError(fmt::format(
          "{} moves freely at t = {:.6g} s without mass in that motion, so its acceleration is not determined; "
          "give it a mass and an inertia, or a joint that holds it",
          where, t));
    }
    reduced_(j, j) = std::sqrt(pivot);
    for (int i = j + 1; i < f; ++i) {
      double value = reduced_(i, j);
      for (int k = 0; k < j; ++k) value -= reduced_(i, k) * reduced_(j, k);
      reduced_(i, j) = value / reduced_(j, j);
    }
  }
}

void MotionSolver::solve_reduced(VectorX& rhs) const {
  const int f = elimination_.n_free();
  for (int i = 0; i < f; ++i) {
    for (int k = 0; k < i; ++k) rhs[i] -= reduced_(i, k) * rhs[k];
    rhs[i] /= reduced_(i, i);
  }
  for (int i = f - 1; i >= 0; --i) {
    for (int k = i + 1; k < f; ++k) rhs[i] -= reduced_(k, i) * rhs[k];
    rhs[i] /= reduced_(i, i);
  }
}

// Σ m v_r·v_s + ω_r·I ω_s: partial velocities are rows of 𝓑.
void MotionSolver::reduce_mass() {
  const RowMatrix& B = elimination_.complement();
  const int f = elimination_.n_free();
  for (int r = 0; r < f; ++r)
    for (int s = 0; s <= r; ++s) {
      double sum = 0;
      for (const auto& body : mechanism_.bodies()) {
        const int at = body.v0;
        if (mechanism_.is_planar()) {
          sum += body.mass.mass * (B(at, r) * B(at, s) + B(at + 1, r) * B(at + 1, s)) +
                 body.mass.inertia(2, 2) * B(at + 2, r) * B(at + 2, s);
        } else {
          const Vec3 v_r = B.block<3, 1>(at, r), v_s = B.block<3, 1>(at, s);
          const Vec3 w_r = B.block<3, 1>(at + 3, r), w_s = B.block<3, 1>(at + 3, s);
          sum += body.mass.mass * v_r.dot(v_s) + w_r.dot(body.mass.inertia * w_s);
        }
      }
      reduced_(r, s) = sum;
    }
}

// ∂S/∂u̇_r at u̇ = 0 and at each unit vector: S is quadratic, so its Hessian is their difference. Leaves ∂S/∂u̇ at zero
// in load_.
void MotionSolver::reduce_mass_by_appell(const MechanismInstant& at) {
  const RowMatrix& B = elimination_.complement();
  const int f = elimination_.n_free();
  using Number = Dual<double>;
  using Vec = std::array<Number, 3>;
  // S of v̇ = p + 𝓑 (u̇ + ε e_r)
  const auto slope = [&](int unit, int r) {
    Number S = 0.0;
    const auto component = [&](int row) {
      return Number(particular_[row] + (unit >= 0 ? B(row, unit) : 0.0), B(row, r));
    };
    for (size_t i = 0; i < mechanism_.bodies().size(); ++i) {
      const auto& body = mechanism_.bodies()[i];
      const int n = mechanism_.is_planar() ? 2 : 3;
      for (int k = 0; k < n; ++k) {
        const Number a = component(body.v0 + k);
        S += Number(0.5 * body.mass.mass) * a * a;
      }
      if (mechanism_.is_planar()) {
        const Number e = component(body.v0 + 2);
        S += Number(0.5 * body.mass.inertia(2, 2)) * e * e;
        continue;
      }
      const Vec e = {component(body.v0 + 3), component(body.v0 + 4), component(body.v0 + 5)};
      const Vec3 w = at.poses[i].w_B, whirl = w.cross(body.mass.inertia * w);
      for (int k = 0; k < 3; ++k) {
        Number spin = 0.0;
        for (int l = 0; l < 3; ++l) spin += Number(body.mass.inertia(k, l)) * e[static_cast<size_t>(l)];
        S += e[static_cast<size_t>(k)] * (Number(0.5) * spin + Number(whirl[k]));
      }
    }
    return S.b;
  };
  for (int r = 0; r < f; ++r) {
    load_[r] = slope(-1, r);
    for (int s = 0; s <= r; ++s) reduced_(r, s) = slope(s, r) - load_[r];
  }
}

void MotionSolver::factor(const MechanismInstant& at) {
  elimination_.factor(at.A, rows_.rows, mechanism_.units(), kPassed * rows_.pivot);
  if (formalism_ == Formalism::kane) {
    reduce_mass();
    factor_reduced(at.t);
  } else if (formalism_ != Formalism::gibbs_appell) {
    kept_A_.resize(elimination_.rank(), mechanism_.n_v());
    for (int i = 0; i < elimination_.rank(); ++i) kept_A_.row(i) = at.A.row(elimination_.row(i));
    const auto method = formalism_ == Formalism::maggi ? ConstraintMethod::maggi_qr : ConstraintMethod::multipliers;
    solver_ = make_constrained_solver(method, M_, kept_A_);
  }
}

void MotionSolver::prepare(const MechanismInstant& at) {
  if (solver_) {
    kept_gamma_.resize(elimination_.rank());
    for (int i = 0; i < elimination_.rank(); ++i) kept_gamma_[i] = at.gamma[elimination_.row(i)];
    return;
  }
  elimination_.calc_particular(at.gamma, particular_);
  if (formalism_ == Formalism::kane) {
    inertia_.setZero();
    mechanism_.add_mass_times(particular_, inertia_);
  } else {
    reduce_mass_by_appell(at);
    factor_reduced(at.t);
  }
}

void MotionSolver::solve_prepared(const MechanismInstant& at, const VectorX& Q, VectorX& acceleration) {
  if (solver_) {
    acceleration = solver_->calc_acceleration(Q, kept_gamma_);
    return;
  }
  const RowMatrix& B = elimination_.complement();
  const int f = elimination_.n_free(), n = mechanism_.n_v();
  if (formalism_ == Formalism::kane) {
    for (int r = 0; r < f; ++r) {  // (1): gyroscopic torques are in Q
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += B(i, r) * (Q[i] - inertia_[i]);
      reduced_rhs_[r] = sum;
    }
  } else {
    // (2): what turns with the body is in S, so it is taken out of Q.
    for (int r = 0; r < f; ++r) {
      double sum = 0;
      for (int i = 0; i < n; ++i) sum += B(i, r) * Q[i];
      if (!mechanism_.is_planar())
        for (size_t i = 0; i < mechanism_.bodies().size(); ++i) {
          const auto& body = mechanism_.bodies()[i];
          const Vec3 w = at.poses[i].w_B;
          sum += B.block<3, 1>(body.v0 + 3, r).dot(w.cross(body.mass.inertia * w));
        }
      reduced_rhs_[r] = sum - load_[r];
    }
  }
  solve_reduced(reduced_rhs_);
  acceleration = particular_;
  for (int i = 0; i < n; ++i)
    for (int r = 0; r < f; ++r) acceleration[i] += B(i, r) * reduced_rhs_[r];
}

void MotionSolver::solve(const MechanismInstant& at, VectorX& acceleration) {
  factor(at);
  solve_with_friction(at, acceleration);
}

void MotionSolver::solve_again(const MechanismInstant& at, VectorX& acceleration) {
  if (solver_ || formalism_ == Formalism::gibbs_appell)
    solve(at, acceleration);
  else
    solve_with_friction(at, acceleration);
}

void MotionSolver::solve_with_friction(const MechanismInstant& at, VectorX& acceleration) {
  prepare(at);
  if (!mechanism_.has_coulomb()) {
    solve_prepared(at, at.Q, acceleration);
    return;
  }
  constexpr int kMostRounds = 200;
  constexpr double kStands = 1e-13;
  friction_.setZero();
  for (int round = 0;; ++round) {
    Q_ = at.Q;
    for (const auto& joint : mechanism_.joints())
      if (joint.has_coulomb()) Q_ += friction_[joint.first_x] * at.J.row(joint.first_x).transpose();
    solve_prepared(at, Q_, acceleration);
    calc_lambda(at, acceleration, lambda_);
    double change = 0, size = 0;
    int worst = 0;
    for (size_t j = 0; j < mechanism_.joints().size(); ++j) {
      const auto& joint = mechanism_.joints()[j];
      if (!joint.has_coulomb()) continue;
      const double N = calc_joint_force(mechanism_, at, static_cast<int>(j), lambda_);
      const double arm = mechanism_.coordinate_is_angle(joint.first_x) ? joint.pin_radius : 1;
      const double full = joint.coulomb * N * arm;
      const double value = -full * std::tanh(at.x_rate[joint.first_x] / joint.smoothing);
      const double own = std::abs(value - friction_[joint.first_x]);
      if (own > change) change = own, worst = static_cast<int>(j);
      size = std::max(size, full);
      friction_[joint.first_x] = value;
    }
    if (change <= kStands * size) return;
    if (round == kMostRounds || !std::isfinite(change))
      throw NumericalError(fmt::format(
          "friction in joint {} has no solution at t = {:.6g} s: it raises the force that causes it, the mechanism "
          "jams; lower its coulomb coefficient or its pin radius",
          mechanism_.joints()[static_cast<size_t>(worst)].name, at.t));
  }
}

void MotionSolver::calc_lambda(const MechanismInstant& at, const VectorX& acceleration, VectorX& lambda) {
  rest_ = -at.Q;
  mechanism_.add_mass_times(acceleration, rest_);
  for (const auto& joint : mechanism_.joints())
    if (joint.has_coulomb()) rest_ -= friction_[joint.first_x] * at.J.row(joint.first_x).transpose();
  elimination_.solve_transposed(rest_, lambda);
}

void MotionSolver::calc_shortest_lambda(const MechanismInstant& at, const VectorX& acceleration,
                                        VectorX& lambda) const {
  VectorX rest = -at.Q;
  mechanism_.add_mass_times(acceleration, rest);
  for (const auto& joint : mechanism_.joints())
    if (joint.has_coulomb()) rest -= friction_[joint.first_x] * at.J.row(joint.first_x).transpose();
  const VectorX inverse = mechanism_.units().cwiseInverse();
  const MatrixX scaled = inverse.asDiagonal() * at.A.transpose();
  lambda = least_squares(scaled, rest.cwiseProduct(inverse));
}

// The smallest change in the norm of M with A δ = violation: as an acceleration without forces.
void MotionSolver::correct(const std::vector<int>& rows, const MechanismInstant& at, const VectorX& violation,
                           VectorX& change) {
  elimination_.factor(at.A, rows, mechanism_.units(), kPassed * rows_.pivot);
  reduce_mass();
  factor_reduced(at.t);
  correct_factored(violation, change);
}

void MotionSolver::correct_factored(const VectorX& violation, VectorX& change) {
  elimination_.calc_particular(violation, change);
  inertia_.setZero();
  mechanism_.add_mass_times(change, inertia_);
  const RowMatrix& B = elimination_.complement();
  const int f = elimination_.n_free(), n = mechanism_.n_v();
  for (int r = 0; r < f; ++r) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum -= B(i, r) * inertia_[i];
    reduced_rhs_[r] = sum;
  }
  solve_reduced(reduced_rhs_);
  for (int i = 0; i < n; ++i)
    for (int r = 0; r < f; ++r) change[i] += B(i, r) * reduced_rhs_[r];
}

MotionSolver::Gaps MotionSolver::project_solved(MechanismState& state, MechanismInstant& at) {
  Gaps out;
  mechanism_.normalise(state.q);
  out.position = largest_of(at.phi, rows_.holonomic);
  const bool has_factors = formalism_ == Formalism::kane && rows_.rows == rows_.holonomic;
  const double met = 64 * kEps * mechanism_.size();
  if (has_factors && out.position > 0) {
    violation_.head(at.phi.size()) = -at.phi;
    correct_factored(violation_, change_);
    mechanism_.add_step(state.q, change_);
    mechanism_.evaluate(state, at);
  }
  if (!has_factors || largest_of(at.phi, rows_.holonomic) > met) project_positions(state, at);
  out.velocity = project_velocities(state, at);
  return out;
}

double MotionSolver::project_positions(MechanismState& state, MechanismInstant& at) {
  constexpr int kMostCorrections = 5;
  mechanism_.normalise(state.q);
  double first = 0, before = 0;
  for (int k = 0;; ++k) {
    mechanism_.evaluate(state, at);
    const double now = largest_of(at.phi, rows_.holonomic);
    if (k == 0) first = now;
    if (now <= 4 * kEps * mechanism_.size() || k == kMostCorrections || (k > 0 && now > 0.1 * before)) return first;
    violation_.head(at.phi.size()) = -at.phi;
    correct(rows_.holonomic, at, violation_, change_);
    mechanism_.add_step(state.q, change_);
    before = now;
  }
}

double MotionSolver::project_velocities(MechanismState& state, MechanismInstant& at) {
  violation_ = at.b;
  violation_.noalias() -= at.A * state.v;
  const double first = largest_of(violation_, rows_.rows);
  correct(rows_.rows, at, violation_, change_);
  state.v += change_;
  mechanism_.evaluate(state, at);
  return first;
}

double calc_joint_force(const Mechanism& mechanism, const MechanismInstant& at, int joint, const VectorX& lambda) {
  const auto& block = mechanism.joints()[static_cast<size_t>(joint)];
  const int body = block.b.body < mechanism.n_bodies() ? block.b.body : block.a.body;
  if (body == mechanism.n_bodies()) return 0;
  const int at_column = mechanism.bodies()[static_cast<size_t>(body)].v0, n = mechanism.is_planar() ? 2 : 3;
  double squares = 0;
  for (int k = 0; k < n; ++k) {
    double sum = 0;
    for (int i = block.first_row; i < block.first_row + block.n_rows; ++i) sum += at.A(i, at_column + k) * lambda[i];
    for (int i = block.first_speed_row; i < block.first_speed_row + block.n_speed_rows; ++i)
      sum += at.A(i, at_column + k) * lambda[i];
    squares += sum * sum;
  }
  return std::sqrt(squares);
}

}  // namespace elodyn
