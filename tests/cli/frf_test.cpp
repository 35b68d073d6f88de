// `elodyn frf` and `elodyn reduce`: tables, JSON, files, mistakes.
#include <filesystem>
#include <string>

#include "tests/cli/program.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace elodyn::test {
namespace {

using Json = nlohmann::json;

const std::string kBeam = R"(schema = 1
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
damping = { mass = 4 }
)";
const std::string kFrf = R"([analysis.frf]
frequencies = { from = "1 Hz", to = "100 Hz", count = 12 }
points = ["to"]
[[analysis.frf.excitation]]
at = "to"
force = [0, "1 N", 0]
)";

TEST(FrfCommand, PrintsAndWrites) {
  const Shell shell;
  shell.write("rod.toml", kBeam);
  EXPECT_EQ(shell("elodyn frf rod.toml").exit_code, 2);
  EXPECT_NE(shell("elodyn frf rod.toml").err.find("has no [analysis.frf]"), std::string::npos);
  shell.write("rod.toml", kBeam + kFrf);
  const Outcome outcome = shell("elodyn frf rod.toml");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("receptance"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("to_v_phase [deg]"), std::string::npos) << outcome.out;
  const Json json = Json::parse(shell("elodyn frf rod.toml --json").out);
  EXPECT_EQ(json["status"], "ok");
  EXPECT_EQ(json["tables"][0]["name"], "frf");
  EXPECT_EQ(json["tables"][1]["name"], "frf_peaks");
  EXPECT_EQ(json["tables"][2]["name"], "rod_frf");
  const Outcome run = shell("elodyn run rod.toml -o out");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(std::filesystem::exists(shell.dir() / "out" / "rod_frf.csv"));
  for (const std::string method : {"modal", "craig_bampton"})
    EXPECT_EQ(shell("elodyn frf rod.toml --set analysis.frf.method='\"" + method + "\"'").exit_code, 0);
  const Outcome wrong = shell("elodyn frf rod.toml --set analysis.frf.points='[\"tow\"]'");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("did you mean `to`?"), std::string::npos) << wrong.err;
}

// A force on a support moves nothing: an empty table alone would not say why.
TEST(FrfCommand, WarnsOfForcesThatMoveNothing) {
  const Shell shell;
  shell.write("rod.toml", kBeam + kFrf);
  EXPECT_EQ(shell("elodyn frf rod.toml").err, "");
  const Outcome held =
      shell("elodyn frf rod.toml --set 'analysis.frf.excitation=[{ at = \"from\", force = [0, 1, 0] }]'");
  EXPECT_EQ(held.exit_code, 0);
  EXPECT_EQ(held.err, "warning: body `rod`: what drives it acts where supports hold it, or is 0: nothing responds\n");
}

TEST(ReduceCommand, PrintsAndWrites) {
  const Shell shell;
  shell.write("rod.toml", kBeam);
  EXPECT_EQ(shell("elodyn reduce rod.toml").exit_code, 2);
  shell.write("rod.toml", kBeam + "[analysis.reduction]\npoints = [\"to\"]\nmodes = 4\ncompare = 3\n");
  const Outcome outcome = shell("elodyn reduce rod.toml -o reduced");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("files in reduced"), std::string::npos) << outcome.out;
  for (const char* file :
       {"rod_reduced_M.mtx", "rod_reduced_K.mtx", "rod_reduced_V.mtx", "rod_reduced_coordinates.csv"})
    EXPECT_TRUE(std::filesystem::exists(shell.dir() / "reduced" / file)) << file;
  const Json json = Json::parse(shell("elodyn reduce rod.toml --json").out);
  EXPECT_EQ(json["tables"][0]["name"], "reduction");
}

}  // namespace
}  // namespace elodyn::test
