// Formalisms that start from different quantities must end at the same equation: every term of every element formalism
// against the first one, for every element and for an element of random numbers; and the comparison can fail.
#include <functional>
#include <map>

#include "tests/support/element_terms.hpp"
#include <gtest/gtest.h>

#include "elodyn/element/registry.hpp"
#include "elodyn/formalism/registry.hpp"
#include "elodyn/laws.hpp"

namespace elodyn {
namespace {

constexpr double kAgree = 1e-12;  // round-off of sums over n dofs × stations, in coordinates scaled by diag(M)^-½

using test::compare;
using test::Comparison;
using test::Random;

// Stations as no element has them: dense rows of polynomials of degree 2 in ξ with random coefficients, full Σ, C, Ψ.
Stations make_random_stations(Random& random, int n, int n_strains) {
  std::vector<MatrixX> N, N_theta, R_theta, B, L, N_phi;
  for (int power = 0; power < 3; ++power) {
    N.push_back(random.matrix(3, n));
    N_theta.push_back(random.matrix(3, n));
    R_theta.push_back(random.matrix(3, n));
    B.push_back(random.matrix(n_strains, n));
    L.push_back(random.matrix(4, n));
    N_phi.push_back(random.matrix(1, n));
  }
  const MatrixX sigma = random.positive(3), stiffness = random.positive(n_strains),
                viscosity = random.positive(n_strains), thermal = random.matrix(n_strains, 3);
  std::vector<MatrixX> Psi;
  for (int j = 0; j < 2; ++j) {
    const MatrixX m = random.matrix(4, 4);
    Psi.emplace_back(m + m.transpose());
  }
  Stations stations;
  for (int k = 0; k < 5; ++k) {
    const double xi = random.in(-1, 1);
    const auto at = [&](const std::vector<MatrixX>& c) { return MatrixX(c[0] + xi * c[1] + xi * xi * c[2]); };
    Station& st = stations.emplace_back();
    st.weight = random.in(0.5, 1);
    st.x = random.vector(1);
    st.mass = random.in(0.5, 2);
    st.sigma = (1 + 0.5 * xi) * sigma;
    st.N = at(N);
    st.N_theta = at(N_theta);
    st.R_theta = at(R_theta);
    st.B = at(B);
    st.L = at(L);
    st.N_phi = at(N_phi);
    st.phi_mass = random.in(0.5, 2);
    st.stiffness = stiffness;
    st.viscosity = viscosity;
    st.thermal = thermal;
    st.Psi = Psi;
    for (int i = 0; i < 3; ++i) st.transport.push_back(random.matrix(n_strains, n));
  }
  return stations;
}

TEST(Agreement, EveryFormalismAndElement) {
  const Formalism& first = *formalisms().find(kDefaultFormalism);
  Random random(5);
  ElementTerms got, want;
  Stations stations;
  int compared = 0;
  std::map<std::string, double> worst;
  for (const Element* element : elements().list())
    for (const ElementSample& sample : make_samples(*element, 17)) {
      const ElementData data = bind(sample);
      element->calc_stations(data, stations);
      const int n = element->n_dofs(data);
      for (const int n_axes : data.dimension == 2 ? std::vector{0, 1} : std::vector{0, 1, 2, 3}) {
        const MotionBasis basis = random.basis(data.dimension, n_axes);
        first.derive(stations, n, basis, want);
        for (const Formalism* formalism : formalisms().list()) {
          if (formalism == &first) continue;
          formalism->derive(stations, n, basis, got);
          const Comparison c = compare(got, want);
          const std::string name(formalism->name());
          for (const auto& [family, error] : c.families)
            worst[name + "_" + family] = std::max(worst[name + "_" + family], error);
          EXPECT_LE(c.worst, kAgree) << c.where << " of " << name << ", " << element->name() << ", " << sample.name
                                     << ", " << n_axes << " axes";
          ++compared;
        }
      }
    }
  EXPECT_GT(compared, 1000);
  for (const auto& [name, error] : worst) RecordProperty(name, std::to_string(error * 1e15) + "e-15");
}

TEST(Agreement, ElementOfRandomNumbers) {
  const Formalism& first = *formalisms().find(kDefaultFormalism);
  ElementTerms got, want;
  double worst = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const int n = 3 + static_cast<int>(seed % 10);
    const Stations stations = make_random_stations(random, n, 1 + static_cast<int>(seed % 6));
    const MotionBasis basis = random.basis(3, 1 + static_cast<int>(seed % 3));
    first.derive(stations, n, basis, want);
    for (const Formalism* formalism : formalisms().list()) {
      formalism->derive(stations, n, basis, got);
      const Comparison c = compare(got, want);
      EXPECT_LE(c.worst, kAgree) << c.where << " of " << formalism->name() << ", seed " << seed;
      worst = std::max(worst, c.worst);
    }
  }
  RecordProperty("worst", std::to_string(worst * 1e15) + "e-15");
}

// Mass that lies on a line does not resist a turn about it, to first order; to second order the turn matters.
TEST(Agreement, CoordinatesWithoutMass) {
  const Formalism& first = *formalisms().find(kDefaultFormalism);
  ElementTerms got, want;
  for (const bool has_mass : {true, false}) {
    Random random(9);
    Stations stations = make_random_stations(random, 6, 2);
    stations.resize(1);
    Station& st = stations[0];
    const Vec3 line = random.vector(1);
    st.mass = has_mass ? 1.5 : 0;
    st.sigma = line * line.transpose();
    st.N = MatrixX::Identity(3, 6);
    st.N_theta = MatrixX::Identity(6, 6).bottomRows(3);
    const MotionBasis basis = random.basis(3, 3);
    first.derive(stations, 6, basis, want);
    ASSERT_GT(want.S[0].cwiseAbs().maxCoeff(), 0.01);
    for (const Formalism* formalism : formalisms().list()) {
      formalism->derive(stations, 6, basis, got);
      const Comparison c = compare(got, want);
      EXPECT_LE(c.worst, kAgree) << c.where << " of " << formalism->name();
    }
  }
}

// Mistakes that are made in derivations, planted in the right equation: the comparison and the laws must see them.
struct Mistake {
  const char* what;
  std::function<void(ElementTerms&, const ElementTerms& points)> plant;  // points: without inertia of the sections
};
const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> all = {
      {"−∂T/∂q dropped: half of the Coriolis matrix, no centrifugal terms",
       [](ElementTerms& t, const ElementTerms&) {
         for (MatrixX& G : t.G) G *= 0.5;
         for (MatrixX& S : t.S) S.setZero();
         for (VectorX& H : t.H) H.setZero();
       }},
      {"sign of the Coriolis matrix",
       [](ElementTerms& t, const ElementTerms&) {
         for (MatrixX& G : t.G) G = -G;
       }},
      {"rotary inertia missing in M", [](ElementTerms& t, const ElementTerms& points) { t.M = points.M; }},
      {"rotary inertia missing in the stiffness", [](ElementTerms& t, const ElementTerms& points) { t.S = points.S; }},
      {"Euler load twice",
       [](ElementTerms& t, const ElementTerms&) {
         for (VectorX& B : t.B) B *= 2;
       }},
  };
  return all;
}

