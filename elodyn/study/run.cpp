#include "elodyn/study/run.hpp"

#include <cmath>

#include <fmt/format.h>

#include "elodyn/analysis/analysis.hpp"
#include "elodyn/analysis/reduction.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/base/stopwatch.hpp"
#include "elodyn/study/correlate.hpp"
#include "elodyn/study/elastic_links.hpp"
#include "elodyn/study/identify.hpp"
#include "elodyn/study/linkage.hpp"
#include "elodyn/study/mechanism.hpp"
#include "elodyn/study/modal.hpp"
#include "elodyn/study/spectra.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {
namespace {

// Two triangles to a piece of an area count as one.
double count_elements(const Body& body) {
  double count = 0;
  for (const Member& member : body.members) count += member.elements.value;
  for (const Area& area : body.areas)
    count += static_cast<double>(area.elements.size()) + static_cast<double>(area.nx.value) * area.ny.value;
  return count;
}

// Those of a mechanism take all bodies as the model has them, the others those that have a mesh.
void run_one(const Model& model, const std::vector<BodySystem>& bodies, const std::string& name, Results& results) {
  if (name == "mechanism") return add_mechanism(model, results);
  if (name == "linkage") return add_linkage(model, results);
  if (name == "identify") return add_identify(model, results);
  if (name == "spectra") return static_cast<void>(add_spectra(model, results));
  if (name == "modal") return static_cast<void>(add_modal(model, results));
  if (name == "correlate") return add_correlate(model, results);
  const Analysis* analysis = analyses().find(name);
  ELODYN_REQUIRE(analysis != nullptr);
  analysis->run(bodies, results);
}

// None needs another's results: one that fails leaves the rest as it is. Of several, a failure says whose it is.
void run_analyses(const Model& model, const std::vector<BodySystem>& bodies, const std::vector<std::string>& names,
                  Results& results) {
  results.outcome.status = "ok";
  for (const std::string& name : names) {
    throw_if_interrupted();
    const Stopwatch watch;
    try {
      run_one(model, bodies, name, results);
    } catch (const NumericalError& error) {
      results.outcome.fail((names.size() > 1 ? name + ": " : "") + error.what());
    }
    results.timings[name] = watch.seconds();
  }
}

// With the motion of its mechanism and the forces of its joints for each elastic link; else the model itself.
Model set_links_in_motion(const Model& model, Results& results) {
  if (!has_elastic_links(model)) return model;
  const Stopwatch watch;
  ElasticLinks links = make_elastic_links(model);
  results.timings["rigid_stage"] = watch.seconds();
  results.warnings.insert(results.warnings.end(), links.warnings.begin(), links.warnings.end());
  return std::move(links.model);
}

// Model → bodies → analyses; numerical trouble becomes the outcome.
Results run(const Model& model, const std::vector<std::string>& names) {
  Results results;
  results.title = model.title;
  try {
    const Stopwatch assembly;
    const bool needs_meshes = std::any_of(names.begin(), names.end(), [](const std::string& name) {
      return name != "mechanism" && name != "linkage" && name != "identify" && name != "spectra" && name != "modal" &&
             name != "correlate";
    });
    const Model moving = needs_meshes ? set_links_in_motion(model, results) : model;
    std::vector<BodySystem> bodies;
    for (const Body& body : moving.bodies) {
      if (body.is_rigid() || !needs_meshes) continue;
      const Stage stage("assembling", count_elements(body));
      bodies.push_back(make_body_system(moving, body));
    }
    results.timings["assembly"] = assembly.seconds();
    run_analyses(model, bodies, names, results);
  } catch (const NumericalError& error) {
    results.outcome.fail(error.what());
  } catch (const Interrupted&) {
    results.outcome.interrupt(!results.is_empty());
  }
  return results;
}

// The k-th mode of each label, so that a mode is compared with itself when others overtake it on a finer mesh.
const Mode* find_mode(const std::vector<Mode>& modes, const Mode& like, int rank) {
  for (const Mode& mode : modes)
    if (mode.label == like.label && mode.body == like.body && rank-- == 0) return &mode;
  return nullptr;
}

// From three meshes, each twice as fine as the one before: differences fall by 2^p. None below round-off.
double observed_order(double coarse, double middle, double fine, double round_off) {
  const double d1 = std::abs(coarse - middle), d2 = std::abs(middle - fine);
  return d2 > round_off && d1 > d2 ? std::log2(d1 / d2) : std::nan("");
}

}  // namespace

