#include "elodyn/study/linkage.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/analysis/linkage_motion.hpp"
#include "elodyn/analysis/peaks.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;

bool is_link(const Body& body) { return body.motion.kind == Motion::Kind::mechanism; }

// Rigid motions of a free link that its supports take away again, as a map of its dofs:  q ↦ Φ(SΦ)⁺S q.
MatrixX make_frame_map(const BodySystem& held, const BodySystem& free) {
  const MatrixX Phi = free.constraints.T() * free.rigid;
  MatrixX S = MatrixX::Zero(static_cast<Eigen::Index>(held.rows.size()), free.constraints.n_full());
  for (size_t r = 0; r < held.rows.size(); ++r)
    for (const auto& [dof, value] : held.rows[r].coefficients) S(static_cast<Eigen::Index>(r), dof) += value;
  return Phi * (S * Phi).colPivHouseholderQr().solve(S);
}

}  // namespace

JoinedLinks::JoinedLinks(const Model& model) : rigid_(run_rigid_stage(model)) {
  ElasticLinks links = make_elastic_links(model, rigid_);
  held_ = std::move(links.model);
  warnings_ = std::move(links.warnings);
  free_ = held_;
  for (Body& body : free_.bodies) {
    if (!is_link(body)) continue;
    if (!body.supports.empty()) body.damping.modal.clear();
    body.supports.clear();
  }
  std::vector<Linkage::Link> made;
  for (const Body& body : free_.bodies) {
    if (!is_link(body)) continue;
    systems_.push_back(make_body_system(free_, body));
  }
  for (size_t l = 0; l < systems_.size(); ++l) {
    const Body& body = *held_.find_body(systems_[l].body->name);
    to_frame_.emplace_back();
    made.push_back({&systems_[l], {}});
    if (body.supports.empty()) continue;
    const BodySystem held = make_body_system(held_, body);
    to_frame_.back() = make_frame_map(held, systems_[l]);
    if (!held.modal.empty()) made.back().damping = calc_damping(held, l);
  }
  linkage_ = std::make_unique<const Linkage>(rigid_.mechanism, rigid_.motion, rigid_.assembly.rows, std::move(made));
}

// D of the modes on the supports, which sees the deformation alone.
MatrixX JoinedLinks::calc_damping(const BodySystem& held, size_t link) const {
  const MatrixX T = systems_[link].constraints.T();
  const MatrixX deformation = T - to_frame_[link] * T;
  MatrixX P(held.constraints.n_reduced(), T.cols());
  for (int k = 0; k < P.rows(); ++k) P.row(k) = deformation.row(held.constraints.full_of_reduced(k));
  const MatrixX seen = held.modal.M_phi.transpose() * P;
  return seen.transpose() * held.modal.weights.asDiagonal() * seen;
}

VectorX JoinedLinks::calc_motion(size_t link, const VectorX& y) const {
  const BodySystem& s = systems_[link];
  return s.constraints.T() * linkage_->pick(s.body->name, y);
}

VectorX JoinedLinks::calc_deformation(size_t link, const VectorX& y) const {
  const VectorX q = calc_motion(link, y);
  return to_frame_[link].size() > 0 ? VectorX(q - to_frame_[link] * q) : q;
}

namespace {

struct Place {
  size_t link = 0;
  std::string name;  // "rod.M"
  Node node;
};

class LinkageReport {
 public:
  LinkageReport(const Model& model, Results& results) : request_(*model.linkage), joined_(model), results_(results) {
    results.warnings.insert(results.warnings.end(), joined_.warnings().begin(), joined_.warnings().end());
    find_places();
  }

  void run() {
    const Linkage& linkage = joined_.linkage();
    const BodySystem& first = joined_.system(0);
    if (request_.kind == LinkageRequest::Kind::periodic) {
      const Period period = find_period(first, request_.period, request_.start, "linkage");
      constexpr double kShare = 1e-2;  // of a mechanism that has about settled
      require_periodic(first, period, kShare, results_.warnings);
      cycle_ = period.cycle;
      LinkagePeriod found = find_steady(linkage, period, request_.records, request_.tolerance);
      states_ = std::move(found.states);
      const bool is_known = found.multiplier_change <= LinkagePeriod::kKnown;
      add_summary(period.length, found.steps, found.nearest_resonance,
                  is_known ? found.largest_multiplier : std::nan(""));
      warn_of_growth(found);
    } else {
      const double start = request_.start.value_or(linkage.path().start());
      const int steps = std::max(1, static_cast<int>(std::lround(*request_.duration / *request_.step)));
      LinkageState state = calc_quasi_static(linkage, start);
      if (request_.initial == LinkageRequest::Initial::undeformed)
        state = calc_linkage_state(linkage, start, VectorX::Zero(linkage.n()), VectorX::Zero(linkage.n()));
      states_ = run_linkage(linkage, state, *request_.duration / steps, steps, std::max(1, steps / request_.records));
      add_summary(*request_.duration, steps, std::nan(""), std::nan(""));
    }
    add_peaks();
    add_joints();
    add_history();
    if (request_.count > 0) add_frequencies();
  }

