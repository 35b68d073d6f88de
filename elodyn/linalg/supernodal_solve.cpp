// Solves with the factor, see supernodal.hpp.
#include <algorithm>

#include "elodyn/base/parallel.hpp"
#include "elodyn/linalg/lanes.hpp"
#include "elodyn/linalg/supernodal.hpp"

namespace elodyn {
namespace {

// Eight values side by side.
template <int W>
struct __attribute__((may_alias)) Row {
  static constexpr int kParts = kSolvedTogether / W;
  static constexpr int kTogether = kSums<W> / kParts / 3 * 2;  // columns of the factor that are worked on together
  Lanes<W> part[kParts];
};

template <int W>
inline Row<W>& row_at(double* X, int i) {
  return *reinterpret_cast<Row<W>*>(X + static_cast<Eigen::Index>(i) * kSolvedTogether);
}
template <int W>
inline const Row<W>& row_at(const double* X, int i) {
  return *reinterpret_cast<const Row<W>*>(X + static_cast<Eigen::Index>(i) * kSolvedTogether);
}

// Register by register: a copy of the whole in smaller pieces could not be read back at once.
template <int W>
inline void copy(Row<W>& a, const Row<W>& b) {
  for (int p = 0; p < Row<W>::kParts; ++p) a.part[p] = b.part[p];
}
template <int W>
inline void subtract(Row<W>& a, double factor, const Row<W>& b) {
  for (int p = 0; p < Row<W>::kParts; ++p) a.part[p] -= factor * b.part[p];
}
template <int W>
inline void divide(Row<W>& a, double divisor) {
  for (int p = 0; p < Row<W>::kParts; ++p) a.part[p] /= divisor;
}

// One supernode: n_columns × n_columns lower triangle above n_rows − n_columns more rows.
struct Supernode {
  int first, n_columns, n_rows;
  const int* rows;
  const double* values;
  const double* column(int j) const { return values + static_cast<Eigen::Index>(j) * n_rows; }
};

inline Supernode supernode(const SupernodalPattern& L, const double* values, int s) {
  return {L.starts[s], L.starts[s + 1] - L.starts[s], L.row_starts[s + 1] - L.row_starts[s], L.rows + L.row_starts[s],
          values + L.value_starts[s]};
}

// X_i −= Σ_j L(i, j) x_j for rows first … last − 1 and Count columns from j, x_j in registers; X begins at row `first`.
template <int W, int Count>
inline void subtract_columns(const Supernode& S, const double* own, int j, int first, int last, double* X) {
  Row<W> x[Count];
  const double* l[Count];
  for (int c = 0; c < Count; ++c) {
    copy<W>(x[c], row_at<W>(own, j + c));
    l[c] = S.column(j + c);
  }
  for (int i = first; i < last; ++i) {
    Row<W> sum;
    copy<W>(sum, row_at<W>(X, i - first));
    for (int c = 0; c < Count; ++c) subtract<W>(sum, l[c][i], x[c]);
    copy<W>(row_at<W>(X, i - first), sum);
  }
}

// x_j −= Σ_i L(i, j) X_i, the same transposed, sums in registers.
template <int W, int Count>
inline void subtract_rows(const Supernode& S, double* own, int j, int first, int last, const double* X) {
  Row<W> sum[Count];
  const double* l[Count];
  for (int c = 0; c < Count; ++c) {
    copy<W>(sum[c], row_at<W>(own, j + c));
    l[c] = S.column(j + c);
  }
  for (int i = first; i < last; ++i) {
    const Row<W>& x = row_at<W>(X, i - first);
    for (int c = 0; c < Count; ++c) subtract<W>(sum[c], l[c][i], x);
  }
  for (int c = 0; c < Count; ++c) copy<W>(row_at<W>(own, j + c), sum[c]);
}

// Count columns from j: the triangle, then the rows below; `below` are those beyond the supernode's own.
template <int W, int Count>
inline void forward_panel(const Supernode& S, double* own, int j, double* below) {
  for (int c = j; c < j + Count; ++c) {
    const double* l = S.column(c);
    divide<W>(row_at<W>(own, c), l[c]);
    for (int i = c + 1; i < j + Count; ++i) subtract<W>(row_at<W>(own, i), l[i], row_at<W>(own, c));
  }
  const int next = j + Count;
  subtract_columns<W, Count>(S, own, j, next, S.n_columns, own + static_cast<Eigen::Index>(next) * kSolvedTogether);
  subtract_columns<W, Count>(S, own, j, S.n_columns, S.n_rows, below);
}
template <int W, int Count>
inline void backward_panel(const Supernode& S, double* own, int j, const double* below) {
  const int next = j + Count;
  subtract_rows<W, Count>(S, own, j, S.n_columns, S.n_rows, below);
  subtract_rows<W, Count>(S, own, j, next, S.n_columns, own + static_cast<Eigen::Index>(next) * kSolvedTogether);
  for (int c = next - 1; c >= j; --c) {
    const double* l = S.column(c);
    for (int i = c + 1; i < next; ++i) subtract<W>(row_at<W>(own, c), l[i], row_at<W>(own, i));
    divide<W>(row_at<W>(own, c), l[c]);
  }
}

// A group of vectors as a part of the tree sees it: rows beyond the part are held in `outside`, from place n on.
struct View {
  double* X;
  double* outside;
  int n;
  template <int W>
  Row<W>& row(int place) const {
    return place < n ? row_at<W>(X, place) : row_at<W>(outside, place - n);
  }
};

// Rows below are gathered, so that each is looked for once; `places` says where they are held.
template <int W>
inline void solve_forward(const Supernode& S, const int* places, const View& view, double* below) {
  constexpr int kTogether = Row<W>::kTogether;
  double* own = view.X + static_cast<Eigen::Index>(S.first) * kSolvedTogether;
  for (int i = S.n_columns; i < S.n_rows; ++i)
    copy<W>(row_at<W>(below, i - S.n_columns), view.template row<W>(places[i]));
  int j = 0;
  for (; j + kTogether <= S.n_columns; j += kTogether) forward_panel<W, kTogether>(S, own, j, below);
  for (; j + 2 <= S.n_columns; j += 2) forward_panel<W, 2>(S, own, j, below);
  if (j < S.n_columns) forward_panel<W, 1>(S, own, j, below);
  for (int i = S.n_columns; i < S.n_rows; ++i)
    copy<W>(view.template row<W>(places[i]), row_at<W>(below, i - S.n_columns));
}
template <int W>
inline void solve_backward(const Supernode& S, double* X, double* below) {
  constexpr int kTogether = Row<W>::kTogether;
  double* own = X + static_cast<Eigen::Index>(S.first) * kSolvedTogether;
  for (int i = S.n_columns; i < S.n_rows; ++i) copy<W>(row_at<W>(below, i - S.n_columns), row_at<W>(X, S.rows[i]));
  int j = S.n_columns;
  if (j % kTogether % 2 == 1) backward_panel<W, 1>(S, own, j -= 1, below);
  while (j % kTogether > 0) backward_panel<W, 2>(S, own, j -= 2, below);
  while (j > 0) backward_panel<W, kTogether>(S, own, j -= kTogether, below);
}

// Supernodes first … last − 1, forward or backward, for several groups: what is read of the factor for one of them is
// in the cache for the next.
struct SolveRange {
  const SupernodalPattern& L;
  const double* values;
  const int* places;
  int first, last;
  const View* views;
  int n_views;
  bool forward;
  double* below;

