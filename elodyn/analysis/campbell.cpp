// Campbell diagram: the modes of a spinning body over its speed Ω as branches λ(Ω), and the critical speeds ω = kΩ.
//   [λ²M + λ(D + 2ΩG) + K0 + Ω K1 + Ω²(S + Kg)] x = 0
// The affine equation gives the matrices of the powers of Ω once; the body is not assembled again. A reduced basis
// makes the problem at a speed small (linalg/reduced_pencil.hpp), branches are joined by their states
// (analysis/branches.hpp), critical speeds solve an eigenproblem of their own:  λ = iκΩ:  K0 x = Ω²(κ²M − 2iκG − S −
// Kg) x,  or, with damping, are the roots of Im λ(Ω) = κΩ on a branch. Seen from the ground (frame = "fixed") a
// circular whirl has ω ± Ω; then κ = |k − 1| or k + 1 (analysis/whirl.hpp). Limits: those of modes; loads, gravity
// along the axis and the temperature do not change with the speed.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/branches.hpp"
#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/analysis/shapes.hpp"
#include "elodyn/analysis/whirl.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/reduced_pencil.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;
using Frame = CampbellRequest::Frame;

constexpr double kTolerance = 1e-8;  // of frequencies, relative, against those of the whole body
constexpr double kGrowing = 1e-9;    // of |λ|

std::vector<double> list_speeds(const CampbellRequest::Speeds& speeds) {
  std::vector<double> out;
  for (int k = 0; k < speeds.count; ++k)
    out.push_back(k + 1 == speeds.count ? speeds.to : speeds.from + (speeds.to - speeds.from) * k / (speeds.count - 1));
  return out;
}

double to_rpm(double speed) { return speed * 30 / std::numbers::pi; }

class Sweep {
 public:
  Sweep(const BodySystem& s, const CampbellRequest& request, Results& results)
      : s_(s),
        request_(request),
        results_(results),
        pencil_(make_speed_pencil(s)),
        speeds_(list_speeds(request.speeds)),
        count_(static_cast<int>(std::min<Eigen::Index>(request.count, pencil_.size()))),
        n_modes_(few_modes(count_)),
        reduced_(pencil_, speeds_, {.count = count_, .tolerance = 0.1 * kTolerance}),
        progress_("campbell", static_cast<double>(speeds_.size())) {}

  void run() {
    const SolveAt solve = [this](double speed) { return solve_pencil(reduced_.dense(), speed, n_modes_); };
    const SolveAt refine = [&](double speed) {  // between those that were asked for
      progress_.add_total(1);
      PencilModes modes = solve(speed);
      progress_.advance();
      return modes;
    };
    constexpr int kRounds = 6;
    for (int round = 0; round < kRounds; ++round) {
      if (round > 0) progress_.add_total(static_cast<double>(speeds_.size()));
      track(solve, refine);
      if (n_modes_ < most_modes() && loses_branches() && !is_interrupted()) {
        n_modes_ = most_modes();
        progress_.add_total(static_cast<double>(speeds_.size()));
        track(solve, refine);
      }
      find_whirls();
      find_critical_speeds(solve);
      if (is_interrupted() || round + 1 == kRounds || !improve(solve)) break;
    }
    is_cut_ = is_interrupted() || n_asked() < speeds_.size();
    write(solve);
    if (is_cut_) throw Interrupted();
  }

 private:
  // At a speed at least those that can be branches and some that lie among them; where branches rise above these, as
  // many again.
  static int few_modes(int count) { return count + count / 4 + 6; }
  int most_modes() const { return 2 * count_ + 6; }
  bool loses_branches() const {
    return std::any_of(track_.points.begin(), track_.points.end(), [](const TrackPoint& point) {
      return std::find(point.mode_of.begin(), point.mode_of.end(), -1) != point.mode_of.end();
    });
  }

  void track(const SolveAt& solve, const SolveAt& refine) {
    std::vector<PencilModes> solved = solve_all(solve);
    if (solved.empty()) throw Interrupted();
    TrackOptions options;
    options.count = count_;
    options.smallest = request_.smallest_step;
    track_ = track_branches(std::move(solved), refine, options);
  }

