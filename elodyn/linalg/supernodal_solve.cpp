// Solves with the factor, see supernodal.hpp.
#include <algorithm>

#include "elodyn/base/parallel.hpp"
#include "elodyn/linalg/lanes.hpp"
#include "elodyn/linalg/supernodal.hpp"

namespace elodyn {
namespace {

constexpr int kUnit = 8;  // columns: what one of the widest registers holds

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

inline double* row_at(double* X, int i) { return X + static_cast<Eigen::Index>(i) * kSolvedTogether; }

// A group of vectors as a part of the tree sees it: rows beyond the part are held in `outside`, from place n on.
struct View {
  double* X;
  double* outside;
  int n, columns;
  View shifted(int by) const { return {X + by, outside ? outside + by : nullptr, n, columns - by}; }
  double* row(int place) const { return place < n ? row_at(X, place) : row_at(outside, place - n); }
};

// P registers side by side of each of Size rows: sums that stay in registers.
template <int W, int P, int Size>
struct Tile {
  Lanes<W> sum[Size][P] = {};

  // Σ_t l[t]·x for each of them
  void add(int k, double l, const Lanes<W> (&x)[P]) {
    for (int p = 0; p < P; ++p) sum[k][p] += l * x[p];
  }
  void subtract_from(double* x, int k) const {
    for (int p = 0; p < P; ++p) lanes_at<W>(x + p * W) -= sum[k][p];
  }
};
template <int W, int P>
inline void load(const double* from, Lanes<W> (&x)[P]) {
  for (int p = 0; p < P; ++p) x[p] = lanes_at<W>(from + p * W);
}
template <int W, int P>
inline void subtract_multiple(double* x, double factor, const double* y) {
  for (int p = 0; p < P; ++p) lanes_at<W>(x + p * W) -= factor * lanes_at<W>(y + p * W);
}
template <int W, int P>
inline void scale(double* x, double factor) {
  for (int p = 0; p < P; ++p) lanes_at<W>(x + p * W) *= factor;
}

// Rows of a tile, or columns: as many as there are registers for their sums, however many vectors there are, so that
// the digits of one do not depend on the others.
template <int W>
inline constexpr int kTile = kSums<W> / 3;

// work.run<Size>(k) for tiles of from … end − 1, the rest in narrower ones.
template <int Size, class Work>
inline void for_tiles(int from, int end, const Work& work) {
  for (; from + Size <= end; from += Size) work.template run<Size>(from);
  if constexpr (Size > 1)
    if (from < end) for_tiles<Size / 2>(from, end, work);
}
// The same tiles, the last one first.
template <int Size, class Work>
inline void for_tiles_backward(int from, int end, const Work& work) {
  const int wide = from + (end - from) / Size * Size;
  if constexpr (Size > 1)
    if (wide < end) for_tiles_backward<Size / 2>(wide, end, work);
  for (int k = wide; k > from;) work.template run<Size>(k -= Size);
}

// Rows i …: Σ_j L(i, j) x_j over the columns before `end`.
template <int W, int P, int Size>
inline Tile<W, P, Size> sum_rows(const Supernode& S, double* own, int i, int end) {
  Tile<W, P, Size> tile;
  const double *l = S.values + i, *x_at = own;
  for (int j = 0; j < end; ++j, l += S.n_rows, x_at += kSolvedTogether) {
    Lanes<W> x[P];
    load<W, P>(x_at, x);
    for (int k = 0; k < Size; ++k) tile.add(k, l[k], x);
  }
  return tile;
}

// x ← L⁻¹x of the supernode's own rows; what they do to those below is taken off where `places` says they are held.
template <int W, int P>
struct ForwardOwn {
  const Supernode& S;
  double* own;
  template <int Size>
  void run(int i) const {
    const Tile<W, P, Size> tile = sum_rows<W, P, Size>(S, own, i, i);
    for (int k = 0; k < Size; ++k) tile.subtract_from(row_at(own, i + k), k);
    for (int k = 0; k < Size; ++k) {
      const double* l = S.column(i + k) + i;
      scale<W, P>(row_at(own, i + k), 1 / l[k]);
      for (int r = k + 1; r < Size; ++r) subtract_multiple<W, P>(row_at(own, i + r), l[r], row_at(own, i + k));
    }
  }
};
template <int W, int P>
struct ForwardBelow {
  const Supernode& S;
  double* own;
  const int* places;
  const View& view;
  template <int Size>
  void run(int i) const {
    const Tile<W, P, Size> tile = sum_rows<W, P, Size>(S, own, i, S.n_columns);
    for (int k = 0; k < Size; ++k) tile.subtract_from(view.row(places[i + k]), k);
  }
};
template <int W, int P>
inline void solve_forward(const Supernode& S, const int* places, const View& view) {
  double* own = row_at(view.X, S.first);
  for_tiles<kTile<W>>(0, S.n_columns, ForwardOwn<W, P>{S, own});
  for_tiles<kTile<W>>(S.n_columns, S.n_rows, ForwardBelow<W, P>{S, own, places, view});
}

// x ← L⁻ᵀ(x − what the rows below do to it); these are gathered in `below`, so that each is looked for once.
template <int W, int P>
struct Backward {
  const Supernode& S;
  double *own, *below;
  template <int Size>
  void run(int j) const {
    Tile<W, P, Size> tile;
    add_rows<Size>(tile, j, S.n_columns, S.n_rows, below);
    add_rows<Size>(tile, j, j + Size, S.n_columns, row_at(own, j + Size));
    for (int k = 0; k < Size; ++k) tile.subtract_from(row_at(own, j + k), k);
    for (int k = Size - 1; k >= 0; --k) {
      const double* l = S.column(j + k) + j;
      for (int r = k + 1; r < Size; ++r) subtract_multiple<W, P>(row_at(own, j + k), l[r], row_at(own, j + r));
      scale<W, P>(row_at(own, j + k), 1 / l[k]);
    }
  }
  // Σ_i L(i, j + k) x_i, rows first … last − 1, the first of which is at X
  template <int Size>
  void add_rows(Tile<W, P, Size>& tile, int j, int first, int last, const double* X) const {
    const double* l[Size];
    for (int k = 0; k < Size; ++k) l[k] = S.column(j + k);
    for (int i = first; i < last; ++i, X += kSolvedTogether) {
      Lanes<W> x[P];
      load<W, P>(X, x);
      for (int k = 0; k < Size; ++k) tile.add(k, l[k][i], x);
    }
  }
};
template <int W, int P>
inline void solve_backward(const Supernode& S, double* X, double* below) {
  for (int i = S.n_columns; i < S.n_rows; ++i) {
    const double* from = row_at(X, S.rows[i]);
    double* to = row_at(below, i - S.n_columns);
    for (int p = 0; p < P; ++p) lanes_at<W>(to + p * W) = lanes_at<W>(from + p * W);
  }
  for_tiles_backward<kTile<W>>(0, S.n_columns, Backward<W, P>{S, row_at(X, S.first), below});
}

// Supernodes first … last − 1, forward or backward, for several groups: what is read of the factor for one of them is
// in the cache for the next. Columns of each view: a multiple of the widest registers.
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
  template <int W, int P>
  void solve_part(const Supernode& S, int s, const View& view) const {
    if (forward)
      solve_forward<W, P>(S, places + L.row_starts[s], view);
    else
      solve_backward<W, P>(S, view.X, below);
  }
  template <int W>
  void run() const {
    for (int k = 0; k < last - first; ++k) {
      const int s = forward ? first + k : last - 1 - k;
      const Supernode S = supernode(L, values, s);
      if (k + 1 < last - first) fetch(supernode(L, values, forward ? s + 1 : s - 1));
      for (int g = 0; g < n_views; ++g) {
        const View& view = views[g];
        int c = 0;
        if (view.columns % (3 * W) == 0)
          for (; c < view.columns; c += 3 * W) solve_part<W, 3>(S, s, view.shifted(c));
        for (; c + 2 * W <= view.columns; c += 2 * W) solve_part<W, 2>(S, s, view.shifted(c));
        if (c < view.columns) solve_part<W, 1>(S, s, view.shifted(c));
      }
    }
  }
};

}  // namespace

