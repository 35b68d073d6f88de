#include "elodyn/formalism/matter.hpp"

#include <bit>
#include <stdexcept>

#include <Eigen/Eigenvalues>

namespace elodyn {
namespace {

constexpr int kCut = 2;               // order in (y, ẏ, ÿ) up to which kinematics are expanded
constexpr double kNoInertia = 1e-15;  // a principal moment below this share of the largest is round-off

std::array<PolynomialSum, 3> make_sums() { return {PolynomialSum(kCut), PolynomialSum(kCut), PolynomialSum(kCut)}; }
PolynomialVector take(std::array<PolynomialSum, 3>& sum) { return {sum[0].take(), sum[1].take(), sum[2].take()}; }

// Σ cᵢ(variable i) vᵢ
PolynomialVector combine(const std::vector<Vec3>& vectors, Variable (*variable)(int)) {
  std::array<PolynomialSum, 3> sum = make_sums();
  for (size_t i = 0; i < vectors.size(); ++i)
    for (size_t k = 0; k < 3; ++k) sum[k].add(variable(static_cast<int>(i)), vectors[i][static_cast<Eigen::Index>(k)]);
  return take(sum);
}

PolynomialVector constant(const Vec3& v) { return {v[0], v[1], v[2]}; }

// Λs = s + θ × s + ½ θ × (θ × s)
PolynomialVector turn(const PolynomialVector& theta, const Vec3& s) {
  std::array<PolynomialSum, 3> sum = make_sums(), first = make_sums();
  add_cross(theta, constant(s), first, 1);
  const PolynomialVector theta_s = take(first);
  for (size_t k = 0; k < 3; ++k) {
    sum[k].add(s[static_cast<Eigen::Index>(k)]);
    sum[k].add(theta_s[k]);
  }
  add_cross(theta, theta_s, sum, 0.5);
  return take(sum);
}

// Local coordinates k … k+2 as polynomials; those that move nothing are zero.
PolynomialVector coordinates(const Matter& matter, int k) {
  PolynomialVector out;
  for (size_t row = 0; row < matter.active.size(); ++row)
    if (const int c = matter.active[row] - k; c >= 0 && c < 3)
      out[static_cast<size_t>(c)] = place(static_cast<int>(row));
  return out;
}

}  // namespace

void add_cross(const PolynomialVector& a, const PolynomialVector& b, std::array<PolynomialSum, 3>& sum, double factor) {
  for (size_t k = 0; k < 3; ++k) {
    sum[k].add_product(a[(k + 1) % 3], b[(k + 2) % 3], factor);
    sum[k].add_product(a[(k + 2) % 3], b[(k + 1) % 3], -factor);
  }
}

MovingFrame::MovingFrame(const MotionBasis& basis) {
  if (basis.axes.size() > kMaxAxes || basis.accelerations.size() > kMaxAxes)
    throw std::invalid_argument("a motion basis has at most three axes and three accelerations");
  omega_ = combine(basis.axes, spin);
  epsilon_ = combine(basis.axes, euler);
  acceleration_ = combine(basis.accelerations, origin_a);
  velocity_ = {origin_v(0), origin_v(1), origin_v(2)};
  std::array<PolynomialSum, 3> sum = make_sums();
  for (size_t k = 0; k < 3; ++k) sum[k].add(acceleration_[k]);
  add_cross(omega_, velocity_, sum, -1);
  velocity_rate_ = take(sum);
}

Polynomial MovingFrame::rate(const Polynomial& p) const {
  PolynomialSum sum(kCut);
  for (const Polynomial::Term& term : p.terms()) {
    const auto follow = [&](const Variable& from, const Variable& to) {
      if (const int power = from.power_in(term.powers); power > 0)
        sum.add_term(term.powers - from.one() + to.one(), term.order, power * term.factor);
    };
    for (int k = 0; k < 6; ++k) {
      follow(place(k), speed(k));
      follow(speed(k), second(k));
    }
    for (int i = 0; i < kMaxAxes; ++i) follow(spin(i), euler(i));
    for (int k = 0; k < 3; ++k)
      if (const int power = origin_v(k).power_in(term.powers); power > 0)
        for (const Polynomial::Term& change : velocity_rate_[static_cast<size_t>(k)].terms())
          sum.add_term(term.powers - origin_v(k).one() + change.powers, term.order,
                       power * term.factor * change.factor);
  }
  return sum.take();
}

void calc_matter(const Station& st, const Vec3& origin, Matter& matter) {
  matter.active.clear();
  matter.particles.clear();
  const auto row_of = [&](int k) { return k < 3 ? st.N.row(k) : st.N_theta.row(k - 3); };
  const bool turns = !st.sigma.isZero(0);
  for (int k = 0; k < 6; ++k)
    if ((k < 3 ? st.mass != 0 : turns) && !row_of(k).isZero(0)) matter.active.push_back(k);
  matter.P.resize(static_cast<Eigen::Index>(matter.active.size()), st.N.cols());
  for (size_t i = 0; i < matter.active.size(); ++i)
    matter.P.row(static_cast<Eigen::Index>(i)) = row_of(matter.active[i]);

  if (st.mass != 0) {
    std::array<PolynomialSum, 3> sum = make_sums();
    const PolynomialVector x = constant(st.x - origin), u = coordinates(matter, 0);
    for (size_t k = 0; k < 3; ++k) {
      sum[k].add(x[k]);
      sum[k].add(u[k]);
    }
    matter.particles.push_back({st.mass, take(sum), true});
  }
  if (!turns) return;
  const PolynomialVector theta = coordinates(matter, 3);
  const Eigen::SelfAdjointEigenSolver<Mat3> principal(st.sigma);
  for (int k = 0; k < 3; ++k)
    if (const double moment = principal.eigenvalues()[k];
        std::abs(moment) > kNoInertia * principal.eigenvalues().cwiseAbs().maxCoeff())
      matter.particles.push_back({moment, turn(theta, principal.eigenvectors().col(k)), false});
}

PolynomialVector calc_velocity(const MovingFrame& frame, const Particle& particle) {
  std::array<PolynomialSum, 3> sum = make_sums();
  for (size_t k = 0; k < 3; ++k) {
    if (particle.feels_origin) sum[k].add(frame.velocity()[k]);
    sum[k].add(frame.rate(particle.r[k]));
  }
  add_cross(frame.omega(), particle.r, sum, 1);
  return take(sum);
}

LocalEquation::LocalEquation(const MotionBasis& basis, int n_active)
    : n_(n_active),
      n_axes_(static_cast<int>(basis.axes.size())),
      n_accelerations_(static_cast<int>(basis.accelerations.size())) {
  M_.setZero(n_, n_);
  for (auto* family : {&G_, &E_})
    for (Local& m : *family) m.setZero(n_, n_);
  for (Local& m : S_) m.setZero(n_, n_);
  for (auto* family : {&A_, &B_})
    for (LocalVector& v : *family) v.setZero(n_);
  for (LocalVector& v : H_) v.setZero(n_);
}

Factors split(const Polynomial::Term& term) {
  Factors out;
  std::uint64_t rest = term.powers;
  const auto take_one = [&](const Variable& variable) {
    if (variable.power_in(rest) == 0) return false;
    rest -= variable.one();
    return true;
  };
  for (int i = 0; i < kMaxAxes; ++i) {
    while (out.n_w < 2 && take_one(spin(i))) out.w[static_cast<size_t>(out.n_w++)] = i;
    if (take_one(euler(i))) out.e = i;
    if (take_one(origin_a(i))) out.a = i;
  }
  if (rest == 0) return out;
  const int field = std::countr_zero(rest) / 2;  // y, ẏ and ÿ have the lowest 18 fields of two bits
  if (term.order != 1 || field >= 18 || std::popcount(rest) != 1)
    throw std::logic_error("the equation of motion has a term that the affine equation has no place for");
  out.derivative = field / 6;
  out.coordinate = field % 6;
  return out;
}

void LocalEquation::read(int row, const Polynomial& left_side) {
  constexpr std::uint64_t any_v = origin_v(0).mask() | origin_v(1).mask() | origin_v(2).mask();
  const auto at = [](int i) { return static_cast<size_t>(i); };
  for (const Polynomial::Term& term : left_side.terms()) {
    if ((term.powers & any_v) != 0) continue;
    const Factors f = split(term);
    const int scalars = f.n_scalars();
    if (f.derivative == 2 && scalars == 0)
      M_(row, f.coordinate) += term.factor;
    else if (f.derivative == 1 && scalars == 1 && f.n_w == 1)
      G_[at(f.w[0])](row, f.coordinate) += 0.5 * term.factor;
    else if (f.derivative == 0 && scalars == 1 && f.e >= 0)
      E_[at(f.e)](row, f.coordinate) += term.factor;
    else if (f.derivative == 0 && scalars == 2 && f.n_w == 2)
      S_[pair_index(f.w[0], f.w[1], n_axes_)](row, f.coordinate) += term.factor;
    else if (f.derivative < 0 && scalars == 1 && f.a >= 0)
      A_[at(f.a)][row] += term.factor;
    else if (f.derivative < 0 && scalars == 1 && f.e >= 0)
      B_[at(f.e)][row] += term.factor;
    else if (f.derivative < 0 && scalars == 2 && f.n_w == 2)
      H_[pair_index(f.w[0], f.w[1], n_axes_)][row] += term.factor;
    else
      throw std::logic_error("the equation of motion has a term that the affine equation has no place for");
  }
}

void LocalEquation::add_to(ElementTerms& t, const Matter& matter, double weight) const {
  const auto add = [&](const Local& local, MatrixX& to) {
    if (!local.isZero(0)) to.noalias() += matter.P.transpose() * (weight * local * matter.P);
  };
  const auto add_load = [&](const LocalVector& local, VectorX& to) {
    to.noalias() += matter.P.transpose() * (weight * local);
  };
  add(M_, t.M);
  for (size_t i = 0; i < static_cast<size_t>(n_axes_); ++i) {
    add(G_[i], t.G[i]);
    add(E_[i], t.E[i]);
    add_load(B_[i], t.B[i]);
  }
  for (size_t k = 0; k < t.S.size(); ++k) {
    add(S_[k], t.S[k]);
    add_load(H_[k], t.H[k]);
  }
  for (size_t j = 0; j < static_cast<size_t>(n_accelerations_); ++j) add_load(A_[j], t.A[j]);
}

void reset_terms(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& t) {
  const auto reset_matrices = [n](std::vector<MatrixX>& matrices, size_t count) {
    matrices.resize(count);
    for (MatrixX& m : matrices) m.setZero(n, n);
  };
  const auto reset_vectors = [n](std::vector<VectorX>& vectors, size_t count) {
    vectors.resize(count);
    for (VectorX& v : vectors) v.setZero(n);
  };
  const size_t n_axes = basis.axes.size(), n_pairs = n_axes * (n_axes + 1) / 2;
  for (MatrixX* m : {&t.M, &t.D, &t.K}) m->setZero(n, n);
  for (auto* family : {&t.G, &t.E}) reset_matrices(*family, n_axes);
  reset_matrices(t.S, n_pairs);
  reset_matrices(t.N, stations.empty() || stations.front().transport.empty() ? 0 : n_axes);
  reset_matrices(t.Gamma, stations.empty() ? 0 : stations.front().Psi.size());
  reset_vectors(t.A, basis.accelerations.size());
  reset_vectors(t.B, n_axes);
  reset_vectors(t.H, n_pairs);
  t.member_load.setZero(n, 9);
}

}  // namespace elodyn
