// The material of a station and the motion of its frame as polynomials, for formalisms that differentiate.
//
// Local coordinates y = (u, θ) of a station, u = N q, θ = Nθ q: derivatives go back to the element by the chain rule of
// a linear map,  ∂/∂q = Pᵀ ∂/∂y,  P = [N; Nθ].                                                         (1)
// A section point s is at r = x + u + Λs, Λ = 1 + θ̂ + ½θ̂². Every quantity f of a point is affine in s, and with
// ∫ρs = 0, ∫ρssᵀ = Σ = Σₖ λₖ sₖsₖᵀ (principal axes)
//   ∫ρ f·g = ρA f₀·g₀ + Σₖ λₖ fₖ·gₖ                                                                     (2)
// where f₀ belongs to the carried point x + u and fₖ to the director Λsₖ. So the material of a station is a list of
// at most four `Particle`s: the point, which also takes part in the motion of the origin, and directors, which do not.
// A scalar field φ = Nφ q is matter of its own, one coordinate y = φ and one particle whose r has φ for its only
// component: the frame moves neither of them.
//
// Variables: y, ẏ, ÿ (small) and the scalars of the frame, ω = Σ wᵢnᵢ, ω̇ = Σ eᵢnᵢ, the origin's acceleration Σ aⱼdⱼ
// and its velocity v_O, in body axes, whose components change by
//   v̇_O = a − ω × v_O.                                                                                  (3)
#pragma once

#include <array>

#include "elodyn/base/polynomial.hpp"
#include "elodyn/formalism/formalism.hpp"

namespace elodyn {

template <class S>
using PolynomialVector = std::array<BasicPolynomial<S>, 3>;
template <class S>
using PolynomialSums = std::array<BasicPolynomialSum<S>, 3>;
template <class S>
PolynomialSums<S> make_sums(int order) {
  return {BasicPolynomialSum<S>(order), BasicPolynomialSum<S>(order), BasicPolynomialSum<S>(order)};
}
template <class S>
PolynomialVector<S> take(PolynomialSums<S>& sum) {
  return {sum[0].take(), sum[1].take(), sum[2].take()};
}

// At most three axes and three accelerations (they span space). Powers of w reach 4, of the others 2.
inline constexpr int kMaxAxes = 3;
constexpr Variable place(int k) { return {2 * k, 2, 1}; }          // y
constexpr Variable speed(int k) { return {12 + 2 * k, 2, 1}; }     // ẏ
constexpr Variable second(int k) { return {24 + 2 * k, 2, 1}; }    // ÿ
constexpr Variable euler(int i) { return {36 + 2 * i, 2, 0}; }     // e
constexpr Variable origin_a(int j) { return {42 + 2 * j, 2, 0}; }  // a
constexpr Variable origin_v(int k) { return {48 + 2 * k, 2, 0}; }  // v_O
constexpr Variable spin(int i) { return {54 + 3 * i, 3, 0}; }      // w

template <class S>
struct Particle {
  S mass{0};
  PolynomialVector<S> r;      // to second order in y
  bool feels_origin = false;  // the point, not the directors
  bool is_scalar = false;     // the value of a field: no turn of the frame reaches it
};

template <class S>
struct Matter {
  std::vector<int> active;  // those of the six local coordinates that move mass; the variables y₀, y₁, … in this order
  Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 6> P;  // their rows of (1)
  std::vector<Particle<S>> particles;
};

// Throws std::invalid_argument for a basis that is larger than space.
template <class S>
class MovingFrame {
 public:
  explicit MovingFrame(const MotionBasis& basis);
  const PolynomialVector<S>& omega() const { return omega_; }
  const PolynomialVector<S>& epsilon() const { return epsilon_; }
  const PolynomialVector<S>& velocity() const { return velocity_; }          // of the origin
  const PolynomialVector<S>& acceleration() const { return acceleration_; }  // of the origin
  // The rate of a polynomial in (y, ẏ, w, v_O): y → ẏ → ÿ, w → e, and (3).
  BasicPolynomial<S> rate(const BasicPolynomial<S>& p) const;
  PolynomialVector<S> rate(const PolynomialVector<S>& v) const { return {rate(v[0]), rate(v[1]), rate(v[2])}; }

 private:
  PolynomialVector<S> omega_, epsilon_, velocity_, acceleration_, velocity_rate_;
};

// Sections with symbols must be in principal axes; std::invalid_argument otherwise.
template <class S>
void calc_matter(const BasicStation<S>& station, const Vec3& origin, Matter<S>& matter);
// The scalar field of the station; false: it has none, and the matter is as it was.
template <class S>
bool calc_scalar_matter(const BasicStation<S>& station, Matter<S>& matter);

// a × b, added to what stands in `sum`.
template <class S>
void add_cross(const PolynomialVector<S>& a, const PolynomialVector<S>& b, PolynomialSums<S>& sum, const S& factor) {
  for (size_t k = 0; k < 3; ++k) {
    sum[k].add_product(a[(k + 1) % 3], b[(k + 2) % 3], factor);
    sum[k].add_product(a[(k + 2) % 3], b[(k + 1) % 3], -factor);
  }
}

// One part after another: v = v_O + ω × r + ṙ, in body axes, to second order.
template <class S>
PolynomialVector<S> calc_velocity(const MovingFrame<S>& frame, const Particle<S>& particle);

// A monomial of at most first order, taken apart: wᵢwⱼ, eᵢ or aⱼ times one of y, ẏ, ÿ or nothing.
struct Factors {
  int n_w = 0;
  std::array<int, 2> w = {-1, -1};  // ascending
  int e = -1, a = -1;
  int derivative = -1;  // 0: y, 1: ẏ, 2: ÿ, −1: none of them
  int coordinate = -1;
  int n_scalars() const { return n_w + (e >= 0 ? 1 : 0) + (a >= 0 ? 1 : 0); }
};
// Throws std::logic_error for what is not of this form.
Factors split(std::uint64_t powers, int order);

// Index of wᵢwⱼ, i ≤ j, in the order of MotionBasis::pairs().
constexpr size_t pair_index(int i, int j, int n_axes) {
  return static_cast<size_t>(i * n_axes - i * (i - 1) / 2 + j - i);
}

template <class S>
using Local = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 6, 6>;
template <class S>
using LocalVector = Eigen::Matrix<S, Eigen::Dynamic, 1, 0, 6, 1>;

// to += weight Pᵀ local P, and Pᵀ local; what is zero costs nothing.
template <class S>
void add_local(const Matter<S>& matter, const S& weight, const Local<S>& local, MatrixOf<S>& to);
template <class S>
void add_local(const Matter<S>& matter, const S& weight, const LocalVector<S>& local, VectorOf<S>& to);

// Sorts the left-hand sides of the equations of motion of the active local coordinates, polynomials of first order in
// (y, ẏ, ÿ), by the factors of the affine equation; then adds them to the element by (1).
template <class S>
class LocalEquation {
 public:
  LocalEquation(const MotionBasis& basis, int n_active);
  // Throws std::logic_error for a term that the affine equation has no place for. Terms with v_O are not looked at.
  void read(int row, const BasicPolynomial<S>& left_side);
  void add_to(BasicElementTerms<S>& terms, const Matter<S>& matter, const S& weight) const;

 private:
  int n_axes_;
  Local<S> M_;
  std::array<Local<S>, 3> G_, E_;
  std::array<Local<S>, 6> S_;
  std::array<LocalVector<S>, 3> A_, B_;
  std::array<LocalVector<S>, 6> H_;
};

}  // namespace elodyn
