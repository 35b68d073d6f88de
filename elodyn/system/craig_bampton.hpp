// Craig and Bampton's reduction [CraigBampton1968] of a body, z = V y, y = (interface b, modal amplitudes η):
//   V = [ I 0 ; Ψ Φ ],   Ψ = −K_ii⁻¹ K_ib,   K_ii Φ = M_ii Φ diag(μ),   Φᵀ M_ii Φ = 1,
// b: displacements and rotations of the interface points, i: all other coordinates. K is the elastic stiffness alone,
// so V is real and the same for all speeds; every term of the affine equation is projected, A ↦ VᵀAV, f ↦ Vᵀf, and the
// reduced equation is affine in the same factors.
// Exact: statics under forces on the interface (elastic), rigid motions and the mass, if the interface holds the body.
// Limits: forces between the interface points, those of the frame's motion too, are seen through the modes that are
// kept, unless their shapes are asked for (LoadShapes).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elodyn/system/system.hpp"

namespace elodyn {

struct CraigBampton {
  std::vector<int> interface;  // coordinates z that move the interface points, ascending
  MatrixX V;                   // columns: interface, modes, shapes of loads
  VectorX squares;             // μ of the modes with the interface held
  AffineEquation equation;     // in y, on a full pattern
  ModalDamping modal;          // in y
  int n_load_shapes = 0;

  int n_interface() const { return static_cast<int>(interface.size()); }
  int n_modes() const { return static_cast<int>(squares.size()); }
  int size() const { return n_interface() + n_modes() + n_load_shapes; }
};

// How many modes: a number, or all with ω up to a limit (rad/s), or both; the larger set.
struct ModesKept {
  std::optional<int> count;
  std::optional<double> up_to;
};

// What the modes that are left out would do under loads F (in z), with the interface held: the shapes K_ii⁻¹F,
// K_ii⁻¹M_ii K_ii⁻¹F …, so many terms, are added to V; and those of the inertia of a moving interface, M_ib + M_ii Ψ.
// A free body without an interface has none.
struct LoadShapes {
  MatrixX F;
  int corrections = 0;
};

// Throws NumericalError if the body can still move without strain when its interface is held.
CraigBampton reduce_body(const BodySystem& system, const std::vector<std::string>& points, const ModesKept& kept,
                         const LoadShapes& shapes = {});

// Displacement and rotation of every dof in a unit translation along or rotation about body x, y, z through the origin:
// six columns in q, supports disregarded.
MatrixX make_rigid_columns(const Mesh& mesh);

}  // namespace elodyn
