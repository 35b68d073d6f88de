#include "elodyn/mechanism/balance.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using Index = Eigen::Index;
constexpr double kRank = 1e-9;

// The force of this name now comes from a driver, with others of the same coordinate.
void add_unknown(std::vector<Driver>& drivers, const std::string& name, const Located<std::string>& joint,
                 int coordinate) {
  for (Driver& driver : drivers)
    if (driver.joint.value == joint.value && driver.coordinate == coordinate) {
      driver.name += " + " + name;
      return;
    }
  Driver& driver = drivers.emplace_back();
  driver.name = name;
  driver.joint = joint;
  driver.coordinate = coordinate;
  driver.position = Expression(0);
}

}  // namespace

Model ForceBalance::make_model(const Model& model, const std::vector<std::string>& trust) {
  Model out = model;
  const auto is_trusted = [&](const std::string& name) {
    return std::find(trust.begin(), trust.end(), name) != trust.end();
  };
  out.drivers.clear();
  for (const Driver& driver : model.drivers) add_unknown(out.drivers, driver.name, driver.joint, driver.coordinate);
  std::erase_if(out.motors, [&](const Motor& motor) {
    if (is_trusted(motor.name)) return false;
    add_unknown(out.drivers, motor.name, motor.joint, motor.coordinate);
    return true;
  });
  std::erase_if(out.forces, [&](const MechanismForce& force) {
    if (force.joint.value.empty() || is_trusted(force.name)) return false;
    add_unknown(out.drivers, force.name, force.joint, force.coordinate);
    return true;
  });
  for (Joint& joint : out.joints)
    if (joint.friction) joint.friction->coulomb = 0;
  return out;
}

ForceBalance::ForceBalance(const Mechanism& mechanism, MechanismState start, std::vector<bool> is_known, bool completes)
    : mechanism_(mechanism), start_(std::move(start)), is_known_(std::move(is_known)), completes_(completes) {
  std::set<int> driven;
  for (const auto& driver : mechanism.drivers()) driven.insert(driver.row);
  for (int row = 0; row < mechanism.n_rows(); ++row)
    if (driven.count(row) == 0) kinematic_.push_back(row);
  if (completes_) is_known_.assign(is_known_.size(), true);
}

void ForceBalance::put(const std::vector<KnownMotion>& known, MechanismState& state, VectorX& acceleration) const {
  constexpr double kTurn = 2 * std::numbers::pi;
  for (const KnownMotion& motion : known) {
    const auto& body = mechanism_.bodies()[static_cast<size_t>(motion.body)];
    if (mechanism_.is_planar()) {
      const double before = state.q[body.q0 + 2];
      state.q.segment<3>(body.q0) << motion.C[0], motion.C[1],
          motion.angle + kTurn * std::round((before - motion.angle) / kTurn);
      state.v.segment<3>(body.v0) << motion.v[0], motion.v[1], motion.w[2];
      acceleration.segment<3>(body.v0) << motion.a[0], motion.a[1], motion.e[2];
    } else {
      const Eigen::Quaterniond q(motion.R);
      Eigen::Vector4d four(q.w(), q.x(), q.y(), q.z());
      if (four.dot(state.q.segment<4>(body.q0 + 3)) < 0) four = -four;
      state.q.segment<3>(body.q0) = motion.C;
      state.q.segment<4>(body.q0 + 3) = four;
      state.v.segment<6>(body.v0) << motion.v, motion.R.transpose() * motion.w;
      acceleration.segment<6>(body.v0) << motion.a, motion.R.transpose() * motion.e;
    }
  }
}

// (2): z with A z = rhs, nearest to what was measured.
VectorX ForceBalance::solve_constrained(const std::vector<KnownMotion>& known, int order, const VectorX& measured,
                                        const MatrixX& A, const VectorX& rhs) const {
  const VectorX units = mechanism_.units().cwiseInverse();  // z = units · (what has equal size)
  const MatrixX scaled = A * units.asDiagonal();
  const int n = mechanism_.n_v();
  const PivotedQr qr = pivoted_qr(scaled.transpose(), kRank);
  const MatrixX N = qr.Q.rightCols(n - qr.rank);
  const VectorX particular = scaled.rows() > 0 ? least_squares(scaled, rhs) : VectorX(VectorX::Zero(n));
  Index n_rows = 0;
  for (const KnownMotion& motion : known) n_rows += mechanism_.bodies()[static_cast<size_t>(motion.body)].n_v;
  MatrixX S = MatrixX::Zero(n_rows, n);
  VectorX target(n_rows);
  Index row = 0;
  MatrixX plain = MatrixX::Zero(n_rows, n);
  for (const KnownMotion& motion : known) {
    const auto& body = mechanism_.bodies()[static_cast<size_t>(motion.body)];
    MatrixX W = motion.whiten[order];
    if (W.size() == 0) W = MatrixX::Identity(body.n_v, body.n_v);
    S.block(row, body.v0, body.n_v, body.n_v) = W * units.segment(body.v0, body.n_v).asDiagonal();
    plain.block(row, body.v0, body.n_v, body.n_v).setIdentity();
    target.segment(row, body.n_v) = W * measured.segment(body.v0, body.n_v);
    row += body.n_v;
  }
  const PivotedQr seen = pivoted_qr((plain * N).transpose(), kRank);
  if (seen.rank < N.cols()) {
    // Motions that no measured body shows.
    const MatrixX hidden = N * seen.Q.rightCols(N.cols() - seen.rank);
    std::vector<std::string> names;
    for (const auto& body : mechanism_.bodies())
      if (hidden.middleRows(body.v0, body.n_v).norm() > 1e-6) names.push_back("`" + body.name + "`");
    throw NumericalError("the bodies that were measured do not show how " + join(names, ", ") +
                         (names.size() == 1 ? " moves" : " move") + ": film " +
                         (names.size() == 1 ? "it too" : "one of them too"));
  }
  const VectorX y = N.cols() > 0 ? least_squares(S * N, target - S * particular) : VectorX(0);
  return units.cwiseProduct(particular + N * y);
}

