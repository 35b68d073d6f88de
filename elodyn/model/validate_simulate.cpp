#include <algorithm>
#include <cmath>

#include "elodyn/base/text.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

class SimulateValidator {
 public:
  SimulateValidator(const Model& model, const SimulateRequest& request, Diagnostics& diagnostics)
      : model_(model), request_(request), diagnostics_(diagnostics) {}

  void run(const KnownNames& names) {
    check_time();
    check_integrator(names);
    check_initial();
    check_points();
    check_checkpoint();
  }

 private:
  bool is_bad(const char* key) const { return request_.marks.is_bad(key); }
  Mark mark_of(const char* key) const { return request_.marks.of(key, request_.marks.of_table({})); }

  void check_time() {
    if (is_bad("duration") || is_bad("start") || is_bad("step") || is_bad("steps") || is_bad("every")) return;
    const double duration = request_.duration;
    if (!(duration > 0) || !std::isfinite(duration) || !std::isfinite(request_.start)) {
      diagnostics_.error(mark_of("duration"), "duration = " + shortest(duration) + " s, must be above 0 and finite");
      return;
    }
    const int given =
        int{request_.step.has_value()} + int{request_.steps.has_value()} + int{request_.tolerance.has_value()};
    if (given != 1) {
      const char* last = request_.tolerance ? "tolerance" : request_.steps ? "steps" : "duration";
      const char* pair = !request_.tolerance ? "step and steps are both given"
                         : given == 3        ? "step, steps and tolerance are given"
                         : request_.step     ? "step and tolerance are both given"
                                             : "steps and tolerance are both given";
      diagnostics_.error(mark_of(last), given > 1 ? pair : "[analysis.simulate] needs step, steps or tolerance",
                         "give the longest time step, step = \"1 ms\", their number, steps = 1000, or the error of a "
                         "step, tolerance = 1e-5");
      return;
    }
    if (request_.tolerance && request_.every != 1)
      diagnostics_.error(mark_of("every"), "every = " + std::to_string(request_.every) + " with tolerance, must be 1",
                         "the steps differ in length: `records` says at how many times the motion is recorded");
    if (request_.tolerance) return;
    const char* key = request_.step ? "step" : "steps";
    const int n = request_.n_steps();
    if (n < 1 || n > SimulateRequest::kMostSteps)
      diagnostics_.error(mark_of(key), std::string(key) + " makes " +
                                           (n < 1 ? "no step" : "more than " + std::to_string(n - 1) + " steps") +
                                           ", must be from 1 to " + std::to_string(SimulateRequest::kMostSteps));
    else if (request_.every < 1)
      diagnostics_.error(mark_of("every"), "every = " + std::to_string(request_.every) + ", must be above 0");
    else if (n / request_.every > SimulateRequest::kMostRows)
      diagnostics_.error(mark_of(request_.marks.is_given("every") ? "every" : key),
                         std::to_string(n / request_.every) + " rows would be recorded, must be at most " +
                             std::to_string(SimulateRequest::kMostRows),
                         "record fewer: every = " + std::to_string(n / SimulateRequest::kMostRows + 1));
  }

  void check_integrator(const KnownNames& names) {
    const std::string& name = request_.integrator.value;
    const auto has = [](const std::vector<std::string>& list, const std::string& wanted) {
      return std::find(list.begin(), list.end(), wanted) != list.end();
    };
    if (name.empty()) {
      check_options(name);
      return;
    }
    if (!names.integrators.empty() && !has(names.integrators, name))
      diagnostics_.error(request_.integrator.mark, "unknown integrator `" + name + "`",
                         suggest(name, names.integrators));
    check_options(name);
    const std::string& formalism = model_.formalism.value;
    if (has(names.motion_formalisms, formalism))
      diagnostics_.error(request_.integrator.mark,
                         "integrator = \"" + name + "\" beside formalism = \"" + formalism +
                             "\", which integrates its own equations and controls the error itself",
                         "leave out `integrator`, or choose another formalism");
  }

