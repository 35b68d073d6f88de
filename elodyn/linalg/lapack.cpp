#include "elodyn/linalg/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>

#define lapack_complex_float std::complex<float>
#define lapack_complex_double std::complex<double>
#include <cblas.h>

#include <lapacke.h>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

// LAPACKE looks for NaN in its arguments; anything else that it refuses would be our mistake.
void check_finite(lapack_int info) {
  if (info < 0)
    throw NumericalError(
        "a matrix holds values that are not finite: lengths, stiffnesses, masses or speeds are too large or too small");
}

void check(lapack_int info, const char* routine) {
  check_finite(info);
  if (info > 0)
    throw NumericalError(std::string("LAPACK's ") + routine + " did not converge (info " + std::to_string(info) +
                         "); the matrices may hold values of very different size");
}

lapack_int order(const auto& A) {
  ELODYN_REQUIRE(A.rows() == A.cols());
  return static_cast<lapack_int>(A.rows());
}

}  // namespace

void restart_with_fast_libraries(char** argv) {
#if defined(__x86_64__) && defined(__linux__)
  const char* const kDone = "ELODYN_RESTARTED";
  if (std::getenv(kDone) != nullptr) return;
  bool changes = std::getenv("OMP_THREAD_LIMIT") == nullptr && setenv("OMP_THREAD_LIMIT", "1", 0) == 0;
  if (std::getenv("GLIBC_TUNABLES") == nullptr)  // the last one: large pages, so that the processor finds them quickly
    changes = setenv("GLIBC_TUNABLES",
                     "glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=4294967296:"
                     "glibc.malloc.hugetlb=1",
                     0) == 0;
  if (std::getenv("OPENBLAS_CORETYPE") == nullptr && openblas_get_corename() == std::string("Prescott")) {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
      changes = setenv("OPENBLAS_CORETYPE", "SkylakeX", 0) == 0;
    else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      changes = setenv("OPENBLAS_CORETYPE", "Haswell", 0) == 0;
  }
  setenv(kDone, "1", 1);
  if (changes) execv("/proc/self/exe", argv);  // if it fails, the slower way works too
#else
  static_cast<void>(argv);
#endif
}

void use_one_blas_thread() { openblas_set_num_threads(1); }
OneBlasThread::OneBlasThread() : before_(openblas_get_num_threads()) { openblas_set_num_threads(1); }
OneBlasThread::~OneBlasThread() { openblas_set_num_threads(before_); }

bool is_safely_definite(const MatrixX& L) {
  const double smallest = L.diagonal().minCoeff(), largest = L.diagonal().maxCoeff();
  return smallest * smallest > 10 * kEps * largest * largest;
}

int factor_lower(double* A, int n, int stride) {
  lapack_int info = 0;
  const char lower = 'L';
  LAPACK_dpotrf(&lower, &n, A, &stride, &info);
  return info == 0 ? n : info - 1;
}

MatrixX multiply(const MatrixX& A, const MatrixX& B) {
  MatrixX out(A.rows(), B.cols());
  if (A.cols() == 0) out.setZero();
  if (out.size() == 0 || A.cols() == 0) return out;
  const auto m = static_cast<int>(A.rows()), n = static_cast<int>(B.cols()), k = static_cast<int>(A.cols());
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1, A.data(), m, B.data(), k, 0, out.data(), m);
  return out;
}

bool cholesky_in_place(MatrixX& A) {
  const lapack_int info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', order(A), A.data(), order(A));
  check_finite(info);
  A.triangularView<Eigen::StrictlyUpper>().setZero();
  return info == 0;
}

namespace {

// B ← L⁻¹B or L⁻ᵀB.
void solve_triangular(const MatrixX& L, CBLAS_TRANSPOSE transpose, MatrixX& B) {
  cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, transpose, CblasNonUnit, order(L), static_cast<int>(B.cols()), 1,
              L.data(), order(L), B.data(), order(L));
}

}  // namespace

