// Gauss–Legendre rules on [0, 1]: n points are exact for polynomials of degree 2n − 1.
#pragma once

#include <vector>

namespace elodyn {

struct GaussPoint {
  double xi = 0;
  double weight = 0;
};

// n from 1 to 16; computed once for each n and kept.
const std::vector<GaussPoint>& gauss_rule(int n);

}  // namespace elodyn
