#include "elodyn/model/section_stress.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace elodyn {
namespace {

// Keeps the largest of what is met at the places that are looked at.
class Extremes {
 public:
  void meet(double sigma, double tau) {
    shear_ = std::max(shear_, std::abs(tau));
    mises_ = std::max(mises_, std::hypot(sigma, std::numbers::sqrt3 * tau));
  }
  double shear() const { return shear_; }
  double mises() const { return mises_; }

 private:
  double shear_ = 0, mises_ = 0;
};

// M c/I; a moment of zero asks for nothing.
std::optional<double> bending_stress(double M, const std::optional<double>& extreme, double I) {
  if (M == 0) return 0;
  if (!extreme || !(I > 0)) return std::nullopt;
  return M * *extreme / I;
}

std::optional<double> torsion_stress(double Mx, const std::optional<double>& modulus) {
  if (Mx == 0) return 0;
  if (!modulus) return std::nullopt;
  return Mx / *modulus;
}

std::optional<double> transverse_stress(double T, const std::optional<double>& peak, double A) {
  if (T == 0) return 0;
  if (!peak) return std::nullopt;
  return *peak * T / A;
}

// Circle and tube: everything that bends or shears is a vector in the plane of the section.
SectionStress calc_round(const SectionProperties& p, const SectionResultants& f) {
  const double R = *p.extreme_y, axial = f.N / p.A, bending = std::hypot(f.My, f.Mz) * R / p.Iz;
  const double torsion = f.Mx / *p.torsion_modulus_y, transverse = *p.peak_y / p.A;
  Extremes found;
  const auto meet = [&](double angle) {
    const double c = std::cos(angle), s = std::sin(angle);
    found.meet(axial + (-f.Mz * c + f.My * s) * R / p.Iz, torsion + transverse * (f.Tz * c - f.Ty * s));
  };
  constexpr int kPlaces = 72;
  const double most_pulled = std::atan2(f.My, -f.Mz), most_sheared = std::atan2(-f.Ty, f.Tz);
  for (int k = 0; k < kPlaces; ++k) meet(most_pulled + 2 * std::numbers::pi * k / kPlaces);
  meet(most_sheared);
  meet(most_sheared + std::numbers::pi);
  return {axial + bending, axial - bending, found.shear(), found.mises()};
}

SectionStress calc_rectangle(const SectionProperties& p, const SectionResultants& f) {
  const double axial = f.N / p.A;
  const double by = -f.Mz * *p.extreme_y / p.Iz, bz = f.My * *p.extreme_z / p.Iy;  // at +extreme_y, +extreme_z
  const double shear_y = *p.peak_y * f.Ty / p.A, shear_z = *p.peak_z * f.Tz / p.A;
  const double twist_y = f.Mx / *p.torsion_modulus_y, twist_z = f.Mx / *p.torsion_modulus_z;
  const double bending = std::abs(by) + std::abs(bz);
  Extremes found;
  found.meet(axial + bending, 0);  // corners
  found.meet(axial - bending, 0);
  // A torque shears along +z on the side at +y, along −y on the side at +z.
  for (const double side : {1.0, -1.0}) {
    found.meet(axial + side * by, shear_z + side * twist_y);
    found.meet(axial + side * bz, shear_y - side * twist_z);
  }
  found.meet(axial, std::hypot(shear_y, shear_z));
  return {axial + bending, axial - bending, found.shear(), found.mises()};
}

SectionStress calc_general(const SectionProperties& p, const SectionResultants& f) {
  const double axial = f.N / p.A;
  const auto by = bending_stress(f.Mz, p.extreme_y, p.Iz), bz = bending_stress(f.My, p.extreme_z, p.Iy);
  const auto torsion = torsion_stress(f.Mx, p.torsion_modulus_y);
  const auto shear_y = transverse_stress(f.Ty, p.peak_y, p.A), shear_z = transverse_stress(f.Tz, p.peak_z, p.A);
  const double transverse = std::hypot(shear_y.value_or(0), shear_z.value_or(0));
  SectionStress stress;
  if (torsion && shear_y && shear_z) stress.largest_shear = std::abs(*torsion) + transverse;
  if (!by || !bz) return stress;
  const double bending = std::abs(*by) + std::abs(*bz);
  stress.largest_normal = axial + bending;
  stress.smallest_normal = axial - bending;
  if (torsion)
    stress.largest_mises =
        std::hypot(std::abs(axial) + bending, std::numbers::sqrt3 * (std::abs(*torsion) + transverse));
  return stress;
}

}  // namespace

SectionStress calc_stress(const SectionProperties& section, const SectionResultants& resultants) {
  switch (section.shape) {
    case Section::Shape::circle:
    case Section::Shape::tube:
      return calc_round(section, resultants);
    case Section::Shape::rectangle:
      return calc_rectangle(section, resultants);
    case Section::Shape::general:
    case Section::Shape::sheet:
      break;
  }
  return calc_general(section, resultants);
}

}  // namespace elodyn
