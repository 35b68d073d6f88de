// Integrators of the linear equation of a body in time, one step of length h at a time:
//   M z̈ + (D + 2C) ż + (K + N) z = f(t),  as  ẋ = A(t) x + b(t)  of the canonical state x = (z, p)
//   (system/canonical.hpp)
// Gauss methods of s stages ([Hairer2006], II.1.3, IV.2.1, VI.4), B = a⁻¹ of their coefficients a, v the stage
// velocities:
//   v_i = 1/h Σ B_ij (z_j − z₀),   p_j = M v_j + C_j z_j,
//   Σ_k [B²_ik M/h² + B_ik (C_i + C_k + D_i)/h + δ_ik (K_i + N_i)] (z_k − z₀) = f_i − (K_i + N_i) z₀ − Σ_j B_ij (C_j z₀
//   − p₀)/h
// one linear system of s·n unknowns. They are symplectic and keep every quadratic invariant, H of a steady motion among
// them; order 2s, stable for every h.
// Generalized-α [ChungHulbert1993], with the accelerations a of its own between steps:
//   M a_{1−αm} + (D + 2C) v_{1−αf} + (K + N) z_{1−αf} = f,  coefficients and f at t + (1 − αf)h,  y_{1−α} = (1−α)y₁ +
//   αy₀ z₁ = z₀ + h v₀ + h²((½ − β)a₀ + β a₁),   v₁ = v₀ + h((1 − γ)a₀ + γ a₁) αm = (2ρ − 1)/(ρ + 1),  αf = ρ/(ρ + 1),
//   γ = ½ − αm + αf,  β = ¼(1 − αm + αf)²
// of order 2; what is much faster than a step is multiplied by ρ in each one. αm = αf = 0 is Newmark's method
// [Newmark1959]. The classical Runge–Kutta method of order 4 is there for comparison.
// Adding one is a class and a line of integrators(). It may keep velocities or accelerations of its own between steps;
// what it takes and gives is x.
#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <string_view>

#include "elodyn/base/registry.hpp"
#include "elodyn/system/canonical.hpp"

namespace elodyn {

struct IntegratorOptions {
  double spectral_radius = 0.8;  // ρ of generalized_alpha
  double newmark_beta = 0.25, newmark_gamma = 0.5;
};

struct TransientProblem {
  const CanonicalEquation* equation = nullptr;
  std::function<void(double t, FactorValues& out)> factors;
  bool is_steady = false;  // the factors never change
  IntegratorOptions options = {};

  FactorValues factors_at(double t) const {
    FactorValues out;
    factors(t, out);
    return out;
  }
};

// A run of an integrator with one step length: what it has factored, and its work arrays. Steps allocate nothing, but
// for bodies whose matrices are too wide for a band (analysis/step_solver.hpp).
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual void step(double t, VectorX& x) = 0;  // x at t → x at t + h

  // What belongs to x besides: accelerations, sums of round-off. The same for every step length. Empty: nothing yet,
  // the next step makes it from x. A state is continued with x and history, digit by digit.
  const VectorX& history() const { return history_; }
  void set_history(const VectorX& history) { history_ = history; }

  virtual long n_factorisations() const { return 0; }
  // The time of the step whose matrix is factored, for it may be an old one; not a number if it makes no difference.
  virtual double factored_at() const { return std::numeric_limits<double>::quiet_NaN(); }
  virtual void factor_at(double) {}

 protected:
  VectorX history_;
};

class Integrator {
 public:
  virtual ~Integrator() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual int order() const = 0;
  virtual bool is_symplectic() const = 0;
  // The longest step that is stable; infinite for implicit methods.
  virtual double find_longest_step(const TransientProblem&, double) const {
    return std::numeric_limits<double>::infinity();
  }
  // The problem must live longer. Throws NumericalError if the step is too long for the method, or the matrix is
  // singular.
  virtual std::unique_ptr<Stepper> start(const TransientProblem& problem, double t, double h) const = 0;
};

// Of one, two or three stages: times c, weights b, and B.
struct GaussCoefficients {
  VectorX c, b;
  MatrixX B;
};
GaussCoefficients make_gauss(int stages);
// Radau's IIA of three stages in the same form: order 5, L-stable; it damps what is much faster than a step.
GaussCoefficients make_radau();

inline constexpr const char* kDefaultIntegrator = "implicit_midpoint";
const Registry<Integrator>& integrators();

// Largest |λ| of A at time t, by a power iteration; within a few per cent from below.
double estimate_fastest(const TransientProblem& problem, double t);

}  // namespace elodyn
