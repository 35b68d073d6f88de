#include "elodyn/analysis/speed_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "elodyn/analysis/mode_problem.hpp"
#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"
#include "elodyn/linalg/mumps.hpp"
#include "elodyn/linalg/subspace.hpp"
#include "elodyn/linalg/zero.hpp"
#include "elodyn/system/recovery.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;

constexpr double kNoGrowth = 1e-8;    // of |λ|
constexpr double kResidual = 1e-8;    // of the sizes of the terms
constexpr double kConverged = 1e-10;  // change of λ in the last step; the error is its square or cube
constexpr double kApart = 1e-7;       // of |λ|: two eigenvalues, and not one found twice
constexpr double kTooNear = 1e-9;     // of a divergence speed: neither side of it

// φᵀMψ with M given as a product; not conjugated.
template <class S>
S plain_dot(const BandVector<S>& a, const BandVector<S>& b) {
  return (a.array() * b.array()).sum();
}

// The root of aλ² + bλ + c that Newton's steps reach from `value`.
template <class S>
S find_root(S a, S b, S c, S value) {
  for (int step = 0; step < 20; ++step) {
    const S slope = S(2) * a * value + b;
    if (slope == S(0)) break;
    const S change = ((a * value + b) * value + c) / slope;
    value -= change;
    if (std::abs(change) <= 1e-15 * std::abs(value)) break;
  }
  return value;
}

}  // namespace

const char* to_string(SpeedPoint::Kind kind) {
  switch (kind) {
    case SpeedPoint::Kind::stable:
      return "stable";
    case SpeedPoint::Kind::divergence:
      return "divergence";
    case SpeedPoint::Kind::flutter:
      return "flutter";
  }
  return "";
}

SpeedLine::SpeedLine(const BodySystem& s, double fastest) {
  const Motion& motion = s.body->motion;
  ELODYN_REQUIRE(motion.is_steady());
  SpeedPencil p = make_speed_pencil(s);
  has_gyroscopic_ = !is_zero(p.C1);
  is_conservative_ = p.is_conservative;
  has_damping_ = !is_zero(p.C0) || p.damped.cols() > 0;
  damped_ = std::move(p.damped);
  damping_weights_ = std::move(p.damping_weights);
  free_ = std::move(p.free);
  M_ = std::move(p.M), D_ = std::move(p.C0), G_ = std::move(p.C1), K0_ = std::move(p.K0), N_ = std::move(p.K1),
  K2_ = std::move(p.K2);

  order_ = find_band_order(M_);
  plan_ = {static_cast<int>(M_.rows()), find_bandwidth(M_, order_)};
  const VectorX d = M_.diagonal().cwiseSqrt().cwiseInverse();
  ELODYN_REQUIRE(d.allFinite());
  const auto band = [&](const SparseMatrix& A) {
    return to_band(SparseMatrix(d.asDiagonal() * A * d.asDiagonal()), order_, plan_);
  };
  m_ = band(M_), g_ = band(G_), k0_ = band(K0_), k2_ = band(K2_);
  scale_.resize(plan_.n);
  for (int k = 0; k < plan_.n; ++k) scale_[k] = d[order_[static_cast<size_t>(k)]];
  first_divergence_ = std::numeric_limits<double>::infinity();
  // Free, or buckled at rest: the theorems need K0 > 0.
  const bool is_circulatory = !is_zero(N_);
  const bool is_definite = !is_circulatory && find_divergence(s.rigid, fastest);
  is_conservative_ = is_conservative_ && is_definite;
}

int SpeedLine::n_followed() const {
  if (!is_conservative_) return 1;
  // Some ten factorings of a complex band matrix a point; a fresh start costs a few points.
  constexpr double kPerSecond = 1e9, kFew = 4;
  const double flops = 40.0 * plan_.n * (plan_.b + 1.0) * (plan_.b + 1.0);
  return static_cast<int>(std::clamp(kPerSecond / flops, kFew, static_cast<double>(kMostFollowed)));
}

