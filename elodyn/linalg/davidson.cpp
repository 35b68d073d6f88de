#include "elodyn/linalg/davidson.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/cluster.hpp"
#include "elodyn/linalg/definite_dense.hpp"
#include "elodyn/linalg/lanes.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/mode_residuals.hpp"
#include "elodyn/linalg/mumps.hpp"
#include "elodyn/linalg/row_product.hpp"
#include "elodyn/linalg/shared_modes.hpp"
#include "elodyn/linalg/solve.hpp"
#include "elodyn/linalg/subspace.hpp"
#include "elodyn/linalg/supernodal.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

constexpr Eigen::Index kDigitsAreCheap = 5000;  // unknowns
constexpr double kUseful = 0.1;                 // where they are: η / what is enough, of what is worth a solve

// A real basis with its projections, and what is known of the modes in it.
class Davidson {
 public:
  Davidson(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, const CholeskySolver& solver,
           Eigen::Index capacity)
      : pencil_(K, M, C, RowPencil::Symmetry::conservative),
        M_(M),
        inverse_diagonal_(K.diagonal().cwiseInverse()),
        solver_(solver),
        n_(K.rows()),
        capacity_(capacity),
        engine_(1) {
    error_weights_ = M.diagonal().cwiseInverse();
    size_weights_.resize(n_);
    for_row_parts(n_, [&](int, Eigen::Index first, Eigen::Index last) {
      for (Eigen::Index row = first; row < last; ++row) {
        double sum = 0;
        for (SparseMatrix::InnerIterator it(K, row); it; ++it) sum += std::abs(it.value());
        size_weights_[row] = error_weights_[row] * sum * sum;
      }
    });
    Kp_.setZero(capacity, capacity);
    Cp_ = Mp_ = Kp_;
  }

  bool is_real() const { return !pencil_.has_C() || without_C_; }
  Eigen::Index size() const { return m_; }
  const VectorX& omega() const { return omega_; }  // of the last Rayleigh–Ritz

  // Static deflections under the loads. False if they hold nothing new.
  bool add_deflections(const MatrixX& loads) {
    const Eigen::Index before = m_;
    for (Eigen::Index from = 0; from < loads.cols(); from += kBlock) {
      const Eigen::Index width = std::min<Eigen::Index>(kBlock, loads.cols() - from);
      RowBlock T(n_, padded(width));
      for_row_parts(n_, [&](int, Eigen::Index first, Eigen::Index last) {
        for (Eigen::Index slab = first; slab < last; slab += kSlab) {
          auto rows = T.middleRows(slab, std::min(last - slab, kSlab));
          rows.leftCols(width) = loads.block(slab, from, rows.rows(), width);
          rows.rightCols(T.cols() - width).setZero();
        }
      });
      solver_.solve_in_place(T);
      if (!add(std::move(T)).allFinite()) return false;
    }
    return m_ > before;
  }
  bool add_random(Eigen::Index width) {
    return add_deflections(M_ * make_random_block(engine_, n_, std::min<Eigen::Index>(width, kBlock)));
  }

  // Brings the lowest `count` modes to η ≤ tolerance, with those that equal the last one, and the next one beyond them
  // to a rough value. False if round-off has made K indefinite.
  bool iterate(int count, double tolerance, double residual = INFINITY);

  // How many of the modes that iterate() found make whole groups; the next one lies apart.
  int n_found() const { return n_found_; }

  // Real modes of (K, M): the same without C, on the same basis.
  void set_without_C(bool without) {
    without_C_ = without;
    records_.clear();
  }

  // Real and imaginary parts of the lowest modes in turn.
  RowBlock calc_vectors(int count) const { return combine(U_, parts_of(0, count)); }
  const RowPencil& pencil() const { return pencil_; }

  // ΦᵀCΦ of the first p real modes, ΦᵀMΦ = 1.
  MatrixX calc_coupling(Eigen::Index p) const {
    MatrixX c = Y_.leftCols(p).real();
    const auto norms = (c.transpose() * Mp_.topLeftCorner(m_, m_) * c).diagonal();
    c = (c * norms.cwiseSqrt().cwiseInverse().asDiagonal()).eval();
    return c.transpose() * Cp_.topLeftCorner(m_, m_) * c;
  }

 private:
  static constexpr Eigen::Index kBlock = kWidest;
  // Vectors that are solved for. Of large bodies more take little longer than few; of small ones the dense problem,
  // which grows with the basis, takes most of the time.
  size_t most_columns() const { return n_ <= kDigitsAreCheap ? 16 : kSolvedTogether; }
  struct Look;
  Look look(std::vector<Eigen::Index> modes) const;
  void calc_residuals_of(Look& seen) const;

  struct Record {
    double omega;
    double eta = 1;       // when it was last solved for, before that; 1: not known
    double estimate = 1;  // of η now
    double per_size = 0;  // η / its estimate in the norm of diag(K)⁻¹, as of the last solve; 0: not known
    int slow = 0;         // steps that have not made η smaller
    size_t first_equal = 0, n_equal = 1;
  };

