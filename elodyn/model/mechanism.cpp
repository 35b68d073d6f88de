#include "elodyn/model/mechanism.hpp"

#include <array>

namespace elodyn {

std::optional<BodyPoint> parse_body_point(const std::string& text) {
  const size_t dot = text.find('.');
  if (dot == text.npos || dot == 0 || dot + 1 == text.size()) return std::nullopt;
  return BodyPoint{text.substr(0, dot), text.substr(dot + 1)};
}

const char* Joint::kind_name() const {
  static constexpr std::array names = {"revolute", "prismatic",     "cylindrical", "universal", "spherical",
                                       "fixed",    "point_on_line", "rolling",     "knife_edge"};
  return names[static_cast<size_t>(kind)];
}

int n_coordinates(Joint::Kind kind, bool planar) {
  switch (kind) {
    case Joint::Kind::revolute:
    case Joint::Kind::prismatic:
    case Joint::Kind::point_on_line:
      return 1;
    case Joint::Kind::cylindrical:
    case Joint::Kind::universal:
      return 2;
    case Joint::Kind::rolling:
      return planar ? 1 : 0;
    default:
      return 0;
  }
}

std::optional<Dimension> coordinate_dimension(Joint::Kind kind, int k, bool planar) {
  if (k < 0 || k >= n_coordinates(kind, planar)) return std::nullopt;
  const bool is_angle = kind == Joint::Kind::revolute || kind == Joint::Kind::universal || k == 1;
  return is_angle ? kAngle : kLength;
}

}  // namespace elodyn
