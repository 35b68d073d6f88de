// Scalars of a station's forces, for formalisms that differentiate them. Per length, at strain e, gradients g = L q,
// temperatures T and loads:
//   V = ½ e·C e − e·C Θ T,      ηⱼ = ½ g·Ψⱼ g (it works against pⱼ),                                     (1)
//   F = ½ ζ·c ζ  (Rayleigh),    ζ = ė, of dashpots to the ground ė + Σ ωₖ Tₖ q,                          (2)
//   W = f·u + c·ϑ               of dead loads.                                                           (3)
// The variables stand in `z` one after another; entries of the matrices that are zero cost nothing.
#pragma once

#include <vector>

#include "elodyn/base/dual.hpp"
#include "elodyn/formalism/formalism.hpp"

namespace elodyn {

// Σᵢⱼ z[first + i] A(i, j) z[next + j]
template <class S>
Dual<Dual<S>> bilinear(const std::vector<Dual<Dual<S>>>& z, size_t first, const MatrixOf<S>& A, size_t next) {
  Dual<Dual<S>> sum = 0.0;
  for (Eigen::Index j = 0; j < A.cols(); ++j)
    for (Eigen::Index i = 0; i < A.rows(); ++i)
      if (!(A(i, j) == S(0)))
        sum += scaled(z[first + static_cast<size_t>(i)] * z[next + static_cast<size_t>(j)], A(i, j));
  return sum;
}

// The matrix of ∂²f/∂z[first + i]∂z[next + j], all at z = 0.
template <class S, class Function>
MatrixOf<S> second_partials(const Function& f, std::vector<Dual<Dual<S>>>& z, size_t first, Eigen::Index n_rows,
                            size_t next, Eigen::Index n_columns) {
  MatrixOf<S> out(n_rows, n_columns);
  for (Eigen::Index i = 0; i < n_rows; ++i)
    for (Eigen::Index j = 0; j < n_columns; ++j)
      out(i, j) = second_partial(f, z, first + static_cast<size_t>(i), next + static_cast<size_t>(j));
  return out;
}

// ∂V/∂q, ∂ηⱼ/∂q, ∂F/∂q̇ and ∂W/∂q of one station, by nested dual numbers: K, Γ, D, N and the loads.
template <class S>
void add_forces_of_energies(const BasicStation<S>& station, const MotionBasis& basis, BasicElementTerms<S>& terms);

}  // namespace elodyn
