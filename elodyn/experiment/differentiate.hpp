// A smooth function of time from noisy samples y_k = x(t_k) + σ n_k/√w_k, with its first two derivatives and what is
// known of their errors. Three linear filters, each with a parameter found from the samples:
//   spline          minimises Σ w_k (y_k − x(t_k))² + λ ∫ x‴² dt: a natural spline of degree 5, here of B-splines with
//   a
//                   knot at each sample; λ by generalized cross-validation [Craven1979]:
//                     min n Σ w r² / (n − 1.4 tr A)²,  A the map from y to x(t_k)            [KimGu2004]          (1)
//                   and for the sake of ẍ 0.3 of that λ
//   kalman          x‴ is white noise of intensity q: the smoother of Rauch, Tung and Striebel [Rauch1965] in the form
//                   of Bryson and Frazier, with nothing known at the start; q/σ² by likelihood. For λ = σ²/q the same
//                   curve as the spline [Wahba1978], so what differs is how the parameter is found.
//   savitzky_golay  polynomial of a degree through the samples of a window [Savitzky1964], at the ends off its centre;
//                   the window by cross-validation, then 3/4 of it
// Covariances of (x, ẋ, ẍ): the noise through the linear map of the filter with its parameter as it is, σ² L W⁻¹ Lᵀ,
// and the mean square over time of the bias, as far as the filter shows it when it is used on its own curve. (That of
// the model behind spline and kalman, a white x‴, is no band for the smooth motions of machines: 2.4 times as wide.)
// Samples that are NaN are gaps. Samples that are off by more than a number of standard deviations are left out.
// Limits: nothing is said before the first and after the last sample; noise without correlation in time; one smoothness
// for the whole record, so a jump of ẍ is smeared and its neighbourhood is less sure than the bands say.
#pragma once

#include <optional>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

struct FilterOptions {
  enum class Kind { spline, kalman, savitzky_golay };
  Kind kind = Kind::spline;
  std::optional<double> smoothing;  // spline, kalman: λ = σ²/q, s⁵; absent: found
  std::optional<int> window;        // savitzky_golay: samples, odd; absent: found
  int degree = 4;                   // savitzky_golay
  std::optional<double> noise;      // σ; absent: found
  double outlier = 5;               // standard deviations; 0: none is left out; nor if more than a tenth would be
};

struct Differentiated {
  VectorX x, v, a;               // at each time; NaN before the first and after the last sample
  std::vector<Mat3> covariance;  // of these three
  Matrix3X change;               // of the three, when the filter is used on its own curve: what shows of the bias
  VectorX leverage;              // A_kk; 0 of samples that are not there
  double noise = 0;              // σ
  double smoothing = 0;          // λ
  int window = 0;
  double freedoms = 0;        // tr A
  std::vector<int> outliers;  // ascending
};

// Times strictly increase; weights may be empty: all 1. Throws NumericalError if there are too few samples: six, or
// three more than the degree.
Differentiated differentiate(const std::vector<double>& times, const VectorX& values, const VectorX& weights,
                             const FilterOptions& options);

// What the filter makes of noise and of the truth with its parameter fixed: rows L of the map from samples to ẋ and ẍ,
// whence the variance σ² L W⁻¹ Lᵀ; the bias L x − ẍ follows from samples without noise.
struct FilterMap {
  MatrixX v, a;  // times × samples
};
FilterMap calc_filter_map(const std::vector<double>& times, const VectorX& weights, const FilterOptions& options);

}  // namespace elodyn
