// `elodyn measure`, `spectra`, `modal` and `correlate`: the chain from a blow to the model's modes, and mistakes.
#include <cmath>
#include <string>
#include <vector>

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
degree = 5
material = "steel"
section = "round"
line = { from = [0, 0, 0], to = [0.5, 0, 0], elements = 4 }
clamp = ["from"]
damping = { modal = [0.02, 0.01, 0.01, 0.01, 0.01, 0.01] }
)";
const std::string kMeasure = R"([analysis.measure]
duration = "2.5 s"
[analysis.measure.records]
rate = "4 kHz"
[[analysis.measure.records.accelerometer]]
at = "rod.to"
direction = "+y"
noise = "0.01 m/s^2"
[analysis.measure.records.hammer]
at = ["rod.to"]
direction = "-y"
force = "20 N"
width = "2 ms"
first = "50 ms"
interval = "1.2 s"
)";
const std::string kAnalyses = R"([analysis.spectra]
file = "records.uff"
[analysis.spectra.frf]
before = "10 ms"
length = "1.1 s"
[analysis.modal]
from = "10 Hz"
to = "400 Hz"
[analysis.correlate]
count = 4
)";

std::vector<double> column(const Json& result, const std::string& table, const std::string& name) {
  for (const Json& candidate : result["tables"])
    if (candidate["name"] == table)
      for (const Json& c : candidate["columns"])
        if (c["name"] == name) return c["values"].get<std::vector<double>>();
  return {};
}

TEST(VibrationCommands, FromTheBlowToTheModes) {
  const Shell shell;
  shell.write("rod.toml", kBeam + kMeasure + kAnalyses);
  // What a command does not need is not read.
  const Outcome measured = shell("elodyn measure rod.toml -o .");
  EXPECT_EQ(measured.exit_code, 0) << measured.err;
  for (const char* format : {"single_binary", "double_binary", "text"}) {
    const std::string set = std::string(" --set analysis.measure.records.numbers='\"") + format + "\"'";
    EXPECT_EQ(shell("elodyn measure rod.toml -o ." + set).exit_code, 0);
    const Outcome outcome = shell("elodyn correlate rod.toml --json");
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    const std::vector<double> f = column(json, "correlation", "measured_frequency"),
                              g = column(json, "correlation", "computed_frequency"),
                              z = column(json, "correlation", "measured_damping");
    ASSERT_EQ(f.size(), 2U) << format;
    for (size_t r = 0; r < 2; ++r) {
      EXPECT_NEAR(f[r] / g[r], 1, 1e-3);
      EXPECT_NEAR(z[r], r == 0 ? 0.02 : 0.01, 0.05 * z[r]);
    }
  }
  EXPECT_EQ(shell("elodyn spectra rod.toml -o frfs.unv").exit_code, 0);
  EXPECT_EQ(shell("elodyn modal rod.toml --set analysis.modal.file='\"frfs.unv\"' -o modes.uff").exit_code, 0);
  const Outcome outcome = shell("elodyn correlate rod.toml --set analysis.correlate.file='\"modes.uff\"'");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("COMAC of 2 pairs"), std::string::npos) << outcome.out;
  EXPECT_EQ(shell("elodyn measure rod.toml -o . --set analysis.measure.records.file='\"records.csv\"'").exit_code, 0);
  const Outcome table = shell("elodyn spectra rod.toml --set analysis.spectra.file='\"records.csv\"'");
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("to:-y"), std::string::npos) << table.out;
  // Records need no body; modes do.
  shell.write("records.toml", "schema = 1\n[analysis.spectra]\nfile = \"records.csv\"\nblock = 1024\n");
  const Outcome alone = shell("elodyn run records.toml -o out");
  EXPECT_EQ(alone.exit_code, 0) << alone.err;
  EXPECT_NE(alone.out.find("spectrum_to_neg_y.csv"), std::string::npos) << alone.out;
  EXPECT_NE(shell("elodyn modes records.toml").err.find("the model has no body"), std::string::npos);
}

TEST(VibrationCommands, SayWhatIsMissingOrWrong) {
  const Shell shell;
  shell.write("rod.toml", kBeam);
  for (const std::string command : {"spectra", "modal", "correlate"}) {
    const Outcome outcome = shell("elodyn " + command + " rod.toml");
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("has no [analysis." + command + "]"), std::string::npos) << outcome.err;
  }
  shell.write("rod.toml", kBeam + kAnalyses);
  EXPECT_NE(shell("elodyn spectra rod.toml").err.find("rod.toml:18:8: error: file = \"records.uff\", cannot be read"),
            std::string::npos);
  shell.write("records.uff", "    -1\n    58\nNONE\n");
  const Outcome broken = shell("elodyn spectra rod.toml");
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_NE(broken.err.find("records.uff:3:1: error: the file ends before its five lines of identification"),
            std::string::npos)
      << broken.err;
  EXPECT_EQ(shell("elodyn spectra rod.toml -o frfs.txt").exit_code, 2);
  shell.write("records.uff", "    -1\n   151\n    -1\n");
  const Outcome empty = shell("elodyn spectra rod.toml");
  EXPECT_EQ(empty.exit_code, 3);
  EXPECT_NE(empty.err.find("has no histories"), std::string::npos) << empty.err;
  shell.write("rod.toml", kBeam + kMeasure);
  const Outcome hard = shell(
      "elodyn measure rod.toml --set analysis.measure.records.hammer.width='\"0.1 ms\"' --set "
      "analysis.measure.records.hammer.direction='\"+z\"'");
  EXPECT_EQ(hard.exit_code, 2);
  EXPECT_NE(hard.err.find("must be at least 4 values of the record"), std::string::npos) << hard.err;
  EXPECT_NE(hard.err.find("nothing is along z"), std::string::npos) << hard.err;
}

}  // namespace
}  // namespace elodyn::test
