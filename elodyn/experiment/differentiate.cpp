#include "elodyn/experiment/differentiate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/experiment/bspline.hpp"
#include "elodyn/linalg/band.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using Index = Eigen::Index;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr int kOrder = 3;  // parameters of what is smoothest: a parabola

// The samples that are there, with the mean time between them as unit and counted from the first.
struct Samples {
  std::vector<double> t;
  VectorX y, w;
  std::vector<int> at;  // index of each among all
  double start = 0, unit = 1;
  int size() const { return static_cast<int>(t.size()); }
};

Samples pick_samples(const std::vector<double>& times, const VectorX& values, const VectorX& weights,
                     const std::vector<bool>& is_out) {
  Samples out;
  std::vector<double> y, w;
  for (size_t k = 0; k < times.size(); ++k) {
    const auto i = static_cast<Index>(k);
    const double weight = weights.size() > 0 ? weights[i] : 1;
    if (is_out[k] || !std::isfinite(values[i]) || !(weight > 0)) continue;
    out.t.push_back(times[k]);
    y.push_back(values[i]);
    w.push_back(weight);
    out.at.push_back(static_cast<int>(k));
  }
  out.y = Eigen::Map<const VectorX>(y.data(), static_cast<Index>(y.size()));
  out.w = Eigen::Map<const VectorX>(w.data(), static_cast<Index>(w.size()));
  if (out.size() > 1) {
    out.start = out.t.front();
    out.unit = (out.t.back() - out.t.front()) / (out.size() - 1);
    for (double& t : out.t) t = (t - out.start) / out.unit;
  }
  return out;
}

// Least of a function of one variable: on a grid, then by golden section beside the least of it.
double minimise(double from, double to, int n, const std::function<double(double)>& f) {
  double best = from, least = std::numeric_limits<double>::infinity();
  const double step = (to - from) / n;
  for (int i = 0; i <= n; ++i)
    if (const double value = f(from + i * step); value < least) {
      least = value;
      best = from + i * step;
    }
  constexpr double kGolden = 0.6180339887498949, kEnough = 1e-3;
  double low = std::max(from, best - step), high = std::min(to, best + step);
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low), fa = f(a), fb = f(b);
  while (high - low > kEnough) {
    if (fa < fb) {
      high = b, b = a, fb = fa;
      fa = f(a = high - kGolden * (high - low));
    } else {
      low = a, a = b, fa = fb;
      fb = f(b = low + kGolden * (high - low));
    }
  }
  return 0.5 * (low + high);
}

// A filter with its parameter, in units of the samples: what it makes of them at any times between the first and last.
struct Fit {
  VectorX x, v, a;
  std::vector<Mat3> covariance;
  Matrix3X change;
  VectorX leverage;      // of the samples
  double variance = 0;   // σ²
  double parameter = 0;  // λ, or the window
  double freedoms = 0;
};

// Mean square of the bias b = L x − x″ over all instants. What the filter makes of its own curve x̂ = A y is
//   δ = L x̂ − L y = b + …,   E δ² = b² + σ² |L(A − I)W^-½|²                                                      (2)
// where the filter lets the curve pass. What is near its limit passes in part: of a curve whose ẍ has kinks an eighth
// of b² is seen, of a smooth one all. Three times of what is seen is taken, which bands that hold need for machines
// (tests/ verification/pump_film_test.cpp). It is spread over the instants by shares whose mean is 1.
class BiasPool {
 public:
  // Of x, ẋ, ẍ at the next instant.
  void add(const Vec3& change, const Vec3& of_noise, const Vec3& share) {
    squares_ += change.cwiseAbs2() - of_noise;
    sum_ += share;
    shares_.push_back(share);
    changes_.push_back(change);
  }
  Matrix3X changes() const {
    Matrix3X out(3, static_cast<Index>(changes_.size()));
    for (size_t k = 0; k < changes_.size(); ++k) out.col(static_cast<Index>(k)) = changes_[k];
    return out;
  }
  void put_into(std::vector<Mat3>& covariance) const {
    constexpr double kUnseen = 3;
    const Vec3 scale =
        (kUnseen * squares_).cwiseMax(0).cwiseQuotient(sum_.cwiseMax(std::numeric_limits<double>::min()));
    for (size_t k = 0; k < covariance.size(); ++k) covariance[k].diagonal() += scale.cwiseProduct(shares_[k]);
  }

