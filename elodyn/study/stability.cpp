#include "elodyn/study/stability.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include "elodyn/analysis/speed_line.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/stopwatch.hpp"

namespace elodyn {
namespace {

using Kind = SpeedPoint::Kind;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// A point of the map; of several bodies the one that grows fastest.
struct Point {
  bool is_done = false;
  bool is_model = true;  // the parameters make one
  SpeedPoint at;
};

// The bodies whose speed the parameter is, if it is nothing else.
std::vector<size_t> find_spinning(const Model& model, const SweepParameter& parameter) {
  std::vector<size_t> found;
  std::vector<std::string> keys = {parameter.key.value};
  for (const Located<std::string>& key : parameter.also) keys.push_back(key.value);
  for (const std::string& key : keys) {
    const size_t before = found.size();
    for (size_t b = 0; b < model.bodies.size(); ++b)
      if (key == "body." + model.bodies[b].name + ".motion.speed" && model.bodies[b].motion.kind == Motion::Kind::spin)
        found.push_back(b);
    if (found.size() == before) return {};
  }
  return found;
}

// All bodies of one model, of which some are asked for at any speed.
class Line {
 public:
  Line(Model model, const std::vector<size_t>& spinning, double fastest) : model_(std::move(model)) {
    for (size_t b = 0; b < model_.bodies.size(); ++b) {
      Body& body = model_.bodies[b];
      const bool varies = std::find(spinning.begin(), spinning.end(), b) != spinning.end();
      if (varies && fastest > 0) body.motion.speed = fastest;  // gravity and axis as of a body that turns
      varies_.push_back(varies);
    }
    for (const Body& body : model_.bodies) {
      try {
        const BodySystem system = make_body_system(model_, body);
        const double own = body.motion.kind == Motion::Kind::spin ? std::abs(body.motion.speed) : 0;
        lines_.push_back(std::make_unique<SpeedLine>(system, varies_[lines_.size()] ? fastest : own));
      } catch (const NumericalError& error) {
        const std::string name = "body `" + body.name + "`";
        const std::string what = error.what();
        throw NumericalError(what.find(name) == what.npos ? name + ": " + what : what);
      }
    }
  }

  struct Trace {
    std::vector<SpeedLine::Trace> bodies;
  };

  Point solve(double speed, Trace& trace) const {
    trace.bodies.resize(lines_.size());
    Point point;
    for (size_t b = 0; b < lines_.size(); ++b) {
      const double own = model_.bodies[b].motion.kind == Motion::Kind::spin ? model_.bodies[b].motion.speed : 0;
      const SpeedPoint at = lines_[b]->solve(varies_[b] ? speed : own, trace.bodies[b]);
      if (!point.is_done) {
        point.at = at;
        point.is_done = true;
        continue;
      }
      SpeedPoint& worst = point.at;
      worst.frequency = std::min(worst.frequency, at.frequency);
      worst.indefinite = worst.indefinite || at.indefinite;
      worst.way = std::max(worst.way, at.way);
      if (at.growth > worst.growth) {
        worst.growth = at.growth;
        worst.kind = at.kind;
      }
    }
    return point;
  }
  Point solve(double speed) const {
    Trace fresh;
    return solve(speed, fresh);
  }

  // Points that are worth following from one to the next.
  int n_followed() const {
    int fewest = SpeedLine::kMostFollowed;
    for (const auto& line : lines_) fewest = std::min(fewest, line->n_followed());
    return fewest;
  }
  // Only then do all changes between divergence and flutter at a speed of divergence lie there.
  bool is_conservative() const {
    return std::all_of(lines_.begin(), lines_.end(), [](const auto& line) { return line->is_conservative(); });
  }

  // 1 − (Ω/Ω_d)² of the body nearest to its first divergence: smooth in all that the body is made of, 0 at the
  // boundary. NaN: not known.
  double calc_reserve(double speed) const {
    double reserve = 1;
    for (size_t b = 0; b < lines_.size(); ++b) {
      if (!lines_[b]->knows_divergence()) return kNone;
      const double own = model_.bodies[b].motion.kind == Motion::Kind::spin ? model_.bodies[b].motion.speed : 0;
      const double ratio = (varies_[b] ? speed : own) / lines_[b]->first_divergence();
      reserve = std::min(reserve, 1 - ratio * ratio);
    }
    return reserve;
  }

