#include "elodyn/io/report_plots.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "elodyn/base/text.hpp"
#include "elodyn/io/shown_unit.hpp"

namespace elodyn {
namespace {

using Json = nlohmann::ordered_json;
using Names = std::vector<std::string>;

enum class How {
  lines,       // a plot for each unit of y
  bars,        // the same
  response,    // a plot for each y that has a phase beside it: NAME, NAME_phase
  trajectory,  // y over x of each point: NAMEx, NAMEy[, NAMEz] with each of the endings in y
  curve,       // y over x, one curve, equal scales
  map,         // colours of z; over one parameter only: lines
  cells,       // colours of the third column over the first two
  none,
  convergence  // y over x for each value of `group`
};

// `table`: its name, or *_END for any that ends so, or START_* for any that starts so; all rules that fit are followed.
// `x`: the first of these columns that is there; empty: the first column. `y`: columns by name, or *END; empty: all
// numbers but x. `z`, `group`: columns.
struct Rule {
  std::string table;
  How how;
  Names x, y, z, group;
  bool log_y = false;
};

const std::vector<Rule>& rules() {
  static const std::vector<Rule> all = {
      {"campbell_growth", How::lines, {"speed"}, {}, {}, {}},
      {"stability", How::map, {}, {}, {"growth", "lowest_frequency"}, {}},
      {"*_frf", How::response, {"frequency"}, {}, {}, {}},
      {"*_frf_reactions", How::response, {"frequency"}, {}, {}, {}},
      {"*_history", How::lines, {"t", "time"}, {}, {}, {}},
      {"mechanism_point_history", How::trajectory, {}, {"_", "_v", "_a"}, {}, {}},
      {"liaison_*", How::lines, {"t"}, {"fx", "fy", "fz", "mx", "my", "mz"}, {}, {}},
      {"liaison_*", How::trajectory, {}, {"f"}, {}, {}},
      {"*_harmonics", How::bars, {"frequency"}, {}, {}, {}},
      {"*_periodic", How::lines, {"*_angle", "time"}, {}, {}, {}},
      {"*_cycle", How::lines, {"*_angle", "time"}, {}, {}, {}},
      {"linkage_stress", How::lines, {"*_angle", "time"}, {}, {}, {}},
      {"linkage_motion", How::lines, {"*_angle", "time"}, {}, {}, {}},
      {"linkage_forces", How::lines, {"*_angle", "time"}, {}, {}, {}},
      {"*_forces", How::lines, {"s"}, {"N", "T", "Ty", "Tz", "Mx", "My", "Mz", "M"}, {}, {"member"}},
      {"multipliers", How::curve, {"real"}, {"imaginary"}, {}, {}},
      {"reduction_modes", How::bars, {"mode"}, {}, {}, {}},
      {"formalisms", How::bars, {"formalism"}, {"multiplications", "additions", "differentiations"}, {}, {}},
      {"formalisms", How::bars, {"formalism"}, {"time", "trajectory_time"}, {}, {}, true},
      {"formalisms", How::bars, {"formalism"}, {"terms", "frequencies", "trajectory"}, {}, {}, true},
      {"operations", How::lines, {"elements"}, {"*_multiplications"}, {}, {}},
      {"cycle_over", How::lines, {}, {"least", "most"}, {}, {"body", "mode"}},
      {"*_cycle_over", How::lines, {"*_angle", "time"}, {"f1"}, {}, {""}},
      {"mac_cells", How::cells, {}, {}, {}, {}},
      {"auto_mac_cells", How::cells, {}, {}, {}, {}},
      {"comac", How::bars, {"dof"}, {}, {}, {}},
      {"correlation", How::bars, {"measured"}, {"measured_frequency", "computed_frequency"}, {}, {}},
      {"waterfall_*_cells", How::cells, {}, {}, {}, {}},
      {"orders_*_cells", How::cells, {}, {}, {}, {}},
      {"frf_*_polar", How::response, {"frequency"}, {}, {}, {}},
      {"frf_*", How::lines, {"frequency"}, {"coherence"}, {}, {}},
      {"synthesis_*", How::lines, {"frequency"}, {"measured", "synthesised"}, {}, {}, true},
      {"spectrum_*", How::lines, {"frequency"}, {}, {}, {}, true},
      {"waterfall_*", How::none, {}, {}, {}, {}},
      {"orders_*", How::none, {}, {}, {}, {}},
      {"stabilisation", How::none, {}, {}, {}, {}},
      {"converge_errors", How::convergence, {"size"}, {"difference"}, {}, {"mode", "label"}},
  };
  return all;
}

// Matrices whose columns stand for numbers in their names: "computed_3", "at_1200_rpm", "order_2.5".
struct Matrix {
  std::string table;
  std::string across, cell;  // what the numbers and the cells are
};
const std::vector<Matrix>& matrices() {
  static const std::vector<Matrix> all = {{"mac", "computed", "mac"},
                                          {"auto_mac", "other", "mac"},
                                          {"waterfall_*", "at", "amplitude"},
                                          {"orders_*", "order", "amplitude"}};
  return all;
}

bool fits(const std::string& pattern, const std::string& name) {
  if (const size_t star = pattern.find('*'); star > 0 && star + 1 < pattern.size() && star != std::string::npos)
    return name.size() >= pattern.size() - 1 && name.starts_with(pattern.substr(0, star)) &&
           name.ends_with(pattern.substr(star + 1));
  if (pattern.front() == '*') return name.size() >= pattern.size() && name.ends_with(pattern.substr(1));
  if (pattern.back() == '*') return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return name == pattern;
}

bool is_numeric(const Column& column) { return std::holds_alternative<std::vector<double>>(column.values); }

class TablePlots {
 public:
  TablePlots(const Table& table, const Rule& rule, Json& out) : table_(table), rule_(rule), out_(out) {}

