#include "elodyn/io/write_tracks.hpp"

#include <cmath>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

constexpr const char* kAxes[] = {"x", "y", "z"};

// Far below what a film resolves.
std::string cell(double value, double unit) { return std::isnan(value) ? "" : fmt::format("{:.8g}", value / unit); }

std::string to_tracker(const MarkerTracks& tracks, double unit) {
  std::string names, header = "t", rows;
  for (const MarkerTracks::Marker& marker : tracks.markers) {
    names += "\t" + marker.name;  // over the first column of its group
    for (int i = 0; i < tracks.dimension; ++i) {
      if (i > 0) names += "\t";
      header += fmt::format("\t{}", kAxes[i]);
    }
  }
  for (size_t k = 0; k < tracks.times.size(); ++k) {
    rows += fmt::format("{:.12g}", tracks.times[k]);
    for (const MarkerTracks::Marker& marker : tracks.markers)
      for (int i = 0; i < tracks.dimension; ++i)
        rows += "\t" + cell(marker.points(i, static_cast<Eigen::Index>(k)), unit);
    rows += "\n";
  }
  return "#multi:\n" + names + "\n" + header + "\n" + rows;
}

std::string to_columns(const MarkerTracks& tracks, double unit, const std::string& unit_name) {
  std::string text = "t";
  for (const MarkerTracks::Marker& marker : tracks.markers)
    for (int i = 0; i < tracks.dimension; ++i) text += fmt::format(",{}_{} [{}]", marker.name, kAxes[i], unit_name);
  text += "\n";
  for (size_t k = 0; k < tracks.times.size(); ++k) {
    text += fmt::format("{:.12g}", tracks.times[k]);
    for (const MarkerTracks::Marker& marker : tracks.markers)
      for (int i = 0; i < tracks.dimension; ++i)
        text += "," + cell(marker.points(i, static_cast<Eigen::Index>(k)), unit);
    text += "\n";
  }
  return text;
}

std::string to_optitrack(const MarkerTracks& tracks, double unit, const char* unit_name) {
  const size_t n = tracks.times.size();
  const double rate = n > 1 ? static_cast<double>(n - 1) / (tracks.times.back() - tracks.times.front()) : 0;
  std::string text = fmt::format(
      "Format Version,1.23,Capture Frame Rate,{:.6f},Export Frame Rate,{:.6f},Total Exported Frames,{},"
      "Length Units,{},Coordinate Space,Global\n\n",
      rate, rate, n, unit_name);
  std::string types = ",", names = ",", ids = ",", kinds = ",", axes = "Frame,Time (Seconds)";
  for (const MarkerTracks::Marker& marker : tracks.markers)
    for (const char* axis : {"X", "Y", "Z"}) {
      types += ",Marker";
      names += "," + marker.name;
      ids += "," + marker.name;
      kinds += ",Position";
      axes += fmt::format(",{}", axis);
    }
  text += types + "\n" + names + "\n" + ids + "\n" + kinds + "\n" + axes + "\n";
  for (size_t k = 0; k < n; ++k) {
    text += fmt::format("{},{:.12g}", k, tracks.times[k]);
    for (const MarkerTracks::Marker& marker : tracks.markers)
      for (int i = 0; i < 3; ++i) {
        const auto p = marker.points.col(static_cast<Eigen::Index>(k));
        text += "," + (std::isnan(p[0]) ? "" : cell(p[i], unit));
      }
    text += "\n";
  }
  return text;
}

}  // namespace

double length_of_unit(const std::string& unit) {
  return unit == "m" ? 1 : unit == "cm" ? 1e-2 : unit == "mm" ? 1e-3 : 0;
}

std::string to_text(const MarkerTracks& tracks, FilmRequest::Format format, const std::string& unit) {
  const double length = length_of_unit(unit);
  ELODYN_REQUIRE(length > 0 && !tracks.markers.empty());
  switch (format) {
    case FilmRequest::Format::tracker:
      return to_tracker(tracks, length);
    case FilmRequest::Format::csv:
      return to_columns(tracks, length, unit);
    case FilmRequest::Format::optitrack:
      return to_optitrack(tracks, length, unit == "m" ? "Meters" : unit == "cm" ? "Centimeters" : "Millimeters");
  }
  return {};
}

}  // namespace elodyn