void ForceBalance::complete(const std::vector<KnownMotion>& known, MechanismState& state, VectorX& acceleration,
                            MechanismInstant& at) const {
  MechanismState measured = state;
  VectorX measured_a = acceleration;
  put(known, measured, measured_a);
  const auto pick = [&](const RowMatrix& all) {
    MatrixX out(static_cast<Index>(kinematic_.size()), all.cols());
    for (size_t i = 0; i < kinematic_.size(); ++i) out.row(static_cast<Index>(i)) = all.row(kinematic_[i]);
    return out;
  };
  const auto pick_vector = [&](const VectorX& all, bool holonomic) {
    VectorX out = VectorX::Zero(static_cast<Index>(kinematic_.size()));
    for (size_t i = 0; i < kinematic_.size(); ++i)
      if (!holonomic || kinematic_[i] < mechanism_.n_holonomic()) out[static_cast<Index>(i)] = all[kinematic_[i]];
    return out;
  };
  constexpr int kMostSteps = 30;
  constexpr double kClose = 1e-10;
  VectorX dq = VectorX::Zero(mechanism_.n_v());
  for (int step = 0;; ++step) {
    mechanism_.evaluate(state, at);
    // How far the measured bodies are from here, as small motions.
    VectorX gap = VectorX::Zero(mechanism_.n_v());
    for (const KnownMotion& motion : known) {
      const auto& body = mechanism_.bodies()[static_cast<size_t>(motion.body)];
      if (mechanism_.is_planar()) {
        gap.segment<3>(body.v0) = measured.q.segment<3>(body.q0) - state.q.segment<3>(body.q0);
      } else {
        const Mat3 R = mechanism_.calc_R(at, motion.body);
        const Eigen::AngleAxisd turn(R.transpose() * motion.R);
        gap.segment<6>(body.v0) << motion.C - state.q.segment<3>(body.q0), turn.angle() * turn.axis();
      }
    }
    dq = solve_constrained(known, 0, gap, pick(at.A), -pick_vector(at.phi, true));
    const double size = dq.cwiseProduct(mechanism_.units()).cwiseAbs().maxCoeff();
    if (!std::isfinite(size)) throw NumericalError(fmt::format("no position fits the film at t = {:.6g} s", state.t));
    mechanism_.add_step(state.q, dq);
    mechanism_.normalise(state.q);
    if (size <= kClose * mechanism_.size()) break;
    if (step == kMostSteps)
      throw NumericalError(fmt::format(
          "no position of the mechanism fits the film at t = {:.6g} s: are its lengths those of the stand?", state.t));
  }
  mechanism_.evaluate(state, at);
  state.v = solve_constrained(known, 1, measured.v, pick(at.A), pick_vector(at.b, false));
  mechanism_.evaluate(state, at);
  acceleration = solve_constrained(known, 2, measured_a, pick(at.A), pick_vector(at.gamma, false));
}

ForceBalance::Equations ForceBalance::make_equations(const MechanismInstant& at, const std::vector<bool>& is_known,
                                                     const std::vector<bool>& driver_is_known) const {
  Equations out;
  for (size_t b = 0; b < is_known.size(); ++b) {
    const auto& body = mechanism_.bodies()[b];
    for (int k = 0; is_known[b] && k < body.n_v; ++k) out.columns.push_back(body.v0 + k);
  }
  std::vector<bool> is_given(static_cast<size_t>(mechanism_.n_rows()), false);
  for (size_t d = 0; d < mechanism_.drivers().size(); ++d)
    is_given[static_cast<size_t>(mechanism_.drivers()[d].row)] = driver_is_known[d];
  for (int row = 0; row < mechanism_.n_rows(); ++row) {
    if (is_given[static_cast<size_t>(row)]) continue;
    const bool reaches = std::any_of(out.columns.begin(), out.columns.end(), [&](int c) { return at.A(row, c) != 0; });
    if (reaches) out.rows.push_back(row);
  }
  out.E.resize(static_cast<Index>(out.columns.size()), static_cast<Index>(out.rows.size()));
  for (size_t i = 0; i < out.columns.size(); ++i)
    for (size_t j = 0; j < out.rows.size(); ++j)
      out.E(static_cast<Index>(i), static_cast<Index>(j)) = at.A(out.rows[j], out.columns[i]);
  return out;
}

