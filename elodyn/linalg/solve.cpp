#include "elodyn/linalg/solve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/SparseLU>
#include <cholmod.h>
#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/cluster.hpp"
#include "elodyn/linalg/lanes.hpp"
#include "elodyn/linalg/row_product.hpp"
#include "elodyn/linalg/supernodal.hpp"

namespace elodyn {

namespace {

void start_quietly(cholmod_common& common) {
  cholmod_start(&common);
  common.supernodal = CHOLMOD_SUPERNODAL;
  common.print = 0;
  common.error_handler = nullptr;
}

cholmod_sparse view_of(const SparseMatrix& A, int xtype) {
  cholmod_sparse view{};
  view.nrow = view.ncol = static_cast<size_t>(A.rows());
  view.nzmax = static_cast<size_t>(A.nonZeros());
  view.p = const_cast<int*>(A.outerIndexPtr());
  view.i = const_cast<int*>(A.innerIndexPtr());
  view.x = xtype == CHOLMOD_REAL ? const_cast<double*>(A.valuePtr()) : nullptr;
  view.stype = 1;  // the upper triangle is used
  view.itype = CHOLMOD_INT;
  view.xtype = xtype;
  view.dtype = CHOLMOD_DOUBLE;
  view.sorted = view.packed = 1;
  return view;
}

SparseMatrix without_zeros(SparseMatrix A) {
  A.prune([](Eigen::Index, Eigen::Index, double value) { return value != 0; });
  A.makeCompressed();
  return A;
}

// Columns next to each other with the same rows, as the coordinates of a node have: the first of each group, and n.
std::vector<int> find_groups(const SparseMatrix& A) {
  std::vector<int> first = {0};
  const int *start = A.outerIndexPtr(), *row = A.innerIndexPtr();
  for (int j = 1; j < A.cols(); ++j)
    if (start[j + 1] - start[j] != start[j] - start[j - 1] ||
        !std::equal(row + start[j], row + start[j + 1], row + start[j - 1]))
      first.push_back(j);
  first.push_back(static_cast<int>(A.cols()));
  return first;
}

// The order that was found last, for a graph of groups. The matrices of one body have the same graph, whatever its
// speed, and to find an order takes longer than to factorise: a fifth of a Campbell diagram with 50 000 unknowns.
struct KnownOrder {
  std::vector<int> first, starts, rows, order;
};
thread_local KnownOrder known_order;

// An order of elimination with little fill-in, found on the graph of the groups: much smaller, and as good.
std::vector<int> find_order(const SparseMatrix& A, cholmod_common& common) {
  const std::vector<int> first = find_groups(A);
  const int n_groups = static_cast<int>(first.size()) - 1;
  std::vector<int> group(static_cast<size_t>(A.cols())), starts = {0}, rows;
  for (int g = 0; g < n_groups; ++g)
    for (int j = first[static_cast<size_t>(g)]; j < first[static_cast<size_t>(g) + 1]; ++j)
      group[static_cast<size_t>(j)] = g;
  for (int g = 0; g < n_groups; ++g) {
    int last = -1;
    for (SparseMatrix::InnerIterator it(A, first[static_cast<size_t>(g)]); it; ++it)
      if (const int other = group[static_cast<size_t>(it.row())]; other != last) rows.push_back(last = other);
    starts.push_back(static_cast<int>(rows.size()));
  }
  if (known_order.first == first && known_order.starts == starts && known_order.rows == rows) return known_order.order;
  cholmod_sparse graph = view_of(A, CHOLMOD_PATTERN);
  graph.nrow = graph.ncol = static_cast<size_t>(n_groups);
  graph.nzmax = rows.size();
  graph.p = starts.data();
  graph.i = rows.data();
  common.nmethods = 2;  // both are tried: by default the second only where the first is bad
  common.method[0].ordering = CHOLMOD_AMD;
  common.method[1].ordering = CHOLMOD_METIS;
  cholmod_factor* symbolic = cholmod_analyze(&graph, &common);
  common.nmethods = 0;
  ELODYN_REQUIRE(symbolic != nullptr);
  const auto* permutation = static_cast<const int*>(symbolic->Perm);
  std::vector<int> order;
  order.reserve(static_cast<size_t>(A.cols()));
  for (int k = 0; k < n_groups; ++k)
    for (int j = first[static_cast<size_t>(permutation[k])]; j < first[static_cast<size_t>(permutation[k]) + 1]; ++j)
      order.push_back(j);
  cholmod_free_factor(&symbolic, &common);
  known_order = {first, std::move(starts), std::move(rows), order};
  return order;
}

}  // namespace

struct CholeskySolver::Impl {
  Impl() { start_quietly(common); }
  ~Impl() {
    cholmod_free_factor(&L, &common);
    cholmod_finish(&common);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  // Whether the nonzeros of A are among those that were analysed, and nearly all of them.
  bool is_analyzed_for(const SparseMatrix& A) const {
    constexpr double kNearly = 0.9;
    if (L == nullptr || starts.size() != static_cast<size_t>(A.cols()) + 1) return false;
    size_t n_found = 0;
    for (int j = 0; j < A.outerSize(); ++j) {
      auto row = rows.begin() + starts[static_cast<size_t>(j)];
      const auto end = rows.begin() + starts[static_cast<size_t>(j) + 1];
      for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
        if (it.value() == 0) continue;
        while (row != end && *row < it.row()) ++row;
        if (row == end || *row != it.row()) return false;
        ++n_found;
      }
    }
    return static_cast<double>(n_found) >= kNearly * static_cast<double>(rows.size());
  }

