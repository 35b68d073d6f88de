#include "elodyn/system/recovery.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "elodyn/base/parallel.hpp"
#include "elodyn/base/rotation.hpp"
#include "elodyn/mesh/sweep.hpp"
#include "elodyn/model/surface_kind.hpp"
#include "elodyn/system/assembly.hpp"
#include "elodyn/system/body_constraints.hpp"

namespace elodyn {
namespace {

// The element's part of the body's stiffness with the factors put in.
MatrixX calc_element_stiffness(const BodySystem& system, const ElementTerms& t, const VectorX& prestress,
                               const FactorValues& at) {
  const Terms& terms = system.model->terms;
  MatrixX K = t.K;
  const auto pairs = system.basis.pairs();
  for (size_t i = 0; i < t.E.size(); ++i)
    if (terms.euler) K += at.e[static_cast<int>(i)] * t.E[i];
  for (size_t k = 0; k < pairs.size(); ++k)
    if (terms.centrifugal_stiffness) K += at.w[pairs[k].first] * at.w[pairs[k].second] * t.S[k];
  for (Eigen::Index j = 0; j < prestress.size(); ++j) K += prestress[j] * t.Gamma[static_cast<size_t>(j)];
  return K;
}

// ω or ε from its factors on the basis.
Vec3 sum_axes(const BodySystem& system, const VectorX& factors) {
  Vec3 sum = Vec3::Zero();
  for (size_t i = 0; i < system.basis.axes.size(); ++i) sum += factors[static_cast<int>(i)] * system.basis.axes[i];
  return sum;
}

// Operator that acts on the displacement in the inertia force: ε̂ + ω̂², as far as the terms are on.
Mat3 calc_Bu(const BodySystem& system, const FactorValues& at) {
  const Terms& terms = system.model->terms;
  const Vec3 w = sum_axes(system, at.w), e = sum_axes(system, at.e);
  Mat3 B = Mat3::Zero();
  if (terms.euler) B += skew(e);
  if (terms.centrifugal_stiffness) B += skew(w) * skew(w);
  return B;
}

// Direction of flap on the section's y and z: along the spin axis, as far as it lies across the beam; without a spin
// along z. Nothing for a beam along the axis.
std::optional<Eigen::Vector2d> find_flap(const BodySystem& system, const ElementData& data,
                                         const std::vector<std::string_view>& names) {
  constexpr double kAlongAxis = 1e-6;
  const bool spins = system.model->turns(*system.body);
  if (!spins || std::find(names.begin(), names.end(), "flap") == names.end()) return Eigen::Vector2d(0, 1);
  const Vec3 t = (data.nodes[1] - data.nodes[0]).normalized();
  const Vec3 n = make_beam_axes(t, data.orientation).transpose() * system.basis.axes[0];
  if (n.tail<2>().norm() < kAlongAxis) return std::nullopt;
  return n.tail<2>().normalized();
}

}  // namespace

bool is_null(const SparseMatrix& A, const MatrixX& V) {
  const MatrixX sum = A * V, size = A.cwiseAbs() * V.cwiseAbs();
  return sum.cwiseAbs().maxCoeff() <= 1e3 * kEps * size.maxCoeff();
}

namespace {

// qᵀKq of each column and what of it is round-off.
std::vector<std::pair<double, double>> calc_energies(const BodySystem& system, const Eigen::MatrixXcd& Q) {
  const SparseMatrix K = system.full.calc_elastic(), sizes = K.cwiseAbs();
  std::vector<std::pair<double, double>> out;
  for (const auto& q : Q.colwise()) {
    const VectorX re = q.real(), im = q.imag(), size = q.cwiseAbs();
    out.emplace_back(re.dot(K * re) + im.dot(K * im), kEps * size.dot(sizes * size));
  }
  return out;
}

}  // namespace

double estimate_round_off(const BodySystem& system, const Eigen::VectorXcd& q) {
  const auto [energy, round_off] = calc_energies(system, q).front();
  return energy > 0 ? round_off / energy : 0;
}

std::vector<bool> find_strained(const BodySystem& system, const Eigen::MatrixXcd& Q) {
  std::vector<bool> out;
  for (const auto& [energy, round_off] : calc_energies(system, Q)) out.push_back(energy > round_off);
  return out;
}

namespace {

// Energies of several q side by side, by strain name.
class EnergyTable {
 public:
  explicit EnergyTable(Eigen::Index width) : width_(width) {}
  void add(std::string_view name, const Eigen::RowVectorXd& energies) {
    const auto it = std::find_if(rows_.begin(), rows_.end(), [&](const auto& row) { return row.first == name; });
    if (it == rows_.end())
      rows_.emplace_back(name, energies);
    else
      it->second += energies;
  }
  void add(const EnergyTable& other) {
    for (const auto& [name, energies] : other.rows_) add(name, energies);
  }
  std::vector<StrainEnergy> by_columns() const {
    std::vector<StrainEnergy> out(static_cast<size_t>(width_));
    for (const auto& [name, energies] : rows_)
      for (Eigen::Index k = 0; k < width_; ++k) out[static_cast<size_t>(k)].emplace_back(name, energies[k]);
    return out;
  }

