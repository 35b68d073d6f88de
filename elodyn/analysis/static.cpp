// Steady state in the moving frame:  (K + Σ e E + Σ ww S + Kg) q = f − Σ a A − Σ e B − Σ ww H,
// then reactions, section forces by equilibrium of each element, and stresses (model/section_stress.hpp)
//   σ(y, z) = N/A − Mz y/Iz + My z/Iy.                                                               (1)
// Limits: small displacements; a motion that changes with time is frozen at one instant.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/each_body.hpp"
#include "elodyn/analysis/liaison_table.hpp"
#include "elodyn/analysis/shapes.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/system/recovery.hpp"
#include "elodyn/system/surface_recovery.hpp"

namespace elodyn {
namespace {

struct Solution {
  VectorX q;
  VectorX rigid_acceleration;  // of the dofs
};

void warn_of_free_motion(const BodySystem& s, const VectorX& relief, std::vector<std::string>& warnings) {
  if (s.rigid_twist.cols() == 0) {
    warnings.push_back(fmt::format(
        "body `{}` has parts that hinges let swing: their loads are balanced by their acceleration; displacements are "
        "relative",
        s.body->name));
    return;
  }
  const Vec6 a = s.rigid_twist * relief;
  const bool planar = s.body->dimension == 2;
  warnings.push_back(fmt::format(
      "body `{}` is free to move: its loads are balanced by a rigid acceleration ({}) m/s² of its origin and {} "
      "rad/s²; "
      "displacements are relative",
      s.body->name,
      planar ? fmt::format("{:.6g}, {:.6g}", a[0], a[1]) : fmt::format("{:.6g}, {:.6g}, {:.6g}", a[0], a[1], a[2]),
      planar ? fmt::format("{:.6g}", a[5]) : fmt::format("({:.6g}, {:.6g}, {:.6g})", a[3], a[4], a[5])));
}

// A free body at rest whose prestress acts on some of its rigid motions R, as a pressure along a bar does on its
// turning, but leaves others free: K z + M R a = f with RᵀM z = 0, so that none of them is taken for held.
bool solve_partly_free(const BodySystem& s, const SparseMatrix& K, const VectorX& f, Solution& solution,
                       std::vector<std::string>& warnings) {
  const MatrixX KR = K * s.rigid;
  MatrixX gram = KR.transpose() * KR, vectors;
  const double scale = (K.cwiseAbs() * s.rigid.cwiseAbs()).colwise().squaredNorm().maxCoeff();
  VectorX values;
  symmetric_eigen(gram, 0, static_cast<int>(gram.rows()) - 1, values, vectors);
  constexpr double kNull = 1e-24;  // squares, relative to what the products would be without cancelling
  if (values[0] > kNull * scale) return false;
  const MatrixX MR = s.reduced.calc_mass() * s.rigid;
  const Eigen::Index n = K.rows(), n_free = s.rigid.cols();
  std::vector<Eigen::Triplet<double>> entries;
  for (Eigen::Index j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator it(K, j); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), static_cast<int>(j), it.value());
  for (Eigen::Index c = 0; c < n_free; ++c)
    for (Eigen::Index i = 0; i < n; ++i) {
      entries.emplace_back(static_cast<int>(i), static_cast<int>(n + c), MR(i, c));
      entries.emplace_back(static_cast<int>(n + c), static_cast<int>(i), MR(i, c));
    }
  SparseMatrix bordered(n + n_free, n + n_free);
  bordered.setFromTriplets(entries.begin(), entries.end());
  LuSolver lu;
  if (!lu.factor(bordered)) return false;
  VectorX rhs = VectorX::Zero(n + n_free);
  rhs.head(n) = f;
  const VectorX x = lu.solve(rhs);
  solution.q = s.constraints.expand(x.head(n));
  solution.rigid_acceleration = s.constraints.T() * (s.rigid * x.tail(n_free));
  warn_of_free_motion(s, x.tail(n_free), warnings);
  return true;
}

// In a turning frame what no support holds must be held by the pull, or it flies off and there is no steady state.
void require_held_by_motion(const BodySystem& s, const SparseMatrix& K) {
  MatrixX held = s.rigid.transpose() * (K * s.rigid), vectors;
  held = (0.5 * (held + held.transpose())).eval();
  VectorX values;
  symmetric_eigen(held, 0, static_cast<int>(held.rows()) - 1, values, vectors);
  const double scale = (s.rigid.cwiseAbs().transpose() * (K.cwiseAbs() * s.rigid.cwiseAbs())).maxCoeff();
  if (values[0] <= 1e3 * kEps * scale)
    throw NumericalError("body `" + s.body->name +
                         "`: nothing holds it, or a part of it, in the turning frame: there is no steady state; add "
                         "supports");
}

Solution solve_static(const BodySystem& s, const FactorValues& at, std::vector<std::string>& warnings) {
  const SparseMatrix K = s.reduced.calc_stiffness(at);
  const VectorX f = s.reduced.calc_load(at);
  Solution solution;
  solution.rigid_acceleration = VectorX::Zero(s.mesh.n_dofs());
  if (s.rigid.cols() > 0 && is_null(K, s.rigid)) {
    const StaticSolver solver(s, K);
    solution.q = s.constraints.expand(solver.solve(f));
    solution.rigid_acceleration = solver.calc_acceleration(s, f);
    warn_of_free_motion(s, solver.calc_relief(f), warnings);
    return solution;
  }
  const bool turns = !at.w.isZero(0) || !at.e.isZero(0);
  if (s.rigid.cols() > 0 && !turns && solve_partly_free(s, K, f, solution, warnings)) return solution;
  if (s.rigid.cols() > 0 && turns) require_held_by_motion(s, K);
  const bool symmetric = (SparseMatrix(K.transpose()) - K).norm() <= 1e-13 * K.norm();
  CholeskySolver cholesky;
  if (symmetric && cholesky.factor(K)) {
    solution.q = s.constraints.expand(cholesky.solve(f));
    return solution;
  }
  if (symmetric) {
    const StaticSolver elastic(s, s.reduced.calc_elastic());  // says which dof if the body itself is loose
    warnings.push_back(
        fmt::format("body `{}`: the stiffness at this speed and load is not positive: the body is beyond "
                    "divergence, the state found is an unstable equilibrium",
                    s.body->name));
  }
  LuSolver lu;
  if (!lu.factor(K))
    throw NumericalError("body `" + s.body->name +
                         "`: the stiffness is singular at exactly this speed and load; change the speed a little");
  solution.q = s.constraints.expand(lu.solve(f));
  return solution;
}

std::vector<double>& numbers(Table& table, const std::string& name, const std::string& unit) {
  table.columns.push_back({name, unit, std::vector<double>{}});
  return std::get<std::vector<double>>(table.columns.back().values);
}
std::vector<std::string>& texts(Table& table, const std::string& name) {
  table.columns.push_back({name, "", std::vector<std::string>{}});
  return std::get<std::vector<std::string>>(table.columns.back().values);
}

// A hinge turns with none of its members: its rotation is not a number.
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr size_t kMostColumns = 16;  // references into the columns stay valid

// Columns of the components that a body of this dimension has, filled from vectors.
class Components {
 public:
  Components(Table& table, std::initializer_list<const char*> names, const char* unit, std::vector<int> which)
      : which_(std::move(which)) {
    for (const int k : which_) columns_.push_back(&numbers(table, names.begin()[k], unit));
  }
  void push_back(const Vec3& v) {
    for (size_t i = 0; i < which_.size(); ++i) columns_[i]->push_back(v[which_[i]]);
  }

