// Hamilton's canonical equations,
//   p = ∂L/∂q̇,   H(q, p) = p·q̇ − L,   q̇ = ∂H/∂p,   ṗ = −∂H/∂q + Q.                                        (1)
// The velocity of the origin is taken away at the start by a canonical transformation (adding d/dt of −∫ρ v_O·r to L),
//   L = ½ Σ m |ω × r + ṙ|² − Σ m a_O·r − V,   r = x + u or Λs to second order (matter.hpp),              (2)
// a polynomial in (y, ẏ; w, a), y = (u, θ), ∂/∂q = [N; Nθ]ᵀ ∂/∂y; of a scalar field ½ m φ̇², with momentum m φ̇. Summed
// over the stations it is, but for V,
//   L = ½ q̇ᵀM q̇ + Σᵢ wᵢ q̇ᵀ(bᵢ + Cᵢ q) + Σᵢⱼ wᵢwⱼ (½ qᵀUᵢⱼq + gᵢⱼᵀq) − Σⱼ aⱼ fⱼᵀq.                          (3)
// The Legendre transform needs M⁻¹, and M is badly scaled. With M = L d Lᵀ, a pivoted factor in coordinates scaled by
// diag(M)^½, the canonical point transformation Q = Lᵀq, P = L⁻¹p makes M the diagonal d, and
// only about the square root of its condition number enters. With symbols such a factor would swell to quotients of
// large polynomials: there Q = q, and M⁻¹ times a matrix is a matrix of new names, which must cancel in the end, and
// do. Coordinates without mass have no momentum from which their velocity could be found (springs; lumped masses
// without inertia). As many as the rank of M lacks stay as velocities Ż in Routh's function,
//   R(Q, P, Ż) = P·Ȧ − L,   Ȧ = ∂R/∂P,  Ṗ = −∂R/∂A,  d/dt ∂R/∂Ż = ∂R/∂Z,   Q = (A, Z),                    (4)
// which is H if there are none. R is quadratic, its derivatives are its coefficients. The affine terms are found by
// solving Ȧ = ∂R/∂P for P(Q, Q̇), and putting it and its time derivative into the other equations of (4).
// V has no momenta, so −∂H/∂q = … − ∂V/∂q needs no change of coordinates; Q is −∂F/∂q̇ and the loads (energy.hpp).
#include <algorithm>
#include <cmath>

#include "elodyn/formalism/describe_hamiltonian.hpp"
#include "elodyn/formalism/element_formalism.hpp"
#include "elodyn/formalism/energy.hpp"
#include "elodyn/formalism/matter.hpp"

namespace elodyn {
namespace {

// (3)
template <class S>
struct QuadraticLagrangian {
  MatrixOf<S> M;
  std::vector<MatrixOf<S>> C, U;
  std::vector<VectorOf<S>> b, g, f;

