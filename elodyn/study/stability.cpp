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

#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/stopwatch.hpp"
#include "elodyn/linalg/cluster.hpp"

namespace elodyn {
namespace {

using Kind = SpeedPoint::Kind;
using Helper = StabilityStudy::Helper;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string kind_of_crossing(Kind from, Kind to) {
  if (from == Kind::stable || to == Kind::stable) return to_string(from == Kind::stable ? to : from);
  return "divergence to flutter";
}

class Sweep {
 public:
  Sweep(const Model& model, const StabilityStudy& study, Results& results)
      : study_(study), results_(results), parts_(model, study.make), grid_(parts_.grid()) {
    points_.resize(static_cast<size_t>(grid_.n_lines()) * static_cast<size_t>(grid_.n_places()));
  }

  void run() {
    const WithoutCluster alone;  // helpers have parts of the map to do
    std::exception_ptr failure;
    try {
      solve_points();
      if (!is_interrupted()) find_boundary();
      if (!is_interrupted()) find_margins();
    } catch (const NumericalError&) {
      failure = std::current_exception();
    }
    if (std::any_of(points_.begin(), points_.end(), [](const MapPoint& point) { return point.is_done; })) {
      add_tables();
      say_what_is_missing();
      say_what_does_nothing();
    }
    if (failure) std::rethrow_exception(failure);
    throw_if_interrupted();
  }

 private:
  MapPoint& at(int line, int place) {
    return points_[static_cast<size_t>(line) * static_cast<size_t>(grid_.n_places()) + static_cast<size_t>(place)];
  }

  // i: of x, j: of y.
  const MapPoint& at_grid(int i, int j) {
    const int place = grid_.fast() == 0 ? i : grid_.fast() == 1 ? j : 0;
    const int line = grid_.fast() == 0 ? j : grid_.fast() == 1 ? i : i + grid_.parameters()[0]->count * j;
    return at(line, place);
  }

  // ---- who does a part ----
  // Threads of this process, and for each helper one that asks it.
  void for_parts(int n, const std::function<void(int part, Helper* helper)>& work) {
    const int own = n_threads();
    parallel_for(n, own + static_cast<int>(study_.helpers.size()), [&](int part, int thread) {
      if (!is_interrupted()) work(part, thread < own ? nullptr : study_.helpers[static_cast<size_t>(thread - own)]);
    });
  }

  std::vector<double> ask(const std::vector<double>& question, Helper* helper) {
    PartAnswer answer = helper ? helper->ask(question) : parts_.answer(question);
    keep(answer);
    return std::move(answer.numbers);
  }
  void keep(const PartAnswer& answer) {
    const std::lock_guard lock(mutex_);
    if (answer.no_model && (!no_model_ || answer.no_model->first < no_model_->first)) no_model_ = answer.no_model;
  }

  std::vector<double> find_in_journal(const std::string& name) const {
    if (!study_.journal) return {};
    return study_.journal->find(name).value_or(std::vector<double>());
  }

  // ---- points ----
  // A part: up to kMostPoints neighbouring points of a line, done in pieces that the journal gets one by one, so that a
  // kill loses little.
  void solve_points() {
    constexpr int kLength = StabilityParts::kMostPoints;
    const int n_parts = (grid_.n_places() + kLength - 1) / kLength;
    Progress progress("stability", static_cast<double>(points_.size()));
    for_parts(grid_.n_lines() * n_parts, [&](int part, Helper* helper) {
      const int line = part / n_parts, first = part % n_parts * kLength;
      const int last = std::min(grid_.n_places(), first + kLength);
      for (int place = first; place < last && !is_interrupted();) {
        const std::string name = fmt::format("points:{}:{}", line, place);
        int end = put(find_in_journal(name), line, place, last);
        if (end > place) {
          n_restored_ += end - place;
        } else {
          const std::vector<double> numbers = ask(StabilityParts::ask_points(line, place, last), helper);
          end = put(numbers, line, place, last);
          if (end == place) return;  // interrupted
          if (study_.journal) study_.journal->add(name, numbers);
        }
        progress.advance(end - place);
        place = end;
      }
    });
  }

  // The place after those of an answer; the first one if it has none.
  int put(const std::vector<double>& numbers, int line, int first, int last) {
    const std::vector<MapPoint> points = StabilityParts::to_points(numbers);
    if (points.size() > static_cast<size_t>(last - first)) return first;
    for (const MapPoint& point : points) at(line, first++) = point;
    return first;
  }

  // ---- boundaries ----
  static bool differ(const MapPoint& a, const MapPoint& b) {
    return a.is_done && b.is_done && a.is_model && b.is_model && a.at.kind != b.at.kind;
  }

