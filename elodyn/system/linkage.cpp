#include "elodyn/system/linkage.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/rotation.hpp"

namespace elodyn {
namespace {

bool slides(Joint::Kind kind) { return kind == Joint::Kind::prismatic || kind == Joint::Kind::point_on_line; }

}  // namespace

// An entry of a matrix over the records, summed from several sources.
class Linkage::EntryHistories {
 public:
  explicit EntryHistories(size_t n_records) : n_records_(n_records) {}
  void add(int row, int column, size_t record, double value) {
    auto& values = entries_[{row, column}];
    if (values.empty()) values.resize(n_records_, 0.0);
    values[record] += value;
  }
  // block(i, j) at rows row + i, columns column + j.
  void add_block(int row, int column, size_t record, const MatrixX& block) {
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      for (Eigen::Index j = 0; j < block.cols(); ++j)
        if (block(i, j) != 0) add(row + static_cast<int>(i), column + static_cast<int>(j), record, block(i, j));
  }
  const std::map<std::pair<int, int>, std::vector<double>>& entries() const { return entries_; }

 private:
  size_t n_records_;
  std::map<std::pair<int, int>, std::vector<double>> entries_;
};

// ---- path ----

QuinticCourses::QuinticCourses(std::vector<double> times, MatrixX values, MatrixX rates, MatrixX seconds)
    : times_(std::move(times)), values_(std::move(values)), rates_(std::move(rates)), seconds_(std::move(seconds)) {
  ELODYN_REQUIRE(times_.size() >= 2);
}

void QuinticCourses::calc(double t, VectorX& value, VectorX& rate, VectorX& second) const {
  auto next = std::upper_bound(times_.begin(), times_.end(), t);
  next = std::clamp(next, times_.begin() + 1, times_.end() - 1);
  const auto k = static_cast<Eigen::Index>(next - times_.begin()) - 1;
  const double h = *next - *(next - 1), u = (t - *(next - 1)) / h, w = 1 - u, uu = u * u, ww = w * w;
  // Hermite's quintics of value, slope and curvature at the right end, in u; at the left end in w, the slope reversed.
  const auto sum = [&](double v0, double v1, double s0, double s1, double c0, double c1, double scale, VectorX& out) {
    out.noalias() = (scale * v0) * values_.col(k) + (scale * v1) * values_.col(k + 1) +
                    (scale * h * s0) * rates_.col(k) + (scale * h * s1) * rates_.col(k + 1) +
                    (scale * h * h * c0) * seconds_.col(k) + (scale * h * h * c1) * seconds_.col(k + 1);
  };
  const auto value_0 = [](double x, double xx) { return xx * x * (10 - x * (15 - 6 * x)); };
  const auto value_1 = [](double x, double xx) { return 30 * xx * (1 - x) * (1 - x); };
  const auto value_2 = [](double x) { return 60 * x * (1 - x) * (1 - 2 * x); };
  const auto slope_0 = [](double x, double xx) { return xx * x * (-4 + x * (7 - 3 * x)); };
  const auto slope_1 = [](double x, double xx) { return xx * (-12 + x * (28 - 15 * x)); };
  const auto slope_2 = [](double x) { return x * (-24 + x * (84 - 60 * x)); };
  const auto curvature_0 = [](double x, double xx) { return 0.5 * xx * x * (1 - x) * (1 - x); };
  const auto curvature_1 = [](double x, double xx) { return 0.5 * xx * (3 + x * (-8 + 5 * x)); };
  const auto curvature_2 = [](double x) { return x * (3 + x * (-12 + 10 * x)); };
  sum(value_0(w, ww), value_0(u, uu), -slope_0(w, ww), slope_0(u, uu), curvature_0(w, ww), curvature_0(u, uu), 1,
      value);
  sum(-value_1(w, ww), value_1(u, uu), slope_1(w, ww), slope_1(u, uu), -curvature_1(w, ww), curvature_1(u, uu), 1 / h,
      rate);
  sum(value_2(w), value_2(u), -slope_2(w), slope_2(u), curvature_2(w), curvature_2(u), 1 / (h * h), second);
}

void QuinticCourses::calc_beside(size_t record, double tau, VectorX& value) const {
  const auto k = static_cast<Eigen::Index>(record);
  value = values_.col(k) + tau * rates_.col(k) + 0.5 * tau * tau * seconds_.col(k);
}

RigidPath::RigidPath(const Mechanism& mechanism, const MechanismMotion& motion) : mechanism_(mechanism), x_(motion.x) {
  MatrixX rates(motion.q.rows(), motion.q.cols()), seconds(motion.q.rows(), motion.q.cols());
  VectorX rate(motion.q.rows()), second(motion.q.rows());
  for (Eigen::Index k = 0; k < motion.q.cols(); ++k) {
    mechanism.calc_q_rate(motion.q.col(k), motion.v.col(k), rate);
    mechanism.calc_q_second(motion.q.col(k), motion.v.col(k), motion.a.col(k), second);
    rates.col(k) = rate;
    seconds.col(k) = second;
  }
  q_ = QuinticCourses(motion.times, motion.q, std::move(rates), std::move(seconds));
}

void RigidPath::calc(double t, MechanismState& state) const {
  VectorX rate, second;
  q_.calc(t, state.q, rate, second);
  const auto& times = q_.times();
  const auto next = std::lower_bound(times.begin(), times.end(), t) - times.begin();
  set_rest(t, std::min<Eigen::Index>(next, x_.cols() - 1), state);
}

void RigidPath::calc_beside(size_t record, double tau, MechanismState& state) const {
  q_.calc_beside(record, tau, state.q);
  set_rest(q_.times()[record] + tau, static_cast<Eigen::Index>(record), state);
}

// Angles are counted on from those of a record.
void RigidPath::set_rest(double t, Eigen::Index record, MechanismState& state) const {
  state.t = t;
  state.v = VectorX::Zero(mechanism_.n_v());
  state.x = x_.col(record);
  mechanism_.normalise(state.q);
}

// ---- equation ----

Linkage::Linkage(const Mechanism& mechanism, const MechanismMotion& motion, const RowChoice& rows,
                 std::vector<Link> links)
    : mechanism_(mechanism), path_(mechanism, motion), links_(std::move(links)), at_(mechanism.make_instant()) {
  ELODYN_REQUIRE(!links_.empty());
  if (mechanism.n_rows() > mechanism.n_holonomic())
    for (const auto& joint : mechanism.joints())
      if (joint.n_speed_rows > 0)
        throw NumericalError(
            fmt::format("joint `{}` holds velocities only: [analysis.linkage] takes joints that hold positions; "
                        "[analysis.periodic] and [analysis.simulate] take each link for itself",
                        joint.name));
  count_bodies();
  make_ports();
  number_bodies();
  set_constant();
  make_rows();
  add_rigid_courses(motion, rows);
  make_joint_courses(motion);
}

void Linkage::count_bodies() {
  link_of_.assign(static_cast<size_t>(mechanism_.n_bodies()), -1);
  for (size_t l = 0; l < links_.size(); ++l) {
    const int body = mechanism_.find_body(links_[l].system->body->name);
    ELODYN_REQUIRE(body >= 0 && body < mechanism_.n_bodies());
    link_of_[static_cast<size_t>(body)] = static_cast<int>(l);
    n_ += links_[l].system->reduced.size();
  }
  for (size_t b = 0; b < link_of_.size(); ++b)
    if (link_of_[b] < 0) n_ += mechanism_.bodies()[b].n_v;
  if (n_ > kMostCoordinates)
    throw NumericalError(fmt::format(
        "the bodies of the mechanism have {} coordinates together; [analysis.linkage] takes up to {}: use fewer "
        "elements, or [analysis.periodic] for each link",
        n_, kMostCoordinates));
}

// Those of links that no joint sees come first, then the others and those of the rigid bodies.
void Linkage::number_bodies() {
  std::vector<std::vector<bool>> seen(links_.size());
  for (size_t l = 0; l < links_.size(); ++l)
    seen[l].assign(static_cast<size_t>(links_[l].system->reduced.size()), false);
  for (const auto& sides : ports_)
    for (const Port& port : sides)
      if (port.link >= 0)
        for (const int z : port.columns) seen[static_cast<size_t>(port.link)][static_cast<size_t>(z)] = true;
  place_.resize(link_of_.size());
  int next = 0;
  for (const bool is_seen : {false, true}) {
    if (is_seen) n_seen_ = n_ - next;
    for (size_t b = 0; b < link_of_.size(); ++b) {
      const auto l = static_cast<size_t>(link_of_[b]);
      const bool is_rigid = link_of_[b] < 0;
      place_[b].resize(is_rigid ? static_cast<size_t>(mechanism_.bodies()[b].n_v) : seen[l].size());
      for (size_t k = 0; k < place_[b].size(); ++k)
        if ((is_rigid || seen[l][k]) == is_seen) place_[b][k] = next++;
    }
  }
  for (auto& sides : ports_)
    for (Port& port : sides)
      for (int& column : port.columns) column = place_[static_cast<size_t>(port.body)][static_cast<size_t>(column)];
}

// What does not change: M, D and K of the links, M of the rigid bodies.
void Linkage::set_constant() {
  M_ = C_constant_ = K_constant_ = MatrixX::Zero(n_, n_);
  units_ = VectorX::Ones(n_);
  const MatrixX rigid = mechanism_.calc_mass();
  for (size_t b = 0; b < place_.size(); ++b) {
    const std::vector<int>& place = place_[b];
    if (link_of_[b] < 0) {
      const auto& block = mechanism_.bodies()[b];
      for (int i = 0; i < block.n_v; ++i) {
        units_[place[static_cast<size_t>(i)]] = mechanism_.units()[block.v0 + i];
        for (int k = 0; k < block.n_v; ++k)
          M_(place[static_cast<size_t>(i)], place[static_cast<size_t>(k)]) = rigid(block.v0 + i, block.v0 + k);
      }
      continue;
    }
    const Link& link = links_[static_cast<size_t>(link_of_[b])];
    const BodySystem& s = *link.system;
    if (link.damping.size() > 0) C_constant_(place, place) += link.damping;
    LinkSums sums;
    sums.rows = place;
    const SparsePattern& pattern = *s.reduced.pattern;
    for (int column = 0; column < pattern.size(); ++column)
      for (int k = pattern.column_begin(column); k < pattern.column_begin(column + 1); ++k)
        sums.place.push_back(static_cast<Eigen::Index>(place[static_cast<size_t>(column)]) * n_ +
                             place[static_cast<size_t>(pattern.row(k))]);
    for (const MatrixTerm& term : s.reduced.matrices) {
      const bool is_constant = term.factor.kind == Factor::Kind::one, on_velocity = acts_on_velocity(term.kind);
      ELODYN_REQUIRE(is_constant || term.kind != TermKind::mass);
      if (!is_constant) {
        (on_velocity ? sums.velocity : sums.stiffness).push_back(&term);
        continue;
      }
      MatrixX& into = term.kind == TermKind::mass ? M_ : on_velocity ? C_constant_ : K_constant_;
      for (size_t k = 0; k < sums.place.size(); ++k)
        into.data()[sums.place[k]] += term.coefficient * term.values[static_cast<Eigen::Index>(k)];
    }
    sums_.push_back(std::move(sums));
    for (int k = 0; k < s.reduced.size(); ++k) {
      const DofKind kind = s.mesh.dofs[static_cast<size_t>(s.constraints.full_of_reduced(k))].kind;
      if (std::find(kTranslations.begin(), kTranslations.end(), kind) == kTranslations.end())
        units_[place[static_cast<size_t>(k)]] = mechanism_.size();
    }
  }
}

void Linkage::make_ports() {
  const auto make = [&](const Mechanism::Side& side, const std::string& point) {
    Port out;
    out.body = side.body;
    if (side.body == mechanism_.n_bodies()) return out;
    out.link = link_of_[static_cast<size_t>(side.body)];
    if (out.link < 0) return out;
    const BodySystem& s = *links_[static_cast<size_t>(out.link)].system;
    const Node& node = s.mesh.nodes[static_cast<size_t>(s.mesh.node_of_point.at(point))];
    const MatrixX T = MatrixX(s.constraints.T());
    const auto pick = [&](const std::array<int, 3>& dofs) {
      RowMatrix rows = RowMatrix::Zero(3, T.cols());
      for (size_t i = 0; i < 3; ++i)
        if (dofs[i] >= 0) rows.row(static_cast<Eigen::Index>(i)) = T.row(dofs[i]);
      return rows;
    };
    const std::array<int, 3> turns = node.rotations();
    const RowMatrix displacement = pick(node.translations()), rotation = pick(turns);
    out.turns = mechanism_.is_planar() ? turns[2] >= 0 : *std::min_element(turns.begin(), turns.end()) >= 0;
    for (int z = 0; z < T.cols(); ++z)
      if (!displacement.col(z).isZero(0) || !rotation.col(z).isZero(0)) out.columns.push_back(z);
    out.displacement = displacement(Eigen::all, out.columns);
    out.rotation = rotation(Eigen::all, out.columns);
    return out;
  };
  const Model& model = *links_.front().system->model;
  for (size_t j = 0; j < mechanism_.joints().size(); ++j) {
    const auto& joint = mechanism_.joints()[j];
    const auto point = [](const Located<std::string>& name) { return parse_body_point(name.value)->point; };
    ports_.push_back({make(joint.a, point(model.joints[j].a)), make(joint.b, point(model.joints[j].b))});
  }
}

int Linkage::joint_of(int x) const {
  for (size_t j = 0; j < mechanism_.joints().size(); ++j) {
    const auto& joint = mechanism_.joints()[j];
    if (x >= joint.first_x && x < joint.first_x + joint.n_x) return static_cast<int>(j);
  }
  ELODYN_REQUIRE(false);
  return -1;
}

void Linkage::make_rows() {
  for (size_t j = 0; j < mechanism_.joints().size(); ++j) {
    const auto& joint = mechanism_.joints()[j];
    for (int i = joint.first_row; i < joint.first_row + joint.n_rows; ++i)
      rows_.push_back({mechanism_.row_name(i), {{static_cast<int>(j), i, false, 1}}});
  }
  for (const auto& gear : mechanism_.gears())
    rows_.push_back({mechanism_.row_name(gear.row),
                     {{joint_of(gear.x1), gear.x1, true, 1}, {joint_of(gear.x2), gear.x2, true, -gear.ratio}}});
  for (const auto& driver : mechanism_.drivers())
    rows_.push_back({mechanism_.row_name(driver.row), {{joint_of(driver.x), driver.x, true, 1}}});
  add_held_rows();
}

// One coordinate of a joint for each freedom that the rigid mechanism has left.
void Linkage::add_held_rows() {
  path_.calc_beside(0, 0, state_);
  mechanism_.evaluate(state_, at_);
  std::vector<int> candidates;
  const auto add = [&](int x) {
    if (std::find(candidates.begin(), candidates.end(), x) == candidates.end()) candidates.push_back(x);
  };
  for (const auto& source : mechanism_.sources())
    if (source.kind == Mechanism::Source::Kind::motor) add(source.x);
  for (const auto& joint : mechanism_.joints())
    for (int k = 0; k < joint.n_x; ++k)
      if (joint.position[static_cast<size_t>(k)]) add(joint.first_x + k);
  for (int x = 0; x < mechanism_.n_x(); ++x) add(x);

  RowMatrix all = at_.A;
  std::vector<int> rows;
  for (int i = 0; i < all.rows(); ++i) rows.push_back(i);
  Elimination elimination;
  constexpr double kDependent = 1e-6;
  const auto rank_of = [&] {
    elimination.factor(all, rows, mechanism_.units(), kDependent);
    return elimination.rank();
  };
  int rank = rank_of();
  for (const int x : candidates) {
    if (rank == mechanism_.n_v()) break;
    all.conservativeResize(all.rows() + 1, Eigen::NoChange);
    all.row(all.rows() - 1) = at_.J.row(x);
    rows.push_back(static_cast<int>(all.rows()) - 1);
    elimination = {};
    const int with = rank_of();
    if (with == rank) {
      all.conservativeResize(all.rows() - 1, Eigen::NoChange);
      rows.pop_back();
      continue;
    }
    rank = with;
    held_.push_back(mechanism_.coordinate_name(x));
    rows_.push_back(
        {"coordinate of joint " + held_.back() + ", held as the rigid motion has it", {{joint_of(x), x, true, 1}}});
  }
  if (rank < mechanism_.n_v())
    throw NumericalError(
        "a body of the mechanism moves without a joint whose coordinate could be held as the rigid "
        "motion has it: join it to the others");
}

// Displacement of a port along world axes and its rotation (planar: about z alone), as rows over y.
void Linkage::calc_port(const Mechanism::Side& side, const Port& port, Matrix6X& out) const {
  out = Matrix6X::Zero(6, n_);
  if (side.body == mechanism_.n_bodies()) return;
  const Mat3 R = mechanism_.calc_R(at_, side.body);
  if (port.link >= 0) {
    out(Eigen::seqN(0, 3), port.columns) = R * port.displacement;
    out(Eigen::seqN(3, 3), port.columns) = R * port.rotation;
    return;
  }
  const int at = place_[static_cast<size_t>(side.body)].front();  // those of a rigid body follow each other
  const Vec3 lever = mechanism_.calc_point(at_, side) - at_.poses[static_cast<size_t>(side.body)].C;
  if (mechanism_.is_planar()) {
    out(0, at) = out(1, at + 1) = out(5, at + 2) = 1;
    out(0, at + 2) = -lever[1];
    out(1, at + 2) = lever[0];
    return;
  }
  out.block<3, 3>(0, at).setIdentity();
  out.block<3, 3>(0, at + 3) = -skew(lever) * R;
  out.block<3, 3>(3, at + 3) = R;
}

// The force F on b turns with the guide, which a carries:  δF = θ_a z × F, at the place where b is.
void Linkage::add_sliding(size_t j, size_t record, const Vec3& F, EntryHistories& K) const {
  const auto& joint = mechanism_.joints()[j];
  if (joint.a.body == mechanism_.n_bodies()) return;
  Matrix6X a, b;
  calc_port(joint.a, ports_[j][0], a);
  calc_port(joint.b, ports_[j][1], b);
  const VectorX turn = a.row(5), slip = F[1] * (b.row(0) - a.row(0)) - F[0] * (b.row(1) - a.row(1));
  const double along = (mechanism_.calc_point(at_, joint.b) - mechanism_.calc_point(at_, joint.a)).dot(F);
  const MatrixX block = slip * turn.transpose() + turn * slip.transpose() + along * turn * turn.transpose();
  K.add_block(0, 0, record, block);
}

// (4), (5) and the joints that slide on moving bodies, at each record.
void Linkage::add_rigid_courses(const MechanismMotion& motion, const RowChoice& rows) {
  const std::vector<JointHistory> joints = calc_joint_histories(mechanism_, motion, rows);
  EntryHistories K(motion.times.size()), C(motion.times.size());
  std::vector<PointLoad> loads;
  for (size_t record = 0; record < motion.times.size(); ++record) {
    const auto k = static_cast<Eigen::Index>(record);
    mechanism_.evaluate({motion.times[record], motion.q.col(k), motion.v.col(k), motion.x.col(k)}, at_);
    const auto is_rigid = [&](int body) {
      return body < mechanism_.n_bodies() && link_of_[static_cast<size_t>(body)] < 0;
    };
    const auto add_lever = [&](const Mechanism::Side& side, const Vec3& force, const Vec3& moment) {
      if (!is_rigid(side.body)) return;
      const int at = place_[static_cast<size_t>(side.body)].front();
      const Vec3 lever = mechanism_.calc_point(at_, side) - at_.poses[static_cast<size_t>(side.body)].C;
      if (mechanism_.is_planar()) return K.add(at + 2, at + 2, record, lever.dot(force));
      const Mat3 to_body = mechanism_.calc_R(at_, side.body).transpose();
      K.add_block(at + 3, at + 3, record, -skew(to_body * lever) * skew(to_body * force) - skew(to_body * moment));
    };
    for (size_t j = 0; j < joints.size(); ++j) {
      const auto& joint = mechanism_.joints()[j];
      add_lever(joint.a, joints[j].world_a.col(k).head<3>(), joints[j].world_a.col(k).tail<3>());
      add_lever(joint.b, joints[j].world.col(k).head<3>(), joints[j].world.col(k).tail<3>());
      if (mechanism_.is_planar() && slides(joint.kind)) add_sliding(j, record, joints[j].world.col(k).head<3>(), K);
    }
    calc_point_loads(mechanism_, at_, loads);
    for (const PointLoad& load : loads) add_lever(load.side, load.force, load.moment);
    if (mechanism_.is_planar()) continue;
    for (int b = 0; b < mechanism_.n_bodies(); ++b) {
      if (!is_rigid(b)) continue;
      const auto& block = mechanism_.bodies()[static_cast<size_t>(b)];
      const Mat3& J = block.mass.inertia;
      const Vec3 w = motion.v.col(k).segment<3>(block.v0 + 3), e = motion.a.col(k).segment<3>(block.v0 + 3);
      const Mat3 W = skew(w), H = skew(J * w);
      const int at = place_[static_cast<size_t>(b)].front() + 3;
      C.add_block(at, at, record, J * W - H + W * J);
      K.add_block(at, at, record, J * skew(e) - H * W + W * J * W);
    }
  }
  const auto knots = std::make_shared<const std::vector<double>>(motion.times);
  for (const auto& [place, values] : K.entries()) K_courses_.push_back({place.first, place.second, {knots, values}});
  for (const auto& [place, values] : C.entries()) C_courses_.push_back({place.first, place.second, {knots, values}});
}

// Entries of A that are not zero at all times: row and column.
std::vector<std::pair<int, int>> Linkage::find_joint_pattern() const {
  std::set<std::pair<int, int>> found;
  const int inner = n_inner();
  for (int r = 0; r < n_rows(); ++r)
    for (const Part& part : rows_[static_cast<size_t>(r)].parts)
      for (const Port& port : ports_[static_cast<size_t>(part.joint)]) {
        if (port.body == mechanism_.n_bodies()) continue;
        for (const int column : port.link < 0 ? place_[static_cast<size_t>(port.body)] : port.columns)
          found.insert({r, column - inner});
      }
  return {found.begin(), found.end()};
}

// A at each record, Ȧ and Ä from A of four neighbours to the fourth order.
void Linkage::make_joint_courses(const MechanismMotion& motion) {
  const VectorX speeds = motion.v.cwiseAbs().rowwise().maxCoeff();
  double rate = 1 / (path_.end() - path_.start());
  for (Eigen::Index i = 0; i < speeds.size(); ++i)
    rate = std::max(rate, speeds[i] * (mechanism_.units()[i] == 1 ? 1 / mechanism_.size() : 1));
  constexpr double kShare = 6e-3;  // of a radian: round-off and what the formula leaves out are about equal, 1e-11
  const double d = kShare / rate;
  joint_pattern_ = find_joint_pattern();
  const auto entries = static_cast<Eigen::Index>(joint_pattern_.size());
  const auto records = static_cast<Eigen::Index>(path_.times().size());
  MatrixX values(entries, records), rates(entries, records), seconds(entries, records);
  std::array<RowMatrix, 5> A;
  for (Eigen::Index k = 0; k < records; ++k) {
    for (int i = 0; i < 5; ++i) {
      path_.calc_beside(static_cast<size_t>(k), (i - 2) * d, state_);
      set_rows(state_, A[static_cast<size_t>(i)]);
    }
    for (Eigen::Index e = 0; e < entries; ++e) {
      const auto& place = joint_pattern_[static_cast<size_t>(e)];
      const auto at = [&](size_t i) { return A[i](place.first, place.second); };
      values(e, k) = at(2);
      rates(e, k) = (8 * (at(3) - at(1)) - (at(4) - at(0))) / (12 * d);
      seconds(e, k) = (16 * (at(3) + at(1)) - (at(4) + at(0)) - 30 * at(2)) / (12 * d * d);
    }
  }
  joint_courses_ = QuinticCourses(path_.times(), std::move(values), std::move(rates), std::move(seconds));
}

void Linkage::set_rows(const MechanismState& state, RowMatrix& A) const {
  mechanism_.evaluate(state, at_);
  A.setZero(n_rows(), n_seen_);
  for (int r = 0; r < n_rows(); ++r)
    for (const Part& part : rows_[static_cast<size_t>(r)].parts) {
      const auto& joint = mechanism_.joints()[static_cast<size_t>(part.joint)];
      const auto& ports = ports_[static_cast<size_t>(part.joint)];
      add_side(part, joint.a, ports[0], r, A);
      add_side(part, joint.b, ports[1], r, A);
    }
}

void Linkage::add_side(const Part& part, const Mechanism::Side& side, const Port& port, int row, RowMatrix& A) const {
  if (side.body == mechanism_.n_bodies()) return;
  const RowMatrix& rows = part.is_coordinate ? at_.J : at_.A;
  const auto body = static_cast<size_t>(side.body);
  const auto& block = mechanism_.bodies()[body];
  const int inner = n_inner();
  if (port.link < 0) {
    for (int i = 0; i < block.n_v; ++i)
      A(row, place_[body][static_cast<size_t>(i)] - inner) += part.factor * rows(part.row, block.v0 + i);
    return;
  }
  const Wrench wrench = calc_row_wrench(mechanism_, at_, side, rows, part.row);
  constexpr double kNothing = 1e-9;  // of the unit force or moment of the row
  if (!port.turns && wrench.moment.norm() > kNothing * std::max(1.0, wrench.force.norm() * mechanism_.size()))
    throw NumericalError(fmt::format(
        "joint `{}` turns body `{}` at a point where its elements do not turn: join it there to a point of a beam, or "
        "by two joints that hold positions alone",
        mechanism_.joints()[static_cast<size_t>(part.joint)].name, block.name));
  const Mat3 Rt = mechanism_.calc_R(at_, side.body).transpose();
  const Vec3 force = part.factor * (Rt * wrench.force), moment = part.factor * (Rt * wrench.moment);
  for (size_t c = 0; c < port.columns.size(); ++c) {
    const auto k = static_cast<Eigen::Index>(c);
    A(row, port.columns[c] - inner) += force.dot(port.displacement.col(k)) + moment.dot(port.rotation.col(k));
  }
}

// ---- instants ----

double Linkage::fold(double t) const { return links_.front().system->body->motion.table->fold(t); }

void Linkage::calc_rows(double t, RowMatrix& A) const {
  path_.calc(fold(t), state_);
  set_rows(state_, A);
}

void Linkage::calc_terms(double t, LinkageTerms& out) const {
  calc_joints(t, out);
  calc_matrices(t, out);
}

void Linkage::calc_joints(double t, LinkageTerms& out) const {
  joint_courses_.calc(fold(t), entry_, entry_rate_, entry_second_);
  for (RowMatrix* part : {&out.A, &out.A_rate, &out.A_second}) part->setZero(n_rows(), n_seen_);
  for (size_t e = 0; e < joint_pattern_.size(); ++e) {
    const auto [row, column] = joint_pattern_[e];
    const auto k = static_cast<Eigen::Index>(e);
    out.A(row, column) = entry_[k];
    out.A_rate(row, column) = entry_rate_[k];
    out.A_second(row, column) = entry_second_[k];
  }
}

void Linkage::calc_matrices(double t, LinkageTerms& out) const {
  out.C = C_constant_;
  out.K = K_constant_;
  out.f.setZero(n_);
  for (size_t l = 0; l < links_.size(); ++l) {
    const AffineEquation& equation = links_[l].system->reduced;
    const LinkSums& sums = sums_[l];
    links_[l].system->calc_factors(t, factors_);
    const auto add = [&](const std::vector<const MatrixTerm*>& terms, MatrixX& into) {
      if (terms.empty()) return;
      sums.values.setZero(static_cast<Eigen::Index>(sums.place.size()));
      for (const MatrixTerm* term : terms)
        sums.values.noalias() += (term->coefficient * factors_(term->factor)) * term->values;
      for (size_t k = 0; k < sums.place.size(); ++k)
        into.data()[sums.place[k]] += sums.values[static_cast<Eigen::Index>(k)];
    };
    add(sums.velocity, out.C);
    add(sums.stiffness, out.K);
    sums.load.setZero(equation.size());
    for (const LoadTerm& load : equation.loads)
      sums.load.noalias() += (load.coefficient * factors_(load.factor)) * load.values;
    for (size_t k = 0; k < sums.rows.size(); ++k) out.f[sums.rows[k]] += sums.load[static_cast<Eigen::Index>(k)];
  }
  const double folded = fold(t);
  for (const Course& entry : K_courses_) out.K(entry.row, entry.column) += entry.values(folded);
  for (const Course& entry : C_courses_) out.C(entry.row, entry.column) += entry.values(folded);
}

VectorX Linkage::pick(const std::string& body, const VectorX& y) const {
  const int found = mechanism_.find_body(body);
  ELODYN_REQUIRE(found >= 0 && found < mechanism_.n_bodies());
  return y(place_[static_cast<size_t>(found)]);
}

Wrench Linkage::calc_joint_force(double t, int joint, const VectorX& delta_lambda) const {
  path_.calc(fold(t), state_);
  mechanism_.evaluate(state_, at_);
  const auto& block = mechanism_.joints()[static_cast<size_t>(joint)];
  const bool on_ground = block.b.body == mechanism_.n_bodies();
  const Mechanism::Side& side = on_ground ? block.a : block.b;
  Wrench out;
  for (int r = 0; r < n_rows(); ++r)
    for (const Part& part : rows_[static_cast<size_t>(r)].parts) {
      if (part.joint != joint) continue;
      const Wrench one = calc_row_wrench(mechanism_, at_, side, part.is_coordinate ? at_.J : at_.A, part.row);
      const double size = (on_ground ? -1 : 1) * part.factor * delta_lambda[r];
      out.force += size * one.force;
      out.moment += size * one.moment;
    }
  return out;
}

// ---- Maggi's projection ----

LinkageChart::LinkageChart(const Linkage& linkage) : linkage_(linkage), units_(linkage.units().tail(linkage.n_seen())) {
  all_rows_.resize(static_cast<size_t>(linkage.n_rows()));
  std::iota(all_rows_.begin(), all_rows_.end(), 0);
}

void LinkageChart::choose(double t, const RowMatrix& A) {
  constexpr double kDependent = 1e-6;
  elimination_.factor(A, all_rows_, units_, kDependent);
  const int rank = elimination_.rank();
  if (rank_ < 0) rank_ = rank;
  if (rank != rank_)
    throw NumericalError(fmt::format("the mechanism is in a singular position at t = {:.6g} s: {} depends on others", t,
                                     linkage_.row_name(elimination_.row(std::min(rank, rank_)))));
  rows_.clear();
  for (int k = 0; k < rank; ++k) rows_.push_back(elimination_.row(k));
  free_.clear();
  for (int k = 0; k < elimination_.n_free(); ++k) free_.push_back(elimination_.free_coordinate(k));
  std::sort(free_.begin(), free_.end());
  dependent_.clear();
  for (int i = 0; i < linkage_.n_seen(); ++i)
    if (!std::binary_search(free_.begin(), free_.end(), i)) dependent_.push_back(i);
}

void LinkageChart::gather(const RowMatrix& A, const std::vector<int>& columns, MatrixX& out) const {
  out.resize(static_cast<Eigen::Index>(rows_.size()), static_cast<Eigen::Index>(columns.size()));
  for (size_t k = 0; k < columns.size(); ++k)
    for (size_t i = 0; i < rows_.size(); ++i)
      out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) = A(rows_[i], columns[k]);
}

