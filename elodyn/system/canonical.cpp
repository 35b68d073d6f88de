#include "elodyn/system/canonical.hpp"

#include <cmath>
#include <map>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

constexpr Eigen::Index kFew = 64;  // unknowns, below which a full inverse of M is quicker than a sparse solve

double largest(const VectorX& values) { return values.size() == 0 ? 0 : values.lpNorm<Eigen::Infinity>(); }

}  // namespace

CanonicalEquation::CanonicalEquation(const BodySystem& system) : system_(&system) {
  const SparseMatrix M = system.reduced.calc_mass();
  d_ = M.diagonal().cwiseSqrt().cwiseInverse();
  ELODYN_REQUIRE(d_.allFinite());  // make_body_system refuses coordinates without mass
  M_ = d_.asDiagonal() * M * d_.asDiagonal();
  if (!factor_.factor(M_))
    throw NumericalError("body `" + system.body->name + "`: the mass matrix is singular at " +
                         system.mesh.describe(system.constraints.full_of_reduced(factor_.failed_column())) +
                         ", so that motion has no momentum; switch terms.rotary on, or use a lower degree");
  if (size() <= kFew) inverse_ = factor_.solve(MatrixX::Identity(size(), size()));
  if (system.modal.empty())
    modal_.M_phi.resize(size(), 0);
  else
    modal_.M_phi = d_.asDiagonal() * system.modal.M_phi;
  modal_.weights = system.modal.weights;
  has_damping_ = !modal_.weights.isZero(0);
  add_parts();
}

VectorX CanonicalEquation::scale_values(const VectorX& values) const {
  const SparsePattern& pattern = *system_->reduced.pattern;
  VectorX scaled = values;
  for (int j = 0; j < pattern.size(); ++j) {
    const int end = j + 1 < pattern.size() ? pattern.column_begin(j + 1) : pattern.n_nonzeros();
    for (int k = pattern.column_begin(j); k < end; ++k) scaled[k] *= d_[j] * d_[pattern.row(k)];
  }
  return scaled;
}

VectorX CanonicalEquation::transpose_values(const VectorX& values) const {
  const SparsePattern& pattern = *system_->reduced.pattern;
  VectorX transposed(values.size());
  for (int j = 0; j < pattern.size(); ++j) {
    const int end = j + 1 < pattern.size() ? pattern.column_begin(j + 1) : pattern.n_nonzeros();
    for (int k = pattern.column_begin(j); k < end; ++k) transposed[k] = values[pattern.index(j, pattern.row(k))];
  }
  return transposed;
}

// Where each term of the affine equation goes in (1) and (2).
void CanonicalEquation::add_parts() {
  const auto add = [&](Target target, When when, const Factor& factor, VectorX values) {
    if (!values.isZero(0)) parts_.push_back({target, when, factor, std::move(values)});
  };
  struct EulerPart {
    VectorX skew, C;
  };
  std::map<int, EulerPart> about;  // axis → the skew part of E, and C of w = 1
  for (const MatrixTerm& term : system_->reduced.matrices) {
    VectorX values = term.coefficient * scale_values(term.values);
    switch (term.kind) {
      case TermKind::mass:
        break;
      case TermKind::damping:
        has_damping_ = has_damping_ || !values.isZero(0);
        add(Target::D, When::always, term.factor, std::move(values));
        break;
      case TermKind::coriolis: {
        ELODYN_REQUIRE(term.factor.kind == Factor::Kind::w);
        const VectorX half = 0.5 * values;
        about[term.factor.i].C = half;
        add(Target::C, When::always, term.factor, half);
        break;
      }
      case TermKind::euler: {
        ELODYN_REQUIRE(term.factor.kind == Factor::Kind::e);
        const VectorX transposed = transpose_values(values), skew = 0.5 * (values - transposed);
        about[term.factor.i].skew = skew;
        add(Target::K, When::always, term.factor, 0.5 * (values + transposed));
        add(Target::N, When::frozen, term.factor, skew);
        break;
      }
      case TermKind::circulatory:
        has_damping_ = has_damping_ || !values.isZero(0);
        add(Target::N, When::always, term.factor, std::move(values));
        break;
      default:
        ELODYN_REQUIRE(acts_on_displacement(term.kind));
        add(Target::K, When::always, term.factor, std::move(values));
    }
  }
  // With all terms switched on the two are equal but for round-off, which would only disturb the symmetry of (2).
  constexpr double kRoundOff = 1e-12;
  for (auto& [axis, part] : about) {
    const VectorX zero = VectorX::Zero(system_->reduced.pattern->n_nonzeros());
    const VectorX& E = part.skew.size() > 0 ? part.skew : zero;
    const VectorX& C = part.C.size() > 0 ? part.C : zero;
    const VectorX rest = E - C;
    if (largest(rest) > kRoundOff * largest(C)) add(Target::N, When::moving, {Factor::Kind::e, axis, 0}, rest);
  }
}

