// Stresses by hand: one resultant after another, then together.
#include "elodyn/model/section_stress.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

using std::numbers::pi;

// Values are of order 1 to 100: a few roundings of them.
constexpr double kRounding = 1e-12;

SectionProperties circle(double d) {
  Section s;
  s.diameter = d;
  return calc_properties(s, 0.3);
}

SectionProperties tube(double d, double di) {
  Section s;
  s.shape = Section::Shape::tube;
  s.diameter = d;
  s.inner_diameter = di;
  return calc_properties(s, 0.3);
}

// Width 2 along y, height 3 along z: A = 6, Iz = 2, Iy = 4.5.
SectionProperties rectangle() {
  Section s;
  s.shape = Section::Shape::rectangle;
  s.width = 2;
  s.height = 3;
  return calc_properties(s, 0.3);
}

// A = 4, Iz = 2 with extreme_y 1, Iy = 3 with extreme_z 1.5, W = 0.5, k = 0.5 and 0.25.
Section full_general() {
  Section s;
  s.shape = Section::Shape::general;
  s.area = 4;
  s.Iz = 2;
  s.Iy = 3;
  s.J = 1;
  s.extreme_y = 1;
  s.extreme_z = 1.5;
  s.torsion_modulus = 0.5;
  s.shear_y = 0.5;
  s.shear_z = 0.25;
  return s;
}

void expect_stress(const SectionStress& stress, double largest, double smallest, double shear, double mises) {
  EXPECT_NEAR(stress.largest_normal.value(), largest, kRounding);
  EXPECT_NEAR(stress.smallest_normal.value(), smallest, kRounding);
  EXPECT_NEAR(stress.largest_shear.value(), shear, kRounding);
  EXPECT_NEAR(stress.largest_mises.value(), mises, kRounding);
}

TEST(SectionStress, NothingFromNothing) {
  for (const SectionProperties& p : {circle(2), tube(2, 1), rectangle(), calc_properties(full_general())})
    expect_stress(calc_stress(p, {}), 0, 0, 0, 0);
}

TEST(SectionStress, PureTension) {
  for (const SectionProperties& p : {circle(2), tube(2, 1), rectangle(), calc_properties(full_general())}) {
    expect_stress(calc_stress(p, {.N = 5 * p.A}), 5, 5, 0, 5);
    expect_stress(calc_stress(p, {.N = -5 * p.A}), -5, -5, 0, 5);
  }
}

TEST(SectionStress, PureBending) {
  for (const SectionProperties& p : {circle(2), tube(2, 1), rectangle(), calc_properties(full_general())})
    for (const double sign : {1.0, -1.0}) {
      expect_stress(calc_stress(p, {.Mz = sign * 7 * p.Iz / *p.extreme_y}), 7, -7, 0, 7);
      expect_stress(calc_stress(p, {.My = sign * 7 * p.Iy / *p.extreme_z}), 7, -7, 0, 7);
    }
}

// The signs of both moments against σ = E(u' − y v'' − z w''), with the shear of a torque as a probe: it acts along +z
// at +y and along −y at +z, so that a force along z adds to it at +y and a force along y at −z.
TEST(SectionStress, SignsOfBendingOnTheRectangle) {
  const SectionProperties p = rectangle();
  const double E = 10, stretch = 0.3, v2 = 0.2, w2 = -0.1;  // u', v'', w''
  const auto sigma = [&](double y, double z) { return E * (stretch - y * v2 - z * w2); };
  SectionResultants f{.N = E * p.A * stretch, .My = -E * p.Iy * w2, .Mz = E * p.Iz * v2};
  const SectionStress bent = calc_stress(p, f);
  EXPECT_NEAR(*bent.largest_normal, sigma(-1, 1.5), kRounding);
  EXPECT_NEAR(*bent.smallest_normal, sigma(1, -1.5), kRounding);
  EXPECT_NEAR(*bent.largest_mises, std::abs(sigma(-1, 1.5)), kRounding);
  // Large enough shear: the middle of a side decides.
  f.Mx = 40 * *p.torsion_modulus_y;
  f.Tz = 6;  // 3/2 · 6/6 = 1.5 along +z
  EXPECT_NEAR(*calc_stress(p, f).largest_shear, 41.5, kRounding);
  EXPECT_NEAR(*calc_stress(p, f).largest_mises, std::hypot(sigma(1, 0), std::sqrt(3) * 41.5), kRounding);
  f.Tz = -6;
  EXPECT_NEAR(*calc_stress(p, f).largest_mises, std::hypot(sigma(-1, 0), std::sqrt(3) * 41.5), kRounding);
  f.Tz = 0;
  f.Ty = 600;  // 150 along +y, more than the 40 of the longer side
  const double twist = f.Mx / *p.torsion_modulus_z;
  EXPECT_NEAR(*calc_stress(p, f).largest_mises, std::hypot(sigma(0, -1.5), std::sqrt(3) * (150 + twist)), kRounding);
  f.Ty = -600;
  EXPECT_NEAR(*calc_stress(p, f).largest_mises, std::hypot(sigma(0, 1.5), std::sqrt(3) * (150 + twist)), kRounding);
}

