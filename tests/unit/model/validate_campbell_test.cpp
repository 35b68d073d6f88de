#include <string>

#include <gtest/gtest.h>

#include "elodyn/io/read_model.hpp"

namespace elodyn {
namespace {

// All errors of a rod with this motion and this [analysis.campbell].
std::string errors_of(const std::string& motion, const std::string& campbell, const std::string& head = {}) {
  Diagnostics diagnostics;
  const std::string text = "schema = 1\n" + head + R"([material.steel]
young = 210e9
density = 7800
[section.round]
shape = "circle"
diameter = 0.01
[body.rod]
element = "beam_euler_bernoulli"
dimension = 2
material = "steel"
section = "round"
line = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 4 }
clamp = ["from"]
)" + motion + "\n[analysis.campbell]\n" +
                           campbell + "\n";
  read_model("model.toml", text, {}, diagnostics);
  return diagnostics.format_all(Severity::error);
}
const std::string kSpin = "motion = { kind = \"spin\", speed = 0 }";

void expect_error(const std::string& errors, const std::string& wanted) {
  EXPECT_NE(errors.find(wanted), std::string::npos) << errors;
}

TEST(ValidateCampbell, GoodRequest) {
  EXPECT_EQ(errors_of(kSpin, "speeds = { from = \"0 rpm\", to = \"9000 rpm\", count = 61 }\norders = [1, 2.5]"), "");
}

TEST(ValidateCampbell, AllMistakesAtOnce) {
  const std::string errors =
      errors_of(kSpin,
                "speeds = { from = \"900 rpm\", to = \"90 rpm\", count = 1 }\ncount = 0\norders = [1, -2]\n"
                "body = \"rud\"");
  expect_error(errors, "count = 1, must be");
  expect_error(errors, "count = 0, must be");
  expect_error(errors, "order -2 in orders, must be above 0 and finite");
  expect_error(errors, "unknown body `rud`");
  expect_error(errors, "did you mean `rod`?");
}

TEST(ValidateCampbell, OrderZeroIsDivergence) {
  const std::string errors = errors_of(kSpin, "speeds = { from = 0, to = 90 }\norders = [0]");
  expect_error(errors, "order 0 in orders, must be above 0 and finite");
  expect_error(errors, "are found by [analysis.stability]");
}

TEST(ValidateCampbell, OrderGivenTwice) {
  const std::string errors = errors_of(kSpin, "speeds = { to = 90 }\norders = [1, 2, 1, 1]");
  expect_error(errors, "order 1 is given more than once in orders");
  EXPECT_EQ(errors.find("order 1 is"), errors.rfind("order 1 is")) << errors;
}

TEST(ValidateCampbell, SpeedsMustRise) {
  expect_error(errors_of(kSpin, "speeds = { from = 90, to = 10 }"), "to = 10 rad/s, must be above from = 90 rad/s");
  expect_error(errors_of(kSpin, "speeds = { from = -1, to = 10 }"), "must be at least 0");
  expect_error(errors_of(kSpin, "count = 3"), "`speeds`");
}

TEST(ValidateCampbell, SomethingMustSpin) { expect_error(errors_of("", "speeds = { to = 10 }"), "no body spins"); }

TEST(ValidateCampbell, FixedFrameNeedsAShaft) {
  expect_error(errors_of(kSpin, "speeds = { to = 10 }\nframe = \"fixed\""), "must be a spatial beam");
}

// A file with speed = 0 spins all the same when its speed is swept.
TEST(ValidateCampbell, GravityAcrossTheAxisIsRefusedAtRestToo) {
  expect_error(errors_of(kSpin, "speeds = { to = 10 }", "gravity = [0, -9.81, 0]\n"), "gravity across the spin axis");
}

}  // namespace
}  // namespace elodyn
