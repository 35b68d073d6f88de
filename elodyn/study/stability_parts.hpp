// The parts that a stability map is made of. Each is asked for by numbers, and its answer is numbers that depend on
// nothing but the model and the question: threads, other processes and journals may do, carry and keep them.
//   points     neighbouring points along a line, each from the one before
//   crossings  where the kind changes along a line, or across lines
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "elodyn/analysis/speed_line.hpp"
#include "elodyn/model/model.hpp"

namespace elodyn {

// The model with these values of the parameters, x first; throws InputError where there is none.
using MakeVariant = std::function<Model(const std::vector<double>& values)>;

// A point of the map; of several bodies the one that grows fastest.
struct MapPoint {
  bool is_done = false;
  bool is_model = true;  // the parameters make one
  SpeedPoint at;
};

// A boundary point between two neighbours.
struct Crossing {
  std::vector<double> values;  // of the parameters
  SpeedPoint::Kind from, to;   // with the parameter growing
  double uncertainty;          // of the parameter that was varied; 0: exact
  int parameter;
};

struct PartAnswer {
  std::vector<double> numbers;  // none: interrupted
  // Values of which there is no model, and why: the lowest ones.
  std::optional<std::pair<std::vector<double>, std::string>> no_model;
};

// The points of the map: lines, along which the speed of a spin runs if a parameter is one, and places on them.
class StabilityGrid {
 public:
  explicit StabilityGrid(const Model& model);

  const std::vector<const SweepParameter*>& parameters() const { return parameters_; }
  int fast() const { return fast_; }  // the parameter along lines; −1: each point is a line
  int n_lines() const { return n_lines_; }
  int n_places() const { return n_places_; }
  double fastest() const { return fastest_; }
  const std::vector<size_t>& spinning() const { return spinning_; }  // bodies whose speed it is
  double speed(int place) const;
  double range(int parameter) const;
  std::vector<double> values(int line, int place) const;

 private:
  std::vector<const SweepParameter*> parameters_;
  int fast_ = -1;
  std::vector<size_t> spinning_;
  double fastest_ = 0;
  int n_places_ = 1, n_lines_ = 1;
};

// All bodies of one model, of which some are asked for at any speed.
class StabilityLine {
 public:
  StabilityLine(Model model, const std::vector<size_t>& spinning, double fastest);

  using Trace = std::vector<SpeedLine::Trace>;  // of each body
  MapPoint solve(double speed, Trace& trace) const;
  MapPoint solve(double speed) const;

  // Points that are worth following from one to the next.
  int n_followed() const;
  // Only then do all changes between divergence and flutter at a speed of divergence lie there.
  bool is_conservative() const;
  // 1 − (Ω/Ω_d)² of the body nearest to its first divergence: smooth in all that the body is made of, 0 at the
  // boundary. NaN: not known.
  double calc_reserve(double speed) const;
  // Where K of a body whose speed varies is singular, ascending.
  std::vector<double> divergence_speeds() const;
  // Of each body: its own speed and the first one at which it diverges; infinite: none, NaN: not known.
  struct Divergence {
    std::string body;
    double speed, first;
  };
  std::vector<Divergence> list_divergence(const Model& as_given) const;

 private:
  double speed_of(size_t body, double varied) const;

  Model model_;
  std::vector<bool> varies_;
  std::vector<std::unique_ptr<SpeedLine>> lines_;
};

class StabilityParts {
 public:
  // Both must live longer.
  StabilityParts(const Model& model, const MakeVariant& make);

  const StabilityGrid& grid() const { return grid_; }

  // ---- questions ----
  static constexpr int kMostPoints = SpeedLine::kMostFollowed;
  // Of the places first … last − 1 of a line those that are followed from the first one.
  static std::vector<double> ask_points(int line, int first, int last);
  struct Edge {
    int place;  // and the next one
    SpeedPoint::Kind before, after;
  };
  static std::vector<double> ask_crossings_along(int line, const std::vector<Edge>& edges);
  static std::vector<double> ask_crossing_between(int line, int other, int place, int parameter,
                                                  SpeedPoint::Kind before, SpeedPoint::Kind after);

  // Safe to call from several threads.
  PartAnswer answer(const std::vector<double>& question);

  // ---- answers ----
  static std::vector<MapPoint> to_points(const std::vector<double>& numbers);  // none: these are not points
  // Nothing: these are not crossings.
  std::optional<std::vector<Crossing>> to_crossings(const std::vector<double>& numbers) const;

  // ---- by itself, for margins ----
  // Null where the values make no model; `answer` says why.
  std::unique_ptr<const StabilityLine> make_line(std::vector<double> values, PartAnswer& answer) const;
  void cross_along(const StabilityLine& line, const std::vector<double>& start, double low, double high,
                   SpeedPoint::Kind at_low, SpeedPoint::Kind at_high, std::vector<Crossing>& out) const;
  Crossing cross_between(const std::vector<double>& start, int parameter, double low, double high,
                         SpeedPoint::Kind at_low, SpeedPoint::Kind at_high, PartAnswer& answer) const;

 private:
  struct Kept {
    int number;
    std::once_flag once;
    std::shared_ptr<const StabilityLine> line;
    std::optional<std::pair<std::vector<double>, std::string>> no_model;
  };
  std::shared_ptr<const StabilityLine> get_line(int number, PartAnswer& answer);
  void answer_points(const std::vector<double>& question, PartAnswer& answer);
  void answer_crossings(const std::vector<double>& question, PartAnswer& answer);
  Crossing bisect(const std::vector<double>& start, int parameter, double low, double high, SpeedPoint::Kind at_low,
                  SpeedPoint::Kind at_high, double tolerance,
                  const std::function<std::optional<SpeedPoint::Kind>(double)>& kind_at) const;

  const StabilityRequest& request_;
  const MakeVariant& make_;
  StabilityGrid grid_;
  std::mutex mutex_;
  std::list<std::shared_ptr<Kept>> kept_;  // lines that were used last
};

}  // namespace elodyn
