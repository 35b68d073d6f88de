#include "elodyn/study/mechanism.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/harmonics.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/mechanism/liaison.hpp"
#include "elodyn/mechanism/mechanism_motion.hpp"
#include "elodyn/study/elastic_links.hpp"
#include "elodyn/system/mass_properties.hpp"
#include "elodyn/system/recovery.hpp"

namespace elodyn {
namespace {

using Index = Eigen::Index;
constexpr std::array kAxes = {"x", "y", "z"};
constexpr int kMostFrames = 201;

const char* to_text(MechanismRequest::Kind kind) {
  static constexpr std::array names = {"kinematic", "inverse", "dynamic"};
  return names[static_cast<size_t>(kind)];
}
const char* to_text(MechanismRequest::Formalism formalism) {
  static constexpr std::array names = {"kane", "maggi", "multipliers", "gibbs_appell"};
  return names[static_cast<size_t>(formalism)];
}
const char* to_text(Mechanism::Source::Kind kind) {
  static constexpr std::array names = {"motor", "force", "force at a point", "spring", "spring on a joint"};
  return names[static_cast<size_t>(kind)];
}

// As a column is named: "O angle 1" → "O_angle_1".
std::string column_name(std::string text) {
  std::replace(text.begin(), text.end(), ' ', '_');
  std::replace(text.begin(), text.end(), '.', '_');
  return text;
}

std::vector<double> to_vector(const auto& row) { return {row.begin(), row.end()}; }

// Every named point of every body over the motion.
struct PointHistory {
  std::string name;  // BODY.POINT
  size_t body = 0;   // index into the model
  Matrix3X x, v, a;  // a column for each time
};

class MechanismStudy {
 public:
  MechanismStudy(const Model& model, Results& results)
      : model_(model),
        request_(*model.mechanism),
        results_(results),
        mechanism_(model, calc_elastic_masses(model)),
        assembly_(assemble(mechanism_, request_.start)) {}

  void run() {
    MechanismRequest recorded = request_;
    recorded.start += request_.settle;
    recorded.duration -= request_.settle;
    MotionOptions options = make_options(mechanism_, recorded);
    options.keeps_partial = true;
    move(options);
    if (request_.settle > 0 && motion_.failure.empty() && !motion_.interrupted) record_cycle(options);
    histories_ = calc_joint_histories(mechanism_, motion_, assembly_.rows);
    trace_points();
    add_summary();
    add_warnings();
    add_tables();
    add_frames();
    if (!motion_.failure.empty()) throw NumericalError(motion_.failure);
    if (motion_.interrupted) throw Interrupted();
  }

 private:
  bool planar() const { return mechanism_.is_planar(); }
  bool is_dynamic() const { return request_.kind == MechanismRequest::Kind::dynamic; }
  Index n_times() const { return static_cast<Index>(motion_.times.size()); }
  int n_axes() const { return planar() ? 2 : 3; }

  // At the given times, to which the start leads.
  void move(MotionOptions& options) {
    const bool settles = options.times.front() > request_.start;
    if (settles) options.times.insert(options.times.begin(), request_.start);
    motion_ = run_mechanism(mechanism_, assembly_, options);
    if (!settles) return;
    if (motion_.times.size() > 1)
      motion_.drop_first();
    else if (motion_.failure.empty() && !motion_.interrupted)
      throw NumericalError("an event stops the mechanism before it has settled: nothing is recorded");
  }

