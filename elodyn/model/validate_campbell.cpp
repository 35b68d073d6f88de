#include <algorithm>
#include <cmath>

#include "elodyn/base/text.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

class CampbellValidator {
 public:
  CampbellValidator(const Model& model, const CampbellRequest& request, Diagnostics& diagnostics)
      : model_(model), request_(request), diagnostics_(diagnostics) {}

  void run() {
    check_body();
    check_speeds();
    check_numbers();
  }

 private:
  bool is_bad(const char* key) const { return request_.marks.is_bad(key); }
  Mark mark_of(const char* key) const { return request_.marks.of(key, request_.marks.of_table({})); }
  void fail(const Mark& mark, const std::string& text, const std::string& help = {}) {
    diagnostics_.error(mark, text, help);
  }

  void check_body() {
    if (is_bad("body") || model_.bodies.empty()) return;
    std::vector<std::string> all, spinning;
    for (const Body& body : model_.bodies) {
      all.push_back(body.name);
      if (body.marks.is_bad("motion") || body.motion.marks.is_bad("kind")) return;  // said already
      if (body.motion.kind == Motion::Kind::spin) spinning.push_back(body.name);
    }
    const std::string& name = request_.body.value;
    const Mark mark = name.empty() ? mark_of("body") : request_.body.mark;
    if (!name.empty() && std::find(all.begin(), all.end(), name) == all.end()) {
      fail(mark, "unknown body `" + name + "`", suggest(name, all));
    } else if (spinning.empty()) {
      fail(mark, "no body spins, so [analysis.campbell] has no speed to sweep",
           "give the body a motion: kind = \"spin\", axis = [0, 0, 1]");
    } else if (name.empty() && spinning.size() > 1) {
      fail(mark, "several bodies spin: [analysis.campbell] needs `body`, whose speed is swept",
           "bodies that spin: " + join(spinning, ", "));
    } else if (!name.empty() && std::find(spinning.begin(), spinning.end(), name) == spinning.end()) {
      fail(mark, "body `" + name + "` does not spin, must have a motion of kind \"spin\"",
           "bodies that spin: " + join(spinning, ", "));
    }
    const Body* body = model_.find_swept_body();
    if (body != nullptr && request_.frame == CampbellRequest::Frame::fixed && !is_bad("frame") &&
        (body->dimension != 3 || !body->areas.empty() || body->members.empty()) && !body->marks.is_bad("dimension"))
      fail(mark_of("frame"), "frame = \"fixed\" for body `" + body->name + "`, must be a spatial beam (dimension = 3)",
           "only the whirl of a shaft has one frequency seen from the ground; use frame = \"rotating\"");
  }

  void check_speeds() {
    const CampbellRequest::Speeds& speeds = request_.speeds;
    if (is_bad("speeds") || speeds.marks.has_bad()) return;
    const auto with_unit = [](double speed) { return shortest(speed) + " rad/s"; };
    const Mark from = speeds.marks.of("from", mark_of("speeds")), to = speeds.marks.of("to", mark_of("speeds"));
    if (!(speeds.from >= 0) || !std::isfinite(speeds.from))
      fail(from, "from = " + with_unit(speeds.from) + ", must be at least 0 and finite",
           "turn the axis of the motion round for the other direction");
    else if (!(speeds.to > speeds.from) || !std::isfinite(speeds.to))
      fail(to, "to = " + with_unit(speeds.to) + ", must be above from = " + with_unit(speeds.from) + " and finite");
    if (speeds.count < 2 || speeds.count > CampbellRequest::kMostSpeeds)
      fail(speeds.marks.of("count", mark_of("speeds")), "count = " + std::to_string(speeds.count) +
                                                            ", must be from 2 to " +
                                                            std::to_string(CampbellRequest::kMostSpeeds));
  }

  void check_numbers() {
    if (!is_bad("count") && request_.count < 1)
      fail(mark_of("count"), "count = " + std::to_string(request_.count) + ", must be above 0");
    if (!is_bad("smallest_step") && !(request_.smallest_step > 0 && request_.smallest_step <= 1))
      fail(mark_of("smallest_step"),
           "smallest_step = " + shortest(request_.smallest_step) + ", must be above 0 and at most 1");
    if (is_bad("orders")) return;
    for (auto order = request_.orders.begin(); order != request_.orders.end(); ++order)
      if (std::count(request_.orders.begin(), order, *order) == 1)
        fail(mark_of("orders"), "order " + shortest(*order) + " is given more than once in orders");
    for (const double order : request_.orders)
      if (!(order > 0) || !std::isfinite(order))
        fail(mark_of("orders"), "order " + shortest(order) + " in orders, must be above 0 and finite",
             order == 0 ? "speeds of divergence, where a frequency is 0, are found by [analysis.stability]" : "");
  }

  const Model& model_;
  const CampbellRequest& request_;
  Diagnostics& diagnostics_;
};

}  // namespace

void validate_campbell(const Model& model, Diagnostics& diagnostics) {
  if (model.campbell) CampbellValidator(model, *model.campbell, diagnostics).run();
}

}  // namespace elodyn
