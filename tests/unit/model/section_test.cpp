// Properties against closed forms and published tables, the torsion of the rectangle also against the series that runs
// the other way.
#include "elodyn/model/section.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

using std::numbers::pi;

Section circle(double d) {
  Section s;
  s.shape = Section::Shape::circle;
  s.diameter = d;
  return s;
}

Section tube(double d, double di) {
  Section s = circle(d);
  s.shape = Section::Shape::tube;
  s.inner_diameter = di;
  return s;
}

Section rectangle(double width, double height) {
  Section s;
  s.shape = Section::Shape::rectangle;
  s.width = width;
  s.height = height;
  return s;
}

Section general() {
  Section s;
  s.shape = Section::Shape::general;
  s.area = 12;
  s.Iz = 16;
  s.Iy = 9;
  s.J = 5;
  return s;
}

double area_of(const Outline& outline) {
  double twice = 0;
  for (size_t k = 0; k < outline.size(); ++k) {
    const Eigen::Vector2d &a = outline[k], &b = outline[(k + 1) % outline.size()];
    twice += a.x() * b.y() - b.x() * a.y();
  }
  return twice / 2;
}

// A few roundings of values of order one.
constexpr double kRounding = 1e-14;

TEST(Section, CowperShearFactors) {
  const double nu = 0.3;
  EXPECT_NEAR(calc_properties(circle(0.02), nu).shear_y, 7.8 / 8.8, kRounding);
  EXPECT_NEAR(calc_properties(rectangle(0.02, 0.03), nu).shear_z, 13 / 15.3, kRounding);
  EXPECT_NEAR(calc_properties(rectangle(0.02, 0.03)).shear_y, 5.0 / 6, kRounding);  // ν = 0: Reissner's
  // m = 1/2: 7.8·1.5625 / (8.8·1.5625 + 23.6·0.25)
  EXPECT_NEAR(calc_properties(tube(0.02, 0.01), nu).shear_z, 12.1875 / 19.65, kRounding);
  // Limits of the tube: full circle, and Cowper's own formula for a thin wall, 2(1+ν)/(4+3ν). The wall of 1e-8 of the
  // diameter is off by about its square, the hole of 1e-9 too.
  EXPECT_NEAR(calc_properties(tube(1, 1e-9), nu).shear_y, calc_properties(circle(1), nu).shear_y, kRounding);
  EXPECT_NEAR(calc_properties(tube(1, 1 - 1e-8), nu).shear_y, 2.6 / 4.9, kRounding);
  for (const Section& s : {circle(0.02), tube(0.02, 0.01), rectangle(0.02, 0.03)}) {
    const SectionProperties p = calc_properties(s, nu);
    EXPECT_EQ(p.shear_y, p.shear_z);
  }
}

TEST(Section, GivenShearFactorsReplaceTheDefault) {
  for (Section s : {circle(0.02), tube(0.02, 0.01), rectangle(0.02, 0.03)}) {
    const double usual = calc_properties(s, 0.3).shear_z;
    s.shear_y = 0.123;
    EXPECT_EQ(calc_properties(s, 0.3).shear_y, 0.123);
    EXPECT_EQ(calc_properties(s, 0.3).shear_z, usual);
  }
  Section s = general();
  EXPECT_EQ(calc_properties(s, 0.3).shear_y, 0);
  EXPECT_EQ(calc_properties(s, 0.3).shear_z, 0);
  EXPECT_FALSE(calc_properties(s).peak_z.has_value());
  s.shear_z = 0.4;
  EXPECT_EQ(calc_properties(s, 0.3).shear_z, 0.4);
  EXPECT_EQ(*calc_properties(s).peak_z, 2.5);
  EXPECT_FALSE(calc_properties(s).peak_y.has_value());
}

TEST(Section, RoundTorsion) {
  EXPECT_NEAR(*calc_properties(circle(2)).torsion_modulus_y, pi * 8 / 16, kRounding);
  const SectionProperties t = calc_properties(tube(2, 1));
  EXPECT_NEAR(*t.torsion_modulus_z, pi / 16 * (16 - 1) / 2, kRounding);
  EXPECT_EQ(*t.torsion_modulus_y, *t.torsion_modulus_z);
}

// J = k1 a b³, largest shear stress Mx/(k2 a b²): the table of [TimoshenkoGoodier1970], three digits.
TEST(Section, RectangleTorsionAsPublished) {
  struct Row {
    double ratio, k1, k2;
  };
  for (const Row& row : {Row{1.0, 0.1406, 0.208}, Row{1.2, 0.166, 0.219}, Row{1.5, 0.196, 0.231}, Row{2, 0.229, 0.246},
                         Row{3, 0.263, 0.267}, Row{5, 0.291, 0.291}, Row{10, 0.312, 0.312}}) {
    const double b = 0.01, a = row.ratio * b;
    const SectionProperties p = calc_properties(rectangle(b, a));
    EXPECT_NEAR(p.J / (a * b * b * b), row.k1, row.ratio == 1 ? 5e-5 : 5.1e-4) << row.ratio;
    EXPECT_NEAR(*p.torsion_modulus_y / (a * b * b), row.k2, 5.1e-4) << row.ratio;
    // Turned by 90° the long sides are those along y.
    const SectionProperties turned = calc_properties(rectangle(a, b));
    EXPECT_EQ(turned.J, p.J);
    // A square has two longer sides by rounding only.
    EXPECT_NEAR(*turned.torsion_modulus_z / *p.torsion_modulus_y, 1, kRounding);
    EXPECT_NEAR(*turned.torsion_modulus_y / *p.torsion_modulus_z, 1, kRounding);
  }
  // A very flat one: J = ab³/3, W = ab²/3, and 1/0.742 454 of that on the short side (8/π² times Catalan's constant).
  // J lacks 0.630 b/a.
  const SectionProperties flat = calc_properties(rectangle(1, 1e9));
  EXPECT_NEAR(flat.J / 1e9, 1.0 / 3, 1e-9);
  EXPECT_NEAR(*flat.torsion_modulus_y / 1e9, 1.0 / 3, 1e-9);
  EXPECT_NEAR(*flat.torsion_modulus_y / *flat.torsion_modulus_z, 0.742454, 5e-7);
}