  QuadraticLagrangian(int n, size_t n_axes, size_t n_pairs, size_t n_accelerations)
      : M(MatrixOf<S>::Zero(n, n)),
        C(n_axes, M),
        U(n_pairs, M),
        b(n_axes, VectorOf<S>::Zero(n)),
        g(n_pairs, VectorOf<S>::Zero(n)),
        f(n_accelerations, VectorOf<S>::Zero(n)) {}
};

template <class S>
BasicPolynomial<S> calc_local_lagrangian(const MovingFrame<S>& frame, const Matter<S>& matter) {
  BasicPolynomialSum<S> L(2);
  for (const Particle<S>& particle : matter.particles) {
    PolynomialSums<S> sum = make_sums<S>(2);
    for (size_t k = 0; k < 3; ++k) sum[k].add(frame.rate(particle.r[k]));
    if (!particle.is_scalar) add_cross(frame.omega(), particle.r, sum, S(1));
    for (size_t k = 0; k < 3; ++k) {
      const BasicPolynomial<S> v = sum[k].take();
      L.add_product(v, v, S(0.5) * particle.mass);
      if (particle.feels_origin) L.add_product(frame.acceleration()[k], particle.r[k], -particle.mass);
    }
  }
  return L.take();
}

// The coefficients of (3) from the momenta ∂L/∂ẏ and from ∂L/∂y at ẏ = 0.
template <class S>
void add_matter(const Matter<S>& matter, const S& weight, const MotionBasis& basis, const MovingFrame<S>& frame,
                QuadraticLagrangian<S>& sum) {
  const BasicPolynomial<S> L = calc_local_lagrangian(frame, matter);
  const int n = static_cast<int>(matter.active.size()), n_axes = static_cast<int>(basis.axes.size());
  const Local<S> zero = Local<S>::Zero(n, n);
  const LocalVector<S> none = LocalVector<S>::Zero(n);
  Local<S> M = zero;
  std::array<Local<S>, 3> C = {zero, zero, zero};
  std::array<Local<S>, 6> U = {zero, zero, zero, zero, zero, zero};
  std::array<LocalVector<S>, 3> b = {none, none, none}, f = b;
  std::array<LocalVector<S>, 6> g = {none, none, none, none, none, none};
  const auto at = [](int i) { return static_cast<size_t>(i); };
  for (int r = 0; r < n; ++r) {
    const BasicPolynomial<S> momentum = derivative(L, speed(r)), force = derivative(L, place(r));
    for (const auto& term : momentum.terms()) {
      const Factors factors = split(term.powers, term.order);
      if (factors.derivative == 1)
        M(r, factors.coordinate) = term.factor;
      else if (factors.derivative == 0)
        C[at(factors.w[0])](r, factors.coordinate) = term.factor;
      else
        b[at(factors.w[0])][r] = term.factor;
    }
    for (const auto& term : force.terms()) {
      const Factors factors = split(term.powers, term.order);
      if (factors.derivative == 1) continue;
      if (factors.a >= 0)
        f[at(factors.a)][r] = -term.factor;
      else if (factors.derivative == 0)
        U[pair_index(factors.w[0], factors.w[1], n_axes)](r, factors.coordinate) = term.factor;
      else
        g[pair_index(factors.w[0], factors.w[1], n_axes)][r] = term.factor;
    }
  }
  const auto add = [&](const auto& local, auto& to) { add_local(matter, weight, local, to); };
  add(M, sum.M);
  for (size_t i = 0; i < sum.C.size(); ++i) {
    add(C[i], sum.C[i]);
    add(b[i], sum.b[i]);
  }
  for (size_t k = 0; k < sum.U.size(); ++k) {
    add(U[k], sum.U[k]);
    add(g[k], sum.g[k]);
  }
  for (size_t j = 0; j < sum.f.size(); ++j) add(f[j], sum.f[j]);
}

// How coordinates are scaled, and which pivot counts as mass: numbers are compared, symbols are or are not zero.
constexpr double kNoMass = 1e-12;  // a pivot of the scaled M, whose diagonal is 1; above its round-off n ε
double scale_of(double mass) { return mass > 0 ? std::sqrt(mass) : 1; }
Counted scale_of(const Counted& mass) { return mass.value() > 0 ? sqrt(mass) : Counted(1); }
Symbolic scale_of(const Symbolic&) { return 1; }
double pivot_size(double x) { return x > kNoMass ? x : 0; }
double pivot_size(const Counted& x) { return pivot_size(x.value()); }
double pivot_size(const Symbolic& x) { return x.is_zero() ? 0 : 1; }
Batch scale_of(Batch mass) {
  for (int k = 0; k < Batch::kLanes; ++k) mass.set_lane(k, scale_of(mass.lane(k)));
  return mass;
}
// The lanes have their pivots in common, good for the worst of them.
double pivot_size(const Batch& x) {
  double smallest = pivot_size(x.lane(0));
  for (int k = 1; k < Batch::kLanes; ++k) smallest = std::min(smallest, pivot_size(x.lane(k)));
  return smallest;
}
template <class S>
void require_no_mass(const S&) {}
void require_no_mass(const Batch& x) {
  for (int k = 0; k < Batch::kLanes; ++k)
    if (pivot_size(x.lane(k)) > 0) throw LanesDiffer();
}

// q = X Q with XᵀMX = diag(d, 0): the coordinates with momenta come first.
template <class S>
class CanonicalCoordinates {
 public:
  explicit CanonicalCoordinates(const MatrixOf<S>& M);
  int n_momenta() const { return static_cast<int>(d_.size()); }
  // The mass matrix of the coordinates with momenta, and its inverse times rows.
  MatrixOf<S> calc_mass() const { return names_inverse_ ? mass_ : MatrixOf<S>(d_.asDiagonal()); }
  MatrixOf<S> divide_by_mass(MatrixOf<S> rows) const {
    for (Eigen::Index j = 0; j < rows.cols(); ++j)
      for (Eigen::Index k = 0; k < d_.size(); ++k) rows(k, j) = names_inverse_ ? new_name(S(0)) : S(rows(k, j) / d_[k]);
    return rows;
  }
  MatrixOf<S> to_canonical(const MatrixOf<S>& form) const;      // Xᵀ form X, of a quadratic form
  VectorOf<S> to_canonical(const VectorOf<S>& covector) const;  // Xᵀ covector
  MatrixOf<S> to_original(const MatrixOf<S>& form) const;
  VectorOf<S> to_original(const VectorOf<S>& covector) const;

