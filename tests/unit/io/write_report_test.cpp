#include "elodyn/io/write_report.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "elodyn/io/report_model.hpp"
#include "elodyn/io/report_numbers.hpp"
#include "elodyn/io/report_plots.hpp"
#include "elodyn/io/report_scenes.hpp"
#include "elodyn/io/report_verdicts.hpp"
#include "elodyn/io/shown_unit.hpp"

namespace elodyn {
namespace {

using Json = nlohmann::ordered_json;

Json data_of(const std::string& page) {
  const std::string opening = "<script type=\"application/json\" id=\"data\">";
  const size_t start = page.find(opening), end = page.find("</script>", start);
  EXPECT_NE(start, std::string::npos);
  return Json::parse(page.substr(start + opening.size(), end - start - opening.size()));
}

Results with_title(const std::string& title) {
  Results results;
  results.title = title;
  results.outcome.status = "ok";
  return results;
}

TEST(WriteReport, TextsCannotEndTheScript) {
  const std::string title = "a <script>alert(1)</script> <!-- \u2028 \u2029 & \"b\" /*DATA*/";
  const Results results = with_title(title);
  const std::string page = to_report_page({{"out", results, "", {}}});
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page.find("\u2028"), std::string::npos);
  EXPECT_EQ(data_of(page)["runs"][0]["title"], title);
}

TEST(WriteReport, EscapingKeepsTheJson) {
  EXPECT_EQ(escape_for_script("{\"a\": \"<b>\u2028\"}"), "{\"a\": \"\\u003cb>\\u2028\"}");
  EXPECT_EQ(escape_for_script("\xe2\x80"), "\xe2\x80");
}

TEST(WriteReport, SeveralRunsStandSideBySide) {
  const Results a = with_title("a"), b = with_title("b");
  const Json data = data_of(to_report_page({{"one", a, "", {"x.csv"}}, {"two", b, "", {}}}));
  EXPECT_EQ(data["version"], 1);
  ASSERT_EQ(data["runs"].size(), 2u);
  EXPECT_EQ(data["runs"][1]["name"], "two");
  EXPECT_EQ(data["runs"][0]["files"], Json::array({"x.csv"}));
}

TEST(WriteReport, LongHistoriesAreThinnedButKeepTheirPeaks) {
  constexpr size_t kRows = 1'500'000;
  Results results = with_title("long");
  std::vector<double> t(kRows), x(kRows, 0.0);
  for (size_t k = 0; k < kRows; ++k) t[k] = static_cast<double>(k);
  x[777'777] = 5;
  x[123'457] = -3;
  results.tables = {{"long", "Long", {{"t", "s", t}, {"x", "m", x}}, true}};
  const Json run = Json::parse(to_report_json({{"out", results, "", {}}}))["runs"][0];
  const Json& table = run["tables"][0];
  EXPECT_NE(table["title"].get<std::string>().find("of 1500000 rows; all in long.csv"), std::string::npos);
  // 8 bytes in base64; half of the rows, the two peaks and the last one
  const size_t letters = table["columns"][1]["values"]["f64"].get<std::string>().size();
  EXPECT_EQ(letters, (8 * (kRows / 2 + 3) + 2) / 3 * 4);
  results.tables[0].is_history = false;  // what people read is whole
  const Json whole = Json::parse(to_report_json({{"out", results, "", {}}}))["runs"][0]["tables"][0];
  EXPECT_EQ(whole["title"], "Long");
}

TEST(ReportNumbers, Base64) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");  // RFC 4648
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(to_base64(std::string("\xff\xfe\x00", 3)), "//4A");
}

TEST(ReportNumbers, PlainOrBinary) {
  EXPECT_EQ(exact_numbers({0.1, std::nan("")}).dump(), "[0.1,null]");
  EXPECT_EQ(picture_numbers({0.1F, INFINITY}).dump(), "[0.1,null]");
  EXPECT_EQ(index_numbers({1, 2}).dump(), "[1,2]");
  EXPECT_TRUE(exact_numbers(std::vector<double>(10000)).is_array());
  EXPECT_EQ(picture_numbers(std::vector<float>(10001, 1.0F))["f32"].get<std::string>().substr(0, 16),
            "AACAPwAAgD8AAIA/");
  EXPECT_TRUE(exact_numbers(std::vector<double>(10001)).contains("f64"));
  EXPECT_TRUE(index_numbers(std::vector<std::uint32_t>(10001)).contains("u32"));
}

TEST(ShownUnit, AsPeopleWriteThem) {
  EXPECT_EQ(show(2.1e11, "Pa"), "210 GPa");
  EXPECT_EQ(show(0.01, "m"), "10 mm");
  EXPECT_EQ(show(0, "m"), "0 m");
  EXPECT_EQ(show(M_PI, "rad/s", "first_speed"), "30 rpm");
  EXPECT_EQ(show(3, "rad/s", "omega"), "3 rad/s");
  EXPECT_EQ(show(2.5, "N*m"), "2.5 N m");
  EXPECT_EQ(show(7, ""), "7");
}

Json find_plot(const Json& plots, const std::string& name) {
  for (const Json& plot : plots)
    if (plot["name"] == name) return plot;
  ADD_FAILURE() << "no plot " << name << " in " << plots.dump();
  return {};
}

TEST(ReportPlots, HistoriesByUnit) {
  const std::vector<double> t = {0, 1, 2}, x = {1, 2, 4};
  const Json plots = list_plots(
      {{"rod_history",
        "Rod",
        {{"time", "s", t}, {"a", "m", x}, {"b", "m", x}, {"c", "N", x}, {"none", "Pa", std::vector<double>(3)}},
        true}});
  ASSERT_EQ(plots.size(), 2u);
  EXPECT_EQ(plots[0]["kind"], "lines");
  EXPECT_EQ(plots[0]["x"]["column"], "time");
  EXPECT_EQ(plots[0]["y"].size(), 2u);
  EXPECT_EQ(plots[1]["y"][0]["column"], "c");
}

TEST(ReportPlots, ANewHistoryIsDrawnWithoutARule) {
  const std::vector<double> x = {1, 2};
  const Table table{"new", "New", {{"place", "m", x}, {"value", "", x}}, true};
  EXPECT_EQ(list_plots({table}).size(), 1u);
  Table short_one = table;
  short_one.is_history = false;
  EXPECT_TRUE(list_plots({short_one}).empty());
}

TEST(ReportPlots, TrajectoriesAndHodographs) {
  const std::vector<double> t = {0, 1, 2}, x = {1, 2, 4}, still = {5, 5, 5};
  const Json plots = list_plots({{"mechanism_point_history",
                                  "Points",
                                  {{"t", "s", t},
                                   {"rod_M_x", "m", x},
                                   {"rod_M_y", "m", t},
                                   {"rod_M_vx", "m/s", t},
                                   {"rod_M_vy", "m/s", x},
                                   {"rod_O_x", "m", still},
                                   {"rod_O_y", "m", still}},
                                  true}});
  const Json path = find_plot(plots, "mechanism_point_history:rod_M_xy");
  EXPECT_EQ(path["kind"], "trajectory");
  EXPECT_EQ(path["y"][0]["column"], "rod_M_y");
  EXPECT_EQ(path["x"]["scale"], path["y"][0]["scale"]);
  EXPECT_EQ(find_plot(plots, "mechanism_point_history:rod_M_vxy")["title"], "rod M: hodograph of the velocity");
  for (const Json& plot : plots) EXPECT_NE(plot["name"], "mechanism_point_history:rod_O_xy");  // it stands still
}

TEST(ReportPlots, ResponsesMapsAndConvergence) {
  const std::vector<double> x = {1, 2, 3};
  const std::vector<std::string> kinds(3, "stable");
  const Json plots = list_plots(
      {{"rod_frf", "FRF", {{"frequency", "Hz", x}, {"tip_v", "m", x}, {"tip_v_phase", "deg", x}}},
       {"stability", "Stability", {{"speed", "rad/s", x}, {"b", "m", x}, {"growth", "1/s", x}, {"kind", "", kinds}}},
       {"converge_errors",
        "C",
        {{"mode", "", x}, {"label", "", kinds}, {"size", "", x}, {"difference", "", x}},
        true}});
  const Json response = find_plot(plots, "rod_frf:tip_v"), map = find_plot(plots, "stability:growth"),
             convergence = find_plot(plots, "converge_errors");
  EXPECT_EQ(response["phase"]["column"], "tip_v_phase");
  EXPECT_EQ(response["y"][0]["log"], true);
  EXPECT_EQ(map["kind"], "map");
  EXPECT_EQ(map["x"]["unit"], "rpm");
  EXPECT_EQ(map["z"]["column"], "growth");
  EXPECT_EQ(convergence["x"]["log"], true);
  EXPECT_EQ(convergence["group"], Json::array({"mode", "label"}));
}

TEST(ReportPlots, MatricesBecomeMaps) {
  const std::vector<double> rows = {1, 2}, a = {0.9, 0.1}, b = {0.2, 0.8}, re = {-1, 0}, im = {0, 2};
  const std::vector<Table> derived = derive_tables(
      {{"mac", "MAC", {{"measured", "", rows}, {"computed_1", "", a}, {"computed_2", "", b}}},
       {"waterfall_x", "W", {{"frequency", "Hz", rows}, {"at_30_rpm", "m", a}, {"at_60_rpm", "m", b}}, true},
       {"frf_p", "F", {{"frequency", "Hz", rows}, {"re", "m/N", re}, {"im", "m/N", im}}, true}});
  ASSERT_EQ(derived.size(), 3u);
  const auto numbers = [&](size_t t, size_t c) { return std::get<std::vector<double>>(derived[t].columns[c].values); };
  EXPECT_EQ(numbers(0, 0), (std::vector<double>{1, 1, 2, 2}));
  EXPECT_EQ(numbers(0, 1), (std::vector<double>{1, 2, 1, 2}));
  EXPECT_EQ(numbers(0, 2), (std::vector<double>{0.9, 0.1, 0.2, 0.8}));
  EXPECT_EQ(derived[1].columns[0].unit, "rad/s");
  EXPECT_NEAR(numbers(1, 0)[0], M_PI, 1e-15);
  EXPECT_EQ(numbers(2, 1), (std::vector<double>{1, 2}));
  EXPECT_EQ(numbers(2, 2), (std::vector<double>{180, 90}));
  const Json plots = list_plots(derived);
  EXPECT_EQ(find_plot(plots, "mac_cells")["z"]["column"], "mac");
  EXPECT_EQ(find_plot(plots, "waterfall_x_cells")["x"]["unit"], "rpm");
  EXPECT_EQ(find_plot(plots, "frf_p_polar:magnitude")["phase"]["column"], "magnitude_phase");
}

Json verdict(const Results& results, const std::string& title) {
  for (const Json& v : list_verdicts(results))
    if (v["title"] == title) return v;
  ADD_FAILURE() << "no verdict " << title << " in " << list_verdicts(results).dump();
  return {};
}

TEST(ReportVerdicts, WhatAnEngineerAsksFirst) {
  Results results = with_title("");
  results.outcome.fail("static: nothing holds it; add supports");
  results.modes = {
      {1, "rod", 0, 0, "rigid", {}, 0}, {2, "rod", 20 * M_PI, 0, "bending", {}, 0}, {3, "rod", 0, 4, "bending", {}, 0}};
  results.campbell =
      Campbell{"rod", "rotating", {0, 100 * M_PI}, {{"bending 1", "bending", "", {1, 2}, {0, 0}}}, {{10 * M_PI, 1, 0}}};
  results.mechanism.emplace().joints = {{"O", "revolute", 10, 5, 0, 0, 0.5, {}},
                                        {"B", "revolute", 20, 5, 0, 0, 0.25, {}}};
  const std::vector<std::string> names = {"rod"};
  results.tables = {{"static",
                     "",
                     {{"body", "", names},
                      {"stress", "Pa", std::vector<double>{3e6}},
                      {"von_mises", "Pa", std::vector<double>{2e6}}}},
                    {"buckling", "", {{"body", "", names}, {"factor", "", std::vector<double>{0.5}}}}};
  EXPECT_EQ(verdict(results, "What went wrong")["text"], "static: nothing holds it; add supports");
  EXPECT_EQ(verdict(results, "Lowest frequency")["value"], "10 Hz");
  EXPECT_EQ(verdict(results, "A mode grows")["level"], "bad");
  EXPECT_EQ(verdict(results, "Critical speed")["value"], "300 rpm");
  EXPECT_EQ(verdict(results, "Largest force of a joint")["value"], "20 N");
  EXPECT_EQ(verdict(results, "Peak stress")["value"], "2 MPa");
  EXPECT_EQ(verdict(results, "Lowest buckling factor")["level"], "bad");
}

TEST(ReportVerdicts, StabilityMargins) {
  Results results = with_title("");
  const auto one = [](double x) { return std::vector<double>{x}; };
  results.tables = {{"stability_margins",
                     "",
                     {{"parameter", "", std::vector<std::string>{"speed"}},
                      {"unit", "", std::vector<std::string>{"rad/s"}},
                      {"value", "", one(10 * M_PI)},
                      {"kind", "", std::vector<std::string>{"stable"}},
                      {"boundary_below", "", one(std::nan(""))},
                      {"boundary_above", "", one(12 * M_PI)}}}};
  EXPECT_EQ(verdict(results, "Stability margin")["value"], "60 rpm");
  EXPECT_EQ(verdict(results, "Stability margin")["level"], "good");
}

TEST(ReportModel, ATreeWithUnits) {
  const Json items = list_model(R"(schema = 1
title = "T"
[material.steel]
young = 2.1e11
[body.rod]
element = "beam_rayleigh"
line = { from = [0, 0, 0], to = [0.01, 0, 0], elements = 4 }
[[body.rod.load]]
at = "to"
)");
  ASSERT_EQ(items.size(), 3u);
  const Json &steel = items[1]["items"][0], &rod = items[2]["items"][0];
  EXPECT_EQ(steel["kind"], "material");
  EXPECT_EQ(steel["items"][0]["value"], "210 GPa");
  EXPECT_EQ(rod["value"], "beam_rayleigh");
  EXPECT_EQ(rod["items"][1]["value"], "from = [0, 0, 0] m, to = [10, 0, 0] mm, elements = 4");
  EXPECT_EQ(rod["items"][2]["name"], "load 1");
  EXPECT_TRUE(list_model("no [ toml").empty());
}

Grid square() {
  Grid grid;
  grid.name = "plate_modes";
  grid.body = "plate";
  grid.points = Matrix3X(3, 5);
  grid.points << 0, 1, 1, 0, 2, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0;
  grid.cells = {{0, 4, 2}};
  grid.faces = {{0, 1, 2, 3}};
  return grid;
}

TEST(ReportScenes, PartsAndShapes) {
  Grid grid = square();
  grid.fields = {{"mode_1_re", "", MatrixX::Ones(3, 5)},     {"mode_1_im", "", MatrixX::Zero(3, 5)},
                 {"mode_1_phi_re", "", MatrixX::Ones(1, 5)}, {"mode_10_re", "", MatrixX::Ones(3, 5)},
                 {"axis_x", "", MatrixX::Ones(3, 5)},        {"von_mises", "Pa", MatrixX::Ones(1, 5)}};
  grid.shapes = {{"mode", "mode 1", "mode_1", 1, 5, 0}, {"mode", "mode 10", "mode_10", 10, 6, 0}};
  std::vector<std::string> notes;
  const Json scenes = list_scenes({grid}, notes);
  ASSERT_EQ(scenes.size(), 1u);
  const Json& part = scenes[0]["parts"][0];
  EXPECT_EQ(part["name"], "plate");
  EXPECT_EQ(part["segments"].dump(), "[0,4,4,2]");
  EXPECT_EQ(part["triangles"].dump(), "[0,1,2,0,2,3]");
  EXPECT_EQ(part["edges"].dump(), "[0,1,0,3,1,2,2,3]");
  const Json &fields = scenes[0]["fields"], &shapes = scenes[0]["shapes"];
  ASSERT_EQ(shapes.size(), 2u);
  const Json& moved = fields[shapes[0]["displacements"][0].get<size_t>()];
  EXPECT_TRUE(moved.contains("im"));
  EXPECT_FALSE(fields[shapes[1]["displacements"][0].get<size_t>()].contains("im"));
  ASSERT_EQ(shapes[0]["colours"].size(), 2u);
  EXPECT_EQ(fields[shapes[0]["colours"][0].get<size_t>()]["title"], "change of the volume fraction");
  ASSERT_EQ(shapes[1]["colours"].size(), 1u);
  EXPECT_EQ(fields[shapes[1]["colours"][0].get<size_t>()]["unit"], "Pa");
  EXPECT_EQ(shapes[1]["mode"], 10);
  EXPECT_TRUE(notes.empty());
}

TEST(ReportScenes, FramesWithArrowsAndTrails) {
  std::vector<Grid> frames;
  for (int k = 0; k < 2; ++k) {
    Grid& frame = frames.emplace_back();
    frame.animation = "mechanism";
    frame.time = 0.5 * k;
    frame.points = Matrix3X::Constant(3, 5, k);
    frame.cells = {{0, 1}, {2, 3}, {4}};
    frame.point_names = {"crank.O", "crank.A", "rod.A", "rod.B", "joint A"};
    MatrixX body(1, 5), force = MatrixX::Zero(3, 5);
    body << 1, 1, 2, 2, 0;
    force.col(4) << 7, 0, 0;
    frame.fields = {{"velocity", "m/s", MatrixX::Ones(3, 5)},
                    {"body", "", body},
                    {"liaison_force", "N", force},
                    {"liaison_moment", "N m", MatrixX::Zero(3, 5)}};
  }
  std::vector<std::string> notes;
  const Json scene = list_scenes(frames, notes)[0];
  ASSERT_EQ(scene["parts"].size(), 2u);
  EXPECT_EQ(scene["parts"][1]["name"], "rod");
  EXPECT_EQ(scene["parts"][1]["segments"].dump(), "[0,1]");
  const Json& f = scene["frames"];
  EXPECT_EQ(f["times"].dump(), "[0.0,0.5]");
  EXPECT_EQ(f["points"][0].dump(), "[0.0,0.0,0.0,0.0,0.0,0.0,1.0,1.0,1.0,1.0,1.0,1.0]");
  ASSERT_EQ(f["arrows"].size(), 1u);  // nothing of the moment, which is zero
  EXPECT_EQ(f["arrows"][0]["title"], "force in joint A");
  EXPECT_EQ(f["arrows"][0]["value"].dump(), "[7.0,0.0,0.0,7.0,0.0,0.0]");
  EXPECT_EQ(f["trails"].size(), 4u);
  EXPECT_EQ(f["colours"].size(), 1u);
}

}  // namespace
}  // namespace elodyn
