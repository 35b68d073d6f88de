// The commands from end to end: what they print, what they write, what they return.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "test_paths.hpp"
#include "tests/cli/program.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace elodyn::test {
namespace {

using Json = nlohmann::json;

std::string replaced(std::string text, const std::string& old, const std::string& with) {
  const size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old;
  return at == std::string::npos ? text : text.replace(at, old.size(), with);
}

class Run : public ::testing::Test {
 protected:
  Run() { shell.write("rod.toml", rod_toml()); }

  // Exit code 2, this message, and no output directory.
  void expect_refused(const std::string& line, const std::string& message) const {
    const Outcome outcome = shell(line);
    EXPECT_EQ(outcome.err, message);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(shell.list(), "rod.toml");
  }

  Shell shell;
};

TEST_F(Run, MissingOrUnreadableFile) {
  expect_refused("elodyn modes rud.toml", "rud.toml: error: cannot read the file: No such file or directory\n");
  expect_refused("elodyn run .", ".: error: cannot read the file: Is a directory\n");
  expect_refused("elodyn check rod.toml/x", "rod.toml/x: error: cannot read the file: Not a directory\n");
}

TEST_F(Run, UnwritableOutputDirectory) {
  expect_refused("elodyn run rod.toml -o rod.toml/out",
                 "error: cannot create the output directory `rod.toml/out`: Not a directory\n");
  expect_refused("elodyn run rod.toml -o rod.toml",
                 "error: cannot create the output directory `rod.toml`: Not a directory\n");
  expect_refused("elodyn run rod.toml -o /proc/elodyn",
                 "error: cannot create the output directory `/proc/elodyn`: No such file or directory\n");
  expect_refused("elodyn matrices rod.toml -o /proc/elodyn",
                 "error: cannot create the output directory `/proc/elodyn`: No such file or directory\n");
}

TEST_F(Run, AFullDiskBehindStandardOutput) {
  const Outcome outcome = shell("elodyn modes rod.toml > /dev/full");
  EXPECT_EQ(outcome.err, "error: cannot write to standard output: No space left on device\n");
  EXPECT_EQ(outcome.exit_code, 2);
}

// A file where a file of the run must go, as a directory that cannot be replaced.
TEST_F(Run, ResultsAreShownEvenIfTheyCannotBeWritten) {
  const Outcome outcome = shell("mkdir -p out/results.json; elodyn run rod.toml -o out");
  EXPECT_EQ(outcome.err, "error: cannot write `out/results.json`: Is a directory\n");
  EXPECT_NE(outcome.out.find("Modes\n"), std::string::npos);
  EXPECT_EQ(outcome.exit_code, 2);
  const Outcome json = shell("elodyn run rod.toml -o out --json");
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_EQ(Json::parse(json.out)["status"], "input error");
}

TEST_F(Run, MistakesOfTheFileAsTextAndAsJson) {
  const std::string bad = replaced(rod_toml(), "clamp", "clmap");
  shell.write("rod.toml", bad);
  const Outcome text = shell("elodyn check rod.toml");
  EXPECT_EQ(text.exit_code, 2);
  EXPECT_EQ(text.out, "");
  EXPECT_EQ(text.err,
            "rod.toml:19:1: error: unknown key `clmap` in [body.rod]\n"
            "  19 | clmap = [\"from\"]\n"
            "     | ^^^^^\n"
            "  help: did you mean `clamp`?\n");
  const Outcome json = shell("elodyn run rod.toml --json");
  EXPECT_EQ(json.exit_code, 2);
  EXPECT_EQ(json.err, "");
  const Json parsed = Json::parse(json.out);
  EXPECT_EQ(parsed["status"], "input error");
  EXPECT_EQ(parsed["diagnostics"], Json::parse(R"([{"file": "rod.toml", "line": 19, "column": 1, "severity": "error",
                             "text": "unknown key `clmap` in [body.rod]", "help": "did you mean `clamp`?"}])"));
  EXPECT_EQ(shell.list(), "rod.toml");
}

TEST_F(Run, Check) {
  const Outcome outcome = shell("elodyn check rod.toml");
  EXPECT_EQ(outcome.out, "rod.toml: no mistakes found: 1 body, 4 elements; analyses: modes\n");
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(shell("elodyn check rod.toml --quiet").out, "");
  EXPECT_EQ(Json::parse(shell("elodyn check rod.toml --json").out)["status"], "ok");
}

TEST_F(Run, ModesTable) {
  const Outcome outcome = shell("elodyn modes rod.toml");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(
      outcome.out.starts_with("Rod\n\nModes\n"
                              "  mode  frequency [Hz]  omega [rad/s]  growth [1/s]  kind\n"
                              "     1"))
      << outcome.out;
  EXPECT_NE(outcome.out.find("bending 100.0 %\n"), std::string::npos) << outcome.out;
}

