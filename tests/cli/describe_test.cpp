// new, list, schema: each from what the program itself uses.
#include <sstream>

#include "tests/cli/program.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "elodyn/io/new_model.hpp"

namespace elodyn::test {
namespace {

TEST(Describe, EveryStartingFileIsRightAndRuns) {
  const Shell shell;
  EXPECT_EQ(shell("elodyn new").out, new_model(new_kinds().front()));
  for (const std::string& kind : new_kinds()) {
    const Outcome made = shell("elodyn new " + kind + " > model.toml");
    EXPECT_EQ(made.exit_code, 0);
    EXPECT_EQ(made.err, "");
    const Outcome checked = shell("elodyn check model.toml");
    EXPECT_EQ(checked.exit_code, 0) << kind << checked.err;
    EXPECT_EQ(checked.err, "");
    const Outcome run = shell("elodyn run model.toml -o out");
    EXPECT_EQ(run.exit_code, 0) << kind << run.err;
  }
  const Outcome unknown = shell("elodyn new cantilver");
  EXPECT_EQ(unknown.err, "error: unknown kind `cantilver` of `elodyn new`\n  help: did you mean `cantilever`?\n");
  EXPECT_EQ(unknown.exit_code, 2);
}

TEST(Describe, Lists) {
  const Shell shell;
  for (const std::string what : {"elements", "formalisms", "analyses", "integrators", "writers"}) {
    const Outcome outcome = shell("elodyn list " + what);
    EXPECT_EQ(outcome.exit_code, 0);
    const auto json = nlohmann::json::parse(shell("elodyn list " + what + " --json").out);
    EXPECT_EQ(json["status"], "ok");
    EXPECT_FALSE(json[what].empty());
    std::istringstream lines(outcome.out);
    std::string line;
    for (const auto& item : json[what]) {
      ASSERT_TRUE(std::getline(lines, line));
      EXPECT_TRUE(line.starts_with(item["name"].get<std::string>() + " ")) << line;
      EXPECT_TRUE(line.ends_with(item["summary"].get<std::string>())) << line;
    }
  }
  EXPECT_EQ(shell("elodyn list writers").out,
            "csv   a .csv file for each table, units in the header\n"
            "json  results.json: everything but the fields, SI and radians\n"
            "vtu   a .vtu file for each grid of fields, results.pvd and NAME.pvd of an animation (ParaView)\n"
            "hdf5  results.h5: everything, to the last bit\n"
            "html  report.html: a page for any browser, with plots and moving pictures\n");
}

TEST(Describe, SchemaForms) {
  const Shell shell;
  const Outcome json = shell("elodyn schema --json");
  EXPECT_EQ(json.exit_code, 0);
  EXPECT_TRUE(nlohmann::json::parse(json.out).contains("properties"));
  EXPECT_EQ(shell("elodyn schema").out, shell("elodyn schema --markdown").out);
  EXPECT_NE(shell("elodyn schema").out.find("beam"), std::string::npos);
  EXPECT_NE(shell("elodyn schema --template").out.find("schema = 1"), std::string::npos);
}

}  // namespace
}  // namespace elodyn::test
