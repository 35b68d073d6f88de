// Linear elastic material with voids of Cowin and Nunziato. Besides the displacement, the change φ of the volume
// fraction of the matrix is a field with inertia. Per volume                                    [CowinNunziato1983]
//   T = ½ρ|u̇|² + ½ρκφ̇²,   W = ½λ(tr e)² + μ e:e + βφ tr e + ½ξφ² + ½α|∇φ|²,   F = ½τφ̇²               (1)
//   σ = λ tr e 1 + 2μe + βφ1,   ρκφ̈ = αΔφ − ξφ − β tr e − τφ̇                                        (2)
// Where stresses across a plane or a line are zero, the strains across are put in from there. λ and 2μ become those of
// classical plane stress, or E, and
//   plane stress, e₃₃ = −(λ(e₁₁ + e₂₂) + βφ)/(λ + 2μ):        β* = 2μβ/(λ + 2μ),   ξ* = ξ − β²/(λ + 2μ)     (3)
//   uniaxial stress, e₂₂ = e₃₃ = −(λe₁₁ + βφ)/(2(λ + μ)):     β* = μβ/(λ + μ),     ξ* = ξ − β²/(λ + μ)      (4)
// α, κ and τ stay. W is positive if μ > 0, α ≥ 0, ξ > 0 and
//   (3λ + 2μ)ξ > 3β² with free sides, (λ + μ)ξ > β² in plane strain, (λ + 2μ)ξ > β² in uniaxial strain.   (5)
// A thermal strain ε₀ takes the place of none: e − ε₀1 strains. Across held sides −ε₀ does.
// Where nothing holds φ, α ∂φ/∂n = 0. Theory: docs/theory/voids.md. Limits: isotropic; small strains, small φ.
#pragma once

#include <string>
#include <string_view>

#include "elodyn/model/material.hpp"

namespace elodyn {

// What of the material moves as φ does, after (3) or (4).
struct VoidLaw {
  double alpha = 0;  // N
  double beta = 0;   // Pa
  double xi = 0;     // Pa
  double kappa = 0;  // m²
  double tau = 0;    // Pa s
  // Strain and φ of a unit of thermal strain, with no stress and nothing that drives φ: 1 and 0, unless sides are held.
  double free_strain = 1, free_phi = 0;
};

enum class VoidState { plane_stress, plane_strain, uniaxial_stress, uniaxial_strain };
VoidState void_state(PlaneState state, bool is_bar);

// Lamé's constants; poisson must be below ½.
double calc_lambda(const Material& material);
// The modulus of a bar: E or λ + 2μ.
double calc_uniaxial_modulus(const Material& material, PlaneState state);
// All void constants must be given.
VoidLaw calc_void_law(const Material& material, VoidState state);

// Which of (5) is broken, with its numbers: "(3λ + 2μ)ξ = 5.2e19, must be above 3β² = 1.2e20"; empty: none.
std::string find_broken_inequality(const Material& material, VoidState state);

// Elements by name: the bar, and all that have φ at their nodes.
inline constexpr std::string_view kVoidsBar = "voids_bar";
bool has_voids(std::string_view element);

}  // namespace elodyn
