#include "elodyn/model/void_law.hpp"

#include <gtest/gtest.h>

#include "elodyn/io/read_model.hpp"

namespace elodyn {
namespace {

Material make_foam() {
  Material m;
  m.name = "foam";
  m.young = 5.2e9;
  m.poisson = 0.3;
  m.density = 2000;
  m.void_alpha = 8e3;
  m.void_beta = 2e9;
  m.void_xi = 4e9;
  m.void_kappa = 1e-6;
  return m;
}

// λ = 3 GPa, μ = 2 GPa. The energy that is left is that of (1) after its smallest value over the strains across.
TEST(VoidLaw, StrainsAcrossArePutIn) {
  const Material m = make_foam();
  EXPECT_NEAR(calc_lambda(m), 3e9, 1);
  EXPECT_NEAR(m.shear_modulus(), 2e9, 1);
  const VoidLaw strain = calc_void_law(m, VoidState::plane_strain), bar = calc_void_law(m, VoidState::uniaxial_stress),
                sheet = calc_void_law(m, VoidState::plane_stress);
  EXPECT_EQ(strain.beta, 2e9);
  EXPECT_EQ(strain.xi, 4e9);
  EXPECT_NEAR(sheet.beta, 8e9 / 7, 10);
  EXPECT_NEAR(sheet.xi, 4e9 - 4e9 / 7, 10);
  EXPECT_NEAR(bar.beta, 0.8e9, 10);
  EXPECT_NEAR(bar.xi, 3.2e9, 10);
  EXPECT_NEAR(calc_uniaxial_modulus(m, PlaneState::stress), 5.2e9, 1);
  EXPECT_NEAR(calc_uniaxial_modulus(m, PlaneState::strain), 7e9, 10);
  const auto energy = [](const Mat3& e, double phi) {
    return 1.5e9 * e.trace() * e.trace() + 2e9 * e.squaredNorm() + 2e9 * phi * e.trace() + 2e9 * phi * phi;
  };
  const double e = 0.3, phi = -0.7, across = -(3e9 * e + 2e9 * phi) / (2 * 5e9), lateral = -(3e9 * e + 2e9 * phi) / 7e9;
  EXPECT_NEAR(0.5 * 5.2e9 * e * e + bar.beta * phi * e + 0.5 * bar.xi * phi * phi,
              energy(Vec3(e, across, across).asDiagonal(), phi), 1);
  // Plane stress with ε₂₂ = 0: λ* + 2μ = E/(1 − ν²).
  EXPECT_NEAR(0.5 * 5.2e9 / 0.91 * e * e + sheet.beta * phi * e + 0.5 * sheet.xi * phi * phi,
              energy(Vec3(e, 0, lateral).asDiagonal(), phi), 1);
}

TEST(VoidLaw, Inequalities) {
  Material m = make_foam();
  for (const VoidState state :
       {VoidState::plane_stress, VoidState::plane_strain, VoidState::uniaxial_stress, VoidState::uniaxial_strain})
    EXPECT_EQ(find_broken_inequality(m, state), "");
  m.void_beta = 4.3e9;  // β² = 1.849e19; 13/3 ξ = 1.733e19, 5 ξ = 2e19, 7 ξ = 2.8e19
  EXPECT_NE(find_broken_inequality(m, VoidState::plane_stress), "");
  EXPECT_EQ(find_broken_inequality(m, VoidState::plane_strain), "");
  m.void_beta = 4.6e9;
  EXPECT_NE(find_broken_inequality(m, VoidState::plane_strain), "");
  EXPECT_EQ(find_broken_inequality(m, VoidState::uniaxial_strain), "");
  m.void_beta = 6e9;
  EXPECT_NE(find_broken_inequality(m, VoidState::uniaxial_strain), "");
}

// What the reader says of a bar with these keys.
std::string errors(const std::string& material, const std::string& body, const std::string& element = "voids_bar") {
  const bool is_bar = element == "voids_bar" || element.starts_with("beam");
  const std::string text =
      "schema = 1\n[material.foam]\nyoung = 5.2e9\npoisson = 0.3\ndensity = 2000\n" + material +
      "\n[section.s]\nshape = " + (is_bar ? "\"circle\"\ndiameter = 0.01" : "\"sheet\"\nthickness = 0.01") +
      "\n[body.b]\nelement = \"" + element + "\"\ndimension = 2\nmaterial = \"foam\"\nsection = \"s\"\n" +
      (is_bar ? "line = { from = [0, 0, 0], to = [1, 0, 0], elements = 2 }\n"
              : "rectangle = { from = [0, 0, 0], to = [1, 1, 0], nx = 2, ny = 2 }\n") +
      body;
  Diagnostics diagnostics;
  read_model("model.toml", text, {}, diagnostics);
  return diagnostics.format_all(Severity::error);
}
bool says(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }

const std::string kVoids = "void_alpha = 8e3\nvoid_beta = 2e9\nvoid_xi = 4e9\nvoid_kappa = 1e-6";

TEST(VoidsInput, Good) {
  EXPECT_EQ(errors(kVoids, "clamp = [\"from\"]\nvoid = [\"from\", \"to\"]\naxial_degree = 3\nuniaxial = \"strain\""),
            "");
  EXPECT_EQ(errors(kVoids + "\nvoid_tau = \"10 Pa*s\"", "void = [\"left\"]\nplane = \"strain\"", "voids_q8"), "");
  EXPECT_EQ(errors(kVoids, "", "beam_rayleigh"), "");  // the same material may serve elsewhere
}

TEST(VoidsInput, InadmissibleConstantsAreRefusedWithTheInequality) {
  const auto with = [](const char* beta) {
    return std::string("void_alpha = 8e3\nvoid_xi = 4e9\nvoid_kappa = 1e-6\nvoid_beta = ") + beta;
  };
  // 13e9·4e9 = 5.2e19 against 3·(5e9)² = 7.5e19
  EXPECT_TRUE(says(errors(with("5e9"), ""), "material `foam`: (3λ + 2μ)ξ = 5.2e+19, must be above 3β² = 7.5e+19"))
      << errors(with("5e9"), "");
  EXPECT_EQ(errors(with("5e9"), "uniaxial = \"strain\""), "");
  EXPECT_TRUE(says(errors(with("5e9"), "plane = \"strain\"", "voids_q4"), "(λ + μ)ξ = "));
  EXPECT_TRUE(
      says(errors("void_alpha = -1\nvoid_beta = 0\nvoid_xi = 0\nvoid_kappa = 0\nvoid_tau = -1", ""), "void_xi"));
  const std::string missing = errors("void_beta = 1e9", "");
  for (const char* key : {"void_alpha", "void_xi", "void_kappa"})
    EXPECT_TRUE(says(missing, std::string("has no `") + key + "`, needed by `voids_bar`")) << missing;
}

TEST(VoidsInput, WhatDoesNotBelong) {
  EXPECT_TRUE(says(errors("", "void = [\"to\"]", "beam_rayleigh"), "`void` holds a field"));
  EXPECT_TRUE(says(errors("", "uniaxial = \"strain\"", "beam_rayleigh"), "`uniaxial` belongs to `voids_bar`"));
  EXPECT_TRUE(says(errors(kVoids, "[[body.b.load]]\nat = \"to\"\nforce = [0, 1, 0]"), "force[y] = 1, must be 0"));
  EXPECT_TRUE(says(errors(kVoids, "[[body.b.mass]]\nat = \"to\"\nmass = 1"), "a mass on a body of voids"));
  EXPECT_TRUE(says(errors(kVoids, "[[body.b.spring]]\nat = \"to\"\nstiffness = [1, 0, 0]"), "a spring on a body"));
}

TEST(PorosityInput, Limits) {
  EXPECT_EQ(errors("porosity = 0.04", "", "beam_rayleigh"), "");
  EXPECT_EQ(errors("porosity = 0.9", "", "beam_rayleigh"), "");
  EXPECT_TRUE(says(errors("porosity = 0.6\nporosity_model = \"dilute_spheres\"", "", "beam_rayleigh"),
                   "a modulus of its dilute model falls to 0"));
  EXPECT_TRUE(says(errors("porosity = 1.0", "", "beam_rayleigh"), "porosity = 1"));
  EXPECT_TRUE(
      says(errors("porosity = 0.1\nporosity_model = \"mori_tanaka_holes\"", "plane = \"strain\"", "membrane_q4"),
           "holes across a sheet"));
}

}  // namespace
}  // namespace elodyn
