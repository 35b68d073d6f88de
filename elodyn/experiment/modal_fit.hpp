// Modal parameters from measured FRFs. Of mode r with the pole λ = −ζω + iω√(1 − ζ²), s = iΩ, and k = 0, 1, 2 for a
// response in displacement, velocity, acceleration:
//   H(Ω) = s^k [ Σ_r ( R_r/(s − λ_r) + R̄_r/(s − λ̄_r) ) + L/s² + U + V s² ]                                     (1)
// L stands for the modes below the band, U and V for those above, the first terms of their series in s²/ω². Ways to the
// poles:
//   peak     the largest of Σ|H|² and the width at half its height:  ζ = (Ω₂ − Ω₁)/2ω
//   circle   near a mode Σ u H s^(1−k) runs round a circle of which the angle tells how far Ω is from ω
//   [KennedyPancu1947]:
//            tan((θ − θ_r)/2) = −(Ω² − ω²)/2ζωΩ
//   lscf     least squares in the frequency domain with a common denominator [Guillaume1998]: H_o = B_o(z)/A(z),
//            z = e^(iΩ'T), linear in the coefficients; poles that hold as the order grows are physical (stabilisation).
//            A is normed by its lowest coefficient, which drives the poles that fit noise out of the stable half.
// Then residues by linear least squares of (1), and, of lscf, the poles too by Gauss and Newton (variable projection
// [GolubPereyra1973]), which is what makes close modes accurate.
// Limits: viscous modes; FRFs of one set of frequencies; peak and circle need modes that stand apart.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/results/record.hpp"

namespace elodyn {

struct ModalOptions {
  enum class Method { lscf, circle, peak };
  Method method = Method::lscf;
  double from = 0, to = 0;       // rad/s; to 0: to the last one
  int order = 40;                // highest of lscf
  std::optional<int> count;      // of modes; absent: those that are stable or stand out
  double frequency_step = 0.01;  // stable: from order to order less than this part of the frequency
  double damping_step = 0.05;    // and of the damping
  double most_damping = 0.2;     // modes with more are not looked for
  double floor = 0.02;           // of the largest peak: lower peaks are not taken for modes
};

// A pole of one order of lscf.
struct StabilityPoint {
  int order = 0;
  double omega = 0, damping = 0;
  bool is_stable_frequency = false, is_stable = false;  // is_stable: damping too
};

struct ModalFit {
  std::vector<std::complex<double>> poles;  // λ as seen, with what an exponential window has added; ascending ω
  std::vector<double> omega, damping;       // of the modes, without it
  std::vector<double> found_at;             // share of the orders at which lscf has a stable pole there; else NaN
  Eigen::MatrixXcd residues;                // FRF × mode
  MatrixX remainder;                        // L, U, V: FRF × 3
  std::vector<StabilityPoint> stability;    // lscf
  std::vector<double> frequencies;          // rad/s, of the band
  Eigen::MatrixXcd measured, synthesised;   // frequency × FRF
  std::vector<double> error;                // of each FRF: ‖H − (1)‖/‖H‖
};

// Throws NumericalError if there is nothing to fit.
ModalFit fit_modes(const std::vector<FrfRecord>& frfs, const ModalOptions& options);

// Shapes from residues: those of the reference with the most responses, or, of a hammer that roved, of the response
// with the most references; if every one was measured to every other, the dominant singular vector of them all. Largest
// component 1.
std::vector<MeasuredMode> make_measured_modes(const std::vector<FrfRecord>& frfs, const ModalFit& fit);

// H by (1) of any frequency.
std::complex<double> synthesise(const std::vector<std::complex<double>>& poles,
                                const std::vector<std::complex<double>>& residues, const Vec3& remainder, int k,
                                double omega);

}  // namespace elodyn
