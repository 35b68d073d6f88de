#include "elodyn/model/area_grid.hpp"

#include <algorithm>

namespace elodyn {

AreaGrid::AreaGrid(const Body& body, const Area& area, const SurfaceKind& kind)
    : step_(kind.has_middles ? 2 : 1),
      nx_(step_ * area.nx.value),
      ny_(step_ * area.ny.value),
      has_centres_(kind.n_corners == 3) {
  for (size_t k = 0; k < 4; ++k) {
    const Point* corner = body.find_point(area.corners[k].value);
    ELODYN_REQUIRE(corner != nullptr);
    corners_[k] = corner->x;
  }
}

double AreaGrid::size() const {
  return std::max((corners_[2] - corners_[0]).norm(), (corners_[3] - corners_[1]).norm());
}

bool AreaGrid::has_node(int i, int j) const { return has_centres_ || step_ == 1 || i % 2 == 0 || j % 2 == 0; }

Vec3 AreaGrid::place(int i, int j) const {
  const double s = static_cast<double>(i) / nx_, t = static_cast<double>(j) / ny_;
  return (1 - t) * ((1 - s) * corners_[0] + s * corners_[1]) + t * ((1 - s) * corners_[3] + s * corners_[2]);
}

}  // namespace elodyn