void LinkageChart::set(const LinkageTerms& terms) {
  gather(terms.A, dependent_, A_D_);
  gather(terms.A, free_, A_I_);
  factor_.compute(A_D_);
  N_ = factor_.solve(-A_I_);
  gather(terms.A_rate, dependent_, A_D_);
  gather(terms.A_rate, free_, A_I_);
  A_I_.noalias() += A_D_ * N_;
  N_rate_ = factor_.solve(-A_I_);
  A_I_.noalias() = 2 * A_D_ * N_rate_;
  gather(terms.A_second, dependent_, A_D_);
  A_I_.noalias() += A_D_ * N_;
  for (size_t k = 0; k < free_.size(); ++k)
    for (size_t i = 0; i < rows_.size(); ++i)
      A_I_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) += terms.A_second(rows_[i], free_[k]);
  N_second_ = factor_.solve(-A_I_);
  set_B(N_, 1, B_);
  set_B(N_rate_, 0, B_rate_);
  set_B(N_second_, 0, B_second_);
}

void LinkageChart::set_B(const MatrixX& N, double free, MatrixX& B) const {
  B.setZero(linkage_.n_seen(), N.cols());
  for (size_t k = 0; k < free_.size(); ++k) B(free_[k], static_cast<Eigen::Index>(k)) = free;
  for (size_t i = 0; i < dependent_.size(); ++i) B.row(dependent_[i]) = N.row(static_cast<Eigen::Index>(i));
}

