#include "elodyn/study/identify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/stopwatch.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/study/elastic_links.hpp"
#include "elodyn/study/mechanism.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {
namespace {

using Index = Eigen::Index;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kBand = 1.96;  // standard deviations: 95 %
// What shows of a bias counts so often in the variance of a force: more where all filmed bodies take part in each
// force, for their biases come from the same jump and add up. Found on films of a pump of 60 to 240 frames/s and 0.1 to
// 1 mm.
constexpr double kOwnBias = 0.7, kBiasOfAll = 1;
constexpr size_t kNear = 6;  // frames
constexpr const char* kAxes[] = {"x", "y", "z"};

FilterOptions make_filter(const IdentifyRequest& request) {
  FilterOptions options;
  options.kind = request.filter == IdentifyRequest::Filter::spline   ? FilterOptions::Kind::spline
                 : request.filter == IdentifyRequest::Filter::kalman ? FilterOptions::Kind::kalman
                                                                     : FilterOptions::Kind::savitzky_golay;
  options.window = request.window;
  options.degree = request.degree;
  options.noise = request.noise;
  return options;
}

// All films as one: their frames must be at the same times.
MarkerTracks join_films(const IdentifyRequest& request) {
  MarkerTracks all;
  for (const TrackFile& film : request.films) {
    ELODYN_REQUIRE(film.tracks != nullptr);
    if (all.markers.empty()) {
      all = *film.tracks;
      continue;
    }
    const MarkerTracks& other = *film.tracks;
    bool same = other.times.size() == all.times.size();
    const double step = (all.times.back() - all.times.front()) / static_cast<double>(all.times.size() - 1);
    for (size_t k = 0; same && k < all.times.size(); ++k) same = std::abs(other.times[k] - all.times[k]) < 1e-3 * step;
    if (!same)
      throw NumericalError("the films `" + request.films.front().name + "` and `" + film.name +
                           "` have frames at different times: give both the same start and rate, and as many frames");
    all.dimension = std::max(all.dimension, other.dimension);
    for (const MarkerTracks::Marker& marker : other.markers) {
      if (std::any_of(all.markers.begin(), all.markers.end(), [&](const auto& m) { return m.name == marker.name; }))
        throw NumericalError("two films show a marker `" + marker.name + "`");
      all.markers.push_back(marker);
    }
  }
  return all;
}

class Identifier {
 public:
  Identifier(const Model& model, const IdentifyRequest& request, const MarkerTracks& tracks, Results& results)
      : model_(model),
        request_(request),
        tracks_(tracks),
        results_(results),
        masses_(calc_elastic_masses(model)),
        unknown_(ForceBalance::make_model(model, trusted(request))),
        mechanism_(unknown_, masses_) {}

  Identification run() {
    find_start();
    film_bodies();
    choose_known();
    check_partners();
    choose_times();
    ForceBalance balance(mechanism_, start_, is_known_, request_.motion == IdentifyRequest::Motion::completed);
    solve(balance);
    return std::move(out_);
  }

  const Mechanism& mechanism() const { return mechanism_; }
  const Model& unknown_model() const { return unknown_; }
  const Assembly& assembly() const { return assembly_; }

 private:
  static std::vector<std::string> trusted(const IdentifyRequest& request) {
    std::vector<std::string> names;
    for (const auto& name : request.trust) names.push_back(name.value);
    return names;
  }
  bool planar() const { return mechanism_.is_planar(); }
  int n_levels() const { return planar() ? 3 : 6; }

  // Where bodies are before any film is looked at: relative poses of those that are fixed to each other, and the place
  // of those that are never known.
  void find_start() {
    Model free = unknown_;
    free.drivers.clear();
    free.motors.clear();
    free.forces.clear();
    Mechanism mechanism(free, masses_);
    assembly_ = assemble(mechanism, model_.mechanism ? model_.mechanism->start : 0);
    start_ = assembly_.state;
    mechanism_.set_offsets(start_);
    for (size_t g = 0; g < mechanism_.gears().size(); ++g)
      mechanism_.set_gear_constant(static_cast<int>(g), mechanism.gears()[g].constant);
  }