 private:
  Eigen::Index width_;
  std::vector<std::pair<std::string, Eigen::RowVectorXd>> rows_;
};

// Parts: real parts of all q, then imaginary ones.
void add_energies(const BodySystem& system, const ElementSpec& spec, const MatrixX& parts, Stations& stations,
                  EnergyTable& table) {
  const Element& element = system.element_of(spec);
  const ElementData data = system.make_element_data(spec);
  const auto names = element.strain_names(data);
  if (names.empty()) return;
  const std::optional<Eigen::Vector2d> flap = find_flap(system, data, names);
  element.calc_stations(data, stations);
  MatrixX q(static_cast<Eigen::Index>(spec.dofs.size()), parts.cols());
  for (size_t i = 0; i < spec.dofs.size(); ++i) q.row(static_cast<Eigen::Index>(i)) = parts.row(spec.dofs[i]);
  const Eigen::Index width = parts.cols() / 2;
  const auto add = [&](std::string_view name, const Eigen::RowVectorXd& energies) {
    table.add(name, energies.head(width) + energies.tail(width));
  };
  for (const Station& st : stations) {
    const MatrixX e = st.B * q, stress = 0.5 * st.weight * (st.stiffness * e);
    for (Eigen::Index a = 0; a < e.rows(); ++a) {
      const auto name = names[static_cast<size_t>(a)];
      if (name == "lag") {  // flap stands in the next row
        const Eigen::RowVectorXd all = e.middleRows<2>(a).cwiseProduct(stress.middleRows<2>(a)).colwise().sum();
        Eigen::RowVectorXd out = Eigen::RowVectorXd::Zero(e.cols());
        if (flap)
          out = (flap->transpose() * e.middleRows<2>(a)).cwiseProduct(flap->transpose() * stress.middleRows<2>(a));
        add(flap ? "flap" : "bending", out);
        add(flap ? "lag" : "bending", all - out);
      } else if (name != "flap") {
        add(name, e.row(a).cwiseProduct(stress.row(a)));
      }
    }
  }
}

}  // namespace

std::vector<StrainEnergy> calc_strain_energies(const BodySystem& system, const Eigen::MatrixXcd& Q) {
  constexpr size_t kPart = 512;  // elements that are summed up together
  MatrixX parts(Q.rows(), 2 * Q.cols());
  parts << Q.real(), Q.imag();
  const std::vector<ElementSpec>& elements = system.mesh.elements;
  const auto n_parts = static_cast<int>((elements.size() + kPart - 1) / kPart);
  std::vector<EnergyTable> tables(static_cast<size_t>(n_parts), EnergyTable(Q.cols()));
  parallel_for(n_parts, [&](int part) {
    const auto at = static_cast<size_t>(part);
    Stations stations;
    for (size_t e = at * kPart; e < std::min(elements.size(), (at + 1) * kPart); ++e)
      add_energies(system, elements[e], parts, stations, tables[at]);
  });
  EnergyTable sum(Q.cols());
  for (const EnergyTable& table : tables) sum.add(table);
  return sum.by_columns();
}

std::vector<ElementForces> calc_section_forces(const BodySystem& system, const FactorValues& at, const VectorX& q,
                                               const VectorX& rigid_acceleration, int per_element) {
  std::vector<double> xis;
  for (int k = 0; k < per_element; ++k) xis.push_back(static_cast<double>(k) / (per_element - 1));
  const std::vector<VectorX> prestress = system.calc_prestress(at);
  const Formalism& formalism = formalism_of(*system.model);
  const Mat3 Bu = calc_Bu(system, at);
  const ElementLoads loads(*system.body);
  std::vector<ElementForces> out;
  Stations stations;
  ElementTerms t;
  for (size_t e = 0; e < system.mesh.elements.size(); ++e) {
    const ElementSpec& spec = system.mesh.elements[e];
    if (spec.member < 0) continue;
    const Element& element = system.element_of(spec);
    const ElementData data = system.make_element_data(spec);
    element.calc_stations(data, stations);
    formalism.derive(stations, element.n_dofs(data), system.basis, t);
    ElementState state;
    state.q = gather(spec.dofs, q);
    if (!prestress.empty()) state.prestress = prestress[e];
    state.end_forces =
        calc_element_stiffness(system, t, state.prestress, at) * state.q + t.M * gather(spec.dofs, rigid_acceleration);
    add_rigid_acceleration(system.mesh, spec, rigid_acceleration, state);
    for (const LoadTerm& load : system.full.loads) {
      if (load.coefficient == 0) continue;  // switched off
      const double factor = at(load.factor);
      const ElementState unit = unit_state(system, load, loads.on(spec, load.factor));
      state.end_forces -= factor * load.coefficient * own_share(system, load, t, unit.load);
      state.a += factor * unit.a;
      state.Bx += factor * unit.Bx;
      state.load.add(unit.load, factor);
    }
    state.Bu = Bu;
    std::vector<SectionProperties> sections;
    for (const double xi : xis) sections.push_back(data.section_at(xi));
    out.push_back({static_cast<int>(e), element.calc_section_forces(data, state, xis), std::move(sections)});
  }
  return out;
}

SectionStress calc_stress(const SectionProperties& section, const SectionForces& f) {
  SectionStress stress = elodyn::calc_stress(
      section, SectionResultants{f.force[0], f.force[1], f.force[2], f.moment[0], f.moment[1], f.moment[2]});
  if (f.across != 0 && stress.largest_mises) stress.largest_mises = std::abs(f.force[0] / section.A - f.across);
  return stress;
}

Reaction make_reaction(const Mesh& mesh, const Support& support, const std::vector<int>& nodes, const VectorX& r) {
  Reaction out{support.at.value, support.kind_name(), Vec3::Zero(), Vec3::Zero()};
  const std::vector<int> all = mesh.nodes_at(support.at.value);
  Vec3 middle = Vec3::Zero();
  for (const int number : all) middle += mesh.nodes[static_cast<size_t>(number)].x / static_cast<double>(all.size());
  for (const int number : nodes) {
    const Node& node = mesh.nodes[static_cast<size_t>(number)];
    const Vec3 force = components(node.translations(), r);
    out.force += force;
    if (all.size() > 1) out.moment += (node.x - middle).cross(force);
    if (support.kind == Support::Kind::clamp || support.kind == Support::Kind::hinge)
      out.moment += components(node.rotations(), r);
  }
  return out;
}

std::vector<Reaction> calc_support_reactions(const BodySystem& system, const VectorX& residual) {
  const VectorX r = carry_to_roots(system.mesh, residual);
  std::vector<Reaction> out;
  std::unordered_set<int> reported;  // a node held twice has one reaction
  for (const Support& support : system.body->supports) {
    if (support.kind == Support::Kind::voids) continue;  // no force holds φ
    std::vector<int> nodes = system.mesh.nodes_at(support.at.value);
    std::erase_if(nodes, [&](int node) { return !reported.insert(node).second; });
    if (!nodes.empty()) out.push_back(make_reaction(system.mesh, support, nodes, r));
  }
  return out;
}

std::vector<Reaction> calc_reactions(const BodySystem& system, const FactorValues& at, const VectorX& q,
                                     const VectorX& rigid_acceleration) {
  std::vector<Reaction> out =
      calc_support_reactions(system, system.full.calc_stiffness(at) * q - system.full.calc_load(at) +
                                         system.full.calc_mass() * rigid_acceleration);
  const auto node_of = [&](const std::string& point) -> const Node& {
    return system.mesh.nodes[static_cast<size_t>(system.mesh.node_of_point.at(point))];
  };
  const Vec3 w = sum_axes(system, at.w);
  for (const Spring& spring : system.body->springs) {
    if (spring.to) continue;
    const Node& node = node_of(spring.at.value);
    const Vec3 u = components(node.translations(), q), theta = components(node.rotations(), q);
    Reaction reaction{spring.at.value, "spring", -spring.stiffness.cwiseProduct(u),
                      -spring.rotational_stiffness.cwiseProduct(theta)};
    if (spring.other == Spring::Other::ground) {  // its dashpots see the body turn
      reaction.force -= spring.damping.cwiseProduct(w.cross(u));
      reaction.moment -= spring.rotational_damping.cwiseProduct(w.cross(theta));
    }
    out.push_back(reaction);
  }
  return out;
}

std::vector<SpringForce> calc_spring_forces(const BodySystem& system, const VectorX& q) {
  std::vector<SpringForce> out;
  Stations stations;
  for (const ElementSpec& spec : system.mesh.elements) {
    const ElementData data = system.make_element_data(spec);
    if (!data.spring || !data.spring->to) continue;
    system.element_of(spec).calc_stations(data, stations);
    const VectorX stress = stations[0].stiffness * (stations[0].B * gather(spec.dofs, q));
    out.push_back({data.spring->at.value, data.spring->to->value, -stress.head<3>(), -stress.segment<3>(3), stress[6]});
  }
  return out;
}

namespace {

// What is drawn at one place of the axis.
struct DrawnStation {
  DrawingGrid::Place place;
  SweepStation sweep;
  Matrix3X N, R_theta;
  VectorX phi;
  const std::vector<int>* dofs = nullptr;
};

// The stations of each member, in order; a place where two of its elements meet is one station.
std::vector<std::vector<DrawnStation>> make_stations(const BodySystem& system, bool with_outlines) {
  std::vector<std::vector<DrawnStation>> members;
  int member = -1;
  for (size_t e = 0; e < system.mesh.elements.size(); ++e) {
    const ElementSpec& spec = system.mesh.elements[e];
    if (spec.member < 0) continue;
    const ElementData data = system.make_element_data(spec);
    const Section& section = system.section_of(spec);
    const bool starts = spec.member != member;
    member = spec.member;
    if (starts) members.emplace_back();
    for (int k = starts ? 0 : 1; k <= DrawingGrid::kPieces; ++k) {
      const double xi = static_cast<double>(k) / DrawingGrid::kPieces;
      DrawnStation& st = members.back().emplace_back();
      st.place = {static_cast<int>(e), k, Eigen::Vector2d::Zero()};
      st.sweep.x = (1 - xi) * data.nodes[0] + xi * data.nodes[1];
      st.sweep.triad = make_beam_axes((data.nodes[1] - data.nodes[0]).normalized(), data.orientation);
      if (with_outlines) {
        const Section here = data.taper ? interpolate(data.taper->from, data.taper->to, xi) : section;
        st.sweep.outline = make_outline(here);
        st.sweep.inner = make_inner_outline(here);
      }
      system.element_of(spec).calc_placement(data, xi, st.N, st.R_theta);
      st.phi = system.element_of(spec).calc_phi(data, xi);
      st.dofs = &spec.dofs;
    }
  }
  return members;
}

// Collects points with the map from q to their displacement.
class DrawingBuilder {
 public:
  explicit DrawingBuilder(DrawingGrid& grid) : grid_(grid) {}

