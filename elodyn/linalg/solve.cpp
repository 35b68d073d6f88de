#include "elodyn/linalg/solve.hpp"

#include <cmath>

#include <Eigen/SparseLU>
#include <cholmod.h>

#include "elodyn/base/error.hpp"

namespace elodyn {

struct CholeskySolver::Impl {
  Impl() {
    cholmod_start(&common);
    common.supernodal = CHOLMOD_SUPERNODAL;
    common.print = 0;
    common.error_handler = nullptr;
  }
  ~Impl() {
    cholmod_free_factor(&L, &common);
    cholmod_finish(&common);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  mutable cholmod_common common{};
  cholmod_factor* L = nullptr;
};

CholeskySolver::CholeskySolver() : impl_(std::make_unique<Impl>()) {}
CholeskySolver::~CholeskySolver() = default;
CholeskySolver::CholeskySolver(CholeskySolver&&) noexcept = default;
CholeskySolver& CholeskySolver::operator=(CholeskySolver&&) noexcept = default;

bool CholeskySolver::factor(const SparseMatrix& A) { return factor(A, false); }
bool CholeskySolver::refactor(const SparseMatrix& A) { return factor(A, impl_->L != nullptr); }

bool CholeskySolver::factor(const SparseMatrix& A, bool keep_analysis) {
  const auto n = A.rows();
  scale_.resize(n);
  const VectorX diagonal = A.diagonal();
  for (Eigen::Index i = 0; i < n; ++i) {
    if (!(diagonal[i] > 0)) {
      failed_column_ = static_cast<int>(i);
      return false;
    }
    scale_[i] = 1 / std::sqrt(diagonal[i]);
  }
  SparseMatrix scaled = scale_.asDiagonal() * A * scale_.asDiagonal();
  scaled.makeCompressed();

  cholmod_sparse view{};
  view.nrow = view.ncol = static_cast<size_t>(n);
  view.nzmax = static_cast<size_t>(scaled.nonZeros());
  view.p = scaled.outerIndexPtr();
  view.i = scaled.innerIndexPtr();
  view.x = scaled.valuePtr();
  view.stype = 1;  // the upper triangle is used
  view.itype = CHOLMOD_INT;
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = view.packed = 1;

  cholmod_common& common = impl_->common;
  if (!keep_analysis) {
    cholmod_free_factor(&impl_->L, &common);
    impl_->L = cholmod_analyze(&view, &common);
  }
  ELODYN_REQUIRE(impl_->L != nullptr);
  cholmod_factorize(&view, impl_->L, &common);
  failed_column_ = -1;
  if (common.status != CHOLMOD_OK || impl_->L->minor < impl_->L->n) {
    const auto* permutation = static_cast<const int*>(impl_->L->Perm);
    failed_column_ = permutation[std::min(impl_->L->minor, static_cast<size_t>(n - 1))];
    return false;
  }
  // The diagonal is 1, so a pivot of the size of round-off means singular though the factorisation went through.
  // The coordinate that yields most is where.
  constexpr double kSingular = 10 * kEps;
  if (cholmod_rcond(impl_->L, &common) < kSingular) {
    Eigen::Index where = 0;
    solve(diagonal.cwiseSqrt()).col(0).cwiseProduct(diagonal.cwiseSqrt()).cwiseAbs().maxCoeff(&where);
    failed_column_ = static_cast<int>(where);
    return false;
  }
  return true;
}

MatrixX CholeskySolver::solve(const MatrixX& b) const {
  ELODYN_REQUIRE(impl_->L != nullptr && failed_column_ < 0);
  MatrixX rhs = scale_.asDiagonal() * b;
  cholmod_dense view{};
  view.nrow = view.d = static_cast<size_t>(rhs.rows());
  view.ncol = static_cast<size_t>(rhs.cols());
  view.nzmax = static_cast<size_t>(rhs.size());
  view.x = rhs.data();
  view.xtype = CHOLMOD_REAL;
  view.dtype = CHOLMOD_DOUBLE;
  cholmod_dense* x = cholmod_solve(CHOLMOD_A, impl_->L, &view, &impl_->common);
  ELODYN_REQUIRE(x != nullptr);
  MatrixX out =
      scale_.asDiagonal() * Eigen::Map<const MatrixX>(static_cast<const double*>(x->x), rhs.rows(), rhs.cols());
  cholmod_free_dense(&x, &impl_->common);
  return out;
}

struct LuSolver::Impl {
  Eigen::SparseLU<SparseMatrix, Eigen::COLAMDOrdering<int>> lu;
};
LuSolver::LuSolver() : impl_(std::make_unique<Impl>()) {}
LuSolver::~LuSolver() = default;

bool LuSolver::factor(const SparseMatrix& A) {
  SparseMatrix compressed = A;
  compressed.makeCompressed();
  impl_->lu.compute(compressed);
  return impl_->lu.info() == Eigen::Success;
}
bool LuSolver::refactor(const SparseMatrix& A) {
  impl_->lu.factorize(A);
  return impl_->lu.info() == Eigen::Success;
}
MatrixX LuSolver::solve(const MatrixX& b) const { return impl_->lu.solve(b); }

}  // namespace elodyn