void solve_lower(const MatrixX& L, MatrixX& B) { solve_triangular(L, CblasNoTrans, B); }
void solve_lower_transposed(const MatrixX& L, MatrixX& B) { solve_triangular(L, CblasTrans, B); }
void solve_lower_transposed(const MatrixX& L, Eigen::MatrixXcd& B) {
  MatrixX re = B.real(), im = B.imag();
  solve_lower_transposed(L, re);
  solve_lower_transposed(L, im);
  B.real() = re;
  B.imag() = im;
}

MatrixX congruence(const MatrixX& L, const MatrixX& A) {
  MatrixX B = A;
  solve_lower(L, B);
  B.transposeInPlace();
  solve_lower(L, B);
  return B.transpose();
}

void symmetric_eigen(MatrixX& A, int first, int last, VectorX& values, MatrixX& vectors) {
  const lapack_int n = order(A), wanted = last - first + 1;
  VectorX w(n);
  vectors.resize(n, wanted);
  std::vector<lapack_int> support(2 * static_cast<size_t>(n));
  lapack_int found = 0;
  check(LAPACKE_dsyevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, A.data(), n, 0, 0, first + 1, last + 1, 0, &found, w.data(),
                       vectors.data(), n, support.data()),
        "dsyevr");
  values = w.head(wanted);
}

void hermitian_eigen(Eigen::MatrixXcd& A, int first, int last, VectorX& values, Eigen::MatrixXcd& vectors) {
  const lapack_int n = order(A), wanted = last - first + 1;
  VectorX w(n);
  vectors.resize(n, wanted);
  std::vector<lapack_int> support(2 * static_cast<size_t>(n));
  lapack_int found = 0;
  check(LAPACKE_zheevr(LAPACK_COL_MAJOR, 'V', 'I', 'L', n, A.data(), n, 0, 0, first + 1, last + 1, 0, &found, w.data(),
                       vectors.data(), n, support.data()),
        "zheevr");
  values = w.head(wanted);
}

void general_eigen(MatrixX& A, Eigen::VectorXcd& values, Eigen::MatrixXcd& vectors) {
  const lapack_int n = order(A);
  VectorX re(n), im(n);
  MatrixX V(n, n);
  check(LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'V', n, A.data(), n, re.data(), im.data(), nullptr, 1, V.data(), n),
        "dgeev");
  values.resize(n);
  values.real() = re;
  values.imag() = im;
  vectors.resize(n, n);
  for (lapack_int k = 0; k < n; ++k) {
    vectors.col(k) = V.col(k).cast<std::complex<double>>();
    if (im[k] == 0) continue;
    // A complex pair stands in two columns: real part, imaginary part of the one with Im > 0.
    const lapack_int first = im[k] > 0 ? k : k - 1;
    vectors.col(k).real() = V.col(first);
    vectors.col(k).imag() = (im[k] > 0 ? 1.0 : -1.0) * V.col(first + 1);
  }
}

void general_eigen(Eigen::MatrixXcd& A, Eigen::VectorXcd& values, Eigen::MatrixXcd& vectors) {
  const lapack_int n = order(A);
  values.resize(n);
  vectors.resize(n, n);
  check(LAPACKE_zgeev(LAPACK_COL_MAJOR, 'N', 'V', n, A.data(), n, values.data(), nullptr, n, vectors.data(), n),
        "zgeev");
}

bool solve_in_place(MatrixX& A, MatrixX& B) {
  std::vector<lapack_int> pivots(static_cast<size_t>(order(A)));
  const lapack_int info = LAPACKE_dgesv(LAPACK_COL_MAJOR, order(A), static_cast<lapack_int>(B.cols()), A.data(),
                                        order(A), pivots.data(), B.data(), order(A));
  check_finite(info);
  return info == 0;
}

