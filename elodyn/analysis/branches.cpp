#include "elodyn/analysis/branches.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/assignment.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

constexpr double kSure = 0.8;            // a correlation above is not doubted
constexpr double kLost = 0.1;            // one below is no match even at the smallest step
constexpr double kMeeting = 1e-7;        // of |λ|: values so near have met
constexpr double kGrowing = 1e-9;        // of |λ|: growth beyond round-off
constexpr double kOffPrediction = 0.25;  // of the distance to the next value

struct Match {
  std::vector<int> mode_of;  // of each mode of the first speed: its mode at the second; −1: none
  std::vector<double> correlation;
};

Match match_modes(const PencilModes& a, const PencilModes& b) {
  const MatrixX c = correlate(a, b);
  // With equal values any mixture is a mode: what counts there is the correlation with the whole group.
  const auto n_groups = [](const PencilModes& m) { return m.size() == 0 ? 0 : m.group.back() + 1; };
  MatrixX of_a = MatrixX::Zero(n_groups(a), c.cols()), of_b = MatrixX::Zero(c.rows(), n_groups(b));
  for (Eigen::Index i = 0; i < c.rows(); ++i) of_a.row(a.group[static_cast<size_t>(i)]) += c.row(i);
  for (Eigen::Index j = 0; j < c.cols(); ++j) of_b.col(b.group[static_cast<size_t>(j)]) += c.col(j);
  MatrixX with_group(c.rows(), c.cols());
  for (Eigen::Index i = 0; i < c.rows(); ++i)
    for (Eigen::Index j = 0; j < c.cols(); ++j)
      with_group(i, j) = std::min(
          1.0, std::max({c(i, j), of_b(i, b.group[static_cast<size_t>(j)]), of_a(a.group[static_cast<size_t>(i)], j)}));
  // Rows that find nothing take columns of their own.
  MatrixX cost = MatrixX::Constant(c.rows(), c.cols() + c.rows(), 1 - 0.5 * kLost);
  cost.leftCols(c.cols()) = (1 - (0.25 * c + 0.75 * with_group).array()).matrix();
  const std::vector<int> columns = assign_columns(cost);
  Match match;
  for (size_t i = 0; i < columns.size(); ++i) {
    const bool found = columns[i] < c.cols();
    match.mode_of.push_back(found ? columns[i] : -1);
    match.correlation.push_back(found ? with_group(static_cast<Eigen::Index>(i), columns[i]) : 0);
  }
  return match;
}

