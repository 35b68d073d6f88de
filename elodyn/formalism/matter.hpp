// The material of a station and the motion of its frame as polynomials, for formalisms that differentiate.
//
// Local coordinates y = (u, θ) of a station, u = N q, θ = Nθ q: derivatives go back to the element by the chain rule of
// a linear map,  ∂/∂q = Pᵀ ∂/∂y,  P = [N; Nθ].                                                         (1)
// A section point s is at r = x + u + Λs, Λ = 1 + θ̂ + ½θ̂². Every quantity f of a point is affine in s, and with
// ∫ρs = 0, ∫ρssᵀ = Σ = Σₖ λₖ sₖsₖᵀ (principal axes)
//   ∫ρ f·g = ρA f₀·g₀ + Σₖ λₖ fₖ·gₖ                                                                     (2)
// where f₀ belongs to the carried point x + u and fₖ to the director Λsₖ. So the material of a station is a list of
// at most four `Particle`s: the point, which also takes part in the motion of the origin, and directors, which do not.
//
// Variables: y, ẏ, ÿ (small) and the scalars of the frame, ω = Σ wᵢnᵢ, ω̇ = Σ eᵢnᵢ, the origin's acceleration Σ aⱼdⱼ
// and its velocity v_O, in body axes, whose components change by
//   v̇_O = a − ω × v_O.                                                                                  (3)
#pragma once

#include <array>

#include "elodyn/base/polynomial.hpp"
#include "elodyn/formalism/formalism.hpp"

namespace elodyn {

using PolynomialVector = std::array<Polynomial, 3>;

// At most three axes and three accelerations (they span space). Powers of w reach 4, of the others 2.
inline constexpr int kMaxAxes = 3;
constexpr Variable place(int k) { return {2 * k, 2, 1}; }          // y
constexpr Variable speed(int k) { return {12 + 2 * k, 2, 1}; }     // ẏ
constexpr Variable second(int k) { return {24 + 2 * k, 2, 1}; }    // ÿ
constexpr Variable euler(int i) { return {36 + 2 * i, 2, 0}; }     // e
constexpr Variable origin_a(int j) { return {42 + 2 * j, 2, 0}; }  // a
constexpr Variable origin_v(int k) { return {48 + 2 * k, 2, 0}; }  // v_O
constexpr Variable spin(int i) { return {54 + 3 * i, 3, 0}; }      // w

struct Particle {
  double mass = 0;
  PolynomialVector r;         // to second order in y
  bool feels_origin = false;  // the point, not the directors
};

struct Matter {
  std::vector<int> active;  // those of the six local coordinates that move mass; the variables y₀, y₁, … in this order
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 6> P;  // their rows of (1)
  std::vector<Particle> particles;
};

// Throws std::invalid_argument for a basis that is larger than space.
class MovingFrame {
 public:
  explicit MovingFrame(const MotionBasis& basis);
  const PolynomialVector& omega() const { return omega_; }
  const PolynomialVector& epsilon() const { return epsilon_; }
  const PolynomialVector& velocity() const { return velocity_; }          // of the origin
  const PolynomialVector& acceleration() const { return acceleration_; }  // of the origin
  // The rate of a polynomial in (y, ẏ, w, v_O): y → ẏ → ÿ, w → e, and (3).
  Polynomial rate(const Polynomial& p) const;
  PolynomialVector rate(const PolynomialVector& v) const { return {rate(v[0]), rate(v[1]), rate(v[2])}; }

 private:
  PolynomialVector omega_, epsilon_, velocity_, acceleration_, velocity_rate_;
};

void calc_matter(const Station& station, const Vec3& origin, Matter& matter);

// a × b, added to what stands in `sum`.
void add_cross(const PolynomialVector& a, const PolynomialVector& b, std::array<PolynomialSum, 3>& sum, double factor);
// One part after another: v = v_O + ω × r + ṙ, in body axes, to second order.
PolynomialVector calc_velocity(const MovingFrame& frame, const Particle& particle);

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
Factors split(const Polynomial::Term& term);

// Index of wᵢwⱼ, i ≤ j, in the order of MotionBasis::pairs().
constexpr size_t pair_index(int i, int j, int n_axes) {
  return static_cast<size_t>(i * n_axes - i * (i - 1) / 2 + j - i);
}

using Local = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 6, 6>;
using LocalVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

// Sorts the left-hand sides of the equations of motion of the active local coordinates, polynomials of first order in
// (y, ẏ, ÿ), by the factors of the affine equation; then adds them to the element by (1).
class LocalEquation {
 public:
  LocalEquation(const MotionBasis& basis, int n_active);
  // Throws std::logic_error for a term that the affine equation has no place for. Terms with v_O are not looked at.
  void read(int row, const Polynomial& left_side);
  void add_to(ElementTerms& terms, const Matter& matter, double weight) const;

 private:
  int n_, n_axes_, n_accelerations_;
  Local M_;
  std::array<Local, 3> G_, E_;
  std::array<Local, 6> S_;
  std::array<LocalVector, 3> A_, B_;
  std::array<LocalVector, 6> H_;
};

// Sets every matrix to its size and to zero.
void reset_terms(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& terms);

}  // namespace elodyn
