// Matrices in the Matrix Market exchange format (coordinate real; scipy.io.mmread, MATLAB's mmread), dof tables as csv.
// Format: Boisvert, Pozo, Remington (1996), The Matrix Market Exchange Formats, NISTIR 5935.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "elodyn/results/matrices.hpp"

namespace elodyn {

// Zeros of the pattern are left out; a symmetric matrix keeps its lower triangle, a skew one its strictly lower.
std::string to_matrix_market(const NamedMatrix& named);

// Files NAME.mtx and BODY_dofs.csv (the table's own name); returns their names.
std::vector<std::string> write_matrices(const MatrixExport& matrices, const std::filesystem::path& dir);

}  // namespace elodyn