 private:
  bool name_inverse(const MatrixOf<S>& M);  // false: not with these scalars, or M is singular in another way
  template <class T>
  static T new_name(const T&) {
    if constexpr (std::is_same_v<T, Symbolic>) return Symbolic::symbol("V", "V");
    return T(0);  // numbers are divided
  }
  template <class Matrix>
  void solve_rows(Matrix& x) const;  // factor⁻¹ x
  static MatrixOf<S> simplify(MatrixOf<S> m) {
    for (S& x : m.reshaped()) x = simplified(x);
    return m;
  }

  MatrixOf<S> factor_;  // unit lower triangular: P s⁻¹ M s⁻¹ Pᵀ = factor diag(d, 0) factorᵀ
  VectorOf<S> d_, scale_;
  std::vector<int> order_;  // P: which coordinate stands at each place
  bool names_inverse_ = false;
  MatrixOf<S> mass_;  // if so: XᵀMX, and factor = 1
};

// Coordinates that have no mass at all come last; the others must have a regular M.
template <class S>
bool CanonicalCoordinates<S>::name_inverse(const MatrixOf<S>& M) {
  if constexpr (std::is_same_v<S, Symbolic>) {
    std::vector<int> with, without;
    for (int i = 0; i < static_cast<int>(M.rows()); ++i) (M(i, i).simplified().is_zero() ? without : with).push_back(i);
    const MatrixOf<S> mass = M(with, with);
    if (!is_regular(mass)) return false;
    mass_ = mass;
    d_ = mass.diagonal();
    order_ = with;
    order_.insert(order_.end(), without.begin(), without.end());
    names_inverse_ = true;
  }
  return names_inverse_;
}

template <class S>
CanonicalCoordinates<S>::CanonicalCoordinates(const MatrixOf<S>& M)
    : factor_(MatrixOf<S>::Identity(M.rows(), M.cols())), d_(M.rows()), scale_(M.rows()) {
  const Eigen::Index n = M.rows();
  if (name_inverse(M)) return;
  for (Eigen::Index i = 0; i < n; ++i) {
    scale_[i] = scale_of(M(i, i));
    order_.push_back(static_cast<int>(i));
  }
  MatrixOf<S> rest(n, n);
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i) rest(i, j) = simplified(S(M(i, j) / (scale_[i] * scale_[j])));
  Eigen::Index k = 0;
  for (; k < n; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < n; ++i)
      if (pivot_size(rest(i, i)) > pivot_size(rest(pivot, pivot))) pivot = i;
    if (pivot_size(rest(pivot, pivot)) == 0) {
      for (Eigen::Index i = k; i < n; ++i) require_no_mass(rest(i, i));
      break;
    }
    if (pivot != k) {
      rest.row(k).swap(rest.row(pivot));
      rest.col(k).swap(rest.col(pivot));
      factor_.row(k).head(k).swap(factor_.row(pivot).head(k));
      std::swap(order_[static_cast<size_t>(k)], order_[static_cast<size_t>(pivot)]);
    }
    d_[k] = rest(k, k);
    for (Eigen::Index i = k + 1; i < n; ++i) factor_(i, k) = rest(i, k) / d_[k];
    for (Eigen::Index j = k + 1; j < n; ++j)
      for (Eigen::Index i = k + 1; i < n; ++i)
        if (!(rest(j, k) == S(0)) && !(factor_(i, k) == S(0)))
          rest(i, j) = simplified(S(rest(i, j) - factor_(i, k) * rest(j, k)));
  }
  d_.conservativeResize(k);
}

template <class S>
template <class Matrix>
void CanonicalCoordinates<S>::solve_rows(Matrix& x) const {
  for (Eigen::Index k = 0; k < d_.size(); ++k)
    for (Eigen::Index i = k + 1; i < x.rows(); ++i)
      if (!(factor_(i, k) == S(0))) x.row(i) -= factor_(i, k) * x.row(k);
}

