// How plates bend, in the axes 1, 2 of their plane. At each node the deflection w along axis 3 and the turns θ₁, θ₂ of
// the normal about axes 1 and 2, so that a point at height z moves by (z θ₂, −z θ₁, w).
//   κ = (θ₂,₁   −θ₁,₂   θ₂,₂ − θ₁,₁)         strain at height z: z κ                                          (1)
//   γ = (w,₁ + θ₂   w,₂ − θ₁)                shear across the plate; zero where the normal stays normal      (2)
//
//   acm        rectangle, w of 12 terms: cubic, x³y and xy³ along its sides; θ = (w,₂ −w,₁). Slopes across the sides
//              jump between elements [Melosh1963].
//   merged     right triangle, w of 9 terms: cubic with x²y + xy² as one, x and y along its legs a and b. Its
//              coefficients cannot be found for a = b: their determinant goes with a⁵b⁵(a − b). A published element,
//              kept for comparison; it depends on how it is turned and comes close to the right deflections only
//              slowly.
//   dkt        triangle, θ quadratic and normal along the sides [Batoz1980]; w, which only inertia, loads and the pull
//              in the plane see, is cubic [Bazeley1965].
//   mitc4      quadrilateral, w and θ bilinear, γ tied to its values in the middles of the sides [BatheDvorkin1985].
#pragma once

#include <vector>

#include "elodyn/element/plane_points.hpp"

namespace elodyn {

// Rows on (w, θ₁, θ₂) of the nodes.
struct BendingPoint {
  Eigen::RowVectorXd w;
  Eigen::Matrix<double, 2, Eigen::Dynamic> slope;  // w,₁ w,₂
  Eigen::Matrix<double, 2, Eigen::Dynamic> turn;   // θ₁, θ₂
  Matrix3X curvature;                              // (1)
  Eigen::Matrix<double, 2, Eigen::Dynamic> shear;  // (2); no columns if there is none
};

// At the points; the weights of `points` are not used.
using Bending = std::vector<BendingPoint> (*)(const PlanePlaces& nodes, const std::vector<PlanePoint>& points);

std::vector<BendingPoint> bend_acm(const PlanePlaces& nodes, const std::vector<PlanePoint>& points);
// Throws NumericalError if no corner has a right angle or if the legs are equal.
std::vector<BendingPoint> bend_merged(const PlanePlaces& nodes, const std::vector<PlanePoint>& points);
std::vector<BendingPoint> bend_dkt(const PlanePlaces& nodes, const std::vector<PlanePoint>& points);
std::vector<BendingPoint> bend_mitc4(const PlanePlaces& nodes, const std::vector<PlanePoint>& points);

}  // namespace elodyn
