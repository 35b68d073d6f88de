#include "elodyn/linalg/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/progress.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/mumps.hpp"
#include "elodyn/linalg/subspace.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

template <class Scalar>
using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

// Each kind of product in one place: the compiler takes seconds for every new pair of types that is multiplied.
template <class Scalar>
using Operand = Eigen::Ref<const Dense<Scalar>, 0, Eigen::OuterStride<>>;
template <class Scalar>
Dense<Scalar> times(const Operand<Scalar>& A, const Operand<Scalar>& B) {
  return A * B;
}
template <class Scalar>
Dense<Scalar> adjoint_times(const Operand<Scalar>& A, const Operand<Scalar>& B) {
  return A.adjoint() * B;
}

// (A − σ)⁻¹ on states (q, q̇/scale), coordinates scaled by diag(M)^½ so that all weigh the same.
template <class Scalar>
class ShiftedInverseOperator {
 public:
  ShiftedInverseOperator(const QuadraticProblem& p, const KnownModes& known, Scalar sigma, double scale)
      : p_(p), known_(known), sigma_(sigma), scale_(scale) {
    roots_ = p.M.diagonal().cwiseSqrt();
    M_ = p.M.cast<Scalar>();
    C_ = p.C.cast<Scalar>();
    damped_ = p.damped.template cast<Scalar>();
    if (p.damped.cols() > 0) weighted_ = (p.damped * p.damping_weights.asDiagonal()).template cast<Scalar>();
  }

  // False if Q(σ) is singular.
  bool factor() {
    const Eigen::SparseMatrix<Scalar> Q = sigma_ * sigma_ * M_ + sigma_ * C_ + p_.K.cast<Scalar>();
    const bool symmetric = is_symmetric(p_.K) && (sigma_ == Scalar(0) || is_symmetric(p_.C));
    if (!solver_.factor(Q, symmetric ? Symmetry::symmetric : Symmetry::general)) return false;
    if (weighted_.cols() > 0 && sigma_ != Scalar(0)) {
      // (Q + σUWUᵀ)⁻¹ = Q⁻¹ − Q⁻¹UW (1/σ + UᵀQ⁻¹UW)⁻¹ UᵀQ⁻¹
      inner_solution_ = solver_.solve(weighted_);
      Dense<Scalar> inner = adjoint_times<Scalar>(damped_, inner_solution_);
      inner.diagonal().array() += Scalar(1) / sigma_;
      inner_.compute(inner);
    }
    return true;
  }
  // About the smallest |λ|, from a few steps of inverse iteration. States whose two halves are of like size make the
  // operator nearly normal: without that, Ritz values stray.
  void find_scale() {
    std::mt19937 engine(2);
    Dense<Scalar> x = make_random_block(engine, roots_.size(), 1).template cast<Scalar>();
    double ratio = 0;
    for (int step = 0; step < 4; ++step) {
      x /= x.norm();
      x = solve(M_ * x);
      ratio = x.norm();
    }
    constexpr double kAboveLowest = 2;
    if (ratio > 0 && std::isfinite(ratio)) scale_ = kAboveLowest / std::sqrt(ratio);
  }
  double scale() const { return scale_; }
  void set_scale(double scale) { scale_ = scale; }
  Eigen::Index size() const { return 2 * roots_.size(); }

  Dense<Scalar> apply(const Dense<Scalar>& v) const {
    const auto n = roots_.size();
    const auto inverse_roots = roots_.cwiseInverse().cast<Scalar>().asDiagonal();
    const Dense<Scalar> a = inverse_roots * v.topRows(n), b = Scalar(scale_) * (inverse_roots * v.bottomRows(n));
    Dense<Scalar> rhs = C_ * a + M_ * (sigma_ * a + b);
    if (weighted_.cols() > 0) rhs += times<Scalar>(weighted_, adjoint_times<Scalar>(damped_, a));
    Dense<Scalar> q = -solve(rhs);
    Dense<Scalar> out(v.rows(), v.cols());
    const auto roots = roots_.cast<Scalar>().asDiagonal();
    out.topRows(n) = roots * q;
    out.bottomRows(n) = (roots * (sigma_ * q + a)) / Scalar(scale_);
    return out;
  }