  size_t n_asked() const {
    return static_cast<size_t>(
        std::count_if(track_.points.begin(), track_.points.end(), [](const TrackPoint& p) { return p.is_asked; }));
  }

  // Those from the front that are done when the user ends it.
  std::vector<PencilModes> solve_all(const SolveAt& solve) {
    std::vector<PencilModes> solved(speeds_.size());
    std::vector<char> done(speeds_.size(), 0);
    parallel_for(static_cast<int>(speeds_.size()), [&](int k) {
      if (is_interrupted()) return;
      const auto at = static_cast<size_t>(k);
      solved[at] = solve(speeds_[at]);
      done[at] = 1;
      progress_.advance();
    });
    const auto end = std::find(done.begin(), done.end(), 0);
    solved.resize(static_cast<size_t>(end - done.begin()));
    return solved;
  }

  // False if every value on a branch is accurate, at critical speeds, crossings and veerings too, or nothing can be
  // done.
  bool improve(const SolveAt& solve) {
    error_bound_ = 0;
    if (!reduced_.is_reduced()) return false;
    const size_t n_points = track_.points.size(), n_critical = critical_speeds_.size();
    std::vector<TrackPoint> between(n_critical + track_.events.size());
    std::vector<double> bounds(n_points + between.size(), 0);
    const auto at = [&](size_t k) -> const TrackPoint& {
      return k < n_points ? track_.points[k] : between[k - n_points];
    };
    parallel_for(static_cast<int>(bounds.size()), [&](int part) {
      const auto k = static_cast<size_t>(part);
      double factor = 1;
      if (k < n_points) {
        if (!track_.points[k].is_asked) return;
      } else if (const size_t c = k - n_points; c < n_critical) {
        const CriticalSpeed& critical = critical_speeds_[c];
        between[c] = find_modes(critical.speed, {critical.branch}, solve);
        const int mode = between[c].mode_of.front();
        if (mode < 0) return;
        // what counts is the error of kΩ, however slow it is in the frame
        factor = std::abs(between[c].modes.values[static_cast<size_t>(mode)]) / (critical.order * critical.speed);
      } else {
        const BranchEvent& event = track_.events[c - n_critical];
        between[c] = find_modes(event.speed, {event.first, event.second}, solve);
      }
      const VectorX errors = reduced_.estimate_errors(at(k).modes);
      for (const int mode : at(k).mode_of)
        if (mode >= 0) bounds[k] = std::max(bounds[k], factor * errors[mode]);
    });
    const TrackPoint* worst = nullptr;
    for (size_t k = 0; k < bounds.size(); ++k)
      if (bounds[k] > error_bound_) {
        error_bound_ = bounds[k];
        worst = &at(k);
      }
    if (worst == nullptr || error_bound_ <= kTolerance || error_bound_ >= 0.5 * last_bound_) return false;
    last_bound_ = error_bound_;
    int highest = 0;
    for (const int mode : worst->mode_of) highest = std::max(highest, mode + 1);
    return reduced_.enrich(worst->modes, highest);
  }

  // The modes of some branches at any speed of the range.
  TrackPoint find_modes(double speed, const std::vector<int>& branches, const SolveAt& solve) const {
    TrackPoint out{solve(speed), {}, false};
    const std::vector<int> mode_of = follow(track_.points[track_.find_point(speed)], out.modes);
    for (const int branch : branches) out.mode_of.push_back(mode_of[static_cast<size_t>(branch)]);
    return out;
  }

  bool is_shaft() const { return s_.body->dimension == 3 && s_.body->areas.empty() && !s_.body->members.empty(); }

  void find_whirls() {
    whirls_.clear();
    if (!is_shaft()) return;
    const WhirlMeter meter(s_, reduced_.V());
    whirls_.resize(track_.points.size());
    parallel_for(static_cast<int>(whirls_.size()), [&](int k) {
      const TrackPoint& point = track_.points[static_cast<size_t>(k)];
      for (const int mode : point.mode_of)
        whirls_[static_cast<size_t>(k)].push_back(mode < 0 ? Whirl{} : meter.measure(point.modes.x.col(mode)));
    });
  }