Results run_modes(const Model& model) { return run(model, {"modes"}); }
Results run_static(const Model& model) { return run(model, {"static"}); }
Results run_buckling(const Model& model) { return run(model, {"buckling"}); }

Results run_analysis(const Model& model, const std::string& name) {
  const std::vector<std::string> requested = model.requested();
  ELODYN_REQUIRE(std::find(requested.begin(), requested.end(), name) != requested.end());
  return run(model, {name});
}

Results run_all(const Model& model) {
  std::vector<std::string> names = model.requested();
  std::erase(names, "stability");
  std::erase(names, "measure");  // whose records are files
  return run(model, names);
}

static void refine(Body& body) {
  for (Member& member : body.members) member.elements.value *= 2;
  for (Area& area : body.areas) {
    area.nx.value *= 2;
    area.ny.value *= 2;
  }
}

// For a plot: the relative change of each frequency from a mesh to the next finer one, by the size of its elements.
static Table make_difference_table(const std::vector<Mode>& modes, const std::vector<std::vector<double>>& hz) {
  std::vector<double> number, size, difference;
  std::vector<std::string> label;
  for (size_t l = 0; l + 1 < hz.size(); ++l)
    for (size_t k = 0; k < modes.size(); ++k) {
      const double change = std::abs(hz[l][k] - hz[l + 1][k]) / hz.back()[k];
      if (!(change > 0)) continue;  // rigid modes, and what has no finer neighbour
      number.push_back(modes[k].number);
      label.push_back(modes[k].label);
      size.push_back(std::exp2(-static_cast<double>(l)));
      difference.push_back(change);
    }
  return {"converge_errors",
          "Change of each frequency from a mesh to the next finer one, by the size of the elements",
          {{"mode", "", number},
           {"label", "", label},
           {"size", "of the file's", size},
           {"difference", "relative", difference}},
          true};
}

Results run_converge(const Model& model, const ConvergeOptions& options) {
  ELODYN_REQUIRE(options.levels >= 2);
  const Stopwatch watch;
  Results results;
  results.title = model.title;
  for (const Body& body : model.bodies)
    if (body.mesh) {
      results.outcome = {"failed", "body `" + body.name +
                                       "`: a mesh that was read from a file is not refined; make finer "
                                       "ones where it comes from, and compare their modes"};
      return results;
    }
  std::vector<Results> levels;
  Model refined = model;
  for (int level = 0; level < options.levels; ++level) {
    if (level > 0)
      for (Body& body : refined.bodies) refine(body);
    levels.push_back(run_modes(refined));
    if (!levels.back().outcome.ok()) {
      const Outcome& of_level = levels.back().outcome;
      if (of_level.status == "interrupted")
        results.outcome.interrupt(level > 0);
      else
        results.outcome = {
            of_level.status,
            of_level.message + fmt::format(" (on the mesh refined {} times; ask for fewer levels)", level)};
      levels.pop_back();
      break;
    }
    for (const std::string& warning : levels.back().warnings)
      if (std::find(results.warnings.begin(), results.warnings.end(), warning) == results.warnings.end())
        results.warnings.push_back(warning);
  }
  if (levels.empty()) return results;

  Table table{"converge", "Frequencies on refined meshes", {}};
  const std::vector<Mode>& first = levels.front().modes;
  std::vector<double> numbers, orders, errors;
  std::vector<std::string> bodies, labels;
  std::vector<std::vector<double>> hz(levels.size());
  for (size_t k = 0; k < first.size(); ++k) {
    const Mode& mode = first[k];
    int rank = 0;
    for (size_t i = 0; i < k; ++i) rank += first[i].label == mode.label && first[i].body == mode.body ? 1 : 0;
    numbers.push_back(mode.number);
    bodies.push_back(mode.body);
    labels.push_back(mode.label);
    std::vector<double> f;
    for (size_t l = 0; l < levels.size(); ++l) {
      const Mode* same = find_mode(levels[l].modes, mode, rank);
      f.push_back(same ? same->omega / (2 * M_PI) : std::nan(""));
      hz[l].push_back(f.back());
    }
    // The finest three meshes whose differences stand clear of round-off.
    double order = std::nan(""), error = std::nan("");
    bool is_clear = false;  // the last three meshes: their differences still fall as the order says
    for (size_t l = 2; l < f.size(); ++l) {
      const double clear = 1e-9 * std::abs(f[l]);
      const double p = observed_order(f[l - 2], f[l - 1], f[l], clear);
      if (!std::isnan(p)) order = p;
      is_clear = !std::isnan(p);
    }
    if (f.size() >= 2 && !std::isnan(order))
      error = std::abs(f[f.size() - 2] - f.back()) / (is_clear ? std::exp2(order) - 1 : 1) / f.back();
    constexpr double kRoundOff = 1e-10;  // below, an estimate from differences says nothing
    orders.push_back(std::round(100 * order) / 100);
    errors.push_back(error < kRoundOff ? kRoundOff : error);
  }
  table.columns.push_back({"mode", "", numbers});
  table.columns.push_back({"body", "", bodies});
  table.columns.push_back({"label", "", labels});
  for (size_t l = 0; l < levels.size(); ++l) table.columns.push_back({fmt::format("mesh_x{}", 1 << l), "Hz", hz[l]});
  table.columns.push_back({"observed_order", "", orders});
  table.columns.push_back({"error_estimate", "relative", errors});
  results.tables.push_back(std::move(table));
  if (Table steps = make_difference_table(first, hz); steps.n_rows() > 0) results.tables.push_back(std::move(steps));
  if (results.outcome.status == "not run") results.outcome.status = "ok";
  results.timings["converge"] = watch.seconds();
  return results;
}

