// Integrators of the linear equation of a body in time, with a fixed step h:
//   M z̈ + (D + 2C) ż + (K + N) z = f(t),  as  ẋ = A(t) x + b(t)  of the canonical state x = (z, p)
//   (system/canonical.hpp)
// Gauss methods of s stages ([Hairer2006], II.1.3, IV.2.1, VI.4), B = a⁻¹ of their coefficients a, v the stage
// velocities:
//   v_i = 1/h Σ B_ij (z_j − z₀),   p_j = M v_j + C_j z_j,
//   Σ_k [B²_ik M/h² + B_ik (C_i + C_k + D_i)/h + δ_ik (K_i + N_i)] (z_k − z₀) = f_i − (K_i + N_i) z₀ − Σ_j B_ij (C_j z₀
//   − p₀)/h
// one linear system of s·n unknowns. They are symplectic and keep every quadratic invariant, H of a steady motion among
// them; order 2s, stable for every h. The classical Runge–Kutta method of order 4 is there for comparison.
// Adding one is a class and a line of integrators(). It may keep velocities or accelerations of its own between steps;
// what it takes and gives is x.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "elodyn/base/registry.hpp"
#include "elodyn/system/canonical.hpp"

namespace elodyn {

struct TransientProblem {
  const CanonicalEquation* equation = nullptr;
  std::function<FactorValues(double t)> factors;
  bool is_steady = false;  // the factors never change
};

// A run of an integrator: what it has factored, and its work arrays.
class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual void step(double t, VectorX& x) = 0;  // x at t → x at t + h
};

class Integrator {
 public:
  virtual ~Integrator() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual int order() const = 0;
  virtual bool is_symplectic() const = 0;
  // The problem must live longer. Throws NumericalError if the step is too long for the method, or the matrix is
  // singular.
  virtual std::unique_ptr<Stepper> start(const TransientProblem& problem, double t, double h) const = 0;
};

inline constexpr const char* kDefaultIntegrator = "implicit_midpoint";
const Registry<Integrator>& integrators();

// Largest |λ| of A at time t, by a power iteration; within a few per cent from below.
double estimate_fastest(const TransientProblem& problem, double t);

}  // namespace elodyn