  // ---- film ----
  void film_bodies() {
    const FilterOptions filter = make_filter(request_);
    std::vector<bool> is_used(tracks_.markers.size(), false);
    std::vector<std::string> too_few;
    for (const Body& body : model_.bodies) {
      FilmedBody filmed;
      filmed.name = body.name;
      std::vector<Matrix3X> points;
      std::vector<Vec3> places;
      for (size_t m = 0; m < tracks_.markers.size(); ++m) {
        const MarkerTracks::Marker& marker = tracks_.markers[m];
        const Point* point = find_point(body, marker.name);
        if (point == nullptr) continue;
        is_used[m] = true;
        filmed.markers.push_back(marker.name);
        points.push_back(marker.points);
        if (planar()) points.back().row(2) = 0 * points.back().row(0);  // gaps stay gaps
        places.push_back(point->x);
      }
      if (points.empty()) continue;
      Matrix3X reference(3, static_cast<Index>(places.size()));
      for (size_t i = 0; i < places.size(); ++i) reference.col(static_cast<Index>(i)) = places[i];
      if (points.size() < (planar() ? 2U : 3U)) {
        too_few.push_back("`" + body.name + "`");
        continue;
      }
      try {
        filmed.poses = fit_poses(reference, points, tracks_.times, planar() ? 2 : 3);
        filmed.motion = find_motion(filmed.poses, filter, request_.longest_gap);
        check_markers(filmed, reference);
      } catch (const NumericalError& error) {
        throw NumericalError("body `" + body.name + "`: " + error.what());
      }
      out_.bodies.push_back(std::move(filmed));
    }
    for (size_t m = 0; m < is_used.size(); ++m)
      if (!is_used[m])
        results_.warnings.push_back("marker `" + tracks_.markers[m].name +
                                    "` is not used: say what it shows, [analysis.identify.marker." +
                                    tracks_.markers[m].name + "] at = \"BODY.POINT\"");
    if (!too_few.empty())
      results_.warnings.push_back(fmt::format("too few markers for a pose of {}: {} are needed", join(too_few, ", "),
                                              planar() ? "two" : "three that are not on one line"));
    if (out_.bodies.empty())
      throw NumericalError(
          "no body is filmed: name the markers BODY.POINT, or give them [analysis.identify.marker.NAME]");
  }

  // Wrong units and names show in markers that are not where the body has them.
  void check_markers(const FilmedBody& body, const Matrix3X& reference) {
    constexpr double kFar = 0.05, kOften = 0.5;  // of the markers' distance from their mean; of the frames
    const double spread = std::sqrt((reference.colwise() - reference.rowwise().mean()).colwise().squaredNorm().mean());
    if (body.poses.noise > kFar * spread)
      results_.warnings.push_back(fmt::format(
          "the markers of body `{}` are {:.3g} m (rms) from where it has them, which are {:.3g} m from their "
          "mean: is the unit of the film right, and does each name belong to its point?",
          body.name, body.poses.noise, spread));
    for (size_t m = 0; m < body.markers.size(); ++m) {
      const auto& marker = body.poses.markers[m];
      if (marker.rejected > kOften * marker.seen)
        results_.warnings.push_back(
            fmt::format("marker `{}` is not believed in {} of {} frames: is its place in body "
                        "`{}` right, and are no two names exchanged?",
                        body.markers[m], marker.rejected, marker.seen, body.name));
    }
  }

  const Point* find_point(const Body& body, const std::string& marker) const {
    std::string at = marker;
    for (const FilmMarker& given : request_.markers)
      if (given.name == marker) at = given.at.value;
    const auto parts = parse_body_point(at);
    return parts && parts->body == body.name ? body.find_point(parts->point) : nullptr;
  }

  // ---- which bodies take part ----
  void choose_known() {
    is_known_.assign(static_cast<size_t>(mechanism_.n_bodies()), false);
    MechanismInstant at = mechanism_.make_instant();
    mechanism_.evaluate(start_, at);
    for (size_t f = 0; f < out_.bodies.size(); ++f) {
      const int body = mechanism_.find_body(out_.bodies[f].name);
      is_known_[static_cast<size_t>(body)] = true;
      const Vec3 center = mechanism_.bodies()[static_cast<size_t>(body)].mass.center;
      carried_.push_back({static_cast<int>(f), body, center - out_.bodies[f].motion.point, Mat3::Identity(), 0});
    }
    if (request_.motion == IdentifyRequest::Motion::completed) return;
    // Those that are fixed to them, as often as there are some.
    for (bool again = true; again;) {
      again = false;
      for (const auto& joint : mechanism_.joints()) {
        if (joint.kind != Joint::Kind::fixed) continue;
        for (const auto& [from, to] : {std::pair{joint.a.body, joint.b.body}, std::pair{joint.b.body, joint.a.body}}) {
          const bool has_from = from < mechanism_.n_bodies() && is_known_[static_cast<size_t>(from)];
          if (!has_from || to == mechanism_.n_bodies() || is_known_[static_cast<size_t>(to)]) continue;
          const auto it = std::find_if(carried_.begin(), carried_.end(),
                                       [&, own = from](const Carried& c) { return c.body == own; });
          const auto& pose_from = at.poses[static_cast<size_t>(from)];
          const auto& pose_to = at.poses[static_cast<size_t>(to)];
          const Mat3 R_from = mechanism_.calc_R(at, from), R_to = mechanism_.calc_R(at, to);
          Carried next = *it;
          next.body = to;
          next.d = it->d + it->R * (R_from.transpose() * (pose_to.C - pose_from.C));
          next.R = it->R * R_from.transpose() * R_to;
          next.angle = it->angle + pose_to.theta - pose_from.theta;
          carried_.push_back(next);
          is_known_[static_cast<size_t>(to)] = again = true;
        }
      }
    }
  }