namespace {

std::string describe_factor(const Factor& f) {
  switch (f.kind) {
    case Factor::Kind::one:
      return "constant";
    case Factor::Kind::w:
      return "times the angular velocity w";
    case Factor::Kind::e:
      return "times the angular acceleration e";
    case Factor::Kind::ww:
      return "times w squared";
    case Factor::Kind::a:
      return "times the acceleration a of the frame";
    case Factor::Kind::load:
      return f.i == 0 ? "constant" : "times a factor of the time";
  }
  return "";
}

std::string describe_term(TermKind kind) {
  switch (kind) {
    case TermKind::mass:
      return "mass";
    case TermKind::damping:
      return "damping";
    case TermKind::elastic:
      return "elastic stiffness";
    case TermKind::coriolis:
      return "Coriolis matrix G, skew; stands in the equation with the factor 2";
    case TermKind::euler:
      return "Euler stiffness";
    case TermKind::centrifugal_stiffness:
      return "centrifugal stiffness";
    case TermKind::circulatory:
      return "dashpots to the ground, which see the frame turn";
    case TermKind::geometric:
      return "geometric stiffness";
    case TermKind::centrifugal_load:
      return "centrifugal load, on the right-hand side with a minus";
    case TermKind::euler_load:
      return "Euler load, on the right-hand side with a minus";
    case TermKind::origin_load:
      return "load of the frame's acceleration, on the right-hand side with a minus";
    case TermKind::applied_load:
      return "applied load, on the right-hand side";
  }
  return "";
}

Table make_dof_table(const BodySystem& s) {
  std::vector<double> number, node, x, y, z, held;
  std::vector<std::string> kind, unit;
  for (int i = 0; i < s.mesh.n_dofs(); ++i) {
    const Dof& dof = s.mesh.dofs[static_cast<size_t>(i)];
    // An internal dof is listed at the first node of its element.
    const int at = dof.node >= 0 ? dof.node : s.mesh.elements[static_cast<size_t>(dof.element)].nodes[0];
    const Vec3& place = s.mesh.nodes[static_cast<size_t>(at)].x;
    number.push_back(i + 1);
    node.push_back(dof.node + 1);  // 0: internal
    kind.emplace_back(to_string(dof.kind));
    unit.emplace_back(unit_of(dof.kind));
    x.push_back(place[0]);
    y.push_back(place[1]);
    z.push_back(place[2]);
    held.push_back(s.constraints.is_held(i) ? 1 : 0);
  }
  return {s.body->name + "_dofs",
          "Degrees of freedom of body `" + s.body->name + "`",
          {{"dof", "", number},
           {"node", "", node},
           {"kind", "", kind},
           {"unit", "", unit},
           {"x", "m", x},
           {"y", "m", y},
           {"z", "m", z},
           {"held", "", held}}};
}

void add_terms(const std::string& prefix, int dimension, const AffineEquation& equation, MatrixExport& out) {
  for (const MatrixTerm& term : equation.matrices) {
    // The turning of sections gives the Euler stiffness a symmetric part in space.
    const bool skew = term.kind == TermKind::coriolis || (term.kind == TermKind::euler && dimension == 2);
    const bool neither = !skew && (term.kind == TermKind::euler || term.kind == TermKind::circulatory);
    out.matrices.push_back({prefix + "_" + term.name, describe_term(term.kind) + "; " + describe_factor(term.factor),
                            equation.pattern->to_matrix(term.values),
                            skew      ? NamedMatrix::Symmetry::skew
                            : neither ? NamedMatrix::Symmetry::general
                                      : NamedMatrix::Symmetry::symmetric});
  }
  for (const LoadTerm& load : equation.loads)
    out.matrices.push_back({prefix + "_" + load.name, describe_term(load.kind) + "; " + describe_factor(load.factor),
                            SparseMatrix(load.values.sparseView()), NamedMatrix::Symmetry::general});
}

// The coordinates y of a reduced body: those of its interface, then modes.
Table make_coordinate_table(const BodySystem& s, const CraigBampton& reduction) {
  std::vector<double> number, node, hz;
  std::vector<std::string> kind, point, unit;
  for (int k = 0; k < reduction.size(); ++k) {
    number.push_back(k + 1);
    if (k < reduction.n_interface()) {
      const Dof& dof =
          s.mesh.dofs[static_cast<size_t>(s.constraints.full_of_reduced(reduction.interface[static_cast<size_t>(k)]))];
      node.push_back(dof.node + 1);
      point.push_back(dof.node >= 0 ? s.mesh.nodes[static_cast<size_t>(dof.node)].point : "");
      kind.emplace_back(to_string(dof.kind));
      unit.emplace_back(unit_of(dof.kind));
      hz.push_back(std::nan(""));
    } else {
      node.push_back(std::nan(""));
      point.emplace_back("");
      kind.emplace_back("mode");
      unit.emplace_back("kg^0.5 m");
      hz.push_back(std::sqrt(std::max(0.0, reduction.squares[k - reduction.n_interface()])) / (2 * M_PI));
    }
  }
  return {s.body->name + "_reduced_coordinates",
          "Coordinates of the reduced body `" + s.body->name + "`",
          {{"coordinate", "", number},
           {"kind", "", kind},
           {"point", "", point},
           {"node", "", node},
           {"unit", "", unit},
           {"frequency", "Hz", hz}}};
}

}  // namespace

