#include "elodyn/system/assembly.hpp"

#include <algorithm>
#include <unordered_map>

#include "elodyn/base/error.hpp"
#include "elodyn/base/rotation.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/model/surface_kind.hpp"
#include "elodyn/system/blocks.hpp"
#include "elodyn/system/body_constraints.hpp"
#include "elodyn/system/derive_elements.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn {
namespace {

// Whether a dashpot to the ground sees the frame turn.
bool has_ground_dashpots(const Body& body) {
  return std::any_of(body.springs.begin(), body.springs.end(), [](const Spring& s) {
    return s.other == Spring::Other::ground && (!s.damping.isZero(0) || !s.rotational_damping.isZero(0));
  });
}

bool is_zero(const MatrixOf<Batch>& m) {
  return std::all_of(m.data(), m.data() + m.size(), [](const Batch& x) { return x == Batch(0); });
}

// The generalized forces of a member's load on one element of a batch.
VectorX apply(const MatrixOf<Batch>& member_load, int lane, const MemberLoad& load) {
  VectorX out = VectorX::Zero(member_load.rows());
  const Eigen::Matrix<double, 9, 1> components = load.stacked();
  for (Eigen::Index j = 0; j < 9; ++j)
    for (Eigen::Index i = 0; components[j] != 0 && i < out.size(); ++i)
      out[i] += member_load(i, j).lane(lane) * components[j];
  return out;
}

void add_term(AffineEquation& equation, std::string name, TermKind kind, Factor factor, double coefficient) {
  equation.matrices.push_back({std::move(name), kind, factor, coefficient, make_zeros(equation.pattern->n_nonzeros())});
}
void add_load(AffineEquation& equation, std::string name, TermKind kind, Factor factor, double coefficient) {
  equation.loads.push_back({std::move(name), kind, factor, coefficient, make_zeros(equation.size())});
}

}  // namespace

bool projects_blocks(const Model& model) {
  const SystemFormalism* found = system_formalisms().find(model.formalism.value);
  return found != nullptr && found->makes_matrices();
}

const Formalism& formalism_of(const Model& model) {
  const bool is_for_systems = system_formalisms().find(model.formalism.value) != nullptr;
  const std::string& name = is_for_systems ? model.element_formalism.value : model.formalism.value;
  const Formalism* found = formalisms().find(name.empty() ? kDefaultFormalism : std::string_view(name));
  ELODYN_REQUIRE(found != nullptr);
  return *found;
}

void add_rigid_acceleration(const Mesh& mesh, const ElementSpec& spec, const VectorX& acceleration,
                            ElementState& state) {
  // Of the element's own dofs at its first node.
  Vec3 u = Vec3::Zero(), w = Vec3::Zero();
  for (const int dof : spec.dofs) {
    const Dof& d = mesh.dofs[static_cast<size_t>(dof)];
    if (d.node != spec.nodes[0]) continue;
    for (int k = 0; k < 3; ++k) {
      if (d.kind == kTranslations[static_cast<size_t>(k)]) u[k] = acceleration[dof];
      if (d.kind == kRotations[static_cast<size_t>(k)]) w[k] = acceleration[dof];
    }
  }
  state.a += u - w.cross(mesh.nodes[static_cast<size_t>(spec.nodes[0])].x);
  state.Bx += skew(w);
}

VectorX gather(const std::vector<int>& dofs, const VectorX& values) {
  VectorX block(static_cast<Eigen::Index>(dofs.size()));
  for (size_t i = 0; i < dofs.size(); ++i) block[static_cast<int>(i)] = values[dofs[i]];
  return block;
}

ElementLoads::ElementLoads(const Body& body) {
  const LoadCases cases = find_load_cases(body.loads);
  cases_.resize(1 + cases.factors.size());
  std::vector<std::unordered_map<std::string, MemberLoad>> by_name(cases_.size());  // a side's are no element's
  for (size_t l = 0; l < body.loads.size(); ++l) {
    const Load& load = body.loads[l];
    if (load.on && !body.has_side(load.on->value))
      by_name[static_cast<size_t>(cases.of_load[l])][load.on->value].add(
          {load.force_per_length + load.force_per_area,
           load.moment_per_length,
           {load.temperature, load.gradient_y, load.gradient_z}});
  }
  const auto look_up = [](const auto& names, const auto& parts, std::vector<MemberLoad>& out) {
    out.resize(parts.size());
    for (size_t k = 0; k < parts.size(); ++k)
      if (const auto it = names.find(parts[k].name); it != names.end()) out[k] = it->second;
  };
  for (size_t c = 0; c < cases_.size(); ++c) {
    if (by_name[c].empty()) continue;
    look_up(by_name[c], body.members, cases_[c].members);
    look_up(by_name[c], body.areas, cases_[c].areas);
  }
}