  // Frequency of a branch in the frame that was asked for, with a sign if it is fixed; NaN if there is none.
  double view(size_t point, int branch) const {
    const double omega = track_.value(point, branch).imag();
    if (request_.frame == Frame::rotating || std::isnan(omega)) return omega;
    return whirls_[point][static_cast<size_t>(branch)].seen_from_ground(omega, track_.modes(point).speed);
  }

  // ---- labels ----
  // At the first speed equal modes may be any mixture, and nothing whirls at rest: a little on they are what they are.
  // How far does not depend on how many speeds are asked for, nor do the names then.
  TrackPoint find_modes_aside(const std::vector<int>& all, const SolveAt& solve) const {
    for (const double part : {1e-3, 1e-2, 1e-1}) try {
        return find_modes(request_.speeds.from + part * (request_.speeds.to - request_.speeds.from), all, solve);
      } catch (const NumericalError&) {  // of a free body rigid modes in so slow a spin may be lost in round-off
      }
    return track_.points.front();
  }

  void label(Campbell& out, const SolveAt& solve) const {
    std::vector<int> all(static_cast<size_t>(track_.n_branches));
    std::iota(all.begin(), all.end(), 0);
    const TrackPoint aside = find_modes_aside(all, solve), &first = track_.points.front();
    const std::optional<WhirlMeter> meter =
        is_shaft() ? std::optional<WhirlMeter>(WhirlMeter(s_, reduced_.V())) : std::nullopt;
    const auto point_of = [&](size_t b) -> const TrackPoint& { return aside.mode_of[b] >= 0 ? aside : first; };
    Eigen::MatrixXcd Z(pencil_.size(), static_cast<Eigen::Index>(all.size()));
    for (size_t b = 0; b < all.size(); ++b) {
      const TrackPoint& point = point_of(b);
      Z.col(static_cast<Eigen::Index>(b)) = reduced_.V() * point.modes.x.col(point.mode_of[b]);
    }
    std::vector<Mode> named(all.size());
    std::vector<Mode*> to_name;
    for (Mode& mode : named) to_name.push_back(&mode);
    label_modes(s_, pencil_.M, Z, expand(s_, Z), to_name);
    std::map<std::string, int> numbers;
    for (size_t b = 0; b < all.size(); ++b) {
      CampbellBranch branch;
      const TrackPoint& point = point_of(b);
      const Eigen::VectorXcd x = point.modes.x.col(point.mode_of[b]);
      branch.kind = named[b].label;
      const double omega = point.modes.values[static_cast<size_t>(point.mode_of[b])].imag();
      if (meter) branch.whirl = meter->measure(x).name(omega, point.modes.speed);
      const bool whirls = branch.whirl == "forward" || branch.whirl == "backward";
      const std::string suffix = whirls ? " " + branch.whirl : "";
      branch.label = fmt::format("{} {}{}", branch.kind, ++numbers[branch.kind + suffix], suffix);
      out.branches.push_back(std::move(branch));
    }
  }

  // ---- results ----
  void write(const SolveAt& solve) {
    Campbell out;
    out.body = s_.body->name;
    out.frame = request_.frame == Frame::fixed ? "fixed" : "rotating";
    out.error_bound = error_bound_;
    label(out, solve);
    for (size_t p = 0; p < track_.points.size(); ++p) {
      if (!track_.points[p].is_asked) continue;
      out.speeds.push_back(track_.modes(p).speed);
      for (int b = 0; b < track_.n_branches; ++b) {
        const Complex value = track_.value(p, b);
        CampbellBranch& branch = out.branches[static_cast<size_t>(b)];
        branch.omega.push_back(std::abs(view(p, b)));
        branch.growth.push_back(std::abs(value.real()) < 1e-12 * std::abs(value) ? 0 : value.real());
      }
    }
    if (!is_cut_) out.critical_speeds = critical_speeds_;
    add_tables(out);
    add_warnings(out);
    add_shapes(out);
    results_.campbell = std::move(out);
  }

