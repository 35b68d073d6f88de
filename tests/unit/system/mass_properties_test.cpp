// Mass, centre and inertia from a mesh against closed forms.
#include "elodyn/system/mass_properties.hpp"

#include <numbers>

#include "tests/support/models.hpp"
#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

using test::roundoff;

MassProperties calc(const Model& model) { return calc_mass_properties(make_body_system(model, model.bodies.front())); }

struct Rod {
  double L = 0.5, rho = 7800, d = 0.01;
  double A = std::numbers::pi * d * d / 4, I = std::numbers::pi * d * d * d * d / 64, m = rho * A * L;
};

// ρAL, L/2, mL²/12 and, with the inertia of the section, ρIL besides; the clamp does not matter.
TEST(MassProperties, PlaneRod) {
  const Rod rod;
  for (const int degree : {3, 5})
    for (const std::string element : {"beam_euler_bernoulli", "beam_rayleigh"}) {
      test::RodOptions options;
      options.element = element;
      options.degree = degree;
      options.elements = 7;
      const MassProperties p = calc(test::make_rod(options));
      EXPECT_NEAR(p.mass, rod.m, roundoff(100, rod.m));
      EXPECT_NEAR(p.center.x(), rod.L / 2, roundoff(100, rod.L));
      EXPECT_NEAR(p.center.y(), 0, roundoff(100, rod.L));
      const double rotary = element == "beam_rayleigh" ? rod.rho * rod.I * rod.L : 0;
      EXPECT_NEAR(p.inertia(2, 2), rod.m * rod.L * rod.L / 12 + rotary, roundoff(100, rod.m * rod.L * rod.L))
          << element;
    }
}

// About its own axis ρ·2I·L, whatever the attitude of the rod in its body.
TEST(MassProperties, SpatialRodWithLumpedMasses) {
  const Rod rod;
  test::RodOptions options;
  options.dimension = 3;
  Model model = test::make_rod(options);
  Body& body = model.bodies.front();
  const Vec3 from(0.1, -0.2, 0.3), t = Vec3(2, 1, -2).normalized();
  body.points[0].x = from;
  body.points[1].x = from + rod.L * t;
  LumpedMass lump;
  lump.at.value = "to";
  lump.mass = 0.2;
  lump.inertia_tensor = {2e-4, 3e-4, 4e-4, 1e-5, 0, 2e-5};
  body.masses = {lump};
  const MassProperties p = calc(model);

  const double m = rod.m + lump.mass;
  const Vec3 to = from + rod.L * t, middle = from + 0.5 * rod.L * t, c = (rod.m * middle + lump.mass * to) / m;
  const auto shifted = [&](double mass, const Vec3& at) -> Mat3 {
    const Vec3 r = at - c;
    return mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
  };
  const Mat3 across = Mat3::Identity() - t * t.transpose();
  const Mat3 own =
      (rod.m * rod.L * rod.L / 12 + rod.rho * rod.I * rod.L) * across + 2 * rod.rho * rod.I * rod.L * t * t.transpose();
  const Mat3 expected = own + shifted(rod.m, middle) + shifted(lump.mass, to) + lump.calc_inertia();
  EXPECT_NEAR(p.mass, m, roundoff(500, m));
  EXPECT_LE((p.center - c).norm(), roundoff(500, 1));
  EXPECT_LE((p.inertia - expected).norm(), roundoff(500, m * c.squaredNorm()));
}

}  // namespace
}  // namespace elodyn