  void add() {
    if (table_.n_rows() < 2) return;
    switch (rule_.how) {
      case How::lines:
        return add_by_unit("lines");
      case How::bars:
        return add_by_unit("bars");
      case How::response:
        return add_responses();
      case How::trajectory:
        return add_trajectories();
      case How::curve:
        if (find(rule_.x) && find(rule_.y)) add_plot("trajectory", "", table_.title, *find(rule_.x), {find(rule_.y)});
        return;
      case How::map:
        return add_maps();
      case How::cells:
        if (table_.columns.size() == 3)
          add_plot("map", "", table_.title, table_.columns[0], {&table_.columns[1]})["z"] = axis(table_.columns[2]);
        return;
      case How::none:
        return;
      case How::convergence:
        if (find(rule_.x) && find(rule_.y)) {
          Json& plot = add_plot("convergence", "", table_.title, *find(rule_.x), {find(rule_.y)});
          plot["x"]["log"] = true;
          plot["y"][0]["log"] = true;
          plot["group"] = rule_.group;
        }
        return;
    }
  }

 private:
  const Column* find(const Names& patterns) const {
    for (const std::string& pattern : patterns)
      for (const Column& column : table_.columns)
        if (fits(pattern, column.name)) return &column;
    return nullptr;
  }
  const Column* find(const std::string& name) const { return find(Names{name}); }

  // Or nothing is known.
  static bool is_zero(const Column& column) { return largest_of(std::get<std::vector<double>>(column.values)) == 0; }
  // By more than round-off.
  static bool varies(const Column& column) {
    const auto& values = std::get<std::vector<double>>(column.values);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    return *high - *low > 1e-9 * largest_of(values);
  }
  static std::string readable(std::string name) {
    std::replace(name.begin(), name.end(), '_', ' ');
    return name;
  }
  static Json axis(const Column& column, const ShownUnit& unit) {
    return {{"column", column.name}, {"title", readable(column.name)}, {"unit", unit.unit}, {"scale", unit.scale}};
  }
  static Json axis(const Column& column) { return axis(column, choose_unit(column)); }

  // Columns of one unit stand in one plot, shown alike.
  static ShownUnit common_unit(const std::vector<const Column*>& columns) {
    double largest = 0;
    bool all_speeds = true;
    for (const Column* column : columns) {
      largest = std::max(largest, largest_of(std::get<std::vector<double>>(column->values)));
      all_speeds = all_speeds && choose_unit(*column).unit == "rpm";
    }
    return choose_unit(columns.front()->unit, largest, all_speeds ? "speed" : "");
  }

  Json& add_plot(const std::string& kind, const std::string& part, const std::string& title, const Column& x,
                 const std::vector<const Column*>& y) {
    const ShownUnit unit = common_unit(y);
    Json axes = Json::array();
    for (const Column* column : y) {
      axes.push_back(axis(*column, unit));
      if (rule_.log_y) axes.back()["log"] = true;
    }
    out_.push_back({{"name", table_.name + (part.empty() ? "" : ":" + part)},
                    {"title", title},
                    {"kind", kind},
                    {"table", table_.name},
                    {"x", is_numeric(x) ? axis(x) : axis(x, {x.unit, 1})},
                    {"y", axes}});
    return out_.back();
  }