  // Of every branch at as many of the asked speeds as make a file of bearable size, in the frame of the body.
  void add_shapes(const Campbell& c) {
    constexpr double kMostValues = 1.2e6;  // 10 MB
    const DrawingGrid drawing = make_drawing_grid(s_);
    const size_t n_speeds = c.speeds.size();
    const double of_speed = 6.0 * static_cast<double>(drawing.points.cols()) * track_.n_branches;
    const auto n_kept = std::min(n_speeds, static_cast<size_t>(std::max(2.0, kMostValues / of_speed)));
    std::vector<PointField> fields;
    std::vector<GridShape> shapes;
    size_t speed = 0, n_drawn = 0;
    for (const TrackPoint& point : track_.points) {
      if (!point.is_asked) continue;
      const size_t k = speed++;
      if (n_speeds > 1 && k * (n_kept - 1) < n_drawn * (n_speeds - 1)) continue;  // the next one at or after its place
      ++n_drawn;
      for (int b = 0; b < track_.n_branches; ++b) {
        const auto at = static_cast<size_t>(b);
        if (point.mode_of[at] < 0) continue;
        const Complex value = point.modes.values[static_cast<size_t>(point.mode_of[at])];
        const Eigen::MatrixXcd z = reduced_.V() * point.modes.x.col(point.mode_of[at]);
        const std::string field = fmt::format("branch_{}_speed_{}", b + 1, k + 1);
        add_shape(drawing, field, expand(s_, z).col(0), fields);
        shapes.push_back({"campbell",
                          fmt::format("{} at {:.6g} rpm, {:.6g} Hz", c.branches[at].label, to_rpm(c.speeds[k]),
                                      c.branches[at].omega[k] / (2 * std::numbers::pi)),
                          field, 0, std::abs(value.imag()), value.real(), b, static_cast<int>(k)});
      }
    }
    results_.grids.push_back(make_grid(s_, drawing, c.body + "_campbell", std::move(fields), std::move(shapes)));
  }

  // ---- critical speeds ----
  // κ of the rotating frame for order k, by how the branch goes round.
  double rotating_order(size_t point, int branch, double order) const {
    if (request_.frame == Frame::rotating) return order;
    if (!whirls_[point][static_cast<size_t>(branch)].moves_across()) return order;
    return view(point, branch) > 0 ? std::abs(order - 1) : order + 1;
  }

  void find_critical_speeds(const SolveAt& solve) {
    critical_speeds_.clear();
    for (const double order : request_.orders)
      if (!is_interrupted()) add_critical_speeds(order, solve);
    std::stable_sort(critical_speeds_.begin(), critical_speeds_.end(),
                     [](const CriticalSpeed& a, const CriticalSpeed& b) { return a.speed < b.speed; });
  }

  void add_critical_speeds(double order, const SolveAt& solve) {
    struct Crossing {
      size_t point;
      int branch;
      double predicted, low, high;
    };
    std::map<double, std::vector<Crossing>> by_order;  // of the rotating frame
    for (int b = 0; b < track_.n_branches; ++b)
      for (size_t p = 0; p + 1 < track_.points.size(); ++p) {
        const double low = track_.modes(p).speed, high = track_.modes(p + 1).speed;
        const double before = std::abs(view(p, b)) - order * low, after = std::abs(view(p + 1, b)) - order * high;
        if (std::isnan(before + after) || before * after > 0 || before == 0) continue;
        // A branch that lies on the line, as the rigid ones of a free body, crosses it nowhere.
        if (std::max(std::abs(before), std::abs(after)) <= 10 * kTolerance * order * high) continue;
        const double predicted = low + (high - low) * before / (before - after);
        const size_t nearer = std::abs(before) > std::abs(after) ? p : p + 1;  // not at the point itself
        by_order[rotating_order(nearer, b, order)].push_back({p, b, predicted, low, high});
      }
    for (const auto& [kappa, crossings] : by_order) {
      const std::optional<std::vector<double>> direct = solve_critical_speeds(reduced_.dense(), kappa);
      std::set<size_t> used;
      for (const Crossing& c : crossings) {
        std::optional<size_t> best;
        const double slack = 1e-6 * c.high;
        for (size_t k = 0; direct && k < direct->size(); ++k)
          if ((*direct)[k] >= c.low - slack && (*direct)[k] <= c.high + slack && used.count(k) == 0 &&
              (!best || std::abs((*direct)[k] - c.predicted) < std::abs((*direct)[*best] - c.predicted)))
            best = k;
        if (best) used.insert(*best);
        // κ = 0: a whirl stands still in the frame, and the same speed solves for its conjugate
        if (best && kappa == 0)
          for (size_t k = 0; k < direct->size(); ++k)
            if (k != *best && std::abs((*direct)[k] - (*direct)[*best]) <= 1e-9 * (*direct)[*best] &&
                used.count(k) == 0) {
              used.insert(k);
              break;
            }
        const double speed = best ? (*direct)[*best] : find_root(order, c.point, c.branch, solve);
        if (!std::isnan(speed)) critical_speeds_.push_back({speed, order, c.branch});
      }
    }
  }

