// From the poses of a body in a film to its motion: place, velocity and acceleration of a point, angle, angular
// velocity and acceleration, with the covariance of all of them. The two or three coordinates of the place and the
// angle, or the four of the quaternion, are differentiated one by one (experiment/differentiate.hpp); noise does not
// couple them, as the place is that of the markers' mean. In space
//   ω = 2 q̇ q̄,  ε = 2 q̈ q̄  (vector parts, world axes)                                                             (1)
// Motion of another point at s = R d from there, world axes:
//   v' = v + ω × s,  a' = a + ε × s + ω × (ω × s)                                                                 (2)
// Errors in the order of place p, turn φ (δR = φ̂ R), v, ω, a, ε are carried along through the derivatives of (1), (2).
#pragma once

#include <vector>

#include "elodyn/experiment/differentiate.hpp"
#include "elodyn/experiment/rigid_fit.hpp"

namespace elodyn {

using Mat18 = Eigen::Matrix<double, 18, 18>;
using Vec18 = Eigen::Matrix<double, 18, 1>;

// World axes.
struct BodyInstant {
  bool is_known = false;
  Vec3 p = Vec3::Zero(), v = Vec3::Zero(), a = Vec3::Zero();
  Mat3 R = Mat3::Identity();
  double angle = 0;  // plane: of R, counted on
  Vec3 w = Vec3::Zero(), e = Vec3::Zero();
  Mat18 covariance = Mat18::Zero();  // p, φ, v, ω, a, ε
  Vec18 change = Vec18::Zero();      // of these, when the filters are used on their own curves
};

struct BodyMotion {
  int dimension = 2;
  std::vector<double> times;
  Vec3 point = Vec3::Zero();  // of the body whose motion it is, body axes
  std::vector<BodyInstant> instants;
  double noise = 0;      // σ of a marker's coordinate, as the filters find it
  double smoothing = 0;  // of the first coordinate
  int window = 0;
  int n_gaps = 0, n_outliers = 0;  // frames without pose; left out
};

// `longest_gap`: frames without a pose that are bridged.
BodyMotion find_motion(const PoseHistory& poses, const FilterOptions& options, int longest_gap);

// (2)
BodyInstant move_to(const BodyInstant& at, const Vec3& d);

}  // namespace elodyn
