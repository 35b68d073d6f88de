#include "elodyn/study/stability_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/base/progress.hpp"

namespace elodyn {
namespace {

using Kind = SpeedPoint::Kind;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

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

}  // namespace

// ---- the grid ----

StabilityGrid::StabilityGrid(const Model& model) : parameters_(model.stability->parameters()) {
  // The last parameter that is a speed alone runs along the lines.
  for (size_t p = 0; p < parameters_.size(); ++p) {
    const std::vector<size_t> spinning = find_spinning(model, *parameters_[p]);
    if (spinning.empty()) continue;
    fast_ = static_cast<int>(p);
    spinning_ = spinning;
  }
  if (fast_ >= 0) {
    const SweepParameter& fast = *parameters_[static_cast<size_t>(fast_)];
    fastest_ = std::max(std::abs(fast.from.value), std::abs(fast.to.value));
    n_places_ = fast.count;
  }
  for (size_t p = 0; p < parameters_.size(); ++p)
    if (static_cast<int>(p) != fast_) n_lines_ *= parameters_[p]->count;
}

double StabilityGrid::speed(int place) const {
  return fast_ >= 0 ? parameters_[static_cast<size_t>(fast_)]->value(place) : 0;
}

double StabilityGrid::range(int parameter) const {
  const SweepParameter& p = *parameters_[static_cast<size_t>(parameter)];
  return p.to.value - p.from.value;
}

// x runs first among the parameters that make lines.
std::vector<double> StabilityGrid::values(int line, int place) const {
  std::vector<double> all;
  for (size_t p = 0; p < parameters_.size(); ++p) {
    if (static_cast<int>(p) == fast_) {
      all.push_back(parameters_[p]->value(place));
    } else {
      all.push_back(parameters_[p]->value(line % parameters_[p]->count));
      line /= parameters_[p]->count;
    }
  }
  return all;
}

// ---- a line ----

StabilityLine::StabilityLine(Model model, const std::vector<size_t>& spinning, double fastest)
    : model_(std::move(model)) {
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

double StabilityLine::speed_of(size_t body, double varied) const {
  if (varies_[body]) return varied;
  const Motion& motion = model_.bodies[body].motion;
  return motion.kind == Motion::Kind::spin ? motion.speed : 0;
}

MapPoint StabilityLine::solve(double speed, Trace& trace) const {
  trace.resize(lines_.size());
  MapPoint point;
  for (size_t b = 0; b < lines_.size(); ++b) {
    const SpeedPoint at = lines_[b]->solve(speed_of(b, speed), trace[b]);
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

MapPoint StabilityLine::solve(double speed) const {
  Trace fresh;
  return solve(speed, fresh);
}

int StabilityLine::n_followed() const {
  int fewest = SpeedLine::kMostFollowed;
  for (const auto& line : lines_) fewest = std::min(fewest, line->n_followed());
  return fewest;
}

bool StabilityLine::is_conservative() const {
  return std::all_of(lines_.begin(), lines_.end(), [](const auto& line) { return line->is_conservative(); });
}

double StabilityLine::calc_reserve(double speed) const {
  double reserve = 1;
  for (size_t b = 0; b < lines_.size(); ++b) {
    if (!lines_[b]->knows_divergence()) return kNone;
    const double ratio = speed_of(b, speed) / lines_[b]->first_divergence();
    reserve = std::min(reserve, 1 - ratio * ratio);
  }
  return reserve;
}

std::vector<double> StabilityLine::divergence_speeds() const {
  std::vector<double> all;
  for (size_t b = 0; b < lines_.size(); ++b)
    if (varies_[b]) all.insert(all.end(), lines_[b]->divergence_speeds().begin(), lines_[b]->divergence_speeds().end());
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<StabilityLine::Divergence> StabilityLine::list_divergence(const Model& as_given) const {
  std::vector<Divergence> all;
  for (size_t b = 0; b < lines_.size(); ++b)
    if (as_given.bodies[b].motion.kind == Motion::Kind::spin)
      all.push_back({as_given.bodies[b].name, as_given.bodies[b].motion.speed,
                     lines_[b]->knows_divergence() ? lines_[b]->first_divergence() : kNone});
  return all;
}

// ---- questions and answers ----

namespace {

enum Question { kPoints, kAlong, kBetween };
constexpr size_t kNumbers = 6;  // of a point

int whole(double number) { return static_cast<int>(number); }
Kind to_kind(double number) { return static_cast<Kind>(whole(number)); }
double from_kind(Kind kind) { return static_cast<double>(kind); }

void add_point(const MapPoint& point, std::vector<double>& numbers) {
  numbers.insert(numbers.end(),
                 {point.is_model ? 1.0 : 0.0, from_kind(point.at.kind), static_cast<double>(point.at.way),
                  point.at.growth, point.at.frequency, point.at.indefinite ? 1.0 : 0.0});
}

void add_crossings(const std::vector<Crossing>& crossings, std::vector<double>& numbers) {
  numbers.push_back(static_cast<double>(crossings.size()));
  for (const Crossing& c : crossings) {
    numbers.insert(numbers.end(),
                   {from_kind(c.from), from_kind(c.to), c.uncertainty, static_cast<double>(c.parameter)});
    numbers.insert(numbers.end(), c.values.begin(), c.values.end());
  }
}

void keep_lowest(const std::optional<std::pair<std::vector<double>, std::string>>& other, PartAnswer& answer) {
  if (other && (!answer.no_model || other->first < answer.no_model->first)) answer.no_model = other;
}

}  // namespace

StabilityParts::StabilityParts(const Model& model, const MakeVariant& make)
    : request_(*model.stability), make_(make), grid_(model) {}

std::vector<double> StabilityParts::ask_points(int line, int first, int last) {
  return {kPoints, static_cast<double>(line), static_cast<double>(first), static_cast<double>(last)};
}

std::vector<double> StabilityParts::ask_crossings_along(int line, const std::vector<Edge>& edges) {
  std::vector<double> question = {kAlong, static_cast<double>(line)};
  for (const Edge& edge : edges)
    question.insert(question.end(), {static_cast<double>(edge.place), from_kind(edge.before), from_kind(edge.after)});
  return question;
}

std::vector<double> StabilityParts::ask_crossing_between(int line, int other, int place, int parameter, Kind before,
                                                         Kind after) {
  return {kBetween,
          static_cast<double>(line),
          static_cast<double>(other),
          static_cast<double>(place),
          static_cast<double>(parameter),
          from_kind(before),
          from_kind(after)};
}

PartAnswer StabilityParts::answer(const std::vector<double>& question) {
  PartAnswer out;
  if (whole(question.at(0)) == kPoints)
    answer_points(question, out);
  else
    answer_crossings(question, out);
  return out;
}

void StabilityParts::answer_points(const std::vector<double>& question, PartAnswer& out) {
  const int number = whole(question.at(1)), first = whole(question.at(2)), last = whole(question.at(3));
  const std::shared_ptr<const StabilityLine> line = get_line(number, out);
  const int end = std::min(last, first + (line ? line->n_followed() : kMostPoints));
  StabilityLine::Trace trace;
  for (int place = first; place < end; ++place) {
    if (is_interrupted()) {
      out.numbers.clear();
      return;
    }
    MapPoint point;
    if (line)
      point = line->solve(grid_.speed(place), trace);
    else
      point.is_model = false;
    add_point(point, out.numbers);
  }
}

void StabilityParts::answer_crossings(const std::vector<double>& question, PartAnswer& out) {
  std::vector<Crossing> found;
  const int number = whole(question.at(1));
  if (whole(question[0]) == kAlong) {
    const std::vector<double> start = grid_.values(number, 0);
    if (const std::shared_ptr<const StabilityLine> line = get_line(number, out))
      for (size_t i = 2; i + 2 < question.size(); i += 3) {
        const int place = whole(question[i]);
        cross_along(*line, start, grid_.speed(place), grid_.speed(place + 1), to_kind(question[i + 1]),
                    to_kind(question[i + 2]), found);
      }
  } else {
    const int other = whole(question.at(2)), place = whole(question.at(3)), parameter = whole(question.at(4));
    const std::vector<double> start = grid_.values(number, place), end = grid_.values(other, place);
    const auto p = static_cast<size_t>(parameter);
    found.push_back(
        cross_between(start, parameter, start.at(p), end.at(p), to_kind(question.at(5)), to_kind(question.at(6)), out));
  }
  add_crossings(found, out.numbers);
}

std::vector<MapPoint> StabilityParts::to_points(const std::vector<double>& numbers) {
  if (numbers.size() % kNumbers != 0) return {};
  std::vector<MapPoint> points;
  for (const double* number = numbers.data(); number != numbers.data() + numbers.size(); number += kNumbers) {
    MapPoint& point = points.emplace_back();
    point.is_done = true;
    point.is_model = number[0] != 0;
    point.at.kind = to_kind(number[1]);
    point.at.way = static_cast<SpeedPoint::Way>(whole(number[2]));
    point.at.growth = number[3];
    point.at.frequency = number[4];
    point.at.indefinite = number[5] != 0;
  }
  return points;
}

std::optional<std::vector<Crossing>> StabilityParts::to_crossings(const std::vector<double>& numbers) const {
  const size_t width = 4 + grid_.parameters().size();
  if (numbers.empty() || numbers.size() != 1 + static_cast<size_t>(numbers[0]) * width) return std::nullopt;
  std::vector<Crossing> crossings;
  for (size_t i = 1; i < numbers.size(); i += width) {
    const double* number = numbers.data() + i;
    crossings.push_back(
        {{number + 4, number + width}, to_kind(number[0]), to_kind(number[1]), number[2], whole(number[3])});
  }
  return crossings;
}

// ---- lines ----

std::unique_ptr<const StabilityLine> StabilityParts::make_line(std::vector<double> values, PartAnswer& answer) const {
  if (grid_.fast() >= 0) values[static_cast<size_t>(grid_.fast())] = grid_.fastest();
  try {
    return std::make_unique<const StabilityLine>(make_(values), grid_.spinning(), grid_.fastest());
  } catch (const InputError& error) {
    keep_lowest(std::pair(values, std::string(error.what())), answer);
    return nullptr;
  }
}

// Parts of one line share its bodies; they are asked for one after the other.
std::shared_ptr<const StabilityLine> StabilityParts::get_line(int number, PartAnswer& answer) {
  std::shared_ptr<Kept> kept;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& k) { return k->number == number; });
    if (found != kept_.end()) {
      kept_.splice(kept_.begin(), kept_, found);
    } else {
      kept_.push_front(std::make_shared<Kept>());
      kept_.front()->number = number;
      if (kept_.size() > static_cast<size_t>(n_threads())) kept_.pop_back();
    }
    kept = kept_.front();
  }
  std::call_once(kept->once, [&] {
    PartAnswer here;
    kept->line = make_line(grid_.values(number, 0), here);
    kept->no_model = here.no_model;
  });
  keep_lowest(kept->no_model, answer);
  return kept->line;
}

// ---- boundaries ----

// Between two values of which the kinds are known and differ.
Crossing StabilityParts::bisect(const std::vector<double>& start, int parameter, double low, double high, Kind at_low,
                                Kind at_high, double tolerance,
                                const std::function<std::optional<Kind>(double)>& kind_at) const {
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
void StabilityParts::cross_along(const StabilityLine& line, const std::vector<double>& start, double low, double high,
                                 Kind at_low, Kind at_high, std::vector<Crossing>& out) const {
  struct Probe {
    double speed;
    Kind kind;
    double divergence;  // between this node and the next; NaN: none
  };
  const auto is_exact = [&](Kind from, Kind to) {
    const bool is_first = (from == Kind::stable || to == Kind::stable) && from != Kind::flutter && to != Kind::flutter;
    return line.is_conservative() || is_first;
  };
  const auto exact = [&](Kind from, Kind to, double speed) {
    Crossing crossing{start, from, to, 0, grid_.fast()};
    crossing.values[static_cast<size_t>(grid_.fast())] = speed;
    return crossing;
  };
  constexpr double kAtEnd = 1e-9;  // a speed of divergence is an end itself, of which the kind is then either
  std::vector<double> between;
  std::optional<double> at_end;
  for (const double d : line.divergence_speeds())
    for (const double s : {d, -d})
      if (std::min(std::abs(s - low), std::abs(s - high)) <= kAtEnd * d)
        at_end = s;
      else if (s > low && s < high && (between.empty() || std::abs(s - between.back()) > 1e-12 * d))
        between.push_back(s);
  if (at_end && between.empty() && is_exact(at_low, at_high)) {
    out.push_back(exact(at_low, at_high, *at_end));
    return;
  }
  std::sort(between.begin(), between.end());
  const auto kind_at = [&](double speed) { return std::optional(line.solve(speed).at.kind); };
  std::vector<Probe> nodes = {{low, at_low, kNone}};
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
  const double tolerance = request_.tolerance * grid_.range(grid_.fast());
  for (size_t i = 0; i + 1 < nodes.size(); ++i) {
    if (nodes[i].kind == nodes[i + 1].kind) continue;
    if (!std::isnan(nodes[i].divergence) && is_exact(nodes[i].kind, nodes[i + 1].kind)) {
      out.push_back(exact(nodes[i].kind, nodes[i + 1].kind, nodes[i].divergence));
    } else {
      out.push_back(bisect(start, grid_.fast(), nodes[i].speed, nodes[i + 1].speed, nodes[i].kind, nodes[i + 1].kind,
                           tolerance, kind_at));
    }
  }
}

namespace {

// A zero of a smooth function to half the tolerance, by Illinois steps; proven by signs on both sides of it. Nothing
// if the function has none between or is not known.
std::optional<double> find_zero(double low, double high, double tolerance, const std::function<double(double)>& f) {
  double f_low = f(low), f_high = f(high);
  int side = 0;
  constexpr int kMostSteps = 12;
  for (int step = 0; step < kMostSteps && f_low * f_high < 0; ++step) {
    const double root = std::clamp((f_high * low - f_low * high) / (f_high - f_low), low, high);
    const double value = f(root);
    if (std::isnan(value)) return std::nullopt;
    const double slope = (f_high - f_low) / (high - low);
    if (std::abs(value) <= 0.1 * tolerance * std::abs(slope)) {
      const double before = f(std::max(low, root - 0.5 * tolerance)), after = f(std::min(high, root + 0.5 * tolerance));
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

}  // namespace

// Across lines: a body is assembled for each step, so that few are taken where the boundary is one of divergence.
Crossing StabilityParts::cross_between(const std::vector<double>& start, int parameter, double low, double high,
                                       Kind at_low, Kind at_high, PartAnswer& answer) const {
  const SweepParameter& p = *grid_.parameters()[static_cast<size_t>(parameter)];
  const double own_speed = grid_.fast() >= 0 ? start[static_cast<size_t>(grid_.fast())] : 0;
  const auto line_at = [&](double value) {
    std::vector<double> there = start;
    there[static_cast<size_t>(parameter)] = value;
    return p.is_whole() ? nullptr : make_line(there, answer);  // nothing lies between whole numbers
  };
  const double tolerance = request_.tolerance * grid_.range(parameter);
  const bool is_first = at_low != Kind::flutter && at_high != Kind::flutter;
  if (is_first && high - low > 4 * tolerance)
    if (const std::optional<double> root = find_zero(low, high, tolerance, [&](double value) {
          const std::unique_ptr<const StabilityLine> line = line_at(value);
          return line ? line->calc_reserve(own_speed) : kNone;
        })) {
      Crossing crossing{start, at_low, at_high, 0.5 * tolerance, parameter};
      crossing.values[static_cast<size_t>(parameter)] = *root;
      return crossing;
    }
  return bisect(start, parameter, low, high, at_low, at_high, tolerance, [&](double value) -> std::optional<Kind> {
    const std::unique_ptr<const StabilityLine> line = line_at(value);
    return line ? std::optional(line->solve(own_speed).at.kind) : std::nullopt;
  });
}

}  // namespace elodyn
