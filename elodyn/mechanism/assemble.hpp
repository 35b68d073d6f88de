// A mechanism put together: q with Φ(q, t) = 0 and the joint positions that are given, from the guess of places and
// attitudes, by Levenberg and Marquardt's method; then v with A v = b and the joint speeds that are given, the rest as
// slow as may be (least squares). Rows of A that follow from others are found by rank, there and in a position beside
// it, so that a singular position is not taken for a redundant constraint.
// A mechanism that cannot be assembled is a NumericalError, which names the joint with the largest gap.
#pragma once

#include <string>
#include <vector>

#include "elodyn/mechanism/motion_solver.hpp"

namespace elodyn {

struct Assembly {
  MechanismState state;
  RowChoice rows;
  std::vector<std::string> redundant;  // names of the rows that are left out
  bool is_singular = false;            // the freedoms at the start are more than beside it
  int iterations = 0;
};

// Name of a rolling joint in space whose disk lies flat on its plane: the sine between their normals is below `least`.
// Empty: none.
std::string find_flat_disk(const Mechanism& mechanism, const MechanismInstant& at, double least);

// Gears take the position that comes out, so the mechanism is changed.
Assembly assemble(Mechanism& mechanism, double t);

}  // namespace elodyn
