#include "elodyn/experiment/rigid_fit.hpp"

#include <cmath>
#include <numbers>

#include "tests/support/tolerance.hpp"
#include <gtest/gtest.h>

#include "elodyn/base/error.hpp"
#include "elodyn/base/random.hpp"
#include "elodyn/experiment/body_motion.hpp"

namespace elodyn {
namespace {

using Index = Eigen::Index;

std::vector<Matrix3X> make_tracks(const Matrix3X& reference, const std::vector<Mat3>& R, const std::vector<Vec3>& p,
                                  double sigma, int dimension, std::uint64_t seed) {
  Random random(seed);
  std::vector<Matrix3X> tracks(static_cast<size_t>(reference.cols()), Matrix3X(3, static_cast<Index>(R.size())));
  for (size_t k = 0; k < R.size(); ++k)
    for (Index m = 0; m < reference.cols(); ++m) {
      Vec3 x = p[k] + R[k] * reference.col(m);
      for (int i = 0; i < dimension; ++i) x[i] += sigma * random.normal();
      tracks[static_cast<size_t>(m)].col(static_cast<Index>(k)) = x;
    }
  return tracks;
}
std::vector<double> frames(size_t n) {
  std::vector<double> t;
  for (size_t k = 0; k < n; ++k) t.push_back(static_cast<double>(k) / 240);
  return t;
}
Mat3 turn(double angle, const Vec3& axis = Vec3::UnitZ()) {
  return Eigen::AngleAxisd(angle, axis.normalized()).toRotationMatrix();
}

TEST(RigidFit, poses_without_noise_are_met_over_whole_turns) {
  Matrix3X reference(3, 3);
  reference << 0, 0.3, 0.5, 0, 0.01, 0, 0, 0, 0;
  std::vector<Mat3> R;
  std::vector<Vec3> p;
  for (int k = 0; k < 100; ++k) {
    R.push_back(turn(0.3 * k - 1));
    p.emplace_back(std::cos(0.1 * k), 0.2 * k, 0);
  }
  const PoseHistory poses = fit_poses(reference, make_tracks(reference, R, p, 0, 2, 1), frames(100), 2);
  for (Index k = 0; k < 100; ++k) {
    EXPECT_NEAR(poses.angle[k] - poses.angle[0], 0.3 * static_cast<double>(k), test::roundoff(10, 100));
    const Vec3 wanted = p[static_cast<size_t>(k)] + R[static_cast<size_t>(k)] * poses.center;
    EXPECT_LT((poses.place.col(k) - wanted).norm(), test::roundoff(10, 30));
  }
}

TEST(RigidFit, poses_in_space_are_met_without_change_of_sign) {
  Matrix3X reference(3, 4);
  reference << 0, 0.3, 0.1, 0.2, 0, 0.01, 0.2, 0, 0, 0, 0, 0.1;
  std::vector<Mat3> R;
  std::vector<Vec3> p;
  for (int k = 0; k < 100; ++k) {
    R.push_back(turn(0.2 * k, Vec3(1, 2, -1)) * turn(0.05 * k, Vec3::UnitX()));
    p.emplace_back(std::cos(0.1 * k), 0.2 * k, -1);
  }
  const PoseHistory poses = fit_poses(reference, make_tracks(reference, R, p, 0, 3, 1), frames(100), 3);
  for (Index k = 0; k < 100; ++k) {
    const Eigen::Vector4d q = poses.quaternion.col(k);
    EXPECT_LT((Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix() - R[static_cast<size_t>(k)]).norm(),
              1e-12);
    if (k > 0) {
      EXPECT_GT(q.dot(poses.quaternion.col(k - 1)), 0.9);
    }
  }
}

TEST(RigidFit, scatter_is_that_of_the_formula) {
  Matrix3X reference(3, 5);
  reference << 0.05, 0.16, 0.275, 0.39, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0;
  constexpr size_t kFrames = 2000;
  const double sigma = 3e-4;
  const PoseHistory poses = fit_poses(reference,
                                      make_tracks(reference, std::vector<Mat3>(kFrames, turn(0.4)),
                                                  std::vector<Vec3>(kFrames, Vec3(1, 2, 0)), sigma, 2, 5),
                                      frames(kFrames), 2);
  const double spread = (reference.row(0).array() - reference.row(0).mean()).square().sum();
  double angle = 0, place = 0;
  for (Index k = 0; k < Index{kFrames}; ++k) {
    angle += std::pow(poses.angle[k] - 0.4, 2) / kFrames;
    place += (poses.place.col(k) - Vec3(1, 2, 0) - turn(0.4) * poses.center).squaredNorm() / (2 * kFrames);
  }
  // Four deviations of a variance of 2000, and 2 % for the weights, which are below 1 for 1 of 90 residuals.
  const double tolerance = 4 * std::sqrt(2.0 / kFrames) + 0.02;
  EXPECT_NEAR(angle / (sigma * sigma / spread), 1, tolerance);
  EXPECT_NEAR(place / (sigma * sigma / 5), 1, tolerance);
  EXPECT_NEAR(poses.noise / sigma, 1, 0.03);
  EXPECT_NEAR(poses.turn_weight.mean() / spread, 1, 0.02);
}

TEST(RigidFit, a_wrong_marker_is_left_out_of_its_frame_and_a_hidden_one_does_no_harm) {
  Matrix3X reference(3, 5);
  reference << 0.05, 0.16, 0.275, 0.39, 0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0;
  const double sigma = 3e-4;
  std::vector<Matrix3X> tracks =
      make_tracks(reference, std::vector<Mat3>(200, turn(0.4)), std::vector<Vec3>(200, Vec3::Zero()), sigma, 2, 5);
  tracks[2].col(50) += Vec3(0.02, -0.01, 0);
  tracks[0].col(80) += Vec3(0, 0.03, 0);
  tracks[4].col(120).setConstant(std::nan(""));
  for (const size_t m : {0U, 1U, 2U, 3U}) tracks[m].col(150).setConstant(std::nan(""));
  const PoseHistory poses = fit_poses(reference, tracks, frames(200), 2);
  EXPECT_EQ(poses.markers[2].rejected, 1);
  EXPECT_EQ(poses.markers[0].rejected, 1);
  EXPECT_EQ(poses.markers[4].seen, 199);
  for (const Index k : {50, 80, 120}) EXPECT_NEAR(poses.angle[k], 0.4, 5 * sigma / std::sqrt(poses.turn_weight[k]));
  EXPECT_LT(poses.turn_weight[120], poses.turn_weight[121]);
  EXPECT_TRUE(std::isnan(poses.angle[150]));
  EXPECT_NEAR(poses.noise, sigma, 0.1 * sigma);
}

TEST(RigidFit, markers_that_show_no_pose_are_said) {
  Matrix3X line(3, 3);
  line << 0, 1, 2, 0, 0, 0, 0, 0, 0;
  const std::vector<Matrix3X> tracks(3, Matrix3X::Zero(3, 10));
  EXPECT_THROW(fit_poses(line, tracks, frames(10), 3), NumericalError);
  EXPECT_THROW(fit_poses(line.leftCols(1), {tracks[0]}, frames(10), 2), NumericalError);
}

// A body that turns about an axis that turns: angular velocity and acceleration in world axes, and at another point.
TEST(BodyMotion, of_a_top_in_space) {
  constexpr double kSpin = 12, kTilt = 0.6, kPrecession = 3;
  Matrix3X reference(3, 4);
  reference << 0.1, -0.1, 0, 0, 0, 0.1, 0.15, -0.1, 0, 0, 0.05, 0.2;
  const std::vector<double> times = frames(360);
  std::vector<Mat3> R;
  std::vector<Vec3> p;
  for (const double t : times) {
    R.push_back(turn(kPrecession * t) * turn(kTilt, Vec3::UnitX()) * turn(kSpin * t));
    p.emplace_back(0.1 * std::sin(5 * t), 0, 0.02 * std::cos(7 * t));
  }
  int n = 0, inside = 0;
  for (int run = 0; run < 10; ++run) {
    const PoseHistory poses =
        fit_poses(reference, make_tracks(reference, R, p, 2e-4, 3, static_cast<std::uint64_t>(run)), times, 3);
    const BodyMotion motion = find_motion(poses, {}, 5);
    for (size_t k = 40; k < 320; k += 5) {
      const double t = times[k];
      const Vec3 axis = turn(kPrecession * t) * turn(kTilt, Vec3::UnitX()) * Vec3::UnitZ();
      const Vec3 up = kPrecession * Vec3::UnitZ(), w = up + kSpin * axis, e = up.cross(kSpin * axis);
      const Vec3 d(0.3, -0.1, 0.2);  // from the origin
      const Vec3 s = R[k] * d;
      const Vec3 a = Vec3(-2.5 * std::sin(5 * t), 0, -0.98 * std::cos(7 * t)) + e.cross(s) + w.cross(w.cross(s));
      const BodyInstant at = move_to(motion.instants[k], d - motion.point);
      const auto deviation = [&](Index i) { return std::sqrt(at.covariance(i, i)); };
      for (Index i = 0; i < 3; ++i) {
        EXPECT_NEAR(at.w[i], w[i], 6 * deviation(9 + i));
        for (const auto& [error, sigma] :
             {std::pair{at.a[i] - a[i], deviation(12 + i)}, std::pair{at.e[i] - e[i], deviation(15 + i)}}) {
          ++n;
          inside += std::abs(error) < 1.96 * sigma ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GE(inside, 0.9 * n);
  EXPECT_LE(inside, 0.99 * n);
}

TEST(BodyMotion, long_gaps_are_not_bridged) {
  Matrix3X reference(3, 2);
  reference << 0, 0.5, 0, 0, 0, 0;
  std::vector<Matrix3X> tracks =
      make_tracks(reference, std::vector<Mat3>(100, turn(0.1)), std::vector<Vec3>(100, Vec3::Zero()), 1e-4, 2, 2);
  for (Index k = 20; k < 24; ++k) tracks[0].col(k).setConstant(std::nan(""));
  for (Index k = 60; k < 70; ++k) tracks[1].col(k).setConstant(std::nan(""));
  const BodyMotion motion = find_motion(fit_poses(reference, tracks, frames(100), 2), {}, 5);
  EXPECT_TRUE(motion.instants[22].is_known);
  EXPECT_FALSE(motion.instants[60].is_known);
  EXPECT_FALSE(motion.instants[69].is_known);
  EXPECT_TRUE(motion.instants[70].is_known);
  EXPECT_EQ(motion.n_gaps, 14);
}

}  // namespace
}  // namespace elodyn