 private:
  void find_places() {
    for (size_t l = 0; l < joined_.n_links(); ++l) {
      const BodySystem& s = joined_.system(l);
      for (const Point& point : s.body->points) {
        const std::string name = s.body->name + "." + point.name;
        const auto node = s.mesh.node_of_point.find(point.name);
        const auto is_it = [&](const Located<std::string>& asked) { return asked.value == name; };
        if (node == s.mesh.node_of_point.end()) continue;
        if (request_.points.empty() || std::any_of(request_.points.begin(), request_.points.end(), is_it))
          places_.push_back({l, name, s.mesh.nodes[static_cast<size_t>(node->second)]});
      }
    }
  }

  void add_summary(double length, int steps, double nearest, double largest) {
    const Linkage& linkage = joined_.linkage();
    std::string held;
    for (const std::string& name : linkage.held()) held += (held.empty() ? "" : ", ") + name;
    Table table{"linkage", "Links joined, joints eliminated by Maggi's projection", {}};
    table.columns.push_back({"coordinates", "", std::vector<double>{static_cast<double>(linkage.n())}});
    table.columns.push_back({"constraints", "", std::vector<double>{static_cast<double>(linkage.n_rows())}});
    if (!held.empty()) table.columns.push_back({"held_joints", "", std::vector<std::string>{held}});
    table.columns.push_back({"duration", "s", std::vector<double>{length}});
    table.columns.push_back({"steps", "", std::vector<double>{static_cast<double>(steps)}});
    if (!std::isnan(nearest)) {
      table.columns.push_back({"nearest_resonance", "", std::vector<double>{nearest}});
      if (!std::isnan(largest)) table.columns.push_back({"largest_multiplier", "", std::vector<double>{largest}});
    }
    results_.tables.push_back(std::move(table));
  }

  void warn_of_growth(const LinkagePeriod& found) {
    constexpr double kNear = 0.02, kGrows = 1e-6;
    if (found.largest_multiplier - 1 > std::max(kGrows, found.multiplier_change))
      results_.warnings.push_back(
          fmt::format("small motions of the joined links grow by a factor of {:.6g} in a period (Floquet): the "
                      "vibration shown is not steady "
                      "in practice",
                      found.largest_multiplier));
    if (found.nearest_resonance < kNear)
      results_.warnings.push_back(
          fmt::format("a mode of the joined links is near a resonance with the motion (least |1 − μ| = {:.1e}): the "
                      "vibration is as large as its damping lets it be",
                      found.nearest_resonance));
  }

  // Rates beside the frame of the supports: what that frame adds moves the link as a whole.
  void add_peaks() {
    std::vector<std::string> bodies;
    std::vector<Peaks> peaks;
    Table history{"linkage_stress", "Largest stress of each link", {{"time", "s", times()}}};
    history.is_history = true;
    constexpr double kSmall = 0.1;
    constexpr int kStations = 5;  // per element
    Progress progress("stresses", static_cast<double>(joined_.n_links() * states_.size()));
    for (size_t l = 0; l < joined_.n_links(); ++l) {
      const BodySystem& s = joined_.system(l);
      PeakFinder finder(s, kStations);
      std::vector<double> stress;
      for (const LinkageState& state : states_) {
        throw_if_interrupted();
        const std::optional<double> largest =
            finder.add(state.t, s.calc_factors(state.t), joined_.calc_deformation(l, state.y),
                       joined_.calc_motion(l, state.y_rate), joined_.calc_motion(l, state.y_second));
        if (largest) stress.push_back(*largest);
        progress.advance();
      }
      bodies.push_back(s.body->name);
      peaks.push_back(finder.peaks());
      if (!stress.empty()) history.columns.push_back({s.body->name, "Pa", stress});
      if (const Peak& largest = finder.peaks().displacement; largest.value > kSmall * s.mesh.size)
        results_.warnings.push_back(fmt::format(
            "body `{}` bends by {:.3g} m, in a size of {:.3g} m: the equations hold for small displacements",
            s.body->name, largest.value, s.mesh.size));
    }
    results_.tables.push_back(
        make_peak_table("linkage_peaks", "Largest deformations and stresses of the links", bodies, peaks));
    if (history.columns.size() > 1) results_.tables.push_back(std::move(history));
  }

