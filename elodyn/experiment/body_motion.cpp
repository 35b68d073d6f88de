#include "elodyn/experiment/body_motion.hpp"

#include <algorithm>
#include <cmath>

#include "elodyn/base/rotation.hpp"

namespace elodyn {
namespace {

using Index = Eigen::Index;

// The vector part of p q̄ is G(q) p.
Eigen::Matrix<double, 3, 4> right_matrix(const Eigen::Vector4d& q) {
  Eigen::Matrix<double, 3, 4> G;
  G.col(0) = -q.tail<3>();
  G.rightCols<3>() = q[0] * Mat3::Identity() + skew(q.tail<3>());
  return G;
}

// Frames that lie in gaps longer than that, or before the first or after the last pose.
std::vector<bool> find_unknown(const PoseHistory& poses, int longest_gap) {
  const size_t n = poses.times.size();
  std::vector<bool> out(n, false);
  for (size_t k = 0; k < n;) {
    size_t end = k;
    while (end < n && !std::isfinite(poses.place(0, static_cast<Index>(end)))) ++end;
    const bool is_long = end - k > static_cast<size_t>(std::max(0, longest_gap));
    if (end > k && (k == 0 || end == n || is_long))
      std::fill(out.begin() + static_cast<std::ptrdiff_t>(k), out.begin() + static_cast<std::ptrdiff_t>(end), true);
    k = std::max(end, k + 1);
  }
  return out;
}

}  // namespace

BodyInstant move_to(const BodyInstant& at, const Vec3& d) {
  BodyInstant out = at;
  const Vec3 s = at.R * d, ws = at.w.cross(s);
  out.p += s;
  out.v += ws;
  out.a += at.e.cross(s) + at.w.cross(ws);
  Mat18 J = Mat18::Identity();
  const Mat3 S = skew(s), W = skew(at.w);
  J.block<3, 3>(0, 3) = -S;
  J.block<3, 3>(6, 3) = -W * S;
  J.block<3, 3>(6, 9) = -S;
  J.block<3, 3>(12, 3) = -(skew(at.e) + W * W) * S;
  J.block<3, 3>(12, 9) = -skew(ws) - W * S;
  J.block<3, 3>(12, 15) = -S;
  out.covariance = J * at.covariance * J.transpose();
  out.change = J * at.change;
  return out;
}

BodyMotion find_motion(const PoseHistory& poses, const FilterOptions& options, int longest_gap) {
  BodyMotion out;
  out.dimension = poses.dimension;
  out.times = poses.times;
  out.point = poses.center;
  out.instants.resize(poses.times.size());
  const bool planar = poses.dimension == 2;
  const std::vector<bool> unknown = find_unknown(poses, longest_gap);
  std::vector<Differentiated> place, turn;
  std::vector<bool> is_out(poses.times.size(), false);
  double squares = 0;
  const auto add = [&](std::vector<Differentiated>& all, const VectorX& values, const VectorX& weights) {
    Differentiated d = differentiate(poses.times, values, weights, options);
    for (const int k : d.outliers) is_out[static_cast<size_t>(k)] = true;
    squares += d.noise * d.noise;
    all.push_back(std::move(d));
  };
  for (int i = 0; i < poses.dimension; ++i) add(place, poses.place.row(i).transpose(), poses.place_weight);
  if (planar)
    add(turn, poses.angle, poses.turn_weight);
  else
    for (int i = 0; i < 4; ++i)  // δq = φ q/2: half of the angle
      add(turn, poses.quaternion.row(i).transpose(), 4 * poses.turn_weight);
  out.noise = std::sqrt(squares / static_cast<double>(place.size() + turn.size()));
  out.smoothing = place.front().smoothing;
  out.window = place.front().window;
  out.n_outliers = static_cast<int>(std::count(is_out.begin(), is_out.end(), true));
  for (size_t k = 0; k < out.instants.size(); ++k) {
    const auto i = static_cast<Index>(k);
    if (!std::isfinite(poses.place(0, i))) ++out.n_gaps;
    BodyInstant& at = out.instants[k];
    at.is_known = !unknown[k] && std::isfinite(place.front().x[i]) && std::isfinite(turn.front().x[i]);
    if (!at.is_known) continue;
    for (int c = 0; c < poses.dimension; ++c) {
      const Differentiated& d = place[static_cast<size_t>(c)];
      at.p[c] = d.x[i];
      at.v[c] = d.v[i];
      at.a[c] = d.a[i];
      for (int a = 0; a < 3; ++a) at.change[6 * a + c] = d.change(a, i);
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) at.covariance(6 * a + c, 6 * b + c) = d.covariance[k](a, b);
    }
    if (planar) {
      const Differentiated& d = turn.front();
      at.angle = d.x[i];
      at.R << std::cos(at.angle), -std::sin(at.angle), 0, std::sin(at.angle), std::cos(at.angle), 0, 0, 0, 1;
      at.w[2] = d.v[i];
      at.e[2] = d.a[i];
      for (int a = 0; a < 3; ++a) at.change[6 * a + 5] = d.change(a, i);
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) at.covariance(6 * a + 5, 6 * b + 5) = d.covariance[k](a, b);
      continue;
    }
    Eigen::Vector4d q, rate, second;
    for (int c = 0; c < 4; ++c) {
      q[c] = turn[static_cast<size_t>(c)].x[i];
      rate[c] = turn[static_cast<size_t>(c)].v[i];
      second[c] = turn[static_cast<size_t>(c)].a[i];
    }
    const double length = q.norm();
    q /= length;
    rate /= length;
    second /= length;
    at.R = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    const Eigen::Matrix<double, 3, 4> G = right_matrix(q);
    at.w = 2 * G * rate;
    at.e = 2 * G * second;
    Eigen::Matrix<double, 9, 12> J = Eigen::Matrix<double, 9, 12>::Zero();
    for (int a = 0; a < 3; ++a) J.block<3, 4>(3 * a, 4 * a) = 2 * G;
    J.block<3, 4>(3, 0) = -2 * right_matrix(rate);
    J.block<3, 4>(6, 0) = -2 * right_matrix(second);
    Eigen::Matrix<double, 12, 12> of_q = Eigen::Matrix<double, 12, 12>::Zero();
    for (int c = 0; c < 4; ++c)
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) of_q(4 * a + c, 4 * b + c) = turn[static_cast<size_t>(c)].covariance[k](a, b);
    Eigen::Matrix<double, 12, 1> change;
    for (int c = 0; c < 4; ++c)
      for (int a = 0; a < 3; ++a) change[4 * a + c] = turn[static_cast<size_t>(c)].change(a, i);
    const Eigen::Matrix<double, 9, 1> change_of_turn = J * change;
    for (int a = 0; a < 3; ++a) at.change.segment<3>(6 * a + 3) = change_of_turn.segment<3>(3 * a);
    const Eigen::Matrix<double, 9, 9> of_turn = J * of_q * J.transpose();
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) at.covariance.block<3, 3>(6 * a + 3, 6 * b + 3) = of_turn.block<3, 3>(3 * a, 3 * b);
  }
  return out;
}

}  // namespace elodyn
