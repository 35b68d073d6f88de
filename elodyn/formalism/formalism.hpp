// Waist 2: element × motion basis → the constant matrices of
//   M q̈ + [D + 2 Σᵢ wᵢ Gᵢ] q̇ + [K + Σᵢ eᵢ Eᵢ + Σᵢⱼ wᵢwⱼ Sᵢⱼ + Σᵢ wᵢ Nᵢ + Σⱼ pⱼ Γⱼ] q
//       = f − Σⱼ aⱼ Aⱼ − Σᵢ eᵢ Bᵢ − Σᵢⱼ wᵢwⱼ Hᵢⱼ                                                    (1)
// The frame moves with ω = Σ wᵢ nᵢ, ω̇ = Σ eᵢ nᵢ about `origin`, whose acceleration (gravity subtracted) is
// Σ aⱼ dⱼ; all in body axes. A fixed axis is one n, so nothing is derived that the motion does not need.
// N: dashpots to the ground, which see the frame turn; circulatory, nothing for the body's own elements.
// Each formalism derives (1) its own way from the placement and strain of the element's stations
// (docs/theory/kinematics.md); the prestress p that multiplies Γ comes from the system.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "elodyn/base/formula.hpp"
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

// How terms are named after an axis: "x", "y", "z" of the body, else "1", "2", … by its number in the basis.
std::string axis_name(const Vec3& axis, size_t number);

// The matrices of (1) for one element; workspace that is reused from element to element.
template <class Scalar>
struct BasicElementTerms {
  MatrixOf<Scalar> M, D, K;
  std::vector<MatrixOf<Scalar>> G, E;   // one for each axis
  std::vector<MatrixOf<Scalar>> S;      // one for each pair; i < j stands for wᵢwⱼ + wⱼwᵢ
  std::vector<MatrixOf<Scalar>> N;      // one for each axis, or none
  std::vector<MatrixOf<Scalar>> Gamma;  // one for each prestress shape
  std::vector<VectorOf<Scalar>> A, B, H;
  MatrixOf<Scalar> member_load;  // n × 9: generalized forces of a unit of each component of MemberLoad

  // Sets every matrix to its size, n dofs, and to zero.
  void reset(const BasicStations<Scalar>& stations, int n, const MotionBasis& basis);
};
using ElementTerms = BasicElementTerms<double>;

class Counted;   // base/counted.hpp
class Symbolic;  // base/symbolic.hpp

// What a formalism says of itself and, written out, of one station of an element.
struct Description {
  Formula equation;              // its principle
  Formula generating;            // the quantity that it starts from
  std::vector<Formula> station;  // the same as it is computed, per length; of a point element per element
};

// The terms of one element of a batch. put_lane() expects the right sizes, which those of lane 0 set.
void put_lane(const ElementTerms& terms, int lane, BasicElementTerms<Batch>& batch);
void get_lane(const BasicElementTerms<Batch>& batch, int lane, ElementTerms& terms);

// An element formalism: stations of one element with n dofs → affine terms. The same derivation runs on numbers, on
// numbers that count its operations and on symbols.
class Formalism {
 public:
  virtual ~Formalism() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual void derive(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& terms) const = 0;
  // Throw std::logic_error if the formalism works with plain numbers only; ElementFormalism gives all three.
  virtual void derive(const BasicStations<Counted>& stations, int n, const MotionBasis& basis,
                      BasicElementTerms<Counted>& terms) const;
  virtual void derive(const BasicStations<Symbolic>& stations, int n, const MotionBasis& basis,
                      BasicElementTerms<Symbolic>& terms) const;
  // Several elements at once (base/batch.hpp). A formalism that works with plain numbers only gets them one by one.
  virtual void derive(const BasicStations<Batch>& stations, int n, const MotionBasis& basis,
                      BasicElementTerms<Batch>& terms) const;
  // In words only, if the formalism does not write itself out. The basis has axes and accelerations along x, y, z.
  virtual Description describe(const BasicStation<Symbolic>& station, const MotionBasis& basis) const;
};

}  // namespace elodyn