  template <int W>
  void run() const {
    for (int k = 0; k < last - first; ++k) {
      const int s = forward ? first + k : last - 1 - k;
      const Supernode S = supernode(L, values, s);
      for (int g = 0; g < n_views; ++g)
        if (forward)
          solve_forward<W>(S, places + L.row_starts[s], views[g], below);
        else
          solve_backward<W>(S, views[g].X, below);
    }
  }
};

}  // namespace

void SupernodalCholesky::solve(const double* values, double* X, int n_groups) const {
  const int n = pattern_.n;
  const Eigen::Index stride = static_cast<Eigen::Index>(n) * kSolvedTogether;
  std::vector<View> top_views;
  for (int g = 0; g < n_groups; ++g) top_views.push_back({X + g * stride, nullptr, n});
  const auto run = [&](const std::pair<int, int>& range, const View* views, int n_views, bool forward, double* below) {
    run_wide(SolveRange{pattern_, values, places_.data(), range.first, range.second, views, n_views, forward, below});
  };
  const auto n_parts = static_cast<int>(parts_.size());
  std::vector<std::vector<double>> outside(parts_.size());
  parallel_for(n_parts, [&](int p) {
    const Part& part = parts_[static_cast<size_t>(p)];
    std::vector<double>& buffer = outside[static_cast<size_t>(p)];
    const size_t size = part.outside.size() * kSolvedTogether;
    buffer.assign(size * static_cast<size_t>(n_groups), 0);
    std::vector<View> views = top_views;
    for (int g = 0; g < n_groups; ++g)
      views[static_cast<size_t>(g)].outside = buffer.data() + static_cast<size_t>(g) * size;
    const AlignedNumbers below(static_cast<size_t>(most_rows_) * kSolvedTogether);
    for (const auto& subtree : part.subtrees) run(subtree, views.data(), n_groups, true, below.data());
  });
  parallel_for(n_groups, [&](int g) {
    double* group = X + g * stride;
    for (size_t p = 0; p < parts_.size(); ++p) {
      const std::vector<int>& rows = parts_[p].outside;
      const double* from = outside[p].data() + static_cast<size_t>(g) * rows.size() * kSolvedTogether;
      for (const int row : rows) {
        double* to = group + static_cast<Eigen::Index>(row) * kSolvedTogether;
        for (int c = 0; c < kSolvedTogether; ++c) to[c] += *from++;
      }
    }
    const AlignedNumbers below(static_cast<size_t>(most_rows_) * kSolvedTogether);
    const View* view = &top_views[static_cast<size_t>(g)];
    for (const int s : top_) run({s, s + 1}, view, 1, true, below.data());
    for (auto s = top_.rbegin(); s != top_.rend(); ++s) run({*s, *s + 1}, view, 1, false, below.data());
  });
  parallel_for(n_parts, [&](int p) {
    const Part& part = parts_[static_cast<size_t>(p)];
    const AlignedNumbers below(static_cast<size_t>(most_rows_) * kSolvedTogether);
    for (auto subtree = part.subtrees.rbegin(); subtree != part.subtrees.rend(); ++subtree)
      run(*subtree, top_views.data(), n_groups, false, below.data());
  });
}

}  // namespace elodyn