  // A joint between a known and an unknown body must not need the motion of the latter.
  void check_partners() const {
    if (request_.motion == IdentifyRequest::Motion::completed) return;
    const auto is_ground = [&](int body) { return body == mechanism_.n_bodies(); };
    const auto knows = [&](int body) { return is_ground(body) || is_known_[static_cast<size_t>(body)]; };
    const auto fail = [&](const std::string& what, int body) {
      throw NumericalError(what + " needs the motion of body `" + mechanism_.bodies()[static_cast<size_t>(body)].name +
                           "`: film it too, or set motion = \"completed\"");
    };
    for (const auto& joint : mechanism_.joints()) {
      if (is_ground(joint.a.body) || is_ground(joint.b.body)) continue;  // which is known
      if (knows(joint.a.body) == knows(joint.b.body)) continue;
      const int unknown = knows(joint.a.body) ? joint.b.body : joint.a.body;
      const bool is_free = joint.kind == Joint::Kind::revolute || joint.kind == Joint::Kind::spherical ||
                           joint.kind == Joint::Kind::fixed;
      if (!is_free) fail("joint `" + joint.name + "`", unknown);
      if (joint.viscous != 0) fail("the viscous friction of joint `" + joint.name + "`", unknown);
      for (const auto& source : mechanism_.sources())
        if (source.x >= joint.first_x && source.x < joint.first_x + joint.n_x)
          fail("`" + source.name + "` on joint `" + joint.name + "`", unknown);
    }
    for (const auto& source : mechanism_.sources())
      if (source.kind == Mechanism::Source::Kind::spring && !is_ground(source.a.body) && !is_ground(source.b.body) &&
          knows(source.a.body) != knows(source.b.body))
        fail("spring `" + source.name + "`", knows(source.a.body) ? source.b.body : source.a.body);
  }

  void choose_times() {
    const double first = tracks_.times.front() + request_.trim, last = tracks_.times.back() - request_.trim;
    for (size_t k = 0; k < tracks_.times.size(); ++k) {
      if (tracks_.times[k] < first || tracks_.times[k] > last) continue;
      if (!std::all_of(out_.bodies.begin(), out_.bodies.end(),
                       [&](const FilmedBody& body) { return body.motion.instants[k].is_known; }))
        continue;
      out_.times.push_back(tracks_.times[k]);
      out_.frames.push_back(static_cast<int>(k));
    }
    if (out_.times.empty())
      throw NumericalError(
          "at no time all filmed bodies are known: their markers are seen at different times, gaps are longer than "
          "longest_gap, or trim leaves nothing");
  }

  // ---- forces ----
  struct Carried {
    int filmed = 0, body = 0;
    Vec3 d = Vec3::Zero();  // of the centre from the marker's mean, axes of the filmed body
    Mat3 R = Mat3::Identity();
    double angle = 0;
  };

  std::vector<KnownMotion> make_known(const std::vector<BodyInstant>& filmed, bool with_weights) const {
    std::vector<KnownMotion> out;
    for (const Carried& carried : carried_) {
      const BodyInstant at = move_to(filmed[static_cast<size_t>(carried.filmed)], carried.d);
      KnownMotion motion;
      motion.body = carried.body;
      motion.C = at.p;
      motion.v = at.v;
      motion.a = at.a;
      motion.R = at.R * carried.R;
      motion.angle = at.angle + carried.angle;
      motion.w = at.w;
      motion.e = at.e;
      if (with_weights) add_weights(at, motion);
      out.push_back(std::move(motion));
    }
    return out;
  }

  // Of the body's own coordinates: in space the turn in body axes.
  void add_weights(const BodyInstant& at, KnownMotion& motion) const {
    for (int level = 0; level < 3; ++level) {
      Eigen::Matrix<double, 6, 6> C = at.covariance.block<6, 6>(6 * level, 6 * level);
      if (!planar()) {
        Eigen::Matrix<double, 6, 6> T = Eigen::Matrix<double, 6, 6>::Identity();
        T.bottomRightCorner<3, 3>() = motion.R.transpose();
        C = T * C * T.transpose();
      }
      MatrixX own(n_levels(), n_levels());
      const int index[] = {0, 1, planar() ? 5 : 2, 3, 4, 5};
      for (int i = 0; i < n_levels(); ++i)
        for (int j = 0; j < n_levels(); ++j) own(i, j) = C(index[i], index[j]);
      MatrixX inverse = MatrixX::Identity(n_levels(), n_levels());
      if (!cholesky_in_place(own)) continue;  // without noise: equal weights
      solve_lower(own, inverse);
      motion.whiten[level] = inverse;
    }
  }

