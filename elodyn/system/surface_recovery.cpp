#include "elodyn/system/surface_recovery.hpp"

#include <cmath>
#include <map>

#include "elodyn/model/surface_kind.hpp"
#include "elodyn/system/assembly.hpp"

namespace elodyn {
namespace {

struct Sum {
  Vec3 stress = Vec3::Zero(), bending = Vec3::Zero();
  int count = 0;
};

// σzz of plane strain: ν13 E3/E1 σ11 + ν23 E3/E2 σ22 − E3 αT in the material's axes.
// Of a material with voids ν(σ11 + σ22) + (1 − 2ν)βφ − EαT.
double calc_across(const BodySystem& system, const MemberParts& parts, const Vec3& stress, double phi,
                   double temperature) {
  if (system.body->plane == PlaneState::stress) return 0;
  const Material& m = parts.effective;
  const double thermal = -m.young_3.value_or(m.young) * m.expansion * temperature;
  if (!m.is_orthotropic())
    return m.poisson * (stress[0] + stress[1]) + (1 - 2 * m.poisson) * parts.voids.beta * phi + thermal;
  const Eigen::Vector2d along = parts.sheet.axis_1.head<2>().normalized();
  const double c = along[0], s = along[1];
  const double s11 = c * c * stress[0] + s * s * stress[1] + 2 * c * s * stress[2];
  const double s22 = s * s * stress[0] + c * c * stress[1] - 2 * c * s * stress[2];
  return *m.young_3 * (*m.poisson_13 / m.young * s11 + *m.poisson_23 / *m.young_2 * s22) + thermal;
}

NodeStress make_node_stress(int node, int area, NodeStress::Face face, const Vec3& s, double across) {
  NodeStress out{node, area, face, s, across, {0, 0}, 0};
  const double mean = (s[0] + s[1]) / 2, radius = std::hypot((s[0] - s[1]) / 2, s[2]);
  out.principal[0] = mean + radius;
  out.principal[1] = mean - radius;
  const double a = s[0] - s[1], b = s[1] - across, c = across - s[0];
  out.mises = std::sqrt((a * a + b * b + c * c) / 2 + 3 * s[2] * s[2]);
  return out;
}

}  // namespace

SurfaceStress calc_surface_stress(const BodySystem& system, const FactorValues& at, const VectorX& q) {
  const std::vector<ElementSpec>& specs = system.mesh.elements;
  std::vector<SheetStress> stresses(specs.size());
  std::map<std::pair<int, int>, Sum> sums;  // by area and node
  std::vector<MemberParts> parts;
  for (const Area& area : system.body->areas) parts.push_back(system.find_parts(area));
  const ElementLoads loads(*system.body);
  std::vector<double> temperatures(parts.size(), 0);
  ElementData data;
  for (size_t e = 0; e < specs.size(); ++e) {
    const ElementSpec& spec = specs[e];
    if (spec.area < 0) continue;
    system.set_element_data(spec, &parts[static_cast<size_t>(spec.area)], data);
    ElementState state;
    state.q = gather(spec.dofs, q);
    for (int c = 0; c < loads.n_cases(); ++c) state.load.add(loads.on(spec, c), at.load.size() > c ? at.load[c] : 1);
    temperatures[static_cast<size_t>(spec.area)] = state.load.thermal[0];
    stresses[e] = system.element_of(spec).calc_sheet_stress(data, state);
    for (size_t a = 0; a < spec.nodes.size(); ++a) {
      Sum& sum = sums[{spec.area, spec.nodes[a]}];
      const auto k = static_cast<Eigen::Index>(a);
      sum.stress += stresses[e].at_nodes.col(k);
      if (stresses[e].bending_at_nodes.cols() > 0) sum.bending += stresses[e].bending_at_nodes.col(k);
      ++sum.count;
    }
  }
  const SurfaceKind* kind = find_surface_kind(system.body->element.value);
  const bool bends = kind != nullptr && kind->bends;
  SurfaceStress out;
  out.errors.assign(specs.size(), 0);
  for (auto& [place, sum] : sums) {
    sum.stress /= sum.count;
    sum.bending /= sum.count;
    const auto [area, node] = place;
    const int phi = system.mesh.nodes[static_cast<size_t>(node)].phi();
    const auto add = [&, area = area, node = node](NodeStress::Face face, const Vec3& stress) {
      const double across = calc_across(system, parts[static_cast<size_t>(area)], stress, phi < 0 ? 0 : q[phi],
                                        temperatures[static_cast<size_t>(area)]);
      out.nodes.push_back(make_node_stress(node, area, face, stress, across));
    };
    if (!bends) {
      add(NodeStress::Face::middle, sum.stress);
      continue;
    }
    add(NodeStress::Face::top, sum.stress + sum.bending);
    add(NodeStress::Face::bottom, sum.stress - sum.bending);
  }
  double energy = 0, error = 0;
  for (size_t e = 0; e < specs.size(); ++e) {
    const ElementSpec& spec = specs[e];
    if (spec.area < 0) continue;
    const SheetStress& s = stresses[e];
    Matrix3X smooth(3, static_cast<Eigen::Index>(spec.nodes.size())), smooth_bending = smooth;
    for (size_t a = 0; a < spec.nodes.size(); ++a) {
      const Sum& sum = sums.at({spec.area, spec.nodes[a]});
      smooth.col(static_cast<Eigen::Index>(a)) = sum.stress;
      smooth_bending.col(static_cast<Eigen::Index>(a)) = sum.bending;
    }
    double of_element = 0;
    const auto compare = [&](const Matrix3X& of_points, const Matrix3X& of_nodes, double share) {
      for (Eigen::Index k = 0; k < of_points.cols(); ++k) {
        const Vec3 own = of_points.col(k), d = of_nodes * s.shapes.row(k).transpose() - own;
        of_element += share * s.weights[k] * d.dot(s.compliance * d);
        energy += share * s.weights[k] * own.dot(s.compliance * own);
      }
    };
    compare(s.at_points, smooth, 1);
    compare(s.bending_at_points, smooth_bending, 1.0 / 3);
    out.errors[e] = std::sqrt(of_element);
    error += of_element;
  }
  out.error = energy + error > 0 ? std::sqrt(error / (energy + error)) : 0;
  return out;
}

}  // namespace elodyn
