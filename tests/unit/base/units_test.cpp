#include "elodyn/base/units.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

constexpr double kRoundoff = 4e-16;  // two roundings

void expect_quantity(const std::string& text, double value, const Dimension& dimension) {
  const auto parsed = parse_quantity(text);
  ASSERT_TRUE(std::holds_alternative<Quantity>(parsed)) << text << ": " << std::get<UnitError>(parsed).text;
  EXPECT_NEAR(std::get<Quantity>(parsed).value, value, kRoundoff * std::abs(value)) << text;
  EXPECT_EQ(std::get<Quantity>(parsed).dimension, dimension)
      << text << ": " << describe(std::get<Quantity>(parsed).dimension);
}

void expect_error(const std::string& text, const std::string& message, size_t offset, size_t length,
                  const std::string& help = {}) {
  const auto parsed = parse_quantity(text);
  ASSERT_TRUE(std::holds_alternative<UnitError>(parsed)) << text;
  const UnitError& error = std::get<UnitError>(parsed);
  EXPECT_EQ(error.text, message) << text;
  EXPECT_EQ(error.offset, offset) << text;
  EXPECT_EQ(error.length, length) << text;
  if (!help.empty()) {
    EXPECT_EQ(error.help, help) << text;
  }
}

TEST(Units, reads_what_engineers_write) {
  expect_quantity("10 mm", 0.01, kLength);
  expect_quantity("210 GPa", 2.1e11, kPressure);
  expect_quantity("7800 kg/m^3", 7800, kDensity);
  expect_quantity("140 rpm", 140 * std::numbers::pi / 30, kAngularSpeed);
  expect_quantity("1e5 N/m", 1e5, kStiffness);
  expect_quantity("10 N*m/rad", 10, kRotationalStiffness);
  expect_quantity("5 N*m*s/rad", 5, kRotationalDamping);
  expect_quantity("5 N m s/rad", 5, kRotationalDamping);
  expect_quantity("20 N*s/m", 20, kDamping);
  expect_quantity("1e-3 s", 1e-3, kTime);
  expect_quantity("0.5 1/s", 0.5, kRate);
  expect_quantity("50 Hz", 50, kRate);
  expect_quantity("9.81 m/s^2", 9.81, kAcceleration);
  expect_quantity("9.81 m*s^-2", 9.81, kAcceleration);
  expect_quantity("9.81 m*s^(-2)", 9.81, kAcceleration);
  expect_quantity("3 (m/s)/s", 3, kAcceleration);
  expect_quantity("3 kg/(m*s^2)", 3, kPressure);
  expect_quantity("3 N/m^2", 3, kPressure);
  expect_quantity("491 mm^4", 491e-12, kSecondMoment);
  expect_quantity("30 deg", std::numbers::pi / 6, kAngle);
  expect_quantity("30°", std::numbers::pi / 6, kAngle);
  expect_quantity("2 rev/min", 4 * std::numbers::pi / 60, kAngularSpeed);
  expect_quantity("3 µm", 3e-6, kLength);
  expect_quantity("3 N·m", 3, kMoment);
  expect_quantity("3 J", 3, kMoment);
  expect_quantity("  -2.5  kN ", -2500, kForce);
  expect_quantity("+2.5kN", 2500, kForce);
  expect_quantity("2 %", 0.02, kPlainNumber);
  expect_quantity("0.3", 0.3, kPlainNumber);
}

TEST(Units, decimal_units_give_the_decimal_number) {
  const auto value = [](const char* text) { return std::get<Quantity>(parse_quantity(text)).value; };
  EXPECT_EQ(value("0.57 mm"), 0.57e-3);
  EXPECT_EQ(value("7.3 mm"), 7.3e-3);
  EXPECT_EQ(value("491 mm^4"), 491e-12);
  EXPECT_EQ(value("7.85 g/cm^3"), 7850);
  EXPECT_EQ(value("7800.1 kg/m^3"), 7800.1);
  EXPECT_EQ(value("1 in"), 0.0254);
  EXPECT_EQ(value("5.5 N/mm^2"), 5.5e6);
  EXPECT_EQ(value("3 kg*mm^2"), 3e-6);
}

TEST(Units, knows_inch_and_pound) {
  expect_quantity("1 in", 0.0254, kLength);
  expect_quantity("1 ft", 0.3048, kLength);
  expect_quantity("1 lb", 0.45359237, kMass);
  expect_quantity("1 lbf", 4.4482216152605, kForce);
  expect_quantity("1 psi", 4.4482216152605 / (0.0254 * 0.0254), kPressure);
  expect_quantity("29 Msi", 29e6 * 4.4482216152605 / (0.0254 * 0.0254), kPressure);
  expect_quantity("1 slug", 4.4482216152605 / 0.3048, kMass);
  expect_quantity("1 min", 60, kTime);  // not a milli-inch
}

TEST(Units, radian_is_a_dimension) {
  EXPECT_NE(kRate, kAngularSpeed);
  expect_quantity("1 rad/s", 1, kAngularSpeed);
  expect_quantity("1 1/s", 1, kRate);
}

