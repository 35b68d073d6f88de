#include "elodyn/linalg/reduced_pencil.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/SparseLU>
#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/parallel.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/zero.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;
using MatrixC = Eigen::MatrixXcd;
using VectorC = Eigen::VectorXcd;
using SparseC = Eigen::SparseMatrix<Complex>;

constexpr int kGuard = 2;  // modes beyond those asked for: the gap above the last one must be known

// The part of the pencil without damping and circulatory terms, at one speed.
QuadraticProblem make_conservative(const SpeedPencil& p, double speed) {
  QuadraticProblem q;
  q.M = p.M;
  q.C = speed * p.C1;
  q.K = p.K0 + speed * speed * p.K2;
  q.structure = is_zero(q.C) ? Structure::symmetric : Structure::gyroscopic;
  return q;
}

// Small: so few unknowns that an attempt to factor costs nothing beside what a solver would do without one.
bool is_known_definite(const SparseMatrix& K) {
  if (K.rows() > kLargestDense) return true;  // the solver itself says so, and does nothing else then
  CholeskySolver solver;
  return solver.factor(K);
}

// Some of the speeds if they are many. If they are few, some between them too: what happens there is asked for as well.
std::vector<double> choose_looks(const std::vector<double>& speeds) {
  constexpr size_t kLooks = 33;
  const size_t stride = std::max<size_t>(1, speeds.size() / kLooks);
  const size_t parts = speeds.size() < kLooks ? (kLooks - 1) / std::max<size_t>(1, speeds.size() - 1) : 1;
  std::vector<double> looks;
  for (size_t k = 0; k < speeds.size(); k += stride) {
    looks.push_back(speeds[k]);
    for (size_t part = 1; part < parts && k + 1 < speeds.size(); ++part)
      looks.push_back(speeds[k] + (speeds[k + 1] - speeds[k]) * static_cast<double>(part) / static_cast<double>(parts));
  }
  if (looks.back() != speeds.back()) looks.push_back(speeds.back());
  return looks;
}

MatrixX project_term(const MatrixX& V, const SparseMatrix& A) { return V.transpose() * (A * V); }

}  // namespace

ReducedPencil::ReducedPencil(const SpeedPencil& full, const std::vector<double>& speeds, ReducedOptions options)
    : full_(full), speeds_(speeds), options_(std::move(options)) {
  ELODYN_REQUIRE(!speeds.empty());
  small_.is_conservative = full.is_conservative;
  // The modes of two speeds, in two parts each, would be as many as the unknowns.
  if (full.size() <= std::max<Eigen::Index>(options_.largest_unreduced, 4 * Eigen::Index{options_.count})) {
    is_reduced_ = false;
    V_ = MatrixX(full.M.diagonal().cwiseSqrt().cwiseInverse().asDiagonal());
    small_.M = project_term(V_, full.M);
    small_.C0 = V_.transpose() * full.times_C0(V_);
    small_.C1 = project_term(V_, full.C1);
    small_.K0 = project_term(V_, full.K0);
    small_.K1 = project_term(V_, full.K1);
    small_.K2 = project_term(V_, full.K2);
    project_free_motions();
    return;
  }
  using Of = Block::Of;
  blocks_.push_back({Of::M, {}, {}});
  if (!is_zero(full.C1)) blocks_.push_back({Of::C1, {}, {}});
  if (!is_zero(full.K2)) blocks_.push_back({Of::K2, {}, {}});
  if (!is_zero(full.C0) || full.damped.cols() > 0) blocks_.push_back({Of::C0, {}, {}});
  if (!is_zero(full.K1)) blocks_.push_back({Of::K1, {}, {}});
  V_.resize(full.size(), 0);

  Progress progress("basis of the modes", 4);  // steps that are always taken
  factor_reference(speeds.front());
  progress.advance();
  const double last = *std::max_element(speeds.begin(), speeds.end());
  bool found = shift_ == 0 && add_snapshot(speeds.front(), options_.count + kGuard) != Snapshot::impossible;
  progress.advance();
  found = (last != speeds.front() && add_snapshot(last, options_.count + kGuard) != Snapshot::impossible) || found;
  if (!found) add_rest_modes();
  progress.advance();

  // The worst of some speeds decides where the basis grows; the caller looks at all of them.
  constexpr int kRounds = 8;
  const std::vector<double> looks = choose_looks(speeds);
  const int n = static_cast<int>(looks.size());
  double last_worst = INFINITY;
  for (int round = 0; round < kRounds; ++round) {
    throw_if_interrupted();
    std::vector<PencilModes> modes(looks.size());
    std::vector<double> worst(looks.size(), 0);
    parallel_for(n, [&](int k) {
      if (is_interrupted()) return;
      const auto at = static_cast<size_t>(k);
      try {
        modes[at] = solve_pencil(small_, looks[at], options_.count + kGuard);
      } catch (const NumericalError&) {
        worst[at] = 0;  // nothing to learn there; a speed that was asked for is solved again, and fails
        return;
      }
      const VectorX errors = estimate_errors(modes[at]);
      worst[at] = errors.head(std::min<Eigen::Index>(options_.count, errors.size())).maxCoeff();
    });
    throw_if_interrupted();
    const auto at = static_cast<size_t>(std::max_element(worst.begin(), worst.end()) - worst.begin());
    if (worst[at] <= options_.tolerance) return;
    if (round > 2 && worst[at] > 0.5 * last_worst) return;  // round-off; the bound says what was reached
    last_worst = worst[at];
    progress.add_total(1);
    const bool grew = enrich(modes[at], options_.count);
    progress.advance();
    if (!grew) return;
  }
}

