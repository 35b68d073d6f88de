// Runs the shipped laws for everything that is registered: a new element or formalism is checked without a new test.
#include "elodyn/laws.hpp"

#include <gtest/gtest.h>

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
    if (formalism->level() != Formalism::Level::element) continue;
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
  enum class Fault { coriolis_sign, centrifugal_load_sign, unsymmetric_mass };
  explicit Faulty(Fault fault) : fault_(fault) {}
  std::string_view name() const override { return "faulty"; }
  std::string_view summary() const override { return ""; }
  Level level() const override { return Level::element; }
  void derive(const Stations& stations, int n, const MotionBasis& basis, ElementTerms& t) const override {
    formalisms().find(kDefaultFormalism)->derive(stations, n, basis, t);
    if (fault_ == Fault::coriolis_sign) t.G[0] = -t.G[0];
    if (fault_ == Fault::centrifugal_load_sign) t.H[0] = -t.H[0];
    if (fault_ == Fault::unsymmetric_mass) t.M(0, 1) += 1e-9 * t.M(0, 0);
  }

 private:
  Fault fault_;
};

TEST(Laws, FindPlantedFaults) {
  const Element& beam = *elements().find("beam_rayleigh");
  const ElementSample sample = make_samples(beam, 3).back();
  for (const auto fault :
       {Faulty::Fault::coriolis_sign, Faulty::Fault::centrifugal_load_sign, Faulty::Fault::unsymmetric_mass}) {
    int broken = 0;
    for (const LawCheck& check : check_formalism_laws(Faulty(fault), beam, bind(sample), 5))
      broken += check.holds() ? 0 : 1;
    EXPECT_GT(broken, 0) << "fault " << static_cast<int>(fault);
  }
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
