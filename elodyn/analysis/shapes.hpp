// Bodies and their shapes as grids for drawing; what static, modes and buckling share.
#pragma once

#include <string>
#include <vector>

#include "elodyn/results/results.hpp"
#include "elodyn/system/recovery.hpp"

namespace elodyn {

// The members' axes as polylines, their sections as a swept surface, the fields, and the members' local axes after
// them.
// Points and vectors are turned from body to world axes: a body stands where its place and attitude put it.
Grid make_grid(const BodySystem& system, const DrawingGrid& drawing, const std::string& name,
               std::vector<PointField> fields, std::vector<GridShape> shapes);

// Adds the displacement of the shape q, of unit size, as `name`_re, and `name`_im if it has an imaginary part; of a
// material with voids φ too, of unit size, as `name`_phi_re and `name`_phi_im.
void add_shape(const DrawingGrid& drawing, const std::string& name, const Eigen::VectorXcd& q,
               std::vector<PointField>& fields);

}  // namespace elodyn