  // Where K of a body whose speed varies is singular, ascending.
  std::vector<double> divergence_speeds() const {
    std::vector<double> all;
    for (size_t b = 0; b < lines_.size(); ++b)
      if (varies_[b])
        all.insert(all.end(), lines_[b]->divergence_speeds().begin(), lines_[b]->divergence_speeds().end());
    std::sort(all.begin(), all.end());
    return all;
  }
  // Of each body: its own speed and the first one at which it diverges; infinite: none, NaN: not known.
  struct Divergence {
    std::string body;
    double speed, first;
  };
  std::vector<Divergence> list_divergence(const Model& as_given) const {
    std::vector<Divergence> all;
    for (size_t b = 0; b < lines_.size(); ++b)
      if (as_given.bodies[b].motion.kind == Motion::Kind::spin)
        all.push_back({as_given.bodies[b].name, as_given.bodies[b].motion.speed,
                       lines_[b]->knows_divergence() ? lines_[b]->first_divergence() : kNone});
    return all;
  }

 private:
  Model model_;
  std::vector<bool> varies_;
  std::vector<std::unique_ptr<SpeedLine>> lines_;
};

// A boundary point between two neighbours.
struct Crossing {
  std::vector<double> values;  // of the parameters
  Kind from, to;               // with the parameter growing
  double uncertainty;          // of the parameter that was varied; 0: exact
  int parameter;
};

std::string kind_of_crossing(Kind from, Kind to) {
  if (from == Kind::stable || to == Kind::stable) return to_string(from == Kind::stable ? to : from);
  return "divergence to flutter";
}

class Sweep {
 public:
  Sweep(const Model& model, const StabilityStudy& study, Results& results)
      : request_(*model.stability), study_(study), results_(results), parameters_(request_.parameters()) {
    // The last parameter that is a speed alone runs along the lines.
    for (size_t p = 0; p < parameters_.size(); ++p) {
      const std::vector<size_t> spinning = find_spinning(model, *parameters_[p]);
      if (spinning.empty()) continue;
      fast_ = static_cast<int>(p);
      spinning_ = spinning;
    }
    if (fast_ >= 0) fastest_ = std::max(std::abs(fast().from.value), std::abs(fast().to.value));
    n_fast_ = fast_ >= 0 ? fast().count : 1;
    n_lines_ = 1;
    for (size_t p = 0; p < parameters_.size(); ++p)
      if (static_cast<int>(p) != fast_) n_lines_ *= parameters_[p]->count;
    points_.resize(static_cast<size_t>(n_lines_) * static_cast<size_t>(n_fast_));
  }

  void run() {
    std::exception_ptr failure;
    try {
      solve_points();
      if (!is_interrupted()) find_boundary();
      if (!is_interrupted()) find_margins();
    } catch (const NumericalError&) {
      failure = std::current_exception();
    }
    if (std::any_of(points_.begin(), points_.end(), [](const Point& point) { return point.is_done; })) {
      add_tables();
      say_what_is_missing();
    }
    if (failure) std::rethrow_exception(failure);
    throw_if_interrupted();
  }

 private:
  static constexpr int kPartLength = SpeedLine::kMostFollowed;  // points along a line that one thread does

  const SweepParameter& fast() const { return *parameters_[static_cast<size_t>(fast_)]; }
  Point& at(int line, int k) {
    return points_[static_cast<size_t>(line) * static_cast<size_t>(n_fast_) + static_cast<size_t>(k)];
  }
  double speed(int k) const { return fast_ >= 0 ? fast().value(k) : 0; }

  // Index of each parameter; x runs first among those that make lines.
  std::vector<int> indices(int line, int k) const {
    std::vector<int> all(parameters_.size());
    for (size_t p = 0; p < parameters_.size(); ++p) {
      if (static_cast<int>(p) == fast_) {
        all[p] = k;
      } else {
        all[p] = line % parameters_[p]->count;
        line /= parameters_[p]->count;
      }
    }
    return all;
  }
  std::vector<double> values(int line, int k) const {
    const std::vector<int> index = indices(line, k);
    std::vector<double> all;
    for (size_t p = 0; p < parameters_.size(); ++p) all.push_back(parameters_[p]->value(index[p]));
    return all;
  }