TEST_F(Run, ModesAsJson) {
  const Outcome outcome = shell("elodyn modes rod.toml --json --set analysis.modes.count=2");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["title"], "Rod");
  ASSERT_EQ(json["modes"].size(), 2u);
  const Json& mode = json["modes"][0];
  for (const std::string member : {"number", "omega", "hz", "growth", "label", "body", "shares", "residual"})
    EXPECT_TRUE(mode.contains(member)) << member;
  EXPECT_EQ(mode["number"], 1);
  EXPECT_EQ(mode["label"], "bending");
  // 1.875104² √(E I / (ρ A L⁴)) of a cantilever; four cubic elements are right to 1e-4.
  EXPECT_NEAR(mode["omega"].get<double>(), 182.43, 0.02);
  EXPECT_NEAR(mode["hz"].get<double>(), 182.43 / (2 * M_PI), 0.01);
  EXPECT_EQ(json["provenance"]["settings"], Json::parse("[\"analysis.modes.count=2\"]"));
  EXPECT_EQ(json["provenance"]["command"], "elodyn modes rod.toml --json --set analysis.modes.count=2");
  EXPECT_EQ(json["provenance"]["input_sha256"].get<std::string>().size(), 64u);
  EXPECT_TRUE(json["timings"].contains("total"));
}

// The rod is held; 3000 elements lose 3·3000⁴ε = 5e-2 of its stiffness, 190 lose 1e-6.
TEST_F(Run, ElementsThatAreTooShortAreNamedAsTheCause) {
  const Outcome outcome = shell("elodyn modes rod.toml --set body.rod.line.elements=3000");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(
      outcome.err.starts_with("error: body `rod`: its elements are so short that round-off is about 5e-02 of "
                              "its lowest stiffness (3000 of the shortest reach across the body, about 190 "
                              "would do)"))
      << outcome.err;
  EXPECT_EQ(shell("elodyn modes rod.toml --set body.rod.line.elements=190").exit_code, 0);
}

TEST_F(Run, FormalismByName) {
  const Outcome outcome = shell("elodyn modes rod.toml --formalism newton_euler --json");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(Json::parse(outcome.out)["modes"].size(), 3u);
}

TEST_F(Run, EveryFormalismGivesTheSameFrequencies) {
  const Json all = Json::parse(shell("elodyn list formalisms --json").out)["formalisms"];
  EXPECT_GE(all.size(), 5u);
  const std::string spin = " --json --set 'body.rod.motion={kind=\"spin\", axis=[0,0,1], speed=\"100 rad/s\"}'";
  const auto omegas = [&](const std::string& choice) {
    const Outcome outcome = shell("elodyn modes rod.toml" + choice + spin);
    EXPECT_EQ(outcome.exit_code, 0) << choice << outcome.err << outcome.out;
    std::vector<double> out;
    const Json json = Json::parse(outcome.out);
    for (const Json& mode : json["modes"]) out.push_back(mode["omega"].get<double>());
    return out;
  };
  const std::vector<double> want = omegas("");
  ASSERT_EQ(want.size(), 3u);
  for (const Json& item : all) {
    const std::string name = item["name"].get<std::string>();
    if (item["summary"].get<std::string>().starts_with("system (motion only)")) {
      const Outcome refused = shell("elodyn modes rod.toml --formalism " + name);
      EXPECT_EQ(refused.exit_code, 2);
      EXPECT_NE(refused.err.find("error: `" + name +
                                 "` gives a motion, not matrices, which modes needs; it can be "
                                 "chosen for simulate only\n"),
                std::string::npos)
          << refused.err;
      EXPECT_NE(refused.err.find("help: formalisms that give matrices: newton_euler, "), std::string::npos);
      continue;
    }
    const std::vector<double> got = omegas(" --formalism " + name);
    ASSERT_EQ(got.size(), want.size()) << name;
    // Round-off of the terms (1e-15) times the condition of K (about 1e6 with four elements).
    for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-9 * want[i]) << name;
  }
  EXPECT_EQ(omegas(" --set formalism='\"kane\"'"), omegas(" --formalism kane"));
}