  // The entries of p, φ, v, ω, a, ε that there are.
  std::vector<int> entries() const {
    if (!planar()) {
      std::vector<int> all(18);
      for (int i = 0; i < 18; ++i) all[static_cast<size_t>(i)] = i;
      return all;
    }
    return {0, 1, 5, 6, 7, 11, 12, 13, 17};
  }
  static void shift(BodyInstant& at, int entry, double by) {
    const int i = entry % 3;
    Vec3 turn = Vec3::Zero();
    turn[i] = by;
    switch (entry / 3) {
      case 0:
        at.p[i] += by;
        break;
      case 1:
        at.R = Eigen::AngleAxisd(by, Vec3::Unit(i)).toRotationMatrix() * at.R;
        if (i == 2) at.angle += by;
        break;
      case 2:
        at.v[i] += by;
        break;
      case 3:
        at.w[i] += by;
        break;
      case 4:
        at.a[i] += by;
        break;
      default:
        at.e[i] += by;
    }
  }

  VectorX pack(const ForceBalance::Solution& solution) const {
    VectorX out(static_cast<Index>(6 * solution.loads.size() + mechanism_.drivers().size()));
    Index i = 0;
    for (const JointLoad& load : solution.loads) {
      const Wrench total = load.total_b();
      out.segment<6>(i) << total.force, total.moment;
      i += 6;
    }
    for (const auto& driver : mechanism_.drivers()) out[i++] = solution.lambda[driver.row];
    return out;
  }

  void solve(const ForceBalance& balance) {
    const auto n = static_cast<Index>(out_.times.size());
    const std::vector<bool> no_driver(mechanism_.drivers().size(), false);
    MechanismState near = start_;
    MechanismState first_state;
    std::vector<VectorX> values, variances, biases;
    Progress progress("identify: forces", static_cast<double>(n));
    for (Index k = 0; k < n; ++k) {
      std::vector<BodyInstant> filmed;
      for (const FilmedBody& body : out_.bodies)
        filmed.push_back(body.motion.instants[static_cast<size_t>(out_.frames[static_cast<size_t>(k)])]);
      const double t = out_.times[static_cast<size_t>(k)];
      const std::vector<KnownMotion> known = make_known(filmed, true);
      ForceBalance::Solution solution;
      try {
        solution = balance.solve(t, known, near);
      } catch (const NumericalError& error) {
        throw NumericalError(fmt::format("t = {:.6g} s: {}", t, error.what()));
      }
      near = solution.state;
      const VectorX value = pack(solution);
      VectorX variance = VectorX::Zero(value.size()), bias = VectorX::Zero(value.size());
      const std::vector<int> all = entries();
      for (size_t f = 0; f < filmed.size(); ++f) {
        const Mat18& C =
            out_.bodies[f].motion.instants[static_cast<size_t>(out_.frames[static_cast<size_t>(k)])].covariance;
        MatrixX J(value.size(), static_cast<Index>(all.size())), own(J.cols(), J.cols());
        for (size_t i = 0; i < all.size(); ++i) {
          for (size_t j = 0; j < all.size(); ++j) own(static_cast<Index>(i), static_cast<Index>(j)) = C(all[i], all[j]);
          const double step = std::max(std::sqrt(C(all[i], all[i])), 1e-9);
          std::vector<BodyInstant> shifted = filmed;
          shift(shifted[f], all[i], step);
          std::vector<KnownMotion> moved = make_known(shifted, false);
          for (size_t b = 0; b < moved.size(); ++b)
            for (int level = 0; level < 3; ++level) moved[b].whiten[level] = known[b].whiten[level];
          J.col(static_cast<Index>(i)) = (pack(balance.solve(t, moved, near)) - value) / step;
        }
        variance += (J * own * J.transpose()).diagonal();
        VectorX change(J.cols());
        for (size_t i = 0; i < all.size(); ++i) change[static_cast<Index>(i)] = filmed[f].change[all[i]];
        bias += J * change;
      }
      values.push_back(value);
      variances.push_back(variance.cwiseMax(0));
      biases.push_back(bias.cwiseAbs());
      if (k == 0) first_state = solution.state;
      out_.solutions.push_back(std::move(solution));
      progress.advance(1);
      throw_if_interrupted();
    }
    const auto found = balance.find_determinacy(first_state, balance.is_known(), no_driver);
    const double share = request_.motion == IdentifyRequest::Motion::completed ? kBiasOfAll : kOwnBias;
    std::vector<VectorX> sigmas;
    for (size_t k = 0; k < values.size(); ++k) {
      // What shows of it passes zero where it does not, and is spread over some frames: that nearby counts, too.
      VectorX bias = biases[k];
      for (size_t i = k - std::min(k, kNear); i < std::min(values.size(), k + kNear + 1); ++i)
        bias = bias.cwiseMax(biases[i]);
      sigmas.push_back((variances[k] + share * bias.cwiseAbs2()).cwiseSqrt());
    }
    keep(found, values, sigmas);
    if (!found.is_complete()) say_what_is_missing(balance, first_state, found);
  }