  // What has settled, and returns, is told by its last cycle: peaks, means and rms are those of a cycle then. Whether
  // it returns is seen on records that are dense enough for splines through forces that change fast.
  void record_cycle(MotionOptions& options) {
    constexpr double kError = 1e-5;                // of those splines
    constexpr double kReturns = 1e-2;              // what still counts as settled
    constexpr int kPerTurn = 800, kMostTurns = 8;  // two cycles of four turns
    constexpr size_t kFewest = 8;
    if (motion_.times.size() < kFewest) return;
    const std::optional<Cycle> turn = find_cycle(mechanism_, motion_, 1);
    if (!turn) return;
    const MechanismMotion all = motion_;
    const double end = all.times.back(), from = std::max(all.times.front(), end - kMostTurns * turn->period);
    const int n = static_cast<int>(std::ceil(kPerTurn * (end - from) / turn->period));
    record_between(from, end, n, options);
    if (motion_.interrupted) return;  // by the user: what is done is kept, and no judgement of it
    cycle_ = find_cycle(mechanism_, motion_, kError);
    if (cycle_ && cycle_->return_error <= kReturns)
      return record_between(cycle_->start, cycle_->start + cycle_->period, request_.records, options);
    results_.warnings.push_back(fmt::format(
        "the mechanism has not settled: motion and forces change by {:.1e} of their size from one cycle of joint `{}` "
        "to the next, so all that comes after `settle` is recorded; lengthen `settle` and `duration`",
        cycle_ ? cycle_->return_error : 1, turn->joint));
    cycle_.reset();
    motion_ = all;
  }
  void record_between(double from, double to, int n, MotionOptions& options) {
    options.times.clear();
    for (int k = 0; k <= n; ++k) options.times.push_back(from + (to - from) * k / n);
    move(options);
  }

  void trace_points() {
    std::vector<Mechanism::Side> sides, centers;
    const auto add_point = [&](std::vector<PointHistory>& to, const std::string& name, size_t body) {
      const Matrix3X nothing(3, n_times());
      to.push_back({name, body, nothing, nothing, nothing});
    };
    for (size_t b = 0; b < model_.bodies.size(); ++b) {
      for (const Point& point : model_.bodies[b].points) {
        add_point(points_, model_.bodies[b].name + "." + point.name, b);
        sides.push_back(mechanism_.make_side(points_.back().name));
      }
      add_point(centers_, model_.bodies[b].name, b);
      centers.emplace_back().body = static_cast<int>(b);
    }
    MechanismInstant at = mechanism_.make_instant();
    for (Index k = 0; k < n_times(); ++k) {
      const VectorX a = motion_.a.col(k);
      mechanism_.evaluate({motion_.times[static_cast<size_t>(k)], motion_.q.col(k), motion_.v.col(k), motion_.x.col(k)},
                          at);
      const auto record = [&](const Mechanism::Side& side, PointHistory& history) {
        history.x.col(k) = mechanism_.calc_point(at, side);
        history.v.col(k) = mechanism_.calc_point_velocity(at, side);
        history.a.col(k) = mechanism_.calc_point_acceleration(at, a, side);
      };
      for (size_t p = 0; p < points_.size(); ++p) record(sides[p], points_[p]);
      for (size_t b = 0; b < centers_.size(); ++b) record(centers[b], centers_[b]);
    }
  }

  // "force x", as far as the joint's forces have such a component.
  std::vector<std::string> list_undetermined(const Determined& determined) const {
    std::vector<std::string> out;
    for (size_t c = 0; c < 6; ++c)
      if (!determined[c]) out.push_back((c < 3 ? "force " : "moment ") + std::string(kAxes[c % 3]));
    return out;
  }

  void add_summary() {
    MechanismSummary& s = results_.mechanism.emplace();
    s.kind = to_text(request_.kind);
    s.formalism = to_text(request_.formalism);
    s.n_freedoms = assembly_.rows.n_free;
    s.redundant = assembly_.redundant;
    for (size_t j = 0; j < histories_.size(); ++j) {
      const JointHistory& h = histories_[j];
      s.joints.push_back({model_.joints[j].name, model_.joints[j].kind_name(), h.peak_force, h.rms_force, h.peak_moment,
                          h.rms_moment, h.time_of_peak, list_undetermined(h.determined)});
    }
    for (const MechanismMotion::Event& event : motion_.events) s.events.push_back({event.name, event.t, event.rising});
    for (const MechanismMotion::Singular& place : motion_.singular) s.singular.push_back({place.t, place.where});
    s.position_drift = motion_.drift.position;
    s.velocity_drift = motion_.drift.velocity;
    s.energy_error = is_dynamic() ? motion_.energy_error : std::nan("");
    s.largest_kinetic = motion_.kinetic.size() > 0 ? motion_.kinetic.maxCoeff() : 0;
    s.steps = motion_.steps;
    s.rejected = motion_.rejected;
    s.stopped = motion_.stopped;
  }