TEST_F(Run, CompareFormalisms) {
  const Outcome outcome = shell("elodyn compare rod.toml --set body.rod.line.elements=2 --json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["status"], "ok");
  std::map<std::string, Json> by_name;
  for (const Json& report : json["formalisms"]) by_name[report["name"]] = report;
  for (const char* name : {"newton_euler", "lagrange", "hamilton", "gibbs_appell", "kane", "maggi", "multipliers"}) {
    ASSERT_TRUE(by_name.contains(name)) << name;
    const Json& report = by_name[name];
    EXPECT_EQ(report["applies"], true) << name;
    EXPECT_LE(report["trajectory_difference"].get<double>(), 1e-8) << name;
    EXPECT_GT(report["motion_seconds"].get<double>(), 0) << name;
    if (report["name"] == "multipliers") continue;  // gives a motion, derives nothing
    EXPECT_GT(report["operations"]["multiplications"].get<long>(), 1000) << name;
    EXPECT_GT(report["seconds"].get<double>(), 0) << name;
    EXPECT_LE(report["max_difference"].get<double>(), 1e-12) << name;
    EXPECT_LE(report["frequency_difference"].get<double>(), 1e-9) << name;
  }
  EXPECT_EQ(by_name["newton_euler"]["operations"]["differentiations"], 0);
  EXPECT_GT(by_name["lagrange"]["operations"]["differentiations"].get<long>(), 0);
  // Twice as many elements, twice as many operations.
  const Json twice = Json::parse(shell("elodyn compare rod.toml --set body.rod.line.elements=4 --json").out);
  for (const Json& report : twice["formalisms"]) {
    if (report["operations"].is_null()) continue;
    EXPECT_EQ(report["operations"]["differentiations"].get<long>(),
              2 * by_name[report["name"]]["operations"]["differentiations"].get<long>());
  }
}

// Elements are what formalisms are compared on.
bool has_elastic_body(const std::filesystem::path& file) {
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.find("\nelement") != std::string::npos || text.find("mesh") != std::string::npos;
}

TEST_F(Run, CompareExamples) {
  // Motion by Maggi takes as many steps as the highest frequency asks for: the finest of them with fewer elements.
  const std::string coarse = " --set 'body.blade.rectangle={ from = [0, 0, 0], to = [0.3, 0.1, 0], nx = 6, ny = 2 }'";
  for (const auto& example : std::filesystem::directory_iterator(ELODYN_SOURCE_DIR "/examples")) {
    if (!has_elastic_body(example.path() / "model.toml")) continue;
    const Outcome outcome = shell("elodyn compare '" + (example.path() / "model.toml").string() + "' --json" +
                                  (example.path().filename() == "reduced_blade" ? coarse : ""));
    EXPECT_EQ(outcome.exit_code, 0) << example.path() << outcome.err;
    EXPECT_EQ(Json::parse(outcome.out)["status"], "ok") << example.path();
  }
}

// Soft, fast and far from the axis: static deflections say nothing about a short motion, loads hide a small start, and
// what grows must not outgrow its digits. All formalisms apply and agree all the same.
TEST_F(Run, CompareBodiesFarFromEquilibrium) {
  shell("elodyn new spinning_rod > spun.toml");
  for (const std::string& extreme :
       {std::string("--set material.steel.young=1 --set 'body.rod.motion.through=[10,0,0]'"),
        std::string("--set material.steel.young=1"), std::string("--set body.rod.motion.speed=1e8"),
        std::string("--set 'body.rod.motion.through=[-1e9,0,0]'"), std::string("--set material.steel.young=1e7")}) {
    const Outcome outcome = shell("elodyn compare spun.toml --set body.rod.line.elements=2 --json " + extreme);
    EXPECT_EQ(outcome.exit_code, 0) << extreme << outcome.err;
    const Json json = Json::parse(outcome.out);
    for (const Json& report : json["formalisms"]) {
      EXPECT_EQ(report["applies"], true) << extreme << report["name"] << report["reason"];
      EXPECT_EQ(report["reason"], "") << extreme << report["name"];
    }
  }
}

TEST_F(Run, CompareSaysWhatDoesNotApplyAndWhy) {
  const std::string damped =
      "elodyn compare rod.toml --set body.rod.line.elements=2 --set body.rod.damping.stiffness=1e-6";
  const Json json = Json::parse(shell(damped + " --json").out);
  const auto found = std::find_if(json["formalisms"].begin(), json["formalisms"].end(),
                                  [](const Json& report) { return report["name"] == "whittaker"; });
  ASSERT_NE(found, json["formalisms"].end());
  EXPECT_EQ((*found)["applies"], false);
  EXPECT_NE((*found)["reason"].get<std::string>().find("damp"), std::string::npos) << (*found)["reason"];
  EXPECT_TRUE((*found)["max_difference"].is_null());
  EXPECT_NE(shell(damped).out.find((*found)["reason"].get<std::string>()), std::string::npos);
  // Matrices of any size are projected, a trajectory of blocks is for small ones.
  const Json large = Json::parse(shell("elodyn compare rod.toml --set body.rod.line.elements=80 --json").out);
  for (const Json& report : large["formalisms"]) {
    if (report["name"] != "maggi") continue;
    EXPECT_EQ(report["applies"], true);
    EXPECT_LE(report["max_difference"].get<double>(), 1e-12);
    EXPECT_TRUE(report["trajectory_difference"].is_null());
    EXPECT_NE(report["reason"].get<std::string>().find("at most 400"), std::string::npos) << report["reason"];
  }
}

TEST_F(Run, ElementFormalismNeedsOneForSystems) {
  EXPECT_EQ(shell("elodyn modes rod.toml --formalism maggi --set element_formalism='\"kane\"'").exit_code, 0);
  const Outcome alone = shell("elodyn modes rod.toml --set element_formalism='\"kane\"'");
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_NE(alone.err.find("error: element_formalism = \"kane\" needs a `formalism` for systems"), std::string::npos)
      << alone.err;
  EXPECT_NE(alone.err.find("help: write formalism = \"kane\" instead, or formalism = \"maggi\" besides"),
            std::string::npos)
      << alone.err;
  const Outcome unknown = shell("elodyn modes rod.toml --formalism maggi --set element_formalism='\"maggi\"'");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find("error: unknown formalism `maggi` for elements"), std::string::npos) << unknown.err;
}

