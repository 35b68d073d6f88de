// Frequencies of each body over one cycle of its motion, frozen at many instants:
//   (λ²M + λ[D + 2 Σ w G] + K + Σ e E + Σ ww S + Kg) φ = 0,   Kg linear in the motion and in the forces of the joints,
// at t = start + k·period/points, in the order of their frequencies at each instant. An axial force P moves those of a
// slender rod on pins by f² ≈ f₀² (1 + P/P_E), P_E its Euler load.
// Limits: frozen eigenvalues are those of a motion that stays as it is; whether vibrations grow over the cycle is what
// floquet says.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/analysis/period.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"

namespace elodyn {
namespace {

using std::numbers::pi;

// One of the lowest frequencies over the cycle.
struct Course {
  std::vector<double> hz, growth;  // at each instant; not a number: there are no more modes
  double mean() const {            // of the cycle, whose last instant is its first one
    double sum = 0;
    for (size_t k = 0; k + 1 < hz.size(); ++k) sum += hz[k];
    return sum / static_cast<double>(hz.size() - 1);
  }
  size_t place_of_least() const { return static_cast<size_t>(std::min_element(hz.begin(), hz.end()) - hz.begin()); }
  size_t place_of_most() const { return static_cast<size_t>(std::max_element(hz.begin(), hz.end()) - hz.begin()); }
};

class CycleOfBody {
 public:
  CycleOfBody(const BodySystem& s, const CycleRequest& request)
      : s_(s), period_(find_period(s, request.period, request.start, "cycle")) {
    courses_.resize(static_cast<size_t>(request.count));
    Progress progress("cycle " + s.body->name, request.points + 1);
    for (int k = 0; k <= request.points; ++k) {
      throw_if_interrupted();
      times_.push_back(period_.start + period_.length * k / request.points);
      add_modes(times_.back(), request.count);
      progress.advance();
    }
    while (courses_.size() > 1 && std::isnan(courses_.back().hz.front())) courses_.pop_back();
  }

  const Period& period() const { return period_; }
  const std::vector<Course>& courses() const { return courses_; }
  const std::vector<double>& times() const { return times_; }
  bool has_angle() const { return period_.cycle != nullptr; }
  // Degrees, as the joint counts them: whole turns are not taken off.
  double angle(size_t k) const {
    const double t = s_.body->motion.table->fold(times_[k]);
    return period_.cycle->angle(t) * 180 / pi;
  }
  double angle_in_cycle(size_t k) const {
    constexpr double kSame = 1e-7;  // degrees: round-off short of a whole turn
    const double whole = 360 * period_.cycle->turns, rest = std::fmod(angle(k), whole);
    const double out = rest < 0 ? rest + whole : rest;
    return whole - out < kSame ? 0 : out;
  }
  double largest_growth() const {
    double out = 0;
    for (const Course& course : courses_)
      for (const double g : course.growth) out = std::fmax(out, g);
    return out;
  }

  Table make_history() const {
    Table table{s_.body->name + "_cycle",
                fmt::format("Frequencies of body `{}` over a cycle, frozen at each instant", s_.body->name),
                {{"time", "s", times_}}};
    if (has_angle()) {
      std::vector<double> angles;
      for (size_t k = 0; k < times_.size(); ++k) angles.push_back(angle(k));
      table.columns.push_back({period_.cycle->joint + "_angle", "deg", angles});
    }
    for (size_t i = 0; i < courses_.size(); ++i)
      table.columns.push_back({fmt::format("f{}", i + 1), "Hz", courses_[i].hz});
    return table;
  }

 private:
  void add_modes(double t, int count) {
    QuadraticModes modes;
    try {
      modes = solve_quadratic_modes(make_mode_problem(s_, t), count);
    } catch (const NumericalError& error) {
      throw NumericalError(fmt::format("body `{}` at t = {:.6g} s: {}", s_.body->name, t, error.what()));
    }
    for (size_t i = 0; i < courses_.size(); ++i) {
      const bool is_there = i < modes.values.size();
      courses_[i].hz.push_back(is_there ? modes.values[i].imag() / (2 * pi) : std::nan(""));
      courses_[i].growth.push_back(is_there ? modes.values[i].real() : std::nan(""));
    }
  }

  const BodySystem& s_;
  Period period_;
  std::vector<double> times_;
  std::vector<Course> courses_;
};

class CycleAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "cycle"; }
  std::string_view summary() const override { return "frequencies over one cycle of the motion, frozen at instants"; }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    ELODYN_REQUIRE(bodies.front().model->cycle.has_value());
    const CycleRequest& request = *bodies.front().model->cycle;
    std::vector<std::string> owner;
    std::vector<double> number, least, most, mean, at_least, at_most;
    std::vector<Table> histories;
    bool has_angles = true;
    for (const BodySystem& s : bodies) has_angles = has_angles && s.body->motion.kind == Motion::Kind::mechanism;
    for (const BodySystem& s : bodies) {
      const CycleOfBody cycle(s, request);
      has_angles = has_angles && cycle.has_angle();
      const auto place = [&](size_t k) { return has_angles ? cycle.angle_in_cycle(k) : cycle.times()[k]; };
      for (size_t i = 0; i < cycle.courses().size(); ++i) {
        const Course& course = cycle.courses()[i];
        owner.push_back(s.body->name);
        number.push_back(static_cast<double>(i + 1));
        least.push_back(course.hz[course.place_of_least()]);
        most.push_back(course.hz[course.place_of_most()]);
        mean.push_back(course.mean());
        at_least.push_back(place(course.place_of_least()));
        at_most.push_back(place(course.place_of_most()));
      }
      histories.push_back(cycle.make_history());
      warn(s, cycle, results.warnings);
    }
    Table table{"cycle", "Frequencies over a cycle, frozen at each instant", {}};
    if (bodies.size() > 1) table.columns.push_back({"body", "", owner});
    table.columns.push_back({"mode", "", number});
    table.columns.push_back({"least", "Hz", least});
    table.columns.push_back({"most", "Hz", most});
    table.columns.push_back({"mean", "Hz", mean});
    const char* unit = has_angles ? "deg" : "s";
    table.columns.push_back({"least_at", unit, at_least});
    table.columns.push_back({"most_at", unit, at_most});
    results.tables.push_back(std::move(table));
    std::move(histories.begin(), histories.end(), std::back_inserter(results.tables));
  }

 private:
  static void warn(const BodySystem& s, const CycleOfBody& cycle, std::vector<std::string>& warnings) {
    warnings.push_back(fmt::format(
        "body `{}`: frequencies frozen at instants do not tell whether vibrations grow; [analysis.floquet] "
        "does{}",
        s.body->name,
        cycle.largest_growth() > 0 ? fmt::format(" (frozen, the fastest grows with {:.3g} 1/s)", cycle.largest_growth())
                                   : ""));
    if (s.rigid.cols() > 0)
      warnings.push_back(fmt::format(
          "body `{}` is free to move in its frame, and its lowest frequencies are those of that motion: give "
          "it supports that take its rigid motion, a pin at one end and a roller at the other",
          s.body->name));
    const Cycle* of = cycle.period().cycle;
    if (of && !of->is_periodic)
      warnings.push_back(
          fmt::format("body `{}`: the cycle is the last one of joint `{}`; motion and forces of the mechanism still "
                      "change by {:.1e} "
                      "of their size from one to the next",
                      s.body->name, of->joint, of->return_error));
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_cycle_analysis() { return std::make_unique<CycleAnalysis>(); }

}  // namespace elodyn
