// The terms of a mesh of many beams, all of different length and direction: by every formalism through the library, and
// by a loop over closed forms of the plane beam written by hand (closed_form.hpp), on one and on two threads.
//   derive_bench [ELEMENTS [ROUNDS [FORMALISM [plane]]]]   100000 elements, best of 5 rounds, `all` formalisms
//   derive_bench --one FORMALISM          seconds that one plane element takes: numbers, then symbols
// All in one run, so that the ratios mean something; before anything is timed, the results are compared. Exit code 1 if
// they differ.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <thread>

#include "bench/closed_form.hpp"
#include "bench/timing.hpp"

#include "elodyn/base/parallel.hpp"
#include "elodyn/element/registry.hpp"
#include "elodyn/element/symbolic_element.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/laws.hpp"
#include "elodyn/system/derive_elements.hpp"

namespace elodyn::bench {
namespace {

constexpr int kLoadEvery = 100;

// A chain that wanders, each element a member of its own; every hundredth has a load of its own.
struct Chain {
  Model model;
  BodySystem system;
  Numbering numbering;
  std::shared_ptr<const SparsePattern> pattern;

  Chain(int n, int dimension, int n_axes) {
    Material steel;
    steel.name = "steel";
    steel.young = 210e9;
    steel.poisson = 0.3;
    steel.density = 7850;
    steel.expansion = 1.2e-5;
    model.materials = {steel};
    Section flat;
    flat.name = "flat";
    flat.shape = Section::Shape::rectangle;
    flat.width = 0.02;
    flat.height = 0.03;
    model.sections = {flat};
    Body body;
    body.name = "chain";
    body.element.value = "beam_rayleigh";
    body.dimension = dimension;
    body.material.value = "steel";
    body.section.value = "flat";
    std::mt19937 random(1);
    std::uniform_real_distribution<double> turn(-1, 1), length(0.1, 0.3);
    Mesh& mesh = system.mesh;
    const std::vector<DofKind> kinds =
        dimension == 2 ? std::vector{DofKind::u, DofKind::v, DofKind::rz}
                       : std::vector{DofKind::u, DofKind::v, DofKind::w, DofKind::rx, DofKind::ry, DofKind::rz};
    Vec3 x = Vec3::Zero();
    for (int i = 0; i <= n; ++i) {
      Node node;
      node.x = x;
      for (const DofKind kind : kinds) {
        node.dofs[kind] = mesh.n_dofs();
        mesh.dofs.push_back({kind, i, -1});
      }
      mesh.nodes.push_back(std::move(node));
      const Vec3 step(1, turn(random), dimension == 3 ? turn(random) : 0);
      x += length(random) * step.normalized();
    }
    for (int i = 0; i < n; ++i) {
      Member member;
      member.name = "m" + std::to_string(i);
      body.members.push_back(member);
      if (i % kLoadEvery == 0) {
        Load load;
        load.on = Located<std::string>{};
        load.on->value = member.name;
        load.force_per_length = {turn(random), turn(random), dimension == 3 ? turn(random) : 0};
        load.temperature = turn(random);
        body.loads.push_back(load);
      }
      ElementSpec spec;
      spec.kind = "beam_rayleigh";
      spec.nodes = {i, i + 1};
      for (const int node : spec.nodes)
        for (const DofKind kind : kinds) spec.dofs.push_back(mesh.nodes[static_cast<size_t>(node)].dofs.at(kind));
      spec.member = i;
      mesh.elements.push_back(std::move(spec));
    }
    model.bodies = {body};
    system.model = &model;
    system.body = &model.bodies[0];
    system.basis.axes = {Vec3::UnitZ(), Vec3::UnitX(), Vec3::UnitY()};
    system.basis.axes.resize(static_cast<size_t>(n_axes));
    system.basis.accelerations = {Vec3::UnitX(), Vec3::UnitY()};
    if (dimension == 3) system.basis.accelerations.push_back(Vec3::UnitZ());
    numbering = number_by_index(mesh);
    pattern = make_pattern(mesh, numbering);
  }
  int n_elements() const { return static_cast<int>(system.mesh.elements.size()); }
};

PlaneBeam make_beam(const Chain& chain, size_t e, const Material& material, const SectionProperties& section) {
  const Vec3 &a = chain.system.mesh.nodes[e].x, &b = chain.system.mesh.nodes[e + 1].x;
  const double dx = b[0] - a[0], dy = b[1] - a[1], L = std::sqrt(dx * dx + dy * dy);
  return {a[0],
          a[1],
          dx / L,
          dy / L,
          L,
          material.density * section.A,
          material.density * section.Iz,
          material.young * section.A,
          material.young * section.Iz,
          material.expansion};
}

// The compiler must form what is not summed up, too.
void benchmark_keep(const PlaneMatrices& m) { asm volatile("" : : "r"(&m) : "memory"); }

// The hand-written loop: M, K, G, E, S and the loads of all elements, summed into terms on the same pattern.
AffineEquation sum_closed_forms(const Chain& chain, int threads) {
  AffineEquation equation;
  equation.pattern = chain.pattern;
  for (const char* name : {"M", "D", "K", "G_z", "E_z", "S_zz"})
    equation.matrices.push_back({name, TermKind::mass, {}, 1, make_zeros(chain.pattern->n_nonzeros())});
  for (const char* name : {"B_z", "H_zz", "A_x", "A_y", "f"})
    equation.loads.push_back({name, TermKind::applied_load, {}, 1, make_zeros(chain.pattern->size())});
  const Material& material = chain.model.materials[0];
  const SectionProperties section = calc_properties(chain.model.sections[0], material.poisson);
  const auto add_element = [&](size_t e, std::vector<int>& places) {
    PlaneMatrices m;
    calc_closed_form(make_beam(chain, e, material, section), m);
    const std::vector<int>& dofs = chain.numbering.elements[e];
    chain.pattern->find_block(dofs, places);
    const auto add = [&](size_t term, const Block& block) {
      double* values = equation.matrices[term].values.data();
      for (size_t k = 0; k < 36; ++k) values[places[k]] += block[k];
    };
    const auto add_load = [&](size_t term, const std::array<double, 6>& block) {
      double* values = equation.loads[term].values.data();
      for (size_t k = 0; k < 6; ++k) values[dofs[k]] += block[k];
    };
    add(0, m.M);
    add(2, m.K);
    add(3, m.G);
    add(4, m.G);
    add(5, m.S);
    add_load(0, m.B);
    add_load(1, m.H);
    add_load(2, m.A_x);
    add_load(3, m.A_y);
    if (e % kLoadEvery == 0) {
      const Load& load = chain.system.body->loads[e / kLoadEvery];
      const double p[9] = {load.force_per_length[0],  load.force_per_length[1],  load.force_per_length[2],
                           load.moment_per_length[0], load.moment_per_length[1], load.moment_per_length[2],
                           load.temperature,          load.gradient_y,           load.gradient_z};
      std::array<double, 6> f{};
      for (size_t j = 0; j < 9; ++j)
        for (size_t i = 0; i < 6; ++i) f[i] += m.load[6 * j + i] * p[j];
      add_load(4, f);
    }
    benchmark_keep(m);
  };
  // Each thread a piece of the chain; the first element of a piece shares a node with the piece before and comes last.
  const size_t n = chain.system.mesh.elements.size();
  const auto first_of = [&](int piece) { return n * static_cast<size_t>(piece) / static_cast<size_t>(threads); };
  parallel_for(threads, threads, [&](int piece) {
    std::vector<int> places;
    for (size_t e = first_of(piece) + (piece > 0 ? 1 : 0); e < first_of(piece + 1); ++e) add_element(e, places);
  });
  std::vector<int> places;
  for (int piece = 1; piece < threads; ++piece) add_element(first_of(piece), places);
  return equation;
}

// Largest difference of a term over the largest value of that term.
double compare(const AffineEquation& a, const AffineEquation& b) {
  double worst = 0;
  const auto see = [&](const std::string& name, const VectorX& x, const VectorX& y) {
    const double scale = y.cwiseAbs().maxCoeff(), difference = (x - y).cwiseAbs().maxCoeff();
    const double error = scale > 0 ? difference / scale : difference;
    if (!(error <= 1e-12)) std::printf("  %s differs by %.2e\n", name.c_str(), error);
    if (!(error <= worst)) worst = error;
  };
  for (const MatrixTerm& term : a.matrices) see(term.name, term.values, b.find(term.name)->values);
  for (const LoadTerm& load : a.loads)
    for (const LoadTerm& other : b.loads)
      if (other.name == load.name) see(load.name, load.values, other.values);
  return worst;
}

bool same_bits(const AffineEquation& a, const AffineEquation& b) {
  bool same = true;
  for (size_t k = 0; k < a.matrices.size(); ++k) same = same && a.matrices[k].values == b.matrices[k].values;
  for (size_t k = 0; k < a.loads.size(); ++k) same = same && a.loads[k].values == b.loads[k].values;
  return same;
}

struct Row {
  std::string name;
  std::function<AffineEquation(int)> run;  // on so many threads
  double best[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
};

// Γ and the member loads are not among the summed terms: element by element.
double compare_elements(const Chain& chain) {
  const ElementSource source(chain.system);
  const Material& material = chain.model.materials[0];
  const SectionProperties section = calc_properties(chain.model.sections[0], material.poisson);
  GroupDerivation derivation(source);
  ElementTerms t;
  PlaneMatrices m;
  double worst = 0;
  for (const ElementGroup& group : source.groups()) {
    derivation.derive(group);
    for (int lane = 0; lane < group.count; ++lane) {
      derivation.get_terms(lane, t);
      calc_closed_form(make_beam(chain, group.first + static_cast<size_t>(lane), material, section), m);
      for (size_t j = 0; j < 3; ++j) {
        const Eigen::Map<const MatrixX> Gamma(m.Gamma[j].data(), 6, 6);
        worst = std::max(worst, (t.Gamma[j] - Gamma).cwiseAbs().maxCoeff() / Gamma.cwiseAbs().maxCoeff());
      }
      const Eigen::Map<const MatrixX> load(m.load.data(), 6, 9);
      worst = std::max(worst, (t.member_load - load).cwiseAbs().maxCoeff() / load.cwiseAbs().maxCoeff());
    }
    if (group.first > 1000) break;
  }
  return worst;
}

int measure(int n, int rounds, const std::string& only, int dimension, int n_axes) {
  Chain chain(n, dimension, n_axes);
  std::vector<Row> rows;
  if (dimension == 2)
    rows.push_back({"closed form by hand", [&](int threads) { return sum_closed_forms(chain, threads); }});
  for (const Formalism* formalism : formalisms().list())
    if (only == "all" || only == formalism->name())
      rows.push_back({std::string(formalism->name()), [&chain, formalism](int) {
                        chain.model.formalism.value = formalism->name();
                        return add_up(chain.system, chain.numbering, chain.pattern);
                      }});
  int failed = 0;
  {
    set_threads(1);
    const AffineEquation want = rows[0].run(1);
    for (Row& row : rows) {
      set_threads(1);
      const AffineEquation one = row.run(1);
      set_threads(2);
      const AffineEquation two = row.run(2);
      const double error = compare(want, one);
      if (!(error <= 1e-12)) {
        std::printf("%s differs from %s by %.1e\n", row.name.c_str(), rows[0].name.c_str(), error);
        failed = 1;
      }
      if (&row != &rows[0] && !same_bits(one, two)) {
        std::printf("%s has other digits on two threads\n", row.name.c_str());
        failed = 1;
      }
    }
    if (dimension == 2)
      if (const double error = compare_elements(chain); !(error <= 1e-12)) {
        std::printf("moment matrices or member loads differ by %.1e\n", error);
        failed = 1;
      }
  }
  for (int round = 0; round < rounds; ++round)
    for (Row& row : rows)
      for (int threads = 1; threads <= 2; ++threads) {
        set_threads(threads);
        row.best[threads - 1] = std::min(row.best[threads - 1], seconds([&] { row.run(threads); }));
      }
  set_threads(0);
  std::fflush(stdout);
  std::printf("\n%d Rayleigh beams, cubic, all different, %s, %d ax%cs: terms compared, %s\n", n,
              dimension == 2 ? "plane" : "space", n_axes, n_axes == 1 ? 'i' : 'e',
              failed == 0 ? "agree to 1e-12" : "THEY DIFFER");
  std::printf("%-22s %14s %14s %16s %9s\n", "", "1 thread", "2 threads", "ratio to first", "speed-up");
  for (const Row& row : rows)
    std::printf("%-22s %9.0f ns/el %8.0f ns/el %7.2f %8.2f %8.2fx\n", row.name.c_str(), row.best[0] * 1e9 / n,
                row.best[1] * 1e9 / n, row.best[0] / rows[0].best[0], row.best[1] / rows[0].best[1],
                row.best[0] / row.best[1]);
  return failed;
}

// One plane element with a spinning frame: the shortest of many, for compare_sympy.py.
int measure_one(const std::string& name) {
  const Formalism* formalism = formalisms().find(name);
  if (formalism == nullptr) {
    std::fprintf(stderr, "no formalism `%s`\n", name.c_str());
    return 2;
  }
  const Element& element = *elements().find("beam_rayleigh");
  MotionBasis basis;
  basis.axes = {Vec3::UnitZ()};
  basis.accelerations = {Vec3::UnitX(), Vec3::UnitY()};
  for (const ElementSample& sample : make_samples(element, 7)) {
    const ElementData data = bind(sample);
    if (data.dimension != 2 || data.degree != 3 || data.axial_degree != 1 || !data.rotary) continue;
    Stations stations;
    ElementTerms terms;
    double best = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 2000; ++round)
      best = std::min(best, seconds([&] {
                        element.calc_stations(data, stations);
                        formalism->derive(stations, element.n_dofs(data), basis, terms);
                      }));
    const auto symbolic = element.make_symbolic(data);
    BasicElementTerms<Symbolic> symbols;
    double best_symbolic = std::numeric_limits<double>::infinity();
    for (int round = 0; round < 5; ++round)
      best_symbolic = std::min(
          best_symbolic, seconds([&] { formalism->derive(symbolic->stations, element.n_dofs(data), basis, symbols); }));
    std::printf("%.9g %.9g\n", best, best_symbolic);
    return 0;
  }
  return 2;
}

}  // namespace
}  // namespace elodyn::bench

int main(int argc, char** argv) {
  using namespace elodyn::bench;
  if (argc == 3 && std::string(argv[1]) == "--one") return measure_one(argv[2]);
  const int n = argc > 1 ? std::atoi(argv[1]) : 100000, rounds = argc > 2 ? std::atoi(argv[2]) : 5;
  const std::string only = argc > 3 ? argv[3] : "all";
  if (n < 1 || rounds < 1 || (only != "all" && elodyn::formalisms().find(only) == nullptr)) {
    std::fprintf(stderr, "derive_bench [ELEMENTS [ROUNDS [FORMALISM [plane]]]]\n");
    return 2;
  }
  int failed = measure(n, rounds, only, 2, 1);
  if (argc > 4) return failed;
  failed |= measure(n, rounds, only, 3, 1);
  failed |= measure(n, rounds, only, 3, 3);
  return failed;
}