// Where the two curves meet, by the cubics through their values and slopes; from 0 to 1.
double predict_meeting(double g0, double s0, double g1, double s1) {
  const auto gap = [&](double t) {
    const double u = 1 - t;
    return u * u * (1 + 2 * t) * g0 + t * u * u * s0 + t * t * (3 - 2 * t) * g1 - t * t * u * s1;
  };
  double low = 0, high = 1;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (low + high);
    (gap(middle) * g0 > 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

class Tracker {
 public:
  Tracker(const SolveAt& solve, const TrackOptions& options) : solve_(solve), options_(options) {}

  Track run(std::vector<PencilModes> solved) {
    const double range = solved.back().speed - solved.front().speed;
    smallest_ = options_.smallest * range;
    // From each asked speed to the next, on all cores: most steps need no other.
    std::vector<std::optional<Match>> matches(solved.size());
    parallel_for(static_cast<int>(solved.size()) - 1, [&](int k) {
      const auto at = static_cast<size_t>(k);
      if (!is_interrupted()) matches[at + 1] = match_modes(solved[at], solved[at + 1]);
    });
    start(std::move(solved.front()));
    for (size_t k = 1; k < solved.size(); ++k) {
      std::vector<TrackPoint> ahead;  // the next one last
      ahead.push_back({std::move(solved[k]), {}, true});
      step(ahead, std::move(matches[k]));
      while (!ahead.empty()) step(ahead, std::nullopt);
    }
    return std::move(track_);
  }

 private:
  void start(PencilModes first) {
    TrackPoint point{std::move(first), {}, true};
    std::vector<int> order(static_cast<size_t>(point.modes.size()));
    std::iota(order.begin(), order.end(), 0);
    // The lowest by |λ|, in the order of their frequencies; growing ones are never left out.
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
      return std::abs(point.modes.values[static_cast<size_t>(a)]) <
             std::abs(point.modes.values[static_cast<size_t>(b)]);
    });
    std::vector<bool> chosen(order.size(), false);
    for (size_t k = 0; k < order.size(); ++k) {
      const Complex value = point.modes.values[static_cast<size_t>(order[k])];
      chosen[static_cast<size_t>(order[k])] =
          k < static_cast<size_t>(options_.count) || value.real() > kGrowing * std::abs(value);
    }
    for (size_t k = 0; k < chosen.size(); ++k)
      if (chosen[k]) point.mode_of.push_back(static_cast<int>(k));
    track_.n_branches = static_cast<int>(point.mode_of.size());
    track_.points.push_back(std::move(point));
  }

  // Takes the next point, or puts one before it.
  void step(std::vector<TrackPoint>& ahead, std::optional<Match> known) {
    const TrackPoint& from = track_.points.back();
    TrackPoint& to = ahead.back();
    const Match match = known ? std::move(*known) : match_modes(from.modes, to.modes);
    const double width = to.modes.speed - from.modes.speed;
    double where = 0.5;
    const bool doubtful = is_doubtful(from, to.modes, match, where);
    if (doubtful && width > smallest_ && n_added_ < options_.most_added && !is_interrupted()) {
      ++n_added_;
      TrackPoint between{solve_(from.modes.speed + where * width), {}, false};
      ahead.push_back(std::move(between));
      return;
    }
    if (doubtful) ++track_.n_doubtful;
    for (const int mode : from.mode_of) {
      int next = mode < 0 ? -1 : match.mode_of[static_cast<size_t>(mode)];
      if (next >= 0 && match.correlation[static_cast<size_t>(mode)] < kLost) next = -1;
      to.mode_of.push_back(next);
    }
    TrackPoint taken = std::move(to);
    ahead.pop_back();
    track_.points.push_back(std::move(taken));
  }

  bool is_doubtful(const TrackPoint& from, const PencilModes& b, const Match& match, double& where) const {
    const PencilModes& a = from.modes;
    const double width = b.speed - a.speed;
    double farthest = 0;
    for (const Complex& value : b.values) farthest = std::max(farthest, std::abs(value));
    for (const int mode : from.mode_of) {
      if (mode < 0) continue;
      const auto i = static_cast<size_t>(mode);
      const Complex predicted = a.values[i] + width * a.slopes[i];
      if (std::abs(predicted) > farthest) continue;  // it leaves what is computed
      if (match.mode_of[i] < 0 || match.correlation[i] < kSure) return true;
      const auto j = static_cast<size_t>(match.mode_of[i]);
      if (match.correlation[i] < 0.95 && a.is_simple[i] && b.is_simple[j]) {
        double next = INFINITY;
        for (size_t k = 0; k < b.values.size(); ++k)
          if (b.group[k] != b.group[j]) next = std::min(next, std::abs(b.values[k] - b.values[j]));
        const Complex mean = a.values[i] + 0.5 * width * (a.slopes[i] + b.slopes[j]);
        const double error = std::min(std::abs(mean - b.values[j]), std::abs(mean - std::conj(b.values[j])));
        if (error > kOffPrediction * next) return true;
      }
    }
    return changes_places(from, b, match, where);
  }

  // A branch and another mode whose frequencies have changed places, unless they were seen to meet.
  bool changes_places(const TrackPoint& from, const PencilModes& b, const Match& match, double& where) const {
    const PencilModes& a = from.modes;
    const double width = b.speed - a.speed;
    for (const int mode : from.mode_of) {
      if (mode < 0 || match.mode_of[static_cast<size_t>(mode)] < 0) continue;
      const auto i = static_cast<size_t>(mode), j = static_cast<size_t>(match.mode_of[i]);
      for (size_t k = 0; k < a.values.size(); ++k) {
        if (k == i || match.mode_of[k] < 0) continue;
        const auto l = static_cast<size_t>(match.mode_of[k]);
        const double before = a.values[i].imag() - a.values[k].imag(), after = b.values[j].imag() - b.values[l].imag();
        const auto have_met = [&](double gap, const Complex& value) {
          return std::abs(gap) <= kMeeting * std::abs(value);
        };
        if (before * after >= 0 || have_met(before, a.values[i]) || have_met(after, b.values[j])) continue;
        const double t = predict_meeting(before, width * (a.slopes[i] - a.slopes[k]).imag(), after,
                                         width * (b.slopes[j] - b.slopes[l]).imag());
        where = std::clamp(t, 1e-3, 1 - 1e-3);
        return true;
      }
    }
    return false;
  }

  const SolveAt& solve_;
  const TrackOptions& options_;
  Track track_;
  double smallest_ = 0;
  int n_added_ = 0;
};

// ---- crossings and veerings ----

