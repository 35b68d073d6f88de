// Hamilton's canonical equations,
//   p = ∂L/∂q̇,   H(q, p) = p·q̇ − L,   q̇ = ∂H/∂p,   ṗ = −∂H/∂q + Q.                                        (1)
// The velocity of the origin is taken away at the start by a canonical transformation (adding d/dt of −∫ρ v_O·r to L),
//   L = ½ Σ m |ω × r + ṙ|² − Σ m a_O·r − V,   r = x + u or Λs to second order (matter.hpp),              (2)
// a polynomial in (y, ẏ; w, a), y = (u, θ), ∂/∂q = [N; Nθ]ᵀ ∂/∂y. Summed over the stations it is, but for V,
//   L = ½ q̇ᵀM q̇ + Σᵢ wᵢ q̇ᵀ(bᵢ + Cᵢ q) + Σᵢⱼ wᵢwⱼ (½ qᵀUᵢⱼq + gᵢⱼᵀq) − Σⱼ aⱼ fⱼᵀq.                          (3)
// The Legendre transform needs M⁻¹, and M is badly scaled. With M = LLᵀ, a pivoted Cholesky factor in coordinates
// scaled by diag(M)^½, the canonical point transformation Q = Lᵀq, P = L⁻¹p makes M the identity, and only the square
// root of its condition number enters. Coordinates without mass have no momentum from which their velocity could be
// found (springs; lumped masses without inertia). As many as the rank of M lacks stay as velocities Ż in Routh's
// function,
//   R(Q, P, Ż) = P·Ȧ − L,   Ȧ = ∂R/∂P,  Ṗ = −∂R/∂A,  d/dt ∂R/∂Ż = ∂R/∂Z,   Q = (A, Z),                    (4)
// which is H if there are none. R is quadratic, its derivatives are its coefficients. The affine terms are found by
// solving Ȧ = ∂R/∂P for P(Q, Q̇), and putting it and its time derivative into the other equations of (4).
// V has no momenta, so −∂H/∂q = … − ∂V/∂q needs no change of coordinates; Q is −∂F/∂q̇ and the loads (energy.hpp).
#include <memory>

#include "elodyn/formalism/energy.hpp"
#include "elodyn/formalism/matter.hpp"

namespace elodyn {
namespace {

constexpr double kNoMass = 1e-12;  // a pivot of the scaled M, whose diagonal is 1; above its round-off n ε

// (3)
struct QuadraticLagrangian {
  MatrixX M;
  std::vector<MatrixX> C, U;
  std::vector<VectorX> b, g, f;

  QuadraticLagrangian(int n, size_t n_axes, size_t n_pairs, size_t n_accelerations)
      : M(MatrixX::Zero(n, n)),
        C(n_axes, M),
        U(n_pairs, M),
        b(n_axes, VectorX::Zero(n)),
        g(n_pairs, VectorX::Zero(n)),
        f(n_accelerations, VectorX::Zero(n)) {}
};

Polynomial calc_local_lagrangian(const MovingFrame& frame, const Matter& matter) {
  PolynomialSum L(2);
  for (const Particle& particle : matter.particles) {
    std::array<PolynomialSum, 3> sum = {PolynomialSum(2), PolynomialSum(2), PolynomialSum(2)};
    for (size_t k = 0; k < 3; ++k) sum[k].add(frame.rate(particle.r[k]));
    add_cross(frame.omega(), particle.r, sum, 1);
    for (size_t k = 0; k < 3; ++k) {
      const Polynomial v = sum[k].take();
      L.add_product(v, v, 0.5 * particle.mass);
      if (particle.feels_origin) L.add_product(frame.acceleration()[k], particle.r[k], -particle.mass);
    }
  }
  return L.take();
}

// The coefficients of (3) from the momenta ∂L/∂ẏ and from ∂L/∂y at ẏ = 0.
void add_station(const Station& st, const MotionBasis& basis, const MovingFrame& frame, Matter& matter,
                 QuadraticLagrangian& sum) {
  calc_matter(st, basis.origin, matter);
  const Polynomial L = calc_local_lagrangian(frame, matter);
  const int n = static_cast<int>(matter.active.size()), n_axes = static_cast<int>(basis.axes.size());
  const Local zero = Local::Zero(n, n);
  const LocalVector none = LocalVector::Zero(n);
  Local M = zero;
  std::array<Local, 3> C = {zero, zero, zero};
  std::array<Local, 6> U = {zero, zero, zero, zero, zero, zero};
  std::array<LocalVector, 3> b = {none, none, none}, f = b;
  std::array<LocalVector, 6> g = {none, none, none, none, none, none};
  const auto at = [](int i) { return static_cast<size_t>(i); };
  for (int r = 0; r < n; ++r) {
    const Polynomial momentum = derivative(L, speed(r)), force = derivative(L, place(r));
    for (const Polynomial::Term& term : momentum.terms()) {
      const Factors factors = split(term);
      if (factors.derivative == 1)
        M(r, factors.coordinate) = term.factor;
      else if (factors.derivative == 0)
        C[at(factors.w[0])](r, factors.coordinate) = term.factor;
      else
        b[at(factors.w[0])][r] = term.factor;
    }
    for (const Polynomial::Term& term : force.terms()) {
      const Factors factors = split(term);
      if (factors.derivative == 1) continue;
      if (factors.a >= 0)
        f[at(factors.a)][r] = -term.factor;
      else if (factors.derivative == 0)
        U[pair_index(factors.w[0], factors.w[1], n_axes)](r, factors.coordinate) = term.factor;
      else
        g[pair_index(factors.w[0], factors.w[1], n_axes)][r] = term.factor;
    }
  }
  const auto add = [&](const Local& local, MatrixX& to) {
    if (!local.isZero(0)) to.noalias() += matter.P.transpose() * (st.weight * local * matter.P);
  };
  const auto add_vector = [&](const LocalVector& local, VectorX& to) {
    to.noalias() += matter.P.transpose() * (st.weight * local);
  };
  add(M, sum.M);
  for (size_t i = 0; i < sum.C.size(); ++i) {
    add(C[i], sum.C[i]);
    add_vector(b[i], sum.b[i]);
  }
  for (size_t k = 0; k < sum.U.size(); ++k) {
    add(U[k], sum.U[k]);
    add_vector(g[k], sum.g[k]);
  }
  for (size_t j = 0; j < sum.f.size(); ++j) add_vector(f[j], sum.f[j]);
}

// q = X Q with XᵀMX = diag(1, …, 1, 0, …, 0): the coordinates with momenta come first.
class CanonicalCoordinates {
 public:
  explicit CanonicalCoordinates(const MatrixX& M);
  int n_momenta() const { return rank_; }
  MatrixX to_canonical(const MatrixX& form) const;      // Xᵀ form X, of a quadratic form
  VectorX to_canonical(const VectorX& covector) const;  // Xᵀ covector
  MatrixX to_original(const MatrixX& form) const;
  VectorX to_original(const VectorX& covector) const;

