// Joints in the plane. d = P_b − P_a, ρ from the centre of a body to a point, ⊥ a quarter turn: ρ⊥ = (−ρ_y, ρ_x).
//   v_P = v_C + ω ρ⊥,   a_P = a_C + ω̇ ρ⊥ − ω² ρ
// For a direction e that is fixed in a, with ρ′ from the centre of a to P_b:
//   Φ = e·d,   Φ̇ = e·v_b + (ρ_b⊥·e) ω_b − e·v_a − (ρ′⊥·e) ω_a
//   Φ̈ − A v̇ = −ω_b² e·ρ_b + ω_a² e·ρ_a + 2 ω_a e⊥·ḋ − ω_a² e·d                                               (1)
// For e fixed in the world the terms of ω_a in (1) that come with e are not there, and ρ′ is ρ_a.
#include "elodyn/mechanism/mechanism.hpp"

namespace elodyn {
namespace {

struct Vec2 {
  double x = 0, y = 0;
  Vec2 operator+(Vec2 o) const { return {x + o.x, y + o.y}; }
  Vec2 operator-(Vec2 o) const { return {x - o.x, y - o.y}; }
  Vec2 operator*(double f) const { return {x * f, y * f}; }
};
double dot(Vec2 a, Vec2 b) { return a.x * b.x + a.y * b.y; }
Vec2 turn(Vec2 a) { return {-a.y, a.x}; }

struct End {
  Vec2 C, v, r, P, vP;  // r: from the centre to the point, world axes
  double w = 0, theta = 0;
  const BodyPose* pose = nullptr;
  Vec2 rotate(double x, double y) const { return {pose->c * x - pose->s * y, pose->s * x + pose->c * y}; }
};

End make_end(const Mechanism::Side& side, const MechanismInstant& at) {
  End end;
  end.pose = &at.poses[static_cast<size_t>(side.body)];
  end.C = {end.pose->C[0], end.pose->C[1]};
  end.v = {end.pose->v[0], end.pose->v[1]};
  end.w = end.pose->w[2];
  end.theta = end.pose->theta;
  end.r = end.rotate(side.r[0], side.r[1]);
  end.P = end.C + end.r;
  end.vP = end.v + turn(end.r) * end.w;
  return end;
}

void put(double* row, Vec2 e, double moment) {
  row[0] = e.x;
  row[1] = e.y;
  row[2] = moment;
}

}  // namespace

void Mechanism::evaluate_planar(const JointBlock& joint, MechanismInstant& at) const {
  const End a = make_end(joint.a, at), b = make_end(joint.b, at);
  double scratch[6];  // rows of the ground go nowhere
  const auto entries = [&](RowMatrix& rows, int row, int body) {
    return body < n_bodies() ? &rows(row, bodies_[static_cast<size_t>(body)].v0) : scratch;
  };
  const Vec2 d = b.P - a.P, d_rate = b.vP - a.vP;
  const Vec2 whirl = b.r * (-b.w * b.w) + a.r * (a.w * a.w);  // part of the relative acceleration without v̇

  // e fixed in the world
  const auto hold_world = [&](int row, Vec2 e) {
    at.phi[row] = dot(e, d);
    put(entries(at.A, row, joint.b.body), e, dot(turn(b.r), e));
    put(entries(at.A, row, joint.a.body), e * -1, -dot(turn(a.r), e));
    at.gamma[row] = -dot(e, whirl);
  };
  // e fixed in a, the rows of `rows`; returns the bias (1)
  const auto along_a = [&](RowMatrix& rows, int row, Vec2 e) {
    put(entries(rows, row, joint.b.body), e, dot(turn(b.r), e));
    put(entries(rows, row, joint.a.body), e * -1, -dot(turn(b.P - a.C), e));
    return dot(e, whirl) + 2 * a.w * dot(turn(e), d_rate) - a.w * a.w * dot(e, d);
  };
  const auto hold_along_a = [&](int row, Vec2 e, double value) {
    at.phi[row] = dot(e, d) - value;
    at.gamma[row] = -along_a(at.A, row, e);
  };
  const auto hold_angle = [&](int row) {
    at.phi[row] = b.theta - a.theta - joint.offset;
    put(entries(at.A, row, joint.b.body), {}, 1);
    put(entries(at.A, row, joint.a.body), {}, -1);
    at.gamma[row] = 0;
  };
  const auto measure_angle = [&](int x) {
    at.x[x] = b.theta - a.theta - joint.offset;
    at.x_rate[x] = b.w - a.w;
    put(entries(at.J, x, joint.b.body), {}, 1);
    put(entries(at.J, x, joint.a.body), {}, -1);
    at.bias[x] = 0;
  };
  const auto measure_along_a = [&](int x, Vec2 e) {
    at.x[x] = dot(e, d);
    at.x_rate[x] = dot(e, d_rate) + a.w * dot(turn(e), d);
    at.bias[x] = along_a(at.J, x, e);
  };

  const int row = joint.first_row, x = joint.first_x, speed_row = joint.first_speed_row;
  const auto axis_of = [](const End& end, const Side& side) { return end.rotate(side.axes(0, 2), side.axes(1, 2)); };
  switch (joint.kind) {
    case Joint::Kind::revolute:
      hold_world(row, {1, 0});
      hold_world(row + 1, {0, 1});
      measure_angle(x);
      break;
    case Joint::Kind::fixed:
      hold_world(row, {1, 0});
      hold_world(row + 1, {0, 1});
      hold_angle(row + 2);
      break;
    case Joint::Kind::prismatic: {
      const Vec2 e = axis_of(a, joint.a);
      hold_along_a(row, turn(e), 0);
      hold_angle(row + 1);
      measure_along_a(x, e);
      break;
    }
    case Joint::Kind::point_on_line: {
      const Vec2 e = axis_of(a, joint.a);
      hold_along_a(row, turn(e), 0);
      measure_along_a(x, e);
      break;
    }
    case Joint::Kind::rolling: {
      // The contact K = P_b − R n moves with P_b, so its arm on b is ρ_b − R n and turns with a.
      const Vec2 e = axis_of(a, joint.a), n = turn(e);
      hold_along_a(row, n, joint.radius);
      measure_along_a(x, e);
      const Vec2 arm_b = b.r - n * joint.radius, arm_a = b.P - n * joint.radius - a.C;
      put(entries(at.A, speed_row, joint.b.body), e, dot(turn(arm_b), e));
      put(entries(at.A, speed_row, joint.a.body), e * -1, -dot(turn(arm_a), e));
      // s = e·(v_b + ω_b arm_b⊥ − v_a − ω_a arm_a⊥), differentiated with v̇ = 0
      const Vec2 n_rate = turn(n) * a.w, e_rate = turn(e) * a.w;
      const Vec2 arm_b_rate = turn(b.r) * b.w - n_rate * joint.radius;
      const Vec2 arm_a_rate = b.vP - n_rate * joint.radius - a.v;
      const Vec2 slip = b.v + turn(arm_b) * b.w - a.v - turn(arm_a) * a.w;
      at.gamma[speed_row] = -(dot(e_rate, slip) + dot(e, turn(arm_b_rate) * b.w - turn(arm_a_rate) * a.w));
      break;
    }
    case Joint::Kind::knife_edge: {
      // s = n·(v_Pb − v_a − ω_a ρ′⊥), n across the edge, fixed in b
      const Vec2 n = turn(axis_of(b, joint.b)), arm = b.P - a.C;
      put(entries(at.A, speed_row, joint.b.body), n, dot(turn(b.r), n));
      put(entries(at.A, speed_row, joint.a.body), n * -1, -dot(turn(arm), n));
      const Vec2 slip = b.vP - a.v - turn(arm) * a.w;
      at.gamma[speed_row] = -(dot(turn(n) * b.w, slip) + dot(n, b.r * (-b.w * b.w) - turn(b.vP - a.v) * a.w));
      break;
    }
    case Joint::Kind::cylindrical:
    case Joint::Kind::universal:
    case Joint::Kind::spherical:
      ELODYN_REQUIRE(false && "a spatial joint between planar bodies");
  }
}

}  // namespace elodyn
