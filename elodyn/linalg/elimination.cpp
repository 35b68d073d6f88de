#include "elodyn/linalg/elimination.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace elodyn {

void Elimination::load(const RowMatrix& A) {
  for (Eigen::Index i = 0; i < m_; ++i) {
    const int row = rows_[static_cast<size_t>(i)];
    const double* from = &A(row, 0);
    double* into = &lu_(i, 0);
    double sum = 0;
    for (Eigen::Index j = 0; j < n_; ++j) {
      const int column = columns_[static_cast<size_t>(j)];
      const double value = from[column] * inverse_units_[column];
      into[j] = value;
      sum += value * value;
    }
    const double scale = sum > 0 ? 1 / std::sqrt(sum) : 1;
    row_scale_[row] = scale;
    for (Eigen::Index j = 0; j < n_; ++j) into[j] *= scale;
  }
}

void Elimination::eliminate(Eigen::Index k) {
  const double* pivot = &lu_(k, 0);
  const double inverse = 1 / pivot[k];
  for (Eigen::Index i = k + 1; i < m_; ++i) {
    double* entries = &lu_(i, 0);
    if (entries[k] == 0) continue;
    const double factor = entries[k] * inverse;
    entries[k] = factor;
    for (Eigen::Index j = k + 1; j < n_; ++j) entries[j] -= factor * pivot[j];
  }
}

// In the order of the last time: as good as long as no pivot has become much smaller than the rest of its row, or than
// the smallest one was.
bool Elimination::factor_in_order(const RowMatrix& A) {
  constexpr double kOfRow = 0.2, kOfLast = 0.5;
  load(A);
  double smallest = 1;
  for (Eigen::Index k = 0; k < m_; ++k) {
    const double* entries = &lu_(k, 0);
    const double pivot = std::abs(entries[k]);
    double largest = pivot;
    for (Eigen::Index j = k + 1; j < n_; ++j) largest = std::max(largest, std::abs(entries[j]));
    if (!(pivot >= kOfRow * largest && pivot >= kOfLast * searched_pivot_)) return false;
    smallest = std::min(smallest, pivot);
    eliminate(k);
  }
  last_pivot_ = smallest;
  return true;
}

void Elimination::factor_with_search(const RowMatrix& A, double limit) {
  std::iota(columns_.begin(), columns_.end(), 0);
  load(A);
  rank_ = 0;
  last_pivot_ = 1;
  next_pivot_ = 0;
  const Eigen::Index most = std::min(m_, n_);
  for (Eigen::Index k = 0; k < most; ++k) {
    Eigen::Index row = k, column = k;
    double largest = -1;
    for (Eigen::Index i = k; i < m_; ++i) {
      const double* entries = &lu_(i, 0);
      for (Eigen::Index j = k; j < n_; ++j)
        if (const double size = std::abs(entries[j]); size > largest) largest = size, row = i, column = j;
    }
    if (!(largest > limit)) {
      next_pivot_ = std::max(0.0, largest);
      break;
    }
    last_pivot_ = std::min(last_pivot_, largest);
    if (row != k) {
      std::swap_ranges(&lu_(row, 0), &lu_(row, 0) + n_, &lu_(k, 0));
      std::swap(rows_[static_cast<size_t>(row)], rows_[static_cast<size_t>(k)]);
    }
    if (column != k) {
      for (Eigen::Index i = 0; i < m_; ++i) std::swap(lu_(i, column), lu_(i, k));
      std::swap(columns_[static_cast<size_t>(column)], columns_[static_cast<size_t>(k)]);
    }
    eliminate(k);
    ++rank_;
  }
  searched_pivot_ = last_pivot_;
}

void Elimination::factor(const RowMatrix& A, const std::vector<int>& rows, const VectorX& units, double limit) {
  const auto m = static_cast<Eigen::Index>(rows.size());
  const bool is_new = asked_ != rows || A.cols() != n_ || units != units_;
  if (is_new) {
    m_ = m;
    n_ = A.cols();
    lu_.resize(std::max<Eigen::Index>(m_, 1), n_);
    complement_.resize(n_, n_);
    work_.resize(std::max(m_, n_));
    units_ = units;
    inverse_units_ = units.cwiseInverse();
    row_scale_.resize(A.rows());
    columns_.resize(static_cast<size_t>(n_));
    asked_ = rows;
    rank_ = 0;
  }
  const bool is_complete = !is_new && rank_ == m_ && last_pivot_ > limit;
  if (!is_complete || !factor_in_order(A)) {
    rows_ = rows;
    factor_with_search(A, limit);
  }
  // 𝓑 in the coordinates as given: back substitution with the columns of A_I, units taken out again.
  const Eigen::Index r = rank_, f = n_ - r;
  for (Eigen::Index i = r - 1; i >= 0; --i) {
    double* into = &complement_(columns_[static_cast<size_t>(i)], 0);
    for (Eigen::Index c = 0; c < f; ++c) into[c] = -lu_(i, r + c);
    for (Eigen::Index j = i + 1; j < r; ++j) {
      const double* from = &complement_(columns_[static_cast<size_t>(j)], 0);
      const double u = lu_(i, j);
      for (Eigen::Index c = 0; c < f; ++c) into[c] -= u * from[c];
    }
    const double inverse = 1 / lu_(i, i);
    for (Eigen::Index c = 0; c < f; ++c) into[c] *= inverse;
  }
  for (Eigen::Index c = 0; c < f; ++c) {
    const int own = columns_[static_cast<size_t>(r + c)];
    for (Eigen::Index d = 0; d < f; ++d) complement_(own, d) = d == c ? 1 : 0;
  }
  for (Eigen::Index i = 0; i < n_; ++i)
    for (Eigen::Index c = 0; c < f; ++c)
      complement_(i, c) *= units_[columns_[static_cast<size_t>(r + c)]] * inverse_units_[i];
}

void Elimination::calc_particular(const VectorX& gamma, VectorX& p) {
  p.setZero(n_);
  for (Eigen::Index i = 0; i < rank_; ++i) {
    const int row = rows_[static_cast<size_t>(i)];
    double value = gamma[row] * row_scale_[row];
    for (Eigen::Index j = 0; j < i; ++j) value -= lu_(i, j) * work_[j];
    work_[i] = value;
  }
  for (Eigen::Index i = rank_ - 1; i >= 0; --i) {
    double value = work_[i];
    for (Eigen::Index j = i + 1; j < rank_; ++j) value -= lu_(i, j) * work_[j];
    work_[i] = value / lu_(i, i);
  }
  for (Eigen::Index i = 0; i < rank_; ++i) {
    const int column = columns_[static_cast<size_t>(i)];
    p[column] = work_[i] / units_[column];
  }
}

void Elimination::solve_transposed(const VectorX& r, VectorX& lambda) {
  lambda.setZero(row_scale_.size());
  // Uᵀ y = r_D, Lᵀ z = y.
  for (Eigen::Index i = 0; i < rank_; ++i) {
    const int column = columns_[static_cast<size_t>(i)];
    double value = r[column] / units_[column];
    for (Eigen::Index j = 0; j < i; ++j) value -= lu_(j, i) * work_[j];
    work_[i] = value / lu_(i, i);
  }
  for (Eigen::Index i = rank_ - 1; i >= 0; --i) {
    double value = work_[i];
    for (Eigen::Index j = i + 1; j < rank_; ++j) value -= lu_(j, i) * work_[j];
    work_[i] = value;
    const int row = rows_[static_cast<size_t>(i)];
    lambda[row] = value * row_scale_[row];
  }
}

}  // namespace elodyn
