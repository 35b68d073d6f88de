#include "elodyn/io/read_tracks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <variant>

#include "elodyn/base/text.hpp"
#include "elodyn/base/units.hpp"
#include "elodyn/io/mesh_text.hpp"
#include "elodyn/io/read_columns.hpp"
#include "elodyn/io/table_lines.hpp"
#include "elodyn/io/toml.hpp"

namespace elodyn {
namespace {

using Cell = TableLines::Cell;
constexpr size_t kLongestLine = size_t{1} << 20;  // some thousand markers
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr const char* kTrackerHelp = "Tracker exports a row of names, then a header such as t, x, y";

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

// "x (mm)" → "x", "mm"
struct Heading {
  std::string name, unit;
};
Heading split_heading(std::string_view text) {
  const size_t open = text.find_last_of("([");
  if (open == text.npos || open == 0 || (text.back() != ')' && text.back() != ']')) return {std::string(text), ""};
  return {std::string(TableLines::trim(text.substr(0, open))),
          std::string(TableLines::trim(text.substr(open + 1, text.size() - open - 2)))};
}

std::optional<double> find_length(const std::string& name) {
  static constexpr std::pair<const char*, double> kUnits[] = {
      {"m", 1},       {"cm", 1e-2},       {"mm", 1e-3},   {"meters", 1},   {"centimeters", 1e-2}, {"millimeters", 1e-3},
      {"in", 0.0254}, {"inches", 0.0254}, {"ft", 0.3048}, {"feet", 0.3048}};
  for (const auto& [word, length] : kUnits)
    if (lower(name) == word) return length;
  return std::nullopt;
}

// Where a marker's coordinates stand: columns of x, y, z; −1: none.
struct MarkerColumns {
  std::string name;
  std::array<int, 3> column = {-1, -1, -1};
  bool is_complete() const { return column[0] >= 0 && column[1] >= 0; }
};

class TrackReader {
 public:
  TrackReader(const std::string& file_name, std::string_view text, const TrackFile& file,
              const std::vector<FilmMarker>& markers, Diagnostics& diagnostics)
      : lines_(file_name, text, kLongestLine, diagnostics), file_(file), markers_(markers), diagnostics_(diagnostics) {
    tracks_->source = file_name;
  }

  std::shared_ptr<const MarkerTracks> read() {
    if (!lines_.check_encoding()) return nullptr;
    if (!next_row()) {
      diagnostics_.error(lines_.mark_of_file(), "the file has no rows", "");
      return nullptr;
    }
    if (!read_head() || lines_.n_errors() > 0) return nullptr;
    const Mark head = lines_.mark_of_line();
    while (next_row()) {
      read_row();
      if (lines_.has_too_many_errors()) return nullptr;
    }
    if (lines_.n_errors() > 0) return nullptr;
    if (times_.size() < 2) {
      diagnostics_.error(head, "the file has " + std::to_string(times_.size()) +
                                   (times_.size() == 1 ? " frame" : " frames") + ", must have at least 2");
      return nullptr;
    }
    finish();
    return tracks_;
  }

 private:
  // The next line that is not blank, as cells.
  bool next_row() {
    while (lines_.next()) {
      if (TableLines::trim(lines_.line()).empty()) continue;
      if (lines_.is_too_long()) continue;
      return true;
    }
    return false;
  }
  void split() { lines_.split(separator_, cells_); }

  bool read_head() {
    const std::string_view first = TableLines::trim(lines_.line());
    TrackFile::Format format = file_.format;
    const bool is_multi = lower(first).starts_with("#multi:");
    if (format == TrackFile::Format::automatic) {
      format = TrackFile::Format::columns;
      if (first.starts_with("Format Version")) format = TrackFile::Format::optitrack;
      if (is_multi || (!first.starts_with("#") && begins_with_names())) format = TrackFile::Format::tracker;
    }
    switch (format) {
      case TrackFile::Format::optitrack:
        return read_optitrack_head();
      case TrackFile::Format::tracker:
        if (is_multi && !next_row()) {
          lines_.fail_line("no row of names below #multi:", kTrackerHelp);
          return false;
        }
        return read_tracker_head();
      default:
        return read_columns_head();
    }
  }