// The file also asks for modes, which the command does not.
TEST_F(Run, SimulateByAFormalismForSystems) {
  const std::string motion =
      "elodyn simulate rod.toml --set body.rod.line.elements=1 --set analysis.simulate.duration='\"1 ms\"' "
      "--set analysis.simulate.steps=10 --set analysis.simulate.initial_mode=1 "
      "--set analysis.simulate.initial_amplitude='\"1 mm\"' --set analysis.simulate.initial_phase='\"90 deg\"'";
  for (const std::string name : {"maggi", "multipliers", "whittaker"}) {
    const Outcome outcome = shell(motion + " --formalism " + name);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("in time, by " + name), std::string::npos) << outcome.out;
  }
  const Outcome damped = shell(motion + " --formalism whittaker --set body.rod.damping.stiffness=1e-6");
  EXPECT_EQ(damped.exit_code, 3);
  EXPECT_NE(damped.err.find("`whittaker` does not apply: body `rod`: dashpots or Rayleigh damping"), std::string::npos)
      << damped.err;
  EXPECT_EQ(shell(motion + " --formalism whittaker --set analysis.simulate.integrator=rk4").exit_code, 2);
  EXPECT_EQ(shell("elodyn run rod.toml --formalism whittaker").exit_code, 2);
}

TEST_F(Run, FormalismOfTheFileDerivesTheElements) {
  const auto of_elements = [&](const std::string& options) {
    return Json::parse(shell("elodyn derive rod.toml --numbers --json" + options).out)["formalism"]["name"];
  };
  EXPECT_EQ(of_elements(" --formalism maggi"), "newton_euler");
  EXPECT_EQ(of_elements(" --set formalism=kane --formalism maggi"), "kane");
  EXPECT_EQ(of_elements(" --set formalism=kane --formalism multipliers"), "kane");
  EXPECT_EQ(of_elements(" --set formalism=kane --set element_formalism=lagrange --formalism maggi"), "lagrange");
  EXPECT_EQ(of_elements(" --set formalism=kane --formalism lagrange"), "lagrange");
}

TEST_F(Run, RunWritesADirectory) {
  const Outcome outcome = shell("elodyn run rod.toml");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_NE(outcome.out.find("\nrod.out: input.echo.toml, modes.csv, "), std::string::npos) << outcome.out;
  for (const std::string name : {"input.echo.toml", "modes.csv", "results.json", "results.pvd", "run.json"})
    EXPECT_NE(shell.list("rod.out").find(name), std::string::npos) << name;
  EXPECT_TRUE(shell.read("rod.out/modes.csv")
                  .starts_with("number,body,omega [rad/s],frequency [Hz],growth [1/s],label,share_"));
  const Json results = Json::parse(shell.read("rod.out/results.json"));
  EXPECT_EQ(results["modes"].size(), 3u);
  const Json run = Json::parse(shell.read("rod.out/run.json"));
  EXPECT_EQ(run["status"], "ok");
  EXPECT_EQ(run["provenance"]["input"], "rod.toml");
  EXPECT_EQ(run["provenance"]["program"], "elodyn");
  EXPECT_EQ(run["files"].back(), "run.json");
}

TEST_F(Run, TheEchoIsAModelThatGivesTheSameResults) {
  ASSERT_EQ(shell("elodyn run rod.toml -o a --quiet").exit_code, 0);
  ASSERT_EQ(shell("elodyn run a/input.echo.toml -o b --quiet").exit_code, 0);
  EXPECT_EQ(shell.read("a/modes.csv"), shell.read("b/modes.csv"));
  EXPECT_EQ(shell.read("a/input.echo.toml"), shell.read("b/input.echo.toml"));
}

