#include "elodyn/experiment/modal_fit.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

#include <Eigen/QR>
#include <fmt/format.h>

#include "elodyn/base/error.hpp"
#include "elodyn/experiment/lscf.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using Complex = std::complex<double>;
constexpr Complex kI{0, 1};

int derivative_of(Measurand quantity) {
  return quantity == Measurand::acceleration ? 2 : quantity == Measurand::velocity ? 1 : 0;
}

// The FRFs of the band, all in the derivative of the first one.
struct Band {
  int k = 0;
  VectorX omega;
  Eigen::MatrixXcd H;  // frequency × FRF
  double decay = 0;    // by an exponential window
};

Band make_band(const std::vector<FrfRecord>& frfs, const ModalOptions& options) {
  if (frfs.empty()) throw NumericalError("there are no FRFs to find modes in");
  const FrfRecord& first = frfs.front();
  std::vector<size_t> kept;
  for (size_t i = 0; i < first.frequencies.size(); ++i) {
    const double w = first.frequencies[i];
    if (w > 0 && w >= options.from && (options.to <= 0 || w <= options.to)) kept.push_back(i);
  }
  constexpr size_t kFewest = 8;
  if (kept.size() < kFewest)
    throw NumericalError(fmt::format("the band has {} frequencies of the FRFs, modes need {}", kept.size(), kFewest));
  Band band;
  band.k = derivative_of(first.response_quantity);
  band.decay = first.added_decay;
  band.omega.resize(static_cast<Eigen::Index>(kept.size()));
  band.H.resize(band.omega.size(), static_cast<Eigen::Index>(frfs.size()));
  for (size_t i = 0; i < kept.size(); ++i) band.omega[static_cast<Eigen::Index>(i)] = first.frequencies[kept[i]];
  for (size_t o = 0; o < frfs.size(); ++o) {
    const FrfRecord& frf = frfs[o];
    if (frf.frequencies.size() != first.frequencies.size() || frf.values.size() != frf.frequencies.size() ||
        !std::equal(frf.frequencies.begin(), frf.frequencies.end(), first.frequencies.begin(),
                    [](double a, double b) { return std::abs(a - b) <= 1e-6 * std::abs(b); }))
      throw NumericalError(fmt::format("the FRFs `{}` and `{}` have different frequencies", first.name, frf.name));
    if (frf.added_decay != band.decay)
      throw NumericalError(
          fmt::format("the FRFs `{}` and `{}` had different exponential windows", first.name, frf.name));
    const int more = band.k - derivative_of(frf.response_quantity);
    for (size_t i = 0; i < kept.size(); ++i) {
      const Complex value = frf.values[kept[i]] * std::pow(kI * first.frequencies[kept[i]], more);
      if (!std::isfinite(std::abs(value)))
        throw NumericalError(fmt::format("the FRF `{}` has a gap at {:.6g} Hz", frf.name,
                                         first.frequencies[kept[i]] / (2 * std::numbers::pi)));
      band.H(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(o)) = value;
    }
  }
  if (!(band.H.norm() > 0)) throw NumericalError("the FRFs are zero in the band");
  return band;
}

// (1) as real equations, rows Re and Im: columns Re R, Im R of each mode, L, U, V.
MatrixX make_columns(const Band& band, const std::vector<Complex>& poles) {
  const Eigen::Index n = band.omega.size(), m = static_cast<Eigen::Index>(poles.size());
  MatrixX A(2 * n, 2 * m + 3);
  const double w0 = band.omega[n - 1];  // makes the columns alike in size
  for (Eigen::Index i = 0; i < n; ++i) {
    const Complex s = kI * band.omega[i], factor = std::pow(s, band.k);
    const auto put = [&](Eigen::Index column, Complex value) {
      A(i, column) = value.real();
      A(n + i, column) = value.imag();
    };
    for (Eigen::Index r = 0; r < m; ++r) {
      const Complex pole = poles[static_cast<size_t>(r)];
      const Complex a = factor / (s - pole), b = factor / (s - std::conj(pole));
      put(2 * r, a + b);
      put(2 * r + 1, kI * (a - b));
    }
    put(2 * m, factor * w0 * w0 / (s * s));
    put(2 * m + 1, factor);
    put(2 * m + 2, factor * s * s / (w0 * w0));
  }
  return A;
}