namespace {

// Rigid motions that neither matrix resists, at any speed. K0 has them all as null vectors, or there are none.
MatrixX find_idle_motions(const SparseMatrix& K0, const SparseMatrix& K2, const MatrixX& rigid) {
  constexpr double kNothing = 1e-9;  // of the largest
  if (rigid.cols() == 0 || !is_null(K0, rigid)) return MatrixX(K0.rows(), 0);
  const MatrixX K2_rigid = K2 * rigid;
  const Eigen::SelfAdjointEigenSolver<MatrixX> solver(K2_rigid.transpose() * K2_rigid);
  const double size = (K2.cwiseAbs() * rigid.cwiseAbs()).squaredNorm();
  Eigen::Index n = 0;
  while (n < rigid.cols() && solver.eigenvalues()[n] <= kNothing * kNothing * size) ++n;
  return rigid * solver.eigenvectors().leftCols(n);
}

// The coordinates that stay if as many as there are motions are held so that none of these is left.
std::vector<int> hold_motions(const MatrixX& motions) {
  std::vector<bool> is_held(static_cast<size_t>(motions.rows()), false);
  if (motions.cols() > 0) {
    const Eigen::ColPivHouseholderQR<MatrixX> qr(motions.transpose());
    for (Eigen::Index k = 0; k < motions.cols(); ++k)
      is_held[static_cast<size_t>(qr.colsPermutation().indices()[k])] = true;
  }
  std::vector<int> kept;
  for (size_t i = 0; i < is_held.size(); ++i)
    if (!is_held[i]) kept.push_back(static_cast<int>(i));
  return kept;
}

SparseMatrix select(Eigen::Index n, const std::vector<int>& kept) {
  SparseMatrix P(n, static_cast<Eigen::Index>(kept.size()));
  for (size_t k = 0; k < kept.size(); ++k) P.insert(kept[k], static_cast<Eigen::Index>(k)) = 1;
  P.makeCompressed();
  return P;
}

}  // namespace

// Of motions that nothing resists any may be held: x and x + Rc have the same energy. True: K0 > 0 without that.
bool SpeedLine::find_divergence(const MatrixX& rigid, double fastest) {
  const MatrixX idle = find_idle_motions(K0_, K2_, rigid);
  const SparseMatrix P = select(plan_.n, hold_motions(idle));
  const SparseMatrix K0 = P.transpose() * K0_ * P, K2 = P.transpose() * K2_ * P;
  const int n = static_cast<int>(P.cols());
  for (int count = std::min(4, n);; count = std::min(2 * count, n)) {
    const std::optional<BucklingModes> modes = solve_buckling(K0, K2, count);
    if (!modes) return false;
    knows_divergence_ = true;
    divergence_.clear();
    for (const double factor : modes->factors)
      if (std::sqrt(factor) <= fastest) divergence_.push_back(std::sqrt(factor));
    divergence_shapes_ = P * modes->vectors;
    if (modes->factors.size() > 0) first_divergence_ = std::sqrt(modes->factors[0]);
    const bool all =
        static_cast<size_t>(modes->factors.size()) > divergence_.size() || modes->factors.size() < count || count == n;
    if (!all) continue;
    if (knows_all_divergence(K0, K2, idle.cols() > 0, fastest)) return idle.cols() == 0;
    if (divergence_.empty()) forget_divergence();  // else the first is that of the smallest factor
    return false;
  }
}

// Factors far beyond the smallest are not looked for (linalg/eigen.hpp). One that is missed is missing at the highest
// speed, too: K(Ω) has the more negative eigenvalues the higher the speed.
bool SpeedLine::knows_all_divergence(const SparseMatrix& K0, const SparseMatrix& K2, bool is_held,
                                     double fastest) const {
  // Just below it as well: it may itself be a speed of divergence.
  for (const double speed : {fastest, (1 - 1e-6) * fastest}) {
    const double square = speed * speed;
    BandLdlt<double> band;
    if (!is_held && band.factor(plan_, [&](Eigen::Index k) { return k0_[k] + square * k2_[k]; }) &&
        band.n_negative() == count_negative(speed))
      return true;
    PivotingSolver<double> solver;
    if (solver.factor(K0 + square * K2, Symmetry::symmetric) && solver.n_negative() == count_negative(speed))
      return true;
  }
  return false;
}

void SpeedLine::forget_divergence() {
  knows_divergence_ = false;
  first_divergence_ = std::numeric_limits<double>::infinity();
  divergence_.clear();
  divergence_shapes_.resize(plan_.n, 0);
}

int SpeedLine::count_negative(double speed) const {
  return static_cast<int>(std::lower_bound(divergence_.begin(), divergence_.end(), std::abs(speed)) -
                          divergence_.begin());
}

