// A swept surface is closed and looks outward: every directed edge has its opposite once, and the volume by the
// divergence theorem is that of the polygon.
#include "elodyn/mesh/sweep.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <utility>

#include <gtest/gtest.h>

namespace elodyn {
namespace {

constexpr double kSinPi12 =
    0.25881904510252076;  // of 15°: the 24-gon in a circle of radius R has the area 12 R² sin 15°

Section tube(double d, double di) {
  Section s;
  s.shape = Section::Shape::tube;
  s.diameter = d;
  s.inner_diameter = di;
  return s;
}

Section circle(double d) {
  Section s;
  s.diameter = d;
  return s;
}

SweepStation station(const Vec3& x, const Mat3& triad, const Section& section) {
  return {x, triad, make_outline(section), make_inner_outline(section)};
}

void expect_watertight(const Surface& surface, int first_point = 0) {
  std::map<std::pair<int, int>, int> edges;
  for (const std::vector<int>& face : surface.faces)
    for (size_t k = 0; k < face.size(); ++k) {
      ++edges[{face[k], face[(k + 1) % face.size()]}];
      EXPECT_TRUE(face[k] >= first_point && face[k] < first_point + surface.points.cols());
    }
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_EQ(edges.count({edge.second, edge.first}), 1u) << edge.first << " " << edge.second;
  }
}

// Σ over the triangles of a fan, x·n dA / 3; above 0 if the faces look outward.
double volume_of(const Surface& surface, int first_point = 0) {
  double six = 0;
  const auto at = [&](int point) { return Vec3(surface.points.col(point - first_point)); };
  for (const std::vector<int>& face : surface.faces)
    for (size_t k = 1; k + 1 < face.size(); ++k) six += at(face[0]).dot(at(face[k]).cross(at(face[k + 1])));
  return six / 6;
}

Mat3 skew_triad() {
  return (Eigen::AngleAxisd(0.7, Vec3::UnitX()) * Eigen::AngleAxisd(-1.1, Vec3::UnitY()) *
          Eigen::AngleAxisd(2.0, Vec3::UnitZ()))
      .toRotationMatrix();
}

TEST(Sweep, RoundBarInAnyDirection) {
  const Mat3 triad = skew_triad();
  std::vector<SweepStation> stations;
  for (const double s : {0.0, 0.5, 2.0, 3.0})
    stations.push_back(station(Vec3(1, 2, 3) + s * triad.col(0), triad, circle(0.4)));
  const Surface surface = sweep(stations);
  EXPECT_EQ(surface.points.cols(), 4 * 24);
  EXPECT_EQ(surface.faces.size(), 3u * 24 + 2);
  expect_watertight(surface);
  EXPECT_NEAR(volume_of(surface), 12 * 0.04 * kSinPi12 * 3, 1e-13);
  // Corner k of station i is point 24 i + k.
  EXPECT_NEAR((surface.points.col(2 * 24) - stations[2].x - 0.2 * triad.col(1)).norm(), 0, 1e-15);
  EXPECT_NEAR((surface.points.col(2 * 24 + 6) - stations[2].x - 0.2 * triad.col(2)).norm(), 0, 1e-15);
}

TEST(Sweep, HollowBar) {
  const Mat3 triad = skew_triad();
  const Surface surface =
      sweep({station(Vec3::Zero(), triad, tube(2, 1)), station(5 * triad.col(0), triad, tube(2, 1))}, 100);
  EXPECT_EQ(surface.points.cols(), 2 * 48);
  EXPECT_EQ(surface.faces.size(), 2u * 24 + 2 * 24);
  expect_watertight(surface, 100);
  EXPECT_NEAR(volume_of(surface, 100), 12 * (1 - 0.25) * kSinPi12 * 5, 1e-13);
  // the hole follows the outline
  EXPECT_NEAR((surface.points.col(24) - 0.5 * triad.col(1)).norm(), 0, 1e-15);
}

TEST(Sweep, TaperedRectangle) {
  Section thick, thin;
  thick.shape = thin.shape = Section::Shape::rectangle;
  thick.width = 2;
  thick.height = 4;
  thin.width = 1;
  thin.height = 2;
  std::vector<SweepStation> stations;
  for (const double s : {0.0, 0.25, 1.0})
    stations.push_back(station({3 * s, 0, 0}, Mat3::Identity(), interpolate(thick, thin, s)));
  const Surface surface = sweep(stations);
  expect_watertight(surface);
  EXPECT_NEAR(volume_of(surface), 3.0 / 3 * (8 + 2 + std::sqrt(8 * 2)), 1e-14);  // frustum
  for (const std::vector<int>& face : surface.faces) EXPECT_EQ(face.size(), 4u);
}

// Bent into half a ring with the triad turning along: Pappus' volume, less what 60 chords cut off.
TEST(Sweep, BentBar) {
  std::vector<SweepStation> stations;
  const int n = 60;
  for (int i = 0; i <= n; ++i) {
    const Mat3 turn = Eigen::AngleAxisd(std::numbers::pi * i / n, Vec3::UnitZ()).toRotationMatrix();
    Mat3 triad;  // t tangent to the ring, n inward
    triad << turn.col(1), -turn.col(0), Vec3::UnitZ();
    stations.push_back(station(2 * turn.col(0), triad, circle(1)));
  }
  const Surface surface = sweep(stations);
  expect_watertight(surface);
  const double wanted = 12 * 0.25 * kSinPi12 * 2 * std::numbers::pi;
  EXPECT_LT(volume_of(surface), wanted);
  EXPECT_NEAR(volume_of(surface) / wanted, 1, std::pow(std::numbers::pi / n, 2));
}

TEST(Sweep, StationsThatDoNotFitAreOurBug) {
  const SweepStation round = station(Vec3::Zero(), Mat3::Identity(), circle(1));
  const SweepStation hollow = station(Vec3::UnitX(), Mat3::Identity(), tube(1, 0.5));
  EXPECT_THROW(sweep({round}), std::logic_error);
  EXPECT_THROW(sweep({round, hollow}), std::logic_error);
  EXPECT_THROW(sweep({hollow, round}), std::logic_error);
}

}  // namespace
}  // namespace elodyn
