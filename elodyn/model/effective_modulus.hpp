// Moduli of a material with empty pores from those of its matrix and the share c of pores, by named models.
//
// Spheres, K and G of the matrix:
//   dilute: each pore in the strain of the whole [Eshelby1957]
//     K* = K(1 − c(3K + 4G)/(4G)),   G* = G(1 − 5c(3K + 4G)/(9K + 8G))                                  (1)
//   Mori–Tanaka: each pore in the mean stress of the matrix [Benveniste1987]
//     K* = 4KG(1 − c)/(4G + 3cK),   G* = G(1 − c)(9K + 8G)/(9K + 8G + 6c(K + 2G))                       (2)
//   which is the upper bound of [HashinShtrikman1963] for pores.
// Holes: circular, across a sheet in plane stress, with its area modulus k = E/(2(1 − ν)). The strain that holes add to
// a sheet under σ is c(4σ − tr σ 1)/E [Kachanov1993]:
//   dilute         k* = k(1 − 2c/(1 − ν)),   G* = G(1 − 4c/(1 + ν))                                     (3)
//   Mori–Tanaka    E* = E(1 − c)/(1 + 2c),   ν* = (ν(1 − c) + c)/(1 + 2c)                               (4)
//   with E = 4kG/(k + G), ν = (k − G)/(k + G); E* and ν* hold in the plane of the sheet alone.
// Density: ρ* = ρ(1 − c).
// Limits: isotropic; pores of one shape in no order; the dilute models neglect that pores feel each other and fail
// where a modulus reaches zero, find_porosity_limit().
#pragma once

#include "elodyn/model/material.hpp"

namespace elodyn {

// The material with the moduli and the density that its pores leave, and no pores; without marks. Porosity must be
// below find_porosity_limit().
Material calc_effective(const Material& material);

// Below which share of pores the moduli of the material's model are above zero.
double find_porosity_limit(const Material& material);

}  // namespace elodyn
