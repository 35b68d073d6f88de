#include <cmath>
#include <set>

#include "elodyn/base/text.hpp"
#include "elodyn/model/correlate.hpp"
#include "elodyn/model/measure.hpp"
#include "elodyn/model/message_text.hpp"
#include "elodyn/model/modal.hpp"
#include "elodyn/model/spectra.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

void check_spectra(const SpectraRequest& request, Diagnostics& diagnostics) {
  const Mark at = request.marks.of_table({});
  const bool by_speed = request.waterfall && request.waterfall->over == WaterfallRequest::Over::speed;
  if ((by_speed || request.orders) && !request.shaft && !request.marks.is_bad("shaft"))
    diagnostics.error(request.marks.of(by_speed ? "waterfall" : "orders", at),
                      std::string(by_speed ? "a waterfall over the speed" : "an order spectrum") + " needs `shaft`",
                      "say which record has its speed or pulses: shaft = { record = \"tacho\" }");
  if (!request.frf) return;
  const TransferRequest& frf = *request.frf;
  if (frf.length > 0 && frf.length <= frf.before && !frf.marks.is_bad("length"))
    diagnostics.error(
        frf.marks.of("length", frf.marks.of_table(at)),
        "length = " + shortest(frf.length) + " s, must be above `before`, which is " + shortest(frf.before) + " s");
}

void check_modal(const Model& model, const ModalRequest& request, Diagnostics& diagnostics) {
  const Mark at = request.marks.of_table({});
  if (request.to && *request.to <= request.from && !request.marks.is_bad("to"))
    diagnostics.error(
        request.marks.of("to", at),
        "to = " + shortest(*request.to) + " Hz, must be above `from`, which is " + shortest(request.from) + " Hz");
  if (!request.marks.is_given("file") && !(model.spectra && model.spectra->frf) && !model.marks.is_bad("analysis"))
    diagnostics.error(at, "[analysis.modal] has no FRFs", "name a file that has some, or write [analysis.spectra.frf]");
}

void check_correlate(const Model& model, const CorrelateRequest& request, Diagnostics& diagnostics) {
  const Mark at = request.marks.of_table({});
  if (!request.marks.is_given("file") && !model.modal && !model.marks.is_bad("analysis"))
    diagnostics.error(at, "[analysis.correlate] has no measured modes",
                      "name a file that has some, or write [analysis.modal]");
  const Body* body = nullptr;
  std::vector<std::string> names;
  for (const Body& candidate : model.bodies) {
    if (candidate.is_rigid()) continue;
    names.push_back(candidate.name);
    if (request.body.value == candidate.name || request.body.value.empty()) body = body ? body : &candidate;
  }
  if (request.body.value.empty() && names.size() > 1)
    return diagnostics.error(at, "[analysis.correlate] needs `body`: the model has several",
                             "bodies: " + join(names, ", "));
  if (!request.body.value.empty() && !body)
    return diagnostics.error(request.body.mark, "unknown elastic body " + tick(request.body.value),
                             suggest(request.body.value, names));
  if (!body || body->marks.is_bad("points") || body->marks.is_bad("mesh")) return;
  if (!body->motion.is_steady())
    diagnostics.error(at, "body " + tick(body->name) + " is neither at rest nor in a steady spin",
                      "measured modes are compared with those of such a body");
  std::vector<std::string> points;
  for (const Point& point : body->points) points.push_back(point.name);
  std::set<std::string> known;
  for (const PointMap& point : request.points) {
    if (!body->find_point(point.at.value) && !point.marks.is_bad("at"))
      diagnostics.error(point.at.mark, "body " + tick(body->name) + " has no point " + tick(point.at.value),
                        suggest(point.at.value, points));
    if (!known.insert(point.measured).second)
      diagnostics.error(point.marks.of("measured", point.mark),
                        "the measured point " + tick(point.measured) + " is given twice");
  }
}

class RecordsValidator {
 public:
  RecordsValidator(const Model& model, const RecordsRequest& request, Diagnostics& diagnostics)
      : model_(model), request_(request), diagnostics_(diagnostics) {}