// g² of two curves that veer is a parabola over the speed: g0² + (slope difference)²(Ω − Ω0)².
struct Hyperbola {
  double centre = 0, least = 0, steepness = 0;
  bool is_good = false;
};
Hyperbola fit(const std::array<double, 3>& x, const std::array<double, 3>& g) {
  const double d1 = (g[1] * g[1] - g[0] * g[0]) / (x[1] - x[0]), d2 = (g[2] * g[2] - g[1] * g[1]) / (x[2] - x[1]);
  const double curvature = (d2 - d1) / (x[2] - x[0]);
  Hyperbola h;
  if (!(curvature > 0)) return h;
  h.centre = 0.5 * (x[0] + x[1]) - 0.5 * d1 / curvature;
  const double square = g[1] * g[1] - curvature * (x[1] - h.centre) * (x[1] - h.centre);
  h.least = std::sqrt(std::max(0.0, square));
  h.steepness = std::sqrt(curvature);
  h.is_good = h.centre > x[0] && h.centre < x[2];
  return h;
}

class EventFinder {
 public:
  EventFinder(const SolveAt& solve, Track& track, bool looks_everywhere)
      : solve_(solve),
        track_(track),
        looks_everywhere_(looks_everywhere),
        range_(track.points.back().modes.speed - track.points.front().modes.speed) {}

  void run() {
    links_.resize(track_.points.size());
    parallel_for(static_cast<int>(links_.size()), [&](int p) {
      const auto at = static_cast<size_t>(p);
      if (!looks_everywhere_ && !is_interrupted()) links_[at] = find_links(track_.modes(at));
    });
    if (is_interrupted()) return;
    std::vector<std::vector<BranchEvent>> of_first(static_cast<size_t>(track_.n_branches));
    parallel_for(track_.n_branches, [&](int i) {
      for (int j = i + 1; j < track_.n_branches && !is_interrupted(); ++j) {
        const std::vector<BranchEvent> found = look_at(i, j);
        std::vector<BranchEvent>& events = of_first[static_cast<size_t>(i)];
        events.insert(events.end(), found.begin(), found.end());
      }
    });
    for (const std::vector<BranchEvent>& events : of_first)
      track_.events.insert(track_.events.end(), events.begin(), events.end());
    std::stable_sort(track_.events.begin(), track_.events.end(),
                     [](const BranchEvent& a, const BranchEvent& b) { return a.speed < b.speed; });
  }

 private:
  // Shapes have changed over within three half-widths to both sides: of a pure exchange 90 % by then.
  static constexpr double kReach = 3, kExchanged = 0.5;

  bool swings(const Complex& value) const { return value.imag() > 0 && std::abs(value.real()) <= 0.1 * value.imag(); }
  // NaN: no frequencies to compare
  double gap(size_t point, int i, int j) const {
    const Complex a = track_.value(point, i), b = track_.value(point, j);
    return swings(a) && swings(b) ? a.imag() - b.imag() : std::nan("");
  }

  std::vector<BranchEvent> look_at(int i, int j) const {
    std::vector<BranchEvent> events;
    const size_t n = track_.points.size();
    double sign = 0;  // of the last gap that was not zero
    size_t last = 0;
    for (size_t p = 0; p < n; ++p) {
      const double g = gap(p, i, j), size = std::abs(track_.value(p, i));
      if (std::isnan(g)) {
        sign = 0;
        continue;
      }
      const bool meets = std::abs(g) <= kMeeting * size;
      if (!meets) {
        if (sign * g < 0) events.push_back(make_crossing(last, p, i, j));
        sign = g;
        last = p;
      }
      if (p > 0 && p + 1 < n && !meets) look_for_veering(p, i, j, events);
    }
    return events;
  }

  BranchEvent make_crossing(size_t before, size_t after, int i, int j) const {
    size_t best = before;
    for (size_t p = before; p <= after; ++p)
      if (std::abs(gap(p, i, j)) < std::abs(gap(best, i, j))) best = p;
    return {track_.modes(best).speed, i, j, BranchEvent::Kind::crossing, std::abs(gap(best, i, j))};
  }

