// Buckling factors: with A = K0 + σK1 > 0 the smallest λ > σ of (K0 + λK1) φ = 0 are the largest θ of
//   −K1 φ = θ A φ,   λ = σ + 1/θ.                                                                        (1)
// Small: θ of L⁻¹(−K1)L⁻ᵀ, A = LLᵀ, by LAPACK. Large: a block Krylov space of A⁻¹K1, grown by the residuals of the
// best vectors with full orthogonalisation in the A inner product, restarted with the best [Parlett1998]; one
// factorisation. σ = 0 at first; where the negative λ are much smaller than the wanted ones the iteration is slow, and
// σ is moved below the first λ, which brings those to the front.
// Completeness: the number of λ in (0, s) is the number of negative eigenvalues of K0 + sK1 (Sylvester).
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/davidson.hpp"
#include "elodyn/linalg/eigen.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/solve.hpp"
#include "elodyn/linalg/subspace.hpp"

namespace elodyn {
namespace {

// Below this size LAPACK on full matrices is quicker than the iteration, and complete by itself.
constexpr Eigen::Index kDenseIsQuick = 300;  // measured: 3 factors 300, 10 factors 400
constexpr double kFurthest = 1e8;            // of the smallest |λ|

// A x = μ⁻¹ B x with B = −K1 / unit, coordinates scaled to a unit diagonal of K0. The largest entry of B is about 1,
// so that squares of its entries are numbers, however small K0 is.
struct Scaled {
  VectorX d;
  double unit = 1;
  SparseMatrix A, B;
};

// Number of λ in (0, s).
int count_factors_below(const Scaled& p, double s) {
  return count_below(p.A, SparseMatrix(p.A.rows(), p.A.cols()), p.B, std::sqrt(s));
}

// Vectors of the largest positive μ; false if A is not definite.
bool solve_fully(const Scaled& p, int count, MatrixX& X) {
  const int n = static_cast<int>(p.A.rows());
  MatrixX L = MatrixX(p.A);
  if (!cholesky_in_place(L) || !is_safely_definite(L)) return false;
  MatrixX H = congruence(L, MatrixX(p.B));
  H = (0.5 * (H + H.transpose())).eval();
  const double noise = H.norm() / kFurthest;
  VectorX mu;
  symmetric_eigen(H, std::max(0, n - count), n - 1, mu, X);
  const auto positive = std::count_if(mu.begin(), mu.end(), [&](double value) { return value > noise; });
  X = X.rightCols(positive).rowwise().reverse().eval();
  solve_lower_transposed(L, X);
  return true;
}

// Largest θ of B x = θ A x in a growing space.
class Iteration {
 public:
  Iteration(const SparseMatrix& A, const SparseMatrix& B, const CholeskySolver& solver, Eigen::Index width)
      : A_(A), B_(B), solver_(solver), width_(width), U_(A.rows(), 0) {
    std::mt19937 engine(1);  // fixed: the same input gives the same digits
    // Twice through the operator: the ends of the spectrum stand out. A K1 of low rank gives fewer columns.
    const MatrixX start = solver_.solve(B_ * make_random_block(engine, A.rows(), width));
    add(start);
    add(solver_.solve(B_ * start));
  }

  // An estimate, from below, of the largest |θ|; 0 if B is.
  double calc_radius() const {
    if (U_.cols() == 0) return 0;
    MatrixX H = H_, Y;
    VectorX theta;
    symmetric_eigen(H, 0, static_cast<int>(U_.cols()) - 1, theta, Y);
    return theta.cwiseAbs().maxCoeff();
  }

