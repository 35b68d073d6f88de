#include "elodyn/formalism/matter.hpp"

#include <bit>
#include <stdexcept>

#include <Eigen/Eigenvalues>

#include "elodyn/base/batch.hpp"
#include "elodyn/base/symbolic.hpp"
#include "elodyn/element/batch_stations.hpp"
#include "elodyn/formalism/congruence.hpp"

namespace elodyn {
namespace {

constexpr int kCut = 2;               // order in (y, ẏ, ÿ) up to which kinematics are expanded
constexpr double kNoInertia = 1e-15;  // a principal moment below this share of the largest is round-off

template <class Block>
bool is_zero(const Block& block) {
  using S = typename Block::Scalar;
  for (Eigen::Index j = 0; j < block.cols(); ++j)
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      if (!(block(i, j) == S(0))) return false;
  return true;
}

// Σ cᵢ(variable i) vᵢ
template <class S>
PolynomialVector<S> combine(const std::vector<Vec3>& vectors, Variable (*variable)(int)) {
  PolynomialSums<S> sum = make_sums<S>(kCut);
  for (size_t i = 0; i < vectors.size(); ++i)
    for (size_t k = 0; k < 3; ++k)
      sum[k].add(variable(static_cast<int>(i)), S(vectors[i][static_cast<Eigen::Index>(k)]));
  return take(sum);
}

template <class S>
PolynomialVector<S> constant(const Vec3Of<S>& v) {
  return {v[0], v[1], v[2]};
}

// Λs = s + θ × s + ½ θ × (θ × s)
template <class S>
PolynomialVector<S> turn(const PolynomialVector<S>& theta, const Vec3Of<S>& s) {
  PolynomialSums<S> sum = make_sums<S>(kCut), first = make_sums<S>(kCut);
  add_cross(theta, constant<S>(s), first, S(1));
  const PolynomialVector<S> theta_s = take(first);
  for (size_t k = 0; k < 3; ++k) {
    sum[k].add(s[static_cast<Eigen::Index>(k)]);
    sum[k].add(theta_s[k]);
  }
  add_cross(theta, theta_s, sum, S(0.5));
  return take(sum);
}

// Local coordinates k … k+2 as polynomials; those that move nothing are zero.
template <class S>
PolynomialVector<S> coordinates(const Matter<S>& matter, int k) {
  PolynomialVector<S> out;
  for (size_t row = 0; row < matter.active.size(); ++row)
    if (const int c = matter.active[row] - k; c >= 0 && c < 3)
      out[static_cast<size_t>(c)] = place(static_cast<int>(row));
  return out;
}

double value_of(double x) { return x; }
double value_of(const Counted& x) { return x.value(); }

// Σ = Σₖ λₖ sₖsₖᵀ. The solution of a 3 × 3 eigenproblem is not counted among the operations.
template <class S>
void calc_principal(const Mat3Of<S>& sigma, Vec3Of<S>& moments, Mat3Of<S>& axes) {
  if (sigma(0, 1) == S(0) && sigma(0, 2) == S(0) && sigma(1, 2) == S(0)) {
    moments = sigma.diagonal();
    axes.setIdentity();
    return;
  }
  if constexpr (std::is_same_v<S, Symbolic>) {
    throw std::invalid_argument("sections with symbols must be in principal axes");
  } else if constexpr (std::is_same_v<S, Batch>) {
    for (int lane = 0; lane < Batch::kLanes; ++lane) {
      Vec3 own_moments;
      Mat3 own_axes;
      calc_principal<double>(sigma.unaryExpr([lane](const S& x) { return x.lane(lane); }), own_moments, own_axes);
      put_lane(own_moments, lane, moments);
      put_lane(own_axes, lane, axes);
    }
  } else {
    const Mat3 values = sigma.unaryExpr([](const S& x) { return value_of(x); });
    const Eigen::SelfAdjointEigenSolver<Mat3> principal(values);
    const double smallest = kNoInertia * principal.eigenvalues().cwiseAbs().maxCoeff();
    for (int k = 0; k < 3; ++k) {
      const double moment = principal.eigenvalues()[k];
      moments[k] = S(std::abs(moment) > smallest ? moment : 0.0);
      for (int i = 0; i < 3; ++i) axes(i, k) = S(principal.eigenvectors()(i, k));
    }
  }
}

}  // namespace

template <class S>
MovingFrame<S>::MovingFrame(const MotionBasis& basis) {
  if (basis.axes.size() > kMaxAxes || basis.accelerations.size() > kMaxAxes)
    throw std::invalid_argument("a motion basis has at most three axes and three accelerations");
  omega_ = combine<S>(basis.axes, spin);
  epsilon_ = combine<S>(basis.axes, euler);
  acceleration_ = combine<S>(basis.accelerations, origin_a);
  velocity_ = {origin_v(0), origin_v(1), origin_v(2)};
  PolynomialSums<S> sum = make_sums<S>(kCut);
  for (size_t k = 0; k < 3; ++k) sum[k].add(acceleration_[k]);
  add_cross(omega_, velocity_, sum, S(-1));
  velocity_rate_ = take(sum);
}

template <class S>
BasicPolynomial<S> MovingFrame<S>::rate(const BasicPolynomial<S>& p) const {
  count_differentiation<S>();
  BasicPolynomialSum<S> sum(kCut);
  const auto scaled = [](int power, const S& factor) { return power == 1 ? factor : S(power) * factor; };
  for (const auto& term : p.terms()) {
    const auto follow = [&](const Variable& from, const Variable& to) {
      if (const int power = from.power_in(term.powers); power > 0)
        sum.add_term(term.powers - from.one() + to.one(), term.order, scaled(power, term.factor));
    };
    for (int k = 0; k < 6; ++k) {
      follow(place(k), speed(k));
      follow(speed(k), second(k));
    }
    for (int i = 0; i < kMaxAxes; ++i) follow(spin(i), euler(i));
    for (int k = 0; k < 3; ++k)
      if (const int power = origin_v(k).power_in(term.powers); power > 0)
        for (const auto& change : velocity_rate_[static_cast<size_t>(k)].terms())
          sum.add_term(term.powers - origin_v(k).one() + change.powers, term.order,
                       scaled(power, term.factor) * change.factor);
  }
  return sum.take();
}

template <class S>
void calc_matter(const BasicStation<S>& st, const Vec3& origin, Matter<S>& matter) {
  matter.active.clear();
  matter.particles.clear();
  const auto row_of = [&](int k) { return k < 3 ? st.N.row(k) : st.N_theta.row(k - 3); };
  const bool turns = !is_zero(st.sigma);
  for (int k = 0; k < 6; ++k)
    if ((k < 3 ? !(st.mass == S(0)) : turns) && !is_zero(row_of(k))) matter.active.push_back(k);
  matter.P.resize(static_cast<Eigen::Index>(matter.active.size()), st.N.cols());
  for (size_t i = 0; i < matter.active.size(); ++i)
    matter.P.row(static_cast<Eigen::Index>(i)) = row_of(matter.active[i]);

  if (!(st.mass == S(0))) {
    PolynomialSums<S> sum = make_sums<S>(kCut);
    const PolynomialVector<S> x = constant<S>(st.x - origin.cast<S>()), u = coordinates(matter, 0);
    for (size_t k = 0; k < 3; ++k) {
      sum[k].add(x[k]);
      sum[k].add(u[k]);
    }
    matter.particles.push_back({st.mass, take(sum), true});
  }
  if (!turns) return;
  const PolynomialVector<S> theta = coordinates(matter, 3);
  Vec3Of<S> moments;
  Mat3Of<S> axes;
  calc_principal<S>(st.sigma, moments, axes);
  for (int k = 0; k < 3; ++k)
    if (!(moments[k] == S(0))) matter.particles.push_back({moments[k], turn<S>(theta, Vec3Of<S>(axes.col(k))), false});
}

template <class S>
bool calc_scalar_matter(const BasicStation<S>& st, Matter<S>& matter) {
  if (st.N_phi.rows() == 0 || st.phi_mass == S(0)) return false;
  constexpr int kField = 6;  // after displacements and rotations
  matter.active = {kField};
  matter.P = st.N_phi;
  PolynomialVector<S> value;
  value[0] = place(0);
  matter.particles = {{st.phi_mass, std::move(value), false, true}};
  return true;
}

template <class S>
PolynomialVector<S> calc_velocity(const MovingFrame<S>& frame, const Particle<S>& particle) {
  PolynomialSums<S> sum = make_sums<S>(kCut);
  for (size_t k = 0; k < 3; ++k) {
    if (particle.feels_origin) sum[k].add(frame.velocity()[k]);
    sum[k].add(frame.rate(particle.r[k]));
  }
  if (!particle.is_scalar) add_cross(frame.omega(), particle.r, sum, S(1));
  return take(sum);
}

Factors split(std::uint64_t powers, int order) {
  Factors out;
  std::uint64_t rest = powers;
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
  if (order != 1 || field >= 18 || std::popcount(rest) != 1)
    throw std::logic_error("the equation of motion has a term that the affine equation has no place for");
  out.derivative = field / 6;
  out.coordinate = field % 6;
  return out;
}

template <class S>
void add_local(const Matter<S>& matter, const S& weight, const Local<S>& local, MatrixOf<S>& to) {
  add_congruence(weight, matter.P, local, matter.P, to);
}
template <class S>
void add_local(const Matter<S>& matter, const S& weight, const LocalVector<S>& local, VectorOf<S>& to) {
  add_transposed(weight, matter.P, local, to);
}

template <class S>
LocalEquation<S>::LocalEquation(const MotionBasis& basis, int n) : n_axes_(static_cast<int>(basis.axes.size())) {
  M_.setZero(n, n);
  for (auto* family : {&G_, &E_})
    for (Local<S>& m : *family) m.setZero(n, n);
  for (Local<S>& m : S_) m.setZero(n, n);
  for (auto* family : {&A_, &B_})
    for (LocalVector<S>& v : *family) v.setZero(n);
  for (LocalVector<S>& v : H_) v.setZero(n);
}

template <class S>
void LocalEquation<S>::read(int row, const BasicPolynomial<S>& left_side) {
  constexpr std::uint64_t any_v = origin_v(0).mask() | origin_v(1).mask() | origin_v(2).mask();
  const auto at = [](int i) { return static_cast<size_t>(i); };
  for (const auto& term : left_side.terms()) {
    if ((term.powers & any_v) != 0) continue;
    const Factors f = split(term.powers, term.order);
    const int scalars = f.n_scalars();
    if (f.derivative == 2 && scalars == 0)
      M_(row, f.coordinate) += term.factor;
    else if (f.derivative == 1 && scalars == 1 && f.n_w == 1)
      G_[at(f.w[0])](row, f.coordinate) += S(0.5) * term.factor;
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

template <class S>
void LocalEquation<S>::add_to(BasicElementTerms<S>& t, const Matter<S>& matter, const S& weight) const {
  const auto add = [&](const auto& local, auto& to) { add_local(matter, weight, local, to); };
  add(M_, t.M);
  for (size_t i = 0; i < t.G.size(); ++i) {
    add(G_[i], t.G[i]);
    add(E_[i], t.E[i]);
    add(B_[i], t.B[i]);
  }
  for (size_t k = 0; k < t.S.size(); ++k) {
    add(S_[k], t.S[k]);
    add(H_[k], t.H[k]);
  }
  for (size_t j = 0; j < t.A.size(); ++j) add(A_[j], t.A[j]);
}

#define ELODYN_INSTANTIATE(S)                                                               \
  template class MovingFrame<S>;                                                            \
  template void calc_matter(const BasicStation<S>&, const Vec3&, Matter<S>&);               \
  template bool calc_scalar_matter(const BasicStation<S>&, Matter<S>&);                     \
  template PolynomialVector<S> calc_velocity(const MovingFrame<S>&, const Particle<S>&);    \
  template void add_local(const Matter<S>&, const S&, const Local<S>&, MatrixOf<S>&);       \
  template void add_local(const Matter<S>&, const S&, const LocalVector<S>&, VectorOf<S>&); \
  template class LocalEquation<S>;
ELODYN_INSTANTIATE(double)
ELODYN_INSTANTIATE(Counted)
ELODYN_INSTANTIATE(Symbolic)
ELODYN_INSTANTIATE(Batch)

}  // namespace elodyn
