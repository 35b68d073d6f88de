#include "elodyn/linalg/supernodal.hpp"

#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <numeric>

#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/linalg/lanes.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

// Work of a supernode's own elimination and of what it does to others.
double estimate_cost(const SupernodalPattern& p, int s) {
  const double columns = p.starts[s + 1] - p.starts[s], rows = p.row_starts[s + 1] - p.row_starts[s];
  return columns * (rows * rows - rows * columns + columns * columns / 3);
}

}  // namespace

SupernodalCholesky::SupernodalCholesky(const SupernodalPattern& pattern)
    : pattern_(pattern),
      supernode_of_(static_cast<size_t>(pattern.n)),
      inverse_order_(static_cast<size_t>(pattern.n)),
      part_of_(static_cast<size_t>(pattern.n_supernodes), 0) {
  for (int k = 0; k < pattern.n; ++k) inverse_order_[static_cast<size_t>(pattern.order[k])] = k;
  for (int s = 0; s < pattern.n_supernodes; ++s) {
    std::fill(supernode_of_.begin() + pattern.starts[s], supernode_of_.begin() + pattern.starts[s + 1], s);
    most_rows_ = std::max(most_rows_, pattern.row_starts[s + 1] - pattern.row_starts[s]);
  }
  cut_tree();
  find_outside_rows();
}

Eigen::Index SupernodalCholesky::n_values() const {
  const int last = pattern_.n_supernodes - 1;
  return pattern_.value_starts[last] + static_cast<Eigen::Index>(pattern_.starts[last + 1] - pattern_.starts[last]) *
                                           (pattern_.row_starts[last + 1] - pattern_.row_starts[last]);
}

// Subtrees that are a small part of the whole are kept; what lies above them is the top.
void SupernodalCholesky::cut_tree() {
  constexpr double kWorthThreads = 3e7;   // operations: some milliseconds
  constexpr int kParts = 8, kPieces = 4;  // of one part: so that parts become equal
  const int n = pattern_.n_supernodes;
  std::vector<int> parent(static_cast<size_t>(n), -1), first(static_cast<size_t>(n)), size(static_cast<size_t>(n), 1);
  std::vector<double> cost(static_cast<size_t>(n));
  std::iota(first.begin(), first.end(), 0);
  double total = 0;
  bool postordered = true;
  for (int s = 0; s < n; ++s) {
    const auto at = static_cast<size_t>(s);
    const double own = estimate_cost(pattern_, s);
    total += own;
    cost[at] += own;
    postordered &= first[at] + size[at] - 1 == s;  // a subtree is a range
    const int below = pattern_.row_starts[s] + pattern_.starts[s + 1] - pattern_.starts[s];
    if (below == pattern_.row_starts[s + 1]) continue;
    const auto up = static_cast<size_t>(supernode_of_[static_cast<size_t>(pattern_.rows[below])]);
    parent[at] = static_cast<int>(up);
    first[up] = std::min(first[up], first[at]);
    size[up] += size[at];
    cost[up] += cost[at];
  }
  if (total < kWorthThreads || !postordered) {
    parts_.push_back({{{0, n}}, {}, total});
    return;
  }
  std::vector<int> roots;  // of subtrees
  const auto is_top = [&](int s) { return cost[static_cast<size_t>(s)] > total / (kParts * kPieces); };
  for (int s = 0; s < n; ++s) {
    const int up = parent[static_cast<size_t>(s)];
    if (is_top(s))
      top_.push_back(s);
    else if (up < 0 || is_top(up))
      roots.push_back(s);
  }
  std::stable_sort(roots.begin(), roots.end(),
                   [&](int a, int b) { return cost[static_cast<size_t>(a)] > cost[static_cast<size_t>(b)]; });
  parts_.resize(kParts);
  for (const int root : roots) {  // the largest to the part that has least
    Part& part =
        *std::min_element(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.cost < b.cost; });
    part.cost += cost[static_cast<size_t>(root)];
    part.subtrees.emplace_back(first[static_cast<size_t>(root)], root + 1);
  }
  for (Part& part : parts_) std::sort(part.subtrees.begin(), part.subtrees.end());
  for (const int s : top_) part_of_[static_cast<size_t>(s)] = -1;
  for (size_t p = 0; p < parts_.size(); ++p)
    for (const auto& [begin, end] : parts_[p].subtrees)
      std::fill(part_of_.begin() + begin, part_of_.begin() + end, static_cast<int>(p));
}