  Eigen::Index columns_each() const { return is_real() ? 1 : 2; }  // real and imaginary part
  // Modes that are looked at in one step.
  size_t n_at_once() const { return most_columns() / static_cast<size_t>(columns_each()); }

  // Columns Re y₀, Im y₀, Re y₁, … of modes first … first + count − 1.
  RowBlock parts_of(int first, int count) const {
    RowBlock c = RowBlock::Zero(m_, padded(2 * count));
    for (int k = 0; k < count; ++k) {
      c.col(2 * k) = Y_.col(first + k).real();
      c.col(2 * k + 1) = Y_.col(first + k).imag();
    }
    return c;
  }

  VectorX add(RowBlock T, const std::vector<int>& owner = {});
  void take_off(const MatrixX& h, Projections& p) const;
  void restart(Eigen::Index keep);
  bool solve_small(Eigen::Index wanted);
  struct Chosen;
  Chosen choose(const Look& seen, const std::vector<double>& enough) const;
  VectorX expand(const Look& seen, const Chosen& chosen);
  std::vector<Record> match_records(Eigen::Index n) const;

  RowPencil pencil_;
  const SparseMatrix& M_;
  VectorX inverse_diagonal_;              // of K
  VectorX error_weights_, size_weights_;  // squares of diag(M)^-½ and of its product with the sums of the rows of |K|
  const CholeskySolver& solver_;
  Eigen::Index n_, capacity_;
  std::vector<RowBlock> U_;  // the basis, m_ columns in all
  Eigen::Index m_ = 0;
  MatrixX Kp_, Cp_, Mp_;
  bool without_C_ = false;
  std::mt19937 engine_;  // a fixed seed: the same input gives the same digits
  VectorX omega_;
  Eigen::MatrixXcd Y_;  // coefficients of the modes
  std::vector<Record> records_;
  int n_found_ = 0;
};

// Projections of T − Uh from those of T.
void Davidson::take_off(const MatrixX& h, Projections& p) const {
  const Eigen::Index width = h.cols();
  const auto change = [&](const MatrixX& P, Eigen::Index block, double sign) {
    auto with = p.with.middleCols(block * width, width), own = p.own.middleCols(block * width, width);
    const MatrixX Ph = P.topLeftCorner(m_, m_) * h, cross = h.transpose() * with;
    own += h.transpose() * Ph - cross - sign * cross.transpose();
    with -= Ph;
  };
  change(Kp_, 0, 1);
  change(Mp_, 1, 1);
  if (pencil_.has_C()) change(Cp_, 2, -1);
}

// Adds what T spans; what is dependent is dropped. Returns the squares of the K-norms of what is new in its columns:
// all of a residual but round-off, which low modes in the basis may make large. Residuals have owners: columns of one
// mode are scaled together.
VectorX Davidson::add(RowBlock T, const std::vector<int>& owner) {
  Projections p = project(pencil_, U_, T);
  const Eigen::Index width = T.cols();
  VectorX squares = p.own.leftCols(width).diagonal();
  if (!squares.allFinite()) return squares;  // K is singular
  squares = squares.cwiseMax(0);
  VectorX left = squares;
  // What lies in the basis is taken off, once more if little is left. Residuals have no part there but round-off, which
  // shows when they are small.
  const double harmless = n_ <= kDigitsAreCheap ? 1e-12 : 1e-8;
  for (int pass = 0; pass < 2 && m_ > 0; ++pass) {
    MatrixX L = Kp_.topLeftCorner(m_, m_), h = p.with.leftCols(width);
    if (!cholesky_in_place(L)) return VectorX::Zero(width);
    solve_lower(L, h);
    const VectorX inside = h.cwiseAbs2().colwise().sum().transpose();
    if ((inside.array() <= harmless * left.array()).all()) break;
    solve_lower_transposed(L, h);
    T -= combine(U_, h);
    // Little that is taken off loses no digits of the projections.
    constexpr double kLittle = 1e-2;
    const bool is_little = (inside.array() <= kLittle * left.array()).all();
    if (is_little)
      take_off(h, p);
    else
      p = project(pencil_, U_, T);
    left = p.own.leftCols(width).diagonal().cwiseMax(0);
    if (is_little) break;
  }
  constexpr double kNothingNew = 1e-20;  // of the square
  VectorX scale = left;
  for (size_t i = 0; i < owner.size(); ++i)
    for (size_t j = 0; j < owner.size(); ++j)
      if (i != j && owner[i] >= 0 && owner[i] == owner[j])
        scale[static_cast<Eigen::Index>(i)] += left[static_cast<Eigen::Index>(j)];
  for (Eigen::Index k = 0; k < width; ++k)
    scale[k] = left[k] > kNothingNew * squares[k] && scale[k] > 0 ? 1 / std::sqrt(scale[k]) : 0;
  MatrixX gram = scale.asDiagonal() * p.own.leftCols(width) * scale.asDiagonal(), vectors;
  gram = (0.5 * (gram + gram.transpose())).eval();
  VectorX values;
  symmetric_eigen(gram, 0, static_cast<int>(width) - 1, values, vectors);
  constexpr double kDependent = 1e-5;  // of the square; below, what projections lose to cancellation would show
  const auto kept =
      std::count_if(values.begin(), values.end(), [&](double v) { return v > kDependent * values[width - 1]; });
  if (values[width - 1] <= 0 || kept == 0) return left;
  const MatrixX R =
      scale.asDiagonal() * vectors.rightCols(kept) * values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal();
  U_.push_back(combine(T, R));
  const auto put = [&](MatrixX& P, Eigen::Index block, double sign) {
    const MatrixX own = R.transpose() * p.own.middleCols(block * width, width) * R;
    P.block(m_, m_, kept, kept) = 0.5 * (own + sign * own.transpose());
    if (m_ == 0) return;
    P.block(0, m_, m_, kept) = p.with.middleCols(block * width, width) * R;
    P.block(m_, 0, kept, m_) = sign * P.block(0, m_, m_, kept).transpose();
  };
  put(Kp_, 0, 1);
  put(Mp_, 1, 1);
  if (pencil_.has_C()) put(Cp_, 2, -1);
  m_ += kept;
  return left;
}