// K_r = K0 + Ω²K2 + σM, with σ = 0 unless the body is free or beyond divergence there.
void ReducedPencil::factor_reference(double speed) {
  reference_speed_ = speed;
  K_reference_ = full_.K0 + speed * speed * full_.K2;
  if (full_.free.R.cols() == 0 && reference_.factor(K_reference_)) return;
  reference_speed_ = 0;
  const VectorX d = full_.M.diagonal();
  shift_ = 1e-9 * (full_.K0.diagonal().cwiseAbs().array() / d.array()).maxCoeff();
  for (int attempt = 0; attempt < 30; ++attempt, shift_ *= 4) {
    K_reference_ = full_.K0 + shift_ * full_.M;
    if (reference_.factor(K_reference_)) return;
  }
  throw NumericalError("no shift makes the stiffness at rest definite; check loads and springs");
}

ReducedPencil::Snapshot ReducedPencil::add_snapshot(double speed, int n) {
  throw_if_interrupted();
  const QuadraticProblem problem = make_conservative(full_, speed);
  if (full_.free.R.cols() > 0 || !is_known_definite(problem.K)) return Snapshot::impossible;
  try {
    const bool grew = add(solve_quadratic_modes(problem, n).vectors);
    ++n_full_solves_;
    return grew ? Snapshot::added : Snapshot::known;
  } catch (const NumericalError&) {
    return Snapshot::impossible;
  }
}

void ReducedPencil::add_rest_modes() {
  throw_if_interrupted();
  const int n = options_.count + kGuard + static_cast<int>(full_.free.R.cols());
  add(solve_symmetric_modes(full_.K0, full_.M, std::min(n, static_cast<int>(full_.size())), full_.free.R)
          .vectors.cast<Complex>());
  ++n_full_solves_;
}

bool ReducedPencil::add(const MatrixC& vectors) {
  MatrixX parts(vectors.rows(), 2 * vectors.cols());
  parts << vectors.real(), vectors.imag();
  const MatrixX K_parts = K_reference_ * parts;
  for (Eigen::Index k = 0; k < vectors.cols(); ++k) {  // both parts together have unit energy
    const auto energy = [&](Eigen::Index c) { return parts.col(c).dot(K_parts.col(c)); };
    const double size = std::sqrt(energy(k) + energy(vectors.cols() + k));
    parts.col(k) /= size;
    parts.col(vectors.cols() + k) /= size;
  }
  return add_real(std::move(parts));
}