 private:
  std::vector<int> which_;
  std::vector<std::vector<double>*> columns_;
};

bool is_spatial(const BodySystem& s) { return s.body->dimension == 3; }
std::vector<int> translations(const BodySystem& s) { return is_spatial(s) ? std::vector{0, 1, 2} : std::vector{0, 1}; }
std::vector<int> rotations(const BodySystem& s) { return is_spatial(s) ? std::vector{0, 1, 2} : std::vector{2}; }

Table make_displacement_table(const BodySystem& s, const VectorX& q) {
  Table table{s.body->name + "_displacements", "Displacements of body `" + s.body->name + "`", {}};
  table.columns.reserve(kMostColumns);
  auto& node = numbers(table, "node", "");
  auto& point = texts(table, "point");
  Components x(table, {"x", "y", "z"}, "m", translations(s)), u(table, {"u", "v", "w"}, "m", translations(s)),
      r(table, {"rx", "ry", "rz"}, "rad", rotations(s));
  // What round-off leaves of zero is shown as zero; one bound for displacements, one for rotations.
  constexpr double kRoundOff = 1e-12;
  double largest_u = 0, largest_r = 0;
  for (const Node& n : s.mesh.nodes) {
    for (const double value : components(n.translations(), q)) largest_u = std::fmax(largest_u, std::abs(value));
    for (const double value : components(n.rotations(), q, kNone)) largest_r = std::fmax(largest_r, std::abs(value));
  }
  const auto clean = [&](Vec3 v, double largest) {
    for (double& value : v)
      if (std::abs(value) < kRoundOff * largest) value = 0;
    return v;
  };
  for (size_t i = 0; i < s.mesh.nodes.size(); ++i) {
    const Node& n = s.mesh.nodes[i];
    node.push_back(static_cast<double>(i + 1));
    point.push_back(n.point);
    x.push_back(n.x);
    u.push_back(clean(components(n.translations(), q), largest_u));
    r.push_back(clean(components(n.rotations(), q, kNone), largest_r));
  }
  if (s.mesh.has_phi()) {
    auto& phi = numbers(table, "phi", "");
    for (const Node& n : s.mesh.nodes) phi.push_back(n.phi() < 0 ? kNone : q[n.phi()]);
  }
  return table;
}

Table make_reaction_table(const BodySystem& s, const std::vector<Reaction>& reactions) {
  Table table{s.body->name + "_reactions", "What the supports do to body `" + s.body->name + "`", {}};
  table.columns.reserve(kMostColumns);
  auto &point = texts(table, "point"), &kind = texts(table, "kind");
  Components force(table, {"Fx", "Fy", "Fz"}, "N", translations(s)),
      moment(table, {"Mx", "My", "Mz"}, "N m", rotations(s));
  for (const Reaction& r : reactions) {
    point.push_back(r.point);
    kind.push_back(r.kind);
    force.push_back(r.force);
    moment.push_back(r.moment);
  }
  return table;
}

Table make_spring_table(const BodySystem& s, const std::vector<SpringForce>& springs) {
  Table table{
      s.body->name + "_springs", "What the springs between points of body `" + s.body->name + "` do to `to`", {}};
  table.columns.reserve(kMostColumns);
  auto &at = texts(table, "at"), &to = texts(table, "to");
  Components force(table, {"Fx", "Fy", "Fz"}, "N", translations(s)),
      moment(table, {"Mx", "My", "Mz"}, "N m", rotations(s));
  auto& axial = numbers(table, "tension", "N");
  for (const SpringForce& spring : springs) {
    at.push_back(spring.at);
    to.push_back(spring.to);
    force.push_back(spring.force);
    moment.push_back(spring.moment);
    axial.push_back(spring.axial);
  }
  return table;
}

// Largest absolute values along a body, for the summary; not a number: not known.
struct Peaks {
  double N = 0, T = 0, M = 0, torque = 0, normal = kNone, mises = kNone;
  bool complete = true;  // every section tells its stresses
};
Peaks find_peaks(const std::vector<ElementForces>& forces) {
  Peaks p;
  const auto raise = [](double& peak, std::optional<double> value) {
    if (value) peak = std::fmax(peak, std::abs(*value));  // of those that are known
  };
  for (const ElementForces& ef : forces)
    for (size_t k = 0; k < ef.forces.size(); ++k) {
      const SectionForces& f = ef.forces[k];
      raise(p.N, f.force[0]);
      raise(p.T, f.force.tail<2>().norm());
      raise(p.M, f.moment.tail<2>().norm());
      raise(p.torque, f.moment[0]);
      const SectionStress stress = calc_stress(ef.sections[k], f);
      raise(p.normal, stress.largest_normal);
      raise(p.normal, stress.smallest_normal);
      raise(p.mises, stress.largest_mises);
      p.complete = p.complete && stress.largest_normal && stress.largest_mises;
    }
  return p;
}

// A stress that a section says too little for is left out there, and its column if no section tells it.
Table make_force_table(const BodySystem& s, const std::vector<ElementForces>& forces) {
  Table table{s.body->name + "_forces", "Section forces along body `" + s.body->name + "`", {}};
  table.columns.reserve(kMostColumns);
  auto& member = texts(table, "member");
  auto& element = numbers(table, "element", "");
  auto& at = numbers(table, "s", "m");
  const bool spatial = is_spatial(s);
  Components force(table, {"N", spatial ? "Ty" : "T", "Tz"}, "N", translations(s)),
      moment(table, {"Mx", "My", spatial ? "Mz" : "M"}, "N m", rotations(s));
  std::vector<std::vector<double>> stresses(4);  // of the planar fibres +y, −y or the extremes; shear; von Mises
  std::vector<bool> known(4, false);             // somewhere
  const auto put = [&](size_t column, const SectionProperties& section, std::optional<double> value) {
    const bool tells = section.shape != Section::Shape::general ||
                       (column == 2 ? section.torsion_modulus_y.has_value() : section.extreme_y.has_value());
    known[column] = known[column] || (tells && value);
    stresses[column].push_back(value.value_or(std::nan("")));
  };
  double start = 0;
  int current = -1;
  for (const ElementForces& ef : forces) {
    const ElementSpec& spec = s.mesh.elements[static_cast<size_t>(ef.element)];
    if (spec.member != current) {
      current = spec.member;
      start = 0;
    }
    for (size_t k = 0; k < ef.forces.size(); ++k) {
      const SectionForces& f = ef.forces[k];
      const SectionProperties& section = ef.sections[k];
      member.push_back(s.body->members[static_cast<size_t>(spec.member)].name);
      element.push_back(ef.element + 1);
      at.push_back(start + f.s);
      force.push_back(f.force);
      moment.push_back(f.moment);
      const SectionStress stress = calc_stress(section, f);
      if (spatial) {
        put(0, section, stress.largest_normal);
        put(1, section, stress.smallest_normal);
      } else {
        const std::optional<double> c = section.extreme_y;
        const double axial = f.force[0] / section.A, slope = f.moment[2] / section.Iz;
        put(0, section, c ? std::optional(axial - slope * *c) : std::nullopt);
        put(1, section, c ? std::optional(axial + slope * *c) : std::nullopt);
      }
      put(2, section, stress.largest_shear);
      put(3, section, stress.largest_mises);
    }
    start += ef.forces.back().s;
  }
  const char* names[] = {spatial ? "stress_max" : "stress_top", spatial ? "stress_min" : "stress_bottom", "shear",
                         "von_mises"};
  for (size_t c = 0; c < stresses.size(); ++c)
    if (known[c]) numbers(table, names[c], "Pa") = std::move(stresses[c]);
  return table;
}

// Forces that are only what round-off leaves of zero are set to zero.
void drop_round_off(std::vector<ElementForces>& forces, std::vector<Reaction>& reactions, double size) {
  constexpr double kRoundOff = 1e-10;
  double largest = 0;
  for (const ElementForces& ef : forces)
    for (const SectionForces& f : ef.forces) largest = std::max({largest, f.force.norm(), f.moment.norm() / size});
  for (const Reaction& r : reactions) largest = std::max({largest, r.force.norm(), r.moment.norm() / size});
  const auto clean = [&](Vec3& values, double lever) {
    for (double& value : values)
      if (std::abs(value) < kRoundOff * largest * lever) value = 0;
  };
  for (ElementForces& ef : forces)
    for (SectionForces& f : ef.forces) {
      clean(f.force, 1);
      clean(f.moment, size);
    }
  for (Reaction& r : reactions) {
    clean(r.force, 1);
    clean(r.moment, size);
  }
}

// Stresses at the nodes of areas; where areas meet, the larger one is drawn.
void add_sheet_fields(const BodySystem& s, const DrawingGrid& drawing, const SurfaceStress& sheets,
                      std::vector<PointField>& fields) {
  std::vector<const NodeStress*> of_node(s.mesh.nodes.size(), nullptr);
  for (const NodeStress& stress : sheets.nodes) {
    const NodeStress*& kept = of_node[static_cast<size_t>(stress.node)];
    if (kept == nullptr || stress.mises > kept->mises) kept = &stress;
  }
  const Eigen::Index n = drawing.points.cols();
  MatrixX mises = MatrixX::Zero(1, n), larger = mises, smaller = mises;
  for (Eigen::Index p = 0; p < n; ++p) {
    const int node = drawing.places[static_cast<size_t>(p)].node;
    const NodeStress* stress = node < 0 ? nullptr : of_node[static_cast<size_t>(node)];
    if (stress == nullptr) continue;
    mises(0, p) = stress->mises;
    larger(0, p) = stress->principal[0];
    smaller(0, p) = stress->principal[1];
  }
  fields.push_back({"von_mises", "Pa", mises});
  fields.push_back({"principal_1", "Pa", larger});
  fields.push_back({"principal_2", "Pa", smaller});
}

Table make_stress_table(const BodySystem& s, const SurfaceStress& sheets) {
  Table table{s.body->name + "_stresses", "Stresses at the nodes of body `" + s.body->name + "`", {}};
  table.columns.reserve(kMostColumns);
  auto& area = texts(table, "area");
  auto& node = numbers(table, "node", "");
  Components x(table, {"x", "y", "z"}, "m", translations(s));
  const bool has_faces = !sheets.nodes.empty() && sheets.nodes[0].face != NodeStress::Face::middle;
  std::vector<std::string>* face = has_faces ? &texts(table, "face") : nullptr;
  auto &xx = numbers(table, has_faces ? "s11" : "sxx", "Pa"), &yy = numbers(table, has_faces ? "s22" : "syy", "Pa"),
       &xy = numbers(table, has_faces ? "s12" : "sxy", "Pa"), &zz = numbers(table, has_faces ? "s33" : "szz", "Pa"),
       &first = numbers(table, "principal_1", "Pa"), &second = numbers(table, "principal_2", "Pa"),
       &mises = numbers(table, "von_mises", "Pa");
  for (const NodeStress& stress : sheets.nodes) {
    area.push_back(s.body->areas[static_cast<size_t>(stress.area)].name);
    node.push_back(stress.node + 1);
    x.push_back(s.mesh.nodes[static_cast<size_t>(stress.node)].x);
    if (face != nullptr) face->push_back(stress.face == NodeStress::Face::top ? "top" : "bottom");
    xx.push_back(stress.stress[0]);
    yy.push_back(stress.stress[1]);
    xy.push_back(stress.stress[2]);
    zz.push_back(stress.across);
    first.push_back(stress.principal[0]);
    second.push_back(stress.principal[1]);
    mises.push_back(stress.mises);
  }
  return table;
}

// Adds the grid of the body with displacements and stresses; returns the displacements of members' axes and of links.
MatrixX draw(const BodySystem& s, const FactorValues& at, const Solution& solution, const SurfaceStress& sheets,
             Results& results) {
  const DrawingGrid drawing = make_drawing_grid(s);
  std::vector<PointField> fields;
  const VectorX u = drawing.displacement * solution.q;
  const MatrixX field = Eigen::Map<const MatrixX>(u.data(), 3, drawing.points.cols());
  fields.push_back({"displacement", "m", field});
  if (drawing.phi.nonZeros() > 0) fields.push_back({"phi", "", MatrixX((drawing.phi * solution.q).transpose())});
  const auto forces = calc_section_forces(s, at, solution.q, solution.rigid_acceleration, DrawingGrid::kPieces + 1);
  std::vector<const ElementForces*> of_element(s.mesh.elements.size(), nullptr);
  for (const ElementForces& ef : forces) of_element[static_cast<size_t>(ef.element)] = &ef;
  std::vector<std::array<double, DrawingGrid::kPieces + 1>> largest(s.mesh.elements.size());  // von Mises stress
  for (const ElementForces& ef : forces)
    for (size_t k = 0; k < ef.forces.size(); ++k)
      largest[static_cast<size_t>(ef.element)][k] =
          calc_stress(ef.sections[k], ef.forces[k]).largest_mises.value_or(kNone);
  MatrixX normal = MatrixX::Zero(1, drawing.points.cols()), mises = normal;
  for (size_t p = 0; p < drawing.places.size(); ++p) {
    const DrawingGrid::Place& place = drawing.places[p];
    if (place.element < 0) continue;
    const ElementForces& ef = *of_element[static_cast<size_t>(place.element)];
    const auto k = static_cast<size_t>(place.piece);
    const auto column = static_cast<Eigen::Index>(p);
    const SectionProperties& section = ef.sections[k];
    const SectionForces& f = ef.forces[k];
    double stress = f.force[0] / section.A - f.moment[2] * place.s[0] / section.Iz;
    if (section.Iy > 0) stress += f.moment[1] * place.s[1] / section.Iy;
    normal(0, column) = stress;
    mises(0, column) = largest[static_cast<size_t>(place.element)][k];
  }
  if (!forces.empty()) fields.push_back({"normal_stress", "Pa", normal});
  if (mises.allFinite() && !forces.empty()) fields.push_back({"section_von_mises", "Pa", mises});
  if (!sheets.nodes.empty()) add_sheet_fields(s, drawing, sheets, fields);
  results.grids.push_back(make_grid(s, drawing, s.body->name + "_static", std::move(fields),
                                    {{"static", "steady state of " + s.body->name, "displacement"}}));
  return field.leftCols(drawing.n_axis_points);
}

// What a reader should know before he trusts the numbers.
void warn_of_results(const BodySystem& s, const VectorX& q, const Peaks& peaks, const MatrixX& displacement,
                     std::vector<std::string>& warnings) {
  const std::string body = "body `" + s.body->name + "`";
  const double move = displacement.colwise().norm().maxCoeff();
  if (!q.allFinite() || !std::isfinite(move))
    throw NumericalError(body +
                         ": the displacements are not finite: a load, length or stiffness is too large or too small");
  if (!peaks.complete)
    warnings.push_back(
        body +
        ": a general section does not say enough for all stresses (extreme_y, extreme_z, torsion_modulus): "
        "they are left out there");
  constexpr double kSmall = 0.1;
  double turn = 0;
  for (const Node& node : s.mesh.nodes) turn = std::max(turn, components(node.rotations(), q).cwiseAbs().maxCoeff());
  if (move > kSmall * s.mesh.size || turn > 3 * kSmall)
    warnings.push_back(
        fmt::format("{} moves by {:.3g} m and turns by {:.3g} rad, in a size of {:.3g} m: the equations hold "
                    "for small displacements",
                    body, move, turn, s.mesh.size));
}

class StaticAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "static"; }
  std::string_view summary() const override { return "steady displacements, reactions, section forces and stresses"; }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    const StaticRequest request = bodies.front().model->static_.value_or(StaticRequest{});
    Table summary{"static", "Largest values", {}};
    summary.columns.reserve(kMostColumns);
    auto& body = texts(summary, "body");
    auto &displacement = numbers(summary, "displacement", "m"), &N = numbers(summary, "N", "N"),
         &T = numbers(summary, "T", "N"), &M = numbers(summary, "M", "N m"),
         &torque = numbers(summary, "torque", "N m"), &stress = numbers(summary, "stress", "Pa"),
         &mises = numbers(summary, "von_mises", "Pa");
    std::vector<double> errors;  // of the stresses of areas
    std::vector<Table> tables;
    const auto add_body = [&](const BodySystem& s) {
      const FactorValues at = s.calc_factors(request.time);
      const Solution solution = solve_static(s, at, results.warnings);
      constexpr double kWorthSaying = 1e-6;
      if (const double estimate = estimate_round_off(s, solution.q.cast<std::complex<double>>());
          estimate > kWorthSaying)
        results.warnings.push_back(
            fmt::format("body `{}`: the elements are so short that round-off may change displacements, forces and "
                        "reactions by {:.0e} of their values; use fewer elements",
                        s.body->name, estimate));
      auto forces = calc_section_forces(s, at, solution.q, solution.rigid_acceleration, request.stations);
      auto reactions = calc_reactions(s, at, solution.q, solution.rigid_acceleration);
      drop_round_off(forces, reactions, s.mesh.size);
      const SurfaceStress sheets = calc_surface_stress(s, at, solution.q);
      const MatrixX field = draw(s, at, solution, sheets, results);
      Peaks peaks = find_peaks(forces);
      for (const NodeStress& node : sheets.nodes) {
        peaks.normal = std::fmax(peaks.normal, std::max(std::abs(node.principal[0]), std::abs(node.principal[1])));
        peaks.mises = std::fmax(peaks.mises, node.mises);
      }
      warn_of_results(s, solution.q, peaks, field, results.warnings);
      body.push_back(s.body->name);
      displacement.push_back(field.colwise().norm().maxCoeff());
      N.push_back(peaks.N);
      T.push_back(peaks.T);
      M.push_back(peaks.M);
      torque.push_back(peaks.torque);
      stress.push_back(peaks.normal);
      mises.push_back(peaks.mises);
      errors.push_back(sheets.nodes.empty() ? kNone : 100 * sheets.error);
      tables.push_back(make_displacement_table(s, solution.q));
      tables.push_back(make_reaction_table(s, reactions));
      if (const auto springs = calc_spring_forces(s, solution.q); !springs.empty())
        tables.push_back(make_spring_table(s, springs));
      if (!forces.empty()) tables.push_back(make_force_table(s, forces));
      if (!sheets.nodes.empty()) tables.push_back(make_stress_table(s, sheets));
      add_liaison_table(s, request.time, solution.q, VectorX::Zero(solution.q.size()), tables, results.warnings);
    };
    EachBody each;
    for (const BodySystem& s : bodies) each.run([&] { add_body(s); });
    if (body.empty()) each.rethrow();
    if (!std::all_of(errors.begin(), errors.end(), [](double e) { return std::isnan(e); }))
      numbers(summary, "stress_error", "%") = errors;
    results.tables.push_back(std::move(summary));
    std::move(tables.begin(), tables.end(), std::back_inserter(results.tables));
    each.rethrow();
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_static_analysis() { return std::make_unique<StaticAnalysis>(); }

}  // namespace elodyn
