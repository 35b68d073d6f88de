#include "elodyn/io/write_csv.hpp"

#include <cmath>
#include <limits>

#include "tests/support/temp_dir.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

TEST(WriteCsv, UnitsNumbersAndQuotes) {
  const Table table{"t",
                    "Title",
                    {{"x", "m", std::vector<double>{0.1, 1.0 / 3, 2.1e11}},
                     {"say \"what\", where", "", std::vector<std::string>{"plain", "a,b", "line\n\"two\""}},
                     {"n", "", std::vector<double>{1, std::nan(""), INFINITY}}}};
  EXPECT_EQ(to_csv(table),
            "x [m],\"say \"\"what\"\", where\",n\n"
            "0.1,plain,1\n"
            "0.3333333333333333,\"a,b\",\n"
            "2.1e+11,\"line\n\"\"two\"\"\",inf\n");
}

TEST(WriteCsv, EmptyTableKeepsItsHeader) {
  EXPECT_EQ(to_csv({"t", "", {{"x", "m", std::vector<double>{}}, {"y", "", std::vector<std::string>{}}}}), "x [m],y\n");
  EXPECT_EQ(to_csv({"t", "", {}}), "");
}

TEST(WriteCsv, ColumnsOfDifferentLengthAreOurBug) {
  const Table table{"t", "", {{"x", "", std::vector<double>{1, 2}}, {"y", "", std::vector<double>{1}}}};
  EXPECT_THROW(to_csv(table), std::logic_error);
}

TEST(WriteCsv, ModesHaveAColumnForEachShare) {
  Mode bending{1, "rod", 6.283185307179586, -0.5, "bending", {{"bending", 0.75}, {"axial", 0.25}}, 1e-15};
  Mode rigid{2, "rod", 0, 0, "rigid", {}, 0};
  EXPECT_EQ(to_csv(make_modes_table({bending, rigid})),
            "number,body,omega [rad/s],frequency [Hz],growth [1/s],label,share_axial,share_bending,residual\n"
            "1,rod,6.283185307179586,1,-0.5,bending,0.25,0.75,1e-15\n"
            "2,rod,0,0,0,rigid,,,0\n");
}

TEST(WriteCsv, OneFileForEachTable) {
  const test::TempDir temp;
  Results results;
  results.modes = {{1, "rod", 1, 0, "axial", {{"axial", 1}}, 0}};
  results.tables = {{"reactions", "", {{"Fx", "N", std::vector<double>{1}}}}};
  EXPECT_EQ(make_csv_writer()->write({results, temp.path()}), (std::vector<std::string>{"modes.csv", "reactions.csv"}));
  EXPECT_EQ(test::list_dir(temp.path()), "modes.csv reactions.csv");
  EXPECT_EQ(test::read_text(temp / "reactions.csv"), "Fx [N]\n1\n");
}

}  // namespace
}  // namespace elodyn
