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
    Kp_.setZero(capacity, capacity);
    Cp_ = Mp_ = Kp_;
  }

  bool is_real() const { return !pencil_.has_C() || without_C_; }
  Eigen::Index size() const { return m_; }
  const VectorX& omega() const { return omega_; }  // of the last Rayleigh–Ritz

  // Static deflections under the loads. False if they hold nothing new.
  bool add_deflections(const MatrixX& loads) {
    const Eigen::Index before = m_;
    for (Eigen::Index first = 0; first < loads.cols(); first += kBlock) {
      RowBlock T = loads.middleCols(first, std::min<Eigen::Index>(kBlock, loads.cols() - first));
      pad(T);
      solver_.solve_in_place(T);
      if (!T.allFinite()) return false;
      add(std::move(T));
    }
    return m_ > before;
  }
  bool add_random(Eigen::Index width) {
    return add_deflections(M_ * make_random_block(engine_, n_, std::min<Eigen::Index>(width, kBlock)));
  }

  // Brings the lowest `count` modes to η ≤ tolerance, with those that equal the last one, and the next one beyond them
  // to a rough value. False if round-off has made K indefinite.
  bool iterate(int count, double tolerance);

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
  struct Chosen;
  struct RightHandSide;
  RightHandSide calc_right_hand_side(const RowBlock& X, const VectorX& w) const;

  struct Record {
    double omega;
    double eta = 1;   // before the last expansion; 1: not known
    double rate = 1;  // by which the expansion before made it smaller
    int slow = 0;     // steps that have not made η smaller
    size_t n_equal = 1;
  };

  // Modes whose residuals are solved for in one step, if both parts are needed.
  size_t n_at_once() const { return most_columns() / (is_real() ? 1 : 2); }

  static void pad(RowBlock& T) {
    const Eigen::Index width = T.cols();
    T.conservativeResize(T.rows(), padded(width));
    T.rightCols(T.cols() - width).setZero();
  }

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
  VectorX expand(const std::vector<Eigen::Index>& modes, double tolerance);
  std::vector<Record> match_records(Eigen::Index n) const;

  RowPencil pencil_;
  const SparseMatrix& M_;
  VectorX inverse_diagonal_;  // of K
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
  const VectorX squares = p.own.leftCols(width).diagonal().cwiseMax(0);
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

// Columns of a block that belong to one mode.
struct Davidson::Chosen {
  std::vector<Eigen::Index> columns;
  double left_out = 0;  // (residual that is left out / that is kept)², in the norm of diag(K)⁻¹
};

// b of each mode, and the squares of Kx − b in the norm of diag(K)⁻¹ if there is a C.
struct Davidson::RightHandSide {
  RowBlock b;
  VectorX residuals;
};

// b = ω²Mx − iωCx, so that K⁻¹r = x − K⁻¹b; X holds x, or its real and imaginary parts.
Davidson::RightHandSide Davidson::calc_right_hand_side(const RowBlock& X, const VectorX& w) const {
  const Eigen::Index n = X.rows(), width = X.cols();
  const bool real = is_real();
  RightHandSide out{RowBlock(n, width), VectorX::Zero(width)};
  MatrixX sums = MatrixX::Zero(width, n_row_parts(n));
  for_row_parts(n, [&](int part, Eigen::Index begin, Eigen::Index end) {
    const Eigen::Index wide = pencil_.n_matrices() * width;
    const AlignedNumbers Z(static_cast<size_t>(kSlab * wide));
    for (Eigen::Index first = begin; first < end; first += kSlab) {
      const Eigen::Index last = std::min(end, first + kSlab);
      pencil_.multiply(X.data(), static_cast<int>(width), first, last, Z.data());
      for (Eigen::Index row = first; row < last; ++row) {
        double* b = out.b.data() + row * width;
        const double *kx = Z.data() + (row - first) * wide, *mx = kx + width, *cx = mx + width;
        if (real) {
          for (Eigen::Index k = 0; k < w.size(); ++k) b[k] = w[k] * w[k] * mx[k];
          std::fill(b + w.size(), b + width, 0.0);
          continue;
        }
        for (Eigen::Index k = 0; k < w.size(); ++k) {
          const double square = w[k] * w[k];
          b[2 * k] = square * mx[2 * k] + w[k] * cx[2 * k + 1];
          b[2 * k + 1] = square * mx[2 * k + 1] - w[k] * cx[2 * k];
        }
        std::fill(b + 2 * w.size(), b + width, 0.0);
        for (Eigen::Index k = 0; k < 2 * w.size(); ++k)
          sums(k, part) += inverse_diagonal_[row] * (kx[k] - b[k]) * (kx[k] - b[k]);
      }
    }
  });
  out.residuals = sums.rowwise().sum();
  return out;
}

