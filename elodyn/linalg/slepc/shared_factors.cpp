#include "elodyn/linalg/slepc/shared_factors.hpp"

#include <new>
#include <utility>
#include <vector>

#include "elodyn/linalg/slepc/slepc_modes.hpp"

namespace elodyn {
namespace {

struct Rows {
  int first, last;
};
Rows rows_of(int rank, int size, int n) {
  const auto at = [&](int r) { return static_cast<int>(static_cast<long long>(n) * r / size); };
  return {at(rank), at(rank + 1)};
}

PetscMatrix factorize(Mat A, bool is_symmetric, SharedFactors::Factored& out) {
  check(MatSetOption(A, MAT_SYMMETRIC, is_symmetric ? PETSC_TRUE : PETSC_FALSE));
  PetscMatrix F;
  PetscInt more = 60;  // % of memory above what was foreseen, for pivoting
  for (int attempt = 0; attempt < 6; ++attempt, more *= 2) {
    F = PetscMatrix();
    check(MatGetFactor(A, MATSOLVERMUMPS, is_symmetric ? MAT_FACTOR_CHOLESKY : MAT_FACTOR_LU, F.address()));
    check(MatMumpsSetIcntl(F, 7, 5));   // METIS
    check(MatMumpsSetIcntl(F, 13, 1));  // the last block is not split, or negative pivots in it would not be counted
    check(MatMumpsSetIcntl(F, 14, more));
    MatFactorInfo info;
    check(MatFactorInfoInitialize(&info));
    if (is_symmetric) {
      check(MatCholeskyFactorSymbolic(F, A, nullptr, &info));
      check(MatCholeskyFactorNumeric(F, A, &info));
    } else {
      check(MatLUFactorSymbolic(F, A, nullptr, nullptr, &info));
      check(MatLUFactorNumeric(F, A, &info));
    }
    PetscInt status = 0;
    check(MatMumpsGetInfog(F, 1, &status));
    constexpr PetscInt kWorkspaceTooSmall = -9, kStackTooSmall = -8, kNoMemory = -13;
    if (status == kWorkspaceTooSmall || status == kStackTooSmall) continue;
    out.status = status >= 0 ? 0 : status == kNoMemory ? 2 : 1;
    break;
  }
  if (out.status != 0) return PetscMatrix();
  if (is_symmetric) {
    PetscInt negative = 0;
    check(MatMumpsGetInfog(F, 12, &negative));
    out.n_negative = static_cast<int>(negative);
  }
  return F;
}

}  // namespace

PetscMatrix SharedFactors::spread(const Command& c, const SparseMatrix* from) const {
  using ByRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
  std::vector<int> starts, columns;
  std::vector<double> values;
  if (is_first()) {
    ByRows A = *from;
    A.makeCompressed();
    for (int r = size_ - 1; r >= 0; --r) {
      const Rows rows = rows_of(r, size_, c.n);
      const int *outer = A.outerIndexPtr(), begin = outer[rows.first], end = outer[rows.last];
      starts.assign(outer + rows.first, outer + rows.last + 1);
      for (int& start : starts) start -= begin;
      columns.assign(A.innerIndexPtr() + begin, A.innerIndexPtr() + end);
      values.assign(A.valuePtr() + begin, A.valuePtr() + end);
      if (r == kFirst) break;
      send(starts, r);
      send(columns, r);
      send(values, r);
    }
  } else {
    starts = receive<int>(kFirst);
    columns = receive<int>(kFirst);
    values = receive<double>(kFirst);
  }
  const auto m = static_cast<PetscInt>(starts.size()) - 1;
  PetscMatrix out;
  check(MatCreateMPIAIJWithArrays(MPI_COMM_WORLD, m, m, c.n, c.n, starts.data(), columns.data(), values.data(),
                                  out.address()));
  return out;
}

SharedFactors::Factored SharedFactors::factor(const Command& c, const SparseMatrix* from) {
  const PetscMatrix A = spread(c, from);
  Factored out;
  PetscMatrix F = factorize(A, c.is_symmetric != 0, out);
  if (out.status == 0) factors_[c.id] = std::move(F);
  return out;
}

void SharedFactors::solve(const Command& c, MatrixX* B) {
  const Mat F = factors_.at(c.id);
  const Rows own = rows_of(rank_, size_, c.n);
  std::vector<double> b = is_first() ? std::vector<double>() : receive<double>(kFirst);
  if (is_first())
    for (int r = size_ - 1; r >= 0; --r) {
      const Rows rows = rows_of(r, size_, c.n);
      const MatrixX block = B->middleRows(rows.first, rows.last - rows.first);
      std::vector<double> values(block.data(), block.data() + block.size());
      if (r == kFirst)
        b = std::move(values);
      else
        send(values, r);
    }
  std::vector<double> x(b.size());
  PetscMatrix right, solution;
  const auto wrap = [&](std::vector<double>& values, PetscMatrix& m) {
    check(MatCreateDense(MPI_COMM_WORLD, own.last - own.first, PETSC_DECIDE, c.n, c.n_columns, values.data(),
                         m.address()));
  };
  wrap(b, right);
  wrap(x, solution);
  check(MatMatSolve(F, right, solution));
  if (!is_first()) return send(x, kFirst);
  for (int r = 0; r < size_; ++r) {
    const Rows rows = rows_of(r, size_, c.n);
    const std::vector<double> part = r == kFirst ? std::move(x) : receive<double>(r);
    B->middleRows(rows.first, rows.last - rows.first) =
        Eigen::Map<const MatrixX>(part.data(), rows.last - rows.first, c.n_columns);
  }
}

SharedModes SharedFactors::solve_definite(const Command& c, const SparseMatrix* K_from, const SparseMatrix* C_from,
                                          const SparseMatrix* M_from) {
  SharedModes out;
  const PetscMatrix K = spread(c, K_from);
  Factored state;
  const PetscMatrix F = factorize(K, true, state);
  if (state.status == 2) throw std::bad_alloc();
  out.is_definite = state.status == 0 && state.n_negative == 0;
  if (!out.is_definite) return out;
  const PetscMatrix M = spread(c, M_from);
  if (c.n_real > 0) solve_real_modes({c.n, c.n_real, is_first()}, K, M, F, out.real_omega, out.real_vectors);
  if (c.has_C == 0) {
    MatrixX vectors;
    solve_real_modes({c.n, c.count, is_first()}, K, M, F, out.omega, vectors);
    out.vectors = vectors.cast<std::complex<double>>();
  } else {
    const PetscMatrix C = spread(c, C_from);
    solve_gyroscopic_modes({c.n, c.count, is_first()}, K, C, M, F, out);
  }
  return out;
}

}  // namespace elodyn
