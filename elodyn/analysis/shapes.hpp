// Shapes of a body as fields for drawing; what modes and buckling share.
#pragma once

#include <string>

#include "elodyn/results/results.hpp"
#include "elodyn/system/recovery.hpp"

namespace elodyn {

// Adds the displacement of the shape q, of unit size, as `name`_re, and `name`_im if it has an imaginary part.
void add_shape(const DrawingGrid& drawing, const std::string& name, const Eigen::VectorXcd& q, Grid& grid);

}  // namespace elodyn