// (K − s²M + i sΩG) is factored at a shift s below the wanted frequency; residual inverse iteration [Neumaier1985] with
// ω from φᴴQ(iω)φ = 0, which has twice the digits of φ.
template <class S>
bool SpeedLine::iterate_lowest(double speed, const VectorX& K, double& shift, int steps, BandVector<S>& x,
                               double& omega) const {
  constexpr bool kIsComplex = !std::is_same_v<S, double>;
  const auto values = [&](double s) {
    return [=, this, &K](Eigen::Index k) -> S {
      if constexpr (kIsComplex)
        return S(K[k] - s * s * m_[k], s * speed * g_[k]);
      else
        return K[k] - s * s * m_[k];
    };
  };
  BandLdlt<S> solver;
  if (!solver.factor(plan_, values(shift)) || solver.n_negative() > 0) return false;
  BandVector<S> Kx, Mx, Gx, r;
  double last_change = std::numeric_limits<double>::infinity();
  for (int step = 0; step <= steps; ++step) {
    x /= x.norm();
    multiply<S>(plan_, K, x, Kx);
    multiply<S>(plan_, m_, x, Mx);
    const double a = std::real(x.dot(Mx)), c = std::real(x.dot(Kx));
    double gamma = 0;
    if constexpr (kIsComplex) {
      multiply<S>(plan_, g_, x, Gx);
      gamma = -speed * std::imag(x.dot(Gx));
    }
    if (!(c > 0) || !(a > 0)) return false;
    omega = (gamma + std::sqrt(gamma * gamma + 4 * a * c)) / (2 * a);
    constexpr double kSmall = 1e-6;  // change of φ; the error of ω is its square, less what the step gained
    if (last_change < kSmall) return true;
    if (step == steps) break;
    r = Kx - omega * omega * Mx;
    if constexpr (kIsComplex) r += Complex(0, omega * speed) * Gx;
    solver.solve_in_place(r);
    last_change = r.norm();
    if (!std::isfinite(last_change)) return false;
    x -= r;
  }
  return false;
}

template <class S>
bool SpeedLine::find_lowest(double speed, const VectorX& K, Trace& trace, double& omega) const {
  constexpr double kBelow = 2e-3;  // the shift lies that far below the frequency
  BandVector<S> x(plan_.n);
  const auto as_scalar = [](const Complex& value) -> S {
    if constexpr (std::is_same_v<S, double>)
      return value.real();
    else
      return value;
  };
  double guess = 0;
  if (trace.lowest.size() == plan_.n && !trace.passed.empty()) {
    x = trace.lowest.unaryExpr(as_scalar);
    const Eigen::Vector2d& b = trace.passed.back();
    double square = b[1];
    if (trace.passed.size() == 2 && b[0] != trace.passed[0][0])
      square += (b[1] - trace.passed[0][1]) / (b[0] - trace.passed[0][0]) * (speed * speed - b[0]);
    guess = std::sqrt(std::max(0.0, square));
  }
  bool found = false;
  double shift = 0;
  if (guess > 0 && x.norm() > 0)
    for (const double below : {kBelow, 0.05}) {
      shift = guess * (1 - below);
      BandVector<S> y = x;
      found = iterate_lowest<S>(speed, K, shift, 8, y, omega);
      if (found) x = y;
      if (found) break;
    }
  if (!found) {
    std::mt19937 engine(1);  // fixed: the same digits in every run
    x = make_random_block(engine, plan_.n, 1).col(0).template cast<S>();
    shift = 0;
    iterate_lowest<S>(speed, K, shift, 12, x, omega);
    for (const double below : {0.2, 0.02}) {
      shift = omega * (1 - below);
      found = iterate_lowest<S>(speed, K, shift, 12, x, omega);
    }
  }
  // None below the shift; if that lies far down, look again just below.
  if (found && shift < omega * (1 - 3 * kBelow)) {
    shift = omega * (1 - kBelow);
    found = iterate_lowest<S>(speed, K, shift, 8, x, omega);
  }
  if (!found) return false;
  trace.lowest = x.template cast<Complex>();
  trace.passed.push_back({speed * speed, omega * omega});
  if (trace.passed.size() > 2) trace.passed.erase(trace.passed.begin());
  return true;
}