  // A row of names over groups: one that has no `t` and leaves cells empty.
  bool begins_with_names() {
    separator_ = TableLines::find_separator(lines_.line());
    split();
    bool has_empty = cells_.size() == 1;
    for (const Cell& cell : cells_) {
      if (parse_number(cell.text) || lower(split_heading(cell.text).name) == lower(file_.time_column)) return false;
      has_empty = has_empty || cell.text.empty();
    }
    return has_empty;
  }

  bool read_tracker_head() {
    const std::string_view names_line = lines_.line();
    std::vector<Cell> names;
    separator_ = TableLines::find_separator(names_line);
    lines_.split(separator_, names);
    if (!next_row()) {
      lines_.fail_line("no header row below the names", kTrackerHelp);
      return false;
    }
    const char separator = TableLines::find_separator(lines_.line());
    if (separator != separator_) {  // a single name has none
      separator_ = separator;
      names = {{TableLines::trim(names_line), 0}};
    }
    split();
    lines_.keep_line();
    n_columns_ = cells_.size();
    const auto n_names = std::count_if(names.begin(), names.end(), [](const Cell& cell) { return !cell.text.empty(); });
    if (n_names == 0) {
      lines_.fail_line("the row above the header has no name of a track", kTrackerHelp);
      return false;
    }
    size_t at = 0;  // of the name that stands over this column
    const auto first_name = static_cast<size_t>(
        std::find_if(names.begin(), names.end(), [](const Cell& cell) { return !cell.text.empty(); }) - names.begin());
    for (size_t c = 0; c < cells_.size(); ++c) {
      const Heading heading = split_heading(cells_[c].text);
      const std::string name = lower(heading.name);
      // A name may stand over the t of its group or over what follows it.
      if (n_names == 1)
        at = first_name;
      else if (c < names.size() && !names[c].text.empty())
        at = c;
      if (name == "t" || name == "time") {
        if (time_column_ < 0) take_time(c, heading.unit);
        continue;
      }
      const int axis = name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : -1;
      if (axis < 0) continue;
      if (at < first_name || at >= names.size() || names[at].text.empty()) {
        lines_.fail(cells_[c], "no name of a track stands over this column", kTrackerHelp);
        continue;
      }
      take_unit(cells_[c], heading.unit);
      put(std::string(names[at].text), axis, c);
    }
    return check_markers("x and y");
  }

