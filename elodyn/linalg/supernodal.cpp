#include "elodyn/linalg/supernodal.hpp"

#include <algorithm>

#include "elodyn/linalg/lanes.hpp"

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

inline Supernode supernode(const SupernodalFactor& L, int s) {
  return {L.starts[s], L.starts[s + 1] - L.starts[s], L.row_starts[s + 1] - L.row_starts[s], L.rows + L.row_starts[s],
          L.values + L.value_starts[s]};
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

// Rows below are gathered, so that each is looked for once.
template <int W>
inline void solve_forward(const Supernode& S, double* X, double* below) {
  constexpr int kTogether = Row<W>::kTogether;
  double* own = X + static_cast<Eigen::Index>(S.first) * kSolvedTogether;
  for (int i = S.n_columns; i < S.n_rows; ++i) copy<W>(row_at<W>(below, i - S.n_columns), row_at<W>(X, S.rows[i]));
  int j = 0;
  for (; j + kTogether <= S.n_columns; j += kTogether) forward_panel<W, kTogether>(S, own, j, below);
  for (; j + 2 <= S.n_columns; j += 2) forward_panel<W, 2>(S, own, j, below);
  if (j < S.n_columns) forward_panel<W, 1>(S, own, j, below);
  for (int i = S.n_columns; i < S.n_rows; ++i) copy<W>(row_at<W>(X, S.rows[i]), row_at<W>(below, i - S.n_columns));
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

struct Solve {
  const SupernodalFactor& L;
  double* X;

  template <int W>
  void run() const {
    int most = 0;
    for (int s = 0; s < L.n_supernodes; ++s) most = std::max(most, supernode(L, s).n_rows);
    const AlignedNumbers below(static_cast<size_t>(most) * kSolvedTogether);
    for (int s = 0; s < L.n_supernodes; ++s) solve_forward<W>(supernode(L, s), X, below.data());
    for (int s = L.n_supernodes - 1; s >= 0; --s) solve_backward<W>(supernode(L, s), X, below.data());
  }
};

}  // namespace

void solve_supernodal(const SupernodalFactor& L, double* X) { run_wide(Solve{L, X}); }

}  // namespace elodyn