SpeedPoint SpeedLine::solve_definite(double speed, const VectorX& K, Trace& trace) const {
  SpeedPoint point;
  const bool found = has_gyroscopic_ && speed != 0 ? find_lowest<Complex>(speed, K, trace, point.frequency)
                                                   : find_lowest<double>(speed, K, trace, point.frequency);
  if (!found) {
    trace.lowest.resize(0);
    trace.passed.clear();
    point.frequency = solve_fully(speed).frequency;
  }
  return point;
}

// x and z: Q(λ)x = 0, zᵀQ(λ) = 0; λ from zᵀQ(λ)x = 0. Cubic near the solution.
template <class S>
bool SpeedLine::refine(double speed, const VectorX& K, S& value, BandVector<S>& x, BandVector<S>& z) const {
  BandLu<S> solver;
  BandVector<S> Mx, Gx, Kx, Mz, Gz;
  constexpr int kMostSteps = 8;
  for (int step = 0; step < kMostSteps; ++step) {
    multiply<S>(plan_, m_, x, Mx);
    multiply<S>(plan_, g_, x, Gx);
    multiply<S>(plan_, K, x, Kx);
    const S next = find_root<S>(plain_dot(z, Mx), speed * plain_dot(z, Gx), plain_dot(z, Kx), value);
    const double change = std::abs(next - value);
    value = next;
    if (!std::isfinite(change)) return false;
    if (step > 0 && change <= kConverged * std::abs(value)) {
      const BandVector<S> r = value * value * Mx + value * speed * Gx + Kx;
      const double size = std::norm(value) * Mx.norm() + std::abs(value * speed) * Gx.norm() + Kx.norm();
      return r.norm() <= kResidual * size;
    }
    const S square = value * value, factor = value * speed;
    solver.factor(plan_, [&](Eigen::Index k) -> S { return square * m_[k] + factor * g_[k] + K[k]; });
    multiply<S>(plan_, m_, z, Mz);
    multiply<S>(plan_, g_, z, Gz);
    x = S(2) * value * Mx + S(speed) * Gx;
    z = S(2) * value * Mz - S(speed) * Gz;  // Gᵀ = −G
    solver.solve_in_place(x);
    solver.solve_transposed_in_place(z);
    const double size_x = x.norm(), size_z = z.norm();
    if (!(size_x > 0) || !(size_z > 0) || !std::isfinite(size_x) || !std::isfinite(size_z)) return false;
    x /= size_x;
    z /= size_z;
  }
  return false;
}

bool SpeedLine::refine(double speed, const VectorX& K, Trace::Pair& pair) const {
  if (pair.value.imag() != 0) {
    Eigen::VectorXcd x = pair.right, z = pair.left;
    if (!refine<Complex>(speed, K, pair.value, x, z)) return false;
    pair.right = x;
    pair.left = z;
    return pair.value.imag() != 0;
  }
  VectorX x = pair.right.real(), z = pair.left.real();
  double value = pair.value.real();
  if (!(x.norm() > 0) || !(z.norm() > 0) || !refine<double>(speed, K, value, x, z)) return false;
  pair = {value, x.cast<Complex>(), z.cast<Complex>()};
  return true;
}

// What the eigenvalue, with its conjugate, adds to the index; values on the imaginary axis are put there. −1: none of
// the index (Re < 0).
int SpeedLine::find_index(const VectorX& K, Trace::Pair& pair) const {
  const double size = std::abs(pair.value);
  if (pair.value.imag() < 0) {
    pair.value = std::conj(pair.value);
    pair.right = pair.right.conjugate().eval();
    pair.left = pair.left.conjugate().eval();
  }
  if (pair.value.imag() == 0) return pair.value.real() > 0 ? 1 : -1;
  if (pair.value.real() > kNoGrowth * size) return 2;
  if (pair.value.real() < -kNoGrowth * size) return -1;
  pair.value = {0, pair.value.imag()};
  Eigen::VectorXcd Mx, Kx;
  multiply<Complex>(plan_, m_, pair.right, Mx);
  multiply<Complex>(plan_, K, pair.right, Kx);
  const double omega = pair.value.imag();
  return pair.right.dot(omega * omega * Mx + Kx).real() < 0 ? 2 : 0;
}