const MemberLoad& ElementLoads::on(const ElementSpec& spec, int load_case) const {
  static const MemberLoad none;
  const Case& loads = cases_[static_cast<size_t>(load_case)];
  if (spec.member >= 0 && !loads.members.empty()) return loads.members[static_cast<size_t>(spec.member)];
  if (spec.area >= 0 && !loads.areas.empty()) return loads.areas[static_cast<size_t>(spec.area)];
  return none;
}

const MemberLoad& ElementLoads::on(const ElementSpec& spec, const Factor& factor) const {
  static const MemberLoad none;
  return factor.kind == Factor::Kind::load ? on(spec, factor.i) : none;
}

ElementState unit_state(const BodySystem& system, const LoadTerm& term, const MemberLoad& applied) {
  ElementState state;
  const MotionBasis& basis = system.basis;
  const auto axis = [&](int i) { return skew(basis.axes[static_cast<size_t>(i)]); };
  switch (term.factor.kind) {
    case Factor::Kind::a:
      state.a = basis.accelerations[static_cast<size_t>(term.factor.i)];
      break;
    case Factor::Kind::e:
      state.Bx = axis(term.factor.i);
      break;
    case Factor::Kind::ww: {
      const Mat3 Wi = axis(term.factor.i), Wj = axis(term.factor.j);
      state.Bx = term.factor.i == term.factor.j ? Mat3(Wi * Wi) : Mat3(Wi * Wj + Wj * Wi);
      break;
    }
    case Factor::Kind::load:
      state.load = applied;
      break;
    default:
      ELODYN_REQUIRE(false);
  }
  state.a -= state.Bx * basis.origin;
  return state;
}

VectorX own_share(const BodySystem& system, const LoadTerm& load, const ElementTerms& t, const MemberLoad& applied) {
  const auto i = static_cast<size_t>(load.factor.i);
  switch (load.factor.kind) {
    case Factor::Kind::a:
      return t.A[i];
    case Factor::Kind::e:
      return t.B[i];
    case Factor::Kind::ww: {
      const auto pairs = system.basis.pairs();
      const auto it = std::find(pairs.begin(), pairs.end(), std::make_pair(load.factor.i, load.factor.j));
      return t.H[static_cast<size_t>(it - pairs.begin())];
    }
    default:
      return t.member_load * applied.stacked();
  }
}

Numbering number_by_index(const Mesh& mesh) {
  Numbering out;
  out.size = mesh.n_dofs();
  for (const ElementSpec& spec : mesh.elements) out.elements.push_back(spec.dofs);
  for (int dof = 0; dof < mesh.n_dofs(); ++dof) out.nodal.push_back(dof);
  return out;
}

std::shared_ptr<const SparsePattern> make_pattern(const Mesh& mesh, const Numbering& numbering) {
  std::vector<std::vector<int>> cliques = numbering.elements;
  for (const NodeLink& link : mesh.links) {
    std::vector<int>& turns = cliques.emplace_back();
    for (const int dof : mesh.nodes[static_cast<size_t>(link.root)].rotations())
      if (dof >= 0) turns.push_back(numbering.nodal[static_cast<size_t>(dof)]);
  }
  return std::make_shared<const SparsePattern>(numbering.size, cliques);
}