 private:
  Vec3 squares_ = Vec3::Zero(), sum_ = Vec3::Zero();
  std::vector<Vec3> shares_, changes_;
};

constexpr double kLeastLog = -5, kMostLog = 11;  // of λ in units of the samples: 3 to 3000 of them to a hump
constexpr int kGrid = 16;

// ---- spline ----

class SplineFilter {
 public:
  explicit SplineFilter(const Samples& samples) : s_(samples), basis_(samples.t) {
    plan_ = {basis_.size(), QuinticBasis::kDegree};
    gram_.setZero(plan_.size());
    penalty_.setZero(plan_.size());
    rhs_.setZero(plan_.n);
    for (int k = 0; k < s_.size(); ++k) {
      const auto local = basis_.evaluate(s_.t[static_cast<size_t>(k)]);
      at_samples_.push_back(local);
      add(local, 0, s_.w[k], gram_);
      for (int i = 0; i < QuinticBasis::kLocal; ++i)
        rhs_[local.first + i] += s_.w[k] * s_.y[k] * local.d[0][static_cast<size_t>(i)];
    }
    constexpr double kPlace = 0.7745966692414834, kSide = 5.0 / 18, kMiddle = 8.0 / 18;  // Gauss, exact for quartics
    for (int i = 0; i < basis_.n_intervals(); ++i) {
      const double h = basis_.knot(i + 1) - basis_.knot(i), middle = basis_.knot(i) + 0.5 * h;
      add(basis_.evaluate(middle), 3, kMiddle * h, penalty_);
      for (const double sign : {-1.0, 1.0})
        add(basis_.evaluate(middle + sign * 0.5 * kPlace * h), 3, kSide * h, penalty_);
    }
  }

  double find_parameter(const std::optional<double>& variance) {
    constexpr double kFreedoms = 1.4;         // each counted so often: guards against following the noise [KimGu2004]
    constexpr double kForAcceleration = 0.3;  // of the best λ for x: bias grows faster with it in ẍ
    const auto error = [&](double log_lambda) {
      if (!solve(std::pow(10, log_lambda))) return std::numeric_limits<double>::infinity();
      const double n = s_.size(), left = n - kFreedoms * freedoms_;
      // With σ² known: Mallows' estimate of the error instead.
      if (variance) return rss_ + 2 * *variance * kFreedoms * freedoms_;
      return left > 0 ? n * rss_ / (left * left) : std::numeric_limits<double>::infinity();
    };
    return kForAcceleration * std::pow(10, minimise(kLeastLog, kMostLog, kGrid, error));
  }