// The same on the rim of the circle: v'' alone, torque and a force along z add at +y, where σ = −E R v'' + E u'.
TEST(SectionStress, SignsOfBendingOnTheCircle) {
  const SectionProperties p = circle(2);
  SectionResultants f{.N = 3 * p.A, .Mx = 40 * *p.torsion_modulus_y, .Mz = 2 * p.Iz};
  f.Tz = 3 * p.A / 4;  // 4/3 · 3/4 = 1
  EXPECT_NEAR(*calc_stress(p, f).largest_shear, 41, kRounding);
  // σ = 3 − 2 y, τ = 40 + y, y = cos φ. σ² + 3τ² rises with y on [−1, 1]: 2(3 − 2y)(−2) + 6(40 + y) > 0.
  EXPECT_NEAR(*calc_stress(p, f).largest_mises, std::hypot(3 - 2, std::sqrt(3) * 41), kRounding);
  f.Tz = -f.Tz;
  EXPECT_NEAR(*calc_stress(p, f).largest_mises, std::hypot(3 + 2, std::sqrt(3) * 41), kRounding);
  f = {.N = 3 * p.A, .Ty = 3 * p.A / 4, .Mx = 40 * *p.torsion_modulus_y, .My = 2 * p.Iy};  // add at −z, σ = 3 + 2 z
  EXPECT_NEAR(*calc_stress(p, f).largest_mises, std::hypot(3 - 2, std::sqrt(3) * 41), kRounding);
}

TEST(SectionStress, BiaxialBending) {
  // Circle: the vector sum. Rectangle: the sum at a corner. General: the sum too.
  const SectionProperties round = circle(2);
  expect_stress(calc_stress(round, {.My = 3 * round.Iy, .Mz = -4 * round.Iz}), 5, -5, 0, 5);
  const SectionProperties ring = tube(2, 1.5);
  expect_stress(calc_stress(ring, {.N = -ring.A, .My = 3 * ring.Iy, .Mz = 4 * ring.Iz}), 4, -6, 0, 6);
  expect_stress(calc_stress(rectangle(), {.N = 6, .My = 4.5, .Mz = 4}), 1 + 1.5 + 2, 1 - 1.5 - 2, 0, 4.5);
  expect_stress(calc_stress(calc_properties(full_general()), {.My = 2, .Mz = 4}), 3, -3, 0, 3);
}

TEST(SectionStress, Torsion) {
  expect_stress(calc_stress(circle(2), {.Mx = -pi}), 0, 0, 2, 2 * std::sqrt(3));  // 16 Mx/(πd³)
  expect_stress(calc_stress(tube(2, 1), {.Mx = pi}), 0, 0, 2 * 16.0 / 15, 2 * 16.0 / 15 * std::sqrt(3));
  const SectionProperties p = rectangle();  // largest in the middle of the longer sides, those at y = ±1
  expect_stress(calc_stress(p, {.Mx = *p.torsion_modulus_y}), 0, 0, 1, std::sqrt(3));
  EXPECT_LT(*p.torsion_modulus_y, *p.torsion_modulus_z);
  expect_stress(calc_stress(calc_properties(full_general()), {.Mx = -1}), 0, 0, 2, 2 * std::sqrt(3));
}

TEST(SectionStress, TransverseShear) {
  const auto both = [](double shear) { return std::sqrt(3) * shear; };
  const SectionProperties round = circle(2);
  expect_stress(calc_stress(round, {.Ty = 3 * pi, .Tz = -4 * pi}), 0, 0, 20.0 / 3, both(20.0 / 3));
  // T Q/(I b) with Q = 2(R³ − r³)/3 of half the tube, b = 2(R − r)
  const double R = 1, r = 0.6, Q = 2 * (R * R * R - r * r * r) / 3;
  const SectionProperties ring = tube(2 * R, 2 * r);
  const double peak = 5 * Q / (ring.Iz * 2 * (R - r));
  expect_stress(calc_stress(ring, {.Ty = -5}), 0, 0, peak, both(peak));
  expect_stress(calc_stress(rectangle(), {.Ty = 6}), 0, 0, 1.5, both(1.5));
  expect_stress(calc_stress(rectangle(), {.Ty = 18, .Tz = -24}), 0, 0, 7.5, both(7.5));  // the centre has both
  expect_stress(calc_stress(calc_properties(full_general()), {.Ty = 6, .Tz = 4}), 0, 0, 5, both(5));
}