// ∫Nᵀ ds along the sides of areas: linear between two nodes, quadratic through a middle one (1/6, 1/6, 2/3). Of moments
// on thin plates the part across the side works on the turn of the side, (w₂ − w₁)/length: a pair of forces.
static void add_side_loads(const Body& body, const Mesh& mesh, const Numbering& numbering,
                           const std::vector<size_t>& term_of_load, AffineEquation& equation) {
  const SurfaceKind* kind = find_surface_kind(body.element.value);
  for (size_t l = 0; l < body.loads.size(); ++l) {
    const Load& load = body.loads[l];
    const auto side = load.on ? mesh.sides.find(load.on->value) : mesh.sides.end();
    if (side == mesh.sides.end()) continue;
    VectorX& f = equation.loads[term_of_load[l]].values;
    const auto put = [&](const std::array<int, 3>& dofs, const Vec3& value) {
      for (int c = 0; c < 3; ++c)
        if (const int dof = dofs[static_cast<size_t>(c)]; dof >= 0)
          f[numbering.nodal[static_cast<size_t>(dof)]] += value[c];
    };
    for (const std::vector<int>& piece : side->second.pieces) {
      const auto node = [&](size_t k) -> const Node& { return mesh.nodes[static_cast<size_t>(piece[k])]; };
      const Vec3 along = node(1).x - node(0).x, s = along.normalized();
      const Vec3 couple = kind->shears ? load.moment_per_length : Vec3(s * s.dot(load.moment_per_length));
      const Vec3 pair = (load.moment_per_length - couple).cross(s);
      for (size_t k = 0; k < piece.size(); ++k) {
        const double share = along.norm() * (piece.size() == 2 ? 1.0 / 2 : k < 2 ? 1.0 / 6 : 2.0 / 3);
        put(node(k).translations(), share * load.force_per_length);
        put(node(k).rotations(), share * couple);
      }
      put(node(0).translations(), -pair);
      put(node(1).translations(), pair);
    }
  }
}

// One term for each case that has loads, "f" for the constant ones. Returns which term each load belongs to.
static std::vector<size_t> add_load_cases(const Body& body, AffineEquation& equation) {
  const LoadCases cases = find_load_cases(body.loads);
  std::vector<size_t> terms;
  for (int c = 0; c <= static_cast<int>(cases.factors.size()); ++c)
    if (std::find(cases.of_load.begin(), cases.of_load.end(), c) != cases.of_load.end())
      add_load(equation, c == 0 ? "f" : "f_" + std::to_string(c), TermKind::applied_load, {Factor::Kind::load, c, 0},
               1);
  for (const int c : cases.of_load) {
    const auto is_of = [&](const LoadTerm& term) {
      return term.factor.kind == Factor::Kind::load && term.factor.i == c;
    };
    terms.push_back(static_cast<size_t>(std::find_if(equation.loads.begin(), equation.loads.end(), is_of) -
                                        equation.loads.begin()));
  }
  return terms;
}

AffineEquation add_up(const BodySystem& system, const Numbering& numbering) {
  return add_up(system, numbering, make_pattern(system.mesh, numbering));
}