  // Vectors of the `wanted` largest; false if they do not converge.
  bool solve(Eigen::Index wanted, MatrixX& X) {
    constexpr double kConverged = 1e-12, kAcceptable = 1e-6;  // of η; θ has η²
    constexpr int kMostSteps = 150, kPatience = 25;           // steps; and those without any gain
    double last_worst = 1, best_worst = INFINITY;
    int stalled = 0, idle = 0;
    for (int step = 0; step < kMostSteps; ++step) {
      const Eigen::Index size = U_.cols(), best = std::min(size, width_);
      if (size < wanted) return false;
      MatrixX H = H_, Y;
      VectorX theta;
      symmetric_eigen(H, static_cast<int>(size - best), static_cast<int>(size) - 1, theta, Y);
      theta.reverseInPlace();
      Y = Y.rowwise().reverse().eval();
      X = U_ * Y;
      // r = B x − θ A x; its A⁻¹ norm over θ is η.
      const MatrixX R = B_ * X - (A_ * X) * theta.asDiagonal();
      const MatrixX T = solver_.solve(R);
      const VectorX norms = R.cwiseProduct(T).colwise().sum().cwiseMax(0).cwiseSqrt().transpose();
      const VectorX eta = norms.cwiseQuotient(theta.cwiseAbs().cwiseMax(1e-300));
      const double worst = eta.head(wanted).maxCoeff();
      if (theta[wanted - 1] > 0) {
        stalled = worst > 0.5 * last_worst ? stalled + 1 : 0;
        // Round-off ends the descent of η at about ε·√cond(A); the factors are then exact to η².
        if (worst < kConverged || (worst < kAcceptable && stalled >= 2)) {
          X = X.leftCols(wanted).eval();
          return true;
        }
      }
      last_worst = worst;
      idle = worst < 0.9 * best_worst ? 0 : idle + 1;
      best_worst = std::min(best_worst, worst);
      if (idle > kPatience) return false;
      constexpr Eigen::Index kMostBlocks = 12;
      if (size + best > kMostBlocks * width_) restart();
      MatrixX W(A_.rows(), best);
      Eigen::Index open = 0;
      for (Eigen::Index k = 0; k < best; ++k)
        if (eta[k] > kConverged) W.col(open++) = T.col(k) / norms[k];
      if (!add(W.leftCols(open)) && !(worst < kAcceptable && theta[wanted - 1] > 0))
        return false;  // the space is complete and holds no more
    }
    return false;
  }

 private:
  bool add(const MatrixX& block) {
    const MatrixX W = make_orthonormal_block(A_, U_, scaled(block));
    if (W.cols() == 0) return false;
    const Eigen::Index old = U_.cols(), width = W.cols();
    U_.conservativeResize(A_.rows(), old + width);
    U_.rightCols(width) = W;
    const MatrixX column = U_.transpose() * (B_ * W);
    H_.conservativeResize(old + width, old + width);
    H_.rightCols(width) = column;
    H_.bottomLeftCorner(width, old) = column.topRows(old).transpose();
    return true;
  }

  // Columns of unit A-norm; those without length are left out.
  MatrixX scaled(const MatrixX& block) const {
    const VectorX norms = block.cwiseProduct(A_ * block).colwise().sum().cwiseMax(0).cwiseSqrt().transpose();
    MatrixX W(block.rows(), block.cols());
    Eigen::Index kept = 0;
    for (Eigen::Index k = 0; k < block.cols(); ++k)
      if (norms[k] > 1e-150) W.col(kept++) = block.col(k) / norms[k];
    return W.leftCols(kept);
  }

  // Keeps the best third of the space: the wanted vectors and those that they are told apart from.
  void restart() {
    constexpr Eigen::Index kKeptBlocks = 4;
    const Eigen::Index size = U_.cols(), kept = std::min(size, kKeptBlocks * width_);
    MatrixX H = H_, Y;
    VectorX theta;
    symmetric_eigen(H, static_cast<int>(size - kept), static_cast<int>(size) - 1, theta, Y);
    const MatrixX best = U_ * Y;
    U_.resize(A_.rows(), 0);
    add(best);
  }

