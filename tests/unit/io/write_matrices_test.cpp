#include "elodyn/io/write_matrices.hpp"

#include "tests/support/temp_dir.hpp"
#include <gtest/gtest.h>

namespace elodyn {
namespace {

using Symmetry = NamedMatrix::Symmetry;

SparseMatrix sparse(const MatrixX& dense) { return dense.sparseView(); }

TEST(WriteMatrices, SymmetricKeepsTheLowerTriangle) {
  MatrixX m(2, 2);
  m << 2, -0.1, -0.1, 4;
  EXPECT_EQ(to_matrix_market({"rod_M", "mass matrix, factor 1", sparse(m), Symmetry::symmetric}),
            "%%MatrixMarket matrix coordinate real symmetric\n"
            "% rod_M: mass matrix, factor 1\n"
            "2 2 3\n1 1 2\n2 1 -0.1\n2 2 4\n");
}

TEST(WriteMatrices, SkewKeepsTheStrictlyLower) {
  MatrixX g(2, 2);
  g << 0, -3, 3, 0;
  EXPECT_EQ(to_matrix_market({"rod_G_z", "Coriolis,\nfactor 2 w_z", sparse(g), Symmetry::skew}),
            "%%MatrixMarket matrix coordinate real skew-symmetric\n"
            "% rod_G_z: Coriolis,\n% factor 2 w_z\n"
            "2 2 1\n2 1 3\n");
}

TEST(WriteMatrices, GeneralKeepsAllButZeros) {
  SparseMatrix f(3, 1);
  f.insert(0, 0) = 0.5;
  f.insert(1, 0) = 0;  // in the pattern only
  f.insert(2, 0) = 1e-300;
  EXPECT_EQ(to_matrix_market({"f", "load", f, Symmetry::general}),
            "%%MatrixMarket matrix coordinate real general\n% f: load\n3 1 2\n1 1 0.5\n3 1 1e-300\n");
}

TEST(WriteMatrices, FilesAndDofTable) {
  const test::TempDir temp;
  MatrixExport all;
  all.matrices = {{"rod_K", "stiffness", sparse(MatrixX::Identity(1, 1)), Symmetry::symmetric}};
  all.dofs = {{"rod_dofs", "", {{"number", "", std::vector<double>{1}}, {"x", "m", std::vector<double>{0.5}}}}};
  EXPECT_EQ(write_matrices(all, temp.path()), (std::vector<std::string>{"rod_K.mtx", "rod_dofs.csv"}));
  EXPECT_EQ(test::read_text(temp / "rod_dofs.csv"), "number,x [m]\n1,0.5\n");
  EXPECT_EQ(test::list_dir(temp.path()), "rod_K.mtx rod_dofs.csv");
}

}  // namespace
}  // namespace elodyn
