// What elements of flat surfaces share: shape functions and their gradients at the points of a rule, strains of the
// displacement in the plane, and the material's law in the axes of the plane.
//   e = (u,1  v,2  u,2 + v,1)                                                                          (1)
// Second-order strains, which work against the forces per length n11, n22, n12, of n displacements f (u, v[, w]):
//   ½ Σ f,1²,   ½ Σ f,2²,   Σ f,1 f,2                                                                   (2)
// Incompatible modes (quadrilateral of 4 nodes): (1 − ξ²), (1 − η²) of both displacements, with derivatives taken at
// the centre so that the patch test is passed [Taylor1976], and eliminated statically; they carry no mass.
#pragma once

#include <array>
#include <vector>

#include "elodyn/base/surface_shapes.hpp"
#include "elodyn/base/types.hpp"
#include "elodyn/element/element.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {

using Gradients = NodeGradients;  // ∂/∂x₁, ∂/∂x₂ of the nodes' shape functions
using PlanePlaces = Eigen::Matrix<double, 2, Eigen::Dynamic, 0, 2, 8>;  // places in the plane, columns

struct PlanePoint {
  Eigen::Vector2d xi;
  double weight = 0;  // area
  Eigen::Vector2d x;
  NodeValues N;
  Gradients dN;
};

// Throws NumericalError, which names the place `near`, if the element is turned inside out or has no area.
std::vector<PlanePoint> calc_plane_points(const SurfaceKind& kind, const std::vector<SurfacePoint>& rule,
                                          const PlanePlaces& nodes, const Vec3& near);

// B of (1) on nodes of `per_node` dofs, of which u and v are the first.
MatrixX plane_strain_rows(const Gradients& dN, Eigen::Index per_node = 2);
// The same at every point, with the incompatible modes α = −Kαα⁻¹Kαu u put in.
std::vector<MatrixX> incompatible_strain_rows(const std::vector<SurfacePoint>& rule,
                                              const std::vector<PlanePoint>& points, const PlanePlaces& nodes,
                                              const Mat3& law);

// Ψ of (2) on the gradients (u,1  u,2  v,1  v,2 …), for n11, n22, n12.
std::array<MatrixX, 3> make_second_order(int n_displacements);

// The law and a strain of a sheet in axes of the plane in which its axis 1 lies along the vector given.
Mat3 turned_law(const Mat3& law, const Eigen::Vector2d& along);
Vec3 turned_strain(const Vec3& strain, const Eigen::Vector2d& along);
Eigen::Matrix2d turned_shear_law(const Eigen::Matrix2d& law, const Eigen::Vector2d& along);

// The part of the area that goes with each node: ∫N dA, or of elements with middles ∫N² dA, scaled to the whole.
VectorX calc_node_areas(const SurfaceKind& kind, const std::vector<PlanePoint>& points);
// Moves the mass of the stations, equally dense in all of them, to new ones at the nodes, which carry the loads as
// well. The first `n_moving` of each node's dofs are displacements; rotations follow if there are six, or φ.
void concentrate_mass(const std::vector<Vec3>& nodes, const VectorX& areas, int n_moving, Stations& stations);

// Values at the nodes from those at the points of a rule, by least squares: constant, linear and bilinear stress are
// what these elements have in common with the exact one. Nodes × points.
MatrixX calc_extrapolation(const SurfaceKind& kind, bool is_constant, const std::vector<SurfacePoint>& rule);

}  // namespace elodyn
