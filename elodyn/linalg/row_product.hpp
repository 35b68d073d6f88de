// Products of sparse matrices with many vectors side by side (RowBlock), and the inner products that projections need,
// in one sweep over the rows while these are in the cache.
//   Z = [KT, MT, CT],   UᵀZ,   TᵀZ
// Rows are cut into parts that do not depend on the number of threads, and sums of parts are taken in their order: the
// same digits on any number of cores.
#pragma once

#include <functional>

#include "elodyn/linalg/solve.hpp"

namespace elodyn {

// A sparse matrix by rows, entries that are zero left out.
class RowMatrix {
 public:
  RowMatrix(const SparseMatrix& A, double sign);  // sign 1: A = Aᵀ, −1: A = −Aᵀ
  explicit RowMatrix(const SparseMatrix& A) : RowMatrix(SparseMatrix(A.transpose()), 1) {}
  Eigen::Index size() const { return n_; }
  bool is_zero() const { return values_.empty(); }
  // out(r, :) = Σ A(r, c) X(c, :) for rows first … last − 1; X has `width` columns, out begins at row `first` and has
  // rows of length `stride`. width: at most kWidest, a multiple of 4.
  void multiply(const double* X, int width, Eigen::Index first, Eigen::Index last, double* out, int stride) const;
  void multiply_sizes(const double* X, int width, Eigen::Index first, Eigen::Index last, double* out,
                      int stride) const;  // with |A|

 private:
  Eigen::Index n_ = 0;
  std::vector<int> starts_, columns_;
  std::vector<double> values_;
};

inline constexpr int kWidest = 24;
inline int padded(Eigen::Index width) { return static_cast<int>((width + 3) / 4 * 4); }

// X has a multiple of 4 columns, at most kWidest.
RowBlock multiply(const RowMatrix& A, const RowBlock& X);

// Projections of T: `with` = Uᵀ[KT, MT, CT] for blocks U side by side, `own` = Tᵀ[KT, MT, CT]; CT only if C is not
// zero.
struct Projections {
  RowBlock with, own;
};
Projections project(const RowMatrix& K, const RowMatrix& M, const RowMatrix& C, const std::vector<RowBlock>& U,
                    const RowBlock& T);

// Uc.
RowBlock combine(const std::vector<RowBlock>& U, const RowBlock& c);
RowBlock combine(const RowBlock& U, const RowBlock& c);

// work(part, first, last) for parts of the rows 0 … n − 1, on all cores; slabs within them stay in the cache.
int n_row_parts(Eigen::Index n);
inline constexpr Eigen::Index kSlab = 128;
void for_row_parts(Eigen::Index n, const std::function<void(int, Eigen::Index, Eigen::Index)>& work);

}  // namespace elodyn