// Keeps the span of the lowest modes.
void Davidson::restart(Eigen::Index keep) {
  keep = std::min(keep, Y_.cols());
  MatrixX c = parts_of(0, static_cast<int>(keep)).leftCols(2 * keep);
  MatrixX gram = c.transpose() * Kp_.topLeftCorner(m_, m_) * c, vectors;
  gram = (0.5 * (gram + gram.transpose())).eval();
  VectorX values;
  const auto width = static_cast<int>(c.cols());
  symmetric_eigen(gram, 0, width - 1, values, vectors);
  const auto kept =
      std::count_if(values.begin(), values.end(), [&](double v) { return v > 1e-12 * values[width - 1]; });
  c = (c * vectors.rightCols(kept) * values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal()).eval();
  RowBlock kept_vectors = combine(U_, c);
  U_.clear();
  U_.push_back(std::move(kept_vectors));
  for (MatrixX* P : {&Kp_, &Cp_, &Mp_})
    P->topLeftCorner(kept, kept) = (c.transpose() * P->topLeftCorner(m_, m_) * c).eval();
  m_ = kept;
}

bool Davidson::solve_small(Eigen::Index wanted) {
  const MatrixX C = is_real() ? MatrixX() : MatrixX(Cp_.topLeftCorner(m_, m_));
  const VectorDigits digits = n_ <= kDigitsAreCheap ? VectorDigits::all : VectorDigits::good;
  if (!solve_definite_dense(Kp_.topLeftCorner(m_, m_), C, Mp_.topLeftCorner(m_, m_), static_cast<int>(wanted), omega_,
                            Y_, digits))
    return false;
  // LAPACK leaves in a mode some ε ω²/ω₁² of the lowest one, which its residual shows. States (y, iωy) of modes are
  // orthogonal in diag(K, M): what is not, is taken off, of lower modes in higher ones.
  const Eigen::MatrixXcd W = Y_ * omega_.cast<Complex>().asDiagonal();
  Eigen::MatrixXcd gram =
      Y_.adjoint() * (Kp_.topLeftCorner(m_, m_) * Y_) + W.adjoint() * (Mp_.topLeftCorner(m_, m_) * W);
  const VectorX sizes = gram.diagonal().real();
  constexpr double kApart = 1e-4;  // equal modes are left as they are
  for (Eigen::Index k = 0; k < gram.cols(); ++k)
    for (Eigen::Index j = 0; j < gram.rows(); ++j)
      gram(j, k) = j < k && omega_[j] < (1 - kApart) * omega_[k] ? gram(j, k) / sizes[j] : Complex(0);
  Y_ -= (Y_ * gram).eval();
  return true;
}

// Some modes: x in columns 2k and 2k + 1, its real and imaginary part, or in column k if modes are real; r = Q(iω)x in
// the same columns.
struct Davidson::Look {
  std::vector<Eigen::Index> modes;
  RowBlock X, r;
  VectorX omega, energy;  // energy: x*Kx
  VectorX squares;        // of the columns of r, in the norm of diag(K)⁻¹
  VectorX errors;         // of the modes: largest entry of r / largest of |K||x|, about

  // √(r* diag(K)⁻¹ r / x*Kx): what η is estimated from.
  double size(size_t k, Eigen::Index step) const {
    const auto at = static_cast<Eigen::Index>(k);
    return std::sqrt(squares.segment(step * at, step).sum() / energy[at]);
  }
};

