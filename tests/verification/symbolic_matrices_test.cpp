// Matrices of symbols, by every formalism: against the published closed forms entry by entry, and against the numbers
// of the same formalism for every element that has symbols.
#include <fstream>
#include <regex>

#include "test_paths.hpp"
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "elodyn/element/registry.hpp"
#include "elodyn/element/symbolic_element.hpp"
#include "elodyn/formalism/element_formalism.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/laws.hpp"

namespace elodyn {
namespace {

MotionBasis make_basis(int dimension) {
  MotionBasis basis;
  basis.axes = {Vec3::UnitZ()};
  basis.accelerations = {Vec3::UnitX(), Vec3::UnitY()};
  if (dimension == 3) {
    basis.axes = {Vec3::UnitX(), Vec3::UnitY(), Vec3::UnitZ()};
    basis.accelerations.emplace_back(Vec3::UnitZ());
  }
  return basis;
}

// The element of a sample put along x, so that its own axes are those of the body; the material turned with it.
ElementData align(ElementData data) {
  if (data.nodes.size() > 2) {
    const Vec3 side = data.nodes[1] - data.nodes[0], x0 = data.nodes[0];
    const Eigen::AngleAxisd back(-std::atan2(side[1], side[0]), Vec3::UnitZ());
    for (Vec3& x : data.nodes) x = x0 + back * (x - x0);
    data.sheet.axis_1 = Vec3::UnitY();
  }
  if (data.nodes.size() == 2) data.nodes[1] = data.nodes[0] + Vec3((data.nodes[1] - data.nodes[0]).norm(), 0, 0);
  data.orientation = Vec3::UnitZ();
  data.curvature_sign = {{{1, 1}, {1, 1}}};
  return data;
}

// Largest difference of numbers and evaluated symbols, relative to the largest entry; symbols that no number has count.
template <class Numbers, class Symbols>
double difference(const Numbers& numbers, const Symbols& symbols, const SymbolicElement& element) {
  double scale = 1e-300, worst = 0;
  for (Eigen::Index j = 0; j < numbers.cols(); ++j)
    for (Eigen::Index i = 0; i < numbers.rows(); ++i) {
      const double value = element.evaluate(symbols(i, j));
      scale = std::max({scale, std::abs(numbers(i, j)), std::abs(value)});
      worst = std::max(worst, std::abs(numbers(i, j) - value));
    }
  return worst / scale;
}

template <class Numbers, class Symbols>
double difference(const std::vector<Numbers>& numbers, const std::vector<Symbols>& symbols,
                  const SymbolicElement& element) {
  EXPECT_EQ(numbers.size(), symbols.size());
  double worst = 0;
  for (size_t i = 0; i < std::min(numbers.size(), symbols.size()); ++i)
    worst = std::max(worst, difference(numbers[i], symbols[i], element));
  return worst;
}

class SymbolsOf : public testing::TestWithParam<const Formalism*> {};

TEST_P(SymbolsOf, HaveTheValuesOfTheNumbers) {
  int tried = 0;
  for (const Element* element : elements().list())
    for (const ElementSample& sample : make_samples(*element, 11)) {
      const ElementData data = align(bind(sample));
      if (data.degree == 5 && data.dimension == 3) continue;  // 16 dofs: the same code, much algebra
      const auto symbolic = element->make_symbolic(data);
      if (!symbolic) continue;
      const int n = element->n_dofs(data);
      EXPECT_EQ(static_cast<int>(symbolic->dofs.size()), n);
      const MotionBasis basis = make_basis(data.dimension);
      Stations stations;
      element->calc_stations(data, stations);
      ElementTerms numbers;
      BasicElementTerms<Symbolic> symbols;
      GetParam()->derive(stations, n, basis, numbers);
      GetParam()->derive(symbolic->stations, n, basis, symbols);
      // A pull of its own at each point, in numbers; uniform, their sum, in symbols.
      for (size_t k = symbols.Gamma.size(); symbols.Gamma.size() == 3 && k < numbers.Gamma.size(); ++k)
        numbers.Gamma[k % 3] += numbers.Gamma[k];
      if (symbols.Gamma.size() == 3) numbers.Gamma.resize(3);
      // Exact symbols against sums of about ten rounded products.
      constexpr double kBound = 1e-13;
      const auto check = [&](const char* name, const auto& a, const auto& b) {
        EXPECT_LE(difference(a, b, *symbolic), kBound) << element->name() << " " << sample.name << " " << name;
      };
      check("M", numbers.M, symbols.M);
      check("D", numbers.D, symbols.D);
      check("K", numbers.K, symbols.K);
      check("G", numbers.G, symbols.G);
      check("E", numbers.E, symbols.E);
      check("S", numbers.S, symbols.S);
      check("N", numbers.N, symbols.N);
      check("Gamma", numbers.Gamma, symbols.Gamma);
      check("A", numbers.A, symbols.A);
      check("B", numbers.B, symbols.B);
      check("H", numbers.H, symbols.H);
      check("member load", numbers.member_load, symbols.member_load);
      ++tried;
    }
  EXPECT_GT(tried, 10);
}

// Expressions of computer algebra, "13*L**2/420", as text of ours.
TEST_P(SymbolsOf, AreTheClosedFormsEntryByEntry) {
  std::ifstream file(std::string(ELODYN_SOURCE_DIR) + "/tests/data/beam_matrices.json");
  const auto reference = nlohmann::json::parse(file);
  for (const auto& [name, degree] : {std::pair{"beam2d_cubic", 3}, std::pair{"beam2d_quintic", 5}}) {
    const Element& element = *elements().find("beam_rayleigh");
    ElementData data;
    data.nodes = {Vec3::Zero(), Vec3(0.7, 0, 0)};
    data.degree = degree;
    data.young = data.density = 1;
    data.section.A = data.section.Iy = data.section.Iz = 1;
    const auto symbolic = element.make_symbolic(data);
    ASSERT_TRUE(symbolic);
    const int n = element.n_dofs(data);
    BasicElementTerms<Symbolic> t;
    GetParam()->derive(symbolic->stations, n, make_basis(2), t);
    GiNaC::symtab table;
    GiNaC::exmap at_origin;
    for (const ElementSymbol& s : symbolic->symbols) {
      table[s.name] = s.symbol.ex();
      if (s.name == "x_1" || s.name == "y_1") at_origin[s.symbol.ex()] = 0;
    }
    GiNaC::parser parser(table);
    const auto entry = [&, name = name](const char* matrix, int i, int j) {
      const std::string text = reference[name][matrix][static_cast<size_t>(i)][static_cast<size_t>(j)];
      return parser(std::regex_replace(text, std::regex("\\*\\*"), "^"));
    };
    const GiNaC::ex rhoA = parser("rho*A"), rhoI = parser("rho*I_z"), EA = parser("E*A"), EI = parser("E*I_z");
    const auto expect = [&, name = name](const char* what, int i, int j, const Symbolic& got, const GiNaC::ex& want) {
      EXPECT_TRUE((got.ex().subs(at_origin) - want).expand().is_zero())
          << name << " " << what << "(" << i << "," << j << "): " << got.text() << " instead of " << want;
    };
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        expect("M", i, j, t.M(i, j), rhoA * entry("M", i, j) + rhoI * entry("Mrot", i, j));
        expect("G", i, j, t.G[0](i, j), rhoA * entry("Cunit", i, j));
        expect("K", i, j, t.K(i, j), EA * entry("Ka", i, j) + EI * entry("Kb", i, j));
        // The turned section has no centrifugal stiffness of its own in the plane: −∫ρI + ∫ρI.
        expect("S", i, j, t.S[0](i, j), -rhoA * entry("M", i, j));
        expect("Gamma0", i, j, t.Gamma[0](i, j), entry("G0", i, j));
        // Γⱼ is with ξ = x/L, the reference with x.
        expect("Gamma1", i, j, t.Gamma[1](i, j), entry("G1", i, j) / parser("L"));
        expect("Gamma2", i, j, t.Gamma[2](i, j), entry("G2", i, j) / parser("L^2"));
      }
      expect("A_x", i, 0, t.A[0][i], rhoA * entry("mO1", i, 0));
      expect("A_y", i, 0, t.A[1][i], rhoA * entry("mO2", i, 0));
      expect("B", i, 0, t.B[0][i], rhoA * entry("m2x", i, 0) + rhoI * entry("rotload", i, 0));
      expect("H", i, 0, t.H[0][i], -rhoA * entry("m1x", i, 0));
    }
  }
}

