// Names for the containers that every layer uses. SI units and radians everywhere.
#pragma once

#include <Eigen/Dense>
#include <Eigen/Sparse>

namespace elodyn {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;
using Vec6 = Eigen::Matrix<double, 6, 1>;  // twist (v, ω) or wrench (force, moment)
using VectorX = Eigen::VectorXd;
using MatrixX = Eigen::MatrixXd;
using Matrix3X = Eigen::Matrix3Xd;
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;
using SparseMatrix = Eigen::SparseMatrix<double>;  // column major

inline constexpr double kEps = 2.220446049250313e-16;

}  // namespace elodyn
