#include "elodyn/system/block_system.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/solve.hpp"

namespace elodyn {
namespace {

// S of each dof of the body; what has no mass of its own counts as the heaviest dof of its kind.
VectorX calc_scale(const BodySystem& system) {
  const VectorX mass = system.full.calc_mass().diagonal();
  std::map<DofKind, double> heaviest;
  for (int i = 0; i < system.mesh.n_dofs(); ++i) {
    double& most = heaviest[system.mesh.dofs[static_cast<size_t>(i)].kind];
    most = std::max(most, mass[i]);
  }
  VectorX scale(mass.size());
  for (int i = 0; i < system.mesh.n_dofs(); ++i) {
    const double most = heaviest[system.mesh.dofs[static_cast<size_t>(i)].kind];
    scale[i] = std::sqrt(mass[i] > 0 ? mass[i] : most > 0 ? most : 1);
  }
  return scale;
}

}  // namespace

int count_block_coordinates(const BodySystem& system) { return make_blocks(system.mesh).numbering.size; }

BlockSystem::BlockSystem(const BodySystem& system)
    : system_(system),
      blocks_(make_blocks(system.mesh)),
      equation_(make_block_equation(system, blocks_)),
      rows_(make_block_rows(system, blocks_)) {
  const VectorX of_dofs = calc_scale(system);
  scale_.resize(n());
  for (int i = 0; i < n(); ++i) scale_[i] = of_dofs[blocks_.dof_of[static_cast<size_t>(i)]];
  const SparseMatrix M = equation_.calc_mass();
  M_ = scale_.cwiseInverse().asDiagonal() * MatrixX(M) * scale_.cwiseInverse().asDiagonal();
  A_ = MatrixX::Zero(static_cast<Eigen::Index>(rows_.size()), n());
  for (size_t r = 0; r < rows_.size(); ++r)
    for (const auto& [i, c] : rows_[r].coefficients) A_(static_cast<Eigen::Index>(r), i) += c / scale_[i];
  if (!system.modal.empty()) {  // D = Σ weight (Mφ)(Mφ)ᵀ, with M and φ of the blocks
    CholeskySolver reduced_mass;
    ELODYN_REQUIRE(reduced_mass.factor(system.reduced.calc_mass()));
    M_phi_.resize(n(), system.modal.M_phi.cols());
    for (Eigen::Index k = 0; k < M_phi_.cols(); ++k) {
      const VectorX phi = system.constraints.T() * reduced_mass.solve(system.modal.M_phi.col(k));
      M_phi_.col(k) = M * scatter(phi).cwiseQuotient(scale_);
    }
  }
}

VectorX BlockSystem::scatter(const VectorX& q) const {
  VectorX x(n());
  for (int i = 0; i < n(); ++i) x[i] = scale_[i] * q[blocks_.dof_of[static_cast<size_t>(i)]];
  return x;
}

VectorX BlockSystem::gather(const VectorX& x) const {
  VectorX q(system_.mesh.n_dofs());
  for (int dof = 0; dof < system_.mesh.n_dofs(); ++dof) {
    const int copy = blocks_.copy_of[static_cast<size_t>(dof)];
    q[dof] = x[copy] / scale_[copy];
  }
  return q;
}

VectorX BlockSystem::calc_force(double t, const VectorX& x, const VectorX& v) const {
  const FactorValues at = system_.calc_factors(t);
  const VectorX q = x.cwiseQuotient(scale_), rate = v.cwiseQuotient(scale_);
  VectorX force = equation_.calc_load(at) - equation_.calc_velocity(at) * rate - equation_.calc_stiffness(at) * q;
  if (M_phi_.cols() > 0) force -= M_phi_ * system_.modal.weights.cwiseProduct(M_phi_.transpose() * rate);
  return force.cwiseQuotient(scale_);
}

LiaisonForces calc_liaison_forces(const BodySystem& system, double t, const VectorX& q, const VectorX& q_rate,
                                  ConstraintMethod method) {
  const BlockSystem blocks(system);
  const VectorX x = blocks.scatter(q), v = blocks.scatter(q_rate);
  const ConstrainedSolution found = make_constrained_solver(method, blocks.calc_mass(t, x), blocks.calc_A(t, x))
                                        ->solve(blocks.calc_force(t, x, v), blocks.calc_gamma(t, x, v));
  LiaisonForces out;
  out.acceleration = blocks.gather(found.acceleration);
  for (const int row : found.dependent) out.dependent.push_back(blocks.rows()[static_cast<size_t>(row)].origin);
  const VectorX forces = (blocks.calc_A(t, x).transpose() * found.lambda).cwiseProduct(blocks.scale());
  for (const std::vector<int>& own : blocks.blocks().numbering.elements) out.on_elements.push_back(gather(own, forces));

  const size_t n_identities = blocks.blocks().identities.size();
  for (const Support& support : system.body->supports) {
    if (support.kind == Support::Kind::voids) continue;  // no force holds φ
    const std::string origin = describe(support);
    VectorX r = VectorX::Zero(system.mesh.n_dofs());
    for (size_t k = 0; k < system.rows.size(); ++k)
      if (system.rows[k].origin == origin)
        for (const auto& [dof, c] : system.rows[k].coefficients)
          r[dof] += c * found.lambda[static_cast<Eigen::Index>(n_identities + k)];
    out.reactions.push_back(make_reaction(system.mesh, support, system.mesh.nodes_at(support.at.value), r));
  }
  return out;
}

}  // namespace elodyn
