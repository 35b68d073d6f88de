// The eigenproblem of a body at one instant, and what a mode is called; what modes, simulate, campbell and stability
// share.
#pragma once

#include <span>

#include "elodyn/linalg/speed_pencil.hpp"
#include "elodyn/results/results.hpp"
#include "elodyn/system/system.hpp"

namespace elodyn {

QuadraticProblem make_mode_problem(const BodySystem& system, double time);

// The same of a body that rests or spins, for every speed.
SpeedPencil make_speed_pencil(const BodySystem& system);

// What a term, with its coefficient but without its factor, makes of the body's rigid motions: nothing if it is
// elastic; what damping leaves of forces that cancel is taken off.
MatrixX apply_to_rigid(const BodySystem& system, const MatrixTerm& term);
// The same of modal damping.
MatrixX apply_modal_damping_to_rigid(const BodySystem& system);

// Which kind of mode, label and shares: rigid if it moves the body almost without bending it, else by its strain
// energy. Z: reduced coordinates of the modes, Q: all coordinates, in columns.
void label_modes(const BodySystem& system, const SparseMatrix& M, const Eigen::MatrixXcd& Z, const Eigen::MatrixXcd& Q,
                 std::span<Mode* const> modes);
// Q of Z.
Eigen::MatrixXcd expand(const BodySystem& system, const Eigen::MatrixXcd& Z);

}  // namespace elodyn
