#include "elodyn/mechanism/liaison.hpp"

#include <cmath>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

// Generalised force on a body as a wrench at a point of it (1).
Wrench make_wrench(const Mechanism& mechanism, const MechanismInstant& at, const Mechanism::Side& side,
                   const Vec6& load) {
  Wrench out;
  if (side.body == mechanism.n_bodies()) return out;
  const BodyPose& pose = at.poses[static_cast<size_t>(side.body)];
  if (mechanism.is_planar()) {
    out.force << load[0], load[1], 0;
    out.moment << 0, 0, load[2];
  } else {
    out.force = load.head<3>();
    out.moment = pose.R * load.tail<3>();
  }
  out.moment -= (mechanism.calc_point(at, side) - pose.C).cross(out.force);
  return out;
}

Vec6 pick(const Mechanism& mechanism, const Mechanism::Side& side, const auto& row) {
  Vec6 out = Vec6::Zero();
  if (side.body == mechanism.n_bodies()) return out;
  const auto& body = mechanism.bodies()[static_cast<size_t>(side.body)];
  for (int k = 0; k < (mechanism.is_planar() ? 3 : 6); ++k) out[k] = row[body.v0 + k];
  return out;
}

// The ground feels the opposite of what the other body feels, moved to its own point.
void add_ground(const Mechanism& mechanism, const Mechanism::JointBlock& joint, const Vec3& point_a,
                const Vec3& point_b, Wrench& on_a, Wrench& on_b) {
  if (joint.a.body == mechanism.n_bodies()) {
    on_a.force = -on_b.force;
    on_a.moment = -on_b.moment - (point_b - point_a).cross(on_b.force);
  } else if (joint.b.body == mechanism.n_bodies()) {
    on_b.force = -on_a.force;
    on_b.moment = -on_a.moment - (point_a - point_b).cross(on_a.force);
  }
}

// For the rows of one joint.
void for_rows(const Mechanism::JointBlock& joint, auto&& function) {
  for (int i = joint.first_row; i < joint.first_row + joint.n_rows; ++i) function(i);
  for (int i = joint.first_speed_row; i < joint.first_speed_row + joint.n_speed_rows; ++i) function(i);
}

}  // namespace

void calc_joint_loads(const Mechanism& mechanism, const MechanismInstant& at, const VectorX& lambda,
                      const VectorX& friction, std::vector<JointLoad>& loads) {
  loads.assign(mechanism.joints().size(), {});
  for (size_t j = 0; j < mechanism.joints().size(); ++j) {
    const auto& joint = mechanism.joints()[j];
    JointLoad& load = loads[j];
    load.point_a = mechanism.calc_point(at, joint.a);
    load.point_b = mechanism.calc_point(at, joint.b);
    Vec6 a = Vec6::Zero(), b = Vec6::Zero();
    for_rows(joint, [&](int i) {
      a += lambda[i] * pick(mechanism, joint.a, at.A.row(i));
      b += lambda[i] * pick(mechanism, joint.b, at.A.row(i));
    });
    load.reaction_a = make_wrench(mechanism, at, joint.a, a);
    load.reaction_b = make_wrench(mechanism, at, joint.b, b);
    add_ground(mechanism, joint, load.point_a, load.point_b, load.reaction_a, load.reaction_b);
    a.setZero();
    b.setZero();
    for (int x = joint.first_x; x < joint.first_x + joint.n_x; ++x) {
      double force = at.x_force[x] + friction[x];
      for (const auto& driver : mechanism.drivers())
        if (driver.x == x) force += lambda[driver.row];
      for (const auto& gear : mechanism.gears()) {
        if (gear.x1 == x) force += lambda[gear.row];
        if (gear.x2 == x) force -= gear.ratio * lambda[gear.row];
      }
      a += force * pick(mechanism, joint.a, at.J.row(x));
      b += force * pick(mechanism, joint.b, at.J.row(x));
    }
    load.applied_a = make_wrench(mechanism, at, joint.a, a);
    load.applied_b = make_wrench(mechanism, at, joint.b, b);
    add_ground(mechanism, joint, load.point_a, load.point_b, load.applied_a, load.applied_b);
  }
}

Wrench calc_row_wrench(const Mechanism& mechanism, const MechanismInstant& at, const Mechanism::Side& side,
                       const RowMatrix& rows, int row) {
  return make_wrench(mechanism, at, side, pick(mechanism, side, rows.row(row)));
}

