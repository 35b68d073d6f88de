#include <algorithm>
#include <array>
#include <cmath>

#include "elodyn/base/text.hpp"
#include "elodyn/model/message_text.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

// What [analysis.frf] and [analysis.reduction] share: one body, some of its points.
class BodyChoice {
 public:
  BodyChoice(const Model& model, const char* analysis, Diagnostics& diagnostics)
      : model_(model), analysis_(analysis), diagnostics_(diagnostics) {}

  // The body that is meant; null: said why, or there is none.
  const Body* find(const Located<std::string>& name, const Mark& mark) {
    std::vector<std::string> names;
    const Body* first = nullptr;
    for (const Body& body : model_.bodies) {
      if (body.is_rigid()) continue;
      names.push_back(body.name);
      if (!first) first = &body;
    }
    if (!first) return nullptr;
    if (name.value.empty()) {
      if (names.size() == 1) return first;
      diagnostics_.error(mark, "[analysis." + std::string(analysis_) + "] needs `body`: the model has several",
                         "bodies: " + join(names, ", "));
      return nullptr;
    }
    for (const Body& body : model_.bodies)
      if (body.name == name.value) return body.is_rigid() ? nullptr : &body;  // that is said elsewhere
    diagnostics_.error(name.mark, "unknown body " + tick(name.value), suggest(name.value, names));
    return nullptr;
  }

  void check_points(const Body& body, const std::vector<Located<std::string>>& points) {
    std::vector<std::string> known;
    for (const Point& point : body.points) known.push_back(point.name);
    if (body.marks.is_bad("points") || body.marks.is_bad("mesh")) return;
    for (const Located<std::string>& point : points)
      if (std::find(known.begin(), known.end(), point.value) == known.end())
        diagnostics_.error(point.mark, "body " + tick(body.name) + " has no point " + tick(point.value),
                           suggest(point.value, known));
  }

  void check_modes(const std::optional<int>& modes, const std::optional<double>& up_to, const Marks& marks,
                   const Mark& mark) {
    if (modes && up_to)
      diagnostics_.error(marks.of("up_to", mark), "modes and up_to are both given, must be one of them");
    if (modes && *modes < 1 && !marks.is_bad("modes"))
      diagnostics_.error(marks.of("modes", mark), "modes = " + std::to_string(*modes) + ", must be above 0");
    if (up_to && !(*up_to > 0 && std::isfinite(*up_to)) && !marks.is_bad("up_to"))
      diagnostics_.error(marks.of("up_to", mark), "up_to = " + shortest(*up_to) + " Hz, must be above 0 and finite");
  }

 private:
  const Model& model_;
  const char* analysis_;
  Diagnostics& diagnostics_;
};

bool operator==(const Mark& a, const Mark& b) {
  return a.source == b.source && a.line == b.line && a.column == b.column;
}

class FrfValidator {
 public:
  FrfValidator(const Model& model, const FrfRequest& request, const KnownNames& names, Diagnostics& diagnostics)
      : model_(model),
        request_(request),
        names_(names),
        diagnostics_(diagnostics),
        mark_(request.marks.of_table({})),
        choice_(model, "frf", diagnostics) {}

  void run() {
    check_frequencies();
    check_values();
    const Body* body = request_.marks.is_bad("body") ? nullptr : choice_.find(request_.body, mark_);
    if (request_.excitations.empty() && !request_.marks.is_bad("excitation"))
      fail("excitation", "[analysis.frf] has no excitation",
           "write [[analysis.frf.excitation]] with at = \"POINT\" and force = [0, \"1 N\", 0]");
    if (!body) return;
    choice_.check_points(*body, request_.points);
    check_motion(*body);
    for (const HarmonicLoad& load : request_.excitations) {
      check_base(*body, load);
      check_amplitude(load);
    }
    check_loads(*body);
  }

 private:
  void fail(const char* key, const std::string& text, const std::string& help = {}) {
    diagnostics_.error(request_.marks.of(key, mark_), text, help);
  }

