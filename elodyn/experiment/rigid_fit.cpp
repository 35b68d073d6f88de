#include "elodyn/experiment/rigid_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "elodyn/base/error.hpp"
#include "elodyn/linalg/lapack.hpp"

namespace elodyn {
namespace {

using Index = Eigen::Index;
using std::numbers::pi;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Pose {
  bool is_found = false;
  Mat3 R = Mat3::Identity();
  double angle = 0;
  Eigen::Vector4d q = Eigen::Vector4d::UnitX();
  Vec3 shift = Vec3::Zero();  // p = R x + shift
};

Eigen::Matrix4d horn_matrix(const Mat3& H) {
  const Vec3 z = {H(1, 2) - H(2, 1), H(2, 0) - H(0, 2), H(0, 1) - H(1, 0)};
  Eigen::Matrix4d N;
  N(0, 0) = H.trace();
  N.block<1, 3>(0, 1) = z.transpose();
  N.block<3, 1>(1, 0) = z;
  N.block<3, 3>(1, 1) = H + H.transpose() - H.trace() * Mat3::Identity();
  return N;
}

class PoseFitter {
 public:
  PoseFitter(const Matrix3X& reference, const std::vector<Matrix3X>& tracks, int dimension)
      : reference_(reference), tracks_(tracks), planar_(dimension == 2) {
    for (Index i = 0; i < reference.cols(); ++i)
      for (Index j = 0; j < i; ++j) size_ = std::max(size_, (reference.col(i) - reference.col(j)).norm());
  }

  bool is_seen(size_t marker, Index frame) const {
    return tracks_[marker].col(frame).head(planar_ ? 2 : 3).allFinite();
  }

  Pose fit(Index frame, const VectorX& weights) const {
    Pose pose;
    Vec3 x = Vec3::Zero(), p = Vec3::Zero();
    double sum = 0;
    int n = 0;
    for (size_t i = 0; i < tracks_.size(); ++i) {
      const double w = weights[static_cast<Index>(i)];
      if (!(w > 0)) continue;
      x += w * reference_.col(static_cast<Index>(i));
      p += w * tracks_[i].col(frame);
      sum += w;
      ++n;
    }
    if (n < (planar_ ? 2 : 3)) return pose;
    x /= sum;
    p /= sum;
    Mat3 H = Mat3::Zero();  // Σ w x̃ p̃ᵀ
    Mat3 spread = Mat3::Zero();
    for (size_t i = 0; i < tracks_.size(); ++i) {
      const double w = weights[static_cast<Index>(i)];
      if (!(w > 0)) continue;
      const Vec3 d = reference_.col(static_cast<Index>(i)) - x;
      H += w * d * (tracks_[i].col(frame) - p).transpose();
      spread += w * d * d.transpose();
    }
    if (!determines(spread / sum)) return pose;
    pose.is_found = true;
    if (planar_) {
      pose.angle = std::atan2(H(0, 1) - H(1, 0), H(0, 0) + H(1, 1));
      const double c = std::cos(pose.angle), s = std::sin(pose.angle);
      pose.R << c, -s, 0, s, c, 0, 0, 0, 1;
    } else {
      MatrixX N = horn_matrix(H), vectors;
      VectorX values;
      symmetric_eigen(N, 3, 3, values, vectors);
      pose.q = vectors.col(0);
      pose.R = Eigen::Quaterniond(pose.q[0], pose.q[1], pose.q[2], pose.q[3]).toRotationMatrix();
    }
    pose.shift = p - pose.R * x;
    return pose;
  }

  Vec3 residual(size_t marker, Index frame, const Pose& pose) const {
    return tracks_[marker].col(frame) - pose.R * reference_.col(static_cast<Index>(marker)) - pose.shift;
  }

  // Whether markers spread like that show all of the turn.
  bool determines(const Mat3& spread) const {
    constexpr double kThin = 1e-3;  // of the size, across
    if (planar_) return spread.trace() > kThin * kThin * size_ * size_;
    MatrixX A = spread, vectors;
    VectorX values;
    symmetric_eigen(A, 1, 1, values, vectors);
    return values[0] > kThin * kThin * size_ * size_;
  }

  double size() const { return size_; }

