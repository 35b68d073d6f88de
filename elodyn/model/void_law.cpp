#include "elodyn/model/void_law.hpp"

#include "elodyn/base/error.hpp"
#include "elodyn/base/text.hpp"
#include "elodyn/model/surface_kind.hpp"

namespace elodyn {

VoidState void_state(PlaneState state, bool is_bar) {
  if (state == PlaneState::stress) return is_bar ? VoidState::uniaxial_stress : VoidState::plane_stress;
  return is_bar ? VoidState::uniaxial_strain : VoidState::plane_strain;
}

double calc_lambda(const Material& m) { return m.young * m.poisson / ((1 + m.poisson) * (1 - 2 * m.poisson)); }

double calc_uniaxial_modulus(const Material& m, PlaneState state) {
  return state == PlaneState::stress ? m.young : calc_lambda(m) + 2 * m.shear_modulus();
}

VoidLaw calc_void_law(const Material& m, VoidState state) {
  ELODYN_REQUIRE(m.has_all_void_constants());
  VoidLaw law{*m.void_alpha, *m.void_beta, *m.void_xi, *m.void_kappa, m.void_tau};
  const double lambda = calc_lambda(m), mu = m.shear_modulus(), beta = law.beta;
  if (state == VoidState::plane_stress) {
    law.beta = 2 * mu * beta / (lambda + 2 * mu);
    law.xi -= beta * beta / (lambda + 2 * mu);
  } else if (state == VoidState::uniaxial_stress) {
    law.beta = mu * beta / (lambda + mu);
    law.xi -= beta * beta / (lambda + mu);
  } else {  // σ = A f + βg − (3λ + 2μ) and dβf + ξg − 3β vanish, with d strains that are not held
    const int d = state == VoidState::plane_strain ? 2 : 1;
    Eigen::Matrix2d A;
    A << d * lambda + 2 * mu, beta, d * beta, law.xi;
    const Eigen::Vector2d free = A.inverse() * Eigen::Vector2d(3 * lambda + 2 * mu, 3 * beta);
    law.free_strain = free[0];
    law.free_phi = free[1];
  }
  return law;
}

std::string find_broken_inequality(const Material& m, VoidState state) {
  const double lambda = calc_lambda(m), mu = m.shear_modulus(), xi = *m.void_xi, square = *m.void_beta * *m.void_beta;
  const auto compare = [](const char* left, double is, const char* right, double bound) -> std::string {
    if (is > bound) return {};
    return std::string(left) + " = " + shortest(is) + ", must be above " + right + " = " + shortest(bound);
  };
  switch (state) {
    case VoidState::plane_strain:
      return compare("(λ + μ)ξ", (lambda + mu) * xi, "β²", square);
    case VoidState::uniaxial_strain:
      return compare("(λ + 2μ)ξ", (lambda + 2 * mu) * xi, "β²", square);
    default:
      return compare("(3λ + 2μ)ξ", (3 * lambda + 2 * mu) * xi, "3β²", 3 * square);
  }
}

bool has_voids(std::string_view element) {
  const SurfaceKind* kind = find_surface_kind(element);
  return element == kVoidsBar || (kind != nullptr && kind->has_voids);
}

}  // namespace elodyn
