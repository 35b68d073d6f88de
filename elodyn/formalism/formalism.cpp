#include "elodyn/formalism/formalism.hpp"

namespace elodyn {

std::vector<std::pair<int, int>> MotionBasis::pairs() const {
  std::vector<std::pair<int, int>> out;
  for (int i = 0; i < static_cast<int>(axes.size()); ++i)
    for (int j = i; j < static_cast<int>(axes.size()); ++j) out.emplace_back(i, j);
  return out;
}

}  // namespace elodyn