// A mode is turned in its phase so that its imaginary part is smallest: where Coriolis forces are weak, that part has a
// small residual.
Davidson::Look Davidson::look(std::vector<Eigen::Index> modes) const {
  const Eigen::Index step = columns_each();
  Look out;
  out.modes = std::move(modes);
  const auto n_seen = std::ssize(out.modes);
  RowBlock c = RowBlock::Zero(m_, padded(step * n_seen));
  out.omega.resize(n_seen);
  out.energy.resize(n_seen);
  const auto Kp = Kp_.topLeftCorner(m_, m_);
  for (Eigen::Index k = 0; k < n_seen; ++k) {
    const Eigen::Index mode = out.modes[static_cast<size_t>(k)];
    Eigen::VectorXcd y = Y_.col(mode);
    out.omega[k] = omega_[mode];
    const Eigen::VectorXcd Ky = Kp.cast<Complex>() * y;
    out.energy[k] = y.dot(Ky).real();
    if (const Complex square = y.cwiseProduct(Ky).sum(); std::abs(square) > 1e-12 * out.energy[k])
      y *= std::polar(1.0, -0.5 * std::arg(square));
    c.col(step * k) = y.real();
    if (step == 2) c.col(2 * k + 1) = y.imag();
  }
  out.X = combine(U_, c);
  calc_residuals_of(out);
  return out;
}

namespace {

// r = Kx − ω²Mx + iωCx of some rows, from their [KX, MX, CX]; sums and largest entries of its columns.
struct ResidualRows {
  const double *X, *Z, *squares, *turned;  // by columns: ω²; of Cx, whose parts are exchanged, −ω or ω
  const double *inverse_diagonal, *error_weights, *size_weights;
  double *r, *sums, *largest, *sizes;
  int width;
  Eigen::Index rows;
  bool has_C;

  template <int W>
  void run() const {
    using Of = Lanes<W>;
    const auto raise = [](Of& most, const Of& value) { most = value > most ? value : most; };
    for (int c = 0; c < width; c += W) {
      const Of square = lanes_at<W>(squares + c), turn = lanes_at<W>(turned + c);
      Of sum = lanes_at<W>(sums + c), error = lanes_at<W>(largest + c), size = lanes_at<W>(sizes + c);
      const double *x = X + c, *z = Z + c;
      double* to = r + c;
      for (Eigen::Index row = 0; row < rows; ++row, x += width, z += (has_C ? 3 : 2) * width, to += width) {
        Of residual = lanes_at<W>(z) - square * lanes_at<W>(z + width);
        if (has_C) {
          Of exchanged;
          exchange_pairs<W>(lanes_at<W>(z + 2 * width), exchanged);
          residual += turn * exchanged;
        }
        lanes_at<W>(to) = residual;
        const Of squared = residual * residual;
        sum += inverse_diagonal[row] * squared;
        raise(error, error_weights[row] * squared);
        raise(size, size_weights[row] * (lanes_at<W>(x) * lanes_at<W>(x)));
      }
      lanes_at<W>(sums + c) = sum;
      lanes_at<W>(largest + c) = error;
      lanes_at<W>(sizes + c) = size;
    }
  }
};

}  // namespace

void Davidson::calc_residuals_of(Look& seen) const {
  const Eigen::Index n = seen.X.rows(), width = seen.X.cols(), step = columns_each(), n_seen = seen.omega.size();
  seen.r.resize(n, width);
  VectorX squares = VectorX::Zero(width), turned = squares;
  for (Eigen::Index c = 0; c < step * n_seen; ++c) {
    const double w = seen.omega[c / step];
    squares[c] = w * w;
    turned[c] = step == 1 ? 0 : c % 2 == 0 ? -w : w;
  }
  const int parts = n_row_parts(n);
  MatrixX sums = MatrixX::Zero(width, parts), largest = sums, sizes = sums;
  for_row_parts(n, [&](int part, Eigen::Index begin, Eigen::Index end) {
    const Eigen::Index wide = pencil_.n_matrices() * width;
    const AlignedNumbers Z(static_cast<size_t>(kSlab * wide));
    for (Eigen::Index first = begin; first < end; first += kSlab) {
      const Eigen::Index last = std::min(end, first + kSlab);
      pencil_.multiply(seen.X.data(), static_cast<int>(width), first, last, Z.data());
      run_wide(ResidualRows{seen.X.data() + first * width, Z.data(), squares.data(), turned.data(),
                            inverse_diagonal_.data() + first, error_weights_.data() + first,
                            size_weights_.data() + first, seen.r.data() + first * width, sums.col(part).data(),
                            largest.col(part).data(), sizes.col(part).data(), static_cast<int>(width), last - first,
                            pencil_.has_C()});
    }
  });
  seen.squares = sums.rowwise().sum();
  seen.errors.resize(n_seen);
  for (Eigen::Index k = 0; k < n_seen; ++k)
    seen.errors[k] =
        std::sqrt(largest.middleRows(step * k, step).maxCoeff() / sizes.middleRows(step * k, step).maxCoeff());
}

// Columns of what was looked at.
struct Davidson::Chosen {
  std::vector<Eigen::Index> columns;
  std::vector<int> owner;  // of each
};

