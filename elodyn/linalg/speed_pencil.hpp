// The quadratic eigenproblem of a spinning body at any speed Ω, and its modes there with all that tracks them:
//   Q(λ, Ω) x = [λ²M + λ(C0 + Ω C1) + K0 + Ω K1 + Ω² K2] x = 0,   y* Q = 0,   y* ∂Q/∂λ x = 1
//   dλ/dΩ = −y* (λ C1 + K1 + 2Ω K2) x                                                        ([Lancaster1964])
// Two modes, at two speeds, belong together as far as their states (x, λx) do: with the left state (y*(λM + C), y*) of
// the first-order form  s_12 = y_1*(λ_1 M + C_1) x_2 + λ_2 y_1* M x_2,  |s_12 s_21| is 1 for the same mode and 0 for
// two modes at one speed, whatever their lengths. Where C is skew and K positive, y = x and this is the correlation in
// the energy diag(K, M), below 1 always. Equal values: their vectors are turned so that the derivative of Q is diagonal
// among them; each then has the slope of one of the curves that meet there.
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "elodyn/base/types.hpp"
#include "elodyn/linalg/eigen.hpp"

namespace elodyn {

// FreeMotions at any speed: what each matrix makes of the motions R.
struct FreePencil {
  MatrixX R, C0, C1, K0, K1, K2;

  FreeMotions at(double speed) const {
    if (R.cols() == 0) return {};
    return {R, C0 + speed * C1, K0 + speed * K1 + speed * speed * K2};
  }
};

template <class Matrix>
struct PencilOf {
  Matrix M, C0, C1, K0, K1, K2;
  bool is_conservative = true;  // C0 = 0, C1 = −C1ᵀ, K1 = 0, K0 and K2 symmetric
  FreePencil free;

  Matrix calc_C(double speed) const { return C0 + speed * C1; }
  Matrix calc_K(double speed) const { return K0 + speed * K1 + speed * speed * K2; }
  Eigen::Index size() const { return M.rows(); }
};
using DensePencil = PencilOf<MatrixX>;

struct SpeedPencil : PencilOf<SparseMatrix> {
  MatrixX damped;  // C0 gets Σ weight·column·columnᵀ besides; no column: nothing
  VectorX damping_weights;

  MatrixX times_C0(const MatrixX& x) const;  // with that part
};

struct PencilModes {
  double speed = 0;
  std::vector<std::complex<double>> values;  // Im ≥ 0, ascending; of a conservative pencil without −s of a real pair ±s
  Eigen::MatrixXcd x, y;                     // columns
  std::vector<std::complex<double>> slopes;  // dλ/dΩ
  Eigen::MatrixXcd dQx;                      // columns (∂Q/∂Ω) x
  std::vector<int> group;                    // equal values have the same number
  std::vector<bool> is_simple;               // y* ∂Q/∂λ x is safely not 0: slope and states are meant
  Eigen::MatrixXcd states, left_states;      // columns (x, λx), rows (y*(λM + C), y*M)
  Eigen::MatrixXcd Mx;

  int size() const { return static_cast<int>(values.size()); }
};

inline constexpr double kSameValue = 1e-8;  // of |λ|: values so near are one

// The modes with the `count` smallest |λ|, and those that grow.
PencilModes solve_pencil(const DensePencil& pencil, double speed, int count);

// How far mode i of `a` and mode j of `b` belong together, 0 to 1. A mode that has passed through λ = 0 goes on as its
// conjugate; that counts too.
MatrixX correlate(const PencilModes& a, const PencilModes& b);

// |t_ij t_ji| with t_ij = −y_i* (∂Q/∂Ω) x_j: what mixes two modes as the speed changes. Not meant where one of them is
// not simple.
MatrixX calc_couplings(const PencilModes& modes);

// Speeds Ω > 0, ascending, at which λ = iκΩ is a value: K0 x = Ω²(κ²M − iκC1 − K2) x, a Hermitian problem with the
// definite K0. Nothing if the pencil is not conservative or K0 is not positive definite.
std::optional<std::vector<double>> solve_critical_speeds(const DensePencil& pencil, double order);

}  // namespace elodyn