std::string name_of(const testing::TestParamInfo<const Formalism*>& info) { return std::string(info.param->name()); }
// The rectangle a × b, corners (0, 0), (a, 0), (a, b), (0, b), per ρt: mass, Coriolis, loads of the origin's
// acceleration, of the angular acceleration and of the centrifugal field.
TEST_P(SymbolsOf, TheRectangleAreThePublishedOnes) {
  std::ifstream file(std::string(ELODYN_SOURCE_DIR) + "/tests/data/rectangle_matrices.json");
  const auto reference = nlohmann::json::parse(file);
  const Element& element = *elements().find("membrane_rectangle");
  ElementData data;
  data.nodes = {Vec3::Zero(), Vec3(0.7, 0, 0), Vec3(0.7, 0.4, 0), Vec3(0, 0.4, 0)};
  data.density = data.sheet.thickness = 1;
  data.sheet.law = Mat3::Identity();
  const auto symbolic = element.make_symbolic(data);
  ASSERT_TRUE(symbolic);
  BasicElementTerms<Symbolic> t;
  GetParam()->derive(symbolic->stations, 8, make_basis(2), t);
  GiNaC::symtab table;
  GiNaC::exmap at_origin;
  for (const ElementSymbol& s : symbolic->symbols) {
    table[s.name] = s.symbol.ex();
    if (s.name == "x_1" || s.name == "y_1") at_origin[s.symbol.ex()] = 0;
  }
  GiNaC::parser parser(table);
  const GiNaC::ex density = parser("rho*t");
  const auto expect = [&](const char* what, int i, int j, const Symbolic& got, int factor) {
    const std::string text = reference[what][static_cast<size_t>(i)][static_cast<size_t>(j)];
    const GiNaC::ex want = factor * density * parser(std::regex_replace(text, std::regex("\\*\\*"), "^"));
    EXPECT_TRUE((got.ex().subs(at_origin) - want).expand().is_zero())
        << what << "(" << i << "," << j << "): " << got.text() << " instead of " << want;
  };
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      expect("M", i, j, t.M(i, j), 1);
      expect("Cunit", i, j, t.G.at(0)(i, j), 1);
    }
    for (int k = 0; k < 2; ++k) expect("mO", i, k, t.A.at(static_cast<size_t>(k))(i), 1);
    expect("eps_load", i, 0, t.B.at(0)(i), 1);
    expect("cen_load", i, 0, t.H.at(0)(i), -1);
  }
}

INSTANTIATE_TEST_SUITE_P(Formalisms, SymbolsOf, testing::ValuesIn(formalisms().list()), name_of);

}  // namespace
}  // namespace elodyn