  void check_frequencies() {
    const FrequencyRange& range = request_.frequencies;
    const auto complain = [&](const char* key, const std::string& text, const std::string& help = {}) {
      diagnostics_.error(range.marks.of(key, request_.marks.of("frequencies", mark_)), text, help);
    };
    if (request_.marks.is_bad("frequencies") || range.marks.has_bad()) return;
    if (!(range.to > 0 && std::isfinite(range.to)))
      complain("to",
               range.to == 0 ? "[analysis.frf] has no highest frequency, frequencies.to"
                             : "to = " + shortest(range.to) + " Hz, must be above 0 and finite",
               range.to == 0 ? "for example frequencies = { from = \"1 Hz\", to = \"500 Hz\" }" : "");
    else if (!(range.from >= 0))
      complain("from", "from = " + shortest(range.from) + " Hz, must be at least 0");
    else if (range.from > range.to || (range.from == range.to && range.count > 1))
      complain("from", "from = " + shortest(range.from) + " Hz, must be below to = " + shortest(range.to) + " Hz");
    else if (range.spacing == FrequencyRange::Spacing::logarithmic && range.from == 0)
      complain("spacing", "spacing = \"log\" from 0 Hz, must start above 0", "for example from = \"1 Hz\"");
    else if (range.from != range.to && range.count == 1)
      complain("count",
               "count = 1 from " + shortest(range.from) + " Hz to " + shortest(range.to) + " Hz, must be at least 2",
               "for one frequency write it as both from and to");
    if (range.count < 1 || range.count > FrequencyRange::kMost)
      complain("count", "count = " + std::to_string(range.count) + ", must be from 1 to " +
                            std::to_string(FrequencyRange::kMost));
  }

  void check_values() {
    choice_.check_modes(request_.modes, request_.up_to, request_.marks, mark_);
    if (request_.method == FrfRequest::Method::direct && (request_.modes || request_.up_to)) {
      const char* key = request_.modes ? "modes" : "up_to";
      diagnostics_.warning(request_.marks.of(key, mark_),
                           std::string(key) + " does nothing with method = \"direct\", which needs no modes",
                           "use \"modal\" or \"craig_bampton\", or leave it out");
    }
    if (!request_.marks.is_bad("loss_factor") && !(request_.loss_factor >= 0 && std::isfinite(request_.loss_factor)))
      fail("loss_factor", "loss_factor = " + shortest(request_.loss_factor) + ", must be at least 0");
    else if (request_.loss_factor > 0 && request_.method == FrfRequest::Method::modal)
      fail("loss_factor", "loss_factor = " + shortest(request_.loss_factor) + " with method = \"modal\", must be 0",
           "use \"direct\" or \"craig_bampton\", or give the body damping");
  }

  void check_motion(const Body& body) {
    if (body.motion.marks.is_bad("kind")) return;
    if (!body.motion.is_steady())
      fail("body",
           "[analysis.frf] of body " + tick(body.name) +
               ", whose motion changes with time: only bodies at rest or in a steady spin have a frequency response",
           "freeze it as kind = \"spin\"");
  }

  bool spins(const Body& body) const { return body.motion.kind == Motion::Kind::spin && body.motion.speed != 0; }

  // Zeros as a response would look like a result.
  void check_amplitude(const HarmonicLoad& load) {
    const bool is_zero = load.force.isZero(0) && load.moment.isZero(0) && load.force_per_length.isZero(0) &&
                         load.force_per_area.isZero(0) && load.moment_per_length.isZero(0) && load.temperature == 0 &&
                         load.gradient_y == 0 && load.gradient_z == 0;
    constexpr std::array<const char*, 8> kKeys = {
        "force",       "moment",     "force_per_length", "force_per_area", "moment_per_length",
        "temperature", "gradient_y", "gradient_z"};
    const bool is_given =
        std::any_of(kKeys.begin(), kKeys.end(), [&](const char* key) { return load.marks.is_given(key); });
    if (is_zero && is_given && (load.at || load.on) && !load.moves_base() && !load.marks.has_bad())
      diagnostics_.error(load.marks.of("force", load.mark), "an excitation has no amplitude, must not be 0",
                         "for example force = [0, \"1 N\", 0]");
  }

