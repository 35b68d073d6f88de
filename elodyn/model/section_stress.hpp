// Stresses of a cross-section from its stress resultants.
//
// The resultants act on the face with normal +x. With the stress of a bent beam σ = E(u' − y v'' − z w''), force σ dA x̂
// at the place y ŷ + z ẑ:
//   N  = ∫σ dA       = E A u'
//   My = ∫ z σ dA    = −E Iy w''        about +y: pulls where z > 0
//   Mz = −∫ y σ dA   =  E Iz v''        about +z: presses where y > 0
//   σ(y, z) = N/A − Mz y/Iz + My z/Iy                                                            (1)
// Shear: the torque Mx gives Mx/W along the outline, counter-clockwise; a force T gives peak·T/A in the middle, from
// T Q/(I b). Von Mises: σ_v = √(σ² + 3τ²), at these places (places of one section are not mixed unless said so):
//   circle, tube  the rim, every 5° from where bending is largest, and where T shears most:
//                 σ by (1), τ = Mx/W + peak (r × T)_x / (R A). Between two places σ_v is at most 0.1 % larger
//   rectangle     the corners: σ by (1), no shear; the middles of the sides: σ by (1), τ = ±Mx/W + 3/2 T/A with the W
//   of
//                 that side and the force along it; the centre: N/A and 3/2 √(Ty² + Tz²)/A
//   general       extreme fibres and all shear as if in one place: |N|/A + |Mz| extreme_y/Iz + |My| extreme_z/Iy with
//                 |Mx|/W + |T|/(k A)
// Limits: elastic, no stress concentrations, no warping stress of held ends. T/(k A) is a mean over the effective area:
// right for thin webs, one fifth below the peak of a rectangle.
#pragma once

#include <optional>

#include "elodyn/model/section.hpp"

namespace elodyn {

// Forces in N, moments in N m. A planar beam has N, Ty and Mz.
struct SectionResultants {
  double N = 0, Ty = 0, Tz = 0;   // tension, shear forces along section y and z
  double Mx = 0, My = 0, Mz = 0;  // torque, bending moments
};

// Pa. Absent: the section does not say enough for a load that is not zero,
//   bending without extreme_y, extreme_z (or Iy): none of the first two and no von Mises stress;
//   a torque without torsion_modulus: neither shear nor von Mises stress;
//   a shear force without a shear factor: no shear stress. The von Mises stress is that of the extreme fibres then,
//   where a shear force gives none.
struct SectionStress {
  std::optional<double> largest_normal, smallest_normal;  // with sign, tension positive
  std::optional<double> largest_shear;                    // ≥ 0
  std::optional<double> largest_mises;                    // ≥ 0
};

SectionStress calc_stress(const SectionProperties& section, const SectionResultants& resultants);

}  // namespace elodyn
