#include "elodyn/io/results_hdf5.hpp"

#include <bit>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/io/hdf5_file.hpp"

namespace elodyn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
const std::vector<double> kHard = {0.1, -0.0, kNan, kInf, -kInf, 5e-324, 1.7976931348623157e308, 1.0 / 3};

// Bits, not values: -0 is not 0, and a NaN is itself.
std::vector<std::uint64_t> bits(const std::vector<double>& values) {
  std::vector<std::uint64_t> out;
  for (const double value : values) out.push_back(std::bit_cast<std::uint64_t>(value));
  return out;
}
std::uint64_t bits(double value) { return std::bit_cast<std::uint64_t>(value); }
std::vector<std::uint64_t> bits(const MatrixX& values) {
  return bits(std::vector<double>(values.data(), values.data() + values.size()));
}

Grid make_grid(const std::string& name) {
  Grid grid;
  grid.name = name;
  grid.body = "rod";
  grid.points = Matrix3X(3, 4);
  grid.points << 0, 0.1, 0.2, 0.3, -0.0, 1, 5e-324, 1, 2, 2, 2, 1.0 / 3;
  grid.cells = {{0, 1, 2}, {2, 3}, {3}};
  grid.faces = {{0, 1, 3}, {0, 2, 3, 1}};
  grid.n_element_faces = 1;
  MatrixX scalar(1, 4), vector = MatrixX::Random(3, 4);
  scalar << kNan, kInf, -0.0, 7;
  grid.fields = {{"φ <1>/2", "Pa", scalar}, {"mode_1_re", "", vector}, {"mode_1_re", "m", -vector}};
  grid.shapes = {{"mode", "mode 1, 5 Hz", "mode_1", 1, 31.4, -0.5}, {"campbell", "", "b", 0, kNan, kNan, 2, 3}};
  grid.point_names = {"rod.A", "", "", "rod.\"B\""};
  return grid;
}

Results make_results() {
  Results r;
  r.title = "Rod <script>alert(1)</script> – größer";
  r.outcome = {"numerical failure", "static: nothing holds it\nmodes: no"};
  r.warnings = {"first", "", "ünicode"};
  r.modes = {{1, "rod", 31.4, -0.0, "bending", {{"bending", 0.9}, {"axial", 0.1}}, 1e-15},
             {2, "rod", 0, kNan, "rigid", {}, 0}};
  r.modes_are_complete = false;
  FormalismReport kane{"kane", "element", true, "", 1e-16, kNan, 2e-13, {10, 2000, 3000000000L}, 0.5, 0.25};
  FormalismReport whittaker;
  whittaker.name = "whittaker";
  whittaker.level = "system";
  whittaker.applies = false;
  whittaker.reason = "not here";
  r.formalisms = {kane, whittaker};
  r.campbell = Campbell{"rod",
                        "fixed",
                        {0, 100, 1.0 / 3},
                        {{"bending 1", "bending", "forward", {1, 2, kNan}, {0, -0.0, kNan}},
                         {"axial 1", "axial", "", {4, 5, 6}, {0, 0, 1e-3}}},
                        {{123.4, 1, 1}},
                        1e-9};
  MechanismSummary& m = r.mechanism.emplace();
  m.kind = "dynamic";
  m.formalism = "kane";
  m.n_freedoms = 2;
  m.redundant = {"x of B"};
  m.joints = {{"O", "revolute", 1, 2, 3, 4, 0.1, {"force x", "moment z"}}, {"B", "prismatic", 5, 6, 7, 8, 0.2, {}}};
  m.events = {{"stop", 0.5, false}};
  m.singular = {{0.25, "joint O"}};
  m.position_drift = 1e-12;
  m.velocity_drift = 1e-11;
  m.energy_error = kNan;
  m.largest_kinetic = 12;
  m.steps = 100;
  m.rejected = 3;
  m.stopped = true;
  std::vector<double> many(3000);
  for (size_t k = 0; k < many.size(); ++k) many[k] = 1.0 / static_cast<double>(k + 1);
  r.tables = {
      {"a/b", "Title", {{"x", "m", kHard}, {"x", "rad/s", kHard}, {"text", "", std::vector<std::string>(8, "ä")}}},
      {"a/b", "The same name", {}, true},
      {"long", "Packed", {{"t", "s", many}}, true},
      {"none", "No rows", {{"x", "", std::vector<double>{}}, {"y", "", std::vector<std::string>{}}}}};
  r.grids = {make_grid("rod_modes"), make_grid("frame_0"), make_grid("frame_1")};
  for (size_t k = 1; k < 3; ++k) {
    r.grids[k].animation = "frame";
    r.grids[k].time = 0.1 * static_cast<double>(k);
  }
  r.grids[2].points *= 2;
  r.timings = {{"total", 0.5}, {"modes", 1.0 / 3}};
  r.provenance = {"elodyn",   "0.1.0", "abc",   "GCC", "Release", "elodyn run 'a b.toml'",
                  "a b.toml", "00ff",  {"x=1"}, "now"};
  return r;
}

