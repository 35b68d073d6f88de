#include "elodyn/analysis/shapes.hpp"

#include <algorithm>
#include <cmath>

namespace elodyn {

Grid make_grid(const BodySystem& system, const DrawingGrid& drawing, const std::string& name,
               std::vector<PointField> fields, std::vector<GridShape> shapes) {
  Grid grid;
  grid.name = name;
  grid.body = system.body->name;
  grid.shapes = std::move(shapes);
  grid.n_element_faces = drawing.n_element_faces;
  const Mat3 R = calc_R_WB(*system.body);
  grid.points = (R * drawing.points).colwise() + system.body->place;
  grid.cells = drawing.lines;
  grid.faces = drawing.faces;
  grid.fields = std::move(fields);
  static constexpr const char* names[] = {"axis_x", "axis_y", "axis_z"};
  for (size_t a = 0; a < 3; ++a) grid.fields.push_back({names[a], "", drawing.axes[a]});
  for (PointField& field : grid.fields)
    if (field.values.rows() == 3) field.values = (R * field.values).eval();
  return grid;
}

void add_shape(const DrawingGrid& drawing, const std::string& name, const Eigen::VectorXcd& q,
               std::vector<PointField>& fields) {
  const VectorX re = drawing.displacement * q.real(), im = drawing.displacement * q.imag();
  double largest = std::max(std::sqrt((re.array().square() + im.array().square()).maxCoeff()), 1e-300);
  if (drawing.phi.nonZeros() > 0) {
    const VectorX phi_re = drawing.phi * q.real(), phi_im = drawing.phi * q.imag();
    const double largest_phi = std::sqrt((phi_re.array().square() + phi_im.array().square()).maxCoeff());
    const double size = (drawing.points.rowwise().maxCoeff() - drawing.points.rowwise().minCoeff()).norm();
    constexpr double kNoise = 1e-9;  // what round-off leaves of the displacement if φ moves alone
    largest = std::max(largest, kNoise * size * largest_phi);
    const auto add_phi = [&](const char* part, const VectorX& values) {
      fields.push_back({name + "_phi" + part, "", MatrixX(values.transpose() / std::max(largest_phi, 1e-300))});
    };
    add_phi("_re", phi_re);
    if (phi_im.cwiseAbs().maxCoeff() > 1e-12 * largest_phi) add_phi("_im", phi_im);
  }
  const auto add = [&](const char* part, const VectorX& values) {
    fields.push_back({name + part, "", Eigen::Map<const MatrixX>(values.data(), 3, drawing.points.cols()) / largest});
  };
  add("_re", re);
  if (im.cwiseAbs().maxCoeff() > 1e-12 * largest) add("_im", im);
}

}  // namespace elodyn
