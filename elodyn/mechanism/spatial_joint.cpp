// Joints in space. d = P_b − P_a; ρ from the centre of a body to a point; x, y, z the axes of the joint on a body,
// world components; ρ′ from the centre of a to P_b. Three kinds of holonomic rows, with what Φ̈ has without v̇ (bias):
//   e fixed in the world   Φ = e·d         ω_b: ρ_b × e, ω_a: −ρ_a × e          e·(c_b − c_a),  c = ω × (ω × ρ)     (1)
//   u fixed in a           Φ = u·d         ω_b: ρ_b × u, ω_a: −ρ′ × u           u·(c_b − c_a) + 2 u̇·ḋ + d·ω_a × u̇  (2)
//   u fixed in a, w in b   Φ = u·w         ω_b: w × u,   ω_a: −w × u            u·ω_b × ẇ + w·ω_a × u̇ + 2 u̇·ẇ       (3)
// Rows of ω are turned to body axes.
#include <cmath>

#include "elodyn/mechanism/mechanism.hpp"

namespace elodyn {
namespace {

struct End {
  const BodyPose* pose = nullptr;
  Vec3 r, P, vP, whirl;  // whirl: ω × (ω × ρ)
  Mat3 axes;
  Vec3 x() const { return axes.col(0); }
  Vec3 y() const { return axes.col(1); }
  Vec3 z() const { return axes.col(2); }
};

End make_end(const Mechanism::Side& side, const MechanismInstant& at) {
  End end;
  end.pose = &at.poses[static_cast<size_t>(side.body)];
  end.r = end.pose->R * side.r;
  end.P = end.pose->C + end.r;
  const Vec3 turn = end.pose->w.cross(end.r);
  end.vP = end.pose->v + turn;
  end.whirl = end.pose->w.cross(turn);
  end.axes = end.pose->R * side.axes;
  return end;
}

}  // namespace

void Mechanism::evaluate_spatial(const JointBlock& joint, MechanismInstant& at) const {
  const End a = make_end(joint.a, at), b = make_end(joint.b, at);
  const Vec3 &wa = a.pose->w, &wb = b.pose->w;
  const auto put = [&](RowMatrix& rows, int row, int body, const Vec3& e, const Vec3& moment) {
    if (body == n_bodies()) return;
    const int at_column = bodies_[static_cast<size_t>(body)].v0;
    rows.block<1, 3>(row, at_column) = e.transpose();
    rows.block<1, 3>(row, at_column + 3) = (at.poses[static_cast<size_t>(body)].R.transpose() * moment).transpose();
  };
  const Vec3 d = b.P - a.P, d_rate = b.vP - a.vP, arm = b.P - a.pose->C;

  const auto hold_world = [&](int row, const Vec3& e) {  // (1)
    at.phi[row] = e.dot(d);
    put(at.A, row, joint.b.body, e, b.r.cross(e));
    put(at.A, row, joint.a.body, -e, -a.r.cross(e));
    at.gamma[row] = -e.dot(b.whirl - a.whirl);
  };
  const auto along_a = [&](RowMatrix& rows, int row, const Vec3& u) {  // (2)
    put(rows, row, joint.b.body, u, b.r.cross(u));
    put(rows, row, joint.a.body, -u, -arm.cross(u));
    const Vec3 u_rate = wa.cross(u);
    return u.dot(b.whirl - a.whirl) + 2 * u_rate.dot(d_rate) + d.dot(wa.cross(u_rate));
  };
  const auto hold_along_a = [&](int row, const Vec3& u) {
    at.phi[row] = u.dot(d);
    at.gamma[row] = -along_a(at.A, row, u);
  };
  const auto hold_across = [&](int row, const Vec3& u, const Vec3& w) {  // (3)
    at.phi[row] = u.dot(w);
    const Vec3 moment = w.cross(u), u_rate = wa.cross(u), w_rate = wb.cross(w);
    put(at.A, row, joint.b.body, Vec3::Zero(), moment);
    put(at.A, row, joint.a.body, Vec3::Zero(), -moment);
    at.gamma[row] = -(u.dot(wb.cross(w_rate)) + w.dot(wa.cross(u_rate)) + 2 * u_rate.dot(w_rate));
  };
  const auto measure_along_a = [&](int x, const Vec3& u) {
    at.x[x] = u.dot(d);
    at.x_rate[x] = u.dot(d_rate) + wa.cross(u).dot(d);
    at.bias[x] = along_a(at.J, x, u);
  };
  // Speed about an axis u that turns with u_rate.
  const auto measure_angle = [&](int x, double angle, const Vec3& u, const Vec3& u_rate) {
    at.x[x] = angle;
    at.x_rate[x] = u.dot(wb - wa);
    put(at.J, x, joint.b.body, Vec3::Zero(), u);
    put(at.J, x, joint.a.body, Vec3::Zero(), -u);
    at.bias[x] = u_rate.dot(wb - wa);
  };
  const auto hold_point = [&](int row) {
    for (int k = 0; k < 3; ++k) hold_world(row + k, Vec3::Unit(k));
  };
  const auto hold_axis = [&](int row) {
    hold_across(row, a.x(), b.z());
    hold_across(row + 1, a.y(), b.z());
  };
  const auto measure_turn = [&](int x) {
    measure_angle(x, std::atan2(b.x().dot(a.y()), b.x().dot(a.x())), a.z(), wa.cross(a.z()));
  };

  const int row = joint.first_row, x = joint.first_x, speed_row = joint.first_speed_row;
  switch (joint.kind) {
    case Joint::Kind::revolute:
      hold_point(row);
      hold_axis(row + 3);
      measure_turn(x);
      break;
    case Joint::Kind::prismatic:
      hold_along_a(row, a.x());
      hold_along_a(row + 1, a.y());
      hold_axis(row + 2);
      hold_across(row + 4, a.x(), b.y());
      measure_along_a(x, a.z());
      break;
    case Joint::Kind::cylindrical:
      hold_along_a(row, a.x());
      hold_along_a(row + 1, a.y());
      hold_axis(row + 2);
      measure_along_a(x, a.z());
      measure_turn(x + 1);
      break;
    case Joint::Kind::universal:
      hold_point(row);
      hold_across(row + 3, a.z(), b.z());
      measure_angle(x, std::atan2(b.z().dot(a.y()), b.z().dot(a.x())), a.z(), wa.cross(a.z()));
      measure_angle(x + 1, std::atan2(b.z().cross(a.z()).dot(b.x()), a.z().dot(b.x())), b.z(), wb.cross(b.z()));
      break;
    case Joint::Kind::spherical:
      hold_point(row);
      break;
    case Joint::Kind::fixed:
      hold_point(row);
      hold_axis(row + 3);
      hold_across(row + 5, a.x(), b.y());
      break;
    case Joint::Kind::point_on_line:
      hold_along_a(row, a.x());
      hold_along_a(row + 1, a.y());
      measure_along_a(x, a.z());
      break;
    case Joint::Kind::rolling: {
      // Contact K = P_b + R e, e = −(n − s u)/c towards the plane, s = n·u, c² = 1 − s²; no slip there in any
      // direction.
      const Vec3 n = a.z(), u = b.z(), n_rate = wa.cross(n), u_rate = wb.cross(u);
      const double s = n.dot(u), c = std::sqrt(std::max(1e-300, 1 - s * s));
      const double s_rate = n_rate.dot(u) + n.dot(u_rate), c_rate = -s * s_rate / c;
      const Vec3 across = n - s * u, e = -across / c;
      const Vec3 e_rate = -(n_rate - s_rate * u - s * u_rate) / c + across * (c_rate / (c * c));
      const Vec3 arm_b = b.r + joint.radius * e, arm_a = arm + joint.radius * e;
      const Vec3 K_rate = b.vP + joint.radius * e_rate;
      const Vec3 slip = b.pose->v + wb.cross(arm_b) - a.pose->v - wa.cross(arm_a);
      const Vec3 bias = wb.cross(K_rate - b.pose->v) - wa.cross(K_rate - a.pose->v);
      const auto hold_slip = [&](int at_row, const Vec3& along) {
        put(at.A, at_row, joint.b.body, along, arm_b.cross(along));
        put(at.A, at_row, joint.a.body, -along, -arm_a.cross(along));
        at.gamma[at_row] = -(wa.cross(along).dot(slip) + along.dot(bias));
      };
      at.phi[row] = n.dot(d) - joint.radius * c;
      hold_slip(row, n);
      hold_slip(speed_row, a.x());
      hold_slip(speed_row + 1, a.y());
      break;
    }
    case Joint::Kind::knife_edge: {
      const Vec3 n = a.z().cross(b.z()), n_rate = wa.cross(a.z()).cross(b.z()) + a.z().cross(wb.cross(b.z()));
      put(at.A, speed_row, joint.b.body, n, b.r.cross(n));
      put(at.A, speed_row, joint.a.body, -n, -arm.cross(n));
      const Vec3 slip = b.vP - a.pose->v - wa.cross(arm);
      at.gamma[speed_row] = -(n_rate.dot(slip) + n.dot(b.whirl - wa.cross(b.vP - a.pose->v)));
      break;
    }
  }
}

}  // namespace elodyn