  // "Joint `O`: force and moment on …" is the joint's.
  std::string title_of(const std::string& what) const {
    if (what.empty()) return table_.title;
    const bool is_joint = table_.title.starts_with("Joint `");
    return (is_joint ? table_.title.substr(0, table_.title.find(": ")) : table_.title) + ": " + what;
  }
  std::string name_of_unit(const std::string& unit) const {
    static const std::map<std::string, std::string> names = {{"N", "force"},        {"N m", "moment"},
                                                             {"Pa", "stress"},      {"rad", "angle"},
                                                             {"rad/s", "rotation"}, {"rad/s^2", "angular acceleration"},
                                                             {"J", "energy"},       {"W", "power"},
                                                             {"m/s", "velocity"},   {"m/s^2", "acceleration"},
                                                             {"Hz", "frequency"}};
    if (unit == "m") return table_.name.starts_with("mechanism") ? "position" : "displacement";
    const auto it = names.find(unit);
    return it == names.end() ? unit : it->second;
  }

  void add_by_unit(const char* kind) {
    const Column* x = rule_.x.empty() ? &table_.columns.front() : find(rule_.x);
    if (x == nullptr) x = &table_.columns.front();
    std::vector<std::string> units;
    for (const Column& column : table_.columns)
      if (is_y(column, *x) && std::find(units.begin(), units.end(), column.unit) == units.end())
        units.push_back(column.unit);
    for (const std::string& unit : units) {
      std::vector<const Column*> y;
      for (const Column& column : table_.columns)
        if (is_y(column, *x) && column.unit == unit) y.push_back(&column);
      const std::string of = units.size() == 1 ? "" : y.size() == 1 ? readable(y.front()->name) : name_of_unit(unit);
      Json& plot = add_plot(kind, of, title_of(of), *x, y);
      Names group;
      for (const std::string& name : rule_.group) {
        const Column* column = name.empty() ? &table_.columns.front() : find(name);
        if (column != nullptr) group.push_back(column->name);
      }
      if (!group.empty()) plot["group"] = group;
    }
  }
  bool is_y(const Column& column, const Column& x) const {
    // Time, angle and number of a row say where, not what.
    static const std::set<std::string> where = {"t", "time", "harmonic", "frequency", "mode", "element"};
    if (&column == &x || !is_numeric(column) || is_zero(column)) return false;
    if (rule_.y.empty())
      return where.count(column.name) == 0 && !(column.unit == "deg" && column.name.ends_with("_angle"));
    return std::any_of(rule_.y.begin(), rule_.y.end(), [&](const std::string& p) { return fits(p, column.name); });
  }

  void add_responses() {
    const Column* x = find(rule_.x);
    if (x == nullptr) return;
    for (const Column& column : table_.columns) {
      const Column* phase = find(column.name + "_phase");
      if (phase == nullptr) continue;
      Json& plot = add_plot("response", column.name, table_.title + ": " + readable(column.name), *x, {&column});
      plot["y"][0]["log"] = true;
      plot["phase"] = axis(*phase);
    }
  }

  // Columns A_x, A_y → "A" for the ending "_"; B_vx, B_vy → "B" for "_v".
  void add_trajectories() {
    for (const std::string& ending : rule_.y)
      for (const Column& column : table_.columns) {
        const std::string last = ending + "x";
        if (!column.name.ends_with(last)) continue;
        const std::string of = column.name.substr(0, column.name.size() - 1);
        const std::string name = column.name.substr(0, column.name.size() - last.size());
        const char* what = ending == "_v"   ? "hodograph of the velocity"
                           : ending == "_a" ? "hodograph of the acceleration"
                           : ending == "f"  ? "hodograph of the force"
                                            : "trajectory";
        const Column *y = find(of + "y"), *z = find(of + "z");
        const auto add_pair = [&](const Column& a, const Column& b, const char* plane) {
          if (!varies(a) && !varies(b)) return;
          const ShownUnit unit = common_unit({&a, &b});
          Json& plot = add_plot("trajectory", of + plane,
                                (name.empty() ? title_of(what) : readable(name) + ": " + what), a, {&b});
          plot["x"] = axis(a, unit);
          plot["y"][0] = axis(b, unit);
        };
        if (y != nullptr) add_pair(column, *y, "xy");
        if (z != nullptr) add_pair(column, *z, "xz");
        if (y != nullptr && z != nullptr) add_pair(*y, *z, "yz");
      }
  }

