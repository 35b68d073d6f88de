// elodyn report: the page of a run again, and of several runs side by side.
#include "tests/cli/program.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace elodyn::test {
namespace {

using Json = nlohmann::json;

Json data_of(const std::string& page) {
  const std::string opening = "id=\"data\">";
  const size_t start = page.find(opening) + opening.size();
  return Json::parse(page.substr(start, page.find("</script>", start) - start));
}

std::string titled(std::string title) {
  std::string text = rod_toml();
  return text.replace(text.find("\"Rod\""), 5, title);
}

TEST(Report, TheSamePageWithoutSolving) {
  const Shell shell;
  shell.write("rod.toml", titled("'Rod <script>alert(1)</script>'"));
  ASSERT_EQ(shell("elodyn run rod.toml -o out --quiet").exit_code, 0);
  const std::string page = shell.read("out/report.html");
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  const Json run = data_of(page)["runs"][0], results = Json::parse(shell.read("out/results.json"));
  EXPECT_EQ(run["name"], "out");
  EXPECT_EQ(run["title"], "Rod <script>alert(1)</script>");
  EXPECT_EQ(run["modes"][0]["omega"], results["modes"][0]["omega"]);
  const Json listed = Json::parse(shell.read("out/run.json"))["files"];
  EXPECT_NE(std::find(listed.begin(), listed.end(), "report.html"), listed.end());
  shell("rm out/report.html rod.toml");
  const Outcome outcome = shell("elodyn report out/../out/");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "out/../out/report.html: out\n");
  EXPECT_EQ(shell.read("out/report.html"), page);
  EXPECT_EQ(shell("elodyn report out -o page.html --quiet").out, "");
  EXPECT_EQ(shell.read("page.html"), page);
}

TEST(Report, SideBySide) {
  const Shell shell;
  shell.write("rod.toml", rod_toml());
  shell("elodyn run rod.toml -o a --quiet; elodyn run rod.toml -o b --quiet --set title=Other; mkdir c; cp -r b c/b");
  const Outcome outcome = shell("elodyn report a b c/b --json");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["status"], "ok");
  const Json runs = data_of(shell.read("report.html"))["runs"];
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1]["title"], "Other");
  EXPECT_EQ(runs[1]["name"], "b");
  EXPECT_EQ(runs[2]["name"], "c/b");
}

TEST(Report, WhatIsNoRunIsSaid) {
  const Shell shell;
  EXPECT_EQ(shell("elodyn report nowhere").err, "error: `nowhere` is not a directory\n");
  const Outcome empty = shell("mkdir empty; elodyn report empty");
  EXPECT_EQ(empty.exit_code, 2);
  EXPECT_EQ(empty.err,
            "error: `empty` is not the directory of a finished run: it has no run.json; `elodyn run FILE -o empty` "
            "makes one\n");
  EXPECT_EQ(shell("echo '{}' > empty/run.json; elodyn report empty").err,
            "error: `empty/run.json` is damaged: it lists no files\n");
  EXPECT_EQ(shell("echo '{\"files\": [\"run.json\"]}' > empty/run.json; elodyn report empty").err,
            "error: `empty` has no results.h5, which a report needs; run the file again\n");
  EXPECT_EQ(shell("touch empty/input.echo.toml; echo no > empty/results.h5; elodyn report empty").err,
            "error: `empty/results.h5`: is no HDF5 file, or is damaged\n");
  EXPECT_EQ(shell.list("empty"), "input.echo.toml results.h5 run.json");  // no page
  const Outcome none = shell("elodyn report");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("needs a directory that `elodyn run` wrote"), std::string::npos) << none.err;
  const Json json = Json::parse(shell("elodyn report nowhere --json").out);
  EXPECT_EQ(json["status"], "input error");
}

TEST(Report, OfARunThatFailed) {
  const Shell shell;
  std::string text = rod_toml();
  text.replace(text.find("clamp = [\"from\"]"), 16, "");
  shell.write("rod.toml",
              text + "[analysis.static]\n[body.rod.motion]\nkind = \"spin\"\naxis = [0, 0, 1]\nspeed = \"9 rad/s\"\n");
  ASSERT_EQ(shell("elodyn run rod.toml -o out --quiet").exit_code, 3);
  const Json run = data_of(shell.read("out/report.html"))["runs"][0];
  EXPECT_EQ(run["status"], "numerical failure");
  EXPECT_EQ(run["verdicts"][0]["level"], "bad");
  EXPECT_NE(run["verdicts"][0]["text"].get<std::string>().find("add supports"), std::string::npos);
}

TEST(Report, OfMeshesAndFormalismsCompared) {
  const Shell shell;
  shell.write("rod.toml", rod_toml());
  const Outcome outcome = shell("elodyn converge rod.toml --levels 2 -o meshes");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("meshes: input.echo.toml, converge.csv, converge_errors.csv"), std::string::npos);
  const Json plots = data_of(shell.read("meshes/report.html"))["runs"][0]["plots"];
  ASSERT_FALSE(plots.empty());
  EXPECT_EQ(plots[0]["kind"], "convergence");
  EXPECT_EQ(shell("elodyn compare rod.toml -o formalisms --quiet --set body.rod.line.elements=1").exit_code, 0);
  const Json run = data_of(shell.read("formalisms/report.html"))["runs"][0];
  EXPECT_EQ(run["plots"][0]["x"]["column"], "formalism");
  EXPECT_EQ(run["verdicts"][0]["title"], "Formalisms differ by");
}

}  // namespace
}  // namespace elodyn::test