  void add_warnings() {
    const MechanismSummary& s = *results_.mechanism;
    std::vector<std::string>& warnings = results_.warnings;
    if (!s.redundant.empty())
      warnings.push_back(
          fmt::format("{} of the mechanism follow{} from the others: {}; the motion is the same without",
                      s.redundant.size() == 1 ? "one constraint" : fmt::format("{} constraints", s.redundant.size()),
                      s.redundant.size() == 1 ? "s" : "", join(s.redundant, "; ")));
    for (const MechanismSummary::Joint& joint : s.joints)
      if (!joint.undetermined.empty())
        warnings.push_back(fmt::format(
            "joint `{}`: {} {} not determined by the motion: the mechanism is over-constrained, and what is "
            "shown are the smallest forces that balance it; only elastic bodies decide",
            joint.name, join(joint.undetermined, ", "), joint.undetermined.size() == 1 ? "is" : "are"));
    for (const auto& driver : mechanism_.drivers())
      if (const auto jump = find_speed_jump(driver.law, motion_.times))
        warnings.push_back(
            fmt::format("driver `{}`: its speed jumps from {:.6g} to {:.6g} at t = {:.6g} s; the shock of that has no "
                        "finite force and is not in the results: round the kink of its position",
                        driver.name, jump->before, jump->after, jump->t));
    if (assembly_.is_singular)
      warnings.push_back("the mechanism starts in a singular position, where it can move in more ways than one");
    constexpr double kReturns = 1e-3;
    if (cycle_ && cycle_->return_error > kReturns)
      warnings.push_back(fmt::format(
          "motion and forces still change by {:.1e} of their size from one cycle of joint `{}` to the next: "
          "lengthen `settle` and `duration`",
          cycle_->return_error, cycle_->joint));
    constexpr size_t kMost = 10;
    for (size_t i = 0; i < std::min(kMost, s.singular.size()); ++i)
      warnings.push_back(fmt::format("singular position near t = {:.6g} s: {} depends on the other joints there{}",
                                     s.singular[i].t, s.singular[i].where,
                                     is_dynamic() ? "" : ", and forces near it may be wrong by any amount"));
    if (s.singular.size() > kMost)
      warnings.push_back(fmt::format("{} more singular positions are passed", s.singular.size() - kMost));
  }

  // ---- tables for people ----
  void add_tables() {
    add_overview();
    add_cycle();
    add_coordinates();
    add_liaisons();
    add_sources();
    add_point_peaks();
    add_events();
    add_coordinate_history();
    add_point_history();
    add_liaison_histories();
    add_source_history();
    add_energy_history();
    add_harmonics();
  }

  void add(std::string name, std::string title, std::vector<Column> columns, bool is_history = false) {
    results_.tables.push_back({std::move(name), std::move(title), std::move(columns), is_history});
  }

  void add_overview() {
    const MechanismSummary& s = *results_.mechanism;
    const auto one = [](double value) { return std::vector<double>{value}; };
    const auto word = [](const std::string& text) { return std::vector<std::string>{text}; };
    std::vector<Column> columns = {{"kind", "", word(s.kind)},
                                   {"formalism", "", word(s.formalism)},
                                   {"freedoms", "", one(s.n_freedoms)},
                                   {"end", "s", one(motion_.times.back())},
                                   {"steps", "", one(static_cast<double>(s.steps))}};
    if (is_dynamic()) columns.push_back({"rejected", "", one(static_cast<double>(s.rejected))});
    columns.push_back({"position_drift", "m, rad", one(s.position_drift)});
    columns.push_back({"speed_drift", "m/s, rad/s", one(s.velocity_drift)});
    columns.push_back({"kinetic_energy", "J", one(s.largest_kinetic)});
    if (is_dynamic()) columns.push_back({"energy_error", "J", one(s.energy_error)});
    add("mechanism", "Mechanism", std::move(columns));
  }

