#include "elodyn/io/read_tracks.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "elodyn/base/random.hpp"
#include "elodyn/io/write_tracks.hpp"

namespace elodyn {
namespace {

using Format = TrackFile::Format;

std::shared_ptr<const MarkerTracks> read_good(const std::string& text, const TrackFile& file = {},
                                              const std::vector<FilmMarker>& markers = {}) {
  Diagnostics diagnostics;
  auto tracks = read_tracks("film.txt", text, file, markers, diagnostics);
  EXPECT_NE(tracks, nullptr) << text << diagnostics.format_all(Severity::error);
  return tracks ? tracks : std::make_shared<const MarkerTracks>();
}
std::string errors_of(const std::string& text, const TrackFile& file = {}) {
  Diagnostics diagnostics;
  const auto tracks = read_tracks("film.txt", text, file, {}, diagnostics);
  EXPECT_EQ(tracks == nullptr, diagnostics.n_errors() > 0) << text;
  return diagnostics.format_all(Severity::error);
}
void expect_has(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no `" << part << "` in\n" << text;
}

MarkerTracks make_tracks(int dimension) {
  MarkerTracks tracks;
  tracks.dimension = dimension;
  for (int k = 0; k < 12; ++k) tracks.times.push_back(1 + k / 240.0);
  for (const char* name : {"rod.A", "rod.B", "lever.C"}) {
    MarkerTracks::Marker marker{name, Matrix3X::Zero(3, 12)};
    for (int k = 0; k < 12; ++k)
      for (int i = 0; i < dimension; ++i)
        marker.points(i, k) = 1e-3 * std::sin(k + i + static_cast<double>(tracks.markers.size()));
    tracks.markers.push_back(marker);
  }
  tracks.markers[1].points.col(4).setConstant(std::nan(""));
  return tracks;
}

TEST(ReadTracks, what_is_written_reads_back) {
  for (const int dimension : {2, 3})
    for (const auto format : {FilmRequest::Format::tracker, FilmRequest::Format::csv, FilmRequest::Format::optitrack})
      for (const char* unit : {"m", "cm", "mm"}) {
        const MarkerTracks tracks = make_tracks(dimension);
        TrackFile file;
        if (format == FilmRequest::Format::tracker) file.unit = length_of_unit(unit);  // the others say it themselves
        const auto again = read_good(to_text(tracks, format, unit), file);
        ASSERT_EQ(again->markers.size(), 3U) << to_text(tracks, format, unit);
        for (size_t m = 0; m < 3; ++m) {
          EXPECT_EQ(again->markers[m].name, tracks.markers[m].name);
          for (Eigen::Index k = 0; k < 12; ++k) {
            EXPECT_NEAR(again->times[static_cast<size_t>(k)], tracks.times[static_cast<size_t>(k)], 1e-11);
            const Vec3 a = again->markers[m].points.col(k), b = tracks.markers[m].points.col(k);
            if (b.allFinite())
              EXPECT_LT((a - b).norm(), 1e-10) << unit;  // eight digits of 1 mm
            else
              EXPECT_FALSE(a.head<2>().allFinite());
          }
        }
      }
}

TEST(ReadTracks, one_track_of_tracker) {
  for (const char* text :
       {"\tmass A\t\nt\tx\ty\n0\t1\t2\n0.5\t3\t4\n", "mass A\nt\tx\ty\n0\t1\t2\n0.5\t3\t4\n",
        "mass A,,\nt,x,y\n0,1,2\n0.5,3,4\n", "\xEF\xBB\xBF;mass A;\r\nt;x;y\r\n0;1;2\r\n0,5;3;4E0\r\n"}) {
    const auto tracks = read_good(text);
    ASSERT_EQ(tracks->markers.size(), 1U) << text;
    EXPECT_EQ(tracks->markers[0].name, "mass A");
    EXPECT_EQ(tracks->times, (std::vector<double>{0, 0.5}));
    EXPECT_EQ(tracks->markers[0].points.col(1), Vec3(3, 4, 0));
  }
}

TEST(ReadTracks, several_tracks_with_one_time_or_many_and_columns_that_are_not_wanted) {
  const auto one =
      read_good("#multi:\n,A,,,B,,,\nt,frame,x,y,frame,x,y,\n0.0E0,5,1.5E-1,2,5,3,4,\n1.0E-1,6,,,6,3,4,\n");
  const auto many = read_good("#multi:\nA\t\t\tB\t\t\nt\tx\ty\tt\tx\ty\n0\t0,15\t2\t0\t3\t4\n0,1\t\t\t0,1\t3\t4\n");
  for (const auto& tracks : {one, many}) {
    ASSERT_EQ(tracks->markers.size(), 2U);
    EXPECT_EQ(tracks->markers[0].points.col(0), Vec3(0.15, 2, 0));
    EXPECT_TRUE(std::isnan(tracks->markers[0].points(0, 1)));
    EXPECT_EQ(tracks->markers[1].name, "B");
    EXPECT_EQ(tracks->markers[1].points.col(1), Vec3(3, 4, 0));
    EXPECT_EQ(tracks->times[1], 0.1);
  }
}

TEST(ReadTracks, motive_files_with_labels_and_without) {
  const std::string labelled =
      "Format Version,1.25,Take Name,x,Length Units,Millimeters,Coordinate Space,Global\n\n"
      ",Type,Rigid Body,Rigid Body,Rigid Body,Marker,Marker,Marker\n,Name,R,R,R,\"R:1\",R:1,R:1\n,ID,a,a,a,b,b,b\n"
      ",Parent,,,,,,\n,,Position,Position,Position,Position,Position,Position\nFrame,Time (Seconds),X,Y,Z,X,Y,Z\n"
      "0,0.0,9,9,9,1,2,3\n1,0.1,9,9,9,,,\n";
  const auto tracks = read_good(labelled);
  ASSERT_EQ(tracks->markers.size(), 1U);
  EXPECT_EQ(tracks->markers[0].name, "R:1");
  EXPECT_EQ(tracks->dimension, 3);
  EXPECT_LT((tracks->markers[0].points.col(0) - Vec3(1e-3, 2e-3, 3e-3)).norm(), 1e-15);
  EXPECT_TRUE(std::isnan(tracks->markers[0].points(2, 1)));
  expect_has(errors_of("Format Version,1.25,Length Units,Furlongs\n\n,Marker\n,A\n,Position\nFrame,Time (Seconds),X\n"),
             "film.txt:1:34: error: unknown unit `Furlongs` of length");
}

TEST(ReadTracks, columns_by_name_units_axes_and_times) {
  TrackFile file;
  file.time_column = "Time";
  file.axes = {{"-y", {}}, {"x", {}}};
  file.origin = Vec3(10, 0, 0);
  FilmMarker marker;
  marker.name = "P";
  marker.columns = {{"px", {}}, {"py", {}}};
  const auto tracks =
      read_good("# a comment\nTime (s);px (mm);py (mm);rest\n0;1000;2000;a\n1;1000;2500,5;b\n", file, {marker});
  EXPECT_LT((tracks->markers[0].points.col(1) - Vec3(10 - 2.5005, 1, 0)).norm(), 1e-14);
  const auto in_ms = read_good("t [ms],A_x [mm],A_y [mm]\n0,1,2\n20,1,2\n");
  EXPECT_NEAR(in_ms->times[1], 0.02, 1e-15);
  expect_has(errors_of("t [mm],A_x,A_y\n0,1,2\n"), "film.txt:1:1: error: unknown unit `mm` of time");
  TrackFile turned;
  turned.angle = std::acos(-1) / 2;
  turned.rate = 50;
  turned.start = 3;
  const auto other = read_good("A_x,A_y\n1,0\n1,0\n", turned);
  EXPECT_LT((other->markers[0].points.col(0) - Vec3(0, 1, 0)).norm(), 1e-15);
  EXPECT_EQ(other->times[1], 3.02);
}

TEST(ReadTracks, mistakes_are_named_by_line) {
  const std::string head = "#multi:\n\tA\t\tB\t\nt\tx\ty\tx\ty\n";
  expect_has(errors_of(head + "0\t1\t2\t3\t4\n1\t1\ttwo\t3\t4\n"),
             "film.txt:5:5: error: y of `A` = \"two\", must be a number");
  expect_has(errors_of(head + "0\t1\t2\t3\t4\n1\t1\t3\t4\n"),
             "film.txt:5:1: error: 4 cells, must be 5 as in the header");
  expect_has(errors_of(head + "0\t1\t2\t3\t4\n0\t1\t2\t3\t4\n"),
             "film.txt:5:1: error: t = 0 s, must be above 0 s of line 4");
  expect_has(errors_of(head + "0\t1\t2\t3\t4\n1\t\t2\t3\t4\n"),
             "film.txt:5:3: error: only a part of the place of marker `A`");
  expect_has(errors_of(head + "\t1\t2\t3\t4\n"), "film.txt:4:1: error: the time is empty");
  expect_has(errors_of(head + "0\t1\t2\t3\tinf\n"), "must be finite");
  expect_has(errors_of(head + "0\t1\t2\t3\t4\n"), "the file has 1 frame, must have at least 2");
  expect_has(errors_of("#multi:\n"), "no row of names below #multi:");
  expect_has(errors_of("#multi:\nA\t\n"), "no header row below the names");
  expect_has(errors_of("#multi:\n\tA\t\tB\t\nt\tx\ty\tx\tv\n0\t1\t2\t3\t4\n"), "marker `B` has no column y");
  expect_has(errors_of("#multi:\n\tA\t\tA\t\nt\tx\ty\tx\ty\n"), "film.txt:3:7: error: x of marker `A` is given twice");
  expect_has(errors_of(""), "the file has no rows");
  expect_has(errors_of("s,A_x,A_y\n0,1,2\n"), "film.txt:1:1: error: no column of times `t`");
  expect_has(errors_of("t,a,b\n0,1,2\n"), "no marker: no columns A_x and A_y");
  expect_has(errors_of("t,A_x,A_y\n0,1,\xff\n"), "not UTF-8 text");
  TrackFile twice;
  twice.axes = {{"x", {}}, {"-x", {}}};
  expect_has(errors_of("t,A_x,A_y\n0,1,2\n", twice), "axis x is given twice");
}

// Whatever the bytes: tracks, or an error.
TEST(ReadTracks, mutated_files_are_read_or_refused) {
  const MarkerTracks tracks = make_tracks(2);
  const std::string signs = "\t,;\n\r#.-+eE0123456789xyztXA\"() \xEF\xBB\xBF";
  Random random(1);
  const auto pick = [&](size_t n) { return static_cast<size_t>(random.uniform() * static_cast<double>(n)); };
  int n_good = 0, n_bad = 0;
  for (int run = 0; run < 3000; ++run) {
    const auto format = static_cast<FilmRequest::Format>(run % 3);
    std::string text = to_text(tracks, format, "mm");
    if (run % 2 == 0) text.resize(std::min<size_t>(text.size(), 400));
    for (size_t changes = 1 + pick(4); changes > 0 && !text.empty(); --changes) {
      const size_t at = pick(text.size());
      switch (pick(4)) {
        case 0:
          text[at] = signs[pick(signs.size())];
          break;
        case 1:
          text.erase(at, 1 + pick(5));
          break;
        case 2:
          text.insert(at, 1, signs[pick(signs.size())]);
          break;
        default:
          text.insert(at, text.substr(pick(text.size()), pick(60)));
      }
    }
    TrackFile file;
    file.format = static_cast<Format>(pick(4));
    Diagnostics diagnostics;
    const auto read = read_tracks("film.txt", text, file, {}, diagnostics);
    ASSERT_EQ(read == nullptr, diagnostics.n_errors() > 0) << text;
    ++(read ? n_good : n_bad);
    if (read) {
      for (size_t k = 1; k < read->times.size(); ++k) ASSERT_GT(read->times[k], read->times[k - 1]);
      for (const auto& marker : read->markers)
        ASSERT_EQ(marker.points.cols(), static_cast<Eigen::Index>(read->times.size()));
    }
  }
  EXPECT_GT(n_good, 100);
  EXPECT_GT(n_bad, 100);
}

}  // namespace
}  // namespace elodyn
