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
  }

 private:
  bool is_bad(const char* key) const { return request_.marks.is_bad(key); }
  Mark mark_of(const char* key) const { return request_.marks.of(key, model_.marks.of("analysis", {})); }

  void check_time() {
    if (is_bad("duration") || is_bad("start") || is_bad("step") || is_bad("steps") || is_bad("every")) return;
    const double duration = request_.duration;
    if (!(duration > 0) || !std::isfinite(duration) || !std::isfinite(request_.start)) {
      diagnostics_.error(mark_of("duration"), "duration = " + shortest(duration) + " s, must be above 0 and finite");
      return;
    }
    if (request_.step.has_value() == request_.steps.has_value()) {
      diagnostics_.error(mark_of(request_.step ? "steps" : "duration"),
                         request_.step ? "step and steps are both given" : "[analysis.simulate] needs step or steps",
                         "give the longest time step, step = \"1 ms\", or their number, steps = 1000");
      return;
    }
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
    if (name.empty()) return;
    if (!names.integrators.empty() && !has(names.integrators, name))
      diagnostics_.error(request_.integrator.mark, "unknown integrator `" + name + "`",
                         suggest(name, names.integrators));
    const std::string& formalism = model_.formalism.value;
    if (has(names.motion_formalisms, formalism))
      diagnostics_.error(request_.integrator.mark,
                         "integrator = \"" + name + "\" beside formalism = \"" + formalism +
                             "\", which integrates its own equations and controls the error itself",
                         "leave out `integrator`, or choose another formalism");
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
      for (const Point& point : body.points) known.push_back(point.name);
    if (known.empty()) return;
    for (const Located<std::string>& point : request_.points)
      if (std::find(known.begin(), known.end(), point.value) == known.end())
        diagnostics_.error(point.mark, "no body has a point `" + point.value + "`", suggest(point.value, known));
  }

  const Model& model_;
  const SimulateRequest& request_;
  Diagnostics& diagnostics_;
};

}  // namespace

void validate_simulate(const Model& model, const KnownNames& names, Diagnostics& diagnostics) {
  if (model.simulate) SimulateValidator(model, *model.simulate, diagnostics).run(names);
}

}  // namespace elodyn