  void add_cycle() {
    if (!cycle_) return;
    const auto one = [](double value) { return std::vector<double>{value}; };
    add("mechanism_cycle", "The last cycle, which is what is recorded",
        {{"joint", "", std::vector<std::string>{cycle_->joint}},
         {"turns", "", one(cycle_->turns)},
         {"start", "s", one(cycle_->start)},
         {"period", "s", one(cycle_->period)},
         {"mean_speed", "rpm", one(60 * cycle_->turns / cycle_->period)},
         {"return_error", "", one(cycle_->return_error)}});
  }

  std::string coordinate_unit(int x) const { return mechanism_.coordinate_is_angle(x) ? "rad" : "m"; }

  void add_coordinates() {
    std::vector<std::string> names, units;
    std::vector<double> start, end, smallest, largest, mean, fastest, acceleration;
    const double duration = motion_.times.back() - motion_.times.front();
    for (int x = 0; x < mechanism_.n_x(); ++x) {
      const auto row = motion_.x.row(x);
      names.push_back(mechanism_.coordinate_name(x));
      units.push_back(coordinate_unit(x));
      start.push_back(row[0]);
      end.push_back(row[n_times() - 1]);
      smallest.push_back(row.minCoeff());
      largest.push_back(row.maxCoeff());
      const bool turns = mechanism_.coordinate_is_angle(x) && duration > 0;
      mean.push_back(turns ? (row[n_times() - 1] - row[0]) / duration * 30 / std::numbers::pi : std::nan(""));
      fastest.push_back(motion_.x_rate.row(x).cwiseAbs().maxCoeff());
      acceleration.push_back(motion_.x_acceleration.row(x).cwiseAbs().maxCoeff());
    }
    if (names.empty()) return;
    add("mechanism_joints", "Coordinates of the joints: x, largest |x'| and |x''|",
        {{"joint", "", names},
         {"unit", "", units},
         {"at_start", "", start},
         {"at_end", "", end},
         {"smallest", "", smallest},
         {"largest", "", largest},
         {"fastest", "1/s", fastest},
         {"acceleration", "1/s^2", acceleration},
         {"mean_speed", "rpm", mean}});
  }

  void add_liaisons() {
    const MechanismSummary& s = *results_.mechanism;
    if (s.joints.empty()) return;
    std::vector<std::string> names, kinds, open;
    std::vector<double> force, time, rms, moment, rms_moment;
    for (const MechanismSummary::Joint& joint : s.joints) {
      names.push_back(joint.name);
      kinds.push_back(joint.kind);
      force.push_back(joint.peak_force);
      time.push_back(joint.time_of_peak);
      rms.push_back(joint.rms_force);
      moment.push_back(joint.peak_moment);
      rms_moment.push_back(joint.rms_moment);
      open.push_back(joint.undetermined.empty() ? "-" : join(joint.undetermined, ", "));
    }
    std::vector<Column> columns = {{"joint", "", names},
                                   {"kind", "", kinds},
                                   {"peak_force", "N", force},
                                   {"at_time", "s", time},
                                   {"rms_force", "N", rms},
                                   {"peak_moment", "N m", moment},
                                   {"rms_moment", "N m", rms_moment}};
    if (std::any_of(open.begin(), open.end(), [](const std::string& text) { return text != "-"; }))
      columns.push_back({"not_determined", "", open});
    add("mechanism_liaison", "Liaison forces of the joints", std::move(columns));
  }