void SupernodalCholesky::solve(const double* values, double* X, int width) const {
  const int n_groups = (width + kSolvedTogether - 1) / kSolvedTogether;
  const int n = pattern_.n;
  const Eigen::Index stride = static_cast<Eigen::Index>(n) * kSolvedTogether;
  std::vector<View> groups;
  for (int g = 0; g < n_groups; ++g) {
    const int columns = std::min(kSolvedTogether, width - g * kSolvedTogether);
    groups.push_back({X + g * stride, nullptr, n, (columns + kUnit - 1) / kUnit * kUnit});
  }
  const auto run = [&](int first, int last, const std::vector<View>& views, bool forward, double* below) {
    run_wide(SolveRange{pattern_, values, places_.data(), first, last, views.data(), static_cast<int>(views.size()),
                        forward, below});
  };
  const auto n_parts = static_cast<int>(parts_.size());
  std::vector<std::vector<double>> outside(parts_.size());
  parallel_for(n_parts, [&](int p) {
    const Part& part = parts_[static_cast<size_t>(p)];
    std::vector<double>& buffer = outside[static_cast<size_t>(p)];
    const size_t size = part.outside.size() * kSolvedTogether;
    buffer.assign(size * static_cast<size_t>(n_groups), 0);
    std::vector<View> views = groups;
    for (int g = 0; g < n_groups; ++g)
      views[static_cast<size_t>(g)].outside = buffer.data() + static_cast<size_t>(g) * size;
    const AlignedNumbers below(static_cast<size_t>(most_rows_) * kSolvedTogether);
    for (const auto& [first, last] : part.subtrees) run(first, last, views, true, below.data());
  });
  // The top by columns, which need nothing of each other.
  struct Columns {
    int group, first, count;
  };
  std::vector<Columns> tasks;
  for (int g = 0; g < n_groups; ++g) {
    const int columns = groups[static_cast<size_t>(g)].columns, threads = n_threads(), unit = n_lanes();
    const int most = (columns / unit + threads - 1) / threads * unit;
    for (int c = 0; c < columns; c += most) tasks.push_back({g, c, std::min(most, columns - c)});
  }
  parallel_for(static_cast<int>(tasks.size()), [&](int t) {
    const Columns& task = tasks[static_cast<size_t>(t)];
    View view = groups[static_cast<size_t>(task.group)].shifted(task.first);
    view.columns = task.count;
    for (size_t p = 0; p < parts_.size(); ++p) {
      const std::vector<int>& rows = parts_[p].outside;
      if (rows.empty()) continue;
      const double* from =
          outside[p].data() + static_cast<size_t>(task.group) * rows.size() * kSolvedTogether + task.first;
      for (const int row : rows) {
        double* to = view.X + static_cast<Eigen::Index>(row) * kSolvedTogether;
        for (int c = 0; c < task.count; ++c) to[c] += from[c];
        from += kSolvedTogether;
      }
    }
    const AlignedNumbers below(static_cast<size_t>(most_rows_) * kSolvedTogether);
    const std::vector<View> views = {view};
    for (const int s : top_) run(s, s + 1, views, true, below.data());
    for (auto s = top_.rbegin(); s != top_.rend(); ++s) run(*s, *s + 1, views, false, below.data());
  });
  parallel_for(n_parts, [&](int p) {
    const Part& part = parts_[static_cast<size_t>(p)];
    const AlignedNumbers below(static_cast<size_t>(most_rows_) * kSolvedTogether);
    for (auto subtree = part.subtrees.rbegin(); subtree != part.subtrees.rend(); ++subtree)
      run(subtree->first, subtree->second, groups, false, below.data());
  });
}

}  // namespace elodyn
