#include "elodyn/system/motion.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/base/error.hpp"
#include "elodyn/base/text.hpp"

namespace elodyn {
namespace {

constexpr double kTiny = 1e-9;  // of an attitude given in decimals: gravity along an axis, but for that

// −g in body axes at t = 0; what lies out of a planar body's plane does nothing to it.
Vec3 calc_gravity_acceleration(const Model& model, const Body& body) {
  if (body.motion.kind == Motion::Kind::mechanism) return Vec3::Zero();  // its table has it
  Vec3 a = -calc_R_WB(body).transpose() * model.gravity;
  if (body.moves_in_plane()) a[2] = 0;
  return a.norm() <= kTiny * model.gravity.norm() ? Vec3(Vec3::Zero()) : a;
}

// The same of a spinning body: along its axis, and across it at t = 0.
struct SpinGravity {
  double along = 0, across = 0;
  Vec3 e1 = Vec3::Zero();
};
SpinGravity split_gravity(const Model& model, const Body& body) {
  const Vec3 a = calc_gravity_acceleration(model, body), n = body.motion.axis.normalized();
  SpinGravity out;
  out.along = n.dot(a);
  const Vec3 rest = a - out.along * n;
  if (rest.norm() > kTiny * a.norm()) {
    out.across = rest.norm();
    out.e1 = rest / out.across;
  }
  if (std::abs(out.along) <= kTiny * a.norm()) out.along = 0;
  return out;
}

bool is_zero(const Expression& f) { return f.is_constant() && f(0) == 0; }

// The motion over time of one body axis, from expressions or from a table.
bool turns_about(const Motion& motion, size_t axis) {
  if (motion.has_table()) return motion.table->turns_about(axis);
  return !is_zero(motion.angular_velocity[axis]) ||
         (motion.angular_acceleration && !is_zero((*motion.angular_acceleration)[axis]));
}
bool accelerates_along(const Motion& motion, size_t axis) {
  if (motion.has_table()) return motion.table->accelerates_along(axis);
  return !is_zero(motion.acceleration[axis]);
}

// Those body axes that the motion needs, in the order x, y, z.
std::vector<Vec3> list_axes(const Motion& motion, bool (*needs)(const Motion&, size_t)) {
  std::vector<Vec3> axes;
  for (size_t i = 0; i < 3; ++i)
    if (needs(motion, i)) axes.emplace_back(Vec3::Unit(static_cast<Eigen::Index>(i)));
  return axes;
}

double derive_angular_acceleration(const Body& body, size_t axis, double t) {
  constexpr const char* kAxes[] = {"[x]", "[y]", "[z]"};
  const Expression& w = body.motion.angular_velocity[axis];
  const Expression::Derivative e = w.derivative(t);
  if (!e.is_resolved(std::abs(e.value) + std::abs(w(t))))
    throw NumericalError("body `" + body.name + "`: angular_velocity" + kAxes[axis] + " = \"" + w.text() +
                         "\" has no derivative that can be found at t = " + shortest(t) +
                         " s; give angular_acceleration");
  return e.value;
}

// The time at which tables and histories are read.
double find_table_time(const Body& body, double t) {
  const MotionTable& table = *body.motion.table;
  const double folded = table.fold(t);
  if (table.contains(folded)) return folded;
  if (body.motion.kind == Motion::Kind::mechanism)
    throw NumericalError("body `" + body.name + "`: t = " + shortest(t) +
                         " s is not in the motion of its mechanism, from " + shortest(table.start) + " to " +
                         shortest(table.end) + " s; ask for a time between them, or change [analysis.mechanism]");
  throw NumericalError("body `" + body.name + "`: t = " + shortest(t) + " s is not in the table of its motion, from " +
                       shortest(table.start) + " to " + shortest(table.end) +
                       " s; ask for a time between them or add rows");
}

double calc_acceleration(const Motion& motion, size_t axis, double t) {
  return motion.has_table() ? motion.table->calc_acceleration(axis, t) : motion.acceleration[axis](t);
}
double calc_angular_velocity(const Motion& motion, size_t axis, double t) {
  return motion.has_table() ? motion.table->calc_angular_velocity(axis, t) : motion.angular_velocity[axis](t);
}
double calc_angular_acceleration(const Body& body, size_t axis, double t) {
  const Motion& motion = body.motion;
  if (motion.has_table()) return motion.table->calc_angular_acceleration(axis, t);
  return motion.angular_acceleration ? (*motion.angular_acceleration)[axis](t)
                                     : derive_angular_acceleration(body, axis, t);
}

size_t component_along(const Vec3& unit) {
  Eigen::Index i = 0;
  unit.maxCoeff(&i);
  return static_cast<size_t>(i);
}

// prescribed, table, mechanism: the basis is made of body axes
void calc_motion_over_time(const Body& body, const MotionBasis& basis, double t, FactorValues& f) {
  for (size_t k = 0; k < basis.axes.size(); ++k) {
    const size_t axis = component_along(basis.axes[k]);
    f.w[static_cast<Eigen::Index>(k)] = calc_angular_velocity(body.motion, axis, t);
    f.e[static_cast<Eigen::Index>(k)] = calc_angular_acceleration(body, axis, t);
  }
  for (size_t k = 0; k < basis.accelerations.size(); ++k)
    f.a[static_cast<Eigen::Index>(k)] = calc_acceleration(body.motion, component_along(basis.accelerations[k]), t);
  if (!f.a.allFinite() || !f.w.allFinite() || !f.e.allFinite())
    throw NumericalError("body `" + body.name + "`: the prescribed motion is not finite at t = " + shortest(t) + " s");
}

}  // namespace

MotionBasis make_motion_basis(const Model& model, const Body& body) {
  MotionBasis basis;
  const Vec3 gravity = calc_gravity_acceleration(model, body);
  const bool has_gravity = gravity.norm() > 0;
  if (model.turns(body)) {
    const SpinGravity split = split_gravity(model, body);
    const Vec3 n = body.motion.axis.normalized();
    if (split.along != 0) basis.accelerations.push_back(split.along > 0 ? n : Vec3(-n));
    if (split.across != 0) basis.accelerations.insert(basis.accelerations.end(), {split.e1, n.cross(split.e1)});
  } else if (has_gravity) {
    basis.accelerations = {gravity.normalized()};
  }
  switch (body.motion.kind) {
    case Motion::Kind::rest:
      break;
    case Motion::Kind::spin:
      basis.origin = body.motion.through;
      basis.axes = {body.motion.axis.normalized()};
      break;
    case Motion::Kind::table:
    case Motion::Kind::mechanism:
      ELODYN_REQUIRE(body.motion.table != nullptr);
      [[fallthrough]];
    case Motion::Kind::prescribed:
      ELODYN_REQUIRE(!has_gravity);
      if (body.moves_in_plane()) {
        basis.axes = {Vec3::UnitZ()};
        basis.accelerations = {Vec3::UnitX(), Vec3::UnitY()};
      } else {
        basis.axes = list_axes(body.motion, turns_about);
        basis.accelerations = list_axes(body.motion, accelerates_along);
      }
      break;
  }
  return basis;
}

bool has_turning_gravity(const Model& model, const Body& body) {
  return model.turns(body) && split_gravity(model, body).across != 0;
}

bool is_steady(const Model& model, const Body& body) {
  return body.motion.is_steady() && !has_turning_gravity(model, body) &&
         std::all_of(body.loads.begin(), body.loads.end(), [](const Load& load) { return load.is_constant(); });
}

static void calc_spin_gravity(const Model& model, const Body& body, double t, VectorX& a) {
  const SpinGravity split = split_gravity(model, body);
  Eigen::Index k = 0;
  if (split.along != 0) a[k++] = std::abs(split.along);
  if (split.across == 0) return;
  a[k] = split.across * std::cos(body.motion.speed * t);
  a[k + 1] = -split.across * std::sin(body.motion.speed * t);
}

// `folded`: of histories.
static void calc_load_factors(const Body& body, const LoadCases& cases, double t, double folded, VectorX& load) {
  load.setOnes(1 + static_cast<Eigen::Index>(cases.factors.size()));
  for (size_t c = 0; c < cases.factors.size(); ++c) {
    const LoadFactor& law = cases.factors[c];
    const double factor = law.history ? (*law.history)(folded) : (*law.time)(t);
    if (!std::isfinite(factor) && law.time)
      throw NumericalError("body `" + body.name + "`: the factor time = \"" + law.time->text() +
                           "\" of a load is not finite at t = " + shortest(t) + " s");
    load[1 + static_cast<Eigen::Index>(c)] = factor;
  }
}

void calc_factors(const Model& model, const Body& body, const MotionBasis& basis, const LoadCases& cases, double t,
                  FactorValues& f) {
  f.w.setZero(static_cast<Eigen::Index>(basis.axes.size()));
  f.e.setZero(f.w.size());
  f.a.setZero(static_cast<Eigen::Index>(basis.accelerations.size()));
  const double folded = body.motion.has_table() ? find_table_time(body, t) : t;
  calc_load_factors(body, cases, t, folded, f.load);
  switch (body.motion.kind) {
    case Motion::Kind::spin:
      f.w[0] = body.motion.speed;
      if (model.turns(body)) {
        calc_spin_gravity(model, body, t, f.a);
        break;
      }
      [[fallthrough]];
    case Motion::Kind::rest:
      if (f.a.size() > 0) f.a[0] = calc_gravity_acceleration(model, body).norm();
      break;
    case Motion::Kind::prescribed:
    case Motion::Kind::table:
    case Motion::Kind::mechanism:
      calc_motion_over_time(body, basis, folded, f);
      break;
  }
}

FactorValues calc_factors(const Model& model, const Body& body, const MotionBasis& basis, double t) {
  FactorValues f;
  calc_factors(model, body, basis, find_load_cases(body.loads), t, f);
  return f;
}

}  // namespace elodyn