// K⁻¹r of the lowest of these modes, r = (K − ω²M + iωC) x, joins the basis. Returns their η; there may be fewer.
// A mode is turned in its phase so that its imaginary part is smallest. Where Coriolis forces are weak, that part has a
// small residual and is left for later: half of the solves.
VectorX Davidson::expand(const std::vector<Eigen::Index>& modes, double tolerance) {
  constexpr double kWeak = 0.2, kNear = 1e3;
  const bool real = is_real();
  const Eigen::Index step = real ? 1 : 2;
  const Eigen::Index n_seen = std::min<Eigen::Index>(static_cast<Eigen::Index>(modes.size()), kWidest / step);
  const Eigen::Index width = padded(step * n_seen);
  RowBlock c = RowBlock::Zero(m_, width);
  VectorX w(n_seen), energy(n_seen);
  const auto Kp = Kp_.topLeftCorner(m_, m_);
  for (Eigen::Index k = 0; k < n_seen; ++k) {
    Eigen::VectorXcd y = Y_.col(modes[static_cast<size_t>(k)]);
    w[k] = omega_[modes[static_cast<size_t>(k)]];
    const Eigen::VectorXcd Ky = Kp.cast<Complex>() * y;
    energy[k] = y.dot(Ky).real();
    if (const Complex square = y.cwiseProduct(Ky).sum(); std::abs(square) > 1e-12 * energy[k])
      y *= std::polar(1.0, -0.5 * std::arg(square));
    c.col(step * k) = y.real();
    if (!real) c.col(2 * k + 1) = y.imag();
  }
  const RowBlock X = combine(U_, c);
  const RightHandSide right = calc_right_hand_side(X, w);
  std::vector<Chosen> chosen;
  std::vector<Eigen::Index> from;  // of each column that is solved for
  std::vector<int> owner;
  const auto choose = [&](size_t mode, Eigen::Index column) {
    chosen[mode].columns.push_back(static_cast<Eigen::Index>(from.size()));
    from.push_back(column);
    owner.push_back(static_cast<int>(mode));
  };
  std::vector<std::pair<size_t, Eigen::Index>> weak;  // parts that may wait
  const size_t most = most_columns();
  const bool has_room = n_ > kDigitsAreCheap && 2 * modes.size() <= most;
  for (Eigen::Index k = 0; k < n_seen; ++k) {
    const auto mode = static_cast<size_t>(k);
    if (real) {
      if (from.size() == most) break;
      chosen.emplace_back();
      choose(mode, k);
      continue;
    }
    const VectorX& sizes = right.residuals;
    const Eigen::Index large = sizes[2 * k] >= sizes[2 * k + 1] ? 2 * k : 2 * k + 1, small = 4 * k + 1 - large;
    // Near the end both are needed: the norm of diag(K)⁻¹ says little of smooth residuals.
    const auto record = static_cast<size_t>(modes[mode]);
    const bool is_near = record < records_.size() && records_[record].eta < kNear * tolerance;
    const bool needs_both = has_room || is_near || sizes[small] > kWeak * kWeak * sizes[large];
    if (from.size() + (needs_both ? 2 : 1) > most) break;
    chosen.emplace_back();
    choose(mode, large);
    if (needs_both) {
      choose(mode, small);
    } else if (sizes[large] > 0) {
      chosen.back().left_out = sizes[small] / sizes[large];
      weak.emplace_back(mode, small);
    }
  }
  // Places that would be empty are free.
  for (const auto& [mode, column] : weak) {
    if (static_cast<int>(from.size()) == padded(static_cast<Eigen::Index>(from.size()))) break;
    choose(mode, column);
    chosen[mode].left_out = 0;
  }
  RowBlock T(X.rows(), padded(static_cast<Eigen::Index>(from.size())));
  owner.resize(static_cast<size_t>(T.cols()), -1);
  const auto for_columns = [&](const auto& change) {
    for_row_parts(X.rows(), [&](int, Eigen::Index first, Eigen::Index last) {
      for (Eigen::Index row = first; row < last; ++row) change(row);
    });
  };
  for_columns([&](Eigen::Index row) {
    for (size_t k = 0; k < from.size(); ++k) T(row, static_cast<Eigen::Index>(k)) = right.b(row, from[k]);
    for (auto k = static_cast<Eigen::Index>(from.size()); k < T.cols(); ++k) T(row, k) = 0;
  });
  solver_.solve_in_place(T);
  for_columns([&](Eigen::Index row) {
    for (size_t k = 0; k < from.size(); ++k)
      T(row, static_cast<Eigen::Index>(k)) = X(row, from[k]) - T(row, static_cast<Eigen::Index>(k));
  });
  const VectorX squares = add(std::move(T), owner);
  VectorX eta(static_cast<Eigen::Index>(chosen.size()));
  for (size_t k = 0; k < chosen.size(); ++k) {
    double square = 0;
    for (const Eigen::Index at : chosen[k].columns) square += squares[at];
    eta[static_cast<Eigen::Index>(k)] =
        std::sqrt(square * (1 + chosen[k].left_out) / energy[static_cast<Eigen::Index>(k)]);
  }
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
      now.back().eta = records_[old].eta;
      now.back().rate = records_[old].rate;
      now.back().slow = records_[old].slow;
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
    const double eta =
        std::max_element(begin, end, [](const Record& a, const Record& b) { return a.eta < b.eta; })->eta;
    const double rate =
        std::max_element(begin, end, [](const Record& a, const Record& b) { return a.rate < b.rate; })->rate;
    const int slow =
        std::min_element(begin, end, [](const Record& a, const Record& b) { return a.slow < b.slow; })->slow;
    for (auto record = begin; record != end; ++record) {
      record->n_equal = last - first;
      if (record->n_equal > n_at_once()) continue;
      record->eta = eta;
      record->rate = rate;
      record->slow = slow;
    }
    first = last;
  }
  return now;
}

