// What a body is made of: linear elastic, isotropic or orthotropic; with pores (model/effective_modulus.hpp) or with
// voids whose fraction is a field (model/void_law.hpp).
//
// Plane law of a sheet, σ = D (ε₁₁, ε₂₂, γ₁₂) in the material's axes, from the compliance
//   ε₁₁ = σ₁₁/E₁ − ν₁₂σ₂₂/E₁ − ν₁₃σ₃₃/E₁,   ε₂₂ = −ν₁₂σ₁₁/E₁ + σ₂₂/E₂ − ν₂₃σ₃₃/E₂,
//   ε₃₃ = −ν₁₃σ₁₁/E₁ − ν₂₃σ₂₂/E₂ + σ₃₃/E₃,   γ₁₂ = σ₁₂/G₁₂                                              (1)
// with σ₃₃ = 0 (plane stress) or ε₃₃ = 0 (plane strain). Isotropic: E, ν, G = E/(2(1+ν)).
#pragma once

#include <optional>
#include <string>

#include "elodyn/base/error.hpp"
#include "elodyn/base/types.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

// How pores change the moduli of the matrix.
enum class PorosityModel { dilute_spheres, dilute_holes, mori_tanaka_spheres, mori_tanaka_holes };

struct Material {
  std::string name;
  Mark mark;
  double young = 0;      // E or E₁, Pa
  double poisson = 0;    // ν or ν₁₂
  double density = 0;    // kg/m³
  double expansion = 0;  // thermal, 1/K
  // orthotropic, if there is a young_2
  std::optional<double> young_2, shear_12;   // Pa
  std::optional<double> shear_13, shear_23;  // Pa: across the sheet; absent: shear_12
  std::optional<double> young_3;             // Pa: plane strain needs it
  std::optional<double> poisson_13, poisson_23;
  // pores: young, poisson and density are then those of the matrix
  double porosity = 0;  // their share of the volume
  PorosityModel porosity_model = PorosityModel::mori_tanaka_spheres;
  // voids of Cowin and Nunziato
  std::optional<double> void_alpha;          // N
  std::optional<double> void_beta, void_xi;  // Pa
  std::optional<double> void_kappa;          // m²
  double void_tau = 0;                       // Pa s
  bool from_mesh = false;                    // found in a mesh file
  Marks marks;

  double shear_modulus() const { return young / (2 * (1 + poisson)); }  // isotropic
  bool is_orthotropic() const { return young_2.has_value(); }
  bool has_all_void_constants() const { return void_alpha && void_beta && void_xi && void_kappa; }
};

enum class PlaneState { stress, strain };

// D of (1). Throws std::invalid_argument if the compliance is not positive; validate() asks before.
Mat3 calc_plane_law(const Material& material, PlaneState state);
// Strain (ε₁₁, ε₂₂, γ₁₂) of a unit of thermal strain that nothing resists in the plane: 1, 1 in plane stress, in plane
// strain 1 + ν₁₃E₃/E₁, 1 + ν₂₃E₃/E₂, because the third direction is held.
Vec3 calc_free_strain(const Material& material, PlaneState state);
// Shear stresses (σ₁₃, σ₂₃) of unit strains across the sheet, without a shear factor.
Eigen::Matrix2d calc_shear_law(const Material& material);

}  // namespace elodyn