struct Linear {
  MatrixX X;  // unknowns of make_columns × FRF
  MatrixX residual;
};

MatrixX stack(const Eigen::MatrixXcd& H) {
  MatrixX B(2 * H.rows(), H.cols());
  B << H.real(), H.imag();
  return B;
}

Linear solve_residues(const Band& band, const MatrixX& B, const std::vector<Complex>& poles) {
  MatrixX A = make_columns(band, poles);
  const VectorX scale = A.colwise().norm().transpose().cwiseMax(1e-300);
  for (Eigen::Index j = 0; j < A.cols(); ++j) A.col(j) /= scale[j];
  const Eigen::ColPivHouseholderQR<MatrixX> qr(A);
  Linear out;
  out.X = qr.solve(B);
  out.residual = B - A * out.X;
  for (Eigen::Index j = 0; j < A.cols(); ++j) out.X.row(j) /= scale[j];
  return out;
}

// Gauss–Newton with Levenberg's damping on the poles alone; what the residues can follow is projected out.
void refine_poles(const Band& band, const MatrixX& B, double most_damping, std::vector<Complex>& poles) {
  const auto m = static_cast<Eigen::Index>(poles.size());
  if (m == 0) return;
  Linear now = solve_residues(band, B, poles);
  double cost = now.residual.squaredNorm(), damping = 1e-3;
  const double floor = 1e-26 * B.squaredNorm();
  constexpr int kMostSteps = 60;
  for (int step = 0; step < kMostSteps && cost > floor; ++step) {
    // d(1)/dλ projected off the columns (Kaufman): sums over the FRFs make normal equations of 2m unknowns.
    MatrixX A = make_columns(band, poles);
    for (Eigen::Index j = 0; j < A.cols(); ++j) A.col(j) /= std::max(1e-300, A.col(j).norm());
    const Eigen::HouseholderQR<MatrixX> qr(A);
    const MatrixX Q = qr.householderQ() * MatrixX::Identity(A.rows(), A.cols());
    const Eigen::Index n = band.omega.size();
    MatrixX normal = MatrixX::Zero(2 * m, 2 * m);
    VectorX right = VectorX::Zero(2 * m);
    std::vector<MatrixX> base(static_cast<size_t>(2 * m), MatrixX(2 * n, 2));  // for Re R and Im R, of dRe λ and dIm λ
    for (Eigen::Index r = 0; r < m; ++r)
      for (Eigen::Index i = 0; i < n; ++i) {
        const Complex s = kI * band.omega[i], factor = std::pow(s, band.k), pole = poles[static_cast<size_t>(r)];
        const Complex a = factor / ((s - pole) * (s - pole)),
                      b = factor / ((s - std::conj(pole)) * (s - std::conj(pole)));
        // R a' + R̄ b' with dλ = 1, then dλ = i (dλ̄ = −i)
        const Complex of[2][2] = {{a + b, kI * (a - b)}, {kI * (a - b), -(a + b)}};
        for (Eigen::Index d = 0; d < 2; ++d)
          for (Eigen::Index c = 0; c < 2; ++c) {
            base[static_cast<size_t>(2 * r + d)](i, c) = of[d][c].real();
            base[static_cast<size_t>(2 * r + d)](n + i, c) = of[d][c].imag();
          }
      }
    for (MatrixX& columns : base) columns -= Q * (Q.transpose() * columns);
    for (Eigen::Index o = 0; o < B.cols(); ++o) {
      MatrixX J(2 * n, 2 * m);
      for (Eigen::Index p = 0; p < 2 * m; ++p)
        J.col(p) = base[static_cast<size_t>(p)] * now.X.block(2 * (p / 2), o, 2, 1);
      normal += J.transpose() * J;
      right += J.transpose() * now.residual.col(o);
    }
    bool is_better = false;
    for (int attempt = 0; attempt < 12 && !is_better; ++attempt, damping *= is_better ? 1 : 8) {
      MatrixX damped = normal;
      damped.diagonal() *= 1 + damping;
      damped.diagonal().array() += 1e-300;
      const VectorX move = damped.ldlt().solve(right);
      if (!move.allFinite()) continue;
      std::vector<Complex> tried = poles;
      bool is_inside = true;
      for (Eigen::Index r = 0; r < m; ++r) {
        Complex& pole = tried[static_cast<size_t>(r)];
        pole += Complex(move[2 * r], move[2 * r + 1]);
        is_inside = is_inside && pole.real() < 0 && pole.imag() > 0 && -pole.real() < 2 * most_damping * std::abs(pole);
      }
      if (!is_inside) continue;
      Linear next = solve_residues(band, B, tried);
      const double next_cost = next.residual.squaredNorm();
      if (!(next_cost < cost)) continue;
      is_better = true;
      const double gain = (cost - next_cost) / cost;
      poles = std::move(tried);
      now = std::move(next);
      cost = next_cost;
      damping = std::max(1e-12, damping / 16);
      if (gain < 1e-12) return;
    }
    if (!is_better) return;
  }
}

