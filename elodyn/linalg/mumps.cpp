#include "elodyn/linalg/mumps.hpp"

#include <algorithm>
#include <dmumps_c.h>
#include <mutex>
#include <new>
#include <type_traits>
#include <zmumps_c.h>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/cluster.hpp"

namespace elodyn {
namespace {

std::mutex& mumps_mutex() {
  static std::mutex mutex;
  return mutex;
}

void call(DMUMPS_STRUC_C& id) { dmumps_c(&id); }
void call(ZMUMPS_STRUC_C& id) { zmumps_c(&id); }
double* entries(double* x) { return x; }
ZMUMPS_COMPLEX* entries(std::complex<double>* x) { return reinterpret_cast<ZMUMPS_COMPLEX*>(x); }

// Numbers of its parameters as in MUMPS's guide, which counts from 1.
template <class Id>
auto& icntl(Id& id, int k) {
  return id.icntl[k - 1];
}

int communicator = -987654;  // "the world", as its guide has it

constexpr int kInit = -1, kEnd = -2, kAnalyse = 1, kFactor = 2, kSolve = 3;

}  // namespace

void set_mumps_communicator(int number) { communicator = number; }

template <class Scalar>
struct PivotingSolver<Scalar>::Impl {
  using Id = std::conditional_t<std::is_same_v<Scalar, double>, DMUMPS_STRUC_C, ZMUMPS_STRUC_C>;