void expect_same(const Table& a, const Table& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.is_history, b.is_history);
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (size_t c = 0; c < a.columns.size(); ++c) {
    EXPECT_EQ(a.columns[c].name, b.columns[c].name);
    EXPECT_EQ(a.columns[c].unit, b.columns[c].unit);
    ASSERT_EQ(a.columns[c].values.index(), b.columns[c].values.index());
    if (const auto* numbers = std::get_if<std::vector<double>>(&a.columns[c].values))
      EXPECT_EQ(bits(*numbers), bits(std::get<std::vector<double>>(b.columns[c].values)));
    else
      EXPECT_EQ(std::get<1>(a.columns[c].values), std::get<1>(b.columns[c].values));
  }
}

void expect_same(const Grid& a, const Grid& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.body, b.body);
  EXPECT_EQ(a.animation, b.animation);
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(bits(a.points), bits(b.points));
  EXPECT_EQ(a.cells, b.cells);
  EXPECT_EQ(a.faces, b.faces);
  EXPECT_EQ(a.n_element_faces, b.n_element_faces);
  EXPECT_EQ(a.point_names, b.point_names);
  ASSERT_EQ(a.fields.size(), b.fields.size());
  for (size_t f = 0; f < a.fields.size(); ++f) {
    EXPECT_EQ(a.fields[f].name, b.fields[f].name);
    EXPECT_EQ(a.fields[f].unit, b.fields[f].unit);
    EXPECT_EQ(a.fields[f].values.rows(), b.fields[f].values.rows());
    EXPECT_EQ(bits(a.fields[f].values), bits(b.fields[f].values));
  }
  ASSERT_EQ(a.shapes.size(), b.shapes.size());
  for (size_t s = 0; s < a.shapes.size(); ++s) {
    EXPECT_EQ(a.shapes[s].kind, b.shapes[s].kind);
    EXPECT_EQ(a.shapes[s].title, b.shapes[s].title);
    EXPECT_EQ(a.shapes[s].field, b.shapes[s].field);
    EXPECT_EQ(a.shapes[s].mode, b.shapes[s].mode);
    EXPECT_EQ(bits(a.shapes[s].omega), bits(b.shapes[s].omega));
    EXPECT_EQ(bits(a.shapes[s].growth), bits(b.shapes[s].growth));
    EXPECT_EQ(a.shapes[s].branch, b.shapes[s].branch);
    EXPECT_EQ(a.shapes[s].speed, b.shapes[s].speed);
  }
}

