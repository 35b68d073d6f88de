#include "elodyn/linalg/complex_solve.hpp"

#include <vector>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseLU>
#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <lapacke.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

constexpr Eigen::Index kSmall = 32;  // below, a full matrix is faster
constexpr double kFull = 0.3;        // share of nonzeros from which on a matrix is full

bool is_full(const ComplexSparse& A) {
  const auto n = static_cast<double>(A.rows());
  return A.rows() <= kSmall || static_cast<double>(A.nonZeros()) > kFull * n * n;
}

}  // namespace

struct ComplexSolver::Impl {
  Eigen::SparseLU<ComplexSparse, Eigen::AMDOrdering<int>> lu;
  bool analysed = false, full = false;
  Eigen::MatrixXcd factors;
  std::vector<lapack_int> pivots;
};

ComplexSolver::ComplexSolver() : impl_(std::make_unique<Impl>()) {}
ComplexSolver::~ComplexSolver() = default;
ComplexSolver::ComplexSolver(ComplexSolver&&) noexcept = default;
ComplexSolver& ComplexSolver::operator=(ComplexSolver&&) noexcept = default;

bool ComplexSolver::factor(const ComplexSparse& A) {
  ELODYN_REQUIRE(A.rows() == A.cols() && A.isCompressed());
  if (!impl_->analysed) impl_->full = is_full(A);
  if (impl_->full) {
    const auto n = static_cast<lapack_int>(A.rows());
    impl_->analysed = true;
    impl_->factors = Eigen::MatrixXcd(A);
    impl_->pivots.resize(static_cast<size_t>(n));
    if (!impl_->factors.allFinite()) return false;
    return LAPACKE_zgetrf(LAPACK_COL_MAJOR, n, n, impl_->factors.data(), n, impl_->pivots.data()) == 0;
  }
  if (!impl_->analysed) {
    constexpr double kDiagonal = 0.1;  // of the largest in its column: still a pivot
    impl_->lu.isSymmetric(true);       // of its pattern
    impl_->lu.setPivotThreshold(kDiagonal);
    impl_->lu.analyzePattern(A);
    impl_->analysed = true;
  }
  impl_->lu.factorize(A);
  return impl_->lu.info() == Eigen::Success;
}

Eigen::VectorXcd ComplexSolver::solve(const Eigen::VectorXcd& b) const {
  ELODYN_REQUIRE(impl_->analysed);
  if (!impl_->full) return impl_->lu.solve(b);
  Eigen::VectorXcd x = b;
  const auto n = static_cast<lapack_int>(b.size());
  const lapack_int info =
      LAPACKE_zgetrs(LAPACK_COL_MAJOR, 'N', n, 1, impl_->factors.data(), n, impl_->pivots.data(), x.data(), n);
  ELODYN_REQUIRE(info == 0);
  return x;
}

}  // namespace elodyn
