// Hamilton's equations of one body: coordinates and momenta, of first order in time.
//   p = M ż + C z,   H = ½ (p − C z)ᵀM⁻¹(p − C z) + ½ zᵀK z − fᵀz                                    (1)
//   ż = ∂H/∂p,   ṗ = −∂H/∂z − D ż − N z                                                              (2)
// C = Σ w G, the skew half of the Coriolis term; K all that has a potential (elastic, centrifugal, geometric, and the
// symmetric part of Σ e E); D damping; N what has no potential: dashpots to the ground, and the skew part of Σ e E less
// the rate Ċ = Σ e G, which ṗ holds already. For e = ẇ these two cancel: Euler's force comes out of the rate of C.
// The gauge is that of formalism/hamilton.cpp: the velocity of the frame's origin is transformed away.
// Everything here is in scaled coordinates y = z/d, p_y = d p with d = diag(M)^-½, a canonical transformation that
// makes metres and radians weigh the same; state x = (y, p_y). Source: [Hairer2006], VI. Limits: those of the affine
// equation (small displacements); e must be the rate of w.
#pragma once

#include <optional>
#include <vector>

#include "elodyn/linalg/solve.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

// What C is to do between this instant and the next: stay as it is (modes), or change with the motion.
enum class FrameRate { frozen, moving };

// (1) and (2) at one instant, scaled coordinates.
struct CanonicalTerms {
  SparseMatrix C, K, D, N;  // all on the pattern of the equation, also where they are zero
  VectorX f;
  bool has_D = true, has_N = true;  // false: zero all over
};

class CanonicalEquation {
 public:
  // Factors M once. Throws NumericalError naming the dof if M is not positive definite. The system must live longer.
  explicit CanonicalEquation(const BodySystem& system);

  const BodySystem& system() const { return *system_; }
  Eigen::Index size() const { return d_.size(); }  // of y; x has twice as many
  const SparseMatrix& mass() const { return M_; }
  // D gets Σ weight·column·columnᵀ besides.
  const ModalDamping& modal() const { return modal_; }
  // True if anything but (1) acts, whatever the motion: damping or a dashpot to the ground.
  bool has_damping() const { return has_damping_; }

  CanonicalTerms calc_terms(const FactorValues& at, FrameRate rate) const;
  // The same in place; allocates nothing if `out` has been used before.
  void calc_terms(const FactorValues& at, FrameRate rate, CanonicalTerms& out) const;
  // p += C y alone.
  void add_coriolis(const FactorValues& at, const VectorX& y, Eigen::Ref<VectorX> p) const;
  void solve_mass(const VectorX& b, VectorX& x) const;  // x = M⁻¹b

  VectorX make_state(const CanonicalTerms& terms, const VectorX& z, const VectorX& z_rate) const;
  VectorX calc_coordinates(const VectorX& x) const;                              // z
  VectorX calc_velocities(const CanonicalTerms& terms, const VectorX& x) const;  // ż
  const VectorX& scale() const { return d_; }

  void calc_rate(const CanonicalTerms& terms, const VectorX& x, VectorX& rate) const;  // ẋ of (2)
  double calc_hamiltonian(const CanonicalTerms& terms, const VectorX& x) const;
  // T + ½|zᵀKz| + |fᵀz|: the size of what adds up to H.
  double calc_energy_size(const CanonicalTerms& terms, const VectorX& x) const;

  // Full matrices, for few unknowns. ẋ = (J∇²H + Q) x + loads.
  MatrixX calc_canonical_matrix(const CanonicalTerms& terms) const;  // J∇²H
  MatrixX calc_force_matrix(const CanonicalTerms& terms) const;      // Q: the forces −D ż − N z
  // (J∇²H + Q − σ)⁻¹ from one solve with σ²M + σ(2C + D) + K + N; nothing if that is singular. `stiffness`: K + N.
  std::optional<MatrixX> calc_shifted_inverse(const CanonicalTerms& terms, const MatrixX& stiffness,
                                              double sigma) const;

 private:
  friend class ProjectedEquation;
  enum class Target { C, K, D, N };
  enum class When { always, frozen, moving };
  struct Part {  // factor·values is added to a matrix
    Target target;
    When when;
    Factor factor;
    VectorX values;
  };

  void add_parts();
  VectorX scale_values(const VectorX& values) const;
  VectorX transpose_values(const VectorX& values) const;

  const BodySystem* system_;
  VectorX d_;
  SparseMatrix M_;
  CholeskySolver factor_;
  MatrixX inverse_;  // of M, if there are few unknowns: quicker than a sparse solve
  ModalDamping modal_;
  std::vector<Part> parts_;
  bool has_damping_ = false;
  mutable VectorX momentum_, velocity_;  // work
};

// (1) and (2) for motions y = Φη of few columns, M-orthonormal: full matrices, with M = 1 and all damping in D.
struct ProjectedTerms {
  MatrixX C, K, D, N;
};
class ProjectedEquation {
 public:
  ProjectedEquation(const CanonicalEquation& equation, const MatrixX& basis);
  Eigen::Index size() const { return D_.rows(); }
  void calc_terms(const FactorValues& at, ProjectedTerms& out) const;  // FrameRate::moving

 private:
  struct Part {
    CanonicalEquation::Target target;
    Factor factor;
    MatrixX matrix;
  };
  std::vector<Part> parts_;
  MatrixX D_;  // modal
};

}  // namespace elodyn