AffineEquation add_up(const BodySystem& system, const Numbering& numbering,
                      std::shared_ptr<const SparsePattern> pattern) {
  const Body& body = *system.body;
  const Mesh& mesh = system.mesh;
  const MotionBasis& basis = system.basis;
  const auto pairs = basis.pairs();

  AffineEquation equation;
  equation.pattern = std::move(pattern);

  std::vector<std::string> axis_names;
  for (size_t i = 0; i < basis.axes.size(); ++i) axis_names.push_back(axis_name(basis.axes[i], i));
  const bool ground = has_ground_dashpots(body);
  add_term(equation, "M", TermKind::mass, {}, 1);
  add_term(equation, "D", TermKind::damping, {}, 1);
  add_term(equation, "K", TermKind::elastic, {}, 1);
  for (int i = 0; i < static_cast<int>(basis.axes.size()); ++i) {
    const std::string& n = axis_names[static_cast<size_t>(i)];
    add_term(equation, "G_" + n, TermKind::coriolis, {Factor::Kind::w, i, 0}, 2);
    add_term(equation, "E_" + n, TermKind::euler, {Factor::Kind::e, i, 0}, 1);
    if (ground) add_term(equation, "N_" + n, TermKind::circulatory, {Factor::Kind::w, i, 0}, 1);
    add_load(equation, "B_" + n, TermKind::euler_load, {Factor::Kind::e, i, 0}, -1);
  }
  for (const auto& [i, j] : pairs) {
    const std::string n = axis_names[static_cast<size_t>(i)] + axis_names[static_cast<size_t>(j)];
    add_term(equation, "S_" + n, TermKind::centrifugal_stiffness, {Factor::Kind::ww, i, j}, 1);
    add_load(equation, "H_" + n, TermKind::centrifugal_load, {Factor::Kind::ww, i, j}, -1);
  }
  for (int j = 0; j < static_cast<int>(basis.accelerations.size()); ++j)
    add_load(equation, "A_" + axis_name(basis.accelerations[static_cast<size_t>(j)], static_cast<size_t>(j)),
             TermKind::origin_load, {Factor::Kind::a, j, 0}, -1);
  const size_t n_motion_loads = equation.loads.size();
  const std::vector<size_t> term_of_load = add_load_cases(body, equation);

  const ElementSource source(system);
  TermSums(equation, numbering)
      .run(source, [&](const ElementGroup& group, GroupDerivation& derivation, TermSums::Share& share) {
        const BasicElementTerms<Batch>& t = derivation.terms();
        const bool has_damping = !is_zero(t.D);
        for (int lane = 0; lane < group.count; ++lane) {
          const size_t e = group.first + static_cast<size_t>(lane);
          size_t m = 0, l = 0;
          const auto put = [&](const MatrixOf<Batch>& block) { share.add(m++, block, lane); };
          const auto put_load = [&](const VectorOf<Batch>& block) { share.add_load(l++, block, lane); };
          share.set_element(e);
          put(t.M);
          if (has_damping) share.add(m, t.D, lane);
          ++m;
          put(t.K);
          for (size_t i = 0; i < basis.axes.size(); ++i) {
            put(t.G[i]);
            put(t.E[i]);
            if (ground && t.N.empty()) ++m;
            if (ground && !t.N.empty()) put(t.N[i]);
            put_load(t.B[i]);
          }
          for (size_t k = 0; k < pairs.size(); ++k) {
            put(t.S[k]);
            put_load(t.H[k]);
          }
          for (const VectorOf<Batch>& A : t.A) put_load(A);
          for (l = n_motion_loads; l < equation.loads.size(); ++l) {
            const MemberLoad& load = source.loads().on(mesh.elements[e], equation.loads[l].factor);
            if (!load.is_zero()) share.add_load(l, apply(t.member_load, lane, load));
          }
        }
      });
  add_side_loads(body, mesh, numbering, term_of_load, equation);
  for (size_t number = 0; number < body.loads.size(); ++number) {
    const Load& load = body.loads[number];
    if (!load.at) continue;
    const Node& node = mesh.nodes[static_cast<size_t>(mesh.node_of_point.at(load.at->value))];
    VectorX& f = equation.loads[term_of_load[number]].values;
    const auto at = [&](int dof) -> double& { return f[numbering.nodal[static_cast<size_t>(dof)]]; };
    const auto u = node.translations(), r = node.rotations();
    for (size_t k = 0; k < 3; ++k) {
      if (u[k] >= 0) at(u[k]) += load.force[static_cast<int>(k)];
      if (r[k] >= 0) at(r[k]) += load.moment[static_cast<int>(k)];
      if (r[k] < 0 && load.moment[static_cast<int>(k)] != 0)
        throw NumericalError("body `" + body.name + "`: a moment at point `" + load.at->value +
                             "`, but all members there are hinged and none takes it; leave one without the release");
    }
  }
  return equation;
}

void assemble(BodySystem& system) {
  if (!projects_blocks(*system.model)) {
    system.full = add_up(system, number_by_index(system.mesh));
    return;
  }
  const Blocks blocks = make_blocks(system.mesh);
  system.full = project(add_up(system, blocks.numbering), calc_identity_complement(blocks));
}

static void calc_prestress_stiffness(const ElementTerms& terms, const VectorX& prestress, MatrixX& Kg) {
  Kg.setZero(terms.K.rows(), terms.K.cols());
  for (Eigen::Index j = 0; j < prestress.size(); ++j) Kg += prestress[j] * terms.Gamma[static_cast<size_t>(j)];
}

void add_prestress(const SparsePattern& pattern, const std::vector<int>& dofs, const ElementTerms& terms,
                   const VectorX& prestress, VectorX& Kg) {
  MatrixX block;
  calc_prestress_stiffness(terms, prestress, block);
  std::vector<int> places;
  pattern.find_block(dofs, places);
  for (size_t k = 0; k < places.size(); ++k) Kg[places[k]] += block.data()[k];
}

void add_links(const SparsePattern& pattern, const Numbering& numbering, const std::vector<LinkStiffness>& links,
               VectorX& Kg) {
  const auto at = [&](int dof) { return numbering.nodal[static_cast<size_t>(dof)]; };
  for (const LinkStiffness& link : links)
    for (size_t i = 0; i < 3; ++i)
      for (size_t j = 0; j < 3; ++j)
        if (link.rotations[i] >= 0 && link.rotations[j] >= 0)
          Kg[pattern.index(at(link.rotations[i]), at(link.rotations[j]))] +=
              link.K(static_cast<int>(i), static_cast<int>(j));
}

