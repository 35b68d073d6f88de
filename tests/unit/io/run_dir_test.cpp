#include "elodyn/io/run_dir.hpp"

#include "tests/support/temp_dir.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

Results with_table(const std::string& name) {
  Results results;
  results.outcome.status = "ok";
  results.tables = {{name, "", {{"x", "", std::vector<double>{1}}}}};
  return results;
}

TEST(RunDir, EveryWriterAndRunJsonLast) {
  const test::TempDir temp;
  EXPECT_EQ(write_run(with_table("reactions"), "schema = 1\n", temp / "a/b"),
            (std::vector<std::string>{"input.echo.toml", "reactions.csv", "results.json", "results.h5", "report.html",
                                      "run.json"}));
  EXPECT_EQ(test::read_text(temp / "a/b/input.echo.toml"), "schema = 1\n");
}

TEST(RunDir, OldTablesGoAndOtherFilesStay) {
  const test::TempDir temp;
  write_run(with_table("old"), "", temp / "out");
  test::write_text(temp / "out/notes.txt", "mine");
  write_run(with_table("new"), "", temp / "out");
  EXPECT_EQ(test::list_dir(temp / "out"),
            "input.echo.toml new.csv notes.txt report.html results.h5 results.json run.json");
}

TEST(RunDir, ARunJsonFromElsewhereReachesNothingOutside) {
  const test::TempDir temp;
  std::filesystem::create_directory(temp / "out");
  test::write_text(temp / "precious", "x");
  test::write_text(temp / "out/run.json", "{\"files\": [\"../precious\", \"..\", \".\", \"\"]}");
  write_run(with_table("t"), "", temp / "out");
  EXPECT_EQ(test::list_dir(temp.path()), "out precious");
}

}  // namespace
}  // namespace elodyn
