// One body at every speed Ω of its spin: does it grow?
//   (λ²M + λ[D + ΩG'] + K0 + ΩN + Ω²K2) φ = 0,   G' = 2G, K2 = S + Kg of the spin, N: dashpots to the ground
// The body is assembled once; a speed costs two sums of matrices and the eigenvalues that decide.
// Conservative (D = 0, N = 0, K0 > 0), by three theorems [Merkin1997, Kirillov2013]:
//   divergence   K(Ω) = K0 + Ω²K2 is singular at Ω² = s with (K0 + sK2)φ = 0: a symmetric pencil, solved once; K(Ω) has
//                as many negative eigenvalues as there are s in (0, Ω²) (Sylvester), which is counted at the fastest
//                That needs neither D = 0 nor, of motions that neither K0 nor K2 resists (a shaft in bearings may turn
//                and slide), K0 > 0: these are held.
//   K(Ω) > 0     gyroscopic forces do no work, so the energy bounds the motion: growth is exactly 0
//   index        k_real + k_complex + k_negative = number of negative eigenvalues of K: positive real λ, λ with Re > 0
//                off the real axis, and ±iω with energy φᴴ(ω²M + K)φ < 0. Where the eigenvalues that were found add up
//                to it, no growing one is missing.
// Eigenvalues are followed from speed to speed by two-sided Rayleigh iteration on band matrices; each is accepted by
// its residual, the set by its index. Where that fails, and at the start, a small problem on the lowest modes and
// divergence shapes gives the start; where that fails too, and for bodies with damping, ground dashpots or free
// motions, full matrices give all. Limits: as of modes; frozen in the frame of the spin. Growth below 1e-8 of |λ|
// counts as none.
#pragma once

#include <complex>
#include <memory>
#include <mutex>
#include <vector>

#include "elodyn/linalg/band.hpp"
#include "elodyn/linalg/speed_pencil.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

// What a body does at one speed.
struct SpeedPoint {
  enum class Kind { stable, divergence, flutter };  // by the eigenvalue that grows fastest: real, or complex
  enum class Way { theorem, followed, full };       // how the growth was found: K > 0; by its index; all eigenvalues
  Kind kind = Kind::stable;
  Way way = Way::theorem;
  double growth = 0;        // 1/s, largest Re λ; 0 for an undamped body that does not grow
  double frequency = 0;     // rad/s, smallest Im λ ≥ 0; beyond divergence 0
  bool indefinite = false;  // K(Ω) is not positive definite
};

const char* to_string(SpeedPoint::Kind kind);

class SpeedLine {
 public:
  using Complex = std::complex<double>;
  // What is known from the speed before; starts empty. The digits of a point depend on it beyond the tolerance only.
  struct Trace {
    struct Pair {
      Complex value;
      Eigen::VectorXcd right, left;
    };
    std::vector<Pair> pairs;  // of the index, at n_negative
    std::vector<Pair> other;  // the lowest that swings besides; none or one
    int n_negative = 0;
    Eigen::VectorXcd lowest;              // vector of the lowest frequency
    std::vector<Eigen::Vector2d> passed;  // (Ω², ω²) of the last two
  };

  // `fastest`: the largest |Ω| that will be asked for. The body must be at rest or spin.
  SpeedLine(const BodySystem& system, double fastest);

  SpeedPoint solve(double speed, Trace& trace) const;

  // Points that are worth following from one to the next: about a second's work, by the size of the body alone; 1 where
  // nothing is followed.
  static constexpr int kMostFollowed = 64;
  int n_followed() const;

  // Speeds up to the fastest at which K(Ω) is singular, ascending; none if they are not known.
  const std::vector<double>& divergence_speeds() const { return divergence_; }
  bool knows_divergence() const { return knows_divergence_; }
  // The first one at any speed; infinite: none.
  double first_divergence() const { return first_divergence_; }
  bool is_conservative() const { return is_conservative_; }
  int size() const { return plan_.n; }

 private:
  struct Reduced {
    MatrixX basis, g, k0, k2;  // M-orthonormal
  };

  bool find_divergence(const MatrixX& rigid, double fastest);
  bool knows_all_divergence(const SparseMatrix& K0, const SparseMatrix& K2, bool is_held, double fastest) const;
  void forget_divergence();
  int count_negative(double speed) const;
  const Reduced& reduced() const;

  template <class S>
  bool find_lowest(double speed, const VectorX& K, Trace& trace, double& omega) const;
  template <class S>
  bool iterate_lowest(double speed, const VectorX& K, double& shift, int steps, BandVector<S>& x, double& omega) const;
  template <class S>
  bool refine(double speed, const VectorX& K, S& value, BandVector<S>& x, BandVector<S>& z) const;
  bool refine(double speed, const VectorX& K, Trace::Pair& pair) const;
  int find_index(const VectorX& K, Trace::Pair& pair) const;
  bool refine_all(double speed, const VectorX& K, int n_negative, std::vector<Trace::Pair>& pairs) const;
  void guess(double speed, Trace& trace) const;
  double find_other_frequency(double speed, const VectorX& K, Trace& trace) const;
  SpeedPoint solve_definite(double speed, const VectorX& K, Trace& trace) const;
  SpeedPoint solve_fully(double speed) const;
  QuadraticProblem make_problem(double speed) const;

  SparseMatrix M_, D_, G_, K0_, N_, K2_;  // reduced coordinates of the body
  FreePencil free_;
  MatrixX damped_;
  VectorX damping_weights_;
  bool is_conservative_ = true, has_gyroscopic_ = false, has_damping_ = false;
  std::vector<double> divergence_;
  MatrixX divergence_shapes_;
  double first_divergence_ = 0;
  bool knows_divergence_ = false;
  // The same as bands, coordinates scaled by diag(M)^-½.
  VectorX scale_;  // in the order of the band
  std::vector<int> order_;
  BandPlan plan_;
  VectorX m_, g_, k0_, k2_;
  mutable std::once_flag reduced_once_;
  mutable std::unique_ptr<const Reduced> reduced_;
};

}  // namespace elodyn