// Parts whose η is farthest from `enough`. A step makes η of what is solved for some ten times smaller, whatever else
// is solved for: who has less far to go than the farthest waits, so that all end together and with few solves.
Davidson::Chosen Davidson::choose(const Look& seen, const std::vector<double>& enough) const {
  constexpr double kWaits = 0.03;
  struct Part {
    double far;  // η / enough
    Eigen::Index column;
    int owner;
  };
  double typical = 0;  // for modes of which nothing is known
  for (const Record& r : records_) typical = std::max(typical, r.per_size);
  if (typical == 0) typical = 1 / kAcceptedResidual;
  const Eigen::Index step = columns_each();
  std::vector<Part> parts;
  for (size_t k = 0; k < seen.modes.size(); ++k) {
    const Record& r = records_[static_cast<size_t>(seen.modes[k])];
    const double size = seen.size(k, step), per_size = r.per_size > 0 && size > 0 ? r.estimate / size : typical;
    for (Eigen::Index c = step * static_cast<Eigen::Index>(k); c < step * static_cast<Eigen::Index>(k + 1); ++c)
      parts.push_back(
          {per_size * std::sqrt(seen.squares[c] / seen.energy[c / step]) / enough[k], c, static_cast<int>(k)});
  }
  std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.far > b.far; });
  // The dense problem takes most of the time of a small body: few steps then.
  const double least = n_ <= kDigitsAreCheap ? kUseful : std::max(1.0, kWaits * parts.front().far);
  auto n_useful = std::count_if(parts.begin(), parts.end(), [&](const Part& p) { return p.far > least; });
  // Places that would be empty are free.
  n_useful = padded(std::clamp<std::ptrdiff_t>(n_useful, 1, static_cast<std::ptrdiff_t>(most_columns())));
  Chosen out;
  for (const Part& part : parts) {
    if (std::ssize(out.columns) == n_useful) break;
    out.columns.push_back(part.column);
    out.owner.push_back(part.owner);
  }
  return out;
}

// K⁻¹r of some parts joins the basis. Returns the η of the modes that have one, −1 of the others.
VectorX Davidson::expand(const Look& seen, const Chosen& chosen) {
  const auto& from = chosen.columns;
  RowBlock T(n_, padded(std::ssize(from)));
  std::vector<int> owner = chosen.owner;
  owner.resize(static_cast<size_t>(T.cols()), -1);
  for_row_parts(n_, [&](int, Eigen::Index first, Eigen::Index last) {
    for (Eigen::Index row = first; row < last; ++row) {
      const double* r = seen.r.data() + row * seen.r.cols();
      double* t = T.data() + row * T.cols();
      for (size_t k = 0; k < from.size(); ++k) t[k] = r[from[k]];
      std::fill(t + from.size(), t + T.cols(), 0.0);
    }
  });
  solver_.solve_in_place(T);
  const VectorX squares = add(std::move(T), owner);
  const Eigen::Index step = columns_each();
  VectorX solved = VectorX::Zero(seen.omega.size()), sizes = solved;
  for (size_t k = 0; k < from.size(); ++k) {
    solved[owner[k]] += squares[static_cast<Eigen::Index>(k)];
    sizes[owner[k]] += seen.squares[from[k]];
  }
  VectorX eta = VectorX::Constant(seen.omega.size(), -1);
  for (Eigen::Index k = 0; k < eta.size(); ++k)
    if (seen.squares.segment(step * k, step).isZero(0))
      eta[k] = 0;
    else if (sizes[k] > 0)
      eta[k] = std::sqrt(solved[k] / sizes[k] * seen.squares.segment(step * k, step).sum() / seen.energy[k]);
  return eta;
}

// What is known of the modes after a Rayleigh–Ritz: Ritz values fall by about η²/gap.
std::vector<Davidson::Record> Davidson::match_records(Eigen::Index n) const {
  std::vector<bool> used(records_.size(), false);
  std::vector<Record> now;
  for (Eigen::Index k = 0; k < n; ++k) {
    now.push_back({omega_[k]});
    for (size_t old = 0; old < records_.size(); ++old) {
      const double moved = std::max(1e-9, 100 * records_[old].eta * records_[old].eta);
      if (used[old] || records_[old].eta == 1 || std::abs(records_[old].omega - omega_[k]) > moved * omega_[k])
        continue;
      used[old] = true;
      const double omega = now.back().omega;
      now.back() = records_[old];
      now.back().omega = omega;
      break;
    }
  }
  // Vectors of equal modes turn among each other from step to step: what is known of one holds for all, unless there
  // are more than are treated at once. Then each keeps its own: the span is good when all have been treated.
  for (size_t first = 0; first < now.size();) {
    size_t last = first + 1;
    while (last < now.size() && now[last].omega < now[last - 1].omega * (1 + kGap)) ++last;
    const auto begin = now.begin() + static_cast<std::ptrdiff_t>(first),
               end = now.begin() + static_cast<std::ptrdiff_t>(last);
    const auto worst = [&](double Record::*what) {
      return (*std::max_element(begin, end, [&](const Record& a, const Record& b) { return a.*what < b.*what; })).*what;
    };
    const double eta = worst(&Record::eta), estimate = worst(&Record::estimate), per_size = worst(&Record::per_size);
    const int slow =
        std::max_element(begin, end, [](const Record& a, const Record& b) { return a.slow < b.slow; })->slow;
    for (auto record = begin; record != end; ++record) {
      record->first_equal = first;
      record->n_equal = last - first;
      if (record->n_equal > n_at_once()) continue;
      record->eta = eta;
      record->estimate = estimate;
      record->per_size = per_size;
      record->slow = slow;
    }
    first = last;
  }
  return now;
}

