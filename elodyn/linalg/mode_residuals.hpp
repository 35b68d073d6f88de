// How well modes satisfy (λ²M + λC + K) φ = 0.
#pragma once

#include "elodyn/linalg/eigen.hpp"

namespace elodyn {

// Largest entries of Q(λ)x and of the sizes |λ|²|M||x| + |λ||C||x| + |K||x| that it is made of, coordinates scaled by
// d.
struct Residual {
  double error = 0, size = 0;
};
std::vector<Residual> calc_residuals(const QuadraticProblem& problem, const VectorX& d,
                                     const std::vector<std::complex<double>>& values, const Eigen::MatrixXcd& scaled);

inline constexpr double kAcceptedResidual = 1e-9;  // error / size

// Of modes with scaled vectors.
double find_worst_residual(const QuadraticProblem& problem, const QuadraticModes& modes);

}  // namespace elodyn