TEST_F(Run, QuietRunSaysNothing) {
  const Outcome outcome = shell("elodyn run rod.toml -o deep/out --quiet");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out + outcome.err, "");
  EXPECT_NE(shell.list("deep/out").find("results.json"), std::string::npos);
}

TEST_F(Run, RunAsJsonPrintsWhatItWrites) {
  const Outcome outcome = shell("elodyn run rod.toml -o out --json");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, shell.read("out/results.json"));
}

// Whatever the moment of the kill, what is there under its own name is whole.
TEST_F(Run, AKilledRunLeavesNoHalfFile) {
  for (int delay = 1; delay <= 20; ++delay) {
    shell("timeout -s KILL 0.0" + std::string(delay < 10 ? "0" : "") + std::to_string(delay) +
          " '" ELODYN_PROGRAM "' run rod.toml -o out --set body.rod.line.elements=40");
    for (const std::string name : {"out/results.json", "out/run.json"}) {
      const std::string text = shell.read(name);
      EXPECT_TRUE(text.empty() || Json::accept(text)) << name << " after " << delay << " ms";
    }
  }
}

TEST_F(Run, Static) {
  shell.write("rod.toml", replaced(rod_toml(), "title = \"Rod\"", "title = \"Rod\"\ngravity = [0, -9.81, 0]"));
  const Outcome outcome = shell("elodyn static rod.toml");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("[N]"), std::string::npos) << outcome.out;
}

TEST_F(Run, Buckling) {
  shell.write("rod.toml",
              rod_toml() + "[[body.rod.load]]\nat = \"to\"\nforce = [-1000, 0, 0]\n\n[analysis.buckling]\n");
  const Outcome outcome = shell("elodyn buckling rod.toml --set analysis.buckling.count=1");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("  number  body   factor\n       1  rod   1.01"), std::string::npos) << outcome.out;
  const Json json = Json::parse(shell("elodyn run rod.toml -o out --json").out);
  EXPECT_EQ(json["tables"][0]["name"], "buckling");
  EXPECT_EQ(json["tables"][0]["columns"][2]["values"].size(), 3u);
  EXPECT_EQ(json["modes"].size(), 3u);
  EXPECT_NE(shell.list("out").find("buckling.csv"), std::string::npos);
  EXPECT_NE(shell.list("out").find("rod_buckling.vtu"), std::string::npos);
  EXPECT_EQ(shell("elodyn check rod.toml").out,
            "rod.toml: no mistakes found: 1 body, 4 elements; analyses: buckling, modes\n");
}

TEST_F(Run, Simulate) {
  EXPECT_EQ(shell("elodyn simulate rod.toml").err,
            "error: rod.toml has no [analysis.simulate]\n"
            "  help: say how long and in which steps: duration = \"1 s\", step = \"1 ms\"\n");
  shell.write("rod.toml", rod_toml() +
                              "[[body.rod.load]]\nat = \"to\"\nforce = [0, 10, 0]\n\n[analysis.simulate]\n"
                              "duration = \"20 ms\"\nstep = \"1 ms\"\npoints = [\"to\"]\n");
  const Outcome outcome = shell("elodyn simulate rod.toml");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("  time [s]  "), std::string::npos) << outcome.out;
  const Json json = Json::parse(shell("elodyn run rod.toml -o out --json").out);
  EXPECT_EQ(json["tables"][0]["name"], "simulate");
  EXPECT_EQ(json["tables"][1]["name"], "rod_history");
  EXPECT_EQ(json["tables"][1]["columns"][0]["values"].size(), 21u);
  EXPECT_NE(shell.read("out/rod_history.csv").find("time [s],to_u [m],to_v [m],to_rz [rad],energy [J]"),
            std::string::npos);
  EXPECT_EQ(shell("elodyn check rod.toml").out,
            "rod.toml: no mistakes found: 1 body, 4 elements; analyses: modes, simulate\n");
  EXPECT_EQ(shell("elodyn simulate rod.toml --set analysis.simulate.integrator='\"gaus4\"'").exit_code, 2);
  const Outcome unstable = shell("elodyn simulate rod.toml --set analysis.simulate.integrator='\"rk4\"'");
  EXPECT_EQ(unstable.exit_code, 3);
  EXPECT_NE(unstable.err.find("use steps of at most"), std::string::npos) << unstable.err;
}