  void keep(const ForceBalance::Determinacy& found, const std::vector<VectorX>& values,
            const std::vector<VectorX>& sigmas) {
    const auto n = static_cast<Index>(values.size());
    Index at = 0;
    for (size_t j = 0; j < mechanism_.joints().size(); ++j, at += 6) {
      Identification::Force force{mechanism_.joints()[j].name, Matrix6X(6, n), Matrix6X(6, n)};
      for (Index k = 0; k < n; ++k) {
        force.value.col(k) = values[static_cast<size_t>(k)].segment<6>(at);
        force.sigma.col(k) = sigmas[static_cast<size_t>(k)].segment<6>(at);
      }
      for (Index c = 0; c < 6; ++c)
        if (!found.joints[j][static_cast<size_t>(c)]) {
          force.value.row(c).setConstant(kNaN);
          force.sigma.row(c).setConstant(kNaN);
        }
      out_.joints.push_back(std::move(force));
    }
    for (size_t d = 0; d < mechanism_.drivers().size(); ++d, ++at) {
      const auto& driver = mechanism_.drivers()[d];
      Identification::Drive drive{driver.name, mechanism_.coordinate_is_angle(driver.x) ? "N m" : "N", VectorX(n),
                                  VectorX(n)};
      for (Index k = 0; k < n; ++k) {
        drive.value[k] = found.drivers[d] ? values[static_cast<size_t>(k)][at] : kNaN;
        drive.sigma[k] = found.drivers[d] ? sigmas[static_cast<size_t>(k)][at] : kNaN;
      }
      out_.drives.push_back(std::move(drive));
    }
  }

  // The fewest bodies to film, or laws to trust, that determine all forces of the joints that are reached now.
  void say_what_is_missing(const ForceBalance& balance, const MechanismState& state,
                           const ForceBalance::Determinacy& found) {
    std::vector<std::string> open;
    for (size_t j = 0; j < found.joints.size(); ++j)
      if (found.reached[j] && !is_all(found.joints[j])) open.push_back("`" + mechanism_.joints()[j].name + "`");
    if (open.empty()) return;
    std::vector<std::string> names;
    for (const FilmedBody& body : out_.bodies) names.push_back("`" + body.name + "`");
    const std::string fact = fmt::format(
        "the motion of {} gives {} equations of {} independent ones for {} components of forces: those of joint{} {} "
        "are "
        "not all determined",
        join(names, ", "), found.n_equations, found.rank, found.n_unknowns, open.size() == 1 ? "" : "s",
        join(open, ", "));
    results_.warnings.push_back(fact + "; " + suggest_data(balance, state, found));
  }
  static bool is_all(const Determined& determined) {
    return std::all_of(determined.begin(), determined.end(), [](bool is) { return is; });
  }

  std::string suggest_data(const ForceBalance& balance, const MechanismState& state,
                           const ForceBalance::Determinacy& found) const {
    struct Datum {
      bool is_body;
      int index;
      std::string text;
    };
    std::vector<Datum> data;
    for (int b = 0; b < mechanism_.n_bodies(); ++b)
      if (!balance.is_known()[static_cast<size_t>(b)])
        data.push_back({true, b, "film body `" + mechanism_.bodies()[static_cast<size_t>(b)].name + "`"});
    for (size_t d = 0; d < mechanism_.drivers().size(); ++d)
      data.push_back({false, static_cast<int>(d), "trust the law of `" + mechanism_.drivers()[d].name + "`"});
    const auto solves = [&](const std::vector<size_t>& chosen) {
      std::vector<bool> known = balance.is_known(), drivers(mechanism_.drivers().size(), false);
      for (const size_t i : chosen) (data[i].is_body ? known : drivers)[static_cast<size_t>(data[i].index)] = true;
      for (bool again = true; again;) {  // what is fixed to them
        again = false;
        for (const auto& joint : mechanism_.joints()) {
          if (joint.kind != Joint::Kind::fixed) continue;
          const int a = joint.a.body, b = joint.b.body, ground = mechanism_.n_bodies();
          if (a == ground || b == ground || known[static_cast<size_t>(a)] == known[static_cast<size_t>(b)]) continue;
          known[static_cast<size_t>(a)] = known[static_cast<size_t>(b)] = again = true;
        }
      }
      const auto with = balance.find_determinacy(state, known, drivers);
      for (size_t j = 0; j < found.joints.size(); ++j)
        if (found.reached[j] && !is_all(with.joints[j])) return false;
      return true;
    };
    std::vector<std::string> ways;
    for (size_t i = 0; i < data.size(); ++i)
      if (solves({i})) ways.push_back(data[i].text);
    for (size_t i = 0; ways.empty() && i < data.size(); ++i)
      for (size_t j = i + 1; j < data.size(); ++j)
        if (solves({i, j})) ways.push_back(data[i].text + " and " + data[j].text);
    return ways.empty() ? "only elastic bodies, or a force that is measured, would decide"
                        : "what would do: " + join(ways, "; or ");
  }

  const Model& model_;
  const IdentifyRequest& request_;
  const MarkerTracks& tracks_;
  Results& results_;
  std::map<std::string, MassProperties> masses_;
  Model unknown_;
  Mechanism mechanism_;
  Assembly assembly_;
  MechanismState start_;
  std::vector<bool> is_known_;
  std::vector<Carried> carried_;
  Identification out_;

