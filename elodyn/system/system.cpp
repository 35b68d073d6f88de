#include "elodyn/system/system.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "elodyn/base/error.hpp"
#include "elodyn/element/registry.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/model/effective_modulus.hpp"
#include "elodyn/model/surface_kind.hpp"
#include "elodyn/system/assembly.hpp"
#include "elodyn/system/body_constraints.hpp"
#include "elodyn/system/drilling.hpp"
#include "elodyn/system/motion.hpp"
#include "elodyn/system/rigid_motions.hpp"

namespace elodyn {
namespace {

// Rotations of nodes that no member passes on, because all that meet there are hinged about one axis: they mean nothing
// and are held, unless a moment acts there. Also single dofs without mass and stiffness.
void add_idle_rows(const BodySystem& s, std::vector<ConstraintRow>& rows) {
  const VectorX M = s.full.calc_mass().diagonal(), K = s.full.calc_elastic().diagonal();
  std::vector<bool> tied(static_cast<size_t>(s.mesh.n_dofs()), false);
  for (const ConstraintRow& row : rows)
    for (const auto& [dof, coefficient] : row.coefficients) tied[static_cast<size_t>(dof)] = true;
  const auto is_idle = [&](int dof) { return M[dof] == 0 && K[dof] == 0; };
  const SurfaceKind* kind = find_surface_kind(s.body->element.value);
  const auto turns_area = [&](int dof) {  // see make_drilling_rows
    const DofKind of = s.mesh.dofs[static_cast<size_t>(dof)].kind;
    return kind != nullptr && of >= DofKind::rx && of <= DofKind::rz;
  };
  const auto hold = [&](ConstraintRow row) {
    for (const LoadTerm& load : s.full.loads)
      for (const auto& [dof, coefficient] : row.coefficients)
        if (std::abs(coefficient * load.values[dof]) > 0)
          throw NumericalError("body `" + s.body->name + "`: a moment acts on " + s.mesh.describe(dof) +
                               ", but all members there are hinged and none takes it; leave one without the release");
    rows.push_back(std::move(row));
  };
  for (int i = 0; i < s.mesh.n_dofs(); ++i)
    if (!tied[static_cast<size_t>(i)] && is_idle(i) && !turns_area(i)) hold({{{i, 1.0}}, 0, "idle"});

  std::map<int, Mat3> passed_on;  // node → Σ n nᵀ of the axes about which some end turns with it
  for (const EndRelease& release : s.mesh.releases)
    for (const Vec3& n : release.tied) passed_on.emplace(release.node, Mat3::Zero()).first->second += n * n.transpose();
  for (const NodeLink& link : s.mesh.links) passed_on.erase(link.root), passed_on.erase(link.node);
  for (auto& [number, axes] : passed_on) {
    const auto rotations = s.mesh.nodes[static_cast<size_t>(number)].rotations();
    for (int k = 0; k < 3; ++k)
      if (const int dof = rotations[static_cast<size_t>(k)]; dof < 0 || !is_idle(dof)) axes(k, k) += 1;
    constexpr double kFree = 1e-9;
    const MatrixX free = null_space(axes, kFree);
    for (Eigen::Index c = 0; c < free.cols(); ++c) {
      ConstraintRow row{{}, 0, "idle"};
      for (int k = 0; k < 3; ++k)
        if (const int dof = rotations[static_cast<size_t>(k)]; dof >= 0 && std::abs(free(k, c)) > kFree)
          row.coefficients.emplace_back(dof, free(k, c));
      hold(std::move(row));
    }
  }
}

// M-orthonormal rigid motions. What plates do not feel of them, a rotation about their normal, is taken out.
void set_rigid_motions(BodySystem& s, const std::vector<ConstraintRow>& rows,
                       const std::vector<ConstraintRow>& drilling) {
  RigidMotions found = find_rigid_motions(s, rows);
  const Eigen::Index n = found.motions.cols();
  for (const ConstraintRow& row : drilling) {
    Eigen::RowVectorXd turn = Eigen::RowVectorXd::Zero(n);
    double square = 0;
    for (const auto& [dof, c] : row.coefficients) {
      turn += c * found.motions.row(dof);
      square += c * c;
    }
    for (const auto& [dof, c] : row.coefficients) found.motions.row(dof) -= c / square * turn;
  }
  s.rigid.resize(s.constraints.n_reduced(), n);
  s.rigid_twist = found.twists;
  if (n == 0) return;
  MatrixX gram = found.motions.transpose() * (s.full.calc_mass() * found.motions), scale = MatrixX::Identity(n, n);
  ELODYN_REQUIRE(cholesky_in_place(gram));
  solve_lower_transposed(gram, scale);
  found.motions = found.motions * scale;
  if (s.rigid_twist.cols() > 0) s.rigid_twist = s.rigid_twist * scale;
  for (Eigen::Index k = 0; k < n; ++k) s.rigid.col(k) = s.constraints.restrict(found.motions.col(k));
}

void require_finite(const BodySystem& s) {
  const auto fail = [&](const std::string& name, const char* what = "that are not finite") {
    throw NumericalError("body `" + s.body->name + "`: " + name + " has values " + what +
                         ": a length, section, density, stiffness or load is too large or too small");
  };
  constexpr double kTooSmall = 1e-250;  // digits are lost below 1e-308, and much earlier in products
  for (const MatrixTerm& term : s.full.matrices)
    if (!term.values.allFinite()) fail("the matrix " + term.name);
  for (const LoadTerm& load : s.full.loads)
    if (!load.values.allFinite()) fail("the load " + load.name);
  const SparseMatrix& T = s.constraints.T();
  const VectorX mass = SparseMatrix(T.transpose() * s.full.calc_mass() * T).diagonal();
  const VectorX stiffness = SparseMatrix(T.transpose() * s.full.calc_elastic() * T).diagonal();
  for (const double k : stiffness)
    if (k > 0 && k <= kTooSmall) fail("the stiffness", "near the smallest numbers of the machine");
  for (Eigen::Index k = 0; k < mass.size(); ++k)
    if (mass[k] > 0 && mass[k] <= kTooSmall) {
      fail("the mass");
    } else if (!(mass[k] > 0))
      throw NumericalError("body `" + s.body->name + "`: no mass moves with " +
                           s.mesh.describe(s.constraints.full_of_reduced(static_cast<int>(k))) +
                           "; hold it, or give it a mass");
}

void drop_switched_off(BodySystem& s) {
  const Terms& terms = s.model->terms;
  const auto off = [&](TermKind kind) {
    switch (kind) {
      case TermKind::coriolis:
        return !terms.coriolis;
      case TermKind::euler:
      case TermKind::euler_load:
        return !terms.euler;
      case TermKind::centrifugal_stiffness:
        return !terms.centrifugal_stiffness;
      case TermKind::centrifugal_load:
        return !terms.centrifugal_load;
      case TermKind::origin_load:
        return !terms.origin_load;
      default:
        return false;
    }
  };
  std::erase_if(s.full.matrices, [&](const MatrixTerm& t) { return off(t.kind); });
  // Prestress is kept beside the loads that cause it, so a load is silenced, not removed.
  for (LoadTerm& load : s.full.loads)
    if (off(load.kind)) load.coefficient = 0;
}

void add_damping(BodySystem& s) {
  const Damping& damping = s.body->damping;
  VectorX& D = s.full.matrices[1].values;
  ELODYN_REQUIRE(s.full.matrices[1].kind == TermKind::damping);
  D += damping.mass * s.full.matrices[0].values + damping.stiffness * s.full.matrices[2].values;
}

void add_modal_damping(BodySystem& s) {
  const std::vector<double>& ratios = s.body->damping.modal;
  if (ratios.empty()) return;
  const SparseMatrix M = s.reduced.calc_mass();
  const SymmetricModes modes =
      solve_symmetric_modes(s.reduced.calc_elastic(), M, static_cast<int>(ratios.size()), s.rigid);
  const auto n = modes.squares.size();
  s.modal.M_phi = M * modes.vectors;
  s.modal.weights.resize(n);
  for (Eigen::Index k = 0; k < n; ++k)
    s.modal.weights[k] = 2 * ratios[static_cast<size_t>(k)] * std::sqrt(std::max(0.0, modes.squares[k]));
}

}  // namespace

const Element& BodySystem::element_of(const ElementSpec& spec) const {
  const Element* element = elements().find(spec.kind);
  ELODYN_REQUIRE(element != nullptr);
  return *element;
}

const std::string& BodySystem::part_name(const ElementSpec& spec) const {
  if (spec.member >= 0) return body->members[static_cast<size_t>(spec.member)].name;
  return spec.area >= 0 ? body->areas[static_cast<size_t>(spec.area)].name : spec.kind;
}

const Section& BodySystem::section_of(const ElementSpec& spec) const {
  const std::string& own = spec.area >= 0 ? body->areas[static_cast<size_t>(spec.area)].section.value
                                          : body->members[static_cast<size_t>(spec.member)].section.value;
  const Section* section = model->find_section(own.empty() ? body->section.value : own);
  ELODYN_REQUIRE(section != nullptr);
  return *section;
}

MemberParts BodySystem::find_parts(const Member& member) const {
  MemberParts parts;
  parts.material = model->find_material(member.material.value.empty() ? body->material.value : member.material.value);
  parts.section = model->find_section(member.section.value.empty() ? body->section.value : member.section.value);
  parts.section_to = model->find_section(member.section_to.value);
  ELODYN_REQUIRE(parts.material != nullptr && parts.section != nullptr);
  parts.effective = calc_effective(*parts.material);
  if (parts.section_to == nullptr) parts.properties = calc_properties(*parts.section, parts.effective.poisson);
  if (body->element.value == kVoidsBar) parts.voids = calc_void_law(parts.effective, void_state(body->uniaxial, true));
  return parts;
}

MemberParts BodySystem::find_parts(const Area& area) const {
  MemberParts parts;
  parts.material = model->find_material(area.material.value.empty() ? body->material.value : area.material.value);
  parts.section = model->find_section(area.section.value.empty() ? body->section.value : area.section.value);
  ELODYN_REQUIRE(parts.material != nullptr && parts.section != nullptr);
  parts.sheet.thickness = parts.section->thickness;
  parts.effective = calc_effective(*parts.material);
  if (has_voids(body->element.value))
    parts.sheet.voids = parts.voids = calc_void_law(parts.effective, void_state(body->plane, false));
  parts.sheet.law = calc_plane_law(parts.effective, body->plane);
  parts.sheet.free_strain = calc_free_strain(parts.effective, body->plane);
  if (has_voids(body->element.value)) parts.sheet.free_strain = parts.voids.free_strain * Vec3(1, 1, 0);
  parts.sheet.shear_law = calc_shear_law(parts.effective);
  parts.sheet.axis_1 = body->material_axis;
  parts.sheet.incompatible = body->incompatible;
  parts.sheet.lumped = body->lumped_mass;
  return parts;
}

void BodySystem::set_element_data(const ElementSpec& spec, const MemberParts* parts, ElementData& data) const {
  data.nodes.clear();
  for (const int node : spec.nodes) data.nodes.push_back(mesh.nodes[static_cast<size_t>(node)].x);
  data.dimension = body->dimension;
  data.degree = body->degree;
  data.axial_degree = body->axial_degree;
  data.rotary = model->terms.rotary;
  data.curvature_sign = spec.curvature_sign;
  data.taper.reset();
  data.mass = nullptr;
  data.spring = nullptr;
  if (spec.is_material()) {
    const Material& material = parts->effective;
    data.young = material.young;
    data.shear = material.shear_modulus();
    data.density = material.density;
    data.expansion = material.expansion;
    data.voids = parts->voids;
    data.sides_held = body->uniaxial == PlaneState::strain;
    if (spec.kind == kVoidsBar) data.young = calc_uniaxial_modulus(material, body->uniaxial);
  }
  if (spec.area >= 0) {
    data.sheet = parts->sheet;
  } else if (spec.member >= 0) {
    const Member& member = body->members[static_cast<size_t>(spec.member)];
    data.orientation = body->calc_orientation(member, (data.nodes[1] - data.nodes[0]).normalized());
    if (parts->section_to != nullptr) {
      const Section &from = *parts->section, &to = *parts->section_to;
      data.taper = {interpolate(from, to, spec.begin), interpolate(from, to, spec.end), parts->effective.poisson};
      data.section = data.section_at(0.5);
    } else {
      data.section = parts->properties;
    }
  } else if (spec.kind == "point_mass") {
    data.mass = &body->masses[static_cast<size_t>(spec.item)];
  } else {
    data.spring = &body->springs[static_cast<size_t>(spec.item)];
  }
}

ElementData BodySystem::make_element_data(const ElementSpec& spec) const {
  ElementData data;
  MemberParts parts;
  if (spec.member >= 0) parts = find_parts(body->members[static_cast<size_t>(spec.member)]);
  if (spec.area >= 0) parts = find_parts(body->areas[static_cast<size_t>(spec.area)]);
  set_element_data(spec, &parts, data);
  return data;
}

FactorValues BodySystem::calc_factors(double t) const {
  FactorValues out;
  calc_factors(t, out);
  return out;
}
void BodySystem::calc_factors(double t, FactorValues& out) const {
  elodyn::calc_factors(*model, *body, basis, load_cases, t, out);
}
bool BodySystem::is_steady() const { return elodyn::is_steady(*model, *body); }

FactorValues BodySystem::calc_factors_at_speed(double speed) const {
  ELODYN_REQUIRE(body->motion.kind == Motion::Kind::spin && basis.axes.size() == 1);
  FactorValues at = calc_factors(0);
  at.w[0] = speed;
  return at;
}

std::vector<VectorX> BodySystem::calc_prestress(const FactorValues& at) const {
  std::vector<VectorX> sum;
  for (size_t c = 0; c < prestress.size(); ++c) {
    const double factor = at(full.loads[c].factor);
    if (sum.empty()) sum.resize(prestress[c].size());
    for (size_t e = 0; e < sum.size(); ++e) {
      if (sum[e].size() == 0) sum[e] = VectorX::Zero(prestress[c][e].size());
      sum[e] += factor * prestress[c][e];
    }
  }
  return sum;
}

BodySystem make_parts(const Model& model, const Body& body) {
  BodySystem s;
  s.model = &model;
  s.body = &body;
  s.mesh = make_mesh(body);
  s.basis = make_motion_basis(model, body);
  s.load_cases = find_load_cases(body.loads);
  return s;
}

BodySystem make_body_system(const Model& model, const Body& body) {
  BodySystem s = make_parts(model, body);
  assemble(s);
  s.rows = make_constraint_rows(body, s.mesh);
  add_idle_rows(s, s.rows);
  const std::vector<ConstraintRow> rows_of_motions = s.rows, drilling = make_drilling_rows(s);
  s.rows.insert(s.rows.end(), drilling.begin(), drilling.end());
  s.constraints = Constraints(s.mesh.n_dofs(), s.rows);
  if (s.constraints.n_reduced() == 0)
    throw NumericalError("body `" + body.name +
                         "`: the supports hold every coordinate, nothing can move; use more elements");
  require_finite(s);
  set_rigid_motions(s, rows_of_motions, drilling);
  if (model.terms.geometric && !s.full.loads.empty()) add_geometric_stiffness(s);
  add_damping(s);
  drop_switched_off(s);
  s.reduced = s.constraints.reduce(s.full);
  add_modal_damping(s);
  return s;
}

StaticSolver::StaticSolver(const BodySystem& system, const SparseMatrix& K) : rigid_(system.rigid) {
  const int n = static_cast<int>(K.rows());
  std::vector<bool> held(static_cast<size_t>(n), false);
  if (rigid_.cols() > 0) {
    M_rigid_ = system.constraints.T().transpose() * (system.full.calc_mass() * (system.constraints.T() * rigid_));
    // As many coordinates as there are rigid motions are held, chosen so that they hold all of them.
    MatrixX rest = rigid_;
    for (Eigen::Index k = 0; k < rigid_.cols(); ++k) {
      Eigen::Index row = 0;
      rest.rowwise().squaredNorm().maxCoeff(&row);
      held[static_cast<size_t>(row)] = true;
      const Eigen::RowVectorXd direction = rest.row(row).normalized();
      rest -= (rest * direction.transpose()).eval() * direction;
    }
  }
  std::vector<int> kept_of(static_cast<size_t>(n), -1);
  for (int i = 0; i < n; ++i)
    if (!held[static_cast<size_t>(i)]) {
      kept_of[static_cast<size_t>(i)] = static_cast<int>(kept_.size());
      kept_.push_back(i);
    }
  std::vector<Eigen::Triplet<double>> entries;
  for (int j = 0; j < n; ++j)
    for (SparseMatrix::InnerIterator it(K, j); it; ++it) {
      const int a = kept_of[static_cast<size_t>(it.row())], b = kept_of[static_cast<size_t>(j)];
      if (a >= 0 && b >= 0) entries.emplace_back(a, b, it.value());
    }
  SparseMatrix reduced(static_cast<Eigen::Index>(kept_.size()), static_cast<Eigen::Index>(kept_.size()));
  reduced.setFromTriplets(entries.begin(), entries.end());
  if (kept_.empty()) return;
  if (!solver_.factor(reduced)) {
    const int dof = system.constraints.full_of_reduced(kept_[static_cast<size_t>(solver_.failed_column())]);
    throw NumericalError("body `" + system.body->name + "`: the stiffness is singular at " + system.mesh.describe(dof) +
                         ": that part can move without straining; hold it, release less, or use coarser elements if "
                         "the mesh is very fine");
  }
}

VectorX StaticSolver::solve(const VectorX& f) const {
  VectorX balanced = f;
  if (rigid_.cols() > 0) balanced -= M_rigid_ * (rigid_.transpose() * f);
  VectorX z = VectorX::Zero(f.size());
  if (kept_.empty()) return z;
  VectorX rhs(static_cast<Eigen::Index>(kept_.size()));
  for (size_t k = 0; k < kept_.size(); ++k) rhs[static_cast<int>(k)] = balanced[kept_[k]];
  const VectorX x = solver_.solve(rhs);
  for (size_t k = 0; k < kept_.size(); ++k) z[kept_[k]] = x[static_cast<int>(k)];
  return z;
}

}  // namespace elodyn
