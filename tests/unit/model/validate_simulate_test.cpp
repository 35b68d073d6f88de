#include <string>

#include "tests/support/models.hpp"
#include <gtest/gtest.h>

#include "elodyn/model/validate.hpp"

namespace elodyn {
namespace {

Model make_model() {
  Model m = test::make_rod({});
  m.simulate.emplace();
  m.simulate->duration = 1;
  m.simulate->step = 0.1;
  return m;
}

std::string errors_of(const Model& m, const std::vector<std::string>& wanted = {}) {
  Diagnostics diagnostics;
  KnownNames names;
  names.integrators = {"implicit_midpoint", "rk4"};
  names.formalisms = {"kane"};
  names.system_formalisms = {"maggi"};
  names.motion_formalisms = {"whittaker"};
  names.wanted = wanted;
  validate(m, names, diagnostics);
  return diagnostics.format_all(Severity::error);
}

TEST(ValidateSimulate, AcceptsASoundRequest) {
  Model m = make_model();
  EXPECT_EQ(errors_of(m), "");
  EXPECT_EQ(m.simulate->n_steps(), 10);
  m.simulate->step = 0.3;
  EXPECT_EQ(m.simulate->n_steps(), 4);
  m.simulate->step.reset();
  m.simulate->steps = 7;
  m.simulate->integrator.value = "rk4";
  m.simulate->points = {{"to", {}}};
  m.simulate->initial_mode = 1;
  m.simulate->initial_amplitude = -1e-3;
  EXPECT_EQ(errors_of(m), "");
  EXPECT_EQ(m.simulate->n_steps(), 7);
}

TEST(ValidateSimulate, ShowsAllMistakesAtOnce) {
  Model m = make_model();
  m.simulate->duration = 0;
  m.simulate->integrator.value = "rk5";
  m.simulate->initial_mode = 2;
  m.simulate->points = {{"tow", {}}};
  EXPECT_EQ(errors_of(m),
            "error: duration = 0 s, must be above 0 and finite\n"
            "error: unknown integrator `rk5`\n  help: did you mean `rk4`?\n"
            "error: initial_mode needs initial_amplitude, its largest displacement\n"
            "  help: for example initial_amplitude = \"1 mm\"\n"
            "error: no body has a point `tow`\n  help: did you mean `to`?\n");
}

TEST(ValidateSimulate, StepsAndRows) {
  const std::string help =
      "  help: give the longest time step, step = \"1 ms\", their number, steps = 1000, or the error of a step, "
      "tolerance "
      "= 1e-5\n";
  Model m = make_model();
  m.simulate->steps = 3;
  EXPECT_EQ(errors_of(m), "error: step and steps are both given\n" + help);
  m.simulate->step.reset();
  m.simulate->steps.reset();
  EXPECT_EQ(errors_of(m), "error: [analysis.simulate] needs step, steps or tolerance\n" + help);
  m.simulate->step = 1e-9;
  EXPECT_EQ(errors_of(m), "error: step makes more than 100000000 steps, must be from 1 to 100000000\n");
  m.simulate->step = 1e-7;
  EXPECT_EQ(errors_of(m),
            "error: 10000000 rows would be recorded, must be at most 2000000\n  help: record fewer: every = 6\n");
  m.simulate->every = 6;
  EXPECT_EQ(errors_of(m), "");
  m.simulate->initial_amplitude = 1;
  EXPECT_EQ(errors_of(m), "error: initial_amplitude without initial_mode\n  help: say which mode: initial_mode = 1\n");
}

// A formalism that gives motions only is for simulate, whether the file or a command asks.
TEST(ValidateSimulate, FormalismsWithoutMatrices) {
  Model m = make_model();
  m.modes.reset();
  m.formalism.value = "whittaker";
  EXPECT_EQ(errors_of(m), "");
  m.element_formalism.value = "kane";
  EXPECT_EQ(errors_of(m), "");
  m.modes.emplace();
  m.static_.emplace();
  const std::string help = "  help: formalisms that give matrices: kane, maggi\n";
  EXPECT_EQ(errors_of(m),
            "error: `whittaker` gives a motion, not matrices, which static, modes need; it can be chosen for simulate "
            "only\n" +
                help);
  for (const char* command : {"simulate", "derive", "compare"}) EXPECT_EQ(errors_of(m, {command}), "") << command;
  EXPECT_EQ(errors_of(m, {"matrices"}),
            "error: `whittaker` gives a motion, not matrices, which matrices needs; it can be chosen for simulate "
            "only\n" +
                help);
  m.modes.reset();
  m.static_.reset();
  m.simulate.reset();  // then a run computes modes
  EXPECT_NE(errors_of(m).find("which modes needs"), std::string::npos) << errors_of(m);
}

TEST(ValidateSimulate, IntegratorBesideAFormalismWithItsOwn) {
  Model m = make_model();
  m.modes.reset();
  m.simulate->integrator.value = "rk4";
  m.formalism.value = "whittaker";
  EXPECT_EQ(errors_of(m),
            "error: integrator = \"rk4\" beside formalism = \"whittaker\", which integrates its own equations and "
            "controls the error itself\n  help: leave out `integrator`, or choose another formalism\n");
  m.formalism.value = "maggi";  // makes matrices too
  EXPECT_EQ(errors_of(m), "");
}

TEST(ValidateSimulate, PhaseNeedsAMode) {
  Model m = make_model();
  m.simulate->initial_phase = 1;
  EXPECT_EQ(errors_of(m), "error: initial_phase without initial_mode\n  help: say which mode: initial_mode = 1\n");
}

TEST(ValidateSimulate, ToleranceAndOptionsOfMethods) {
  Model m = make_model();
  m.simulate->tolerance = 1e-4;
  EXPECT_EQ(errors_of(m).substr(0, 45), "error: step and tolerance are both given\n  he");
  m.simulate->step.reset();
  EXPECT_EQ(errors_of(m), "");
  m.simulate->every = 2;
  EXPECT_EQ(
      errors_of(m),
      "error: every = 2 with tolerance, must be 1\n  help: the steps differ in length: `records` says at how many "
      "times the motion is recorded\n");
  m = make_model();
  m.simulate->spectral_radius = 0.5;
  EXPECT_EQ(errors_of(m), "error: spectral_radius belongs to integrator = \"generalized_alpha\", not \"\"\n");
  m.simulate->spectral_radius.reset();
  m.simulate->checkpoint = "0 steps";
  m.simulate->initial_velocity = {{{"too", {}}, {0, 1, 0}}};
  EXPECT_EQ(errors_of(m),
            "error: initial_velocity: no body has a point `too`\n  help: did you mean `to`?\n"
            "error: checkpoint = \"0 steps\", must be a number of steps or a time above 0\n"
            "  help: for example \"1000 steps\" or \"60 s\"\n");
}

TEST(ValidateFloquet, NeedsAPeriod) {
  Model m = test::make_rod({});
  m.floquet.emplace();
  EXPECT_EQ(errors_of(m),
            "error: [analysis.floquet] needs period: body `rod` does not spin\n"
            "  help: say after which time everything repeats itself: period = \"20 ms\"\n");
  m.floquet->period = 0.1;
  EXPECT_EQ(errors_of(m), "");
  // Gravity that turns is for Floquet and simulate only.
  m = test::make_rod({.speed = 10});
  m.gravity = {0, -9.81, 0};
  m.floquet.emplace();
  EXPECT_NE(errors_of(m), "") << "modes is asked for too";
  m.modes.reset();
  EXPECT_EQ(errors_of(m), "");
  EXPECT_EQ(errors_of(m, {"floquet"}), "");
  EXPECT_NE(errors_of(m, {"static"}), "");
}

}  // namespace
}  // namespace elodyn