  Fit run(double lambda, const std::vector<double>& times, const std::optional<double>& variance) {
    if (!solve(lambda)) throw NumericalError("the smoothing spline is singular: its samples are too few or too uneven");
    Fit out;
    out.parameter = lambda;
    out.freedoms = freedoms_;
    out.leverage = leverage_;
    out.variance = variance.value_or(rss_ / (s_.size() - freedoms_));
    const auto n = static_cast<Index>(times.size());
    for (VectorX* part : {&out.x, &out.v, &out.a}) part->resize(n);
    VectorX twice;  // coefficients of the spline through the spline's own values
    multiply(plan_, gram_, coefficients_, twice);
    factors_.solve_in_place(twice);
    const VectorX change = twice - coefficients_;
    // Where G is the matrix of the samples, R that of ∫x‴² and h = 1/(1 + λμ) for G⁻¹R's eigenvalue μ: S⁻¹ has h/G, the
    // noise h²/G = (h + h')/G, and that of A(A − I) is h'²/G = (h‴ − h')/6G, derived by log λ. So all follow from S⁻¹
    // near its diagonal for five λ.
    constexpr double kStep = 0.1;
    std::array<VectorX, 5> inverses;
    for (int i = -2; i <= 2; ++i) {
      BandLdlt<double> factors;
      const double other = lambda * std::exp(i * kStep);
      if (!factors.factor(plan_, [&](Index k) { return gram_[k] + other * penalty_[k]; }))
        throw NumericalError("the smoothing spline is singular: its samples are too few or too uneven");
      inverses[static_cast<size_t>(i + 2)] = factors.calc_inverse_band();
    }
    const VectorX slope = (8 * (inverses[3] - inverses[1]) - (inverses[4] - inverses[0])) / (12 * kStep);
    const VectorX third = ((inverses[4] - inverses[0]) - 2 * (inverses[3] - inverses[1])) / (2 * kStep * kStep * kStep);
    const VectorX noise = inverses[2] + slope, of_change = (third - slope) / 6;
    BiasPool bias;
    for (Index k = 0; k < n; ++k) {
      const auto local = basis_.evaluate(times[static_cast<size_t>(k)]);
      Eigen::Matrix<double, QuinticBasis::kLocal, 3> B;
      B << rows(local, 0), rows(local, 1), rows(local, 2);
      const Vec3 state = B.transpose() * coefficients_.segment<QuinticBasis::kLocal>(local.first);
      out.x[k] = state[0];
      out.v[k] = state[1];
      out.a[k] = state[2];
      const Vec3 changes = B.transpose() * change.segment<QuinticBasis::kLocal>(local.first);
      const Mat3 chance = out.variance * B.transpose() * pick_local(of_change, local.first) * B;
      // Shares as for a white x‴, whose expected b² is −h'/G: more within gaps and at the ends.
      const Mat3 expected = -B.transpose() * pick_local(slope, local.first) * B;
      bias.add(changes, chance.diagonal(), expected.diagonal().cwiseMax(0));
      out.covariance.push_back(out.variance * B.transpose() * pick_local(noise, local.first) * B);
    }
    bias.put_into(out.covariance);
    out.change = bias.changes();
    return out;
  }

 private:
  using LocalMatrix = Eigen::Matrix<double, QuinticBasis::kLocal, QuinticBasis::kLocal>;
  using LocalVector = Eigen::Matrix<double, QuinticBasis::kLocal, 1>;

  static LocalVector rows(const QuinticBasis::Local& local, int order) {
    return Eigen::Map<const LocalVector>(local.d[static_cast<size_t>(order)].data());
  }
  void add(const QuinticBasis::Local& local, int order, double weight, VectorX& band) const {
    const LocalVector d = rows(local, order);
    for (int i = 0; i < QuinticBasis::kLocal; ++i)
      for (int j = 0; j < QuinticBasis::kLocal; ++j)
        band[plan_.at(local.first + i, local.first + j)] += weight * d[i] * d[j];
  }
  LocalMatrix pick_local(const VectorX& band, int first) const {
    LocalMatrix out;
    for (int i = 0; i < QuinticBasis::kLocal; ++i)
      for (int j = 0; j < QuinticBasis::kLocal; ++j) out(i, j) = band[plan_.at(first + i, first + j)];
    return out;
  }

  bool solve(double lambda) {
    if (!factors_.factor(plan_, [&](Index k) { return gram_[k] + lambda * penalty_[k]; })) return false;
    if (factors_.n_negative() > 0) return false;
    coefficients_ = rhs_;
    factors_.solve_in_place(coefficients_);
    const VectorX inverse = factors_.calc_inverse_band();
    leverage_.resize(s_.size());
    rss_ = freedoms_ = 0;
    for (int k = 0; k < s_.size(); ++k) {
      const auto& local = at_samples_[static_cast<size_t>(k)];
      const LocalVector d = rows(local, 0);
      const double r = s_.y[k] - d.dot(coefficients_.segment<QuinticBasis::kLocal>(local.first));
      leverage_[k] = s_.w[k] * d.dot(pick_local(inverse, local.first) * d);
      rss_ += s_.w[k] * r * r;
    }
    freedoms_ = leverage_.sum();
    return std::isfinite(rss_) && freedoms_ > 0 && freedoms_ < s_.size();
  }

