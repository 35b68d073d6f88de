#include "elodyn/io/read_motion_table.hpp"

#include <cmath>

#include "tests/support/temp_dir.hpp"
#include "tests/unit/io/sample_model.hpp"

namespace elodyn {
namespace {

std::shared_ptr<const MotionTable> read_good_table(const std::string& text) {
  Diagnostics diagnostics;
  auto table = read_motion_table("motion.csv", text, diagnostics);
  EXPECT_NE(table, nullptr) << diagnostics.format_all(Severity::error);
  return table;
}

std::string table_errors(const std::string& text) {
  Diagnostics diagnostics;
  const auto table = read_motion_table("motion.csv", text, diagnostics);
  EXPECT_EQ(table == nullptr, diagnostics.n_errors() > 0);
  return diagnostics.format_all(Severity::error);
}

TEST(ReadMotionTable, columns_in_any_order) {
  const auto table = read_good_table("wz,t,ax\n0,0,5\n1,1,5\n8,2,5\n27,3,5\n");
  EXPECT_EQ(table->start, 0);
  EXPECT_EQ(table->end, 3);
  EXPECT_NEAR(table->calc_acceleration(0, 1.3), 5, 1e-14);
  EXPECT_EQ(table->calc_acceleration(1, 1.3), 0);
  EXPECT_NEAR(table->calc_angular_velocity(2, 1.5), 1.5 * 1.5 * 1.5, 1e-13);  // a cubic is met exactly
  EXPECT_NEAR(table->calc_angular_acceleration(2, 1.5), 3 * 1.5 * 1.5, 1e-13);
  EXPECT_TRUE(table->turns_about(2) && !table->turns_about(0));
  EXPECT_TRUE(table->accelerates_along(0) && !table->accelerates_along(1));
}

TEST(ReadMotionTable, what_is_accepted_around_the_numbers) {
  const std::string plain = "t,ax,wz\n0,1,2\n1,1.5,-3\n2,1,2e1\n3,0,4\n";
  const std::string commented = "# measured\n\n  t , ax ,\twz\n # more\n 0 , +1 , 2\n1,1.5,-3\n\n2,1,2e1\n3,0,4";
  std::string windows = "\xEF\xBB\xBF", semicolons, tabs;
  for (const char c : plain) {
    windows += c == '\n' ? "\r\n" : std::string(1, c);
    semicolons += c == ',' ? ';' : c;
    tabs += c == ',' ? '\t' : c;
  }
  const auto wanted = read_good_table(plain);
  for (const std::string& text : {commented, windows, semicolons, tabs}) {
    const auto table = read_good_table(text);
    ASSERT_NE(table, nullptr) << text;
    for (const double t : {0.0, 0.4, 1.9, 3.0}) {
      EXPECT_EQ(table->calc_acceleration(0, t), wanted->calc_acceleration(0, t)) << text;
      EXPECT_EQ(table->calc_angular_velocity(2, t), wanted->calc_angular_velocity(2, t)) << text;
    }
  }
}

TEST(ReadMotionTable, given_angular_acceleration_is_taken) {
  const auto table = read_good_table("t,wx,wz,ez\n0,0,0,7\n1,1,1,7\n2,4,4,7\n3,9,9,7\n");
  EXPECT_NEAR(table->calc_angular_acceleration(2, 1), 7, 1e-14);
  EXPECT_NEAR(table->calc_angular_acceleration(0, 1), 2, 1e-14);  // of t²
}

// A column of zeros is as good as none; a given e of zeros is not the derivative of w.
TEST(ReadMotionTable, zeros) {
  const auto table = read_good_table("t,ax,wy,wz,ez\n0,0,0,0,0\n1,0,0,1,0\n2,-0,0,4,0\n3,0,0.0,9,0\n");
  EXPECT_FALSE(table->accelerates_along(0));
  EXPECT_FALSE(table->turns_about(1));
  EXPECT_TRUE(table->turns_about(2));
  EXPECT_EQ(table->calc_angular_acceleration(2, 2), 0);
}

TEST(ReadMotionTable, numbers_too_small_are_zero) {
  EXPECT_EQ(read_good_table("t,ax\n0,1e-999\n1,0\n2,0\n3,0\n")->calc_acceleration(0, 0), 0);
}

TEST(ReadMotionTable, every_bad_row_in_one_run) {
  EXPECT_EQ(table_errors("# swing\n"
                         "t, ax, wz\n"
                         "0, 1, 0\n"
                         "0.1, 1\n"
                         "0.2, fast, 0\n"
                         "0.3, , 1, 2\n"
                         "0.3, , inf\n"
                         "\n"
                         "0.25, 1, 1e999\n"
                         "0.5, 1.2.3, 0\n"),
            "motion.csv:4:1: error: 2 cells, must be 3 as in the header\n"
            "  4 | 0.1, 1\n"
            "    | ^^^^^^\n"
            "motion.csv:5:6: error: ax = \"fast\", must be a number\n"
            "  5 | 0.2, fast, 0\n"
            "    |      ^^^^\n"
            "motion.csv:6:1: error: 4 cells, must be 3 as in the header\n"
            "  6 | 0.3, , 1, 2\n"
            "    | ^^^^^^^^^^^\n"
            "motion.csv:7:5: error: ax is empty, must be a number\n"
            "  7 | 0.3, , inf\n"
            "    |     ^\n"
            "motion.csv:7:8: error: wz = \"inf\", must be finite\n"
            "  7 | 0.3, , inf\n"
            "    |        ^^^\n"
            "motion.csv:9:1: error: t = 0.25 s, must be above 0.3 s of line 7\n"
            "  9 | 0.25, 1, 1e999\n"
            "    | ^^^^\n"
            "motion.csv:9:10: error: wz = \"1e999\", must be finite\n"
            "  9 | 0.25, 1, 1e999\n"
            "    |          ^^^^^\n"
            "motion.csv:10:6: error: ax = \"1.2.3\", must be a number\n"
            "  10 | 0.5, 1.2.3, 0\n"
            "     |      ^^^^^\n");
}

TEST(ReadMotionTable, decimal_commas) {
  EXPECT_EQ(table_errors("t;ax\n0;0\n1;0,5\n2;0\n3;0\n"),
            "motion.csv:3:3: error: ax = \"0,5\", must be a number\n"
            "  3 | 1;0,5\n"
            "    |   ^^^\n"
            "  help: write a decimal point, not a comma\n");
}

TEST(ReadMotionTable, time_that_stands_still) {
  EXPECT_EQ(table_errors("t,ax\n0,0\n1,0\n1,0\n2,0\n"),
            "motion.csv:4:1: error: t = 1 s, must be above 1 s of line 3\n"
            "  4 | 1,0\n"
            "    | ^\n");
}

TEST(ReadMotionTable, columns) {
  const std::string rows = "0,0,0,0\n1,0,0,0\n2,0,0,0\n3,0,0,0\n";
  EXPECT_EQ(table_errors("t,omega_z,ax,ax\n" + rows),
            "motion.csv:1:3: error: unknown column `omega_z`\n"
            "  1 | t,omega_z,ax,ax\n"
            "    |   ^^^^^^^\n"
            "  help: known: t, ax, ay, az, wx, wy, wz, ex, ey, ez\n"
            "motion.csv:1:14: error: column `ax` is given twice\n"
            "  1 | t,omega_z,ax,ax\n"
            "    |              ^^\n");
  EXPECT_EQ(table_errors("t,aax,ay,\n" + rows),
            "motion.csv:1:3: error: unknown column `aax`\n"
            "  1 | t,aax,ay,\n"
            "    |   ^^^\n"
            "  help: did you mean `ax`?\n"
            "motion.csv:1:10: error: a column without a name\n"
            "  1 | t,aax,ay,\n"
            "    |          ^\n");
  EXPECT_EQ(table_errors("ax,wy,ez,ey\n" + rows),
            "motion.csv:1:1: error: missing column `t`\n"
            "  1 | ax,wy,ez,ey\n"
            "    | ^^^^^^^^^^^\n"
            "  help: the time in s, strictly increasing\n"
            "motion.csv:1:7: error: column `ez` without column `wz`\n"
            "  1 | ax,wy,ez,ey\n"
            "    |       ^^\n"
            "  help: the angular velocity cannot be found from its derivative: add it\n");
}

TEST(ReadMotionTable, no_header_and_too_few_rows) {
  const std::string no_header =
      "motion.csv:1:1: error: the table has no header row\n"
      "  help: name the columns, for example t, ax, ay, wz\n";
  EXPECT_EQ(table_errors(""), no_header);
  EXPECT_EQ(table_errors("# nothing\n\n"), no_header);
  EXPECT_EQ(table_errors("\n0,0\n1,0\n2,0\n3,0\n"),
            "motion.csv:2:1: error: the first row has numbers, must be a header row\n"
            "  2 | 0,0\n"
            "    | ^\n"
            "  help: name the columns, for example t, ax, ay, wz\n");
  EXPECT_EQ(table_errors("t,ax\n0,0\n1,0\n2,0\n"),
            "motion.csv:1:1: error: the table has 3 rows below its header, must have at least 4\n"
            "  1 | t,ax\n"
            "    | ^^^^\n"
            "  help: a cubic spline is laid through them\n");
}

TEST(ReadMotionTable, thousands_of_mistakes_end) {
  std::string text = "t,ax\n";
  for (int i = 0; i < 5000; ++i) text += "x,y\n";
  const std::string all = table_errors(text);
  EXPECT_NE(all.find("motion.csv:11:3: error: ax = \"y\", must be a number"), all.npos);
  EXPECT_NE(all.find("motion.csv:12:1: error: too many errors: those after this one are not shown"), all.npos);
  EXPECT_EQ(all.find("motion.csv:13"), all.npos);
}

TEST(ReadMotionTable, other_bytes) {
  EXPECT_EQ(table_errors("t,ax\n0,\xe4\n"),
            "motion.csv:2:3: error: not UTF-8 text\n  help: save the file with the encoding UTF-8\n");
  EXPECT_EQ(table_errors("t,ä\n0,0\n1,0\n2,0\n3,0\n"),
            "motion.csv:1:3: error: unknown column \"ä\"\n  1 | t,ä\n    |   ^^\n"
            "  help: known: t, ax, ay, az, wx, wy, wz, ex, ey, ez\n");
  const std::string many = table_errors("t" + std::string(30000, ',') + "\n");
  EXPECT_TRUE(many.starts_with("motion.csv:1:1: error: the line has 30001 bytes, must have at most 20000\n")) << many;
}

// ---- in a model ----

const std::string kTable = "t,ax,ay,wz\n0,-1,9.81,10\n0.1,-2,9.81,11\n0.2,-3,9.81,13\n0.3,-4,9.81,14\n";

// The sample with a table of motion instead of its spin.
std::string with_table(const std::string& file = "motion.csv") {
  return changed("kind    = \"spin\"\naxis    = [0, 0, 1]\nthrough = [-0.1, 0, 0]\nspeed   = \"1000 rad/s\"\n",
                 "kind = \"table\"\nfile = \"" + file + "\"\n");
}

struct Read {
  std::optional<Model> model;
  std::string errors, warnings;
  std::vector<std::string> paths;  // that were asked for
};
Read read_with(const std::string& text, const std::string& table, const std::string& model_file = "rod.toml",
               std::vector<std::string> settings = {}) {
  Read read;
  ReadOptions options = sample_options(std::move(settings));
  options.read_file = [&](const std::string& path, size_t) -> FileText {
    read.paths.push_back(path);
    if (table.empty()) return {"", "No such file or directory"};
    return {table, ""};
  };
  Diagnostics diagnostics;
  read.model = read_model(model_file, text, options, diagnostics);
  EXPECT_EQ(read.model.has_value(), diagnostics.n_errors() == 0);
  read.errors = diagnostics.format_all(Severity::error);
  read.warnings = diagnostics.format_all(Severity::warning);
  return read;
}

TEST(ReadModel, motion_from_a_table) {
  const Read read = read_with(with_table(), kTable, "dir/rod.toml");
  EXPECT_EQ(read.errors + read.warnings, "");
  ASSERT_TRUE(read.model);
  EXPECT_EQ(read.paths, std::vector<std::string>{"dir/motion.csv"});
  const Motion& motion = read.model->bodies[0].motion;
  EXPECT_EQ(motion.kind, Motion::Kind::table);
  ASSERT_NE(motion.table, nullptr);
  EXPECT_EQ(motion.table->calc_acceleration(1, 0.1), 9.81);
  // The echo names the file and reads back.
  const std::string echo = echo_toml(*read.model);
  EXPECT_NE(echo.find("kind = \"table\"\nfile = \"motion.csv\"\n"), echo.npos) << echo;
  const Read again = read_with(echo, kTable, "dir/rod.toml");
  ASSERT_TRUE(again.model) << again.errors;
  EXPECT_EQ(echo_toml(*again.model), echo);
}

TEST(ReadModel, table_that_cannot_be_read) {
  EXPECT_EQ(read_with(with_table(), "", "dir/rod.toml").errors,
            "dir/rod.toml:25:8: error: file = \"motion.csv\", cannot be read: No such file or directory\n"
            "  25 | file = \"motion.csv\"\n"
            "     |        ^^^^^^^^^^^^\n"
            "  help: it is looked for beside the model file: dir/motion.csv\n");
  EXPECT_EQ(read_with(with_table("/no/such.csv"), "").errors,
            "rod.toml:25:8: error: file = \"/no/such.csv\", cannot be read: No such file or directory\n"
            "  25 | file = \"/no/such.csv\"\n"
            "     |        ^^^^^^^^^^^^^^\n");
  for (const std::string name : {"", "a\\u0000b"}) {
    const Read read = read_with(with_table(name), kTable);
    EXPECT_NE(read.errors.find("must be the name of a file"), std::string::npos);
    EXPECT_TRUE(read.paths.empty());
  }
  EXPECT_NE(read_with(changed("kind    = \"spin\"", "kind = \"table\""), kTable).errors.find("missing key `file`"),
            std::string::npos);
}

TEST(ReadModel, mistakes_of_model_and_table_together) {
  const Read read = read_with(with_table() + "time = \"1 m\"\n", "t,ax\n0,0\n1,x\n2,0\n3,0\n");
  EXPECT_EQ(read.errors,
            "rod.toml:29:8: error: time = \"1 m\", must be a time (s), not a length (m)\n"
            "  29 | time = \"1 m\"\n"
            "     |        ^^^^^\n"
            "  help: for example \"1e-3 s\"\n"
            "motion.csv:3:3: error: ax = \"x\", must be a number\n"
            "  3 | 1,x\n"
            "    |   ^\n");
}

TEST(ReadModel, bodies_share_a_table) {
  std::string second = with_table();
  second = second.substr(second.find("[body.rod]"), second.find("[analysis") - second.find("[body.rod]"));
  for (size_t at; (at = second.find("body.rod")) != second.npos;) second.replace(at, 8, "body.arm");
  const Read read = read_with(with_table() + second, kTable);
  ASSERT_TRUE(read.model) << read.errors;
  EXPECT_EQ(read.paths.size(), 1u);
  EXPECT_EQ(read.model->bodies[0].motion.table, read.model->bodies[1].motion.table);
  // A table with a mistake is not reported twice.
  EXPECT_EQ(read_with(with_table() + second, "t,ax\n0,0\n").errors.find("must have at least 4"),
            read_with(with_table() + second, "t,ax\n0,0\n").errors.rfind("must have at least 4"));
}

TEST(LoadModel, table_beside_the_model_file) {
  const test::TempDir dir;
  test::write_text(dir / "rod.toml", with_table());
  test::write_text(dir / "motion.csv", kTable);
  Diagnostics diagnostics;
  const Model model = load_model((dir / "rod.toml").string(), sample_options(), diagnostics);
  ASSERT_NE(model.bodies[0].motion.table, nullptr);
  // An echo in another directory finds the same file.
  std::filesystem::create_directory(dir / "out");
  const Model moved = move_files(model, dir.path().string(), (dir / "out").string());
  EXPECT_EQ(moved.bodies[0].motion.file, "../motion.csv");
  test::write_text(dir / "out/input.echo.toml", echo_toml(moved));
  const Model again = load_model((dir / "out/input.echo.toml").string(), sample_options(), diagnostics);
  EXPECT_EQ(again.bodies[0].motion.table->calc_angular_velocity(2, 0.15),
            model.bodies[0].motion.table->calc_angular_velocity(2, 0.15));
}

}  // namespace
}  // namespace elodyn