template <class S>
MatrixOf<S> CanonicalCoordinates<S>::to_canonical(const MatrixOf<S>& form) const {
  MatrixOf<S> out(form.rows(), form.cols());
  const auto at = [&](Eigen::Index i) { return static_cast<Eigen::Index>(order_[static_cast<size_t>(i)]); };
  if (names_inverse_) return form(order_, order_);
  for (Eigen::Index j = 0; j < out.cols(); ++j)
    for (Eigen::Index i = 0; i < out.rows(); ++i) out(i, j) = form(at(i), at(j)) / (scale_[at(i)] * scale_[at(j)]);
  solve_rows(out);
  out.transposeInPlace();
  solve_rows(out);
  out.transposeInPlace();
  return simplify(std::move(out));
}
template <class S>
VectorOf<S> CanonicalCoordinates<S>::to_canonical(const VectorOf<S>& covector) const {
  if (names_inverse_) return covector(order_);
  VectorOf<S> out(covector.size());
  for (Eigen::Index i = 0; i < out.size(); ++i) {
    const int from = order_[static_cast<size_t>(i)];
    out[i] = covector[from] / scale_[from];
  }
  solve_rows(out);
  return out;
}
template <class S>
MatrixOf<S> CanonicalCoordinates<S>::to_original(const MatrixOf<S>& form) const {
  MatrixOf<S> out(form.rows(), form.cols());
  if (names_inverse_) {
    out(order_, order_) = form;
    return out;
  }
  const MatrixOf<S> both = factor_ * form * factor_.transpose();
  const auto at = [&](Eigen::Index i) { return static_cast<Eigen::Index>(order_[static_cast<size_t>(i)]); };
  for (Eigen::Index j = 0; j < out.cols(); ++j)
    for (Eigen::Index i = 0; i < out.rows(); ++i) out(at(i), at(j)) = scale_[at(i)] * scale_[at(j)] * both(i, j);
  return simplify(std::move(out));
}
template <class S>
VectorOf<S> CanonicalCoordinates<S>::to_original(const VectorOf<S>& covector) const {
  VectorOf<S> out(covector.size());
  if (names_inverse_) {
    out(order_) = covector;
    return out;
  }
  const VectorOf<S> left = factor_ * covector;
  for (Eigen::Index i = 0; i < out.size(); ++i) {
    const int to = order_[static_cast<size_t>(i)];
    out[to] = simplified(S(scale_[to] * left[i]));
  }
  return out;
}

// Coefficients of Routh's function (4) without V,
//   R = ½ P·d⁻¹P + Σ wᵢ [d⁻¹P; Ż]ᵀ(Xᵢ Q + xᵢ) + Σ wᵢwⱼ (½ QᵀYᵢⱼQ + yᵢⱼᵀQ) + Σ aⱼ fⱼᵀQ.
template <class S>
struct QuadraticRouthian {
  std::vector<MatrixOf<S>> X, Y, square;
  std::vector<VectorOf<S>> x, y, f, linear;

  // Σ over both orders of i ≠ j of (Xᵢ)_Aᵀ d⁻¹ (Xⱼ)_A, and the same with xⱼ: what the square of (5) brings to wᵢwⱼ.
  void add_square(const CanonicalCoordinates<S>& canonical, size_t i, size_t j) {
    const Eigen::Index m = canonical.n_momenta();
    const auto divided = [&](const MatrixOf<S>& rows) { return canonical.divide_by_mass(rows); };
    square.emplace_back(X[i].topRows(m).transpose().lazyProduct(divided(X[j].topRows(m))));
    linear.emplace_back(X[i].topRows(m).transpose() * divided(x[j].head(m)));
    if (i == j) return;
    square.back() += X[j].topRows(m).transpose().lazyProduct(divided(X[i].topRows(m)));
    linear.back() += X[j].topRows(m).transpose() * divided(x[i].head(m));
  }
};

// The Legendre transform in P = d Ȧ + Σ wᵢ(bᵢ + Cᵢ Q)_A:  R = ½|d^-½(P − Σ wᵢ(bᵢ + CᵢQ)_A)|² − Ż·(…) − …       (5)
template <class S>
QuadraticRouthian<S> transform(const QuadraticLagrangian<S>& L, const CanonicalCoordinates<S>& canonical,
                               const MotionBasis& basis) {
  QuadraticRouthian<S> R;
  for (size_t i = 0; i < L.C.size(); ++i) {
    R.X.emplace_back(-canonical.to_canonical(L.C[i]));
    R.x.emplace_back(-canonical.to_canonical(L.b[i]));
  }
  for (size_t k = 0; const auto& [first, last] : basis.pairs()) {
    R.add_square(canonical, static_cast<size_t>(first), static_cast<size_t>(last));
    R.Y.emplace_back(R.square[k] - canonical.to_canonical(L.U[k]));
    R.y.emplace_back(R.linear[k] - canonical.to_canonical(L.g[k]));
    ++k;
  }
  for (const VectorOf<S>& f : L.f) R.f.push_back(canonical.to_canonical(f));
  return R;
}

