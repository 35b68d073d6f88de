// How well modes satisfy (λ²M + λC + K) φ = 0.
#pragma once

#include "elodyn/linalg/eigen.hpp"
#include "elodyn/linalg/row_product.hpp"

namespace elodyn {

// Largest entries of Q(λ)x and of the sizes |λ|²|M||x| + |λ||C||x| + |K||x| that it is made of, coordinates scaled by
// d.
struct Residual {
  double error = 0, size = 0;
  // Backward error: the share by which the matrices would have to be changed. 0: a motion that turns freely.
  double relative() const { return error == 0 ? 0 : error / size; }
};
std::vector<Residual> calc_residuals(const QuadraticProblem& problem, const VectorX& d,
                                     const std::vector<std::complex<double>>& values, const Eigen::MatrixXcd& scaled);

// The same of vectors that are not scaled, in columns 2k (real parts) and 2k + 1 of X, its width a multiple of
// kPadding; `damping`: what acts on them besides C, may be empty.
std::vector<Residual> calc_residuals(const RowPencil& pencil, const SparseMatrix& K, const VectorX& d,
                                     const std::vector<std::complex<double>>& values, const RowBlock& X,
                                     const Eigen::MatrixXcd& damping);

inline constexpr double kAcceptedResidual = 1e-9;  // error / size

// Of modes with scaled vectors.
double find_worst_residual(const QuadraticProblem& problem, const QuadraticModes& modes);

}  // namespace elodyn