// What links bear at their far nodes stiffens their turning: K q − load + M a there.
static void set_link_stiffness(BodySystem& system, const std::vector<VectorX>& displacement,
                               const std::vector<VectorX>& rigid_acceleration) {
  const Terms::Pull pull = system.model->terms.pull;
  system.link_stiffness.assign(displacement.size(), {});
  if (system.mesh.links.empty() || pull == Terms::Pull::own_element) return;
  const SparseMatrix K = system.full.calc_elastic(), M = system.full.calc_mass();
  for (size_t c = 0; c < displacement.size(); ++c) {
    const LoadTerm& load = system.full.loads[c];
    const VectorX r = K * displacement[c] - load.coefficient * load.values + M * rigid_acceleration[c];
    system.link_stiffness[c] = calc_link_stiffness(system.mesh, r);
    if (pull == Terms::Pull::reversed)
      for (LinkStiffness& link : system.link_stiffness[c]) link.K = -link.K;
  }
}

void add_geometric_stiffness(BodySystem& system) {
  const Terms::Pull pull = system.model->terms.pull;
  const SparseMatrix& T = system.constraints.T();
  const StaticSolver solver(system, T.transpose() * system.full.calc_elastic() * T);
  const size_t n_cases = system.full.loads.size();
  system.prestress.assign(n_cases, {});
  std::vector<VectorX> displacement, rigid_acceleration;
  const bool by_blocks = projects_blocks(*system.model);
  const Blocks blocks = by_blocks ? make_blocks(system.mesh) : Blocks{};
  const Numbering numbering = by_blocks ? blocks.numbering : number_by_index(system.mesh);
  AffineEquation added;  // Kg, one for each load term
  added.pattern = by_blocks ? make_pattern(system.mesh, blocks.numbering) : system.full.pattern;
  for (const LoadTerm& load : system.full.loads) {
    add_term(added, "Kg_" + load.name, TermKind::geometric, load.factor, 1);
    const VectorX f = system.constraints.reduce_load(load.coefficient * load.values);
    displacement.push_back(system.constraints.expand(solver.solve(f)));
    rigid_acceleration.push_back(solver.calc_acceleration(system, f));
  }

  // The elements are derived once more: keeping all their terms would take more memory than the rest of the body.
  for (auto& of_case : system.prestress) of_case.resize(system.mesh.elements.size());
  const ElementSource source(system);
  const auto add = [&](size_t e, const Element& element, const ElementData& data, const ElementTerms& t,
                       TermSums::Share& share) {
    const ElementSpec& spec = system.mesh.elements[e];
    MatrixX Kg;
    share.set_element(e);
    for (size_t c = 0; c < n_cases; ++c) {
      const LoadTerm& load = system.full.loads[c];
      ElementState state = unit_state(system, load, source.loads().on(spec, load.factor));
      state.q = gather(spec.dofs, displacement[c]);
      // What the rest of the body does to the element: K q − its own share of the load, rigid acceleration included.
      state.end_forces = t.K * state.q - load.coefficient * own_share(system, load, t, state.load) +
                         t.M * gather(spec.dofs, rigid_acceleration[c]);
      if (spec.member >= 0)  // sheets take their stress from q
        add_rigid_acceleration(system.mesh, spec, rigid_acceleration[c], state);
      state.own_load_only = pull == Terms::Pull::own_element;
      VectorX& p = system.prestress[c][e];
      element.calc_prestress(data, state, p);
      if (pull == Terms::Pull::reversed) p = -p;
      calc_prestress_stiffness(t, p, Kg);
      share.add(c, Kg);
    }
  };
  TermSums(added, numbering)
      .run(source, [&](const ElementGroup& group, GroupDerivation& derivation, TermSums::Share& share) {
        ElementTerms t;
        for (int lane = 0; lane < group.count; ++lane) {
          derivation.get_terms(lane, t);
          add(group.first + static_cast<size_t>(lane), derivation.element(), derivation.data(lane), t, share);
        }
      });
  set_link_stiffness(system, displacement, rigid_acceleration);
  for (size_t c = 0; c < n_cases; ++c)
    add_links(*added.pattern, numbering, system.link_stiffness[c], added.matrices[c].values);
  if (by_blocks) added = project(added, calc_identity_complement(blocks));
  for (MatrixTerm& Kg : added.matrices) system.full.matrices.push_back(std::move(Kg));
}

}  // namespace elodyn