TEST_F(Run, CanonicalModes) {
  const Json want = Json::parse(shell("elodyn modes rod.toml --json").out);
  const Json got = Json::parse(
      shell("elodyn modes rod.toml --json --formalism hamilton --set analysis.modes.form='\"canonical\"'").out);
  ASSERT_EQ(got["modes"].size(), want["modes"].size());
  for (size_t k = 0; k < want["modes"].size(); ++k) {
    const double omega = want["modes"][k]["omega"].get<double>();
    EXPECT_NEAR(got["modes"][k]["omega"].get<double>(), omega, 1e-9 * omega);
  }
}

TEST_F(Run, Converge) {
  const Outcome outcome = shell("elodyn converge rod.toml --levels 3 --json");
  EXPECT_EQ(outcome.exit_code, 0);
  const Json json = Json::parse(outcome.out);
  ASSERT_FALSE(json["tables"].empty());
  EXPECT_EQ(json["tables"][0]["name"], "converge");
}

TEST_F(Run, Matrices) {
  const Outcome outcome = shell("elodyn matrices rod.toml -o m");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.out.find("files in m\n"), std::string::npos);
  EXPECT_TRUE(shell.read("m/rod_M.mtx").starts_with("%%MatrixMarket matrix coordinate real symmetric\n% rod_M: "));
  EXPECT_NE(shell.list("m").find(".csv"), std::string::npos) << shell.list("m");
}

TEST_F(Run, BeyondDivergenceIsAResultWithAWarning) {
  // A rod that points to the axis is pushed together by the spin.
  shell.write("rod.toml", rod_toml() +
                              "\n[body.rod.motion]\nkind = \"spin\"\naxis = [0, 0, 1]\nthrough = [1.5, 0, 0]\n"
                              "speed = \"3000 rad/s\"\n");
  const Outcome text = shell("elodyn modes rod.toml");
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_TRUE(text.err.starts_with("warning: ")) << text.err;
  const Outcome outcome = shell("elodyn modes rod.toml --json");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["status"], "ok");
  EXPECT_FALSE(json["warnings"].empty());
  EXPECT_GT(std::max(json["modes"][0]["growth"].get<double>(), json["modes"][1]["growth"].get<double>()), 0);
}

TEST_F(Run, NumbersThatFailAreWrittenToo) {
  std::string text = replaced(rod_toml(), "elements = 4", "elements = 1");
  shell.write("rod.toml", replaced(text, "clamp = [\"from\"]", "clamp = [\"from\", \"to\"]"));
  const std::string message = "body `rod`: the supports hold every coordinate, nothing can move; use more elements";
  const Outcome outcome = shell("elodyn run rod.toml -o out");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.err, "error: " + message + "\n");
  EXPECT_EQ(outcome.out, "out: input.echo.toml, results.json, results.h5, report.html, run.json\n");
  const Json json = Json::parse(shell.read("out/results.json"));
  EXPECT_EQ(json["status"], "numerical failure");
  EXPECT_EQ(json["message"], message);
  EXPECT_EQ(Json::parse(shell.read("out/run.json"))["status"], "numerical failure");
  const Outcome quiet = shell("elodyn run rod.toml -o out --quiet");
  EXPECT_EQ(quiet.exit_code, 3);
  EXPECT_EQ(quiet.err, "error: " + message + "\n");
  const Outcome printed = shell("elodyn modes rod.toml --json");
  EXPECT_EQ(printed.exit_code, 3);
  EXPECT_EQ(printed.err, "");
  EXPECT_EQ(Json::parse(printed.out)["message"], message);
}

TEST_F(Run, ThreadsMustBeANumber) {
  for (const std::string wrong : {"abc", "2x", "0", "-1"}) {
    const Outcome outcome = shell("ELODYN_THREADS=" + wrong + " elodyn modes rod.toml");
    EXPECT_EQ(outcome.err, "error: ELODYN_THREADS = " + wrong + ", must be a whole number above 0\n");
    EXPECT_EQ(outcome.exit_code, 2);
  }
  for (const std::string good : {"", "1", "3"})
    EXPECT_EQ(shell("ELODYN_THREADS=" + good + " elodyn modes rod.toml").exit_code, 0) << good;
}

TEST_F(Run, SaysWhetherAModeMayBeMissed) {
  EXPECT_EQ(Json::parse(shell("elodyn modes rod.toml --json").out)["complete"], true);
  const Outcome proven =
      shell("elodyn modes rod.toml --set analysis.modes.prove=true --set body.rod.line.elements=100");
  EXPECT_NE(proven.out.find("no mode is missed: counted\n"), std::string::npos) << proven.out;
  EXPECT_EQ(proven.err, "");
  // The iteration for large free bodies does not count.
  shell.write("rod.toml", replaced(rod_toml(), "clamp = [\"from\"]\n", ""));
  const std::string line = "elodyn modes rod.toml --set analysis.modes.prove=true --set body.rod.line.elements=400";
  const Outcome free = shell(line);
  EXPECT_EQ(free.exit_code, 0) << free.err;
  EXPECT_NE(free.err.find("it could not be proven that no mode is missed; that needs a body that is held"),
            std::string::npos)
      << free.err;
  EXPECT_EQ(free.out.find("no mode is missed"), std::string::npos);
  EXPECT_EQ(Json::parse(shell(line + " --json").out)["complete"], false);
}

