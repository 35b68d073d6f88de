#include "elodyn/io/read_motion_table.hpp"

#include "elodyn/io/read_columns.hpp"

namespace elodyn {
namespace {

constexpr size_t kFewestOfSpline = 4;  // a cubic
constexpr const char* kWhySpline = "a cubic spline is laid through them";
constexpr const char* kTimeColumn = "the time in s, strictly increasing";

ColumnRules motion_rules() {
  ColumnRules rules;
  rules.known = {"t", "ax", "ay", "az", "wx", "wy", "wz", "ex", "ey", "ez"};
  rules.needed = {{"t", kTimeColumn}};
  for (const std::string axis : {"x", "y", "z"})
    rules.dependent.push_back(
        {"e" + axis, "w" + axis, "the angular velocity cannot be found from its derivative: add it"});
  rules.ascending = "t";
  rules.ascending_unit = "s";
  rules.fewest_rows = kFewestOfSpline;
  rules.why_rows = kWhySpline;
  rules.example = "name the columns, for example t, ax, ay, wz";
  return rules;
}

}  // namespace

std::shared_ptr<const MotionTable> read_motion_table(const std::string& file_name, std::string_view text,
                                                     Diagnostics& diagnostics) {
  std::optional<ColumnTable> columns = read_columns(file_name, text, motion_rules(), diagnostics);
  if (!columns) return nullptr;
  auto table = std::make_shared<MotionTable>();
  const auto knots = std::make_shared<const std::vector<double>>(std::move(*columns->find("t")));
  table->start = knots->front();
  table->end = knots->back();
  table->marks = columns->marks;
  const auto fill = [&](char quantity, MotionTable::Columns& out) {
    for (size_t axis = 0; axis < 3; ++axis)
      if (std::vector<double>* values = columns->find({quantity, "xyz"[axis]}))
        out[axis].emplace(knots, std::move(*values));
  };
  fill('a', table->a);
  fill('w', table->w);
  fill('e', table->e);
  return table;
}

std::shared_ptr<const CubicSpline> read_driver_table(const std::string& file_name, std::string_view text,
                                                     Diagnostics& diagnostics) {
  ColumnRules rules;
  rules.known = {"t", "position"};
  rules.needed = {{"t", kTimeColumn}, {"position", "of the joint's coordinate, in m or rad"}};
  rules.ascending = "t";
  rules.ascending_unit = "s";
  rules.fewest_rows = kFewestOfSpline;
  rules.why_rows = kWhySpline;
  rules.example = "name the columns: t, position";
  std::optional<ColumnTable> columns = read_columns(file_name, text, rules, diagnostics);
  if (!columns) return nullptr;
  return std::make_shared<const CubicSpline>(
      std::make_shared<const std::vector<double>>(std::move(*columns->find("t"))),
      std::move(*columns->find("position")));
}

std::optional<TorqueCurve> read_torque_curve(const std::string& file_name, std::string_view text,
                                             Diagnostics& diagnostics) {
  ColumnRules rules;
  rules.known = {"speed", "torque"};
  rules.needed = {{"speed", "in rad/s or m/s, strictly increasing"}, {"torque", "in N m, or a force in N"}};
  rules.ascending = "speed";
  rules.example = "name the columns: speed, torque";
  std::optional<ColumnTable> columns = read_columns(file_name, text, rules, diagnostics);
  if (!columns) return std::nullopt;
  return TorqueCurve{std::move(*columns->find("speed")), std::move(*columns->find("torque"))};
}

}  // namespace elodyn
