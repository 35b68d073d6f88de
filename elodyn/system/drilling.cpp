#include "elodyn/system/drilling.hpp"

#include <cmath>
#include <map>

#include "elodyn/linalg/lapack.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {
namespace {

class DrillingRows {
 public:
  explicit DrillingRows(const BodySystem& s) : s_(s), at_(s.mesh.nodes.size()) {
    find_plates();
    find_turned_nodes();
    find_tied_nodes();
  }

  std::vector<ConstraintRow> make() {
    std::vector<ConstraintRow> rows;
    for (size_t node = 0; node < at_.size(); ++node) {
      const AtNode& at = at_[node];
      if (at.plates.empty() || at.is_tied) continue;
      constexpr double kFlat = 1e-9;  // squares of angles
      const MatrixX normal = null_space(at.across, kFlat);
      if (normal.cols() > 0) rows.push_back(make_row(node, normal.col(0)));
    }
    return rows;
  }

 private:
  struct AtNode {
    std::vector<size_t> plates;  // elements
    Mat3 across = Mat3::Zero();  // Σ (1 − n nᵀ)
    bool is_turned = false;      // something besides plates may turn it
    bool is_tied = false;        // a row has one of its rotations already
  };
  AtNode& at(int node) { return at_[static_cast<size_t>(node)]; }

  void find_plates() {
    for (size_t e = 0; e < s_.mesh.elements.size(); ++e) {
      const ElementSpec& spec = s_.mesh.elements[e];
      if (spec.area < 0) continue;
      const auto x = [&](size_t k) { return s_.mesh.nodes[static_cast<size_t>(spec.nodes[k])].x; };
      const Vec3 n = (x(2) - x(0)).cross(x(spec.nodes.size() - 1) - x(1)).normalized();
      for (const int node : spec.nodes) {
        at(node).across += Mat3::Identity() - n * n.transpose();
        at(node).plates.push_back(e);
      }
    }
  }

  void find_turned_nodes() {
    for (const ElementSpec& spec : s_.mesh.elements)
      for (const int node : spec.nodes)
        if (spec.area < 0) at(node).is_turned = true;
    for (const Load& load : s_.body->loads) {
      const auto& place = load.at ? load.at : load.on;
      // Thin plates take moments along their sides as forces.
      const bool turns = load.at ? !load.moment.isZero(0) : shears() && !load.moment_per_length.isZero(0);
      if (place && turns)
        for (const int node : s_.mesh.nodes_at(place->value)) at(node).is_turned = true;
    }
  }

  void find_tied_nodes() {
    for (const ConstraintRow& row : s_.rows)
      for (const auto& [dof, coefficient] : row.coefficients) {
        const Dof& d = s_.mesh.dofs[static_cast<size_t>(dof)];
        if (d.node >= 0 && d.kind >= DofKind::rx && d.kind <= DofKind::rz) at(d.node).is_tied = true;
      }
  }
  bool shears() const { return find_surface_kind(s_.body->element.value)->shears; }

  // (1)
  ConstraintRow make_row(size_t node, const Vec3& normal) const {
    ConstraintRow row{{}, 0, "idle"};
    constexpr double kNothing = 1e-14;
    const auto add = [&](int dof, double c) {
      if (std::abs(c) > kNothing) row.coefficients.emplace_back(dof, c);
    };
    const auto rotations = s_.mesh.nodes[node].rotations();
    for (int k = 0; k < 3; ++k) add(rotations[static_cast<size_t>(k)], normal[k]);
    if (at_[node].is_turned)
      for (const auto& [dof, c] : calc_mean_turn(at_[node].plates, normal)) add(dof, -c);
    return row;
  }

  std::map<int, double> calc_mean_turn(const std::vector<size_t>& plates, const Vec3& normal) const {
    std::map<int, double> mean;
    Stations stations;
    for (const size_t e : plates) {
      const ElementSpec& spec = s_.mesh.elements[e];
      s_.element_of(spec).calc_stations(s_.make_element_data(spec), stations);
      VectorX turn = VectorX::Zero(static_cast<Eigen::Index>(spec.dofs.size()));
      double area = 0;
      for (const Station& st : stations) {
        if (st.B.isZero(0)) continue;  // a mass at a node
        turn += st.weight * st.R_theta.transpose() * normal;
        area += st.weight;
      }
      for (size_t i = 0; i < spec.dofs.size(); ++i)
        mean[spec.dofs[i]] += turn[static_cast<Eigen::Index>(i)] / (area * static_cast<double>(plates.size()));
    }
    return mean;
  }

  const BodySystem& s_;
  std::vector<AtNode> at_;
};

}  // namespace

std::vector<ConstraintRow> make_drilling_rows(const BodySystem& system) {
  const SurfaceKind* kind = find_surface_kind(system.body->element.value);
  if (kind == nullptr || !kind->bends) return {};
  return DrillingRows(system).make();
}

}  // namespace elodyn