  const SparseMatrix &A_, &B_;
  const CholeskySolver& solver_;
  Eigen::Index width_;
  MatrixX U_, H_;
};

// Rayleigh quotients: twice the digits of the vectors.
VectorX calc_factors(const Scaled& p, const MatrixX& X) {
  const auto quotient = [&](const SparseMatrix& S) { return X.cwiseProduct(S * X).colwise().sum().transpose().eval(); };
  return quotient(p.A).cwiseQuotient(quotient(p.B));
}

// True if there are more factors below the last found, or below the group of equal ones that it belongs to, than were
// found. A factor is known to ε·|x|ᵀ|A||x| of xᵀAx = 1, so it is counted that far below.
bool misses_one(const Scaled& p, const MatrixX& X) {
  const VectorX factors = calc_factors(p, X);
  const int expected = count_before_last_group(factors, static_cast<int>(X.cols()));
  const VectorX size = X.col(expected).cwiseAbs();
  const double noise = kEps * size.dot(p.A.cwiseAbs() * size) / X.col(expected).dot(p.A * X.col(expected));
  const double gap = std::clamp(noise, 0.5 * kGap, 0.5);
  return count_factors_below(p, factors[expected] * (1 - gap)) > expected;
}

// A σ below the first factor, near to it.
double find_shift(const Scaled& p, double smallest) {
  CholeskySolver solver;
  double low = 0, high = smallest;
  while (solver.factor(p.A - high * p.B)) {
    low = high;
    high *= 4;
  }
  for (int step = 0; step < 5; ++step) {
    const double middle = 0.5 * (low + high);
    (solver.factor(p.A - middle * p.B) ? low : high) = middle;
  }
  return low;
}

// Vectors of the smallest factors; false if A is not definite.
bool solve_iteratively(const Scaled& p, int count, MatrixX& X) {
  CholeskySolver solver;
  if (!solver.factor(p.A)) return false;
  Eigen::Index width = count + std::max(4, count / 2);
  const double radius = Iteration(p.A, p.B, solver, width).calc_radius();
  const int wanted = radius > 0 ? std::min(count, count_factors_below(p, kFurthest / radius)) : 0;
  X.resize(p.A.rows(), 0);
  if (wanted == 0) return true;
  double shift = 0;
  for (int attempt = 0; attempt < 3; ++attempt, width *= 2) {
    const SparseMatrix A = p.A - shift * p.B;
    if (shift > 0 && !solver.factor(A)) break;
    if (Iteration(A, p.B, solver, width).solve(wanted, X)) {
      if (!misses_one(p, X)) return true;
    }
    if (shift == 0) shift = find_shift(p, 0.5 / radius);
  }
  if (p.A.rows() <= kLargestDense) return solve_fully(p, count, X);
  throw NumericalError(fmt::format(
      "the first {} buckling factors did not converge, or some were missed: they lie far beyond those of the reversed "
      "loads, or the elements are so short that round-off hides how stiff they are; ask for fewer factors, or use "
      "fewer "
      "elements (up to {} unknowns full matrices are tried too)",
      wanted, kLargestDense));
}

BucklingModes finish(const Scaled& p, const MatrixX& found) {
  const Eigen::Index count = found.cols();
  const VectorX factors = calc_factors(p, found);
  std::vector<Eigen::Index> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) { return factors[a] > factors[b]; });
  VectorX mu(count);
  MatrixX X(found.rows(), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    mu[k] = 1 / factors[order[static_cast<size_t>(k)]];
    X.col(k) = found.col(order[static_cast<size_t>(k)]);
  }
  polish(p.B, p.A, mu, X);  // small μ beside large negative ones have lost digits
  BucklingModes out{VectorX(count), MatrixX(found.rows(), count), {}};
  for (Eigen::Index k = 0; k < count; ++k) {
    const double lambda = 1 / mu[count - 1 - k];
    VectorX x = X.col(count - 1 - k);
    x /= std::sqrt(x.dot(p.A * x));
    // Backward error: the share by which the matrices would have to be changed.
    const VectorX terms = p.A.cwiseAbs() * x.cwiseAbs() + lambda * (p.B.cwiseAbs() * x.cwiseAbs());
    out.residuals.push_back((p.A * x - lambda * (p.B * x)).cwiseAbs().maxCoeff() / terms.maxCoeff());
    constexpr double kAccepted = 1e-9;
    if (!(out.residuals.back() < kAccepted))
      throw NumericalError(
          fmt::format("buckling factor {} has a relative residual of {:.1e}: the matrices hold values of too different "
                      "size; check lengths, stiffnesses and loads",
                      k + 1, out.residuals.back()));
    Eigen::Index where = 0;
    x.cwiseAbs().maxCoeff(&where);
    out.factors[k] = lambda / p.unit;
    out.vectors.col(k) = (x[where] < 0 ? -1.0 : 1.0) * p.d.cwiseProduct(x);
  }
  return out;
}

}  // namespace

std::optional<BucklingModes> solve_buckling(const SparseMatrix& K0, const SparseMatrix& K1, int count) {
  ELODYN_REQUIRE(count >= 1 && K0.rows() == K1.rows());
  const auto n = K0.rows();
  if (!(K0.diagonal().minCoeff() > 0)) return {};
  Scaled p;
  p.d = K0.diagonal().cwiseSqrt().cwiseInverse();
  p.A = p.d.asDiagonal() * K0 * p.d.asDiagonal();
  p.B = -SparseMatrix(p.d.asDiagonal() * K1 * p.d.asDiagonal());
  if (const double largest = p.B.nonZeros() > 0 ? p.B.coeffs().abs().maxCoeff() : 0; largest > 0) {
    p.unit = std::ldexp(1.0, std::ilogb(largest));  // a power of two costs no digits
    p.B /= p.unit;
  }
  count = static_cast<int>(std::min<Eigen::Index>(count, n));
  MatrixX X;
  const bool iterate = n > kDenseIsQuick && 4 * static_cast<Eigen::Index>(count) < n;
  if (!iterate && n > kLargestDense)
    throw NumericalError(fmt::format("{} buckling factors of {} unknowns are too many; ask for fewer", count, n));
  if (!(iterate ? solve_iteratively(p, count, X) : solve_fully(p, count, X))) return {};
  return finish(p, X);
}

}  // namespace elodyn
