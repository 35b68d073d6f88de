#include "elodyn/mesh/sweep.hpp"

#include <algorithm>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

// Numbers of the points, which stand station by station, and the faces between them.
class FaceMaker {
 public:
  FaceMaker(int corners, bool is_hollow, int first_point, std::vector<std::vector<int>>& faces)
      : corners_(corners), is_hollow_(is_hollow), first_point_(first_point), faces_(faces) {}

  void add_sides(int station) {
    const int next = station + 1;
    for (int k = 0; k < corners_; ++k) {
      faces_.push_back({outer(station, k), outer(station, k + 1), outer(next, k + 1), outer(next, k)});
      if (is_hollow_) faces_.push_back({inner(station, k), inner(next, k), inner(next, k + 1), inner(station, k + 1)});
    }
  }

  // A cap that faces +t, or with `backward` −t: one polygon, around a hole a ring of quadrilaterals.
  void add_cap(int station, bool backward) {
    const size_t first = faces_.size();
    if (is_hollow_) {
      for (int k = 0; k < corners_; ++k)
        faces_.push_back({outer(station, k), outer(station, k + 1), inner(station, k + 1), inner(station, k)});
    } else {
      faces_.emplace_back();
      for (int k = 0; k < corners_; ++k) faces_.back().push_back(outer(station, k));
    }
    if (!backward) return;
    for (size_t f = first; f < faces_.size(); ++f) std::reverse(faces_[f].begin(), faces_[f].end());
  }

 private:
  int outer(int station, int k) const {
    return first_point_ + station * (is_hollow_ ? 2 : 1) * corners_ + k % corners_;
  }
  int inner(int station, int k) const { return outer(station, k) + corners_; }

  int corners_;
  bool is_hollow_;
  int first_point_;
  std::vector<std::vector<int>>& faces_;
};

}  // namespace

Surface sweep(const std::vector<SweepStation>& stations, int first_point) {
  ELODYN_REQUIRE(stations.size() >= 2 && stations[0].outline.size() >= 3);
  const size_t corners = stations[0].outline.size();
  const bool is_hollow = !stations[0].inner.empty();
  const int n = static_cast<int>(stations.size());
  Surface surface;
  surface.points.resize(3, static_cast<Eigen::Index>(stations.size() * corners * (is_hollow ? 2 : 1)));
  Eigen::Index point = 0;
  for (const SweepStation& station : stations) {
    ELODYN_REQUIRE(station.outline.size() == corners && station.inner.size() == (is_hollow ? corners : 0));
    for (const Outline* outline : {&station.outline, &station.inner})
      for (const Eigen::Vector2d& corner : *outline)
        surface.points.col(point++) = station.x + station.triad.rightCols<2>() * corner;
  }
  FaceMaker maker(static_cast<int>(corners), is_hollow, first_point, surface.faces);
  for (int i = 0; i + 1 < n; ++i) maker.add_sides(i);
  maker.add_cap(0, true);
  maker.add_cap(n - 1, false);
  return surface;
}

}  // namespace elodyn