  // Of |view| − kΩ between a point and the next one, by the method of Illinois on the branch itself.
  double find_root(double order, size_t point, int branch, const SolveAt& solve) const {
    const auto at = static_cast<size_t>(branch);
    const std::optional<WhirlMeter> meter =
        request_.frame == Frame::fixed ? std::optional<WhirlMeter>(WhirlMeter(s_, reduced_.V())) : std::nullopt;
    const auto miss = [&](double speed) {
      const PencilModes modes = solve(speed);
      const int mode = follow(track_.points[point], modes)[at];
      if (mode < 0) return std::nan("");
      const double omega = modes.values[static_cast<size_t>(mode)].imag();
      const double seen = meter ? meter->measure(modes.x.col(mode)).seen_from_ground(omega, speed) : omega;
      return std::abs(seen) - order * speed;
    };
    double low = track_.modes(point).speed, high = track_.modes(point + 1).speed;
    double f_low = std::abs(view(point, branch)) - order * low,
           f_high = std::abs(view(point + 1, branch)) - order * high;
    double speed = low;
    for (int k = 0; k < 60; ++k) {
      const double next = low + (high - low) * f_low / (f_low - f_high);
      const double f = miss(next);
      if (std::isnan(f)) return pass_over(miss, next, 1e-3 * std::abs(high - low));
      const bool settled = std::abs(next - speed) <= 1e-13 * high;
      speed = next;
      if (f == 0 || settled) break;
      if (f * f_high < 0) {
        low = high;
        f_low = f_high;
      } else {
        f_low *= 0.5;
      }
      high = next;
      f_high = f;
    }
    return speed;
  }

  // Where a whirl all but stands still in the frame, it and its conjugate are nearly one and their vectors mix: the
  // root of the line through two places to both sides, which a curve of the range's size misses by 1e-7 of the step.
  template <class Miss>
  static double pass_over(const Miss& miss, double speed, double reach) {
    const double before = miss(speed - reach), after = miss(speed + reach);
    if (!(before * after < 0)) return std::nan("");
    return speed - reach + 2 * reach * before / (before - after);
  }

  // ---- tables ----
  static std::string column_name(std::string label) {
    std::replace(label.begin(), label.end(), ' ', '_');
    return label;
  }