// A round rod has its bending modes in pairs: around a target one of two equal ones cannot be counted by itself.
TEST_F(Run, SaysWhyTheCountOfASmallBodyFailed) {
  shell.write("rod.toml", replaced(rod_toml(), "dimension = 2", "dimension = 3"));
  const std::string line = "elodyn modes rod.toml --set body.rod.line.elements=60 --set analysis.modes.target=30.0 ";
  const std::string wanted =
      "body `rod`: it could not be proven that no mode is missed; modes are counted up to between "
      "the last one and the next, and none that differs from the last one was found beyond it; "
      "ask for one mode more or fewer";
  EXPECT_EQ(shell(line + "--set analysis.modes.count=1").err, "warning: " + wanted + "\n");
  const Json json = Json::parse(shell(line + "--set analysis.modes.count=1 --json").out);
  EXPECT_EQ(json["complete"], false);
  EXPECT_EQ(json["warnings"], Json::array({wanted}));
  const Json both = Json::parse(shell(line + "--set analysis.modes.count=2 --json").out);
  EXPECT_EQ(both["complete"], true);
  EXPECT_EQ(both["warnings"], Json::array());
  shell.write("rod.toml", rod_toml());
  // Which of very fine meshes cannot be counted is a matter of the processor's round-off, not that it is said.
  int n_said = 0;
  for (const char* elements : {"1500", "2000", "2100", "2200", "2300"}) {
    const Json rounded =
        Json::parse(shell(std::string("elodyn modes rod.toml --json --set body.rod.line.elements=") + elements).out);
    const std::string warnings = rounded["warnings"].dump();
    const bool said =
        warnings.find("could not be proven that no mode is missed; round-off hides how stiff the body is") !=
        std::string::npos;
    EXPECT_EQ(said, rounded["complete"] == false) << elements << ": " << warnings;
    n_said += said ? 1 : 0;
  }
  EXPECT_GE(n_said, 1);
}

// One body that fails leaves what the other gave.
TEST_F(Run, KeepsTheBodiesThatAreDone) {
  std::string text = rod_toml();
  const size_t body = text.find("[body.rod]"), end = text.find("[analysis.modes]");
  std::string other = replaced(text.substr(body, end - body), "[body.rod]", "[body.long]");
  other = replaced(other, "elements = 4", "elements = 600");
  text.insert(end, other);
  shell.write("two.toml", replaced(text, "count = 3", "count = 3\nform = \"canonical\""));
  const Outcome outcome = shell("elodyn modes two.toml --json");
  EXPECT_EQ(outcome.exit_code, 3);
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["status"], "numerical failure");
  EXPECT_EQ(json["message"].get<std::string>().find("body `long`: 1800 unknowns are too many"), 0u) << json["message"];
  EXPECT_EQ(json["complete"], false);
  ASSERT_EQ(json["modes"].size(), 3u);
  for (const Json& mode : json["modes"]) EXPECT_EQ(mode["body"], "rod");
}

// A motion that grows beyond all numbers: the history before that is kept.
TEST_F(Run, KeepsTheMotionBeforeItFailed) {
  shell.write("rod.toml", rod_toml() + R"([body.rod.motion]
kind = "spin"
speed = "4000 rpm"
through = [0.5, 0, 0]

[analysis.simulate]
duration = "100 s"
step = "10 ms"
initial_mode = 1
initial_amplitude = "1 mm"
)");
  const Outcome outcome = shell("elodyn simulate rod.toml --json");
  EXPECT_EQ(outcome.exit_code, 3);
  const Json json = Json::parse(outcome.out);
  EXPECT_NE(json["message"].get<std::string>().find("body `rod`: the motion is not finite at t = "), std::string::npos)
      << json["message"];
  const auto table = std::find_if(json["tables"].begin(), json["tables"].end(),
                                  [](const Json& t) { return t["name"] == "rod_history"; });
  ASSERT_NE(table, json["tables"].end());
  const Json& times = (*table)["columns"][0]["values"];
  EXPECT_GT(times.size(), 10u);
  EXPECT_LT(times.size(), 10001u);
}