 public:
  RigidStage make_stage(const Identification& found) const;
};

// The motion that was found in place of one that was integrated. Forces that are not determined are the shortest.
RigidStage Identifier::make_stage(const Identification& found) const {
  MechanismMotion motion;
  motion.times = found.times;
  const auto n = static_cast<Index>(found.times.size());
  motion.q.resize(mechanism_.n_q(), n);
  for (MatrixX* part : {&motion.v, &motion.a}) part->resize(mechanism_.n_v(), n);
  for (MatrixX* part : {&motion.x, &motion.x_rate, &motion.x_acceleration}) part->resize(mechanism_.n_x(), n);
  motion.lambda.resize(mechanism_.n_rows(), n);
  motion.friction = MatrixX::Zero(mechanism_.n_x(), n);
  motion.source = MatrixX::Zero(static_cast<Index>(mechanism_.sources().size()), n);
  motion.driver = MatrixX::Zero(static_cast<Index>(mechanism_.drivers().size()), n);
  motion.kinetic = motion.potential = motion.power = motion.work = VectorX::Zero(n);
  MechanismInstant at = mechanism_.make_instant();
  for (Index k = 0; k < n; ++k) {
    const ForceBalance::Solution& solution = found.solutions[static_cast<size_t>(k)];
    motion.q.col(k) = solution.state.q;
    motion.v.col(k) = solution.state.v;
    motion.a.col(k) = solution.acceleration;
    motion.x.col(k) = solution.state.x;
    mechanism_.evaluate(solution.state, at);
    motion.x_rate.col(k) = at.x_rate;
    motion.x_acceleration.col(k) = at.J * solution.acceleration + at.bias;
    motion.lambda.col(k) = solution.lambda;
  }
  return {mechanism_, assembly_, std::move(motion), 0};
}

// ---- tables ----

void add_table(Results& results, std::string name, std::string title, std::vector<Column> columns,
               bool is_history = false) {
  results.tables.push_back({std::move(name), std::move(title), std::move(columns), is_history});
}
std::vector<double> to_vector(const auto& row) { return {row.begin(), row.end()}; }

std::string short_name(std::string text) {
  for (char& c : text)
    if (c == ' ' || c == '.') c = '_';
  return text;
}

void add_film_tables(const Identification& found, Results& results) {
  std::vector<std::string> markers, bodies;
  std::vector<double> seen, rejected, rms;
  for (const FilmedBody& body : found.bodies)
    for (size_t m = 0; m < body.markers.size(); ++m) {
      markers.push_back(body.markers[m]);
      seen.push_back(body.poses.markers[m].seen);
      rejected.push_back(body.poses.markers[m].rejected);
      rms.push_back(body.poses.markers[m].rms);
    }
  add_table(results, "identify_markers",
            "Markers: frames in which they are seen and not believed, rms residual of the rigid fit",
            {{"marker", "", markers}, {"seen", "", seen}, {"rejected", "", rejected}, {"residual", "m", rms}});
  std::vector<double> gaps, outliers, noise, of_fit, band_a, band_e, largest_a, largest_e;
  for (const FilmedBody& body : found.bodies) {
    bodies.push_back(body.name);
    gaps.push_back(body.motion.n_gaps);
    outliers.push_back(body.motion.n_outliers);
    noise.push_back(body.motion.noise);
    of_fit.push_back(body.poses.noise);
    double a = 0, e = 0, most_a = 0, most_e = 0;
    for (const int frame : found.frames) {
      const BodyInstant& at = body.motion.instants[static_cast<size_t>(frame)];
      const auto variance = at.covariance.diagonal();
      a += variance.segment<3>(12).sum() / body.motion.dimension;
      e += variance.segment<3>(15).sum() / (body.motion.dimension == 2 ? 1 : 3);
      most_a = std::max(most_a, at.a.norm());
      most_e = std::max(most_e, at.e.norm());
    }
    const auto n = static_cast<double>(found.frames.size());
    band_a.push_back(kBand * std::sqrt(a / n));
    band_e.push_back(kBand * std::sqrt(e / n));
    largest_a.push_back(most_a);
    largest_e.push_back(most_e);
  }
  add_table(results, "identify_bodies",
            "Motion of the filmed bodies at the mean of their markers, bands of 95 % (rms over time)",
            {{"body", "", bodies},
             {"gaps", "", gaps},
             {"outliers", "", outliers},
             {"noise", "m", noise},
             {"noise_of_fit", "m", of_fit},
             {"acceleration", "m/s^2", largest_a},
             {"band_a", "m/s^2", band_a},
             {"angular_acceleration", "rad/s^2", largest_e},
             {"band_e", "rad/s^2", band_e}});
}

void add_motion_histories(const Model& model, const Identification& found, Results& results) {
  for (const FilmedBody& body : found.bodies) {
    const bool planar = body.motion.dimension == 2;
    const Body* of_model = model.find_body(body.name);
    std::vector<Column> columns = {{"t", "s", found.times}};
    std::vector<BodyInstant> at;
    for (const int frame : found.frames)
      at.push_back(move_to(body.motion.instants[static_cast<size_t>(frame)], -body.motion.point));
    const auto add = [&](const std::string& name, const std::string& unit, Index entry, const auto& value) {
      std::vector<double> values, bands;
      for (const BodyInstant& instant : at) {
        values.push_back(value(instant));
        bands.push_back(kBand * std::sqrt(std::max(0.0, instant.covariance(entry, entry))));
      }
      columns.push_back({name, unit, values});
      columns.push_back({name + "_band", unit, bands});
    };
    for (Index i = 0; i < body.motion.dimension; ++i)
      add(kAxes[i], "m", i, [i](const BodyInstant& b) { return b.p[i]; });
    if (planar) add("angle", "rad", 5, [](const BodyInstant& b) { return b.angle; });
    for (Index i = 0; i < body.motion.dimension; ++i)
      add(fmt::format("v{}", kAxes[i]), "m/s", 6 + i, [i](const BodyInstant& b) { return b.v[i]; });
    for (Index i = planar ? 2 : 0; i < 3; ++i)
      add(fmt::format("w{}", kAxes[i]), "rad/s", 9 + i, [i](const BodyInstant& b) { return b.w[i]; });
    for (Index i = 0; i < body.motion.dimension; ++i)
      add(fmt::format("a{}", kAxes[i]), "m/s^2", 12 + i, [i](const BodyInstant& b) { return b.a[i]; });
    for (Index i = planar ? 2 : 0; i < 3; ++i)
      add(fmt::format("e{}", kAxes[i]), "rad/s^2", 15 + i, [i](const BodyInstant& b) { return b.e[i]; });
    std::vector<double> residual;
    for (const int frame : found.frames) residual.push_back(body.poses.residual[static_cast<size_t>(frame)]);
    columns.push_back({"residual", "m", residual});
    ELODYN_REQUIRE(of_model != nullptr);
    add_table(results, "identify_" + short_name(body.name),
              "Measured motion of the origin of body `" + body.name + "`, world axes, bands of 95 %",
              std::move(columns), true);
  }
}

void add_force_tables(const Identification& found, bool planar, Results& results) {
  std::vector<std::string> names;
  std::vector<double> peak, at_time, band, rms, moment, moment_band;
  for (const Identification::Force& force : found.joints) {
    if (!force.value.topRows(planar ? 2 : 3).allFinite()) continue;
    Index largest = 0;
    double squares = 0, bands = 0, most = 0, moment_bands = 0;
    for (Index k = 0; k < force.value.cols(); ++k) {
      const double size = force.value.col(k).head<3>().norm();
      if (size > force.value.col(largest).head<3>().norm()) largest = k;
      squares += size * size;
      bands += force.sigma.col(k).head<3>().squaredNorm() / (planar ? 2 : 3);
      const Vec3 m = force.value.col(k).tail<3>();
      if (m.allFinite()) most = std::max(most, m.norm());
      if (m.allFinite()) moment_bands += force.sigma.col(k).tail<3>().squaredNorm();
    }
    const auto n = static_cast<double>(force.value.cols());
    names.push_back(force.name);
    peak.push_back(force.value.col(largest).head<3>().norm());
    at_time.push_back(found.times[static_cast<size_t>(largest)]);
    rms.push_back(std::sqrt(squares / n));
    band.push_back(kBand * std::sqrt(bands / n));
    moment.push_back(most);
    moment_band.push_back(kBand * std::sqrt(moment_bands / n));
    std::vector<Column> columns = {{"t", "s", found.times}};
    const auto add = [&](const std::string& name, const char* unit, Index row) {
      columns.push_back({name, unit, to_vector(force.value.row(row))});
      columns.push_back({name + "_band", unit, to_vector((kBand * force.sigma.row(row)).eval())});
    };
    for (Index i = 0; i < (planar ? 2 : 3); ++i) add(fmt::format("F{}", kAxes[i]), "N", i);
    for (Index i = planar ? 2 : 0; i < 3; ++i) add(fmt::format("M{}", kAxes[i]), "N m", 3 + i);
    add_table(results, "identify_joint_" + short_name(force.name),
              "Measured force of joint `" + force.name + "` on its second body, world axes, bands of 95 %",
              std::move(columns), true);
  }
  if (!names.empty())
    add_table(results, "identify_joints", "Liaison forces from the film, bands of 95 % (rms over time)",
              {{"joint", "", names},
               {"peak_force", "N", peak},
               {"at_time", "s", at_time},
               {"rms_force", "N", rms},
               {"band_F", "N", band},
               {"peak_moment", "N m", moment},
               {"band_M", "N m", moment_band}});
  std::vector<std::string> drives, units;
  std::vector<double> mean, largest, of_drive;
  std::vector<Column> history = {{"t", "s", found.times}};
  for (const Identification::Drive& drive : found.drives) {
    if (!drive.value.allFinite()) continue;
    drives.push_back(drive.name);
    units.push_back(drive.unit);
    mean.push_back(drive.value.mean());
    largest.push_back(drive.value.cwiseAbs().maxCoeff());
    of_drive.push_back(kBand * std::sqrt(drive.sigma.squaredNorm() / static_cast<double>(drive.sigma.size())));
    const std::string unit = drive.unit;
    history.push_back({short_name(drive.name), unit, to_vector(drive.value)});
    history.push_back({short_name(drive.name) + "_band", unit, to_vector((kBand * drive.sigma).eval())});
  }
  if (drives.empty()) return;
  add_table(results, "identify_drives", "Motors and forces on joints from the film, bands of 95 % (rms over time)",
            {{"name", "", drives},
             {"unit", "", units},
             {"mean", "", mean},
             {"largest", "", largest},
             {"band", "", of_drive}});
  add_table(results, "identify_drive_history", "Motors and forces on joints from the film", std::move(history), true);
}

// ---- elastic bodies in the measured motion ----

void analyse_elastic(const Identifier& identifier, const Identification& found, const IdentifyRequest& request,
                     Results& results) {
  if (request.elastic.empty()) return;
  RigidStage stage = identifier.make_stage(found);
  // What the bands say of the forces is how well the motion returns.
  double band = 0, size = 0;
  for (const Identification::Force& force : found.joints)
    for (Index k = 0; k < force.value.cols(); ++k)
      if (force.value.col(k).head<3>().allFinite()) {
        band += force.sigma.col(k).head<3>().squaredNorm();
        size += force.value.col(k).head<3>().squaredNorm();
      }
  const double share = size > 0 ? kBand * std::sqrt(band / size) : 0;
  Model driven = identifier.unknown_model();
  std::set<std::string> wanted;
  for (const auto& name : request.elastic) wanted.insert(name.value);
  if (wanted.count("cycle") > 0 && !driven.cycle) driven.cycle.emplace();
  if (wanted.count("periodic") > 0 && !driven.periodic) driven.periodic.emplace();
  if (wanted.count("modes") > 0 && !driven.modes) driven.modes.emplace();
  std::set<std::string> moving;
  for (size_t b = 0; b < driven.bodies.size(); ++b) {
    const auto known = [&](const FilmedBody& body) { return body.name == driven.bodies[b].name; };
    const bool is_filmed = std::any_of(found.bodies.begin(), found.bodies.end(), known) ||
                           request.motion == IdentifyRequest::Motion::completed;
    if (is_filmed && driven.bodies[b].motion.kind == Motion::Kind::mechanism) moving.insert(driven.bodies[b].name);
  }
  if (moving.empty())
    throw NumericalError("no elastic body is filmed that moves with the mechanism: elastic needs one");
  stage.interpolation_error = share;  // as far as two turns can be told apart
  ElasticLinks links = make_elastic_links(driven, stage);
  for (const std::string& warning : links.warnings)
    if (warning.find("something jumps") == std::string::npos) results.warnings.push_back(warning);
  std::vector<BodySystem> bodies;
  for (const Body& body : links.model.bodies)
    if (moving.count(body.name) > 0) bodies.push_back(make_body_system(links.model, body));
  Results own;
  for (const auto& name : request.elastic) {
    const Analysis* analysis = analyses().find(name.value);
    ELODYN_REQUIRE(analysis != nullptr);
    analysis->run(bodies, own);
  }
  for (Table& table : own.tables) {
    const bool is_summary = std::any_of(request.elastic.begin(), request.elastic.end(),
                                        [&](const auto& name) { return name.value == table.name; });
    table.is_history = table.is_history || !is_summary;
    table.name = "identify_" + table.name;
    table.title += ", measured motion";
    results.tables.push_back(std::move(table));
  }
  results.modes.insert(results.modes.end(), own.modes.begin(), own.modes.end());
  results.warnings.insert(results.warnings.end(), own.warnings.begin(), own.warnings.end());
}

void identify_into(const Model& model, const IdentifyRequest& request, const MarkerTracks& tracks, Results& results) {
  Identifier identifier(model, request, tracks, results);
  const Identification found = identifier.run();
  add_film_tables(found, results);
  add_force_tables(found, model.is_planar(), results);
  add_motion_histories(model, found, results);
  analyse_elastic(identifier, found, request, results);
}

}  // namespace

Identification identify(const Model& model, const IdentifyRequest& request, const MarkerTracks& tracks,
                        Results& results) {
  return Identifier(model, request, tracks, results).run();
}

void add_identify(const Model& model, Results& results) {
  ELODYN_REQUIRE(model.identify != nullptr);
  identify_into(model, *model.identify, join_films(*model.identify), results);
}

Results run_identify(const Model& model) {
  Results results;
  results.title = model.title;
  const Stopwatch watch;
  try {
    results.outcome.status = "ok";
    add_identify(model, results);
  } catch (const NumericalError& error) {
    results.outcome.fail(error.what());
  } catch (const Interrupted&) {
    results.outcome.interrupt(!results.is_empty());
  }
  results.timings["identify"] = watch.seconds();
  return results;
}

}  // namespace elodyn