  // Could two modes be within a veering? To first order in the speed they are those of the matrix
  //   [λ_i + δ t_ii, δ t_ij; δ t_ji, λ_j + δ t_jj]
  // with the slopes on its diagonal, so that the gap is a hyperbola with s² = (t_ii − t_jj)² + 4 t_ij t_ji, a least
  // value 2tg/s and a half-width w = 2tg/s². Curves that come near each other and part again without a coupling of
  // their own do not exchange shapes. In a track, where shapes change by little from point to point, a veering has
  // points well within its half-width. Bounds are wide: other modes change the curves too.
  bool may_exchange(const PencilModes& modes, int i, int j, double square) const {
    constexpr double kHalfWidths = 4;  // no farther from the middle: the slopes then differ by 4 times 2t
    constexpr double kFar = 1.5;       // of the range; what is reported ends within it, so half of it to each side
    const auto at_i = static_cast<size_t>(i), at_j = static_cast<size_t>(j);
    if (!modes.is_simple[at_i] || !modes.is_simple[at_j]) return true;
    const double g = std::abs((modes.values[at_i] - modes.values[at_j]).imag());
    const double d = std::abs((modes.slopes[at_i] - modes.slopes[at_j]).imag()), s2 = d * d + 4 * square;
    return 4 * square * kHalfWidths * kHalfWidths >= d * d && kReach * 2 * std::sqrt(square) * g <= kFar * range_ * s2;
  }

  using Links = Eigen::Matrix<bool, Eigen::Dynamic, Eigen::Dynamic>;

