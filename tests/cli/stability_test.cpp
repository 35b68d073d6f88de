// `elodyn stability` and the map of `elodyn run`: what is said, wrong keys, a run that is killed.
#include "test_paths.hpp"
#include "tests/cli/program.hpp"
#include <gtest/gtest.h>

namespace elodyn::test {
namespace {

std::string spinning_rod(const std::string& request) {
  std::string text = rod_toml();
  text.replace(text.find("clamp = "), 0, "degree = 5\n");
  text += "\n[body.rod.motion]\nkind = \"spin\"\nspeed = \"100 rad/s\"\nthrough = [0.5, 0, 0]\n\n" + request;
  return text;
}

const char* const kMap = R"([analysis.stability]
x = { key = "body.rod.motion.through[0]", from = "0 m", to = "1 m", count = 6 }
y = { key = "body.rod.motion.speed", from = "0 rpm", to = "4000 rpm", count = 9 }
)";

TEST(StabilityCommand, DrawsTheMap) {
  Shell shell;
  shell.write("rod.toml", spinning_rod(kMap));
  const Outcome got = shell("elodyn stability rod.toml");
  EXPECT_EQ(got.exit_code, 0) << got.err;
  EXPECT_NE(got.out.find(". stable  D divergence  F flutter"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("4000 .DDDDD"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("0 ......"), std::string::npos) << got.out;
  EXPECT_NE(got.out.find("Boundaries"), std::string::npos);
  EXPECT_NE(got.out.find("Margins"), std::string::npos);
  const Outcome json = shell("elodyn stability rod.toml --json");
  EXPECT_NE(json.out.find("\"name\": \"stability_boundary\""), std::string::npos) << json.out.substr(0, 500);
}

TEST(StabilityCommand, TakesOneParameterAndAny) {
  Shell shell;
  shell.write("rod.toml",
              spinning_rod("[analysis.stability]\nx = { key = \"body.rod.line.to[0]\", from = \"0.2 m\", to = "
                           "\"1 m\", count = 5 }\n"));
  const Outcome got = shell("elodyn stability rod.toml --set body.rod.motion.through[0]=1.0");
  EXPECT_EQ(got.exit_code, 0) << got.err;
  EXPECT_NE(got.out.find("to_0 [m]"), std::string::npos) << got.out;
  const Outcome none = shell("elodyn stability rod.toml --set analysis.modes.count=2 --set body.rod.line.to[3]=1");
  EXPECT_EQ(none.exit_code, 2);
}

// All mistakes in one run, each at its place.
TEST(StabilityCommand, ShowsWhatIsWrong) {
  Shell shell;
  shell.write("rod.toml", spinning_rod(R"([analysis.stability]
x = { key = "body.rod.motion.sped", from = "0 rpm", to = "100 rpm" }
y = { key = "body.rod.element", from = 3, to = 2 }
)"));
  const Outcome got = shell("elodyn check rod.toml");
  EXPECT_EQ(got.exit_code, 2);
  EXPECT_NE(got.err.find("unknown key `sped` in [body.rod.motion]"), std::string::npos) << got.err;
  EXPECT_NE(got.err.find("did you mean `speed`?"), std::string::npos) << got.err;
  EXPECT_NE(got.err.find("`body.rod.element` is \"beam_euler_bernoulli\", must be a number of the file"),
            std::string::npos)
      << got.err;
  EXPECT_NE(got.err.find("to = 2, must be above from = 3"), std::string::npos) << got.err;
  EXPECT_NE(got.err.find("rod.toml:31:13:"), std::string::npos) << got.err;

  shell.write("rod.toml", spinning_rod(R"([analysis.stability]
x = { key = "body.rod.motion.speed", from = "0 mm", to = "100 mm" }
)"));
  const Outcome unit = shell("elodyn check rod.toml");
  EXPECT_EQ(unit.exit_code, 2);
  EXPECT_NE(unit.err.find("speed = \"0 mm\", must be an angular speed"), std::string::npos) << unit.err;

  shell.write("rod.toml", spinning_rod(""));
  const Outcome missing = shell("elodyn stability rod.toml");
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_NE(missing.err.find("has no [analysis.stability]"), std::string::npos) << missing.err;
}

// A map over it would be one of stripes.
TEST(StabilityCommand, RefusesKeysOfNoEquation) {
  Shell shell;
  const std::string unused = "[section.spare]\nshape = \"circle\"\ndiameter = \"3 mm\"\n\n";
  shell.write("rod.toml", spinning_rod(unused + R"([analysis.stability]
x = { key = "analysis.modes.count", from = 2, to = 5 }
y = { key = "section.spare.diameter", also = ["schema", "section.round.diameter"], from = "5 mm", to = "20 mm" }
)"));
  const Outcome got = shell("elodyn check rod.toml");
  EXPECT_EQ(got.exit_code, 2);
  const auto expect = [&](const std::string& place, const std::string& text) {
    EXPECT_NE(got.err.find("rod.toml:" + place + ": error: " + text), std::string::npos) << got.err;
  };
  expect("35:13", "`analysis.modes.count` does not change the equation of a body: [analysis] says what is computed");
  expect("36:13", "`section.spare.diameter` does not change the equation of a body: no body uses section `spare`\n");
  expect("36:47", "`schema` does not change the equation of a body: it is the version of the file\n");
  EXPECT_EQ(got.err.find("`section.round.diameter`"), std::string::npos) << got.err;
}

// Only the assembled equation tells: without gravity it does not matter where in the world the body is.
TEST(StabilityCommand, WarnsOfKeysThatChangeNothing) {
  Shell shell;
  const std::string map = R"([analysis.stability]
x = { key = "body.rod.place[0]", from = "0 m", to = "1 m", count = 4 }
y = { key = "body.rod.motion.speed", from = "0 rpm", to = "900 rpm", count = 3 }
)";
  std::string text = spinning_rod(map);
  text.replace(text.find("clamp = "), 0, "place = [0, 0, 0]\n");
  shell.write("rod.toml", text);
  const Outcome got = shell("elodyn stability rod.toml");
  EXPECT_EQ(got.exit_code, 0) << got.err;
  EXPECT_NE(got.err.find("the result does not change with `body.rod.place[0]` at all"), std::string::npos) << got.err;
  EXPECT_EQ(got.err.find("`body.rod.motion.speed` at all"), std::string::npos) << got.err;
  shell.write("rod.toml", spinning_rod(kMap));
  EXPECT_EQ(shell("elodyn stability rod.toml").err.find("does not change"), std::string::npos);
}

// Below 1e-308 numbers have no digits left, and no verdict could be trusted.
TEST(StabilityCommand, RefusesStiffnessesWithoutDigits) {
  Shell shell;
  shell.write("rod.toml", spinning_rod(R"([analysis.stability]
x = { key = "material.steel.young", from = 1e-300, to = 2.1e11, count = 5 }
y = { key = "body.rod.motion.speed", from = "0 rpm", to = "4000 rpm", count = 3 }
)"));
  const Outcome got = shell("elodyn stability rod.toml");
  EXPECT_EQ(got.exit_code, 3) << got.out;
  EXPECT_NE(got.err.find("error: body `rod`: the stiffness has values near the smallest numbers of the machine: a "
                         "length, section, density, stiffness or load is too large or too small"),
            std::string::npos)
      << got.err;
  EXPECT_EQ(shell("elodyn modes rod.toml --set material.steel.young=1e-300").exit_code, 3);
}

// `elodyn run rod.toml -o killed`, killed as soon as the journal has more than `n` pieces, however quick the machine
// is.
void kill_a_run(Shell& shell, int n) {
  shell("'" ELODYN_PROGRAM "' run rod.toml -o killed & PID=$!; WANTED=" + std::to_string(n) + R"sh(
    for i in $(seq 4000); do
      if [ "$(grep -c points killed/stability.journal 2>/dev/null || true)" -gt $WANTED ]; then break; fi; sleep 0.005
    done
    kill -9 $PID; wait $PID 2>/dev/null)sh");
  ASSERT_NE(shell.list("killed").find("stability.journal"), std::string::npos) << shell.list("killed");
}

void resume_the_run(Shell& shell) {
  const Outcome resumed = shell("elodyn run rod.toml -o killed");
  EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("points were taken over from an earlier run"), std::string::npos) << resumed.err;
}

// Each point has a body of its own here, so that there is time to be killed in.
const char* const kLong = R"([analysis.stability]
tolerance = 1e-4
x = { key = "body.rod.line.to[0]", from = "0.2 m", to = "1 m", count = 30 }
y = { key = "section.round.diameter", from = "5 mm", to = "20 mm", count = 30 }
)";

TEST(StabilityCommand, GoesOnAfterAKill) {
  Shell shell;
  shell.write("rod.toml", spinning_rod(kLong));
  ASSERT_EQ(shell("elodyn run rod.toml -o whole").exit_code, 0);
  ASSERT_NO_FATAL_FAILURE(kill_a_run(shell, 20));
  EXPECT_EQ(shell.list("killed").find("stability.csv"), std::string::npos);
  resume_the_run(shell);
  for (const char* file : {"stability.csv", "stability_boundary.csv", "stability_margins.csv"})
    EXPECT_EQ(shell.read(std::string("killed/") + file), shell.read(std::string("whole/") + file)) << file;
  EXPECT_EQ(shell.list("killed").find("journal"), std::string::npos);
}

// While one run is at it, a second one in the same directory is refused and takes nothing away.
TEST(StabilityCommand, OneRunAtATimeInADirectory) {
  Shell shell;
  shell.write("rod.toml", spinning_rod(kLong));
  const Outcome both = shell(R"sh(')sh" ELODYN_PROGRAM R"sh(' run rod.toml -o out >first.log 2>&1 & PID=$!
    for i in $(seq 4000); do [ -s out/stability.journal ] && break; sleep 0.005; done
    kill -STOP $PID
    elodyn run rod.toml -o out; echo second $?
    elodyn matrices rod.toml -o out 2>/dev/null; echo matrices $?
    elodyn run rod.toml -o out --json; echo json $?
    kill -CONT $PID; wait $PID; echo first $?)sh");
  EXPECT_NE(both.out.find("second 2\n"), std::string::npos) << both.out;
  EXPECT_NE(both.err.find("error: another run is writing to the output directory `out` (process "), std::string::npos)
      << both.err;
  EXPECT_NE(both.err.find("wait until it is done, or name another directory with -o"), std::string::npos) << both.err;
  EXPECT_NE(both.out.find("matrices 2\n"), std::string::npos) << both.out;
  EXPECT_NE(both.out.find("json 2\n"), std::string::npos) << both.out;
  EXPECT_NE(both.out.find("first 0\n"), std::string::npos) << both.out << shell.read("first.log");
  EXPECT_EQ(shell.list("out").find(".elodyn.lock"), std::string::npos) << shell.list("out");
  EXPECT_FALSE(shell.read("out/stability.csv").empty());
}

// One line of speeds of a damped body, each with all its eigenvalues: a kill loses the point that was being done.
TEST(StabilityCommand, LosesLittleOfALineThatIsKilled) {
  Shell shell;
  std::string text = spinning_rod(R"([analysis.stability]
x = { key = "body.rod.motion.speed", from = "0 rpm", to = "4000 rpm", count = 24 }
)");
  text.replace(text.find("clamp = "), 0, "damping = { mass = 2 }\n");
  text.replace(text.find("elements = 4"), 12, "elements = 40");
  shell.write("rod.toml", text);
  ASSERT_NO_FATAL_FAILURE(kill_a_run(shell, 3));
  resume_the_run(shell);
  ASSERT_EQ(shell("elodyn run rod.toml -o whole").exit_code, 0);
  EXPECT_EQ(shell.read("killed/stability.csv"), shell.read("whole/stability.csv"));
}

// What else the file asks for need not go with every value of the map: at rest there is no turn to be the period.
TEST(StabilityCommand, OtherAnalysesDoNotJudgeTheMap) {
  Shell shell;
  shell.write("rod.toml",
              spinning_rod("[analysis.floquet]\n\n[analysis.stability]\nx = { key = \"body.rod.motion.speed\", "
                           "from = \"0 rpm\", to = \"900 rpm\", count = 4 }\n"));
  for (const std::string command : {"check", "floquet", "stability", "run"}) {
    const Outcome outcome = shell("elodyn " + command + " rod.toml");
    EXPECT_EQ(outcome.exit_code, 0) << command << ": " << outcome.err;
  }
  EXPECT_EQ(shell.read("rod.out/stability.csv").find("no model"), std::string::npos);
  // What it does need itself is said at its own table.
  const Outcome wrong = shell("elodyn floquet rod.toml --set body.rod.motion.speed=0");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("needs period"), std::string::npos) << wrong.err;
  EXPECT_NE(wrong.err.find("| [analysis.floquet]"), std::string::npos) << wrong.err;
}

// A journal of another input, or a broken one, is not used.
TEST(StabilityCommand, DoesNotMixInputs) {
  Shell shell;
  shell.write("rod.toml", spinning_rod(kMap));
  ASSERT_EQ(shell("elodyn run rod.toml -o out").exit_code, 0);
  const std::string want = shell.read("out/stability.csv");
  ASSERT_EQ(shell("mkdir other && printf 'elodyn journal 1 abc\\npoints:0:0 0x1p+0 0123456789abcdef\\n' > "
                  "other/stability.journal && elodyn run rod.toml -o other")
                .exit_code,
            0);
  EXPECT_EQ(shell.read("other/stability.csv"), want);
  EXPECT_EQ(shell.list("other").find("journal"), std::string::npos);
}

}  // namespace
}  // namespace elodyn::test