  // Null where the values make no model; the first such place is kept for a warning.
  std::unique_ptr<const Line> make_line(std::vector<double> values) {
    if (fast_ >= 0) values[static_cast<size_t>(fast_)] = fastest_;
    try {
      return std::make_unique<const Line>(study_.make(values), spinning_, fastest_);
    } catch (const InputError& error) {
      const std::lock_guard lock(mutex_);
      if (!no_model_ || values < no_model_->first) no_model_ = {values, error.what()};
      return nullptr;
    }
  }

  // A part: up to kPartLength neighbouring points of a line, done in pieces that the journal gets one by one, so that a
  // kill loses little. Parts of one line share its body.
  void solve_points() {
    const int n_parts = (n_fast_ + kPartLength - 1) / kPartLength;
    struct Shared {
      std::mutex mutex;
      std::shared_ptr<const Line> line;
      bool is_made = false;
      int left = 0;
    };
    std::vector<Shared> shared(static_cast<size_t>(n_lines_));
    for (Shared& s : shared) s.left = n_parts;
    Progress progress("stability", static_cast<double>(points_.size()));
    parallel_for(n_lines_ * n_parts, [&](int item) {
      if (is_interrupted()) return;
      const int line_number = item / n_parts, part = item % n_parts;
      const int first = part * kPartLength, last = std::min(n_fast_, first + kPartLength);
      Shared& s = shared[static_cast<size_t>(line_number)];
      const auto leave = [&] {
        const std::lock_guard lock(s.mutex);
        if (--s.left == 0) s.line.reset();
      };
      std::shared_ptr<const Line> line;
      const auto get_line = [&] {
        const std::lock_guard lock(s.mutex);
        if (!s.is_made) s.line = make_line(values(line_number, 0));
        s.is_made = true;
        return s.line;
      };
      bool is_ready = false;
      for (int k = first; k < last;) {
        const std::string name = fmt::format("points:{}:{}", line_number, k);
        int end = restore(name, line_number, k, last);
        if (end == k) {
          if (!is_ready) line = get_line();
          is_ready = true;
          end = std::min(last, k + (line ? line->n_followed() : kPartLength));
          if (!solve_piece(line.get(), line_number, k, end)) return;
          keep(name, line_number, k, end);
        }
        progress.advance(end - k);
        k = end;
      }
      leave();
    });
  }

  // Neighbouring points, each from the one before. False: interrupted.
  bool solve_piece(const Line* line, int line_number, int first, int end) {
    Line::Trace trace;
    for (int k = first; k < end; ++k) {
      if (is_interrupted()) return false;
      Point& point = at(line_number, k);
      if (line)
        point = line->solve(speed(k), trace);
      else
        point.is_model = false;
      point.is_done = true;
    }
    return true;
  }

  static constexpr size_t kNumbers = 6;  // of a point in the journal

  // The point after those of a piece that the journal has; `first` if it has none.
  int restore(const std::string& name, int line, int first, int last) {
    const std::optional<std::vector<double>> found = study_.journal ? study_.journal->find(name) : std::nullopt;
    if (!found || found->size() % kNumbers != 0 || found->size() / kNumbers > static_cast<size_t>(last - first))
      return first;
    const int end = first + static_cast<int>(found->size() / kNumbers);
    const double* number = found->data();
    for (int k = first; k < end; ++k, number += kNumbers) {
      Point& point = at(line, k);
      point.is_done = true;
      point.is_model = number[0] != 0;
      point.at.kind = static_cast<Kind>(static_cast<int>(number[1]));
      point.at.way = static_cast<SpeedPoint::Way>(static_cast<int>(number[2]));
      point.at.growth = number[3];
      point.at.frequency = number[4];
      point.at.indefinite = number[5] != 0;
    }
    n_restored_ += end - first;
    return end;
  }
  void keep(const std::string& name, int line, int first, int last) {
    if (!study_.journal) return;
    std::vector<double> numbers;
    for (int k = first; k < last; ++k) {
      const Point& point = at(line, k);
      numbers.insert(numbers.end(),
                     {point.is_model ? 1.0 : 0.0, static_cast<double>(point.at.kind), static_cast<double>(point.at.way),
                      point.at.growth, point.at.frequency, point.at.indefinite ? 1.0 : 0.0});
    }
    study_.journal->add(name, numbers);
  }