  // Drivers, motors, forces and springs: name, kind, unit, values over time.
  struct Acting {
    std::string name, kind, unit;
    std::vector<double> values;
  };
  std::vector<Acting> list_acting() const {
    std::vector<Acting> all;
    const auto unit_along = [&](int x) { return mechanism_.coordinate_is_angle(x) ? "N m" : "N"; };
    for (size_t i = 0; i < mechanism_.drivers().size(); ++i)
      all.push_back({mechanism_.drivers()[i].name, "driver", unit_along(mechanism_.drivers()[i].x),
                     to_vector(motion_.driver.row(static_cast<Index>(i)))});
    for (size_t i = 0; i < mechanism_.sources().size(); ++i) {
      const Mechanism::Source& source = mechanism_.sources()[i];
      all.push_back({source.name, to_text(source.kind), source.x >= 0 ? unit_along(source.x) : "N",
                     to_vector(motion_.source.row(static_cast<Index>(i)))});
    }
    for (const Mechanism::JointBlock& joint : mechanism_.joints())
      if (joint.viscous != 0)
        all.push_back({mechanism_.coordinate_name(joint.first_x), "viscous friction", unit_along(joint.first_x),
                       to_vector(-joint.viscous * motion_.x_rate.row(joint.first_x))});
    for (int x = 0; x < mechanism_.n_x(); ++x)
      if (motion_.friction.row(x).cwiseAbs().maxCoeff() > 0)
        all.push_back(
            {mechanism_.coordinate_name(x), "dry friction", unit_along(x), to_vector(motion_.friction.row(x))});
    return all;
  }

  void add_sources() {
    const std::vector<Acting> all = list_acting();
    if (all.empty()) return;
    std::vector<std::string> names, kinds, units;
    std::vector<double> smallest, largest, mean, rms;
    for (const Acting& one : all) {
      names.push_back(one.name);
      kinds.push_back(one.kind);
      units.push_back(one.unit);
      smallest.push_back(*std::min_element(one.values.begin(), one.values.end()));
      largest.push_back(*std::max_element(one.values.begin(), one.values.end()));
      mean.push_back(calc_mean(one.values, [](double f) { return f; }));
      rms.push_back(std::sqrt(calc_mean(one.values, [](double f) { return f * f; })));
    }
    add("mechanism_forces", "Forces and torques that act",
        {{"name", "", names},
         {"kind", "", kinds},
         {"unit", "", units},
         {"smallest", "", smallest},
         {"largest", "", largest},
         {"mean", "", mean},
         {"rms", "", rms}});
  }
  // Over the time, by trapezoids.
  template <class Function>
  double calc_mean(const std::vector<double>& values, const Function& f) const {
    const double duration = motion_.times.back() - motion_.times.front();
    if (!(duration > 0)) return f(values.front());
    double sum = 0;
    for (size_t k = 0; k + 1 < values.size(); ++k)
      sum += 0.5 * (motion_.times[k + 1] - motion_.times[k]) * (f(values[k]) + f(values[k + 1]));
    return sum / duration;
  }

  void add_point_peaks() {
    if (points_.empty()) return;
    std::vector<std::string> names;
    std::vector<double> speed, acceleration, time;
    for (const PointHistory& point : points_) {
      Index at = 0;
      names.push_back(point.name);
      speed.push_back(point.v.colwise().norm().maxCoeff());
      acceleration.push_back(point.a.colwise().norm().maxCoeff(&at));
      time.push_back(motion_.times[static_cast<size_t>(at)]);
    }
    add("mechanism_points", "Largest speed and acceleration of the points",
        {{"point", "", names},
         {"speed", "m/s", speed},
         {"acceleration", "m/s^2", acceleration},
         {"at_time", "s", time}});
  }

  void add_events() {
    if (motion_.events.empty()) return;
    std::vector<std::string> names, directions;
    std::vector<double> times;
    for (const MechanismMotion::Event& event : motion_.events) {
      names.push_back(event.name);
      directions.emplace_back(event.rising ? "rising" : "falling");
      times.push_back(event.t);
    }
    add("mechanism_events", motion_.stopped ? "Events; the last one ended the motion" : "Events",
        {{"event", "", names}, {"time", "s", times}, {"direction", "", directions}});
  }

  // ---- histories ----
  Column time_column() const { return {"t", "s", motion_.times}; }