  // Forces on body b of each joint, of the rigid motion and with what the vibration adds.
  void add_joints() {
    const RigidStage& rigid = joined_.rigid();
    const Mechanism& mechanism = rigid.mechanism;
    const std::vector<JointHistory> joints = calc_joint_histories(mechanism, rigid.motion, rigid.assembly.rows);
    const auto knots = std::make_shared<const std::vector<double>>(rigid.motion.times);
    const MotionTable& table = *joined_.system(0).body->motion.table;
    std::vector<std::string> names;
    std::vector<double> rigid_peak, peak, added;
    Table history{
        "linkage_forces", "Forces of the joints on their body b, world axes, with those of the vibration", {}};
    history.is_history = true;
    history.columns.push_back({"time", "s", times()});
    constexpr const char* kAxes[] = {"x", "y", "z"};
    for (size_t j = 0; j < joints.size(); ++j) {
      std::vector<CubicSpline> splines;
      for (Eigen::Index i = 0; i < 3; ++i) {
        std::vector<double> own(rigid.motion.times.size());
        for (size_t k = 0; k < own.size(); ++k) own[k] = joints[j].world(i, static_cast<Eigen::Index>(k));
        splines.emplace_back(knots, std::move(own));
      }
      double before = 0, after = 0, more = 0;
      std::array<std::vector<double>, 3> columns;
      for (const LinkageState& state : states_) {
        const double t = table.fold(state.t);
        const Vec3 force(splines[0](t), splines[1](t), splines[2](t));
        const Vec3 delta = joined_.linkage().calc_joint_force(state.t, static_cast<int>(j), state.delta_lambda).force;
        before = std::max(before, force.norm());
        after = std::max(after, (force + delta).norm());
        more = std::max(more, delta.norm());
        for (size_t i = 0; i < 3; ++i) columns[i].push_back((force + delta)[static_cast<Eigen::Index>(i)]);
      }
      names.push_back(mechanism.joints()[j].name);
      rigid_peak.push_back(before);
      peak.push_back(after);
      added.push_back(more);
      for (size_t i = 0; i < (mechanism.is_planar() ? 2U : 3U); ++i)
        history.columns.push_back({names.back() + "_F" + kAxes[i], "N", columns[i]});
    }
    results_.tables.push_back(
        {"linkage_joints",
         "Largest force of each joint: of the rigid motion, with the vibration, of that alone",
         {{"joint", "", names}, {"rigid", "N", rigid_peak}, {"elastic", "N", peak}, {"difference", "N", added}}});
    results_.tables.push_back(std::move(history));
  }

  void add_history() {
    Table table{"linkage_motion", "Deformation of points of the links, against the supports of each", {}};
    table.is_history = true;
    table.columns.push_back({"time", "s", times()});
    if (cycle_) table.columns.push_back({cycle_->joint + "_angle", "deg", angles(times())});
    constexpr const char* kNames[] = {"u", "v", "w"};
    for (const Place& place : places_) {
      MatrixX u(3, static_cast<Eigen::Index>(states_.size()));
      for (size_t k = 0; k < states_.size(); ++k)
        u.col(static_cast<Eigen::Index>(k)) =
            components(place.node.translations(), joined_.calc_deformation(place.link, states_[k].y));
      for (size_t i = 0; i < 3; ++i) {
        if (place.node.translations()[i] < 0) continue;
        const Eigen::RowVectorXd row = u.row(static_cast<Eigen::Index>(i));
        table.columns.push_back({place.name + "_" + kNames[i], "m", std::vector<double>(row.begin(), row.end())});
      }
    }
    results_.tables.push_back(std::move(table));
  }

  void add_frequencies() {
    constexpr int kInstants = 72;
    const double from = states_.front().t, to = states_.back().t;
    std::vector<double> at;
    std::vector<std::vector<double>> hz(static_cast<size_t>(request_.count));
    Progress progress("frequencies", kInstants + 1);
    for (int k = 0; k <= kInstants; ++k) {
      throw_if_interrupted();
      at.push_back(from + (to - from) * k / kInstants);
      const std::vector<double> found = calc_frozen_frequencies(joined_.linkage(), at.back(), request_.count);
      for (size_t i = 0; i < hz.size(); ++i) hz[i].push_back(i < found.size() ? found[i] / (2 * pi) : std::nan(""));
      progress.advance();
    }
    std::vector<double> number, least, most;
    Table history{"linkage_cycle", "Frequencies of the joined links, frozen at each instant", {{"time", "s", at}}};
    history.is_history = true;
    if (cycle_) history.columns.push_back({cycle_->joint + "_angle", "deg", angles(at)});
    for (size_t i = 0; i < hz.size(); ++i) {
      if (std::isnan(hz[i].front())) break;
      number.push_back(static_cast<double>(i + 1));
      least.push_back(*std::min_element(hz[i].begin(), hz[i].end()));
      most.push_back(*std::max_element(hz[i].begin(), hz[i].end()));
      history.columns.push_back({fmt::format("f{}", i + 1), "Hz", hz[i]});
    }
    results_.tables.push_back({"linkage_frequencies",
                               "Frequencies of the joined links, frozen at each instant",
                               {{"mode", "", number}, {"least", "Hz", least}, {"most", "Hz", most}}});
    results_.tables.push_back(std::move(history));
  }

  std::vector<double> times() const {
    std::vector<double> out;
    for (const LinkageState& state : states_) out.push_back(state.t);
    return out;
  }
  std::vector<double> angles(const std::vector<double>& at) const {
    std::vector<double> out;
    for (const double t : at) out.push_back(cycle_->angle(joined_.system(0).body->motion.table->fold(t)) * 180 / pi);
    return out;
  }

  const LinkageRequest& request_;
  JoinedLinks joined_;
  Results& results_;
  std::vector<Place> places_;
  std::vector<LinkageState> states_;
  const Cycle* cycle_ = nullptr;
};

}  // namespace

void add_linkage(const Model& model, Results& results) { LinkageReport(model, results).run(); }

}  // namespace elodyn
