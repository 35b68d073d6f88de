#include "elodyn/analysis/whirl.hpp"

#include <cmath>

namespace elodyn {

double Whirl::seen_from_ground(double omega, double speed) const {
  if (!moves_across() || speed == 0) return omega;
  if (!is_circular()) return std::nan("");
  return forward > 0.5 ? omega + speed : speed - omega;
}

const char* Whirl::name(double omega, double speed) const {
  constexpr double kStraight = 0.05;  // shares of both circles within that of ½: a line
  if (!moves_across() || std::abs(forward - 0.5) < kStraight) return "none";
  if (!is_circular()) return "mixed";
  return seen_from_ground(omega, speed) > 0 && (speed > 0 || forward > 0.5) ? "forward" : "backward";
}

WhirlMeter::WhirlMeter(const BodySystem& s, const MatrixX& basis) {
  const VectorX mass = s.full.calc_mass().diagonal();
  const Vec3 axis = s.basis.axes[0], across = axis.unitOrthogonal(), other = axis.cross(across);
  const Vec3 directions[] = {across, other};
  std::vector<Eigen::Triplet<double>> entries[2];
  int row = 0;
  // Rotations too: nodes may be where a mode has its own, and the ends of a short shaft are held.
  for (const Node& node : s.mesh.nodes)
    for (const std::array<int, 3>& dofs : {node.translations(), node.rotations()}) {
      double weight = 0;
      for (const int dof : dofs) weight = std::max(weight, dof >= 0 ? mass[dof] : 0);
      for (size_t d = 0; d < 2; ++d)
        for (int k = 0; k < 3; ++k)
          if (const int dof = dofs[static_cast<size_t>(k)]; dof >= 0)
            entries[d].emplace_back(row, dof, std::sqrt(weight) * directions[d][k]);
      ++row;
    }
  MatrixX* parts[] = {&first_, &second_};
  for (size_t d = 0; d < 2; ++d) {
    SparseMatrix pick(row, s.mesh.n_dofs());
    pick.setFromTriplets(entries[d].begin(), entries[d].end());
    *parts[d] = SparseMatrix(pick * s.constraints.T()) * basis;
  }
  M_ = basis.transpose() * (s.reduced.calc_mass() * basis);
}

Whirl WhirlMeter::measure(const Eigen::VectorXcd& x) const {
  using Complex = std::complex<double>;
  const Eigen::VectorXcd u1 = first_.cast<Complex>() * x, u2 = second_.cast<Complex>() * x;
  const double total = std::abs(x.dot(M_.cast<Complex>() * x)), across = u1.squaredNorm() + u2.squaredNorm();
  const double f = (u1 + Complex(0, 1) * u2).squaredNorm(), b = (u1 - Complex(0, 1) * u2).squaredNorm();
  Whirl whirl;
  whirl.forward = f + b > 0 ? f / (f + b) : 0.5;
  whirl.transverse = total > 0 ? across / total : 0;
  return whirl;
}

}  // namespace elodyn
