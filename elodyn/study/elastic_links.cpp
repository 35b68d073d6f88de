#include "elodyn/study/elastic_links.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/study/mechanism.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;

constexpr double kWanted = 1e-8;       // of the interpolation, relative
constexpr double kWorthSaying = 1e-5;  // the same
constexpr double kReturns = 1e-6;      // relative: what counts as the same motion one period later
constexpr int kFewestRecords = 128;
constexpr size_t kMostRecords = 1 << 17;

bool is_link(const Body& body) { return body.motion.kind == Motion::Kind::mechanism && !body.motion.table; }

// ---- histories ----

// What acts on one body at one of its points: rows force x, y, z, moment x, y, z, body axes.
struct PointHistory {
  std::string point;
  Matrix6X values;
};

// All that a link takes from the rigid stage.
struct LinkHistory {
  Matrix3X a, w, e;
  std::vector<PointHistory> loads;
};

std::string point_of(const Located<std::string>& name) {
  const auto parts = parse_body_point(name.value);
  ELODYN_REQUIRE(parts.has_value());
  return parts->point;
}

class HistoryMaker {
 public:
  HistoryMaker(const Model& model, const RigidStage& rigid)
      : model_(model), mechanism_(rigid.mechanism), motion_(rigid.motion), at_(mechanism_.make_instant()) {
    joints_ = calc_joint_histories(mechanism_, motion_, rigid.assembly.rows);
  }
  Eigen::Index size() const { return static_cast<Eigen::Index>(motion_.times.size()); }
  const std::vector<JointHistory>& joints() const { return joints_; }

  LinkHistory make(const std::string& name) {
    const int body = mechanism_.find_body(name);
    ELODYN_REQUIRE(body >= 0 && body < mechanism_.n_bodies());
    LinkHistory out;
    add_joints(body, out);
    const size_t n_joints = out.loads.size();
    for (Matrix3X* part : {&out.a, &out.w, &out.e}) part->resize(3, size());
    for (Eigen::Index k = 0; k < size(); ++k) {
      mechanism_.evaluate({motion_.times[static_cast<size_t>(k)], motion_.q.col(k), motion_.v.col(k), motion_.x.col(k)},
                          at_);
      set_frame(body, k, out);
      set_sources(body, k, n_joints, out);
    }
    return out;
  }

 private:
  void add_joints(int body, LinkHistory& out) const {
    for (size_t j = 0; j < joints_.size(); ++j) {
      const auto& joint = mechanism_.joints()[j];
      if (joint.a.body == body) out.loads.push_back({point_of(model_.joints[j].a), joints_[j].body_a});
      if (joint.b.body == body) out.loads.push_back({point_of(model_.joints[j].b), joints_[j].body});
    }
  }

  void set_frame(int body, Eigen::Index k, LinkHistory& out) const {
    const auto& block = mechanism_.bodies()[static_cast<size_t>(body)];
    Mechanism::Side origin;
    origin.body = body;
    origin.r = -block.mass.center;
    const VectorX v_rate = motion_.a.col(k);
    const Mat3 R = mechanism_.calc_R(at_, body);
    out.a.col(k) = R.transpose() * (mechanism_.calc_point_acceleration(at_, v_rate, origin) - model_.gravity);
    if (mechanism_.is_planar()) {
      out.a(2, k) = 0;
      out.w.col(k) << 0, 0, motion_.v(block.v0 + 2, k);
      out.e.col(k) << 0, 0, v_rate[block.v0 + 2];
    } else {
      out.w.col(k) = motion_.v.col(k).segment<3>(block.v0 + 3);
      out.e.col(k) = v_rate.segment<3>(block.v0 + 3);
    }
  }