// No proof is known of it: nothing is said unless it was asked for.
TEST_F(Run, SaysNothingWhereTheoryHasNoCount) {
  shell.write("rod.toml", rod_toml() + "\n[body.rod.damping]\nmass = 1.0\n");
  const std::string line = "elodyn modes rod.toml --set body.rod.line.elements=600 --json";
  const Json quiet = Json::parse(shell(line).out);
  EXPECT_EQ(quiet["complete"], false);
  EXPECT_EQ(quiet["warnings"].dump().find("proven"), std::string::npos) << quiet["warnings"];
  const Json asked = Json::parse(shell(line + " --set analysis.modes.prove=true").out);
  EXPECT_NE(asked["warnings"].dump().find("that needs a body without damping and Euler terms"), std::string::npos)
      << asked["warnings"];
}

// With what its ends carry the rod has three different moments of inertia: about 0.1, 0.17 and 0.19 kg m².
TEST_F(Run, AFreeBodyAboutItsMiddleAxisIsNotBuckling) {
  std::string text = replaced(rod_toml(), "clamp = [\"from\"]\n", "");
  text = replaced(text, "dimension = 2", "dimension = 3");
  text += R"([[body.rod.mass]]
at = "from"
mass = "1 kg"
inertia_tensor = [0.05, 0.02, 0.03, 0, 0, 0]
[[body.rod.mass]]
at = "to"
mass = "1 kg"
inertia_tensor = [0.05, 0.02, 0.03, 0, 0, 0]
[body.rod.motion]
kind = "spin"
axis = [0, 0, 1]
through = [0.25, 0, 0]
speed = "1 rad/s"
)";
  shell.write("rod.toml", text);
  const Outcome steady = shell("elodyn modes rod.toml");
  EXPECT_EQ(steady.exit_code, 0) << steady.err;
  EXPECT_EQ(steady.err, "");  // about the largest moment
  const Outcome middle = shell("elodyn modes rod.toml --set body.rod.motion.axis='[0, 1, 0]'");
  EXPECT_NE(middle.err.find("nothing holds the body, and its spin about this axis is not steady"), std::string::npos)
      << middle.err;
  EXPECT_EQ(middle.err.find("buckles"), std::string::npos) << middle.err;
}

// A free spinning body has no steady deflection, but it has modes.
TEST_F(Run, AnAnalysisThatFailsLeavesTheOthers) {
  std::string text = replaced(rod_toml(), "clamp = [\"from\"]\n", "");
  text += "\n[body.rod.motion]\nkind = \"spin\"\nthrough = [0.25, 0, 0]\nspeed = \"10 rad/s\"\n\n[analysis.static]\n";
  shell.write("rod.toml", text);
  const Outcome outcome = shell("elodyn run rod.toml -o out");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(outcome.err.starts_with("error: static: body `rod`: nothing holds it")) << outcome.err;
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  EXPECT_NE(shell.list("out").find("modes.csv"), std::string::npos) << shell.list("out");
  const Json json = Json::parse(shell.read("out/results.json"));
  EXPECT_EQ(json["status"], "numerical failure");
  EXPECT_EQ(json["modes"].size(), 3u);

  // Two that fail: a line for each. The last does not need them.
  shell.write("rod.toml", text +
                              "\n[analysis.buckling]\n\n[analysis.stability]\nx = { key = \"body.rod.motion.speed\", "
                              "from = \"0 rpm\", to = \"50 rpm\", count = 3 }\n");
  const Outcome two = shell("elodyn run rod.toml -o out");
  EXPECT_EQ(two.exit_code, 3);
  EXPECT_NE(two.err.find("error: static: body `rod`: "), std::string::npos) << two.err;
  EXPECT_NE(two.err.find("error: buckling: body `rod` "), std::string::npos) << two.err;
  EXPECT_NE(shell.list("out").find("stability.csv"), std::string::npos) << shell.list("out");
}

// `script` gives the program a terminal to talk to.
TEST_F(Run, ATerminalGetsColourAndTheNextCommand) {
  if (shell("command -v script").exit_code != 0) GTEST_SKIP() << "no script(1) here";
  const auto on_terminal = [&](const std::string& environment) {
    return shell("unset NO_COLOR; " + environment +
                 " TERM=xterm script -qec \"'" ELODYN_PROGRAM "' modes rod.toml\" /dev/null")
        .out;
  };
  const std::string coloured = on_terminal("");
  EXPECT_NE(coloured.find("\x1b[1mRod\x1b[0m"), std::string::npos) << coloured;
  EXPECT_NE(coloured.find("next: elodyn converge rod.toml"), std::string::npos) << coloured;
  const std::string plain = on_terminal("NO_COLOR=1");
  EXPECT_EQ(plain.find('\x1b'), std::string::npos) << plain;
  EXPECT_NE(plain.find("next: elodyn converge rod.toml"), std::string::npos) << plain;
}

}  // namespace
}  // namespace elodyn::test
