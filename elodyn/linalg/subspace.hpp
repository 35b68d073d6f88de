// What the eigensolvers share: orthonormal blocks in the inner product of a positive K, a start, the place in a list of
// eigenvalues where it can be checked for completeness, and the last digits.
#pragma once

#include <random>

#include "elodyn/base/types.hpp"

namespace elodyn {

// Columns that span what W adds to the K-orthonormal U: UᵀKV = 0, VᵀKV = 1. What is dependent, or small against the
// largest column, is dropped; V may have no column. Columns of W should have K-norms of like size.
MatrixX make_orthonormal_block(const SparseMatrix& K, const MatrixX& U, MatrixX W);

// Uniform in [−1, 1]; a fixed seed gives the same digits in every run.
MatrixX make_random_block(std::mt19937& engine, Eigen::Index n, Eigen::Index width);

// How many of the first `count` ascending values lie apart, by more than kGap, from the group of equal ones that the
// last belongs to: of equal ones a list may hold some only, which is no miss.
inline constexpr double kGap = 1e-6;
int count_before_last_group(const VectorX& ascending, int count);

// Ascending eigenvalues and vectors of K x = μ M x, K = Kᵀ, M > 0, from an eigensolver that knows them to ε of the
// largest. Those that this leaves with a residual are improved by inverse iteration at their own μ, near-equal ones
// together (a block and Rayleigh–Ritz), so that repeated ones stay apart.
void polish(const MatrixX& K, const MatrixX& M, VectorX& values, MatrixX& vectors);
void polish(const SparseMatrix& K, const SparseMatrix& M, VectorX& values, MatrixX& vectors);

}  // namespace elodyn
