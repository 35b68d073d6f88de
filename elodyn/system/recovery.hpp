// From q back to what engineers read: strain energy by kind, section forces, reactions, shapes between nodes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "elodyn/model/section_stress.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

// True if A maps the columns of V to zero, to within the rounding of the products.
bool is_null(const SparseMatrix& A, const MatrixX& V);

// Share of an elastic energy qᵀKq that round-off in K may be: ε·|q|ᵀ|K||q| / qᵀKq, about n⁴ε for a smooth deflection of
// n elements. A frequency has half of it, a displacement all.
double estimate_round_off(const BodySystem& system, const Eigen::VectorXcd& q);
// Of each column of Q: whether it has more elastic energy than round-off would leave; parts that swing on hinges have
// none.
std::vector<bool> find_strained(const BodySystem& system, const Eigen::MatrixXcd& Q);

// Elastic energies ½ q̄ᵀKq of the columns q by strain name, J for q in SI; names in order of first use. In space bending
// is "lag" in the plane of rotation and "flap" out of it; without a spin along section y and z; "bending" for a beam
// along its axis of spin, where neither means anything.
using StrainEnergy = std::vector<std::pair<std::string, double>>;
std::vector<StrainEnergy> calc_strain_energies(const BodySystem& system, const Eigen::MatrixXcd& Q);

// Section forces of every element that has them at `per_element` equally spaced places, ends included.
struct ElementForces {
  int element = 0;
  std::vector<SectionForces> forces;
  std::vector<SectionProperties> sections;  // at the same places
};
SectionStress calc_stress(const SectionProperties& section, const SectionForces& forces);
// `rigid_acceleration`: of the dofs, balances the loads of a free body (zero otherwise).
std::vector<ElementForces> calc_section_forces(const BodySystem& system, const FactorValues& at, const VectorX& q,
                                               const VectorX& rigid_acceleration, int per_element);

// What each support does to the body; body axes.
struct Reaction {
  std::string point, kind;  // kind: clamp, pin, roller, spring
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();
};
// From the forces r on the dofs of some of its nodes; of a side their sum, and the moment about its middle.
Reaction make_reaction(const Mesh& mesh, const Support& support, const std::vector<int>& nodes, const VectorX& r);
// Of the supports alone, from the residual of the equation in q: what is missing for balance.
std::vector<Reaction> calc_support_reactions(const BodySystem& system, const VectorX& residual);
std::vector<Reaction> calc_reactions(const BodySystem& system, const FactorValues& at, const VectorX& q,
                                     const VectorX& rigid_acceleration);

// What a spring between two points does to the second one; on the first it acts the other way.
struct SpringForce {
  std::string at, to;
  Vec3 force = Vec3::Zero(), moment = Vec3::Zero();  // of the components, body axes
  double axial = 0;                                  // of the axial spring, tension positive
};
std::vector<SpringForce> calc_spring_forces(const BodySystem& system, const VectorX& q);

// Points along the members for drawing, then the corners of the sections swept along them, and the displacement there
// as a linear map of q: u + θ × s.
struct DrawingGrid {
  struct Place {
    int element = 0;                              // −1: a node of a link or an area
    int piece = 0;                                // of kPieces + 1 equally spaced places of the element
    Eigen::Vector2d s = Eigen::Vector2d::Zero();  // section y, z; zero on the axis
    int node = -1;                                // of a place without an element
  };
  static constexpr int kPieces = 4;  // of an element: enough for a quintic to look smooth
  Matrix3X points;
  std::vector<Place> places;            // of the points
  std::vector<std::vector<int>> lines;  // one for each member, then one for each rigid link
  // Of areas, top, bottom and rim of their thickness, then of the swept surface of members; of a body with more than
  // 5000 elements the middle of areas only.
  std::vector<std::vector<int>> faces;
  int n_axis_points = 0;         // those of the lines and areas, which come first
  int n_element_faces = 0;       // faces of areas
  std::array<Matrix3X, 3> axes;  // x, y, z of the member at each point
  SparseMatrix displacement;     // 3·points × dofs
  SparseMatrix phi;              // points × dofs: φ of a material with voids; no entries without
};
// straight: of each member its ends only, enough for a body that is not deformed.
enum class DrawingDetail { smooth, straight };
DrawingGrid make_drawing_grid(const BodySystem& system, DrawingDetail detail = DrawingDetail::smooth);

}  // namespace elodyn