 private:
  const Matrix3X& reference_;
  const std::vector<Matrix3X>& tracks_;
  bool planar_;
  double size_ = 0;
};

double median(std::vector<double> values) {
  if (values.empty()) return kNaN;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

PoseHistory fit_poses(const Matrix3X& reference, const std::vector<Matrix3X>& tracks, const std::vector<double>& times,
                      int dimension) {
  ELODYN_REQUIRE(reference.cols() == static_cast<Index>(tracks.size()));
  const bool planar = dimension == 2;
  const auto n_frames = static_cast<Index>(times.size());
  const size_t n = tracks.size();
  const PoseFitter fitter(reference, tracks, dimension);
  const Vec3 mean = n > 0 ? Vec3(reference.rowwise().mean()) : Vec3(Vec3::Zero());
  const Matrix3X centred = reference.colwise() - mean;
  if (n < (planar ? 2U : 3U) || !fitter.determines(centred * centred.transpose() / static_cast<double>(n)))
    throw NumericalError(planar ? "two markers at different places are needed for the pose of a body in the plane"
                                : "three markers that are not on one line are needed for the pose of a body in space");
  MatrixX weights = MatrixX::Zero(static_cast<Index>(n), n_frames);
  for (size_t i = 0; i < n; ++i)
    for (Index k = 0; k < n_frames; ++k) weights(static_cast<Index>(i), k) = fitter.is_seen(i, k) ? 1 : 0;
  const MatrixX seen = weights;

  // Where there is more than needed, σ from the median of the residuals, each as large as its share of freedoms lets
  // it.
  const int per_marker = planar ? 2 : 3, per_pose = planar ? 3 : 6;
  const auto find_sigma = [&](const std::vector<Pose>& poses) {
    std::vector<double> sizes;
    for (Index k = 0; k < n_frames; ++k) {
      const double coordinates = per_marker * seen.col(k).sum();
      if (!poses[static_cast<size_t>(k)].is_found || coordinates <= per_pose) continue;
      const double share = std::sqrt((coordinates - per_pose) / coordinates);
      for (size_t i = 0; i < n; ++i)
        if (seen(static_cast<Index>(i), k) > 0)
          sizes.push_back(fitter.residual(i, k, poses[static_cast<size_t>(k)]).norm() / share);
    }
    // Median of the length of a normal vector with variance 1 in each coordinate.
    return median(std::move(sizes)) / (planar ? 1.1774100225154747 : 1.5381722544550522);
  };
  std::vector<Pose> poses(times.size());
  const auto fit_all = [&] {
    for (Index k = 0; k < n_frames; ++k) poses[static_cast<size_t>(k)] = fitter.fit(k, weights.col(k));
  };
  fit_all();
  double sigma = find_sigma(poses);
  constexpr double kRoundOff = 1e-11;  // of the size
  if (sigma > kRoundOff * fitter.size()) {
    constexpr int kPasses = 10;
    constexpr double kHuber = 3, kReject = 6;
    for (int pass = 0; pass <= kPasses; ++pass) {
      for (Index k = 0; k < n_frames; ++k) {
        const Pose& pose = poses[static_cast<size_t>(k)];
        for (size_t i = 0; i < n && pose.is_found; ++i) {
          const auto m = static_cast<Index>(i);
          if (seen(m, k) == 0) continue;
          const double r = fitter.residual(i, k, pose).norm();
          weights(m, k) = pass == kPasses && r > kReject * sigma ? 0 : std::min(1.0, kHuber * sigma / r);
        }
      }
      fit_all();
      sigma = find_sigma(poses);
    }
  }

  PoseHistory out;
  out.dimension = dimension;
  out.times = times;
  out.center = mean;
  out.place = Matrix3X::Constant(3, n_frames, kNaN);
  out.place_weight = out.turn_weight = VectorX::Zero(n_frames);
  if (planar)
    out.angle = VectorX::Constant(n_frames, kNaN);
  else
    out.quaternion = Eigen::Matrix4Xd::Constant(4, n_frames, kNaN);
  out.residual.assign(times.size(), kNaN);
  out.markers.resize(n);
  double squares = 0, freedoms = 0, last_angle = kNaN;
  Eigen::Vector4d last_q = Eigen::Vector4d::Zero();
  for (Index k = 0; k < n_frames; ++k) {
    const Pose& pose = poses[static_cast<size_t>(k)];
    for (size_t i = 0; i < n; ++i) {
      const auto m = static_cast<Index>(i);
      if (seen(m, k) == 0) continue;
      ++out.markers[i].seen;
      if (weights(m, k) == 0) ++out.markers[i].rejected;
    }
    if (!pose.is_found) continue;
    out.place.col(k) = pose.R * mean + pose.shift;
    double sum = 0, of_frame = 0;
    Vec3 x = Vec3::Zero();
    for (size_t i = 0; i < n; ++i) {
      const double w = weights(static_cast<Index>(i), k);
      if (!(w > 0)) continue;
      const double r2 = fitter.residual(i, k, pose).squaredNorm();
      out.markers[i].rms += r2;
      of_frame += r2;
      squares += w * r2;
      sum += w;
      x += w * reference.col(static_cast<Index>(i));
    }
    const double coordinates = per_marker * (weights.col(k).array() > 0).cast<double>().sum();
    if (coordinates > per_pose) freedoms += coordinates - per_pose;
    out.residual[static_cast<size_t>(k)] = std::sqrt(of_frame / (coordinates / per_marker));
    x /= sum;
    Mat3 inertia = Mat3::Zero();
    for (size_t i = 0; i < n; ++i) {
      const Vec3 d = reference.col(static_cast<Index>(i)) - x;
      inertia += weights(static_cast<Index>(i), k) * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
    }
    const double turn = planar ? 1 / inertia(2, 2) : inertia.inverse().trace() / 3;
    out.turn_weight[k] = 1 / turn;
    // The mean of those that are seen is not c: its turn adds to the variance.
    out.place_weight[k] = 1 / (1 / sum + (mean - x).squaredNorm() * turn / (planar ? 2 : 1));
    if (planar) {
      double angle = pose.angle;
      if (std::isfinite(last_angle)) angle += 2 * pi * std::round((last_angle - angle) / (2 * pi));
      out.angle[k] = last_angle = angle;
    } else {
      const Eigen::Vector4d q = pose.q.dot(last_q) < 0 ? Eigen::Vector4d(-pose.q) : pose.q;
      out.quaternion.col(k) = last_q = q;
    }
  }
  for (PoseHistory::Marker& marker : out.markers)
    marker.rms = marker.seen > marker.rejected ? std::sqrt(marker.rms / (marker.seen - marker.rejected)) : kNaN;
  out.noise = freedoms > 0 ? std::sqrt(squares / freedoms) : kNaN;
  return out;
}

}  // namespace elodyn