// Saint-Venant's series may run along either side. Run along the short one, it converges slowly and the series of the
// two stresses change places: an independent sum for each of the three.
TEST(Section, RectangleTorsionByTheOtherSeries) {
  for (const double ratio : {1.0, 1.3, 2.0, 4.0}) {
    const double p = 1, q = ratio;  // p along the series: the short side
    double fifth = 0, second = 0, inverse_cosh = 0;
    for (int n = 400000; n >= 0; --n) {
      const double k = 2 * n + 1, x = k * pi * p / (2 * q);
      fifth += std::tanh(x) / std::pow(k, 5);
      second += (n % 2 == 0 ? 1 : -1) * std::tanh(x) / (k * k);
      inverse_cosh += 1 / (k * k * std::cosh(x));
    }
    const double J = p * q * q * q / 3 * (1 - 192 / std::pow(pi, 5) * (q / p) * fifth);
    const double on_short = q * (1 - 8 / (pi * pi) * inverse_cosh), on_long = q * 8 / (pi * pi) * second;
    const SectionProperties s = calc_properties(rectangle(p, q));
    // What is left of the alternating sum is half of its next term, 1e-12; rounding grows by up to (q/p)³ in J.
    EXPECT_NEAR(s.J / J, 1, 1e-11) << ratio;
    EXPECT_NEAR(*s.torsion_modulus_y * on_long / J, 1, 1e-11) << ratio;
    EXPECT_NEAR(*s.torsion_modulus_z * on_short / J, 1, 1e-11) << ratio;
  }
}

TEST(Section, GeneralHasWhatIsGiven) {
  Section s = general();
  const SectionProperties without = calc_properties(s);
  EXPECT_FALSE(without.torsion_modulus_y || without.torsion_modulus_z || without.extreme_y || without.extreme_z);
  s.torsion_modulus = 2;
  s.extreme_z = 3;
  const SectionProperties with = calc_properties(s);
  EXPECT_EQ(*with.torsion_modulus_y, 2);
  EXPECT_EQ(*with.torsion_modulus_z, 2);
  EXPECT_EQ(*with.extreme_z, 3);
  EXPECT_EQ(with.shape, Section::Shape::general);
}

TEST(Section, InterpolateIsLinearInTheDimensions) {
  Section a = rectangle(1, 2), b = rectangle(3, 6);
  a.shear_y = 0.5;
  b.shear_y = 0.9;
  a.shear_z = 0.5;  // b has none
  const Section quarter = interpolate(a, b, 0.25);
  EXPECT_EQ(quarter.width, 1.5);
  EXPECT_EQ(quarter.height, 3);
  EXPECT_NEAR(*quarter.shear_y, 0.6, kRounding);
  EXPECT_FALSE(quarter.shear_z.has_value());
  a = b = general();
  a.torsion_modulus = 1;
  b.torsion_modulus = 3;
  EXPECT_EQ(*interpolate(a, b, 0.5).torsion_modulus, 2);
  b.torsion_modulus.reset();
  EXPECT_FALSE(interpolate(a, b, 0.5).torsion_modulus.has_value());
}

TEST(Section, Outlines) {
  const Outline round = make_outline(circle(2));
  ASSERT_EQ(round.size(), 24u);
  for (const Eigen::Vector2d& corner : round) EXPECT_NEAR(corner.norm(), 1, kRounding);
  EXPECT_NEAR(area_of(round), 12 * std::sin(pi / 12), kRounding);  // above 0: counter-clockwise
  EXPECT_TRUE(make_inner_outline(circle(2)).empty());

  EXPECT_EQ(make_outline(tube(2, 1)), round);
  const Outline hole = make_inner_outline(tube(2, 1));
  ASSERT_EQ(hole.size(), 24u);
  EXPECT_NEAR(area_of(hole), 3 * std::sin(pi / 12), kRounding);

  EXPECT_EQ(area_of(make_outline(rectangle(2, 3))), 6);
  EXPECT_EQ(make_outline(rectangle(2, 3))[0], Eigen::Vector2d(1, 1.5));
  EXPECT_TRUE(make_inner_outline(rectangle(2, 3)).empty());
}

TEST(Section, OutlineOfAGeneralSection) {
  // A rectangle of 4 by 3 described as a general section: A = 12, Iz = 3·4³/12, Iy = 4·3³/12.
  Section s = general();
  EXPECT_NEAR((make_outline(s)[0] - Eigen::Vector2d(2, 1.5)).norm(), 0, kRounding);
  EXPECT_NEAR(area_of(make_outline(s)), 12, 10 * kRounding);
  s.Iy = 0;  // planar: not given
  EXPECT_NEAR((make_outline(s)[0] - Eigen::Vector2d(2, 1.5)).norm(), 0, kRounding);
  s.extreme_y = 5;
  s.extreme_z = 0.5;
  EXPECT_EQ(make_outline(s)[0], Eigen::Vector2d(5, 0.5));
}

}  // namespace
}  // namespace elodyn
