#include "elodyn/model/effective_modulus.hpp"

#include <algorithm>

#include "elodyn/base/error.hpp"

namespace elodyn {
namespace {

struct Moduli {
  double bulk, shear;
};

Moduli find_matrix(const Material& m) { return {m.young / (3 * (1 - 2 * m.poisson)), m.shear_modulus()}; }

// (1)
double dilute_bulk_loss(const Moduli& m) { return (3 * m.bulk + 4 * m.shear) / (4 * m.shear); }
double dilute_shear_loss(const Moduli& m) { return 5 * (3 * m.bulk + 4 * m.shear) / (9 * m.bulk + 8 * m.shear); }

void put_spheres(const Moduli& with, Material& m) {
  m.young = 9 * with.bulk * with.shear / (3 * with.bulk + with.shear);
  m.poisson = (3 * with.bulk - 2 * with.shear) / (2 * (3 * with.bulk + with.shear));
}

}  // namespace

double find_porosity_limit(const Material& m) {
  switch (m.porosity_model) {
    case PorosityModel::dilute_spheres:
      return std::min(1 / dilute_bulk_loss(find_matrix(m)), 1 / dilute_shear_loss(find_matrix(m)));
    case PorosityModel::dilute_holes:
      return std::min((1 - m.poisson) / 2, (1 + m.poisson) / 4);
    default:
      return 1;
  }
}

Material calc_effective(const Material& given) {
  Material m = given;
  m.marks = {};
  m.porosity = 0;
  const double c = given.porosity;
  if (c == 0) return m;
  ELODYN_REQUIRE(c > 0 && c < find_porosity_limit(given));
  m.density *= 1 - c;
  const Moduli matrix = find_matrix(given);
  const double K = matrix.bulk, G = matrix.shear, E = given.young, nu = given.poisson;
  switch (given.porosity_model) {
    case PorosityModel::dilute_spheres:
      put_spheres({K * (1 - c * dilute_bulk_loss(matrix)), G * (1 - c * dilute_shear_loss(matrix))}, m);
      break;
    case PorosityModel::mori_tanaka_spheres:
      put_spheres({4 * K * G * (1 - c) / (4 * G + 3 * c * K),
                   G * (1 - c) * (9 * K + 8 * G) / (9 * K + 8 * G + 6 * c * (K + 2 * G))},
                  m);
      break;
    case PorosityModel::dilute_holes: {
      const double k = E / (2 * (1 - nu)) * (1 - 2 * c / (1 - nu)), shear = G * (1 - 4 * c / (1 + nu));
      m.young = 4 * k * shear / (k + shear);
      m.poisson = (k - shear) / (k + shear);
      break;
    }
    case PorosityModel::mori_tanaka_holes:
      m.young = E * (1 - c) / (1 + 2 * c);
      m.poisson = (nu * (1 - c) + c) / (1 + 2 * c);
      break;
  }
  return m;
}

}  // namespace elodyn
