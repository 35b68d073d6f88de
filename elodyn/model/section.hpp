// Cross-section of a beam. Its y and z are principal centroidal axes; x is the beam's axis.
//   A = ∫dA,  Iy = ∫z²dA,  Iz = ∫y²dA,  J: Saint-Venant torsion constant
// Planar bending uses Iz. A rectangle has `width` along y and `height` along z.
#pragma once

#include <optional>
#include <string>

#include "elodyn/base/error.hpp"
#include "elodyn/model/marks.hpp"

namespace elodyn {

struct Section {
  enum class Shape { circle, tube, rectangle, general };
  std::string name;
  Mark mark;
  Shape shape = Shape::circle;
  double diameter = 0;        // circle, tube (outer), m
  double inner_diameter = 0;  // tube, m
  double width = 0;           // rectangle, along y, m
  double height = 0;          // rectangle, along z, m
  // general
  double area = 0;                  // m²
  double Iy = 0, Iz = 0, J = 0;     // m⁴
  std::optional<double> extreme_y;  // largest |y| of the section, m: needed for bending stress
  std::optional<double> extreme_z;
  Marks marks;
};

struct SectionProperties {
  double A = 0, Iy = 0, Iz = 0, J = 0;
  std::optional<double> extreme_y, extreme_z;  // absent: bending stress is not computed
  double shear_y = 1, shear_z = 1;             // shear factors k of k G A, for forces along y and z
};

// Shear factors depend on Poisson's ratio.
SectionProperties calc_properties(const Section& section, double poisson = 0);

// The section at s ∈ [0, 1] between two of one shape, dimensions linear in s.
Section interpolate(const Section& a, const Section& b, double s);

}  // namespace elodyn
