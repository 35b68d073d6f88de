// Steady state in the moving frame:  (K + Σ e E + Σ ww S + Kg) q = f − Σ a A − Σ e B − Σ ww H,
// then reactions, section forces by equilibrium of each element, and stresses
//   σ(y) = N/A − M y/Iz  at the extreme fibres y = ±c.                                               (1)
// Limits: small displacements; a motion that changes with time is frozen at one instant.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/system/recovery.hpp"

namespace elodyn {
namespace {

struct Solution {
  VectorX q;
  Vec3 rigid_acceleration = Vec3::Zero();
};

Solution solve_static(const BodySystem& s, const FactorValues& at, std::vector<std::string>& warnings) {
  const SparseMatrix K = s.reduced.calc_stiffness(at);
  const VectorX f = s.reduced.calc_load(at);
  Solution solution;
  if (s.rigid.cols() > 0 && is_null(K, s.rigid)) {
    const StaticSolver solver(s, K);
    solution.q = s.constraints.expand(solver.solve(f));
    solution.rigid_acceleration = s.rigid_twist * solver.calc_relief(f);
    warnings.push_back(fmt::format(
        "body `{}` is free to move: its loads are balanced by a rigid acceleration "
        "({:.6g}, {:.6g}) m/s² of its origin and {:.6g} rad/s²; displacements are relative",
        s.body->name, solution.rigid_acceleration[0], solution.rigid_acceleration[1], solution.rigid_acceleration[2]));
    return solution;
  }
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

Table make_displacement_table(const BodySystem& s, const VectorX& q) {
  Table table{s.body->name + "_displacements", "Displacements of body `" + s.body->name + "`", {}};
  table.columns.reserve(7);  // references into the columns stay valid
  auto& node = numbers(table, "node", "");
  auto& point = texts(table, "point");
  auto &x = numbers(table, "x", "m"), &y = numbers(table, "y", "m"), &u = numbers(table, "u", "m"),
       &v = numbers(table, "v", "m"), &rz = numbers(table, "rz", "rad");
  for (size_t i = 0; i < s.mesh.nodes.size(); ++i) {
    const Node& n = s.mesh.nodes[i];
    node.push_back(static_cast<double>(i + 1));
    point.push_back(n.point);
    x.push_back(n.x[0]);
    y.push_back(n.x[1]);
    u.push_back(q[n.dofs.at(DofKind::u)]);
    v.push_back(q[n.dofs.at(DofKind::v)]);
    rz.push_back(q[n.dofs.at(DofKind::rz)]);
  }
  return table;
}

Table make_reaction_table(const BodySystem& s, const std::vector<Reaction>& reactions) {
  Table table{s.body->name + "_reactions", "What the supports do to body `" + s.body->name + "`", {}};
  table.columns.reserve(5);
  auto &point = texts(table, "point"), &kind = texts(table, "kind");
  auto &fx = numbers(table, "Fx", "N"), &fy = numbers(table, "Fy", "N"), &mz = numbers(table, "Mz", "N m");
  for (const Reaction& r : reactions) {
    point.push_back(r.point);
    kind.push_back(r.kind);
    fx.push_back(r.force[0]);
    fy.push_back(r.force[1]);
    mz.push_back(r.moment);
  }
  return table;
}

// Bending stress needs the section's extreme fibre; without it those columns are left out.
Table make_force_table(const BodySystem& s, const std::vector<ElementForces>& forces) {
  const bool stressed =
      std::all_of(forces.begin(), forces.end(), [](const ElementForces& f) { return f.section.extreme_y.has_value(); });
  Table table{s.body->name + "_forces", "Section forces along body `" + s.body->name + "`", {}};
  table.columns.reserve(8);
  auto& member = texts(table, "member");
  auto& element = numbers(table, "element", "");
  auto &at = numbers(table, "s", "m"), &N = numbers(table, "N", "N"), &T = numbers(table, "T", "N"),
       &M = numbers(table, "M", "N m");
  std::vector<double>*top = nullptr, *bottom = nullptr;
  if (stressed) {
    top = &numbers(table, "stress_top", "Pa");
    bottom = &numbers(table, "stress_bottom", "Pa");
  }
  double start = 0;
  int current = -1;
  for (const ElementForces& ef : forces) {
    const ElementSpec& spec = s.mesh.elements[static_cast<size_t>(ef.element)];
    if (spec.member != current) {
      current = spec.member;
      start = 0;
    }
    for (const SectionForces& f : ef.forces) {
      member.push_back(s.body->members[static_cast<size_t>(spec.member)].name);
      element.push_back(ef.element + 1);
      at.push_back(start + f.s);
      N.push_back(f.N);
      T.push_back(f.T);
      M.push_back(f.M);
      if (!stressed) continue;
      const double axial = f.N / ef.section.A, bending = f.M * *ef.section.extreme_y / ef.section.Iz;
      top->push_back(axial - bending);
      bottom->push_back(axial + bending);
    }
    start += ef.forces.back().s;
  }
  return table;
}

// Forces that are only what round-off leaves of zero are set to zero.
void drop_round_off(std::vector<ElementForces>& forces, std::vector<Reaction>& reactions, double size) {
  constexpr double kRoundOff = 1e-10;
  double largest = 0;
  for (const ElementForces& ef : forces)
    for (const SectionForces& f : ef.forces)
      largest = std::max({largest, std::abs(f.N), std::abs(f.T), std::abs(f.M) / size});
  for (const Reaction& r : reactions) largest = std::max({largest, r.force.norm(), std::abs(r.moment) / size});
  const auto clean = [&](double& value, double lever) {
    if (std::abs(value) < kRoundOff * largest * lever) value = 0;
  };
  for (ElementForces& ef : forces)
    for (SectionForces& f : ef.forces) {
      clean(f.N, 1);
      clean(f.T, 1);
      clean(f.M, size);
    }
  for (Reaction& r : reactions) {
    for (double& component : r.force) clean(component, 1);
    clean(r.moment, size);
  }
}

double largest_of(const Table& table, const std::string& column) {
  for (const Column& c : table.columns)
    if (c.name == column) {
      double largest = 0;
      for (const double v : std::get<std::vector<double>>(c.values)) largest = std::max(largest, std::abs(v));
      return largest;
    }
  return std::nan("");
}

class StaticAnalysis final : public Analysis {
 public:
  std::string_view name() const override { return "static"; }
  std::string_view summary() const override { return "steady displacements, reactions, section forces and stresses"; }

  void run(const std::vector<BodySystem>& bodies, Results& results) const override {
    const StaticRequest request = bodies.front().model->static_.value_or(StaticRequest{});
    Table summary{"static", "Largest values", {}};
    summary.columns.reserve(6);
    auto& body = texts(summary, "body");
    auto &displacement = numbers(summary, "displacement", "m"), &N = numbers(summary, "N", "N"),
         &T = numbers(summary, "T", "N"), &M = numbers(summary, "M", "N m"), &stress = numbers(summary, "stress", "Pa");
    std::vector<Table> tables;
    for (const BodySystem& s : bodies) {
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
      const DrawingGrid drawing = make_drawing_grid(s);
      const VectorX u = drawing.displacement * solution.q;
      const MatrixX field = Eigen::Map<const MatrixX>(u.data(), 3, drawing.points.cols());
      results.grids.push_back(
          {s.body->name + "_static", drawing.points, drawing.lines, {{"displacement", "m", field}}});
      Table force_table = make_force_table(s, forces);
      body.push_back(s.body->name);
      displacement.push_back(field.colwise().norm().maxCoeff());
      N.push_back(largest_of(force_table, "N"));
      T.push_back(largest_of(force_table, "T"));
      M.push_back(largest_of(force_table, "M"));
      stress.push_back(std::fmax(largest_of(force_table, "stress_top"), largest_of(force_table, "stress_bottom")));
      tables.push_back(make_displacement_table(s, solution.q));
      tables.push_back(make_reaction_table(s, reactions));
      tables.push_back(std::move(force_table));
    }
    results.tables.push_back(std::move(summary));
    std::move(tables.begin(), tables.end(), std::back_inserter(results.tables));
  }
};

}  // namespace

std::unique_ptr<const Analysis> make_static_analysis() { return std::make_unique<StaticAnalysis>(); }

}  // namespace elodyn
