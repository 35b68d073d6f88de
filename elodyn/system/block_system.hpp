// The blocks of a body (blocks.hpp) as a system with constraints in time (maggi.hpp), and the forces that pass through
// its joints. Coordinates are scaled by diag(M)^½ of the body, so that errors of lengths, angles and curvatures
// compare:
//   x = S q,   S⁻¹MS⁻¹ ẍ = S⁻¹[f − C q̇ − K q] + (A S⁻¹)ᵀλ,   A S⁻¹ẍ = 0;   λ is the same
#pragma once

#include <string>
#include <vector>

#include "elodyn/linalg/maggi.hpp"
#include "elodyn/system/blocks.hpp"
#include "elodyn/system/recovery.hpp"

namespace elodyn {

class BlockSystem : public ConstrainedSystem {
 public:
  explicit BlockSystem(const BodySystem& system);

  int n() const override { return blocks_.numbering.size; }
  MatrixX calc_mass(double, const VectorX&) const override { return M_; }
  VectorX calc_force(double t, const VectorX& x, const VectorX& v) const override;
  MatrixX calc_A(double, const VectorX&) const override { return A_; }
  VectorX calc_b(double, const VectorX&) const override { return VectorX::Zero(A_.rows()); }
  VectorX calc_gamma(double, const VectorX&, const VectorX&) const override { return VectorX::Zero(A_.rows()); }
  VectorX calc_positions(double, const VectorX& x) const override { return A_ * x; }
  bool is_constant() const override { return true; }

  const Blocks& blocks() const { return blocks_; }
  const std::vector<ConstraintRow>& rows() const { return rows_; }  // of A before scaling
  const VectorX& scale() const { return scale_; }                   // S
  VectorX scatter(const VectorX& q) const;                          // x of the dofs of the body
  VectorX gather(const VectorX& x) const;                           // and back, from one copy of each

 private:
  const BodySystem& system_;
  Blocks blocks_;
  AffineEquation equation_;
  std::vector<ConstraintRow> rows_;
  VectorX scale_;
  MatrixX M_, A_;
  MatrixX M_phi_;  // of modal damping, on the blocks
};

// Coordinates of the blocks of a body; what is dense in it must stay small.
int count_block_coordinates(const BodySystem& system);
inline constexpr int kMostBlockCoordinates = 400;

// What joints and supports do in a state (q, q̇) of the body at time t, from the multipliers.
struct LiaisonForces {
  VectorX acceleration;              // of the dofs of the body
  std::vector<VectorX> on_elements;  // by the rest of the body and the supports, on the coordinates of each element
  std::vector<Reaction> reactions;   // of supports
  // Rows that follow from others: the share of each is then not determined, and what is given is the smallest.
  std::vector<std::string> dependent;
};
LiaisonForces calc_liaison_forces(const BodySystem& system, double t, const VectorX& q, const VectorX& q_rate,
                                  ConstraintMethod method = ConstraintMethod::maggi_qr);

}  // namespace elodyn