  // ---- boundaries ----
  static bool differ(const Point& a, const Point& b) {
    return a.is_done && b.is_done && a.is_model && b.is_model && a.at.kind != b.at.kind;
  }

  // Between two values of which the kinds are known and differ.
  Crossing bisect(const std::vector<double>& start, int parameter, double low, double high, Kind at_low, Kind at_high,
                  double tolerance, const std::function<std::optional<Kind>(double)>& kind_at) const {
    while (high - low > tolerance) {
      const double middle = 0.5 * (low + high);
      if (!(middle > low && middle < high)) break;
      const std::optional<Kind> kind = kind_at(middle);
      if (!kind) break;
      if (*kind == at_low) {
        low = middle;
      } else {
        high = middle;
        at_high = *kind;
      }
    }
    Crossing crossing{start, at_low, at_high, 0.5 * (high - low), parameter};
    crossing.values[static_cast<size_t>(parameter)] = 0.5 * (low + high);
    return crossing;
  }

  // Along a line: kinds are probed between the speeds of divergence, so that a change at one of these is exact.
  void cross_speeds(const Line& line, const std::vector<double>& start, double low, double high, Kind at_low,
                    Kind at_high, std::vector<Crossing>& out) const {
    struct Node {
      double speed;
      Kind kind;
      double divergence;  // between this node and the next; NaN: none
    };
    std::vector<double> between;
    for (const double d : line.divergence_speeds())
      for (const double s : {d, -d})
        if (s > low && s < high && (between.empty() || std::abs(s - between.back()) > 1e-12 * d)) between.push_back(s);
    std::sort(between.begin(), between.end());
    const auto kind_at = [&](double speed) { return std::optional(line.solve(speed).at.kind); };
    std::vector<Node> nodes = {{low, at_low, kNone}};
    for (size_t i = 0; i < between.size(); ++i) {
      // Beside the divergence speed, for the part of the interval before it.
      const double before = i == 0 ? low : between[i - 1], middle = 0.5 * (before + between[i]);
      const Kind kind = middle > low ? *kind_at(middle) : at_low;
      nodes.push_back({middle, kind, between[i]});
    }
    if (!between.empty()) {
      const double middle = 0.5 * (between.back() + high);
      nodes.push_back({middle, *kind_at(middle), kNone});
    }
    nodes.push_back({high, at_high, kNone});
    const double tolerance = request_.tolerance * (fast().to.value - fast().from.value);
    for (size_t i = 0; i + 1 < nodes.size(); ++i) {
      if (nodes[i].kind == nodes[i + 1].kind) continue;
      const bool is_first = (nodes[i].kind == Kind::stable || nodes[i + 1].kind == Kind::stable) &&
                            nodes[i].kind != Kind::flutter && nodes[i + 1].kind != Kind::flutter;
      if (!std::isnan(nodes[i].divergence) && (line.is_conservative() || is_first)) {
        Crossing exact{start, nodes[i].kind, nodes[i + 1].kind, 0, fast_};
        exact.values[static_cast<size_t>(fast_)] = nodes[i].divergence;
        out.push_back(exact);
      } else {
        out.push_back(bisect(start, fast_, nodes[i].speed, nodes[i + 1].speed, nodes[i].kind, nodes[i + 1].kind,
                             tolerance, kind_at));
      }
    }
  }

