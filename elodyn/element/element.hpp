// Waist 1: an element says where its material is, how it strains and how dense it is; never how it moves.
//
// At a station (a quadrature point) the material is a section: points s around a reference point, carried by
//   r(s) = x + u + Λ s,   u = N q,   Λ = exp(θ̂),   θ = Nθ q          placement, body axes          (1)
//   (Nθ is how the section's mass turns; Rθ, on which couples work, how the section turns)
//   e = B q                                                          generalized strain            (2)
//   η_j = ½ (L q)ᵀ Ψ_j (L q)                                         second-order strain that works
//                                                                    against prestress p_j         (3)
//   φ = Nφ q                                                         scalar field with inertia, if the material
//                                                                    has one                       (4)
// with the densities ρA (`mass`), Σ = ∫ρ s sᵀ dA (`sigma`), that of φ (½ phi_mass φ̇² of kinetic energy; a scalar does
// not feel the frame move), the stiffness C of e and its viscosity.
// A formalism differentiates (1)–(4) in its own way and never knows which element it has.
//
// Element objects are stateless: what one element is made of stands in ElementData, what is computed in Stations,
// which is reused from element to element without allocating.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/model/model.hpp"
#include "elodyn/model/void_law.hpp"

namespace elodyn {

// What a piece of a surface is made of.
struct Sheet {
  double thickness = 0;     // m
  Mat3 law = Mat3::Zero();  // of (ε₁₁, ε₂₂, γ₁₂), along axis_1 and across it, Pa
  Eigen::Matrix2d shear_law = Eigen::Matrix2d::Zero();  // of (γ₁₃, γ₂₃), without a shear factor, Pa
  Vec3 axis_1 = Vec3::UnitX();                          // body axes; its part in the element's plane counts
  Vec3 free_strain = {1, 1, 0};                         // of a unit of thermal strain; same axes as the law
  bool incompatible = false;                            // modes inside quadrilaterals that let them bend
  bool lumped = false;                                  // mass and loads at the nodes
  VoidLaw voids;                                        // of a material with voids; its axes do not matter
};

// What one element is made of. Fields that a kind does not use stay empty.
struct ElementData {
  std::vector<Vec3> nodes;  // undeformed, body axes, m
  int dimension = 2;
  int degree = 3;
  int axial_degree = 1;
  bool rotary = true;                // inertia of the turning section, for elements that have it
  Vec3 orientation = Vec3::UnitZ();  // in the beam's xz plane
  double young = 0, shear = 0, density = 0, expansion = 0;
  SectionProperties section;  // of a tapered element in its middle
  struct Taper {
    Section from, to;
    double poisson = 0;
  };
  std::optional<Taper> taper;
  Sheet sheet;              // of elements of surfaces
  VoidLaw voids;            // of a bar with voids
  bool sides_held = false;  // of the same: uniaxial strain
  // +1 or −1 for each end and section axis y, z: how the element counts v'' and w'' against the shared dof.
  std::array<std::array<double, 2>, 2> curvature_sign = {{{1, 1}, {1, 1}}};
  const LumpedMass* mass = nullptr;
  const Spring* spring = nullptr;

  SectionProperties section_at(double xi) const {
    return taper ? calc_properties(interpolate(taper->from, taper->to, xi), taper->poisson) : section;
  }
};

// What a member carries; constant along it, body axes.
struct MemberLoad {
  Vec3 force = Vec3::Zero();    // per length, N/m
  Vec3 couple = Vec3::Zero();   // per length, N
  Vec3 thermal = Vec3::Zero();  // temperature on the axis (K), its gradients along section y and z (K/m)