TEST(ResultsHdf5, RoundTripToTheLastBit) {
  const Results a = make_results(), b = from_hdf5("results.h5", to_hdf5(a));
  EXPECT_EQ(a.title, b.title);
  EXPECT_EQ(a.outcome.status, b.outcome.status);
  EXPECT_EQ(a.outcome.message, b.outcome.message);
  EXPECT_EQ(a.warnings, b.warnings);
  EXPECT_EQ(a.timings, b.timings);
  EXPECT_EQ(a.provenance.command, b.provenance.command);
  EXPECT_EQ(a.provenance.settings, b.provenance.settings);
  EXPECT_EQ(a.provenance.started, b.provenance.started);
  EXPECT_EQ(a.modes_are_complete, b.modes_are_complete);
  ASSERT_EQ(b.modes.size(), 2u);
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(a.modes[k].number, b.modes[k].number);
    EXPECT_EQ(bits(a.modes[k].omega), bits(b.modes[k].omega));
    EXPECT_EQ(bits(a.modes[k].growth), bits(b.modes[k].growth));
    EXPECT_EQ(a.modes[k].label, b.modes[k].label);
    EXPECT_EQ(a.modes[k].shares, b.modes[k].shares);
    EXPECT_EQ(a.modes[k].residual, b.modes[k].residual);
  }
  ASSERT_EQ(b.formalisms.size(), 2u);
  EXPECT_EQ(b.formalisms[0].operations.additions, 3000000000L);
  EXPECT_EQ(b.formalisms[0].operations.differentiations, 10);
  EXPECT_EQ(bits(a.formalisms[0].frequency_difference), bits(b.formalisms[0].frequency_difference));
  EXPECT_EQ(b.formalisms[0].motion_seconds, 0.25);
  EXPECT_FALSE(b.formalisms[1].applies);
  EXPECT_EQ(b.formalisms[1].reason, "not here");
  ASSERT_TRUE(b.campbell.has_value());
  EXPECT_EQ(b.campbell->frame, "fixed");
  ASSERT_EQ(b.campbell->branches.size(), 2u);
  for (size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(bits(a.campbell->branches[k].omega), bits(b.campbell->branches[k].omega));
    EXPECT_EQ(bits(a.campbell->branches[k].growth), bits(b.campbell->branches[k].growth));
    EXPECT_EQ(a.campbell->branches[k].whirl, b.campbell->branches[k].whirl);
  }
  EXPECT_EQ(b.campbell->critical_speeds.at(0).branch, 1);
  ASSERT_TRUE(b.mechanism.has_value());
  EXPECT_EQ(b.mechanism->joints[0].undetermined, a.mechanism->joints[0].undetermined);
  EXPECT_EQ(b.mechanism->joints[1].time_of_peak, 0.2);
  EXPECT_EQ(b.mechanism->joints[1].rms_moment, 8);
  EXPECT_EQ(bits(a.mechanism->energy_error), bits(b.mechanism->energy_error));
  EXPECT_EQ(b.mechanism->singular[0].where, "joint O");
  EXPECT_FALSE(b.mechanism->events[0].rising);
  EXPECT_TRUE(b.mechanism->stopped);
  ASSERT_EQ(a.tables.size(), b.tables.size());
  for (size_t t = 0; t < a.tables.size(); ++t) expect_same(a.tables[t], b.tables[t]);
  ASSERT_EQ(a.grids.size(), b.grids.size());
  for (size_t g = 0; g < a.grids.size(); ++g) expect_same(a.grids[g], b.grids[g]);
  EXPECT_EQ(to_hdf5(a), to_hdf5(b));  // and equal content gives equal bytes
}

TEST(ResultsHdf5, EmptyResults) {
  const Results b = from_hdf5("results.h5", to_hdf5(Results{}));
  EXPECT_TRUE(b.is_empty());
  EXPECT_EQ(b.outcome.status, "not run");
  EXPECT_FALSE(b.modes_are_complete.has_value());
}