// 𝓑 is the identity on the coordinates that no joint sees.
void LinkageChart::project(const MatrixX& X, MatrixX& out) const {
  const auto i = linkage_.n_inner(), p = linkage_.n_seen();
  const auto f = B_.cols();
  out.resize(i + f, i + f);
  out.topLeftCorner(i, i) = X.topLeftCorner(i, i);
  out.bottomLeftCorner(f, i).noalias() = B_.transpose() * X.bottomLeftCorner(p, i);
  out.rightCols(f).setZero();
  add(1, X, B_, out);
}

void LinkageChart::add(double factor, const MatrixX& X, const MatrixX& right, MatrixX& out) const {
  const auto i = linkage_.n_inner(), p = linkage_.n_seen();
  const auto f = right.cols();
  out.topRightCorner(i, f).noalias() += factor * X.topRightCorner(i, p) * right;
  product_.noalias() = X.bottomRightCorner(p, p) * right;
  out.bottomRightCorner(f, f).noalias() += factor * B_.transpose() * product_;
}

void LinkageChart::project_load(const VectorX& f, VectorX& out) const {
  out.resize(size());
  out.head(linkage_.n_inner()) = f.head(linkage_.n_inner());
  out.tail(B_.cols()).noalias() = B_.transpose() * f.tail(linkage_.n_seen());
}