  void add_coordinate_history() {
    if (mechanism_.n_x() == 0) return;
    std::vector<Column> columns = {time_column()};
    for (int x = 0; x < mechanism_.n_x(); ++x) {
      const std::string name = column_name(mechanism_.coordinate_name(x)), unit = coordinate_unit(x);
      columns.push_back({name, unit, to_vector(motion_.x.row(x))});
      columns.push_back({name + "_speed", unit + "/s", to_vector(motion_.x_rate.row(x))});
      columns.push_back({name + "_acceleration", unit + "/s^2", to_vector(motion_.x_acceleration.row(x))});
    }
    add("mechanism_coordinate_history", "Coordinates of the joints over time", std::move(columns), true);
  }

  void add_point_history() {
    if (points_.empty()) return;
    std::vector<Column> columns = {time_column()};
    for (const PointHistory& point : points_) {
      const std::string name = column_name(point.name);
      for (const auto& [part, prefix, unit] :
           {std::tuple{&point.x, "", "m"}, std::tuple{&point.v, "v", "m/s"}, std::tuple{&point.a, "a", "m/s^2"}})
        for (int axis = 0; axis < n_axes(); ++axis)
          columns.push_back({name + "_" + prefix + kAxes[static_cast<size_t>(axis)], unit, to_vector(part->row(axis))});
    }
    add("mechanism_point_history", "Points over time, world axes", std::move(columns), true);
  }

  // Force x, y[, z] and moment [x, y,] z of six rows.
  void add_wrench(std::vector<Column>& columns, const std::string& suffix, const Matrix6X& rows) const {
    for (int c = 0; c < 6; ++c) {
      if (planar() && c != 0 && c != 1 && c != 5) continue;
      const std::string name = (c < 3 ? "f" : "m") + std::string(kAxes[static_cast<size_t>(c % 3)]);
      columns.push_back({name + suffix, c < 3 ? "N" : "N m", to_vector(rows.row(c))});
    }
  }
  void add_liaison_histories() {
    for (size_t j = 0; j < histories_.size(); ++j) {
      const std::string& name = model_.joints[j].name;
      std::vector<Column> columns = {time_column()};
      add_wrench(columns, "", histories_[j].world);
      add_wrench(columns, "_body", histories_[j].body);
      add_wrench(columns, "_on_a", histories_[j].world_a);
      add_wrench(columns, "_on_a_body", histories_[j].body_a);
      add("liaison_" + name,
          "Joint `" + name + "`: force and moment on its second body in world and body axes, and on its first body",
          std::move(columns), true);
    }
  }

  void add_source_history() {
    const std::vector<Acting> all = list_acting();
    if (all.empty()) return;
    std::vector<Column> columns = {time_column()};
    for (const Acting& one : all) columns.push_back({column_name(one.kind + " " + one.name), one.unit, one.values});
    add("mechanism_force_history", "Forces and torques that act over time", std::move(columns), true);
  }

  void add_energy_history() {
    const VectorX energy = motion_.kinetic + motion_.potential;
    std::vector<Column> columns = {time_column(),
                                   {"kinetic", "J", to_vector(motion_.kinetic)},
                                   {"potential", "J", to_vector(motion_.potential)},
                                   {"power", "W", to_vector(motion_.power)}};
    if (is_dynamic()) {
      const VectorX error = (energy - motion_.work).array() - (energy[0] - motion_.work[0]);
      columns.push_back({"work", "J", to_vector(motion_.work)});
      columns.push_back({"energy_error", "J", to_vector(error)});
    }
    add("mechanism_energy_history", "Energy, power of all that is not in it, and work", std::move(columns), true);
  }

  void add_harmonics() {
    if (!cycle_ || points_.empty() || n_times() != request_.records + 1 || request_.records < 4) return;
    constexpr int kMostHarmonics = 20;
    const int count = std::min(kMostHarmonics, request_.records / 2 - 1);
    std::vector<double> number, hz;
    for (int k = 0; k <= count; ++k) {
      number.push_back(k);
      hz.push_back(k / cycle_->period);
    }
    std::vector<Column> columns = {{"harmonic", "", number}, {"frequency", "Hz", hz}};
    for (const PointHistory& point : points_)
      for (int axis = 0; axis < n_axes(); ++axis)
        columns.push_back({column_name(point.name) + "_a" + kAxes[static_cast<size_t>(axis)], "m/s^2",
                           calc_harmonics(to_vector(point.a.row(axis)), count)});
    add("mechanism_harmonics", "Harmonics of the accelerations of the points, world axes, 0-to-peak",
        std::move(columns), true);
  }