  // One part for each line and its speeds, one for each edge between lines.
  struct Work {
    std::string name;
    std::vector<double> question;
  };
  std::vector<Work> list_edges() {
    std::vector<Work> work;
    for (int line = 0; line < grid_.n_lines() && grid_.fast() >= 0; ++line) {
      std::vector<StabilityParts::Edge> edges;
      for (int k = 0; k + 1 < grid_.n_places(); ++k)
        if (const MapPoint& a = at(line, k), &b = at(line, k + 1); differ(a, b))
          edges.push_back({k, a.at.kind, b.at.kind});
      if (!edges.empty())
        work.push_back({fmt::format("line:{}", line), StabilityParts::ask_crossings_along(line, edges)});
    }
    int stride = 1;
    for (int p = 0; p < static_cast<int>(grid_.parameters().size()); ++p) {
      if (p == grid_.fast()) continue;
      const int count = grid_.parameters()[static_cast<size_t>(p)]->count;
      for (int line = 0; line < grid_.n_lines(); ++line)
        for (int k = 0; k < grid_.n_places() && line / stride % count + 1 < count; ++k)
          if (const MapPoint& a = at(line, k), &b = at(line + stride, k); differ(a, b))
            work.push_back({fmt::format("edge:{}:{}:{}", p, line, k),
                            StabilityParts::ask_crossing_between(line, line + stride, k, p, a.at.kind, b.at.kind)});
      stride *= count;
    }
    return work;
  }

