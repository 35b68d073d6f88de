#include "elodyn/model/section.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace elodyn {
namespace {

using std::numbers::pi;

// Torsion of the solid rectangle with sides a ≥ b [TimoshenkoGoodier1970], sums over k = 1, 3, 5, …, x = kπa/2b:
//   J        = (ab³/3)(1 − (192/π⁵)(b/a) Σ tanh(x)/k⁵)
//   τ_long/Gθ  = b (1 − (8/π²) Σ 1/(k² cosh x))                 middle of a long side: the largest
//   τ_short/Gθ = b (8/π²) Σ (−1)^((k−1)/2) tanh(x)/k²           middle of a short side
// With Mx = GθJ the moduli are J over these. tanh is 1 less a part that decays like exp(−kπ): what remains of the sums
// is known, Σ 1/k⁵ = (31/32) ζ(5) and Σ (−1)^((k−1)/2)/k² = Catalan's constant, and ten terms give all digits.
struct RectangleTorsion {
  double J = 0, W_long = 0, W_short = 0;
};

RectangleTorsion calc_rectangle_torsion(double a, double b) {
  double fifth = 1.00452376279513961613, second = 0.91596559417721901505, inverse_cosh = 0;
  for (int k = 19; k >= 1; k -= 2) {
    const double x = k * pi * a / (2 * b), k2 = k * k;
    const double lack = 2 / (std::exp(2 * x) + 1);  // 1 − tanh x
    fifth -= lack / (k2 * k2 * k);
    second -= (k % 4 == 1 ? lack : -lack) / k2;
    inverse_cosh += 1 / (k2 * std::cosh(x));
  }
  RectangleTorsion t;
  t.J = a * b * b * b / 3 * (1 - 192 / std::pow(pi, 5) * (b / a) * fifth);
  t.W_long = t.J / (b * (1 - 8 / (pi * pi) * inverse_cosh));
  t.W_short = t.J / (b * 8 / (pi * pi) * second);
  return t;
}

void set_round(double d, double di, double poisson, SectionProperties& p) {
  p.A = pi / 4 * (d - di) * (d + di);
  p.Iy = p.Iz = pi / 64 * (d - di) * (d + di) * (d * d + di * di);
  p.J = p.Iy + p.Iz;
  p.extreme_y = p.extreme_z = d / 2;
  p.torsion_modulus_y = p.torsion_modulus_z = p.J / (d / 2);
  const double m = di / d, m2 = m * m, square = (1 + m2) * (1 + m2);
  p.shear_y = p.shear_z = 6 * (1 + poisson) * square / ((7 + 6 * poisson) * square + (20 + 12 * poisson) * m2);
  // T Q/(I b) on the diameter across T, Q of the half section: 4/3 for the full circle, 2 for a thin wall
  p.peak_y = p.peak_z = 4.0 / 3 * (1 + m + m2) / (1 + m2);
}

void set_rectangle(double width, double height, double poisson, SectionProperties& p) {
  p.A = width * height;
  p.Iy = width * std::pow(height, 3) / 12;
  p.Iz = height * std::pow(width, 3) / 12;
  p.extreme_y = width / 2;
  p.extreme_z = height / 2;
  const RectangleTorsion t = calc_rectangle_torsion(std::max(width, height), std::min(width, height));
  p.J = t.J;
  // (±width/2, 0) are the middles of the sides along z.
  const bool z_is_long = height >= width;
  p.torsion_modulus_y = z_is_long ? t.W_long : t.W_short;
  p.torsion_modulus_z = z_is_long ? t.W_short : t.W_long;
  p.shear_y = p.shear_z = 10 * (1 + poisson) / (12 + 11 * poisson);
  p.peak_y = p.peak_z = 1.5;
}

void set_general(const Section& s, SectionProperties& p) {
  p.A = s.area;
  p.Iy = s.Iy;
  p.Iz = s.Iz;
  p.J = s.J;
  p.extreme_y = s.extreme_y;
  p.extreme_z = s.extreme_z;
  p.torsion_modulus_y = p.torsion_modulus_z = s.torsion_modulus;
  // The mean over the effective area k A.
  if (s.shear_y) p.peak_y = 1 / *s.shear_y;
  if (s.shear_z) p.peak_z = 1 / *s.shear_z;
}

Outline make_circle(double diameter) {
  constexpr int kCorners = 24;
  Outline out;
  for (int k = 0; k < kCorners; ++k) {
    const double angle = 2 * pi * k / kCorners;
    out.emplace_back(diameter / 2 * std::cos(angle), diameter / 2 * std::sin(angle));
  }
  return out;
}

Outline make_rectangle(double half_y, double half_z) {
  return {{half_y, half_z}, {-half_y, half_z}, {-half_y, -half_z}, {half_y, -half_z}};
}

}  // namespace

SectionProperties calc_properties(const Section& s, double poisson) {
  SectionProperties p;
  p.shape = s.shape;
  switch (s.shape) {
    case Section::Shape::circle:
      set_round(s.diameter, 0, poisson, p);
      break;
    case Section::Shape::tube:
      set_round(s.diameter, s.inner_diameter, poisson, p);
      break;
    case Section::Shape::rectangle:
      set_rectangle(s.width, s.height, poisson, p);
      break;
    case Section::Shape::general:
      set_general(s, p);
      break;
    case Section::Shape::sheet:  // of no beam
      break;
  }
  p.shear_y = s.shear_y.value_or(p.shear_y);
  p.shear_z = s.shear_z.value_or(p.shear_z);
  return p;
}

Section interpolate(const Section& a, const Section& b, double s) {
  Section out = a;
  const auto mix = [s](double x, double y) { return (1 - s) * x + s * y; };
  for (double Section::*d : {&Section::diameter, &Section::inner_diameter, &Section::width, &Section::height,
                             &Section::area, &Section::Iy, &Section::Iz, &Section::J})
    out.*d = mix(a.*d, b.*d);
  for (std::optional<double> Section::*d :
       {&Section::extreme_y, &Section::extreme_z, &Section::torsion_modulus, &Section::shear_y, &Section::shear_z})
    out.*d = a.*d && b.*d ? std::optional(mix(*(a.*d), *(b.*d))) : std::nullopt;
  return out;
}

Outline make_outline(const Section& s) {
  switch (s.shape) {
    case Section::Shape::circle:
    case Section::Shape::tube:
      return make_circle(s.diameter);
    case Section::Shape::rectangle:
      return make_rectangle(s.width / 2, s.height / 2);
    case Section::Shape::general:
    case Section::Shape::sheet:
      break;
  }
  const double half_y = s.extreme_y.value_or(std::sqrt(3 * s.Iz / s.area));
  const double from_Iy = s.Iy > 0 ? std::sqrt(3 * s.Iy / s.area) : s.area / (4 * half_y);
  return make_rectangle(half_y, s.extreme_z.value_or(from_Iy));
}

Outline make_inner_outline(const Section& s) {
  return s.shape == Section::Shape::tube ? make_circle(s.inner_diameter) : Outline{};
}

}  // namespace elodyn