void SupernodalCholesky::find_outside_rows() {
  places_.assign(pattern_.rows, pattern_.rows + pattern_.row_starts[pattern_.n_supernodes]);
  std::vector<int> place(static_cast<size_t>(pattern_.n), -1);
  for (size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    for (const auto& [begin, end] : part.subtrees)
      for (int k = pattern_.row_starts[begin]; k < pattern_.row_starts[end]; ++k) {
        int& at = places_[static_cast<size_t>(k)];
        if (part_of_[static_cast<size_t>(supernode_of_[static_cast<size_t>(at)])] >= 0) continue;
        int& known = place[static_cast<size_t>(at)];
        if (known < 0) {
          known = static_cast<int>(part.outside.size());
          part.outside.push_back(at);
        }
        at = pattern_.n + known;
      }
    for (const int row : part.outside) place[static_cast<size_t>(row)] = -1;
  }
}

namespace {

constexpr double kSmallestPivot = 1e-10;  // whose sign is believed; the diagonal of A is about 1

// L of LSLᵀ for a small dense matrix in place of its lower triangle, signs that are negative noted. False if a pivot is
// lost in round-off.
bool factor_signed(double* A, int n, int stride, signed char* sign) {
  for (int j = 0; j < n; ++j) {
    double* column = A + static_cast<Eigen::Index>(j) * stride;
    if (!(std::abs(column[j]) > kSmallestPivot)) return false;
    sign[j] = column[j] > 0 ? 1 : -1;
    const double root = std::sqrt(std::abs(column[j]));
    column[j] = root;
    for (int i = j + 1; i < n; ++i) column[i] *= sign[j] / root;
    for (int k = j + 1; k < n; ++k) {
      double* to = A + static_cast<Eigen::Index>(k) * stride;
      const double factor = sign[j] * column[k];
      for (int i = k; i < n; ++i) to[i] -= factor * column[i];
    }
  }
  return true;
}

}  // namespace

// One factorisation: each supernode takes off itself what its descendants have to say (left-looking), those that wait
// for it being in a list, then its own columns are eliminated.
struct SupernodalCholesky::Factorisation {
  const SupernodalCholesky& of;
  const SparseMatrix& A;
  const VectorX& scale;
  double* values;
  const SupernodalPattern& p = of.pattern_;
  std::vector<int> waiting = std::vector<int>(static_cast<size_t>(p.n_supernodes), -1);  // for a supernode: the first
  std::vector<int> next = waiting;                                                       // and the one after it
  std::vector<int> done = waiting;      // rows of a supernode that have had their say
  std::vector<signed char> signs = {};  // of the columns, if they may be negative; empty: LLᵀ

  struct Work {
    std::vector<int> place;  // of a row in the supernode that is worked on
    std::vector<double> update;
  };

  bool has_negative(int first, int last) const {
    return !signs.empty() && std::any_of(signs.begin() + first, signs.begin() + last, [](auto s) { return s < 0; });
  }