  int add(const DrawnStation& st, const Eigen::Vector2d& s) {
    const auto point = static_cast<int>(points_.size());
    const Mat3& triad = st.sweep.triad;
    const Vec3 arm = triad.col(1) * s[0] + triad.col(2) * s[1];
    points_.push_back(st.sweep.x + arm);
    grid_.places.push_back({st.place.element, st.place.piece, s});
    triads_.push_back(triad);
    const Matrix3X map = st.N - skew(arm) * st.R_theta;
    for (int i = 0; i < 3; ++i)
      for (size_t d = 0; d < st.dofs->size(); ++d)
        if (const double value = map(i, static_cast<int>(d)); value != 0)
          entries_.emplace_back(3 * point + i, (*st.dofs)[d], value);
    for (Eigen::Index d = 0; d < st.phi.size(); ++d)
      if (st.phi[d] != 0) phi_entries_.emplace_back(point, (*st.dofs)[static_cast<size_t>(d)], st.phi[d]);
    return point;
  }
  // A node of a link or an area, or a point that moves with it as one rigid piece.
  int add(const Mesh& mesh, int number, const Vec3& arm = Vec3::Zero()) {
    const Node& node = mesh.nodes[static_cast<size_t>(number)];
    const auto point = static_cast<int>(points_.size());
    points_.push_back(node.x + arm);
    grid_.places.push_back({-1, 0, Eigen::Vector2d::Zero(), number});
    triads_.emplace_back(Mat3::Zero());
    const auto u = node.translations(), r = node.rotations();
    const Mat3 turning = -skew(arm);
    for (int i = 0; i < 3; ++i) {
      if (const int dof = u[static_cast<size_t>(i)]; dof >= 0) entries_.emplace_back(3 * point + i, dof, 1.0);
      for (int k = 0; k < 3; ++k)
        if (const int dof = r[static_cast<size_t>(k)]; dof >= 0 && turning(i, k) != 0)
          entries_.emplace_back(3 * point + i, dof, turning(i, k));
    }
    if (const int phi = node.phi(); phi >= 0) phi_entries_.emplace_back(point, phi, 1.0);
    return point;
  }
  int n_points() const { return static_cast<int>(points_.size()); }