void LinkageChart::reduce(const LinkageTerms& terms, Reduced& out) const {
  const MatrixX& M = linkage_.mass();
  reduce_frozen(terms, out);
  add(2, M, B_rate_, out.C);
  add(1, terms.C, B_rate_, out.K);
  add(1, M, B_second_, out.K);
}

void LinkageChart::reduce_frozen(const LinkageTerms& terms, Reduced& out) const {
  project(linkage_.mass(), out.M);
  project(terms.C, out.C);
  project(terms.K, out.K);
  project_load(terms.f, out.f);
}

MatrixX LinkageChart::restrict(const MatrixX& y) const {
  MatrixX out(size(), y.cols());
  out.topRows(linkage_.n_inner()) = y.topRows(linkage_.n_inner());
  for (size_t k = 0; k < free_.size(); ++k)
    out.row(linkage_.n_inner() + static_cast<Eigen::Index>(k)) = y.row(linkage_.n_inner() + free_[k]);
  return out;
}

MatrixX LinkageChart::expand(const MatrixX& s) const {
  MatrixX out(linkage_.n(), s.cols());
  out.topRows(linkage_.n_inner()) = s.topRows(linkage_.n_inner());
  out.bottomRows(linkage_.n_seen()).noalias() = B_ * s.bottomRows(B_.cols());
  return out;
}
MatrixX LinkageChart::expand_rate(const MatrixX& s, const MatrixX& s_rate) const {
  MatrixX out = expand(s_rate);
  out.bottomRows(linkage_.n_seen()).noalias() += B_rate_ * s.bottomRows(B_.cols());
  return out;
}
MatrixX LinkageChart::expand_second(const MatrixX& s, const MatrixX& s_rate, const MatrixX& s_second) const {
  MatrixX out = expand(s_second);
  out.bottomRows(linkage_.n_seen()).noalias() +=
      2 * B_rate_ * s_rate.bottomRows(B_.cols()) + B_second_ * s.bottomRows(B_.cols());
  return out;
}

VectorX LinkageChart::calc_delta_lambda(const LinkageTerms& terms, const VectorX& y, const VectorX& y_rate,
                                        const VectorX& y_second) const {
  const VectorX missing = linkage_.mass() * y_second + terms.C * y_rate + terms.K * y - terms.f;
  VectorX out = VectorX::Zero(linkage_.n_rows()), of_dependent(static_cast<Eigen::Index>(dependent_.size()));
  for (size_t i = 0; i < dependent_.size(); ++i)
    of_dependent[static_cast<Eigen::Index>(i)] = missing[linkage_.n_inner() + dependent_[i]];
  const VectorX found = factor_.transpose().solve(of_dependent);
  for (size_t i = 0; i < rows_.size(); ++i) out[rows_[i]] = found[static_cast<Eigen::Index>(i)];
  return out;
}

}  // namespace elodyn
