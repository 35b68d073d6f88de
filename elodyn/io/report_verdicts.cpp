#include "elodyn/io/report_verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "elodyn/base/text.hpp"
#include "elodyn/io/shown_unit.hpp"

namespace elodyn {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGrows = 1e-9;  // of the frequency: below is round-off

class Verdicts {
 public:
  explicit Verdicts(const Results& results) : results_(results) {}

  Json list() {
    add_failures();
    add_modes();
    add_campbell();
    add_cycle();
    add_response();
    add_stability();
    add_floquet();
    add_buckling();
    add_stress();
    add_joints();
    add_formalisms();
    add_correlation();
    return std::move(out_);
  }

 private:
  void add(const char* level, const std::string& title, const std::string& value, const std::string& text) {
    out_.push_back({{"level", level}, {"title", title}, {"value", value}, {"text", text}});
  }

  void add_failures() {
    if (results_.outcome.ok()) return;
    std::istringstream lines(results_.outcome.message);
    bool is_any = false;
    for (std::string line; std::getline(lines, line); is_any = true)
      add("bad", "What went wrong", results_.outcome.status, line);
    if (!is_any) add("bad", "What went wrong", results_.outcome.status, "");
  }

  static std::string hertz(double omega) { return show(omega / (2 * std::numbers::pi), "Hz"); }

  void add_modes() {
    const Mode *lowest = nullptr, *fastest = nullptr;
    for (const Mode& mode : results_.modes) {
      if (mode.label != "rigid" && mode.omega > 0 && (lowest == nullptr || mode.omega < lowest->omega)) lowest = &mode;
      if (mode.growth > kGrows * mode.omega && (fastest == nullptr || mode.growth > fastest->growth)) fastest = &mode;
    }
    if (lowest != nullptr)
      add("note", "Lowest frequency", hertz(lowest->omega),
          fmt::format("mode {} of {}: {}", lowest->number, lowest->body, lowest->label));
    if (fastest != nullptr)
      add("bad", "A mode grows", show(fastest->growth, "1/s"),
          fmt::format("mode {} of {}: {}", fastest->number, fastest->body,
                      fastest->omega == 0 ? "divergence: it leaves its state without a vibration"
                                          : "flutter, at " + hertz(fastest->omega)));
  }

  void add_campbell() {
    if (!results_.campbell) return;
    const Campbell& c = *results_.campbell;
    if (c.speeds.empty()) return;
    const auto rpm = [](double speed) { return show(speed, "rad/s", "speed"); };
    const std::string range = fmt::format("from {} to {}", rpm(c.speeds.front()), rpm(c.speeds.back()));
    if (c.critical_speeds.empty()) {
      add("good", "Critical speeds", "none", fmt::format("{}, body {}", range, c.body));
    } else {
      std::vector<std::string> speeds;
      constexpr size_t kMost = 6;
      for (const CriticalSpeed& s : c.critical_speeds)
        if (speeds.size() < kMost)
          speeds.push_back(fmt::format("{} (order {:g}, {})", rpm(s.speed), s.order,
                                       c.branches[static_cast<size_t>(s.branch)].label));
      if (c.critical_speeds.size() > kMost) speeds.push_back(fmt::format("{} more", c.critical_speeds.size() - kMost));
      add("warning", c.critical_speeds.size() == 1 ? "Critical speed" : "Lowest critical speed",
          rpm(c.critical_speeds.front().speed), join(speeds, "; ") + "; " + range);
    }
    for (const CampbellBranch& branch : c.branches)
      for (size_t k = 0; k < c.speeds.size(); ++k)
        if (branch.growth[k] > kGrows * std::max(branch.omega[k], c.speeds[k]) && branch.kind != "rigid") {
          add("bad", "Unstable from", rpm(c.speeds[k]),
              fmt::format("branch {} grows with {} there", branch.label, show(branch.growth[k], "1/s")));
          break;
        }
  }

  // ---- from tables ----
  const std::vector<double>* numbers(const Table& table, const std::string& name) const {
    for (const Column& column : table.columns)
      if (column.name == name) return std::get_if<std::vector<double>>(&column.values);
    return nullptr;
  }
  const std::vector<std::string>* texts(const Table& table, const std::string& name) const {
    for (const Column& column : table.columns)
      if (column.name == name) return std::get_if<std::vector<std::string>>(&column.values);
    return nullptr;
  }
  static std::string text_at(const std::vector<std::string>* column, size_t row) {
    return column ? (*column)[row] : "";
  }