bool Davidson::iterate(int count, double tolerance, double residual) {
  constexpr double kAcceptable = 1e-5, kRough = 1e-3, kRate = 0.1;
  constexpr int kMostSlow = 3;
  const auto guard = static_cast<Eigen::Index>(std::max(8, count / 2));
  const Eigen::Index smallest = std::min<Eigen::Index>(n_, count + guard);
  int idle = 0;
  while (m_ < smallest && idle < 3) idle = add_random(smallest - m_) ? 0 : idle + 1;
  if (m_ < std::min<Eigen::Index>(count + 1, n_)) return false;  // K is singular to working precision
  const int most = 60 + 20 * count;
  Progress progress("modes: iterating", count);
  bool has_grown = true;
  Eigen::Index wanted = 0, active = 0;
  for (int iteration = 0; iteration < most; ++iteration) {
    throw_if_interrupted();
    if (has_grown) {
      // Of equal modes all are brought to convergence, or the wanted ones would turn among the others for ever. The
      // next one beyond them must be seen, too.
      for (wanted = std::min<Eigen::Index>(m_, count + guard);; wanted = std::min(m_, 2 * wanted)) {
        if (!solve_small(wanted)) return false;
        active = std::min<Eigen::Index>(count, wanted);
        while (active < wanted && omega_[active] < omega_[active - 1] * (1 + kGap)) ++active;
        if (active < wanted || wanted == m_) break;
      }
      if (active == m_ && m_ < n_ && m_ + kBlock <= capacity_ && add_random(kBlock)) continue;
      n_found_ = static_cast<int>(active);
      records_ = match_records(std::min(active + 1, wanted));
    }
    const size_t at_once = n_at_once();
    const auto is_enough = [&](Eigen::Index k) {
      const Record& r = records_[static_cast<size_t>(k)];
      // More equal modes than are treated at once turn among each other while they wait: the last digits of one are
      // lost when the others are treated.
      constexpr double kOfMany = 1e-9;
      if (k < active) return r.n_equal > at_once ? std::max(tolerance, kOfMany) : tolerance;
      // The next one need only be known to lie apart: its error η²/gap is small against the gap.
      return std::max(tolerance, std::min(kRough, 0.1 * (r.omega / records_[static_cast<size_t>(k) - 1].omega - 1)));
    };
    // Where all digits are wanted, they are seen by a solve.
    const auto is_open = [&](Eigen::Index k) {
      const Record& r = records_[static_cast<size_t>(k)];
      return (n_ <= kDigitsAreCheap ? r.eta : r.estimate) > is_enough(k) && r.slow < kMostSlow;
    };
    std::vector<Eigen::Index> open;
    for (Eigen::Index k = 0; k < std::ssize(records_); ++k)
      if (is_open(k)) open.push_back(k);
    progress.set_done(std::max(0.0, static_cast<double>(count) - static_cast<double>(open.size())));
    if (open.empty() || m_ >= n_) return true;  // converged, or the basis is the whole space
    if (m_ + kBlock > capacity_) {
      restart(wanted);
      if (!solve_small(std::min(m_, wanted))) return false;
    }
    // Those that have farthest to go come first, so that all end together; more equal modes than are treated at once
    // take turns.
    if (open.size() > at_once)
      std::stable_sort(open.begin(), open.end(), [&](Eigen::Index a, Eigen::Index b) {
        return records_[static_cast<size_t>(a)].estimate > records_[static_cast<size_t>(b)].estimate;
      });
    if (open.size() > at_once && std::abs(omega_[open[at_once]] - omega_[open.front()]) < omega_[open.front()] * kGap)
      std::rotate(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(iteration * at_once % open.size()),
                  open.end());
    open.resize(std::min(open.size(), at_once));
    const Look seen = look(std::move(open));
    std::vector<double> enough;
    bool is_any_open = false;
    for (size_t j = 0; j < seen.modes.size(); ++j) {
      const Eigen::Index k = seen.modes[j];
      Record& r = records_[static_cast<size_t>(k)];
      enough.push_back(is_enough(k));
      if (r.per_size > 0) {
        r.estimate = r.per_size * seen.size(j, columns_each());
        if (k < active)
          r.estimate = std::max(r.estimate, tolerance / residual * seen.errors[static_cast<Eigen::Index>(j)]);
      }
      is_any_open |= is_open(k);
    }
    has_grown = is_any_open;
    if (!is_any_open) continue;
    const VectorX eta = expand(seen, choose(seen, enough));
    std::vector<double> worst(records_.size(), 0);  // of equal modes, which share what is known of them
    for (size_t j = 0; j < seen.modes.size(); ++j) {
      double& of_group = worst[records_[static_cast<size_t>(seen.modes[j])].first_equal];
      of_group = std::max(of_group, eta[static_cast<Eigen::Index>(j)]);
    }
    for (size_t j = 0; j < seen.modes.size(); ++j) {
      const double now = eta[static_cast<Eigen::Index>(j)];
      Record& r = records_[static_cast<size_t>(seen.modes[j])];
      // Whoever was not solved for, having no way to go any more, must not keep those that equal it.
      if (now < 0) {
        if (r.per_size > 0 && r.estimate <= kUseful * enough[j]) r.eta = std::min(r.eta, r.estimate);
        continue;
      }
      // Round-off ends the descent of η at about ε·√cond(K); frequencies are then exact to η².
      const double judged = r.n_equal > at_once ? now : worst[r.first_equal];
      r.slow += judged < kAcceptable && judged > 0.9 * r.eta ? 1 : 0;
      r.eta = now;
      if (now > 0) r.per_size = now / seen.size(j, columns_each());
      constexpr double kOpen = 2;  // until it has been looked at again
      r.estimate = std::max(kRate * now, kOpen * is_enough(seen.modes[j]));
    }
    if (iteration + 1 == most && eta.maxCoeff() > kAcceptable)
      throw RoundOffSuspected(
          fmt::format("mode {} did not converge (residual {:.1e}); ask for more modes, or use fewer elements",
                      seen.modes.front() + 1, eta.maxCoeff()));
  }
  return solve_small(wanted);  // of the basis as the last step has left it
}