TEST(Units, points_at_the_mistake) {
  expect_error("210 GPx", "unknown unit `GPx`", 4, 3, "did you mean `GPa`?");
  expect_error("210 gpa", "unknown unit `gpa`", 4, 3, "did you mean `GPa`?");
  expect_error("10 kg/m^3/parsec", "unknown unit `parsec`", 10, 6);
  expect_error("mm", "must start with a number", 0, 1, "for example \"10 mm\"");
  expect_error("", "must start with a number", 0, 1);
  expect_error("  ", "must start with a number", 0, 1);
  expect_error("- 3 m", "must start with a number", 0, 1);
  expect_error("inf m", "must start with a number", 0, 1);
  expect_error("nan", "must start with a number", 0, 1);
  expect_error("3 m^", "a power is missing after `^`", 4, 1);
  expect_error("3 m^x", "a power is missing after `^`", 4, 1);
  expect_error("3 m^0.5", "a power must be an integer", 4, 2);
  expect_error("3 m/", "a unit is missing", 4, 1);
  expect_error("3 m*", "a unit is missing", 4, 1);
  expect_error("3 (m", "`(` is not closed", 2, 1);
  expect_error("3 m)", "unexpected `)`", 3, 1);
  expect_error("3 m2", "unexpected `2`", 3, 1);
  expect_error("3 4 m", "unexpected `4`", 2, 1);
  expect_error("3 kg/m s", "a blank after `/` has two meanings", 6, 1,
               "write `kg/(m*s)` or `kg/m*s`, whichever is meant");
}

TEST(Units, hostile_texts_are_bounded) {
  expect_error("1 m^13", "a power must be from -12 to 12", 4, 2);
  expect_error("1 m^99999999999999999999999999", "a power must be from -12 to 12", 4, 26);
  expect_error("1 m^-99999999999999999999999999", "a power must be from -12 to 12", 4, 27);
  expect_error("1 (m^12)^12", "a power must be from -12 to 12", 2, 9);
  expect_error("1 m^12*m^12", "a power must be from -12 to 12", 7, 4);
  expect_error("1e400 m", "the number is too large or too small", 0, 5);
  expect_error("1e-400 m", "the number is too large or too small", 0, 6);
  expect_error("1e300 Tm^2", "the number is too large or too small", 0, 10);
  expect_error("1 " + std::string(300, 'm'), "the text is too long for a number with a unit", 0, 302);
  // A ratio of angles has no dimension that grows; the factor does.
  expect_error("1 ((deg/rad)^12)^12*((deg/rad)^12)^12", "the unit is too large or too small for a number", 20, 17);
  expect_error("1 (Tm/pm)^12*(Tm/pm)^12", "the unit is too large or too small for a number", 13, 10);
  expect_error("1 " + std::string(100, '('), "a unit is missing", 102, 1);
}

TEST(Units, names_dimensions) {
  EXPECT_EQ(describe(kPressure), "a pressure (Pa)");
  EXPECT_EQ(describe(kAngularSpeed), "an angular speed (rad/s)");
  EXPECT_EQ(describe(kPlainNumber), "a plain number");
  EXPECT_EQ(describe({{1, 0, -3, 0, 0}}), "a quantity in kg/s^3");
  EXPECT_EQ(describe({{0, -1, -3, 0, 0}}), "a quantity in 1/(m*s^3)");
  EXPECT_EQ(describe({{1, 1, 0, 0, 0}}), "a quantity in kg*m");
}

TEST(Units, examples_and_unit_names_read) {
  for (const std::string& name : unit_names())
    EXPECT_TRUE(std::holds_alternative<Quantity>(parse_quantity("1 " + name))) << name;
  EXPECT_GE(unit_names().size(), 40u);
  for (const Dimension& dimension : {kMass,
                                     kLength,
                                     kTime,
                                     kAngle,
                                     kRate,
                                     kArea,
                                     kSectionModulus,
                                     kSecondMoment,
                                     kDensity,
                                     kInertia,
                                     kAcceleration,
                                     kForce,
                                     kMoment,
                                     kPressure,
                                     kStiffness,
                                     kDamping,
                                     kRotationalStiffness,
                                     kRotationalDamping,
                                     kAngularSpeed,
                                     kAngularAcceleration}) {
    const std::string text = example(dimension);
    const auto parsed = parse_quantity(text.substr(1, text.size() - 2));
    ASSERT_TRUE(std::holds_alternative<Quantity>(parsed)) << text;
    EXPECT_EQ(std::get<Quantity>(parsed).dimension, dimension) << text;
    const auto si = parse_quantity("1 " + si_unit(dimension));
    ASSERT_TRUE(std::holds_alternative<Quantity>(si)) << si_unit(dimension);
    EXPECT_EQ(std::get<Quantity>(si).dimension, dimension);
    EXPECT_EQ(std::get<Quantity>(si).value, 1) << si_unit(dimension);
  }
}

}  // namespace
}  // namespace elodyn