  void add_tables(const Campbell& c) {
    constexpr double kHz = 0.5 / std::numbers::pi;
    Table frequencies{"campbell",
                      fmt::format("Campbell diagram of body `{}`, {} frame{}", c.body, c.frame,
                                  c.error_bound > 0 ? fmt::format(" (frequencies within {:.0e} of those of the whole "
                                                                  "body)",
                                                                  std::max(c.error_bound, 1e-14))
                                                    : ""),
                      {{"speed", "rad/s", c.speeds}}};
    Table growth{"campbell_growth", "Growth rates", {{"speed", "rad/s", c.speeds}}};
    bool grows = false;
    for (const CampbellBranch& branch : c.branches) {
      std::vector<double> hz;
      for (const double omega : branch.omega) hz.push_back(kHz * omega);
      frequencies.columns.push_back({column_name(branch.label), "Hz", std::move(hz)});
      growth.columns.push_back({column_name(branch.label), "1/s", branch.growth});
      for (const double g : branch.growth) grows |= !std::isnan(g) && g != 0;
    }
    results_.tables.push_back(std::move(frequencies));
    if (grows) results_.tables.push_back(std::move(growth));

    if (!c.critical_speeds.empty()) {
      std::vector<double> order, speed, hz;
      std::vector<std::string> label;
      for (const CriticalSpeed& s : c.critical_speeds) {
        label.push_back(c.branches[static_cast<size_t>(s.branch)].label);
        order.push_back(s.order);
        speed.push_back(s.speed);
        hz.push_back(kHz * s.order * s.speed);
      }
      results_.tables.push_back(
          {"critical_speeds",
           "Critical speeds",
           {{"branch", "", label}, {"order", "", order}, {"speed", "rad/s", speed}, {"frequency", "Hz", hz}}});
    }
    if (!track_.events.empty()) {
      std::vector<double> speed, gap;
      std::vector<std::string> first, second, kind;
      for (const BranchEvent& event : track_.events) {
        speed.push_back(event.speed);
        first.push_back(c.branches[static_cast<size_t>(event.first)].label);
        second.push_back(c.branches[static_cast<size_t>(event.second)].label);
        kind.emplace_back(event.kind == BranchEvent::Kind::crossing ? "crossing" : "veering");
        gap.push_back(event.kind == BranchEvent::Kind::crossing ? 0 : kHz * event.gap);
      }
      results_.tables.push_back({"campbell_crossings",
                                 "Crossings and veerings, rotating frame",
                                 {{"speed", "rad/s", speed},
                                  {"first", "", first},
                                  {"second", "", second},
                                  {"kind", "", kind},
                                  {"gap", "Hz", gap}}});
    }
  }

  // ---- warnings ----
  void warn(const std::string& text) { results_.warnings.push_back("body `" + s_.body->name + "`: " + text); }

  void add_warnings(const Campbell& c) {
    if (count_ < request_.count)
      results_.warnings.push_back(
          fmt::format("body `{}` has {} unknowns and so at most that many branches; {} were asked for", s_.body->name,
                      pencil_.size(), request_.count));
    for (const CampbellBranch& branch : c.branches) warn_if_unstable(c, branch);
    warn_of_others(c);
    if (track_.n_doubtful > 0)
      warn(
          fmt::format("at {} place{} it is not sure which mode goes on as which; ask for more speeds, or a smaller "
                      "smallest_step",
                      track_.n_doubtful, track_.n_doubtful == 1 ? "" : "s"));
    if (error_bound_ > 10 * kTolerance)  // a little above it is round-off of the bound itself
      warn(
          fmt::format("frequencies are known to {:.0e} only, by their bound; ask for fewer branches or a smaller range "
                      "of speeds",
                      error_bound_));
    std::vector<std::string> lost, two;
    for (int b = 0; b < track_.n_branches; ++b) {
      const CampbellBranch& branch = c.branches[static_cast<size_t>(b)];
      if (std::isnan(branch.growth.back())) {
        const auto first =
            std::find_if(branch.growth.begin(), branch.growth.end(), [](double g) { return std::isnan(g); });
        lost.push_back(fmt::format("{} from {:.6g} rpm", branch.label,
                                   to_rpm(c.speeds[static_cast<size_t>(first - branch.growth.begin())])));
      }
      for (size_t k = 0; k < branch.omega.size(); ++k)
        if (std::isnan(branch.omega[k]) && !std::isnan(branch.growth[k])) {
          two.push_back(branch.label);
          break;
        }
    }
    const auto list = [](const std::vector<std::string>& names) {
      std::string out;
      for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
      return out;
    };
    if (!lost.empty()) warn("branches leave the modes that are computed (" + list(lost) + "); ask for a larger count");
    if (!two.empty())
      warn("the whirl of " + list(two) +
           " is not circular: seen from the ground it has two frequencies, omega ± speed, and none is shown; use frame "
           "= "
           "\"rotating\"");
  }

