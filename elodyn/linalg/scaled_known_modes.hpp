// Known modes (linalg/known_modes.hpp) beside those that are solved for, in coordinates scaled by diag(M)^½.
#pragma once

#include "elodyn/linalg/known_modes.hpp"

namespace elodyn {

class ScaledKnownModes {
 public:
  ScaledKnownModes(const KnownModes& known, const VectorX& d);  // d = diag(M)^-½

  Eigen::Index size() const { return V_.cols(); }
  // They become the eigenvalue 0 of the inverse.
  void remove_from(MatrixX& inverse) const;
  // What of a vector of the mode λ is not theirs.
  Eigen::VectorXcd clean(std::complex<double> lambda, const Eigen::VectorXcd& x) const;

 private:
  MatrixX V_, W_;
};

// The known modes come first, then as many of the others as were asked for and those that grow; vectors are scaled.
void add_known(const QuadraticProblem& problem, const KnownModes& known, int count, QuadraticModes& out);

}  // namespace elodyn