  // Values of one method beside another would do nothing.
  void check_options(const std::string& name) {
    const auto check = [&](const char* key, const std::optional<double>& value, const char* of) {
      if (value && name != of)
        diagnostics_.error(mark_of(key),
                           std::string(key) + " belongs to integrator = \"" + of + "\", not \"" + name + "\"");
    };
    check("spectral_radius", request_.spectral_radius, "generalized_alpha");
    check("newmark_beta", request_.newmark_beta, "newmark");
    check("newmark_gamma", request_.newmark_gamma, "newmark");
    const double beta = request_.newmark_beta.value_or(0.25), gamma = request_.newmark_gamma.value_or(0.5);
    if (2 * beta < gamma && name == "newmark")
      diagnostics_.error(mark_of(request_.newmark_beta ? "newmark_beta" : "newmark_gamma"),
                         "newmark_beta = " + shortest(beta) + " with newmark_gamma = " + shortest(gamma) +
                             ", must be at least newmark_gamma/2",
                         "smaller ones are unstable with long steps");
  }

  void check_checkpoint() {
    if (is_bad("checkpoint") || request_.checkpoint.empty() || request_.parse_checkpoint()) return;
    diagnostics_.error(mark_of("checkpoint"),
                       "checkpoint = \"" + request_.checkpoint + "\", must be a number of steps or a time above 0",
                       "for example \"1000 steps\" or \"60 s\"");
  }

  void check_initial() {
    if (is_bad("initial_mode") || is_bad("initial_amplitude")) return;
    const double amplitude = request_.initial_amplitude;
    if (request_.initial_mode && (amplitude == 0 || !std::isfinite(amplitude)))
      diagnostics_.error(mark_of("initial_mode"), "initial_mode needs initial_amplitude, its largest displacement",
                         "for example initial_amplitude = \"1 mm\"");
    if (!request_.initial_mode && request_.initial_phase != 0)
      diagnostics_.error(mark_of("initial_phase"), "initial_phase without initial_mode",
                         "say which mode: initial_mode = 1");
    if (!request_.initial_mode && amplitude != 0)
      diagnostics_.error(mark_of("initial_amplitude"), "initial_amplitude without initial_mode",
                         "say which mode: initial_mode = 1");
  }

  void check_points() {
    std::vector<std::string> known;
    for (const Body& body : model_.bodies)
      for (const Point& point : body.is_rigid() ? std::vector<Point>{} : body.points) known.push_back(point.name);
    if (known.empty()) return;
    for (const Located<std::string>& point : request_.points)
      if (std::find(known.begin(), known.end(), point.value) == known.end())
        diagnostics_.error(point.mark, "no body has a point `" + point.value + "`", suggest(point.value, known));
    for (const SimulateRequest::PointVelocity& given : request_.initial_velocity) {
      if (std::find(known.begin(), known.end(), given.point.value) == known.end())
        diagnostics_.error(given.point.mark, "initial_velocity: no body has a point `" + given.point.value + "`",
                           suggest(given.point.value, known));
      if (!given.velocity.allFinite())
        diagnostics_.error(given.point.mark, "initial_velocity of point `" + given.point.value + "` must be finite");
    }
  }

  const Model& model_;
  const SimulateRequest& request_;
  Diagnostics& diagnostics_;
};

}  // namespace

void validate_simulate(const Model& model, const KnownNames& names, Diagnostics& diagnostics) {
  if (model.simulate) SimulateValidator(model, *model.simulate, diagnostics).run(names);
}