  void find_boundary() {
    const std::vector<Work> work = list_edges();
    std::vector<std::vector<Crossing>> found(work.size());
    Progress progress("boundaries", static_cast<double>(work.size()));
    for_parts(static_cast<int>(work.size()), [&](int part, Helper* helper) {
      const Work& w = work[static_cast<size_t>(part)];
      std::optional<std::vector<Crossing>> crossings = parts_.to_crossings(find_in_journal(w.name));
      if (!crossings) {
        const std::vector<double> numbers = ask(w.question, helper);
        crossings = parts_.to_crossings(numbers);
        if (!crossings) return;  // interrupted
        if (study_.journal) study_.journal->add(w.name, numbers);
      }
      found[static_cast<size_t>(part)] = std::move(*crossings);
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
  std::vector<StabilityLine::Divergence> divergence_;

  std::unique_ptr<const StabilityLine> make_line(const std::vector<double>& values) {
    PartAnswer answer;
    std::unique_ptr<const StabilityLine> line = parts_.make_line(values, answer);
    keep(answer);
    return line;
  }
  Crossing cross_between(const std::vector<double>& start, int parameter, double low, double high, Kind at_low,
                         Kind at_high) {
    PartAnswer answer;
    Crossing crossing = parts_.cross_between(start, parameter, low, high, at_low, at_high, answer);
    keep(answer);
    return crossing;
  }

  void find_margins() {
    if (study_.in_file.size() != grid_.parameters().size()) return;
    for (const double value : study_.in_file)
      if (std::isnan(value)) return;
    const std::unique_ptr<const StabilityLine> own = make_line(study_.in_file);
    if (!own) return;
    const double own_speed = grid_.fast() >= 0 ? study_.in_file[static_cast<size_t>(grid_.fast())] : 0;
    const MapPoint here = own->solve(own_speed);
    divergence_ = own->list_divergence(study_.make(study_.in_file));
    for (size_t p = 0; p < grid_.parameters().size(); ++p) {
      if (is_interrupted()) return;
      Margin margin{static_cast<int>(p), study_.in_file[p], kNone, kNone, here.at.kind, here.at.growth};
      for (const bool up : {false, true}) {
        // Known points from here to the end of the sweep; the first change.
        std::vector<double> steps = {margin.value};
        for (int k = 0; k < grid_.parameters()[p]->count; ++k) {
          const double value = grid_.parameters()[p]->value(up ? k : grid_.parameters()[p]->count - 1 - k);
          if (up ? value > margin.value : value < margin.value) steps.push_back(value);
        }
        if (const std::optional<double> found = find_first_change(*own, static_cast<int>(p), steps, here.at.kind))
          (up ? margin.above : margin.below) = *found;
      }
      margins_.push_back(margin);
    }
  }

  std::optional<double> find_first_change(const StabilityLine& own, int parameter, const std::vector<double>& steps,
                                          Kind here) {
    std::vector<double> there = study_.in_file;
    const auto p = static_cast<size_t>(parameter);
    for (size_t k = 1; k < steps.size(); ++k) {
      std::optional<Kind> kind;
      if (parameter == grid_.fast()) {
        kind = own.solve(steps[k]).at.kind;
      } else {
        there[p] = steps[k];
        const std::unique_ptr<const StabilityLine> line = make_line(there);
        if (line) kind = line->solve(grid_.fast() >= 0 ? there[static_cast<size_t>(grid_.fast())] : 0).at.kind;
      }
      if (!kind) return std::nullopt;
      if (*kind == here) continue;
      const bool up = steps[k] > steps[k - 1];
      const double low = up ? steps[k - 1] : steps[k], high = up ? steps[k] : steps[k - 1];
      const Kind at_low = up ? here : *kind, at_high = up ? *kind : here;
      std::vector<Crossing> crossings;
      if (parameter == grid_.fast())
        parts_.cross_along(own, study_.in_file, low, high, at_low, at_high, crossings);
      else
        crossings.push_back(cross_between(study_.in_file, parameter, low, high, at_low, at_high));
      return crossings.empty() ? 0.5 * (low + high) : (up ? crossings.front() : crossings.back()).values[p];
    }
    return std::nullopt;
  }

  // ---- tables ----
  Column column(size_t p, std::vector<double> values) const {
    std::string unit = grid_.parameters()[p]->unit();
    if (unit.empty() && static_cast<int>(p) == grid_.fast()) unit = "rad/s";
    return {grid_.parameters()[p]->name(), unit, std::move(values)};
  }

  void add_tables() {
    std::vector<std::vector<double>> where(grid_.parameters().size()), edge(grid_.parameters().size());
    std::vector<double> growth, frequency;
    std::vector<std::string> kind;
    // y outside, x inside.
    const int nx = grid_.parameters()[0]->count, ny = grid_.parameters().size() > 1 ? grid_.parameters()[1]->count : 1;
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i) {
        const MapPoint& point = at_grid(i, j);
        if (!point.is_done) continue;
        where[0].push_back(grid_.parameters()[0]->value(i));
        if (ny > 1) where[1].push_back(grid_.parameters()[1]->value(j));
        growth.push_back(point.is_model ? point.at.growth : kNone);
        frequency.push_back(point.is_model ? point.at.frequency : kNone);
        kind.emplace_back(point.is_model ? to_string(point.at.kind) : "no model");
      }
    Table map{"stability", "Stability", {}};
    for (size_t p = 0; p < grid_.parameters().size(); ++p) map.columns.push_back(column(p, where[p]));
    map.columns.push_back({"growth", "1/s", growth});
    map.columns.push_back({"kind", "", kind});
    map.columns.push_back({"lowest_frequency", "rad/s", frequency});
    results_.tables.push_back(std::move(map));

    std::vector<std::string> crossing_kind, along;
    std::vector<double> uncertainty;
    for (const Crossing& c : crossings_) {
      for (size_t p = 0; p < grid_.parameters().size(); ++p) edge[p].push_back(c.values[p]);
      crossing_kind.push_back(kind_of_crossing(c.from, c.to));
      along.push_back(grid_.parameters()[static_cast<size_t>(c.parameter)]->name());
      uncertainty.push_back(c.uncertainty);
    }
    Table boundary{"stability_boundary", "Boundaries", {}};
    for (size_t p = 0; p < grid_.parameters().size(); ++p) boundary.columns.push_back(column(p, edge[p]));
    boundary.columns.push_back({"kind", "", crossing_kind});
    boundary.columns.push_back({"along", "", along});
    // Of two parameters it is in the unit of the one that was varied.
    boundary.columns.push_back({"uncertainty", grid_.parameters().size() == 1 ? column(0, {}).unit : "", uncertainty});
    results_.tables.push_back(std::move(boundary));
    add_margin_table();
  }

  void add_margin_table() {
    if (margins_.empty()) return;
    std::vector<std::string> name, unit, kind;
    std::vector<double> value, below, above, ratio;
    for (const Margin& m : margins_) {
      const auto p = static_cast<size_t>(m.parameter);
      name.push_back(grid_.parameters()[p]->name());
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
    for (const StabilityLine::Divergence& d : divergence_) {
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
    for (const MapPoint& point : points_) {
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

  // Of a key whose equation is known after assembly only, such as the place of a body where there is no gravity.
  void say_what_does_nothing() {
    const bool is_any_model = std::any_of(points_.begin(), points_.end(), [](const MapPoint& p) { return p.is_model; });
    const int nx = grid_.parameters()[0]->count;
    for (size_t p = 0; p < grid_.parameters().size(); ++p) {
      const int step = p == 0 ? 1 : nx, count = grid_.parameters()[p]->count;
      bool changes = false;
      for (int k = 0; k < static_cast<int>(points_.size()) && !changes; ++k)
        changes = k / step % count > 0 && !is_same(at_grid(k % nx, k / nx), at_grid((k - step) % nx, (k - step) / nx));
      if (is_any_model && !changes)
        results_.warnings.push_back(fmt::format(
            "stability: the result does not change with `{}` at all: the equation of no body depends on it, or only "
            "that of bodies that are neither the least stable nor those of the lowest frequency",
            grid_.parameters()[p]->key.value));
    }
  }
  static bool is_same(const MapPoint& a, const MapPoint& b) {
    const auto equal = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
    if (!a.is_done || !b.is_done || a.is_model != b.is_model) return false;
    return !a.is_model ||
           (a.at.kind == b.at.kind && equal(a.at.growth, b.at.growth) && equal(a.at.frequency, b.at.frequency));
  }

  const StabilityStudy& study_;
  Results& results_;
  StabilityParts parts_;
  const StabilityGrid& grid_;
  std::vector<MapPoint> points_;
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