  // Takes off what lies in the known modes.
  void clean(Dense<Scalar>& v) const {
    if (known_.empty()) return;
    const auto n = roots_.size();
    const VectorX inverse = roots_.cwiseInverse();
    const MatrixX &V = known_.states, &W = known_.momenta;
    const auto scaled = [](double factor, const VectorX& d, const auto& rows) -> Dense<Scalar> {
      return (factor * (d.asDiagonal() * rows)).template cast<Scalar>();
    };
    Dense<Scalar> parts = adjoint_times<Scalar>(scaled(1, inverse, W.topRows(n)), v.topRows(n));
    parts.noalias() += scaled(scale_, inverse, W.bottomRows(n)).adjoint() * v.bottomRows(n);
    v.topRows(n) -= times<Scalar>(scaled(1, roots_, V.topRows(n)), parts);
    v.bottomRows(n) -= times<Scalar>(scaled(1 / scale_, roots_, V.bottomRows(n)), parts);
  }

 private:
  static bool is_symmetric(const SparseMatrix& A) {
    return A.nonZeros() == 0 || (A - SparseMatrix(A.transpose())).norm() <= 1e-14 * A.norm();
  }
  Dense<Scalar> solve(const Dense<Scalar>& rhs) const {
    Dense<Scalar> x = solver_.solve(rhs);
    if (inner_solution_.cols() > 0)
      x -= times<Scalar>(inner_solution_, inner_.solve(adjoint_times<Scalar>(damped_, x)));
    return x;
  }

  const QuadraticProblem& p_;
  const KnownModes& known_;
  Scalar sigma_;
  double scale_;
  VectorX roots_;  // diag(M)^½
  Eigen::SparseMatrix<Scalar> M_, C_;
  Dense<Scalar> damped_, weighted_, inner_solution_;
  Eigen::PartialPivLU<Dense<Scalar>> inner_;
  PivotingSolver<Scalar> solver_;
};

// Orthonormal columns that span W, and R with W = QR; columns that are dependent are replaced by random ones.
template <class Scalar>
Dense<Scalar> orthonormalize(Dense<Scalar>& W) {
  const Dense<Scalar> original = W;
  Eigen::HouseholderQR<Dense<Scalar>> qr(W);
  W.setIdentity();
  W.applyOnTheLeft(qr.householderQ());
  return adjoint_times<Scalar>(W, original);
}

struct Ritz {
  Complex theta;
  Eigen::VectorXcd y;
  double residual = 0;
};

// Ritz pairs of the projection H, largest |θ| first; `last`: the block that couples to the next vectors.
template <class Scalar>
std::vector<Ritz> solve_projected(Dense<Scalar> H, const Dense<Scalar>& last) {
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
  general_eigen(H, values, vectors);
  std::vector<Ritz> all;
  const Eigen::MatrixXcd coupling = last.template cast<Complex>();
  for (Eigen::Index k = 0; k < values.size(); ++k) {
    const Eigen::VectorXcd y = vectors.col(k).normalized();
    all.push_back({values[k], y, (coupling * y).norm()});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Ritz& a, const Ritz& b) { return std::abs(a.theta) > std::abs(b.theta); });
  return all;
}

template <class Scalar>
class KrylovSchur {
 public:
  KrylovSchur(const ShiftedInverseOperator<Scalar>& op, Eigen::Index largest)
      : op_(op), V_(op.size(), largest + kBlock), H_(Dense<Scalar>::Zero(largest, largest)) {
    std::mt19937 engine(1);  // fixed: the same input gives the same digits
    Dense<Scalar> start = make_random_block(engine, op.size(), kBlock).template cast<Scalar>();
    op.clean(start);
    start = op.apply(start);  // smooth, and without what the operator cannot reach
    orthonormalize(start);
    V_.leftCols(kBlock) = start;
  }

