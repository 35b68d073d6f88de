// Solves with the factor, see supernodal.hpp.
#include <algorithm>

#include "elodyn/base/parallel.hpp"
#include "elodyn/linalg/lanes.hpp"
#include "elodyn/linalg/supernodal.hpp"

namespace elodyn {
namespace {

// Some of the values side by side in a row: P registers.
template <int W, int P>
struct __attribute__((may_alias)) Row {
  static constexpr int kParts = P;
  // Columns of the factor that are worked on together: as many as there are registers for, and for their addresses.
  static constexpr int kTogether = kSums<W> / 3;
  Lanes<W> part[kParts];
};

template <int W, int P>
inline Row<W, P>& row_at(double* X, int i) {
  return *reinterpret_cast<Row<W, P>*>(X + static_cast<Eigen::Index>(i) * kSolvedTogether);
}
template <int W, int P>
inline const Row<W, P>& row_at(const double* X, int i) {
  return *reinterpret_cast<const Row<W, P>*>(X + static_cast<Eigen::Index>(i) * kSolvedTogether);
}

// Register by register: a copy of the whole in smaller pieces could not be read back at once.
template <int W, int P>
inline void copy(Row<W, P>& a, const Row<W, P>& b) {
  for (int p = 0; p < Row<W, P>::kParts; ++p) a.part[p] = b.part[p];
}
template <int W, int P>
inline void subtract(Row<W, P>& a, double factor, const Row<W, P>& b) {
  for (int p = 0; p < Row<W, P>::kParts; ++p) a.part[p] -= factor * b.part[p];
}
template <int W, int P>
inline void divide(Row<W, P>& a, double divisor) {
  for (int p = 0; p < Row<W, P>::kParts; ++p) a.part[p] /= divisor;
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
template <int W, int P, int Count>
inline void subtract_columns(const Supernode& S, const double* own, int j, int first, int last, double* X) {
  Row<W, P> x[Count];
  const double* l[Count];
  for (int c = 0; c < Count; ++c) {
    copy<W, P>(x[c], row_at<W, P>(own, j + c));
    l[c] = S.column(j + c);
  }
  for (int i = first; i < last; ++i) {
    Row<W, P> sum;
    copy<W, P>(sum, row_at<W, P>(X, i - first));
    for (int c = 0; c < Count; ++c) subtract<W, P>(sum, l[c][i], x[c]);
    copy<W, P>(row_at<W, P>(X, i - first), sum);
  }
}

// x_j −= Σ_i L(i, j) X_i, the same transposed, sums in registers.
template <int W, int P, int Count>
inline void subtract_rows(const Supernode& S, double* own, int j, int first, int last, const double* X) {
  Row<W, P> sum[Count];
  const double* l[Count];
  for (int c = 0; c < Count; ++c) {
    copy<W, P>(sum[c], row_at<W, P>(own, j + c));
    l[c] = S.column(j + c);
  }
  for (int i = first; i < last; ++i) {
    const Row<W, P>& x = row_at<W, P>(X, i - first);
    for (int c = 0; c < Count; ++c) subtract<W, P>(sum[c], l[c][i], x);
  }
  for (int c = 0; c < Count; ++c) copy<W, P>(row_at<W, P>(own, j + c), sum[c]);
}

// Count columns from j: the triangle, then the rows below; `below` are those beyond the supernode's own.
template <int W, int P, int Count>
inline void forward_panel(const Supernode& S, double* own, int j, double* below) {
  for (int c = j; c < j + Count; ++c) {
    const double* l = S.column(c);
    divide<W, P>(row_at<W, P>(own, c), l[c]);
    for (int i = c + 1; i < j + Count; ++i) subtract<W, P>(row_at<W, P>(own, i), l[i], row_at<W, P>(own, c));
  }
  const int next = j + Count;
  subtract_columns<W, P, Count>(S, own, j, next, S.n_columns, own + static_cast<Eigen::Index>(next) * kSolvedTogether);
  subtract_columns<W, P, Count>(S, own, j, S.n_columns, S.n_rows, below);
}
template <int W, int P, int Count>
inline void backward_panel(const Supernode& S, double* own, int j, const double* below) {
  const int next = j + Count;
  subtract_rows<W, P, Count>(S, own, j, S.n_columns, S.n_rows, below);
  subtract_rows<W, P, Count>(S, own, j, next, S.n_columns, own + static_cast<Eigen::Index>(next) * kSolvedTogether);
  for (int c = next - 1; c >= j; --c) {
    const double* l = S.column(c);
    for (int i = c + 1; i < next; ++i) subtract<W, P>(row_at<W, P>(own, c), l[i], row_at<W, P>(own, i));
    divide<W, P>(row_at<W, P>(own, c), l[c]);
  }
}

// Columns from j on, in panels of Count and the rest in panels of half of that.
template <int W, int P, int Count>
inline void forward_panels(const Supernode& S, double* own, int j, double* below) {
  for (; j + Count <= S.n_columns; j += Count) forward_panel<W, P, Count>(S, own, j, below);
  if constexpr (Count > 1)
    if (j < S.n_columns) forward_panels<W, P, Count / 2>(S, own, j, below);
}
// The same panels, the last one first.
template <int W, int P, int Count>
inline void backward_panels(const Supernode& S, double* own, const double* below) {
  const int rest = S.n_columns % (2 * Count);  // of the wider panels, which are done after these
  if constexpr (Count > 1) backward_panels<W, P, Count / 2>(S, own, below);
  constexpr bool is_widest = Count == Row<W, P>::kTogether;
  if constexpr (is_widest)
    for (int j = S.n_columns / Count * Count; j > 0;) backward_panel<W, P, Count>(S, own, j -= Count, below);
  else if (rest >= Count)
    backward_panel<W, P, Count>(S, own, S.n_columns - rest, below);
}

// A group of vectors as a part of the tree sees it: rows beyond the part are held in `outside`, from place n on.
struct View {
  double* X;
  double* outside;
  int n;
  View shifted(int columns) const { return {X + columns, outside ? outside + columns : nullptr, n}; }
  template <int W, int P>
  Row<W, P>& row(int place) const {
    return place < n ? row_at<W, P>(X, place) : row_at<W, P>(outside, place - n);
  }
};

// Rows below are gathered, so that each is looked for once; `places` says where they are held.
template <int W, int P>
inline void solve_forward(const Supernode& S, const int* places, const View& view, double* below) {
  double* own = view.X + static_cast<Eigen::Index>(S.first) * kSolvedTogether;
  for (int i = S.n_columns; i < S.n_rows; ++i)
    copy<W, P>(row_at<W, P>(below, i - S.n_columns), view.template row<W, P>(places[i]));
  forward_panels<W, P, Row<W, P>::kTogether>(S, own, 0, below);
  for (int i = S.n_columns; i < S.n_rows; ++i)
    copy<W, P>(view.template row<W, P>(places[i]), row_at<W, P>(below, i - S.n_columns));
}
template <int W, int P>
inline void solve_backward(const Supernode& S, double* X, double* below) {
  double* own = X + static_cast<Eigen::Index>(S.first) * kSolvedTogether;
  for (int i = S.n_columns; i < S.n_rows; ++i)
    copy<W, P>(row_at<W, P>(below, i - S.n_columns), row_at<W, P>(X, S.rows[i]));
  backward_panels<W, P, Row<W, P>::kTogether>(S, own, below);
}

// Supernodes first … last − 1, forward or backward, for several groups: what is read of the factor for one of them is
// in the cache for the next. Columns: of each group, those that are worked on.
template <int Columns>
struct SolveRange {
  const SupernodalPattern& L;
  const double* values;
  const int* places;
  int first, last;
  const View* views;
  int n_views;
  bool forward;
  double* below;

  // The entries of the next supernode, while this one is worked on: most are so small that the processor sees too late
  // where it reads.
  static void fetch(const Supernode& S) {
    constexpr Eigen::Index kMost = 8192, kLine = 8;  // numbers
    const Eigen::Index size = std::min(kMost, static_cast<Eigen::Index>(S.n_columns) * S.n_rows);
    for (Eigen::Index k = 0; k < size; k += kLine) __builtin_prefetch(S.values + k, 0, 2);
  }
  template <int W>
  void run() const {
    constexpr int kParts = std::min(2, Columns / W);
    for (int k = 0; k < last - first; ++k) {
      const int s = forward ? first + k : last - 1 - k;
      const Supernode S = supernode(L, values, s);
      if (k + 1 < last - first) fetch(supernode(L, values, forward ? s + 1 : s - 1));
      for (int g = 0; g < n_views; ++g)
        for (int c = 0; c < Columns; c += kParts * W) {
          const View view = views[g].shifted(c);
          if (forward)
            solve_forward<W, kParts>(S, places + L.row_starts[s], view, below);
          else
            solve_backward<W, kParts>(S, view.X, below);
        }
    }
  }
};

}  // namespace

void SupernodalCholesky::solve(const double* values, double* X, int width) const {
  const int n_groups = (width + kSolvedTogether - 1) / kSolvedTogether;
  constexpr int kHalf = kSolvedTogether / 2;
  const int n = pattern_.n;
  const Eigen::Index stride = static_cast<Eigen::Index>(n) * kSolvedTogether;
  std::vector<View> top_views;
  for (int g = 0; g < n_groups; ++g) top_views.push_back({X + g * stride, nullptr, n});
  const auto run = [&](const std::pair<int, int>& range, const View* views, int n_views, bool forward, double* below) {
    if (width <= kHalf)
      run_wide(SolveRange<kHalf>{pattern_, values, places_.data(), range.first, range.second, views, n_views, forward,
                                 below});
    else
      run_wide(SolveRange<kSolvedTogether>{pattern_, values, places_.data(), range.first, range.second, views, n_views,
                                           forward, below});
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
  // The top by columns: each half of a group for itself.
  parallel_for((width + kHalf - 1) / kHalf, [&](int half) {
    const View view = top_views[static_cast<size_t>(half / 2)].shifted(half % 2 * kHalf);
    for (size_t p = 0; p < parts_.size(); ++p) {
      const std::vector<int>& rows = parts_[p].outside;
      if (rows.empty()) continue;
      const double* from =
          outside[p].data() + static_cast<size_t>(half / 2) * rows.size() * kSolvedTogether + half % 2 * kHalf;
      for (const int row : rows) {
        double* to = view.X + static_cast<Eigen::Index>(row) * kSolvedTogether;
        for (int c = 0; c < kHalf; ++c) to[c] += from[c];
        from += kSolvedTogether;
      }
    }
    const AlignedNumbers below(static_cast<size_t>(most_rows_) * kSolvedTogether);
    const auto run_top = [&](int s, bool forward) {
      run_wide(SolveRange<kHalf>{pattern_, values, places_.data(), s, s + 1, &view, 1, forward, below.data()});
    };
    for (const int s : top_) run_top(s, true);
    for (auto s = top_.rbegin(); s != top_.rend(); ++s) run_top(*s, false);
  });
  parallel_for(n_parts, [&](int p) {
    const Part& part = parts_[static_cast<size_t>(p)];
    const AlignedNumbers below(static_cast<size_t>(most_rows_) * kSolvedTogether);
    for (auto subtree = part.subtrees.rbegin(); subtree != part.subtrees.rend(); ++subtree)
      run(*subtree, top_views.data(), n_groups, false, below.data());
  });
}

}  // namespace elodyn
