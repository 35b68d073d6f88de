#include "elodyn/model/section.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace elodyn {
namespace {

// J of the solid rectangle a ≥ b: (ab³/3)(1 − (192/π⁵)(b/a) Σ_{k odd} tanh(kπa/2b)/k⁵).   [TimoshenkoGoodier]
double rectangle_torsion(double side1, double side2) {
  const double a = std::max(side1, side2), b = std::min(side1, side2);
  double sum = 0;
  for (int k = 19; k >= 1; k -= 2) sum += std::tanh(k * std::numbers::pi * a / (2 * b)) / std::pow(k, 5);
  return a * b * b * b / 3 * (1 - 192 / std::pow(std::numbers::pi, 5) * (b / a) * sum);
}

}  // namespace

SectionProperties calc_properties(const Section& s, double) {
  using std::numbers::pi;
  SectionProperties p;
  switch (s.shape) {
    case Section::Shape::circle:
    case Section::Shape::tube: {
      const double d = s.diameter, di = s.shape == Section::Shape::tube ? s.inner_diameter : 0;
      p.A = pi / 4 * (d - di) * (d + di);
      p.Iy = p.Iz = pi / 64 * (d - di) * (d + di) * (d * d + di * di);
      p.J = p.Iy + p.Iz;
      p.extreme_y = p.extreme_z = d / 2;
      break;
    }
    case Section::Shape::rectangle:
      p.A = s.width * s.height;
      p.Iy = s.width * std::pow(s.height, 3) / 12;
      p.Iz = s.height * std::pow(s.width, 3) / 12;
      p.J = rectangle_torsion(s.width, s.height);
      p.extreme_y = s.width / 2;
      p.extreme_z = s.height / 2;
      break;
    case Section::Shape::general:
      p.A = s.area;
      p.Iy = s.Iy;
      p.Iz = s.Iz;
      p.J = s.J;
      p.extreme_y = s.extreme_y;
      p.extreme_z = s.extreme_z;
      break;
  }
  return p;
}

Section interpolate(const Section& a, const Section& b, double s) {
  Section out = a;
  const auto mix = [s](double x, double y) { return (1 - s) * x + s * y; };
  for (double Section::*d : {&Section::diameter, &Section::inner_diameter, &Section::width, &Section::height,
                             &Section::area, &Section::Iy, &Section::Iz, &Section::J})
    out.*d = mix(a.*d, b.*d);
  for (std::optional<double> Section::*d : {&Section::extreme_y, &Section::extreme_z})
    out.*d = a.*d && b.*d ? std::optional(mix(*(a.*d), *(b.*d))) : std::nullopt;
  return out;
}

}  // namespace elodyn