// What of unit vectors the basis does not have yet, by its principal parts; a part below kKept would change a value by
// its square. If all of them together change no value by a tenth of the tolerance, nothing is added.
bool ReducedPencil::add_real(MatrixX parts) {
  constexpr double kKept = 1e-7, kUseful = 0.1;
  double smallest = kKept * kKept;
  for (int pass = 0; pass < 2 && parts.cols() > 0; ++pass) {
    MatrixX K_parts = K_reference_ * parts;
    if (V_.cols() > 0) {
      parts -= V_ * (V_.transpose() * K_parts);
      K_parts = K_reference_ * parts;
    }
    MatrixX gram = parts.transpose() * K_parts, vectors;
    gram = (0.5 * (gram + gram.transpose())).eval();
    VectorX values;
    symmetric_eigen(gram, 0, static_cast<int>(parts.cols()) - 1, values, vectors);
    if (pass == 0 && V_.cols() > 0 && !(values.sum() > kUseful * options_.tolerance)) return false;
    const auto kept = std::count_if(values.begin(), values.end(), [&](double v) { return v > smallest; });
    parts = parts * (vectors.rightCols(kept) * values.tail(kept).cwiseSqrt().cwiseInverse().asDiagonal());
    smallest = 0.25;  // they have unit size now
  }
  const Eigen::Index old = V_.cols();
  V_.conservativeResize(Eigen::NoChange, old + parts.cols());
  V_.rightCols(parts.cols()) = parts;
  project(old);
  return parts.cols() > 0;
}

// The new columns of every block, and the small matrices.
void ReducedPencil::project(Eigen::Index old) {
  const Eigen::Index r = V_.cols(), width = r - old;
  if (width == 0) return;
  const MatrixX added = V_.rightCols(width);
  const auto n_blocks = static_cast<Eigen::Index>(blocks_.size());
  using Of = Block::Of;
  const auto times = [&](Of of) -> MatrixX {
    switch (of) {
      case Of::M:
        return full_.M * added;
      case Of::C1:
        return full_.C1 * added;
      case Of::K2:
        return full_.K2 * added;
      case Of::C0:
        return full_.times_C0(added);
      case Of::K1:
        return full_.K1 * added;
    }
    return {};
  };
  const MatrixX zero = MatrixX::Zero(r, r);
  for (MatrixX* of : {&small_.M, &small_.C0, &small_.C1, &small_.K0, &small_.K1, &small_.K2}) *of = zero;
  MatrixX right(V_.rows(), n_blocks * width);
  for (Eigen::Index b = 0; b < n_blocks; ++b)
    right.middleCols(b * width, width) = times(blocks_[static_cast<size_t>(b)].of);
  const MatrixX solved = reference_.solve(right);
  std::vector<MatrixX> projected;
  for (Eigen::Index b = 0; b < n_blocks; ++b) {
    Block& block = blocks_[static_cast<size_t>(b)];
    block.W.conservativeResize(V_.rows(), r);
    block.Z.conservativeResize(V_.rows(), r);
    block.W.rightCols(width) = right.middleCols(b * width, width);
    block.Z.rightCols(width) = solved.middleCols(b * width, width);
    projected.emplace_back(V_.transpose() * block.W);
    MatrixX& of = block.of == Of::M    ? small_.M
                  : block.of == Of::C1 ? small_.C1
                  : block.of == Of::K2 ? small_.K2
                  : block.of == Of::C0 ? small_.C0
                                       : small_.K1;
    of = projected.back();
  }
  // Symmetries that a sum of products loses.
  small_.M = (0.5 * (small_.M + small_.M.transpose())).eval();
  small_.K2 = (0.5 * (small_.K2 + small_.K2.transpose())).eval();
  small_.C1 = (0.5 * (small_.C1 - small_.C1.transpose())).eval();
  small_.K0 = project_term(V_, full_.K0);
  small_.K0 = (0.5 * (small_.K0 + small_.K0.transpose())).eval();
  project_free_motions();

  MatrixX gram = MatrixX::Zero((1 + n_blocks) * r, (1 + n_blocks) * r);
  gram.topLeftCorner(r, r) = project_term(V_, K_reference_);
  for (Eigen::Index a = 0; a < n_blocks; ++a) {
    gram.block(0, (1 + a) * r, r, r) = projected[static_cast<size_t>(a)];
    gram.block((1 + a) * r, 0, r, r) = projected[static_cast<size_t>(a)].transpose();
    for (Eigen::Index b = a; b < n_blocks; ++b) {
      MatrixX part(r, r);
      if (old > 0) part.topLeftCorner(old, old) = gram_.block((1 + a) * old, (1 + b) * old, old, old);
      const MatrixX &W = blocks_[static_cast<size_t>(a)].W, &Z = blocks_[static_cast<size_t>(b)].Z;
      part.rightCols(width) = W.transpose() * Z.rightCols(width);
      part.bottomLeftCorner(width, old) = W.rightCols(width).transpose() * Z.leftCols(old);
      gram.block((1 + a) * r, (1 + b) * r, r, r) = part;
      gram.block((1 + b) * r, (1 + a) * r, r, r) = part.transpose();
    }
  }
  gram_ = std::move(gram);
  find_lower_bound();
}

