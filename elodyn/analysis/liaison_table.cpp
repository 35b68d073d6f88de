#include "elodyn/analysis/liaison_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "elodyn/system/block_system.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn {
namespace {

// On one end of an element: Fx, Fy, Fz, Mx, My, Mz.
Vec6 calc_end_force(const Mesh& mesh, const ElementSpec& spec, int node, const VectorX& on_element) {
  Vec6 out = Vec6::Zero();
  for (size_t i = 0; i < spec.dofs.size(); ++i) {
    const Dof& dof = mesh.dofs[static_cast<size_t>(spec.dofs[i])];
    if (dof.node != node) continue;
    for (size_t k = 0; k < 3; ++k) {
      if (dof.kind == kTranslations[k]) out[static_cast<Eigen::Index>(k)] += on_element[static_cast<Eigen::Index>(i)];
      if (dof.kind == kRotations[k]) out[static_cast<Eigen::Index>(3 + k)] += on_element[static_cast<Eigen::Index>(i)];
    }
  }
  return out;
}

Table make_table(const BodySystem& s, double t, const LiaisonForces& forces) {
  std::vector<double> element, node;
  std::vector<std::string> member;
  std::vector<Vec6> ends;
  double largest = 0;  // N; moments count by the size of the body
  for (size_t e = 0; e < s.mesh.elements.size(); ++e) {
    const ElementSpec& spec = s.mesh.elements[e];
    for (const int n : spec.nodes) {
      element.push_back(static_cast<double>(e + 1));
      member.push_back(s.part_name(spec));
      node.push_back(n + 1);
      ends.push_back(calc_end_force(s.mesh, spec, n, forces.on_elements[e]));
      largest = std::max({largest, ends.back().head<3>().norm(), ends.back().tail<3>().norm() / s.mesh.size});
    }
  }
  Table table{s.body->name + "_liaison_forces",
              fmt::format("What joints, supports and loads do to the ends of the elements of body `{}`, t = {:.6g} s",
                          s.body->name, t),
              {{"element", "", element}, {"member", "", member}, {"node", "", node}}};
  constexpr double kRoundOff = 1e-10;  // below is what it leaves of zero
  const std::vector<int> shown = s.body->dimension == 3 ? std::vector{0, 1, 2, 3, 4, 5} : std::vector{0, 1, 5};
  for (const int k : shown) {
    constexpr std::array names = {"Fx", "Fy", "Fz", "Mx", "My", "Mz"};
    const double bound = kRoundOff * largest * (k < 3 ? 1 : s.mesh.size);
    std::vector<double> values;
    for (const Vec6& end : ends) values.push_back(std::abs(end[k]) < bound ? 0 : end[k]);
    table.columns.push_back({names[static_cast<size_t>(k)], k < 3 ? "N" : "N m", std::move(values)});
  }
  return table;
}

}  // namespace

void add_liaison_table(const BodySystem& s, double t, const VectorX& q, const VectorX& q_rate,
                       std::vector<Table>& tables, std::vector<std::string>& warnings) {
  const SystemFormalism* formalism = system_formalisms().find(s.model->formalism.value);
  if (formalism == nullptr || !formalism->knows_liaison_forces()) return;
  if (const std::string reason = formalism->reason_against(s); !reason.empty()) {
    warnings.push_back(fmt::format("body `{}`: no table of liaison forces: {}", s.body->name, reason));
    return;
  }
  tables.push_back(make_table(s, t, formalism->find_liaison_forces(s, t, q, q_rate)));
}

}  // namespace elodyn