bool SpeedLine::refine_all(double speed, const VectorX& K, int n_negative, std::vector<Trace::Pair>& pairs) const {
  int index = 0;
  for (Trace::Pair& pair : pairs) {
    if (!refine(speed, K, pair)) return false;
    const int share = find_index(K, pair);
    if (share <= 0) return false;  // wandered off to another eigenvalue
    index += share;
  }
  if (index != n_negative) return false;
  for (size_t i = 0; i < pairs.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (std::abs(pairs[i].value - pairs[j].value) <= kApart * (std::abs(pairs[i].value) + std::abs(pairs[j].value)))
        return false;
  return true;
}

// Modes at rest and shapes of divergence: what a body beyond divergence does is near their span.
const SpeedLine::Reduced& SpeedLine::reduced() const {
  std::call_once(reduced_once_, [this] {
    constexpr int kMostModes = 10, kMostShapes = 6;
    const MatrixX none(plan_.n, 0);
    const SymmetricModes modes = solve_symmetric_modes(K0_, M_, std::min(kMostModes, plan_.n), none);
    MatrixX shapes = divergence_shapes_.leftCols(std::min<Eigen::Index>(divergence_shapes_.cols(), kMostShapes));
    for (auto column : shapes.colwise()) column /= std::sqrt(column.dot(M_ * column));
    const MatrixX added = make_orthonormal_block(M_, modes.vectors, shapes);
    auto out = std::make_unique<Reduced>();
    MatrixX basis(plan_.n, modes.vectors.cols() + added.cols());
    basis << modes.vectors, added;
    const auto project = [&](const SparseMatrix& A) { return MatrixX(basis.transpose() * (A * basis)); };
    out->g = project(G_);
    out->k0 = project(K0_);
    out->k2 = project(K2_);
    out->basis.resize(plan_.n, basis.cols());  // in the coordinates of the band
    for (int k = 0; k < plan_.n; ++k) out->basis.row(k) = basis.row(order_[static_cast<size_t>(k)]) / scale_[k];
    reduced_ = std::move(out);
  });
  return *reduced_;
}

// The eigenvalues of the small problem that carry an index, and the lowest of the others that swings.
void SpeedLine::guess(double speed, Trace& trace) const {
  const Reduced& small = reduced();
  const auto r = small.k0.rows();
  const MatrixX k = small.k0 + speed * speed * small.k2;
  MatrixX companion = MatrixX::Zero(2 * r, 2 * r);
  companion.topRightCorner(r, r).setIdentity();
  companion.bottomLeftCorner(r, r) = -k;
  companion.bottomRightCorner(r, r) = -speed * small.g;
  Eigen::VectorXcd values;
  Eigen::MatrixXcd vectors;
  general_eigen(companion, values, vectors);
  const double size = values.cwiseAbs().minCoeff() + 1e-6 * values.cwiseAbs().maxCoeff();
  const auto column = [&](Eigen::Index j) { return Eigen::VectorXcd(vectors.col(j).head(r)); };
  // zᵀQ(λ) = 0 is Q(−λ)z = 0.
  const auto find_left = [&](Complex value) {
    Eigen::Index nearest = 0;
    (values.array() + value).abs().minCoeff(&nearest);
    return column(nearest);
  };
  trace.pairs.clear();
  trace.other.clear();
  for (Eigen::Index j = 0; j < values.size(); ++j) {
    const Complex value = values[j];
    if (value.imag() < 0) continue;
    const Eigen::VectorXcd y = column(j);
    const double noise = 1e-9 * (std::abs(value) + size);
    const bool grows = value.real() > noise;
    const bool swings = std::abs(value.real()) <= noise && value.imag() > noise;
    const double energy = (std::norm(value) * y.squaredNorm() + (y.adjoint() * k * y).value().real());
    const bool carries_index = grows || (swings && energy < 0);
    if (!carries_index && !swings) continue;
    if (!carries_index && !trace.other.empty() && trace.other[0].value.imag() <= value.imag()) continue;
    Trace::Pair pair{value, y, find_left(value)};
    if (value.imag() <= noise) {  // a real value: real vectors
      pair.value = value.real();
      const auto real_of = [](const Eigen::VectorXcd& v) {
        Eigen::Index where = 0;
        v.cwiseAbs().maxCoeff(&where);
        return Eigen::VectorXcd((v / v[where]).real().cast<Complex>());
      };
      pair.right = real_of(pair.right);
      pair.left = real_of(pair.left);
    }
    pair.right = (small.basis.cast<Complex>() * pair.right).normalized();
    pair.left = (small.basis.cast<Complex>() * pair.left).normalized();
    if (!carries_index) trace.other.clear();
    (carries_index ? trace.pairs : trace.other).push_back(std::move(pair));
  }
}

// The lowest frequency of a mode with positive energy.
double SpeedLine::find_other_frequency(double speed, const VectorX& K, Trace& trace) const {
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (!trace.other.empty() && refine(speed, K, trace.other[0]) && find_index(K, trace.other[0]) == 0)
      return trace.other[0].value.imag();
    Trace fresh;
    guess(speed, fresh);
    trace.other = fresh.other;
  }
  trace.other.clear();
  return solve_fully(speed).frequency;
}