  // C ← beta·C − B₁SB₂ᵀ: B₁ has m rows, B₂ is the first `width` of them, columns first … last − 1 of the matrix.
  void subtract_product(const double* B, int m, int width, int first, int last, int stride, double beta, double* C,
                        int C_stride) const {
    const int columns = last - first;
    if (!has_negative(first, last)) {
      cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m, width, columns, -1, B, stride, B, stride, beta, C,
                  C_stride);
      return;
    }
    MatrixX BS(width, columns);
    for (int j = 0; j < columns; ++j)
      for (int i = 0; i < width; ++i)
        BS(i, j) = signs[static_cast<size_t>(first + j)] * B[i + static_cast<Eigen::Index>(j) * stride];
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m, width, columns, -1, B, stride, BS.data(), width, beta, C,
                C_stride);
  }

  // The square of n columns from `first` on. Returns how many could be eliminated.
  int eliminate_square(double* L, int n, int stride, int first) {
    if (signs.empty()) return factor_lower(L, n, stride);
    using Square = Eigen::Map<MatrixX, 0, Eigen::OuterStride<>>;
    Square square(L, n, n, Eigen::OuterStride<>(stride));
    const MatrixX before = square;
    if (factor_lower(L, n, stride) == n) return square.diagonal().minCoeff() > std::sqrt(kSmallestPivot) ? n : 0;
    square = before;
    return factor_signed(L, n, stride, signs.data() + first) ? n : 0;
  }
  // Rows below a square that is eliminated.
  void eliminate_below(const double* square, int columns, int first, int n_below, int stride, double* below) const {
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, n_below, columns, 1, square, stride,
                below, stride);
    for (int j = 0; j < columns && !signs.empty(); ++j)
      if (signs[static_cast<size_t>(first + j)] < 0)
        for (int i = 0; i < n_below; ++i) below[i + static_cast<Eigen::Index>(j) * stride] *= -1;
  }

  int n_columns(int s) const { return p.starts[s + 1] - p.starts[s]; }
  int n_rows(int s) const { return p.row_starts[s + 1] - p.row_starts[s]; }
  const int* rows(int s) const { return p.rows + p.row_starts[s]; }
  double* column(int s, int j) const {  // j: of the whole matrix
    return values + p.value_starts[s] + static_cast<Eigen::Index>(j - p.starts[s]) * n_rows(s);
  }

  void find_places(int s, std::vector<int>& place) const {
    place.resize(static_cast<size_t>(p.n));
    for (int k = 0; k < n_rows(s); ++k) place[static_cast<size_t>(rows(s)[k])] = k;
  }

  void load(int s, int first, int last, const std::vector<int>& place) const {
    for (int c = first; c < last; ++c) {
      double* to = column(s, c);
      std::fill(to, to + n_rows(s), 0.0);
      const int j = p.order[c];
      for (SparseMatrix::InnerIterator it(A, j); it; ++it) {
        const int row = of.inverse_order_[static_cast<size_t>(it.row())];
        if (row >= c && it.value() != 0) to[place[static_cast<size_t>(row)]] = it.value() * scale[it.row()] * scale[j];
      }
    }
  }

  // The first row of d, from `from` on, that is not before a column.
  int find_row(int d, int from, int column) const {
    const int* at = rows(d);
    return static_cast<int>(std::lower_bound(at + from, at + n_rows(d), column) - at);
  }

  // Takes off the columns of s before `last` what the rows of its descendant d from `from` on say of them. Returns the
  // first row of d beyond these columns.
  int subtract(int d, int from, int s, int last, const std::vector<int>& place, std::vector<double>& update) const {
    const int* at = rows(d);
    const int m_all = n_rows(d);
    const int to = find_row(d, from, last);
    if (to == from) return to;
    const double* L = values + p.value_starts[d];
    const auto put = [&](int begin, int end) {  // the columns that rows begin … end − 1 of d stand for
      const int m = m_all - begin, width = end - begin, first = place[static_cast<size_t>(at[begin])];
      const bool direct = place[static_cast<size_t>(at[m_all - 1])] - first == m - 1;
      double* target = column(s, at[begin]) + first;
      int stride = n_rows(s);
      if (!direct) {
        if (update.size() < static_cast<size_t>(m) * static_cast<size_t>(width))
          update.resize(2 * static_cast<size_t>(m) * static_cast<size_t>(width));
        target = update.data();
        stride = m;
      }
      subtract_product(L + begin, m, width, p.starts[d], p.starts[d + 1], m_all, direct ? 1 : 0, target, stride);
      if (direct) return;
      for (int j = 0; j < width; ++j) {
        double* into = column(s, at[begin + j]);
        const double* add = update.data() + static_cast<Eigen::Index>(j) * m;
        for (int i = j; i < m; ++i) into[place[static_cast<size_t>(at[begin + i])]] += add[i];
      }
    };
    constexpr int kSquare = 64;  // what is above the diagonal is computed, too, in squares of that size
    for (int begin = from; begin < to; begin += kSquare) put(begin, std::min(to, begin + kSquare));
    return to;
  }

  // In which list a supernode waits next; −1: its rows are all done.
  int next_target(int d) const {
    const int at = done[static_cast<size_t>(d)];
    return at == n_rows(d) ? -1 : of.supernode_of_[static_cast<size_t>(rows(d)[at])];
  }
  void wait(int d, int s) {
    next[static_cast<size_t>(d)] = waiting[static_cast<size_t>(s)];
    waiting[static_cast<size_t>(s)] = d;
  }

  // Number of columns of s that could be eliminated.
  int eliminate(int s) {
    const int columns = n_columns(s), m = n_rows(s);
    double* L = values + p.value_starts[s];
    const int eliminated = eliminate_square(L, columns, m, p.starts[s]);
    if (eliminated == columns && m > columns) eliminate_below(L, columns, p.starts[s], m - columns, m, L + columns);
    return eliminated;
  }

  // Subtrees of a part. `leaving`: supernodes that wait for the top. Returns the column that failed, or n.
  int factor_part(const Part& part, Work& work, std::vector<int>& leaving) {
    for (const auto& [begin, end] : part.subtrees)
      for (int s = begin; s < end; ++s) {
        find_places(s, work.place);
        load(s, p.starts[s], p.starts[s + 1], work.place);
        const auto send_on = [&](int d) {
          const int target = next_target(d);
          if (target < 0) return;
          if (of.part_of_[static_cast<size_t>(target)] < 0)
            leaving.push_back(d);
          else
            wait(d, target);
        };
        for (int d = waiting[static_cast<size_t>(s)]; d >= 0;) {
          const int after = next[static_cast<size_t>(d)];
          done[static_cast<size_t>(d)] =
              subtract(d, done[static_cast<size_t>(d)], s, p.starts[s + 1], work.place, work.update);
          send_on(d);
          d = after;
        }
        if (const int eliminated = eliminate(s); eliminated < n_columns(s)) return p.starts[s] + eliminated;
        done[static_cast<size_t>(s)] = n_columns(s);
        send_on(s);
      }
    return p.n;
  }

  // A supernode of the top: panels of its columns side by side.
  int factor_top(int s, std::vector<int>& place, std::vector<Work>& works) {
    constexpr int kPanel = 64, kRows = 256;
    const int first = p.starts[s], last = p.starts[s + 1], m = n_rows(s),
              n_panels = (last - first + kPanel - 1) / kPanel;
    find_places(s, place);
    std::vector<int> descendants;
    for (int d = waiting[static_cast<size_t>(s)]; d >= 0; d = next[static_cast<size_t>(d)]) descendants.push_back(d);
    const auto panel_begin = [&](int k) { return std::min(last, first + k * kPanel); };
    const int threads = n_threads();
    parallel_for(n_panels, threads, [&](int k, int t) {
      const int begin = panel_begin(k), end = panel_begin(k + 1);
      load(s, begin, end, place);
      for (const int d : descendants) {
        subtract(d, find_row(d, done[static_cast<size_t>(d)], begin), s, end, place,
                 works[static_cast<size_t>(t)].update);
      }
    });
    for (const int d : descendants) {
      done[static_cast<size_t>(d)] = find_row(d, done[static_cast<size_t>(d)], last);
      if (const int target = next_target(d); target >= 0) wait(d, target);
    }
    double* L = values + p.value_starts[s];
    for (int k = 0; k < n_panels; ++k) {
      const int begin = panel_begin(k) - first, end = panel_begin(k + 1) - first, width = end - begin;
      double* diagonal = L + begin + static_cast<Eigen::Index>(begin) * m;
      if (const int eliminated = eliminate_square(diagonal, width, m, first + begin); eliminated < width)
        return first + begin + eliminated;
      parallel_for((m - end + kRows - 1) / kRows, threads, [&](int r, int) {
        const int from = end + r * kRows, to = std::min(m, from + kRows);
        eliminate_below(diagonal, width, first + begin, to - from, m, diagonal + (from - begin));
      });
      parallel_for(n_panels - k - 1, threads, [&](int q, int) {
        const int row = panel_begin(k + 1 + q) - first, columns = panel_begin(k + 2 + q) - first - row;
        const double* B = L + row + static_cast<Eigen::Index>(begin) * m;
        subtract_product(B, m - row, columns, first + begin, first + end, m, 1,
                         L + row + static_cast<Eigen::Index>(row) * m, m);
      });
    }
    done[static_cast<size_t>(s)] = n_columns(s);
    if (const int target = next_target(s); target >= 0) wait(s, target);
    return p.n;
  }
};