  // Across lines: a body is assembled for each step, so that few are taken where the boundary is one of divergence.
  Crossing cross_lines(const std::vector<double>& start, int parameter, double low, double high, Kind at_low,
                       Kind at_high) {
    const SweepParameter& p = *parameters_[static_cast<size_t>(parameter)];
    const double own_speed = fast_ >= 0 ? start[static_cast<size_t>(fast_)] : 0;
    const auto line_at = [&](double value) {
      std::vector<double> there = start;
      there[static_cast<size_t>(parameter)] = value;
      return p.is_whole() ? nullptr : make_line(there);  // nothing lies between whole numbers
    };
    const double tolerance = request_.tolerance * (p.to.value - p.from.value);
    const bool is_first = at_low != Kind::flutter && at_high != Kind::flutter;
    if (is_first && high - low > 4 * tolerance)
      if (const std::optional<double> root = find_zero(low, high, tolerance, [&](double value) {
            const std::unique_ptr<const Line> line = line_at(value);
            return line ? line->calc_reserve(own_speed) : kNone;
          })) {
        Crossing crossing{start, at_low, at_high, 0.5 * tolerance, parameter};
        crossing.values[static_cast<size_t>(parameter)] = *root;
        return crossing;
      }
    return bisect(start, parameter, low, high, at_low, at_high, tolerance, [&](double value) -> std::optional<Kind> {
      const std::unique_ptr<const Line> line = line_at(value);
      return line ? std::optional(line->solve(own_speed).at.kind) : std::nullopt;
    });
  }

  // A zero of a smooth function to half the tolerance, by Illinois steps; proven by signs on both sides of it. Nothing
  // if the function has none between or is not known.
  static std::optional<double> find_zero(double low, double high, double tolerance,
                                         const std::function<double(double)>& f) {
    double f_low = f(low), f_high = f(high);
    int side = 0;
    constexpr int kMostSteps = 12;
    for (int step = 0; step < kMostSteps && f_low * f_high < 0; ++step) {
      const double root = std::clamp((f_high * low - f_low * high) / (f_high - f_low), low, high);
      const double value = f(root);
      if (std::isnan(value)) return std::nullopt;
      const double slope = (f_high - f_low) / (high - low);
      if (std::abs(value) <= 0.1 * tolerance * std::abs(slope)) {
        const double before = f(std::max(low, root - 0.5 * tolerance)),
                     after = f(std::min(high, root + 0.5 * tolerance));
        if (before * after < 0) return root;
      }
      const bool replaces_low = value * f_low > 0;
      (replaces_low ? low : high) = root;
      (replaces_low ? f_low : f_high) = value;
      // The end that stays twice gets half of its weight.
      if (side == (replaces_low ? -1 : 1)) (replaces_low ? f_high : f_low) *= 0.5;
      side = replaces_low ? -1 : 1;
    }
    return std::nullopt;
  }

  std::optional<std::vector<Crossing>> restore_crossings(const std::string& name) const {
    const std::optional<std::vector<double>> found = study_.journal ? study_.journal->find(name) : std::nullopt;
    const size_t width = 4 + parameters_.size();
    if (!found || found->size() % width != 0) return std::nullopt;
    std::vector<Crossing> crossings;
    for (size_t i = 0; i < found->size(); i += width) {
      const double* number = found->data() + i;
      crossings.push_back({{number + 4, number + width},
                           static_cast<Kind>(static_cast<int>(number[0])),
                           static_cast<Kind>(static_cast<int>(number[1])),
                           number[2],
                           static_cast<int>(number[3])});
    }
    return crossings;
  }
  void keep_crossings(const std::string& name, const std::vector<Crossing>& crossings) const {
    if (!study_.journal) return;
    std::vector<double> numbers;
    for (const Crossing& c : crossings) {
      numbers.insert(numbers.end(), {static_cast<double>(c.from), static_cast<double>(c.to), c.uncertainty,
                                     static_cast<double>(c.parameter)});
      numbers.insert(numbers.end(), c.values.begin(), c.values.end());
    }
    study_.journal->add(name, numbers);
  }