  bool read_optitrack_head() {
    separator_ = TableLines::find_separator(lines_.line());
    split();
    for (size_t c = 0; c + 1 < cells_.size(); c += 2)
      if (lower(cells_[c].text) == "length units") take_unit(cells_[c + 1], std::string(cells_[c + 1].text));
    std::vector<std::vector<std::string>> above;
    while (next_row()) {
      split();
      if (!cells_.empty() && lower(cells_[0].text) == "frame") break;
      if (above.size() > 8) break;
      above.emplace_back();
      for (const Cell& cell : cells_) above.back().emplace_back(unquoted(cell.text));
    }
    if (cells_.empty() || lower(cells_[0].text) != "frame" || above.size() < 3) {
      lines_.fail_line("no rows Type and Name above a header row Frame, Time (Seconds), X, Y, Z",
                       "Motive exports them with `Header information`");
      return false;
    }
    lines_.keep_line();
    n_columns_ = cells_.size();
    const auto cell_of = [&](size_t row, size_t c) { return c < above[row].size() ? above[row][c] : std::string(); };
    const size_t last = above.size() - 1;
    for (size_t c = 0; c < cells_.size(); ++c) {
      const std::string name = lower(cells_[c].text);
      if (name.starts_with("time (")) time_column_ = static_cast<int>(c);
      const int axis = name == "x" ? 0 : name == "y" ? 1 : name == "z" ? 2 : -1;
      if (axis < 0 || lower(cell_of(0, c)) != "marker" || lower(cell_of(last, c)) != "position") continue;
      put(cell_of(1, c), axis, c);
    }
    return check_markers("X and Y, of type Marker and component Position");
  }
  bool read_columns_head() {
    while (TableLines::trim(lines_.line()).starts_with("#"))
      if (!next_row()) {
        lines_.fail_line("the table has no header row");
        return false;
      }
    separator_ = TableLines::find_separator(lines_.line());
    split();
    lines_.keep_line();
    n_columns_ = cells_.size();
    std::vector<std::string> names;
    for (const Cell& cell : cells_) names.push_back(split_heading(unquoted(cell.text)).name);
    const auto find = [&](const std::string& name) {
      const auto it = std::find(names.begin(), names.end(), name);
      return it == names.end() ? -1 : static_cast<int>(it - names.begin());
    };
    if (const int c = find(file_.time_column); c >= 0)
      take_time(static_cast<size_t>(c), split_heading(unquoted(cells_[static_cast<size_t>(c)].text)).unit);
    std::set<int> taken;
    for (const FilmMarker& marker : markers_) {
      if (marker.columns.empty()) continue;
      for (size_t i = 0; i < std::min<size_t>(3, marker.columns.size()); ++i) {
        const int c = find(marker.columns[i].value);
        if (c < 0) {
          ++n_missing_;
          diagnostics_.error(marker.columns[i].mark,
                             tracks_->source + " has no column `" + marker.columns[i].value + "`",
                             suggest(marker.columns[i].value, names));
          continue;
        }
        taken.insert(c);
        put(marker.name, static_cast<int>(i), static_cast<size_t>(c));
        take_unit(cells_[static_cast<size_t>(c)], split_heading(unquoted(cells_[static_cast<size_t>(c)].text)).unit);
      }
    }
    for (size_t c = 0; c < names.size(); ++c) {
      const std::string& name = names[c];
      const size_t length = name.size();
      const int axis = length < 3 || name[length - 2] != '_' ? -1 : static_cast<int>(name[length - 1]) - 'x';
      if (axis < 0 || axis > 2 || taken.count(static_cast<int>(c)) > 0) continue;
      put(name.substr(0, length - 2), axis, c);
      take_unit(cells_[c], split_heading(unquoted(cells_[c].text)).unit);
    }
    if (n_missing_ > 0) return false;
    return check_markers("A_x and A_y of a marker A, or those that [analysis.identify.marker.A] names");
  }

  void put(const std::string& name, int axis, size_t column) {
    auto it = std::find_if(found_.begin(), found_.end(), [&](const MarkerColumns& m) { return m.name == name; });
    if (it == found_.end()) it = found_.insert(found_.end(), MarkerColumns{name, {-1, -1, -1}});
    int& slot = it->column[static_cast<size_t>(axis)];
    if (slot >= 0)
      return lines_.fail(cells_[column], std::string(1, "xyz"[axis]) + " of marker `" + name + "` is given twice");
    slot = static_cast<int>(column);
  }

  void take_unit(const Cell& cell, const std::string& unit) {
    if (unit.empty() || file_.unit) return;
    const std::optional<double> length = find_length(unit);
    if (!length)
      return lines_.fail(cell, "unknown unit `" + unit + "` of length", "give [analysis.identify.film] unit");
    if (unit_ && *unit_ != *length) return lines_.fail(cell, "coordinates have different units in one file");
    unit_ = length;
  }

  void take_time(size_t column, const std::string& unit) {
    time_column_ = static_cast<int>(column);
    if (unit.empty()) return;
    const auto parsed = parse_quantity("1 " + unit);
    const auto* const second = std::get_if<Quantity>(&parsed);
    if (!second || second->dimension != kTime)
      return lines_.fail(cells_[column], "unknown unit `" + unit + "` of time");
    time_unit_ = second->value;
  }

  bool check_markers(const std::string& wanted) {
    if (time_column_ < 0 && !file_.rate)
      lines_.fail_line("no column of times `" + file_.time_column + "`",
                       "or give the frames a second: rate = \"60 Hz\"");
    if (found_.empty()) lines_.fail_line("no marker: no columns " + wanted);
    for (const MarkerColumns& marker : found_)
      if (!marker.is_complete())
        lines_.fail_line("marker `" + marker.name + "` has no column " + (marker.column[0] < 0 ? "x" : "y"));
    values_.resize(found_.size());
    return lines_.n_errors() == 0;
  }