// The basis holds the motions: it begins with the modes at rest.
void ReducedPencil::project_free_motions() {
  const FreePencil& full = full_.free;
  if (full.R.cols() == 0) return;
  MatrixX L = small_.M;
  if (!cholesky_in_place(L)) throw NumericalError("the mass of the modes at a few speeds is not positive");
  const auto project = [&](const MatrixX& image) { return MatrixX(V_.transpose() * image); };
  FreePencil& out = small_.free;
  out = {project(full_.M * full.R), project(full.C0), project(full.C1),
         project(full.K0),          project(full.K1), project(full.K2)};
  solve_lower(L, out.R);
  solve_lower_transposed(L, out.R);
  // Forces of strain that cancel leave round-off, beside which the small K0 of these motions has nothing.
  const MatrixX MR = small_.M * out.R, &KR = out.K0,
                none = MatrixX::Identity(V_.cols(), V_.cols()) - out.R * MR.transpose();
  small_.K0 = (none.transpose() * small_.K0 * none).eval();
  small_.K0 += KR * MR.transpose() + MR * KR.transpose() - MR * (out.R.transpose() * KR) * MR.transpose();
}

// λ_min of K(Ω) against K_r is concave in Ω²: its least value over a range is at an end.
void ReducedPencil::find_lower_bound() {
  alpha_ = 1;
  MatrixX L = gram_.topLeftCorner(V_.cols(), V_.cols());
  if (shift_ != 0 || !cholesky_in_place(L)) return;
  double least = 1;
  for (const double speed : {speeds_.front(), *std::max_element(speeds_.begin(), speeds_.end())}) {
    MatrixX A = congruence(L, small_.K0 + speed * speed * small_.K2), vectors;
    A = (0.5 * (A + A.transpose())).eval();
    VectorX values;
    symmetric_eigen(A, 0, 0, values, vectors);
    least = std::min(least, values[0]);
  }
  if (least > 0) alpha_ = least;
}