  // One part for each line and its speeds, one for each edge between lines.
  struct Work {
    std::string name;
    int line, k, parameter, other;  // other: the line at the far end of the edge
  };
  std::vector<Work> list_edges() {
    std::vector<Work> work;
    int stride = 1;
    for (int line = 0; line < n_lines_ && fast_ >= 0; ++line)
      for (int k = 0; k + 1 < n_fast_; ++k)
        if (differ(at(line, k), at(line, k + 1))) {
          work.push_back({fmt::format("line:{}", line), line, -1, fast_, line});
          break;
        }
    for (size_t p = 0; p < parameters_.size(); ++p) {
      if (static_cast<int>(p) == fast_) continue;
      const int count = parameters_[p]->count;
      for (int line = 0; line < n_lines_; ++line)
        for (int k = 0; k < n_fast_ && line / stride % count + 1 < count; ++k)
          if (differ(at(line, k), at(line + stride, k)))
            work.push_back({fmt::format("edge:{}:{}:{}", p, line, k), line, k, static_cast<int>(p), line + stride});
      stride *= count;
    }
    return work;
  }

  void find_boundary() {
    const std::vector<Work> work = list_edges();
    std::vector<std::vector<Crossing>> found(work.size());
    Progress progress("boundaries", static_cast<double>(work.size()));
    parallel_for(static_cast<int>(work.size()), [&](int item) {
      if (is_interrupted()) return;
      const Work& w = work[static_cast<size_t>(item)];
      std::vector<Crossing>& out = found[static_cast<size_t>(item)];
      if (std::optional<std::vector<Crossing>> earlier = restore_crossings(w.name)) {
        out = std::move(*earlier);
      } else {
        if (w.k < 0) {
          const std::vector<double> start = values(w.line, 0);
          if (const std::unique_ptr<const Line> line = make_line(start))
            for (int k = 0; k + 1 < n_fast_; ++k)
              if (const Point& a = at(w.line, k), &b = at(w.line, k + 1); differ(a, b))
                cross_speeds(*line, start, speed(k), speed(k + 1), a.at.kind, b.at.kind, out);
        } else {
          const std::vector<double> start = values(w.line, w.k), end = values(w.other, w.k);
          out.push_back(cross_lines(start, w.parameter, start[static_cast<size_t>(w.parameter)],
                                    end[static_cast<size_t>(w.parameter)], at(w.line, w.k).at.kind,
                                    at(w.other, w.k).at.kind));
        }
        keep_crossings(w.name, out);
      }
      progress.advance();
    });
    for (const std::vector<Crossing>& part : found) crossings_.insert(crossings_.end(), part.begin(), part.end());
    std::stable_sort(crossings_.begin(), crossings_.end(),
                     [](const Crossing& a, const Crossing& b) { return a.values < b.values; });
  }

  // ---- margins ----
  // The line through the file's own values along one parameter: the nearest change on each side.
  struct Margin {
    int parameter;
    double value = kNone, below = kNone, above = kNone;
    Kind kind = Kind::stable;
    double growth = 0;
  };
  std::vector<Margin> margins_;
  std::vector<Line::Divergence> divergence_;

  void find_margins() {
    if (study_.in_file.size() != parameters_.size()) return;
    for (const double value : study_.in_file)
      if (std::isnan(value)) return;
    std::unique_ptr<const Line> own = make_line(study_.in_file);
    if (!own) return;
    const double own_speed = fast_ >= 0 ? study_.in_file[static_cast<size_t>(fast_)] : 0;
    const Point here = own->solve(own_speed);
    divergence_ = own->list_divergence(study_.make(study_.in_file));
    for (size_t p = 0; p < parameters_.size(); ++p) {
      if (is_interrupted()) return;
      Margin margin{static_cast<int>(p), study_.in_file[p], kNone, kNone, here.at.kind, here.at.growth};
      for (const bool up : {false, true}) {
        // Known points from here to the end of the sweep; the first change.
        std::vector<double> steps = {margin.value};
        for (int k = 0; k < parameters_[p]->count; ++k) {
          const double value = parameters_[p]->value(up ? k : parameters_[p]->count - 1 - k);
          if (up ? value > margin.value : value < margin.value) steps.push_back(value);
        }
        if (const std::optional<double> found = find_first_change(*own, static_cast<int>(p), steps, here.at.kind))
          (up ? margin.above : margin.below) = *found;
      }
      margins_.push_back(margin);
    }
  }

