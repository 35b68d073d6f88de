// Which row belongs to which column: the assignment of all rows to different columns with the least sum of costs, by
// the Hungarian method with potentials, one row after the other along shortest augmenting paths, O(rows²·columns)
// ([Kuhn1955], [JonkerVolgenant1987]).
#pragma once

#include <vector>

#include "elodyn/base/types.hpp"

namespace elodyn {

// The column of each row. Needs finite costs and no more rows than columns.
std::vector<int> assign_columns(const MatrixX& cost);

}  // namespace elodyn