  // ---- animation: each body as lines through its points ----
  void add_frames() {
    std::vector<std::vector<int>> cells;
    std::vector<const PointHistory*> point_of;  // of each point of the grid
    for (size_t b = 0; b < model_.bodies.size(); ++b) {
      const Body& body = model_.bodies[b];
      const int first = static_cast<int>(point_of.size());
      for (const PointHistory& point : points_)
        if (point.body == b) point_of.push_back(&point);
      const int n = static_cast<int>(point_of.size()) - first;
      if (!body.members.empty()) {
        for (const Member& member : body.members)
          cells.push_back({first + find_point(body, member.from.value), first + find_point(body, member.to.value)});
      } else if (n > 0) {
        std::vector<int> line;
        for (int k = 0; k < n; ++k) line.push_back(first + k);
        if (n == 1) {  // a line to the centre of mass
          line.push_back(static_cast<int>(point_of.size()));
          point_of.push_back(&centers_[b]);
        }
        cells.push_back(line);
      }
    }
    if (cells.empty()) return;
    const Extras extras = make_extras();
    const Index stride = std::max<Index>(1, (n_times() + kMostFrames - 2) / (kMostFrames - 1));
    for (Index k = 0, frame = 0; k < n_times(); k += stride, ++frame) {
      Grid grid;
      grid.name = fmt::format("mechanism_{:04d}", frame);
      grid.animation = "mechanism";
      grid.time = motion_.times[static_cast<size_t>(k)];
      grid.cells = cells;
      const auto n = static_cast<Index>(point_of.size());
      grid.points.resize(3, n);
      PointField velocity{"velocity", "m/s", MatrixX(3, n)}, acceleration{"acceleration", "m/s^2", MatrixX(3, n)};
      PointField body{"body", "", MatrixX(1, n)};
      for (Index p = 0; p < n; ++p) {
        const PointHistory& point = *point_of[static_cast<size_t>(p)];
        grid.points.col(p) = point.x.col(k);
        velocity.values.col(p) = point.v.col(k);
        acceleration.values.col(p) = point.a.col(k);
        body.values(0, p) = static_cast<double>(point.body + 1);
      }
      grid.fields = {std::move(velocity), std::move(acceleration), std::move(body)};
      grid.point_names.clear();
      for (const PointHistory* point : point_of) grid.point_names.push_back(point ? point->name : "");
      add_extras(extras, k, grid);
      results_.grids.push_back(std::move(grid));
    }
  }

  // Besides the lines: each joint, a point with its force on its second body; and what bodies with a mesh look like,
  // sections along their members and sheets with their thickness, not deformed.
  struct Extras {
    std::vector<Mechanism::Side> joints, skin;  // places of the points
    std::vector<std::vector<int>> faces;        // numbers of points of the skin
  };
  Extras make_extras() const {
    constexpr size_t kMostPoints = 2000;  // of the skin, in each frame; more are left to the lines
    Extras extras;
    for (const Joint& joint : model_.joints) extras.joints.push_back(mechanism_.make_side(joint.b.value));
    Model at_rest = model_;
    at_rest.gravity.setZero();
    for (Body& body : at_rest.bodies) {
      if (body.is_rigid() || body.points.empty()) continue;
      body.motion = Motion{};
      const DrawingGrid drawing = make_drawing_grid(make_body_system(at_rest, body), DrawingDetail::straight);
      if (extras.skin.size() + static_cast<size_t>(drawing.points.cols()) > kMostPoints) continue;
      const auto first = static_cast<int>(extras.skin.size());
      const Point& known = body.points.front();
      const Mechanism::Side origin = mechanism_.make_side(body.name + "." + known.name);
      for (Index p = 0; p < drawing.points.cols(); ++p) {
        extras.skin.push_back(origin);
        extras.skin.back().r += drawing.points.col(p) - known.x;
      }
      for (std::vector<int> face : drawing.faces) {
        for (int& point : face) point += first;
        extras.faces.push_back(std::move(face));
      }
    }
    return extras;
  }