Eigen::VectorXcd null_vector(Eigen::MatrixXcd& A) {
  const lapack_int n = order(A);
  const double tiny = kEps * A.cwiseAbs().maxCoeff();
  std::vector<lapack_int> pivots(static_cast<size_t>(n));
  check_finite(LAPACKE_zgetrf(LAPACK_COL_MAJOR, n, n, A.data(), n, pivots.data()));
  for (lapack_int i = 0; i < n; ++i)
    if (std::abs(A(i, i)) < tiny) A(i, i) = tiny;  // an exact eigenvalue: any tiny pivot points at its vector
  // A start without symmetry, so that it is orthogonal to no mode.
  Eigen::VectorXcd x(n);
  for (lapack_int i = 0; i < n; ++i) x[i] = {1 + 0.5 * std::sin(1.7 * i + 0.3), 0.5 * std::cos(2.3 * i)};
  for (int step = 0; step < 3; ++step) {
    LAPACKE_zgetrs(LAPACK_COL_MAJOR, 'N', n, 1, A.data(), n, pivots.data(), x.data(), n);
    x.normalize();
  }
  return x;
}

VectorX least_squares(MatrixX A, const VectorX& b) {
  const auto rows = static_cast<lapack_int>(A.rows()), columns = static_cast<lapack_int>(A.cols());
  VectorX x = VectorX::Zero(std::max(rows, columns)), singular(std::min(rows, columns));
  x.head(rows) = b;
  lapack_int rank = 0;
  check(LAPACKE_dgelsd(LAPACK_COL_MAJOR, rows, columns, 1, A.data(), rows, x.data(), std::max(rows, columns),
                       singular.data(), 1e-12, &rank),
        "dgelsd");
  return x.head(columns);
}

PivotedQr pivoted_qr(MatrixX A, double tolerance) {
  const auto rows = static_cast<lapack_int>(A.rows()), columns = static_cast<lapack_int>(A.cols());
  const lapack_int k = std::min(rows, columns);
  PivotedQr out{MatrixX::Identity(rows, rows), MatrixX::Zero(rows, columns), std::vector<int>(A.cols()), 0};
  if (k == 0) {
    for (lapack_int j = 0; j < columns; ++j) out.order[static_cast<size_t>(j)] = j;
    return out;
  }
  std::vector<lapack_int> pivots(static_cast<size_t>(columns), 0);
  VectorX tau(k);
  check(LAPACKE_dgeqp3(LAPACK_COL_MAJOR, rows, columns, A.data(), rows, pivots.data(), tau.data()), "dgeqp3");
  out.R.triangularView<Eigen::Upper>() = A.triangularView<Eigen::Upper>();
  out.Q.leftCols(k) = A.leftCols(k);
  check(LAPACKE_dorgqr(LAPACK_COL_MAJOR, rows, rows, k, out.Q.data(), rows, tau.data()), "dorgqr");
  for (size_t j = 0; j < pivots.size(); ++j) out.order[j] = pivots[j] - 1;
  while (out.rank < k && std::abs(out.R(out.rank, out.rank)) > tolerance * std::abs(out.R(0, 0))) ++out.rank;
  return out;
}

bool DenseLuSolver::factor(MatrixX A) {
  factors_ = std::move(A);
  pivots_.resize(static_cast<size_t>(order(factors_)));
  const lapack_int n = order(factors_),
                   info = LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, factors_.data(), n, pivots_.data());
  check_finite(info);
  return info == 0;
}

MatrixX DenseLuSolver::solve(MatrixX B) const {
  const lapack_int n = order(factors_);
  check_finite(LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, static_cast<lapack_int>(B.cols()), factors_.data(), n,
                              pivots_.data(), B.data(), n));
  return B;
}

MatrixX null_space(const MatrixX& A, double tolerance) {
  MatrixX copy = A, vectors;
  VectorX values;
  symmetric_eigen(copy, 0, static_cast<int>(A.rows()) - 1, values, vectors);
  const auto n =
      std::count_if(values.begin(), values.end(), [&](double v) { return v <= tolerance * values.maxCoeff(); });
  return vectors.leftCols(n);
}

}  // namespace elodyn