  Eigen::Matrix<double, 9, 1> stacked() const {
    return (Eigen::Matrix<double, 9, 1>() << force, couple, thermal).finished();
  }
  bool is_zero() const { return force.isZero(0) && couple.isZero(0) && thermal.isZero(0); }
  MemberLoad& add(const MemberLoad& other, double factor = 1) {
    force += factor * other.force;
    couple += factor * other.couple;
    thermal += factor * other.thermal;
    return *this;
  }
};

// S: double, or a scalar that counts operations or holds symbols.
template <class S>
struct BasicStation {
  S weight{0};                          // of the quadrature; m for a line, 1 for a point element
  Vec3Of<S> x = Vec3Of<S>::Zero();      // undeformed place, body axes
  S mass{0};                            // ρA, kg/m (kg for a point element)
  Mat3Of<S> sigma = Mat3Of<S>::Zero();  // Σ, kg m (kg m²); zero: no rotary inertia
  Matrix3Of<S> N, N_theta;              // 3 × n
  Matrix3Of<S> R_theta;                 // 3 × n
  MatrixOf<S> B;                        // strains × n
  MatrixOf<S> stiffness;                // C, strains × strains
  MatrixOf<S> viscosity;                // strains × strains, or 0 × 0
  MatrixOf<S> thermal;                  // strains × 3: free strain of a unit of MemberLoad::thermal, or 0 × 0
  // Dashpots to the ground, which does not turn with the frame, feel ė + Σ ωₖ Tₖ q; empty: strain rates only.
  std::vector<MatrixOf<S>> transport;  // T, one for each body axis
  MatrixOf<S> L;                       // gradient rows × n
  std::vector<MatrixOf<S>> Psi;        // one symmetric matrix for each prestress shape; 0 × 0 where it is zero
  MatrixOf<S> N_phi;                   // 1 × n, or 0 × 0: the material has no such field
  S phi_mass{0};                       // of φ: ρκ times area or thickness, kg m
};
template <class S>
using BasicStations = std::vector<BasicStation<S>>;
using Station = BasicStation<double>;
using Stations = BasicStations<double>;

class Batch;             // base/batch.hpp
struct SymbolicElement;  // element/symbolic_element.hpp

// A static state of an element from which prestress and section forces are found.
struct ElementState {
  VectorX q;              // element dofs
  VectorX end_forces;     // K q + loads: what the rest of the body does to this element's dofs
  Vec3 a = Vec3::Zero();  // inertia per mass at place x + u:  a + Bx x + Bu u  (body axes)
  Mat3 Bx = Mat3::Zero(), Bu = Mat3::Zero();
  MemberLoad load;
  bool own_load_only = false;  // pretend that nothing beyond the element pulls: a published mistake
  VectorX prestress;           // p_j, for the lever arm of the pull; may be empty
};

// Stress resultants at one place of a beam, on the face with normal +x; local axes.
struct SectionForces {
  double s = 0;                // arc length from the first node, m
  Vec3 force = Vec3::Zero();   // N (tension positive), Ty, Tz
  Vec3 moment = Vec3::Zero();  // torque Mx, My = −E Iy w'', Mz = E Iz v''
  double across = 0;           // normal stress across a bar whose sides are held, Pa
};

// Stresses of a sheet (σ₁₁, σ₂₂, σ₁₂), Pa, in axes of its plane: 1 is the part of body x in it (of body y, where x is
// nearly across it), 3 the normal. In the xy plane they are x and y.
struct SheetStress {
  Matrix3X at_points;          // of the rule that is best for stress, in columns; of the middle surface
  Matrix3X bending_at_points;  // added on the face at +3, taken off at −3; no columns: the sheet does not bend
  VectorX weights;             // area × thickness of each point, m³
  MatrixX shapes;              // value of each node's shape function there: points × nodes
  Matrix3X at_nodes, bending_at_nodes;  // extrapolated from the points
  Mat3 compliance = Mat3::Zero();       // inverse of the law, in the same axes
};

class Element {
 public:
  virtual ~Element() = default;
  virtual std::string_view name() const = 0;
  virtual std::string_view summary() const = 0;
  virtual int n_nodes() const = 0;
  virtual bool makes_members() const { return true; }  // false: stands at single points of a body
  virtual int n_dofs(const ElementData& data) const = 0;
  // Names of the rows of e, used as labels of a mode's strain energy: "axial", "torsion", "bending" in the plane, "lag"
  // along section y, "flap" along section z, "voids", "spring", "support" (tied to the frame or the ground).
  virtual std::vector<std::string_view> strain_names(const ElementData& data) const = 0;
  virtual void calc_stations(const ElementData& data, Stations& stations) const = 0;
  // The same for Batch::kLanes elements at once. False if their stations are not of the same number and sizes; then
  // they are computed one by one. An element that says nothing of batches gets one from calc_stations().
  virtual bool calc_batch_stations(const std::vector<ElementData>& lanes, BasicStations<Batch>& stations) const;
  // The same in the element's own axes with lengths, moduli and sections as symbols; null if it has no such form.
  virtual std::unique_ptr<SymbolicElement> make_symbolic(const ElementData& data) const;
  // p_j from a static state; sized to the number of prestress shapes (none: empty).
  virtual void calc_prestress(const ElementData& data, const ElementState& state, VectorX& p) const = 0;
  // N and Rθ at the natural coordinate xi in [0, 1], for shapes between the nodes of a line; not of surfaces.
  virtual void calc_placement(const ElementData& data, double xi, Matrix3X& N, Matrix3X& R_theta) const;
  // The row of φ on the element's dofs there; empty for elements that have no such field.
  virtual VectorX calc_phi(const ElementData& data, double xi) const;
  // Section forces at the natural coordinates; empty for elements that have none.
  virtual std::vector<SectionForces> calc_section_forces(const ElementData& data, const ElementState& state,
                                                         const std::vector<double>& xis) const;
  // Stresses of a sheet; nothing for elements that are none.
  virtual SheetStress calc_sheet_stress(const ElementData& data, const ElementState& state) const;
};

}  // namespace elodyn