// ---- peaks ----

// Σ|H|² over the FRFs in the form of a velocity, whose peaks stand at ω whatever ζ is.
VectorX calc_indicator(const Band& band) {
  VectorX sum(band.omega.size());
  for (Eigen::Index i = 0; i < sum.size(); ++i)
    sum[i] = band.H.row(i).squaredNorm() * std::pow(band.omega[i], 2 * (1 - band.k));
  return sum;
}

struct Peak {
  double omega = 0, damping = 0, height = 0;
  Eigen::Index line = 0;
};

std::vector<Peak> find_peaks(const Band& band, const ModalOptions& options) {
  const VectorX sum = calc_indicator(band);
  const Eigen::Index n = sum.size();
  std::vector<Peak> peaks;
  for (Eigen::Index i = 1; i + 1 < n; ++i) {
    if (!(sum[i] > sum[i - 1] && sum[i] >= sum[i + 1])) continue;
    // top of the parabola through three lines of 1/Σ|H|², which is one for a single mode
    const double a = 1 / sum[i - 1], b = 1 / sum[i], c = 1 / sum[i + 1], bend = a - 2 * b + c;
    const double shift = bend > 0 ? std::clamp(0.5 * (a - c) / bend, -0.5, 0.5) : 0;
    const double step = shift > 0 ? band.omega[i + 1] - band.omega[i] : band.omega[i] - band.omega[i - 1];
    Peak peak;
    peak.line = i;
    peak.omega = band.omega[i] + shift * step;
    const double lowest = b - 0.25 * (a - c) * shift;
    peak.height = lowest > 0 ? 1 / lowest : sum[i];
    // where 1/Σ|H|² is twice that of the top, on each side, by straight lines
    const auto half = [&](int direction) -> double {
      for (Eigen::Index j = i; j + direction >= 0 && j + direction < n; j += direction) {
        const double here = 1 / sum[j], next = 1 / sum[j + direction], wanted = 2 / peak.height;
        if (next < here && j != i) return std::nan("");  // rises again: another mode
        if (next < wanted) continue;
        const double part = next > here ? std::clamp((wanted - here) / (next - here), 0.0, 1.0) : 1;
        return band.omega[j] + part * (band.omega[j + direction] - band.omega[j]);
      }
      return std::nan("");
    };
    const double left = half(-1), right = half(1);
    const double width = std::isnan(left)    ? 2 * (right - peak.omega)
                         : std::isnan(right) ? 2 * (peak.omega - left)
                                             : right - left;
    peak.damping = 0.5 * width / peak.omega;
    if (!(peak.damping > 0 && peak.damping <= options.most_damping)) continue;
    peaks.push_back(peak);
  }
  double largest = 0;
  for (const Peak& peak : peaks) largest = std::max(largest, peak.height);
  std::erase_if(peaks, [&](const Peak& peak) { return peak.height < options.floor * options.floor * largest; });
  if (options.count && peaks.size() > static_cast<size_t>(*options.count)) {
    std::stable_sort(peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) { return a.height > b.height; });
    peaks.resize(static_cast<size_t>(*options.count));
    std::stable_sort(peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) { return a.omega < b.omega; });
  }
  return peaks;
}

