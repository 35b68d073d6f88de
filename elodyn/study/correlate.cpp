#include "elodyn/study/correlate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/experiment/mode_pairs.hpp"
#include "elodyn/model/correlate.hpp"
#include "elodyn/study/modal.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {
namespace {

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Measured dofs as rows of the body's coordinates.
class DofFinder {
 public:
  DofFinder(const BodySystem& system, const CorrelateRequest& request, const MeasuredGeometry& geometry)
      : system_(system), request_(request) {
    for (const auto& node : geometry.nodes) place_of_[node.name] = node.x;
  }

  // Node of the mesh; −1: none.
  int find_node(const std::string& measured) const {
    for (const PointMap& map : request_.points)
      if (map.measured == measured) return node_of(map.at.value);
    if (system_.body->find_point(measured)) return node_of(measured);
    const auto place = place_of_.find(measured);
    if (place == place_of_.end()) return -1;
    const double reach = request_.tolerance.value_or(1e-3 * system_.mesh.size);
    int nearest = -1;
    double distance = reach;
    for (size_t i = 0; i < system_.mesh.nodes.size(); ++i)
      if (const double d = (system_.mesh.nodes[i].x - place->second).norm(); d <= distance) {
        distance = d;
        nearest = static_cast<int>(i);
      }
    return nearest;
  }

  // Coordinate of the body along the dof; −1: the node has none.
  int find_dof(int node, int direction) const {
    const Node& at = system_.mesh.nodes[static_cast<size_t>(node)];
    const int axis = std::abs(direction);
    if (axis == 0) return -1;
    return axis <= 3 ? at.translations()[static_cast<size_t>(axis - 1)] : at.rotations()[static_cast<size_t>(axis - 4)];
  }

 private:
  int node_of(const std::string& point) const {
    const auto it = system_.mesh.node_of_point.find(point);
    return it == system_.mesh.node_of_point.end() ? -1 : it->second;
  }

  const BodySystem& system_;
  const CorrelateRequest& request_;
  std::map<std::string, Vec3> place_of_;
};

struct Shapes {
  std::vector<std::string> dofs;
  Eigen::MatrixXcd measured, computed;  // dof × mode
};

Shapes put_side_by_side(const BodySystem& system, const CorrelateRequest& request, const MeasuredData& data,
                        const Eigen::MatrixXcd& Q, Results& results) {
  const DofFinder finder(system, request, data.geometry);
  const std::vector<MeasuredMode>& modes = data.modes;
  std::set<std::string> unknown;
  std::vector<Eigen::Index> kept;
  std::vector<int> rows;
  std::vector<double> signs;
  Shapes out;
  for (size_t i = 0; i < modes.front().dofs.size(); ++i) {
    const MeasuredDof& dof = modes.front().dofs[i];
    const int node = finder.find_node(dof.point);
    const int row = node < 0 ? -1 : finder.find_dof(node, dof.direction);
    if (row < 0) {
      unknown.insert(node < 0 ? dof.point : dof.name());
      continue;
    }
    kept.push_back(static_cast<Eigen::Index>(i));
    rows.push_back(row);
    signs.push_back(dof.direction < 0 ? -1 : 1);
    out.dofs.push_back(dof.name());
  }
  if (!unknown.empty())
    results.warnings.push_back(fmt::format(
        "body `{}` has no place for the measured {}; they are left out. Say where with [[analysis.correlate.point]]",
        system.body->name, join({unknown.begin(), unknown.end()}, ", ")));
  for (const PointMap& map : request.points)
    if (std::none_of(modes.front().dofs.begin(), modes.front().dofs.end(),
                     [&](const MeasuredDof& dof) { return dof.point == map.measured; }))
      results.warnings.push_back("[[analysis.correlate.point]] measured = \"" + map.measured +
                                 "\": the measured modes have no such point");
  if (rows.empty())
    throw NumericalError("none of the measured points is one of body `" + system.body->name +
                         "`: say where they are with [[analysis.correlate.point]]");
  const auto n = static_cast<Eigen::Index>(rows.size());
  out.measured.resize(n, static_cast<Eigen::Index>(modes.size()));
  out.computed.resize(n, Q.cols());
  for (Eigen::Index i = 0; i < n; ++i) {
    for (size_t r = 0; r < modes.size(); ++r)
      out.measured(i, static_cast<Eigen::Index>(r)) = modes[r].shape[kept[static_cast<size_t>(i)]];
    out.computed.row(i) = signs[static_cast<size_t>(i)] * Q.row(rows[static_cast<size_t>(i)]);
  }
  // Of a mode that swings across the measured directions only round-off is seen there.
  constexpr double kRoundOff = 1e-6;
  for (Eigen::Index c = 0; c < Q.cols(); ++c) {
    double largest = 0;
    for (const Node& node : system.mesh.nodes)
      for (size_t axis = 0; axis < 3; ++axis) {
        const int along = node.translations()[axis], about = node.rotations()[axis];
        if (along >= 0) largest = std::max(largest, std::abs(Q(along, c)));
        if (about >= 0) largest = std::max(largest, system.mesh.size * std::abs(Q(about, c)));
      }
    if (out.computed.col(c).cwiseAbs().maxCoeff() < kRoundOff * largest) out.computed.col(c).setZero();
  }
  return out;
}

Table make_mac_table(const char* name, const std::string& title, const MatrixX& mac, const char* row,
                     const char* column) {
  Table table{name, title, {}};
  std::vector<double> number;
  for (Eigen::Index i = 0; i < mac.rows(); ++i) number.push_back(static_cast<double>(i + 1));
  table.columns.push_back({row, "", number});
  for (Eigen::Index j = 0; j < mac.cols(); ++j) {
    std::vector<double> values;  // as many digits as say something
    for (Eigen::Index i = 0; i < mac.rows(); ++i) values.push_back(std::round(1e4 * mac(i, j)) / 1e4);
    table.columns.push_back({fmt::format("{}_{}", column, j + 1), "", values});
  }
  return table;
}

}  // namespace

