#include "elodyn/experiment/lscf.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

// Σ_f Re(e^(imφ_f) h_f), m = −n … n; entry m + n.
VectorX sum_lags(const Eigen::MatrixXcd& powers, const Eigen::VectorXcd& h) {
  const Eigen::Index n = powers.cols() - 1;
  VectorX out(2 * n + 1);
  for (Eigen::Index m = 0; m <= n; ++m) {
    out[n + m] = (powers.col(m).transpose() * h).value().real();
    out[n - m] = (powers.col(m).adjoint() * h).value().real();
  }
  return out;
}

// Entry (j, k) is of the lag k − j.
MatrixX make_toeplitz(const VectorX& lags, Eigen::Index size) {
  const Eigen::Index n = (lags.size() - 1) / 2;
  MatrixX out(size, size);
  for (Eigen::Index k = 0; k < size; ++k)
    for (Eigen::Index j = 0; j < size; ++j) out(j, k) = lags[n + k - j];
  return out;
}

std::vector<Complex> find_roots(const VectorX& alpha) {
  Eigen::Index n = alpha.size() - 1;
  const double tiny = 1e-14 * alpha.cwiseAbs().maxCoeff();
  while (n > 0 && std::abs(alpha[n]) <= tiny) --n;
  if (n == 0) return {};
  MatrixX companion = MatrixX::Zero(n, n);
  for (Eigen::Index j = 0; j < n; ++j) companion(0, j) = -alpha[n - 1 - j] / alpha[n];
  for (Eigen::Index j = 1; j < n; ++j) companion(j, j - 1) = 1;
  Eigen::VectorXcd roots;
  Eigen::MatrixXcd vectors;
  general_eigen(companion, roots, vectors);
  return {roots.data(), roots.data() + roots.size()};
}

}  // namespace

std::vector<std::vector<Complex>> calc_lscf_poles(const VectorX& omega, const Eigen::MatrixXcd& H,
                                                  const std::vector<int>& orders) {
  ELODYN_REQUIRE(omega.size() == H.rows() && omega.size() > 2 && !orders.empty());
  const double first = omega[0], width = omega[omega.size() - 1] - first;
  ELODYN_REQUIRE(width > 0);
  const Eigen::Index n = *std::max_element(orders.begin(), orders.end());
  Eigen::MatrixXcd powers(omega.size(), n + 1);
  for (Eigen::Index i = 0; i < omega.size(); ++i)
    for (Eigen::Index m = 0; m <= n; ++m)
      powers(i, m) = std::polar(1.0, std::numbers::pi * (omega[i] - first) / width * static_cast<double>(m));
  const VectorX r = sum_lags(powers, Eigen::VectorXcd::Ones(omega.size()));
  std::vector<VectorX> s;
  VectorX t = VectorX::Zero(2 * n + 1);
  for (Eigen::Index o = 0; o < H.cols(); ++o) {
    const double size = H.col(o).norm();
    if (!(size > 0)) continue;
    const Eigen::VectorXcd h = H.col(o) / size;
    s.push_back(-sum_lags(powers, h));
    t += sum_lags(powers, h.cwiseAbs2().cast<Complex>());
  }
  std::vector<std::vector<Complex>> out(orders.size());
  const OneBlasThread one;
  parallel_for(static_cast<int>(orders.size()), [&](int which) {
    const Eigen::Index order = orders[static_cast<size_t>(which)], size = order + 1;
    MatrixX L = make_toeplitz(r, size);
    if (!cholesky_in_place(L)) return;  // more coefficients than frequencies
    MatrixX M = make_toeplitz(t, size);
    for (const VectorX& lags : s) {
      MatrixX S = make_toeplitz(lags, size);
      solve_lower(L, S);
      M -= S.transpose() * S;
    }
    MatrixX A = M.bottomRightCorner(order, order), b = -M.bottomLeftCorner(order, 1);
    if (!solve_in_place(A, b)) return;
    VectorX alpha(size);
    alpha << 1, b;
    std::vector<Complex>& poles = out[static_cast<size_t>(which)];
    for (const Complex z : find_roots(alpha)) {
      const double angle = std::arg(z);
      if (!(angle > 0 && angle < std::numbers::pi) || std::abs(z) == 0) continue;
      poles.emplace_back(std::log(std::abs(z)) * width / std::numbers::pi, first + angle * width / std::numbers::pi);
    }
  });
  return out;
}

}  // namespace elodyn