  // Pairs (θ, x) with the largest |θ|, `wanted` of them converged.
  std::vector<Ritz> run(Eigen::Index wanted, double tolerance) {
    // The operator is not normal: values of the projection may stray among those that have long converged. They come
    // and go, with residuals of their own size, while a true one would converge as its neighbours do.
    constexpr int kMostRestarts = 60, kFirstRestarts = 5;
    constexpr double kStray = 1e-3;
    const Eigen::Index largest = H_.rows();
    Progress progress("modes: iterating", static_cast<double>(wanted));
    for (int restart = 0;; ++restart) {
      while (m_ + kBlock <= largest) expand();
      std::vector<Ritz> ritz = solve_projected<Scalar>(H_.topLeftCorner(m_, m_), next_.leftCols(m_));
      std::vector<Ritz> good;
      bool may_improve = false;  // one that is neither good nor far from any value
      for (const Ritz& r : ritz) {
        if (static_cast<Eigen::Index>(good.size()) == wanted) break;
        const double error = r.residual / std::abs(r.theta);
        if (error <= tolerance)
          good.push_back(r);
        else
          may_improve |= error < kStray || restart < kFirstRestarts;
      }
      progress.set_done(static_cast<double>(good.size()));
      if (!may_improve && static_cast<Eigen::Index>(good.size()) >= std::min<Eigen::Index>(wanted, m_)) {
        const Eigen::MatrixXcd V = V_.leftCols(m_).template cast<Complex>();
        for (Ritz& r : good) r.y = (V * r.y).eval();
        return good;
      }
      if (restart == kMostRestarts)
        throw NumericalError(
            fmt::format("{} of {} modes converged; ask for fewer, or for those around another frequency (target)",
                        good.size(), wanted));
      shrink(ritz, std::min<Eigen::Index>(wanted + (largest - wanted) / 3, largest - 2 * kBlock));
    }
  }

 private:
  static constexpr Eigen::Index kBlock = 6;

  // The next block joins; B V = V H + V_next next.
  void expand() {
    throw_if_interrupted();
    Dense<Scalar> W = op_.apply(V_.middleCols(m_, kBlock));
    op_.clean(W);
    if (!W.allFinite()) throw NumericalError("the dynamic stiffness at the shift is singular; change the target");
    const Eigen::Index size = m_ + kBlock;
    for (int pass = 0; pass < 2; ++pass) {
      const Dense<Scalar> h = adjoint_times<Scalar>(V_.leftCols(size), W);
      W -= times<Scalar>(V_.leftCols(size), h);
      H_.block(0, m_, size, kBlock) += h;
    }
    const Dense<Scalar> R = orthonormalize(W);
    // Of what was kept at a restart the coupling to this block is known.
    if (m_ > 0) H_.block(m_, 0, kBlock, m_) = next_.leftCols(m_);
    V_.middleCols(size, kBlock) = W;
    next_ = Dense<Scalar>::Zero(kBlock, size);
    next_.rightCols(kBlock) = R;
    m_ = size;
  }

  // Keeps the span of the first Ritz vectors, which is invariant under H: B V' = V'(Q*HQ) + V_next (next Q).
  void shrink(const std::vector<Ritz>& ritz, Eigen::Index keep) {
    Dense<Scalar> Y = take(ritz, keep);
    orthonormalize(Y);
    const Dense<Scalar> H = times<Scalar>(adjoint_times<Scalar>(Y, H_.topLeftCorner(m_, m_)), Y),
                        coupling = times<Scalar>(next_.leftCols(m_), Y), kept = times<Scalar>(V_.leftCols(m_), Y);
    V_.middleCols(kept.cols(), kBlock) = V_.middleCols(m_, kBlock).eval();
    V_.leftCols(kept.cols()) = kept;
    H_.setZero();
    m_ = kept.cols();
    H_.topLeftCorner(m_, m_) = H;
    next_ = coupling;
  }

  // In real numbers a complex pair gives its two parts.
  static Dense<Scalar> take(const std::vector<Ritz>& ritz, Eigen::Index keep) {
    std::vector<Dense<Scalar>> columns;
    for (const Ritz& r : ritz) {
      if (static_cast<Eigen::Index>(columns.size()) >= keep) break;
      if constexpr (std::is_same_v<Scalar, double>) {
        if (std::abs(r.theta.imag()) <= 1e-12 * std::abs(r.theta)) {
          Eigen::Index where = 0;
          r.y.cwiseAbs().maxCoeff(&where);
          columns.push_back((r.y / r.y[where]).real());
        } else if (r.theta.imag() > 0) {
          columns.push_back(r.y.real());
          columns.push_back(r.y.imag());
        }
      } else {
        columns.push_back(r.y);
      }
    }
    Dense<Scalar> Y(ritz.front().y.size(), static_cast<Eigen::Index>(columns.size()));
    for (size_t k = 0; k < columns.size(); ++k) Y.col(static_cast<Eigen::Index>(k)) = columns[k];
    return Y;
  }