CanonicalTerms CanonicalEquation::calc_terms(const FactorValues& at, FrameRate rate) const {
  CanonicalTerms out;
  calc_terms(at, rate, out);
  return out;
}

void CanonicalEquation::calc_terms(const FactorValues& at, FrameRate rate, CanonicalTerms& out) const {
  const SparsePattern& pattern = *system_->reduced.pattern;
  const When other = rate == FrameRate::frozen ? When::moving : When::frozen;
  const auto sum = [&](Target target, SparseMatrix& matrix) {
    if (matrix.nonZeros() != pattern.n_nonzeros())
      matrix = pattern.to_matrix(VectorX::Zero(pattern.n_nonzeros()));
    else
      matrix.coeffs().setZero();
    bool any = false;
    for (const Part& part : parts_) {
      if (part.target != target || part.when == other) continue;
      const double factor = at(part.factor);
      if (factor == 0) continue;
      matrix.coeffs() += factor * part.values.array();
      any = true;
    }
    return any;
  };
  sum(Target::C, out.C);
  sum(Target::K, out.K);
  out.has_D = sum(Target::D, out.D);
  out.has_N = sum(Target::N, out.N);
  out.f.setZero(size());
  for (const LoadTerm& term : system_->reduced.loads)
    if (const double factor = term.coefficient * at(term.factor); factor != 0) out.f += factor * term.values;
  out.f.array() *= d_.array();
}

void CanonicalEquation::add_coriolis(const FactorValues& at, const VectorX& y, Eigen::Ref<VectorX> p) const {
  const SparsePattern& pattern = *system_->reduced.pattern;
  for (const Part& part : parts_) {
    const double factor = part.target == Target::C ? at(part.factor) : 0;
    if (factor == 0) continue;
    for (int j = 0; j < pattern.size(); ++j) {
      const int end = j + 1 < pattern.size() ? pattern.column_begin(j + 1) : pattern.n_nonzeros();
      const double value = factor * y[j];
      for (int k = pattern.column_begin(j); k < end; ++k) p[pattern.row(k)] += part.values[k] * value;
    }
  }
}

void CanonicalEquation::solve_mass(const VectorX& b, VectorX& x) const {
  if (inverse_.size() > 0)
    x.noalias() = inverse_ * b;
  else
    x = factor_.solve(b);
}

VectorX CanonicalEquation::make_state(const CanonicalTerms& terms, const VectorX& z, const VectorX& z_rate) const {
  const VectorX y = z.cwiseQuotient(d_), y_rate = z_rate.cwiseQuotient(d_);
  VectorX x(2 * size());
  x << y, M_ * y_rate + terms.C * y;
  return x;
}

VectorX CanonicalEquation::calc_coordinates(const VectorX& x) const { return d_.cwiseProduct(x.head(size())); }

VectorX CanonicalEquation::calc_velocities(const CanonicalTerms& terms, const VectorX& x) const {
  VectorX v;
  solve_mass(x.tail(size()) - terms.C * x.head(size()), v);
  return d_.cwiseProduct(v);
}

void CanonicalEquation::calc_rate(const CanonicalTerms& terms, const VectorX& x, VectorX& rate) const {
  const auto n = size();
  momentum_ = x.tail(n);
  momentum_.noalias() -= terms.C * x.head(n);
  solve_mass(momentum_, velocity_);
  rate.resize(2 * n);
  rate.head(n) = velocity_;
  auto force = rate.tail(n);
  force = terms.f;
  force.noalias() -= terms.C * velocity_;
  force.noalias() -= terms.D * velocity_;
  force.noalias() -= terms.K * x.head(n);
  force.noalias() -= terms.N * x.head(n);
  if (modal_.weights.size() > 0)
    force.noalias() -= modal_.M_phi * modal_.weights.cwiseProduct(modal_.M_phi.transpose() * velocity_);
}