  // Forces and springs between points, which act on bodies without a joint. In the order of the model.
  void set_sources(int body, Eigen::Index k, size_t first, LinkHistory& out) {
    const Mat3 to_body = mechanism_.calc_R(at_, body).transpose();
    size_t next = first;
    const auto put = [&](const std::string& point, const Vec3& force, const Vec3& moment) {
      if (next == out.loads.size()) out.loads.push_back({point, Matrix6X::Zero(6, size())});
      out.loads[next++].values.col(k) << to_body * force, to_body * moment;
    };
    calc_point_loads(mechanism_, at_, point_loads_);
    for (const PointLoad& load : point_loads_) {
      if (load.side.body != body) continue;
      const auto& source = mechanism_.sources()[static_cast<size_t>(load.source)];
      const bool is_spring = source.kind == Mechanism::Source::Kind::spring;
      put(point_of(!is_spring     ? find_force(source.name).at
                   : load.is_on_a ? find_spring(source.name).a
                                  : find_spring(source.name).b),
          load.force, load.moment);
    }
  }
  const MechanismForce& find_force(const std::string& name) const {
    return *std::find_if(model_.forces.begin(), model_.forces.end(), [&](const auto& f) { return f.name == name; });
  }
  const MechanismSpring& find_spring(const std::string& name) const {
    return *std::find_if(model_.springs.begin(), model_.springs.end(), [&](const auto& f) { return f.name == name; });
  }

  const Model& model_;
  const Mechanism& mechanism_;
  const MechanismMotion& motion_;
  MechanismInstant at_;
  std::vector<PointLoad> point_loads_;
  std::vector<JointHistory> joints_;
};

// ---- interpolation ----

// Error of the splines through all records, relative to the largest value, at every second record: that of the splines
// through the others, over 16, as the order 4 has it. Added where it is larger than what stands in `error`.
void raise_error(const std::vector<double>& times, const MatrixX& values, double size, VectorX& error) {
  constexpr double kOrder = 16;
  if (!(size > 0)) return;
  std::vector<double> knots;
  for (size_t k = 0; k < times.size(); k += 2) knots.push_back(times[k]);
  const auto shared = std::make_shared<const std::vector<double>>(knots);
  for (Eigen::Index row = 0; row < values.rows(); ++row) {
    std::vector<double> own;
    for (size_t k = 0; k < times.size(); k += 2) own.push_back(values(row, static_cast<Eigen::Index>(k)));
    const CubicSpline spline(shared, std::move(own));
    for (size_t k = 1; k < times.size() && spline.contains(times[k]); k += 2) {
      const auto at = static_cast<Eigen::Index>(k);
      error[at] = std::max(error[at], std::abs(spline(times[k]) - values(row, at)) / kOrder / size);
    }
  }
}

double largest(const MatrixX& values) { return values.size() > 0 ? values.cwiseAbs().maxCoeff() : 0; }

// Of the frame as it acts on a body of that length: what is round-off beside the rest, as ω̇ of a steady rotation, is
// not met by splines and need not be.
void raise_error(const std::vector<double>& times, const LinkHistory& link, double length, VectorX& error) {
  const double w = largest(link.w), size = std::max({largest(link.a), w * w * length, largest(link.e) * length});
  raise_error(times, link.a, size, error);
  raise_error(times, link.w, std::sqrt(size / length), error);
  raise_error(times, link.e, size / length, error);
  double force = 0, moment = 0;
  for (const PointHistory& at : link.loads) {
    force = std::max(force, largest(at.values.topRows<3>()));
    moment = std::max(moment, largest(at.values.bottomRows<3>()));
  }
  constexpr double kNothing = 1e-12;  // moments that are round-off beside the forces
  for (const PointHistory& at : link.loads) {
    raise_error(times, at.values.topRows<3>(), force, error);
    if (moment > kNothing * force) raise_error(times, at.values.bottomRows<3>(), moment, error);
  }
}

// Halves the intervals on both sides of records with too large an error, and those beside them.
std::vector<double> refine(const std::vector<double>& times, const VectorX& error) {
  std::vector<bool> halved(times.size() - 1, false);
  for (size_t k = 1; k < times.size(); k += 2)
    if (error[static_cast<Eigen::Index>(k)] > kWanted)
      for (size_t i = k >= 2 ? k - 2 : 0; i <= std::min(k + 1, halved.size() - 1); ++i) halved[i] = true;
  std::vector<double> out;
  for (size_t i = 0; i < halved.size(); ++i) {
    out.push_back(times[i]);
    if (halved[i]) out.push_back(0.5 * (times[i] + times[i + 1]));
  }
  out.push_back(times.back());
  return out;
}

// ---- cycle ----

