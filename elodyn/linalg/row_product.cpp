#include "elodyn/linalg/row_product.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/linalg/lanes.hpp"
#include "elodyn/linalg/zero.hpp"

namespace elodyn {
namespace {

constexpr Eigen::Index kPart = 8192;

// Rows first … last − 1 of N products [K X, M X, C X], X with `width` columns.
template <int N, bool Sizes>
struct MultiplyRows {
  const int *starts, *columns;
  const double* values;
  const double* X;
  int width;
  Eigen::Index first, last;
  double* out;

  // Columns from k on, as many as fit in Parts registers: sums stay in registers.
  template <int W, int Parts>
  void multiply_columns(Eigen::Index r, int k) const {
    Lanes<W> sum[N][Parts] = {};
    for (int e = starts[r]; e < starts[r + 1]; ++e) {
      const double* x = X + static_cast<Eigen::Index>(columns[e]) * width + k;
      const double* value = values + static_cast<Eigen::Index>(e) * N;
      for (int i = 0; i < N; ++i) {
        const double a = Sizes ? std::abs(value[i]) : value[i];
        for (int p = 0; p < Parts; ++p) sum[i][p] += a * lanes_at<W>(x + p * W);
      }
    }
    double* y = out + (r - first) * N * width + k;
    for (int i = 0; i < N; ++i)
      for (int p = 0; p < Parts; ++p) lanes_at<W>(y + i * width + p * W) = sum[i][p];
  }
  template <int W>
  void run() const {
    for (Eigen::Index r = first; r < last; ++r) {
      int k = 0;
      for (; k + 3 * W <= width; k += 3 * W) multiply_columns<W, 3>(r, k);
      for (; k + 2 * W <= width; k += 2 * W) multiply_columns<W, 2>(r, k);
      for (; k < width; k += W) multiply_columns<W, 1>(r, k);
    }
  }
};

bool has_pattern_of(const SparseMatrix& A, const SparseMatrix& B) {
  return A.isCompressed() && B.isCompressed() && A.nonZeros() == B.nonZeros() && A.outerSize() == B.outerSize() &&
         std::equal(A.outerIndexPtr(), A.outerIndexPtr() + A.outerSize() + 1, B.outerIndexPtr()) &&
         std::equal(A.innerIndexPtr(), A.innerIndexPtr() + A.nonZeros(), B.innerIndexPtr());
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
  void add_columns_at(int k) const {
    constexpr int kRows = kSums<W> / Parts;
    int i = 0;
    for (; i + kRows <= m; i += kRows) add_tile<W, kRows, Parts>(i, k);
    for (; i + 2 <= m; i += 2) add_tile<W, 2, Parts>(i, k);
    for (; i < m; ++i) add_tile<W, 1, Parts>(i, k);
  }
  // Columns k … n − 1, the last ones with narrower registers.
  template <int W>
  void add_columns(int k) const {
    constexpr int kParts = 3;
    for (; k + kParts * W <= n; k += kParts * W) add_columns_at<W, kParts>(k);
    for (; k + W <= n; k += W) add_columns_at<W, 1>(k);
    if constexpr (W > 1)
      if (k < n) add_columns<W / 2>(k);
  }
  template <int W>
  void run() const {
    add_columns<W>(0);
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
  // Columns k …, the last ones with narrower registers.
  template <int W, int Rows>
  void add_rows(Eigen::Index r, Eigen::Index k) const {
    constexpr int kParts = 2;
    for (; k + kParts * W <= c.cols(); k += kParts * W) add_tile<W, Rows, kParts>(r, k);
    for (; k + W <= c.cols(); k += W) add_tile<W, Rows, 1>(r, k);
    if constexpr (W > 1)
      if (k < c.cols()) add_rows<W / 2, Rows>(r, k);
  }
  template <int W>
  void run() const {
    constexpr int kRows = kSums<W> / 2;
    Eigen::Index r = first;
    for (; r + kRows <= last; r += kRows) add_rows<W, kRows>(r, 0);
    for (; r < last; ++r) add_rows<W, 1>(r, 0);
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

RowPencil::RowPencil(const SparseMatrix& K, const SparseMatrix& M, const SparseMatrix& C, Symmetry symmetry)
    : n_(K.rows()), n_matrices_(is_zero(C) ? 2 : 3), starts_(static_cast<size_t>(n_) + 1, 0) {
  // Columns are read as rows: of a skew C they are its rows with the other sign.
  const bool general = symmetry == Symmetry::general;
  SparseMatrix K_rows, C_rows;
  if (general) {
    K_rows = K.transpose();
    C_rows = C.transpose();
  }
  const double sign = general ? 1 : -1;
  const SparseMatrix &K_by = general ? K_rows : K, &C_by = general ? C_rows : C;
  if (has_pattern_of(K_by, M) && (n_matrices_ == 2 || has_pattern_of(K_by, C_by))) {
    // As of matrices from one assembly: copied as they are.
    starts_.assign(K_by.outerIndexPtr(), K_by.outerIndexPtr() + n_ + 1);
    columns_.assign(K_by.innerIndexPtr(), K_by.innerIndexPtr() + K_by.nonZeros());
    values_.resize(columns_.size() * static_cast<size_t>(n_matrices_));
    for_row_parts(n_, [&](int, Eigen::Index first, Eigen::Index last) {
      double* value = values_.data() + static_cast<Eigen::Index>(starts_[static_cast<size_t>(first)]) * n_matrices_;
      for (int e = starts_[static_cast<size_t>(first)]; e < starts_[static_cast<size_t>(last)]; ++e) {
        *value++ = K_by.valuePtr()[e];
        *value++ = M.valuePtr()[e];
        if (n_matrices_ == 3) *value++ = sign * C_by.valuePtr()[e];
      }
    });
    return;
  }
  // take(column, {k, m, c}) for the nonzeros of row j
  const auto for_row = [&](int j, const auto& take) {
    SparseMatrix::InnerIterator k(K_by, j), m(M, j), c(n_matrices_ == 3 ? C_by : M, j);
    constexpr int kEnd = std::numeric_limits<int>::max();
    const auto row_of = [](const SparseMatrix::InnerIterator& it) { return it ? static_cast<int>(it.row()) : kEnd; };
    for (;;) {
      const int at_c = n_matrices_ == 3 ? row_of(c) : kEnd, row = std::min({row_of(k), row_of(m), at_c});
      if (row == kEnd) return;
      double value[3] = {0, 0, 0};
      if (row_of(k) == row) value[0] = k.value(), ++k;
      if (row_of(m) == row) value[1] = m.value(), ++m;
      if (at_c == row) value[2] = sign * c.value(), ++c;
      if (value[0] != 0 || value[1] != 0 || value[2] != 0) take(row, value);
    }
  };
  for_row_parts(n_, [&](int, Eigen::Index first, Eigen::Index last) {
    for (Eigen::Index j = first; j < last; ++j)
      for_row(static_cast<int>(j), [&](int, const double*) { ++starts_[static_cast<size_t>(j) + 1]; });
  });
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  columns_.resize(static_cast<size_t>(starts_.back()));
  values_.resize(static_cast<size_t>(starts_.back()) * static_cast<size_t>(n_matrices_));
  for_row_parts(n_, [&](int, Eigen::Index first, Eigen::Index last) {
    for (Eigen::Index j = first; j < last; ++j) {
      auto at = static_cast<size_t>(starts_[static_cast<size_t>(j)]);
      for_row(static_cast<int>(j), [&](int row, const double* value) {
        columns_[at] = row;
        std::copy(value, value + n_matrices_, values_.data() + at * static_cast<size_t>(n_matrices_));
        ++at;
      });
    }
  });
}

template <bool Sizes>
void RowPencil::multiply_rows(const double* X, int width, Eigen::Index first, Eigen::Index last, double* out) const {
  ELODYN_ASSERT(width % kPadding == 0);
  const int *starts = starts_.data(), *columns = columns_.data();
  if (has_C())
    run_wide(MultiplyRows<3, Sizes>{starts, columns, values_.data(), X, width, first, last, out});
  else
    run_wide(MultiplyRows<2, Sizes>{starts, columns, values_.data(), X, width, first, last, out});
}

void RowPencil::multiply(const double* X, int width, Eigen::Index first, Eigen::Index last, double* out) const {
  multiply_rows<false>(X, width, first, last, out);
}
void RowPencil::multiply_sizes(const double* X, int width, Eigen::Index first, Eigen::Index last, double* out) const {
  multiply_rows<true>(X, width, first, last, out);
}

int n_row_parts(Eigen::Index n) { return static_cast<int>((n + kPart - 1) / kPart); }

void for_row_parts(Eigen::Index n, const std::function<void(int, Eigen::Index, Eigen::Index)>& work) {
  parallel_for(n_row_parts(n), [&](int part) { work(part, part * kPart, std::min(n, (part + 1) * kPart)); });
}

Projections project(const RowPencil& pencil, const std::vector<RowBlock>& U, const RowBlock& T) {
  const int width = static_cast<int>(T.cols()), wide = pencil.n_matrices() * width, parts = n_row_parts(T.rows());
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
      pencil.multiply(T.data(), width, first, last, Z.data());
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
