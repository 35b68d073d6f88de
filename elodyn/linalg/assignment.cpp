#include "elodyn/linalg/assignment.hpp"

#include <limits>

#include "elodyn/base/error.hpp"

namespace elodyn {

std::vector<int> assign_columns(const MatrixX& cost) {
  const auto rows = static_cast<size_t>(cost.rows()), columns = static_cast<size_t>(cost.cols());
  ELODYN_REQUIRE(rows <= columns && cost.allFinite());
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  // Column 0 is where a search starts; potentials u of rows and v of columns keep cost − u − v ≥ 0.
  std::vector<double> u(rows + 1, 0), v(columns + 1, 0);
  std::vector<size_t> row_of(columns + 1, 0), previous(columns + 1, 0);
  for (size_t row = 1; row <= rows; ++row) {
    row_of[0] = row;
    size_t at = 0;
    std::vector<double> least(columns + 1, kInfinite);
    std::vector<bool> done(columns + 1, false);
    do {
      done[at] = true;
      const size_t from = row_of[at];
      double step = kInfinite;
      size_t next = 0;
      for (size_t j = 1; j <= columns; ++j) {
        if (done[j]) continue;
        const double slack =
            cost(static_cast<Eigen::Index>(from) - 1, static_cast<Eigen::Index>(j) - 1) - u[from] - v[j];
        if (slack < least[j]) {
          least[j] = slack;
          previous[j] = at;
        }
        if (least[j] < step) {
          step = least[j];
          next = j;
        }
      }
      for (size_t j = 0; j <= columns; ++j) {
        if (done[j]) {
          u[row_of[j]] += step;
          v[j] -= step;
        } else {
          least[j] -= step;
        }
      }
      at = next;
    } while (row_of[at] != 0);
    for (; at != 0; at = previous[at]) row_of[at] = row_of[previous[at]];
  }
  std::vector<int> column_of(rows, -1);
  for (size_t j = 1; j <= columns; ++j)
    if (row_of[j] != 0) column_of[row_of[j] - 1] = static_cast<int>(j) - 1;
  return column_of;
}

}  // namespace elodyn
