// A q̇ = b by Gauss with complete pivoting, for the many small matrices of a mechanism in motion: nothing is allocated
// after the first time. Rows are scaled to unit length and coordinates by given units inside.
//   A = (A_D A_I) of the independent rows:   𝓑 = [−A_D⁻¹A_I; 1],  p = [A_D⁻¹γ; 0],   A𝓑 = 0,  A p = γ           (1)
//   A_Dᵀ λ = r_D for r with 𝓑ᵀr = 0, λ = 0 in the dependent rows                                                 (2)
// The pivots are searched for once and their order is kept as long as it is good.
// Compare AdmissibleMotions (maggi.hpp), which does more and allocates. Source: [Wehage1982].
#pragma once

#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Elimination {
 public:
  // Of these rows of A. A pivot that is not above `limit` of rows of unit length ends it: the rest is dependent.
  void factor(const RowMatrix& A, const std::vector<int>& rows, const VectorX& units, double limit);

  int rank() const { return rank_; }
  int n_free() const { return static_cast<int>(n_) - rank_; }
  const RowMatrix& complement() const { return complement_; }  // 𝓑, in its first n_free() columns
  int free_coordinate(int k) const { return columns_[static_cast<size_t>(rank_ + k)]; }
  int row(int k) const { return rows_[static_cast<size_t>(k)]; }  // independent ones for k < rank(), then the others
  double last_pivot() const { return last_pivot_; }               // the smallest that was used, of unit rows; 1: none
  double next_pivot() const { return next_pivot_; }               // the largest that was not

  // γ and λ have an entry for each row of A; those that were not asked for do not count, their λ is zero.
  void calc_particular(const VectorX& gamma, VectorX& p);
  void solve_transposed(const VectorX& r, VectorX& lambda);

 private:
  void load(const RowMatrix& A);  // scaled, rows and columns in the order that they have now
  void eliminate(Eigen::Index k);
  bool factor_in_order(const RowMatrix& A);
  void factor_with_search(const RowMatrix& A, double limit);

  Eigen::Index m_ = 0, n_ = 0;
  int rank_ = 0;
  double last_pivot_ = 1, next_pivot_ = 0;
  RowMatrix lu_;  // rows and columns in the order of the pivots
  std::vector<int> asked_, rows_, columns_;
  VectorX row_scale_, units_, inverse_units_, work_;
  double searched_pivot_ = 1;  // the smallest of the last search
  RowMatrix complement_;
};

}  // namespace elodyn