  explicit Impl(Symmetry symmetry) {
    id.par = 1;
    id.sym = symmetry == Symmetry::symmetric ? 2 : 0;
    id.comm_fortran = communicator;
    run(kInit);
    for (int k = 1; k <= 3; ++k) icntl(id, k) = -1;  // no messages
    icntl(id, 4) = 0;
  }
  ~Impl() {
    const std::lock_guard lock(mumps_mutex());
    id.job = kEnd;
    call(id);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  int run(int job) {
    const std::lock_guard lock(mumps_mutex());
    id.job = job;
    call(id);
    return id.infog[0];
  }

  mutable Id id{};
  std::vector<MUMPS_INT> rows, columns, order;
  std::vector<Scalar> values;
};

template <class Scalar>
PivotingSolver<Scalar>::PivotingSolver() = default;
template <class Scalar>
PivotingSolver<Scalar>::~PivotingSolver() = default;
template <class Scalar>
PivotingSolver<Scalar>::PivotingSolver(PivotingSolver&&) noexcept = default;
template <class Scalar>
PivotingSolver<Scalar>& PivotingSolver<Scalar>::operator=(PivotingSolver&&) noexcept = default;

template <class Scalar>
bool PivotingSolver<Scalar>::factor(const Sparse& A, Symmetry symmetry, const std::vector<int>& order) {
  impl_.reset();
  shared_.reset();
  if constexpr (std::is_same_v<Scalar, double>) {
    if (Cluster* others = cluster_for(A.rows())) {
      if (symmetry == Symmetry::symmetric)  // of which only the lower triangle counts
        shared_ = others->factor(SparseMatrix(A.template selfadjointView<Eigen::Lower>()), symmetry);
      else
        shared_ = others->factor(A, symmetry);
      n_negative_ = shared_ ? shared_->n_negative() : 0;
      return shared_ != nullptr;
    }
  }
  impl_ = std::make_unique<Impl>(symmetry);
  Impl& m = *impl_;
  const bool half = symmetry == Symmetry::symmetric;
  m.rows.reserve(static_cast<size_t>(A.nonZeros()));
  m.columns.reserve(static_cast<size_t>(A.nonZeros()));
  m.values.reserve(static_cast<size_t>(A.nonZeros()));
  for (int j = 0; j < A.outerSize(); ++j)
    for (typename Sparse::InnerIterator it(A, j); it; ++it) {
      if ((half && it.row() < j) || it.value() == Scalar(0)) continue;
      m.rows.push_back(static_cast<MUMPS_INT>(it.row()) + 1);
      m.columns.push_back(j + 1);
      m.values.push_back(it.value());
    }
  auto& id = m.id;
  id.n = static_cast<MUMPS_INT>(A.rows());
  id.nnz = static_cast<MUMPS_INT8>(m.values.size());
  id.irn = m.rows.data();
  id.jcn = m.columns.data();
  id.a = entries(m.values.data());
  icntl(id, 7) = 5;    // METIS
  icntl(id, 14) = 60;  // % of memory more than foreseen, for pivoting
  if (!order.empty()) {
    m.order.resize(order.size());
    for (size_t k = 0; k < order.size(); ++k) m.order[static_cast<size_t>(order[k])] = static_cast<MUMPS_INT>(k) + 1;
    id.perm_in = m.order.data();
    icntl(id, 7) = 1;
    icntl(id, 12) = 1;  // the order is kept, not found anew for pairs of rows
  }
  icntl(id, 24) = 0;
  int status = m.run(kAnalyse);
  for (int attempt = 0; status == 0 && attempt < 6; ++attempt) {
    status = m.run(kFactor);
    constexpr int kWorkspaceTooSmall = -9, kStackTooSmall = -8;
    if (status != kWorkspaceTooSmall && status != kStackTooSmall) break;
    icntl(id, 14) *= 2;
    if (attempt < 5) status = 0;
  }
  constexpr int kSingularStructure = -6, kSingular = -10, kNoMemory = -13;
  if (status == kNoMemory) throw std::bad_alloc();
  if (status == kSingular || status == kSingularStructure) {
    impl_.reset();
    return false;
  }
  if (status < 0)
    throw NumericalError(
        fmt::format("the factorisation of {} unknowns failed (MUMPS {} {})", A.rows(), status, id.infog[1]));
  n_negative_ = static_cast<int>(id.infog[11]);
  m.rows = {};
  m.columns = {};
  m.values = {};
  return true;
}

template <class Scalar>
auto PivotingSolver<Scalar>::solve(const Dense& b) const -> Dense {
  Dense x = b;
  if constexpr (std::is_same_v<Scalar, double>) {
    if (shared_) {
      shared_->solve_in_place(x);
      return x;
    }
  }
  ELODYN_REQUIRE(impl_ != nullptr && b.rows() == impl_->id.n);
  auto& id = impl_->id;
  id.rhs = entries(x.data());
  id.nrhs = static_cast<MUMPS_INT>(x.cols());
  id.lrhs = static_cast<MUMPS_INT>(x.rows());
  icntl(id, 27) = static_cast<MUMPS_INT>(std::max<Eigen::Index>(1, std::min<Eigen::Index>(x.cols(), 32)));
  const int status = impl_->run(kSolve);
  if (status < 0) throw NumericalError(fmt::format("a sparse solve failed (MUMPS {})", status));
  return x;
}

template class PivotingSolver<double>;
template class PivotingSolver<std::complex<double>>;

int count_negative(const SparseMatrix& A, const std::vector<int>& order) {
  PivotingSolver<double> solver;
  if (!solver.factor(A, Symmetry::symmetric, order))
    throw NumericalError("eigenvalues cannot be counted: the shifted matrix is singular");
  return solver.n_negative();
}

int count_negative(const SparseMatrix& A, const SparseMatrix& B, const std::vector<int>& order) {
  // Both halves of a coordinate side by side: its pivots are then found together.
  const auto n = A.rows();
  std::vector<Eigen::Triplet<double>> entries;
  entries.reserve(static_cast<size_t>(2 * A.nonZeros() + 2 * B.nonZeros()));
  const auto add = [&](int row, int column, double value) {
    if (row >= column && value != 0) entries.emplace_back(row, column, value);
  };
  for (int j = 0; j < n; ++j) {
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      add(2 * static_cast<int>(it.row()), 2 * j, it.value());
      add(2 * static_cast<int>(it.row()) + 1, 2 * j + 1, it.value());
    }
    for (SparseMatrix::InnerIterator it(B, j); it; ++it) {
      add(2 * static_cast<int>(it.row()) + 1, 2 * j, it.value());
      add(2 * static_cast<int>(it.row()), 2 * j + 1, -it.value());
    }
  }
  SparseMatrix both(2 * n, 2 * n);
  both.setFromTriplets(entries.begin(), entries.end());
  std::vector<int> doubled;
  for (const int k : order) {
    doubled.push_back(2 * k);
    doubled.push_back(2 * k + 1);
  }
  return count_negative(both, doubled) / 2;
}

}  // namespace elodyn