void calc_point_loads(const Mechanism& mechanism, const MechanismInstant& at, std::vector<PointLoad>& loads) {
  loads.clear();
  const auto add = [&](int source, const Mechanism::Side& side, bool is_on_a, const Vec3& force, const Vec3& moment) {
    if (side.body < mechanism.n_bodies()) loads.push_back({source, side, is_on_a, force, moment});
  };
  for (size_t i = 0; i < mechanism.sources().size(); ++i) {
    const auto& source = mechanism.sources()[i];
    const int k = static_cast<int>(i);
    if (source.kind == Mechanism::Source::Kind::point_force) {
      add(k, source.b, false, Vec3(source.force[0](at.t), source.force[1](at.t), source.force[2](at.t)),
          Vec3(source.moment[0](at.t), source.moment[1](at.t), source.moment[2](at.t)));
    } else if (source.kind == Mechanism::Source::Kind::spring) {
      const Vec3 between = mechanism.calc_point(at, source.b) - mechanism.calc_point(at, source.a);
      const Vec3 pull = between.norm() > 0 ? Vec3(at.source[k] * between.normalized()) : Vec3(Vec3::Zero());
      add(k, source.a, true, pull, Vec3::Zero());
      add(k, source.b, false, -pull, Vec3::Zero());
    }
  }
}

std::vector<Determined> find_determined(const Mechanism& mechanism, const MechanismInstant& at) {
  Determined all;
  all.fill(true);
  std::vector<Determined> out(mechanism.joints().size(), all);
  const VectorX inverse = mechanism.units().cwiseInverse();
  const MatrixX scaled = at.A * inverse.asDiagonal();
  if (scaled.rows() == 0) return out;
  constexpr double kZero = 1e-16, kReached = 1e-7;  // squares of lengths; lengths
  const MatrixX N = null_space(scaled * scaled.transpose(), kZero);
  std::vector<JointLoad> loads;
  const VectorX friction = VectorX::Zero(mechanism.n_x());
  MechanismInstant bare = at;
  bare.x_force.setZero();
  for (Eigen::Index k = 0; k < N.cols(); ++k) {
    calc_joint_loads(mechanism, bare, N.col(k), friction, loads);
    for (size_t j = 0; j < loads.size(); ++j)
      for (int c = 0; c < 3; ++c) {
        if (std::abs(loads[j].reaction_b.force[c]) > kReached) out[j][static_cast<size_t>(c)] = false;
        if (std::abs(loads[j].reaction_b.moment[c]) > kReached * mechanism.size())
          out[j][static_cast<size_t>(3 + c)] = false;
      }
  }
  return out;
}

std::vector<JointHistory> calc_joint_histories(const Mechanism& mechanism, const MechanismMotion& motion,
                                               const RowChoice& rows) {
  const auto n = static_cast<Eigen::Index>(motion.times.size());
  std::vector<JointHistory> out(mechanism.joints().size());
  for (JointHistory& joint : out)
    for (Matrix6X* part : {&joint.world, &joint.body, &joint.world_a, &joint.body_a}) part->resize(6, n);
  MechanismInstant at = mechanism.make_instant();
  std::vector<JointLoad> loads;
  for (Eigen::Index k = 0; k < n; ++k) {
    mechanism.evaluate({motion.times[static_cast<size_t>(k)], motion.q.col(k), motion.v.col(k), motion.x.col(k)}, at);
    calc_joint_loads(mechanism, at, motion.lambda.col(k), motion.friction.col(k), loads);
    const auto determined = rows.redundant.empty() ? std::vector<Determined>{} : find_determined(mechanism, at);
    for (size_t j = 0; j < out.size(); ++j) {
      const auto& joint = mechanism.joints()[j];
      const Wrench a = loads[j].total_a(), b = loads[j].total_b();
      const Mat3 R_a = mechanism.calc_R(at, joint.a.body), R_b = mechanism.calc_R(at, joint.b.body);
      out[j].world.col(k) << b.force, b.moment;
      out[j].body.col(k) << R_b.transpose() * b.force, R_b.transpose() * b.moment;
      out[j].world_a.col(k) << a.force, a.moment;
      out[j].body_a.col(k) << R_a.transpose() * a.force, R_a.transpose() * a.moment;
      for (size_t c = 0; c < 6 && !determined.empty(); ++c)
        out[j].determined[c] = out[j].determined[c] && determined[j][c];
      if (b.force.norm() > out[j].peak_force) {
        out[j].peak_force = b.force.norm();
        out[j].time_of_peak = motion.times[static_cast<size_t>(k)];
      }
      out[j].peak_moment = std::max(out[j].peak_moment, b.moment.norm());
    }
  }
  const double duration = n > 1 ? motion.times.back() - motion.times.front() : 0;
  for (JointHistory& joint : out) {
    double force = 0, moment = 0;
    for (Eigen::Index k = 0; k + 1 < n; ++k) {
      const double h = motion.times[static_cast<size_t>(k + 1)] - motion.times[static_cast<size_t>(k)];
      force += 0.5 * h * (joint.world.col(k).head<3>().squaredNorm() + joint.world.col(k + 1).head<3>().squaredNorm());
      moment += 0.5 * h * (joint.world.col(k).tail<3>().squaredNorm() + joint.world.col(k + 1).tail<3>().squaredNorm());
    }
    joint.rms_force = duration > 0 ? std::sqrt(force / duration) : joint.peak_force;
    joint.rms_moment = duration > 0 ? std::sqrt(moment / duration) : joint.peak_moment;
  }
  return out;
}

}  // namespace elodyn