  // Of all pairs of modes at a point; equal modes count together.
  Links find_links(const PencilModes& modes) const {
    const Eigen::Index n = modes.size();
    MatrixX squares = calc_couplings(modes);
    MatrixX by_group = MatrixX::Zero(n > 0 ? modes.group.back() + 1 : 0, n > 0 ? modes.group.back() + 1 : 0);
    const auto group = [&](Eigen::Index k) { return modes.group[static_cast<size_t>(k)]; };
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j) by_group(group(i), group(j)) += squares(i, j);
    Links links(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < n; ++j)
        links(i, j) = may_exchange(modes, static_cast<int>(i), static_cast<int>(j), by_group(group(i), group(j)));
    return links;
  }

  // Shapes go from one mode to another over any chain of links, each at a speed of its own: of four that meet in one
  // place the outer two change over by way of both others. With states of unit energy they turn into each other by
  // t_kl/(λ_l − λ_k) a unit of speed, so that without a chain little is exchanged: pairs that are not linked turn by 7°
  // at most on each side of their middle. What counts are the speeds between which an exchange is judged, where the gap
  // is √(1 + kReach²) times the least one if it is a hyperbola. Modes that are no branches count as one: too many links
  // cost a look, too few lose a veering.
  bool is_linked(size_t p, int i, int j) const {
    constexpr double kFarther = 4;
    const double most = kFarther * std::abs(gap(p, i, j));
    const auto is_near = [&](size_t point) { return std::abs(gap(point, i, j)) <= most; };  // NaN is not
    size_t first = p, last = p;
    while (first > 0 && is_near(first)) --first;
    while (last + 1 < track_.points.size() && is_near(last)) ++last;
    const auto n = static_cast<size_t>(track_.n_branches);
    std::vector<size_t> root(n + 1);
    std::iota(root.begin(), root.end(), size_t{0});
    const auto find_root = [&](size_t k) {
      while (root[k] != k) k = root[k] = root[root[k]];
      return k;
    };
    const auto is_joined = [&] { return find_root(static_cast<size_t>(i)) == find_root(static_cast<size_t>(j)); };
    std::vector<size_t> branch_of;
    for (size_t q = first; q <= last && !is_joined(); ++q) {
      const Links& links = links_[q];
      branch_of.assign(static_cast<size_t>(links.rows()), n);
      for (size_t k = 0; k < n; ++k)
        if (const int mode = track_.points[q].mode_of[k]; mode >= 0) branch_of[static_cast<size_t>(mode)] = k;
      for (Eigen::Index a = 0; a < links.rows(); ++a)
        for (Eigen::Index b = 0; b < a; ++b)
          if (links(a, b))
            root[find_root(branch_of[static_cast<size_t>(a)])] = find_root(branch_of[static_cast<size_t>(b)]);
    }
    return is_joined();
  }

  void look_for_veering(size_t p, int i, int j, std::vector<BranchEvent>& events) const {
    std::array<double, 3> x{}, g{};
    const double sign = gap(p, i, j);
    for (size_t k = 0; k < 3; ++k) {
      x[k] = track_.modes(p + k - 1).speed;
      const double at = gap(p + k - 1, i, j);
      if (std::isnan(at) || at * sign <= 0) return;
      g[k] = std::abs(at);
    }
    if (!(g[1] <= g[0] && g[1] <= g[2])) return;
    if (!looks_everywhere_ && !is_linked(p, i, j)) return;
    // What is by far too wide for the range of speeds is no veering, and not solved for.
    constexpr double kFar = 3;
    const auto is_wide = [&](const Hyperbola& of) {
      return of.is_good && kReach * of.least > kFar * range_ * of.steepness;
    };
    Hyperbola h = fit(x, g);
    if (is_wide(h)) return;
    double centre = h.is_good ? h.centre : x[1], half = 0.25 * (x[2] - x[0]);
    for (int k = 0; k < 15; ++k) {  // nearer to the least gap, until the curve is a hyperbola
      const std::array<double, 3> near = {std::max(x[0], centre - half), centre, std::min(x[2], centre + half)};
      if (!(near[0] < centre && centre < near[2])) return;
      std::array<double, 3> gaps{};
      for (size_t q = 0; q < 3; ++q) gaps[q] = std::abs(gap_at(near[q], i, j));
      if (std::isnan(gaps[0] + gaps[1] + gaps[2])) return;
      const double last = h.least;
      h = fit(near, gaps);
      if (is_wide(h)) return;
      const auto lowest = static_cast<size_t>(std::min_element(gaps.begin(), gaps.end()) - gaps.begin());
      centre = h.is_good ? h.centre : std::clamp(near[lowest], x[0] + 0.1 * half, x[2] - 0.1 * half);
      if (h.is_good && h.least > 0 && std::abs(h.least - last) <= 1e-4 * h.least) break;
      half = h.is_good ? std::max(0.1 * half, h.least / h.steepness) : 0.5 * half;
    }
    if (!h.is_good || !(h.least > 0)) return;
    const double reach = kReach * h.least / h.steepness;
    const double low = h.centre - reach, high = h.centre + reach;
    if (low < track_.points.front().modes.speed || high > track_.points.back().modes.speed) return;
    for (const BranchEvent& event : events)  // seen from the neighbouring point too
      if (std::abs(event.speed - h.centre) < reach) return;
    const PencilModes before = solve_(low), after = solve_(high);
    const auto at_low = find_pair(before, i, j, sign), at_high = find_pair(after, i, j, sign);
    if (!at_low || !at_high) return;
    const MatrixX c = correlate(before, after);
    if (std::min(c(at_low->first, at_high->second), c(at_low->second, at_high->first)) < kExchanged) return;
    events.push_back({h.centre, i, j, BranchEvent::Kind::veering, h.least});
  }

  double gap_at(double speed, int i, int j) const {
    const PencilModes modes = solve_(speed);
    const auto pair = find_pair(modes, i, j, 1);
    if (!pair) return std::nan("");
    return modes.values[static_cast<size_t>(pair->first)].imag() -
           modes.values[static_cast<size_t>(pair->second)].imag();
  }

  // The modes of two branches near a point. Shapes may have changed over since, but not the order of the values: the
  // first is above the second if `sign` is positive.
  std::optional<std::pair<int, int>> find_pair(const PencilModes& modes, int i, int j, double sign) const {
    const std::vector<int> at = follow(track_.points[track_.find_point(modes.speed)], modes);
    int first = at[static_cast<size_t>(i)], second = at[static_cast<size_t>(j)];
    if (first < 0 || second < 0) return std::nullopt;
    const auto omega = [&](int mode) { return modes.values[static_cast<size_t>(mode)].imag(); };
    if ((omega(first) - omega(second)) * sign < 0) std::swap(first, second);
    return std::pair(first, second);
  }

  const SolveAt& solve_;
  Track& track_;
  const bool looks_everywhere_;
  const double range_;
  std::vector<Links> links_;  // of each point
};

}  // namespace

std::complex<double> Track::value(size_t point, int branch) const {
  const int mode = points[point].mode_of[static_cast<size_t>(branch)];
  if (mode < 0) return {std::nan(""), std::nan("")};
  return points[point].modes.values[static_cast<size_t>(mode)];
}

size_t Track::find_point(double speed) const {
  const auto above = std::upper_bound(points.begin(), points.end(), speed,
                                      [](double s, const TrackPoint& point) { return s < point.modes.speed; });
  return above == points.begin() ? 0 : static_cast<size_t>(above - points.begin()) - 1;
}

std::vector<int> follow(const TrackPoint& from, const PencilModes& to) {
  const Match match = match_modes(from.modes, to);
  std::vector<int> out;
  for (const int mode : from.mode_of) out.push_back(mode < 0 ? -1 : match.mode_of[static_cast<size_t>(mode)]);
  return out;
}

Track track_branches(std::vector<PencilModes> solved, const SolveAt& solve, const TrackOptions& options) {
  ELODYN_REQUIRE(!solved.empty());
  Track track = Tracker(solve, options).run(std::move(solved));
  EventFinder(solve, track, options.looks_everywhere).run();
  return track;
}

}  // namespace elodyn