  void check_base(const Body& body, const HarmonicLoad& load) {
    const auto complain = [&](const char* key, const std::string& text, const std::string& help = {}) {
      diagnostics_.error(load.marks.of(key, load.mark), text, help);
    };
    if (!std::isfinite(load.phase)) complain("phase", "phase = " + shortest(load.phase) + ", must be finite");
    if (!load.moves_base()) return;
    if (load.at || load.on)
      complain(load.at ? "at" : "on", "an excitation has a load and a motion of the frame, must have one of them",
               "write two [[analysis.frf.excitation]]");
    const std::pair<const char*, const Vec3*> motions[] = {
        {"base_displacement", &load.base_displacement},
        {"base_acceleration", &load.base_acceleration},
        {"base_rotation", &load.base_rotation},
        {"base_angular_acceleration", &load.base_angular_acceleration}};
    for (const auto& [key, v] : motions) {
      if (v->isZero(0) || load.marks.is_bad(key)) continue;
      const bool turns = std::string(key).find("rotation") != std::string::npos ||
                         std::string(key).find("angular") != std::string::npos;
      if (!v->allFinite()) complain(key, std::string(key) + " must be finite");
      if (body.moves_in_plane() && (turns ? v->head<2>().norm() : std::abs(v->z())) > 0)
        complain(key, std::string(key) + (turns ? " about x or y" : " along z") +
                          " does nothing in a body of dimension 2, must be 0");
    }
    const auto refuse_both = [&](const char* first, const char* second) {
      complain(second, std::string(first) + " and " + second + " are both given, must be one of them",
               "for a sum of both write two [[analysis.frf.excitation]]");
    };
    if (!load.base_displacement.isZero(0) && !load.base_acceleration.isZero(0))
      refuse_both("base_displacement", "base_acceleration");
    if (!load.base_rotation.isZero(0) && !load.base_angular_acceleration.isZero(0))
      refuse_both("base_rotation", "base_angular_acceleration");
    if (!load.base_angular_acceleration.isZero(0) && !model_.gravity.isZero(0))
      complain("base_angular_acceleration",
               "base_angular_acceleration beside gravity, which turns in the frame: must be given as base_rotation");
    const bool accelerates = !load.base_angular_acceleration.isZero(0) && spins(body);
    const bool is_absolute = request_.relative_to == FrfRequest::RelativeTo::ground &&
                             !(load.base_acceleration.isZero(0) && load.base_angular_acceleration.isZero(0));
    if ((accelerates || is_absolute) && request_.frequencies.from == 0)
      complain(accelerates ? "base_angular_acceleration" : "base_acceleration",
               "an acceleration of the frame at 0 Hz has no bounded motion, frequencies.from must be above 0");
    const bool has_ground = std::any_of(body.springs.begin(), body.springs.end(),
                                        [](const Spring& s) { return s.other == Spring::Other::ground && !s.to; });
    if (has_ground)
      complain("base_acceleration",
               "a motion of the frame of body " + tick(body.name) +
                   ", which has springs to the ground: what these do then is not modelled",
               "use springs to the frame, or forces");
  }

  // Loads are judged as those of a body are: what a body with these would be told and as it stands is not.
  void check_loads(const Body& body) {
    if (request_.relative_to == FrfRequest::RelativeTo::ground && spins(body))
      fail("relative_to", "relative_to = \"ground\" for a body that spins, must be \"frame\"");
    Body driven = body;
    driven.loads.clear();
    for (const HarmonicLoad& load : request_.excitations)
      if (!load.moves_base()) driven.loads.push_back(load);
    Diagnostics as_is, changed;
    validate_body(model_, body, names_, as_is);
    validate_body(model_, driven, names_, changed);
    for (const Diagnostic& d : changed.all()) {
      if (d.severity != Severity::error) continue;
      const bool is_old = std::any_of(as_is.all().begin(), as_is.all().end(),
                                      [&](const Diagnostic& old) { return old.text == d.text && old.mark == d.mark; });
      if (!is_old) diagnostics_.error(d.mark, d.text, d.help);
    }
  }

  const Model& model_;
  const FrfRequest& request_;
  const KnownNames& names_;
  Diagnostics& diagnostics_;
  Mark mark_;
  BodyChoice choice_;
};

void validate_reduction(const Model& model, const ReductionRequest& request, Diagnostics& diagnostics) {
  const Mark mark = request.marks.of_table({});
  BodyChoice choice(model, "reduction", diagnostics);
  choice.check_modes(request.modes, request.up_to, request.marks, mark);
  if (request.compare < 0 && !request.marks.is_bad("compare"))
    diagnostics.error(request.marks.of("compare", mark),
                      "compare = " + std::to_string(request.compare) + ", must be at least 0");
  const Body* body = request.marks.is_bad("body") ? nullptr : choice.find(request.body, mark);
  if (body) choice.check_points(*body, request.points);
}

}  // namespace

void validate_frf(const Model& model, const KnownNames& names, Diagnostics& diagnostics) {
  if (model.frf) FrfValidator(model, *model.frf, names, diagnostics).run();
  if (model.reduction) validate_reduction(model, *model.reduction, diagnostics);
}

}  // namespace elodyn