  void finish(int n_dofs) {
    const auto n = static_cast<Eigen::Index>(points_.size());
    grid_.points.resize(3, n);
    for (Matrix3X& axis : grid_.axes) axis.resize(3, n);
    for (Eigen::Index p = 0; p < n; ++p) {
      grid_.points.col(p) = points_[static_cast<size_t>(p)];
      for (int a = 0; a < 3; ++a) grid_.axes[static_cast<size_t>(a)].col(p) = triads_[static_cast<size_t>(p)].col(a);
    }
    grid_.displacement.resize(3 * n, n_dofs);
    grid_.displacement.setFromTriplets(entries_.begin(), entries_.end());
    grid_.phi.resize(n, n_dofs);
    grid_.phi.setFromTriplets(phi_entries_.begin(), phi_entries_.end());
  }

 private:
  DrawingGrid& grid_;
  std::vector<Vec3> points_;
  std::vector<Mat3> triads_;
  std::vector<Eigen::Triplet<double>> entries_, phi_entries_;
};

// The corners of an element of a surface, middles of sides between them.
std::vector<int> nodes_around(const ElementSpec& spec) {
  const size_t n_corners = static_cast<size_t>(find_surface_kind(spec.kind)->n_corners);
  std::vector<int> nodes;
  for (size_t k = 0; k < spec.nodes.size(); ++k)
    nodes.push_back(spec.nodes[spec.nodes.size() == n_corners ? k : k / 2 + (k % 2) * n_corners]);
  return nodes;
}

// Top and bottom of the areas, and the rim where an element has no neighbour in its area. Where areas meet at an angle
// each has its own.
void add_thickness(const BodySystem& system, DrawingBuilder& builder, DrawingGrid& grid) {
  std::map<std::pair<int, int>, std::array<int, 2>> points_of;           // of area and node: top, bottom
  std::map<std::array<int, 3>, std::pair<std::array<int, 4>, int>> rim;  // of area and ends: a face, how often seen
  std::vector<double> half(system.body->areas.size());
  for (size_t a = 0; a < half.size(); ++a) half[a] = 0.5 * system.find_parts(system.body->areas[a]).sheet.thickness;
  for (const ElementSpec& spec : system.mesh.elements) {
    if (spec.area < 0) continue;
    const auto x = [&](size_t corner) { return system.mesh.nodes[static_cast<size_t>(spec.nodes[corner])].x; };
    const Vec3 arm = half[static_cast<size_t>(spec.area)] * (x(1) - x(0)).cross(x(2) - x(0)).normalized();
    std::vector<int> top, bottom;
    const std::vector<int> nodes = nodes_around(spec);
    for (const int node : nodes) {
      const auto [it, is_new] = points_of.try_emplace({spec.area, node});
      if (is_new) it->second = {builder.add(system.mesh, node, arm), builder.add(system.mesh, node, -arm)};
      top.push_back(it->second[0]);
      bottom.push_back(it->second[1]);
    }
    for (size_t k = 0; k < nodes.size(); ++k) {
      const size_t next = (k + 1) % nodes.size();
      auto& [face, count] = rim[{spec.area, std::min(nodes[k], nodes[next]), std::max(nodes[k], nodes[next])}];
      face = {bottom[k], bottom[next], top[next], top[k]};
      ++count;
    }
    grid.faces.push_back(top);
    grid.faces.emplace_back(bottom.rbegin(), bottom.rend());
  }
  for (const auto& [ends, seen] : rim)
    if (seen.second == 1) grid.faces.emplace_back(seen.first.begin(), seen.first.end());
}

// The nodes of areas, and their elements as faces if these stand for the sheet.
void add_areas(const BodySystem& system, bool with_faces, DrawingBuilder& builder, DrawingGrid& grid) {
  std::unordered_map<int, int> point_of;
  for (const ElementSpec& spec : system.mesh.elements) {
    if (spec.area < 0) continue;
    std::vector<int> face;
    for (const int node : nodes_around(spec)) {
      const auto [it, is_new] = point_of.emplace(node, 0);
      if (is_new) it->second = builder.add(system.mesh, node);
      face.push_back(it->second);
    }
    if (with_faces) grid.faces.push_back(std::move(face));
  }
}

}  // namespace

DrawingGrid make_drawing_grid(const BodySystem& system, DrawingDetail detail) {
  constexpr size_t kMostElements = 5000;  // with a surface: a million corners of tubes
  const bool with_surface = system.mesh.elements.size() <= kMostElements;
  DrawingGrid grid;
  DrawingBuilder builder(grid);
  auto members = make_stations(system, with_surface);
  if (detail == DrawingDetail::straight)
    for (auto& stations : members) stations.erase(stations.begin() + 1, stations.end() - 1);
  for (const auto& stations : members) {
    std::vector<int>& line = grid.lines.emplace_back();
    for (const DrawnStation& st : stations) line.push_back(builder.add(st, Eigen::Vector2d::Zero()));
  }
  for (const NodeLink& link : system.mesh.links) {
    const int root = builder.add(system.mesh, link.root);
    grid.lines.push_back({root, builder.add(system.mesh, link.node)});
  }
  add_areas(system, !with_surface, builder, grid);
  grid.n_axis_points = builder.n_points();
  if (with_surface) add_thickness(system, builder, grid);
  grid.n_element_faces = static_cast<int>(grid.faces.size());
  if (with_surface)
    for (const auto& stations : members) {
      std::vector<SweepStation> path;
      for (const DrawnStation& st : stations) path.push_back(st.sweep);
      const Surface surface = sweep(path, builder.n_points());
      grid.faces.insert(grid.faces.end(), surface.faces.begin(), surface.faces.end());
      for (const DrawnStation& st : stations)
        for (const Outline* outline : {&st.sweep.outline, &st.sweep.inner})
          for (const Eigen::Vector2d& corner : *outline) builder.add(st, corner);
    }
  builder.finish(system.mesh.n_dofs());
  return grid;
}

}  // namespace elodyn