  const Samples& s_;
  QuinticBasis basis_;
  BandPlan plan_;
  BandLdlt<double> factors_;
  VectorX gram_, penalty_, rhs_, coefficients_, leverage_;
  std::vector<QuinticBasis::Local> at_samples_;
  double rss_ = 0, freedoms_ = 0;
};

// ---- Kalman, Rauch, Tung, Striebel ----

class KalmanFilter {
 public:
  // Steps at all times, of which some have a sample.
  KalmanFilter(const Samples& samples, const std::vector<double>& times) : s_(samples), times_(times) {
    std::vector<int> own(static_cast<size_t>(times.size()), -1);
    size_t k = 0;
    for (int i = 0; i < samples.size(); ++i) {
      while (times[k] < samples.t[static_cast<size_t>(i)]) ++k;
      own[k] = i;
    }
    sample_at_ = std::move(own);
    // The parabola through the first samples: near it the state is looked for, so that little is lost to round-off.
    const int n = std::min(s_.size(), 8);
    MatrixX A(n, kOrder);
    for (int i = 0; i < n; ++i) {
      const double t = s_.t[static_cast<size_t>(i)] - times.front();
      A.row(i) << 1, t, 0.5 * t * t;
    }
    first_ = least_squares(A, s_.y.head(n));
  }

  double find_parameter(const std::optional<double>& variance) {
    return std::pow(10, minimise(kLeastLog, kMostLog, kGrid, [&](double log_lambda) {
                      filter(std::pow(10, -log_lambda));
                      const double n = s_.size() - kOrder;
                      return variance ? squares_ / *variance + log_sum_ : n * std::log(squares_ / n) + log_sum_;
                    }));
  }

  Fit run(double lambda, const std::optional<double>& variance) {
    filter(1 / lambda);
    Fit out;
    out.parameter = lambda;
    out.variance = variance.value_or(squares_ / (s_.size() - kOrder));
    out.leverage.resize(s_.size());
    const size_t n = times_.size();
    for (VectorX* part : {&out.x, &out.v, &out.a}) part->resize(static_cast<Index>(n));
    Vec3 adjoint = Vec3::Zero();
    Mat3 information = Mat3::Zero();
    for (size_t k = n; k-- > 0;) {
      const Step& step = steps_[k];
      const Vec3 state = step.state - step.P * adjoint;
      const Mat3 P = step.P - step.P * information * step.P;  // of the state, given the samples
      const auto i = static_cast<Index>(k);
      out.x[i] = state[0];
      out.v[i] = state[1];
      out.a[i] = state[2];
      if (const int own = sample_at_[k]; own >= 0) {
        out.leverage[own] = s_.w[own] * P(0, 0);
        const Vec3 H = Vec3::UnitX();
        const Mat3 C = Mat3::Identity() - step.gain * H.transpose();
        adjoint = -H * (step.innovation / step.S) + C.transpose() * adjoint;
        information = H * H.transpose() / step.S + C.transpose() * information * C;
      }
      if (k == 0) break;
      const Mat3 F = transition(times_[k] - times_[k - 1]);
      adjoint = F.transpose() * adjoint;
      information = F.transpose() * information * F;
    }
    out.freedoms = out.leverage.sum();
    return out;
  }

 private:
  struct Step {
    Vec3 state = Vec3::Zero(), gain = Vec3::Zero();
    Mat3 P = Mat3::Zero();  // after the sample
    double innovation = 0, S = 1;
  };

