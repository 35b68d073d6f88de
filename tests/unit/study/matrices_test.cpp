// Exported matrices have the symmetry that they are declared to have: a reader stores only half of them.
#include "tests/support/models.hpp"
#include <gtest/gtest.h>

#include "elodyn/study/run.hpp"

namespace elodyn {
namespace {

void expect_declared_symmetry(const Model& model) {
  for (const NamedMatrix& named : calc_matrices(model).matrices) {
    const MatrixX A = named.matrix;
    const double size = A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0;
    if (named.symmetry == NamedMatrix::Symmetry::general) continue;
    const double sign = named.symmetry == NamedMatrix::Symmetry::skew ? 1 : -1;
    EXPECT_LE((A + sign * A.transpose()).cwiseAbs().maxCoeff(), 1e-13 * size) << named.name;
  }
}

TEST(Matrices, SymmetryIsThatDeclared) {
  for (const int dimension : {2, 3}) {
    Model model = test::make_rod({.elements = 2, .dimension = dimension});
    Body& body = model.bodies[0];
    body.points[1].x = dimension == 3 ? Vec3(0.3, 0.2, 0.4) : Vec3(0.3, 0.4, 0);
    model.sections[0] = test::make_general_section("round", 1e-4, 2e-9);
    model.sections[0].Iy = 5e-9;
    body.motion.kind = Motion::Kind::prescribed;
    for (size_t k = dimension == 3 ? 0 : 2; k < 3; ++k) {
      body.motion.angular_velocity[k] = Expression(1.0 + static_cast<double>(k));
      body.motion.acceleration[k] = Expression(2.0);
    }
    body.motion.angular_acceleration = std::array{Expression(0.0), Expression(0.0), Expression(3.0)};
    expect_declared_symmetry(model);

    body.motion = {};
    body.motion.kind = Motion::Kind::spin;
    body.motion.speed = 100;
    Spring dashpot;
    dashpot.at.value = "from";
    dashpot.other = Spring::Other::ground;
    dashpot.damping = {1, 1, 0};
    body.springs = {dashpot};
    body.supports.clear();
    expect_declared_symmetry(model);
    const MatrixExport out = calc_matrices(model);
    const auto N = std::find_if(out.matrices.begin(), out.matrices.end(),
                                [](const NamedMatrix& m) { return m.name == "rod_N_z"; });
    ASSERT_NE(N, out.matrices.end());
    EXPECT_GT(MatrixX(N->matrix).norm(), 0);
  }
}

}  // namespace
}  // namespace elodyn
