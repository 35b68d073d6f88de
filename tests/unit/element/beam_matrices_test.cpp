// The planar beam's matrices against exact expressions of its length, entry by entry.
#include <fstream>
#include <regex>

#include "test_paths.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "elodyn/base/expression.hpp"
#include "elodyn/element/registry.hpp"
#include "elodyn/formalism/registry.hpp"

namespace elodyn {
namespace {

double evaluate(std::string text, double L) {
  text = std::regex_replace(text, std::regex(R"(\*\*)"), "^");
  text = std::regex_replace(text, std::regex("L"), "t");
  Expression expression;
  const auto error = expression.parse(text);
  EXPECT_FALSE(error) << text;
  return expression(L);
}

void expect_exact(const MatrixX& got, const nlohmann::json& exact, double L, double factor, const std::string& name) {
  ASSERT_EQ(static_cast<size_t>(got.rows()), exact.size()) << name;
  for (Eigen::Index i = 0; i < got.rows(); ++i)
    for (Eigen::Index j = 0; j < got.cols(); ++j) {
      const double want =
          factor * evaluate(exact[static_cast<size_t>(i)][static_cast<size_t>(j)].get<std::string>(), L);
      // An entry is a sum of terms of the size of its row's and column's diagonal; of a vector, of its largest entry.
      const double size = got.cols() > 1 ? std::sqrt(std::abs(got(i, i) * got(j, j))) : got.cwiseAbs().maxCoeff();
      EXPECT_NEAR(got(i, j), want, 64 * kEps * std::max(std::abs(want), size)) << name << "(" << i << ", " << j << ")";
    }
}

TEST(BeamMatrices, EqualTheExactExpressions) {
  std::ifstream file(std::string(ELODYN_SOURCE_DIR) + "/tests/data/beam_matrices.json");
  const nlohmann::json all = nlohmann::json::parse(file);
  const double L = 0.7;
  for (const auto& [name, degree] : {std::pair{"beam2d_cubic", 3}, {"beam2d_quintic", 5}}) {
    const nlohmann::json& exact = all.at(name);
    const auto derive = [&, p = degree](double area, double inertia, const char* element_name) {
      ElementData data;
      data.nodes = {Vec3::Zero(), Vec3(L, 0, 0)};
      data.degree = p;
      data.young = data.density = 1;
      data.section.A = area;
      data.section.Iz = inertia;
      const Element& element = *elements().find(element_name);
      Stations stations;
      element.calc_stations(data, stations);
      ElementTerms t;
      formalisms()
          .find(kDefaultFormalism)
          ->derive(stations, element.n_dofs(data), {Vec3::Zero(), {Vec3::UnitZ()}, {Vec3::UnitX(), Vec3::UnitY()}}, t);
      return t;
    };
    const ElementTerms line = derive(1, 0, "beam_euler_bernoulli");  // area only: axial stiffness and all inertia terms
    expect_exact(line.M, exact.at("M"), L, 1, "M");
    expect_exact(line.G[0], exact.at("Cunit"), L, 1, "G");
    expect_exact(line.E[0], exact.at("Cunit"), L, 1, "E");
    expect_exact(line.S[0], exact.at("M"), L, -1, "S");
    expect_exact(line.K, exact.at("Ka"), L, 1, "Ka");
    expect_exact(line.H[0], exact.at("m1x"), L, -1, "H");
    expect_exact(line.B[0], exact.at("m2x"), L, 1, "B");
    expect_exact(line.A[0], exact.at("mO1"), L, 1, "A_x");
    expect_exact(line.A[1], exact.at("mO2"), L, 1, "A_y");
    for (int k = 0; k < 3; ++k)
      expect_exact(line.Gamma[static_cast<size_t>(k)], exact.at("G" + std::to_string(k)), L, std::pow(L, -k), "Gamma");
    const ElementTerms section = derive(0, 1, "beam_rayleigh");  // bending stiffness and rotary inertia only
    expect_exact(section.K, exact.at("Kb"), L, 1, "Kb");
    expect_exact(section.M, exact.at("Mrot"), L, 1, "Mrot");
    expect_exact(section.B[0], exact.at("rotload"), L, 1, "rotary load");
    // The turning section adds nothing in w and w² in plane motion.
    EXPECT_LE(section.G[0].cwiseAbs().maxCoeff(), 64 * kEps);
    EXPECT_LE(section.S[0].cwiseAbs().maxCoeff(), 64 * kEps * section.M.cwiseAbs().maxCoeff());
  }
}

}  // namespace
}  // namespace elodyn