QuadraticProblem SpeedLine::make_problem(double speed) const {
  QuadraticProblem p;
  p.M = M_;
  p.C = D_ + speed * G_;
  p.K = K0_ + speed * N_ + (speed * speed) * K2_;
  p.damped = damped_;
  p.damping_weights = damping_weights_;
  p.free = free_.at(speed);
  const bool circulatory = speed != 0 && !is_zero(N_);
  p.structure = has_damping_ || circulatory     ? Structure::general
                : has_gyroscopic_ && speed != 0 ? Structure::gyroscopic
                                                : Structure::symmetric;
  return p;
}

SpeedPoint SpeedLine::solve_fully(double speed) const {
  const QuadraticProblem problem = make_problem(speed);
  const bool general = problem.structure == Structure::general;
  constexpr int kAll = 300, kMany = 40, kFew = 6;  // growing ones come besides; of damped bodies all are looked at
  const QuadraticModes modes = solve_quadratic_modes(problem, !general ? kFew : plan_.n <= kAll ? plan_.n : kMany);
  SpeedPoint point;
  point.way = SpeedPoint::Way::full;
  point.growth = -std::numeric_limits<double>::infinity();
  point.frequency = std::numeric_limits<double>::infinity();
  Complex fastest = 0;
  for (const Complex& value : modes.values) {
    point.frequency = std::min(point.frequency, value.imag());
    double growth = value.real();
    if (!general && growth <= 1e-7 * std::abs(value)) growth = 0;
    if (general && std::abs(growth) <= 1e-12 * std::abs(value)) growth = 0;
    if (growth > point.growth) {
      point.growth = growth;
      fastest = value;
    }
  }
  if (point.growth > kNoGrowth * std::abs(fastest))
    point.kind = fastest.imag() > 0 ? SpeedPoint::Kind::flutter : SpeedPoint::Kind::divergence;
  return point;
}

SpeedPoint SpeedLine::solve(double speed, Trace& trace) const {
  if (!is_conservative_) {
    SpeedPoint point = solve_fully(speed);
    BandLdlt<double> definite;
    const VectorX band = k0_ + speed * speed * k2_;
    point.indefinite = !definite.factor(plan_, [&](Eigen::Index k) { return band[k]; }) || definite.n_negative() > 0;
    return point;
  }
  const VectorX K = k0_ + speed * speed * k2_;
  const int n_negative = count_negative(speed);
  if (n_negative == 0) return solve_definite(speed, K, trace);
  trace.lowest.resize(0);
  trace.passed.clear();
  const bool critical = std::any_of(divergence_.begin(), divergence_.end(),
                                    [&](double d) { return std::abs(d - std::abs(speed)) <= kTooNear * d; });
  std::vector<Trace::Pair> pairs = trace.pairs;
  bool found = !critical && trace.n_negative == n_negative && !pairs.empty() && refine_all(speed, K, n_negative, pairs);
  if (!found && !critical) {
    guess(speed, trace);
    pairs = trace.pairs;
    found = refine_all(speed, K, n_negative, pairs);
  }
  SpeedPoint point;
  if (found) {
    trace.pairs = pairs;
    trace.n_negative = n_negative;
    point.way = SpeedPoint::Way::followed;
    point.frequency = std::numeric_limits<double>::infinity();
    for (const Trace::Pair& pair : pairs) {
      point.frequency = std::min(point.frequency, pair.value.imag());
      if (pair.value.real() <= point.growth) continue;
      point.growth = pair.value.real();
      point.kind = pair.value.imag() > 0 ? SpeedPoint::Kind::flutter : SpeedPoint::Kind::divergence;
    }
    // With a real pair there is none below 0.
    if (point.frequency > 0) point.frequency = std::min(point.frequency, find_other_frequency(speed, K, trace));
  } else {
    trace.pairs.clear();
    point = solve_fully(speed);
  }
  point.indefinite = true;
  return point;
}

}  // namespace elodyn