  std::optional<double> find_first_change(const Line& own, int parameter, const std::vector<double>& steps, Kind here) {
    std::vector<double> there = study_.in_file;
    const auto p = static_cast<size_t>(parameter);
    for (size_t k = 1; k < steps.size(); ++k) {
      std::optional<Kind> kind;
      if (parameter == fast_) {
        kind = own.solve(steps[k]).at.kind;
      } else {
        there[p] = steps[k];
        const std::unique_ptr<const Line> line = make_line(there);
        if (line) kind = line->solve(fast_ >= 0 ? there[static_cast<size_t>(fast_)] : 0).at.kind;
      }
      if (!kind) return std::nullopt;
      if (*kind == here) continue;
      const bool up = steps[k] > steps[k - 1];
      const double low = up ? steps[k - 1] : steps[k], high = up ? steps[k] : steps[k - 1];
      const Kind at_low = up ? here : *kind, at_high = up ? *kind : here;
      std::vector<Crossing> crossings;
      if (parameter == fast_)
        cross_speeds(own, study_.in_file, low, high, at_low, at_high, crossings);
      else
        crossings.push_back(cross_lines(study_.in_file, parameter, low, high, at_low, at_high));
      return crossings.empty() ? 0.5 * (low + high) : (up ? crossings.front() : crossings.back()).values[p];
    }
    return std::nullopt;
  }

  // ---- tables ----
  Column column(size_t p, std::vector<double> values) const {
    std::string unit = parameters_[p]->unit();
    if (unit.empty() && static_cast<int>(p) == fast_) unit = "rad/s";
    return {parameters_[p]->name(), unit, std::move(values)};
  }

  void add_tables() {
    std::vector<std::vector<double>> where(parameters_.size()), edge(parameters_.size());
    std::vector<double> growth, frequency;
    std::vector<std::string> kind;
    // y outside, x inside.
    const int nx = parameters_[0]->count, ny = parameters_.size() > 1 ? parameters_[1]->count : 1;
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const int k = fast_ == 0 ? i : fast_ == 1 ? j : 0;
        const int line = fast_ == 0 ? j : fast_ == 1 ? i : i + nx * j;
        const Point& point = at(line, k);
        if (!point.is_done) continue;
        where[0].push_back(parameters_[0]->value(i));
        if (ny > 1) where[1].push_back(parameters_[1]->value(j));
        growth.push_back(point.is_model ? point.at.growth : kNone);
        frequency.push_back(point.is_model ? point.at.frequency : kNone);
        kind.emplace_back(point.is_model ? to_string(point.at.kind) : "no model");
      }
    Table map{"stability", "Stability", {}};
    for (size_t p = 0; p < parameters_.size(); ++p) map.columns.push_back(column(p, where[p]));
    map.columns.push_back({"growth", "1/s", growth});
    map.columns.push_back({"kind", "", kind});
    map.columns.push_back({"lowest_frequency", "rad/s", frequency});
    results_.tables.push_back(std::move(map));

    std::vector<std::string> crossing_kind, along;
    std::vector<double> uncertainty;
    for (const Crossing& c : crossings_) {
      for (size_t p = 0; p < parameters_.size(); ++p) edge[p].push_back(c.values[p]);
      crossing_kind.push_back(kind_of_crossing(c.from, c.to));
      along.push_back(parameters_[static_cast<size_t>(c.parameter)]->name());
      uncertainty.push_back(c.uncertainty);
    }
    Table boundary{"stability_boundary", "Boundaries", {}};
    for (size_t p = 0; p < parameters_.size(); ++p) boundary.columns.push_back(column(p, edge[p]));
    boundary.columns.push_back({"kind", "", crossing_kind});
    boundary.columns.push_back({"along", "", along});
    boundary.columns.push_back({"uncertainty", "", uncertainty});
    results_.tables.push_back(std::move(boundary));
    add_margin_table();
  }

