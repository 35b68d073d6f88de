// Maggi and multipliers for a body: its unassembled blocks and constraints (blocks.hpp) in time (maggi.hpp).
#include <algorithm>
#include <cmath>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/linalg/solve.hpp"
#include "elodyn/system/block_system.hpp"
#include "elodyn/system/system_formalism.hpp"

namespace elodyn {
namespace {

// Sizes that x = S q and its rate will about have, from the initial state and the loads at the times asked for.
struct MotionSize {
  double position = 0, velocity = 0;
};
MotionSize estimate_size(const BodySystem& system, const BlockSystem& blocks, const VectorX& z, const VectorX& z_rate,
                         const std::vector<double>& times) {
  const double duration = times.back() - times.front();
  const auto size = [&](const VectorX& reduced) {
    return blocks.scatter(system.constraints.T() * reduced).cwiseAbs().maxCoeff();
  };
  const SparseMatrix K = system.reduced.calc_elastic();
  const auto n_rigid = static_cast<int>(system.rigid.cols());
  const int count = std::min(n_rigid + 1, system.constraints.n_reduced());
  const double square = solve_symmetric_modes(K, system.reduced.calc_mass(), count, system.rigid).squares.tail(1)[0];
  const double lowest = square > 0 ? std::sqrt(square) : 0;
  const double time = duration * lowest > 1 ? 1 / lowest : duration;  // in which a velocity acts one way

  // What the loads do: twice the static deflection, with the free fall of what nothing holds; in a short time less, for
  // then mass alone resists.
  CholeskySolver mass;
  ELODYN_REQUIRE(mass.factor(system.reduced.calc_mass()));
  double deflection = 0;
  constexpr size_t kSamples = 16;
  for (size_t k = 0; k < times.size(); k += std::max<size_t>(1, times.size() / kSamples)) {
    const VectorX f = system.reduced.calc_load(system.calc_factors(times[k]));
    if (f.isZero(0)) continue;
    const double half_square = 0.5 * duration * duration;
    const StaticSolver solver(system, K);
    double slow = 2 * size(solver.solve(f));
    if (n_rigid > 0) slow = std::max(slow, half_square * size(system.rigid * solver.calc_relief(f)));
    deflection = std::max(deflection, std::min(slow, half_square * size(mass.solve(f))));
  }
  MotionSize out;
  out.position = std::max({size(z), time * size(z_rate), deflection});
  out.velocity = std::max(size(z_rate), time > 0 ? out.position / time : 0);
  if (!(out.position > 0)) out.position = 1;  // nothing moves
  if (!(out.velocity > 0)) out.velocity = 1;
  return out;
}

Trajectory simulate_blocks(const BodySystem& system, ConstraintMethod method, const VectorX& z, const VectorX& z_rate,
                           const std::vector<double>& times) {
  constexpr long kMostSteps = 200'000;
  constexpr double kTolerance = 1e-12;  // of a step; errors of some thousand steps stay below 1e-9
  const BlockSystem blocks(system);
  const MotionSize size = estimate_size(system, blocks, z, z_rate, times);
  ConstrainedOptions options;
  options.method = method;
  options.velocity_unit = size.velocity / size.position;
  options.ode.max_steps = kMostSteps;
  options.ode.relative = kTolerance;
  options.ode.absolute = kTolerance * size.position;
  const ConstrainedMotion found =
      integrate_constrained(blocks, blocks.scatter(system.constraints.expand(z)),
                            blocks.scatter(system.constraints.T() * z_rate), times, options);
  Trajectory out;
  out.times = found.times;
  out.steps = found.steps;
  out.z.resize(z.size(), found.q.cols());
  out.z_rate.resizeLike(out.z);
  for (Eigen::Index k = 0; k < found.q.cols(); ++k) {
    out.z.col(k) = system.constraints.restrict(blocks.gather(found.q.col(k)));
    out.z_rate.col(k) = system.constraints.restrict(blocks.gather(found.v.col(k)));
  }
  return out;
}

std::string reason_against_blocks(const BodySystem& system) {
  const int n = count_block_coordinates(system);
  if (n <= kMostBlockCoordinates) return "";
  return "its elements have " + std::to_string(n) + " coordinates before they are joined, at most " +
         std::to_string(kMostBlockCoordinates) + " are treated with full matrices";
}

class Maggi : public SystemFormalism {
 public:
  std::string_view name() const override { return "maggi"; }
  std::string_view summary() const override {
    return "unassembled elements projected on the motions that joints and supports leave; no multipliers";
  }
  bool makes_matrices() const override { return true; }
  Formula describe() const override {
    return {"", "A q' = b joins and supports the elements;  q' = B e + c with A B = 0;  B^T (M q'' + ... - Q) = 0", "",
            "A\\dot q = b, \\quad \\dot q = \\mathcal B e + c, \\quad A\\mathcal B = 0, \\quad "
            "\\mathcal B^T(M\\ddot q + \\dots - Q) = 0"};
  }
  std::string reason_against(const BodySystem& system) const override { return reason_against_blocks(system); }
  Trajectory simulate(const BodySystem& system, const VectorX& z, const VectorX& z_rate,
                      const std::vector<double>& times) const override {
    return simulate_blocks(system, ConstraintMethod::maggi_qr, z, z_rate, times);
  }
  bool knows_liaison_forces() const override { return true; }
  LiaisonForces find_liaison_forces(const BodySystem& system, double t, const VectorX& q,
                                    const VectorX& q_rate) const override {
    return calc_liaison_forces(system, t, q, q_rate, ConstraintMethod::maggi_qr);
  }
};

class Multipliers : public SystemFormalism {
 public:
  std::string_view name() const override { return "multipliers"; }
  std::string_view summary() const override {
    return "unassembled elements with a multiplier for each joint and support, solved together (saddle point)";
  }
  Formula describe() const override {
    return {"", "M q'' - A^T lambda = Q,  A q'' = gamma:  A q' = b joins and supports the elements", "",
            "M\\ddot q - A^T\\lambda = Q, \\quad A\\ddot q = \\gamma, \\quad A\\dot q = b"};
  }
  std::string reason_against(const BodySystem& system) const override { return reason_against_blocks(system); }
  Trajectory simulate(const BodySystem& system, const VectorX& z, const VectorX& z_rate,
                      const std::vector<double>& times) const override {
    return simulate_blocks(system, ConstraintMethod::multipliers, z, z_rate, times);
  }
  bool knows_liaison_forces() const override { return true; }
  LiaisonForces find_liaison_forces(const BodySystem& system, double t, const VectorX& q,
                                    const VectorX& q_rate) const override {
    return calc_liaison_forces(system, t, q, q_rate, ConstraintMethod::multipliers);
  }
};

}  // namespace

std::unique_ptr<const SystemFormalism> make_maggi() { return std::make_unique<Maggi>(); }
std::unique_ptr<const SystemFormalism> make_multipliers() { return std::make_unique<Multipliers>(); }

}  // namespace elodyn