// ---- circle ----

// The circle that fits the points best in the algebraic sense: |p|² = 2 Re(c̄ p) + d.
struct Circle {
  Complex centre;
  double radius = 0;
};
Circle fit_circle(const Eigen::VectorXcd& points) {
  MatrixX A(points.size(), 3);
  A << 2 * points.real(), 2 * points.imag(), VectorX::Ones(points.size());
  const VectorX x = Eigen::ColPivHouseholderQR<MatrixX>(A).solve(points.cwiseAbs2());
  const Complex centre(x[0], x[1]);
  return {centre, std::sqrt(std::max(0.0, x[2] + std::norm(centre)))};
}

Peak fit_on_circle(const Band& band, const Peak& start) {
  // All FRFs in one, each with the weight of its value at the peak.
  const Eigen::VectorXcd u = band.H.row(start.line).adjoint() / band.H.row(start.line).norm();
  std::vector<Eigen::Index> lines;
  const double reach = 2 * start.damping * start.omega;
  for (Eigen::Index i = 0; i < band.omega.size(); ++i)
    if (std::abs(band.omega[i] - start.omega) <= reach) lines.push_back(i);
  for (Eigen::Index more = 1; lines.size() < 5 && more <= 4; ++more) {
    lines.clear();
    for (Eigen::Index i = std::max<Eigen::Index>(0, start.line - more - 1);
         i <= std::min(band.omega.size() - 1, start.line + more + 1); ++i)
      lines.push_back(i);
  }
  const auto n = static_cast<Eigen::Index>(lines.size());
  if (n < 5) return start;
  Eigen::VectorXcd points(n);
  VectorX omega(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const Eigen::Index i = lines[static_cast<size_t>(j)];
    omega[j] = band.omega[i];
    points[j] = (band.H.row(i) * u).value() * std::pow(kI * omega[j], 1 - band.k);
  }
  const Circle circle = fit_circle(points);
  // Angles from the first on, without jumps; then ω, ζ and θ_r by Gauss and Newton.
  VectorX theta(n);
  for (Eigen::Index j = 0; j < n; ++j) {
    const Complex p = points[j] - circle.centre;
    theta[j] = j == 0 ? std::arg(p) : theta[j - 1] + std::arg(p / (points[j - 1] - circle.centre));
  }
  double w = start.omega, z = start.damping;
  Eigen::Index nearest = 0;
  (omega.array() - w).abs().minCoeff(&nearest);
  const auto angle_at = [&](Eigen::Index j, double at, double ratio) {
    return -2 * std::atan((omega[j] * omega[j] - at * at) / (2 * ratio * at * omega[j]));
  };
  double turn = theta[nearest] - angle_at(nearest, w, z);
  for (int step = 0; step < 40; ++step) {
    MatrixX J(n, 3);
    VectorX r(n);
    for (Eigen::Index j = 0; j < n; ++j) {
      r[j] = theta[j] - turn - angle_at(j, w, z);
      const double hw = 1e-6 * w, hz = 1e-6 * z;
      J(j, 0) = (angle_at(j, w + hw, z) - angle_at(j, w - hw, z)) / (2 * hw) * w;
      J(j, 1) = (angle_at(j, w, z + hz) - angle_at(j, w, z - hz)) / (2 * hz) * z;
      J(j, 2) = 1;
    }
    const VectorX move = Eigen::ColPivHouseholderQR<MatrixX>(J).solve(r);
    const double dz = std::clamp(move[1], -0.5, 0.5), dw = std::clamp(move[0], -z, z);
    w *= 1 + dw;
    z *= 1 + dz;
    turn += move[2];
    if (std::abs(dw) < 1e-12 && std::abs(dz) < 1e-10) break;
  }
  const bool is_sound = std::abs(w - start.omega) < 5 * start.damping * start.omega && z > 0 && z < 1;
  if (!is_sound) return start;
  return {w, z, start.height, start.line};
}