void add_correlate(const Model& given, Results& results) {
  ELODYN_REQUIRE(given.correlate != nullptr);
  const CorrelateRequest& request = *given.correlate;
  const MeasuredData data = request.data ? *request.data : calc_measured_modes(given, results);
  if (data.modes.empty()) throw NumericalError("the file `" + request.file + "` has no modes");
  for (const MeasuredMode& mode : data.modes)
    if (mode.dofs.size() != data.modes.front().dofs.size() ||
        !std::equal(mode.dofs.begin(), mode.dofs.end(), data.modes.front().dofs.begin(),
                    [](const MeasuredDof& a, const MeasuredDof& b) { return a.name() == b.name(); }))
      throw NumericalError("the measured modes have different dofs");
  const Model model = without_rigid_bodies(given);
  const auto it = std::find_if(model.bodies.begin(), model.bodies.end(), [&](const Body& body) {
    return request.body.value.empty() || body.name == request.body.value;
  });
  ELODYN_REQUIRE(it != model.bodies.end());
  const BodySystem system = make_body_system(model, *it);
  const QuadraticProblem problem = make_mode_problem(system, 0);
  const QuadraticModes computed = solve_quadratic_modes(problem, request.count);
  const Eigen::MatrixXcd Q = expand(system, computed.vectors);
  const Shapes shapes = put_side_by_side(system, request, data, Q, results);

  std::vector<double> omega_measured, omega_computed;
  for (const MeasuredMode& mode : data.modes) omega_measured.push_back(mode.omega);
  for (const std::complex<double>& value : computed.values) omega_computed.push_back(std::abs(value));
  const MatrixX mac = calc_mac(shapes.measured, shapes.computed);
  const std::vector<ModePair> pairs = pair_modes(mac, omega_measured, omega_computed, request.smallest_mac);

  std::vector<double> number, other, f, fc, difference, value, damping, damping_computed;
  for (size_t r = 0; r < data.modes.size(); ++r) {
    const auto pair =
        std::find_if(pairs.begin(), pairs.end(), [&](const ModePair& p) { return p.first == static_cast<int>(r); });
    const bool has = pair != pairs.end();
    const auto j = has ? static_cast<size_t>(pair->second) : 0;
    number.push_back(static_cast<double>(r + 1));
    other.push_back(has ? pair->second + 1 : kNaN);
    f.push_back(omega_measured[r] / kTurn);
    fc.push_back(has ? omega_computed[j] / kTurn : kNaN);
    difference.push_back(has ? std::round(1e5 * (omega_computed[j] / omega_measured[r] - 1)) / 1e3 : kNaN);
    value.push_back(has ? std::round(1e5 * pair->mac) / 1e5 : kNaN);
    damping.push_back(data.modes[r].damping);
    damping_computed.push_back(has && omega_computed[j] > 0 ? -computed.values[j].real() / omega_computed[j] : kNaN);
  }
  results.tables.push_back({"correlation",
                            "Measured modes and the computed ones of body `" + it->name + "` that pair with them",
                            {{"measured", "", number},
                             {"computed", "", other},
                             {"measured_frequency", "Hz", f},
                             {"computed_frequency", "Hz", fc},
                             {"difference", "%", difference},
                             {"mac", "", value},
                             {"measured_damping", "of critical", damping},
                             {"computed_damping", "of critical", damping_computed}}});
  results.tables.push_back(make_mac_table("mac", "MAC of measured and computed modes", mac, "measured", "computed"));
  results.tables.push_back(make_mac_table("auto_mac", "Auto-MAC of the measured modes",
                                          calc_mac(shapes.measured, shapes.measured), "measured", "measured"));
  if (!pairs.empty()) {
    const VectorX comac = calc_comac(shapes.measured, shapes.computed, pairs);
    results.tables.push_back(
        {"comac",
         fmt::format("COMAC of {} pair{}", pairs.size(), pairs.size() == 1 ? "" : "s"),
         {{"dof", "", shapes.dofs}, {"comac", "", std::vector<double>(comac.data(), comac.data() + comac.size())}}});
  }
  std::vector<std::string> lonely;
  for (size_t r = 0; r < data.modes.size(); ++r)
    if (std::isnan(other[r])) lonely.push_back(std::to_string(r + 1));
  if (!lonely.empty())
    results.warnings.push_back(fmt::format(
        "measured mode{} {} pair{} with none of the {} computed ones (MAC below {:.3g})", lonely.size() == 1 ? "" : "s",
        join(lonely, ", "), lonely.size() == 1 ? "s" : "", omega_computed.size(), request.smallest_mac));
  const MatrixX self = calc_mac(shapes.measured, shapes.measured);
  for (Eigen::Index i = 0; i < self.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (constexpr double kAlike = 0.9; self(i, j) > kAlike)
        results.warnings.push_back(fmt::format(
            "measured modes {} and {} look the same on these dofs (auto-MAC {:.3f}): measure at more points", j + 1,
            i + 1, self(i, j)));
}

}  // namespace elodyn
