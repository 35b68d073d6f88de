// Products of sparse matrices with many vectors side by side (RowBlock), and the inner products that projections need,
// in one sweep over the rows while these are in the cache.
//   Z = [KT, MT, CT],   UᵀZ,   TᵀZ
// Rows are cut into parts that do not depend on the number of threads, and sums of parts are taken in their order: the
// same digits on any number of cores.
#pragma once

#include <functional>

#include "elodyn/linalg/solve.hpp"

namespace elodyn {

// K, M and C by rows on their common nonzeros, so that a row of X is fetched once for all of them. A C that is zero is
// left out.
class RowPencil {
 public:
  enum class Symmetry { conservative, general };  // K = Kᵀ, C = −Cᵀ, or not; M = Mᵀ
  RowPencil(const SparseMatrix& K, const SparseMatrix& M, const SparseMatrix& C, Symmetry symmetry);
  Eigen::Index size() const { return n_; }
  bool has_C() const { return n_matrices_ == 3; }
  int n_matrices() const { return n_matrices_; }
  // Rows first … last − 1 of [KX, MX, CX], those of `out` of length n_matrices()·width. X has `width` columns, a
  // multiple of kPadding.
  void multiply(const double* X, int width, Eigen::Index first, Eigen::Index last, double* out) const;
  // The same with the sizes |K|, |M|, |C|.
  void multiply_sizes(const double* X, int width, Eigen::Index first, Eigen::Index last, double* out) const;

 private:
  template <bool Sizes>
  void multiply_rows(const double* X, int width, Eigen::Index first, Eigen::Index last, double* out) const;

  Eigen::Index n_ = 0;
  int n_matrices_ = 0;
  std::vector<int> starts_, columns_;
  std::vector<double> values_;  // k, m, c of each nonzero
};

inline constexpr int kPadding = 8;
inline constexpr int kWidest = 24;  // vectors that are projected at once
inline int padded(Eigen::Index width) { return static_cast<int>((width + kPadding - 1) / kPadding * kPadding); }

// Projections of T: `with` = Uᵀ[KT, MT, CT] for blocks U side by side, `own` = Tᵀ[KT, MT, CT]; CT only if C is not
// zero.
struct Projections {
  RowBlock with, own;
};
Projections project(const RowPencil& pencil, const std::vector<RowBlock>& U, const RowBlock& T);

// Uc.
RowBlock combine(const std::vector<RowBlock>& U, const RowBlock& c);
RowBlock combine(const RowBlock& U, const RowBlock& c);

// work(part, first, last) for parts of the rows 0 … n − 1, on all cores; slabs within them stay in the cache.
int n_row_parts(Eigen::Index n);
inline constexpr Eigen::Index kSlab = 128;
void for_row_parts(Eigen::Index n, const std::function<void(int, Eigen::Index, Eigen::Index)>& work);

}  // namespace elodyn