// ---- completeness ----

}  // namespace

// With the p real modes Φ of (K, M) below μ, ΦᵀMΦ = 1, Λ = ω², and K ≥ μM on what is M-orthogonal to them:
// where μ > s² + βs, H = K − s²M + isC is positive there, at least δM with δ = μ − s² − βs. The number of negative
// eigenvalues of H is then that of its Schur complement, which is at least
//   Λ − s² + isC_p − s²(β² − C_pᵀC_p)/δ,   C_p = ΦᵀCΦ,
// since (CΦ)ᵀM⁻¹(CΦ) ≤ β². Its negative eigenvalues bound the number of frequencies below s from above; −1: it cannot
// be said, an eigenvalue is too near zero or δ ≤ 0.
int bound_below(const VectorX& real_squares, const MatrixX& C_p, double mu, double s, double beta) {
  const double delta = mu - s * s - beta * s;
  if (delta <= 0) return -1;
  const auto p = C_p.rows();
  Eigen::MatrixXcd H = Eigen::MatrixXcd::Zero(p, p), vectors;
  MatrixX real = C_p.transpose() * C_p * (s * s / delta);
  real.diagonal() += (real_squares.head(p).array() - s * s - s * s * beta * beta / delta).matrix();
  H.real() = real;
  H.imag() = s * 0.5 * (C_p - C_p.transpose());
  VectorX values;
  hermitian_eigen(H, 0, static_cast<int>(p) - 1, values, vectors);
  constexpr double kClear = 1e-6;  // what the real modes' own errors may do
  int negative = 0;
  for (const double v : values) {
    if (std::abs(v) < kClear * s * s) return -1;
    negative += v < 0 ? 1 : 0;
  }
  return negative;
}

namespace {

// Of a matrix with the nonzeros of K, which the solver has factored.
int count_negative(const SparseMatrix& A, const CholeskySolver& solver) {
  if (const std::optional<int> counted = solver.count_negative(A)) return *counted;
  return elodyn::count_negative(A, solver.order());
}

Eigen::VectorXcd join_parts(const RowBlock& X, int k) {
  Eigen::VectorXcd x(X.rows());
  x.real() = X.col(2 * k);
  x.imag() = X.col(2 * k + 1);
  return x;
}

// Tries that bound with as many real modes as it needs; −1 if it is not sharp. The modes are found on the basis of the
// gyroscopic ones and counted by one real LDLᵀ of K − μM.
int prove_by_real_modes(const SparseMatrix& K, const SparseMatrix& M, Davidson& davidson, double s, double beta,
                        int expected, const CholeskySolver& solver) {
  constexpr double kEnough = 1e-4;  // η; their squares have η²
  davidson.set_without_C(true);
  const int most = 2 * expected + 30;
  for (int p = expected + 2; p <= most; p += std::max(4, p / 3)) {
    if (!davidson.iterate(p, kEnough)) break;
    const int found = davidson.n_found();
    const VectorX squares =
        davidson.omega().head(std::min<Eigen::Index>(found + 1, davidson.omega().size())).cwiseAbs2();
    if (squares.size() <= found) break;
    for (int used = 1; used <= found; ++used) {
      if (squares[used] < squares[used - 1] * (1 + 1e-4)) continue;
      const double mu = 0.5 * (squares[used - 1] + squares[used]);
      if (bound_below(squares, davidson.calc_coupling(used), mu, s, beta) != expected) continue;
      const int there = count_negative(K - mu * M, solver);
      davidson.set_without_C(false);
      return there == used ? expected : there > used ? expected + there - used : -1;
    }
  }
  davidson.set_without_C(false);
  return -1;
}

}  // namespace