// The time before `from` at which the angle was `value`; the angle passes it once more or less.
double find_time(const CubicSpline& angle, const std::vector<double>& times, double value) {
  for (size_t k = times.size() - 1; k > 0; --k) {
    double low = times[k - 1], high = times[k];
    const double at_low = angle(low) - value, at_high = angle(high) - value;
    if (at_low * at_high > 0) continue;
    for (int i = 0; i < 100 && low < high; ++i) {
      const double middle = 0.5 * (low + high);
      if (middle <= low || middle >= high) break;
      ((angle(middle) - value) * at_low > 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }
  return std::nan("");
}

// A joint that turns over: of those with a driver or a motor the first, else the first at all. −1: none.
int find_crank(const Mechanism& mechanism, const MechanismMotion& motion) {
  int found = -1;
  const auto is_driven = [&](int x) {
    return std::any_of(mechanism.drivers().begin(), mechanism.drivers().end(),
                       [&](const auto& d) { return d.x == x; }) ||
           std::any_of(mechanism.sources().begin(), mechanism.sources().end(),
                       [&](const auto& s) { return s.kind == Mechanism::Source::Kind::motor && s.x == x; });
  };
  constexpr double kTurn = 2 * pi * (1 - 1e-9);
  for (int x = 0; x < mechanism.n_x(); ++x) {
    if (!mechanism.coordinate_is_angle(x)) continue;
    if (std::abs(motion.x(x, motion.x.cols() - 1) - motion.x(x, 0)) < kTurn) continue;
    if (is_driven(x)) return x;
    if (found < 0) found = x;
  }
  return found;
}

// Change of the motion of the whole mechanism and of its forces from `start` to the end of the table, relative: angles
// but for whole turns.
double calc_return_error(const Mechanism& mechanism, const std::vector<double>& times, const MechanismMotion& motion,
                         const CubicSpline::Knots& knots, double start, double period) {
  double worst = 0;
  const auto compare = [&](const MatrixX& values, bool is_position) {
    if (values.size() == 0) return;
    const double size = values.cwiseAbs().maxCoeff();
    if (!(size > 0)) return;
    for (Eigen::Index row = 0; row < values.rows(); ++row) {
      std::vector<double> own(static_cast<size_t>(values.cols()));
      for (Eigen::Index k = 0; k < values.cols(); ++k) own[static_cast<size_t>(k)] = values(row, k);
      const CubicSpline spline(knots, std::move(own));
      constexpr int kSamples = 16;
      for (int i = 0; i <= kSamples; ++i) {
        const double t = start + period * i / kSamples, before = t - period;
        double change = 0;
        if (before >= times.front())
          change = spline(t) - spline(before);
        else if (i == kSamples)
          change = spline(std::min(t, times.back())) - spline(start);
        else
          continue;
        const bool turns = is_position && mechanism.coordinate_is_angle(static_cast<int>(row));
        if (turns) change = std::remainder(change, 2 * pi);
        worst = std::max(worst, std::abs(change) / (is_position ? (turns ? 1 : size) : size));
      }
    }
  };
  compare(motion.x, true);
  compare(motion.v, false);
  compare(motion.a, false);
  compare(motion.lambda, false);
  return worst;
}

}  // namespace

std::optional<Cycle> find_cycle(const Mechanism& mechanism, const MechanismMotion& motion, double error) {
  const std::vector<double>& times = motion.times;
  const int x = find_crank(mechanism, motion);
  if (x < 0) return std::nullopt;
  std::vector<double> angles(times.size());
  for (size_t k = 0; k < times.size(); ++k) angles[k] = motion.x(x, static_cast<Eigen::Index>(k));
  const auto knots = std::make_shared<const std::vector<double>>(times);
  const double last = angles.back(), first = angles.front(), turn = last > first ? 2 * pi : -2 * pi;
  std::optional<Cycle> best;
  for (const auto& joint : mechanism.joints()) {
    if (x < joint.first_x || x >= joint.first_x + joint.n_x) continue;
    const CubicSpline angle(knots, angles);
    constexpr int kMostTurns = 4;  // of a crank in a cycle: two in an engine of four strokes
    for (int turns = 1; turns <= kMostTurns; ++turns) {
      const bool is_all = std::abs(last - turns * turn - first) <= 1e-9 * std::abs(turn);
      const double start = is_all ? times.front() : find_time(angle, times, last - turns * turn);
      if (std::isnan(start)) break;
      const double before = 2 * pi * std::floor(angle(start) / (2 * pi));  // whole turns before the cycle
      std::vector<double> counted = angles;
      for (double& value : counted) value -= before;
      Cycle cycle{joint.name, CubicSpline(knots, std::move(counted)), start, times.back() - start, turns, 0, false};
      cycle.return_error = calc_return_error(mechanism, times, motion, knots, start, cycle.period);
      cycle.is_periodic = cycle.return_error <= std::max(kReturns, 10 * error);
      if (!best || cycle.return_error < 0.1 * best->return_error) best = cycle;
      if (cycle.is_periodic) break;
    }
  }
  return best;
}

namespace {

// ---- putting in ----

MotionTable::Columns make_columns(const CubicSpline::Knots& knots, const Matrix3X& values) {
  MotionTable::Columns out;
  for (Eigen::Index i = 0; i < 3; ++i) {
    if (values.row(i).isZero(0)) continue;
    std::vector<double> own(static_cast<size_t>(values.cols()));
    for (Eigen::Index k = 0; k < values.cols(); ++k) own[static_cast<size_t>(k)] = values(i, k);
    out[static_cast<size_t>(i)] = CubicSpline(knots, std::move(own));
  }
  return out;
}

// Components that are round-off beside the others are left out: each costs a geometric stiffness.
void add_loads(const CubicSpline::Knots& knots, const LinkHistory& link, Body& body) {
  constexpr double kNothing = 1e-13;
  double force = 0, size = 0;
  for (const PointHistory& at : link.loads) force = std::max(force, at.values.topRows<3>().cwiseAbs().maxCoeff());
  for (const Point& a : body.points)
    for (const Point& b : body.points) size = std::max(size, (a.x - b.x).norm());
  double moment = force * size;
  for (const PointHistory& at : link.loads) moment = std::max(moment, at.values.bottomRows<3>().cwiseAbs().maxCoeff());
  for (const PointHistory& at : link.loads)
    for (Eigen::Index i = 0; i < 6; ++i) {
      if (at.values.row(i).cwiseAbs().maxCoeff() <= kNothing * (i < 3 ? force : moment)) continue;
      Load load;
      load.mark = body.mark;
      load.at = Located<std::string>{at.point, body.mark};
      (i < 3 ? load.force : load.moment)[i % 3] = 1;
      std::vector<double> own(static_cast<size_t>(at.values.cols()));
      for (Eigen::Index k = 0; k < at.values.cols(); ++k) own[static_cast<size_t>(k)] = at.values(i, k);
      load.history = std::make_shared<const CubicSpline>(knots, std::move(own));
      body.loads.push_back(std::move(load));
    }
}

void warn_of_undetermined(const Model& model, const std::vector<JointHistory>& joints,
                          std::vector<std::string>& warnings) {
  std::vector<std::string> names;
  for (size_t j = 0; j < joints.size(); ++j)
    if (!std::all_of(joints[j].determined.begin(), joints[j].determined.end(), [](bool is) { return is; }))
      names.push_back("`" + model.joints[j].name + "`");
  if (names.empty()) return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  warnings.push_back("the forces of joints " + list +
                     " are not determined, as the mechanism is over-constrained: the smallest that do are the loads of "
                     "the elastic bodies");
}

}  // namespace

bool has_elastic_links(const Model& model) { return std::any_of(model.bodies.begin(), model.bodies.end(), is_link); }

namespace {

// The motion at the given times, to which the start leads; returns the error between them.
VectorX run_at(const Model& model, MotionOptions& options, RigidStage& rigid) {
  const double start = model.mechanism->start;
  const bool settles = options.times.front() > start;
  if (settles) options.times.insert(options.times.begin(), start);
  rigid.motion = run_mechanism(rigid.mechanism, rigid.assembly, options);
  if (rigid.motion.interrupted) throw Interrupted();
  if (settles) rigid.motion.drop_first();
  options.times = rigid.motion.times;  // an event may have ended it
  constexpr size_t kFewest = 8;
  if (options.times.size() < kFewest)
    throw NumericalError("an event stops the mechanism before it has moved: its elastic bodies need a motion");
  VectorX error = VectorX::Zero(static_cast<Eigen::Index>(options.times.size()));
  HistoryMaker maker(model, rigid);
  for (const Body& body : model.bodies)
    if (is_link(body)) raise_error(options.times, maker.make(body.name), rigid.mechanism.size(), error);
  rigid.interpolation_error = error.maxCoeff();
  return error;
}

RigidStage assemble_stage(const Model& model, int records, MotionOptions& options) {
  ELODYN_REQUIRE(model.mechanism.has_value());
  MechanismRequest request = *model.mechanism;
  request.records = records;
  Mechanism mechanism(model, calc_elastic_masses(model));
  Assembly assembly = assemble(mechanism, request.start);
  request.start += request.settle;
  request.duration -= request.settle;
  ELODYN_REQUIRE(request.settle >= 0 && request.duration > 0);
  options = make_options(mechanism, request);
  return {std::move(mechanism), std::move(assembly), {}, 0};
}

}  // namespace

RigidStage run_rigid_stage(const Model& model, int records) {
  MotionOptions options;
  RigidStage out = assemble_stage(model, records, options);
  run_at(model, options, out);
  return out;
}

RigidStage run_rigid_stage(const Model& model) {
  MotionOptions options;
  RigidStage out = assemble_stage(model, std::max(kFewestRecords, model.mechanism->records), options);
  VectorX error = run_at(model, options, out);
  constexpr int kMostPasses = 20, kPatience = 2;
  int idle = 0;  // passes without gain: round-off of the motion itself, or a jump
  for (int pass = 0; pass < kMostPasses && out.interpolation_error > kWanted && idle < kPatience; ++pass) {
    if (!out.motion.singular.empty()) break;  // forces there are not to be met
    const double before = out.interpolation_error;
    options.times = refine(options.times, error);
    if (options.times.size() > kMostRecords) break;
    error = run_at(model, options, out);
    const bool gains = out.interpolation_error < 0.5 * before;
    idle = gains || out.interpolation_error > kWorthSaying ? 0 : idle + 1;
  }
  return out;
}

// Where no instant is given for what is frozen at one, it is the first one that is known.
template <class Request>
void begin_with_motion(std::optional<Request>& request, double start) {
  if (!request) request.emplace();
  if (!request->marks.is_given("time")) request->time = std::max(request->time, start);
}

ElasticLinks make_elastic_links(const Model& model, const RigidStage& rigid) {
  ElasticLinks out{model, rigid.interpolation_error, static_cast<int>(rigid.motion.times.size()) - 1, {}};
  const auto knots = std::make_shared<const std::vector<double>>(rigid.motion.times);
  const std::optional<Cycle> cycle = find_cycle(rigid.mechanism, rigid.motion, rigid.interpolation_error);
  HistoryMaker maker(model, rigid);
  warn_of_undetermined(model, maker.joints(), out.warnings);
  if (!rigid.motion.singular.empty())
    out.warnings.push_back(
        fmt::format("the mechanism passes {} singular position{}, the first near t = {:.6g} s, where {} depends on the "
                    "other joints: joint forces near it may be wrong, and so is what they do to elastic bodies",
                    rigid.motion.singular.size(), rigid.motion.singular.size() == 1 ? "" : "s",
                    rigid.motion.singular.front().t, rigid.motion.singular.front().where));
  for (Body& body : out.model.bodies) {
    if (!is_link(body)) continue;
    const LinkHistory link = maker.make(body.name);
    auto table = std::make_shared<MotionTable>();
    table->start = knots->front();
    table->end = knots->back();
    table->a = make_columns(knots, link.a);
    table->w = make_columns(knots, link.w);
    table->e = make_columns(knots, link.e);
    table->cycle = cycle;
    body.motion.table = table;
    if (!body.loads.empty())
      out.warnings.push_back(
          fmt::format("body `{}`: loads of its own do not move the mechanism; its supports bear them", body.name));
    add_loads(knots, link, body);
  }
  if (const double start = knots->front(); start > 0) {
    begin_with_motion(out.model.modes, start);
    begin_with_motion(out.model.static_, start);
    begin_with_motion(out.model.buckling, start);
  }
  if (out.interpolation_error > kWorthSaying)
    out.warnings.push_back(fmt::format(
        "motion and joint forces of the elastic bodies are known to {:.1e} between {} records: something jumps; smooth "
        "it, or shorten the duration of the mechanism",
        out.interpolation_error, out.records));
  return out;
}

ElasticLinks make_elastic_links(const Model& model) { return make_elastic_links(model, run_rigid_stage(model)); }

Model make_elastic_bodies(const Model& model) {
  return without_rigid_bodies(has_elastic_links(model) ? make_elastic_links(model).model : model);
}

}  // namespace elodyn
