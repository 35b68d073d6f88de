// Runs the shipped laws for everything that is registered: a new element or formalism is checked without a new test.
#include "elodyn/laws.hpp"

#include <gtest/gtest.h>

#include "elodyn/base/rotation.hpp"
#include "elodyn/element/registry.hpp"
#include "elodyn/formalism/registry.hpp"

namespace elodyn {
namespace {

void expect_all(const std::vector<LawCheck>& checks, const std::string& of) {
  EXPECT_FALSE(checks.empty()) << of;
  for (const LawCheck& check : checks)
    EXPECT_TRUE(check.holds()) << of << ": " << check.law << ": error " << check.error << ", bound " << check.bound;
}

TEST(Laws, EveryElement) {
  for (const Element* element : elements().list())
    for (const ElementSample& sample : make_samples(*element, 20260101))
      expect_all(check_element_laws(*element, bind(sample)), std::string(element->name()) + " (" + sample.name + ")");
}

TEST(Laws, EveryElementFormalism) {
  int pairs = 0;
  for (const Formalism* formalism : formalisms().list()) {
    for (const Element* element : elements().list())
      for (const ElementSample& sample : make_samples(*element, 7)) {
        ++pairs;
        expect_all(check_formalism_laws(*formalism, *element, bind(sample), 11),
                   std::string(formalism->name()) + " × " + std::string(element->name()) + " (" + sample.name + ")");
      }
  }
  EXPECT_GT(pairs, 0);
}

// A formalism with a planted fault, to show that the laws can fail.
class Faulty final : public Formalism {
 public:
  enum class Fault {
    coriolis_sign,
    centrifugal_load_sign,
    unsymmetric_mass,
    // seen in space only
    no_second_order_rotation,
    no_section_euler,
    mixed_product_twice,
    no_section_load,
    no_gyroscopic_couple
  };
  explicit Faulty(Fault fault) : fault_(fault) {}
  std::string_view name() const override { return "faulty"; }
  std::string_view summary() const override { return ""; }
  using Formalism::derive;
  void derive(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& t) const override {
    formalisms().find(kDefaultFormalism)->derive(stations, n, basis, t);
    if (fault_ == Fault::coriolis_sign) t.G[0] = -t.G[0];
    if (fault_ == Fault::centrifugal_load_sign) t.H[0] = -t.H[0];
    if (fault_ == Fault::unsymmetric_mass) t.M(0, 1) += 1e-9 * t.M(0, 0);
    if (fault_ == Fault::mixed_product_twice) t.S[1] *= 2;
    // The same without the inertia of the sections, and the parts that they have in common put in its place.
    Stations points = stations;
    for (Station& st : points) st.sigma.setZero();
    ElementTerms p;
    formalisms().find(kDefaultFormalism)->derive(points, n, basis, p);
    if (fault_ == Fault::no_section_euler) t.E = p.E;
    if (fault_ == Fault::no_section_load) t.H = p.H;
    if (fault_ == Fault::no_gyroscopic_couple) t.G = p.G;
    if (fault_ == Fault::no_second_order_rotation) subtract_second_order(stations, basis, t);
  }

 private:
  static void subtract_second_order(const Stations& stations, const MotionBasis& basis, ElementTerms& t) {
    const auto pairs = basis.pairs();
    for (const Station& st : stations)
      for (size_t k = 0; k < pairs.size(); ++k) {
        const Mat3 Wi = skew(basis.axes[static_cast<size_t>(pairs[k].first)]),
                   Wj = skew(basis.axes[static_cast<size_t>(pairs[k].second)]);
        const Mat3 X = pairs[k].first == pairs[k].second ? Mat3(Wi * Wi) : Mat3(Wi * Wj + Wj * Wi), XS = X * st.sigma;
        t.S[k] -= st.weight * st.N_theta.transpose() * (0.5 * (XS + XS.transpose()) - XS.trace() * Mat3::Identity()) *
                  st.N_theta;
      }
  }

  Fault fault_;
};

int count_broken(const Element& element, const ElementSample& sample, Faulty::Fault fault) {
  int broken = 0;
  for (const LawCheck& check : check_formalism_laws(Faulty(fault), element, bind(sample), 5))
    broken += check.holds() ? 0 : 1;
  return broken;
}

TEST(Laws, FindPlantedFaults) {
  const Element& beam = *elements().find("beam_rayleigh");
  for (const ElementSample& sample : make_samples(beam, 3))
    for (const auto fault :
         {Faulty::Fault::coriolis_sign, Faulty::Fault::centrifugal_load_sign, Faulty::Fault::unsymmetric_mass})
      EXPECT_GT(count_broken(beam, sample, fault), 0) << "fault " << static_cast<int>(fault) << ", " << sample.name;
}

TEST(Laws, FindPlantedFaultsOfSectionsInSpace) {
  int tried = 0;
  for (const char* name : {"beam_rayleigh", "beam_timoshenko", "point_mass"}) {
    const Element& element = *elements().find(name);
    for (const ElementSample& sample : make_samples(element, 3)) {
      if (sample.data.dimension == 2 || (element.n_nodes() == 2 && !sample.data.rotary)) continue;
      ++tried;
      for (const auto fault :
           {Faulty::Fault::no_second_order_rotation, Faulty::Fault::no_section_euler,
            Faulty::Fault::mixed_product_twice, Faulty::Fault::no_section_load, Faulty::Fault::no_gyroscopic_couple})
        EXPECT_GT(count_broken(element, sample, fault), 0)
            << name << ", fault " << static_cast<int>(fault) << ", " << sample.name;
    }
  }
  EXPECT_GT(tried, 0);
}

TEST(Laws, Constraints) {
  // Supports, an inclined roller, a chain of rows that build on each other, and a redundant row.
  const std::vector<ConstraintRow> rows = {{{{0, 1.0}}, 0, "u"},
                                           {{{3, 0.6}, {4, 0.8}}, 0, "roller"},
                                           {{{4, 1.0}, {5, -2.0}, {6, 0.5}}, 0, "link"},
                                           {{{6, 1.0}, {7, 1.0}}, 0, "pair"},
                                           {{{3, 1.2}, {4, 1.6}}, 0, "roller again"}};
  expect_all(check_constraint_laws(10, rows, 1), "mixed rows");
  EXPECT_EQ(Constraints(10, rows).redundant(), std::vector<std::string>{"roller again"});
  expect_all(check_constraint_laws(4, {}, 1), "no rows");
  expect_all(check_constraint_laws(4, {{{{1, 2.0}}, 3.0, "given value"}, {{{1, 1.0}, {2, 1.0}}, 0, "tie"}}, 1),
             "values");
}

TEST(Laws, ContradictingConstraintsAreNamed) {
  const std::vector<ConstraintRow> rows = {{{{1, 2.0}}, 3.0, "first"}, {{{1, 1.0}}, 1.0, "clamp at `tip`"}};
  try {
    Constraints(3, rows);
    FAIL() << "accepted";
  } catch (const NumericalError& error) {
    EXPECT_STREQ(error.what(), "clamp at `tip` contradicts the other supports");
  }
}

}  // namespace
}  // namespace elodyn