std::string message_of(const std::string& content) {
  try {
    from_hdf5("out/results.h5", content);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(ResultsHdf5, WhatIsNoSuchFileIsSaid) {
  EXPECT_EQ(message_of(""), "`out/results.h5`: is no HDF5 file");
  EXPECT_EQ(message_of("{\"status\": \"ok\"}"), "`out/results.h5`: is no HDF5 file, or is damaged");
  Hdf5Writer other;
  other.put("/data", std::vector<double>{1, 2});
  EXPECT_EQ(message_of(other.finish()), "`out/results.h5`: has no results of elodyn");
  Hdf5Writer later;
  later.set("/", "format", std::string("elodyn results"));
  later.set("/", "version", std::int64_t{2});
  EXPECT_EQ(message_of(later.finish()), "`out/results.h5`: has layout 2, this program reads layout 1");
  Hdf5Writer bare;
  bare.set("/", "format", std::string("elodyn results"));
  bare.set("/", "version", std::int64_t{1});
  EXPECT_EQ(message_of(bare.finish()), "`out/results.h5`: / has no attribute `title`");
}

// Cut at any place a file is refused, or what is read is the whole: never a crash.
TEST(ResultsHdf5, CutFilesAreRefused) {
  const std::string whole = to_hdf5(make_results());
  for (size_t part = 1; part < 40; ++part) {
    const std::string cut = whole.substr(0, whole.size() * part / 40);
    EXPECT_NE(message_of(cut), "") << cut.size();
  }
}

TEST(ResultsHdf5, WhatDoesNotFitIsRefused) {
  const auto message = [](const auto& change) {
    Hdf5Writer file;
    file.set("/", "format", std::string("elodyn results"));
    file.set("/", "version", std::int64_t{1});
    for (const char* name : {"title", "status", "message"}) file.set("/", name, std::string());
    file.put("/warnings", std::vector<std::string>{});
    file.add_group("/timings");
    file.add_group("/provenance");
    for (const char* name :
         {"program", "version", "commit", "compiler", "build_type", "command", "input", "input_sha256", "started"})
      file.set("/provenance", name, std::string());
    file.put("/provenance/settings", std::vector<std::string>{});
    file.add_group("/tables");
    file.add_group("/grids");
    change(file);
    return message_of(file.finish());
  };
  EXPECT_EQ(message([](Hdf5Writer&) {}), "");
  const auto add_table = [](Hdf5Writer& file, bool second_is_short) {
    file.add_group("/tables/t");
    file.set("/tables/t", "name", std::string("t"));
    file.set("/tables/t", "title", std::string());
    file.set("/tables/t", "history", std::int64_t{0});
    for (const char* name : {"/tables/t/x", "/tables/t/y"}) {
      file.put(name, std::vector<double>(second_is_short && name[10] == 'y' ? 1 : 2, 0.0));
      file.set(name, "name", std::string("x"));
      file.set(name, "unit", std::string());
    }
  };
  EXPECT_EQ(message([&](Hdf5Writer& file) { add_table(file, false); }), "");
  EXPECT_EQ(message([&](Hdf5Writer& file) { add_table(file, true); }),
            "`out/results.h5`: /tables/t/y has 1 values where 2 are needed");
  const auto add_grid = [](Hdf5Writer& file, std::int64_t point, std::int64_t size) {
    file.add_group("/grids/g");
    for (const char* name : {"name", "body", "animation"}) file.set("/grids/g", name, std::string());
    file.set("/grids/g", "time", 0.0);
    file.set("/grids/g", "element_faces", std::int64_t{0});
    const std::vector<double> points(6, 0.0);
    file.put_rows("/grids/g/points", points.data(), 2, 3);
    file.put("/grids/g/cells", std::vector<std::int64_t>{0, point});
    file.put("/grids/g/cells_sizes", std::vector<std::int64_t>{size});
    file.put("/grids/g/faces", std::vector<std::int64_t>{});
    file.put("/grids/g/faces_sizes", std::vector<std::int64_t>{});
    file.add_group("/grids/g/fields");
  };
  EXPECT_EQ(message([&](Hdf5Writer& file) { add_grid(file, 1, 2); }), "");
  EXPECT_EQ(message([&](Hdf5Writer& file) { add_grid(file, 2, 2); }),
            "`out/results.h5`: /grids/g/cells holds 2, out of its range");
  EXPECT_EQ(message([&](Hdf5Writer& file) { add_grid(file, 1, 3); }),
            "`out/results.h5`: /grids/g/cells_sizes does not fit /grids/g/cells");
}

}  // namespace
}  // namespace elodyn
