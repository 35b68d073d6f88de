// Stresses of areas, and how far they may be wrong.
// The stress of the elements jumps from one to the next; averaged at the nodes, each element's value extrapolated from
// the points where it is best, it becomes the continuous σ*. What lies between the two estimates the error
//   ‖e‖² = ∫(σ* − σ)ᵀ D⁻¹ (σ* − σ) dV,   relative to ‖σ‖² = ∫σᵀ D⁻¹ σ dV                [ZienkiewiczZhu1987]   (1)
// A plate's bending stress, linear across it, adds a third of the same with its value on the faces.
// Averages are taken within an area: where thickness or material change, stresses do jump.
#pragma once

#include <vector>

#include "elodyn/system/system.hpp"

namespace elodyn {

struct NodeStress {
  enum class Face { middle, top, bottom };  // of plates the faces at +3 and −3
  int node = 0, area = 0;
  Face face = Face::middle;
  Vec3 stress = Vec3::Zero();    // σ₁₁, σ₂₂, σ₁₂ in the axes of SheetStress, Pa
  double across = 0;             // σzz: zero in plane stress
  double principal[2] = {0, 0};  // in the plane, the larger first
  double mises = 0;
};

struct SurfaceStress {
  std::vector<NodeStress> nodes;  // by area, then by node
  std::vector<double> errors;     // ‖e‖ of each element of the mesh, √J; 0 for those that are no sheet
  double error = 0;               // √(‖e‖²/(‖σ‖² + ‖e‖²)) of the whole body
};
SurfaceStress calc_surface_stress(const BodySystem& system, const FactorValues& at, const VectorX& q);

}  // namespace elodyn
