// A run that is killed or interrupted goes on where it was, to the same digits.
#include "test_paths.hpp"
#include "tests/cli/program.hpp"
#include <gtest/gtest.h>

namespace elodyn::test {
namespace {

std::string swinging_toml(const std::string& keys) {
  std::string text = rod_toml();
  text.resize(text.find("[analysis.modes]"));
  return text + R"toml(
[body.rod.motion]
kind = "prescribed"
angular_velocity = [0, 0, "100*sin(3*t)"]
angular_acceleration = [0, 0, "300*cos(3*t)"]

[[body.rod.load]]
at = "to"
force = [0, "5 N", 0]
time = "sin(20*t)"

[analysis.simulate]
duration = "1 s"
)toml" + keys;
}

class Checkpoint : public ::testing::Test {
 protected:
  // Starts a run, waits for its checkpoint, ends it with the signal.
  Outcome end_with(const std::string& signal) const {
    return shell("'" ELODYN_PROGRAM
                 "' run m.toml -o out & pid=$!\n"
                 "for i in $(seq 1000); do [ -e out/rod.checkpoint ] && break; sleep 0.01; done\n"
                 "kill -" +
                 signal + " $pid; wait $pid; echo ended $?");
  }
  // The whole run, once.
  std::string find_whole() const {
    EXPECT_EQ(shell("elodyn run m.toml -o whole").exit_code, 0);
    EXPECT_EQ(shell.list("whole").find("checkpoint"), std::string::npos) << "removed when done";
    return shell.read("whole/rod_history.csv");
  }
  void expect_resumed(const std::string& whole) const {
    const Outcome second = shell("elodyn run m.toml -o out");
    EXPECT_EQ(second.exit_code, 0) << second.err;
    EXPECT_NE(second.err.find("note: the run goes on from out/rod.checkpoint"), std::string::npos) << second.err;
    EXPECT_TRUE(shell.read("out/rod_history.csv") == whole);
    EXPECT_EQ(shell.read("out/simulate.csv"), shell.read("whole/simulate.csv"));
    EXPECT_EQ(shell.list("out").find("checkpoint"), std::string::npos) << "removed when done";
  }
  Shell shell;
};

constexpr const char* kFixed =
    "step = \"10 us\"\nevery = 1000\nintegrator = \"generalized_alpha\"\ncheckpoint = \"2000 steps\"\n";
constexpr const char* kControlled = "tolerance = 1e-8\nrecords = 40\ncheckpoint = \"2000 steps\"\n";

TEST_F(Checkpoint, GoesOnAfterAKill) {
  for (const char* keys : {kFixed, kControlled}) {
    shell.write("m.toml", swinging_toml(keys));
    const std::string whole = find_whole();
    const Outcome first = end_with("KILL");
    EXPECT_NE(first.out.find("ended 137"), std::string::npos) << first.out << first.err;
    expect_resumed(whole);
  }
}

TEST_F(Checkpoint, GoesOnAfterCtrlC) {
  for (const char* keys : {kFixed, kControlled}) {
    shell.write("m.toml", swinging_toml(keys));
    const std::string whole = find_whole();
    const Outcome first = end_with("INT");
    EXPECT_NE(first.out.find("ended 130"), std::string::npos) << first.out << first.err;
    EXPECT_NE(first.err.find("the current step is being finished"), std::string::npos) << first.err;
    EXPECT_NE(first.err.find("error: interrupted; what was finished is kept"), std::string::npos) << first.err;
    const std::string rows = shell.read("out/rod_history.csv");  // what was recorded so far
    EXPECT_FALSE(rows.empty());
    EXPECT_LT(rows.size(), whole.size());
    EXPECT_TRUE(whole.starts_with(rows));
    expect_resumed(whole);
  }
}

// Another model in the same directory starts from the beginning, and says why.
TEST_F(Checkpoint, IsNotUsedForAnotherModel) {
  shell.write("m.toml", swinging_toml(kFixed));
  end_with("KILL");
  const Outcome second = shell("elodyn run m.toml -o out --set analysis.simulate.duration=0.1");
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_NE(second.err.find("out/rod.checkpoint is of another model or version: the run starts from the beginning"),
            std::string::npos)
      << second.err;
  shell("elodyn run m.toml -o fresh --set analysis.simulate.duration=0.1");
  EXPECT_EQ(shell.read("out/rod_history.csv"), shell.read("fresh/rod_history.csv"));
  shell.write("out/rod.checkpoint", "elodyn checkpoint 1\ntrash");
  EXPECT_EQ(shell("elodyn run m.toml -o out --set analysis.simulate.duration=0.1").exit_code, 0);
}

TEST_F(Checkpoint, TellsWhatIsWrongWithTheKey) {
  shell.write("m.toml", swinging_toml("steps = 10\ncheckpoint = \"often\"\n"));
  const Outcome outcome = shell("elodyn check m.toml");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("checkpoint = \"often\", must be a number of steps or a time above 0"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace elodyn::test
