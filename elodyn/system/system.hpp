// One body, assembled, prestressed and constrained: what every analysis reads.
//   Model → mesh → Σ elements (formalism) → affine equation → static solves for Kg → q = T z + g
// Kg comes from the elastic K alone under each load factor, so it is linear in the same factors.
#pragma once

#include <string>
#include <vector>

#include "elodyn/element/element.hpp"
#include "elodyn/formalism/formalism.hpp"
#include "elodyn/linalg/solve.hpp"
#include "elodyn/mesh/mesh.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/system/affine.hpp"
#include "elodyn/system/body_constraints.hpp"
#include "elodyn/system/constraints.hpp"

namespace elodyn {

// Viscous damping of the first modes at rest:  D = Σ 2 ζ ω (Mφ)(Mφ)ᵀ, φ M-normalised; reduced coordinates.
struct ModalDamping {
  MatrixX M_phi;    // n × modes
  VectorX weights;  // 2 ζ ω
  bool empty() const { return weights.size() == 0; }
};

// What a member or an area is made of, found by its names.
struct MemberParts {
  const Material* material = nullptr;                       // as the model has it
  Material effective;                                       // with what its pores leave
  VoidLaw voids;                                            // of elements with voids
  const Section *section = nullptr, *section_to = nullptr;  // the second one of a taper only
  SectionProperties properties;                             // of a member that is not tapered
  Sheet sheet;                                              // of an area
};

struct BodySystem {
  const Model* model = nullptr;
  const Body* body = nullptr;
  Mesh mesh;
  MotionBasis basis;
  LoadCases load_cases;
  std::vector<ConstraintRow> rows;  // of supports, links and releases, and of rotations that nothing turns
  Constraints constraints;          // the same, eliminated
  AffineEquation full;              // in q
  AffineEquation reduced;           // in z
  // Motions that neither strain the body nor meet a support, of the whole or of parts on hinges; M-orthonormal columns.
  MatrixX rigid;  // in z
  Matrix6X
      rigid_twist;  // the same as (velocity of the body's origin, angular velocity); no columns if parts move apart
  ModalDamping modal;
  std::vector<std::vector<VectorX>> prestress;             // [load term][element]: p for a unit factor
  std::vector<std::vector<LinkStiffness>> link_stiffness;  // [load term][link]: for a unit factor

  ElementData make_element_data(const ElementSpec& spec) const;
  // The same without looking for names; `parts` are those of the element's member or area, if it has one.
  void set_element_data(const ElementSpec& spec, const MemberParts* parts, ElementData& data) const;
  MemberParts find_parts(const Member& member) const;
  MemberParts find_parts(const Area& area) const;
  const Element& element_of(const ElementSpec& spec) const;
  const std::string& part_name(const ElementSpec& spec) const;  // of its member or area; else its kind
  const Section& section_of(const ElementSpec& spec) const;     // of its member; of a taper the first one
  FactorValues calc_factors(double t) const;
  // The same of a body in a spin, with another speed (rad/s) than that of its motion.
  FactorValues calc_factors_at_speed(double speed) const;
  void calc_factors(double t, FactorValues& out) const;  // in place, without allocation
  bool is_steady() const;                                // the factors never change
  // p of each element with the factors put in.
  std::vector<VectorX> calc_prestress(const FactorValues& at) const;
};

// Mesh and motion basis alone: enough to derive elements.
BodySystem make_parts(const Model& model, const Body& body);
BodySystem make_body_system(const Model& model, const Body& body);

// K z = f with K elastic, or K plus anything symmetric; a free body gets inertia relief: the rigid part of f is
// balanced by the rigid acceleration, and z is the deformation that remains (its rigid part set to zero somewhere).
class StaticSolver {
 public:
  // Throws NumericalError that names the dof if K is singular beyond the rigid motions.
  StaticSolver(const BodySystem& system, const SparseMatrix& K);
  VectorX solve(const VectorX& f) const;
  // The rigid acceleration that balances f, as coefficients of system.rigid; empty for a held body.
  VectorX calc_relief(const VectorX& f) const { return rigid_.transpose() * f; }
  // The same as accelerations of the body's dofs.
  VectorX calc_acceleration(const BodySystem& system, const VectorX& f) const {
    return system.constraints.T() * (rigid_ * calc_relief(f));
  }

 private:
  MatrixX rigid_, M_rigid_;
  std::vector<int> kept_;  // coordinates that are solved for
  CholeskySolver solver_;
};

}  // namespace elodyn