  void add_cycle() {
    for (const auto& [name, of] :
         {std::pair{"cycle", "the links one by one"}, {"linkage_frequencies", "the links joined"}})
      if (const Table* table = results_.find_table(name)) {
        const auto *least = numbers(*table, "least"), *most = numbers(*table, "most");
        if (least == nullptr || most == nullptr || least->empty()) continue;
        const auto low = static_cast<size_t>(std::min_element(least->begin(), least->end()) - least->begin());
        add("note", "Lowest frequency over a cycle",
            fmt::format("{:.4g} … {}", (*least)[low], show((*most)[low], "Hz")), of);
      }
  }

  void add_response() {
    const Table* table = results_.find_table("frf_peaks");
    if (table == nullptr) return;
    const auto *hz = numbers(*table, "frequency"), *amplitude = numbers(*table, "amplitude");
    const auto *point = texts(*table, "point"), *component = texts(*table, "component"), *unit = texts(*table, "unit");
    if (!hz || !amplitude || !point || !component || !unit) return;
    // The largest one of the first kind of output: others have other units.
    std::optional<size_t> best;
    for (size_t k = 0; k < hz->size(); ++k)
      if ((*unit)[k] == unit->front() && !std::isnan((*amplitude)[k]) &&
          (!best || (*amplitude)[k] > (*amplitude)[*best]))
        best = k;
    if (!best) return;
    const bool is_finite = std::isfinite((*amplitude)[*best]);
    add(is_finite ? "note" : "warning", "Largest response at", show((*hz)[*best], "Hz"),
        fmt::format(
            "{} {}: {}", (*point)[*best], (*component)[*best],
            is_finite ? show((*amplitude)[*best], (*unit)[*best]) + ", 0-to-peak" : "without bound, nothing damps it"));
  }

  void add_stability() {
    if (const Table* map = results_.find_table("stability"))
      if (const auto* kinds = texts(*map, "kind"); kinds != nullptr && !kinds->empty()) {
        const auto count = [&](const char* kind) { return std::count(kinds->begin(), kinds->end(), kind); };
        add("note", "Stable part of the map",
            fmt::format("{:.3g} %", 100.0 * static_cast<double>(count("stable")) / static_cast<double>(kinds->size())),
            fmt::format("of {} points {} are stable, {} diverge, {} flutter", kinds->size(), count("stable"),
                        count("divergence"), count("flutter")));
      }
    const Table* table = results_.find_table("stability_margins");
    if (table == nullptr) return;
    const auto *name = texts(*table, "parameter"), *unit = texts(*table, "unit"), *kind = texts(*table, "kind");
    const auto *value = numbers(*table, "value"), *below = numbers(*table, "boundary_below"),
               *above = numbers(*table, "boundary_above");
    if (!name || !unit || !kind || !value || !below || !above) return;
    for (size_t k = 0; k < name->size(); ++k) {
      const bool is_stable = (*kind)[k] == "stable";
      const std::string last = (*name)[k].substr((*name)[k].rfind('.') + 1);
      const auto text = [&](double x) { return show(x, (*unit)[k], last); };
      double nearest = std::nan("");
      for (const double edge : {(*below)[k], (*above)[k]})
        if (std::isnan(nearest) || std::abs(edge - (*value)[k]) < std::abs(nearest - (*value)[k])) nearest = edge;
      add(is_stable ? "good" : "bad", is_stable ? "Stability margin" : "Not stable",
          std::isnan(nearest) ? (is_stable ? "no boundary" : (*kind)[k]) : text(std::abs(nearest - (*value)[k])),
          fmt::format(
              "{} = {} is {}{}", (*name)[k], text((*value)[k]), (*kind)[k],
              std::isnan(nearest) ? "; no boundary in the range" : "; the nearest boundary is at " + text(nearest)));
    }
  }

  void add_floquet() {
    const Table* table = results_.find_table("floquet");
    if (table == nullptr) return;
    const auto *body = texts(*table, "body"), *verdict = texts(*table, "verdict");
    const auto* largest = numbers(*table, "largest_multiplier");
    if (!body || !verdict || !largest) return;
    for (size_t k = 0; k < body->size(); ++k)
      add((*verdict)[k].starts_with("unstable") || (*verdict)[k] == "grows" ? "bad" : "good",
          "Over a period: " + (*verdict)[k], fmt::format("{:.6g}", (*largest)[k]),
          "largest multiplier of " + (*body)[k]);
  }

  void add_buckling() {
    const Table* table = results_.find_table("buckling");
    if (table == nullptr) return;
    const auto* factor = numbers(*table, "factor");
    const auto* body = texts(*table, "body");
    if (!factor) return;
    std::optional<size_t> lowest;
    for (size_t k = 0; k < factor->size(); ++k)
      if (!std::isnan((*factor)[k]) && (!lowest || (*factor)[k] < (*factor)[*lowest])) lowest = k;
    if (lowest)
      add((*factor)[*lowest] <= 1 ? "bad" : "note", "Lowest buckling factor", fmt::format("{:.4g}", (*factor)[*lowest]),
          text_at(body, *lowest) +
              ((*factor)[*lowest] <= 1 ? " buckles under less than its loads" : ": so many times its loads"));
  }

