// Hamilton's function of a station, written out. With L = Σ ½ m_r y_r′² + Σ c_r y_r′ + L₀ − V, c linear in y,
//   p_r = m_r y_r′ + c_r,   H = Σ p_r y_r′ − L = Σ (p_r − c_r)²/2m_r − L₀ + V,                             (1)
//   y_r′ = ∂H/∂p_r = (p_r − c_r)/m_r,   −∂H/∂y_r = Σ_s (∂c_s/∂y_r)(p_s − c_s)/m_s + ∂L₀/∂y_r − ∂V/∂y_r.    (2)
// Coordinates without mass have no p; their velocities stay, and (1) is Routh's function R.
// Limit: sections in principal axes, so that the masses of a station are a diagonal matrix.
#pragma once

#include "elodyn/formalism/describe.hpp"

namespace elodyn {

// Adds p, H (or R) and (2) for L + V, a polynomial of second order.
void add_hamiltonian(const BasicPolynomial<Symbolic>& L_and_V, StationWriter& writer);

}  // namespace elodyn