  void add_extras(const Extras& extras, Index k, Grid& grid) {
    const Index n_lines = grid.points.cols(), n_joints = static_cast<Index>(extras.joints.size()),
                n_skin = static_cast<Index>(extras.skin.size()), n = n_lines + n_joints + n_skin;
    PointField velocity{"velocity", "m/s", MatrixX::Zero(3, n)}, acceleration{"acceleration", "m/s^2", velocity.values},
        force{"liaison_force", "N", velocity.values}, moment{"liaison_moment", "N m", velocity.values},
        body{"body", "", MatrixX::Zero(1, n)};
    velocity.values.leftCols(n_lines) = grid.fields[0].values;
    acceleration.values.leftCols(n_lines) = grid.fields[1].values;
    body.values.leftCols(n_lines) = grid.fields[2].values;
    grid.points.conservativeResize(3, n);
    const VectorX a = motion_.a.col(k);
    MechanismInstant at = mechanism_.make_instant();
    mechanism_.evaluate({motion_.times[static_cast<size_t>(k)], motion_.q.col(k), motion_.v.col(k), motion_.x.col(k)},
                        at);
    const auto place = [&](const Mechanism::Side& side, Index p) {
      grid.points.col(p) = mechanism_.calc_point(at, side);
      velocity.values.col(p) = mechanism_.calc_point_velocity(at, side);
      acceleration.values.col(p) = mechanism_.calc_point_acceleration(at, a, side);
      body.values(0, p) = side.body + 1;
    };
    for (Index j = 0; j < n_joints; ++j) {
      const auto joint = static_cast<size_t>(j);
      place(extras.joints[joint], n_lines + j);
      force.values.col(n_lines + j) = histories_[joint].world.col(k).head<3>();
      moment.values.col(n_lines + j) = histories_[joint].world.col(k).tail<3>();
      grid.cells.push_back({static_cast<int>(n_lines + j)});
      grid.point_names.push_back("joint " + model_.joints[joint].name);
    }
    const auto first = static_cast<int>(n_lines + n_joints);
    for (Index s = 0; s < n_skin; ++s) place(extras.skin[static_cast<size_t>(s)], first + s);
    for (std::vector<int> face : extras.faces) {
      for (int& point : face) point += first;
      grid.faces.push_back(std::move(face));
    }
    grid.point_names.resize(static_cast<size_t>(n));
    grid.fields = {std::move(velocity), std::move(acceleration), std::move(body), std::move(force), std::move(moment)};
  }

  static int find_point(const Body& body, const std::string& name) {
    for (size_t k = 0; k < body.points.size(); ++k)
      if (body.points[k].name == name) return static_cast<int>(k);
    ELODYN_REQUIRE(false && "a member between known points");
    return 0;
  }

  const Model& model_;
  const MechanismRequest& request_;
  Results& results_;
  Mechanism mechanism_;
  Assembly assembly_;
  MechanismMotion motion_;
  std::optional<Cycle> cycle_;  // that is recorded
  std::vector<JointHistory> histories_;
  std::vector<PointHistory> points_;
  std::vector<PointHistory> centers_;  // of mass of each body
};

}  // namespace

std::map<std::string, MassProperties> calc_elastic_masses(const Model& model) {
  std::map<std::string, MassProperties> masses;
  Model at_rest = model;
  at_rest.gravity.setZero();
  for (Body& body : at_rest.bodies) {
    if (body.is_rigid()) continue;
    body.motion = Motion{};
    masses[body.name] = calc_mass_properties(make_body_system(at_rest, body));
  }
  return masses;
}

void add_mechanism(const Model& model, Results& results) {
  ELODYN_REQUIRE(model.mechanism.has_value());
  MechanismStudy(model, results).run();
}

}  // namespace elodyn
