#include "elodyn/linalg/row_product.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/base/batch.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/linalg/lanes.hpp"

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

// Products of tall matrices whose rows lie side by side, without the copies that BLAS makes: these would take as long
// as the product where one side has a few columns only.

// S += AᵀB over `rows` rows; A has m columns, B has n.
struct AddTransposedProduct {
  const double *A, *B;
  double* S;
  int m, n;
  Eigen::Index rows;

  template <int W, int Rows, int Parts>
  void add_tile(int i, int k) const {
    Lanes<W> sum[Rows][Parts] = {};
    for (Eigen::Index r = 0; r < rows; ++r) {
      const double *a = A + r * m + i, *b = B + r * n + k;
      for (int t = 0; t < Rows; ++t)
        for (int p = 0; p < Parts; ++p) sum[t][p] += a[t] * lanes_at<W>(b + p * W);
    }
    for (int t = 0; t < Rows; ++t)
      for (int p = 0; p < Parts; ++p) lanes_at<W>(S + static_cast<Eigen::Index>(i + t) * n + k + p * W) += sum[t][p];
  }
  template <int W, int Parts>
  void add_columns(int k) const {
    constexpr int kRows = kSums<W> / Parts;
    int i = 0;
    for (; i + kRows <= m; i += kRows) add_tile<W, kRows, Parts>(i, k);
    for (; i + 2 <= m; i += 2) add_tile<W, 2, Parts>(i, k);
    for (; i < m; ++i) add_tile<W, 1, Parts>(i, k);
  }
  template <int W>
  void run() const {
    constexpr int kParts = 3;
    int k = 0;
    for (; k + kParts * W <= n; k += kParts * W) add_columns<W, kParts>(k);
    for (; k + W <= n; k += W) add_columns<W, 1>(k);
    for (; k < n; ++k) add_columns<1, 1>(k);
  }
};

// V = Uc for rows first … last − 1, U in blocks side by side.
struct Combine {
  const RowBlock* U;
  int n_blocks;
  const RowBlock& c;
  RowBlock& V;
  Eigen::Index first, last;

  template <int W, int Rows, int Parts>
  void add_tile(Eigen::Index r, Eigen::Index k) const {
    Lanes<W> sum[Rows][Parts] = {};
    const double* from = c.data() + k;
    for (int block = 0; block < n_blocks; ++block) {
      const Eigen::Index m = U[block].cols();
      const double* u = U[block].data() + r * m;
      for (Eigen::Index j = 0; j < m; ++j, from += c.cols())
        for (int t = 0; t < Rows; ++t)
          for (int p = 0; p < Parts; ++p) sum[t][p] += u[t * m + j] * lanes_at<W>(from + p * W);
    }
    for (int t = 0; t < Rows; ++t)
      for (int p = 0; p < Parts; ++p) lanes_at<W>(V.data() + (r + t) * V.cols() + k + p * W) = sum[t][p];
  }
  template <int W, int Rows>
  void add_rows(Eigen::Index r) const {
    constexpr int kParts = 2;
    Eigen::Index k = 0;
    for (; k + kParts * W <= c.cols(); k += kParts * W) add_tile<W, Rows, kParts>(r, k);
    for (; k + W <= c.cols(); k += W) add_tile<W, Rows, 1>(r, k);
    for (; k < c.cols(); ++k) add_tile<1, Rows, 1>(r, k);
  }
  template <int W>
  void run() const {
    constexpr int kRows = kSums<W> / 2;
    Eigen::Index r = first;
    for (; r + kRows <= last; r += kRows) add_rows<W, kRows>(r);
    for (; r < last; ++r) add_rows<W, 1>(r);
  }
};

RowBlock combine_blocks(const RowBlock* U, size_t n_blocks, const RowBlock& c) {
  RowBlock V(U->rows(), c.cols());
  for_row_parts(V.rows(), [&](int, Eigen::Index first, Eigen::Index last) {
    run_wide(Combine{U, static_cast<int>(n_blocks), c, V, first, last});
  });
  return V;
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

Projections project(const RowMatrix& K, const RowMatrix& M, const RowMatrix& C, const std::vector<RowBlock>& U,
                    const RowBlock& T) {
  const int width = static_cast<int>(T.cols()), wide = (C.is_zero() ? 2 : 3) * width, parts = n_row_parts(T.rows());
  Eigen::Index m = 0;
  for (const RowBlock& block : U) m += block.cols();
  std::vector<Projections> sums(static_cast<size_t>(parts));
  for_row_parts(T.rows(), [&](int part, Eigen::Index begin, Eigen::Index end) {
    Projections& sum = sums[static_cast<size_t>(part)];
    sum.with = RowBlock::Zero(m, wide);
    sum.own = RowBlock::Zero(width, wide);
    const AlignedNumbers Z(static_cast<size_t>(kSlab * wide));
    for (Eigen::Index first = begin; first < end; first += kSlab) {
      const Eigen::Index last = std::min(end, first + kSlab);
      K.multiply(T.data(), width, first, last, Z.data(), wide);
      M.multiply(T.data(), width, first, last, Z.data() + width, wide);
      if (!C.is_zero()) C.multiply(T.data(), width, first, last, Z.data() + 2 * width, wide);
      const auto add = [&](const RowBlock& A, double* S) {
        const auto columns = static_cast<int>(A.cols());
        run_wide(AddTransposedProduct{A.data() + first * columns, Z.data(), S, columns, wide, last - first});
      };
      double* with = sum.with.data();
      for (const RowBlock& block : U) {
        add(block, with);
        with += block.cols() * wide;
      }
      add(T, sum.own.data());
    }
  });
  for (size_t part = 1; part < sums.size(); ++part) {
    sums[0].with += sums[part].with;
    sums[0].own += sums[part].own;
  }
  return std::move(sums[0]);
}

RowBlock combine(const std::vector<RowBlock>& U, const RowBlock& c) { return combine_blocks(U.data(), U.size(), c); }
RowBlock combine(const RowBlock& U, const RowBlock& c) { return combine_blocks(&U, 1, c); }

}  // namespace elodyn