bool solve_definite_sparse(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M,
                           const DefiniteOptions& options, QuadraticModes& out) {
  const OneBlasThread one_blas_thread;
  const Eigen::Index n = K.rows();
  if (Cluster* others = cluster_for(n);
      others && others->finds_modes() && solve_definite_shared(*others, K, C, M, options, out))
    return true;
  CholeskySolver solver;
  {
    const Stage stage("modes: factoring", static_cast<double>(n));
    if (!solver.factor(K)) return false;
  }
  const int count = static_cast<int>(std::min<Eigen::Index>(options.count, n));
  double tolerance = n <= kDigitsAreCheap ? 1e-12 : 1e-6;
  const Eigen::Index capacity = std::min(n, std::max<Eigen::Index>(160, 8 * count)) + kWidest;
  const VectorX d = M.diagonal().cwiseSqrt().cwiseInverse();
  Davidson davidson(K, C, M, solver, capacity);
  if (options.loads.cols() > 0) davidson.add_deflections(options.loads);
  for (int attempt = 0;; ++attempt) {
    if (!davidson.iterate(count, tolerance,
                          n <= kDigitsAreCheap ? INFINITY : kAcceptedResidual * 0.5 * tolerance / 1e-6))
      return false;
    VectorX omega = davidson.omega();
    const int expected = davidson.n_found();
    const RowBlock X = davidson.calc_vectors(count);
    // Projections hold the round-off of all vectors of the basis, some ε·cond(K); x*Kx of a mode only that of its own.
    if (n <= kDigitsAreCheap)
      for (int k = 0; k < count; ++k) omega[k] = calc_quotient(K, C, M, join_parts(X, k));
    QuadraticModes found;
    for (int k = 0; k < count; ++k) found.values.emplace_back(0, omega[k]);
    for (const Residual& r : calc_residuals(davidson.pencil(), K, d, found.values, X, {}))
      found.residuals.push_back(r.relative());
    // η is in another norm, and of the last expansion it is foreseen.
    const double worst = *std::max_element(found.residuals.begin(), found.residuals.end());
    constexpr double kTighter = 0.03, kTightest = 1e-9;
    if (worst > 0.8 * kAcceptedResidual && tolerance > kTightest) {
      tolerance *= kTighter;
      --attempt;
      continue;
    }
    int there = expected;
    double s = 0;
    if (options.prove && expected < omega.size()) {
      const Stage stage("modes: counting", static_cast<double>(n));
      // Counted between the modes that were found and the next one.
      s = 0.5 * (omega[expected - 1] + omega[expected]);
      const bool real = davidson.is_real();
      there = -1;
      if (!real && options.velocity_bound > 0)
        there = prove_by_real_modes(K, M, davidson, s, options.velocity_bound, expected, solver);
      if (there < 0)
        there = real ? count_negative(K - s * s * M, solver)
                     : count_negative(SparseMatrix(K - s * s * M), SparseMatrix(s * C), solver.order());
    }
    if (there <= expected) {
      out = std::move(found);
      out.vectors.resize(n, count);
      for_row_parts(n, [&](int, Eigen::Index first, Eigen::Index last) {
        for (Eigen::Index row = first; row < last; ++row)
          for (int k = 0; k < count; ++k) out.vectors(row, k) = {X(row, 2 * k), X(row, 2 * k + 1)};
      });
      out.is_complete = options.prove && (expected < omega.size() || expected == n);
      return true;
    }
    constexpr int kMostAttempts = 3;
    if (attempt == kMostAttempts)
      throw RoundOffSuspected(
          fmt::format("{} modes lie below {:.6g} rad/s but {} were found; ask for more modes", there, s, expected));
    davidson.add_random(kWidest);  // what was missed has a part in it
  }
}

double calc_quotient(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, const Eigen::VectorXcd& x) {
  const VectorX u = x.real(), v = x.imag();
  const double a = u.dot(M * u) + v.dot(M * v), c = u.dot(K * u) + v.dot(K * v);
  const double gamma = C.nonZeros() > 0 ? u.dot(C * v) - v.dot(C * u) : 0;  // x*Cx = iγ
  return (-gamma + std::sqrt(gamma * gamma + 4 * a * c)) / (2 * a);
}

int count_below(const SparseMatrix& K, const SparseMatrix& C, const SparseMatrix& M, double s) {
  const SparseMatrix A = K - s * s * M;
  return C.nonZeros() == 0 || C.norm() == 0 ? count_negative(A) : count_negative(A, SparseMatrix(s * C));
}

}  // namespace elodyn
