// Mistakes on the command line: the whole message and the exit code.
#include "tests/cli/program.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace elodyn::test {
namespace {

// Nothing on stdout, this on stderr, exit code 2.
void expect_refused(const Outcome& outcome, const std::string& message) {
  EXPECT_EQ(outcome.err, message);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.exit_code, 2);
}

TEST(CommandLine, NoCommand) {
  expect_refused(Shell()("elodyn"), "error: a command is missing\n  help: `elodyn --help` lists them\n");
}

TEST(CommandLine, UnknownCommand) {
  const Shell shell;
  expect_refused(shell("elodyn modez rod.toml"), "error: unknown command `modez`\n  help: did you mean `modes`?\n");
  expect_refused(
      shell("elodyn xyzzy"),
      "error: unknown command `xyzzy`\n"
      "  help: commands: run, check, new, modes, static, buckling, campbell, simulate, mechanism, frf, reduce, "
      "stability, floquet, cycle, linkage, periodic, report, measure, identify, spectra, modal, correlate, converge, "
      "compare, derive, matrices, mesh, list, schema\n");
  expect_refused(shell("elodyn rod.toml"),
                 "error: unknown command `rod.toml`\n  help: write `elodyn run rod.toml` to run a file\n");
}

TEST(CommandLine, UnknownOption) {
  const Shell shell;
  expect_refused(shell("elodyn converge rod.toml --levls 3"),
                 "error: unknown option `--levls` of `elodyn converge`\n  help: did you mean `--levels`?\n"
                 "error: unexpected argument `3` of `elodyn converge`\n");
  expect_refused(shell("elodyn modes rod.toml -x"),
                 "error: unknown option `-x` of `elodyn modes`\n"
                 "  help: known: --help, -h, --set, --formalism, --json, --quiet\n");
}

TEST(CommandLine, OptionsBeforeTheCommand) {
  expect_refused(Shell()("elodyn --quiet modes rod.toml"),
                 "error: unknown option `--quiet` before the command\n"
                 "  help: write `elodyn COMMAND` first, then its options; `elodyn --help` lists the commands\n");
}

TEST(CommandLine, MissingThings) {
  const Shell shell;
  expect_refused(shell("elodyn modes"),
                 "error: `elodyn modes` needs a FILE\n"
                 "  help: for example: elodyn modes rod.toml --set body.rod.line.elements=40\n");
  expect_refused(shell("elodyn modes rod.toml --set"), "error: option `--set` needs a value: --set KEY=VALUE\n");
  expect_refused(shell("elodyn run rod.toml -o"), "error: option `-o` needs a value: -o DIR\n");
  expect_refused(shell("elodyn matrices rod.toml"),
                 "error: `elodyn matrices` needs an output directory\n"
                 "  help: for example: elodyn matrices rod.toml -o matrices\n");
  expect_refused(
      shell("elodyn list"),
      "error: `elodyn list` needs to know what\n  help: elements, formalisms, analyses, integrators or writers\n");
}

TEST(CommandLine, BadValues) {
  const Shell shell;
  shell.write("rod.toml", rod_toml());
  for (const std::string levels : {"1", "11", "three", "4.5", "99999999999999", "-3"})
    expect_refused(shell("elodyn converge rod.toml --levels " + levels),
                   "error: --levels = " + levels + ", must be a whole number from 2 to 10\n");
  expect_refused(shell("elodyn list elemnts"), "error: unknown list `elemnts`\n  help: did you mean `elements`?\n");
  expect_refused(shell("elodyn modes rod.toml --formalism newton_eular"),
                 "error: unknown formalism `newton_eular` after --formalism\n  help: did you mean `newton_euler`?\n");
  const Outcome nameless = shell("elodyn modes rod.toml --formalism ''");
  EXPECT_EQ(nameless.exit_code, 2);
  EXPECT_EQ(nameless.err.find("error: unknown formalism `` after --formalism\n"), 0u) << nameless.err;
  EXPECT_EQ(shell("elodyn compare rod.toml --formalism kane").exit_code, 2);  // it takes them all
  expect_refused(shell("elodyn schema --template --markdown"),
                 "error: `elodyn schema` prints one form\n  help: choose --json, --markdown or --template\n");
  expect_refused(shell("elodyn check a.toml b.toml"), "error: unexpected argument `b.toml` of `elodyn check`\n");
}

TEST(CommandLine, HelpAndVersion) {
  const Shell shell;
  for (const std::string line : {"elodyn --help", "elodyn -h", "elodyn help"}) {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_NE(outcome.out.find("elodyn COMMAND --help"), std::string::npos) << outcome.out;
  }
  for (const std::string command : {"run", "check", "new", "modes", "static", "buckling", "simulate", "frf", "reduce",
                                    "converge", "compare", "derive", "matrices", "list", "schema"}) {
    const Outcome outcome = shell("elodyn " + command + " --help");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.out.find("Example:\n  elodyn " + command), std::string::npos) << outcome.out;
    EXPECT_EQ(shell("elodyn help " + command).out, outcome.out);
  }
  const Outcome version = shell("elodyn --version");
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_TRUE(version.out.starts_with("elodyn 0.")) << version.out;
}

TEST(CommandLine, MistakesAsJson) {
  const Outcome outcome = Shell()("elodyn modes --json");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.err, "");
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(json["status"], "input error");
  EXPECT_EQ(
      json["diagnostics"].dump(),
      R"([{"column":null,"file":null,"help":"for example: elodyn modes rod.toml --set body.rod.line.elements=40",)"
      R"("line":null,"severity":"error","text":"`elodyn modes` needs a FILE"}])");
}

}  // namespace
}  // namespace elodyn::test
