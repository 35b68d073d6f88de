#include <algorithm>
#include <cmath>

#include "elodyn/base/text.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

std::string describe_end(const AnyQuantity& end) {
  return end.has_unit ? describe(end.dimension) : "a number without a unit";
}

class StabilityValidator {
 public:
  StabilityValidator(const Model& model, const StabilityRequest& request, Diagnostics& diagnostics)
      : model_(model), request_(request), diagnostics_(diagnostics) {}

  void run() {
    for (const SweepParameter* parameter : request_.parameters()) validate_sweep(*parameter, diagnostics_);
    check_together();
    for (const Body& body : model_.bodies)
      if (!body.motion.is_steady() && !body.motion.marks.is_bad("kind"))
        diagnostics_.error(body.motion.marks.of("kind", body.motion.mark),
                           "body `" + body.name +
                               "` moves over time, must be at rest or spin for [analysis.stability]: frozen "
                               "eigenvalues do not decide there",
                           "leave out [analysis.stability], or let it spin");
  }

 private:
  void check_together() {
    if (!request_.y) return;
    const SweepParameter &x = request_.x, &y = *request_.y;
    if (!x.marks.is_bad("key") && !y.marks.is_bad("key") && x.key.value == y.key.value && !x.key.value.empty())
      diagnostics_.error(y.key.mark, "x and y both vary `" + y.key.value + "`, must be two different keys");
    else if (!x.marks.is_bad("label") && !y.marks.is_bad("label") && x.name() == y.name())
      diagnostics_.error(y.mark, "x and y are both called `" + y.name() + "` in tables", "give one of them a `label`");
    const double points = static_cast<double>(x.count) * y.count;
    if (!x.marks.is_bad("count") && !y.marks.is_bad("count") && points > StabilityRequest::kMostPoints)
      diagnostics_.error(y.marks.of("count", y.mark), shortest(points) + " points are asked for, must be at most " +
                                                          std::to_string(StabilityRequest::kMostPoints));
  }

  const Model& model_;
  const StabilityRequest& request_;
  Diagnostics& diagnostics_;
};

}  // namespace

void validate_sweep(const SweepParameter& p, Diagnostics& diagnostics) {
  const Marks& marks = p.marks;
  if (marks.is_bad("from") || marks.is_bad("to") || marks.is_bad("count")) return;
  if (p.from.has_unit != p.to.has_unit || !(p.from.dimension == p.to.dimension))
    return diagnostics.error(marks.of("to", p.mark),
                             "to is " + describe_end(p.to) + ", must be " + describe_end(p.from) + " as `from` is");
  if (!(p.from.value < p.to.value))
    diagnostics.error(marks.of("to", p.mark),
                      "to = " + shortest(p.to.value) + ", must be above from = " + shortest(p.from.value));
  if (p.count < 2 || p.count > SweepParameter::kMostSteps)
    diagnostics.error(marks.of("count", p.mark), "count = " + std::to_string(p.count) + ", must be from 2 to " +
                                                     std::to_string(SweepParameter::kMostSteps));
}

void validate_stability(const Model& model, Diagnostics& diagnostics) {
  if (model.stability) StabilityValidator(model, *model.stability, diagnostics).run();
}

}  // namespace elodyn