  // The largest of each analysis that knows stresses.
  void add_stress() {
    if (const Table* table = results_.find_table("static")) {
      const auto* body = texts(*table, "body");
      for (const char* name : {"von_mises", "stress"}) {
        const auto* values = numbers(*table, name);
        if (values == nullptr || values->empty()) continue;
        const size_t at = largest_at(*values);
        if (!(std::abs((*values)[at]) > 0)) continue;
        add("note", name == std::string("stress") ? "Peak normal stress" : "Peak stress", show((*values)[at], "Pa"),
            fmt::format("{}, in {} at rest in its frame", name == std::string("stress") ? "extreme fibre" : "von Mises",
                        text_at(body, at)));
        break;
      }
    }
    for (const auto& [name, when] : {std::pair{"periodic_peaks", "over the period"},
                                     {"simulate_peaks", "over the motion"},
                                     {"linkage_peaks", "of the joined links"}})
      if (const Table* table = results_.find_table(name)) add_peak(*table, when);
  }
  static size_t largest_at(const std::vector<double>& values) {
    size_t at = 0;
    for (size_t k = 1; k < values.size(); ++k)
      if (std::isnan(values[at]) || std::abs(values[k]) > std::abs(values[at])) at = k;
    return at;
  }
  void add_peak(const Table& table, const std::string& when) {
    const auto *body = texts(table, "body"), *what = texts(table, "what"), *where = texts(table, "where");
    const auto *value = numbers(table, "value"), *time = numbers(table, "time");
    if (!what || !value) return;
    for (const char* kind : {"von_mises", "stress"}) {
      std::optional<size_t> best;
      for (size_t k = 0; k < what->size(); ++k)
        if ((*what)[k] == kind && !std::isnan((*value)[k]) && (!best || (*value)[k] > (*value)[*best])) best = k;
      if (!best) continue;
      add("note", "Peak stress " + when, show((*value)[*best], "Pa"),
          fmt::format("{} of {} {}{}", kind == std::string("stress") ? "extreme fibre" : "von Mises",
                      text_at(body, *best), text_at(where, *best),
                      time ? fmt::format(" at {:.4g} s", (*time)[*best]) : ""));
      return;
    }
  }

  void add_joints() {
    if (!results_.mechanism) return;
    const MechanismSummary& m = *results_.mechanism;
    const MechanismSummary::Joint* largest = nullptr;
    for (const MechanismSummary::Joint& joint : m.joints)
      if (largest == nullptr || joint.peak_force > largest->peak_force) largest = &joint;
    if (largest != nullptr)
      add("note", "Largest force of a joint", show(largest->peak_force, "N"),
          fmt::format("joint {} at {:.4g} s; {} rms", largest->name, largest->time_of_peak,
                      show(largest->rms_force, "N")));
    if (!m.singular.empty())
      add("warning", "Singular positions", std::to_string(m.singular.size()),
          fmt::format("the first near {:.4g} s: {}", m.singular.front().t, m.singular.front().where));
  }

  void add_formalisms() {
    if (results_.formalisms.empty()) return;
    double largest = 0;
    size_t n = 0;
    std::string which;
    for (const FormalismReport& r : results_.formalisms) {
      if (!r.applies) continue;
      ++n;
      if (r.max_difference > largest) {
        largest = r.max_difference;
        which = r.name;
      }
    }
    add(results_.outcome.ok() ? "good" : "bad", "Formalisms differ by", fmt::format("{:.1e}", largest),
        fmt::format("{} formalisms compared, relative difference of terms or trajectories{}", n,
                    which.empty() ? "" : "; the largest is of " + which));
  }

  void add_correlation() {
    const Table* table = results_.find_table("correlation");
    if (table == nullptr) return;
    const auto *difference = numbers(*table, "difference"), *mac = numbers(*table, "mac");
    if (!difference || !mac || difference->empty()) return;
    size_t n_pairs = 0;
    double lowest = 1;
    for (const double value : *mac)
      if (!std::isnan(value)) {
        ++n_pairs;
        lowest = std::min(lowest, value);
      }
    if (n_pairs == 0)
      add("warning", "Measured and computed modes", "no pair", "no computed mode looks like a measured one");
    else
      add("note", "Measured and computed frequencies", fmt::format("{:.3g} %", largest_of(*difference)),
          fmt::format("largest difference of {} pairs of {} measured modes; the lowest MAC is {:.3f}", n_pairs,
                      mac->size(), lowest));
  }

  const Results& results_;
  Json out_ = Json::array();
};

}  // namespace

Json list_verdicts(const Results& results) { return Verdicts(results).list(); }

}  // namespace elodyn