  static Mat3 transition(double h) {
    Mat3 F;
    F << 1, h, 0.5 * h * h, 0, 1, h, 0, 0, 1;
    return F;
  }

  // q: intensity where the variance of a sample is 1/w.
  void filter(double q) {
    constexpr double kUnknown = 1e8;
    steps_.resize(times_.size());
    squares_ = log_sum_ = 0;
    Vec3 state = first_;
    Mat3 P = kUnknown * Mat3::Identity();
    int n_seen = 0;
    for (size_t k = 0; k < times_.size(); ++k) {
      if (k > 0) {
        const double h = times_[k] - times_[k - 1];
        const Mat3 F = transition(h);
        Mat3 Q;
        const double h2 = h * h, h3 = h2 * h;
        Q << h2 * h3 / 20, h2 * h2 / 8, h3 / 6, h2 * h2 / 8, h3 / 3, h2 / 2, h3 / 6, h2 / 2, h;
        state = F * state;
        P = F * P * F.transpose() + q * Q;
      }
      Step& step = steps_[k];
      if (const int own = sample_at_[k]; own >= 0) {
        const double R = 1 / s_.w[own];
        step.innovation = s_.y[own] - state[0];
        step.S = P(0, 0) + R;
        step.gain = P.col(0) / step.S;
        state += step.gain * step.innovation;
        Mat3 C = Mat3::Identity();
        C.col(0) -= step.gain;
        C(0, 0) = R / step.S;
        P = C * P * C.transpose() + R * step.gain * step.gain.transpose();
        if (++n_seen > kOrder) {  // the first say where it starts
          squares_ += step.innovation * step.innovation / step.S;
          log_sum_ += std::log(step.S);
        }
      }
      P = 0.5 * (P + P.transpose().eval());
      step.state = state;
      step.P = P;
    }
  }

  const Samples& s_;
  const std::vector<double>& times_;
  std::vector<int> sample_at_;
  Vec3 first_ = Vec3::Zero();
  std::vector<Step> steps_;
  double squares_ = 0, log_sum_ = 0;
};

// ---- Savitzky and Golay ----

class PolynomialFilter {
 public:
  PolynomialFilter(const Samples& samples, int degree) : s_(samples), degree_(degree) {}

  int largest_window() const { return s_.size() % 2 == 1 ? s_.size() : s_.size() - 1; }
  int smallest_window() const { return degree_ + (degree_ % 2 == 0 ? 3 : 2); }

  double find_parameter() const {
    int best = smallest_window();
    double least = std::numeric_limits<double>::infinity();
    const int most = std::min(largest_window(), 401);
    for (int window = best; window <= most; window += std::max(2, window / 20 * 2)) {
      double error = 0;
      for (int k = 0; k < s_.size(); ++k) {
        const MatrixX L = make_rows(s_.t[static_cast<size_t>(k)], window, degree_);
        const int first = find_first(s_.t[static_cast<size_t>(k)], window);
        const double h = L(0, k - first);
        const double r = (s_.y[k] - L.row(0).dot(s_.y.segment(first, window))) / std::max(1e-12, 1 - h);
        error += s_.w[k] * r * r;
      }
      if (error < least) {
        least = error;
        best = window;
      }
    }
    // That is the best one for x. Bias grows faster with the window in ẍ.
    constexpr double kForAcceleration = 0.75;
    const int shorter = static_cast<int>(kForAcceleration * best) / 2 * 2 + 1;
    return std::max(smallest_window(), shorter);
  }

