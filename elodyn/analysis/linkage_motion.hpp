// Small motions of the joined bodies of a mechanism (system/linkage.hpp) in time, by Runge–Kutta methods of s stages on
// the equation in s that Maggi's projection leaves; the coordinates that are eliminated are chosen anew for each step:
//   Σ_k [B²_ik M_i/h² + B_ik C_i/h + δ_ik K_i] (s_k − s₀) = f_i − K_i s₀ + Σ_j B_ij M_i ṡ₀/h,   B = a⁻¹           (1)
// In time Gauss's methods, of order 2s, which damp nothing: stable for every step where the coefficients are constant.
// The states (y, ẏ) between steps meet the joints exactly, in position and in velocity. Over a period, x(t₀ + T) =
// Φ x(t₀) + p of the independent coordinates and speeds at t₀; the steady vibration is (1 − Φ) x(t₀) = p, by Radau's
// IIA of order 5, which does damp what is much faster than a step, so that it follows its loads at once. The growth of
// small motions is |μ| of Φ by Gauss's, else a fast mode that nothing damps would seem to die out. Source:
// [HairerWanner1996], IV.5.
#pragma once

#include <utility>
#include <vector>

#include "elodyn/analysis/integrator.hpp"
#include "elodyn/analysis/period.hpp"
#include "elodyn/system/linkage.hpp"

namespace elodyn {

class LinkageStepper {
 public:
  LinkageStepper(const Linkage& linkage, GaussCoefficients method)
      : linkage_(linkage), method_(std::move(method)), chart_(linkage) {}

  // All columns of (y; ẏ) from t to t + h; the last one under the loads, if `loaded`.
  // Throws NumericalError if the matrix of the step is singular.
  void step(double t, double h, MatrixX& X, bool loaded);

 private:
  const Linkage& linkage_;
  GaussCoefficients method_;
  LinkageChart chart_;
  LinkageTerms terms_;
  std::vector<LinkageChart::Reduced> stages_;
  MatrixX A_, Z_;
};

// (y; ẏ; ÿ) and δλ at one time.
struct LinkageState {
  double t = 0;
  VectorX y, y_rate, y_second, delta_lambda;
};
// ÿ and δλ of y and ẏ that meet the joints.
LinkageState calc_linkage_state(const Linkage& linkage, double t, const VectorX& y, const VectorX& y_rate);
// At rest where stiffness and loads of that instant balance; or undeformed.
LinkageState calc_quasi_static(const Linkage& linkage, double t);

// From the state at t in equal steps; a state after each `every` of them, the first one among them.
std::vector<LinkageState> run_linkage(const Linkage& linkage, const LinkageState& start, double step, int steps,
                                      int every);

struct LinkagePeriod {
  std::vector<LinkageState> states;  // records + 1 of them, the last one is the first one again
  double nearest_resonance = 0;      // least |1 − μ| of the steps that give the states
  double largest_multiplier = 0;
  static constexpr double kKnown = 1e-3;  // what a multiplier may change by to be told
  int steps = 0;
  // With half as many steps: of the displacements, relative; of the largest multiplier.
  double change = 0, multiplier_change = 0;
};
// Steps are halved until the displacements change by less than the tolerance, then until the largest multiplier is
// known if that does not take too many.
LinkagePeriod find_steady(const Linkage& linkage, const Period& period, int records, double tolerance);

// Lowest frequencies (rad/s) with everything as it stands at t.
std::vector<double> calc_frozen_frequencies(const Linkage& linkage, double t, int count);

}  // namespace elodyn
