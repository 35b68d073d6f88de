#include "elodyn/linalg/row_product.hpp"

#include <algorithm>
#include <cblas.h>
#include <cmath>

#include "elodyn/base/batch.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"

namespace elodyn {
namespace {

constexpr Eigen::Index kPart = 8192;

// The width is known to the compiler, so that sums stay in registers.
template <int Width, bool Sizes>
inline void multiply_rows(const int* starts, const int* columns, const double* values, const double* X,
                          Eigen::Index first, Eigen::Index last, double* out, int stride) {
  for (Eigen::Index r = first; r < last; ++r) {
    double sum[Width] = {};
    for (int e = starts[r]; e < starts[r + 1]; ++e) {
      const double value = Sizes ? std::abs(values[e]) : values[e];
      const double* x = X + static_cast<Eigen::Index>(columns[e]) * Width;
      for (int k = 0; k < Width; ++k) sum[k] += value * x[k];
    }
    double* y = out + (r - first) * stride;
    for (int k = 0; k < Width; ++k) y[k] = sum[k];
  }
}

template <bool Sizes>
inline void multiply_any(const int* starts, const int* columns, const double* values, const double* X, int width,
                         Eigen::Index first, Eigen::Index last, double* out, int stride) {
  switch (width) {
    case 4:
      return multiply_rows<4, Sizes>(starts, columns, values, X, first, last, out, stride);
    case 8:
      return multiply_rows<8, Sizes>(starts, columns, values, X, first, last, out, stride);
    case 12:
      return multiply_rows<12, Sizes>(starts, columns, values, X, first, last, out, stride);
    case 16:
      return multiply_rows<16, Sizes>(starts, columns, values, X, first, last, out, stride);
    case 20:
      return multiply_rows<20, Sizes>(starts, columns, values, X, first, last, out, stride);
    default:
      return multiply_rows<24, Sizes>(starts, columns, values, X, first, last, out, stride);
  }
}

ELODYN_WIDE void multiply_wide(const int* starts, const int* columns, const double* values, const double* X, int width,
                               Eigen::Index first, Eigen::Index last, double* out, int stride) {
  multiply_any<false>(starts, columns, values, X, width, first, last, out, stride);
}
ELODYN_WIDE void multiply_sizes_wide(const int* starts, const int* columns, const double* values, const double* X,
                                     int width, Eigen::Index first, Eigen::Index last, double* out, int stride) {
  multiply_any<true>(starts, columns, values, X, width, first, last, out, stride);
}

void add_transposed_product(const double* A, int lda, int m, const double* B, int ldb, int n, Eigen::Index rows,
                            RowBlock& sum) {
  if (m == 0) return;
  cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, static_cast<int>(rows), 1, A, lda, B, ldb, 1, sum.data(),
              static_cast<int>(sum.cols()));
}

}  // namespace

RowMatrix::RowMatrix(const SparseMatrix& A, double sign) : n_(A.rows()) {
  starts_.reserve(static_cast<size_t>(n_) + 1);
  columns_.reserve(static_cast<size_t>(A.nonZeros()));
  values_.reserve(static_cast<size_t>(A.nonZeros()));
  starts_.push_back(0);
  for (int j = 0; j < A.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
      if (it.value() == 0) continue;
      columns_.push_back(static_cast<int>(it.row()));
      values_.push_back(sign * it.value());
    }
    starts_.push_back(static_cast<int>(values_.size()));
  }
}

void RowMatrix::multiply(const double* X, int width, Eigen::Index first, Eigen::Index last, double* out,
                         int stride) const {
  ELODYN_ASSERT(width % 4 == 0 && width <= kWidest);
  multiply_wide(starts_.data(), columns_.data(), values_.data(), X, width, first, last, out, stride);
}

void RowMatrix::multiply_sizes(const double* X, int width, Eigen::Index first, Eigen::Index last, double* out,
                               int stride) const {
  ELODYN_ASSERT(width % 4 == 0 && width <= kWidest);
  multiply_sizes_wide(starts_.data(), columns_.data(), values_.data(), X, width, first, last, out, stride);
}

int n_row_parts(Eigen::Index n) { return static_cast<int>((n + kPart - 1) / kPart); }

void for_row_parts(Eigen::Index n, const std::function<void(int, Eigen::Index, Eigen::Index)>& work) {
  parallel_for(n_row_parts(n), [&](int part) { work(part, part * kPart, std::min(n, (part + 1) * kPart)); });
}

RowBlock multiply(const RowMatrix& A, const RowBlock& X) {
  RowBlock out(X.rows(), X.cols());
  const int width = static_cast<int>(X.cols());
  for_row_parts(X.rows(), [&](int, Eigen::Index first, Eigen::Index last) {
    A.multiply(X.data(), width, first, last, out.data() + first * width, width);
  });
  return out;
}

Projections project(const RowMatrix& K, const RowMatrix& M, const RowMatrix& C, const RowBlock& U, Eigen::Index m,
                    const RowBlock& T) {
  const int width = static_cast<int>(T.cols()), wide = 3 * width, parts = n_row_parts(T.rows());
  std::vector<Projections> sums(static_cast<size_t>(parts));
  for_row_parts(T.rows(), [&](int part, Eigen::Index begin, Eigen::Index end) {
    Projections& sum = sums[static_cast<size_t>(part)];
    sum.with = RowBlock::Zero(m, wide);
    sum.own = RowBlock::Zero(width, wide);
    std::vector<double> Z(static_cast<size_t>(kSlab * wide), 0.0);
    for (Eigen::Index first = begin; first < end; first += kSlab) {
      const Eigen::Index last = std::min(end, first + kSlab);
      K.multiply(T.data(), width, first, last, Z.data(), wide);
      M.multiply(T.data(), width, first, last, Z.data() + width, wide);
      if (!C.is_zero()) C.multiply(T.data(), width, first, last, Z.data() + 2 * width, wide);
      add_transposed_product(U.data() + first * U.cols(), static_cast<int>(U.cols()), static_cast<int>(m), Z.data(),
                             wide, wide, last - first, sum.with);
      add_transposed_product(T.data() + first * width, width, width, Z.data(), wide, wide, last - first, sum.own);
    }
  });
  for (size_t part = 1; part < sums.size(); ++part) {
    sums[0].with += sums[part].with;
    sums[0].own += sums[part].own;
  }
  return std::move(sums[0]);
}

RowBlock combine(const RowBlock& U, Eigen::Index m, const RowBlock& c) {
  RowBlock out(U.rows(), c.cols());
  combine_into(U, m, c, out, 0);
  return out;
}

void combine_into(const RowBlock& U, Eigen::Index m, const RowBlock& c, RowBlock& V, Eigen::Index at) {
  for_row_parts(U.rows(), [&](int, Eigen::Index first, Eigen::Index last) {
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(last - first), static_cast<int>(c.cols()),
                static_cast<int>(m), 1, U.data() + first * U.cols(), static_cast<int>(U.cols()), c.data(),
                static_cast<int>(c.cols()), 0, V.data() + first * V.cols() + at, static_cast<int>(V.cols()));
  });
}

}  // namespace elodyn