int SupernodalCholesky::run(Factorisation& factorisation) const {
  const OneBlasThread one_blas_thread;
  std::vector<Factorisation::Work> works(static_cast<size_t>(std::max(1, n_threads())));
  std::vector<std::vector<int>> leaving(parts_.size());
  std::vector<int> failed(parts_.size(), pattern_.n);
  parallel_for(static_cast<int>(parts_.size()), n_threads(), [&](int part, int thread) {
    const auto at = static_cast<size_t>(part);
    failed[at] = factorisation.factor_part(parts_[at], works[static_cast<size_t>(thread)], leaving[at]);
  });
  if (const int column = *std::min_element(failed.begin(), failed.end()); column < pattern_.n) return column;
  for (const std::vector<int>& list : leaving)
    for (const int d : list) factorisation.wait(d, factorisation.next_target(d));
  std::vector<int> place;
  for (const int s : top_)
    if (const int column = factorisation.factor_top(s, place, works); column < pattern_.n) return column;
  return pattern_.n;
}

int SupernodalCholesky::factor(const SparseMatrix& A, const VectorX& scale, double* values) const {
  Factorisation factorisation{*this, A, scale, values};
  return run(factorisation);
}

std::optional<int> SupernodalCholesky::count_negative(const SparseMatrix& A, const VectorX& scale) const {
  // Of a row of L the squares with their signs add up to the diagonal, about 1: the others exceed that by what the
  // negative columns hold, and round-off goes with it.
  constexpr double kLargest = 30;
  const AlignedNumbers values(static_cast<size_t>(n_values()));
  Factorisation factorisation{*this, A, scale, values.data()};
  factorisation.signs.assign(static_cast<size_t>(pattern_.n), 1);
  if (run(factorisation) < pattern_.n) return std::nullopt;
  int negative = 0;
  for (int c = 0; c < pattern_.n; ++c) {
    if (factorisation.signs[static_cast<size_t>(c)] > 0) continue;
    ++negative;
    const int s = supernode_of_[static_cast<size_t>(c)], m = factorisation.n_rows(s);
    const double* column = factorisation.column(s, c);
    for (int i = c - pattern_.starts[s]; i < m; ++i)
      if (!(std::abs(column[i]) <= kLargest)) return std::nullopt;
  }
  return negative;
}

}  // namespace elodyn
