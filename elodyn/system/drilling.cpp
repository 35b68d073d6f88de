#include "elodyn/system/drilling.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "elodyn/linalg/lapack.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {
namespace {

class DrillingRows {
 public:
  explicit DrillingRows(const BodySystem& s) : s_(s), at_(s.mesh.nodes.size()) {
    find_elements();
    find_turned_nodes();
    find_held_nodes();
    find_linked_nodes();
  }

  std::vector<ConstraintRow> make() {
    std::vector<ConstraintRow> rows;
    for (size_t node = 0; node < at_.size(); ++node) {
      const AtNode& at = at_[node];
      if (at.elements.empty() || !has_rotation(node)) continue;
      constexpr double kFlat = 1e-9;  // squares of angles
      const MatrixX found = null_space(at.across, kFlat);
      if (found.cols() == 0) continue;
      const Vec3 normal = found.col(0);
      const bool is_held = is_held_about(at, normal);
      if ((is_held && !at.is_held_alone) || (at.is_linked && !at.is_linked_alone)) continue;
      rows.push_back(make_row(node, normal, at.is_turned || is_held || at.is_linked));
    }
    return rows;
  }

 private:
  struct AtNode {
    std::vector<size_t> elements;
    Mat3 across = Mat3::Zero();  // Σ (1 − n nᵀ) of the elements
    Mat3 held = Mat3::Zero();    // Σ a aᵀ of the axes about which supports hold it
    bool is_turned = false;      // something besides the elements may turn it
    bool is_held_alone = false;  // by a support of this node alone
    bool is_linked = false, is_linked_alone = false;
  };
  AtNode& at(int node) { return at_[static_cast<size_t>(node)]; }
  bool has_rotation(size_t node) const {
    const auto rotations = s_.mesh.nodes[node].rotations();
    return std::any_of(rotations.begin(), rotations.end(), [](int dof) { return dof >= 0; });
  }
  static bool is_held_about(const AtNode& at, const Vec3& normal) {
    // n is in the span of the axes if nothing of it remains across them.
    if (at.held.isZero(0)) return false;
    constexpr double kIn = 1e-9;
    const MatrixX free = null_space(at.held, kIn);
    return (free.transpose() * normal).squaredNorm() < kIn;
  }

  void find_elements() {
    for (size_t e = 0; e < s_.mesh.elements.size(); ++e) {
      const ElementSpec& spec = s_.mesh.elements[e];
      if (spec.area < 0) continue;
      const size_t last = static_cast<size_t>(find_surface_kind(spec.kind)->n_corners) - 1;
      const auto x = [&](size_t k) { return s_.mesh.nodes[static_cast<size_t>(spec.nodes[k])].x; };
      const Vec3 n = (x(2) - x(0)).cross(x(last) - x(1)).normalized();
      for (const int node : spec.nodes) {
        at(node).across += Mat3::Identity() - n * n.transpose();
        at(node).elements.push_back(e);
      }
    }
  }

  void find_turned_nodes() {
    for (const ElementSpec& spec : s_.mesh.elements)
      for (const int node : spec.nodes)
        if (spec.area < 0) at(node).is_turned = true;
    const bool shears = find_surface_kind(s_.body->element.value)->shears;
    for (const Load& load : s_.body->loads) {
      const auto& place = load.at ? load.at : load.on;
      // Thin plates take moments along their sides as forces.
      const bool turns = load.at ? !load.moment.isZero(0) : shears && !load.moment_per_length.isZero(0);
      if (place && turns)
        for (const int node : s_.mesh.nodes_at(place->value)) at(node).is_turned = true;
    }
  }

  void find_held_nodes() {
    for (const Support& support : s_.body->supports) {
      const std::vector<int> nodes = s_.mesh.nodes_at(support.at.value);
      const bool holds = support.kind == Support::Kind::clamp || support.kind == Support::Kind::hinge;
      if (holds && nodes.size() == 1) at(nodes[0]).is_held_alone = true;
    }
    for (const ConstraintRow& row : s_.rows) {
      int node = -1;
      Vec3 axis = Vec3::Zero();
      for (const auto& [dof, c] : row.coefficients) {
        const Dof& d = s_.mesh.dofs[static_cast<size_t>(dof)];
        const bool is_rotation = d.kind >= DofKind::rx && d.kind <= DofKind::rz;
        if (!is_rotation || d.node < 0 || (node >= 0 && d.node != node)) {
          node = -1;
          break;
        }
        node = d.node;
        axis[static_cast<int>(d.kind) - static_cast<int>(DofKind::rx)] += c;
      }
      if (node >= 0) at(node).held += axis.normalized() * axis.normalized().transpose();
    }
  }

  void find_linked_nodes() {
    std::map<int, std::vector<int>> groups;  // root → nodes of areas that move with it
    for (const NodeLink& link : s_.mesh.links) {
      std::vector<int>& group = groups[link.root];
      if (group.empty() && !at(link.root).elements.empty()) group.push_back(link.root);
      if (!at(link.node).elements.empty()) group.push_back(link.node);
    }
    for (const auto& [root, group] : groups)
      for (const int node : group) {
        at(node).is_linked = true;
        at(node).is_linked_alone = group.size() == 1;
      }
  }

  // (1)
  ConstraintRow make_row(size_t node, const Vec3& normal, bool is_tied) const {
    ConstraintRow row{{}, 0, "idle"};
    constexpr double kNothing = 1e-14;
    const auto add = [&](int dof, double c) {
      if (dof >= 0 && std::abs(c) > kNothing) row.coefficients.emplace_back(dof, c);
    };
    const auto rotations = s_.mesh.nodes[node].rotations();
    for (int k = 0; k < 3; ++k) add(rotations[static_cast<size_t>(k)], normal[k]);
    if (is_tied)
      for (const auto& [dof, c] : calc_mean_turn(at_[node].elements, normal)) add(dof, -c);
    return row;
  }

  std::map<int, double> calc_mean_turn(const std::vector<size_t>& elements, const Vec3& normal) const {
    std::map<int, double> mean;
    Stations stations;
    for (const size_t e : elements) {
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
        mean[spec.dofs[i]] += turn[static_cast<Eigen::Index>(i)] / (area * static_cast<double>(elements.size()));
    }
    return mean;
  }

  const BodySystem& s_;
  std::vector<AtNode> at_;
};

}  // namespace

std::vector<ConstraintRow> make_drilling_rows(const BodySystem& system) {
  const SurfaceKind* kind = find_surface_kind(system.body->element.value);
  if (kind == nullptr) return {};
  return DrillingRows(system).make();
}

}  // namespace elodyn