  void run() {
    const Mark at = request_.marks.of_table({});
    if (!request_.hammer && !request_.marks.is_bad("hammer"))
      diagnostics_.error(at, "[analysis.measure.records] needs a hammer, which makes what is recorded",
                         "write [analysis.measure.records.hammer]");
    if (request_.accelerometers.empty())
      diagnostics_.error(at, "[analysis.measure.records] needs a sensor",
                         "write [[analysis.measure.records.accelerometer]]");
    if (request_.file.empty() || request_.file.find_first_of("/\\") != std::string::npos ||
        !(request_.file.ends_with(".uff") || request_.file.ends_with(".unv") || request_.file.ends_with(".csv")))
      diagnostics_.error(
          request_.marks.of("file", at),
          "file = \"" + request_.file + "\", must be a name without folders that ends in .uff, .unv or .csv",
          "`elodyn measure -o DIR` says where it goes");
    for (const Accelerometer& sensor : request_.accelerometers)
      if (!sensor.marks.is_bad("at")) check_place(sensor.at, "accelerometer", sensor.direction);
    if (!request_.hammer) return;
    const HammerRequest& hammer = *request_.hammer;
    const auto mark = [&](const char* key) { return hammer.marks.of(key, hammer.marks.of_table(at)); };
    for (const Located<std::string>& point : hammer.at) check_place(point, "hammer", hammer.direction);
    if (hammer.at.empty() && !hammer.marks.is_bad("at")) diagnostics_.error(mark("at"), "the hammer strikes nowhere");
    if (request_.file.ends_with(".csv") && hammer.at.size() > 1)
      diagnostics_.error(
          request_.marks.of("file", at),
          "a table of text has place for one record, the hammer makes " + std::to_string(hammer.at.size()),
          "write a universal file: file = \"records.uff\"");
    if (!hammer.marks.is_bad("width") && !request_.marks.is_bad("rate") && hammer.width * request_.rate < 4)
      diagnostics_.error(mark("width"),
                         "width = " + shortest(hammer.width) + " s, must be at least 4 values of the record",
                         "sample faster, or take a softer tip");
    if (hammer.interval && *hammer.interval <= hammer.width && !hammer.marks.is_bad("interval"))
      diagnostics_.error(mark("interval"),
                         "interval = " + shortest(*hammer.interval) + " s, must be above the width of a blow");
    const double values = model_.measure->duration * request_.rate *
                          static_cast<double>(hammer.at.size() * (1 + request_.accelerometers.size()));
    if (values > RecordsRequest::kMostValues)
      diagnostics_.error(
          request_.marks.of("rate", at),
          "the records have " + shortest(values) + " values, must be at most " + shortest(RecordsRequest::kMostValues));
  }

 private:
  // BODY.POINT of the one elastic body that all sensors and blows are on.
  void check_place(const Located<std::string>& name, const char* what, int direction) {
    const auto parts = parse_body_point(name.value);
    if (!parts)
      return diagnostics_.error(name.mark, std::string(what) + " at " + tick(name.value) + ", must be at BODY.POINT",
                                "for example \"beam.tip\"");
    const Body* body = model_.find_body(parts->body);
    if (!body) {
      std::vector<std::string> names;
      for (const Body& other : model_.bodies) names.push_back(other.name);
      return diagnostics_.error(name.mark, "unknown body " + tick(parts->body), suggest(parts->body, names));
    }
    if (body->is_rigid() || body->motion.kind != Motion::Kind::rest)
      return diagnostics_.error(name.mark, "body " + tick(body->name) + " must be elastic and at rest to be struck");
    if (!body->find_point(parts->point)) {
      std::vector<std::string> names;
      for (const Point& point : body->points) names.push_back(point.name);
      return diagnostics_.error(name.mark, "body " + tick(body->name) + " has no point " + tick(parts->point),
                                suggest(parts->point, names));
    }
    if (body->moves_in_plane() && std::abs(direction) == 3)
      diagnostics_.error(name.mark, "body " + tick(body->name) + " moves in its xy plane alone: nothing is along z",
                         "choose another direction, such as direction = \"+y\"");
    if (!body_.empty() && body_ != body->name)
      diagnostics_.error(name.mark, "sensors and hammer are on the bodies " + tick(body_) + " and " + tick(body->name) +
                                        ", must be on one");
    body_ = body->name;
  }

  const Model& model_;
  const RecordsRequest& request_;
  Diagnostics& diagnostics_;
  std::string body_;
};

}  // namespace

void validate_vibration(const Model& model, Diagnostics& diagnostics) {
  if (model.spectra) check_spectra(*model.spectra, diagnostics);
  if (model.modal) check_modal(model, *model.modal, diagnostics);
  if (model.correlate) check_correlate(model, *model.correlate, diagnostics);
  if (model.measure && model.measure->records) RecordsValidator(model, *model.measure->records, diagnostics).run();
}

}  // namespace elodyn
