#include <string>

#include "tests/support/models.hpp"
#include <gtest/gtest.h>

#include "elodyn/io/read_model.hpp"
#include "elodyn/model/validate.hpp"

namespace elodyn {
namespace {

Model make_model() {
  Model m = test::make_rod({});
  m.frf.emplace();
  m.frf->frequencies.to = 500;
  HarmonicLoad load;
  load.at = Located<std::string>{"to", {}};
  load.force = {0, 1, 0};
  m.frf->excitations = {load};
  return m;
}

std::string errors_of(const Model& m) {
  Diagnostics diagnostics;
  validate(m, {}, diagnostics);
  return diagnostics.format_all(Severity::error);
}

TEST(ValidateFrf, AcceptsASoundRequest) {
  Model m = make_model();
  EXPECT_EQ(errors_of(m), "");
  m.reduction.emplace();
  m.reduction->points = {{"to", {}}};
  m.frf->method = FrfRequest::Method::craig_bampton;
  m.frf->loss_factor = 0.01;
  EXPECT_EQ(errors_of(m), "");
}

TEST(ValidateFrf, ShowsAllMistakesAtOnce) {
  Model m = make_model();
  m.frf->frequencies.from = 600;
  m.frf->modes = 3;
  m.frf->up_to = 100;
  m.frf->method = FrfRequest::Method::modal;
  m.frf->loss_factor = 0.1;
  m.frf->points = {{"tow", {}}};
  m.frf->excitations[0].at->value = "form";
  HarmonicLoad base;
  base.base_displacement = {0, 0, 1};
  m.frf->excitations.push_back(base);
  m.reduction.emplace();
  m.reduction->points = {{"fro", {}}};
  EXPECT_EQ(errors_of(m),
            "error: from = 600 Hz, must be below to = 500 Hz\n"
            "error: modes and up_to are both given, must be one of them\n"
            "error: loss_factor = 0.1 with method = \"modal\", must be 0\n"
            "  help: use \"direct\" or \"craig_bampton\", or give the body damping\n"
            "error: body `rod` has no point `tow`\n  help: did you mean `to`?\n"
            "error: base_displacement along z does nothing in a body of dimension 2, must be 0\n"
            "error: load at unknown point `form` of body `rod`\n  help: did you mean `from`?\n"
            "error: body `rod` has no point `fro`\n  help: did you mean `from`?\n");
}

TEST(ValidateFrf, RefusesZeroLoadsAndOneFrequencyOfTwo) {
  Model m = make_model();
  m.frf->excitations[0].force.setZero();
  m.frf->excitations[0].marks.set("force", {}, true);
  EXPECT_EQ(errors_of(m),
            "error: an excitation has no amplitude, must not be 0\n  help: for example force = [0, \"1 N\", 0]\n");
  m = make_model();
  m.frf->frequencies.from = 20;
  m.frf->frequencies.count = 1;
  EXPECT_EQ(errors_of(m),
            "error: count = 1 from 20 Hz to 500 Hz, must be at least 2\n"
            "  help: for one frequency write it as both from and to\n");
  m.frf->frequencies.to = 20;
  EXPECT_EQ(errors_of(m), "");
}

TEST(ValidateFrf, WarnsOfModesThatDoNothing) {
  Model m = make_model();
  const auto warnings_of = [&] {
    Diagnostics diagnostics;
    validate(m, {}, diagnostics);
    return diagnostics.format_all(Severity::warning);
  };
  m.frf->up_to = 100;
  EXPECT_EQ(warnings_of(),
            "warning: up_to does nothing with method = \"direct\", which needs no modes\n"
            "  help: use \"modal\" or \"craig_bampton\", or leave it out\n");
  m.frf->method = FrfRequest::Method::modal;
  EXPECT_EQ(warnings_of(), "");
}

TEST(ValidateFrf, RefusesTwoWaysToGiveOneMotionOfTheFrame) {
  Model m = make_model();
  HarmonicLoad base;
  base.base_displacement = {0, 1, 0};
  base.base_acceleration = {0, 1, 0};
  base.base_rotation = {0, 0, 1};
  base.base_angular_acceleration = {0, 0, 1};
  m.frf->excitations = {base};
  const std::string help = "  help: for a sum of both write two [[analysis.frf.excitation]]\n";
  EXPECT_EQ(errors_of(m),
            "error: base_displacement and base_acceleration are both given, must be one of them\n" + help +
                "error: base_rotation and base_angular_acceleration are both given, must be one of them\n" + help);
}

TEST(ValidateFrf, RefusesWhatIsNotModelled) {
  Model m = make_model();
  m.frf->excitations.clear();
  EXPECT_NE(errors_of(m).find("has no excitation"), std::string::npos);

  m = make_model();
  m.bodies[0].motion.kind = Motion::Kind::prescribed;
  EXPECT_NE(errors_of(m).find("whose motion changes with time"), std::string::npos) << errors_of(m);

  m = make_model();
  HarmonicLoad base;
  base.base_angular_acceleration = {0, 0, 1};
  m.frf->excitations = {base};
  m.gravity = {0, -9.81, 0};
  EXPECT_NE(errors_of(m).find("must be given as base_rotation"), std::string::npos) << errors_of(m);
  m.gravity.setZero();
  EXPECT_EQ(errors_of(m), "");
  m.bodies[0].motion.kind = Motion::Kind::spin;
  m.bodies[0].motion.speed = 10;
  EXPECT_NE(errors_of(m).find("frequencies.from must be above 0"), std::string::npos) << errors_of(m);
  m.frf->frequencies.from = 1;
  m.frf->relative_to = FrfRequest::RelativeTo::ground;
  EXPECT_NE(errors_of(m).find("must be \"frame\""), std::string::npos) << errors_of(m);
  m.frf->relative_to = FrfRequest::RelativeTo::frame;
  Spring spring = test::make_spring("to", {1, 1, 0}, Vec3::Zero());
  spring.other = Spring::Other::ground;
  m.bodies[0].springs = {spring};
  EXPECT_NE(errors_of(m).find("springs to the ground"), std::string::npos) << errors_of(m);
}

TEST(ValidateFrf, IsReadAndEchoed) {
  const std::string text = R"(schema = 1
[material.steel]
young = "210 GPa"
density = 7800
[section.round]
shape = "circle"
diameter = "10 mm"
[body.rod]
element = "beam_rayleigh"
dimension = 2
material = "steel"
section = "round"
line = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 4 }
clamp = ["from"]
[analysis.frf]
method = "modal"
points = ["to"]
output = "acceleration"
up_to = "2 kHz"
frequencies = { from = "1 Hz", to = "0.5 kHz", count = 30, spacing = "log", cluster = false }
[[analysis.frf.excitation]]
at = "to"
force = [0, "2 N", 0]
phase = "90 deg"
[[analysis.frf.excitation]]
base_displacement = [0, "1 mm", 0]
[analysis.reduction]
points = ["to"]
modes = 5
)";
  Diagnostics diagnostics;
  const auto model = read_model("rod.toml", text, {}, diagnostics);
  ASSERT_TRUE(model.has_value()) << diagnostics.format_all(Severity::error);
  ASSERT_TRUE(model->frf && model->reduction);
  EXPECT_EQ(model->frf->frequencies.to, 500);
  EXPECT_EQ(model->frf->frequencies.spacing, FrequencyRange::Spacing::logarithmic);
  EXPECT_EQ(model->frf->up_to, 2000);
  ASSERT_EQ(model->frf->excitations.size(), 2U);
  EXPECT_EQ(model->frf->excitations[0].force, Vec3(0, 2, 0));
  EXPECT_NEAR(model->frf->excitations[0].phase, 1.5707963267948966, 1e-15);
  EXPECT_EQ(model->frf->excitations[1].base_displacement, Vec3(0, 1e-3, 0));
  EXPECT_EQ(model->reduction->modes, 5);
  // The echo, which shows all defaults, says the same.
  const std::string echo = echo_toml(*model);
  Diagnostics again;
  const auto same = read_model("echo.toml", echo, {}, again);
  ASSERT_TRUE(same.has_value()) << again.format_all(Severity::error) << echo;
  EXPECT_EQ(echo_toml(*same), echo);
}

}  // namespace
}  // namespace elodyn