  Fit run(int window, const std::vector<double>& times, const std::optional<double>& variance) const {
    Fit out;
    out.parameter = window;
    out.leverage.resize(s_.size());
    double squares = 0;
    for (int k = 0; k < s_.size(); ++k) {
      const MatrixX L = make_rows(s_.t[static_cast<size_t>(k)], window, degree_);
      const int first = find_first(s_.t[static_cast<size_t>(k)], window);
      out.leverage[k] = L(0, k - first);
      const double r = s_.y[k] - L.row(0).dot(s_.y.segment(first, window));
      squares += s_.w[k] * r * r;
    }
    out.freedoms = out.leverage.sum();
    out.variance = variance.value_or(squares / (s_.size() - out.freedoms));
    const auto n = static_cast<Index>(times.size());
    for (VectorX* part : {&out.x, &out.v, &out.a}) part->resize(n);
    VectorX smooth(s_.size());
    std::vector<int> firsts;
    std::vector<MatrixX> maps;
    for (int k = 0; k < s_.size(); ++k) {
      firsts.push_back(find_first(s_.t[static_cast<size_t>(k)], window));
      maps.push_back(make_rows(s_.t[static_cast<size_t>(k)], window, degree_));
      smooth[k] = maps.back().row(0).dot(s_.y.segment(firsts.back(), window));
    }
    BiasPool bias;
    for (Index k = 0; k < n; ++k) {
      const double t = times[static_cast<size_t>(k)];
      const int first = find_first(t, window);
      const MatrixX L = make_rows(t, window, degree_);
      const Vec3 state = L * s_.y.segment(first, window), again = L * smooth.segment(first, window);
      out.x[k] = state[0];
      out.v[k] = state[1];
      out.a[k] = state[2];
      const VectorX R = s_.w.segment(first, window).cwiseInverse();
      out.covariance.push_back(out.variance * L * R.asDiagonal() * L.transpose());
      // L(A − I), of the samples that some window has
      const int low = firsts[static_cast<size_t>(first)],
                high = firsts[static_cast<size_t>(first + window - 1)] + window;
      MatrixX D = MatrixX::Zero(3, high - low);
      D.middleCols(first - low, window) -= L;
      for (int i = 0; i < window; ++i)
        D.middleCols(firsts[static_cast<size_t>(first + i)] - low, window) +=
            L.col(i) * maps[static_cast<size_t>(first + i)].row(0);
      const VectorX variance_of = s_.w.segment(low, high - low).cwiseInverse();
      bias.add(again - state, out.variance * D.cwiseAbs2() * variance_of, Vec3::Ones());
    }
    bias.put_into(out.covariance);
    out.change = bias.changes();
    return out;
  }

 private:
  // Of the samples of a window about t.
  int find_first(double t, int window) const {
    const auto after = std::lower_bound(s_.t.begin(), s_.t.end(), t);
    auto centre = static_cast<int>(after - s_.t.begin());
    if (after == s_.t.end() || (centre > 0 && t - s_.t[static_cast<size_t>(centre - 1)] < *after - t)) --centre;
    return std::clamp(centre - window / 2, 0, s_.size() - window);
  }

  // The map from the samples of the window to x, ẋ, ẍ at t.
  MatrixX make_rows(double t, int window, int degree) const {
    const int first = find_first(t, window);
    const double half =
        std::max(t - s_.t[static_cast<size_t>(first)], s_.t[static_cast<size_t>(first + window - 1)] - t);
    MatrixX V(window, degree + 1);
    for (int i = 0; i < window; ++i) {
      const double u = (s_.t[static_cast<size_t>(first + i)] - t) / half;
      double power = std::sqrt(s_.w[first + i]);
      for (int j = 0; j <= degree; ++j, power *= u) V(i, j) = power;
    }
    // Orthonormal columns by Gram and Schmidt, twice: V = QR.
    MatrixX R = MatrixX::Zero(degree + 1, degree + 1);
    for (int j = 0; j <= degree; ++j) {
      for (int pass = 0; pass < 2; ++pass)
        for (int i = 0; i < j; ++i) {
          const double part = V.col(i).dot(V.col(j));
          V.col(j) -= part * V.col(i);
          R(i, j) += part;
        }
      R(j, j) = V.col(j).norm();
      V.col(j) /= R(j, j);
    }
    MatrixX rows(3, window);
    const Vec3 scale(1, 1 / half, 2 / (half * half));
    for (int order = 0; order < 3; ++order) {
      VectorX e = VectorX::Zero(degree + 1);  // row of R⁻¹
      e[order] = scale[order];
      for (int i = 0; i <= degree; ++i) {
        for (int j = 0; j < i; ++j) e[i] -= R(j, i) * e[j];
        e[i] /= R(i, i);
      }
      rows.row(order) = (V * e).cwiseProduct(s_.w.segment(first, window).cwiseSqrt()).transpose();
    }
    return rows;
  }

