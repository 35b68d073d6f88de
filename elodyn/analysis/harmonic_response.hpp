// The steady response z e^{iΩt} of the equation of a body in its steady motion to a load F p(Ω) e^{iΩt}:
//   Z(Ω) z = F p,   Z = −Ω²M + iΩ(C + Σ w m mᵀ) + K + iηK₀
// C: damping and Coriolis terms, Σ w m mᵀ: modal damping, η: loss factor of the elastic stiffness K₀. Three ways:
//   direct    Z is factored for each Ω
//   modal     Z⁻¹ as the sum over modes with left and right vectors, and a series for the modes that are left out
//   reduced   Z of a Craig–Bampton reduction (system/craig_bampton.hpp)
#pragma once

#include <complex>
#include <functional>
#include <memory>

#include "elodyn/linalg/eigen.hpp"
#include "elodyn/system/craig_bampton.hpp"

namespace elodyn {

struct HarmonicEquation {
  SparseMatrix M, C, K, K_elastic;  // on one pattern
  ModalDamping modal;
  double loss_factor = 0;

  Eigen::VectorXcd apply(double omega, const Eigen::VectorXcd& z) const;  // Z z
};
HarmonicEquation make_harmonic_equation(const AffineEquation& equation, const ModalDamping& modal,
                                        const FactorValues& at, double loss_factor);

struct SteadyResponse {
  Eigen::VectorXcd z;
  double round_off = 0;      // estimated share of z
  bool is_resonant = false;  // round-off leaves nothing of z: Ω is an undamped natural frequency
};

// One thing to solve for many Ω. start() gives a solver of its own to each part of the work, which may run in parallel
// with the others.
class ResponseMethod {
 public:
  virtual ~ResponseMethod() = default;
  using Solver = std::function<SteadyResponse(double omega, const Eigen::VectorXcd& p)>;
  virtual Solver start() const = 0;
};

// F: loads in z, one column for each factor.
std::unique_ptr<ResponseMethod> make_direct_method(HarmonicEquation equation, MatrixX F);

// `corrections`: N terms stand for the modes that are left out, their response as a series in Ω² about rest (about a
// shift if the body is free): powers Ω⁰ … Ω^{2N−2}, in gyroscopic and damped bodies up to Ω^{2N−1}.
// Throws NumericalError for a free body that is damped or spins: its modes of frequency 0 have no such expansion.
struct ModalOptions {
  ModesKept kept;
  int corrections = 2;
  double highest = 0;  // Ω, rad/s
};
struct ModalMethod {
  std::unique_ptr<ResponseMethod> method;
  std::vector<std::complex<double>> values;  // λ of the modes that are kept
};
ModalMethod make_modal_method(const QuadraticProblem& problem, MatrixX F, const ModalOptions& options);

std::unique_ptr<ResponseMethod> make_reduced_method(const BodySystem& system, CraigBampton reduction, const MatrixX& F,
                                                    double loss_factor);

// The same eigenproblem with Coriolis terms alone acting on velocities, and the symmetric part of K.
QuadraticProblem without_damping(QuadraticProblem problem, const AffineEquation& equation, const FactorValues& at);

// Natural frequencies of the body without its damping, up to a limit, and how fast damping makes them decay (to first
// order in it): where peaks stand and how wide they are. With the shape φ and s = φ*(2iωM + C)φ the response to F p
// near it is φ (φ*F p) / (s (i(Ω − ω) + decay)).
struct Resonance {
  double omega = 0, decay = 0;  // rad/s, 1/s
  Eigen::VectorXcd shape = {};
  std::complex<double> slope = 0;  // s
};
struct Resonances {
  std::vector<Resonance> list;
  std::vector<std::complex<double>> values;  // λ of all modes that were found, without damping
};
Resonances find_resonances(const BodySystem& system, const HarmonicEquation& equation, double up_to);

// Whether anything acts on the body that can make a mode grow: all but masses, dampers and elastic stiffness.
bool may_grow(const BodySystem& system);

}  // namespace elodyn
