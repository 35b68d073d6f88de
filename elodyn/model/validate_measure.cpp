#include <algorithm>
#include <cmath>
#include <set>

#include "elodyn/base/text.hpp"
#include "elodyn/model/identify.hpp"
#include "elodyn/model/measure.hpp"
#include "elodyn/model/message_text.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

// BODY.POINT must name a point of a body that moves; false if it was said that it does not.
bool check_marker(const Model& model, const Located<std::string>& name, Diagnostics& diagnostics) {
  const auto parts = parse_body_point(name.value);
  if (!parts) {
    diagnostics.error(name.mark, "a marker at " + tick(name.value) + ", must be at BODY.POINT",
                      "for example \"rod.A\"");
    return false;
  }
  const Body* body = model.find_body(parts->body);
  if (!body) {
    std::vector<std::string> names;
    for (const Body& other : model.bodies) names.push_back(other.name);
    diagnostics.error(name.mark, "unknown body " + tick(parts->body), suggest(parts->body, names));
    return false;
  }
  if (body->find_point(parts->point)) return true;
  std::vector<std::string> names;
  for (const Point& point : body->points) names.push_back(point.name);
  diagnostics.error(name.mark, "body " + tick(body->name) + " has no point " + tick(parts->point),
                    suggest(parts->point, names));
  return false;
}

}  // namespace

void validate_measure(const Model& model, Diagnostics& diagnostics) {
  if (!model.measure) return;
  const MeasureRequest& request = *model.measure;
  const auto mark = [&](const char* key) { return request.marks.of(key, request.marks.of_table({})); };
  if (!request.marks.is_bad("duration") && !(request.duration > 0 && std::isfinite(request.duration)))
    diagnostics.error(mark("duration"), "duration = " + shortest(request.duration) + " s, must be above 0 and finite");
  if (!request.film) return;
  const FilmRequest& film = *request.film;
  const auto film_mark = [&](const char* key) { return film.marks.of(key, film.marks.of_table(mark("film"))); };
  if (!model.mechanism && !model.marks.is_bad("analysis"))
    diagnostics.error(film.marks.of_table(mark("film")), "a film needs [analysis.mechanism], which says what moves",
                      "write [analysis.mechanism] with duration = \"2 s\"");
  if (!film.marks.is_bad("rate") && !(film.rate > 0 && std::isfinite(film.rate)))
    diagnostics.error(film_mark("rate"), "rate = " + shortest(film.rate) + " Hz, must be above 0 and finite");
  else if (request.duration * film.rate > FilmRequest::kMostFrames)
    diagnostics.error(film_mark("rate"),
                      "the film has more than " + std::to_string(FilmRequest::kMostFrames) + " frames",
                      "film for a shorter time or with fewer frames a second");
  if (!film.marks.is_bad("unit") && film.unit != "m" && film.unit != "cm" && film.unit != "mm")
    diagnostics.error(film_mark("unit"), "unit = \"" + film.unit + "\", must be m, cm or mm");
  if (!film.file.empty() && film.file.find_first_of("/\\") != std::string::npos)
    diagnostics.error(film_mark("file"), "file = \"" + film.file + "\", must be a name without folders",
                      "`elodyn measure -o DIR` says where it goes");
  std::set<std::string> known;
  for (const auto& marker : film.markers)
    if (check_marker(model, marker, diagnostics) && !known.insert(marker.value).second)
      diagnostics.error(marker.mark, "marker " + tick(marker.value) + " is given twice");
}

void validate_identify(const Model& model, Diagnostics& diagnostics) {
  if (!model.identify) return;
  const IdentifyRequest& request = *model.identify;
  for (const FilmMarker& marker : request.markers) {
    check_marker(model, marker.at, diagnostics);
    if (marker.columns.size() == 1 || marker.columns.size() > 3)
      diagnostics.error(marker.columns.front().mark, "columns has " + std::to_string(marker.columns.size()) +
                                                         " entries, must have two or three: those of x, y and z");
  }
  std::set<std::string> shown;
  for (const FilmMarker& marker : request.markers)
    if (!shown.insert(marker.at.value).second)
      diagnostics.error(marker.at.mark, "two markers show " + tick(marker.at.value));
  const auto mark = [&](const char* key) { return request.marks.of(key, request.marks.of_table({})); };
  if (request.films.empty() && !request.marks.is_bad("film"))
    diagnostics.error(mark("film"), "[analysis.identify] has no film", "write film.NAME = { file = \"film.txt\" }");
  if (request.window && *request.window % 2 == 0 && !request.marks.is_bad("window"))
    diagnostics.error(mark("window"), "window = " + std::to_string(*request.window) + ", must be odd");
  if (request.window && *request.window <= request.degree && !request.marks.is_bad("window"))
    diagnostics.error(mark("window"), "window = " + std::to_string(*request.window) +
                                          ", must be above degree = " + std::to_string(request.degree));
  std::vector<std::string> laws;
  for (const Motor& motor : model.motors) laws.push_back(motor.name);
  for (const MechanismForce& force : model.forces)
    if (!force.joint.value.empty()) laws.push_back(force.name);
  for (const auto& name : request.trust)
    if (std::find(laws.begin(), laws.end(), name.value) == laws.end())
      diagnostics.error(name.mark, "unknown motor or force on a joint " + tick(name.value), suggest(name.value, laws));
  const std::vector<std::string> known = {"cycle", "periodic", "modes"};
  for (const auto& name : request.elastic)
    if (std::find(known.begin(), known.end(), name.value) == known.end())
      diagnostics.error(name.mark, "analysis " + tick(name.value) + " is not done in a measured motion",
                        suggest(name.value, known));
  if (model.joints.empty() && !model.marks.is_bad("joint"))
    diagnostics.error(mark(""), "[analysis.identify] needs joints, whose forces are looked for", "write [joint.NAME]");
}

}  // namespace elodyn