double CanonicalEquation::calc_hamiltonian(const CanonicalTerms& terms, const VectorX& x) const {
  const auto y = x.head(size());
  momentum_ = x.tail(size()) - terms.C * y;
  solve_mass(momentum_, velocity_);
  return 0.5 * momentum_.dot(velocity_) + 0.5 * y.dot(terms.K * y) - terms.f.dot(y);
}

double CanonicalEquation::calc_energy_size(const CanonicalTerms& terms, const VectorX& x) const {
  const auto y = x.head(size());
  momentum_ = x.tail(size()) - terms.C * y;
  solve_mass(momentum_, velocity_);
  return 0.5 * momentum_.dot(velocity_) + std::abs(0.5 * y.dot(terms.K * y)) + std::abs(terms.f.dot(y));
}

MatrixX CanonicalEquation::calc_canonical_matrix(const CanonicalTerms& terms) const {
  const auto n = size();
  const MatrixX C = terms.C;
  MatrixX Z(2 * n, 2 * n);
  Z.topLeftCorner(n, n) = -factor_.solve(C);
  Z.topRightCorner(n, n) = factor_.solve(MatrixX::Identity(n, n));
  Z.bottomRows(n) = -terms.C * Z.topRows(n);
  Z.bottomLeftCorner(n, n) -= terms.K;
  return Z;
}

MatrixX CanonicalEquation::calc_force_matrix(const CanonicalTerms& terms) const {
  const auto n = size();
  MatrixX D = terms.D;
  D += modal_.M_phi * modal_.weights.asDiagonal() * modal_.M_phi.transpose();
  MatrixX velocity(n, 2 * n);  // of x
  velocity << -factor_.solve(MatrixX(terms.C)), factor_.solve(MatrixX::Identity(n, n));
  MatrixX Q = MatrixX::Zero(2 * n, 2 * n);
  Q.bottomRows(n) = -D * velocity;
  Q.bottomLeftCorner(n, n) -= terms.N;
  return Q;
}

// (Z + Q − σ)(y, p) = (a, b): the first row says M⁻¹(p − Cy) = σy + a =: v; the second, with p = Mv + Cy,
//   (σ²M + σ(2C + D) + K + N) y = −b − (C + D + σM) a.
std::optional<MatrixX> CanonicalEquation::calc_shifted_inverse(const CanonicalTerms& terms, const MatrixX& stiffness,
                                                               double sigma) const {
  const auto n = size();
  const MatrixX C = terms.C, M = M_;
  MatrixX D = terms.D;
  D += modal_.M_phi * modal_.weights.asDiagonal() * modal_.M_phi.transpose();
  MatrixX dynamic = sigma * sigma * M + sigma * (2 * C + D) + stiffness, y(n, 2 * n);
  y << -(C + D + sigma * M), -MatrixX::Identity(n, n);
  if (!solve_in_place(dynamic, y)) return std::nullopt;
  MatrixX inverse(2 * n, 2 * n);
  inverse.topRows(n) = y;
  inverse.bottomRows(n) = (sigma * M + C) * y;
  inverse.bottomLeftCorner(n, n) += M;
  return inverse;
}

ProjectedEquation::ProjectedEquation(const CanonicalEquation& equation, const MatrixX& basis) {
  using Equation = CanonicalEquation;
  const SparsePattern& pattern = *equation.system().reduced.pattern;
  for (const Equation::Part& part : equation.parts_)
    if (part.when != Equation::When::frozen)
      parts_.push_back({part.target, part.factor, basis.transpose() * (pattern.to_matrix(part.values) * basis)});
  const MatrixX rates = equation.modal().M_phi.transpose() * basis;
  D_ = rates.transpose() * equation.modal().weights.asDiagonal() * rates;
}

void ProjectedEquation::calc_terms(const FactorValues& at, ProjectedTerms& out) const {
  const auto m = size();
  out.C.setZero(m, m);
  out.K.setZero(m, m);
  out.N.setZero(m, m);
  out.D = D_;
  for (const Part& part : parts_) {
    const double factor = at(part.factor);
    if (factor == 0) continue;
    switch (part.target) {
      case CanonicalEquation::Target::C:
        out.C += factor * part.matrix;
        break;
      case CanonicalEquation::Target::K:
        out.K += factor * part.matrix;
        break;
      case CanonicalEquation::Target::D:
        out.D += factor * part.matrix;
        break;
      case CanonicalEquation::Target::N:
        out.N += factor * part.matrix;
        break;
    }
  }
}

}  // namespace elodyn