  const Samples& s_;
  int degree_;
};

// ---- all of them ----

struct Range {
  size_t first = 0, last = 0;  // of all times between the first and the last sample
};

Fit fit_samples(const Samples& s, const std::vector<double>& inner, const FilterOptions& options) {
  std::optional<double> variance;
  if (options.noise) variance = *options.noise * *options.noise;
  const double unit = std::pow(s.unit, 5);
  if (options.kind == FilterOptions::Kind::savitzky_golay) {
    const PolynomialFilter filter(s, options.degree);
    const int window = options.window.value_or(0) > 0 ? *options.window : static_cast<int>(filter.find_parameter());
    if (window > filter.largest_window() || window < options.degree + 1)
      throw NumericalError(
          fmt::format("a window of {} samples is longer than the record of {}, or too short for "
                      "polynomials of degree {}",
                      window, s.size(), options.degree));
    return filter.run(window, inner, variance);
  }
  const double given = options.smoothing.value_or(0) / unit;  // 0: to be found
  if (options.kind == FilterOptions::Kind::spline) {
    SplineFilter filter(s);
    return filter.run(given > 0 ? given : filter.find_parameter(variance), inner, variance);
  }
  KalmanFilter filter(s, inner);
  Fit fit = filter.run(given > 0 ? given : filter.find_parameter(variance), variance);
  Fit same = SplineFilter(s).run(fit.parameter, inner, fit.variance);  // the same map
  fit.covariance = std::move(same.covariance);
  fit.change = std::move(same.change);
  return fit;
}

// Of samples whose residual stands out and is the largest nearby: a wrong sample draws its neighbours along.
std::vector<int> find_outliers(const Samples& s, const Fit& fit, const std::vector<double>& x, double limit) {
  std::vector<double> size(static_cast<size_t>(s.size()));
  for (int k = 0; k < s.size(); ++k)
    size[static_cast<size_t>(k)] = std::abs(s.y[k] - x[static_cast<size_t>(k)]) * std::sqrt(s.w[k]) /
                                   std::sqrt(std::max(1e-6, 1 - fit.leverage[k]));
  std::vector<double> sorted = size;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  constexpr double kMedian = 0.6744897501960817;  // of |n|
  const double sigma = *middle / kMedian;
  std::vector<int> out;
  constexpr int kNear = 3;
  for (int k = 0; k < s.size(); ++k) {
    const double own = size[static_cast<size_t>(k)];
    if (!(own > limit * sigma)) continue;
    bool is_largest = true;
    for (int i = std::max(0, k - kNear); i <= std::min(s.size() - 1, k + kNear); ++i)
      is_largest = is_largest && (i == k || size[static_cast<size_t>(i)] < own);
    if (is_largest) out.push_back(k);
  }
  return out;
}

}  // namespace

