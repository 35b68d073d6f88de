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

// The same for other scalars: counted (base/counted.hpp), symbolic (base/symbolic.hpp).
template <class S>
using Vec3Of = Eigen::Matrix<S, 3, 1>;
template <class S>
using Mat3Of = Eigen::Matrix<S, 3, 3>;
template <class S>
using VectorOf = Eigen::Matrix<S, Eigen::Dynamic, 1>;
template <class S>
using MatrixOf = Eigen::Matrix<S, Eigen::Dynamic, Eigen::Dynamic>;
template <class S>
using Matrix3Of = Eigen::Matrix<S, 3, Eigen::Dynamic>;

inline constexpr double kEps = 2.220446049250313e-16;

}  // namespace elodyn
