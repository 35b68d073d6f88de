#include <algorithm>
#include <cmath>

#include "elodyn/base/text.hpp"
#include "elodyn/model/validate_parts.hpp"

namespace elodyn {
namespace {

constexpr double kProbes[] = {0, 0.1, 0.37, 1, 7.3};  // s: a few instants stand for all
constexpr const char* kAxes[] = {"[x]", "[y]", "[z]"};

using Expressions = std::array<Expression, 3>;

bool is_zero(const Expression& f) {
  return std::all_of(std::begin(kProbes), std::end(kProbes), [&](double t) { return f(t) == 0; });
}

class MotionValidator {
 public:
  MotionValidator(const Model& model, const Body& body, const KnownNames& names, Diagnostics& diagnostics)
      : model_(model), body_(body), motion_(body.motion), names_(names), diagnostics_(diagnostics) {}

  void run() {
    if (motion_.kind == Motion::Kind::spin) check_spin();
    if (motion_.kind == Motion::Kind::prescribed) check_prescribed();
    if (motion_.kind == Motion::Kind::table && !is_bad("kind") && !is_bad("file")) check_table();
    if (motion_.kind == Motion::Kind::mechanism) check_link();
    check_gravity();
  }

 private:
  bool is_planar() const { return body_.moves_in_plane() && !body_.marks.is_bad("dimension"); }
  bool is_bad(const char* key) const { return motion_.marks.is_bad(key); }
  Mark mark_of(const char* key) const { return motion_.marks.of(key, motion_.mark); }

  void check_spin() {
    if (!is_bad("speed") && !std::isfinite(motion_.speed)) diagnostics_.error(mark_of("speed"), "speed must be finite");
    if (!check_direction(motion_.axis, "axis", motion_.marks, motion_.mark, diagnostics_)) return;
    const Vec3& axis = motion_.axis;
    if (is_planar() && (axis.x() != 0 || axis.y() != 0))
      diagnostics_.error(mark_of("axis"), "axis = [" + shortest(axis.x()) + ", " + shortest(axis.y()) + ", " +
                                              shortest(axis.z()) + "], must be along z for a body of dimension 2");
  }

  // Its joints move it.
  void check_link() {
    if (is_bad("kind")) return;
    if (!model_.mechanism && !model_.marks.is_bad("mechanism"))
      diagnostics_.error(mark_of("kind"), "kind = \"mechanism\", but there is no [analysis.mechanism]",
                         "say how the mechanism moves: [analysis.mechanism] with `duration`");
  }

  void check_prescribed() {
    check_finite(motion_.acceleration, "acceleration");
    check_plane(motion_.angular_velocity, "angular_velocity");
    check_finite(motion_.angular_velocity, "angular_velocity");
    if (is_planar() && !is_bad("acceleration") && !is_zero(motion_.acceleration[2]))
      diagnostics_.warning(mark_of("acceleration"), "acceleration[z] does nothing in a body of dimension 2");
    if (!motion_.angular_acceleration) return;
    check_plane(*motion_.angular_acceleration, "angular_acceleration");
    check_finite(*motion_.angular_acceleration, "angular_acceleration");
    if (!is_bad("angular_velocity") && !is_bad("angular_acceleration")) compare_with_derivative();
  }

  // An instant that is asked for.
  struct Instant {
    const char* analysis;
    double t;
    const Marks* marks;
    const char* key = "time";
  };
  std::vector<Instant> list_instants() const {
    std::vector<Instant> instants;
    const auto add = [&](const char* analysis, const auto& request) {
      if (request && !request->marks.is_bad("time")) instants.push_back({analysis, request->time, &request->marks});
    };
    add("modes", model_.modes);
    add("static", model_.static_);
    add("buckling", model_.buckling);
    const std::optional<SimulateRequest>& simulate = model_.simulate;
    if (simulate && !simulate->marks.is_bad("start") && !simulate->marks.is_bad("duration")) {
      instants.push_back({"simulate", simulate->start, &simulate->marks, "start"});
      instants.push_back({"simulate", simulate->start + simulate->duration, &simulate->marks, "duration"});
    }
    return instants;
  }

  void check_finite(const Expressions& v, const char* key) {
    if (is_bad(key)) return;
    std::vector<double> times;
    for (const Instant& instant : list_instants()) times.push_back(instant.t);
    if (times.empty()) times.push_back(0);
    for (const double t : times)
      for (const Expression& component : v)
        if (const double value = component(t); !std::isfinite(value))
          return diagnostics_.error(mark_of(key), std::string(key) + " = " + shortest(value) +
                                                      " at t = " + shortest(t) + " s, must be finite");
  }

  void check_table() {
    if (!motion_.table)
      return diagnostics_.error(motion_.mark, "the motion of body `" + body_.name + "` is a table, but has none");
    const MotionTable& table = *motion_.table;
    if (is_planar()) check_table_plane(table);
    for (const Instant& instant : list_instants()) {
      if (!table.contains(instant.t))
        diagnostics_.error(instant.marks->of(instant.key, mark_of("file")),
                           "time = " + shortest(instant.t) + " s of analysis `" + instant.analysis +
                               "`, must be from " + shortest(table.start) + " to " + shortest(table.end) +
                               " s, the times in the table of body `" + body_.name + "`");
      else if (!is_finite(table, instant.t))
        diagnostics_.error(mark_of("file"), "the spline through the table is not finite at t = " + shortest(instant.t) +
                                                " s, must be finite");
    }
  }