// P = d Ȧ − Σ wᵢ(XᵢQ + xᵢ)_A, put into Ṗ + ∂R/∂A = 0 and −d/dt ∂R/∂Ż + ∂R/∂Z = 0. The rows of both are alike:
//   (d Ä; 0) − Σ eᵢ(XᵢQ + xᵢ) − Σ wᵢ Xᵢ Q̇ + Σ wᵢ Xᵢᵀ (d⁻¹P; Ż) + Σ wᵢwⱼ(YᵢⱼQ + yᵢⱼ) + Σ aⱼ fⱼ = 0.
template <class S>
void write_equations(const QuadraticRouthian<S>& R, const CanonicalCoordinates<S>& canonical, BasicElementTerms<S>& t) {
  const int m = canonical.n_momenta();
  MatrixOf<S> accelerations = MatrixOf<S>::Zero(t.M.rows(), t.M.cols());
  accelerations.topLeftCorner(m, m) = canonical.calc_mass();
  t.M = canonical.to_original(accelerations);
  for (size_t i = 0; i < R.X.size(); ++i) {
    t.G[i] = canonical.to_original(MatrixOf<S>(S(0.5) * (R.X[i].transpose() - R.X[i])));
    t.E[i] = canonical.to_original(MatrixOf<S>(-R.X[i]));
    t.B[i] = canonical.to_original(VectorOf<S>(-R.x[i]));
  }
  for (size_t k = 0; k < R.Y.size(); ++k) {
    t.S[k] = canonical.to_original(MatrixOf<S>(R.Y[k] - R.square[k]));
    t.H[k] = canonical.to_original(VectorOf<S>(R.y[k] - R.linear[k]));
  }
  for (size_t j = 0; j < R.f.size(); ++j) t.A[j] = canonical.to_original(R.f[j]);
}

struct Hamilton {
  static constexpr std::string_view kName = "hamilton";
  static constexpr std::string_view kSummary = "momenta, Legendre transform, canonical equations";

  template <class S>
  static void derive(const BasicStations<S>& stations, int n, const MotionBasis& basis, BasicElementTerms<S>& t) {
    const MovingFrame<S> frame(basis);
    Matter<S> matter;
    t.reset(stations, n, basis);
    QuadraticLagrangian<S> L(n, t.G.size(), t.S.size(), t.A.size());
    for (const BasicStation<S>& st : stations) {
      calc_matter(st, basis.origin, matter);
      add_matter(matter, st.weight, basis, frame, L);
      if (calc_scalar_matter(st, matter)) add_matter(matter, st.weight, basis, frame, L);
      add_forces_of_energies(st, basis, t);  // ∂V/∂q, Q = −∂F/∂q̇ and the loads
    }
    const CanonicalCoordinates<S> canonical(L.M);
    write_equations(transform(L, canonical, basis), canonical, t);
  }

  static Description describe(const BasicStation<Symbolic>& station, const MotionBasis& basis) {
    StationWriter writer(station, basis);
    const BasicPolynomial<Symbolic> L = calc_local_lagrangian(writer.frame(), writer.matter());
    writer.add("L + V", "L + V", L);
    writer.add_potential();
    add_hamiltonian(L, writer);
    return {{"", "p = dL/dq',  H = p.q' - L,  q' = dH/dp,  p' = -dH/dq + Q", "",
             "p = \\frac{\\partial L}{\\partial\\dot q}, \\quad H = p\\cdot\\dot q - L, \\quad "
             "\\dot q = \\frac{\\partial H}{\\partial p}, \\quad \\dot p = -\\frac{\\partial H}{\\partial q} + Q"},
            {"H", "p.q' - L,  L = 1/2 int rho |omega x r + r'|^2 - int rho a_O.r - V", "H",
             "p\\cdot\\dot q - L, \\quad L = \\tfrac12\\int\\rho\\,|\\omega\\times r + \\dot r|^2 - "
             "\\int\\rho\\,a_O\\cdot r - V"},
            writer.take()};
  }
};

}  // namespace

std::unique_ptr<const Formalism> make_hamilton() { return std::make_unique<ElementFormalism<Hamilton>>(); }

}  // namespace elodyn