 private:
  MatrixX factor_;  // lower triangular: P D^-½ M D^-½ Pᵀ = factor diag(1, 0) factorᵀ
  VectorX scale_;   // D^½
  Eigen::PermutationMatrix<Eigen::Dynamic> order_;
  int rank_ = 0;
};

CanonicalCoordinates::CanonicalCoordinates(const MatrixX& M)
    : factor_(MatrixX::Identity(M.rows(), M.cols())), scale_(M.diagonal()), order_(M.rows()) {
  const Eigen::Index n = M.rows();
  for (double& s : scale_) s = s > 0 ? std::sqrt(s) : 1;
  MatrixX rest = scale_.cwiseInverse().asDiagonal() * M * scale_.cwiseInverse().asDiagonal();
  order_.setIdentity();
  Eigen::Index k = 0;
  for (; k < n; ++k) {
    Eigen::Index pivot = 0;
    if (rest.diagonal().tail(n - k).maxCoeff(&pivot) <= kNoMass) break;
    pivot += k;
    rest.row(k).swap(rest.row(pivot));
    rest.col(k).swap(rest.col(pivot));
    if (pivot != k) {
      factor_.row(k).head(k).swap(factor_.row(pivot).head(k));
      order_.applyTranspositionOnTheLeft(k, pivot);
    }
    const double root = std::sqrt(rest(k, k));
    factor_(k, k) = root;
    const Eigen::Index below = n - k - 1;
    factor_.col(k).tail(below) = rest.col(k).tail(below) / root;
    rest.bottomRightCorner(below, below).noalias() -=
        factor_.col(k).tail(below) * factor_.col(k).tail(below).transpose();
  }
  rank_ = static_cast<int>(k);
}

MatrixX CanonicalCoordinates::to_canonical(const MatrixX& form) const {
  MatrixX out =
      order_ * (scale_.cwiseInverse().asDiagonal() * form * scale_.cwiseInverse().asDiagonal()) * order_.transpose();
  factor_.triangularView<Eigen::Lower>().solveInPlace(out);
  factor_.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(out);
  return out;
}
VectorX CanonicalCoordinates::to_canonical(const VectorX& covector) const {
  VectorX out = order_ * covector.cwiseQuotient(scale_);
  factor_.triangularView<Eigen::Lower>().solveInPlace(out);
  return out;
}
MatrixX CanonicalCoordinates::to_original(const MatrixX& form) const {
  const MatrixX left = factor_.triangularView<Eigen::Lower>() * form;
  const MatrixX both = left * factor_.transpose().triangularView<Eigen::Upper>();
  const MatrixX unordered = order_.transpose() * both * order_;
  return scale_.asDiagonal() * unordered * scale_.asDiagonal();
}
VectorX CanonicalCoordinates::to_original(const VectorX& covector) const {
  const VectorX left = factor_.triangularView<Eigen::Lower>() * covector;
  return scale_.cwiseProduct(VectorX(order_.transpose() * left));
}

// Coefficients of Routh's function (4) without V,
//   R = ½|P|² + Σ wᵢ [P; Ż]ᵀ(Xᵢ Q + xᵢ) + Σ wᵢwⱼ (½ QᵀYᵢⱼQ + yᵢⱼᵀQ) + Σ aⱼ fⱼᵀQ.
struct QuadraticRouthian {
  std::vector<MatrixX> X, Y;
  std::vector<VectorX> x, y, f;
};

// The Legendre transform in P = Ȧ + Σ wᵢ(bᵢ + Cᵢ Q)_A:  R = ½|P − Σ wᵢ(bᵢ + CᵢQ)_A|² − Ż·(…) − …
QuadraticRouthian transform(const QuadraticLagrangian& L, const CanonicalCoordinates& canonical,
                            const MotionBasis& basis) {
  QuadraticRouthian R;
  const int m = canonical.n_momenta();
  for (size_t i = 0; i < L.C.size(); ++i) {
    R.X.emplace_back(-canonical.to_canonical(L.C[i]));
    R.x.emplace_back(-canonical.to_canonical(L.b[i]));
  }
  for (size_t k = 0; const auto& [first, last] : basis.pairs()) {
    const auto i = static_cast<size_t>(first), j = static_cast<size_t>(last);
    MatrixX& Y = R.Y.emplace_back(-canonical.to_canonical(L.U[k]));
    VectorX& y = R.y.emplace_back(-canonical.to_canonical(L.g[k]));
    Y += R.X[i].topRows(m).transpose() * R.X[j].topRows(m);
    y += R.X[i].topRows(m).transpose() * R.x[j].head(m);
    if (i != j) {
      Y += R.X[j].topRows(m).transpose() * R.X[i].topRows(m);
      y += R.X[j].topRows(m).transpose() * R.x[i].head(m);
    }
    ++k;
  }
  for (const VectorX& f : L.f) R.f.push_back(canonical.to_canonical(f));
  return R;
}

// P = Ȧ − Σ wᵢ(XᵢQ + xᵢ)_A, put into Ṗ + ∂R/∂A = 0 and −d/dt ∂R/∂Ż + ∂R/∂Z = 0. The rows of both are alike:
//   (Ä; 0) − Σ eᵢ(XᵢQ + xᵢ) − Σ wᵢ Xᵢ Q̇ + Σ wᵢ Xᵢᵀ (P; Ż) + Σ wᵢwⱼ(YᵢⱼQ + yᵢⱼ) + Σ aⱼ fⱼ = 0.
void write_equations(const QuadraticRouthian& R, const CanonicalCoordinates& canonical, const MotionBasis& basis,
                     ElementTerms& t) {
  const int m = canonical.n_momenta();
  MatrixX accelerations = MatrixX::Zero(t.M.rows(), t.M.cols());
  accelerations.diagonal().head(m).setOnes();
  t.M = canonical.to_original(accelerations);
  for (size_t i = 0; i < R.X.size(); ++i) {
    t.G[i] = canonical.to_original(MatrixX(0.5 * (R.X[i].transpose() - R.X[i])));
    t.E[i] = canonical.to_original(MatrixX(-R.X[i]));
    t.B[i] = canonical.to_original(VectorX(-R.x[i]));
  }
  for (size_t k = 0; const auto& [first, last] : basis.pairs()) {
    const auto i = static_cast<size_t>(first), j = static_cast<size_t>(last);
    MatrixX S = R.Y[k] - R.X[i].topRows(m).transpose() * R.X[j].topRows(m);
    VectorX H = R.y[k] - R.X[i].topRows(m).transpose() * R.x[j].head(m);
    if (i != j) {
      S -= R.X[j].topRows(m).transpose() * R.X[i].topRows(m);
      H -= R.X[j].topRows(m).transpose() * R.x[i].head(m);
    }
    t.S[k] = canonical.to_original(S);
    t.H[k] = canonical.to_original(H);
    ++k;
  }
  for (size_t j = 0; j < R.f.size(); ++j) t.A[j] = canonical.to_original(R.f[j]);
}

class Hamilton final : public Formalism {
 public:
  std::string_view name() const override { return "hamilton"; }
  std::string_view summary() const override { return "momenta, Legendre transform, canonical equations"; }
  Level level() const override { return Level::element; }

  void derive(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& t) const override {
    const MovingFrame frame(basis);
    Matter matter;
    reset_terms(stations, n, basis, t);
    QuadraticLagrangian L(n, t.G.size(), t.S.size(), t.A.size());
    for (const Station& st : stations) {
      add_station(st, basis, frame, matter, L);
      add_forces_of_energies(st, basis, t);  // ∂V/∂q, Q = −∂F/∂q̇ and the loads
    }
    const CanonicalCoordinates canonical(L.M);
    write_equations(transform(L, canonical, basis), canonical, basis, t);
  }
};

}  // namespace

std::unique_ptr<const Formalism> make_hamilton() { return std::make_unique<Hamilton>(); }

}  // namespace elodyn