  static bool is_finite(const MotionTable& table, double t) {
    bool all = true;
    for (size_t i = 0; i < 3; ++i)
      all = all && std::isfinite(table.calc_acceleration(i, t)) && std::isfinite(table.calc_angular_velocity(i, t)) &&
            std::isfinite(table.calc_angular_acceleration(i, t));
    return all;
  }

  void check_table_plane(const MotionTable& table) {
    const auto refuse = [&](const char* column) {
      diagnostics_.error(table.marks.of(column, mark_of("file")),
                         std::string("column `") + column + "` is not zero, must be zero for a body of dimension 2");
    };
    if (table.has_angular_velocity(0)) refuse("wx");
    if (table.has_angular_velocity(1)) refuse("wy");
    if (table.has_angular_acceleration(0)) refuse("ex");
    if (table.has_angular_acceleration(1)) refuse("ey");
    if (table.accelerates_along(2))
      diagnostics_.warning(table.marks.of("az", mark_of("file")), "column `az` does nothing in a body of dimension 2");
  }

  void check_plane(const Expressions& v, const char* key) {
    if (!is_planar() || is_bad(key) || (is_zero(v[0]) && is_zero(v[1]))) return;
    diagnostics_.error(mark_of(key),
                       std::string(key) + " has components along x or y, must be along z for a body of dimension 2");
  }

  void compare_with_derivative() {
    constexpr double kAgreement = 1e-6;  // a difference quotient against what may be rounded constants
    for (size_t i = 0; i < 3; ++i) {
      const Expression &w = motion_.angular_velocity[i], &e = (*motion_.angular_acceleration)[i];
      for (const double t : kProbes) {
        const Expression::Derivative found = w.derivative(t);
        const double derivative = found.value, given = e(t);
        const double scale = std::max({std::abs(derivative), std::abs(given), std::abs(w(t))});
        if (!std::isfinite(derivative) || !std::isfinite(given) || !found.is_resolved(scale)) continue;
        if (std::abs(derivative - given) <= kAgreement * scale) continue;
        return diagnostics_.warning(mark_of("angular_acceleration"),
                                    std::string("angular_acceleration") + kAxes[i] + " = " + shortest(given) +
                                        " at t = " + shortest(t) + " s, but angular_velocity changes by " +
                                        shortest(derivative) + " rad/s^2",
                                    "leave angular_acceleration out to have it derived");
      }
    }
  }

  // Analyses that are asked for and take the equation at one instant.
  std::vector<std::string> list_frozen() const {
    std::vector<std::string> out = names_.wanted.empty() ? model_.requested() : names_.wanted;
    std::erase_if(out, [](const std::string& name) {
      return name == "simulate" || name == "mechanism" || name == "floquet" || name == "periodic" ||
             name == "linkage" || name == "measure" || name == "identify" || name == "spectra" || name == "modal" ||
             name == "matrices" || name == "mesh";
    });
    return out;
  }

  void check_gravity() {
    if (model_.marks.is_bad("gravity") || body_.marks.is_bad("attitude") || body_.marks.is_bad("motion")) return;
    if (model_.gravity.norm() == 0 || motion_.kind == Motion::Kind::mechanism) return;
    const Vec3 g_B = calc_R_WB(body_).transpose() * model_.gravity;
    const double g = g_B.norm();
    constexpr double kTiny = 1e-12;  // of an attitude given in decimals
    const Mark place = model_.marks.of("gravity", body_.mark);
    if (motion_.kind == Motion::Kind::prescribed) {
      diagnostics_.error(
          place, "gravity with the prescribed motion of body `" + body_.name + "`, must be left out",
          "the attitude of the frame over time is not known: subtract gravity in `acceleration`, in body axes");
      return;
    }
    if (motion_.kind == Motion::Kind::table) {
      diagnostics_.error(place, "gravity with the table of motion of body `" + body_.name + "`, must be left out",
                         "the attitude of the frame over time is not known: subtract gravity in the columns ax, ay, "
                         "az, in body axes");
      return;
    }
    const bool spins = model_.turns(body_) && motion_.axis.norm() > 0;
    if (spins && g_B.cross(motion_.axis.normalized()).norm() > kTiny * g) {
      if (const std::vector<std::string> frozen = list_frozen(); !frozen.empty())
        diagnostics_.error(
            place,
            "gravity across the spin axis of body `" + body_.name + "`, must be along it for " + join(frozen, ", "),
            "it turns in the body's frame and makes the coefficients periodic: use [analysis.floquet] for stability, "
            "[analysis.simulate] for the motion, and no other analysis");
      return;
    }
    if (is_planar() && std::abs(g_B.z()) > kTiny * g)
      diagnostics_.warning(place, "the part of gravity across the plane of body `" + body_.name + "` does nothing");
  }

  const Model& model_;
  const Body& body_;
  const Motion& motion_;
  const KnownNames& names_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool check_direction(const Vec3& v, const char* key, const Marks& marks, const Mark& mark, Diagnostics& diagnostics) {
  if (marks.is_bad(key)) return false;
  const double length = v.norm();
  if (length > 0 && std::isfinite(length)) return true;
  diagnostics.error(marks.of(key, mark), std::string(key) + " has length " + shortest(length) + ", must be above 0" +
                                             (length > 0 ? " and finite" : ""));
  return false;
}

void validate_motion(const Model& model, const Body& body, const KnownNames& names, Diagnostics& diagnostics) {
  MotionValidator(model, body, names, diagnostics).run();
}

}  // namespace elodyn