namespace {

// Of floquet, cycle and periodic. Whether a mechanism has a cycle is seen when it has moved.
template <class Request>
void validate_period(const Model& model, const std::optional<Request>& asked, const char* name,
                     Diagnostics& diagnostics) {
  if (!asked || asked->marks.is_bad("period")) return;
  const Request& request = *asked;
  const Mark mark = request.marks.of("period", request.marks.of_table({}));
  if (request.period && !(*request.period > 0 && std::isfinite(*request.period)))
    return diagnostics.error(mark, "period = " + shortest(*request.period) + " s, must be above 0 and finite");
  if (request.period) return;
  for (const Body& body : model.bodies) {
    const Motion& motion = body.motion;
    const bool is_known =
        (motion.kind == Motion::Kind::spin && motion.speed != 0) || motion.kind == Motion::Kind::mechanism;
    if (!body.is_rigid() && !is_known)
      return diagnostics.error(
          mark,
          std::string("[analysis.") + name + "] needs period: body `" + body.name +
              (model.mechanism ? "` neither spins nor moves with the mechanism" : "` does not spin"),
          model.mechanism ? "[body." + body.name + ".motion] with kind = \"mechanism\" lets its joints move it"
                          : "say after which time everything repeats itself: period = \"20 ms\"");
  }
}

void validate_linkage(const Model& model, Diagnostics& diagnostics) {
  if (!model.linkage) return;
  const LinkageRequest& request = *model.linkage;
  const Mark table = request.marks.of_table({});
  const bool has_links = std::any_of(model.bodies.begin(), model.bodies.end(), [](const Body& body) {
    return body.motion.kind == Motion::Kind::mechanism && !body.is_rigid();
  });
  if (!has_links)
    return diagnostics.error(table, "[analysis.linkage] needs an elastic body that moves with the mechanism",
                             "give a body with elements `motion = { kind = \"mechanism\" }`");
  if (request.kind == LinkageRequest::Kind::transient) {
    for (const char* key : {"duration", "step"})
      if (!request.marks.is_bad(key) && !(key == std::string("step") ? request.step : request.duration))
        diagnostics.error(table, std::string("[analysis.linkage] of kind \"transient\" needs ") + key,
                          std::string(key) + (key == std::string("step") ? " = \"50 us\"" : " = \"0.1 s\""));
    if (request.duration && request.step && !(*request.duration / *request.step <= LinkageRequest::kMostSteps))
      diagnostics.error(request.marks.of("step", table), "step = " + shortest(*request.step) + " s, makes " +
                                                             shortest(*request.duration / *request.step) +
                                                             " steps; at most " + shortest(LinkageRequest::kMostSteps));
  }
  std::vector<std::string> known;
  for (const Body& body : model.bodies)
    if (body.motion.kind == Motion::Kind::mechanism)
      for (const Point& point : body.points) known.push_back(body.name + "." + point.name);
  for (const Located<std::string>& point : request.points)
    if (!known.empty() && std::find(known.begin(), known.end(), point.value) == known.end())
      diagnostics.error(point.mark, "no elastic body of the mechanism has a point `" + point.value + "`",
                        suggest(point.value, known));
}

}  // namespace

void validate_floquet(const Model& model, Diagnostics& diagnostics) {
  validate_period(model, model.floquet, "floquet", diagnostics);
  validate_period(model, model.cycle, "cycle", diagnostics);
  if (model.cycle && model.cycle->over) {
    const SweepParameter& over = *model.cycle->over;
    validate_sweep(over, diagnostics);
    for (const char* column : {"time", "body", "mode", "mean_speed", "least", "most", "mean", "least_at", "most_at"})
      if (over.name() == column)
        diagnostics.error(over.marks.of("label", over.mark),
                          std::string("`") + column + "` is the name of another column of its table",
                          "give it another `label`");
  }
  validate_period(model, model.periodic, "periodic", diagnostics);
  validate_linkage(model, diagnostics);
  if (!model.periodic) return;
  std::vector<std::string> known;
  for (const Body& body : model.bodies)
    for (const Point& point : body.points) known.push_back(point.name);
  for (const Located<std::string>& point : model.periodic->points)
    if (!known.empty() && std::find(known.begin(), known.end(), point.value) == known.end())
      diagnostics.error(point.mark, "no body has a point `" + point.value + "`", suggest(point.value, known));
}

}  // namespace elodyn
