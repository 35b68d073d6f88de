#include "elodyn/model/material.hpp"

#include <stdexcept>

namespace elodyn {

Mat3 calc_plane_law(const Material& m, PlaneState state) {
  const double E1 = m.young, E2 = m.young_2.value_or(m.young), E3 = m.young_3.value_or(m.young);
  const double nu_13 = m.poisson_13.value_or(m.poisson), nu_23 = m.poisson_23.value_or(m.poisson);
  Eigen::Matrix2d compliance;
  compliance << 1 / E1, -m.poisson / E1, -m.poisson / E1, 1 / E2;
  if (state == PlaneState::strain) {  // σ₃₃ = ν₁₃E₃/E₁ σ₁₁ + ν₂₃E₃/E₂ σ₂₂
    const Eigen::Vector2d across(-nu_13 / E1, -nu_23 / E2);
    compliance -= E3 * across * across.transpose();
  }
  const double determinant = compliance.determinant();
  if (!(compliance(0, 0) > 0) || !(determinant > 0))
    throw std::invalid_argument("the compliance of material `" + m.name + "` is not positive");
  Mat3 D = Mat3::Zero();
  D.topLeftCorner<2, 2>() << compliance(1, 1), -compliance(0, 1), -compliance(0, 1), compliance(0, 0);
  D.topLeftCorner<2, 2>() /= determinant;
  D(2, 2) = m.shear_12.value_or(m.shear_modulus());
  return D;
}

Vec3 calc_free_strain(const Material& m, PlaneState state) {
  if (state == PlaneState::stress) return {1, 1, 0};
  const double E3 = m.young_3.value_or(m.young);
  return {1 + m.poisson_13.value_or(m.poisson) * E3 / m.young,
          1 + m.poisson_23.value_or(m.poisson) * E3 / m.young_2.value_or(m.young), 0};
}

Eigen::Matrix2d calc_shear_law(const Material& m) {
  const double in_plane = m.shear_12.value_or(m.shear_modulus());
  return Eigen::Vector2d(m.shear_13.value_or(in_plane), m.shear_23.value_or(in_plane)).asDiagonal();
}

}  // namespace elodyn