  // Nothing: not a number, and said.
  std::optional<double> read_number(const Cell& cell, const std::string& what) {
    if (cell.text.empty()) return kNaN;
    std::string text(unquoted(cell.text));
    if (separator_ != ',' && std::count(text.begin(), text.end(), ',') == 1 && text.find('.') == text.npos)
      std::replace(text.begin(), text.end(), ',', '.');
    const std::optional<double> value = parse_number(text);
    if (value && !std::isinf(*value)) return value;
    lines_.fail(cell,
                what + " = " + TableLines::short_text_of(cell) + (value ? ", must be finite" : ", must be a number"),
                "leave the cell empty where a marker is not seen");
    return std::nullopt;
  }

  void read_row() {
    split();
    while (cells_.size() > n_columns_ && cells_.back().text.empty()) cells_.pop_back();
    if (cells_.size() != n_columns_)
      return lines_.fail_line(std::to_string(cells_.size()) + (cells_.size() == 1 ? " cell" : " cells") + ", must be " +
                              std::to_string(n_columns_) + " as in the header");
    if (!read_time()) return;
    for (size_t m = 0; m < found_.size(); ++m) {
      Vec3 p = Vec3::Zero();
      int n_empty = 0, n_given = 0;
      for (size_t i = 0; i < 3; ++i) {
        const int c = found_[m].column[i];
        if (c < 0) continue;
        const std::optional<double> value =
            read_number(cells_[static_cast<size_t>(c)], std::string(1, "xyz"[i]) + " of `" + found_[m].name + "`");
        p[static_cast<Eigen::Index>(i)] = value.value_or(kNaN);
        (value && std::isnan(*value) ? n_empty : n_given) += 1;
      }
      if (n_empty > 0 && n_given > 0)
        lines_.fail(cells_[static_cast<size_t>(found_[m].column[0])],
                    "only a part of the place of marker `" + found_[m].name + "` is given",
                    "leave all of its cells empty where it is not seen");
      if (n_empty > 0) p.setConstant(kNaN);
      values_[m].push_back(p);
    }
  }

  bool read_time() {
    const auto k = static_cast<double>(times_.size());
    if (file_.rate) {
      times_.push_back(file_.start.value_or(0) + k / *file_.rate);
      return true;
    }
    const Cell& cell = cells_[static_cast<size_t>(time_column_)];
    std::optional<double> t = read_number(cell, "t");
    if (!t) return false;
    *t *= time_unit_;
    if (std::isnan(*t)) {
      lines_.fail(cell, "the time is empty, must be a number", "or give the frames a second: rate = \"60 Hz\"");
      return false;
    }
    if (!times_.empty() && !(*t > times_.back())) {
      lines_.fail(cell, "t = " + shortest(*t) + " s, must be above " + shortest(times_.back()) + " s of line " +
                            std::to_string(last_line_));
      return false;
    }
    last_line_ = lines_.number();
    times_.push_back(*t);
    return true;
  }

  void finish() {
    if (file_.start && !file_.rate) {
      const double shift = *file_.start - times_.front();
      for (double& t : times_) t += shift;
    }
    // World axes: each is one of the file's, then turned.
    Mat3 turn = Mat3::Identity();
    for (size_t i = 0; i < std::min<size_t>(3, file_.axes.size()); ++i) {
      const std::string& axis = file_.axes[i].value;
      turn.row(static_cast<Eigen::Index>(i)) =
          (axis[0] == '-' ? -1.0 : 1.0) * Vec3::Unit(static_cast<Eigen::Index>(axis.back() - 'x')).transpose();
    }
    turn = Eigen::AngleAxisd(file_.angle, Vec3::UnitZ()).toRotationMatrix() * turn;
    turn *= file_.unit ? *file_.unit : unit_.value_or(1);
    tracks_->times = times_;
    tracks_->dimension = 2;
    for (size_t m = 0; m < found_.size(); ++m) {
      if (found_[m].column[2] >= 0) tracks_->dimension = 3;
      MarkerTracks::Marker marker{found_[m].name, Matrix3X(3, static_cast<Eigen::Index>(times_.size()))};
      for (size_t k = 0; k < times_.size(); ++k)
        marker.points.col(static_cast<Eigen::Index>(k)) = turn * values_[m][k] + file_.origin;
      tracks_->markers.push_back(std::move(marker));
    }
  }