VectorX ReducedPencil::estimate_errors(const PencilModes& modes) const {
  const Eigen::Index m = modes.size(), r = V_.cols();
  VectorX out = VectorX::Zero(m);
  if (!is_reduced_ || m == 0) return out;
  // r = K_r V x + Σ factor·W x; the adjoint has C1ᵀ = −C1 and, of a dashpot to the ground, K1ᵀ = −K1.
  const auto residuals = [&](const MatrixC& x, bool adjoint) {
    MatrixC stacked((1 + static_cast<Eigen::Index>(blocks_.size())) * r, m);
    for (Eigen::Index k = 0; k < m; ++k) {
      const Complex value = modes.values[static_cast<size_t>(k)], lambda = adjoint ? std::conj(value) : value;
      const double w = modes.speed, sign = adjoint ? -1 : 1;
      stacked.block(0, k, r, 1) = x.col(k);
      for (size_t b = 0; b < blocks_.size(); ++b) {
        using Of = Block::Of;
        const Of of = blocks_[b].of;
        const Complex factor = of == Of::M    ? lambda * lambda - shift_
                               : of == Of::C1 ? sign * lambda * w
                               : of == Of::K2 ? Complex(w * w - reference_speed_ * reference_speed_)
                               : of == Of::C0 ? lambda
                                              : Complex(sign * w);
        stacked.block((1 + static_cast<Eigen::Index>(b)) * r, k, r, 1) = factor * x.col(k);
      }
    }
    const MatrixX re = stacked.real(), im = stacked.imag();
    const VectorX squares =
        (re.cwiseProduct(multiply(gram_, re)) + im.cwiseProduct(multiply(gram_, im))).colwise().sum().transpose();
    return VectorX(squares.cwiseMax(0).cwiseSqrt());
  };
  const VectorX right = residuals(modes.x, false);
  const bool hermitian = full_.is_conservative && std::all_of(modes.values.begin(), modes.values.end(),
                                                              [](const Complex& v) { return v.real() == 0; });
  VectorX left;  // where Q is Hermitian y is a multiple of x
  if (hermitian)
    left =
        right.cwiseProduct((modes.y.colwise().norm().array() / modes.x.colwise().norm().array()).matrix().transpose());
  else
    left = residuals(modes.y, true);
  VectorX squares(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const double size = std::abs(modes.values[static_cast<size_t>(k)]);
    squares[k] = modes.is_simple[static_cast<size_t>(k)] && size > 0 ? right[k] * left[k] / (alpha_ * size) : 0;
  }
  // Near values share their error: the gap is that of the group, the residuals are summed. The best grouping counts.
  for (Eigen::Index k = 0; k < m; ++k) {
    const Complex value = modes.values[static_cast<size_t>(k)];
    double best = INFINITY;
    for (const double radius : {0.0, 1e-6, 1e-4, 1e-3, 1e-2, 0.05, 0.2}) {
      double sum = 0, gap = 1;  // 1/λ = 0 is a point of the spectrum of the inverse
      for (Eigen::Index j = 0; j < m; ++j) {
        const Complex other = modes.values[static_cast<size_t>(j)];
        if (j == k || std::abs(other - value) <= radius * std::abs(value))
          sum += squares[j];
        else if (std::abs(other) > 0)
          gap = std::min(gap, std::abs(other - value) / std::abs(other));
      }
      if (gap > 0) best = std::min(best, sum / gap);
    }
    out[k] = best;
  }
  return out;
}

bool ReducedPencil::enrich(const PencilModes& modes, int n) {
  if (!is_reduced_) return false;
  if (full_.is_conservative && shift_ == 0)
    if (const Snapshot taken = add_snapshot(modes.speed, n + kGuard); taken != Snapshot::impossible)
      return taken == Snapshot::added;
  const SparseC M = full_.M.cast<Complex>(), C = SparseC(full_.calc_C(modes.speed).cast<Complex>()),
                K = SparseC(full_.calc_K(modes.speed).cast<Complex>());
  const int wanted = std::min(modes.size(), n + kGuard);
  double scale = 0;  // a frequency to step aside by
  for (const Complex& value : modes.values) scale = std::max(scale, std::abs(value));
  MatrixC found(full_.size(), 2 * wanted);
  int kept = 0;
  for (int k = 0; k < wanted; ++k) {
    throw_if_interrupted();
    Complex lambda = modes.values[static_cast<size_t>(k)];
    if (std::abs(lambda) < 1e-6 * scale) lambda += Complex(0, 1e-3 * scale);  // a free motion: K itself is singular
    const SparseC Q = lambda * lambda * M + lambda * C + K;
    Eigen::SparseLU<SparseC> lu;
    lu.compute(Q);
    if (lu.info() != Eigen::Success) continue;
    VectorC x = V_.cast<Complex>() * modes.x.col(k), y = V_.cast<Complex>() * modes.y.col(k);
    for (int step = 0; step < 2; ++step) {
      x = lu.solve(M * x);
      y = lu.adjoint().solve(M * y);
      x /= x.norm();
      y /= y.norm();
    }
    if (!x.allFinite() || !y.allFinite()) continue;
    found.col(kept++) = x;
    found.col(kept++) = y;
    ++n_inverse_iterations_;
  }
  return add(found.leftCols(kept));
}

}  // namespace elodyn
