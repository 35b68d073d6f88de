#include "elodyn/study/count_operations.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "elodyn/base/counted.hpp"
#include "elodyn/base/stopwatch.hpp"
#include "elodyn/formalism/registry.hpp"

namespace elodyn {
namespace {

template <class Block>
auto to_counted(const Block& block) {
  return block.template cast<Counted>().eval();
}
std::vector<MatrixOf<Counted>> to_counted(const std::vector<MatrixX>& matrices) {
  std::vector<MatrixOf<Counted>> out;
  for (const MatrixX& m : matrices) out.push_back(m.cast<Counted>());
  return out;
}
BasicStations<Counted> to_counted(const Stations& stations) {
  BasicStations<Counted> out;
  for (const Station& st : stations)
    out.push_back({st.weight, to_counted(st.x), st.mass, to_counted(st.sigma), to_counted(st.N), to_counted(st.N_theta),
                   to_counted(st.R_theta), to_counted(st.B), to_counted(st.stiffness), to_counted(st.viscosity),
                   to_counted(st.thermal), to_counted(st.transport), to_counted(st.L), to_counted(st.Psi),
                   to_counted(st.N_phi), st.phi_mass});
  return out;
}

}  // namespace

OperationCount count_operations(const Formalism& formalism, const Stations& stations, int n, const MotionBasis& basis) {
  const OperationCount before = Counted::count();
  BasicElementTerms<Counted> t;
  formalism.derive(to_counted(stations), n, basis, t);
  return Counted::count() - before;
}

BodyStations::BodyStations(const BodySystem& system) : basis(system.basis) {
  for (const ElementSpec& spec : system.mesh.elements) {
    const ElementData data = system.make_element_data(spec);
    system.element_of(spec).calc_stations(data, elements.emplace_back());
    n_dofs.push_back(static_cast<int>(spec.dofs.size()));
  }
}

OperationCount BodyStations::count(const Formalism& formalism) const {
  OperationCount sum;
  for (size_t e = 0; e < elements.size(); ++e) sum += count_operations(formalism, elements[e], n_dofs[e], basis);
  return sum;
}

double BodyStations::measure(const Formalism& formalism) const {
  double shortest = std::numeric_limits<double>::infinity(), whole = 0;  // others on the machine disturb it least
  ElementTerms t;
  for (int round = 0; round < 20 && (round < 3 || whole < 0.05); ++round) {
    const Stopwatch watch;
    for (size_t e = 0; e < elements.size(); ++e) formalism.derive(elements[e], n_dofs[e], basis, t);
    const double seconds = watch.seconds();
    shortest = std::min(shortest, seconds);
    whole += seconds;
  }
  return shortest;
}

Table count_by_mesh(const Model& model) {
  constexpr std::array<int, 6> kElements = {1, 5, 10, 20, 30, 40};
  constexpr size_t kMostMembers = 50;
  Table table{"operations", "Operations of the derivation with so many elements in each member, members alone", {}};
  size_t n_members = 0;
  for (const Body& body : model.bodies) n_members += body.members.size();
  if (n_members == 0 || n_members > kMostMembers) return table;
  std::vector<std::vector<BodyStations>> meshes;
  std::vector<double> per_member, elements;
  for (const int n : kElements) {
    Model refined = model;
    for (Body& body : refined.bodies) {
      for (Member& member : body.members) member.elements.value = n;
      body.supports.clear();  // points inside a member need not be nodes of every mesh
      body.springs.clear();
      body.masses.clear();
      body.links.clear();
      body.loads.clear();
    }
    double count = 0;
    meshes.emplace_back();
    for (const Body& body : refined.bodies) {
      const BodySystem s = make_parts(refined, body);
      count += static_cast<double>(s.mesh.elements.size());
      meshes.back().emplace_back(s);
    }
    per_member.push_back(n);
    elements.push_back(count);
  }
  table.columns = {{"per_member", "", per_member}, {"elements", "", elements}};
  for (const Formalism* formalism : formalisms().list()) {
    std::vector<double> d, m, a;
    for (const std::vector<BodyStations>& mesh : meshes) {
      OperationCount sum;
      for (const BodyStations& body : mesh) sum += body.count(*formalism);
      d.push_back(static_cast<double>(sum.differentiations));
      m.push_back(static_cast<double>(sum.multiplications));
      a.push_back(static_cast<double>(sum.additions));
    }
    const std::string name(formalism->name());
    table.columns.push_back({name + "_differentiations", "", d});
    table.columns.push_back({name + "_multiplications", "", m});
    table.columns.push_back({name + "_additions", "", a});
  }
  return table;
}

}  // namespace elodyn