  TableLines lines_;
  const TrackFile& file_;
  const std::vector<FilmMarker>& markers_;
  Diagnostics& diagnostics_;
  std::shared_ptr<MarkerTracks> tracks_ = std::make_shared<MarkerTracks>();
  char separator_ = ',';
  std::vector<Cell> cells_;
  size_t n_columns_ = 0;
  int time_column_ = -1, n_missing_ = 0, last_line_ = 0;
  std::optional<double> unit_;  // as the file says
  double time_unit_ = 1;        // s
  std::vector<MarkerColumns> found_;
  std::vector<double> times_;
  std::vector<std::vector<Vec3>> values_;
};

bool check_axes(const TrackFile& file, Diagnostics& diagnostics) {
  std::set<char> used;
  for (const auto& axis : file.axes) {
    const bool is_signed = axis.value.size() == 2 && (axis.value[0] == '-' || axis.value[0] == '+');
    const char letter = axis.value.empty() ? ' ' : axis.value.back();
    if ((axis.value.size() != 1 && !is_signed) || letter < 'x' || letter > 'z') {
      diagnostics.error(axis.mark,
                        "axis \"" + axis.value + "\", must be x, y or z, with a minus if it points the other way");
      return false;
    }
    if (!used.insert(letter).second) {
      diagnostics.error(axis.mark, std::string("axis ") + letter + " is given twice");
      return false;
    }
  }
  if (file.axes.size() == 1 || file.axes.size() > 3) {
    diagnostics.error(file.axes.front().mark,
                      "axes has " + std::to_string(file.axes.size()) + " entries, must have two or three",
                      "for example [\"x\", \"-y\"]");
    return false;
  }
  return true;
}

}  // namespace

std::shared_ptr<const MarkerTracks> read_tracks(const std::string& file_name, std::string_view text,
                                                const TrackFile& file, const std::vector<FilmMarker>& markers,
                                                Diagnostics& diagnostics) {
  if (!check_axes(file, diagnostics)) return nullptr;
  return TrackReader(file_name, text, file, markers, diagnostics).read();
}

void read_films(const std::string& model_file, const FileReader& read_file, Model& model, Diagnostics& diagnostics) {
  if (!model.identify) return;
  IdentifyRequest& request = *model.identify;
  const auto dir = std::filesystem::path(model_file).parent_path();
  std::vector<std::string> names;
  bool are_all_read = true;
  for (TrackFile& film : request.films) {
    if (film.marks.is_bad("file")) continue;
    const Mark mark = film.marks.of("file", film.mark);
    const std::string stated = "file = " + short_text(Value::of(film.file));
    if (film.file.empty() || film.file.find('\0') != std::string::npos) {
      diagnostics.error(mark, stated + ", must be the name of a file");
      continue;
    }
    const std::string path = (dir / film.file).string();
    const FileText text = read_file(path, kLargestTable);
    if (!text.failure.empty())
      diagnostics.error(mark, stated + ", cannot be read: " + text.failure,
                        path == film.file ? "" : "it is looked for beside the model file: " + path);
    else
      film.tracks = read_tracks(path, text.text, film, request.markers, diagnostics);
    are_all_read = are_all_read && film.tracks;
    if (film.tracks)
      for (const MarkerTracks::Marker& marker : film.tracks->markers) names.push_back(marker.name);
  }
  if (!are_all_read) return;
  for (const FilmMarker& marker : request.markers)
    if (std::find(names.begin(), names.end(), marker.name) == names.end())
      diagnostics.error(marker.mark, "no film shows marker `" + marker.name + "`", suggest(marker.name, names));
}

}  // namespace elodyn
