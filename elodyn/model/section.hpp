// Cross-section of a beam, or the thickness of a sheet. Its y and z are principal centroidal axes; x is the beam's
// axis.
//   A = ∫dA,  Iy = ∫z²dA,  Iz = ∫y²dA,  J: Saint-Venant torsion constant
//   k: shear factors of the shear stiffness k G A, one for forces along y and one along z
//   W: torsion moduli, shear stress of a torque = Mx/W
// Planar bending uses Iz. A rectangle has `width` along y and `height` along z.
//
// Left out, k is that of [Cowper1966], which depends on Poisson's ratio ν:
//   circle     6(1+ν) / (7+6ν)
//   tube       6(1+ν)(1+m²)² / ((7+6ν)(1+m²)² + (20+12ν)m²),   m = inner / outer diameter
//   rectangle  10(1+ν) / (12+11ν)
// J and W of the rectangle are Saint-Venant's series [TimoshenkoGoodier1970]. A general section has what is given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "elodyn/base/error.hpp"
#include "elodyn/base/types.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

struct Section {
  enum class Shape { circle, tube, rectangle, general, sheet };
  std::string name;
  Mark mark;
  Shape shape = Shape::circle;
  double diameter = 0;        // circle, tube (outer), m
  double inner_diameter = 0;  // tube, m
  double width = 0;           // rectangle, along y, m
  double height = 0;          // rectangle, along z, m
  double thickness = 0;       // sheet, m: of an area, not of a beam
  // general
  double area = 0;                        // m²
  double Iy = 0, Iz = 0, J = 0;           // m⁴
  std::optional<double> extreme_y;        // largest |y| of the section, m: needed for bending stress
  std::optional<double> extreme_z;        // largest |z|
  std::optional<double> torsion_modulus;  // m³: needed for the shear stress of a torque
  // every shape
  std::optional<double> shear_y, shear_z;  // shear factors; absent: Cowper's, none for a general section
  bool from_mesh = false;                  // found in a mesh file
  Marks marks;
};

// Cowper's k stays below 1 for ν ≤ 0.5; some theories go somewhat beyond.
inline constexpr double kLargestShearFactor = 1.5;

struct SectionProperties {
  double A = 0, Iy = 0, Iz = 0, J = 0;
  std::optional<double> extreme_y, extreme_z;  // absent: bending stress is not computed
  double shear_y = 0, shear_z = 0;             // shear factors k of k G A, for forces along y and z; 0: not given
  // What stresses need; absent: not known.
  Section::Shape shape = Section::Shape::general;
  std::optional<double> torsion_modulus_y = {};    // Mx over its shear stress at (±extreme_y, 0), m³
  std::optional<double> torsion_modulus_z = {};    // the same at (0, ±extreme_z)
  std::optional<double> peak_y = {}, peak_z = {};  // largest shear stress of a force along y and z over T/A
};

// Shear factors depend on Poisson's ratio.
SectionProperties calc_properties(const Section& section, double poisson = 0);

// The section at s ∈ [0, 1] between two of one shape, dimensions linear in s. What may be left out is there if both
// have it.
Section interpolate(const Section& a, const Section& b, double s);

// Closed polygon of (y, z), counter-clockwise seen from +x, the first corner not repeated: 24 corners on a circle, 4 of
// a rectangle. A general section is drawn as the rectangle |y| ≤ extreme_y, |z| ≤ extreme_z; without these, with the
// half sides √(3Iz/A) and √(3Iy/A), and without Iy of the same area.
using Outline = std::vector<Eigen::Vector2d>;
Outline make_outline(const Section& section);
// The hole of a tube, in the same sense and with as many corners; empty for the other shapes.
Outline make_inner_outline(const Section& section);

}  // namespace elodyn
