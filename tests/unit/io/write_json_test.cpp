// The members are a contract that other programs read: they are compared as a whole.
#include "elodyn/io/write_json.hpp"

#include <cmath>

#include "tests/support/temp_dir.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace elodyn {
namespace {

Results example() {
  Results results;
  results.title = "Rod";
  results.outcome.status = "ok";
  results.modes = {{1, "rod", 6.283185307179586, -0.5, "bending", {{"bending", 0.75}, {"axial", 0.25}}, 1e-15},
                   {2, "rod", 0, 0, "rigid", {}, 0}};
  results.tables = {{"t",
                     "Table",
                     {{"x", "m", std::vector<double>{0.5, std::nan(""), INFINITY}},
                      {"who", "", std::vector<std::string>{"a", "b", "c"}}}}};
  results.warnings = {"beyond divergence"};
  results.timings = {{"modes", 0.25}};
  results.provenance = {"elodyn",   "0.1.0",
                        "abc",      "GCC 12",
                        "Release",  "elodyn run rod.toml",
                        "rod.toml", "00ff",
                        {"a=1"},    "2026-01-01T00:00:00Z"};
  return results;
}

constexpr const char* kProvenance =
    R"({"program":"elodyn","version":"0.1.0","commit":"abc","compiler":"GCC 12","build_type":"Release",)"
    R"("command":"elodyn run rod.toml","input":"rod.toml","input_sha256":"00ff","settings":["a=1"],)"
    R"("started":"2026-01-01T00:00:00Z"})";

TEST(WriteJson, WholeText) {
  EXPECT_EQ(to_json(example()), std::string(R"({
  "status": "ok",
  "title": "Rod",
  "modes": [
    {"number":1,"omega":6.283185307179586,"hz":1.0,"growth":-0.5,"label":"bending","body":"rod","shares":{"bending":0.75,"axial":0.25},"residual":1e-15},
    {"number":2,"omega":0.0,"hz":0.0,"growth":0.0,"label":"rigid","body":"rod","shares":{},"residual":0.0}
  ],
  "tables": [
    {
      "name": "t",
      "title": "Table",
      "columns": [
        {"name":"x","unit":"m","values":[0.5,null,null]},
        {"name":"who","unit":"","values":["a","b","c"]}
      ]
    }
  ],
  "warnings": ["beyond divergence"],
  "timings": {"modes":0.25},
  "provenance": )") + kProvenance + "\n}\n");
}

TEST(WriteJson, RunJsonKeepsTheOutcome) {
  Results results = example();
  results.outcome = {"singular", "K of body rod is singular"};
  EXPECT_EQ(run_json(results, {"modes.csv"}),
            std::string("{\n  \"status\": \"singular\",\n  \"message\": \"K of body rod is singular\",\n"
                        "  \"title\": \"Rod\",\n  \"warnings\": [\"beyond divergence\"],\n"
                        "  \"timings\": {\"modes\":0.25},\n  \"provenance\": ") +
                kProvenance + ",\n  \"files\": [\"modes.csv\"]\n}\n");
  EXPECT_EQ(read_run_files(run_json(results, {"a", "b"})), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(read_run_files("not json").empty());
  EXPECT_TRUE(read_run_files("{\"files\": 3}").empty());
}

TEST(WriteJson, ForgettingToRunIsNotSuccess) {
  EXPECT_EQ(nlohmann::json::parse(to_json(Results{}))["status"], "not run");
}

TEST(WriteJson, NumbersReadBackExactly) {
  Results results = example();
  results.modes[0].omega = 1.0 / 3;
  results.modes[1].omega = 5e-324;
  const auto json = nlohmann::json::parse(to_json(results));
  EXPECT_EQ(json["modes"][0]["omega"].get<double>(), 1.0 / 3);
  EXPECT_EQ(json["modes"][1]["omega"].get<double>(), 5e-324);
}

TEST(WriteJson, TextThatIsNotUtf8StaysJson) {
  Results results = example();
  results.title = "bad \xff byte \"quoted\"\n";
  EXPECT_EQ(nlohmann::json::parse(to_json(results))["title"], "bad \xef\xbf\xbd byte \"quoted\"\n");
}

TEST(WriteJson, DiagnosticsHavePlaces) {
  Diagnostics diagnostics;
  const int source = diagnostics.add_source("rod.toml", "schema = 2\n");
  diagnostics.error({source, 1, 10, 1}, "schema = 2, must be 1", "write `schema = 1`");
  diagnostics.warning({}, "nowhere");
  EXPECT_EQ(to_json(diagnostics, "", example().provenance), std::string(R"({
  "status": "input error",
  "diagnostics": [
    {"file":"rod.toml","line":1,"column":10,"severity":"error","text":"schema = 2, must be 1","help":"write `schema = 1`"},
    {"file":null,"line":null,"column":null,"severity":"warning","text":"nowhere","help":""}
  ],
  "provenance": )") + kProvenance + "\n}\n");
}

TEST(WriteJson, AMessageWithoutDiagnosticIsOneToo) {
  const auto json = nlohmann::json::parse(to_json(Diagnostics{}, "cannot write", example().provenance));
  EXPECT_EQ(json["diagnostics"].dump(),
            R"([{"column":null,"file":null,"help":"","line":null,"severity":"error","text":"cannot write"}])");
}

TEST(WriteJson, Lists) {
  EXPECT_EQ(to_json("writers", {{"csv", "tables"}}),
            "{\n  \"status\": \"ok\",\n  \"writers\": [\n    {\"name\":\"csv\",\"summary\":\"tables\"}\n  ]\n}\n");
}

TEST(WriteJson, TheWriterWritesOneFile) {
  const test::TempDir temp;
  EXPECT_EQ(make_json_writer()->write({example(), temp.path()}), std::vector<std::string>{"results.json"});
  EXPECT_EQ(test::read_text(temp / "results.json"), to_json(example()));
}

}  // namespace
}  // namespace elodyn