Differentiated differentiate(const std::vector<double>& times, const VectorX& values, const VectorX& weights,
                             const FilterOptions& options) {
  ELODYN_REQUIRE(values.size() == static_cast<Index>(times.size()) &&
                 (weights.size() == 0 || weights.size() == values.size()));
  std::vector<bool> is_out(times.size(), false);
  const int fewest = options.kind == FilterOptions::Kind::savitzky_golay ? options.degree + 3 : 6;
  Differentiated out;
  constexpr int kMostPasses = 20;
  // Where more stand out, it is not the samples that are wrong: the noise is so small that the filter's own bias shows.
  constexpr double kMostWrong = 0.1;
  for (int pass = 0;; ++pass) {
    const Samples s = pick_samples(times, values, weights, is_out);
    if (s.size() < fewest)
      throw NumericalError(
          fmt::format("{} samples are too few to be differentiated, at least {} are needed", s.size(), fewest));
    const auto first = static_cast<size_t>(s.at.front()), last = static_cast<size_t>(s.at.back());
    std::vector<double> inner;
    for (size_t k = first; k <= last; ++k) inner.push_back((times[k] - s.start) / s.unit);
    for (size_t i = 0; i < s.at.size(); ++i) inner[static_cast<size_t>(s.at[i]) - first] = s.t[i];
    const Fit fit = fit_samples(s, inner, options);
    if (options.outlier > 0 && pass < kMostPasses) {
      std::vector<double> x(s.t.size());
      for (size_t i = 0; i < x.size(); ++i) x[i] = fit.x[static_cast<Index>(static_cast<size_t>(s.at[i]) - first)];
      const std::vector<int> outliers = find_outliers(s, fit, x, options.outlier);
      if (!outliers.empty()) {
        for (const int k : outliers) is_out[static_cast<size_t>(s.at[static_cast<size_t>(k)])] = true;
        const auto n_out = std::count(is_out.begin(), is_out.end(), true);
        if (static_cast<double>(n_out) > kMostWrong * static_cast<double>(n_out + s.size())) {
          FilterOptions all = options;
          all.outlier = 0;
          return differentiate(times, values, weights, all);
        }
        continue;
      }
    }
    const auto n = static_cast<Index>(times.size());
    out.x = out.v = out.a = VectorX::Constant(n, kNaN);
    out.covariance.assign(times.size(), Mat3::Constant(kNaN));
    out.leverage = VectorX::Zero(n);
    out.change = Matrix3X::Zero(3, n);
    const Vec3 scale(1, 1 / s.unit, 1 / (s.unit * s.unit));
    for (size_t k = first; k <= last; ++k) {
      const auto i = static_cast<Index>(k), j = static_cast<Index>(k - first);
      out.x[i] = fit.x[j];
      out.v[i] = scale[1] * fit.v[j];
      out.a[i] = scale[2] * fit.a[j];
      out.change.col(i) = scale.cwiseProduct(fit.change.col(j));
      out.covariance[k] = scale.asDiagonal() * fit.covariance[k - first] * scale.asDiagonal();
    }
    for (int i = 0; i < s.size(); ++i) out.leverage[s.at[static_cast<size_t>(i)]] = fit.leverage[i];
    out.noise = std::sqrt(fit.variance);
    const bool is_polynomial = options.kind == FilterOptions::Kind::savitzky_golay;
    out.window = is_polynomial ? static_cast<int>(fit.parameter) : 0;
    out.smoothing = is_polynomial ? 0 : fit.parameter * std::pow(s.unit, 5);
    out.freedoms = fit.freedoms;
    for (size_t k = 0; k < times.size(); ++k)
      if (is_out[k]) out.outliers.push_back(static_cast<int>(k));
    return out;
  }
}

FilterMap calc_filter_map(const std::vector<double>& times, const VectorX& weights, const FilterOptions& options) {
  const bool is_polynomial = options.kind == FilterOptions::Kind::savitzky_golay;
  ELODYN_REQUIRE(is_polynomial ? options.window.has_value() : options.smoothing.has_value());
  FilterOptions fixed = options;
  fixed.outlier = 0;
  fixed.noise = 1;
  const auto n = static_cast<Index>(times.size());
  FilterMap map{MatrixX(n, n), MatrixX(n, n)};
  for (Index k = 0; k < n; ++k) {
    const Differentiated column = differentiate(times, VectorX::Unit(n, k), weights, fixed);
    map.v.col(k) = column.v;
    map.a.col(k) = column.a;
  }
  return map;
}

}  // namespace elodyn
