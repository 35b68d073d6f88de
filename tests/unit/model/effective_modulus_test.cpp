#include "elodyn/model/effective_modulus.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

constexpr PorosityModel kAll[] = {PorosityModel::dilute_spheres, PorosityModel::dilute_holes,
                                  PorosityModel::mori_tanaka_spheres, PorosityModel::mori_tanaka_holes};

Material make(PorosityModel model, double porosity, double poisson = 0.25) {
  Material m;
  m.name = "porous";
  m.young = 200;
  m.poisson = poisson;
  m.density = 1000;
  m.porosity = porosity;
  m.porosity_model = model;
  return m;
}
double bulk(const Material& m) { return m.young / (3 * (1 - 2 * m.poisson)); }

// By hand for E = 200, ν = ¼, so K = 400/3 and G = 80, with a tenth of pores.
TEST(EffectiveModulus, ByHand) {
  const Material dilute = calc_effective(make(PorosityModel::dilute_spheres, 0.1));
  EXPECT_NEAR(bulk(dilute), 400.0 / 3 * (1 - 0.1 * 2.25), 1e-11);
  EXPECT_NEAR(dilute.shear_modulus(), 80 * (1 - 0.1 * 36 / 18.4), 1e-11);
  const Material mori_tanaka = calc_effective(make(PorosityModel::mori_tanaka_spheres, 0.1));
  EXPECT_NEAR(bulk(mori_tanaka), 320.0 / 3, 1e-11);
  EXPECT_NEAR(mori_tanaka.shear_modulus(), 80 * 0.9 * 18.4 / 20.16, 1e-11);
  EXPECT_NEAR(mori_tanaka.density, 900, 1e-11);
  const Material holes = calc_effective(make(PorosityModel::mori_tanaka_holes, 0.1));
  EXPECT_NEAR(holes.young, 150, 1e-11);
  EXPECT_NEAR(holes.poisson, 0.325 / 1.2, 1e-14);
  // k = 400/3 · (1 − 0.2/0.75), G = 80 (1 − 0.4/1.25)
  const Material few = calc_effective(make(PorosityModel::dilute_holes, 0.1));
  const double k = 400.0 / 3 * 11 / 15, G = 54.4;
  EXPECT_NEAR(few.young, 4 * k * G / (k + G), 1e-11);
  EXPECT_NEAR(few.poisson, (k - G) / (k + G), 1e-14);
  EXPECT_NEAR(few.shear_modulus(), G, 1e-11);
}

TEST(EffectiveModulus, NoPoresChangeNothing) {
  for (const PorosityModel model : kAll) {
    const Material m = calc_effective(make(model, 0));
    EXPECT_EQ(m.young, 200);
    EXPECT_EQ(m.poisson, 0.25);
    EXPECT_EQ(m.density, 1000);
  }
}

// To first order in the share of pores both models agree: −dE/dc/E is 3 for holes, for spheres
// 3(1 − ν)(9 + 5ν)/(2(7 − 5ν)).
TEST(EffectiveModulus, FirstOrder) {
  constexpr double c = 1e-7;
  for (const double nu : {0.0, 0.2, 0.3, 0.45}) {
    const auto loss = [&](PorosityModel model) { return (1 - calc_effective(make(model, c, nu)).young / 200) / c; };
    const double spheres = 3 * (1 - nu) * (9 + 5 * nu) / (2 * (7 - 5 * nu));
    EXPECT_NEAR(loss(PorosityModel::dilute_spheres), spheres, 1e-5);
    EXPECT_NEAR(loss(PorosityModel::mori_tanaka_spheres), spheres, 1e-5);
    EXPECT_NEAR(loss(PorosityModel::dilute_holes), 3, 1e-5);
    EXPECT_NEAR(loss(PorosityModel::mori_tanaka_holes), 3, 1e-5);
  }
}

// The upper bounds of Hashin and Shtrikman for two phases of which the second is empty, in their general form.
TEST(EffectiveModulus, MoriTanakaIsTheUpperBound) {
  for (const double nu : {-0.3, 0.1, 0.3, 0.49})
    for (const double c : {0.05, 0.3, 0.9}) {
      const Material matrix = make(PorosityModel::mori_tanaka_spheres, 0, nu);
      const double K = bulk(matrix), G = matrix.shear_modulus();
      const double K_bound = K + c / (1 / (0 - K) + 3 * (1 - c) / (3 * K + 4 * G));
      const double G_bound = G + c / (1 / (0 - G) + 6 * (1 - c) * (K + 2 * G) / (5 * G * (3 * K + 4 * G)));
      const Material spheres = calc_effective(make(PorosityModel::mori_tanaka_spheres, c, nu));
      EXPECT_NEAR(bulk(spheres), K_bound, 1e-11 * K);
      EXPECT_NEAR(spheres.shear_modulus(), G_bound, 1e-11 * G);
      // In the plane: k and G with the bound k + c/(1/(0 − k) + (1 − c)/(k + G)).
      const double k = 200 / (2 * (1 - nu)), k_bound = k + c / (-1 / k + (1 - c) / (k + G)),
                   g_bound = G + c / (-1 / G + (1 - c) * (k + 2 * G) / (2 * G * (k + G)));
      const Material holes = calc_effective(make(PorosityModel::mori_tanaka_holes, c, nu));
      EXPECT_NEAR(holes.young / (2 * (1 - holes.poisson)), k_bound, 1e-11 * k);
      EXPECT_NEAR(holes.shear_modulus(), g_bound, 1e-11 * G);
      if (c < find_porosity_limit(make(PorosityModel::dilute_spheres, c, nu))) {
        EXPECT_LT(calc_effective(make(PorosityModel::dilute_spheres, c, nu)).young, spheres.young);
      }
    }
}

TEST(EffectiveModulus, DiluteModelsEndWhereAModulusVanishes) {
  for (const PorosityModel model : {PorosityModel::dilute_spheres, PorosityModel::dilute_holes}) {
    const double limit = find_porosity_limit(make(model, 0.1));
    EXPECT_GT(calc_effective(make(model, 0.999 * limit)).young, 0);
    EXPECT_LT(calc_effective(make(model, (1 - 1e-9) * limit)).young, 1e-5);
  }
  EXPECT_EQ(find_porosity_limit(make(PorosityModel::mori_tanaka_holes, 0.1)), 1);
}

}  // namespace
}  // namespace elodyn