Complex pole_of(double omega, double damping) {
  return {-damping * omega, omega * std::sqrt(std::max(0.0, 1 - damping * damping))};
}

// ---- lscf: what is stable ----

std::vector<StabilityPoint> mark_stable(const std::vector<std::vector<Complex>>& of_order,
                                        const std::vector<int>& orders, const ModalOptions& options) {
  std::vector<StabilityPoint> out;
  for (size_t k = 0; k < of_order.size(); ++k)
    for (const Complex pole : of_order[k]) {
      StabilityPoint point{orders[k], std::abs(pole), -pole.real() / std::abs(pole), false, false};
      if (k > 0)
        for (const Complex before : of_order[k - 1]) {
          const double w = std::abs(before), z = -before.real() / w;
          if (std::abs(w - point.omega) > options.frequency_step * w) continue;
          point.is_stable_frequency = true;
          // damping as small as the frequencies agree to is not told apart
          if (std::abs(z - point.damping) <= options.damping_step * z + 1e-6) point.is_stable = true;
        }
      out.push_back(point);
    }
  return out;
}

struct Candidate {
  Complex pole;
  double found_at = 0;  // share of the orders
};

// Stable poles of all orders that lie together are one mode: within the larger of half a half-power width and a
// quarter of the step that counts as stable.
std::vector<Candidate> gather(const std::vector<StabilityPoint>& points, int n_orders, const ModalOptions& options) {
  std::vector<StabilityPoint> stable;
  std::copy_if(points.begin(), points.end(), std::back_inserter(stable), [](const auto& p) { return p.is_stable; });
  std::stable_sort(stable.begin(), stable.end(), [](const auto& a, const auto& b) { return a.omega < b.omega; });
  std::vector<Candidate> out;
  for (size_t begin = 0; begin < stable.size();) {
    size_t end = begin + 1;
    const auto near = [&](const StabilityPoint& a, const StabilityPoint& b) {
      const double reach =
          std::min(0.25 * options.frequency_step, std::max(5e-4, 0.25 * std::min(a.damping, b.damping)));
      return b.omega - a.omega <= reach * a.omega;
    };
    while (end < stable.size() && near(stable[end - 1], stable[end])) ++end;
    std::set<int> orders;
    std::vector<double> omega, damping;
    for (size_t i = begin; i < end; ++i) {
      orders.insert(stable[i].order);
      omega.push_back(stable[i].omega);
      damping.push_back(stable[i].damping);
    }
    const auto middle = [](std::vector<double> values) {
      std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
      return values[values.size() / 2];
    };
    out.push_back({pole_of(middle(omega), middle(damping)), static_cast<double>(orders.size()) / n_orders});
    begin = end;
  }
  return out;
}

// How much the fit loses without each mode, as a share of ‖H‖.
VectorX calc_importance(const Band& band, const MatrixX& B, const std::vector<Complex>& poles) {
  const Linear all = solve_residues(band, B, poles);
  const MatrixX A = make_columns(band, poles);
  VectorX out(static_cast<Eigen::Index>(poles.size()));
  for (Eigen::Index r = 0; r < out.size(); ++r)
    out[r] = (A.middleCols(2 * r, 2) * all.X.middleRows(2 * r, 2)).norm() / B.norm();
  return out;
}

