// Waist 1: an element says where its material is, how it strains and how dense it is; never how it moves.
//
// At a station (a quadrature point) the material is a section: points s around a reference point, carried by
//   r(s) = x + u + Λ s,   u = N q,   Λ = exp(θ̂),   θ = Nθ q          placement, body axes          (1)
//   e = B q                                                          generalized strain            (2)
//   η_j = ½ (L q)ᵀ Ψ_j (L q)                                         second-order strain that works
//                                                                    against prestress p_j         (3)
// with the densities ρA (`mass`), Σ = ∫ρ s sᵀ dA (`sigma`), the stiffness C of e and its viscosity.
// A formalism differentiates (1)–(3) in its own way and never knows which element it has.
//
// Element objects are stateless: what one element is made of stands in ElementData, what is computed in Stations,
// which is reused from element to element without allocating.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/model/model.hpp"

namespace elodyn {

// What one element is made of. Fields that a kind does not use stay empty.
struct ElementData {
  std::vector<Vec3> nodes;  // undeformed, body axes, m
  int degree = 3;
  int axial_degree = 1;
  bool rotary = true;  // inertia of the turning section, for elements that have it
  double young = 0, density = 0;
  SectionProperties section;
  std::array<double, 2> kz_sign = {1, 1};
  const LumpedMass* mass = nullptr;
  const Spring* spring = nullptr;
};

struct Station {
  double weight = 0;          // of the quadrature; m for a line, 1 for a point element
  Vec3 x = Vec3::Zero();      // undeformed place, body axes
  double mass = 0;            // ρA, kg/m (kg for a point element)
  Mat3 sigma = Mat3::Zero();  // Σ, kg m (kg m²); zero: no rotary inertia
  Matrix3X N, N_theta;        // 3 × n
  MatrixX B;                  // strains × n
  MatrixX stiffness;          // C, strains × strains
  MatrixX viscosity;          // strains × strains, or 0 × 0
  MatrixX L;                  // gradient rows × n
  std::vector<MatrixX> Psi;   // one symmetric matrix for each prestress shape
};
using Stations = std::vector<Station>;

// A static state of an element from which prestress and section forces are found.
struct ElementState {
  VectorX q;              // element dofs
  VectorX end_forces;     // K q + loads: what the rest of the body does to this element's dofs
  Vec3 a = Vec3::Zero();  // inertia per mass at place x + u:  a + Bx x + Bu u  (body axes)
  Mat3 Bx = Mat3::Zero(), Bu = Mat3::Zero();
  Vec3 e = Vec3::Zero();          // angular acceleration, for the section's inertia couple
  Vec3 line_load = Vec3::Zero();  // applied force per length, N/m
  bool own_load_only = false;     // pretend that nothing beyond the element pulls: a published mistake
  VectorX prestress;              // p_j, for the lever arm of the pull; may be empty
};

// Stress resultants at one place of a beam. Forces are those on the face with normal +x (local axes).
struct SectionForces {
  double s = 0;  // arc length from the first node, m
  double N = 0;  // axial, tension positive, N
  double T = 0;  // shear along section y, N:  T = −dM/ds without distributed couples
  double M = 0;  // bending moment about z, N m:  M = E Iz v''
};

class Element {
 public:
  virtual ~Element() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual int n_nodes() const = 0;
  virtual int n_dofs(const ElementData& data) const = 0;
  // Names of the rows of e, used as labels of a mode's strain energy: "axial", "bending", "support".
  virtual std::vector<std::string_view> strain_names() const = 0;
  virtual void calc_stations(const ElementData& data, Stations& stations) const = 0;
  // p_j from a static state; sized to the number of prestress shapes (none: empty).
  virtual void calc_prestress(const ElementData& data, const ElementState& state, VectorX& p) const = 0;
  // N at the natural coordinate xi in [0, 1], for shapes between nodes.
  virtual void calc_placement(const ElementData& data, double xi, Matrix3X& N) const = 0;
  // Section forces at the natural coordinates; empty for elements that have none.
  virtual std::vector<SectionForces> calc_section_forces(const ElementData& data, const ElementState& state,
                                                         const std::vector<double>& xis) const = 0;
};

}  // namespace elodyn
