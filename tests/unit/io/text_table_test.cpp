#include "elodyn/io/text_table.hpp"

#include <cmath>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

TEST(TextTable, ModesShowHertzFirstAndTheShare) {
  const std::vector<Mode> modes = {{1, "rod", 205.7771, 0, "bending", {{"bending", 0.9984}, {"axial", 0.0016}}, 0},
                                   {2, "rod", 16301.4, -0.25, "coupled", {{"axial", 0.6}, {"bending", 0.4}}, 0},
                                   {3, "rod", 0, 0, "rigid", {}, 0}};
  EXPECT_EQ(format_modes(modes),
            "Modes\n"
            "  mode  frequency [Hz]  omega [rad/s]  growth [1/s]  kind\n"
            "     1         32.7504        205.777             0  bending 99.8 %\n"
            "     2       2594.4484      16301.400         -0.25  coupled, axial 60.0 %\n"
            "     3               0              0             0  rigid\n");
}

TEST(TextTable, SeveralBodiesAreNamed) {
  const std::vector<Mode> modes = {{1, "a", 1, 0, "rigid", {}, 0}, {2, "b", 1, 0, "rigid", {}, 0}};
  EXPECT_EQ(format_modes(modes),
            "Modes\n"
            "  mode  body  frequency [Hz]  omega [rad/s]  growth [1/s]  kind\n"
            "     1  a           0.159155              1             0  rigid\n"
            "     2  b           0.159155              1             0  rigid\n");
}

TEST(TextTable, SpeedsAreShownInRpmAndNamesByCodePoints) {
  const Table table{"t",
                    "",
                    {{"speed", "rad/s", std::vector<double>{M_PI / 30, M_PI}},
                     {"tijă", "", std::vector<std::string>{"αβγδε", "x"}},
                     {"y", "", std::vector<std::string>{"1", "2"}}}};
  EXPECT_EQ(format_table(table),
            "  speed [rpm]  tijă   y\n"
            "            1  αβγδε  1\n"
            "           30  x      2\n");
}

TEST(TextTable, WideRangesKeepTheirDigits) {
  const Table table{"t", "", {{"x", "", std::vector<double>{1e-8, 123456.789, 0, std::nan(""), -INFINITY}}}};
  EXPECT_EQ(format_table(table),
            "       x\n"
            "   1e-08\n"
            "  123457\n"
            "       0\n"
            "       -\n"
            "    -inf\n");
}

TEST(TextTable, RoundOffBesideLargeNumbersIsZero) {
  const Table table{"t", "", {{"N", "N", std::vector<double>{107599.25, 4562.5, -3e-11}}}};
  EXPECT_EQ(format_table(table),
            "      N [N]\n"
            "  107599.25\n"
            "    4562.50\n"
            "          0\n");
}

TEST(TextTable, ValuesOfManyUnitsKeepTheirDigits) {
  const Table table{
      "t",
      "",
      {{"value", "", std::vector<double>{2.645e-10, 8.1e7}}, {"unit", "", std::vector<std::string>{"m", "Pa"}}}};
  EXPECT_EQ(format_table(table),
            "      value  unit\n"
            "  2.645e-10  m\n"
            "    8.1e+07  Pa\n");
}

TEST(TextTable, LongTablesAreShortenedAndSaySo) {
  const Table table{"t", "Long", {{"n", "", std::vector<double>{1, 2, 3, 4, 5, 6}}}};
  TextTableOptions options;
  options.max_rows = 4;
  options.where_all = " in t.csv";
  EXPECT_EQ(format_table(table, options), "Long\n  n\n  1\n  2\n  … 2 rows more in t.csv\n  5\n  6\n");
}

TEST(TextTable, NoColourOutsideATerminal) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(make_style(ends[1]).bold, "");
  close(ends[0]);
  close(ends[1]);
}

TEST(TextTable, ATerminalHasColourUnlessNoColorIsSet) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) GTEST_SKIP() << "no pseudo-terminal here";
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  EXPECT_EQ(make_style(terminal).bold, "\x1b[1m");
  setenv("NO_COLOR", "1", 1);
  EXPECT_EQ(make_style(terminal).bold, "");
  unsetenv("NO_COLOR");
  setenv("TERM", "dumb", 1);
  EXPECT_EQ(make_style(terminal).bold, "");
  close(terminal);
}

}  // namespace
}  // namespace elodyn