class Mistaken final : public Formalism {
 public:
  Mistaken(const Formalism& right, const Mistake& mistake) : right_(right), mistake_(mistake) {}
  std::string_view name() const override { return "mistaken"; }
  std::string_view summary() const override { return ""; }
  using Formalism::derive;
  void derive(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& t) const override {
    Stations points = stations;
    for (Station& st : points) st.sigma.setZero();
    ElementTerms p;
    right_.derive(points, n, basis, p);
    right_.derive(stations, n, basis, t);
    mistake_.plant(t, p);
  }

 private:
  const Formalism& right_;
  const Mistake& mistake_;
};

TEST(Agreement, FindsPlantedMistakes) {
  const Formalism& first = *formalisms().find(kDefaultFormalism);
  const Element& element = *elements().find("beam_rayleigh");
  ElementTerms got, want;
  Stations stations;
  int tried = 0;
  for (const ElementSample& sample : make_samples(element, 3)) {
    const ElementData data = bind(sample);
    if (data.dimension == 2 || !data.rotary) continue;
    element.calc_stations(data, stations);
    const int n = element.n_dofs(data);
    const MotionBasis basis = Random(4).basis(3, 3);
    first.derive(stations, n, basis, want);
    for (const Formalism* formalism : formalisms().list())
      for (const Mistake& mistake : mistakes()) {
        const Mistaken mistaken(*formalism, mistake);
        mistaken.derive(stations, n, basis, got);
        EXPECT_GT(compare(got, want).worst, 1e-8) << mistake.what << ", " << formalism->name() << ", " << sample.name;
        int broken = 0;
        for (const LawCheck& check : check_formalism_laws(mistaken, element, data, 5)) broken += check.holds() ? 0 : 1;
        EXPECT_GT(broken, 0) << mistake.what << ", " << formalism->name() << ", " << sample.name;
        ++tried;
      }
  }
  EXPECT_GT(tried, 0);
}

}  // namespace
}  // namespace elodyn