  void add_maps() {
    size_t n_parameters = 0;
    while (n_parameters < table_.columns.size() && table_.columns[n_parameters].name != rule_.z.front()) ++n_parameters;
    for (const std::string& name : rule_.z) {
      const Column* z = find(name);
      if (z == nullptr) continue;
      if (n_parameters == 1) {
        add_plot("lines", name, table_.title + ": " + readable(name), table_.columns.front(), {z});
      } else if (n_parameters == 2) {
        Json& plot =
            add_plot("map", name, table_.title + ": " + readable(name), table_.columns[0], {&table_.columns[1]});
        plot["z"] = axis(*z);
      }
    }
  }

  const Table& table_;
  const Rule& rule_;
  Json& out_;
};

// "at_1200_rpm" → 1200 and "rpm".
std::optional<std::pair<double, std::string>> number_in(const std::string& name) {
  const size_t start = name.find('_');
  if (start == std::string::npos) return std::nullopt;
  const size_t end = std::min(name.find('_', start + 1), name.size());
  const std::optional<double> number = parse_number(name.substr(start + 1, end - start - 1));
  if (!number) return std::nullopt;
  return std::pair{*number, end < name.size() ? name.substr(end + 1) : std::string()};
}

Table to_cells(const Table& table, const Matrix& matrix) {
  const Column& down = table.columns.front();
  const auto& rows = std::get<std::vector<double>>(down.values);
  std::vector<double> x, y, z;
  Column across{matrix.across, "", {}}, cell{matrix.cell, "", {}};
  for (size_t c = 1; c < table.columns.size(); ++c) {
    const auto number = number_in(table.columns[c].name);
    const auto* values = std::get_if<std::vector<double>>(&table.columns[c].values);
    if (!number || values == nullptr) continue;
    const bool is_speed = number->second == "rpm";
    across.name = is_speed ? "speed" : matrix.across;
    across.unit = is_speed ? "rad/s" : number->second;
    cell.unit = table.columns[c].unit;
    for (size_t row = 0; row < rows.size(); ++row) {
      x.push_back(is_speed ? number->first * std::numbers::pi / 30 : number->first);
      y.push_back(rows[row]);
      z.push_back((*values)[row]);
    }
  }
  across.values = std::move(x);
  cell.values = std::move(z);
  return {table.name + "_cells", table.title, {across, {down.name, down.unit, std::move(y)}, cell}, true};
}

// NAME with columns re and im.
std::optional<Table> to_polar(const Table& table) {
  const auto numbers = [&](const char* name) -> const Column* {
    for (const Column& column : table.columns)
      if (column.name == name && is_numeric(column)) return &column;
    return nullptr;
  };
  const Column *re = numbers("re"), *im = numbers("im");
  if (re == nullptr || im == nullptr || !is_numeric(table.columns.front())) return std::nullopt;
  std::vector<double> magnitude, phase;
  const auto &a = std::get<std::vector<double>>(re->values), &b = std::get<std::vector<double>>(im->values);
  for (size_t k = 0; k < a.size(); ++k) {
    magnitude.push_back(std::hypot(a[k], b[k]));
    phase.push_back(std::atan2(b[k], a[k]) * 180 / std::numbers::pi);
  }
  return Table{table.name + "_polar",
               table.title + ": magnitude and phase",
               {table.columns.front(), {"magnitude", re->unit, magnitude}, {"magnitude_phase", "deg", phase}},
               true};
}

}  // namespace

std::vector<Table> derive_tables(const std::vector<Table>& tables) {
  std::vector<Table> out;
  for (const Table& table : tables) {
    if (table.columns.empty() || !is_numeric(table.columns.front())) continue;
    for (const Matrix& matrix : matrices())
      if (fits(matrix.table, table.name)) out.push_back(to_cells(table, matrix));
    if (fits("frf_*", table.name))
      if (std::optional<Table> polar = to_polar(table)) out.push_back(std::move(*polar));
  }
  return out;
}

Json list_plots(const std::vector<Table>& tables) {
  Json out = Json::array();
  for (const Table& table : tables) {
    bool is_listed = false;
    for (const Rule& rule : rules()) {
      if (!fits(rule.table, table.name)) continue;
      is_listed = true;
      TablePlots(table, rule, out).add();
    }
    if (is_listed || !table.is_history) continue;
    TablePlots(table, {table.name, How::lines, {}, {}, {}, {}}, out).add();
  }
  return out;
}

}  // namespace elodyn
