// Waist 2: element × motion basis → the constant matrices of
//   M q̈ + [D + 2 Σᵢ wᵢ Gᵢ] q̇ + [K + Σᵢ eᵢ Eᵢ + Σᵢⱼ wᵢwⱼ Sᵢⱼ + Σᵢ wᵢ Nᵢ + Σⱼ pⱼ Γⱼ] q
//       = f − Σⱼ aⱼ Aⱼ − Σᵢ eᵢ Bᵢ − Σᵢⱼ wᵢwⱼ Hᵢⱼ                                                    (1)
// The frame moves with ω = Σ wᵢ nᵢ, ω̇ = Σ eᵢ nᵢ about `origin`, whose acceleration (gravity subtracted) is
// Σ aⱼ dⱼ; all in body axes. A fixed axis is one n, so nothing is derived that the motion does not need.
// N: dashpots to the ground, which see the frame turn; circulatory, nothing for the body's own elements.
// Each formalism derives (1) its own way from the placement and strain of the element's stations
// (docs/theory/kinematics.md); the prestress p that multiplies Γ comes from the system.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/element/element.hpp"

namespace elodyn {

struct MotionBasis {
  Vec3 origin = Vec3::Zero();       // the point whose acceleration is a; a spin takes one on its axis
  std::vector<Vec3> axes;           // nᵢ, unit; at most three, at any angles
  std::vector<Vec3> accelerations;  // dⱼ, unit; at most three

  // Index pairs i ≤ j of the products wᵢwⱼ, in the order of S and H.
  std::vector<std::pair<int, int>> pairs() const;
};

// The matrices of (1) for one element; workspace that is reused from element to element.
struct ElementTerms {
  MatrixX M, D, K;
  std::vector<MatrixX> G, E;   // one for each axis
  std::vector<MatrixX> S;      // one for each pair; i < j stands for wᵢwⱼ + wⱼwᵢ
  std::vector<MatrixX> N;      // one for each axis, or none
  std::vector<MatrixX> Gamma;  // one for each prestress shape
  std::vector<VectorX> A, B, H;
  MatrixX member_load;  // n × 9: generalized forces of a unit of each component of MemberLoad
};

class Formalism {
 public:
  virtual ~Formalism() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  // `element`: element → affine terms. `system`: blocks and constraints → reduced equation.
  enum class Level { element, system };
  virtual Level level() const = 0;
  // Element level: fills `terms` from the stations of one element with n dofs.
  virtual void derive(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& terms) const = 0;
};

}  // namespace elodyn
