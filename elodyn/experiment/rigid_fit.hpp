// The pose of a rigid body in each frame of a film, from the places p_i of its markers, which are at x_i in the body:
//   min Σ w_i |p_i − p − R (x_i − c)|²                                                      [Kabsch1976] [Horn1987] (1)
// with a point c that is the same in all frames. In the plane R is given by its angle, counted on over whole turns:
//   θ = atan2(Σ w (x̃ × p̃), Σ w x̃·p̃), about the weighted means. In space by the unit quaternion that belongs to the
//   largest
// eigenvalue of Horn's matrix, its sign carried on. Weights: those of Huber, w = min(1, 3σ/|r|), σ from the median of
// all residuals; markers beyond 6σ are left out of their frame. With noise of variance σ² in each coordinate
//   var p = σ²/Σw  at c = mean,   var θ = σ²/Σ w|x̃|²,   var δφ = σ² (Σ w(|x̃|² − x̃x̃ᵀ))⁻¹ in body axes                (2)
// Limits: markers on one line do not show the turn about it: in space three that are not are needed. The body bends:
// what residuals show of that is given, what bends along with the pose is not.
#pragma once

#include <string>
#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

struct PoseHistory {
  int dimension = 2;
  std::vector<double> times;
  Vec3 center = Vec3::Zero();   // c, body axes
  Matrix3X place;               // of c in the world; NaN: not seen
  VectorX angle;                // plane, rad
  Eigen::Matrix4Xd quaternion;  // space: w, x, y, z
  VectorX place_weight;         // var = σ²/weight of each coordinate
  VectorX turn_weight;          // plane: of θ; space: of a component of δφ, mean of the three
  double noise = 0;             // σ as residuals show it; NaN: no more markers than needed
  struct Marker {
    double rms = 0;  // of its residual
    int seen = 0, rejected = 0;
  };
  std::vector<Marker> markers;
  std::vector<double> residual;  // rms of each frame; NaN: not seen
};

// Throws NumericalError if the markers cannot show a pose: fewer than two (plane), or all on one line (space).
PoseHistory fit_poses(const Matrix3X& reference, const std::vector<Matrix3X>& tracks, const std::vector<double>& times,
                      int dimension);

}  // namespace elodyn