// A slender shaft: σ = 32 M/(πd³), τ = 16 Mx/(πd³).
TEST(SectionStress, ShaftInBendingAndTorsion) {
  const double d = 0.03, M = 120, Mx = 200, W = pi * d * d * d / 32;
  const double sigma = M / W, tau = Mx / (2 * W), wanted = std::sqrt(sigma * sigma + 3 * tau * tau);
  const SectionStress stress = calc_stress(circle(d), {.Mx = Mx, .My = 0.6 * M, .Mz = 0.8 * M});
  EXPECT_NEAR(*stress.largest_normal / sigma, 1, kRounding);
  EXPECT_NEAR(*stress.largest_shear / tau, 1, kRounding);
  EXPECT_NEAR(*stress.largest_mises / wanted, 1, kRounding);
}

// All at once on a stubby round bar: the rim between the 72 places is at most 0.1 % worse.
TEST(SectionStress, TheRimIsLookedAtCloselyEnough) {
  const SectionProperties p = tube(2, 0.8);
  for (int i = 0; i < 40; ++i) {
    const double a = 0.37 * i, b = 0.91 * i;
    const SectionResultants f{.N = std::sin(a),
                              .Ty = 2 * std::cos(b),
                              .Tz = std::sin(3 * a + b),
                              .Mx = std::cos(2 * a),
                              .My = std::sin(b),
                              .Mz = std::cos(a)};
    double worst = 0;
    for (int k = 0; k < 20000; ++k) {
      const double y = std::cos(2 * pi * k / 20000), z = std::sin(2 * pi * k / 20000);  // R = 1
      const double sigma = f.N / p.A - f.Mz * y / p.Iz + f.My * z / p.Iy;
      const double tau = f.Mx / p.J + *p.peak_y / p.A * (y * f.Tz - z * f.Ty);
      worst = std::max(worst, std::sqrt(sigma * sigma + 3 * tau * tau));
    }
    const double found = *calc_stress(p, f).largest_mises;
    EXPECT_GE(found, 0.999 * worst);
    EXPECT_LE(found, worst * (1 + 1e-7));  // the scan itself misses (π/20000)² at most
  }
}

TEST(SectionStress, WhatAGeneralSectionDoesNotSay) {
  Section s = full_general();
  s.extreme_y.reset();
  const SectionResultants all{.N = 4, .Ty = 1, .Tz = 1, .Mx = 1, .My = 1, .Mz = 1};
  SectionStress stress = calc_stress(calc_properties(s), all);
  EXPECT_FALSE(stress.largest_normal || stress.smallest_normal || stress.largest_mises);
  EXPECT_TRUE(stress.largest_shear.has_value());
  // no bending about z: extreme_y is not asked for
  EXPECT_TRUE(calc_stress(calc_properties(s), {.N = 4, .My = 1}).largest_mises.has_value());

  s = full_general();
  s.torsion_modulus.reset();
  stress = calc_stress(calc_properties(s), all);
  EXPECT_TRUE(stress.largest_normal.has_value());
  EXPECT_FALSE(stress.largest_shear || stress.largest_mises);

  // Without k the von Mises stress is that of the extreme fibres: σ = 1 + 1/2 + 1/2, τ = 2.
  s = full_general();
  s.shear_y.reset();
  s.shear_z.reset();
  stress = calc_stress(calc_properties(s), all);
  EXPECT_FALSE(stress.largest_shear.has_value());
  EXPECT_NEAR(*stress.largest_mises, 4, kRounding);

  // Planar: extreme_y is enough, no Iy, no J.
  s = {};
  s.shape = Section::Shape::general;
  s.area = 4;
  s.Iz = 2;
  s.extreme_y = 1;
  stress = calc_stress(calc_properties(s), {.N = 8, .Ty = 3, .Mz = -2});
  EXPECT_EQ(*stress.largest_normal, 3);
  EXPECT_EQ(*stress.smallest_normal, 1);
  EXPECT_EQ(*stress.largest_mises, 3);
  EXPECT_FALSE(stress.largest_shear.has_value());
  // Bending about y without Iy cannot be computed, whatever extreme_z says.
  s.extreme_z = 1;
  EXPECT_FALSE(calc_stress(calc_properties(s), {.My = 1}).largest_normal.has_value());
}

}  // namespace
}  // namespace elodyn
