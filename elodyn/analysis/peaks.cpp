#include "elodyn/analysis/peaks.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "elodyn/system/recovery.hpp"
#include "elodyn/system/surface_recovery.hpp"

namespace elodyn {

Vec3 sum_axes(const std::vector<Vec3>& axes, const VectorX& values) {
  Vec3 out = Vec3::Zero();
  for (size_t k = 0; k < axes.size(); ++k) out += values[static_cast<Eigen::Index>(k)] * axes[k];
  return out;
}

namespace {

// q̈ and the Coriolis acceleration 2ω × q̇ at the nodes.
VectorX calc_inertial_acceleration(const BodySystem& s, const FactorValues& at, const VectorX& q_rate,
                                   const VectorX& q_second) {
  VectorX out = q_second;
  const Vec3 w = sum_axes(s.basis.axes, at.w);
  if (!s.model->terms.coriolis || w.isZero(0)) return out;
  for (const Node& node : s.mesh.nodes) {
    const Vec3 a = 2 * w.cross(components(node.translations(), q_rate));
    for (size_t i = 0; i < 3; ++i)
      if (const int dof = node.translations()[i]; dof >= 0) out[dof] += a[static_cast<Eigen::Index>(i)];
  }
  return out;
}

std::string describe_node(const BodySystem& s, int number) {
  const Node& node = s.mesh.nodes[static_cast<size_t>(number)];
  return node.point.empty() ? fmt::format("node {}", number + 1) : node.point;
}

std::string describe_place(const BodySystem& s, int element, double at) {
  const ElementSpec& spec = s.mesh.elements[static_cast<size_t>(element)];
  double start = 0;
  for (int e = element - 1; e >= 0; --e) {
    const ElementSpec& other = s.mesh.elements[static_cast<size_t>(e)];
    if (other.member != spec.member) break;
    start += (s.mesh.nodes[static_cast<size_t>(other.nodes[1])].x - s.mesh.nodes[static_cast<size_t>(other.nodes[0])].x)
                 .norm();
  }
  return fmt::format("{} {:.4g} m", s.part_name(spec), start + at);
}

void raise(Peak& peak, double value, double t, const auto& describe) {
  if (value > peak.value) peak = {value, t, describe()};
}

}  // namespace

PeakFinder::PeakFinder(const BodySystem& system, int stations) : system_(system), stations_(stations) {
  has_areas_ = !system.body->areas.empty();
}

std::optional<double> PeakFinder::add(double t, const FactorValues& at, const VectorX& q, const VectorX& q_rate,
                                      const VectorX& q_second) {
  const BodySystem& s = system_;
  for (size_t i = 0; i < s.mesh.nodes.size(); ++i)
    raise(peaks_.displacement, components(s.mesh.nodes[i].translations(), q).norm(), t,
          [&] { return describe_node(s, static_cast<int>(i)); });
  std::optional<double> largest;
  const auto note = [&](double value) { largest = std::max(largest.value_or(0), value); };
  for (const ElementForces& ef :
       calc_section_forces(s, at, q, calc_inertial_acceleration(s, at, q_rate, q_second), stations_))
    for (size_t i = 0; i < ef.forces.size(); ++i) {
      const SectionForces& f = ef.forces[i];
      const auto describe = [&] { return describe_place(s, ef.element, f.s); };
      raise(peaks_.N, std::abs(f.force[0]), t, describe);
      raise(peaks_.T, f.force.tail<2>().norm(), t, describe);
      raise(peaks_.M, f.moment.tail<2>().norm(), t, describe);
      const SectionStress stress = calc_stress(ef.sections[i], f);
      for (const std::optional<double>& value : {stress.largest_normal, stress.smallest_normal}) {
        if (!value) continue;
        note(std::abs(*value));
        raise(peaks_.stress, std::abs(*value), t, describe);
      }
    }
  if (!has_areas_) return largest;
  for (const NodeStress& node : calc_surface_stress(s, at, q).nodes) {
    note(node.mises);
    raise(peaks_.mises, node.mises, t, [&] { return describe_node(s, node.node); });
  }
  return largest;
}

Table make_peak_table(const std::string& name, const std::string& title, const std::vector<std::string>& bodies,
                      const std::vector<Peaks>& peaks) {
  std::vector<std::string> body, what, unit, where;
  std::vector<double> value, time;
  for (size_t b = 0; b < bodies.size(); ++b) {
    const auto add = [&](const char* of, const char* in, const Peak& peak) {
      if (!(peak.value > 0)) return;
      body.push_back(bodies[b]);
      what.emplace_back(of);
      unit.emplace_back(in);
      value.push_back(peak.value);
      time.push_back(peak.time);
      where.push_back(peak.where);
    };
    add("displacement", "m", peaks[b].displacement);
    add("N", "N", peaks[b].N);
    add("T", "N", peaks[b].T);
    add("M", "N m", peaks[b].M);
    add("stress", "Pa", peaks[b].stress);
    add("von_mises", "Pa", peaks[b].mises);
  }
  return {name,
          title,
          {{"body", "", body},
           {"what", "", what},
           {"value", "", value},
           {"unit", "", unit},
           {"time", "s", time},
           {"where", "", where}}};
}

}  // namespace elodyn