  void add_margin_table() {
    if (margins_.empty()) return;
    std::vector<std::string> name, unit, kind;
    std::vector<double> value, below, above, ratio;
    for (const Margin& m : margins_) {
      const auto p = static_cast<size_t>(m.parameter);
      name.push_back(parameters_[p]->name());
      unit.push_back(column(p, {}).unit);
      value.push_back(m.value);
      kind.emplace_back(to_string(m.kind));
      below.push_back(m.below);
      above.push_back(m.above);
      const double d_below = std::isnan(m.below) ? INFINITY : std::abs(m.value - m.below);
      const double d_above = std::isnan(m.above) ? INFINITY : std::abs(m.above - m.value);
      const double nearest = d_below <= d_above ? m.below : m.above;
      ratio.push_back(nearest == 0 ? kNone : m.value / nearest);
    }
    results_.tables.push_back({"stability_margins",
                               "Margins of the file's own values",
                               {{"parameter", "", name},
                                {"unit", "", unit},
                                {"value", "", value},
                                {"kind", "", kind},
                                {"boundary_below", "", below},
                                {"boundary_above", "", above},
                                {"share_of_nearest", "", ratio}}});
    if (divergence_.empty()) return;
    std::vector<std::string> body;
    std::vector<double> speed, first, share;
    for (const Line::Divergence& d : divergence_) {
      body.push_back(d.body);
      speed.push_back(d.speed);
      first.push_back(std::isinf(d.first) ? kNone : d.first);
      share.push_back(std::isinf(d.first) ? 0 : std::abs(d.speed) / d.first);
    }
    results_.tables.push_back(
        {"stability_divergence",
         "Speeds at which the file's own bodies diverge",
         {{"body", "", body}, {"speed", "rad/s", speed}, {"divergence_speed", "rad/s", first}, {"share", "", share}}});
  }

  void say_what_is_missing() {
    double done = 0, no_model = 0, indefinite = 0;
    std::map<Kind, double> kinds;
    std::map<SpeedPoint::Way, double> ways;
    for (const Point& point : points_) {
      if (!point.is_done) continue;
      ++done;
      if (!point.is_model) {
        ++no_model;
        continue;
      }
      ++kinds[point.at.kind];
      ++ways[point.at.way];
      indefinite += point.at.indefinite ? 1 : 0;
    }
    const auto column_of = [](const char* name, double count) { return Column{name, "", std::vector<double>{count}}; };
    results_.tables.push_back(
        {"stability_points",
         "Points of the map",
         {column_of("points", done), column_of("stable", kinds[Kind::stable]),
          column_of("divergence", kinds[Kind::divergence]), column_of("flutter", kinds[Kind::flutter]),
          column_of("no_model", no_model), column_of("indefinite", indefinite),
          column_of("all_eigenvalues", ways[SpeedPoint::Way::full])}});
    if (n_restored_ > 0)
      results_.warnings.push_back(
          fmt::format("stability: {} of {} points were taken over from an earlier run that had been ended",
                      n_restored_.load(), points_.size()));
    if (no_model > 0 && no_model_)
      results_.warnings.push_back(fmt::format("stability: {} of {} points make no model; the first one: {}", no_model,
                                              points_.size(), no_model_->second));
  }

  const StabilityRequest& request_;
  const StabilityStudy& study_;
  Results& results_;
  std::vector<const SweepParameter*> parameters_;
  int fast_ = -1;  // the parameter along lines; −1: each point is a line
  std::vector<size_t> spinning_;
  double fastest_ = 0;
  int n_fast_ = 1, n_lines_ = 1;
  std::vector<Point> points_;
  std::vector<Crossing> crossings_;
  std::mutex mutex_;
  std::optional<std::pair<std::vector<double>, std::string>> no_model_;
  std::atomic<int> n_restored_ = 0;
};

}  // namespace

void add_stability(const Model& model, const StabilityStudy& study, Results& results) {
  ELODYN_REQUIRE(model.stability.has_value());
  const Stopwatch watch;
  try {
    const bool is_alone = results.outcome.status == "not run";
    if (is_alone) results.outcome.status = "ok";
    try {
      Sweep(model, study, results).run();
    } catch (const NumericalError& error) {
      results.outcome.fail((is_alone ? "" : "stability: ") + std::string(error.what()));
    }
  } catch (const Interrupted&) {
    results.outcome.interrupt(!results.is_empty());
  }
  results.timings["stability"] = watch.seconds();
}

Results run_stability(const Model& model, const StabilityStudy& study) {
  Results results;
  results.title = model.title;
  add_stability(model, study, results);
  return results;
}

}  // namespace elodyn
