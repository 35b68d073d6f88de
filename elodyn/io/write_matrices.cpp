#include "elodyn/io/write_matrices.hpp"

#include "elodyn/base/text.hpp"
#include "elodyn/io/output_dir.hpp"
#include "elodyn/io/write_csv.hpp"

namespace elodyn {
namespace {

using Symmetry = NamedMatrix::Symmetry;

const char* symmetry_word(Symmetry symmetry) {
  switch (symmetry) {
    case Symmetry::symmetric:
      return "symmetric";
    case Symmetry::skew:
      return "skew-symmetric";
    case Symmetry::general:
      break;
  }
  return "general";
}

bool is_stored(Symmetry symmetry, Eigen::Index row, Eigen::Index column) {
  switch (symmetry) {
    case Symmetry::symmetric:
      return row >= column;
    case Symmetry::skew:
      return row > column;
    case Symmetry::general:
      break;
  }
  return true;
}

std::string comment(const std::string& text) {
  std::string out = "% ";
  for (const char c : text) {
    out += c;
    if (c == '\n') out += "% ";
  }
  return out + "\n";
}

}  // namespace

std::string to_matrix_market(const NamedMatrix& named) {
  const SparseMatrix& matrix = named.matrix;
  std::string entries;
  size_t n_entries = 0;
  for (Eigen::Index column = 0; column < matrix.outerSize(); ++column) {
    for (SparseMatrix::InnerIterator entry(matrix, column); entry; ++entry) {
      if (entry.value() == 0 || !is_stored(named.symmetry, entry.row(), entry.col())) continue;
      entries += std::to_string(entry.row() + 1) + " " + std::to_string(entry.col() + 1) + " " +
                 shortest(entry.value()) + "\n";
      ++n_entries;
    }
  }
  return std::string("%%MatrixMarket matrix coordinate real ") + symmetry_word(named.symmetry) + "\n" +
         comment(named.name + ": " + named.meaning) + std::to_string(matrix.rows()) + " " +
         std::to_string(matrix.cols()) + " " + std::to_string(n_entries) + "\n" + entries;
}

std::vector<std::string> write_matrices(const MatrixExport& matrices, const std::filesystem::path& dir) {
  std::vector<std::string> files;
  for (const NamedMatrix& named : matrices.matrices) {
    files.push_back(file_stem(named.name) + ".mtx");
    write_file(dir / files.back(), to_matrix_market(named));
  }
  for (const Table& table : matrices.dofs) {
    files.push_back(file_stem(table.name) + ".csv");
    write_file(dir / files.back(), to_csv(table));
  }
  return files;
}

}  // namespace elodyn
