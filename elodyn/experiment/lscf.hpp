// Least-squares complex frequency estimator [Guillaume1998], [Peeters2004]: the FRFs of a band with one denominator,
//   H_o ≈ B_o(z)/A(z),   A = Σ α_j z^j, B_o = Σ β_oj z^j, j = 0 … n,   z = e^(iφ), φ = π (Ω − Ω₁)/(Ω₂ − Ω₁)
// The error A H_o − B_o is linear in real coefficients. Eliminating β leaves M α = 0 with
//   M = Σ_o ( T_o − S_oᵀ R⁻¹ S_o ),   entries of R, S, T sums over the band of Re e^(i(k−j)φ) {1, −H, |H|²}
// solved with α₀ = 1: then the roots that fit noise lie outside the unit circle, which is the unstable side. A root z
// is the pole λ = iΩ₁ + ln z (Ω₂ − Ω₁)/π. Each FRF is scaled to unit size.
#pragma once

#include <complex>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

// Roots with 0 < φ < π, for each order n. `omega` ascending, rad/s; H: frequency × FRF.
std::vector<std::vector<std::complex<double>>> calc_lscf_poles(const VectorX& omega, const Eigen::MatrixXcd& H,
                                                               const std::vector<int>& orders);

}  // namespace elodyn