  const ShiftedInverseOperator<Scalar>& op_;
  Dense<Scalar> V_, H_, next_;
  Eigen::Index m_ = 0;
};

constexpr double kBesideZero = 0.37;  // of the scale: a shift where 0 is an eigenvalue

template <class Scalar>
void solve_at(const QuadraticProblem& p, const KnownModes& known, int count, Scalar sigma, double scale,
              QuadraticModes& out) {
  ShiftedInverseOperator<Scalar> op(p, known, sigma, scale);
  bool good = false;
  {
    const Stage stage("modes: factoring", static_cast<double>(p.K.rows()));
    good = op.factor();
  }
  if (good && std::imag(sigma) == 0) op.find_scale();
  // A stiffness that is singular but for round-off: beside it.
  constexpr double kLost = 1e-3;
  if (sigma == Scalar(0) && (!good || op.scale() < kLost * scale))
    return solve_at(p, known, count, Scalar(kBesideZero * scale), scale, out);
  if (!good)
    throw NumericalError("the dynamic stiffness at the shift is singular; change the target, or hold the body");
  const Eigen::Index n = p.K.rows();
  // Of a real shift both of a complex pair are found.
  constexpr bool kIsReal = std::is_same_v<Scalar, double>;
  const Eigen::Index wanted = std::min<Eigen::Index>((kIsReal ? 2 * count : count) + 4, 2 * n - known.states.cols());
  const Eigen::Index largest =
      std::min<Eigen::Index>(std::max<Eigen::Index>(3 * wanted, wanted + 48) / 6 * 6, 2 * n / 6 * 6);
  constexpr double kRough = 0.03, kTolerance = 1e-10, kFar = 3;
  if (std::imag(sigma) == 0) {
    // A rough run tells how far the values reach; the middle of them is the best scale.
    const std::vector<Ritz> rough = KrylovSchur<Scalar>(op, largest).run(wanted, kRough);
    const double middle = std::sqrt(1 / std::abs(rough.front().theta * rough.back().theta));
    if (middle > kFar * op.scale() || kFar * middle < op.scale()) op.set_scale(middle);
  }
  const std::vector<Ritz> ritz = KrylovSchur<Scalar>(op, largest).run(wanted, kTolerance);
  std::vector<std::pair<Complex, Eigen::VectorXcd>> found;
  for (const Ritz& r : ritz) {
    const Complex value = Complex(sigma) + 1.0 / r.theta;
    const double noise = 1e-10 * std::abs(1.0 / r.theta);
    if (value.imag() < -noise) continue;
    found.emplace_back(Complex(value.real(), std::max(0.0, value.imag())), r.y.head(n).normalized());
  }
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
    return std::abs(a.first - Complex(sigma)) < std::abs(b.first - Complex(sigma));
  });
  // Both of a real pair, which lie equally far from 0, or none of them.
  const auto distance = [&](size_t k) { return std::abs(found[k].first - Complex(sigma)); };
  constexpr double kSame = 1e-8;
  auto kept = std::min(found.size(), static_cast<size_t>(count));
  while (kept < found.size() && kept > 0 && distance(kept) <= distance(kept - 1) * (1 + kSame)) ++kept;
  found.resize(kept);
  out.vectors.resize(n, static_cast<Eigen::Index>(found.size()));
  for (size_t k = 0; k < found.size(); ++k) {
    out.values.push_back(found[k].first);
    out.vectors.col(static_cast<Eigen::Index>(k)) = found[k].second;
  }
}

}  // namespace

void solve_near_shift(const QuadraticProblem& p, const KnownModes& known, int count, std::optional<double> target,
                      double scale, QuadraticModes& out) {
  const OneBlasThread one_blas_thread;
  if (target)
    // A little off the axis and off the target, which may itself be a mode.
    solve_at<Complex>(p, known, count, Complex(0, *target * (1 + 1e-7) + 1e-7 * scale), scale, out);
  else
    solve_at<double>(p, known, count, known.has_zero ? kBesideZero * scale : 0.0, scale, out);
}

}  // namespace elodyn
