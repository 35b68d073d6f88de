#include "elodyn/io/measure_schema.hpp"

#include "elodyn/io/vibration_schema.hpp"

namespace elodyn {
namespace {

// A list of names that is kept as it was written.
template <class Request>
Key& add_names(TableOf<Request>& t, const char* name, const char* refers_to,
               std::vector<Located<std::string>> Request::*member) {
  return t.names(
      name, refers_to,
      [member](Request& request, const Located<std::string>& item) { (request.*member).push_back(item); },
      [member](const Request& request) {
        std::vector<std::string> all;
        for (const auto& item : request.*member) all.push_back(item.value);
        return all;
      });
}

TableOf<FilmRequest> film_schema() {
  using Format = FilmRequest::Format;
  TableOf<FilmRequest> t;
  t.text("file", &FilmRequest::file).sample("\"film.txt\"").text("its name; left out: film.txt, or film.csv");
  t.choice("format", &FilmRequest::format,
           {{"tracker", Format::tracker}, {"csv", Format::csv}, {"optitrack", Format::optitrack}})
      .text("tracker: as the program Tracker exports several points; optitrack: as Motive does; csv: t, A_x, A_y, …");
  t.text("unit", &FilmRequest::unit).text("of the coordinates in the file: m, cm or mm");
  add_names(t, "markers", "point BODY.POINT", &FilmRequest::markers)
      .required()
      .sample("[\"rod.from\", \"rod.to\"]")
      .text("points that bear a marker");
  t.quantity("rate", &FilmRequest::rate, kRate).above(0).required().sample("\"240 Hz\"").text("frames a second");
  t.quantity("noise", &FilmRequest::noise, kLength)
      .at_least(0)
      .sample("\"0.3 mm\"")
      .text("standard deviation of each coordinate");
  t.quantity("pixel", &FilmRequest::pixel, kLength)
      .at_least(0)
      .sample("\"0.5 mm\"")
      .text("coordinates are rounded to whole pixels of this size, after the noise; 0: they are not");
  t.quantity("gaps", &FilmRequest::gaps, kPlainNumber)
      .at_least(0)
      .below(1)
      .text("share of the positions that are not seen");
  t.quantity("outliers", &FilmRequest::outliers, kPlainNumber)
      .at_least(0)
      .below(1)
      .text("share of the positions that are wrong by up to outlier_size");
  t.quantity("outlier_size", &FilmRequest::outlier_size, kLength).at_least(0).sample("\"20 mm\"").text("of these");
  return t;
}

TableOf<TrackFile> track_file_schema() {
  using Format = TrackFile::Format;
  TableOf<TrackFile> t;
  t.name("file", &TrackFile::file, "file").required().sample("\"film.txt\"").text("beside the model file");
  t.choice("format", &TrackFile::format,
           {{"automatic", Format::automatic},
            {"tracker", Format::tracker},
            {"optitrack", Format::optitrack},
            {"columns", Format::columns}})
      .text(
          "of the file: exports of Tracker and of Motive (OptiTrack), or any table with a header row; automatic: by "
          "how it begins");
  t.quantity("unit", &TrackFile::unit, kLength)
      .above(0)
      .sample("\"1 mm\"")
      .text("length of one unit of its coordinates, or of a pixel; left out: as the file says, or 1 m");
  add_names(t, "axes", "axis", &TrackFile::axes)
      .sample("[\"x\", \"-y\"]")
      .text("axes of the file, with a sign, that are x, y and z of the world; left out: the same");
  t.vector("origin", &TrackFile::origin, kLength).text("of the file's coordinates, in the world");
  t.quantity("angle", &TrackFile::angle, kAngle).text("by which these axes are turned in the world, about z");
  t.quantity("rate", &TrackFile::rate, kRate)
      .above(0)
      .sample("\"240 Hz\"")
      .text("frames a second, whatever times the file has");
  t.quantity("start", &TrackFile::start, kTime)
      .sample("\"0 s\"")
      .text("time of the first frame; left out: as the file says");
  t.text("time_column", &TrackFile::time_column).text("with format columns: the header of the column of times");
  return t;
}

TableOf<FilmMarker> film_marker_schema() {
  TableOf<FilmMarker> t;
  t.name("at", &FilmMarker::at, "point BODY.POINT").required().sample("\"rod.from\"").text("the point that it shows");
  add_names(t, "columns", "column", &FilmMarker::columns)
      .sample("[\"x1\", \"y1\"]")
      .text("with format columns: the headers of its x, y and, in space, z");
  return t;
}

}  // namespace

TableOf<MeasureRequest> measure_schema() {
  TableOf<MeasureRequest> t;
  t.quantity("start", &MeasureRequest::start, kTime)
      .sample("\"0 s\"")
      .text("time t at which the records begin; left out: when the mechanism has settled");
  t.quantity("duration", &MeasureRequest::duration, kTime).above(0).required().sample("\"2 s\"").text("of the records");
  t.integer("seed", &MeasureRequest::seed).at_least(0).at_most(2147483647).text("of all that is random");
  t.table("film", &MeasureRequest::film, film_schema()).text("positions of markers as a film gives them");
  t.table("records", &MeasureRequest::records, records_schema()).text("of accelerometers and an impact hammer");
  return t;
}

TableOf<IdentifyRequest> identify_schema() {
  using Request = IdentifyRequest;
  TableOf<Request> t;
  t.named_tables("film", &Request::films, "film", track_file_schema()).text("a file of marker tracks").required();
  t.named_tables("marker", &Request::markers, "marker", film_marker_schema())
      .text("what a marker of the films shows; one that is named BODY.POINT needs no such table");
  t.choice("filter", &Request::filter,
           {{"spline", Request::Filter::spline},
            {"kalman", Request::Filter::kalman},
            {"savitzky_golay", Request::Filter::savitzky_golay}})
      .text(
          "that differentiates the motion: a smoothing spline by cross-validation, a smoother of Kalman, Rauch, Tung "
          "and Striebel by likelihood, or local polynomials; see docs/theory/experiment-motion.md");
  t.integer("window", &Request::window)
      .at_least(3)
      .at_most(100001)
      .text("savitzky_golay: frames of a polynomial, odd; left out: by cross-validation");
  t.integer("degree", &Request::degree).at_least(2).at_most(8).text("savitzky_golay: of the polynomials");
  t.quantity("noise", &Request::noise, kLength)
      .above(0)
      .sample("\"0.3 mm\"")
      .text("standard deviation of a marker's coordinate; left out: found from the film");
  t.quantity("trim", &Request::trim, kTime)
      .at_least(0)
      .sample("\"50 ms\"")
      .text("left out at both ends, where accelerations are known worst");
  t.integer("longest_gap", &Request::longest_gap)
      .at_least(0)
      .at_most(1000000)
      .text("frames without a body's pose that are bridged; within longer gaps nothing is said");
  t.choice("motion", &Request::motion, {{"filmed", Request::Motion::filmed}, {"completed", Request::Motion::completed}})
      .text(
          "filmed: of bodies that markers show, and those fixed to them; completed: of all bodies, as the joints make "
          "them move, with the drawing as a datum");
  add_names(t, "trust", "motor or force", &Request::trust)
      .sample("[\"drive\"]")
      .text("motors and forces on joints whose laws in this file are data; the others are found");
  add_names(t, "elastic", "analysis", &Request::elastic)
      .sample("[\"cycle\"]")
      .text("analyses that are done with the elastic bodies in their measured motion, under the forces found");
  return t;
}

}  // namespace elodyn