std::vector<Candidate> find_by_lscf(const Band& band, const MatrixX& B, const ModalOptions& options, ModalFit& fit) {
  std::vector<int> orders;
  const int most = std::min(options.order, static_cast<int>(band.omega.size()) / 2 - 1);
  for (int n = 2; n <= most; ++n) orders.push_back(n);
  if (orders.empty()) throw NumericalError("the band has too few frequencies for the method lscf");
  std::vector<std::vector<Complex>> of_order = calc_lscf_poles(band.omega, band.H, orders);
  for (std::vector<Complex>& poles : of_order)
    std::erase_if(poles, [&](const Complex pole) {
      const double w = std::abs(pole), z = -pole.real() / w;
      return !(z > 0 && z <= options.most_damping && pole.imag() >= band.omega[0] &&
               pole.imag() <= band.omega[band.omega.size() - 1]);
    });
  fit.stability = mark_stable(of_order, orders, options);
  std::vector<Candidate> all = gather(fit.stability, static_cast<int>(orders.size()), options);
  constexpr double kLongEnough = 0.25;  // of the orders
  std::vector<Candidate> found;
  for (const Candidate& candidate : all)
    if (options.count || candidate.found_at >= kLongEnough) found.push_back(candidate);
  if (options.count && found.size() > static_cast<size_t>(*options.count)) {
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.found_at > b.found_at; });
    found.resize(static_cast<size_t>(*options.count));
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& a, const auto& b) { return a.pole.imag() < b.pole.imag(); });
  }
  const auto poles_of = [&] {
    std::vector<Complex> poles;
    for (const Candidate& candidate : found) poles.push_back(candidate.pole);
    return poles;
  };
  // Those that carry next to nothing fit noise or the ends of the band.
  if (!options.count && !found.empty()) {
    const VectorX importance = calc_importance(band, B, poles_of());
    const double largest = importance.maxCoeff();
    std::vector<Candidate> kept;
    for (size_t r = 0; r < found.size(); ++r)
      if (importance[static_cast<Eigen::Index>(r)] >= 0.1 * options.floor * largest) kept.push_back(found[r]);
    found = std::move(kept);
  }
  std::vector<Complex> poles = poles_of();
  refine_poles(band, B, options.most_damping, poles);
  for (size_t r = 0; r < poles.size(); ++r) found[r].pole = poles[r];
  return found;
}

}  // namespace

std::complex<double> synthesise(const std::vector<Complex>& poles, const std::vector<Complex>& residues,
                                const Vec3& remainder, int k, double omega) {
  const Complex s = kI * omega;
  Complex sum = remainder[1] + remainder[2] * s * s;
  if (remainder[0] != 0) sum += remainder[0] / (s * s);
  for (size_t r = 0; r < poles.size(); ++r)
    sum += residues[r] / (s - poles[r]) + std::conj(residues[r]) / (s - std::conj(poles[r]));
  return std::pow(s, k) * sum;
}

ModalFit fit_modes(const std::vector<FrfRecord>& frfs, const ModalOptions& options) {
  const Band band = make_band(frfs, options);
  const MatrixX B = stack(band.H);
  ModalFit fit;
  std::vector<Candidate> found;
  if (options.method == ModalOptions::Method::lscf)
    found = find_by_lscf(band, B, options, fit);
  else
    for (const Peak& peak : find_peaks(band, options)) {
      const Peak best = options.method == ModalOptions::Method::circle ? fit_on_circle(band, peak) : peak;
      found.push_back({pole_of(best.omega, best.damping), std::nan("")});
    }
  if (found.empty())
    throw NumericalError(
        "no mode was found in the band; see the spectra, choose the band around the peaks, or say how many there are "
        "(count)");
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.pole.imag() < b.pole.imag(); });
  for (const Candidate& candidate : found) {
    const Complex pole = candidate.pole + band.decay;  // what the window has added is taken off
    fit.poles.push_back(candidate.pole);
    fit.omega.push_back(std::abs(pole));
    fit.damping.push_back(-pole.real() / std::abs(pole));
    fit.found_at.push_back(candidate.found_at);
  }
  const Linear linear = solve_residues(band, B, fit.poles);
  const auto m = static_cast<Eigen::Index>(fit.poles.size());
  const double w0 = band.omega[band.omega.size() - 1];
  fit.residues.resize(band.H.cols(), m);
  for (Eigen::Index r = 0; r < m; ++r) {
    fit.residues.col(r).real() = linear.X.row(2 * r).transpose();
    fit.residues.col(r).imag() = linear.X.row(2 * r + 1).transpose();
  }
  fit.remainder = linear.X.bottomRows(3).transpose();
  fit.remainder.col(0) *= w0 * w0;
  fit.remainder.col(2) /= w0 * w0;
  fit.frequencies.assign(band.omega.data(), band.omega.data() + band.omega.size());
  fit.measured = band.H;
  const Eigen::Index n = band.omega.size();
  const MatrixX model = B - linear.residual;
  fit.synthesised.resize(n, band.H.cols());
  fit.synthesised.real() = model.topRows(n);
  fit.synthesised.imag() = model.bottomRows(n);
  for (Eigen::Index o = 0; o < band.H.cols(); ++o) {
    const double norm = B.col(o).norm();
    fit.error.push_back(norm > 0 ? linear.residual.col(o).norm() / norm : 0);
  }
  return fit;
}