ForceBalance::Determinacy ForceBalance::find_determinacy(const MechanismState& state, const std::vector<bool>& is_known,
                                                         const std::vector<bool>& driver_is_known) const {
  MechanismInstant at = mechanism_.make_instant();
  mechanism_.evaluate(state, at);
  Equations equations = make_equations(at, is_known, driver_is_known);
  Determinacy out;
  out.n_equations = static_cast<int>(equations.columns.size());
  out.n_unknowns = static_cast<int>(equations.rows.size());
  Determined all, none;
  all.fill(true);
  none.fill(false);
  out.reached.assign(mechanism_.joints().size(), false);
  for (size_t j = 0; j < mechanism_.joints().size(); ++j) {
    const auto& joint = mechanism_.joints()[j];
    for (const int body : {joint.a.body, joint.b.body})
      if (body < mechanism_.n_bodies() && is_known[static_cast<size_t>(body)]) out.reached[j] = true;
    out.joints.push_back(out.reached[j] ? all : none);
  }
  out.drivers.assign(mechanism_.drivers().size(), false);
  for (size_t d = 0; d < out.drivers.size(); ++d)
    out.drivers[d] = driver_is_known[d] || std::find(equations.rows.begin(), equations.rows.end(),
                                                     mechanism_.drivers()[d].row) != equations.rows.end();
  if (equations.columns.empty() || equations.rows.empty()) return out;
  const VectorX units = mechanism_.units();
  for (size_t i = 0; i < equations.columns.size(); ++i)
    equations.E.row(static_cast<Index>(i)) /= units[equations.columns[i]];
  const PivotedQr qr = pivoted_qr(equations.E.transpose(), kRank);
  out.rank = qr.rank;
  const Index n_null = equations.E.cols() - qr.rank;
  MechanismInstant bare = at;
  bare.x_force.setZero();
  std::vector<JointLoad> loads;
  constexpr double kReached = 1e-7;
  for (Index k = 0; k < n_null; ++k) {
    VectorX lambda = VectorX::Zero(mechanism_.n_rows());
    for (size_t j = 0; j < equations.rows.size(); ++j)
      lambda[equations.rows[j]] = qr.Q(static_cast<Index>(j), qr.rank + k);
    calc_joint_loads(mechanism_, bare, lambda, VectorX::Zero(mechanism_.n_x()), loads);
    for (size_t j = 0; j < loads.size(); ++j) {
      // The opposite force acts on a: of a ground joint that side is made from the other.
      const Wrench total = loads[j].total_b();
      for (Index c = 0; c < 3; ++c) {
        if (std::abs(total.force[c]) > kReached) out.joints[j][static_cast<size_t>(c)] = false;
        if (std::abs(total.moment[c]) > kReached * mechanism_.size()) out.joints[j][static_cast<size_t>(3 + c)] = false;
      }
    }
    for (size_t d = 0; d < out.drivers.size(); ++d)
      if (std::abs(lambda[mechanism_.drivers()[d].row]) > kReached) out.drivers[d] = false;
  }
  return out;
}

ForceBalance::Solution ForceBalance::solve(double t, const std::vector<KnownMotion>& known,
                                           const MechanismState& near) const {
  Solution out;
  out.state = near;
  out.state.t = t;
  out.state.v.setZero();
  out.acceleration = VectorX::Zero(mechanism_.n_v());
  MechanismInstant at = mechanism_.make_instant();
  if (completes_)
    complete(known, out.state, out.acceleration, at);
  else
    put(known, out.state, out.acceleration);
  mechanism_.evaluate(out.state, at);
  out.state.x = at.x;
  const std::vector<bool> none(mechanism_.drivers().size(), false);
  Equations equations = make_equations(at, is_known_, none);
  VectorX load = -at.Q;
  mechanism_.add_mass_times(out.acceleration, load);
  VectorX rhs(static_cast<Index>(equations.columns.size()));
  const VectorX& units = mechanism_.units();
  for (size_t i = 0; i < equations.columns.size(); ++i) {
    const auto row = static_cast<Index>(i);
    rhs[row] = load[equations.columns[i]] / units[equations.columns[i]];
    equations.E.row(row) /= units[equations.columns[i]];
  }
  out.lambda = VectorX::Zero(mechanism_.n_rows());
  if (!equations.rows.empty()) {
    const VectorX lambda = least_squares(equations.E, rhs);
    for (size_t j = 0; j < equations.rows.size(); ++j) out.lambda[equations.rows[j]] = lambda[static_cast<Index>(j)];
  }
  calc_joint_loads(mechanism_, at, out.lambda, VectorX::Zero(mechanism_.n_x()), out.loads);
  return out;
}

}  // namespace elodyn
