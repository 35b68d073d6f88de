#include "elodyn/system/motion.hpp"

#include <cmath>

#include "elodyn/base/error.hpp"
#include "elodyn/base/text.hpp"

namespace elodyn {
namespace {

// −g in body axes; what lies out of a planar body's plane does nothing to it.
Vec3 calc_gravity_acceleration(const Model& model, const Body& body) {
  Vec3 a = -calc_R_WB(body).transpose() * model.gravity;
  if (body.dimension == 2) a[2] = 0;
  constexpr double kTiny = 1e-9;  // of an attitude given in decimals: gravity along the axis, but for that
  return a.norm() > kTiny * model.gravity.norm() ? a : Vec3::Zero();
}

double derive_angular_acceleration(const Body& body, double t) {
  const Expression& w = body.motion.angular_velocity[2];
  const Expression::Derivative e = w.derivative(t);
  if (!e.is_resolved(std::abs(e.value) + std::abs(w(t))))
    throw NumericalError("body `" + body.name + "`: angular_velocity[z] = \"" + w.text() +
                         "\" has no derivative that can be found at t = " + shortest(t) +
                         " s; give angular_acceleration");
  return e.value;
}

}  // namespace

MotionBasis make_motion_basis(const Model& model, const Body& body) {
  MotionBasis basis;
  const Vec3 gravity = calc_gravity_acceleration(model, body);
  const bool has_gravity = gravity.norm() > 0;
  switch (body.motion.kind) {
    case Motion::Kind::rest:
      if (has_gravity) basis.accelerations = {gravity.normalized()};
      break;
    case Motion::Kind::spin:
      basis.origin = body.motion.through;
      basis.axes = {body.motion.axis.normalized()};
      // Across the axis of a body that turns gravity would be periodic: validate() refuses it.
      ELODYN_REQUIRE(!has_gravity || body.motion.speed == 0);
      if (has_gravity) basis.accelerations = {gravity.normalized()};
      break;
    case Motion::Kind::prescribed:
      ELODYN_REQUIRE(!has_gravity);
      basis.axes = {Vec3::UnitZ()};
      basis.accelerations = {Vec3::UnitX(), Vec3::UnitY()};
      break;
    case Motion::Kind::table:
      ELODYN_REQUIRE(false);
  }
  return basis;
}

FactorValues calc_factors(const Model& model, const Body& body, const MotionBasis& basis, double t) {
  FactorValues f;
  f.w = VectorX::Zero(static_cast<Eigen::Index>(basis.axes.size()));
  f.e = f.w;
  f.a = VectorX::Zero(static_cast<Eigen::Index>(basis.accelerations.size()));
  f.load = VectorX::Ones(1);
  const Motion& motion = body.motion;
  switch (motion.kind) {
    case Motion::Kind::rest:
      if (f.a.size() > 0) f.a[0] = calc_gravity_acceleration(model, body).norm();
      break;
    case Motion::Kind::spin:
      f.w[0] = motion.speed;
      if (f.a.size() > 0) f.a[0] = calc_gravity_acceleration(model, body).norm();
      break;
    case Motion::Kind::prescribed:
      f.a << motion.acceleration[0](t), motion.acceleration[1](t);
      f.w[0] = motion.angular_velocity[2](t);
      f.e[0] =
          motion.angular_acceleration ? (*motion.angular_acceleration)[2](t) : derive_angular_acceleration(body, t);
      if (!f.a.allFinite() || !f.w.allFinite() || !f.e.allFinite())
        throw NumericalError("body `" + body.name + "`: the prescribed motion is not finite at t = " + shortest(t) +
                             " s");
      break;
    case Motion::Kind::table:
      ELODYN_REQUIRE(false);
  }
  return f;
}

}  // namespace elodyn