  void warn_if_unstable(const Campbell& c, const CampbellBranch& branch) {
    for (size_t k = 0; k < c.speeds.size(); ++k) {
      const bool stands = branch.omega[k] == 0 || std::isnan(branch.omega[k]);
      if (!(branch.growth[k] > kGrowing * std::max(branch.omega[k], c.speeds[k]))) continue;
      if (branch.kind == "rigid") return;
      const double here = to_rpm(c.speeds[k]);
      const std::string onset =
          k == 0 ? fmt::format("already at {:.6g} rpm, with {:.6g} 1/s", here, branch.growth[k])
                 : fmt::format("from between {:.6g} and {:.6g} rpm on, with {:.6g} 1/s at {:.6g} rpm",
                               to_rpm(c.speeds[k - 1]), here, branch.growth[k], here);
      warn(fmt::format("branch {} grows {}: {}", branch.label, onset, stands ? "divergence" : "flutter"));
      return;
    }
  }

  // Modes that are no branch but grow, or lie among the lowest at the last speed.
  void warn_of_others(const Campbell& c) {
    for (const TrackPoint& point : track_.points) {
      if (!point.is_asked) continue;
      for (int k = 0; k < point.modes.size(); ++k) {
        const Complex value = point.modes.values[static_cast<size_t>(k)];
        if (value.real() > 1e-6 * std::abs(value) &&
            std::find(point.mode_of.begin(), point.mode_of.end(), k) == point.mode_of.end())
          return warn(fmt::format("at {:.6g} rpm a mode grows that is none of the branches; ask for a larger count",
                                  to_rpm(point.modes.speed)));
      }
    }
    int below = 0;
    const TrackPoint& last = track_.points.back();
    double highest = 0;
    for (int b = 0; b < track_.n_branches; ++b)
      if (last.mode_of[static_cast<size_t>(b)] >= 0)
        highest = std::max(highest, std::abs(track_.value(track_.points.size() - 1, b)));
    for (int k = 0; k < last.modes.size(); ++k)
      if (std::abs(last.modes.values[static_cast<size_t>(k)]) < highest * (1 - 1e-9) &&
          std::find(last.mode_of.begin(), last.mode_of.end(), k) == last.mode_of.end())
        ++below;
    if (below > 0)
      warn(fmt::format(
          "at {:.6g} rpm {} mode{} below the highest branch began above the {} that were asked for; ask for "
          "a larger count to see {}",
          to_rpm(c.speeds.back()), below, below == 1 ? "" : "s", count_, below == 1 ? "it" : "them"));
  }

  const BodySystem& s_;
  const CampbellRequest& request_;
  Results& results_;
  SpeedPencil pencil_;
  std::vector<double> speeds_;
  int count_;    // of branches
  int n_modes_;  // at a speed
  ReducedPencil reduced_;
  Progress progress_;
  Track track_;
  std::vector<std::vector<Whirl>> whirls_;  // [point][branch]
  std::vector<CriticalSpeed> critical_speeds_;
  double error_bound_ = 0, last_bound_ = INFINITY;
  bool is_cut_ = false;
};

class CampbellAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "campbell"; }
  std::string_view summary() const override { return "frequencies over the speed of a spinning body, critical speeds"; }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    const Model& model = *bodies.front().model;
    const Body* swept = model.find_swept_body();
    ELODYN_REQUIRE(model.campbell.has_value() && swept != nullptr);
    const auto s = std::find_if(bodies.begin(), bodies.end(), [&](const BodySystem& b) { return b.body == swept; });
    ELODYN_REQUIRE(s != bodies.end());
    try {
      Sweep(*s, *model.campbell, results).run();
    } catch (const NumericalError& error) {
      throw NumericalError("body `" + swept->name + "`: " + error.what());
    }
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_campbell_analysis() { return std::make_unique<CampbellAnalysis>(); }

}  // namespace elodyn
