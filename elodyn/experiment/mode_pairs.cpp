#include "elodyn/experiment/mode_pairs.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/assignment.hpp"

namespace elodyn {

MatrixX calc_mac(const Eigen::MatrixXcd& a, const Eigen::MatrixXcd& b) {
  ELODYN_REQUIRE(a.rows() == b.rows());
  MatrixX out = (a.adjoint() * b).cwiseAbs2();
  for (Eigen::Index i = 0; i < a.cols(); ++i)
    for (Eigen::Index j = 0; j < b.cols(); ++j) {
      const double size = a.col(i).squaredNorm() * b.col(j).squaredNorm();
      out(i, j) = size > 0 ? out(i, j) / size : 0;
    }
  return out;
}

std::vector<ModePair> pair_modes(const MatrixX& mac, const std::vector<double>& omega_first,
                                 const std::vector<double>& omega_second, double smallest, double weight) {
  ELODYN_REQUIRE(static_cast<Eigen::Index>(omega_first.size()) == mac.rows() &&
                 static_cast<Eigen::Index>(omega_second.size()) == mac.cols());
  if (mac.size() == 0) return {};
  constexpr double kNever = 10;  // worse than any pair that is allowed
  MatrixX cost(mac.rows(), mac.cols());
  for (Eigen::Index i = 0; i < mac.rows(); ++i)
    for (Eigen::Index j = 0; j < mac.cols(); ++j) {
      const double a = omega_first[static_cast<size_t>(i)], b = omega_second[static_cast<size_t>(j)];
      const double apart = a > 0 && b > 0 ? std::abs(std::log(a / b)) : a == b ? 0 : kNever;
      cost(i, j) = mac(i, j) < smallest ? kNever : 1 - mac(i, j) + weight * std::min(apart, kNever);
    }
  const bool is_wide = cost.rows() <= cost.cols();
  const std::vector<int> columns = assign_columns(is_wide ? cost : MatrixX(cost.transpose()));
  std::vector<ModePair> pairs;
  for (size_t k = 0; k < columns.size(); ++k) {
    const int row = static_cast<int>(k), first = is_wide ? row : columns[k], second = is_wide ? columns[k] : row;
    if (mac(first, second) >= smallest) pairs.push_back({first, second, mac(first, second)});
  }
  std::sort(pairs.begin(), pairs.end(), [](const ModePair& a, const ModePair& b) { return a.first < b.first; });
  return pairs;
}

std::complex<double> calc_scale(const Eigen::VectorXcd& a, const Eigen::VectorXcd& b) {
  const double size = b.squaredNorm();
  return size > 0 ? b.dot(a) / size : 0;
}

VectorX calc_comac(const Eigen::MatrixXcd& a, const Eigen::MatrixXcd& b, const std::vector<ModePair>& pairs) {
  ELODYN_REQUIRE(a.rows() == b.rows());
  VectorX cross = VectorX::Zero(a.rows()), aa = cross, bb = cross;
  for (const ModePair& pair : pairs) {
    // each shape of unit size, so that every pair counts alike
    const VectorX x = a.col(pair.first).normalized().cwiseAbs(), y = b.col(pair.second).normalized().cwiseAbs();
    cross += x.cwiseProduct(y);
    aa += x.cwiseAbs2();
    bb += y.cwiseAbs2();
  }
  VectorX out(a.rows());
  for (Eigen::Index i = 0; i < out.size(); ++i)
    out[i] = aa[i] > 0 && bb[i] > 0     ? cross[i] * cross[i] / (aa[i] * bb[i])
             : aa[i] == 0 && bb[i] == 0 ? std::nan("")
                                        : 0;
  return out;
}

}  // namespace elodyn