MatrixExport calc_reduced_matrices(const Model& given) {
  const Model model = make_elastic_bodies(given);
  ELODYN_REQUIRE(model.reduction.has_value());
  const ReductionRequest& request = *model.reduction;
  MatrixExport out;
  for (const Body& body : model.bodies) {
    if (!request.body.value.empty() && request.body.value != body.name) continue;
    const BodySystem s = make_body_system(model, body);
    const CraigBampton reduction = reduce_as_asked(s, request);
    const std::string prefix = body.name + "_reduced";
    add_terms(prefix, body.dimension, reduction.equation, out);
    if (!reduction.modal.empty()) {
      const MatrixX D =
          reduction.modal.M_phi * reduction.modal.weights.asDiagonal() * reduction.modal.M_phi.transpose();
      out.matrices.push_back({prefix + "_D_modal", "modal damping; constant, besides D",
                              SparseMatrix((0.5 * (D + D.transpose())).eval().sparseView()),
                              NamedMatrix::Symmetry::symmetric});
    }
    out.matrices.push_back({prefix + "_V", "all coordinates of the body: q = V y",
                            SparseMatrix(MatrixX(s.constraints.T() * reduction.V).sparseView()),
                            NamedMatrix::Symmetry::general});
    out.dofs.push_back(make_coordinate_table(s, reduction));
    out.dofs.push_back(make_dof_table(s));
    break;
  }
  return out;
}

MatrixExport calc_matrices(const Model& given) {
  const Model model = make_elastic_bodies(given);
  MatrixExport out;
  for (const Body& body : model.bodies) {
    const BodySystem s = make_body_system(model, body);
    add_terms(body.name, body.dimension, s.full, out);
    out.matrices.push_back({body.name + "_T", "supports: q = T z with the free coordinates z", s.constraints.T(),
                            NamedMatrix::Symmetry::general});
    out.dofs.push_back(make_dof_table(s));
  }
  return out;
}

}  // namespace elodyn