std::vector<MeasuredMode> make_measured_modes(const std::vector<FrfRecord>& frfs, const ModalFit& fit) {
  // Rows and columns by the names of the dofs, in the order in which they come.
  std::vector<MeasuredDof> responses, references;
  std::map<std::string, Eigen::Index> row_of, column_of;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> place;
  const auto index = [](const MeasuredDof& dof, std::vector<MeasuredDof>& dofs,
                        std::map<std::string, Eigen::Index>& of) {
    const auto [it, is_new] = of.emplace(dof.name(), static_cast<Eigen::Index>(dofs.size()));
    if (is_new) dofs.push_back(dof);
    return it->second;
  };
  for (const FrfRecord& frf : frfs)
    place.emplace_back(index(frf.response, responses, row_of), index(frf.reference, references, column_of));
  const auto n_rows = static_cast<Eigen::Index>(responses.size()),
             n_columns = static_cast<Eigen::Index>(references.size());
  Eigen::MatrixXi count = Eigen::MatrixXi::Zero(n_rows, n_columns);
  for (const auto& [i, j] : place) ++count(i, j);
  const bool is_full = (count.array() > 0).all() && n_rows > 1 && n_columns > 1;
  const Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 1> per_column =
      (count.array() > 0).cast<Eigen::Index>().colwise().sum().transpose();
  const Eigen::Matrix<Eigen::Index, Eigen::Dynamic, 1> per_row =
      (count.array() > 0).cast<Eigen::Index>().rowwise().sum();
  Eigen::Index column = 0, row = 0;
  per_column.maxCoeff(&column);
  per_row.maxCoeff(&row);
  const bool by_reference = is_full || per_column[column] >= per_row[row];
  std::vector<MeasuredMode> modes;
  for (Eigen::Index r = 0; r < fit.residues.cols(); ++r) {
    Eigen::MatrixXcd R = Eigen::MatrixXcd::Zero(n_rows, n_columns);
    for (size_t o = 0; o < place.size(); ++o) {
      const auto [i, j] = place[o];
      R(i, j) += fit.residues(static_cast<Eigen::Index>(o), r) / static_cast<double>(count(i, j));
    }
    MeasuredMode mode;
    mode.omega = fit.omega[static_cast<size_t>(r)];
    mode.damping = fit.damping[static_cast<size_t>(r)];
    std::vector<Complex> shape;
    const auto add = [&](const MeasuredDof& dof, Complex value) {
      mode.dofs.push_back(dof);
      shape.push_back(value);
    };
    if (is_full) {
      // the dominant left singular vector
      Eigen::MatrixXcd square = R * R.adjoint(), vectors;
      VectorX values;
      const auto last = static_cast<int>(n_rows) - 1;
      hermitian_eigen(square, last, last, values, vectors);
      for (Eigen::Index i = 0; i < n_rows; ++i) add(responses[static_cast<size_t>(i)], vectors(i, 0));
    } else if (by_reference) {
      for (Eigen::Index i = 0; i < n_rows; ++i)
        if (count(i, column) > 0) add(responses[static_cast<size_t>(i)], R(i, column));
    } else {
      for (Eigen::Index j = 0; j < n_columns; ++j)
        if (count(row, j) > 0) add(references[static_cast<size_t>(j)], R(row, j));
    }
    mode.shape = Eigen::Map<const Eigen::VectorXcd>(shape.data(), static_cast<Eigen::Index>(shape.size()));
    Eigen::Index largest = 0;
    if (mode.shape.cwiseAbs().maxCoeff(&largest) > 0) mode.shape /= Complex(mode.shape[largest]);
    modes.push_back(std::move(mode));
  }
  return modes;
}

}  // namespace elodyn