  mutable cholmod_common common{};
  cholmod_factor* L = nullptr;
  SupernodalCholesky supernodal;         // of its pattern
  std::vector<int> starts, rows;         // of the nonzeros that were analysed
  std::unique_ptr<SharedFactor> shared;  // of all processes, where it is worth it
};

CholeskySolver::CholeskySolver() : impl_(std::make_unique<Impl>()) {}
CholeskySolver::~CholeskySolver() = default;
CholeskySolver::CholeskySolver(CholeskySolver&&) noexcept = default;
CholeskySolver& CholeskySolver::operator=(CholeskySolver&&) noexcept = default;

void CholeskySolver::analyze(const SparseMatrix& A) {
  const SparseMatrix sizes = without_zeros(A).cwiseAbs();
  const SparseMatrix nonzeros = sizes + SparseMatrix(sizes.transpose());  // round-off may be zero on one side only
  cholmod_common& common = impl_->common;
  cholmod_free_factor(&impl_->L, &common);
  std::vector<int> order = find_order(nonzeros, common);
  common.nmethods = 1;
  common.method[0].ordering = CHOLMOD_GIVEN;
  cholmod_sparse view = view_of(nonzeros, CHOLMOD_PATTERN);
  impl_->L = cholmod_analyze_p(&view, order.data(), nullptr, 0, &common);
  common.nmethods = 0;
  ELODYN_REQUIRE(impl_->L != nullptr);
  const cholmod_factor& L = *impl_->L;
  impl_->supernodal =
      SupernodalCholesky({static_cast<int>(L.n), static_cast<int>(L.nsuper), static_cast<const int*>(L.super),
                          static_cast<const int*>(L.pi), static_cast<const int*>(L.px), static_cast<const int*>(L.s),
                          static_cast<const int*>(L.Perm)});
  impl_->starts.assign(nonzeros.outerIndexPtr(), nonzeros.outerIndexPtr() + nonzeros.cols() + 1);
  impl_->rows.assign(nonzeros.innerIndexPtr(), nonzeros.innerIndexPtr() + nonzeros.nonZeros());
}

bool CholeskySolver::factor(const SparseMatrix& A) {
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
  failed_column_ = -1;
  impl_->shared.reset();
  if (Cluster* others = cluster_for(n))
    return factor_shared(*others, without_zeros(scale_.asDiagonal() * A * scale_.asDiagonal()));
  if (!impl_->is_analyzed_for(A)) analyze(A);
  cholmod_common& common = impl_->common;
  cholmod_factor* L = impl_->L;
  if (L->x == nullptr && !cholmod_change_factor(CHOLMOD_REAL, 1, 1, 1, 1, L, &common))
    throw NumericalError(fmt::format("there is not memory enough for the factorisation of {} unknowns", n));
  L->minor = static_cast<size_t>(impl_->supernodal.factor(A, scale_, static_cast<double*>(L->x)));
  if (L->minor < L->n) {
    failed_column_ = static_cast<const int*>(L->Perm)[L->minor];
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

// The coordinate that yields most says where, as of a singular matrix.
bool CholeskySolver::factor_shared(Cluster& others, const SparseMatrix& scaled) {
  impl_->shared = others.factor(scaled, Symmetry::symmetric);
  failed_column_ = 0;
  if (!impl_->shared) return false;
  MatrixX x = VectorX::Ones(scaled.rows());
  double growth = 0;
  for (int step = 0; step < 2; ++step) {
    x /= x.norm();
    impl_->shared->solve_in_place(x);
    growth = x.norm();
  }
  constexpr double kSingular = 10 * kEps;
  const bool is_definite = impl_->shared->n_negative() == 0 && growth * kSingular < 1;
  Eigen::Index where = 0;
  x.col(0).cwiseAbs().maxCoeff(&where);
  failed_column_ = is_definite ? -1 : static_cast<int>(where);
  return is_definite;
}

MatrixX CholeskySolver::solve(const MatrixX& b) const {
  MatrixX rhs = scale_.asDiagonal() * b;
  if (impl_->shared) {
    ELODYN_REQUIRE(failed_column_ < 0);
    impl_->shared->solve_in_place(rhs);
    return scale_.asDiagonal() * rhs;
  }
  ELODYN_REQUIRE(impl_->L != nullptr && failed_column_ < 0);
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

void CholeskySolver::solve_in_place(RowBlock& X) const {
  if (impl_->shared) {
    X = solve(MatrixX(X));
    return;
  }
  ELODYN_REQUIRE(impl_->L != nullptr && failed_column_ < 0);
  using Padded = Eigen::Matrix<double, 1, kPadding>;
  const auto* order = static_cast<const int*>(impl_->L->Perm);
  const Eigen::Index n = X.rows(), stride = n * kSolvedTogether;
  const auto n_groups = static_cast<int>((X.cols() + kSolvedTogether - 1) / kSolvedTogether);
  const AlignedNumbers work(static_cast<size_t>(stride) * static_cast<size_t>(n_groups));
  const auto for_rows = [&](const auto& move) {  // move(row of X, scale, the same row of a group, columns)
    for_row_parts(n, [&](int, Eigen::Index begin, Eigen::Index end) {
      for (Eigen::Index k = begin; k < end; ++k)
        for (int g = 0; g < n_groups; ++g) {
          const Eigen::Index first = static_cast<Eigen::Index>(g) * kSolvedTogether;
          move(X.data() + order[k] * X.cols() + first, scale_[order[k]], work.data() + g * stride + k * kSolvedTogether,
               std::min<Eigen::Index>(kSolvedTogether, X.cols() - first));
        }
    });
  };
  for_rows([](const double* x, double scale, double* row, Eigen::Index width) {
    Eigen::Index c = 0;
    for (; c + kPadding <= width; c += kPadding)
      Eigen::Map<Padded>(row + c).noalias() = scale * Eigen::Map<const Padded>(x + c);
    for (; c < width; ++c) row[c] = scale * x[c];
    for (; c < kSolvedTogether; ++c) row[c] = 0;
  });
  impl_->supernodal.solve(static_cast<const double*>(impl_->L->x), work.data(), static_cast<int>(X.cols()));
  for_rows([](double* x, double scale, const double* row, Eigen::Index width) {
    Eigen::Index c = 0;
    for (; c + kPadding <= width; c += kPadding)
      Eigen::Map<Padded>(x + c).noalias() = scale * Eigen::Map<const Padded>(row + c);
    for (; c < width; ++c) x[c] = scale * row[c];
  });
}

std::optional<int> CholeskySolver::count_negative(const SparseMatrix& A) const {
  if (impl_->shared || failed_column_ >= 0 || !impl_->is_analyzed_for(A)) return std::nullopt;
  return impl_->supernodal.count_negative(A, scale_);
}

std::vector<int> CholeskySolver::order() const {
  if (impl_->shared) return {};
  ELODYN_REQUIRE(impl_->L != nullptr);
  const auto* permutation = static_cast<const int*>(impl_->L->Perm);
  return {permutation, permutation + impl_->L->n};
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