bool Davidson::iterate(int count, double tolerance) {
  constexpr double kAcceptable = 1e-5, kRough = 1e-3;
  constexpr int kMostSlow = 3;
  const auto guard = static_cast<Eigen::Index>(std::max(8, count / 2));
  const Eigen::Index smallest = std::min<Eigen::Index>(n_, count + guard);
  int idle = 0;
  while (m_ < smallest && idle < 3) idle = add_random(smallest - m_) ? 0 : idle + 1;
  if (m_ < std::min<Eigen::Index>(count + 1, n_)) return false;  // K is singular to working precision
  const int most = 60 + 20 * count;
  Progress progress("modes: iterating", count);
  for (int iteration = 0; iteration < most; ++iteration) {
    throw_if_interrupted();
    // Of equal modes all are brought to convergence, or the wanted ones would turn among the others for ever. The next
    // one beyond them must be seen, too.
    Eigen::Index wanted = std::min<Eigen::Index>(m_, count + guard), active = 0;
    for (;; wanted = std::min(m_, 2 * wanted)) {
      if (!solve_small(wanted)) return false;
      active = std::min<Eigen::Index>(count, wanted);
      while (active < wanted && omega_[active] < omega_[active - 1] * (1 + kGap)) ++active;
      if (active < wanted || wanted == m_) break;
    }
    if (active == m_ && m_ < n_ && m_ + kBlock <= capacity_ && add_random(kBlock)) continue;
    n_found_ = static_cast<int>(active);
    records_ = match_records(std::min(active + 1, wanted));
    std::vector<Eigen::Index> open;
    const size_t at_once = n_at_once();
    for (size_t k = 0; k < records_.size(); ++k) {
      // More equal modes than are treated at once turn among each other while they wait: the last digits of one are
      // lost when the others are treated.
      constexpr double kOfMany = 1e-9;
      double enough = records_[k].n_equal > at_once ? std::max(tolerance, kOfMany) : tolerance;
      // The next one need only be known to lie apart: its error η²/gap is small against the gap.
      if (static_cast<Eigen::Index>(k) == active)
        enough = std::max(tolerance, std::min(kRough, 0.1 * (records_[k].omega / records_[k - 1].omega - 1)));
      // The last expansion has made η smaller, about as the one before did. Where all digits are wanted, that is seen.
      constexpr double kSafety = 2;
      const double now = records_[k].eta * (n_ <= kDigitsAreCheap ? 1 : std::min(1.0, kSafety * records_[k].rate));
      if (now > enough && records_[k].slow < kMostSlow) open.push_back(static_cast<Eigen::Index>(k));
    }
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
        return records_[static_cast<size_t>(a)].eta > records_[static_cast<size_t>(b)].eta;
      });
    if (open.size() > at_once && std::abs(omega_[open[at_once]] - omega_[open.front()]) < omega_[open.front()] * kGap)
      std::rotate(open.begin(), open.begin() + static_cast<std::ptrdiff_t>(iteration * at_once % open.size()),
                  open.end());
    // Places that are left cost little: modes beyond the wanted ones, which slow these down.
    const size_t n_open = open.size();
    for (Eigen::Index k = std::ssize(records_); open.size() < at_once && k < wanted && n_ > kDigitsAreCheap; ++k)
      open.push_back(k);
    VectorX eta = expand(open, tolerance);
    eta.conservativeResize(std::min(eta.size(), static_cast<Eigen::Index>(n_open)));
    for (size_t j = 0; j < static_cast<size_t>(eta.size()); ++j) {
      Record& r = records_[static_cast<size_t>(open[j])];
      // Round-off ends the descent of η at about ε·√cond(K); frequencies are then exact to η².
      const double now = eta[static_cast<Eigen::Index>(j)];
      r.slow += now < kAcceptable && now > 0.9 * r.eta ? 1 : 0;
      r.rate = r.eta < 1 ? now / r.eta : 1;
      r.eta = now;
    }
    if (iteration + 1 == most && eta.maxCoeff() > kAcceptable)
      throw RoundOffSuspected(
          fmt::format("mode {} did not converge (residual {:.1e}); ask for more modes, or use fewer elements",
                      open.front() + 1, eta.maxCoeff()));
  }
  return true;
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
    if (!davidson.iterate(count, tolerance)) return false;
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
